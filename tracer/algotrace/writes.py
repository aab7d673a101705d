"""The writes among the events: when, to which object, to what of it.

What a mark says is checked against what was there: a property's own code is recorded elsewhere, a container that went
to recorded code was not changed unseen. Most of it is decided once for each mark and class, so that the rest is done by
C code. Classes are told apart by identity: a metaclass may say how they hash and compare.
"""

from __future__ import annotations

import array as array_module
import collections
import types
from array import array
from itertools import compress, repeat
from operator import add, and_, sub
from typing import Any
from collections.abc import Callable, Iterable, Iterator, Sequence

from algotrace import BUILTINS
from algotrace.class_tables import find_in_class, is_written_in_c, mro_of, namespace_of
from algotrace.library_code import is_recorded
from algotrace.marks import (
    APPEND, APPENDED, ATTRIBUTE, ATTRIBUTE_NEW, CONTENT, ENTER, HANDED, HANDED_BACK, HANDED_ON, IN_HAND, ITEM, ITEM_DELETED, MUTATE, NAME, NAMED, NEVER, PASSED, PRINTED, SET,
    UNKNOWN, UPDATED, VALUES_AFTER, WHOLE, WRITES, Mark, Routine,
)  # fmt: skip
from algotrace.planes import gather, pack
from algotrace.trace_file import FIRST_OBJECT, KIND_SHIFT, WRITES_PER_PART
from algotrace.mutators import behind_super
from algotrace.undo import (
    BOUND_METHODS,
    KEPT,
    MAPPING,
    NOT_A_CONTAINER,
    attribute_reader,
    container_kind,
    owner_of,
    has_plain_access,
    not_stored,
)
from algotrace.weak_proxies import PROXIES, seen_through

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_INDEXES = 1 << 31  # slot numbers from here on are small integers, as indexes and keys
_MOST_SLOTS = 1 << 20
_BEHIND_A_CALL = frozenset({"__init__", "__new__", "__call__"})
_STAND_FOR_OTHERS = PROXIES | BOUND_METHODS
_FOR_OTHERS = _STAND_FOR_OTHERS | {id(super)}
_CUT, _DROPPED, _SINGLY = -1, -2, -3  # in the place of slots
_INTEGERS, _SCALARS = frozenset({id(int)}), frozenset(map(id, (int, str, bytes, bool, float)))
_OF_NUMBERS = (bytearray, array_module.array)
_APPENDING = (list, collections.deque, *_OF_NUMBERS)
_KNOWN_METHODS = (*_APPENDING, dict, set)


class Writes:
    """All writes, as the trace file has them: in order of time, and in runs sorted by object; 0 stands for names."""

    def __init__(self) -> None:
        self.packed: list[tuple[bytes, bytes]] = []  # times and objects, in order of time
        self._new = array("I"), array("I"), array("I")  # objects, times and slots of those in no run
        self.runs: list[list[bytes]] = []  # objects, times and slots, sorted by object, then time

    def add(self, times: Iterable[int], objects: Iterable[int], slots: Iterable[int]) -> None:
        for column, more in zip(self._new, (objects, times, slots)):
            column.extend(more)

    def sort(self) -> None:
        """Between two reads: what came since the last time is sorted, once it is worth it."""
        while len(self._new[0]) >= WRITES_PER_PART:
            packed, run = _sorted(tuple(column[:WRITES_PER_PART] for column in self._new))
            for column in self._new:
                del column[:WRITES_PER_PART]
            self.packed.append(packed)
            self.runs.append(run)

    def all(self) -> tuple[list[tuple[bytes, bytes]], list[list[bytes]]]:
        """What there is now, in order of time and in runs; more may follow."""
        self.sort()
        if not self._new[0]:
            return self.packed, self.runs
        packed, run = _sorted(self._new)
        return [*self.packed, packed], [*self.runs, run]

    def __len__(self) -> int:
        return len(self.packed) * WRITES_PER_PART + len(self._new[0])


