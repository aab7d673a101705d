"""Defects planted into a program at random: what people get wrong, one node of the syntax tree at a time.

Operators, comparisons and constants, conditions the wrong way round, statements left out, arguments in the wrong order,
copies that were not made, other defaults.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_OPERATORS: dict[type, tuple[type, ...]] = {
    ast.Add: (ast.Sub, ast.Mult), ast.Sub: (ast.Add,), ast.Mult: (ast.Add,), ast.Mod: (ast.FloorDiv,), ast.FloorDiv: (ast.Mod, ast.Sub),
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt,),
    ast.Eq: (ast.NotEq, ast.LtE), ast.NotEq: (ast.Eq,), ast.And: (ast.Or,), ast.Or: (ast.And,),
}  # fmt: skip
_COPIES = ("list", "sorted")
_DROPPED = (
    ast.Expr,
    ast.Assign,
    ast.AugAssign,
    ast.Delete,
    ast.If,
    ast.Return,
    ast.Raise,
    ast.For,
    ast.Nonlocal,
)


@dataclass
class Defect:
    """What was done where: in the code of one of `functions` (name, line of its `def` in the program without defects)."""

    what: str
    functions: frozenset[tuple[str, int]]
    in_lambda: bool
    node: (
        ast.AST | None
    )  # in the tree with the defect; None where a statement was left out, or a default is other


@dataclass
class Site:
    """A node of a program that a defect may be planted at."""

    node: Any
    functions: list[ast.FunctionDef]  # around it, outermost first
    top: Any  # the statement at module level
    in_lambda: bool
    in_default: bool
    holder: Any  # the node, or the list, that it stands in, and where
    name: str
    suite: list[ast.stmt] | None


def sites(tree: ast.Module) -> list[Site]:
    """All nodes inside functions, but for those that have an attribute `ours`."""
    found: list[Site] = []
    pending: list[Site] = [Site(tree, [], None, False, False, None, "", None)]
    while pending:
        site = pending.pop()
        node = site.node
        if site.functions:
            found.append(site)
        for name in node._fields:
            value = getattr(node, name, None)
            for part in value if isinstance(value, list) else (value,):
                if not isinstance(part, ast.AST) or hasattr(part, "ours"):
                    continue
                is_list = isinstance(value, list)
                suite = value if is_list and isinstance(part, ast.stmt) else None
                functions, in_default = site.functions, site.in_default
                if isinstance(part, ast.FunctionDef):
                    functions = [*functions, part]
                if isinstance(node, ast.FunctionDef) and name in ("args", "decorator_list"):
                    in_default = True
                in_lambda = site.in_lambda or isinstance(part, ast.Lambda)
                holder = value if is_list else node
                top = part if node is tree else site.top
                pending.append(Site(part, functions, top, in_lambda, in_default, holder, name, suite))
    return found


class Change:
    """What was changed in a tree, to be taken back."""

    def __init__(self) -> None:
        self._old: list[tuple[Any, str, Any]] = []

    def of(self, statement: Any) -> None:
        """Something in this statement at module level is about to be changed: what it was compiled to is void."""
        self._old.append((statement, "compiled", getattr(statement, "compiled", None)))
        statement.compiled = None

    def set(self, holder: Any, name: str, value: Any) -> None:
        self._old.append((holder, name, getattr(holder, name)))
        setattr(holder, name, value)

    def fill(self, holder: list[Any], parts: list[Any]) -> None:
        self._old.append((holder, "", list(holder)))
        holder[:] = parts

    def replace(self, site: Site, made: Any) -> None:
        if isinstance(site.holder, list):
            self.fill(site.holder, [made if part is site.node else part for part in site.holder])
        else:
            self.set(site.holder, site.name, made)

    def take_back(self) -> None:
        while self._old:
            holder, name, value = self._old.pop()
            if name:
                setattr(holder, name, value)
            else:
                holder[:] = value


KINDS = ("operator", "operator", "constant", "negate", "drop", "drop", "swap", "copy", "copy", "default", "augment", "bound", "target")  # fmt: skip


def plant(found: list[Site], chance: random.Random, change: Change) -> Defect | None:
    """Changes the tree at one of these sites; None where there is no place for a defect of the kind drawn."""
    kind = chance.choice(KINDS)
    fitting = [site for site in found if _fits(kind, site)]
    if not fitting:
        return None
    site = chance.choice(fitting)
    node = site.node
    what = f"{kind} in {site.functions[-1].name}: {ast.unparse(node)[:60]}"
    defect = Defect(what, frozenset(_names(site)), site.in_lambda, node)
    change.of(site.top)
    if kind == "operator":
        if isinstance(node, ast.Compare):
            change.fill(node.ops, [chance.choice(_OPERATORS[type(node.ops[0])])(), *node.ops[1:]])
        else:
            change.set(node, "op", chance.choice(_OPERATORS[type(node.op)])())
    elif kind in ("constant", "default"):
        if node.value is None:  # made once, and all calls have it in common
            change.replace(site, ast.copy_location(ast.List([], ast.Load()), node))
        else:
            more = node.value == 0 or chance.random() < 0.6
            change.set(node, "value", node.value + 1 if more else node.value - 1)
        if kind == "default":
            defect.node = None
    elif kind == "negate":
        defect.node = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
        change.set(node, "test", defect.node)
    elif kind == "drop":
        assert site.suite is not None
        defect.node = None
        left = [statement for statement in site.suite if statement is not node]
        only = all(hasattr(statement, "ours") for statement in left)
        change.fill(site.suite, [*left, ast.copy_location(ast.Pass(), node)] if only else left)
    elif kind == "swap":
        at = chance.randrange(len(node.args) - 1)
        change.fill(node.args, [*node.args[:at], node.args[at + 1], node.args[at], *node.args[at + 2 :]])
    elif kind == "augment":
        made = ast.copy_location(ast.Assign([node.target], node.value), node)
        change.replace(site, made)
        defect.node = made
    elif kind == "bound":
        lower = ast.copy_location(ast.Constant(1), node) if node.slice.lower is None else None
        change.set(node.slice, "lower", lower)
    elif kind == "target":
        old = node.slice.value
        other = old + 1 if isinstance(old, int) else "m" if old == "k" else "k"
        change.set(node, "slice", ast.copy_location(ast.Constant(other), node.slice))
    else:
        defect.node = _copied(node)
        change.replace(site, defect.node)
    return defect


def _copied(node: Any) -> Any:
    """What a copy is a copy of."""
    if isinstance(node, ast.Subscript):
        return node.value
    return node.func.value if isinstance(node.func, ast.Attribute) else node.args[0]


def _names(site: Site) -> Iterator[tuple[str, int]]:
    yield site.functions[-1].name, site.functions[-1].lineno
    if site.in_default or isinstance(site.node, ast.FunctionDef):
        for function in site.functions[-2:]:
            yield function.name, function.lineno


def _fits(kind: str, site: Site) -> bool:
    node = site.node
    if kind == "default":
        is_constant = isinstance(node, ast.Constant) and (node.value is None or type(node.value) is int)
        return site.in_default and is_constant
    if site.in_default:
        return False
    if kind == "operator":
        if isinstance(node, ast.Compare):
            return type(node.ops[0]) in _OPERATORS
        return isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in _OPERATORS
    if kind == "constant":
        return isinstance(node, ast.Constant) and type(node.value) is int
    if kind == "negate":
        return isinstance(node, ast.If | ast.IfExp)
    if kind == "drop":
        return site.suite is not None and isinstance(node, _DROPPED)
    if kind == "swap":
        return isinstance(node, ast.Call) and len(node.args) > 1
    if kind == "augment":
        return isinstance(node, ast.AugAssign)
    if kind == "bound":
        return (
            isinstance(node, ast.Subscript)
            and isinstance(node.slice, ast.Slice)
            and isinstance(node.ctx, ast.Load)
        )
    if kind == "target":
        return (
            isinstance(node, ast.Subscript)
            and isinstance(node.slice, ast.Constant)
            and isinstance(node.ctx, ast.Load)
        )
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Slice) and isinstance(node.ctx, ast.Load) and not site.in_lambda
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute):
        return node.func.attr == "copy" and not node.args
    return isinstance(node.func, ast.Name) and node.func.id in _COPIES and len(node.args) == 1
