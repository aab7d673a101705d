"""What is said once the search inside a call is over: the statement, the head of a loop or branch, or a gap.

A gap is a place where something is missing: all that was executed there is right, and the whole is not.
"""

from __future__ import annotations

import ast
from typing import Any

from algodebug import question
from algodebug.buggy_code import merge
from algodebug.code_nodes import ROUTINE, CodeNode
from algodebug.executed_statements import ITERATION, LOOP, STATEMENT
from algodebug.execution_tree import ExecutionTree
from algodebug.statement_syntax import Region

Body = dict[str, Any]


def blamed(node: CodeNode) -> Body:
    """The code to blame; `between` are the lines between which something may be missing."""
    head = _head(node)
    gap = _gap(node)
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
    return {
        "kind": kind,
        "node": node.id if node.id >= 0 else None,
        "line": gap[0] if kind == "gap" and gap is not None else region[0],
        "range": list(region),
        "between": None if gap is None else list(gap),
        "title": question.code_title(node),
        "text": text,
    }


def _missing(gap: tuple[int, int]) -> str:
    if gap[0] == gap[1]:
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
    for entry in code["code"]:
        pieces, inside = entry["bright"], []
        if entry["file"] == own:
            inside = [p for p in pieces if first <= tuple(p[:2]) and tuple(p[2:]) <= last]
            inside = inside or [p for p in pieces if first[0] <= p[0] <= last[0]]
            if not inside:
                return code  # nothing of it left a trace by itself
        entry["bright"], entry["faint"] = inside, [p for p in pieces if p not in inside]
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
