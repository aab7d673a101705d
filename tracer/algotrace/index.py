"""From the event stream to the tree of activations: who called whom, from when to when, and what was written when.

Runs in the recorded process, on pieces of the stream, while the program goes on or after it has ended. An *activation* is one run of a routine; those of
functions become the nodes of the execution tree, numbered in preorder, so that a subtree is a range of numbers.
Activations of lambdas, class bodies and imported modules stay out: what they call hangs from the nearest node above.
The reader of a stream never trusts that a sequence is complete: an interrupt may cut it anywhere.
"""

from __future__ import annotations

import types
from array import array
from bisect import bisect_right
from typing import Any, NamedTuple
from collections.abc import Callable, Iterable, Iterator

from algotrace import BUILTINS
from algotrace.marks import (
    APPEND, APPENDED, ATTRIBUTE, ATTRIBUTE_NEW, BLOCK, BLOCK_END, CONTENT, DELEGATE, ENTER, HANDLER, ITEM, ITEM_DELETED, LEAVE,
    MUTATE, NAME, NAMED, OUTCOME, OUTCOME_NONE, PASSED, PRINTED, RAISE, RESUME, RETURN, RETURN_NONE, SET, UNKNOWN, WHOLE, YIELD, Mark, MarkPlace, Routine,
)  # fmt: skip
from algotrace.streams import Units
from algotrace.trace_file import Packer
from algotrace.undo import (
    CONTAINER_KINDS,
    MAPPING,
    NOT_A_CONTAINER,
    AttributeReaders,
    MethodReaders,
    behind_super,
    not_stored,
)

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

RETURNED, RAISED, YIELDED, UNFINISHED = 0, 1, 2, 3
VISIBLE = frozenset({"function", "generator", "coroutine", "asyncgen", "class"})


class Tree(NamedTuple):
    """The tree in preorder; node 0 is the program itself. Columns are made when they are asked for, one at a time."""

    visible: array[int]  # node → its activation
    parent: array[int]
    size: array[int]
    column: Callable[[str], array[int]]  # routine, start, end, outcome, outcome_at
    segments: Iterator[tuple[int, list[int]]]  # for activations that slept: start, end, start, end…
    yields: Iterator[tuple[int, list[int]]]  # times of YIELD marks of a node


class _Activation:
    __slots__ = ("asleep", "awaited", "caller", "end", "number", "outcome", "outcome_at", "over", "parent", "routine", "segments", "start", "token", "yields")  # fmt: skip

    def __init__(self, number: int, routine: int, start: int, parent: _Activation | None) -> None:
        self.number = number
        self.routine = routine
        self.start = start
        self.end = start
        self.parent = parent
        self.outcome = UNFINISHED
        self.outcome_at = -1
        self.over = False
        self.asleep = False  # may sleep unseen: awaits or delegates
        self.awaited: Any = None  # its code object, where it is a generator or coroutine
        self.token: Any = None
        self.segments: array[int] | None = None
        self.yields: array[int] | None = None


class _Reading:
    """How far the events of one thread have been read."""

    __slots__ = ("end", "number", "stack")

    def __init__(self, number: int, root: _Activation) -> None:
        self.number = number
        self.stack = [root]
        self.end = 0


class _Known(NamedTuple):
    """What must be known of a routine."""

    kind: str
    name: str
    qualname: str
    first_line: int
    module: int


class _Many:
    """Lists of times by activation, packed."""

    def __init__(self) -> None:
        self._numbers, self._counts, self._times = array("I"), array("I"), array("I")

    def add(self, number: int, times: array[int]) -> None:
        self._numbers.append(number)
        self._counts.append(len(times))
        self._times.extend(times)

    def __iter__(self) -> Iterator[tuple[int, list[int]]]:
        start = 0
        for number, count in zip(self._numbers, self._counts):
            yield number, self._times[start : start + count].tolist()
            start += count


