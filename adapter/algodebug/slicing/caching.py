"""Functions of which a library keeps what they gave: `lru_cache`, `cache`.

A call that is answered so depends on the one that was kept, and its arguments on the body's not having run once more; that
the body ran depends on what the calls before it were given. Told by the names of the decorators.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from typing import TYPE_CHECKING, Any

from algodebug.slicing import calls
from algodebug.slicing.demands import Demand, Needs
from algodebug.slicing.instances import UNSET, Called, Instance
from algodebug.slicing.sources import last_name

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_CACHING = frozenset({"lru_cache", "cache"})
_UNKNOWN = object()

Key = tuple[Any, ...] | None  # what a function was given; None where that is not known


class Caches:
    """Who was called that may be asked no more."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._named: dict[str, list[Any]] | None = None
        self._nodes: dict[str, list[int]] = {}

    def kept(self, name: str) -> list[Any]:
        """The functions of a name that a library keeps the results of."""
        if self._named is None:
            self._named = {}
            for file in self.graph.files.looked_at():
                for each, codes in file.named.items():
                    if found := [code for code in codes if _is_caching(code)]:
                        self._named[each] = found
        return self._named.get(name, [])

    def answered(self, needs: Needs, name: str, given: list[Instance] | None, demand: Demand) -> bool:
        """What a call gave whose function did not run; `given`: its arguments, None where they are not told apart."""
        nodes = self._nodes_of(name) if self.kept(name) else []
        before = bisect_left(nodes, demand.instance.time, key=self.graph.trace.end.__getitem__)
        key = self._key(given)
        found = False
        for node in nodes[:before]:
            other = self._key_of(node, len(key or ()))
            if key is None or other is None or key == other:
                calls.result(needs, node, demand.path, demand.depth, demand.time, demand.fresh)
                found = True
        return found

    def ran(self, needs: Needs, node: int) -> None:
        """That a function ran, and nobody had kept what it would give."""
        trace = self.graph.trace
        routine = trace.routines[trace.routine[node]]
        if not self.kept(routine.name) or self.graph.files.code_of(trace.routine[node]) not in self.kept(
            routine.name
        ):
            return
        nodes = self._nodes_of(routine.name)
        end = bisect_left(nodes, trace.end[node], key=trace.end.__getitem__)
        for at in needs.covered.rest(("kept by a library", routine.name), 0, min(end + 1, len(nodes))):
            made = self.graph.caller(nodes[at])
            if made is not None and isinstance(made.detail, Called):
                needs.reached(made)
                needs.whole(
                    (value for _, value in (*made.detail.arguments, *made.detail.keywords)), made.time
                )

    def _nodes_of(self, name: str) -> list[int]:
        """The runs of the functions of a name, in the order in which they ended."""
        known = self._nodes.get(name)
        if known is None:
            trace, codes = self.graph.trace, self.kept(name)
            routines = {
                number
                for number, routine in enumerate(trace.routines)
                if routine.name == name and self.graph.files.code_of(number) in codes
            }
            known = [node for node, routine in enumerate(trace.routine) if routine in routines]
            known.sort(key=trace.end.__getitem__)
            self._nodes[name] = known
        return known

    def _key(self, given: list[Instance] | None) -> Key:
        if given is None:
            return None
        found: list[Any] = []
        for value in given:
            scalar = self.graph.value(value)
            found.append(self.graph.number(value) or _UNKNOWN if scalar is UNSET else ("scalar", scalar))
        return None if _UNKNOWN in found else tuple(found)

    def _key_of(self, node: int, count: int) -> Key:
        """What a run was given, the first so many."""
        trace, found = self.graph.trace, list[Any]()
        for argument in trace.arguments(node):
            number = argument.value.identity
            row = trace.row(number) if number else None
            found.append(number if type(row) is list else ("scalar", row))
        return tuple(found[:count]) if count <= len(found) else None


def given_to(called: Called, code: Any) -> list[Instance] | None:
    """The arguments of a call in order, what a method is called on among them; None where they are not told apart."""
    if called.keywords or any(starred for starred, _ in called.arguments):
        return None
    given = [value for _, value in called.arguments]
    is_method = bool(code.args.args) and code.args.args[0].arg in ("self", "cls")
    if is_method and called.receiver is None:
        return None
    return [called.receiver, *given] if is_method and called.receiver is not None else given


def _is_caching(code: Any) -> bool:
    decorators = code.decorator_list if isinstance(code, (ast.FunctionDef, ast.AsyncFunctionDef)) else ()
    return any(
        last_name(each.func if isinstance(each, ast.Call) else each) in _CACHING for each in decorators
    )
