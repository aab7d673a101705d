"""What the body of a class bound: `Box.rate`, and `box.rate` where the object has no `rate` of its own.

Which class is meant is told by its name, of the classes that modules of the program define; its bases are looked into.
Left out: classes that functions define, and modules that a function imported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from algodebug.slicing.instances import OPERATION, Activation, Instance
from algodebug.slicing.sources import last_name

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_MOST_BASES = 10


def attribute(graph: Graph, class_name: str, name: str, depth: int = 0) -> list[Instance]:
    """What the bodies of the classes of a name, or of their bases, bound an attribute to last."""
    found: list[Instance] = []
    for made in _statements(graph, class_name):
        bound = _bound(graph, made).get(name)
        if bound is not None:
            if not isinstance(
                graph.origin(bound).node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
            ):
                found.append(bound)
        elif depth < _MOST_BASES and isinstance(made.node, ast.ClassDef):
            for base in made.node.bases:
                found += attribute(graph, last_name(base), name, depth + 1)
    return found


def _statements(graph: Graph, class_name: str) -> Iterator[Instance]:
    """The class statements that modules ran for classes of a name."""
    for source in graph.files.defining(class_name):
        activation = _of_module(graph, source)
        if activation is None:
            continue
        for stored in activation.stores.get(class_name, ())[-1:]:
            made = graph.origin(stored)
            if made.kind == OPERATION and isinstance(made.node, ast.ClassDef):
                yield made


def _of_module(graph: Graph, source: int) -> Activation | None:
    """The run of a module: a node, or within the program's own module that imports it, perhaps by others."""
    node = graph.module_node(source)
    if node is not None or not graph.is_at_hand(0):
        return graph.activation(node) if node is not None and graph.is_at_hand(node) else None
    todo = list(graph.activation(0).inlines)
    while todo:
        inline = todo.pop()
        routine = graph.trace.routines[inline.routine]
        if routine.kind == "module" and routine.source == source:
            return inline
        todo += inline.inlines
    return None


def _bound(graph: Graph, made: Instance) -> dict[str, Any]:
    """Its names: of a body that only defines they are among the instances around, another has its own activation."""
    if isinstance(made.detail, dict):
        return made.detail
    trace = graph.trace
    for child in made.activation.ran_in.get(made.order, ()):
        if trace.routines[trace.routine[child]].kind == "class":
            return {name: stores[-1] for name, stores in graph.activation(child).stores.items() if stores}
    return {}
