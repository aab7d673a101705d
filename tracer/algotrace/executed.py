"""Which code one activation executed itself: `getCode` of *Algorithmic debugging generalized* (Insa & Silva 2018,
Lemma 1), at the level of the pieces that blocks are made of.

Blocks open and close as their marks come by. A block that is left early (return, break, an exception) counts up to
where it was left; what encloses it counts up to there too.
"""

from __future__ import annotations

import ast
import re
from array import array
from bisect import bisect_left, bisect_right
from functools import lru_cache
from itertools import accumulate, chain, compress, islice
from operator import gt
from typing import TYPE_CHECKING
from collections.abc import Iterator, Sequence

from algotrace.marks import (
    BLOCK, BLOCK_END, DONE, ENTER, HANDLER, LEAVE, OUTCOME, OUTCOME_NONE, RAISE, RETURN, RETURN_NONE,
)  # fmt: skip
from algotrace.planes import gather
from algotrace.stored import remember

if TYPE_CHECKING:
    from algotrace.trace import Trace
    from algotrace.unit_tables import Block, Mark

    Others = tuple[Sequence[int], Sequence[int]]
    ExecutedSpan = tuple[int, tuple[int, int, int, int]]

_FAR = (1 << 30, 0)
_IF = re.compile(r"[\s)]*if\b")
_MOST_MARKS = 100_000  # of one activation that are looked at one by one
_LAST = 10_000  # events at its end, which are looked at as well
_FEW_MARKS = 200
_MOST_WAYS = 1000
_DEEPEST = 300  # blocks that the one around another is looked for in; it is among the last ones
NEEDS_END = frozenset({"with", "guarded"})  # a body that an exception may leave without a mark


class _Open:
    """A block instance that has been entered and not left."""

    __slots__ = ("base", "block", "cut", "ended", "last")

    def __init__(self, block: int, base: bool) -> None:
        self.block = block
        self.base = base  # the own block of a routine
        self.cut: tuple[int, int] | None = None  # left at this position
        self.ended = False
        self.last = (0, 0)  # start of the latest nested block


def executed_spans(trace: Trace, node: int) -> list[ExecutedSpan]:
    """(block, span) pairs in source order."""
    reached: dict[int, tuple[int, int]] = {}
    marks = list(islice(_marks_looked_at(trace, node, reached), _FEW_MARKS))
    if (
        len(marks) < _FEW_MARKS
        and not reached
        and all(mark.kind not in (HANDLER, RAISE) for _, mark in marks)
    ):
        # Calls that came the same way, of which there are many, executed the same.
        way = (trace.routine[node], *(trace.event(time) for time, _ in marks))
        known = trace.spans_by_way.get(way)
        if known is None:
            known = _spans_of(trace, node, iter(marks), reached)
            remember(trace.spans_by_way, way, known, _MOST_WAYS)
        return known
    reached.clear()
    return _spans_of(trace, node, _marks_looked_at(trace, node, reached), reached)


