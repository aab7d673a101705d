"""Parts of values: attributes, items and elements that were read, displays, slices of lists, what builtins hand out."""

from __future__ import annotations

import ast

from algodebug.slicing import calls, containers, known
from algodebug.slicing.demands import Demand, Needs, Step
from algodebug.slicing.instances import (
    DEEP,
    DISPLAY,
    LIBRARY,
    PART,
    SHAPE,
    SLICED,
    Called,
    Instance,
)

_MOST_PARTS = 2000
_UNPARTED = ("set", "frozenset", "opaque", "textual", "large", "generator", "bytes", "instance", "based")


def part(needs: Needs, demand: Demand) -> None:
    """`x.name`, `x[key]`, an element by iteration or unpacking."""
    graph, instance = needs.graph, demand.instance
    needs.which(instance.uses)
    needs.whole(instance.deep, instance.time)
    if instance.kind == PART:
        handed = list(instance.activation.ran_in.get(instance.order, ()))
        if handed:
            calls.handed_out(needs, handed, demand)
            return
        if _of_builtin(needs, demand):
            return
    step = graph.step(instance)
    if step is None:
        needs.whole(instance.uses[:1], instance.time)
    else:
        read(needs, instance.uses[0], step, instance.time, demand)


def read(needs: Needs, base: Instance, step: Step, at: int, demand: Demand) -> None:
    """What lies at `step` of `base` at the time `at`; of that, what is demanded."""
    graph = needs.graph
    number = graph.number(base)
    if number:
        row = graph.trace.row(number)
        if type(row) is not list:  # a text
            needs.whole((base,), at)
            return
        kind = row[0]
        if kind in ("module", "class", "function", "method"):
            return
        if step[0] == "item" and type(step[1]) is int:
            step = known.counted(graph, number, step, at)
        if step[0] == "item" and (
            kind in _UNPARTED
            or (
                kind == "dict"
                and type(step[1]) is int
                and step[1] not in graph.trace.content(number, at).pairs
            )
        ):
            needs.whole((base,), at)
            return
        wanted = demand._replace(path=(step, *demand.path))
        if containers.is_mutable(graph, number) and containers.stored(needs, number, wanted, at):
            return
    needs.found.append(Demand(base, (step, *demand.path), demand.depth, demand.time, True))


def display(needs: Needs, demand: Demand) -> None:
    """`[a, b]`, `{k: v}`, a comprehension taken apart."""
    instance, path = demand.instance, demand.path
    if path:
        element = known.element(instance, path[0])
        if element is not None:
            needs.rest(element, demand)
        elif path[0][0] == "item":
            needs.graph.operands(needs, instance)
        return
    needs.graph.operands(needs, instance)
    elements = instance.detail.values() if isinstance(instance.detail, dict) else instance.detail
    if demand.depth == DEEP:
        needs.whole(elements, demand.time)
    elif demand.depth == SHAPE and isinstance(instance.node, ast.ListComp):
        needs.which(element.control for element in elements if element.control is not None)


# -- elements of what builtins hand out --------------------------------------------------------------------------------


def _of_builtin(needs: Needs, demand: Demand) -> bool:
    """An element of what `range`, `enumerate`, `zip`, `items` and others hand out."""
    instance, path = demand.instance, demand.path
    base = needs.graph.origin(instance.uses[0])
    index = instance.detail
    if base.kind == PART and base.uses:  # a part of such an element: `for i, x in enumerate(xs)`
        needs.found.append(Demand(base, (("item", index), *path), demand.depth, demand.time, True))
        return True
    if base.kind != LIBRARY or not isinstance(base.detail, Called) or type(index) is not int or index < 0:
        return False
    called: Called = base.detail
    if any(starred for starred, _ in called.arguments) or called.nodes:
        return False
    arguments = [value for _, value in called.arguments]
    name = called.name
    if name == "range" and not called.keywords:
        needs.which(arguments)
        return True
    if name == "enumerate" and arguments:
        if path and path[0] == ("item", 0):
            needs.which(arguments[1:])
        else:
            rest = path[1:] if path and path[0] == ("item", 1) else ()
            _element_at(needs, arguments[0], index, demand._replace(path=rest))
        return True
    if name == "zip" and arguments and not called.keywords:
        chosen = arguments
        if path and path[0][0] == "item" and type(path[0][1]) is int and path[0][1] < len(arguments):
            chosen = [arguments[path[0][1]]]
        for argument in chosen:
            _element_at(needs, argument, index, demand._replace(path=path[1:]))
        return True
    if name == "reversed" and len(arguments) == 1:
        length = needs.graph.length(arguments[0])
        if length is not None:
            _element_at(needs, arguments[0], length - 1 - index, demand)
            return True
    if name in ("items", "values", "keys") and (holder := called.receiver) is not None:
        return _of_dict(needs, name, holder, index, demand)
    return False


