"""What strangers may have changed unseen, where the recorder did not follow what somebody was handed (see `reached`): what
can be reached from there in the end, and what writes to it have taken away. That may be more than was reached then.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple
from collections.abc import Iterator

from algotrace.content import is_of_slice
from algotrace.marks import CONTENT, HANDED, HANDED_BACK, HANDED_ON, PASSED
from algotrace.unit_tables import Mark

if TYPE_CHECKING:
    from algotrace.history import History

_MOST_REACHED = 300_000  # objects
_MOST_WRITES = 2000  # of one object
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
        if (
            whole
            and (row := history.row(write.values[1])) != ["unknown"]
            and not is_of_slice(row, history.row)
        ):
            return True
    return False


def is_handing(mark: Mark | None) -> bool:
    return mark is not None and mark.kind == PASSED and mark.label.endswith((f"\t{HANDED}", f"\t{HANDED_ON}"))


def is_passing(mark: Mark | None) -> bool:
    """As an argument of a call, but to no stranger."""
    return mark is not None and mark.kind == PASSED and " " in mark.label.partition("\t")[2]


def is_back(mark: Mark | None) -> bool:
    return mark is not None and mark.kind == PASSED and mark.label.endswith(f"\t{HANDED_BACK}")


class Note(NamedTuple):
    """One of the notes of an object."""

    time: int
    back: bool = False  # whether a stranger gave it back, else was handed it
    of_attributes: bool = False
