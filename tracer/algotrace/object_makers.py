"""Who makes objects of the program's classes, and fills them when code of the program has already seen them: `copy`, `pickle`,
`enum`, a class that has its `__init__` from elsewhere, a coroutine of strangers.

A `__new__` of the program tells, and a function that a `__reduce__` names: whoever has called it is at work on what it gives,
unless that is recorded code. So does an `__init__` where the program speaks of such use (see `strangers.expect_making`). Calls
of what loads pickles, which is written in C, are told by their names. What becomes of such objects, see `made_objects`. Left
out are `__new__`s that are no `def` of a class body.
"""

from __future__ import annotations

import sys
import types
from types import FrameType
from typing import Any

from algotrace import BUILTINS
from algotrace.at_work import expect_made, expect_result
from algotrace.class_tables import Table, find_in_class, mro_of
from algotrace.library_code import is_recorded
from algotrace.reached import SHAPES
from algotrace.strangers import LOADING, MAKING
from algotrace.streams import RECORDED

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
        keeps = caller is immediate
    expect_made(mark, caller, routine, keeps=keeps)


def _around_makers(frame: FrameType) -> FrameType:
    while id(frame.f_code) not in RECORDED and frame.f_back is not None:
        name = dict.get(frame.f_globals, "__name__")
        if type(name) is not str or name not in _MAKERS:
            break
        frame = frame.f_back
    return frame


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
