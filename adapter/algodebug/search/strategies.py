"""Which node to ask about next: pure functions from a suspicious area to a node.

Each takes the area and the node asked last, and returns a node that `area.askable`, or None when no node is left to
ask. Runs of calls as questions are `ranges`' matter: they may be asked in the place of any strategy's node.
"""

from __future__ import annotations

from collections.abc import Callable

from algodebug.search.combining import all_combined, automatic, combined
from algodebug.search.dividing import (
    biased,
    biased_divide_and_query,
    divide_and_query,
    divide_by_yes_and_query,
    hirunkitti,
    shapiro,
)
from algodebug.search.optimal import expecting, optimal_expected, optimal_worst_case
from algodebug.search.stepping import (
    exception_zooming,
    halve_chain,
    heaviest_first,
    less_yes_first,
    single_stepping,
    top_down,
    top_down_zooming,
)
from algodebug.search.suspicion import (
    dynamic_weighting_search,
    hat_delta,
    hat_delta_no,
    hat_delta_proportion,
    hat_delta_yes,
    subterm_dependency_tracking,
)
from algodebug.search.suspicious_area import SuspiciousArea

__all__ = [
    "Strategy",
    "all_combined",
    "automatic",
    "biased",
    "biased_divide_and_query",
    "combined",
    "divide_and_query",
    "divide_by_yes_and_query",
    "dynamic_weighting_search",
    "exception_zooming",
    "expecting",
    "halve_chain",
    "hat_delta",
    "hat_delta_no",
    "hat_delta_proportion",
    "hat_delta_yes",
    "heaviest_first",
    "hirunkitti",
    "less_yes_first",
    "optimal_expected",
    "optimal_worst_case",
    "shapiro",
    "single_stepping",
    "subterm_dependency_tracking",
    "top_down",
    "top_down_zooming",
]

Strategy = Callable[[SuspiciousArea, int | None], int | None]
