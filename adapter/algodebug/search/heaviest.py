"""The heaviest nodes of an area, and the path of its heavy nodes, found by looking at few nodes of a large tree."""

from __future__ import annotations

import heapq
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from algodebug.search.suspicious_area import SuspiciousArea

_TIES_COMPARED = 6
LARGE = 20_000  # nodes below one node; its children are looked at one by one up to here
_PROBES = 512


@dataclass
class Heaviest:
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


def heaviest(area: SuspiciousArea, opened: Sequence[int], below: float = float("inf")) -> Iterator[Heaviest]:
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
    best: Heaviest | None = None
    while heap:
        key, is_node, node, index = heapq.heappop(heap)
        if key == 0 or (best is not None and -key < best.weight):
            break
        if is_node:
            if area.askable(node):
                best = best or Heaviest(area, -key, [], [])
                best.nodes.append(node)
                if len(best.nodes) >= _TIES_COMPARED:
                    break
            elif area.tree.size[node] > 1:
                open_list(node, area.first_heavy(node))
            continue
        ordered = weights.heaviest_first(node)
        if -key < below:
            # Nothing is heavier: if a long run of siblings has this weight, do not walk it.
            end = weights.equal_end(node, index, -key)
            if end - index > _TIES_COMPARED and _near(area, ordered, index, end, -key, None):
                best = best or Heaviest(area, -key, [], [])
                best.runs.append((ordered, index, end))
                continue
        child = ordered[index]
        weight = area.weight(child)
        if weight and child not in passed and weight < below:
            heapq.heappush(heap, (-weight, 1, child, 0))
        open_list(node, index + 1)
    if best is not None:
        yield best


def children_to_weigh(area: SuspiciousArea, node: int) -> Iterator[int]:
    """The children left of a node; of a very large one only some, with all that hold a five-hundredth of it among them."""
    start, end = area.next_left(node + 1), area.tree.end(node)
    if end - start <= LARGE:
        yield from area.children_left(node)
        return
    step = (end - start) // _PROBES
    while start < end:
        child = area.child_at(node, start)
        yield child
        start = area.next_left(max(area.tree.end(child), start + step))


def last_with(area: SuspiciousArea, least: float) -> int:
    """The lowest node with at least the given weight, which is more than half of the total; else the top.

    All nodes that heavy have the middle of the area in them, so the node is met on the way up from there.
    """
    top, tree, weights = area.top, area.tree, area.weights
    middle = area.position_of(top + 1, tree.end(top), (area.total + 1) // 2) - 1
    node, parent = max(middle, top), tree.parent
    while weights.weight(node) < least and node > top:
        node = parent[node]
    # What was removed may make it lighter than that. Weights grow upwards: ever longer steps, then back by halving.
    steps = 32
    while node > top and area.weight(node) < least:
        way = [node]
        while len(way) <= steps and way[-1] > top:
            way.append(parent[way[-1]])
        low, high = 1, len(way) - 1
        if area.weight(way[high]) < least:
            node = way[high]
            steps *= 2
            continue
        while low < high:
            between = (low + high) // 2
            if area.weight(way[between]) >= least:
                high = between
            else:
                low = between + 1
        return way[low]
    return node


def path_to(area: SuspiciousArea, node: int) -> Sequence[int]:
    """The nodes from the top down to a node."""
    parent, top = area.tree.parent, area.top
    path = array("i", [node])
    while node != top:
        node = parent[node]
        path.append(node)
    path.reverse()
    return path


def off_the_path(area: SuspiciousArea, path: Sequence[int], below: float) -> int | None:
    """The heaviest askable node of less than `below` that hangs from a path, left-most among equals.

    What hangs from a node of the path is lighter than the difference to the next node of the path, so of a long
    path only the steep pieces are looked at.
    """
    best = next(heaviest(area, path[-1:], below), None)
    found = None if best is None else best.leftmost
    most = 1 if best is None else best.weight
    # (−how much it falls, from, to), both places on the path
    steep = [(area.weight(path[-1]) - area.weight(path[0]), 0, len(path) - 1)]
    while steep and -steep[0][0] >= most:
        _, first, last = heapq.heappop(steep)
        if last - first > 1:
            middle = (first + last) // 2
            weight = area.weight(path[middle])
            heapq.heappush(steep, (weight - area.weight(path[first]), first, middle))
            heapq.heappush(steep, (area.weight(path[last]) - weight, middle, last))
        elif last > first:
            hanging = next(heaviest(area, [path[first]], below), None)
            if hanging is not None and hanging.weight >= most:
                node = hanging.leftmost
                if hanging.weight > most or found is None or node < found:
                    found, most = node, hanging.weight
    return found
