"""Answers and wishes in words, typed in a terminal or into a debug console: what a line means.

Carrying it out is left to whoever it was typed to.
"""

from __future__ import annotations

import re

import attrs


@attrs.frozen
class Answer:
    """An answer to the question asked."""

    answer: str
    mark: str | None = None
    argument: str | None = None
    expected: str | None = None


@attrs.frozen
class Depth:
    """The search ends at the function, or goes on inside it."""

    depth: str


@attrs.frozen
class Zoom:
    """A part of the node is asked about ("in"), or what it is a part of ("out")."""

    direction: str


@attrs.frozen
class Where:
    """Where a value comes from."""

    mark: str


@attrs.frozen
class Who:
    """Who changed a value."""

    mark: str


@attrs.frozen
class Parts:
    """All of a value is shown, with its parts from a number on, counted from 1."""

    name: str
    start: int = 1


@attrs.frozen
class Printed:
    """The lines of output are shown (None), or one of them is called wrong."""

    line: str | None


@attrs.frozen
class Lines:
    """The lines that a value depends on."""

    mark: str


@attrs.frozen
class Undo:
    """The last answer is taken back."""


@attrs.frozen
class Ask:
    """Another node is asked about."""

    node: int


@attrs.frozen
class Revise:
    """An answer of the history, by its number from 1, is given anew."""

    number: int


@attrs.frozen
class Strategy:
    """The strategies are listed, or another one is chosen."""

    name: str | None


@attrs.frozen
class Show:
    """Something is shown: "tree", "why", "question", "history" or "help"."""

    what: str


@attrs.frozen
class Unknown:
    """Nothing that is understood; perhaps the name of a value."""

    text: str


Command = (
    Answer
    | Undo
    | Ask
    | Revise
    | Strategy
    | Show
    | Depth
    | Zoom
    | Where
    | Who
    | Parts
    | Printed
    | Lines
    | Unknown
)

_PLAIN: dict[str, Command] = {
    **dict.fromkeys(("yes", "y", "right", "correct", "ok"), Answer("correct")),
    **dict.fromkeys(("no", "n", "wrong", "w"), Answer("wrong")),
    **dict.fromkeys(("don't know", "dont know", "dunno", "unknown", "d", "?"), Answer("unknown")),
    **dict.fromkeys(("inadmissible", "i"), Answer("inadmissible")),
    **dict.fromkeys(
        ("should not have been called", "should-not-have-been-called", "not called", "s"),
        Answer("should-not-have-been-called"),
    ),
    **dict.fromkeys(("trust", "trust function", "trust-function", "t"), Answer("trust-function")),
    **dict.fromkeys(("trust module", "trust-module", "tm"), Answer("trust-module")),
    **dict.fromkeys(("undo", "u"), Undo()),
    **dict.fromkeys(("tree",), Show("tree")),
    **dict.fromkeys(("why",), Show("why")),
    **dict.fromkeys(("history", "answers"), Show("history")),
    **dict.fromkeys(("question", "q", ""), Show("question")),
    **dict.fromkeys(("help", "h"), Show("help")),
    **dict.fromkeys(("strategy", "strategies"), Strategy(None)),
    **dict.fromkeys(("stop", "enough", "stop at the function"), Depth("function")),
    **dict.fromkeys(("inside", "look inside"), Depth("code")),
    **dict.fromkeys(("expression", "which expression"), Depth("expression")),
    **dict.fromkeys(("zoom in",), Zoom("in")),
    **dict.fromkeys(("zoom out",), Zoom("out")),
    **dict.fromkeys(("slice", "lines"), Lines("")),
    **dict.fromkeys(("printed", "output"), Printed(None)),
}


def parse(text: str) -> Command:
    """What a typed line means."""
    line = " ".join(text.replace("’", "'").split())
    plain = _PLAIN.get(line.lower().rstrip(".!"))
    if plain is not None:
        return plain
    word, _, rest = line.partition(" ")
    match word.lower():
        case "wrong" | "no" | "n" | "w":
            return _wrong(rest)
        case "inadmissible" | "i":
            return Answer("inadmissible", argument=rest)
        case "strategy":
            return Strategy(rest)
        case "where" if rest:
            return Where(rest.removeprefix("is ").removeprefix("from "))
        case "who" if rest:
            return Who(rest.removeprefix("changed "))
        case "show" if found := re.fullmatch(r"(?:argument )?(\S.*?)(?: (\d+))?", rest):
            return Parts(found[1], int(found[2] or 1))
        case "printed" | "output":
            return Printed(rest)
        case "slice":
            return Lines(rest)
        case "ask" if re.fullmatch(r"#?\d+", rest):
            return Ask(int(rest.lstrip("#")))
        case "revise" if re.fullmatch(r"#?\d+", rest):
            return Revise(int(rest.lstrip("#")))
    return Unknown(line)


def _wrong(rest: str) -> Answer:
    mark, found, expected = rest.removeprefix("here ").removeprefix("at ").partition("should be ")
    mark = mark.strip(" ,:")
    return Answer("wrong", mark=mark or None, expected=expected.strip() if found else None)
