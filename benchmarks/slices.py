"""How much of a wrong call slicing takes away, on bugs planted in published packages; how long slices take in a long run.

    python benchmarks/slices.py [--mutants N] [--seed N] [--seconds N]
    python benchmarks/slices.py --speed TRACE [--calls N]

In copies of three packages one operator, constant or condition of one function is changed at a time; a program that
uses the package then prints something else. A run of the originals answers: the blamed call is one of the changed
function that did otherwise than the original's with the same inputs, while the calls it made did not. The parts of its
outcome that differ are the marks. Of the call three numbers of lines are compared: executed (its callees' included),
executed by itself (Lemma 1), and bright.

`--speed` takes a recorded trace, of any size, and splits the code of calls of it picked at random.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from installed import ROOT

sys.path.insert(0, str(ROOT / "tests" / "packages"))

from package_mutants import PACKAGES, USAGE
from rich.console import Console
from rich.table import Table

from algodebug.execution_tree import ExecutionTree
from algodebug.looking.evaluations import is_too_long
from algodebug.slicing import bright_and_faint, slicer_of
from algodebug.slicing.differences import differing_marks
from algotrace.trace import Trace, TraceError

RECORDER = ROOT / "tracer" / "algotrace" / "__main__.py"
_TIMEOUT = 30
_MOST_EVENTS = 500_000  # of a run; some mutants never end
_MOST_NODES = 9000
_MOST_ASKED = 60  # calls of the changed function, and of each the calls it made
_SWAPPED: dict[type[ast.AST], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=",
    ast.NotEq: "==", ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
_WRITTEN: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==",
    ast.NotEq: "!=", ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip


class Mutant(NamedTuple):
    package: str
    file: str
    function: str
    line: int
    kind: str  # operator, constant, condition
    text: str  # of the changed file


class Measured(NamedTuple):
    mutant: Mutant
    executed: int
    own: int
    bright: int
    lit: bool  # the changed line is bright
    shown: bool  # … or faint


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--mutants", type=int, default=120, help="how many must be found and blamed rightly")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--seconds", type=float, default=3600, help="report what was measured by then")
    options.add_argument("--speed", metavar="TRACE", type=Path, help="measure times in this trace instead")
    options.add_argument("--calls", type=int, default=20, help="how many calls are looked at for --speed")
    given = options.parse_args()
    if given.speed is not None:
        speed(given.speed, given.calls, random.Random(given.seed))
        return
    folder = Path(tempfile.mkdtemp(prefix="slices-"))
    try:
        report(*measure(folder, given.mutants, random.Random(given.seed), given.seconds))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure(
    folder: Path, wanted: int, chance: random.Random, seconds: float
) -> tuple[list[Measured], dict[str, int], list[float]]:
    original = folder / "original"
    pinned = [f"{name}=={version}" for name, version in PACKAGES.items()]
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
    subprocess.run([*install, "--target", str(original), *pinned], check=True)
    for package, program in USAGE.items():
        (original / f"use_{package}.py").write_text(program)
    printed, traces = {}, {}
    for package in PACKAGES:
        printed[package], path = run(original, package, folder)
        assert path is not None
        traces[package] = Trace.open(path)
    originals = {package: OriginalRun(trace) for package, trace in traces.items()}
    shutil.copytree(original, folder / "changed")
    waiting = {package: list(mutants(original, package, traces[package])) for package in PACKAGES}
    for listed in waiting.values():
        chance.shuffle(listed)
    measured: list[Measured] = []
    skipped: dict[str, int] = {}
    times: list[float] = []
    until = time.monotonic() + seconds
    while len(measured) < wanted and any(waiting.values()) and time.monotonic() < until:
        for package in PACKAGES:
            if not waiting[package] or len(measured) >= wanted:
                continue
            mutant = waiting[package].pop()
            outcome = measure_one(folder, mutant, printed[package], originals[package], times)
            if isinstance(outcome, str):
                skipped[outcome] = skipped.get(outcome, 0) + 1
            else:
                measured.append(outcome)
                if not outcome.lit:
                    print(
                        f"not bright: {mutant.package} {mutant.function}:{mutant.line} {mutant.kind}",
                        file=sys.stderr,
                    )
    return measured, skipped, times


def measure_one(
    folder: Path, mutant: Mutant, printed: str, original: OriginalRun, times: list[float]
) -> Measured | str:
    changed = folder / "changed"
    unchanged = (changed / mutant.file).read_text()
    (changed / mutant.file).write_text(mutant.text)
    try:
        said, path = run(changed, mutant.package, folder)
    finally:
        (changed / mutant.file).write_text(unchanged)
    if path is None:
        return "no trace"
    if said == printed:
        return "prints the same"
    try:
        trace = Trace.open(path)
    except TraceError:
        return "no trace"
    if len(trace.parent) > _MOST_NODES:
        return "too long"
    node = blamed(trace, mutant.function, original)
    if node is None:
        return "no call that can be judged"
    routine = trace.routines[trace.routine[node]]
    marks = original.marks(trace, node)
    started = time.process_time()
    bright, faint = bright_and_faint(trace, node, marks)
    times.append(time.process_time() - started)
    source = routine.source
    own = {(s.source, s.line) for s in trace.executed(node)}
    executed = set(own)
    for child in range(node + 1, node + trace.size[node]):
        executed |= {(s.source, s.line) for s in trace.executed(child)}
    lit = {(s.source, s.line) for s in bright}
    quiet = {(s.source, s.line) for s in faint}
    assert lit | quiet <= own
    assert is_too_long(trace, node) or not slicer_of(trace).graph.activation(node).failed
    place = (source, mutant.line)
    return Measured(mutant, len(executed), len(own), len(lit), place in lit, place in lit | quiet)


def run(folder: Path, package: str, out: Path) -> tuple[str, Path | None]:
    """What the package's program prints, and its trace."""
    trace = out / "run.algotrace" if folder.name == "changed" else out / f"{package}.algotrace"
    trace.unlink(missing_ok=True)
    command = [
        sys.executable,
        str(RECORDER),
        "--trace",
        str(trace),
        "--limit-events",
        str(_MOST_EVENTS),
        "--include",
        str(folder),
        str(folder / f"use_{package}.py"),
    ]
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT, cwd=folder, env=environment
        )
    except subprocess.TimeoutExpired:
        return "", None
    return done.stdout + done.stderr.replace(str(folder), ""), trace if trace.exists() else None


