"""A session: one search over one execution tree, its verdicts, who gave them, and the question open now.

The verdicts are the state; the suspicious area follows from them. So an answer can be undone or changed at any time,
and answering nodes in any order is as good as answering the questions. The only I/O is the session file: every
answer is in it before the next question is asked.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, TextIO

from algodebug.buggy_code import buggy_code
from algodebug.execution_tree import ExecutionTree
from algodebug.oracles import Oracle, Verdict
from algodebug.question import Body
from algodebug.search import DEFAULT_STRATEGY, STRATEGIES, SuspiciousArea, Weights, strategies

CORRECT, WRONG, UNKNOWN = "correct", "wrong", "unknown"
INADMISSIBLE, NOT_CALLED = "inadmissible", "should-not-have-been-called"
TRUST_FUNCTION, TRUST_MODULE, UNDO = "trust-function", "trust-module", "undo"
ANSWERS = (CORRECT, WRONG, UNKNOWN, INADMISSIBLE, NOT_CALLED, TRUST_FUNCTION, TRUST_MODULE, UNDO)

# Who gave a verdict.
USER, TRUST, EQUAL_QUESTION, ANSWERS_FILE = "user", "trust", "equal-question", "answers-file"

_HISTORY_SENT = 500
_DETAILS = ("mark", "expected", "argument")


class AnswerError(Exception):
    """An answer that cannot be taken; the question stays open."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True)
class Entry:
    """One answer of the history."""

    node: int
    answer: str
    source: str
    title: str
    text: str  # the title with the outcome
    fingerprint: bytes | None = None
    details: tuple[tuple[str, str], ...] = ()
    # The question the user had picked when answering, which an undo brings back.
    picked: int | None = None

    @property
    def by_hand(self) -> bool:
        return self.source in (USER, TRUST, ANSWERS_FILE)


