"""Which statements one activation executed, in order, with the time of each: loops by iteration, branches as taken.

The activation's own events are read along its syntax tree. What left no event (a call of library code, `pass`) is known
to have run because what follows it did. An exception, `return` or `break` cuts what it leaves. Not here: values.
"""

from __future__ import annotations

import ast
from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from algodebug.activation_events import CALL, VALUE, Event
from algodebug.long_activations import LongActivation, Window, is_long
from algodebug.piece_reader import PieceReader
from algodebug.statement_syntax import Region, Syntax, inside, is_docstring, only_defines
from algotrace import marks

if TYPE_CHECKING:
    from algotrace.own_values import Stack
    from algotrace.trace import Trace

    Suites = tuple[tuple[Sequence[ast.stmt], int], ...]

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
        # Iterations of a loop, else the statements executed inside.
        self.parts: list[Step] | LocatedIterations = []
        self.orelse: list[Step] = []  # of a loop: what its `else` executed
        self.ended = NEXT
        self.joined = False  # it is not told where it ends and the next one begins
        self.weight = 1
        self.shape = -1  # equal where the same code was executed, however often

    def __repr__(self) -> str:
        return f"<{self.kind} line {self.syntax.lineno} {self.start}-{self.end} {self.ended}>"


class Executed(NamedTuple):
    """The top-level statements that an activation executed, and whether all of its events found their place."""

    steps: list[Step]
    complete: bool
    long: LongActivation | None


def statements_of(trace: Trace, node: int, syntax: Syntax) -> Executed | None:
    """None where its source or its events do not allow to tell."""
    body = syntax.body_of(trace.routines[trace.routine[node]])
    if body is None:
        return None
    reader = _Reader(trace, node, syntax)
    steps: list[Step] = []
    if not reader.events.has(0):
        return None
    reader.suite(body, steps)
    return Executed(steps, reader.is_done(), reader.long)


class _Reader(PieceReader):
    """Walks the statements of an activation and its events side by side."""

    def __init__(self, trace: Trace, node: int, syntax: Syntax) -> None:
        super().__init__(trace, node, syntax)
        self._shapes: dict[Any, int] = {}

    def suite(self, body: Sequence[ast.stmt], steps: list[Step] | LocatedIterations) -> str:
        """Reads one suite; how it was left."""
        for index, statement in enumerate(body):
            if isinstance(statement, _SILENT) or (index == 0 and is_docstring(statement)):
                continue
            if self.unfinished and not self.events.has(self.at):
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
        if isinstance(step.parts, LocatedIterations):
            return self._shapes.setdefault((id(step),), len(self._shapes))
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
        if self.unfinished and not self.events.has(self.at):
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
            if block is not None and self._locates(step, iteration, block):
                continue
            if not self._enters(block):
                break
            ended = self._iteration(node, iteration)
            step.parts.append(iteration)
            if ended not in (NEXT, CONTINUE):
                return NEXT if ended == BREAK else ended
            if self.unfinished and not self.events.has(self.at):
                return UNFINISHED
        for arm in self._blocks(node, "arm"):
            if self._enters(arm):
                return self.suite(node.orelse, step.orelse)
        return NEXT

    def _iteration(self, node: Any, iteration: Step) -> str:
        """Reads what comes after the entry of a loop's block; how it was left."""
        if not isinstance(node, ast.While):
            self._names_bound(self.syntax.region(node.target))
        iteration.body_start = self.last
        ended = self.suite(node.body, iteration.parts)
        iteration.end = self.last
        iteration.joined = self._in_doubt
        iteration.ended = NEXT if ended == CONTINUE else ended
        iteration.weight = _weight(iteration)
        iteration.shape = self._shape(iteration)
        return ended

    def _locates(self, step: Step, first: Step, block: int) -> bool:
        """Of many iterations only the last one is read now; the others are located, to be read when looked at."""
        event = self._peek()
        if self.long is None or event is None or isinstance(step.parts, LocatedIterations):
            return False
        if event.kind != marks.BLOCK or event.block != block:
            return False
        heads = self.long.entries(block)
        low, high = bisect_left(heads, event.time), len(heads)
        for around in self._loops_around(step):
            end = self.long.next_entry(around, event.time)
            high = high if end is None else min(high, bisect_left(heads, end))
        if not is_long(heads, low, high):
            return False
        stack = self.events.stack(self.at) if isinstance(self.events, Window) else ()
        step.parts = LocatedIterations(self, step.syntax, block, heads[low:high], first.start, stack)
        self.goes_on_at(heads[high - 2], stack)
        self._enters(block)
        self._iteration(step.syntax, Step(ITERATION, step.syntax, self._now()))
        return True

    def _loops_around(self, step: Step) -> list[int]:
        found = []
        for body, index in self._suites:
            if isinstance(body[index], _LOOPS) and body[index] is not step.syntax:
                found += self._blocks(body[index], "loop")[:1]
        return found

    def at_entry(self, time: int, suites: Suites, stack: Stack) -> _Reader:
        """Another reader, about to read an entry of a block."""
        other = copy(self)
        other._suites = list(suites)
        other.last = time
        other.goes_on_at(time, stack)
        return other

    @property
    def suites(self) -> Suites:
        return tuple(self._suites)

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
        while (event := self._peek()) is not None and event.kind == CALL:
            if self._owners.ran(event.detail).names[0] not in ("__exit__", "__aexit__"):
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


