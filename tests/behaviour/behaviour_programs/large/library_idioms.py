# ruff: noqa
# mypy: ignore-errors
"""What programs do with the standard library that looks at functions, classes and frames."""

import functools, enum, collections, dataclasses, typing, copy, pickle, logging, sys, doctest, inspect, traceback, contextlib, operator
from unittest import mock


class C:
    def __init__(self):
        self.x = 1
        self.log = []

    def set(self, v):
        self.x = v
        return self

    @functools.cached_property
    def heavy(self):
        self.log.append("heavy")
        return len(self.log)

    @functools.singledispatchmethod
    def kind(self, v):
        return "any"

    @kind.register
    def _(self, v: int):
        return "int"

    def two(self, a, b):
        return (a, b)

    one = functools.partialmethod(two, 1)


c = C().set(2).set(3)
with mock.patch.object(C, "x", new_callable=mock.PropertyMock, create=True) as p:
    c.set(5)
    print(p.mock_calls)
with mock.patch.object(C, "set", autospec=True) as s:
    c.set(9)
    print(s.mock_calls == [mock.call(c, 9)])
m = mock.MagicMock()
m.a.b = 3
m.items[3] = 4
m.f(m.x, [1])[0].append(2)
m += 1
del m.a
print(m.mock_calls)
m2 = mock.Mock(spec=C)
m2.set(3)
print(m2.mock_calls, isinstance(m2, C))
print(c.heavy, c.heavy, c.log, c.kind(1), c.kind("a"), c.one(2))


@functools.singledispatch
def show(x):
    return f"obj {x}"


@show.register(list)
def _(x):
    return [show(y) for y in x]


print(show([1, [2]]))


@functools.lru_cache(maxsize=2)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(20), fib.cache_info())


class Color(enum.Enum):
    RED = 1
    GREEN = 2

    @property
    def nice(self):
        return self.name.title()

    @classmethod
    def _missing_(cls, v):
        return cls.RED

    def __str__(self):
        return "c:" + self.name


class Flag(enum.IntFlag):
    A = enum.auto()
    B = enum.auto()
    AB = A | B


print(Color(7), Color.RED.nice, Flag.AB, list(Color), Color["GREEN"], Flag.A | Flag.B)

P = collections.namedtuple("P", "x y", defaults=[3])


class Q(typing.NamedTuple):
    a: int
    b: str = "b"

    def both(self):
        return self.a, self.b


print(P(1), P(1)._replace(y=2), Q(1).both(), Q(1) == (1, "b"))


@dataclasses.dataclass(slots=True, kw_only=True, order=True, frozen=True)
class D:
    a: int
    b: list = dataclasses.field(default_factory=list, compare=False)

    def __post_init__(self):
        object.__setattr__(self, "a", self.a * 2)


print(D(a=1), D(a=1) < D(a=2), dataclasses.replace(D(a=1), a=5), dataclasses.asdict(D(a=2)))
try:
    D(a=1).a = 3
except dataclasses.FrozenInstanceError as e:
    print(repr(e))


class V:
    def __init__(self, n):
        self.n = n

    def __radd__(self, o):
        return ("radd", o, self.n)

    def __rmul__(self, o):
        return NotImplemented

    def __matmul__(self, o):
        return ("mat", o)

    def __imatmul__(self, o):
        self.n @= 0 if False else o
        return self

    def __lt__(self, o):
        print("lt")
        return True

    def __gt__(self, o):
        print("gt")
        return False

    def __rsub__(self, o):
        return o - self.n

    def __ipow__(self, o):
        self.n = self.n**o
        return self

    def __invert__(self):
        return ~self.n

    def __divmod__(self, o):
        return 1, 2

    def __round__(self, n=None):
        return n

    def __getitem__(self, k):
        return k

    def __delitem__(self, k):
        print("del", k)

    def __setitem__(self, k, v):
        print("set", k, v)

    def __missing__(self, k):
        return k

    def __call__(self, *a, **k):
        return a, k

    def __enter__(self):
        return self

    def __exit__(self, *e):
        print("exit", e[0])
        return True

    def __get__(self, o, t):
        return ("get", o is None)

    def __set__(self, o, v):
        print("set", v)

    def __set_name__(self, o, n):
        print("name", n)


class W:
    v = V(1)

    def __init_subclass__(cls, **k):
        print("sub", cls.__name__, k)
        super().__init_subclass__()

    def __class_getitem__(cls, k):
        return k


class X(W, flag=3):
    pass


w = X()
w.v = 5
print(w.v, W.v, W[1, 2:3])
v = V(3)
print(
    1 + v,
    v @ 2,
    10 - v,
    ~v,
    divmod(v, 1),
    round(v, 2),
    v[1:2, ...],
    v < 1 < v,
    5 > v,
    v(1, *[2], k=3, **{"z": 1}),
)
try:
    2 * v
except TypeError as e:
    print(e)
v **= 2
print(v.n)
v[1] += 1
del v[2], v[3:4]
with v as z:
    raise KeyError(1)
with contextlib.suppress(ValueError), v as (z1):
    int("x")
print(copy.copy(v).n, copy.deepcopy([v, v])[0].n, pickle.loads(pickle.dumps(c)).x)
log = logging.getLogger("l")
h = logging.StreamHandler(sys.stdout)
h.setFormatter(logging.Formatter("%(filename)s:%(lineno)d %(funcName)s %(message)s"))
log.addHandler(h)


def warns():
    log.warning("w %s", 1)
    log.error("e", stacklevel=2)


warns()


def doc(x):
    """
    >>> doc(2)
    4
    >>> doc("a")
    Traceback (most recent call last):
    TypeError: can't
    """
    return x**2


print(doctest.testmod(verbose=False))
print(
    inspect.getsource(doc).count("\n"),
    inspect.signature(V.__call__),
    inspect.getmembers(Q, inspect.isfunction)[0][0] if True else 0,
)
print(traceback.extract_stack()[-1].line, inspect.stack()[0].lineno)


def loc(a):
    b = a
    return sorted(locals()), sorted(vars()), dir()


print(loc(1))
print(
    sorted(x for x in dir() if not x.startswith("__"))
    == sorted(x for x in globals() if not x.startswith("__"))
)
