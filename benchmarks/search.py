"""How many questions a search needs on recorded programs, by strategy.

    python benchmarks/search.py [--bugs N] [--seed N] [--all] [WORKLOAD…]

The programs in `workloads/` are recorded by the real recorder. The modules of the standard library that they use are
copied next to them first, because those the recorder itself needs cannot be recorded. In each tree a bug is planted at random nodes, 200
by default, one at a time: the node and all around it are wrong, and so is a run of calls that holds one of them. A
table shows the questions on average and at worst, beside log2 of the number of nodes plus one, which is the aim for
the average. How long the questions are is the number of values they show, over a session, with all of the inputs and
without what the calls did not look at; the sum is over the questions about calls with the default strategy, for the
first bugs. Needs Python 3.11 or newer. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from algodebug.execution_tree import ExecutionTree
from algodebug.question import visible_leaves
from algodebug.search import (
    DEFAULT_STRATEGY,
    STRATEGIES,
    Question,
    Run,
    SuspiciousArea,
    Weights,
    next_question,
)
from algotrace.trace import Trace

WORKLOADS = Path(__file__).resolve().parent / "workloads"
COPIED = ("tomllib", "ast", "re", "difflib", "pprint", "json", "html", "argparse")
# Strategies shown without being asked for: with runs where the strategy divides, and without.
SHOWN = (
    (DEFAULT_STRATEGY, True),
    (DEFAULT_STRATEGY, False),
    ("optimal-worst-case", True),
    ("optimal-expected", True),
    ("divide-by-yes-and-query", True),
    ("heaviest-first", False),
    ("top-down", False),
)
_SLOW = 20  # bugs for strategies that ask about a great part of all nodes


_READ = 12  # bugs of which the questions are read


def record(folder: Path, name: str) -> ExecutionTree:
    """Records a workload in a folder of its own."""
    trace = folder / f"{name}.algotrace"
    script = folder / f"{name}.py"
    shutil.copy(WORKLOADS / script.name, script)
    command = [sys.executable, "-m", "algodebug.cli", "record", "-o", str(trace), str(script)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        raise SystemExit(f"{name} could not be recorded: {done.stderr}")
    return ExecutionTree.from_trace(Trace.open(trace))


def copy_library(folder: Path) -> None:
    """Puts the modules of the standard library into a package that counts as the user's own."""
    package = folder / "copied"
    package.mkdir()
    (package / "__init__.py").touch()
    for name in COPIED:
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.origin is not None
        origin = Path(spec.origin)
        if origin.name == "__init__.py":
            shutil.copytree(origin.parent, package / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(origin, package)


def questions(
    tree: ExecutionTree,
    weights: Weights,
    bug: int,
    strategy: str,
    runs: bool,
    look: Callable[[Question], None] | None = None,
) -> tuple[int, int]:
    """How many questions find a bug, and how many of them are about runs."""
    area = SuspiciousArea(tree, 0, weights)
    last = None
    asked = about_runs = 0
    while (question := next_question(area, last, strategy, runs=runs)) is not None:
        asked += 1
        if look is not None:
            look(question)
        start, end = area.span(question)
        about_runs += isinstance(question, Run)
        (area.narrow if start <= bug < end else area.remove)(question)
        last = start
    if area.top != bug:
        raise AssertionError(f"{strategy} blames {area.top}, the bug is in {bug}")
    return asked, about_runs


def leaves(tree: ExecutionTree, weights: Weights, bugs: list[int]) -> tuple[float, float]:
    """How many values the questions of a session show on average: all of the inputs, and without what was not read."""
    whole = folded = 0

    def look(question: Question) -> None:
        nonlocal whole, folded
        if isinstance(question, int):
            body = tree.question(question)
            whole += visible_leaves(body, folded=False)
            folded += visible_leaves(body)

    for bug in bugs:
        questions(tree, weights, bug, DEFAULT_STRATEGY, True, look)
    return whole / len(bugs), folded / len(bugs)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--bugs", type=int, default=200, help="bugs in each program (200)")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--all", action="store_true", help="every strategy")
    parser.add_argument("names", nargs="*", metavar="WORKLOAD")
    options = parser.parse_args()
    names = options.names or sorted(path.stem for path in WORKLOADS.glob("*.py"))
    shown = list(SHOWN)
    if options.all:
        for name, strategy in STRATEGIES.items():
            shown += [(name, runs) for runs in ({False, strategy.divides}) if (name, runs) not in shown]
    table = Table(title="questions until the bug is found: mean / worst")
    for heading in ("workload", "nodes", "widest", "log2 + 1"):
        table.add_column(heading, justify="left" if heading == "workload" else "right")
    for name, runs in shown:
        table.add_column(f"{name.replace('-', ' ')}{' with runs' if runs else ''}", justify="right")
        if (name, runs) == SHOWN[0]:
            table.add_column("of them about runs", justify="right")
    for heading in ("values shown", "without what was not read"):
        table.add_column(heading, justify="right")
    console = Console(width=90 + 16 * len(shown))
    failed = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        copy_library(folder)
        for name in names:
            tree = record(folder, name)
            weights = Weights(tree)
            rng = random.Random(options.seed)
            bugs = list(range(1, len(tree)))
            if len(bugs) > options.bugs:
                bugs = rng.sample(bugs, options.bugs)
            aim = math.log2(len(tree)) + 1
            row = [name, f"{len(tree):,}", str(max(Counter(tree.parent).values())), f"{aim:.1f}"]
            for strategy, runs in shown:
                some = bugs[:_SLOW] if strategy.startswith(("single", "hat", "comb")) else bugs
                started = time.perf_counter()
                counts = [questions(tree, weights, bug, strategy, runs) for bug in some]
                mean = sum(count for count, _ in counts) / len(counts)
                worst = max(count for count, _ in counts)
                row.append(f"{mean:.1f} / {worst}")
                seconds = time.perf_counter() - started
                print(f"{name} {strategy} {row[-1]} in {seconds:.1f} s", file=sys.stderr)
                if (strategy, runs) == SHOWN[0]:
                    about_runs = sum(count for _, count in counts) / len(counts)
                    row.append(f"{about_runs:.1f}")
                    if mean > aim:
                        failed.append(name)
            table.add_row(*row, *(f"{count:.0f}" for count in leaves(tree, weights, bugs[:_READ])))
    console.print(table)
    console.print(f"over the aim with the default: {', '.join(failed) or 'none'}")


if __name__ == "__main__":
    main()
