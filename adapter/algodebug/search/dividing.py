"""Strategies that divide the suspicious area: whatever the answer, about half of it is gone.

They differ in what they weigh (nodes, rules by how often they were right, kinds of nodes) and in which of the two
nodes next to the middle they take. All work on two numbers of a node: what is left below it, and of how much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from algodebug.execution_tree import RAISED, RETURNED, UNFINISHED, YIELDED
from algodebug.search.evidence import SCALE, Mass, by_rule
from algodebug.search.heaviest import children_to_weigh, heaviest, last_with, off_the_path, path_to
from algodebug.search.suspicious_area import SuspiciousArea

_LOOK_AHEAD_LIMIT = 2000


def divide_and_query(area: SuspiciousArea, last: int | None = None) -> int | None:
    """Optimal divide & query: as many nodes left after "right" as after "wrong".

    The node minimises |Up − Down|, where Up counts the nodes left when it is right and Down those left when it is
    wrong; neither counts the node itself nor the top, which is known to be wrong. Among equals: the one after which
    the next division can be the most even, then the nearest to the last question (to the end of the run, where the
    wrong result was seen, at first), then the left-most.
    """
    candidates = _dividers(area, last)
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    near = area.tree.end(area.top) if last is None else last
    # Of a large area the next division does not matter much, and looking ahead would cost time.
    ahead = _unevenness_after if area.total <= _LOOK_AHEAD_LIMIT else lambda area, node: 0
    return min(candidates, key=lambda n: (ahead(area, n), abs(n - near), n))


def _dividers(area: SuspiciousArea, last: int | None) -> list[int]:
    """The askable nodes that divide the area most evenly (a few of them, when there are many)."""
    total = area.total
    # |Up − Down| = |total − w − (w − 1)|, with w the weight of the node's subtree.
    goal = total + 1

    def distance(weight: int) -> int:
        return abs(goal - 2 * weight)

    if total <= 0:
        return []
    # The nodes with at least half of the weight lie on one path from the top; its last node is the best above half.
    lower = last_with(area, goal / 2)
    tree = area.tree
    above: int | None = lower
    opened = [lower]
    while above is not None and not area.askable(above):
        if above == area.top:
            above = None
        else:
            above = tree.parent[above]
            opened.append(above)
    # Below half: the heaviest node that hangs from the path. Off the path above an askable node none is better.
    below = next(heaviest(area, opened, below=goal / 2), None)
    best = min(
        distance(area.weight(above)) if above is not None else goal * 2,
        distance(below.weight) if below is not None else goal * 2,
    )
    found: list[int] = []
    if above is not None and distance(area.weight(above)) == best:
        found.append(above)
    if below is not None and distance(below.weight) == best:
        found += below.some_near(last)
    return found


def _unevenness_after(area: SuspiciousArea, node: int) -> int:
    """How unevenly the two areas that an answer about `node` can leave are divided at best."""
    wrong = area.copy()
    wrong.narrow(node)
    correct = area.copy()
    correct.remove(node)
    return _unevenness(wrong) + _unevenness(correct)


def _unevenness(area: SuspiciousArea) -> int:
    dividers = _dividers(area, None)
    return abs(area.total + 1 - 2 * area.weight(dividers[0])) if dividers else 0


class _Middle(NamedTuple):
    """The nodes next to the middle: the heaviest of at most half the weight, and the lightest of at least half."""

    below: int | None
    above: int | None


def _middle(area: SuspiciousArea, total: int) -> _Middle:
    """By the way the path of nodes with more than half takes through the tree: what is looked for is on or next to it."""
    half = total / 2 + 0.25
    lower = last_with(area, half)
    below = off_the_path(area, path_to(area, lower), half)
    above: int | None = lower
    while above is not None and not area.askable(above):
        above = None if above == area.top else area.tree.parent[above]
    if below is not None and 2 * area.weight(below) == total:
        above = below
    return _Middle(below, above)


def shapiro(area: SuspiciousArea, last: int | None = None) -> int | None:
    """The heaviest node of at most half the weight, else the lightest above it; left-most among equals."""
    below, above = _middle(area, area.total)
    return above if below is None else below


def hirunkitti(area: SuspiciousArea, last: int | None = None) -> int | None:
    """Of Shapiro's node and the lightest of at least half the weight the one nearer to half; Shapiro's among equals."""
    total = area.total
    below, above = _middle(area, total)
    if below is None or above is None:
        return above if below is None else below
    return below if total - 2 * area.weight(below) <= 2 * area.weight(above) - total else above


def _nearest_half(area: SuspiciousArea, mass: Mass) -> list[int]:
    """The askable nodes whose mass is nearest to half of the area's: at most one on either side, and their equals."""
    whole = mass.of(area.top)
    if not area.total or not whole:
        return []
    # Those with more than half have the middle in them.
    lower = max(mass.middle(), area.top)
    while lower != area.top and 2 * mass.of(lower) <= whole:
        lower = area.tree.parent[lower]
    above = lower
    while above != area.top and not area.askable(above):
        above = area.tree.parent[above]
    most, nodes = _heaviest_hanging(area, mass, path_to(area, lower))
    found = [(whole - 2 * most, node) for node in nodes]
    if above != area.top:
        found.append((2 * mass.of(above) - whole, above))
    nearest = min((distance for distance, _ in found), default=0)
    return [node for distance, node in found if distance == nearest]


