"""Which node of the execution tree was running at a time.

In one thread without sleepers it is the last that had started, or one it hangs from. Others take turns: of all
stretches of time in which a node was awake, the one that began last is that of the innermost. Those of nodes that never
sleep lie one in the other, whatever these hang from: a generator hangs from who asked it first. Not here: which events within
a node are its own, see `executed`.
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
        self._order: array[int] | None = None  # nodes by start that never sleep, where some do
        self._around = array("i")  # of each the place of the one around it
        self._starts = trace.start
        if trace.sleepers:
            nodes = [node for node in range(len(trace.start)) if node not in trace.segments]
            self._order = array("i", sorted(nodes, key=trace.start.__getitem__))
            self._starts = array("I", map(trace.start.__getitem__, self._order))
            self._around = self._places_around(self._order)
        # Until when at the latest those stretches last that begin no later.
        self._latest = array("q", accumulate(trace.sleepers.ends, max))

    def at(self, time: int) -> int:
        """The innermost node."""
        trace = self._trace
        node = self._awake_at(time)
        began = (trace.start[node], trace.start[node]) if node else (-1, -1)
        place = bisect_right(trace.sleepers, (time, 1 << 62, 0)) - 1
        while place >= 0 and self._latest[place] >= time and trace.sleepers[place][0] >= began[0]:
            first, last, sleeper = trace.sleepers[place]
            if last >= time and (first, trace.start[sleeper]) > began:
                node, began = sleeper, (first, trace.start[sleeper])
            place -= 1
        return node

    def _awake_at(self, time: int) -> int:
        """The innermost of those that never sleep."""
        trace, order = self._trace, self._order
        place = bisect_right(self._starts, time) - 1
        if order is None:
            node = max(place, 0)
            while node and trace.end[node] < time:
                node = max(trace.parent[node], 0)
            return node
        while place >= 0 and trace.end[order[place]] < time:
            place = self._around[place]
        return order[place] if place >= 0 else 0

    def _places_around(self, order: array[int]) -> array[int]:
        ends, found, around = self._trace.end, array("i"), list[int]()
        for place, node in enumerate(order):
            while around and ends[order[around[-1]]] < ends[node]:
                around.pop()
            found.append(around[-1] if around else -1)
            around.append(place)
        return found
