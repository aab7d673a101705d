"""One recorded run of the user's program: how it was started, where its trace goes, how it ended."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import attrs

from algodebug.dap.arguments import LaunchOptions


@attrs.define
class Run:
    """A run from its launch on.

    `folder` is the one the program started in; `answers_of` the trace of the run that this one repeats.
    """

    trace: Path
    options: LaunchOptions
    folder: Path
    answers_of: Path | None = None
    exit_code: int | None = None

    @property
    def lens_folder(self) -> Path:
        """Where the code lenses are looked up: the folder the client has open, or else the program's."""
        wanted = self.options.workspaceFolder
        return Path(wanted) if wanted else self.folder

    def state(self, status: str, error: dict[str, str] | None = None) -> dict[str, Any]:
        """The state of a session that has no questions: yet, or at all."""
        return {
            "status": status,
            "question": None,
            "result": None,
            "strategy": self.options.strategy or "",
            "strategies": [],
            "history": [],
            "nodes": 0,
            "answered": 0,
            "remaining": 0,
            "trace": str(self.trace),
            "error": error,
            "canUndo": False,
        }

    def why_no_trace(self) -> str:
        """Why there is nothing to ask about, in one sentence."""
        code = self.exit_code
        if (name := _signal_name(code)) is not None:
            return f"No questions: the program was killed ({name}) before its recording could be written."
        if code:
            how = f"the program ended with exit code {code}"
        else:
            how = "the program ended"
        return f"No questions: {how} without leaving a recording. Its output may say why."


def _signal_name(code: int | None) -> str | None:
    # debugpy reports a death by signal N as the low byte of -N.
    if code is None or not 128 < code < 256:
        return None
    try:
        return signal.Signals(256 - code).name
    except ValueError:
        return None
