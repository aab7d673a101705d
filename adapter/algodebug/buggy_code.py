"""The code to blame once the buggy node is known: what it executed and its callees did not (Lemma 1).

`bright` is what the editor lights up, `faint` what it shows quietly. Without a slice everything is bright.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from algodebug.execution_tree import ExecutionTree

Piece = list[int]  # [line, column, end line, end column]


def merge(pieces: Iterable[Piece]) -> list[Piece]:
    """Sorted pieces; those on one line that touch or overlap, or have only one space between, become one."""
    merged: list[Piece] = []
    for piece in sorted(pieces):
        line, column, end_line, end_column = piece
        previous = merged[-1] if merged else None
        if (
            previous is not None
            and previous[2] == line
            and (end_line == line or column <= previous[3])
            and column <= previous[3] + 1
        ):
            previous[2:] = max(previous[2:], [end_line, end_column])
        elif previous is not None and [line, column] < previous[2:]:
            # Inside a piece of several lines.
            previous[2:] = max(previous[2:], [end_line, end_column])
        else:
            merged.append([line, column, end_line, end_column])
    return merged


def buggy_code(tree: ExecutionTree, node: int) -> dict[str, Any]:
    """The keys `bright`, `faint` (in the node's own file) and `code` (per file) of a result."""
    trace = tree.trace
    own = tree.place(node).file
    by_file: dict[str, list[Piece]] = {own: []}
    if trace is not None:
        for span in tree.executed(node):
            file = trace.sources[span.source].path
            by_file.setdefault(file, []).append([span.line, span.col, span.end_line, span.end_col])
    code: list[dict[str, Any]] = [
        {"file": file, "bright": merge(pieces), "faint": []} for file, pieces in by_file.items()
    ]
    return {"bright": code[0]["bright"], "faint": code[0]["faint"], "code": code}
