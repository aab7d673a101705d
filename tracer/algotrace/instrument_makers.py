"""Told from the text of a file: who makes objects of the program's classes and fills them later, see `object_makers`."""

from __future__ import annotations

import ast
from typing import Any
from collections.abc import Iterable

from algotrace.instrument_namespaces import called_by
from algotrace.syntax import Function, own_nodes, walk

# What makes objects of the program's classes, and gives them attributes when code of the program has already seen them: of
# C code there is no frame. Others that do are seen by those whom they call, see `object_makers`.
_MAKING = frozenset({"load", "loads"})
# Modules that have functions of these names as well.
MAKING_NONE = frozenset({"json", "tomllib", "marshal", "plistlib"})


def names_of_makers(nodes: Iterable[Any]) -> frozenset[str]:
    """The names by which a file may call what makes objects of the program's classes."""
    imports = [node for node in nodes if type(node) is ast.ImportFrom and node.module not in MAKING_NONE]
    others = {
        alias.asname for node in imports for alias in node.names if alias.name in _MAKING and alias.asname
    }
    return _MAKING | others


def gives_loaders(nodes: Iterable[Any]) -> bool:
    """Whether a file gives what loads pickles to somebody, or another name: of its calls, which run C code, there is no frame."""
    nodes = list(nodes)
    modules, functions = set[str](), set[str]()
    for node in nodes:
        if type(node) is ast.Import:
            modules.update(alias.asname or alias.name for alias in node.names if alias.name in _PICKLES)
        elif type(node) is ast.ImportFrom and node.module in _PICKLES:
            functions.update(alias.asname or alias.name for alias in node.names if alias.name in _MAKING)
    if not (modules or functions):
        return False
    called = {id(node.func) for node in nodes if type(node) is ast.Call}
    looked_up = {id(node.value) for node in nodes if type(node) is ast.Attribute}
    for node in nodes:
        if id(node) in called or type(getattr(node, "ctx", None)) is not ast.Load:
            continue
        if type(node) is ast.Attribute and node.attr in _MAKING and called_by(node.value) in modules:
            return True
        if type(node) is ast.Name and (
            node.id in functions or (node.id in modules and id(node) not in looked_up)
        ):
            return True
    return False


_PICKLES = frozenset({"pickle", "_pickle", "cPickle"})


def names_reduced_to(nodes: Iterable[Any]) -> frozenset[str]:
    """Names that what `copy` and `pickle` ask how to make an object speaks of: functions among them make it."""
    nodes = list(nodes)
    asked = set(_REDUCING)
    for node in nodes:
        if type(node) is ast.Call and called_by(node.func) == "pickle":  # of `copyreg`
            asked.update(map(called_by, node.args))
    return frozenset(
        called_by(part)
        for node in nodes
        if isinstance(node, Function) and node.name in asked
        for part in own_nodes(node.body)
        if isinstance(part, (ast.Name, ast.Attribute))
    )


def made_new_by(nodes: Iterable[Any]) -> tuple[frozenset[str], frozenset[int]]:
    """What becomes the `__new__` of a class and is no `def` of that name: the names of functions, and lambdas, by the ids of
    their nodes. Those that functions of such names may give count, too."""
    nodes = list(nodes)
    values = [value for node in nodes for value in _stored_as_new(node)]
    if not values:
        return frozenset(), frozenset()
    parts = [part for value in values for part in walk(value)]
    names = {called_by(part) for part in parts if isinstance(part, (ast.Name, ast.Attribute))}
    parts += [
        part
        for node in nodes
        if isinstance(node, (*Function, ast.ClassDef)) and node.name in names
        for part in walk(node)
    ]
    names.update(part.name for part in parts if isinstance(part, Function))
    return frozenset(names), frozenset(id(part) for part in parts if isinstance(part, ast.Lambda))


def _stored_as_new(node: Any) -> list[Any]:
    """What `cls.__new__ = …`, `__new__: Any = …`, `names["__new__"] = …`, `setattr(cls, "__new__", …)`, `{"__new__": …}`,
    `dict(__new__=…)` store, and decorators of a `def __new__`."""
    kind = type(node)
    if kind is ast.FunctionDef:
        return node.decorator_list if node.name == "__new__" else []
    if kind is ast.Assign:
        return [node.value] if any(_is_new(part) for target in node.targets for part in walk(target)) else []
    if kind is ast.AnnAssign or kind is ast.NamedExpr:
        return [node.value] if node.value is not None and _is_new(node.target) else []
    if kind is ast.keyword:
        return [node.value] if node.arg == "__new__" else []
    if kind is ast.Call:
        return node.args if any(map(_is_new, node.args)) else []
    return node.values if kind is ast.Dict and any(map(_is_new, node.keys)) else []


def _is_new(node: Any) -> bool:
    if isinstance(node, ast.Constant):
        return bool(node.value == "__new__")
    return isinstance(node, (ast.Name, ast.Attribute)) and called_by(node) == "__new__"


_REDUCING = ("__reduce__", "__reduce_ex__", "reducer_override", "persistent_load")


def classes_reduced(nodes: Iterable[Any]) -> tuple[frozenset[str], frozenset[str]]:
    """The classes that say how their objects are made again, exceptions among them; and those that do not. Of others that is
    not known, as they have bases from elsewhere."""
    saying, others = set[str](), {"object", *_SAYING_NOTHING}
    for node in nodes:
        if type(node) is not ast.ClassDef:
            continue
        bases = {called_by(base.value if isinstance(base, ast.Subscript) else base) for base in node.bases}
        methods = {part.name for part in node.body if isinstance(part, Function)}
        if methods.intersection(_REDUCING) or bases & saying or any(map(_is_of_exceptions, bases)):
            saying.add(node.name)
        elif bases <= others:
            others.add(node.name)
    return frozenset(saying), frozenset(others - saying)


def _is_of_exceptions(name: str) -> bool:
    return name.endswith(("Error", "Exception", "Warning", "ExceptionGroup"))


_SAYING_NOTHING = (
    "ABC",
    "Generic",
    "Protocol",
    "NamedTuple",
    "list",
    "dict",
    "set",
    "tuple",
    "str",
    "int",
    "float",
)
