"""How long a large trace takes to open, to ask the first question, and to answer each later one, and how much memory.

    python benchmarks/opening.py [--calls N] [PROGRAM…]

The traces are of programs with about N calls (a million): `calls` writes to few objects again and again, `objects` makes
a tree of objects and walks it, `generators` sums what millions of generators yield. Opening and asking run in a fresh
process; answers alternate so that the search goes on. Processor times, but for the size of the process.
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

CALLS = """\
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

OBJECTS = """\
class Node:
    def __init__(self, key, left, right):
        self.key = key
        self.left = left
        self.right = right
        self.seen = 0

    def touch(self):
        self.seen += 1
        return self.key


def build(low, high):
    if low >= high:
        return None
    middle = (low + high) // 2
    return Node(middle, build(low, middle), build(middle + 1, high))


def walk(node):
    if node is None:
        return 0
    return walk(node.left) + node.touch() + walk(node.right)


def main(calls):
    tree = build(0, calls // 9)
    return [walk(tree) for _ in range(2)]


print(main({calls}))
"""

GENERATORS = """\
def evens(n):
    for i in range(n):
        yield i * 2


def half(value):
    return value // 2


def total(n):
    s = 0
    for value in evens(n):
        s += half(value)
    return s


def main(calls):
    result = 0
    for n in range(calls // 5):
        result += total(n % 3 + 2)
    return result


print(main({calls}))
"""

PROGRAMS = {"calls": CALLS, "objects": OBJECTS, "generators": GENERATORS}

ASK = """\
import json, resource, sys, time

started = time.process_time()
from algodebug.execution_tree import ExecutionTree
from algodebug.session import Session
from algotrace.trace import Trace

imported = time.process_time()
session = Session(ExecutionTree.from_trace(Trace.open(sys.argv[1])), strategy=sys.argv[2])
state = session.state()
first = time.process_time() - imported
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
later = []
number = 0
while state["status"] == "asking" and number < 60:
    begun = time.process_time()
    session.answer({"answer": "wrong" if number % 3 == 1 else "correct"})
    state = session.state()
    later.append(time.process_time() - begun)
    number += 1
print(json.dumps({"nodes": state["nodes"], "import": imported - started, "first": first, "later": later, "peak": peak / 1024}))
"""


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="opening", description="What opening a large trace costs.")
    parser.add_argument("--calls", type=int, default=1_000_000, metavar="N", help="calls in the trace")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"of {', '.join(PROGRAMS)} (all)")
    options = parser.parse_args(arguments)
    unknown = set(options.programs) - PROGRAMS.keys()
    if unknown:
        parser.error(f"no such program: {', '.join(unknown)}")
    console = Console(width=None if sys.stdout.isatty() else 150)
    with tempfile.TemporaryDirectory(prefix="algodebug-bench-") as name:
        for program in options.programs or PROGRAMS:
            measure(program, options.calls, Path(name), console)


def measure(name: str, calls: int, folder: Path, console: Console) -> None:
    program, trace = folder / f"{name}.py", folder / f"{name}.algotrace"
    program.write_text(PROGRAMS[name].replace("{calls}", str(calls)))
    with console.status("recording"):
        command = [sys.executable, str(RECORDER), "--quiet", "--trace", str(trace), str(program)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    console.print(f"{name}: trace of {trace.stat().st_size / 1e6:.1f} MB")
    for strategy in ("divide-and-query", "top-down"):
        with console.status(strategy):
            asked = subprocess.run(
                [sys.executable, "-c", ASK, str(trace), strategy], check=True, stdout=subprocess.PIPE
            )
        times = json.loads(asked.stdout)
        later = times["later"] or [0.0]
        console.print(
            f"  {strategy}: {times['nodes']:,} nodes, opened and asked in {times['first']:.2f} s and "
            f"{times['peak']:.0f} MB, {len(later)} later questions: median {statistics.median(later) * 1000:.0f} ms, "
            f"worst {max(later) * 1000:.0f} ms"
        )


if __name__ == "__main__":
    main()
