"""The suspicious area and the strategies against plain, slow versions of themselves on random trees."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_samples import trees

from algodebug.execution_tree import ExecutionTree
from algodebug.search import STRATEGIES, Question, Run, SuspiciousArea, Weights, ranges, strategies


class PlainArea:
    """The suspicious area by its definition."""

    def __init__(self, tree: ExecutionTree, trusted: set[int]) -> None:
        self.tree, self.trusted = tree, trusted
        self.top = 0
        self.left = set(tree.subtree(0))
        self.skipped: set[Question] = set()

    def covered(self, question: Question) -> set[int]:
        if isinstance(question, Run):
            return set(range(question.first, self.tree.end(question.last)))
        return set(self.tree.subtree(question))

    def weight(self, question: Question) -> int:
        inside = self.left & self.covered(question) & set(self.tree.subtree(self.top))
        return sum(1 for n in inside if n != self.top and self.tree.routine[n] not in self.trusted)

    def askable(self) -> list[int]:
        return [
            n
            for n in sorted(self.left & set(self.tree.subtree(self.top)))
            if n != self.top and n not in self.skipped and self.tree.routine[n] not in self.trusted
        ]

    def runs(self) -> list[Run]:
        """Every run of two or more calls of one caller of which something is left."""
        found = []
        for parent in sorted(self.left & set(self.tree.subtree(self.top))):
            children = list(self.tree.children(parent))
            for i, first in enumerate(children):
                found += [Run(parent, first, last) for last in children[i + 1 :]]
        return [run for run in found if self.weight(run) and run.first in self.left]


def _walk(tree: ExecutionTree, rng: random.Random, trusted: set[int], steps: int = 12):
    """Random answers, about nodes and runs, given to both; yields both areas after each."""
    plain = PlainArea(tree, trusted)
    area = SuspiciousArea(tree, 0, Weights(tree, frozenset(trusted)))
    last = None
    for _ in range(steps):
        yield plain, area, last
        left: list[Question] = [*plain.askable()]
        if rng.random() < 0.4:
            left = [*plain.runs()] or left
        if not left:
            return
        question = rng.choice(left)
        last = question.first if isinstance(question, Run) else question
        match rng.choice(("correct", "correct", "wrong", "unknown")):
            case "correct":
                plain.left -= plain.covered(question)
                area.remove(question)
            case "wrong":
                if isinstance(question, Run):
                    plain.left &= plain.covered(question) | {question.parent}
                    plain.top = question.parent
                else:
                    plain.top = question
                area.narrow(question)
            case _:
                plain.skipped.add(question)
                area.skip(question)


trusted_sets = st.sets(st.integers(1, 4), max_size=2)


@given(trees(), trusted_sets, st.integers(0, 10**6))
@settings(max_examples=300, deadline=None)
def test_weights_follow_the_answers(tree: ExecutionTree, trusted: set[int], seed: int) -> None:
    for plain, area, _ in _walk(tree, random.Random(seed), trusted):
        assert [n for n in range(len(tree)) if area.askable(n)] == plain.askable()
        assert area.total == plain.weight(plain.top)
        assert list(area.askable_nodes()) == plain.askable()
        for node in tree.subtree(plain.top):
            assert area.weight(node) == plain.weight(node), node
        for run in plain.runs():
            assert area.weight(run) == plain.weight(run), run


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


@given(trees(), trusted_sets, st.integers(0, 10**6))
@settings(max_examples=300, deadline=None)
def test_shapiro_and_hirunkitti_take_what_is_next_to_the_middle(
    tree: ExecutionTree, trusted: set[int], seed: int
) -> None:
    for plain, area, last in _walk(tree, random.Random(seed), trusted):
        total = plain.weight(plain.top)
        weights = {n: plain.weight(n) for n in plain.askable()}
        below = max((w for w in weights.values() if 2 * w <= total), default=None)
        above = min((w for w in weights.values() if 2 * w >= total), default=None)
        first, nearer = strategies.shapiro(area, last), strategies.hirunkitti(area, last)
        if first is None or nearer is None:
            assert not weights and first is nearer is None
            continue
        assert weights[first] == (above if below is None else below)
        assert abs(total - 2 * weights[nearer]) == min(
            abs(total - 2 * w) for w in (below, above) if w is not None
        )


def _mass(plain: PlainArea, right: Counter[int], node: int) -> Fraction:
    rules = plain.tree.routine
    inside = plain.left & set(plain.tree.subtree(node))
    return sum(
        (
            Fraction(1, 1 + right[rules[n]])
            for n in inside
            if n != plain.top and rules[n] not in plain.trusted
        ),
        Fraction(0),
    )


@given(trees(), trusted_sets, st.integers(0, 10**6))
@settings(max_examples=300, deadline=None)
def test_strategies_that_learn_follow_their_definitions(
    tree: ExecutionTree, trusted: set[int], seed: int
) -> None:
    right: Counter[int] = Counter()
    before: set[int] = set(tree.subtree(0))
    seen = 0
    for plain, area, last in _walk(tree, random.Random(seed), trusted):
        if len(area.answers) > seen and area.answers[-1].correct:
            right.update(tree.routine[n] for n in before - plain.left)
        before, seen = set(plain.left), len(area.answers)
        if area.answers and not all(answer.correct for answer in area.answers):
            return  # what a wrong run took away was not right
        masses = {n: _mass(plain, right, n) for n in plain.askable()}
        chosen = strategies.divide_by_yes_and_query(area, last)
        if not masses:
            assert chosen is None
            continue
        half = _mass(plain, right, plain.top) / 2
        below = max((m for m in masses.values() if m <= half), default=None)
        above = min((m for m in masses.values() if m >= half), default=None)
        distances = [abs(half - m) for m in (below, above) if m is not None]
        assert chosen is not None
        assert abs(half - masses[chosen]) == min(distances)
        open_nodes = _outermost(plain, plain.top, True)
        heaviest = strategies.less_yes_first(area, last)
        if open_nodes:
            assert heaviest is not None
            assert masses[heaviest] == max(masses[n] for n in open_nodes)


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


@given(trees(), trusted_sets, st.integers(0, 10**6))
@settings(max_examples=300, deadline=None)
def test_a_run_is_of_what_is_left_and_one_question_tells_enough(
    tree: ExecutionTree, trusted: set[int], seed: int
) -> None:
    for plain, area, last in _walk(tree, random.Random(seed), trusted):
        question = ranges.choose(area, last)
        if isinstance(question, Run):
            assert question in plain.runs()
            assert question not in plain.skipped
        elif not plain.skipped:
            assert question in plain.askable() or (question is None and not plain.askable())
        if question is not None and not plain.skipped:
            # 0.918 bits are what a division into one and two thirds tells, unless there are too few nodes to divide.
            total = plain.weight(plain.top) + 1
            told = ranges.told(area, question)
            assert told >= 0.918 / ranges.RUN_PRICE or total < 4, (told, total)


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
