"""Small programs in which operators, loops, reads and classes run special methods, whatever these are called.

Each has a `main` that gives a tuple; see `test_programs_by_force`.
"""

from __future__ import annotations

SPECIAL_METHODS = {
    "made by a function that makes methods": """
class F:
    def __init__(self, n): self.n = n
    def mk(op, fb):
        def forward(a, b):
            if isinstance(b, int):
                return op(a, b)
            return NotImplemented
        forward.__name__ = '__' + fb + '__'
        return forward, forward
    def _fd(a, b):
        return a.n // b
    __floordiv__, __rfloordiv__ = mk(_fd, 'x')
def main():
    return (F(7) // 2, 3)
""",
    "stored into a class later": """
class A:
    def __lt__(self, o): return True
    def m(self, o): return self.v
    def __init__(self, v): self.v = v
def gt(self, other):
    r = type(self).__lt__(self, other)
    if r is NotImplemented: return r
    return not r
def ge(self, other):
    return type(self).m(self, 1)
def main():
    a = A(3)
    A.z = ge
    A.__ge__ = ge
    setattr(A, '__gt__', gt)
    return (gt(a, a), ge(a, 1), a.z(2), a >= 2, a > 2)
""",
    "functions of other names": """
def gt(self, other):
    return 3
class A: pass
def main():
    a = A()
    setattr(A, '__gt__', gt)
    r = a > 2
    return (r, 3)
""",
    "of a decorator": """
def dec(f):
    def wrapper(*a):
        return f(*a)
    return wrapper
def less(a, b): return a.v < b
class A:
    def __init__(self, v): self.v = v
    __lt__ = less
    __gt__ = lambda s, o: s.v > o
    @dec
    def __add__(self, o): return self.v + o
    @dec
    def __getitem__(self, k): return self.v
    @dec
    def __bool__(self): return self.v > 3
    @dec
    def __len__(self): return self.v
    @dec
    def __iter__(self): return iter([self.v])
    @dec
    def __contains__(self, x): return self.v == x
    @dec
    def __enter__(self): return self.v
    @dec
    def __exit__(self, *a): return True
    @dec
    def __call__(self, x): return self.v * x
    @dec
    def __getattr__(self, n): return self.v
    @dec
    def __str__(self): return str(self.v)
    @dec
    def __eq__(self, o): return self.v == o
    @dec
    def __iadd__(self, o): return self.v
    @dec
    def __setitem__(self, k, v): self.k = self.v + v
    @dec
    def __neg__(self): return -self.v
def main():
    a = A(4)
    r1 = a < 3
    r2 = a > 5
    r3 = a + 1
    r4 = a[0]
    r5 = 1 if a else 2
    r6 = len(a)
    r7 = [x for x in a]
    r8 = 4 in a
    with a as r9: pass
    r10 = a(2)
    r11 = a.zz
    r12 = f'{a}'
    r13 = a == 4
    b = A(5)
    b += 3
    a[1] = 7
    r15 = -a
    r16 = [*a]
    for x in a: r16.append(x)
    r17, = a
    return (r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, b, a.k, r15, r16, r17)
""",
    "of a decorator, of classes and of keys": """
def dec(f):
    def wrapper(*a):
        return f(*a)
    return wrapper
class B:
    @dec
    def __init__(self, v): self.v = v
    @dec
    def __set__(self, o, v): pass
class M(type):
    @dec
    def __call__(c, v): return v
class C(metaclass=M): pass
class D:
    @dec
    def __new__(cls, v):
        s = object.__new__(cls)
        s.v = v
        return s
class L:
    @dec
    def __setattr__(self, n, v): object.__setattr__(self, n, v + 1)
    @dec
    def __next__(self): raise StopIteration
    @dec
    def __hash__(self): return 4
    @dec
    def __index__(self): return 1
    @dec
    def __radd__(self, o): return o
    @dec
    def __mod__(self, o): return o
def main():
    b = B(3)
    c = C(4)
    d = D(5)
    l = L()
    l.x = 3
    z = {l: 2}
    return (b.v, c, d.v, l.x, z[l], [1, 2][l], 3 + l, l % 4)
""",
    "one operator after the other": """
class A:
    def __init__(self, v): self.v = v
    def __ge__(self, o): return self.v >= o
    def __gt__(self, o): return self.v > o
    def __add__(self, o): return self.v + o
    def __radd__(self, o): return self.v + o
    def __eq__(self, o): return self.v == o
    def __ne__(self, o): return self.v != o
def main():
    a = A(3)
    return (a >= 2, a > 2, a + 1, 1 + a, a == 3, a != 4, a == 4, a > 1, a > 7)
""",
    "of the right operand first": """
class A:
    def __init__(self, v): self.v = v
    def __add__(self, o): return NotImplemented
    def __radd__(self, o): return NotImplemented
    def __eq__(self, o): return NotImplemented if isinstance(o, B) else self.v == o
class B(A):
    def __radd__(self, o): return self.v
    def __eq__(self, o): return self.v == 4
def main():
    a = A(3)
    b = B(4)
    return (a + b, a == 3, a == b, a + b, f'{a == b}')
""",
    "of the right operand, when asked": """
class A:
    def __init__(self, v): self.v = v
    def __add__(self, o): return NotImplemented
class B:
    def __init__(self, v): self.v = v
    def __radd__(self, o): return self.v
def main():
    a = A(3)
    b = B(4)
    return (a + b, a + b)
""",
    "lambdas, and properties of lambdas": """
class A:
    def __init__(self, v): self.v = v
    __gt__ = lambda s, o: s.v > o
    __add__ = lambda s, o: s.v + o
    __getitem__ = lambda s, k: s.v + k
    __getattr__ = lambda s, n: s.v
    __len__ = lambda s: s.v
    __bool__ = lambda s: s.v > 3
    __call__ = lambda s, x: s.v + x
    __str__ = lambda s: str(s.v)
    __contains__ = lambda s, x: s.v == x
    __enter__ = lambda s: s.v
    __exit__ = lambda s, *a: True
    __setitem__ = lambda s, k, v: s.put(v)
    p = property(lambda self: self.v)
    q = property(lambda self: self.v, lambda self, v: self.put(v))
    def put(self, v): self.w = v
    __neg__ = lambda s: -s.v
def main():
    a = A(4)
    r1 = a > 3
    r2 = a + 2
    r3 = a[1]
    r4 = a.zz
    r5 = len(a)
    r6 = 1 if a else 2
    r7 = a(3)
    r8 = f'{a}'
    r9 = 4 in a
    with a as r10: pass
    a[1] = 6
    r11 = a.w
    r12 = a.p + a.q
    a.q = 9
    return (r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, a.w, -a)
""",
    "unpacking, stores, setters": """
def dec(f):
    def wrapper(*a):
        return f(*a)
    return wrapper
class A:
    def __init__(self, v): self.v = v
    @dec
    def __iter__(self): return iter([self.v])
class B:
    def __init__(self, v): self.v = v
    def __iter__(self): return iter([self.v])
    def __setitem__(self, k, v): self.put(v)
    def put(self, v): self.w = v
    q = property(lambda self: self.v, lambda self, v: self.put(v))
    z = property(lambda self: self.v, put)
    @property
    def p(self): return self.w
    @p.setter
    def p(self, v): self.w = v
class C:
    def __setattr__(self, n, v): self.__dict__[n] = v + 1
    def __delitem__(self, k): self.__dict__['d'] = k
def main():
    a = A(4)
    r, = a
    b = B(4)
    s, = b
    b[1] = 7
    t = b.w
    b.q = 8
    u = b.w
    b.z = 9
    v = b.w
    b.p = 10
    c = C()
    c.x = 3
    del c[4]
    return (r, s, t, u, v, b.p, c.x, c.d)
""",
    "beside plain reads": """
class G:
    def __init__(self, v): self.v = v
    def __getitem__(self, k): return self.v + k
    def __getattr__(self, n): return self.v
    @classmethod
    def __class_getitem__(cls, k): return k
class P:
    def __init__(self, v): self.p = v
class Q:
    def __init__(self, v): self.v = v
    @property
    def p(self): return self.v
class Desc:
    def __get__(self, o, c): return 5 if o is None else o.v
class R(Q):
    d = Desc()
    @property
    def p(self): return super().p + 1
class D(dict):
    def __missing__(self, k): return k + 1
def main():
    g = G(3); h = G(4)
    l = [1, 2]
    p, q = P(5), Q(6)
    r = R(7)
    m = D()
    return ((l[0], g[1])[1], (l[0], g[1])[0], p.p, q.p, (p.p, q.p)[1], (p.p, q.p)[0], g.zz, (h.v, g.zz)[1], G[9], r.p, r.d, R.d, m[3], (m[3], g[4])[1])
""",
    "of named tuples": """
from collections import namedtuple
class Mix:
    __slots__ = ()
    @property
    def port(self):
        port = self._hi[1]
        if port is not None:
            if port.isdigit() and port.isascii():
                port = int(port)
            else:
                raise ValueError(port)
            if not (0 <= port <= 65535):
                raise ValueError("x")
        return port
class M2(Mix):
    __slots__ = ()
    @property
    def _hi(self):
        n = self.netloc
        _, _, h = n.rpartition('@')
        a, have, b = h.partition(':')
        return a, b
base = namedtuple('base', 'netloc path')
class R(base, M2):
    __slots__ = ()
    def geturl(self): return self.netloc + self.path
def main():
    r = R('u@h:80', 'p')
    return (r.port, r.geturl(), r, R('a', 'b').path)
""",
    "of the namespace of a class body": """
class ED(dict):
    def __init__(self): super().__init__(); self.order = []
    def __setitem__(self, k, v):
        if not k.startswith('_'): self.order.append(k)
        super().__setitem__(k, v)
class Meta(type):
    @classmethod
    def __prepare__(m, name, bases): return ED()
    def __new__(m, name, bases, ns):
        c = super().__new__(m, name, bases, dict(ns))
        c.order = ns.order
        return c
class Base(metaclass=Meta): pass
def main():
    class C(Base):
        R = 1
        G = R + 1
        def f(self): return self.G
    return (C.order, C().f(), C.R)
""",
    "of a dict of its own, privately": """
class B(dict):
    def __set(self, k, v):
        m = self.get(k, 3)
        dict.__setitem__(self, k, m + v)
    def __setitem__(self, k, v):
        self.__set(k, v)
    def up(self, d):
        for k, v in d.items():
            self[k] = v
def main():
    b = B()
    b['a'] = 4
    b.up({'q': 1})
    return (b['a'], b['q'])
""",
    "of objects that are more than builtin ones": """
class C(tuple):
    def __new__(cls, v, k=True):
        s = tuple.__new__(cls, v)
        return s
    def __init__(self, v, k=True):
        self.k = k
    def __repr__(self): return 'call' if self.k else 'other'
class I(int):
    def __new__(cls, v, k=2):
        s = int.__new__(cls, v)
        s.k = k
        return s
    def __repr__(self): return '%d.%d' % (self, self.k)
class S(str):
    tag = 'a'
    def __repr__(self): return self.tag
class L(list):
    def __init__(self, v, k): super().__init__(v); self.k = k
    def __repr__(self): return str(self.k)
class E(Exception):
    def __init__(self, m, code): super().__init__(m); self.code = code
    def __repr__(self): return str(self.code)
def main():
    c = C((1, 2))
    s = S('x'); s.tag = 'q'
    try: raise E('a', 7)
    except E as e: x = e
    return (c, I(3), s, L([1], 5), x)
""",
    "of generic classes": """
class T:
    def __init__(self, n): self.n = n
class GA:
    def __init__(self, o, a): self.o = o; self.a = a
    def __mro_entries__(self, bases): return (self.o,)
class Gen:
    def __class_getitem__(cls, p): return GA(cls, p)
    def __init_subclass__(cls, *a, **k):
        super().__init_subclass__(*a, **k)
        if '__orig_bases__' in cls.__dict__:
            cls.ps = cls.__orig_bases__[0].a
def main():
    t = T(3)
    class G(Gen[t]): pass
    return (G.ps.n, G[4].a)
""",
    "in annotations": """
def ann(x, log):
    log.append(x)
    return int
class G:
    def __class_getitem__(cls, k): return G()
    def __or__(self, o): return self
    def __ror__(self, o): return self
log = []
def f(a: ann(1, log), b: G[int] = 3, *c: G[str] | None, d: None | G[2] = 4, **e: 'x') -> ann(2, log):
    return a
x: ann(3, log) = 5
class C:
    y: G[int] | None = 2
    z: ann(4, log)
def main():
    def g(a: ann(5, log)) -> G[1]: return a
    v: ann(6, log) = 3
    return (log, f(2), g(3), x, C.y, v)
""",
    "in annotations of more than a name": """
class GA:
    def __init__(self, p): self.p = p
    def __ror__(self, o): return GA((o, self.p))
class CT:
    def __getitem__(self, p): return GA(p)
Cal = CT()
def dt(*, a: bool = True, fs: tuple[type[int] | Cal[..., int], ...] = (), **k: int) -> Cal[[int], int]:
    def dec(c): return c
    return dec
def main():
    return (dt()(3), 2)
""",
    "asked for attributes that are not there": """
class G:
    def __init__(self, v): self.v = v
    def __getattr__(self, n):
        if n.startswith('__') and n.endswith('__'):
            raise AttributeError(n)
        return 5
def coll(args):
    ps = []
    for t in args:
        if isinstance(t, tuple):
            for x in t:
                for c in coll([x]):
                    if c not in ps:
                        ps.append(c)
        elif hasattr(t, '__typing_subst__'):
            if t not in ps:
                ps.append(t)
        else:
            for x in getattr(t, '__ps__', ()):
                if x not in ps:
                    ps.append(x)
            ps.append(getattr(t, 'zz', 0))
    return tuple(ps)
def main():
    return (coll([G(1), (G(2), 3)]), 1)
""",
    "behind super under another name": """
class T(dict):
    def __init__(self, l):
        self.l = l
        base = super()
        base.__init__({
            'a': l,
            'b': self.seq([l, 2])})
        base.__setitem__('U', 3)
        put = super().__setitem__
        put('W', l)
    def seq(self, x): return sum(x)
def main():
    t = T(4)
    d = {}
    d.__init__(q=5)
    return (t['a'], t['b'], t['U'], t['W'], d['q'], t.l)
""",
    "generators that go through each other": """
class S:
    def __init__(self, d): self.d = d; self.n = {'a': 2, 'b': 1}
    def __iter__(self):
        def of(k):
            return self.n[k]
        yield from sorted(self.d, key=of)
    def __getitem__(self, k): return self.d[k]
    def items(self):
        for name in self:
            yield name, self[name]
def main():
    s = S({'a': 3, 'b': 4})
    return (list(s.items()), dict(s.items()), [x for x in s])
""",
    "asynchronous iterators": """
import asyncio
class A:
    def __init__(self, v): self.v = v
    def __aiter__(self): return self
    async def __anext__(self):
        if self.v > 6: raise StopAsyncIteration
        self.v += 1
        return self.v
async def go():
    l = [x async for x in A(3)]
    m = []
    async for x in A(5): m.append(x)
    return (l, m)
def main():
    return asyncio.run(go())
""",
    "classes chosen when objects are made": """
class Base:
    def __new__(cls, *a):
        bases = (cls,)
        flag = bool(a) and a[0] > 5
        if flag:
            bases = (Extra, cls)
        new = type(cls.__name__, bases, {})
        return object.__new__(new)
    def who(self): return 'base'
class Extra:
    def who(self): return 'extra'
class Mock(Base): pass
def main():
    m = Mock(3)
    return (m.who(), 2)
""",
    "calls of generator expressions that are unpacked": """
class C:
    def __init__(self, m): self.m = m
def f(m): return m + 1
def g(a): return (a, 2)
def gen():
    yield 1
    yield 2
def stored(cd):
    cd['a'], cd['b'] = (f(m) for m in g(5))
    cd['c'], cd['d'] = (f(m) for m in gen())
    return cd
def given(it):
    a, *b = it
    return b
def in_place():
    x = [1, 2, 3]
    x[1:2] = (f(m) for m in gen())
    x += (f(m) for m in g(9))
    return x
def wrong():
    try:
        a, b = (f(m) for m in ('a', 1))
    except TypeError:
        a = 3
    return a
def main():
    a, b = (C(m) for m in g(3))
    c, d = (each(3) for each in (f, C))
    return (stored({}), a.m, b.m, c, d.m, given(f(m) for m in g(4)), in_place(), wrong())
""",
    "operators that strangers may define, in a module with classes": """
import attrs
import typing as t
from enum import Enum
K = t.TypeVar('K')
M = Enum('M', {'A': 'x'})
O = K | M
class C(t.Generic[K]):
    x = 1
    def keys(self): return self.x
class D(C):
    y: O = 2
def main():
    return (C().keys(), D().y, str(O))
""",
    "a comprehension that calls a class of any name, where names are looked at": """
class curry:
    def __init__(self, f): self.f = f
    def __call__(self, *a): return self.f(*a)
def other(n): return n + 1
def fit(n): return n
locals().update({k: v if k == 'fit' else curry(v) for k, v in list(globals().items()) if callable(v) and k != 'curry'})
def main():
    return (other(3), fit(4), isinstance(other, curry))
""",
    "views of mappings that have nothing": """
from collections.abc import MutableMapping
class D(MutableMapping, dict):
    def __init__(self, **d): self.d = d
    def __getitem__(self, k): return self.d[k]
    def __setitem__(self, k, v): self.d[k] = v
    def __delitem__(self, k): del self.d[k]
    def __len__(self): return len(self.d)
    def __iter__(self): return iter(self.d)
    def go(self):
        self.n = None
        for c in self.values():
            if hasattr(c, 'go'):
                c.go()
class E(MutableMapping):
    __getitem__, __setitem__, __delitem__, __len__ = D.__getitem__, D.__setitem__, D.__delitem__, D.__len__
    def __init__(self, **d): self.d = d
    def __iter__(self): return iter(self.d)
    def go(self):
        self.n = []
        for k, v in self.items():
            self.n.append(k)
def main():
    d = D(a=1)
    d.go()
    d['b'] = D()
    d.go()
    d['c'] = E()
    d.go()
    d['c']['x'] = 3
    d.go()
    return (d['b'].n, list(d), list(d['b'].items()), d['c'].n)
""",
    "what exceptions hold": """
class MI(Exception):
    count = 0
    def __init__(self, n=4, l=()):
        super().__init__(n, l)
        self.n = n
        self.l = l
    def __str__(self): return f'{self.n}: {self.l}'
    def add(self, m): self.l.append(m)
class Plain(Exception): pass
class Both(Plain):
    def __init__(self, *a, more=0):
        Plain.__init__(self, *a)
        self.more = more
def given(e): raise e
def deeper(n):
    e = MI(n, [n])
    given(e)
def again(n):
    try: deeper(n)
    except MI as e:
        e.add(n * 2)
        e.seen = n + 7
        raise
def other(n):
    try: again(n)
    except MI as e:
        raise Both(e.l[-1], more=e.n) from e
def by_class():
    raise MI
def main():
    r = []
    try: again(3)
    except MI as e: r.append((e.n, e.l, e.seen))
    try: other(4)
    except Both as e: r.append((e.more, e.args, e.__cause__.n, str(e.__cause__)))
    try: by_class()
    except MI as e: r.append((e.n, e.args[0], str(e)))
    try: raise Plain(5, 'x')
    except Plain as e: r.append((e.args[1], e.args[0]))
    m = MI(8, [1])
    try: raise m
    except MI as e:
        e.add(6)
    r.append(m.l)
    try:
        try: raise MI(1, [2])
        except MI as e: e.n += 1; raise e
    except MI as f: r.append(f.n)
    try: m2 = None; raise m2 or MI(9)
    except MI as e: r.append(e.n); m3 = e
    return tuple(r) + (m3.n, m3.args)
""",
    "lambdas that run behind `yield from`": """
def sp(L):
    for i in range(4):
        yield [[i], L]
def top(L):
    yield from filter(
        lambda z: all(1 <= len(bk) <= 3 for bk in z),
        sp(L),
    )
def two(L):
    yield from filter(lambda z: z[0] != [1], sp(L))
def three(L):
    yield from filter(len, map(lambda z: z[1], sp(L)))
def main():
    return (list(top([1, 2, 3])), list(two([1])), list(three([2])))
""",
    "iterators of what is handed on": """
from collections import deque
from itertools import repeat
def collapse(iterable, base_type=None, levels=None):
    stack = deque()
    stack.appendleft((0, repeat(iterable, 1)))
    while stack:
        node_group = stack.popleft()
        level, nodes = node_group
        for node in nodes:
            if isinstance(node, (str, bytes)):
                yield node
                continue
            try:
                tree = iter(node)
            except TypeError:
                yield node
                continue
            else:
                stack.appendleft(node_group)
                stack.appendleft((level + 1, tree))
                break
def main():
    return (list(collapse([1, [2, [3]]])), 3)
""",
    "a class of a name that was imported instead": """
try:
    from threading import RLock
except Exception:
    class RLock:
        n = 3
        def __enter__(self): pass
        def __exit__(self, *a): pass
if len(__name__) > 100:
    class Other: n = 4
else:
    Other = None
class L:
    def __init__(self, n):
        self.lock = RLock()
        self.n = n
    def get(self):
        with self.lock:
            return self.n
def main():
    return (L(3).get(), Other)
""",
}
