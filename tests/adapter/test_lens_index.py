"""The index the code lenses come from: what a session puts into it, and its way to the disk and back."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from algodebug import lens_index
from algodebug.execution_tree import ExecutionTree
from algodebug.recording import Recording
from algodebug.session import Session
from algotrace.trace import Trace

SOURCE = "def f(x):\n    return x\n\n\nclass C:\n    def g(self):\n        return f(1)\n"


def session(
    counts: dict[int, dict[str, int]], found: int | None = None, routines: tuple[int, ...] = (0, 1, 2)
) -> Any:
    """As much of a session as the index looks at: module, `f`, `C.g` and a function that was never called."""
    nobody = {"calls": 0, "correct": 0, "wrong": 0, "unknown": 0, "trusted": 0}
    trace = SimpleNamespace(
        sources=[SimpleNamespace(path="/me/prog.py", text=SOURCE)],
        routines=[
            SimpleNamespace(id=0, source=0, qualname="<module>", kind="module", line=1),
            SimpleNamespace(id=1, source=0, qualname="C.g", kind="function", line=6),
            SimpleNamespace(id=2, source=0, qualname="f", kind="function", line=1),
            SimpleNamespace(id=3, source=0, qualname="never_called", kind="function", line=9),
        ],
        routine=routines,
    )
    result = None if found is None else {"found": True, "node": found}
    return SimpleNamespace(
        tree=SimpleNamespace(trace=trace),
        state=lambda: {"result": result, "trace": "/me/run.algotrace"},
        counts=lambda routine: {**nobody, **counts.get(routine, {})},
    )


RECORDED = """\
import functools


@functools.lru_cache
def double(x):
    return x + x + 1


class Meter:
    @property
    def reading(self):
        return double(2)

    def never_called(self):
        return 0


def main():
    return [Meter().reading, double(3), sorted([2, 1], key=lambda x: -x)]


