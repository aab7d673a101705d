"""The code of a library's function, exchanged for the same with calls of ours in it, on the lines that it has: where it does
what instrumented code would have told us. Only where the text of the function is that of its code.
"""

from __future__ import annotations

import __future__

import ast
import types
from typing import Any
from collections.abc import Iterator

from algotrace import BUILTINS

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_US = "@algotrace"  # stands for the module that has our functions, until the code is there
_OF_FUNCTION = 1  # a flag of code
_ANNOTATIONS = __future__.annotations.compiler_flag


def exchange(
    function: Any, module: types.ModuleType, rewriting: ast.NodeTransformer, us: types.ModuleType
) -> Any:
    """Of a function of a module, or of a class in it; `us` has what is called. Gives the new code, None where it was left."""
    if type(function) is not types.FunctionType:
        return None
    code = function.__code__
    try:
        text = module.__loader__.get_source(module.__name__) or ""  # type: ignore[union-attr]
        tree = _tree_of(text, code.co_firstlineno, function.__qualname__)
        tree.body[:0] = _imports(code, module)
        plain = _compiled(tree, code)
        if plain is None or (plain.co_code, plain.co_names) != (code.co_code, code.co_names):
            return None
        told = _compiled(ast.fix_missing_locations(rewriting.visit(tree)), code)
    except (AttributeError, ImportError, OSError, SyntaxError, ValueError, IndexError):
        return None
    if told is None or told.co_freevars != code.co_freevars:
        return None
    constants = tuple(us if constant == _US else constant for constant in told.co_consts)
    function.__code__ = told.replace(co_consts=constants)
    return function.__code__


def told_by(hook: str, arguments: list[ast.expr], like: ast.stmt) -> ast.stmt:
    """A statement that calls a function of ours, at the place of another one."""
    called = ast.Attribute(ast.Constant(_US), hook, ast.Load())
    return ast.copy_location(ast.Expr(ast.Call(called, arguments, [])), like)


def _tree_of(text: str, first: int, qualname: str) -> ast.Module:
    """A function of a text, by its first line, in a class of the name that its own stands in."""
    lines = text.split("\n")
    end = _end_of_block(lines, first)
    while end < len(lines) and lines[end].lstrip().startswith(")"):  # of the parameters
        end = _end_of_block(lines, end + 1, _width(lines[first - 1]))
    body = "\n".join(lines[first - 1 : end])
    outer = qualname.split(".")[:-1]
    tree = ast.parse(f"class {outer[-1]}:\n{body}" if outer else body)
    ast.increment_lineno(tree, first - 2 if outer else first - 1)
    return tree


def _end_of_block(lines: list[str], first: int, width: int = -1) -> int:
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
