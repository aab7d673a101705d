"""Strategies that follow the calls: from caller to callee, or from callee to caller.

Their questions are connected, each about a call next to the last one. The calls a trusted call made stand in its
place. Below a call that nobody could judge the search goes on when the other calls are done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from algodebug.execution_tree import RAISED
from algodebug.search.evidence import by_rule
from algodebug.search.heaviest import LARGE, children_to_weigh, heaviest
from algodebug.search.suspicious_area import SuspiciousArea


def top_down(area: SuspiciousArea, last: int | None = None) -> int | None:
    """The children of the wrong node in evaluation order."""
    return next(outermost(area), None)


def outermost(area: SuspiciousArea) -> Iterator[int]:
    """The askable nodes without an askable node between them and the top; those below unknown ones come last."""
    tree, weights = area.tree, area.weights
    pending = [area.top]
    for opened in pending:
        position, end = opened + 1, tree.end(opened)
        while position < end:
            position = area.next_left(position)
            if position >= end:
                break
            if position in area.skipped:
                pending.append(position)
            elif weights.own(position):
                yield position
            elif area.weight(position):
                # Trusted code: transparent. Everything up to the next counted node is trusted, too.
                position = weights.next_counted(position)
                continue
            position = tree.end(position)


def top_down_zooming(area: SuspiciousArea, last: int | None = None) -> int | None:
    """As top-down, but first the children that run the same routine as the wrong node: recursion to its end."""
    routine, wanted = area.tree.routine, area.tree.routine[area.top]
    return _first(area, lambda node: routine[node] == wanted)


def exception_zooming(area: SuspiciousArea, last: int | None = None) -> int | None:
    """As top-down, but first the children that raised: an error is followed down the calls."""
    kinds = area.tree.outcome_kind
    return _first(area, lambda node: kinds[node] == RAISED)


def _first(area: SuspiciousArea, preferred: Callable[[int], bool]) -> int | None:
    first: int | None = None
    for node in outermost(area):
        if preferred(node):
            return node
        if first is None:
            first = node
    return first


def single_stepping(area: SuspiciousArea, last: int | None = None) -> int | None:
    """Children before parents, left to right: the first wrong answer names the buggy call."""
    tree, size = area.tree, area.tree.size
    position = area.next_left(area.top + 1)
    end = tree.end(area.top)
    while position < end:
        # Go down to the first node, in post-order, that is left at or below `position`.
        while True:
            leaf = _first_leaf(size, position)
            removal = area.next_removal(position)
            if leaf < removal:
                position = leaf
                break
            # The node before the removal has lost its first children.
            above = removal - 1
            position = area.next_left(removal)
            if position >= tree.end(above):
                position = above
                break
        # Go on in post-order until one can be asked.
        while not area.askable(position):
            sibling = area.next_left(tree.end(position))
            parent = tree.parent[position]
            if sibling < tree.end(parent):
                position = sibling
                break
            position = parent
            if position == area.top or position < 0:
                return None
        else:
            return position
    return None


def _first_leaf(size: Sequence[int], position: int) -> int:
    index = getattr(size, "index", None)
    if index is not None:
        return int(index(1, position))
    while size[position] != 1:
        position += 1
    return position


def heaviest_first(area: SuspiciousArea, last: int | None = None) -> int | None:
    """Of the calls the wrong node made, the one with most calls left below it; left-most among equals."""
    best = next(heaviest(area, [area.top]), None)
    return None if best is None else best.leftmost


def less_yes_first(area: SuspiciousArea, last: int | None = None) -> int | None:
    """As heaviest first, but a node weighs less the more often its rule ran right in what was judged correct."""
    mass = by_rule(area)
    some = [node for node in children_to_weigh(area, area.top) if area.askable(node)]
    nodes = some if area.total > LARGE and some else outermost(area)
    return min(nodes, key=lambda node: (-mass.of(node), node), default=None)


def halve_chain(area: SuspiciousArea, chain: Sequence[int]) -> int | None:
    """The middle of the part of a chain of calls (outermost first) that can still be asked about."""
    left = [node for node in chain if area.askable(node)]
    return left[len(left) // 2] if left else None
