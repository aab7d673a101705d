"""What is read before a write, so that any earlier state can be had back: the old value, or how to undo the change.

Everything here keeps one promise: no code of the program runs. Attributes are read through `getattr` only where
the class makes sure that it is plain (no `__getattr__`, `__getattribute__`, property or other descriptor in the way),
else through the type's own `__dict__` and slot descriptors; keys are looked up only when hashing them is ours to
know. What cannot be read that way is `UNKNOWN`. The tables below are keyed by class and filled on first sight.
"""

from __future__ import annotations

import array
import bisect
import collections
import heapq
import operator
import types
from typing import Any
from collections.abc import Callable, Mapping

from algotrace import BUILTINS
from algotrace.marks import ABSENT, UNKNOWN

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

# Classes whose instances hash and compare without user code.
SIMPLE: frozenset[type] = frozenset(
    {int, str, float, bool, bytes, type(None), complex, type(Ellipsis), type, types.FunctionType}
)  # fmt: skip
MUTABLE: frozenset[type] = frozenset(  # of these an in-place operator changes the object itself
    {list, dict, set, bytearray, collections.deque, collections.defaultdict, collections.OrderedDict}
)
DEFAULTING: type = collections.defaultdict  # reading an item may store one
READ_ERRORS = (LookupError, TypeError, AttributeError, ValueError)

_known_mro = type.__dict__["__mro__"].__get__  # type: ignore[attr-defined]
_known_namespace = type.__dict__["__dict__"].__get__  # type: ignore[attr-defined]
_module_dict = types.ModuleType.__dict__["__dict__"].__get__

Reader = Callable[..., Any]


def _mro(cls: type) -> tuple[type, ...]:
    """The classes that attributes are looked for in; those of a type that is not ready (before 3.12) are not known."""
    return _known_mro(cls) or (cls, object)


def _namespace(cls: type) -> Mapping[str, Any]:
    namespace: Mapping[str, Any] | None = _known_namespace(cls)
    return {} if namespace is None else namespace


def find_in_class(cls: type, name: str) -> Any:
    """The attribute `name` of a class as its `__mro__` holds it, or ABSENT; no descriptor is called."""
    for base in _mro(cls):
        if name in (namespace := _namespace(base)):
            return namespace[name]
    return ABSENT


def has_plain_access(cls: type) -> bool:
    """Whether reading an instance attribute of `cls` runs no `__getattr__` or `__getattribute__` of the program."""
    return (
        find_in_class(cls, "__getattr__") is ABSENT
        and type(find_in_class(cls, "__getattribute__")) is types.WrapperDescriptorType
    )


def dictionary_reader(cls: type) -> Callable[[Any], dict[str, Any]] | None:
    """How to get an instance's `__dict__` by the type's own descriptor, or None where it has none."""
    if issubclass(cls, type):
        return lambda obj: dict(_namespace(obj))
    if issubclass(cls, types.ModuleType):
        return _module_dict
    for base in _mro(cls):
        descriptor = _namespace(base).get("__dict__")
        if type(descriptor) in (types.GetSetDescriptorType, types.MemberDescriptorType):
            return descriptor.__get__
    return None


def not_stored(obj: Any, name: str, default: Any) -> Any:
    return UNKNOWN  # a property or the like: its setter's own writes are what changes


def attribute_reader(cls: type, name: str) -> Reader:
    found = find_in_class(cls, name)
    kind = type(found)
    if kind is types.MemberDescriptorType:  # a slot
        if not any(base is found.__objclass__ for base in _mro(cls)):
            return not_stored  # of another class: the store will fail
        if has_plain_access(cls):
            return getattr
        get = found.__get__

        def read_slot(obj: Any, name: str, default: Any) -> Any:
            try:
                return get(obj)
            except AttributeError:
                return default

        return read_slot
    if found is ABSENT and has_plain_access(cls) and not issubclass(cls, (type, types.ModuleType)):
        return getattr
    if find_in_class(kind, "__set__") is not ABSENT and found is not ABSENT:
        return not_stored
    read = dictionary_reader(cls)
    if read is None:
        return not_stored

    def read_dictionary(obj: Any, name: str, default: Any) -> Any:
        try:
            return read(obj).get(name, default)
        except TypeError:  # the descriptor of a base with another layout
            return UNKNOWN

    return read_dictionary


