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
