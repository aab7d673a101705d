"""What a trace has stored, as it is: its tables, the arrays of the tree, events and rows of objects.

Opening reads the header and what concerns the run as a whole. Tables of a source file, long columns, events and objects
are read in parts, when they are asked for. Not here: what an object was like at a time, see `history`.
"""

from __future__ import annotations

import functools
import gc
from array import array
from collections import OrderedDict
from pathlib import Path
from typing import Any, NamedTuple
from collections.abc import Iterator

from algotrace.columns import Lists, Sorted, Stretches
from algotrace.content import COMPARING
from algotrace.marks import NEVER
from algotrace.reader import MISSING, Reader, Scalars
from algotrace.trace_file import (
    EVENTS_PER_PART,
    LONGEST,
    MISFITS,
    NUMBERS_PER_PART,
    ROWS_PER_PART,
    TraceError,
    reading,
)
from algotrace.unit_tables import Mark, UnitTables
from algotrace.wellformed import MOST_NODES, check_environment, check_tables, tree_checks

_CACHED_PARTS = 64
_CACHED_ROW_PARTS = 2048
_CACHED_ROWS = 200_000
_MOST_CUTS = 1000


class Source:
    """A file that ran; its text is read when somebody looks at it."""

    __slots__ = ("_number", "_reader", "_text", "path", "sha256")

    def __init__(self, reader: Reader, number: int, path: str, sha256: str) -> None:
        self._reader = reader
        self._number = number
        self._text: str | None = None
        self.path = path
        self.sha256 = sha256

    @property
    def text(self) -> str:
        if self._text is None:
            self._text = self._reader.source_text(self._number)
        return self._text


class Routine(NamedTuple):
    id: int
    source: int
    name: str
    qualname: str
    kind: str  # module, class, function, generator, coroutine, asyncgen, lambda (never a node)
    line: int
    column: int
    end_line: int
    body_line: int
    parameters: tuple[str, ...]
    parent: int  # the routine it is defined in


