"""Functions that are values, by the text: names that methods of containers may go by, what decorators may make of a function.

What functions could do that are values is told by `source_files`; which one a name stood for in a run, by `choices`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from algodebug.slicing.sources import (
    BUILTINS,
    CALLING_BACK,
    CALLING_NOTHING,
    MUTATORS,
    given,
    last_name,
    own_parts,
    parameters,
    values_in,
)

if TYPE_CHECKING:
    from algodebug.slicing.source_files import SourceFiles

_MUTATOR, _FUNCTION = "a mutating method", "a function"  # what flows: no names of a program
_OTHERS = MUTATORS | CALLING_NOTHING | (BUILTINS - CALLING_BACK)  # these do not call what they get
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NO_PROPERTIES = frozenset({"staticmethod", "classmethod", "abstractmethod", "contextmanager", "cache", "lru_cache", "wraps"})  # fmt: skip


class FunctionValues:
    """What the files of a trace say about functions that are given, kept or returned; found once."""

    def __init__(self, files: SourceFiles) -> None:
        self.files = files
        self._names: tuple[frozenset[str], frozenset[str]] | None = None
        self._may_be_wrapped: dict[str, bool] = {}

    def names_of_mutators(self) -> frozenset[str]:
        """The names that methods of containers may go by, `put = found.append`; empty where none is a value."""
        return self._found()[0]

    def may_be_kept_as(self, name: str) -> bool:
        """Whether something that has a name, an attribute, may be a function that was kept there."""
        return name in self._found()[1]

    def _found(self) -> tuple[frozenset[str], frozenset[str]]:
        if self._names is None:
            flow = _Flow(self.files)
            for file in self.files.looked_at():
                flow.add(file.tree)
            self._names = flow.reached(_MUTATOR) - _OTHERS, flow.reached(_FUNCTION)
        return self._names

    def may_make_property(self, decorator: ast.expr) -> bool:
        """Whether a decorator may make something of a function that runs it when it is read."""
        name = last_name(getattr(decorator, "func", decorator))
        codes = [] if self.files.classes(name) else self.files.named(name)
        if not codes:
            return name not in _NO_PROPERTIES
        return any(
            isinstance(part, ast.Name) and (part.id.endswith("property") or self.files.classes(part.id))
            for code in codes
            for part in ast.walk(code)
        )

    def may_be_wrapped(self, name: str) -> bool:
        """Whether the decorators of a function of a name decide themselves what to make of it."""
        if name not in self._may_be_wrapped:
            self._may_be_wrapped[name] = any(
                self._chooses(maker, isinstance(part, ast.Call))
                for code in self.files.named(name)
                for part in code.decorator_list
                for maker in self.files.named(last_name(getattr(part, "func", part)))
            )
        return self._may_be_wrapped[name]

    def _chooses(self, code: Any, is_factory: bool) -> bool:
        """Whether a function may give one of several functions; `is_factory`: or what it gives may."""
        given = [code.body] if isinstance(code, ast.Lambda) else _returned(code)
        if len(given) == 1 and isinstance(given[0], ast.Lambda):
            return is_factory and self._chooses(given[0], False)
        names = [part.id for part in given if isinstance(part, ast.Name)]
        made = [each for each in ast.walk(code) if isinstance(each, _FUNCTIONS) and each.name in names[:1]]
        if len(given) != 1 or len(made) != 1:
            return True
        return is_factory and self._chooses(made[0], False)


class _Flow:
    """Which names, of variables, attributes and functions that give something, functions may get to: by their names alone."""

    def __init__(self, files: SourceFiles) -> None:
        self.files = files
        self._to: dict[str, set[str]] = {}  # name → names that get what it has

    def reached(self, start: str) -> frozenset[str]:
        found, todo = set[str](), [start]
        while todo:
            following = self._to.get(todo.pop(), set()) - found
            found |= following
            todo += following
        return frozenset(found)

    def add(self, tree: ast.AST) -> None:
        """What a file says."""
        todo: list[tuple[ast.AST, str]] = [(tree, "")]
        while todo:
            node, function = todo.pop()
            if isinstance(node, ast.Assign):
                self._put(node.value, [name for target in node.targets for name in _bound_in(target)])
            elif isinstance(node, (ast.AnnAssign, ast.NamedExpr, ast.AugAssign)) and node.value is not None:
                self._put(node.value, _bound_in(node.target))
            elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
                self._put(node.iter, _bound_in(node.target))
            elif isinstance(node, (ast.Return, ast.Yield)) and node.value is not None:
                self._put(node.value, [function])
            elif isinstance(node, ast.Call):
                self._add_call(node)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                defaults = [
                    *node.args.defaults,
                    *(part for part in node.args.kw_defaults if part is not None),
                ]
                for default in defaults:
                    self._put(default, parameters(node.args))
            inner = node.name if isinstance(node, _FUNCTIONS) else function
            todo += [(part, inner) for part in ast.iter_child_nodes(node)]

    def _add_call(self, call: ast.Call) -> None:
        """What is handed over gets to the parameters, into the container, or into what the call gives."""
        name = last_name(call.func)
        codes = self.files.named(name)
        for part in given(call):
            for code in codes:
                self._put(part, parameters(code.args))
            if not codes:
                self._put(
                    part,
                    [name, *(_bound_in(call.func.value) if isinstance(call.func, ast.Attribute) else [])],
                )

    def _put(self, value: ast.expr, names: Iterable[str]) -> None:
        for source in self._sources(value):
            self._to.setdefault(source, set()).update(names)

    def _sources(self, value: ast.expr) -> Iterator[str]:
        """The names that a value may come from."""
        match value:
            case ast.Lambda():
                yield _FUNCTION
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name
                if isinstance(value, ast.Attribute) and name in MUTATORS:
                    yield from (_MUTATOR, _FUNCTION)
                elif self.files.defining(name):
                    yield _FUNCTION
            case ast.Call(func=function):
                name = last_name(function)
                yield name
                if name == "getattr" and any(map(_is_mutator, ast.walk(value))):
                    yield from (_MUTATOR, _FUNCTION)
            case ast.Subscript(value=inner) | ast.Starred(value=inner) | ast.NamedExpr(value=inner):
                yield from self._sources(inner)
            case (
                ast.ListComp(elt=inner)
                | ast.SetComp(elt=inner)
                | ast.GeneratorExp(elt=inner)
                | ast.DictComp(value=inner)
            ):
                yield from self._sources(inner)
            case _:
                for part in values_in(value):
                    yield from self._sources(part)


def _is_mutator(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value in MUTATORS


def _bound_in(target: ast.AST) -> list[str]:
    """The names that something gets which is stored; what has no name when it is called is of the container it is in."""
    match target:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return [name]
        case ast.Subscript(value=inner) | ast.Starred(value=inner):
            return _bound_in(inner)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return [name for part in parts for name in _bound_in(part)]
    return []


def _returned(code: Any) -> list[ast.expr]:
    """What a function returns, as it is written."""
    parts = (part for statement in code.body for part in own_parts(statement))
    return [part.value for part in parts if isinstance(part, ast.Return) and part.value is not None]
