"""Peace while the trace is written: what the program did to the process must not reach the code that writes.

The program may have replaced builtins, patched library functions, set a trace function, a signal handler or a timer,
and may have used up its stack. `Undisturbed` takes all that back for the time of the writing and then restores it.
Not here: other threads of the program, which go on.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import builtins
import collections
import contextlib
import functools
import gc
import hashlib
import itertools
import json
import json.encoder
import os
import os.path
import pathlib
import sqlite3
import sys
import time
import types
import zlib
from typing import Any
from collections.abc import Callable

from algotrace.endings import DefaultAction, die_of

set_timer: Any = getattr(_signal, "setitimer", None)  # not on Windows
_TIMERS = (_signal.ITIMER_REAL, _signal.ITIMER_VIRTUAL, _signal.ITIMER_PROF) if set_timer is not None else ()
_STACK = 2000  # frames that writing may need on top of those that are there
_USED = (
    builtins, collections, functools, gc, hashlib, itertools, json, json.encoder, os, os.path, pathlib, sqlite3, sys,
    time, types, zlib,
)  # fmt: skip
_NOT_CODE = frozenset({"modules", "path", "argv", "stdin", "stdout", "stderr", "meta_path", "path_hooks"})


class Undisturbed:
    """A context to write in. Made before the program starts; may be entered often, by one thread at a time.

    In it a first interrupt is only noted, by `interrupted`; a second one raises KeyboardInterrupt. A signal whose
    default action is to kill does so when the context is left.
    """

    def __init__(self, interrupted: Callable[[], None]) -> None:
        self._interrupted = interrupted
        self._namespaces = tuple((vars(module), _code_of(module)) for module in _USED)
        self._update = dict.update  # as they are now: by then the program may have replaced `dict`
        self._theirs: list[dict[str, Any]] = []
        self._handlers: dict[int, Any] = {}
        self._noted: list[int] = []
        self._limit = 0
        self._hooks: tuple[Any, Any] = (None, None)
        self._timers: list[tuple[int, float, float]] = []
        self.goes_on = False  # the program may go on afterwards

    def __enter__(self) -> None:
        self._hooks = (sys.gettrace(), sys.getprofile())
        if "pydevd" not in sys.modules:  # a debugger warns its user when its trace function goes
            sys.settrace(None)
            sys.setprofile(None)
        self._theirs = [{**namespace} for namespace, _ in self._namespaces]
        for namespace, original in self._namespaces:
            self._update(namespace, original)
        self._limit = sys.getrecursionlimit()
        sys.setrecursionlimit(self._limit + _STACK)
        self._noted, self._handlers = [], {}
        # Unrecorded, the process would be gone before a timer of the program rings: its time stands still meanwhile.
        self._timers = [] if self.goes_on else [(which, *set_timer(which, 0)) for which in _TIMERS]
        with contextlib.suppress(ValueError):  # not in the main thread: no handler runs here
            for number in _signal.valid_signals():
                handler = _signal.getsignal(number)
                if callable(handler):
                    _signal.signal(number, self._note)
                    self._handlers[number] = handler

    def __exit__(self, *error: object) -> None:
        for which, delay, interval in self._timers:
            if delay:
                set_timer(which, delay, interval)
        for number, handler in self._handlers.items():
            _signal.signal(number, handler)
        for number in self._noted:
            if type(self._handlers[number]) is DefaultAction:
                die_of(number)
            elif not self.goes_on:
                _signal.signal(number, _signal.SIG_IGN)  # unrecorded, there would be no process any more
        with contextlib.suppress(RecursionError):  # the program is deeper than the limit it had set
            sys.setrecursionlimit(self._limit)
        theirs, update = self._theirs, self._update
        for (namespace, _), changed in zip(self._namespaces, theirs):
            update(namespace, changed)
        self._theirs = []
        if self.goes_on and "pydevd" not in sys.modules:
            sys.setprofile(self._hooks[1])
            sys.settrace(self._hooks[0])

    def _note(self, number: int, frame: object) -> None:
        if number == _signal.SIGINT:
            if number in self._noted:
                raise KeyboardInterrupt
            self._interrupted()
        self._noted.append(number)


def _code_of(module: types.ModuleType) -> dict[str, Any]:
    """A module's functions and classes, but not its state."""
    return {
        name: value
        for name, value in vars(module).items()
        if module is builtins or (callable(value) and name not in _NOT_CODE)
    }
