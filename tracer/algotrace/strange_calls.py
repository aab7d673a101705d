"""Whether what is called may be code of `strangers`, looked up without code of the program.

What an object has under the name of a method is looked for where Python would: in its class, in its `__dict__`, in slots.
What is made up as it is asked for (by a property, by `__getattr__`) cannot be told, and is taken to be strange.
"""

from __future__ import annotations

import functools
import operator
import types
from _weakref import ref as _weak  # as it is before the program runs
from typing import Any

from algotrace import BUILTINS
from algotrace.appending import is_special
from algotrace.class_tables import Table, all_of_it, find_behind, find_in_class, is_written_in_c
from algotrace.marks import ABSENT, UNKNOWN
from algotrace.mutators import KEPT_NAMES, LIBRARY_MUTATORS, METHOD_NAMES
from algotrace.library_code import is_recorded
from algotrace.streams import Ids
from algotrace.strangers import is_given, only_reads
from algotrace.textual import module_of, qualname_of
from algotrace.undo import CONTAINERS, dictionary_reader, module_namespace, slot_readers, when_class_changes
from algotrace.weak_proxies import PROXIES, behind

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_get = dict.get


class _Own(Table):
    """class → how to get at the `__dict__` of its objects; None for classes, modules and `super()`."""

    def __missing__(self, cls: type) -> Any:
        elsewhere = issubclass(cls, (type, types.ModuleType, super))
        read = self[cls] = None if elsewhere else dictionary_reader(cls) or _has_none
        return read


_NOTHING: dict[str, Any] = {}


def _has_none(obj: Any) -> dict[str, Any]:
    return _NOTHING


OWN = _Own()


FAMILIAR = Ids()  # ids of functions and classes that need no such notes
_familiar: dict[int, Any] = {}  # id → a weak reference: they must not live longer because of us


def is_strange(function: Any) -> bool:
    """Whether what is called may change, unseen, what lies inside of its arguments."""
    kind = type(function)
    if kind is types.MethodType:
        function = function.__func__
        kind = type(function)
    if id(function) in FAMILIAR or (kind is types.FunctionType and is_recorded(function)):
        return False
    if _is_strange(function, 0):
        return True
    if _lasts(function, kind):
        _remember(function)
    return False


def is_init(function: Any) -> bool:
    """Whether it is an `__init__` written in C, of an object or a class, to be called by somebody else."""
    while type(function) is functools.partial:
        function = function.func
    is_method = type(function) in (types.WrapperDescriptorType, types.MethodWrapperType)
    return is_method and bool(function.__name__ == "__init__") and function.__objclass__ is not object


def makes_attributes(function: Any) -> bool:
    """Whether an `__init__` that is not recorded may store something into its object."""
    if type(function) is types.WrapperDescriptorType:
        filled = function.__objclass__
        return filled is not object and not issubclass(filled, BaseException) and not CONTAINERS[filled]
    return (
        type(function) is types.FunctionType
        and not is_recorded(function)
        and bool(function.__code__.co_names)
    )


def _remember(function: Any) -> None:
    number = id(function)

    def forget(_: Any) -> None:
        FAMILIAR.discard(number)
        _familiar.pop(number, None)

    _familiar[number] = _weak(function, forget)
    FAMILIAR.add(number)


def _lasts(function: Any, kind: type) -> bool:
    """Is it a function or class of a module?"""
    if kind is types.BuiltinFunctionType:
        return function.__self__ is None or type(function.__self__) is types.ModuleType
    if kind is types.FunctionType:
        return not function.__code__.co_flags & _NESTED
    return kind is type and "<locals>" not in qualname_of(function)


_NESTED = 0x10


