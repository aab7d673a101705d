"""Items that are read of a defaultdict: one that is missing is put there, and what makes it runs.

With another key a read might have put one there, or have run the function that makes it: who looks at the keys of such a
dict, or at what that function changes, depends on the keys of all reads. Left out: reads in comprehensions.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any

from algodebug.slicing import mutating, sources
from algodebug.slicing.demands import Demand, Needs
from algodebug.slicing.instances import DEEP, ITEM, Activation, Instance
from algodebug.slicing.sources import Effects, Place
from algotrace.content import DEFAULTING

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_MOST_NODES = 3000  # activations looked into


class DefaultingReads:
    """The reads in all activations; found once."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._is_any: bool | None = None
        self._found: dict[tuple[int, int] | None, dict[int, list[Instance]]] = {}
        self._effects: Effects | None = None
        self._kept: list[Any] = []  # trees that are made here: what is known of trees goes by identity

    def is_any(self) -> bool:
        """Whether the trace has defaultdicts at all."""
        if self._is_any is None:
            self._is_any = any(each[3] == [DEFAULTING] for each in self.graph.trace.types)
        return self._is_any

    def is_of_one(self, number: int) -> bool:
        if not number or not self.is_any():
            return False
        row = self.graph.trace.row(number)
        if type(row) is not list or row[0] != "dict":
            return False
        return bool(self.graph.trace.type_of(row[1])[3] == [DEFAULTING])

    def of(self, number: int) -> list[Instance]:
        """The reads of items of a dict, by their time."""
        found = self._found.get(self.graph.inside)
        if found is None:
            found = self._found[self.graph.inside] = self._find()
        return found.get(number, [])

    def _find(self) -> dict[int, list[Instance]]:
        graph, found = self.graph, dict[int, list[Instance]]()

        def reads(routine: int) -> bool:
            parts = sources.own_statements(graph.files.code_of(routine))
            return any(isinstance(part, ast.Subscript) for part in parts)

        for activation in graph.activations_of(graph.inside, reads, _MOST_NODES):
            if activation is None:
                graph.incomplete.add(f"what was read of defaultdicts after the first {_MOST_NODES} calls")
                break
            for made in _items_read(activation):
                number = graph.number(made.uses[0])
                if self.is_of_one(number):
                    found.setdefault(number, []).append(made)
        for each in found.values():
            each.sort(key=_time_of)
        return found

    # -- what makes the items

    def is_factory(self, source: int, place: Place, name: str) -> bool:
        """Whether a function or lambda that runs may make items."""
        file = self.graph.files[source]
        for each in self.graph.files.values.factories():
            if isinstance(each, ast.Lambda):
                if file is not None and name == "<lambda>" and file.functions.get(place[:2]) is each:
                    return True
            elif sources.last_name(each) == name:
                return True
        return False

    def effects(self) -> Effects | None:
        """What making items could do to others; None for nothing."""
        if self._effects is None:
            self._effects, files = Effects(), self.graph.files
            for each in files.values.factories() if self.is_any() else ():
                if isinstance(each, ast.Lambda):
                    self._add(files.effects([each.body]))
                elif files.classes(name := sources.last_name(each)):
                    self._effects.outer |= self._called(each).outer
                elif name in mutating.MUTATORS:
                    self._effects.items = self._effects.resizes = True
                elif files.named(name):
                    self._add(self._called(each))
        found = self._effects
        return found if found.items or found.attributes or found.outer else None

    def _called(self, function: ast.expr) -> Effects:
        call = ast.copy_location(ast.Call(function, [], []), function)
        self._kept.append(call)
        return self.graph.files.effects([call])

    def _add(self, other: Effects) -> None:
        assert self._effects is not None
        self._effects.add(other)
        self._effects.outer |= other.outer
        self._effects.runs |= other.runs


def add(needs: Needs, number: int, demand: Demand, before: int, after: int) -> None:
    """The reads between two times that may have put something into a dict that is asked about."""
    reads = needs.graph.defaulting_reads.of(number)
    low, high = bisect_left(reads, after, key=_time_of), bisect_right(reads, before, key=_time_of)
    asking, step = demand.instance, demand.path[0] if demand.path else None
    for at in needs.covered.rest(("defaulting", number, step, demand.depth), low, high):
        made = reads[at]
        if made.activation is asking.activation and made.order >= asking.order and made.time == before:
            continue
        needs.which(made.uses)
        needs.reached(made)
        if demand.depth == DEEP and (step is None or needs.graph.step(made) in (None, step)):
            needs.whole((made,), made.time)  # what it gave may be what was put there


def _items_read(activation: Activation) -> list[Instance]:
    parts = [activation]
    for part in parts:
        parts += part.inlines
    return [made for part in parts for made in part.instances if made.kind == ITEM and made.node is not None]


def _time_of(made: Instance) -> int:
    return made.time
