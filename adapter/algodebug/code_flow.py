"""What a piece of code reads before it writes it, and what it binds: by the text of the statements that were executed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from algodebug.executed_statements import ITERATION, LOOP, LocatedIterations, Step

Path = tuple[str, ...]  # ("total",) or ("self", "total")


class Flow(NamedTuple):
    """What code reads before it writes it, and what it binds; in order of appearance."""

    reads: dict[Path, None]
    writes: dict[str, None]


def flow_of(steps: Sequence[Step], cache: dict[int, Flow]) -> Flow:
    """The flow through steps that were executed one after the other."""
    reads: dict[Path, None] = {}
    writes: dict[str, None] = {}
    for step in _distinct(steps):
        _append(reads, writes, _step_flow(step, cache))
    return Flow(reads, writes)


def _distinct(steps: Sequence[Step]) -> Iterator[Step]:
    """Without what executed the same code again: it reads nothing that was not read, or written, before."""
    seen: set[int] = set()
    for step in distinct(steps, 0, len(steps)):
        if step.shape not in seen:
            seen.add(step.shape)
            yield step


def distinct(steps: Sequence[Step], first: int, end: int) -> Sequence[Step]:
    """Of a part of a sequence at least one step for each way in which one was executed."""
    return steps.kinds(first, end) if isinstance(steps, LocatedIterations) else steps[first:end]


def flow_of_syntax(nodes: Sequence[ast.AST], cache: dict[int, Flow]) -> Flow:
    """The flow through expressions that were evaluated one after the other."""
    reads: dict[Path, None] = {}
    writes: dict[str, None] = {}
    for node in nodes:
        _append(reads, writes, _syntax_flow(node, cache))
    return Flow(reads, writes)


def _append(reads: dict[Path, None], writes: dict[str, None], flow: Flow) -> None:
    for path in flow.reads:
        if path[0] not in writes:
            reads.setdefault(path)
    writes.update(flow.writes)


def _step_flow(step: Step, cache: dict[int, Flow]) -> Flow:
    node = step.syntax
    if not step.parts and not step.orelse and step.kind != ITERATION:
        return _syntax_flow(node, cache)
    reads: dict[Path, None] = {}
    writes: dict[str, None] = {}
    for piece in headers(step):
        _append(reads, writes, _syntax_flow(piece, cache))
    if step.kind == ITERATION and isinstance(node, (ast.For, ast.AsyncFor)):
        # The loop gives the iteration what its names stand for: an input, though the loop's own doing.
        targets = _syntax_flow(node.target, cache)
        reads.update(dict.fromkeys((name,) for name in targets.writes))
    for part in _distinct(step.parts):
        _append(reads, writes, _step_flow(part, cache))
        if part.kind == ITERATION and isinstance(part.syntax, (ast.For, ast.AsyncFor)):
            for name in _syntax_flow(part.syntax.target, cache).writes:
                reads.pop((name,), None)
                writes.setdefault(name)
    for part in step.orelse:
        _append(reads, writes, _step_flow(part, cache))
    if isinstance(node, (ast.With, ast.AsyncWith)):
        for item in node.items:
            if item.optional_vars is not None:
                writes.update(_syntax_flow(item.optional_vars, cache).writes)
    return Flow(reads, writes)


def headers(step: Step) -> list[ast.AST]:
    """The expressions at the head of a compound statement, as far as this step evaluates them."""
    node = step.syntax
    if isinstance(node, (ast.If, ast.While)):
        return [node.test]
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return [node.iter] if step.kind == LOOP else []
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return [item.context_expr for item in node.items]
    if isinstance(node, ast.Match):
        return [node.subject]
    return []


def _syntax_flow(node: ast.AST, cache: dict[int, Flow]) -> Flow:
    known = cache.get(id(node))
    if known is not None:
        return known
    reads: dict[Path, None] = {}
    writes: dict[str, None] = {}
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        flow = Flow({}, {node.name: None})
    else:
        if isinstance(node, (ast.If, ast.While)):
            node_read: ast.AST = node.test
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            node_read = node.iter
        else:
            node_read = node
        hidden = {
            name.id
            for part in ast.walk(node_read)
            if isinstance(part, ast.comprehension)
            for name in ast.walk(part.target)
            if isinstance(name, ast.Name)
        }
        hidden |= {
            argument.arg
            for part in ast.walk(node_read)
            if isinstance(part, ast.Lambda)
            for argument in ast.walk(part.args)
            if isinstance(argument, ast.arg)
        }
        _collect(node_read, reads, writes)
        whole = {path for path in reads if len(path) == 1}
        flow = Flow(
            {p: None for p in reads if p[0] not in hidden and (len(p) == 1 or p[:1] not in whole)},
            {name: None for name in writes if name not in hidden},
        )
    cache[id(node)] = flow
    return flow


def _collect(node: ast.AST, reads: dict[Path, None], writes: dict[str, None]) -> None:
    """Names and attributes in order of appearance; what is stored into is no reading of it."""
    if isinstance(node, ast.Assign):
        _collect(node.value, reads, writes)
        for target in node.targets:
            _collect(target, reads, writes)
        return
    if isinstance(node, ast.AugAssign):
        target = node.target
        if isinstance(target, ast.Name):
            reads.setdefault((target.id,))
            _collect(node.value, reads, writes)
            writes.setdefault(target.id)
            return
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            reads.setdefault((target.value.id, target.attr))
        else:
            _collect(target.value, reads, writes)
            if isinstance(target, ast.Subscript):
                _collect(target.slice, reads, writes)
        _collect(node.value, reads, writes)
        return
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            writes.setdefault((alias.asname or alias.name).partition(".")[0])
        return
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load):
            reads.setdefault((node.id,))
        else:
            writes.setdefault(node.id)
        return
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if isinstance(node.ctx, ast.Load):
            reads.setdefault((node.value.id, node.attr))
        return
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        if not isinstance(node.value, ast.Name):
            _collect(node.value, reads, writes)
        _collect(node.slice, reads, writes)
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        # A method may read all of its object.
        receiver = node.func.value
        if isinstance(receiver, ast.Attribute) and isinstance(receiver.value, ast.Name):
            reads.setdefault((receiver.value.id, receiver.attr))
        else:
            _collect(receiver, reads, writes)
        for part in (*node.args, *node.keywords):
            _collect(part, reads, writes)
        return
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        writes.setdefault(node.name)
        return
    for part in ast.iter_child_nodes(node):
        _collect(part, reads, writes)
