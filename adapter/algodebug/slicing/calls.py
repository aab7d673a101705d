"""What crosses from one activation to another: that it ran, what it was given, what it gave back or yielded."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from algodebug.slicing import containers, passing
from algodebug.slicing.demands import Demand, Needs, Path
from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    DEEP,
    GLOBAL,
    LIBRARY,
    PARAMETER,
    SHALLOW,
    UNSET,
    WRITE,
    Activation,
    Called,
    Instance,
)

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_FILLED = frozenset({"bytearray", "opaque", "list", "dict", "set", "deque"})
_SENDING = frozenset({"send", "asend"})
_ARGUMENTS = ("attr", "args")
_OUTCOME_RAISED = 1
_MOST_CHILDREN = 200  # of an activation that could not be followed: what they gave counts


def result(needs: Needs, node: int, path: Path, depth: int, time: int, fresh: int = 0) -> None:
    """What a node gave back or raised."""
    graph = needs.graph
    activation = graph.activation(node)
    if activation.failed:
        needs.whole((activation.entry,), time)
    elif activation.outcome is not None:
        needs.found.append(Demand(activation.outcome, path, depth, time, fresh))
    elif node in graph.trace.segments:
        needs.whole(activation.yields.values(), time)


def given_by(needs: Needs, node: int, time: int) -> None:
    """What a node gave back that ran in something, all of it; of one that fills a new object, that."""
    trace = needs.graph.trace
    if trace.routines[trace.routine[node]].name == "__init__" and trace.outcome_kind[node] != _OUTCOME_RAISED:
        made = islice(needs.graph.activation(node).parameters.values(), 1)
        needs.whole(made, max(time, trace.end[node] + 1))
    result(needs, node, (), DEEP, time)


def filled_in(graph: Graph, node: int) -> Iterator[Instance]:
    """What a call stored into containers that it was given: they may be the library's, as a buffer is."""
    for made in graph.activation(node).instances:
        is_of_given = made.kind == WRITE and made.uses and graph.origin(made.uses[0]).kind == PARAMETER
        if is_of_given and graph.kind_of(made.uses[0]) in _FILLED:
            yield made


def call(needs: Needs, demand: Demand) -> None:
    """Of recorded code."""
    trace, called = needs.graph.trace, demand.instance.detail
    function = called.function
    if function is not None:
        needs.which((function, *function.uses[: function.kind == ATTRIBUTE]))
    target = called.target
    if target < 0:
        return
    makes = trace.routines[trace.routine[target]].name == "__init__" and called.name != "__init__"
    if not makes or trace.outcome_kind[target] == _OUTCOME_RAISED:
        result(needs, target, demand.path, demand.depth, demand.time, demand.fresh)
    elif demand.path[:1] in ((), (_ARGUMENTS,)) and (demand.path or demand.depth == DEEP):
        _arguments_of_exception(needs, demand.instance, target)


def _arguments_of_exception(needs: Needs, made: Instance, target: int) -> None:
    """What an exception of the program's has as `args`: what it was made with, or what its `__init__` handed on."""
    row = needs.graph.row_of(made)
    if type(row) is not list or row[0] != "exception":
        return
    inner = [each for each in needs.graph.activation(target).instances if each.kind == LIBRARY]
    handing_on = [
        each for each in inner if isinstance(each.detail, Called) and each.detail.name == "__init__"
    ]
    for call in (made, *handing_on):
        needs.which((call,) if call is not made else ())
        needs.whole((value for _, value in call.detail.arguments), call.time)


def entry(needs: Needs, demand: Demand) -> None:
    """That an activation ran: because it was called."""
    graph, activation = needs.graph, demand.instance.activation
    if activation.failed:
        graph.incomplete.add(f"node {activation.node}: {activation.failed}")
    if graph.is_boundary(activation):
        return
    if activation.caller is not None:
        _called_back(needs, activation.caller, activation.entry.time)
        return
    graph.caches.ran(needs, activation.node)
    made = graph.caller(activation.node)
    if activation.failed:
        if made is not None:
            needs.found += all_of(made, made.time)
        children = list(islice(graph.trace.children(activation.node), _MOST_CHILDREN + 1))
        if len(children) > _MOST_CHILDREN:
            graph.incomplete.add(f"the calls of node {activation.node}")
        for child in children[:_MOST_CHILDREN]:
            result(needs, child, (), DEEP, graph.trace.end[child] + 1)
    if made is not None:
        _called_back(needs, made, activation.entry.time)


