"""Nested functions: made without running what is around them, from recorded values of the variables there.

Functions beside one, which it may call, are made likewise and share these variables; their defaults must be constants.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .rows import CannotJudge

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Closure:
    """The variables around a nested function, and the function."""

    def __init__(
        self, file: str, namespace: dict[str, Any], qualname: str, line: int, given: dict[str, Any]
    ) -> None:
        """`given`: what these variables held, as far as it is known. Raises CannotJudge where there is no such function."""
        self._namespace = namespace
        self._given = given
        self._cells: dict[str, types.CellType] = {}
        try:
            tree = ast.parse(Path(file).read_bytes(), file)
        except (SyntaxError, ValueError):
            raise CannotJudge(f"{file} cannot be parsed") from None
        self._definitions = dict(_definitions(tree))
        self._codes = dict(_codes(compile(tree, file, "exec")))
        found = self._definitions.get(qualname, [])
        if not found:
            raise CannotJudge(f"the reference has no {qualname}")
        nearest = min(found, key=lambda definition: abs(definition.lineno - line))
        self.function = self._made(nearest, qualname)

    def held(self, name: str) -> Any:
        """What a variable holds now; raises CannotJudge where nothing is known of it."""
        try:
            return self._cells[name].cell_contents
        except (KeyError, ValueError):
            raise CannotJudge(f"{name} is not bound") from None

    def __contains__(self, name: object) -> bool:
        return name in self._cells

    def _made(self, definition: _Function, qualname: str) -> types.FunctionType:
        code = self._codes.get(_place(definition))
        if code is None:
            raise CannotJudge(f"{qualname} was not compiled")
        around = qualname.rpartition(".")[0]
        cells = tuple(self._cell(name, around) for name in code.co_freevars)
        function = types.FunctionType(code, self._namespace, definition.name, None, cells)
        function.__qualname__ = qualname
        return function

    def _cell(self, name: str, around: str) -> types.CellType:
        cell = self._cells.get(name)
        if cell is None:
            cell = self._cells[name] = types.CellType()
            if name in self._given:
                cell.cell_contents = self._given[name]
            elif (beside := self._beside(name, around)) is not None:
                cell.cell_contents = beside
        return cell  # an empty one raises NameError where it is read

    def _beside(self, name: str, around: str) -> types.FunctionType | None:
        """The function of that name in one of the functions around."""
        while around:
            found = self._definitions.get(f"{around}.{name}", [])
            if found:
                if len(found) > 1 or found[0].decorator_list:
                    raise CannotJudge(f"{name} cannot be made")
                function = self._made(found[0], f"{around}.{name}")
                _take_defaults(function, found[0].args)
                return function
            around = around.removesuffix(".<locals>").rpartition(".")[0]
        return None


def _take_defaults(function: types.FunctionType, arguments: ast.arguments) -> None:
    try:
        function.__defaults__ = tuple(map(ast.literal_eval, arguments.defaults)) or None
        function.__kwdefaults__ = {
            argument.arg: ast.literal_eval(default)
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if default is not None
        }
    except (ValueError, TypeError, SyntaxError):
        raise CannotJudge(f"the defaults of {function.__name__} are not known") from None


def _place(definition: _Function) -> tuple[str, int]:
    """Name and first line, decorators included: what a code object knows of itself."""
    return definition.name, min([definition.lineno, *(d.lineno for d in definition.decorator_list)])


def _definitions(tree: ast.AST) -> Iterator[tuple[str, list[_Function]]]:
    found: dict[str, list[_Function]] = {}
    pending = [(tree, "")]
    while pending:
        node, prefix = pending.pop()
        for child in ast.iter_child_nodes(node):
            inside = prefix
            if isinstance(child, _Function):
                found.setdefault(prefix + child.name, []).append(child)
                inside = f"{prefix}{child.name}.<locals>."
            elif isinstance(child, ast.ClassDef):
                inside = f"{prefix}{child.name}."
            pending.append((child, inside))
    yield from found.items()


def _codes(code: types.CodeType) -> Iterator[tuple[tuple[str, int], types.CodeType]]:
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield (part.co_name, part.co_firstlineno), part
            yield from _codes(part)
