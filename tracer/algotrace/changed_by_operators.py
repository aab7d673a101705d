"""What operators, properties and descriptors of a library's classes change in what they are given: nobody is told when they do.

Found in the end, in the text of such methods of the classes that the program had to do with (see `changes_in_text`): whatever has
an attribute by a name that they store is not certain by that name. Not here: operators whose operands are noted before, see
`operations`.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import Any
from collections.abc import Iterable, Iterator

from algotrace import BUILTINS
from algotrace.changes_in_text import GIVEN, SELF, Changes, Following, Function
from algotrace.class_tables import find_in_class, mro_of, namespace_of
from algotrace.strangers import is_strange_module

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

# Methods that are called without being named; not those of which something is noted when they are.
_UNNAMED = frozenset({
    "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__bool__", "__len__", "__length_hint__",
    "__contains__", "__getitem__", "__missing__", "__iter__", "__next__", "__reversed__", "__aiter__", "__anext__",
    "__class_getitem__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__divmod__", "__pow__", "__xor__",
    "__rsub__", "__rmul__", "__rtruediv__", "__rfloordiv__", "__rmod__", "__rdivmod__", "__rpow__", "__rxor__", "__isub__",
    "__imul__", "__itruediv__", "__ifloordiv__", "__imod__", "__ipow__", "__ixor__", "__neg__", "__pos__", "__abs__",
    "__invert__", "__round__", "__trunc__", "__floor__", "__ceil__", "__int__", "__float__", "__complex__", "__index__",
    "__str__", "__bytes__", "__fspath__", "__enter__", "__exit__", "__aenter__", "__aexit__", "__await__", "__getattr__",
    "__getattribute__", "__instancecheck__", "__subclasscheck__", "__subclasshook__",
})  # fmt: skip


def changed_by_operators(classes: Iterable[type]) -> Changes:
    """By all methods of these classes that are called without being named."""
    following = Following()
    known: dict[int, list[tuple[str, Any, list[Function]]]] = {}
    found = [(cls, function) for cls in classes for function in _called_unnamed(cls, known)]
    for _ in range(2):  # what one method keeps another one changes
        following.known.clear()
        for cls, function in found:
            following.follow(function, cls, (SELF,), GIVEN, 0)
    return following.changes()


def changed_by_reading(cls: type, known: dict[int, frozenset[str]]) -> frozenset[str]:
    """Attributes of an object that change when others are read which are descriptors of a library.

    `known` has those of classes that it is derived from, by id: they are alive.
    """
    found = frozenset[str]()
    for base in mro_of(cls):
        if id(base) not in known:
            known[id(base)] = frozenset(_changed_by_own(base))
        found |= known[id(base)]
    return found


def _changed_by_own(cls: type) -> Iterator[str]:
    for descriptor in list(namespace_of(cls).values()):
        if id(type(descriptor)) not in _FAMILIAR:
            getting = find_in_class(type(descriptor), "__get__")
            for function in filter(_is_strange_function, functions_behind(getting)):
                following = Following(descriptor)
                following.follow(function, type(descriptor), (SELF,), GIVEN, 0)
                yield from following.changes().attributes


def _called_unnamed(cls: type, known: dict[int, list[tuple[str, Any, list[Function]]]]) -> Iterator[Function]:
    for base in mro_of(cls):
        if id(base) not in known:
            known[id(base)] = list(_unnamed_of(base))
        for name, value, functions in known[id(base)]:
            if find_in_class(cls, name) is value:
                yield from functions


def _unnamed_of(cls: type) -> Iterator[tuple[str, Any, list[Function]]]:
    """A class's own: the name, what it has there, and what of a library is behind it."""
    for name, value in list(namespace_of(cls).items()):
        if type(value) is property or (type(name) is str and name in _UNNAMED):
            behind = value.fget if type(value) is property else value
            if functions := list(filter(_is_strange_function, functions_behind(behind))):
                yield name, value, functions


def functions_behind(value: Any) -> Iterator[Function]:
    """A method's, and those that decorators have wrapped."""
    for _ in range(_MOST_DECORATORS):
        kind = type(value)
        if kind is Function:
            yield value
        if kind is Function or kind is _Cached:
            value = value.__dict__.get("__wrapped__")
        elif kind is classmethod or kind is staticmethod:
            value = value.__func__
        elif kind is functools.partial or kind is functools.partialmethod:
            value = value.func
        else:
            value = find_in_class(kind, "__call__")
            if type(value) is not Function:
                return


_FAMILIAR = frozenset(
    map(id, (Function, property, classmethod, staticmethod, str, int, type(None), tuple, dict))
)
_MOST_DECORATORS = 10
_Cached = type(functools.lru_cache(len))


def _is_strange_function(function: Function) -> bool:
    """Whether it stands in a library that may change what it is given."""
    name = dict.get(function.__globals__, "__name__")
    return (
        type(name) is str
        and issubclass(type(sys.modules.get(name)), types.ModuleType)
        and is_strange_module(name)
    )
