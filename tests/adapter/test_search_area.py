"""The suspicious area and the strategies against plain, slow versions of themselves on random trees."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_samples import trees

from algodebug.execution_tree import ExecutionTree
from algodebug.search import STRATEGIES, SuspiciousArea, Weights, strategies


class PlainArea:
    """The suspicious area by its definition."""

    def __init__(self, tree: ExecutionTree, trusted: set[int]) -> None:
        self.tree, self.trusted = tree, trusted
        self.top = 0
        self.left = set(tree.subtree(0))
        self.skipped: set[int] = set()

    def weight(self, node: int) -> int:
        inside = self.left & set(self.tree.subtree(node)) & set(self.tree.subtree(self.top))
        return sum(1 for n in inside if n != self.top and self.tree.routine[n] not in self.trusted)

    def askable(self) -> list[int]:
        return [
            n
            for n in sorted(self.left & set(self.tree.subtree(self.top)))
            if n != self.top and n not in self.skipped and self.tree.routine[n] not in self.trusted
        ]


def _walk(tree: ExecutionTree, rng: random.Random, trusted: set[int], steps: int = 12):
    """Random answers given to both; yields both areas after each."""
    plain = PlainArea(tree, trusted)
    area = SuspiciousArea(tree, 0, Weights(tree, frozenset(trusted)))
    last = None
    for _ in range(steps):
        yield plain, area, last
        left = plain.askable()
        if not left:
            return
        node = last = rng.choice(left)
        match rng.choice(("correct", "correct", "wrong", "unknown")):
            case "correct":
                plain.left -= set(tree.subtree(node))
                area.remove(node)
            case "wrong":
                plain.top = node
                area.narrow(node)
            case _:
                plain.skipped.add(node)
                area.skip(node)


trusted_sets = st.sets(st.integers(1, 4), max_size=2)


@given(trees(), trusted_sets, st.integers(0, 10**6))
@settings(max_examples=300, deadline=None)
def test_weights_follow_the_answers(tree: ExecutionTree, trusted: set[int], seed: int) -> None:
    for plain, area, _ in _walk(tree, random.Random(seed), trusted):
        assert [n for n in range(len(tree)) if area.askable(n)] == plain.askable()
        assert area.total == plain.weight(plain.top)
        for node in tree.subtree(plain.top):
            assert area.weight(node) == plain.weight(node), node


@given(trees(), trusted_sets, st.integers(0, 10**6))
@settings(max_examples=400, deadline=None)
def test_divide_and_query_divides_as_evenly_as_possible(
    tree: ExecutionTree, trusted: set[int], seed: int
) -> None:
    for plain, area, last in _walk(tree, random.Random(seed), trusted):
        total = plain.weight(plain.top)
        unevenness = {n: abs(total + 1 - 2 * plain.weight(n)) for n in plain.askable()}
        chosen = strategies.divide_and_query(area, last)
        if not unevenness:
            assert chosen is None
        else:
            assert chosen in unevenness
            assert unevenness[chosen] == min(unevenness.values())


def _outermost(plain: PlainArea, node: int, through_unknown: bool) -> list[int]:
    found = []
    for child in plain.tree.children(node):
        if child not in plain.left:
            continue
        if plain.tree.routine[child] in plain.trusted or (through_unknown and child in plain.skipped):
            found += _outermost(plain, child, through_unknown)
        elif child not in plain.skipped:
            found.append(child)
    return found


def _post_order(tree: ExecutionTree, node: int) -> list[int]:
    return [n for c in tree.children(node) for n in _post_order(tree, c)] + [node]


@given(trees(), trusted_sets, st.integers(0, 10**6))
@settings(max_examples=400, deadline=None)
def test_the_other_strategies_follow_their_definitions(
    tree: ExecutionTree, trusted: set[int], seed: int
) -> None:
    for plain, area, last in _walk(tree, random.Random(seed), trusted):
        left = plain.askable()
        stepped = [n for n in _post_order(tree, plain.top) if n in left]
        assert strategies.single_stepping(area, last) == (stepped[0] if stepped else None)

        direct = _outermost(plain, plain.top, False)
        chosen = strategies.top_down(area, last)
        if direct:
            assert chosen == direct[0]
        else:
            assert (chosen is None) == (not left)
        heaviest = strategies.heaviest_first(area, last)
        open_nodes = _outermost(plain, plain.top, True)
        if open_nodes:
            assert heaviest in open_nodes
            assert plain.weight(heaviest) == max(map(plain.weight, open_nodes))
        else:
            assert heaviest is None


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(tree=trees(), choice=st.randoms(use_true_random=False))
@settings(max_examples=120, deadline=None)
def test_every_strategy_finds_the_buggy_node(
    strategy: str, tree: ExecutionTree, choice: random.Random
) -> None:
    """A truthful oracle: the calls around the buggy one are wrong, and maybe others that hide a second bug are not."""
    buggy = choice.randrange(len(tree))
    wrong = {buggy}
    while tree.parent[min(wrong)] >= 0:
        wrong.add(tree.parent[min(wrong)])
    area, last, asked = SuspiciousArea(tree, 0), None, 0
    while (node := STRATEGIES[strategy].choose(area, last)) is not None:
        last = node
        asked += 1
        if node in wrong:
            area.narrow(node)
        else:
            area.remove(node)
        assert asked <= len(tree)
    assert area.top == buggy
