"""Statements and expressions of all kinds, and the order in which they are evaluated."""

from behaviour_programs.program import Program

LANGUAGE = {
    "scopes": Program(
        """\
x = "module"


def outer():
    x = "outer"
    count = 0

    def bump(by=1):
        nonlocal count
        count += by
        return count

    def deeper():
        def deepest():
            nonlocal x
            x = x + "!"
            return bump(2)

        return deepest()

    class Local:
        x = x if False else "class"
        y = [x for _ in range(1)]

        def method(self):
            return x, __class__.__name__

    global made
    made = bump()
    return deeper(), x, Local.x, Local.y, Local().method(), count


def unbound():
    print(late)
    late = 1


def deleted():
    a = 1
    del a
    return a


try:
    print(outer(), made)
except NameError as error:
    print(type(error).__name__, error)
for f in unbound, deleted:
    try:
        f()
    except UnboundLocalError as error:
        print(error)
del x
try:
    x
except NameError as error:
    print(error)


def free():
    def inner():
        return later

    try:
        inner()
    except NameError as error:
        print(error)
    later = 1
    return inner()


print(free())


def shadow(list, len=3):
    print = list
    return print, len, [len for len in range(2)], len


print(shadow([1]))
try:
    1 / 0
except ZeroDivisionError as e:
    pass
try:
    e
except NameError as error:
    print(error)
"""
    ),
    "evaluation_order": Program(
        """\
log = []


def n(value):
    log.append(value)
    return value


class Box:
    def __init__(self):
        object.__setattr__(self, "items", {})

    def __getitem__(self, key):
        log.append(("get", key))
        return self.items.get(key, 0)

    def __setitem__(self, key, value):
        log.append(("set", key, value))
        self.items[key] = value

    def __delitem__(self, key):
        log.append(("del", key))

    def __getattr__(self, name):
        log.append(("getattr", name))
        return 0

    def __setattr__(self, name, value):
        log.append(("setattr", name, value))

    def __delattr__(self, name):
        log.append(("delattr", name))


b = Box()
b[n(1)] = n(2)
b[n(3)] += n(4)
b.x = n(5)
b.y += n(6)
b.a, b[n(7)], *b.rest = n(8), n(9), n(10), n(11)
b.p = b.q = b[n(12)] = n(13)
del b.x, b[n(14)]
(b[n(15)], (b.z, [b[n(16)]])) = n(17), (n(18), [n(19)])
{n(20): n(21), **{n(22): n(23)}, n(24): n(25)}
print(n(26), n(27), sep=n(" "), *[n(28)], **{"end": n("\\n")})
n(29) if n(0) else n(30)
n(0) or n(31) and n(32) or n(33)
n(1) < n(2) < n(2) < n(9)
n([1, 2, 3])[n(0) : n(2) : n(1)]
assert n(True), n("never")
f"{n(34):{n(5)}} {n(35)!r}"
for b[n(36)], b.loop in [(1, 2)]:
    pass
with n(open(__file__)) as b.stream:
    b.stream
lambda q=n(37): q


@n
def decorated(a=n(38), *, c=n(39)) -> n(40):
    return a


class Derived(n(Box), metaclass=n(type)):
    k = n(41)


while n(len(log) % 2):
    log.append(0)
    if len(log) > 500:
        break
print(*[entry if not callable(entry) else "function" for entry in log if type(entry) is not type(open(__file__))], sep="\\n")
"""
    ),
    "comprehensions": Program(
        """\
def f(n):
    squares = [i * i for i in range(n)]
    pairs = {(i, j): [k for k in range(j)] for i in range(n) for j in range(i) if i + j & 1}
    flat = {x for row in pairs.values() for x in row}
    lazy = (y := i for i in squares if (z := i) > 2)
    funcs = [lambda: i for i in range(3)]
    total = sum(x for x in lazy)
    return squares, pairs, sorted(flat), total, y, z, [g() for g in funcs]


class C:
    n = 3
    m = [n for n in range(n)]
    k = [i + j for i in range(n) for j in range(i)]
    gen = list(x for x in range(n))
    f = [lambda self, i=i: i for i in range(2)]


print(f(5), C.n, C.m, C.k, C.gen, [g(None) for g in C.f])
print([[i for i in range(j)] for j in range(3)], [*range(3), *"ab"], {**{"a": 1}}, {i: j for i, j in zip("ab", "cd")})
print([a for a in [b for b in [c for c in (1, 2)]]], any(v == 2 for v in [1, 2, 3]))
if any((hit := v) > 1 for v in (1, 2, 3)):
    print(hit)
i = "kept"
[i for i in range(3)]
print(i)
print(list(map(lambda a, *b, c=1, **d: (a, b, c, d), [1], [2])), (lambda: (yield))().__class__.__name__)
broken = (1 / x for x in (1, 0))
print(next(broken))
try:
    next(broken)
except ZeroDivisionError as error:
    print(error, list(broken))
"""
    ),
    "match": Program(
        """\
from dataclasses import dataclass


@dataclass
class Point:
    x: int
    y: int


def describe(value):
    match value:
        case 0 | 1:
            return "bit"
        case int(n) if n > 100:
            return f"big {n}"
        case Point(x=0, y=0):
            return "origin"
        case Point(x, y) if x == y:
            return f"diagonal {x}"
        case Point():
            return "point"
        case [first, *_, last]:
            return f"sequence {first} {last}"
        case {"kind": "a", **rest}:
            return f"mapping {rest}"
        case {"kind": str() as kind}:
            return f"kind {kind}"
        case (str() | bytes()) as text:
            return f"text {text!r}"
        case None:
            return "nothing"
        case [] | {}:
            return "empty"
    return "other"


for value in [1, 101, 5, Point(0, 0), Point(2, 2), Point(1, 2), [1, 2, 3], (4, 5), {"kind": "a", "b": 1}, {"kind": "c"}, "s", b"b", None, [], 1.5]:
    print(describe(value))
match = 3
match match:
    case 3:
        print(match)
"""
    ),
    "try_and_finally": Program(
        """\
def returns():
    try:
        return "try"
    finally:
        return "finally"


def loops():
    for i in range(5):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            print(i)
        finally:
            print("f", i)
    else:
        print("never")
    while True:
        try:
            return i
        finally:
            break
    return "left"


def swallows():
    try:
        try:
            raise KeyError(1)
        finally:
            return "swallowed"
    except KeyError:
        return "not here"


def replaced():
    try:
        raise KeyError(1)
    except KeyError:
        try:
            raise ValueError(2)
        except ValueError as inner:
            return type(inner.__context__).__name__
    else:
        return "no"


def alternatives(error):
    try:
        if error:
            raise error
    except (TypeError, ValueError) as e:
        result = "type or value", str(e)
    except OSError:
        result = "os"
    except:
        result = "any"
    else:
        result = "else"
    finally:
        print("done")
    return result


class Manager:
    def __init__(self, suppress):
        self.suppress = suppress

    def __enter__(self):
        return self

    def __exit__(self, *args):
        print("exit", args[0] and args[0].__name__)
        return self.suppress


def withs():
    with Manager(True) as a, Manager(False):
        raise KeyError("x")
    with Manager(False):
        return "from with"


print(returns(), loops(), swallows(), replaced(), withs())
for error in None, TypeError("t"), ValueError, OSError(1, "x"), KeyError(3), SystemExit(2):
    print(alternatives(error))
"""
    ),
    "calls_and_parameters": Program(
        """\
def f(a, b=[], /, *c, d=1, e, **k):
    b.append(a)
    return a, b, c, d, e, k


print(f(1, e=2), f(1, [9], 3, 4, e=5, z=6), f(*[1, 2][:1], **{"e": 1}, **{"q": 2}))
for call in (lambda: f(), lambda: f(1), lambda: f(1, e=1, **{"e": 2}), lambda: f(*5), lambda: f(1, a=2, e=3)):
    try:
        print(call())
    except TypeError as error:
        print(error)


class K:
    def m(self, a):
        return a


for call in (lambda: K.m(1), lambda: K().m(), lambda: K(1), lambda: K().x, lambda: None(), lambda: [][1], lambda: {}["k"]):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)
print(sorted("bca", key=lambda c: -ord(c)), max([1, -3], key=abs), list(filter(None, [0, 1])), [*map(str.upper, "ab")])
print("".join(x for x in "abc"), "a,b".split(","), "{} {x}".format(1, x=2), "%s %d" % ("a", 3))
print((lambda *a, **k: (a, k))(1, *[2], x=3), [g for g in (lambda: 1,)][0]())
first, *middle, last = range(5)
(a, b), [c, *d] = (1, 2), "xyz"
print(first, middle, last, a, b, c, d)
x = y = []
x += [1]
x[0:0] = [5, 6]
x[::2] = "ab"
del x[1], x[-1:]
print(x, y, x is y)
n = 5
n <<= 2
n **= 2
n //= 7
n ^= 3
print(n, ~n, -n, not n, 1 if n else 2, n in (1, 2), n is not None, 1 < n <= 57 != 3)
d = {"a": {"b": [1, 2]}}
d["a"]["b"][1] += 5
d["a"].setdefault("c", []).append(3)
d["z"] = d.pop("a")
print(d, d.get("nope"), (lambda: (yield))().__name__)
if (m := len(d)) > 0 and (k := m + 1):
    print(m, k)
while (n := n - 20) > 0:
    print(n)
print(*(i for i in range(3)), sep="-")
for given in 3, None:
    try:
        print(*given)
    except TypeError as error:
        print(error)
    try:
        print(1, *given, print(2))
    except TypeError as error:
        print(error)
print(__name__ == "__main__" and "main", (1, 2) < (1, 3), [1] * 3, b"ab"[0], 7 // 2, 7 % -3, 2**-1, divmod(7, 2))
def nothing(): pass
def doc_only(): "d"
def many(): a = 1; b = 2; return a, b
print(nothing(), doc_only(), many())
"""
    ),
    "functions_with_their_namespace_in_view": Program(
        """\
def a(x):
    y = x + 1
    z = helper(y)
    return sorted(locals().items())


def b(x):
    y = [helper(i) for i in range(x)]
    exec("q = 5")
    return dir(), eval("helper(x) + len(y)")


def c(**options):
    width = helper(1)
    return "{width} {x}".format(**locals(), **options)


def d():
    import math as m
    from os import path as p, sep

    return sorted(vars())


def e(n):
    if n:
        return e(n - 1), sorted(locals())
    return None


def helper(x):
    return x * 2


class Space:
    a = 1
    b = helper(a)
    for i in range(2):
        c = i
    names = sorted(locals())
    exec("made = b + 1")


print(a(1), b(2), c(x=3), d(), e(2), [n for n in Space.names if n[:2] != "__"], Space.made, Space.i)
print([k for k in vars(Space) if k[:2] != "__"])
import sys

print(sorted(sys._getframe().f_locals.keys() - {"__builtins__"})[:3])
"""
    ),
    "long_chains": Program(
        "total = " + " + ".join(["1"] * 900) + "\nprint(total)\ntext = ('a'\n" + "  'b'\n" * 500 + ")\n"
        "print(len(text))\ndata = ["
        + ", ".join(f"[{i}, {{'k': ({i},)}}]" for i in range(500))
        + "]\nprint(len(data))\n"
        "def f(x):\n"
        + "".join(f"    {'el' if i else ''}if x == {i}:\n        return {i}\n" for i in range(120))
        + "    return -1\n"
        "print(f(100), f(1000))\n"
        "def g(x):\n    return x" + ".strip()" * 150 + "\nprint(g(' a '))\n"
    ),
    "nested_blocks": Program(
        "def f():\n"
        + "".join("    " * (i + 1) + f"for i{i} in range(1):\n" for i in range(18))
        + "    " * 19
        + "return i0 + i17\nprint(f())\n"
    ),
    "type_parameters": Program(
        """\
type Pair[T] = tuple[T, T]


def first[T](xs: list[T]) -> T:
    return xs[0]


class Box[T: int]:
    def __init__(self, value: T) -> None:
        self.value = value

    def map[U](self, f) -> "Box[U]":
        return Box(f(self.value))


print(first([1, 2]), Box(3).map(str).value, Pair.__value__, first.__type_params__, Box.__type_params__)
""",
        minimum=(3, 12),
    ),
}
