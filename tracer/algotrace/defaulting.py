"""Which keys a defaultdict had at a time: reading an item may store one, and nobody sees that.

A key is known to have been there by a write to it or by what its value took part in before that time; and so are all
keys in front of it, since a dict keeps the order in which keys came. Only after deletions that order says nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from collections.abc import Sequence

from algotrace.marks import ITEM

if TYPE_CHECKING:
    from algotrace.content import Content
    from algotrace.written import Written


class Insertions:
    """What the recorded writes to one defaultdict tell about its keys."""

    def __init__(self, trace: Written, times: Sequence[int]) -> None:
        """`times`: of its writes, in order."""
        self._trace = trace
        self._put: set[Any] = set()  # keys that a store put there
        self._first: dict[Any, int] = {}  # key → when it was first stored to, since keys may have gone
        self._gone = -1  # when keys may last have gone
        for time in times:
            write = trace.write_at(time)
            if write.kind == ITEM and len(write.values) == 3:
                key = trace.key_identity(write.values[1])
                self._first.setdefault(key, time)
                if trace.row(write.values[2]) == ["absent"]:
                    self._put.add(key)
            else:
                self._gone = time
                self._first.clear()

    def settle(self, content: Content, keys: list[Any], time: int) -> bool:
        """Takes out of a content what came only later; whether the rest was surely there.

        Recorded writes after `time` were taken back from the content already; `keys` are those in the end, in order.
        """
        if self._gone < time:
            later = False
            for key in keys:
                if key not in content.pairs:
                    later = True  # its store was taken back, and what came after it came after `time`
                elif later:
                    del content.pairs[key]
        if self._put.issuperset(content.pairs):
            return True
        if self._gone >= time:
            return False
        # What is known of the last key holds for all.
        key, (_, value) = next(reversed(content.pairs.items()))
        stored = self._first.get(key)
        if stored is not None and (stored < time or key in self._put):
            return True
        return type(self._trace.row(value)) is list and self._trace.first_seen.get(value, time) < time
