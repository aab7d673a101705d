"""Code of a method as it can be run outside of its class: private names and `super()` written out."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from algodebug.oracles.twin_code import names_loaded

if TYPE_CHECKING:
    from algotrace.trace import Routine


class _PlainSuper(ast.NodeTransformer):
    """`super()` with its arguments written out, as it can be outside of the method."""

    def __init__(self, owner: str, first: str) -> None:
        self.owner = owner
        self.first = first

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            owner = ast.parse(self.owner, mode="eval").body
            return ast.copy_location(ast.Call(node.func, [owner, ast.Name(self.first, ast.Load())], []), node)
        return node


def has_bare_super(statements: Sequence[ast.AST]) -> bool:
    return any(
        isinstance(part, ast.Call) and not part.args and getattr(part.func, "id", "") == "super"
        for statement in statements
        for part in ast.walk(statement)
    )


def with_plain_super(statements: list[Any], routine: Routine) -> list[Any]:
    owner = routine.qualname.rpartition(".")[0]
    if "super" not in names_loaded(statements) or not owner or "<" in owner or not routine.parameters:
        return statements
    plain = _PlainSuper(owner, routine.parameters[0])
    return [plain.visit(copy.deepcopy(statement)) for statement in statements]


class _Mangled(ast.NodeTransformer):
    """Private names as a class body has them."""

    def __init__(self, owner: str) -> None:
        self.owner = owner.lstrip("_")

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr.startswith("__") and not node.attr.endswith("__") and self.owner:
            return ast.copy_location(ast.Attribute(node.value, f"_{self.owner}{node.attr}", node.ctx), node)
        return node


def source_of(statements: Sequence[ast.stmt], qualname: str) -> str:
    owner = qualname.split(".")[-2:-1]
    if owner and owner[0] != "<locals>":
        statements = [_Mangled(owner[0]).visit(copy.deepcopy(statement)) for statement in statements]
    return "\n".join(ast.unparse(statement) for statement in statements) or "pass"
