"""Rows: what the trace says of an object, as numbers of other objects and a *shape* that many rows have in common.

A shape is [kind, type, names of attributes or None, the most a deque may hold, or which of `FACTORIES` a defaultdict has,
or of `TYPECODES` an array (which is a list of numbers), or None]; its row is then the numbers of the parts (of a dict key, value, key, value…) and after them those of the
attributes. Rows of no shape are JSON, of one
of these forms or a scalar that is long:

    ["function", qualified name, module, file, line]   ["class", qualified name, module]   ["module", name]
    ["generator" | "textual" | "opaque", type, text]   ["bytearray", text]   ["absent"]   ["unknown"]   …
    ["cut", another text, start, stop, what comes before that part of it, what comes after it]

Rows of many objects of one class are made at once, by C code where that is possible. No code of the program runs:
content is read through the builtin types' own methods and the classes' slot and `__dict__` descriptors, and classes
are told apart by identity, since a metaclass may say how they hash and compare.
"""

from __future__ import annotations

import array
import builtins
import collections
import functools
import types
from gc import get_referents as _get_referents
from itertools import chain, repeat
from operator import is_, sub
from typing import Any
from collections.abc import Callable, Iterable, Sequence

from algotrace import BUILTINS
from algotrace.content import ANY, COMPARING, DEFAULTING, FACTORIES, OTHERS, TYPECODES
from algotrace.changed_by_operators import changed_by_operators, changed_by_reading, functions_behind
from algotrace.changes_in_text import Changes
from algotrace.library_code import attributes_touched
from algotrace.marks import Mark, Sentinel
from algotrace.object_makers import is_made_unwatched
from algotrace.in_hand import was_one_in_hand
from algotrace.scalars import LongTexts, encode, large, plain
from algotrace.textual import LONGEST_TEXT, is_textual, module_of, plain_text, qualname_of, text_of
from algotrace.trace_file import FIRST_OBJECT, LONGEST, MOST_PARTS, ROWS_PER_PART, Writer
from algotrace.class_tables import find_in_class
from algotrace.undo import NO_ATTRIBUTES, dictionary_reader, items_of, slot_readers

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

CONTAINERS: list[tuple[type, str]] = [
    (list, "list"), (tuple, "tuple"), (dict, "dict"), (set, "set"), (frozenset, "frozenset"), (collections.deque, "deque"),
]  # fmt: skip
_SHAPED = frozenset({kind for _, kind in CONTAINERS} | {"instance", "exception"})
_ITERATE: dict[str, Callable[[Any], Any]] = {
    "list": list.__iter__, "tuple": tuple.__iter__, "set": set.__iter__, "frozenset": frozenset.__iter__,
    "deque": collections.deque.__iter__,
}  # fmt: skip
BASES: tuple[type, ...] = (int, float, complex, str, bytes, bytearray)
_IN_A_ROW = frozenset(map(id, (list, tuple)))
_PLAIN_CONTAINERS = frozenset(map(id, (list, tuple, dict, set, frozenset, collections.deque)))
_FUNCTIONS = frozenset(
    map(
        id,
        (
            types.FunctionType,
            types.BuiltinFunctionType,
            types.MethodDescriptorType,
            types.WrapperDescriptorType,
        ),
    )
)
_GENERATORS = frozenset(map(id, (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)))
_TEXT = frozenset({id(str)})
_CHANGING = (list, dict, set, collections.deque, bytearray)
# Classes of the library whose objects are what the program stores into them, and nothing else.
_HOLDERS = (types.SimpleNamespace,)
_MOST_TOUCHED = 100_000
_LONG_SEQUENCE = 256  # parts
_NO_SEQUENCE: tuple[list[Any], array.array[int]] = [], array.array("I")
_MOST_SHAPES = 1 << 16
_MOST_IN_CHUNK = 1 << 20  # numbers, or characters of JSON
_of_bound = types.MethodType.__dict__
_function_of, _self_of = _of_bound["__func__"].__get__, _of_bound["__self__"].__get__
_values = dict.values
_code_of_array = array.array.__dict__["typecode"].__get__
_MOST_IN_ARRAY = 20_000  # numbers; of longer ones the start is told
_most_in_deque = collections.deque.__dict__["maxlen"].__get__

Bulk = Callable[[list[int], list[Any]], Sequence[int]]


class _Irregular(Exception):
    """Objects of one class that are not alike."""


