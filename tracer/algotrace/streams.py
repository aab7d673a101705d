"""Where events go: one list per thread, and the tables that give a mark its meaning.

Instrumented code fetches its thread's list once per call (`STREAMS.events`, about 20 ns) and appends to it.
Nothing here runs per event, but while the `GATE` is closed. Not here: what takes the oldest events away, see `spill`.
"""

from __future__ import annotations

import itertools
import marshal
import threading
import types
from _thread import allocate_lock, get_ident  # as they are before the program runs
from array import array
from bisect import bisect_right
from collections import deque
from itertools import islice, repeat
from operator import lshift, or_
from sys import getrecursionlimit, setrecursionlimit
from typing import Any, NamedTuple
from collections.abc import Callable, Iterator

from algotrace import BUILTINS
from algotrace.marks import Mark, Routine, ask_for_details, new_marks

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on


_FRAMES = 10  # at most so many of ours stand on top of a thread that waits
_PIECE = 1 << 16  # events


class Events(list[Any]):
    """A stream. Who prints a frame's locals (a traceback with locals, a failing assertion) must not print all of it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{len(self)} events>"


class HeldEvents(Events):
    """What a stream is while the gate is closed: its thread waits before it leaves the next event."""

    __slots__ = ()

    def append(self, event: Any) -> None:
        GATE.wait()
        list.append(self, event)

    def extend(self, events: Any) -> None:
        GATE.wait()
        list.extend(self, events)

    def __iadd__(self, events: Any) -> Any:  # type: ignore[misc]
        GATE.wait()
        list.extend(self, events)
        return self


class WatchedEvents(Events):
    """What a stream is while code is at work that is not recorded, see `at_work`: who leaves the next event is told of."""

    __slots__ = ()

    def append(self, event: Any) -> None:
        WATCH.looked_at((event,))
        GATE.wait()
        list.append(self, event)

    def extend(self, events: Any) -> None:
        events = tuple(events)
        WATCH.looked_at(events)
        GATE.wait()
        list.extend(self, events)

    def __iadd__(self, events: Any) -> Any:  # type: ignore[misc]
        self.extend(events)
        return self


class _Watch:
    """Who is told, and by what."""

    @staticmethod
    def looked_at(events: tuple[Any, ...]) -> None:
        raise LookupError

    @staticmethod
    def doorway(here: Any) -> Any:
        """What functions that start find in the place of their stream."""
        raise LookupError

    @staticmethod
    def thread_starts() -> None:
        """Before it leaves its first event."""


WATCH = _Watch()


class Stream:
    """The events of one thread that are in memory; the first of them may belong to somebody else.

    Those before the last full collection are `older`, where a collection can be made to overlook them.
    """

    __slots__ = ("_count_older", "events", "first", "older", "reading", "taken")

    def __init__(self, events: list[Any]) -> None:
        self.events = events
        # In a forked child, how many the parent had left. They stay where they are, unread: dropping them would run
        # finalizers here that belong to the parent.
        self.first = len(events)
        self.reading: Any = None  # how far the indexer got
        self.older: list[list[Any]] | None = []  # None while they are put aside
        self._count_older = 0
        self.taken = 0  # how many are not in memory any more

    @property
    def elsewhere(self) -> int:
        """How many were left besides those in the list."""
        return self.taken + self._count_older - self.first

    def __len__(self) -> int:
        return self._count_older + len(self.events) - self.first

    def put_aside(self) -> Any:
        """Let go of the events of before now; whoever has the answer holds them, and gives them back."""
        events, first, older = self.events, self.first, self.older
        end = len(events)  # between two instructions of ours a thread may leave more
        if older is None:
            return None
        start = first
        if older and len(older[-1]) < _PIECE:
            start = min(first + _PIECE - len(older[-1]), end)
            older[-1] += events[first:start]
        older += [events[place : min(place + _PIECE, end)] for place in range(start, end, _PIECE)]
        self._count_older += end - first
        del events[first:end]
        self.older = None
        return older

    def take_back(self, aside: Any) -> None:
        self.older = aside

    def oldest(self, count: int) -> list[Any]:
        if self.older is None:
            return []
        oldest: list[Any] = []
        for piece in self.older:
            oldest += piece[: count - len(oldest)]
            if len(oldest) == count:
                return oldest
        return oldest + self.events[self.first : self.first + count - len(oldest)]

    def later(self, count: int) -> Iterator[list[Any]]:
        """All in memory but the oldest `count`, in pieces."""
        for piece in self.older or ():
            if count < len(piece):
                yield piece[count:]
            count = max(0, count - len(piece))
        yield self.events[self.first + count :]

    def drop(self, count: int) -> None:
        self.taken += count
        older = self.older or []
        pieces = 0
        while pieces < len(older) and len(older[pieces]) <= count:
            count -= len(older[pieces])
            self._count_older -= len(older[pieces])
            pieces += 1
        del older[:pieces]
        if older and count:
            del older[0][:count]
            self._count_older -= count
        else:
            del self.events[self.first : self.first + count]


all_streams: list[Stream] = []  # in order of the threads' first event


class _Streams(threading.local):
    """`events` of the current thread, or what stands in its place (see `at_work`), and its `own` in any case; `__init__`
    runs at a thread's first access, as `threading.local` does."""

    events: Any
    own: Events
    ending: _Ending  # but for the first thread

    def __init__(self) -> None:
        self.events = self.own = GATE.kind()
        all_streams.append(Stream(self.own))
        if len(all_streams) > 1:
            note_cut()
            self.ending = _Ending()
            WATCH.thread_starts()


