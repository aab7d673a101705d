"""Who makes objects of the program's classes, and fills them when code of the program has already seen them: `copy`, `pickle`,
`enum`, a class that has its `__init__` from elsewhere, a coroutine of strangers.

A `__new__` of the program tells, and a function that a `__reduce__` names: whoever has called it is at work on what it gives,
unless that is recorded code. So does an `__init__` where the program speaks of such use (see `strangers.expect_making`). Calls
of what loads pickles, which is written in C, are told by their names. What becomes of such objects, see `made_objects`.
"""

from __future__ import annotations

import functools
import sys
import types
from types import FrameType
from typing import Any

from algotrace import BUILTINS
from algotrace.at_work import expect_made, expect_result
from algotrace.class_tables import Table, find_in_class, is_of_program, mro_of
from algotrace.copied_objects import FILLERS
from algotrace.library_code import is_recorded
from algotrace.marks import ABSENT
from algotrace.reached import SHAPES
from algotrace.strangers import LOADING, MAKING
from algotrace.streams import RECORDED
from algotrace.undo import CONTAINERS

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_frame = sys._getframe

# Modules of which one function calls another before an object is filled.
_MAKERS = frozenset(
    {"copy", "copyreg", "pickle", "enum", "dataclasses", "collections", "functools", "types", "typing"}
)


def note_making(mark: Any, given: Any) -> Any:
    """Before `copy.copy(given)`, `pickle.loads(given)`: objects that code of the program gives them, a `__new__` for one, are
    given attributes after that."""
    expect_result(mark, makes=True)
    return given


def note_loading(mark: Any, loader: Any) -> Any:
    """Before `loader.load()`, where that is an Unpickler: likewise."""
    if MAKING.on:
        bases = mro_of(type(loader))
        for module, name in (("_pickle", "Unpickler"), ("pickle", "_Unpickler")):
            known = sys.modules.get(module)
            if known is not None and any(vars(known).get(name) is base for base in bases):
                expect_result(mark, makes=True)
                break
    return loader


def note_made_for(mark: Any, cls: Any) -> None:
    """When a routine starts that makes an object: for whom? `cls` is what a `__new__` is called for, or None."""
    routine = _frame(1)
    caller = routine.f_back
    if caller is None:
        return
    if id(caller.f_code) in RECORDED:
        if not (LOADING.on or (issubclass(type(cls), type) and FILLED_UNSEEN[cls])):
            return
        keeps = False
    else:
        immediate, caller = caller, _around_makers(caller)
        if _is_followed(immediate):
            return
        keeps = caller is immediate
    expect_made(mark, caller, routine, keeps=keeps)


def _is_followed(frame: FrameType) -> bool:
    """Whether `copy` has called, which tells itself what it fills."""
    while id(frame.f_code) not in FILLERS:
        if dict.get(frame.f_globals, "__name__") != "copyreg" or frame.f_back is None:
            return False
        frame = frame.f_back
    return True


def _around_makers(frame: FrameType) -> FrameType:
    while id(frame.f_code) not in RECORDED and frame.f_back is not None:
        name = dict.get(frame.f_globals, "__name__")
        if type(name) is not str or name not in _MAKERS:
            break
        frame = frame.f_back
    return frame


def is_made_unwatched(cls: type) -> bool:
    """Whether code of the program may see objects of a class before they are filled, and does not tell when it starts: what the
    class is made by got there in ways that the text does not show."""
    if _is_unwatched(find_in_class(cls, "__new__")):
        return True
    return LOADING.on and is_of_program(cls) and _is_loaded_unwatched(cls)


def _is_loaded_unwatched(cls: type) -> bool:
    """Whether that is so when others load a pickle of it."""
    if any(_is_of_recorded(find_in_class(cls, name)) for name in _SEEING):
        return True
    told_how = [find_in_class(cls, "__reduce__"), find_in_class(cls, "__reduce_ex__"), _reducer_of(cls)]
    told_how = [each for each in told_how if _is_of_recorded(each)]
    if not told_how and not issubclass(cls, BaseException):
        return False
    made_by = [find_in_class(cls, name) for name in ("__init__", "__post_init__")]
    made_by.append(find_in_class(type(cls), "__call__"))
    return any(map(_is_unwatched, made_by)) or any(_names_unwatched(cls, each) for each in told_how)


_SEEING = ("__getattr__", "__getattribute__", "__setattr__")


def _reducer_of(cls: type) -> Any:
    known = sys.modules.get("copyreg")
    table = vars(known).get("dispatch_table") if known is not None else None
    return _get(table, cls, ABSENT) if type(table) is dict and type(cls) is type else ABSENT


def _names_unwatched(cls: type, reducer: Any) -> bool:
    """Whether what tells how objects are made names something else that makes them than what tells when it starts."""
    reducer = _function_of(reducer)
    if type(reducer) is not types.FunctionType:
        return True
    some = [_get(reducer.__globals__, name, ABSENT) for name in reducer.__code__.co_names]
    some += [find_in_class(cls, name) for name in reducer.__code__.co_names]
    return any(
        _is_unwatched(each)
        or CONTAINERS[type(each)]
        or (issubclass(type(each), type) and _is_of_recorded(find_in_class(each, "__call__")))
        for each in some
    )


def _is_unwatched(function: Any) -> bool:
    """Whether it is code of the program that does not tell, or of which that is not known."""
    function = _function_of(function)
    if type(function) is types.FunctionType:
        tells = any(constant is note_made_for for constant in function.__code__.co_consts)
        return is_recorded(function) and not tells
    return id(type(function)) in _CALLING or _is_of_recorded(find_in_class(type(function), "__call__"))


def _is_of_recorded(function: Any) -> bool:
    function = _function_of(function)
    return type(function) is types.FunctionType and is_recorded(function)


def _function_of(function: Any) -> Any:
    while id(type(function)) in _BOUND:
        function = function.__func__
    return function


_get = dict.get
_BOUND = frozenset(map(id, (staticmethod, classmethod, types.MethodType)))
_CALLING = frozenset({id(functools.partial), id(functools.partialmethod)})


class _FilledUnseen(Table):
    """class → whether its objects, once its `__new__` has given them, are filled by an `__init__` that is not recorded."""

    def __missing__(self, cls: type) -> bool:
        shape, init = SHAPES[cls], find_in_class(cls, "__init__")
        known = any(init is vars(base)["__init__"] for base in _FILLING_NOTHING)
        known = known or (type(init) is types.FunctionType and is_recorded(init))
        can_be = shape is not None and (shape.changes or shape.attributes)
        told = self[cls] = can_be and not known and not issubclass(cls, type)
        return told


_FILLING_NOTHING = (object, BaseException)
FILLED_UNSEEN = _FilledUnseen()
