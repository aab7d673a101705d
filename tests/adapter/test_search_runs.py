"""Runs of calls as questions: flat lists cost log2 of their length, in made-up trees and in recorded programs."""

from __future__ import annotations

import math
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from search_samples import SQRTEST, search, wrong_around
from test_cli_examples import record

from algodebug.execution_tree import ExecutionTree
from algodebug.search import STRATEGIES, Run, SuspiciousArea, Weights, next_question, ranges
from algodebug.session import Session
from algotrace.trace import Trace

WORKLOADS = Path(__file__).resolve().parents[2] / "benchmarks" / "workloads"


def counts(tree: ExecutionTree, bugs: range | list[int], **options: object) -> list[int]:
    found = []
    weights = Weights(tree)
    for bug in bugs:
        questions, area = search(
            tree,
            wrong_around(tree, bug),
            lambda area, last: next_question(area, last, **options),  # type: ignore[arg-type]
            area=SuspiciousArea(tree, 0, weights),
        )
        assert area.top == bug
        found.append(len(questions))
    return found


def flat(calls: int) -> ExecutionTree:
    return ExecutionTree.from_nested(("main", ["step"] * calls))


@pytest.mark.parametrize("calls", [2, 3, 10, 200, 1000])
@pytest.mark.parametrize("strategy", [s.name for s in STRATEGIES.values() if s.divides])
def test_a_loop_of_calls_costs_the_logarithm_of_its_length(strategy: str, calls: int) -> None:
    tree = flat(calls)
    bugs = range(len(tree)) if calls <= 200 else list(range(0, len(tree), 50))
    asked = counts(tree, bugs, strategy=strategy)
    assert sum(asked) / len(asked) <= math.log2(len(tree)) + 1
    assert max(asked) <= math.log2(len(tree)) + 2


def test_without_runs_it_costs_its_length() -> None:
    assert max(counts(flat(200), range(201), runs=False)) == 200


def test_sqrtest_is_searched_as_well_as_is_possible() -> None:
    """4.93 questions on average, 6 at worst: the optimum without runs, by trying everything."""
    tree = ExecutionTree.from_nested(SQRTEST)
    for runs in (True, False):
        asked = counts(tree, range(len(tree)), runs=runs)
        assert sum(asked) / len(asked) <= 4.93
        assert max(asked) <= 6


def test_the_first_half_of_the_calls_is_asked_about_first() -> None:
    tree = flat(10)
    area = SuspiciousArea(tree, 0)
    assert ranges.choose(area) == Run(0, 1, 5)
    area.remove(Run(0, 1, 5))
    assert ranges.choose(area) == Run(0, 6, 8)
    area.narrow(Run(0, 6, 8))
    assert area.top_run == Run(0, 6, 8)
    assert list(area.askable_nodes()) == [6, 7, 8]


def test_a_wrong_run_of_right_calls_blames_the_code_between_them() -> None:
    tree = flat(8)
    questions, area = search(tree, lambda question: isinstance(question, Run), next_question)
    assert area.top == 0
    assert area.top_run is not None
    left = [node for node in questions if isinstance(node, int)]
    assert set(range(area.top_run.first, area.top_run.last + 1)) <= set(left)


def test_runs_that_nobody_can_judge_are_asked_shorter_or_not_at_all() -> None:
    tree = flat(16)
    area = SuspiciousArea(tree, 0)
    asked = []
    while isinstance(question := next_question(area), Run):
        asked.append(question)
        area.skip(question)
    assert len(asked) == len(set(asked)) > 1
    assert question is not None
    lengths = [run.last - run.first for run in asked]
    assert lengths[-1] == min(lengths) < lengths[0]


def test_runs_are_cut_where_iterations_begin() -> None:
    """Iterations of three calls: the cut next to the middle is inside one, the best one is at its start."""
    tree = flat(30)

    def cuts(parent: int, child: int) -> list[int]:
        start = (child - 1) // 3 * 3 + 1
        return [start, start + 3]

    asked = []
    for bug in range(1, 31):
        questions, area = search(
            tree, wrong_around(tree, bug), lambda area, last: next_question(area, last, cuts=cuts)
        )
        assert area.top == bug
        asked += [q for q in questions if isinstance(q, Run)]
    longer = [run for run in asked if run.last - run.first >= 5]
    assert longer
    assert all((run.last - run.first + 1) % 3 == 0 for run in longer)


