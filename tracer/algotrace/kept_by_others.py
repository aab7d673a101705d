"""What code that is not recorded has in places of its own when the program has ended: in its modules, its classes, its
closures, its caches. It may have changed such an object at any time, and have taken that back, while nobody looked at it.

Strangers' places are gone through as deep as they go, those of modules that only read what they are given (see `strangers`)
one attribute deep. Not here: what had been let go of before the end, and what only code written in C knows of.
"""

from __future__ import annotations

import functools
import sys
import types
from contextvars import ContextVar
from gc import get_referents as _get_referents
from typing import Any, NamedTuple
from collections.abc import Callable

from algotrace import BUILTINS
from algotrace.class_tables import Table, namespace_of
from algotrace.giving import attributes_of
from algotrace.marks import UNKNOWN
from algotrace.strangers import ANY, DEBUGGERS, is_recorded_module, is_strange_module, only_reads
from algotrace.textual import module_of
from algotrace.undo import CONTAINERS, module_namespace

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_MOST = 300_000  # objects that are gone through
_SCALARS = (str, int, float, bool, bytes, complex, type(None), types.CodeType, types.MethodType)
_CODE = (types.FunctionType, types.BuiltinFunctionType, type, types.ModuleType)
_PLAIN, _HOLDING_NONE = frozenset(map(id, _SCALARS)), frozenset(map(id, (*_SCALARS, *_CODE)))
_HOLDING = (
    list, tuple, dict, set, frozenset, types.MappingProxyType, types.SimpleNamespace, functools.partial, property, staticmethod,
    classmethod, functools._lru_cache_wrapper, types.CellType,
)  # fmt: skip


class Kept(NamedTuple):
    """The numbers of objects in the trace."""

    by_strangers: list[int]  # all that their modules lead to
    as_their_own: list[int]  # … what these have themselves, and their classes
    by_others: list[int]  # containers that other modules have


def kept_by_others(number_known: Callable[[Any], int]) -> Kept:
    """`number_known` gives 0 for what is not in the trace."""
    strange, others = _modules()
    own = [sys.argv, *_had_by(strange)] if ANY.on else []
    read = [value for namespace in others for value in _changing_in(namespace)]
    return Kept(
        *(sorted({*map(number_known, some)} - {0}) for some in (_reached_from(strange, own), own, read))
    )


def _modules() -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]:
    """The namespaces of strangers by name, and those of modules that are neither theirs nor the program's."""
    strange, others = dict[str, dict[str, Any]](), list[dict[str, Any]]()
    for name, module in list(sys.modules.items()):
        if type(name) is not str or not issubclass(type(module), types.ModuleType):
            continue
        namespace = module_namespace(module)
        if name == "__main__" or name.startswith(DEBUGGERS) or is_recorded_module(namespace):
            continue
        if is_strange_module(name):
            strange[name] = namespace
        else:
            others.append(namespace)
    return strange, others


def _changing_in(namespace: dict[str, Any]) -> list[Any]:
    """The containers that a module has, or objects that it has."""
    values = [value for value in list(namespace.values()) if id(type(value)) not in _HOLDING_NONE]
    for value in values[:]:
        if (noted := attributes_of(value)) is not None and noted is not UNKNOWN:
            values += noted[1].values()
    return [value for value in values if CONTAINERS[type(value)] and value is not sys.argv]


def _had_by(strange: dict[str, dict[str, Any]]) -> list[Any]:
    """What strangers' modules have, and their classes."""
    values = [value for namespace in strange.values() for value in list(namespace.values())]
    for value in values[:]:
        if issubclass(type(value), type) and module_of(value) in strange:
            values += list(namespace_of(value).values())
    return values


def _reached_from(strange: dict[str, dict[str, Any]], own: list[Any]) -> list[Any]:
    """What may be changed that can be reached from what strangers have."""
    todo = own[:]
    theirs = set(map(id, strange.values()))
    modules = [module for module in list(sys.modules.values()) if issubclass(type(module), types.ModuleType)]
    seen = set(map(id, map(module_namespace, modules)))  # which functions refer to
    found: list[Any] = []
    for obj in todo:  # which becomes longer
        kind = _kinds[type(obj)]
        if kind == _NOTHING or id(obj) in seen:
            continue
        seen.add(id(obj))
        if len(seen) > _MOST:
            break
        if kind == _REFERENTS:
            found.append(obj)
            todo += _get_referents(obj)
        elif kind == _CLASS:
            if module_of(obj) in strange:
                todo += list(namespace_of(obj).values())
        elif kind == _VARIABLE:
            todo.append(obj.get(None))
        elif id(obj.__globals__) in theirs:
            todo += _get_referents(obj)
    return found


_NOTHING, _REFERENTS, _CLASS, _VARIABLE, _FUNCTION = range(5)


class _Kinds(Table):
    """class → what of its objects is gone on to. Some objects of the standard library are passed over: a logger leads to all
    that log, a thread to what runs there; and our own things, which lead to all that was recorded."""

    def __missing__(self, cls: type) -> int:
        if issubclass(cls, type):
            kind = _CLASS
        elif cls is types.FunctionType:
            kind = _FUNCTION
        elif cls is ContextVar:
            kind = _VARIABLE
        elif id(cls) in _PLAIN:
            kind = _NOTHING
        elif issubclass(cls, _HOLDING) or CONTAINERS[cls]:
            kind = _REFERENTS
        else:
            module = module_of(cls)
            kind = _NOTHING if only_reads(module) or module.startswith(DEBUGGERS) else _REFERENTS
        self[cls] = kind
        return kind


_kinds = _Kinds()
