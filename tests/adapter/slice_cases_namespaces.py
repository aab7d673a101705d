"""Namespaces used as dicts: what names and attributes are read by, stored by, and counted by way of them.

Programs of `test_slice_completeness`, which says what the comments in them mean.
"""

from __future__ import annotations

import sys

NAMESPACES = {
    "a name that is read by way of locals": """
def main():
    a = 3  # counts
    return locals()["a"]
""",
    "a name that would have been bound, and is read by way of vars": """
def main(go=0):
    a = 3  # counts
    if go:  # counts
        a = 5
    return vars()["a"]
""",
    "how many names are bound": """
def main(go=0):
    if go:  # counts
        a = 5
    return len(locals())
""",
    "whether a name is bound": """
def main(go=1):
    if go:  # counts
        a = 5
    return "a" in locals()
""",
    "names that are written into a text": """
def show(a, b):
    c = a + b
    return "{a} {c}".format(**locals())
def main():
    n = 2  # counts
    m = 3  # counts
    return show(n, m)
""",
    "what a list holds that lies in a dict of names": """
def main(go=0):
    xs = [1]  # counts
    names = locals()
    if go:  # counts
        xs.append(4)
    return names["xs"]
""",
    "names in code that is a text": """
def main(go=0):
    a = 2  # counts
    if go:  # counts
        a = 7
    return eval("a + 1")
""",
    "a name of the module that is read by way of globals": """
RATE = 3
def main(go=0):
    global RATE
    RATE = 4  # counts
    if go:  # counts
        RATE = 5
    return globals()["RATE"]
""",
    "a name of the module that is stored by way of globals": """
RATE = 3
def put(name, value):
    globals()[name] = value  # counts
def main(go=0):
    n = 4  # counts
    put("RATE", n)
    if go:  # counts
        put("RATE", 5)
    return RATE
""",
    "an attribute that is read from the dict of an object": """
class B:
    pass
def main(go=0):
    b = B()
    b.x = 3  # counts
    b.y = 4  # does not
    if go:  # counts
        b.x = 5
    return b.__dict__["x"]
""",
    "an attribute that would have been stored into the dict of an object": """
class B:
    pass
def main(go=0):
    b = B()
    b.x = 3  # counts
    if go:  # counts
        b.__dict__["x"] = 4
    return b.x
""",
    "attributes that are put into the dict of an object": """
class B:
    pass
def main():
    n, m = 1, 2
    b = B()
    b.x = 0
    b.__dict__.update(
        {
            "x": n,  # counts
            "y": m  # counts
        }
    )
    return [b.x, b.y]
""",
    "which attributes an object has": """
class B:
    pass
def main(go=0):
    b = B()
    b.x = 3
    if go:  # counts
        b.y = 4
    return sorted(vars(b))
""",
    "an attribute that is stored into a dict of an object that is kept": """
class B:
    pass
def main(go=0):
    n = 2  # counts
    b = B()
    b.x = 0
    kept = vars(b)
    kept["x"] = n  # counts
    if go:  # counts
        kept["x"] = 5
    return b.x
""",
    "an attribute that another function would have stored into a dict": """
class B:
    pass
def put(kept, name, value):
    kept[name] = value
def main(go=0):
    b = B()
    b.x = 0
    if go:  # counts
        put(b.__dict__, "x", 4)
    return b.x
""",
    "a name of the module that is stored into what globals gave": """
n = 3  # does not
def main():
    g = globals()
    k = 5  # counts
    g["n"] = k
    return n
""",
    "… that might have been that name": """
n = 3
def main():
    k = "m"  # counts
    globals()[k] = 4
    return n
""",
    "… that was kept by the module": """
n = 3
kept = globals()
def put(v):
    kept["n"] = v
def main():
    k = 5  # counts
    put(k)
    return n
""",
    "… by update": """
n = 3
def main():
    g = globals()
    k = 5  # counts
    m = 6  # does not
    g.update(n=k)
    [].append(m)
    return n
""",
    "… by setdefault": """
def main():
    g = globals()
    k = 5  # counts
    g.setdefault("unset", k)
    return unset
""",
    "… that lies in a list": """
n = 3
def main():
    kept = [globals()]
    k = 5  # counts
    if k > 5:
        kept[0]["n"] = k
    return n
""",
    "… and is read there": """
n = 3
def main():
    global n
    g = globals()
    k = 5  # counts
    n = 4  # does not
    n = k
    return g["n"]
""",
    "… and would have been read there": """
n = 3
def main():
    global n
    g = globals()
    k = 5  # counts
    if k > 5:
        n = k
    return g["n"]
""",
    "whether a name is in what globals gave": """
def main():
    g = globals()
    k = 5  # counts
    if k > 5:
        g["unset"] = 1
    return "unset" in g
""",
    "a name of a comprehension": """
def main():
    k = 5  # counts
    return [locals()["x"] for x in (k, 2)]
""",
}

# … that Python 3.13 has no more: each call of `locals` gives another dict.
UPDATED = {
    "what the next locals puts into a dict": """
def main():
    d = locals()
    k = 5  # counts
    locals()
    return d["k"]
""",
    "… had that been bound": """
def main():
    d = locals()
    k = 5  # counts
    if k > 5:
        m = 3
    e = locals()
    return len(d)
""",
}
if sys.version_info < (3, 13):
    NAMESPACES |= UPDATED
