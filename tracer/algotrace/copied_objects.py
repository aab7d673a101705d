"""What `copy` makes again and fills when code of the program may have seen it: its attributes, its parts. In the function of
`copy` that does so, an object is noted before it is filled and after it, however that is called.

Where a whole loop fills an object, what there is meanwhile is not certain. Left out is what `copy` makes of classes of the
standard library. What `pickle` makes, which is written in C, see `object_makers`.
"""

from __future__ import annotations

import copyreg
import importlib
import re
import sys
import types
from typing import Any

from algotrace import BUILTINS
from algotrace.class_tables import Table, all_of_it, find_in_class, is_of_program, is_written_in_c, mro_of
from algotrace.made_objects import notes_of
from algotrace.marks import ABSENT, UNKNOWN
from algotrace.scope import Scope
from algotrace.strangers import DEBUGGERS
from algotrace.streams import UNITS
from algotrace.textual import module_of
from algotrace.undo import when_class_changes
from algotrace.work_under_way import HERE

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

FILLERS: set[int] = set()  # ids of the code that tells us
_kept: list[types.CodeType] = []  # … and that stays


class _Expected:
    on = False  # whether code of the program may see such objects
    told_how = 0  # of how many classes `copyreg` knew how to make their objects again


def expect_copies(source: bytes) -> None:
    """Of a file of the program."""
    if not _Expected.on and _may_see(source):
        _Expected.on = True
        if type(module := sys.modules.get("copy")) is types.ModuleType:
            _adapt(module)


def _may_see(source: bytes) -> bool:
    # (An expression is compiled, which takes a while, only where there is need of it.)
    if b"copy" in source and re.search(_IMPORTS_IT, source):
        return True
    return any(word in source for word in _WORDS)


_IMPORTS_IT = rb"\bimport\b[^\n]*\bcopy\b|\bfrom\s+copy\b"
_WORDS = (
    b"copyreg", b"__new__", b"__reduce", b"__getnewargs", b"__setstate__", b"__getattr", b"__setattr__", b"Error)", b"Exception)",
    b"Warning)",
)  # fmt: skip


def adapt(module: Any, scope: Scope) -> None:
    """Called when `copy` has been imported."""
    if _Expected.on:
        _adapt(module)


def _adapt(module: types.ModuleType) -> None:
    function = vars(module).get("_reconstruct")
    if type(function) is not types.FunctionType or id(function.__code__) in FILLERS:
        return
    # (It is looked for when there is need of it: that takes a while.)
    exchanging = importlib.import_module("algotrace.exchanged_code")
    code = exchanging.exchange(function, module, exchanging.AroundFilling("y"), sys.modules[__name__])
    if code is not None:
        _kept.append(code)
        FILLERS.add(id(code))


def note_filling(obj: Any) -> None:
    """Before an object is filled."""
    if _may_be_seen(type(obj)):
        mark = _marks()[0]
        _tell([part for noted, note in notes_of(obj) for part in (mark, noted, note)])


def note_filled(obj: Any) -> None:
    if _may_be_seen(type(obj)):
        mark = _marks()[1]
        _tell([part for noted, note in notes_of(obj) for part in (mark, noted, note)])


def note_all_parts(obj: Any) -> None:
    """Before a loop puts parts into an object."""
    if not _TELL_OF_PARTS[type(obj)]:
        note_filling(obj)


def note_all_parts_put(obj: Any) -> None:
    if not _TELL_OF_PARTS[type(obj)] and _may_be_seen(type(obj)):
        handed, back = _marks()
        for noted, note in notes_of(obj):
            _tell([handed, noted, UNKNOWN, back, noted, note])


def note_part(obj: Any) -> None:
    """Before one part is put there."""
    if _TELL_OF_PARTS[type(obj)]:
        note_filling(obj)


def note_part_put(obj: Any) -> None:
    if _TELL_OF_PARTS[type(obj)]:
        note_filled(obj)


def _may_be_seen(cls: type) -> bool:
    if len(copyreg.dispatch_table) != _Expected.told_how:
        _Expected.told_how = len(copyreg.dispatch_table)
        _MAY_BE_SEEN.forget(all_of_it)
    return _MAY_BE_SEEN[cls] and bool(UNITS.units)


def _marks() -> Any:
    first = UNITS.units[0].mark_base
    return UNITS.marks[first : first + 2]


def _tell(events: list[Any]) -> None:
    here = HERE.here
    if events and not here.is_looking:
        here.tell(events)
        if here.works:
            here.works[-1].last = here.newest()  # it was nobody's who has gone on unseen


class _MayBeSeen(Table):
    """class → whether code of the program may see its objects before they are filled."""

    def __missing__(self, cls: type) -> bool:
        told = self[cls] = any(is_of_program(base) and not _is_of_python(base) for base in mro_of(cls)) and (
            _runs_code(cls) or _is_told_how(cls)
        )
        return told


def _runs_code(cls: type) -> bool:
    """Whether making an object again may run code that its class has."""
    if type(cls) is not type or issubclass(cls, BaseException):
        return True
    found = ((name, find_in_class(cls, name)) for name in _RUNNING)
    return any(
        value is not ABSENT and type(value) is not types.BuiltinFunctionType and not is_written_in_c(value)
        for name, value in found
    )


def _is_told_how(cls: type) -> bool:
    """Whether `copyreg` has a function of somebody's that tells how to make its objects again."""
    return dict.get(copyreg.dispatch_table, cls) is not None


_RUNNING = frozenset({
    "__new__", "__reduce__", "__reduce_ex__", "__getattr__", "__getattribute__", "__setattr__", "__setstate__", "__getstate__",
    "append", "__setitem__",
})  # fmt: skip


def _forget(name: str) -> None:
    """A class gets another method."""
    if name in _RUNNING:
        _MAY_BE_SEEN.forget(all_of_it)
        _TELL_OF_PARTS.forget(all_of_it)


when_class_changes(_forget)


class _TellOfParts(Table):
    """class → whether code of the program may run when a part is put into its objects."""

    def __missing__(self, cls: type) -> bool:
        putting = [find_in_class(cls, name) for name in ("append", "__setitem__")]
        told = self[cls] = not all(method is ABSENT or is_written_in_c(method) for method in putting)
        return told


def _is_of_python(cls: type) -> bool:
    module = module_of(cls).partition(".")[0]
    return module in sys.stdlib_module_names or module.startswith(DEBUGGERS)


_MAY_BE_SEEN, _TELL_OF_PARTS = _MayBeSeen(), _TellOfParts()
