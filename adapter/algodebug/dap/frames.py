"""Takes what the recorder adds to a running program out of what the debugger shows of it.

The recorder's own frames, with what lies beneath its runner, and the variables in which instrumented code keeps
intermediate results. Their names start with "@", which nobody can type.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

TEMPORARY = "@"


def trim_stack(frames: list[dict[str, Any]], recorder: Path) -> list[dict[str, Any]]:
    """The frames that are the user's or a library's, topmost first as they came.

    Beneath the runner there is only what started it; a loader of ours in mid-stack just goes.
    """
    runner = str(recorder / "__main__.py")
    bottom = next((at for at, frame in enumerate(frames) if _path(frame) == runner), len(frames))
    return [frame for frame in frames[:bottom] if not _path(frame).startswith(str(recorder) + os.sep)]


def page(frames: list[dict[str, Any]], start: object, levels: object) -> dict[str, Any]:
    """The body of an answer to `stackTrace` for the frames a client asked for."""
    first = start if isinstance(start, int) and start > 0 else 0
    count = levels if isinstance(levels, int) and levels > 0 else len(frames)
    return {"stackFrames": frames[first : first + count], "totalFrames": len(frames)}


def trim_variables(variables: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The variables that a user can have written."""
    return [variable for variable in variables if not _is_temporary(variable.get("name"))]


def trim_completions(targets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The completions that a user can type."""
    return [target for target in targets if not _is_temporary(target.get("label"))]


def trim_traceback(text: str, recorder: Path) -> str:
    """The text of a traceback without the recorder's entries."""
    entry = rf'^  File "{re.escape(str(recorder))}{re.escape(os.sep)}[^"\n]*", line .*\n(?:    .*\n?)*'
    return re.sub(entry, "", text, flags=re.MULTILINE)


def _is_temporary(name: object) -> bool:
    return isinstance(name, str) and name.startswith(TEMPORARY)


def _path(frame: dict[str, Any]) -> str:
    source = frame.get("source")
    path = source.get("path") if isinstance(source, dict) else None
    return path if isinstance(path, str) else ""
