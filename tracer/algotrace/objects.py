"""The object table: every object the trace refers to, as it is when the program has ended, by number.

The graph is walked with a work list, so a linked list of a million nodes is as good as any; sharing and cycles are
kept, since parts are numbers of other rows. No code of the program runs: content is read through the builtin types'
own methods and the classes' slot and `__dict__` descriptors. Rows are JSON, so that reading them back runs nothing:

    None, true, 12, 1.5, "text"       scalars as they are
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
import pathlib
import re
import sys
import types
import uuid
from typing import Any
from collections.abc import Callable

from algotrace.marks import Mark, Sentinel
from algotrace.undo import dictionary_reader, find_in_class

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


class ObjectTable:
    """Numbers objects and makes their rows. `is_user_file` tells classes of the program from library classes."""

    def __init__(self, first: int, is_user_module: Callable[[str], bool], limit: int = 20_000_000) -> None:
        self.first = first
        self.numbers: dict[int, int] = {}
        self.objects: list[Any] = []
        self.types: list[list[Any]] = []
        self._type_numbers: dict[int, int] = {}
        self._classes: list[type] = []
        self._makers: dict[type, Callable[[Any], Any]] = {
            list: functools.partial(self._row_container, "list"),
            dict: functools.partial(self._row_container, "dict"),
            tuple: functools.partial(self._row_container, "tuple"),
            set: functools.partial(self._row_container, "set"),
        }
        self._is_user_module = is_user_module
        self._limit = limit

    def number(self, obj: Any) -> int:
        """The object's number; a new one is queued to get its row."""
        number = self.numbers.get(id(obj))
        if number is None:
            number = self.numbers[id(obj)] = self.first + len(self.objects)
            self.objects.append(obj)  # which also keeps it alive, so that its id stays its own
        return number

    def release(self) -> None:
        """Let the program's objects go: the table is part of a cycle, and would keep them until the next collection."""
        self.objects.clear()
        self._classes.clear()
        self._makers.clear()

    def complete(self, emit: Callable[[list[Any]], None], at_a_time: int) -> None:
        """Make the rows of all numbered objects and of all they reach; hand them on, `at_a_time`, in order of number."""
        objects, makers, rows = self.objects, self._makers, []
        done = 0
        while done < len(objects):
            obj = objects[done]
            done += 1
            cls = type(obj)
            if cls is str or cls is float or cls is bool or obj is None:
                rows.append(obj if cls is not str or len(obj) <= LONGEST else _large(obj))
            elif cls is int:
                rows.append(obj if -_HUGE < obj < _HUGE else ["huge", hex(obj)])
            else:
                maker = makers.get(cls)
                if maker is None:
                    maker = makers[cls] = self._maker(cls)
                if len(objects) > self._limit:
                    rows.append(
                        ["opaque", self._type(cls), f"<{cls.__name__}, not recorded: too many objects>"]
                    )
                else:
                    rows.append(maker(obj))
            if len(rows) == at_a_time:
                emit(rows)
                rows = []
        if rows:
            emit(rows)

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
        if cls in (bytes, bytearray):
            return lambda obj: (
                [cls.__name__, bytes(obj).decode("latin-1")] if len(obj) <= LONGEST else _large(obj)
            )
        if cls is complex:
            return lambda obj: ["complex", obj.real, obj.imag]
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
