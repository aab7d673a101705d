"""The recorder next to other tools that watch a program run: time, peak memory, what is left on the disk.

    python benchmarks/peers.py [--quick] [--repeat N] [--limit SECONDS] [--tools NAME,…] [NAME…]

In each round every tool runs each program once, in a process of its own, and the plain program before them: all
figures are medians of the rounds, ratios are to the plain run of the same round and size. Time is CPU time of the
work alone. Tools that slow a program down a hundredfold and more get less of it to do, fewer rounds, and only the
programs that can be made that small; what has not ended after the limit is shown as at least that slow. Ctrl+C ends
it with the tables of the rounds there were. Tools that
record their program by rewriting it (ours, pyccolo, DynaPyt) do so before the clock starts. Nothing here passes or
fails.

BENCHMARK_PYTHON names another interpreter to run the programs: sys.monitoring needs 3.12, cyberbrain 3.10.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import dynapyt_analysis
from installed import install, install_peer
from processes import SLOW, Processes, Run
from rich.console import Console
from rich.table import Table
from tools import TOOLS
from workload import WORKLOADS

HERE = Path(__file__).resolve().parent
OURS = "ours"
OUR_RECORDS = "every call, branch and write, and the value of every expression, recorded or recoverable"
# These can be made a thousand times smaller: the slow tools run no others.
OWN = ("recursion", "calculator", "simulation", "graph", "matrices", "pipeline")
SMALL = ("nbody", "markdown", "toml", *OWN)
HUNDREDFOLD = 100
# Other tools that record values or dependences, and why they have no column.
LEFT_OUT = {
    "noWorkflow": "runs whole scripts and writes a database while they run: milliseconds of work take minutes",
    "ipyflow": "follows code in notebook cells alone",
    "heartrate": "shows lines in a browser, records nothing",
    "functiontrace": "needs a server of its own, which is not on the package index",
    "retracesoftware": "records what comes from outside, for a run of it again that values are taken from",
    "flowtrace": "needs Python 3.12 or newer; not compared yet",
    "pydslice": "needs gdb, and last changed in 2017",
}


@dataclass
class Cell:
    """The runs of one tool on one program, and what each is compared with."""

    runs: list[Run] = field(default_factory=list)
    plain: list[Run] = field(default_factory=list)
    lines: int = 1

    def ratio(self) -> float:
        return statistics.median(
            run.seconds / plain.seconds for run, plain in zip(self.runs, self.plain, strict=True)
        )

    def saving(self) -> float:
        return statistics.median(
            (run.saving - plain.saving) / plain.seconds
            for run, plain in zip(self.runs, self.plain, strict=True)
        )

    def memory(self) -> float:
        return statistics.median(run.memory for run in self.runs) - statistics.median(
            run.memory for run in self.plain
        )

    def trace(self) -> float:
        return statistics.median(run.trace for run in self.runs)

    def failed(self) -> str:
        return next((run.failed for run in self.runs if run.failed), "")


class Comparison:
    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self._lines: dict[tuple[str, float], int] = {}
        self.cells: dict[tuple[str, str], Cell] = defaultdict(Cell)

    def round(self, program: str, tools: Iterable[str], scale: float) -> None:
        """The plain program, then each tool, once."""
        plain = self._processes.plain(program, scale)
        if (program, scale) not in self._lines:
            self._lines[program, scale] = self._processes.lines(program, scale)
        for tool in tools:
            cell = self.cells[tool, program]
            if cell.failed():
                continue  # it would fail again
            cell.lines = self._lines[program, scale]
            if tool == OURS:
                run = self._processes.recorded(program, scale)
            else:
                copies = {"BENCHMARK_FOLDER": str(dynapyt_analysis.folder())} if tool == "dynapyt" else {}
                run = self._processes.watched(tool, program, scale, copies)
            cell.runs.append(run)
            cell.plain.append(plain)


def installed_tools(wanted: Iterable[str]) -> tuple[list[str], dict[str, str]]:
    """The tools that can run here, and why the others cannot."""
    ready, reasons = [], {}
    for name in wanted:
        kind = TOOLS[name]
        reason = kind.reason_not_to_run() or (install_peer(kind.package, kind.needs) if kind.package else "")
        if not reason and name == "dynapyt":
            reason = dynapyt_analysis.prepare()
        if reason:
            reasons[name] = reason
        else:
            ready.append(name)
    return ready, reasons


def scale_for(tool: str, scale: float) -> float:
    """How much work a tool gets, so that it takes some tenths of a second."""
    slowdown = TOOLS[tool].slowdown if tool != OURS else 3
    return (
        scale if slowdown < 30 else scale * 0.1 if slowdown < HUNDREDFOLD else scale * min(1.0, 3 / slowdown)
    )


def compare(
    comparison: Comparison,
    programs: list[str],
    tools: list[str],
    scale: float,
    rounds: tuple[int, int],
    console: Console,
) -> None:
    for turn in range(max(rounds)):
        for program in programs:
            groups: dict[float, list[str]] = defaultdict(list)
            for tool in tools:
                slow = tool != OURS and TOOLS[tool].slowdown >= HUNDREDFOLD
                fits = tool == OURS or program in OWN or not TOOLS[tool].own_programs_only
                if turn < rounds[slow] and (not slow or program in SMALL) and fits:
                    groups[scale_for(tool, scale)].append(tool)
            for size, group in groups.items():
                with console.status(f"{program}, round {turn + 1}: {', '.join(group)}"):
                    comparison.round(program, group, size)


def _number(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def _ended(comparison: Comparison, tool: str, programs: Iterable[str]) -> list[Cell]:
    cells = [comparison.cells[tool, program] for program in programs if (tool, program) in comparison.cells]
    return [cell for cell in cells if cell.runs and not cell.failed()]


def geometric_mean(values: Iterable[float]) -> float:
    logarithms = [math.log(value) for value in values]
    return math.exp(statistics.fmean(logarithms)) if logarithms else math.nan


def times(comparison: Comparison, programs: list[str], tools: list[str]) -> Table:
    table = Table(
        title="Time, to plain Python", caption="CPU time of the work; > : not ended at the limit; ✗: crashed"
    )
    table.add_column("program")
    for tool in tools:
        table.add_column(tool.replace(", ", ",\n"), justify="right")
    for program in programs:
        row = []
        for tool in tools:
            cell = comparison.cells.get((tool, program))
            if cell is None or not cell.runs:
                row.append("")
            elif cell.failed() and cell.failed() != SLOW:
                row.append("✗")
            else:
                row.append(("> " if cell.failed() else "") + _number(cell.ratio()))
        table.add_row(program, *row)
    table.add_section()
    means = [geometric_mean(cell.ratio() for cell in _ended(comparison, tool, programs)) for tool in tools]
    table.add_row(
        "geometric mean", *("" if math.isnan(mean) else _number(mean) for mean in means), style="bold"
    )
    worst = [
        max((cell.ratio() for cell in _ended(comparison, tool, programs)), default=math.nan) for tool in tools
    ]
    table.add_row("worst", *("" if math.isnan(ratio) else _number(ratio) for ratio in worst))
    return table


def costs(comparison: Comparison, programs: list[str], tools: list[str]) -> Table:
    table = Table(
        title="What it costs besides, and what is recorded", caption="medians over the programs that ended"
    )
    for heading in ("tool", "runs", "memory B/line", "trace B/line", "saving, to plain", "records"):
        table.add_column(heading, justify="left" if heading in ("tool", "records") else "right")
    for tool in tools:
        cells = _ended(comparison, tool, programs)
        if not cells:
            continue
        slow = tool != OURS and TOOLS[tool].slowdown >= HUNDREDFOLD
        # Of a few thousand lines, these are what the tool itself takes.
        memory = "–" if slow else f"{statistics.median(cell.memory() / cell.lines for cell in cells):.1f}"
        table.add_row(
            tool,
            str(max(len(cell.runs) for cell in cells)),
            memory,
            f"{statistics.median(cell.trace() / cell.lines for cell in cells):.1f}",
            "–" if slow else _number(max(0.0, statistics.median(cell.saving() for cell in cells))),
            OUR_RECORDS if tool == OURS else TOOLS[tool].records,
        )
    return table


def verdicts(comparison: Comparison, programs: list[str], tools: list[str]) -> list[str]:
    """Our overhead next to that of the best tool that records values, on the programs that both ended."""
    said = []
    for what, kinds in (
        ("any values", ("calls", "lines", "all")),
        ("the value of every expression", ("all",)),
    ):
        found = []
        for tool in tools:
            if tool == OURS or TOOLS[tool].values not in kinds:
                continue
            shared = [p for p in programs if _ended(comparison, tool, [p]) and _ended(comparison, OURS, [p])]
            if shared:
                theirs = geometric_mean(comparison.cells[tool, program].ratio() for program in shared)
                ours = geometric_mean(comparison.cells[OURS, program].ratio() for program in shared)
                found.append(((theirs - 1) / max(ours - 1, 0.001), tool, theirs, ours, len(shared)))
        if found:
            overhead, tool, theirs, ours, count = min(found)
            said.append(
                f"the cheapest that records {what} is {tool}: {_number(theirs)} to our {_number(ours)} on the same "
                f"{count} programs; its overhead is {overhead:.1f} times ours"
            )
    return said


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="peers", description="The recorder next to other tools.")
    parser.add_argument("--quick", action="store_true", help="a tenth of the work, one run of each")
    parser.add_argument(
        "--repeat", type=int, default=5, metavar="N", help="rounds (default: 5; of slow tools 3)"
    )
    parser.add_argument(
        "--limit", type=float, default=60, metavar="SECONDS", help="for one run (default: 60)"
    )
    parser.add_argument("--tools", default="", metavar="NAME,…", help="only these, and ours")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these programs")
    options = parser.parse_args(arguments)
    known = [name for name in TOOLS if name != "plain"]
    wanted = (
        [name.strip() for name in options.tools.split(";" if ";" in options.tools else ",")]
        if options.tools
        else known
    )
    if unknown := (set(options.names) - set(WORKLOADS)) | (set(wanted) - set(known)):
        parser.error(
            f"not known: {', '.join(sorted(unknown))}; tools are {'; '.join(known)}; programs {', '.join(WORKLOADS)}"
        )
    install()
    console = Console(width=None if sys.stdout.isatty() else 200)
    with console.status("installing the tools"):
        tools, reasons = installed_tools(wanted)
    tools = [OURS, *tools]
    programs = options.names or list(WORKLOADS)
    rounds = (1, 1) if options.quick else (options.repeat, min(3, options.repeat))
    with tempfile.TemporaryDirectory(prefix="algodebug-bench-") as folder:
        limit = min(options.limit, 10) if options.quick else options.limit
        comparison = Comparison(Processes(Path(folder), limit))
        try:
            compare(comparison, programs, tools, 0.05 if options.quick else 0.2, rounds, console)
        except KeyboardInterrupt:
            console.print("interrupted: the medians are of the rounds there were")
    console.print(times(comparison, programs, tools))
    console.print(costs(comparison, programs, tools))
    for line in verdicts(comparison, programs, tools):
        console.print(f"- {line}")
    for (tool, program), cell in comparison.cells.items():
        if cell.failed() and cell.failed() != SLOW:
            console.print(f"- {tool} crashed on {program}: {cell.failed()}", highlight=False, markup=False)
    for tool, reason in {**reasons, **LEFT_OUT}.items():
        console.print(f"- not run: {tool}: {reason}", highlight=False, markup=False)


if __name__ == "__main__":
    main()
