"""What the answers so far say about each node, who said it, and which routines are trusted.

Of several answers for a node the last one holds. What follows from an answer for other nodes is kept apart (`derived`):
whoever made a call that should not have been made is wrong, although nobody said so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePath

from algodebug.answers import (
    CORRECT,
    EQUAL_QUESTION,
    INADMISSIBLE,
    TRUST,
    TRUST_FUNCTION,
    TRUST_MODULE,
    TRUSTS,
    UNKNOWN,
    WRONG,
    Entry,
)
from algodebug.execution_tree import ExecutionTree


class Verdicts:
    """The answers that hold, by node; `root` is wrong by assumption."""

    def __init__(self, tree: ExecutionTree, root: int, trusted_by_name: frozenset[int] = frozenset()) -> None:
        self.tree = tree
        self.root = root
        self._trusted_by_name = trusted_by_name
        self._calls: Counter[int] | None = None
        self.entries: dict[int, Entry] = {}  # in the order in which they were given
        self.derived: dict[int, str] = {}
        self.equal: dict[bytes, Entry] = {}
        self.trusted = trusted_by_name

    def read(self, history: Iterable[Entry]) -> None:
        """Starts anew with a history."""
        history = list(history)
        self.trusted = self._trusted_by_name | self._routines_trusted(history)
        self.entries, self.derived, self.equal = {}, {}, {}
        said: dict[bytes, str] = {}  # the last answer to each question
        for entry in history:
            if entry.source != EQUAL_QUESTION and entry.fingerprint is not None:
                said[entry.fingerprint] = entry.answer
        for entry in history:
            if entry.source == EQUAL_QUESTION and entry.fingerprint is not None:
                # It follows the answer that it was taken from, when that is changed.
                entry = replace(entry, answer=said.get(entry.fingerprint, entry.answer))
            if entry.answer not in TRUSTS:
                self.entries.pop(entry.node, None)  # so that the order is the order of the last answers
                self.add(entry)

    def add(self, entry: Entry) -> None:
        """One more answer about a node."""
        self.entries[entry.node] = entry
        if entry.fingerprint is not None and entry.answer in (CORRECT, WRONG, UNKNOWN):
            self.equal[entry.fingerprint] = entry

    def known(self, node: int) -> bool:
        """Was something said about a node, or does it follow from what was said?"""
        return node in self.entries or node in self.derived

    def verdict(self, node: int) -> str | None:
        """correct, wrong, unknown, inadmissible, should-not-have-been-called, trusted or None."""
        entry = self.entries.get(node)
        if entry is not None:
            return entry.answer
        if self.tree.code(node) is not None:
            return self.derived.get(node)
        if self.is_trusted(node) and node != self.root:
            return "trusted"
        if node == self.root:
            return WRONG
        return self.derived.get(node)

    def source(self, node: int) -> str | None:
        """Who gave a node's verdict."""
        entry = self.entries.get(node)
        if entry is not None:
            return entry.source
        if self.tree.code(node) is None and self.is_trusted(node) and node != self.root:
            return TRUST
        return INADMISSIBLE if node in self.derived else None

    def of_calls(self) -> dict[int, str]:
        """The calls with a verdict of their own."""
        return {node: entry.answer for node, entry in self.entries.items() if self.tree.code(node) is None}

    def counts(self, routine: int) -> dict[str, int]:
        """How many calls of a routine there are and what is known about them."""
        if self._calls is None:
            self._calls = Counter(self.tree.routine)
        calls = self._calls[routine]
        counts = {"calls": calls, CORRECT: 0, WRONG: 0, UNKNOWN: 0, "trusted": 0}
        judged = [
            *((node, entry.answer) for node, entry in self.entries.items()),
            *((node, answer) for node, answer in self.derived.items() if node not in self.entries),
        ]
        for node, answer in judged:
            if self.tree.code(node) is None and self.tree.routine[node] == routine and answer in counts:
                counts[answer] += 1
        if routine in self.trusted:
            counts["trusted"] = calls
        return counts

    # Trust

    def is_trusted(self, node: int) -> bool:
        """Is a call's routine trusted?"""
        return self.tree.routine[node] in self.trusted

    def may_be_blamed(self, node: int) -> bool:
        """The root may, whoever trusts its routine."""
        return node == self.root or not self.is_trusted(node)

    def _routines_trusted(self, history: Iterable[Entry]) -> frozenset[int]:
        places = self.tree.places
        trusted: set[int] = set()
        for entry in history:
            if entry.answer not in TRUSTS:
                continue
            place = self.tree.place(entry.node)
            if entry.answer == TRUST_FUNCTION:
                trusted.add(place.routine)
            elif entry.answer == TRUST_MODULE:
                trusted.update(p.routine for p in places if p.module == place.module)
        return frozenset(trusted)


def routines_named(tree: ExecutionTree, names: Sequence[str]) -> frozenset[int]:
    """Routines by qualified name, plain name, or the dotted name of their module."""
    wanted = set(names)
    if not wanted:
        return frozenset()
    trusted = set()
    for place in tree.places:
        parts = PurePath(place.file).with_suffix("").parts
        modules = {".".join(parts[i:]) for i in range(len(parts))}
        plain = place.function.rpartition(".")[2]
        if wanted & {place.function, plain} or wanted & modules:
            trusted.add(place.routine)
    return frozenset(trusted)
