"""Whether another file may get at what a file holds, told from the other's text. Not told is what it makes of it: that it gets
there in another way than a call at once is enough.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from algotrace.held_values import RESULT
from algotrace.syntax import bound_by

NAMESPACES = frozenset({"vars", "locals", "globals"})


def escapes_elsewhere(text: str, holders: Iterable[str]) -> bool:
    """Whether another file may get at something by names that are no variables of functions: it imports or reads one, but to
    call it as a method at once, or has it as a text; or reads attributes by names that are not in its text."""
    names = {holder.removesuffix(RESULT) for holder in holders}
    results = {holder.removesuffix(RESULT) for holder in holders if holder.endswith(RESULT)}
    nodes = list(ast.walk(ast.parse(text)))
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    imported_here = {
        name for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)) for name in bound_by(node)
    }
    imports_all = any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in nodes)
    for node in nodes:
        match node:
            case ast.ImportFrom(names=imported):
                if any(alias.name in names for alias in imported):
                    return True
            case ast.Name(id=name) if imports_all and name in names:
                return True
            case ast.Attribute(attr="__dict__"):
                return True
            case ast.Attribute(attr=name, value=owner) if name in names and (
                id(node) not in called or name in results or _root_name(owner) in imported_here
            ):
                return True
            case ast.Constant(value=str(text)) if names.intersection(text.split(".")):
                return True
            case ast.Call(func=ast.Name(id=name), args=arguments):
                if name in NAMESPACES:
                    return True
                if name in ("getattr", "attrgetter", "methodcaller") and any(
                    not is_whole and any(each.startswith(begins) for each in names)
                    for begins, is_whole in map(
                        beginning, arguments[1:] if name == "getattr" else arguments[:1]
                    )
                ):
                    return True
    return False


def _root_name(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def beginning(node: ast.expr) -> tuple[str, bool]:
    """What a text starts with, and whether that is all of it."""
    if isinstance(node, ast.Constant):
        return (node.value, True) if isinstance(node.value, str) else ("", True)
    if isinstance(node, ast.JoinedStr) and node.values:
        return beginning(node.values[0])[0], False
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return beginning(node.left)[0], False
    return "", False
