"""What a call changed that others can see: its arguments' insides, globals and nonlocals; old → new.

Objects made during the call are no effect. A changed object is named by a path from the arguments, from a module's
globals, or by the text at the place of the write. Not here: printed output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from algotrace.content import Content, Write
from algotrace.marks import ATTRIBUTE, ATTRIBUTE_NEW, ITEM, ITEM_DELETED, NAME

if TYPE_CHECKING:
    from algotrace.trace import Trace
    from algotrace.values import Value

MOST_CHANGES = 50
MOST_VISITED = 4000  # objects looked at to find a name for a changed one
SMALL = 20  # containers up to this size are shown whole


class Change(NamedTuple):
    """`before` is None for what was absent, `after` for what is absent now."""

    target: str
    before: Value | None
    after: Value | None


def changes_of(trace: Trace, node: int) -> list[Change]:
    """At most `MOST_CHANGES`, in order of the first write to each target."""
    if not node:
        return []
    start, end = trace.start[node], trace.end[node] + 1
    spans = trace.segments.get(node)
    intervals = list(zip(spans[::2], spans[1::2])) if spans else [(start, end)]
    writes = [
        trace.write_at(time) for first, last in intervals for time in trace.writes_between(first, last + 1)
    ]
    if not writes:
        return []
    names = _names(trace, node, {write.target for write in writes if write.kind != NAME}, start)
    changes: dict[str, Change] = {}
    whole: set[int] = set()
    for write in writes:
        if len(changes) >= MOST_CHANGES:
            break
        if write.kind == NAME:
            if not _is_inside(trace, write, node):
                _name_change(trace, write, changes)
            continue
        number = write.target
        name = names.get(number)
        if name is None:
            if trace.first_seen.get(number, start) >= start:
                continue  # made during the call
            name = _label(trace, write)
        if not name:
            continue
        if write.kind in (ATTRIBUTE, ATTRIBUTE_NEW):
            target = f"{name}.{write.detail}"
            if target not in changes:
                old = trace.content(number, start).attributes.get(write.detail)
                new = trace.content(number, end).attributes.get(write.detail)
                _add(trace, changes, target, old, new, start, end)
        elif number not in whole:
            _container_change(trace, write, number, name, changes, whole, start, end)
    return [change for change in changes.values() if change.before is not None or change.after is not None]


def _is_inside(trace: Trace, write: Write, node: int) -> bool:
    """Whether a nonlocal name belongs to a call at or below `node`: then nobody outside sees the write."""
    mark = trace.mark_at(write.time)
    if mark is None or not mark.label.startswith("nonlocal"):
        return False
    owners, routine = set(), trace.routines[mark.routine].parent
    while routine >= 0 and trace.routines[routine].kind != "module":
        owners.add(routine)
        routine = trace.routines[routine].parent
    writer = trace.node_at(write.time)
    while writer > node:
        writer = trace.parent[writer]
        if trace.routine[writer] in owners:
            return True
    return False


def _add(
    trace: Trace,
    changes: dict[str, Change],
    target: str,
    old: int | None,
    new: int | None,
    start: int,
    end: int,
) -> None:
    from algotrace.values import Value

    before = None if old is None else Value(trace, old, start)
    after = None if new is None else Value(trace, new, end)
    same = old == new or (before is not None and after is not None and _scalar_equal(before, after))
    changes[target] = Change(target, None, None) if same else Change(target, before, after)


def _scalar_equal(before: Value, after: Value) -> bool:
    try:
        old, new = before.scalar(), after.scalar()
    except TypeError:
        return False
    return type(old) is type(new) and old == new


def _name_change(trace: Trace, write: Write, changes: dict[str, Change]) -> None:
    from algotrace.values import Value

    mark = trace.mark_at(write.time)
    target = mark.label if mark is not None else ""
    old, new = (
        None if trace.row(number) == ["absent"] else Value(trace, number, write.time)
        for number in write.values
    )
    first = changes.get(target)
    before = first.before if first is not None else old
    if (
        before is not None
        and new is not None
        and (before.identity == new.identity or _scalar_equal(before, new))
    ):
        changes[target] = Change(target, None, None) if first is None else Change(target, before, before)
        return
    changes[target] = Change(target, before, new)


def _container_change(
    trace: Trace,
    write: Write,
    number: int,
    name: str,
    changes: dict[str, Change],
    whole: set[int],
    start: int,
    end: int,
) -> None:
    from algotrace.values import Value

    before, after = trace.content(number, start), trace.content(number, end)
    size = max(len(before.items), len(before.pairs), len(after.items), len(after.pairs))
    if size > SMALL and write.kind in (ITEM, ITEM_DELETED) and len(before.items) == len(after.items):
        key = write.values[1]
        text = Value(trace, key, write.time).text(60).text
        target = f"{name}[{text}]"
        if target not in changes:
            identity = trace.key_identity(key)
            _add(trace, changes, target, _item(before, identity), _item(after, identity), start, end)
        return
    whole.add(number)
    if (
        before.items == after.items
        and list(before.pairs.values()) == list(after.pairs.values())
        and before.text == after.text
    ):
        return
    changes[name] = Change(name, Value(trace, number, start), Value(trace, number, end))


def _item(content: Content, key: Any) -> int | None:
    if content.kind == "dict":
        pair = content.pairs.get(key)
        return pair[1] if pair is not None else None
    if type(key) is int and -len(content.items) <= key < len(content.items):
        return content.items[key]
    return None


def _label(trace: Trace, write: Write) -> str:
    mark = trace.mark_at(write.time)
    return mark.label.partition("\t")[0] if mark is not None else ""


def _names(trace: Trace, node: int, wanted: set[int], time: int) -> dict[int, str]:
    """Paths to the changed objects: breadth first from the arguments, then from the globals."""
    found: dict[int, str] = {}
    arguments = [(argument.name, argument.value.identity) for argument in trace.arguments(node)]
    _search(trace, arguments, wanted, time, found)
    if len(found) < len(wanted):
        module = trace.sources[trace.routines[trace.routine[node]].source].path
        roots = [
            (f"global {name}", number)
            for _, namespace in sorted(trace.modules.items(), key=lambda item: item[0] != module)
            for name, number in namespace.items()
        ]
        _search(trace, roots, wanted, time, found)
    return found


def _search(
    trace: Trace, roots: list[tuple[str, int]], wanted: set[int], time: int, found: dict[int, str]
) -> None:
    from algotrace.values import COMPOUND, Value

    todo = list(roots)
    seen: set[int] = set()
    for path, number in todo:
        if number in seen:
            continue
        seen.add(number)
        if number in wanted and number not in found:
            found[number] = path
            if len(found) == len(wanted):
                return
        if len(todo) > MOST_VISITED:
            continue
        row = trace.row(number)
        if type(row) is list and row[0] in COMPOUND:
            for part in Value(trace, number, time).parts(0, 500):
                kind = trace.row(part.value.identity)
                if type(kind) is list and part.path:
                    todo.append((path + part.path, part.value.identity))
