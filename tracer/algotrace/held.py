"""What one hook leaves for the next: `c` until `k` is known in `c[k] = v`, the old value until `x.y += v` is.

That is needed where there are no temporaries: in modules, classes, and functions that see their locals. What is worked out
in between may leave something as well, and be ended by an exception before it is taken. So each has the frame it is of:
whoever takes something finds its own.
"""

from __future__ import annotations

import sys
import threading
from types import FrameType
from typing import Any
from collections.abc import Callable

from algotrace import BUILTINS
from algotrace.marks import UNKNOWN

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_FEW = 20  # that may have been left behind before they are looked for
_frame = sys._getframe


class _Held(threading.local):
    def __init__(self) -> None:
        # id of a frame, instruction in it, a mark or None, and what is held
        self.values: list[tuple[int, int, Any, Any]] = []
        self.most = _FEW


_HELD = _Held()


def keep(frame: FrameType, value: Any, mark: Any = None) -> None:
    """Until the frame takes it; with a mark, until it takes what has that one."""
    values, number, at = _HELD.values, id(frame), frame.f_lasti
    if len(values) > _HELD.most:
        _let_go_of_others(frame)
    if values and values[-1][0] == number and values[-1][1] == at:  # nobody came for that one
        values.pop()
    values.append((number, at, mark, value))


def take(frame: FrameType, mark: Any = None) -> Any:
    """What the frame kept last, with the mark or without one; UNKNOWN where it has nothing."""
    values, number = _HELD.values, id(frame)
    for index in range(len(values) - 1, -1, -1):
        if values[index][0] == number and values[index][2] is mark:
            value = values[index][3]
            values[index:] = [entry for entry in values[index + 1 :] if entry[0] == number]
            return value
    return UNKNOWN


def kept_last(frame: FrameType, mark: Any = None) -> Any:
    """The same, but it stays."""
    number = id(frame)
    for other, _, of, value in reversed(_HELD.values):
        if other == number and of is mark:
            return value
    return UNKNOWN


def _let_go_of_others(frame: FrameType | None) -> None:
    """Frames that have ended will not take anything; nor does one take more than one thing from each place."""
    running = set()
    while frame is not None:
        running.add(id(frame))
        frame = frame.f_back
    last = {entry[:2]: index for index, entry in enumerate(_HELD.values)}
    _HELD.values[:] = [
        entry for index, entry in enumerate(_HELD.values) if entry[0] in running and last[entry[:2]] == index
    ]
    _HELD.most = max(_FEW, 2 * len(_HELD.values))


def hold(value: Any) -> Any:
    keep(_frame(1), value)
    return value


def hold_for(mark: Any, value: Any) -> Any:
    """For `note_at_last`."""
    keep(_frame(1), value, mark)
    return value


def note_at_last(note: Callable[..., Any], last: Any, *marks: Any) -> Any:
    """Notes what was held for a call, when the last of its arguments is known, which it gives."""
    held = take(_frame(1), marks[0])
    if held is not UNKNOWN:
        note(*marks, held)
    return last


def let_go() -> Any:
    return take(_frame(1))


def let_go_below() -> Any:
    frame = _frame(1)
    last, below = take(frame), take(frame)
    keep(frame, last)
    return below


HOLDING_HOOKS: dict[str, Any] = {
    "hold": hold,
    "hold_for": hold_for,
    "note_at_last": note_at_last,
    "let_go": let_go,
    "let_go_below": let_go_below,
}
