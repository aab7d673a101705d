"""Which statements one activation executed, in order, with the time of each: loops by iteration, branches as taken.

The activation's own events are read along its syntax tree. What left no event (a call of library code, `pass`) is known
to have run because what follows it did. An exception, `return` or `break` cuts what it leaves. Not here: values.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from algodebug import piece_reader
from algodebug.activation_events import CALL, VALUE, Event
from algodebug.piece_reader import PieceReader
from algodebug.statement_syntax import Region, Syntax, inside, is_docstring, only_defines
from algotrace import marks

if TYPE_CHECKING:
    from algotrace.trace import Trace

STATEMENT, LOOP, ITERATION = "statement", "loop", "iteration"
NEXT, BREAK, CONTINUE, RETURN, RAISE, UNFINISHED = "", "break", "continue", "return", "raise", "unfinished"

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_SILENT = (ast.Global, ast.Nonlocal, ast.Pass)


class Step:
    """One execution of a statement, or of a loop's body once."""

    __slots__ = (
        "body_start",
        "end",
        "ended",
        "joined",
        "kind",
        "orelse",
        "parts",
        "shape",
        "start",
        "syntax",
        "weight",
    )

    def __init__(self, kind: str, syntax: ast.stmt, start: int) -> None:
        self.kind = kind
        self.syntax = syntax  # of an iteration: the loop
        self.start = self.end = start
        self.body_start = start  # of an iteration: when the loop's names are bound, its test is done
        self.parts: list[Step] = []  # iterations of a loop, else the statements executed inside
        self.orelse: list[Step] = []  # of a loop: what its `else` executed
        self.ended = NEXT
        self.joined = False  # it is not told where it ends and the next one begins
        self.weight = 1
        self.shape = -1  # equal where the same code was executed, however often

    def __repr__(self) -> str:
        return f"<{self.kind} line {self.syntax.lineno} {self.start}-{self.end} {self.ended}>"


def statements_of(trace: Trace, node: int, syntax: Syntax) -> tuple[list[Step], bool] | None:
    """The top-level statements that an activation executed, and whether all of its events found their place.

    None where its source or its events do not allow to tell.
    """
    body = syntax.body_of(trace.routines[trace.routine[node]])
    if body is None:
        return None
    reader = _Reader(trace, node, syntax)
    steps: list[Step] = []
    if not reader.events or (reader.cut and _ended(trace, node)):
        return None  # what is not read may be what is wrong
    reader.suite(body, steps)
    return steps, reader.is_done()


def _ended(trace: Trace, node: int) -> bool:
    """Did it come to its end by itself?"""
    stopped = trace.environment.get("exit", {}).get("kind") in ("limit", "interrupt")
    return trace.outcome_kind[node] != piece_reader.UNFINISHED and not (
        stopped and trace.outcome_kind[node] == piece_reader.RAISED
    )


