"""Which node to ask about next: pure functions from a suspicious area to a node.

Each takes the area and the node asked last, and returns a node that `area.askable`, or None when no node is left to
ask. Runs of calls as questions are `ranges`' matter: they may be asked in the place of any strategy's node.
"""

from __future__ import annotations

from collections.abc import Callable

from algodebug.search.dividing import (
    biased,
    biased_divide_and_query,
    divide_and_query,
    divide_by_yes_and_query,
    hirunkitti,
    shapiro,
)
from algodebug.search.stepping import (
    exception_zooming,
    halve_chain,
    heaviest_first,
    less_yes_first,
    single_stepping,
    top_down,
    top_down_zooming,
)
from algodebug.search.suspicious_area import SuspiciousArea

__all__ = [
    "Strategy",
    "biased",
    "biased_divide_and_query",
    "divide_and_query",
    "divide_by_yes_and_query",
    "exception_zooming",
    "halve_chain",
    "heaviest_first",
    "hirunkitti",
    "less_yes_first",
    "shapiro",
    "single_stepping",
    "top_down",
    "top_down_zooming",
]

Strategy = Callable[[SuspiciousArea, int | None], int | None]