_WRITES_PER_RUN = 1 << 20


class Writes:
    """All writes: in order of time, and sorted by object in runs, which `by_object` merges."""

    def __init__(self) -> None:
        self.count = 0
        self.times_column, self.written_column = Packer(), Packer()
        self._times, self._written, self._slots = array("I"), array("I"), array("I")
        self._runs: list[tuple[array[int], array[int], array[int]]] = []

    def add(self, time: int, number: int, slot: int) -> None:
        self._times.append(time)
        self._written.append(number)
        self._slots.append(slot)

    def pack(self, *, all_of_them: bool) -> None:
        """Between two reads: what came since the last time is sorted, once it is worth it."""
        written = self._written
        if not written or (len(written) < _WRITES_PER_RUN and not all_of_them):
            return
        self.count += len(written)
        self.times_column.add(array("q", self._times).tobytes())
        self.written_column.add(written.tobytes())
        order = sorted(range(len(written)), key=written.__getitem__)  # stable: of one object in order of time
        columns = (written, self._times, self._slots)
        self._runs.append(tuple(array("I", map(column.__getitem__, order)) for column in columns))  # type: ignore[arg-type]
        self._times, self._written, self._slots = array("I"), array("I"), array("I")

    def numbers(self) -> list[int]:
        """Of all objects written, sorted."""
        found: set[int] = set()
        for numbers, _, _ in self._runs:
            found.update(numbers)
        return sorted(found)

    def by_object(self) -> Iterator[tuple[array[int], array[int], array[int]]]:
        """(objects, times, slots), sorted by object, then time: about a run's length at once."""
        starts = [0] * len(self._runs)
        while any(start < len(run[0]) for start, run in zip(starts, self._runs)):
            share = _WRITES_PER_RUN // len(self._runs) + 1
            # Up to this object, which is included: each run gives about its share.
            last = min(
                run[0][min(start + share, len(run[0])) - 1]
                for start, run in zip(starts, self._runs)
                if start < len(run[0])
            )
            columns = array("I"), array("I"), array("I")
            for which, run in enumerate(self._runs):
                end = bisect_right(run[0], last, starts[which])
                for column, values in zip(columns, run):
                    column.extend(values[starts[which] : end])
                starts[which] = end
            numbers = columns[0]
            if len(numbers) and numbers[0] == last:  # one object: the runs follow each other in time
                yield columns
                continue
            order = sorted(range(len(numbers)), key=numbers.__getitem__)
            yield tuple(array("I", map(column.__getitem__, order)) for column in columns)  # type: ignore[misc]


