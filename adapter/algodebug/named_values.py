"""The values of a node by their names, as they are typed: an argument, `result`, a local variable, a part of one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from algodebug import question

if TYPE_CHECKING:
    from algodebug.execution_tree import ExecutionTree
    from algotrace.values import Value

RESULT = "result"
EXCEPTION = "exception"
_AT_ONCE = 1000  # parts that are looked through for one
_MOST = 20_000


def given_to(tree: ExecutionTree, node: int) -> list[tuple[str, Value]]:
    """What a node got: the arguments of a call, the variables that code read."""
    code = tree.code(node)
    if code is not None:
        return question.code_inputs(code)
    call = tree.call(node)
    return [] if call is None else [(argument.name, argument.value) for argument in call.arguments]


def outcome_of(tree: ExecutionTree, node: int) -> tuple[str, Value | None]:
    """How it ended, and with which value."""
    code = tree.code(node)
    if code is not None:
        return code.outcome
    call = tree.call(node)
    return ("", None) if call is None else (call.outcome.kind, call.outcome.value)


def named_value(tree: ExecutionTree, node: int, expression: str) -> Value | None:
    """The value an argument, `result`, `exception` or a local variable has in a node, or a part: `result[1].x`."""
    match = re.match(r"\s*([^\W\d]\w*)(.*?)\s*$", expression, re.DOTALL)
    if match is None:
        return None
    name, rest = match.groups()
    named = {given.lstrip("*"): value for given, value in given_to(tree, node)}
    kind, outcome = outcome_of(tree, node)
    if outcome is not None:
        named.setdefault(EXCEPTION if kind == "raise" else RESULT, outcome)
    value = named.get(name) or _local(tree, node, name)
    while value is not None and rest:
        value, rest = _step(value, rest)
    return value


def _local(tree: ExecutionTree, node: int, name: str) -> Value | None:
    """The last value a local variable got in a node."""
    trace = tree.trace
    if trace is None:
        return None
    code = tree.code(node)
    end = trace.end[node] + 1 if code is None else code.end
    if code is not None and code.code.long is not None:
        number = code.code.variables.number(name, end)
        return None if number is None else trace.value_at(number, end)
    last = None
    for bound in trace.own_values(tree.call_of(node)):
        if bound.time >= end:
            break
        if bound.name == name and bound.role in ("store", "read"):
            last = bound
    return None if last is None else trace.value_at(last.number, end)


def _step(value: Value, rest: str) -> tuple[Value | None, str]:
    """The part of a value at the beginning of a path, and the path that is left."""
    best: tuple[Value | None, str] = (None, "")
    longest, start = 0, 0
    while parts := value.parts(start, _AT_ONCE):
        for part in parts:
            whole = rest.startswith(part.path) and (
                part.path.endswith("]") or not rest[len(part.path) : len(part.path) + 1].isidentifier()
            )
            if whole and len(part.path) > longest:
                longest, best = len(part.path), (part.value, rest[len(part.path) :])
        start += len(parts)
        if longest or start >= _MOST:
            break
    return best
