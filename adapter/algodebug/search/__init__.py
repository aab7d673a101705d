"""Which nodes can still be buggy, and which of them to ask about next. Numbers only: no texts, no values, no I/O."""

from __future__ import annotations

from dataclasses import dataclass

from algodebug.search import strategies
from algodebug.search.suspicious_area import SuspiciousArea
from algodebug.search.weights import Weights

__all__ = ["DEFAULT_STRATEGY", "STRATEGIES", "NamedStrategy", "SuspiciousArea", "Weights"]


@dataclass(frozen=True)
class NamedStrategy:
    """A strategy as the user picks it."""

    name: str
    label: str
    choose: strategies.Strategy


STRATEGIES = {
    strategy.name: strategy
    for strategy in (
        NamedStrategy("divide-and-query", "Divide and query (fewest questions)", strategies.divide_and_query),
        NamedStrategy("top-down", "Top-down (from caller to callee)", strategies.top_down),
        NamedStrategy("heaviest-first", "Heaviest first (biggest call first)", strategies.heaviest_first),
        NamedStrategy("single-stepping", "Single-stepping (callees first)", strategies.single_stepping),
    )
}
DEFAULT_STRATEGY = "divide-and-query"
