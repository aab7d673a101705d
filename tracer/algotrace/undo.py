"""What is read before a write, so that any earlier state can be had back: the old value, or how to undo the change.

Everything here keeps one promise: no code of the program runs. Attributes are read through `getattr` only where
the class makes sure that it is plain (no `__getattr__`, `__getattribute__`, property or other descriptor in the way),
else through the type's own `__dict__` and slot descriptors; keys are looked up only when hashing them is ours to
know. What cannot be read that way is `UNKNOWN`. The tables by class are filled on first sight.
"""

from __future__ import annotations

import array
import collections
import types
from typing import Any
from collections.abc import Callable

from algotrace import BUILTINS
from algotrace.class_tables import (
    Classes, Sign, Table, all_of_it, find_in_class, is_written_in_c, mro_of, namespace_of, turn_to_addresses,
)  # fmt: skip
from algotrace.deletions import is_copy_due
from algotrace.marks import ABSENT, UNKNOWN
from algotrace.quiet_lookups import OWN_EQUAL, quietly, value_at
from algotrace.views import let_go_of_views, note_passed_on
from algotrace.weak_proxies import PROXIES, behind, seen_through

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

# Classes whose instances hash and compare without user code.
SIMPLE = Classes(
    {int, str, float, bool, bytes, type(None), complex, type(Ellipsis), type, types.FunctionType}
)  # fmt: skip
NO_CONTAINER, BUILTIN, DERIVED = 0, 1, 2


class _Containers(Table):
    """class → whether its objects are containers that an in-place operator or library code may change: BUILTIN for the
    common ones, DERIVED for others, which may have methods of the program's own."""

    def __missing__(self, cls: type) -> int:
        if cls is memoryview:  # is not held, and is asked for each time
            note_passed_on()
            return NO_CONTAINER
        kind = self[cls] = DERIVED if issubclass(cls, _CHANGEABLE) or id(cls) in PROXIES else NO_CONTAINER
        return kind


_CHANGEABLE = (list, dict, set, bytearray, collections.deque, array.array)
CONTAINERS = _Containers(
    dict.fromkeys(
        (list, dict, set, bytearray, collections.deque, collections.defaultdict, collections.OrderedDict), BUILTIN
    )
)  # fmt: skip


class _Passed(Table):
    """The same for arguments of calls that may not be recorded: methods of containers, too, by which these are changed."""

    def __missing__(self, cls: type) -> int:
        kind = self[cls] = DERIVED if id(cls) in BOUND_METHODS else CONTAINERS[cls]
        return kind


PASSED_ON = _Passed(CONTAINERS)
BOUND_METHODS = frozenset(map(id, (types.BuiltinFunctionType, types.MethodWrapperType)))


def owner_of(obj: Any) -> Any:
    """The container of which something is a method, else the thing itself."""
    if id(type(obj)) in BOUND_METHODS and CONTAINERS[type(obj.__self__)]:
        return obj.__self__
    return obj


MIXED = (
    Sign()
)  # whether a container may be of a class whose bases are none, so that their methods know it as `self`


def note_mixed(cls: Any) -> None:
    """After a class statement of the program, or a call that makes a class."""
    if issubclass(type(cls), type) and issubclass(cls, _CHANGEABLE):
        bases = (base for base in mro_of(cls) if base is not object)
        if not all(issubclass(base, _CHANGEABLE) for base in bases):
            MIXED.on = True


class _NamesOfClasses(dict[str, Sign]):
    """name → whether some class has it, by which an object may be read that has no such attribute itself."""

    any = False  # there is a class that answers to any name

    def __missing__(self, name: str) -> Sign:
        sign = self[name] = Sign(self.any or name in _names_of_classes)
        return sign

    def expect_any(self) -> None:
        self.any = True
        for sign in self.values():
            sign.on = True


_names_of_classes: set[str] = set()
NAMES_OF_CLASSES = _NamesOfClasses()


