"""Whether a method of a container that was kept may have been called by code that is not recorded: told from the texts of the
program, when a trace is read.

Calls by code of the file where it was kept are seen. So are those by other files, as a method at once; of all else that these do
with it, it is taken that it may be called unseen.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Sequence

from algotrace.held_values import ANY_ATTRIBUTE
from algotrace.marks import Range
from algotrace.stored import Source
from algotrace.used_elsewhere import escapes_elsewhere
from algotrace.value_flow import ValueFlow

_MOST_CHARACTERS = 3_000_000  # of all files that are looked at
_BY_ANY_NAME = r"__dict__|vars|locals|globals|getattr|attrgetter|methodcaller"
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class KeptMethods:
    """What is known of them in one trace."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self._flows: dict[int, ValueFlow | None] = {}
        self._known: dict[tuple[int, Range], bool] = {}
        self._left = _MOST_CHARACTERS

    def may_be_called_unseen(self, source: int, at: Range | None) -> bool:
        """Whether that is so for the method that is looked up at a place of the text."""
        if at is None:
            return True
        known = self._known.get((source, at))
        if known is None:
            known = self._known[source, at] = self._escapes(source, at)
        return known

    def is_method(self, source: int, at: Range | None) -> bool:
        """Whether something is looked up at a place that may be one."""
        flow = self._flow(source) if at is not None else None
        return flow is None or at is None or flow.method_at(at) is not None

    def _flow(self, source: int) -> ValueFlow | None:
        """None where the text is too long, or cannot be read."""
        if source not in self._flows:
            flow, text = None, self._sources[source].text
            self._left -= len(text)
            if self._left >= 0:
                with contextlib.suppress(*_UNREADABLE):
                    flow = ValueFlow(text)
            self._flows[source] = flow
        return self._flows[source]

    def _escapes(self, source: int, at: Range) -> bool:
        flow = self._flow(source)
        method = None if flow is None else flow.method_at(at)
        if flow is None or method is None:
            return True
        holders = flow.holders_of(method)
        return holders is None or self._is_used_elsewhere(
            source, {each for each in holders if is_known_elsewhere(each)}
        )

    def _is_used_elsewhere(self, source: int, holders: set[str]) -> bool:
        names = {re.escape(holder.partition("(")[0]) for holder in holders}
        if not names:
            return False
        mentioned = re.compile(rf"\b(?:{'|'.join(sorted(names))}|{_BY_ANY_NAME})\b")
        for number, other in enumerate(self._sources):
            if number != source and mentioned.search(other.text) and self._may_use(other.text, holders):
                return True
        return False

    def _may_use(self, text: str, holders: Iterable[str]) -> bool:
        self._left -= len(text)
        if self._left < 0:
            return True
        try:
            return escapes_elsewhere(text, holders)
        except _UNREADABLE:
            return True


def is_known_elsewhere(holder: str) -> bool:
    """Whether it is no variable of a function."""
    return ":" not in holder and "@" not in holder and not holder.startswith(ANY_ATTRIBUTE)
