"""What a slice is taken for: a node's result, exception, argument, effect or printed output, and a path into it.

result[2].name      exception      argument x[0]      self.total      global LIMIT["a"]      "" for the whole outcome
printed[2]          a line of what was printed, counted from 0              printed[2][5:9]     some characters of it
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NamedTuple

from algodebug.slicing.printed_lines import CHARACTERS, line_at
from algotrace.bodies import imported_in, module_name

if TYPE_CHECKING:
    from algotrace.trace import Trace
    from algotrace.values import Value

RESULT, EXCEPTION, ARGUMENT, EFFECT, GLOBAL, OUTCOME, PRINTED = (
    "result",
    "exception",
    "argument",
    "effect",
    "global",
    "outcome",
    "printed",
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
    names = [argument.name for argument in call.arguments]
    if text.partition("[")[0].strip() == PRINTED and PRINTED not in names:
        return Criterion(node, PRINTED, "", _printed(trace, node, text))
    kind, _, rest = text.partition(" ")
    if kind in (ARGUMENT, GLOBAL) and rest:
        name, path = _parse(rest)
    else:
        name, path = _parse(text)
        kind = name if name in (RESULT, EXCEPTION) else EFFECT
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
        for body in imported_in(trace, node + 1, node + trace.size[node]):
            # What a module bound that was imported meanwhile: `config.TABLE[3]`.
            module = module_name(trace, body)
            if text.startswith(f"{module}."):
                name, path = _parse(text.removeprefix(f"{module}."))
                return Criterion(body, GLOBAL, name, path)
        known = ", ".join(["result", *names]) or "result"
        raise ValueError(f"{name} is no part of this call; it may start with {known}")
    if kind == ARGUMENT:
        value = next(argument.value for argument in call.arguments if argument.name == name)
        _check(value, path, text)
    return Criterion(node, kind, name, path)


def _printed(trace: Trace, node: int, text: str) -> tuple[Step, ...]:
    """The line, and which characters of it."""
    wrong = ValueError(
        f"{text} is no line of output such as printed[2], nor characters of one such as printed[2][5:9]"
    )
    try:
        parsed: Any = ast.parse(text, mode="eval").body
        keys = []
        while isinstance(parsed, ast.Subscript):
            keys.append(parsed.slice)
            parsed = parsed.value
        if not isinstance(parsed, ast.Name):
            raise wrong
        if not keys:
            if trace.call(node).printed is None:
                raise ValueError("nothing was printed that the recording knows of")
            return ()
        number = ast.literal_eval(keys[-1])
        if type(number) is not int or len(keys) > 2:
            raise wrong
    except (SyntaxError, TypeError, RecursionError, MemoryError):
        raise wrong from None
    line = line_at(trace, node, number)
    if len(keys) == 1:
        return (("item", number),)
    bounds = keys[0]
    if not isinstance(bounds, ast.Slice) or bounds.step is not None:
        raise wrong
    low, high = (
        default if bound is None else ast.literal_eval(bound)
        for bound, default in ((bounds.lower, 0), (bounds.upper, len(line.text)))
    )
    if type(low) is not int or type(high) is not int:
        raise wrong
    if not line.text[low:high]:
        raise ValueError(f"{text}: the line has {len(line.text)} characters")
    return (("item", number), (CHARACTERS, slice(low, high).indices(len(line.text))[:2]))


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
    of_arguments = ""
    for kind, key in path:
        wanted = f".{key}" if kind == "attr" else f"{of_arguments}[{key!r}]"
        if wanted == ".args" and value is not None and value.kind == "exception":
            of_arguments = wanted  # the parts of an exception are those of its `args`
            continue
        of_arguments = ""
        parts = [] if value is None else value.parts(0, 100_000)
        found = next((part.value for part in parts if part.path == wanted), None)
        if found is None and kind == "item" and type(key) is int and -len(parts) <= key < len(parts):
            found = parts[key].value
        if found is None:
            raise ValueError(f"{text}: there is no part {wanted}")
        value = found