def _called_back(needs: Needs, made: Instance, time: int) -> None:
    """What ran in a call that is not recorded (`map`, `sorted`): how often depends on what that was given."""
    needs.reached(made)
    if made.kind == LIBRARY and isinstance(made.detail, Called) and not _is_direct(needs, made):
        needs.found += all_of(made, time if is_of_library(needs.graph, made.detail) else made.time)


def _is_direct(needs: Needs, made: Instance) -> bool:
    """Whether a call only made a generator, or is one of a lambda."""
    called: Called = made.detail
    trace = needs.graph.trace
    return any(trace.routines[trace.routine[node]].name == called.name for node in called.nodes)


def is_of_library(graph: Graph, called: Called) -> bool:
    """Whether a call is one of code that is not recorded, by what it calls: other calls get what they are given at once."""
    function = called.function
    if function is None or function.kind == ATTRIBUTE:
        return True
    return function.kind == GLOBAL and not graph.files.defining(called.name)


def all_of(made: Instance, time: int) -> list[Demand]:
    """Everything a call was given, as it was at a time: what ran in one of the library may have changed that."""
    time = max(time, made.time)
    found = [Demand(part, (), DEEP, time) for part in (*made.uses, *made.shape, *made.deep)]
    if made.kind == WRITE and made.copy is not None:  # what `__setitem__`, a property, … is to store
        found.append(Demand(made.copy, (), DEEP, time))
    if isinstance(made.detail, Called):
        found += [Demand(value, (), DEEP, time) for _, value in made.detail.arguments]
        found += [Demand(value, (), DEEP, time) for _, value in made.detail.keywords]
        function = made.detail.function
        if function is not None:
            found.append(Demand(function, (), SHALLOW, 0))
            if function.kind == ATTRIBUTE:
                found.append(Demand(function.uses[0], (), DEEP, time))
    return found


def parameter(needs: Needs, demand: Demand) -> None:
    """What the caller gave for it."""
    graph, instance, path = needs.graph, demand.instance, demand.path
    activation = instance.activation
    if graph.is_boundary(activation):
        containers.held(needs, graph.number(instance), demand, demand.time)
        return
    _kept_by_function(needs, activation)
    given = passing.arguments_of(graph, instance)
    if given is None:
        for default in graph.defaults.values(instance):
            if _may_be_same(graph, instance, default):
                needs.same(default, demand)
        made = activation.caller or graph.caller(activation.node)
        if made is not None:
            is_other = not isinstance(made.detail, Called) or is_of_library(graph, made.detail)
            needs.found += all_of(made, activation.entry.time if is_other else made.time)
        elif activation.node:
            graph.incomplete.add(f"who called node {activation.node}")
        return
    given = given or graph.defaults.values(instance)
    if len(given) == 1 and not passing.is_collected(graph, instance):
        if _makes(given[0], activation):
            needs.reached(given[0])
        else:
            needs.same(given[0], demand)
        return
    if path and path[0][0] == "item" and type(path[0][1]) is int and 0 <= path[0][1] < len(given):
        code = graph.files.code_of(activation.routine)
        if code.args.vararg is not None and code.args.vararg.arg == instance.detail:
            needs.rest(given[path[0][1]], demand)
            return
    if demand.depth == SHALLOW and not path:
        return
    for value in given:
        if not _makes(value, activation):
            needs.found.append(Demand(value, (), demand.depth, demand.time))


def _kept_by_function(needs: Needs, activation: Activation) -> None:
    """What is called may be an object of a library that keeps arguments: `partial(f).keywords["x"] = 3`."""
    graph = needs.graph
    made = activation.caller or graph.caller(activation.node)
    function = made.detail.function if made is not None and isinstance(made.detail, Called) else None
    if made is None or function is None or graph.origin(function).kind != LIBRARY:
        return
    if key := graph.library_objects.key_of(function):
        graph.library_objects.done_before(needs, key, made.time)


