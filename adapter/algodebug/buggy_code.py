"""The code to blame once the buggy node is known: what it executed and its callees did not (Lemma 1).

`bright` is what the wrong outcome depends on, which the editor lights up; `faint` the rest, which it shows quietly.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from algodebug.execution_tree import ExecutionTree
from algodebug.slicing import bright_and_faint

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


def buggy_code(tree: ExecutionTree, node: int, mark: str = "") -> dict[str, Any]:
    """The keys `bright`, `faint` (in the node's own file) and `code` (per file) of a result.

    `mark` is the part of the outcome said to be wrong; without one all of it is.
    """
    trace = tree.trace
    own = tree.place(node).file
    by_file: dict[str, tuple[list[Piece], list[Piece]]] = {own: ([], [])}
    if trace is not None:
        bright, faint = bright_and_faint(trace, node, mark, tree.executed(node))
        for place, spans in enumerate((bright, faint)):
            for span in spans:
                pieces = by_file.setdefault(trace.sources[span.source].path, ([], []))
                pieces[place].append([span.line, span.col, span.end_line, span.end_col])
    code: list[dict[str, Any]] = [
        {"file": file, "bright": merge(bright), "faint": merge(faint)}
        for file, (bright, faint) in by_file.items()
    ]
    return {"bright": code[0]["bright"], "faint": code[0]["faint"], "code": code}
