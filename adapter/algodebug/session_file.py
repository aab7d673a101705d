"""The file in which a session keeps its answers, each before the next question is asked, and from which it goes on.

JSON lines: a header for each session, then its answers; what was undone stays in it, followed by the undo. Between them
stand {"strategy": NAME}, {"depth": DEPTH}, {"ask": NODE} for what else was said, and {"found": NODE} when it was over.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from algodebug.answers import DEPTHS, EQUAL_QUESTION, UNDO, USER, AnswerError, Entry, undone
from algodebug.search import STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from algodebug.execution_tree import ExecutionTree
    from algotrace.trace import Trace

SUFFIX = ".session.jsonl"

Line = Mapping[str, Any]

_EACH_LINE = 'each line is {"answer": …}'
_SAID_BESIDES = ("strategy", "depth", "ask", "found")


def session_file_of(trace: Path) -> Path:
    """Where the answers about a trace are kept."""
    return trace.with_suffix(SUFFIX)


def recording_of(trace: Trace | None) -> str:
    """What tells one recording from all others, those under the same name included; "" where that is not known."""
    started = None if trace is None else trace.environment.get("started")
    return "" if trace is None or started is None else f"{started}-{trace.environment.get('pid')}"


def header_of(tree: ExecutionTree, root: int, strategy: str, depth: str, fresh: bool) -> dict[str, Any]:
    """The first line of a session; a `fresh` one makes those before about the same program forgotten."""
    trace = tree.trace
    return {
        "session": 1,
        "trace": "" if trace is None else trace.path.name,
        "recording": recording_of(trace),
        "program": tree.place(0).file,
        "at": time.time(),
        **({"fresh": True} if fresh else {}),
        "nodes": len(tree),
        "root": root,
        "strategy": strategy,
        "depth": depth,
    }


def body_of(tree: ExecutionTree, entry: Entry) -> dict[str, Any]:
    """An answer as it is written, and as front ends get it."""
    place, part = tree.place(entry.node), tree.code(entry.node)
    return {
        "node": entry.node,
        **({} if part is None else {"code": part.key, "kind": part.kind}),
        "title": entry.title,
        "text": entry.text,
        "answer": entry.answer,
        "source": entry.source,
        "file": place.file,
        "line": place.line,
        **dict(entry.details),
    }


class SessionFile:
    """Open for more lines. When it cannot be written a note says so, and the session goes on without it."""

    def __init__(self, path: Path | None, header: Line, notes: list[str]) -> None:
        self._notes = notes
        self._waiting: list[Line] = [header]
        self._begun = False
        self._held = False
        self._file: TextIO | None = None
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            cut_off = _is_cut_off(path)
            self._file = path.open("a", encoding="utf-8")
            if cut_off:
                self._file.write("\n")  # a crash while the last line was written
        except OSError as error:
            self._give_up(path, error)

    def write(self, line: Line) -> None:
        """Appends a line, at once. What is no answer waits for the first: without one an earlier session still counts."""
        self._waiting.append(line)
        if not self._held and (self._begun or "answer" in line):
            self.begin()

    def begin(self) -> None:
        """Writes what waits: from now on this is the last session of the file."""
        self._begun = True
        if self._file is not None:
            try:
                self._file.write("".join(map(_written, self._waiting)))
                self._file.flush()
            except OSError as error:
                self._give_up(Path(self._file.name), error)
        self._waiting.clear()

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is written inside comes into the file all at once: a crash meanwhile leaves the session before."""
        self._held = True
        yield
        self._held = False
        if any("answer" in line for line in self._waiting):
            self.begin()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _give_up(self, path: Path, error: OSError) -> None:
        self._notes.append(f"answers are not kept: cannot write {path}: {error.strerror or error}")
        self._file = None


def _is_cut_off(path: Path) -> bool:
    if not path.exists() or not path.stat().st_size:
        return False
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read() != b"\n"


def _written(line: Line) -> str:
    text = json.dumps(line, ensure_ascii=False) + "\n"
    # Half of a character is no text that a file could hold as it is.
    return text if text.isascii() or _is_whole(text) else json.dumps(line) + "\n"


def _is_whole(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


class Replay(NamedTuple):
    """What one session said, for another to go on with."""

    header: Line
    answers: list[Line]  # those that still hold; answers to equal questions follow again by themselves
    taken_back: list[Line]
    strategy: str | None
    depth: str | None
    asked: Any  # the node, or the key of the code, that was asked about by wish when the session ended
    finished: bool

    @property
    def recording(self) -> str:
        """Which recording the answers are about; "" where the file does not say."""
        return str(self.header.get("recording") or "")


def sessions_in(lines: Iterable[Line]) -> list[list[Line]]:
    """The sessions of a file, each with its header first, if it has one."""
    found: list[list[Line]] = [[]]
    for line in lines:
        if "answer" not in line and "session" in line:
            found.append([])
        found[-1].append(line)
    return [session for session in found if session]


def replay(lines: Sequence[Line]) -> Replay:
    """The last session in a file. Raises AnswerError for what is no answer."""
    header: Line = {}
    kept: list[Line] = []
    taken_back: list[Line] = []
    last: dict[str, Any] = {}
    for line in (sessions_in(lines) or [[]])[-1]:
        if "answer" not in line:
            if "session" in line:
                header = line
            elif not any(name in line for name in _SAID_BESIDES):
                raise AnswerError(f"not an answer: {json.dumps(line, default=str)[:80]}", _EACH_LINE)
            last.update(line)
            continue
        last.pop("ask", None)
        last.pop("found", None)
        if line["answer"] != UNDO:
            kept.append(line)
        elif count := undone([str(each.get("source", USER)) for each in kept]):
            taken_back.append(kept[-count])
            del kept[-count:]
    return Replay(
        header,
        [line for line in kept if line.get("source") != EQUAL_QUESTION],
        taken_back,
        strategy if isinstance(strategy := last.get("strategy"), str) and strategy in STRATEGIES else None,
        depth if (depth := last.get("depth")) in DEPTHS else None,
        last.get("ask"),
        "found" in last,
    )


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
        except (ValueError, RecursionError):
            if answers and (number == len(lines) or lines[number].startswith('{"session"')):
                continue  # a crash while it was written
            raise AnswerError(f"{path} line {number} is not JSON", _EACH_LINE) from None
        if not isinstance(answer, dict):
            raise AnswerError(f"{path} line {number} is not an answer", _EACH_LINE)
        answers.append(answer)
    return answers
