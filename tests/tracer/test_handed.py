"""What a library changes that lies inside of what it is handed is had back, or said to be not certain."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from changing_libraries import HEAD, LIBRARY, PIECES
from recorded import changes, find, outline, record
from test_survival import behaves
from watched_states import looks

from algotrace.instrument_handed import function_given
from algotrace.trace import Trace

# What it changes after it has called the program, or while the program goes on, is told only by what comes later; objects
# of classes that have functions of the library are never certain.
NOT_ALL_CERTAIN = frozenset({"decorators of a library"})


@pytest.mark.parametrize("place", ["module", "function", "sees its locals"])
def test_what_lies_inside_of_arguments_is_had_back(place: str, tmp_path: Path) -> None:
    (tmp_path / "strange.py").write_text(LIBRARY)
    found = looks(tmp_path, PIECES, place, "--exclude", "strange.py", head=HEAD)
    assert len(found) > 100
    assert not [look for look in found if look.certain and look.told != look.seen]
    assert {look.piece for look in found if not look.certain} == NOT_ALL_CERTAIN


def told(trace: Trace, name: str) -> list[tuple[str, bool]]:
    """What each call of a function was given, and whether that is certain."""
    nodes = [n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].name == name]
    values = [trace.arguments(node)[0].value for node in sorted(nodes, key=trace.start.__getitem__)]
    return [(value.text(60).text, value.certain) for value in values]


def test_an_effect_on_what_lies_inside_of_arguments_is_told(tmp_path: Path) -> None:
    (tmp_path / "strange.py").write_text(LIBRARY)
    source = f"""{HEAD}
class User:
    def __init__(self): self.things = [Thing()]
    def work(self): strange.touch(self.things[0])
    def idle(self): strange.second(self.things, self)
u = User()
u.work()
u.idle()
"""
    trace = record(tmp_path, source, "--exclude", "strange.py")
    assert changes(trace, find(trace, "User.work")) == {
        "self.things[0].inner.n": ("1", "2"),
        "self.things[0].items": ("[]", "[2]"),
    }
    assert changes(trace, find(trace, "User.idle")) == {}


KEEPING = """
KEPT = []
def visit(thing, function):
    thing["a"].append(1)
    function(thing)
    thing["a"].pop()
    function(thing)
def keep(thing): KEPT.append(thing)
def flush():
    for thing in KEPT: thing["a"].append("flush")
class Box:
    def __init__(self, thing): self.thing = thing
    def __add__(self, other): self.thing["a"].append(other)
    @property
    def next(self): self.thing["a"].append("next")
"""
# What is done with a thing, and what it is told to have been like then and in the end: what was changed unseen is not certain
# until the next note, nor are containers that an object of the library has.
KEPT = {
    "visit(thing, look)": [("{'a': [1]}", True), ("{'a': []}", True), ("{'a': []}", True)],
    "keep(thing); look(thing)": [("{'a': []}", True), ("{'a': []}", True)],
    "keep(thing); look(thing); flush()": [("{'a': ['flush']}", False), ("{'a': ['flush']}", False)],
    "keep(thing); look(thing); flush(); visit(thing, id)": [("{'a': ['flush']}", False), ("{'a': ['flush']}", True)],
    "b = Box(thing); look(thing); b + 2": [("{'a': [2]}", False), ("{'a': [2]}", False)],
    "b = Box(thing); look(thing); b.next; look(thing)": [("{'a': ['next']}", False)] * 3,
}  # fmt: skip


@pytest.mark.parametrize("done", KEPT)
def test_what_a_library_changes_while_it_works_is_had_back_and_later_is_not_certain(
    done: str, tmp_path: Path
) -> None:
    (tmp_path / "strange.py").write_text(KEEPING)
    source = f"""
from strange import *
def look(thing): pass
def main():
    thing = {{"a": []}}
    {done}
    return thing
main()
"""
    trace = record(tmp_path, source, "--exclude", "strange.py")
    returned = trace.call(find(trace, "main")).outcome.value
    assert returned is not None
    assert [*told(trace, "look"), (returned.text(60).text, returned.certain)] == KEPT[done]


LEFT_ALONE = """
def skipped(thing):  # algotrace: skip
    def inner(): thing["a"].append(9)
    inner()
"""


def test_what_functions_change_that_are_left_alone_is_had_back(tmp_path: Path) -> None:
    (tmp_path / "mod.py").write_text(LEFT_ALONE)
    source = f"""
import mod
from mod import skipped
{LEFT_ALONE.replace("skipped", "here")}
def look(thing): pass
def main():
    thing = {{"a": [1]}}
    look(thing); mod.skipped(thing); look(thing); skipped(thing); look(thing); here(thing); look(thing)