def note_names(cls: Any) -> None:
    """After a class statement of the program, or a call that makes a class: names of what is no function."""
    if issubclass(type(cls), type):
        for base in mro_of(cls):
            if _flags_of(base) & _HEAP_TYPE:
                namespace = list(namespace_of(base).items())
                if not NAMES_OF_CLASSES.any and any(name in _ANSWERING for name, _ in namespace):
                    NAMES_OF_CLASSES.expect_any()
                note_name_of_class(
                    *(name for name, value in namespace if type(value) is not types.FunctionType)
                )


def note_name_of_class(*names: Any) -> None:
    for name in names:
        if type(name) is str and name not in _names_of_classes:
            _names_of_classes.add(name)
            if name in NAMES_OF_CLASSES:
                NAMES_OF_CLASSES[name].on = True


_ANSWERING = ("__getattr__", "__getattribute__")
_flags_of = type.__dict__["__flags__"].__get__
_HEAP_TYPE = 1 << 9
READ_ERRORS = (LookupError, TypeError, AttributeError, ValueError)

NO_ATTRIBUTES = frozenset(
    {"__IOBase_closed", "__orig_class__", "_sort_order_"}
)  # Python itself keeps them in an object, unseen

module_namespace = vars(types.ModuleType)["__dict__"].__get__

Reader = Callable[..., Any]


def has_plain_access(cls: type) -> bool:
    """Whether reading an instance attribute of `cls` runs no `__getattr__` or `__getattribute__` of the program."""
    return (
        find_in_class(cls, "__getattr__") is ABSENT
        and type(find_in_class(cls, "__getattribute__")) is types.WrapperDescriptorType
    )


def dictionary_reader(cls: type) -> Callable[[Any], dict[str, Any]] | None:
    """How to get an instance's `__dict__` by the type's own descriptor, or None where it has none."""
    if issubclass(cls, type):
        return lambda obj: dict(namespace_of(obj))
    if issubclass(cls, types.ModuleType):
        return module_namespace  # type: ignore[no-any-return]
    for base in mro_of(cls):
        descriptor = namespace_of(base).get("__dict__")
        if type(descriptor) in (types.GetSetDescriptorType, types.MemberDescriptorType):
            return descriptor.__get__  # type: ignore[no-any-return, union-attr]
    return None


def slots_of(cls: type) -> list[str]:
    """The attributes that a class and its bases have slots for."""
    return [
        name
        for base in mro_of(cls)
        for name, value in namespace_of(base).items()
        if type(value) is types.MemberDescriptorType
    ]


def slot_readers(cls: type) -> dict[str, Callable[[Any], Any]]:
    """How to get at what is in the slots that the class statements of a class and its bases made."""
    found: dict[str, Callable[[Any], Any]] = {}
    for base in mro_of(cls):
        namespace = namespace_of(base)
        if "__slots__" not in namespace:
            continue
        for name, value in namespace.items():
            if type(value) is types.MemberDescriptorType and name not in ("__dict__", "__weakref__"):
                found.setdefault(name, value.__get__)
    return found


def not_stored(obj: Any, name: str, default: Any) -> Any:
    return UNKNOWN  # a property or the like: its setter's own writes are what changes


class _Changing:
    """Whether classes seen before may have got a descriptor for any attribute."""

    all_of_them = False


_changing: set[str] = set()  # else for these


def expect_descriptors(name: str | None = None) -> None:
    """From now on classes may have one for the attribute, or for any, whatever they were when they were first seen."""
    if name is None:
        _Changing.all_of_them = True
    else:
        _changing.add(name)
    some = _readers if name is None else {name: _readers.get(name, [])}
    for readers in some.values():
        for table in readers:
            table.forget(all_of_it)
            if isinstance(table, StoreReaders):
                table.direct.forget(all_of_it)


_told: list[Callable[[str], None]] = []