_tables: list[_Table] = []
_MADE_BY_CLASS_STATEMENT = 1 << 9
_flags = type.__dict__["__flags__"].__get__  # type: ignore[attr-defined]


def forget_classes() -> None:
    """Let go of the program's classes: through their methods they hold the modules they were made in."""
    for table in _tables:
        # A metaclass may say how its classes hash: they are not looked up one by one.
        kept = [item for item in table.items() if not _flags(item[0]) & _MADE_BY_CLASS_STATEMENT]
        table.clear()
        table.update(kept)
        if type(table) is StoreReaders:
            direct = [cls for cls in table.direct if not _flags(cls) & _MADE_BY_CLASS_STATEMENT]
            table.direct.clear()
            table.direct.update(direct)


class _Table(dict[type, Any]):
    """A table by class that stands in `co_consts`: debuggers hash code objects, and with them their constants."""

    def __init__(self, *known: Any) -> None:
        super().__init__(*known)
        _tables.append(self)

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__
    __ne__ = object.__ne__


class _Awaited(_Table):
    """class of an awaitable → how to get what tells whose run it is: its code object, or for others the class."""

    def __missing__(self, cls: type) -> Reader:
        self[cls] = type
        return type


AWAITED = _Awaited(
    {
        types.GeneratorType: operator.attrgetter("gi_code"),
        types.CoroutineType: operator.attrgetter("cr_code"),
        types.AsyncGeneratorType: operator.attrgetter("ag_code"),
    }
)


_ENDING = (
    BaseException,
    types.FrameType,
    types.TracebackType,
    memoryview,
)  # they hold frames, or a buffer's size
_ENDING_MODULES = frozenset({"sqlite3", "_sqlite3", "mmap", "tempfile"})


class _Kept(_Table):
    """class → whether its objects may live until the run is over: not where a program can wait for their end.

    `open(path, "w").write(text)` closes the file because nobody holds it; a generator left behind runs its `finally`.
    """

    def __missing__(self, cls: type) -> bool:
        mro = _mro(cls)
        self[cls] = kept = not (
            any("__del__" in _namespace(base) for base in mro)
            or any(ending in mro for ending in _ENDING)
            or _namespace(mro[0]).get("__module__") in _ENDING_MODULES
        )
        return kept


# Known at once, without a look at the table of all classes.
PLAIN = frozenset(
    (int, str, float, bool, bytes, complex, type(None), list, tuple, dict, set, frozenset, bytearray, range, slice, type, object,
         type(Ellipsis), type(NotImplemented), types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType,
         type({}.keys()), type({}.values()), type({}.items()), enumerate, zip, map, filter, reversed)
)  # fmt: skip
KEPT = _Kept(dict.fromkeys(PLAIN, True))


class AttributeReaders(_Table):
    """For one attribute name: class → `reader(object, name, default)`; a C function wherever possible."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def __missing__(self, cls: type) -> Reader:
        reader = self[cls] = attribute_reader(cls, self.name)
        return reader


class _Classes(set[type]):
    __hash__ = object.__hash__  # type: ignore[assignment]


class StoreReaders(AttributeReaders):
    """For stores outside `__init__`: classes that plainly have the attribute by then are `direct`, reading it as
    `object.name` is faster still. The first object of a class decides; one without it takes the class out again."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.direct = _Classes()

    def __missing__(self, cls: type) -> Reader:
        return self._first

    def _first(self, obj: Any, name: str, default: Any) -> Any:
        cls = type(obj)
        reader = self[cls] = attribute_reader(cls, name)
        value = reader(obj, name, default)
        if reader is getattr and value is not default:
            self.direct.add(cls)
        return value


