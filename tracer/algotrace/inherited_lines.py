"""Python 3.12: a routine that ends returns at the line before, where what we add has no line.

Its compiler copies an exit that has no line to each place that jumps there, and gives a line to the first instruction
of the copy alone. Unrecorded that is all of it; with ours in front the `return` is left without one, and debuggers that
ask a frame which returns for its line get None. Other versions do this themselves.
"""

from __future__ import annotations

import opcode
from itertools import pairwise
from types import CodeType
from collections.abc import Iterator

from algotrace.exception_table import entries

_NOWHERE, _NO_COLUMNS, _LONG, _ONE_LINE = (
    15,
    13,
    14,
    10,
)  # kinds of entries, see CPython's `Objects/locations.md`
_LEAVING = {
    opcode.opmap.get(name)
    for name in (
        "RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT",
    )
}  # fmt: skip


def with_inherited_lines(code: CodeType) -> CodeType:
    """The code, with instructions without a line that straightly follow one that has one being of that line."""
    table = code.co_linetable
    starts: list[int] | None = None  # of straight pieces of code, in units of two bytes
    changed = bytearray()
    copied = 0  # this much of the table
    runs = list(_runs(table))
    for before, (at, end, first, last) in pairwise(runs):
        if _kind(table[at]) != _NOWHERE or _kind(table[before[0]]) == _NOWHERE:
            continue
        if starts is None:
            starts = _straight_pieces(code)
        if first in starts:
            continue
        until = min((start for start in starts if first < start < last), default=last)
        changed += table[copied:at]
        for start in range(first, until, 8):
            changed += bytes((128 | _NO_COLUMNS << 3 | min(8, until - start) - 1, 0))
        for start in range(until, last, 8):
            changed.append(128 | _NOWHERE << 3 | min(8, last - start) - 1)
        copied = end
    return code.replace(co_linetable=bytes(changed + table[copied:])) if copied else code


def _runs(table: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Where an entry of the table starts and ends, and from which instruction to which it goes. Those without a line
    that follow each other are one."""
    at = first = 0
    while at < len(table):
        start, last = at, first
        while True:
            byte = table[at]
            last += (byte & 7) + 1
            at += 1
            while at < len(table) and not table[at] & 128:
                at += 1
            if _kind(byte) != _NOWHERE or at == len(table) or _kind(table[at]) != _NOWHERE:
                break
        yield start, at, first, last
        first = last


def _kind(byte: int) -> int:
    return byte >> 3 & 15


def _straight_pieces(code: CodeType) -> list[int]:
    """Where something jumps to, where handlers start, and what follows on an instruction that nothing follows on."""
    text, caches, jumps = code.co_code, opcode._inline_cache_entries, set(opcode.hasjrel)  # type: ignore[attr-defined]
    starts = {entry.handler // 2 for entry in entries(code.co_exceptiontable)}  # type: ignore[attr-defined]
    at = extended = 0
    while at < len(text):
        operation = text[at]
        argument = extended << 8 | text[at + 1]
        extended = argument if operation == opcode.opmap["EXTENDED_ARG"] else 0
        at += 2 + 2 * caches[operation]
        if operation in jumps:
            back = "BACKWARD" in opcode.opname[operation]
            starts.add(at // 2 + (-argument if back else argument))
        if operation in _LEAVING:
            starts.add(at // 2)
    return sorted(starts)