main()
"""
    expected = ["{'a': [1]}", "{'a': [1, 9]}", "{'a': [1, 9, 9]}", "{'a': [1, 9, 9, 9]}"]
    assert told(record(tmp_path, source), "look") == [(text, True) for text in expected]


VARIABLES = """
import sys
def keep(thing): pass
def variables(): return sys._getframe(1).f_locals
"""


def test_a_library_may_have_the_variables_of_a_frame(tmp_path: Path) -> None:
    """The recorder's own are among them."""
    (tmp_path / "strange.py").write_text(VARIABLES)
    source = """
import strange
def work(n): yield from range(n)
def main():
    list(work(2))
    variables = strange.variables()
    strange.keep(variables)
    list(work(3))
main()
"""
    assert outline(record(tmp_path, source, "--exclude", "strange.py")) == "<module>(main(work(), work()))"


TOO_MUCH = """
import strange
class Node:
    def __init__(self, value, after): self.value, self.after = [value], after
def look(value): pass
def main():
    last = node = Node(0, None)
    early = [1]
    for value in range(40_000): node = Node(value, node)
    look(early)
    look(last.value)
    last.value.append(1)
    strange.fill([early])
    for _ in range(8): strange.second(node, node)
    look(last.value)
    node.after.value.append(2)
    look(node.after.value)
    strange.fill([last.value])
    look(last.value)
    look(early)
main()
"""


def test_what_is_too_much_to_be_followed_is_not_certain(tmp_path: Path) -> None:
    (tmp_path / "strange.py").write_text(LIBRARY)
    trace = record(tmp_path, TOO_MUCH, "--exclude", "strange.py")
    assert told(trace, "look") == [
        ("[1]", True),
        ("[0]", False),  # anybody may have changed it since
        ("[0, 1]", True),
        ("[39998, 2]", True),
        ("[0, 1, 99]", True),
        ("[1, 99]", True),
    ]


def test_options_spread_over_a_call_are_no_function_that_it_calls() -> None:
    def given(text: str) -> str:
        found = function_given(ast.parse(text, mode="eval").body)  # type: ignore[arg-type]
        return "" if found is None else ast.unparse(found)

    assert [given("f(**options)"), given("sorted(xs, **options)"), given("f(key=g)")] == ["", "", ""]
    assert [given("map(g, xs)"), given("sorted(xs, key=g)"), given("Thread(target=a.g)")] == ["g", "g", "a.g"]


INTERRUPTED = """
import gc
import strange
class Item:
    def __init__(self, number): self.numbers, self.table = [number], {number: [number]}
def double(number): return 2 * number
def collecting(phase, info):
    if phase == "start" and not busy:
        busy.append(True)
        strange.put(done, strange.call(double, [len(done)]))
        busy.clear()
def inner(items):
    strange.put(items[0].numbers, 1)
    return len(items)
def outer(items):
    return strange.call(inner, items) + len(list(map(double, items[0].numbers)))
def main():
    for number in range(20):
        items = [Item(number) for _ in range(5)]
        print(strange.call(outer, items), items[0].numbers)
        strange.put(items, None)
busy, done = [], []
gc.callbacks.append(collecting)
gc.set_threshold(int(sys.argv[1]), 2, 1000)
main()
gc.callbacks.remove(collecting)
"""
CALLING = """
def put(items, item): items.append(item)
def call(function, items):
    items.append(items[-1])
    given = function(items) if type(items[0]) is not int else function(items[0])
    items.append(given)
    return len(items)
"""


@pytest.mark.parametrize("threshold", ["1", "3", "5"])
def test_the_program_may_run_while_it_is_looked_at_what_a_library_has_changed(
    threshold: str, tmp_path: Path
) -> None:
    """A finalizer, here a callback of the collector, does whenever something is made, by whomever."""
    source = INTERRUPTED.replace("sys.argv[1]", repr(threshold))
    trace = behaves(tmp_path, source, "--exclude", "strange.py", files={"strange.py": CALLING}).trace
    assert outline(trace).count("outer") == 20


LENDING = """
import contextlib
@contextlib.contextmanager
def swapped(holder, key, value):
    before = dict(holder)
    holder[key] = value
    try: yield
    finally: holder.clear(); holder.update(before)
"""


def test_who_leaves_a_with_by_a_return_may_come_back(tmp_path: Path) -> None:
    """Another activation may have the frame's address, when what was in use there has ended."""
    source = """
    import strange
    def copy(holder, n):
        with strange.swapped(holder, "k", n):
            pass
        with strange.swapped(holder, "j", n + 1):
            return dict(holder)
    def main():
        holder = {}
        return [copy(holder, n) for n in range(4)], copy(holder, 1), holder
    print(main())
    """
    behaves(tmp_path, source, "--exclude", "strange.py", files={"strange.py": LENDING})
