"""The code of a library's function, exchanged for the same with calls of ours in it, on the lines that it has: where it does
what instrumented code would have told us. Only where the text of the function is that of its code.
"""

from __future__ import annotations

import __future__

import ast
import types
from typing import Any
from collections.abc import Iterator, Sequence

from algotrace import BUILTINS
from algotrace.syntax import is_repeatable

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_US = "@algotrace"  # stands for the module that has our functions, until the code is there
_OF_FUNCTION = 1  # a flag of code
_ANNOTATIONS = __future__.annotations.compiler_flag


def text_of(module: types.ModuleType) -> list[str]:
    """The lines of a module; none where there is no text."""
    try:
        return (module.__loader__.get_source(module.__name__) or "").split("\n")  # type: ignore[union-attr]
    except Exception:
        return []


def exchange(
    function: Any,
    module: types.ModuleType,
    rewriting: ast.NodeTransformer,
    us: types.ModuleType,
    lines: Sequence[str] = (),
) -> Any:
    """Of a function of a module, or of a class in it; `us` has what is called. Gives the new code, None where it was left."""
    if type(function) is not types.FunctionType:
        return None
    code = function.__code__
    try:
        tree = tree_of(lines or text_of(module), code.co_firstlineno, function.__qualname__)
        tree.body[:0] = _imports(code, module)
        plain = _compiled(tree, code)
        if plain is None or (plain.co_code, plain.co_names) != (code.co_code, code.co_names):
            return None
        told = _compiled(ast.fix_missing_locations(rewriting.visit(tree)), code)
    except Exception:  # whatever is wrong with it: it must be imported as ever
        return None
    if told is None or told.co_freevars != code.co_freevars:
        return None
    constants = tuple(us if constant == _US else constant for constant in told.co_consts)
    function.__code__ = told.replace(co_consts=constants)
    return function.__code__


def _told_by(hook: str, arguments: list[ast.expr], like: ast.stmt) -> ast.stmt:
    """A statement that calls a function of ours, at the place of another one."""
    called = ast.Attribute(ast.Constant(_US), hook, ast.Load())
    return ast.copy_location(ast.Expr(ast.Call(called, arguments, [])), like)


def tree_of(lines: Sequence[str], first: int, qualname: str) -> ast.Module:
    """A function of a text, by its first line, in a class of the name that its own stands in."""
    start = first
    while lines[start - 1].lstrip().startswith(("@", ")")):  # a decorator, or the end of one
        start = _end_of_block(lines, start) + 1
    end = _end_of_block(lines, start)
    while end < len(lines) and lines[end].lstrip().startswith(")"):  # of the parameters
        end = _end_of_block(lines, end + 1, _width(lines[first - 1]))
    body = "\n".join(lines[first - 1 : end])
    outer = qualname.split(".")[:-1]
    tree = ast.parse(f"class {outer[-1]}:\n{body}" if outer else body)
    ast.increment_lineno(tree, first - 2 if outer else first - 1)
    return tree


def _end_of_block(lines: Sequence[str], first: int, width: int = -1) -> int:
    """Where lines end, from one on, that stand further to the right than the one before, or than `width`."""
    width = _width(lines[first - 1]) if width < 0 else width
    end = first
    while end < len(lines) and (not lines[end].strip() or _width(lines[end]) > width):
        end += 1
    return end


def _width(line: str) -> int:
    return len(line) - len(line.lstrip())


def _imports(code: types.CodeType, module: types.ModuleType) -> list[ast.stmt]:
    """The modules that a function names: methods of what is imported are called in another way."""
    names = [name for name in code.co_names if type(vars(module).get(name)) is types.ModuleType]
    return [statement for name in names for statement in ast.parse(f"import {name}").body]


def _compiled(tree: ast.Module, like: types.CodeType) -> types.CodeType | None:
    flags = like.co_flags & _ANNOTATIONS
    whole = compile(tree, like.co_filename, "exec", flags=flags, dont_inherit=True)
    functions = (code for code in _inside(whole) if code.co_flags & _OF_FUNCTION)
    return next((code for code in functions if code.co_name == like.co_name), None)


def _inside(code: types.CodeType) -> Iterator[types.CodeType]:
    for part in code.co_consts:
        if type(part) is types.CodeType:
            yield part
            yield from _inside(part)


class AroundFilling(ast.NodeTransformer):
    """Puts our calls around what fills an object of a name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_For(self, node: ast.For) -> Any:
        has_parts = any(map(self._fills, node.body)) and not any(map(self._is_setting, node.body))
        self._in_loop = has_parts
        self.generic_visit(node)
        self._in_loop = False
        return self._around(node, "note_all_parts", "note_all_parts_put") if has_parts else node

    def visit_Expr(self, node: ast.Expr) -> Any:
        return self._filling(node)

    def visit_Assign(self, node: ast.Assign) -> Any:
        return self._filling(node)

    _in_loop = False  # of which each time puts one part there

    def _filling(self, node: ast.stmt) -> Any:
        if not self._fills(node):
            return node
        if self._in_loop:
            return self._around(node, "note_part", "note_part_put")
        return self._around(node, "note_filling", "note_filled")

    def _around(self, node: ast.stmt, before: str, after: str) -> list[ast.stmt]:
        return [self._call(before, node), node, self._call(after, node)]

    def _call(self, hook: str, node: ast.stmt) -> ast.stmt:
        return _told_by(hook, [ast.Name(self.name, ast.Load())], node)

    def _is_setting(self, node: ast.AST) -> bool:
        called = node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
        return isinstance(called, ast.Name) and called.id == "setattr"

    def _fills(self, node: ast.AST) -> bool:
        """`y.method(…)`, `y.__dict__.update(…)`, `setattr(y, …)`, `y[key] = …`"""
        root: ast.AST = node
        if isinstance(node, ast.Assign):
            root = node.targets[0]
            root = root.value if isinstance(root, ast.Subscript) else node
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            root = node.value.args[0] if self._is_setting(node) else node.value.func
        while isinstance(root, ast.Attribute):
            root = root.value
        return isinstance(root, ast.Name) and root.id == self.name


class AroundStores(ast.NodeTransformer):
    """Puts calls of ours around each `setattr(…)`, `delattr(…)`, `mapping.update(…)`, `mapping[key] = …`, `del mapping[key]`."""

    def visit_Expr(self, node: ast.Expr) -> Any:
        match node.value:
            case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[owner, name, *_]) if all(
                map(_is_still, (owner, name))
            ):
                return [_told_by("note_setting", [owner, name], node), node]
            case ast.Call(func=ast.Name(id="_clear_dict"), args=[mapping]):
                return _around(node, mapping)
            case ast.Call(func=ast.Attribute(value=mapping, attr="update")):
                return _around(node, mapping)
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        target = node.targets[0]
        return _around(node, target.value) if isinstance(target, ast.Subscript) else node

    def visit_Delete(self, node: ast.Delete) -> Any:
        target = node.targets[0]
        return _around(node, target.value) if isinstance(target, ast.Subscript) else node


def _around(node: ast.stmt, mapping: ast.expr) -> Any:
    if not _is_still(mapping):
        return node
    return [_told_by("note_changing", [mapping], node), node, _told_by("note_changed", [mapping], node)]


def _is_still(node: ast.expr) -> bool:
    """Whether it gives the same when it is worked out twice."""
    return is_repeatable(node) or (isinstance(node, ast.Attribute) and _is_still(node.value))
