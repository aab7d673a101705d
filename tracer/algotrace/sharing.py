"""Which containers that a question shows are one object: that is not to be seen from their values.

Named are the argument that was handed back, as a whole or in part; rows that are one list; a default that all calls
have in common; what was put into an argument and stays the caller's too. Only objects that can be changed count, and of
these the builtin containers alone: objects of classes are shared all the time, and nobody wonders.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple
from collections.abc import Iterator

from algotrace.call_sites import defaulted
from algotrace.values import COMPOUND, Value

if TYPE_CHECKING:
    from algotrace.trace import Trace

CONTAINERS = frozenset({"list", "dict", "set", "deque", "bytearray"})
MOST_NOTES = 8
_MOST_VISITED = 2000
_MOST_PARTS = 200  # of one object
_DEEPEST = 3  # steps from what has a name


class Shared(NamedTuple):
    """Two names, or paths, of one object: `result`, `items`; or of several parts, the first and the last."""

    one: str
    other: str
    type_name: str
    times: int = 2  # how many parts are the same, for parts of one container
    between: bool = False  # they are such parts

    def text(self) -> str:
        if self.between:
            joint = " and " if self.times == 2 else ", …, "
            return f"{self.one}{joint}{self.other} are the same {self.type_name}"
        return f"{self.one} is {self.other}"


def sharing_of(trace: Trace, node: int) -> list[Shared]:
    """At most `MOST_NOTES`, those of the result first."""
    if not node:
        return []
    start, end = trace.start[node], trace.end[node] + 1
    arguments = [(argument.name, argument.value.identity) for argument in trace.arguments(node)]
    inputs = arguments + [
        (read.name, read.value.identity)
        for read in trace.reads(node)
        if read.value is not None and read.value.identity >= 0
    ]
    found: list[Shared] = []
    before = _paths(trace, inputs, start, found)
    result = trace.outcome_object(node)
    if result is not None:
        found[:0] = _of_result(trace, result, arguments, inputs, before, end)
    found += _kept(trace, arguments, start, end)
    left_out = defaulted(trace, node)
    found += [
        Shared(name, "its default", _type_name(trace, number))
        for name, number in arguments
        if name in left_out and _is_container(trace, number)
    ]
    return found[:MOST_NOTES]


def _of_result(
    trace: Trace,
    result: int,
    arguments: list[tuple[str, int]],
    inputs: list[tuple[str, int]],
    before: dict[int, str],
    end: int,
) -> list[Shared]:
    handed_back = next((name for name, number in arguments if number == result), None)
    if handed_back is not None:
        is_container = _is_container(trace, result)
        return [Shared("result", handed_back, _type_name(trace, result))] if is_container else []
    inside: list[Shared] = []
    paths = _paths(trace, [("result", result)], end, inside)
    after = _paths(trace, inputs, end, [])
    told: list[str] = []
    for number, path in paths.items():
        other = before.get(number) or after.get(number)
        # What a part belongs to says it for the part, too.
        if other is not None and not any(path.startswith(shorter) for shorter in told):
            told.append(path)
            inside.append(Shared(path, other, _type_name(trace, number)))
    return inside


def _kept(trace: Trace, arguments: list[tuple[str, int]], start: int, end: int) -> Iterator[Shared]:
    """Arguments that were put into others: `self.items is items`."""
    roots = {number: name for name, number in arguments if _is_container(trace, number)}
    if not roots or len(arguments) < 2:
        return
    was: set[tuple[str, int]] = set()
    for time in (start, end):
        for name, number in arguments:
            for path, part in _walk(trace, name, number, time):
                if path == name or part not in roots:
                    continue
                if time == start:
                    was.add((path, part))
                elif (path, part) not in was:
                    yield Shared(path, roots[part], _type_name(trace, part))


def _paths(trace: Trace, roots: list[tuple[str, int]], time: int, notes: list[Shared]) -> dict[int, str]:
    """Container → its first path from the roots; what has two of them in one container, or two names, goes to `notes`."""
    found: dict[int, str] = {}
    groups: dict[tuple[str, int], list[str]] = {}
    for name, root in roots:
        for path, number in _walk(trace, name, root, time):
            if not _is_container(trace, number):
                continue
            known = found.setdefault(number, path)
            above, step = _above(path)
            if step:
                groups.setdefault((above, number), []).append(path)
            if known != path and (not step or _above(known)[0] != above):
                notes.append(Shared(path, known, _type_name(trace, number)))
    for (_, number), paths in groups.items():
        if len(paths) > 1:
            notes.append(Shared(paths[0], paths[-1], _type_name(trace, number), len(paths), True))
    return found


def _above(path: str) -> tuple[str, str]:
    """A path without its last step, and that step."""
    if path.endswith("]"):
        at = path.rfind("[")
    else:
        at = path.rfind(".")
    return (path[:at], path[at:]) if at > 0 else (path, "")


def _walk(trace: Trace, name: str, root: int, time: int) -> Iterator[tuple[str, int]]:
    """(path, object) for what is in reach, an object of one container once for each place it has there."""
    todo = [(name, root, 0)]
    seen: set[int] = set()
    for path, number, depth in todo:
        yield path, number
        row = trace.row(number)
        if type(row) is not list or row[0] not in COMPOUND or row[0] == "bytearray":
            continue
        if number in seen or depth >= _DEEPEST or len(todo) > _MOST_VISITED:
            continue
        seen.add(number)
        content = trace.content(number, time)
        steps = [(f"[{index}]", part) for index, part in enumerate(content.items[:_MOST_PARTS])]
        fields = trace.type_of(row[1])[3] if row[0] == "tuple" else None
        if fields and len(fields) == len(content.items):
            steps = [(f".{field}", part) for field, part in zip(fields, content.items)]
        if content.kind == "dict":
            steps += [
                (f"[{Value(trace, key, time).text(40).text}]", part)
                for key, part in islice(content.pairs.values(), _MOST_PARTS)
                if type(trace.row(part)) is list
            ]
        steps += [(f".{attribute}", part) for attribute, part in content.attributes.items()]
        todo += [(path + step, part, depth + 1) for step, part in steps if type(trace.row(part)) is list]


def _is_container(trace: Trace, number: int) -> bool:
    row = trace.row(number)
    return type(row) is list and row[0] in CONTAINERS


def _type_name(trace: Trace, number: int) -> str:
    return Value(trace, number, 0).type_name
