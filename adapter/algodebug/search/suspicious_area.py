"""The suspicious area: the nodes that can still be buggy after the answers so far.

It is the subtree of one node known to be wrong (the *top*), without the subtrees judged correct. The top itself is
known to be wrong: it is neither counted nor asked. Nodes judged unknown are not asked again, but they still count,
since they may hide the bug. Nodes of trusted code weigh nothing and are never asked; the calls they make stay.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from algodebug.execution_tree import ExecutionTree
from algodebug.search.weights import Weights


class SuspiciousArea:
    """Grows smaller with `remove` and `narrow`; what was removed is kept as disjoint intervals of preorder numbers."""

    def __init__(self, tree: ExecutionTree, top: int, weights: Weights | None = None) -> None:
        self.tree = tree
        self.weights = weights or Weights(tree)
        self.top = top
        self.skipped: set[int] = set()
        # Maximal removed intervals; neighbours are merged, so that stepping over them is one jump.
        self._starts: list[int] = []
        self._ends: list[int] = []
        # A Fenwick tree over preorder numbers: the weight removed, at the node it was removed with.
        self._removed = array("i", bytes(4 * (len(tree) + 1)))
        # How many of a node's heaviest children are removed for good, so that a scan need not start over.
        self._gone: dict[int, int] = {}

    def copy(self) -> SuspiciousArea:
        other = SuspiciousArea.__new__(SuspiciousArea)
        other.tree, other.weights, other.top = self.tree, self.weights, self.top
        other.skipped = set(self.skipped)
        other._starts, other._ends = self._starts[:], self._ends[:]
        other._removed = self._removed[:]
        other._gone = dict(self._gone)
        return other

    # What can be buggy

    def weight(self, node: int) -> int:
        """How many nodes of a subtree can still be buggy (the top excluded)."""
        if self._removed_end(node):
            return 0
        weight = self.weights.weight(node) - self._removed_inside(node, self.tree.end(node))
        return weight - self.weights.own(node) if node == self.top else weight

    @property
    def total(self) -> int:
        return self.weight(self.top)

    def own(self, node: int) -> int:
        """1 if the node itself can still be buggy and is not known to be wrong."""
        return 0 if node == self.top or self._removed_end(node) else self.weights.own(node)

    def is_removed(self, node: int) -> bool:
        return self._removed_end(node) > 0

    def __contains__(self, node: int) -> bool:
        return self.tree.inside(node, self.top) and not self._removed_end(node)

    def askable(self, node: int) -> bool:
        return (
            node != self.top
            and node not in self.skipped
            and self.weights.own(node) == 1
            and self.tree.inside(node, self.top)
            and not self._removed_end(node)
        )

    def unknown(self) -> list[int]:
        """The nodes of the area that nobody could judge, in preorder."""
        return sorted(n for n in self.skipped if n in self and n != self.top)

    # How it shrinks

    def remove(self, node: int) -> None:
        """The node was judged correct: its subtree leaves the area."""
        weight = self.weight(node)
        if node == self.top or self._removed_end(node):
            return
        start, end = node, self.tree.end(node)
        tree, index, length = self._removed, node + 1, len(self._removed)
        while index < length:
            tree[index] += weight
            index += index & -index
        first = bisect_left(self._starts, start)
        last = bisect_left(self._starts, end)
        if first and self._ends[first - 1] == start:
            first -= 1
            start = self._starts[first]
        if last > first:
            # The last one swallowed may be merged with a neighbour that lies beyond this subtree.
            end = max(end, self._ends[last - 1])
        if last < len(self._starts) and self._starts[last] == end:
            end = self._ends[last]
            last += 1
        self._starts[first:last] = [start]
        self._ends[first:last] = [end]

    def skip(self, node: int) -> None:
        """Nobody could judge the node."""
        self.skipped.add(node)

    def narrow(self, node: int) -> None:
        """A node of the area was judged wrong: only its subtree stays."""
        self.top = node

    # Walks

    def next_left(self, position: int) -> int:
        """The first position from `position` on that was not removed."""
        end = self._removed_end(position)
        return end if end else position

    def last_before(self, position: int) -> int:
        """The last position up to `position` that was not removed (-1 when there is none)."""
        at = bisect_right(self._starts, position) - 1
        return self._starts[at] - 1 if at >= 0 and self._ends[at] > position else position

    def next_removal(self, position: int) -> int:
        """Where the first removed interval after `position` starts; past the tree when there is none."""
        at = bisect_right(self._starts, position)
        return self._starts[at] if at < len(self._starts) else len(self.tree)

    def children_left(self, node: int) -> Iterator[int]:
        """The children of a node that were not removed, in evaluation order."""
        size, end = self.tree.size, self.tree.end(node)
        child = self.next_left(node + 1)
        while child < end:
            yield child
            child = self.next_left(child + size[child])

    def first_heavy(self, node: int) -> int:
        """How many of `weights.heaviest_first(node)`, from the start, are no longer worth a look."""
        ordered = self.weights.heaviest_first(node)
        gone = self._gone.get(node, 0)
        while gone < len(ordered) and self._removed_end(ordered[gone]):
            gone += 1
        self._gone[node] = gone
        return gone

    def _removed_end(self, position: int) -> int:
        """Where the removed interval around a position ends; 0 when the position was not removed."""
        at = bisect_right(self._starts, position) - 1
        return self._ends[at] if at >= 0 and self._ends[at] > position else 0

    def _removed_inside(self, start: int, end: int) -> int:
        if not self._starts:
            return 0
        tree, total = self._removed, 0
        while end > start:
            total += tree[end]
            end &= end - 1
        while start > end:
            total -= tree[start]
            start &= start - 1
        return total
