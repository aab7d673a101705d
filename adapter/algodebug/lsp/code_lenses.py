"""The code lenses of one document: where they are, and what they say when the editor wants to show them.

A lens is first only a place; its title is made when it comes into view (`codeLens/resolve`). There is no lens at all
while the text differs from what ran: its lines would be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsprotocol import types

from algodebug.lens_index import FileState, FunctionState, fingerprint

COMMAND = "algodebug.askAbout"
_GONE = "not in the last recording"
# `str.splitlines` also splits at characters that neither Python nor an editor takes for the end of a line.
_LINE_END = re.compile(r"\r\n|\r|\n")


def lenses(path: str, text: str, recorded: FileState) -> list[types.CodeLens]:
    """The unresolved lenses of a document with this text."""
    if recorded["sha256"] != fingerprint(text):
        return []
    lines = lines_of(text)
    return [
        types.CodeLens(
            range=_place(lines, function["line"]),
            data={"file": path, "line": function["line"], "qualname": function["qualname"]},
        )
        for function in recorded["functions"]
        if 1 <= function["line"] <= len(lines)
    ]


def lines_of(text: str) -> list[str]:
    """The lines of a text as Python and editors see them."""
    return _LINE_END.split(text)


def resolve(
    lens: types.CodeLens, path: str, line: int, qualname: str, recorded: FileState | None
) -> types.CodeLens:
    """The same lens with its title and its command, from what is known now."""
    for function in recorded["functions"] if recorded else ():
        if function["line"] == line and function["qualname"] == qualname:
            lens.command = types.Command(
                title=title(function), command=COMMAND, arguments=[path, line, qualname]
            )
            return lens
    # The recording was replaced between the two requests; the refresh that follows removes the lens.
    lens.command = types.Command(title=_GONE, command="")
    return lens


def title(function: FunctionState) -> str:
    """For example "3 calls · 1 wrong · 2 correct"; what there is none of is left out."""
    calls = function["calls"]
    parts = [f"{calls} call" if calls == 1 else f"{calls} calls"]
    counted = (
        (function["wrong"], "wrong"),
        (function["correct"], "correct"),
        (function["unknown"], "unknown"),
        (function["trusted"], "trusted"),
    )
    parts += [f"{count} {word}" for count, word in counted if count]
    if function["buggy"]:
        parts.append("buggy call here")
    return " · ".join(parts)


def _place(lines: Sequence[str], line: int) -> types.Range:
    text = lines[line - 1]
    start = types.Position(line=line - 1, character=len(text) - len(text.lstrip()))
    return types.Range(start=start, end=start)
