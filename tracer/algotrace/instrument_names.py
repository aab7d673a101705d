"""Names in the program's text: those that a suite binds, those that last, those that a function may find around it."""

from __future__ import annotations

import ast
from typing import Any
from collections.abc import Iterable

from algotrace.syntax import bound_by, location, own_nodes, walk
from algotrace.mutators import KEPT_NAMES, METHOD_NAMES
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


def is_alias(node: Any) -> bool:
    """`append = found.append` and the like: a name for a method that changes a container."""
    return (
        isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr in METHOD_NAMES
    )


def aliases_passed(nodes: list[Any]) -> frozenset[str]:
    """Of a file: the names of methods of containers by which these are not only called."""
    aliases = {node.targets[0].id for node in nodes if is_alias(node)}
    if not aliases:
        return frozenset()
    called = {id(node.func) for node in nodes if type(node) is ast.Call}
    return frozenset(
        node.id
        for node in nodes
        if type(node) is ast.Name
        and type(node.ctx) is ast.Load
        and id(node) not in called
        and node.id in aliases
    )


def names_stored(nodes: list[Any]) -> tuple[frozenset[str], frozenset[str]] | None:
    """Of a file: names, and attributes, that may stand for a method of a container which its code keeps: parameters, too.

    Nothing where it keeps none but under plain names (see `methods_named`). What other files keep is not looked for.
    """
    called = {id(node.func) for node in nodes if type(node) is ast.Call}
    aliases = list(filter(is_alias, nodes))
    called.update(id(node.value) for node in aliases)
    kept: list[Any] = [node for node in nodes if type(node) is ast.Attribute and node.attr in METHOD_NAMES]
    if aliases:
        names = {node.targets[0].id for node in aliases}
        kept += [node for node in nodes if type(node) is ast.Name and node.id in names]
    keeps = any(type(node.ctx) is ast.Load and id(node) not in called for node in kept)
    if not keeps and not gets_methods(nodes):
        return None
    defined = {node.name for node in nodes if isinstance(node, _DEFINITION)}
    names = set[str]()
    attributes: set[str] = set()
    plain: set[int] = set()  # targets of which what is stored is known
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.NamedExpr)) and not _may_be_method(node.value, defined):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            plain.update(map(id, targets))
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)) and not (
            isinstance(node, ast.AnnAssign) and (node.value is None or _may_be_method(node.value, defined))
        ):
            plain.add(id(node.target))
        elif isinstance(node, ast.ClassDef):  # fields of a dataclass
            fields = (part.target for part in node.body if isinstance(part, ast.AnnAssign))
            attributes.update(target.id for target in fields if isinstance(target, ast.Name))
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar, ast.MatchMapping)):
            names.update(bound_by(node))
    for node in nodes:
        if isinstance(getattr(node, "ctx", None), ast.Store) and id(node) not in plain:
            if isinstance(node, ast.Name):
                names.add(node.id)
            elif isinstance(node, ast.Attribute):
                attributes.add(node.attr)
    return frozenset(names), frozenset(attributes)


def gets_methods(nodes: list[Any]) -> bool:
    """Of a file: whether an `attrgetter` in it may give methods that change containers."""
    getters = [node for node in nodes if getattr(node, "attr", getattr(node, "id", "")) == "attrgetter"]
    harmless = {
        id(node.func)
        for node in nodes
        if type(node) is ast.Call and not any(may_name_method(each) for each in (*node.args, *node.keywords))
    }
    renamed = (
        each.name for node in nodes if type(node) is ast.ImportFrom for each in node.names if each.asname
    )
    return any(id(node) not in harmless for node in getters) or "attrgetter" in renamed


def may_name_method(node: ast.AST) -> bool:
    text = node.value if isinstance(node, ast.Constant) else None
    return not isinstance(text, str) or text.rpartition(".")[2] in KEPT_NAMES


_DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _may_be_method(value: ast.expr, defined: set[str]) -> bool:
    """Whether an expression may give a method of a container."""
    if isinstance(value, ast.Name):
        return value.id not in defined
    if isinstance(value, ast.Attribute):
        return value.attr in METHOD_NAMES or value.attr not in defined
    if isinstance(value, ast.IfExp):
        return _may_be_method(value.body, defined) or _may_be_method(value.orelse, defined)
    if isinstance(value, ast.BoolOp):
        return any(_may_be_method(part, defined) for part in value.values)
    return isinstance(
        value,
        (ast.Call, ast.Subscript, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Tuple, ast.List),
    )


def methods_named(nodes: list[Any]) -> dict[str, tuple[str, str]]:
    """Of a file: the names of which some stand for methods of containers, with the text of one, and the method."""
    found: dict[str, tuple[str, str]] = {}
    for node in nodes:
        if is_alias(node):
            found.setdefault(node.targets[0].id, (ast.unparse(node.value.value), node.value.attr))
    return found


def stores_slice(node: ast.stmt) -> bool:
    """Whether a statement stores to parts of a list at once, or deletes some; or changes all of a `__dict__`."""
    if isinstance(node, (ast.Assign, ast.Delete)):
        targets = node.targets
    elif isinstance(node, ast.AugAssign):
        if isinstance(node.target, ast.Attribute) and node.target.attr == "__dict__":
            return True
        targets = [node.target]
    else:
        return False
    parts = (part for target in targets for part in ([target] if type(target) is ast.Name else walk(target)))
    return any(type(part) is ast.Subscript and type(part.slice) is ast.Slice for part in parts)
