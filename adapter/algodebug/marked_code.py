"""Inside a call of which a part is marked as wrong: the code that had no influence on that part is not to blame."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from algodebug.code_nodes import RANGE, CodeNode
from algodebug.executed_statements import LOOP, STATEMENT
from algodebug.slicing.blame import lit_places, slicer_of
from algodebug.slicing.criteria import parse_criterion

if TYPE_CHECKING:
    from algodebug.call_code import RoutineCode
    from algotrace.trace import Trace

_MOST_LOOKED_AT = 5000


def without_influence(trace: Trace, code: RoutineCode, mark: str) -> list[CodeNode]:
    """Statements of a call, outermost ones, of which nothing is in the slice of a mark; none where the slice may lack parts."""
    slicer = slicer_of(trace)
    if slicer.graph.activation(code.node).failed:
        return []
    try:
        criterion = parse_criterion(trace, code.node, mark)
    except ValueError:
        return []
    reached = slicer.reach(slicer.demands(criterion), code.node)
    if not reached.complete:
        return []
    places = sorted(lit_places(slicer, code.node, reached))
    found: list[CodeNode] = []
    pending = [code.top]
    for _ in range(_MOST_LOOKED_AT):
        if not pending:
            break
        node = pending.pop()
        line, column, end_line, end_column = node.region
        at = bisect_left(places, (line, column))
        lit = at < len(places) and places[at] < (end_line, end_column)
        if node is not code.top and node.kind in (STATEMENT, LOOP) and not lit:
            found.append(node)
        elif node is code.top or node.kind == STATEMENT or (node.kind == RANGE and not node.is_of_iterations):
            pending += node.children
    return found