def _of_dict(needs: Needs, name: str, holder: Instance, index: int, demand: Demand) -> bool:
    """An element of `d.items()`, `d.values()`, `d.keys()`."""
    graph, at, path = needs.graph, demand.instance.time, demand.path
    number = graph.number(holder)
    if known.kind_of(graph, holder) != "dict":
        return False
    keys = list(graph.trace.content(number, at).pairs)
    if index < len(keys):
        needs.shape((holder,), at)
        if name == "values" or (name == "items" and (not path or path[0] == ("item", 1))):
            rest = path[1:] if name == "items" else path
            read(needs, holder, ("item", keys[index]), at, demand._replace(path=rest))
    return True


def _element_at(needs: Needs, iterable: Instance, index: int, demand: Demand) -> None:
    """One element of an argument of such a builtin."""
    at = demand.instance.time
    if known.kind_of(needs.graph, iterable) in ("list", "tuple", "deque"):
        needs.which((iterable,))
        read(needs, iterable, ("item", index), at, demand)
        return
    shown = needs.graph.origin(iterable)
    if shown.kind in (DISPLAY, SLICED):
        path = (("item", index), *demand.path)
        needs.found.append(Demand(iterable, path, demand.depth, demand.time, True))
    elif shown.kind == LIBRARY and shown.detail.name == "range":
        needs.which((iterable,))
    else:
        needs.whole((iterable,), at)


# -- slices and sums of lists --------------------------------------------------------------------------------------------


def sliced(needs: Needs, demand: Demand) -> None:
    """`xs[a:b]`"""
    graph, instance, path, time = needs.graph, demand.instance, demand.path, demand.time
    needs.which(instance.uses)
    for node in instance.activation.ran_in.get(instance.order, ()):
        calls.result(needs, node, (), DEEP, time)
    base = instance.uses[0]
    bounds = known.bounds_of(graph, instance)
    if graph.number(base):
        listed = known.kind_of(graph, base) in ("list", "tuple")
    else:
        listed = graph.origin(base).kind == DISPLAY
    if not listed or bounds is None:
        needs.whole((base,), instance.time)
        return
    plain = Needs(graph, False)
    chosen = range(*bounds)
    if path and path[0][0] == "item" and type(path[0][1]) is int:
        if path[0][1] < len(chosen):
            step = ("item", chosen[path[0][1]])
            read(plain, base, step, instance.time, demand._replace(path=path[1:]))
    else:
        needs.shape((base,), instance.time)
        if demand.depth == DEEP and len(chosen) > _MOST_PARTS:
            needs.whole((base,), instance.time)
        elif demand.depth == DEEP:
            for place in chosen:
                read(plain, base, ("item", place), instance.time, demand._replace(path=()))
    needs.found += plain.found


def of_sum(needs: Needs, demand: Demand) -> bool:
    """An element of `xs + ys`."""
    instance, path = demand.instance, demand.path
    left, right = instance.deep[:2]
    length = needs.graph.length(left)
    if length is None or path[0][0] != "item" or type(path[0][1]) is not int or path[0][1] < 0:
        return False
    index = path[0][1]
    needs.shape((left,), instance.time)
    plain = Needs(needs.graph, False)
    rest = demand._replace(path=path[1:])
    if index < length:
        read(plain, left, ("item", index), instance.time, rest)
    else:
        read(plain, right, ("item", index - length), instance.time, rest)
    needs.found += plain.found
    return True
