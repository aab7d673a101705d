"""What one evaluation of an expression gave, as a value: from the trace, or computed from what it was computed from."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from algodebug.slicing import known, scalars
from algodebug.slicing.instances import DISPLAY, SLICED, UNSET, Instance
from algodebug.slicing.sources import BINARY, UNARY
from algotrace.values import Constant, Part, Text, Value

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph
    from algotrace.trace import Trace
    from algotrace.unread import Unread

_MOST_SHOWN = 200  # parts of a display
_NO_DATA = frozenset({"function", "class", "module", "method", "absent", "unknown"})
_OPEN = {"list": ("[", "]"), "tuple": ("(", ")"), "dict": ("{", "}")}


class Displayed(Value):
    """A list, tuple or dict that was just made, from the values of its parts; no object in the trace stands for it."""

    __slots__ = ("_kind", "_labels", "_parts")

    def __init__(self, trace: Trace, kind: str, labels: Sequence[str], parts: Sequence[Value]) -> None:
        super().__init__(trace, -1, 0, "displayed:")
        self._kind = kind
        self._labels = labels  # of a dict: the keys
        self._parts = parts

    @property
    def kind(self) -> str:
        return self._kind

    @property
    def type_name(self) -> str:
        return self._kind

    @property
    def certain(self) -> bool:
        return all(part.certain for part in self._parts)

    @property
    def length(self) -> int:
        return len(self._parts)

    def parts(self, start: int = 0, count: int = 100) -> list[Part]:
        labels = self._labels or [str(index) for index in range(len(self._parts))]
        pairs = list(zip(labels, self._parts, strict=True))[start : start + count]
        return [Part(label, f"[{label}]", value) for label, value in pairs]

    def attribute(self, name: str) -> None:
        return None

    def scalar(self) -> Any:
        raise TypeError("not a scalar: a display")

    def text(self, limit: int = 200, without: Unread | None = None) -> Text:
        opening, closing = _OPEN[self._kind]
        pieces: list[str] = []
        literal, room = True, limit - 2
        for index, part in enumerate(self._parts):
            if room <= 0:
                literal = False
                break
            text = part.text(max(room, 1))
            literal = literal and text.literal
            pieces.append(f"{self._labels[index]}: {text.text}" if self._labels else text.text)
            room -= len(pieces[-1]) + 2
        inside = ", ".join(pieces)
        if self._kind == "tuple" and len(self._parts) == 1:
            inside += ","
        whole = f"{opening}{inside}{closing}"
        if len(whole) > limit or len(pieces) < len(self._parts):
            return Text(f"{whole[: max(limit - 2, 1)]}…{closing}", False)
        return Text(whole, literal)

    def key(self) -> bytes:
        digest = hashlib.blake2b(f"displayed {self._kind}".encode(), digest_size=16)
        for label in self._labels:
            digest.update(f"{len(label)} {label}".encode(errors="surrogatepass"))
        for part in self._parts:
            key = part.key()
            digest.update(f"{len(key)} ".encode())
            digest.update(key)
        return digest.digest()


def value_of(graph: Graph, instance: Instance, time: int) -> Value | None:
    """The value of an instance as it was at `time`; None where that is not known."""
    trace = graph.trace
    number = known.number(graph, instance)
    if number > 0:
        row = trace.row(number)
        return None if row == ["unknown"] or row == ["absent"] else trace.value_at(number, time)
    scalar = known.value(graph, instance)
    if scalar is not UNSET:
        return Constant(trace, scalar)
    made = known.origin(graph, instance)
    if (given := _given_by_method(graph, made)) > 0:
        return trace.value_at(given, time)
    if isinstance(made.node, ast.Compare) and len(made.deep) == 2:
        return _link_of_chain(graph, made)
    if made.kind == SLICED:
        return _sliced(graph, made)
    if made.kind == DISPLAY and made.activation is instance.activation:
        return _displayed(graph, made, time)
    return None


def _given_by_method(graph: Graph, made: Instance) -> int:
    """Of an operator that ran a method of the program: what that returned. 0 where there is no such thing."""
    names = _methods(made.node)
    ran = made.activation.ran_in.get(made.order, ())
    trace = graph.trace
    for node in reversed(ran):
        if trace.routines[trace.routine[node]].name not in names:
            continue
        outcome = trace.call(node).outcome
        if outcome.kind == "return" and outcome.value is not None:
            return max(outcome.value.identity, 0) if outcome.value.type_name != "NotImplementedType" else 0
    return 0


def _methods(node: ast.AST | None) -> frozenset[str]:
    """The methods whose result is that of an operator."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        name = BINARY.get(type(node.op), "")
        return frozenset((f"__{name}__", f"__r{name}__", f"__i{name}__"))
    if isinstance(node, ast.UnaryOp):
        return frozenset((UNARY.get(type(node.op), ""),))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _COMPARED.get(type(node.ops[0]), frozenset())
    return frozenset()


_ORDER = {ast.Lt: "lt gt", ast.Gt: "gt lt", ast.LtE: "le ge", ast.GtE: "ge le", ast.Eq: "eq", ast.NotEq: "ne"}
_COMPARED: dict[type, frozenset[str]] = {
    kind: frozenset(f"__{name}__" for name in names.split()) for kind, names in _ORDER.items()
}


def _sliced(graph: Graph, made: Instance) -> Value | None:
    """A part of a list or tuple: a new one, of what was in it."""
    number = known.number(graph, made.uses[0])
    bounds = [None if part is None else known.value(graph, part) for part in made.detail]
    if number <= 0 or any(type(bound) not in (int, type(None)) for bound in bounds) or bounds[2] == 0:
        return None
    row = graph.trace.row(number)
    content = graph.trace.content(number, made.time) if type(row) is list and row[0] in _OPEN else None
    if content is None or content.kind not in ("list", "tuple") or not content.certain or content.attributes:
        return None
    if graph.trace.value_at(number, made.time).type_name != content.kind:
        return None  # a class of the program may do otherwise
    items = content.items[slice(*bounds)]
    if len(items) > _MOST_SHOWN:
        return None
    parts = [graph.trace.value_at(item, made.time) for item in items]
    return Displayed(graph.trace, content.kind, (), parts)


def _link_of_chain(graph: Graph, made: Instance) -> Value | None:
    """Of `a < b < c` the comparison that came last: the value of the whole."""
    node: Any = made.node
    at = 0
    earlier = made
    while earlier.uses and earlier.uses[0].node is node:
        earlier = earlier.uses[0]
        at += 1
    if at >= len(node.ops):
        return None
    link = ast.Compare(node.left, [node.ops[at]], [node.comparators[at]])
    scalar = scalars.compute(link, [known.value(graph, part) for part in made.deep])
    return None if scalar is UNSET else Constant(graph.trace, scalar)


def _displayed(graph: Graph, made: Instance, time: int) -> Value | None:
    kind = {"List": "list", "ListComp": "list", "Tuple": "tuple", "Dict": "dict"}.get(
        type(made.node).__name__, ""
    )
    if not kind or len(made.detail) > _MOST_SHOWN:
        return None
    of_dict = isinstance(made.detail, dict)
    inside: list[Instance] = list(made.detail.values()) if of_dict else list(made.detail)
    parts = [value_of(graph, part, time) for part in inside]
    labels = [repr(key) for key in made.detail] if of_dict else []
    found = [part for part in parts if part is not None]
    return Displayed(graph.trace, kind, labels, found) if len(found) == len(parts) else None


def is_data(value: Value) -> bool:
    """No function, class or module."""
    return value.kind not in _NO_DATA
