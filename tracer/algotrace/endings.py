"""Ways in which a process ends, or becomes two, without the interpreter's own goodbye: `os._exit`, `os.abort`,
`exec`, a signal that kills, `fork`.

The recording is told before each, so that the trace is written while it can be. What the program sees stays as it
was: the signal handler that stands for a default action passes for it, and nothing is put in the place of a handler
that the program or its parent has set. Not here: SIGKILL and crashes, after which no code runs, and a call into C
that never comes back to the interpreter, which a signal cannot end before it does.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import contextlib
import functools
import os
import signal
import sys
import threading
from typing import Any, Protocol
from collections.abc import Callable

from algotrace import BUILTINS
from algotrace.collecting import NO_COLLECTION
from algotrace.streams import CUTS, GATE, STREAMS, Stream, all_streams, events_until_now

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_KILLING = ("SIGTERM", "SIGHUP")
_set_mask: Any = getattr(_signal, "pthread_sigmask", None)  # not on Windows


class Recorded(Protocol):
    """What is told."""

    def end(self, kind: str, code: int, text: str) -> None: ...
    def before_exec(self, file: str) -> None: ...
    def before_fork(self) -> None: ...
    def after_fork(self) -> None: ...
    def in_child(self, events: int) -> Any: ...

    again_and_again: Callable[[], None] | None  # to be called by a thread of the recorder's


class DefaultAction(int):
    """A signal handler that does what the default does, after `before`; to the program it looks like SIG_DFL."""

    before: Callable[[int], None]
    has_begun = False

    def __call__(self, number: int, frame: object) -> None:
        if not self.has_begun:
            self.has_begun = True
            self.before(number)
            die_of(number)


def die_of(number: int) -> None:
    _signal.signal(number, _signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _wakes_up(handler: DefaultAction) -> Callable[[], None] | None:
    """What a thread calls again and again, so that a signal ends this process even if it came at a bad moment.

    A handler written in Python runs when the main thread next looks. A signal that comes just before a call that blocks
    (the workers of a pool wait for a lock, and get SIGTERM when the pool is over) leaves it waiting for ever, where the
    default action would have ended the process. It leaves a byte in a pipe, and is sent once more when nothing happens.
    """
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    if (others := _signal.set_wakeup_fd(writer, warn_on_full_buffer=False)) != -1:
        _signal.set_wakeup_fd(others)
        os.close(reader)
        os.close(writer)
        return None
    main, killing = threading.get_ident(), {int(getattr(_signal, name)) for name in _KILLING}
    came: list[int] = []
    read, send, handler_of = os.read, _signal.pthread_kill, _signal.getsignal

    def look() -> None:
        with contextlib.suppress(OSError):  # nothing has come
            came.extend(killing.intersection(read(reader, 64)))
        while came and (handler.has_begun or handler_of(came[-1]) is not handler):
            came.pop()
        if came:
            send(main, came[-1])

    return look


def _is_a_worker() -> bool:
    """Did multiprocessing fork this process? Others may close every file, and then use the numbers for something else."""
    frame = sys._getframe(1)
    for _ in range(20):
        if frame is None:
            break
        if frame.f_code.co_filename.endswith("popen_fork.py"):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


_left_behind: list[Any] = []  # what the parent has recorded, kept alive in a child


def install(recording: Recorded, *, worker: bool) -> Callable[[], None]:
    """Tell `recording` before the process ends in one of these ways, until the function that is returned is called.

    A `worker` was started by multiprocessing.
    """
    before = {name: getattr(os, name) for name in ("_exit", "abort", "execv", "execve")}
    told = [recording]
    handler = DefaultAction(_signal.SIG_DFL)
    _wrap_exits(recording)
    _wrap_exec(recording)
    if os.name == "posix":
        _stand_in_for_default_actions(recording, handler)
        if worker:
            recording.again_and_again = _wakes_up(handler)
        _follow_forks(told, handler)

    def withdraw() -> None:
        """Nothing of the process leads to the recording any more, so that it can go, with all that it knows."""
        for name, function in before.items():
            if getattr(getattr(os, name), "__wrapped__", None) is function:
                setattr(os, name, function)
        for number in map(_signal.__dict__.get, _KILLING):
            if number is not None and _signal.getsignal(number) is handler:
                _signal.signal(number, _signal.SIG_DFL)
        handler.before = die_of
        told.clear()

    return withdraw


def _wrap_exits(recording: Recorded) -> None:
    exit_now, abort = os._exit, os.abort

    @functools.wraps(exit_now)
    def _exit(status: int) -> None:
        if isinstance(status, int):
            recording.end("exit", status & 0xFF, "os._exit")
        exit_now(status)

    @functools.wraps(abort)
    def abort_after() -> None:
        recording.end("signal", 128 + int(_signal.SIGABRT), "SIGABRT")
        abort()

    os._exit, os.abort = _exit, abort_after  # type: ignore[assignment]


def _wrap_exec(recording: Recorded) -> None:
    """`os.execl` and its relatives all come down to these two."""
    for name in ("execv", "execve"):
        original = getattr(os, name)

        def execute(path: Any, *rest: Any, original: Any = original) -> None:
            if isinstance(path, int) or os.access(path, os.X_OK):  # `execvp` tries every folder of $PATH
                recording.before_exec(str(path))
            original(path, *rest)

        setattr(os, name, functools.update_wrapper(execute, original))


def _stand_in_for_default_actions(recording: Recorded, handler: DefaultAction) -> None:
    if threading.current_thread() is not threading.main_thread():
        return

    def write(number: int) -> None:
        recording.end("signal", 128 + number, signal.Signals(number).name)

    handler.before = write
    for name in _KILLING:
        number = getattr(_signal, name)
        if _signal.getsignal(number) == _signal.SIG_DFL:
            # `signal.signal` would take the handler for the number that it passes for.
            _signal.signal(number, handler)


def _follow_forks(told: list[Recorded], handler: DefaultAction) -> None:
    """In a new child Python forgets what signals have come: they have to wait until it has, as the default action of
    one would end the child in any case."""
    killing = [int(getattr(_signal, name)) for name in _KILLING]
    masks: list[Any] = []  # as they were before

    def before() -> None:
        if told:
            told[0].before_fork()
        GATE.before_fork()
        masks[:] = [_set_mask(_signal.SIG_BLOCK, killing)]

    def let_signals_come() -> None:
        if masks:
            _set_mask(_signal.SIG_SETMASK, masks.pop())

    def in_parent() -> None:
        let_signals_come()
        GATE.after_fork()
        if told:
            told[0].after_fork()

    def in_child() -> None:
        GATE.renew()
        NO_COLLECTION.renew()
        if not told:
            let_signals_come()
            return
        events = events_until_now()
        _left_behind.extend(all_streams)
        all_streams[:] = [Stream(STREAMS.own)]
        CUTS.clear()
        told[0].again_and_again = _wakes_up(handler) if _is_a_worker() else None
        _left_behind.append(told[0].in_child(events))
        let_signals_come()

    os.register_at_fork(before=before, after_in_parent=in_parent, after_in_child=in_child)
