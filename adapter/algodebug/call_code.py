"""The code that each call executed, by number: the nodes of `code_nodes` are registered here, and found again."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from algodebug.activation_variables import Variables
from algodebug.code_flow import Flow
from algodebug.code_nodes import RANGE, ROUTINE, CodeNode
from algodebug.executed_statements import LOOP, Executed, LocatedIterations, Step, statements_of
from algodebug.expression_nodes import Expressions
from algodebug.located_values import LocatedVariables
from algodebug.long_activations import calls_of, starts_of
from algodebug.statement_syntax import Region, Syntax
from algotrace.trace import TraceError

if TYPE_CHECKING:
    from algotrace.trace import Trace


_OF_EXPRESSIONS = ("expression", "evaluations")


class RoutineCode:
    """The code that one activation executed; `top` stands for all of it."""

    def __init__(self, nodes: CodeNodes, node: int, syntax: Syntax, found: Executed) -> None:
        self.nodes = nodes
        self.trace = nodes.trace
        self.node = node
        self.syntax = syntax
        steps = found.steps
        self.complete = found.complete  # every event found its place
        self.long = found.long  # where the activation is one of very many events
        self.flows: dict[int, Flow] = {}
        self.top = CodeNode(self, ROUTINE, None, steps, 0, len(steps))
        self._sums: dict[int, tuple[Sequence[Step], Sequence[int]]] = {}
        self._loop_names: dict[int, frozenset[str]] = {}
        self._around: dict[tuple[int, int, int], CodeNode] = {}

    @property
    def routine(self) -> int:
        return self.trace.routine[self.node]

    @property
    def qualname(self) -> str:
        return self.trace.routines[self.routine].qualname

    @property
    def steps(self) -> Sequence[Step]:
        return self.top.sequence

    @cached_property
    def variables(self) -> Variables:
        if self.long is not None:
            return LocatedVariables(self.long)
        return Variables(self.trace, self.node, max(step.end for step in self.steps))

    @cached_property
    def expressions(self) -> Expressions:
        return Expressions(self)

    @cached_property
    def calls(self) -> Sequence[int]:
        return calls_of(self.trace, self.node) if self.long is None else self.long.calls

    @cached_property
    def call_starts(self) -> Sequence[int]:
        return (
            starts_of(self.trace, calls_of(self.trace, self.node))
            if self.long is None
            else self.long.call_starts
        )

    def around(self, first: int, last: int) -> CodeNode | None:
        """The least code that made the calls from `first` to `last`: a step, or consecutive ones."""
        start, end = self.trace.start[first], self.trace.start[last]
        sequence = self.steps
        above = self.top
        while True:
            low = _step_at(sequence, start)
            high = _step_at(sequence, end)
            if low is None or high is None:
                return None
            while low > 0 and sequence[low - 1].joined:
                low -= 1
            while high < len(sequence) - 1 and sequence[high].joined:
                high += 1
            step = sequence[low]
            inner = None
            if low == high:
                inner = next(
                    (
                        part
                        for part in (step.parts, step.orelse)
                        if _step_at(part, start) is not None and _step_at(part, end) is not None
                    ),
                    None,
                )
            if inner is None:
                if low == 0 and high == len(sequence) - 1:
                    # All of a sequence is what it is the sequence of.
                    return above if above is not self.top else None
                key = (id(sequence), low, high)
                if key not in self._around:
                    kind = step.kind if low == high else RANGE
                    self._around[key] = self._placed(kind, above, sequence, low, high + 1)
                return self._around[key]
            above = self._placed(step.kind, above, sequence, low, low + 1)
            sequence = inner

    def _placed(self, kind: str, above: CodeNode, sequence: Sequence[Step], first: int, end: int) -> CodeNode:
        """The node for steps of a sequence: the one that halving gives, or one of its own beside those."""
        pending = [self.top]
        lowest = self.top
        while pending:
            node = pending.pop()
            if (
                node.sequence is sequence
                and (node.first, node.last) == (first, end - 1)
                and node is not self.top
            ):
                return node
            if node.sequence is sequence and not (node.first <= first and end - 1 <= node.last):
                continue
            if node.start <= sequence[first].start and sequence[end - 1].end <= node.end:
                lowest = node
                pending += node.children
        return self.register(CodeNode(self, kind, lowest, sequence, first, end))

    def cuts_near(self, call: int) -> list[int]:
        """The calls next to a given one that are the first of an iteration, or of a statement beside loops."""
        located = self._located_at(call)
        if located is not None:
            return located
        cuts = self._cuts
        if not cuts:
            return []
        at = bisect_left(cuts, call)
        return cuts[max(at - 1, 0) : at + 1] if at == len(cuts) or cuts[at] != call else [call]

    def _located_at(self, call: int) -> list[int] | None:
        """The same in a loop of very many iterations."""
        at = _step_at(self.steps, self.trace.start[call]) if call < len(self.trace.start) else None
        parts = self.steps[at].parts if at is not None else ()
        if not isinstance(parts, LocatedIterations):
            return None
        inside = parts.at(self.trace.start[call])
        if inside is None:
            return None
        starts = self.call_starts
        found: list[int] = []
        for time in (parts[inside].start, parts[inside].end):
            at = bisect_left(starts, time)
            if at < len(starts) and (not found or found[-1] != self.calls[at]):
                found.append(self.calls[at])
        return [call] if call in found else found

    @cached_property
    def _cuts(self) -> list[int]:
        """The calls with which an iteration of an outermost loop begins, or a statement of the routine."""
        found: list[int] = []
        pieces: list[Step] = []
        for step in self.steps:
            located = isinstance(step.parts, LocatedIterations)
            pieces += step.parts if step.kind == LOOP and not located else [step]
        starts = self.call_starts
        for piece in pieces:
            at = bisect_left(starts, piece.start)
            if at < len(starts) and (not found or found[-1] != self.calls[at]):
                found.append(self.calls[at])
        if self.calls:
            found.append(self.calls[-1] + self.trace.size[self.calls[-1]])
        return found

    @property
    def has_structure(self) -> bool:
        """Is there more to ask about than the routine itself?"""
        return bool(self.top.children)

    def sums(self, sequence: Sequence[Step]) -> Sequence[int]:
        """Weights summed up from the start of a sequence."""
        if isinstance(sequence, LocatedIterations):
            each = sequence.weight_each
            return range(0, len(sequence) * each + 1, each)
        known = self._sums.get(id(sequence))
        if known is None:
            sums = [0]
            for step in sequence:
                sums.append(sums[-1] + step.weight)
            known = self._sums[id(sequence)] = sequence, sums  # held, so that no other gets its identity
        return known[1]

    def loop_names(self, syntax: ast.stmt) -> frozenset[str]:
        """The names that the `for` loops in a statement bind."""
        known = self._loop_names.get(id(syntax))
        if known is None:
            known = self._loop_names[id(syntax)] = frozenset(
                name.id
                for loop in ast.walk(syntax)
                if isinstance(loop, (ast.For, ast.AsyncFor))
                for name in ast.walk(loop.target)
                if isinstance(name, ast.Name)
            )
        return known

    def text_of(self, region: Region) -> str:
        lines = self.syntax.lines[region[0] - 1 : region[2]]
        if lines:
            lines[-1] = lines[-1][: region[3]]
            lines[0] = lines[0][region[1] :]
        return "\n".join(lines)

    def register(self, node: CodeNode) -> CodeNode:
        return self.nodes.register(node)


class CodeNodes:
    """The code nodes of one trace, by number; numbers are given out from `first` on as nodes are made."""

    def __init__(self, trace: Trace, first: int) -> None:
        self.trace = trace
        self.first = first
        self._nodes: list[CodeNode] = []
        self._routines: dict[int, RoutineCode | None] = {}
        self._syntax: dict[int, Syntax] = {}

    def __contains__(self, node: object) -> bool:
        return isinstance(node, int) and self.first <= node < self.first + len(self._nodes)

    def __getitem__(self, node: int) -> CodeNode:
        if node not in self:
            raise KeyError(node)
        return self._nodes[node - self.first]

    def register(self, node: CodeNode) -> CodeNode:
        node.id = self.first + len(self._nodes)
        self._nodes.append(node)
        return node

    def of(self, node: int) -> RoutineCode | None:
        """The code of a call; None where it cannot be told from the trace."""
        if node not in self._routines:
            self._routines[node] = self._read(node)
        return self._routines[node]

    def _read(self, node: int) -> RoutineCode | None:
        trace = self.trace
        if not hasattr(trace, "own_events"):
            return None
        source = trace.routines[trace.routine[node]].source
        if source not in self._syntax:
            self._syntax[source] = Syntax(trace.sources[source].text)
        try:
            found = statements_of(trace, node, self._syntax[source])
        except (TraceError, RecursionError):
            return None
        return (
            RoutineCode(self, node, self._syntax[source], found)
            if found is not None and found.steps
            else None
        )

    def find(self, key: Any) -> CodeNode | None:
        """The node that a key of an earlier session names."""
        try:
            routine, kind, start, end, *region = key
            code = self.of(routine) if 0 <= routine < len(self.trace.parent) else None
        except (TypeError, ValueError):
            return None
        if code is None:
            return None
        wanted = [routine, kind, start, end, *region]
        if kind in _OF_EXPRESSIONS:
            return code.expressions.find(wanted)
        pending = list(code.top.children)
        while pending:
            node = pending.pop()
            if node.key == wanted:
                return node
            if node.start <= start and end <= node.end:
                pending += node.children
        return None


def _step_at(sequence: Sequence[Step], time: int) -> int | None:
    """The step of a sequence during which something happened."""
    if isinstance(sequence, LocatedIterations):
        return sequence.at(time)
    at = bisect_right(sequence, time, key=lambda step: step.start) - 1
    return at if at >= 0 and sequence[at].start <= time < sequence[at].end else None
