"""The object table: every object the trace refers to, as it was when its life or the program ended, by number.

The graph is walked with a work list, so a linked list of a million nodes is as good as any; sharing and cycles are
kept, since parts are numbers of other rows. No code of the program runs: content is read through the builtin types'
own methods and the classes' slot and `__dict__` descriptors. Rows are JSON, so that reading them back runs nothing:

    None, true, 12, 1.5, "text"       scalars as they are (numbers are packed, see `trace_file`)
    [kind, type, parts, attributes?]  containers; parts are object numbers (a dict's are key, value, key, value…)
    [kind, …]                         the rest, see `_row_*`
"""

from __future__ import annotations

import array
import collections
import datetime
import decimal
import fractions
import functools
import hashlib
import json.encoder
import pathlib
import re
import sys
import types
import uuid
from _weakref import getweakrefcount
from sys import getrefcount
from typing import Any
from collections.abc import Callable

from algotrace import BUILTINS
from algotrace.marks import Mark, Sentinel
from algotrace.trace_file import ROWS_PER_PART, SCALAR_PARTS, Writer
from algotrace.undo import dictionary_reader, find_in_class

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_HUGE = (
    1 << 8000
)  # integers from here on are written in hex: decimal conversion of longer ones is refused by Python
LONGEST = 1 << 20  # of a str or bytes; of longer ones the start is kept, and a fingerprint
_TEXTUAL: tuple[type, ...] = (
    datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, decimal.Decimal, fractions.Fraction,
    pathlib.PurePath, re.Pattern, re.Match, uuid.UUID, range, slice, memoryview, types.MappingProxyType, types.GenericAlias,
)  # fmt: skip
_TEXTUAL_MODULES = ("numpy", "pandas")
_CONTAINERS: list[tuple[type, str]] = [
    (list, "list"), (tuple, "tuple"), (dict, "dict"), (set, "set"), (frozenset, "frozenset"), (collections.deque, "deque"),
]  # fmt: skip
_ITERATE: dict[str, Callable[[Any], Any]] = {
    "list": list.__iter__, "tuple": tuple.__iter__, "set": set.__iter__, "frozenset": frozenset.__iter__,
    "deque": collections.deque.__iter__,
}  # fmt: skip
_BASES: tuple[type, ...] = (int, float, complex, str, bytes, bytearray)
_SCALARS = frozenset({str, bool, type(None), bytes, complex})
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1  # of integers that are packed
_MOST_RECENT = 1 << 18  # scalars that are known by id
_MOST_TEXT = 1 << 22  # characters in one part
_MOST_WAITING = 512  # parts that wait for their last rows


