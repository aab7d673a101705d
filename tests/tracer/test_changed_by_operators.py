"""Operators, properties and descriptors of a library that change what they are given, which nobody notes before: what was before is
not certain. What they leave alone stays certain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from recorded import looked_at, run

from algotrace.trace import Trace
from algotrace.values import Value

LIBRARY = """
import functools

def mark(thing): thing.marked = 1
def noted(function):
    @functools.wraps(function)
    def inner(*given): return function(*given)
    return inner

class Asked(type):
    def __eq__(cls, other): other.marked = 1; return True
    def __hash__(cls): return 1
    def __instancecheck__(cls, other): other.marked = 1; return True
    def __getitem__(cls, other): other.marked = 1
    def __contains__(cls, other): other.marked = 1; return True
class OfMeta(metaclass=Asked): pass
class Generic:
    def __class_getitem__(cls, other): other.marked = 1; return cls

class Comparing:
    def __eq__(self, other): other.marked = 1; return True
    def __lt__(self, other): other.n = 5; return True
    def __hash__(self): return 1
class ByHelper:
    def __eq__(self, other): mark(other); return True
    def __ne__(self, other): self._mark(other); return True
    def _mark(self, other): other.marked = 1
    def __hash__(self): return 1
class ByName:
    def __sub__(self, other): setattr(other, "marked", 1)
    def __gt__(self, other): vars(other)["marked"] = 1; return True
    def __lt__(self, other): other.__dict__.update(marked=1); return True
    def __ge__(self, other): object.__setattr__(other, "marked", 1); return True
    def __le__(self, other): del other.n; return True
class Decorated:
    @noted
    def __sub__(self, other): other.marked = 1
class Inside:
    def __sub__(self, other): other.items.append(1)
    def __mod__(self, other):
        for each in other: each.marked = 1
    def __mul__(self, other): [mark(each) for each in sorted(other, key=id)]
class Containers:
    def __truediv__(self, other): other.append(1)
    def __contains__(self, other): other[0] = 1; return True
    def __floordiv__(self, other): del other[0]
    def __pow__(self, other): other += [1]
    def __getitem__(self, other): other.update(x=1)
class Keeping:
    kept = None
    def __mul__(self, other): self.kept = other; return self
    def __neg__(self): self.kept.marked = 1; return self
    @property
    def value(self): self.kept.marked = 1; return 1
    def __getattr__(self, name):
        if name != "anything": raise AttributeError(name)
        self.kept.marked = 1
class Base:
    def __hash__(self): self.hashed = 1; return 1
    def __eq__(self, other): return self is other
class Catching:
    def __enter__(self): return self
    def __exit__(self, cls, error, where): error.marked = 1; return True
class Lazy:
    def __init__(self, function): self.function = function
    def __get__(self, thing, owner):
        if thing is None: return self
        thing.__dict__[self.function.__name__] = value = self.function(thing)
        return value
class Counted:
    def __set_name__(self, owner, name): self.name = name
    def __get__(self, thing, owner):
        if thing is None: return self
        setattr(thing, f"_{self.name}", 1)
        return 1
"""
HARMLESS_LIBRARY = '''
def fresh(thing): return [thing]

class Harmless:
    """What libraries do all the time."""
    other = None
    def __init__(self, *parts): self.parts, self.cache = list(parts), {}
    def __eq__(self, other):
        if not isinstance(other, Harmless): return NotImplemented
        return self.parts == other.parts
    def __hash__(self): self.hashed = hash(tuple(self.parts)); return self.hashed
    def __sub__(self, other):
        other = list(other) if isinstance(other, list) else [other]
        other.append(self)
        new = Harmless(*other)
        new.marked, new.n = 1, 2
        return new
    def __mod__(self, other): self.parts.append(other); self.cache[0] = other; return self
    def __getitem__(self, key):
        found = fresh(key)
        found.append(1)
        self.marked = 1
        self.parts.sort(key=id)
        return found
    def __rmul__(self, other): return Harmless(self, other)
    def __contains__(self, other): return other in self.parts
    def __iter__(self):
        for each in self.parts: yield each
    def __len__(self): return len(self.parts)
'''
HEAD = """
import strange
class Thing:
    def __init__(self): self.n, self.items = 1, [0]
def look(value): print(state(value), flush=True)
def state(value):
    if isinstance(value, (list, dict)): return repr(value)
    return repr(sorted((name, part) for name, part in vars(value).items() if name != "__notes__"))
"""
OWN_CLASSES = """
class Mine(strange.Base):
    def __init__(self): self.n = 1
class WithLazy:
    def __init__(self): self.n = 1
    @strange.Lazy
    def lazy(self): return 2
class WithCounted:
    counted = strange.Counted()
    def __init__(self): self.n = 1
"""
MAIN = """
def main():
    thing = Thing(); things = [0]; table = {}
