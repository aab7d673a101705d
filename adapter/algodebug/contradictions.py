"""Pairs of answers that cannot both be true: equal questions answered differently, parts against the whole.

The whole is a call, a loop, iterations or a statement; its parts are the code in it. Calls that a call made are no parts
in this sense: what they did wrong may have been of no use.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from algodebug.answers import CORRECT, WRONG, Entry
from algodebug.code_nodes import CodeNode, inside
from algodebug.verdicts import Verdicts
from algodebug.whereabouts import within


class Contradiction(NamedTuple):
    """Two answers, in the order in which they were given, and why one of them must be wrong."""

    one: Entry
    two: Entry
    why: str

    @property
    def text(self) -> str:
        one, two = self.one, self.two
        return f"{self.why}: {one.text} ({one.answer}); {two.text} ({two.answer})"


def contradictions(verdicts: Verdicts) -> list[Contradiction]:
    """All of them; of wrong code in several things called right, the one with the least of these."""
    return [*_equal_questions(verdicts), *_parts_of_the_whole(verdicts)]


def _equal_questions(verdicts: Verdicts) -> Iterator[Contradiction]:
    first: dict[bytes, Entry] = {}
    for entry in verdicts.entries.values():
        if entry.fingerprint is None or entry.answer not in (CORRECT, WRONG):
            continue
        other = first.setdefault(entry.fingerprint, entry)
        if other.answer != entry.answer:
            yield Contradiction(other, entry, "the same question was answered differently")


def _parts_of_the_whole(verdicts: Verdicts) -> Iterator[Contradiction]:
    given = {node: number for number, node in enumerate(verdicts.entries)}

    def pair(whole: Entry, part: Entry, why: str) -> Contradiction:
        one, two = sorted((whole, part), key=lambda entry: given[entry.node])
        return Contradiction(one, two, why)

    for call, judged in _code_judged(verdicts).items():
        right = [(entry, code) for entry, code in judged if entry.answer == CORRECT]
        around = verdicts.entries.get(call)
        for entry, code in judged:
            if entry.answer != WRONG:
                continue
            least = _least_around(code, right)
            if least is None and around is not None and around.answer == CORRECT:
                least = around
            if least is not None:
                yield pair(least, entry, "a part was called wrong and the whole right")
            if code.own == 0 and (parts := _all_right(code, right)):
                yield pair(
                    entry, max(parts, key=lambda part: given[part.node]), "all its parts were called right"
                )


def _code_judged(verdicts: Verdicts) -> dict[int, list[tuple[Entry, CodeNode]]]:
    """The code with answers of its own, by call."""
    found = defaultdict(list)
    for entry in verdicts.entries.values():
        code = verdicts.tree.code(entry.node)
        if code is not None:
            found[code.code.node].append((entry, code))
    return found


def _least_around(code: CodeNode, right: list[tuple[Entry, CodeNode]]) -> Entry | None:
    around = [(whole.end - whole.start, entry) for entry, whole in right if _is_part(code, whole)]
    return min(around, key=lambda each: each[0])[1] if around else None


def _is_part(code: CodeNode, whole: CodeNode) -> bool:
    """Of the same time is what contains the other: the rest of that left no trace."""
    same_time = (code.start, code.end) == (whole.start, whole.end)
    return inside(code, whole) if same_time else within(code, whole)


def _all_right(code: CodeNode, right: list[tuple[Entry, CodeNode]]) -> list[Entry]:
    """The answers that call all parts of some code right, which is nothing but its parts; none where one is not."""
    found = []
    pending = list(code.children)
    while pending:
        part = pending.pop()
        entry = _least_around(part, right)
        if entry is not None:
            found.append(entry)
        elif part.own == 0 and part.children and any(within(inner, part) for _, inner in right):
            pending += part.children
        else:
            return []
    return found