class ObjectTable:
    """Numbers objects and makes their rows. `is_user_module` tells classes of the program from library classes.

    Numbers are given out by parts of `ROWS_PER_PART`, each for objects of one kind: floats, integers, other scalars,
    compound objects. Scalars get their rows at once and are forgotten soon; only as long are two that are one object
    one number. Compound objects are kept, and known by `id`, until they are released or the program has ended.
    """

    def __init__(
        self, first: int, is_user_module: Callable[[str], bool], writer: Writer, limit: int = 20_000_000
    ) -> None:
        self.first = first
        self.known = Known(self)
        self.now = 0  # time of the event that is being numbered
        self.types: list[list[Any]] = []
        self._writer = writer
        self._next_part = 0
        self._recent: list[Any] = []  # scalars that are known by id
        self._floats, self._integers = _NumberPart(self, "floats"), _NumberPart(self, "ints")
        self._texts = _TextPart(self)
        self._kept: dict[int, list[Any]] = {}  # part → its objects, None for those released
        self._alive: dict[int, int] = {}  # part → how many of them are not released
        self._times: dict[int, array.array[int]] = {}  # part → when each of its objects was first seen
        self._rows: dict[int, list[str]] = {}  # part → rows in JSON; not there once the part is written
        self._missing: dict[int, int] = {}  # … → how many rows it still waits for
        self._open: list[Any] = []  # the objects of the part that new ones go to
        self._open_part = -1
        self._trash: list[Any] = []  # released, but their ends must wait
        self._type_numbers: dict[int, int] = {}
        self._classes: list[type] = []
        self._goes_plainly: dict[type, bool] = {}
        self._makers: dict[type, Callable[[Any], Any]] = {
            list: functools.partial(self._row_container, "list"),
            dict: functools.partial(self._row_container, "dict"),
            tuple: functools.partial(self._row_container, "tuple"),
            set: functools.partial(self._row_container, "set"),
        }
        self._is_user_module = is_user_module
        self._limit = limit // ROWS_PER_PART

    # -- numbers ---------------------------------------------------------------------------------------------------

    def number(self, obj: Any) -> int:
        """The object's number; a new compound one is kept, and gets its row later."""
        number = self.known.get(id(obj))
        if number is not None:
            return number
        cls = type(obj)
        if cls is float:
            number = self._floats.add(obj)
        elif cls is int:
            number = (self._integers if _LEAST <= obj <= _MOST else self._texts).add(obj)
        elif cls in _SCALARS:
            number = self._texts.add(obj)
        elif cls is Mark and obj.number < self.first:
            number = self.known[id(obj)] = obj.number
            return number
        else:
            if len(self._open) == ROWS_PER_PART or self._open_part < 0:
                self._begin_part()
            self._open.append(obj)  # which also keeps it alive, so that its id stays its own
            self._times[self._open_part].append(self.now)
            self._alive[self._open_part] += 1
            number = self.first + self._open_part * ROWS_PER_PART + len(self._open) - 1
            self.known[id(obj)] = number
            return number
        self.known[id(obj)] = number
        self._recent.append(obj)
        if len(self._recent) > _MOST_RECENT:
            self._forget_scalars()
        return number

    def part(self) -> int:
        """A new part."""
        self._next_part += 1
        return self._next_part - 1

    def _begin_part(self) -> None:
        closed = self._open_part
        self._open, self._open_part = [], self.part()
        part = self._open_part
        self._kept[part] = self._open
        self._alive[part] = 0
        self._times[part] = array.array("I")
        self._rows[part] = ["null"] * ROWS_PER_PART
        self._missing[part] = ROWS_PER_PART
        if closed >= 0:
            self._write_if_complete(closed)
            if not self._alive[closed]:
                del self._kept[closed], self._alive[closed]

    def _forget_scalars(self) -> None:
        known = self.known
        for obj in self._recent:
            known.pop(id(obj), None)
        self._recent.clear()

    def first_seen(self, number: int) -> int | None:
        """When a compound object was first seen."""
        part, index = divmod(number - self.first, ROWS_PER_PART)
        times = self._times.get(part)
        return times[index] if times is not None and index < len(times) else None

    @property
    def kept(self) -> int:
        """About how many objects are kept."""
        return len(self._kept) * ROWS_PER_PART

    # -- rows ------------------------------------------------------------------------------------------------------

    def complete(self) -> None:
        """Make the rows of all objects that are kept and of all they reach, as they are now."""
        created = self._next_part
        parts = list(self._kept)
        for part in parts:  # which grows, with what is found
            objects, place = self._kept[part], 0
            while place < len(objects):  # … and so does the last of them
                obj = objects[place]
                if obj is not None:
                    row = self._row(obj) if self._next_part - created <= self._limit else self._refused(obj)
                    self._put(self.first + part * ROWS_PER_PART + place, row)
                place += 1
            if part == parts[-1]:
                parts.extend(new for new in self._kept if new > part)
        self.flush()

    def _refused(self, obj: Any) -> list[Any]:
        return ["opaque", self._type(type(obj)), f"<{type(obj).__name__}, not recorded: too many objects>"]

    def flush(self) -> None:
        """Write what is there; it may be written again."""
        for part in list(self._rows):
            size = len(self._kept[part]) if part == self._open_part else ROWS_PER_PART
            self._writer.rows(part, self._rows[part][:size])
        for scalars in (self._floats, self._integers, self._texts):
            scalars.write()

    def release(self, *, running: bool) -> None:
        """Let go the objects that nobody but us holds any more, and write down what they were to the end.

        While the program is `running`, those whose end may run code of its own are left to the garbage collector,
        which does it in a thread of the program's.
        """
        first = self.first
        todo = [
            first + part * ROWS_PER_PART + place
            for part, objects in self._kept.items()
            for place, count in enumerate(map(getrefcount, objects))
            if count <= _ALONE_IN_LIST
        ]
        trash: list[Any] = [] if running else self._trash
        while todo:
            part, place = divmod(todo.pop() - first, ROWS_PER_PART)
            objects = self._kept.get(part)
            if objects is None:
                continue
            obj = objects[place]
            if obj is None or getrefcount(obj) > _ALONE:
                continue
            row = self._row(obj)
            self._put(first + part * ROWS_PER_PART + place, row)
            self._let_go(part, place, obj)
            if not self._ends_quietly(obj):
                trash.append(obj)
            obj = None  # what it holds may be ours alone now
            todo.extend(_parts_of(row))
        if running and trash:
            trash.append(trash)
        self._write_long_waiting()

    def _let_go(self, part: int, place: int, obj: Any) -> None:
        del self.known[id(obj)]
        self._kept[part][place] = None
        self._alive[part] -= 1
        if not self._alive[part] and part != self._open_part:
            del self._kept[part], self._alive[part]

    def _put(self, number: int, row: Any) -> None:
        part, place = divmod(number - self.first, ROWS_PER_PART)
        rows = self._rows.get(part)
        if rows is None:
            self._writer.late_row(number - self.first, encode(row))
            return
        if rows[place] == "null":
            self._missing[part] -= 1
        rows[place] = encode(row)
        if not self._missing[part]:
            self._write_if_complete(part)

    def _write_if_complete(self, part: int) -> None:
        if not self._missing[part] and part != self._open_part:
            self._writer.rows(part, self._rows.pop(part))
            del self._missing[part]

    def _write_long_waiting(self) -> None:
        """Parts are written without the rows of long-lived objects once there are many of them."""
        waiting = [part for part in self._rows if part != self._open_part]
        for part in waiting[: len(waiting) // 2 if len(waiting) > _MOST_WAITING else 0]:
            self._writer.rows(part, self._rows.pop(part))
            del self._missing[part]

    def let_all_go(self) -> None:
        """The program's objects: the table is part of a cycle, and would keep them until the next collection."""
        self._kept.clear()
        self._trash.clear()
        self._open.clear()
        self._recent.clear()
        self.known.clear()
        self._classes.clear()
        self._makers.clear()

    def _row(self, obj: Any) -> Any:
        cls = type(obj)
        maker = self._makers.get(cls)
        if maker is None:
            maker = self._makers[cls] = self._maker(cls)
        try:
            return maker(obj)
        except (
            Exception
        ) as error:  # an array of characters that are none, say: one object must not cost the trace
            return ["opaque", self._type(cls), f"<{cls.__name__}: {type(error).__name__}>"]

    def _ends_quietly(self, obj: Any) -> bool:
        """Whether nothing but memory goes with the object: no code runs, and what it holds is kept by us."""
        cls = type(obj)
        quiet = self._goes_plainly.get(cls)
        if quiet is None:
            quiet = self._goes_plainly[cls] = _goes_plainly(cls)
        return quiet and not getweakrefcount(obj)

    def _type(self, cls: type) -> int:
        number = self._type_numbers.get(id(cls))
        if number is None:
            number = self._type_numbers[id(cls)] = len(self.types)
            self._classes.append(cls)  # keeps it alive, so that its id stays its own
            module = type.__dict__["__module__"].__get__(cls)  # type: ignore[attr-defined]
            module = module if type(module) is str else ""
            fields = find_in_class(cls, "_fields") if issubclass(cls, tuple) else None
            named = (
                list(fields)
                if type(fields) is tuple and all(type(field) is str for field in fields)
                else None
            )
            qualname = type.__dict__["__qualname__"].__get__(cls)  # type: ignore[attr-defined]
            self.types.append([qualname, module, self._is_user_module(module), named])
        return number

    def _maker(self, cls: type) -> Callable[[Any], Any]:
        """How rows of instances of `cls` are made; decided once per class."""
        if cls is bytearray:
            return lambda obj: (
                ["bytearray", bytes(obj).decode("latin-1")] if len(obj) <= LONGEST else _large(obj)
            )
        if cls is Sentinel:
            return lambda obj: [obj.name]
        if cls is types.CodeType:
            return lambda obj: ["opaque", self._type(cls), f"<code {obj.co_name}>"]
        if cls is Mark:
            return lambda obj: ["opaque", self._type(object), "<mark>"]
        if issubclass(cls, type):
            return self._row_class
        if cls in (
            types.FunctionType,
            types.BuiltinFunctionType,
            types.MethodDescriptorType,
            types.WrapperDescriptorType,
        ):
            return self._row_function
        if cls is types.MethodType:
            return lambda obj: ["method", self.number(obj.__func__), self.number(obj.__self__)]
        if issubclass(cls, types.ModuleType):
            return lambda obj: [
                "module",
                str(types.ModuleType.__dict__["__dict__"].__get__(obj).get("__name__", "?")),
            ]
        if cls in (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType):
            return lambda obj: ["generator", self._type(cls), obj.__qualname__]
        if issubclass(cls, array.array):
            return lambda obj: ["textual", self._type(cls), array.array.__repr__(obj)[:2000]]
        for base, kind in _CONTAINERS:
            if issubclass(cls, base):
                return functools.partial(self._row_container, kind)
        if issubclass(cls, BaseException):
            return self._row_exception
        for base in _BASES:
            if issubclass(cls, base):

                def row_of_base(obj: Any, base: Any = base) -> Any:
                    return ["based", self._type(cls), self.number(_plain(base, obj)), self._attributes(obj)]

                return row_of_base
        module = type.__dict__["__module__"].__get__(cls)  # type: ignore[attr-defined]
        library = type(module) is str and not self._is_user_module(module)
        if library and (_inherits(cls, _TEXTUAL) or module.partition(".")[0] in _TEXTUAL_MODULES):
            return self._row_textual
        return lambda obj: ["instance", self._type(cls), [], self._attributes(obj)]

    def _row_container(self, kind: str, obj: Any) -> list[Any]:
        number = self.number
        if kind == "dict":
            parts = [number(part) for pair in dict.items(obj) for part in pair]
        else:
            parts = [number(part) for part in _ITERATE[kind](obj)]
        row = [kind, self._type(type(obj)), parts]
        if type(obj).__dictoffset__ or type(obj) not in _PLAIN_CONTAINERS:
            row.append(self._attributes(obj))
        if kind == "deque" and obj.maxlen is not None:
            row[3:] = [row[3] if len(row) > 3 else [], obj.maxlen]
        return row

    def _row_exception(self, obj: Any) -> list[Any]:
        arguments = BaseException.__dict__["args"].__get__(obj)
        return [
            "exception",
            self._type(type(obj)),
            [self.number(part) for part in arguments],
            self._attributes(obj),
        ]

    def _row_class(self, obj: Any) -> list[Any]:
        module = type.__dict__["__module__"].__get__(obj)  # type: ignore[attr-defined]
        return ["class", type.__dict__["__qualname__"].__get__(obj), module if type(module) is str else ""]  # type: ignore[attr-defined]

    def _row_function(self, obj: Any) -> list[Any]:
        code = getattr(obj, "__code__", None) if type(obj) is types.FunctionType else None
        where = [code.co_filename, code.co_firstlineno] if code is not None else ["", 0]
        module = getattr(obj, "__module__", None)
        return ["function", obj.__qualname__, module if type(module) is str else "", *where]

    def _row_textual(self, obj: Any) -> list[Any]:
        """A library value that reads best as its `repr`; guarded, since a repr may do anything."""
        try:
            text = repr(obj)
        except Exception as error:  # the program must not fail, whatever a library's repr does
            text = f"<{type(obj).__name__}: its repr failed with {type(error).__name__}>"
        return ["textual", self._type(type(obj)), text[:20_000]]

    def _attributes(self, obj: Any) -> list[Any]:
        """Instance attributes as name, number, name, number…: the `__dict__`, then slots that are set."""
        cls = type(obj)
        result: list[Any] = []
        read = _dictionary_readers.get(cls)
        if read is None and cls not in _dictionary_readers:
            read = _dictionary_readers[cls] = dictionary_reader(cls)
        if read is not None:
            try:
                items = list(dict.items(read(obj)))
            except TypeError:  # the descriptor of a base with another layout: not to be had
                items = []
            for name, value in items:
                if type(name) is str:
                    result += (name, self.number(value))
        slots = _slots.get(cls)
        if slots is None:
            slots = _slots[cls] = _slot_descriptors(cls)
        for name, get in slots:
            try:
                result += (name, self.number(get(obj)))
            except (AttributeError, TypeError):  # unset; or another class's slot, held by this one
                continue
        return result


class Known(dict[int, int]):
    """id → number. An event that is not known yet is numbered while a whole list of events is looked up."""

    __slots__ = ("_base", "_events", "_iterator", "_table")

    def __init__(self, table: ObjectTable) -> None:
        super().__init__()
        self._table = table
        self._events: list[Any] = []
        self._base = 0

    def numbers(self, events: list[Any], base: int) -> array.array[int]:
        """The numbers of events, the first of which has the time `base`."""
        self._events, self._base, self._iterator = events, base, iter(events)
        try:
            return array.array("I", map(self.__getitem__, map(id, self._iterator)))
        finally:
            self._events, self._iterator = [], iter([])

    def __missing__(self, key: int) -> int:
        place = len(self._events) - self._iterator.__length_hint__() - 1
        self._table.now = self._base + place
        return self._table.number(self._events[place])


class _NumberPart:
    """Rows of numbers that fit into an array."""

    def __init__(self, table: ObjectTable, name: str) -> None:
        self._table = table
        self._name = name
        self._numbers: array.array[Any] = array.array(SCALAR_PARTS[name])
        self._part, self._start = -1, 0

    def add(self, number: float) -> int:
        place = len(self._numbers)
        if self._part < 0 or place == ROWS_PER_PART:
            self.write()
            self._numbers = array.array(self._numbers.typecode)
            self._part, place = self._table.part(), 0
            self._start = self._table.first + self._part * ROWS_PER_PART
        self._numbers.append(number)
        return self._start + place

    def write(self) -> None:
        if self._part >= 0:
            self._table._writer.blob(self._name, self._numbers.tobytes(), self._part)


class _TextPart:
    """Rows of texts, and of whatever scalars are rare."""

    def __init__(self, table: ObjectTable) -> None:
        self._table = table
        self._rows: list[str] = []
        self._size = 0
        self._part, self._start = -1, 0

    def add(self, obj: Any) -> int:
        place = len(self._rows)
        if self._part < 0 or place == ROWS_PER_PART or self._size > _MOST_TEXT:
            self.write()
            self._rows, self._size = [], 0
            self._part, place = self._table.part(), 0
            self._start = self._table.first + self._part * ROWS_PER_PART
        row = encode(_scalar_row(obj))
        self._size += len(row)
        self._rows.append(row)
        return self._start + place

    def write(self) -> None:
        if self._part >= 0:
            self._table._writer.rows(self._part, self._rows)


# C code, which the program cannot have replaced.
_pieces = json.encoder.c_make_encoder(  # type: ignore[misc]
    None, None, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, True
)


def encode(row: Any) -> str:
    """A row as JSON."""
    return "".join(_pieces(row, 0))


def _scalar_row(obj: Any) -> Any:
    cls = type(obj)
    if cls is str:
        return obj if len(obj) <= LONGEST else _large(obj)
    if cls is int:
        return obj if -_HUGE < obj < _HUGE else ["huge", hex(obj)]
    if cls is bytes:
        return ["bytes", obj.decode("latin-1")] if len(obj) <= LONGEST else _large(obj)
    return ["complex", obj.real, obj.imag] if cls is complex else obj


def _parts_of(row: Any) -> list[int]:
    """The numbers of the objects that a row refers to."""
    kind = row[0]
    if kind == "method":
        return [row[1], row[2]]
    if kind == "based":
        return [row[2], *row[3][1::2]]
    if len(row) > 2 and type(row[2]) is list:
        return row[2] + row[3][1::2] if len(row) > 3 else row[2]  # type: ignore[no-any-return]
    return []


_WITHOUT_CODE = frozenset({object, *_BASES, *(cls for cls, _ in _CONTAINERS), collections.OrderedDict})
_OF_C = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)


