"""What a slice is taken for: a node's result, exception, argument or effect, and a path into it.

result[2].name      exception      argument x[0]      self.total      global LIMIT["a"]      "" for the whole outcome
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from algotrace.trace import Trace
    from algotrace.values import Value

RESULT, EXCEPTION, ARGUMENT, EFFECT, GLOBAL, OUTCOME = (
    "result",
    "exception",
    "argument",
    "effect",
    "global",
    "outcome",
)
Step = tuple[str, Any]


class Criterion(NamedTuple):
    node: int
    kind: str
    name: str  # of the argument, the variable the effect is reached from, the global
    path: tuple[Step, ...]


def parse_criterion(trace: Trace, node: int, text: str) -> Criterion:
    """Raises ValueError, with one sentence, for what is no part of what the node computed."""
    if not 0 <= node < len(trace.parent):
        raise ValueError(f"there is no node {node}")
    text = text.strip()
    call = trace.call(node)
    if not text:
        return Criterion(node, OUTCOME, "", ())
    if text == "function":
        return Criterion(node, ARGUMENT, "", ())
    kind, _, rest = text.partition(" ")
    if kind in (ARGUMENT, GLOBAL) and rest:
        name, path = _parse(rest)
    else:
        name, path = _parse(text)
        kind = name if name in (RESULT, EXCEPTION) else EFFECT
    names = [argument.name for argument in call.arguments]
    if kind == RESULT:
        if call.outcome.kind == "raise":
            raise ValueError("the call raised an exception; it has no result")
        _check(call.outcome.value, path, text)
        return Criterion(node, RESULT, "", path)
    if kind == EXCEPTION:
        if call.outcome.kind != "raise":
            raise ValueError("the call did not raise an exception")
        return Criterion(node, EXCEPTION, "", path)
    if kind == GLOBAL:
        return Criterion(node, GLOBAL, name, path)
    if name not in names:
        targets = [change.target for change in call.changes]
        if any(target == f"global {name}" or target.startswith(f"global {name}") for target in targets):
            return Criterion(node, GLOBAL, name, path)
        known = ", ".join(["result", *names]) or "result"
        raise ValueError(f"{name} is no part of this call; it may start with {known}")
    if kind == ARGUMENT:
        value = next(argument.value for argument in call.arguments if argument.name == name)
        _check(value, path, text)
    return Criterion(node, kind, name, path)


def _parse(text: str) -> tuple[str, tuple[Step, ...]]:
    try:
        parsed: Any = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{text} is no path such as result[2].name") from None
    path: list[Step] = []
    while not isinstance(parsed, ast.Name):
        if isinstance(parsed, ast.Attribute):
            path.append(("attr", parsed.attr))
        elif isinstance(parsed, ast.Subscript):
            try:
                key = ast.literal_eval(parsed.slice)
            except ValueError:
                raise ValueError(f"{text} has a key that is no constant") from None
            path.append(("item", key))
        else:
            raise ValueError(f"{text} is no path such as result[2].name")
        parsed = parsed.value
    return parsed.id, tuple(reversed(path))


def _check(value: Value | None, path: tuple[Step, ...], text: str) -> None:
    for kind, key in path:
        wanted = f".{key}" if kind == "attr" else f"[{key!r}]"
        parts = [] if value is None else value.parts(0, 100_000)
        found = next((part.value for part in parts if part.path == wanted), None)
        if found is None and kind == "item" and type(key) is int and -len(parts) <= key < len(parts):
            found = parts[key].value
        if found is None:
            raise ValueError(f"{text}: there is no part {wanted}")
        value = found
