"""Where a corrected routine is written otherwise: the least statements of the recorded one that differ, and its gaps.

What of a wrong call is not written otherwise, and ran nothing that is, cannot be why it is wrong. So code that cannot
be run by itself can still be judged.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass

from algodebug.oracles.twin_code import Suite, Twin, same

_SUITES = ("body", "orelse", "finalbody")
_HANDLED = ("handlers", "cases")


@dataclass(frozen=True)
class Difference:
    """Something else between `first` and `last` of a suite; `head`: of one compound statement only what it begins with.

    A gap lies between two statements, `first` or `last` None at the ends of a suite; `around` is what the suite is in.
    """

    first: ast.stmt | None
    last: ast.stmt | None
    around: ast.AST | None
    head: bool = False
    gap: bool = False


def differences(twin: Twin) -> list[Difference]:
    """All of them, in the recorded routine."""
    found: list[Difference] = []
    pending: list[tuple[Suite, Suite | None, ast.AST | None]] = [(twin.recorded, twin.corrected, None)]
    while pending:
        suite, other_suite, around = pending.pop()
        if other_suite is None:
            found.append(Difference(suite[0], suite[-1], around))
            continue
        others: list[ast.stmt | None] = []
        for statement in suite:
            other = twin.counterpart(statement)
            others.append(other)
            if other is None or type(other) is not type(statement):
                found.append(Difference(statement, statement, around))
            elif not same([statement], [other]):
                parts = _suites(statement)
                if not parts:
                    found.append(Difference(statement, statement, around))
                    continue
                if _head(statement) != _head(other):
                    found.append(Difference(statement, statement, around, head=True))
                for part, owner in parts:
                    pending.append((part, twin.whole(part[0]), owner))
        found += _gaps(suite, others, other_suite, around)
    return found


def _gaps(
    suite: Suite, others: Sequence[ast.stmt | None], other_suite: Suite, around: ast.AST | None
) -> list[Difference]:
    """Places where the corrected suite has statements that stand for none of the recorded ones."""
    found = []
    before: ast.stmt | None = None
    missing = False
    known = {
        id(other): statement for statement, other in zip(suite, others, strict=True) if other is not None
    }
    # A statement that has no counterpart stands for what is there instead.
    replaced = {id(suite[at - 1]) if at else None for at, other in enumerate(others) if other is None} | {
        id(suite[at]) for at, other in enumerate(others) if other is None
    }
    for other in [*other_suite, None]:
        statement = None if other is None else known.get(id(other))
        if other is not None and statement is None:
            missing = True
            continue
        if missing and not ({id(before) if before is not None else None} & replaced):
            found.append(Difference(before, statement, around, gap=True))
        missing, before = False, statement
    return found


def _suites(statement: ast.stmt) -> list[tuple[Suite, ast.AST]]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return []
    found: list[tuple[Suite, ast.AST]] = []
    for field in _SUITES:
        part = getattr(statement, field, None)
        if isinstance(part, list) and part:
            found.append((part, statement))
    for field in _HANDLED:
        found += [(part.body, part) for part in getattr(statement, field, ())]
    return found


def _head(statement: ast.stmt) -> str:
    """A compound statement without its suites, which it only has or has not."""
    bare = copy.copy(statement)
    for field in _SUITES:
        part = getattr(bare, field, None)
        if isinstance(part, list):
            setattr(bare, field, [ast.Pass()] if part else [])
    for field in _HANDLED:
        if hasattr(bare, field):
            parts = [copy.copy(part) for part in getattr(bare, field)]
            for part in parts:
                part.body = []
            setattr(bare, field, parts)
    return ast.dump(bare)
