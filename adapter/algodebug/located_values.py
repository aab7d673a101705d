"""The variables of an activation of very many events: each value is looked up where it was bound last before a time.

A name is bound in slots of blocks. When a block was entered is known for all of its entries, so the last binding is in
one of the last entries of the blocks that bind the name.
"""

from __future__ import annotations

import ast
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from algodebug.activation_variables import Variables, module_name
from algodebug.executed_statements import LocatedIterations
from algodebug.long_activations import LongActivation
from algotrace.marks import SET
from algotrace.values import Raised, Value, Yielded

if TYPE_CHECKING:
    from algodebug.code_nodes import CodeNode
    from algotrace.trace import Trace

_MOST_BACK = 200  # entries of a block, of which the last ones need not have come to where it binds a name
_REMEMBERED = 2000  # entries

_EVER = _FAR = 1 << 62
Bound = list[tuple[int, str, int]]  # time, name, object


class LocatedVariables(Variables):
    """As `Variables`, of an activation that is not read as a whole."""

    def __init__(self, long: LongActivation) -> None:
        self._long = long
        self.trace = trace = long.trace
        self.node = long.node
        routine = trace.routines[long.routine]
        self.source = routine.source
        self.is_module = routine.kind == "module"
        self.module = module_name(trace, routine.source)
        start = trace.start[long.node]
        self._given = {a.name: (start, a.value.identity) for a in trace.arguments(long.node)}
        self.parameters = list(self._given)
        self._binding: dict[str, list[int]] = {}  # the blocks that bind a name
        self.free: dict[str, None] = {}
        for number, block in trace.blocks_of(routine.source):
            if block.routine == long.routine:
                for role, name, _ in block.slots:
                    if role in ("store", "read"):
                        self._binding.setdefault(name, []).append(number)
                    if role == "read":
                        self.free[name] = None
        self._entered: OrderedDict[tuple[int, int], tuple[int, Bound]] = OrderedDict()

    @cached_property
    def caught(self) -> list[tuple[int, Value]]:  # type: ignore[override]
        found: list[tuple[int, Value]] = []
        for time in self._long.handlers():
            mark = self.trace.mark_at(time)
            numbers = self.trace.values_at(time, mark) if mark is not None else []
            if len(numbers) >= 3:
                raised = Raised(self.trace, numbers[-3], numbers[-2], time, f"raise:{time}")
                found.append((time, raised))
        return found

    def names(self) -> list[str]:
        return list(dict.fromkeys((*self._given, *self._binding)))

    def number(self, name: str, time: int) -> int | None:
        if name not in self._given and name not in self._binding:
            number = self.trace.globals_at(self.source, name, time)
            if number is None and not self.is_module:
                number = self._known_global(name)
        else:
            number = self._own(name, time)
        if number is None or self.trace.row(number) in (["absent"], ["unknown"]):
            return None
        return number

    def _own(self, name: str, time: int) -> int | None:
        found = [self._given[name]] if name in self._given and self._given[name][0] < time else []
        for block in self._binding.get(name, ()):
            entries = self._long.entries(block)
            at = bisect_left(entries, time) - 1
            for place in range(at, max(at - _MOST_BACK, -1), -1):
                bound = [
                    (t, n) for t, each, n in self._bound_in(block, place, time) if each == name and t < time
                ]
                if bound:
                    found.append(bound[-1])
                    break
        outside = self._outside(name)
        at = bisect_left(outside, time) - 1
        if at >= 0:
            found += self._noted(outside[at])
        if found:
            return max(found)[1]
        return self._first(name) if name in self.free else None

    def _outside(self, name: str) -> array[int]:
        """When it was bound as a name of a function around."""
        return self._long.bound_outside(name) if name in self.free else array("q")

    def _noted(self, time: int) -> list[tuple[int, int]]:
        mark = self.trace.mark_at(time)
        numbers = [] if mark is None else self.trace.values_at(time, mark)
        return [(time, number) for number in numbers[-1:]]

    def _first(self, name: str) -> int | None:
        """A variable of a function around this one may be read only later."""
        found = [
            (time, number)
            for block in self._binding[name]
            if self._long.entries(block)
            for time, each, number in self._bound_in(block, 0, _EVER)
            if each == name
        ]
        found += [noted for at in self._outside(name)[:1] for noted in self._noted(at)]
        return min(found)[1] if found else None

    def _bound_in(self, block: int, place: int, until: int) -> Bound:
        """What one entry of a block bound, up to some time at least; not what blocks inside it did."""
        key = (block, place)
        known = self._entered.get(key)
        if known is None or known[0] < until:
            known = self._entered[key] = (
                until,
                [
                    # What is read now was there at least since the latest event.
                    (value.time - (value.role == "read"), value.name, value.number)
                    for value in self._long.values_of_entry(block, place, until + 1)
                    if value.role in ("store", "read")
                ],
            )
            if len(self._entered) > _REMEMBERED:
                self._entered.popitem(last=False)
        return known[1]


