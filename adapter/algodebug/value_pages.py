"""The parts of a value page by page, as front ends open them: those that a question leaves out are counted, not shown.

Pages count all parts, so that any of them can be asked for, those that are left out by asking without the question.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from algodebug.question import value_body
from algotrace.value_text import gaps

if TYPE_CHECKING:
    from algodebug.execution_tree import ExecutionTree
    from algotrace.trace import Trace
    from algotrace.unread import Unread
    from algotrace.values import Value

Body = dict[str, Any]


def value_page(trace: Trace, value: Value, start: int, count: int, without: Unread | None = None) -> Body:
    """At most `count` parts from number `start` on, and how many are left out in between."""
    length = value.length
    runs: list[list[int]] = []  # [first, how many] side by side
    left_out: list[Body] = []
    following: int | None = None
    told = 0
    for place, gap in _places(trace, value, start, without):
        if gap:
            left_out.append({"before": told, "start": place, "count": gap})
            continue
        if told == count:
            following = place
            break
        told += 1
        if runs and sum(runs[-1]) == place:
            runs[-1][1] += 1
        else:
            runs.append([place, 1])
    parts = [part for first, some in runs for part in value.parts(first, some)]
    return {
        "value": value_body(value, without),
        "length": length,
        "parts": [
            {"label": part.label, "path": part.path, "value": value_body(part.value, without)}
            for part in parts
        ],
        "leftOut": left_out,
        "next": following,
    }


def _places(trace: Trace, value: Value, start: int, without: Unread | None) -> Iterator[tuple[int, int]]:
    """(number, 0) of each part that is shown, from `start` on; (number, how many) of those left out."""
    length = value.length or 0
    whole = without is None or value.identity <= 0 or value.kind == "exception"
    row = None if whole else trace.row(value.identity)
    if whole or without is None or type(row) is not list or row[0] in ("based", "bytearray"):
        yield from ((place, 0) for place in range(start, length))
        return
    content = trace.content(value.identity, value.time)
    items = len(content.items) + len(content.pairs)
    named = content.kind == "tuple" and bool(trace.type_of(row[1])[3])
    shown = None if named or content.kind == "instance" else without.items_shown(value.identity, content)
    visible = set(range(items)) if shown is None else {place for place in shown if place < items}
    visible |= {
        items + at
        for at, name in enumerate(content.attributes)
        if content.kind != "instance" or not without.leaves_out(value.identity, row[1], name)
    }
    for place, gap in gaps(length, visible):
        if gap and place + gap > start:
            first = max(place, start)
            yield first, place + gap - first
        elif not gap and place >= start:
            yield place, 0


def left_out_of(tree: ExecutionTree, node: int, value: Value) -> Unread | None:
    """What a question about a node leaves out of a value that it shows."""
    trace, code = tree.trace, tree.code(node)
    if trace is None or value.identity <= 0:
        return None
    before, after = tree.left_out(node)
    return before if value.time <= (trace.start[node] if code is None else code.start) else after
