"""In which order the keys of a dict stood at a time.

Undoing writes gives the keys, and their order as long as none went since. Before some of the deletions the program made,
the recorder kept a copy of the dict (see `deletions`): it tells the order up to then from the one before. Between two
copies a key stands where it was put last, behind those that were there already. Where that does not tell the order the
content is not certain: something changed it unseen.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, Final
from collections.abc import Iterator

from algotrace.marks import CONTENT, ITEM, ITEM_DELETED, MUTATE, PASSED
from algotrace.trace_file import EVENTS_PER_PART

if TYPE_CHECKING:
    from algotrace.content import Content, Write
    from algotrace.written import Written
    from algotrace.write_index import ObjectWrites

_ADDING = frozenset({"setdefault", "__setitem__"})  # methods which may put a key there
_NOTHING: Final = 0
_ITEM: Final = 1
_OTHER: Final = 2


class KeyOrder:
    """What the writes to one dict tell about the order of its keys."""

    def __init__(self, trace: Written, writes: ObjectWrites) -> None:
        self._trace = trace
        self._times = writes.times
        self._put: list[int] = []  # positions of the writes that put keys there
        self._gone: list[
            int
        ] = []  # … after which keys may be gone or stand elsewhere, or before which the order is known
        self._copied: list[int] = []  # … of those, the latter
        self._reordered: list[int] = []  # … of those, after which nothing is known of the order
        for position, kind in self._kinds():
            if kind == _ITEM:
                self._put.append(position)
            else:
                self._look_at(position, trace.write_at(self._times[position]))

    def _kinds(self) -> Iterator[tuple[int, int]]:
        """(position, `_ITEM` or `_OTHER`) of the writes that may be about keys; not of those that store to one that is there."""
        trace, times = self._trace, self._times
        kinds: dict[int, int] = {}  # of marks, by number
        absent: dict[int, bool] = {}  # of objects, by number
        position = 0
        while position < len(times):
            first = times[position] - times[position] % EVENTS_PER_PART
            end = bisect_left(times, first + EVENTS_PER_PART, position)
            part = trace.events_from(first)
            for here in range(position, end):
                time = times[here]
                mark = part[time - first]
                kind = kinds.get(mark)
                if kind is None:
                    kind = kinds[mark] = self._kind(mark)
                if kind == _ITEM:
                    old = part[time - first + 3] if time - first + 3 < len(part) else trace.event(time + 3)
                    is_absent = absent.get(old)
                    if is_absent is None:
                        is_absent = absent[old] = old >= trace.first_object and trace.row(old) == ["absent"]
                    if is_absent:
                        yield here, _ITEM
                elif kind:
                    yield here, _OTHER
            position = end

    def _kind(self, number: int) -> int:
        mark = self._trace.marks[number]
        if mark.kind == ITEM:
            return _ITEM
        return _OTHER if mark.kind in (ITEM_DELETED, MUTATE, PASSED, CONTENT) else _NOTHING

    def _look_at(self, position: int, write: Write) -> None:
        trace = self._trace
        if write.kind == ITEM_DELETED:
            if len(write.values) == 3 and trace.row(write.values[2]) != ["absent"]:
                self._gone.append(position)
            return
        told = trace.row(write.values[1]) if len(write.values) > 1 else None
        if type(told) is list and told[0] == "dict":
            self._copied.append(position)
            self._gone.append(position)
            if write.kind == MUTATE and write.detail in ("move_to_end", ""):
                self._reordered.append(position)
        elif write.kind == MUTATE:
            verb, old = self._verb(told)
            if verb == "keys" or (verb == "key" and write.detail in _ADDING):
                self._put.append(position)
            elif verb == "moved":
                if trace.row(old) != ["absent"]:
                    self._copied.append(position)
                self._put.append(position)
                self._gone.append(position)
            elif verb != "nothing" and not (verb == "key" and trace.row(old) == ["absent"]):
                self._gone.append(position)

    def _verb(self, told: Any) -> tuple[Any, int]:
        """Of undo information how it undoes, and its last part."""
        parts = told[2] if type(told) is list and told[0] == "tuple" else []
        return (self._trace.row(parts[0]), parts[-1]) if parts else ("", 0)

    def settle(self, content: Content, later: int) -> bool:
        """Brings the keys of a content into the order they had before the write at a position; whether that is known."""
        at = bisect_left(self._gone, later)
        if at == len(self._gone) or not content.pairs:
            return True
        gone = self._gone[at]
        place = bisect_left(self._copied, gone)
        base = self._copied[place - 1] if place and self._copied[place - 1] < later else 0
        is_lost = bisect_left(self._reordered, base) < bisect_left(self._reordered, later)
        if place < len(self._copied) and self._copied[place] == gone:
            places = self._copy(gone)
            known = places.keys() >= content.pairs.keys()
        elif place and self._copied[place - 1] < later:
            copied = self._copied[place - 1]
            places = self._copy(copied)
            self._follow(places, copied, later)
            known = not is_lost and places.keys() >= content.pairs.keys()
        else:
            places = {}
            self._follow(places, 0, later)
            known = not is_lost and len(content.pairs.keys() - places.keys()) < 2  # it was there first
        first = (-1, 0)
        content.pairs = {
            identity: (places.get(identity, first)[1] or key, value)
            for identity, (key, value) in sorted(
                content.pairs.items(), key=lambda pair: places.get(pair[0], first)[0]
            )
        }
        return known

    def _copy(self, position: int) -> dict[Any, tuple[int, int]]:
        """Where each key stands in a copy, and the object that it is: 1 and True are one key."""
        trace = self._trace
        row = trace.row(trace.write_at(self._times[position]).values[1])
        if row[0] == "tuple":  # a key was moved
            row = trace.row(row[2][3])
        return {trace.key_identity(key): (place, key) for place, key in enumerate(row[2][::2])}

    def _follow(self, places: dict[Any, tuple[int, int]], start: int, end: int) -> None:
        """The keys that were put there between two positions come last."""
        trace = self._trace
        count, front = len(places), -1
        for position in self._put[bisect_left(self._put, start) : bisect_left(self._put, end)]:
            write = trace.write_at(self._times[position])
            keys: list[int] = []
            if write.kind == ITEM:
                keys = write.values[1:2]
            else:
                told = trace.row(write.values[1])
                verb, old = self._verb(told)
                if verb == "moved":
                    identity = trace.key_identity(told[2][1])
                    key = places.get(identity, (0, told[2][1]))[1]
                    if trace.row(told[2][2]):
                        places[identity] = (count, key)
                        count += 1
                    else:
                        front -= 1
                        places[identity] = (front, key)
                    continue
                if verb == "key" and trace.row(old) == ["absent"]:
                    keys = told[2][1:2]
                elif verb == "keys":
                    saved = trace.row(old)[2]
                    keys = [key for key, old in zip(saved[::2], saved[1::2]) if trace.row(old) == ["absent"]]
            for key in keys:
                places[trace.key_identity(key)] = (count, key)
                count += 1