def test_a_call_is_preferred_to_a_run_that_tells_little_more() -> None:
    tree = ExecutionTree.from_nested(("m", ["a", "b", ("c", ["d"] * 5), "e", "f", "g"]))
    assert next_question(SuspiciousArea(tree, 0)) == 3


@pytest.mark.parametrize("workload", ["flat_loop", "quicksort", "queens"])
def test_recorded_programs(workload: str, tmp_path: Path) -> None:
    script = shutil.copy(WORKLOADS / f"{workload}.py", tmp_path)
    trace = tmp_path / "run.algotrace"
    command = [sys.executable, "-m", "algodebug.cli", "record", "-o", str(trace), script]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    tree = ExecutionTree.from_trace(Trace.open(trace))
    bugs = random.Random(7).sample(range(1, len(tree)), 60)
    with_runs = counts(tree, bugs)
    plain = counts(tree, bugs, runs=False)
    assert sum(with_runs) / len(bugs) <= math.log2(len(tree)) + 1
    assert sum(with_runs) <= sum(plain)


FLAT = """\
def square(i):
    return i * i


def main():
    s = 0
    for i in range(60):
        s += square(i)
    return s


main()
"""
MAIN, FIRST = 1, 2  # the call of `main`, and the first of the calls that it made


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExecutionTree]:
    folder = tmp_path_factory.mktemp("flat")
    (folder / "flat.py").write_text(FLAT)
    trace = Trace.open(record(folder / "flat.py", folder))
    yield ExecutionTree.from_trace(trace)
    trace.close()


def asked(session: Session) -> tuple[str, range]:
    """The kind of the open question, and the calls that it is about."""
    node = session.current()
    assert node is not None
    code = session.tree.code(node)
    if code is None:
        return "routine", range(node, session.tree.end(node))
    made = code.calls
    return code.kind, range(FIRST + made.start, FIRST + made.stop)


def test_a_run_of_calls_is_asked_about_as_the_iterations_that_made_them(recorded: ExecutionTree) -> None:
    question = Session(recorded).state()["question"]
    assert question["kind"] == "range"
    assert question["function"] == "main"
    assert question["text"].startswith(
        "Lines 7–8, iterations 1 to 31 of 60 of `for i in range(60)`: before i = [0, 1, 2, 3, "
    )
    assert question["text"].endswith(f"…], s = 0; after s = {sum(i * i for i in range(31))}: right?")
    assert question["why"] == "it made 31 of the remaining 61 calls"


@pytest.mark.parametrize(
    "answer", ["correct", "wrong", "unknown", "inadmissible", "trust-function", "should-not-have-been-called"]
)
def test_each_answer_about_a_run_is_taken_undone_and_revised(recorded: ExecutionTree, answer: str) -> None:
    session = Session(recorded)
    first = session.state()
    node = session.current()
    kind, calls = asked(session)
    assert kind == "range"
    session.answer({"answer": answer})
    after, (_, next_calls) = session.state(), asked(session)
    if answer == "wrong":
        # One of its calls, or of its iterations.
        assert set(next_calls) < set(calls)
    elif answer in ("unknown", "trust-function"):
        assert after["question"]["id"] != node
    else:
        assert not set(next_calls) & set(calls)
    session.undo()
    assert session.state() == first
    session.answer({"answer": answer})
    session.answer({"answer": "correct", "node": node})
    if answer != "trust-function":
        assert [entry["answer"] for entry in session.state()["history"] if entry["node"] == node] == [
            answer,
            "correct",
        ]
    assert session.verdict(node) == "correct"  # type: ignore[arg-type]
    assert not set(asked(session)[1]) & set(calls)


@pytest.mark.parametrize("bug", [FIRST, FIRST + 17, FIRST + 44, FIRST + 59, MAIN])
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_with_runs_that_nobody_can_judge_the_call_is_found_still(
    recorded: ExecutionTree, bug: int, share: float
) -> None:
    rng = random.Random(f"{bug} {share}")
    session = Session(recorded, depth="function")
    count = 0
    while session.current() is not None:
        kind, calls = asked(session)
        wrong = bug in calls or (kind == "routine" and bug == MAIN == calls.start)
        unknown = kind == "range" and rng.random() < share
        session.answer({"answer": "unknown" if unknown else "wrong" if wrong else "correct"})
        count += 1
    assert session.state()["result"]["node"] == bug
    assert count <= (2 + 3 * (share > 0)) * math.log2(len(recorded))