def mutants(original: Path, package: str, trace: Trace) -> Iterator[Mutant]:
    """One change for each operator, whole number and condition that was executed."""
    executed: set[tuple[int, int]] = set()
    for node in range(len(trace.parent)):
        executed.update((span.source, span.line) for span in trace.executed(node))
    for number, source in enumerate(trace.sources):
        path = Path(source.path)
        if package not in path.parts or not path.is_relative_to(original):
            continue
        tree = ast.parse(source.text)
        for function, code in functions(tree):
            for node in own_nodes(code):
                for line, kind, text in changes(source.text, node):
                    if (number, line) in executed and compiles(text):
                        yield Mutant(package, str(path.relative_to(original)), function, line, kind, text)


def functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield prefix + child.name, child
            yield from functions(child, f"{prefix}{child.name}.<locals>.")
        elif isinstance(child, ast.ClassDef):
            yield from functions(child, f"{prefix}{child.name}.")
        else:
            yield from functions(child, prefix)


def own_nodes(function: Any) -> Iterator[ast.AST]:
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef, ast.Lambda)):
            todo.extend(ast.iter_child_nodes(node))


def changes(text: str, node: ast.AST) -> Iterator[tuple[int, str, str]]:
    """(line, kind, changed text)"""
    lines = text.split("\n")

    def replaced(line: int, start: int, end: int, new: str) -> str:
        row = lines[line - 1].encode()
        made = row[:start] + new.encode() + row[end:]
        return "\n".join([*lines[: line - 1], made.decode(), *lines[line:]])

    if isinstance(node, (ast.BinOp, ast.Compare)):
        left = node.left
        op = node.op if isinstance(node, ast.BinOp) else node.ops[0]
        right = node.right if isinstance(node, ast.BinOp) else node.comparators[0]
        old, new = _WRITTEN.get(type(op)), _SWAPPED.get(type(op))
        if old is not None and new is not None and left.end_lineno == right.lineno:
            assert left.end_lineno is not None and left.end_col_offset is not None
            between = lines[left.end_lineno - 1].encode()[left.end_col_offset : right.col_offset].decode()
            if between.count(old) == 1:
                start = left.end_col_offset + between.index(old)
                yield left.end_lineno, "operator", replaced(left.end_lineno, start, start + len(old), new)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        assert node.end_col_offset is not None
        yield (
            node.lineno,
            "constant",
            replaced(node.lineno, node.col_offset, node.end_col_offset, str(node.value + 1)),
        )
    elif isinstance(node, (ast.If, ast.While)) and node.test.lineno == node.test.end_lineno:
        test = node.test
        row = lines[test.lineno - 1].encode()
        assert test.end_col_offset is not None
        inside = row[test.col_offset : test.end_col_offset].decode()
        if not isinstance(test, ast.Constant):
            yield (
                test.lineno,
                "condition",
                replaced(test.lineno, test.col_offset, test.end_col_offset, f"(not ({inside}))"),
            )


