"""What could have raised an exception that a handler waits for, had its values been others."""

from __future__ import annotations

import ast

from algodebug.slicing.instances import (
    CALL,
    CONSTANT,
    ITEM,
    LIBRARY,
    OPERATION,
    PART,
    SLICED,
    TEST,
    WRITE,
    Activation,
    Instance,
)
from algodebug.slicing.sources import RAISE, exits

_LOOKUPS = frozenset({"IndexError", "KeyError", "LookupError"})
_ARITHMETIC = frozenset({"ZeroDivisionError", "ArithmeticError", "OverflowError"})
_TAKING_OUT = frozenset({"pop", "popleft", "popitem", "remove"})
_DIVIDING = (ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift)


def could_raise(made: Instance, names: frozenset[str]) -> bool:
    """Whether an evaluation could have raised one of some exceptions (any, where none are named)."""
    kind = made.kind
    if made.node is None or kind in (CONSTANT, TEST):
        return False
    if not names:
        return True
    if kind in (LIBRARY, CALL):
        return True
    if kind == WRITE and made.detail in _TAKING_OUT:
        return True
    if names & _LOOKUPS and (kind == ITEM or (kind == WRITE and len(made.uses) > 1)):
        return True
    if names & _ARITHMETIC and kind == OPERATION:
        return isinstance(made.node, (ast.BinOp, ast.AugAssign)) and isinstance(made.node.op, _DIVIDING)
    if names - _LOOKUPS - _ARITHMETIC:
        return kind in (PART, OPERATION, ITEM, SLICED)
    return False


def in_callee(activation: Activation, names: frozenset[str]) -> list[Instance]:
    """What in an activation could have raised, and what kept a `raise` in it from running."""
    found = [made for made in activation.instances if could_raise(made, names) and made.kind != CALL]
    found += [test for test, unrun in activation.tests if RAISE in exits(unrun)]
    return found
