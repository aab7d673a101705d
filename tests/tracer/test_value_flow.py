"""Where values may go, told from texts: a method of a container that is kept escapes, or is called by code of its file alone."""

from __future__ import annotations

import pytest

from algotrace.marks import Range
from algotrace.used_elsewhere import escapes_elsewhere
from algotrace.value_flow import ValueFlow

# Programs in which `xs.append` is kept; in the first ones code of the file alone may call it.
STAYS = {
    "a name": "f = xs.append\nf(1)",
    "a name of a function": "def main():\n    f = xs.append\n    f(1)\ndef other(f): print(f); g(f)",
    "a table": 't = {"put": xs.append}\nt["put"](1)',
    "a table that is asked": 't = {"put": xs.append}\nt.get("put")(1)\nfor f in t.values(): f(1)',
    "a table of tables": "t = [[xs.append]]\nfor part in t:\n    for f in part: f(1)",
    "an attribute": "class A:\n    def __init__(self): self.f = xs.append\n    def go(self): self.f(1)\nA().f(2)",
    "an argument": "def call(f, *a): f(*a)\ncall(xs.append, 1)",
    "one of several": "def call(*fs):\n    for f in fs: f(1)\ncall(1, xs.append)",
    "by keyword": "def call(*, f, **more): f(1)\ncall(f=xs.append)",
    "to a method": "class A:\n    def go(self, f): f(1)\n    def run(self): self.go(xs.append)",
    "to an object": "class A:\n    def __init__(self, f): self.f = f\nA(xs.append).f(1)",
    "to a dataclass": "@dataclass\nclass A:\n    f: object\nA(xs.append).f(1)",
    "a result": "def get(): return xs.append\nget()(1)",
    "a result of a result": "def get(): return lambda: xs.append\nget()()(1)",
    "a lambda": "(lambda f: f(1))(xs.append)",
    "a named lambda": "call = lambda f: f(1)\ncall(xs.append)",
    "a choice": "(xs.append if xs else xs.pop)(1)\n(None or xs.append)(2)",
    "a comprehension": "[f(1) for f in [xs.append]]",
    "a default": "def go(f=xs.append): f(1)\ngo()",
    "a generator": "def fs(): yield xs.append\nfor f in fs(): f(1)",
    "told": "print(xs.append, f'{xs.append}', xs.append is None, callable(xs.append))",
    "matched": "match [xs.append]:\n    case [f]: f(1)",
    "put into a list": "fs = []\nfs.append(xs.append)\nfor f in fs: f(1)",
    "by a constant name": 'getattr(self, "f")(1)\nself.f = xs.append',
}
ESCAPES = {
    "to others": "lib.run(xs.append)",
    "to others by name": "f = xs.append\nlib.run(f)",
    "to others by keyword": "lib.run(target=xs.append)",
    "in a list": "lib.run([1, xs.append])",
    "in a dict": "lib.run({1: xs.append}.values())",
    "a table": "t = {1: xs.append}\nlib.run(t)",
    "a table of tables": "t = [[xs.append]]\nfor part in t: lib.run(part)",
    "part of a table": 't = {"put": xs.append}\nlib.run(t["put"])\nlib.run(2)',
    "put into a list": "fs = []\nfs.append(xs.append)\nlib.run(fs)",
    "put into another name of it": "fs = gs = []\nhs = gs\nhs.append(xs.append)\nlib.run(gs)",
    "put there by key": "d = {}\nd[1] = xs.append\nlib.run(d)",
    "added": "fs = []\nfs += [xs.append]\nlib.run(fs)",
    "unpacked": "f, g = xs.append, 1\nlib.run(f)",
    "starred": "fs = [xs.append]\nlib.run(*fs)\nlib.run(2)",
    "concatenated": "fs = [xs.append]\nlib.run(fs + [1])",
    "an argument": "def go(f): lib.run(f)\ngo(xs.append)",
    "one of several": "def go(*fs): lib.run(fs)\ngo(xs.append)",
    "by keyword": "def go(**fs): lib.run(fs)\ngo(f=xs.append)",
    "handed on": "def one(f): two(f)\ndef two(f): lib.run(f)\none(xs.append)",
    "a result": "def get(): return xs.append\nlib.run(get())",
    "a generator": "def fs(): yield xs.append\nlib.run(fs())",
    "a generator that is called by others": "def fs(): yield xs.append\nlib.run(fs)",
    "of a lambda": "lib.run(lambda: xs.append)",
    "a closure": "def get():\n    f = xs.append\n    return lambda: f\nlib.run(get()())",
    "an attribute": "class A:\n    def __init__(self): self.f = xs.append\nlib.run(A().f)",
    "an attribute by name": 'class A:\n    def __init__(self): self.f = xs.append\nlib.run(A(), "f")',
    "any attribute": "class A:\n    def __init__(self): self.f = xs.append\nlib.run(vars(A()).values())",
    "any attribute by name": "class A:\n    def __init__(self): self.f = xs.append\nlib.run(getattr(A(), name))",
    "a variable by name": "def main():\n    f = xs.append\n    lib.run(locals())",
    "of others": "lib.hook = xs.append",
    "in a list of others": "lib.hooks.append(xs.append)",
    "an attribute of a class": "class A:\n    f = xs.append\nlib.run(A.f)",
    "a default": "def go(f=xs.append): lib.run(f)",
    "a comprehension": "lib.run([f for f in [xs.append]])",
    "a special method gives it": "class A:\n    def __iter__(self): return iter([xs.append])",
    "a decorator": "@xs.append\ndef f(): pass",
    "its call": "xs.append.__call__(1)\nf = xs.append.__call__",
    "to a parameter that is called as a function is": "def go(f): f(xs.append)\ndef f(g): g(1)",
    "to a variable that is called as a function is": "def f(g): g(1)\nf = f or lib.run\nf(xs.append)",
    "a callback": "iter(xs.append, 1)",
    "a key": "sorted([1], key=xs.append)",
    "in turn": "list(map(xs.append, [1]))",
    "asked for": "a = (f := xs.append)\nlib.run(a)",
    "awaited": "async def main(): await lib.run(xs.append)",
    "raised": "raise Error(xs.append)",
    "global": "def main():\n    global f\n    f = xs.append\ndef other(): lib.run(f)",
    "nonlocal": "def main():\n    f = None\n    def inner():\n        nonlocal f\n        f = xs.append\n    lib.run(f)",
    "a property": "class A:\n    @property\n    def f(self): return xs.append\nlib.run(A().f)",
    "umlauts before it": "'äöü'; lib.run(xs.append)",
}


