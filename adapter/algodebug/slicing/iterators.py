"""Iterators that are asked at several places: what one of them got, the next one does not get.

What comes of an iterator that has a name depends on every place that asked it before (that it did), and on branches
that would have asked it; functions count that it is passed to. Iterators that are kept elsewhere: see `kept_iterators`.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from algodebug.slicing import known, passing, variables
from algodebug.slicing.demands import Needs
from algodebug.slicing.instances import (
    CALL,
    COPIES,
    DISPLAY,
    LIBRARY,
    NAME,
    OPERATION,
    PARAMETER,
    PART,
    RETURN,
    STORE,
    TEST,
    Activation,
    Called,
    Instance,
)
from algodebug.slicing.sources import ITERATORS

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_MOST_COPIES = 1000
_MOST_PLACES = 2000
_NOT_ASKING = frozenset({NAME, STORE, TEST, RETURN})
# These ask for one element, or for each and every one.
_ASKING_FOR_ALL = frozenset(
    {"next", "__next__", "iter", "list", "tuple", "set", "frozenset", "dict", "sum", "sorted", "min", "max", "len", "enumerate", "reversed", "join", "extend", "update", "print", "tee", "deque", "Counter", "accumulate", "chain"}
)  # fmt: skip


class Place(NamedTuple):
    """An activation that an iterator is known in: who asks it there, and by which names."""

    activation: Activation
    askers: list[Instance]  # in order
    names: frozenset[str]


class Known:
    """All places where an iterator is known, and who asks it anywhere, by time."""

    def __init__(self, places: list[Place]) -> None:
        self.places = {id(place.activation): place for place in places}
        self.askers = sorted((asker for place in places for asker in place.askers), key=_time_of)
        self.tests: list[Instance] | None = None  # that kept it from being asked; found when they are needed


class Iterators:
    """Who asks the iterators of each activation."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._askers: dict[
            int, dict[int, list[Instance]]
        ] = {}  # activation → what made an iterator → who asked
        self._names: dict[int, dict[int, frozenset[str]]] = {}  # activation → what is bound → names
        self._generators: dict[int, dict[str, list[int]]] = {}
        self._places: dict[int, Known] = {}  # what made an iterator → where it is known
        self._alone: dict[
            tuple[int, int], int
        ] = {}  # what made an iterator → so many iterations of one loop ask it first
        self._tests: dict[tuple[int, str], list[tuple[int, Instance]]] = {}

    def asked_before(self, needs: Needs, value: Instance, asker: Instance) -> bool:
        """What `asker` gets of a named iterator depends on who asked before; whether anybody did."""
        is_asked = self.graph.kept_iterators.asked_before(needs, value, asker)
        shown = self.made(value)
        if shown is None:
            return is_asked
        known, time = self._known_in(shown), asker.time
        found = bisect_left(known.askers, time, key=_time_of)
        self._asked_until(needs, shown, time)
        is_later = is_asked
        for key, limit in self._under_way(shown, asker).items():
            place = known.places.get(key)
            askers = [] if place is None else place.askers
            found -= bisect_left(askers, time, key=_time_of)  # one of them is under way
            before = bisect_left(askers, limit, key=_order_of)
            for at in needs.covered.rest(("asked", id(shown), key), 0, before):
                needs.reached(askers[at])
            if key == id(asker.activation):
                is_alone = bool(before) and is_of_loop(askers[0], asker)
                alone = is_alone and before <= self._alone_until(id(shown), key, askers)
                is_later = is_later or (bool(before) and not alone)
            else:
                is_later = is_later or bool(before)
            if needs.relevant and place is not None:
                own = frozenset[str]()
                if key == id(asker.activation) and isinstance(value.node, ast.Name):
                    own = frozenset((value.node.id,))
                self._kept_from_asking(needs, shown, place.activation, place.names | own, limit)
        return is_later or found > 0

    def bound_by(self, needs: Needs, generator: Instance, time: int) -> None:
        """What a generator expression has bound a name to until a time, `any((found := x) > 3 for x in xs)`."""
        self._asked_until(needs, generator, time + 1, is_partial=True)

    def _asked_until(self, needs: Needs, shown: Instance, time: int, is_partial: bool = False) -> None:
        """Who asked an iterator before a time, how far, and what kept others from it.

        `is_partial`: how far it asks another one is told by what is done where it is asked.
        """
        known = self._known_in(shown)
        found = bisect_left(known.askers, time, key=_time_of)
        for at in needs.covered.rest(("asked", id(shown)), 0, found):
            asker = known.askers[at]
            needs.reached(asker)
            if is_partial or is_told_by_values(asker):
                needs.whole((asker,), asker.time)
        for asker in known.askers[:found]:
            if self._is_iterator(asker):  # it asks when it is asked itself
                self._asked_until(needs, asker, time, is_told_by_values(asker))
        if needs.relevant:
            tests = self._tests_of(shown, known)
            end = bisect_left(tests, time, key=_time_of)
            needs.which(tests[at] for at in needs.covered.rest(("kept from asking", id(shown)), 0, end))

    def _kept_from_asking(
        self, needs: Needs, shown: Instance, here: Activation, names: Iterable[str], limit: int
    ) -> None:
        """The tests in one activation, up to a place in it, that kept an iterator from being asked there."""
        for name in names:
            tests = self._tests_in(here, name)
            start = bisect_left(tests, shown.order, key=_place_of) if here is shown.activation else 0
            end = bisect_left(tests, limit, key=_place_of)
            for at in needs.covered.rest(("kept from asking", id(shown), id(here), name), start, end):
                needs.which((tests[at][1],))

    def _tests_of(self, shown: Instance, known: Known) -> list[Instance]:
        if known.tests is None:
            known.tests = [
                test
                for place in known.places.values()
                for name in place.names
                for order, test in self._tests_in(place.activation, name)
                if place.activation is not shown.activation or order >= shown.order
            ]
            known.tests.sort(key=_time_of)
        return known.tests

    def _under_way(self, shown: Instance, asker: Instance) -> dict[int, int]:
        """Activations → how far they had got, for those from what made an iterator down to who asks it."""
        found = {id(asker.activation): asker.order}
        at = asker.activation
        while at is not shown.activation:
            call = at.caller or self.graph.caller(at.node)
            if call is None or id(call.activation) in found:
                break
            if at.node not in self.graph.trace.segments:  # others go on meanwhile
                found[id(call.activation)] = call.order
            at = call.activation
        return found

    def made(self, value: Instance) -> Instance | None:
        """What gave the iterator that a name stands for where it was made or returned; None where it is none."""
        if value.kind != NAME:
            return None
        graph, home = self.graph, value
        for _ in range(_MOST_COPIES):
            if home.kind == NAME and variables.bound_since(graph, home) is not None:
                return None
            following = home.copy if home.kind in COPIES else None
            if home.kind == PARAMETER:
                following = graph.passed(home)
            elif home.kind == PART and home.uses[0].kind == DISPLAY:  # `a, b = iter(xs), iter(ys)`
                following = known.element(home.uses[0], ("item", home.detail))
            if following is None:
                break
            home = following
        shown = graph.origin(home) if home.kind == CALL else home
        return home if self._is_iterator(shown) else None

    def _is_iterator(self, made: Instance) -> bool:
        """Whether an evaluation gave an iterator."""
        if made.kind == OPERATION:
            return isinstance(made.node, ast.GeneratorExp)
        if made.kind != LIBRARY or not isinstance(made.detail, Called):
            return False
        return made.detail.name in ITERATORS or self.graph.files.only_generates(made.detail.name)

    def _known_in(self, shown: Instance) -> Known:
        """Where an iterator was made, and the calls that it was handed to."""
        known = self._places.get(id(shown))
        if known is None:
            places = list[Place]()
            names = self._names_in(shown.activation).get(id(shown), frozenset())
            todo, seen = [(shown.activation, names)], {id(shown.activation)}
            while todo:
                activation, names = todo.pop()
                askers = self._askers_in(activation).get(id(shown), [])
                for asker in askers:
                    names |= {
                        part.node.id
                        for part in parts_of(asker)
                        if isinstance(part.node, ast.Name) and self.made(part) is shown
                    }
                places.append(Place(activation, askers, names))
                for inner, inner_names in self._handed_to(shown, activation, askers):
                    if id(inner) not in seen and len(seen) < _MOST_PLACES:
                        seen.add(id(inner))
                        todo.append((inner, inner_names))
            known = self._places[id(shown)] = Known(places)
            if len(seen) == _MOST_PLACES:
                self.graph.incomplete.add(
                    f"who asked an iterator after it was handed to {_MOST_PLACES} calls"
                )
        return known

    def _names_in(self, activation: Activation) -> dict[int, frozenset[str]]:
        """Of what names were bound to in an activation, those names."""
        known = self._names.get(id(activation))
        if known is None:
            found: dict[int, set[str]] = {}
            for name, stored in activation.stores.items():
                for each in stored:
                    found.setdefault(id(each.copy), set()).add(name)
            known = self._names[id(activation)] = {key: frozenset(names) for key, names in found.items()}
        return known

    def _generators_in(self, activation: Activation) -> dict[str, list[int]]:
        """The generators that were asked in an activation, by name."""
        known = self._generators.get(id(activation))
        if known is None:
            known = self._generators[id(activation)] = {}
            trace = self.graph.trace
            for node in activation.callers:
                if node in trace.segments:
                    known.setdefault(trace.routines[trace.routine[node]].name, []).append(node)
        return known

    def _handed_to(
        self, shown: Instance, activation: Activation, askers: list[Instance]
    ) -> Iterator[tuple[Activation, frozenset[str]]]:
        """The calls that got an iterator from an activation, and what they call it."""
        graph = self.graph
        generators = {
            made.detail.name for made in askers if made.kind == LIBRARY and isinstance(made.detail, Called)
        }
        nodes = [node for made in askers if made.kind == CALL for node in made.detail.nodes]
        for name in generators:
            nodes += self._generators_in(activation).get(name, ())
        for node in nodes:
            inner = graph.activation(node)
            names = set()
            for name, parameter in inner.parameters.items():
                given = passing.arguments_of(graph, parameter) or ()
                if any(self.made(value) is shown or value is shown for value in given):
                    names.add(name)
            if names:
                yield inner, frozenset(names)

    def _askers_in(self, activation: Activation) -> dict[int, list[Instance]]:
        found = self._askers.get(id(activation))
        if found is None:
            found = self._askers[id(activation)] = {}
            try:
                self._add_askers(found, activation)
            except BaseException:  # nobody waits any longer: not all were found
                del self._askers[id(activation)]
                raise
        return found

    def _add_askers(self, found: dict[int, list[Instance]], activation: Activation) -> None:
        for each in activation.instances:
            if each.kind in _NOT_ASKING:
                continue
            for part in parts_of(each):
                shown = part if self._is_iterator(part) else self.made(part)
                if shown is not None:
                    found.setdefault(id(shown), []).append(each)

    def _alone_until(self, shown: int, place: int, askers: list[Instance]) -> int:
        """How many of the first ones that asked are iterations of one loop."""
        key = (shown, place)
        if key not in self._alone:
            others = (at for at, each in enumerate(askers) if not is_of_loop(askers[0], each))
            self._alone[key] = next(others, len(askers))
        return self._alone[key]

    def _tests_in(self, activation: Activation, name: str) -> list[tuple[int, Instance]]:
        """The tests, in order, that kept code from running that mentions a name."""
        key = (id(activation), name)
        if key not in self._tests:
            parts = self.graph.files.parts
            found = [
                (test.order, test)
                for test, unrun in activation.tests
                if any(
                    isinstance(part, ast.Name) and part.id == name for piece in unrun for part in parts(piece)
                )
            ]
            self._tests[key] = sorted(found, key=lambda each: each[0])
        return self._tests[key]


def is_told_by_values(asker: Instance) -> bool:
    """Whether how far an iterator was asked is told by what values were: `x in it`, `any(it)`, `zip(names, it)`."""
    node, called = asker.node, asker.detail
    if asker.kind == OPERATION:
        has_conditions = isinstance(node, ast.GeneratorExp) and any(each.ifs for each in node.generators)
        return isinstance(node, ast.Compare) or has_conditions
    return asker.kind == LIBRARY and isinstance(called, Called) and called.name not in _ASKING_FOR_ALL


def is_of_loop(one: Instance, other: Instance) -> bool:
    """Whether two elements were got by one loop."""
    return one.kind == other.kind == PART and one.uses[0] is other.uses[0]


def _place_of(each: tuple[int, Instance]) -> int:
    return each[0]


def _order_of(made: Instance) -> int:
    return made.order


def _time_of(made: Instance) -> int:
    return made.time


def parts_of(made: Instance) -> Iterator[Instance]:
    yield from made.uses
    yield from made.deep
    if isinstance(made.detail, Called):
        yield from (value for _, value in made.detail.arguments)
        yield from (value for _, value in made.detail.keywords)
        if made.detail.receiver is not None:
            yield made.detail.receiver