def compiles(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


class OriginalRun:
    """A call is right if one of the original's with the same inputs went the same way."""

    def __init__(self, trace: Trace) -> None:
        self._tree = ExecutionTree.from_trace(trace)
        self._trace = trace
        self._known: dict[str, dict[Any, dict[str, int]]] = {}

    def _calls(self, question: dict[str, Any]) -> dict[str, int] | None:
        """The original's calls with the same inputs: outcome → node."""
        function = question["function"]
        if function not in self._known:
            known: dict[Any, dict[str, int]] = {}
            for node, routine in enumerate(self._trace.routine):
                if self._trace.routines[routine].qualname == function:
                    body = self._tree.question(node)
                    known.setdefault(_inputs(body), {}).setdefault(_outcome(body), node)
            self._known[function] = known
        return self._known[function].get(_inputs(question))

    def answer(self, question: dict[str, Any]) -> str:
        seen = self._calls(question)
        return "unknown" if seen is None else "correct" if _outcome(question) in seen else "wrong"

    def marks(self, trace: Trace, node: int) -> list[str]:
        """The parts of a wrong call's outcome that the original's did otherwise; none where there is no such call."""
        seen = self._calls(ExecutionTree.from_trace(trace).question(node))
        if not seen:
            return []
        calls = [self._trace.call(other) for other in seen.values()]
        return min((differing_marks(trace.call(node), call) for call in calls), key=len)


def _inputs(body: Any) -> tuple[Any, ...]:
    return tuple((given["name"], given["value"]["text"]) for given in body["inputs"])


def _outcome(body: Any) -> str:
    def text(value: Any) -> str | None:
        return value and value["text"]

    changed = [(c["target"], text(c["before"]), text(c["after"])) for c in body["changes"]]
    return repr((body["outcome"]["kind"], text(body["outcome"]["value"]), changed))


def blamed(trace: Trace, function: str, original: OriginalRun) -> int | None:
    """A call of the function that went wrong although none of those it made did."""
    tree = ExecutionTree.from_trace(trace)
    nodes = (n for n, routine in enumerate(trace.routine) if trace.routines[routine].qualname == function)
    for node in islice(nodes, _MOST_ASKED):
        if original.answer(tree.question(node)) == "wrong":
            made = islice(trace.children(node), _MOST_ASKED)
            if all(original.answer(tree.question(child)) != "wrong" for child in made):
                return node
    return None


def speed(path: Path, calls: int, chance: random.Random) -> None:
    """How long bright and faint take for calls of a trace: the first, and those after it."""
    opened = time.process_time()
    trace = Trace.open(path)
    nodes = chance.sample(range(1, len(trace.parent)), min(calls, len(trace.parent) - 1))
    console = Console(width=140)
    took = []
    console.print(
        f"{trace.end[0]:,} events, {len(trace.parent):,} calls, opened in {time.process_time() - opened:.2f} s"
    )
    for node in nodes:
        started = time.process_time()
        bright_and_faint(trace, node)
        took.append(time.process_time() - started)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    followed = len(slicer_of(trace).graph.activations)
    console.print(
        f"first {took[0] * 1000:.0f} ms, then median {statistics.median(took[1:]) * 1000:.1f} ms, "
        f"most {max(took[1:]) * 1000:.0f} ms; {followed} calls followed, {memory:.0f} MB"
    )


def report(measured: list[Measured], skipped: dict[str, int], times: list[float]) -> None:
    table = Table(title=f"{len(measured)} mutants: lines of the blamed call")
    for name in (
        "package",
        "mutants",
        "executed",
        "own (Lemma 1)",
        "bright",
        "bright/executed",
        "mean of ratios",
        "bright/own",
        "changed line bright",
        "shown",
    ):
        table.add_column(name, justify="left" if name == "package" else "right")
    for package in (*PACKAGES, "all"):
        rows = [one for one in measured if package in (one.mutant.package, "all")]
        if not rows:
            continue
        table.add_row(
            package,
            str(len(rows)),
            f"{statistics.mean(one.executed for one in rows):.1f}",
            f"{statistics.mean(one.own for one in rows):.1f}",
            f"{statistics.mean(one.bright for one in rows):.1f}",
            f"{sum(one.bright for one in rows) / sum(one.executed for one in rows):.0%}",
            f"{statistics.mean(one.bright / one.executed for one in rows):.0%}",
            f"{statistics.mean(one.bright / one.own for one in rows):.0%}",
            f"{statistics.mean(one.lit for one in rows):.1%}",
            f"{statistics.mean(one.shown for one in rows):.1%}",
        )
    console = Console(width=140)
    console.print(table)
    console.print("left out: " + ", ".join(f"{count} × {why}" for why, count in sorted(skipped.items())))
    if times:
        ordered = sorted(times)
        console.print(
            f"time of bright and faint: median {statistics.median(ordered) * 1000:.1f} ms, "
            f"95 % {ordered[int(len(ordered) * 0.95)] * 1000:.0f} ms, most {ordered[-1] * 1000:.0f} ms"
        )


if __name__ == "__main__":
    main()
