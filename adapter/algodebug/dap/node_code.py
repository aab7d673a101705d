"""What an editor shows in the code about one node: its slices, where its values come from, what its names were bound to.

The nodes are calls and code inside calls; a value is named by a mark: `result[1]`, `exception`, `argument x[0]`,
`self.total`, `global LIMIT`. Only reads the trace.
"""

from __future__ import annotations

import argparse
import ast
from typing import TYPE_CHECKING

from algodebug import question
from algodebug.buggy_code import merge
from algodebug.dap.protocol import (
    CodeOfFile,
    NodeValues,
    Origin,
    OriginArguments,
    PlacedValues,
    Slice,
    SliceArguments,
    Station,
)
from algodebug.slicing import Criterion, Slicer, bright_and_faint, parse_criterion, slicer_of
from algodebug.slicing.command import KINDS, answer
from algodebug.slicing.demands import Demand
from algodebug.slicing.instances import DEEP, Instance
from algodebug.slicing.origin import origin

if TYPE_CHECKING:
    from algodebug.code_nodes import CodeNode
    from algodebug.execution_tree import ExecutionTree
    from algotrace.trace import Trace

BUGGY, READ = "buggy", "read"
SLICE_KINDS = tuple(kind for kind in KINDS if kind not in ("origin", "executable"))
LONGEST_ORIGIN = 200
MOST_VALUES = 200_000
"""Bindings of one activation that are looked at."""
MOST_PLACES = 500
_VALUE_LIMIT = 40
_SHOWN_AT_A_PLACE = 3

_Step = tuple[str, object]


class NoSuchValue(Exception):
    """A mark that names nothing in the node; the text says why, in one sentence."""