def when_class_changes(tell: Callable[[str], None]) -> None:
    """It is to be told the attribute's name, before a store in a class."""
    _told.append(tell)


when_class_changes(note_name_of_class)


def _read_of_class(obj: Any, name: str, default: Any) -> Any:
    """Before a store in a class: its objects may have had an attribute of that name without anything in the way."""
    for tell in _told:
        tell(name)
    if name not in _changing:
        expect_descriptors(name)
        if name in ("__hash__", "__eq__") and issubclass(obj, type):
            turn_to_addresses()
    return namespace_of(obj).get(name, default)


def _read_anew(obj: Any, name: str, default: Any) -> Any:
    return _reader_at_present(type(obj), name)(obj, name, default)


def attribute_reader(cls: type, name: str) -> Reader:
    reader = _reader_at_present(cls, name)
    if reader is getattr and (_Changing.all_of_them or name in _changing):
        return _read_anew
    return reader


def _class_at_present(obj: Any, name: str, default: Any) -> Any:
    return type(obj)


def _read_behind(proxy: Any, name: str, default: Any) -> Any:
    obj = behind(proxy)
    return default if obj is ABSENT else _reader_at_present(type(obj), name)(obj, name, default)


_exception_arguments = BaseException.__dict__["args"]


def _arguments_at_present(obj: Any, name: str, default: Any) -> Any:
    return _exception_arguments.__get__(obj)


def _reader_at_present(cls: type, name: str) -> Reader:
    if id(cls) in PROXIES:
        return _read_behind
    found = find_in_class(cls, name)
    if name == "__class__" and found is object.__dict__[name]:
        return _class_at_present
    if found is _exception_arguments:
        return _arguments_at_present
    kind = type(found)
    if kind is types.MemberDescriptorType:  # a slot
        if not any(base is found.__objclass__ for base in mro_of(cls)):
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
    if issubclass(cls, type):
        return _read_of_class

    def read_dictionary(obj: Any, name: str, default: Any) -> Any:
        try:
            return dict.get(read(obj), name, default)
        except TypeError:  # the descriptor of a base with another layout
            return UNKNOWN

    return read_dictionary


_ENDING = (
    BaseException,
    types.FrameType,
    types.TracebackType,
    memoryview,
)  # they hold frames, or a buffer's size
_ENDING_MODULES = frozenset({"sqlite3", "_sqlite3", "mmap", "tempfile"})
_name = type.__dict__["__name__"].__get__
# Builtin classes, in no module: by them a generator or a coroutine is awaited, which they hold.
AWAITING = frozenset(
    {"async_generator_asend", "async_generator_athrow", "anext_awaitable", "coroutine_wrapper"}
)


class _Kept(Table):
    """class → whether its objects may live until the run is over: not where a program can wait for their end.

    `open(path, "w").write(text)` closes the file because nobody holds it; a generator left behind runs its `finally`.
    """

    def __missing__(self, cls: type) -> bool:
        module = namespace_of(cls).get("__module__")
        self[cls] = kept = not (
            any("__del__" in namespace_of(base) for base in mro_of(cls))
            or issubclass(cls, _ENDING)
            or (type(module) is str and module in _ENDING_MODULES)
            or (module is None and _name(cls) in AWAITING)
        )
        return kept


# Known at once, without a look at the table of all classes.
PLAIN = frozenset(
    (int, str, float, bool, bytes, complex, type(None), list, tuple, dict, set, frozenset, bytearray, range, slice, type, object,
         type(Ellipsis), type(NotImplemented), types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType,
         type({}.keys()), type({}.values()), type({}.items()), enumerate, zip, map, filter, reversed)
)  # fmt: skip
KEPT = _Kept(dict.fromkeys(PLAIN, True))


_readers: dict[str, list[AttributeReaders]] = {}  # by the attribute's name


