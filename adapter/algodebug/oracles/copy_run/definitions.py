"""What of a script is needed for its functions to run: definitions, imports, and what sets up the names they read.

A script without `if __name__ == "__main__"` does its work when it is imported. That must not be done again: it prints,
writes files, asks for input. Left out is what no function of the script can see.
"""

from __future__ import annotations

import ast

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def has_guard(tree: ast.Module) -> bool:
    """Does the script tell being run from being imported?"""
    return any(
        isinstance(statement, ast.If)
        and any(isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(statement.test))
        for statement in tree.body
    )


def definitions(tree: ast.Module) -> ast.Module:
    """The module without what only does its work."""
    needed = _names_read_inside(tree)
    kept: list[ast.stmt] = []
    # What is kept reads names, too: those are set up before it.
    for statement in reversed(tree.body):
        if isinstance(statement, _DEFINITIONS) or _touched(statement) & needed or _is_docstring(statement):
            kept.append(statement)
            needed |= _names_read(statement)
    return ast.Module(kept[::-1], [])


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _names_read_inside(tree: ast.Module) -> set[str]:
    """The names of the module that functions, lambdas and classes read."""
    found: set[str] = set()
    for part in ast.walk(tree):
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            found |= _names_read(part) - _own_names(part)
        elif isinstance(part, ast.ClassDef):
            for statement in part.body:
                if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    found |= _names_read(statement)
    return found


def _own_names(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    """Parameters and what it binds, but for what it declares to be global."""
    arguments = function.args
    own = {each.arg for each in ast.walk(arguments) if isinstance(each, ast.arg)}
    shared: set[str] = set()
    pending: list[ast.AST] = [] if isinstance(function, ast.Lambda) else list(function.body)
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            own.add(part.id)
        elif isinstance(part, ast.Global):
            shared.update(part.names)
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            pending += ast.iter_child_nodes(part)
    return own - shared


def _names_read(node: ast.AST) -> set[str]:
    found = {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Store)
    }
    return found | {name for part in ast.walk(node) if isinstance(part, ast.Global) for name in part.names}


def _touched(statement: ast.stmt) -> set[str]:
    """The names that a statement binds, stores into, or calls methods of."""
    found: set[str] = set()
    for part in ast.walk(statement):
        if isinstance(part, (*_DEFINITIONS[:3],)):
            found.add(part.name)
        elif isinstance(part, ast.alias):
            found.add((part.asname or part.name).partition(".")[0])
        elif isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            found.add(part.id)
        elif isinstance(part, (ast.Attribute, ast.Subscript)) and not isinstance(part.ctx, ast.Load):
            found.add(_root(part))
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            found.add(_root(part.func))
    return found


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
