"""Whether there is room for a trace: about how much it needs, how much a folder has, and what to do where that is too little.

How large a trace gets is known for sure only when it is written; then it is too late to begin anew, since what has been
written has left memory.
"""

from __future__ import annotations

import os
import sys

_LEAST = 1 << 18  # bytes
_PER_EVENT = 2
_room_of = getattr(os, "statvfs", None)  # not on Windows


def needed(events: int) -> int:
    """Bytes that a trace of so many events needs at most, but for large texts; mostly it is half of that."""
    return _LEAST + _PER_EVENT * events


def room(folder: str) -> int:
    """Bytes that can be written there; of a folder that is not there yet in the next one above it."""
    if _room_of is None:
        return sys.maxsize
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    try:
        found = _room_of(folder)
    except OSError:
        return sys.maxsize  # then the attempt will tell
    return int(found.f_bavail * found.f_frsize)


def is_better(folder: str, other: str, need: int) -> bool:
    """Whether a trace that needs so much had better be written there than to the other folder, which has no room."""
    there = room(other)
    return there < need and room(folder) > there


def advice(need: int) -> str:
    return f"it needs about {max(need >> 20, 1):,} MB: name a file where there is room with --trace (algodebug: -o), or set TMPDIR"
