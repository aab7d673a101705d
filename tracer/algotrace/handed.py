"""What code that is not recorded is handed: before the call, what can be reached from its arguments is noted.

Whether it is such code that is called is told by `strange_calls`. Left out is what calls nothing in the text, such as
operators. (A container that is itself an argument is copied wherever it is not recorded code that is called, see
`instrument_calls`.)
"""

from __future__ import annotations

import functools
import types
from typing import Any

from algotrace import BUILTINS
from algotrace.marks import ABSENT, UNKNOWN
from algotrace.reached import SHAPES, note_all_reached
from algotrace.strange_calls import OWN, STRANGERS, attribute_of, found_along, is_strange
from algotrace.strangers import ANY, SIGNS

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_get = dict.get


def note_handed(mark: Any, function: Any, *arguments: Any) -> None:
    """Before `function(…)`."""
    if is_strange(function):
        _note(mark, function, *arguments)


def note_handed_to(mark: Any, receiver: Any, path: str, *arguments: Any) -> None:
    """Before `receiver.path(…)`, which may change what the receiver has, too."""
    cls = type(receiver)
    if "." not in path and (own := OWN[cls]) is not None:
        in_class, is_hidden = STRANGERS[path].in_classes[cls]
        function = ABSENT
        if is_hidden:
            try:
                function = _get(own(receiver), path, ABSENT)
            except TypeError:  # the descriptor of a base with another layout
                function = UNKNOWN
        if not (in_class if function is ABSENT else is_strange(function)):
            return
    else:
        owner, _, name = path.rpartition(".")
        receiver = found_along(receiver, owner) if owner else receiver
        function = attribute_of(receiver, name)
        if not is_strange(function):
            return
    _note(mark, function, receiver, *arguments)


def _note(mark: Any, function: Any, *objects: Any) -> None:
    some = [each for each in (*objects, *_belongings(function)) if SHAPES[type(each)] is not None]
    if some:
        note_all_reached(mark, some)


def _belongings(function: Any) -> tuple[Any, ...]:
    """What comes along with a function that is called."""
    kind = type(function)
    if kind is types.MethodType or issubclass(kind, types.BuiltinFunctionType):
        return (function.__self__,)
    if kind is functools.partial:
        return (*function.args, *dict.values(function.keywords), *_belongings(function.func))
    return () if kind in _BARE else (function,)


_BARE = frozenset({types.FunctionType, type, staticmethod, classmethod})


def note_called(mark: Any, name: str, called: Any, *arguments: Any) -> Any:
    """Before `called.name(…)`, or without a name `called(…)`, of which it gives what is called."""
    if not name:
        if ANY.on:
            note_handed(mark, called, *arguments)
    elif SIGNS[name].on and STRANGERS[name][type(called)]:
        note_handed_to(mark, called, name, *arguments)
    return called


def note_handing(mark: Any, function: Any, value: Any) -> Any:
    """The same for one argument, which it gives."""
    if ANY.on:
        note_handed(mark, function, value)
    return value


def note_handing_to(mark: Any, receiver: Any, path: str, value: Any) -> Any:
    if ANY.on:
        note_handed_to(mark, receiver, path, value)
    return value
