"""Starts a program under the recorder, in an interpreter of its own, and says where the trace is.

The recorder is run by path: the program's interpreter may be any Python 3.10+, without anything of ours installed.
"""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from types import FrameType
from typing import IO


@dataclass
class Recording:
    """What to run and how."""

    program: Sequence[str]  # FILE ARGS… or -m MODULE ARGS… or -c CODE ARGS…
    trace: Path | None = None
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    limit_events: int | None = None
    limit_memory: str | None = None  # "800M", "2G"
    python: str = sys.executable
    # Where the program's standard streams go; None means ours.
    stdin: int | IO[bytes] | None = None
    stdout: int | IO[bytes] | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """A short name of the program, for the trace file."""
        if self.program[0] == "-m":
            return self.program[1].rpartition(".")[2]
        if self.program[0] == "-c":
            return "command"
        return PurePath(self.program[0]).stem

    def run(self) -> tuple[int, Path | None]:
        """The exit code, as a shell reports it, and the trace, if one was left."""
        trace = self._writable_trace()
        command = [self.python, recorder_path(), "--trace", str(trace)]
        for option, patterns in (("--include", self.include), ("--exclude", self.exclude)):
            for pattern in patterns:
                command += [option, pattern]
        if self.limit_events is not None:
            command += ["--limit-events", str(self.limit_events)]
        if self.limit_memory is not None:
            command += ["--limit-memory", self.limit_memory]
        command += self.program
        process = subprocess.Popen(command, stdin=self.stdin, stdout=self.stdout)
        code = _wait(process)
        return (128 - code if code < 0 else code), (trace if trace.exists() else None)

    def _writable_trace(self) -> Path:
        """The path for the trace; in the temporary folder when the wanted one cannot be written."""
        wanted = self.trace or Path(".algodebug", f"{time.strftime('%Y%m%d-%H%M%S')}-{self.name}.algotrace")
        try:
            wanted.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=wanted.parent):
                pass
            if wanted.exists():
                # An old trace must not be taken for the new one.
                wanted.unlink()
        except OSError as error:
            fallback = Path(tempfile.mkdtemp(prefix="algodebug-"), wanted.name or "program.algotrace")
            self.notes.append(
                f"cannot write {wanted}: {error.strerror or error}; the trace goes to {fallback}"
            )
            return fallback
        return wanted.absolute()


def recorder_path() -> str:
    """The file that runs the recorder."""
    found = importlib.util.find_spec("algotrace")
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError("the recorder (algotrace) is not installed")
    return str(Path(found.submodule_search_locations[0], "__main__.py"))


def _wait(process: subprocess.Popen[bytes]) -> int:
    """Waits like a shell: an interrupt from the keyboard reaches the program by itself, a termination is passed on."""

    def pass_on(number: int, frame: FrameType | None) -> None:
        process.send_signal(number)

    def ignore(number: int, frame: FrameType | None) -> None:
        """The program, in the same terminal, decides."""

    previous = {signal.SIGINT: signal.signal(signal.SIGINT, ignore)}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            previous[number] = signal.signal(number, pass_on)
    try:
        return process.wait()
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