main()
"""


def test_the_index_of_a_recorded_run_follows_the_answers(tmp_path: Path) -> None:
    program = tmp_path / "meters.py"
    program.write_text(RECORDED)
    code, path = Recording([str(program)], trace=tmp_path / "run.algotrace").run()
    assert code == 0 and path is not None
    session = Session(ExecutionTree.from_trace(Trace.open(path)))
    try:
        index = lens_index.build(session)
        assert list(index["files"]) == [str(program)]
        assert index["files"][str(program)]["sha256"] == lens_index.fingerprint(RECORDED)
        assert functions(index) == {
            "double": {"line": 5, "calls": 2},
            "Meter.reading": {"line": 11, "calls": 1},
            "main": {"line": 18, "calls": 1},
        }
        judged = {"main": "wrong", "Meter.reading": "wrong", "double": "wrong"}
        while (question := session.state()["question"]) is not None:
            session.answer({"answer": judged[question["function"]]})
        assert functions(lens_index.build(session))["double"] == {
            "line": 5,
            "calls": 2,
            "wrong": 1,
            "buggy": True,
        }
    finally:
        session.close()


def functions(index: lens_index.LensIndex) -> dict[str, dict[str, Any]]:
    return {
        function["qualname"]: {key: value for key, value in function.items() if value and key != "qualname"}
        for state in index["files"].values()
        for function in state["functions"]
    }


def test_functions_are_counted_and_neither_modules_nor_what_was_not_called_is_there() -> None:
    index = lens_index.build(
        session({0: {"calls": 1}, 1: {"calls": 1, "wrong": 1}, 2: {"calls": 3, "correct": 2, "unknown": 1}})
    )
    assert list(functions(index)) == ["f", "C.g"]
    assert functions(index) == {
        "f": {"line": 1, "calls": 3, "correct": 2, "unknown": 1},
        "C.g": {"line": 6, "calls": 1, "wrong": 1},
    }
    assert (index["version"], index["trace"]) == (1, "/me/run.algotrace")
    assert index["files"]["/me/prog.py"]["sha256"] == lens_index.fingerprint(SOURCE)


def test_the_function_of_the_buggy_call_is_marked() -> None:
    index = lens_index.build(session({1: {"calls": 1, "wrong": 1}, 2: {"calls": 1}}, found=1))
    assert {name: state.get("buggy", False) for name, state in functions(index).items()} == {
        "C.g": True,
        "f": False,
    }


def test_an_index_comes_back_as_it_was_written(tmp_path: Path) -> None:
    index = lens_index.build(session({1: {"calls": 2}}))
    assert lens_index.write(index, tmp_path)
    assert lens_index.read(tmp_path) == index
    assert [path.name for path in (tmp_path / ".algodebug").iterdir()] == ["lenses.json"]


def test_writing_replaces_the_index_before(tmp_path: Path) -> None:
    lens_index.write(lens_index.build(session({1: {"calls": 2}})), tmp_path)
    later = lens_index.build(session({2: {"calls": 5}}))
    lens_index.write(later, tmp_path)
    assert lens_index.read(tmp_path) == later


def test_a_folder_that_cannot_be_written_is_not_an_error(tmp_path: Path) -> None:
    (tmp_path / ".algodebug").write_text("a file where the folder should be")
    assert not lens_index.write(lens_index.build(session({1: {"calls": 2}})), tmp_path)
    assert lens_index.read(tmp_path) is None


def test_a_replacement_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / ".algodebug" / "lenses.json").mkdir(parents=True)
    assert not lens_index.write(lens_index.build(session({1: {"calls": 2}})), tmp_path)
    assert [path.name for path in (tmp_path / ".algodebug").iterdir()] == ["lenses.json"]


def test_a_workspace_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    assert not lens_index.write(lens_index.build(session({1: {"calls": 2}})), gone)
    assert not gone.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b'{"version": 1',
        b"null",
        json.dumps({"version": 2, "files": {}}).encode(),
        json.dumps({"version": 1, "files": {"/p.py": {"sha256": "x"}}}).encode(),
        json.dumps(
            {"version": 1, "files": {"/p.py": {"sha256": "x", "functions": [{"line": "1"}]}}}
        ).encode(),
    ],
    ids=["empty", "not text", "cut off", "null", "newer", "no functions", "wrong types"],
)
def test_a_damaged_foreign_or_newer_index_reads_as_none(tmp_path: Path, content: bytes) -> None:
    lens_index.path_in(tmp_path).parent.mkdir()
    lens_index.path_in(tmp_path).write_bytes(content)
    assert lens_index.read(tmp_path) is None


@pytest.mark.parametrize("same", ["a = 'ä'\n\n", "a = 'ä'\r\n\r\n", "a = 'ä'\r\r", "\ufeffa = 'ä'\n\n"])
def test_the_fingerprint_does_not_depend_on_how_an_editor_keeps_a_text(same: str) -> None:
    assert lens_index.fingerprint(same) == lens_index.fingerprint("a = 'ä'\n\n")


@pytest.mark.parametrize("other", ["a = 'ä'\n", "a = 'a'\n\n", " a = 'ä'\n\n", "a = 'ä'\n\n\ud800"])
def test_the_fingerprint_depends_on_the_text(other: str) -> None:
    assert lens_index.fingerprint(other) != lens_index.fingerprint("a = 'ä'\n\n")


def test_the_verdict_and_the_values_of_a_call_are_in_it(tmp_path: Path) -> None:
    program = tmp_path / "sums.py"
    program.write_text("def add(a, b):\n    c = a\n    return c - b\n\n\nprint(add(1, 2))\n")
    _, path = Recording([str(program)], trace=tmp_path / "run.algotrace").run()
    assert path is not None
    session = Session(ExecutionTree.from_trace(Trace.open(path)), depth="function")
    try:
        assert "verdict" not in lens_index.build(session)["files"][str(program)]
        session.answer({"answer": "wrong"})
        values: lens_index.ValuesState = {
            "title": "add(1, 2)",
            "lines": [1, 3],
            "values": [{"name": "c", "text": "1", "count": 1, "range": [2, 4, 2, 5]}],
        }
        index = lens_index.build(session, (str(program), values))
        verdict = index["files"][str(program)]["verdict"]
        assert verdict["range"][0] == 2 and "add(1, 2) is where it goes wrong" in verdict["message"]
        assert [other["range"][0] for other in verdict["related"]] == [3]
        assert index["files"][str(program)]["values"] == values
        assert lens_index.write(index, tmp_path) and lens_index.read(tmp_path) == index
    finally:
        session.close()


@pytest.mark.parametrize(
    "broken",
    [
        {"verdict": 1},
        {"verdict": {"range": [1, 2], "message": "", "related": []}},
        {"verdict": {"range": [1, 0, 1, 1], "message": "", "related": [{}]}},
        {"values": {"title": "", "lines": [1], "values": []}},
        {"values": {"title": "", "lines": [1, 2], "values": [{"name": "x"}]}},
    ],
)
def test_a_verdict_or_values_of_another_shape_are_no_index(tmp_path: Path, broken: dict[str, Any]) -> None:
    entry = {"sha256": "0", "functions": [], **broken}
    target = lens_index.path_in(tmp_path)
    target.parent.mkdir()
    target.write_text(json.dumps({"version": lens_index.VERSION, "trace": "", "files": {"/a.py": entry}}))
    assert lens_index.read(tmp_path) is None
