"""From places in a recorded text (lines from 1, columns in characters) to those of the editor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lsprotocol import types
from pygls.workspace import PositionCodec


class Place(NamedTuple):
    """A document, by what is needed to name positions in it."""

    uri: str
    lines: Sequence[str]
    codec: PositionCodec


def range_in(place: Place, recorded: Sequence[int]) -> types.Range | None:
    """None where the document has no such lines."""
    line, column, end_line, end_column = recorded
    if not 1 <= line <= end_line <= len(place.lines):
        return None
    plain = types.Range(types.Position(line - 1, column), types.Position(end_line - 1, end_column))
    return place.codec.range_to_client_units(place.lines, plain)
