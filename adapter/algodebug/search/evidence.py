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


class Mass:
    """Weights of subtrees when the nodes of one key (a rule, a kind) weigh what a function says; whole numbers."""

    def __init__(self, area: SuspiciousArea, keys: Sequence[int], weigh: Callable[[int], int]) -> None:
        self.area = area
        tree, top = area.tree, area.top
        self._start, end = top, tree.end(top)
        inside = keys[top:end]
        table = {key: weigh(key) for key in set(inside)}
        each: Iterable[int] = map(table.__getitem__, inside)
        trusted = area.weights.trusted
        if trusted:
            each = (0 if r in trusted else m for r, m in zip(tree.routine[top:end], each, strict=True))
        self._before = array("q", accumulate(each, initial=0))
        self._own_top = table[keys[top]] if area.weights.own(top) else 0
        # The removed intervals inside, with the mass removed before each.
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._removed = [0]
        position = area.next_removal(top - 1) if top else area.next_removal(-1)
        while position < end:
            stop = min(area.next_left(position), end)
            self._starts.append(position)
            self._ends.append(stop)
            self._removed.append(self._removed[-1] + self._between(position, stop))
            position = area.next_removal(stop)

    def _between(self, start: int, end: int) -> int:
        return self._before[end - self._start] - self._before[start - self._start]

    def of(self, question: Question) -> int:
        """The mass left below a node or in a run; of the top without itself."""
        start, end = self.area.span(question)
        mass = self._between(start, end)
        if question == self.area.top:
            mass -= self._own_top
        first, last = bisect_right(self._ends, start), bisect_left(self._starts, end)
        if first >= last:
            return mass
        mass -= self._removed[last] - self._removed[first]
        if self._starts[first] < start:
            mass += self._between(self._starts[first], start)
        if self._ends[last - 1] > end:
            mass += self._between(end, self._ends[last - 1])
        return mass


def by_rule(area: SuspiciousArea) -> Mass:
    """A node weighs 1/(1 + how often its rule ran right): what was right before will be right again."""
    right = evidence(area).correct
    return Mass(area, area.rules, lambda rule: SCALE // (1 + right[rule]))