class Session:
    """Asks until the buggy node is found. `root` is wrong by assumption and never asked."""

    def __init__(
        self,
        tree: ExecutionTree,
        *,
        strategy: str = DEFAULT_STRATEGY,
        root: int = 0,
        oracles: Sequence[Oracle] = (),
        session_file: Path | None = None,
        answers: Sequence[Mapping[str, Any]] = (),
        trust: Sequence[str] = (),
    ) -> None:
        if root not in tree:
            raise AnswerError(f"there is no node {root}", f"nodes are numbered 0 to {len(tree) - 1}")
        self.tree = tree
        self.root = root
        self.oracles = list(oracles)
        self.notes: list[str] = []
        self._strategy = _checked_strategy(strategy)
        self._trusted_by_name = self._routines_named(trust)
        self._history: list[Entry] = []
        self._picked: int | None = None
        self._settled = False  # is `_current` up to date?
        self._current: int | None = None
        self._chain = tree.raising_chain(root)
        self._weights: dict[frozenset[int], Weights] = {}
        self._calls: Counter[int] | None = None
        self._questions: dict[int, Body] = {}
        self._last_fingerprint: tuple[int, bytes | None] = (-1, None)
        self._verdicts: dict[int, Entry] = {}
        self._derived: dict[int, str] = {}
        self._equal: dict[bytes, Entry] = {}
        self._trusted: frozenset[int] = frozenset()
        self._area = self._rebuild()
        self._file: TextIO | None = None
        self._header_written = False
        self._open_file(session_file)
        for answer in _effective(answers):
            self._take(answer, ANSWERS_FILE)

    # What is asked

    def state(self) -> dict[str, Any]:
        """Everything a view shows."""
        node = self.current()
        result = None if node is not None else self._result()
        status = "asking" if result is None else "found" if result["found"] else "exhausted"
        trace = self.tree.trace
        return {
            "status": status,
            "question": None if node is None else self.question(node),
            "result": result,
            "strategy": self._strategy,
            "strategies": [{"name": s.name, "label": s.label} for s in STRATEGIES.values()],
            "history": [self._history_body(entry) for entry in self._history[-_HISTORY_SENT:]],
            "nodes": len(self.tree),
            "answered": len(self._history),
            "remaining": 0 if node is None else self.remaining(),
            "trace": "" if trace is None else str(trace.path),
            "error": None,
            "canUndo": self.can_undo,
            "notes": list(self.notes),
        }

    def current(self) -> int | None:
        """The node asked about now; None when the search is over.

        Whatever equal questions and oracles can answer is answered on the way.
        """
        while not self._settled:
            node = self._picked if self._picked is not None else self._choose()
            entry = None if node is None or self._picked is not None else self._answered_without_user(node)
            if entry is not None:
                self._add(entry)
                continue
            self._current, self._settled = node, True
        return self._current

    def question(self, node: int) -> Body:
        """The question about a node with why it is asked and about how many are left."""
        body = self._questions.get(node)
        if body is None:
            self._questions.clear()  # one question is looked at many times, older ones hardly ever
            body = self._questions[node] = self.tree.question(node)
        return {**body, "why": self._why(node), "remaining": self.remaining()}

    def remaining(self) -> int:
        """About how many questions are left."""
        area = self._area
        total = area.total
        if total <= 0:
            return 1 if self._picked is not None else 0
        halvings = math.ceil(math.log2(total + 1))
        if self._strategy == "divide-and-query":
            return halvings
        if self._strategy == "single-stepping":
            return (total + 1) // 2
        siblings = sum(1 for _ in islice(area.children_left(area.top), 1000))
        return max(halvings, (siblings + 1) // 2)

    def _choose(self) -> int | None:
        last = self._history[-1].node if self._history else None
        if self._strategy == DEFAULT_STRATEGY and self._chain:
            node = strategies.halve_chain(self._area, self._chain)
            if node is not None:
                return node
        return STRATEGIES[self._strategy].choose(self._area, last)

    def _why(self, node: int) -> str:
        area, tree = self._area, self.tree
        if self._picked is not None:
            return "you picked it"
        if not area.askable(node):
            return "it was answered before"
        if self._strategy == DEFAULT_STRATEGY and node in self._chain:
            return "it is on the chain of calls that raised the error which ended the program"
        total, below = area.total, area.weight(node)
        if self._strategy == "divide-and-query":
            right, wrong = total - below, below - 1
            if total == 1:
                return "it is the only call left"
            if abs(right - wrong) <= 1:
                return f"it splits the remaining {total} in half"
            return f"of the remaining {total}, {right} stay if it is right and {wrong} if it is wrong"
        if self._strategy == "single-stepping":
            return "everything it called is right"
        top = tree.place(area.top).function
        if self._strategy == "heaviest-first":
            return f"of the calls made by {top}, which went wrong, it did most"
        return f"it is the next call made by {top}, which went wrong"

    def _answered_without_user(self, node: int) -> Entry | None:
        fingerprint = self._fingerprint(node)
        equal = self._equal.get(fingerprint) if fingerprint is not None else None
        if equal is not None:
            return Entry(node, equal.answer, EQUAL_QUESTION, *self._texts(node), fingerprint)
        call = self.tree.call(node)
        if call is None:
            return None
        for oracle in self.oracles:
            verdict: Verdict | None = oracle.judge(call)
            if verdict is not None:
                return Entry(node, verdict.answer, verdict.source, *self._texts(node), fingerprint)
        return None

    def _fingerprint(self, node: int) -> bytes | None:
        # Needed when a node is about to be asked and again when it is answered.
        if self._last_fingerprint[0] != node:
            self._last_fingerprint = (node, self.tree.fingerprint(node))
        return self._last_fingerprint[1]

    def _texts(self, node: int) -> tuple[str, str]:
        return self.tree.title(node), self.tree.sentence(node)

    # What the user does

    @property
    def strategy(self) -> str:
        return self._strategy

    @strategy.setter
    def strategy(self, name: str) -> None:
        self._strategy = _checked_strategy(name)
        self._picked = None
        self._settled = False

    @property
    def answered(self) -> int:
        """How many nodes were judged, by whomever."""
        return len(self._history)

    @property
    def can_undo(self) -> bool:
        return any(entry.by_hand for entry in self._history)

    def answer(self, answer: Mapping[str, Any]) -> None:
        """Takes `{"answer": …, "node"?, "mark"?, "expected"?, "argument"?}`; without a node, for the open question."""
        self._take(answer, USER)

    def ask(self, node: int) -> None:
        """Makes a node the open question, whether the strategy would have picked it or not."""
        self._check_node(node)
        self._picked = node
        self._settled = False

    def undo(self) -> None:
        """Takes back the last answer given by hand and all that followed from it."""
        if not self.can_undo:
            raise AnswerError("there is no answer to undo", "")
        while True:
            entry = self._history.pop()
            if entry.by_hand:
                break
        self._picked = entry.picked
        self._area = self._rebuild()
        self._settled = False
        self._write({"answer": UNDO})

    def _take(self, answer: Mapping[str, Any], source: str) -> None:
        given = answer.get("answer")
        if given not in ANSWERS:
            raise AnswerError(f"unknown answer {given!r}", f"one of: {', '.join(ANSWERS)}")
        if given == UNDO:
            self.undo()
            return
        node = answer.get("node")
        if node is None:
            node = self.current()
            if node is None:
                raise AnswerError("no question is open", "the search is over; undo goes back")
        self._check_node(node)
        details = []
        for name in _DETAILS:
            if answer.get(name) is not None:
                if not isinstance(answer[name], str):
                    raise AnswerError(f"{name} is not a string", f"give {name} as text")
                details.append((name, answer[name]))
        trust = given in (TRUST_FUNCTION, TRUST_MODULE)
        entry = Entry(
            node,
            given,
            TRUST if trust and source == USER else source,
            *self._texts(node),
            None if trust else self._fingerprint(node),
            tuple(details),
            self._picked,
        )
        self._picked = None
        self._add(entry)

    def _check_node(self, node: object) -> None:
        if node not in self.tree:
            raise AnswerError(
                f"there is no node {json.dumps(node, default=str)}",
                f"nodes are numbered 0 to {len(self.tree) - 1}",
            )
        if node == self.root:
            raise AnswerError(
                f"node {node} is where the search started: it is taken as wrong and not asked",
                "answer for one of the calls below it",
            )

    # What follows from the answers

    def verdict(self, node: int) -> str | None:
        """correct, wrong, unknown, inadmissible, should-not-have-been-called, trusted or None."""
        entry = self._verdicts.get(node)
        if entry is not None:
            return entry.answer
        if self.tree.routine[node] in self._trusted and node != self.root:
            return "trusted"
        if node == self.root:
            return WRONG
        return self._derived.get(node)

    def verdict_source(self, node: int) -> str | None:
        """Who gave a node's verdict."""
        entry = self._verdicts.get(node)
        if entry is not None:
            return entry.source
        if self.tree.routine[node] in self._trusted and node != self.root:
            return TRUST
        return INADMISSIBLE if node in self._derived else None

    def buggy_node(self) -> int | None:
        """The node to blame, once the search is over."""
        return self._area.top if self.current() is None else None

    def judged(self) -> dict[int, str]:
        """The nodes with a verdict of their own."""
        return {node: entry.answer for node, entry in self._verdicts.items()}

    def counts(self, routine: int) -> dict[str, int]:
        """How many calls of a routine there are and what is known about them."""
        if self._calls is None:
            self._calls = Counter(self.tree.routine)
        calls = self._calls[routine]
        counts = {"calls": calls, CORRECT: 0, WRONG: 0, UNKNOWN: 0, "trusted": 0}
        judged = [
            *((node, entry.answer) for node, entry in self._verdicts.items()),
            *((node, answer) for node, answer in self._derived.items() if node not in self._verdicts),
        ]
        for node, answer in judged:
            if self.tree.routine[node] == routine and answer in counts:
                counts[answer] += 1
        if routine in self._trusted:
            counts["trusted"] = calls
        return counts

    def _add(self, entry: Entry) -> None:
        self._history.append(entry)
        self._settled = False
        revised = entry.node in self._verdicts or entry.node in self._derived
        if revised or entry.answer in (TRUST_FUNCTION, TRUST_MODULE) or not self._apply(entry):
            self._area = self._rebuild()
        self._write(self._line(entry))

    def _apply(self, entry: Entry) -> bool:
        """Brings the area up to date with a new verdict; False when it has to be made anew."""
        area, node = self._area, entry.node
        self._remember(entry)
        if entry.answer == CORRECT:
            if node in area and node != area.top:
                area.remove(node)
            return not self.tree.inside(area.top, node)
        if entry.answer == UNKNOWN:
            area.skip(node)
            return True
        if entry.answer == WRONG:
            if node in area and self._may_be_blamed(node):
                area.narrow(node)
                return True
            return False
        return False

    def _remember(self, entry: Entry) -> None:
        self._verdicts[entry.node] = entry
        if entry.fingerprint is not None and entry.answer in (CORRECT, WRONG, UNKNOWN):
            self._equal[entry.fingerprint] = entry

    def _may_be_blamed(self, node: int) -> bool:
        return node == self.root or self.tree.routine[node] not in self._trusted

    def _rebuild(self) -> SuspiciousArea:
        """The area that follows from the history; of several answers for a node the last one holds."""
        self._trusted = self._trusted_by_name | self._routines_trusted()
        self._verdicts, self._derived, self._equal = {}, {}, {}
        for entry in self._history:
            if entry.answer not in (TRUST_FUNCTION, TRUST_MODULE):
                self._verdicts.pop(entry.node, None)  # so that the order is the order of the last answers
                self._remember(entry)
        top = self.root
        tree = self.tree
        for node, entry in self._verdicts.items():
            wrong: int | None = None
            if entry.answer == WRONG:
                wrong = node
            elif entry.answer in (INADMISSIBLE, NOT_CALLED):
                # The call itself is not to blame, whoever made it with these inputs is.
                wrong = tree.parent[node]
                while not self._may_be_blamed(wrong) and wrong != self.root:
                    wrong = tree.parent[wrong]
                if wrong >= 0 and wrong not in self._verdicts:
                    self._derived[wrong] = WRONG
            # A wrong call inside the one known to be wrong says more, one around it says nothing new.
            if (
                wrong is not None
                and tree.inside(wrong, self.root)
                and self._may_be_blamed(wrong)
                and not tree.inside(top, wrong)
            ):
                top = wrong
        weights = self._weights.get(self._trusted)
        if weights is None:
            self._weights.clear()
            weights = self._weights[self._trusted] = Weights(tree, self._trusted)
        area = SuspiciousArea(tree, top, weights)
        for node, entry in self._verdicts.items():
            if entry.answer in (CORRECT, INADMISSIBLE, NOT_CALLED):
                if node in area and node != top:
                    area.remove(node)
            elif entry.answer == UNKNOWN:
                area.skip(node)
        return area

    def _routines_trusted(self) -> frozenset[int]:
        places = self.tree.places
        trusted: set[int] = set()
        for entry in self._history:
            place = self.tree.place(entry.node)
            if entry.answer == TRUST_FUNCTION:
                trusted.add(place.routine)
            elif entry.answer == TRUST_MODULE:
                trusted.update(p.routine for p in places if p.module == place.module)
        return frozenset(trusted)

    def _routines_named(self, names: Sequence[str]) -> frozenset[int]:
        """Routines by qualified name, plain name, or the dotted name of their module."""
        wanted = set(names)
        if not wanted:
            return frozenset()
        trusted = set()
        for place in self.tree.places:
            parts = PurePath(place.file).with_suffix("").parts
            modules = {".".join(parts[i:]) for i in range(len(parts))}
            plain = place.function.rpartition(".")[2]
            if wanted & {place.function, plain} or wanted & modules:
                trusted.add(place.routine)
        return frozenset(trusted)

    # The verdict

    def _result(self) -> dict[str, Any]:
        """Names the buggy call.

        When calls that nobody could judge may hide the bug, nothing is claimed to be found: `found` is False and
        `candidates` names all of them, the call known to be wrong first.
        """
        area, tree = self._area, self.tree
        node = area.top
        place = tree.place(node)
        unknown = area.unknown()
        candidates = [
            {"node": n, "function": p.function, "file": p.file, "line": p.line, "title": tree.title(n)}
            for n, p in ((n, tree.place(n)) for n in ([node, *unknown] if unknown else []))
        ]
        given = Counter(entry.source for entry in self._history)
        title = tree.title(node)
        if unknown:
            named = ", ".join(str(c["title"]) for c in candidates[:5])
            text = f"The bug is in one of {len(candidates)} calls: {named}"
            text += ", …" if len(candidates) > 5 else ""
        elif tree.size[node] == 1:
            text = f"{title} is where it goes wrong: it called nothing else."
        else:
            text = f"{title} is where it goes wrong: the calls it made are right."
        return {
            "found": not unknown,
            "node": node,
            "function": place.function,
            "file": place.file,
            "line": place.line,
            **buggy_code(tree, node),
            "questions": sum(given.values()) - given[TRUST] - given[EQUAL_QUESTION],
            "answered_by": dict(given),
            "candidates": candidates,
            "title": title,
            "text": text,
        }

    # The session file

    def _open_file(self, path: Path | None) -> None:
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            self._give_up_file(path, error)

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._file is None:
            return
        trace = self.tree.trace
        header = {
            "session": 1,
            "trace": "" if trace is None else trace.path.name,
            "nodes": len(self.tree),
            "root": self.root,
            "strategy": self._strategy,
        }
        try:
            # The header comes with the first answer: a session without answers must not hide an earlier one.
            if not self._header_written:
                self._file.write(json.dumps(header, ensure_ascii=False) + "\n")
                self._header_written = True
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._file.flush()
        except OSError as error:
            self._give_up_file(Path(self._file.name), error)

    def _give_up_file(self, path: Path, error: OSError) -> None:
        self.notes.append(f"answers are not kept: cannot write {path}: {error.strerror or error}")
        self._file = None

    def _line(self, entry: Entry) -> dict[str, Any]:
        return {**self._history_body(entry), **dict(entry.details)}

    def _history_body(self, entry: Entry) -> dict[str, Any]:
        place = self.tree.place(entry.node)
        return {
            "node": entry.node,
            "title": entry.title,
            "text": entry.text,
            "answer": entry.answer,
            "source": entry.source,
            "file": place.file,
            "line": place.line,
        }

    def close(self) -> None:
        """Closes the session file and lets the oracles go."""
        if self._file is not None:
            self._file.close()
            self._file = None
        for oracle in self.oracles:
            oracle.close()


def _checked_strategy(name: str) -> str:
    if not isinstance(name, str) or name not in STRATEGIES:
        raise AnswerError(f"there is no strategy {name!r}", f"one of: {', '.join(STRATEGIES)}")
    return name


def _effective(answers: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The answers of the last session in a file that still hold: without those undone and what followed from them.

    Answers to equal questions follow again by themselves.
    """
    kept: list[Mapping[str, Any]] = []
    for line in answers:
        if "answer" not in line:
            if "session" in line:
                kept.clear()
                continue
            raise AnswerError(
                f"not an answer: {json.dumps(line, default=str)[:80]}", 'each line is {"answer": …}'
            )
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
        raise AnswerError(f"{path} is not a file of answers", 'each line is {"answer": …}') from None
    answers: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            answer = json.loads(line)
        except ValueError:
            if number == len(lines) and answers:
                break  # a crash while it was written
            raise AnswerError(f"{path} line {number} is not JSON", 'each line is {"answer": …}') from None
        if not isinstance(answer, dict):
            raise AnswerError(f"{path} line {number} is not an answer", 'each line is {"answer": …}')
        answers.append(answer)
    return answers
