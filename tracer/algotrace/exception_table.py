"""CPython's table of which handler is for which instructions (3.11 and later), read and written.

Its format is that of CPython's `Objects/exception_handling_notes.txt`.
"""

from __future__ import annotations

from typing import NamedTuple
from collections.abc import Iterable, Iterator


class Entry(NamedTuple):
    """Offsets in bytes. `depth` is how many values stay on the stack; with `kept` the instruction that raised is put
    there, below the exception."""

    start: int
    end: int
    handler: int
    depth: int
    kept: bool


def entries(table: bytes) -> Iterator[Entry]:
    numbers = _numbers(table)
    for start in numbers:
        length, handler, depth = next(numbers), next(numbers), next(numbers)
        yield Entry(2 * start, 2 * (start + length), 2 * handler, depth >> 1, bool(depth & 1))


def _numbers(table: bytes) -> Iterator[int]:
    number = 0
    for byte in table:
        number = number << 6 | byte & 63
        if not byte & 64:
            yield number
            number = 0


def packed(table: Iterable[Entry]) -> bytes:
    made = bytearray()
    for start, end, handler, depth, kept in table:
        first = len(made)
        for number in (start // 2, (end - start) // 2, handler // 2, depth << 1 | kept):
            shift = max(0, (number.bit_length() - 1) // 6) * 6
            for place in range(shift, 0, -6):
                made.append(64 | number >> place & 63)
            made.append(number & 63)
        made[first] |= 128
    return bytes(made)
