"""What is said once the search inside a call is over: the statement, the head of a loop or branch, or a gap.

A gap is a place where something is missing: all that was executed there is right, and the whole is not.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from algodebug import question
from algodebug.buggy_code import merge
from algodebug.code_nodes import EXPRESSION, ROUTINE, CodeNode
from algodebug.executed_statements import ITERATION, LOOP, STATEMENT
from algodebug.execution_tree import ExecutionTree
from algodebug.expression_nodes import ExpressionNode, evaluating_step
from algodebug.statement_syntax import Region, pieces_without

Body = dict[str, Any]


def blamed(node: CodeNode, right: Sequence[CodeNode] = (), missing: tuple[int, int] | None = None) -> Body:
    """The code to blame; `between` are the lines between which something may be missing: `missing`, where that is known.

    `right` are the expressions that the node evaluates itself and that are right: they are left out of `pieces`.
    """
    if isinstance(node, ExpressionNode):
        return _expression(node)
    head = _head(node)
    gap = _gap(node)
    if gap is not None and missing is not None:
        gap = missing
    if right and gap is not None and len(right) == len(node.expressions):
        head = None  # nothing of the head is left
    region = head or node.region
    if head is None and gap is not None:
        kind, text = "gap", _missing(gap)
    elif not node.children:
        kind = node.kind
        if kind in (LOOP, STATEMENT, ROUTINE):
            text = f"in {question.place_of(region)}: `{question.excerpt(node, region)}`"
            kind = STATEMENT if kind == ROUTINE else kind
        else:
            text = f"in {question.code_title(node)}"
    else:
        kind = node.kind
        text = f"in {question.place_of(region)}: `{question.excerpt(node, region)}`"
        if gap is not None:
            text += f", or {_missing(gap)}"
    syntax = node.code.syntax
    pieces = pieces_without(syntax.lines, _evaluated(node, region), [part.region for part in right])
    return {
        "kind": kind,
        "pieces": [list(piece) for piece in pieces] if right and kind != "gap" else [],
        "node": node.id if node.id >= 0 else None,
        "line": gap[0] if kind == "gap" and gap is not None else region[0],
        "range": list(region),
        "between": None if gap is None else list(gap),
        "title": question.code_title(node),
        "text": text,
    }


def _evaluated(node: CodeNode, region: Region) -> Region:
    """Of `return x` it is `x` that can be wrong."""
    step = evaluating_step(node)
    if step is not None and isinstance(step.syntax, (ast.Return, ast.Expr)) and step.syntax.value is not None:
        return node.code.syntax.region(step.syntax.value)
    return region


def _expression(node: ExpressionNode) -> Body:
    """An expression whose parts are right: what it does with them is wrong."""
    holes = [part.region for part in node.children]
    pieces = pieces_without(node.code.syntax.lines, node.region, holes) or [node.region]
    return {
        "kind": EXPRESSION,
        "pieces": [list(piece) for piece in pieces],
        "node": node.id,
        "line": pieces[0][0],
        "range": list(node.region),
        "between": None,
        "title": question.code_title(node),
        "text": f"in {question.place_of(node.region)}: `{question.excerpt(node, node.region)}`",
    }


def _missing(gap: tuple[int, int]) -> str:
    if gap[0] >= gap[1]:
        return f"something is missing after line {gap[0]}"
    return f"something is missing between lines {gap[0]} and {gap[1]}"


def _head(node: CodeNode) -> Region | None:
    """What the node executes itself, when it has parts: a test, an iterable. None where that is nothing."""
    if not node.children:
        return node.region if node.kind not in (ITERATION,) else _body(node)
    syntax = node.sequence[node.first].syntax
    of = node.code.syntax.region
    if node.first != node.last:
        return None
    if node.kind == LOOP and isinstance(syntax, (ast.For, ast.AsyncFor)):
        return (*of(syntax.target)[:2], *of(syntax.iter)[2:])
    if isinstance(syntax, ast.While) and node.kind in (LOOP, ITERATION):
        return of(syntax.test)
    if node.kind == STATEMENT:
        if isinstance(syntax, ast.If):
            return of(syntax.test)
        if isinstance(syntax, (ast.With, ast.AsyncWith)):
            last: Any = syntax.items[-1].optional_vars or syntax.items[-1].context_expr
            return (*of(syntax.items[0].context_expr)[:2], *of(last)[2:])
        if isinstance(syntax, ast.Match):
            return of(syntax.subject)
    return None


def _body(node: CodeNode) -> Region:
    parts = node.sequence[node.first].parts
    of = node.code.syntax.region
    if not parts:
        return node.region
    return (*of(parts[0].syntax)[:2], *of(parts[-1].syntax)[2:])


def _gap(node: CodeNode) -> tuple[int, int] | None:
    """The lines between which something may be missing, when all parts of a node are right."""
    children = node.children
    if not children:
        return None
    if len(children) > 1 and node.kind not in (LOOP,) and not children[0].is_of_iterations:
        first, last = children[0].region, children[-1].region
        if node.first != node.last:
            return first[2], last[0]  # strictly between: the halves of a range
        return first[0], max(child.region[2] for child in children)
    region = children[-1].region
    return region[2], region[2]


def lit(tree: ExecutionTree, node: int, told: Body) -> Body:
    """The keys of `buggy_code` for a call inside which the search went on: only what is to blame is bright."""
    first, last = tuple(told["range"][:2]), tuple(told["range"][2:])
    if told["kind"] == "gap":
        between = told["between"]
        first, last = (between[0], 0), (between[1], 1 << 20)
    code = executed(tree, node)
    own = tree.place(node).file
    if told["pieces"]:
        return _lit_pieces(tree, node, told["pieces"], code)
    for entry in code["code"]:
        pieces, inside = entry["bright"], []
        if entry["file"] == own:
            inside = [p for p in pieces if first <= tuple(p[:2]) and tuple(p[2:]) <= last]
            inside = inside or [p for p in pieces if first[0] <= p[0] <= last[0]]
            if not inside:
                return code  # nothing of it left a trace by itself
        entry["bright"], entry["faint"] = inside, [p for p in pieces if p not in inside]
    return {**code, "bright": code["code"][0]["bright"], "faint": code["code"][0]["faint"]}


def _lit_pieces(tree: ExecutionTree, node: int, pieces: list[Region], code: Body) -> Body:
    """Of the code that a call executed itself only some pieces of lines are bright."""
    lines = tree.trace.sources[tree.places[tree.routine[node]].module].text.split("\n") if tree.trace else []
    own = tree.place(node).file
    for entry in code["code"]:
        spans = entry["bright"]
        if entry["file"] == own:
            entry["bright"] = merge(list(piece) for piece in pieces)
            entry["faint"] = merge(
                list(rest) for span in spans for rest in pieces_without(lines, tuple(span), pieces)
            )
        else:
            entry["bright"], entry["faint"] = [], spans
    return {**code, "bright": code["code"][0]["bright"], "faint": code["code"][0]["faint"]}


def executed(tree: ExecutionTree, node: int) -> Body:
    """The keys of `buggy_code` with all code bright that a call executed itself."""
    own = tree.place(node).file
    by_file: dict[str, list[list[int]]] = {own: []}
    if tree.trace is not None:
        for span in tree.executed(node):
            file = tree.trace.sources[span.source].path
            by_file.setdefault(file, []).append([span.line, span.col, span.end_line, span.end_col])
    code: list[Body] = [{"file": file, "bright": merge(p), "faint": []} for file, p in by_file.items()]
    return {"bright": code[0]["bright"], "faint": [], "code": code}
