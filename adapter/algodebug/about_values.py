"""What can be asked about a value that a question shows: where it comes from, who changed it; and the lines of output.

A value is named by a mark (`result[1]`, `argument x[0]`, `self.total`, `global LIMIT`, `printed[2]`) of a node, which is
a call or code inside one. Every front end asks here; only reads the trace.
"""

from __future__ import annotations

import ast
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from algodebug.slicing import Criterion, Slicer, parse_criterion, slicer_of, writes
from algodebug.slicing.criteria import ARGUMENT, EFFECT, EXCEPTION, GLOBAL, PRINTED, RESULT
from algodebug.slicing.demands import Demand, Step
from algodebug.slicing.instances import DEEP, Instance
from algodebug.slicing.origin import Station as Passed
from algodebug.slicing.origin import chain_of, origin
from algodebug.slicing.writes import Written
from algotrace import printed
from algotrace.bodies import module_name

if TYPE_CHECKING:
    from algodebug.code_nodes import CodeNode
    from algodebug.execution_tree import ExecutionTree
    from algotrace.trace import Trace
    from algotrace.values import Value

LONGEST_ORIGIN = 200
MOST_LINES = 1000
READ = "read"


class NoSuchValue(Exception):
    """A mark that names nothing in the node; the text says why, in one sentence."""


class Station(NamedTuple):
    """A place that a value passed; `what` is made, stored, passed, returned, raised, read or printed."""

    node: int
    function: str
    title: str
    file: str
    line: int
    range: list[int] | None
    text: str
    what: str


class Write(NamedTuple):
    """A place that changed a value; `before` and `after` None: it was not there. `what` is "made" or "written"."""

    node: int
    function: str
    title: str
    file: str
    line: int
    range: list[int] | None
    text: str
    what: str
    target: str
    before: Value | None
    after: Value | None


class PrintedLine(NamedTuple):
    """A line of output; `mark` names it in an answer."""

    number: int
    text: str
    certain: bool
    mark: str


