# ruff: noqa
# mypy: ignore-errors
"""Code that is seldom written, but legal."""

import sys, traceback, types

exec("def e(x): return x / 0")
try:
    e(1)
except ZeroDivisionError:
    traceback.print_exc()
print(eval("[i for i in range(3) if i]"), eval(compile("1 +\\\n 2", "q", "eval")))
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import nothing
m = types.ModuleType("dyn")
exec("y = 3\ndef h(): return y", m.__dict__)
print(m.h())


class Lazy(types.ModuleType):
    def __getattr__(self, n):
        print("getattr", n)
        return n


sys.modules["lazy"] = Lazy("lazy")
from lazy import abc, xyz

print(abc, xyz)


def depth(n=0):
    try:
        return depth(n + 1)
    except RecursionError:
        return n


sys.setrecursionlimit(300)
d = depth()
print(250 < d < 300)


def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


try:
    deep(10**6)
except RecursionError as e:
    print(len(traceback.extract_tb(e.__traceback__)) > 250)
sys.setrecursionlimit(1000)
x = 5


def outer():
    x = 1

    def inner():
        nonlocal x
        x += 1

        def g():
            global x
            x = 9
            return x

        return g() + x

    return inner(), x


print(outer(), x)


class Body:
    for i in range(3):
        locals()[f"a{i}"] = i
    del i
    b = [a0 for _ in range(2)] if False else a1
    c = (lambda q=a2: q)()

    def m(self, *, k=b):
        return __class__.__name__, k


print(Body.b, Body.c, Body().m(), hasattr(Body, "i"))
a, (b, *c), d = 1, (2, 3, 4), [5]
[p, q] = d * 2
(*r,) = "ab"
print(a, b, c, d, p, q, r)
print(
    [y := 1, y + 1],
    (z := [*range(2)]),
    {**{"k": 1}, "j": z},
    f"{(w := 3)!r:>{w}}",
    any((hit := v) > 1 for v in [1, 2, 3]),
    hit,
)


def f(*, a, b=lambda: x, **k):
    return a, b(), k


print(f(a=1, c=2), 1 < 2 < 3 != 4, not 1 in [2], x if x else 0)


def match(v):
    match v:
        case {"a": [1, *rest], **kw} if rest:
            return "m", rest, kw
        case Body(a0=0) as o:
            return type(o).__name__
        case (1 | 2) as n, _:
            return n
        case str() | None:
            return "s"
        case [[x, y], [z]]:
            return x, y, z
        case float(real=r):
            return r
    return "none"


print([match(v) for v in ({"a": [1, 2], "b": 3}, Body(), (2, 0), None, [[1, 2], [3]], 1.5, object)])


def tryall(n):
    for i in range(3):
        try:
            if n == 0:
                return "ret"
            if n == 1:
                break
            if n == 2:
                continue
            if n == 3:
                raise KeyError(i)
        except KeyError as e:
            try:
                raise ValueError from e
            except ValueError:
                pass
        else:
            print("else")
        finally:
            if n == 4:
                return "fin"
            print("f", end=" ")
    return "end"


print([tryall(n) for n in range(6)])
del a, (b), [c]
print("a" in dir())
