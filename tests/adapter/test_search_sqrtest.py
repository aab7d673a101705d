"""The papers' main example: the sequences of questions and how many are needed, for a bug at every node."""

from __future__ import annotations

import pytest
from search_samples import SQRTEST, SQRTEST_WRONG, node_named

from algodebug.execution_tree import ExecutionTree
from algodebug.search import STRATEGIES
from algodebug.session import Session

TREE = ExecutionTree.from_nested(SQRTEST)


def questions(strategy: str, buggy: int) -> list[str]:
    """The functions asked about, in order, by a session that ends at `buggy`; equal questions are not merged."""
    wrong = {buggy}
    while TREE.parent[min(wrong)] >= 0:
        wrong.add(TREE.parent[min(wrong)])
    session = Session(TREE, strategy=strategy)
    asked = []
    while (node := session.current()) is not None:
        asked.append(TREE.place(node).function)
        session.answer({"answer": "wrong" if node in wrong else "correct"})
    assert session.state()["result"]["node"] == buggy
    return asked


def test_the_tree_is_the_papers() -> None:
    assert len(TREE) == 27
    assert {TREE.place(n).function for n in range(1, 27)} >= SQRTEST_WRONG


def test_top_down_asks_in_evaluation_order() -> None:
    asked = questions("top-down", node_named(TREE, "sum2(3)"))
    assert [f"{name} {'N' if name in SQRTEST_WRONG else 'Y'}" for name in asked] == [
        "sqrtest([1, 2]) N",
        "listsum([1, 2]) Y",
        "computs(3) N",
        "comput1(3) Y",
        "comput2(3) Y",
        "comput3(3) N",
        "partialsums(3) N",
        "sum1(3) Y",
        "sum2(3) N",
        "decr(3) Y",
    ]


def test_heaviest_first_asks_the_biggest_call() -> None:
    assert questions("heaviest-first", node_named(TREE, "sum2(3)")) == [
        "sqrtest([1, 2])",
        "computs(3)",
        "comput2(3)",
        "comput3(3)",
        "partialsums(3)",
        "sum1(3)",
        "sum2(3)",
        "decr(3)",
    ]


def test_single_stepping_asks_callees_first() -> None:
    asked = questions("single-stepping", node_named(TREE, "sum2(3)"))
    assert len(asked) == 18
    assert asked[:5] == ["listsum([])", "listsum([2])", "listsum([1, 2])", "square(3)", "comput1(3)"]
    assert asked[-2:] == ["decr(3)", "sum2(3)"]


def test_divide_and_query_finds_the_bug_with_five_questions() -> None:
    assert len(questions("divide-and-query", node_named(TREE, "sum2(3)"))) == 5


# The mean of divide and query is that of the best possible search (by dynamic programming): 4.93, at worst 6.
@pytest.mark.parametrize(
    ("strategy", "mean", "worst"),
    [
        ("divide-and-query", 4.93, 6),
        ("heaviest-first", 6.12, 8),
        ("top-down", 7.30, 10),
        ("single-stepping", 14.0, 26),
    ],
)
def test_questions_over_all_positions_of_the_bug(strategy: str, mean: float, worst: int) -> None:
    counts = [len(questions(strategy, buggy)) for buggy in range(len(TREE))]
    assert sum(counts) / len(counts) <= mean
    assert max(counts) <= worst


def test_every_strategy_has_a_label() -> None:
    assert all(strategy.label for strategy in STRATEGIES.values())
