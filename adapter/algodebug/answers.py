"""What can be answered, who answers, and one answer of a session's history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

CORRECT, WRONG, UNKNOWN = "correct", "wrong", "unknown"
INADMISSIBLE, NOT_CALLED = "inadmissible", "should-not-have-been-called"
TRUST_FUNCTION, TRUST_MODULE, UNDO = "trust-function", "trust-module", "undo"
# Enough: the function is all the user wants to know.
STOP = "stop"
ANSWERS = (CORRECT, WRONG, UNKNOWN, INADMISSIBLE, NOT_CALLED, TRUST_FUNCTION, TRUST_MODULE, UNDO, STOP)
# What says that a node is not to blame itself, and nothing below it either.
RIGHT = (CORRECT, INADMISSIBLE, NOT_CALLED)
TRUSTS = (TRUST_FUNCTION, TRUST_MODULE)
# How far the search goes: to the function, down to a statement in it, down to one expression of that, or to the code
# where there are no calls to ask about.
FUNCTION, CODE, EXPRESSION, AUTO = "function", "code", "expression", "auto"
DEPTHS = (FUNCTION, CODE, EXPRESSION, AUTO)

# Who gave a verdict.
USER, TRUST, EQUAL_QUESTION, ANSWERS_FILE = "user", "trust", "equal-question", "answers-file"
# Somebody in an earlier session.
STORED = "stored answer"
BY_HAND = (USER, TRUST, ANSWERS_FILE)

# What an answer can say besides.
DETAILS = ("mark", "expected", "argument")


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
    # What the answer is about, for other recordings: see `answer_keys`.
    key: str | None = None

    @property
    def mark(self) -> str:
        """The part that was called wrong; "" where that is all of it."""
        return dict(self.details).get("mark", "")


def undone(sources: Sequence[str]) -> int:
    """How many of the last answers an undo takes back, told by who gave them; 0 where there is nothing to undo.

    It is the last one given by hand with all that followed from it; where none was, the last one of an earlier session.
    """
    for wanted in (BY_HAND, (STORED,)):
        for count, source in enumerate(reversed(sources), 1):
            if source in wanted:
                return count
    return 0
