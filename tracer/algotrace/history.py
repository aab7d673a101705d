"""What the objects of a trace were like at any time, and whether that is certain.

Somebody may have changed an object unseen: who was given a method of it, code that is not recorded which has it in hand,
another thread. From the last note of what it was like, recorded writes must lead to what there is later. Not here: what the
writes tell, see `written`, what names of modules were bound to, see `module_names`.
"""

from __future__ import annotations

import functools
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from itertools import chain

from algotrace.amid_writes import AmidWrites
from algotrace.content import ANY, OTHERS, Content, is_of_attributes, reconcile
from algotrace.explained import CHANGING, HIDING_NOTHING, explains, is_copy, may_exchange
from algotrace.marks import APPENDED, METHOD_GIVEN, METHOD_NAMED, MUTATE, NEVER, PASSED
from algotrace.kept_methods import KeptMethods
from algotrace.reader import Reader
from algotrace.stored import remember
from algotrace.trace_file import reading
from algotrace.unfollowed import Note, Unfollowed, is_back, is_handing, is_known_again, is_passing, unfollowed
from algotrace.write_index import ObjectWrites
from algotrace.written import CACHED_CONTENTS, Written

_ALL = frozenset({ANY})
_MOST_CHECKED = 20  # times that a method of one container was given away
_MOST_WRITES = 2000  # of other threads, looked at to tell whether their order is known


