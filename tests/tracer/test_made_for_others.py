"""Objects that the program gives to who fills them, however that is called: what they were like when it had them in hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import looked_at, run

from algotrace.trace import Trace

HEAD = """
import collections, concurrent.futures, copy, enum, functools, pickle, threading, types
from dataclasses import dataclass, field, replace
def show(x):
    if isinstance(x, (int, str)): return repr(x)
    inside = ", ".join(f"{name}={show(value)}" for name, value in getattr(x, "__dict__", {}).items())
    if isinstance(x, (list, collections.deque)):
        parts = ", ".join(map(show, list(x)))
        return f"[{parts}]" if type(x) is list else f"{type(x).__name__}([{parts}])"
    return f"{type(x).__name__}({inside})"
def look(x): print(show(x))
"""
MADE = """
class D:
    def __new__(cls, *a):
        SEES
        o = object.__new__(cls)
        look(o)
        return o
class E:
    def __init__(self, n): self.n = n
    def __reduce__(self): return (E.made, (5,), {"m": 1})
    @classmethod
    def made(cls, n):
        SEES
        e = cls(n)
        look(e)
        return e
class F:
    def __init__(self, n): self.n = n
    def __reduce__(self): return (made, (), {"m": 1})
def made():
    SEES
    f = F(6)
    look(f)
    del f.n
    look(f)
    return f
d = D(); d.n = 1
some = [d, E(2), F(3)]
for x in some: look(x)
"""
WAYS = {
    "map": "for x in map(copy.copy, some): look(x)",
    "list of a map": "for x in list(map(copy.deepcopy, some)): look(x)",
    "another name": "f = copy.copy\nfor x in some: look(f(x))",
    "a table": "fs = {'c': copy.deepcopy}\nfor x in some: look(fs['c'](x))",
    "a default": "def g(x, clone=copy.copy): return clone(x)\nfor x in some: look(g(x))",
    "partial": "for x in some: look(functools.partial(copy.copy, x)())",
    "a thread": "for x in some: t = threading.Thread(target=copy.copy, args=(x,)); t.start(); t.join()",
    "a pool": """
with concurrent.futures.ThreadPoolExecutor(1) as pool:
    for x in some: pool.submit(copy.deepcopy, x).result()
""",
    "loads by map": "for x in map(pickle.loads, list(map(pickle.dumps, some))): look(x)",
    "loads by another name": "f = pickle.loads\nfor x in some: look(f(pickle.dumps(x)))",
    "loads in a thread": """
load = pickle.loads
for x in some: t = threading.Thread(target=load, args=(pickle.dumps(x),)); t.start(); t.join()
""",
    "written in Python": "f = pickle._loads\nfor x in some: look(f(pickle.dumps(x)))",
}
IN_THREADS = ("a thread", "a pool", "loads in a thread")
CLASSES = {
    "an enum": """
class Color(enum.Enum):
    RED = 1, "r"
    BLUE = 2, "b"
    def __new__(cls, value, label):
        o = object.__new__(cls)
        o._value_ = value
        look(o)
        o.label = label
        look(o)
        return o
""",
    "a dataclass": """
@dataclass
class P:
    a: int
    b: int = 3
    def __new__(cls, *a, **k):
        o = object.__new__(cls)
        look(o)
        return o
    def __post_init__(self):
        look(self)
        self.c = 1
        look(self)
p = P(1)
look(replace(p, b=5))
""",
    "an action": """
import argparse
class Act:
    def __init__(self, option_strings, dest, **more):
        self.dest = dest
        look(self)
        self.option_strings, self.help, self.nargs = option_strings, "", None
        self.required = self.const = self.default = self.type = self.choices = self.metavar = None
    def __call__(self, parser, namespace, value, option=None): setattr(namespace, self.dest, value)
parser = argparse.ArgumentParser()
for n in range(4): parser.add_argument(f"--x{n}", action=Act)
parser.parse_args(["--x1", "1"])
""",
    "an __init__ in C": """
