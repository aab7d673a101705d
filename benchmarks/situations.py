"""Three situations apart: library code, large arguments passed down many calls, the start-up of a large package.

    python benchmarks/situations.py [--quick] [--repeat N]

Recorded and unrecorded runs alternate; figures are medians of CPU time. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from installed import FOLDER, install
from processes import Processes, Run
from rich.console import Console
from rich.table import Table

LIBRARY = ("markdown", "toml", "jinja2", "pyparsing", "sorted containers", "deltablue", "logging", "deepcopy")
LARGE_PACKAGE = "import of sympy"


def _median(runs: list[Run]) -> float:
    return statistics.median(run.seconds for run in runs)


def library_code(processes: Processes, scale: float, repeat: int) -> Table:
    table = Table(
        title="Library code: the same programs, taken as libraries and not recorded",
        caption="what calls them is recorded",
    )
    for heading in ("program", "ratio", "seconds unrecorded", "seconds recorded"):
        table.add_column(heading, justify="left" if heading == "program" else "right")
    for name in LIBRARY:
        plain, recorded = [], []
        for _ in range(repeat):
            plain.append(processes.plain(name, scale))
            recorded.append(processes.recorded(name, scale, [str(FOLDER)]))
        ratio = statistics.median(r.seconds / p.seconds for p, r in zip(plain, recorded, strict=True))
        table.add_row(name, f"{ratio:.2f}", f"{_median(plain):.3f}", f"{_median(recorded):.3f}")
    return table


def large_arguments(processes: Processes, repeat: int) -> Table:
    table = Table(title="A list passed down 10,000 calls")
    headings = (
        "",
        "unrecorded, 10",
        "unrecorded, 100,000",
        "recorded, 10",
        "recorded, 100,000",
        "100,000 to 10",
        "trace, 10",
        "trace, 100,000",
    )
    for heading in headings:
        table.add_column(heading, justify="left" if not heading else "right")
    for what, name in (
        ("as it is", "passing"),
        ("an element changed in each tenth call", "passing and changing"),
    ):
        runs: dict[tuple[bool, int], list[Run]] = {}
        for _ in range(repeat):
            for size in (10, 100_000):
                runs.setdefault((False, size), []).append(processes.plain(name, size))
                runs.setdefault((True, size), []).append(processes.recorded(name, size))
        small, large = runs[True, 10], runs[True, 100_000]
        ratio = statistics.median(b.seconds / a.seconds for a, b in zip(small, large, strict=True))
        times = [
            f"{_median(runs[key]) * 1000:.2f} ms"
            for key in ((False, 10), (False, 100_000), (True, 10), (True, 100_000))
        ]
        sizes = [
            f"{statistics.median(run.trace for run in group) / 1024:,.0f} KB" for group in (small, large)
        ]
        table.add_row(what, *times, f"{ratio:.2f}", *sizes)
    return table


def start_up(processes: Processes, folder: Path, repeat: int) -> Table:
    """The first import of a package that Python has not compiled and we have not rewritten yet, and the next one."""
    table = Table(title=f"Start-up: {LARGE_PACKAGE}")
    for heading in (
        "",
        "unrecorded s",
        "recorded s",
        "ratio",
        "to the second unrecorded",
        "writing the trace s",
    ):
        table.add_column(heading, justify="left" if not heading else "right")
    runs: dict[tuple[str, bool], list[Run]] = {}
    for turn in range(repeat):
        caches = {
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": str(folder / f"compiled-{turn}"),
            "ALGOTRACE_CACHE": str(folder / f"rewritten-{turn}"),
        }
        for which in ("first", "second"):
            runs.setdefault((which, False), []).append(processes.plain(LARGE_PACKAGE, 1, caches))
            recorded = {**caches, "PYTHONPYCACHEPREFIX": str(folder / f"compiled-{turn}-recorded")}
            runs.setdefault((which, True), []).append(processes.recorded(LARGE_PACKAGE, 1, (), recorded))
    second = _median(runs["second", False])
    for which in ("first", "second"):
        plain, recorded_runs = _median(runs[which, False]), runs[which, True]
        failed = next((run.failed for run in recorded_runs if run.failed), "")
        if failed:
            table.add_row(f"{which} import", f"{plain:.2f}", failed)
            continue
        ours = _median(recorded_runs)
        saving = statistics.median(run.saving for run in recorded_runs)
        table.add_row(
            f"{which} import",
            f"{plain:.2f}",
            f"{ours:.2f}",
            f"{ours / plain:.2f}",
            f"{ours / second:.2f}",
            f"{saving:.2f}",
        )
    return table


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="situations", description="Library code, large arguments, start-up."
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the work, one run of each")
    parser.add_argument(
        "--repeat", type=int, default=5, metavar="N", help="pairs of runs (default: 5; of start-ups 3)"
    )
    options = parser.parse_args(arguments)
    repeat = 1 if options.quick else options.repeat
    install()
    console = Console(width=None if sys.stdout.isatty() else 150)
    with tempfile.TemporaryDirectory(prefix="algodebug-bench-") as name:
        folder = Path(name)
        processes = Processes(folder, 600)
        with console.status("library code"):
            console.print(library_code(processes, 0.1 if options.quick else 1.0, repeat))
        with console.status("large arguments"):
            console.print(large_arguments(processes, repeat))
        with console.status("start-up"):
            console.print(start_up(processes, folder, min(3, repeat)))


if __name__ == "__main__":
    main()
