"""Bounded memory: the oldest events leave it for the trace file while the program runs.

A `Spill` takes events out of the streams, numbers the objects in them, tells the indexer, writes the numbers and lets
go of what only we still hold. At the end `finish` does the same with what is left. A `Watch` is the thread that looks
after the limits. What it does is nothing to the program: no code of it is called (what is let go ends in the garbage
collector, in the program's threads), the trace file is open only while the program is held at the gate, and no
function is used that the program may have replaced since. Not here: what the trace says, see `finish`.
"""

from __future__ import annotations

import contextlib
import gc
import os
import _signal  # type: ignore[import-not-found]
import sys
import threading
import time
import _thread
from _thread import allocate_lock, get_native_id, interrupt_main as _interrupt_main
from array import array
from typing import Any, NamedTuple
from collections.abc import Callable, Iterator

from algotrace import BUILTINS, collecting
from algotrace.deletions import forget as forget_deletions
from algotrace.index import Indexer
from algotrace.marks import PASSED, Mark
from algotrace.objects import ObjectTable, user_modules
from algotrace.streams import CUTS, GATE, UNITS, Stream, all_streams, note_cut
from algotrace.trace_file import EVENTS_PER_PART, Writer
from algotrace.undo import COPIED
from algotrace.writes import WriteFinder

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

MOST_EVENTS = 1 << 24  # in memory, when nothing else is said
FEW_EVENTS = 1 << 18  # so few may stay in memory, however little of it is left
# Seconds that full collections may take until what only we hold is let go, and for each event, as that takes time, too.
SLOW, SLOW_PER_EVENT = 1.0, 2e-6
HANDFUL = 1 << 12  # so few events stay in memory then
FEW_ENOUGH = 1 << 6  # … and where they may hold very much
GROWTH = (
    1 << 28
)  # bytes, besides half as much again, by which the process may grow until it is written what events hold
USUAL = 1 << 6  # bytes that an event may hold besides
BATCH = 1 << 19  # events that are taken at once
_LEAST_BATCH = 500
_LEAST_RESERVE = 1 << 18  # bytes
_NEVER = -2
_PATIENCE = 2  # times that a program that is to stop is interrupted as by Ctrl+C

# A debugger that follows new threads keeps the original under this name; it need not see ours.
_start_new_thread = getattr(_thread, "_original_start_new_thread", _thread.start_new_thread)
_monotonic, _thread_time, _sleep = time.monotonic, time.thread_time, time.sleep
_process, _access, _is_there, _environment = os.getpid, os.access, os.path.isdir, os.environ
_handler_of, _main_thread = _signal.getsignal, threading.main_thread
_signal_mask = getattr(_signal, "pthread_sigmask", None)  # not on Windows
_open, _read, _close, _system, _mkdir = os.open, os.read, os.close, getattr(os, "sysconf", None), os.mkdir


def _interrupt(times: int) -> None:
    """Interrupts the main thread. Where the program does not hear of it (it runs in the background of a script, which
    ignores the signal, or has a handler that goes on), KeyboardInterrupt is raised in it all the same.
    """
    if times <= _PATIENCE and callable(_handler_of(_signal.SIGINT)):
        _interrupt_main()
        return
    with contextlib.suppress(ImportError):
        import ctypes

        main = ctypes.c_ulong(_main_thread().ident or 0)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(main, ctypes.py_object(KeyboardInterrupt))


