"""What a slice has dealt with already: that each write, each test counts once is all that matters.

Many reads of one container meet the same writes that went elsewhere, and many containers the same tests. What those lead to
does not depend on who asks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator


class Covered:
    """Stretches of positions, by what they are positions in."""

    def __init__(self) -> None:
        self._stretches: dict[Hashable, list[tuple[int, int]]] = {}
        self._asked = set[Hashable]()
        self.which = set[int]()  # identities of instances of which was asked which object they gave
        self._whole: dict[int, tuple[int, int, frozenset[str], int]] = {}  # object → see `ask`
        self._unmet: dict[Hashable, dict[int, int]] = {}  # position → a later one that may not have been met
        self._unsettled: dict[Hashable, dict[int, int]] = {}  # … → an earlier one

    def rest(self, key: Hashable, low: int, high: int, among: Hashable = None) -> Iterator[int]:
        """The positions from `low` up to `high` that were not asked for before; they are from now on. Left out are those
        that were met `among` what others look at, too."""
        found = self.stretches(key, low, high)
        unmet = self._unmet.setdefault(among, {}) if among is not None else {}
        for positions in found:
            if not unmet:
                yield from positions
                continue
            at = _first_unmet(unmet, positions.start)
            while at < positions.stop:
                yield at
                at = _first_unmet(unmet, at + 1)

    def stretches(self, key: Hashable, low: int, high: int) -> list[range]:
        """As `rest`, a row of positions at a time."""
        stretches = self._stretches.setdefault(key, [])
        if len(stretches) == 1 and stretches[0][0] <= low and high <= stretches[0][1]:
            return []
        first = at = bisect_left(stretches, low, key=lambda stretch: stretch[1])
        found, start = list[range](), low
        while at < len(stretches) and stretches[at][0] <= high:
            found.append(range(start, stretches[at][0]))
            start = stretches[at][1]
            at += 1
        found.append(range(start, high))
        if low < high:
            if first < at:
                low, high = min(low, stretches[first][0]), max(high, stretches[at - 1][1])
            stretches[first:at] = [(low, high)]
        return found

    def is_new(self, key: Hashable) -> bool:
        """Whether something was not asked before; from now on it was."""
        known = len(self._asked)
        self._asked.add(key)
        return len(self._asked) > known

    def ask(self, number: int, low: int, high: int, names: frozenset[str], rounds: int) -> None:
        """All that concerns an object, its attributes too, is asked for between two times; as far as is known in a round."""
        self._whole[number] = low, high, names, rounds

    def is_asked(self, number: int, low: int, high: int, names: frozenset[str], rounds: int) -> bool:
        """Whether no more than that was."""
        if number not in self._whole:
            return False
        first, end, others, known = self._whole[number]
        return known == rounds and first <= low and high <= end and names <= others

    def is_met(self, among: Hashable, position: int) -> bool:
        return position in self._unmet.get(among, ())

    def meet(self, among: Hashable, position: int) -> None:
        """It counts, whoever asks."""
        self._unmet.setdefault(among, {})[position] = position + 1

    def is_settled(self, key: Hashable, position: int) -> bool:
        return position in self._unsettled.get(key, ())

    def settle(self, key: Hashable, position: int, below: int | None = None) -> None:
        """As `meet`, where what comes before is looked at next: the one before it, or another."""
        self._unsettled.setdefault(key, {})[position] = position - 1 if below is None else below

    def last_unsettled(self, key: Hashable, position: int) -> int:
        """The last of the positions up to one that is not settled."""
        unsettled = self._unsettled.get(key, {})
        end = position
        while end in unsettled:
            end = unsettled[end]
        while position > end:
            unsettled[position], position = end, unsettled[position]
        return end


def _first_unmet(unmet: dict[int, int], position: int) -> int:
    end = position
    while end in unmet:
        end = unmet[end]
    while position < end:  # the next to ask gets there at once
        unmet[position], position = end, unmet[position]
    return end
