"""What happened in one activation, as a list: its marks, its values and the calls it made, in order of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from algodebug.statement_syntax import Region
    from algotrace.trace import Trace

VALUE, CALL = -1, -2  # kinds of events that are no marks
BOUNDED = 200_000  # events of one activation; of a loop that never ends the beginning is what tells


class Event(NamedTuple):
    time: int
    end: int
    kind: int  # as in `marks`, or one of those above
    block: int
    at: Region | None
    label: str
    detail: Any  # of a call its node, of a value its number


class Events(list[Event]):
    """All events of an activation that is not long."""

    def has(self, at: int) -> bool:
        return at < len(self)


def events_of(trace: Trace, node: int) -> list[Event]:
    """What happened in an activation, the calls it made among it, in order of time."""
    values = iter(trace.own_values(node))
    value = next(values, None)
    blocks = trace.blocks
    found: list[Event] = []
    for time, mark, numbers in trace.own_events(node):
        if len(found) > BOUNDED:
            break
        if mark is None:
            while value is not None and value.time < time:
                value = next(values, None)
            if value is None or value.time != time:
                found.append(Event(time, time + 1, VALUE, -1, None, "", numbers[0]))
                continue
            at = blocks[value.block].slots[value.slot][2]
            found.append(Event(time, time + 1, VALUE, value.block, region_at(at), value.name, numbers[0]))
            continue
        if mark.tells_who_is_awake:
            continue
        end = time + 1 + len(numbers)
        found.append(Event(time, end, mark.kind, mark.block, region_at(mark.at), mark.label, numbers))
    last = found[-1].end if len(found) > BOUNDED else 1 << 62
    for child in trace.children(node):
        if trace.start[child] > last:
            break
        # A generator gives control back long before it ends.
        end = trace.segments[child][1] if child in trace.segments else trace.end[child]
        found.append(Event(trace.start[child], end + 1, CALL, -1, None, "", child))
    found.sort(key=lambda event: event[0])
    return found


def region_at(at: Any) -> Region | None:
    return None if at is None else (at[0], at[1], at[2], at[3])
