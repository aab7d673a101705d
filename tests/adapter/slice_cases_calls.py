"""What calls decide: functions that were chosen, handed over or could have run, and what they change.

Programs of `test_slice_completeness`, which says what the comments in them mean.
"""

from __future__ import annotations

CALLS = {
    "the key that sorts": """
def main():
    n = 2  # counts
    xs = [3, 2]
    xs.sort(key=lambda x: x % n)
    return xs[0]
""",
    "how often a lambda is called back": """
def main():
    n = 2  # counts
    xs = []
    list(map(lambda x: xs.append(x), [1, 2, 3][:n]))
    return len(xs)
""",
    "a variable that an inner function binds": """
def main():
    n = 1
    def up(by):
        nonlocal n
        n += by  # counts
    up(2)
    return n
""",
    "code behind an early return": """
def put(xs, n):
    if n < 1:  # counts
        return
    xs.append(n)
def main():
    xs = [1]
    put(xs, 0)
    return len(xs)
""",
    "a variable of the function around would have been bound": """
def main(go=0):
    n = 1
    def inner():
        return n
    if go:  # counts
        n = 2
    return inner()
""",
    "how many elements a function is called back for": """
def main():
    xs, seen = [0, 4], []
    cut = 0  # counts
    del xs[cut:]
    list(map(lambda x: seen.append(x), xs))
    return seen
""",
    "how many elements a named function is called back for": """
def main():
    seen = []
    def put(x):
        seen.append(x)
    go = 0  # counts
    list(filter(put, [3][:go]))
    return seen
""",
    "a function that would have been handed over": """
def main():
    u = 5
    def g(q):
        nonlocal u
        u = 1
        return q
    go = 0  # counts
    if go:
        min([3], key=g)
    return u
""",
    "a call after a loop over a copy that is empty": """
def less(a, b=2):
    return (
        a  # counts
        - b
    )
def main():
    d = {}
    for x in list(d.values()):
        pass
    return (less(3), 1)
""",
    "a lambda that is called after a loop and a call": """
def put(xs):
    xs.append(1)
def main():
    f = (lambda q:
        q + 0)  # counts
    xs = [4]
    for j, x in enumerate(xs[:3]):
        pass
    put(xs)
    xs[0] = f(3)
    return xs
""",
    "a sum that adds to a number changes no list": """
def add(xs, most):
    total = 0
    for x in xs:
        if x < most:  # does not
            total += x
    return total

def main():
    xs = [1, 2]  # counts
    add(xs, 2)
    return xs[0]
""",
    "a return ended a loop that would have gone on": """
def fill(xs):
    n = 0
    while n < 3:  # counts
        n += 1
        xs.append(n)
        if n < 5:  # counts
            return

def main():
    xs = []
    fill(xs)
    return xs
""",
    "a function called after it was handed over": """
def apply(f, v):
    return f(v)  # counts

def main():
    n = 7  # counts
    def up(q):
        nonlocal n
        n += q  # counts
        return n
    return (apply(up, 1), up(2))[1]  # counts
""",
    "a function handed over that would have been called once more": """
def call(f, n):
    return f(n)

def often(f, n):
    done = 0
    while done < 3:  # counts
        done += 1
        if call(f, n) < 5:  # counts
            return

def main():
    xs = []
    def put(q):
        xs.append(q)
        return q
    often(put, 1)  # counts
    return xs
""",
    "a variable of which a function elsewhere binds one of the same name": """
def other(n):
    def up():
        nonlocal n
        n += 1  # does not
    up()
def main():
    n = 0
    def up():
        nonlocal n
        n += 1
    n = 5  # counts
    other(7)  # does not
    return n
""",
    "a variable of an activation further out, bound by a function that was handed on": """
def deep(n, up):
    def down():
        nonlocal n
        n -= 1  # counts
    if n > 0:
        deep(0, down)
    else:
        up()
    return n
def main():
    return deep(4, None)  # counts
""",
    "attributes of a function": """
def put(v):
    put.count += v
    put.last = v
def main():
    put.count = 1  # counts
    put.last = 3  # does not
    n = 2  # counts
    if n < 1:  # counts
        put(3)
    if n > 1:  # counts
        put.log = [2]  # counts
    put.log.append(3)  # counts
    return put.count, put.log
""",
    "a list that is an attribute of a function and has no other name": """
def put():
    pass
def main():
    n = 2  # counts
    put.seen = [1]  # counts
    if n < 1:  # counts
        put.seen.append(3)
    xs = []
    xs += put.seen
    return xs
""",
    "which of some functions was called": """
def main():
    xs = []
    n = 2  # counts
    f = [lambda q: q + 1, lambda q: xs.append(q) or 1][1 if n > 5 else 0]  # counts
    f(3)  # counts
    return xs
""",
    "… by a table, where another one binds a name": """
COUNT = 0
def up():
    global COUNT
    COUNT += 1
def stay():
    pass
def main():
    n = 2  # counts
    table = {"a": up, "b": stay}
    table["a" if n > 5 else "b"]()  # counts
    return COUNT
""",
    "… where it was handed over": """
def up(xs):
    xs.append(1)
def stay(xs):
    pass
def call(f, xs):
    f(xs)  # counts
def main():
    n = 2  # counts
    xs, ys = [], []
    f = stay  # counts
    if n > 5:  # counts
        f = up
    call(f, xs)  # counts
    call(stay, ys)  # does not
    return xs
""",
    "a default value": """
def f(
    v,
    k=3,  # counts
):
    return v + k
def main():
    return f(2)  # counts
""",
    "a list that was chosen to be a default": """
N = 3  # counts
XS, YS = [], []
def f(
    v,
    acc=XS if N > 5 else YS,  # counts
):
    acc.append(v)
def main():
    f(2)
    return list(XS)
""",
    "a default that a call would have changed": """
def f(v, acc=[]):
    acc.append(v)
    return len(acc)
def main():
    n = 2  # counts
    if n > 5:  # counts
        f(1)
    return f(2)  # counts
""",
    "… and is a variable of the module": """
LOG = []
def add(v, *, acc=LOG):
    acc.append(v)
def outer(v):
    add(v)
def main():
    n = 2  # counts
    if n > 5:  # counts
        outer(1)
    return list(LOG)
""",
    "default values where nobody knows which arguments were given": """
def put(
    v,
    rate=3,  # counts
    other=4,  # counts
):
    return v * rate + other
def main():
    given = {"other": 6}
    return list(map(put, [1, 2]))[0] + put(5, 8, **given)
""",
    "… and where what a parameter got tells that it was": """
def put(
    v,
    rate=3,  # counts
    other=4,  # does not
):
    return v * rate + other
def main():
    given = {"other": 6}  # counts
    return put(5, **given)
""",
    "a list that a closure changes, given to the function around": """
def each(function):
    return function(7)
def fill(xs):
    def put(n):
        xs.append(n)
    return each(put)
def main():
    xs = []
    rows = [xs]
    rows.append([])
    at = 1  # counts
    fill(rows[at])
    return xs
""",
    "… chosen by the function around": """
def main():
    xs, ys = [], []
    which = 0  # counts
    def put(n):
        held.append(n)
    held = xs if which else ys
    put(5)
    return xs
""",
    "… that would have been bound by the function around": """
def main():
    xs, ys = [], []
    which = 0  # counts
    held = ys
    def put(n):
        held.append(n)
    if which:  # counts
        held = xs
    put(5)
    return xs
""",
    "a variable called like a function of the program": """
def put(l):
    l.append(3)
def g(q):
    return q
def run(c, l):
    g = put if c else len  # counts
    g(l)
def main():
    l = [3]
    run(0, l)  # counts
    return l
""",
    "… a parameter": """
def put(l):
    l.append(3)
def g(q):
    return q
def run(g, l):
    g(l)
def main():
    l = [3]
    c = 0  # counts
    run(put if c else g, l)  # counts
    return l
""",
    "a method is defined in one of two ways": """
class Box:
    if 0:  # counts
        def put(self, l, q):
            l[0] = q
    else:
        def put(self, l, q):
            pass
def main():
    l = [3]
    Box().put(l, 4)  # counts
    return l
""",
    "… its class is": """
if 0:  # counts
    class Box:
        def put(self, l, q):
            l[0] = q
else:
    class Box:
        def put(self, l, q):
            pass
def main():
    l = [3]
    Box().put(l, 4)  # counts
    return l
""",
    "… its class, in a function": """
def main():
    l = [3]
    if 0:  # counts
        class Box:
            def put(self, l, q):
                l[0] = q
    else:
        class Box:
            def put(self, l, q):
                pass
    Box().put(l, 4)  # counts
    return l
""",
    "… its class is returned": """
class A:
    def put(self, l):
        l[0] = 4
class B:
    def put(self, l):
        pass
def which(c):
    if c:  # counts
        return A
    return B
def main():
    l = [3]
    which(0)().put(l)  # counts
    return l
""",
    "… its class is chosen for a name": """
class A:
    def put(self, l):
        l[0] = 4
class B:
    def put(self, l):
        pass
def main():
    l = [3]
    c = 0  # counts
    kind = A if c else B  # counts
    b = kind()
    b.put(l)  # counts
    return l
""",
    "what changes it is many calls away": "".join(f"def f{n}(l):\n    f{n + 1}(l)\n" for n in range(150))
    + """
def f150(l):
    l.append(2)
def main():
    l = [1]
    n = 3  # counts
    if n > 4:
        f0(l)
    return l
""",
    "… is the last of many calls": "".join(f"def f{n}(l):\n    return {n}\n" for n in range(150))
    + """
def put(l):
    l.append(2)
def main():
    l = [1]
    n = 3  # counts
    if n > 4:
        """
    + "; ".join(f"f{n}(l)" for n in range(150))
    + """; put(l)
    return l
""",
}
