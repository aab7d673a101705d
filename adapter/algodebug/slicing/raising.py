"""What could have raised an exception that a handler waits for, had its values been others."""

from __future__ import annotations

import ast
from typing import NamedTuple

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
    Called,
    Instance,
)
from algodebug.slicing.sources import kept, own_parts

_LOOKUPS = frozenset({"IndexError", "KeyError", "LookupError"})
_ARITHMETIC = frozenset({"ZeroDivisionError", "ArithmeticError", "OverflowError"})
_TAKING_OUT = frozenset({"pop", "popleft", "popitem", "remove"})
_MOST_OLDER = 50  # tests that one jump adds
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
    """What in an activation could have raised, and what kept code from running that could have."""
    found: list[Instance] = []
    todo = [activation]
    while todo:
        part = todo.pop()
        todo += part.inlines
        found += [made for made in part.instances if made.kind != CALL and could_raise(made, names)]
        found += tests_since(part, 0, names)
    return found


def inlines_since(activation: Activation, start: int) -> list[Activation]:
    """The lambdas that ran in an activation from one of its instances on."""
    found: list[Activation] = []
    for inner in reversed(activation.inlines):
        if inner.caller is None or inner.caller.order < start:
            break
        found.append(inner)
    return found


def called_in(inner: Activation) -> list[int]:
    """The nodes that ran in calls of a lambda, and of those that ran in it."""
    parts = [inner]
    for part in parts:
        parts += part.inlines
    made = (each.detail for part in parts for each in part.instances)
    found = [node for called in made if isinstance(called, Called) for node in called.nodes]
    return found + [node for part in parts for nodes in part.ran_in.values() for node in nodes]


def tests_since(activation: Activation, start: int, names: frozenset[str]) -> list[Instance]:
    """The tests from one instance on that kept code from running that could have raised."""
    found: list[Instance] = []
    older = 0
    for test, unrun in reversed(activation.tests):
        if test.order < start:  # a jump adds the tests around it, which may be older
            older += 1
            if older > _MOST_OLDER:
                break
        elif any(_unrun_could(piece, names) for piece in unrun):
            found.append(test)
    return found


class _Raising(NamedTuple):
    """What there is in a piece of code that could raise."""

    anything: bool  # a call, `raise` …
    lookups: bool
    operators: bool
    dividing: bool
    others: bool  # attributes, comparisons


def _unrun_could(piece: ast.AST, names: frozenset[str]) -> bool:
    """Whether a piece of code, had it run, could have raised one of some exceptions."""
    could = kept(piece, "_raising", lambda: _raising(piece))
    if could.anything or (could.lookups and (not names or names - _ARITHMETIC)):
        return True
    if could.operators and (not names or names - _LOOKUPS - _ARITHMETIC):
        return True
    return (could.dividing and bool(names & _ARITHMETIC)) or (could.others and not names)


def _raising(piece: ast.AST) -> _Raising:
    anything = lookups = operators = dividing = others = False
    for part in own_parts(piece):
        if isinstance(part, (ast.Call, ast.Raise, ast.Assert, ast.Await)):
            anything = True
        elif isinstance(part, ast.Subscript):
            lookups = True
        elif isinstance(part, (ast.BinOp, ast.AugAssign)):
            operators, dividing = True, dividing or isinstance(part.op, _DIVIDING)
        elif isinstance(part, (ast.Attribute, ast.Compare)):
            others = True
    return _Raising(anything, lookups, operators, dividing, others)
