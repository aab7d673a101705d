"""`algodebug tree`: the nodes of a recorded run in lines, or what of the program is not recorded, and why."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from algodebug.code_nodes import KINDS as CODE_KINDS
from algodebug.code_nodes import code_below
from algodebug.execution_tree import ExecutionTree
from algodebug.named_values import EXCEPTION, RESULT, given_to, outcome_of
from algotrace.scope import LIBRARY_REASONS
from algotrace.trace import Trace

_MOST_DOUBTS = 4  # that are named in a line
_SECONDS = 0.1  # until what was found is shown


def show_tree(tree: ExecutionTree, kinds: Sequence[str], limit: int | None, as_json: bool) -> None:
    """The nodes of some kinds, calls down to a depth; whoever waits sees them as they come."""
    flushed = -_SECONDS
    for node, depth in _down_to(tree, limit):
        if "routine" in kinds:
            _show_node(tree, node, depth, as_json)
        if set(kinds) & set(CODE_KINDS) and (code := tree.code_of(node)) is not None:
            for part, below in code_below(code.top, kinds):
                _show_node(tree, part.id, depth + below, as_json)
        if monotonic() - flushed > _SECONDS:
            sys.stdout.flush()
            flushed = monotonic()
    sys.stdout.flush()


def _show_node(tree: ExecutionTree, node: int, depth: int, as_json: bool) -> None:
    code = tree.code(node)
    if as_json:
        line = {
            **tree.listed(node),
            "parent": None if node == 0 else tree.parent_of(node),
            "depth": depth,
            "children": sum(1 for _ in tree.children(node)) if code is None else len(code.parts),
            "size": tree.size[node] if code is None else 1,
        }
        if node == 0:
            line["title"] = tree.title(node)
        sys.stdout.write(json.dumps(line) + "\n")
    else:
        place = tree.place(node)
        text = tree.line(node)
        where = f"{Path(place.file).name}:{place.line}{_doubts(tree, node)}"
        sys.stdout.write(f"{'  ' * depth}{node}  {text}  {where}\n")


def _doubts(tree: ExecutionTree, node: int) -> str:
    """What of a call's arguments, outcome and changes is not certain, by name."""
    if tree.code(node) is not None:
        return ""
    kind, outcome = outcome_of(tree, node)
    values = [*given_to(tree, node), (EXCEPTION if kind == "raise" else RESULT, outcome)]
    call = tree.call(node)
    values += [(each.target, value) for each in (call.changes if call else ()) for value in each[1:]]
    names = list(dict.fromkeys(name for name, value in values if value is not None and not value.certain))
    if len(names) > _MOST_DOUBTS:
        names[_MOST_DOUBTS - 1 :] = [f"{len(names) - _MOST_DOUBTS + 1} more"]
    return f"  (may have changed unseen: {', '.join(names)})" if names else ""


def show_reasons(trace: Trace, as_json: bool) -> None:
    """What is not recorded: notes on the run, then functions and files; of library files the numbers alone."""
    notes = [str(note) for note in trace.environment.get("notes", [])]
    places = sorted((*_place_left_out(place), reason) for place, reason in trace.reasons.items())
    if as_json:
        rows: list[dict[str, Any]] = [{"note": note} for note in notes]
        rows += [{"file": file, "line": line or None, "reason": reason} for file, line, reason in places]
        sys.stdout.writelines(json.dumps(row) + "\n" for row in rows)
    else:
        lines = notes[:]
        lines += [
            f"{file}:{line}  {reason}" if line else f"{file}  {reason}"
            for file, line, reason in places
            if reason not in LIBRARY_REASONS
        ]
        for reason in LIBRARY_REASONS:
            if count := sum(1 for place in places if place[2] == reason):
                lines.append(f"{count} {'file' if count == 1 else 'files'}  {reason}")
        sys.stdout.writelines(line + "\n" for line in lines or ["everything that ran is recorded"])
    sys.stdout.flush()


def _place_left_out(place: str) -> tuple[str, int]:
    """The file and, for a function, the line of its `def`; else 0."""
    file, _, line = place.rpartition(":")
    return (file, int(line)) if file and line.isdecimal() else (place, 0)


def _down_to(tree: ExecutionTree, limit: int | None) -> Iterator[tuple[int, int]]:
    """The nodes down to a depth, in preorder, each with its depth."""
    ends: list[int] = []
    node = 0
    while node < len(tree):
        while ends and node >= ends[-1]:
            ends.pop()
        depth = len(ends)
        yield node, depth
        if limit is not None and depth >= limit:
            node = tree.end(node)
        else:
            ends.append(tree.end(node))
            node += 1
