"""Small programs that let objects and functions of libraries keep, change and give back what they are given.

Each has a `main` that gives a tuple; see `test_programs_by_force`.
"""

from __future__ import annotations

LIBRARY_OBJECTS = {
    "written to by another function": """
import io
def out(fp, v):
    fp.write(v)
def main():
    o = io.StringIO()
    out(o, 'a')
    return (o.getvalue(), 3)
""",
    "written to by a kept method": r"""
import io
def out(fp, v):
    w = fp.write
    w(v)
class W:
    def __init__(self, fp): self.fp = fp
    def put(self, v): self.fp.write(v + '\n')
def main():
    o = io.StringIO()
    out(o, 'a')
    W(o).put('k')
    return (o.getvalue(), 3)
""",
    "in containers, and methods handed on": """
import io, csv
def put(f, v): f(v)
def main():
    o = io.StringIO()
    p = io.StringIO()
    q = io.StringIO()
    l = [o, 2]
    d = {1: p}
    l[0].write('a')
    z = d[1]
    z.write('b')
    put(q.write, 'c')
    list(map(q.write, ['e']))
    return (o.getvalue(), p.getvalue(), q.getvalue())
""",
    "read by another function": """
import io
def put(o, v): o.write(v)
def get(o): return o.getvalue()
def main():
    o = io.StringIO()
    put(o, 'a')
    c = 0
    if c:
        o.write('z')
    return (get(o), 3)
""",
    "a pattern that calls back": """
import re
class T:
    pattern = re.compile('a')
    def __init__(self, t): self.t = t
    def s(self):
        def conv(m):
            return 'q'
        return self.pattern.sub(conv, self.t)
def main():
    return (T('xay').s(), T('x').s())
""",
    "mappings that the library completes": """
from collections.abc import MutableMapping
class O(MutableMapping):
    def __init__(self, d): self.d = d
    def __getitem__(self, k): return self.d[k]
    def __setitem__(self, k, v): self.d[k] = v
    def __delitem__(self, k): del self.d[k]
    def __iter__(self): return iter(self.d)
    def __len__(self): return len(self.d)
def pick(o, n):
    if o.get('t', False) and n < 4:
        r = 1
    elif o.get('u', n) == n:
        r = 2
    else:
        r = 3
    try:
        o['zz']
    except KeyError:
        r += 10
    try:
        r += o['a']
    finally:
        r += 100
    return r
def main():
    o = O({'a': 3})
    o.setdefault('q', 5)
    o.update(w=6)
    return (pick(o, 2), o.pop('a'), o.pop('nope', 8), 'q' in o, dict(o), o.get('q'), len(o), list(o.items()))
""",
    "calls of what is not named": """
import functools
from decimal import Decimal
def f(a, b=2): return a + b
def g(): return 7
def main():
    p = functools.partial(f, b=4)
    return (str(Decimal(1) / Decimal(3)), p(1), globals()['g'](), p(3))
""",
    "heaps, graphs, counters": """
import sys, bisect, heapq, collections
from typing import NamedTuple
class Edge(NamedTuple):
    to: str
    w: int = 1
    def cost(self, k=2): return self.w * k
class Graph:
    def __init__(self): self.e = collections.defaultdict(list)
    def add(self, a, b, w): self.e[a].append(Edge(b, w)); return self
    def dist(self, s):
        d = {s: 0}; h = [(0, s)]; prev = {}
        while h:
            c, n = heapq.heappop(h)
            if c > d.get(n, 1 << 30): continue
            for t in self.e[n]:
                k = c + t.w
                if k < d.get(t.to, 1 << 30):
                    d[t.to] = k; prev[t.to] = n
                    heapq.heappush(h, (k, t.to))
        return d, prev
def path(prev, t):
    out = [t]
    while t in prev:
        t = prev[t]
        out.append(t)
    return out[::-1]
def main():
    g = Graph().add('a', 'b', 4).add('a', 'c', 1).add('c', 'b', 2).add('b', 'd', 5)
    d, p = g.dist('a')
    words = collections.Counter('the cat the hat'.split())
    top = sorted(words.items(), key=lambda kv: (-kv[1], kv[0]))
    matrix = [[i * j for j in range(3)] for i in range(3)]
    tr = [list(r) for r in zip(*matrix)]
    matrix[1][2] = 9
    s = {frozenset([i % 2, i % 3]) for i in range(5)}
    x, *y, z = sorted({3, 1, 2, 5})
    memo = {}
    def fib(n):
        if n < 2: return n
        if n not in memo: memo[n] = fib(n - 1) + fib(n - 2)
        return memo[n]
    return (d['b'], path(p, 'd'), top[0], tr[2][1], len(s), y, fib(9), Edge('q').cost(k=3), matrix[1])
""",
    "calls back under other names": """
import re, functools
def dec(f):
    @functools.wraps(f)
    def wrapper(*a, **k):
        return f(*a, **k)
    return wrapper
class H:
    def __init__(self): self.cbs = {}; self.cb = self.up
    def on(self, n, f): self.cbs[n] = f
    def fire(self, n, *a): return self.cbs[n](*a)
    def up(self, v): return v + 1
    @dec
    def w(self, v, q=2): return v * q
    @dec
    def z(self): return 5
def conv(m): return 'q'
def twice(v): return v * 2
def main():
    h = H()
    h.on('a', twice)
    h.on('b', h.up)
    h.on('c', lambda v: v - 1)
    fs = [twice, h.up]
    d = {'k': twice}
    return (re.compile('a').sub(conv, 'xay'), re.sub('b', conv, 'ab'), h.fire('a', 3), h.fire('b', 4), h.fire('c', 5), h.cb(6),
        fs[0](7), fs[1](8), d['k'](9), h.w(10), h.w(11, q=3), h.z(), functools.reduce(lambda a, b: a + b, [1, 2]), functools.reduce(max, [1, 3]))
""",
    "functions kept with their arguments": r"""
SUP = '=='
class F:
    class S:
        def __init__(self, f, parent, h): self.f = f; self.parent = parent; self.h = h; self.items = []
        def help(self):
            if self.parent is not None:
                self.f.ind()
            join = self.f.join_parts
            item_help = join([func(*args) for func, args in self.items])
            if not item_help:
                return ''
            if self.h is not SUP and self.h is not None:
                heading = '%s:' % self.h
            else:
                heading = ''
            return join(['<', heading, item_help, '>'])
    def __init__(self):
        self.cur = self.root = self.S(self, None, None)
        self.n = 0
    def ind(self): self.n += 1
    def join_parts(self, ps):
        return ''.join([p for p in ps if p and p is not SUP])
    def add(self, f, a): self.cur.items.append((f, a))
    def start(self, h):
        s = self.S(self, self.cur, h)
        self.add(s.help, [])
        self.cur = s
    def end(self): self.cur = self.cur.parent
    def text(self, t): self.add(self.fmt, [t])
    def fmt(self, t): return t + '!'
    def format_help(self):
        help = self.root.help()
        if help:
            help = help.strip('\n') + '\n'
        return help
def main():
    f = F()
    f.text('u')
    f.start('hh')
    f.text('t')
    f.end()
    return (f.format_help(), 2)
""",
    "functions kept with their arguments, one in the other": """
class S:
    def __init__(self, h): self.h = h; self.items = []
    def help(self):
        t = '-'.join([func(*args) for func, args in self.items])
        return '<' + self.h + t + '>'
def fmt(t): return t + '!'
def main():
    r = S('r'); s = S('hh')
    r.items.append((fmt, ['u']))
    r.items.append((s.help, []))
    s.items.append((fmt, ['t']))
    return (r.help(), 2)
""",
    "methods of containers under other names": """
class O:
    def __init__(self): self.d = {}; self.g = self.d.get
    def look(self, k): return self.g(k)
def run(f, k): return f(k)
def main():
    o = O()
    o.d['a'] = 4
    d = {'k': 5}
    fs = [d.get, d.pop]
    l = [6, 7]
    p = l.index
    t = {'x': l.count}
    get = d.get if l else None
    def inner(): return get('k')
    return (o.look('a'), run(d.get, 'k'), fs[0]('k'), p(7), t['x'](6), inner(), run(l.__getitem__, 1), list(map(d.get, ['k'])), run('abc'.find, 'c'))
""",
    "cached properties, and notes after a call": """
import functools, heapq
class A:
    def __init__(self, v): self.v = v
    @functools.cached_property
    def w(self): return self.v + 1
    @functools.cached_property
    def l(self): return [self.v]
class Sch:
    def __init__(self): self.q = []
    def run(self):
        q = self.q
        pop = heapq.heappop
        out = []
        while q:
            a, b = q[0]
            if a > 5: break
            pop(q)
            out.append(b)
        return out
def main():
    a = A(3)
    b = A(4)
    x = b.l
    b.l.append(7)
    s = Sch()
    heapq.heappush(s.q, (2, 'b'))
    heapq.heappush(s.q, (1, 'a'))
    heapq.heappush(s.q, (9, 'z'))
    return (a.w + a.w, b.l, x, s.run(), s.q)
""",
    "parts of objects of libraries": """
import pickle, io, collections, email.message, argparse, decimal, logging, threading
def main():
    f = io.BytesIO()
    p = pickle._Pickler(f, 4)
    p.framer.start_framing()
    p.framer.write(b'abcdef')
    c = 0
    p.framer.commit_frame(force=c == 1)
    p.framer.end_framing()
    m = email.message.Message()
    m['a'] = 'b'
    m._headers.append(('c', 'd'))
    q = argparse.ArgumentParser(prog='x')
    g = q.add_argument_group('grp')
    g.add_argument('--zz', default=3)
    s = q.add_subparsers(dest='cmd')
    sp = s.add_parser('go')
    sp.add_argument('--num', type=int, default=4)
    return (f.getvalue(), m.items(), q.parse_args(['go', '--num', '7']).num, q.parse_args([]).zz, q.parse_args(['go']).num)
""",
    "namespaces of modules": """
import sys
RATE = 3
class C: pass
def ns(cls):
    return sys.modules[cls.__module__].__dict__
def main():
    d = ns(C)
    e = {}
    exec('def f(x): return x + RATE', {'RATE': d['RATE']}, e)
    return (d['RATE'], e['f'](2))
""",
    "own containers handed over": """
from _collections import _count_elements
class C(dict):
    def __init__(self, it=()):
        super().__init__()
        self.update(it)
    def __missing__(self, k): return 0
    def update(self, it):
        _count_elements(self, it)
    def sub(self, other):
        r = C()
        for e, n in self.items():
            m = n - other[e]
            if m > 0: r[e] = m
        return r
def main():
    c = C('abca')
    d = c.sub(C('a'))
    k = dict()
    _count_elements(k, 'xyx')
    return (c['a'], d['a'], k['x'], sorted(c.items()))
""",
    "iterators of libraries": """
from itertools import chain
class S:
    def __init__(self): self.lists = []; self.maxes = []
    def add(self, v):
        lists = self.lists
        if not lists:
            lists.append([v])
            return
        pos = 0
        lists[pos].append(v)
    def __iter__(self): return chain.from_iterable(self.lists)
def main():
    s = S(); s.add(3); s.add(5)
    return (list(s), [x for x in s], sorted(s), sum(s), next(iter(s)), max(s), tuple(s), 5 in s, dict.fromkeys(s))
""",
    "buffers that are filled": """
import io
class F(io.RawIOBase):
    def __init__(self, d): self.d = d; self.p = 0
    def readable(self): return True
    def writable(self): return False
    def seekable(self): return False

    def readinto(self, b):
        n = min(2, len(self.d) - self.p)
        b[:n] = self.d[self.p:self.p + n]
        self.p += n
        return n
def main():
    f = F(b'abcde')
    r = io.BufferedReader(f)
    g = io.BufferedReader(F(b'xyz'))
    return (r.read(), g.read(2), g.read(5))
""",
    "lists of lists, joined": """
from functools import reduce
from operator import iadd
from itertools import chain
class S:
    def __init__(self): self.l = []; self.m = []
    def add(self, v):
        _l = self.l; _m = self.m
        if _m:
            pos = 0
            _l[pos].append(v)
            _m[pos] = v
        else:
            _l.append([v])
            _m.append(v)
    def clear(self):
        del self.l[:]
        del self.m[:]
    def update(self, it):
        vs = sorted(it)
        _l = self.l
        _m = self.m
        if _m:
            _l.append(vs)
            vs = reduce(iadd, _l, [])
            vs.sort()
            self.clear()
        _l.extend(vs[p:p + 2] for p in range(0, len(vs), 2))
        _m.extend(s[-1] for s in _l)
def main():
    s = S(); s.add(3); s.add(5)
    s.update([9, 7])
    a = reduce(iadd, [[1], [2]], [])
    return (list(chain.from_iterable(s.l)), a, s.m)
""",
    "a namespace that is handed on": """
x = [3]
y = 4
def warn(name, m):
    if name in m: return m[name]
    raise AttributeError(name)
def ask(name):
    return warn(name, m=globals())
def main():
    r = ask('x')
    try: ask('z')
    except AttributeError: pass
    x.append(5)
    return (r, ask('y'), x)
""",
    "a stream that a global name is given": """
import io
out = None
def start(text):
    global out
    out = io.StringIO()
    out.write(text)
    return out
def keep():
    kept = None
    def put(text):
        nonlocal kept
        kept = [io.StringIO(text)]
    put("c")
    return kept
def main():
    start("a").write("b")
    return (out.getvalue(), keep()[0].read(), 7)
""",
    "attributes through weak proxies": """
import weakref
class N:
    def __init__(self, v):
        self.v, self.w, self.xs = v, 0, []
def add(q, z):
    q.v += z
    q.xs.append(z)
def main():
    a, b, c = 4, 5, 7
    n = N(a)
    p = weakref.proxy(n)
    add(p, b)
    if a > 20: p.w = c
    setattr(p, 'u', c)
    r = p.v + n.v
    n.v = c
    return (r, n.w, p.u, p.v, n.xs, getattr(p, 'v'))
""",
    "parts through weak proxies": """
import weakref
class N:
    def __init__(self): self.d = {}
    def __getitem__(self, k): return self.d[k]
    def __setitem__(self, k, v): self.d[k] = v
    def __delitem__(self, k): del self.d[k]
    def __iter__(self): return iter(self.d)
    def __call__(self, k): return len(self.d) + k
def main():
    n = N()
    p = weakref.proxy(n)
    p['a'] = 1
    n['b'] = 2
    p['c'] = 3
    del p['c']
    p['a'] += 4
    return (p['b'], n['a'], [k for k in p], p(8), p.d['a'])
""",
    "weak proxies that are chosen, kept, looked for": """
from weakref import proxy as weak, ref
class N:
    def __init__(self, v): self.v = v
class H: pass
def main():
    a, b, c = 4, 5, 7
    n, m, h = N(a), N(c), H()
    q = weak(n if a > 2 else m)
    q.v += b
    h.p = weak(m)
    h.p.w = b
    if c > 30: h.p.v = b
    ref(n)().u = c
    del h.p.w
    return (n.v, m.v, n.u, hasattr(m, 'w'), m.v + h.p.v)
""",
    "containers that are changed through weak proxies": """
import weakref
class L(list): pass
class D(dict): pass
class S(set): pass
def main():
    a, b, c = 4, 5, 7
    xs, ys, d, s = L([a, b]), L([c]), D(k=a), S()
    p, q, r, t = map(weakref.proxy, (xs, ys, d, s))
    p.append(c)
    p[0] = b
    (p if a > b else q).append(a)
    q += [b]
    r['k'] += c
    r.update(j=a)
    r.setdefault('l', []).append(b)
    del p[1]
    if b > a: q.insert(0, c)
    if a > b: t.add(a)
    t.add(c)
    p.sort()
    return (xs[0], list(xs), list(ys), d['k'], d['j'], d['l'], sorted(s), len(ys))
""",
    "what children do to their owner": """
import weakref
class Child:
    def __init__(self, owner, n):
        self.owner = weakref.proxy(owner)
        self.n = n
    def grow(self, by):
        if by > self.n: self.owner.grown += by
        self.owner.last = self
        self.owner.log.append(by)
class Owner:
    def __init__(self):
        self.grown, self.log = 0, []
        self.children = [Child(self, n) for n in (3, 5)]
def main():
    a, b, c = 4, 5, 7
    one, other = Owner(), Owner()
    one.children[0].grow(a)
    one.children[1].grow(b)
    other.children[a % 2].grow(c)
    (one if c > a else other).children[1].owner.grown += b
    return (one.grown, other.grown, one.log[0], len(other.log), one.last.n)
""",
}
