"""What the objects of a trace were like at any time: their final content, with the writes that came later undone.

Also which writes there were, to what and when. Not here: values as they are shown, see `values`, and calls, see `trace`.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from typing import Any
from collections.abc import Iterator, Sequence

from algotrace.checkpoints import Checkpoints
from algotrace.columns import first_after, first_from
from algotrace.content import (
    ANY, DEFAULTING, Content, Write, is_of_attributes, pairs_of, reconcile, undo, undo_appends,
)  # fmt: skip
from algotrace.defaulting import Insertions
from algotrace.key_order import KeyOrder
from algotrace.marks import (
    APPEND, APPENDED, ATTRIBUTE, ITEM, ITEM_DELETED, METHOD_GIVEN, NAME, NAMED, NEVER, PASSED, WHOLE, WRITES,
)  # fmt: skip
from algotrace.explained import HIDING_NOTHING, explains, is_copy
from algotrace.reader import Reader
from algotrace.stored import Stored, remember
from algotrace.trace_file import EVENTS_PER_PART, WRITES_PER_PART, reading
from algotrace.running import Running
from algotrace.unfollowed import Note, Unfollowed, is_back, is_handing, is_known_again, is_passing, unfollowed
from algotrace.write_index import ObjectWrites, WriteIndex

_NO_PARTS = frozenset(
    {"module", "function", "method", "textual", "opaque", "generator", "unknown", "absent", "bytes"}
)
_CACHED_CONTENTS = 20_000
_CACHED_ORDERS = 2000
_MOST_CHECKED = 20  # times that a method of one container was given away
_MOST_WRITES = 2000  # looked at to tell what a call changed in one object


class History(Stored):
    """The states of one run."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader)
        self._changed_names: dict[int, dict[str, list[tuple[int, int]]]] = {}
        self._disordered: OrderedDict[int, int] = OrderedDict()
        self._known_insertions: dict[int, Insertions] = {}
        self._contents: OrderedDict[tuple[int, int, bool], Content] = OrderedDict()
        self._given_away: OrderedDict[int, list[tuple[int, str]]] = OrderedDict()
        self._explained: OrderedDict[tuple[int, int], bool] = OrderedDict()
        self._passed: OrderedDict[int, list[int]] = (
            OrderedDict()
        )  # number → when calls were handed it that are of no stranger
        self._in_hand: OrderedDict[int, list[Note]] = OrderedDict()
        self._agrees: OrderedDict[tuple[int, int], bool] = OrderedDict()
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

    @reading
    def content(self, number: int, time: int) -> Content:
        """The parts of a compound object at `time`: just before whatever happens then."""
        writes = self.writes_of(number)
        later = bisect_left(writes.times, time)
        unordered = self._is_unordered(writes.times, time) or later < self._was_unordered(number, writes)
        unsure = unordered or (self._any_handed and self._is_in_strange_hands(number, writes, time))
        key = (number, writes.times[later] if later < len(writes) else 1 << 62, unsure)
        content = self._contents.get(key)
        if content is None:
            content = self._before(number, writes, later)
            content.certain &= not self._changed_unseen(number, writes, later)
            content.certain &= not (unsure or self._is_touched(number, content))
            remember(self._contents, key, content, _CACHED_CONTENTS)
        return content

    def _before(self, number: int, writes: ObjectWrites, later: int) -> Content:
        """The content before the write at a position, as far as writes tell."""
        content = self._checkpoints.before(number, writes, later)
        if content is None:
            content = self.final_content(number)
            self._take_back(content, number, writes, later, len(writes))
        keys = None
        if content.kind == "dict" and self._stores_defaults(number):
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
            undo(content, self._write_to(number, times[position]), self.row, self.key_identity)
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

    def _changed_unseen(self, number: int, writes: ObjectWrites, later: int) -> bool:
        """Whether somebody who was given a method of a container has called it unseen, before the write at a position.

        When it was given away a copy was made: from there on recorded writes must lead to what there is later.
        """
        given = self._given_away.get(number)
        if given is None:
            given = [
                (position, method)
                for position in writes.wholes(0, len(writes))
                if (method := self._given_at(writes.times[position])) is not None
            ]
            remember(self._given_away, number, given, _CACHED_CONTENTS)
        known = given[: bisect_left(given, (later, ""))]
        some = [position for position, _ in known]
        if some and self._views_passed_on and self._may_have_views(number):
            return True
        methods = frozenset(method for _, method in known)
        if some and not self._is_explained(number, writes, some[-1] + 1, later, methods):
            return True
        if len(some) > _MOST_CHECKED:
            some = [*some[: _MOST_CHECKED - 1], some[-1]]
        return any(not self._is_as_noted(number, writes, writes.times[position]) for position in some)

    def _is_explained(
        self, number: int, writes: ObjectWrites, first: int, later: int, methods: frozenset[str]
    ) -> bool:
        """Whether no write between two positions may hide what methods that somebody was given did unseen."""
        checked = 0
        for position in range(later - 1, first - 1, -1):
            if writes.slots[position] == APPENDED:
                continue
            checked += 1
            if checked > _MOST_CHECKED:
                return False
            write = self.write_at(writes.times[position])
            if write.kind in HIDING_NOTHING:
                continue
            known = self._explained.get((number, write.time))
            if known is None:
                saved = self.row(write.values[1])
                before, after = (self._before(number, writes, each) for each in (position, position + 1))
                known = explains(write, saved, self.row, before, after, methods)
                remember(self._explained, (number, write.time), known, _CACHED_CONTENTS)
            if not known or write.kind == PASSED or is_copy(self.row(write.values[1])):
                return known
        return True

    def _may_have_views(self, number: int) -> bool:
        row = self.row(number)
        return type(row) is list and (row[0] == "bytearray" or (row[0] == "list" and len(row) > 4))

    @functools.cached_property
    def _reached_unseen(self) -> Unfollowed:
        return unfollowed(self, self._unfollowed)

    def _is_in_strange_hands(self, number: int, writes: ObjectWrites, time: int) -> bool:
        """Whether somebody may have changed an object unseen from `time` on, and nothing tells what it was before; or has
        changed it before it was noted again."""
        until = self._reached_unseen.time_of(number) if self._unfollowed else -1
        if time <= until and self._is_missing(number, time, until):
            return True
        notes = self._notes_of(number, writes)
        later = bisect_left(notes, Note(time))
        checked: set[bool] = set()
        for note in reversed(
            notes[max(later - _MOST_CHECKED, 0) : later]
        ):  # of its content, of its attributes
            if note.of_attributes in checked or self._is_as_noted(number, writes, note.time):
                checked.add(note.of_attributes)
            elif note.back or not self._is_given_back(number, writes, note, notes[later:]):
                return True
            checked.add(note.of_attributes)
        return later > 0 and not self._is_as_last_passed(number, writes, notes[later - 1].time, time)

    def _is_as_last_passed(self, number: int, writes: ObjectWrites, first: int, end: int) -> bool:
        """Whether the last call, between two times, that was handed an object and is of no stranger left it as it was: else
        what a stranger did later cannot be told from what that did."""
        passed = self._passed.get(number)
        if passed is None:
            wholes = (writes.times[position] for position in writes.wholes(0, len(writes)))
            passed = [time for time in wholes if is_passing(self.mark_at(time))]
            remember(self._passed, number, passed, _CACHED_CONTENTS)
        at = bisect_right(passed, end)
        return not at or passed[at - 1] < first or self._is_as_noted(number, writes, passed[at - 1])

    def _is_missing(self, number: int, time: int, until: int) -> bool:
        """Whether what strangers did from `time` on to something that they had in hand until some time is not known."""
        if until == NEVER and time >= self._never_over:
            return True
        at = bisect_left(self._unfollowed_times, time)  # whatever it was that was handed on
        first = self._unfollowed_times[at] if at < len(self._unfollowed_times) else until
        return not is_known_again(self, number, time, min(first, until) - 1)

    def _is_given_back(self, number: int, writes: ObjectWrites, handed: Note, later: list[Note]) -> bool:
        """Whether what somebody changed who was handed an object is told by the next note of it."""
        for note in later[:_MOST_CHECKED]:
            if note.of_attributes == handed.of_attributes:
                return note.back and self._is_as_noted(number, writes, note.time)
        return False

    def _notes_of(self, number: int, writes: ObjectWrites) -> list[Note]:
        """What an object was like when strangers were handed it and gave it back."""
        known = self._in_hand.get(number)
        if known is None:
            handed = (writes.times[position] for position in writes.wholes(0, len(writes)))
            times = [(time, False) for time in handed if is_handing(self.mark_at(time))]
            objects, given_back = self._handed_back
            low, high = bisect_left(objects, number), bisect_right(objects, number)
            times += [(time, is_back(self.mark_at(time))) for time in given_back[low:high]]
            known = []
            for time, back in sorted(times):
                seen = self.row(self._noted_at(time))
                if seen != ["unknown"]:
                    known.append(Note(time, back, is_of_attributes(seen, self.row)))
            remember(self._in_hand, number, known, _CACHED_CONTENTS)
        return known

    def _noted_at(self, time: int) -> int:
        """The copy that a note has."""
        mark = self.mark_at(time)
        if mark is None or mark.kind != PASSED:
            raise self._reader.damaged("a note is missing")
        return self.values_at(time, mark)[1]

    def _is_as_noted(self, number: int, writes: ObjectWrites, time: int) -> bool:
        """Whether recorded writes lead from what was noted at `time` to what there is later."""
        known = self._agrees.get((number, time))
        if known is None:
            before = self._before(number, writes, bisect_right(writes.times, time))
            known = reconcile(before, self.row(self._noted_at(time)), self.key_identity, self.row)
            remember(self._agrees, (number, time), known, _CACHED_CONTENTS)
        return known

    def _is_unordered(self, times: Sequence[int], time: int) -> bool:
        """Whether other threads wrote something when it is not known who came first."""
        if self._one_thread:
            return False
        low, high = self._round_of(times, time)
        thread = self._thread_at(time)
        return any(self._thread_at(written) != thread for written in times[low:high][:_MOST_WRITES])

    def _was_unordered(self, number: int, writes: ObjectWrites) -> int:
        """The position before which the states of an object are not known: several threads wrote there, in whatever order."""
        if self._one_thread:
            return 0
        known = self._disordered.get(number)
        if known is None:
            known = position = 0
            while position < len(writes):
                low, high = self._round_of(writes.times, writes.times[position])
                appended = set(writes.slots[low:high]) == {APPENDED}
                if not appended and self._is_unordered(writes.times, writes.times[position]):
                    known = high
                position = max(high, position + 1)
            remember(self._disordered, number, known, _CACHED_CONTENTS)
        return known

    def _round_of(self, times: Sequence[int], time: int) -> tuple[int, int]:
        """The positions, end excluded, of what was written when it is not known whether it was before `time`."""
        at = bisect_right(self._rounds, time)
        first = self._rounds[at - 1] if at else 0
        end = self._rounds[at] if at < len(self._rounds) else 1 << 62
        return bisect_left(times, first), bisect_left(times, end)

    def _thread_at(self, time: int) -> int:
        at = bisect_right(self._part_starts, time)
        return self._part_threads[at - 1] if at else 0

    def _is_touched(self, number: int, content: Content) -> bool:
        """Whether code of a library may have changed an object without being told to, see `library_code`."""
        if number in self._touched_objects:
            return True
        row = self.row(number) if self._touched and content.has_attributes else None
        touched = self._touched.get(row[1]) if type(row) is list and len(row) > 2 else None
        if touched is None:
            return False
        if ANY in touched:
            return bool(content.attributes) or content.kind == "dict"
        return not touched.isdisjoint(content.attributes)

    def _given_at(self, time: int) -> str | None:
        """The name of the method that somebody was given then; "" for what may be any, None where it is no such note."""
        mark = self.mark_at(time)
        if mark is None or mark.kind != PASSED or is_handing(mark):
            return None
        user = mark.label.partition("\t")[2]
        return user.removeprefix(METHOD_GIVEN) if not user or user.startswith(METHOD_GIVEN) else None

    def _stores_defaults(self, number: int) -> bool:
        return self.type_of(self.row(number)[1])[3] == [DEFAULTING]

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
        return Write(time, mark.kind, detail, values, target)

    @reading
    def globals_at(self, source: int, name: str, time: int) -> int | None:
        """The object that a module's name was last bound to before `time`; None where it was not, or not yet, and what is
        told as unknown where that cannot be told.

        As far as that was recorded: by the module's own code, or through the module as an object or as a dict.
        """
        number, certain = self._global_at(source, name, time)
        return number if certain else self._unknown or number

    @reading
    def is_global_certain(self, source: int, name: str, time: int) -> bool:
        """Whether what `globals_at` tells is surely so."""
        return self._global_at(source, name, time)[1]

    def _global_at(self, source: int, name: str, time: int) -> tuple[int | None, bool]:
        positions, times = self.global_writes(source, name), self.writes_of(0).times
        at = bisect_left(positions, time, key=times.__getitem__) if positions else 0
        bound, since = None, -1
        if at:
            since = times[positions[at - 1]]
            mark = self.mark_at(since)
            values = self.values_at(since, mark) if mark is not None else []
            bound = values[-1] if values else None
        if not self._one_thread:
            bindings = [times[position] for position in positions]
            if self._is_unordered(bindings, time) or (at and self._is_unordered(bindings, since)):
                return bound, False
        others = self._names_changed(source).get(name)
        if not others:
            return bound, True
        later = bisect_left(others, (time, 0))
        if (not later or others[later - 1][0] < since) and (at or later == len(others)):
            return bound, True
        # What it was bound to then is told by what the next change overwrote.
        following = times[positions[at]] if at < len(positions) else 1 << 62
        if later < len(others) and others[later][0] < following:
            return others[later][1], True
        if at < len(positions):
            mark = self.mark_at(following)
            values = self.values_at(following, mark) if mark is not None else []
            if mark is not None and mark.kind == NAME and values:
                return (bound, False) if self.row(values[0]) == ["unknown"] else (values[0], True)
            return bound, not later and not at
        for module in self.modules_of(source):
            if name in self.modules[module]:
                return self.modules[module][name], True
        return None, True

    def modules_of(self, source: int) -> list[str]:
        """The names that a source was imported by, as far as its path tells."""
        found = ["__main__"] if source == self.routines[self.routine[0]].source else []
        parts = self.sources[source].path.removesuffix(".py").replace("\\", "/").split("/")
        if parts[-1] == "__init__":
            parts.pop()
        found += [".".join(parts[first:]) for first in range(len(parts) - 1, -1, -1)]
        return [name for name in found if name in self.modules]

    def _names_changed(self, source: int) -> dict[str, list[tuple[int, int]]]:
        """Of a module's names what was changed through its dict, or as its attributes: by name, (when, what there was before)."""
        known = self._changed_names.get(source)
        if known is None:
            known = self._changed_names[source] = {}
            for module in self.modules_of(source):
                for number in self._namespaces.get(module, ()):
                    for time in self.writes_of(number).times if number else ():
                        for name, old in self.names_in(self.write_at(time)):
                            known.setdefault(name, []).append((time, old))
            for changes in known.values():
                changes.sort()
        return known

    @functools.cached_property
    def namespaces(self) -> dict[int, int]:
        """The modules of the program as objects, and their dicts, as far as the trace refers to them: which source's."""
        found: dict[int, int] = {}
        for source in reversed(range(len(self.sources))):
            for module in self.modules_of(source):
                found.update((number, source) for number in self._namespaces.get(module, ()) if number)
        return found

    def names_in(self, write: Write) -> Iterator[tuple[str, int]]:
        """The names that a write to a module or to its dict is about, and what they were bound to before."""
        if write.kind in (ATTRIBUTE, NAMED):
            if type(write.detail) is str:
                yield write.detail, write.values[-1]
            return
        if write.kind in (ITEM, ITEM_DELETED):
            keys = [(write.values[1], write.values[2])]
        else:
            keys = []
            told = self.row(write.values[1]) if len(write.values) > 1 else None
            if type(told) is list and told[0] == "dict":
                keys = list(zip(told[2][::2], told[2][1::2]))
            elif type(told) is list and told[0] == "tuple" and len(told[2]) > 1:
                saved = self.row(told[2][1])
                if self.row(told[2][0]) == "key":
                    keys = [(told[2][1], told[2][2])]
                elif type(saved) is list and saved[0] == "dict":
                    keys = list(zip(saved[2][::2], saved[2][1::2]))
        for key, old in keys:
            name = self.row(key)
            if type(name) is str:
                yield name, old

    def binds_global(self, source: int, name: str) -> bool:
        """Whether a binding of a module's name was recorded."""
        return len(self.global_writes(source, name)) > 0 or name in self._names_changed(source)

    def is_rebound(self, source: int, name: str) -> bool:
        """Whether a module's name was bound to more than one object, as far as its own code did it."""
        numbers = set()
        for _, old in self._names_changed(source).get(name, ()):
            numbers.add(old)
        for position in self.global_writes(source, name):
            time = self.writes_of(0).times[position]
            mark = self.mark_at(time)
            if mark is not None and (values := self.values_at(time, mark)):
                numbers.add(values[-1])
                if len(numbers) > 1:
                    return True
        return False

    @functools.cached_property
    def print_times(self) -> array[int]:
        """When something was printed."""
        times = self.writes_of(0).times
        return array("I", map(times.__getitem__, self._by_slot.get(self._printed_slot, ())))

    def global_writes(self, source: int, name: str) -> Sequence[int]:
        """Positions of the writes to a module's name, among those to names."""
        return self._by_slot.get(self._slots_of_names.get((source, name), 0), ())

    @functools.cached_property
    def _by_slot(self) -> dict[int, array[int]]:
        """For each name of a module the positions of the writes to it."""
        slots = self.writes_of(0).slots
        order = array("I", sorted(range(len(slots)), key=slots.__getitem__))
        found: dict[int, array[int]] = {}
        start = 0
        for slot in sorted(set(slots)):
            end = bisect_right(order, slot, start, key=slots.__getitem__)
            if slot > APPENDED:
                found[slot] = order[start:end]
            start = end
        return found

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
                remember(self._identities, key, identity, _CACHED_CONTENTS)
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