NOT_A_CONTAINER, MAPPING, SEQUENCE, WRAPPED = 0, 1, 2, 3
_SEQUENCES = (list, bytearray, collections.deque, array.array)
_C_SETTERS: dict[type, int] = {
    dict: MAPPING,
    collections.OrderedDict: MAPPING,
    **dict.fromkeys(_SEQUENCES, SEQUENCE),
}


def container_kind(cls: type) -> int:
    """How `c[k] = v` stores: as a dict, as a sequence, or by code of its own (then that code is recorded)."""
    for base in _mro(cls):
        if "__setitem__" in _namespace(base):
            return next((kind for known, kind in _C_SETTERS.items() if known is base), NOT_A_CONTAINER)
    return NOT_A_CONTAINER


class _ContainerKinds(_Table):
    """class → `container_kind`."""

    def __missing__(self, cls: type) -> int:
        kind = self[cls] = container_kind(cls)
        return kind


CONTAINER_KINDS = _ContainerKinds()


def hashes_quietly(key: Any) -> bool:
    """Whether hashing and comparing `key` runs no code of the program."""
    if type(key) in SIMPLE:
        return True
    return type(key) is tuple and all(hashes_quietly(part) for part in key)


def read_mapping(container: dict[Any, Any], key: Any) -> Any:
    """`container[key]` before a store, for keys that are not of a simple class."""
    return dict.get(container, key, ABSENT) if hashes_quietly(key) else UNKNOWN


WITNESSED = 64  # parts that a copy of a container has at most, when it is only passed on


def witness(container: Any) -> Any:
    """A shallow copy of a container in MUTABLE; UNKNOWN where that would take long."""
    return COPIES[type(container)](container) if len(container) <= WITNESSED else UNKNOWN


def copy_content(container: Any) -> Any:
    """A shallow copy of a builtin container, to undo a change of all of it; UNKNOWN for anything else."""
    cls = type(container)
    if issubclass(cls, list):
        return list.copy(container)
    if issubclass(cls, dict):
        return dict(dict.items(container)) if cls is not dict else container.copy()
    if issubclass(cls, set):
        return set.copy(container)
    if issubclass(cls, collections.deque):
        return list(collections.deque.__iter__(container))
    if issubclass(cls, bytearray):
        return bytes(container)
    if issubclass(cls, array.array):
        return list(container)
    return UNKNOWN


COPIES: dict[type, Callable[[Any], Any]] = {
    list: list.copy, dict: dict.copy, set: set.copy, bytearray: bytes,
    collections.deque: list, collections.defaultdict: dict, collections.OrderedDict: dict,
}  # fmt: skip
NEVER_CHANGE_ARGUMENTS = frozenset(  # builtins, methods of builtin types and common library functions, by the name they go by
    {name for cls in (str, bytes, int, float, list, dict, set, frozenset, tuple, collections.deque) for name in vars(cls)}
    | {
        "abs", "all", "any", "ascii", "bin", "bool", "bytes", "callable", "chr", "complex", "deepcopy", "dict", "dir", "divmod",
        "enumerate", "filter", "float", "format", "frozenset", "getattr", "hasattr", "hash", "hex", "id", "int",
        "isinstance", "issubclass", "iter", "len", "list", "map", "max", "min", "oct", "ord", "pow", "print", "range", "repr",
        "reversed", "round", "set", "sorted", "str", "sum", "super", "tuple", "type", "zip", "bytearray", "deque", "Counter",
        "defaultdict", "OrderedDict", "accumulate", "chain", "choice", "choices", "combinations", "dumps", "fsum", "groupby",
        "islice", "mean", "median", "permutations", "pformat", "pprint", "prod", "product", "sample",
        "dump", "open", "namedtuple", "cast", "assertEqual", "assertNotEqual", "assertIn", "assertTrue", "assertFalse",
        "assertListEqual", "assertDictEqual", "assertIs", "assertIsNone", "assertIsInstance", "debug", "info", "warning",
    }
)  # fmt: skip


