"""Plain numbers and texts computed with builtin operators, within bounds: what a trace need not record.

Nothing of a program is called: operands are exactly of the builtin types.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, Final

from algodebug.slicing.instances import UNSET

_PLAIN: Final = (int, float, bool, str, bytes, type(None), complex)
_LONGEST = 100_000
_LARGEST = 1 << 4000

_BINARY: Final[dict[type, Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_COMPARED: Final[dict[type, Callable[[Any, Any], Any]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_UNARY: Final[dict[type, Callable[[Any], Any]]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}


def compute(node: ast.AST, operands: list[Any]) -> Any:
    """The value of an operator applied to known operands, UNSET where one is not known or the result is too large."""
    if any(type(value) not in _PLAIN for value in operands):
        return UNSET
    try:
        if isinstance(node, ast.UnaryOp) and len(operands) == 1:
            return _UNARY[type(node.op)](operands[0])
        if isinstance(node, (ast.BinOp, ast.AugAssign)) and len(operands) == 2:
            return _binary(node.op, operands[0], operands[1])
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and len(operands) == 2:
            if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
                if operands[0] is None or operands[1] is None:
                    same = operands[0] is operands[1]
                    return same if isinstance(node.ops[0], ast.Is) else not same
                return UNSET
            if isinstance(node.ops[0], (ast.In, ast.NotIn)):
                if type(operands[0]) is str and type(operands[1]) is str:
                    inside = operands[0] in operands[1]
                    return inside if isinstance(node.ops[0], ast.In) else not inside
                return UNSET
            return _COMPARED[type(node.ops[0])](operands[0], operands[1])
    except (ArithmeticError, TypeError, ValueError, KeyError):
        return UNSET
    return UNSET


def _binary(op: ast.operator, left: Any, right: Any) -> Any:
    function = _BINARY.get(type(op))
    if function is None:
        return UNSET
    for value in (left, right):
        if type(value) is int and not -_LARGEST < value < _LARGEST:
            return UNSET
        if isinstance(value, (str, bytes)) and len(value) > _LONGEST:
            return UNSET
    if isinstance(left, (str, bytes)) and isinstance(op, ast.Mod):
        return UNSET  # formatting
    if isinstance(op, ast.Mult) and (isinstance(left, (str, bytes)) or isinstance(right, (str, bytes))):
        text, count = (left, right) if isinstance(left, (str, bytes)) else (right, left)
        if type(count) is not int or len(text) * max(count, 0) > _LONGEST:
            return UNSET
    return function(left, right)


def element_of_range(bounds: list[Any], index: int) -> Any:
    if not bounds or len(bounds) > 3 or any(type(bound) is not int for bound in bounds):
        return UNSET
    try:
        return range(*bounds)[index]
    except (IndexError, ValueError, OverflowError):
        return UNSET


def length_of_range(bounds: list[Any]) -> int | None:
    if not bounds or len(bounds) > 3 or any(type(bound) is not int for bound in bounds):
        return None
    try:
        return len(range(*bounds))
    except (ValueError, OverflowError):
        return None


def of_row(row: list[Any]) -> Any:
    """The value of a scalar that a trace keeps as a list."""
    if row[0] == "huge":
        return int(row[1], 16)
    if row[0] == "complex":
        return complex(row[1], row[2])
    return row[1].encode("latin-1")
