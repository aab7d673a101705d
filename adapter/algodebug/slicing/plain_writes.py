"""Writes into objects that nothing chose: told by the text, without following the call that they are in.

Of each write a relevant slice asks whether it could have gone into another object. Mostly its object has a name that is
bound once: a parameter, for which callers gave what nothing chose, or a new container.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from algodebug.slicing.instances import PARAMETER, Activation, Instance
from algodebug.slicing.mutating import MUTATING_FUNCTIONS, MUTATORS
from algodebug.slicing.sources import Place, last_name, parameters
from algotrace import marks

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_NEW = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


class PlainWrites:
    """What is known of writes by the text of their functions."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._names: dict[int, dict[Place, str]] = {}  # of a routine: where it writes into what is bound once
        self._parameters: dict[int, frozenset[str]] = {}
        self._known: dict[tuple[int, str], bool] = {}
        self._given: list[
            Instance
        ] = []  # stand-ins for parameters: what is known of instances goes by identity

    def is_plain(self, at: int) -> bool:
        """Whether a write surely went into an object that nothing chose. False where that is not known so easily."""
        graph, trace = self.graph, self.graph.trace
        mark, node = trace.mark_at(at), graph.owner(at)
        if mark is None or mark.at is None or mark.kind == marks.PASSED:
            return False
        routine = trace.routine[node]
        if mark.routine != routine:
            return False
        name = self._names_of(routine).get((*mark.at,))
        if name is None:
            return False
        if name not in self._parameters[routine]:
            return True
        key = (node, name)
        if key not in self._known:
            self._known[key] = self._is_given_plainly(node, routine, name)
        return self._known[key]

    def _is_given_plainly(self, node: int, routine: int, name: str) -> bool:
        made = Activation(node, routine, self.graph.trace.routines[routine].source)
        given = Instance(made, PARAMETER, None, self.graph.trace.start[node], 0, None)
        given.detail = name
        self._given.append(given)
        others = self.graph.choices().of(given)
        return others is not None and not others

    def _names_of(self, routine: int) -> dict[Place, str]:
        known = self._names.get(routine)
        if known is None:
            known = self._names[routine] = {}
            files, code = self.graph.files, self.graph.files.code_of(routine)
            file = files[self.graph.trace.routines[routine].source]
            self._parameters[routine] = frozenset()
            if file is None or not isinstance(code, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return known
            bound: dict[str, list[Any]] = {}
            for statement in code.body:
                for name, bindings in files.bindings(statement).items():
                    bound.setdefault(name, []).extend(bindings)
            inner = files.bound_by_inner(code)
            given = frozenset(parameters(code.args)) - bound.keys() - inner
            self._parameters[routine] = given
            new = {
                name
                for name, (first, *rest) in bound.items()
                if not rest and first is not None and not first[1] and isinstance(first[0], _NEW)
            } & (files.scope(code).locals - inner - set(parameters(code.args)))
            for statement in code.body:
                for part in files.parts(statement):
                    for base in _written(part):
                        if isinstance(base, ast.Name) and (base.id in given or base.id in new):
                            known[file.place(part)] = base.id
        return known


def _written(part: ast.AST) -> Iterator[ast.AST]:
    """What a piece of code writes into."""
    if isinstance(part, (ast.Subscript, ast.Attribute)) and not isinstance(part.ctx, ast.Load):
        yield part.value
    elif isinstance(part, ast.Call):
        name = last_name(part.func)
        if name in MUTATING_FUNCTIONS:
            yield from part.args[:1]
        elif name in MUTATORS and isinstance(part.func, ast.Attribute):
            yield part.func.value
