"""The suspicious area: the nodes that can still be buggy after the answers so far.

It is the subtree of one node known to be wrong (the *top*), without what was judged correct. The top itself is
known to be wrong: it is neither counted nor asked. Nodes judged unknown are not asked again, but they still count,
since they may hide the bug. Nodes of trusted code weigh nothing and are never asked; the calls they make stay.

What is judged is a node or a *run*, consecutive calls of one caller. A correct run takes these calls out of the area;
a wrong one leaves them alone in it, below a top of which only the code between these calls is still suspected.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from algodebug.execution_tree import ExecutionTree
from algodebug.search.weights import Weights


class Run(NamedTuple):
    """Consecutive children of one node as one question: from just before the first to just after the last."""

    parent: int
    first: int
    last: int


Question = int | Run


class Answer(NamedTuple):
    """A verdict of the past, for strategies that learn from them."""

    question: Question
    correct: bool


class Mark(NamedTuple):
    """A part of a value that was called wrong: where it was seen, the node that made it, the nodes that influenced it.

    What is not known is None.
    """

    node: int
    origin: int | None
    influencing: frozenset[int] | None


class SuspiciousArea:
    """Grows smaller with `remove` and `narrow`; what was removed is kept as disjoint intervals of preorder numbers.

    `answers` is the history in the order in which it was given; `assume` adds to it what says nothing new about
    the area (a wrong node around the top).
    """

    def __init__(
        self,
        tree: ExecutionTree,
        top: int,
        weights: Weights | None = None,
        rules: Sequence[int] | None = None,
    ) -> None:
        self.tree = tree
        self.weights = weights or Weights(tree)
        # What a node is an execution of, for strategies that learn from the answers.
        self.rules: Sequence[int] = tree.routine if rules is None else rules
        self.top = top
        # When only the code of the top between some of its calls is suspected: these calls.
        self.top_run: Run | None = None
        self.skipped: set[int] = set()
        self.skipped_runs: set[Run] = set()
        self.answers: list[Answer] = []
        self.marks: list[Mark] = []
        self.evidence: object = None  # what `evidence.evidence` made of the answers
        # Maximal removed intervals; neighbours are merged, so that stepping over them is one jump.
        self._starts: list[int] = []
        self._ends: list[int] = []
        # A Fenwick tree, as sparse as the answers: the weight of each removed interval, at its start.
        self._removed: dict[int, int] = {}
        # How many of a node's heaviest children are removed for good, so that a scan need not start over.
        self._gone: dict[int, int] = {}

    def copy(self) -> SuspiciousArea:
        other = SuspiciousArea.__new__(SuspiciousArea)
        other.tree, other.weights, other.top, other.top_run = self.tree, self.weights, self.top, self.top_run
        other.skipped, other.skipped_runs = set(self.skipped), set(self.skipped_runs)
        other.rules, other.evidence = self.rules, self.evidence
        other.answers, other.marks = self.answers[:], self.marks[:]
        other._starts, other._ends = self._starts[:], self._ends[:]
        other._removed = self._removed.copy()
        other._gone = self._gone.copy()
        return other

    def after(self, question: Question, correct: bool) -> SuspiciousArea:
        """The area that an answer would leave."""
        other = self.copy()
        if correct:
            other.remove(question)
        else:
            other.narrow(question)
        return other

    # What can be buggy

    def span(self, question: Question) -> tuple[int, int]:
        """The preorder numbers a node or a run covers: from the first on, up to but without the second."""
        if isinstance(question, Run):
            return question.first, self.tree.end(question.last)
        return question, self.tree.end(question)

    def weight(self, question: Question) -> int:
        """How many nodes of a subtree or of a run can still be buggy (the top excluded)."""
        start, end = self.span(question)
        weight = self.weight_between(start, end)
        if question == self.top and not self._removed_end(start):
            weight -= self.weights.own(start)
        return weight

    def weight_between(self, start: int, end: int) -> int:
        """How many nodes numbered from `start` up to `end` can still be buggy (the top included, if it is there)."""
        counted = self.weights.between
        weight = counted(start, end)
        starts, ends = self._starts, self._ends
        if not starts or start >= end:
            return weight
        at = bisect_right(starts, start) - 1
        if at >= 0 and starts[at] < start < ends[at]:
            if ends[at] >= end:
                return 0
            weight -= counted(start, ends[at])
        last = bisect_left(starts, end) - 1
        if last >= 0 and starts[last] >= start and ends[last] > end:
            weight += counted(end, ends[last])
        tree = self._removed
        if tree:
            get = tree.get
            while end > start:
                weight -= get(end, 0)
                end &= end - 1
            while start > end:
                weight += get(start, 0)
                start &= start - 1
        return weight

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

    def pieces(self) -> Iterator[tuple[int, int]]:
        """The intervals of preorder numbers that are left below the top."""
        position, end = self.next_left(self.top + 1), self.tree.end(self.top)
        while position < end:
            stop = min(self.next_removal(position), end)
            yield position, stop
            position = self.next_left(stop)

    def askable_nodes(self) -> Iterator[int]:
        """All nodes that can be asked about, in preorder."""
        own, skipped = self.weights.own, self.skipped
        for start, end in self.pieces():
            for node in range(start, end):
                if node not in skipped and own(node):
                    yield node

    def unknown(self) -> list[int]:
        """The nodes of the area that nobody could judge, in preorder."""
        return sorted(n for n in self.skipped if n in self and n != self.top)

    # How it shrinks

    def remove(self, question: Question) -> None:
        """The node or run was judged correct: what is below it leaves the area."""
        self.answers.append(Answer(question, True))
        if question != self.top:
            self._remove_between(*self.span(question))

    def skip(self, question: Question) -> None:
        """Nobody could judge the node or run."""
        if isinstance(question, Run):
            self.skipped_runs.add(question)
        else:
            self.skipped.add(question)

    def narrow(self, question: Question) -> None:
        """A node or run of the area was judged wrong: only what is below it stays."""
        self.answers.append(Answer(question, False))
        if isinstance(question, Run):
            self.top, self.top_run = question.parent, question
            first, end = self.span(question)
            self._remove_between(question.parent + 1, first)
            self._remove_between(end, self.tree.end(question.parent))
        else:
            self.top, self.top_run = question, None

    def tells(self, run: Run) -> bool:
        """Whether "wrong" for these calls says that one of those left is wrong.

        Not where they reach beyond a run that is known to be wrong: either may be so by a call that the other lacks.
        """
        known = self.top_run
        if known is None or run.parent != known.parent:
            return True
        return known.first <= run.first and run.last <= known.last

    def assume(self, question: Question, correct: bool) -> None:
        """Notes an answer that changes nothing about the area."""
        self.answers.append(Answer(question, correct))

    def mark(self, mark: Mark) -> None:
        """A part of a value is wrong: what could not influence it leaves the area."""
        self.marks.append(mark)
        if mark.influencing is not None:
            self.prune(mark.influencing)

    def prune(self, kept: Iterable[int]) -> None:
        """Only the nodes named, and those around them, may be to blame: all others leave the area."""
        tree, top = self.tree, self.top
        wanted: set[int] = {top}
        for node in kept:
            while node not in wanted and tree.inside(node, top):
                wanted.add(node)
                node = tree.parent[node]
        for node in sorted(wanted):
            position, end = node + 1, tree.end(node)
            start = position
            while position < end:
                if position in wanted:
                    self._remove_between(start, position)
                    start = tree.end(position)
                position = tree.end(position)
            self._remove_between(start, end)

    def _remove_between(self, start: int, end: int) -> None:
        if start >= end:
            return
        starts, ends = self._starts, self._ends
        # Everything that touches or overlaps becomes one interval.
        first = bisect_left(ends, start)
        last = bisect_right(starts, end)
        for index in range(first, last):
            self._add(starts[index], -self.weights.between(starts[index], ends[index]))
        if last > first:
            start, end = min(start, starts[first]), max(end, ends[last - 1])
        starts[first:last] = [start]
        ends[first:last] = [end]
        self._add(start, self.weights.between(start, end))

    def _add(self, position: int, weight: int) -> None:
        if not weight:
            return
        tree, index, length = self._removed, position + 1, len(self.tree)
        while index <= length:
            changed = tree.get(index, 0) + weight
            if changed:
                tree[index] = changed
            else:
                del tree[index]
            index += index & -index

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

    def child_at(self, node: int, position: int) -> int:
        """The child of a node that a later position lies in."""
        tree = self.tree
        first = node + 1
        if position < first + tree.size[first]:
            return first
        parent = tree.parent
        while (above := parent[position]) != node:
            position = above
        return position

    def position_of(self, start: int, end: int, weight: int) -> int:
        """The first position up to which nodes from `start` on have at least the given weight; `end` if none has."""
        low, high = start, end
        while low < high:
            middle = (low + high) // 2
            if self.weight_between(start, middle) >= weight:
                high = middle
            else:
                low = middle + 1
        return low

    def first_heavy(self, node: int) -> int:
        """How many of `weights.heaviest_first(node)`, from the start, are no longer worth a look."""
        ordered = self.weights.heaviest_first(node)
        gone = self._gone.get(node, 0)
        while gone < len(ordered) and (end := self._removed_end(ordered[gone])):
            gone += 1
            if gone < len(ordered) and self._removed_end(ordered[gone]) == end:
                # Of a run of equal children a whole piece was removed.
                weight = self.weights.weight(ordered[gone])
                high = self.weights.equal_end(node, gone, weight)
                gone = bisect_left(ordered, end, gone, high)
        self._gone[node] = gone
        return gone

    def _removed_end(self, position: int) -> int:
        """Where the removed interval around a position ends; 0 when the position was not removed."""
        at = bisect_right(self._starts, position) - 1
        return self._ends[at] if at >= 0 and self._ends[at] > position else 0
