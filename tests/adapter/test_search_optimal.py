"""The optimal strategies against searches through everything that could be asked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import pytest
from hypothesis import given, settings
from search_samples import SQRTEST, search, trees, wrong_around

from algodebug.execution_tree import ExecutionTree
from algodebug.search import STRATEGIES, SuspiciousArea
from algodebug.search.optimal import edge_ranking, expecting


def fewest_at_worst(parents: tuple[int, ...]) -> int:
    """By trying every question in every piece of the tree that is left."""
    below = [1 << n for n in range(len(parents))]
    for node in range(len(parents) - 1, 0, -1):
        below[parents[node]] |= below[node]

    @lru_cache(None)
    def needed(piece: int) -> int:
        inside = [n for n in range(len(parents)) if piece >> n & 1][1:]
        return min((1 + max(needed(piece & below[n]), needed(piece & ~below[n])) for n in inside), default=0)

    return needed((1 << len(parents)) - 1)


def all_trees(nodes: int) -> Iterator[tuple[int, ...]]:
    """Every ordered tree as the parents of its nodes in preorder."""

    def longer(parents: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(parents) == nodes:
            yield parents
            return
        above = len(parents) - 1
        while above >= 0:
            yield from longer((*parents, above))
            above = parents[above]

    return longer((-1,))


@pytest.mark.parametrize("nodes", range(2, 10))
def test_the_ranking_of_every_small_tree_is_the_least(nodes: int) -> None:
    for parents in all_trees(nodes):
        ranks = edge_ranking(parents)
        assert max(ranks) + 1 == fewest_at_worst(parents), parents


@given(trees(14))
@settings(max_examples=60, deadline=None)
def test_the_ranking_of_larger_trees_is_the_least(tree: ExecutionTree) -> None:
    parents = tuple(tree.parent)
    assert max(edge_ranking(parents)) + 1 == fewest_at_worst(parents)


@given(trees(60))
@settings(max_examples=100, deadline=None)
def test_between_equal_ranks_is_a_greater_one(tree: ExecutionTree) -> None:
    ranks = edge_ranking(list(tree.parent))
    for node in range(1, len(tree)):
        # From the edge above `node`, walk to every other edge past lesser ranks only.
        seen, pending = {node}, [node]
        while pending:
            edge = pending.pop()
            above = tree.parent[edge]
            neighbours = [*tree.children(edge), *tree.children(above), *([above] if above else [])]
            for other in neighbours:
                if other in seen:
                    continue
                seen.add(other)
                assert ranks[other] != ranks[node]
                if ranks[other] < ranks[node]:
                    pending.append(other)


@given(trees(12))
@settings(max_examples=60, deadline=None)
def test_the_search_needs_no_more_questions_than_the_ranking_says(tree: ExecutionTree) -> None:
    most = max(edge_ranking(list(tree.parent))) + 1
    choose = STRATEGIES["optimal-worst-case"].choose
    for buggy in range(len(tree)):
        questions, area = search(tree, wrong_around(tree, buggy), choose)
        assert area.top == buggy
        assert len(questions) <= most


def test_unknown_and_trusted_nodes_cannot_be_asked() -> None:
    tree = ExecutionTree.from_nested(("a", [("b", ["c", ("d", ["e"])])]))
    area = SuspiciousArea(tree, 0)
    area.skip(1)
    area.skip(3)
    for name in ("optimal-worst-case", "optimal-expected"):
        questions, _ = search(tree, lambda question: False, STRATEGIES[name].choose, area=area.copy())
        assert sorted(questions) == [2, 4], name  # type: ignore[type-var]


def least_on_average(tree: ExecutionTree, mass: list[float], price: list[float]) -> float:
    below = [sum(1 << n for n in tree.subtree(node)) for node in range(len(tree))]

    @lru_cache(None)
    def cost(piece: int) -> float:
        inside = [n for n in range(len(tree)) if piece >> n & 1]
        whole = sum(mass[n] for n in inside)
        return min(
            (whole * price[n] + cost(piece & below[n]) + cost(piece & ~below[n]) for n in inside[1:]),
            default=0,
        )

    return cost((1 << len(tree)) - 1) / sum(mass)


@given(trees(10))
@settings(max_examples=60, deadline=None)
def test_small_trees_are_searched_with_the_least_expected_cost(tree: ExecutionTree) -> None:
    mass = [1 + (n * 7) % 5 for n in range(len(tree))]
    price = [1 + (n * 5) % 3 for n in range(len(tree))]
    choose = expecting(lambda area: mass.__getitem__, lambda area, last: price.__getitem__)
    spent = 0
    for buggy in range(len(tree)):
        questions, area = search(tree, wrong_around(tree, buggy), choose)
        assert area.top == buggy
        spent += mass[buggy] * sum(price[q] for q in questions)  # type: ignore[index]
    assert spent / sum(mass) == pytest.approx(least_on_average(tree, mass, price))  # type: ignore[arg-type]


def test_of_equal_questions_the_nearest_to_the_last_comes_first() -> None:
    """Two equal branches, one leaf of each was right: it goes on in the branch of the last question."""
    tree = ExecutionTree.from_nested(("m", [("x", ["p", "p", "p"]), ("x", ["p", "p", "p"])]))
    for last, branch in ((2, 1), (6, 5)):
        area = SuspiciousArea(tree, 0)
        area.remove(2)
        area.remove(6)
        assert STRATEGIES["optimal-expected"].choose(area, last) == branch
        assert STRATEGIES["divide-and-query"].choose(area, last) == branch


def test_the_sqrtest_tree() -> None:
    tree = ExecutionTree.from_nested(SQRTEST)
    for name in ("optimal-worst-case", "optimal-expected"):
        counts = []
        for buggy in range(len(tree)):
            questions, area = search(tree, wrong_around(tree, buggy), STRATEGIES[name].choose)
            assert area.top == buggy
            counts.append(len(questions))
        assert max(counts) <= (6 if name == "optimal-worst-case" else 8), name
        assert sum(counts) / len(counts) <= 5.2, name