NOTHING = ("nothing",)  # the call will fail, or what it does is recorded elsewhere


# Undo information of a mutating method; taking it back must be harmless where the call fails: an int n (it had n parts: drop the rest), ("insert", i, v) (put v back at i),
# ("key", k, old), ("keys", {k: old}), ("member", x, was there), a whole copy, or UNKNOWN.
def _length(container: Any, *_: Any) -> Any:
    return len(container)


def _whole(container: Any, *_: Any) -> Any:
    return copy_content(container)


def _list_pop(container: list[Any], index: Any = -1) -> Any:
    if type(index) is int and -len(container) <= index < len(container):
        return ("insert", index % len(container), list.__getitem__(container, index))
    return NOTHING if type(index) is int else copy_content(container)


def _list_insert(container: list[Any], index: Any = 0, *_: Any) -> Any:
    if type(index) is not int:
        return copy_content(container)
    size = len(container)
    return ("drop", min(index, size) if index >= 0 else max(size + index, 0))


def _deque_push(container: collections.deque[Any], *_: Any) -> Any:
    return len(container) if container.maxlen is None else copy_content(container)


def _deque_push_left(container: collections.deque[Any], *_: Any) -> Any:
    return ("drop", 0) if container.maxlen is None else copy_content(container)


def _deque_pop(container: collections.deque[Any], *arguments: Any) -> Any:
    return ("insert", len(container) - 1, container[-1]) if container and not arguments else NOTHING


def _deque_pop_left(container: collections.deque[Any], *arguments: Any) -> Any:
    return ("insert", 0, container[0]) if container and not arguments else NOTHING


def _dict_key(container: dict[Any, Any], key: Any = ABSENT, *_: Any) -> Any:
    return ("key", key, dict.get(container, key, ABSENT)) if hashes_quietly(key) else copy_content(container)


def _dict_popitem(container: dict[Any, Any], *_: Any) -> Any:
    for key in reversed(container):
        return (
            ("key", key, dict.get(container, key, ABSENT)) if hashes_quietly(key) else copy_content(container)
        )
    return NOTHING


def _dict_update(container: dict[Any, Any], other: Any = ABSENT, *_: Any) -> Any:
    if type(other) is dict and all(map(hashes_quietly, other)):
        return ("keys", {key: dict.get(container, key, ABSENT) for key in other})
    return copy_content(container)


def _set_member(container: set[Any], item: Any = ABSENT, *_: Any) -> Any:
    return (
        ("member", item, set.__contains__(container, item))
        if hashes_quietly(item)
        else copy_content(container)
    )


_METHODS: dict[type, dict[str, Reader]] = {
    list: {
        "append": _length, "extend": _length, "pop": _list_pop, "insert": _list_insert, "remove": _whole,
        "sort": _whole, "reverse": _whole, "clear": _whole, "+=": _length, "*=": _whole,
        "__setitem__": _whole, "__delitem__": _whole, "__iadd__": _length,
    },
    collections.deque: {
        "append": _deque_push, "appendleft": _deque_push_left, "pop": _deque_pop, "popleft": _deque_pop_left,
        "extend": _deque_push, "extendleft": _whole, "rotate": _whole, "insert": _whole, "remove": _whole,
        "reverse": _whole, "clear": _whole, "+=": _deque_push, "*=": _whole,
    },
    dict: {
        "pop": _dict_key, "setdefault": _dict_key, "popitem": _dict_popitem, "update": _dict_update,
        "clear": _whole, "|=": _dict_update, "move_to_end": _whole, "subtract": _whole,
        "__setitem__": _dict_key, "__delitem__": _dict_key,
    },
    set: {
        "add": _set_member, "discard": _set_member, "remove": _set_member, "pop": _whole, "update": _whole,
        "clear": _whole, "difference_update": _whole, "intersection_update": _whole,
        "symmetric_difference_update": _whole, "|=": _whole, "&=": _whole, "-=": _whole, "^=": _whole,
    },
    bytearray: dict.fromkeys(
        ("append", "extend", "insert", "pop", "remove", "reverse", "clear", "+=", "*="), _whole
    ),
    array.array: dict.fromkeys(("append", "extend", "insert", "pop", "remove", "reverse", "byteswap", "+="), _whole),
}  # fmt: skip
METHOD_NAMES: frozenset[str] = frozenset(name for table in _METHODS.values() for name in table if name.isidentifier() or name.startswith("__"))  # fmt: skip


