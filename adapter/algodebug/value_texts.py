"""What is told about values (see `about_values`), as JSON bodies and as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from algodebug.about_values import AboutValues, PrintedLine
from algodebug.question import value_body

Body = dict[str, Any]

_LONGEST = 60


def origin_body(about: AboutValues, node: int, mark: str) -> Body:
    return {
        "node": node,
        "mark": mark,
        "stations": [station._asdict() for station in about.origin(node, mark)],
    }


def writes_body(about: AboutValues, node: int, mark: str) -> Body:
    found = [
        {**write._asdict(), "before": value_body(write.before), "after": value_body(write.after)}
        for write in about.writes(node, mark)
    ]
    return {"node": node, "mark": mark, "writes": found}


def origin_lines(mark: str, stations: Iterable[Mapping[str, Any]]) -> list[str]:
    """One line for each place that a value passed."""
    told = [f"{station['what']:>8}  {_place(station)}" for station in stations]
    return told or [f"Where {mark} comes from was not recorded."]


def writes_lines(mark: str, found: Iterable[Mapping[str, Any]]) -> list[str]:
    """One line for each write: `self.total: 3 → 5  account.py:12  self.total += amount`."""
    told = []
    for write in found:
        after = _short(write["after"])
        if write["what"] == "made":
            change = f"made{f' as {after}' if write['after'] is not None else ''}"
        else:
            change = f"{write['target']}: {_short(write['before'])} → {after}"
        told.append(f"{change:<24}  {_place(write)}")
    return told or [f"Nothing that was recorded changed {mark}."]


def printed_lines(lines: Iterable[PrintedLine], more: bool) -> list[str]:
    """Numbered from 1, as `printed 3` names them."""
    told = [f"{line.number + 1:4d}  {line.text}{'' if line.certain else '  (not certain)'}" for line in lines]
    if more:
        told.append("      …")
    return told or ["Nothing was printed that the recording knows of."]


def _place(station: Mapping[str, Any]) -> str:
    where = f"{PurePath(station['file']).name}:{station['line']}"
    return f"{where}  {station['text']}  (#{station['node']} {station['title']})"


def _short(value: Mapping[str, Any] | None) -> str:
    if value is None:
        return "(nothing)"
    text = str(value["text"])
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