def _sorted(columns: tuple[array[int], ...]) -> tuple[tuple[bytes, bytes], list[bytes]]:
    """Packed: times and objects as they come, then objects, times and slots by object."""
    objects, times, _ = columns
    keys = list(map(sub, objects, repeat(FIRST_OBJECT - 1)))  # such integers are compared faster
    order = sorted(range(len(keys)), key=keys.__getitem__)  # stable: of one object in order of time
    return (pack(times), pack(objects)), [pack(array("I", gather(column, order))) for column in columns]


class WriteFinder:
    """Finds the writes in events. `number` numbers an object; `first_seen` tells when one was met."""

    def __init__(self, number: Callable[[Any], int], first_seen: Callable[[int], int | None]) -> None:
        self.writes = Writes()
        self.first_seen: dict[int, int] = {}  # of objects that were written
        self.classes: set[int] = set()  # written objects that are classes
        self.any_handed = False  # anything to strangers
        self.handed_back = array("I"), array("I")  # objects, and when strangers had them in hand
        self.unfollowed: dict[
            int, int
        ] = {}  # object → when last it was handed on, but not what can be reached from it
        # When strangers have run, or are about to; what they were handed was noted by which mark, and since when (`kept_by_others`).
        self.strangers_ran = array("I"), array("I"), array("I")
        # mark → of the last notes by it, in a row: the object of the first, and when that was
        self._batches: dict[int, tuple[int, int]] = {}
        self._last_note = -1  # when the last of them was
        self.unfollowed_times = array("I")  # when anything was handed on and not followed
        self.never_over = NEVER  # … the first time after which the stranger may change it at any time
        self._number = number
        self._first_seen = first_seen
        self._details: list[str] = []  # of marks: what comes after the tab of their labels
        self._fixed = array("q")  # of marks: the slot that they write, WHOLE where it depends on more
        self._routines: list[Routine] = []
        self._slots: dict[Any, int] = {}
        self.printed_slot = 0  # 0: nothing that prints is known
        self._verdicts: dict[tuple[int, int], int] = {}  # (mark, id of a class) → slot or _DROPPED
        self._kinds: dict[int, int] = {}  # id of a class → its `container_kind`
        self._classes: list[type] = []  # they stay alive, so that their ids stay their own

    def absorb(
        self,
        routines: list[Routine],
        kinds: bytes,
        routine_of: Sequence[int],
        labels: dict[int, str],
        modules: list[int],
        base: int,
    ) -> None:
        """A unit's tables; `modules` tells for all routines, this unit's from `base` on, which one is that of its module."""
        self._routines += routines
        first = len(self._details)
        self._details += [""] * len(kinds)
        self._fixed.extend([WHOLE] * len(kinds))
        for number in compress(range(len(kinds)), kinds.translate(_IS_WRITE)):
            slot, kind, label = WHOLE, kinds[number], labels.get(number, "")
            detail = label.partition("\t")[2]
            if kind in (NAME, SET) and label.startswith("global"):
                slot = self._slot((label, modules[base + routine_of[number]]))
            elif kind == PRINTED:
                slot = self.printed_slot = self._slot(("printed",))
            elif kind in (ATTRIBUTE, ATTRIBUTE_NEW):
                slot = self._slot(("attribute", detail))
            elif kind == APPEND:
                slot = APPENDED
            self._details[first + number] = detail
            self._fixed[first + number] = slot

    def read(self, events: list[Any], codes: array[int], kinds: bytes, base: int) -> None:
        """`kinds` has the highest byte of each code: a mark's kind, or from 64 on an object."""
        found = _complete_writes(kinds)
        places = list(compress(range(len(kinds)), found))
        if not places:
            return
        here = bytes(compress(kinds, found))
        marks = list(map(and_, gather(codes, places), repeat(_NUMBER)))
        after = list(map(add, places, repeat(1)))
        objects = list(gather(codes, after))
        for place in _all_places(here.translate(_OF_NAMES)):
            objects[place] = 0
        slots = list(gather(self._fixed, marks))
        targets = list(map(events.__getitem__, after))
        classes = list(map(type, targets))
        distinct = dict(zip(map(id, classes), classes))
        if not _STAND_FOR_OTHERS.isdisjoint(distinct):
            self._find_written(targets, objects)
        self._by_class(here, marks, targets, objects, slots)
        if not self._indexed(here, targets, events, places, slots):
            for which in _all_places(here.translate(_OF_ITEMS)):
                slots[which] = self._item(here[which], targets[which], events[places[which] + 2])
        for which in _all_places(here.translate(_DEPENDS)):
            slots[which] = self._of_one(here[which], marks[which], events, places[which], targets[which])
            detail = self._details[marks[which]]
            if detail == IN_HAND and events[places[which] + 2] is UNKNOWN:
                self._ran(places[which] + base, marks[which] - 2, objects[which])
                slots[which] = _DROPPED
            elif detail == HANDED_BACK or detail == IN_HAND:
                self.handed_back[0].append(objects[which])
                self.handed_back[1].append(places[which] + base)
                slots[which] = _DROPPED
            elif detail == HANDED or detail == HANDED_ON:
                self.any_handed = True
                self._are_handed(places[which] + base, marks[which], objects[which])
                if events[places[which] + 2] is UNKNOWN:
                    now = places[which] + base
                    until = now if detail == HANDED else NEVER
                    self.unfollowed[objects[which]] = max(until, self.unfollowed.get(objects[which], 0))
                    self.unfollowed_times.append(now)
                    if until == NEVER:
                        self.never_over = min(self.never_over, now)
        if any(issubclass(cls, type) or number in _FOR_OTHERS for number, cls in distinct.items()):
            self._note_classes(objects, targets)
        if _DROPPED in slots:
            keep = [slot != _DROPPED for slot in slots]
            places, objects, slots = (list(compress(column, keep)) for column in (places, objects, slots))
        self.writes.add(map(add, places, repeat(base)), objects, slots)
        for number in set(objects).difference(self.first_seen):
            time = self._first_seen(number) if number else None
            if time is not None:
                self.first_seen[number] = time
        self.writes.sort()

    def _are_handed(self, time: int, mark: int, number: int) -> None:
        is_next, self._last_note = time == self._last_note + 3, time
        if not (is_next and self.strangers_ran[1][-1] == mark):
            self._batches[mark] = number, time
            self._note_ran(time, mark, time)

    def _ran(self, time: int, mark: int, first: int) -> None:
        number, since = self._batches.get(mark, (0, 0))
        self._note_ran(time, mark, since if number == first else time)

    def _note_ran(self, *noted: int) -> None:
        for column, each in zip(self.strangers_ran, noted):
            column.append(each)

    def _find_written(self, targets: list[Any], objects: list[int]) -> None:
        """In the place of weak proxies and methods of containers, the objects that were written."""
        stand = map(_STAND_FOR_OTHERS.__contains__, map(id, map(type, targets)))
        for which in list(compress(range(len(targets)), stand)):
            obj = seen_through(owner_of(targets[which]))
            if obj is not targets[which] and KEPT[type(obj)] and objects[which]:
                objects[which], targets[which] = self._number(obj), obj

    def _note_classes(self, objects: list[int], targets: list[Any]) -> None:
        types_of = list(map(type, targets))
        distinct = dict(zip(map(id, types_of), types_of)).items()
        metaclasses = {number for number, cls in distinct if issubclass(cls, type)}
        if metaclasses:
            self.classes.update(compress(objects, map(metaclasses.__contains__, map(id, types_of))))
            self.classes.discard(0)

    def _by_class(
        self, kinds: bytes, marks: list[int], targets: list[Any], objects: list[int], slots: list[int]
    ) -> None:
        """What a mark and the class of what is written decide."""
        some = kinds.translate(_BY_CLASS)
        if 1 not in some:
            return
        classes = list(map(type, compress(targets, some)))
        pairs = list(zip(compress(marks, some), map(id, classes)))
        new = dict(zip(pairs, zip(compress(kinds, some), classes)))
        for pair in new.keys() - self._verdicts.keys():
            kind, cls = new[pair]
            self._classes.append(cls)
            self._verdicts[pair] = self._verdict(kind, pair[0], cls)
        verdicts = list(map(self._verdicts.__getitem__, pairs))
        if not any(verdicts):
            return
        for which, verdict in zip(_all_places(some), verdicts):
            if verdict == _DROPPED:
                slots[which] = _DROPPED
            elif verdict == _SINGLY:
                slots[which] = WHOLE
            elif verdict == _CUT:  # `super()`
                target, builtin = behind_super(targets[which], self._details[marks[which]])
                if builtin:
                    objects[which], targets[which] = self._number(target), target
                else:
                    slots[which] = _DROPPED

    def _verdict(self, kind: int, mark: int, cls: type) -> int:
        if kind in (ATTRIBUTE, ATTRIBUTE_NEW):
            if stores_otherwise(cls):
                return _DROPPED
            return _DROPPED if attribute_reader(cls, self._details[mark]) is not_stored else 0
        if cls is super:
            return _CUT
        if kind == APPEND and issubclass(cls, _OF_NUMBERS):  # it may have failed: each is looked at
            return _SINGLY if _appends(cls) else _DROPPED
        return _DROPPED if kind == APPEND and not _appends(cls) else 0

    def _indexed(
        self, kinds: bytes, targets: list[Any], events: list[Any], places: list[int], slots: list[int]
    ) -> bool:
        """Stores of items, where all keys are small integers: whether that is so."""
        if ITEM_DELETED in kinds:
            return False
        some = kinds.translate(_OF_ITEMS)
        keys = list(map(events.__getitem__, map(add, compress(places, some), repeat(2))))
        if not keys or not _INTEGERS.issuperset(map(id, map(type, keys))) or min(keys) < 0:
            return not keys
        if max(keys) >= _INDEXES:
            return False
        classes = {id(cls): cls for cls in map(type, compress(targets, some))}
        if NOT_A_CONTAINER in map(self._container_kind, classes.values()):
            return False
        for which, key in zip(_all_places(some), keys):
            slots[which] = _INDEXES + key
        return True

    def _container_kind(self, cls: type) -> int:
        kind = self._kinds.get(id(cls))
        if kind is None:
            self._classes.append(cls)
            kind = self._kinds[id(cls)] = container_kind(cls)
        return kind

    def _item(self, kind: int, target: Any, key: Any) -> int:
        container = self._container_kind(type(target))
        if container == NOT_A_CONTAINER:
            return _DROPPED
        if type(key) is int and 0 <= key < _INDEXES and (kind == ITEM or container == MAPPING):
            return _INDEXES + key
        return self._slot(key) if container == MAPPING and id(type(key)) in _SCALARS else WHOLE

    def _of_one(self, kind: int, mark: int, events: list[Any], place: int, target: Any) -> int:
        """The slot of a write of which more than its mark must be known; or that it is none."""
        if kind == CONTENT:
            return _DROPPED if events[place + 2] is UNKNOWN else WHOLE
        if kind == NAMED:
            name = events[place + 2]
            if type(name) is not str:
                return _DROPPED
            if name == "__dict__":
                return WHOLE if type(events[place + 3]) is tuple else _DROPPED
            # Through a namespace (then there is no method) a property and the like are passed by.
            if self._details[mark] not in ("", UPDATED) and (
                type(target) is dict or attribute_reader(type(target), name) is not_stored
            ):
                return _DROPPED
            return self._slot(("attribute", name))
        if " " not in self._details[mark]:  # it is no argument of a call
            return WHOLE
        given = events[place + 1]
        if given is target and id(type(given)) in BOUND_METHODS:  # of no container
            return _DROPPED
        return _DROPPED if self._is_given_to_recorded_code(mark, events, place, given) else WHOLE

    def _is_given_to_recorded_code(
        self, passed: int, events: list[Any], position: int, container: Any
    ) -> bool:
        """Whether the call that a container was about to be passed to is one that we see: then each write in it is logged.

        What we do not see leaves nothing; so the call that comes next must have the name, or be what decorators make.
        """
        site, first = self._details[passed], position
        while position < len(events) and type(events[position]) is Mark and events[position].kind == PASSED:
            number = events[position].number
            if self._details[number] != site or (number == passed and position > first):  # another call
                return False
            position += events[position].size + 1
        mark = events[position] if position < len(events) else None
        if type(mark) is not Mark or mark.kind != ENTER:
            return False
        routine = self._routines[mark.routine]
        named = routine.name == site.partition(" ")[0] or routine.name in _BEHIND_A_CALL
        wraps = "<locals>" in routine.qualname
        for given in events[position + 1 : position + 1 + mark.size]:
            if given is container and named:
                return True
            if type(given) is tuple and any(part is container for part in given):  # *args
                return named or wraps
            if type(given) is dict and any(part is container for part in given.values()):  # **kwargs
                return named or wraps
        return False

    def global_slots(self) -> list[tuple[int, int, str]]:
        """The slots of modules' names: number, routine of the module, name."""
        return [
            (slot, key[1], key[0].partition(" ")[2])
            for key, slot in self._slots.items()
            if type(key) is tuple and key[0].startswith("global ")
        ]

    def _slot(self, slot: Any) -> int:
        """A number for what is written of an object. Where there are too many, all of it is."""
        if type(slot) is int and 0 <= slot < _INDEXES:
            return _INDEXES + slot
        number = self._slots.get(slot)
        if number is None:
            if type(slot) in (bool, float) and 0 <= slot < _INDEXES and slot == int(slot):
                return _INDEXES + int(slot)  # as keys they are equal
            if len(self._slots) >= _MOST_SLOTS:
                return WHOLE
            number = self._slots[slot] = len(self._slots) + APPENDED + 1
        return number