class Indexer:
    """Reads the events of all threads, in pieces; `tree` tells what came out so far, and may be asked again."""

    def __init__(self, units: Units, first_object: int) -> None:
        self._units = units
        self._absorbed = 0
        self._first_object = first_object
        self.routines: list[_Known] = []
        self.labels: list[str] = []  # of marks, for writes: "text<tab>attribute"
        self._telling: list[bool] = []  # … whether a mark can change who is running
        self._may_delegate = False
        self.root = _Activation(0, -2, 0, None)
        # What is known of each activation, by number. The objects live only while they run or may wake again.
        self._parents, self._routines = array("i", [-1]), array("i", [0])
        self._starts, self._ends = array("I", [0]), array("I", [0])
        self._outcomes, self._outcomes_at = (
            array("b", [UNFINISHED]),
            array("I", [0]),
        )  # 0 for none, else time + 1
        self._sleepers: dict[int, _Activation] = {}
        self._over: list[_Activation] = []  # sleepers that will not wake again
        self._segments, self._yields = _Many(), _Many()
        self.tokens: dict[int, _Activation] = {}
        self.runners: dict[int, _Activation] = {}  # caller of an event loop → the coroutine it was given
        self._starting = -1
        self.writes = Writes()
        self._slots: dict[Any, int] = {}
        self.offsets: set[tuple[int, int]] = set()
        self.streams: list[list[int]] = []  # [time, thread]: where a part of a thread's events starts
        self._readings: list[_Reading] = []
        self._last: _Reading | None = None
        self._attribute_readers: dict[str, AttributeReaders] = {}
        self._append = MethodReaders("append")
        self._end = 0
        self._number: Callable[[Any], int] = id

    @property
    def end(self) -> int:
        """The time after the last event read."""
        return self._end

    def _absorb_units(self) -> None:
        """Units come while the program runs."""
        units = self._units.units
        while self._absorbed < len(units):
            unit = units[self._absorbed].unit()
            base = units[self._absorbed].routine_base
            self._absorbed += 1
            routines = [Routine(*routine) for routine in unit.routines]
            for number, routine in enumerate(routines):
                while routines[number].parent >= 0:
                    number = routines[number].parent
                self.routines.append(
                    _Known(routine.kind, routine.name, routine.qualname, routine.first_line, base + number)
                )
            for mark in map(MarkPlace._make, unit.marks):
                self.labels.append(mark.label if mark.kind in _LABELLED else "")
                self._telling.append(mark.kind != BLOCK and mark.kind != BLOCK_END)
                self._may_delegate |= mark.kind == DELEGATE or (
                    mark.tokened and mark.kind in (OUTCOME, OUTCOME_NONE)
                )

    def read(
        self,
        reading: _Reading | None,
        events: list[Any],
        numbers: array[int],
        number: Callable[[Any], int],
        root_routine: int,
    ) -> _Reading:
        """The next events of one thread, and what they are numbered; their times follow those of what was read before.

        Returns what to give as `reading` with that thread's next events.
        """
        if self._absorbed < len(self._units.units):
            self._absorb_units()
        base = self._end
        self._end = base + len(events)
        self._number = number
        self.root.routine = root_routine
        if reading is None:
            reading = _Reading(len(self._readings), self.root)
            self._readings.append(reading)
            self.streams.append([base, reading.number])
        elif reading is not self._last:
            self.streams.append([base, reading.number])
            for activation in reading.stack[1:]:
                self._interrupt(activation, reading.end - 1, base)
        self._last = reading
        reading.end = self._end
        self._read(reading.stack, events, numbers, base)
        self._forget()
        self.writes.pack(all_of_them=False)
        return reading

    def _interrupt(self, activation: _Activation, last: int, first: int) -> None:
        """Another thread's events stand between `last` and `first`."""
        if activation.segments is None:
            activation.segments = array("I", [activation.start])
            self._sleepers[activation.number] = activation
        if len(activation.segments) % 2:
            activation.segments.extend((last, first))

    def _read(self, stack: list[_Activation], events: list[Any], numbers: array[int], base: int) -> None:
        tokens, telling = self.tokens, self._telling
        if self._may_delegate:
            first = min(self._first_object, len(telling))
            positions = [position for position, number in enumerate(numbers) if number < first]
        else:  # who is running changes at calls, returns and the like only
            positions = _where_told(numbers, telling, self._first_object)
        length = len(events)
        for position in positions:
            mark = events[position]
            kind = mark.kind
            if mark.tokened and kind != ENTER and position + 1 < length:
                named = tokens.get(events[position + 1]) if type(events[position + 1]) is int else None
                if named is not None:
                    if named is not stack[-1]:
                        self._resume(stack, named, base + position)
                    named.asleep = False
            elif stack[-1].asleep and mark.routine != stack[-1].routine and kind not in _NAMING:
                while stack[-1].asleep and mark.routine != stack[-1].routine:
                    self._sleep(stack, base + position)  # it delegates, and its caller goes on
            if kind == BLOCK or kind == BLOCK_END:
                continue
            time = base + position
            if kind == ENTER:
                top = stack[-1]
                if top.asleep:
                    top = self._awake(stack, mark, time)
                parent = self._runner(top, mark) if mark.tokened and not top.asleep else top
                activation = self._enter(mark.routine, time, parent)
                stack.append(activation)
                if self._starting >= 0:
                    self.runners[self._starting], self._starting = activation, -1
                if mark.tokened and position + 1 < length:
                    activation.token = events[position + 1]
                    tokens[activation.token] = activation
                    activation.segments = array("I", [time])
                    self._sleepers[activation.number] = activation
            elif kind == RETURN or kind == RETURN_NONE:
                top = stack[-1]
                if top.routine != mark.routine:
                    top = self._unwind(stack, mark.routine, time)
                if len(stack) > 1:
                    stack.pop()
                    top.outcome, top.outcome_at, top.end = RETURNED, time, time
                    self._ended(top, time)
            elif kind in _WRITE_KINDS:
                self._write(kind, mark, events, numbers, position, time)
            else:
                self._other(kind, mark, events, position, time, stack)

    def _ended(self, activation: _Activation, time: int) -> None:
        if activation.segments is None:
            self._keep(activation)
            return
        activation.segments.append(time)
        activation.over = True
        self._over.append(activation)

    def _forget(self) -> None:
        """Pack what is known of sleepers that were over before the last piece was read."""
        over, self._over = self._over, []
        running = (
            {activation.number for reading in self._readings for activation in reading.stack} if over else ()
        )
        for activation in over:
            if not activation.over or activation.number not in self._sleepers:
                continue
            if activation.end >= self._end - _REVIVED_WITHIN or activation.number in running:
                self._over.append(activation)
                continue
            del self._sleepers[activation.number]
            if self.tokens.get(activation.token) is activation:
                del self.tokens[activation.token]
            self._pack(activation)
        if len(self.runners) > 1000:
            self.runners = {
                number: runner for number, runner in self.runners.items() if runner.outcome == UNFINISHED
            }

    def _pack(self, activation: _Activation) -> None:
        self._keep(activation)
        if activation.segments is not None:
            self._segments.add(activation.number, _paired(activation))
        if activation.yields is not None:
            self._yields.add(activation.number, activation.yields)

    def _enter(self, routine: int, time: int, parent: _Activation) -> _Activation:
        number = len(self._parents)
        self._parents.append(parent.number)
        self._routines.append(routine)
        self._starts.append(time)
        self._ends.append(time)
        self._outcomes.append(UNFINISHED)
        self._outcomes_at.append(0)
        return _Activation(number, routine, time, parent)

    def _keep(self, activation: _Activation) -> None:
        """It is over, or as far as it got: what is known of it goes into the arrays."""
        number = activation.number
        self._ends[number] = max(activation.end, 0)
        self._outcomes[number] = activation.outcome
        self._outcomes_at[number] = activation.outcome_at + 1

    def _other(
        self, kind: int, mark: Mark, events: list[Any], position: int, time: int, stack: list[_Activation]
    ) -> None:
        values = events[position + 1 : position + 1 + mark.size]
        if kind == RESUME or kind == DELEGATE:
            if not values or type(values[0]) is not int:
                return
            activation = self.tokens.get(values[0])
            if activation is not None and activation is not stack[-1]:
                self._resume(stack, activation, time)
        top = stack[-1]
        if top.routine != mark.routine and kind != RESUME:
            top = self._unwind(stack, mark.routine, time)
        if kind == RAISE or kind == HANDLER:
            if values and type(values[-1]) is int:
                self.offsets.add((mark.routine, values[-1]))
            top.asleep = False
            if kind == RAISE:
                closed = top.yields is not None and any(value is GeneratorExit for value in values[:2])
                cut = len(values) < mark.size or Mark in map(type, values)
                top.outcome, top.outcome_at = YIELDED if closed else RAISED, -1 if cut else time
                if len(stack) > 1 and self.labels[mark.number] != "guarded":
                    self._leave(stack, time)
        elif kind == OUTCOME or kind == OUTCOME_NONE:
            top.outcome, top.outcome_at = RETURNED, time
            top.asleep = mark.tokened  # an `async with` may wait on its way out
            top.awaited = None
        elif kind == LEAVE:
            if len(stack) > 1:
                self._leave(stack, time)
        elif kind == YIELD:
            if top.yields is None:
                top.yields = array("I")
            top.yields.append(time)
            if len(stack) > 1:
                top.outcome, top.end = YIELDED, time
                stack.pop()
                if top.segments is not None:
                    top.segments.append(time)
                while stack[-1].asleep and self._is_code_of(top.routine, stack[-1].awaited):
                    top = stack[-1]  # it delegates to the one that yields: the value passes through it
                    self._sleep(stack, time + 1)
        elif kind == RESUME:
            top.asleep = False
        elif kind == DELEGATE:
            top.asleep = True
            top.awaited = values[1] if len(values) > 1 else None

    def _leave(self, stack: list[_Activation], time: int) -> None:
        top = stack.pop()
        top.end = time
        top.asleep = False
        self._ended(top, time)

    def _unwind(self, stack: list[_Activation], routine: int, time: int) -> _Activation:
        """Something was left without a mark of its own (a lambda by an exception, anything by an interrupt)."""
        for depth in range(len(stack) - 1, -1, -1):
            if stack[depth].routine == routine:
                while len(stack) > depth + 1:
                    stack[-1].outcome = RAISED if stack[-1].outcome == UNFINISHED else stack[-1].outcome
                    self._leave(stack, time)
                return stack[depth]
        return stack[-1]

    def _awake(self, stack: list[_Activation], mark: Mark, time: int) -> _Activation:
        """Who calls, when the activation on top may be asleep: it, if it awaits the entered routine; else one below."""
        while stack[-1].asleep:
            code = stack[-1].awaited
            if type(code) is not types.CodeType and self.routines[mark.routine].name in _PROTOCOL:
                break
            if self._is_code_of(mark.routine, code):
                break
            self._sleep(stack, time)
        return stack[-1]

    def _runner(self, caller: _Activation, mark: Mark) -> _Activation:
        """Whom a coroutine hangs from that no coroutine awaits directly: the first one its event loop was given."""
        if self.routines[mark.routine].kind != "coroutine":
            return caller
        runner = self.runners.get(caller.number)
        if runner is not None and runner.outcome == UNFINISHED:
            return runner
        self._starting = caller.number
        return caller

    def _is_code_of(self, number: int, code: Any) -> bool:
        if type(code) is not types.CodeType:
            return False
        routine = self.routines[number]
        return code.co_firstlineno == routine.first_line and code.co_name == routine.name

    def _sleep(self, stack: list[_Activation], time: int) -> None:
        """It slept from some time before `time` on, without a mark of its own."""
        top = stack.pop()
        top.end = max(time - 1, 0)
        if top.segments is not None:
            top.segments.append(top.end)

    def _resume(self, stack: list[_Activation], activation: _Activation, time: int) -> None:
        """Put a sleeper back on the stack, with those that delegate to it below it."""
        if activation in stack:
            while stack[-1] is not activation:
                self._sleep(stack, time)
            return
        while len(stack) > 1 and stack[-1].asleep and stack[-1] is not activation.parent:
            self._sleep(stack, time)
        chain = [activation]
        while (above := chain[-1].parent) is not None and above.asleep and above not in stack:
            chain.append(above)
        for sleeper in reversed(chain):
            stack.append(sleeper)
            sleeper.over = False
            if sleeper.segments is not None:
                sleeper.segments.append(time)

    def _write(
        self, kind: int, mark: Mark, events: list[Any], numbers: array[int], position: int, time: int
    ) -> None:
        values = events[position + 1 : position + 1 + mark.size]
        if len(values) < mark.size or Mark in map(type, values):
            return  # cut
        target, number = values[0], numbers[position + 1]
        if kind in (NAME, SET, PRINTED):
            number = 0
        elif kind in (ATTRIBUTE, ATTRIBUTE_NEW, NAMED):
            name = values[1] if kind == NAMED else self.labels[mark.number].partition("\t")[2]
            readers = self._attribute_readers.get(name)
            if readers is None:
                readers = self._attribute_readers[name] = AttributeReaders(name)
            if readers[type(target)] is not_stored:
                return
        elif kind == ITEM or kind == ITEM_DELETED:
            if CONTAINER_KINDS[type(target)] == NOT_A_CONTAINER:
                return
        elif kind == CONTENT:
            if values[1] is UNKNOWN:
                return
        elif kind == PASSED:
            if self._is_given_to_recorded_code(mark, events, position, target):
                return
        else:
            if type(target) is super:
                target, builtin = behind_super(target, self.labels[mark.number].partition("\t")[2])
                if not builtin:
                    return
                number = self._number(target)
            elif kind == APPEND and self._append[type(target)] is None:
                return
        slot: Any = None
        if (kind == NAME or kind == SET) and self.labels[mark.number].startswith("global"):
            slot = (self.labels[mark.number], self.routines[mark.routine].module)
        elif kind == PRINTED:
            slot = ("printed",)
        elif kind in (ATTRIBUTE, ATTRIBUTE_NEW, NAMED):
            slot = ("attribute", name)
        elif kind in (ITEM, ITEM_DELETED) and type(values[1]) in _SCALARS:
            mapping = CONTAINER_KINDS[type(target)] == MAPPING
            in_place = kind == ITEM and type(values[1]) is int and values[1] >= 0
            slot = values[1] if mapping or in_place else None
        known = APPENDED if kind == APPEND else WHOLE
        self.writes.add(time, number, known if slot is None else self._slot(slot))

    def _is_given_to_recorded_code(
        self, passed: Mark, events: list[Any], position: int, container: Any
    ) -> bool:
        """Whether the call that a container was about to be passed to is one that we see: then each write in it is logged.

        What we do not see leaves nothing; so the call that comes next must have the name, or be what decorators make.
        """
        site = self.labels[passed.number].partition("\t")[2]
        while position < len(events) and type(events[position]) is Mark and events[position].kind == PASSED:
            if self.labels[events[position].number].partition("\t")[2] != site:
                return False
            position += events[position].size + 1
        mark = events[position] if position < len(events) else None
        if type(mark) is not Mark or mark.kind != ENTER:
            return False
        routine = self.routines[mark.routine]
        named = routine.name == site.partition(" ")[0] or routine.name in _BEHIND_A_CALL
        wraps = "<locals>" in routine.qualname
        for given in events[position + 1 : position + 1 + mark.size]:
            if given is container and named:
                return True
            if type(given) is tuple and any(part is container for part in given):  # *args
                return named or wraps
            if type(given) is dict and any(part is container for part in given.values()):  # **kwargs
                return named or wraps
        return False

    def _slot(self, slot: Any) -> int:
        """A number for what is written of an object. Where there are too many, all of it is."""
        if type(slot) is int and 0 <= slot < _INDEXES:
            return _INDEXES + slot
        number = self._slots.get(slot)
        if number is None:
            if type(slot) in (bool, float) and 0 <= slot < _INDEXES and slot == int(slot):
                return _INDEXES + int(slot)  # as keys they are equal
            if len(self._slots) >= _MOST_SLOTS:
                return WHOLE
            number = self._slots[slot] = len(self._slots) + APPENDED + 1
        return number

    def tree(self, root_routine: int) -> Tree:
        """Number the nodes in preorder. The program itself runs `root_routine`."""
        root, parents = self.root, self._parents
        root.routine = root_routine
        self._absorb_units()
        root.end = self._end
        self._routines[0] = root.routine
        for reading in self._readings:
            for activation in reading.stack[1:]:
                activation.end = reading.end
                self._keep(activation)
        for activation in (root, *self._sleepers.values()):
            self._keep(activation)
        try:
            main = self._routines.index(root.routine, 1)
        except ValueError:
            main = 0
        self._outcomes[0], self._outcomes_at[0] = self._outcomes[main], self._outcomes_at[main]
        kinds = [routine.kind in VISIBLE for routine in self.routines]
        in_preorder = len(self.streams) <= 1 and not self._sleepers and not len(self._segments._numbers)
        order: Iterable[int] = range(len(parents)) if in_preorder else _preorder(parents)
        above = array("i", [0]) * len(parents)  # activation → its node, or that of the nearest node above
        visible, parent = array("i"), array("i")
        routines = self._routines
        for number in order:
            if number and not kinds[routines[number]]:
                above[number] = above[parents[number]]
                continue
            above[number] = len(visible)
            visible.append(number)
            parent.append(above[parents[number]] if number else -1)
        size = array("i", [1]) * len(parent)
        for node in range(len(parent) - 1, 0, -1):
            size[parent[node]] += size[node]

        def column(name: str) -> array[int]:
            if name == "outcome_at":
                return array("q", [time - 1 for time in map(self._outcomes_at.__getitem__, visible)])
            source, typecode = {
                "routine": (self._routines, "i"),
                "start": (self._starts, "q"),
                "end": (self._ends, "q"),
                "outcome": (self._outcomes, "b"),
            }[name]
            return array(typecode, map(source.__getitem__, visible))

        def lists(packed: _Many, attribute: str) -> Iterator[tuple[int, list[int]]]:
            for number, times in packed:
                if kinds[routines[number]]:
                    yield above[number], times
            for activation in self._sleepers.values():
                times_of = getattr(activation, attribute)
                if kinds[activation.routine] and times_of is not None:
                    yield (
                        above[activation.number],
                        (_paired(activation) if attribute == "segments" else times_of).tolist(),
                    )

        return Tree(
            visible, parent, size, column, lists(self._segments, "segments"), lists(self._yields, "yields")
        )


