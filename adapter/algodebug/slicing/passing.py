"""Which arguments of a call a parameter got. Every function takes the graph first."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from algodebug.slicing import class_attributes
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
    if is_collected(graph, parameter):
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
    given: list[Instance | None] = [value for _, value in called.arguments]
    values = [*_before_arguments(graph, activation, call), *given]
    wanted = parameter.detail
    if wanted in positional:
        at = positional.index(wanted)
        if at < len(values):
            value = values[at]
            return None if value is None else [value]
    elif arguments.vararg is not None and wanted == arguments.vararg.arg:
        rest = values[len(positional) :]
        return None if None in rest else [value for value in rest if value is not None] or [call]
    if arguments.kwarg is not None and wanted == arguments.kwarg.arg:
        known = {*positional, *(a.arg for a in arguments.kwonlyargs)}
        return [value for key, value in called.keywords if key not in known] or [call]
    for key, value in called.keywords:
        if key == wanted:
            return [value]
    return []


def _before_arguments(graph: Graph, activation: Activation, call: Instance) -> list[Instance | None]:
    """What the first parameter gets that is no argument of a call: the object of a method; None for one that has no name."""
    code: Any = graph.files.code_of(activation.routine)
    called: Called = call.detail
    function, name = called.function, graph.trace.routines[activation.routine].name
    if name == "__init__" and called.name != "__init__":
        return [call]
    if name in ("__call__", "__new__") and called.name != name and function is not None:
        return [function]
    decorators = _decorators(code)
    if function is None or name in ("__getitem__", "__new__") or "staticmethod" in decorators:
        return []
    is_method = "classmethod" in decorators or _is_method(graph, activation.routine)
    shown = function if function.kind == ATTRIBUTE or not is_method else graph.origin(function)
    receiver = shown.uses[0] if shown.kind == ATTRIBUTE else None
    if "classmethod" in decorators:
        return [receiver]
    if not is_method:  # what a decorator made of one
        return [receiver] if receiver is not None and _is_first(graph, activation, called, receiver) else []
    return [receiver] if _is_bound(graph, activation, called, receiver) else []


def _is_first(graph: Graph, activation: Activation, called: Called, receiver: Instance) -> bool:
    """Whether what a function got first is the object that it was read from, and not an argument."""
    own, number = next(iter(activation.parameters.values()), None), graph.number(receiver)
    if own is None or not number:
        return False
    collected = own.number and is_collected(graph, own)
    got = graph.part_number(own.number, ("item", 0), own.time) if collected else own.number
    return got == number and not (called.arguments and graph.number(called.arguments[0][1]) == number)


def _is_bound(graph: Graph, activation: Activation, called: Called, receiver: Instance | None) -> bool:
    """Whether a method that was called has its object, which is not among the arguments then: unlike `Base.add(self, 1)`."""
    own = next(iter(activation.parameters.values()), None)
    number = own.number if own is not None else 0
    if number and receiver is not None and graph.number(receiver) == number:
        return True
    if number and called.arguments and graph.number(called.arguments[0][1]) == number:
        row = None if receiver is not None else graph.row_of(called.function)
        return type(row) is list and row[0] == "method"
    if receiver is not None:
        return not class_attributes.class_given(graph, receiver)
    return bool(number)


def _is_method(graph: Graph, routine: int) -> bool:
    qualname = graph.trace.routines[routine].qualname.split(".")
    return len(qualname) > 1 and qualname[-2] != "<locals>"


def _decorators(code: Any) -> set[str]:
    return {d.id for d in getattr(code, "decorator_list", []) if isinstance(d, ast.Name)}


def is_collected(graph: Graph, parameter: Instance) -> bool:
    """Whether it is a `*args` or a `**keywords`."""
    arguments = getattr(graph.files.code_of(parameter.activation.routine), "args", None)
    return arguments is not None and parameter.detail in {
        a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None
    }
