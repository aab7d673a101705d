"""The symptom of most programs is a line that they print: the search starts with it.

What the search began with is wrong by assumption; which line of its output is wrong says where to look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from algodebug.answers import WRONG, AnswerError
from algodebug.slicing import parse_criterion, slicer_of
from algodebug.slicing.criteria import PRINTED
from algodebug.slicing.origin import shows_values
from algodebug.slicing.printed_lines import find_line, line_at

if TYPE_CHECKING:
    from algodebug.session import Session
    from algotrace.trace import Trace


def call_wrong(session: Session, wanted: str) -> None:
    """Takes the answer that a line of the output is wrong: its number, counted from 1, or the wrong text in it."""
    trace = session.tree.trace
    if trace is None:
        raise AnswerError("nothing was recorded that prints")
    try:
        mark = _mark(trace, session.root, wanted.strip())
    except ValueError as error:
        hint = "the number of a line, from 1, or a text that only one line has"
        raise AnswerError(str(error), hint) from None
    session.answer({"answer": WRONG, "node": session.root, "mark": mark})


def _mark(trace: Trace, node: int, wanted: str) -> str:
    """The line; where a text in it is named that shows some values of several, these characters of it."""
    number = find_line(trace, node, wanted)
    mark = f"{PRINTED}[{number}]"
    text = line_at(trace, node, number).text
    start = text.find(wanted)
    if wanted.lstrip("-").isdecimal() or start < 0 or len(wanted) >= len(text.strip()):
        return mark
    characters = f"{mark}[{start}:{start + len(wanted)}]"
    # A text may be named for no more than to say which line it is.
    return characters if shows_values(slicer_of(trace), parse_criterion(trace, node, characters)) else mark
