"""Code inside a call as nodes: what there is, the state before and after, and the search in it. Recorded for real."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_cli_examples import record

from algodebug.code_nodes import CodeNode
from algodebug.execution_tree import ExecutionTree
from algodebug.session import CODE, FUNCTION, Session, read_answers
from algotrace.trace import Trace

PROGRAM = """
def f(items, step):
    total = 0
    for i, item in enumerate(items):
        if item % 2 == 0:
            continue
        total += item
        items[i] = item + 1
        while total > 10:
            total -= step
            if total == 3:
                break
    try:
        last = items[100]
    except IndexError:
        last = -1
    return total, last

f([6, 4, 7, 9], 4)
"""
LOOP = """
total = 0
for number in range(1000):
    total += number
print(total)
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, ExecutionTree]]:
    folder = tmp_path_factory.mktemp("code")
    trees = {}
    for name, text in {"program": PROGRAM, "loop": LOOP}.items():
        program = folder / f"{name}.py"
        program.write_text(textwrap.dedent(text))
        trees[name] = ExecutionTree.from_trace(Trace.open(record(program, folder)))
    yield trees
    for tree in trees.values():
        assert tree.trace is not None
        tree.trace.close()


def nodes(tree: ExecutionTree, call: int) -> list[CodeNode]:
    code = tree.code_of(call)
    assert code is not None and code.complete
    found, pending = [], list(code.top.children)
    while pending:
        node = pending.pop(0)
        found.append(node)
        pending += node.children
    return found


def shown(node: CodeNode) -> tuple[dict[str, str], dict[str, str]]:
    """The inputs, and the changes old → new."""
    changes = {
        c.target: f"{c.before.text().text if c.before else '-'} → {c.after.text().text if c.after else '-'}"
        for c in node.changes
    }
    return {i.name: i.value.text().text for i in node.inputs}, changes


@pytest.mark.parametrize(
    ("kind", "line", "which", "inputs", "changes", "outcome"),
    [
        ("statement", 7, 0, {"total": "0", "item": "7"}, {"total": "0 → 7"}, "fall-through"),
        (
            "iteration",
            4,
            2,
            {"i": "2", "item": "7", "total": "0"},
            {"total": "0 → 7", "items": "[6, 4, 7, 9] → [6, 4, 8, 9]"},
            "fall-through",
        ),
        ("iteration", 9, 0, {"total": "16", "step": "4"}, {"total": "16 → 12"}, "fall-through"),
        ("statement", 6, 0, {}, {}, "continue"),
        ("statement", 14, 0, {"items": "[6, 4, 8, 10]"}, {}, "raise"),
        ("statement", 17, 0, {"total": "8", "last": "-1"}, {}, "return"),
    ],
)
def test_the_state_of_code(
    recorded: dict[str, ExecutionTree],
    kind: str,
    line: int,
    which: int,
    inputs: dict[str, str],
    changes: dict[str, str],
    outcome: str,
) -> None:
    matching = sorted(
        (n for n in nodes(recorded["program"], 1) if (n.kind, n.line) == (kind, line)), key=lambda n: n.start
    )
    assert shown(matching[which]) == (inputs, changes)
    assert matching[which].outcome[0] == outcome


def test_parts_lie_in_order_inside_the_whole(recorded: dict[str, ExecutionTree]) -> None:
    for node in nodes(recorded["program"], 1):
        times = [(part.start, part.end) for part in node.children]
        assert times == sorted(times)
        assert all(node.start <= start <= end <= node.end for start, end in times)
        assert recorded["program"].code(node.id) is node


def test_a_loop_of_a_thousand_iterations_needs_ten_questions(recorded: dict[str, ExecutionTree]) -> None:
    session = Session(recorded["loop"], depth=CODE)
    wrong = 700  # this iteration, from 0
    asked = 0
    while (node := session.current()) is not None:
        code = recorded["loop"].code(node)
        assert code is not None
        if code.kind == "loop":
            answer = "wrong"
        elif code.is_of_iterations:
            answer = "wrong" if code.first <= wrong <= code.last else "correct"
        else:
            answer = "wrong" if code.region[0] <= 3 <= code.region[2] else "correct"
        session.answer({"answer": answer})
        asked += 1
    blamed = session.state()["result"]["blamed"]
    assert blamed["title"].startswith("iteration 701 of 1000")
    assert asked <= math.log2(1000) + 2


def test_a_program_without_calls_is_searched_inside_by_itself(recorded: dict[str, ExecutionTree]) -> None:
    assert Session(recorded["loop"]).current() is not None
    assert Session(recorded["loop"], depth=FUNCTION).current() is None


def test_stop_ends_at_the_function(recorded: dict[str, ExecutionTree]) -> None:
    session = Session(recorded["loop"])
    session.answer({"answer": "stop"})
    state = session.state()
    assert state["result"]["function"] == "<module>"
    assert state["canZoom"]


def test_a_missing_statement_is_a_gap(recorded: dict[str, ExecutionTree]) -> None:
    tree = recorded["program"]
    session = Session(tree, depth=CODE)
    session.answer({"answer": "wrong", "node": 1})
    while (node := session.current()) is not None:
        code = tree.code(node)
        assert code is not None
        whole = code.kind == "iteration" and code.line == 4 and code.first == 3
        spans = code.is_of_iterations and code.line == 4 and code.first <= 3 <= code.last
        wrong = whole or spans or (code.line <= 4 and code.region[2] >= 12 and not code.is_of_iterations)
        session.answer({"answer": "wrong" if wrong else "correct"})
    blamed = session.state()["result"]["blamed"]
    assert blamed["kind"] == "gap"
    assert 5 <= blamed["between"][0] < blamed["between"][1] <= 12


def test_answers_about_code_are_kept_undone_and_revised(
    recorded: dict[str, ExecutionTree], tmp_path: Path
) -> None:
    tree, file = recorded["loop"], tmp_path / "answers"
    session = Session(tree, session_file=file)
    first = session.current()
    session.answer({"answer": "wrong"})
    second = session.current()
    session.answer({"answer": "correct"})
    session.answer({"answer": "undo"})
    assert session.current() == second
    again = Session(ExecutionTree.from_trace(Trace.open(tree.trace.path)), answers=read_answers(file))  # type: ignore[union-attr]
    assert again.state()["question"]["text"] == session.state()["question"]["text"]
    session.answer({"answer": "correct", "node": first})
    assert session.verdict(first) == "correct"  # type: ignore[arg-type]
    assert session.current() != second
    session.close()


def test_equal_questions_answered_differently_are_a_contradiction(
    recorded: dict[str, ExecutionTree],
) -> None:
    tree = recorded["program"]
    session = Session(tree, depth=CODE)
    equal = [n for n in nodes(tree, 1) if n.kind == "statement" and n.line == 6]
    assert len(equal) == 2
    session.answer({"answer": "correct", "node": equal[0].id})
    assert session.contradictions() == []
    session.answer({"answer": "wrong", "node": equal[1].id})
    (found,) = session.contradictions()
    assert {answer["answer"] for answer in found["answers"]} == {"correct", "wrong"}
