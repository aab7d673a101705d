"""Small programs of one construct of the language, or module of the library, each.

Each has a `main` that gives a tuple; see `test_programs_by_force`.
"""

from __future__ import annotations

CONSTRUCTS = {
    "functions chosen by a class": """
import functools
@functools.singledispatch
def show(x): return 'obj'
@show.register
def _(x: int): return 'int%d' % x
@show.register(list)
def _l(x): return 'list' + show(x[0])
class F:
    @functools.singledispatchmethod
    def go(self, x): return 1
    @go.register
    def _(self, x: str): return len(x) + self.k
    def __init__(self, k): self.k = k
def main():
    f = F(2)
    return (show(3), show([4]), show('a'), f.go('abc'), f.go(2))
""",
    "itertools": """
import itertools
def main():
    g = [(k, list(v)) for k, v in itertools.groupby([1, 1, 2, 3, 3], key=lambda q: q % 2)]
    a, b = itertools.tee([1, 2, 3])
    x = next(a)
    y = list(b)
    acc = list(itertools.accumulate([1, 2, 3], lambda p, q: p * q + 1, initial=2))
    ch = list(itertools.chain.from_iterable([[1], [2, 3]]))
    st = list(itertools.starmap(lambda p, q: p + q, [(1, 2), (3, 4)]))
    pr = [p + q for p, q in itertools.product([1, 2], [3])]
    dr = list(itertools.dropwhile(lambda q: q < 2, [1, 2, 1]))
    return (g, x, y, acc, ch, st, pr, dr, list(itertools.pairwise('abc')))
""",
    "patterns of classes": """
class Pt:
    __match_args__ = ('x', 'y')
    def __init__(self, x, y): self.x, self.y = x, y
def kind(v):
    match v:
        case Pt(0, y): return ('y', y)
        case Pt(x=x, y=y) if x > y: return ('gt', x - y)
        case Pt(x, 2 | 3): return ('two', x)
        case [a, *rest] if len(rest) > 1: return ('seq', a, rest)
        case {'k': k, **others}: return ('map', k, sorted(others))
        case str() as s: return s + '!'
        case int(n) | float(n): return n + 1
        case None: return 'none'
        case _: return '?'
def main():
    return (kind(Pt(0, 4)), kind(Pt(5, 2)), kind(Pt(1, 3)), kind([1, 2, 3]), kind([1, 2]), kind({'k': 1, 'z': 2}), kind('s'), kind(3), kind(None))
""",
    "dataclasses": """
from dataclasses import dataclass, field, replace, astuple
count = [0]
def fresh():
    count[0] += 1
    return [count[0]]
@dataclass(order=True)
class D:
    rank: int
    items: list = field(default_factory=fresh, compare=False)
    name: str = 'n'
    def __post_init__(self):
        self.twice = self.rank * 2
        if self.rank > 5:
            self.name = 'big'
@dataclass(frozen=True)
class F:
    a: int
    b: int = 4
    @property
    def total(self): return self.a + self.b
def main():
    d = D(3)
    e = D(7, name='x')
    d.items.append(9)
    f = F(1)
    g = replace(f, a=5)
    try:
        f.a = 3
    except Exception as err:
        k = type(err).__name__
    return (d.items, e.items, e.name, d < e, max(d, e).rank, g.total, astuple(f), k, {f: 1}[F(1, 4)], d.twice)
""",
    "enums": """
from enum import Enum, Flag, IntEnum, auto, unique
class Color(Enum):
    RED = 1
    BLUE = RED + 2
    GREEN = auto()
    @property
    def next(self):
        members = list(Color)
        return members[(members.index(self) + step) % len(members)]
    @classmethod
    def parse(cls, text):
        return cls[text.upper()]
step = 1
class Perm(Flag):
    R = auto()
    W = auto()
    RW = R | W
class Lvl(IntEnum):
    LOW = 2
    HIGH = LOW * 3
class Planet(Enum):
    A = (3, 2)
    B = (4, 5)
    def __init__(self, mass, size):
        self.mass = mass
        self.ratio = mass * size
def main():
    c = Color.parse('red')
    p = Perm.R | Perm.W
    return (c.next.name, Color(3).name, Perm.W in p, (p & ~Perm.R).name, Lvl.HIGH + 1, Planet.B.ratio, [x.value for x in Color], p is Perm.RW, Color.GREEN.value)
""",
    "named tuples": """
from typing import NamedTuple
from collections import namedtuple
class P(NamedTuple):
    x: int
    y: int = 3
    def norm(self): return abs(self.x) + abs(self.y)
    @classmethod
    def of(cls, s): return cls(*map(int, s.split(',')))
Q = namedtuple('Q', 'a b', defaults=[5])
def main():
    p = P.of('1,-2')
    q = Q(2)
    r = q._replace(a=9)
    x, y = P(4)
    return (p.norm(), q.b, r.a, r.b, x + y, p._asdict()['y'], P(1) < P(2), sum(q))
""",
    "attributes that are not there": """
import sys
class Typed:
    made = {}
    def __class_getitem__(cls, item):
        if item not in cls.made:
            cls.made[item] = 'T' + str(item)
        return cls.made[item]
class S:
    __slots__ = ('a', 'b')
    def __init__(self, a): self.a = a
    def __getattr__(self, name):
        return 'no ' + name
def __getattr__(name):
    if name == 'lazy':
        return base + 2
    raise AttributeError(name)
base = 5
def main():
    s = S(3)
    x = s.b
    s.b = 4
    del s.a
    mod = sys.modules[__name__]
    return (Typed[3], Typed[4], len(Typed.made), x, s.b, s.a, mod.lazy, hasattr(mod, 'other'))
""",
    "copies": """
import copy
class N:
    def __init__(self, v, kids=()):
        self.v = v
        self.kids = list(kids)
        self.cache = v * 2
    def __deepcopy__(self, memo):
        n = N(self.v + bump, copy.deepcopy(self.kids, memo))
        memo[id(self)] = n
        return n
    def __copy__(self):
        n = N(self.v)
        n.kids = self.kids
        return n
bump = 1
class M:
    def __init__(self): self.d = {'k': [1]}; self.skip = 3
    def __getstate__(self):
        s = self.__dict__.copy()
        del s['skip']
        return s
    def __setstate__(self, s):
        self.__dict__.update(s)
        self.skip = 7
def main():
    a = N(1, [N(2)])
    b = copy.deepcopy(a)
    c = copy.copy(a)
    a.kids.append(N(5))
    m = M()
    k = copy.deepcopy(m)
    m.d['k'].append(2)
    return (b.v, b.kids[0].v, len(b.kids), len(c.kids), c.v, k.d, k.skip, b.cache)
""",
    "pickles": """
import pickle
class R:
    def __init__(self, a, b): self.a, self.b = a, b
    def __reduce__(self): return (build, (self.a, self.b + 1), {'extra': self.a * 3})
def build(a, b):
    r = R.__new__(R)
    r.a, r.b = a, b
    return r
class S:
    def __init__(self, v): self.v = v; self.t = 0
    def __setstate__(self, s):
        self.__dict__.update(s)
        self.t = 9
def main():
    r = pickle.loads(pickle.dumps(R(1, 2)))
    s = pickle.loads(pickle.dumps([S(4)]))[0]
    return (r.a, r.b, r.extra, s.v, s.t)
""",
    "formats": """
import string
class Money:
    def __init__(self, n): self.n = n
    def __format__(self, spec):
        if spec.endswith('c'):
            return str(self.n * 100) + spec
        return 'M' + format(self.n, spec)
    def __str__(self): return 'm%d' % self.n
class Tpl(string.Template):
    delimiter = '%'
def main():
    m = Money(3)
    w = 5
    return (f'{m:c}', '{:>4}|{x!s}'.format(m, x=m), f'{m:0{w}d}', '%s %5.2f' % (m, 2.5), Tpl('%a-$b').substitute(a=m), string.Template('$a ${b}').safe_substitute(a=1), f'{w=}', str.format_map('{q}', {'q': w}))
""",
    "patterns that call back, and their groups": r"""
import re
seen = []
def conv(m):
    seen.append(m.group(0))
    return str(int(m['n']) + add) if m['n'] else ''
add = 2
def main():
    p = re.compile(r'(?P<n>\d+)|(?P<w>[a-z]+)')
    a = p.sub(conv, 'ab 12 3')
    b = re.sub('x', lambda m: m.group().upper() * 2, 'axb', count=1)
    c = [m.span() for m in p.finditer('a 1')]
    d = re.split(r'(,)', 'a,b')
    m = re.match(r'(a)(b)?', 'ac')
    return (a, b, c, d, m.groups(), m.lastindex, seen, re.findall('.(.)', 'abcd'))
""",
    "bytes and views": """
import struct, array
def main():
    data = struct.pack('<hB', 258, 7)
    h, b = struct.unpack('<hB', data)
    a = array.array('i', [1, 2, 3])
    a[1] = 5
    a.extend([7])
    a.byteswap()
    a.byteswap()
    buf = bytearray(b'abcdef')
    v = memoryview(buf)
    v[1:3] = b'XY'
    w = v[2:]
    w[0] = 90
    buf[5:] = b'!'
    n = int.from_bytes(buf[:1], 'big')
    c = struct.Struct('>I')
    out = bytearray(8)
    c.pack_into(out, 4, 9)
    return (h, b, a.tolist(), bytes(buf), n, c.unpack_from(out, 4)[0], bytes(out[:4]), v.tolist()[0])
""",
    "heaps of own objects": """
import heapq
class J:
    def __init__(self, p, n): self.p, self.n = p, n
    def __lt__(self, o): return self.p < o.p
def main():
    h = [J(3, 'c'), J(1, 'a')]
    heapq.heapify(h)
    heapq.heappush(h, J(2, 'b'))
    x = heapq.heappop(h).n
    y = heapq.heappushpop(h, J(0, 'z')).n
    m = list(heapq.merge([1, 4], [2, 3], key=lambda q: q % 5))
    n = heapq.nsmallest(2, [5, 1, 4], key=lambda q: -q)
    z = heapq.heapreplace(h, J(9, 'q')).n
    return (x, y, m, n, z, [j.n for j in h])
""",
    "collections": """
from collections import deque, ChainMap, defaultdict, Counter, OrderedDict
def main():
    d = deque([1, 2, 3], maxlen=3)
    d.append(4)
    d.appendleft(0)
    d.rotate(1)
    cm = ChainMap({'a': 1}, {'a': 2, 'b': 3})
    cm['b'] = 9
    ch = cm.new_child({'c': 4})
    dd = defaultdict(lambda: [base])
    dd['x'].append(2)
    dd['y']
    c = Counter('aab')
    c.update('bbc')
    c2 = c - Counter(a=1)
    c2['z'] -= 1
    od = OrderedDict(p=1, q=2, r=3)
    od.move_to_end('p')
    od.popitem(last=False)
    return (list(d), cm['a'], cm.maps[1]['b'], ch['c'] + ch['a'], dict(dd), c.most_common(1), (+c2)['b'], list(od), c2['z'], cm.parents['b'])
base = 1
""",
    "walrus and stars": """
def f(x): return x * 2
def main():
    xs = [1, 2, 3]
    r = [(y, z) for x in xs if (y := f(x)) > 2 for z in range(y - 3)]
    a, *b, c = xs
    [d, (e, *g)] = 5, 'pq'
    k = 1 < a + c < 10 == 10
    n = 0
    while (n := n + a) < 3:
        pass
    return (r, a, b, c, d, e, g, k, n, y)
""",
    "names of others": """
total = 0
def add(v):
    global total
    total += v
    def inner(w):
        nonlocal v
        v += w
        return v
    r = inner(2)
    return r + v
def fns():
    out = []
    for i in range(3):
        def g(x, i=i): return x + i
        out.append(g)
        out.append(lambda x: x * i)
    return out
def main():
    a = add(3)
    add(4)
    b = [h(2) for h in fns()]
    d = {'k': 1, 'm': 2}
    del d['k']
    l = [1, 2, 3]
    del l[0], l[-1]
    z = 4
    del z
    try:
        z
    except UnboundLocalError:
        z = 9
    return (a, total, b, d, l, z)
""",
    "decorators with arguments": """
import functools
calls = []
def repeat(n, tag='t'):
    def deco(f):
        @functools.wraps(f)
        def run(*a, **k):
            calls.append(tag)
            return [f(*a, **k) for _ in range(n)]
        run.n = n
        return run
    return deco
@repeat(2)
def hi(x): return x + 1
@repeat(1, tag='q')
@repeat(3)
def ho(x): return x
def addm(cls):
    cls.extra = lambda self: self.v + bonus
    return cls
bonus = 3
@addm
class K:
    def __init__(self, v): self.v = v
class Deco:
    def __init__(self, f): self.f = f; self.n = 0
    def __call__(self, *a):
        self.n += 1
        return self.f(*a) + self.n
    def __get__(self, obj, kind): return functools.partial(self, obj)
class U:
    @Deco
    def m(self, x): return x * 2
def main():
    u = U()
    return (hi(1), ho(2), hi.n, calls, K(4).extra(), u.m(3), u.m(3), hi.__name__)
""",
    "sorting by own methods": """
class V:
    def __init__(self, a, b): self.a, self.b = a, b
    def __lt__(self, o): return self.a < o.a
    def __eq__(self, o): return self.a == o.a
    def __hash__(self): return hash(self.a % mod)
    def __repr__(self): return 'V%d' % self.b
mod = 3
def key(v):
    seen.append(v.b)
    return -v.b
seen = []
def main():
    vs = [V(2, 1), V(1, 5), V(3, 2)]
    a = sorted(vs)
    b = max(vs, key=key)
    c = min(vs, default=0)
    vs.sort(key=lambda v: (v.b % 2, v.a), reverse=True)
    d = len({V(1, 1), V(1, 2), V(4, 1)})
    e = sum((v.b for v in vs), start=10)
    return (str(a), b.b, c.b, str(vs), d, e, seen, V(1, 9) in vs)
""",
    "trees of dicts": """
def tree(paths):
    root = {}
    for p in paths:
        at = root
        for part in p.split('/'):
            at = at.setdefault(part, {})
        at['$'] = len(p)
    return root
def walk(node, depth=0):
    for k in sorted(node):
        if k == '$':
            yield depth, node[k]
        else:
            yield from walk(node[k], depth + 1)
def main():
    t = tree(['a/b', 'a/c', 'd'])
    t['a']['b']['$'] += 1
    d = {**t['a']['b'], 'z': 1} | {'y': 2}
    return (list(walk(t)), sorted(d), d['$'], t['d'])
""",
    "a state machine": """
class M:
    table = {('idle', 'go'): 'run', ('run', 'stop'): 'idle'}
    handlers = {}
    def on(name):
        def reg(f):
            M_handlers.setdefault(name, []).append(f)
            return f
        return reg
    def __init__(self): self.state = 'idle'; self.log = []
    def fire(self, ev):
        new = self.table.get((self.state, ev))
        if new is None:
            self.log.append('bad ' + ev)
            return self
        self.state = new
        for h in M_handlers.get(new, ()):
            h(self, ev)
        return self
M_handlers = {}
@M.on('run')
def started(m, ev):
    m.log.append(ev.upper())
def main():
    m = M().fire('go').fire('go').fire('stop')
    return (m.state, m.log, len(M_handlers))
""",
    "iterators by classes": """
class Cnt:
    def __init__(self, n): self.n = n
    def __iter__(self):
        self.i = 0
        return self
    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += step
        return self.i
class Seq:
    def __init__(self, xs): self.xs = xs
    def __getitem__(self, i): return self.xs[i] * 2
    def __len__(self): return len(self.xs)
    def __contains__(self, v): return v // 2 in self.xs
    def __reversed__(self): return iter(self.xs[::-1])
step = 1
def main():
    c = Cnt(3)
    a = [x for x in c]
    it = iter(c)
    b = next(it) + next(it)
    s = Seq([1, 2])
    d, e = s
    f = iter([4, 5, 0, 6].pop, 0)
    return (a, b, d + e, 4 in s, list(reversed(s)), list(f), sum(c), max(s), list(zip(s, c)))
""",
    "operators": """
class Vec:
    def __init__(self, *xs): self.xs = xs
    def __add__(self, o): return Vec(*(a + b for a, b in zip(self.xs, o.xs)))
    def __radd__(self, o): return self if o == 0 else NotImplemented
    def __mul__(self, k): return Vec(*[a * k for a in self.xs])
    __rmul__ = __mul__
    def __matmul__(self, o): return sum(a * b for a, b in zip(self.xs, o.xs))
    def __iadd__(self, o):
        self.xs = tuple(a + o for a in self.xs)
        return self
    def __neg__(self): return self * -1
    def __eq__(self, o): return self.xs == o.xs
    def __hash__(self): return hash(self.xs)
    def __bool__(self): return any(self.xs)
    def __getitem__(self, i): return self.xs[i]
    def __divmod__(self, k): return self.xs[0] // k, self.xs[0] % k
    def __index__(self): return self.xs[0]
    def __call__(self, k=1): return self.xs[k]
def main():
    v = Vec(1, 2)
    w = 2 * v + Vec(3, 4)
    u = w
    u += 1
    s = sum([v, v])
    return (w.xs, v @ v, (-v).xs, v == Vec(1, 2), bool(Vec(0)), s.xs, w[1:], divmod(w, 4), [5, 6, 7][v], v(), hash(v) == hash((1, 2)), u is w)
""",
    "properties": """
class T:
    scale = 2
    def __init__(self, c): self._c = c; self.sets = 0
    @property
    def f(self): return self._c * self.scale + 32
    @f.setter
    def f(self, v):
        self.sets += 1
        self._c = (v - 32) // self.scale
    @f.deleter
    def f(self): self._c = None
    @classmethod
    def make(cls, s): return cls(int(s) * cls.scale)
    @staticmethod
    def norm(x): return abs(x)
    def __setattr__(self, k, v):
        if k == 'odd':
            v = v * 2 + 1
        object.__setattr__(self, k, v)
    def __delattr__(self, k):
        gone.append(k)
        object.__delattr__(self, k)
gone = []
class U(T):
    scale = 3
    f = property(lambda self: T.f.fget(self) + 1, T.f.fset)
def main():
    t = T.make('4')
    a = t.f
    t.f = 50
    t.odd = 3
    u = U.make('1')
    u.f = 38
    del t.odd
    b = t._c
    del t.f
    return (a, b, t.sets, u.f, u._c, T.norm(-2), gone, t._c, hasattr(t, 'odd'))
""",
    "a method of a list that has no name": """
def main():
    f = iter([4, 5, 0, 6].pop, 0)
    return (list(f), 1)
""",
    "a parser": r"""
import re
TOKEN = re.compile(r'\s*(?:(\d+)|(.))')
class P:
    def __init__(self, text):
        self.toks = [(m.group(1), m.group(2)) for m in TOKEN.finditer(text)]
        self.i = 0
    def peek(self): return self.toks[self.i] if self.i < len(self.toks) else (None, None)
    def next(self):
        t = self.peek()
        self.i += 1
        return t
    def expr(self):
        v = self.term()
        while (op := self.peek()[1]) in ('+', '-'):
            self.next()
            w = self.term()
            v = v + w if op == '+' else v - w
        return v
    def term(self):
        v = self.atom()
        while self.peek()[1] == '*':
            self.next()
            v *= self.atom()
        return v
    def atom(self):
        n, op = self.next()
        if n: return int(n)
        if op == '(':
            v = self.expr()
            self.next()
            return v
        if op == '-': return -self.atom()
        raise SyntaxError(op)
def main():
    try:
        P('1 + ?').expr()
        e = 0
    except SyntaxError as x:
        e = x.msg
    return (P('2 * (3 + 4) - 1').expr(), P('-2*3').expr(), e)
""",
    "observers": """
class Signal:
    def __init__(self): self.subs = []
    def connect(self, f, *, once=False):
        self.subs.append((f, once))
        return lambda: self.subs.remove((f, once))
    def emit(self, *a):
        for f, once in list(self.subs):
            f(*a)
            if once:
                self.subs.remove((f, once))
class Model:
    changed = None
    def __init__(self):
        self.changed = Signal()
        self._v = 0
    def __setattr__(self, k, v):
        super().__setattr__(k, v)
        if k == '_v' and self.changed:
            self.changed.emit(v)
def main():
    m = Model()
    log = []
    off = m.changed.connect(log.append)
    m.changed.connect(lambda v: log.append(-v), once=True)
    m._v = 3
    m._v = 4
    off()
    m._v = 5
    return (log, len(m.changed.subs), m._v)
""",
    "searches in graphs": """
from collections import deque
import heapq
def bfs(g, s, t):
    prev, q = {s: None}, deque([s])
    while q:
        n = q.popleft()
        if n == t:
            break
        for m in g.get(n, ()):
            if m not in prev:
                prev[m] = n
                q.append(m)
    else:
        return None
    path = []
    while n is not None:
        path.append(n)
        n = prev[n]
    return path[::-1]
def dijkstra(g, s):
    dist, h = {s: 0}, [(0, s)]
    while h:
        d, n = heapq.heappop(h)
        if d > dist.get(n, 99):
            continue
        for m, w in g[n].items():
            if d + w < dist.get(m, 99):
                dist[m] = d + w
                heapq.heappush(h, (d + w, m))
    return dist
def topo(g):
    seen, out = set(), []
    def visit(n):
        if n in seen:
            return
        seen.add(n)
        for m in sorted(g.get(n, ())):
            visit(m)
        out.append(n)
    for n in sorted(g):
        visit(n)
    return out
def main():
    g = {1: [2, 3], 2: [4], 3: [4], 4: []}
    w = {'a': {'b': 1, 'c': 5}, 'b': {'c': 2}, 'c': {}}
    return (bfs(g, 1, 4), bfs(g, 4, 1), dijkstra(w, 'a'), topo(g))
""",
}
