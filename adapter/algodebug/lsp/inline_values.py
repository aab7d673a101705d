"""The values of names at the end of their lines, in the call asked about. Nothing where the text is not what ran."""

from __future__ import annotations

from lsprotocol import types

from algodebug.lens_index import FileState, fingerprint
from algodebug.lsp.places import Place, range_in


def inline_values(
    place: Place, text: str, within: types.Range, recorded: FileState | None
) -> list[types.InlineValueText]:
    """Those in a part of the document, the one that the editor shows."""
    values = recorded.get("values") if recorded is not None else None
    if recorded is None or values is None or recorded["sha256"] != fingerprint(text):
        return []
    found = []
    for value in values["values"]:
        there = range_in(place, value["range"])
        if there is not None and there.start.line <= within.end.line and within.start.line <= there.end.line:
            found.append(types.InlineValueText(there, f"{value['name']} = {value['text']}"))
    return found
