"""What can be typed into the debug console, for clients that have no other way to give an answer.

What a line means is told by `typed_answers`; carrying it out is `postmortem`'s.
"""

from __future__ import annotations

from algodebug.typed_answers import (
    Answer,
    Ask,
    Command,
    Depth,
    Lines,
    Parts,
    Printed,
    Revise,
    Show,
    Strategy,
    Undo,
    Unknown,
    Where,
    Who,
    Zoom,
    parse,
)

__all__ = [
    "HELP",
    "WORDS",
    "Answer",
    "Ask",
    "Command",
    "Depth",
    "Lines",
    "Parts",
    "Printed",
    "Revise",
    "Show",
    "Strategy",
    "Undo",
    "Unknown",
    "Where",
    "Who",
    "Zoom",
    "parse",
]

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
  history · revise NUMBER   the answers so far · gives one of them anew
  tree                      where the call is, and what it called
  why                       why this call is asked about, and about how many questions are left
  ask NUMBER                asks about another call; `tree` shows the numbers
  strategy [NAME]           the strategies · asks by another one from now on
  question                  the question once more
  stop                      the function is enough: no questions about the code inside it
  inside · expression       goes on inside the function that was found · down to one expression
  zoom in · zoom out        asks about a part of this · about what this is a part of
  show result[1]            all of this value, part by part: what the call did not look at is left out of questions
  where result[1]           where this value comes from
  who self.total            who changed this value, and when it was made
  printed                   the lines that the program printed, with numbers from 1
  printed 3                 this line of the output is wrong; or a text in it: printed total
  slice [result[1]]         the lines that this value, or all that came out, depends on
The name of an argument, `result` or a part such as result[1].x shows its value."""

WORDS = (
    "yes", "no", "wrong", "don't know", "inadmissible", "trust", "trust module", "undo", "tree", "why", "ask", "strategy",
    "question", "help", "should not have been called", "stop", "inside", "expression", "zoom in", "zoom out", "where", "slice",
    "who", "printed", "history", "revise", "show",
)  # fmt: skip
