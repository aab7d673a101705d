"""Iterators that are asked at several places: what one of them got, the next one does not get.

What comes of an iterator that has a name depends on every place that asked it before (that it did), and on branches
that would have asked it. Left out: what other functions do that it is passed to, but that they were called.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING

from algodebug.slicing.demands import Needs
from algodebug.slicing.instances import (
    LIBRARY,
    NAME,
    OPERATION,
    PART,
    RETURN,
    STORE,
    TEST,
    Activation,
    Called,
    Instance,
)

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

# Functions that give iterators, by the last part of their name.
_ITERATORS = frozenset({
    "iter", "zip", "map", "filter", "enumerate", "reversed", "open",
    "accumulate", "chain", "combinations", "compress", "count", "cycle", "dropwhile", "filterfalse", "from_iterable",
    "groupby", "islice", "pairwise", "permutations", "product", "repeat", "starmap", "takewhile", "zip_longest",
    "finditer", "reader", "DictReader", "iterdir", "glob", "rglob", "scandir",
})  # fmt: skip
_NOT_ASKING = frozenset({NAME, STORE, TEST, RETURN})


class Iterators:
    """Who asks the iterators of each activation."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._askers: dict[
            int, dict[int, list[Instance]]
        ] = {}  # activation → what made an iterator → who asked
        self._alone: dict[
            int, int
        ] = {}  # what made an iterator → so many iterations of one loop ask it first
        self._tests: dict[tuple[int, str], list[tuple[int, Instance]]] = {}

    def asked_before(self, needs: Needs, value: Instance, asker: Instance) -> bool:
        """What `asker` gets of a named iterator depends on who asked before; whether anybody did."""
        shown = self.made(value)
        if shown is None or shown.activation is not asker.activation:
            return False
        askers = self._askers_in(shown.activation).get(id(shown), [])
        found = bisect_left(askers, asker.order, key=lambda each: each.order)
        for at in needs.covered.rest(("asked", id(shown)), 0, found):
            needs.reached(askers[at])
        if needs.relevant and isinstance(value.node, ast.Name):
            tests = self._tests_in(shown.activation, value.node.id)
            start, end = (
                bisect_left(tests, order, key=lambda each: each[0]) for order in (shown.order, asker.order)
            )
            for at in needs.covered.rest(("kept from asking", id(shown), value.node.id), start, end):
                needs.which((tests[at][1],))
        return bool(found) and not (
            _is_of_loop(askers[0], asker) and found <= self._alone_until(id(shown), askers)
        )

    def made(self, value: Instance) -> Instance | None:
        """What made the iterator that a name stands for; None where it is none."""
        if value.kind != NAME:
            return None
        shown = self.graph.origin(value)
        if shown.kind == OPERATION:
            return shown if isinstance(shown.node, ast.GeneratorExp) else None
        if shown.kind != LIBRARY or not isinstance(shown.detail, Called):
            return None
        name = shown.detail.name
        return shown if name in _ITERATORS or self.graph.files.only_generates(name) else None

    def _askers_in(self, activation: Activation) -> dict[int, list[Instance]]:
        found = self._askers.get(id(activation))
        if found is None:
            found = self._askers[id(activation)] = {}
            for each in activation.instances:
                if each.kind in _NOT_ASKING:
                    continue
                for part in _parts(each):
                    shown = self.made(part)
                    if shown is not None:
                        found.setdefault(id(shown), []).append(each)
        return found

    def _alone_until(self, key: int, askers: list[Instance]) -> int:
        """How many of the first ones that asked are iterations of one loop."""
        if key not in self._alone:
            others = (at for at, each in enumerate(askers) if not _is_of_loop(askers[0], each))
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


def _is_of_loop(one: Instance, other: Instance) -> bool:
    """Whether two elements were got by one loop."""
    return one.kind == other.kind == PART and one.uses[0] is other.uses[0]


def _parts(made: Instance) -> Iterator[Instance]:
    yield from made.uses
    yield from made.deep
    if isinstance(made.detail, Called):
        yield from (value for _, value in made.detail.arguments)
        yield from (value for _, value in made.detail.keywords)
        if made.detail.receiver is not None:
            yield made.detail.receiver
