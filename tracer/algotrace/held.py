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

from algotrace import BUILTINS
from algotrace.marks import UNKNOWN

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_FEW = 20  # that may have been left behind before they are looked for
_frame = sys._getframe


class _Held(threading.local):
    def __init__(self) -> None:
        self.values: list[tuple[int, int, Any]] = []  # id of a frame, instruction in it, and what it holds
        self.most = _FEW


_HELD = _Held()


def keep(frame: FrameType, value: Any) -> None:
    """Until the frame takes it."""
    values, number, at = _HELD.values, id(frame), frame.f_lasti
    if len(values) > _HELD.most:
        _let_go_of_others(frame)
    if values and values[-1][0] == number and values[-1][1] == at:  # nobody came for that one
        values.pop()
    values.append((number, at, value))


def take(frame: FrameType) -> Any:
    """What the frame kept last; UNKNOWN where it has nothing."""
    values, number = _HELD.values, id(frame)
    for index in range(len(values) - 1, -1, -1):
        if values[index][0] == number:
            value = values[index][2]
            del values[index:]
            return value
    return UNKNOWN


def kept_last(frame: FrameType) -> Any:
    """The same, but it stays."""
    number = id(frame)
    for other, _, value in reversed(_HELD.values):
        if other == number:
            return value
    return UNKNOWN


def _let_go_of_others(frame: FrameType | None) -> None:
    """Frames that have ended will not take anything; nor does one take more than one thing from each place."""
    running = set()
    while frame is not None:
        running.add(id(frame))
        frame = frame.f_back
    last = {(number, at): index for index, (number, at, _) in enumerate(_HELD.values)}
    _HELD.values[:] = [
        entry
        for index, entry in enumerate(_HELD.values)
        if entry[0] in running and last[entry[0], entry[1]] == index
    ]
    _HELD.most = max(_FEW, 2 * len(_HELD.values))


def hold(value: Any) -> Any:
    keep(_frame(1), value)
    return value


def let_go() -> Any:
    return take(_frame(1))


def let_go_below() -> Any:
    frame = _frame(1)
    last, below = take(frame), take(frame)
    keep(frame, last)
    return below


HOLDING_HOOKS: dict[str, Any] = {"hold": hold, "let_go": let_go, "let_go_below": let_go_below}
