"""From syntax nodes to pieces of text: what of some lines belongs to them, and not to what is nested inside."""

from __future__ import annotations

import ast
import re
from typing import Any

from algodebug.slicing.source_files import SourceFile
from algotrace.trace import Span

_SUBSTANCE = re.compile(r"[^\s()\[\]{},:;.]")


def paint(file: SourceFile, spans: list[Span], lit: set[int]) -> tuple[list[Span], list[Span]]:
    """Spans cut into what belongs to lit syntax nodes (given by identity), and the rest."""
    bright: list[Span] = []
    faint: list[Span] = []
    if spans:
        owners = _owners(file, spans)
        for span in spans:
            _cut(file, span, owners, lit, bright, faint)
    return bright, faint


class _Owners:
    """Which syntax node each character of some lines belongs to, and which statement."""

    def __init__(self) -> None:
        self.nodes: dict[int, list[Any]] = {}
        self.statements: dict[int, list[Any]] = {}


def _owners(file: SourceFile, spans: list[Span]) -> _Owners:
    owners = _Owners()
    for span in spans:
        if span.line not in owners.nodes:
            width = len(file.text(span.line)) + 1
            owners.nodes[span.line] = [None] * width
            owners.statements[span.line] = [None] * width
    lines = owners.nodes
    first, last = min(lines), max(lines)
    todo: list[ast.AST] = [file.tree]
    while todo:  # outer nodes first, inner ones paint over them
        node = todo.pop()
        line = getattr(node, "lineno", None)
        if line is not None:
            end_line = node.end_lineno  # type: ignore[attr-defined]
            if end_line < first or line > last:
                continue
            table = owners.statements if isinstance(node, ast.stmt) else owners.nodes
            _, start, _, end = file.place(node)
            for number in range(max(line, first), min(end_line, last) + 1):
                row = table.get(number)
                if row is None:
                    continue
                low = start if number == line else 0
                high = end if number == end_line else len(row)
                row[low:high] = [node] * (min(high, len(row)) - low)
                if isinstance(node, ast.stmt):
                    owners.nodes[number][low:high] = [None] * (min(high, len(row)) - low)
        todo.extend(ast.iter_child_nodes(node))
    return owners


def _cut(
    file: SourceFile, span: Span, owners: _Owners, lit: set[int], bright: list[Span], faint: list[Span]
) -> None:
    text = file.text(span.line)
    nodes, statements = owners.nodes[span.line], owners.statements[span.line]
    states: list[bool | None] = []
    lit_statements: set[int] = set()
    for column in range(span.col, span.end_col):
        node = nodes[column] if column < len(nodes) else None
        statement = statements[column] if column < len(statements) else None
        if node is None:
            states.append(True if id(statement) in lit else None)
            continue
        is_lit = id(node) in lit
        if is_lit:
            lit_statements.add(id(statement))
        states.append(is_lit)
    # What belongs to the statement itself (`x =`, `return`) goes with what is lit of it on the line.
    for index, state in enumerate(states):
        if state is None:
            column = span.col + index
            statement = statements[column] if column < len(statements) else None
            states[index] = id(statement) in lit_statements
    runs: list[tuple[bool, int, int]] = []
    for index, state in enumerate(states):
        if runs and (
            runs[-1][0] == state or not _SUBSTANCE.match(text[span.col + index : span.col + index + 1] or " ")
        ):
            runs[-1] = (runs[-1][0], runs[-1][1], index + 1)
        else:
            runs.append((bool(state), index, index + 1))
    for is_bright, start, end in runs:
        piece = text[span.col + start : span.col + end]
        if not _SUBSTANCE.search(piece):
            continue
        low = span.col + start + len(piece) - len(piece.lstrip())
        high = low + len(piece.strip())
        (bright if is_bright else faint).append(span._replace(col=low, end_col=high))
