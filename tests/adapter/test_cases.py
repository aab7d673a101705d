"""Small programs of the kinds that people report, each with a corrected twin that answers: the right function is blamed.

Their headers say what is expected, what they give, and where the bug is. Recorded for real.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_cli_examples import algodebug, messages

CASES = Path(__file__).parent / "cases"
NEEDS = {"c19_numpy_view": "numpy"}
NAMES = sorted(path.stem for path in CASES.glob("c*.py"))


def header(name: str) -> dict[str, str]:
    return dict(re.findall(r"^# ([a-z ]+): +(.*)$", (CASES / f"{name}.py").read_text(), re.MULTILINE))


def require(name: str) -> None:
    if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is not installed")


@pytest.mark.parametrize("name", NAMES)
def test_the_function_is_blamed(name: str, tmp_path: Path) -> None:
    require(name)
    program = CASES / f"{name}.py"
    ended = algodebug(
        "run",
        "-o",
        tmp_path / "trace",
        "--json",
        "--reference",
        CASES / "fixed" / program.name,
        program,
        cwd=tmp_path,
    )
    told = header(name)
    assert told["actual"] in ended.stderr  # what the program prints
    result = messages(ended)[-1]["result"]
    assert result["found"] and result["candidates"] == []
    assert result["function"] == told["buggy function"]
    assert set(result["answered_by"]) == {"reference"}


@pytest.mark.parametrize("name", NAMES)
def test_the_line_is_blamed(name: str, tmp_path: Path) -> None:
    require(name)
    program = CASES / f"{name}.py"
    told = header(name)
    options = ("--depth", "code", "--reference", CASES / "fixed" / program.name)
    ended = algodebug("run", "-o", tmp_path / "trace", "--json", *options, program, cwd=tmp_path)
    result = messages(ended)[-1]["result"]
    assert result["found"] and result["candidates"] == []
    assert set(result["answered_by"]) == {"reference"}
    wanted = [int(line) for line in told["buggy lines"].split(",")]
    lines = (
        [piece[0] for piece in result["bright"]] if result["blamed"] is None else [result["blamed"]["line"]]
    )
    assert all(min(abs(line - other) for other in wanted) <= 1 for line in lines), (lines, wanted)


@pytest.mark.parametrize("name", NAMES)
def test_the_twin_is_right(name: str) -> None:
    require(name)
    command = [sys.executable, str(CASES / "fixed" / f"{name}.py")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.stdout.strip() == header(name)["expected"]


def test_all_are_there() -> None:
    assert len(NAMES) == 14
