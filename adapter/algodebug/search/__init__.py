"""Which nodes can still be buggy, and which of them to ask about next. Numbers only: no texts, no values, no I/O."""

from __future__ import annotations

from dataclasses import dataclass

from algodebug.search import ranges, strategies
from algodebug.search.suspicious_area import Mark, Question, Run, SuspiciousArea
from algodebug.search.weights import Weights

__all__ = [
    "DEFAULT_STRATEGY",
    "STRATEGIES",
    "Mark",
    "NamedStrategy",
    "Question",
    "Run",
    "SuspiciousArea",
    "Weights",
    "next_question",
]


@dataclass(frozen=True)
class NamedStrategy:
    """A strategy as the user picks it."""

    name: str
    label: str
    choose: strategies.Strategy
    # Its aim is to divide the area, so a run of calls may be asked in the place of its node.
    divides: bool = False


STRATEGIES = {
    strategy.name: strategy
    for strategy in (
        NamedStrategy(
            "divide-and-query", "Divide and query (fewest questions)", strategies.divide_and_query, True
        ),
        NamedStrategy("top-down", "Top-down (from caller to callee)", strategies.top_down),
        NamedStrategy("top-down-zooming", "Top-down, recursive calls first", strategies.top_down_zooming),
        NamedStrategy("exception-zooming", "Top-down, calls that raised first", strategies.exception_zooming),
        NamedStrategy("heaviest-first", "Heaviest first (biggest call first)", strategies.heaviest_first),
        NamedStrategy(
            "less-yes-first",
            "Less yes first (biggest call first, code that was right before last)",
            strategies.less_yes_first,
        ),
        NamedStrategy("single-stepping", "Single-stepping (callees first)", strategies.single_stepping),
        NamedStrategy("divide-and-query-shapiro", "Divide and query, Shapiro's", strategies.shapiro, True),
        NamedStrategy(
            "divide-and-query-hirunkitti", "Divide and query, Hirunkitti's", strategies.hirunkitti, True
        ),
        NamedStrategy(
            "divide-and-query-biased",
            "Divide and query, biased to calls that raised or never ended",
            strategies.biased_divide_and_query,
            True,
        ),
        NamedStrategy(
            "divide-by-yes-and-query",
            "Divide by yes and query (code that was right before counts less)",
            strategies.divide_by_yes_and_query,
            True,
        ),
        NamedStrategy(
            "hat-delta-yes", "Hat-delta: code that was right least often", strategies.hat_delta_yes
        ),
        NamedStrategy("hat-delta-no", "Hat-delta: code that was wrong most often", strategies.hat_delta_no),
        NamedStrategy(
            "hat-delta", "Hat-delta: code with the most wrong results of all", strategies.hat_delta_proportion
        ),
        NamedStrategy(
            "subterm-dependency-tracking",
            "Subterm dependency tracking (who made the marked value)",
            strategies.subterm_dependency_tracking,
        ),
        NamedStrategy(
            "dynamic-weighting-search",
            "Dynamic weighting (who made, passed on or influenced marked values)",
            strategies.dynamic_weighting_search,
        ),
        NamedStrategy(
            "combined",
            "Combined (marks, divide by yes, less yes, division, in this order)",
            strategies.all_combined,
            True,
        ),
        NamedStrategy(
            "automatic",
            "Automatic (heaviest first in shallow trees, else divide and query)",
            strategies.automatic,
        ),
        NamedStrategy(
            "optimal-worst-case", "Optimal (fewest questions at worst)", strategies.optimal_worst_case, True
        ),
        NamedStrategy(
            "optimal-expected",
            "Optimal (least effort on average, near the last question)",
            strategies.optimal_expected,
            True,
        ),
    )
}
DEFAULT_STRATEGY = "divide-and-query"


def next_question(
    area: SuspiciousArea,
    last: int | None = None,
    strategy: str = DEFAULT_STRATEGY,
    *,
    runs: bool = True,
    cuts: ranges.Cuts | None = None,
) -> Question | None:
    """What to ask next: a node, or with `runs` also a run of calls where that pays; None when the search is over."""
    chosen = STRATEGIES[strategy]
    if runs and chosen.divides:
        return ranges.choose(area, last, chosen.choose, cuts)
    return chosen.choose(area, last)
