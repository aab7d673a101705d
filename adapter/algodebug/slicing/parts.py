"""Of the writes into one object those to one part: to an item by its key, an attribute by its name.

The trace's index tells slots; here they are had by what they stand for. An object's writes are looked through once.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from algodebug.slicing.demands import Step
from algotrace import marks

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

NOWHERE = -1
_NONE: array[int] = array("I")


class PartWrites(NamedTuple):
    """Positions in an object's writes, in order."""

    by_step: dict[Step, array[int]]
    negative: array[int]  # of those to items of a list the ones counted from its end
    others: array[int]  # that concern all of it, or nobody knows what

    def last_to(self, step: Step, before: int) -> int:
        """Before a position the last one to a part."""
        return _last(self.by_step.get(step, _NONE), before)

    def last_other(self, before: int) -> int:
        return _last(self.others, before)


class Parts:
    """The writes to parts, of objects that were asked about."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._known: dict[int, PartWrites] = {}

    def of(self, number: int) -> PartWrites:
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = self._of(number)
        return known

    def _of(self, number: int) -> PartWrites:
        graph, trace = self.graph, self.graph.trace
        writes, is_dict = trace.writes_of(number), trace.row(number)[0] == "dict"
        found = PartWrites({}, array("I"), array("I"))
        by_slot: dict[int, Step | None] = {}
        for position, slot in enumerate(writes.slots):
            if slot > marks.APPENDED:
                if slot not in by_slot:
                    by_slot[slot] = graph.step_of(slot, writes.times[position])
                step = by_slot[slot]
            else:
                step = self._new_key(writes.times[position]) if is_dict else None
            if step is None:
                found.others.append(position)
                continue
            found.by_step.setdefault(step, array("I")).append(position)
            if not is_dict and type(step[1]) is int and step[1] < 0:
                found.negative.append(position)
        return found

    def _new_key(self, time: int) -> Step | None:
        """A key of a dict that may not have been there has no slot: it may change the order of keys."""
        write = self.graph.trace.write_at(time)
        if write.kind == marks.ITEM and len(write.values) > 1:
            return ("item", self.graph.trace.key_identity(write.values[1]))
        return None


def _last(positions: array[int], before: int) -> int:
    at = bisect_left(positions, before)
    return positions[at - 1] if at else NOWHERE
