"""Who changed a value: the writes to an attribute, an item, a variable or a container up to a moment, in order.

What an attribute or item was bound to is told by the writes into the object that has it; a list, dict, set or object
that is bound there has writes of its own. Both are listed, each with what was there before and after.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, NamedTuple

from algodebug.slicing.demands import Step
from algodebug.slicing.instances import Instance
from algotrace import marks

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph
    from algodebug.slicing.sources import Place
    from algotrace.content import Content
    from algotrace.trace import Trace
    from algotrace.values import Value

MOST_WRITES = 300
"""That are listed: the latest."""
_CHANGEABLE = frozenset({"list", "dict", "set", "deque", "instance", "exception", "bytearray", "based"})
_MOST_LOOKED_AT = 3000


class Written(NamedTuple):
    """A write: the call that was running, where, what was changed, and its value before and after (None: was not there)."""

    time: int
    node: int
    source: int
    place: Place | None
    target: str
    before: Value | None
    after: Value | None


def is_changeable(trace: Trace, number: int) -> bool:
    row = trace.row(number) if number > 0 else None
    return type(row) is list and row[0] in _CHANGEABLE


def part(trace: Trace, number: int, step: Step, time: int) -> int:
    """The object at an attribute or key of another at a time; 0 where there is none."""
    row = trace.row(number)
    if type(row) is not list or row[0] not in _CHANGEABLE | {"tuple", "set", "frozenset"}:
        return 0
    return _part_of(trace, trace.content(number, time), step)


def _part_of(trace: Trace, content: Content, step: Step) -> int:
    kind, key = step
    if kind == "attr":
        return content.attributes.get(key, 0)
    if content.kind == "dict":
        pair = content.pairs.get(key)
        return pair[1] if pair is not None else 0
    if type(key) is int and -len(content.items) <= key < len(content.items):
        return content.items[key]
    return 0


def to_part(graph: Graph, number: int, step: Step, until: int, target: str) -> list[Written]:
    """The writes that changed what is at an attribute or key of an object."""
    trace = graph.trace
    found: list[Written] = []
    writes = trace.writes_of(number)
    positions = _positions(trace, number, until)
    for index, position in enumerate(positions):
        time = writes.times[position]
        known = graph.step_of(writes.slots[position], time)
        if known is not None and known != step:
            continue
        after = writes.times[positions[index + 1]] if index + 1 < len(positions) else until
        old = part(trace, number, step, time)
        new = part(trace, number, step, after)
        if known is None and old == new:
            continue  # a write to all of it, or to another end
        found.append(_written(graph, time, target, _value(trace, old, time), _value(trace, new, time + 1)))
    return found


def to_object(graph: Graph, number: int, until: int, target: str) -> list[Written]:
    """The writes into an object: its attributes, its items, or all of it."""
    trace = graph.trace
    found: list[Written] = []
    writes = trace.writes_of(number)
    positions = _positions(trace, number, until)
    for index, position in enumerate(positions):
        time = writes.times[position]
        after = writes.times[positions[index + 1]] if index + 1 < len(positions) else until
        slot = writes.slots[position]
        known = graph.step_of(slot, time)
        if known is None and slot == marks.APPENDED:
            known = ("item", len(trace.content(number, time).items))
        if known is None:
            before, now = trace.value_at(number, time), trace.value_at(number, after)
            if before.text().text != now.text().text:
                found.append(_written(graph, time, target, before, now))
            continue
        old, new = part(trace, number, known, time), part(trace, number, known, after)
        found.append(
            _written(
                graph,
                time,
                f"{target}{_spelled(trace, known)}",
                _value(trace, old, time),
                _value(trace, new, time + 1),
            )
        )
    return found


def to_global(graph: Graph, source: int, name: str, until: int) -> list[Written]:
    """The times a name of a module was bound."""
    trace = graph.trace
    positions = trace.global_writes(source, name)
    times = [trace.writes_of(0).times[position] for position in positions]
    times = times[: bisect_left(times, until)][-MOST_WRITES:]
    found = []
    for index, time in enumerate(times):
        after = times[index + 1] if index + 1 < len(times) else until
        old, new = trace.globals_at(source, name, time) or 0, trace.globals_at(source, name, time + 1) or 0
        found.append(
            _written(graph, time, name, _value(trace, old, time), _value(trace, new, min(after, until)))
        )
    return found


def to_name(graph: Graph, node: int, name: str, until: int) -> list[Written]:
    """The times a local variable of a call was bound, parameters first."""
    trace, source = graph.trace, graph.trace.routines[graph.trace.routine[node]].source
    found: list[Written] = []
    before: Value | None = next(
        (argument.value for argument in trace.arguments(node) if argument.name == name), None
    )
    for bound in trace.own_values(node):
        if bound.time >= until:
            break
        if bound.role != "store" or bound.name != name:
            continue
        line, column, end_line, end_column = trace.blocks[bound.block].slots[bound.slot][2]
        after = trace.value_at(bound.number, bound.time)
        found.append(
            Written(bound.time, node, source, (line, column, end_line, end_column), name, before, after)
        )
        before = after
    return found[-MOST_WRITES:]


def _positions(trace: Trace, number: int, until: int) -> list[int]:
    """Of the writes into an object before a time the latest, as positions among them."""
    times = trace.writes_of(number).times
    last = bisect_left(times, until)
    first = max(0, last - _MOST_LOOKED_AT)
    return [
        position
        for position in range(first, last)
        if trace.write_at(times[position]).kind != marks.PASSED
        or _changed(trace, number, position, last, until)
    ]


def _changed(trace: Trace, number: int, position: int, last: int, until: int) -> bool:
    """Did a library function change what it was given?"""
    times = trace.writes_of(number).times
    after = times[position + 1] if position + 1 < last else until
    return trace.value_at(number, times[position]).key() != trace.value_at(number, after).key()


def _written(graph: Graph, time: int, target: str, before: Value | None, after: Value | None) -> Written:
    made: Instance | None = graph.write(time)
    trace = graph.trace
    node = made.activation.node if made is not None else graph.owner(time)
    source = made.activation.source if made is not None else trace.routines[trace.routine[node]].source
    mark = trace.mark_at(time)
    at = mark.at if mark is not None else None
    place = (at[0], at[1], at[2], at[3]) if at is not None else None
    return Written(time, node, source, place, target, before, after)


def _value(trace: Trace, number: int, time: int) -> Value | None:
    return trace.value_at(number, time) if number > 0 else None


def _spelled(trace: Trace, step: Step) -> str:
    kind, key = step
    if kind == "attr":
        return f".{key}"
    shown: Any = key
    return f"[{shown!r}]"
