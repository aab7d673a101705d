"""Objects that somebody has by a weak proxy, `weakref.proxy(box)`: what is stored into that is stored into the object.

The trace tells such a write as one into the object. Which proxies are of which objects is told by the calls that made them;
one of which that is not known may be of any. What calls give that are methods of a proxy needs nothing of this: the
object itself is what they get.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from algodebug.slicing import sources
from algodebug.slicing.demands import Demand, Needs
from algodebug.slicing.instances import LIBRARY, Activation, Called, Instance
from algodebug.slicing.resolution import Objects
from algotrace.scopes import imports

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_WHAT = "weak proxies that are made"
_MOST_NODES = 1000  # activations looked into for who makes one, where they are very many
_MODULE, _MAKING, _CLASS = "weakref", "proxy", "ProxyType"


class WeakProxies:
    """Who made proxies, and of what; found when somebody asks, in programs that name the module."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._are_any: bool | None = None
        self._made: dict[tuple[int, int] | None, list[Instance]] = {}

    def _may_be(self) -> bool:
        if self._are_any is None:
            self._are_any = any(
                _MODULE in source.text and _MAKING in source.text for source in self.graph.trace.sources
            )
        return self._are_any

    def is_proxy(self, number: int) -> bool:
        row = self.graph.trace.row(number) if number and self._may_be() else None
        if type(row) is not list or row[0] != "instance":
            return False
        name, module, *_ = self.graph.trace.type_of(row[1])
        return bool(module == _MODULE and name.endswith(_CLASS))

    def makes(self, made: Instance) -> bool:
        """Whether a call made a proxy."""
        called = made.detail if made.kind == LIBRARY and self._may_be() else None
        if not isinstance(called, Called) or not called.arguments or called.arguments[0][0]:
            return False
        number = self.graph.number(made)
        return self.is_proxy(number) if number else called.name == _MAKING

    def behind(self, value: Instance) -> list[Instance]:
        """What a proxy is of: the values that it may have been made of; nothing for other values."""
        if not self._may_be():
            return []
        shown = self.graph.origin(value)
        if self.makes(shown):
            return [shown.detail.arguments[0][1]]
        number = self.graph.number(value)
        return [made.detail.arguments[0][1] for made in self._of(number)] if self.is_proxy(number) else []

    def may_be_of(self, proxy: Instance) -> Objects:
        """The objects into which something is stored through a proxy, were another one chosen; None for any."""
        choices, graph = self.graph.choices(), self.graph
        others = choices.of(proxy)
        if others is None:
            return None
        found: set[int] = set()
        for number in {graph.number(proxy), *others}:
            made = self._of(number) if self.is_proxy(number) else []
            for given in (each.detail.arguments[0][1] for each in made):
                known, chosen = graph.number(given), choices.of(given)
                if chosen is None or not known:
                    return None
                found |= {known, *chosen}
            if not made:
                if self.is_proxy(number):
                    return None
                found.add(number)
        return frozenset(found)

    def not_stored(self, needs: Needs, number: int, demand: Demand, after: int, before: int) -> None:
        """What kept something from being stored into an object through its proxies between two times."""
        attribute = demand.path[0][1] if demand.path and demand.path[0][0] == "attr" else ""
        potential = self.graph.potential()
        for proxy in self._proxies_of(number):
            for name in [attribute] if attribute else potential.attributes():
                needs.which(potential.stores(proxy, name, after, before, needs.covered))

    def _proxies_of(self, number: int) -> Iterator[int]:
        """… of the object of a number."""
        if not self._may_be() or self.is_proxy(number):
            return
        graph = self.graph
        for proxy in dict.fromkeys(found for each in self._find() if (found := graph.number(each))):
            if any(graph.number(made.detail.arguments[0][1]) in (0, number) for made in self._of(proxy)):
                yield proxy

    def _of(self, proxy: int) -> list[Instance]:
        """The calls that may have given a proxy."""
        numbered = [(self.graph.number(made), made) for made in self._find()]
        surely = [made for number, made in numbered if number == proxy]
        return surely or [made for number, made in numbered if not number]

    def _find(self) -> list[Instance]:
        inside = self.graph.inside
        if inside in self._made:
            self.graph.recall(_WHAT, inside)
            return self._made[inside]
        found: list[Instance] = []
        for activation in self.graph.activations_of(inside, self._may_make, _MOST_NODES, _WHAT):
            if activation is None:
                break
            found += (
                made for part in _with_inlines(activation) for made in part.instances if self.makes(made)
            )
        self._made[inside] = found
        return found

    def _may_make(self, routine: int) -> bool:
        text = self.graph.trace.sources[self.graph.trace.routines[routine].source].text
        names = {name for name, bound in imports(text).items() if bound == (_MODULE, _MAKING)}
        return any(
            (isinstance(part, ast.Attribute) and part.attr == _MAKING)
            or (isinstance(part, ast.Name) and part.id in names)
            for part in sources.own_statements(self.graph.files.code_of(routine))
        )


def _with_inlines(activation: Activation) -> Iterator[Activation]:
    yield activation
    for inner in activation.inlines:
        yield from _with_inlines(inner)
