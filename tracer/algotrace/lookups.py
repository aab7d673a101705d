"""What `reads` looks up in all of a trace: the sources of a module, calls of functions that remember, writes by place.

Each is found when it is first asked for, and kept with the trace: a large program has hundreds of sources, and of most
of them nobody ever asks.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING

from algotrace.call_sites import CACHES, decorators, definition
from algotrace.marks import ATTRIBUTE, ATTRIBUTE_NEW, NAME, NAMED, WRITES
from algotrace.stored import remember

if TYPE_CHECKING:
    from algotrace.scopes import Load
    from algotrace.trace import Trace

_MOST_CALLS = 500  # of a function that remembers its results
_CACHED_LOADS = 2000  # calls
_TIMES_EACH = 50  # of the writes at one place of the text


_CLASS = re.compile(r"^[ \t]*class[ \t]+(\w+)[ \t]*[(:\[]", re.MULTILINE)


class Lookups:
    """Of one trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._names = [trace.modules_of(source) for source in range(len(trace.sources))]
        self._sources: dict[str, list[int]] = {}
        for source, names in enumerate(self._names):
            for name in names:
                self._sources.setdefault(name, []).append(source)
        self._loads: OrderedDict[int, list[tuple[int, Load]]] = OrderedDict()
        self._functions: dict[tuple[int, str], list[int]] | None = None
        self._remembered: dict[tuple[int, str], list[int]] = {}
        self._times: dict[int, list[int]] | None = None
        self._places: dict[int, dict[str, list[int]]] = {}  # by source file
        self._objects: dict[str, frozenset[int]] = {}
        self._classes: dict[str, list[int]] | None = None

    def modules_of(self, source: int) -> list[str]:
        """The names that a source was imported by, as far as its path tells."""
        return self._names[source]

    def sources_of(self, module: str) -> list[int]:
        return self._sources.get(module, [])

    def bound(self, module: str, name: str, time: int) -> int | None:
        """The object that a module's name was bound to at a time; None where it was bound later.

        A name of which no binding was recorded (imports, mostly) counts with what it was bound to in the end.
        """
        trace = self._trace
        for source in self.sources_of(module):
            if trace.binds_global(source, name):
                return trace.globals_at(source, name, time)
        return trace.modules[module].get(name)

    def nonlocal_writes(self, name: str, after: int, before: int) -> Iterator[tuple[int, int]]:
        """When variables of that name were rebound by functions inside their own, the last first, and by which routine."""
        trace = self._trace
        times = trace.writes_of(0).times
        at = bisect_left(times, before) - 1
        while at >= 0 and times[at] > after:
            mark = trace.mark_at(times[at])
            if mark is not None and mark.label == f"nonlocal {name}":
                yield times[at], mark.routine
            at -= 1

    def defining(self, name: str) -> list[int]:
        """The sources whose text looks as if they defined a class of that name: of a large program few are parsed."""
        return self._by_class().get(name, [])

    def _by_class(self) -> dict[str, list[int]]:
        if self._classes is None:
            self._classes = {}
            for number, source in enumerate(self._trace.sources):
                for found in dict.fromkeys(_CLASS.findall(source.text)):
                    self._classes.setdefault(found, []).append(number)
        return self._classes

    @cached_property
    def bodies_of_modules(self) -> list[int]:
        """The nodes that are bodies of imported modules."""
        trace = self._trace
        modules = {r.id for r in trace.routines if r.kind == "module"} - {trace.routine[0]}
        if not modules:
            return []
        return list(compress(range(len(trace.routine)), map(modules.__contains__, trace.routine)))

    @cached_property
    def own_names(self) -> frozenset[str]:
        """The names of the program's functions and classes."""
        return frozenset({routine.name for routine in self._trace.routines} | self._by_class().keys())

    @cached_property
    def own_modules(self) -> frozenset[str]:
        return frozenset(self._trace.modules)

    def kept_loads(
        self, node: int, find: Callable[[Trace, int], list[tuple[int, Load]]]
    ) -> list[tuple[int, Load]]:
        """What a call read; who looks at the calls around it looks at it, too."""
        known = self._loads.get(node)
        if known is None:
            known = find(self._trace, node)
            remember(self._loads, node, known, _CACHED_LOADS)
        return known

    def remembered(self, source: int, name: str) -> list[int]:
        """The first calls that returned, of a module's function that remembers its results (`lru_cache`)."""
        known = self._remembered.get((source, name))
        if known is None:
            known = self._remembered[source, name] = self._calls_remembered(source, name)
        return known

    def _calls_remembered(self, source: int, name: str) -> list[int]:
        trace = self._trace
        if self._functions is None:
            self._functions = {}
            for routine in trace.routines:
                if "." not in routine.qualname:
                    self._functions.setdefault((routine.source, routine.name), []).append(routine.id)
        text = trace.sources[source].text
        found: list[int] = []
        for routine_id in self._functions.get((source, name), ()):
            if not any(cache in text for cache in CACHES):
                break
            function = definition(trace, trace.routines[routine_id])
            if function is None or not CACHES & decorators(function):
                continue
            position = -1
            while len(found) < _MOST_CALLS:
                try:
                    position = trace.routine.index(routine_id, position + 1)
                except ValueError:
                    break
                found.append(position)
        return found

    def first_writes_at(self, mark: int) -> list[int]:
        """When something was written at a place of the text, the first times."""
        if self._times is None:
            self._times = {}
            for time, number in self._trace.write_marks():
                times = self._times.setdefault(number, [])
                if len(times) < _TIMES_EACH:
                    times.append(time)
        return self._times.get(mark, [])

    def places_written(self, attribute: str) -> list[int]:
        """The marks of writes to an attribute of that name, or to what it holds; in order of the marks.

        Those of `setattr` and the like, where the name is not in the text, come under "".
        """
        if not attribute:
            return self._trace.named
        found: list[int] = []
        for number, source in enumerate(self._trace.sources):
            if number in self._places or _may_name(source.text, attribute):
                found += self._places_in(number).get(attribute, [])
        return found

    def _places_in(self, source: int) -> dict[str, list[int]]:
        places = self._places.get(source)
        if places is None:
            places = self._places[source] = {}
            for number, mark in self._trace.marks_of(source):
                if mark.kind in (ATTRIBUTE, ATTRIBUTE_NEW):
                    places.setdefault(mark.label.partition("\t")[2], []).append(number)
                elif mark.kind in WRITES and mark.kind not in (NAME, NAMED):
                    last = mark.label.partition("\t")[0].rpartition(".")[2]
                    places.setdefault(last, []).append(number)
        return places

    def objects_with(self, attribute: str) -> frozenset[int]:
        """The objects of which an attribute of that name was stored, by the first stores at each place of the text."""
        known = self._objects.get(attribute)
        if known is None:
            known = self._objects[attribute] = frozenset(self._objects_with(attribute))
        return known

    def _objects_with(self, attribute: str) -> Iterator[int]:
        trace = self._trace
        for number in self.places_written(attribute):
            if trace.marks[number].kind in (ATTRIBUTE, ATTRIBUTE_NEW):
                yield from (trace.write_at(time).target for time in self.first_writes_at(number))
        for number in self.places_written(""):
            if trace.marks[number].kind == NAMED:
                for time in self.first_writes_at(number):
                    write = trace.write_at(time)
                    if write.detail == attribute:
                        yield write.target


def _may_name(text: str, attribute: str) -> bool:
    """Whether an attribute may be written in a file; a private one stands there without its class."""
    private = attribute.startswith("_") and "__" in attribute[1:]
    return (attribute.rpartition("__")[2] if private else attribute) in text or not text.isascii()