def _heaviest_hanging(area: SuspiciousArea, mass: Mass, path: Sequence[int]) -> tuple[int, list[int]]:
    """The greatest mass of askable nodes that hang from a path, and these nodes; only its steep pieces are looked at."""
    most, nodes = 1, []
    last = len(path) - 1
    # (−how much it falls, from, to), both places on the path; what hangs from its end comes first
    steep = sorted([(-mass.of(path[last]), last, last), (mass.of(path[last]) - mass.of(path[0]), 0, last)])
    while steep and -steep[0][0] >= most:
        _, first, end = heappop(steep)
        if end - first > 1:
            middle = (first + end) // 2
            between = mass.of(path[middle])
            heappush(steep, (between - mass.of(path[first]), first, middle))
            heappush(steep, (mass.of(path[end]) - between, middle, end))
            continue
        if first == end != last:
            continue
        for child in children_to_weigh(area, path[first]):
            if first < last and child == path[first + 1]:
                continue
            for node in (child,) if area.askable(child) else _askable_below(area, child):
                below = mass.of(node)
                if below > most:
                    most, nodes = below, [node]
                elif below == most:
                    nodes.append(node)
    return most, nodes


def _askable_below(area: SuspiciousArea, node: int) -> Iterator[int]:
    """The askable nodes below an unaskable one that have no askable node in between."""
    pending = [node]
    for opened in pending:
        for child in area.children_left(opened):
            if area.askable(child):
                yield child
            else:
                pending.append(child)


def divide_by_yes_and_query(area: SuspiciousArea, last: int | None = None) -> int | None:
    """Hirunkitti's rule on weights that fall with every right execution of a node's rule; ties by number of nodes."""
    mass = by_rule(area)
    total = area.total
    return min(
        _nearest_half(area, mass),
        key=lambda n: (abs(total - 2 * area.weight(n)), 2 * area.weight(n) > total, n),
        default=None,
    )


Bias = Callable[[int], int]
# By how a call ended: one that raised, or never came to its end, is more likely to be near the bug.
_BIAS = {RETURNED: 1, YIELDED: 1, RAISED: 3, UNFINISHED: 3}


def biased(bias: Bias) -> Callable[[SuspiciousArea, int | None], int | None]:
    """Divide & query with a weight for every kind of node (how its call ended); 0 means: never divide on it."""

    def choose(area: SuspiciousArea, last: int | None = None) -> int | None:
        mass = Mass(area, area.tree.outcome_kind, lambda kind: SCALE * bias(kind))
        kinds = area.tree.outcome_kind
        candidates = sorted(_nearest_half(area, mass))
        weighty = [n for n in candidates if bias(kinds[n])]
        if weighty:
            return weighty[0]
        nodes = candidates or area.askable_nodes()
        return next((n for n in area.askable_nodes() if bias(kinds[n])), None) or next(iter(nodes), None)

    return choose


biased_divide_and_query = biased(_BIAS.__getitem__)
