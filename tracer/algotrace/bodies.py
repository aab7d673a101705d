"""What the body of a class or of an imported module bound its names to: that is what came of running it.

Of a module the names that were computed come first, those of constants after them. Functions, classes and modules are
left out, which are code; so is what was deleted again. Whatever else imports a module has that for an effect: what the
modules bound that were imported during a call, or by some code.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING

from algotrace.changes import MOST_CHANGES, Change, changes_of
from algotrace.computing import is_constant
from algotrace.marks import SET
from algotrace.scopes import children, parsed
from algotrace.values import Value

if TYPE_CHECKING:
    from algotrace.trace import Trace

_MOST_BODIES = 200  # of which the names are told together
_CODE = ("function", "class", "module", "absent")


def changes_made(trace: Trace, node: int) -> list[Change]:
    """What a node changed: of a body what it bound, and what it changed elsewhere."""
    kind = trace.routines[trace.routine[node]].kind
    if not node:
        return []
    if kind == "class":
        found = [*_bound_in_class(trace, node), *changes_of(trace, node)]
    elif kind == "module":
        own = _bound_in_module(trace, node, trace.end[node] + 1)
        bound = [Change(f"global {name}", None, value) for _, name, value in own]
        names = {change.target for change in bound}
        found = [*bound, *(c for c in changes_of(trace, node) if not _is_own(trace, node, c, names))]
    else:
        found = changes_of(trace, node)
    inside = imported_in(trace, node + 1, node + trace.size[node])
    return [*found, *_imported(trace, inside, trace.end[node] + 1, MOST_CHANGES - len(found))]


def imported_in(trace: Trace, first: int, end: int) -> list[int]:
    """The modules' bodies among some nodes that follow each other."""
    bodies = trace.lookups.bodies_of_modules
    return bodies[bisect_left(bodies, first) : bisect_left(bodies, end)]


def changes_by_imports(trace: Trace, bodies: list[int], time: int) -> list[Change]:
    """What the bodies of modules bound, as it was at a time: `config.TABLE`."""
    return _imported(trace, bodies, time, MOST_CHANGES)


def _imported(trace: Trace, bodies: list[int], time: int, most: int) -> list[Change]:
    found: dict[str, tuple[int, Change]] = {}
    for body in bodies[:_MOST_BODIES]:
        name = module_name(trace, body)
        for rank, bound, value in _bound_in_module(trace, body, time):
            target = f"{name}.{bound}"
            found[target] = rank, Change(target, None, value)
    ranked = sorted(found.values(), key=itemgetter(0))
    return [change for _, change in ranked[: max(most, 0)]]


def _names_bound(trace: Trace, node: int, owner: str) -> dict[str, int]:
    numbers: dict[str, int] = {}
    routine = trace.routine[node]
    for _, mark, values in trace.own_events(node):
        if mark is None or mark.kind != SET or mark.routine != routine:
            continue
        if values and mark.label.startswith(owner):
            numbers[mark.label.partition(" ")[2]] = values[-1]
    return numbers


def _bound_in_class(trace: Trace, node: int) -> list[Change]:
    numbers = _names_bound(trace, node, "class ")
    found = ((name, Value(trace, number, trace.end[node])) for name, number in numbers.items())
    return [Change(name, None, value) for name, value in found if value.kind not in _CODE]


def _bound_in_module(trace: Trace, node: int, time: int) -> list[tuple[int, str, Value]]:
    """The names, how little there is to say about each (see `_ranks`), and what it stood for at a time."""
    source = trace.routines[trace.routine[node]].source
    kept = _names_kept(trace, source)
    ranks = _ranks(trace.sources[source].text)
    numbers = _names_bound(trace, node, "global ")

    def rank(name: str) -> int:
        return 0 if trace.is_written(numbers[name]) else ranks.get(name, 0)

    bound = []
    for name in sorted(numbers, key=rank):
        if name.startswith("__") or (kept is not None and name not in kept):
            continue
        later = trace.globals_at(source, name, time)  # a function that the body called may have bound it anew
        value = Value(trace, numbers[name] if later is None else later, time)
        if value.kind not in _CODE:
            bound.append((rank(name), name, value))
    return bound


def _names_kept(trace: Trace, source: int) -> set[str] | None:
    """The names a module has in the end; None where that is not known."""
    spaces = [trace.modules[name] for name in trace.lookups.modules_of(source)]
    return set().union(*spaces) if spaces else None


def _is_own(trace: Trace, node: int, change: Change, names: set[str]) -> bool:
    """Is it a change of what the body itself had made?"""
    root = change.target.partition(".")[0].partition("[")[0]
    if root not in names:
        return False
    before = change.before
    start = trace.start[node]
    return before is None or trace.first_seen.get(before.identity, start) >= start


def module_name(trace: Trace, node: int) -> str:
    """The name by which the module was imported whose body a node is; "" for other nodes and the program itself."""
    routine = trace.routines[trace.routine[node]]
    if not node or routine.kind != "module":
        return ""
    names = [name for name in trace.lookups.modules_of(routine.source) if name != "__main__"]
    if names:
        return max(names, key=len)
    # It is gone, its import failed mostly: its path tells, as far as the packages around it are recorded.
    path = trace.sources[routine.source].path.replace("\\", "/").removesuffix(".py").removesuffix("/__init__")
    folder, _, name = path.rpartition("/")
    paths = {source.path.replace("\\", "/") for source in trace.sources}
    while folder and f"{folder}/__init__.py" in paths:
        folder, _, package = folder.rpartition("/")
        name = f"{package}.{name}"
    return name


@lru_cache(maxsize=64)
def _ranks(text: str) -> dict[str, int]:
    """How little there is to say about the names that a module binds: 0 for computed ones, 1 for those of loops,
    2 for those of constants."""
    ranks: dict[str, int] = {}
    try:
        pending: list[ast.AST] = list(parsed(text).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ranks
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        rank = 0
        targets: list[ast.AST] = [node] if isinstance(node, ast.NamedExpr) else []
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            rank = 2 if node.value is None or is_constant(node.value) else 0
            targets = list(node.targets) if isinstance(node, ast.Assign) else [node.target]
        elif isinstance(node, ast.AugAssign):
            targets = [node.target]
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            rank, targets = 1, [node.target]
        for target in targets:
            for part in ast.walk(target):
                if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
                    ranks[part.id] = min(rank, ranks.get(part.id, rank))
        pending += children(node)
    return ranks