class Rows:
    """Makes rows and writes them. `numbers` numbers many objects at once; `is_user_module` tells the program's classes."""

    def __init__(
        self,
        numbers: Callable[[Sequence[Any]], Sequence[int]],
        is_user_module: Callable[[str], bool],
        writer: Writer,
    ) -> None:
        self.types: list[list[Any]] = []
        self.touched: dict[int, frozenset[str]] = {}  # type → see `library_code`
        self._changed_by_reading: dict[int, frozenset[str]] = {}  # … by id
        self.touched_objects: list[int] = []  # containers that such attributes hold
        self.shapes: list[list[Any]] = []  # number - 1 → shape; 0 for rows in JSON
        self._numbers_of = numbers
        self._is_user_module = is_user_module
        self._writer = writer
        self._classes: list[type] = []  # they stay alive, so that their ids stay their own
        self._type_numbers: dict[int, int] = {}
        self._shape_numbers: dict[Any, int] = {}
        self._bulk: dict[int, Bulk] = {}
        self._makers: dict[int, Callable[[Any], Any]] = {}
        self._dictionary_readers: dict[int, Callable[[Any], dict[str, Any]] | None] = {}
        self._slots: dict[int, list[tuple[str, Callable[[Any], Any]]]] = {}
        self._long_texts = LongTexts()
        self._last_sequence = _NO_SEQUENCE  # the last long one: its parts and their numbers
        self._begin()

    def _begin(self) -> None:
        self._numbers, self._row_shapes = array.array("I"), array.array("I")
        self._counts, self._parts = array.array("I"), array.array("I")
        self._texts: list[str] = []
        self._text_size = 0

    def add(self, numbers: list[int], objects: list[Any]) -> list[int]:
        """Make the rows of objects, as they are now. Returns the numbers they refer to."""
        parts: list[int] = []
        for start in range(0, len(numbers), ROWS_PER_PART):
            end = start + ROWS_PER_PART
            self._add(numbers[start:end], objects[start:end], parts)
            self._last_sequence = _NO_SEQUENCE  # it is not for us to keep its parts alive
        return parts

    def _add(self, numbers: list[int], objects: list[Any], parts: list[int]) -> None:
        groups: dict[int, tuple[list[int], list[Any]]] = {}
        for number, obj in zip(numbers, objects):
            group = groups.get(id(type(obj)))
            if group is None:
                group = groups[id(type(obj))] = ([], [])
            group[0].append(number)
            group[1].append(obj)
        for key, (some_numbers, some_objects) in groups.items():
            bulk = self._bulk.get(key)
            if bulk is None:
                cls = type(some_objects[0])
                self._classes.append(cls)
                bulk = self._bulk[key] = self._bulk_maker(cls)
            try:
                if len(some_objects) == 1:
                    parts.extend(self._one_by_one(some_numbers, some_objects))
                else:
                    parts.extend(bulk(some_numbers, some_objects))
            except (_Irregular, AttributeError, TypeError, ValueError, RuntimeError):
                parts.extend(self._one_by_one(some_numbers, some_objects))

    def text(self, number: int, obj: Any) -> None:
        """The row of a long scalar."""
        self._json(number, self._long_texts.row(number, obj))

    def refuse(self, numbers: list[int], objects: list[Any]) -> None:
        for number, obj in zip(numbers, objects):
            text = f"<{qualname_of(type(obj)).rpartition('.')[2]}, not recorded: too many objects>"
            self._json(number, ["opaque", self._type(type(obj)), text])

    def flush(self) -> None:
        """Write what waits."""
        if self._numbers:
            self._writer.rows(self._numbers, self._row_shapes, self._counts, self._parts, self._texts)
            self._begin()

    def let_go(self) -> None:
        """The program's classes."""
        for table in (self._classes, self._bulk, self._makers, self._dictionary_readers, self._slots):
            table.clear()
        self._changed_by_reading.clear()

    # -- many at once ----------------------------------------------------------------------------------------------

    def _bulk_maker(self, cls: type) -> Bulk:
        for base, kind in CONTAINERS:
            if cls is base and base is not collections.deque:
                shape = self._shape(kind, self._type(cls), None, None)
                if cls is dict:
                    return functools.partial(self._mappings, shape)
                return functools.partial(self._sequences, shape)
        if cls is types.MethodType:
            return functools.partial(self._methods, self._shape("method", None, None, None))
        if issubclass(cls, (type, BaseException, *BASES, *(base for base, _ in CONTAINERS), array.array)):
            return self._one_by_one
        maker = self._maker_of(cls)
        if maker != self._row_instance:
            return self._one_by_one
        slots, read = self._slots_of(cls), self._dictionary_reader(cls)
        if self._type(cls) in self.touched:
            return self._one_by_one
        if read is not None and not slots:
            return functools.partial(self._instances, read, _Shapes(self, self._type(cls)))
        if read is None and slots:
            names = tuple(name for name, _ in slots)
            shape = self._shape("instance", self._type(cls), names, None)
            return functools.partial(self._slotted, shape, [get for _, get in slots])
        return self._one_by_one

    def _sequences(self, shape: int, numbers: list[int], objects: list[Any]) -> Sequence[int]:
        if not _are_whole(objects):
            raise _Irregular
        snapshots = list(map(tuple, objects))
        return self._put_many(numbers, repeat(shape), list(map(len, snapshots)), snapshots)

    def _mappings(self, shape: int, numbers: list[int], objects: list[Any]) -> Sequence[int]:
        snapshots = [tuple(chain.from_iterable(items)) for items in map(dict.items, objects)]
        return self._put_many(numbers, repeat(shape), list(map(len, snapshots)), snapshots)

    def _methods(self, shape: int, numbers: list[int], objects: list[Any]) -> Sequence[int]:
        pairs = list(zip(map(_function_of, objects), map(_self_of, objects)))
        return self._put_many(numbers, repeat(shape), [2] * len(pairs), pairs)

    def _instances(
        self, read: Callable[[Any], dict[str, Any]], shapes: _Shapes, numbers: list[int], objects: list[Any]
    ) -> Sequence[int]:
        dictionaries = list(map(read, objects))
        names, values = list(map(tuple, dictionaries)), list(map(tuple, map(_values, dictionaries)))
        counts = list(map(len, values))
        if counts != list(map(len, names)) or not _TEXT.issuperset(
            map(id, map(type, chain.from_iterable(names)))
        ):
            raise _Irregular  # fmt: skip
        return self._put_many(numbers, list(map(shapes.__getitem__, names)), counts, values)

    def _slotted(
        self, shape: int, getters: list[Callable[[Any], Any]], numbers: list[int], objects: list[Any]
    ) -> Sequence[int]:
        values = list(zip(*(map(get, objects) for get in getters)))
        return self._put_many(numbers, repeat(shape), [len(getters)] * len(values), values)

    def _put_many(
        self, numbers: list[int], shapes: Any, counts: list[int], values: list[tuple[Any, ...]]
    ) -> Sequence[int]:
        if sum(counts) > _MOST_IN_CHUNK and len(numbers) > 1:
            raise _Irregular
        parts = self._numbers_of(values[0] if len(values) == 1 else list(chain.from_iterable(values)))
        self._numbers.extend(map(sub, numbers, repeat(FIRST_OBJECT)))
        self._row_shapes.extend(shape for shape, _ in zip(shapes, counts))
        self._counts.extend(counts)
        self._parts.extend(parts)
        self._flush_if_full()
        return parts

    # -- one by one ------------------------------------------------------------------------------------------------

    def _one_by_one(self, numbers: list[int], objects: list[Any]) -> Sequence[int]:
        found: list[int] = []
        for number, obj in zip(numbers, objects):
            try:
                row = self._maker_of(type(obj))(obj)
                if type(row) is _Shaped:
                    found += self._shaped(number, row)
                else:
                    self._json(number, row)
            except (
                Exception
            ) as error:  # an array of characters that are none, say: one object must not cost the trace
                cls = type(obj)
                text = f"<{qualname_of(cls).rpartition('.')[2]}: {type(error).__name__}>"
                self._json(number, ["opaque", self._type(cls), text])
        return found

    def _shaped(self, number: int, row: _Shaped) -> Sequence[int]:
        attributes = row.attributes or []
        if len(row.parts) + len(attributes) > MOST_PARTS:
            self._json(number, ["opaque", row.type or 0, f"<{row.kind} of {len(row.parts):,} parts>"])
            return ()
        values = [value for _, value in attributes]
        numbers: Sequence[int]
        new: Sequence[int]
        if len(row.parts) < _LONG_SEQUENCE:
            numbers = new = self._numbers_of([*row.parts, *values])
        else:
            numbers, new = self._numbers_of_long(row.parts)
            more = array.array("I", self._numbers_of(values))
            numbers, new = numbers + more, new + more
        names = None if row.attributes is None else tuple(name for name, _ in attributes)
        if attributes and row.type in self.touched:
            self._note_touched(row.type, attributes, numbers[len(row.parts) :])
        shape = self._shape(row.kind, row.type, names, row.most)
        if not shape:
            self._json(number, _as_json(row, names or (), numbers))
            return new
        self._numbers.append(number - FIRST_OBJECT)
        self._row_shapes.append(shape)
        self._counts.append(len(numbers))
        self._parts.extend(numbers)
        self._flush_if_full()
        return new

    def _numbers_of_long(self, parts: list[Any]) -> tuple[array.array[int], array.array[int]]:
        """The numbers of a long sequence's parts, and those among them that are not also of the one before.

        In a loop, one may become the next one by a part or two.
        """
        last, known = self._last_sequence
        common = min(len(parts), len(last))
        if common and all(map(is_, parts, last)):
            new = array.array("I", self._numbers_of(parts[common:]))
            numbers = known[:common] + new
        elif common and all(map(is_, reversed(parts), reversed(last))):
            new = array.array("I", self._numbers_of(parts[:-common]))
            numbers = new + known[-common:]
        else:
            numbers = new = array.array("I", self._numbers_of(parts))
        self._last_sequence = (parts, numbers)
        return numbers, new

    def note_changed_unseen(self) -> None:
        """In the end: the classes of which others may have changed any object when nobody saw it."""
        for cls in self._classes:
            number = self._type_numbers.get(id(cls))
            if number is not None and (was_one_in_hand(cls) or is_made_unwatched(cls)):
                self.touched[number] = self.touched.get(number, frozenset()) | {ANY, OTHERS}

    def changed_by_operators(self, more: Iterable[type]) -> Changes:
        """… and by the operators of libraries, of which `more` classes are."""
        return changed_by_operators({id(cls): cls for cls in (*self._classes, *more)}.values())

    def comparing(self) -> list[str]:
        """The names that functions were defined by which classes have under those of `COMPARING`."""
        found: set[str] = set()
        for cls in self._classes:
            for name in COMPARING:
                found.update(each.__code__.co_name for each in functions_behind(find_in_class(cls, name)))
        return sorted(found - COMPARING)

    def _note_touched(self, cls: int, attributes: list[tuple[str, Any]], numbers: Sequence[int]) -> None:
        touched = self.touched[cls]
        maps = next((value for name, value in attributes if name == "maps"), None)
        if self.types[cls][:2] == ["ChainMap", "collections"] and type(maps) is list:
            self.touched_objects += self._numbers_of([each for each in maps if issubclass(type(each), dict)])
        if len(self.touched_objects) < _MOST_TOUCHED:
            self.touched_objects += [
                number
                for (name, value), number in zip(attributes, numbers)
                if (ANY in touched or name in touched) and issubclass(type(value), _CHANGING)
            ]

    def _json(self, number: int, row: Any) -> None:
        text = encode(row)
        self._numbers.append(number - FIRST_OBJECT)
        self._row_shapes.append(0)
        self._counts.append(0)
        self._texts.append(text)
        self._text_size += len(text)
        self._flush_if_full()

    def _flush_if_full(self) -> None:
        if (
            len(self._numbers) >= ROWS_PER_PART
            or len(self._parts) > _MOST_IN_CHUNK
            or self._text_size > _MOST_IN_CHUNK
        ):
            self.flush()

    def _shape(self, kind: str, cls: int | None, names: tuple[str, ...] | None, most: int | None) -> int:
        key = (kind, cls, names, most)
        number = self._shape_numbers.get(key)
        if number is None:
            if len(self.shapes) >= _MOST_SHAPES:
                return 0
            self.shapes.append([kind, cls, names, most])
            number = self._shape_numbers[key] = len(self.shapes)
        return number

    def _type(self, cls: type) -> int:
        number = self._type_numbers.get(id(cls))
        if number is None:
            number = self._type_numbers[id(cls)] = len(self.types)
            self._classes.append(cls)
            module = module_of(cls)
            fields = find_in_class(cls, "_fields") if issubclass(cls, tuple) else None
            named = (
                list(fields)
                if type(fields) is tuple and all(type(field) is str for field in fields)
                else None
            )
            if issubclass(cls, collections.defaultdict):
                named = [DEFAULTING]
            is_of_user = self._is_user_module(module) or any(cls is holder for holder in _HOLDERS)
            self.types.append([qualname_of(cls), module, is_of_user, named])
            touched = attributes_touched(cls)
            if is_of_user:
                touched |= changed_by_reading(cls, self._changed_by_reading)
            if touched:
                self.touched[number] = touched
        return number

    def _maker_of(self, cls: type) -> Callable[[Any], Any]:
        maker = self._makers.get(id(cls))
        if maker is None:
            self._classes.append(cls)
            maker = self._makers[id(cls)] = self._maker(cls)
        return maker

    def _maker(self, cls: type) -> Callable[[Any], Any]:
        """How rows of instances of `cls` are made one by one."""
        if cls is bytearray:
            return lambda obj: (
                ["bytearray", bytes(obj).decode("latin-1")] if len(obj) <= LONGEST else large(obj)
            )
        if cls is Sentinel:
            return lambda obj: [obj.name]
        if cls is types.CodeType:
            return lambda obj: ["opaque", self._type(cls), f"<code {obj.co_name}>"]
        if cls is Mark:
            return lambda obj: ["opaque", self._type(object), "<mark>"]
        if issubclass(cls, type):
            return _row_class
        if id(cls) in _FUNCTIONS:
            return _row_function
        if cls is types.MethodType:
            return lambda obj: _Shaped("method", None, [_function_of(obj), _self_of(obj)])
        if issubclass(cls, types.ModuleType):
            return lambda obj: [
                "module",
                plain_text(vars(types.ModuleType)["__dict__"].__get__(obj).get("__name__", "?")),
            ]
        if id(cls) in _GENERATORS:
            return lambda obj: ["generator", self._type(cls), plain_text(obj.__qualname__)]
        if issubclass(cls, array.array):
            return self._row_array
        for base, kind in CONTAINERS:
            if issubclass(cls, base):
                return functools.partial(self._row_container, kind)
        if issubclass(cls, BaseException):
            return self._row_exception
        for base in BASES:
            if issubclass(cls, base):

                def row_of_base(obj: Any, base: Any = base) -> Any:
                    return _Shaped("based", self._type(cls), [plain(base, obj)], self._attributes(obj))

                return row_of_base
        if not self._is_user_module(module_of(cls)) and is_textual(cls):
            return self._row_textual
        return self._row_instance

    def _row_instance(self, obj: Any) -> _Shaped:
        return _Shaped("instance", self._type(type(obj)), [], self._attributes(obj))

    def _row_container(self, kind: str, obj: Any) -> _Shaped | list[Any]:
        if id(type(obj)) in _IN_A_ROW and not _are_whole((obj,)):
            return ["opaque", self._type(type(obj)), f"<{kind}, not recorded: it was being made>"]
        parts = list(chain.from_iterable(items_of(obj)) if kind == "dict" else _ITERATE[kind](obj))
        cls = type(obj)
        plain = id(cls) in _PLAIN_CONTAINERS and not cls.__dictoffset__
        most = _most_in_deque(obj) if kind == "deque" else _factory(obj) if kind == "dict" else None
        attributes = None if plain and most is None else self._attributes(obj)
        return _Shaped(kind, self._type(cls), parts, attributes, most)

    def _row_array(self, obj: Any) -> _Shaped | list[Any]:
        code = _code_of_array(obj)
        if code not in TYPECODES or array.array.__len__(obj) > _MOST_IN_ARRAY:
            return ["textual", self._type(type(obj)), _text_of_array(obj)]
        numbers = array.array.tolist(obj)
        return _Shaped("list", self._type(type(obj)), numbers, self._attributes(obj), TYPECODES.index(code))

    def _row_exception(self, obj: Any) -> _Shaped:
        arguments = list(BaseException.__dict__["args"].__get__(obj))
        return _Shaped("exception", self._type(type(obj)), arguments, self._attributes(obj))

    def _row_textual(self, obj: Any) -> list[Any]:
        return ["textual", self._type(type(obj)), text_of(obj)[:LONGEST_TEXT]]

    def _attributes(self, obj: Any) -> list[tuple[str, Any]]:
        """Instance attributes with their values: the `__dict__`, then slots that are set."""
        cls = type(obj)
        result: list[tuple[str, Any]] = []
        read = self._dictionary_reader(cls)
        if read is not None:
            try:
                items = list(dict.items(read(obj)))
            except TypeError:  # the descriptor of a base with another layout: not to be had
                items = []
            result += [
                (name, value) for name, value in items if type(name) is str and name not in NO_ATTRIBUTES
            ]
        for name, get in self._slots_of(cls):
            try:
                result.append((name, get(obj)))
            except (AttributeError, TypeError):  # unset; or another class's slot, held by this one
                continue
        return result

    def _dictionary_reader(self, cls: type) -> Callable[[Any], dict[str, Any]] | None:
        read = self._dictionary_readers.get(id(cls))
        if read is None and id(cls) not in self._dictionary_readers:
            self._classes.append(cls)
            read = self._dictionary_readers[id(cls)] = dictionary_reader(cls)
        return read

    def _slots_of(self, cls: type) -> list[tuple[str, Callable[[Any], Any]]]:
        slots = self._slots.get(id(cls))
        if slots is None:
            self._classes.append(cls)
            slots = self._slots[id(cls)] = list(slot_readers(cls).items())
        return slots


