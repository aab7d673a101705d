"""A process of `copy_run`: started when first asked, and anew after a question that took it down.

What goes over are pickles from us and JSON lines back; nothing of the trace is run in this process.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_SLACK = 20.0  # seconds on top of a question's own: starting, importing, rebuilding


class Gone(Exception):
    """It died or hung, which only this question can have caused."""


class ReferenceProcess:
    """Runs functions of one version of the program: `setup` says which files that are."""

    def __init__(self, setup: Mapping[str, Any], python: str, folder: str | None) -> None:
        self._setup = dict(setup)
        self._python = python if python and shutil.which(python) else sys.executable
        self._folder = folder if folder and os.path.isdir(folder) else None
        self._process: subprocess.Popen[bytes] | None = None
        self._buffer = b""

    def ask(self, question: Mapping[str, Any]) -> tuple[str | None, str]:
        """The reply to a question. Raises Gone."""
        try:
            process = self._process or self._start()
            assert process.stdin is not None
            pickle.dump(question, process.stdin, protocol=4)
            process.stdin.flush()
            reply = json.loads(self._line(process))
            return reply["verdict"], reply["reason"]
        except (OSError, EOFError, ValueError) as error:
            self.close()
            raise Gone from error

    def _line(self, process: subprocess.Popen[bytes]) -> bytes:
        assert process.stdout is not None
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([process.stdout], [], [], self._setup["timeout"] + _SLACK)
            piece = os.read(process.stdout.fileno(), 65536) if ready else b""
            if not piece:
                raise EOFError
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _start(self) -> subprocess.Popen[bytes]:
        self._buffer = b""
        self._process = process = subprocess.Popen(
            [self._python, str(Path(__file__).parent / "copy_run" / "start.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._folder,
            # Hashes of strings would order sets differently from run to run.
            env={**os.environ, "PYTHONHASHSEED": "0"},
            start_new_session=True,
        )
        assert process.stdin is not None
        pickle.dump(self._setup, process.stdin, protocol=4)
        return process

    def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(
            OSError, AttributeError
        ):  # with what it forked, where there are process groups
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # it was gone already
                    stream.close()
        process.wait()