class AttributeReaders(Table):
    """For one attribute name: class → `reader(object, name, default)`; a C function wherever possible."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        _readers.setdefault(name, []).append(self)

    def __missing__(self, cls: type) -> Reader:
        reader = self[cls] = attribute_reader(cls, self.name)
        return reader


class StoreReaders(AttributeReaders):
    """For stores outside `__init__`: classes that plainly have the attribute by then are `direct`, reading it as
    `object.name` is faster still. The first object of a class decides; one without it takes the class out again."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.direct = Classes()

    def __missing__(self, cls: type) -> Reader:
        return self._first

    def _first(self, obj: Any, name: str, default: Any) -> Any:
        cls = type(obj)
        reader = self[cls] = attribute_reader(cls, name)
        value = reader(obj, name, default)
        if reader is getattr and value is not default and not any(looks(cls, name) for looks in _looking):
            self.direct.add(cls)
        return value


_looking: list[Callable[[type, str], bool]] = []


def never_direct(where: Callable[[type, str], bool]) -> None:
    """Storing some attributes of objects of some classes is not for `StoreReaders.direct`."""
    _looking.append(where)


NOT_A_CONTAINER, MAPPING, SEQUENCE, OVERRIDDEN, PROXY, MAPPING_THAT_ASKS = range(6)
_SEQUENCES = (list, bytearray, collections.deque, array.array)
_C_SETTERS: dict[type, int] = {
    dict: MAPPING,
    collections.OrderedDict: MAPPING,
    **dict.fromkeys(_SEQUENCES, SEQUENCE),
}


def container_kind(cls: type) -> int:
    """How `c[k] = v` stores: as a dict, as a sequence (one that has its own way of reading is OVERRIDDEN), or by code of
    its own (then that code is recorded); of a PROXY its object tells."""
    if id(cls) in PROXIES:
        return PROXY
    for base in mro_of(cls):
        if "__setitem__" in namespace_of(base):
            kind = next((kind for known, kind in _C_SETTERS.items() if known is base), NOT_A_CONTAINER)
            plain = find_in_class(cls, "__getitem__") is namespace_of(base).get("__getitem__")
            return OVERRIDDEN if kind == SEQUENCE and not plain else kind
    return NOT_A_CONTAINER


class _ContainerKinds(Table):
    """class → `container_kind`; instrumented code does not look a key up itself where MAPPING_THAT_ASKS its keys."""

    def __missing__(self, cls: type) -> int:
        kind = container_kind(cls)
        kind = self[cls] = MAPPING_THAT_ASKS if kind == MAPPING and OWN_EQUAL.on else kind
        return kind


CONTAINER_KINDS = _ContainerKinds()


def expect_own_equal() -> None:
    """There may be keys that an `__eq__` of the program compares."""
    if not OWN_EQUAL.on:
        OWN_EQUAL.on = True
        CONTAINER_KINDS.forget(lambda cls: True)


def hashes_quietly(key: Any) -> bool:
    """Whether hashing and comparing `key` runs no code of the program."""
    if type(key) in SIMPLE:
        return True
    return type(key) is tuple and all(hashes_quietly(part) for part in key)


def _indexes_quietly(key: Any) -> bool:
    """Whether a sequence can be asked for `key` without code of the program."""
    if issubclass(type(key), int) or key is None:
        return True
    if type(key) is slice:
        return all(map(_indexes_quietly, (key.start, key.stop, key.step)))
    return is_written_in_c(find_in_class(type(key), "__index__"))


def read_item(container: Any, key: Any) -> Any:
    """`container[key]` before a store, of one that has a `container_kind`."""
    if type(container) is dict and type(key) in SIMPLE:
        return value_at(container, key)
    container = seen_through(container)
    cls = type(container)
    kind = CONTAINER_KINDS[cls]
    if kind == MAPPING or kind == MAPPING_THAT_ASKS:
        return read_mapping(container, key)
    if kind == NOT_A_CONTAINER or kind == PROXY:  # behind a proxy, or that has ended: it is no write
        return ABSENT
    if not _indexes_quietly(key):
        return UNKNOWN
    return next(base for base in _SEQUENCES if issubclass(cls, base)).__getitem__(container, key)


