"""Which attributes of its objects a class may change by code that is not recorded: methods it has from a library.

Told by the names in their code. Left out: what makes an object, which is over before anybody sees it, and methods that
only tell something of it. What C code changes is not looked for.
"""

from __future__ import annotations

import _thread
import types
from typing import Any
from collections.abc import Iterator

from algotrace import BUILTINS
from algotrace.class_tables import find_in_class, is_written_in_c, mro_of, namespace_of
from algotrace.content import ANY, OTHERS
from algotrace.strangers import stored_by
from algotrace.streams import RECORDED, UNITS
from algotrace.textual import module_of

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_QUIET_MODULES = frozenset({"abc", "builtins", "enum", "typing", "typing_extensions"})
_TELLING = frozenset(
    {
        "__init__", "__new__", "__init_subclass__", "__class_getitem__", "__set_name__", "__post_init__", "__setattr__", "__delattr__",
        "__repr__", "__str__", "__format__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__len__",
        "__contains__", "__iter__", "__bool__", "__copy__", "__deepcopy__", "__getstate__", "__setstate__", "__reduce__", "__reduce_ex__",
        "__sizeof__", "__dir__", "__replace__", "_asdict", "_replace", "_make", "__getnewargs__", "__match_args__",
    }
)  # fmt: skip
_MAKING = frozenset(
    {
        "__init__", "__new__", "__init_subclass__", "__class_getitem__", "__set_name__", "__post_init__", "__setattr__", "__delattr__",
        "__copy__", "__deepcopy__", "__setstate__", "__replace__", "_replace", "_make",
    }
)  # fmt: skip
_BY_NAME = frozenset({"setattr", "delattr", "__setattr__", "__delattr__", "__dict__", "vars"})
_wrapped = (staticmethod, classmethod)


def attributes_touched(cls: type) -> frozenset[str]:
    """The names of attributes that such methods look up or store; `ANY` among them where they may store to any, `OTHERS` where
    each thread sees its own."""
    found: set[str] = set()
    if issubclass(cls, _thread._local):
        found.update((ANY, OTHERS))
    if issubclass(cls, dict) and not _stores_attributes(cls):
        found.add(ANY)
    for base in mro_of(cls):
        if module_of(base) in _QUIET_MODULES:
            continue
        for name, value in namespace_of(base).items():
            if name not in _TELLING:
                for function in _functions_of(value):
                    if not _is_of_program(function):
                        found.update(_names_of(function.__code__))
            elif name not in _MAKING:
                for function in _functions_of(value):
                    if not _is_of_program(function):
                        found.update(stored_by(function.__code__))  # a hash, say
    if not found.isdisjoint(_BY_NAME):
        found.add(ANY)
    return frozenset(found)


def _stores_attributes(cls: type) -> bool:
    """Whether an attribute that is stored becomes one: not where `__setattr__` is `dict.__setitem__`."""
    method = find_in_class(cls, "__setattr__")
    return method is object.__dict__["__setattr__"] or not is_written_in_c(method)


def _is_of_program(function: types.FunctionType) -> bool:
    """Whether it stands in a recorded file: what is left alone there is noted where it is called, see `handed`."""
    code = function.__code__
    return UNITS.code_at(code.co_filename, code.co_firstlineno, code.co_name) is not None


def is_recorded(function: types.FunctionType) -> bool:
    return id(function.__code__) in RECORDED


def _functions_of(value: Any) -> Iterator[types.FunctionType]:
    """The functions that an attribute of a class may call."""
    kind = type(value)
    if any(kind is each for each in _wrapped):
        value = value.__func__
        kind = type(value)
    if kind is types.FunctionType:
        yield value
    elif kind is property:
        yield from (each for each in (value.fget, value.fset, value.fdel) if type(each) is types.FunctionType)


def _names_of(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if type(constant) is types.CodeType:
            yield from _names_of(constant)
