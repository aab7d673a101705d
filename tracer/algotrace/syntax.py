"""Small constructors for synthetic syntax, and positions.

Every synthetic node carries the line and column of the node it stands for, or no location at all: then the compiler
emits instructions without a line, which no debugger stops at and no traceback names.
Objects of ours reach the code as *placeholders*: string constants that `binding` swaps for the objects after compilation.
"""

from __future__ import annotations

import ast
from typing import Any
from collections.abc import Sequence

from algotrace.marks import Range

Location = dict[str, int]
NOWHERE: Location = {"lineno": -1, "col_offset": -1, "end_lineno": -1, "end_col_offset": -1}
PREFIX = "\0algotrace:"

Function = (ast.FunctionDef, ast.AsyncFunctionDef)
Comprehension = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Positioned = "ast.expr | ast.stmt | ast.excepthandler | ast.pattern"


def location(node: Any) -> Location:
    """The position of a node of the program, for synthetic ones that stand for it."""
    return {
        "lineno": node.lineno,
        "col_offset": node.col_offset,
        "end_lineno": node.end_lineno,
        "end_col_offset": node.end_col_offset,
    }


def point(at: Location) -> Location:
    """The start of a location that spans lines: of a method call over several lines the compiler takes the last."""
    if at["lineno"] == at["end_lineno"]:
        return at
    return {**at, "end_lineno": at["lineno"], "end_col_offset": at["col_offset"]}


def extent(node: Any) -> Range:
    """A node's range, columns still in bytes as the parser gives them."""
    return Range(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def placeholder(key: str, at: Location) -> ast.Constant:
    return ast.Constant(PREFIX + key, None, **at)


def load(name: str, at: Location) -> ast.Name:
    return ast.Name(name, ast.Load(), **at)


def constant(value: Any, at: Location) -> ast.Constant:
    return ast.Constant(value, None, **at)


def attribute(value: ast.expr, name: str, at: Location) -> ast.Attribute:
    return ast.Attribute(value, name, ast.Load(), **at)


def subscript(value: ast.expr, index: ast.expr, at: Location) -> ast.Subscript:
    return ast.Subscript(value, index, ast.Load(), **at)


def call(function: ast.expr, arguments: list[ast.expr], at: Location) -> ast.Call:
    return ast.Call(function, arguments, [], **at)


def tuple_of(parts: list[ast.expr], at: Location) -> ast.Tuple:
    return ast.Tuple(parts, ast.Load(), **at)


def either(parts: list[ast.expr], at: Location) -> ast.BoolOp:
    return ast.BoolOp(ast.Or(), parts, **at)


def both(parts: list[ast.expr], at: Location) -> ast.BoolOp:
    return ast.BoolOp(ast.And(), parts, **at)


def park(name: str, value: ast.expr, at: Location) -> ast.NamedExpr:
    """`(name := value)`"""
    return ast.NamedExpr(ast.Name(name, ast.Store(), **at), value, **at)


def assign(name: str, value: ast.expr, at: Location) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store(), **at)], value, None, **at)


def expression_statement(value: ast.expr, at: Location) -> ast.Expr:
    return ast.Expr(value, **at)


def taken_out(name: str, at: Location) -> ast.expr:
    """What a variable has, which then holds it no longer."""
    return subscript(tuple_of([load(name, at), park(name, constant(None, at), at)], at), constant(0, at), at)


def same(left: ast.expr, right: ast.expr, at: Location) -> ast.Compare:
    """`left is right`"""
    return ast.Compare(left, [ast.Is()], [right], **at)


def repeated(node: ast.expr, at: Location) -> ast.expr:
    """A second evaluation of a name or constant."""
    return load(node.id, at) if isinstance(node, ast.Name) else constant(node.value, at)  # type: ignore[attr-defined]


