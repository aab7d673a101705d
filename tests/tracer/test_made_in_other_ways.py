"""Objects that `copy` and `pickle` make by what is no `__new__` or `__init__` of a class statement, and show to the program before
they are filled; objects that are not held, changed by a library."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import looked_at, run

from algotrace.trace import Trace

HEAD = """
import copy, copyreg, functools, pickle
from dataclasses import dataclass
def look(x): print({name: value for name, value in vars(x).items()})
def shown(x): look(x); return x
def new(cls, *a): return shown(object.__new__(cls))
def init(self, n=0): self.n = n; look(self)
def reduced(self): return D, (3,), {"m": 1}
def deco(f):
    @functools.wraps(f)
    def inner(self, *a): f(self, *a); look(self)
    return inner
def making(f):
    @functools.wraps(f)
    def inner(cls, *a): return shown(f(cls, *a))
    return inner
class D: pass
"""
WAYS = {
    "stored": "D.__new__ = new",
    "a lambda": "class D:\n    __new__ = lambda cls, *a: shown(object.__new__(cls))",
    "a lambda that is stored": "D.__new__ = lambda *a: shown(object.__new__(a[0]))",
    "under two names": "class D:\n    def make(cls, *a): return shown(object.__new__(cls))\n    __new__ = make",
    "by setattr": "setattr(D, '__new__', new)",
    "by type": "D = type('D', (), {'__new__': new})",
    "in names": "ns = {}\nns['__new__'] = new\nD = type('D', (), ns)",
    "of a metaclass": """
class M(type):
    def __new__(m, n, b, ns): return type.__new__(m, n, b, ns | {'__new__': new})
class D(metaclass=M): pass
""",
    "an object": "class N:\n    def __call__(self, cls, *a): return shown(object.__new__(cls))\nD.__new__ = N()",
    "a partial": "D.__new__ = functools.partial(lambda k, cls, *a: shown(object.__new__(cls)), 1)",
    "under another name": "make = new\nD.__new__ = make",
    "decorated": "class D:\n    @making\n    def __new__(cls, *a): return object.__new__(cls)",
    "an __init__ that is stored": "class D:\n    __reduce__ = reduced\nD.__init__ = init",
    "an __init__ that is decorated": "class D:\n    @deco\n    def __init__(self, n=0): self.n = n\n    __reduce__ = reduced",
    "a __reduce__ that is stored": "class D:\n    def __init__(self, n=0): self.n = n; look(self)\nD.__reduce__ = reduced",
    "a __reduce__ of copyreg": "class D:\n    def __init__(self, n=0): self.n = n; look(self)\ncopyreg.pickle(D, reduced)",
    "out of a list": "def made(n): return shown(D())\nmakers = [made]\nD.__reduce__ = lambda self: (makers[0], (3,), {'m': 1})",
    "by an object": """
class Maker:
    def __call__(self, n): return shown(D())
class D:
    def __reduce__(self): return Maker(), (3,), {"m": 1}
""",
    "by a metaclass": """
class M(type):
    def __call__(cls, *a): return shown(type.__call__(cls, *a))
class D(metaclass=M):
    __reduce__ = reduced
    def __init__(self, n=0): self.n = n
""",
    "a dataclass": """
@dataclass
class D:
    n: int = 0
    def __post_init__(self): look(self)
    def __reduce__(self): return D, (self.n,), {"m": 1}
""",
    "asked for attributes": """
class D:
    def __getattr__(self, name):
        if name == "__setstate__": look(self)
        raise AttributeError(name)
""",
    "stored with code of the class": """
class D:
    __slots__ = ("a", "__dict__")
    def __setattr__(self, name, value): look(self); object.__setattr__(self, name, value)
""",
    "a state of its own": "class D:\n    def __setstate__(self, state): look(self); self.__dict__ |= state; look(self)",
    "an exception": "class D(Exception):\n    def __init__(self, n=0): super().__init__(n); self.n = n; look(self)",
}
MAKING = """
d = D(); d.k = 7; look(d)
for make in (copy.copy, copy.deepcopy):
    look(make(d))
    for other in map(make, iter([d])): look(other)
p = pickle.dumps(d)
look(pickle.loads(p))
for other in map(pickle.loads, iter([p])): look(other)
load = pickle.loads
look(load(p))
"""
LIBRARY = """
def annotate(e): e.info = 1
def back(f, e):
    e.k = 5
    f(e)
    e.items.append(6)
    f(e)
class Holder:
    def __init__(self, e): self.e = e
    def go(self): self.e.z = 1
"""
NOT_HELD = """
import strange
def look(x): print({name: value for name, value in vars(x).items()})
class X(Exception):
    def __init__(self, n): self.items = []
class G:
    def __init__(self, n): self.items = []
    def __del__(self): pass
for cls in (X, G):
    x = cls(1); look(x); strange.annotate(x); look(x)
    x = cls(1); strange.back(look, x); look(x)
    x = cls(1); h = strange.Holder(x); look(x); h.go(); look(x)
try: raise X(3)
except X as e: look(e); strange.annotate(e); look(e)
"""


def states(folder: Path, source: str, *options: str) -> list[tuple[str, str, bool]]:
    """What was there, what the trace says was there, and whether it is sure."""
    process, path, _ = run(folder, source, "--quiet", *options)
    assert process.returncode == 0, process.stderr
    trace = Trace.open(path)
    told = looked_at(trace)
    found = []
    for line, value in zip(process.stdout.splitlines(), told, strict=True):
        parts = [
            part for part in value.parts(0, 100) if part.path.startswith(".") and part.path[1:].isidentifier()
        ]
        text = {part.path[1:]: part.value for part in parts}
        inside = ", ".join(f"{name!r}: {part.text(100).text}" for name, part in text.items() if name != "a")
        sure = value.certain and all(part.certain for part in text.values())
        found.append((line, f"{{{inside}}}", sure))
    return found


@pytest.mark.parametrize("way", WAYS)
def test_objects_that_are_made_in_other_ways(way: str, tmp_path: Path) -> None:
    found = states(tmp_path, HEAD + WAYS[way] + MAKING)
    assert len(found) >= 8
    assert [state for state in found if state[2] and state[0] != state[1]] == []


@pytest.mark.parametrize(
    "way", ["stored", "a lambda", "decorated", "in names", "an __init__ that is decorated"]
)
def test_what_copy_makes_is_known(way: str, tmp_path: Path) -> None:
    found = states(tmp_path, HEAD + WAYS[way] + MAKING[: MAKING.index("p = ")])
    assert len(found) >= 9
    assert [(line, True) for line, _, _ in found] == [(text, sure) for _, text, sure in found]


def test_objects_that_are_not_held_are_not_certain_once_a_library_had_them(tmp_path: Path) -> None:
    (tmp_path / "strange.py").write_text(LIBRARY)
    found = states(tmp_path, NOT_HELD, "--exclude", "strange.py")
    assert len(found) == 16
    assert [state for state in found if state[2] and state[0] != state[1]] == []
