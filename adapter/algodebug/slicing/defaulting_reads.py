"""Items that are read of a defaultdict: one that is missing is put there, and what makes it runs.

With another key a read might have put one there, or have run the function that makes it: who looks at the keys of such a
dict, or at what that function changes, depends on the keys of all reads. Of a comprehension that is not taken apart any key may have been read.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

from algodebug.slicing import mutating, sources
from algodebug.slicing.demands import Demand, Needs
from algodebug.slicing.instances import DEEP, ITEM, Activation, Instance
from algodebug.slicing.sources import Effects, Place
from algotrace.content import DEFAULTING

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_WHAT = "what was read of defaultdicts"
_MOST_NODES = 3000  # activations looked into, where they are very many
_ANY = -1  # among the numbers of dicts: nobody knows which


class Reads(NamedTuple):
    """What reads items, by the number of the dict."""

    items: dict[int, list[Instance]]
    comprehensions: dict[int, list[Instance]]  # that are not taken apart
    lazy: dict[int, list[Instance]]


class DefaultingReads:
    """The reads in all activations; found once."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._is_any: bool | None = None
        self._found: dict[tuple[int, int] | None, Reads] = {}
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
        return self._tables().items.get(number, [])

    def comprehensions(self, number: int, *, lazy: bool) -> list[Instance]:
        """Comprehensions that may read some, by their time; `lazy`: generator expressions, which do so when they are asked."""
        tables = self._tables()
        table = tables.lazy if lazy else tables.comprehensions
        if number not in table:
            table[number] = table[_ANY]
        return table[number]

    def _tables(self) -> Reads:
        found = self._found.get(self.graph.inside)
        if found is None:
            found = self._found[self.graph.inside] = self._find()
        self.graph.recall(_WHAT, self.graph.inside)
        return found

    def _find(self) -> Reads:
        graph, found = self.graph, Reads({}, {_ANY: []}, {_ANY: []})
        in_lambdas = graph.files.values.reads_in_lambdas()

        def reads(routine: int) -> bool:
            parts = sources.own_statements(graph.files.code_of(routine))
            return any(
                isinstance(part, ast.Subscript) or (in_lambdas and isinstance(part, ast.Call))
                for part in parts
            )

        for activation in graph.activations_of(graph.inside, reads, _MOST_NODES, _WHAT):
            if activation is None:
                break
            for part in _with_inlines(activation):
                for made in part.instances:
                    if made.kind == ITEM and made.node is not None:
                        number = graph.number(made.uses[0])
                        if self.is_of_one(number):
                            found.items.setdefault(number, []).append(made)
                for made in part.lumps:
                    among = found.lazy if isinstance(made.node, ast.GeneratorExp) else found.comprehensions
                    for number in self._read_by(made):
                        among.setdefault(number, []).append(made)
        for table in found:
            for number, each in table.items():
                each += table[_ANY] if number != _ANY and _ANY in table else []
                each.sort(key=_time_of)
        return found

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
        needs.which(made.uses)
        needs.reached(made)
        if demand.depth == DEEP and (step is None or needs.graph.step(made) in (None, step)):
            needs.whole((made,), made.time)  # what it gave may be what was put there
    for lazy in (False, True):
        _of_comprehensions(needs, number, 0 if lazy else after, before, lazy)


def _of_comprehensions(needs: Needs, number: int, after: int, before: int, lazy: bool) -> None:
    """… and the comprehensions that may have done so, whatever is asked."""
    reads = needs.graph.defaulting_reads.comprehensions(number, lazy=lazy)
    low, high = bisect_left(reads, after, key=_time_of), bisect_right(reads, before, key=_time_of)
    for at in needs.covered.rest(("defaulting comprehensions", number, lazy), low, high):
        _of_comprehension(needs, reads[at], number, before if lazy else reads[at].time)


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
