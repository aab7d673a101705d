"""What the body of a class bound: `Box.rate`, and `box.rate` where the object has no `rate` of its own.

Which class is meant is told by its name, of the classes that modules of the program define; its bases are looked into.
Left out: classes that functions define, and modules that ran within the call that imported them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from algodebug.slicing.instances import OPERATION, Instance
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
        node = graph.module_node(source)
        if node is None or not graph.is_at_hand(node):
            continue
        for stored in graph.activation(node).stores.get(class_name, ())[-1:]:
            made = graph.origin(stored)
            if made.kind == OPERATION and isinstance(made.node, ast.ClassDef):
                yield made


def _bound(graph: Graph, made: Instance) -> dict[str, Any]:
    """Its names: of a body that only defines they are among the instances around, another has its own activation."""
    if isinstance(made.detail, dict):
        return made.detail
    trace = graph.trace
    for child in made.activation.ran_in.get(made.order, ()):
        if trace.routines[trace.routine[child]].kind == "class":
            return {name: stores[-1] for name, stores in graph.activation(child).stores.items() if stores}
    return {}
