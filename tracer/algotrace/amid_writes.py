"""Code of the program that runs amid a write: a generator that `extend` asks, the key of a `sort`, an `__eq__` of a key.

A write is noted before it begins, and undone as a whole: what a container is like meanwhile is not known. A write of one call is
over when the activation that has begun it goes on, which its next event tells: what the call gave, or a DONE. Of those after which
there need not be one, only what comparing and hashing calls counts. Left out: attributes, whose stores run no code but in
`__setattr__` and descriptors, which store themselves.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple
from collections.abc import Iterator, Sequence

from algotrace.content import ITERATING
from algotrace.explained import is_copy
from algotrace.executed import others_of, own_events
from algotrace.marks import (
    APPEND, APPENDED, CONTENT, DONE, ENTER, ITEM, ITEM_DELETED, LEAVE, MADE_AGAIN, METHOD_GIVEN, METHOD_NAMED, MUTATE, NAMED, NEVER, PASSED, RAISE,
    RESUME, RETURN, RETURN_NONE,
)  # fmt: skip
from algotrace.stored import remember
from algotrace.trace_file import EVENTS_PER_PART
from algotrace.unfollowed import is_handing
from algotrace.unit_tables import Mark

if TYPE_CHECKING:
    from algotrace.executed import Others
    from algotrace.write_index import ObjectWrites

_CALLED = frozenset({MUTATE, PASSED, NAMED})  # … operators that are functions, and updates of namespaces
_AMID = frozenset({MUTATE, CONTENT, ITEM, ITEM_DELETED})
_NOTES = frozenset({NAMED, PASSED, CONTENT})  # of the arguments, and what an object has that is made again
_ENDS = frozenset({RETURN, RETURN_NONE, RAISE, LEAVE})
_ANY, _COMPARES = "anything", "what compares and hashes"
_GIVEN, _CALLED_BACK = "if something was changed unseen", "the same, or was written"
_SEES_LOCALS = re.compile(r"\b(?:locals|vars|dir|eval|exec|globals|f_locals)\b")  # see `instrument_names`
_MOST_NOTES = 100  # that belong to one write
_CACHED = 1000


class _Span(NamedTuple):
    """The times of a write that code of the program runs amid."""

    begin: int
    end: int
    latest: int  # end of this one and those before
    what: str  # counts of what is called
    node: int  # whose it is
    mark: Mark


class AmidWrites:
    """What is known of one trace: from when until when its writes last."""

    def __init__(self, trace: Any) -> None:
        self._trace = trace
        self._spans: OrderedDict[int, list[_Span]] = OrderedDict()
        self._mixed: dict[int, int] = {}  # object → the end of its last write that others were amid
        self._others: OrderedDict[int, Others] = OrderedDict()
        self._may_run: dict[int, bool] = {}  # by mark
        self._have_values: dict[int, bool] = {}  # by routine: is noted what each call gives?

    def begun_before(self, number: int, writes: ObjectWrites, time: int) -> int | None:
        """The position of the first write of an object that is under way at `time`; None for none."""
        spans, begun = self._known_spans(number, writes), None
        for which in range(bisect_left(spans, (time,)) - 1, -1, -1):
            span = spans[which]
            if span.latest <= time:
                break
            if time < span.end and self._counts(number, writes, span, time):
                begun = span.begin
        return None if begun is None else bisect_left(writes.times, begun)

    def is_mixed_later(self, number: int, writes: ObjectWrites, time: int) -> bool:
        """Whether an object is written to amid a write at `time` or later, so that neither can be taken back."""
        spans = self._known_spans(number, writes)
        return bool(spans) and time < self._mixed.get(number, 0)

    def _known_spans(self, number: int, writes: ObjectWrites) -> list[_Span]:
        spans = self._spans.get(number)
        if spans is None:
            spans = self._spans_of(number, writes)
            remember(self._spans, number, spans, _CACHED)
            for span in reversed(spans):
                if self._has_others_amid(number, writes, span):
                    self._mixed[number] = span.end
                    break
        return spans

    def _has_others_amid(self, number: int, writes: ObjectWrites, span: _Span) -> bool:
        """Whether there are writes amid one that has no copy, and not only such as stay as they are when it is taken back."""
        trace = self._trace
        next_ = bisect_right(writes.times, span.begin)
        if next_ == len(writes) or writes.times[next_] >= span.end or span.what in (_GIVEN, _CALLED_BACK):
            return False
        saved = trace.row(trace.values_at(span.begin, span.mark)[1])
        if is_copy(saved) or not self._counts(number, writes, span, writes.times[next_]):
            return False
        last = bisect_left(writes.times, span.end)
        if span.mark.kind != MUTATE or type(saved) is not int or last - next_ > _MOST_NOTES:
            return True
        # What was added is taken away by the number of parts: what stays must be at its place.
        for position in range(next_, last):
            if writes.slots[position] != APPENDED:
                write = trace.write_at(writes.times[position])
                if write.kind == APPEND or write.kind == ITEM:
                    continue
                within = trace.row(write.values[1]) if write.kind == MUTATE else None
                return not (is_copy(within) or write.kind == CONTENT)
        return False

    def _spans_of(self, number: int, writes: ObjectWrites) -> list[_Span]:
        trace = self._trace
        found: list[_Span] = []
        latest = 0
        for written, code in self._codes(writes):
            may_run = self._may_run.get(code)
            if may_run is None:
                may_run = self._may_run[code] = self._told_by(trace.marks[code])
            if not may_run:
                continue
            mark = trace.marks[code]
            until, what = self._until(number, written, mark)
            if until:
                latest = max(latest, until)
                found.append(_Span(written, until, latest, what, trace.node_at(written), mark))
        return found

    def _codes(self, writes: ObjectWrites) -> Iterator[tuple[int, int]]:
        """When an object was written to, and the mark; appends left out."""
        part: Sequence[int] = ()
        first = end = 0
        for time in compress(writes.times, map(APPENDED.__ne__, writes.slots)):
            if time >= end:
                first = time - time % EVENTS_PER_PART
                part, end = self._trace.events_from(first), first + EVENTS_PER_PART
            yield time, part[time - first]

    def _told_by(self, mark: Mark) -> bool:
        """Whether code of the program may run amid such a write."""
        if mark.kind == ITEM or self._ends_seen(mark) or _is_passed(mark):
            return True
        return mark.kind in _AMID and self._has_comparing

    def _ends_seen(self, mark: Mark) -> bool:
        """Whether an event follows when it is over."""
        if mark.kind == CONTENT:
            return True
        method = mark.label.partition("\t")[2].partition(" ")[0]
        return mark.kind in _CALLED and (method in ITERATING or (mark.kind == MUTATE and not method))

    @functools.cached_property
    def _has_comparing(self) -> bool:
        return any(routine.name in self._trace.comparing for routine in self._trace.routines)

    def _until(self, number: int, written: int, mark: Mark) -> tuple[int, str]:
        """When a write is over amid which something runs, 0 where nothing does; and what counts."""
        trace = self._trace
        entered, since = self._entered_next(written, mark)
        if entered is None or self._is_init_itself(number, mark, entered, since):
            return 0, ""
        if self._ends_seen(mark):
            return self._end_of(written, mark), _ANY
        if mark.kind == PASSED:
            given = entered.kind == ENTER and number in trace.values_at(since, entered)
            return self._end_of(written, mark, of_call=True), _GIVEN if given else _CALLED_BACK
        if trace.routines[entered.routine].name in trace.comparing:
            return self._end_of(written, mark), _COMPARES
        is_new = mark.kind == ITEM and trace.row(trace.values_at(written, mark)[-1]) == ["absent"]
        if is_new and trace.makes_defaults(number):
            return self._end_of_call(trace.node_at(written), since), _ANY
        return 0, ""

    def _is_init_itself(self, number: int, mark: Mark, entered: Mark, since: int) -> bool:
        """Whether what starts is the `__init__` that an object is made again by, which tells what it does."""
        if mark.kind != CONTENT or not mark.label.endswith(f"\t{MADE_AGAIN}"):
            return False
        name = self._trace.routines[entered.routine].name
        return bool(name == MADE_AGAIN and self._trace.values_at(since, entered)[:1] == [number])

    def _counts(self, number: int, writes: ObjectWrites, span: _Span, time: int) -> bool:
        called = self._called_there(span.node, time)
        if span.what in (_GIVEN, _CALLED_BACK):
            next_ = bisect_right(writes.times, span.begin)
            hides = span.what == _CALLED_BACK and next_ < len(writes) and writes.times[next_] < span.end
            return hides or bool(self._trace.was_changed_since(number, writes, span.begin))
        if span.what == _COMPARES:
            return called in self._trace.comparing or self._is_in_lambda(span, time)
        return called != "__del__"

    def _is_in_lambda(self, span: _Span, time: int) -> bool:
        """Whether a lambda compares then, which is no node of its own everywhere."""
        inside, routine = 0, self._trace.routine[span.node]
        for at, found, _ in self._events_of(span.node, span.begin + 1):
            if at > time or at >= span.end:
                break
            if found is not None and found.routine != routine:
                is_comparing = self._trace.routines[found.routine].name in self._trace.comparing
                inside += (found.kind == ENTER and is_comparing) - (found.kind in _ENDS and inside > 0)
        return inside > 0

    def _entered_next(self, written: int, mark: Mark) -> tuple[Mark | None, int]:
        """What starts or goes on right after what was noted with a write; and when."""
        trace, next_ = self._trace, written + 1 + mark.size
        for _ in range(_MOST_NOTES):
            found: Mark | None = trace.mark_at(next_) if next_ < trace.end[0] else None
            if found is None or found.kind == ENTER or found.kind == RESUME:
                return found, next_
            if not _belongs(found, mark):
                break
            next_ += 1 + found.size
        return None, next_

    def _end_of(self, written: int, mark: Mark, *, of_call: bool = False) -> int:
        """When the activation goes on that has begun a write; of a call, 0 where no event says that it is over."""
        inside = 0  # of lambdas, which are no nodes of their own everywhere
        for time, found, _ in self._events_of(self._trace.node_at(written), written + 1 + mark.size):
            if found is not None and found.routine != mark.routine:
                inside += (found.kind == ENTER) - (found.kind in _ENDS)
            elif not inside and (found is None or not _belongs(found, mark)):
                return time if not of_call or self._is_end_of_call(mark, found) else 0
        return NEVER

    def _is_end_of_call(self, mark: Mark, found: Mark | None) -> bool:
        """Whether an event is what a call gave, or a DONE of it, which was given a container."""
        if found is not None:
            return found.kind == DONE and _is_within(mark, found)
        has_values = self._have_values.get(mark.routine)
        if has_values is None:
            routine = self._trace.routines[mark.routine]
            lines = self._trace.sources[routine.source].text.split("\n")[routine.line - 1 : routine.end_line]
            sees_locals = routine.kind in ("module", "class") or any(map(_SEES_LOCALS.search, lines))
            has_values = self._have_values[mark.routine] = not sees_locals
        return has_values

    def _events_of(self, node: int, since: int) -> Iterator[tuple[int, Mark | None, int]]:
        others = self._others.get(node)
        if others is None:
            others = others_of(self._trace, node)
            remember(self._others, node, others, _CACHED)
        return own_events(self._trace, node, since, others, with_done=True)

    def _end_of_call(self, node: int, since: int) -> int:
        """When what a node has called at a time is over."""
        trace = self._trace
        called = trace.node_at(since)
        if called != node:
            return int(trace.end[called])
        inside = 0  # a lambda
        for time, found, _ in self._events_of(node, since):
            if found is not None:
                inside += (found.kind == ENTER) - (found.kind in _ENDS)
            if not inside:
                return time
        return NEVER

    def _called_there(self, node: int, time: int) -> str:
        """The name of what a node has called that is running at a time; "" where it hangs from another."""
        trace = self._trace
        inner, name = trace.node_at(time), ""
        while inner > 0 and inner != node:
            name = trace.routines[trace.routine[inner]].name
            inner = trace.parent[inner]
        return name if inner == node else ""


def _is_passed(mark: Mark) -> bool:
    """Whether a container is given to a call, which may change it."""
    user = mark.label.partition("\t")[2]
    return mark.kind == PASSED and not is_handing(mark) and not user.startswith((METHOD_GIVEN, METHOD_NAMED))


def _belongs(mark: Mark, write: Mark) -> bool:
    """Whether an event is of what a write works out, by the places in the text."""
    if write.kind == PASSED and mark.kind == MUTATE:
        return True  # the same of a namespace as a dict
    return mark.kind in _NOTES if mark.at == write.at is not None else _is_within(mark, write)


def _is_within(mark: Mark, other: Mark) -> bool:
    """Whether it is of a part of what another one is of, in the text."""
    inner, outer = mark.at, other.at
    if inner is None or outer is None:
        return False
    begins = (outer.line, outer.column) <= (inner.line, inner.column)
    return begins and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
