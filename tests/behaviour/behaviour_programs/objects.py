"""Classes and what they may do: special methods, descriptors, metaclasses, decorators, the ends of objects."""

from behaviour_programs.program import Program

OBJECTS = {
    "classes": Program(
        """\
import enum
import functools
from abc import ABC, abstractmethod
from collections import namedtuple
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar


class Meta(type):
    def __new__(mcs, name, bases, namespace, **options):
        cls = super().__new__(mcs, name, bases, namespace)
        cls.options = options
        cls.keys = [k for k in namespace if not k.startswith("__")]
        return cls

    def __call__(cls, *args):
        print("make", cls.__name__)
        return super().__call__(*args)

    @classmethod
    def __prepare__(mcs, name, bases, **options):
        return {}


class Base(metaclass=Meta, flag=1):
    registry = {}
    __hidden = "mangled"

    def __init_subclass__(cls, /, tag=None, **rest):
        super().__init_subclass__(**rest)
        Base.registry[tag] = cls.__name__

    def __init__(self, x):
        self.__x = x
        self.y = x

    def get(self):
        return self.__x, self.__hidden, Base.__hidden

    def __repr__(self):
        return f"{type(self).__name__}({self.__x})"


class Child(Base, tag="child"):
    def __init__(self, x):
        super().__init__(x + 1)
        self.__x = "own"

    def get(self):
        return super().get(), self.__x, __class__.__name__

    def both(self):
        return [super(Child, self).get() for _ in range(1)]

    @staticmethod
    def s(a):
        return a * 2

    @classmethod
    def c(cls, a):
        return cls(a)

    @property
    def p(self):
        return self.y

    @p.setter
    def p(self, value):
        self.y = value * 10

    @p.deleter
    def p(self):
        self.y = None

    @functools.cached_property
    def cached(self):
        print("once")
        return self.y


print(Base.keys, Base.options, Base.registry, sorted(vars(Child(1))))
c = Child(2)
print(c.get(), c.both(), c.s(2), Child.c(5), c)
c.p = 4
c.p += 1
print(c.p, c.cached, c.cached)
del c.p
print(c.p)


class Slots:
    __slots__ = ("a", "b", "__c")

    def __init__(self):
        self.a = 1
        self.__c = 3

    def total(self):
        return self.a + self.__c


s = Slots()
print(s.total(), hasattr(s, "b"), hasattr(s, "__dict__"))
try:
    s.other = 1
except AttributeError as error:
    print(error)


class Dynamic:
    def __getattr__(self, name):
        if name.startswith("x"):
            return name
        raise AttributeError(name)

    def __getattribute__(self, name):
        print("read", name)
        return super().__getattribute__(name)

    def __setattr__(self, name, value):
        print("write", name)
        super().__setattr__(name, value)


d = Dynamic()
d.value = 3
d.value += 1
print(d.value, d.xyz, hasattr(d, "nope"), getattr(d, "nope", "default"))


class Descriptor:
    def __set_name__(self, owner, name):
        print("named", name)
        self.name = name

    def __get__(self, instance, owner):
        print("get")
        return instance and instance.__dict__.get(self.name)

    def __set__(self, instance, value):
        print("set", value)
        instance.__dict__[self.name] = value


class Owner:
    field = Descriptor()


o = Owner()
o.field = 1
o.field += 1
print(o.field)


@dataclass(order=True, frozen=True)
class Data:
    a: int
    b: list = field(default_factory=list, compare=False)
    c: str = "x"

    def __post_init__(self):
        print("post", self.a)


print(Data(1), Data(1) < Data(2), Data(3, [1]).b)


class Color(enum.Enum):
    RED = 1
    GREEN = enum.auto()

    def lower(self):
        return self.name.lower()


class Flags(enum.Flag):
    A = enum.auto()
    B = enum.auto()


print(Color.RED, Color(2).lower(), [c.value for c in Color], Flags.A | Flags.B)
P = namedtuple("P", "x y")


class Q(NamedTuple):
    x: int
    y: int = 2

    def sum(self):
        return self.x + self.y


print(P(1, 2)._replace(x=3), Q(1).sum(), Q(1))


class Shape(ABC):
    @abstractmethod
    def area(self): ...


try:
    Shape()
except TypeError as error:
    print(error)
T = TypeVar("T")


class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: list[T] = []

    def push(self, item: T) -> None:
        self.items.append(item)


stack = Stack[int]()
stack.push(1)
print(stack.items, Stack[int])


class Vector:
    def __init__(self, *v):
        self.v = v

    def __add__(self, o):
        return Vector(*(a + b for a, b in zip(self.v, o.v)))

    def __iadd__(self, o):
        self.v = tuple(a + 10 * b for a, b in zip(self.v, o.v))
        return self

    def __eq__(self, o):
        return isinstance(o, Vector) and self.v == o.v

    def __hash__(self):
        return hash(self.v)

    def __len__(self):
        return len(self.v)

    def __bool__(self):
        print("bool")
        return any(self.v)

    def __iter__(self):
        return iter(self.v)

    def __contains__(self, x):
        return x in self.v

    def __call__(self, i):
        return self.v[i]

    def __matmul__(self, o):
        return sum(a * b for a, b in zip(self, o))

    def __format__(self, spec):
        return f"<{spec}>"

    __radd__ = lambda self, other: self


v = Vector(1, 2)
v += Vector(1, 1)
print(v.v, (v + v).v, v == Vector(11, 12), {v: 1}[v], len(v), not v, 11 in v, v(1), v @ v, f"{v:abc}", sum([v]).v)
A = type("A", (Base,), {"z": 1, "m": lambda self: self.z}, tag="dynamic")
print(A(1).m(), Base.registry)


class Outer:
    class Inner:
        def f(self):
            return type(self).__qualname__

    def make(self):
        def g():
            pass

        return g.__qualname__


print(Outer.Inner().f(), Outer().make())
""",
    ),
    "decorators": Program(
        """\
import contextlib
import functools
import inspect


def logged(prefix, *, level=1):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            print(prefix, f.__name__, args, kwargs)
            return f(*args, **kwargs)

        wrapper.level = level
        return wrapper

    return decorate


@logged("a")
@logged("b", level=2)
def add(x, y=2):
    "Adds."
    return x + y


print(add(1), add(1, y=5), add.__doc__, add.level, inspect.signature(add), add.__wrapped__.__name__)


@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(50), fib.cache_info())


@functools.singledispatch
def show(x):
    return "object"


@show.register
def _(x: int):
    return "int"


@show.register(list)
def _(x):
    return "list"


print(show(1), show([]), show(""))


@contextlib.contextmanager
def managed(name):
    print("enter", name)
    try:
        yield name
    except ValueError:
        print("suppressed")
    finally:
        print("exit", name)


with managed("x") as m, managed("y"):
    print(m)
    raise ValueError


@managed("as decorator")
def f():
    return 1


print(f())


class Count:
    def __init__(self, f):
        functools.update_wrapper(self, f)
        self.f, self.n = f, 0

    def __call__(self, *a):
        self.n += 1
        return self.f(*a)


@Count
def g(n):
    return n and g(n - 1)


print(g(3), g.n, functools.reduce(lambda a, b: a * b, range(1, 6)), functools.partial(add, y=1)(2))


@(lambda f: [f, f])
def two():
    return 2


print(two[1]())
"""
    ),
    "objects_that_resist": Program(
        """\
class Rude:
    def __getattribute__(self, name):
        if name in ("__class__", "value"):
            return object.__getattribute__(self, name)
        raise RuntimeError("do not look: " + name)

    def __eq__(self, other):
        raise RuntimeError("no comparing")

    def __hash__(self):
        raise RuntimeError("no hashing")

    def __repr__(self):
        raise RuntimeError("no printing")

    def __bool__(self):
        raise RuntimeError("no truth")

    def __len__(self):
        raise RuntimeError("no length")

    def __iter__(self):
        raise RuntimeError("no iterating")

    value = 1


def f(x, xs):
    xs.append(x)
    xs[0] = x
    return [x, (x, {1: x})]


r = Rude()
xs = [r]
print(len(f(r, xs)), len(xs), r.value, [type(x).__name__ for x in xs])
try:
    if r:
        pass
except RuntimeError as error:
    print(error)


class Loud(dict):
    def __getitem__(self, k):
        print("getitem", k)
        return super().__getitem__(k)

    def __setitem__(self, k, v):
        print("setitem", k, v)
        super().__setitem__(k, v)

    def __iter__(self):
        print("iter")
        return super().__iter__()

    def copy(self):
        print("copy")
        return self

    def get(self, *a):
        print("get")
        return super().get(*a)

    def __len__(self):
        print("len")
        return super().__len__()


d = Loud()
d["a"] = 1
d["a"] += 1
d.update(b=2)
d.pop("b")
print(dict.__len__(d), d.get("a"))
del d["a"]


class Liar:
    @property
    def __class__(self):
        print("class asked")
        return int

    @property
    def __dict__(self):
        print("dict asked")
        return {}


def g(x):
    x.attribute = 5
    return x.attribute


print(g(Liar()), isinstance(Liar(), int))


class Key:
    def __init__(self, n):
        self.n = n

    def __hash__(self):
        print("hash", self.n)
        return self.n

    def __eq__(self, other):
        print("eq", self.n, other.n)
        return self.n == other.n


t = {Key(1): "a"}
t[Key(1)] = "b"
t[Key(1)] += "c"
del t[Key(1)]
print(t, {Key(2), Key(2)}.__len__())
"""
    ),
    "keys_of_own_classes_among_others": Program(
        """
import collections
import threading


class Key:
    asked = 0

    def __init__(self, n):
        self.n = n

    def __hash__(self):
        return self.n

    def __eq__(self, other):
        Key.asked += 1
        return False


def same(self, other):
    Key.asked += 1
    print("asked for", other)
    return self.n == other


class Other(Key):
    __eq__ = same
    __hash__ = Key.__hash__


def asked(name, change):
    Key.asked = 0
    try:
        change()
    except KeyError:
        print("no key")
    print(name, Key.asked)


def main(key):
    d, s, xs = {key(3): 1}, {key(3)}, [key(3), 3]
    counter, made, ordered = collections.Counter([key(3)]), collections.defaultdict(int), collections.OrderedDict()
    made[key(3)] = ordered[key(3)] = 1

    def item(): d[3] = 2
    def get(): d[3]
    def more(): d[3] += 1
    def gone(): del d[3]
    def into():
        nonlocal d
        d |= {3: 8}
    def of_made(): made[3] += 1
    def of_ordered(): ordered[3] = 1
    def of_counter(): counter[3] += 1
    def members():
        nonlocal s
        s |= {3}
        s ^= {3, 4}
        s -= {3}
        s &= {3, 4}
    for change in item, get, more, gone, into, of_made, of_ordered, of_counter, members:
        asked(change.__name__, change)
    asked("setdefault", lambda: d.setdefault(3, 1))
    asked("pop", lambda: d.pop(3, None))
    asked("update", lambda: d.update({3: 5}))
    asked("add", lambda: s.add(3))
    asked("discard", lambda: s.discard(3))
    asked("update of a set", lambda: s.update([3, 4]))
    asked("difference_update", lambda: s.difference_update([3]))
    asked("intersection_update", lambda: s.intersection_update([3, 4]))
    asked("symmetric_difference_update", lambda: s.symmetric_difference_update([3, 4]))
    asked("remove", lambda: xs.remove(3))
    asked("count", lambda: counter.update([3]))
    asked("subtract", lambda: counter.subtract([3]))
    asked("move", lambda: ordered.move_to_end(3))
    print(len(d), len(s), len(xs))


main(Key)
main(Other)
threads = [threading.Thread(target=main, args=(Key,)) for _ in range(2)]
for thread in threads:
    thread.start()
    thread.join()
"""
    ),
    "destructors_and_weak_references_within_loops": Program(
        """\
import gc
import sys


def f():
    big = ["x" * 10 for _ in range(3)]
    return len(big)


print(f(), gc.isenabled())
print("done")
"""
    ),
    "identity_and_aliases": Program(
        """\
def f(x, ys=[]):
    ys.append(x)
    return ys


a = f(1)
b = f(2)
print(a is b, a, f.__defaults__)
rows = [[0] * 2] * 2
rows[0][0] = 5
print(rows)
loop = []
loop.append(loop)
print(loop)
x = y = object()
print(x is y, id(x) == id(y))
print([id([]) is None for _ in range(2)], () is (), "a" * 3 is not None)


class N:
    pass


first = None
for i in range(50_000):
    node = N()
    node.next = first
    first = node
count = 0
while node is not None:
    node, count = node.next, count + 1
print(count)
"""
    ),
}
