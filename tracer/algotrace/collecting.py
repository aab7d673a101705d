"""A full garbage collection finds what only the recorder still holds, and treats it as it would unrecorded.

When one starts, all that the recorder holds is put into an object that nothing refers to. The collector takes that for
garbage, with whatever the program has let go of: it clears weak references to it and calls their callbacks and the
finalizers. The finalizer of our object is the last one; it takes everything back before anything is destroyed. So
`gc.collect()` has the effects that it has unrecorded, and the trace knows the objects all the same. The more the recorder
holds, the longer it takes: `COST` tells `spill` when that has become too much. Not here: what would have ended at once,
with its last reference; it ends at the next full collection.
"""

from __future__ import annotations

import functools
import gc
from _thread import RLock, interrupt_main as _interrupt_main
from time import thread_time as _thread_time  # as it is before the program runs
from typing import Any, Protocol

from algotrace import BUILTINS
from algotrace.streams import GATE, all_streams
from algotrace.class_tables import forget_classes, look_around

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_FULL = 2  # the generation of a full collection
_get_debug = gc.get_debug
_is_enabled, _enable, _disable = gc.isenabled, gc.enable, gc.disable


class Holder(Protocol):
    """What holds objects of the program for the recorder."""

    def put_aside(self) -> Any:
        """Let go of them, but for what is returned."""

    def take_back(self, aside: Any) -> None: ...


holders: list[Holder] = []  # besides the streams


class _Aside:
    """What a collection is to take for garbage: a cycle that nothing refers to."""

    def __init__(self, held: list[tuple[Holder, Any]]) -> None:
        self.held = held
        self.itself = self
        _address.append(id(self))

    def __del__(self) -> None:
        # Until all is back, others must know that it is not. What a signal handler raises in here is lost, not what we hold.
        raised = None
        while self.held:
            try:
                holder, aside = self.held[-1]
                holder.take_back(aside)
                self.held.pop()
            except BaseException as error:
                raised = error
        _address.clear()
        if raised is not None:
            raise raised


_address: list[int] = []  # of the one that is hidden at present


class _Cost:
    """Processor time of full collections since it was last set to zero."""

    __slots__ = ("_started", "seconds")

    def __init__(self) -> None:
        self.seconds = 0.0
        self._started: float | None = None

    def begin(self) -> None:
        self._started = _thread_time()

    def end(self) -> None:
        if self._started is not None:
            self.seconds += _thread_time() - self._started
            self._started = None


COST = _Cost()


def _at_full_collection(starts: bool) -> None:
    if starts:
        COST.begin()
        if not (_address or _get_debug()) and _hold_gate():
            try:
                look_around()
                forget_classes()
                _Aside([(holder, holder.put_aside()) for holder in (*all_streams, *holders)])
            finally:
                GATE.let_go()
    else:
        COST.end()
        take_back()


class _ByGeneration(dict[str, str]):
    """Its format for a generation and a phase (`0start`) is what stands here for them, nothing; for a full one, it acts."""

    __format__ = dict.__getitem__

    def __missing__(self, generation_and_phase: str) -> str:
        _at_full_collection(generation_and_phase == f"{_FULL}start")
        return ""


# A callback of the collector that calls nothing written in Python for the small collections: they are many, and a trace
# function of the program would be told of each.
at_collection = functools.partial(
    "{0:{2[generation]}{1}}".format,
    _ByGeneration({f"{generation}{phase}": "" for generation in range(_FULL) for phase in ("start", "stop")}),
)


class _NoCollection:
    """While anybody is in here, none begins by itself. Threads may be in it at the same time, and signal handlers come."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._inside = 0
        self._were = False  # they began by themselves before

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                were = _is_enabled()
                _disable()
                self._were = were
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            were = self._were
            self._inside -= 1
            if were and not self._inside:
                _enable()

    def renew(self) -> None:
        """In a forked child: those who were in it are not here any more."""
        self._lock = RLock()
        if self._inside:
            self._inside = 0
            if self._were:
                _enable()


NO_COLLECTION = _NoCollection()


def _hold_gate() -> bool:
    """A spill that begins meanwhile must not find all the objects held. Whatever is raised in here is lost."""
    try:
        return GATE.hold_when_open()
    except KeyboardInterrupt:
        _interrupt_main()  # again, when the collection has ended
        return GATE.hold()


def is_under_way() -> bool:
    """Whether the recorder's things are put aside at present. None begins while somebody holds the gate."""
    return bool(_address)


def take_back() -> None:
    """Where a collector left it alone, and where the process is about to end in the middle of a collection."""
    if _address:
        import _ctypes

        _ctypes.PyObj_FromPtr(_address[0]).__del__()
