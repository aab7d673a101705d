"""From the event stream to the tree of activations: who called whom, and from when to when.

Runs in the recorded process, on pieces of the stream, while the program goes on or after it has ended. An *activation* is one run of a routine, known by a
number; those of functions become the nodes of the execution tree (`tree`). The reader of a stream never trusts that a sequence is complete: an interrupt may
cut it anywhere. Calls and returns, which are most of what it sees, take the short way; more than numbers is kept only
of activations that sleep, yield or end in another way.
"""

from __future__ import annotations

import types
from array import array
from itertools import compress
from operator import attrgetter
from typing import Any, NamedTuple
from collections.abc import Callable

from algotrace import BUILTINS
from algotrace.class_tables import find_in_class
from algotrace.marks import (
    BLOCK, BLOCK_END, DELEGATE, ENTER, ENTERING, HANDLER, LEAVE, OUTCOME, OUTCOME_NONE, RAISE, RESUME, RETURN, RETURN_NONE, WRITES, YIELD, Mark,
)  # fmt: skip
from algotrace.sleeping import HANDED_ON
from algotrace.streams import Units
from algotrace.writes import WriteFinder

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

RETURNED, RAISED, YIELDED, UNFINISHED = 0, 1, 2, 3
ROOT = 0  # the activation that stands for the program


class More:
    """What is known of an activation besides the numbers that all have."""

    __slots__ = ("awaited", "entered", "number", "outcome_at", "over", "segments", "token", "yields")

    def __init__(self, number: int) -> None:
        self.number = number
        self.outcome_at: int | None = None  # -1 for none; None for where it ended
        self.over = False
        self.awaited: Any = None  # its code object, where it is a generator or coroutine; else its class
        self.entered: tuple[
            Any, ...
        ] = ()  # the same of all managers of `async with`, which are awaited again
        self.token: Any = None
        self.segments: array[int] | None = None  # of one that may sleep: start, end, start, end…
        self.yields: array[int] | None = None


class _Reading:
    """How far the events of one thread have been read."""

    __slots__ = ("end", "number", "stack")

    def __init__(self, number: int) -> None:
        self.number = number
        self.stack = [ROOT]
        self.end = 0


class _Known(NamedTuple):
    """What must be known of a routine."""

    kind: str
    name: str
    first_line: int
    computes: bool


class Lists:
    """Lists of times by activation, packed."""

    def __init__(self) -> None:
        self.numbers, self.counts, self.times = array("I"), array("I"), array("I")

    def add(self, number: int, times: array[int]) -> None:
        self.numbers.append(number)
        self.counts.append(len(times))
        self.times.extend(times)


