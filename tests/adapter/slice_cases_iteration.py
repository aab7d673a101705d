"""What generators, iterators, coroutines and threads decide: how much they give, and who asks.

Programs of `test_slice_completeness`, which says what the comments in them mean.
"""

from __future__ import annotations

ITERATION = {
    "a generator that nobody holds any more ends between two statements": """
def ones(n):
    while True:
        yield n
def first(n):
    return next(ones(n))
def main():
    n = 1  # counts
    first(5)  # does not
    k = n  # counts
    return k
""",
    "how many elements a generator gives to a display": """
def pairs(n):
    for k in range(n):  # counts
        yield k

def main():
    n = 2  # counts
    return len([0, *pairs(n)])  # counts
""",
    "how often a loop over a generator runs": """
def times(n):
    for _ in range(n):  # counts
        yield 7

def main():
    total = 0
    for _ in times(2):  # counts
        total += 3
    return total
""",
    "how often a loop over a generator that hands on runs": """
def inner(n):
    while n > 0:  # counts
        yield 7
        n -= 1  # counts

def times(n):
    yield from inner(n)  # counts

def main():
    total = 0
    for _ in times(2):  # counts
        total += 3
    return total
""",
    "a generator put in the place of a slice": """
def pairs(n):
    for k in range(n):
        yield k + 5  # counts

def main():
    xs = [1, 2]
    xs[0:1] = pairs(2)  # counts
    return xs[1]
""",
    "a generator added to a list": """
def pairs(n):
    for k in range(n):
        yield k + 5  # counts

def main():
    xs = [1]
    xs += pairs(2)  # counts
    return xs[2]
""",
    "an element looked for in a generator": """
def pairs(n):
    for k in range(n):
        yield k + 5  # counts

def main():
    return 6 in pairs(3)  # counts
""",
    "what tasks gave that ran while their maker slept": """
import asyncio

async def times(n, k):
    await asyncio.sleep(0)
    return n * k  # counts

async def go(x):
    a = 3  # counts
    got = await asyncio.gather(times(a, x), times(4, 2))  # counts
    task = asyncio.create_task(times(x, 5))  # counts
    return got[0] + await task

def main():
    return asyncio.run(go(7))  # counts
""",
    "a lambda that is called after a loop over a generator": """
def gen(xs):
    for x in xs:
        yield x
def main():
    f = (lambda q:
        q + 1)  # counts
    ys, n = [1], 0
    for x in gen([5]):
        n = x
    return [*map(f, ys)]
""",
    "generators of one function that two loops go through, one after the other": """
def gen(n):
    yield (
        n  # counts
    )
def main():
    n = 0
    for x in gen(3):
        n += 1
    for y in gen(4):
        n += y
    return n
""",
    "a call between a loop over a generator and the first lambda that runs": """
def gen(n):
    yield n
def put(xs, n):
    xs.append(n)
def main():
    xs, n = [], 3
    for x in gen(3):
        n = 5  # counts
    put(xs, n)
    sorted([2, 1], key=lambda q: q)
    return xs
""",
    "what a generator does at its end, which another one hands on to": """
def inner(xs):
    yield 1
    xs.append(
        5  # counts
    )
def outer(xs):
    yield from inner(xs)
def main():
    xs = []
    for x in outer(xs):
        pass
    return xs
""",
    "a generator that hands on, used up within another one": """
def inner(n):
    yield n  # counts
def outer(n):
    yield from inner(n)
def gen(n):
    yield sum(outer(n))  # counts
    yield from inner(n)
def main():
    n = 3  # counts
    return list(gen(n))
""",
    "an element that an iterator would have handed out before": """
def main():
    n = 2  # counts
    it = iter([1, 2])  # counts
    if n < 1:  # counts
        next(it)
    return next(it)
""",
    "where a loop left an iterator": """
def main():
    n = 2  # counts
    it = iter([1, 2])
    for x in it:  # counts
        if n > 1:  # counts
            break
    return list(it)
""",
    "what is left of a generator expression": """
def main():
    n = 5  # counts
    it = (q for q in [1, 2, 3])  # counts
    while n > 4:  # counts
        n -= 1  # counts
        next(it)  # counts
    return [x for x in it]
""",
    "an element of an iterator that was asked before": """
def main():
    b = 2  # counts
    it = iter([
        1,
        b,  # counts
    ])
    next(it)  # counts
    for x in it:
        return x
""",
    "a generator that would have gone on": """
def gen(xs):
    for x in xs:
        yield x
def main():
    n = 2  # counts
    g = gen([1, 2])
    if n < 1:  # counts
        next(g)
    for x in g:
        return x
""",
    "what kept a generator from giving more": """
LEAST = 3  # counts
def gen():
    yield 1
    if LEAST > 5:  # counts
        yield 2
    yield 3
    if LEAST > 6:  # does not
        LEFT.append(1)
def main():
    return sum(gen())
""",
    "… in one that it handed on to": """
def gen(xs):
    for x in xs:
        yield x
def outer(xs):
    yield 1
    yield from gen([x for x in xs if x > (
        3  # counts
    )])
def main():
    n = 0
    for x in outer([1, 2]):
        n += 1
    return n
""",
    "an iterator that a function could have asked": """
def take(it, m):
    if m > 1:  # counts
        next(it)
def main():
    n = 1  # counts
    it = iter([1, 2])
    take(it, n)  # counts
    return list(it)
""",
    "… that asks it after others could have": """
def take(it):
    return list(it)
def main():
    n = 1  # counts
    it = iter([1, 2])
    if n > 5:  # counts
        next(it)
    return take(it)
""",
    "where a loop of another function left an iterator": """
def take(it, n):
    for x in it:
        if x > n:  # counts
            break
def main():
    n = 1  # counts
    it = iter([1, 2, 3])
    take(it, n)  # counts
    return next(it)
""",
    "… or a generator that was given it": """
def some(it, n):
    for x in it:
        if x > n:  # counts
            return
        yield x
def make(xs):
    return iter(xs)
def main():
    n = 1  # counts
    it = make([1, 2, 3])
    a = list(some(it, n))  # counts
    return next(it)
""",
    "an iterator that a function has asked that another one called": """
def two(it):
    return one(it)
def one(it):
    return next(it)
def main():
    n, k = 1, 3
    it, other = iter([1, 2, 3]), iter([4])
    two(it)  # counts
    two(other)  # does not
    if k > 5:  # does not
        two(other)
    return one(it)
""",
    "a list is changed while map goes through it": """
def main():
    l = [3, 0]
    def h(q):
        l[
            0  # counts
        ] = q
        return q
    v = sum(map(h, l))
    return v
""",
    "… gets longer meanwhile": """
def main():
    l = [3, 0]
    def h(q):
        if len(l) < 3:
            l.append(
                4  # counts
            )
        return q
    v = list(map(h, l))
    return v
""",
    "… by the key of max": """
def main():
    l = [3, 0, 4]
    def h(q):
        l[
            -1  # counts
        ] = q
        return q
    v = max(l, key=h)
    return v
""",
    "… while filter goes through it": """
def main():
    l = [3, 0]
    def h(q):
        l[
            1  # counts
        ] = 7
        return q
    v = list(filter(h, l))
    return v
""",
    "… while a loop asks map": """
def main():
    l = [3, 0]
    def h(q):
        l[
            0  # counts
        ] = q
        return q
    v = 0
    for r in map(h, l):
        v += r
    return v
""",
    "a list is changed before its iterator is asked": """
def main():
    l = [3, 0]
    v = 0
    it = iter(l)
    l[
        0  # counts
    ] = 7
    return next(it)
""",
    "… before what map gave is asked": """
def main():
    l = [3, 0]
    v = 0
    it = map(abs, l)
    l[
        0  # counts
    ] = 7
    return list(it)
""",
    "… before a generator expression is asked": """
def main():
    l = [3, 0]
    v = 0
    it = (x for x in l)
    l[
        1  # counts
    ] = 7
    return sum(it)
""",
    "… after it was copied": """
def main():
    l = [3, 0]
    it = list(l)
    l[
        1  # does not
    ] = 7
    return sum(it)  # counts
""",
    "… after what map gave was": """
def main():
    l = [3, 0]
    it = list(map(abs, l))
    l[
        1  # does not
    ] = 7
    return sum(it)  # counts
""",
    "a length that is asked right after a loop": """
class Box:
    def __len__(self):
        return 2  # counts
def each():
    yield 0
def size():
    b = Box()
    for _ in each():
        pass
    return len(b)
def main():
    return size()
""",
    "a length that is asked right after a loop over what was handed in": """
class Box:
    def __len__(self):
        return 2  # counts
def each():
    yield 0
def size(xs):
    b = Box()
    for _ in xs:
        pass
    return len(b)
def main():
    return size(each())
""",
    "what a comprehension would have done, but for its condition": """
def main():
    xs = []
    n = 5  # counts
    [xs.append(q) for q in [1, 2] if q > n]  # counts
    return xs
""",
    "objects that a generator expression makes to ask them": """
class Box:
    def __init__(self, size):
        self.size = size  # counts
def main():
    n = 1  # counts
    return next((q for q in [1] if Box(n).size), 3)
""",
    "a lambda behind a comprehension in the same statement": """
class Box:
    def __init__(self, size):
        self.size = size + 1  # counts
def main():
    a, n = 3, 1  # counts
    return [{Box(q).size for q in iter([7, 8])}, max(map(lambda q: Box(q).size, [a, n]))][1]
""",
}
