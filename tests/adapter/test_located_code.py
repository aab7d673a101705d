"""Of a long call only what is looked at is read: what is found there is what reading all of it finds.

The limits from which on a call, and a loop in it, count as long are lowered here.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest

from algodebug import activation_events, long_activations, piece_reader
from algodebug.call_code import RoutineCode
from algodebug.code_flow import Flow, flow_of
from algodebug.code_nodes import CodeNode
from algodebug.code_search import CodeSearch
from algodebug.executed_statements import LocatedIterations, Step
from algodebug.execution_tree import ExecutionTree
from algodebug.question import code_sentence
from algotrace.trace import Trace

PROGRAMS = {
    "a loop that calls": """
        def f(i): return i % 3
        def main(n):
            total = 0
            for i in range(n):
                total += f(i)
            return total
        main(12)
        """,
    "branches, continue and a name bound in some iterations alone": """
        def main(n):
            best = seen = -1
            for i in range(n):
                if i % 4 == 1:
                    best = i
                    continue
                elif i == 7:
                    seen = best
                last = i
            return best, seen, last
        main(12)
        """,
    "while, whose test calls, and break": """
        def less(a, b): return a < b
        def main(n):
            i = 0
            while less(i, n):
                i += 1
                if i == 11:
                    found = i
                    break
            else:
                found = None
            return found
        main(20)
        """,
    "loops in loops": """
        def main(n):
            table = []
            for i in range(n):
                row = 0
                for k in range(n - i):
                    row += k
                table.append(row)
                for k in range(2):
                    row -= 1
            return table
        main(9)
        """,
    "an exception in the last iteration, caught around": """
        def main(xs):
            total = 0
            try:
                for x in xs:
                    y = x + 1
                    total += 10 // x
                    z = y
            except ZeroDivisionError as error:
                y = -1
                total -= 1
            finally:
                done = total
            return y, done
        main([1, 2, 3, 4, 5, 6, 7, 8, 0, 9])
        """,
    "exceptions in iterations": """
        def main(xs):
            good = []
            for x in xs:
                try:
                    y = 10 // x
                except ZeroDivisionError:
                    y = None
                else:
                    good.append(y)
                finally:
                    last = x
            return good, last
        main([1, 0, 2, 0, 3, 4, 5, 0, 0, 6, 7])
        """,
    "with, match and unpacking": """
        class Held:
            def __enter__(self): return 5
            def __exit__(self, *a): pass
        def main(pairs):
            found = []
            for key, (one, two) in pairs:
                with Held() as five:
                    match one:
                        case 1 | 2: what = key
                        case int(x) if x > 5: what = x
                        case _: what = None
                found.append((what, two, five))
            return found
        main([("a", (i, -i)) for i in range(11)])
        """,
    "an iterator of the program": """
        class Up:
            def __init__(self): self.n = 0
            def __iter__(self): return self
            def __next__(self):
                self.n += 1
                if self.n > 10: raise StopIteration
                return self.n
        def main():
            total = 0
            for x in Up():
                total += x
            return total
        main()
        """,
    "a generator, and one that is iterated": """
        def up(n):
            i = 0
            while i < n:
                i += 1
                yield i
        def main(n):
            total = 0
            for x in up(n):
                total += x
            return total
        main(12)
        """,
    "recursion in a loop": """
        def count(tree):
            total = 1
            for part in tree:
                total += count(part)
            return total
        count([[[] for _ in range(3)] for _ in range(11)])
        """,
    "names of functions around": """
        def main(n):
            total = 0
            base = 2
            def add(x):
                nonlocal total
                for k in range(x):
                    total += base
                return total
            add(n)
            return total
        main(12)
        """,
    "objects that are changed": """
        class Box:
            def __init__(self): self.items, self.last = [], None
        def main(n):
            box = Box()
            for i in range(n):
                box.items.append(i)
                box.last = i
            return box
        main(12)
        """,
    "a return out of two loops": """
        def main(n):
            for i in range(n):
                for k in range(n):
                    if i * k == 63:
                        return i, k
        main(12)
        """,
    "a comprehension that calls, and lambdas": """
        def f(x): return x + 1
        def main(n):
            found = []
            for i in range(n):
                found.append(sum([f(k) for k in range(i % 3)]))
                key = (lambda v: -v)(i)
            return found, key
        main(12)
        """,
    "statements after one another": """
        def main(n):
            a = b = 0
            for i in range(n):
                a += i
            c = a
            for i in range(n):
                b += c
            for i in []:
                b = 0
            else:
                b += 1
            return a, b
        main(11)
        """,
    "what it printed": """
        def main(n):
            for i in range(n):
                print(i)
        main(11)
        """,
}
MODULE = """
    def f(i): return i % 3
    total = 0
    squares = []
    for i in range(12):
        total += f(i)
        if i == 7:
            odd = total
        squares.append(i * i)
    print(total)
    """


def record(folder: Path, text: str) -> Trace:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tracer"))
    try:
        import recorded
    finally:
        sys.path.pop(0)
    return recorded.record(folder, textwrap.dedent(text))


def code_of(trace: Trace, node: int) -> RoutineCode:
    found = ExecutionTree.from_trace(trace).code_of(node)
    assert found is not None
    return found


def told(step: Step) -> tuple[object, ...]:
    """All that reading found out about a step."""
    inside = [told(part) for part in step.parts]
    place = (step.kind, step.syntax.lineno, step.start, step.end, step.ended, step.joined)
    return (
        *place,
        step.body_start if step.kind == "iteration" else None,
        inside,
        [told(p) for p in step.orelse],
    )


def names(flow: Flow) -> tuple[set[object], set[object]]:
    return set(flow.reads), set(flow.writes)


def values(code: RoutineCode, times: list[int]) -> dict[tuple[str, int], object]:
    return {(n, t): code.variables.number(n, t) for n in code.variables.names() for t in times}


def times_of(steps: list[Step]) -> list[int]:
    found: list[int] = []
    for step in steps:
        found += [step.start, step.end, step.body_start, *times_of(list(step.parts)), *times_of(step.orelse)]
    return sorted(set(found))


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activation_events, "BOUNDED", 20)
    monkeypatch.setattr(piece_reader, "BOUNDED", 20)
    monkeypatch.setattr(long_activations, "FEW", 2)
    monkeypatch.setattr(long_activations, "LONG", 10)


@pytest.mark.parametrize("name", [*PROGRAMS, "a module"])
def test_reading_in_parts_finds_what_reading_all_finds(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    trace = record(tmp_path, PROGRAMS.get(name, MODULE))
    whole = {node: code_of(trace, node) for node in range(len(trace.parent)) if has_loop(trace, node)}
    expected = {node: ([told(s) for s in code.steps], code.complete) for node, code in whole.items()}
    request.getfixturevalue("lowered")
    located = 0
    for node, code in whole.items():
        parts = code_of(trace, node)
        located += sum(isinstance(step.parts, LocatedIterations) for step in all_of(parts.steps))
        assert ([told(step) for step in parts.steps], parts.complete) == expected[node]
        times = times_of(list(code.steps))
        assert values(parts, times) == values(code, times)
        assert [time for time, _ in parts.variables.caught] == [time for time, _ in code.variables.caught]
        assert names(flow_of(parts.steps, {})) == names(flow_of(code.steps, {}))
        for call in code.calls:
            one, other = parts.around(call, call), code.around(call, call)
            assert (one and (one.start, one.end)) == (other and (other.start, other.end))
    assert located


def has_loop(trace: Trace, node: int) -> bool:
    code = ExecutionTree.from_trace(trace).code_of(node)
    return code is not None and any(step.kind == "loop" for step in all_of(code.steps))


def all_of(steps: list[Step]) -> list[Step]:
    found = []
    for step in steps:
        found += [step, *all_of(list(step.parts)), *all_of(step.orelse)]
    return found


@pytest.mark.parametrize("name", ["objects that are changed", "loops in loops"])
def test_questions_read_the_same(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Those about one iteration or statement: iterations are halved by number, not by weight."""
    trace = record(tmp_path, PROGRAMS[name])
    node = next(n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].name == "main")
    expected = sentences(code_of(trace, node).top)
    request.getfixturevalue("lowered")
    assert sentences(code_of(trace, node).top) == expected


def sentences(top: CodeNode) -> set[str]:
    found, pending = set(), list(top.children)
    while pending:
        node = pending.pop()
        if node.kind != "range":
            found.add(code_sentence(node))
        pending += node.children
    return found


def test_the_wrong_iteration_is_found_in_about_log2_questions(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    program = """
        def main(n):
            total = 0
            for i in range(n):
                step = i % 7
                if i == 333:
                    step += 1
                total += step
            return total
        main(500)
        """
    trace = record(tmp_path, program)
    request.getfixturevalue("lowered")
    code = code_of(trace, 1)
    right: list[CodeNode] = []
    top, asked = code.top, 0
    while (node := CodeSearch(top, right).choose()) is not None:
        asked += 1
        if any(step.syntax.lineno == 6 for step in all_of(list(node.steps))):
            top = node
        else:
            right.append(node)
    assert top.line == 6
    assert asked <= 13  # log2 of 500 is 9, and there are four statements in an iteration
    assert isinstance(code.steps[1].parts, LocatedIterations)
