"""What recording costs, as ratios of recorded to unrecorded runs: time, memory, the size and the writing of the trace.

    python benchmarks/recording.py [--quick] [--repeat N] [NAME…]

Recorded and unrecorded runs alternate, each in a process of its own. Time is CPU time of the work alone; importing
and instrumenting, and writing the trace, are told apart. Every figure is the median of the runs. Nothing here passes
or fails.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from installed import ROOT, install
from rich.console import Console
from rich.table import Table
from workload import WORKLOADS

HERE = Path(__file__).resolve().parent
RECORDER = ROOT / "tracer" / "algotrace" / "__main__.py"
# Not part of any program measured.
EXCLUDED = ("measure.py", "installed.py", "pyperf")
FROM_THE_INDEX = ("richards", "deltablue", "nbody", "markdown", "toml", "sorted containers")


@dataclass
class Row:
    """The figures of one program."""

    name: str
    ratio: float
    seconds: float  # of the work, unrecorded
    events: int
    lines: int
    memory_per_line: float
    memory_with_writing_per_line: float
    trace_per_line: float
    writing: float  # seconds of CPU time per million events
    startup: tuple[float, float]  # unrecorded and recorded


class Bench:
    def __init__(self, folder: Path, scale: float, repeat: int) -> None:
        self._folder = folder
        self._scale = scale
        self._repeat = repeat
        self._trace = folder / "run.algotrace"

    def run(self, name: str) -> Row:
        # Counting lines and a first run of each kind also warm the file caches.
        lines = self._process(name, recorded=False, count=True)["lines"]
        pairs = []
        for _ in range(self._repeat):
            plain = self._process(name, recorded=False)
            recorded = self._process(name, recorded=True)
            if plain["result"] != recorded["result"]:
                raise SystemExit(f"{name}: {recorded['result']} recorded, {plain['result']} unrecorded")
            pairs.append((plain, recorded))
        events = _events(self._trace)

        def median(key: str, which: int) -> float:
            return statistics.median(pair[which][key] for pair in pairs)

        return Row(
            name,
            statistics.median(r["work"] / p["work"] for p, r in pairs),
            median("work", 0),
            events,
            lines,
            (median("memory", 1) - median("memory", 0)) / lines,
            (median("peak", 1) - median("peak", 0)) / lines,
            self._trace.stat().st_size / lines,
            (median("after", 1) - median("after", 0)) / events * 1e6,
            (median("startup", 0), median("startup", 1)),
        )

    def _process(self, name: str, *, recorded: bool, count: bool = False) -> dict[str, Any]:
        report = self._folder / "report.json"
        report.unlink(missing_ok=True)
        self._trace.unlink(missing_ok=True) if recorded else None
        command = [sys.executable]
        if recorded:
            command += [str(RECORDER), "--quiet", "--trace", str(self._trace)]
            command += [word for glob in EXCLUDED for word in ("--exclude", glob)]
        command += [str(HERE / "workload.py"), name, str(self._scale)]
        environment = {
            **os.environ,
            "BENCHMARK_REPORT": str(report),
            "BENCHMARK_COUNT": "1" if count else "",
            "PYTHONHASHSEED": "0",
        }
        process = subprocess.Popen(command, env=environment, cwd=self._folder, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode or not report.exists():
            raise SystemExit(f"{name}: exit code {process.returncode} ({' '.join(command)})")
        measured: dict[str, Any] = json.loads(report.read_text())
        if not count:
            measured["after"] = used.ru_utime + used.ru_stime - measured["end"]
            measured["peak"] = used.ru_maxrss * 1024
        return measured


def _events(trace: Path) -> int:
    with sqlite3.connect(f"file:{trace}?mode=ro", uri=True) as database:
        return int(json.loads(database.execute("SELECT value FROM meta WHERE key = 'events'").fetchone()[0]))


def table(rows: list[Row]) -> Table:
    shown = Table(title="The cost of recording", caption="CPU time of the work, recorded to unrecorded")
    for heading in ("program", "ratio", "seconds", "events", "events/line", "lines"):
        shown.add_column(heading, justify="left" if heading == "program" else "right")
    for heading in ("memory B/line", "… with writing", "trace B/line", "writing s/M events", "start-up s"):
        shown.add_column(heading, justify="right")
    for row in rows:
        shown.add_row(
            row.name,
            f"{row.ratio:.2f}",
            f"{row.seconds:.2f}",
            f"{row.events:,}",
            f"{row.events / row.lines:.2f}",
            f"{row.lines:,}",
            f"{row.memory_per_line:.0f}",
            f"{row.memory_with_writing_per_line:.0f}",
            f"{row.trace_per_line:.1f}",
            f"{row.writing:.2f}",
            f"{row.startup[0]:.2f} → {row.startup[1]:.2f}",
        )
    return shown


def summary(rows: list[Row], title: str) -> str:
    mean = math.exp(statistics.fmean(math.log(row.ratio) for row in rows))
    slowest = max(rows, key=lambda row: row.ratio)
    biggest = max(rows, key=lambda row: row.memory_per_line)
    return (
        f"{title}: geometric mean {mean:.2f}, worst {slowest.ratio:.2f} ({slowest.name}), "
        f"most memory {biggest.memory_per_line:.0f} B/line ({biggest.name})"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="recording", description="What recording costs.")
    parser.add_argument("--quick", action="store_true", help="a quarter of the work, one run of each kind")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="pairs of runs (default: 5)")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these programs")
    options = parser.parse_args(arguments)
    install()
    console = Console(width=None if sys.stdout.isatty() else 150)
    unknown = set(options.names) - set(WORKLOADS)
    if unknown:
        parser.error(f"no such program: {', '.join(unknown)}; there are {', '.join(WORKLOADS)}")
    rows = []
    with tempfile.TemporaryDirectory(prefix="algodebug-bench-") as folder:
        bench = Bench(Path(folder), 0.25 if options.quick else 1.0, 1 if options.quick else options.repeat)
        for name in options.names or WORKLOADS:
            with console.status(name):
                rows.append(bench.run(name))
    console.print(table(rows))
    indexed = [row for row in rows if row.name in FROM_THE_INDEX]
    if indexed:
        console.print(summary(indexed, "from the package index"))
    console.print(summary(rows, "all"))


if __name__ == "__main__":
    main()
