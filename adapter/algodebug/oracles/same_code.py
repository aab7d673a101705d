"""Is a piece of code written the same in two versions of a file? Comments and layout do not count.

Of a class body and of a module only what runs as such is compared: the functions in it are pieces of their own, of
which just names, parameters, defaults and decorators belong to what is around them.
"""

from __future__ import annotations

import ast

Function = ast.FunctionDef | ast.AsyncFunctionDef
Piece = Function | ast.Lambda | ast.GeneratorExp | ast.ClassDef | ast.Module
_NAMELESS = {ast.Lambda: "<lambda>", ast.GeneratorExp: "<genexpr>"}


class Functions:
    """The functions, lambdas, generator expressions and classes of one source text by qualified name."""

    def __init__(self, text: str) -> None:
        self._found: dict[str, list[Piece]] = {}
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return
        self._found["<module>"] = [tree]
        pending: list[tuple[ast.AST, str]] = [(tree, "")]
        while pending:
            node, prefix = pending.pop()
            for child in ast.iter_child_nodes(node):
                inside = prefix
                if isinstance(child, Function | ast.ClassDef):
                    self._found.setdefault(prefix + child.name, []).append(child)
                    inside = f"{prefix}{child.name}." + (
                        "" if isinstance(child, ast.ClassDef) else "<locals>."
                    )
                elif isinstance(child, ast.Lambda | ast.GeneratorExp):
                    name = _NAMELESS[type(child)]
                    self._found.setdefault(prefix + name, []).append(child)
                    inside = f"{prefix}{name}.<locals>."
                pending.append((child, inside))
        for pieces in self._found.values():
            pieces.sort(key=_place)

    def at(self, qualname: str, line: int) -> Piece | None:
        """The piece of that name nearest to a line."""
        return min(
            self._found.get(qualname, ()), key=lambda piece: abs(_place(piece)[0] - line), default=None
        )

    def counterpart(self, other: Functions, qualname: str, line: int) -> Piece | None:
        """What stands in this text for the piece of another one: as the n-th of n, else by its line."""
        ours, theirs = self._found.get(qualname, []), other._found.get(qualname, [])
        wanted = other.at(qualname, line)
        if len(ours) == len(theirs) and wanted is not None:
            return ours[next(n for n, piece in enumerate(theirs) if piece is wanted)]
        return self.at(qualname, line)


def _place(piece: Piece) -> tuple[int, int]:
    return (1, 0) if isinstance(piece, ast.Module) else (piece.lineno, piece.col_offset)


def same_code(one: Functions, other: Functions, qualname: str, line: int) -> bool:
    """Do both have the piece, with the same syntax tree?"""
    first = one.at(qualname, line)
    second = other.counterpart(one, qualname, line)
    try:
        return first is not None and second is not None and _written(first) == _written(second)
    except RecursionError:
        return False


def _written(piece: Piece) -> str:
    if not isinstance(piece, ast.ClassDef | ast.Module):
        return ast.dump(piece)
    return ast.dump(_Body().visit(ast.parse(ast.unparse(piece))))


class _Body(ast.NodeTransformer):
    """Leaves docstrings and the bodies of functions out."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = []
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.body = []
        return node
