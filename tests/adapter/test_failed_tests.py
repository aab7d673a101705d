"""A failed test is where the search starts; one that passed, was left out or is expected to fail is not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from algodebug.failed_tests import failed_tests, where_to_start
from algotrace.trace import Trace

SHOP = """
def total(prices):
    return sum(prices[1:])

def test_nothing():
    assert total([]) == 0

def test_one():
    assert total([3]) == 3

def test_two():
    assert total([3, 4]) == 7
"""
PYTEST = """
import pytest

@pytest.mark.xfail
def test_known():
    assert False

def test_left_out():
    pytest.skip("not today")

def test_raises():
    with pytest.raises(ValueError):
        int("x")

@pytest.mark.parametrize("number", [2, 4, 5, 6, 7, 8])
def test_even(number):
    assert number % 2 == 0

class TestThing:
    def test_method(self):
        raise OSError
"""
UNITTEST = """
import unittest

def double(x):
    return x + x + 1

class Doubling(unittest.TestCase):
    def test_double(self):
        self.assertEqual(double(2), 4)

    @unittest.expectedFailure
    def test_later(self):
        self.fail()

    def test_skipped(self):
        self.skipTest("no")

if __name__ == "__main__":
    unittest.main()
"""
SCRIPT = """
def test(x):
    assert x > 1

def main():
    test(1)

main()
"""


def recorded(folder: Path, source: str, *program: str) -> Path:
    (folder / "test_it.py").write_text(source)
    trace = folder / "it.algotrace"
    command = [sys.executable, "-m", "algodebug.cli", "record", "-o", str(trace), *program]
    subprocess.run(command, cwd=folder, capture_output=True, timeout=120)
    return trace


def started_with(path: Path) -> list[str]:
    """The failed tests, with their arguments."""
    trace = Trace.open(path)
    found = []
    for node in failed_tests(trace):
        arguments = ", ".join(argument.value.text().text for argument in trace.arguments(node))
        found.append(f"{trace.routines[trace.routine[node]].name}({arguments})")
    trace.close()
    return found


RUN_BY_PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py")


@pytest.mark.parametrize(
    ("source", "program", "expected"),
    [
        (SHOP, RUN_BY_PYTEST, ["test_one()", "test_two()"]),
        (PYTEST, RUN_BY_PYTEST, ["test_even(7)", "test_method(TestThing())"]),
        (UNITTEST, ("test_it.py",), ["test_double"]),
        (SCRIPT, ("test_it.py",), []),
    ],
)
def test_the_tests_that_failed_are_found(
    source: str, program: tuple[str, ...], expected: list[str], tmp_path: Path
) -> None:
    found = started_with(recorded(tmp_path, source, *program))
    assert [text.partition("(")[0] if source is UNITTEST else text for text in found] == expected


def test_the_search_starts_with_the_first_and_says_so(tmp_path: Path) -> None:
    path = recorded(tmp_path, SHOP, *RUN_BY_PYTEST)
    trace = Trace.open(path)
    _, note = where_to_start(trace)
    trace.close()
    assert note.startswith(
        "the search starts with test_one, which failed (--root 0 for the whole run; 1 more failed: "
    )
    command = [sys.executable, "-m", "algodebug.cli", "debug", str(path), "--json"]
    lines = '{"answer": "wrong"}\n'
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=60)
    question, result = map(json.loads, done.stdout.splitlines()[:2])
    assert question["question"]["function"] == "total"
    assert result["result"]["function"] == "total"
    assert result["result"]["questions"] == 1
    assert note in done.stderr


def test_all_of_the_run_is_searched_on_demand(tmp_path: Path) -> None:
    path = recorded(tmp_path, SHOP, *RUN_BY_PYTEST)
    command = [sys.executable, "-m", "algodebug.cli", "debug", str(path), "--json", "--root", "0"]
    done = subprocess.run(command, input="", capture_output=True, text=True, timeout=60)
    assert json.loads(done.stdout.splitlines()[0])["question"]["function"].startswith("test_")
    assert "the search starts" not in done.stderr


@pytest.mark.parametrize("computes", [True, False])
def test_a_test_that_may_have_read_what_a_module_computed_is_not_blamed_alone(
    computes: bool, tmp_path: Path
) -> None:
    value = "{n: n * 2 for n in range(3)}" if computes else "{2: 4}"
    (tmp_path / "config.py").write_text(f"TABLE = {value}\n")
    source = "import config\ndef test_it():\n    assert config.TABLE[2] == 5\n"
    path = recorded(tmp_path, source, *RUN_BY_PYTEST)
    command = [sys.executable, "-m", "algodebug.cli", "debug", str(path), "--json"]
    done = subprocess.run(command, input="", capture_output=True, text=True, timeout=60)
    result = json.loads(done.stdout.splitlines()[-1])["result"]
    assert result["function"] == "test_it"
    assert ("--root 0" in result["text"]) == computes
