"""Small programs in which containers hold containers, and keys are more than scalars.

Each has a `main` that gives a tuple; see `test_programs_by_force`.
"""

from __future__ import annotations

CONTAINERS = {
    "keys that are tuples, of attributes": """
class T:
    def __init__(self):
        self.t = {}
        self.ids = {}
        self.n = 0
    def flat(self, v):
        k = (type(v), v)
        if isinstance(v, (int, str)):
            if k in self.t:
                return
        self.t[k] = self.n
        self.n += 1
    def ref(self, v):
        if isinstance(v, (int, str)):
            return self.t[(type(v), v)]
        return self.ids[id(v)]
def main():
    t = T()
    t.flat(1)
    t.flat(2)
    t.flat('a')
    return (t.ref(1), [t.ref(2), t.ref('a')])
""",
    "keys that are tuples": """
def main():
    t = {}
    v = 3
    k = 4
    t[(k, v)] = 5
    t[k, 1] = 6
    return (t[(k, v)], t[(4, 1)], t[4, 3])
""",
    "keys that are tuples, of parameters": """
def f(t, v):
    return t[(type(v), v)]
def g(t, v):
    return t[v, 1]
def main():
    t = {(int, 1): 7, (int, 2): 8, (2, 1): 9, (3, 1): 10}
    u = {}
    u[1, 1] = 3
    u[2, 1] = 4
    return (f(t, 1), g(t, 2), u[1, 1], g(u, 2))
""",
    "keys that are objects": """
from dataclasses import dataclass
from typing import NamedTuple
@dataclass(frozen=True)
class P:
    x: int
class Q(NamedTuple):
    x: int
class R:
    def __init__(self, x): self.x = x
    def __hash__(self): return 1
    def __eq__(self, o): return self.x == o.x
def main():
    d = {P(1): 3, P(2): 4}
    e = {Q(1): 3, Q(2): 4}
    f = {frozenset([1]): 3, frozenset([2]): 4}
    k = [1, 2]
    g = {tuple(k): 3}
    r = {R(1): 4, R(2): 5}
    h = {}
    h[P(3)] = 1
    h[P(4)] = 2
    r[R(7)] = 5
    return (d[P(1)], e[Q(2)], f[frozenset([2])], g[tuple(k)], r[R(1)], h[P(3)], r[R(7)], P(3) in h)
""",
    "defaults that are appended to": """
class D:
    def __init__(self, b): self.b = b; self.chain()
    def chain(self):
        b = self.b
        self.b2j = b2j = {}
        for i, elt in enumerate(b):
            indices = b2j.setdefault(elt, [])
            indices.append(i)
        self.junk = junk = set()
    def find(self, a):
        out = []
        for i, e in enumerate(a):
            for j in self.b2j.get(e, []):
                out.append((i, j))
        return out
def main():
    d = D(['x', 'y', 'x'])
    return (d.find('xy'), d.find('y'))
""",
    "what get hands out": """
def main():
    d = {}
    l = d.setdefault('x', [])
    l.append(4)
    out = []
    for j in d.get('x', []):
        out.append(j)
    return (out, d['x'][0])
""",
    "containers put there in all ways": """
class O: pass
def g(d, k): return d.get(k)
def main():
    d = {}
    d.setdefault('x', []).append(4)
    d.setdefault('x', []).append(5)
    o = O()
    o.l = []
    getattr(o, 'l').append(6)
    z = []
    d.get('y', z).append(7)
    e = {1: [8]}
    out = []
    for x in e.get(1): out.append(x)
    for x in e.pop(1): out.append(x)
    q = [[]]
    q.insert(0, [])
    q[0].append(9)
    u = {}
    u.update(a=[])
    u['a'].append(10)
    w = []
    w.extend([[]])
    w[0].append(11)
    v = {}
    v |= {1: []}
    v[1].append(12)
    t = dict(a=[])
    t['a'].append(13)
    y = [[] for i in range(2)]
    y[1].append(14)
    s = list(([],))
    s[0].append(15)
    m = [[]] * 2
    m[0].append(16)
    k = ([],)
    k[0].append(17)
    h = {}
    h[1], h[2] = [], []
    h[2].append(18)
    a = [[], 1]
    b, c = a
    b.append(19)
    for x in d.get('x', []): out.append(x)
    for x in getattr(o, 'l', ()): out.append(x)
    return (d['x'], o.l, z, out, q[0], u['a'], w[0], v[1], t['a'], y[1], s[0], m[1], k[0], h[2], a[0], out[0], sum(d.get('x')))
""",
    "a cache of linked lists": """
def mk(uf):
    cache = {}
    hits = 0
    cache_get = cache.get
    root = []
    root[:] = [root, root, None, None]
    def wrapper(*a):
        nonlocal root, hits
        key = a
        link = cache_get(key)
        if link is not None:
            p, n, k, r = link
            p[1] = n
            n[0] = p
            last = root[0]
            last[1] = root[0] = link
            link[0] = last
            link[1] = root
            hits += 1
            return r
        r = uf(*a)
        last = root[0]
        link = [last, root, key, r]
        last[1] = root[0] = cache[key] = link
        return r
    return wrapper
def main():
    @mk
    def f(n): return n * 2
    return (f(3), f(3), f(4))
""",
    "a cache": """
def mk():
    cache = {}
    cg = cache.get
    def w(k, v):
        link = cg(k)
        if link is not None:
            a, b = link
            return b
        cache[k] = [k, v]
        return v
    return w
def main():
    f = mk()
    return (f(3, 4), f(3, 5), f(4, 5))
""",
    "lists that hold themselves": """
def main():
    root = []
    root[:] = [root, root, None, None]
    r = 6
    last = root[0]
    link = [last, root, 1, r]
    d = {}
    last[1] = root[0] = d[1] = link
    p, n, k, z = d[1]
    return (z, d[1][3], root[0][3])
""",
    "class attributes of other names": """
class Cal:
    def __init__(self, f=0): self.f = f
    def days(self):
        for i in range(self.f, self.f + 3): yield i
class H(Cal):
    css = ["a", "b", "c"]
    css_head = css
    other = "q"
    css_two = css
    def wd(self, day): return '<%s>%s' % (self.css_head[day], day)
    def hd(self):
        s = ''.join(self.wd(i) for i in self.days())
        return '<tr>%s</tr>' % s
def main():
    return (H().hd(), 2)
""",
    "properties made of methods": """
class C:
    def __init__(self, first=0): self.first = first
    def getf(self): return self._f % 7
    def setf(self, v): self._f = v
    first = property(getf, setf)
    css = ["a", "b"]
    names = css
class D(C):
    def f(self, i): return self.css[i]
    def g(self, i): return self.names[i]
def main():
    return (C().first, D().f(1), D().g(0))
""",
    "sets that were popped": """
def f(n):
    s = {n, 2}
    x = s.pop()
    return x, s
def g(n):
    s = {n}
    t = [s.pop() for _ in range(1)]
    s.add(5)
    return s, t
def main():
    return (f(1)[0], len(f(1)[1]), g(3))
""",
}
