"""The object table: every object the trace refers to, by number, for as long as somebody but us holds it.

Numbers are given out in the order in which objects are met, in parts of `ROWS_PER_PART`. Scalars are written down at
once and forgotten soon; only as long are two that are one object one number. The others are kept, and known by `id`,
until they are released or the program has ended: then they get their rows (`rows`). The graph is walked with a work
list, so a linked list of a million nodes is as good as any; sharing and cycles are kept, since parts are numbers.

What is done for each event and each object is done by C code wherever possible: that is what makes it fast.
"""

from __future__ import annotations

import array
import collections
import sys
import types
from _weakref import getweakrefcount
from itertools import compress, count, repeat
from operator import ge, invert, le, sub
from sys import getrefcount
from typing import Any
from collections.abc import Callable, Iterator, Sequence

from algotrace import BUILTINS
from algotrace.class_tables import mro_of, namespace_of
from algotrace.garbage import held_by_us_alone
from algotrace.rows import BASES, CONTAINERS, Rows
from algotrace.scalars import encode, scalar_row
from algotrace.streams import Units
from algotrace.textual import is_array_of_numbers
from algotrace.trace_file import (
    COMPOUND, FIRST_OBJECT, FLOAT, INTEGER, KIND_SHIFT, ROWS_PER_PART, TEXT, Writer,
)  # fmt: skip

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_MOST_RECENT = 1 << 18  # scalars that are known by id
_MOST_RECENT_TEXT = 1 << 26  # characters of long ones among them
_LONG_TEXT = 1000  # characters: longer ones are written apart
_AT_ONCE = 1 << 17  # parts of containers
_FEW = 4  # objects whose rows are made one by one
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1  # of integers that are packed


