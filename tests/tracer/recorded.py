"""Record a program given as text, in a process of its own, and open its trace."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import algotrace
from algotrace.trace import Trace
from algotrace.values import Value

ENTRY = Path(algotrace.__file__).with_name("__main__.py")


def run(folder: Path, source: str, *options: str) -> tuple[subprocess.CompletedProcess[str], Path, Path]:
    """(finished process, trace path, program path)"""
    program = folder / "program.py"
    program.write_text(textwrap.dedent(source).lstrip("\n"), encoding="utf-8")
    trace = folder / "program.algotrace"
    command = [sys.executable, str(ENTRY), "--trace", str(trace), *options, str(program)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder), trace, program


def record(folder: Path, source: str, *options: str) -> Trace:
    process, trace, _ = run(folder, source, *options)
    assert trace.exists(), process.stderr
    return Trace.open(trace)


def outline(trace: Trace, node: int = 0) -> str:
    """The tree in one line: `main(f(), g(h()))`."""
    inside = ", ".join(outline(trace, child) for child in trace.children(node))
    return f"{trace.routines[trace.routine[node]].qualname}({inside})"


def find(trace: Trace, name: str, occurrence: int = 0) -> int:
    """The n-th call of a function, in order of time."""
    nodes = [n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].qualname == name]
    return sorted(nodes, key=lambda n: trace.start[n])[occurrence]


def looked_at(trace: Trace) -> list[Value]:
    """What calls of a function `look` were given, in order of time."""
    looks = [n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].name == "look"]
    return [trace.arguments(node)[0].value for node in sorted(looks, key=trace.start.__getitem__)]


def changes(trace: Trace, node: int) -> dict[str, tuple[str | None, str | None]]:
    return {
        change.target: tuple(None if v is None else v.text().text for v in (change.before, change.after))  # type: ignore[misc]
        for change in trace.call(node).changes
    }
