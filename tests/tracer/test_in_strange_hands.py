"""Objects of the program that a library makes, or calls it back with, and changes in between: what they were like then."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import looked_at, run

from algotrace.trace import Trace

LIBRARY = """
import threading
def make(cls):
    o = cls(1)
    o.x = 5
    return o
def make_of(classes):
    return make(classes[0])
def use(cls):
    o = cls(1)
    o.x = 5
    o.go()
    o.y = 6
    o.go()
    o.y = 7
def in_thread(cls):
    t = threading.Thread(target=use, args=(cls,)); t.start(); t.join()
def later(f, cls):
    o = cls(1)
    def go():
        o.x = 5
        f(o)
        o.x = 6
        f(o)
        o.x = 7
    t = threading.Thread(target=go); t.start(); t.join()
async def use_async(cls):
    import asyncio
    o = cls(2)
    o.x = 5
    await asyncio.sleep(0)
    o.go()
    o.x = 6
    await asyncio.sleep(0)
    o.go()
    o.x = 7
def each(cls):
    o = cls(3)
    o.x = 5
    yield o
    o.x = 6
    o.go()
    o.x = 7
    yield o
    o.x = 8
    o.go()
    o.x = 9
def many(cls, count):
    made = [cls(n) for n in range(count)]
    for o in made: o.x = 1
    for o in made: o.go()
    for o in made: o.x = 2
    for o in made[:3]: o.go()
kept = []
def register(o): kept.append(o)
def keep(cls): kept.append(cls(2))
def fire():
    for o in kept:
        o.x = 5
        o.go()
        o.x = 6
        o.go()
        o.x = 7
def change():
    for o in kept: o.x = 15
def each_kept():
    for o in kept:
        o.x = 25
        yield o
        o.x = 26
class Base:
    def template(self):
        self.a = 1
        self.hook()
        self.a = 2
        self.hook()
        self.b = 3
"""
HEAD = """
import asyncio, library
def look(o): print(o.__dict__)
class P:
    def __init__(self, n):
        SEES
        self.n = n
        look(self)
    def go(self):
        SEES
        look(self)
class N:
    def __new__(cls, n):
        SEES
        o = object.__new__(cls)
        look(o)
        return o
    def __init__(self, n):
        self.n = n
        look(self)
    def go(self): look(self)
class K:
    all = []
    def __init__(self, n):
        SEES
        self.n = n
        K.all.append(self)
    def go(self):
        for o in K.all[:2]: look(o)
class D(library.Base):
    def __init__(self): look(self)
    def hook(self):
        SEES
        look(self)
"""
USES = {
    "made": "for C in (P, N): look(library.make(C)); look(library.make_of((C,)))",
    "used": "for C in (P, N, K): library.use(C)",
    "used in a thread": "for C in (P, N): library.in_thread(C)",
    "handed to a thread": "for C in (P, N): library.later(look, C)",
    "used by a coroutine": "for C in (P, N): asyncio.run(library.use_async(C))",
    "used by tasks": """
async def main():
    for C in (P, N):
        task = asyncio.ensure_future(library.use_async(C))
        await asyncio.sleep(0)
        await task
        await asyncio.gather(library.use_async(C), library.use_async(C))
asyncio.run(main())
""",
    "handed out": "for C in (P, N):\n    for o in library.each(C): look(o)\n    look(list(library.each(C))[0])",
    "many": "for C in (P, N): library.many(C, 30)",
    "kept": """
for C in (P, N):
    p = C(1)
    library.register(p); look(p)
    library.fire(); look(p)
    library.fire(); look(p)
    library.change(); look(p)
    for o in library.each_kept(): look(o); look(p)
    look(p)
    library.keep(C); look(p)
    library.fire(); look(p)
    library.change(); look(p)
""",
    "by a base": "d = D(); d.template(); look(d)",
}
LEAST_CERTAIN = {"many": 0.5, "handed to a thread": 0.2, "used by tasks": 0.2, "kept": 0.2, "by a base": 0}


@pytest.mark.parametrize("sees", ["pass", "locals()"])
@pytest.mark.parametrize("use", USES)
def test_what_strangers_do_to_objects_they_make_is_told_or_not_certain(
    use: str, sees: str, tmp_path: Path
) -> None:
    (tmp_path / "library.py").write_text(LIBRARY)
    process, path, _ = run(tmp_path, HEAD.replace("SEES", sees) + USES[use], "--exclude", "**/library.py")
    assert process.returncode == 0, process.stderr
    trace = Trace.open(path)
    told = looked_at(trace)
    states = [str({part.label.lstrip("."): part.value.scalar() for part in value.parts()}) for value in told]
    seen = process.stdout.splitlines()
    assert len(seen) >= 4
    assert not [
        (state, is_so)
        for state, is_so, value in zip(states, seen, told, strict=True)
        if value.certain and state != is_so
    ]
    if sees == "pass":
        assert sum(value.certain for value in told) >= len(told) * LEAST_CERTAIN.get(use, 0.7)
