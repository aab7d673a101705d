"""What a name was bound to in the call asked about, when the mouse rests on it. Nothing where the text is not what ran."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from algodebug.lens_index import FileState, PlacedState, fingerprint
from algodebug.lsp.places import Place

_MOST_PLACES = 8


def hover(place: Place, text: str, at: types.Position, recorded: FileState | None) -> types.Hover | None:
    """The values of the name at a position."""
    values = recorded.get("values") if recorded is not None else None
    if recorded is None or values is None or recorded["sha256"] != fingerprint(text):
        return None
    inside = place.codec.position_from_client_units(place.lines, at)
    line = inside.line + 1
    first, last = values["lines"]
    name, start, end = _word(place.lines, inside.line, inside.character)
    if not name or not first <= line <= last:
        return None
    known = [each for each in values["values"] if each["name"] == name]
    here = [each for each in known if _covers(each["range"], line, start)]
    shown = here or known
    if not shown:
        return None
    told = [_line(each, each not in here) for each in shown[:_MOST_PLACES]]
    if len(shown) > len(told):
        told.append(f"… at {len(shown) - len(told)} more places")
    content = f"In `{_plain(values['title'])}`\n\n" + "\n\n".join(told)
    there = types.Range(types.Position(inside.line, start), types.Position(inside.line, end))
    return types.Hover(
        types.MarkupContent(types.MarkupKind.Markdown, content),
        place.codec.range_to_client_units(place.lines, there),
    )


def _line(value: PlacedState, elsewhere: bool) -> str:
    where = f" (line {value['range'][0]})" if elsewhere else ""
    times = f", {value['count']} times" if value["count"] > 1 else ""
    return f"`{value['name']} = {_plain(value['text'])}`{where}{times}"


def _plain(text: str) -> str:
    """Nothing of a program's texts may end the code span it is shown in."""
    return text.replace("`", "'")


def _covers(place: Sequence[int], line: int, column: int) -> bool:
    return (place[0], place[1]) <= (line, column) <= (place[2], place[3])


def _word(lines: Sequence[str], line: int, column: int) -> tuple[str, int, int]:
    """The name at a place, and the columns where it starts and ends."""
    if line >= len(lines):
        return "", 0, 0
    text = lines[line]
    start = end = min(column, len(text))
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    word = text[start:end]
    return (word, start, end) if word.isidentifier() else ("", 0, 0)