class NodeCode:
    """The code of the nodes of one tree."""

    def __init__(self, tree: ExecutionTree, trace: Trace) -> None:
        self._tree = tree
        self._trace = trace

    def slice(self, arguments: SliceArguments) -> Slice:
        """The code that a value depends on. Of kind "buggy": what the node executed itself, split by it."""
        node, mark, kind = arguments.node, arguments.mark.strip(), arguments.kind
        if kind not in SLICE_KINDS:
            raise NoSuchValue(f'There is no slice "{kind}". There are: {", ".join(SLICE_KINDS)}.')
        code = self._tree.code(node)
        if kind == BUGGY:
            return self._buggy(node, code, mark)
        if code is not None:
            return self._of_code(code, mark, kind)
        options = argparse.Namespace(node=node, mark=mark, kind=kind, other=arguments.other, inside=False)
        try:
            found = answer(self._trace, options)
        except ValueError as error:
            raise NoSuchValue(_sentence(error)) from None
        files = [CodeOfFile(file["file"], merge(file["ranges"]), []) for file in found["files"]]
        return Slice(node, mark, kind, files, found["nodes"], found["complete"])

    def _buggy(self, node: int, code: CodeNode | None, mark: str) -> Slice:
        trace, call = self._trace, self._tree.call_of(node)
        spans = list(trace.executed(call))
        if code is not None:
            line, column, end_line, end_column = code.region
            source = trace.routines[trace.routine[call]].source
            spans = [
                span
                for span in spans
                if span.source == source
                and (line, column) <= (span.line, span.col)
                and (span.line, span.col) < (end_line, end_column)
            ]
        elif mark:
            self._criterion(node, mark)
        bright, faint = bright_and_faint(trace, call, "" if code is not None else mark, spans)
        files: dict[str, tuple[list[list[int]], list[list[int]]]] = {}
        for place, pieces in enumerate((bright, faint)):
            for span in pieces:
                file = files.setdefault(trace.sources[span.source].path, ([], []))
                file[place].append([span.line, span.col, span.end_line, span.end_col])
        told = [CodeOfFile(file, merge(lit), merge(quiet)) for file, (lit, quiet) in files.items()]
        return Slice(node, mark, BUGGY, told, [node], True)

    def _of_code(self, code: CodeNode, mark: str, kind: str) -> Slice:
        if kind not in ("backward", "relevant"):
            raise NoSuchValue(f'A slice "{kind}" starts at a call, not at code inside one.')
        call = code.code.node
        if not mark:
            # All that it did.
            marks = [change.target for change in code.changes]
            if code.outcome[1] is not None:
                marks.append("exception" if code.outcome[0] == "raise" else "result")
        else:
            marks = [mark]
        slicer = slicer_of(self._trace)
        demands = [demand for each in marks for demand in self._demands(slicer, code, each)]
        at = _SlicerAt(slicer, demands)
        criterion = Criterion(call, "outcome", "", ())
        found = at.backward(criterion) if kind == "backward" else at.relevant(criterion)
        files = [
            CodeOfFile(self._trace.sources[source].path, merge(list(place) for place in places), [])
            for source, places in sorted(found.ranges.items())
        ]
        return Slice(code.id, mark, kind, files, sorted(found.nodes), found.complete)

    def origin(self, arguments: OriginArguments) -> Origin:
        """The places that a value passed, from where it was made."""
        node, mark = arguments.node, arguments.mark.strip()
        code = self._tree.code(node)
        slicer = slicer_of(self._trace)
        if code is None:
            chain = origin(slicer, self._criterion(node, mark))
        else:
            at = _SlicerAt(slicer, self._demands(slicer, code, mark))
            chain = origin(at, Criterion(code.code.node, "outcome", "", ()))
        if len(chain) > LONGEST_ORIGIN:
            chain = chain[: LONGEST_ORIGIN // 2] + chain[-LONGEST_ORIGIN // 2 :]
        stations: list[Station] = []
        for station in chain:
            source = self._trace.sources[station.source]
            place = None if station.place is None else list(station.place)
            line = place[0] if place else self._tree.place(station.node).line
            lines = source.text.split("\n")
            text = lines[line - 1].strip() if line <= len(lines) else ""
            routine = self._trace.routines[self._trace.routine[station.node]]
            title = self._tree.title(station.node)
            here = Station(
                station.node, routine.qualname, title, source.path, line, place, text, station.what
            )
            previous = stations[-1] if stations else None
            if previous is not None and (previous.node, previous.line) == (here.node, line):
                # Of one line the step that says most.
                if here.what == READ:
                    continue
                if previous.what == READ:
                    stations.pop()
            stations.append(here)
        return Origin(node, mark, stations)

    def values(self, node: int) -> NodeValues:
        """What the names of a node were bound to: the arguments of a call, then each place that stores a name."""
        tree, trace = self._tree, self._trace
        call, code = tree.call_of(node), tree.code(node)
        place = tree.place(call)
        start, end = (trace.start[call], trace.end[call] + 1) if code is None else (code.start, code.end)
        found: dict[tuple[str, int, int, int, int], tuple[int, list[tuple[int, int]]]] = {}
        for seen, bound in enumerate(trace.own_values(call)):
            if seen > MOST_VALUES or bound.time >= end or len(found) > MOST_PLACES:
                break
            if bound.role != "store" or bound.time < start:
                continue
            region = trace.blocks[bound.block].slots[bound.slot][2]
            key = (bound.name, region[0], region[1], region[2], region[3])
            count, first = found.get(key, (0, []))
            if len(first) == _SHOWN_AT_A_PLACE:
                first.pop()
            found[key] = (count + 1, [*first, (bound.number, bound.time)])
        values = []
        if code is None:
            values = [
                PlacedValues(a.name, question.short(a.value, _VALUE_LIMIT), 1, [place.line, 0, place.line, 0])
                for a in trace.call(call).arguments
            ]
        for (name, *region), (count, shown) in found.items():
            texts = [question.short(trace.value_at(number, time), _VALUE_LIMIT) for number, time in shown]
            if count > len(texts):
                texts.insert(-1, "…")
            values.append(PlacedValues(name, " → ".join(texts), count, region))
        return NodeValues(node, place.file, values)

    def _criterion(self, node: int, mark: str) -> Criterion:
        try:
            return parse_criterion(self._trace, node, mark)
        except ValueError as error:
            raise NoSuchValue(_sentence(error)) from None

    def _demands(self, slicer: Slicer, code: CodeNode, mark: str) -> list[Demand]:
        """What to follow for a value of code inside a call."""
        call = code.code.node
        before = mark.startswith("argument ")
        name, path = _parse(mark.removeprefix("argument ").removeprefix("global "))
        if name in ("result", "exception") and code.outcome[1] is not None:
            return slicer.demands(self._criterion(call, mark))
        activation = slicer.graph.activation(call)
        time = code.start if before else code.end
        if before and name in code.loop_names and code.is_of_iterations:
            # A loop binds its names after the iteration has begun.
            time = code.sequence[code.first].body_start
        stored = [made for made in activation.stores.get(name, ()) if made.time < time]
        instance: Instance | None = stored[-1] if stored else activation.parameters.get(name)
        if instance is None:
            source = self._trace.routines[self._trace.routine[call]].source
            written = slicer.graph.last_global(source, name, time)
            instance = None if written is None else slicer.graph.write(written)
        if instance is None:
            raise NoSuchValue(f"Where {mark.removeprefix('argument ')} comes from was not recorded.")
        return [Demand(instance, tuple(path), DEEP, time)]


class _SlicerAt(Slicer):
    """A slicer that starts at given demands, whatever it is asked for; it shares what another has followed."""

    def __init__(self, slicer: Slicer, demands: list[Demand]) -> None:
        self.__dict__.update(vars(slicer))
        self._start = demands

    def demands(self, criterion: Criterion) -> list[Demand]:
        return self._start


def _parse(text: str) -> tuple[str, list[_Step]]:
    """`self.rows[0]` as the name and the steps from there."""
    path: list[_Step] = []
    try:
        node = ast.parse(text.strip(), mode="eval").body
        while not isinstance(node, ast.Name):
            if isinstance(node, ast.Attribute):
                path.append(("attr", node.attr))
            elif isinstance(node, ast.Subscript):
                path.append(("item", ast.literal_eval(node.slice)))
            else:
                raise ValueError
            node = node.value
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NoSuchValue(f"{text} is no name with a path such as rows[2].name.") from None
    return node.id, path[::-1]


def _sentence(error: ValueError) -> str:
    text = str(error).rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."