# Names that stand for what calls of themselves give, and hold themselves.
CIRCLE = """
class A:
    @property
    def f(self):
        self.f.append(self.f())
        return self.f
    @property
    def g(self):
        self.g.append(self.f()())
        self.f().append(self.g)
        return self.g(self.f)
def h(): return h
h = h()()
A().f.append(h)
h.append(A().f)
t = A().f
t.append(xs.append)
"""


def test_values_that_go_in_circles_come_to_an_end() -> None:
    assert _holders(CIRCLE) is not None
    assert _holders(CIRCLE + "lib.run(h)") is None


def _holders(program: str) -> set[str] | None:
    """What may hold the first `xs.append`; None where it escapes."""
    text = f"import lib\n{program}\n"
    for number, line in enumerate(text.split("\n"), 1):
        if (column := line.find("xs.append")) >= 0:
            flow = ValueFlow(text)
            method = flow.method_at(Range(number, column, number, column + len("xs.append")))
            assert method is not None
            return flow.holders_of(method)
    raise AssertionError


@pytest.mark.parametrize("name", STAYS)
def test_what_code_of_the_file_alone_calls_does_not_escape(name: str) -> None:
    assert _holders(STAYS[name]) is not None


@pytest.mark.parametrize("name", ESCAPES)
def test_what_others_may_get_escapes(name: str) -> None:
    assert _holders(ESCAPES[name]) is None


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("a.push(1)", False),
        ("from stacks import push", True),
        ("from stacks import *\nf(push)", True),
        ("from stacks import *\nf(pop)", False),
        ("import stacks\nstacks.push(1)", True),
        ("f(a.push)", True),
        ("a.get()", True),
        ("getattr(a, 'push')", True),
        ("getattr(a, 'pu' + end)", True),
        ("getattr(a, f'visit_{end}')", False),
        ("getattr(a, name)(1)", True),
        ("vars(a)", True),
        ("a.__dict__", True),
        ("push = 1; f(push)", False),
    ],
)
def test_what_other_files_do_with_a_name(text: str, is_so: bool) -> None:
    assert escapes_elsewhere(text, ["push", "get()"]) is is_so
