"""How the work of a slice grows with the writes into one container that is read again and again: as they do, not as
their square."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from test_slice_completeness import of_result
from test_slice_kinds import find, record

from algodebug.slicing import Slicer, calls, graph, parse_criterion, raising
from algodebug.slicing.covered import Covered
from algodebug.slicing.demands import Demand, Needs
from algodebug.slicing.graph import Graph
from algodebug.slicing.instances import LIBRARY, Activation, Instance
from algodebug.slicing.resolution import Resolution

PROGRAMS = {
    "a dict whose values are summed": """
def main():
    d, t = {}, 0
    for i in range(COUNT):
        d[i % 9] = i
        t += sum(d.values())
    return t
""",
    "a list whose largest item is wanted": """
def main():
    xs, t = [0] * 9, 0
    for i in range(COUNT):
        xs[i % 9] = i + t % 3
        t = max(xs)
    return t
""",
    "a set that is asked for members": """
def main():
    seen, t, x = set(), 0, 1
    for i in range(COUNT):
        x = x * 7 % 9973
        if x not in seen:
            seen.add(x)
            t += 1
    return t
""",
    "a queue of tuples": """
from collections import deque
def main():
    q, out = deque([(0, 1)]), []
    while q and len(out) < COUNT:
        a, b = q.popleft()
        out.append(a)
        q.append((a + 1, b))
        if b < 9:
            q.append((a, b + 1))
    return out[-1]
""",
    "objects that a branch could have stored into": """
class Box:
    def __init__(self, value):
        self.value = value
def value(boxes, i):
    if i < 0:
        boxes[0].value = i
    return boxes[i].value
def main():
    boxes = [Box(i) for i in range(COUNT)]
    t = 0
    for i in range(COUNT):
        t += value(boxes, i)
    return t
""",
    "a dict whose size is asked for": """
def main():
    d, t = {}, 0
    for i in range(COUNT):
        d[i] = i
        if i % 4 == 0:
            d.pop(i - 3, 0)
        t += len(d)
    return t
""",
}


def steps(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often the slice of what `main` gave looks at a demand, at a write, for writes that went elsewhere, or for what
    code would have been about that was not run."""
    trace = record(folder, text.lstrip("\n") + "main()\n")
    taken = 0

    def counted(method: Any) -> Any:
        def count(*arguments: Any, **named: Any) -> Any:
            nonlocal taken
            taken += 1
            return method(*arguments, **named)

        return count

    with monkeypatch.context() as patch:
        looking: list[tuple[type, str]] = [(Graph, "expand"), (Graph, "write"), (Covered, "rest")]
        for owner, name in [*looking, (Resolution, "of")]:
            patch.setattr(owner, name, counted(getattr(owner, name)))
        found, _ = of_result(trace)
    assert found.complete
    return taken


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_steps_grow_as_the_writes_do(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = (
        steps(tmp_path, PROGRAMS[name].replace("COUNT", str(count)), monkeypatch) for count in (60, 240)
    )
    assert many < 5.5 * few  # four times as many writes


TOKENS = """
from typing import NamedTuple
class Token(NamedTuple):
    kind: str
    text: str
def tokens():
    for i in range(60):
        yield Token("digit", str(i % 7))
class Stream:
    def __init__(self, source):
        self.source, self.current = source, next(source)
    def advance(self):
        last, self.current = self.current, next(self.source, None)
        return last
def main():
    stream, out, text = Stream(tokens()), [], ""
    while stream.current is not None:
        out.append(stream.advance())
        text += repr(out)
    return text
main()
"""

DEEP_CALLS = """
def deep(n, seen):
    if not n:
        return 0
    total = deep(n - 1, seen)
    seen.append(n)
    return total + n
def main():
    try:
        return deep(60, [])
    except ValueError:
        return 0
main()
"""


def test_what_holds_nothing_that_changes_is_looked_into_once_whenever_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = record(tmp_path, TOKENS)
    expand, made = Graph.expand, 0

    def counted(graph: Graph, demand: Demand, *arguments: Any) -> Any:
        nonlocal made
        node = demand.instance.node
        made += demand.instance.kind == LIBRARY and ast.unparse(node or ast.Pass()).startswith("Token(")
        return expand(graph, demand, *arguments)

    monkeypatch.setattr(Graph, "expand", counted)
    assert of_result(trace)[0].complete
    assert 60 <= made <= 3 * 60


def test_what_a_generator_gave_is_asked_for_once_however_many_calls_ask_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = record(tmp_path, TOKENS)
    all_given, times = calls.all_given, list[int]()

    def counted(needs: Needs, node: int, time: int) -> None:
        times.append(time)
        all_given(needs, node, time)

    monkeypatch.setattr(calls, "all_given", counted)
    assert of_result(trace)[0].complete
    assert 60 <= len(times) <= 2 * len(set(times))


def test_what_could_have_raised_in_a_call_is_looked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = record(tmp_path, DEEP_CALLS)
    in_callee, looked = raising.in_callee, list[int]()

    def counted(activation: Activation, names: frozenset[str]) -> list[Instance]:
        looked.append(activation.node)
        return in_callee(activation, names)

    monkeypatch.setattr(raising, "in_callee", counted)
    assert of_result(trace)[0].complete
    assert 60 <= len(looked) <= 2 * len(set(looked))


MANY_CALLS = """
import io
def say(out, i):
    if i < 0:
        out.write("negative")
    out.write(str(i % 7))
def main():
    out = io.StringIO()
    for i in range(1200):
        say(out, i)
    return out.getvalue()
main()
"""


def test_a_slice_does_not_give_up_after_many_calls(tmp_path: Path) -> None:
    found, _ = of_result(record(tmp_path, MANY_CALLS.lstrip("\n")))
    assert found.complete


def test_each_slice_tells_that_not_all_calls_were_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "MOST_FOLLOWED", 1000)
    trace = record(tmp_path, MANY_CALLS.lstrip("\n"))
    slicer = Slicer(trace)
    for _ in range(2):
        assert not slicer.relevant(parse_criterion(trace, find(trace, "main"), "result")).complete
