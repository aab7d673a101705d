"""Sessions are files: what was answered is used again after an edit and a new run, after a crash, and in a replay.

The programs are recorded for real; a corrected copy plays the user.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from test_cli_examples import ALGODEBUG, algodebug, messages, record

from algodebug.answers import STORED
from algodebug.execution_tree import ExecutionTree
from algodebug.oracles.reference_code import ReferenceCodeOracle
from algodebug.session import CODE, Session
from algodebug.session_file import session_file_of
from algodebug.stored_answers import earlier
from algotrace.trace import Trace

PROGRAM = """\
def area(width, height):
    return width + height


def paint(width, height):
    return area(width, height) * 2


def rim(width, height):
    return 2 * (width + height)


def frame(width, height):
    return rim(width, height) * 4


def price(shapes):
    total = 0
    for width, height in shapes:
        total += frame(width, height)
        total -= paint(width, height)
    return total


def main():
    print(price([(2, 3), (4, 5), (1, 1), (7, 8)]))


main()
"""
# One bug in `area`, one in `price`.
HALF_RIGHT = PROGRAM.replace("return width + height", "return width * height")
RIGHT = HALF_RIGHT.replace("total -=", "total +=")


class Told:
    """What happened in one session."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.history: list[dict[str, Any]] = []
        self.result: dict[str, Any] = {}

    def texts(self, source: str) -> list[str]:
        return [entry["text"] for entry in self.history if entry["source"] == source]


class Recordings:
    """Recordings of a program as it is edited; each of them is made once for all tests."""

    def __init__(self, folder: Path) -> None:
        self.program = folder / "program.py"
        self.right = folder / "right" / "program.py"
        self.right.parent.mkdir()
        self.right.write_text(RIGHT)
        self._made: dict[tuple[str, int], Path] = {}
        self._truth: dict[str, str] = {}

    def of(self, text: str, number: int) -> Path:
        """The trace of one run of many of the same text."""
        if (text, number) not in self._made:
            self.program.write_text(text)
            trace = record(self.program, self.program.parent)
            name = f"recording{len(self._made)}.algotrace"
            self._made[text, number] = trace.rename(trace.with_name(name))
        return self._made[text, number]

    def truth(self, tree: ExecutionTree, node: int) -> str:
        """What a corrected copy says about a node."""
        asked = tree.sentence(node)
        if asked not in self._truth:
            assert tree.trace is not None
            oracle = ReferenceCodeOracle(self.right, tree.trace)
            code, call = tree.code(node), tree.call(node)
            verdict = oracle.judge_code(code) if code is not None else oracle.judge(call)  # type: ignore[arg-type]
            self._truth[asked] = "unknown" if verdict is None else verdict.answer
            oracle.close()
        return self._truth[asked]


class Program:
    """A program that is edited and run again and again, in one test."""

    def __init__(self, folder: Path, recordings: Recordings) -> None:
        self.folder = folder
        self.truth = recordings.truth
        self._recordings = recordings
        self._runs: list[str] = []

    def run(self, text: str) -> ExecutionTree:
        """The recording of a run, in a file of its own."""
        trace = self._recordings.of(text, self._runs.count(text))
        self._runs.append(text)
        copy = shutil.copy(trace, self.folder / f"{len(self._runs)}.algotrace")
        return ExecutionTree.from_trace(Trace.open(copy))

    def debug(self, tree: ExecutionTree, most: int = 100, **options: Any) -> Told:
        """A session in which the user answers what a corrected copy says, at most so many questions."""
        assert tree.trace is not None
        told = Told()
        file = session_file_of(tree.trace.path)
        session = Session(tree, session_file=file, before=earlier(tree), **options)
        while (node := session.current()) is not None and len(told.asked) < most:
            told.asked.append(tree.sentence(node))
            session.answer({"answer": self.truth(tree, node)})
        told.history = session.state()["history"]
        told.result = session.state()["result"]
        if told.result is not None:
            session.finish()
        session.close()
        return told


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Recordings:
    return Recordings(tmp_path_factory.mktemp("recordings"))


@pytest.fixture
def program(tmp_path: Path, recordings: Recordings) -> Program:
    return Program(tmp_path, recordings)


@pytest.mark.parametrize("depth", ["function", CODE])
@pytest.mark.parametrize("strategy", ["single-stepping", "top-down"])
def test_after_an_edit_only_changed_code_is_asked_about_again(
    program: Program, depth: str, strategy: str
) -> None:
    first = program.debug(program.run(PROGRAM), depth=depth, strategy=strategy)
    second = program.debug(program.run(HALF_RIGHT), depth=depth, strategy=strategy)
    assert {first.result["function"], second.result["function"]} == {"area", "price"}
    assert second.texts(STORED)
    assert not set(first.asked) & set(second.asked)
    # Without the answers given before there is more to answer.
    alone = Session(program.run(HALF_RIGHT), depth=depth, strategy=strategy)
    count = 0
    while (node := alone.current()) is not None:
        alone.answer({"answer": program.truth(alone.tree, node)})
        count += 1
    assert len(second.asked) < count


