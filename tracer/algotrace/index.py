"""From the event stream to the tree of activations: who called whom, from when to when, and what was written when.

Runs once, in the recorded process, after the program has ended. An *activation* is one run of a routine; those of
functions become the nodes of the execution tree, numbered in preorder, so that a subtree is a range of numbers.
Activations of lambdas, class bodies and imported modules stay out: what they call hangs from the nearest node above.
The reader of a stream never trusts that a sequence is complete: an interrupt may cut it anywhere.
"""

from __future__ import annotations

import types
from array import array
from typing import Any, NamedTuple
from collections.abc import Iterable, Iterator

from algotrace.marks import (
    APPEND, APPENDED, ATTRIBUTE, ATTRIBUTE_NEW, BLOCK, BLOCK_END, CONTENT, DELEGATE, ENTER, HANDLER, ITEM, ITEM_DELETED, LEAVE,
    MUTATE, NAME, NAMED, OUTCOME, OUTCOME_NONE, PASSED, PRINTED, RAISE, RESUME, RETURN, RETURN_NONE, SET, UNKNOWN, WHOLE, YIELD, Mark, Routine,
)  # fmt: skip
from algotrace.undo import (
    CONTAINER_KINDS,
    MAPPING,
    NOT_A_CONTAINER,
    AttributeReaders,
    MethodReaders,
    behind_super,
    not_stored,
)

RETURNED, RAISED, YIELDED, UNFINISHED = 0, 1, 2, 3
VISIBLE = frozenset({"function", "generator", "coroutine", "asyncgen", "class"})


class Index(NamedTuple):
    """Everything about the tree, as parallel arrays; nodes in preorder, node 0 the program itself."""

    parent: array[int]
    size: array[int]
    routine: array[int]
    start: array[int]  # time of the ENTER mark
    end: array[int]  # time of the last mark
    outcome: array[int]  # RETURNED, RAISED, YIELDED, UNFINISHED
    outcome_at: array[int]  # time of the mark that holds the outcome, -1 where there is none
    segments: dict[int, list[int]]  # for activations that slept: start, end, start, end…
    yields: dict[int, list[int]]  # times of YIELD marks of a node
    write_times: array[int]
    written: list[Any]  # the object written, for each write
    write_slots: array[int]  # what of it was written: a number per attribute name or key, 0 for all of it
    offsets: set[tuple[int, int]]  # (routine, instruction offset) of every exception seen
    streams: list[int]  # where each thread's part starts


class _Activation:
    __slots__ = ("asleep", "awaited", "caller", "end", "number", "outcome", "outcome_at", "parent", "routine", "segments", "start", "yields")  # fmt: skip

    def __init__(self, number: int, routine: int, start: int, parent: _Activation | None) -> None:
        self.number = number
        self.routine = routine
        self.start = start
        self.end = start
        self.parent = parent
        self.outcome = UNFINISHED
        self.outcome_at = -1
        self.asleep = False  # may sleep unseen: awaits or delegates
        self.awaited: Any = None  # its code object, where it is a generator or coroutine
        self.segments: list[int] | None = None
        self.yields: list[int] | None = None