def _factory(obj: Any) -> int | None:
    """Which builtin class a defaultdict makes its items of."""
    if not issubclass(type(obj), collections.defaultdict):
        return None
    factory = collections.defaultdict.__dict__["default_factory"].__get__(obj)
    return next((place for place, each in enumerate(_MADE_OF) if each is factory), None)


_MADE_OF = tuple(vars(builtins)[name] for name in FACTORIES)


class _Shaped:
    """A row before its parts have numbers."""

    __slots__ = ("attributes", "kind", "most", "parts", "type")

    def __init__(
        self,
        kind: str,
        cls: int | None,
        parts: list[Any],
        attributes: list[tuple[str, Any]] | None = None,
        most: int | None = None,
    ) -> None:
        self.kind = kind
        self.type = cls
        self.parts = parts
        self.attributes = attributes
        self.most = most


def _as_json(row: _Shaped, names: tuple[str, ...], numbers: Sequence[int]) -> list[Any]:
    parts = list(numbers[: len(row.parts)])
    attributes = [part for pair in zip(names, numbers[len(row.parts) :]) for part in pair]
    if row.kind == "method":
        return ["method", *parts]
    if row.kind == "based":
        return ["based", row.type, parts[0], attributes]
    most = [] if row.most is None else [row.most]
    return [row.kind, row.type, parts, *([] if row.attributes is None else [attributes]), *most]


