"""Calls that change a container unseen: of a method of it that somebody got hold of before, `put = getattr(found, "append")`.

What the trace has is a note from when the method was handed out; what is different at the next write was done by calls of
code that is not recorded, which were given the method, or are calls of it. So may be what comes after that write: the trace
does not tell the two apart then. Before Python 3.13 the dict that `locals()`
gave is also changed by the next `locals()`.
"""

from __future__ import annotations

import ast
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING

from algodebug.slicing import calls, containers, sources
from algodebug.slicing.demands import Needs
from algodebug.slicing.instances import (
    ATTRIBUTE,
    DISPLAY,
    ITEM,
    LIBRARY,
    PARAMETER,
    PART,
    Activation,
    Called,
    Instance,
)
from algotrace import marks

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_DEEPEST = 3  # `list(map(found.append, xs))`
_WHAT = "calls of methods"
_MOST_NODES = 1000  # activations looked into for calls of what may be such a method, where they are very many

_Noted = tuple[int, int]  # the identities of an expression that handed out a method, and of its activation


class UnseenCalls:
    """The calls, in all activations, of what may be a method of a container by its name; found once."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._found: dict[tuple[int, int] | None, list[Instance]] = {}
        self._after: dict[tuple[tuple[int, int] | None, int, int, int], list[Instance]] = {}
        self._calls: dict[int, tuple[int, list[Instance]]] = {}  # by the identity of an activation
        self._notes: dict[int, list[int]] = {}  # of a container: when it was handed out
        self._late: dict[tuple[tuple[int, int] | None, int], list[Instance]] = {}
        self._held: dict[
            int, tuple[int, dict[_Noted, list[Instance]]]
        ] = {}  # by the identity of an activation
        self._held_anywhere: dict[tuple[int, int] | None, dict[_Noted, list[Instance]]] = {}

    def after(self, noted: Instance, number: int, at: int) -> list[Instance]:
        """Those that may have changed a container between a note of it and the next write."""
        key = (self.graph.inside, number, at, len(noted.activation.instances))  # more may come to it
        found = self._after.get(key)
        if found is None:
            found = self._after[key] = self._find_after(noted, number, at)
        return found

    def _find_after(self, noted: Instance, number: int, at: int) -> list[Instance]:
        trace = self.graph.trace
        if trace.write_at(at).kind != marks.PASSED:
            return []
        times = trace.writes_of(number).times
        following = bisect_left(times, at + 1)
        end = times[following] if following < len(times) else sys.maxsize
        own = [
            made
            for made in self._library_calls(noted.activation)
            if made.order > noted.order and made.time <= end
        ]
        if isinstance(noted.node, ast.Call) and sources.looks_at_names(noted.node):
            return [made for made in own if sources.looks_at_names(made.node)]  # type: ignore[arg-type]
        others = [made for made in self._between(at, end) if made.activation is not noted.activation]
        return [made for made in (*own, *others) if _is_given(self.graph, made.detail, noted)]

    def late(self, number: int, after: int, before: int) -> list[Instance]:
        """Those between two times of what was handed out before a write that came between."""
        calls = self._late_calls(number) if self._noted(number) else []
        return calls[bisect_right(calls, after, key=_time_of) : bisect_right(calls, before, key=_time_of)]

    def _noted(self, number: int) -> list[int]:
        """When somebody got hold of a container or a method of it."""
        found = self._notes.get(number)
        if found is None:
            found, trace = [], self.graph.trace
            writes = trace.writes_of(number)
            # After the last write there is none that could hide anything.
            for at in (writes.times[n] for n, slot in enumerate(writes.slots[:-1]) if slot == marks.WHOLE):
                mark = trace.mark_at(at)
                if mark is not None and mark.kind == marks.PASSED:
                    found.append(at)
            self._notes[number] = found
        return found

    def _late_calls(self, number: int) -> list[Instance]:
        graph, known = self.graph, self._late.get((self.graph.inside, number))
        if known is not None:
            return known
        noted: dict[_Noted, tuple[Activation, list[int]]] = {}
        for at in self._noted(number):
            write = graph.write(at)
            if write is not None and _is_method(write):
                noted.setdefault(_key(write), (write.activation, []))[1].append(at)
        times, found = graph.trace.writes_of(number).times, dict[int, Instance]()
        for key, (activation, notes) in noted.items():
            for made in (*self._holding(activation).get(key, ()), *self._holding_elsewhere(key)):
                last = bisect_right(notes, made.time) - 1
                following = bisect_right(times, notes[last])
                if last >= 0 and following < len(times) and made.time > times[following]:
                    found[id(made)] = made
        calls = sorted(found.values(), key=_time_of)
        if not graph.following:  # more may come to it
            self._late[(graph.inside, number)] = calls
        return calls

    def _holding(self, activation: Activation) -> dict[_Noted, list[Instance]]:
        """The calls in an activation that have no marks of their own, by what they are given or are calls of."""
        size = len(activation.instances)
        known = self._held.get(id(activation))
        if known is None or known[0] != size:
            marked = {id(called) for called in activation.changing.values()}
            calls = [made for made in self._library_calls(activation) if id(made.detail) not in marked]
            known = self._held[id(activation)] = (size, self._by_held(calls))
        return known[1]

    def _holding_elsewhere(self, key: _Noted) -> list[Instance]:
        """… of those in all activations that may call what was handed out."""
        found = self._held_anywhere.get(self.graph.inside)
        if found is None:
            calls = self._between(0, sys.maxsize)
            activations = {id(made.activation): made.activation for made in calls}
            marked = {id(each) for part in activations.values() for each in part.changing.values()}
            found = self._by_held([made for made in calls if id(made.detail) not in marked])
            self._held_anywhere[self.graph.inside] = found
        return found.get(key, [])

    def _by_held(self, calls: list[Instance]) -> dict[_Noted, list[Instance]]:
        found: dict[_Noted, list[Instance]] = {}
        for made in calls:
            for key in set(_held_by(self.graph, made.detail)):
                found.setdefault(key, []).append(made)
        return found

    def _library_calls(self, activation: Activation) -> list[Instance]:
        """Kept as long as nothing comes to the activation, or is taken from it as a mistake."""
        size = len(activation.instances)
        known = self._calls.get(id(activation))
        if known is None or known[0] != size:
            known = self._calls[id(activation)] = (size, _library_calls(activation))
        return known[1]

    def _between(self, after: int, end: int) -> list[Instance]:
        found = self._found.get(self.graph.inside)
        if found is None:
            found = self._found[self.graph.inside] = self._find()
        self.graph.recall(_WHAT, self.graph.inside)
        low, high = bisect_left(found, after, key=_time_of), bisect_right(found, end, key=_time_of)
        return found[low:high]

    def _find(self) -> list[Instance]:
        graph, names = self.graph, self.graph.files.values.names_of_mutators()
        if not names:
            return []

        def may_call(routine: int) -> bool:
            parts = sources.own_statements(graph.files.code_of(routine))
            return any(isinstance(part, ast.Call) and is_of(sources.last_name(part.func)) for part in parts)

        def is_of(name: str) -> bool:
            return not name or name in names

        found: list[Instance] = []
        for activation in graph.activations_of(graph.inside, may_call, _MOST_NODES, _WHAT):
            if activation is None:
                break
            found += [made for made in _library_calls(activation) if is_of(made.detail.name)]
        found.sort(key=lambda made: made.time)
        return found


def add(needs: Needs, noted: Instance, number: int, at: int, before: int) -> None:
    """What the calls depend on that may have changed a container between a note and the next write, or a time."""
    found = needs.graph.unseen_calls.after(noted, number, at)
    given = [made for made in found if made.time <= before]
    if given and isinstance(noted.node, ast.Call) and sources.looks_at_names(noted.node):
        needs.whole(given, before)
        return
    for made in (*given, *_late_between(needs.graph, number, at, before)):
        needs.reached(made)
        needs.found += calls.all_of(made, made.time)


def are_hidden(graph: Graph, number: int, at: int) -> bool:
    """Whether what a write did cannot be told from what calls did that came after it, unseen."""
    return bool(_late_between(graph, number, at, sys.maxsize))


def _late_between(graph: Graph, number: int, at: int, before: int) -> list[Instance]:
    times = graph.trace.writes_of(number).times
    following = bisect_right(times, at)
    end = times[following] if following < len(times) else sys.maxsize
    return graph.unseen_calls.late(number, at, min(end, before))


def _is_method(noted: Instance) -> bool:
    """Whether it is a method that was handed out, and not the container itself."""
    return noted.kind == ATTRIBUTE or isinstance(noted.node, ast.Call)


def _time_of(made: Instance) -> int:
    return made.time


def _library_calls(activation: Activation) -> list[Instance]:
    found = [
        made for made in activation.instances if made.kind == LIBRARY and isinstance(made.node, ast.Call)
    ]
    return [made for made in found if isinstance(made.detail, Called)]


def _key(noted: Instance) -> _Noted:
    return id(noted.node), id(noted.activation)


def _is_given(graph: Graph, called: Called, noted: Instance) -> bool:
    """Whether a call is one of what was noted, or is given that."""
    key = _key(noted)
    return any(held == key for held in _held_by(graph, called))


def _held_by(graph: Graph, called: Called) -> Iterator[_Noted]:
    """What a call is one of, or is given, by what that is and what it is made of."""
    given = [value for _, value in (*called.arguments, *called.keywords)]
    for value in (called.function, *given):
        if value is not None:
            yield from _held(graph, value, _DEEPEST)


def _held(graph: Graph, value: Instance, depth: int) -> Iterator[_Noted]:
    shown = graph.origin(value)
    yield _key(shown)
    if not depth:
        return
    parts: list[Instance] = []
    if shown.kind == LIBRARY and isinstance(shown.detail, Called):
        parts += [part for _, part in (*shown.detail.arguments, *shown.detail.keywords)]
    elif shown.kind == DISPLAY:
        parts += shown.detail.values() if isinstance(shown.detail, dict) else shown.detail
    elif shown.kind in (PART, ITEM):
        parts += shown.uses[:1]
    elif shown.kind == PARAMETER:
        parts += graph.arguments_of(shown) or []
    elif shown.kind == ATTRIBUTE and (number := graph.number(shown.uses[0])):
        at = containers.last_store(graph, number, ("attr", shown.detail), shown.time)
        write = graph.write(at) if at >= 0 else None
        parts += [] if write is None or write.copy is None else [write.copy]
    for part in parts:
        yield from _held(graph, part, depth - 1)
