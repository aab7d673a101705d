"""What the answers so far say about the rules: how often each ran right, and how often it was part of a wrong result.

A *rule* is what a node is an execution of: its routine, or finer, the routine with the branches it took.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from algodebug.search.suspicious_area import Question, SuspiciousArea

SCALE = 720_720  # divisible by every number up to 16: weights 1/n are whole numbers, and equal ones are equal


class Evidence:
    """Counts of right and wrong executions by rule."""

    def __init__(self) -> None:
        self.correct: Counter[int] = Counter()
        self.wrong: Counter[int] = Counter()
        self._seen = 0
        # By what it was made from: the weights that follow, kept until the next answer.
        self.mass: tuple[object, Mass] | None = None
        # What was counted as right: a call inside it is not counted once more.
        self._starts: list[int] = []
        self._ends: list[int] = []

    def copy(self) -> Evidence:
        other = Evidence()
        other.correct, other.wrong = self.correct.copy(), self.wrong.copy()
        other._seen = self._seen
        other._starts, other._ends = self._starts[:], self._ends[:]
        return other

    def learn(self, area: SuspiciousArea) -> None:
        """Takes in the answers that are new since the last time."""
        if self._seen > len(area.answers):
            raise ValueError("answers were taken back: evidence has to be gathered anew")
        for question, correct in area.answers[self._seen :]:
            self._count(area, question, self.correct if correct else self.wrong, correct)
        self._seen = len(area.answers)

    def _count(self, area: SuspiciousArea, question: Question, counts: Counter[int], correct: bool) -> None:
        rules = area.rules
        start, end = area.span(question)
        first, last = bisect_right(self._ends, start), bisect_left(self._starts, end)
        position = start
        for index in range(first, last):
            if position < self._starts[index]:
                counts.update(rules[position : self._starts[index]])
            position = max(position, self._ends[index])
        if position < end:
            counts.update(rules[position:end])
        if correct:
            if last > first:
                start, end = min(start, self._starts[first]), max(end, self._ends[last - 1])
            self._starts[first:last] = [start]
            self._ends[first:last] = [end]


def evidence(area: SuspiciousArea) -> Evidence:
    """What the answers of an area say; kept with the area and brought up to date."""
    known = area.evidence
    if not isinstance(known, Evidence):
        known = area.evidence = Evidence()
    elif known._seen < len(area.answers):
        # Areas that were copied share it until one of them learns more.
        known = area.evidence = known.copy()
    known.learn(area)
    return known


class _Table(dict[int, int]):
    """What the nodes of each key weigh, worked out when a key is met."""

    def __init__(self, weigh: Callable[[int], int]) -> None:
        super().__init__()
        self._weigh = weigh

    def __missing__(self, key: int) -> int:
        found = self[key] = self._weigh(key)
        return found


class Mass:
    """Weights of subtrees when the nodes of one key (a rule, a kind) weigh what a function says; whole numbers.

    Only what is left of the area is weighed, so that it costs less and less.
    """

    def __init__(self, area: SuspiciousArea, keys: Sequence[int], weigh: Callable[[int], int]) -> None:
        self._area = area
        tree, trusted = area.tree, area.weights.trusted
        table = _Table(weigh)
        # The pieces that are left, and how many nodes are left before each.
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._offsets: list[int] = []
        self._before = array("q", [0])
        for start, end in area.pieces():
            self._starts.append(start)
            self._ends.append(end)
            self._offsets.append(len(self._before) - 1)
            each: Iterable[int] = map(table.__getitem__, keys[start:end])
            if trusted:
                routines = tree.routine[start:end]
                each = (0 if r in trusted else m for r, m in zip(routines, each, strict=True))
            total = self._before.pop()
            self._before.extend(accumulate(each, initial=total))

    def of(self, question: Question) -> int:
        """The mass left below a node or in a run; of the top without itself."""
        start, end = self._area.span(question)
        return self._before[self._left_before(end)] - self._before[self._left_before(start)]

    def middle(self) -> int:
        """The first position up to which there is more than half of the mass below the top."""
        at = bisect_right(self._before, self._before[-1] // 2) - 1
        at = max(0, min(at, len(self._before) - 2))
        piece = bisect_right(self._offsets, at) - 1
        return self._starts[piece] + at - self._offsets[piece]

    def _left_before(self, position: int) -> int:
        at = bisect_right(self._starts, position) - 1
        if at < 0:
            return 0
        return self._offsets[at] + min(position, self._ends[at]) - self._starts[at]


def by_rule(area: SuspiciousArea) -> Mass:
    """A node weighs 1/(1 + how often its rule ran right): what was right before will be right again."""
    known = evidence(area)
    key = (area.top, area.total, len(area.answers), area.weights)
    if known.mass is None or known.mass[0] != key:
        right = known.correct
        known.mass = (key, Mass(area, area.rules, lambda rule: max(1, SCALE // (1 + right[rule]))))
    return known.mass[1]
