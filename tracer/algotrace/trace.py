"""Reading a trace: the execution tree, what each call was given and did, any value at any time, what code ran.

What is stored is read by `stored`, in parts; the states of objects come from `history`. Nothing in a trace is executed. Every method may raise `TraceError` where the file is damaged.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from pathlib import Path
from typing import Any, NamedTuple
from collections.abc import Iterator

from algotrace import executed as executed_code
from algotrace.bodies import changes_made, module_name
from algotrace.changes import Change, PathsTo
from algotrace.marks import DELEGATE, ENTER, OUTCOME, RAISE, RETURN
from algotrace.own_values import OwnValue, own_values
from algotrace.module_names import ModuleNames
from algotrace.printed import Printed, printed_by
from algotrace.lookups import Lookups
from algotrace.reads import Read, reads_of
from algotrace.sharing import InReach, Shared, sharing_of
from algotrace.reader import Reader
from algotrace.stored import Routine, Source, remember
from algotrace.trace_file import MISFITS, TraceError, reading
from algotrace.unit_tables import Mark
from algotrace.unread import Unread, unread_by
from algotrace.values import UNSEEN, Raised, Text, Value, Yielded

__all__ = [
    "Argument",
    "Call",
    "Change",
    "Mark",
    "Outcome",
    "Printed",
    "Read",
    "Routine",
    "Shared",
    "Source",
    "Span",
    "Trace",
    "TraceError",
    "Value",
]

_CACHED_CALLS = 64
_CACHED_ARGUMENTS = 1000
_ENDING = (0, 1)  # of them: an outcome where the call ends
_GENERATORS = ("generator", "asyncgen")
_OUTCOMES = ("return", "raise", "yield", "unfinished")


class Argument(NamedTuple):
    name: str
    value: Value


class Outcome(NamedTuple):
    kind: str  # return, raise, yield, unfinished
    value: Value | None


class Call(NamedTuple):
    node: int
    routine: Routine
    arguments: tuple[Argument, ...]
    outcome: Outcome
    changes: tuple[Change, ...]
    printed: Printed | None = None
    module: str = ""  # of the body of an imported module: its name


class Span(NamedTuple):
    """A piece of one physical line: lines from 1, columns from 0 in characters, the end exclusive."""

    source: int
    line: int
    col: int
    end_line: int
    end_col: int


class Trace(ModuleNames):
    """One recorded run. Not for use by several threads at once."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader)
        self._calls: OrderedDict[int, Call] = OrderedDict()
        self._arguments: OrderedDict[int, tuple[Argument, ...]] = OrderedDict()
        self.spans_by_way: OrderedDict[tuple[int, ...], list[executed_code.ExecutedSpan]] = OrderedDict()
        self._last_reads: tuple[int, list[Read]] = (-1, [])
        self._last_unread: tuple[int, Unread | None] = (-1, None)

    @classmethod
    def open(cls, path: str | Path) -> Trace:
        """Raises TraceError: no such file, not a trace, another version, damaged."""
        return cls(Reader(Path(path)))

    def value_at(self, number: int, time: int) -> Value:
        """An object as it was at one time."""
        return Value(self, number, time)

    def own_events(self, node: int) -> Iterator[tuple[int, Mark | None, list[int]]]:
        """(time, mark, the object numbers that follow it) of the node itself, callees left out; (time, None, [number])
        for a value that fills the next slot of the block under way."""
        with self._reader.reading():
            for time, mark, number in executed_code.own_events(self, node):
                yield time, mark, [number] if mark is None else self.values_at(time, mark)

    def own_values(self, node: int) -> Iterator[OwnValue]:
        """What the node's names were bound to and its calls gave, in order; see `own_values`."""
        with self._reader.reading():
            yield from own_values(self, node)

    def value(self, ref: str) -> Value:
        """The value a `ref` names. Raises KeyError where there is none."""
        try:
            if ref == "none":
                return NoneValue(self)
            if ref.startswith("yield:"):
                node = int(ref[6:])
                outcome = self._outcome(node)
                if node < 0 or outcome.value is None:
                    raise KeyError(ref)
                return outcome.value
            if ref.startswith("raise:"):
                return self._raised(int(ref[6:]))
            number, _, time = ref.partition("@")
            value = Value(self, int(number), int(time))
            self.row(int(number))
            return value
        except (*MISFITS, TraceError) as error:
            raise KeyError(ref) from error

    # -- calls -------------------------------------------------------------------------------------------------------

    def call(self, node: int) -> Call:
        """What a question about `node` shows. Raises KeyError where there is no such node."""
        if not 0 <= node < len(self.parent):
            raise KeyError(node)
        call = self._calls.get(node)
        if (
            call is None
        ):  # what a long one changed takes long to find, and a question asks for it several times
            call = self._call(node)
            remember(self._calls, node, call, _CACHED_CALLS)
        return call

    @reading
    def _call(self, node: int) -> Call:
        routine = self.routines[self.routine[node]]
        return Call(
            node,
            routine,
            self.arguments(node),
            self._outcome(node),
            tuple(changes_made(self, node)),
            printed_by(self, node),
            module_name(self, node),
        )

    @functools.cached_property
    def lookups(self) -> Lookups:
        """What is looked up in all of the trace, for `reads`."""
        return Lookups(self)

    @functools.cached_property
    def in_reach(self) -> InReach:
        """Which containers are in reach of an object, for `sharing`."""
        return InReach(self)

    @functools.cached_property
    def paths_to(self) -> PathsTo:
        """How objects are reached, for `changes`."""
        return PathsTo(self)

    def _outcome_at(self, node: int) -> int:
        """The time of a node's outcome; -1 for none."""
        elsewhere = self._outcomes_elsewhere.get(node)
        if elsewhere is not None:
            return elsewhere[0] - 1  # type: ignore[no-any-return]
        return self.end[node] if self.outcome_kind[node] in _ENDING else -1

    def outcome_object(self, node: int) -> int | None:
        """The object that a call returned; None where it returned none."""
        at = self._outcome_at(node)
        mark = self.mark_at(at) if at >= 0 else None
        if mark is None or mark.kind not in (RETURN, OUTCOME):
            return None
        values = self.values_at(at, mark)
        return values[-1] if values else None

    @reading
    def reads(self, node: int) -> list[Read]:
        """What a call, and all it called, read besides its arguments; see `reads`."""
        if self._last_reads[0] != node:  # one question asks for them several times
            self._last_reads = (node, reads_of(self, node))
        return self._last_reads[1]

    @reading
    def sharing(self, node: int) -> list[Shared]:
        """Which of the containers that a question about a call shows are one object; see `sharing`."""
        return sharing_of(self, node)

    @reading
    def unread(self, node: int) -> Unread | None:
        """What of its inputs a call surely did not look at; see `unread`. None where that cannot be told."""
        if self._last_unread[0] != node:
            self._last_unread = (node, unread_by(self, node) if node else None)
        return self._last_unread[1]

    @reading
    def call_outcome(self, node: int) -> Outcome:
        return self._outcome(node)

    @reading
    def outcome(self, node: int) -> Outcome:
        """What came of a call; `call` has it too, with all else."""
        return self._outcome(node)

    def arguments(self, node: int) -> tuple[Argument, ...]:
        """What a call was given. Whoever looks at the calls around it asks for that, too."""
        known = self._arguments.get(node)
        if known is None:
            known = self._arguments_of(node)
            remember(self._arguments, node, known, _CACHED_ARGUMENTS)
        return known

    @reading
    def _arguments_of(self, node: int) -> tuple[Argument, ...]:
        start = self.start[node]
        mark = self.mark_at(start) if node else None
        if mark is None or mark.kind != ENTER:
            return ()
        values = self.values_at(start, mark)[1 if mark.tokened else 0 :]
        names = self.routines[self.routine[node]].parameters
        return tuple(Argument(name, Value(self, number, start)) for name, number in zip(names, values))

    def _outcome(self, node: int) -> Outcome:
        kind = _OUTCOMES[self.outcome_kind[node]]
        at = self._outcome_at(node)
        yields = self._yields.get(node)
        if yields is None and kind == "return" and self.routines[self.routine[node]].kind in _GENERATORS:
            mark = self.mark_at(at)
            yields = [] if mark is None or mark.kind not in (RETURN, OUTCOME) else None
        if yields is not None and kind in ("return", "yield", "unfinished"):
            pairs = [(number, time) for time in yields if (number := self._yielded_at(time)) is not None]
            return Outcome("yield", Yielded(self, pairs, self.end[node], f"yield:{node}", kind == "return"))
        if at < 0:
            return Outcome(kind, None)
        if kind == "raise":
            try:
                return Outcome(kind, self._raised(at))
            except KeyError:  # at the recursion limit not even the exception could be noted
                return Outcome(kind, None)
        mark = self.mark_at(at)
        if mark is not None and mark.kind in (RETURN, OUTCOME) and (values := self.values_at(at, mark)):
            return Outcome(kind, Value(self, values[-1], self.end[node]))
        return Outcome(kind, NoneValue(self))

    def yields_of(self, node: int) -> list[int]:
        """When a generator handed something out, itself or by `yield from`; see `Yielded` for what is not known."""
        return self._yields.get(node, [])  # type: ignore[no-any-return]

    def _yielded_at(self, time: int) -> int | None:
        mark = self.mark_at(time)
        if mark is None:
            return None
        if mark.kind == DELEGATE:
            return UNSEEN
        values = self.values_at(time, mark)
        return values[0] if values else None

    def _raised(self, time: int) -> Value:
        mark = self.mark_at(time)
        if mark is None or mark.kind != RAISE:
            raise KeyError(time)
        values = self.values_at(time, mark)[1 if mark.tokened else 0 :]
        if len(values) < 2:
            raise KeyError(time)
        return Raised(self, values[0], values[1], time, f"raise:{time}")

    # -- code --------------------------------------------------------------------------------------------------------

    @reading
    def executed(self, node: int) -> list[Span]:
        """The code that `node` executed itself, not its children (Lemma 1 of *Algorithmic debugging generalized*)."""
        return [
            Span(self.routines[self.blocks[block].routine].source, *span)
            for block, span in executed_code.executed_spans(self, node)
        ]


class NoneValue(Value):
    """None, where a call returned without a value: no object in the trace stands for it."""

    __slots__ = ()

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace, -1, 0, "none")

    def _row(self) -> Any:
        return None

    def text(self, limit: int = 200, without: Unread | None = None) -> Text:
        return Text("None", True)

    def key(self) -> bytes:
        return b"none"
