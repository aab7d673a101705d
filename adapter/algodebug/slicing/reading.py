"""Parts of values: attributes, items and elements that were read, displays, slices of lists, what builtins hand out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algodebug.slicing import calls, imported, known, namespaces, variables
from algodebug.slicing.containers import read
from algodebug.slicing.demands import OWNER, Demand, Needs
from algodebug.slicing.instances import (
    ATTRIBUTE,
    DEEP,
    DISPLAY,
    ITEM,
    LIBRARY,
    PART,
    SHALLOW,
    SHAPE,
    SLICED,
    UNSET,
    Called,
    Instance,
)
from algodebug.slicing.mutating import MUTATORS

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_MOST_PARTS = 2000


# What an exception has of those before it: its `raise` tells.
_RAISED_WITH = frozenset({"__cause__", "__context__", "__notes__"})


def _is_method(graph: Graph, instance: Instance) -> bool:
    if instance.kind != ATTRIBUTE or graph.value(instance) is not UNSET:
        return False
    return graph.kind_of(instance) in ("", "method", "function")


def part(needs: Needs, demand: Demand) -> None:
    """`x.name`, `x[key]`, an element by iteration or unpacking."""
    graph, instance = needs.graph, demand.instance
    needs.which(instance.uses)
    if instance.kind == ITEM:
        needs.keys(instance.uses[1:], instance.time)
    needs.whole(instance.deep, instance.time)
    if demand.path[:1] == (OWNER,) and _is_own_method(graph, instance):
        needs.rest(instance.uses[0], demand)
        return
    if instance.kind == ITEM and instance.order in instance.activation.ran_in:
        graph.operands(needs, instance)
    if instance.kind == PART:
        is_later = graph.iterators.asked_before(needs, instance.uses[0], instance)
        handed = list(instance.activation.ran_in.get(instance.order, ()))
        if handed:
            calls.handed_out(needs, handed, demand)
            return
        if is_later:  # who knows which element it is
            needs.whole(instance.uses[:1], instance.time)
            return
        if _of_builtin(needs, demand):
            return
    if instance.kind == ATTRIBUTE and instance.detail in _RAISED_WITH:
        needs.whole(instance.uses, max(instance.time, demand.time))
        return
    if instance.kind == ATTRIBUTE and instance.detail == "__dict__":
        at = max(instance.time, demand.time)
        if demand.path and demand.path[0][0] == "item":
            namespaces.item(needs, instance.uses[0], demand.path[0][1], at, _behind(demand))
        elif demand.path or demand.depth != SHALLOW:
            namespaces.whole(needs, instance.uses[0], at)
        return
    if instance.kind == ITEM and graph.files.values.names_namespaces():
        is_of_module = graph.states.source_of_globals(graph.number(instance.uses[0])) is not None
        owner = None if is_of_module else namespaces.owner_of(graph, instance.uses[0])
        if owner is not None:
            namespaces.item(needs, owner, graph.value(instance.uses[1]), instance.time, demand)
            return
    if instance.kind == ATTRIBUTE and graph.weak_proxies.behind(instance.uses[0]):
        read(needs, instance.uses[0], ("attr", instance.detail), instance.time, demand)
        return
    if graph.library_objects.keys_of(instance.uses[0]) and not _is_method(graph, instance):
        shown = graph.origin(instance.uses[0])
        held_by = shown.uses[:1] if shown.kind == ATTRIBUTE and instance.kind == ITEM else []
        needs.whole((*instance.uses[:1], *held_by), max(instance.time, demand.time))
    if instance.kind == ATTRIBUTE:
        written = imported.attribute_bound(graph, instance)
        if written is not None:
            variables.bound_in_module(needs, *written, instance.detail, demand)
            return
    step = graph.step(instance)
    if step is None:
        needs.whole(instance.uses[:1], instance.time)
    else:
        read(needs, instance.uses[0], step, instance.time, demand)


def _is_own_method(graph: Graph, instance: Instance) -> bool:
    """Whether an attribute is a method of a container, and not one that an object keeps of another."""
    if instance.kind != ATTRIBUTE:
        return False
    kind = known.kind_of(graph, instance.uses[0])
    return kind in known.SIZED or (instance.detail in MUTATORS and kind != "instance")


def receiver(needs: Needs, demand: Demand) -> None:
    """The object of a method that goes by another name."""
    (function,) = demand.instance.uses
    needs.which((function,))
    if demand.path or demand.depth > SHALLOW:
        path = (OWNER, *demand.path)
        needs.found.append(Demand(function, path, demand.depth, demand.time, 1 + demand.fresh))


def display(needs: Needs, demand: Demand) -> None:
    """`[a, b]`, `{k: v}`, a comprehension taken apart."""
    instance, path = demand.instance, demand.path
    filters = instance.activation.filters.get(instance.order, ())
    known.learn_elements(needs.graph, instance)
    if path:
        element, place = known.element(instance, path[0]), path[0][1]
        if element is not None:
            needs.rest(element, demand)
            last = place if filters and place >= 0 else len(instance.detail)
            needs.which(test for before, test in filters if before <= last)
        elif path[0][0] == "item":
            needs.found.append(demand._replace(path=(), depth=DEEP))
        return
    needs.graph.operands(needs, instance)
    elements = instance.detail.values() if isinstance(instance.detail, dict) else instance.detail
    if demand.depth >= SHAPE:
        needs.which(test for _, test in filters)
    if demand.depth == DEEP:
        needs.whole(elements, demand.time)


# -- elements of what builtins hand out --------------------------------------------------------------------------------


def _of_builtin(needs: Needs, demand: Demand) -> bool:
    """An element of what `range`, `enumerate`, `zip`, `items` and others hand out."""
    instance, path = demand.instance, demand.path
    base = needs.graph.origin(instance.uses[0])
    index = instance.detail
    if base.kind == PART and base.uses and not needs.graph.number(base):
        # a part of such an element: `for i, x in enumerate(xs)`
        needs.found.append(
            Demand(base, (("item", index), *path), demand.depth, demand.time, 1 + demand.fresh)
        )
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
            rest = _behind(demand) if path and path[0] == ("item", 1) else demand._replace(path=(), fresh=0)
            _element_at(needs, arguments[0], index, rest)
        return True
    if name == "zip" and arguments and not called.keywords:
        chosen = arguments
        if path and path[0][0] == "item" and type(path[0][1]) is int and path[0][1] < len(arguments):
            chosen = [arguments[path[0][1]]]
        for argument in chosen:
            _element_at(needs, argument, index, _behind(demand))
        return True
    if name == "reversed" and len(arguments) == 1:
        length = needs.graph.length(arguments[0], base.time)
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
            read(needs, holder, ("item", keys[index]), at, _behind(demand) if name == "items" else demand)
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
        needs.found.append(Demand(iterable, path, demand.depth, demand.time, 1 + demand.fresh))
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
    chosen = range(*bounds)
    if path and path[0][0] == "item" and type(path[0][1]) is int and -len(chosen) <= path[0][1] < len(chosen):
        if path[0][1] < 0 or _counts_from_end(graph, instance):
            needs.shape((base,), instance.time)
        step = ("item", chosen[path[0][1]])
        read(needs, base, step, instance.time, _behind(demand))
    else:
        needs.shape((base,), instance.time)
        if demand.depth == DEEP and len(chosen) > _MOST_PARTS:
            needs.whole((base,), instance.time)
        elif demand.depth == DEEP:
            for place in chosen:
                read(needs, base, ("item", place), instance.time, demand._replace(path=()))


def _behind(demand: Demand) -> Demand:
    """What is left of a demand when its path's first step is done."""
    return demand._replace(path=demand.path[1:], fresh=max(demand.fresh - 1, 0))


def _counts_from_end(graph: Graph, instance: Instance) -> bool:
    """Whether where a slice begins depends on how many elements there are."""
    first, _, step = (None if part is None else graph.value(part) for part in instance.detail)
    return (first is not None and first < 0) or (step is not None and step < 0)


def of_sum(needs: Needs, demand: Demand) -> bool:
    """An element of `xs + ys`."""
    instance, path = demand.instance, demand.path
    left, right = instance.deep[:2]
    length = needs.graph.length(left)
    if length is None or path[0][0] != "item" or type(path[0][1]) is not int or path[0][1] < 0:
        return False
    index = path[0][1]
    rest = _behind(demand)
    if index < length:
        read(needs, left, ("item", index), instance.time, rest)
    else:
        needs.shape((left,), instance.time)
        read(needs, right, ("item", index - length), instance.time, rest)
    return True
