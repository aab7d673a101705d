"""What a call, and all it called, printed with `print` to the standard output.

The recorder keeps what `print` was given; the text is made here. Numbers, texts and builtin containers read as Python
writes them; of an instance whose class has a `__str__` or `__repr__` that was recorded, what that returned. Not here:
what other functions write (`sys.stdout.write`, logging), and prints to files.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple
from collections.abc import Iterator

if TYPE_CHECKING:
    from algotrace.trace import Trace

MOST_PRINTS = 50
MOST_CHARACTERS = 4000
_TEXT_MAKERS = frozenset({"__str__", "__repr__", "__format__"})


class Print(NamedTuple):
    """One call of `print`."""

    time: int
    node: int  # the call that printed
    text: str  # with its end
    certain: bool  # the text is what appeared, to the letter


class Printed(NamedTuple):
    """All that a node printed: the first prints, joined, and how many more there are."""

    text: str
    certain: bool
    more: int


def printed_by(trace: Trace, node: int) -> Printed | None:
    """None where nothing was printed."""
    times = _times(trace, node)
    if not times:
        return None
    texts: list[str] = []
    certain, length = True, 0
    for time in times[:MOST_PRINTS]:
        if length > MOST_CHARACTERS:
            break
        one = print_at(trace, time)
        texts.append(one.text)
        certain &= one.certain
        length += len(one.text)
    return Printed("".join(texts), certain, len(times) - len(texts))


def prints(trace: Trace, node: int) -> Iterator[Print]:
    """Every print of a node and what it called, in order."""
    for time in _times(trace, node):
        yield print_at(trace, time)


def print_at(trace: Trace, time: int) -> Print:
    mark = trace.mark_at(time)
    node = trace.node_at(time)
    values = trace.values_at(time, mark) if mark is not None else []
    if mark is None or not values:
        return Print(time, node, "…\n", False)
    separator, end = _form(mark.label)
    row = trace.row(values[0])
    parts = row[2] if type(row) is list and row[0] == "tuple" else []
    makers = _made_texts(trace, node, time)
    pieces, certain = [], separator is not None and end is not None
    for part in parts:
        text, known = _text(trace, part, time, makers)
        pieces.append(text)
        certain &= known
    whole = (" " if separator is None else separator).join(pieces) + ("\n" if end is None else end)
    return Print(time, node, whole, certain)


def _form(label: str) -> tuple[str | None, str | None]:
    """Separator and end; None where they are not known."""
    try:
        given = [default if part is None else part for part, default in zip(json.loads(label), (" ", "\n"))]
    except (ValueError, TypeError):
        return None, None
    separator, end = (part if type(part) is str else None for part in given)
    return separator, end


def _text(trace: Trace, number: int, time: int, made: Iterator[str]) -> tuple[str, bool]:
    row = trace.row(number)
    if type(row) is str:
        return row, True
    if type(row) is not list:
        return str(row), True
    if row[0] == "unknown":
        return "…", False
    if row[0] in ("instance", "based"):
        text = next(made, None)
        if text is not None:
            return text, True
    value = trace.value_at(number, time).text(MOST_CHARACTERS)
    return value.text, value.literal or row[0] in ("huge", "complex", "bytes")


def _made_texts(trace: Trace, node: int, time: int) -> Iterator[str]:
    """What recorded `__str__` methods returned while this print ran."""
    for child in trace.children(node):
        if trace.start[child] < time:
            continue
        if trace.routines[trace.routine[child]].name not in _TEXT_MAKERS:
            return
        value = trace.call_outcome(child).value
        row = trace.row(value.identity) if value is not None else None
        if type(row) is str:
            yield row


def _times(trace: Trace, node: int) -> list[int]:
    times = trace.print_times
    spans = trace.segments.get(node) or [trace.start[node], trace.end[node]]
    found: list[int] = []
    for first, last in zip(spans[::2], spans[1::2]):
        found += times[bisect_left(times, first) : bisect_right(times, last)]
    return found
