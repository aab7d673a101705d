"""What a reader of a trace relies on, checked once: shapes of tables and rows, and that trees are trees.

A trace may come from a stranger or be damaged. After these checks no loop over it is endless and no number in it asks
for more memory than the file's own size is worth. Columns are checked in C loops: opening a trace stays fast. Not
here: whether what a trace says is true, and single numbers that lead nowhere, which are found where they are used.
"""

from __future__ import annotations

from array import array
from itertools import chain, count
from operator import add, le, lt
from typing import Any
from collections.abc import Callable, Iterable, Sequence, Set

from algotrace.trace_file import FIRST_OBJECT

MOST_NODES = 1 << 28
_MOST_VALUES = 1 << 12  # after one mark
_FAR = 1 << 31

_INTEGER, _TEXT, _LIST, _FLAG = {int}, {str}, {list}, {bool, int}
_CONTAINERS = frozenset({"list", "tuple", "dict", "set", "frozenset", "deque", "instance", "exception"})
_SHAPED = _CONTAINERS | {"method", "based"}
_OTHERS: dict[str, tuple[type | tuple[type, ...], ...]] = {
    "huge": (str,), "large": (str, str, int, str), "complex": ((float, int), (float, int)), "bytes": (str,), "bytearray": (str,), "absent": (), "unknown": (),
    "function": (str, str, str, int), "class": (str, str), "module": (str,), "method": (int, int), "generator": (int, str),
    "cut": (int, int, int, str, str), "textual": (int, str), "opaque": (int, str), "based": (int, int, list),
}  # fmt: skip


def check_environment(environment: Any) -> None:
    _require(type(environment) is dict)
    exit_info = environment.get("exit", {})
    _require(type(exit_info) is dict and type(exit_info.get("kind", "")) is str)
    _require(type(environment.get("notes", [])) is list)


def check_tables(static: Any, sources: int) -> None:
    """The tables that hold for the whole run, as parsed from JSON. Raises ValueError."""
    routines = static["routines"]
    columns = _columns(routines, 11)
    _typed(columns[:3], _TEXT)
    _typed([*columns[3:8], columns[9], columns[10]], _INTEGER)
    _typed(columns[8:9], _LIST)
    _typed([chain.from_iterable(columns[8])] if columns else [], _TEXT)
    _within(chain.from_iterable(columns[3:8]), 0, _FAR)
    _outer(columns[10] if columns else ())
    _require(type(static["units"]) is list and len(static["units"]) == len(routines))
    _typed([static["units"]], _INTEGER)
    _within(static["units"], 0, max(sources, 1))
    bases, ends = static["bases"], static["ends"]
    _require(type(bases) is list and type(ends) is list and len(bases) == sources)
    _integers([*bases, ends], 3)
    for before, after in zip([[0, 0, 0], *bases], [*bases, ends]):
        _require(all(map(le, before, after)))
    _require(ends[0] <= len(routines) and max(ends[1:]) <= FIRST_OBJECT)
    _require(type(static["named"]) is list)
    _typed([static["named"]], _INTEGER)
    _within(static["named"], 0, ends[2])
    _require(static["first object"] == FIRST_OBJECT)
    columns = _columns(static["types"], 4)
    _typed(columns[:2], _TEXT)
    fields = [names for names in (columns[3] if columns else ()) if names is not None]
    _typed([fields], _LIST)
    _typed([chain.from_iterable(fields)], _TEXT)
    _check_shapes(static["shapes"], len(static["types"]))
    positions = static["positions"]
    _require(type(positions) is dict)
    _typed([positions.values()], _LIST)
    _integers(positions.values(), 2)
    _require(type(static["reasons"]) is dict and type(static["modules"]) is dict)
    _typed([static["reasons"].values()], _TEXT)
    _require(type(static.get("classes", {})) is dict)
    for names in static.get("classes", {}).values():
        _require(type(names) is list)
        _typed([names[::2]], _TEXT)
        _typed([names[1::2]], _INTEGER)
    _require(type(static["printed slot"]) is int)
    columns = _columns(static["global slots"], 3)
    if columns:
        _typed(columns[:2], _INTEGER)
        _typed(columns[2:3], _TEXT)
    _require(type(static["written classes"]) is list)
    _typed([static["written classes"]], _INTEGER)
    _require(type(static.get("unknown", 0)) is int)
    rounds, parts = static.get("rounds", []), static.get("streams", [])
    _typed([[rounds, parts]], _LIST)
    _typed([rounds], _INTEGER)
    _integers(parts, 2)
    touched = static.get("touched", {})
    objects = [static.get(name, []) for name in ("touched objects", "kept by strangers", "strangers' own")]
    _require(type(touched) is dict)
    _typed([touched.values(), objects], _LIST)
    _typed([chain.from_iterable(touched.values())], _TEXT)
    _typed(objects, _INTEGER)
    changed = static.get("changed by operators", [[], []])
    _typed([[changed], changed], _LIST)
    _require(len(changed) == 2)
    _typed(changed, _TEXT)
    for names in static.get("classes in hand", []), static.get("comparing", []):
        _typed([[names]], _LIST)
        _typed([names], _TEXT)
    _integers(static.get("unfollowed", []), 2)
    _require(type(static.get("never over", 0)) is int)
    _require(type(static.get("namespaces", {})) is dict)
    for numbers in static.get("namespaces", {}).values():
        _require(type(numbers) is list)
        _typed([numbers], _INTEGER)
    for namespace in static["modules"].values():
        _require(type(namespace) is dict)
        _typed([namespace.values()], _INTEGER)


