"""Which of the code that a wrong call executed itself is to blame: what its wrong outcome depends on is *bright*.

All of that code is shown, the rest *faint*: a slice may miss what was not recorded, the executed code never does.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from algodebug.slicing.criteria import parse_criterion
from algodebug.slicing.instances import ENTRY, PARAMETER, RETURN, TEST, Activation, Instance
from algodebug.slicing.slicer import Reached, Slicer
from algodebug.slicing.sources import SourceFile

if TYPE_CHECKING:
    from algotrace.trace import Span, Trace

_SUBSTANCE = re.compile(r"[^\s()\[\]{},:;.]")
_UNPAINTED = frozenset({ENTRY, PARAMETER, TEST})


def slicer_of(trace: Trace) -> Slicer:
    """The slicer of a trace: one for all questions about it, so that what was followed is kept."""
    known = getattr(trace, "slicer", None)
    if not isinstance(known, Slicer):
        known = Slicer(trace)
        trace.slicer = known  # type: ignore[attr-defined]
    return known


def bright_and_faint(
    trace: Trace, node: int, mark: str = "", spans: Iterable[Span] | None = None
) -> tuple[list[Span], list[Span]]:
    """The code that a call executed itself (or the part of it in `spans`), split; all of it bright where nothing better is known."""
    own = list(trace.executed(node) if spans is None else spans)
    try:
        found = split_code(trace, node, mark, own)
    except Exception:
        # A slice refines what is known without it; a mistake in it must not take the verdict away.
        return own, []
    return found if found is not None and found[0] else (own, [])


def split_code(trace: Trace, node: int, mark: str, own: list[Span]) -> tuple[list[Span], list[Span]] | None:
    """`own` split by the relevant slice of the mark; None where the call could not be followed."""
    slicer = slicer_of(trace)
    if slicer.graph.activation(node).failed:
        return None
    try:
        criterion = parse_criterion(trace, node, mark)
    except ValueError:
        criterion = parse_criterion(trace, node, "")
    reached = slicer.reach(slicer.demands(criterion), node)
    return split(slicer, node, reached, own)


def split(slicer: Slicer, node: int, reached: Reached, own: list[Span]) -> tuple[list[Span], list[Span]]:
    """Spans cut into what belongs to instances that were reached, and the rest."""
    lit = lit_nodes(slicer, node, reached)
    by_source: dict[int, list[Span]] = {}
    for span in own:
        by_source.setdefault(span.source, []).append(span)
    bright: list[Span] = []
    faint: list[Span] = []
    for source, spans in by_source.items():
        file = slicer.graph.files[source]
        if file is None:
            bright += spans
            continue
        owners = _owners(file, spans)
        for span in spans:
            _cut(file, span, owners, lit, bright, faint)
    return bright, faint


def lit_nodes(slicer: Slicer, node: int, reached: Reached) -> set[int]:
    """The syntax nodes (by identity) of the instances of one activation that were reached."""
    activation = slicer.graph.activation(node)
    lit: set[int] = set()
    for made in slicer.all_instances(activation):
        if id(made) in reached.instances and made.node is not None and made.kind not in _UNPAINTED:
            if made.kind == RETURN and made.copy is not None:
                continue  # the word goes with what is returned
            lit.add(id(made.node))
    for part in _with_inlines(activation):
        for jump, control in part.jumps:
            if control is None or id(control) in reached.instances:
                lit.add(id(jump))
    return lit


def _with_inlines(activation: Activation) -> list[Activation]:
    found, todo = [], [activation]
    while todo:
        part = todo.pop()
        found.append(part)
        todo += part.inlines
    return found


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


def influencing_nodes(trace: Trace, node: int, mark: str) -> set[int] | None:
    """The calls that had an influence on a part of what a node was given or did; None where that is not known for sure.

    For a part of its outcome they are calls inside it, for an argument any.
    """
    slicer = slicer_of(trace)
    criterion = parse_criterion(trace, node, mark)
    inside = None if criterion.kind == "argument" else node
    reached = slicer.reach(slicer.demands(criterion), inside)
    if not reached.complete:
        return None
    return reached.nodes | {node}


__all__ = ["Instance", "bright_and_faint", "influencing_nodes", "lit_nodes", "slicer_of", "split"]
