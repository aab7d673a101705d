"""What a question leaves out of the values it shows: what the call, or the code in it, surely did not look at, nor write.

Of objects those attributes that no code it ran names (`unread`), of containers those items that no evaluation in it
looked at (`looking`). What goes in is shown as it was before the call; what comes out as it is after it, and there only
what was there before can be left out: what the call made is shown whole.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, NamedTuple

from algodebug.looking import Looked, is_too_long, looked_at, looked_at_in
from algodebug.slicing.graph import Graph
from algotrace import marks
from algotrace.unread import Unread
from algotrace.value_text import COMPOUND, gaps

if TYPE_CHECKING:
    from algodebug.code_nodes import CodeNode
    from algotrace.content import Content
    from algotrace.trace import Trace
    from algotrace.values import Value

_MOST_WRITES = 2000  # into one container during the call
_FEW = 3  # numbers and texts side by side: so many are left out at least
_TELLING = 8  # items that tell which container it is
_MOST_BEFORE = 20_000  # objects that were there before
_MOST_CALLS = 3_000  # that code made
_MANY = 50  # objects, among which there is something to leave out
_MOST_FOLLOWED = 60_000  # evaluations that are kept for the next question


class Span(NamedTuple):
    """From when to when something ran; values are shown as they were at the first time, and behind the last."""

    first: int
    last: int


class LeftOut(Unread):
    """For the values that go into a call, or into code."""

    def __init__(self, trace: Trace, span: Span, unread: Unread | None, looked: Looked | None) -> None:
        self.trace = trace
        self.span = span
        self._unread = unread
        self._looked = looked
        self._shown: dict[int, Collection[int] | None] = {}
        self.parameters = unread.parameters if unread is not None else frozenset[str]()

    def leaves_out(self, number: int, type_number: int, attribute: str) -> bool:
        return self._unread is not None and self._unread.leaves_out(number, type_number, attribute)

    def items_shown(self, number: int, content: Content) -> Collection[int] | None:
        if number not in self._shown:
            self._shown[number] = self._items_shown(number, content)
        return self._shown[number]

    def _items_shown(self, number: int, content: Content) -> Collection[int] | None:
        shown = self.looked_at(number, content)
        if shown is None:
            return None
        keyed = content.kind in ("dict", "set", "frozenset")
        parts = [value for _, value in content.pairs.values()] if keyed else content.items
        for first, count in list(gaps(len(parts), shown)):
            if 0 < count < _FEW and not any(map(self._is_compound, parts[first : first + count])):
                shown.update(range(first, first + count))  # a gap would tell less and be no shorter
        return shown

    def looked_at(self, number: int, content: Content) -> set[int] | None:
        """The places of the items that were looked at or written; None for all of them."""
        looked = self._looked
        if looked is None or number in looked.whole or not content.certain:
            return None
        written = self._written(number)
        if written is None:
            return None
        keys = looked.keys.get(number, set()) | written
        if content.kind in ("dict", "set", "frozenset"):
            return {at for at, key in enumerate(content.pairs) if key in keys}
        return keys

    def _is_compound(self, number: int) -> bool:
        row = self.trace.row(number)
        return type(row) is list and row[0] in COMPOUND

    def _written(self, number: int) -> set[Any] | None:
        """The keys that were stored to during the call; None where items may have moved."""
        trace = self.trace
        writes = trace.writes_of(number)
        times = writes.times
        first, last = writes.between(*self.span)
        if first == last:
            return set()
        if last - first > _MOST_WRITES:
            return None
        row = trace.row(number)
        found: set[Any] = set()
        for at in range(first, last):
            if writes.slots[at] == marks.APPENDED:
                size = len(trace.content(number, times[at]).items)
                if row[0] != "list":
                    return None
                found.add(size)
                continue
            write = trace.write_at(times[at])
            if row[0] == "dict" and write.kind in (marks.ITEM, marks.ITEM_DELETED):
                found.add(trace.key_identity(write.values[1]))
            elif row[0] == "list" and write.kind == marks.ITEM:
                key = trace.row(write.values[1])
                if type(key) is not int:
                    return None
                found.add(key if key >= 0 else key + len(trace.content(number, times[at]).items))
            elif row[0] in ("list", "dict") and write.kind == marks.PASSED:
                # A copy, to see whether unrecorded code changed it: then it was looked at as a whole.
                continue
            elif row[0] not in ("list", "dict", "deque", "set", "bytearray"):
                continue  # an object's attributes, by name
            elif not self._only_the_last(number, times[at]):
                return None
        return found

    def _only_the_last(self, number: int, time: int) -> bool:
        """Was it changed at its end alone (`pop`, `extend`)?"""
        content, after = self.trace.content(number, time), self.trace.content(number, time + 1)
        short, long = sorted((content.items, after.items), key=len)
        return content.kind == "list" and long[: len(short)] == short


class LeftOutAfter(LeftOut):
    """For what comes out of a call."""

    def __init__(self, before: LeftOut, there: set[int] | None) -> None:
        super().__init__(before.trace, before.span, before._unread, before._looked)
        self._there = there  # what was there before; None where that is not known

    def leaves_out(self, number: int, type_number: int, attribute: str) -> bool:
        if self._there is None or number not in self._there:
            return False
        if not super().leaves_out(number, type_number, attribute):
            return False
        # Of an object that was only handed on it is told which one it is.
        attributes = self.trace.content(number, self.span.last + 1).attributes
        if all(super(LeftOutAfter, self).leaves_out(number, type_number, name) for name in attributes):
            return self._is_compound(attributes[attribute]) if attribute in attributes else True
        return True

    def items_shown(self, number: int, content: Content) -> Collection[int] | None:
        if self._there is None or number not in self._there:
            return None
        shown = super().items_shown(number, content)
        few = len(content.items) + len(content.pairs) <= _TELLING
        if not shown and few and not any(map(self._is_compound, content.items)):
            return None  # it was only handed on: which one it is
        return shown


class LeavesOut:
    """What is left out of the questions about one trace, for one node after the other."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._graph = Graph(trace)
        self._last: tuple[int, LeftOut | None, LeftOut | None] = (-1, None, None)

    def of_call(self, node: int) -> tuple[LeftOut | None, LeftOut | None]:
        """For what goes into a call, and for what comes out; None where nothing is left out."""
        if self._last[0] != node:
            trace = self._trace
            given: list[Value] = []
            if node and not is_too_long(trace, node):
                given = [argument.value for argument in trace.arguments(node)]
                given += [read.value for read in trace.reads(node) if read.value is not None]
            span = Span(trace.start[node], trace.end[node])
            self._last = (node, *self._both(node, span, given, lambda: looked_at(self._kept(), node)))
        return self._last[1:]

    def of_code(self, node: CodeNode) -> tuple[LeftOut | None, LeftOut | None]:
        """For what goes into code, and for what it changed."""
        if self._last[0] != node.id:
            call, span = node.code.node, Span(node.start, node.end - 1)

            def looked() -> Looked | None:
                if len(node.calls) > _MOST_CALLS:
                    return None
                calls = [node.code.calls[at] for at in node.calls]
                return looked_at_in(self._kept(), call, node.region, node.start, node.end, calls)

            self._last = (node.id, *self._both(call, span, [each.value for each in node.inputs], looked))
        return self._last[1:]

    def _kept(self) -> Graph:
        if sum(len(each.instances) for each in self._graph.activations.values()) > _MOST_FOLLOWED:
            self._graph = Graph(self._trace)
        return self._graph

    def _both(
        self, call: int, span: Span, given: list[Value], look: Callable[[], Looked | None]
    ) -> tuple[LeftOut | None, LeftOut | None]:
        unread = self._trace.unread(call) if call else None
        there = self._there(given, span.first)
        looked = look() if self._is_worth_it(there, span.first) else None
        if unread is None and looked is None:
            return None, None
        before = LeftOut(self._trace, span, unread, looked)
        return before, LeftOutAfter(before, there)

    def _is_worth_it(self, there: set[int] | None, time: int) -> bool:
        """Whether items of anything could be left out: following all that ran takes its time."""
        if there is None or len(there) > _MANY:
            return True
        for number in there:
            content = self._trace.content(number, time)
            parts = [*content.items, *(value for _, value in content.pairs.values())]
            if len(parts) >= _FEW or any(part in there for part in parts):
                return True
        return False

    def _there(self, given: list[Value], time: int) -> set[int] | None:
        """The objects that can be reached from what was given and read, as they were before it."""
        trace = self._trace
        todo = [value.identity for value in given]
        found: set[int] = set()
        while todo:
            number = todo.pop()
            if number <= 0 or number in found:
                continue
            row = trace.row(number)
            if type(row) is not list or row[0] not in COMPOUND:
                continue
            if len(found) >= _MOST_BEFORE:
                return None
            found.add(number)
            content = trace.content(number, time)
            todo += content.attributes.values()
            todo += content.items
            for pair in content.pairs.values():
                todo += pair
        return found
