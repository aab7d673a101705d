"""What each evaluation of a call, and of all that it called, looked at."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING

from algodebug.looking import library_calls
from algodebug.looking.looked import INDEXED, Looked, Unsure
from algodebug.slicing import known
from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    CONSTANT,
    ITEM,
    LIBRARY,
    OPERATION,
    PART,
    RAISE,
    SLICED,
    TEST,
    UNSET,
    WRITE,
    Activation,
    Called,
    Instance,
)
from algotrace.unread import is_plain

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph
    from algotrace.trace import Trace

_MOST_EVENTS = 12_000  # of a call and all that it called: each of their evaluations is looked at
_MOST_CALLS = 3_000
# Decorators that put nothing around a function which looks at what it is given.
_TRANSPARENT = frozenset({"property", "staticmethod", "classmethod", "abstractmethod", "override", "setter", "final", "overload"})  # fmt: skip
_MANAGERS = frozenset({("_GeneratorContextManager", "contextlib"), ("nullcontext", "contextlib")})


def is_too_long(trace: Trace, node: int) -> bool:
    """Whether it would take long to look at all that a call did."""
    return trace.size[node] > _MOST_CALLS or trace.end[node] - trace.start[node] > _MOST_EVENTS


def looked_at(graph: Graph, node: int) -> Looked | None:
    """What a call looked at, and all that it called; None where that cannot be told, or would take long."""
    trace = graph.trace
    nodes = range(node, node + trace.size[node])
    if is_too_long(trace, node):
        return None
    awake = trace.segments.get(node) or [trace.start[node], trace.end[node]]
    if _wakes_others(trace, nodes, node, awake):
        return None
    return _looked(Looked(graph, nodes), (_evaluations(graph, each) for each in nodes))


def looked_at_in(
    graph: Graph, node: int, region: Sequence[int], start: int, end: int, calls: Sequence[int]
) -> Looked | None:
    """What code of a region inside a call looked at between two times, and the calls that it made."""
    trace = graph.trace
    below = [each for call in calls for each in range(call, call + trace.size[call])]
    if len(below) > _MOST_CALLS or end - start > _MOST_EVENTS or graph.own_size(node) > _MOST_EVENTS:
        return None
    nodes = {node, *below}
    if _wakes_others(trace, nodes, node, [start, end]):
        return None
    try:
        own = list(_evaluations(graph, node))
    except Unsure:
        return None
    # Some are noted to have seen an earlier state than those before them did.
    times = list(accumulate((made.time for made in own), max))
    # What precedes the first event saw the state behind the last event before.
    since = 1 + max(
        (time for time, _, _ in takewhile(lambda event: event[0] < start, trace.own_events(node))), default=-1
    )
    inside = [
        made
        for made, time in zip(own, times, strict=True)
        # … and may be of the code before, as what sees the last state may be of the code behind.
        if start < time < end or (since <= time <= end and _is_in(graph, made, region))
    ]
    return _looked(Looked(graph, nodes, since), [inside, *(_evaluations(graph, each) for each in below)])


def _is_in(graph: Graph, made: Instance, region: Sequence[int]) -> bool:
    """Whether it is evaluated in a region, as far as its text tells; a lambda stands anywhere."""
    file = graph.files[made.activation.source]
    if made.activation.caller is not None or file is None or not isinstance(made.node, ast.expr):
        return True
    place = file.place(made.node)
    return (region[0], region[1]) <= place[:2] and place[2:] <= (region[2], region[3])


def _looked(looked: Looked, evaluations: Iterable[Iterable[Instance]]) -> Looked | None:
    try:
        for activation in evaluations:
            for made in activation:
                _look(looked, made)
    except Unsure:
        return None
    return looked


def _wakes_others(trace: Trace, nodes: Container[int], node: int, awake: Sequence[int]) -> bool:
    """Whether a generator that had been started elsewhere went on while a node was awake."""
    sleepers = trace.sleepers
    above, up = {node}, trace.parent[node]
    while up >= 0 and sleepers:
        above.add(up)  # those that delegate to it count as awake, too
        up = trace.parent[up]
    for start, end in zip(awake[::2], awake[1::2], strict=False):
        for at in range(bisect_right(sleepers, (start, 0, 0)), len(sleepers)):
            first, last, sleeper = sleepers[at]
            if first > end:
                break
            if sleeper not in nodes and sleeper not in above and last <= end:
                return True
    return False


def _evaluations(graph: Graph, node: int) -> Iterator[Instance]:
    yield from _of_activation(graph.activation(node))


def _of_activation(activation: Activation) -> Iterator[Instance]:
    if activation.failed:
        raise Unsure("what could not be followed")
    yield from activation.instances
    for inner in activation.inlines:
        yield from _of_activation(inner)


def _look(looked: Looked, made: Instance) -> None:
    found = _KINDS.get(made.kind)
    if found is not None:
        found(looked, made)


def _operation(looked: Looked, made: Instance) -> None:
    node = made.node
    for each in made.shape:
        looked.size(each)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) and not getattr(
        node, "decorator_list", ()
    ):
        return  # defaults are kept
    if isinstance(node, ast.Compare) and _membership(looked, made, node):
        return
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        kinds = {looked.container(each)[1] for each in made.deep}
        if kinds <= INDEXED:
            for each in made.deep:
                looked.items_of(each)
            return
    if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) == len(made.deep):
        for part, each in zip(node.elts, made.deep, strict=True):
            if isinstance(part, ast.Starred):
                looked.items_of(each)
        return
    if isinstance(node, ast.Call) and _is_recorded_manager(looked, made):
        return
    for each in made.deep:
        looked.all_of(each)


def _is_recorded_manager(looked: Looked, made: Instance) -> bool:
    """`with f():` where `f` is a `contextmanager` of the program: what it does is recorded."""
    row = looked.row(made.deep[0]) if len(made.deep) == 1 else None
    if type(row) is not list or row[0] != "instance":
        return False
    return tuple(looked.graph.trace.type_of(row[1])[:2]) in _MANAGERS


def _membership(looked: Looked, made: Instance, node: ast.Compare) -> bool:
    """`k in d`: of a dict or set that has it, that one key is looked at."""
    if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.In, ast.NotIn)) or len(made.deep) != 2:
        return False
    return looked.member(made.deep[1], made.deep[0], made.time)


def _item(looked: Looked, made: Instance) -> None:
    base, key = made.uses
    looked.all_of(key)  # it is hashed
    found = looked.key(key)
    if found is UNSET:
        looked.items_of(base)
    else:
        looked.look(base, found, made.time)


def _part(looked: Looked, made: Instance) -> None:
    """An element, by iteration or unpacking; behind the last one there is none."""
    for each in (*made.deep, *made.shape):
        looked.all_of(each)
    base = made.uses[0]
    number, kind = looked.container(base)
    if not number:
        looked.items_of(base)
        return
    index = made.detail
    if kind not in INDEXED or type(index) is not int:
        looked.items(number)
        return
    size = len(looked.graph.trace.content(number, made.time).items)
    if -size <= index < size:
        looked.item(number, index % size)


def _sliced(looked: Looked, made: Instance) -> None:
    base = made.uses[0]
    number, kind = looked.container(base)
    bounds = known.bounds_of(looked.graph, made) if number and kind in INDEXED else None
    if bounds is None:
        looked.items_of(base)
        return
    for index in range(*bounds):
        looked.item(number, index)


def _attribute(looked: Looked, made: Instance) -> None:
    """By name (see `unread`); but library code may run, and look at more."""
    base = made.uses[0]
    row = looked.row(base)
    if type(row) is not list or row[0] not in ("instance", "exception", "opaque", "based"):
        return
    trace, number = looked.graph.trace, looked.number(base)
    if row[0] != "opaque" and made.detail in trace.content(number, made.time).attributes:
        return
    name, module = trace.type_of(row[1])[:2]
    if not is_plain(trace, name, module) and row[0] == "instance":
        looked.all_of(base)


def _call(looked: Looked, made: Instance) -> None:
    """A call of recorded code looks at nothing itself: what it is given is looked at where it is used."""
    called: Called = made.detail
    for starred, value in called.arguments:
        if starred:
            looked.items_of(value)
    for name, value in called.keywords:
        if name is None:
            looked.items_of(value)
    if called.function is None or _is_direct(looked.graph, called):
        return
    library_calls.call(looked, made, called)


def _is_direct(graph: Graph, called: Called) -> bool:
    """Nothing is between the call and the function: no decorator, no metaclass, no library function that calls it."""
    trace = graph.trace
    target = called.target
    routine = trace.routines[trace.routine[target]]
    code = graph.files.code_of(trace.routine[target])
    for decorator in getattr(code, "decorator_list", ()):
        if (getattr(decorator, "id", "") or getattr(decorator, "attr", "")) not in _TRANSPARENT:
            return False
    if routine.name == "__init__":
        owner = routine.qualname.rpartition(".")[0]
        modules = trace.lookups.modules_of(routine.source)
        return any(is_plain(trace, owner, module) for module in modules)
    row = graph.row_of(called.function)
    if type(row) is list and row[0] == "method":
        row = trace.row(row[1])
    named = type(row) is list and row[0] == "function" and row[1].rpartition(".")[2] == routine.name
    return named or called.name == routine.name


def _library(looked: Looked, made: Instance) -> None:
    if isinstance(made.detail, Called) and (made.detail.function is not None or not made.deep):
        if made.detail.function is not None:
            library_calls.call(looked, made, made.detail)
        return
    for each in made.deep:
        looked.all_of(each)


def _write(looked: Looked, made: Instance) -> None:
    """What is written to is shown; a call that writes is looked at as a call."""
    node = made.node
    if isinstance(node, ast.AugAssign):
        for each in made.deep:
            looked.items_of(each)
    elif isinstance(node, ast.Subscript) and len(made.uses) == 2:
        base, key = made.uses
        looked.all_of(key)
        number, kind = looked.container(base)
        found = looked.key(key)
        if not number:
            return
        if kind == "dict" and found is not UNSET:
            looked.item(number, found)
        elif type(found) is int and isinstance(node.ctx, ast.Store):
            size = len(looked.graph.trace.content(number, made.time).items)
            looked.item(number, found if found >= 0 else found + size)
        else:
            looked.items(number)
            if made.copy is not None:
                looked.items_of(made.copy)


def _sizes(looked: Looked, made: Instance) -> None:
    for each in (*made.shape, *made.uses):
        if each.kind not in (CONSTANT, TEST, OPERATION):
            looked.size(each)


def _raise(looked: Looked, made: Instance) -> None:
    for each in made.deep:
        looked.all_of(each)


_KINDS: dict[str, Callable[[Looked, Instance], None]] = {
    OPERATION: _operation,
    ITEM: _item,
    PART: _part,
    SLICED: _sliced,
    ATTRIBUTE: _attribute,
    CALL: _call,
    LIBRARY: _library,
    WRITE: _write,
    TEST: _sizes,
    RAISE: _raise,
}
