"""How long a large trace takes to open, to ask the first question, and to answer each later one.

    python benchmarks/opening.py [--calls N]

The trace is of a program with N calls (a million). Opening and asking run in a fresh process; answers alternate so
that the search goes on. Wall-clock times: the user waits for them.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from installed import ROOT
from rich.console import Console

RECORDER = ROOT / "tracer" / "algotrace" / "__main__.py"

PROGRAM = """\
class Counter:
    def __init__(self):
        self.total = 0
        self.log = []

    def add(self, n):
        self.total += value(n)
        if n % 100 == 0:
            self.log.append(n)
        return self.total


def value(n):
    return n % 7


def batch(counter, start, size):
    for n in range(start, start + size):
        counter.add(n)
    return counter.total


def main(calls):
    counter = Counter()
    for start in range(0, calls // 2, 1000):
        batch(counter, start, min(1000, calls // 2 - start))
    return counter.total


print(main({calls}))
"""

ASK = """\
import json, sys, time

started = time.perf_counter()
from algodebug.execution_tree import ExecutionTree
from algodebug.session import Session
from algotrace.trace import Trace

imported = time.perf_counter()
session = Session(ExecutionTree.from_trace(Trace.open(sys.argv[1])), strategy=sys.argv[2])
state = session.state()
first = time.perf_counter() - imported
later = []
number = 0
while state["status"] == "asking" and number < 60:
    begun = time.perf_counter()
    session.answer({"answer": "wrong" if number % 3 == 1 else "correct"})
    state = session.state()
    later.append(time.perf_counter() - begun)
    number += 1
print(json.dumps({"nodes": state["nodes"], "import": imported - started, "first": first, "later": later}))
"""


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="opening", description="What opening a large trace costs.")
    parser.add_argument("--calls", type=int, default=1_000_000, metavar="N", help="calls in the trace")
    options = parser.parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 150)
    with tempfile.TemporaryDirectory(prefix="algodebug-bench-") as name:
        folder = Path(name)
        program, trace = folder / "program.py", folder / "run.algotrace"
        program.write_text(PROGRAM.replace("{calls}", str(options.calls)))
        with console.status("recording"):
            command = [sys.executable, str(RECORDER), "--quiet", "--trace", str(trace), str(program)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        console.print(f"trace of {options.calls:,} calls: {trace.stat().st_size / 1e6:.1f} MB")
        for strategy in ("divide-and-query", "top-down"):
            with console.status(strategy):
                asked = subprocess.run(
                    [sys.executable, "-c", ASK, str(trace), strategy], check=True, stdout=subprocess.PIPE
                )
            times = json.loads(asked.stdout)
            later = times["later"] or [0.0]
            console.print(
                f"{strategy}: {times['nodes']:,} nodes, opened and asked in {times['first']:.2f} s, "
                f"{len(later)} later questions: median {statistics.median(later) * 1000:.0f} ms, "
                f"worst {max(later) * 1000:.0f} ms"
            )


if __name__ == "__main__":
    main()
