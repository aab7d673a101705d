"""The marks and blocks of a trace's source files, read file by file.

Marks and blocks have numbers that go through the whole trace; what a file has of them is one part of it, in the file's
own numbers. Of a large program few files are looked at.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, NamedTuple, TypeVar
from collections.abc import Callable, Iterator

from algotrace.marks import DELEGATE, RESUME, Range
from algotrace.reader import Reader
from algotrace.wellformed import check_unit

T = TypeVar("T")
_FAR = (1 << 30, 0)
Extent = tuple[tuple[int, int], tuple[int, int]]


class Mark(NamedTuple):
    """What a mark in the event stream stands for, as the trace's table has it."""

    kind: int
    size: int
    routine: int
    block: int
    tokened: bool
    at: Range | None
    label: str

    @property
    def tells_who_is_awake(self) -> bool:
        """… and nothing of what was evaluated."""
        return self.at is None and self.kind in (DELEGATE, RESUME)


class Block(NamedTuple):
    """As in `marks.Block`, under the trace's numbers."""

    routine: int
    parent: int
    kind: str
    spans: list[list[int]]
    terminator: str
    end: list[int]
    loop: int
    of: list[int] | None
    slots: list[Any]


class Table(dict[int, T]):
    """By number, as far as it has been looked at; what is missing is read with all else of its file."""

    def __init__(self, read: Callable[[int], None]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, number: int) -> T:
        self._read(number)
        found = self.get(number)
        if found is None:
            raise IndexError(number)
        return found


class UnitTables:
    """`firsts` has for each file the numbers of its first routine, block and mark, `ends` those after the last ones."""

    def __init__(self, reader: Reader, firsts: list[list[int]], ends: list[int]) -> None:
        self._reader = reader
        self._firsts = [*firsts, ends]
        self._of_block, self._of_mark = ([row[which] for row in firsts] for which in (1, 2))
        self._known: set[int] = set()
        self.blocks: Table[Block] = Table(lambda number: self._read(bisect_right(self._of_block, number) - 1))
        self.extents: Table[Extent] = Table(
            lambda number: self._read(bisect_right(self._of_block, number) - 1)
        )
        self.marks: Table[Mark] = Table(lambda number: self._read(bisect_right(self._of_mark, number) - 1))

    def blocks_of(self, unit: int) -> Iterator[tuple[int, Block]]:
        """A file's blocks by number, in order."""
        self._read(unit)
        for number in range(self._firsts[unit][1], self._firsts[unit + 1][1]):
            yield number, self.blocks[number]

    def marks_of(self, unit: int) -> Iterator[tuple[int, Mark]]:
        """A file's marks by number, in order."""
        self._read(unit)
        for number in range(self._firsts[unit][2], self._firsts[unit + 1][2]):
            yield number, self.marks[number]

    def _read(self, unit: int) -> None:
        if not 0 <= unit < len(self._of_mark) or unit in self._known:
            return
        routine, block, mark = self._firsts[unit]
        counts = [after - first for first, after in zip(self._firsts[unit], self._firsts[unit + 1])]
        with self._reader.reading():
            blocks, marks = check_unit(self._reader.unit(unit), counts)
            own = [
                Block(
                    b[0] + routine, b[1] + block if b[1] >= 0 else -1, b[2], b[3], b[4], b[5],
                    b[6] + block if b[6] >= 0 else -1, b[7], b[8],
                )
                for b in blocks
            ]  # fmt: skip
            self.blocks.update(enumerate(own, block))
            self.extents.update(enumerate(_extents(own, block), block))
            self.marks.update(
                (
                    number,
                    Mark(
                        m[0], m[1], m[2] + routine, m[3] + block if m[3] >= 0 else -1,
                        bool(m[4]), Range(*m[5]) if m[5] else None, m[6],
                    ),
                )
                for number, m in enumerate(marks, mark)
            )  # fmt: skip
        self._known.add(unit)


def _extents(blocks: list[Block], first: int) -> list[Extent]:
    """From where to where each block reaches in the source, nested ones included."""
    found = [
        (
            min(((s[0], s[1]) for s in block.spans), default=_FAR),
            max(((s[2], s[3]) for s in block.spans), default=(0, 0)),
        )
        for block in blocks
    ]
    for number in range(len(blocks) - 1, -1, -1):  # nested blocks have higher numbers
        parent = blocks[number].parent - first
        if parent >= 0:
            (start, end), (outer_start, outer_end) = found[number], found[parent]
            found[parent] = (min(start, outer_start), max(end, outer_end))
    return found