def stores_otherwise(cls: type) -> bool:
    """Whether an attribute is read and stored by methods of the program; what they store is noted there."""
    method = find_in_class(cls, "__setattr__")
    return type(method) is types.FunctionType and not has_plain_access(cls) and is_recorded(method)


def _appends(cls: type) -> bool:
    """Whether `append` is that of a builtin container."""
    for base in mro_of(cls):
        if any(base is known for known in _KNOWN_METHODS):
            return any(base is known for known in _APPENDING)
        namespace = namespace_of(base)
        if "append" in namespace and not is_written_in_c(namespace["append"]):
            return False
    return False


_NUMBER = (1 << KIND_SHIFT) - 1


def _table(kinds: Iterable[int]) -> bytes:
    """For `translate`: 1 for some kinds, else 0."""
    wanted = frozenset(kinds)
    return bytes(kind in wanted for kind in range(256))


_OF_NAMES = _table({NAME, SET, PRINTED})
_BY_CLASS = _table({ATTRIBUTE, ATTRIBUTE_NEW, APPEND, MUTATE})
_OF_ITEMS, _DEPENDS = _table({ITEM, ITEM_DELETED}), _table({CONTENT, NAMED, PASSED})
_IS_OBJECT = _table(range(64, 256))
_IS_WRITE = _table(WRITES)
_WITH_VALUES = [_table(kind for kind in WRITES if VALUES_AFTER[kind] >= count) for count in (1, 2, 3)]


def _complete_writes(kinds: bytes) -> bytes:
    """1 where a write stands that all of its values follow, else 0."""
    objects = int.from_bytes(kinds.translate(_IS_OBJECT), "little")
    found = int.from_bytes(kinds.translate(_IS_WRITE), "little")
    for count, with_so_many in enumerate(_WITH_VALUES, 1):
        wanting = int.from_bytes(kinds.translate(with_so_many), "little") & ~(objects >> (8 * count))
        found &= ~wanting
    return found.to_bytes(len(kinds), "little")


def _all_places(flags: bytes) -> Iterator[int]:
    """Where a one stands."""
    place = flags.find(1)
    while place >= 0:
        yield place
        place = flags.find(1, place + 1)
