"""Which node to ask about next: pure functions from a suspicious area to a node.

Each takes the area and the node asked last, and returns a node that `area.askable`, or None when no node is left to
ask. None looks at more than a few nodes of a large tree, except where it says so.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from algodebug.search.suspicious_area import SuspiciousArea

Strategy = Callable[[SuspiciousArea, int | None], int | None]

_TIES_COMPARED = 6
_LOOK_AHEAD_LIMIT = 2000


def top_down(area: SuspiciousArea, last: int | None = None) -> int | None:
    """The children of the wrong node in evaluation order; an error is followed down the calls.

    The calls a trusted call made stand in its place. Below a call that nobody could judge the search goes on when
    the other calls are done.
    """
    return next(_outermost(area), None)


def _outermost(area: SuspiciousArea) -> Iterator[int]:
    """The askable nodes without an askable node between them and the top; those below unknown ones come last."""
    tree, weights = area.tree, area.weights
    pending = [area.top]
    for opened in pending:
        position, end = opened + 1, tree.end(opened)
        while position < end:
            position = area.next_left(position)
            if position >= end:
                break
            if position in area.skipped:
                pending.append(position)
            elif weights.own(position):
                yield position
            elif area.weight(position):
                # Trusted code: transparent. Everything up to the next counted node is trusted, too.
                position = weights.next_counted(position)
                continue
            position = tree.end(position)


def single_stepping(area: SuspiciousArea, last: int | None = None) -> int | None:
    """Children before parents, left to right: the first wrong answer names the buggy call."""
    tree, size = area.tree, area.tree.size
    position = area.next_left(area.top + 1)
    end = tree.end(area.top)
    while position < end:
        # Go down to the first node, in post-order, that is left at or below `position`.
        while True:
            leaf = _first_leaf(size, position)
            removal = area.next_removal(position)
            if leaf < removal:
                position = leaf
                break
            # The node before the removal has lost its first children.
            above = removal - 1
            position = area.next_left(removal)
            if position >= tree.end(above):
                position = above
                break
        # Go on in post-order until one can be asked.
        while not area.askable(position):
            sibling = area.next_left(tree.end(position))
            parent = tree.parent[position]
            if sibling < tree.end(parent):
                position = sibling
                break
            position = parent
            if position == area.top or position < 0:
                return None
        else:
            return position
    return None


def _first_leaf(size: Sequence[int], position: int) -> int:
    index = getattr(size, "index", None)
    if index is not None:
        return int(index(1, position))
    while size[position] != 1:
        position += 1
    return position


def heaviest_first(area: SuspiciousArea, last: int | None = None) -> int | None:
    """Of the calls the wrong node made, the one with most calls left below it; left-most among equals."""
    best = next(_heaviest(area, [area.top]), None)
    return None if best is None else best.leftmost


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
    lower = _last_with(area, goal / 2)
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
    below = next(_heaviest(area, opened, below=goal / 2), None)
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


def _last_with(area: SuspiciousArea, least: float) -> int:
    """The lowest node with at least the given weight (more than half of the total): there is one path of them."""
    node = area.top
    while True:
        path, low = area.weights.heavy_path(node, least)
        high = len(path) - 1
        while low < high:
            middle = (low + high + 1) // 2
            if area.weight(path[middle]) >= least:
                low = middle
            else:
                high = middle - 1
        node = path[low]
        # The path of heavy children, weighed before the answers, may part from the path looked for.
        ordered = area.weights.heaviest_first(node) if low + 1 < len(path) else ()
        for index in range(area.first_heavy(node) if ordered else 0, len(ordered)):
            child = ordered[index]
            if area.weights.weight(child) < least:
                return node
            if area.weight(child) >= least:
                node = child
                break
        else:
            return node


@dataclass
class _Heaviest:
    """The heaviest nodes found, all of one weight: some by themselves, some as a run of equal siblings."""

    area: SuspiciousArea
    weight: int
    nodes: list[int]
    # (children heaviest first, start and end of a run whose weights were never reduced)
    runs: list[tuple[Sequence[int], int, int]]

    @property
    def leftmost(self) -> int:
        return min(self.some_near(None))

    def some_near(self, last: int | None) -> list[int]:
        """The nodes; of a run only the first and the nearest to `last`."""
        found = list(self.nodes)
        for ordered, start, end in self.runs:
            for node in _near(self.area, ordered, start, end, self.weight, last):
                if node not in found:
                    found.append(node)
        return found


def _near(
    area: SuspiciousArea, ordered: Sequence[int], start: int, end: int, weight: int, last: int | None
) -> list[int]:
    """Of a run of siblings, the ones of the given weight next to `last` on both sides; else the first."""
    found = []
    at = start if last is None else bisect_left(ordered, last, start, end)
    index = at
    while index < end:
        node = ordered[index]
        if area.askable(node) and area.weight(node) == weight:
            found.append(node)
            break
        # Removed siblings are stepped over in one jump.
        index = max(index + 1, bisect_left(ordered, area.next_left(node), start, end))
    index = at - 1
    while index >= start:
        node = ordered[index]
        if area.askable(node) and area.weight(node) == weight:
            found.append(node)
            break
        index = min(index - 1, bisect_left(ordered, area.last_before(node) + 1, start, end) - 1)
    return found


def _run_end(area: SuspiciousArea, ordered: Sequence[int], index: int, weight: int) -> int:
    """Where the children of one weight (before the answers) end in a list sorted by falling weight."""
    low, high = index, len(ordered)
    while low < high:
        middle = (low + high) // 2
        if area.weights.weight(ordered[middle]) >= weight:
            low = middle + 1
        else:
            high = middle
    return low


def _heaviest(
    area: SuspiciousArea, opened: Sequence[int], below: float = float("inf")
) -> Iterator[_Heaviest]:
    """The heaviest askable nodes among the children of `opened`, children of unaskable ones included.

    Best first: an entry is a list of children from an index on (its key the weight before the answers, an upper
    bound) or a node (its key the weight now). Nodes of weight `below` and more, and those opened, are passed over.
    """
    weights = area.weights
    passed = set(opened)
    # (−weight, 0 for a list | 1 for a node, number, index)
    heap: list[tuple[int, int, int, int]] = []

    def open_list(node: int, index: int) -> None:
        ordered = weights.heaviest_first(node)
        if index < len(ordered):
            heapq.heappush(heap, (-weights.weight(ordered[index]), 0, node, index))

    for node in opened:
        if area.tree.size[node] > 1:
            open_list(node, area.first_heavy(node))
    best: _Heaviest | None = None
    while heap:
        key, is_node, node, index = heapq.heappop(heap)
        if key == 0 or (best is not None and -key < best.weight):
            break
        if is_node:
            if area.askable(node):
                best = best or _Heaviest(area, -key, [], [])
                best.nodes.append(node)
                if len(best.nodes) >= _TIES_COMPARED:
                    break
            elif area.tree.size[node] > 1:
                open_list(node, area.first_heavy(node))
            continue
        ordered = weights.heaviest_first(node)
        if -key < below:
            # Nothing is heavier: if a long run of siblings has this weight, do not walk it.
            end = _run_end(area, ordered, index, -key)
            if end - index > _TIES_COMPARED and _near(area, ordered, index, end, -key, None):
                best = best or _Heaviest(area, -key, [], [])
                best.runs.append((ordered, index, end))
                continue
        child = ordered[index]
        weight = area.weight(child)
        if weight and child not in passed and weight < below:
            heapq.heappush(heap, (-weight, 1, child, 0))
        open_list(node, index + 1)
    if best is not None:
        yield best


def halve_chain(area: SuspiciousArea, chain: Sequence[int]) -> int | None:
    """The middle of the part of a chain of calls (outermost first) that can still be asked about."""
    left = [node for node in chain if area.askable(node)]
    return left[len(left) // 2] if left else None
