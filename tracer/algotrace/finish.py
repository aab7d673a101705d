"""The end of a recording: from event lists and live objects to a trace file."""

from __future__ import annotations

import gc
import json
import sys
from array import array
from itertools import chain
from pathlib import Path
from typing import Any

from algotrace.index import Index, Indexer
from algotrace.marks import Block, MarkPlace, Routine
from algotrace.objects import ObjectTable, user_modules
from algotrace.scope import Scope
from algotrace.streams import STREAMS, UNITS, all_streams
from algotrace.trace_file import ROWS_PER_PART, Writer


def write_trace(
    path: Path, main_file: str, scope: Scope, environment: dict[str, Any], reasons: dict[str, str]
) -> None:
    """Write everything recorded so far. Raises OSError where the file cannot be written."""
    writer = Writer(path)
    collecting = gc.isenabled()
    gc.disable()
    try:
        _write(writer, main_file, scope, environment, reasons)
        writer.finish()
    except BaseException:
        writer.abandon()
        raise
    finally:
        if collecting:
            gc.enable()


def _write(
    writer: Writer, main_file: str, scope: Scope, environment: dict[str, Any], reasons: dict[str, str]
) -> None:
    # Another thread may still be appending to its own.
    streams = [events if events is STREAMS.events else list(events) for _, events in all_streams if events]
    tables = _static_tables()
    routines: list[Routine] = tables.pop("routine tuples")
    root = next(
        (
            n
            for n, r in enumerate(routines)
            if r.kind == "module" and UNITS.units[tables["units"][n]].path == main_file
        ),
        -1,
    )
    if root < 0:  # the main module itself is not recorded: a routine of no code stands for it
        root = len(routines)
        routines.append(Routine("<module>", "<module>", "module", 1, 0, 1, 1, 1, (), -1, -1))
        tables["units"].append(0)
    indexer = Indexer(routines, [mark[6] for mark in tables["marks"]], root)
    for events in streams:
        indexer.read(events)
    index = indexer.finish()
    user = {path.path for path in UNITS.units}
    modules = user_modules(user.__contains__)
    names = set(modules) | {"__main__"}
    table = ObjectTable(len(UNITS.marks), names.__contains__)
    table.numbers.update((id(mark), mark.number) for mark in UNITS.marks)
    part = 0
    codes: array[int] = array("I")
    for events in streams:
        codes.extend(_encode(events, table))
    part = writer.events(codes, part)
    written = array("I", (0 if obj is None else table.number(obj) for obj in index.written))
    tables["modules"] = {
        name: {
            key: table.number(value)
            for key, value in list(namespace.items())
            if type(key) is str
            and not key.startswith("__")
            and type(value) not in _NOT_STATE
            and not issubclass(type(value), type)
        }
        for name, namespace in modules.items()
    }
    table.complete(writer.rows, ROWS_PER_PART)
    _write_arrays(writer, index, written, codes)
    tables["routines"] = [list(routine) for routine in routines]
    tables["types"] = table.types
    tables["positions"] = _positions(index.offsets, routines, tables["units"])
    tables["segments"] = index.segments
    tables["yields"] = index.yields
    tables["streams"] = index.streams
    tables["first object"] = len(UNITS.marks)
    tables["reasons"] = reasons
    writer.blob("static", json.dumps(tables, separators=(",", ":")).encode())
    for number, unit in enumerate(UNITS.units):
        writer.source(number, unit.path, unit.text)
    writer.meta("environment", environment)
    writer.meta("nodes", len(index.parent))
    writer.meta("events", len(codes))
    table.release()


_CHUNK = 1 << 17  # events encoded at a time
_NOT_STATE = (type(sys), type(lambda: 0), type(len))


def _encode(events: list[Any], table: ObjectTable) -> array[int]:
    """Event codes: a mark's number or an object's. In chunks, so that little memory is needed beside the events."""
    codes: array[int] = array("I")
    numbers = table.numbers
    for start in range(0, len(events), _CHUNK):
        chunk = events[start : start + _CHUNK]
        ids = list(map(id, chunk))
        unknown = set(ids).difference(numbers)
        if unknown:
            for key, obj in zip(ids, chunk):
                if key in unknown:
                    unknown.discard(key)
                    table.number(obj)
        codes.extend(map(numbers.__getitem__, ids))
    return codes


def _static_tables() -> dict[str, Any]:
    """Routines, blocks and marks of all units under process-wide numbers."""
    routines: list[Routine] = []
    units: list[int] = []
    blocks: list[Any] = []
    marks: list[Any] = []
    for number, instrumented in enumerate(UNITS.units):
        unit = instrumented.unit()
        routine_base, block_base = instrumented.routine_base, instrumented.block_base
        for routine in map(Routine._make, unit.routines):
            parent = routine.parent + routine_base if routine.parent >= 0 else -1
            routines.append(routine._replace(block=routine.block + block_base, parent=parent))
            units.append(number)
        for block in map(Block._make, unit.blocks):
            blocks.append(
                [
                    block.routine + routine_base,
                    block.parent + block_base if block.parent >= 0 else -1,
                    block.kind,
                    block.spans,
                    block.terminator,
                    block.end,
                    block.loop + block_base if block.loop >= 0 else -1,
                    block.of,
                    block.slots,
                ]
            )
        for mark in map(MarkPlace._make, unit.marks):
            marks.append(
                [
                    mark.kind, mark.size, mark.routine + routine_base,
                    mark.block + block_base if mark.block >= 0 else -1, mark.tokened, mark.at, mark.label,
                ]
            )  # fmt: skip
    return {"routine tuples": routines, "units": units, "blocks": blocks, "marks": marks}


def _positions(
    offsets: set[tuple[int, int]], routines: list[Routine], units: list[int]
) -> dict[str, list[int]]:
    """Where each exception's instruction ends: "routine:offset" → line, column (a large one before 3.11)."""
    result = {}
    for number, offset in offsets:
        routine = routines[number]
        code = UNITS.codes.get((UNITS.units[units[number]].code_name, routine.first_line, routine.name))
        if code is None or offset < 0:
            continue
        if hasattr(code, "co_positions"):
            _, end_line, _, end_column = next(iter(_nth(code.co_positions(), offset // 2)), (None,) * 4)
            if end_line is not None:
                result[f"{number}:{offset}"] = [end_line, end_column if end_column is not None else 1 << 30]
        else:
            for start, end, line in code.co_lines():
                if start <= offset < end and line is not None:
                    result[f"{number}:{offset}"] = [line, 1 << 30]
    return result


def _nth(iterator: Any, n: int) -> list[Any]:
    for index, item in enumerate(iterator):
        if index == n:
            return [item]
    return []


def _write_arrays(writer: Writer, index: Index, written: array[int], codes: array[int]) -> None:
    for name in ("parent", "size", "routine", "start", "end", "outcome", "outcome_at"):
        writer.blob(name, getattr(index, name).tobytes())
    writer.blob("write_times", index.write_times.tobytes())
    writer.blob("written", written.tobytes())
    order = sorted(range(len(written)), key=written.__getitem__)
    writer.blob("write_objects", array("I", map(written.__getitem__, order)).tobytes())
    writer.blob("object_write_times", array("q", map(index.write_times.__getitem__, order)).tobytes())
    writer.blob("write_slots", array("I", map(index.write_slots.__getitem__, order)).tobytes())
    wanted = set(written)
    first: dict[int, int] = {}
    if wanted:
        for time, code in enumerate(codes):
            if code in wanted and code not in first:
                first[code] = time
    writer.blob("first_seen", array("q", chain.from_iterable(sorted(first.items()))).tobytes())