def _may_be_same(graph: Graph, one: Instance, other: Instance) -> bool:
    """Whether two instances may have given the same scalar; of objects that is not asked."""
    values = graph.value(one), graph.value(other)
    return UNSET in values or values[0] == values[1]


def _makes(value: Instance, activation: Activation) -> bool:
    """Whether it is the object that is being made: the `self` of a constructor."""
    return value.kind == CALL and value.detail.target == activation.node


def handed_out(needs: Needs, nodes: list[int], demand: Demand) -> None:
    """What a generator (or a `__next__`) of the program gave for one iteration."""
    time = demand.time
    for node in nodes:
        activation = needs.graph.activation(node)
        if activation.failed:
            needs.whole((activation.entry,), time)
        elif node not in needs.graph.trace.segments:
            result(needs, node, demand.path, demand.depth, time)
        else:
            at = demand.instance.time
            given = activation.yields.get(at - 1) or _yield_before(activation, at)
            kept_from_yielding(needs, activation, given)
            if given is not None:
                needs.found.append(Demand(given, demand.path, demand.depth, time))
            elif activation.outcome is not None:
                needs.whole((activation.outcome,), time)
            else:
                needs.whole(activation.yields.values(), time)


def went_on(needs: Needs, part: Instance, is_over: bool) -> None:
    """That an iterator of the program gave another element, or none any more, whatever it was."""
    for node in part.activation.ran_in.get(part.order, ()):
        _went_on(needs, node, part.time, is_over)


def _went_on(needs: Needs, node: int, time: int, is_over: bool) -> None:
    activation = needs.graph.activation(node)
    given = None if is_over else activation.yields.get(time - 1) or _yield_before(activation, time)
    if not activation.failed:
        kept_from_yielding(needs, activation, given)
    if activation.failed:
        needs.whole((activation.entry,), time)
    elif given is not None:
        needs.reached(given)
        for inner in given.activation.ran_in.get(given.order, ()):  # it was handed on
            _went_on(needs, inner, time, is_over)
    elif activation.outcome is not None:
        needs.reached(activation.outcome)


def sent(needs: Needs, made: Instance) -> None:
    """What a `yield` gave in a generator that another one handed on to: what was sent to the outermost one."""
    graph, segments = needs.graph, needs.graph.trace.segments
    at = graph.trace.parent[made.activation.node]
    if at not in segments or graph.value(made) is None:
        return
    while at in segments:
        at = graph.trace.parent[at]
    sending = [
        each
        for each in (graph.activation(at).instances if at >= 0 else ())
        if each.time <= made.time and isinstance(each.detail, Called) and each.detail.name in _SENDING
    ]
    if sending:
        last = max(sending, key=lambda each: (each.time, each.order))
        needs.whole((value for _, value in last.detail.arguments), last.time)


def all_given(needs: Needs, node: int, time: int) -> None:
    """All that a generator gave, and that it gave no more."""
    activation = needs.graph.activation(node)
    needs.whole(activation.yields.values(), time)
    kept_from_yielding(needs, activation, None)


def kept_from_yielding(needs: Needs, activation: Activation, given: Instance | None) -> None:
    """What kept a generator, up to what it gave (or its end), from giving more, and those that it handed on to."""
    todo = [(activation, given)] if needs.relevant else []
    for part, last in todo:
        tests, delegations = needs.graph.yielding(part)
        until = len(part.instances) if last is None else last.order + 1
        end = bisect_left(tests, until, key=lambda test: test.order)
        for at in needs.covered.rest(("kept from yielding", id(part)), 0, end):
            needs.which((tests[at],))
        for made, inner in delegations:
            if made.order < until and (last is None or last.uses[:1] != [made]):
                todo.append((needs.graph.activation(inner), None))


def _yield_before(activation: Activation, time: int) -> Instance | None:
    times = sorted(activation.yields)
    at = bisect_left(times, time) - 1
    return activation.yields[times[at]] if at >= 0 else None