def _spans_of(
    trace: Trace,
    node: int,
    marks: Iterator[tuple[int, Mark]],
    reached: dict[int, tuple[int, int]],  # block → furthest position reached in any instance
) -> list[ExecutedSpan]:
    blocks = trace.blocks
    chosen: set[int] = set()  # arms that were entered
    raised: set[tuple[int, int]] = set()
    stack: list[_Open] = []

    def close(opened: _Open) -> None:
        block = blocks[opened.block]
        limit = _FAR
        if opened.cut is not None:
            limit = opened.cut
        elif block.kind in NEEDS_END and not opened.ended and not block.terminator:
            limit = max(opened.last, _first_end(block))
        reached[opened.block] = max(reached.get(opened.block, (0, 0)), limit)
        if block.terminator and opened.cut is None:
            _leave_loop(stack, opened, block)

    def close_until(keep: int, cut: tuple[int, int] | None) -> None:
        while len(stack) > keep:
            opened = stack.pop()
            if cut is not None and opened.cut is None and _contains(trace, opened.block, cut):
                opened.cut = cut
            close(opened)

    for time, mark in marks:
        kind = mark.kind
        if kind == ENTER:
            stack.append(_Open(mark.block, True))
        elif kind in (BLOCK, HANDLER):
            cut = _position(trace, time, mark) if kind == HANDLER else None
            if blocks[mark.block].kind == "arm":
                chosen.add(mark.block)
            if cut is not None:
                raised.add(cut)
            _open(trace, stack, mark.block, cut, close_until)
        elif kind == BLOCK_END and mark.label == "after":
            keep = next((i for i in range(len(stack) - 1, -1, -1) if stack[i].block == mark.block), None)
            if keep is not None:
                close_until(keep + 1, None)
        elif kind == BLOCK_END:
            for opened in reversed(stack):
                if opened.block == mark.block:
                    opened.ended = True
                    break
        elif kind in (RETURN, RETURN_NONE, RAISE, LEAVE):
            base = _base(stack)
            cut = None
            if kind == RAISE:
                cut = _position(trace, time, mark)
                raised.update([cut] if cut is not None else ())
            elif mark.at is not None:
                cut = (mark.at.end_line, mark.at.end_column)
            if kind == RAISE and mark.label == "guarded":
                _cut(trace, stack, base, cut)
            else:
                close_until(base, cut)
        elif kind in (OUTCOME, OUTCOME_NONE) and mark.at is not None:
            _cut(trace, stack, _base(stack), (mark.at.end_line, mark.at.end_column))
    close_until(0, None)
    tests = {test for arm in chosen for test in _test_after(trace, arm)}
    source = trace.routines[trace.routine[node]].source
    behind = _behind_elements(trace.sources[source].text, raised) if raised else []
    spans = []
    for number, limit in reached.items():
        for span in blocks[number].spans:
            start = (span[0], span[1])
            if start < limit or (number, *start) in tests or any(a <= start < b for a, b in behind):
                spans.append((number, (span[0], span[1], span[2], span[3])))
    return sorted(set(spans), key=lambda item: (blocks[item[0]].routine, item[1]))


def _test_after(trace: Trace, arm: int) -> list[tuple[int, int, int]]:
    """Of `arm if test else other`, the pieces of the test: evaluated first, although they stand behind."""
    block = trace.blocks[arm]
    end = trace.block_extents[arm][1]
    other = arm + 1  # what is nested in the arm comes in between
    while other < trace.block_count and trace.blocks[other].parent >= arm:
        other += 1
    if other == trace.block_count or (trace.blocks[other].parent, trace.blocks[other].kind) != (
        block.parent,
        "arm",
    ):
        return []
    stop = trace.block_extents[other][0]
    between = [s for s in trace.blocks[block.parent].spans if end <= (s[0], s[1]) < stop]
    text = trace.sources[trace.routines[block.routine].source].text
    if not between or not _IF.match(text.split("\n")[between[0][0] - 1], between[0][1]):
        return []
    return [(block.parent, span[0], span[1]) for span in between]