"""
CHANGING = {
    "a class of a metaclass that compares": "strange.OfMeta == thing",
    "a class of a metaclass that is asked for instances": "isinstance(thing, strange.OfMeta)",
    "an item of a class": "strange.OfMeta[thing]",
    "looked for in a class": "thing in strange.OfMeta",
    "a generic class": "strange.Generic[thing]",
    "compared": "strange.Comparing() == thing",
    "compared from the other side": "thing == strange.Comparing()",
    "compared by a list": "thing in [strange.Comparing()]",
    "an attribute that there was": "strange.Comparing() < thing",
    "compared in turn": "max(thing, strange.Comparing(), key=lambda each: each) if 0 else strange.Comparing() < thing",
    "by a function": "strange.ByHelper() == thing",
    "by a method": "strange.ByHelper() != thing",
    "by setattr": "strange.ByName() - thing",
    "by vars": "strange.ByName() > thing",
    "by its dict": "strange.ByName() < thing",
    "by object": "strange.ByName() >= thing",
    "deleted": "strange.ByName() <= thing",
    "decorated": "strange.Decorated() - thing",
    "in an attribute": "strange.Inside() - thing",
    "what a list holds": "strange.Inside() % [thing]",
    "what is sorted": "strange.Inside() * [thing]",
    "kept by an operator, changed by another": "-(strange.Keeping() * thing)",
    "kept by an operator, changed by a property": "(strange.Keeping() * thing).value",
    "kept by an operator, changed by an attribute": "(strange.Keeping() * thing).anything",
}
OF_CONTAINERS = {
    "a list": ("things", "strange.Containers() / things"),
    "an item": ("things", "things in strange.Containers()"),
    "deleted": ("things", "strange.Containers() // things"),
    "in place": ("things", "strange.Containers() ** things"),
    "a dict": ("table", "strange.Containers()[table]"),
}
OF_ITS_OWN = {
    "a hash that a base keeps": ("Mine()", "hash(it)"),
    "a lazy property": ("WithLazy()", "it.lazy"),
    "a descriptor that makes a name": ("WithCounted()", "it.counted"),
}
HARMLESS = [
    "harmless == thing", "harmless - thing", "harmless - things", "harmless % thing", "harmless[thing]", "thing * harmless",
    "thing in harmless", "list(harmless)", "len(harmless)", "hash(harmless)", "things in harmless", "things * harmless", "harmless % things",
]  # fmt: skip


def states(
    folder: Path, lines: list[str], library: str = LIBRARY, classes: str = ""
) -> list[tuple[str, str, bool]]:
    """(as the program saw it, as it is told, whether that is certain) of each value that was looked at."""
    (folder / "strange.py").write_text(library, encoding="utf-8")
    program = HEAD + classes + MAIN + "".join(f"    {line}\n" for line in lines) + "main()\n"
    process, trace, _ = run(folder, program, "--exclude", "strange.py")
    assert process.returncode == 0, process.stderr
    told = [as_told(value) for value in looked_at(Trace.open(trace))]
    seen = process.stdout.splitlines()
    assert len(seen) == len(told)
    return [(was, *now) for was, now in zip(seen, told, strict=True)]


def as_told(value: Value) -> tuple[str, bool]:
    if value.kind in ("list", "dict"):
        return value.text().text, value.certain
    parts = [(part.path[1:], part.value) for part in value.parts(0, 100) if part.path.startswith(".")]
    return repr(sorted((name, _plain(part)) for name, part in parts)), value.certain


def _plain(part: Value) -> Any:
    return [each.value.scalar() for each in part.parts(0, 100)] if part.kind == "list" else part.scalar()


@pytest.mark.parametrize("piece", CHANGING)
def test_what_an_operator_changed_unseen_is_not_certain(piece: str, tmp_path: Path) -> None:
    ((seen, told, certain),) = states(tmp_path, ["look(thing)", CHANGING[piece]])
    assert told != seen  # as it was in the end
    assert not certain


@pytest.mark.parametrize("piece", OF_CONTAINERS)
def test_containers_that_an_operator_changed_unseen_are_not_certain(piece: str, tmp_path: Path) -> None:
    name, change = OF_CONTAINERS[piece]
    ((seen, told, certain),) = states(tmp_path, [*_filled(name), f"look({name})", change])
    assert told != seen
    assert not certain


def _filled(name: str) -> list[str]:
    return ["table['y'] = 0"] if name == "table" else []


@pytest.mark.parametrize("piece", OF_ITS_OWN)
def test_what_reading_changes_in_the_object_itself_is_not_certain(piece: str, tmp_path: Path) -> None:
    making, read = OF_ITS_OWN[piece]
    ((seen, told, certain),) = states(tmp_path, [f"it = {making}", "look(it)", read], classes=OWN_CLASSES)
    assert told != seen
    assert not certain


def test_exceptions_that_a_context_manager_of_a_library_changes_are_not_certain(tmp_path: Path) -> None:
    lines = ["error = ValueError(1)", "look(error)", "with strange.Catching():", "    raise error"]
    ((_, _, certain),) = states(tmp_path, lines)
    assert not certain


@pytest.mark.parametrize("read", HARMLESS)
def test_what_the_operators_of_most_libraries_do_leaves_all_certain(read: str, tmp_path: Path) -> None:
    lines = [
        "harmless = strange.Harmless(1)",
        "look(thing)",
        "look(things)",
        read,
        "look(thing)",
        "look(things)",
    ]
    for seen, told, certain in states(tmp_path, lines, HARMLESS_LIBRARY):
        assert told == seen
        assert certain


def test_only_attributes_of_the_names_that_are_stored_are_not_certain(tmp_path: Path) -> None:
    lines = ["thing.size = 3", "look(thing)", "look(things)", "strange.Comparing()"]
    library = "class Comparing:\n    def __eq__(self, other): other.marked = 1"
    for seen, told, certain in states(tmp_path, lines, library):
        assert told == seen
        assert certain
