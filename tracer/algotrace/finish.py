"""The end of a recording: what is left in memory and what was spilled before become one complete trace file."""

from __future__ import annotations

import json
import sys
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any
from collections.abc import Iterator

from algotrace.at_work import look_everywhere
from algotrace.class_tables import find_in_class, namespace_of
from algotrace.collecting import NO_COLLECTION
from algotrace.marks import ABSENT, NAMED, UNKNOWN, Routine
from algotrace.in_hand import classes_in_hand
from algotrace.kept_by_others import kept_by_others
from algotrace.spill import Spill
from algotrace.streams import UNITS
from algotrace.trace_file import FIRST_OBJECT, packed_json, packed_text
from algotrace.tree import write_tree
from algotrace.undo import module_namespace
from algotrace.views import are_passed_on

_NOT_STATE = (type(sys), type(lambda: 0), type(len))


def write_trace(
    spill: Spill, path: Path, environment: dict[str, Any], reasons: dict[str, str], *, early: bool = False
) -> None:
    """Write everything recorded so far; more may follow, see `Spill.open`. Raises OSError.

    `early` leaves out what is still in memory: there is no room for it.
    """
    with NO_COLLECTION:
        try:
            if not early:
                look_everywhere()
                spill.take_all()
            spill.write_rest()
            _write(spill, environment, reasons)
            spill.writer.finish(path)
        except BaseException:
            spill.writer.abandon()
            raise


def _write(spill: Spill, environment: dict[str, Any], reasons: dict[str, str]) -> None:
    writer, table = spill.writer, spill.table
    writer.free_reserve()
    tables = _static_tables()
    routines: list[Routine] = tables.pop("routine tuples")
    root = spill.root_routine
    if root is None:  # the main module itself is not recorded: a routine of no code stands for it
        root = len(routines)
        routines.append(Routine("<module>", "<module>", "module", 1, 0, 1, 1, 1, (), -1, -1))
        tables["units"].append(len(UNITS.units))  # a file of no text stands for its
        tables["bases"].append([*tables["ends"]])
        tables["ends"][0] += 1
        path = spill.main_path() or environment["program"]
        writer.source(len(UNITS.units), path, *packed_text(""))
        writer.packed("unit", packed_json(([], [])), len(UNITS.units))
    tables["modules"] = {
        name: {
            key: table.number(value)
            for key, value in list(namespace.items())
            if type(key) is str
            and not key.startswith("__")
            and not any(type(value) is kind for kind in _NOT_STATE)
            and not issubclass(type(value), type)
        }
        for name, namespace in spill.modules.items()
    }
    tables["namespaces"] = {
        name: [table.number_known(each) for each in (sys.modules.get(name), namespace) if each is not None]
        for name, namespace in spill.modules.items()
    }
    tables["classes"] = _classes_written(spill)
    tables["classes in hand"] = classes_in_hand()
    tables["printed slot"] = spill.indexer.found.printed_slot
    tables["global slots"] = [
        [slot, tables["units"][module], name] for slot, module, name in spill.indexer.found.global_slots()
    ]
    tables["written classes"] = sorted(spill.indexer.found.classes)
    unknown = table.number(UNKNOWN)
    table.complete()
    nodes = write_tree(spill.indexer, root, writer)
    _write_writes(spill)
    tables["routines"] = [list(routine) for routine in routines]
    tables["types"] = table.rows.types
    table.rows.note_changed_unseen()
    touched = table.rows.touched
    tables["touched"] = {number: sorted(touched[number]) for number in touched}
    kept = kept_by_others(table.number_known)
    tables["kept by strangers"], tables["strangers' own"] = kept.by_strangers, kept.as_their_own
    tables["touched objects"] = table.rows.touched_objects + kept.by_others
    tables["changed by operators"] = [
        sorted(each) for each in table.rows.changed_by_operators(_classes_at_hand(spill))
    ]
    _write_runs_of_strangers(spill, bool(kept.by_strangers))
    tables["comparing"] = table.rows.comparing()
    tables["views passed on"] = are_passed_on()
    tables["any handed"] = spill.indexer.found.any_handed
    tables["unfollowed"] = sorted(spill.indexer.found.unfollowed.items())
    tables["never over"] = spill.indexer.found.never_over
    tables["shapes"] = table.rows.shapes
    tables["positions"] = _positions(spill.indexer.offsets, routines, tables["units"])
    tables["streams"] = spill.indexer.streams
    tables["rounds"] = spill.rounds
    tables["unknown"] = unknown
    tables["first object"] = FIRST_OBJECT
    tables["reasons"] = reasons
    writer.json("static", json.dumps(tables, separators=(",", ":")))
    for number, unit in enumerate(UNITS.units):
        writer.source(number, unit.path, unit.stored.sha256, unit.stored.text)
        writer.packed("unit", unit.stored.tables, number)
    writer.meta("environment", environment)
    writer.meta("nodes", nodes)
    writer.meta("writes", len(spill.indexer.found.writes))
    writer.meta("events", spill.events)


