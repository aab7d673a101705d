"""Bugs planted in programs nobody here wrote: the changed function is blamed, and its changed line shown.

Three published packages are installed at fixed versions. Of a copy one operator in one function is changed, and a
program that uses the package now prints something wrong, or fails. The answers come from the original: from the
reference oracle where it can judge, and else from the same program recorded with the original. Where no package index
can be reached the tests are skipped on a developer's machine, and fail in CI.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from package_mutants import MUTANTS, PACKAGES, USAGE, Mutant, mutate

from algodebug.execution_tree import ExecutionTree
from algotrace.trace import Trace

pytestmark = pytest.mark.network

ALGODEBUG = [sys.executable, "-m", "algodebug.cli"]

# Runs a program and says which lines of one function were executed, by the interpreter's own account.
LINE_COUNTER = """
import json, os, runpy, sys

file, name, program, out = sys.argv[1:]
lines = set()
first_lines = FIRST_LINES  # with decorators, the first of theirs


def of_function(frame, event, argument):
    if event == "line":
        lines.add(frame.f_lineno)
    return of_function


def everywhere(frame, event, argument):
    code = frame.f_code
    if code.co_name == name and code.co_filename == file and code.co_firstlineno in first_lines:
        return of_function
    return None


sys.argv = [program]
sys.path[0] = os.path.dirname(program)
sys.settrace(everywhere)
try:
    runpy.run_path(program, run_name="__main__")
finally:
    sys.settrace(None)
    with open(out, "w") as stream:
        json.dump(sorted(lines), stream)
"""


def algodebug(*arguments: str | Path, cwd: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [*ALGODEBUG, *map(str, arguments)]
    # Two runs are compared by what sets look like, too.
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    return subprocess.run(
        command, input=stdin, capture_output=True, text=True, cwd=cwd, timeout=300, env=environment
    )


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages as published, and a program for each."""
    folder = tmp_path_factory.mktemp("packages") / "original"
    pinned = [f"{name}=={version}" for name, version in PACKAGES.items()]
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
    ended = subprocess.run(
        [*install, "--target", str(folder), *pinned], capture_output=True, text=True, timeout=300
    )
    if ended.returncode:
        message = f"the packages could not be installed: {ended.stderr.strip()[-300:]}"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    for package, program in USAGE.items():
        (folder / f"use_{package}.py").write_text(program)
    return folder


