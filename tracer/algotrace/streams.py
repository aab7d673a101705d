"""Where events go: one list per thread, and the tables that give a mark its meaning.

Instrumented code fetches its thread's list once per call (`STREAMS.events`, about 20 ns) and appends to it.
Nothing here runs per event. Not here: bounding memory; a stream grows until the program ends.
"""

from __future__ import annotations

import itertools
import threading
import types
from typing import Any

from algotrace.marks import Mark, Unit

all_streams: list[tuple[int, list[Any]]] = []  # (thread id, events) in order of the threads' first event


class _Streams(threading.local):
    """`events` of the current thread; `__init__` runs at a thread's first access, as `threading.local` does."""

    events: list[Any]

    def __init__(self) -> None:
        self.events = []
        all_streams.append((threading.get_ident(), self.events))


STREAMS = _Streams()


class _Main:
    """The main thread's events, in reach without the lookup that `STREAMS` needs."""

    __slots__ = ("events",)

    def __init__(self) -> None:
        self.events = STREAMS.events


MAIN = _Main()
new_token = itertools.count(1).__next__  # names an activation that may sleep


class Units:
    """The instrumented files of this process, and their marks under process-wide numbers."""

    def __init__(self) -> None:
        self.units: list[Unit] = []
        self.texts: list[str] = []
        self.routine_base: list[int] = []
        self.block_base: list[int] = []
        self.marks: list[Mark] = []
        self.code_names: list[str] = []  # `co_filename` of each unit, which may be relative
        self.codes: dict[tuple[str, int, str], types.CodeType] = {}
        self._routines = 0
        self._blocks = 0

    def add(self, unit: Unit, text: str, code_name: str) -> list[Mark]:
        """Register `unit`; return its marks, in the unit's own order, numbered for the whole process."""
        self.units.append(unit)
        self.texts.append(text)
        self.code_names.append(code_name)
        self.routine_base.append(self._routines)
        self.block_base.append(self._blocks)
        marks = []
        for place in unit.marks:
            mark = Mark(
                len(self.marks),
                place.kind,
                place.size,
                place.routine + self._routines,
                place.block + self._blocks,
                place.tokened,
            )
            self.marks.append(mark)
            marks.append(mark)
        self._routines += len(unit.routines)
        self._blocks += len(unit.blocks)
        return marks

    def remember_code(self, code: types.CodeType) -> None:
        """Keep code objects by (file, first line, name): they tell where an instruction offset stands in the source."""
        self.codes.setdefault((code.co_filename, code.co_firstlineno, code.co_name), code)
        for constant in code.co_consts:
            if type(constant) is types.CodeType:
                self.remember_code(constant)


UNITS = Units()
