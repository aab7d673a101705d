"""Objects that `copy` and `pickle` make while code of the program comes in between: what they are like at each instant."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import looked_at, run

from algotrace.trace import Trace

PROGRAM = """
import copy, pickle, io
def show(x):
    if isinstance(x, int): return repr(x)
    return f"{type(x).__name__}({', '.join(f'{name}={show(value)}' for name, value in vars(x).items())})"
def look(x): print(show(x))
def loaded(x): return LOADED
class C:
    def __new__(cls, *a):
        o = object.__new__(cls)
        SEES
        o.tag = 1
        look(o)
        return o
    def __init__(self, n): self.n = n
    def __setstate__(self, s):
        self.x = 1
        look(self)
        self.y = 2
        look(self)
        helper(self)
        look(self)
        self.__dict__.update(s)
class D(C):
    def __reduce__(self):
        return (make, (), {"q": 3})
    __setstate__ = None
    del __setstate__
class E:
    def __new__(cls, *a):
        o = object.__new__(cls)
        SEES
        look(o)
        o.t = K()
        return o
class K:
    def __new__(cls):
        o = object.__new__(cls)
        SEES
        look(o)
        return o
class F:
    def __reduce__(self):
        return (make, (), {"q": 3}, iter([1,2]))
    def append(self, x):
        SEES
        look(self)
        self.items = getattr(self, "items", 0) + x
    def extend(self, xs):
        for x in xs: self.append(x)
def make():
    SEES
    o = F()
    look(o)
    return o
def helper(o): o.z = 3
c = C(5)
look(c)
d = copy.copy(c)
look(d)
d = loaded(c); look(d)
e = E(); e.a = 1
look(e)
d = copy.copy(e); look(d); look(d.t)
d = copy.deepcopy(e); look(d); look(d.t)
f = F()
d = copy.copy(f); look(d)
d = copy.deepcopy(f); look(d)
d = loaded(f); look(d)
def ident(o):
    SEES
    o.i = 1
    look(o)
    o.j = 1
    return o
class G:
    def __new__(cls, *a):
        SEES
        o = object.__new__(cls)
        look(o)
        o.a = 1
        look(o)
        o.b = ident(o).j
        look(o)
        o.c = [ident(o) for _ in range(2)][0].j
        look(o)
        return o
    def __setstate__(self, s):
        SEES
        look(self)
        self.s = ident(self).j
        look(self)
        self.__dict__.update(s)
        self.u = 1
        look(self)
g = G(); g.n = 4; look(g)
d = copy.copy(g); look(d); d.i = 8; look(d)
d = copy.deepcopy([g, g])[0]; look(d); d.i = 8; look(d)
class H:
    def __new__(cls, *a):
        o = object.__new__(cls)
        SEES
        try:
            o.x = 1
            look(o)
            return o
        finally:
            o.y = 1
            look(o)
h = H(); h.n = 4; look(h)
d = copy.copy(h); look(d); d.i = 8; look(d)
d = loaded(h); look(d)
d = loaded(g); look(d)
"""


@pytest.mark.parametrize("sees_its_locals", [False, True])
@pytest.mark.parametrize(
    "loaded", ["pickle.loads(pickle.dumps(x))", "pickle.Unpickler(io.BytesIO(pickle.dumps(x))).load()"]
)
def test_what_makes_objects_is_watched_in_between(loaded: str, sees_its_locals: bool, tmp_path: Path) -> None:
    source = PROGRAM.replace("SEES", "locals()" if sees_its_locals else "pass").replace("LOADED", loaded)
    process, path, _ = run(tmp_path, source)
    trace = Trace.open(path)
    told = looked_at(trace)
    seen = process.stdout.splitlines()
    assert len(seen) > 70
    assert [value.text(200).text for value in told] == seen
    # Where code of the program runs whose end nobody sees, it is not always known who has changed what.
    assert sum(value.certain for value in told) >= (len(told) // 2 if sees_its_locals else len(told))


MANY = """
import copy, pickle
def look(made): print(list(vars(made[0])))
class Tree:
    def __new__(cls, *a):
        tree = object.__new__(cls)
        MADE.append(tree)
        look(MADE)
        return tree
MADE = []
tree = Tree()
tree.branches = [Tree() for _ in range(30)]
for branch in tree.branches: branch.leaf = 1
text = pickle.dumps(tree)
MADE.clear()
other = copy.deepcopy(tree)
look([other])
MADE.clear()
other = pickle.loads(text)
look([other])
look([other.branches[3]])
MADE.clear()
others = pickle.loads(pickle.dumps(tree.branches))
look(others)
"""


def test_of_many_objects_that_are_made_some_are_not_certain_but_none_is_told_wrongly(tmp_path: Path) -> None:
    process, path, _ = run(tmp_path, MANY)
    trace = Trace.open(path)
    told = looked_at(trace)
    first = [made.parts()[0].value for made in told]
    names = [[part.label.lstrip(".") for part in value.parts()] for value in first]
    seen = [eval(line) for line in process.stdout.splitlines()]
    assert len(seen) == 127
    assert not [
        (number, value.text(60).text, is_so)
        for number, (value, now, is_so) in enumerate(zip(first, names, seen, strict=True))
        if now != is_so and value.certain
    ]
    assert sum(value.certain for value in first) > 60