class Indexer:
    """Reads the events of all threads, in pieces. What came out so far may be asked for at any time, and again."""

    def __init__(self, units: Units, found: WriteFinder) -> None:
        self._units = units
        self._absorbed = 0
        self.found = found
        self.routines: list[_Known] = []
        self._codes: set[tuple[int, str]] = (
            set()
        )  # what code objects know of the routines: first lines and names
        self._modules: list[int] = []  # of each routine
        self._guarded: set[int] = set()  # RAISE marks after which the routine goes on
        self._noted: set[int] = set()  # DELEGATE marks whose items are noted where they are made
        self._entering: set[int] = set()  # … of managers
        # By number of the activation.
        self.parents, self.of_routine = array("i", [-1]), array("i", [-2])
        self.starts, self.ends = array("I", [0]), array("I", [0])
        self.outcomes = bytearray([UNFINISHED])
        self.more: dict[int, More] = {}
        self.segments, self.yields, self.outcomes_at = (
            Lists(),
            Lists(),
            Lists(),
        )  # of those that will not wake again
        self._asleep: set[int] = set()  # may be so, unseen: they await or delegate
        self._over: list[More] = []
        self.tokens: dict[int, int] = {}
        self.runners: dict[int, int] = {}  # caller of an event loop → the coroutine it was given
        self._starting = -1
        self.offsets: set[tuple[int, int]] = set()
        self.streams: list[list[int]] = []  # [time, thread]: where a part of a thread's events starts
        self._readings: list[_Reading] = []
        self._last: _Reading | None = None
        self.end = 0  # the time after the last event read

    def absorb_units(self) -> None:
        """Units come while the program runs."""
        units = self._units.units
        while self._absorbed < len(units):
            unit = units[self._absorbed]
            base, first = unit.routine_base, unit.mark_base
            self._absorbed += 1
            routines = unit.routines()
            for number, routine in enumerate(routines):
                while routines[number].parent >= 0:
                    number = routines[number].parent
                self._modules.append(base + number)
                self.routines.append(_Known(routine.kind, routine.name, routine.first_line, routine.computes))
                self._codes.add((routine.first_line, routine.name))
            kinds, labels = unit.kinds_of_marks(), unit.labels()
            self.found.absorb(routines, kinds, unit.numbers()[2::5], labels, self._modules, base)
            for known, wanted, kind in (
                (self._guarded, "guarded", RAISE),
                (self._noted, "noted", DELEGATE),
                (self._entering, ENTERING, DELEGATE),
            ):
                known.update(
                    first + number
                    for number, label in labels.items()
                    if label == wanted and kinds[number] == kind
                )

    def read(
        self, reading: _Reading | None, events: list[Any], codes: array[int], root_routine: int
    ) -> _Reading:
        """The next events of one thread, and their codes; their times follow those of what was read before.

        Returns what to give as `reading` with that thread's next events.
        """
        if self._absorbed < len(self._units.units):
            self.absorb_units()
        base = self.end
        self.end = base + len(events)
        self.of_routine[ROOT] = root_routine
        if reading is None:
            reading = _Reading(len(self._readings))
            self._readings.append(reading)
            self.streams.append([base, reading.number])
        elif reading is not self._last:
            self.streams.append([base, reading.number])
            for number in reading.stack[1:]:
                self._interrupt(number, reading.end - 1, base)
        self._last = reading
        reading.end = self.end
        kinds = codes.tobytes()[_HIGHEST::4]
        self._read(reading.stack, events, kinds, base)
        self._forget()
        self.found.read(events, codes, kinds, base)
        return reading

    def _interrupt(self, number: int, last: int, first: int) -> None:
        """Another thread's events stand between `last` and `first`."""
        more = self._more(number)
        if more.segments is None:
            more.segments = array("I", [self.starts[number]])
        if len(more.segments) % 2:
            more.segments.extend((last, first))

    def _more(self, number: int) -> More:
        more = self.more.get(number)
        if more is None:
            more = self.more[number] = More(number)
        return more

    def _read(self, stack: list[int], events: list[Any], kinds: bytes, base: int) -> None:
        enters = kinds.translate(_ENTERS)
        entered = array("I", compress(range(base, base + len(kinds)), enters))
        number = len(self.parents)
        self.of_routine.extend(map(_routine_of, compress(events, enters)))
        self.starts.extend(entered)
        self.ends.extend(entered)
        self.outcomes.extend([UNFINISHED] * len(entered))
        parents_append, of_routine, ends, outcomes = (
            self.parents.append,
            self.of_routine,
            self.ends,
            self.outcomes,
        )
        asleep, known = self._asleep, self.more
        # Who is running changes at calls, returns and the like only, but where somebody sleeps.
        wanted = kinds.translate(
            _ALL if asleep or DELEGATE in kinds or OUTCOME in kinds or OUTCOME_NONE in kinds else _TELLING
        )
        for position, kind in zip(compress(range(len(kinds)), wanted), compress(kinds, wanted)):
            mark = events[position]
            if kind == ENTER:
                if not mark.tokened and not asleep:
                    parents_append(stack[-1])
                    stack.append(number)
                else:
                    self._enter(stack, mark, number, events, position, base + position)
                number += 1
                continue
            if asleep or mark.tokened:
                self._awake_or_asleep(stack, mark, kind, events, position, base + position)
            if kind == RETURN or kind == RETURN_NONE:
                top = stack[-1]
                if of_routine[top] != mark.routine:
                    top = self._unwind(stack, mark.routine, base + position)
                if len(stack) > 1:
                    stack.pop()
                    ends[top] = base + position
                    outcomes[top] = RETURNED
                    if top in known:
                        known[top].outcome_at = None
                        asleep.discard(top)
                        self._ended(top, base + position)
            elif kind in _OTHERS:
                self._other(kind, mark, events, position, base + position, stack)

    def _awake_or_asleep(
        self, stack: list[int], mark: Mark, kind: int, events: list[Any], position: int, time: int
    ) -> None:
        """A mark may name its activation; or it is of another routine than who is on top, who sleeps then."""
        if mark.tokened and position + 1 < len(events):
            token = events[position + 1]
            named = self.tokens.get(token) if type(token) is int else None
            if named is not None:
                if named != stack[-1]:
                    self._resume(stack, named, time)
                self._asleep.discard(named)
        elif kind not in _NAMING:
            while stack[-1] in self._asleep and mark.routine != self.of_routine[stack[-1]]:
                self._sleep(stack, time)  # it delegates, and its caller goes on

    def _enter(
        self, stack: list[int], mark: Mark, number: int, events: list[Any], position: int, time: int
    ) -> None:
        top = stack[-1]
        if top in self._asleep:
            top = self._awake(stack, mark, time)
        parent = self._runner(top, mark) if mark.tokened and top not in self._asleep else top
        self.parents.append(parent)
        stack.append(number)
        if self._starting >= 0:
            self.runners[self._starting], self._starting = number, -1
        if mark.tokened and position + 1 < len(events):
            more = self._more(number)
            more.token = events[position + 1]
            more.segments = array("I", [time])
            self.tokens[more.token] = number

    def _ended(self, number: int, time: int) -> None:
        more = self.more.get(number)
        if more is None:
            return
        if more.segments is None:
            self._pack(more)
            return
        more.segments.append(time)
        more.over = True
        self._over.append(more)

    def _forget(self) -> None:
        """Pack what is known of sleepers that were over before the last piece was read."""
        over, self._over = self._over, []
        running = {number for reading in self._readings for number in reading.stack} if over else ()
        for more in over:
            if not more.over or more.number not in self.more:
                continue
            if self.ends[more.number] >= self.end - _REVIVED_WITHIN or more.number in running:
                self._over.append(more)
                continue
            if self.tokens.get(more.token) == more.number:
                del self.tokens[more.token]
            self._pack(more)
        if len(self.runners) > 1000:
            self.runners = {
                number: runner
                for number, runner in self.runners.items()
                if self.outcomes[runner] == UNFINISHED
            }

    def _pack(self, more: More) -> None:
        del self.more[more.number]
        self._asleep.discard(more.number)
        if more.segments is not None:
            self.segments.add(more.number, self.paired(more))
        if more.yields is not None:
            self.yields.add(more.number, more.yields)
        ended = self.ends[more.number] if self.outcomes[more.number] in (RETURNED, RAISED) else -1
        if more.outcome_at is not None and more.outcome_at != ended:
            self.outcomes_at.add(more.number, array("I", [more.outcome_at + 1]))

    def paired(self, more: More) -> array[int]:
        """Its stretches, the last one closed."""
        segments = more.segments or array("I")
        if not len(segments) % 2:
            return segments
        return segments + array("I", [max(self.ends[more.number], segments[-1])])

    def _set_outcome(self, number: int, outcome: int, at: int) -> None:
        self.outcomes[number] = outcome
        self._more(number).outcome_at = at

    def _other(
        self, kind: int, mark: Mark, events: list[Any], position: int, time: int, stack: list[int]
    ) -> None:
        values = events[position + 1 : position + 1 + mark.size]
        if kind == RESUME or kind == DELEGATE:
            if not values or type(values[0]) is not int:
                return
            number = self.tokens.get(values[0])
            if number is not None and number != stack[-1]:
                self._resume(stack, number, time)
        top = stack[-1]
        if self.of_routine[top] != mark.routine and kind != RESUME:
            top = self._unwind(stack, mark.routine, time)
        if kind == RAISE or kind == HANDLER:
            if values and type(values[-1]) is int:
                self.offsets.add((mark.routine, values[-1]))
            self._asleep.discard(top)
            if kind == RAISE:
                yields = self.more[top].yields if top in self.more else None
                closed = yields is not None and any(value is GeneratorExit for value in values[:2])
                cut = len(values) < mark.size or Mark in map(type, values)
                leaves = len(stack) > 1 and mark.number not in self._guarded
                if leaves and not cut and not closed and top not in self.more:
                    self.outcomes[top] = RAISED
                else:
                    self._set_outcome(top, YIELDED if closed else RAISED, -1 if cut else time)
                if leaves:
                    self._leave(stack, time)
        elif kind == OUTCOME or kind == OUTCOME_NONE:
            self._set_outcome(top, RETURNED, time)
            self._more(top).awaited = None
        elif kind == LEAVE:
            if len(stack) > 1:
                self._leave(stack, time)
        elif kind == YIELD:
            self._yield(stack, time)
        elif kind == RESUME:
            self._asleep.discard(top)
        elif kind == DELEGATE:
            if (
                top != ROOT
            ):  # else of one that is not known any more, or a mark that the program has got hold of
                self._asleep.add(top)
            awaited = values[1] if len(values) > 1 else None
            self._more(top).awaited = awaited
            if mark.number in self._entering and not any(each is awaited for each in self._more(top).entered):
                self._more(top).entered += (awaited,)
            noted = mark.number in self._noted or self._hands_on(awaited)
            if self.routines[mark.routine].kind == "generator" and not noted:
                self._yielded(top, time)

    def _yield(self, stack: list[int], time: int) -> None:
        top = stack[-1]
        self._yielded(top, time)
        if len(stack) > 1:
            self.outcomes[top], self.ends[top] = YIELDED, time
            stack.pop()
            segments = self.more[top].segments
            if segments is not None:
                segments.append(time)
            while stack[-1] in self._asleep and self._is_code_of(
                self.of_routine[top], self._more(stack[-1]).awaited
            ):
                top = stack[-1]  # it delegates to the one that yields: the value passes through it
                self._sleep(stack, time + 1)
                if self.routines[self.of_routine[top]].kind == "generator":
                    self._yielded(top, time)

    def _yielded(self, number: int, time: int) -> None:
        more = self._more(number)
        if more.yields is None:
            more.yields = array("I")
        more.yields.append(time)

    def _leave(self, stack: list[int], time: int) -> None:
        top = stack.pop()
        self.ends[top] = time
        self._asleep.discard(top)
        self._ended(top, time)

    def _unwind(self, stack: list[int], routine: int, time: int) -> int:
        """Something was left without a mark of its own (a lambda by an exception, anything by an interrupt)."""
        of_routine = self.of_routine
        for depth in range(len(stack) - 1, -1, -1):
            if of_routine[stack[depth]] == routine:
                while len(stack) > depth + 1:
                    if self.outcomes[stack[-1]] == UNFINISHED:
                        self._set_outcome(stack[-1], RAISED, -1)
                    self._leave(stack, time)
                return stack[depth]
        return stack[-1]

    def _awake(self, stack: list[int], mark: Mark, time: int) -> int:
        """Who calls, when the activation on top may be asleep: it, if it awaits the entered routine; else one below."""
        while stack[-1] in self._asleep:
            more = self._more(stack[-1])
            waited = more.entered if more.awaited is None else (more.awaited,)
            is_run = type(more.awaited) is types.CodeType
            if not is_run and self.routines[mark.routine].name in _PROTOCOL:
                break
            if any(self._may_call(each, mark.routine) for each in waited):
                break
            self._sleep(stack, time)
        return stack[-1]

    def _may_call(self, awaited: Any, routine: int) -> bool:
        """Whether what is awaited is a run of a routine; or an object of a class, where no more is known, whose methods are
        that, as they are or as they are decorated."""
        if not issubclass(type(awaited), type):
            return self._is_code_of(routine, awaited)
        methods = (find_in_class(awaited, name) for name in _PROTOCOL)
        return any(
            type(each) is types.FunctionType and self._is_code_of(routine, each.__code__) for each in methods
        )

    def _runner(self, caller: int, mark: Mark) -> int:
        """Whom a coroutine hangs from that no coroutine awaits directly: the first one its event loop was given."""
        if self.routines[mark.routine].kind != "coroutine":
            return caller
        runner = self.runners.get(caller)
        if runner is not None and self.outcomes[runner] == UNFINISHED:
            return runner
        self._starting = caller
        return caller

    def _is_code_of(self, number: int, code: Any) -> bool:
        if type(code) is not types.CodeType or number < 0:
            return False
        routine = self.routines[number]
        return code.co_firstlineno == routine.first_line and code.co_name == routine.name

    def _hands_on(self, awaited: Any) -> bool:
        """Are the values recorded that `yield from` hands on: those of a routine, or of a container?"""
        if type(awaited) is not types.CodeType:
            return id(awaited) in HANDED_ON
        return (awaited.co_firstlineno, awaited.co_name) in self._codes

    def _sleep(self, stack: list[int], time: int) -> None:
        """It slept from some time before `time` on, without a mark of its own."""
        top = stack.pop()
        self.ends[top] = max(time - 1, 0)
        more = self.more.get(top)
        if more is not None and more.segments is not None:
            more.segments.append(self.ends[top])

    def _resume(self, stack: list[int], number: int, time: int) -> None:
        """Put a sleeper back on the stack, with those that delegate to it below it."""
        if number in stack:
            while stack[-1] != number:
                self._sleep(stack, time)
            return
        asleep, parents = self._asleep, self.parents
        while len(stack) > 1 and stack[-1] in asleep and stack[-1] != parents[number]:
            self._sleep(stack, time)
        chain = [number]
        while (above := parents[chain[-1]]) >= 0 and above in asleep and above not in stack:
            chain.append(above)
        for sleeper in reversed(chain):
            stack.append(sleeper)
            more = self._more(sleeper)
            more.over = False
            if more.segments is not None:
                more.segments.append(time)

    def finish(self) -> None:
        """Those that still run end where the events of their thread do, as far as is known."""
        self.absorb_units()
        self.ends[ROOT] = self.end
        for reading in self._readings:
            for number in reading.stack[1:]:
                self.ends[number] = reading.end


_HIGHEST = array("I", [1]).tobytes().index(1) ^ 3  # of the bytes of a code
_routine_of: Callable[[Any], int] = attrgetter("routine")
_REVIVED_WITHIN = 100  # events after which one that is over does not wake again
_NAMING = frozenset({ENTER, RESUME, DELEGATE})  # these say which activation they are of
_OTHERS = frozenset({RAISE, HANDLER, OUTCOME, OUTCOME_NONE, LEAVE, YIELD, RESUME, DELEGATE})
_PROTOCOL = frozenset(
    {
        "__next__",
        "__iter__",
        "send",
        "throw",
        "close",
        "__await__",
        "__anext__",
        "__aiter__",
        "__aenter__",
        "__aexit__",
    }
)
_ENTERS = bytes(kind == ENTER for kind in range(256))
_ALL = bytes(kind < 64 for kind in range(256))
_TELLING = bytes(kind < 64 and kind not in WRITES and kind not in (BLOCK, BLOCK_END) for kind in range(256))
