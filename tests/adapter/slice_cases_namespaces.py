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
    "which dict it is that a name of the module might have been stored into": """
x = 5  # counts
def main():
    c = 0  # counts
    g = globals() if c else {}  # counts
    g["x"] = 1
    return x
""",
    "… by a statement": """
x = 5  # counts
def main():
    c = 0  # counts
    g = {}
    if c:  # counts
        g = globals()
    g["x"] = 1
    return x
""",
    "… by a call": """
x = 5  # counts
def put(g, v):
    g["x"] = v
def main():
    c = 0  # counts
    put(globals() if c else {}, 4)  # counts
    return x
""",
    "… by an update of what was chosen": """
x = 5  # counts
def main():
    c = 0  # counts
    g = globals() if c else {}  # counts
    g.update(x=3)
    return x
""",
    "a dict that might have been that of an object": """
class B:
    pass
def main():
    b = B()
    b.x = 1  # counts
    c = 0  # counts
    g = vars(b) if c else {}  # counts
    g["x"] = 2
    return b.x
""",
    "which object it is whose dict is kept": """
class B:
    pass
def main():
    a, b = B(), B()
    a.x = b.x = 1  # counts
    c = 1  # counts
    g = vars(b if c else a)  # counts
    g["x"] = 2
    return a.x
""",
    "… whose dict is stored into": """
class B:
    pass
def main():
    a, b = B(), B()
    a.x = b.x = 1  # counts
    c = 1  # counts
    (b if c else a).__dict__["x"] = 2  # counts
    return a.x
""",
    "… whose __dict__ is kept": """
class B:
    pass
def main():
    a, b = B(), B()
    a.x = b.x = 1  # counts
    c = 1  # counts
    d = (b if c else a).__dict__  # counts
    d["x"] = 2
    return a.x
""",
    "which dict a function gives, that of the module or another": """
x = 5  # counts
def give(c):
    return globals() if c else {}  # counts
def main():
    c = 0  # counts
    give(c)["x"] = 1  # counts
    return x
""",
    "which object it is whose dict is kept and updated": """
class B:
    pass
def main():
    a, b = B(), B()
    a.x, b.x = 1, 2  # counts
    c = 0  # counts
    d = vars(a if c else b)  # counts
    d.update(x=5)
    return a.x
""",
    "which object it is whose dict is handed over": """
class B:
    pass
def put(d, k):
    d[k] = 3
def main():
    a, b = B(), B()
    a.x, b.x = 1, 2  # counts
    c = 0  # counts
    put(vars(a if c else b), "x")  # counts
    return a.x
""",
    "a dict of its own instead of that of an object": """
class B:
    pass
def main():
    a = B()
    a.x = 1  # counts
    c = 0  # counts
    d = {}
    if c:  # counts
        d = a.__dict__
    d["x"] = 4
    return a.x
""",
    "a dict that would have been the attributes of an object": """
class B:
    pass
def main():
    a = B()
    a.x = 1  # counts
    d = {"x": 4}
    c = 0  # counts
    if c:  # counts
        a.__dict__ = d
    return a.x
""",
    "the names of the module, or a dict, by and and or": """
x = 5  # counts
def main():
    c = 0  # counts
    g = c and globals() or {}  # counts
    g["x"] = 1
    return x
""",
    "the names of a module by vars, kept": """
import sys
x = 5
def main():
    k = 3  # counts
    d = vars(sys.modules[__name__])
    d["x"] = k  # counts
    return x
""",
    "the names of a module by vars, had they been stored into": """
import sys
x = 5
def main():
    c = 0  # counts
    if c:  # counts
        vars(sys.modules[__name__])["x"] = 3
    return x
""",
    "the names of a module by vars, or a dict": """
import sys
x = 5
def main():
    c = 0  # counts
    d = vars(sys.modules[__name__]) if c else {}  # counts
    d["x"] = 3
    return x
""",
    "the names of a module by vars, and not a dict": """
import sys
x = 5
def main():
    c = 1  # counts
    d = vars(sys.modules[__name__]) if c else {}  # counts
    d["x"] = 3
    return x
""",
    "the names of a module by __dict__, kept": """
import sys
x = 5
def main():
    k = 3  # counts
    m = sys.modules[__name__]
    d = m.__dict__
    d["x"] = k  # counts
    return x
""",
    "the names of a module by vars, read": """
import sys
x = 5
def main():
    global x
    k = 3  # counts
    d = vars(sys.modules[__name__])
    x = k  # counts
    return d["x"]
""",
    "the names of a module by vars, as they would have been": """
import sys
x = 5
def main():
    global x
    k = 0  # counts
    d = vars(sys.modules[__name__])
    if k:  # counts
        x = k
    return d["x"]
""",
    "the names of a module by vars, updated": """
import sys
x = 5
def main():
    k = 3  # counts
    d = vars(sys.modules[__name__])
    d.update(x=k)  # counts
    return x
""",
    "which name of a module is stored by vars": """
import sys
x = 5
y = 4
def main():
    k = "y"  # counts
    d = vars(sys.modules[__name__])
    d[k] = 3  # counts
    return x
""",
    "a dict that might have been that of the module's names, of a list": """
x = 2
def main():
    global x
    x = 2  # counts
    c = 1  # counts
    [globals(), {}][c]["x"] = 1  # counts
    return x
""",
    "a variable that getattr reads of sys.modules": """
import sys
x = 2
def main():
    global x
    v = 3  # counts
    x = v  # counts
    return getattr(sys.modules[__name__], "x")
""",
    "a variable that is stored into and read of sys.modules": """
import sys
x = 2
def main():
    v = 3  # counts
    sys.modules[__name__].x = v  # counts
    return sys.modules[__name__].x
""",
    "a variable of sys.modules that would have been bound": """
import sys
x = 2
def main():
    global x
    c = 0  # counts
    x = 2  # counts
    if c:  # counts
        x = 5
    return sys.modules[__name__].x
""",
    "a variable of a module that was got from sys.modules before": """
import sys
x = 2
def main():
    global x
    v = 4  # counts
    here = sys.modules[__name__]
    x = v  # counts
    return here.__dict__["x"]
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