class Indexer:
    """Reads the streams of all threads in turn; `finish` gives the index."""

    def __init__(self, routines: list[Routine], labels: list[str], root_routine: int) -> None:
        self.routines = routines
        self.labels = labels  # of marks, for writes: "text<tab>attribute"
        self.root = _Activation(0, root_routine, 0, None)
        # What is known of each activation, by number. The objects live only while they run or may wake again.
        self._parents, self._routines = array("i", [-1]), array("i", [root_routine])
        self._starts, self._ends = array("q", [0]), array("q", [0])
        self._outcomes, self._outcomes_at = array("b", [UNFINISHED]), array("q", [-1])
        self._sleepers: list[_Activation] = []
        self.tokens: dict[int, _Activation] = {}
        self.runners: dict[int, _Activation] = {}  # caller of an event loop → the coroutine it was given
        self._starting = -1
        self.write_times = array("q")
        self.written: list[Any] = []
        self.write_slots = array("I")
        self._slots: dict[Any, int] = {}
        self.offsets: set[tuple[int, int]] = set()
        self.streams: list[int] = []
        self._attribute_readers: dict[str, AttributeReaders] = {}
        self._append = MethodReaders("append")
        self._end = 0

    def read(self, events: list[Any]) -> None:
        """One thread's events; their times follow those of the streams read before."""
        base = self._end
        self.streams.append(base)
        self._end = base + len(events)
        stack = [self.root]
        tokens = self.tokens
        length, position = len(events), 0
        while position < length:
            mark = events[position]
            if type(mark) is not Mark:
                position += 1  # a cut sequence: go on at the next mark
                continue
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
                position += mark.size + 1
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
                    tokens[events[position + 1]] = activation
                    activation.segments = [time]
                    self._sleepers.append(activation)
            elif kind == RETURN or kind == RETURN_NONE:
                top = stack[-1]
                if top.routine != mark.routine:
                    top = self._unwind(stack, mark.routine, time)
                if len(stack) > 1:
                    stack.pop()
                    top.outcome, top.outcome_at, top.end = RETURNED, time, time
                    if top.segments is not None:
                        top.segments.append(time)
                    else:
                        self._keep(top)
            elif kind in _WRITE_KINDS:
                self._write(kind, mark, events, position, time)
            else:
                self._other(kind, mark, events, position, time, stack)
            position += mark.size + 1
            if mark.size and position > length:
                break
            # A cut sequence has the next mark where a value should be.
            for back in range(position - mark.size, position):
                if type(events[back]) is Mark:
                    position = back
                    break
        for activation in stack:
            activation.end = self._end
            self._keep(activation)

    def _enter(self, routine: int, time: int, parent: _Activation) -> _Activation:
        number = len(self._parents)
        self._parents.append(parent.number)
        self._routines.append(routine)
        self._starts.append(time)
        self._ends.append(time)
        self._outcomes.append(UNFINISHED)
        self._outcomes_at.append(-1)
        return _Activation(number, routine, time, parent)

    def _keep(self, activation: _Activation) -> None:
        """It is over, or as far as it got: what is known of it goes into the arrays."""
        number = activation.number
        self._ends[number] = activation.end
        self._outcomes[number] = activation.outcome
        self._outcomes_at[number] = activation.outcome_at

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
                closed = top.yields is not None and GeneratorExit in values[:2]
                top.outcome, top.outcome_at = YIELDED if closed else RAISED, time
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
                top.yields = []
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
        if top.segments is not None:
            top.segments.append(time)
        else:
            self._keep(top)

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
        top.end = time - 1
        if top.segments is not None:
            top.segments.append(time - 1)

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
            if sleeper.segments is not None:
                sleeper.segments.append(time)

    def _write(self, kind: int, mark: Mark, events: list[Any], position: int, time: int) -> None:
        values = events[position + 1 : position + 1 + mark.size]
        if len(values) < mark.size:
            return
        target = values[0]
        if kind in (NAME, SET, PRINTED):
            target = None
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
            elif kind == APPEND and self._append[type(target)] is None:
                return
        self.write_times.append(time)
        self.written.append(target)
        slot: Any = None
        if (kind == NAME or kind == SET) and self.labels[mark.number].startswith("global"):
            slot = (self.labels[mark.number], self._module_of(mark.routine))
        elif kind == PRINTED:
            slot = ("printed",)
        elif kind in (ATTRIBUTE, ATTRIBUTE_NEW, NAMED):
            slot = ("attribute", name)
        elif kind in (ITEM, ITEM_DELETED) and type(values[1]) in _SCALARS:
            mapping = CONTAINER_KINDS[type(target)] == MAPPING
            in_place = kind == ITEM and type(values[1]) is int and values[1] >= 0
            slot = values[1] if mapping or in_place else None
        known = APPENDED if kind == APPEND else WHOLE
        self.write_slots.append(
            known if slot is None else self._slots.setdefault(slot, len(self._slots) + APPENDED + 1)
        )

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

    def _module_of(self, routine: int) -> int:
        while self.routines[routine].parent >= 0:
            routine = self.routines[routine].parent
        return routine

    def finish(self) -> Index:
        """Number the nodes in preorder and lay everything out in arrays."""
        routines = self.routines
        self.root.end = self._end
        for activation in (self.root, *self._sleepers):
            self._keep(activation)
        parents, kinds = self._parents, [routine.kind in VISIBLE for routine in routines]
        main = next((n for n in range(1, len(parents)) if self._routines[n] == self.root.routine), 0)
        self._outcomes[0], self._outcomes_at[0] = self._outcomes[main], self._outcomes_at[main]
        in_preorder = not self._sleepers and len(self.streams) <= 1
        order: Iterable[int] = range(len(parents)) if in_preorder else _preorder(parents)
        above = array("i", [0]) * len(parents)  # activation → its node, or that of the nearest node above
        parent, routine = array("i"), array("i")
        start, end, outcome_at = array("q"), array("q"), array("q")
        outcome = array("b")
        for number in order:
            if number and not kinds[self._routines[number]]:
                above[number] = above[parents[number]]
                continue
            above[number] = len(parent)
            parent.append(above[parents[number]] if number else -1)
            routine.append(self._routines[number])
            start.append(self._starts[number])
            end.append(self._ends[number])
            outcome.append(self._outcomes[number])
            outcome_at.append(self._outcomes_at[number])
        segments: dict[int, list[int]] = {}
        yields: dict[int, list[int]] = {}
        for activation in self._sleepers:
            if kinds[activation.routine] and activation.segments is not None:
                segments[above[activation.number]] = activation.segments
                if activation.yields is not None:
                    yields[above[activation.number]] = activation.yields
        size = array("i", [1]) * len(parent)
        for node in range(len(parent) - 1, 0, -1):
            size[parent[node]] += size[node]
        return Index(
            parent, size, routine, start, end, outcome, outcome_at, segments, yields, self.write_times, self.written, self.write_slots,
            self.offsets, self.streams,
        )  # fmt: skip


_WRITE_KINDS = frozenset(
    {ATTRIBUTE, ATTRIBUTE_NEW, ITEM, ITEM_DELETED, CONTENT, MUTATE, APPEND, NAME, NAMED, PASSED, PRINTED, SET}
)
_BEHIND_A_CALL = frozenset({"__init__", "__new__", "__call__"})
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
