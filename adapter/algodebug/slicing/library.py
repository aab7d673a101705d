"""Calls of code that is not recorded: what they gave depends on all they were given, but for what is known better."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from algodebug.slicing import caching, calls, containers, known, namespaces
from algodebug.slicing.containers import read
from algodebug.slicing.demands import OWNER, Demand, Needs
from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    CHOICE,
    DEEP,
    DISPLAY,
    FREE,
    GLOBAL,
    ITEM,
    LIBRARY,
    PARAMETER,
    PART,
    SHALLOW,
    SHAPE,
    Called,
    Instance,
)
from algodebug.slicing.known import SIZED
from algodebug.slicing.mutating import MUTATORS

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

# What these give looks at what they were given when it is asked itself.
_LATER = frozenset({"iter", "map", "filter", "zip", "enumerate", "reversed", "items", "keys", "values", "accumulate", "chain", "compress", "cycle", "dropwhile", "filterfalse", "from_iterable", "groupby", "islice", "pairwise", "starmap", "takewhile", "zip_longest"})  # fmt: skip
_GIVING_PARTS = frozenset({"get", "setdefault", "pop"})
_HOLDING = frozenset({FREE, GLOBAL, ITEM, PART, PARAMETER, CALL, CHOICE})
_IN_THREADS = frozenset({"map", "submit", "starmap", "imap", "imap_unordered", "apply", "apply_async", "map_async", "Thread", "Timer", "to_thread", "run_in_executor"})  # fmt: skip
_OF_NAMES = ("globals", "locals")
_ASKING = ("send", "__next__", "throw", "asend")
_OF_IDENTITY = ("isinstance", "type", "id", "callable", "issubclass")


def call(needs: Needs, demand: Demand) -> None:
    graph, instance = needs.graph, demand.instance
    called: Called | None = instance.detail
    if called is None:
        graph.operands(needs, instance)
        return
    function, at = called.function, _looked_at(needs, called, demand)
    graph.library_objects.looked_up(needs, instance, called)
    graph.settings.called(needs, called, instance.time)
    if not called.nodes and (kept := graph.caches.kept(called.name)):
        given = caching.given_to(called, kept[0]) if len(kept) == 1 else None
        graph.caches.answered(needs, called.name, given, demand)
    if function is not None:
        needs.which((function,))
        if demand.path or demand.depth != SHALLOW:
            _filled(needs, function, demand, instance.time)
    arguments = [value for _, value in called.arguments]
    builtin = graph.is_builtin(instance.activation, function)
    is_which = demand.depth == SHALLOW and not demand.path
    if builtin and is_which and (called.name in _OF_NAMES or graph.is_new(instance)):
        return
    ran_in(needs, called, demand.time)
    for value in arguments:
        graph.iterators.asked_before(needs, value, instance)
    if builtin and called.name == "vars" and len(arguments) == 1:
        when, path = max(instance.time, demand.time), demand.path
        if path and path[0][0] == "item":
            rest = demand._replace(path=path[1:], fresh=max(demand.fresh - 1, 0))
            namespaces.item(needs, arguments[0], path[0][1], when, rest)
        elif path or demand.depth != SHALLOW:
            namespaces.whole(needs, arguments[0], when)
        else:
            needs.which(arguments)
        return
    plain = builtin and not called.nodes and not called.inline
    if plain and _builtin(needs, called.name, arguments, demand, at):
        return
    if function is not None and function.kind == ATTRIBUTE:
        receiver = function.uses[0]
        if called.name in _ASKING:
            graph.iterators.asked_before(needs, receiver, instance)
        if _method(needs, called, receiver, arguments, demand):
            return
        needs.whole((receiver,), at)
    elif function is not None and not builtin:  # it may be a method that goes by another name
        shown = graph.origin(function)
        if shown.kind == ATTRIBUTE:
            needs.whole(shown.uses[:1], at)
        elif shown.kind in _HOLDING:
            needs.found.append(Demand(function, (OWNER,), DEEP, at, 1))
    given = [*arguments, *(value for _, value in called.keywords)]
    needs.whole(given, at)
    needs.whole(_owners(graph, given), at)
    if called.name in _IN_THREADS and not called.inline and not builtin:
        needs.whole(_ran_in_threads(graph, given), max(at, demand.time))
    needs.which(instance.uses)
    needs.whole(instance.deep, max(instance.time, demand.time))


def _ran_in_threads(graph: Graph, given: list[Instance]) -> list[Instance]:
    """What lambdas gave that other threads ran: that is told among the events of the module."""
    nodes = [graph.origin(value).node for value in given]
    lambdas = [node for node in nodes if isinstance(node, ast.Lambda)]
    if not lambdas or 0 in graph.following or graph.inside is not None:
        return []
    found, todo = list[Instance](), [graph.activation(0)]
    while todo:
        for inner in todo.pop().inlines:
            todo.append(inner)
            if inner.outcome is not None and graph.files.code_of(inner.routine) in lambdas:
                found.append(inner.outcome)
    return found


def is_settled(graph: Graph, made: Instance) -> bool:
    """Whether what a call gave was made of what it was given then, and holds nothing that changes."""
    called: Called | None = made.detail if made.kind == LIBRARY else None
    if (
        called is None
        or called.nodes
        or called.inline
        or made.deep
        or called.name in (*_LATER, *_GIVING_PARTS)
    ):
        return False
    number = graph.number(made)
    row = graph.trace.row(number) if number else None
    if type(row) is not list or (row[0] in containers.HOLDING and not _holds_scalars(graph, number)):
        return False
    return not graph.is_builtin(made.activation, called.function)


def _holds_scalars(graph: Graph, number: int) -> bool:
    """Whether an object is a tuple of nothing but scalars."""
    trace = graph.trace
    return trace.row(number)[0] == "tuple" and not any(
        type(trace.row(part)) is list for part in trace.content(number, 0).items if part
    )


def _owners(graph: Graph, given: list[Instance]) -> list[Instance]:
    """The containers of which a call is given methods: `iter(xs.pop, 0)`."""
    methods = [shown for shown in map(graph.origin, given) if shown.kind == ATTRIBUTE]
    owners = [shown.uses[0] for shown in methods]
    return [each for each in owners if graph.kind_of(each) in SIZED or graph.origin(each).kind == DISPLAY]


def _looked_at(needs: Needs, called: Called, demand: Demand) -> int:
    """When a call looked last at what it was given: what it ran may have changed that meanwhile."""
    at = demand.instance.time
    if called.name in _LATER or needs.graph.weak_proxies.makes(demand.instance):
        return max(at, demand.time)
    if not calls.is_of_library(needs.graph, called):
        return at
    trace = needs.graph.trace
    ends = [trace.end[node] + 1 for node in called.nodes[-1:] if node not in trace.segments]
    ends += [inner.outcome.time for inner in called.inline[-1:] if inner.outcome is not None]
    return max([at, *ends])


def _filled(needs: Needs, function: Instance, demand: Demand, time: int) -> None:
    """An object of a class is filled by library code from what the body of the class says."""
    filled = needs.graph.class_bodies.filled(function, time)
    name = demand.path[0][1] if demand.path else ""
    for bound in [filled[name]] if name in filled else filled.values():
        needs.whole(bound, time)


def ran_in(needs: Needs, called: Called, time: int) -> None:
    """What recorded code gave that ran in a call."""
    graph = needs.graph
    for node in called.nodes:
        if not needs.covered.is_new(("ran in", node, time)):
            continue  # a generator runs in many calls that ask it
        if node in graph.trace.segments:
            calls.all_given(needs, node, time)
        calls.given_by(needs, node, time)
        needs.whole(calls.filled_in(graph, node), time)
    needs.whole((inner.outcome for inner in called.inline if inner.outcome is not None), time)


def _builtin(needs: Needs, name: str, arguments: list[Instance], demand: Demand, at: int) -> bool:
    """Builtin functions that look at less than all of their arguments."""
    path = demand.path
    if name in ("len", "bool") and len(arguments) == 1:
        needs.shape(arguments, at)
        return True
    if name in _OF_IDENTITY and len(arguments) < 3:  # with three, `type` makes a class
        needs.which(arguments)
        return True
    if name in ("getattr", "hasattr") and len(arguments) > 1:
        attribute = needs.graph.value(arguments[1])
        if isinstance(attribute, str):
            needs.which(arguments[1:2])
            if path[:1] == (OWNER,) and attribute in MUTATORS:
                needs.rest(arguments[0], demand)
                return True
            read(needs, arguments[0], ("attr", attribute), at, demand)
            needs.found += [
                Demand(default, path, demand.depth, demand.time, demand.fresh) for default in arguments[2:]
            ]
            return True
    if name in ("enumerate", "zip", "reversed", "list", "tuple") and demand.depth <= SHAPE and not path:
        needs.shape(arguments, at)
        return True
    copied = name in ("list", "tuple") and len(arguments) == 1 and path and type(path[0][1]) is int
    if copied and known.kind_of(needs.graph, arguments[0]) in ("list", "tuple"):
        read(needs, arguments[0], path[0], at, demand._replace(path=path[1:], fresh=max(demand.fresh - 1, 0)))
        return True
    return False


def _method(
    needs: Needs, called: Called, receiver: Instance, arguments: list[Instance], demand: Demand
) -> bool:
    """Methods of builtin containers that hand out one element."""
    graph, instance = needs.graph, demand.instance
    kind, name = known.kind_of(graph, receiver), called.name
    if called.keywords:
        return False
    number = graph.number(receiver)
    if kind == "dict" and name in ("get", "setdefault", "pop") and arguments:
        key = graph.value(arguments[0])
        if isinstance(key, (str, int, float, bool)):
            needs.which((receiver, arguments[0]))
            when = containers.before_change(graph, number, instance)
            if key in graph.trace.content(number, when).pairs:
                read(needs, receiver, ("item", key), when, demand)
            else:
                needs.shape((receiver,), when)
                for argument in arguments[1:]:
                    needs.found.append(Demand(argument, demand.path, demand.depth, demand.time))
            return True
    if kind == "list" and name == "pop" and len(arguments) < 2:
        when = containers.before_change(graph, number, instance)
        index = graph.value(arguments[0]) if arguments else -1
        if type(index) is int:
            needs.which(arguments)
            needs.shape((receiver,), when)
            read(needs, receiver, ("item", index), when, demand)
            return True
    if kind == "dict" and name in ("items", "keys", "values") and demand.depth <= SHAPE and not demand.path:
        needs.shape((receiver,), max(instance.time, demand.time))
        return True
    return False
