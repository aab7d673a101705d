"""The writes by object: when an object was written to, and what of it.

The file has them in runs, each sorted by object, one later than the other. What is looked at is one object's writes at
a time; their order is by time, and a *position* is a place in it. Objects that are written to millions of times in a
loop have few slots mostly: whoever looks for the first or last write to each is done when all have been seen.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from itertools import compress, repeat
from collections.abc import Callable, Iterator

from algotrace.columns import Column
from algotrace.marks import APPENDED, WHOLE

_MOST_NUMBERS = 1 << 24  # kept of objects that were looked at
_MOST_OBJECTS = 20_000
_AT_ONCE = 1 << 12
_NEAR = 64  # writes that are looked at one by one
_STRETCHES = re.compile(rb"\x00|\x01+|\x02+")  # a write to all of it; appends; writes to slots


class ObjectWrites:
    """Times and slots of one object's writes, in order of time."""

    __slots__ = ("_firsts", "_lasts", "_positions", "_stretches", "slots", "times")

    def __init__(self, times: array[int], slots: array[int]) -> None:
        self.times = times
        self.slots = slots
        self._stretches: array[int] | None = None
        self._positions: dict[int, array[int]] = {}  # of some slots
        self._firsts: list[int] | None = None
        self._lasts: list[int] | None = None

    def __len__(self) -> int:
        return len(self.times)

    def between(self, first: int, last: int) -> tuple[int, int]:
        """The positions, end excluded, of what was written from one time to another."""
        return bisect_left(self.times, first), bisect_right(self.times, last)

    def to_undo(self, first: int, end: int) -> Iterator[int]:
        """Positions of the writes from one up to another, latest first; -n for n appends in a row.

        Of several writes to one slot, with none between that concerns all of the object, only the earliest matters.
        """
        slots = self.slots
        if first >= end:
            return
        starts = self._starts_of_stretches()
        for which in range(bisect_left(starts, end) - 1, bisect_right(starts, first) - 2, -1):
            start = max(starts[which], first)
            slot = slots[start]
            if slot == APPENDED:
                yield start - end
            elif slot == WHOLE:
                yield start
            else:
                yield from sorted(self.earliest(start, end).values(), reverse=True)
            end = start

    def is_appended_to_from(self, position: int) -> bool:
        """Whether from a position on all are appends."""
        return self.slots[position] == APPENDED and self._starts_of_stretches()[-1] <= position

    def wholes(self, start: int, end: int) -> list[int]:
        """Between two positions the writes that concern all of the object."""
        slots, starts = self.slots, self._starts_of_stretches()
        low, high = bisect_left(starts, start), bisect_left(starts, end)
        return [position for position in starts[low:high] if slots[position] == WHOLE]

    def next_whole(self, start: int) -> int:
        """From a position on the first write that is not to a slot; the number of all writes where there is none."""
        if start >= len(self.slots) or self.slots[start] <= APPENDED:
            return min(start, len(self.slots))
        starts = self._starts_of_stretches()
        which = bisect_right(starts, start)
        return starts[which] if which < len(starts) else len(self.slots)

    def start_of_stretch(self, position: int) -> int:
        """The first of the writes in a row, up to the one at a position, that are all to slots, or all appends."""
        if self.slots[position] == WHOLE:
            return position
        starts = self._starts_of_stretches()
        return starts[bisect_right(starts, position) - 1]

    def next_of(self, slot: int, start: int) -> int:
        """From a position on the first write to a slot; the number of all writes where there is none."""
        near = self.slots[start : start + _NEAR]
        if slot in near:
            return start + near.index(slot)
        positions = self.positions_of(slot)
        at = bisect_left(positions, start)
        return positions[at] if at < len(positions) else len(self.slots)

    def last_of(self, slot: int, end: int) -> int:
        """Before a position the last write to a slot; -1 where there is none."""
        near = self.slots[max(end - _NEAR, 0) : end]
        if slot in near:
            near.reverse()
            return end - 1 - near.index(slot)
        positions = self.positions_of(slot)
        at = bisect_left(positions, end)
        return positions[at - 1] if at else -1

    def last_of_each(self, start: int, end: int) -> dict[int, int]:
        """Between two positions the last write to each slot, looked for from the end on until all slots have been seen."""
        if self._firsts is None:
            self._firsts = sorted(
                dict(zip(reversed(self.slots), range(len(self.slots) - 1, -1, -1))).values()
            )
        wanted = bisect_left(self._firsts, end)  # (those written before `start` alone are not found)
        found: dict[int, int] = {}
        stop, width = end, _NEAR
        while stop > start and len(found) < wanted:
            first = max(stop - width, start)
            piece = dict(zip(self.slots[first:stop], range(first, stop)))
            piece.update(found)
            found, stop, width = piece, first, 2 * width
        return found

    def positions_of(self, slot: int) -> array[int]:
        """Of all writes to a slot."""
        positions = self._positions.get(slot)
        if positions is None:
            found = compress(range(len(self.slots)), map(slot.__eq__, self.slots))
            positions = self._positions[slot] = array("I", found)
        return positions

    def earliest(self, start: int, end: int) -> dict[int, int]:
        """Between two positions the first write to each slot."""
        slots = self.slots
        if end - start <= 4 * _AT_ONCE:
            return dict(zip(reversed(slots[start:end]), range(end - 1, start - 1, -1)))
        if self._lasts is None:
            self._lasts = sorted(dict(zip(slots, range(len(slots)))).values())
        # Those that are not written after `start` are not found.
        wanted = len(self._lasts) - bisect_left(self._lasts, start)
        found: dict[int, int] = {}
        for at in range(start, end, _AT_ONCE):
            piece = slots[at : min(at + _AT_ONCE, end)]
            new = set(piece).difference(found)
            if new:
                first = dict(zip(reversed(piece), range(at + len(piece) - 1, at - 1, -1)))
                found.update((slot, first[slot]) for slot in new)
            if len(found) == wanted:
                break
        return found

    def latest(self, start: int, end: int) -> dict[int, int]:
        """Between two positions the last write to each slot."""
        slots = self.slots
        if end - start <= 4 * _AT_ONCE:
            return dict(zip(slots[start:end], range(start, end)))
        if self._firsts is None:
            self._firsts = sorted(dict(zip(reversed(slots), range(len(slots) - 1, -1, -1))).values())
        wanted = bisect_left(self._firsts, end)
        found: dict[int, int] = {}
        for stop in range(end, start, -_AT_ONCE):
            first = max(stop - _AT_ONCE, start)
            new = set(slots[first:stop]).difference(found)
            if new:
                last = dict(zip(slots[first:stop], range(first, stop)))
                found.update((slot, last[slot]) for slot in new)
            if len(found) == wanted:
                break
        return found

    def _starts_of_stretches(self) -> array[int]:
        if self._stretches is None:
            kinds = bytes(map(min, self.slots, repeat(APPENDED + 1)))
            self._stretches = array("I", (found.start() for found in _STRETCHES.finditer(kinds)))
        return self._stretches


