"""The events of one activation as a list to step through, and the ways in which a piece of code can be left."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from algodebug.slicing.instances import Instance
from algotrace import executed, marks

if TYPE_CHECKING:
    from algotrace.trace import Trace

VALUE, CHILD = -1, -2  # besides the kinds of marks: a value without a mark; the run of another node

_YIELDED = 2  # the outcome of a generator that did not come to its end

# (time, kind, mark | number | node, values | end)
Item = tuple[int, int, Any, Any]


_LEAVING = frozenset({marks.RETURN, marks.RETURN_NONE, marks.OUTCOME, marks.OUTCOME_NONE})


class Disagreement(Exception):
    """The events do not fit the text."""


class Unreadable(Disagreement, ValueError):
    """The text of a source is not known to this Python."""


class Jump(Exception):
    """Straight execution is left."""


class Returned(Jump):
    def __init__(self, instance: Instance) -> None:
        self.instance = instance


class Thrown(Jump):
    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.unrun: list[Any] | None = None  # code that would have run without the exception


class Left(Jump):
    """`break` or `continue`."""

    def __init__(self, kind: str) -> None:
        self.kind = kind


class Ended(Jump):
    """The recording of it ends here: a generator that was never resumed, a call that never returned."""


def items_of(trace: Trace, node: int) -> list[Item]:
    """All that happened in a node, in order; a child's run is one item."""
    own: list[Item] = []
    for time, mark, values in trace.own_events(node):
        if mark is None:
            own.append((time, VALUE, values[0], None))
        elif not mark.tells_who_is_awake:
            own.append((time, mark.kind, mark, values))
    others = [(first, CHILD, child, last) for first, last, child in runs_inside(trace, node)]
    if not others:
        return own
    merged = own + others
    merged.sort(key=lambda item: item[0])
    return merged


def runs_inside(trace: Trace, node: int) -> list[tuple[int, int, int]]:
    """(start, end, node) of the outermost runs of other nodes while this one was awake."""
    found = [
        (trace.start[child], trace.end[child], child)
        for child in trace.children(node)
        if child not in trace.segments
    ]
    sleeps = trace.sleepers
    if sleeps:
        times = trace.segments.get(node) or [trace.start[node], trace.end[node]]
        above, up = {node}, trace.parent[node]
        while up >= 0:
            above.add(up)
            up = trace.parent[up]
        for first, last in zip(times[::2], times[1::2], strict=False):
            for position in range(bisect_right(sleeps, (first, 0, 0)), len(sleeps)):
                start, end, other = sleeps[position]
                if start > last:
                    break
                if other not in above and end <= last:
                    found.append((start, end, other))
        found.sort(key=lambda run: (run[0], -run[1]))  # one that hands on starts with what it hands on to
        outermost: list[tuple[int, int, int]] = []
        for run in found:
            if not outermost or run[0] > outermost[-1][1]:
                outermost.append(run)
        return outermost
    return found


class Cursor:
    """Where in the events of an activation the walk stands. Writes that nobody claimed are passed over."""

    def __init__(self, trace: Trace, items: list[Item]) -> None:
        self.trace = trace
        self.items = items
        self.at = 0
        self.now = items[0][0] if items else 0  # the state reads see: just before what happens then
        self.routine = -1
        self.around: list[int] = []  # of an inline activation: the routines that it runs in
        self.lazy: set[int] = set()  # blocks of generator expressions: they run whenever somebody asks
        self.unclaimed: list[Item] = []
        self.closing = False  # the code under way says `close`
        self.closed: dict[int, None] = {}  # generators that were let go of, and so ended

    def peek(self) -> Item | None:
        """What comes next, were it a write."""
        items = self.items
        while self.at < len(items):
            item = items[self.at]
            if item[1] == marks.BLOCK and (
                item[2].block in self.lazy or self._is_of_others(self.trace.blocks[item[2].block].routine)
            ):
                self.at += 1
                continue
            if item[1] == CHILD and not self.closing and self._is_let_go(item):
                self.closed[item[2]] = None
                self.at += 1
                continue
            return item
        return None

    def _is_of_others(self, routine: int) -> bool:
        return routine != self.routine and routine not in self.around

    def _is_let_go(self, item: Item) -> bool:
        """Whether it is the last run of a generator that nobody asks any more: no code of this activation tells of it."""
        trace, node = self.trace, item[2]
        if node not in trace.segments or item[3] != trace.end[node] or trace.outcome_kind[node] != _YIELDED:
            return False
        mark = trace.mark_at(item[3])
        return mark is not None and mark.kind == marks.RAISE

    def peek_mark(self) -> Item | None:
        """What comes next, writes passed over."""
        at = self.at
        while (item := self.peek()) is not None and item[1] in marks.WRITES:
            self.at += 1
        self.at = at
        return item

    def behind_finally(self) -> Item | None:
        """With a `finally` next: the mark of the exception that goes on when it has run; None where none does."""
        outer: Any = None
        for at in range(self.at, len(self.items)):
            item = self.items[at]
            kind = item[1]
            if kind in (marks.BLOCK, marks.HANDLER):
                block = self.trace.blocks[item[2].block]
                place = block.of
                if block.routine != self.routine:
                    continue
                if block.kind == "finally":
                    outer = outer if outer is not None and _is_inside(place, outer) else place
                elif place is None or outer is None or place == outer or not _is_inside(place, outer):
                    return item if kind == marks.HANDLER else None
            elif kind == marks.RAISE:
                return item
            elif kind in _LEAVING:
                return None
        return None

    def take(self) -> Item:
        item = self.items[self.at]
        self.at += 1
        if item[1] == CHILD:
            self.now = item[3] + 1
        else:
            self.now = item[0] + 1
        return item

    def take_mark(self) -> Item:
        """Takes what `peek_mark` showed."""
        while (item := self.peek()) is not None and item[1] in marks.WRITES:
            self.unclaimed.append(self.take())
        return self.take()

    def position(self, item: Item) -> tuple[int, int] | None:
        """Where the exception came from that a mark tells of: line and column of the end of the expression."""
        return executed._position(self.trace, item[0], item[2])


def _is_inside(place: Any, outer: Any) -> bool:
    return bool((outer[0], outer[1]) <= (place[0], place[1]) and (place[2], place[3]) <= (outer[2], outer[3]))
