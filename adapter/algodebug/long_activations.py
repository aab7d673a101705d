"""An activation of very many events, read where it is looked at: where its blocks were entered, its events from a time on.

Where a block was entered is found by going once over the marks of all events, without a look at anything else; an
iteration of a loop is an entry of the loop's block. Reading can start at any entry, because a block knows its own slots.
Not here: what the events say about statements, see `executed_statements`.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING

from algodebug.activation_events import CALL, VALUE, Event, region_at
from algotrace import executed
from algotrace.columns import places_of
from algotrace.marks import BLOCK, ENTER, HANDLER, NAME
from algotrace.own_values import OwnValue, SlotReader, Stack
from algotrace.trace_file import EVENTS_PER_PART

if TYPE_CHECKING:
    from algotrace.trace import Trace

FEW = 8  # iterations of a loop that are read at once, however long they are
LONG = 10_000  # events of a loop's iterations, from which on these are not all read
_ENTRIES = (ENTER, BLOCK, HANDLER)


class LongActivation:
    """Where things are in one activation."""

    def __init__(self, trace: Trace, node: int) -> None:
        self.trace = trace
        self.node = node
        self.routine = trace.routine[node]
        self.others = executed.others_of(trace, node)
        self._entries: dict[int, array[int]] = {}
        self._outside: dict[str, array[int]] = {}

    @cached_property
    def size(self) -> int:
        """How many events are its own, about."""
        first, last = self.trace.start[self.node], self.trace.end[self.node]
        return last - first + 1 - sum(self.others[1]) + sum(self.others[0]) - len(self.others[0])

    @cached_property
    def calls(self) -> array[int]:
        return calls_of(self.trace, self.node)

    @cached_property
    def call_starts(self) -> array[int]:
        return starts_of(self.trace, self.calls)

    # Where blocks were entered

    def entries(self, block: int) -> array[int]:
        """When a block was entered, in order."""
        if block not in self._entries:
            wanted = {number for number in self._codes if self.trace.marks[number].block == block}
            times, codes = self._all_entries
            self._entries[block] = array("q", compress(times, map(wanted.__contains__, codes)))
        return self._entries[block]

    def next_entry(self, block: int, time: int) -> int | None:
        """The first one after a time."""
        times = self.entries(block)
        at = bisect_right(times, time)
        return times[at] if at < len(times) else None

    def handlers(self) -> list[int]:
        """When exceptions were caught."""
        wanted = {number for number in self._codes if self.trace.marks[number].kind == HANDLER}
        times, codes = self._all_entries
        return list(compress(times, map(wanted.__contains__, codes)))

    def bound_outside(self, name: str) -> array[int]:
        """When it bound a name of a function around it."""
        if name not in self._outside:
            self._outside[name] = self._bound_outside(name)
        return self._outside[name]

    def _bound_outside(self, name: str) -> array[int]:
        label = f"nonlocal {name}"
        wanted = {
            number
            for number, mark in self.trace.marks_of(self.trace.routines[self.routine].source)
            if mark.kind == NAME and mark.routine == self.routine and mark.label == label
        }
        return self._places(wanted)[0] if wanted else array("q")

    @cached_property
    def _codes(self) -> set[int]:
        return {
            number
            for number, mark in self.trace.marks_of(self.trace.routines[self.routine].source)
            if mark.routine == self.routine and mark.kind in _ENTRIES
        }

    @cached_property
    def _all_entries(self) -> tuple[array[int], array[int]]:
        return self._places(self._codes)

    def _places(self, wanted: set[int]) -> tuple[array[int], array[int]]:
        """The times at which some marks stand, and which it is."""
        trace = self.trace
        times, codes = array("q"), array("I")
        for first, last in executed.intervals(trace, self.node):
            for start in range(first - first % EVENTS_PER_PART, last + 1, EVENTS_PER_PART):
                if start >= trace.end[0]:
                    break
                low = max(first - start, 0)
                part = trace.events_from(start)[low : last + 1 - start]
                found = places_of(part, wanted)
                times.extend(map((start + low).__add__, found))
                codes.extend(map(part.__getitem__, found))
        if trace.routine.count(self.routine) == 1:
            return times, codes
        own = bytes(map(self._is_own, times))  # the routine ran in others meanwhile
        return array("q", compress(times, own)), array("I", compress(codes, own))

    def _is_own(self, time: int) -> bool:
        at = bisect_left(self.others[1], time)
        return at == len(self.others[0]) or time < self.others[0][at]

    def ran_others_until(self, time: int) -> bool:
        """Was what happened last before a time that somebody else ran?"""
        at = bisect_left(self.others[0], time) - 1
        if at < 0:
            return False
        end = self.others[1][at]
        mark = self.trace.mark_at(end)
        return end + 1 + (0 if mark is None else mark.size) >= time

    # What happened from a time on

    def read(self, since: int, slots: SlotReader) -> Iterator[tuple[Event, Stack]]:
        """The events from a time on, each with where the reading stood before an entry of a block."""
        trace, calls, starts = self.trace, self.calls, self.call_starts
        call = bisect_left(starts, since)
        for time, mark, number in executed.own_events(trace, self.node, since, self.others):
            while call < len(starts) and starts[call] < time:
                yield self._called(calls[call]), ()
                call += 1
            if mark is None:
                value = slots.take_value(time, number)
                if value is None:
                    yield Event(time, time + 1, VALUE, -1, None, "", number), ()
                else:
                    at = trace.blocks[value.block].slots[value.slot][2]
                    told = Event(time, time + 1, VALUE, value.block, region_at(at), value.name, number)
                    yield told, ()
                continue
            stack = slots.stack if mark.kind == BLOCK else ()
            slots.take_mark(mark)
            if mark.tells_who_is_awake:
                continue
            numbers = trace.values_at(time, mark)
            end = time + 1 + len(numbers)
            yield Event(time, end, mark.kind, mark.block, region_at(mark.at), mark.label, numbers), stack
        last = trace.end[self.node]
        while call < len(starts) and starts[call] <= last:
            yield self._called(calls[call]), ()
            call += 1

    def values_of_entry(self, block: int, place: int, until: int) -> Iterator[OwnValue]:
        """What filled the slots of one entry of a block before a time, in order; long loops inside are passed over."""
        trace, entries = self.trace, self.entries(block)
        end = min(until, entries[place + 1] if place + 1 < len(entries) else trace.end[self.node] + 1)
        around, stack = trace.blocks[block].parent, list[tuple[int, int, bool, int, bool]]()
        while around >= 0:
            stack.insert(0, (around, -1, False, 0, False))
            around = trace.blocks[around].parent
        left = len(trace.blocks[block].slots)
        time, blocks = entries[place], tuple(stack)
        while left and time >= 0:
            slots, passed = SlotReader(trace, blocks), time
            time = -1
            for at, mark, number in executed.own_events(trace, self.node, passed, self.others):
                if at >= end or not (at == entries[place] or slots.holds(0)):
                    break
                if mark is None:
                    value = slots.take_value(at, number)
                    if value is not None and value.instance == 0 and value.block == block:
                        yield value
                        left -= 1
                        if not left:
                            break
                    continue
                if mark.kind == BLOCK and at > passed and trace.blocks[mark.block].kind == "loop":
                    heads = self.entries(mark.block)
                    low, high = bisect_left(heads, at), bisect_left(heads, end)
                    if is_long(heads, low, high):
                        time, blocks = heads[high - 1], slots.stack
                        break
                slots.take_mark(mark)

    def _called(self, child: int) -> Event:
        trace = self.trace
        # A generator gives control back long before it ends.
        end = trace.segments[child][1] if child in trace.segments else trace.end[child]
        return Event(trace.start[child], end + 1, CALL, -1, None, "", child)


def is_long(heads: array[int], low: int, high: int) -> bool:
    """Are the iterations that some entries of a loop's block begin so many, or so long, that they are not all read?"""
    return high - low > FEW and heads[high - 1] - heads[low] > LONG


