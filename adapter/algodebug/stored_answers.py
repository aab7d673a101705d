"""Answers of earlier sessions that still apply: after an edit and a new run, after a crash, in a replay.

The session files beside the traces are the store; there is no other. A line of theirs has the key of what it is about
(`answer_keys`), so it is found again in any recording, whatever the numbers of the nodes are there. Of several answers
with one key the last holds. An expected value says what the result must be for some inputs, whatever the code is now.

Not reused are answers of a finished session about the same recording: who opens that again wants to be asked again. An
unfinished one, stopped by a crash or by the user, goes on where it was.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from algodebug.answer_keys import AnswerKeys
from algodebug.answers import (
    ANSWERS,
    ANSWERS_FILE,
    BY_HAND,
    CORRECT,
    DETAILS,
    EQUAL_QUESTION,
    NOT_CALLED,
    STORED,
    TRUSTS,
    USER,
    WRONG,
    AnswerError,
)
from algodebug.execution_tree import ExecutionTree
from algodebug.session_file import (
    SUFFIX,
    Line,
    Replay,
    read_answers,
    recording_of,
    replay,
    session_file_of,
    sessions_in,
)

_MOST_FILES = 200
_MOST_BYTES = 10_000_000
_MOST_LOOKED_AT = 300  # calls that are compared with stored answers before anything is asked
_LONG = (
    200_000  # events of calls, taken together; longer ones are compared only when they are about to be asked
)
_LONGEST_VALUE = 10_000


class StoredAnswer(NamedTuple):
    """One answer of an earlier session."""

    key: str
    answer: str
    details: tuple[tuple[str, str], ...] = ()
    context: str | None = None  # what else must be the same
    inputs: str | None = None  # the key of the inputs for which a result is expected
    function: tuple[str, str] = ("", "")  # file and name
    program: str = ""
    source: str = STORED


class StoredAnswers:
    """What is known about the nodes of one tree from earlier sessions. The user may revise any of it."""

    def __init__(self, answers: Iterable[StoredAnswer], keys: AnswerKeys) -> None:
        self.keys = keys
        self._known = {answer.key: answer for answer in answers}
        self._expected = {
            answer.inputs: answer
            for answer in self._known.values()
            if answer.inputs is not None and dict(answer.details).get("expected") is not None
        }

    def __len__(self) -> int:
        return len(self._known)

    def of(self, node: int) -> StoredAnswer | None:
        """What was said about a node like this one."""
        if not self._known or (key := self.keys.of(node)) is None:
            return None
        found = self._known.get(key)
        if found is not None:
            same = found.context is None or found.context == self.keys.of_context(node)
            return found if same else None
        return self._by_expectation(node) if self._expected else None

    def _by_expectation(self, node: int) -> StoredAnswer | None:
        call = self.keys.tree.call(node)
        inputs = None if call is None else self.keys.of_inputs(node)
        wanted = None if inputs is None else self._expected.get(inputs)
        if call is None or wanted is None:
            return None
        value = call.outcome.value
        text = None if value is None else value.text(_LONGEST_VALUE)
        if call.outcome.kind == "raise":
            met: bool | None = False
        else:
            met = (
                None
                if text is None or not text.literal
                else _equal(text.text, dict(wanted.details)["expected"])
            )
        # A call that does more than to return something is not known to do the rest well.
        if met is None or (met and (call.changes or call.printed is not None)):
            return None
        key = self.keys.of(node)
        return None if key is None else wanted._replace(key=key, answer=CORRECT if met else WRONG)

    def recognised(self, root: int) -> list[tuple[int, StoredAnswer]]:
        """Nodes that answers are known about, as far as they are soon found, in the order in which these were given.

        So the search starts with what is known, and not only where it comes across it.
        """
        tree = self.keys.tree
        trace = tree.trace
        if trace is None or not self._known:
            return []
        functions = {answer.function for answer in self._known.values()}
        places = {place.routine for place in tree.places if (place.file, place.function) in functions}
        found: dict[str, tuple[int, StoredAnswer]] = {}
        looked_at, left = 0, _LONG
        for node in tree.subtree(root):
            if tree.routine[node] not in places or node == root:
                continue
            events = trace.end[node] - trace.start[node]
            if events > left:
                continue
            looked_at, left = looked_at + 1, left - events
            answer = self.of(node)
            if answer is not None:
                found.setdefault(answer.key, (node, answer))
            if looked_at == _MOST_LOOKED_AT or len(found) == len(self._known):
                break
        for node, answer in self._trusted():
            found.setdefault(answer.key, (node, answer))
        order = {key: position for position, key in enumerate(self._known)}
        return sorted(found.values(), key=lambda each: order.get(each[1].key, len(order)))

    def _trusted(self) -> Iterator[tuple[int, StoredAnswer]]:
        """A call of each function that was trusted, by itself or with its file."""
        tree = self.keys.tree
        trusted = [known for known in self._known.values() if known.answer in TRUSTS]
        files, functions = {known.function[0] for known in trusted}, {known.function for known in trusted}
        called = set(tree.routine) if trusted else set[int]()
        places = [place for place in tree.places if place.file in files and place.routine in called]
        # First the function that the question was about; the file may have been trusted with it.
        for place in sorted(places, key=lambda place: (place.file, place.function) not in functions):
            for answer in {known.answer for known in trusted}:
                key = self.keys.of_trust(place.routine, answer)
                known = None if key is None else self._known.get(key)
                if known is not None:
                    yield tree.routine.index(place.routine), known

    def decline(self, key: str | None) -> None:
        """An answer was taken back: it is not given again."""
        if key is not None and (gone := self._known.pop(key, None)) is not None and gone.inputs is not None:
            self._expected.pop(gone.inputs, None)


class Earlier(NamedTuple):
    """What a session begins with."""

    replayed: Sequence[Line] = ()
    replayed_by: str = ANSWERS_FILE
    stored: StoredAnswers | None = None
    forgets: bool = False


def earlier(
    tree: ExecutionTree,
    *,
    answers: Path | None = None,
    fresh: bool = False,
    session_files: Iterable[Path] = (),
) -> Earlier:
    """What was said before about a recording and others: in one file, if one is given, else in the files beside the trace.

    Raises AnswerError and OSError for `answers` alone; what else cannot be read is as if it were not there.
    """
    trace = tree.trace
    if fresh or trace is None:
        return Earlier(forgets=fresh)
    recording = recording_of(trace)
    if answers is not None:
        given = read_answers(answers)
        told = replay(given)
        if not told.recording or not recording or told.recording == recording:
            return Earlier(given)
        found = [answer._replace(source=ANSWERS_FILE) for answer in _answers_in(told)]
        return Earlier(stored=StoredAnswers(found, AnswerKeys(tree)))
    own = session_file_of(trace.path)
    sessions = _sessions(own.parent, [own, *session_files])
    known: dict[str, StoredAnswer] = {}
    unfinished: list[Line] = []
    for lines in sessions:
        told = replay(lines)
        program = str(told.header.get("program"))
        if told.header.get("fresh"):
            known = {key: answer for key, answer in known.items() if answer.program != program}
        if recording and told.recording == recording:
            unfinished = [] if told.finished else lines
        else:
            known.update((answer.key, answer) for answer in _answers_in(told))
        for line in told.taken_back:
            if line.get("source") == STORED:
                known.pop(str(line.get("key")), None)
    stored = StoredAnswers(known.values(), AnswerKeys(tree))
    return Earlier(unfinished, STORED, stored)


def _sessions(folder: Path, more: Iterable[Path]) -> list[list[Line]]:
    """All sessions in the files of a folder, the oldest first; the latest ones, where they are very many."""
    files: dict[Path, float] = {}
    try:
        beside = [path for path in folder.iterdir() if path.name.endswith(SUFFIX)]
    except OSError:
        beside = []
    for path in (*beside, *more):
        try:
            status = path.stat()
        except OSError:
            continue
        if status.st_size <= _MOST_BYTES:
            files[path.absolute()] = status.st_mtime
    found: list[tuple[float, list[Line]]] = []
    for path in sorted(files, key=lambda path: files[path])[-_MOST_FILES:]:
        try:
            for session in sessions_in(read_answers(path)):
                replay(session)
                at = session[0].get("at")
                found.append((at if isinstance(at, (int, float)) else files[path], session))
        except (OSError, AnswerError):
            continue
    return [session for _, session in sorted(found, key=lambda each: each[0])]


def _answers_in(told: Replay) -> Iterator[StoredAnswer]:
    for line in told.answers:
        source = line.get("source", USER)
        key, answer = line.get("key"), line.get("answer")
        if source not in (*BY_HAND, STORED) or source == EQUAL_QUESTION:
            continue
        if not isinstance(key, str) or answer not in ANSWERS:
            continue
        context = line.get("context")
        inputs = line.get("inputs")
        yield StoredAnswer(
            key,
            str(answer),
            tuple((name, str(line[name])) for name in DETAILS if line.get(name) is not None),
            context if isinstance(context, str) else None,
            inputs if isinstance(inputs, str) else None,
            (str(line.get("file")), str(line.get("function"))),
            str(told.header.get("program")),
        )


def line_of(keys: AnswerKeys, node: int, answer: str, details: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """What the line of an answer says besides, for other recordings."""
    tree = keys.tree
    if answer in TRUSTS:
        key = keys.of_trust(tree.routine[tree.call_of(node)], answer)
        return {} if key is None else {"key": key}
    key = keys.of(node)
    if key is None:
        return {}
    told = {"key": key}
    if answer == NOT_CALLED:
        told["context"] = keys.of_context(node) or ""
    given = dict(details)
    if answer == WRONG and "expected" in given and given.get("mark", "result") in ("", "result"):
        inputs = keys.of_inputs(node)
        if inputs is not None:
            told["inputs"] = inputs
    return told


def _equal(text: str, expected: str) -> bool | None:
    """Is a literal the value that was expected? None where that cannot be told."""
    if len(expected) > _LONGEST_VALUE:
        return None
    try:
        one, two = ast.literal_eval(text), ast.literal_eval(expected.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return True if text.split() == expected.split() else None
    if one == two and type(one) is not type(two):
        return None  # 3 for 3.0, True for 1: who wrote that may have meant either
    return bool(one == two)