class _Reader(PieceReader):
    """Walks the statements of an activation and its events side by side."""

    def __init__(self, trace: Trace, node: int, syntax: Syntax) -> None:
        super().__init__(trace, node, syntax)
        self._shapes: dict[Any, int] = {}

    def suite(self, body: Sequence[ast.stmt], steps: list[Step]) -> str:
        """Reads one suite; how it was left."""
        for index, statement in enumerate(body):
            if isinstance(statement, _SILENT) or (index == 0 and is_docstring(statement)):
                continue
            if self.unfinished and self.at >= len(self.events):
                return UNFINISHED
            step = Step(LOOP if isinstance(statement, _LOOPS) else STATEMENT, statement, self._now())
            self.last = max(self.last, step.start)
            self._suites.append((body, index))
            ended = self._statement(statement, step)
            self._suites.pop()
            step.end = self.last
            step.ended = ended
            step.joined = self._in_doubt
            if ended == NEXT and step.start == step.end and only_defines(statement):
                continue
            steps.append(step)
            step.weight = _weight(step)
            step.shape = self._shape(step)
            if ended != NEXT:
                return ended
        return NEXT

    def _shape(self, step: Step) -> int:
        parts = tuple(dict.fromkeys(part.shape for part in step.parts))
        orelse = tuple(dict.fromkeys(part.shape for part in step.orelse))
        return self._shapes.setdefault((id(step.syntax), step.kind, parts, orelse), len(self._shapes))

    def _statement(self, node: ast.stmt, step: Step) -> str:
        if isinstance(node, ast.If):
            return self._if(node, step)
        if isinstance(node, _LOOPS):
            return self._loop(node, step)
        if isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            return self._try(node, step)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            return self._with(node, step)
        if isinstance(node, ast.Match):
            return self._match(node, step)
        if isinstance(node, ast.ClassDef):
            return self._class(node, step)
        return self._simple(node)

    def _simple(self, node: ast.stmt) -> str:
        region = self.syntax.region(node)
        last = self._read(node, region)
        if isinstance(node, ast.Break):
            return BREAK
        if isinstance(node, ast.Continue):
            return CONTINUE
        if self._raised_in(region, node, last):
            return RAISE
        if isinstance(node, ast.Return):
            return RETURN
        if self.unfinished and self.at >= len(self.events):
            return UNFINISHED
        return NEXT

    def _header(self, node: ast.AST) -> str:
        """Reads the expression at the head of a compound statement."""
        region = self.syntax.region(node)
        self._read(node, region, self.syntax.head_facts(node))
        return RAISE if self._raised_in(region, node, None) else NEXT

    def _blocks(self, node: ast.stmt, kind: str) -> list[int]:
        of: Region = self.syntax.region(node)
        return [number for number in self._by_statement.get(of, ()) if self.trace.blocks[number].kind == kind]

    def _if(self, node: ast.If, step: Step) -> str:
        if self._header(node.test):
            return RAISE
        arms = self._blocks(node, "arm")
        for arm, body in zip(arms, (node.body, node.orelse), strict=False):
            if self._enters(arm):
                return self.suite(body, step.parts)
        return NEXT

    def _match(self, node: ast.Match, step: Step) -> str:
        if self._header(node.subject):
            return RAISE
        arms = self._blocks(node, "arm")
        region = self.syntax.region(node)
        for arm, case in zip(arms, node.cases, strict=False):
            if self._enters(arm):
                self._names_bound(self.syntax.region(case.pattern))
                return self.suite(case.body, step.parts)
            if case.guard is not None:
                self._read(case.guard, self.syntax.region(case.guard))
                if self._enters(arm):
                    return self.suite(case.body, step.parts)
        return RAISE if self._raised_in(region, node, None) else NEXT

    def _names_bound(self, region: Region) -> None:
        while (event := self._peek()) is not None and event.kind in (VALUE, marks.SET):
            if event.at is None or not inside(event.at, region):
                break
            self._take()

    def _loop(self, node: Any, step: Step) -> str:
        is_while = isinstance(node, ast.While)
        block = next(iter(self._blocks(node, "loop")), None)
        ended = NEXT
        while True:
            iteration = Step(ITERATION, node, self._now())
            self.last = max(self.last, iteration.start)
            if self._header(node.test if is_while else node.iter):
                return RAISE
            if not self._enters(block):
                break
            if not is_while:
                self._names_bound(self.syntax.region(node.target))
            iteration.body_start = self.last
            ended = self.suite(node.body, iteration.parts)
            iteration.end = self.last
            iteration.joined = self._in_doubt
            iteration.ended = NEXT if ended == CONTINUE else ended
            iteration.weight = _weight(iteration)
            iteration.shape = self._shape(iteration)
            step.parts.append(iteration)
            if ended not in (NEXT, CONTINUE):
                return NEXT if ended == BREAK else ended
            if self.unfinished and self.at >= len(self.events):
                return UNFINISHED
        for arm in self._blocks(node, "arm"):
            if self._enters(arm):
                return self.suite(node.orelse, step.orelse)
        return NEXT

    def _try(self, node: Any, step: Step) -> str:
        ended = NEXT
        if self._enters(next(iter(self._blocks(node, "try")), None)):
            ended = self.suite(node.body, step.parts)
        handled = False
        for handler, block in zip(node.handlers, self._blocks(node, "handler"), strict=False):
            if handler.type is not None and not handled:
                region = self.syntax.region(handler.type)
                event = self._peek()
                if event is not None and event.kind != marks.HANDLER and self._belongs_in(event, region):
                    self._read(handler.type, region)
            if self._enters(block):
                ended = self.suite(handler.body, step.parts)
                handled = True
        if not handled and ended == NEXT:
            for arm in self._blocks(node, "arm"):
                if self._enters(arm):
                    ended = self.suite(node.orelse, step.parts)
        if self._enters(next(iter(self._blocks(node, "finally")), None)):
            ended = self.suite(node.finalbody, step.parts) or ended
        return ended

    def _belongs_in(self, event: Event, region: Region) -> bool:
        return event.at is not None and inside(event.at, region)

    def _with(self, node: Any, step: Step) -> str:
        for item in node.items:
            if self._header(item.context_expr):
                return RAISE
        block = next(iter(self._blocks(node, "with")), None)
        if not self._enters(block):
            return RAISE if self._raised_in(self.syntax.region(node), node, None) else NEXT
        for item in node.items:
            if item.optional_vars is not None:
                self._names_bound(self.syntax.region(item.optional_vars))
        ended = self.suite(node.body, step.parts)
        event = self._peek()
        if event is not None and event.kind == marks.BLOCK_END and event.block == block:
            self._take()
        while (event := self._peek()) is not None and event.kind in (CALL, marks.DELEGATE, marks.RESUME):
            if event.kind == CALL and self._owners.ran(event.detail).names[0] not in (
                "__exit__",
                "__aexit__",
            ):
                break
            self._take()
        event = self._peek()
        if event is not None and event.kind == marks.BLOCK_END and event.label == "after":
            self._take()
            return NEXT if ended == RAISE else ended
        return ended

    def _class(self, node: ast.ClassDef, step: Step) -> str:
        region = self.syntax.region(node)
        for part in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
            self._read(part, self.syntax.region(part))
        ended = NEXT
        if self._enters(next(iter(self._blocks(node, "class")), None)):
            ended = self.suite(node.body, step.parts)
        self._read(node, region)
        return ended


def _weight(step: Step) -> int:
    """How many statements and tests were executed in a step."""
    inner = sum(part.weight for part in step.parts) + sum(part.weight for part in step.orelse)
    if step.kind == ITERATION:
        return inner + isinstance(step.syntax, ast.While) or 1
    return 1 + inner


def walk(steps: Sequence[Step]) -> Iterator[Step]:
    """All steps, those inside others included, in order."""
    pending = list(reversed(steps))
    while pending:
        step = pending.pop()
        yield step
        pending += reversed([*step.parts, *step.orelse])
