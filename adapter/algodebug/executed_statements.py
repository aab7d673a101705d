"""Which statements one activation executed, in order, with the time of each: loops by iteration, branches as taken.

The activation's own events are read along its syntax tree. What left no event (a call of library code, `pass`) is known
to have run because what follows it did. An exception, `return` or `break` cuts what it leaves. Not here: values.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from algodebug.activation_events import BOUNDED, CALL, VALUE, Event, events_of, region_at
from algodebug.statement_syntax import Facts, Region, Syntax, in_value, inside, is_docstring, only_defines
from algodebug.whose_call import Owners, Ran
from algotrace import marks

if TYPE_CHECKING:
    from algotrace.trace import Trace

STATEMENT, LOOP, ITERATION = "statement", "loop", "iteration"
NEXT, BREAK, CONTINUE, RETURN, RAISE, UNFINISHED = "", "break", "continue", "return", "raise", "unfinished"

_RAISED, _UNFINISHED = 1, 3  # as in the trace
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_SILENT = (ast.Global, ast.Nonlocal, ast.Pass)


_LAMBDA = Ran(("<lambda>",), False)


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
    return trace.outcome_kind[node] != _UNFINISHED and not (stopped and trace.outcome_kind[node] == _RAISED)


class _Reader:
    """Walks the statements of an activation and its events side by side."""

    def __init__(self, trace: Trace, node: int, syntax: Syntax) -> None:
        self.trace = trace
        self.syntax = syntax
        self.routine = trace.routine[node]
        self.events = events_of(trace, node)
        self.at = 0
        self.last = trace.start[node]  # where the latest event taken ends
        self.finish = trace.end[node] + 1
        # Of a very long activation the beginning is read, as if it had been stopped there.
        self.cut = len(self.events) > BOUNDED
        self.unfinished = trace.outcome_kind[node] == _UNFINISHED or self.cut
        self._suites: list[
            tuple[Sequence[ast.stmt], int]
        ] = []  # those around, and which statement of each runs
        self._owners = Owners(trace, syntax)
        self._shapes: dict[Any, int] = {}
        self._rivals: tuple[Any, bool] = (None, False)  # of the event looked at last
        self._doubt = -1  # the event up to which it is not told whose what happened is
        self._ahead: tuple[int, bool, Facts | None] = (-1, False, None)  # see `_next_told`
        self._expected: dict[tuple[int, int], Region | None] = {}
        self._by_statement: dict[Region, list[int]] = {}
        for number, block in enumerate(trace.blocks):
            if block.routine == self.routine and block.of is not None:
                self._by_statement.setdefault(region_at(block.of) or (0, 0, 0, 0), []).append(number)
        if self.events and self.events[0].kind == marks.ENTER:
            self._take()

    def is_done(self) -> bool:
        ends = (marks.RETURN, marks.RETURN_NONE, marks.RAISE, marks.LEAVE, marks.OUTCOME, marks.OUTCOME_NONE)
        return all(event.kind in ends or event.kind == CALL for event in self.events[self.at :])

    # The events

    def _peek(self) -> Event | None:
        return self.events[self.at] if self.at < len(self.events) else None

    def _take(self) -> Event:
        event = self.events[self.at]
        self.at += 1
        self.last = max(self.last, event.end)
        return event

    def _now(self) -> int:
        if self.at < len(self.events):
            return self.events[self.at].time
        return self.last if self.cut else max(self.last, self.finish)

    def _enters(self, block: int | None) -> bool:
        """Does the given block start here? Its mark is taken."""
        event = self._peek()
        if event is None or event.kind not in (marks.BLOCK, marks.HANDLER) or event.block != block:
            return False
        self._take()
        return True

    def _position(self, event: Event) -> tuple[int, int] | None:
        """Where an exception was raised."""
        if not event.detail:
            return None
        offset = self.trace.row(event.detail[-1])
        mark = self.trace.mark_at(event.time)
        found = self.trace.positions.get(f"{mark.routine}:{offset}") if mark is not None else None
        return (found[0], found[1]) if found else None

    def _foreign(self, event: Event) -> bool:
        """Is it of a lambda that runs here?"""
        if event.kind == VALUE and event.block < 0:
            return True
        return (
            event.kind != CALL and event.block >= 0 and self.trace.blocks[event.block].routine != self.routine
        )

    def _belongs(self, event: Event, region: Region, facts: Facts) -> bool | None:
        """Is an event of the code in a region? None where only its surroundings can tell."""
        if event.kind == CALL or self._foreign(event):
            return None
        if event.kind == marks.HANDLER or event.kind == marks.RAISE:
            return False
        if event.at is not None:
            return inside(event.at, region)
        if event.kind == marks.BLOCK:
            of = self.trace.blocks[event.block].of
            return of is not None and inside(of, region)
        if event.kind in (marks.YIELD, marks.RESUME, marks.DELEGATE):
            return facts.sleeps
        if event.kind in (marks.NAME, marks.SET):
            return event.label.rpartition(" ")[2] in facts.stores
        return event.kind in marks.WRITES

    def _read(self, node: ast.AST, region: Region, facts: Facts | None = None) -> Region | None:
        """Takes the events of one piece of code; where the last value taken stands."""
        facts = facts or self.syntax.facts(node)
        allowed = facts.calls.copy()
        last: Region | None = None
        while (event := self._peek()) is not None:
            mine = self._belongs(event, region, facts)
            if mine is None:
                mine = self._makes(event, facts, allowed, region)
            if not mine:
                break
            if event.kind == VALUE and event.at is not None:
                last = event.at
            self._take()
            if self._is_over(node, region, event):
                break
        return last

    def _is_over(self, node: ast.AST, region: Region, event: Event) -> bool:
        """Was an event the last that a statement leaves: what the whole expression gave, the last name bound?"""
        if event.at is None or event.kind not in (VALUE, marks.SET):
            return False
        if isinstance(node, ast.Expr):
            return event.at == region
        if event.kind == marks.SET:
            targets = node.targets if isinstance(node, ast.Assign) else ()
            last = targets[-1] if targets else getattr(node, "target", None)
            return isinstance(last, ast.Name) and event.at == self.syntax.region(last)
        return event.at == self._last_store(node, region)

    def _makes(self, event: Event, facts: Facts, allowed: Counter[str], region: Region) -> bool:
        """Does this piece of code make a call that could also be of what follows it?"""
        if not facts.acts:
            return False
        if self._ahead[0] < self.at or self._ahead[2] is not facts:
            self._ahead = (*self._next_told(region, facts), facts)
        if self._ahead[1]:
            return True
        ran = self._owners.ran(event.detail) if event.kind == CALL else _LAMBDA
        for name in ran.names:
            if allowed[name] and not facts.repeats:
                allowed[name] -= 1
                return True
        direct = any(facts.calls[name] for name in ran.names)
        # What is called once by name has been called; what else it runs may call it again.
        mine = self._owners.may_run(facts.without(ran.names) if direct and not facts.repeats else facts, ran)
        if not self._rivals_may(ran):
            return True
        if mine:
            self._doubt = self._ahead[0]
            return True
        return False

    def _rivals_may(self, ran: Ran) -> bool:
        """Can what follows have run it, up to the next event whose place is told?"""
        told = self.events[self._ahead[0]] if self._ahead[0] < len(self.events) else None
        key = (self._ahead[0], ran)
        if self._rivals[0] != key:
            rivals = self._owners.rivals(self._suites, None if told is None else self._told_at(told))
            self._rivals = (key, any(self._owners.may_run(facts, ran) for facts in rivals))
        return self._rivals[1]

    def _told_at(self, event: Event) -> Region | None:
        if event.kind in (marks.HANDLER, marks.RAISE):
            position = self._position(event)
            return None if position is None else (*position, *position)
        if event.at is not None or event.block < 0 or event.kind != marks.BLOCK:
            return event.at
        of = self.trace.blocks[event.block].of
        return None if of is None else region_at(of)

    @property
    def _in_doubt(self) -> bool:
        """May something that ran before now be of what comes next, or the other way round?"""
        return self.at <= self._doubt

    def _next_told(self, region: Region, facts: Facts) -> tuple[int, bool]:
        """The next event whose place is told by itself, and whether that is in the region. Of many calls in a row it is
        the same one."""
        for following in range(self.at, len(self.events)):
            belongs = self._belongs(self.events[following], region, facts)
            if belongs is not None:
                return following, belongs
        return len(self.events), False

    # The statements

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

    def _raised_in(self, region: Region, node: ast.AST, last: Region | None) -> bool:
        """Was this piece of code left by an exception?"""
        if isinstance(node, ast.Raise):
            return True
        event = self._peek()
        if event is not None and event.kind in (marks.HANDLER, marks.RAISE):
            position = self._position(event)
            if position is not None:
                return region[:2] <= position <= region[2:]
        elif event is not None and not (
            event.kind in (marks.BLOCK_END, marks.LEAVE)
            or (event.kind == marks.BLOCK and self.trace.blocks[event.block].kind == "finally")
        ):
            return False
        expected = self._last_store(node, region)
        return expected is not None and expected != last

    def _last_store(self, node: ast.AST, region: Region) -> Region | None:
        """The name that a statement binds last, when it runs to its end."""
        key = (id(node), self.routine)
        if key not in self._expected:
            found = None
            if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
                for block in self.trace.blocks:
                    if block.routine != self.routine:
                        continue
                    for role, _, at in block.slots:
                        if role == "store" and inside(at, region) and not in_value(self.syntax, node, at):
                            found = region_at(at)
            self._expected[key] = found
        return self._expected[key]

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