class Spill:
    """What has left memory, and how to go on."""

    def __init__(self, path: str, main_path: Callable[[], str], *, batch: int = BATCH) -> None:
        """Begins a trace file. Raises OSError."""
        self.writer = Writer(path)
        self._names: set[str] = {"__main__"}
        self.table = ObjectTable(UNITS, self._names.__contains__, self.writer)
        collecting.holders.append(self.table)
        self.indexer = Indexer(UNITS, WriteFinder(self.table.number, self.table.first_seen))
        self.modules: dict[str, dict[str, Any]] = {}
        self.main_path = main_path
        self._root = _NEVER
        self._batch = batch
        self._codes = array("I")  # those of the part that is not complete
        self._parts = 0
        self._since_release = 0
        self.rounds = [0]  # times between which the order in which threads did something is not known
        self._alive = 0  # objects that were kept when circles among them were last looked for

    @property
    def events(self) -> int:
        return self.indexer.end

    @property
    def root_routine(self) -> int | None:
        """That of the main module, once it is known."""
        return None if self._root == _NEVER else self._root

    def open(self) -> None:
        """To go on, after the file was closed or even finished."""
        if self.writer.finished:
            self.writer.reopen()
        self.writer.open()

    def abandon(self) -> None:
        try:
            self.writer.abandon()
        except OSError:
            return

    def look_around(self) -> None:
        """New modules may be there, the main one among them."""
        self.modules = user_modules({unit.path for unit in UNITS.units}.__contains__)
        self._names.update(self.modules)
        if self._root == _NEVER:
            self._root = _root_routine(self.main_path())

    def take(self, most: int, *, release: bool = False) -> None:
        """While the program runs: take events until at most that many are in memory. Raises OSError.

        What only we hold is let go now and then, or `release`: in any case.
        """
        self.look_around()
        note_cut()  # nobody leaves events meanwhile
        while count_events() > most:
            taken = 0
            cut = CUTS[0] if CUTS else None
            for number, stream in enumerate(all_streams[:]):
                count = max(min(self._batch, count_events() - most), 1)
                if cut is None:
                    taken += self._take(stream, count, rest=False, running=True)
                elif number < len(cut):
                    taken += self._take_until(stream, count, cut[number], running=True)
            if not taken and cut is not None:
                self._begin_round()
            elif not taken:
                break
        if release:
            self._release(running=True, circles=True)

    def take_all(self) -> None:
        """At the end: in the order that is known, else one thread after the other."""
        self.look_around()
        while CUTS:
            for stream, end in zip(all_streams[:], CUTS[0]):
                while self._take_until(stream, self._batch, end, running=False):
                    continue
            self._begin_round()
        for stream in list(all_streams):
            while len(stream):
                self._take(stream, self._batch, rest=True, running=False)

    def write_rest(self) -> None:
        self._write_codes(all_of_them=True)

    def _begin_round(self) -> None:
        """All that came before an instant has been taken."""
        CUTS.popleft()
        if self.indexer.end > self.rounds[-1]:
            self.rounds.append(self.indexer.end)

    def _take_until(self, stream: Stream, count: int, end: int, *, running: bool) -> int:
        """Takes some of the events that a thread had left before an instant; but for a last one that is not complete."""
        left = end - stream.taken
        if left <= 0:
            return 0
        count = min(count, left)
        events = stream.oldest(count)
        if count < left or not _is_complete(events):
            _cut_before_mark(events)
        if not events and count < left:
            return self._take_until(stream, 2 * count, end, running=running)
        return self._taken(stream, events, running=running) if events else 0

    def _take(self, stream: Stream, count: int, *, rest: bool, running: bool) -> int:
        while True:
            events = stream.oldest(count)
            if rest and len(stream) <= count:
                break
            _cut_before_mark(events)
            if events or len(stream) <= count:
                break
            count *= 2  # many values without a mark between them
        return self._taken(stream, events, running=running) if events else 0

    def _taken(self, stream: Stream, events: list[Any], *, running: bool) -> int:
        stream.drop(len(events))
        codes = self.table.event_codes(events, self.indexer.end)
        stream.reading = self.indexer.read(stream.reading, events, codes, self._root)
        self._codes.extend(codes)
        self._write_codes(all_of_them=False)
        taken = len(events)
        events.clear()
        self._since_release += taken
        if running:
            self._reserve()
            self.writer.commit()
        if self._since_release >= max(self._batch, self.table.kept // 4):
            self._release(running=running, circles=False)
        return taken

    def _release(self, *, running: bool, circles: bool) -> None:
        """Let go of what only we hold; of `circles` where there may be many, if nothing else is said."""
        self._since_release = 0
        forget_deletions()
        self.table.release(running=running)
        if running and (circles or self.table.alive > 2 * self._alive + self._batch):
            self.table.release_circles()
            self._alive = self.table.alive

    def _reserve(self) -> None:
        """Put by what the tables need that are written in the end."""
        indexer = self.indexer
        size = 10 * len(indexer.parents) + indexer.end // 2 + 40 * self.table.alive
        size += sum(len(unit.stored.text) + len(unit.stored.tables) for unit in UNITS.units)
        self.writer.reserve(_LEAST_RESERVE + size)

    def _write_codes(self, *, all_of_them: bool) -> None:
        codes = self._codes
        complete = len(codes) - len(codes) % EVENTS_PER_PART
        self._parts = self.writer.events(codes[:complete], self._parts)
        del codes[:complete]
        if all_of_them and codes:
            self.writer.events(codes, self._parts)  # again when there are more


class Limits(NamedTuple):
    """What a program may leave and need, and what may stay in memory."""

    events: int | None
    memory: int | None  # bytes
    in_memory: int = MOST_EVENTS  # events


@contextlib.contextmanager
def _no_signals() -> Iterator[None]:
    """A thread started in here takes no signals: what wakes it would not wake the program's main thread, which handles them."""
    if _signal_mask is None:
        yield
        return
    before = _signal_mask(_signal.SIG_BLOCK, _signal.valid_signals())
    try:
        yield
    finally:
        _signal_mask(_signal.SIG_SETMASK, before)


class Spilling:
    """The recording's memory, and the thread that looks after it while the program runs."""

    def __init__(
        self, limits: Limits, path: str, main_path: Callable[[], str], say: Callable[[str], None]
    ) -> None:
        self.limits = limits
        self.folder = ""  # where what was spilled is
        self.lost = False  # it could not be written, which has been said
        self.at_limit = False  # the program is being stopped
        self._path = path
        self._main_path = main_path
        self._say = say
        self.write_early: Callable[[Spill, str], str] | None = None  # gives the trace's path
        self._spill: Spill | None = None
        self._cannot = False
        self.again_and_again: Callable[[], None] | None = None  # something else that the thread does
        self._at_collection: Any = None  # starts the thread
        self._thread = 0  # the system's number of it
        self._awaited: list[Any] = []  # locks: to end the thread, and when it has ended
        self._enough = all_memory() // 4 or sys.maxsize
        self._batch = max(min(BATCH, limits.in_memory // 2), _LEAST_BATCH)
        self._few = min(FEW_EVENTS, limits.in_memory)
        self._slow = SLOW
        self._grown = _allowed_to_grow()
        self._interval = 0.05 if limits.in_memory > 1 << 20 else 0.0001

    @property
    def spilled(self) -> int:
        return self._spill.events if self._spill is not None else 0

    # -- the thread ------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Look after the limits from now on."""
        if not self._awaited:
            end, ended = allocate_lock(), allocate_lock()
            end.acquire()
            ended.acquire()
            try:
                with _no_signals():
                    _start_new_thread(self._watch, (end, ended))
            except RuntimeError:  # the interpreter is about to end
                return
            self._awaited = [end, ended]

    def pause(self) -> None:
        """The thread has ended when this returns, what it was about included."""
        self._forget_start()
        if self._awaited:
            (end, ended), self._awaited = self._awaited, []
            end.release()
            ended.acquire(timeout=60)
            until = _monotonic() + 0.1  # the system may take it for alive a little longer
            while (
                self._thread and _access(f"/proc/self/task/{self._thread}", os.F_OK) and _monotonic() < until
            ):
                _sleep(0)

    def start_later(self) -> None:
        """`start`, at the next garbage collection: right after a fork Python warns of every other thread that it finds."""

        process = _process()

        def at_collection(phase: str, information: dict[str, int]) -> None:
            if self._forget_start() and _process() == process:
                self.start()

        self._forget_start()
        self._at_collection = at_collection
        gc.callbacks.append(at_collection)

    def _forget_start(self) -> bool:
        """Whether a start was still to come."""
        pending, self._at_collection = self._at_collection, None
        if pending not in gc.callbacks:
            return False
        gc.callbacks.remove(pending)
        return True

    def _watch(self, end: Any, ended: Any) -> None:
        self._thread = get_native_id()
        said, times = 0.0, 0
        try:
            while not end.acquire(timeout=self._interval):
                if len(all_streams) > 1:
                    note_cut()
                if self.again_and_again is not None:
                    self.again_and_again()
                try:
                    self._look(end)
                except (
                    BaseException
                ) as error:  # a fault of ours, or no memory: the program goes on as it would
                    self._give_up(f"{type(error).__name__} while writing the trace")
                if self.at_limit and _monotonic() - said > 1:
                    said, times = _monotonic(), times + 1
                    _interrupt(times)
        finally:
            ended.release()

    def _look(self, end: Any) -> None:
        events, limits = count_events(), self.limits
        if self.lost:
            self._drop()
        elif events > limits.in_memory:
            self._take(limits.in_memory)
        elif events > self._few and resident_memory() > min(self._enough, limits.memory or sys.maxsize):
            self._take(self._few // 2)
        elif COPIED.parts > limits.in_memory or resident_memory() > self._grown + USUAL * events:
            # Few events may hold much: copies of containers, texts that grow with each turn of a loop.
            self._take(FEW_ENOUGH, release=True)
            COPIED.parts = 0
            _give_back_memory()
            self._grown = _allowed_to_grow()
        elif collecting.COST.seconds > self._slow + events * SLOW_PER_EVENT:
            began = _thread_time()
            self._take(HANDFUL, release=True)
            self._slow = max(SLOW, 2 * (_thread_time() - began))
            collecting.COST.seconds = 0.0
        if self.at_limit:
            return
        if limits.events is not None and self.spilled + count_events() >= limits.events:
            self._stop(f"stopped after {limits.events:,} events (--limit-events)")
        elif limits.memory is not None and resident_memory() > limits.memory:
            self._stop(f"stopped at {limits.memory >> 20:,} MiB of memory (--limit-memory)")

    def _stop(self, why: str) -> None:
        """As Ctrl+C does, again and again until it ends; see `_interrupt`."""
        self.at_limit = True
        self._say(why)

    # -- spilling --------------------------------------------------------------------------------------------------

    def _take(self, most: int, *, release: bool = False) -> None:
        if self._cannot:
            return
        while (
            collecting.is_under_way()
        ):  # Python often changes threads in the middle of a collection, where it lasts
            _sleep(0.0001)
        with GATE:
            if collecting.is_under_way():
                return
            with collecting.NO_COLLECTION:  # finalizers of the program must not run in this thread
                try:
                    spill = self._begin()
                    if spill is not None:
                        spill.take(most, release=release)
                        spill.writer.close()
                except OSError as error:
                    self._end_early(error.strerror or str(error))

    def _begin(self) -> Spill | None:
        """The spill, open; None where there is no place for it."""
        if self._spill is not None:
            self._spill.open()
            return self._spill
        name = self._path.rpartition(os.sep)[2]
        for path in (self._path, f"{temporary_folder()}{os.sep}{name}"):
            folder = path.rpartition(os.sep)[0]
            try:
                if not _is_there(folder):
                    _mkdir(folder)
                self._spill = Spill(path, self._main_path, batch=self._batch)
            except OSError:
                continue
            self.folder = folder
            return self._spill
        self._cannot = True
        return None

    def open(self, path: str) -> Spill:
        """At the end: what was spilled, or if that is nothing, a new file. Raises OSError."""
        if self._spill is None:
            self._spill = Spill(path, self._main_path, batch=self._batch)
        else:
            self._spill.open()
        return self._spill

    def _end_early(self, why: str) -> None:
        """No more can be written: what has been becomes a trace, with what was put by."""
        path = self._spill.writer.partial if self._spill is not None else self._path
        if self._spill is not None and self.write_early is not None:
            try:
                self._spill.writer.use_reserve()
                written = self.write_early(self._spill, why)
            except OSError:
                pass
            else:
                self.lost = True
                events = self._spill.events
                self._say(f"cannot write on ({why}); the trace is {written}, up to event {events:,}")
                return
        self._give_up(f"cannot write {path} ({why})")

    def _give_up(self, why: str) -> None:
        self.lost = True
        self._say(f"{why}; the run is not recorded")
        if self._spill is not None:
            self._spill.abandon()

    def _drop(self) -> None:
        """What nobody will read any more. It goes by way of the garbage collector, whose thread is the program's."""
        if count_events() > self._few:
            with GATE:
                for stream in list(all_streams):
                    trash = stream.oldest(len(stream))
                    stream.drop(len(trash))
                    trash.append(trash)

    def let_all_go(self) -> None:
        """When the trace is written: what only we have kept alive."""
        if self._spill is not None:
            self._spill.table.let_all_go()


def _cut_before_mark(events: list[Any]) -> None:
    """What follows the last mark may not be all that belongs to it: it stays for the next time.

    So does a mark which tells of the call that comes next.
    """
    place = cut = _mark_before(events, len(events))
    while place > 0:
        place = _mark_before(events, place)
        if type(events[place]) is not Mark or events[place].kind != PASSED:
            break
        cut = place
    del events[max(cut, 0) :]


def _is_complete(events: list[Any]) -> bool:
    """Whether the last mark has all its values."""
    place = _mark_before(events, len(events))
    mark = events[place] if place >= 0 else None
    return type(mark) is not Mark or place + 1 + mark.size <= len(events)


def _mark_before(events: list[Any], place: int) -> int:
    place -= 1
    while place > 0 and type(events[place]) is not Mark:
        place -= 1
    return place


def temporary_folder() -> str:
    return _environment.get("TMPDIR") or "/tmp"


def _root_routine(main_path: str) -> int:
    """The routine that stands for the program: the main module's, or one of no code after all others."""
    for unit in UNITS.units:
        if unit.path == main_path:
            for number, routine in enumerate(unit.routines()):
                if routine.kind == "module":
                    return unit.routine_base + number
    return _NEVER


def count_events() -> int:
    """In memory."""
    return sum(map(len, all_streams))


def resident_memory() -> int:
    """Bytes; 0 where it cannot be told."""
    try:
        file = _open("/proc/self/statm", os.O_RDONLY)
        try:
            return int(_read(file, 200).split()[1]) * _PAGE
        finally:
            _close(file)
    except (OSError, ValueError, IndexError):
        return 0


def _give_back_memory() -> None:
    """What has been let go of may be in many small pieces, which the C library keeps; else the process seems to grow."""
    with contextlib.suppress(Exception):
        import _ctypes

        trim = _ctypes.dlsym(_ctypes.dlopen(None, 0), "malloc_trim")  # type: ignore[arg-type]
        _ctypes.call_function(trim, (0,))


def _allowed_to_grow() -> int:
    """Bytes that the process may have before events are written again."""
    now = resident_memory()
    return now + max(GROWTH, now // 4)


def all_memory() -> int:
    """Bytes of the machine; 0 where it cannot be told."""
    try:
        return int(_system("SC_PHYS_PAGES")) * _PAGE if _system is not None else 0
    except (OSError, ValueError):
        return 0


_PAGE = os.sysconf("SC_PAGESIZE") if hasattr(os, "sysconf") else 4096
