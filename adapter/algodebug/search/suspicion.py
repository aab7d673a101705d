"""Strategies that ask where the bug most likely is: by what the answers say about the rules, or by marked values.

*Hat-delta* looks at the rules alone. *Subterm dependency tracking* goes to the node that made a value marked as wrong.
*Dynamic weighting search* prefers what made the value, then what passed it on, then what else influenced it. Who made
and who influenced a value is not known here: a `Mark` brings it along.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from algodebug.execution_tree import ExecutionTree
from algodebug.search.evidence import evidence
from algodebug.search.stepping import top_down
from algodebug.search.suspicious_area import Mark, SuspiciousArea

# From how often a rule ran right and wrong to how suspicious that makes it.
Heuristic = Callable[[int, int], float]


def fewest_correct(correct: int, wrong: int) -> float:
    """What ran right before will likely run right again."""
    return -correct


def most_wrong(correct: int, wrong: int) -> float:
    """What was part of wrong results before will likely be again."""
    return wrong


def proportion_wrong(correct: int, wrong: int) -> float:
    """The proportion of wrong results; one half for what was never judged."""
    judged = correct + wrong
    return wrong / judged if judged else 0.5


def hat_delta(heuristic: Heuristic) -> Callable[[SuspiciousArea, int | None], int | None]:
    """Top-down until something is known, then the left-most node with the most suspicious rule."""

    def choose(area: SuspiciousArea, last: int | None = None) -> int | None:
        if not area.answers:
            return top_down(area, last)
        known = evidence(area)
        left: Counter[int] = Counter()
        for start, end in area.pieces():
            left.update(area.rules[start:end])

        def suspicion(rule: int) -> float:
            return heuristic(known.correct[rule], known.wrong[rule])

        levels: dict[float, set[int]] = {}
        for rule in left:
            levels.setdefault(suspicion(rule), set()).add(rule)
        for level in sorted(levels, reverse=True):
            nodes = (_first_of(area, rule) for rule in levels[level])
            found = min((node for node in nodes if node is not None), default=None)
            if found is not None:
                return found
        return None

    return choose


def _first_of(area: SuspiciousArea, rule: int) -> int | None:
    """The first askable node that is an execution of a rule."""
    rules = area.rules
    for start, end in area.pieces():
        position = start
        while position < end:
            try:
                position = rules.index(rule, position, end)
            except ValueError:
                break
            if area.askable(position):
                return position
            position += 1
    return None


hat_delta_yes = hat_delta(fewest_correct)
hat_delta_no = hat_delta(most_wrong)
hat_delta_proportion = hat_delta(proportion_wrong)


def path_between(tree: ExecutionTree, node: int, other: int) -> list[int]:
    """The nodes between two nodes of a tree, from the second to the first, without both."""
    above = [other]
    while not tree.inside(node, above[-1]):
        above.append(tree.parent[above[-1]])
    below = []
    while node != above[-1]:
        below.append(node)
        node = tree.parent[node]
    path = [*above, *reversed(below)]
    return [n for n in path[1:] if n != (below[0] if below else above[-1])]


def dependency_chain(tree: ExecutionTree, mark: Mark) -> list[int]:
    """The node that made a marked value, then those that passed it on to where it was marked."""
    if mark.origin is None:
        return []
    return [mark.origin, *path_between(tree, mark.node, mark.origin)]


def subterm_dependency_tracking(area: SuspiciousArea, last: int | None = None) -> int | None:
    """The chain of the latest mark, from the maker of the value on; without marks, or at their end, top-down."""
    for mark in reversed(area.marks):
        for node in dependency_chain(area.tree, mark):
            if area.askable(node):
                return node
    return top_down(area, last)


class InfluenceSets(NamedTuple):
    """What a mark says about the nodes of the tree."""

    made: frozenset[int]  # the maker of the value and all below it
    passed: frozenset[int]  # those that passed it on
    influenced: frozenset[int]  # what else may have influenced it
    without_influence: frozenset[int]


def influence_sets(tree: ExecutionTree, mark: Mark) -> InfluenceSets:
    """The four sets of dynamic weighting search; a mark without an origin knows only the last two."""
    nodes = frozenset(tree.subtree(0))
    kept = nodes if mark.influencing is None else mark.influencing
    made = frozenset() if mark.origin is None else frozenset(tree.subtree(mark.origin))
    passed = frozenset(dependency_chain(tree, mark)[1:])
    return InfluenceSets(made, passed, kept - made - passed, nodes - kept - made - passed)


MADE, PASSED, INFLUENCED = 3, 2, 1


def dynamic_weighting_search(area: SuspiciousArea, last: int | None = None) -> int | None:
    """The node with most weight: 3 for each marked value it helped to make, 2 if it passed it on, else 1.

    Nodes that influenced no marked value have left the area with the mark. Left-most among equals.
    """
    if not area.marks:
        return top_down(area, last)
    tree = area.tree
    origins = [m.origin for m in area.marks if m.origin is not None]
    passed = Counter(n for mark in area.marks for n in dependency_chain(tree, mark)[1:])

    def weight(node: int) -> int:
        made = sum(1 for origin in origins if tree.inside(node, origin))
        return made * (MADE - INFLUENCED) + passed[node] * (PASSED - INFLUENCED)

    # The weight changes only at the ends of the makers' subtrees and at the nodes that passed a value on.
    edges = {area.top + 1, *passed, *(n + 1 for n in passed)}
    for origin in origins:
        edges |= {origin, tree.end(origin)}
    inside = sorted(e for e in edges if area.top < e < tree.end(area.top))
    best: tuple[int, int] | None = None
    for start, end in zip(inside, [*inside[1:], tree.end(area.top)], strict=True):
        if best is not None and -weight(start) >= best[0]:
            continue
        node = _first_askable(area, start, end)
        if node is not None:
            best = (-weight(start), node)
    return None if best is None else best[1]


def _first_askable(area: SuspiciousArea, start: int, end: int) -> int | None:
    position = area.next_left(start)
    while position < end:
        if area.askable(position):
            return position
        position = area.next_left(area.weights.next_counted(position + 1))
    return None
