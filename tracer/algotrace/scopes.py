"""Which names a source text loads, where, and whose they are: a module's, or those of a function around.

Scopes are told from the syntax tree alone, by the rules of the language. Left out: names that `exec` or `import *`
bring in; a class body's own names, which no function sees.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

GLOBAL, FREE = "global", "free"
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Key = tuple[str, int, int]  # name, line and column of a function


class Load(NamedTuple):
    """A name that is read: at which position, and what it means there."""

    line: int
    column: int  # in characters
    name: str
    kind: str  # GLOBAL, FREE, or "" for the function's own
    owner: Key | None  # of a free name: the function that binds it
    attribute: str  # `x.attribute` is what is read, "" for `x` alone
    called: bool  # … and called at once


class _Scope:
    __slots__ = ("bound", "function", "globals", "is_class", "nonlocals")

    def __init__(self, function: Key | None, is_class: bool) -> None:
        self.function = function  # None for a module, a class body
        self.is_class = is_class
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()


@lru_cache(maxsize=4)  # trees are large: for those who ask for several things of one text in a row
def parsed(text: str) -> ast.Module:
    """Raises what `ast.parse` raises."""
    return ast.parse(text)


def children(node: ast.AST) -> list[ast.AST]:
    """As `ast.iter_child_nodes`, in a fraction of its time."""
    found = []
    for name in node._fields:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [part for part in value if isinstance(part, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


@lru_cache(maxsize=128)
def loads(text: str) -> tuple[Load, ...]:
    """All loads of names in order of position; none for a text that does not parse."""
    try:
        tree = parsed(text)
        found = list(_loads(tree, text.splitlines()))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(sorted(found, key=lambda load: (load.line, load.column)))


@lru_cache(maxsize=128)
def imports(text: str) -> dict[str, tuple[str, str]]:
    """Names that the text imports anywhere: name → (module, what of it; "" for the module itself). Relative ones start with dots."""
    found: dict[str, tuple[str, str]] = {}
    if "import" not in text:
        return found
    try:
        pending: list[ast.AST] = [parsed(text)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return found
    while pending:
        node = pending.pop()
        if isinstance(node, ast.expr):
            continue
        pending += reversed(children(node))
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0],
                    "",
                )
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = ("." * node.level + (node.module or ""), alias.name)
    return found


def _loads(tree: ast.Module, lines: list[str]) -> Iterator[Load]:
    module = _Scope(None, False)
    pending: list[tuple[ast.AST, tuple[_Scope, ...], str, bool]] = [(tree, (module,), "", False)]
    while pending:
        node, scopes, attribute, called = pending.pop()
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                kind, owner = _meaning(node.id, scopes)
                column = _characters(lines, node.lineno, node.col_offset)
                yield Load(node.lineno, column, node.id, kind, owner, attribute, called)
            continue
        if isinstance(node, ast.Attribute):
            inner = node.attr if isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name) else ""
            pending.append((node.value, scopes, inner, called if inner else False))
            continue
        if isinstance(node, ast.AugAssign):  # what it stores to, it reads first
            target = node.target
            name = target.value if isinstance(target, ast.Attribute) else target
            if isinstance(name, ast.Name):
                kind, owner = _meaning(name.id, scopes)
                column = _characters(lines, name.lineno, name.col_offset)
                read = target.attr if isinstance(target, ast.Attribute) else ""
                yield Load(name.lineno, column, name.id, kind, owner, read, False)
            pending += [(child, scopes, "", False) for child in children(node)]
            continue
        if isinstance(node, ast.Call):
            pending.append((node.func, scopes, "", True))
            pending += [(child, scopes, "", False) for child in (*node.args, *node.keywords)]
            continue
        if isinstance(node, _Function):
            arguments = node.args
            outside: list[ast.AST | None] = [*arguments.defaults, *arguments.kw_defaults]
            parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
            if not isinstance(node, ast.Lambda):
                outside += node.decorator_list
            key = ("<lambda>" if isinstance(node, ast.Lambda) else node.name, node.lineno, node.col_offset)
            scope = _Scope(key, False)
            scope.bound.update(parameter.arg for parameter in parameters)
            scope.bound.update(
                extra.arg for extra in (arguments.vararg, arguments.kwarg) if extra is not None
            )
            body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
            _bind(body, scope)
            pending += [(child, scopes, "", False) for child in outside if child is not None]
            pending += [(child, (*scopes, scope), "", False) for child in body]
            continue
        if isinstance(node, ast.ClassDef):
            scope = _Scope(None, True)
            _bind(list(node.body), scope)
            pending += [
                (child, scopes, "", False) for child in (*node.bases, *node.keywords, *node.decorator_list)
            ]
            pending += [(child, (*scopes, scope), "", False) for child in node.body]
            continue
        if isinstance(node, _Comprehension):
            # Its targets are nobody else's; what it reads otherwise it reads as its function does.
            function = next((s.function for s in reversed(scopes) if not s.is_class), None)
            scope = _Scope(function, False)
            for generator in node.generators:
                scope.bound.update(
                    name.id for name in ast.walk(generator.target) if isinstance(name, ast.Name)
                )
            inner_scopes = (*(s for s in scopes if not s.is_class or s is scopes[-1]), scope)
            pending += [(child, inner_scopes, "", False) for child in children(node)]
            continue
        pending += [(child, scopes, "", False) for child in children(node)]


def _bind(body: list[ast.AST], scope: _Scope) -> None:
    """The names that statements bind, those of nested functions and classes left out."""
    pending = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                scope.bound.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            scope.bound.add(node.name)
            continue
        elif isinstance(node, ast.Lambda):
            continue
        elif isinstance(node, _Comprehension):
            # Only what `:=` in it binds is its function's.
            scope.bound.update(
                part.target.id
                for part in ast.walk(node)
                if isinstance(part, ast.NamedExpr) and isinstance(part.target, ast.Name)
            )
            continue
        elif isinstance(node, ast.Import | ast.ImportFrom):
            scope.bound.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            scope.bound.add(node.name)
        elif isinstance(node, ast.Global):
            scope.globals.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            scope.nonlocals.update(node.names)
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            scope.bound.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            scope.bound.add(node.rest)
        pending += children(node)


def _meaning(name: str, scopes: tuple[_Scope, ...]) -> tuple[str, Key | None]:
    innermost = scopes[-1]
    own = innermost.function
    for scope in reversed(scopes[1:]):
        if scope.is_class and scope is not innermost:
            continue
        if name in scope.globals:
            return GLOBAL, None
        if name in scope.bound and name not in scope.nonlocals:
            if scope.is_class or scope.function == own:
                return "", None
            return FREE, scope.function
    return GLOBAL, None


def _characters(lines: list[str], line: int, column: int) -> int:
    if line > len(lines) or lines[line - 1].isascii():
        return column
    return len(lines[line - 1].encode()[:column].decode(errors="replace"))
