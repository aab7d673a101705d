"""Answers typed into the debug console, for clients that have no other way to give one.

Only what a text means. Carrying it out is `postmortem`'s.
"""

from __future__ import annotations

import re

import attrs

HELP = """\
Is the call shown right: given what went in, is what came out (and what it changed) what it should be?
  yes · no                  it is right · it is wrong
  wrong result[1]           it is wrong, and this part of it shows it
  don't know                someone else must say; the search goes on elsewhere
  inadmissible [ARGUMENT]   it should never have been called with these arguments
  trust · trust module      every call of this function · of its module is right
  undo                      takes the last answer back
  tree                      where the call is, and what it called
  why                       why this call is asked about, and about how many questions are left
  ask NUMBER                asks about another call; `tree` shows the numbers
  strategy [NAME]           the strategies · asks by another one from now on
  question                  the question once more
The name of an argument, `result` or a part such as result[1].x shows its value."""

WORDS = (
    "yes", "no", "wrong", "don't know", "inadmissible", "trust", "trust module", "undo", "tree", "why", "ask", "strategy",
    "question", "help",
)  # fmt: skip


@attrs.frozen
class Answer:
    """An answer to the question asked."""

    answer: str
    mark: str | None = None
    argument: str | None = None


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


Command = Answer | Undo | Ask | Strategy | Show | Unknown

_PLAIN: dict[str, Command] = {
    **dict.fromkeys(("yes", "y", "right", "correct"), Answer("correct")),
    **dict.fromkeys(("no", "n", "wrong", "w"), Answer("wrong")),
    **dict.fromkeys(("don't know", "dont know", "unknown", "d", "?"), Answer("unknown")),
    **dict.fromkeys(("inadmissible", "i"), Answer("inadmissible")),
    **dict.fromkeys(("should not have been called",), Answer("should-not-have-been-called")),
    **dict.fromkeys(("trust", "trust function", "t"), Answer("trust-function")),
    **dict.fromkeys(("trust module",), Answer("trust-module")),
    **dict.fromkeys(("undo", "u"), Undo()),
    **dict.fromkeys(("tree",), Show("tree")),
    **dict.fromkeys(("why",), Show("why")),
    **dict.fromkeys(("question", "q", ""), Show("question")),
    **dict.fromkeys(("help", "h"), Show("help")),
    **dict.fromkeys(("strategy", "strategies"), Strategy(None)),
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
            return Answer("wrong", mark=rest)
        case "inadmissible":
            return Answer("inadmissible", argument=rest)
        case "strategy":
            return Strategy(rest)
        case "ask" if re.fullmatch(r"#?\d+", rest):
            return Ask(int(rest.lstrip("#")))
    return Unknown(line)
