"""Items that are read of a defaultdict: one that is missing is put there, and what makes it runs.

With another key a read might have put one there, or have run the function that makes it: who looks at the keys of such a
dict, or at what that function changes, depends on the keys of all reads. Of a comprehension that is not taken apart any key may have been read.
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
_ANY = -1  # among the numbers of dicts: nobody knows which


class DefaultingReads:
    """The reads in all activations; found once."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._is_any: bool | None = None
        self._found: dict[tuple[int, int] | None, dict[int, list[Instance]]] = {}
        self._lazy: dict[tuple[int, int] | None, dict[int, list[Instance]]] = {}
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
        """The reads of items of a dict, by their time; where that is not known which, of any."""
        return self._of(self._found, number)

    def lazy(self, number: int) -> list[Instance]:
        """… and the generator expressions that may read some whenever they are asked."""
        return self._of(self._lazy, number)

    def _of(
        self, tables: dict[tuple[int, int] | None, dict[int, list[Instance]]], number: int
    ) -> list[Instance]:
        if self.graph.inside not in self._found:
            self._found[self.graph.inside], self._lazy[self.graph.inside] = self._find()
        found = tables[self.graph.inside]
        if number not in found:
            found[number] = found[_ANY]
        return found[number]

    def _find(self) -> tuple[dict[int, list[Instance]], dict[int, list[Instance]]]:
        graph, found, lazy = self.graph, {_ANY: list[Instance]()}, {_ANY: list[Instance]()}
        in_lambdas = graph.files.values.reads_in_lambdas()

        def reads(routine: int) -> bool:
            parts = sources.own_statements(graph.files.code_of(routine))
            return any(
                isinstance(part, ast.Subscript) or (in_lambdas and isinstance(part, ast.Call))
                for part in parts
            )

        for activation in graph.activations_of(graph.inside, reads, _MOST_NODES):
            if activation is None:
                graph.incomplete.add(f"what was read of defaultdicts after the first {_MOST_NODES} calls")
                break
            for part in _with_inlines(activation):
                for made in part.instances:
                    if made.kind == ITEM and made.node is not None:
                        number = graph.number(made.uses[0])
                        if self.is_of_one(number):
                            found.setdefault(number, []).append(made)
                for made in part.lumps:
                    among = lazy if isinstance(made.node, ast.GeneratorExp) else found
                    for number in self._read_by(made):
                        among.setdefault(number, []).append(made)
        for table in (found, lazy):
            for number, each in table.items():
                each += table[_ANY] if number != _ANY else []
                each.sort(key=_time_of)
        return found, lazy

    def _read_by(self, comprehension: Instance) -> set[int]:
        """The dicts that a comprehension reads items of which is not taken apart."""
        assert comprehension.node is not None
        found = set[int]()
        for part in ast.walk(comprehension.node):
            if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Load):
                of = [value for value in comprehension.deep if value.node is part.value]
                number = self.graph.number(of[0]) if of else 0
                if not number or self.is_of_one(number):
                    found.add(number or _ANY)
        return {_ANY} if _ANY in found else found

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

    def is_made(self, item: Instance, node: int) -> bool:
        """Whether an item that is read was made by a class just then: its `__init__` is what ran."""
        trace = self.graph.trace
        if trace.routines[trace.routine[node]].name != "__init__" or not self._classes():
            return False
        arguments = trace.arguments(node)
        return bool(arguments) and 0 < arguments[0].value.identity == self.graph.number(item)

    def _classes(self) -> list[ast.expr]:
        files = self.graph.files
        return [each for each in files.values.factories() if files.classes(sources.last_name(each))]

    def effects(self) -> Effects | None:
        """What making items could do to others; None for nothing."""
        if self._effects is None:
            self._effects, files = Effects(), self.graph.files
            for each in files.values.factories() if self.is_any() else ():
                if isinstance(each, ast.Lambda):
                    self._add(files.effects([each.body]))
                elif files.classes(name := sources.last_name(each)):
                    called = self._called(each)
                    self._effects.outer |= called.outer
                    self._effects.items = self._effects.items or called.items
                    self._effects.attributes |= called.attributes - self._of_self()
                elif name in mutating.MUTATORS:
                    self._effects.items = self._effects.resizes = True
                elif files.named(name):
                    self._add(self._called(each))
        found = self._effects
        return found if found.items or found.attributes or found.outer else None

    def _of_self(self) -> set[str]:
        """The attributes that nobody stores but an object itself: of one that is new nobody else has them."""
        nodes = (node for file in self.graph.files.looked_at() for node in file.nodes)
        stored = [
            node for node in nodes if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
        ]
        others = {node.attr for node in stored if sources.last_name(node.value) != "self"}
        return {node.attr for node in stored} - others

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
        if made.kind != ITEM:
            _of_comprehension(needs, made, number, made.time)
            continue
        needs.which(made.uses)
        needs.reached(made)
        if demand.depth == DEEP and (step is None or needs.graph.step(made) in (None, step)):
            needs.whole((made,), made.time)  # what it gave may be what was put there
    for made in needs.graph.defaulting_reads.lazy(number):
        if made.time <= before:
            _of_comprehension(needs, made, number, before)


def _of_comprehension(needs: Needs, made: Instance, number: int, time: int) -> None:
    needs.reached(made)
    needs.which(made.uses)
    for value in made.deep:
        if needs.graph.number(value) == number:
            needs.which((value,))
        else:
            needs.whole((value,), time)


def _with_inlines(activation: Activation) -> list[Activation]:
    parts = [activation]
    for part in parts:
        parts += part.inlines
    return parts


def _time_of(made: Instance) -> int:
    return made.time
