"""What a slice has dealt with already: that each write, each test counts once is all that matters.

Many reads of one container meet the same writes that went elsewhere. What those lead to does not depend on who asks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator


class Covered:
    """Stretches of positions, by what they are positions in."""

    def __init__(self) -> None:
        self._stretches: dict[Hashable, list[tuple[int, int]]] = {}

    def rest(self, key: Hashable, low: int, high: int) -> Iterator[int]:
        """The positions from `low` up to `high` that were not asked for before; they are from now on."""
        stretches = self._stretches.setdefault(key, [])
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
        for positions in found:
            yield from positions
