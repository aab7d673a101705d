"""Which routines have code inside that can be asked about by itself: more than one statement, or one with parts.

Told by the text, so that a list of many calls costs nothing; what ran in one call is looked at when somebody opens it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from algotrace.trace import Trace

_WITH_PARTS = (
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.If,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.Match,
    *([ast.TryStar] if hasattr(ast, "TryStar") else []),
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def routines_with_code(trace: Trace) -> frozenset[int]:
    """The numbers of those routines."""
    places: dict[int, set[tuple[str, int]]] = {}
    modules: set[int] = set()
    for number, source in enumerate(trace.sources):
        try:
            tree = ast.parse(source.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if _has_parts(tree.body):
            modules.add(number)
        places[number] = {
            (node.name, node.lineno)
            for node in ast.walk(tree)
            if isinstance(node, _FUNCTIONS) and _has_parts(node.body)
        }
    return frozenset(
        routine.id
        for routine in trace.routines
        if (
            routine.source in modules
            if routine.kind == "module"
            else (routine.qualname.rpartition(".")[2], routine.line) in places.get(routine.source, ())
        )
    )


def _has_parts(body: list[ast.stmt]) -> bool:
    first = body[0] if body else None
    described = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    rest = body[1:] if described else body
    return len(rest) > 1 or (bool(rest) and isinstance(rest[0], _WITH_PARTS))
