"""Record a program given as text and find calls in its trace."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import algotrace
from algotrace.trace import Trace

ENTRY = Path(algotrace.__file__).with_name("__main__.py")


def record(folder: Path, program: str) -> Trace:
    path = folder / "program.py"
    path.write_text(textwrap.dedent(program).lstrip("\n"))
    trace = folder / "program.algotrace"
    command = [sys.executable, str(ENTRY), "--quiet", "--trace", str(trace), str(path)]
    subprocess.run(command, capture_output=True, check=True, cwd=folder, timeout=120)
    return Trace.open(trace)


def find(trace: Trace, function: str, occurrence: int = 0) -> int:
    """The n-th call of a function."""
    nodes = [n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].qualname == function]
    return nodes[occurrence]