class WriteIndex:
    """Looks up an object's writes. `load` gives a run of one of three columns: objects, times and slots."""

    def __init__(self, load: Callable[[str, int], array[int]], runs: int, run_length: int) -> None:
        self._objects = [load("write_objects", run) for run in range(runs)]
        lengths = list(map(len, self._objects))
        if any(length != run_length for length in lengths[:-1]):
            raise ValueError("malformed")

        def loader(name: str) -> Callable[[int], array[int]]:
            def part(run: int) -> array[int]:
                numbers = load(name, run)
                if len(numbers) != lengths[run]:
                    raise ValueError("malformed")
                return numbers

            return part

        self._times, self._slots = (
            Column(loader(name), sum(lengths), run_length) for name in ("object_write_times", "write_slots")
        )
        self._known: OrderedDict[int, ObjectWrites] = OrderedDict()
        self._numbers = 0  # of those known

    def of(self, number: int) -> ObjectWrites:
        known = self._known.get(number)
        if known is not None:
            self._known.move_to_end(number)
            return known
        times, slots = array("I"), array("I")
        for run, objects in enumerate(self._objects):
            low = bisect_left(objects, number)
            if low < len(objects) and objects[low] == number:
                high = bisect_right(objects, number, low)
                times += self._times.part(run)[low:high]
                slots += self._slots.part(run)[low:high]
        known = self._known[number] = ObjectWrites(times, slots)
        self._numbers += len(times)
        while len(self._known) > 1 and (self._numbers > _MOST_NUMBERS or len(self._known) > _MOST_OBJECTS):
            self._numbers -= len(self._known.popitem(last=False)[1])
        return known

    def __contains__(self, number: int) -> bool:
        for objects in self._objects:
            low = bisect_left(objects, number)
            if low < len(objects) and objects[low] == number:
                return True
        return False

    def objects(self) -> list[int]:
        """All that were written to, in order."""
        return sorted(set().union(*self._objects))
