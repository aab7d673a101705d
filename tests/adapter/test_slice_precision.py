"""What slices leave out: each program has code that looks as if it mattered, and does not (or does, and must stay)."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_slice_kinds import find, record

from algodebug.slicing import Slicer, bright_and_faint, parse_criterion, slicer_of
from algodebug.slicing.differences import differing_marks
from algodebug.slicing.states import States
from algotrace.trace import Trace


def lines(trace: Trace, function: str, mark: str | list[str]) -> tuple[set[int], set[int]]:
    bright, faint = bright_and_faint(trace, find(trace, function), mark)
    return {span.line for span in bright}, {span.line for span in faint}


# (program, function, mark, lines bright, lines faint); the first line of a program is line 2: line 1 is a comment
CASES = {
    "what is appended behind an element does not reach it": (
        """
def f(xs, n):
    extra = n * 2
    xs.append(extra)
    first = xs[0] + n
    return first
f([1], 2)
""",
        "f", "result", {5, 6}, {3, 4},
    ),
    "how many were appended before decides which element it is": (
        """
def f(n):
    xs = []
    if n > 1:
        xs.append(n)
    xs.append(5)
    xs.append(6)
    return xs[1]
f(2)
""",
        "f", "result", {3, 4, 5, 6, 8}, {7},
    ),
    "code that was not run and is about another object": (
        """
def put(items, x):
    items.append(x)
    return items
def f(n):
    one, two = [1], [2]
    if n > 5:
        put(two, n)
    return one
f(1)
""",
        "f", "result", {6, 9}, {7},
    ),
    "code that was not run and would have changed it": (
        """
def put(items, x):
    items.append(x)
    return items
def f(n):
    one, two = [1], [2]
    if n > 5:
        put(put(one, 1), n)
    return one
f(1)
""",
        "f", "result", {6, 7, 9}, set(),
    ),
    "an exception comes from what failed": (
        """
def g(x):
    return x + 1
def f(d, n):
    a = g(n)
    b = d["missing"] + [a, a][n]
    return b
try:
    f({}, 1)
except KeyError:
    pass
""",
        "f", "exception", {6}, {5},
    ),
    "calls that were over when a statement failed were run": (
        """
def note(log, x):
    log.append(x)
    return x
def f(log, n):
    kept = [0]
    try:
        y = [1, 2][note(log, n)]
    except IndexError:
        y = 0
    return kept
f([], 7)
""",
        "f", "result", {6, 11}, {8, 9, 10},
    ),
    "an entry of a list that an argument holds": (
        """
class Box:
    def __init__(self):
        self.items = [1, 2, 3]
        self.size = 3
    def set(self, n):
        items = self.items
        self.size = n
        items[1] = n * 2
        items[0] = n
box = Box()
box.set(4)
""",
        "Box.set", "self.items[1]", {7, 9, 10}, {8, 10},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_lines_that_are_bright(name: str, tmp_path: Path) -> None:
    text, function, mark, wanted, rest = CASES[name]
    trace = record(tmp_path, f"#{text}")
    bright, faint = lines(trace, function, mark)
    assert bright == wanted
    assert faint >= rest and not (faint - bright) - rest


TWO = """
class Box:
    def __init__(self, n):
        self.a = n
        self.b = [n, 2, {"k": n}]
def f(n):
    box = Box(1)
    box.b[2]["k"] = n
    return box, 5
def g(n):
    if n:
        raise ValueError(n)
    return 1
def h(box, n):
    box.a = 7
    if n:
        box.b = None
for n in (1, 2):
    f(n)
for n in (0, 3):
    try:
        g(n)
    except ValueError:
        pass
for n in (0, 1):
    h(Box(3), n)
"""


def test_marks_are_the_parts_that_differ(tmp_path: Path) -> None:
    trace = record(tmp_path, TWO)

    def marks(function: str, wrong: int, right: int) -> list[str]:
        nodes = [n for n, r in enumerate(trace.routine) if trace.routines[r].qualname == function]
        return differing_marks(trace.call(nodes[wrong]), trace.call(nodes[right]))

    assert marks("f", 0, 1) == ["result[0].b[2]['k']"]
    assert marks("f", 0, 0) == []
    assert marks("g", 0, 1) == ["result"]
    assert marks("g", 1, 0) == ["exception"]
    assert marks("h", 0, 1) == ["box.b"]
    assert marks("h", 1, 0) == ["box.b"]


def test_several_marks_are_sliced_together(tmp_path: Path) -> None:
    text = (
        "\ndef f(a, b, c):\n    x = a + 1\n    y = b + 1\n    z = c + 1\n    return [x, y, z]\nf(1, 2, 3)\n"
    )
    trace = record(tmp_path, f"#{text}")
    assert lines(trace, "f", ["result[0]", "result[2]"])[0] == {3, 5, 6}
    assert lines(trace, "f", [])[0] == {3, 4, 5, 6}


MANY = """
class Counter:
    def __init__(self):
        self.n = 0
        self.last = None
    def up(self, by):
        self.n += by
        if by > 8:
            self.last = by
def main():
    c = Counter()
    for i in range(300):
        c.up(i % 10)
    c.__dict__.update(n=5)
    c.up(2)
    return c.n
main()
"""


def test_one_attribute_of_an_object_that_was_written_often(tmp_path: Path) -> None:
    trace = record(tmp_path, f"#{MANY}")
    states = States(trace)
    node = find(trace, "Counter.up")
    number = trace.call(node).arguments[0].value.identity
    times = [*range(trace.start[node], trace.end[0], 97), trace.end[0] + 1]
    for time in times:
        content = trace.content(number, time)
        for name in ("n", "last", "missing"):
            assert states.attribute(number, name, time) == content.attributes.get(name, 0)
    slicer = Slicer(trace)
    assert slicer.backward(parse_criterion(trace, find(trace, "main"), "result")).complete


def test_a_call_with_endless_events_of_its_own_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = record(tmp_path, f"#{MANY}")
    monkeypatch.setattr("algodebug.slicing.walk.MOST_EVENTS", 500)
    node = find(trace, "main")
    bright, faint = bright_and_faint(trace, node)
    assert (
        slicer_of(trace).graph.activation(node).failed and bright == list(trace.executed(node)) and not faint
    )
    inner = [n for n, r in enumerate(trace.routine) if trace.routines[r].qualname == "Counter.up"][-1]
    assert {span.line for span in bright_and_faint(trace, inner)[0]} == {7, 8}


def test_what_could_not_be_known_is_said_every_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = record(tmp_path, f"#{MANY}")
    monkeypatch.setattr("algodebug.slicing.walk.MOST_EVENTS", 500)
    slicer = Slicer(trace)
    criterion = parse_criterion(trace, find(trace, "main"), "result")
    assert [slicer.backward(criterion, inside=inside).complete for inside in (True, True, False, False)] == [
        False
    ] * 4
