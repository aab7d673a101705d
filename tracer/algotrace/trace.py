"""Reading a trace: the execution tree, what each call was given and did, any value at any time, what code ran.

Opening reads the header, the static tables and the arrays of the tree; events and objects are read in parts, when
they are asked for. Nothing in a trace is executed. Every method may raise `TraceError` where the file is damaged.
"""

from __future__ import annotations

import functools
import gc
import hashlib
from array import array
from itertools import accumulate
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from pathlib import Path
from typing import Any, NamedTuple
from collections.abc import Iterator

from algotrace import executed as executed_code
from algotrace.bodies import changes_made, module_name
from algotrace.changes import Change
from algotrace.content import Content, Write, pairs_of, undo, undo_appends
from algotrace.defaulting import Insertions
from algotrace.marks import APPENDED, ENTER, NAMED, OUTCOME, PRINTED, RAISE, RETURN, WRITES, Range
from algotrace.planes import gather
from algotrace.own_values import OwnValue, own_values
from algotrace.printed import Printed, printed_by
from algotrace.lookups import Lookups
from algotrace.reads import Read, reads_of
from algotrace.running import Running
from algotrace.sharing import Shared, sharing_of
from algotrace.reader import MISSING, Reader
from algotrace.trace_file import EVENTS_PER_PART, MISFITS, ROWS_PER_PART, TraceError, reading
from algotrace.unread import Unread, unread_by
from algotrace.values import Raised, Text, Value, Yielded
from algotrace.wellformed import check_environment, check_lists, check_tables, check_tree

__all__ = [
    "Argument",
    "Call",
    "Change",
    "Outcome",
    "Printed",
    "Read",
    "Routine",
    "Shared",
    "Source",
    "Span",
    "Trace",
    "TraceError",
    "Value",
]

_CACHED_PARTS = 64
_CACHED_CONTENTS = 20_000
_MOST_WRITES = 2000  # looked at to tell what a call changed in one object
_ENDING = (0, 1)  # of them: an outcome where the call ends
_OUTCOMES = ("return", "raise", "yield", "unfinished")


class Source(NamedTuple):
    path: str
    text: str
    sha256: str


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


class Argument(NamedTuple):
    name: str
    value: Value


class Outcome(NamedTuple):
    kind: str  # return, raise, yield, unfinished
    value: Value | None


class Call(NamedTuple):
    node: int
    routine: Routine
    arguments: tuple[Argument, ...]
    outcome: Outcome
    changes: tuple[Change, ...]
    printed: Printed | None = None
    module: str = ""  # of the body of an imported module: its name


class Span(NamedTuple):
    """A piece of one physical line: lines from 1, columns from 0 in characters, the end exclusive."""

    source: int
    line: int
    col: int
    end_line: int
    end_col: int


class Mark(NamedTuple):
    """What a mark in the event stream stands for, as the trace's table has it."""

    kind: int
    size: int
    routine: int
    block: int
    tokened: bool
    at: Range | None
    label: str


