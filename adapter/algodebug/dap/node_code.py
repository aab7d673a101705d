"""What an editor shows in the code about one node: its slices, what its names were bound to; and what is told about its
values (see `about_values`), as bodies of our messages. Only reads the trace.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from algodebug import question
from algodebug.about_values import AboutValues, NoSuchValue, sentence
from algodebug.buggy_code import merge
from algodebug.dap.arguments import ExecutableArguments, OriginArguments, PrintedArguments, SliceArguments
from algodebug.dap.protocol import (
    CodeOfFile,
    NodeValues,
    Origin,
    PlacedValues,
    PrintedLine,
    PrintedPage,
    ReducedFile,
    ReducedProgram,
    Slice,
    Station,
    Value,
    Write,
    Writes,
)
from algodebug.reduced_program import NotReproduced, Reduced, Reducing
from algodebug.slicing import Criterion, Slicer, bright_and_faint, slicer_of
from algodebug.slicing.command import KINDS, answer, criterion_of
from algodebug.slicing.demands import Demand

if TYPE_CHECKING:
    from algodebug.code_nodes import CodeNode
    from algodebug.execution_tree import ExecutionTree
    from algotrace import values
    from algotrace.trace import Trace

BUGGY = "buggy"
SLICE_KINDS = tuple(kind for kind in KINDS if kind not in ("origin", "writes", "executable"))
MOST_VALUES = 200_000
"""Bindings of one activation that are looked at."""
MOST_PLACES = 500
_VALUE_LIMIT = 40
_SHOWN_AT_A_PLACE = 3


class NodeCode:
    """The code of the nodes of one tree."""

    def __init__(self, tree: ExecutionTree, trace: Trace) -> None:
        self._tree = tree
        self._trace = trace
        self._about = AboutValues(tree, trace)

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
            raise NoSuchValue(sentence(error)) from None
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
            self._about.criterion(node, mark)
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
        demands = [demand for each in marks for demand in self._about.demands(code, each)]
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
        stations = [Station(**station._asdict()) for station in self._about.origin(node, mark)]
        return Origin(node, mark, stations)

    def writes(self, arguments: OriginArguments) -> Writes:
        """Who changed a value, in order."""
        node, mark = arguments.node, arguments.mark.strip()
        found = []
        for write in self._about.writes(node, mark):
            fields = write._asdict()
            before, after = _value(fields.pop("before")), _value(fields.pop("after"))
            found.append(Write(**fields, before=before, after=after))
        return Writes(node, mark, found)

    def printed(self, arguments: PrintedArguments) -> PrintedPage:
        """A page of the lines that a node printed."""
        lines, more = self._about.lines(arguments.node, max(arguments.start, 0), max(arguments.count, 0))
        return PrintedPage(arguments.node, [PrintedLine(**line._asdict()) for line in lines], more)

    def reducing(self, arguments: ExecutableArguments) -> Reducing:
        """The making of a reduced program that gives some values. It runs them: only where somebody asks for it."""
        call = self._tree.call_of(arguments.node)
        try:
            criteria = [criterion_of(self._trace, call, mark) for mark in _marks(arguments)]
            return Reducing(self._trace, criteria)
        except ValueError as error:
            raise NoSuchValue(sentence(error)) from None
        except NotReproduced as error:
            raise NoSuchValue(str(error)) from None

    def reduced(self, arguments: ExecutableArguments, found: Reduced) -> ReducedProgram:
        """What came of that."""
        others = [ReducedFile(file, text) for file, text in found.files.items() if file != found.file]
        files = [ReducedFile(found.file, found.text), *others]
        return ReducedProgram(arguments.node, _marks(arguments), files, found.lines, found.lines_before)

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


class _SlicerAt(Slicer):
    """A slicer that starts at given demands, whatever it is asked for; it shares what another has followed."""

    def __init__(self, slicer: Slicer, demands: list[Demand]) -> None:
        self.__dict__.update(vars(slicer))
        self._start = demands

    def demands(self, criterion: Criterion) -> list[Demand]:
        return self._start


def _value(value: values.Value | None) -> Value | None:
    body = question.value_body(value)
    return None if body is None else Value(**body)


def _marks(arguments: ExecutableArguments) -> list[str]:
    return arguments.marks or [""]
