"""Which names functions and iterators may get to, by the text: variables, attributes and functions that give something.

Told by the names alone, whatever scope or object they belong to. A *level* says whether a name stands for such a value
itself (0), for a container of such values (1), for one of those (2).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from algodebug.slicing.mutating import MUTATING_FUNCTIONS, MUTATORS, SETTERS, gives_method, method_read
from algodebug.slicing.sources import (
    ITERATORS,
    LEAVES,
    children,
    given,
    is_namespace,
    last_name,
    parameters,
    values_in,
)

if TYPE_CHECKING:
    from algodebug.slicing.source_files import SourceFiles

# What flows: no names of a program.
MUTATOR, FUNCTION, ITERATOR = "a mutating method", "a function", "an iterator"
SETTER = "a function that stores attributes"
GENERATOR, NAMESPACE = "a generator", "a namespace"
_OF = "an element of what was given to "
MOST_LEVELS = 3
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_OF_ELEMENTS = frozenset(
    {"list", "tuple", "sorted", "set", "frozenset", "dict", "deque"}
)  # these hold what they are given holds
_OF_ONE_ELEMENT = frozenset({"next", "min", "max", "pop", "popleft", "get", "setdefault", "choice"})
_OF_NONE = frozenset({"len", "str", "repr", "print", "sum", "any", "all", "join", "int", "float", "bool", "isinstance", "range", "abs"})  # fmt: skip

Named = tuple[str, int]  # a name, and a difference of levels


class Flow:
    """The files of a trace, as edges from names to names."""

    def __init__(self, files: SourceFiles) -> None:
        self.files = files
        self._to: dict[str, set[Named]] = {}  # name → names that get what it has

    def reached(self, start: str) -> frozenset[Named]:
        """The names that something may get to, each with its level."""
        found, todo = set[Named](), [(start, 0)]
        while todo:
            source, level = todo.pop()
            for name, more in self._to.get(source, ()):
                named = (name, level + more)
                if 0 <= named[1] < MOST_LEVELS and named not in found:
                    found.add(named)
                    todo.append(named)
        return frozenset(found)

    def add(self, tree: ast.AST) -> None:
        """What a file says."""
        todo: list[tuple[ast.AST, str]] = [(tree, "")]
        while todo:
            node, function = todo.pop()
            if type(node) in LEAVES:
                continue
            if isinstance(node, ast.Assign):
                self._put(node.value, [named for target in node.targets for named in _bound_in(target)])
            elif isinstance(node, (ast.AnnAssign, ast.NamedExpr, ast.AugAssign)) and node.value is not None:
                self._put(node.value, _bound_in(node.target))
            elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
                self._put(node.iter, _bound_in(node.target, -1))
            elif isinstance(node, ast.Return) and node.value is not None:
                self._put(node.value, [(function, 0)])
            elif isinstance(node, ast.Yield) and node.value is not None:
                self._put(node.value, [(function, 1)])
            elif isinstance(node, ast.Call):
                self._add_call(node)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                defaults = [
                    *node.args.defaults,
                    *(part for part in node.args.kw_defaults if part is not None),
                ]
                for default in defaults:
                    self._put(default, _given_to(node.args))
            inner = node.name if isinstance(node, _FUNCTIONS) else function
            todo += [(part, inner) for part in children(node)]

    def _add_call(self, call: ast.Call) -> None:
        """What is handed over gets to the parameters, into the container, or into what the call gives."""
        name, values = last_name(call.func), given(call)
        codes = self.files.named(name)
        for code in codes:
            for value in values:
                self._put(value, _given_to(code.args))
        if codes or name in _OF_NONE:
            return
        holder = call.func.value if isinstance(call.func, ast.Attribute) else None
        taken = _taken(name)
        for value in values:
            if holder is None or name not in MUTATORS:
                self._put(value, taken)
            if holder is not None:  # `append`
                self._put(value, _bound_in(holder, 1))
        if holder is not None:
            self._put(holder, taken)

    def _put(self, value: ast.expr, targets: Iterable[Named]) -> None:
        targets = list(targets)
        for source, more in self._sources(value) if targets else ():
            self._to.setdefault(source, set()).update((name, level + more) for name, level in targets)

    def _sources(self, value: ast.expr) -> Iterator[Named]:
        """The names that a value may come from."""
        if is_namespace(value):
            yield NAMESPACE, 0
        match value:
            case ast.Lambda():
                yield FUNCTION, 0
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name, 0
                if name in (MUTATORS if isinstance(value, ast.Attribute) else MUTATING_FUNCTIONS):
                    yield from ((MUTATOR, 0), (FUNCTION, 0))
                    if name in SETTERS:
                        yield SETTER, 0
                elif self.files.defining(name):
                    yield FUNCTION, 0
            case ast.Call(func=function):
                name = last_name(function)
                yield name, 0
                if name in _OF_ELEMENTS:
                    yield _OF + name, 1
                if name in ITERATORS or self.files.only_generates(name):
                    yield ITERATOR, 0
                if self.files.only_generates(name):
                    yield GENERATOR, 0
                method = method_read(function if gives_method(function) else value)
                if method is not None and (not method or method in MUTATORS):
                    yield from ((MUTATOR, 0), (FUNCTION, 0))
                elif method is not None and self.files.named(method):
                    yield FUNCTION, 0
            case ast.Subscript(value=inner) | ast.Starred(value=inner):
                yield from self._of(inner, -1)
            case ast.NamedExpr(value=inner):
                yield from self._sources(inner)
            case ast.GeneratorExp(elt=inner):
                yield ITERATOR, 0
                yield from self._of(inner, 1)
            case ast.ListComp(elt=inner) | ast.SetComp(elt=inner) | ast.DictComp(value=inner):
                yield from self._of(inner, 1)
            case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
                for part in values_in(value):
                    yield from self._of(part, 1)
            case _:
                for part in values_in(value):
                    yield from self._sources(part)

    def _of(self, value: ast.expr, more: int) -> Iterator[Named]:
        yield from ((name, level + more) for name, level in self._sources(value))


def _taken(name: str) -> list[Named]:
    """What a function that the program does not define gives of what it is given."""
    if name in _OF_ELEMENTS:
        return [(_OF + name, -1)]
    if name in _OF_ONE_ELEMENT:
        return [(name, -1)]
    return [(name, 0), (name, 1)]


def _given_to(arguments: ast.arguments) -> list[Named]:
    """The parameters that an argument may be for."""
    collecting = [each.arg for each in (arguments.vararg, arguments.kwarg) if each is not None]
    return [(name, 0) for name in parameters(arguments)] + [(name, 1) for name in collecting]


def _bound_in(target: ast.AST, more: int = 0) -> list[Named]:
    """The names that something gets which is stored: what is put into a container is of that."""
    match target:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return [(name, more)]
        case ast.Subscript(value=inner) | ast.Starred(value=inner):
            return _bound_in(inner, more + 1)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return [named for part in parts for named in _bound_in(part, more - 1)]
    return []