def _goes_plainly(cls: type) -> bool:
    """Whether the end of a `cls` without weak references is nobody's business, and all that it holds is in its row."""
    if cls is types.MethodType:
        return True
    for base in type.__dict__["__mro__"].__get__(cls):  # type: ignore[attr-defined]
        if base in _WITHOUT_CODE:
            continue
        namespace = type.__dict__["__dict__"].__get__(base)  # type: ignore[attr-defined]
        if "__del__" in namespace or not type.__dict__["__flags__"].__get__(base) & _HEAP_TYPE:  # type: ignore[attr-defined]
            return False
        for value in namespace.values():
            if type(value) in _OF_C and value.__objclass__ is base:
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
_PLAIN_CONTAINERS = frozenset({list, tuple, dict, set, frozenset, collections.deque})
_dictionary_readers: dict[type, Callable[[Any], dict[str, Any]] | None] = {}
_slots: dict[type, list[tuple[str, Callable[[Any], Any]]]] = {}


def _inherits(cls: type, bases: tuple[type, ...]) -> bool:
    """`issubclass` without the metaclasses' say."""
    return any(base is candidate for base in type.__dict__["__mro__"].__get__(cls) for candidate in bases)  # type: ignore[attr-defined]


def _large(obj: Any) -> list[Any]:
    """["large", type, its start, its length, a fingerprint of all of it]"""
    data = obj.encode(errors="surrogatepass") if type(obj) is str else obj
    start = obj[:1000] if type(obj) is str else bytes(obj[:1000]).decode("latin-1")
    return ["large", type(obj).__name__, start, len(obj), hashlib.blake2b(data, digest_size=16).hexdigest()]