def _where_told(numbers: array[int], telling: list[bool], first_object: int) -> list[int]:
    first = min(first_object, len(telling))
    return [position for position, number in enumerate(numbers) if number < first and telling[number]]


def _paired(activation: _Activation) -> array[int]:
    """Its stretches, the last one closed."""
    segments = activation.segments or array("I")
    return segments + array("I", [max(activation.end, segments[-1])]) if len(segments) % 2 else segments


_WRITE_KINDS = frozenset(
    {ATTRIBUTE, ATTRIBUTE_NEW, ITEM, ITEM_DELETED, CONTENT, MUTATE, APPEND, NAME, NAMED, PASSED, PRINTED, SET}
)
_BEHIND_A_CALL = frozenset({"__init__", "__new__", "__call__"})
_LABELLED = _WRITE_KINDS | {RAISE}
_REVIVED_WITHIN = 100  # events after which one that is over does not wake again
_INDEXES = 1 << 31  # slot numbers from here on are small integers, as indexes and keys
_MOST_SLOTS = 1 << 20
_NAMING = frozenset({ENTER, RESUME, DELEGATE})  # these say which activation they are of
_SCALARS = frozenset({int, str, float, bool, bytes})
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


def _preorder(parents: array[int]) -> Iterator[int]:
    """Depth first, children in order of their first event; no recursion, a chain of calls may be long."""
    last_child, previous = array("i", [-1]) * len(parents), array("i", [-1]) * len(parents)
    for number in range(1, len(parents)):
        previous[number] = last_child[parents[number]]
        last_child[parents[number]] = number
    todo = [0]
    while todo:
        number = todo.pop()
        yield number
        child = last_child[number]
        while child >= 0:  # pushed last to first, so that the first comes off first
            todo.append(child)
            child = previous[child]
