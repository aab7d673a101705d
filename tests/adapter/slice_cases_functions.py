"""Which function is called: what decorators made of it, names that something decided about, methods that are values.

Programs of `test_slice_completeness`, which says what the comments in them mean.
"""

from __future__ import annotations

FUNCTIONS = {
    "a decorator decided not to call a function that would have changed something": """
def main():
    n = 1  # counts
    l = [1]
    def opt(on):
        def d(f):
            def inner(q):
                pass
            return inner if on else f  # counts
        return d
    @opt(n)
    def put(q):
        l.append(q)
    put(5)
    return [len(l)]
""",
    "… to call it once": """
def main():
    n = 0  # counts
    l = [1]  # counts
    def opt(on):
        def d(f):
            def inner(q):
                f(q)
                f(q)
            return inner if on else f  # counts
        return d
    @opt(n)
    def put(q):
        l.append(q)  # counts
    put(5)  # counts
    return l
""",
    "… that would have stored an attribute": """
class B:
    def __init__(self):
        self.v = 1  # counts
def main():
    n = 1  # counts
    b = B()
    def opt(on):
        def d(f):
            def inner(q):
                return 0
            return inner if on else f  # counts
        return d
    @opt(n)
    def put(q):
        b.v = q
    put(5)
    return [b.v]
""",
    "… that would have bound a variable": """
def main():
    n = 1  # counts
    t = 0  # counts
    def opt(on):
        def d(f):
            return (lambda q: 7) if on else f  # counts
        return d
    @opt(n)
    def one(q):
        nonlocal t
        t += q
    one(4)
    return [t]
""",
    "a decorator decided to leave a method as it is": """
def opt(on):
    def d(f):
        def inner(self, q):
            return f(self, q) * 2
        return inner if on else f  # counts
    return d
def main():
    n = 0  # counts
    class A:
        @opt(n)
        def one(self, q):
            return q + 3  # counts
    return [A().one(4)]
""",
    "… to wrap a method": """
def opt(on):
    def d(f):
        def inner(self, q):
            return f(self, q) * 2  # counts
        return inner if on else f
    return d
def main():
    n = 2  # counts
    class A:
        @opt(n)
        def one(self, q):
            return q + 3  # counts
    return [A().one(4)]
""",
    "… by a text": """
def main():
    kind = "no"
    def opt(kind):
        def d(f):
            if kind == "twice":  # counts
                return lambda q: f(f(q))
            elif kind == "neg":  # counts
                return lambda q: -f(q)
            else:
                return f
        return d
    @opt(kind)
    def one(q):
        return q + 3  # counts
    return [one(3), one(one(1))]
""",
    "a factory decides which decorator it gives": """
def main():
    n = 0  # counts
    def double(f):
        def inner(q):
            return f(q) * 2
        return inner
    def same(f):
        return f
    def opt(on):
        if on:  # counts
            return double
        return same
    @opt(n)
    def one(q):
        return q + 3  # counts
    return [one(4)]
""",
    "the decorator of a function of a module decided what to make of it": """
def opt(
    on=1,  # counts
):
    def decorate(f):
        return (lambda q: 7) if on else f  # counts
    return decorate
L = []
@opt()
def put(q):
    L.append(q)
def main():
    put(4)
    return L
""",
    "a decorator that always wraps decides nothing": """
L = []
def logged(
    f,
    on=1,  # does not
):
    def inner(q):
        return f(q)
    return inner
@logged
def put(q):
    return q
def main():
    n = 4  # does not
    L.append(
        3  # counts
    )
    put(n)  # does not
    return L
""",
    "a name stands for a method by a choice": """
def main():
    c = 1  # counts
    l = [3]  # counts
    x = 4  # counts
    g = l.append if c else abs  # counts
    g(x)  # counts
    return l
""",
    "… for another function": """
def main():
    c = 0  # counts
    l = [3]  # counts
    x = 4
    g = l.append if c else abs  # counts
    g(x)
    return l
""",
    "… by a branch": """
def main():
    c = 0  # counts
    l = [3]  # counts
    x = 4
    if c:  # counts
        g = l.append
    else:
        g = abs
    g(x)
    return l
""",
    "… that was bound anew": """
def main():
    c = 1  # counts
    l = [3]  # counts
    g = l.append
    if c:  # counts
        g = abs
    g(4)
    return l
""",
    "… of one of two lists": """
def main():
    c = 1  # counts
    l = [3]  # counts
    m = [5]  # counts
    g = (l if c else m).append  # counts
    g(4)  # counts
    return [l, m]
""",
    "… of two different methods": """
def main():
    c = 1  # counts
    l = [3]  # counts
    m = [3, 4]  # counts
    g = l.append if c else m.remove  # counts
    g(3)  # counts
    return [l, m]
""",
    "… of an object of the program": """
class B:
    def __init__(self):
        self.v = 1  # counts
    def put(self, q):
        self.v = q
def main():
    c = 0  # counts
    b = B()
    g = b.put if c else abs  # counts
    g(4)
    return [b.v]
""",
    "… and is handed over": """
def main():
    c = 0  # counts
    l = [3]  # counts
    def call(f, q):
        f(q)
    call(l.append if c else abs, 5)  # counts
    return l
""",
    "… which is then called": """
def main():
    c = 1  # counts
    l = [3]  # counts
    def call(f, q):
        f(q)  # counts
    call(l.append if c else abs, 5)  # counts
    return l
""",
    "… and is returned": """
def main():
    c = 0  # counts
    l = [3]  # counts
    def pick(c):
        if c:  # counts
            return l.append
        return abs
    pick(c)(5)  # counts
    return l
""",
    "… and is kept in an attribute": """
class B:
    pass
def main():
    c = 0  # counts
    l = [3, 4]  # counts
    b = B()
    b.g = l.append if c else str  # counts
    b.g(5)
    return [l]
""",
    "… and is kept in a list": """
def main():
    k = 1  # counts
    l = [3]  # counts
    m = [4]  # counts
    t = [l.append, m.append]
    t[k](5)  # counts
    return [l, m]
""",
    "… and is given to map": """
def main():
    c = 0  # counts
    l = [3, 4]  # counts
    g = l.append if c else str  # counts
    v = list(map(g, [1, 2]))
    return [l]
""",
    "… by and and or": """
def main():
    c = 0  # counts
    l = [3]  # counts
    g = c and l.append or abs  # counts
    g(4)
    return l
""",
    "… and is called by a function inside": """
def main():
    c = 0  # counts
    l = [3]  # counts
    g = l.append if c else abs  # counts
    def run(q):
        g(q)
    run(4)
    return l
""",
    "… that only looks at the list": """
def main():
    c = 0  # counts
    l = [3, 4]  # counts
    g = l.pop if c else l.__getitem__  # counts
    v = g(0)  # counts
    return [l, v]
""",
    "a method is found by a name that was put together": """
class V:
    def __init__(self):
        self.n = 0  # counts
    def visit_a(self, q):
        self.n += q
    def visit_b(self, q):
        return q
    def visit(self, k, q):
        return getattr(self, f"visit_{k}")(q)
def main():
    k = "b"
    v = V()
    v.visit(k, 3)
    return [v.n]
""",
    "a default chose the function": """
def main():
    c = 0  # counts
    l = [1]  # counts
    def run(q, f=l.append if c else str):  # counts
        f(q)
    run(4)
    return [l]
""",
    "which function reduce calls": """
import functools
def main():
    c = 0  # counts
    l = []
    def a(x, y):
        l.append(y)
        return x + y
    def b(x, y):
        return x * y  # counts
    v = functools.reduce(a if c else b, [1, 2, 3])  # counts
    return [l, v]
""",
    "methods kept in a list, one of them by a branch": """
class Button:
    def __init__(self):
        self.on = []
    def click(self, q):
        for f in self.on:
            f(q)  # counts
def main():
    c = 1  # counts
    l = [1]  # counts
    b = Button()
    b.on.append(str)
    if c:  # counts
        b.on.append(l.append)
    b.click(3)  # counts
    return [l]
""",
    "… in an attribute, if it is stored": """
class Button:
    def __init__(self):
        self.on = None
    def click(self, q):
        if self.on:
            self.on(q)
def main():
    c = 0  # counts
    l = [1]  # counts
    b = Button()
    if c:  # counts
        b.on = l.append
    b.click(3)
    return [l]
""",
    "a method that has another name all the time is chosen by nothing": """
def main():
    a = 3  # counts
    b = 4  # does not
    l, m = [1], [2]
    put, other = l.append, m.append
    put(a)
    other(b)  # does not
    m.append(7)  # does not
    return l
""",
    "a function that is called by a name that another one has": """
def again(step):
    return step
def up_to(step):
    got = step(7)
    while got == 3:  # counts
        got = step(7)
def main():
    n = 0
    def add(by):
        nonlocal n
        n += by
        return n
    up_to(add)
    return n
def other():
    def step(by):
        return by
    return step(2)
""",
    "a function that is called by the name of a builtin": """
def up(get, filter, go):
    if go:  # counts
        get(1)
    if go > 1:  # counts
        filter(1)
def main(go=0):
    n = 0
    def add(by):
        nonlocal n
        n += by
    up(add, add, go)
    return n
""",
    "an attribute that is called, with the name of a method elsewhere": """
class Timer:
    def tick(self):
        return 1
class Clock:
    def __init__(self, tick):
        self.tick = tick
    def run(self, go):
        if go:  # counts
            self.tick()
def main(go=0):
    n = 0
    def up():
        nonlocal n
        n += 1
    Clock(up).run(go)
    return n
""",
    "what a function gives that is called by the name of another": """
def pick(xs):
    return []
def put(pick, xs, go):
    if go:  # counts
        pick(xs).append(1)
def main(go=0):
    found = []
    put(lambda xs: found, [], go)
    return found
""",
    "a comprehension over what a function around has calls one of several": """
def adder(n, items):
    def add(q):
        items.append(q)
    if n == 2:  # counts
        return lambda q: q
    return add
def both(one):
    found = [one]
    def run(q):
        return [each(q) for each in found]
    return run
def main():
    l = [1]
    v = 2  # counts
    both(adder(v, l))("x")
    return l
""",
    "a generator expression calls one of several": """
def put(l):
    l.append(2)
def main():
    l = [1]
    v = 2  # counts
    w = 3  # does not
    f = len if v == 2 else put
    any(f(l) for each in [w])
    return l
""",
    "… calls what it goes through": """
def put(l):
    l.append(2)
def main():
    l = [1]
    v = 2  # counts
    w = 3  # does not
    fs = [len if v == 2 else put]
    any(f(l) + w for f in fs)
    return l
""",
    "… calls a method of one class or another": """
class Still:
    def run(self, l):
        return 1
class Put:
    def run(self, l):
        l.append(2)
def main():
    l = [1]
    v = 2  # counts
    runs = [Still() if v == 2 else Put()]
    any(each.run(l) for each in runs)
    return l
""",
    "a method that getattr read is called later": """
def main():
    l = [1]
    n = 3  # counts
    g = getattr(l, "append")
    g(n)
    return l
""",
    "… in a branch": """
def main():
    l = [1]
    n = 3  # counts
    k = 4  # does not
    g = getattr(l, "append")
    if n > 2:
        g(7)
    h = getattr([], "append")
    h(k)
    return l
""",
    "… at once": """
def main():
    l = [1]
    n = 3  # counts
    getattr(l, "append")(n)
    return l
""",
    "… through map": """
def main():
    l = [1]
    xs = []  # counts
    list(map(l.append, xs))
    return l
""",
    "… with its first argument": """
from functools import partial
def main():
    l = [1]
    n = 3  # counts
    g = partial(l.insert, 0)
    g(n)
    return l
""",
    "… of whatever it is given": """
import operator
def main():
    l = [1]
    n = 3  # counts
    put = operator.methodcaller("append", n)
    put(l)
    return l
""",
    "… of what it would be given": """
from operator import methodcaller
def main():
    l = [1]
    n = 3  # counts
    put = methodcaller("append", 3)
    if n > 3:
        put(l)
    return l
""",
    "… as a function of operator": """
import operator
def main():
    l = [1]
    n = 3  # counts
    if n > 3:
        operator.setitem(l, 0, 4)
    return l
""",
    "… handed to a function": """
def run(f, n):
    f(n)
def main():
    l = [1]
    n = 3  # counts
    run(getattr(l, "append"), n)
    return l
""",
    "… given by a function": """
def make(l):
    return getattr(l, "append")
def main():
    l = [1]
    n = 3  # counts
    put = make(l)
    put(n)
    return l
""",
    "… put into an attribute": """
class Box:
    pass
def main():
    l = [1]
    n = 3  # counts
    b = Box()
    b.put = getattr(l, "append")
    b.put(n)
    return l
""",
}
