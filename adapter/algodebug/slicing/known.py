"""What is known of the values of instances: which object, which scalar, how long, where it was made.

The trace names many of them; others are computed from what they were computed from. Nothing of the program is run.
Every function takes the graph first: they are methods of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from algodebug.slicing import class_attributes, scalars, variables
from algodebug.slicing.demands import Step
from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    COPIES,
    DISPLAY,
    GLOBAL,
    ITEM,
    LIBRARY,
    NAME,
    OPERATION,
    PARAMETER,
    PART,
    RAISE,
    SLICED,
    UNSET,
    Called,
    Instance,
)
from algotrace import marks

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

COMPOUND = frozenset({"list", "dict", "set", "deque", "instance", "exception", "bytearray", "based"})
SIZED = ("list", "tuple", "dict", "set", "frozenset", "deque")
_MAKING = frozenset({"list", "dict", "set", "tuple", "frozenset", "sorted", "reversed", "enumerate", "zip", "map", "filter", "range", "iter"})  # fmt: skip
_HANDING_OUT = frozenset({"get", "getattr"})
_OF_ATTRIBUTES = (marks.ATTRIBUTE, marks.ATTRIBUTE_NEW, marks.NAMED)
_MOST_DEPTH = 60
_MOST_COPIES = 10_000


def number(graph: Graph, instance: Instance | None) -> int:
    """The object an instance stands for; 0 where the trace does not tell."""
    seen = 0
    while instance is not None and seen < _MOST_COPIES:
        if instance.number:
            return instance.number
        kind = instance.kind
        if kind in COPIES:
            if kind == NAME and variables.bound_since(graph, instance) is not None:
                return 0
            instance = instance.copy
        elif kind == CALL and instance.detail.target >= 0:
            instance.number = _number_of_result(graph, instance.detail.target)
            return instance.number
        elif kind in (ATTRIBUTE, ITEM, PART):
            instance.number = _number_of_part(graph, instance)
            return instance.number
        elif kind == LIBRARY and isinstance(instance.detail, Called) and instance.detail.name in _HANDING_OUT:
            instance.number = _number_handed_out(graph, instance, instance.detail)
            return instance.number
        elif kind == GLOBAL:
            source = instance.activation.source
            instance.number = graph.trace.globals_at(source, instance.detail, instance.time) or 0
            return instance.number
        else:
            return 0
        seen += 1
    return 0


def _number_of_result(graph: Graph, node: int) -> int:
    trace = graph.trace
    if trace.routines[trace.routine[node]].name == "__init__":
        arguments = trace.arguments(node)
        return arguments[0].value.identity if arguments else 0
    outcome = trace._outcome(node).value
    return outcome.identity if outcome is not None and outcome.identity > 0 else 0


def _number_of_part(graph: Graph, instance: Instance) -> int:
    if graph.nesting > _MOST_DEPTH:
        return 0
    graph.nesting += 1
    try:
        at = step(graph, instance)
        if at is None:
            return 0
        base = number(graph, instance.uses[0])
        found = part_number(graph, base, at, instance.time) if base else 0
        if not found and instance.kind == ATTRIBUTE and not graph.following:
            found = class_attributes.number(graph, instance.uses[0], instance.detail, instance.time)
        if base or found:
            return found
        shown = origin(graph, instance.uses[0])
        if shown.kind == SLICED and type(at[1]) is int:
            chosen, of = bounds_of(graph, shown), number(graph, shown.uses[0])
            if chosen is not None and of and -len(range(*chosen)) <= at[1] < len(range(*chosen)):
                return part_number(graph, of, ("item", range(*chosen)[at[1]]), shown.time)
        return number(graph, element(shown, at)) if shown.kind == DISPLAY else 0
    finally:
        graph.nesting -= 1


def _number_handed_out(graph: Graph, made: Instance, called: Called) -> int:
    """The object that a call of a container's method gave, where the trace does not name what it gave: one of its parts."""
    arguments = [each for _, each in called.arguments]
    if graph.nesting > _MOST_DEPTH or called.keywords or any(starred for starred, _ in called.arguments):
        return 0
    graph.nesting += 1
    try:
        if called.name == "getattr" and called.receiver is None and len(arguments) in (2, 3):
            name, base = value(graph, arguments[1]), number(graph, arguments[0])
            return part_number(graph, base, ("attr", name), made.time) if base and type(name) is str else 0
        receiver, base = called.receiver, number(graph, called.receiver)
        if receiver is None or not base or not arguments or graph.kind_of(receiver) != "dict":
            return 0
        found, key = number(graph, arguments[0]), value(graph, arguments[0])
        identity = graph.trace.key_identity(found) if found else key
        if identity is UNSET:
            return 0
        found = part_number(graph, base, ("item", identity), made.time)
        return found or (number(graph, arguments[1]) if len(arguments) == 2 else 0)
    finally:
        graph.nesting -= 1


