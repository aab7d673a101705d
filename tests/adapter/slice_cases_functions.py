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
}