class _Ending:
    """Ends with its thread."""

    __slots__ = ("over",)

    def __init__(self) -> None:
        self.over: Callable[[], None] | None = None  # what is called then

    def __del__(self) -> None:
        if self.over is not None:
            self.over()
        note_cut()


# How many events each thread had left at some instants: what came before one of them came before all that came after it,
# whatever the thread. Between two of them nothing tells in which order two threads did something.
CUTS: deque[list[int]] = deque()
_MOST_THREADS, _MOST_CUTS = 200, 20_000


def note_cut() -> None:
    """How far all threads are now."""
    if not 1 < len(all_streams) <= _MOST_THREADS or len(CUTS) >= _MOST_CUTS:
        return
    for _ in range(3):
        streams = all_streams[:]
        lists = [stream.events for stream in streams]
        before = [stream.elsewhere for stream in streams]
        lengths = list(map(len, lists))  # no other thread runs meanwhile
        if before == [stream.elsewhere for stream in streams]:
            cut = [one + other for one, other in zip(before, lengths)]
            if not CUTS or CUTS[-1] != cut:
                CUTS.append(cut)
            return


_MOST_TRIES = 100


class Gate:
    """While it is closed, the other threads of the program stop where they leave their next event.

    Whoever takes events away closes it. Only so does it keep up with a program that leaves them faster than they can
    be written, and only so do daemon threads, which go on until the process is gone, let the trace come to an end.
    """

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._holder = 0
        self._keeper = 0  # who keeps it open
        self._limit = 0
        self.kind: type[Events] = Events

    def __enter__(self) -> None:
        self._lock.acquire()
        self._holder = get_ident()
        # Who waits may have used up its stack: an event must not be lost for want of a frame of ours.
        self._limit = getrecursionlimit()
        setrecursionlimit(self._limit + _FRAMES)
        self._turn(HeldEvents)

    def __exit__(self, *error: object) -> None:
        self._turn(Events)
        if getrecursionlimit() == self._limit + _FRAMES:
            _limit_recursion(self._limit)
        self._holder = 0
        self._lock.release()

    def hold(self, seconds: float = 0) -> bool:
        """Whether it is open, or will be within some seconds, and stays so until `let_go`: nobody takes events away meanwhile."""
        if not self._lock.acquire(timeout=seconds):
            return False
        self._keeper = get_ident()
        return True

    def let_go(self) -> None:
        self._keeper = 0
        self._lock.release()

    def hold_when_open(self) -> bool:
        """`hold`, when whoever has closed it has opened it again; False where that is this thread.

        Who has got the lock may have to wait before it can say so. Not for ever, where this is a signal handler that came in
        the middle of taking it.
        """
        for _ in range(_MOST_TRIES):
            if self.hold():
                return True
            if get_ident() in (self._holder, self._keeper):
                return False
            self.wait()
            if self.hold(0.001):
                return True
        return False

    def wait(self) -> None:
        if self._holder not in (0, get_ident()):
            with self._lock:
                pass

    def before_fork(self) -> None:
        """A child must find nothing half done."""
        if self._holder != get_ident():
            self._lock.acquire(timeout=30)

    def after_fork(self) -> None:
        if self._holder != get_ident() and self._lock.locked():
            self._lock.release()

    def renew(self) -> None:
        """In a forked child: those who waited are not here any more."""
        self._lock = allocate_lock()
        self._holder = self._keeper = 0
        self._turn(Events)

    def _turn(self, kind: type[Events]) -> None:
        self.kind = kind
        for stream in list(all_streams):
            if type(stream.events) is not WatchedEvents:  # who waits as well
                stream.events.__class__ = kind

    def turn_back(self, events: Events) -> None:
        """A stream is watched no longer."""
        while type(events) is not self.kind:  # which may change meanwhile
            events.__class__ = self.kind


def _limit_recursion(limit: int) -> None:
    try:
        setrecursionlimit(limit)
    except RecursionError:  # this thread itself is deeper than the limit that the program had set
        return


GATE = Gate()
STREAMS = _Streams()


def events_until_now() -> int:
    """In memory, in the order in which they will be written: up to the last one of the calling thread."""
    if len(all_streams) > 1:
        note_cut()
        return sum(map(len, all_streams))
    mine, count = STREAMS.own, 0
    for stream in all_streams:
        count += len(stream)
        if stream.events is mine:
            break
    return count


class _Main:
    """The main thread's events, in reach without the lookup that `STREAMS` needs."""

    __slots__ = ("events",)

    def __init__(self) -> None:
        self.events = STREAMS.own


MAIN = _Main()


