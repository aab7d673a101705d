"""How heavy every subtree is, and its heaviest children, found once and kept.

A node weighs 1, a node of trusted code 0. Nothing here depends on answers, so one index serves a whole session
until something more is trusted. What it keeps is made on first use: a tree of a million nodes costs nothing until
somebody looks at a part of it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from algodebug.execution_tree import ExecutionTree

_WIDE = 1000


class Weights:
    """The weights of one tree under one set of trusted routines."""

    def __init__(self, tree: ExecutionTree, trusted: frozenset[int] = frozenset()) -> None:
        self.tree = tree
        self.trusted = trusted
        self._before: Sequence[int] | None = None
        if trusted:
            counted = [0 if r in trusted else 1 for r in range(max(tree.routine, default=0) + 1)]
            self._before = array("i", accumulate(map(counted.__getitem__, tree.routine), initial=0))
        self._sorted: dict[int, Sequence[int]] = {}

    def own(self, node: int) -> int:
        return 0 if self.trusted and self.tree.routine[node] in self.trusted else 1

    def weight(self, node: int) -> int:
        size = self.tree.size[node]
        before = self._before
        return size if before is None else before[node + size] - before[node]

    def between(self, start: int, end: int) -> int:
        """How much the nodes numbered from `start` up to `end` weigh."""
        before = self._before
        return end - start if before is None else before[end] - before[start]

    def next_counted(self, node: int) -> int:
        """The first node from `node` on, in preorder, that weighs something; the tree's length when there is none."""
        before = self._before
        if before is None:
            return node
        return bisect_left(before, before[node] + 1, node) - 1

    def heaviest_first(self, node: int) -> Sequence[int]:
        """The children of a node, heaviest first, left to right among equals."""
        found = self._sorted.get(node)
        if found is None:
            found = self._sorted[node] = self._children_by_weight(node)
        return found

    def _children_by_weight(self, node: int) -> Sequence[int]:
        size, before = self.tree.size, self._before
        child, end = node + 1, node + size[node]
        if before is None and _all_ones(size, child, end):
            return range(child, end)
        # Grouped by weight: of a million children few weights differ, and numbers in arrays need little room.
        groups: dict[int, array[int]] = {}
        while child < end:
            below = size[child]
            weight = below if before is None else before[child + below] - before[child]
            group = groups.get(weight)
            if group is None:
                group = groups[weight] = array("i")
            group.append(child)
            child += below
        if len(groups) == 1:
            return groups.popitem()[1]
        found = array("i")
        for weight in sorted(groups, reverse=True):
            found += groups[weight]
        return found

    def equal_end(self, node: int, index: int, weight: int) -> int:
        """Where the children of at least a weight end in `heaviest_first(node)`, looked for from `index` on."""
        ordered = self.heaviest_first(node)
        low, high = index, len(ordered)
        while low < high:
            middle = (low + high) // 2
            if self.weight(ordered[middle]) >= weight:
                low = middle + 1
            else:
                high = middle
        return low


def _all_ones(size: Sequence[int], start: int, end: int) -> bool:
    """Are these nodes leaves all? Looked up only for wide ranges, where it is faster than to walk them."""
    if end - start < _WIDE or size[start] != 1 or size[end - 1] != 1:
        return False
    if isinstance(size, array):
        return max(memoryview(size)[start:end]) == 1
    return max(size[start:end]) == 1