def own_nodes(nodes: list[Any]) -> list[Any]:
    """A suite's nodes without those of nested functions, lambdas and classes (their headers are entered). Contexts,
    operators and names of parts are left out."""
    found = []
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if node is None:  # a key of `{**other}`, the default of a parameter that has none
            continue
        found.append(node)
        kind = type(node)
        if kind is ast.Name or kind is ast.Constant:
            continue
        fields = _FIELDS.get(kind)
        if fields is None:
            fields = _FIELDS[kind] = tuple(field for field in kind._fields if field not in _WITHOUT_NODES)
        for field in fields:
            value = getattr(node, field, None)
            if type(value) is list:
                todo += value
            elif isinstance(value, ast.AST):
                todo.append(value)
        if kind is ast.FunctionDef or kind is ast.AsyncFunctionDef:
            todo += node.args.defaults
            todo += node.args.kw_defaults
    return found


def walk(node: ast.AST) -> list[Any]:
    """As `ast.walk` in a fraction of its time, in another order. Contexts, operators and names of parts are left out."""
    found: list[Any] = []
    todo: list[Any] = [node]
    while todo:
        node = todo.pop()
        if node is None:
            continue
        found.append(node)
        kind = type(node)
        if kind is ast.Name or kind is ast.Constant:
            continue
        fields = _ALL_FIELDS.get(kind)
        if fields is None:
            fields = _ALL_FIELDS[kind] = tuple(field for field in kind._fields if field not in _WITHOUT_NODES)
        for field in fields:
            value = getattr(node, field, None)
            if type(value) is list:
                todo += value
            elif isinstance(value, ast.AST):
                todo.append(value)
    return found


_ALL_FIELDS: dict[type, tuple[str, ...]] = {ast.Global: (), ast.Nonlocal: ()}
_FIELDS: dict[type, tuple[str, ...]] = {
    ast.FunctionDef: ("decorator_list",),
    ast.AsyncFunctionDef: ("decorator_list",),
    ast.Lambda: ("args",),
    ast.ClassDef: ("decorator_list", "bases"),
    ast.Global: (),
    ast.Nonlocal: (),
}
_WITHOUT_NODES = frozenset(
    {
        "arg", "asname", "attr", "conversion", "ctx", "id", "is_async", "kind", "kwd_attrs", "level", "module", "op", "ops",
        "rest", "type_comment",
    }
)  # fmt: skip


def bound_by(node: ast.AST) -> Sequence[str]:
    """The names that a node itself binds: by a store, a definition, an import, `except … as`, a pattern."""
    kind = type(node)
    if kind is ast.Name:
        return () if type(node.ctx) is ast.Load else (node.id,)  # type: ignore[attr-defined]
    if kind not in _BINDING:
        return ()
    if isinstance(node, (*Function, ast.ClassDef)):
        return (node.name,)
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        return (node.name,) if node.name else ()
    return (node.rest,) if isinstance(node, ast.MatchMapping) and node.rest else ()


_BINDING = frozenset(
    {
        *Function, ast.ClassDef, ast.Import, ast.ImportFrom, ast.ExceptHandler,
        ast.MatchAs, ast.MatchStar, ast.MatchMapping,
    }
)  # fmt: skip
_LOUD = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, *Comprehension)


def is_loud(node: ast.AST) -> bool:
    """Whether a node itself, whatever is in it, calls or writes something."""
    return isinstance(node, _LOUD)


def is_quiet(node: ast.AST) -> bool:
    """Whether evaluating `node` plainly writes nothing and calls nothing (operators may still call user code)."""
    return not any(isinstance(inner, _LOUD) for inner in walk(node))


def is_repeatable(node: ast.AST) -> bool:
    """Whether evaluating `node` twice is the same as once: a name or a constant."""
    return isinstance(node, (ast.Name, ast.Constant))


def mangle(name: str, class_name: str | None) -> str:
    """The attribute name that the compiler makes of `self.__x` in a class."""
    if class_name and name.startswith("__") and not name.endswith("__"):
        stripped = class_name.lstrip("_")
        return f"_{stripped}{name}" if stripped else name
    return name
