"""Ten classic algorithms with one wrong line each, recorded for real: a corrected copy answers, and the line is blamed.

Two never end (they are stopped by the limit on events) and two recurse without end.
"""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest
from test_cli_examples import algodebug

from algodebug.execution_tree import ExecutionTree
from algodebug.oracles.reference_code import ReferenceCodeOracle
from algodebug.session import CODE, Session
from algotrace.trace import Trace

CLASSIC = Path(__file__).parent / "classic"
NAMES = sorted(path.stem for path in CLASSIC.glob("*.py"))
NEVER_ENDS = {"binary_search", "bit_count"}


def wrong_line(name: str) -> int:
    lines = [(folder / f"{name}.py").read_text().split("\n") for folder in (CLASSIC, CLASSIC / "fixed")]
    (line,) = [number for number, (one, two) in enumerate(zip(*lines, strict=True), 1) if one != two]
    return line


def executed_statements(tree: ExecutionTree) -> float:
    """How many statements and tests the program executed, as far as they were read."""
    codes = [tree.code_of(node) for node in range(len(tree))]
    return sum(1 if code is None else code.top.weight for code in codes)


@pytest.mark.parametrize("name", NAMES)
def test_the_wrong_line_is_blamed(name: str, tmp_path: Path) -> None:
    limit = ("--limit-events", "3000") if name in NEVER_ENDS else ()
    algodebug("record", "-o", tmp_path / "trace", *limit, CLASSIC / f"{name}.py", cwd=tmp_path)
    trace = Trace.open(tmp_path / "trace")
    tree = ExecutionTree.from_trace(trace)
    oracle = ReferenceCodeOracle(CLASSIC / "fixed" / f"{name}.py", trace)
    session = Session(tree, oracles=[oracle], depth=CODE)
    try:
        assert session.current() is None, "somebody else had to be asked"
        result = session.state()["result"]
    finally:
        session.close()
        trace.close()
    assert result["found"]
    assert result["blamed"]["line"] == wrong_line(name)
    assert {piece[0] for piece in result["bright"]} == {wrong_line(name)}
    assert result["questions"] <= math.log2(executed_statements(tree)) + 2


def test_the_programs_are_wrong_and_the_copies_right() -> None:
    for name in sorted(set(NAMES) - NEVER_ENDS):
        ended = [
            subprocess.run([sys.executable, folder / f"{name}.py"], capture_output=True, text=True)
            for folder in (CLASSIC, CLASSIC / "fixed")
        ]
        assert ended[0].stdout != ended[1].stdout
        assert ended[1].returncode == 0
