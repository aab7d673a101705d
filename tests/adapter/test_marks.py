"""A part of a value called wrong, or an argument that should not have been: only what influenced it is asked about."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import algotrace
from algodebug.execution_tree import ExecutionTree
from algodebug.session import AnswerError, Session
from algotrace.trace import Trace

PROGRAM = """\
def total(xs):
    t = 0
    for x in xs:
        t += x
    return t
def smallest(xs):
    m = xs[0]
    for x in xs:
        if x < m:
            m = x
    return m
def mean(xs):
    return total(xs) / len(xs)
def half(xs):
    return [x // 2 for x in xs]
def use(report):
    return len(report)
def stats(xs):
    a = mean(xs)
    b = smallest(xs)
    c = half(xs)
    report = {"mean": a, "max": b, "half": c}
    use(report)
    return report
stats([3, 1, 2])
"""
STATS = 1
CASES = {
    "a key": ({"answer": "wrong", "node": STATS, "mark": "result['max']"}, ["smallest"]),
    "a key made by two calls": (
        {"answer": "wrong", "node": STATS, "mark": "result['mean']"},
        ["mean", "total"],
    ),
    "an item of a list": ({"answer": "wrong", "node": STATS, "mark": "result['half'][1]"}, ["half"]),
    "all of it": ({"answer": "wrong", "node": STATS}, ["half", "mean", "smallest", "total", "use"]),
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> ExecutionTree:
    folder = tmp_path_factory.mktemp("marks")
    (folder / "program.py").write_text(PROGRAM)
    recorder = Path(algotrace.__file__).with_name("__main__.py")
    command = [sys.executable, recorder, "--quiet", "--trace", folder / "t.algotrace", folder / "program.py"]
    subprocess.run(command, check=True)
    return ExecutionTree.from_trace(Trace.open(folder / "t.algotrace"))


def asked_with_yes(session: Session) -> list[str]:
    """Which functions are asked about when everything is right."""
    asked = []
    while (node := session.current()) is not None:
        asked.append(session.tree.place(node).function)
        session.answer({"answer": "correct"})
    return sorted(asked)


@pytest.mark.parametrize("name", CASES)
def test_a_mark_leaves_only_what_influenced_it(name: str, tree: ExecutionTree) -> None:
    answer, expected = CASES[name]
    session = Session(tree, strategy="single-stepping", depth="function")
    session.answer(answer)
    assert asked_with_yes(session) == expected
    assert session.buggy_node() == STATS


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"answer": "wrong", "mark": "result['none']"}, "there is no part"),
        ({"answer": "wrong", "mark": "nothing[1]"}, "it may start with result, xs"),
        ({"answer": "wrong", "mark": "result["}, "result"),
        (
            {"answer": "wrong", "expected": "{'mean': 2.0, 'max': 1, 'half': [1, 0, 1]}"},
            "is what it returned",
        ),
        ({"answer": "inadmissible", "argument": "ys"}, "there is no argument ys"),
    ],
)
def test_what_the_question_does_not_show_cannot_be_marked(
    answer: dict[str, str], message: str, tree: ExecutionTree
) -> None:
    session = Session(tree)
    with pytest.raises(AnswerError, match=message) as error:
        session.answer({**answer, "node": STATS})
    assert error.value.hint
    assert session.answered == 0


def test_undo_takes_a_mark_back(tree: ExecutionTree) -> None:
    session = Session(tree, strategy="single-stepping", depth="function")
    session.answer({"answer": "wrong", "node": STATS, "mark": "result['max']"})
    session.undo()
    session.answer({"answer": "wrong", "node": STATS})
    assert asked_with_yes(session) == CASES["all of it"][1]
