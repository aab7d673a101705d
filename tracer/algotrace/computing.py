"""Which bodies of classes and modules compute something: these are nodes of the execution tree. The others only define.

Told from the syntax alone, before the program runs, and again where a reader wants to know which of a module's names
are more than constants. Not here: that a decorator of the program's own was called, which only the run tells.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from algotrace import BUILTINS

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SILENT = (*_DEFINITIONS, ast.Import, ast.ImportFrom, ast.Pass, ast.Global, ast.Delete)
# Calls that define something: a type, a logger.
_DEFINING = frozenset({"NamedTuple", "NewType", "ParamSpec", "TypeVar", "TypeVarTuple", "TypedDict", "getLogger", "namedtuple"})  # fmt: skip
_GENERIC = frozenset({"dict", "frozenset", "list", "set", "tuple", "type"})


def class_computes(body: list[ast.stmt]) -> bool:
    """Does the body of a class do more than define functions and bind names to constants?"""
    for statement in body:
        if isinstance(statement, (*_DEFINITIONS, ast.Pass)) or _declares(statement):
            continue
        value = getattr(statement, "value", None)
        if not isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign)) or not (
            value is None or isinstance(value, ast.Constant)
        ):
            return True
    return False


def _declares(statement: ast.stmt) -> bool:
    """`size: int = field(default=0)`, `RED = auto()`: a class decorator or a base class makes something of it."""
    value = getattr(statement, "value", None)
    if not isinstance(value, ast.Call):
        return False
    given = [*value.args, *(keyword.value for keyword in value.keywords)]
    if isinstance(statement, ast.Assign):
        return _last(value.func) == "auto" and not given
    return isinstance(statement, ast.AnnAssign) and all(
        is_constant(part) or isinstance(part, ast.Lambda) for part in given
    )


def module_computes(body: Iterable[ast.stmt]) -> bool:
    """Does the body of a module do more than import, define, and bind names to constants?

    Branches count unless all they do is import and define.
    """
    return any(_computes(statement, False) for statement in body)


def _computes(statement: ast.stmt, chosen: bool) -> bool:
    """`chosen`: whether the statement runs at all has been decided by something."""
    if isinstance(statement, _SILENT) or type(statement).__name__ == "TypeAlias":
        return False
    if isinstance(statement, (ast.Assign, ast.AugAssign)) and "__all__" in map(_last, _targets(statement)):
        return False
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return chosen or (statement.value is not None and not is_constant(statement.value))
    if isinstance(statement, ast.Expr):
        return not is_constant(statement.value)
    if isinstance(statement, ast.If):
        if _is_main(statement.test):
            return any(_computes(inner, True) for inner in statement.orelse)
        inside = [*statement.body, *statement.orelse]
        return _calls(statement.test) or any(_computes(inner, True) for inner in inside)
    if isinstance(statement, ast.Try):  # mostly an import that may fail
        handled = [inner for handler in statement.handlers for inner in handler.body]
        return any(
            _computes(inner, False)
            for inner in (*statement.body, *handled, *statement.orelse, *statement.finalbody)
        )
    return True


def is_constant(value: ast.expr) -> bool:
    """A literal, a name, something that only defines: where it is right to write it down, it is right."""
    if isinstance(value, ast.Constant):
        return True
    if isinstance(value, (ast.Name, ast.Attribute)):
        return _names(value)
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        return all(map(is_constant, value.elts))
    if isinstance(value, ast.Dict):
        return all(is_constant(part) for part in (*value.keys, *value.values) if part is not None) and (
            None not in value.keys
        )
    if isinstance(value, ast.UnaryOp):
        return isinstance(value.operand, ast.Constant)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr):  # `int | None`
        return _names(value.left) and (_names(value.right) or isinstance(value.right, ast.Constant))
    if isinstance(value, ast.Subscript):  # `dict[str, int]`
        name = _last(value.value)
        is_type = name in _GENERIC or (name[:1].isupper() and not name.isupper())
        return is_type and not _calls(value.slice)
    if isinstance(value, ast.Call):
        return _last(value.func) in _DEFINING
    return False


def _names(value: ast.expr) -> bool:
    """`x`, `x.y`"""
    while isinstance(value, ast.Attribute):
        value = value.value
    return isinstance(value, ast.Name)


def _targets(statement: ast.Assign | ast.AugAssign) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else [statement.target]


def _last(value: ast.expr) -> str:
    return value.id if isinstance(value, ast.Name) else value.attr if isinstance(value, ast.Attribute) else ""


def _calls(value: ast.expr) -> bool:
    return any(isinstance(part, (ast.Call, ast.Await, ast.NamedExpr)) for part in ast.walk(value))


def _is_main(test: ast.expr) -> bool:
    """`__name__ == "__main__"`: not so of a module that is imported."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.Eq)
    )