def _is_strange(function: Any, depth: int) -> bool:
    kind = type(function)
    if function is UNKNOWN or depth > _DEEPEST:
        return True
    if kind is types.FunctionType:
        if is_recorded(function) or _is_generated(function.__code__):
            return False
        module = _get(function.__globals__, "__name__")
        return not (type(module) is str and (only_reads(module) or module.startswith("namedtuple_")))
    if kind is types.MethodType or kind is staticmethod or kind is classmethod:
        return _is_strange(function.__func__, depth + 1)
    if id(function) in _CHANGING:
        return True
    if issubclass(kind, types.BuiltinFunctionType):
        owner = function.__self__
        if owner is not None and type(owner) is not types.ModuleType:
            return not _READING[type(owner)]
        return not (type(function.__module__) is str and only_reads(function.__module__))
    if kind is functools.partial:
        return _is_strange(function.func, depth + 1)
    if id(kind) in _BY_NAME:
        return _calls_changing(function)
    if id(kind) in PROXIES:
        return _is_strange(behind(function), depth + 1)
    if kind is _cached:
        return _is_strange(getattr(function, "__wrapped__", UNKNOWN), depth + 1)
    if issubclass(kind, type):
        return _makes_strangely(function, kind, depth)
    if is_written_in_c(function):  # a method of a class written in C
        return function.__name__ in _CHANGING_METHODS or not only_reads(module_of(function.__objclass__))
    return _is_strange_in(kind, "__call__", depth)


# Of the standard library: what changes the first of its arguments, whatever it is called by.
_CHANGERS = (
    setattr, delattr, operator.setitem, operator.delitem, operator.iadd, operator.iconcat, operator.imul, operator.ior,
    operator.iand, operator.isub, operator.ixor, *LIBRARY_MUTATORS,
)  # fmt: skip
_CHANGING = frozenset(map(id, _CHANGERS))
_CHANGING_METHODS = METHOD_NAMES | {"__setattr__", "__delattr__"}
_CHANGING_BY_NAME = _CHANGING_METHODS | KEPT_NAMES


_BY_NAME = frozenset(map(id, (operator.methodcaller, operator.attrgetter)))


def _calls_changing(function: Any) -> bool:
    """Whether a `methodcaller` calls a method that changes its object, or an `attrgetter` gives one."""
    try:
        made_by = function.__reduce__()
    except TypeError:
        return True
    names = [each for part in made_by[1:] for each in (part if type(part) is tuple else ())]
    names += [each for part in made_by[:1] if type(part) is functools.partial for each in part.args]
    return any(type(name) is str and name.rpartition(".")[2] in _CHANGING_BY_NAME for name in names)


class _Reading(Table):
    """class → whether its methods written in C only read."""

    def __missing__(self, cls: type) -> bool:
        told = self[cls] = only_reads(module_of(cls))
        return told


_READING = _Reading()
_DEEPEST = 20


def _is_generated(code: types.CodeType) -> bool:
    """Whether it is a method that `dataclasses`, `namedtuple` and the like made up."""
    return code.co_filename.startswith("<") and code.co_name.startswith("__")


_cached = type(functools.lru_cache(int))


def _makes_strangely(cls: Any, metaclass: type, depth: int) -> bool:
    ways = [(cls, "__init__"), (cls, "__new__"), *([] if metaclass is type else [(metaclass, "__call__")])]
    return any(_is_strange_in(owner, name, depth) for owner, name in ways)


def _is_strange_in(cls: type, name: str, depth: int) -> bool:
    found = find_in_class(cls, name)
    if is_written_in_c(found):
        owner = getattr(found, "__objclass__", None) or getattr(found, "__self__", None)
        return not (isinstance(owner, type) and only_reads(module_of(owner)))
    return found is ABSENT or _is_strange(found, depth + 1)


class _Strangers(dict[str, "Strangers"]):
    def __missing__(self, name: str) -> Strangers:
        table = self[name] = Strangers(name)
        return table


