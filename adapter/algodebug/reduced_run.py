"""One run of a reduced program under the recorder: in a folder and a process of its own, ended when it takes too long.

The files are a copy of the sources of the recorded run, some of them reduced, that holds nothing else.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path, PurePath

from algodebug.recording import recorder_path
from algotrace.trace import Trace, TraceError


class ReducedRun:
    """Made, run (by any thread), then looked at, then closed."""

    def __init__(self, trace: Trace, texts: dict[int, str]) -> None:
        self.trace = trace
        self.texts = texts
        self.why = ""  # it left no trace
        self._temporary = tempfile.TemporaryDirectory(prefix="algodebug-reduced-")
        self.folder = Path(self._temporary.name)
        self._process: subprocess.Popen[bytes] | None = None
        self._cancelled = threading.Event()
        paths = [trace.sources[number].path for number in range(len(trace.sources))]
        root = os.path.commonpath([os.path.dirname(path) for path in paths])
        cwd = str(trace.environment.get("cwd") or "")
        if os.path.isabs(cwd) and is_inside(root, cwd):
            root = cwd  # arguments name files from there
        self.root = root
        for number, path in enumerate(paths):
            copy = self.copy_of(path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(texts.get(number, trace.sources[number].text), encoding="utf-8")
        for path in paths:  # what makes folders packages, though nothing in it ran
            for above in PurePath(path).parents:
                marker = above / "__init__.py"
                if not above.is_relative_to(root) or not os.path.exists(marker):
                    break
                if not self.copy_of(str(marker)).exists():
                    shutil.copyfile(marker, self.copy_of(str(marker)))

    def copy_of(self, path: str) -> Path:
        return self.folder / "program" / os.path.relpath(path, self.root)

    @property
    def _output(self) -> Path:
        return self.folder / "run.algotrace"

    def run(self, seconds: float) -> None:
        """Waits for it to end. Touches nothing of the trace but what was read when that was opened."""
        if self._cancelled.is_set():
            return
        command, here, path = self._command()
        self._process = process = subprocess.Popen(
            command,
            cwd=here,
            env={**os.environ, "PYTHONPATH": path, "ALGOTRACE_CACHE": ""},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        if self._cancelled.is_set():
            _end(process)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.why = f"a run of it takes more than {seconds:.0f} seconds"
        finally:
            _end(process)

    def cancel(self) -> None:
        """Ends it, now or when it begins."""
        self._cancelled.set()
        if self._process is not None:
            _end(self._process)

    def result(self) -> Trace | None:
        """Its trace; None (and `why`) where it did not come to an end that leaves one."""
        if self.why:
            return None
        try:
            return Trace.open(self._output)
        except (TraceError, OSError):
            self.why = "a run of it leaves no recording"
            return None

    def close(self) -> None:
        """Its files go."""
        with contextlib.suppress(OSError):
            self._temporary.cleanup()

    def _command(self) -> tuple[list[str], Path, str]:
        """The command, the folder it runs in, and where it looks for modules."""
        environment, output = self.trace.environment, self._output
        cwd = str(environment.get("cwd") or "")
        program, copied = str(environment["program"]), self.copy_of(self.root)
        arguments = [str(argument) for argument in environment.get("arguments") or ()]
        here = self.copy_of(cwd) if os.path.isabs(cwd) and is_inside(cwd, self.root) else copied
        if environment["kind"] == "file":
            target = [str(self.copy_of(os.path.join(cwd, program)))]
        else:
            target = ["-m", program]
        if environment["kind"] == "file" and os.path.isdir(cwd):
            here = Path(cwd)  # files are read from where it ran
        python = str(environment.get("executable") or "")
        command = [python if shutil.which(python) else sys.executable, recorder_path(), "--quiet"]
        command += ["--trace", str(output), "--include", f"{copied}/**", *target, *arguments]
        path = os.pathsep.join(filter(None, [str(copied), os.environ.get("PYTHONPATH", "")]))
        return command, here, path


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and those it started."""
    if process.poll() is None:
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()


def is_inside(path: str, root: str) -> bool:
    return PurePath(path).is_relative_to(root)
