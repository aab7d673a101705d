"""Where a value comes from: the calls and lines it passed on its way here, back to where it was made."""

from __future__ import annotations

from typing import Any, NamedTuple

from algodebug.slicing import criteria
from algodebug.slicing.criteria import Criterion
from algodebug.slicing.demands import REACHED, Demand
from algodebug.slicing.instances import (
    CALL,
    CONSTANT,
    DEEP,
    DISPLAY,
    LIBRARY,
    OPERATION,
    PARAMETER,
    Instance,
)
from algodebug.slicing.printed_lines import behind_text, called_for, last_print
from algodebug.slicing.slicer import Slicer
from algodebug.slicing.sources import Place

_MADE = frozenset({CONSTANT, OPERATION, LIBRARY})
_CHANGEABLE = frozenset({"list", "dict", "set", "deque", "instance", "exception", "bytearray", "based"})
_LONGEST = 100_000
_MOST_VALUES = 20  # in one line of output


class Station(NamedTuple):
    """A place that the value passed, and the call that was running."""

    node: int
    source: int
    place: Place | None
    what: str  # made | stored | passed | returned | raised | read | printed


def origin(slicer: Slicer, criterion: Criterion) -> list[Station]:
    """From where the value was made to the criterion. Empty where nothing is known of it.

    Of a line of output with several values in it, the ways of all of them, one after the other.
    """
    demands = slicer.demands(criterion)
    if criterion.kind == criteria.PRINTED:
        chains = [chain_of(slicer, demand) for demand in _values_printed(slicer, demands)[:_MOST_VALUES]]
        calls = [d.instance for d in demands if d.depth == REACHED and d.instance.kind == LIBRARY]
        prints = [_station(slicer, call, False) for call in calls]
        last = [station._replace(what="printed") for station in prints if station is not None][-1:]
        return [station for chain in chains for station in chain] + last
    return chain_of(slicer, demands[0]) if len(demands) == 1 else []


def shows_values(slicer: Slicer, criterion: Criterion) -> bool:
    """Is there anything but fixed text in some characters of a line of output?"""
    return bool(_values_printed(slicer, slicer.demands(criterion)))


def _values_printed(slicer: Slicer, demands: list[Demand]) -> list[Demand]:
    return [
        value
        for demand in demands
        if demand.depth != REACHED and demand.instance.kind != CONSTANT
        for value in behind_text(slicer.graph, demand)
    ]


def chain_of(slicer: Slicer, start: Demand) -> list[Station]:
    """The way of one value, from where it was made."""
    chain: list[Station] = []
    demand: Demand | None = start
    seen: set[int] = set()
    while demand is not None and len(chain) < _LONGEST:
        demand = _as_made(slicer, demand)
        instance = demand.instance
        if id(instance) in seen and not demand.path:
            break
        seen.add(id(instance))
        station = _station(slicer, instance, bool(demand.path))
        after = None
        if not (instance.kind in _MADE or (instance.kind == DISPLAY and not demand.path)):
            after = following(slicer, demand)
        if station is not None and after is None and instance.kind == CALL:
            station = station._replace(what="made")  # an instance, by its class
        if station is not None and (not chain or chain[-1][:3] != station[:3]):
            chain.append(station)
        demand = after
    chain.reverse()
    return chain


def _as_made(slicer: Slicer, demand: Demand) -> Demand:
    """Of a whole container the way of the object is asked for, not of what it holds."""
    if demand.path or demand.fresh:
        return demand
    number = slicer.graph.number(demand.instance)
    row = slicer.trace.row(number) if number > 0 else None
    changeable = type(row) is list and row[0] in _CHANGEABLE
    return demand._replace(fresh=True) if changeable else demand


def following(slicer: Slicer, demand: Demand) -> Demand | None:
    """The one demand that asks for the same value where it came from; None where it was made here."""
    found = slicer.graph.expand(demand, False)
    values = [each for each in found if each.depth == DEEP and each.instance is not demand.instance.control]
    if not values and demand.instance.kind == PARAMETER:
        # The object that a constructor was called for.
        values = [each for each in found if each.depth == REACHED and each.instance.kind == CALL]
    return values[0] if len(values) == 1 else None


def origin_node(slicer: Slicer, criterion: Criterion) -> int | None:
    """The call in which the value was made; None where that is not known.

    Of a line of output with several values: the one call besides those that put the line together.
    """
    if criterion.kind != criteria.PRINTED:
        chain = origin(slicer, criterion)
        return chain[0].node if chain else None
    demands = slicer.demands(criterion)
    if any(demand.instance.activation.failed for demand in demands):
        time = last_print(slicer.trace, criterion.node, criterion.path)
        return None if time is None else called_for(slicer.graph, time)
    printing = {demand.instance.activation.node for demand in demands}
    chains = [chain_of(slicer, demand) for demand in _values_printed(slicer, demands)[:_MOST_VALUES]]
    made = {chain[0].node for chain in chains if chain}
    candidates = made - printing or made
    return candidates.pop() if len(candidates) == 1 else None


_WORDS = {
    "store": "stored",
    "write": "stored",
    "parameter": "passed",
    "return": "returned",
    "yield": "returned",
    "raise": "raised",
    "call": "returned",
}


def _station(slicer: Slicer, instance: Instance, part: bool) -> Station | None:
    file = slicer.graph.files[instance.activation.source]
    node: Any = instance.node
    if file is None or node is None or not hasattr(node, "lineno"):
        return None
    made = instance.kind in _MADE or (instance.kind == DISPLAY and not part)
    what = "made" if made else _WORDS.get(instance.kind, "read")
    return Station(instance.activation.node, instance.activation.source, file.place(node), what)
