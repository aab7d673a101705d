"""Pairs of answers that cannot both be true: equal questions answered differently, parts against the whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from algodebug.answers import CORRECT, WRONG, Entry
from algodebug.code_search import CodeSearch
from algodebug.verdicts import Verdicts


class Contradiction(NamedTuple):
    """Two answers, in the order in which they were given, and why one of them must be wrong."""

    one: Entry
    two: Entry
    why: str

    @property
    def text(self) -> str:
        one, two = self.one, self.two
        return f"{self.why}: {one.text} ({one.answer}); {two.text} ({two.answer})"


def contradictions(verdicts: Verdicts, search: CodeSearch | None) -> list[Contradiction]:
    """All of them; `search` is the one in the code of the wrong call, where there is one."""
    return [*_equal_questions(verdicts), *_parts_of_the_whole(verdicts, search)]


def _equal_questions(verdicts: Verdicts) -> Iterator[Contradiction]:
    first: dict[bytes, Entry] = {}
    for entry in verdicts.entries.values():
        if entry.fingerprint is None or entry.answer not in (CORRECT, WRONG):
            continue
        other = first.setdefault(entry.fingerprint, entry)
        if other.answer != entry.answer:
            yield Contradiction(other, entry, "the same question was answered differently")


def _parts_of_the_whole(verdicts: Verdicts, search: CodeSearch | None) -> Iterator[Contradiction]:
    if search is None or search.top.own or search.total():
        return
    whole = verdicts.entries.get(search.top.id)
    parts = [verdicts.entries.get(child.id) for child in search.top.children]
    if whole is not None and (part := next(filter(None, reversed(parts)), None)) is not None:
        yield Contradiction(whole, part, "all its parts were called right")
