"""Views of buffers: as long as there is one, a `bytearray` or an `array` cannot change its size.

A view that the program has let go of, and that events still hold, would make an error of what is none unrecorded. So
before such a container changes, its views that nobody holds but the events are released. For that the events are gone
through, once each, and only where a text of the program speaks of views or buffers at all. Not here: views that only a
container holds which only the events hold, and other owners of buffers (`io.BytesIO`, `mmap`).
"""

from __future__ import annotations

import array
import weakref
from itertools import compress, repeat
from operator import is_
from sys import getrefcount
from typing import Any

from algotrace import BUILTINS
from algotrace.streams import GATE, all_streams

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

BUFFERS = (bytearray, array.array)
_WORDS = (b"memoryview", b"buffer")
_OURS = 2  # references that asking for their number makes: a variable and an argument


class _Seen:
    """The views found in the events up to `places`, and how often each is there."""

    __slots__ = ("counts", "expected", "passed_on", "places", "taken")

    def __init__(self) -> None:
        self.expected = False  # whether there may be any
        self.passed_on = False  # whether code that is not recorded may have been given one
        self.places: list[int] = []  # by stream
        self.taken: list[int] = []  # by stream: with events that are not in memory any more, views have gone
        self.counts: dict[int, list[Any]] = {}  # id of a view → [weak reference, number]


_seen = _Seen()


def expect_views(source: bytes) -> bool:
    """A file of the program is loaded. Whether views are to be expected from now on."""
    _seen.expected |= any(word in source for word in _WORDS)
    return _seen.expected


def note_passed_on() -> None:
    _seen.passed_on = True


def are_passed_on() -> bool:
    """Then what is behind a view may have been changed unseen."""
    return _seen.passed_on


def let_go_of_views(buffer: Any) -> None:
    """`buffer` may be about to change its size."""
    if not _seen.expected or not GATE.hold_when_open():
        return
    try:
        _look()
        for address, (reference, count) in list(_seen.counts.items()):
            view = reference()
            if view is None or _is_released(view):
                del _seen.counts[address]
            elif view.obj is buffer and getrefcount(view) == count + _OURS:
                view.release()
    finally:
        GATE.let_go()


def _look() -> None:
    streams = all_streams[:]
    if any(stream.older is None for stream in streams):
        return  # in the middle of a collection
    taken = [stream.taken for stream in streams]
    if taken[: len(_seen.taken)] != _seen.taken:
        _seen.counts.clear()
        _seen.places = []
    _seen.taken = taken
    _seen.places += [0] * (len(streams) - len(_seen.places))
    counts = _seen.counts
    for number, stream in enumerate(streams):
        for piece in stream.later(_seen.places[number]):
            _seen.places[number] += len(piece)
            for view in compress(piece, map(is_, map(type, piece), repeat(memoryview))):
                counts.setdefault(id(view), [weakref.ref(view), 0])[1] += 1


def _is_released(view: memoryview) -> bool:
    try:
        return view.obj is None
    except ValueError:
        return True