class _Shapes(dict[tuple[str, ...], int]):
    """For instances of one class: names of attributes → shape."""

    def __init__(self, rows: Rows, cls: int) -> None:
        super().__init__()
        self._rows = rows
        self._type = cls

    def __missing__(self, names: tuple[str, ...]) -> int:
        shape = NO_ATTRIBUTES.isdisjoint(names) and self._rows._shape("instance", self._type, names, None)
        if not shape:
            raise _Irregular
        self[names] = shape
        return shape


def _text_of_array(obj: Any) -> str:
    """Its start: of a long one all would take long."""
    long = array.array.__len__(obj) > LONGEST_TEXT
    return array.array.__repr__(array.array.__getitem__(obj, slice(LONGEST_TEXT)) if long else obj)[
        :LONGEST_TEXT
    ]


def _row_class(obj: Any) -> list[Any]:
    return ["class", qualname_of(obj), module_of(obj)]


def _row_function(obj: Any) -> list[Any]:
    code = getattr(obj, "__code__", None) if type(obj) is types.FunctionType else None
    where = [code.co_filename, code.co_firstlineno] if code is not None else ["", 0]
    if (
        type(obj) is types.BuiltinFunctionType
    ):  # its own `__qualname__` asks the class of the object it is bound to
        owner = obj.__self__
        cls = owner if issubclass(type(owner), type) else type(owner)
        of_module = owner is None or issubclass(cls, types.ModuleType)  # type: ignore[arg-type]
        qualname = obj.__name__ if of_module else f"{qualname_of(cls)}.{obj.__name__}"  # type: ignore[arg-type]
    else:
        qualname = plain_text(obj.__qualname__)
    return ["function", qualname, plain_text(getattr(obj, "__module__", None)), *where]


def _are_whole(objects: Sequence[Any]) -> bool:
    """Whether these containers, all of one builtin class, have all their items.

    Who asks the garbage collector for all objects also gets lists and tuples that C code is about to fill. What reads
    an item of theirs that is not there yet crashes; the collector passes over it.
    """
    return len(_get_referents(*objects)) == sum(map(len, objects))
