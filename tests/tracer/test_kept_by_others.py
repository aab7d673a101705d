"""What libraries keep in places of their own, and change and change back when they are not handed it, is not certain.

`KEPT_PIECES` sets how many random pieces, `KEPT_FIRST` the first seed.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from recorded import looked_at, record, run
from watched_states import looks

from algotrace.trace import Trace

PIECES = int(os.environ.get("KEPT_PIECES", "60"))
FIRST = int(os.environ.get("KEPT_FIRST", "0"))

LIBRARY = """
import contextlib, contextvars, functools, threading
KEPT = []
class Places:
    held = {}
VARIABLE = contextvars.ContextVar("variable", default=())
LOCAL = threading.local()
def make_closure():
    inside = []
    def keep(thing): inside.append(thing)
    def kept(): return inside
    return keep, kept
keep_inside, kept_inside = make_closure()
@functools.lru_cache
def cached(thing): return [thing]
def keep(thing, way=0):
    if way == 0: KEPT.append(thing)
    elif way == 1: Places.held[len(Places.held)] = [thing]
    elif way == 2: VARIABLE.set((*VARIABLE.get(), thing))
    elif way == 3: keep_inside(thing)
    else: keep.things.append(thing)
keep.things = []
def kept():
    held = [thing for things in Places.held.values() for thing in things]
    return [*KEPT[-3:], *held[-3:], *VARIABLE.get()[-3:], *kept_inside()[-3:], *keep.things[-3:]]
DONE = []
def put():
    DONE.append(kept())
    for thing in DONE[-1]:
        if isinstance(thing, list): thing.append(99)
        elif isinstance(thing, dict): thing[99] = thing.get(99, 0) + 1
        else: thing.n += 1
def take():
    for thing in DONE.pop() if DONE else ():
        if isinstance(thing, list): thing[-1:] = []
        elif isinstance(thing, dict):
            thing[99] = thing.get(99, 1) - 1
            if not thing[99]: del thing[99]
        else: thing.n -= 1
def amid(function, *given):
    put()
    try: return function(*given)
    finally: take()
def twice(function, *given):
    put(); function(*given); take(); function(*given); put(); function(*given); take()
@contextlib.contextmanager
def around(*given):
    put()
    yield
    take()
def each(*given):
    put(); yield 1
    take(); yield 2
    put(); take()
def idle(*given): pass
def in_thread(function, *given):
    thread = threading.Thread(target=amid, args=(function, *given)); thread.start(); thread.join()
"""
HEAD = """
import library
class Thing:
    def __init__(self, n): self.n = n
def ask(*things):
    for thing in things: look(thing)
    return things[-1] if things else None
