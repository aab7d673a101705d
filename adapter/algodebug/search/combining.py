"""Several strategies as one: compared in turn, or switched by the shape of what is left.

A combination compares tuples of scores, so that a later strategy decides only between nodes that all earlier ones
find equally good. (Adding the scores up with constants, as has been proposed, gives no such order.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from algodebug.search.dividing import divide_and_query, divide_by_yes_and_query, hirunkitti
from algodebug.search.evidence import by_rule
from algodebug.search.stepping import heaviest_first, less_yes_first
from algodebug.search.suspicion import (
    INFLUENCED,
    MADE,
    PASSED,
    dependency_chain,
    dynamic_weighting_search,
)
from algodebug.search.suspicious_area import SuspiciousArea

Choose = Callable[[SuspiciousArea, int | None], int | None]
# For an area, how good a question about each node is: the more, the better.
Scorer = Callable[[SuspiciousArea], Callable[[int], float]]

_SCORED_ALL = 3000


def combined(scorers: Sequence[Scorer], proposals: Sequence[Choose] = ()) -> Choose:
    """The node with the greatest tuple of scores, left-most among equals.

    In a large area only the nodes that one of `proposals` would ask about are compared.
    """

    def choose(area: SuspiciousArea, last: int | None = None) -> int | None:
        if area.total <= _SCORED_ALL or not proposals:
            nodes: Iterable[int] = area.askable_nodes()
        else:
            proposed = (propose(area, last) for propose in proposals)
            nodes = sorted({node for node in proposed if node is not None})
        scores = [scorer(area) for scorer in scorers]
        return max(nodes, key=lambda node: (*(score(node) for score in scores), -node), default=None)

    return choose


def subterm_score(area: SuspiciousArea) -> Callable[[int], float]:
    """The weight of dynamic weighting search."""
    tree = area.tree
    chains = [(mark.origin, set(dependency_chain(tree, mark)[1:])) for mark in area.marks]

    def score(node: int) -> float:
        total = 0
        for origin, passed in chains:
            made = origin is not None and tree.inside(node, origin)
            total += MADE if made else PASSED if node in passed else INFLUENCED
        return total

    return score


def divide_by_yes_score(area: SuspiciousArea) -> Callable[[int], float]:
    """How near the node is to half of the weight, rules that ran right weighing less."""
    mass = by_rule(area)
    whole = mass.of(area.top)
    return lambda node: -abs(whole - 2 * mass.of(node))


def less_yes_score(area: SuspiciousArea) -> Callable[[int], float]:
    """How much weight is below the node, rules that ran right weighing less."""
    return by_rule(area).of


def hirunkitti_score(area: SuspiciousArea) -> Callable[[int], float]:
    """How near the node is to half of the nodes left."""
    total = area.total
    return lambda node: -abs(total - 2 * area.weight(node))


def heaviest_score(area: SuspiciousArea) -> Callable[[int], float]:
    """How many nodes are left below the node."""
    return area.weight


all_combined = combined(
    (subterm_score, divide_by_yes_score, less_yes_score, hirunkitti_score, heaviest_score),
    (
        dynamic_weighting_search,
        divide_by_yes_and_query,
        less_yes_first,
        divide_and_query,
        hirunkitti,
        heaviest_first,
    ),
)


def automatic(area: SuspiciousArea, last: int | None = None) -> int | None:
    """Heaviest first in a shallow tree (less deep than log2 of the nodes left), otherwise Hirunkitti's division."""
    shallow = not _deeper_than(area, math.log2(max(area.total, 1)))
    return (heaviest_first if shallow else hirunkitti)(area, last)


def _deeper_than(area: SuspiciousArea, depth: float) -> bool:
    """Is some node of the area at least so many calls below the top?"""
    size = area.tree.size

    def deep(node: int, missing: float) -> Iterator[int]:
        """The children left that are large enough to have something that deep."""
        if size[node] - 1 >= missing:
            for child in area.weights.heaviest_first(node):
                if size[child] >= missing:
                    if not area.is_removed(child):
                        yield child
                elif not area.weights.trusted:
                    return

    if depth <= 0:
        return area.total > 0
    open_nodes = [deep(area.top, depth)]
    while open_nodes:
        child = next(open_nodes[-1], None)
        if child is None:
            open_nodes.pop()
        elif len(open_nodes) >= depth:
            return True
        else:
            open_nodes.append(deep(child, depth - len(open_nodes)))
    return False
