"""The body of an imported module as a question for the corrected copy: what was there before, and what it bound.

It is answered by `copy_run.imports`. Not here: what follows from the reply, see `reference`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from algodebug.oracles.recorded_rows import Rows, encode, inexact
from algotrace.scopes import imports
from algotrace.values import Value

if TYPE_CHECKING:
    from algotrace.trace import Call, Trace

_NO_DATA = frozenset({"function", "class", "module", "method", "absent", "unknown"})


def import_question(
    trace: Trace, call: Call, known: Sequence[tuple[str, str, int]], moving: Sequence[tuple[str, str, int]]
) -> dict[str, Any]:
    """Without the module and its file. Raises CannotEncode.

    `known` are the globals of the program's modules, `moving` those whose content changed while it ran.
    """
    node = call.node
    start, end = trace.start[node], trace.end[node] + 1
    before: Rows = {}
    after: Rows = {}
    given = [
        (module, name, encode(trace, Value(trace, number, start), start, before))
        for module, name, number in _imported(trace, node)
    ]
    later = []
    for module, name, number in moving:
        if trace.first_seen.get(number, 0) < start:
            given.append((module, name, encode(trace, Value(trace, number, start), start, before)))
            later.append((module, name, encode(trace, Value(trace, number, end), end, after)))
    bound = []
    for change in call.changes:
        name = change.target.removeprefix("global ")
        if change.before is None and change.after is not None and name.isidentifier():
            bound.append((name, encode(trace, change.after, end, after)))
    outcome = call.outcome
    raised = outcome.value if outcome.kind == "raise" else None
    text = trace.sources[call.routine.source].text
    return {
        "import": call.module,
        "describe": False,
        "inexact": inexact(before) or inexact(after),
        "before": before,
        "after": after,
        "known": [g for g in known if g[2] in before],
        "globals": given,
        "globals_after": later,
        "bound": bound,
        "weighty": sorted({name for name, _ in bound} - _loop_names(text)),
        "inside": _modules_inside(trace, node),
        "outcome": {
            "kind": outcome.kind,
            "value": None if raised is None else encode(trace, raised, end, after),
        },
    }


def _imported(trace: Trace, node: int) -> list[tuple[str, str, int]]:
    """(module, name, number) of the data that its text takes from modules which were there before it."""
    source, start = trace.routines[trace.routine[node]].source, trace.start[node]
    found = []
    for module, what in imports(trace.sources[source].text).values():
        for other in trace.lookups.sources_of(module) if what else ():
            number = trace.globals_at(other, what, start)
            row = None if number is None else trace.row(number)
            if number is not None and not (type(row) is list and row[0] in _NO_DATA):
                found.append((module, what, number))
    return found


def _modules_inside(trace: Trace, node: int) -> list[str]:
    """The modules that were imported first while the body ran: marks of their bodies stand in its time."""
    ran = {trace.marks[code].routine for code in trace.marks_between(trace.start[node], trace.end[node])}
    sources = {
        trace.routines[number].source
        for number in ran
        if trace.routines[number].kind == "module" and number != trace.routine[node]
    }
    return [
        name for source in sorted(sources) for name in trace.lookups.modules_of(source) if name != "__main__"
    ]


def _loop_names(text: str) -> set[str]:
    """What loops bind: another version may well do without."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    return {
        part.id
        for loop in ast.walk(tree)
        if isinstance(loop, ast.For)
        for part in ast.walk(loop.target)
        if isinstance(part, ast.Name)
    }
