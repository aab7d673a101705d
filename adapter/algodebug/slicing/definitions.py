"""Functions and classes that a scope defines in several ways: which one a name stands for, something decided.

    if fast:
        def put(xs, x): xs.append(x)
    else:
        def put(xs, x): pass

Of a module that was followed. What else modules do to their names, see `variables`; methods, see `class_bodies`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from algodebug.slicing import imported
from algodebug.slicing.instances import CALL, OPERATION, TEST, Instance

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_DEEPEST = 5  # modules that a name is handed through
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def in_module(graph: Graph, source: int, name: str, time: int) -> Instance | None:
    """What bound a name of a module last before a time; None where its text has but one place that does, a plain one."""
    source, name = imported.home(graph, source, name)
    file = graph.files[source]
    if file is None or not (
        name in graph.files.defined_again(file.tree) or graph.files.values.may_be_wrapped(name)
    ):
        return None
    return _stored_last(graph, source, name, time)


def asked_for(graph: Graph, source: int, name: str, time: int) -> Instance | None:
    """What the `__getattr__` of a module gave for a name that is imported from it."""
    for _ in range(_DEEPEST):
        taken = imported.taken(graph, source, name)
        file = None if taken is None else graph.files[taken[0]]
        if taken is None or file is None:
            return None
        if any(each in file.tree.body for each in file.named.get("__getattr__", ())):
            stored = _stored_last(graph, source, name, time)
            if stored is not None and stored.copy is not None and stored.copy.kind == CALL:
                return stored.copy
        source, name = taken
    return None


def _stored_last(graph: Graph, source: int, name: str, time: int) -> Instance | None:
    latest: Instance | None = None
    for routine, made in enumerate(graph.trace.routines):
        if made.source == source and made.kind == "module":
            for activation in graph.class_bodies.runs(routine, time):
                for stored in activation.stores.get(name, ()):
                    if stored.time <= time and (latest is None or stored.time >= latest.time):
                        latest = stored
    return latest


def kept_since(graph: Graph, stored: Instance, time: int) -> Iterator[Instance]:
    """The tests after a name was bound, before a time, that kept it from being bound once more."""
    for order, test in graph.tests_by_name(stored.activation).get(stored.detail, ()):
        if order >= stored.order and test.time <= time:
            yield test


def is_decided(graph: Graph, stored: Instance) -> bool:
    """Whether a name could have stayed as it was, or have been bound elsewhere instead."""
    activation, name = stored.activation, stored.detail
    before = activation.stores.get(name, (stored,))[0] is not stored
    control, tests = stored.control, {id(test) for _, test in graph.tests_by_name(activation).get(name, ())}
    is_sure = control is None or control is activation.entry
    if before:
        made = stored.copy
        is_definition = made is not None and made.kind == OPERATION and isinstance(made.node, _DEFINITIONS)
        return not (is_sure and is_definition)
    while control is not None and control.kind == TEST and control.activation is activation:
        if id(control) in tests:
            return True
        control = control.control
    return False