def _slot_descriptors(cls: type) -> list[tuple[str, Callable[[Any], Any]]]:
    found: dict[str, Callable[[Any], Any]] = {}
    for base in type.__dict__["__mro__"].__get__(cls):  # type: ignore[attr-defined]
        namespace = type.__dict__["__dict__"].__get__(base)  # type: ignore[attr-defined]
        if "__slots__" not in namespace:
            continue
        for name, value in namespace.items():
            if type(value) is types.MemberDescriptorType and name not in ("__dict__", "__weakref__"):
                found.setdefault(name, value.__get__)
    return list(found.items())


def _plain(base: Any, obj: Any) -> Any:
    """The builtin value inside an instance of a subclass of int, float, str…, without running its methods."""
    if base is int:
        return int.__add__(obj, 0)
    if base is float:
        return float.__add__(obj, 0.0)
    if base is complex:
        return complex.__add__(obj, 0j)
    if base is str:
        return str.__str__(obj)
    return bytes(
        bytes.__getitem__(obj, slice(None)) if base is bytes else bytearray.__getitem__(obj, slice(None))
    )


def user_modules(is_user_file: Callable[[str], bool]) -> dict[str, dict[str, Any]]:
    """Namespaces of the program's own modules, by module name."""
    found = {}
    for name, module in list(sys.modules.items()):
        if issubclass(type(module), types.ModuleType):
            namespace = types.ModuleType.__dict__["__dict__"].__get__(module)
            file = namespace.get("__file__")
            if type(file) is str and is_user_file(file):
                found[name] = namespace
    return found
