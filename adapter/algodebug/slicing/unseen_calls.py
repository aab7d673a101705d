"""Calls that change a container unseen: of a method of it that somebody got hold of before, `put = getattr(found, "append")`.

What the trace has is a note from when the method was handed out; what is different later was done by calls of code that
is not recorded, which were given the method, or are calls of it. Looked at are those in the activation that handed it out.
Before Python 3.13 the dict that `locals()` gave is also changed by the next `locals()`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from algodebug.slicing import calls, sources
from algodebug.slicing.demands import Needs
from algodebug.slicing.instances import DISPLAY, LIBRARY, Called, Instance
from algotrace import marks

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_DEEPEST = 3  # `list(map(found.append, xs))`


def add(needs: Needs, noted: Instance, at: int, before: int) -> None:
    """What the calls depend on that may have changed a container between a note and a time."""
    graph = needs.graph
    if graph.trace.write_at(at).kind != marks.PASSED:
        return
    instances = noted.activation.instances
    is_of_names = isinstance(noted.node, ast.Call) and sources.looks_at_names(noted.node)
    for made in instances[noted.order + 1 :]:
        if made.time > before:
            break
        if is_of_names:
            if made.kind == LIBRARY and isinstance(made.node, ast.Call) and sources.looks_at_names(made.node):
                needs.whole((made,), made.time)
        elif (
            made.kind == LIBRARY and isinstance(made.detail, Called) and _is_given(graph, made.detail, noted)
        ):
            needs.reached(made)
            needs.found += calls.all_of(made, made.time)


def _is_given(graph: Graph, called: Called, noted: Instance) -> bool:
    """Whether a call is one of what was noted, or is given that."""
    given = [value for _, value in (*called.arguments, *called.keywords)]
    return any(
        _holds(graph, value, noted, _DEEPEST) for value in (called.function, *given) if value is not None
    )


def _holds(graph: Graph, value: Instance, noted: Instance, depth: int) -> bool:
    shown = graph.origin(value)
    if shown.node is noted.node and shown.activation is noted.activation:
        return True
    if depth and shown.kind == LIBRARY and isinstance(shown.detail, Called):
        parts = [part for _, part in (*shown.detail.arguments, *shown.detail.keywords)]
    elif depth and shown.kind == DISPLAY:
        parts = list(shown.detail.values() if isinstance(shown.detail, dict) else shown.detail)
    else:
        return False
    return any(_holds(graph, part, noted, depth - 1) for part in parts)