class ObjectTable:
    """Numbers objects and has their rows made. `is_user_module` tells classes of the program from library classes."""

    def __init__(
        self, units: Units, is_user_module: Callable[[str], bool], writer: Writer, limit: int = 20_000_000
    ) -> None:
        self.now = 0  # the time that objects met from now on get
        self.rows = Rows(self.numbers_of, is_user_module, writer)
        self._units = units
        self._marks = 0  # how many are known
        self._writer = writer
        self._known: collections.defaultdict[int, int] = collections.defaultdict(int)  # id → number
        self._next = FIRST_OBJECT
        self._recent: list[Any] = []  # scalars that are known
        self._recent_text = 0  # characters of long ones among them
        self._kinds = _Kinds()
        # Of the part under way, and as long as it is not written.
        self._part = 0
        self._part_kinds = bytearray()
        self._floats, self._ints = array.array("d"), array.array("q")
        self._texts: list[str] = []
        self._kept: dict[int, list[Any]] = {}  # part → its objects, None for scalars and those released
        self._alive: dict[int, int] = {}  # part → how many of them are not released
        self._times: dict[int, array.array[int]] = {}  # part → when its objects were met
        self._trash: list[Any] = []  # released, but their ends must wait
        self._goes_plainly: dict[int, bool] = {}
        self._classes: list[type] = []  # they stay alive, so that their ids stay their own
        self._limit = limit // ROWS_PER_PART

    # -- numbers ---------------------------------------------------------------------------------------------------

    def event_codes(self, events: list[Any], base: int) -> array.array[int]:
        """The codes of events, the first of which has the time `base`: marks and numbers of objects."""
        self._know_marks()
        known, before, size = self._known, self._next, len(events)
        iterator = iter(events)
        to_go: list[int] = []  # for each new object: how many events came after it
        known.default_factory = _numbered(before, iterator.__length_hint__, to_go.append).__next__  # type: ignore[attr-defined]
        codes = array.array("I", map(known.__getitem__, map(id, iterator)))
        if to_go:
            self._next = before + len(to_go)
            last = base + size - 1
            self._register(
                list(map(events.__getitem__, map(invert, to_go))), list(map(sub, repeat(last), to_go))
            )
        self.now = base + size - 1
        return codes

    def numbers_of(self, objects: Sequence[Any]) -> array.array[int]:
        """The numbers of many objects, parts of a container for example."""
        if len(objects) <= _AT_ONCE:
            return self._numbers_of(objects)
        codes = array.array("I")
        for start in range(0, len(objects), _AT_ONCE):
            codes.extend(self._numbers_of(objects[start : start + _AT_ONCE]))
        return codes

    def _numbers_of(self, objects: Sequence[Any]) -> array.array[int]:
        known, before = self._known, self._next
        size = len(known)
        known.default_factory = count(before).__next__
        codes = array.array("I", map(known.__getitem__, map(id, objects)))
        if len(known) != size:
            self._next += len(known) - size
            new = list(map(le, repeat(before), codes))
            found = dict(zip(compress(codes, new), compress(objects, new)))  # in order of their numbers
            self._register(list(found.values()), [self.now] * len(found))
        return codes

    def number(self, obj: Any) -> int:
        number = self._known.get(id(obj))
        return self._numbers_of((obj,))[0] if number is None else number

    def number_known(self, obj: Any) -> int:
        """0 for an object that the trace does not refer to, or not any more."""
        return self._known.get(id(obj), 0)

    def _know_marks(self) -> None:
        marks = self._units.marks
        if self._marks < len(marks):
            new = marks[self._marks :]
            self._marks += len(new)
            self._known.update(zip(map(id, new), self._units.codes_of_marks(new[0].number, KIND_SHIFT)))

    def _register(self, objects: list[Any], times: list[int]) -> None:
        """The next numbers belong to these objects."""
        classes = list(map(type, objects))
        kinds = bytes(map(self._kinds.__getitem__, map(id, classes)))
        if NEW in kinds:
            kinds = self._learn(kinds, classes)
        room, start = ROWS_PER_PART - len(self._part_kinds), 0
        while start < len(objects):
            end = start + room
            self._add(objects[start:end], kinds[start:end], times[start:end])
            room, start = ROWS_PER_PART, end
        if len(self._recent) > _MOST_RECENT or self._recent_text > _MOST_RECENT_TEXT:
            self._forget_scalars()

    def _learn(self, kinds: bytes, classes: list[type]) -> bytes:
        for cls in {id(cls): cls for kind, cls in zip(kinds, classes) if kind == NEW}.values():
            self._kinds[id(cls)] = COMPOUND
            self._classes.append(cls)
        return bytes(COMPOUND if kind == NEW else kind for kind in kinds)

    def _add(self, objects: list[Any], kinds: bytes, times: list[int]) -> None:
        """To the part under way, where there is room for them."""
        scalar = kinds.translate(_IS_SCALAR)
        if INTEGER in kinds:
            some = list(compress(objects, kinds.translate(_IS_INTEGER)))
            before = len(self._ints)
            try:
                self._ints.extend(some)
            except OverflowError:
                del self._ints[before:]
                kinds = _with_huge_ones(objects, kinds)
                self._ints.extend(compress(objects, kinds.translate(_IS_INTEGER)))
        if FLOAT in kinds:
            self._floats.extend(compress(objects, kinds.translate(_IS_FLOAT)))
        if TEXT in kinds:
            kinds = self._add_texts(objects, kinds)
        self._recent.extend(compress(objects, scalar))
        compound = len(scalar) - scalar.count(1)
        if compound or self._part in self._kept:
            kept = self._kept.get(self._part)
            if kept is None:
                kept = self._kept[self._part] = [None] * len(self._part_kinds)
                self._times[self._part] = array.array("I", [0]) * len(kept)
                self._alive[self._part] = 0
            kept += [None if is_scalar else obj for obj, is_scalar in zip(objects, scalar)]
            self._times[self._part].extend(times)
            self._alive[self._part] += compound
        self._part_kinds += kinds
        if len(self._part_kinds) == ROWS_PER_PART:
            self._write_part()
            if not self._alive.get(self._part, 1):
                self._forget_part(self._part)
            self._part += 1
            self._part_kinds = bytearray()
            self._floats, self._ints, self._texts = array.array("d"), array.array("q"), []

    def _add_texts(self, objects: list[Any], kinds: bytes) -> bytes:
        apart: list[int] = []
        texts: list[Any] = []
        for place, obj in zip(_places(kinds, TEXT), compress(objects, kinds.translate(_IS_TEXT))):
            if type(obj) is str:
                if len(obj) <= _LONG_TEXT:
                    texts.append(obj)
                    continue
            elif obj is None or obj is True or obj is False:
                texts.append(obj)
                continue
            elif type(obj) is complex:
                texts.append(scalar_row(obj))
                continue
            apart.append(place)
        self._texts.extend(map(encode, texts))
        if not apart:
            return kinds
        changed, first = bytearray(kinds), FIRST_OBJECT + self._part * ROWS_PER_PART + len(self._part_kinds)
        for place in apart:
            changed[place] = COMPOUND
            self.rows.text(first + place, objects[place])
            if type(objects[place]) in (str, bytes):
                self._recent_text += len(objects[place])
        return bytes(changed)

    def _write_part(self) -> None:
        self._writer.scalars(self._part, bytes(self._part_kinds), self._floats, self._ints, self._texts)

    def _forget_scalars(self) -> None:
        recent, self._recent, self._recent_text = self._recent, [], 0
        collections.deque(map(self._known.pop, map(id, recent), repeat(None)), 0)

    def first_seen(self, number: int) -> int | None:
        """When an object that is kept was first met."""
        part, index = divmod(number - FIRST_OBJECT, ROWS_PER_PART)
        times = self._times.get(part)
        return times[index] if times is not None and index < len(times) else None

    @property
    def alive(self) -> int:
        """How many objects are kept."""
        return sum(self._alive.values())

    @property
    def kept(self) -> int:
        """About how many objects are kept."""
        return len(self._kept) * ROWS_PER_PART

    # -- rows ------------------------------------------------------------------------------------------------------

    def complete(self) -> None:
        """Make the rows of all objects that are kept and of all they reach, as they are now."""
        created = self._part
        done = -1
        while True:
            parts = [part for part in self._kept if part > done]
            if not parts:
                break
            for part in sorted(parts):
                done, place = part, 0
                while place < len(self._kept[part]):  # the last one may grow meanwhile
                    first = FIRST_OBJECT + part * ROWS_PER_PART
                    some = self._kept[part][place:]
                    numbers = [first + place + at for at, obj in enumerate(some) if obj is not None]
                    objects = [obj for obj in some if obj is not None]
                    place += len(some)
                    if part - created > self._limit:
                        self.rows.refuse(numbers, objects)
                    else:
                        self.rows.add(numbers, objects)
        self.flush()

    def flush(self) -> None:
        """Write what is there; the part under way may be written again."""
        self.rows.flush()
        if self._part_kinds:
            self._write_part()

    def release(self, *, running: bool) -> None:
        """Let go the objects that nobody but us holds any more, and write down what they were to the end.

        While the program is `running`, those whose end may run code of its own are left to the garbage collector,
        which does it in a thread of the program's.
        """
        todo: list[int] = []
        for part, objects in self._kept.items():
            first = FIRST_OBJECT + part * ROWS_PER_PART
            alone = compress(count(first), map(ge, repeat(_ALONE_IN_LIST), map(getrefcount, objects)))
            todo.extend(alone)
        trash: list[Any] = [] if running else self._trash
        while todo:
            todo = self._release(todo, trash)
        if running and trash:
            trash.append(trash)

    def release_circles(self) -> None:
        """While the program runs: let go of what refers to each other and is held by nobody but us.

        It ends when the garbage collector finds it, in a thread of the program's.
        """
        numbers: list[int] = []
        objects: list[Any] = []
        for part, some in self._kept.items():
            first = FIRST_OBJECT + part * ROWS_PER_PART
            numbers.extend(first + place for place, obj in enumerate(some) if obj is not None)
            objects.extend(obj for obj in some if obj is not None)
        alone = held_by_us_alone(objects, references=2)
        objects.clear()
        todo = [number for number in numbers if id(self._object(number)) in alone]
        while todo:  # parts of them may get a number only now
            some = [self._take(number) for number in todo]
            parts = self.rows.add(todo, some)
            objects += some  # which are known until all have their rows
            todo = [number for number in set(parts) if id(self._object(number)) in alone]
        collections.deque(map(self._known.pop, map(id, objects), repeat(None)), 0)
        if objects:
            objects.append(objects)

    def _object(self, number: int) -> Any:
        """None where it is not kept."""
        part, place = divmod(number - FIRST_OBJECT, ROWS_PER_PART)
        objects = self._kept.get(part)
        return None if objects is None else objects[place]

    def _release(self, numbers: list[int], trash: list[Any]) -> list[int]:
        """Let these go. Returns those that only we hold now."""
        objects = [self._take(number) for number in numbers]
        parts = self.rows.add(numbers, objects)
        collections.deque(map(self._known.pop, map(id, objects), repeat(None)), 0)
        trash.extend(obj for obj in objects if not self._ends_quietly(obj))
        objects.clear()
        found: list[int] = []
        kept = self._kept
        for number in set(parts):
            part, place = divmod(number - FIRST_OBJECT, ROWS_PER_PART)
            some = kept.get(part)
            if some is not None:
                obj = some[place]
                if obj is not None and getrefcount(obj) <= _ALONE:
                    found.append(number)
        obj = None
        return found

    def _take(self, number: int) -> Any:
        part, place = divmod(number - FIRST_OBJECT, ROWS_PER_PART)
        objects = self._kept[part]
        obj, objects[place] = objects[place], None
        self._alive[part] -= 1
        if not self._alive[part] and part != self._part:
            self._forget_part(part)
        return obj

    def _forget_part(self, part: int) -> None:
        del self._kept[part], self._alive[part], self._times[part]

    def _ends_quietly(self, obj: Any) -> bool:
        """Whether nothing but memory goes with the object: no code runs, and what it holds is kept by us."""
        cls = type(obj)
        quiet = self._goes_plainly.get(id(cls))
        if not quiet and is_array_of_numbers(obj):
            return not getweakrefcount(obj)
        if quiet is None:
            quiet = self._goes_plainly[id(cls)] = _goes_plainly(cls)
            self._classes.append(cls)
        return quiet and not getweakrefcount(obj)

    def put_aside(self) -> Any:
        """Let go of the program's objects for the time of a garbage collection."""
        aside = (self._kept, self._trash)
        self._kept, self._trash = {}, []
        return aside

    def take_back(self, aside: Any) -> None:
        self._kept, self._trash = aside

    def let_all_go(self) -> None:
        """The program's objects: the table is part of a cycle, and would keep them until the next collection."""
        self._kept.clear()
        self._trash.clear()
        self._recent.clear()
        self._known.clear()
        self._classes.clear()
        self.rows.let_go()