def part_number(graph: Graph, base: int, at: Step, time: int) -> int:
    """The object that lay at a step of another at a time."""
    row = graph.trace.row(base)
    if type(row) is not list or (row[0] not in COMPOUND and row[0] != "tuple"):
        return 0
    kind, key = at
    if kind == "attr":
        return graph.states.attribute(base, key, time)
    content = graph.trace.content(base, time)
    if content.kind == "dict":
        pair = content.pairs.get(key)
        return pair[1] if pair is not None else 0
    if type(key) is int and -len(content.items) <= key < len(content.items):
        return content.items[key]
    return 0


def step(graph: Graph, instance: Instance) -> Step | None:
    """The access step that an attribute, item or element read stands for; None where the key is not known."""
    if instance.kind == ATTRIBUTE:
        return ("attr", instance.detail)
    if instance.kind == PART:
        return ("item", instance.detail)
    key = value(graph, instance.uses[1])
    if isinstance(key, (int, str, float, bool, type(None))):
        return ("item", key)
    if key is UNSET or isinstance(key, bytes):
        found = number(graph, instance.uses[1])
        identity = graph.trace.key_identity(found) if found else None
        if (
            type(identity) is tuple
            and identity[0] == "object"
            and graph.is_compared_by_parts(instance.uses[1])
        ):
            return None  # it may lie there by an equal one
        return ("item", identity) if found else None
    return None


def counted(graph: Graph, number: int, at: Step, time: int) -> Step:
    """An index below zero counts from the end."""
    if at[1] < 0 and graph.trace.row(number)[0] in ("list", "tuple", "deque"):
        return ("item", at[1] + len(graph.trace.content(number, time).items))
    return at


def element(shown: Instance, at: Step) -> Instance | None:
    """An element of a display."""
    kind, key = at
    if kind != "item":
        return None
    parts = shown.detail
    if isinstance(parts, dict):
        try:
            return parts.get(key)
        except TypeError:
            return None
    if isinstance(shown.node, (ast.Set, ast.SetComp)):
        return None
    if isinstance(key, int) and -len(parts) <= key < len(parts):
        found: Instance = parts[key]
        return found
    return None


def row_of(graph: Graph, instance: Instance | None) -> Any:
    """The trace's row of the object an instance stands for; None where that is not known."""
    found = number(graph, instance)
    return graph.trace.row(found) if found else None


def kind_of(graph: Graph, instance: Instance | None) -> str:
    """What kind of object it is; empty for scalars and where that is not known."""
    row = row_of(graph, instance)
    return row[0] if type(row) is list else ""


def is_plain_container(graph: Graph, instance: Instance) -> bool:
    """Whether it is a container that runs no code of the program: none of a class of the program."""
    row = row_of(graph, instance)
    return type(row) is list and is_plain_row(graph, row)


def is_plain_row(graph: Graph, row: list[Any]) -> bool:
    return row[0] in SIZED and not (len(row) > 1 and type(row[1]) is int and graph.trace.type_of(row[1])[2])


def is_new(graph: Graph, instance: Instance) -> bool:
    """Whether an operation or a call of a builtin gave a container of its own: which object that is depends on nothing."""
    if instance.kind == OPERATION and not instance.activation.ran_in.get(instance.order):
        if isinstance(instance.node, (ast.Set, ast.SetComp, ast.DictComp, ast.List, ast.Tuple, ast.Dict)):
            return True
        if isinstance(instance.node, ast.BinOp):
            is_sum = (
                isinstance(instance.node.op, ast.Add)
                and kind_of(graph, next(iter(instance.deep), None)) == "list"
            )
            return is_sum or kind_of(graph, instance) in COMPOUND
        return False
    called = instance.detail
    return instance.kind == LIBRARY and isinstance(called, Called) and called.name in _MAKING