class AboutValues:
    """Of the nodes of one tree."""

    def __init__(self, tree: ExecutionTree, trace: Trace) -> None:
        self._tree = tree
        self._trace = trace

    def origin(self, node: int, mark: str) -> list[Station]:
        """The places that a value passed, from where it was made; empty where nothing is known."""
        code = self._tree.code(node)
        slicer = slicer_of(self._trace)
        if code is None:
            chain = origin(slicer, self.criterion(node, mark))
        else:
            found = self.demands(code, mark)
            chain = chain_of(slicer, found[0]) if len(found) == 1 else []
        if len(chain) > LONGEST_ORIGIN:
            chain = chain[: LONGEST_ORIGIN // 2] + chain[-LONGEST_ORIGIN // 2 :]
        stations: list[Station] = []
        for passed in chain:
            here = Station(*self._where(passed.node, passed.source, passed.place), passed.what)
            previous = stations[-1] if stations else None
            if previous is not None and (previous.node, previous.line) == (here.node, here.line):
                # Of one line the step that says most.
                if here.what == READ:
                    continue
                if previous.what == READ:
                    stations.pop()
            stations.append(here)
        return stations

    def writes(self, node: int, mark: str) -> list[Write]:
        """What was written to an attribute, item, variable or container until the moment shown, in order."""
        mark = mark.strip()
        code = self._tree.code(node)
        if code is None:
            found, holder = self._writes_of_call(self.criterion(node, mark), mark)
        else:
            found, holder = self._writes_of_code(code, mark)
        shown = [
            Write(*self._where(w.node, w.source, w.place), "written", w.target, w.before, w.after)
            for w in sorted(found, key=lambda w: w.time)[-writes.MOST_WRITES :]
        ]
        made = self._creation(holder, shown)
        return ([made] if made is not None else []) + shown

    def lines(self, node: int, start: int = 0, count: int = MOST_LINES) -> tuple[list[PrintedLine], bool]:
        """A page of the lines that a call printed, and whether there are more."""
        call = self._tree.call_of(node)
        wanted = list(islice(printed.lines(self._trace, call), start, start + min(count, MOST_LINES) + 1))
        page = wanted[: min(count, MOST_LINES)]
        found = [
            PrintedLine(number, line.text, line.certain, f"{PRINTED}[{number}]")
            for number, line in enumerate(page, start)
        ]
        return found, len(wanted) > len(page)

    # -- what a mark stands for ----------------------------------------------------------------------------------------

    def criterion(self, node: int, mark: str) -> Criterion:
        """A mark of a call. Raises NoSuchValue."""
        try:
            return parse_criterion(self._trace, node, mark)
        except ValueError as error:
            raise NoSuchValue(sentence(error)) from None

    def demands(self, code: CodeNode, mark: str) -> list[Demand]:
        """What to follow for a value of code inside a call."""
        slicer = slicer_of(self._trace)
        call = code.code.node
        for body in code.modules:
            module = module_name(self._trace, body)
            if mark.startswith(f"{module}."):
                return slicer.demands(self.criterion(body, f"global {mark.removeprefix(f'{module}.')}"))
        name, path, time = self._in_code(code, mark)
        if name in (RESULT, EXCEPTION) and code.outcome[1] is not None:
            return slicer.demands(self.criterion(call, mark))
        activation = slicer.graph.activation(call)
        stored = [made for made in activation.stores.get(name, ()) if made.time < time]
        instance: Instance | None = stored[-1] if stored else activation.parameters.get(name)
        if instance is None:
            source = self._trace.routines[self._trace.routine[call]].source
            written = slicer.graph.last_global(source, name, time)
            instance = None if written is None else slicer.graph.write(written)
        if instance is None:
            raise NoSuchValue(f"Where {mark.removeprefix('argument ')} comes from was not recorded.")
        return [Demand(instance, path, DEEP, time)]

    def _in_code(self, code: CodeNode, mark: str) -> tuple[str, tuple[Step, ...], int]:
        """The name, the steps from it, and the moment that a mark of code inside a call means."""
        before = mark.startswith("argument ")
        name, path = _parse(mark.removeprefix("argument ").removeprefix("global "))
        time = code.start if before else code.end
        if before and name in code.loop_names and code.is_of_iterations:
            # A loop binds its names after the iteration has begun.
            time = code.sequence[code.first].body_start
        return name, tuple(path), time

    # -- who changed it ------------------------------------------------------------------------------------------------

    def _writes_of_call(
        self, criterion: Criterion, mark: str
    ) -> tuple[list[Written], tuple[Slicer, Demand] | None]:
        trace, graph = self._trace, slicer_of(self._trace).graph
        node, kind, path = criterion.node, criterion.kind, criterion.path
        if kind == PRINTED:
            raise NoSuchValue("What was printed does not change; ask where it comes from.")
        time = trace.start[node] if kind == ARGUMENT else trace.end[node] + 1
        call = trace.call(node)
        base, name = 0, ""
        if kind in (RESULT, EXCEPTION):
            base = call.outcome.value.identity if call.outcome.value is not None else 0
        elif kind in (ARGUMENT, EFFECT):
            base = next((a.value.identity for a in call.arguments if a.name == criterion.name), 0)
        elif kind == GLOBAL:
            base = trace.globals_at(self._source(node), criterion.name, time) or 0
            name = criterion.name
        else:
            raise NoSuchValue("Say which value: result[1], self.total, argument x[0].")
        found = writes.to_global(graph, self._source(node), name, time) if name and not path else []
        return self._writes(found, base, path, time, mark, slicer_of(trace).demands(criterion))

    def _writes_of_code(
        self, code: CodeNode, mark: str
    ) -> tuple[list[Written], tuple[Slicer, Demand] | None]:
        trace, slicer = self._trace, slicer_of(self._trace)
        call = code.code.node
        name, path, time = self._in_code(code, mark)
        module = trace.routines[trace.routine[call]].kind == "module"
        bound = (
            writes.to_global(slicer.graph, self._source(call), name, time)
            if module
            else writes.to_name(slicer.graph, call, name, time)
        )
        base = 0
        if bound and bound[-1].after is not None:
            base = bound[-1].after.identity
        elif not module:
            base = next((a.value.identity for a in trace.arguments(call) if a.name == name), 0)
            if not base:
                base = trace.globals_at(self._source(call), name, time) or 0
        return self._writes([] if path else bound, base, path, time, mark, self.demands(code, mark))

    def _writes(
        self,
        found: list[Written],
        base: int,
        path: tuple[Step, ...],
        time: int,
        mark: str,
        demands: list[Demand],
    ) -> tuple[list[Written], tuple[Slicer, Demand] | None]:
        """The writes to the last part of a path, and to what is there; with what has the part."""
        trace, slicer = self._trace, slicer_of(self._trace)
        target = mark.removeprefix("argument ").removeprefix("global ")
        number = base
        for place, step in enumerate(path):
            if number <= 0:
                break
            if place == len(path) - 1 and writes.is_changeable(trace, number):
                found = found + writes.to_part(slicer.graph, number, step, time, target)
            number = writes.part(trace, number, step, time)
        if number > 0 and writes.is_changeable(trace, number):
            found = found + writes.to_object(slicer.graph, number, time, target)
        return found, (slicer, demands[0]) if len(demands) == 1 else None

    def _creation(self, holder: tuple[Slicer, Demand] | None, shown: list[Write]) -> Write | None:
        """Where the value was made, if no write says so; its first known content is what it was made with."""
        if holder is None or (shown and shown[0].before is None):
            return None
        slicer, demand = holder
        chain = chain_of(slicer, demand._replace(path=demand.path[:-1]) if shown else demand)
        if not chain:
            return None
        first: Passed = chain[0]
        target = shown[0].target if shown else "it"
        after = shown[0].before if shown else None
        return Write(*self._where(first.node, first.source, first.place), "made", target, None, after)

    def _source(self, node: int) -> int:
        return self._trace.routines[self._trace.routine[node]].source

    def _where(
        self, node: int, source: int, place: tuple[int, int, int, int] | None
    ) -> tuple[int, str, str, str, int, list[int] | None, str]:
        """Node, function, title, file, line, range and the text of the line."""
        file = self._trace.sources[source]
        line = place[0] if place else self._tree.place(node).line
        lines = file.text.split("\n")
        text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        routine = self._trace.routines[self._trace.routine[node]]
        spot = list(place) if place else None
        return node, routine.qualname, self._tree.title(node), file.path, line, spot, text


def _parse(text: str) -> tuple[str, list[Step]]:
    """`self.rows[0]` as the name and the steps from there."""
    path: list[Step] = []
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


def sentence(error: ValueError) -> str:
    """What is wrong with a mark, as a sentence."""
    text = str(error).rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."
