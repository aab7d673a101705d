"""Default values of parameters as objects: a call that leaves an argument out may change what the next one finds.

The trace names such an object where a call got it; whether it was given or left out is not asked. Defaults that the
text tells to be scalars are none.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NamedTuple

from algodebug.slicing.instances import OPERATION, Activation, Instance
from algodebug.slicing.sources import Function, is_number

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_MOST_CALLS = 3000  # looked at for what they got
_MOST_DEFINED = 20  # times that one function was defined
_SCALARS = (ast.Constant, ast.JoinedStr, ast.Compare, ast.Lambda)


class OfDefault(NamedTuple):
    """What a parameter of a function is where a call leaves it out."""

    code: Any
    parameter: str


def of_function(code: Any) -> dict[str, ast.expr]:
    """The parameters of a function that have a default which may be changed."""
    return {
        name: default
        for name, default in _all_defaults(code)
        if not isinstance(default, _SCALARS) and not is_number(default)
    }


def _all_defaults(code: Any) -> list[tuple[str, ast.expr]]:
    """The parameters of a function that have a default, in the order these are evaluated."""
    if not isinstance(code, Function):
        return []
    given = code.args
    positional = [*given.posonlyargs, *given.args]
    pairs = [
        *zip(positional[len(positional) - len(given.defaults) :], given.defaults, strict=True),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]
    return [(argument.arg, default) for argument, default in pairs if default is not None]


def _with_default(code: Any) -> list[str]:
    return [name for name, _ in _all_defaults(code)]


def text(code: Any, parameter: str) -> ast.expr | None:
    """The default of a parameter as it is written; None where it has none."""
    return dict(_all_defaults(code)).get(parameter)


def left_out(call: ast.Call, code: Any) -> set[str]:
    """Those of them that a call may leave out."""
    found = set(of_function(code))
    if not found:
        return found
    found.difference_update(keyword.arg for keyword in call.keywords if keyword.arg)
    if not any(isinstance(argument, ast.Starred) for argument in call.args):
        positional = [argument.arg for argument in (*code.args.posonlyargs, *code.args.args)]
        found.difference_update(positional[: len(call.args)])
    return found


class Defaults:
    """The objects that the defaults of a trace's functions are."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._routines: dict[str, list[int]] = {}
        self._known: dict[OfDefault, frozenset[int] | None] = {}
        self._defined: dict[int, dict[int, list[Instance]]] = {}  # activation → function → its definitions

    def objects(self, default: OfDefault) -> frozenset[int] | None:
        """All that a parameter was which may be its default, scalars left out; None where there were too many calls."""
        if default not in self._known:
            self._known[default] = self._objects(default)
        return self._known[default]

    def values(self, parameter: Instance) -> list[Instance]:
        """What the definition of a function that no function is around gave for a parameter that was left out."""
        activation, graph = parameter.activation, self.graph
        around, code = (
            graph.trace.routines[activation.routine].parent,
            graph.files.code_of(activation.routine),
        )
        names = _with_default(code)
        if parameter.detail not in names or around < 0 or activation.caller is not None:
            return []
        if graph.trace.routines[around].kind not in ("module", "class"):
            return []  # the way to the function leads to it
        place = names.index(parameter.detail)
        return [
            made.deep[place]
            for run in graph.class_bodies.runs(around, parameter.time)
            for made in self._defined_in(run).get(id(code), ())
            if made.time <= parameter.time and place < len(made.deep)
        ][-_MOST_DEFINED:]

    def _defined_in(self, activation: Activation) -> dict[int, list[Instance]]:
        key = id(activation)
        if key not in self._defined:
            found = self._defined[key] = {}
            for made in activation.instances:
                if made.kind == OPERATION and isinstance(made.node, Function):
                    found.setdefault(id(made.node), []).append(made)
        return self._defined[key]

    def _objects(self, default: OfDefault) -> frozenset[int] | None:
        graph, trace = self.graph, self.graph.trace
        if not self._routines:
            for number, routine in enumerate(trace.routines):
                self._routines.setdefault(routine.name, []).append(number)
        own = {
            number
            for number in self._routines.get(getattr(default.code, "name", "<lambda>"), ())
            if graph.files.code_of(number) is default.code
        }
        nodes = [node for node, routine in enumerate(trace.routine) if routine in own] if own else []
        if len(nodes) > _MOST_CALLS:
            return None
        found = {
            argument.value.identity
            for node in nodes
            for argument in trace.arguments(node)
            if argument.name == default.parameter
        }
        value = of_function(default.code)[default.parameter]
        if isinstance(value, ast.Name):  # a variable of the module that was never handed on
            for source in {trace.routines[number].source for number in own}:
                found.add(trace.globals_at(source, value.id, 1 << 62) or 0)
        return frozenset(number for number in found if number > 0 and type(trace.row(number)) is list)
