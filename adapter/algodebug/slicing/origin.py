"""Where a value comes from: the calls and lines it passed on its way here, back to where it was made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from algodebug.slicing.criteria import Criterion
from algodebug.slicing.demands import Demand
from algodebug.slicing.instances import CONSTANT, DEEP, DISPLAY, LIBRARY, OPERATION, Instance
from algodebug.slicing.slicer import Slicer
from algodebug.slicing.sources import Place

if TYPE_CHECKING:
    from algotrace.trace import Trace

_MADE = frozenset({CONSTANT, OPERATION, LIBRARY})
_LONGEST = 100_000


class Station(NamedTuple):
    """A place that the value passed, and the call that was running."""

    node: int
    source: int
    place: Place | None
    what: str  # made | stored | passed | returned | read


def origin(slicer: Slicer, criterion: Criterion) -> list[Station]:
    """From where the value was made to the criterion. Empty where nothing is known of it."""
    demands = slicer.demands(criterion)
    if len(demands) != 1:
        return []
    chain: list[Station] = []
    demand: Demand | None = demands[0]
    seen: set[int] = set()
    while demand is not None and len(chain) < _LONGEST:
        instance = demand.instance
        if id(instance) in seen and not demand.path:
            break
        seen.add(id(instance))
        station = _station(slicer, instance, bool(demand.path))
        if station is not None and (not chain or chain[-1][:3] != station[:3]):
            chain.append(station)
        if instance.kind in _MADE or (instance.kind == DISPLAY and not demand.path):
            break
        demand = following(slicer, demand)
    chain.reverse()
    return chain


def following(slicer: Slicer, demand: Demand) -> Demand | None:
    """The one demand that asks for the same value where it came from; None where it was made here."""
    values = [
        found
        for found in slicer.graph.expand(demand, False)
        if found.depth == DEEP and found.instance is not demand.instance.control
    ]
    return values[0] if len(values) == 1 else None


def origin_node(slicer: Slicer, criterion: Criterion) -> int | None:
    """The call in which the value was made; None where that is not known."""
    chain = origin(slicer, criterion)
    return chain[0].node if chain else None


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


def changes_of_part(trace: Trace, slicer: Slicer, number: int, step: tuple[str, Any]) -> list[Station]:
    """Who changed an attribute or item, in order: "who wrote this?" """
    graph = slicer.graph
    stations = []
    for first, last in ((0, trace.end[0]),):
        for start, end in trace._positions_in(number, [(first, last)]):
            for position in range(start, end):
                time = trace._object_write_times[position]
                known = graph.step_of(trace._write_slots[position], time)
                if known is not None and known != step:
                    continue
                write = graph.write(time)
                station = None if write is None else _station(slicer, write, False)
                if station is not None:
                    stations.append(station)
    return stations
