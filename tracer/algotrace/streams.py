"""Where events go: one list per thread, and the tables that give a mark its meaning.

Instrumented code fetches its thread's list once per call (`STREAMS.events`, about 20 ns) and appends to it.
Nothing here runs per event. Not here: bounding memory; a stream grows until the program ends.
"""

from __future__ import annotations

import itertools
import marshal
import threading
import types
from _thread import allocate_lock, get_ident  # as they are before the program runs
from array import array
from typing import Any, NamedTuple

from algotrace import BUILTINS
from algotrace.marks import Mark, Unit

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

all_streams: list[tuple[int, list[Any]]] = []  # (thread id, events) in order of the threads' first event


class Events(list[Any]):
    """A stream. Who prints a frame's locals (a traceback with locals, a failing assertion) must not print all of it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{len(self)} events>"


class _Streams(threading.local):
    """`events` of the current thread; `__init__` runs at a thread's first access, as `threading.local` does."""

    events: list[Any]

    def __init__(self) -> None:
        self.events = Events()
        all_streams.append((get_ident(), self.events))


STREAMS = _Streams()


class OthersHeld:
    """A context in which other threads stop where they next look for their list, mostly at their next call.

    At its end a program's daemon threads go on until the process is gone. While a trace is written they would take
    the interpreter from the writer, and leave events faster than it can write them.
    """

    def __enter__(self) -> None:
        writer, gate = get_ident(), allocate_lock()
        gate.acquire()

        def events_of(streams: _Streams) -> list[Any]:
            if get_ident() != writer:
                with gate:
                    pass
            return streams.__dict__["events"]  # type: ignore[no-any-return]

        def set_events(streams: _Streams, events: list[Any]) -> None:
            streams.__dict__["events"] = events

        self._gate = gate
        _Streams.events = property(events_of, set_events)  # type: ignore[assignment]

    def __exit__(self, *error: object) -> None:
        del _Streams.events
        self._gate.release()


class _Main:
    """The main thread's events, in reach without the lookup that `STREAMS` needs."""

    __slots__ = ("events",)

    def __init__(self) -> None:
        self.events = STREAMS.events


MAIN = _Main()
new_token = itertools.count(1).__next__  # names an activation that may sleep


class InstrumentedUnit(NamedTuple):
    """One instrumented file of this process. Its tables stay packed until the program has ended."""

    path: str  # absolute
    code_name: str  # `co_filename`, which may be relative
    text: str
    tables: bytes  # marshalled routines, blocks and marks, see `marks.plain_tables`
    routine_base: int
    block_base: int

    def unit(self) -> Unit:
        return Unit(self.path, *marshal.loads(self.tables))


class Units:
    """The instrumented files of this process, and their marks under process-wide numbers."""

    def __init__(self) -> None:
        self.units: list[InstrumentedUnit] = []
        self.marks: list[Mark] = []
        self.codes: dict[tuple[str, int, str], types.CodeType] = {}
        self._routines = 0
        self._blocks = 0

    def add(
        self, path: str, code_name: str, text: str, tables: bytes, counts: tuple[int, int], marks: bytes
    ) -> list[Mark]:
        """Register a file; return its marks, in the file's own order, numbered for the whole process.

        `counts` of routines and blocks; `marks` packs kind, size, routine, block and whether tokened, for each.
        """
        routines, blocks = self._routines, self._blocks
        self.units.append(InstrumentedUnit(path, code_name, text, tables, routines, blocks))
        numbers = array("i")
        numbers.frombytes(marks)
        fields = iter(numbers)
        first = len(self.marks)
        self.marks.extend(
            Mark(first + number, kind, size, routine + routines, block + blocks, tokened != 0)
            for number, (kind, size, routine, block, tokened) in enumerate(
                zip(fields, fields, fields, fields, fields)
            )
        )
        self._routines += counts[0]
        self._blocks += counts[1]
        return self.marks[first:]

    def remember_code(self, code: types.CodeType) -> None:
        """Keep code objects by (file, first line, name): they tell where an instruction offset stands in the source."""
        self.codes.setdefault((code.co_filename, code.co_firstlineno, code.co_name), code)
        for constant in code.co_consts:
            if type(constant) is types.CodeType:
                self.remember_code(constant)


UNITS = Units()