def _classes_at_hand(spill: Spill) -> Iterator[type]:
    """Of what the program's modules have, and modules that they know: an operator may be called on that alone."""
    namespaces = {id(each): each for each in spill.modules.values()}
    for namespace in list(namespaces.values()):
        for value in list(namespace.values()):
            if issubclass(type(value), type(sys)):
                known = module_namespace(value)
                namespaces[id(known)] = known
    values = {id(value): value for each in namespaces.values() for value in list(each.values())}
    yield from {id(type(value)): type(value) for value in values.values()}.values()
    for value in values.values():
        if issubclass(type(value), type) and find_in_class(value, "__class_getitem__") is not ABSENT:
            yield value


def _classes_written(spill: Spill) -> dict[int, list[Any]]:
    """The attributes of classes that were written to, as name, object, name, object…; they are told by object number."""
    table, written = spill.table, spill.indexer.found.first_seen
    classes: dict[int, list[Any]] = {}
    todo, seen = [object], {id(object)}
    while todo:
        cls = todo.pop()
        below = [sub for sub in type.__subclasses__(cls) if id(sub) not in seen]
        seen.update(map(id, below))
        todo += below
        number = table.number_known(cls)
        if number in written:
            namespace = list(namespace_of(cls).items())
            own = [
                (name, value) for name, value in namespace if type(name) is str and not name.startswith("__")
            ]
            classes[number] = [part for name, value in own for part in (name, table.number(value))]
    return classes


def _write_writes(spill: Spill) -> None:
    """In order of time; then in runs by object, for looking up what happened to it."""
    writer, found = spill.writer, spill.indexer.found
    packed, runs = found.writes.all()
    writer.packed_column("write_times", "I", [times for times, _ in packed])
    writer.packed_column("written", "I", [objects for _, objects in packed])
    for place, name in enumerate(("write_objects", "object_write_times", "write_slots")):
        writer.packed_column(name, "I", [run[place] for run in runs])
    first = sorted(found.first_seen.items())
    writer.column("first_seen_objects", "I", [map(itemgetter(0), first)])
    writer.column("first_seen_times", "I", [map(itemgetter(1), first)])
    back = sorted(zip(*found.handed_back))
    writer.column("handed_back_objects", "I", [map(itemgetter(0), back)])
    writer.column("handed_back_times", "I", [map(itemgetter(1), back)])
    writer.column("unfollowed_times", "I", [found.unfollowed_times])


def _write_runs_of_strangers(spill: Spill, are_needed: bool) -> None:
    ran = spill.indexer.found.strangers_ran  # in order of time
    for name, column in zip(("times", "marks", "since"), ran):
        spill.writer.column(f"strangers_ran_{name}", "I", [column] if are_needed else [])


def _static_tables() -> dict[str, Any]:
    """Routines of all units under process-wide numbers, and where those of each unit start."""
    routines: list[Routine] = []
    units: list[int] = []
    bases: list[list[int]] = []
    named: list[int] = []
    ends = [0, 0, 0]
    for number, unit in enumerate(UNITS.units):
        base, first = unit.routine_base, unit.mark_base
        bases.append([base, unit.block_base, first])
        for routine in unit.routines():
            parent = routine.parent + base if routine.parent >= 0 else -1
            routines.append(routine._replace(block=routine.block + unit.block_base, parent=parent))
            units.append(number)
        kinds = unit.kinds_of_marks()
        named += (
            [first + place for place, kind in enumerate(kinds) if kind == NAMED] if NAMED in kinds else []
        )
        ends = [len(routines), unit.block_base + unit.blocks, first + len(kinds)]
    return {"routine tuples": routines, "units": units, "bases": bases, "ends": ends, "named": named}


def _positions(
    offsets: set[tuple[int, int]], routines: list[Routine], units: list[int]
) -> dict[str, list[int]]:
    """Where each exception's instruction ends: "routine:offset" → line, column (a large one before 3.11)."""
    result: dict[str, list[int]] = {}
    by_routine: dict[int, list[int]] = {}
    for number, offset in offsets:
        if offset >= 0:
            by_routine.setdefault(number, []).append(offset)
    for number, wanted in by_routine.items():
        routine = routines[number]
        code = UNITS.code_at(UNITS.units[units[number]].code_name, routine.first_line, routine.name)
        if code is None:
            continue
        if hasattr(code, "co_positions"):
            some = {offset // 2 for offset in wanted}
            positions = enumerate(islice(code.co_positions(), max(some) + 1))
            ends = {index: (end_line, end) for index, (_, end_line, _, end) in positions if index in some}
            for offset in wanted:
                end_line, end = ends.get(offset // 2, (None, None))
                if end_line is not None:
                    result[f"{number}:{offset}"] = [end_line, 1 << 30 if end is None else end]
        else:
            for start, end, line in code.co_lines():
                for offset in wanted:
                    if line is not None and start <= offset < end:
                        result[f"{number}:{offset}"] = [line, 1 << 30]
    return result
