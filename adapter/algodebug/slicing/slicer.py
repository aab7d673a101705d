"""Slices of a run: which code, and which calls, a value depends on.

A slice starts at a criterion and follows dependences backward through the graph, no further than it has to: activations
are looked into when something in them is asked for. The *relevant* slice adds the branches that would have changed the
value had they gone the other way, so that a missing statement leaves a trace too.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from algodebug.slicing import criteria, printed_lines
from algodebug.slicing.covered import Covered
from algodebug.slicing.criteria import Criterion
from algodebug.slicing.demands import REACHED, Demand
from algodebug.slicing.graph import Graph
from algodebug.slicing.instances import (
    CALL,
    DEEP,
    DISPLAY,
    ENTRY,
    LIBRARY,
    OPERATION,
    PARAMETER,
    RAISE,
    RETURN,
    SHALLOW,
    TEST,
    WRITE,
    Activation,
    Called,
    Instance,
)
from algodebug.slicing.paint import paint
from algodebug.slicing.sources import Place
from algotrace.trace import Span

if TYPE_CHECKING:
    from algotrace.content import Write
    from algotrace.trace import Trace

Given = ParamSpec("Given")
Result = TypeVar("Result")
_UNSHOWN = frozenset({ENTRY, PARAMETER, TEST})
_MOST_DEMANDS = 3_000_000


class Slice(NamedTuple):
    """Pieces of source by file, the calls that had a part in it, and whether nothing can be missing."""

    ranges: dict[int, list[Place]]
    nodes: set[int]
    complete: bool


class Reached(NamedTuple):
    """What a search through the graph came upon."""

    instances: dict[int, Instance]  # by identity
    nodes: set[int]
    complete: bool


def _whole(
    method: Callable[Concatenate[Slicer, Given], Result],
) -> Callable[Concatenate[Slicer, Given], Result]:
    """Of a search that ends half-way nothing is kept but the activations that were followed."""

    @wraps(method)
    def searched(slicer: Slicer, /, *given: Given.args, **named: Given.kwargs) -> Result:
        try:
            return method(slicer, *given, **named)
        except BaseException:
            slicer.graph.forget()
            raise

    return searched


class Slicer:
    """Slices of one trace; what was followed once is kept."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.graph = Graph(trace)
        self._alone_calls: dict[int, set[int]] = {}

    # -- kinds of slices -----------------------------------------------------------------------------------------------

    def backward(self, criterion: Criterion, *, inside: bool = False) -> Slice:
        """What the value was computed from; with `inside` no further than the inputs of the criterion's node."""
        return self._slice(
            self.reach(self.demands(criterion), criterion.node if inside else None, relevant=False)
        )

    def relevant(self, criterion: Criterion, *, inside: bool = False) -> Slice:
        """… and the branches that could have changed it."""
        return self._slice(self.reach(self.demands(criterion), criterion.node if inside else None))

    def chop(self, source: Criterion, sink: Criterion) -> Slice:
        """What lies on a way from one value to another."""
        back = self.reach(self.demands(sink), None)
        ahead = self.influenced(self.demands(source), back)
        return self._slice(ahead)

    @_whole
    def forward(self, criterion: Criterion, nodes: Iterable[int] | None = None) -> Slice:
        """What depends on the value, in the given nodes (all that ran after it)."""
        started = self.trace.start[criterion.node]
        chosen = (
            nodes
            if nodes is not None
            else (n for n in range(len(self.trace.parent)) if self.trace.end[n] >= started)
        )
        instances: dict[int, Instance] = {}
        for node in chosen:
            for made in self.all_instances(self.graph.activation(node)):
                instances[id(made)] = made
        universe = Reached(instances, set(), True)
        return self._slice(self.influenced(self.demands(criterion), universe))

    def dice(self, wrong: Criterion, right: Criterion) -> Slice:
        """What the wrong value depends on and the right one does not."""
        bad = self.reach(self.demands(wrong), None)
        good = self.reach(self.demands(right), None)
        left = {key: made for key, made in bad.instances.items() if key not in good.instances}
        return self._slice(
            Reached(left, {made.activation.node for made in left.values()}, bad.complete and good.complete)
        )

    def point(self, node: int) -> Slice:
        """How control came to a call: the branches taken and the calls made on the way to it."""
        activation = self.graph.activation(node)
        return self._slice(self.reach([Demand(activation.entry, (), SHALLOW, 0)], None, relevant=False))

    # -- the search ----------------------------------------------------------------------------------------------------

    @_whole
    def demands(self, criterion: Criterion) -> list[Demand]:
        node, kind = criterion.node, criterion.kind
        graph, trace = self.graph, self.trace
        activation = graph.activation(node)
        after = trace.end[node] + 1
        if kind == criteria.PRINTED:
            return printed_lines.demands(graph, node, criterion.path)
        if activation.failed:
            return [Demand(activation.entry, (), DEEP, after)]
        if kind == criteria.OUTCOME:
            return self.whole_outcome(activation)
        if kind in (criteria.RESULT, criteria.EXCEPTION):
            yields = [activation.yields[time] for time in sorted(activation.yields)]
            if kind == criteria.RESULT and yields:
                path = criterion.path
                if path and type(path[0][1]) is int and -len(yields) <= path[0][1] < len(yields):
                    return [Demand(yields[path[0][1]], path[1:], DEEP, after)]
                return [Demand(made, (), DEEP, after) for made in yields]
            if activation.outcome is None:
                return [Demand(activation.entry, (), DEEP, after)]
            path = () if activation.outcome.kind == RAISE else criterion.path
            return [Demand(activation.outcome, self._counted(activation.outcome, path, after), DEEP, after)]
        if kind == criteria.GLOBAL:
            source = trace.routines[trace.routine[node]].source
            written = graph.last_global(source, criterion.name, after)
            write = graph.write(written) if written is not None else None
            return [] if write is None else [Demand(write, criterion.path, DEEP, after)]
        if not criterion.name:
            return [Demand(activation.entry, (), SHALLOW, 0)]
        parameter = activation.parameters.get(criterion.name)
        if parameter is None:
            return [Demand(activation.entry, (), DEEP, after)]
        time = trace.start[node] if kind == criteria.ARGUMENT else after
        return [Demand(parameter, self._counted(parameter, criterion.path, time), DEEP, time)]

    def _counted(
        self, instance: Instance, path: tuple[criteria.Step, ...], time: int
    ) -> tuple[criteria.Step, ...]:
        number = self.graph.number(instance)
        if path and number and path[0][0] == "item" and type(path[0][1]) is int:
            return (self.graph.counted(number, path[0], time), *path[1:])
        return path

    def whole_outcome(self, activation: Activation) -> list[Demand]:
        """Result, yielded values or exception; what it changed that others can see; what it printed."""
        graph, trace, node = self.graph, self.trace, activation.node
        after = trace.end[node] + 1
        found = [Demand(made, (), DEEP, after) for made in activation.yields.values()]
        if activation.outcome is not None:
            found.append(Demand(activation.outcome, (), DEEP, after))
        else:
            found += [Demand(made, (), SHALLOW, 0) for made in activation.instances[-1:]]
        spans = trace.segments.get(node) or [trace.start[node], trace.end[node]]
        awake = list(zip(spans[::2], spans[1::2], strict=False))
        for number in trace.written_in(awake):
            if (
                number
                and trace.first_seen.get(number, 0) >= trace.start[node]
                and not self._given(activation, number)
            ):
                continue
            for write in (*trace.last_writes(number, awake), *self._whole_writes(number, awake)):
                made = graph.write(write.time)
                if made is None:
                    continue
                if not number and self._is_local(activation, made):
                    continue
                found.append(Demand(made, (), DEEP, after))
        start = trace.start[node]
        found += [
            Demand(test, (), SHALLOW, 0)
            for test in graph.potential().omitted(
                activation, lambda number: trace.first_seen.get(number, 0) >= start
            )
        ]
        for made in self.statements_alone(activation):
            found.append(Demand(made, (), DEEP, made.time))
            if isinstance(made.detail, Called) and made.kind == CALL:
                found += graph.all_of(made, made.time)
        return found

    def _given(self, activation: Activation, number: int) -> bool:
        return any(argument.value.identity == number for argument in self.trace.arguments(activation.node))

    def _whole_writes(self, number: int, awake: list[tuple[int, int]]) -> list[Write]:
        trace = self.trace
        writes = trace.writes_of(number)
        return [
            trace.write_at(writes.times[position])
            for first, last in awake
            for position in range(*writes.between(first, last))
            if writes.slots[position] <= 1
        ][-500:]

    def _is_local(self, activation: Activation, made: Instance) -> bool:
        """Whether a nonlocal variable belongs to this very call or one below it."""
        if made.kind != "write" or not isinstance(made.detail, str):
            return False
        scope = self.graph.files.scope(self.graph.files.code_of(made.activation.routine))
        return made.detail in scope.nonlocals and made.detail in activation.stores

    def statements_alone(self, activation: Activation) -> list[Instance]:
        """Calls that are statements: what they gave is dropped, so they were made for what they do."""
        found = []
        for made in self.all_instances(activation):
            if made.kind in (LIBRARY, CALL) and id(made.node) in self._alone(activation):
                called: Called = made.detail
                if made.kind == CALL and self.trace.written_in(
                    [(self.trace.start[n], self.trace.end[n]) for n in called.nodes]
                ):
                    continue
                found.append(made)
        return found

    def _alone(self, activation: Activation) -> set[int]:
        code = self.graph.files.code_of(activation.routine)
        key = id(code)
        if key not in self._alone_calls:
            self._alone_calls[key] = {
                id(part.value)
                for part in ast.walk(code)
                if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call)
            }
        return self._alone_calls[key]

    def all_instances(self, activation: Activation) -> list[Instance]:
        """Of an activation, the lambdas that ran in it included."""
        found = list(activation.instances)
        todo = list(activation.inlines)
        while todo:
            inner = todo.pop()
            found += inner.instances
            todo += inner.inlines
        return found

    @_whole
    def reach(self, demands: list[Demand], inside: int | None, *, relevant: bool = True) -> Reached:
        """Everything the demands lead to. `inside` a node: what came before it, and who called it, is input.

        Raises Interrupted.
        """
        graph, trace = self.graph, self.trace
        first, end = (0, len(trace.parent)) if inside is None else (inside, inside + trace.size[inside])
        graph.incomplete.clear()
        graph.inside = None if inside is None else (first, end)
        try:
            return self._reach(list(demands), first, end, relevant)
        finally:
            graph.inside = None

    def _reach(self, todo: list[Demand], first: int, end: int, relevant: bool) -> Reached:
        graph = self.graph
        seen: set[tuple[int, tuple[object, ...], int, int, int]] = set()
        deep: set[int] = set()
        latest: dict[int, int] = {}
        instances: dict[int, Instance] = {}
        keep: list[Instance] = []
        covered = Covered()
        complete = True
        while todo:
            graph.step_on()
            demand = todo.pop()
            instance = demand.instance
            if not first <= instance.activation.node < end:
                continue
            demand = graph.normal(demand)
            identity = id(instance)
            if demand.depth == SHALLOW and not demand.path and identity in deep:
                continue
            key = (identity, demand.path, demand.depth, demand.time, demand.fresh)
            if key in seen:
                continue
            if demand.depth == DEEP and not demand.path and not demand.fresh and graph.is_unchanged(instance):
                # The later it is looked at, the more could have been stored into it.
                if latest.get(identity, -1) >= demand.time:
                    continue
                latest[identity] = demand.time
            seen.add(key)
            if len(seen) > _MOST_DEMANDS:
                complete = False
                break
            # What could not be followed may depend on anything that ran before.
            complete = complete and not instance.activation.failed
            if demand.depth == DEEP and not demand.path:
                deep.add(identity)
            if not (instance.kind == DISPLAY and demand.path):
                if identity not in instances:
                    instances[identity] = instance
            else:
                keep.append(instance)
            todo += graph.expand(demand, relevant, covered)
        nodes = {made.activation.node for made in instances.values()} | {
            made.activation.node for made in keep
        }
        return Reached(instances, nodes, complete and not graph.incomplete)

    @_whole
    def influenced(self, sources: list[Demand], universe: Reached) -> Reached:
        """Of a set of instances those that some source has an influence on."""
        behind: dict[int, list[int]] = {}
        for key, made in universe.instances.items():
            self.graph.step_on()
            for demand in self.graph.expand(Demand(made, (), SHALLOW, made.time), True):
                behind.setdefault(id(demand.instance), []).append(key)
                if demand.depth > SHALLOW:  # what was stored into it
                    for stored in self.graph.expand(demand, True):
                        if stored.instance.kind == WRITE:
                            behind.setdefault(id(stored.instance), []).append(key)
        todo = [id(demand.instance) for demand in sources]
        found: dict[int, Instance] = {}
        seen = set(todo)
        while todo:
            key = todo.pop()
            if key in universe.instances:
                found[key] = universe.instances[key]
            for following in behind.get(key, ()):
                if following not in seen:
                    seen.add(following)
                    todo.append(following)
        return Reached(found, {made.activation.node for made in found.values()}, universe.complete)

    def _slice(self, reached: Reached) -> Slice:
        lit: dict[int, dict[int, Any]] = {}
        for made in reached.instances.values():
            if made.node is None or not hasattr(made.node, "lineno") or made.kind in _UNSHOWN:
                continue
            if made.kind == RETURN and made.copy is not None:
                continue  # the word goes with what is returned
            lit.setdefault(made.activation.source, {})[id(made.node)] = made.node
        ranges: dict[int, list[Place]] = {}
        for source, nodes in lit.items():
            file = self.graph.files[source]
            if file is not None:
                lines = {n for node in nodes.values() for n in range(node.lineno, node.end_lineno + 1)}
                spans = [Span(source, line, 0, line, len(file.text(line))) for line in sorted(lines)]
                bright, _ = paint(file, spans, set(nodes))
                ranges[source] = sorted((s.line, s.col, s.end_line, s.end_col) for s in bright)
        return Slice(ranges, reached.nodes, reached.complete)


__all__ = ["OPERATION", "REACHED", "Criterion", "Reached", "Slice", "Slicer"]
