"""Small programs with generator expressions that do more than give values, and iterators that are asked at several places.

Each has a `main` that gives a tuple; see `test_programs_by_force`.
"""

from __future__ import annotations

ITERATORS = {
    "a method handed on in a generator expression": """
def apply(method, value):
    if value > 1:
        method(value)
    return value
def x0(a, b):
    return sum(v for v in {'k': 1}.values() if v > apply(a.append, b))
def main():
    a = [1]
    return (x0(a, 2), a, x0(a, 0), len(a))
""",
    "a dict filled by a generator expression": """
def main():
    d = {}
    s = sum(d.setdefault(v, 1) for v in [1, 2])
    return (s, d, len(d))
""",
    "changes between calls in a generator expression": """
def g(x): return x
def main():
    d = []
    s = sum(g(d.append(v) or 1) for v in [1, 2])
    return (s, d, len(d))
""",
    "conditions that change what is gone through": """
def g(x): return x
def main():
    d = []
    e = [1, 2]
    s = any(g(v) > 1 for v in e if not e.append(v))
    return (s, d, len(d), e)
""",
    "a generator expression with a name that is asked twice": """
def g(x): return x
def main():
    d = []
    e = [1, 2]
    it = (d.append(g(v)) or v for v in e)
    a = next(it)
    b = list(it)
    return (a, d, b, e)
""",
    "a generator expression in a loop": """
def g(x, m):
    m(x)
    return x
def main():
    d = []
    e = [1, 2]
    it = (g(v, d.append) for v in e)
    a = next(it)
    for x in it:
        a += x
    return (a, d, e)
""",
    "a key and a join": """
def g(x, m):
    m(x)
    return x
def main():
    d = []
    e = [1, 2]
    r = max((g(v, d.append) for v in e), key=lambda q: -q)
    k = '-'.join(str(g(v, d.append)) for v in e)
    return (r, d, e, k)
""",
    "a generator expression of another function": """
class Log:
    def __init__(self): self.seen = []
def lazy(xs, log):
    return (log.seen.append(x) or x * 2 for x in xs)
def take(it):
    return next(it)
def main():
    log = Log()
    it = lazy([1, 2, 3], log)
    a = take(it)
    b = len(log.seen)
    c = sum(it)
    return (a, b, c, log.seen[-1])
""",
    "a name bound in a generator expression, and a counter": """
n = 0
def tick(x):
    global n
    n += x
    return n
def main():
    it = (y := tick(x) for x in [1, 2, 3])
    a = next(it)
    b = y
    c = max(it)
    return (a, b, c, y, n)
""",
    "asked by in, by a star, by unpacking": """
def main():
    seen = []
    d = {}
    g = (seen.append(x) or x for x in [1, 2, 3, 4])
    a = 2 in g
    b = [*g]
    h = (d.setdefault(x, len(d)) for x in 'aba')
    x, y, z = h
    return (a, b, seen, x, y, z, d)
""",
    "generator expressions in generator expressions": """
def main():
    seen = []
    r = list(sum(seen.append((x, y)) or y for y in range(x)) for x in [2, 3])
    k = [any(seen.append(q) for q in [1])]
    return (r, len(seen), seen[1], k)
""",
    "handed on to a generator expression": """
def gen(xs, log):
    yield from (log.append(x) or x for x in xs)
    yield 7
def main():
    log = []
    a = list(gen([1, 2], log))
    b = '-'.join(str(log.pop()) for _ in range(len(log)))
    return (a, b, log)
""",
    "pairs, sorted elements, sets that get smaller": """
def main():
    seen = []
    d = dict((k, seen.append(v) or v) for k, v in [('a', 1), ('b', 2)])
    s = sorted((seen.append(v) or v for v in [3, 1]), key=lambda q: -q)
    e = {1, 2, 5}
    t = tuple(e.discard(q) or len(e) for q in [1, 9])
    return (d, s, seen, t, sorted(e))
""",
    "the one that any found": """
def f(x): return x * 2
def main():
    xs = [1, 2, 3]
    if any((m := f(x)) > 3 for x in xs):
        r = m
    else:
        r = 0
    return (r, m, 3)
""",
    "the one that all did not like": """
def f(x): return x * 2
def first(xs, least):
    if not all((bad := x) < least for x in xs):
        return bad
    return -1
def main():
    return (first([1, 5, 2], 4), first([1], 4), first([3, 9], 9))
""",
    "a name bound whenever somebody asks": """
def main():
    it = ((y := x) for x in [4, 5, 6])
    a = next(it)
    b = y
    if a > 5:
        next(it)
    c = y
    next(it)
    return (a, b, c, y)
""",
    "names bound in comprehensions": """
def main():
    r = [y := x * 2 for x in [1, 2]]
    s = y
    t = {k: (z := k + s) for k in [1, 2] if (w := k) > 0}
    return (r, s, t, z, w)
""",
    "how far in and any went": """
def main():
    g = iter([1, 2, 3, 4])
    k = 2
    a = k in g
    b = list(g)
    h = iter('abcdef')
    lim = 'c'
    c = any(q == lim for q in h)
    d = next(h)
    return (a, b, c, d)
""",
    "how far itertools went": """
from itertools import islice, takewhile, zip_longest
def main():
    g = iter([1, 2, 3, 4, 5, 6])
    n = 2
    a = list(islice(g, n))
    b = next(g)
    h = iter([1, 2, 3, 4, 5, 6])
    m = 3
    c = list(takewhile(lambda q: q < m, h))
    d = list(h)
    i = iter([1, 2, 3, 4])
    short = [7, 8]
    e = list(zip(short, i))
    f = list(i)
    j = iter([1, 2, 3, 4])
    k = dict(zip('ab', j))
    l = next(j, 0)
    return (a, b, c, d, e, f, k, l)
""",
    "how far others went": """
def find(it, v):
    return v in it
def anyover(it, lim):
    return any(q > lim for q in it)
def main():
    g = iter([1, 2, 3, 4])
    k = 2
    a = find(g, k)
    b = list(g)
    h = iter([1, 2, 3, 4])
    c = anyover(h, 1)
    d = list(h)
    e, *f = map(abs, [-1, 2])
    return (a, b, c, d, e, f)
""",
    "what is left of iterators": """
def gen(it):
    yield from it
def main():
    n = 2
    g = iter([1, 2, 3, 4])
    if n in g:
        a = 1
    b = [0, *g]
    h = iter([1, 2, 3, 4])
    next(h)
    c = 3 in h
    d = [*h]
    i = iter([1, 2, 3])
    e = 1 in i
    f = list(gen(i))
    j = iter([1, 2, 3])
    k = any(q > 1 for q in j)
    l, = j
    return (a, b, c, d, e, f, l)
""",
    "three hundred objects in a copy": """
class Box:
    def __init__(self, v): self.v = v
def main():
    boxes = [Box(n) for n in range(300)]
    d = list(boxes)
    boxes[7].v = 50
    boxes[270].v = 60
    return (sum(b.v for b in d), 3)
""",
    "three hundred objects in a dict": """
class Box:
    def __init__(self, v): self.v = v
def main():
    boxes = [Box(n) for n in range(300)]
    d = dict(enumerate(boxes))
    i = 270
    boxes[7].v = 50
    boxes[i].v = 60
    if boxes[8].v > 20:
        boxes[8].v = 4
    return (sum(b.v for b in d.values()), 3)
""",
    "a library that ends beside another one": """
def apply(method, value):
    if value > 1:
        method(value)
    return value
def x0(a, b):
    return sum(v for v in sorted([1, 3]) if v > apply(a.append, b))
def main():
    a = [1]
    return (x0(a, 2), a, x0(a, 0), len(a))
""",
}
