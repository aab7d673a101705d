"""Frames: which is the program's own, when one of ours asks; what has been called from where."""

from __future__ import annotations

from types import FrameType

from algotrace import BUILTINS

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_OWN = "algotrace."


def program_frame(frame: FrameType) -> FrameType:
    """The frame that is not one of ours."""
    while frame.f_back is not None:
        name = dict.get(frame.f_globals, "__name__")
        if type(name) is not str or not name.startswith(_OWN):
            break
        frame = frame.f_back
    return frame


def is_around(number: int, frame: FrameType) -> bool:
    """Whether a frame has been called from one of that id."""
    around = frame.f_back
    while around is not None:
        if id(around) == number:
            return True
        around = around.f_back
    return False


def need_frames(count: int) -> None:
    if count:
        need_frames(count - 1)
