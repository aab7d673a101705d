"""One attribute of an object at a time, without making up the rest of the object: it may have been written often."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from algotrace import marks

if TYPE_CHECKING:
    from algotrace.content import Content
    from algotrace.trace import Trace

_FEW = 100  # writes that are undone one by one


class States:
    """Where the attributes of objects that were written often lie in the trace's index of writes."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._indexed: dict[int, dict[int, list[int]] | None] = {}  # object → slot → positions of its writes
        self._slots: dict[int, dict[str, int]] = {}  # object → attribute → slot
        self._wholes: dict[int, list[int]] = {}  # object → positions of what changed all of it
        self._final: dict[int, Content] = {}

    def attribute(self, number: int, name: str, time: int) -> int:
        """The object that an attribute was; 0 where there is none, or it is not known."""
        trace = self._trace
        first, last = bisect_left(trace._write_objects, number), bisect_right(trace._write_objects, number)
        indexed = None if last - first < _FEW else self._index(number, first, last)
        if indexed is None:
            return trace.content(number, time).attributes.get(name, 0)
        positions = indexed.get(self._slots[number].get(name, -1), [])
        times = trace._object_write_times
        at = bisect_left(positions, time, key=times.__getitem__)
        wholes = self._wholes[number]
        whole = bisect_left(wholes, time, key=times.__getitem__)
        if whole < len(wholes) and (at == len(positions) or wholes[whole] < positions[at]):
            return trace.content(number, times[wholes[whole]]).attributes.get(name, 0)
        if at == len(positions):
            if number not in self._final:
                self._final[number] = trace.content(number, 1 << 62)
            return self._final[number].attributes.get(name, 0)
        write = trace.write_at(times[positions[at]])
        old = 0 if write.kind == marks.ATTRIBUTE_NEW else write.values[-1]
        return 0 if not old or trace.row(old) in (["absent"], ["unknown"]) else old

    def last_write(self, number: int, name: str, before: int) -> int | None:
        """The time of the last write of an attribute before a time, -1 for none; None where it must be looked for."""
        trace = self._trace
        first, last = bisect_left(trace._write_objects, number), bisect_right(trace._write_objects, number)
        indexed = None if last - first < _FEW else self._index(number, first, last)
        if indexed is None:
            return None
        positions = indexed.get(self._slots[number].get(name, -1), [])
        times = trace._object_write_times
        at = bisect_left(positions, before, key=times.__getitem__)
        return times[positions[at - 1]] if at else -1

    def _index(self, number: int, first: int, last: int) -> dict[int, list[int]] | None:
        """None where it has items too."""
        if number not in self._indexed:
            trace = self._trace
            found: dict[int, list[int]] | None = {}
            names: dict[str, int] = {}
            wholes = self._wholes[number] = []
            slots = trace._write_slots
            for position in range(first, last):
                slot = slots[position]
                if slot <= marks.APPENDED:
                    wholes.append(position)
                    continue
                known = found.get(slot) if found is not None else None
                if known is None:
                    write = trace.write_at(trace._object_write_times[position])
                    if write.kind not in (marks.ATTRIBUTE, marks.ATTRIBUTE_NEW, marks.NAMED):
                        found = None
                        break
                    assert found is not None
                    known = found[slot] = []
                    names[write.detail] = slot
                known.append(position)
            self._indexed[number], self._slots[number] = found, names
        return self._indexed[number]
