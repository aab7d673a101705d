"""What is told about values (see `about_values`), as JSON bodies and as lines of text; a value part by part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from algodebug.about_values import AboutValues, NoSuchValue, PrintedLine
from algodebug.named_values import named_value
from algodebug.question import value_body
from algodebug.value_pages import value_page

if TYPE_CHECKING:
    from algodebug.execution_tree import ExecutionTree

Body = dict[str, Any]

_LONGEST = 60
_PARTS = 40  # of a value at once
_MOST_CHARACTERS = 4000


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


def value_lines(tree: ExecutionTree, node: int, name: str, start: int = 1) -> list[str]:
    """A value with nothing left out, and its parts from a number on; how to have the others shown."""
    value = None if tree.trace is None else named_value(tree, node, name)
    if value is None or tree.trace is None:
        raise NoSuchValue(
            f"There is no {name} here; an argument is meant, result, or a part such as result[1]."
        )
    if not value.length:
        return [value.text(_MOST_CHARACTERS).text]
    page = value_page(tree.trace, value, max(start - 1, 0), _PARTS)
    told = [
        f"{name} = {page['value']['text']}" if start <= 1 else f"{name}, from {start} of {value.length} on:"
    ]
    told += [f"  {part['path'] or part['label']}  {_short(part['value'])}" for part in page["parts"]]
    if page["next"] is not None:
        told.append(f"  … {value.length - page['next']} more: show {name} {page['next'] + 1}")
    return told


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
