"""What calls and comprehensions do for each element of what they go through, written as a loop.

With more elements that would have been done once more: code that was not run, like the body of a loop. None stands for
something that nobody else would see. Left out: functions that are kept somewhere and called later.
"""

from __future__ import annotations

import ast
from typing import Any

from algodebug.slicing.source_files import SourceFiles
from algodebug.slicing.sources import given, last_name, names_bound


def called_back(files: SourceFiles, call: ast.Call) -> ast.For | None:
    """What a call may run for each element that it is given: `map(f, xs)`, `sorted(xs, key=f)`."""
    if id(call) not in files.loops:
        files.loops[id(call)] = _of_call(files, call)
    return files.loops[id(call)]


def _of_call(files: SourceFiles, call: ast.Call) -> ast.For | None:
    arguments = given(call)
    loop: ast.For | None = None
    for function in arguments:
        others = [part for part in arguments if part is not function]
        if isinstance(call.func, ast.Attribute):
            others.append(call.func.value)
        if isinstance(function, ast.Lambda):
            names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
            body: ast.expr = function.body
        elif isinstance(function, (ast.Name, ast.Attribute)) and files.named(last_name(function)):
            names = [f" {number}" for number in range(len(others))]
            body = ast.Call(function, [ast.Name(name, ast.Load()) for name in names], [])
        else:
            continue
        done: list[ast.stmt] = [ast.Expr(body)] if loop is None else [ast.Expr(body), loop]
        for name, elements in zip(names, others, strict=False):
            done = [ast.For(ast.Name(name, ast.Store()), elements, done, [])]
        found = files.effects([body])
        is_seen = found.attributes or found.items or found.names or _may_put_items(files, body)
        if isinstance(done[0], ast.For) and is_seen:
            loop = done[0]
    return loop


def comprehended(files: SourceFiles, node: Any) -> ast.For | None:
    """What a comprehension does for each element."""
    if id(node) not in files.loops:
        files.loops[id(node)] = _of_comprehension(files, node)
    return files.loops[id(node)]


def _of_comprehension(files: SourceFiles, node: Any) -> ast.For | None:
    found = files.effects([node])
    names = found.names - names_bound([generator.target for generator in node.generators])
    is_asking = "next" in found.calls  # an iterator
    if not (found.attributes or found.items or names or is_asking or _may_put_items(files, node)):
        return None
    parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    done: list[ast.stmt] = [ast.Expr(part) for part in parts]
    for generator in reversed(node.generators):
        done = [*(ast.Expr(part) for part in generator.ifs), *done]
        done = [ast.For(generator.target, generator.iter, done, [])]
    return done[0] if isinstance(done[0], ast.For) else None


def _may_put_items(files: SourceFiles, code: ast.AST) -> bool:
    """Whether code reads items of what may be a defaultdict, itself."""
    if not files.values.names_defaultdicts():
        return False
    return any(isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Load) for part in ast.walk(code))