def learn_elements(graph: Graph, shown: Instance) -> None:
    """The objects that the elements of a display are, where the trace names but the display."""
    if not shown.number or not shown.detail:
        return
    content = graph.trace.content(shown.number, shown.time)
    pairs: Iterable[tuple[int, Instance]]
    if type(shown.detail) is dict:
        pairs = ((content.pairs.get(key, (0, 0))[1], element) for key, element in shown.detail.items())
    elif len(shown.detail) == len(content.items):
        pairs = zip(content.items, shown.detail, strict=True)
    else:
        return
    for held, element in pairs:
        at: Instance | None = element
        while at is not None and not at.number and held:
            at.number = held
            at = at.copy


def learn_stored(graph: Graph, write: Instance, time: int) -> None:
    """The object that was stored, where the trace names it but as a part of what it was stored into."""
    value = write.copy
    while value is not None and value.kind in COPIES and not value.number:
        value = value.copy
    if value is None or value.number or value.kind not in (DISPLAY, OPERATION, LIBRARY, SLICED):
        return
    noted = graph.trace.write_at(time)
    if noted.kind in _OF_ATTRIBUTES:
        value.number = part_number(graph, noted.target, ("attr", noted.detail), time + 1)
    elif noted.kind == marks.ITEM:
        key = graph.trace.key_identity(noted.values[1])
        value.number = part_number(graph, noted.target, ("item", key), time + 1)
    elif noted.kind == marks.APPEND:
        value.number = part_number(graph, noted.target, ("item", -1), time + 1)


# -- scalars ---------------------------------------------------------------------------------------------------------


def value(graph: Graph, instance: Instance) -> Any:
    """The scalar an instance gave, from the trace or computed from others; UNSET where it is not known."""
    if instance.value is not UNSET:
        return instance.value
    if graph.nesting > _MOST_DEPTH:
        return UNSET
    graph.nesting += 1
    try:
        named = number(graph, instance)
        if named:
            row = graph.trace.row(named)
            if type(row) is not list:
                instance.value = row
                return row
            if row[0] in ("huge", "bytes", "complex"):
                return scalars.of_row(row)
            return UNSET
        found = _computed(graph, instance)
        if found is not UNSET:
            instance.value = found
        return found
    finally:
        graph.nesting -= 1


def _computed(graph: Graph, instance: Instance) -> Any:
    kind = instance.kind
    if kind in COPIES and instance.copy is not None:
        if kind == NAME and variables.bound_since(graph, instance) is not None:
            return UNSET
        return value(graph, instance.copy)
    if kind == OPERATION and isinstance(instance.node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.AugAssign)):
        operands = [value(graph, part) for part in (instance.deep or instance.uses + instance.shape)]
        return scalars.compute(instance.node, operands)
    if kind == PART and instance.uses:
        return _part_of_made(graph, instance)
    if kind == ITEM:
        at = step(graph, instance)
        base = origin(graph, instance.uses[0])
        if at is not None and base.kind == DISPLAY and not number(graph, instance.uses[0]):
            return _value_or_unset(graph, element(base, at))
        text = value(graph, instance.uses[0])
        if at is not None and isinstance(text, (str, bytes)) and type(at[1]) is int:
            return text[at[1]] if -len(text) <= at[1] < len(text) else UNSET
    called_len = kind == LIBRARY and instance.detail is not None and instance.detail.name == "len"
    if called_len and len(instance.detail.arguments) == 1:
        size = length(graph, instance.detail.arguments[0][1], instance.time)
        return UNSET if size is None else size
    return UNSET


def _value_or_unset(graph: Graph, instance: Instance | None) -> Any:
    return UNSET if instance is None else value(graph, instance)


def _part_of_made(graph: Graph, instance: Instance) -> Any:
    """An element of what was written as a display, or is handed out by `range`."""
    shown = origin(graph, instance.uses[0])
    if shown.kind == LIBRARY and type(instance.detail) is int:
        called: Called = shown.detail
        if called.name == "range" and not called.keywords:
            bounds = [value(graph, argument) for _, argument in called.arguments]
            return scalars.element_of_range(bounds, instance.detail)
    if shown.kind == DISPLAY:
        return _value_or_unset(graph, element(shown, ("item", instance.detail)))
    if shown.kind == PART:
        return _element_of_element(graph, shown, instance.detail)
    return UNSET


def _element_of_element(graph: Graph, pair: Instance, index: Any) -> Any:
    """`for i, x in enumerate(xs)`: the number that is handed out."""
    shown = origin(graph, pair.uses[0])
    if shown.kind != LIBRARY or type(pair.detail) is not int or pair.detail < 0:
        return UNSET
    called: Called = shown.detail
    if called.name == "enumerate" and index == 0:
        start = 0
        if len(called.arguments) > 1:
            start = value(graph, called.arguments[1][1])
        elif called.keywords:
            start = value(graph, called.keywords[0][1])
        return start + pair.detail if type(start) is int else UNSET
    return UNSET


