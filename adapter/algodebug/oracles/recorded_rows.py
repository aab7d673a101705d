"""Recorded objects at one time as plain rows, to be rebuilt or compared elsewhere; sharing and cycles survive.

The rows are those `copy_run.rows` describes. What a row cannot hold raises `CannotEncode`: better no verdict than
one on a value that was not like this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from algotrace.content import FACTORIES, TYPECODES
from algotrace.values import Constant, changes_unseen

if TYPE_CHECKING:
    from algotrace.trace import Trace
    from algotrace.values import Value

Rows = dict[int, tuple[Any, ...]]

LIMIT = 300_000  # objects of one question


def inexact(rows: Rows) -> bool:
    """Whether some of it is not surely what was there: what library code changes unseen is known as it was at the end."""
    return any(row[0] == "textual" and changes_unseen(*row[1]) for row in rows.values())


class CannotEncode(Exception):
    """Something of the value is not known well enough."""


def encode(trace: Trace, value: Value, time: int, rows: Rows) -> int:
    """Adds the rows of a value, as it was at `time`, and gives its number."""
    if value.ref == "none":
        rows[-1] = ("scalar", None)
        return -1
    if isinstance(value, Constant):
        rows[-4] = ("scalar", value.scalar())
        return -4
    if value.ref.startswith("displayed:"):
        raise CannotEncode
    if value.ref.startswith("yield:"):
        if not value.certain:
            raise CannotEncode
        numbers = [part.value.identity for part in value.parts(0, value.length or 0)]
        for number in numbers:
            _encode(trace, number, time, rows)
        rows[-2] = ("list", ("list", "builtins"), numbers, [])
        return -2
    if value.ref.startswith("raise:"):
        # Only the class and the arguments of an exception are known as they were when it was raised.
        arguments = trace.content(value.identity, time).items
        for number in arguments:
            _encode(trace, number, time, rows)
        rows[-3] = ("exception", (value.type_name, ""), arguments, None)
        return -3
    _encode(trace, value.identity, time, rows)
    return value.identity


def _encode(trace: Trace, first: int, time: int, rows: Rows) -> None:
    pending = [first]
    while pending:
        number = pending.pop()
        if number in rows:
            continue
        if len(rows) > LIMIT:
            raise CannotEncode
        row, below = _row(trace, number, time)
        rows[number] = row
        pending += below


def _row(trace: Trace, number: int, time: int) -> tuple[tuple[Any, ...], list[int]]:
    """The row of one object, and the numbers in it."""
    recorded = trace.row(number)
    if type(recorded) is not list:
        return ("scalar", recorded), []
    kind = recorded[0]
    if kind == "huge":
        return ("scalar", int(recorded[1], 16)), []
    if kind == "complex":
        return ("scalar", complex(recorded[1], recorded[2])), []
    if kind == "bytes":
        return ("scalar", recorded[1].encode("latin-1")), []
    if kind in ("class", "function"):
        return (kind, recorded[1], recorded[2]), []
    if kind == "method":
        return (kind, recorded[1], recorded[2]), recorded[1:3]
    if kind == "module":
        return (kind, recorded[1]), []
    if kind in ("absent", "unknown"):
        raise CannotEncode
    if kind in ("generator", "opaque"):
        return ("opaque", _type(trace, recorded[1])), []
    if kind == "textual":
        return (kind, _type(trace, recorded[1]), recorded[2]), []
    content = trace.content(number, time)
    if not content.certain:
        raise CannotEncode
    if kind == "bytearray":
        return (kind, content.text.encode("latin-1")), []
    cls = _type(trace, recorded[1])
    attributes = list(content.attributes.items())
    inside = list(content.attributes.values())
    if kind == "instance":
        return (kind, cls, attributes), inside
    if kind == "based":
        return (kind, cls, recorded[2], attributes), [recorded[2], *inside]
    if kind == "dict":
        parts = [part for pair in content.pairs.values() for part in pair]
    elif kind in ("set", "frozenset"):
        parts = [member for member, _ in content.pairs.values()]
    else:
        parts = list(content.items)
    if kind == "dict" and len(recorded) > 4 and 0 <= recorded[4] < len(FACTORIES):
        return (kind, cls, parts, attributes, FACTORIES[recorded[4]]), parts + inside
    if kind == "deque" and content.most is not None:
        return (kind, cls, parts, attributes, content.most), parts + inside
    if content.is_array:
        return ("array", cls, parts, attributes, TYPECODES[recorded[4]]), parts + inside
    return (kind, cls, parts, attributes), parts + inside


def _type(trace: Trace, number: int) -> tuple[str, str]:
    name, module = trace.type_of(number)[:2]
    return name, module