def test_changed_code_is_asked_about_although_it_does_the_same(program: Program) -> None:
    program.debug(program.run(PROGRAM), strategy="top-down")
    other = PROGRAM.replace("return width + height", "return height + width")
    asked = program.debug(program.run(other), strategy="top-down").asked
    assert {text.partition("(")[0] for text in asked} == {"area"}


def test_layout_comments_and_other_code_are_no_change(program: Program) -> None:
    first = program.debug(program.run(PROGRAM))
    moved = '"""A program."""\n\nUNUSED = 1\n\n\n' + PROGRAM.replace(
        "    return rim(width, height) * 4",
        "    # all four\n    return (\n        rim(width, height) * 4\n    )",
    )
    second = program.debug(program.run(moved))
    assert second.asked == []
    assert second.result["function"] == first.result["function"]


def test_a_stored_answer_can_be_revised_and_the_new_one_is_stored(program: Program) -> None:
    tree = program.run(PROGRAM)
    program.debug(tree, strategy="top-down")
    again = program.run(PROGRAM)
    assert again.trace is not None
    file = session_file_of(again.trace.path)
    session = Session(again, session_file=file, before=earlier(again), strategy="top-down")
    entry = next(e for e in session.state()["history"] if e["title"].startswith("area("))
    assert (entry["source"], entry["answer"]) == (STORED, "wrong")
    session.answer({"answer": "correct", "node": entry["node"]})
    assert session.verdict(entry["node"]) == "correct"
    assert session.verdict_source(entry["node"]) == "user"
    session.close()
    third = program.run(PROGRAM)
    history = Session(third, before=earlier(third)).state()["history"]
    assert [e["answer"] for e in history if e["title"] == entry["title"]] == ["correct"]


def test_undo_takes_stored_answers_back_when_there_is_no_other(program: Program) -> None:
    program.debug(program.run(PROGRAM), strategy="top-down", depth="function")
    tree = program.run(PROGRAM)
    assert tree.trace is not None
    session = Session(tree, session_file=session_file_of(tree.trace.path), before=earlier(tree))
    before = session.state()["history"]
    last = before[-1]
    session.undo()
    assert session.current() == last["node"]
    assert session.state()["question"]["why"] == "you picked it"
    # Nor is it given again, here or later, until somebody answers.
    session.answer({"answer": "unknown"})
    session.undo()
    session.close()
    third = program.run(PROGRAM)
    assert last["text"] not in [e["text"] for e in Session(third, before=earlier(third)).state()["history"]]
    while session.can_undo:
        session.undo()
    assert session.state()["history"] == []


@pytest.mark.parametrize("answer", ["trust-function", "trust-module"])
def test_trust_lasts_until_what_is_trusted_changes(program: Program, answer: str) -> None:
    tree = program.run(PROGRAM)
    assert tree.trace is not None
    session = Session(tree, session_file=session_file_of(tree.trace.path))
    frame = next(n for n in range(len(tree)) if tree.place(n).function == "frame")
    session.answer({"answer": answer, "node": frame})
    session.close()
    same = program.run(PROGRAM)
    assert Session(same, before=earlier(same)).verdict(frame) == "trusted"
    elsewhere = program.run(HALF_RIGHT)
    trusted = Session(elsewhere, before=earlier(elsewhere)).verdict(frame) == "trusted"
    assert trusted == (answer == "trust-function")
    changed = program.run(PROGRAM.replace("* 4", "* 5"))
    assert Session(changed, before=earlier(changed)).verdict(frame) is None


@pytest.mark.parametrize(("edit", "verdict"), [("width * height", "correct"), ("width - height", "wrong")])
def test_an_expected_value_judges_what_the_changed_code_gives(
    program: Program, edit: str, verdict: str
) -> None:
    tree = program.run(PROGRAM)
    assert tree.trace is not None
    area = next(n for n in range(len(tree)) if tree.place(n).function == "area")
    session = Session(tree, session_file=session_file_of(tree.trace.path))
    session.answer({"answer": "wrong", "node": area, "expected": "6"})
    session.close()
    changed = program.run(PROGRAM.replace("return width + height", f"return {edit}"))
    session = Session(changed, before=earlier(changed))
    assert session.verdict(area) == verdict
    assert session.verdict_source(area) == STORED


def test_marks_are_stored_with_the_answer(program: Program) -> None:
    tree = program.run(PROGRAM)
    assert tree.trace is not None
    session = Session(tree, session_file=session_file_of(tree.trace.path))
    session.answer({"answer": "inadmissible", "node": 4, "argument": "width"})
    session.close()
    again = program.run(PROGRAM)
    file = session_file_of(again.trace.path)  # type: ignore[union-attr]
    Session(again, before=earlier(again), session_file=file).close()
    line = json.loads(file.read_text().splitlines()[-1])
    assert (line["answer"], line["argument"], line["source"]) == ("inadmissible", "width", STORED)


def test_fresh_forgets_for_good(program: Program) -> None:
    first = program.debug(program.run(PROGRAM))
    tree = program.run(PROGRAM)
    assert tree.trace is not None
    file = session_file_of(tree.trace.path)
    fresh = Session(tree, before=earlier(tree, fresh=True), session_file=file)
    assert fresh.state()["history"] == []
    fresh.close()
    assert program.debug(program.run(PROGRAM)).asked == first.asked