class Strangers(Table):
    """For the name of a method: class → whether calling it on its objects may need a note."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.in_classes = _InClasses(name)

    def __missing__(self, cls: type) -> bool:
        told = self[cls] = (
            id(cls) in PROXIES or is_special(self.name, cls) or is_given(self.name) or self.in_classes[cls][0]
        )
        return told


class _InClasses(Table):
    """For a name: class → whether what the class has under it may be strange or is not there, and whether what an object
    has under it in its `__dict__` comes first."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def __missing__(self, cls: type) -> tuple[bool, bool]:
        elsewhere = issubclass(cls, (type, types.ModuleType, super))
        found = ABSENT if elsewhere else find_in_class(cls, self._name)
        if is_written_in_c(found):
            strange = not _READING[getattr(found, "__objclass__", object)]
        else:
            told_by_itself = _is_method(found) or find_in_class(type(found), "__get__") is ABSENT
            strange = not told_by_itself or found is ABSENT or is_strange(found)
        told = self[cls] = (strange, not _comes_first(found))
        return told


def forget_methods(name: str) -> None:
    """A class gets another one."""
    _quiet_supers.clear()
    table = STRANGERS.get(name)
    if table is not None:
        table.forget(all_of_it)
        table.in_classes.forget(all_of_it)


when_class_changes(forget_methods)


# What `super().name` is that needs no note, by the ids of the class that it stands in and that of the object, which may end.
_quiet_supers: dict[tuple[int, int, str], tuple[Any, Any]] = {}
_MOST_SUPERS = 10_000
_here = super.__dict__["__thisclass__"].__get__
_whose = super.__dict__["__self_class__"].__get__


def is_quiet_super(proxy: Any, name: str) -> bool:
    """Whether it is known that what is found behind `super()` is not strange, and asks nobody among its arguments."""
    here, whose = _here(proxy), _whose(proxy)
    known = _quiet_supers.get((id(here), id(whose), name))
    return known is not None and known[0]() is here and known[1]() is whose


def note_quiet_super(proxy: Any, name: str, function: Any) -> None:
    here, whose = _here(proxy), _whose(proxy)
    if len(_quiet_supers) >= _MOST_SUPERS:  # of classes that may have ended
        _quiet_supers.clear()
    if whose is not None and not issubclass(type(function), types.BuiltinFunctionType):
        _quiet_supers[id(here), id(whose), name] = _weak(here), _weak(whose)


def _comes_first(found: Any) -> bool:
    """Whether what a class has comes before what its objects have."""
    kind = type(found)
    return any(find_in_class(kind, each) is not ABSENT for each in ("__set__", "__delete__"))


def _is_method(found: Any) -> bool:
    return id(type(found)) in _METHODS or is_written_in_c(found)


_METHODS = frozenset(map(id, (types.FunctionType, staticmethod, classmethod)))
STRANGERS = _Strangers()


def found_along(receiver: Any, path: str) -> Any:
    """What `receiver.path` is; UNKNOWN where code would have to run to get it."""
    for name in path.split("."):
        receiver = attribute_of(receiver, name)
    return receiver


def attribute_of(owner: Any, name: str) -> Any:
    cls = type(owner)
    if cls is super:
        found = find_behind(owner, name)
        return UNKNOWN if found is ABSENT else found
    if issubclass(cls, types.ModuleType):
        return dict.get(module_namespace(owner), name, UNKNOWN)
    if issubclass(cls, type):
        found = find_in_class(owner, name)
        return UNKNOWN if found is ABSENT else found
    found = find_in_class(cls, name)
    kind = type(found)
    if kind is types.MemberDescriptorType:
        try:
            return slot_readers(cls)[name](owner)
        except (AttributeError, KeyError):
            return UNKNOWN
    if _comes_first(found):
        return UNKNOWN
    read = OWN[cls] or _has_none
    try:
        own = _get(read(owner), name, ABSENT)
    except TypeError:  # the descriptor of a base with another layout
        return UNKNOWN
    if own is not ABSENT:
        return own
    told = found is not ABSENT and (_is_method(found) or find_in_class(kind, "__get__") is ABSENT)
    return found if told else UNKNOWN
