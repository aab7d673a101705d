"""Answers typed into the debug console, for clients that have no other way to give one.

Only what a text means. Carrying it out is `postmortem`'s.
"""

from __future__ import annotations

import re

import attrs

HELP = """\
Is the call shown right: given what went in, is what came out (and what it changed) what it should be?
  yes · no                  it is right · it is wrong
  wrong result[1]           it is wrong, and this part of it shows it (or of what it changed: wrong self.total; or
                            printed: wrong printed[2])
  wrong result should be 3  … and what it should be
  don't know                someone else must say; the search goes on elsewhere
  inadmissible [ARGUMENT]   it should never have been called with these arguments
  should not have been called
  trust · trust module      every call of this function · of its module is right
  undo                      takes the last answer back
  tree                      where the call is, and what it called
  why                       why this call is asked about, and about how many questions are left
  ask NUMBER                asks about another call; `tree` shows the numbers
  strategy [NAME]           the strategies · asks by another one from now on
  question                  the question once more
  stop                      the function is enough: no questions about the code inside it
  inside                    goes on inside the function that was found
  zoom in · zoom out        asks about a part of this · about what this is a part of
  where result[1]           where this value comes from
  who self.total            who changed this value, and when it was made
  printed                   the lines that the program printed, with numbers from 1
  printed 3                 this line of the output is wrong; or a text in it: printed total
  slice [result[1]]         the lines that this value, or all that came out, depends on
The name of an argument, `result` or a part such as result[1].x shows its value."""

WORDS = (
    "yes", "no", "wrong", "don't know", "inadmissible", "trust", "trust module", "undo", "tree", "why", "ask", "strategy",
    "question", "help", "should not have been called", "stop", "inside", "zoom in", "zoom out", "where", "slice",
    "who", "printed",
)  # fmt: skip


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
class Strategy:
    """The strategies are listed, or another one is chosen."""

    name: str | None


@attrs.frozen
class Show:
    """Something is shown: "tree", "why", "question" or "help"."""

    what: str


@attrs.frozen
class Unknown:
    """Nothing that is understood; perhaps the name of a value."""

    text: str


Command = Answer | Undo | Ask | Strategy | Show | Depth | Zoom | Where | Who | Printed | Lines | Unknown

_PLAIN: dict[str, Command] = {
    **dict.fromkeys(("yes", "y", "right", "correct"), Answer("correct")),
    **dict.fromkeys(("no", "n", "wrong", "w"), Answer("wrong")),
    **dict.fromkeys(("don't know", "dont know", "unknown", "d", "?"), Answer("unknown")),
    **dict.fromkeys(("inadmissible", "i"), Answer("inadmissible")),
    **dict.fromkeys(
        ("should not have been called", "should-not-have-been-called", "not called"),
        Answer("should-not-have-been-called"),
    ),
    **dict.fromkeys(("trust", "trust function", "t"), Answer("trust-function")),
    **dict.fromkeys(("trust module",), Answer("trust-module")),
    **dict.fromkeys(("undo", "u"), Undo()),
    **dict.fromkeys(("tree",), Show("tree")),
    **dict.fromkeys(("why",), Show("why")),
    **dict.fromkeys(("question", "q", ""), Show("question")),
    **dict.fromkeys(("help", "h"), Show("help")),
    **dict.fromkeys(("strategy", "strategies"), Strategy(None)),
    **dict.fromkeys(("stop", "enough", "stop at the function"), Depth("function")),
    **dict.fromkeys(("inside", "look inside"), Depth("code")),
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
        case "wrong" | "no":
            return _wrong(rest)
        case "inadmissible":
            return Answer("inadmissible", argument=rest)
        case "strategy":
            return Strategy(rest)
        case "where" if rest:
            return Where(rest.removeprefix("is ").removeprefix("from "))
        case "who" if rest:
            return Who(rest.removeprefix("changed "))
        case "printed" | "output":
            return Printed(rest)
        case "slice":
            return Lines(rest)
        case "ask" if re.fullmatch(r"#?\d+", rest):
            return Ask(int(rest.lstrip("#")))
    return Unknown(line)


def _wrong(rest: str) -> Answer:
    mark, found, expected = rest.removeprefix("here ").partition("should be ")
    mark = mark.strip(" ,:")
    return Answer("wrong", mark=mark or None, expected=expected.strip() if found else None)
