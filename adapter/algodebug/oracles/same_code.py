"""Is a function written the same in two versions of a file? Comments and layout do not count."""

from __future__ import annotations

import ast

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Functions:
    """The functions of one source text by qualified name."""

    def __init__(self, text: str) -> None:
        self._found: dict[str, list[Function]] = {}
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return
        pending: list[tuple[ast.AST, str]] = [(tree, "")]
        while pending:
            node, prefix = pending.pop()
            for child in ast.iter_child_nodes(node):
                inside = prefix
                if isinstance(child, Function):
                    self._found.setdefault(prefix + child.name, []).append(child)
                    inside = f"{prefix}{child.name}.<locals>."
                elif isinstance(child, ast.ClassDef):
                    inside = f"{prefix}{child.name}."
                elif isinstance(child, ast.Lambda):
                    inside = f"{prefix}<lambda>.<locals>."
                pending.append((child, inside))

    def at(self, qualname: str, line: int) -> Function | None:
        """The function of that name nearest to a line."""
        return min(self._found.get(qualname, ()), key=lambda f: abs(f.lineno - line), default=None)


def same_code(one: Functions, other: Functions, qualname: str, line: int) -> bool:
    """Do both have the function, with the same syntax tree?"""
    first, second = one.at(qualname, line), other.at(qualname, line)
    try:
        return first is not None and second is not None and ast.dump(first) == ast.dump(second)
    except RecursionError:
        return False