"""


def piece(seed: int) -> str:
    """A piece of a program that lets a library have some things, and looks at them amid what that does."""
    pick = random.Random(seed)
    names = ["a", "b", "c", "d"]
    lines = ["a, b, c, d = [1], {1: 2}, Thing(3), [4]"]

    def some() -> str:
        return ", ".join(pick.sample(names, pick.randrange(3)))

    def function() -> str:
        return pick.choice(
            ["ask", f"(lambda *things: ask({some()}))", f"(lambda *things: library.amid(ask, {some()}))"]
        )

    def statement(depth: int) -> list[str]:
        name, other = pick.sample(names, 2)
        choice = pick.randrange(13)
        if choice < 2:
            return [f"library.keep({name}, {pick.randrange(5)})"]
        if choice == 2:
            return [f"library.{pick.choice(['put', 'take', 'idle'])}()"]
        if choice < 5:
            return [f"library.{pick.choice(['amid', 'twice', 'in_thread'])}({function()}, {some()})"]
        if choice == 5:
            return [f"library.idle({name})"]
        if choice == 6:
            return [
                pick.choice(["a.append(5)", "b[5] = 6", "c.n = 7", "d[:] = [8]", "a = [9]", "c = Thing(1)"])
            ]
        if choice < 9 and depth < 2:
            head = pick.choice([f"with library.around({some()}):", f"for _ in library.each({some()}):"])
            inside = [line for _ in range(2) for line in statement(depth + 1)] + [f"look({name})"]
            return [head, *(f"    {line}" for line in inside)]
        return [f"look({name}); look({other})"]

    for _ in range(12):
        lines += statement(0)
    return "\n".join([*lines, "ask(a, b, c, d)"])


@pytest.mark.parametrize("place", ["module", "function", "sees its locals"])
def test_what_a_library_keeps_and_changes_back_is_not_certain(place: str, tmp_path: Path) -> None:
    (tmp_path / "library.py").write_text(LIBRARY)
    pieces = {str(seed): piece(seed) for seed in range(FIRST, FIRST + PIECES)}
    found = looks(tmp_path, pieces, place, "--exclude", "library.py", head=HEAD)
    assert len(found) > 10 * PIECES
    assert not [look for look in found if look.certain and look.told != look.seen]
    assert any(look.told != look.seen for look in found)
    assert sum(look.certain for look in found) > 0.3 * len(found)


OWN_THINGS = """
CONFIG = [1]
class Option: names = []
OPTION = Option(); OPTION.names = Option.names
def change(): CONFIG.append(2); Option.names.append("x")
def back(): CONFIG.pop(); Option.names.pop()
def get(): return CONFIG
"""


def test_what_a_library_has_that_the_program_looks_at_is_not_certain(tmp_path: Path) -> None:
    (tmp_path / "library.py").write_text(OWN_THINGS)
    source = """
    import library
    from library import CONFIG
    def look(thing): print(thing)
    for thing in (library.CONFIG, library.OPTION.names):
        look(thing); library.change(); look(thing); library.back(); look(thing)
    look(CONFIG); library.change(); look(CONFIG); library.back()
    """
    process, path, _ = run(tmp_path, source, "--exclude", "**/library.py")
    told = [(value.text().text, value.certain) for value in looked_at(Trace.open(path))]
    seen = process.stdout.splitlines()
    assert len(seen) == 8
    assert not [
        (text, is_so) for (text, certain), is_so in zip(told, seen, strict=True) if certain and text != is_so
    ]


# What the standard library's own code changes in its modules.
STANDARD = {
    "warnings.filters": "warnings.simplefilter('ignore')",
    "logging.root.handlers": "logging.basicConfig()",
    "mimetypes.types_map": "mimetypes.add_type('a/b', '.zzz')",
    "sys.path": "site.addsitedir('.')",
    "copyreg.dispatch_table": "copyreg.pickle(collections.Counter, len)",
    "email.charset.ALIASES": "email.charset.add_alias('a', 'b')",
    "sys.modules": "__import__('wave')",
}


def test_containers_of_modules_that_are_not_recorded_are_not_certain(tmp_path: Path) -> None:
    lines = [f"look({name}); {change}; look({name})" for name, change in STANDARD.items()]
    source = "import collections, copyreg, email.charset, logging, mimetypes, site, sys, warnings\nmimetypes.init()\n"
    source += "def look(thing): print(len(thing))\n" + "\n".join([*lines, "look(sys.argv)"])
    told = looked_at(record(tmp_path, source))
    assert [value.certain for value in told] == [False] * (2 * len(STANDARD)) + [True]


def test_what_nobody_keeps_stays_certain(tmp_path: Path) -> None:
    (tmp_path / "library.py").write_text(LIBRARY)
    source = """
    import library, collections
    class Thing: pass
    def look(thing): pass
    def main():
        thing = Thing(); thing.items = [1]
        look(thing); library.idle(thing); look(thing)
        library.amid(look, thing); look(thing)
        with library.around(thing): look(thing)
        library.keep([2]); thing.items.append(3)
        look(thing); look(thing.items)
    main()
    """
    assert all(value.certain for value in looked_at(record(tmp_path, source, "--exclude", "**/library.py")))


IN_A_LOOP = """
things = [9]
for _ in range(2):
    library.put()
    library.keep(things, 2)
    look(things)
"""
LOOPS = {
    "module": IN_A_LOOP,
    "function": f"def main():{textwrap.indent(IN_A_LOOP, '    ')}main()",
    "sees its locals": f"def main():\n    locals(){textwrap.indent(IN_A_LOOP, '    ')}main()",
}


@pytest.mark.parametrize("place", LOOPS)
def test_what_one_call_leaves_is_not_taken_for_what_the_next_one_changes(place: str, tmp_path: Path) -> None:
    """What the call before in a loop had in hand was taken for what this one has."""
    (tmp_path / "library.py").write_text(LIBRARY)
    source = f"import library\ndef look(thing): print(thing)\n{LOOPS[place]}"
    process, path, _ = run(tmp_path, source, "--exclude", "**/library.py")
    told = [(value.text().text, value.certain) for value in looked_at(Trace.open(path))]
    seen = process.stdout.splitlines()
    assert seen == ["[9]", "[9, 99]"]
    assert not [
        (text, now) for (text, certain), now in zip(told, seen, strict=True) if certain and text != now
    ]


OWN_ATTRIBUTES = """
import library, string
class Loud(dict):
    def values(self): print("values"); return dict.values(self)
    def items(self): print("items"); return dict.items(self)
    def __iter__(self): print("iter"); return dict.__iter__(self)
class Held:
    @property
    def value(self): print("value")
    def __getattr__(self, name): print("attribute", name); raise AttributeError(name)
class Lists(list):
    def __iter__(self): print("iter"); return list.__iter__(self)
class Meta(type):
    def __hash__(cls): print("hash"); return 1
    def __eq__(cls, other): print("equal"); return cls is other
class Odd(metaclass=Meta): pass
held = Held()
held.__dict__ = Loud(things=[1])
string.held, string.lists, string.odd = held, Lists([held]), Odd()
library.keep(held); library.keep(Lists([held])); library.keep(Odd())
print("end")
"""


def test_no_code_of_the_program_is_called_when_places_are_gone_through(tmp_path: Path) -> None:
    (tmp_path / "library.py").write_text(LIBRARY)
    process, path, program = run(tmp_path, OWN_ATTRIBUTES, "--quiet", "--exclude", "**/library.py")
    plain = subprocess.run([sys.executable, program], capture_output=True, text=True, cwd=tmp_path)
    assert (process.stdout, process.returncode) == (plain.stdout, 0), process.stderr
    assert process.stdout == "end\n"
    assert path.exists()
