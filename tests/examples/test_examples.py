"""The examples are what their remarks say they are."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*.py"))
# It is right for the number that it prints; what is wrong shows with another one.
RIGHT_AS_IT_STANDS = {"newton"}


def output(path: Path) -> str:
    ended = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=60)
    return ended.stdout.strip() or ended.stderr.strip().splitlines()[-1]


def remarks(path: Path) -> str:
    lines = [line[2:] for line in path.read_text().splitlines() if line.startswith("# ")]
    return " ".join(lines)


def functions(path: Path) -> list[str]:
    return [
        f"{node.name}({', '.join(argument.arg for argument in node.args.args)})"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
    ]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_an_example_says_what_is_wrong_and_what_is_right(program: Path) -> None:
    text = remarks(program)
    assert re.search(r"What is wrong: .+ What is right: .+", text)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_an_example_prints_what_it_says_and_its_corrected_copy_does_not(program: Path) -> None:
    actual, corrected = output(program), output(program.parent / "fixed" / program.name)
    if program.stem in RIGHT_AS_IT_STANDS:
        assert actual == corrected
        return
    assert actual != corrected
    wrong, right = remarks(program).split("What is right:")
    assert actual in wrong
    if "it prints" in right:
        assert f"it prints {corrected}" in right


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_the_corrected_copy_has_the_same_functions(program: Path) -> None:
    assert functions(program) == functions(program.parent / "fixed" / program.name)


def test_the_line_numbers_of_the_papers_examples_are_those_their_tests_quote() -> None:
    quoted = {
        "isprime": {6: "def is_prime(number):", 11: "while i < lim:", 15: "return True"},
        "sqrtest": {42: "def sum2(x):", 43: "return (x + decr(x)) // 2"},
        "minmaxhits": {36: "def leq(x, y):", 37: "if x == 0:", 38: "return False"},
        "isort_t": {7: "def insert(n, ms):", 8: "xs, ys = span(", 9: "return ys + ([n] + xs)"},
        "fgk": {2: "def g(x): return j(i(h(x)))"},
        "newton": {4: "b = x", 5: "while abs(b * b - x) > 1e-12:"},
    }
    for stem, lines in quoted.items():
        text = (EXAMPLES / f"{stem}.py").read_text().splitlines()
        assert {
            line: text[line - 1].strip().startswith(start) for line, start in lines.items()
        } == dict.fromkeys(lines, True)
