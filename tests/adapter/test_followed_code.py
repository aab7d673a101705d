"""Every kind of statement can be followed along its events: whatever a program does, its calls can be sliced.

Each piece of code is the body of a function of its own, in which some names are bound; it uses what `AROUND` defines.
"""

from __future__ import annotations

import textwrap

import pytest
from test_slice_kinds import record

from algodebug.slicing import Slicer
from algotrace.trace import Trace

AROUND = """
import functools, contextlib, itertools, operator, collections, asyncio, dataclasses, enum
class C:
    cls = 1
    def __init__(self, n=1): self.n = n; self.xs = [n]
    def __eq__(self, o): return self.n == (o.n if isinstance(o, C) else o)
    def __hash__(self): return hash(self.n)
    def __lt__(self, o): return self.n < o.n
    def __add__(self, o): return C(self.n + (o.n if isinstance(o, C) else o))
    __radd__ = __add__
    def __iadd__(self, o): self.n += o; return self
    def __getitem__(self, k): return self.xs[k]
    def __setitem__(self, k, v): self.xs[k] = v
    def __delitem__(self, k): del self.xs[k]
    def __len__(self): return len(self.xs)
    def __iter__(self): return iter(self.xs)
    def __contains__(self, x): return x in self.xs
    def __call__(self, q): return q + self.n
    def __bool__(self): return self.n > 0
    def __enter__(self): return self
    def __exit__(self, *e): return True
    def __str__(self): return f"C{self.n}"
    def __repr__(self): return f"C({self.n})"
    def __format__(self, s): return s + str(self.n)
    def __neg__(self): return C(-self.n)
    def __index__(self): return self.n
    def __getattr__(self, name):
        if name.startswith("_"): raise AttributeError(name)
        return name
    @property
    def p(self): return self.n
    @p.setter
    def p(self, v): self.n = v
    @staticmethod
    def s(a): return a
    @classmethod
    def c(cls, a): return cls(a)
def g(n):
    for i in range(n): yield i
def gs():
    got = yield 1
    while got: got = yield got + 1
    return 9
def yf(n):
    r = yield from gs()
    yield r + n
def f(*a, k=1, **kw): return len(a) + k + len(kw)
def h(x): return x + 1
def raiser(x): raise ValueError(x)
@contextlib.contextmanager
def cm(n):
    try: yield n
    finally: n += 1
async def co(n): return n + 1
async def ag(n):
    for i in range(n): yield i
class ACM:
    async def __aenter__(self): return 5
    async def __aexit__(self, *e): return False
@functools.lru_cache
def cached(n): return n * 2
def deco(fn):
    @functools.wraps(fn)
    def inner(*a): return fn(*a) + 1
    return inner
@deco
def decorated(x): return x
@functools.singledispatch
def sd(x): return 0
@sd.register
def _(x: int): return x + 1
COUNT = 0
"""
BOUND = """
n = 4
xs = [3, 1, 2]
d = {'a': 1}
c = C(2)
r = 0
"""

