"""What strangers may have changed unseen: what the recorder did not follow, and what they had in hand meanwhile.

Where it did not follow what somebody was handed (see `reached`): what can be reached from there in the end, and what
writes to it have taken away. That may be more than was reached then. Meanwhile: a stranger calls code of the program,
which finds what the stranger was handed, but the next note of it comes later.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from collections.abc import Iterator

from algotrace.call_sites import read_text
from algotrace.marks import CONTENT, ENTER, HANDED, HANDED_ON, PASSED, MarkPlace

if TYPE_CHECKING:
    from algotrace.history import History

_MOST_REACHED = 300_000  # objects
_MOST_WRITES = 2000  # of one object
_MOST_CALLERS = 300
_MOST_BETWEEN = 1000  # events and calls
_MOST_NOTES = 50  # of one object, looked at for what is known nevertheless


class Unfollowed(NamedTuple):
    """Until when objects may have been changed unseen: some, and all others."""

    until: dict[int, int]
    others: int  # -1: not at all

    def time_of(self, number: int) -> int:
        return self.until.get(number, self.others)


def unfollowed(history: History, handed: dict[int, int]) -> Unfollowed:
    """`handed`: object → when last it was handed on and not followed."""
    until: dict[int, int] = {}
    for number in sorted(handed, key=handed.__getitem__, reverse=True):
        time = handed[number]
        todo = [number]
        while todo:
            each = todo.pop()
            if each in until:
                continue
            until[each] = time
            if len(until) > _MOST_REACHED:
                return Unfollowed(until, time)
            todo += _inside(history, each)
    return Unfollowed(until, -1)


def _inside(history: History, number: int) -> Iterator[int]:
    if type(history.row(number)) is not list:
        return
    content = history.final_content(number)
    yield from content.items
    yield from content.attributes.values()
    for key, value in content.pairs.values():
        yield key
        yield value
    if history.is_written(number):
        for write in history.writes_in(number, [(0, sys.maxsize)]):
            yield from write.values[1:]


def is_known_again(history: History, number: int, first: int, last: int) -> bool:
    """Whether an object was noted whole between two times: from earlier ones on nothing is missing."""
    writes = history.writes_of(number)
    for position in writes.wholes(*writes.between(first, last))[:_MOST_NOTES]:
        write = history.write_at(writes.times[position])
        whole = write.kind == CONTENT or (write.kind == PASSED and write.detail == HANDED)
        if whole and history.row(write.values[1]) != ["unknown"]:
            return True
    return False


def is_handing(mark: MarkPlace | None) -> bool:
    return mark is not None and mark.kind == PASSED and mark.label.endswith(f"\t{HANDED}")


def is_kept(mark: MarkPlace | None) -> bool:
    return mark is not None and mark.kind == PASSED and mark.label.endswith(f"\t{HANDED_ON}")


def handed_to_callers(history: History, times: list[int], time: int) -> Iterator[int]:
    """Of the times at which an object was noted: those just before calls of strangers that were under way at `time`."""
    node = history.node_at(time)
    for _ in range(_MOST_CALLERS):
        if node <= 0:
            return
        caller = max(history.parent[node], 0)
        place = bisect_left(times, history.start[node]) - 1
        if place < 0:
            return
        if (
            history.node_at(times[place]) == caller
            and not _is_called_by_name(history, node, caller)
            and _is_just_before(history, times[place], node, caller)
        ):
            yield times[place]
        node = caller


def _is_just_before(history: History, time: int, node: int, caller: int) -> bool:
    """Whether nothing of the caller comes between a note and a call but other notes, and other calls (all that a lambda does
    is its caller's)."""
    start = history.start[node]
    for _ in range(_MOST_BETWEEN):
        if time >= start:
            return True
        mark = history.mark_at(time)
        if mark is None:
            return False
        if mark.kind == PASSED:
            time += 1 + mark.size
            continue
        if mark.kind == ENTER and history.routines[mark.routine].kind == "lambda":
            return True
        inner = history.node_at(time)
        while inner > 0 and history.parent[inner] != caller:
            inner = history.parent[inner]
        if inner <= 0 or history.start[inner] != time:
            return False
        time = history.end[inner] + 1
    return True


def _is_called_by_name(history: History, node: int, caller: int) -> bool:
    """Whether the caller's text calls it by its name, and does nothing else with that."""
    called, calling = (history.routines[history.routine[each]] for each in (node, caller))
    name = called.name
    if name in ("__init__", "__new__"):
        name = called.qualname.split(".")[-2]
    first, last = (0, 1 << 30) if calling.kind == "module" else (calling.line, calling.end_line)
    return _is_only_called(history.sources[calling.source].text, name, first, last)


@lru_cache(maxsize=4096)
def _is_only_called(source: str, name: str, first: int, last: int) -> bool:
    text = read_text(source)
    uses = (*text.other_uses, *text.called_later)
    if any(used == name and first <= line <= last for line, used in uses):
        return False
    return any(site.name == name and first <= site.line <= last for site in text.calls)
