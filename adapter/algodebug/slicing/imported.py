"""Names that a module took from another module of the program: who bound them there.

Told from the text of the imports. Not here: what a module does to names of its own, see `variables`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from algodebug.slicing import variables
from algodebug.slicing.instances import GLOBAL, ITEM, Instance
from algotrace.reads import source_of
from algotrace.scopes import imports

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_DEEPEST = 5  # modules that a name is handed through


def bound(graph: Graph, source: int, name: str, time: int, depth: int = 0) -> int | None:
    """When a name was bound that a source imports: `from config import RATE`. None where that is not known."""
    handed = taken(graph, source, name)
    if handed is None or depth > _DEEPEST:
        return None
    other, what = handed
    written = variables.last_own(graph, other, what, time)  # what it was when it was imported
    return bound(graph, other, what, time, depth + 1) if written is None else written


def number(graph: Graph, source: int, name: str, time: int) -> int:
    """The object that a name stands for which a source imports; 0 where that is not known."""
    for _ in range(_DEEPEST):
        handed = taken(graph, source, name)
        if handed is None:
            break
        source, name = handed
        found = graph.trace.globals_at(source, name, time)
        if found:
            return found
    return 0


def home(graph: Graph, source: int, name: str) -> tuple[int, str]:
    """The source that a name comes from, by imports, and its name there."""
    for _ in range(_DEEPEST):
        handed = taken(graph, source, name)
        if handed is None:
            break
        source, name = handed
    return source, name


def taken(graph: Graph, source: int, name: str) -> tuple[int, str] | None:
    """The source that a name is imported from, and its name there."""
    found = imports(graph.trace.sources[source].text)
    module, what = found.get(name, ("", ""))
    if name not in found and "*" in found:
        module, what = found["*"][0], name
    other = source_of(graph.trace, module, source) if what else None
    return None if other is None else (other, what)


def attribute_bound(graph: Graph, instance: Instance) -> tuple[int, int] | None:
    """The same for `config.RATE`, where `config` is a module; the source of that first."""
    node, base = instance.node, instance.uses[0]
    if not isinstance(node, ast.Attribute):
        return None
    while isinstance(base.node, ast.Attribute) and base.uses:
        base = base.uses[0]
    if base.kind != GLOBAL and not isinstance(graph.origin(base).node, (ast.Import, ast.ImportFrom)):
        return None
    other = module_named(graph, node.value, instance.activation.source)
    if other is None:
        return None
    written = graph.last_global(other, node.attr, instance.time)
    if written is None:
        written = bound(graph, other, node.attr, instance.time)
    return None if written is None else (other, written)


def module_named(graph: Graph, expression: ast.AST, source: int) -> int | None:
    """The source of the module of the program that an expression is, as the imports of its text tell; None for none."""
    names: list[str] = []
    while isinstance(expression, ast.Attribute):
        names.append(expression.attr)
        expression = expression.value
    if not isinstance(expression, ast.Name):
        return None
    return module_by_name(graph, ".".join([expression.id, *reversed(names)]), source)


def module_by_name(graph: Graph, dotted: str, source: int) -> int | None:
    """The same for names with dots between them."""
    first, _, rest = dotted.partition(".")
    module, what = imports(graph.trace.sources[source].text).get(first, ("", ""))
    if not module:
        return None
    package = module if module.endswith(".") or not what else f"{module}."  # `from . import config`
    whole = package + what + (f".{rest}" if rest else "")
    return source_of(graph.trace, whole, source)


def sources_of_module(graph: Graph, base: Instance) -> list[int]:
    """The sources of the module that a value is: as the trace tells, or `sys.modules[name]`; none where it is no such."""
    row = graph.row_of(base)
    if type(row) is list:
        return list(graph.trace.lookups.sources_of(row[1])) if row[0] == "module" else []
    shown = graph.origin(base)
    if shown.kind != ITEM or shown.uses[0].detail != "modules":
        return []
    key = graph.origin(shown.uses[1])
    if key.kind == GLOBAL and key.detail == "__name__":
        return [key.activation.source]
    name = graph.value(key)
    other = source_of(graph.trace, name, shown.activation.source) if isinstance(name, str) else None
    return [] if other is None else [other]


def names_imported(node: ast.AST) -> set[str]:
    """The last parts of the names of the modules that an import may run."""
    if isinstance(node, ast.ImportFrom):
        return {*(node.module or "").split("."), *(alias.name for alias in node.names)}
    names = node.names if isinstance(node, ast.Import) else []
    return {part for alias in names for part in alias.name.split(".")}