# What library functions do to their first argument; the second one is put into it.
LIBRARY_MUTATORS: dict[Any, str] = {
    heapq.heapify: "copy",
    heapq.heappop: "heappop",
    heapq.heappush: "heappush",
    heapq.heapreplace: "heapreplace",
    heapq.heappushpop: "heappushpop",
    bisect.insort_left: "left",
    bisect.insort_right: "right",  # `insort` is this one
}


def library_effect(function: Any) -> str:
    """How a library function changes its first argument; "" for all we do not know, and for the program's own."""
    if type(function) is types.BuiltinFunctionType:
        return LIBRARY_MUTATORS.get(function, "")
    if type(function) is types.MethodType:
        inner = function.__func__
        if type(inner) is types.FunctionType and inner.__name__ == "shuffle" and inner.__module__ == "random":
            return "copy"
    return ""


def library_undo(effect: str, container: list[Any], item: Any) -> Any:
    """Undo information of a library call, of a size that does not depend on the container's (but for whole rearrangements)."""
    if effect == "copy":
        return list.copy(container)
    if effect in ("left", "right"):
        return ("insorted", item, effect)
    if effect == "heappush":
        return ("heappush", item)
    if not container:
        return NOTHING
    moved = list.__getitem__(container, -1) if effect == "heappop" else item
    return (effect, moved, list.__getitem__(container, 0))


LIBRARY_NAMES: dict[str, str] = {  # as they are called in programs → the argument at which the call is noted
    **dict.fromkeys(("heappop", "heapify", "shuffle"), "first"),
    **dict.fromkeys(
        ("heappush", "heapreplace", "heappushpop", "insort", "insort_left", "insort_right"), "second"
    ),
    **dict.fromkeys(("setattr", "delattr", "__setattr__", "__delattr__"), "named"),
}


class MethodReaders(_Table):
    """For one mutating method (or in-place operator): class → what to read before, or None where it is user code."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def __missing__(self, cls: type) -> Reader | None:
        reader: Reader | None = None
        special = {"+=": "__iadd__", "*=": "__imul__", "|=": "__ior__", "&=": "__iand__", "-=": "__isub__", "^=": "__ixor__"}  # fmt: skip
        method = special.get(self.name, self.name)
        for base in _mro(cls):
            if base in _METHODS:
                reader = _METHODS[base].get(self.name)
                break
            namespace = _namespace(base)
            if method in namespace and isinstance(
                namespace[method], (types.FunctionType, property, staticmethod, classmethod)
            ):
                break  # overridden by code of the program: what that does is recorded there
        if cls is super:
            reader = self._through_super
        self[cls] = reader
        return reader

    def _through_super(self, proxy: Any, *arguments: Any) -> Any:
        target, builtin = behind_super(proxy, self.name)
        for base, table in _METHODS.items():
            if builtin and issubclass(type(target), base) and self.name in table:
                return table[self.name](target, *arguments)
        return NOTHING


def behind_super(proxy: Any, method: str) -> tuple[Any, bool]:
    """The object behind `super()`, and whether the method found there is a builtin type's."""
    target = super.__dict__["__self__"].__get__(proxy)  # type: ignore[attr-defined]
    here = super.__dict__["__thisclass__"].__get__(proxy)  # type: ignore[attr-defined]
    line = _mro(type(target))
    after = line[line.index(here) + 1 :] if here in line else ()
    for base in after:
        namespace = _namespace(base)
        if method in namespace:
            return target, isinstance(
                namespace[method], (types.MethodDescriptorType, types.WrapperDescriptorType)
            )
    return target, False