class Stored:
    """One recorded run, part by part. Not for use by several threads at once."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.path: Path = reader.path
        collects = gc.isenabled()
        gc.disable()  # tables of a large program are many objects, none of them garbage
        try:
            self._load()
        except MISFITS as error:
            reader.close()
            raise reader.damaged(f"its tables do not fit together ({type(error).__name__})") from error
        except TraceError:
            reader.close()
            raise
        finally:
            if collects:
                gc.enable()

    def close(self) -> None:
        self._reader.close()

    def _load(self) -> None:
        reader = self._reader
        self.environment: dict[str, Any] = reader.meta("environment")
        check_environment(self.environment)
        static = reader.static()
        self.sources = [Source(reader, *row) for row in reader.sources()]
        check_tables(static, len(self.sources))
        units = static["units"]
        self.routines = [
            Routine(number, units[number], r[0], r[1], r[2], r[3], r[4], r[5], r[6], tuple(r[8]), r[10])
            for number, r in enumerate(static["routines"])
        ]
        self._tables = UnitTables(reader, static["bases"], static["ends"])
        self.block_count: int = static["ends"][1]
        self.mark_count: int = static["ends"][2]
        self.named: list[int] = static["named"]  # marks of writes whose attribute is not in the text
        self.blocks, self.block_extents, self.marks = (
            self._tables.blocks,
            self._tables.extents,
            self._tables.marks,
        )
        self.blocks_of, self.marks_of = self._tables.blocks_of, self._tables.marks_of
        self.positions: dict[str, list[int]] = static["positions"]
        self.reasons: dict[str, str] = static["reasons"]
        self.modules: dict[str, dict[str, int]] = static["modules"]
        self._classes: dict[str, list[Any]] = static.get("classes", {})
        self._touched = {int(number): frozenset(names) for number, names in static.get("touched", {}).items()}
        self.classes_in_hand = frozenset[str](static.get("classes in hand", []))  # by name: of strangers
        self.comparing = COMPARING.union(static.get("comparing", []))  # names of functions
        self._touched_objects = frozenset[int](static.get("touched objects", []))
        self._kept_by_strangers, self._strangers_own = (
            frozenset[int](static.get(name, [])) for name in ("kept by strangers", "strangers' own")
        )
        changed = static.get("changed by operators", [[], []])  # of libraries
        self._attributes_changed, self._kinds_changed = map(frozenset[str], changed)
        self._views_passed_on: bool = static.get("views passed on", False) is True
        self._any_handed: bool = (
            static.get("any handed", False) is True
        )  # whether strangers were handed anything
        self._unfollowed: dict[int, int] = dict(
            static.get("unfollowed", [])
        )  # object → time, see `unfollowed`
        self._never_over: int = static.get("never over", NEVER)
        parts = static.get("streams", [])
        self._rounds: list[int] = static.get("rounds", [])
        self._part_starts, self._part_threads = [part[0] for part in parts], [part[1] for part in parts]
        self._one_thread = len(set(self._part_threads)) < 2
        self._unknown: int = static.get("unknown", 0)
        self._namespaces: dict[str, list[int]] = static.get("namespaces", {})
        self._printed_slot: int = static["printed slot"]
        self._slots_of_names: dict[tuple[int, str], int] = {
            (source, name): slot for slot, source, name in static["global slots"]
        }
        self.written_classes = frozenset[int](static["written classes"])
        self.types: list[list[Any]] = static["types"]
        self._shapes: list[list[Any]] = static["shapes"]
        self.first_object: int = static["first object"]  # codes of events below it are marks
        self._load_tree()
        self._event_parts: OrderedDict[int, array[int]] = OrderedDict()
        self._row_parts: OrderedDict[int, Scalars] = OrderedDict()
        self._rows: OrderedDict[int, Any] = OrderedDict()  # of other objects

    def _load_tree(self) -> None:
        # A node needs at least one event, and so does a write; the root is there without any.
        self._most = self._reader.most_events() + 1
        nodes = self._reader.meta("nodes")
        if type(nodes) is not int or not 0 < nodes <= min(self._most, MOST_NODES):
            raise ValueError
        checks = tree_checks(nodes, len(self.routines))
        self.parent, self.size, self.routine, self.start, self.end, self.outcome_kind = (
            self._reader.sequence(name, typecode, nodes, NUMBERS_PER_PART, checks[name])
            for name, typecode in (
                ("parent", "i"), ("size", "i"), ("routine", "i"), ("start", "I"), ("end", "I"), ("outcome", "b"),
            )
        )  # fmt: skip
        if not 0 <= self.end[0] < self._most:
            raise ValueError
        self.segments = self._lists("segments")
        self._yields = self._lists("yields")
        self._outcomes_elsewhere = self._lists(
            "outcomes"
        )  # than where the node ends: that time + 1, or 0 for none
        self.first_seen = Sorted(
            *(self._reader.numbers(f"first_seen_{what}", "I", self._most) for what in ("objects", "times"))
        )
        self._handed_back = tuple(
            self._reader.numbers(f"handed_back_{what}", "I", self._most) for what in ("objects", "times")
        )
        if len(set(map(len, self._handed_back))) != 1:
            raise ValueError
        self._strangers_ran = tuple(
            self._reader.numbers(f"strangers_ran_{what}", "I", self._most)
            for what in ("times", "marks", "since")
        )
        if len(set(map(len, self._strangers_ran))) != 1:
            raise ValueError
        self._unfollowed_times = self._reader.numbers("unfollowed_times", "I", self._most)

    def _lists(self, name: str) -> Lists:
        """node → times"""
        nodes, counts, times = (
            self._reader.numbers(f"{name}_{what}", "I", self._most) for what in ("nodes", "counts", "times")
        )
        return Lists(nodes, counts, times, pairs=name == "segments")

    @functools.cached_property
    def routines_at(self) -> dict[tuple[str, int, int], int]:
        """By name, line and source file."""
        return {(r.name, r.line, r.source): r.id for r in reversed(self.routines)}

    @functools.cached_property
    def sleepers(self) -> Stretches:
        """(start, end, node) of every stretch that an activation that slept was awake, in order."""
        return self.segments.stretches()

    def children(self, node: int) -> Iterator[int]:
        child, end = node + 1, node + self.size[node]
        while child < end:
            yield child
            child += self.size[child]

    # -- events and objects ----------------------------------------------------------------------------------------

    def event(self, time: int) -> int:
        """The code at one time: a mark's number, or an object's from `first object` on."""
        part = self._event_parts.get(time // EVENTS_PER_PART)
        if part is None:
            part = self._reader.events(time // EVENTS_PER_PART)
            remember(self._event_parts, time // EVENTS_PER_PART, part, _CACHED_PARTS)
        try:
            return part[time % EVENTS_PER_PART]
        except IndexError as error:
            raise self._reader.damaged("events are missing") from error

    def events_from(self, time: int) -> array[int]:
        """The part of the event stream that starts at `time`, a multiple of `EVENTS_PER_PART`."""
        self.event(time)
        return self._event_parts[time // EVENTS_PER_PART]

    @reading
    def marks_between(self, first: int, last: int) -> set[int]:
        """The numbers of the marks that stand between two times, both included."""
        found: set[int] = set()
        for start in range(first - first % EVENTS_PER_PART, last + 1, EVENTS_PER_PART):
            if start >= self.end[0]:
                break
            found.update(self.events_from(start)[max(first - start, 0) : last + 1 - start])
        return {code for code in found if code < self.first_object}

    def mark_at(self, time: int) -> Mark | None:
        code = self.event(time)
        return self.marks[code] if code < self.first_object else None

    def values_at(self, time: int, mark: Mark) -> list[int]:
        """The object numbers that follow a mark; fewer where the sequence was cut."""
        values = []
        for position in range(time + 1, min(time + 1 + mark.size, self.end[0])):
            code = self.event(position)
            if code < self.first_object:
                break
            values.append(code)
        return values

    def row(self, number: int) -> Any:
        """An object's row, see `objects`."""
        row = self._rows.get(number)
        if row is not None:
            return row
        index = number - self.first_object
        part_number = index // ROWS_PER_PART
        part = self._row_parts.get(part_number)
        if part is None:
            part = self._reader.rows(part_number)
            remember(self._row_parts, part_number, part, _CACHED_ROW_PARTS)
        try:
            row = part[index % ROWS_PER_PART]
        except IndexError as error:
            raise self._reader.damaged("objects are missing") from error
        if row is MISSING:
            row = self._joined(number, self._unjoined(number))
            remember(self._rows, number, row, _CACHED_ROWS)
        return row

    def _unjoined(self, number: int) -> Any:
        return self._reader.row(number - self.first_object, self._shapes, len(self.types))

    def _joined(self, number: int, row: Any) -> Any:
        """The row of a text that may be told by others, see `rows`."""
        cuts: list[Any] = []
        while type(row) is list and row[:1] == ["cut"]:
            if not self.first_object <= row[1] < number or len(cuts) > _MOST_CUTS:
                raise self._reader.damaged("a text is malformed")
            cuts.append(row)
            number = row[1]
            row = self._rows.get(number) or self._unjoined(number)
        if not cuts:
            return row
        if type(row) is not str and (type(row) is not list or row[:1] != ["bytes"]):
            raise self._reader.damaged("a text is malformed")
        text: str = row if type(row) is str else row[1]
        for _, _, start, stop, before, after in reversed(cuts):
            text = before + text[start:stop] + after
            if len(text) > LONGEST:
                raise self._reader.damaged("a text is malformed")
        return text if type(row) is str else ["bytes", text]

    def type_of(self, number: int) -> list[Any]:
        """[qualified name, module, whether it is the program's own, named fields: of defaultdicts `DEFAULTING`]"""
        return self.types[number]


def remember(cache: OrderedDict[Any, Any], key: Any, value: Any, limit: int) -> None:
    cache[key] = value
    if len(cache) > limit:
        cache.popitem(last=False)