class History(Written):
    """The states of one run."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader)
        self._disordered: OrderedDict[int, int] = OrderedDict()
        self._contents: OrderedDict[tuple[int, int, bool], Content] = OrderedDict()
        self._given_away: OrderedDict[int, list[tuple[int, str]]] = OrderedDict()
        self._methods_kept: OrderedDict[int, list[tuple[int, str]]] = OrderedDict()
        self._explained: OrderedDict[tuple[int, int], bool] = OrderedDict()
        # number → when calls were handed it that are of no stranger
        self._passed: OrderedDict[int, list[int]] = OrderedDict()
        self._in_hand: OrderedDict[int, list[Note]] = OrderedDict()
        self._agrees: OrderedDict[tuple[int, int], bool] = OrderedDict()

    @reading
    def content(self, number: int, time: int) -> Content:
        """The parts of a compound object at `time`: just before whatever happens then."""
        writes = self.writes_of(number)
        later = bisect_left(writes.times, time)
        begun = self._amid_writes.begun_before(number, writes, time)
        if begun is not None:
            amid = self._before(number, writes, begun)
            amid.certain = False
            return amid
        unordered = self._is_unordered(writes.times, time) or later < self._was_unordered(number, writes)
        unordered = unordered or self._amid_writes.is_mixed_later(number, writes, time)
        unsure = unordered or self._may_have_changed_at_theirs(number, writes, time)
        unsure = unsure or (self._any_handed and self._is_in_strange_hands(number, writes, time))
        key = (number, writes.times[later] if later < len(writes) else 1 << 62, unsure)
        content = self._contents.get(key)
        if content is None:
            content = self._before(number, writes, later)
            content.certain &= not self._changed_unseen(number, writes, later)
            content.certain &= not unsure
            if content.certain and (touched := self._touched_of(number, content)) is not None:
                content.certain, content.touched = False, None if ANY in touched else touched
            remember(self._contents, key, content, CACHED_CONTENTS)
        return content

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
            remember(self._given_away, number, given, CACHED_CONTENTS)
        if self._may_have_exchanged(number, writes, later):
            return True
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

    def _may_have_exchanged(self, number: int, writes: ObjectWrites, later: int) -> bool:
        """Whether code that is not recorded was handed methods by which it may have taken out what it had put in, before the
        write at a position: no count would tell."""
        kept = self._methods_kept.get(number)
        if kept is None:
            kept = [
                (position, method)
                for position in writes.wholes(0, len(writes))
                if (method := self._kept_at(number, writes.times[position])) is not None
            ]
            remember(self._methods_kept, number, kept, CACHED_CONTENTS)
        kept = kept[: bisect_left(kept, (later, ""))]
        if any(self._is_named_and_called_unseen(writes.times[position]) for position, _ in kept):
            return True
        kind = self._kind_of(number)
        if not kept or not may_exchange({method for _, method in kept}, kind):
            return False
        unseen = {method for position, method in kept if self._may_be_called_unseen(writes.times[position])}
        return bool(unseen) and may_exchange(unseen, kind)

    def _may_be_called_unseen(self, time: int) -> bool:
        """Whether that is so for a method that was kept then."""
        mark = self.mark_at(time)
        user = "" if mark is None else mark.label.partition("\t")[2]
        if mark is None or (user and not user.startswith((METHOD_GIVEN, METHOD_NAMED))):
            return True
        if user.startswith(f"{METHOD_GIVEN}__"):
            return True  # calls of special methods by another name are not noted
        return self.kept_methods.may_be_called_unseen(self.routines[mark.routine].source, mark.at)

    def _is_named_and_called_unseen(self, time: int) -> bool:
        """Whether it is noted then that a method is called by one name only, and all of the text says that it may not be so."""
        mark = self.mark_at(time)
        if mark is None or mark.kind != MUTATE or not mark.label.partition("\t")[2].startswith(METHOD_NAMED):
            return False
        return self._may_be_called_unseen(time)

    @functools.cached_property
    def _amid_writes(self) -> AmidWrites:
        return AmidWrites(self)

    @functools.cached_property
    def kept_methods(self) -> KeptMethods:
        return KeptMethods(self.sources)

    def _kept_at(self, number: int, time: int) -> str | None:
        """The name of the method of a container that was kept then, or that somebody was handed, "" for one that is not known;
        None where it was something else, or only tells something."""
        mark = self.mark_at(time)
        if mark is None or mark.kind not in (PASSED, MUTATE):
            return None
        user = mark.label.partition("\t")[2]
        if user.startswith((METHOD_GIVEN, METHOD_NAMED)):
            return user[1:]
        if mark.kind != PASSED:
            return None
        if not user and self.kept_methods.is_method(self.routines[mark.routine].source, mark.at):
            return ""
        values = self.values_at(time, mark) if is_passing(mark) else ()
        if not values or values[0] == number:
            return None
        row = self.row(values[0])
        if type(row) is not list:
            return None
        if row[0] == "function":
            name = str(row[1]).rpartition(".")[2]
            return name if name in CHANGING else None
        return "" if row[0] == "instance" and self.type_of(row[1])[0] == "method-wrapper" else None

    def _kind_of(self, number: int) -> str:
        row = self.row(number)
        is_bounded = (
            type(row) is list and row[0] == "deque" and type(row[-1]) is int
        )  # adding takes out at the other end
        return str(row[0]) if type(row) is list and not is_bounded else ""

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
            if write.kind in HIDING_NOTHING or self._came_back(number, writes, write.time):
                continue
            known = self._explained.get((number, write.time))
            if known is None:
                saved = self.row(write.values[1])
                before, after = (self._before(number, writes, each) for each in (position, position + 1))
                known = explains(write, saved, self.row, before, after, methods)
                remember(self._explained, (number, write.time), known, CACHED_CONTENTS)
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
            elif not self._one_thread and self._thread_at(time) != self._thread_at(note.time):
                return True  # what the stranger had done until then was not looked at in this thread
            checked.add(note.of_attributes)
        if later < len(notes) and not self._is_as_given_back(number, writes, time, notes[later]):
            return True
        return later > 0 and not self._is_as_last_passed(number, writes, notes[later - 1].time, time)

    def _may_have_changed_at_theirs(self, number: int, writes: ObjectWrites, time: int) -> bool:
        """Whether strangers have an object in places of their own, and ran between `time` and the notes of what it was like
        before and after that: they may have changed it, and taken that back (see `kept_by_others`)."""
        if number not in self._kept_by_strangers:
            return False
        notes = self._notes_of(number, writes)
        later = bisect_left(notes, Note(time))
        if (
            not later
            and notes
            and number not in self._strangers_own
            and is_handing(self.mark_at(notes[0].time))
        ):
            return False  # they were handed it then
        if later == len(notes):
            end = NEVER
        else:
            end = notes[later].time if notes[later].back else self._first_of_notes(notes[later].time)
        if not self._ran_unfollowed(notes, time, end):
            return False
        # A write of the program's after the earlier note does not tell what it stored.
        first = notes[later - 1].time + 1 if later else 0
        is_written = bisect_left(writes.times, first) < bisect_left(writes.times, time)
        return not later or is_written or self._ran_unfollowed(notes, first, time)

    def _ran_unfollowed(self, notes: list[Note], first: int, end: int) -> bool:
        """Whether a stranger did between two times that was not handed the object with these notes."""
        times, marks, since = self._strangers_ran
        low, high = bisect_left(times, first), bisect_left(times, end)
        before, after = range(0), range(0)
        if not self._one_thread:  # those of other threads may have been before the end, or after the first
            before = range(self._round_of(times, first)[0], low)
            after = range(high, self._round_of(times, end)[1])
        ran = chain(
            range(low, high),
            (each for each in before if self._thread_at(times[each]) != self._thread_at(first)),
            (each for each in after if self._thread_at(times[each]) != self._thread_at(end)),
        )
        for position in ran:
            number = marks[position]
            known = notes[bisect_left(notes, Note(since[position])) : bisect_left(notes, Note(end))]
            if not any(number <= self.event(note.time) <= number + 2 for note in known):
                return True
        return False

    def _first_of_notes(self, time: int) -> int:
        """When the notes began, of all that a stranger was handed, of which one was made then."""
        times = self._strangers_ran[0]
        at = bisect_right(times, time)
        return times[at - 1] if at else time

    def _is_as_given_back(self, number: int, writes: ObjectWrites, time: int, note: Note) -> bool:
        """Whether what there was when an object was given back, or somebody still had it, is what there was by what is known of
        later times; not asked where a copy of it was made in between, which tells what there was at `time`."""
        if is_handing(self.mark_at(note.time)):
            return True
        low, high = bisect_left(writes.times, time), bisect_left(writes.times, note.time)
        return bool(writes.wholes(low, high)) or self._is_as_noted(number, writes, note.time)

    def _is_as_last_passed(self, number: int, writes: ObjectWrites, first: int, end: int) -> bool:
        """Whether the last call, between two times, that was handed an object and is of no stranger left it as it was: else
        what a stranger did later cannot be told from what that did."""
        passed = self._passed.get(number)
        if passed is None:
            wholes = (writes.times[position] for position in writes.wholes(0, len(writes)))
            passed = [time for time in wholes if is_passing(self.mark_at(time))]
            remember(self._passed, number, passed, CACHED_CONTENTS)
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

    def _came_back(self, number: int, writes: ObjectWrites, time: int) -> bool:
        """Whether an object was handed to somebody then, and what became of it there is told by the next note."""
        notes = self._notes_of(number, writes) if is_handing(self.mark_at(time)) else []
        at = bisect_left(notes, Note(time))
        is_noted = at < len(notes) and notes[at].time == time
        return is_noted and self._is_given_back(number, writes, notes[at], notes[at + 1 :])

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
            remember(self._in_hand, number, known, CACHED_CONTENTS)
        return known

    def _noted_at(self, time: int) -> int:
        """The copy that a note has."""
        mark = self.mark_at(time)
        if mark is None or mark.kind != PASSED:
            raise self._reader.damaged("a note is missing")
        return self.values_at(time, mark)[1]

    def was_changed_since(self, number: int, writes: ObjectWrites, time: int) -> bool:
        """Whether somebody has changed a container unseen after a copy of it was noted."""
        return is_copy(self.row(self._noted_at(time))) and not self._is_as_noted(number, writes, time)

    def _is_as_noted(self, number: int, writes: ObjectWrites, time: int) -> bool:
        """Whether recorded writes lead from what was noted at `time` to what there is later."""
        known = self._agrees.get((number, time))
        if known is None:
            before = self._before(number, writes, bisect_right(writes.times, time))
            known = reconcile(before, self.row(self._noted_at(time)), self.key_identity, self.row)
            remember(self._agrees, (number, time), known, CACHED_CONTENTS)
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
            remember(self._disordered, number, known, CACHED_CONTENTS)
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

    def _touched_of(self, number: int, content: Content) -> frozenset[str] | None:
        """The attributes (ANY for what it consists of, too) which code of a library may have changed in an object without
        being told to, see `library_code`; None for none that it has."""
        if number in self._touched_objects or content.kind in self._kinds_changed:
            return _ALL
        row = self.row(number) if self._touched and content.has_attributes else None
        touched = self._touched.get(row[1]) if type(row) is list and len(row) > 2 else None
        if self._attributes_changed:
            touched = self._attributes_changed | (touched or frozenset())
        if touched is None:
            return None
        if OTHERS in touched:
            return touched
        if ANY in touched:
            return touched if content.attributes or content.kind == "dict" else None
        return None if touched.isdisjoint(content.attributes) else touched

    def _given_at(self, time: int) -> str | None:
        """The name of the method that somebody was given then; "" for what may be any, None where it is no such note."""
        mark = self.mark_at(time)
        if mark is None or mark.kind != PASSED or is_handing(mark):
            return None
        user = mark.label.partition("\t")[2]
        if user.startswith(METHOD_NAMED):
            return user.removeprefix(METHOD_NAMED) if self._may_be_called_unseen(time) else None
        return user.removeprefix(METHOD_GIVEN) if not user or user.startswith(METHOD_GIVEN) else None
