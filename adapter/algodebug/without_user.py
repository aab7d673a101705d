"""Who answers a question before the user is asked: an equal question, an earlier session, an oracle, in this order."""

from __future__ import annotations

from collections.abc import Sequence

from algodebug.answers import EQUAL_QUESTION, TRUSTS, Entry
from algodebug.execution_tree import ExecutionTree
from algodebug.oracles import CodeOracle, Oracle, Verdict
from algodebug.stored_answers import StoredAnswer, StoredAnswers
from algodebug.verdicts import Verdicts


class WithoutUser:
    """Answers about the nodes of one tree that nobody has to give."""

    def __init__(
        self,
        tree: ExecutionTree,
        verdicts: Verdicts,
        stored: StoredAnswers | None,
        oracles: Sequence[Oracle],
    ) -> None:
        self.tree = tree
        self.verdicts = verdicts
        self.stored = stored
        self.oracles = oracles
        self._last_fingerprint: tuple[int, bytes | None] = (-1, None)
        self.silent: set[int] = set()  # what no oracle has anything to say about

    def answer(self, node: int) -> Entry | None:
        """The first answer that somebody has."""
        fingerprint = self.fingerprint(node)
        equal = self.verdicts.equal.get(fingerprint) if fingerprint is not None else None
        if equal is not None:
            return Entry(node, equal.answer, EQUAL_QUESTION, *_texts(self.tree, node), fingerprint)
        if self.stored is not None and (stored := self.stored.of(node)) is not None:
            return self.stored_entry(stored, node)
        if node in self.silent:
            return None
        code, call = self.tree.code(node), self.tree.call(node)
        for oracle in self.oracles:
            verdict: Verdict | None = None
            if call is not None:
                verdict = oracle.judge(call)
            elif code is not None and isinstance(oracle, CodeOracle):
                verdict = oracle.judge_code(code)
            if verdict is not None:
                return Entry(node, verdict.answer, verdict.source, *_texts(self.tree, node), fingerprint)
        if self.oracles:
            self.silent.add(node)
        return None

    def stored_entry(self, stored: StoredAnswer, node: int) -> Entry:
        """An answer of an earlier session, given to a node of this one."""
        fingerprint = None if stored.answer in TRUSTS else self.fingerprint(node)
        texts = _texts(self.tree, node)
        return Entry(node, stored.answer, stored.source, *texts, fingerprint, stored.details, key=stored.key)

    def fingerprint(self, node: int) -> bytes | None:
        """What is the same for equal questions. Needed when a node is about to be asked and again when it is answered."""
        if self._last_fingerprint[0] != node:
            self._last_fingerprint = (node, self.tree.fingerprint(node))
        return self._last_fingerprint[1]


def texts_of(tree: ExecutionTree, node: int) -> tuple[str, str]:
    """How a node is called in the history, short and with what came out of it."""
    return tree.title(node), tree.sentence(node)


def _texts(tree: ExecutionTree, node: int) -> tuple[str, str]:
    """The same of a node that nobody has looked at: there may be thousands of them in a row."""
    return tree.title(node), tree.line(node)
