"""What a piece of code inside an activation read and wrote: its variables before and after, and the objects it changed.

Names and attributes come from `code_flow`, what they stood for from `activation_variables`. A name written before it is
read is no input. Not here: which pieces there are, and how they are put into words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from algodebug.activation_variables import Variables
from algodebug.code_flow import Flow
from algodebug.executed_statements import RAISE, RETURN, UNFINISHED
from algotrace.value_text import COMPOUND
from algotrace.values import Value

if TYPE_CHECKING:
    from algotrace.trace import Outcome, Trace

MOST_CHANGES = 50
SMALL = 20  # containers up to this size are shown whole
_MOST_VISITED = 4000  # objects looked at to find a name for a changed one
_MOST_PARTS = 500


class Input(NamedTuple):
    name: str
    value: Value


class Change(NamedTuple):
    """`before` is None for what was absent, `after` for what is absent now."""

    target: str
    before: Value | None
    after: Value | None


def inputs_of(variables: Variables, flow: Flow, start: int, bound: dict[str, int]) -> list[Input]:
    """The variables that code read, as they were at `start`; those in `bound` as they were at the given time."""
    found: list[Input] = []
    whole = {path[0] for path in flow.reads if len(path) == 1}
    for path in flow.reads:
        name = path[0]
        time = bound.get(name, start)
        value = variables.data(name, time)
        if value is None or (len(path) > 1 and name in whole):
            continue
        if len(path) == 1:
            found.append(Input(name, value))
            continue
        part = value.attribute(path[1])
        if part is not None:
            found.append(Input(".".join(path), part))
        elif not any(known.name == name for known in found):
            found.append(Input(name, value))  # a property, or an attribute of its class
    return found


def changes_of(
    variables: Variables, flow: Flow, start: int, end: int, own: frozenset[str], written: Sequence[int]
) -> list[Change]:
    """Variables bound anew and objects changed between two times, old → new; `own` are names that do not count."""
    changes: dict[str, Change] = {}
    for name in flow.writes:
        if name in own:
            continue
        before, after = variables.data(name, start), variables.data(name, end)
        if after is None or (before is not None and _same(before, after)):
            continue
        changes[name] = Change(name, before, after)
    trace = variables.trace
    earlier = [number for number in written if number and trace.first_seen.get(number, start) < start]
    names = _names(trace, variables.roots(start), set(earlier), start)
    for number in earlier:
        if len(changes) >= MOST_CHANGES:
            break
        target = names.get(number)
        if target is not None and target not in changes:
            for change in _object_changes(trace, number, target, start, end):
                changes.setdefault(change.target, change)
    return list(changes.values())


def _same(before: Value, after: Value) -> bool:
    if before.identity == after.identity:
        return True
    try:
        old, new = before.scalar(), after.scalar()
    except TypeError:
        return False
    return type(old) is type(new) and old == new


def _object_changes(trace: Trace, number: int, target: str, start: int, end: int) -> Iterator[Change]:
    before, after = trace.content(number, start), trace.content(number, end)

    def change(path: str, old: int | None, new: int | None) -> Change | None:
        was = None if old is None else Value(trace, old, start)
        now = None if new is None else Value(trace, new, end)
        if old == new or (was is not None and now is not None and _same(was, now)):
            return None
        return Change(path, was, now)

    for name in dict.fromkeys((*before.attributes, *after.attributes)):
        found = change(f"{target}.{name}", before.attributes.get(name), after.attributes.get(name))
        if found is not None:
            yield found
    if before.items == after.items and before.text == after.text and before.pairs == after.pairs:
        return
    if len(before.items) == len(after.items) > SMALL:
        differing = [
            i for i, (old, new) in enumerate(zip(before.items, after.items, strict=True)) if old != new
        ]
        if len(differing) <= 3:
            for index in differing:
                found = change(f"{target}[{index}]", before.items[index], after.items[index])
                if found is not None:
                    yield found
            return
    if max(len(before.pairs), len(after.pairs)) > SMALL and before.kind == "dict":
        keys = [
            key for key in {**before.pairs, **after.pairs} if before.pairs.get(key) != after.pairs.get(key)
        ]
        if len(keys) <= 3:
            for key in keys:
                old, new = before.pairs.get(key), after.pairs.get(key)
                shown = Value(trace, (old or new or (0, 0))[0], start).text(60).text
                found = change(f"{target}[{shown}]", old and old[1], new and new[1])
                if found is not None:
                    yield found
            return
    yield Change(target, Value(trace, number, start), Value(trace, number, end))


def _names(trace: Trace, roots: list[tuple[str, int]], wanted: set[int], time: int) -> dict[int, str]:
    """Paths to objects, breadth first from the roots."""
    found: dict[int, str] = {}
    if not wanted:
        return found
    pending = [(number, name) for name, number in roots]
    seen: set[int] = set()
    for number, path in pending:  # it grows
        if number in seen:
            continue
        seen.add(number)
        if number in wanted:
            found[number] = path
            if len(found) == len(wanted):
                break
        row = trace.row(number)
        if type(row) is not list or row[0] not in COMPOUND or len(pending) > _MOST_VISITED:
            continue
        content = trace.content(number, time)
        below = [(part, f"{path}[{i}]") for i, part in enumerate(content.items[:_MOST_PARTS])]
        for key, part in islice(content.pairs.values(), _MOST_PARTS if content.kind == "dict" else 0):
            if type(trace.row(part)) is list:
                below.append((part, f"{path}[{Value(trace, key, time).text(40).text}]"))
        below += [(part, f"{path}.{name}") for name, part in content.attributes.items()]
        pending += [(part, path) for part, path in below if type(trace.row(part)) is list]
    return found


def outcome_of(variables: Variables, ended: str, end: int, outcome: Outcome) -> tuple[str, Value | None]:
    """How code was left: its kind and the value returned or raised."""
    if ended == RETURN:
        return "return", outcome.value
    if ended == RAISE:
        at = bisect_left(variables.caught, end, key=lambda item: item[0])
        if at < len(variables.caught):
            return "raise", variables.caught[at][1]
        return "raise", outcome.value if outcome.kind == "raise" else None
    if ended == UNFINISHED:
        return "unfinished", None
    return ended or "fall-through", None
