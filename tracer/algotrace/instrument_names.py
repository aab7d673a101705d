"""Names in the program's text: those that a suite binds, those that last, those that a function may find around it."""

from __future__ import annotations

import ast
from typing import Any
from collections.abc import Iterable

from algotrace.syntax import bound_by, location, own_nodes, walk
from algotrace.mutators import METHOD_NAMES
from algotrace.places import CodeScope


SEES_LOCALS = frozenset({"locals", "vars", "dir", "eval", "exec", "globals"})


def sees_its_locals(node: ast.AST) -> bool:
    """Whether a part of a function may ask for the function's variables by the names that they have."""
    if isinstance(node, ast.Attribute):
        return node.attr == "f_locals"  # of its own frame, or of another
    return isinstance(node, ast.Name) and node.id in SEES_LOCALS


def comprehension_variables(nodes: Iterable[ast.AST]) -> dict[str, list[ast.Name]]:
    """The variables of comprehensions among some nodes, where they are bound."""
    found: dict[str, list[ast.Name]] = {}
    for node in nodes:
        if isinstance(node, ast.comprehension):
            for name in walk(node.target):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    found.setdefault(name.id, []).append(name)
    return found


def names_lasting(nodes: list[Any]) -> frozenset[str]:
    """Names that a suite may bind, but for the variables of its comprehensions where it is sure that these pass."""
    inside = comprehension_variables(own_nodes(nodes))
    names = {name for node in own_nodes(nodes) for name in bound_by(node)}
    used = {part.id for node in nodes for part in walk(node) if isinstance(part, ast.Name)}
    if "*" in names or used & SEES_LOCALS:
        return frozenset(names)
    passing = {id(name) for names in inside.values() for name in names}
    return frozenset(name for node in own_nodes(nodes) if id(node) not in passing for name in bound_by(node))


def names_bound(nodes: list[Any]) -> frozenset[str]:
    """Names that a suite binds in its own scope: by a store, an import, a definition, `except … as`, a pattern."""
    names: set[str] = set()
    for node in own_nodes(nodes):
        names.update(bound_by(node))
    return frozenset(names)


def free_names(outer: CodeScope) -> frozenset[str]:
    """What a function defined in `outer` may find in functions around it."""
    own = outer.locals if outer.kind in ("function", "lambda", "comprehension") else frozenset()
    return (own | outer.free) - outer.globals


def parameters_of(arguments: ast.arguments) -> list[str]:
    """Parameter names in order; `*args` and `**kwargs` keep their stars."""
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    if arguments.vararg:
        names.append("*" + arguments.vararg.arg)
    names += [argument.arg for argument in arguments.kwonlyargs]
    if arguments.kwarg:
        names.append("**" + arguments.kwarg.arg)
    return names


def names_in(targets: list[ast.expr]) -> list[ast.Name]:
    """The names that targets bind, in order."""
    names: list[ast.Name] = []
    for target in targets:
        if isinstance(target, ast.Name):
            names.append(target)
        elif isinstance(target, (ast.Tuple, ast.List)):
            names += names_in(target.elts)
        elif isinstance(target, ast.Starred):
            names += names_in([target.value])
    return names


def captures(pattern: ast.pattern) -> list[ast.Name]:
    """The names that a pattern binds, each where it stands (an or-pattern binds the same ones in every part)."""
    found: dict[str, ast.Name] = {}
    for node in ast.walk(pattern):
        name = getattr(node, "name", None) or getattr(node, "rest", None)
        if isinstance(name, str):
            found.setdefault(name, ast.Name(name, ast.Load(), **location(node)))
    return list(found.values())


def is_alias(node: ast.AST) -> bool:
    """`append = found.append` and the like: a name for a method that changes a container."""
    return (
        isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr in METHOD_NAMES
    )


def methods_named(tree: ast.Module) -> dict[str, tuple[str, str]]:
    """Of a file: the names of which some stand for methods of containers, with the text of one, and the method."""
    found: dict[str, tuple[str, str]] = {}
    for node in walk(tree):
        if is_alias(node):
            found.setdefault(node.targets[0].id, (ast.unparse(node.value.value), node.value.attr))
    return found