NEW = 255  # the kind of a class that is not known yet


class _Kinds(dict[int, int]):
    """id of a class → where the rows of its objects are; of classes that are met for the first time `NEW`."""

    def __init__(self) -> None:
        super().__init__({id(cls): kind for cls, kind in _SCALARS})

    def __missing__(self, key: int) -> int:
        return NEW


_SCALARS = (
    (float, FLOAT), (int, INTEGER), (str, TEXT), (bool, TEXT), (type(None), TEXT), (bytes, TEXT), (complex, TEXT),
)  # fmt: skip
_IS_SCALAR = bytes(kind != COMPOUND for kind in range(256))
_IS_FLOAT, _IS_INTEGER, _IS_TEXT = (
    bytes(kind == wanted for kind in range(256)) for wanted in (FLOAT, INTEGER, TEXT)
)


def _numbered(first: int, to_go: Callable[[], int], note: Callable[[int], None]) -> Iterator[int]:
    """Numbers from `first` on; with each that is taken, how far an iterator has come is noted."""
    for number in count(first):
        note(to_go())
        yield number


def _with_huge_ones(objects: list[Any], kinds: bytes) -> bytes:
    """Integers that are too large to be packed are texts."""
    return bytes(
        TEXT if kind == INTEGER and not _LEAST <= obj <= _MOST else kind for obj, kind in zip(objects, kinds)
    )