def test_a_session_of_another_recording_is_a_file_of_answers(program: Program, tmp_path: Path) -> None:
    tree = program.run(PROGRAM)
    first = program.debug(tree, depth=CODE)
    answers = session_file_of(tree.trace.path)  # type: ignore[union-attr]
    other = program.run("\n\n" + PROGRAM)
    session = Session(other, before=earlier(other, answers=answers), depth=CODE)
    assert session.current() is None
    result = session.state()["result"]
    assert result["function"] == first.result["function"]
    assert "answers-file" in result["answered_by"]
    assert not {STORED, "user"} & result["answered_by"].keys()


def test_a_finished_session_about_a_recording_is_not_gone_on_with(program: Program) -> None:
    tree = program.run(PROGRAM)
    assert program.debug(tree).asked == program.debug(tree).asked


@pytest.mark.parametrize("asked", [0, 1, 3])
def test_an_interrupted_session_goes_on_where_it_was(program: Program, asked: int) -> None:
    whole = program.debug(program.run(PROGRAM), strategy="top-down", depth=CODE)
    for file in program.folder.glob("*.session.jsonl"):
        file.unlink()
    tree = program.run(PROGRAM)
    first = program.debug(tree, most=asked, strategy="top-down", depth=CODE)
    # The strategy and the depth are the session's, too.
    second = program.debug(tree, **({} if asked else {"strategy": "top-down", "depth": CODE}))
    assert first.asked + second.asked == whole.asked
    assert second.result["text"] == whole.result["text"]


@pytest.mark.parametrize("answers", [1, 2])
def test_a_killed_debugger_goes_on_with_the_same_question(tmp_path: Path, answers: int) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    trace = record(program, tmp_path)
    command = [*ALGODEBUG, "debug", str(trace), "--json", "--depth", "code"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert process.stdin and process.stdout
    with process:
        question = json.loads(process.stdout.readline())["question"]
        for _ in range(answers):
            process.stdin.write('{"answer": "wrong"}\n')
            process.stdin.flush()
            question = json.loads(process.stdout.readline())["question"]
        # A question that was picked is the open one again.
        node = 4 if question["id"] != 4 else 5
        process.stdin.write(f'{{"ask": {node}}}\n')
        process.stdin.flush()
        picked = json.loads(process.stdout.readline())["question"]
        process.send_signal(signal.SIGKILL)
    with trace.with_suffix(".session.jsonl").open("a") as file:
        file.write('{"answer": "corr')  # and the crash was in the middle of a line
    again = messages(algodebug("debug", trace, "--json", cwd=tmp_path))
    assert again == [{"question": picked}]
    again = messages(algodebug("debug", trace, "--json", stdin='{"answer": "undo"}\n', cwd=tmp_path))
    assert len(again) == 2


def test_the_command_line_uses_and_forgets_stored_answers(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    run = ("run", "--json", "--strategy", "top-down")
    lines = '{"answer": "wrong"}\n' * 2
    first = messages(algodebug(*run, program, stdin=lines, cwd=tmp_path))
    program.write_text(HALF_RIGHT)
    second = messages(algodebug(*run, program, cwd=tmp_path))
    # `main` printed something else, so it is another question, and `price` returned something else.
    assert second[0]["question"]["function"] == first[0]["question"]["function"]
    program.write_text(PROGRAM)
    third = messages(algodebug(*run, program, cwd=tmp_path))
    assert third == [{"question": {**first[-1]["question"]}}]
    fresh = messages(algodebug(*run, "--fresh", program, cwd=tmp_path))
    assert fresh[0]["question"]["text"] == first[0]["question"]["text"]
    assert messages(algodebug(*run, program, cwd=tmp_path))[0] == fresh[0]


def test_an_interrupted_session_is_not_in_the_way_of_another_root(program: Program) -> None:
    tree = program.run(PROGRAM)
    program.debug(tree, most=2, strategy="top-down")
    assert tree.trace is not None
    session = Session(tree, root=1, before=earlier(tree))
    assert session.current() not in (None, 1)
    assert [entry["node"] for entry in session.state()["history"]] == [2]


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe",
        b"nonsense\n",
        b"[]\n",
        b'{"session": 1, "at": "noon", "strategy": ["top-down"], "depth": {}, "fresh": 3}\n{"answer": []}\n',
        b'{"session": 1}\n{"answer": "correct", "key": 7, "source": {}, "node": []}\n{"answer": "undo"}\n',
    ],
)
def test_session_files_of_strangers_are_no_hindrance(program: Program, line: bytes) -> None:
    tree = program.run(PROGRAM)
    first = program.debug(tree)
    assert tree.trace is not None
    tree.trace.path.with_name("a.session.jsonl").write_bytes(line)
    with session_file_of(tree.trace.path).open("ab") as file:
        file.write(b"cut o")
    again = program.run(PROGRAM)
    assert program.debug(again).result["text"] == first.result["text"]
