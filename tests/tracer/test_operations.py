"""What operators, and stores to attributes and items, of a library's objects change inside of what they are handed: what it was
like before is had back, and what it was like since is told or not certain."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import record
from test_handed import told

LIBRARY = """
KEPT = []
class Pipe:
    def __or__(self, other):
        other["a"].append(1)
        KEPT.append(other)
        return self
    __ror__ = __add__ = __radd__ = __ior__ = __iadd__ = __lshift__ = __rshift__ = __matmul__ = __and__ = __or__
    def __setitem__(self, key, value): self | value
    def __delitem__(self, key): self | key.held
    @property
    def changing(self): return 1
    @changing.setter
    def changing(self, value): self | value
class Quiet: pass
def take(things):
    things[0]["a"].append(1)
    KEPT.append(things[0])
def keep_none(): pass
def flush():
    for thing in KEPT: thing["a"].append("flush")
def get(): return CONFIG
CONFIG = Quiet()
def flush_config():
    for thing in vars(CONFIG).values(): thing["a"].append("flush")
"""
# What changes a thing at once …
AT_ONCE = [
    "pipe | thing", "thing | pipe", "pipe + thing", "thing + pipe", "pipe << thing", "pipe >> thing", "pipe @ thing",
    "pipe & thing", "pipe | {'a': []} | thing" , "pipe | held.thing", "held.thing + pipe", "held.list[0] | pipe", "thing | (pipe)",
    "pipe | given(thing)", "given(pipe) + thing", "(lambda: pipe | thing)()", "[pipe + each for each in [thing]]",
    "pipe |= thing", "pipe += thing", "held.pipe |= thing", "held.pipe += thing", "held.pipe >>= thing", "pipe <<= thing", "held.pipes[0] @= thing", "held.pipes[0] += thing",
    "pipe[0] = thing", "pipe['x'] = held.thing", "pipe[given(0)] = thing", "held.pipe[0] = thing",
    "pipe.changing = thing", "held.pipe.changing = thing", "pipe.changing = other = thing",
    "pipe.changing, other = thing, 1", "other, pipe[0] = 1, thing", "pipe[0]: dict = thing",
    "pipe | [*[thing]][0]", "pipe | (thing if pipe else thing)", "pipe | (thing or pipe)",
]  # fmt: skip
HANDED_INSIDE = [
    "strange.take([thing] + [])",
    "strange.take([thing] * 2)",
    "strange.take([*held.list] + [1])",
]
# … and what keeps it, for `flush` to change.
LATER = [
    "config.x = thing", "held.config.x = thing", "setattr(config, 'x', thing)", "object.__setattr__(config, 'x', held.thing)", "config.x = held.thing", "config.x = config.y = thing", "config.x, other = thing, 2",
]  # fmt: skip
PLACES = {
    "function": "def main():\n    pipe = strange.Pipe(); config = strange.get()\n",
    "function that sees its locals": "def main():\n    pipe = strange.Pipe(); config = strange.get(); locals()\n",
    "module": "",
}
PROGRAM = """
import strange
def look(value): pass
def given(value): return value
class Held: pass
pipe = strange.Pipe(); config = strange.get()
{head}
{indent}thing = {{"a": [0]}}
{indent}held = Held(); held.thing = thing; held.list = [thing]; held.pipe = pipe; held.pipes = [pipe]; held.config = config; held.held = thing
{indent}look(thing)
{indent}{done}
{indent}strange.keep_none()
{indent}look(thing)
{indent}strange.flush{of_what}()
{indent}look(thing)
{call}
"""


CASES = [(done, place) for done in (*AT_ONCE, *HANDED_INSIDE, *LATER) for place in PLACES]


@pytest.mark.parametrize(("done", "place"), [*CASES, ("del pipe[held]", "function")])
def test_what_an_operation_changes_is_never_told_wrongly(done: str, place: str, tmp_path: Path) -> None:
    (tmp_path / "strange.py").write_text(LIBRARY)
    indent, call = ("", "") if place == "module" else ("    ", "main()")
    of_what = "_config" if done in LATER else ""
    source = PROGRAM.format(head=PLACES[place], indent=indent, done=done, call=call, of_what=of_what)
    found = told(record(tmp_path, source, "--exclude", "strange.py"), "look")
    changed = [] if done in LATER else [1]
    seen = [str({"a": each}) for each in ([0], [0, *changed], [0, *changed, "flush"])]
    assert found[0] == (seen[0], True)
    wrong = [(text, now) for (text, certain), now in zip(found, seen, strict=True) if certain and text != now]
    assert not wrong
