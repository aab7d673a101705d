"""Which expression of a corrected statement stands for one of the recorded statement: what stands in the same place."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from algodebug.statement_syntax import Region, Syntax

Path = list[tuple[str, int | None]]


def expression_at(statement: ast.stmt, region: Region, syntax: Syntax) -> tuple[ast.expr, Path] | None:
    """The outermost expression of a statement in a region, and the way to it."""
    pending: list[tuple[ast.AST, Path]] = [(statement, [])]
    while pending:
        node, path = pending.pop()
        if isinstance(node, ast.expr) and syntax.region(node) == region:
            return node, path
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.AST):
                pending.append((value, [*path, (field, None)]))
            elif isinstance(value, list):
                pending += [
                    (part, [*path, (field, at)]) for at, part in enumerate(value) if isinstance(part, ast.AST)
                ]
    return None


def in_the_same_place(ours: ast.stmt, theirs: ast.stmt, path: Path) -> ast.expr | None:
    """What the other statement has at the end of a way; None where the two differ before."""
    one: Any = ours
    two: Any = theirs
    for field, at in path:
        if type(one) is not type(two):
            return None
        one, two = getattr(one, field), getattr(two, field)
        if at is not None:
            if len(one) != len(two):
                return None
            one, two = one[at], two[at]
    return two if isinstance(two, ast.expr) else None
