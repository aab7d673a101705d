"""Which of several statements made a call, where no event between them tells: by what each of them can run.

A piece of code runs functions of the program by calling them, by operators and the like (their methods have names with
underscores), by reading properties, and through library code that is given them. What more than one can have run is
in doubt.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from algodebug.statement_syntax import IMPORT

if TYPE_CHECKING:
    from algodebug.statement_syntax import Facts, Region, Syntax
    from algotrace.trace import Trace

# Library functions that run nothing of the program but methods for operators and the like, and generators.
_HARMLESS = frozenset(
    {
        "abs", "all", "any", "append", "bool", "dict", "divmod", "enumerate", "extend", "float", "format", "frozenset",
        "get", "hash", "id", "insert", "int", "isinstance", "issubclass", "items", "iter", "join", "keys", "len", "list",
        "next", "pop", "print", "range", "repr", "reversed", "round", "set", "str", "sum", "super", "tuple", "type",
        "update", "values", "zip", IMPORT,
    }
)  # fmt: skip


class Ran(NamedTuple):
    """What ran: the names a call of it can have, and whether nothing need be written for it."""

    names: tuple[str, ...]
    implicit: bool


class Owners:
    """Answers for one activation."""

    def __init__(self, trace: Trace, syntax: Syntax) -> None:
        self._trace = trace
        self._syntax = syntax
        self._recorded = {part for routine in trace.routines for part in routine.qualname.split(".")}
        self._recorded |= {f"class {name}" for name in self._recorded}

    def ran(self, node: int) -> Ran:
        """A call that was recorded."""
        routine = self._trace.routines[self._trace.routine[node]]
        names: tuple[str, ...] = (routine.name,)
        if routine.name in ("__init__", "__new__"):
            names = (routine.name, *routine.qualname.split(".")[-2:-1])
        if routine.kind == "class":
            return Ran((f"class {routine.name}", IMPORT), False)  # of a module that is imported, too
        if routine.kind == "module":
            return Ran((IMPORT,), False)
        dunder = len(names) == 1 and routine.name.startswith("__") and routine.name.endswith("__")
        return Ran(names, dunder or routine.kind != "function")

    def may_run(self, facts: Facts, ran: Ran) -> bool:
        """Can a piece of code have run it?"""
        if any(facts.calls[name] for name in ran.names):
            return True
        library = [name for name in facts.calls if name not in self._recorded]
        if ran.implicit and (facts.operates or library):
            return True
        return any(name in facts.attributes for name in ran.names) or not _HARMLESS.issuperset(library)

    def rivals(
        self, suites: Sequence[tuple[Sequence[ast.stmt], int]], told: Region | None
    ) -> Iterator[Facts]:
        """What can run before the event that is told to be at `told`, after the statement under way.

        `suites` are the suites around, outermost first, each with the position of its statement under way. At the end
        of a loop's body the head of the loop runs again.
        """
        for depth in range(len(suites) - 1, -1, -1):
            body, index = suites[depth]
            for statement in body[index + 1 :]:
                yield from self._facts(statement)
                region = self._syntax.region(statement)
                if told is not None and region[:2] <= told[:2] and told[2:] <= region[2:]:
                    return
            around = suites[depth - 1][0][suites[depth - 1][1]] if depth else None
            if isinstance(around, (ast.For, ast.AsyncFor, ast.While)) and body is around.body:
                yield from self._facts(around)

    def _facts(self, statement: ast.stmt) -> Iterator[Facts]:
        for head in _heads(statement):
            yield self._syntax.facts(head) if head is statement else self._syntax.head_facts(head)


def _heads(statement: ast.stmt) -> list[ast.AST]:
    """What of a statement runs before anything that leaves an event, as far as that matters."""
    if isinstance(statement, (ast.If, ast.While)):
        return [statement.test]
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return [statement.iter]
    if isinstance(statement, ast.Match):
        return [statement.subject]
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return [item.context_expr for item in statement.items]
    return [] if hasattr(statement, "handlers") else [statement]