class _InTurn(Sequence[tuple[int, int]]):
    """What a loop bound a name to, in some of very many iterations: (object, time)."""

    def __init__(
        self, variables: Variables, name: str, iterations: LocatedIterations, first: int, end: int
    ) -> None:
        self._variables = variables
        self._name = name
        self._iterations = iterations
        self._range = range(first, end)

    def __len__(self) -> int:
        return len(self._range)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self._range)))]
        time = self._iterations.body_start(self._range[at])
        number = self._variables.number(self._name, time)
        return -1 if number is None else number, time


class HandedInTurn(Yielded):
    """It reads as a list of what the iterations were handed."""

    __slots__ = ()

    def __init__(
        self,
        trace: Trace,
        variables: Variables,
        name: str,
        iterations: LocatedIterations,
        first: int,
        end: int,
    ) -> None:
        pairs = _InTurn(variables, name, iterations, first, end)
        number, time = pairs[0]
        super().__init__(trace, pairs, time, f"{number}@{time}")  # type: ignore[arg-type]

    @property
    def certain(self) -> bool:
        return True


def handed_in_turn(node: CodeNode) -> list[list[int]] | None:
    """The objects that a loop handed to some of very many iterations, for each of its names; None where that is not
    told without reading them."""
    iterations = node.sequence
    if not isinstance(iterations, LocatedIterations) or isinstance(iterations.syntax, ast.While):
        return None
    target = iterations.syntax.target
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    if len(names) < len(parts) or names != list(node.loop_names):
        return None
    trace = node.code.trace
    slots = trace.blocks[iterations.block].slots[: len(names)]
    in_slots = [name for role, name, _ in slots if role == "store"] == names
    found: list[list[int]] = [[] for _ in names]
    for head in iterations.heads[node.first : node.last + 1]:
        time = head + 1  # its names are bound first of all, in a module with a mark each
        for name, column in zip(names, found, strict=True):
            mark = trace.mark_at(time)
            if mark is None and in_slots:
                column.append(trace.event(time))
                time += 1
                continue
            if mark is None or mark.kind != SET or mark.label != f"global {name}":
                return None
            values = trace.values_at(time, mark)
            if len(values) != 1:
                return None
            column += values
            time += 2
    return found


def as_range(trace: Trace, numbers: list[int]) -> range | None:
    """Whole numbers that follow one another in equal steps; None where they are something else."""
    values = array("q")
    for number in numbers:
        value = trace.row(number)
        if type(value) is not int or abs(value) >= _FAR:
            return None
        values.append(value)
    step = values[1] - values[0] if len(values) > 1 else 1
    found = range(values[0], values[-1] + (1 if step > 0 else -1), step) if step else range(0)
    return found if len(found) == len(values) and array("q", found) == values else None
