"""An executable slice: the program without what a value does not depend on.

Statements of which nothing was reached go; expressions stay whole, since leaving parts out could change how the rest
reads. Whoever offers the result runs it first, and offers it only where it gives the value.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from algodebug.slicing.criteria import Criterion
from algodebug.slicing.slicer import Slicer


def executable_slice(slicer: Slicer, *criteria: Criterion) -> str:
    """The reduced text of the file that the first criterion's node is in; for several criteria the union."""
    trace = slicer.trace
    source = trace.routines[trace.routine[criteria[0].node]].source
    file = slicer.graph.files[source]
    if file is None:
        raise ValueError("the source of this call cannot be parsed")
    lit: set[int] = set()
    reached_nodes: set[int] = set()
    for criterion in criteria:
        reached = slicer.reach(slicer.demands(criterion), None)
        reached_nodes |= reached.nodes
        for made in reached.instances.values():
            if made.activation.source == source and made.node is not None:
                lit.add(id(made.node))
    used = _names_used(file.tree, lit)
    while True:
        reduced = _Reduced(lit, used).visit(_copy(file.tree))
        named = {part.id for part in ast.walk(reduced) if isinstance(part, ast.Name)}
        named |= {part.attr for part in ast.walk(reduced) if isinstance(part, ast.Attribute)}
        if named <= used:  # what is named must be there, though nothing in it was reached
            return ast.unparse(reduced) + "\n"
        used |= named


def _copy(tree: ast.Module) -> ast.Module:
    """A shallow copy of the statements' structure: bodies are new lists, the rest is shared."""

    def copied(node: Any) -> Any:
        fields = {}
        for name, value in ast.iter_fields(node):
            if (
                isinstance(value, list)
                and value
                and isinstance(value[0], (ast.stmt, ast.ExceptHandler, ast.match_case))
            ):
                fields[name] = [copied(part) for part in value]
            else:
                fields[name] = value
        made = type(node)(**fields)
        ast.copy_location(made, node)
        made.original = node
        return made

    return copied(tree)


def _names_used(tree: ast.Module, lit: set[int]) -> set[str]:
    """Functions and classes of which something was reached, by name: their definitions must stay."""
    used: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if any(id(part) in lit for part in ast.walk(node)):
            used.add(node.name)
    return used


class _Reduced:
    def __init__(self, lit: set[int], used: set[str]) -> None:
        self.lit = lit
        self.used = used

    def visit(self, module: ast.Module) -> ast.Module:
        module.body = self.suite(module.body) or [ast.Pass()]
        return ast.fix_missing_locations(module)

    def suite(self, body: list[Any]) -> list[Any]:
        kept = []
        for statement in body:
            made = self.statement(statement)
            if made is not None:
                kept.append(made)
        return kept

    def reached(self, node: Any) -> bool:
        return any(id(part) in self.lit for part in ast.walk(node))

    def part(self, node: Any) -> Any:
        """An expression with None for the elements and arguments of which nothing was reached."""
        made = copy.deepcopy(node)
        todo = [(node, made)]
        while todo:
            old, new = todo.pop()
            for name in (
                ("elts", "args", "values")
                if isinstance(old, (ast.Tuple, ast.List, ast.Call, ast.Dict))
                else ()
            ):
                if not isinstance(getattr(old, "ctx", ast.Load()), ast.Load):
                    continue
                for index, part in enumerate(getattr(old, name, ())):
                    if not isinstance(part, (ast.Starred, ast.Constant)) and not self.reached(part):
                        getattr(new, name)[index] = ast.Constant(None)
            olds, news = list(ast.iter_child_nodes(old)), list(ast.iter_child_nodes(new))
            todo += [pair for pair in zip(olds, news, strict=True) if type(pair[0]) is type(pair[1])]
        return made

    def statement(self, node: Any) -> Any:
        original = node.original
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)):
            return node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            special = node.name.startswith("__") and node.name.endswith("__")
            if not special and node.name not in self.used and not self.reached(original):
                return None
            node.body = self.suite(node.body) or [ast.Pass()]
            return node
        if isinstance(node, ast.ClassDef):
            if node.name not in self.used and not self.reached(original):
                return None
            node.body = [
                part if isinstance(part, (ast.Assign, ast.AnnAssign)) else self.statement(part)
                for part in node.body
            ]
            node.body = [part for part in node.body if part is not None] or [ast.Pass()]
            return node
        if isinstance(node, (ast.Break, ast.Continue, ast.Pass)):
            return node
        if isinstance(node, ast.Return):
            node.value = None if node.value is None or not self.reached(node.value) else self.part(node.value)
            return node
        if not self.reached(original):
            return None
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, name, self.part(value))
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(node, name, None)
            if isinstance(inner, list):
                setattr(node, name, self.suite(inner))
        for handler in getattr(node, "handlers", ()):
            handler.body = self.suite(handler.body) or [ast.Pass()]
        if isinstance(node, ast.Match):
            for case in node.cases:
                case.body = self.suite(case.body) or [ast.Pass()]
        if hasattr(node, "body") and not node.body:
            node.body = [ast.Pass()]
        return node
