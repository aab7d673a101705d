"""Answers that cannot both be true, about calls and about the code inside them; and answers flipped at random.

The programs are recorded for real; a corrected copy says what the truth is, about whatever a session may ask.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_classic_algorithms import CLASSIC, NAMES, NEVER_ENDS, wrong_line
from test_cli_examples import record

from algodebug.code_nodes import CodeNode, ancestors
from algodebug.execution_tree import ExecutionTree
from algodebug.oracles.reference_code import ReferenceCodeOracle
from algodebug.search import STRATEGIES
from algodebug.session import CODE, Session
from algotrace.trace import Trace

PROGRAM = """\
def total(items):
    found = 0
    for item in items:
        found += item
        found += item
    return found


def main():
    print(total([1, 2, 3, 4]))


main()
"""
TOTAL = 2
SESSIONS = int(os.environ.get("FLIPPED_SESSIONS", "8"))  # for each program


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExecutionTree]:
    folder = tmp_path_factory.mktemp("contradictions")
    (folder / "program.py").write_text(PROGRAM)
    trace = Trace.open(record(folder / "program.py", folder))
    yield ExecutionTree.from_trace(trace)
    trace.close()


def code(tree: ExecutionTree, call: int, kind: str, number: int = 0) -> CodeNode:
    """A piece of code of a call, by kind, in order."""
    routine = tree.code_of(call)
    assert routine is not None
    found, pending = [], list(routine.top.children)
    while pending:
        node = pending.pop()
        pending += node.children
        if node.kind == kind:
            found.append(node)
    return sorted(found, key=lambda node: (node.start, -node.end))[number]


@pytest.mark.parametrize("first", ["whole", "part"])
@pytest.mark.parametrize(
    ("whole", "part"),
    [
        ("call", "loop"),
        ("call", "iteration"),
        ("call", "statement"),
        ("loop", "iteration"),
        ("loop", "statement"),
        ("iteration", "statement"),
    ],
)
def test_a_right_whole_with_a_wrong_part_is_a_contradiction(
    tree: ExecutionTree, whole: str, part: str, first: str
) -> None:
    outer = TOTAL if whole == "call" else code(tree, TOTAL, whole).id
    # The first statement of the function is in no loop, the second one is.
    inner = code(tree, TOTAL, part, 1 if part == "statement" else 0).id
    answers = [{"answer": "correct", "node": outer}, {"answer": "wrong", "node": inner}]
    session = Session(tree, depth=CODE)
    for answer in answers if first == "whole" else reversed(answers):
        assert session.contradictions() == []
        session.answer(answer)
    (found,) = session.contradictions()
    assert {answer["node"] for answer in found["answers"]} == {outer, inner}
    assert "a part was called wrong and the whole right" in found["text"]
    # Changing either of them goes on.
    for node, answer in ((outer, "wrong"), (inner, "correct")):
        revised = Session(tree, depth=CODE, answers=answers)
        revised.answer({"answer": answer, "node": node})
        assert revised.contradictions() == []
        assert revised.current() is not None or revised.state()["result"]["blamed"]["node"] == inner


def test_wrong_iterations_of_which_each_is_right_are_a_contradiction(tree: ExecutionTree) -> None:
    session = Session(tree, depth=CODE)
    half = code(tree, TOTAL, "loop").children[0]
    assert half.is_of_iterations
    session.answer({"answer": "wrong", "node": half.id})
    parts = half.children
    for part in parts:
        assert session.contradictions() == []
        session.answer({"answer": "correct", "node": part.id})
    (found,) = session.contradictions()
    assert [answer["node"] for answer in found["answers"]] == [half.id, parts[-1].id]
    assert "all its parts were called right" in found["text"]


def test_a_right_call_that_made_a_wrong_one_is_none(tree: ExecutionTree) -> None:
    session = Session(tree, depth=CODE)
    session.answer({"answer": "correct", "node": 1})
    session.answer({"answer": "wrong", "node": TOTAL})
    assert session.contradictions() == []


class Truth:
    """What the corrected copy says about any node of one recorded program; it is asked once about each."""

    def __init__(self, name: str, folder: Path) -> None:
        self.trace = Trace.open(record(CLASSIC / f"{name}.py", folder))
        self.tree = ExecutionTree.from_trace(self.trace)
        self.oracle = ReferenceCodeOracle(CLASSIC / "fixed" / f"{name}.py", self.trace)
        self.line = wrong_line(name)
        self._known: dict[int, str] = {}

    def of(self, node: int) -> str:
        if node not in self._known:
            part, call = self.tree.code(node), self.tree.call(node)
            verdict = self.oracle.judge_code(part) if part is not None else self.oracle.judge(call)  # type: ignore[arg-type]
            self._known[node] = "unknown" if verdict is None else verdict.answer
        return self._known[node]

    def close(self) -> None:
        self.oracle.close()
        self.trace.close()


FLIPPED = {"correct": "wrong", "wrong": "correct", "unknown": "unknown"}


def search(session: Session, truth: Truth, rng: random.Random, flips: float) -> dict[int, str]:
    """Answers until the search is over; the nodes about which it was not the truth."""
    flipped = {}
    for _ in range(3 * len(session.tree) + 500):
        node = session.current()
        if node is None:
            return flipped
        answer = truth.of(node)
        if rng.random() < flips and answer != "unknown":
            answer = flipped[node] = FLIPPED[answer]
        session.answer({"answer": answer})
        if rng.random() < flips:
            session.strategy = rng.choice(sorted(STRATEGIES))
    raise AssertionError("the search does not end")


def wholes_and_parts(session: Session) -> set[tuple[int, int]]:
    """Right calls and code with wrong code in them, told in another way than by the session."""
    tree = session.tree
    answers = {entry["node"]: entry["answer"] for entry in session.state()["history"]}
    found = set()
    for part in [tree.code(node) for node, answer in answers.items() if answer == "wrong"]:
        if part is None:
            continue
        around = part.code.node
        if answers.get(around) == "correct":
            found.add((around, part.id))
        for whole in [tree.code(node) for node, answer in answers.items() if answer == "correct"]:
            if whole is None or whole.code is not part.code:
                continue
            shorter = whole.end - whole.start > part.end - part.start
            if whole in ancestors(part) or (shorter and whole.start <= part.start < part.end <= whole.end):
                found.add((whole.id, part.id))
    return found


@pytest.mark.parametrize("name", sorted(set(NAMES) - NEVER_ENDS))
def test_with_flipped_answers_the_search_ends_and_revising_them_leads_to_the_bug(
    name: str, tmp_path: Path
) -> None:
    truth = Truth(name, tmp_path)
    rng = random.Random(f"flipped {name}")
    try:
        for _ in range(SESSIONS):
            session = Session(truth.tree, depth=CODE)
            flipped = search(session, truth, rng, 0.05)
            told = {
                frozenset(answer["node"] for answer in found["answers"])
                for found in session.contradictions()
                if "a part was called wrong" in found["text"]
            }
            expected = {frozenset(pair) for pair in wholes_and_parts(session)}
            assert told <= expected
            assert bool(told) == bool(expected)
            for node in rng.sample(sorted(flipped), len(flipped)):
                session.answer({"answer": truth.of(node), "node": node})
            search(session, truth, rng, 0)
            result = session.state()["result"]
            assert result["found"]
            assert result["blamed"]["line"] == truth.line
            assert session.contradictions() == []
    finally:
        truth.close()
