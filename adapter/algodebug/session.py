"""A session: one search over one execution tree, the answers given so far, and the question open now.

The answers are the state; everything else follows from them. So an answer can be undone or changed at any time, and
answering nodes in any order is as good as answering the questions. What follows is elsewhere: `verdicts`, `whereabouts`,
`next_question`, `conclusion`, `contradictions`. The only I/O is the session file: every answer is in it before the next
question is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from algodebug.answer_checks import check_details, check_node, checked_depth, checked_strategy, details_of
from algodebug.answer_keys import AnswerKeys
from algodebug.answers import (
    ANSWERS,
    AUTO,
    BY_HAND,
    CODE,
    DEPTHS,
    EQUAL_QUESTION,
    FUNCTION,
    STOP,
    STORED,
    TRUST,
    TRUST_FUNCTION,
    TRUST_MODULE,
    TRUSTS,
    UNDO,
    USER,
    WRONG,
    AnswerError,
    Entry,
    undone,
)
from algodebug.conclusion import conclusion
from algodebug.contradictions import contradictions
from algodebug.execution_tree import ExecutionTree
from algodebug.next_question import NextQuestion
from algodebug.oracles import Oracle
from algodebug.question import Body
from algodebug.search import DEFAULT_STRATEGY, STRATEGIES
from algodebug.session_file import Replay, SessionFile, body_of, header_of, read_answers, replay
from algodebug.stored_answers import Earlier, line_of
from algodebug.verdicts import Verdicts, routines_named
from algodebug.whereabouts import Whereabouts
from algodebug.without_user import WithoutUser, texts_of

__all__ = [
    "AUTO",
    "CODE",
    "DEPTHS",
    "FUNCTION",
    "TRUST_FUNCTION",
    "TRUST_MODULE",
    "AnswerError",
    "Session",
    "read_answers",
]

_HISTORY_SENT = 500


class Session:
    """Asks until the buggy node is found. `root` is wrong by assumption and never asked."""

    def __init__(
        self,
        tree: ExecutionTree,
        *,
        strategy: str | None = None,
        root: int = 0,
        oracles: Sequence[Oracle] = (),
        session_file: Path | None = None,
        answers: Sequence[Mapping[str, Any]] = (),
        trust: Sequence[str] = (),
        depth: str | None = None,
        before: Earlier | None = None,
    ) -> None:
        """`before` is what earlier sessions have to say, `answers` the lines of a file of answers."""
        if root not in tree or tree.code(root) is not None:
            raise AnswerError(f"there is no node {root}", f"nodes are numbered 0 to {len(tree) - 1}")
        before = before or Earlier(answers)
        told = replay(before.replayed)
        self.tree = tree
        self.root = root
        self.oracles = list(oracles)
        self.notes: list[str] = []
        self._stored = before.stored
        self._keys = AnswerKeys(tree) if before.stored is None else before.stored.keys
        self._history: list[Entry] = []
        self._verdicts = Verdicts(tree, root, routines_named(tree, trust))
        self._without_user = WithoutUser(tree, self._verdicts, self._stored, self.oracles)
        self._where = Whereabouts(tree, root, self._verdicts)
        self._next = NextQuestion(
            self._verdicts,
            self._where,
            checked_strategy(strategy or told.strategy or DEFAULT_STRATEGY),
            checked_depth(depth or told.depth or AUTO),
        )
        self._picked: int | None = None
        self._settled = False  # is `_current` up to date?
        self._current: int | None = None
        self._questions: dict[int, Body] = {}
        self._file = SessionFile(
            session_file, header_of(tree, root, self.strategy, self.depth, before.forgets), self.notes
        )
        if before.forgets:
            self._file.begin()
        with self._file.together():
            self._begin(told, before)

    def _begin(self, told: Replay, before: Earlier) -> None:
        """Takes what was said before."""
        if self._stored is not None and not told.answers:
            # Or these are among the answers of the session that goes on.
            for node, answer in self._stored.recognised(self.root):
                self._add(self._without_user.stored_entry(answer, node))
        for line in told.answers:
            try:
                self._take(line, before.replayed_by)
            except AnswerError:
                # Another root, say: what nobody asked for must not be in the way.
                if before.replayed_by != STORED:
                    raise
        asked = None if told.asked is None else self._node_of(told.asked)
        if asked is not None:
            self.ask(asked)

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
            "strategy": self.strategy,
            "strategies": [{"name": s.name, "label": s.label} for s in STRATEGIES.values()],
            "history": [body_of(self.tree, self._as_it_holds(e)) for e in self._history[-_HISTORY_SENT:]],
            "nodes": len(self.tree),
            "answered": len(self._history),
            "remaining": 0 if node is None else self.remaining(),
            "trace": "" if trace is None else str(trace.path),
            "error": None,
            "canUndo": self.can_undo,
            "canZoom": result is not None and self.can_zoom,
            "depth": self.depth,
            "contradictions": self.contradictions(),
            "notes": list(self.notes),
        }

    def current(self) -> int | None:
        """The node asked about now; None when the search is over.

        Whatever equal questions and oracles can answer is answered on the way.
        """
        while not self._settled:
            node = self._picked
            if node is None:
                last = self.tree.call_of(self._history[-1].node) if self._history else None
                node = self._next.choose(last)
                entry = None if node is None else self._answered_without_user(node, last)
                if entry is not None and entry.node not in self._verdicts.entries:
                    self._add(entry)
                    continue
                if node is None and self._judged_class():
                    continue
            self._current, self._settled = node, True
        return self._current

    def _answered_without_user(self, node: int, last: int | None) -> Entry | None:
        """An answer for the node picked, or for another one that says about as much, that nobody has to give."""
        without_user = self._without_user
        entry = without_user.answer(node)
        if entry is None and self.oracles:
            for other in self._next.instead(node, without_user.silent, last):
                entry = without_user.answer(other)
                if entry is not None:
                    break
        return entry

    def _judged_class(self) -> bool:
        """Was something learned of the class body behind the call to blame?

        A class is among what a method is given: before the method is blamed, whoever answers without being asked says
        whether the class was right. The user is not troubled with it.
        """
        body = self.tree.class_body_of(self._where.area.top)
        if body is None or self._verdicts.known(body) or not self.tree.inside(body, self.root):
            return False
        entry = self._without_user.answer(body)
        if entry is None:
            return False
        self._add(entry)
        return True

    def question(self, node: int) -> Body:
        """The question about a node with why it is asked and about how many are left."""
        body = self._questions.get(node)
        if body is None:
            self._questions.clear()  # one question is looked at many times, older ones hardly ever
            body = self._questions[node] = self.tree.question(node)
        why = "you picked it" if self._picked is not None else self._next.why(node)
        return {**body, "why": why, "remaining": self.remaining()}

    def remaining(self) -> int:
        """About how many questions are left."""
        return self._next.remaining(self._picked is not None)

    @property
    def can_zoom(self) -> bool:
        """Is the search over, with code inside the call found that could be asked about?"""
        return self._next.can_zoom

    # What the user does

    @property
    def strategy(self) -> str:
        return self._next.strategy

    @strategy.setter
    def strategy(self, name: str) -> None:
        self._next.strategy = checked_strategy(name)
        self._picked = None
        self._settled = False
        self._file.write({"strategy": name})

    @property
    def depth(self) -> str:
        """How far the search goes."""
        return self._next.depth

    @depth.setter
    def depth(self, depth: str) -> None:
        self._next.depth = checked_depth(depth)
        self._picked = None
        self._settled = False
        self._file.write({"depth": depth})

    @property
    def answered(self) -> int:
        """How many nodes were judged, by whomever."""
        return len(self._history)

    @property
    def can_undo(self) -> bool:
        return undone([entry.source for entry in self._history]) > 0

    def answer(self, answer: Mapping[str, Any]) -> None:
        """Takes `{"answer": …, "node"?, "mark"?, "expected"?, "argument"?}`; without a node, for the open question."""
        self._take(answer, USER)

    def ask(self, node: int) -> None:
        """Makes a node the open question, whether the strategy would have picked it or not."""
        check_node(self.tree, self.root, node)
        self._picked = node
        self._settled = False
        code = self.tree.code(node)
        self._file.write({"ask": node if code is None else code.key})

    def revise(self, number: int) -> None:
        """Asks again what an answer of the history was given to, by its number from 1."""
        if not 1 <= number <= len(self._history):
            raise AnswerError(f"there is no answer {number}", "history shows them with their numbers")
        entry = self._history[number - 1]
        if entry.answer in TRUSTS:
            raise AnswerError("trust is no answer to a question", "undo takes it back")
        self.ask(entry.node)

    def numbered_answers(self) -> list[str]:
        """The answers so far, each in a line, with the numbers by which they are revised."""
        entries = [(number, self._as_it_holds(entry)) for number, entry in enumerate(self._history, 1)]
        return [f"{number}. {e.text}: {e.answer} ({e.source})" for number, e in entries[-_HISTORY_SENT:]]

    def undo(self) -> None:
        """Takes back the last answer given by hand and all that followed from it; then those of earlier sessions."""
        count = undone([entry.source for entry in self._history])
        if not count:
            raise AnswerError("there is no answer to undo", "")
        entry = self._history[-count]
        del self._history[-count:]
        self._picked = entry.picked
        if entry.source == STORED:
            if self._stored is not None:
                self._stored.decline(entry.key)
            if entry.answer not in TRUSTS:
                self._picked = entry.node
        self._reread()
        self._settled = False
        self._file.write({"answer": UNDO})

    def finish(self) -> None:
        """Notes in the session file that the search is over: there is nothing to go on with."""
        if (node := self.buggy_node()) is not None:
            self._file.write({"found": node})

    def _take(self, answer: Mapping[str, Any], source: str) -> None:
        given = answer.get("answer")
        if given not in ANSWERS:
            raise AnswerError(f"unknown answer {given!r}", f"one of: {', '.join(ANSWERS)}")
        if given == UNDO:
            self.undo()
            return
        if given == STOP:
            self.depth = FUNCTION
            return
        node = answer.get("node")
        if answer.get("code") is not None:
            node = self._node_of(answer["code"])
            if node is None:
                raise AnswerError(
                    "there is no such code in this recording", "answers are kept for one recording"
                )
        if node is None:
            node = self.current()
            if node is None:
                raise AnswerError("no question is open", "the search is over; undo goes back")
        details = details_of(answer)
        about_root = node == self.root and given == WRONG and dict(details).get("mark")
        if not about_root:  # or it is known to be wrong, but which part of it is news
            check_node(self.tree, self.root, node)
        if about_root or source == USER:
            check_details(self.tree, node, given, dict(details))
        trust = given in TRUSTS
        if trust:
            node = self.tree.call_of(node)
        entry = Entry(
            node,
            given,
            TRUST if trust and source == USER else source,
            *texts_of(self.tree, node),
            None if trust or node == self.root else self._without_user.fingerprint(node),
            details,
            self._picked,
        )
        self._picked = None
        self._add(entry)

    def _node_of(self, told: Any) -> int | None:
        """The node that a session file names: a call by number, code by its key."""
        if isinstance(told, int):
            return told if told in self.tree and told != self.root else None
        found = None if self.tree.codes is None else self.tree.codes.find(told)
        return None if found is None else found.id

    # What follows from the answers

    def verdict(self, node: int) -> str | None:
        """correct, wrong, unknown, inadmissible, should-not-have-been-called, trusted or None."""
        return self._verdicts.verdict(node)

    def verdict_source(self, node: int) -> str | None:
        """Who gave a node's verdict."""
        return self._verdicts.source(node)

    def buggy_node(self) -> int | None:
        """The node to blame, once the search is over."""
        return self._where.area.top if self.current() is None else None

    def judged(self) -> dict[int, str]:
        """The calls with a verdict of their own."""
        return self._verdicts.of_calls()

    def counts(self, routine: int) -> dict[str, int]:
        """How many calls of a routine there are and what is known about them."""
        return self._verdicts.counts(routine)

    def contradictions(self) -> list[dict[str, Any]]:
        """Pairs of answers that cannot both be true."""
        return [
            {"answers": [body_of(self.tree, each.one), body_of(self.tree, each.two)], "text": each.text}
            for each in contradictions(self._verdicts)
        ]

    def _as_it_holds(self, entry: Entry) -> Entry:
        """An answer taken from an equal question changes with that."""
        return self._verdicts.entries.get(entry.node, entry) if entry.source == EQUAL_QUESTION else entry

    def _result(self) -> dict[str, Any]:
        return conclusion(self._verdicts, self._where, self._next.inside, self._history, self.oracles)

    def _add(self, entry: Entry) -> None:
        self._history.append(entry)
        self._settled = False
        if entry.answer in TRUSTS or self._verdicts.known(entry.node):
            self._reread()
        else:
            self._verdicts.add(entry)
            if not self._where.take(entry):
                self._reread()
        line = body_of(self.tree, entry)
        if entry.source in (*BY_HAND, STORED):
            # For other recordings; what an oracle said it says again.
            line["function"] = self.tree.place(entry.node).function
            line.update(line_of(self._keys, entry.node, entry.answer, entry.details))
        self._file.write(line)

    def _reread(self) -> None:
        """Everything that follows from the history, made anew."""
        self._verdicts.read(self._history)
        self._where.update()

    def close(self) -> None:
        """Closes the session file and lets the oracles go."""
        self._file.close()
        for oracle in self.oracles:
            oracle.close()
