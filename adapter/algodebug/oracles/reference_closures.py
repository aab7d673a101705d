"""The variables around a nested function: what they held when it was called, and when it had ended.

What the call read itself is what they held; of the others the activation around it tells. Left out are functions that were
made by several activations none of which is still running: which of them made this one is not recorded.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from algodebug.activation_variables import Variables
from algodebug.oracles.recorded_rows import CannotEncode
from algotrace.values import Value

if TYPE_CHECKING:
    from algodebug.slicing.source_files import SourceFiles
    from algotrace.trace import Trace

_NO_DATA = ("function", "class", "module", "absent", "unknown")


@dataclass(frozen=True)
class Around:
    """One variable of a function around: its value before and after a call; None where it held no data."""

    name: str
    before: Value | None
    after: Value | None


def is_nested(qualname: str) -> bool:
    """Is it a function inside of a function, and no method of a class inside of one?"""
    around, _, name = qualname.rpartition(".")
    return around.endswith("<locals>") and not name.startswith("<")


def variables_around(trace: Trace, files: SourceFiles, node: int, names: set[str]) -> list[Around]:
    """Those of the given names that belong to functions around; raises CannotEncode where nobody knows whose they are."""
    start, end = trace.start[node], trace.end[node] + 1
    first_read: dict[str, int] = {}
    for value in trace.own_values(node):
        if value.role == "read":
            first_read.setdefault(value.name, value.number)
    found: dict[str, Around] = {}
    routine = trace.routines[trace.routine[node]].parent
    while routine >= 0 and trace.routines[routine].kind not in ("module", "class"):
        around = _activation(trace, routine, node)
        variables = Variables(trace, around, end)
        for name in names.intersection(variables.names()) - variables.free.keys() - found.keys():
            if files.binder(trace.routine[node], name) != routine:
                continue
            before, after = (_number(trace, files, variables, around, name, time) for time in (start, end))
            if name in first_read and _written(trace, files, around, name, start, end) is None:
                before = first_read[name]
            found[name] = Around(name, _data(trace, before, start), _data(trace, after, end))
        routine = trace.routines[routine].parent
    return list(found.values())


def names_in(*pieces: ast.AST | None) -> set[str]:
    """The names that some code mentions."""
    return {part.id for piece in pieces if piece for part in ast.walk(piece) if isinstance(part, ast.Name)}


def _activation(trace: Trace, routine: int, node: int) -> int:
    """The activation that made the function: the one around the call, else the only one there was before."""
    at = trace.parent[node]
    while at >= 0:
        if trace.routine[at] == routine:
            return at
        at = trace.parent[at]
    try:
        only = trace.routine.index(routine)
        trace.routine.index(routine, only + 1)
    except ValueError as missing:
        if "only" in locals():
            return only
        raise CannotEncode from missing
    raise CannotEncode


def _number(
    trace: Trace, files: SourceFiles, variables: Variables, around: int, name: str, time: int
) -> int | None:
    """The object that a variable held: by a store of its own function or one of a function inside, the later one."""
    own = variables.number(name, time)
    written = _written(trace, files, around, name, trace.start[around], time)
    if written is None or (own is not None and variables.number(name, written) != own):
        return own
    return trace.write_at(written).values[-1]


def _written(trace: Trace, files: SourceFiles, around: int, name: str, after: int, before: int) -> int | None:
    """When a function inside of an activation last rebound a variable of it: others have some by the same name."""
    routine = trace.routine[around]
    for time, writer in trace.lookups.nonlocal_writes(name, after, before):
        if files.binder(writer, name) == routine:
            at = trace.node_at(time)
            while at >= 0 and trace.routine[at] != routine:
                at = trace.parent[at]
            if at in (around, -1):  # else it is the variable of another activation
                return time
    return None


def _data(trace: Trace, number: int | None, time: int) -> Value | None:
    if number is None:
        return None
    row = trace.row(number)
    return None if type(row) is list and row[0] in _NO_DATA else Value(trace, number, time)