class _Alone:
    """The main thread's events as long as there is no other thread, see `alone`; else None. For a while it may be None
    before that is `over`."""

    __slots__ = ("events", "over")

    def __init__(self) -> None:
        self.events: list[Any] | None = STREAMS.own
        self.over = False


ALONE = _Alone()


new_token = itertools.count(1).__next__  # names an activation that may sleep


class StoredTables(NamedTuple):
    """What a trace has of a source file, packed once for all: digest and text, blocks and marks."""

    sha256: str
    text: bytes
    tables: bytes


class InstrumentedUnit(NamedTuple):
    """One instrumented file of this process. Its tables stay packed until the program has ended."""

    path: str  # absolute
    code_name: str  # `co_filename`, which may be relative
    packed_routines: bytes  # marshalled
    packed_labels: bytes  # marshalled: those of the marks that have one, by number
    marks: bytes  # kind, size, routine, block and whether tokened, for each
    stored: StoredTables
    routine_base: int
    block_base: int
    blocks: int  # how many it has
    mark_base: int

    def routines(self) -> list[Routine]:
        return list(map(Routine._make, marshal.loads(self.packed_routines)))

    def labels(self) -> dict[int, str]:
        labels: dict[int, str] = marshal.loads(self.packed_labels)
        return labels

    def kinds_of_marks(self) -> bytes:
        return bytes(self.numbers()[::5].tolist())

    def numbers(self) -> array[int]:
        numbers = array("i")
        numbers.frombytes(self.marks)
        return numbers


class Units:
    """The instrumented files of this process, and their marks under process-wide numbers."""

    def __init__(self) -> None:
        self.units: list[InstrumentedUnit] = []
        self.marks: list[Mark] = []
        self._codes: dict[tuple[str, int, str], types.CodeType] = {}
        self._modules: dict[str, list[types.CodeType]] = {}  # by file: code of which that is not known yet
        self._next = 0  # the number of the next mark
        self._routines = 0
        self._blocks = 0
        self._firsts: list[int] = []  # of each unit, its first mark
        self._numbers: dict[int, array[int]] = {}  # of units, as they were packed
        ask_for_details(self._details)

    def add(
        self,
        path: str,
        code_name: str,
        routines: bytes,
        labels: bytes,
        counts: tuple[int, int],
        marks: bytes,
        stored: StoredTables,
    ) -> list[Mark]:
        """Register a file; return its marks, in the file's own order, numbered for the whole process.

        `counts` of routines and blocks; `marks` packs kind, size, routine, block and whether tokened, for each.
        """
        count = len(marks) // (5 * array("i").itemsize)
        while True:
            first, first_routine, first_block = self._next, self._routines, self._blocks
            new = new_marks(first, count)
            unit = InstrumentedUnit(
                path, code_name, routines, labels, marks, stored, first_routine, first_block, counts[1], first
            )
            units, firsts, routines_here, blocks_here = [unit], [first], counts[0], counts[1]
            # From here on nothing is called and nothing made: no other thread comes in between, no signal handler.
            if self._next == first:
                self._next += count
                self._routines += routines_here
                self._blocks += blocks_here
                self._firsts += firsts
                self.units += units
                self.marks += new
                return new

    def _details(self, number: int) -> tuple[int, int, int, int, bool]:
        """What is known of a mark."""
        which = bisect_right(self._firsts, number) - 1
        unit = self.units[which]
        numbers = self._numbers.get(which)
        if numbers is None:
            numbers = self._numbers[which] = unit.numbers()
        at = 5 * (number - unit.mark_base)
        kind, size, routine, block, tokened = numbers[at : at + 5]
        return kind, size, routine + unit.routine_base, block + unit.block_base, tokened != 0

    def codes_of_marks(self, first: int, shift: int) -> Iterator[int]:
        """From a mark on: kind and number in one."""
        for unit in self.units[bisect_right(self._firsts, first) - 1 :] if self._firsts else ():
            kinds = map(lshift, unit.numbers()[::5], repeat(shift))
            codes = map(or_, kinds, itertools.count(unit.mark_base))
            yield from islice(codes, max(first - unit.mark_base, 0), None)

    def remember_code(self, code: types.CodeType) -> None:
        """Keep a module's code objects: they tell where an instruction offset stands in the source."""
        self._modules.setdefault(code.co_filename, []).append(code)

    def code_at(self, file: str, first_line: int, name: str) -> types.CodeType | None:
        """The code object of a recorded function."""
        for code in self._modules.pop(file, ()):
            self._look_into(code)
        return self._codes.get((file, first_line, name))

    def _look_into(self, code: types.CodeType) -> None:
        self._codes.setdefault((code.co_filename, code.co_firstlineno, code.co_name), code)
        for constant in code.co_consts:
            if type(constant) is types.CodeType:
                self._look_into(constant)


class Ids(set[int]):
    """It stands in `co_consts`: debuggers hash code objects, and with them their constants."""

    __hash__ = object.__hash__  # type: ignore[assignment]


UNITS = Units()
RECORDED = Ids()  # ids of all code that is recorded, which is never let go
