"""What is said once the search inside a call is over: the statement, the head of a loop or branch, or a gap.

A gap is a place where something is missing: all that was executed there is right, and the whole is not.
"""

from __future__ import annotations

import ast
from typing import Any

from algodebug import question
from algodebug.code_nodes import ROUTINE, CodeNode
from algodebug.executed_statements import ITERATION, LOOP, STATEMENT, Region

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


def lit(code: Body, file: str, told: Body) -> Body:
    """The executed code of the call with only what is to blame bright: see `buggy_code`."""
    first, last = tuple(told["range"][:2]), tuple(told["range"][2:])
    if told["kind"] == "gap":
        between = told["between"]
        first, last = (between[0], 0), (between[1], 1 << 20)
    files = []
    for entry in code["code"]:
        if entry["file"] != file:
            files.append({**entry, "bright": [], "faint": [*entry["bright"], *entry["faint"]]})
            continue
        bright = [p for p in entry["bright"] if first <= tuple(p[:2]) and tuple(p[2:]) <= last]
        if not bright:
            bright = [p for p in entry["bright"] if first[0] <= p[0] <= last[0]]
        if not bright:
            return code
        faint = [p for p in entry["bright"] if p not in bright] + entry["faint"]
        files.append({**entry, "bright": bright, "faint": sorted(faint)})
    return {**code, "bright": files[0]["bright"], "faint": files[0]["faint"], "code": files}