class Trace:
    """One recorded run. Not for use by several threads at once."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.path = reader.path
        collects = gc.isenabled()
        gc.disable()  # tables of a large program are a million objects, none of them garbage: half of the time
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

    @classmethod
    def open(cls, path: str | Path) -> Trace:
        """Raises TraceError: no such file, not a trace, another version, damaged."""
        return cls(Reader(Path(path)))

    def close(self) -> None:
        self._reader.close()

    def _load(self) -> None:
        reader = self._reader
        self.environment: dict[str, Any] = reader.meta("environment")
        check_environment(self.environment)
        static = reader.static()
        self.sources = [Source(path, text, digest) for path, digest, text in reader.sources()]
        check_tables(static, len(self.sources))
        units = static["units"]
        self.routines = [
            Routine(number, units[number], r[0], r[1], r[2], r[3], r[4], r[5], r[6], tuple(r[8]), r[10])
            for number, r in enumerate(static["routines"])
        ]
        self.marks = [
            Mark(m[0], m[1], m[2], m[3], bool(m[4]), Range(*m[5]) if m[5] else None, m[6])
            for m in static["marks"]
        ]
        self.blocks = [executed_code.Block(*block) for block in static["blocks"]]
        self.block_extents = executed_code.extents(self.blocks)
        self.positions: dict[str, list[int]] = static["positions"]
        self.reasons: dict[str, str] = static["reasons"]
        self.modules: dict[str, dict[str, int]] = static["modules"]
        self._classes: dict[str, list[Any]] = static.get("classes", {})
        self.types: list[list[Any]] = static["types"]
        self._shapes: list[list[Any]] = static["shapes"]
        self.segments: dict[int, list[int]] = self._lists("segments")
        self.sleepers = sorted(  # (start, end, node) of every stretch that an activation that slept was awake
            (first, last, node)
            for node, times in self.segments.items()
            for first, last in zip(times[::2], times[1::2])
        )
        self._yields: dict[int, list[int]] = self._lists("yields")
        self.first_object: int = static["first object"]  # codes of events below it are marks
        # A node needs at least one event, and so does a write; the root is there without any.
        most = reader.most_events() + 1
        self.parent = reader.numbers("parent", "i", most)
        self.size = reader.numbers("size", "i", most)
        self.routine = reader.numbers("routine", "i", most)
        self.start = reader.numbers("start", "I", most)
        self.end = reader.numbers("end", "I", most)
        self.outcome_kind = reader.numbers("outcome", "b", most)
        self._outcomes_elsewhere = self._lists(
            "outcomes"
        )  # than where the node ends: that time + 1, or 0 for none
        arrays = (self.size, self.routine, self.start, self.end, self.outcome_kind)
        if not self.parent or any(len(numbers) != len(self.parent) for numbers in arrays):
            raise ValueError
        check_tree(self.parent, self.size, self.routine, self.outcome_kind, len(self.routines))
        if not 0 <= self.end[0] < most:
            raise ValueError
        self._write_times = reader.numbers("write_times", "I", most)
        self._written = reader.numbers("written", "I", most)
        self._last_reads: tuple[int, list[Read]] = (-1, [])
        self._last_unread: tuple[int, Unread | None] = (-1, None)
        self._known_insertions: dict[int, Insertions] = {}
        self._globals: dict[tuple[int, str], array[int]] | None = None
        self._print_times = array("q")
        first_seen = (reader.numbers(f"first_seen_{what}", "I", most) for what in ("objects", "times"))
        self.first_seen = dict(zip(*first_seen))
        self._event_parts: OrderedDict[int, array[int]] = OrderedDict()
        self._row_parts: OrderedDict[int, list[Any]] = OrderedDict()
        self._contents: OrderedDict[tuple[int, int], Content] = OrderedDict()
        self._identities: OrderedDict[tuple[int, int], Any] = OrderedDict()

    @functools.cached_property
    def _writes_by_object(self) -> tuple[array[int], array[int], array[int]]:
        """Objects, times and slots of all writes by object, then time. A slot is what is written of the object, 0 where
        a write concerns all of it."""
        most = self._reader.most_events() + 1
        objects, times, slots = (
            self._reader.numbers(name, "I", most)
            for name in ("write_objects", "object_write_times", "write_slots")
        )
        if not len(objects) == len(times) == len(slots):
            raise self._reader.damaged("writes are missing")
        if self._reader.parts("write_objects") > 1:  # each sorted by itself, one later than the other
            keys = objects.tolist()
            order = sorted(range(len(keys)), key=keys.__getitem__)
            objects, times, slots = (array("I", gather(column, order)) for column in (objects, times, slots))
        return objects, times, slots

    @property
    def _write_objects(self) -> array[int]:
        return self._writes_by_object[0]

    @property
    def _object_write_times(self) -> array[int]:
        return self._writes_by_object[1]

    @property
    def _write_slots(self) -> array[int]:
        return self._writes_by_object[2]

    def _lists(self, name: str) -> dict[int, list[int]]:
        """node → times"""
        most = self._reader.most_events() + 1
        nodes, counts, times = (
            self._reader.numbers(f"{name}_{what}", "I", most) for what in ("nodes", "counts", "times")
        )
        check_lists(nodes, counts, times, pairs=name == "segments")
        ends = list(accumulate(counts))
        return {node: times[end - count : end].tolist() for node, count, end in zip(nodes, counts, ends)}

    # -- events and objects ----------------------------------------------------------------------------------------

    def event(self, time: int) -> int:
        """The code at one time: a mark's number, or an object's from `first object` on."""
        part = self._event_parts.get(time // EVENTS_PER_PART)
        if part is None:
            part = self._reader.events(time // EVENTS_PER_PART)
            _remember(self._event_parts, time // EVENTS_PER_PART, part, _CACHED_PARTS)
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
        part_number, index = divmod(number - self.first_object, ROWS_PER_PART)
        part = self._row_parts.get(part_number)
        if part is None:
            part = self._reader.rows(part_number)
            _remember(self._row_parts, part_number, part, _CACHED_PARTS)
        if not 0 <= index < len(part):
            raise self._reader.damaged("objects are missing")
        row = part[index]
        if row is MISSING:
            row = part[index] = self._reader.row(number - self.first_object, self._shapes, len(self.types))
        return row

    def type_of(self, number: int) -> list[Any]:
        """[qualified name, module, whether it is the program's own, named fields]"""
        return self.types[number]

    @reading
    def content(self, number: int, time: int) -> Content:
        """The parts of a compound object at `time`: just before whatever happens then."""
        first = bisect_left(self._write_objects, number)
        last = bisect_right(self._write_objects, number)
        times = self._object_write_times
        later = bisect_left(times, time, first, last)
        key = (number, times[later] if later < last else 1 << 62)
        content = self._contents.get(key)
        if content is None:
            content = self._final_content(number)
            for position in self._writes_to_undo(later, last):
                if position < 0:
                    undo_appends(content, -position)
                else:
                    undo(content, self.write_at(times[position]), self.row, self.key_identity)
            if content.kind == "dict" and self._stores_defaults(number):
                content.certain &= self._insertions_known(number, content, time, first, last)
            _remember(self._contents, key, content, _CACHED_CONTENTS)
        return content

    def _writes_to_undo(self, first: int, last: int) -> Iterator[int]:
        """Positions of an object's writes, latest first; -n for n appends in a row.

        Of several writes to one slot, with none between that concerns all of the object, only the earliest matters.
        """
        slots = self._write_slots[first:last]
        end, appends = len(slots), 0
        for index in reversed([index for index, slot in enumerate(slots) if slot <= APPENDED]):
            if index + 1 < end and appends:
                yield -appends
                appends = 0
            yield from _earliest(slots, index + 1, end, first)
            end = index
            if slots[index] == APPENDED:
                appends += 1
                continue
            if appends:
                yield -appends
                appends = 0
            yield first + index
        if appends:
            yield -appends
        yield from _earliest(slots, 0, end, first)

    def _stores_defaults(self, number: int) -> bool:
        return self.type_of(self.row(number)[1])[:2] == ["defaultdict", "collections"]

    def _insertions_known(self, number: int, content: Content, time: int, first: int, last: int) -> bool:
        """Whether each key was surely there; merely reading a defaultdict's item may put one there."""
        known = self._known_insertions.get(number)
        if known is None:
            times = list(self._object_write_times[first:last])
            known = self._known_insertions[number] = Insertions(self, times)
        return known.known(content, time)

    def write_at(self, time: int) -> Write:
        mark = self.mark_at(time)
        if mark is None or mark.kind not in WRITES:
            raise self._reader.damaged("a write is missing")
        target = self._written[bisect_left(self._write_times, time)]
        values = self.values_at(time, mark)
        detail = self.row(values[1]) if mark.kind == NAMED else mark.label.partition("\t")[2]
        return Write(time, mark.kind, detail, values, target)

    def value_at(self, number: int, time: int) -> Value:
        """An object as it was at one time."""
        return Value(self, number, time)

    def own_events(self, node: int) -> Iterator[tuple[int, Mark | None, list[int]]]:
        """(time, mark, the object numbers that follow it) of the node itself, callees left out; (time, None, [number])
        for a value that fills the next slot of the block under way."""
        with self._reader.reading():
            for time, mark, number in executed_code.own_events(self, node):
                yield time, mark, [number] if mark is None else self.values_at(time, mark)

    def own_values(self, node: int) -> Iterator[OwnValue]:
        """What the node's names were bound to and its calls gave, in order; see `own_values`."""
        with self._reader.reading():
            yield from own_values(self, node)

    @reading
    def globals_at(self, source: int, name: str, time: int) -> int | None:
        """The object that a module's name was last bound to before `time`, as far as its own code did it."""
        positions, times = self._global_writes().get((source, name), ()), self._object_write_times
        at = bisect_left(positions, time, key=times.__getitem__) if positions else 0
        if not at:
            return None
        mark = self.mark_at(times[positions[at - 1]])
        values = self.values_at(times[positions[at - 1]], mark) if mark is not None else []
        return values[-1] if values else None

    def binds_global(self, source: int, name: str) -> bool:
        """Whether a binding of a module's name was recorded."""
        return (source, name) in self._global_writes()

    def is_rebound(self, source: int, name: str) -> bool:
        """Whether a module's name was bound to more than one object, as far as its own code did it."""
        numbers = set()
        for position in self._global_writes().get((source, name), ()):
            time = self._object_write_times[position]
            mark = self.mark_at(time)
            if mark is not None and (values := self.values_at(time, mark)):
                numbers.add(values[-1])
                if len(numbers) > 1:
                    return True
        return False

    @property
    def print_times(self) -> array[int]:
        """When something was printed."""
        self._global_writes()
        return self._print_times

    def _global_writes(self) -> dict[tuple[int, str], array[int]]:
        """(source, name) → positions of the writes to a module's name."""
        if self._globals is None:
            by_slot: dict[int, array[int]] = {}
            for position in range(bisect_right(self._write_objects, 0)):  # names are written to no object
                by_slot.setdefault(self._write_slots[position], array("q")).append(position)
            self._globals = {}
            for slot, positions in by_slot.items():
                mark = self.mark_at(self._object_write_times[positions[0]])
                if mark is not None and mark.kind == PRINTED:
                    self._print_times = array("q", map(self._object_write_times.__getitem__, positions))
                elif slot > APPENDED and mark is not None:
                    source = self.routines[mark.routine].source
                    self._globals[source, mark.label.partition(" ")[2]] = positions
        return self._globals

    def written_in(self, intervals: list[tuple[int, int]]) -> list[int]:
        """The objects written in some intervals (both ends included), in order of the first write; 0 stands for names."""
        found: dict[int, None] = {}
        for first, last in intervals:
            start, end = bisect_left(self._write_times, first), bisect_right(self._write_times, last)
            found.update(dict.fromkeys(self._written[start:end]))
        return list(found)

    def first_writes(self, number: int, intervals: list[tuple[int, int]]) -> list[Write]:
        """Of an object's writes in some intervals the first to each slot, and those that concern all of it.

        Of the latter at most `_MOST_WRITES`, first and last ones.
        """
        times, positions = self._object_write_times, []
        seen: set[int] = set()
        for start, end in self._positions_in(number, intervals):
            slots = self._write_slots[start:end]
            whole = [start + index for index, slot in enumerate(slots) if not slot] if 0 in slots else []
            earliest = dict(zip(reversed(slots), range(end - 1, start - 1, -1)))
            earliest.pop(0, None)
            positions += [*whole, *(position for slot, position in earliest.items() if slot not in seen)]
            seen.update(earliest)
        positions.sort()
        if len(positions) > _MOST_WRITES:
            positions = positions[: _MOST_WRITES // 2] + positions[-_MOST_WRITES // 2 :]
        return [self.write_at(times[position]) for position in positions]

    def last_writes(self, number: int, intervals: list[tuple[int, int]]) -> list[Write]:
        """Of an object's writes in some intervals the last to each slot."""
        latest: dict[int, int] = {}
        for start, end in self._positions_in(number, intervals):
            latest.update(zip(self._write_slots[start:end], range(start, end)))
        latest.pop(0, None)
        return [self.write_at(self._object_write_times[position]) for position in sorted(latest.values())]

    def _positions_in(self, number: int, intervals: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        low, high = bisect_left(self._write_objects, number), bisect_right(self._write_objects, number)
        times = self._object_write_times
        for first, last in intervals:
            yield bisect_left(times, first, low, high), bisect_right(times, last, low, high)

    def _final_content(self, number: int) -> Content:
        row = self.row(number)
        if type(row) is not list:  # a number or a text was about to be changed, which failed
            return Content("scalar")
        kind = row[0]
        content = Content(kind)
        if kind == "large":
            content.certain = False
            return content
        if kind == "bytearray":
            content.text = row[1]
            return content
        if kind == "class":
            names = self._classes.get(str(number), [])
            content.attributes = dict(zip(names[::2], names[1::2]))
            content.certain = str(number) in self._classes  # not of one that was gone before the end
            return content
        if kind == "dict":
            content.pairs = pairs_of(row[2], self.key_identity)
        elif kind in ("set", "frozenset"):
            content.pairs = {self.key_identity(member): (member, member) for member in row[2]}
        elif kind != "based":
            content.items = list(row[2])
        if kind == "deque" and len(row) > 4:
            content.most = row[4]
        if len(row) > 3:
            names = row[3]
            content.attributes = dict(zip(names[::2], names[1::2]))
        return content

    def key_identity(self, number: int, depth: int = 0) -> Any:
        """What a dict tells keys apart by, as far as it is known without running the program's code."""
        row = self.row(number)
        if type(row) is not list:
            return row
        if row[0] == "tuple" and depth < 20:
            # A digest: equal tuples may share their parts so often that comparing them would take for ever.
            key = (number, depth)
            identity = self._identities.get(key)
            if identity is None:
                parts = [_as_number(self.key_identity(part, depth + 1)) for part in row[2]]
                text = repr(parts).encode(errors="surrogatepass")
                identity = ("tuple", hashlib.blake2b(text, digest_size=16).digest())
                _remember(self._identities, key, identity, _CACHED_CONTENTS)
            return identity
        if row[0] in ("bytes", "complex", "huge", "textual"):
            return ("value", *(str(part) for part in row))
        return ("object", number)

    def value(self, ref: str) -> Value:
        """The value a `ref` names. Raises KeyError where there is none."""
        try:
            if ref == "none":
                return NoneValue(self)
            if ref.startswith("yield:"):
                node = int(ref[6:])
                outcome = self._outcome(node)
                if node < 0 or outcome.value is None:
                    raise KeyError(ref)
                return outcome.value
            if ref.startswith("raise:"):
                return self._raised(int(ref[6:]))
            number, _, time = ref.partition("@")
            value = Value(self, int(number), int(time))
            self.row(int(number))
            return value
        except (*MISFITS, TraceError) as error:
            raise KeyError(ref) from error

    # -- calls -------------------------------------------------------------------------------------------------------

    def children(self, node: int) -> Iterator[int]:
        child, end = node + 1, node + self.size[node]
        while child < end:
            yield child
            child += self.size[child]

    def call(self, node: int) -> Call:
        """What a question about `node` shows. Raises KeyError where there is no such node."""
        if not 0 <= node < len(self.parent):
            raise KeyError(node)
        return self._call(node)

    @reading
    def _call(self, node: int) -> Call:
        routine = self.routines[self.routine[node]]
        return Call(
            node,
            routine,
            self.arguments(node),
            self._outcome(node),
            tuple(changes_made(self, node)),
            printed_by(self, node),
            module_name(self, node),
        )

    @functools.cached_property
    def lookups(self) -> Lookups:
        """What is looked up in all of the trace, for `reads`."""
        return Lookups(self)

    def write_marks(self) -> Iterator[tuple[int, int]]:
        """(time, number of its mark) of every write, in order of time."""
        times = self._write_times
        position = 0
        while position < len(times):
            first = times[position] - times[position] % EVENTS_PER_PART
            end = bisect_left(times, first + EVENTS_PER_PART, position)
            part = self.events_from(first)
            for time in times[position:end]:
                if time - first >= len(part):
                    raise self._reader.damaged("events are missing")
                yield time, part[time - first]
            position = end

    def _outcome_at(self, node: int) -> int:
        """The time of a node's outcome; -1 for none."""
        elsewhere = self._outcomes_elsewhere.get(node)
        if elsewhere is not None:
            return elsewhere[0] - 1
        return self.end[node] if self.outcome_kind[node] in _ENDING else -1

    def outcome_object(self, node: int) -> int | None:
        """The object that a call returned; None where it returned none."""
        at = self._outcome_at(node)
        mark = self.mark_at(at) if at >= 0 else None
        if mark is None or mark.kind not in (RETURN, OUTCOME):
            return None
        values = self.values_at(at, mark)
        return values[-1] if values else None

    @reading
    def reads(self, node: int) -> list[Read]:
        """What a call, and all it called, read besides its arguments; see `reads`."""
        if self._last_reads[0] != node:  # one question asks for them several times
            self._last_reads = (node, reads_of(self, node))
        return self._last_reads[1]

    @reading
    def sharing(self, node: int) -> list[Shared]:
        """Which of the containers that a question about a call shows are one object; see `sharing`."""
        return sharing_of(self, node)

    @reading
    def unread(self, node: int) -> Unread | None:
        """What of its inputs a call surely did not look at; see `unread`. None where that cannot be told."""
        if self._last_unread[0] != node:
            self._last_unread = (node, unread_by(self, node) if node else None)
        return self._last_unread[1]

    def is_written(self, number: int) -> bool:
        """Whether anything of an object was ever changed after it was made."""
        position = bisect_left(self._write_objects, number)
        return position < len(self._write_objects) and self._write_objects[position] == number

    @reading
    def call_outcome(self, node: int) -> Outcome:
        return self._outcome(node)

    @reading
    def node_at(self, time: int) -> int:
        """The innermost node running at `time`."""
        return self._running.at(time)

    @functools.cached_property
    def _running(self) -> Running:
        return Running(self)

    @reading
    def outcome(self, node: int) -> Outcome:
        """What came of a call; `call` has it too, with all else."""
        return self._outcome(node)

    @reading
    def arguments(self, node: int) -> tuple[Argument, ...]:
        start = self.start[node]
        mark = self.mark_at(start) if node else None
        if mark is None or mark.kind != ENTER:
            return ()
        values = self.values_at(start, mark)[1 if mark.tokened else 0 :]
        names = self.routines[self.routine[node]].parameters
        return tuple(Argument(name, Value(self, number, start)) for name, number in zip(names, values))

    def _outcome(self, node: int) -> Outcome:
        kind = _OUTCOMES[self.outcome_kind[node]]
        at = self._outcome_at(node)
        yields = self._yields.get(node)
        if yields is not None and kind in ("return", "yield", "unfinished"):
            pairs = [(values[0], time) for time in yields if (values := self._values_of(time))]
            return Outcome("yield", Yielded(self, pairs, self.end[node], f"yield:{node}"))
        if at < 0:
            return Outcome(kind, None)
        if kind == "raise":
            try:
                return Outcome(kind, self._raised(at))
            except KeyError:  # at the recursion limit not even the exception could be noted
                return Outcome(kind, None)
        mark = self.mark_at(at)
        if mark is not None and mark.kind in (RETURN, OUTCOME) and (values := self.values_at(at, mark)):
            return Outcome(kind, Value(self, values[-1], self.end[node]))
        return Outcome(kind, NoneValue(self))

    def _values_of(self, time: int) -> list[int]:
        mark = self.mark_at(time)
        return self.values_at(time, mark) if mark is not None else []

    def _raised(self, time: int) -> Value:
        mark = self.mark_at(time)
        if mark is None or mark.kind != RAISE:
            raise KeyError(time)
        values = self.values_at(time, mark)[1 if mark.tokened else 0 :]
        if len(values) < 2:
            raise KeyError(time)
        return Raised(self, values[0], values[1], time, f"raise:{time}")

    # -- code --------------------------------------------------------------------------------------------------------

    @reading
    def executed(self, node: int) -> list[Span]:
        """The code that `node` executed itself, not its children (Lemma 1 of *Algorithmic debugging generalized*)."""
        return [
            Span(self.routines[self.blocks[block].routine].source, *span)
            for block, span in executed_code.executed_spans(self, node)
        ]


class NoneValue(Value):
    """None, where a call returned without a value: no object in the trace stands for it."""

    __slots__ = ()

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace, -1, 0, "none")

    def _row(self) -> Any:
        return None

    def text(self, limit: int = 200, without: Unread | None = None) -> Text:
        return Text("None", True)

    def key(self) -> bytes:
        return b"none"


def _earliest(slots: array[int], start: int, end: int, offset: int) -> list[int]:
    """Positions of the first write to each slot in a stretch, latest first."""
    earliest = dict(zip(reversed(slots[start:end]), range(offset + end - 1, offset + start - 1, -1)))
    return sorted(earliest.values(), reverse=True)


def _as_number(identity: Any) -> Any:
    """1, 1.0 and True are one key."""
    if type(identity) is bool or (type(identity) is float and identity.is_integer()):
        return int(identity)
    return identity


def _remember(cache: OrderedDict[Any, Any], key: Any, value: Any, limit: int) -> None:
    cache[key] = value
    if len(cache) > limit:
        cache.popitem(last=False)