def read_mapping(container: dict[Any, Any], key: Any) -> Any:
    """`container[key]` before a store, for keys that are not of a simple class."""
    return quietly(dict.get, container, key, ABSENT) if hashes_quietly(key) else UNKNOWN


WITNESSED = 64  # parts that a copy of a container has at most, when it is only passed on


def witness(container: Any) -> Any:
    """A shallow copy of one of `CONTAINERS`; UNKNOWN where that would take long."""
    container = seen_through(owner_of(container))
    for base, length in _LENGTHS:
        if issubclass(type(container), base):
            return copy_content(container) if length(container) <= WITNESSED else UNKNOWN
    return UNKNOWN


def undo_of_bound(container: Any, method: str) -> Any:
    """What undoes a call of a container's method of which the arguments are not known."""
    container = seen_through(container)
    if method in ("append", "extend") and issubclass(type(container), list):
        return list.__len__(container)
    return witness(container)


_LENGTHS: list[tuple[type, Callable[[Any], int]]] = [(base, base.__len__) for base in _CHANGEABLE]


class _Copied:
    """How many parts the copies have that may still be in memory: as events, they take some."""

    parts = 0


COPIED = _Copied()
_LARGE = 64  # parts


def copy_content(container: Any) -> Any:
    """A shallow copy of a builtin container, to undo a change of all of it; UNKNOWN for anything else."""
    copy = _copy_of_parts(seen_through(container))
    if copy is not UNKNOWN and len(copy) > _LARGE:
        COPIED.parts += len(copy) >> 3 if type(copy) is bytes else len(copy)
    return copy


def _copy_of_parts(container: Any) -> Any:
    cls = type(container)
    if issubclass(cls, list):
        return list.copy(container)
    if issubclass(cls, dict):
        return copy_dict(container)
    if issubclass(cls, set):
        return set(container)
    if issubclass(cls, collections.deque):
        return list(collections.deque.__iter__(container))
    if issubclass(cls, bytearray):
        let_go_of_views(container)
        return bytes(bytearray.__getitem__(container, slice(None)))
    if issubclass(cls, array.array):
        let_go_of_views(container)
        try:
            return array.array.tolist(container)
        except ValueError:  # of characters that are none
            return UNKNOWN
    return UNKNOWN


def copy_dict(container: dict[Any, Any]) -> Any:
    """Hashing no key of a class that we do not know."""
    cls = type(container)
    if not issubclass(cls, collections.OrderedDict) and find_in_class(cls, "__iter__") is dict.__iter__:
        return dict.copy(container)
    if all(map(hashes_quietly, dict.__iter__(container))):
        return dict(items_of(container))
    return UNKNOWN


def items_of(container: dict[Any, Any]) -> Any:
    """Keys and values, in their order: an OrderedDict has one of its own, and hashes its keys to tell it."""
    ordered = issubclass(type(container), collections.OrderedDict)
    if ordered and all(map(hashes_quietly, dict.__iter__(container))):
        return collections.OrderedDict.items(container)  # type: ignore[arg-type]
    return dict.items(container)


def copy_before_deletion(container: Any) -> Any:
    """A copy of a dict of which a key is about to go, where its order would not be known else; mostly None."""
    container = seen_through(container)
    if CONTAINER_KINDS[type(container)] in (MAPPING, MAPPING_THAT_ASKS) and is_copy_due(container):
        return copy_dict(container)
    return None


COPIES: dict[type, Callable[[Any], Any]] = {
    list: list.copy, dict: dict.copy, set: set.copy, bytearray: bytes,
    collections.deque: list, collections.defaultdict: dict, collections.OrderedDict: copy_dict,
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