class LocatedIterations(Sequence[Step]):
    """The iterations of a loop in a long activation: where each is, is known; it is read when somebody looks at it."""

    def __init__(
        self, reader: _Reader, syntax: Any, block: int, heads: array[int], start: int, stack: Stack
    ) -> None:
        self._reader = copy(reader)
        self._suites = reader.suites
        self.syntax = syntax
        self.block = block
        self.heads = heads  # when the block of each was entered
        self._start = start  # of the first
        self._stack = stack
        self._last: Step | None = None
        self._read: OrderedDict[int, Step] = OrderedDict()

    def append(self, last: Step) -> None:
        """The last one, which is read at once."""
        self._last = last

    def __len__(self) -> int:
        return len(self.heads)

    @overload
    def __getitem__(self, at: int) -> Step: ...
    @overload
    def __getitem__(self, at: slice) -> list[Step]: ...
    def __getitem__(self, at: int | slice) -> Step | list[Step]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self.heads)))]
        at = at + len(self.heads) if at < 0 else at
        if not 0 <= at < len(self.heads):
            raise IndexError(at)
        if at == len(self.heads) - 1 and self._last is not None:
            return self._last
        found = self._read.get(at)
        if found is None:
            found = self._read[at] = self._iteration(at)
            if len(self._read) > _REMEMBERED:
                self._read.popitem(last=False)
        return found

    def _iteration(self, at: int) -> Step:
        # It begins where the one before ends, which may not be told by its own events.
        before = max(at - 1, 0)
        alone = at == 0 or self._begins_with_its_block(at)
        reader = self._reader.at_entry(self.heads[at if alone else before], self._suites, self._stack)
        start = self.heads[at] if at else self._start
        if not alone:
            reader._enters(self.block)
            reader._iteration(self.syntax, Step(ITERATION, self.syntax, start))
            start = reader._now()
        step = Step(ITERATION, self.syntax, start)
        reader.last = max(reader.last, start)
        if not alone:
            reader._header(self.syntax.test if isinstance(self.syntax, ast.While) else self.syntax.iter)
        reader._enters(self.block)
        reader._iteration(self.syntax, step)
        return step

    def _begins_with_its_block(self, at: int) -> bool:
        """Did nothing run between the iteration before and the entry of the loop's block?"""
        long = self._reader.long
        return (
            isinstance(self.syntax, ast.For)
            and long is not None
            and not long.ran_others_until(self.heads[at])
        )

    def body_start(self, at: int) -> int:
        """When the loop's names are bound, in one of them."""
        if at in self._read or isinstance(self.syntax, ast.While):
            return self[at].body_start
        reader = self._reader.at_entry(self.heads[at], self._suites, self._stack)
        reader._enters(self.block)
        reader._names_bound(reader.syntax.region(self.syntax.target))
        return reader.last

    @cached_property
    def weight_each(self) -> int:
        """They are taken to be alike."""
        return max(self[0].weight, self[len(self.heads) // 2].weight)

    def at(self, time: int) -> int | None:
        """The one during which something happened."""
        first = max(bisect_right(self.heads, time) - 1, 0)
        for number in range(first, min(first + 2, len(self.heads))):
            if self[number].start <= time < self[number].end:
                return number
        return None

    def kinds(self, first: int, end: int) -> list[Step]:
        """Of some of them so many that all that any of them executed is in one: the first, and one for each block."""
        reader = self._reader
        low, high = self.heads[first], self.heads[end] if end < len(self.heads) else self[end - 1].end
        found = {first: None, end - 1: None}
        assert reader.long is not None
        for block in self._blocks_inside:
            entries = reader.long.entries(block)
            at = bisect_left(entries, low)
            if at < len(entries) and entries[at] < high:
                found[min(max(bisect_right(self.heads, entries[at]) - 1, first), end - 1)] = None
        return [self[number] for number in sorted(found)]

    @cached_property
    def _blocks_inside(self) -> list[int]:
        blocks = self._reader.trace.blocks
        found = {self.block}
        for number in range(self.block + 1, len(blocks)):  # what lies in a block comes after it
            if blocks[number].parent in found and blocks[number].routine == blocks[self.block].routine:
                found.add(number)
        return sorted(found - {self.block})


_REMEMBERED = 1000  # iterations of a loop


def _weight(step: Step) -> int:
    """How many statements and tests were executed in a step."""
    if isinstance(step.parts, LocatedIterations):
        inner = len(step.parts) * step.parts.weight_each
    else:
        inner = sum(part.weight for part in step.parts)
    inner += sum(part.weight for part in step.orelse)
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
