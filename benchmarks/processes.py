"""Runs of a program, each in a process of its own: plain, recorded by us, or watched by another tool."""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from installed import PYTHON
from recording import EXCLUDED, RECORDER

HERE = Path(__file__).resolve().parent
SLOW = "slow"


@dataclass
class Run:
    """What one run took; `seconds` is of the work, or of all of the run where it did not end."""

    seconds: float
    memory: int = 0  # peak, when the work has ended
    trace: int = 0  # bytes of what is left on the disk
    saving: float = 0.0  # seconds from the end of the work to that of the process
    failed: str = ""  # SLOW, or the last line of what it said


class Processes:
    def __init__(self, folder: Path, limit: float) -> None:
        self._folder = folder
        self._limit = limit

    def lines(self, program: str, scale: float) -> int:
        """How many lines of the program are executed."""
        return int(self._measured(["workload.py", program, str(scale)], {"BENCHMARK_COUNT": "1"})["lines"])

    def plain(self, program: str, scale: float, environment: dict[str, str] | None = None) -> Run:
        run = self._run(["workload.py", program, str(scale)], environment or {})
        if run.failed:
            raise SystemExit(f"{program}: {run.failed}")
        return run

    def recorded(
        self,
        program: str,
        scale: float,
        exclude: Iterable[str] = (),
        environment: dict[str, str] | None = None,
    ) -> Run:
        words = [word for glob in (*EXCLUDED, *exclude) for word in ("--exclude", glob)]
        command = [
            str(RECORDER),
            "--quiet",
            "--trace",
            str(self._folder / "output" / "run.algotrace"),
            *words,
        ]
        return self._run([*command, str(HERE / "workload.py"), program, str(scale)], environment or {})

    def watched(
        self, tool: str, program: str, scale: float, environment: dict[str, str] | None = None
    ) -> Run:
        command = ["watched.py", tool, str(self._folder / "output"), program, str(scale)]
        return self._run(command, environment or {})

    def _run(self, command: list[str], environment: dict[str, str]) -> Run:
        output = self._folder / "output"
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir()
        measured = self._measured(command, environment)
        if "failed" in measured:
            return Run(measured["seconds"], failed=measured["failed"])
        size = sum(file.stat().st_size for file in output.rglob("*") if file.is_file())
        return Run(measured["work"], measured["memory"], size, measured["save"] + max(0.0, measured["after"]))

    def _measured(self, command: list[str], environment: dict[str, str]) -> dict[str, Any]:
        timed_out = threading.Event()
        report, said = self._folder / "report.json", self._folder / "said.txt"
        report.unlink(missing_ok=True)
        environment = {**os.environ, "PYTHONHASHSEED": "0", "BENCHMARK_REPORT": str(report), **environment}
        if not os.path.isabs(command[0]):
            command = [str(HERE / command[0]), *command[1:]]
        with open(said, "wb") as stream:
            process = subprocess.Popen(
                [PYTHON, *command],
                env=environment,
                cwd=self._folder,
                stdout=stream,
                stderr=stream,
                start_new_session=True,
            )

            def give_up() -> None:
                timed_out.set()
                os.killpg(process.pid, signal.SIGKILL)

            timer = threading.Timer(self._limit, give_up)
            timer.start()
            try:
                _, status, used = os.wait4(process.pid, 0)
            except KeyboardInterrupt:
                os.killpg(process.pid, signal.SIGKILL)
                raise
            finally:
                timer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
        seconds = used.ru_utime + used.ru_stime
        if timed_out.is_set():
            return {"failed": SLOW, "seconds": seconds}
        if process.returncode or not report.exists():
            text = said.read_text(errors="replace").strip().splitlines()
            return {"failed": text[-1] if text else f"exit code {process.returncode}", "seconds": math.nan}
        measured: dict[str, Any] = json.loads(report.read_text())
        measured["after"] = seconds - measured.get("end", 0.0)
        return measured
