"""Runs a piece of work in the process it stands in and reports what it cost; kept out of the recording.

The report goes to the file named by BENCHMARK_REPORT. With BENCHMARK_COUNT set, executed lines are counted instead.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import sysconfig
import time
from collections.abc import Callable
from types import FrameType
from typing import Any


def _nothing() -> None:
    pass


def measure(
    work: Callable[[], object],
    start: Callable[[], object] = _nothing,
    stop: Callable[[], object] = _nothing,
    save: Callable[[], object] = _nothing,
) -> None:
    """`start` and `stop` switch a tool on and off around the work; `save` is what it does afterwards."""
    started = time.process_time()
    report: dict[str, Any] = {"startup": started}
    if os.environ.get("BENCHMARK_COUNT"):
        report["lines"] = _executed_lines(work)
    else:
        gc.collect()
        start()
        before = time.process_time()
        result = work()
        report["work"] = time.process_time() - before
        stop()
        report["memory"] = _peak_memory()
        report["result"] = repr(result)
        before = time.process_time()
        save()
        report["save"] = time.process_time() - before
        report["end"] = time.process_time()
    with open(os.environ["BENCHMARK_REPORT"], "w", encoding="utf-8") as stream:
        json.dump(report, stream)


def _peak_memory() -> int:
    """Bytes. The kernel's own mark of this process image: `ru_maxrss` may still hold what the parent had at the fork."""
    try:
        with open("/proc/self/status", encoding="ascii") as stream:
            for line in stream:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _executed_lines(work: Callable[[], object]) -> int:
    """How many times a line of the user's code was executed."""
    library = (sysconfig.get_paths()["stdlib"], __file__, "<")
    count = 0

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if event == "line":
            count += 1
        return line

    def call(frame: FrameType, event: str, argument: Any) -> Any:
        return None if frame.f_code.co_filename.startswith(library) else line

    sys.settrace(call)
    try:
        work()
    finally:
        sys.settrace(None)
    return count
