"""What the objects of a trace were like at any time, as far as its writes tell: their final content, with the writes that came
later undone. Also which writes there were, to what and when.

Not here: whether that is certain, see `history`, and values as they are shown, see `values`.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
from array import array
from bisect import bisect_left
from collections import OrderedDict
from typing import Any
from collections.abc import Iterator

from algotrace.checkpoints import Checkpoints
from algotrace.columns import first_after, first_from
from algotrace.content import DEFAULTING, Content, Write, pairs_of, undo, undo_appends
from algotrace.defaulting import Insertions
from algotrace.key_order import KeyOrder
from algotrace.marks import APPEND, ATTRIBUTE, ATTRIBUTE_NEW, MADE_AGAIN, NAMED, WHOLE, WRITES
from algotrace.reader import Reader
from algotrace.running import Running
from algotrace.stored import Stored, remember
from algotrace.trace_file import EVENTS_PER_PART, WRITES_PER_PART
from algotrace.write_index import ObjectWrites, WriteIndex

_NO_PARTS = frozenset(
    {"module", "function", "method", "textual", "opaque", "generator", "unknown", "absent", "bytes"}
)
CACHED_CONTENTS = 20_000
_CACHED_ORDERS = 2000
_MOST_WRITES = 2000  # looked at to tell what a call changed in one object


class Written(Stored):
    """The states of one run, by its writes."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader)
        self._known_insertions: dict[int, Insertions] = {}
        self._key_orders: OrderedDict[int, KeyOrder] = OrderedDict()
        self._identities: OrderedDict[tuple[int, int], Any] = OrderedDict()

    def _load_tree(self) -> None:
        super()._load_tree()
        writes = self._reader.meta("writes")
        if type(writes) is not int or not 0 <= writes <= self._most:
            raise ValueError
        self._write_times, self._written = (
            self._reader.sequence(name, "I", writes, WRITES_PER_PART) for name in ("write_times", "written")
        )

    @functools.cached_property
    def _write_index(self) -> WriteIndex:
        def load(name: str, run: int) -> array[int]:
            return self._reader.column(name, "I", run, WRITES_PER_PART)

        with self._reader.reading():
            return WriteIndex(load, self._reader.parts("write_objects"), WRITES_PER_PART)

    def writes_of(self, number: int) -> ObjectWrites:
        """An object's writes, in order of time; those to names come under 0."""
        return self._write_index.of(number)

    def objects_written(self) -> list[int]:
        """All that were written to; names come under 0."""
        return self._write_index.objects()

    def _before(self, number: int, writes: ObjectWrites, later: int) -> Content:
        """The content before the write at a position, as far as writes tell."""
        content = self._checkpoints.before(number, writes, later)
        if content is None:
            content = self.final_content(number)
            self._take_back(content, number, writes, later, len(writes))
        keys = None
        if content.kind == "dict" and self.makes_defaults(number):
            keys = list(self.final_content(number).pairs)
        if keys is not None:
            since = writes.times[later - 1] + 1 if later else 0  # from then on it is like this
            content.certain &= self._insertions(number, writes).settle(content, keys, since)
        if content.kind == "dict" and later < len(writes):
            content.certain &= self._key_order(number, writes).settle(content, later)
        return content

    def _take_back(self, content: Content, number: int, writes: ObjectWrites, first: int, end: int) -> bool:
        """Undo the writes between two positions, as far as they tell; whether none to a slot made something come back."""
        is_whole, times, slots = True, writes.times, writes.slots
        for position in writes.to_undo(first, end):
            if position < 0:
                undo_appends(content, -position)
                continue
            size = len(content.pairs) + len(content.attributes)
            write = self._write_to(number, times[position])
            undo(content, write, self.row, self.key_identity)
            if write.kind == ATTRIBUTE_NEW and writes.last_of(slots[position], position) >= 0:
                content.certain = False  # it was not new, and nobody has told what it had
            if slots[position] != WHOLE and len(content.pairs) + len(content.attributes) > size:
                is_whole = False
        return is_whole

    @functools.cached_property
    def _checkpoints(self) -> Checkpoints:
        return Checkpoints(self.final_content, self._take_back)

    def node_at(self, time: int) -> int:
        """The innermost node running at `time`."""
        return self._running.at(time)

    @functools.cached_property
    def _running(self) -> Running:
        return Running(self)

    def makes_defaults(self, number: int) -> bool:
        """Whether a dict asks a function for items that are not there."""
        return bool(self.type_of(self.row(number)[1])[3] == [DEFAULTING])

    def _insertions(self, number: int, writes: ObjectWrites) -> Insertions:
        """What writes tell about a defaultdict's keys; merely reading an item may put one there."""
        known = self._known_insertions.get(number)
        if known is None:
            known = self._known_insertions[number] = Insertions(self, writes.times)
        return known

    def _key_order(self, number: int, writes: ObjectWrites) -> KeyOrder:
        known = self._key_orders.get(number)
        if known is None:
            known = KeyOrder(self, writes)
            remember(self._key_orders, number, known, _CACHED_ORDERS)
        return known

    def write_at(self, time: int) -> Write:
        return self._write_to(self._written[first_from(self._write_times, time)], time)

    def _write_to(self, target: int, time: int) -> Write:
        mark = self.mark_at(time)
        if mark is None or mark.kind not in WRITES:
            raise self._reader.damaged("a write is missing")
        values = self.values_at(time, mark)
        if mark.kind == APPEND and time + 2 < self.end[0] and self.mark_at(time + 2) is None:
            values.append(self.event(time + 2))  # what it gave: it has not failed
        detail = self.row(values[1]) if mark.kind == NAMED else mark.label.partition("\t")[2]
        write = Write(time, mark.kind, detail, values, target)
        return self._of_made_again(write) if mark.kind == ATTRIBUTE_NEW else write

    def _of_made_again(self, write: Write) -> Write:
        """In `__init__` an object is taken for new; what one that is made again had is noted before that."""
        writes = self.writes_of(write.target)
        position = bisect_left(writes.times, write.time)
        before = writes.last_of(writes.slots[position], position)
        mark = self.mark_at(writes.times[before]) if before >= 0 else None
        if mark is None or mark.kind != NAMED or mark.label.partition("\t")[2] != MADE_AGAIN:
            return write
        old = self.values_at(writes.times[before], mark)[-1]
        return write._replace(kind=ATTRIBUTE, values=[write.target, old])

    def written_in(self, intervals: list[tuple[int, int]]) -> list[int]:
        """The objects written in some intervals (both ends included), in order of the first write; 0 stands for names."""
        found: dict[int, None] = {}
        for first, last in intervals:
            start, end = first_from(self._write_times, first), first_after(self._write_times, last)
            found.update(dict.fromkeys(self._written[start:end]))
        return list(found)

    def few_written_in(self, first: int, end: int, most: int) -> set[int] | None:
        """The objects written from one time up to another; None where that was more often than `most`."""
        start, stop = first_from(self._write_times, first), first_from(self._write_times, end)
        return None if stop - start > most else set(self._written[start:stop])

    def first_writes(self, number: int, intervals: list[tuple[int, int]]) -> list[Write]:
        """Of an object's writes in some intervals the first to each slot, and those that concern all of it.

        Of the latter at most `_MOST_WRITES`, first and last ones.
        """
        writes = self.writes_of(number)
        positions: list[int] = []
        seen: set[int] = set()
        for first, last in intervals:
            start, end = writes.between(first, last)
            if start == end:
                continue
            earliest = writes.earliest(start, end)
            whole = writes.wholes(start, end) if earliest.pop(WHOLE, None) is not None else []
            positions += [*whole, *(position for slot, position in earliest.items() if slot not in seen)]
            seen.update(earliest)
        positions.sort()
        if len(positions) > _MOST_WRITES:
            positions = positions[: _MOST_WRITES // 2] + positions[-_MOST_WRITES // 2 :]
        return [self.write_at(writes.times[position]) for position in positions]

    def writes_in(self, number: int, intervals: list[tuple[int, int]]) -> Iterator[Write]:
        """An object's writes in some intervals, in order of time; at most `_MOST_WRITES`."""
        writes = self.writes_of(number)
        spans = (range(*writes.between(first, last)) for first, last in intervals)
        positions = itertools.islice(itertools.chain.from_iterable(spans), _MOST_WRITES)
        return (self.write_at(writes.times[position]) for position in positions)

    def last_writes(self, number: int, intervals: list[tuple[int, int]]) -> list[Write]:
        """Of an object's writes in some intervals the last to each slot."""
        writes = self.writes_of(number)
        latest: dict[int, int] = {}
        for first, last in intervals:
            start, end = writes.between(first, last)
            if start < end:
                latest.update(writes.latest(start, end))
        latest.pop(WHOLE, None)
        return [self.write_at(writes.times[position]) for position in sorted(latest.values())]

    def final_content(self, number: int) -> Content:
        """The parts of an object when the run was over."""
        row = self.row(number)
        if type(row) is not list:  # a number or a text was about to be changed, which failed
            return Content("scalar")
        kind = row[0]
        content = Content(kind)
        if kind == "large" or kind in _NO_PARTS:
            content.certain = kind != "large"
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
        content.is_array = kind == "list" and len(row) > 4
        content.has_attributes = len(row) > 3
        if content.has_attributes:
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
                remember(self._identities, key, identity, CACHED_CONTENTS)
            return identity
        if row[0] in ("bytes", "complex", "huge", "textual"):
            return ("value", *(str(part) for part in row))
        return ("object", number)

    def write_marks(self) -> Iterator[tuple[int, int]]:
        """(time, number of its mark) of every write, in order of time."""
        times = self._write_times
        position = 0
        while position < len(times):
            first = times[position] - times[position] % EVENTS_PER_PART
            end = first_from(times, first + EVENTS_PER_PART)
            part = self.events_from(first)
            for time in times[position:end]:
                if not 0 <= time - first < len(part):
                    raise self._reader.damaged("events are missing")
                yield time, part[time - first]
            position = max(end, position + 1)

    def is_written(self, number: int) -> bool:
        """Whether anything of an object was ever changed after it was made."""
        return number in self._write_index


def _as_number(identity: Any) -> Any:
    """1, 1.0 and True are one key."""
    if type(identity) is bool or (type(identity) is float and identity.is_integer()):
        return int(identity)
    return identity
