"""Which arguments of a call a parameter got. Every function takes the graph first."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    COPIES,
    LIBRARY,
    PARAMETER,
    PART,
    Activation,
    Called,
    Instance,
)

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_MOST_COPIES = 1000


def passed(graph: Graph, parameter: Instance) -> Instance | None:
    """What a caller gave for a parameter, where it is one expression that is easily found; else None."""
    activation = parameter.activation
    parent = graph.trace.parent[activation.node]
    if activation.caller is None and parent >= 0 and not graph.is_at_hand(parent):
        return None
    found = arguments_of(graph, parameter)
    return found[0] if found is not None and len(found) == 1 and found[0].kind != LIBRARY else None


def arguments_of(graph: Graph, parameter: Instance) -> list[Instance] | None:
    """What a caller gave for a parameter: several for `*args`; None where that cannot be told.

    An empty list stands for a default.
    """
    activation = parameter.activation
    call = activation.caller
    if call is None:
        if activation.node == 0:
            return []
        if graph.is_boundary(activation):
            return None
        call = graph.caller(activation.node)
        if call is None:
            return None
        iterated = graph.activation(graph.trace.parent[activation.node]).iterated.get(activation.node)
        if activation.node in graph.trace.segments or iterated is not None:
            call = maker(graph, activation, call, iterated)
            if call is None:
                return None
        elif not isinstance(call.detail, Called) or call.detail.target != activation.node:
            return None
    if not isinstance(call.detail, Called) or call.kind == PART:
        return None
    if activation.caller is not None and call.kind == LIBRARY:
        return None  # a callback
    return _bound(graph, parameter, call)


def maker(graph: Graph, activation: Activation, call: Instance, iterated: Instance | None) -> Instance | None:
    """The call that made a generator or coroutine."""
    name = graph.trace.routines[activation.routine].name
    candidates = [iterated] if iterated is not None else []
    candidates += [call, *call.deep, *call.uses]
    for candidate in candidates:
        shown = _origin_here(graph, candidate)
        if shown.kind in (LIBRARY, CALL) and isinstance(shown.detail, Called):
            if shown.detail.name == name:
                return shown
            for _, argument in shown.detail.arguments:
                inner = _origin_here(graph, argument)
                if isinstance(inner.detail, Called) and inner.detail.name == name:
                    return inner
    return None


def _origin_here(graph: Graph, instance: Instance) -> Instance:
    """`origin`, but a coroutine's or generator's call is where it stops."""
    for _ in range(_MOST_COPIES):
        if instance.kind in COPIES and instance.copy is not None:
            instance = instance.copy
        elif instance.kind == PARAMETER and (found := passed(graph, instance)) is not None:
            instance = found
        else:
            break
    return instance


def _bound(graph: Graph, parameter: Instance, call: Instance) -> list[Instance] | None:
    """The arguments of a call that a parameter got."""
    activation = parameter.activation
    code = graph.files.code_of(activation.routine)
    called: Called = call.detail
    arguments: ast.arguments | None = getattr(code, "args", None)
    if arguments is None or any(starred for starred, _ in called.arguments):
        return None
    if any(name is None for name, _ in called.keywords):
        return None
    positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    values = [value for _, value in called.arguments]
    name = graph.trace.routines[activation.routine].name
    function = called.function
    if name == "__init__" and called.name != "__init__":
        values = [call, *values]
    elif function is not None and function.kind == ATTRIBUTE and name not in ("__getitem__",):
        if _is_method(graph, activation.routine, code):
            values = [function.uses[0], *values]
        elif len(values) < len(positional) and "classmethod" in _decorators(code):
            return None
    elif name == "__call__" and called.name != "__call__" and function is not None:
        values = [function, *values]
    wanted = parameter.detail
    if wanted in positional:
        at = positional.index(wanted)
        if at < len(values):
            return [values[at]]
    elif arguments.vararg is not None and wanted == arguments.vararg.arg:
        return values[len(positional) :] or [call]
    if arguments.kwarg is not None and wanted == arguments.kwarg.arg:
        known = {*positional, *(a.arg for a in arguments.kwonlyargs)}
        return [value for key, value in called.keywords if key not in known] or [call]
    for key, value in called.keywords:
        if key == wanted:
            return [value]
    return []


def _is_method(graph: Graph, routine: int, code: Any) -> bool:
    qualname = graph.trace.routines[routine].qualname.split(".")
    if len(qualname) < 2 or qualname[-2] == "<locals>":
        return False
    return not _decorators(code) & {"staticmethod", "classmethod"}


def _decorators(code: Any) -> set[str]:
    return {d.id for d in getattr(code, "decorator_list", []) if isinstance(d, ast.Name)}


def is_collected(graph: Graph, parameter: Instance) -> bool:
    """Whether it is a `*args` or a `**keywords`."""
    arguments = getattr(graph.files.code_of(parameter.activation.routine), "args", None)
    return arguments is not None and parameter.detail in {
        a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None
    }