class S(types.SimpleNamespace):
    def __new__(cls, *a, **k):
        o = super().__new__(cls)
        look(o)
        return o
look(S(a=1))
class L(list):
    def __new__(cls, *a):
        o = list.__new__(cls)
        look(o)
        return o
    def append(self, x):
        look(self)
        super().append(x)
l = L([1, 2]); l.t = 1
look(l)
for y in map(copy.copy, [l]): look(y)
for y in map(copy.deepcopy, [l]): look(y)
for y in map(pickle.loads, [pickle.dumps(l)]): look(y)
""",
}
REGISTRY = """
class Node:
    all = []
    def __new__(cls, *a):
        o = object.__new__(cls)
        Node.all.append(o)
        for x in Node.all[-4:]: look(x)
        return o
    def __init__(self, v, next=0): self.v = v; self.next = next
head = 0
for i in range(4): head = Node(i, head)
for make in (copy.deepcopy, lambda x: FUNCTION(pickle.dumps(x))):
    Node.all.clear()
    for other in map(make, [head]): pass
    for x in Node.all: look(x)
"""


def check(source: str, folder: Path, *, least: int) -> tuple[int, int]:
    """How many states were looked at, and how many are certain; none of these is another one than was there."""
    process, path, _ = run(folder, HEAD + source)
    trace = Trace.open(path)
    told = looked_at(trace)
    seen = process.stdout.splitlines()
    assert len(seen) >= least, process.stderr
    pairs = [(value.text(300).text, value.certain, is_so) for value, is_so in zip(told, seen, strict=True)]
    assert not [pair for pair in pairs if pair[1] and pair[0] != pair[2]]
    return len(pairs), sum(certain for _, certain, _ in pairs)


@pytest.mark.parametrize("sees", ["pass", "locals()"])
@pytest.mark.parametrize("way", WAYS)
def test_objects_are_known_before_they_are_filled(way: str, sees: str, tmp_path: Path) -> None:
    count, certain = check(MADE.replace("SEES", sees) + WAYS[way], tmp_path, least=8)
    # Nor where other threads may have changed something meanwhile.
    assert certain == count or ((sees != "pass" or way in IN_THREADS) and certain >= count // 2)


@pytest.mark.parametrize("kind", CLASSES)
def test_objects_are_known_before_their_class_fills_them(kind: str, tmp_path: Path) -> None:
    count, certain = check(CLASSES[kind], tmp_path, least=4)
    assert certain == count


DICTS = r"""
import configparser, plistlib
class D(dict):
    def __init__(self, *a): super().__init__(*a); look(self)
    def items(self): look(self); return super().items()
class P(dict):
    def __init__(self, *a): super().__init__(*a); look(self)
def show(x):
    if isinstance(x, dict): return f"{type(x).__name__}({{{', '.join(f'{key!r}: {show(x[key])}' for key in dict.keys(x))}}})"
    return repr(x)
parser = configparser.ConfigParser(dict_type=D)
parser.read_string("[a]\nx=1\ny=2\n[b]\nz=1")
plist = "<plist version='1.0'><dict><key>a</key><dict><key>b</key><integer>1</integer></dict></dict></plist>"
plistlib.loads(("<?xml version='1.0'?>" + plist).encode(), dict_type=P)
"""


def test_dicts_that_a_library_fills_are_known_before_or_not_certain(tmp_path: Path) -> None:
    count, certain = check(DICTS, tmp_path, least=10)
    assert 2 < certain <= count


@pytest.mark.parametrize("function", ["pickle.loads", "(lambda load: load)(pickle.loads)", "pickle._loads"])
def test_objects_that_are_not_filled_yet_are_known_while_others_are_made(
    function: str, tmp_path: Path
) -> None:
    count, certain = check(REGISTRY.replace("FUNCTION", function), tmp_path, least=38)
    assert certain > count * 3 // 4