def _behind_elements(
    text: str, raised: set[tuple[int, int]]
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Of comprehensions whose element raised: from where to where the rest reaches, which is evaluated before it."""
    return [
        (behind, end)
        for start, behind, end in _comprehensions(text)
        if any(start <= position < behind for position in raised)
    ]


@lru_cache(maxsize=64)
def _comprehensions(text: str) -> list[tuple[tuple[int, int], tuple[int, int], tuple[int, int]]]:
    """Where each starts, where its element ends, where it ends. Columns are those of ASCII lines."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            element = node.value if isinstance(node, ast.DictComp) else node.elt
            behind = (element.end_lineno or 0, element.end_col_offset or 0)
            found.append(
                ((node.lineno, node.col_offset), behind, (node.end_lineno or 0, node.end_col_offset or 0))
            )
    return found


def _open(
    trace: Trace, stack: list[_Open], block: int, cut: tuple[int, int] | None, close_until: object
) -> None:
    parent = trace.blocks[block].parent
    deepest = max(len(stack) - _DEEPEST, 0)
    keep = next((i for i in range(len(stack) - 1, deepest - 1, -1) if stack[i].block == parent), None)
    if keep is not None:
        close_until(keep + 1, cut)  # type: ignore[operator]
        spans = trace.blocks[block].spans
        if spans:
            stack[keep].last = max(stack[keep].last, (spans[0][0], spans[0][1]))
    stack.append(_Open(block, False))


def _cut(trace: Trace, stack: list[_Open], base: int, position: tuple[int, int] | None) -> None:
    """What is open was left at `position`; it stays open for the `finally` clauses to come."""
    for opened in stack[base:]:
        if position is not None and opened.cut is None and _contains(trace, opened.block, position):
            opened.cut = position


def _contains(trace: Trace, block: int, position: tuple[int, int]) -> bool:
    """Whether a position lies in a block; one that does not had run to its end before."""
    start, end = trace.block_extents[block]
    return start <= position <= end


def _base(stack: list[_Open]) -> int:
    return next((i for i in range(len(stack) - 1, -1, -1) if stack[i].base), 0)


def _first_end(block: Block) -> tuple[int, int]:
    return (block.spans[0][2], block.spans[0][3]) if block.spans else (0, 0)


def _leave_loop(stack: list[_Open], opened: _Open, block: Block) -> None:
    """`break` or `continue` ran: what encloses it, up to the loop's body, was left at its position."""
    position = (block.end[0], block.end[1] + 1)
    if opened.block == block.loop:
        return
    for outer in reversed(stack):
        outer.cut = outer.cut or position
        if outer.block == block.loop:
            return


def _position(trace: Trace, time: int, mark: Mark) -> tuple[int, int] | None:
    values = trace.values_at(time, mark)
    offset = trace.row(values[-1]) if len(values) == mark.size else None
    position = trace.positions.get(f"{mark.routine}:{offset}")
    return (position[0], position[1]) if position else None


def _marks_looked_at(
    trace: Trace, node: int, reached: dict[int, tuple[int, int]]
) -> Iterator[tuple[int, Mark]]:
    """All marks of a node itself; of one that ran very long, a loop without end mostly, the first and the last ones.
    Blocks that ran in between alone then count as reached, all of them."""
    routine = trace.routine[node]
    for count, (time, mark) in enumerate(own_marks(trace, node)):
        yield time, mark
        if count < _MOST_MARKS:
            continue
        last = max(trace.end[node] - _LAST, time + 1)
        for number in trace.marks_between(time + 1, last):
            between = trace.marks[number]
            if between.kind == BLOCK and between.routine == routine:
                reached.setdefault(between.block, _FAR)
        yield from own_marks(trace, node, last)
        return


def own_marks(trace: Trace, node: int, since: int = 0) -> Iterator[tuple[int, Mark]]:
    """The marks of a node itself: its time without that of its children and of other sleepers that woke in it."""
    for time, mark, _ in own_events(trace, node, since):
        if mark is not None:
            yield time, mark


def own_events(
    trace: Trace, node: int, since: int = 0, others: Others | None = None, *, with_done: bool = False
) -> Iterator[tuple[int, Mark | None, int]]:
    """The events of a node itself, as `own_marks`: (time, mark, 0), or (time, None, number) for a value without a mark.

    With `since` those from a time on; if that is amid a mark's values they are given as values without one. Who looks
    at several places of a long activation gives its `others`. That writes are DONE is told only `with_done`.
    """
    first_object = trace.first_object
    starts, ends = others if others is not None else others_of(trace, node)
    count = len(starts)
    for first, last in intervals(trace, node, since):
        time = max(first, since)
        position = bisect_left(ends, time)
        while time <= last and time < _length(trace):
            while position < count and ends[position] < time:
                position += 1
            if position < count and starts[position] <= time:
                end = ends[position]  # past the last event, where the activation did not
                mark = trace.mark_at(end) if end < _length(trace) else None
                time = end + 1 + (mark.size if mark is not None else 0)
                continue
            code = trace.event(time)
            if code >= first_object:
                yield time, None, code
                time += 1
                continue
            mark = trace.marks[code]
            if mark.kind != DONE or with_done:
                yield time, mark, 0
            time += 1
            for _ in range(mark.size):  # its values, as far as it was not cut short
                if time > last or time >= _length(trace) or trace.event(time) < first_object:
                    break
                time += 1


def _length(trace: Trace) -> int:
    return trace.end[0]


def intervals(trace: Trace, node: int, since: int = 0) -> list[tuple[int, int]] | Iterator[tuple[int, int]]:
    """The stretches of time in which it was awake, from a time on."""
    times = trace.segments.get(node)
    if times:
        first = bisect_left(times, since) // 2  # of the first one that does not end before
        return ((times[at], times[at + 1]) for at in range(2 * first, len(times), 2))
    return [(trace.start[node], trace.end[node])]


def others_of(trace: Trace, node: int) -> Others:
    """When others ran while a node was under way: where each stretch starts, and its last event; in order.

    What ran inside another one's stretch is not told again.
    """
    end = node + trace.size[node]
    starts, ends = trace.start[node:end], trace.end[node:end]
    if not trace.segments and len(starts) > 1 and max(trace.size[node + 1 : end]) == 1:
        return starts[1:], ends[1:]  # they called nothing
    children = _children_awake(trace, node)
    if trace.sleepers:
        in_order = array("I", sorted(children, key=starts.__getitem__))  # of several threads they are not
        return _with_sleepers(trace, node, starts, ends, in_order)
    return _outermost(array("I", gather(starts, children)), array("I", gather(ends, children)))


def _children_awake(trace: Trace, node: int) -> array[int]:
    """Children that never sleep, as distances from their parent."""
    end = node + trace.size[node]
    sizes = trace.size[node:end]
    asleep = bytearray(len(sizes))
    for sleeper in trace.segments.between(node, end):
        asleep[sleeper - node] = 1
    found, child = array("I"), 1
    while child < len(sizes):
        if not asleep[child]:
            found.append(child)
        child += sizes[child]
    return found


def _with_sleepers(
    trace: Trace, node: int, starts: Sequence[int], ends: Sequence[int], children: array[int]
) -> Others:
    sleeps, first, last = trace.sleepers, starts[0], ends[0]
    above, up = {node}, trace.parent[node]
    while up >= 0:  # one that delegates to this node is awake with it
        above.add(up)
        up = trace.parent[up]
    found_starts, found_ends = array("I"), array("I")
    at = bisect_left(sleeps.starts, first)
    for child in chain(children, (None,)):  # those that start between the children that do not sleep
        before = (
            bisect_right(sleeps.starts, last)
            if child is None
            else bisect_left(sleeps.starts, starts[child], at)
        )
        if at < before:
            wanted = [other not in above for other in sleeps.nodes[at:before]]
            found_starts.extend(compress(sleeps.starts[at:before], wanted))
            found_ends.extend(compress(sleeps.ends[at:before], wanted))
        if child is not None:
            found_starts.append(starts[child])
            found_ends.append(ends[child])
            at = bisect_right(sleeps.starts, ends[child], before)
    return _outermost(found_starts, found_ends)


def _outermost(starts: array[int], ends: array[int]) -> Others:
    latest = chain((-1,), accumulate(ends, max))
    kept = list(map(gt, ends, latest))
    if all(kept):
        return starts, ends
    return array("I", compress(starts, kept)), array("I", compress(ends, kept))
