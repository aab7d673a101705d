"""Iterators that are kept: in attributes, in containers, in variables of functions around.

Programs of `test_slice_completeness`, which says what the comments in them mean.
"""

from __future__ import annotations

ITERATORS = {
    "a branch would have asked an iterator in an attribute": """
class B:
    def __init__(self, xs):
        self.it = iter(xs)
    def one(self):
        return next(self.it)  # counts
def main():
    n = 0  # counts
    b = B([1, 2, 3])  # counts
    if n:  # counts
        b.one()
    return [b.one()]
""",
    "… in a method": """
class B:
    def __init__(self, xs):
        self.it = iter(xs)
    def one(self, c):
        if c:  # counts
            next(self.it)
        return next(self.it)  # counts
def main():
    n = 0  # counts
    b = B([1, 2, 3])  # counts
    b.one(n)  # counts
    return [b.one(0)]
""",
    "… asked it": """
class B:
    def __init__(self, xs):
        self.it = iter(xs)
    def one(self, c):
        if c:  # counts
            next(self.it)
        return next(self.it)  # counts
def main():
    n = 1  # counts
    b = B([1, 2, 3])  # counts
    b.one(n)  # counts
    return [b.one(0)]
""",
    "iterators in a list, which one is asked": """
def main():
    n = 0  # counts
    its = [iter([1, 2, 3]), iter([4, 5, 6])]  # counts
    if n:  # counts
        next(its[0])
    next(its[1])  # counts
    return [next(its[0]), next(its[1])]
""",
    "… by an index": """
def main():
    i = 0  # counts
    its = [iter([1, 2, 3]), iter([4, 5, 6])]  # counts
    next(its[i])  # counts
    return [next(its[0]), next(its[1])]
""",
    "… in a dict": """
def main():
    n = 0  # counts
    its = {"a": iter([1, 2, 3])}  # counts
    if n:  # counts
        next(its["a"])
    return [next(its["a"])]
""",
    "how far a loop went through an iterator in an attribute": """
class B:
    pass
def main():
    n = 3  # counts
    b = B()
    b.it = iter([1, 2, 3, 4, 5])  # counts
    for x in b.it:
        if x == n:  # counts
            break
    return [next(b.it)]
""",
    "a generator in an attribute": """
class B:
    def __init__(self, k):
        self.g = self.count(k)  # counts
    def count(self, k):
        while True:
            yield k  # counts
            k += 2  # counts
    def next(self):
        return next(self.g)  # counts
def main():
    n = 0  # counts
    b = B(3)  # counts
    b.next()
    if n:  # counts
        b.next()
    return [b.next()]
""",
    "a counter in a class": """
import itertools
class B:
    ids = None
    def __init__(self):
        self.id = next(B.ids)  # counts
def main():
    n = 0
    B.ids = itertools.count(5)  # counts
    B()
    if n > 1:  # counts
        B()
    return [B().id]
""",
    "a variable of a function around is an iterator": """
def main():
    n = 0  # counts
    it = iter([1, 2, 3, 4])  # counts
    def step(c):
        if c:  # counts
            next(it)
        return 0
    step(n)  # counts
    return [next(it)]
""",
    "… which is asked there": """
def main():
    n = 0  # counts
    it = iter([1, 2, 3, 4])  # counts
    def step():
        return next(it)  # counts
    if n:  # counts
        next(it)
    return [step()]
""",
    "an iterator in an attribute is handed over": """
class B:
    pass
def skip(it, n):
    if n:  # counts
        next(it)
def main():
    n = 0  # counts
    b = B()
    b.it = iter([1, 2, 3, 4])  # counts
    skip(b.it, n)  # counts
    return [next(b.it)]
""",
    "… and has a name, too": """
class B:
    pass
def main():
    n = 0  # counts
    it = iter([1, 2, 3, 4])  # counts
    b = B()
    b.it = it
    if n:  # counts
        next(it)
    return [next(b.it)]
""",
    "… asked by that name": """
class B:
    pass
def main():
    n = 0  # counts
    it = iter([1, 2, 3, 4])  # counts
    b = B()
    b.it = it
    if n:  # counts
        next(b.it)
    return [next(it)]
""",
    "… in a tuple": """
def main():
    n = 0  # counts
    t = (iter([1, 2, 3, 4]), 5)  # counts
    if n:  # counts
        next(t[0])
    return [next(t[0])]
""",
    "a loop over iterators": """
def main():
    n = 0  # counts
    its = [iter([1, 2, 3]), iter([3, 4, 5])]  # counts
    v = []
    for i in its:
        if n:  # counts
            next(i)
        v.append(next(i))  # counts
    return v
""",
    "an iterator in an attribute is asked by zip": """
class B:
    pass
def main():
    n = 0  # counts
    b = B()
    b.it = iter([1, 2, 3, 4])  # counts
    if n:  # counts
        next(b.it)
    return [[x, y] for x, y in zip(b.it, b.it)]
""",
    "… of a class of the program": """
class C:
    def __init__(self, k):
        self.k = k  # counts
    def __iter__(self):
        return self
    def __next__(self):
        self.k += 1  # counts
        return self.k  # counts
class B:
    pass
def main():
    n = 0  # counts
    b = B()
    b.it = C(3)  # counts
    if n:  # counts
        next(b.it)
    return [next(b.it)]
""",
    "… by a property": """
class B:
    def __init__(self, xs):
        self._it = iter(xs)
    @property
    def more(self):
        return next(self._it)  # counts
def main():
    n = 0  # counts
    b = B([1, 2, 3])  # counts
    if n:  # counts
        b.more
    return [b.more]
""",
    "… by a test whether it has an element": """
class B:
    pass
def main():
    n = 2  # counts
    b = B()
    b.it = iter([1, 2, 3, 4])  # counts
    n in b.it  # counts
    return [next(b.it)]
""",
    "how often a comprehension asked an iterator": """
def main():
    n = 1  # counts
    it = iter([1, 2, 3, 4])  # counts
    def take(k):
        return [next(it) for _ in range(k)]  # counts
    a = take(n)  # counts
    return [a, take(1)]
""",
    "which of two iterators was asked": """
def main():
    c = 0  # counts
    a, b = iter([1, 2, 3]), iter([4, 5, 6])  # counts
    its = [a, b]
    it = a if c else b  # counts
    next(it)
    return [next(its[0]), next(its[1])]
""",
    "… by way of objects": """
class B:
    pass
def main():
    c = 0  # counts
    x, y = B(), B()
    x.it = iter([1, 2, 3])  # counts
    y.it = iter([4, 5, 6])  # counts
    z = x if c else y  # counts
    next(z.it)
    return [next(x.it), next(y.it)]
""",
    "what was sent to a generator in an attribute": """
class B:
    def __init__(self):
        self.g = self.run()
        next(self.g)
    def run(self):
        t = 0  # counts
        while True:
            x = yield t  # counts
            t += x  # counts
    def put(self, x):
        return self.g.send(x)  # counts
def main():
    n = 0  # counts
    b = B()
    b.put(1)  # counts
    if n:  # counts
        b.put(4)
    return [b.put(2)]
""",
    "an iterator that is a default": """
import itertools
def main():
    n = 0  # counts
    def new(c=itertools.count(1)):  # counts
        return next(c)  # counts
    if n:  # counts
        new()
    return [new()]
""",
    "how far zip went through an iterator": """
class B:
    pass
def main():
    b = B()
    b.it = iter([1, 2, 3, 4])  # counts
    l = [7]
    for x, y in zip(b.it, l):
        pass
    return [next(b.it, 9)]
""",
    "… any": """
class B:
    pass
def main():
    n = 2  # counts
    b = B()
    b.it = iter([1, 2, 3, 4])  # counts
    any(x > n for x in b.it)  # counts
    return [next(b.it, 9)]
""",
    "which generator of a dict was asked": """
def gen(k):
    while True:
        yield k  # counts
        k += 1  # counts
def main():
    k = "a"
    gs = {"a": gen(1), "b": gen(5)}  # counts
    next(gs[k])
    return [next(gs["a"]), next(gs["b"])]
""",
    "another iterator was asked, in an attribute of another object": """
class Box:
    def __init__(self, items):
        self.it = iter(items)
    def one(self):
        return next(self.it)
def main():
    n = 0  # does not
    a, b = Box([1, 2]), Box([3, 4])
    b.one()  # does not
    if n:  # does not
        b.one()
    if len([]):  # counts
        a.one()
    return a.one()
""",
    "a method that is got by its name and would have been called": """
def main(go=0):
    xs = [1]
    if go:  # counts
        getattr(xs, "append")(4)
    return xs
""",
    "a method that is got by some name and would have been called": """
class Box:
    def up(self):
        self.n = 5
def main(go=0):
    b, name = Box(), "up"
    b.n = 1  # counts
    up = getattr(b, name)
    if go:  # counts
        up()
    return b.n
""",
    "a generator that would have been asked": """
def each(seen):
    seen.append(1)
    yield 1
def main(go=0):
    seen = []
    g = each(seen)
    if go:  # counts
        next(g)
    return seen
""",
    "a generator that would have been unpacked": """
def each(seen):
    seen.append(1)
    yield 1
def main(go=0):
    seen = []
    g = each(seen)
    if go:  # counts
        a, = g
    return seen
""",
    "an iterator of an own class that would have been gone through": """
class Each:
    def __init__(self, log):
        self.log = log
        self.n = 0
    def __iter__(self):
        return self
    def __next__(self):
        self.n += 1
        self.log.append(self.n)
        if self.n > 2:
            raise StopIteration
        return self.n
def main(go=0):
    log = []
    each = Each(log)
    if go:  # counts
        for _ in each:
            pass
    return log
""",
    "an iterator of an own class that another function would have gone through": """
class Each:
    def __init__(self, log):
        self.log = log
        self.n = 0
    def __iter__(self):
        return self
    def __next__(self):
        self.n += 1
        self.log.append(self.n)
        if self.n > 2:
            raise StopIteration
        return self.n
def use(xs):
    return list(xs)
def main(go=0):
    log = []
    each = Each(log)
    if go:  # counts
        use(each)
    return each.n
""",
    "an operator that would have changed an object": """
class Box:
    n = 1  # counts
    def __add__(self, other):
        self.n = other
        return self
def main(go=0):
    b = Box()
    if go:  # counts
        b + 1
    return b.n
""",
    "a property that would have changed an object": """
class Box:
    n = 1  # counts
    @property
    def up(self):
        self.n = 5
        return self.n
def main(go=0):
    b = Box()
    if go:  # counts
        b.up
    return b.n
""",
}
