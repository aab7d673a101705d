"""What the names of modules were bound to at any time: by the module's own code, or through the module as an object or as a
dict.

Not here: names of functions, which are told where a call is looked into.
"""

from __future__ import annotations

import functools
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence

from algotrace.content import Write
from algotrace.history import History
from algotrace.marks import APPENDED, ATTRIBUTE, ITEM, ITEM_DELETED, NAME, NAMED
from algotrace.reader import Reader
from algotrace.trace_file import reading


class ModuleNames(History):
    """The names of one run's modules."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader)
        self._changed_names: dict[int, dict[str, list[tuple[int, int]]]] = {}

    @reading
    def globals_at(self, source: int, name: str, time: int) -> int | None:
        """The object that a module's name was last bound to before `time`; None where it was not, or not yet, and what is
        told as unknown where that cannot be told.

        As far as that was recorded: by the module's own code, or through the module as an object or as a dict.
        """
        number, certain = self._global_at(source, name, time)
        return number if certain else self._unknown or number

    @reading
    def is_global_certain(self, source: int, name: str, time: int) -> bool:
        """Whether what `globals_at` tells is surely so."""
        return self._global_at(source, name, time)[1]

    def _global_at(self, source: int, name: str, time: int) -> tuple[int | None, bool]:
        positions, times = self.global_writes(source, name), self.writes_of(0).times
        at = bisect_left(positions, time, key=times.__getitem__) if positions else 0
        bound, since = None, -1
        if at:
            since = times[positions[at - 1]]
            mark = self.mark_at(since)
            values = self.values_at(since, mark) if mark is not None else []
            bound = values[-1] if values else None
        if not self._one_thread:
            bindings = [times[position] for position in positions]
            if self._is_unordered(bindings, time) or (at and self._is_unordered(bindings, since)):
                return bound, False
        others = self._names_changed(source).get(name)
        if others and self._is_being_changed(source, time):
            return bound, False
        if not others:
            return bound, self._is_as_next(source, name, bound, positions[at:])
        later = bisect_left(others, (time, 0))
        following = times[positions[at]] if at < len(positions) else 1 << 62
        if (not later or others[later - 1][0] < since) and (at or later == len(others)):
            if later < len(others) and others[later][0] < following:
                return bound, self._is_same(bound, others[later][1])
            return bound, self._is_as_next(source, name, bound, positions[at:])
        # What it was bound to then is told by what the next change overwrote.
        if later < len(others) and others[later][0] < following:
            return others[later][1], True
        if at < len(positions):
            mark = self.mark_at(following)
            values = self.values_at(following, mark) if mark is not None else []
            if mark is not None and mark.kind == NAME and values:
                return (bound, False) if self.row(values[0]) == ["unknown"] else (values[0], True)
            return bound, not later and not at
        for module in self.modules_of(source):
            if name in self.modules[module]:
                return self.modules[module][name], True
        return None, True

    def _is_being_changed(self, source: int, time: int) -> bool:
        """Whether the names of a module are being changed at a time, all at once: nobody knows how far that is."""
        numbers = [
            each for module in self.modules_of(source) for each in self._namespaces.get(module, ()) if each
        ]
        return any(
            self._amid_writes.begun_before(each, self.writes_of(each), time) is not None for each in numbers
        )

    def _is_as_next(self, source: int, name: str, bound: int | None, following: Sequence[int]) -> bool:
        """Whether what a name was bound to is what was there later, before it was bound the next time or in the end: else
        somebody has bound it otherwise."""
        if following:
            time = self.writes_of(0).times[following[0]]
            mark = self.mark_at(time)
            values = self.values_at(time, mark) if mark is not None else []
            old = values[0] if mark is not None and mark.kind == NAME and values else bound
        elif source in self._loaded_again:
            return True
        else:
            module = next((each for each in self.modules_of(source) if name in self.modules[each]), None)
            old = bound if module is None else self.modules[module][name]
        return self._is_same(bound, old)

    @functools.cached_property
    def _loaded_again(self) -> frozenset[int]:
        """The sources of files that ran more than once as a module, whose names are bound by several."""
        paths = Counter(source.path for source in self.sources)
        return frozenset(number for number, source in enumerate(self.sources) if paths[source.path] > 1)

    def _is_same(self, bound: int | None, old: int | None) -> bool:
        """… where that is known of both."""
        if bound is None or old is None or old == bound:
            return True
        row, other = self.row(old), self.row(bound)
        return row == other if type(row) is not list else ["unknown"] in (row, other)

    def modules_of(self, source: int) -> list[str]:
        """The names that a source was imported by, as far as its path tells."""
        found = ["__main__"] if source == self.routines[self.routine[0]].source else []
        parts = self.sources[source].path.removesuffix(".py").replace("\\", "/").split("/")
        if parts[-1] == "__init__":
            parts.pop()
        found += [".".join(parts[first:]) for first in range(len(parts) - 1, -1, -1)]
        return [name for name in found if name in self.modules]

    def _names_changed(self, source: int) -> dict[str, list[tuple[int, int]]]:
        """Of a module's names what was changed through its dict, or as its attributes: by name, (when, what there was before)."""
        known = self._changed_names.get(source)
        if known is None:
            known = self._changed_names[source] = {}
            for module in self.modules_of(source):
                for number in self._namespaces.get(module, ()):
                    for time in self.writes_of(number).times if number else ():
                        for name, old in self.names_in(self.write_at(time)):
                            known.setdefault(name, []).append((time, old))
            for changes in known.values():
                changes.sort()
        return known

    @functools.cached_property
    def namespaces(self) -> dict[int, int]:
        """The modules of the program as objects, and their dicts, as far as the trace refers to them: which source's."""
        found: dict[int, int] = {}
        for source in reversed(range(len(self.sources))):
            for module in self.modules_of(source):
                found.update((number, source) for number in self._namespaces.get(module, ()) if number)
        return found

    def names_in(self, write: Write) -> Iterator[tuple[str, int]]:
        """The names that a write to a module or to its dict is about, and what they were bound to before."""
        if write.kind in (ATTRIBUTE, NAMED):
            if type(write.detail) is str:
                yield write.detail, write.values[-1]
            return
        if write.kind in (ITEM, ITEM_DELETED):
            keys = [(write.values[1], write.values[2])]
        else:
            keys = []
            told = self.row(write.values[1]) if len(write.values) > 1 else None
            if type(told) is list and told[0] == "dict":
                keys = list(zip(told[2][::2], told[2][1::2]))
            elif type(told) is list and told[0] == "tuple" and len(told[2]) > 1:
                saved = self.row(told[2][1])
                if self.row(told[2][0]) == "key":
                    keys = [(told[2][1], told[2][2])]
                elif type(saved) is list and saved[0] == "dict":
                    keys = list(zip(saved[2][::2], saved[2][1::2]))
        for key, old in keys:
            name = self.row(key)
            if type(name) is str:
                yield name, old

    def binds_global(self, source: int, name: str) -> bool:
        """Whether a binding of a module's name was recorded."""
        return len(self.global_writes(source, name)) > 0 or name in self._names_changed(source)

    def is_rebound(self, source: int, name: str) -> bool:
        """Whether a module's name was bound to more than one object, as far as its own code did it."""
        numbers = set()
        for _, old in self._names_changed(source).get(name, ()):
            numbers.add(old)
        for position in self.global_writes(source, name):
            time = self.writes_of(0).times[position]
            mark = self.mark_at(time)
            if mark is not None and (values := self.values_at(time, mark)):
                numbers.add(values[-1])
                if len(numbers) > 1:
                    return True
        return False

    @functools.cached_property
    def print_times(self) -> array[int]:
        """When something was printed."""
        times = self.writes_of(0).times
        return array("I", map(times.__getitem__, self._by_slot.get(self._printed_slot, ())))

    def global_writes(self, source: int, name: str) -> Sequence[int]:
        """Positions of the writes to a module's name, among those to names."""
        return self._by_slot.get(self._slots_of_names.get((source, name), 0), ())

    @functools.cached_property
    def _by_slot(self) -> dict[int, array[int]]:
        """For each name of a module the positions of the writes to it."""
        slots = self.writes_of(0).slots
        order = array("I", sorted(range(len(slots)), key=slots.__getitem__))
        found: dict[int, array[int]] = {}
        start = 0
        for slot in sorted(set(slots)):
            end = bisect_right(order, slot, start, key=slots.__getitem__)
            if slot > APPENDED:
                found[slot] = order[start:end]
            start = end
        return found
