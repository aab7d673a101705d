"""Which node of the execution tree was running at a time.

In one thread without sleepers it is the last that had started, or one it hangs from. Others take turns: of all
stretches of time in which a node was awake, the one that began last is that of the innermost. Not here: which events
within a node are its own, see `executed`.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from algotrace.stored import Stored


class Running:
    """Looks up nodes by time, in one trace."""

    def __init__(self, trace: Stored) -> None:
        self._trace = trace
        self._order: array[int] | None = None  # nodes by start, where that is not their own order
        self._starts = trace.start
        if trace.sleepers:
            nodes = [node for node in range(len(trace.start)) if node not in trace.segments]
            self._order = array("i", sorted(nodes, key=trace.start.__getitem__))
            self._starts = array("I", map(trace.start.__getitem__, self._order))
        # Until when at the latest those stretches last that begin no later.
        self._latest = array("q", accumulate(trace.sleepers.ends, max))

    def at(self, time: int) -> int:
        """The innermost node."""
        trace = self._trace
        place = bisect_right(self._starts, time) - 1
        node = 0 if place < 0 else place if self._order is None else self._order[place]
        while node and (node in trace.segments or not trace.start[node] <= time <= trace.end[node]):
            node = max(trace.parent[node], 0)
        began = (trace.start[node], trace.start[node]) if node else (-1, -1)
        place = bisect_right(trace.sleepers, (time, 1 << 62, 0)) - 1
        while place >= 0 and self._latest[place] >= time and trace.sleepers[place][0] >= began[0]:
            first, last, sleeper = trace.sleepers[place]
            if last >= time and (first, trace.start[sleeper]) > began:
                node, began = sleeper, (first, trace.start[sleeper])
            place -= 1
        return node