@pytest.fixture(scope="session")
def original_runs(original: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A trace of each package's program with the original."""
    traces = {}
    for package in PACKAGES:
        trace = tmp_path_factory.mktemp("traces") / f"{package}.algotrace"
        algodebug("record", "-o", trace, original / f"use_{package}.py", cwd=original)
        traces[package] = trace
    return traces


@pytest.mark.parametrize("package", PACKAGES)
def test_a_program_using_a_package_behaves_as_unrecorded(
    original: Path, package: str, tmp_path: Path
) -> None:
    program = str(original / f"use_{package}.py")
    plain = subprocess.run(
        [sys.executable, program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    recorded = algodebug("record", "-o", tmp_path / "t.algotrace", program, cwd=tmp_path)
    notes = [line for line in recorded.stderr.splitlines() if line.startswith("algodebug: ")]
    assert recorded.stdout == plain.stdout != ""
    assert recorded.stderr.splitlines() == plain.stderr.splitlines() + notes
    assert recorded.returncode == plain.returncode == 0


class OriginalRun:
    """Answers from a recorded run of the original: a call is right if one with the same inputs went the same way."""

    def __init__(self, trace: Path) -> None:
        self._trace = Trace.open(trace)
        self._tree = ExecutionTree.from_trace(self._trace)
        self._outcomes: dict[str, dict[Any, set[str]]] = {}

    def _outcomes_of(self, function: str) -> dict[Any, set[str]]:
        if function not in self._outcomes:
            self._outcomes[function] = outcomes = {}
            for node, routine in enumerate(self._trace.routine):
                if self._trace.routines[routine].qualname == function:
                    question = self._tree.question(node)
                    outcomes.setdefault(self._inputs(question), set()).add(self._outcome(question))
        return self._outcomes[function]

    def answer(self, question: dict[str, Any]) -> str:
        if question["kind"] != "routine":
            return "unknown"  # a piece of a call: the original's calls say nothing about it
        seen = self._outcomes_of(question["function"]).get(self._inputs(question))
        if seen is None:
            return "unknown"
        return "correct" if self._outcome(question) in seen else "wrong"

    @staticmethod
    def _inputs(node: dict[str, Any]) -> tuple[Any, ...]:
        return tuple((i["name"], i["value"]["text"]) for i in node["inputs"])

    @staticmethod
    def _outcome(node: dict[str, Any]) -> str:
        def text(value: dict[str, Any] | None) -> str | None:
            # What a frame is told by names its file, which is another one; the order in a set of classes changes from run
            # to run. What comes after them may be cut for their length.
            return value and re.sub(r"(FrameSummary\(|\{<(class|function) ).*", "", value["text"])

        outcome = node["outcome"]
        changes = [(c["target"], text(c["before"]), text(c["after"])) for c in node["changes"]]
        return repr((outcome["kind"], text(outcome["value"]), changes))


def dialogue(trace: Path, oracle: OriginalRun, *options: str | Path) -> dict[str, Any]:
    """Answers questions until there is a result."""
    process = subprocess.Popen(
        [*ALGODEBUG, "debug", str(trace), "--json", *map(str, options)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=trace.parent,
    )
    assert process.stdin is not None and process.stdout is not None
    asked = []
    for line in process.stdout:
        message = json.loads(line)
        if "result" in message:
            process.stdin.close()
            process.wait()
            print(*asked, sep="\n")
            result: dict[str, Any] = message["result"]
            return result
        if "question" in message:
            given = oracle.answer(message["question"])
            asked.append(f"{message['question']['text'][:150]} {given}")
            process.stdin.write(json.dumps({"answer": given}) + "\n")
            process.stdin.flush()
    raise AssertionError(f"no result after {asked}")


def executed_lines(file: Path, function: str, line: int, program: Path, tmp_path: Path) -> set[int]:
    counter, out = tmp_path / "line_counter.py", tmp_path / "lines.json"
    counter.write_text(LINE_COUNTER.replace("FIRST_LINES", repr({line, line - 1})))
    name = function.rpartition(".")[2]
    command = [sys.executable, str(counter), str(file), name, str(program), str(out)]
    subprocess.run(command, capture_output=True, cwd=tmp_path, timeout=300)
    return set(json.loads(out.read_text()))


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_changed_operator_of_a_package_is_found(
    original: Path, original_runs: dict[str, Path], mutant: Mutant, tmp_path: Path
) -> None:
    mutated = tmp_path / "mutated"
    shutil.copytree(original, mutated)
    file = mutated / mutant.package / mutant.file
    changed, line = mutate(file.read_text(), mutant)
    file.write_text(changed)
    program = mutated / f"use_{mutant.package}.py"
    trace = tmp_path / "run.algotrace"
    recorded = algodebug("record", "-o", trace, program, cwd=tmp_path)
    good = subprocess.run([sys.executable, str(original / program.name)], capture_output=True, text=True)
    assert (recorded.stdout, recorded.returncode) != (good.stdout, good.returncode)

    oracle = OriginalRun(original_runs[mutant.package])
    for options in (["--reference", original], []):
        result = dialogue(trace, oracle, *options)
        assert result["function"] == mutant.function and result["file"] == str(file)
        shown = {n for first, _, last, _ in result["bright"] for n in range(first, last + 1)}
        assert line in shown
        assert shown <= executed_lines(file, mutant.function, result["line"], program, tmp_path)
