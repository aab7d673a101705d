"""The file in which a session keeps its answers, each before the next question is asked, and from which it goes on.

JSON lines: a header for each session, then its answers; what was undone stays in it, followed by the undo.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from algodebug.answers import ANSWERS_FILE, EQUAL_QUESTION, TRUST, UNDO, USER, AnswerError

SUFFIX = ".session.jsonl"

_EACH_LINE = 'each line is {"answer": …}'


def session_file_of(trace: Path) -> Path:
    """Where the answers about a trace are kept."""
    return trace.with_suffix(SUFFIX)


class SessionFile:
    """Open for more lines. When it cannot be written a note says so, and the session goes on without it."""

    def __init__(self, path: Path | None, header: Mapping[str, Any], notes: list[str]) -> None:
        self._header = header
        self._notes = notes
        self._begun = False
        self._file: TextIO | None = None
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            self._give_up(path, error)

    def write(self, line: Mapping[str, Any]) -> None:
        """Appends a line, at once."""
        if self._file is None:
            return
        try:
            # The header comes with the first answer: a session without answers must not hide an earlier one.
            if not self._begun:
                self._file.write(json.dumps(self._header, ensure_ascii=False) + "\n")
                self._begun = True
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._file.flush()
        except OSError as error:
            self._give_up(Path(self._file.name), error)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _give_up(self, path: Path, error: OSError) -> None:
        self._notes.append(f"answers are not kept: cannot write {path}: {error.strerror or error}")
        self._file = None


def effective(answers: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The answers of the last session in a file that still hold: without those undone and what followed from them.

    Answers to equal questions follow again by themselves.
    """
    kept: list[Mapping[str, Any]] = []
    for line in answers:
        if "answer" not in line:
            if "session" in line:
                kept.clear()
                continue
            raise AnswerError(f"not an answer: {json.dumps(line, default=str)[:80]}", _EACH_LINE)
        if line["answer"] != UNDO:
            kept.append(line)
            continue
        while kept and kept[-1].get("source", USER) not in (USER, TRUST, ANSWERS_FILE):
            kept.pop()
        if kept:
            kept.pop()
    return [line for line in kept if line.get("source") != EQUAL_QUESTION]


def read_answers(path: Path) -> list[dict[str, Any]]:
    """Reads a session file, or any file of JSON lines with answers; the last line may be cut off."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise AnswerError(f"{path} is not a file of answers", _EACH_LINE) from None
    answers: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            answer = json.loads(line)
        except ValueError:
            if number == len(lines) and answers:
                break  # a crash while it was written
            raise AnswerError(f"{path} line {number} is not JSON", _EACH_LINE) from None
        if not isinstance(answer, dict):
            raise AnswerError(f"{path} line {number} is not an answer", _EACH_LINE)
        answers.append(answer)
    return answers
