"""The events of one activation, read piece by piece: which of them belong to a piece of code, and how that was left.

What an event does not tell by itself is told by what each of several pieces can have run (`whose_call`); what stays in
doubt is noted, up to the next event that tells.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from algodebug.activation_events import BOUNDED, CALL, VALUE, Event, Events, events_of, region_at
from algodebug.long_activations import LongActivation, Window
from algodebug.statement_syntax import Facts, Region, Syntax, in_value, inside
from algodebug.whose_call import Owners, Ran
from algotrace import marks

if TYPE_CHECKING:
    from algotrace.own_values import Stack
    from algotrace.trace import Trace

RAISED, UNFINISHED = 1, 3  # how an activation ended, as in the trace
_LAMBDA = Ran(("<lambda>",), False)


def _long(trace: Trace, node: int) -> LongActivation | None:
    """Where the activation is one of very many events, and ended by itself."""
    if trace.end[node] - trace.start[node] < BOUNDED or not ended(trace, node):
        return None
    found = LongActivation(trace, node)
    return found if found.size > BOUNDED else None


def ended(trace: Trace, node: int) -> bool:
    """Did an activation come to its end by itself?"""
    stopped = trace.environment.get("exit", {}).get("kind") in ("limit", "interrupt")
    return trace.outcome_kind[node] != UNFINISHED and not (stopped and trace.outcome_kind[node] == RAISED)


class PieceReader:
    """Stands somewhere in the events of an activation."""

    def __init__(self, trace: Trace, node: int, syntax: Syntax) -> None:
        self.trace = trace
        self.syntax = syntax
        self.routine = trace.routine[node]
        self.last = trace.start[node]  # where the latest event taken ends
        self.finish = trace.end[node] + 1
        self.long = _long(trace, node)
        self.cut = False
        self.events: Events | Window
        if self.long is not None:
            self.events = Window(self.long, trace.start[node])
        else:
            events = events_of(trace, node)
            # Of a very long activation that never ended the beginning is read, as if it had been stopped there.
            self.cut = len(events) > BOUNDED
            self.events = Events(events)
        self.at = 0
        self.unfinished = trace.outcome_kind[node] == UNFINISHED or self.cut
        self._suites: list[
            tuple[Sequence[ast.stmt], int]
        ] = []  # those around, and which statement of each runs
        self._owners = Owners(trace, syntax)
        self._rivals: tuple[Any, bool] = (None, False)  # of the event looked at last
        self._doubt = -1  # the event up to which it is not told whose what happened is
        self._ahead: tuple[int, bool, Facts | None] = (-1, False, None)  # see `_next_told`
        self._expected: dict[tuple[int, int], Region | None] = {}
        self._by_statement: dict[Region, list[int]] = {}
        for number, block in trace.blocks_of(trace.routines[self.routine].source):
            if block.routine == self.routine and block.of is not None:
                self._by_statement.setdefault(region_at(block.of) or (0, 0, 0, 0), []).append(number)
        if self.events.has(0) and self.events[0].kind == marks.ENTER:
            self._take()

    def goes_on_at(self, time: int, stack: Stack) -> None:
        """Of a long activation: what comes next is an entry of a block, with the blocks around it as in `stack`."""
        assert self.long is not None
        self.events = Window(self.long, time, stack)
        self.at = 0
        self._rivals = (None, False)
        self._doubt = -1
        self._ahead = (-1, False, None)

    def is_done(self) -> bool:
        ends = (marks.RETURN, marks.RETURN_NONE, marks.RAISE, marks.LEAVE, marks.OUTCOME, marks.OUTCOME_NONE)
        at = self.at
        while self.events.has(at):
            if self.events[at].kind not in (*ends, CALL):
                return False
            at += 1
        return True

    # The events

    def _peek(self) -> Event | None:
        return self.events[self.at] if self.events.has(self.at) else None

    def _take(self) -> Event:
        event = self.events[self.at]
        self.at += 1
        self.last = max(self.last, event.end)
        return event

    def _now(self) -> int:
        if self.events.has(self.at):
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
        told = self.events[self._ahead[0]] if self.events.has(self._ahead[0]) else None
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
        following = self.at
        while self.events.has(following):
            belongs = self._belongs(self.events[following], region, facts)
            if belongs is not None:
                return following, belongs
            following += 1
        return following, False

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
                for _, block in self.trace.blocks_of(self.trace.routines[self.routine].source):
                    if block.routine != self.routine:
                        continue
                    for role, _, at in block.slots:
                        if role == "store" and inside(at, region) and not in_value(self.syntax, node, at):
                            found = region_at(at)
            self._expected[key] = found
        return self._expected[key]
