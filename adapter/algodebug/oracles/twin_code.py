"""Which code of a corrected routine stands for some code of the recorded one.

Suites are aligned statement by statement, loops with loops and branches with branches, those written the same first. What
stands between the counterparts of two neighbours and has none itself belongs to the range around both: so a forgotten
statement makes that range wrong and nothing smaller. Pure functions over syntax trees.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

Suite = list[ast.stmt]

_SUITES = ("body", "orelse", "finalbody")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Place:
    """Where a statement stands: its suite, its position in it, and the statement or handler around the suite."""

    suite: Suite
    index: int
    around: ast.AST | None
    field: str


class Twin:
    """Two versions of one body, the recorded one and the corrected one."""

    def __init__(self, recorded: Suite, corrected: Suite) -> None:
        self.recorded = recorded
        self.corrected = corrected
        self._places: dict[int, Place] = {}
        self._counterparts: dict[int, ast.stmt | None] = {}
        self._parts: dict[int, ast.AST] = {}  # the counterparts of handlers and cases
        _place_all(recorded, None, "body", self._places)
        self._align(recorded, corrected)

    def place(self, statement: ast.stmt) -> Place | None:
        return self._places.get(id(statement))

    def counterpart(self, statement: ast.stmt) -> ast.stmt | None:
        return self._counterparts.get(id(statement))

    def whole(self, first: ast.stmt) -> Suite | None:
        """The corrected suite for the one that a statement is in."""
        place = self.place(first)
        if place is None:
            return None
        if place.around is None:
            return self.corrected
        around = place.around
        if isinstance(around, ast.stmt):
            other: ast.AST | None = self.counterpart(around)
        else:
            other = self._parts.get(id(around))
        found = getattr(other, place.field, None)
        return found if isinstance(found, list) else None

    def run(self, first: ast.stmt, last: ast.stmt) -> Suite | None:
        """The corrected statements for those of one suite from `first` to `last`; empty where there are none."""
        one, two = self.place(first), self.place(last)
        suite = self.whole(first)
        if one is None or two is None or suite is None or one.suite is not two.suite:
            return None
        indexes = [self._index(statement, suite) for statement in one.suite]
        if one.index == two.index:
            # A statement by itself is what stands in its place, and nothing that is missing around it.
            at = indexes[one.index]
            if at is not None:
                return suite[at : at + 1]
        start = indexes[one.index]
        if start is None:
            start = next((at + 1 for at in reversed(indexes[: one.index]) if at is not None), 0)
        end = indexes[two.index]
        if end is None:
            end = next((at for at in indexes[two.index + 1 :] if at is not None), len(suite))
        else:
            end += 1
        return suite[start:end]

    def _index(self, statement: ast.stmt, suite: Suite) -> int | None:
        other = self.counterpart(statement)
        return next((at for at, each in enumerate(suite) if each is other), None)

    def _align(self, recorded: Suite, corrected: Suite) -> None:
        pending: list[tuple[Sequence[ast.stmt], Sequence[ast.stmt]]] = [(recorded, corrected)]
        while pending:
            ours, theirs = pending.pop()
            for statement, other in align(ours, theirs):
                self._counterparts[id(statement)] = other
                for field in _SUITES:
                    inner, outer = getattr(statement, field, None), getattr(other, field, None)
                    if (
                        isinstance(inner, list)
                        and isinstance(outer, list)
                        and not isinstance(statement, _FUNCTIONS)
                    ):
                        pending.append((inner, outer))
                for field in ("handlers", "cases"):
                    pairs = zip(getattr(statement, field, ()), getattr(other, field, ()), strict=False)
                    for part, other_part in pairs:
                        self._parts[id(part)] = other_part
                        pending.append((part.body, other_part.body))


def _place_all(suite: Suite, around: ast.AST | None, field: str, places: dict[int, Place]) -> None:
    pending: list[tuple[Suite, ast.AST | None, str]] = [(suite, around, field)]
    while pending:
        statements, above, name = pending.pop()
        for index, statement in enumerate(statements):
            places[id(statement)] = Place(statements, index, above, name)
            if isinstance(statement, _FUNCTIONS):
                continue
            for inner in _SUITES:
                below = getattr(statement, inner, None)
                if isinstance(below, list):
                    pending.append((below, statement, inner))
            for parts in ("handlers", "cases"):
                pending += [(part.body, part, "body") for part in getattr(statement, parts, ())]


def align(ours: Sequence[ast.stmt], theirs: Sequence[ast.stmt]) -> list[tuple[ast.stmt, ast.stmt]]:
    """Pairs in order, such that as much as possible is alike."""
    rows = [[0.0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for i in range(len(ours) - 1, -1, -1):
        for j in range(len(theirs) - 1, -1, -1):
            rows[i][j] = max(
                rows[i + 1][j], rows[i][j + 1], rows[i + 1][j + 1] + _likeness(ours[i], theirs[j])
            )
    pairs, i, j = [], 0, 0
    while i < len(ours) and j < len(theirs):
        likeness = _likeness(ours[i], theirs[j])
        if likeness and rows[i][j] == rows[i + 1][j + 1] + likeness:
            pairs.append((ours[i], theirs[j]))
            i, j = i + 1, j + 1
        elif rows[i][j] == rows[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


@lru_cache(maxsize=10_000)
def _written(node: ast.AST) -> str:
    return ast.dump(node)


def same(ours: Sequence[ast.stmt], theirs: Sequence[ast.stmt]) -> bool:
    """Are both written the same?"""
    return len(ours) == len(theirs) and all(
        _written(one) == _written(two) for one, two in zip(ours, theirs, strict=True)
    )


def _likeness(one: ast.stmt, two: ast.stmt) -> float:
    if _written(one) == _written(two):
        return 4.0
    if type(one) is not type(two):
        kinds = {type(one), type(two)}
        # `x = x + 1` for `x += 1`, `return` for a bare expression.
        return 0.5 if kinds <= {ast.Assign, ast.AugAssign, ast.AnnAssign} else 0.0
    targets = [_targets(each) for each in (one, two)]
    if targets[0] or targets[1]:
        return 2.5 if targets[0] == targets[1] else 1.0
    return 2.0 if hasattr(one, "body") or isinstance(one, ast.Return) else 1.2


def _targets(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Assign):
        return [ast.dump(target) for target in node.targets]
    if isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.AsyncFor)):
        return [ast.dump(node.target)]
    return []


def names_stored(statements: Sequence[ast.AST]) -> set[str]:
    """The names that statements bind in their own scope."""
    found: set[str] = set()
    for part in own_nodes(statements):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            found.add(part.id)
        elif isinstance(part, (*_FUNCTIONS, ast.ClassDef)):
            found.add(part.name)
        elif isinstance(part, ast.alias):
            found.add((part.asname or part.name).partition(".")[0])
        elif isinstance(part, ast.ExceptHandler) and part.name:
            found.add(part.name)
    return found


def names_loaded(statements: Sequence[ast.AST]) -> set[str]:
    """The names that statements read, in inner functions too."""
    return {
        part.id
        for statement in statements
        for part in ast.walk(statement)
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Store)
    } | {
        part.target.id
        for statement in statements
        for part in ast.walk(statement)
        if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name)
    }


def own_nodes(statements: Sequence[ast.AST]) -> list[ast.AST]:
    """The syntax of statements without what runs in scopes of its own."""
    found, pending = [], list(statements)
    while pending:
        node = pending.pop()
        found.append(node)
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            # The first iterable is evaluated outside, and so is what `:=` binds.
            pending.append(node.generators[0].iter)
            found += [each.target for each in ast.walk(node) if isinstance(each, ast.NamedExpr)]
            continue
        pending += ast.iter_child_nodes(node)
    return found