def _places(kinds: bytes, kind: int) -> Iterator[int]:
    place = kinds.find(kind)
    while place >= 0:
        yield place
        place = kinds.find(kind, place + 1)


_WITHOUT_CODE = frozenset(map(id, (object, *BASES, *(cls for cls, _ in CONTAINERS), collections.OrderedDict)))
_OF_C = frozenset(
    map(id, (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType))
)


def _goes_plainly(cls: type) -> bool:
    """Whether the end of a `cls` without weak references is nobody's business, and all that it holds is in its row."""
    if cls is types.MethodType:
        return True
    for base in mro_of(cls):
        if id(base) in _WITHOUT_CODE:
            continue
        namespace = namespace_of(base)
        if "__del__" in namespace or not type.__dict__["__flags__"].__get__(base) & _HEAP_TYPE:
            return False
        for value in namespace.values():
            if id(type(value)) in _OF_C and value.__objclass__ is base:
                return False
            if type(value) is types.BuiltinFunctionType and value.__self__ is base:
                return False
    return True


_HEAP_TYPE = 1 << 9
# What `getrefcount` says of an object that only a list holds: of the list's item, of a local variable.
_ALONE_IN_LIST = next(map(getrefcount, [object()]))


def _count_of_local() -> int:
    objects = [object()]
    obj = objects[0]
    return getrefcount(obj)


_ALONE = _count_of_local()


def user_modules(is_user_file: Callable[[str], bool]) -> dict[str, dict[str, Any]]:
    """Namespaces of the program's own modules, by module name."""
    found = {}
    for name, module in list(sys.modules.items()):
        if type(name) is str and issubclass(type(module), types.ModuleType):
            namespace = vars(types.ModuleType)["__dict__"].__get__(module)
            file = namespace.get("__file__")
            if type(file) is str and is_user_file(file):
                found[name] = namespace
    return found