class Window:
    """Events from a time on, as a list that is filled as far as it is looked at."""

    def __init__(self, long: LongActivation, since: int, stack: Stack = ()) -> None:
        self._source = long.read(since, SlotReader(long.trace, stack))
        self._events: list[Event] = []
        self._stacks: dict[int, Stack] = {}

    def has(self, at: int) -> bool:
        while at >= len(self._events):
            found = next(self._source, None)
            if found is None:
                return False
            if found[1]:
                self._stacks[len(self._events)] = found[1]
            self._events.append(found[0])
        return True

    def __getitem__(self, at: int) -> Event:
        if not self.has(at):
            raise IndexError(at)
        return self._events[at]

    def stack(self, at: int) -> Stack:
        """The blocks that were under way before the entry of a block."""
        return self._stacks.get(at, ())


def calls_of(trace: Trace, node: int) -> array[int]:
    """The calls that a call made, as `trace.children`."""
    end = node + trace.size[node]
    if end > node + 1 and max(trace.size[node + 1 : end]) == 1:
        return array("i", range(node + 1, end))
    return array("i", trace.children(node))


def starts_of(trace: Trace, calls: array[int]) -> array[int]:
    if calls and calls[-1] - calls[0] + 1 == len(calls):
        return array("q", trace.start[calls[0] : calls[-1] + 1])
    return array("q", map(trace.start.__getitem__, calls))