def check_unit(tables: Any, counts: list[int]) -> tuple[list[Any], list[Any]]:
    """The blocks and marks of a file, in its own numbers; `counts` of its routines, blocks and marks."""
    _require(type(tables) is list and len(tables) == 2)
    blocks, marks = tables
    columns = _columns(blocks, 9)
    _require(len(blocks) == counts[1])
    if columns:
        _typed([columns[0], columns[1], columns[6]], _INTEGER)
        _typed([columns[2], columns[4]], _TEXT)
        _typed([columns[3], columns[5]], _LIST)
        _within(columns[0], 0, counts[0])
        _outer(columns[1])
        _within(columns[6], -1, counts[1])
        _integers(columns[5], 2)
        spans = list(chain.from_iterable(columns[3]))
        _typed([spans], _LIST)
        _integers(spans, 4)
        places = [place for place in columns[7] if place is not None]
        _typed([places, columns[8]], _LIST)
        _integers(places, 4)
        slots = _columns(list(chain.from_iterable(columns[8])), 3)
        if slots:
            _typed(slots[:2], _TEXT)
            _typed(slots[2:], _LIST)
            _integers(slots[2], 4)
    columns = _columns(marks, 7)
    _require(len(marks) == counts[2])
    if columns:
        _typed(columns[:4], _INTEGER)
        _typed(columns[4:5], _FLAG)
        _typed(columns[6:7], _TEXT)
        _within(columns[1], 0, _MOST_VALUES)
        _within(columns[2], 0, counts[0])
        _within(columns[3], -1, max(counts[1], 1))
        ranges = [place for place in columns[5] if place is not None]
        _typed([ranges], _LIST)
        _integers(ranges, 4)
    return blocks, marks


def _check_shapes(shapes: Any, types: int) -> None:
    """What rows have in common, see `rows`."""
    columns = _columns(shapes, 4)
    if not columns:
        return
    _within((cls for cls in columns[1] if cls is not None), 0, types)
    for kind, cls, names, most in shapes:
        _require(kind in _SHAPED and (cls is None) == (kind == "method"))
        _require(most is None or type(most) is int)
        _require(names is None or type(names) is list)
        _typed([names or ()], _TEXT)


Check = Callable[["array[int]", int], None]
"""Of a part of a column and its first place: raises ValueError where a reader could not rely on it."""


def tree_checks(nodes: int, routines: int) -> dict[str, Check]:
    """By column. Parents come before their children and subtrees end where the tree does: walks in both directions end."""

    def parent(numbers: array[int], first: int) -> None:
        _require(all(map(lt, numbers, count(first))))
        _require(numbers[0] == -1 if first == 0 else numbers[0] >= 0)
        _require(len(numbers) < 2 or min(memoryview(numbers)[1:]) >= 0)

    def size(numbers: array[int], first: int) -> None:
        _require(min(numbers) >= 1 and max(map(add, numbers, count(first))) <= nodes)
        _require(first > 0 or numbers[0] == nodes)

    def routine(numbers: array[int], first: int) -> None:
        _within(numbers, 0, routines)

    def outcome(numbers: array[int], first: int) -> None:
        _within(numbers, 0, 4)

    def nothing(numbers: array[int], first: int) -> None:
        return

    return {
        "parent": parent, "size": size, "routine": routine, "outcome": outcome, "start": nothing, "end": nothing,
    }  # fmt: skip


def check_rows(rows: list[Any], types: int) -> None:
    """Object rows, see `objects`."""
    for row in rows:
        if type(row) is not list:
            _require(row is None or type(row) in (int, str, float, bool))
            continue
        kind = row[0]
        if kind in _CONTAINERS:
            _require(2 < len(row) < 6 and type(row[1]) is int and 0 <= row[1] < types)
            _require(type(row[2]) is list)
            _typed([row[2]], _INTEGER)
            _require(kind != "dict" or len(row[2]) % 2 == 0)
            if len(row) > 3:
                _check_attributes(row[3])
            _require(len(row) < 5 or type(row[4]) is int)
            continue
        shape = _OTHERS[kind]
        _require(len(row) == len(shape) + 1 or (kind == "based" and len(row) == 4))
        _require(all(isinstance(part, wanted) for part, wanted in zip(row[1:], shape)))
        if kind in ("generator", "textual", "opaque", "based"):
            _require(0 <= row[1] < types)
        if kind == "based":
            _check_attributes(row[3])


def _check_attributes(names: Any) -> None:
    _require(type(names) is list and len(names) % 2 == 0)
    _typed([names[::2]], _TEXT)
    _typed([names[1::2]], _INTEGER)


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError("malformed")


def _columns(rows: Any, width: int) -> list[tuple[Any, ...]]:
    """The columns of a table whose rows all have at least `width` cells; none where the table is empty."""
    _require(type(rows) is list)
    _typed([rows], _LIST)
    if not rows:
        return []
    _require(min(map(len, rows)) >= width)
    return list(zip(*rows))


def _typed(columns: Iterable[Iterable[Any]], allowed: Set[type]) -> None:
    for column in columns:
        _require(set(map(type, column)) <= allowed)


def _within(numbers: Iterable[int], least: int, end: int) -> None:
    found = set(numbers)
    _require(not found or (min(found) >= least and max(found) < end))


def _integers(lists: Iterable[list[Any]], width: int | None) -> None:
    if width is not None:
        _require(set(map(len, lists)) <= {width})
    _typed([chain.from_iterable(lists)], _INTEGER)


def _outer(numbers: Sequence[int]) -> None:
    """What each entry lies in: an entry before it, or -1 for nothing."""
    _require(all(map(lt, numbers, count())) and (not numbers or min(numbers) >= -1))
