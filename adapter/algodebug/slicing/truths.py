"""What a truth depends on, once it is known: `a and b` that is false because of `b` is so whatever `a` is.

Where the truth alone counts, as in an `if`, the operands before the one that decided are of no account: had one of them
been other, the outcome would have been the same. Not so where evaluating the last one did more than give a value.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from algodebug.slicing.instances import CALL, CHOICE, LIBRARY, OPERATION, STORE, WRITE, YIELD, Instance

if TYPE_CHECKING:
    from algodebug.slicing.source_files import SourceFiles

_DOING_MORE = frozenset({CALL, LIBRARY, STORE, WRITE, YIELD})


def questions(files: SourceFiles, node: ast.BoolOp, index: int) -> list[ast.expr]:
    """Whether operands are true, from one on, where that may run code of the program: of the last one what is around asks."""
    if not (files.named("__bool__") or files.named("__len__")):
        return []
    if id(node) not in files.truths:
        files.truths[id(node)] = [ast.UnaryOp(ast.Not(), part) for part in node.values]
    return files.truths[id(node)][index:]


class Operand(NamedTuple):
    """One that was evaluated, of `and` or `or`."""

    node: ast.expr
    value: Instance
    start: int  # of the instances in its activation that belong to it
    control: Instance | None  # what decided that it was evaluated


def settle(operands: dict[int, list[Operand]], node: ast.expr, value: Instance, truth: bool) -> None:
    """Takes away what a truth did not depend on; `operands` by the order of the choice that they led to."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and value.kind == OPERATION:
        settle(operands, node.operand, value.shape[0], not truth)
    if not isinstance(node, ast.BoolOp) or value.kind != CHOICE or value.order not in operands:
        return
    evaluated = operands[value.order]
    if truth == isinstance(node.op, ast.And):
        for operand in evaluated:
            settle(operands, operand.node, operand.value, truth)
        return
    last, outer = evaluated[-1], evaluated[0].control
    settle(operands, last.node, last.value, truth)
    value.uses = []
    since = last.value.activation.instances[last.start : value.order]
    if not any(made.kind in _DOING_MORE for made in since):
        for made in since:
            if made.control is last.control:
                made.control = outer
