"""What a call, and all it called, wrote to the standard output with `print` and `sys.stdout.write`: as text, as lines.

The recorder keeps what `print` was given; the text is made here. Numbers, texts and builtin containers read as Python
writes them; of an instance whose class has a `__str__` or `__repr__` that was recorded, what that returned. A line
knows the pieces it was put together from, and so which print, and which argument of it, any of its characters came
from. Not here: what other functions write (logging, `pprint`), and prints to files.
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
FORM = -1  # what is printed besides the values: separators and ends
_TEXT_MAKERS = frozenset({"__str__", "__repr__", "__format__"})


class Print(NamedTuple):
    """One call of `print`."""

    time: int
    node: int  # the call that printed
    text: str  # with its end
    certain: bool  # the text is what appeared, to the letter


class Piece(NamedTuple):
    """Consecutive characters of a line that came from one argument of one print."""

    time: int  # of the print
    part: int  # which of the values printed; FORM for a separator or an end
    start: int
    end: int


class Line(NamedTuple):
    """A line of what was printed, without its end."""

    text: str
    certain: bool
    pieces: tuple[Piece, ...]


class Printed(NamedTuple):
    """All that a node printed: the first prints, joined, and how many more there are."""

    text: str
    certain: bool
    more: int


def printed_by(trace: Trace, node: int, start: int = 0, end: int | None = None) -> Printed | None:
    """What a node printed, from one time to before another; None where nothing was printed."""
    times = _times(trace, node, start, end)
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


def lines(trace: Trace, node: int) -> Iterator[Line]:
    """The lines that a node and what it called printed, in order; the last may lack its end."""
    text, certain = "", True
    pieces: list[Piece] = []
    for time in _times(trace, node):
        for part, whole, known in _pieces(trace, time):
            for place, more in enumerate(whole.split("\n")):
                if place:
                    # An empty line came from what ended it.
                    yield Line(text, certain, tuple(pieces) or (Piece(time, FORM, 0, 0),))
                    text, certain, pieces = "", True, []
                certain &= known
                if more:
                    pieces.append(Piece(time, part, len(text), len(text) + len(more)))
                    text += more
    if text:
        yield Line(text, certain, tuple(pieces))


def print_at(trace: Trace, time: int) -> Print:
    pieces = list(_pieces(trace, time))
    return Print(
        time, trace.node_at(time), "".join(text for _, text, _ in pieces), all(known for *_, known in pieces)
    )


def values_at(trace: Trace, time: int) -> list[int]:
    """The objects that a print was given."""
    mark = trace.mark_at(time)
    values = trace.values_at(time, mark) if mark is not None else []
    row = trace.row(values[0]) if values else None
    return list(row[2]) if type(row) is list and row[0] == "tuple" else []


def makers(trace: Trace, time: int) -> Iterator[int]:
    """The recorded `__str__` methods that ran for this print, in order."""
    for child in trace.children(trace.node_at(time)):
        if trace.start[child] < time:
            continue
        if trace.routines[trace.routine[child]].name not in _TEXT_MAKERS:
            return
        yield child


def _pieces(trace: Trace, time: int) -> Iterator[tuple[int, str, bool]]:
    """(which value, its text, whether that is certain) and FORM for what stands between and after the values."""
    mark = trace.mark_at(time)
    values = trace.values_at(time, mark) if mark is not None else []
    if mark is None or not values:
        yield FORM, "…\n", False
        return
    separator, end = _form(mark.label)
    texts = _made_texts(trace, time)
    for place, part in enumerate(values_at(trace, time)):
        if place:
            yield FORM, " " if separator is None else separator, separator is not None
        yield (place, *_text(trace, part, time, texts))
    yield FORM, "\n" if end is None else end, separator is not None and end is not None


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


def _made_texts(trace: Trace, time: int) -> Iterator[str]:
    """What recorded `__str__` methods returned while this print ran."""
    for child in makers(trace, time):
        value = trace.call_outcome(child).value
        row = trace.row(value.identity) if value is not None else None
        if type(row) is str:
            yield row


def _times(trace: Trace, node: int, start: int = 0, end: int | None = None) -> list[int]:
    times = trace.print_times
    spans = trace.segments.get(node) or [trace.start[node], trace.end[node]]
    found: list[int] = []
    for first, last in zip(spans[::2], spans[1::2]):
        high = last if end is None else min(last, end - 1)
        found += times[bisect_left(times, max(first, start)) : bisect_right(times, high)]
    return found