def truth(graph: Graph, instance: Instance) -> bool | None:
    """Whether a value counts as true; None where that is not known."""
    scalar = value(graph, instance)
    if scalar is not UNSET:
        return bool(scalar)
    if number(graph, instance):
        kind = kind_of(graph, instance)
        if kind in SIZED:
            return bool(length(graph, instance))
        return True if kind in ("function", "class", "module", "method") else None
    shown = origin(graph, instance)
    return bool(shown.detail) if shown.kind == DISPLAY else None


# -- how many elements -----------------------------------------------------------------------------------------------


def length(graph: Graph, instance: Instance, at: int = 0) -> int | None:
    """How many elements an iterable gave; None where that is not known. `at`: when it was gone through, where that is later."""
    found, at = number(graph, instance), max(given_at(graph, instance), at)
    if found:
        row = graph.trace.row(found)
        if type(row) is str:
            return len(row)
        if type(row) is list and row[0] in SIZED:
            content = graph.trace.content(found, at)
            return len(content.items) + len(content.pairs) if content.certain else None
        return None
    scalar = value(graph, instance)
    if isinstance(scalar, (str, bytes)):
        return len(scalar)
    shown = origin(graph, instance)
    if shown.kind == DISPLAY:
        return len(shown.detail)
    if shown.kind == SLICED:
        chosen = bounds_of(graph, shown)
        return None if chosen is None else len(range(*chosen))
    if shown.kind != LIBRARY or graph.iterators.made(instance) is not None:  # it may have been asked before
        return None
    return _length_given(graph, shown.detail, at)


def given_at(graph: Graph, instance: Instance) -> int:
    """When an instance gave its value: a call after all that ran in it."""
    called = instance.detail
    if not isinstance(called, Called):
        return instance.time
    trace = graph.trace
    ends = [trace.end[node] + 1 for node in called.nodes if node not in trace.segments]
    ends += [inner.outcome.time for inner in called.inline if inner.outcome is not None]
    return max(ends, default=instance.time)


def _length_given(graph: Graph, called: Called, at: int) -> int | None:
    """How many elements `range`, `zip` and the like hand out at a time."""
    if called.nodes or any(starred for starred, _ in called.arguments):
        return None
    arguments = [argument for _, argument in called.arguments]
    if called.name == "range":
        return scalars.length_of_range([value(graph, argument) for argument in arguments])
    if called.name in ("reversed", "list", "tuple", "sorted") and arguments:
        return length(graph, arguments[0])
    if called.name == "enumerate" and arguments:
        return length(graph, arguments[0], at)
    if called.name == "zip" and arguments and not called.keywords:
        lengths = [length(graph, argument, at) for argument in arguments]
        told = [size for size in lengths if size is not None]
        return min(told) if len(told) == len(lengths) else None
    if called.name in ("items", "keys", "values") and (holder := called.receiver) is not None:
        return length(graph, holder, at)
    return None


def bounds_of(graph: Graph, instance: Instance) -> tuple[int, int, int] | None:
    """The start, stop and step of a slice that was taken."""
    bounds = [None if part is None else value(graph, part) for part in instance.detail]
    if any(bound is not None and type(bound) is not int for bound in bounds):
        return None
    size = length(graph, instance.uses[0], instance.time)
    if size is None or bounds[2] == 0:
        return None
    return slice(*bounds).indices(size)


# -- where it was made -----------------------------------------------------------------------------------------------


def origin(graph: Graph, instance: Instance) -> Instance:
    """Back through copies, in one activation and into the activations it called, to where a value was made."""
    trace = graph.trace
    seen = 0
    while seen < _MOST_COPIES:
        seen += 1
        following: Instance | None = None
        if instance.kind in COPIES:
            if instance.kind == NAME and variables.bound_since(graph, instance) is not None:
                return instance
            following = instance.copy
        elif instance.kind == CALL:
            target = instance.detail.target
            if target in graph.following or (graph.following and not graph.is_at_hand(target)):
                return instance
            if target >= 0 and trace.routines[trace.routine[target]].name != "__init__":
                following = graph.activation(target).outcome
                if following is not None and following.kind == RAISE:
                    following = None
        elif instance.kind == PARAMETER:
            following = graph.passed(instance)
        if following is None:
            return instance
        instance = following
    return instance
