"""What `copy` makes again and fills when code of the program may have seen it: its attributes, its parts. In the function of
`copy` that does so, an object is noted before it is filled and after it, however that is called.

Where a whole loop fills an object, what there is meanwhile is not certain. Left out is what `copy` makes of classes of the
standard library. What `pickle` makes, which is written in C, see `object_makers`.
"""

from __future__ import annotations

import ast
import copyreg
import re
import sys
import types
from typing import Any

from algotrace import BUILTINS
from algotrace.class_tables import Table, all_of_it, find_in_class, is_of_program, is_written_in_c, mro_of
from algotrace.exchanged_code import exchange, told_by
from algotrace.made_objects import notes_of
from algotrace.marks import ABSENT, UNKNOWN
from algotrace.scope import Scope
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
    if not _Expected.on and _SEES.search(source):
        _Expected.on = True
        if type(module := sys.modules.get("copy")) is types.ModuleType:
            _adapt(module)


_SEES = re.compile(
    rb"\bcopy\b|copyreg|__(?:new|reduce|reduce_ex|getnewargs|getnewargs_ex|setstate|getattr|getattribute|setattr)__"
    rb"|\bclass\s+\w+\([^)]*(?:Error|Exception|Warning)"
)


def adapt(module: Any, scope: Scope) -> None:
    """Called when `copy` has been imported."""
    if _Expected.on:
        _adapt(module)


def _adapt(module: types.ModuleType) -> None:
    function = vars(module).get("_reconstruct")
    if type(function) is not types.FunctionType or id(function.__code__) in FILLERS:
        return
    code = exchange(function, module, _Telling("y"), sys.modules[__name__])
    if code is not None:
        _kept.append(code)
        FILLERS.add(id(code))


class _Telling(ast.NodeTransformer):
    """Puts our calls around what fills an object of a name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_For(self, node: ast.For) -> Any:
        has_parts = any(map(self._fills, node.body)) and not any(map(self._is_setting, node.body))
        self._in_loop = has_parts
        self.generic_visit(node)
        self._in_loop = False
        return self._around(node, "note_all_parts", "note_all_parts_put") if has_parts else node

    def visit_Expr(self, node: ast.Expr) -> Any:
        return self._filling(node)

    def visit_Assign(self, node: ast.Assign) -> Any:
        return self._filling(node)

    _in_loop = False  # of which each time puts one part there

    def _filling(self, node: ast.stmt) -> Any:
        if not self._fills(node):
            return node
        if self._in_loop:
            return self._around(node, "note_part", "note_part_put")
        return self._around(node, "note_filling", "note_filled")

    def _around(self, node: ast.stmt, before: str, after: str) -> list[ast.stmt]:
        return [self._call(before, node), node, self._call(after, node)]

    def _call(self, hook: str, node: ast.stmt) -> ast.stmt:
        return told_by(hook, [ast.Name(self.name, ast.Load())], node)

    def _is_setting(self, node: ast.AST) -> bool:
        called = node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
        return isinstance(called, ast.Name) and called.id == "setattr"

    def _fills(self, node: ast.AST) -> bool:
        """`y.method(…)`, `y.__dict__.update(…)`, `setattr(y, …)`, `y[key] = …`"""
        root: ast.AST = node
        if isinstance(node, ast.Assign):
            root = node.targets[0]
            root = root.value if isinstance(root, ast.Subscript) else node
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            root = node.value.args[0] if self._is_setting(node) else node.value.func
        while isinstance(root, ast.Attribute):
            root = root.value
        return isinstance(root, ast.Name) and root.id == self.name


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
    return module in sys.stdlib_module_names or module.startswith(_DEBUGGERS)


_DEBUGGERS = ("algotrace", "debugpy", "pydevd", "_pydev")
_MAY_BE_SEEN, _TELL_OF_PARTS = _MayBeSeen(), _TellOfParts()