PIECES = [
    "r = sum(xs) + max(xs, key=lambda q: -q) + min(*xs, default=0) if 0 else 1",
    "r = c + 1 + c",
    "r = 1 + c",
    """
c += 3
r = c.n
""",
    "c[0] = 5; del c[0]; r = len(c)",
    "r = [x for x in c if x] + [y for x in [c] for y in x]",
    "r = 2 in c, 2 not in c",
    "r = c(3) + C.c(2).n + C.s(3) + c.s(1)",
    "if c: r = 1",
    """
while c:
    c.n -= 1
    r += 1
""",
    "with c as q, C(1) as w: r = q.n",
    """
with c: raiser(3)
r = 1
""",
    "with cm(3) as q: r = q",
    "with contextlib.suppress(ValueError): raiser(1)",
    'r = str(c) + repr(c) + f"{c}" + f"{c:>3}{c!r:>5}" + format(c, "x") + "%s" % c',
    "r = (-c).n",
    "r = xs[c], [0, 1, 2, 3][C(1):]",
    "c.p = 4; c.p += 1; r = c.p",
    "r = c.unknown",
    """
try: r = c._x
except AttributeError: r = 2
""",
    'r = getattr(c, "n") + getattr(c, "zz", 3 and 0 or 1) if False else 1',
    "gen = gs(); next(gen); r = gen.send(3); gen.close()",
    """
gen = gs(); next(gen)
try: gen.throw(ValueError)
except ValueError: r = 3
""",
    "gen = yf(2); r = [next(gen), gen.send(0)]",
    "r = f(*xs, *g(2), k=2, **d, **{'z': 1})",
    "r = list(map(h, xs)) + list(filter(lambda q: q > 1, xs)) + sorted(xs, key=h)",
    "r = functools.reduce(lambda a, b: a + b, xs) + functools.reduce(operator.add, [c, c]).n",
    "r = functools.partial(h, 3)() + functools.partial(f, k=2)(1)",
    "r = cached(3) + cached(3)",
    "r = decorated(2)",
    'r = sd(3) + sd("a")',
    "r = [*itertools.chain(g(2), xs), *zip(xs, g(3)), *enumerate(g(2))]",
    """
a, (b, *e), k = 1, g(3), 3
r = b
""",
    """
for a, (b, e) in [(1, (2, 3))]: r += b + e
else: r += 1
""",
    """
for i in g(3):
    if i == 1: break
else: r = 5
""",
    "for x in c: r += x",
    """
for c.n in g(2): pass
r = c.n
""",
    """
for xs[0] in xs[:]: pass
r = xs
""",
    "r = [i for i in range(3) if (y := i * 2) > 1] + [y]",
    "r = 0 < n < 5 <= h(4) < 9",
    "r = n and c and h(2) or raiser(1)",
    "r = c if n else raiser(1)",
    "r = (lambda *a, k=h(1): k + len(a))(1, 2)",
    """
def inner(a=h(1)):
    nonlocal n
    n += a
    return n
r = inner() + inner(3)
""",
    """
global COUNT
COUNT += 1; r = COUNT
""",
    """
class L:
    x = h(3)
    ys = [q for q in range(x)]
    def m(self): return self.x
r = L().m() + L.x
""",
    """
@dataclasses.dataclass(order=True)
class P:
    x: int = 0
    y: list = dataclasses.field(default_factory=list)
    def __post_init__(self): self.x += 1
r = P(3).x + P(x=2).x + sorted([P(2), P(1)])[0].x
""",
    """
class E(enum.Enum):
    A = 1
    B = h(1)
    @property
    def t(self): return self.value
r = E.A.t + E(2).value + len(list(E))
""",
    """
try:
    try: raiser(1)
    except KeyError: r = 1
    finally: r += 2
except ValueError as e: r += e.args[0]
else: r = 9
""",
    """
try: 1 // 0
except (ValueError, ZeroDivisionError): r = 1
""",
    """
try: assert n > 9, h(3)
except AssertionError as e: r = e.args
""",
    """
try:
    raise KeyError(1) from ValueError(2)
except KeyError as e: r = e.__cause__.args
""",
    """
for i in range(3):
    try:
        if i == 1: continue
        if i == 2: break
    finally: r += 1
""",
    """
match xs:
    case [a, *rest] if h(a) > 99: r = 1
    case [3, b, _]: r = b
    case _: r = 3
""",
    """
match c:
    case C(n=3): r = 1
    case C(n=q): r = q
""",
    """
match d:
    case {'a': 1, **rest}: r = len(rest)
""",
    """
match n:
    case 1 | 2: r = 1
    case int() as q: r = q
""",
    """
del xs[0], d['a'], n
r = len(xs)
""",
    "xs[1:2] = g(3); xs[::2] = [0] * len(xs[::2]); r = xs",
    "xs += g(2); xs *= 2; r = xs",
    "d.update(b=2); d |= {'c': 3}; d['q'] = d.setdefault('z', []) ; d['z'].append(1); r = d",
    "r = {**d, 'k': h(1)}, {h(i) for i in xs}, {i: h(i) for i in xs}",
    "r = sorted([C(3), C(1)])[0].n, max(C(1), C(2)).n, C(1) == C(1), C(1) != C(2), {C(1): 2}[C(1)]",
    "r = await co(3)",
    "r = await asyncio.gather(co(1), co(2))",
    "t = asyncio.create_task(co(2)); r = await t",
    "async for q in ag(3): r += q",
    "r = [q async for q in ag(3)]",
    "async with ACM() as q: r = q",
    "r = await asyncio.wait_for(co(1), 5)",
    "r = any(h(q) > 2 for q in xs), all(q for q in g(3)), sum(h(q) for q in xs if h(q) > 2)",
    "r = next((q for q in xs if q > 9), h(1)), next(g(0), 3)",
    "it = iter(xs); r = [next(it), *it]",
    "r = list(zip(*[xs, g(3)]))",
    'r = "".join(map(str, [c, 1])) + ",".join(str(q) for q in xs)',
    'print(c, xs, end="")',
    "q = collections.defaultdict(list); q[1].append(h(2)); r = q",
    "q = collections.Counter(g(3)); q.update([1]); r = q.most_common(1)",
    "q = collections.deque(xs, maxlen=2); q.append(h(1)); q.rotate(1); r = q[0]",
    'N = collections.namedtuple("N", "a b"); r = N(1, h(2)).b',
    "r = isinstance(c, C) and issubclass(C, object) and callable(h) and hasattr(c, 'n')",
    "setattr(c, 'w', h(1)); r = c.w; delattr(c, 'w')",
    "r = xs.index(1) + xs.count(2) + xs.pop() + xs.pop(0); xs.insert(0, h(1)); xs.remove(1); xs.sort(key=h, reverse=True); xs.reverse()",
    "r = [(x, y) for x in xs for y in g(x) if y]",
    "r = [[h(y) for y in range(x)] for x in xs]",
    "r = (yield_ := list(g(2)))[0]",
    "r = xs[-1:][0] if xs[1:] else xs and h(0)",
    "x = y = z = h(1); x, y = y, x; r = x + y + z",
    "r: int = h(2)",
    "r = C(1).xs[0] + C(h(1)).n + c.xs.__len__() + C.__len__(c)",
    "r = vars(c)['n'] + c.__dict__['n']",
    """
import json, os.path as osp
r = json.loads(json.dumps(d, default=str))['a'] + len(osp.join("a", "b"))
""",
    "r = sum(q.n for q in [c, C(1)]) + len({q.n for q in [c]})",
    """
if (q := h(2)) > 1 and not (w := h(q)) < 3: r = w
elif c: r = 3
""",
    """
while True:
    n -= 1
    if n < 2: break
    if n == 3: continue
    r += n
else: r = 0
""",
    "return f(h(1), h(h(2)), k=h(3))",
    """
for i in range(2):
    for j in range(2):
        if j: break
        r += i
    else: r = 9
""",
    """
try:
    return h(1)
finally:
    xs.append(1)
""",
    "r = max(g(3)), min(c.xs), list(reversed(xs)), list(c), tuple(c), dict(b=1, **d), set(c)",
    'r = bytes(3) + bytearray(b"ab")[0:1] + b"%d" % n',
    'exec("q = 1"); r = eval("n + 1")',
    "r = (i + h(i) for i in xs); r = list(r)",
    "r = list(filter(None, map(C, [1, 0])))",
    "r = c.n if c.n > 1 else c.p; r = not c; r = bool(c) + len(c)",
    's = "a"; s += "b"; s = s.replace("a", s).upper(); r = s[0], s[-1], s[::-1], "b" in s, s < "c"',
    """
class D:
    def __set_name__(self, owner, name): self.name = name
    def __get__(self, obj, cls): return 5 if obj is None else obj.__dict__.get(self.name, 0)
    def __set__(self, obj, v): obj.__dict__[self.name] = h(v)
class K:
    x = D()
k = K(); k.x = 3; k.x += 1; r = k.x + K.x
""",
    """
class B:
    def __init_subclass__(cls, **kw): cls.kw = kw
class S(B, k=h(1)): pass
r = S.kw
""",
    """
class M(type):
    def __call__(cls, *a): return super().__call__(*a)
    def __len__(cls): return 3
class K(metaclass=M):
    def __new__(cls, a):
        self = super().__new__(cls); self.b = h(a)
        return self
    def __init__(self, a): self.a = a
r = K(2).a + K(3).b + len(K)
""",
    """
class Sl:
    __slots__ = ("a",)
    def __init__(self, a): self.a = a
    def __setattr__(self, k, v): super().__setattr__(k, h(v))
    def __getattribute__(self, k): return super().__getattribute__(k)
q = Sl(2); q.a += 1; r = q.a
""",
    """
class DD(dict):
    def __missing__(self, k): self[k] = h(k); return self[k]
q = DD(); r = q[3] + q[3]
""",
    """
class Base:
    def __init__(self, a): self.a = a
    def m(self): return self.a
class Mid(Base):
    def __init__(self, a): super().__init__(h(a))
    def m(self): return super().m() + 1
class Other(Base):
    def m(self): return super().m() * 2
class Both(Mid, Other): pass
r = Both(3).m()
""",
    "r = sorted([3, 1], key=functools.cmp_to_key(lambda a, b: a - b)), list(itertools.accumulate(xs, lambda a, b: a + b))",
    "r = [(k, list(v)) for k, v in itertools.groupby(xs, key=h)], list(itertools.takewhile(lambda q: q > 2, xs))",
    """
import threading
out = []
t = threading.Thread(target=lambda: out.append(h(3))); t.start(); t.join(); r = out[0]
""",
    """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as pool: r = list(pool.map(h, xs)) + [pool.submit(h, 1).result()]
""",
    """
import copy
class Deep:
    def __init__(self, a): self.a = a
    def __deepcopy__(self, memo): return Deep(h(self.a))
r = copy.deepcopy([Deep(1), Deep(2)])[1].a
""",
    """
import re
r = re.sub("[a-z]", lambda m: m.group().upper() + str(h(1)), "ab")
""",
    """
import json
r = json.dumps({"a": c}, default=lambda o: h(o.n))
""",
    """
class P:
    def get(self): return self._v
    def put(self, v): self._v = h(v)
    def rid(self): self._v = 0
    v = property(get, put, rid)
q = P(); q.v = 3; r = q.v; del q.v; r += q.v
""",
    """
def gen():
    try:
        with cm(3) as q: yield q
        yield h(1)
    finally: xs.append(9)
for q in gen():
    if q == 2: break
r = xs, list(gen())
""",
    """
def gen():
    try: yield 1
    except GeneratorExit: raise
    except ValueError: yield 2
q = gen(); next(q); r = q.throw(ValueError()); q.close()
""",
    """
with contextlib.ExitStack() as stack:
    q = stack.enter_context(cm(1)); stack.callback(h, 3); w = stack.enter_context(C(4))
    r = q + w.n
""",
    """
try:
    r = [raiser(q) if q == 1 else h(q) for q in xs]
except ValueError as e: r = e.args[0]
""",
    """
try:
    for q in (h(w) if w != 1 else raiser(w) for w in xs): r += q
except ValueError: r += 1
""",
    """
try: sorted(xs, key=raiser)
except ValueError: r = 1
""",
    """
try: c[10]
except IndexError: r = h(2)
""",
    """
def rec(k): return 0 if k < 1 else rec(k - 1) + h(k)
r = rec(3)
""",
    """
def ack(a, b): return b + 1 if not a else ack(a - 1, 1) if not b else ack(a - 1, ack(a, b - 1))
r = ack(1, 2)
""",
    """
def counter():
    k = 0
    def up(by=1):
        nonlocal k
        k += by
        return k
    return up
u = counter(); w = counter(); r = u() + u(3) + w()
""",
    "fs = [lambda q=i: q + i for i in range(3)]; r = [q() for q in fs]",
    """
def args(k):
    def of(fn):
        def inner(*a, **kw): return fn(*a, **kw) + k
        return inner
    return of
@args(h(1))
@args(2)
def deep(a, b=2): return a + b
r = deep(1, b=h(3))
""",
    """
def cdeco(cls): cls.extra = h(1); return cls
@cdeco
class K: pass
r = K.extra
""",
    """
class K:
    count = 0
    @args_ if False else staticmethod
    def s(a): return h(a)
    @classmethod
    def make(cls): cls.count += 1; return cls()
    @functools.cached_property
    def big(self): return h(9)
    @functools.lru_cache
    def lru(self, a): return h(a)
k = K.make(); r = K.s(1) + k.big + k.big + k.lru(1) + k.lru(1) + K.count
""",
    "while (q := h(r)) < 5: r = q",
    "r = f\"{h(1)}{f'{h(2)}':>{h(3)}}{c!r}{xs[0]:0{n}d}\"",
    "a = b = c.n = xs[0] = h(1); r = a + c.n + xs[0]",
    "del c.n, c[0]",
    """
for i in range(3):
    try:
        if i: continue
    finally:
        if i == 2: break
    r += 1
""",
    """
def multi():
    for i in range(2):
        try:
            for j in range(2):
                if j: return i + j
        finally: xs.append(i)
r = multi()
""",
    'r = sum(map(operator.attrgetter("n"), [c, C(1)])) + max(xs, key=operator.neg)',
    "r = list(zip(xs, map(h, xs), strict=False)), list(itertools.islice((h(q) for q in itertools.count()), 2))",
    "q = (h(w) for w in xs); r = next(q) + next(q); del q",
    'r = {C(1), C(1), C(2)} & {C(2)}, {C(1): 1} | {C(1): 2}, d.keys() & {"a"}, C(1) in {C(1): 2}',
    """
class R:
    def __reversed__(self): return g(2)
    def __getitem__(self, k):
        if k > 2: raise IndexError
        return h(k)
r = list(reversed(R())), list(R()), 2 in R(), [*R()]
""",
    """
class W:
    def __len__(self): return 0
    def __matmul__(self, o): return h(o)
    def __rsub__(self, o): return o
    def __pos__(self): return 1
    def __round__(self, k=0): return h(k)
    def __int__(self): return 3
    def __float__(self): return 2.5
    def __divmod__(self, o): return 1, 2
    def __pow__(self, o): return o
    def __lshift__(self, o): return o
    def __abs__(self): return 7
    def __complex__(self): return 1j
w = W(); r = w @ 2, 3 - w, +w, round(w), int(w), float(w), divmod(w, 2), w ** 2, w << 1, abs(w), complex(w), 1 if w else h(2)
""",
    """
import io
s = io.StringIO("a\\nb\\n")
for line in s: r += len(line)
print("x", file=s); r += len(s.getvalue())
""",
    """
import abc
class A(abc.ABC):
    @abc.abstractmethod
    def m(self): ...
class AA(A):
    def m(self): return h(1)
r = AA().m(); isinstance(1, A)
""",
    """
import weakref
q = C(3); w = weakref.ref(q, lambda _: None); r = w().n; del q
""",
    """
class G:
    def __class_getitem__(cls, k): return h(k)
    def __init_subclass__(cls): pass
r = G[3]
""",
    "r = (lambda: (yield))().send(None)",
    "r = [lambda: h(q) for q in xs][0]()",
    """
try:
    with contextlib.closing(C(1)) as q: r = 1
except TypeError: r = 2
""",
    """
async def produce(q):
    for i in range(2): await q.put(h(i))
    await q.put(None)
q = asyncio.Queue(1)
t = asyncio.create_task(produce(q))
while (item := await q.get()) is not None: r += item
await t
""",
    """
try:
    async with asyncio.Lock(): r = await asyncio.wait_for(asyncio.sleep(9), 0.01)
except asyncio.TimeoutError: r = h(1)
""",
    """
async def slow():
    try: await asyncio.sleep(9)
    except asyncio.CancelledError: xs.append(1); raise
t = asyncio.create_task(slow()); await asyncio.sleep(0); t.cancel()
try: await t
except asyncio.CancelledError: r = xs
""",
    """
async def agen():
    try:
        for i in range(3): yield h(i)
    finally: await asyncio.sleep(0)
async for q in agen():
    r += q
    if q > 1: break
""",
    "r = [await co(q) for q in xs], {q: await co(q) async for q in ag(2)}, await asyncio.gather(*[co(q) for q in xs])",
    """
@contextlib.asynccontextmanager
async def acm():
    yield h(1)
async with acm() as q: r = q
""",
    """
class Aw:
    def __await__(self):
        yield from asyncio.sleep(0).__await__()
        return h(4)
r = await Aw()
""",
    """
def outer():
    try: yield from gs()
    finally: xs.append(5)
q = outer(); next(q); q.send(2); r = list(xs)
""",
    "r = functools.reduce(lambda a, q: {**a, q: h(q)}, xs, {})",
    "assert h(1) == 2, h(3); assert xs",
    """
if not (c and xs): r = 1
elif c.n == 2 and h(1) or raiser(1): r = 2
""",
    "r = xs and xs[0] and (h(1) if n else h(2)) or None",
    "q = [[0] * 2 for _ in range(2)]; q[h(0)][0] += h(1); q[0][1], q[1] = 3, [h(1)]; r = q",
    "d.setdefault('l', []).append(h(1)); d['l'] += [2]; d['l'][0] = h(2); r = d.pop('l')",
    "n, *xs[0:1], c.n = h(1), 2, 3, h(3); r = xs, c.n",
    """
import types
ns = types.SimpleNamespace(a=h(1)); ns.b = ns.a + 1; r = ns.b
""",
    'r = type("T", (C,), {"m": lambda self: h(self.n)})(3).m()',
    'r = type(c).__name__, c.__class__(3).n, C.__add__(c, 1).n, C.xs2 if hasattr(C, "xs2") else 0',
    "for a, *b in [(1, 2, 3), g(2)]: r += a + len(b)",
    """
for k, v in d.items():
    for w in range(v): r += h(w)
""",
    'r = "".join(q for q in (str(h(w)) for w in xs)) + "a" * h(1) + ("b" if xs else "c")',
    "return [*map(lambda q: [h(q), *g(q)], xs)]",
    """
def f2(a, /, b, *, k): return a + b + k
r = f2(1, b=h(1), k=h(2)) + f2(*[1, 2], **{'k': 3})
""",
    """
try: f(1)(2)
except TypeError: r = 1
""",
    """
try: raise C
except TypeError: r = 1
""",
    """
class Err(Exception):
    def __init__(self, a): super().__init__(h(a)); self.a = a
    def __str__(self): return f"E{h(self.a)}"
try: raise Err(1)
except Err as e: r = str(e) + str(e.args)
""",
    "q = iter(lambda: h(n), 5); r = list(q)",
    "r = min((h(q), q) for q in xs), max([C(q) for q in xs]).n, sum([C(1), C(2)], C(0)).n",
    "xs.sort(key=lambda q: (h(q), q)); r = xs, sorted(map(C, xs), reverse=True)[0].n",
    "locals(); xs.append(sorted(h(q) for q in xs)); r = xs",
    "locals(); xs.extend(h(q) for q in [1, 2]); d['b'] = max(C(q).n for q in [1, 2]); r = xs, d",
    "locals(); xs.append(list(map(h, [1, 2]))); print(end=''.join(str(h(q)) for q in ())); r = xs",
]


def program() -> str:
    parts, started = [AROUND], []
    for number, piece in enumerate(PIECES):
        waits = "await" in piece or "async" in piece
        body = textwrap.indent(BOUND + piece + "\nreturn r\n", "    ")
        parts.append(f"{'async ' if waits else ''}def piece{number}():\n{body}")
        started.append(f"asyncio.run(piece{number}())" if waits else f"piece{number}()")
    return "\n".join([*parts, *started, ""])


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return record(tmp_path_factory.mktemp("pieces"), program())


def test_every_piece_of_code_can_be_followed(trace: Trace) -> None:
    graph = Slicer(trace).graph
    failed = {}
    for node in range(len(trace.parent)):
        name = trace.routines[trace.routine[node]].qualname
        if graph.activation(node).failed:
            piece = PIECES[int(name[5:])] if name.startswith("piece") else ""
            failed[name] = (graph.activation(node).failed, piece)
    assert not failed
