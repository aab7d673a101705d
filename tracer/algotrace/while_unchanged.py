"""What was found by going from object to object, kept for as long as these objects lead to the same ones.

Questions about neighbouring calls go through nearly the same objects, once for each: what is in reach of the arguments,
and how a changed object is called. Which objects were written to in between is looked up at once; what these lead to is
compared, and everything else need not be looked at again. Numbers and texts that change lead nowhere.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar
from collections.abc import Callable, Hashable

if TYPE_CHECKING:
    from algotrace.history import History

_MOST_KEPT = 64
_MOST_TIMES = 4  # of each at which it is known to be what there was
_MOST_WRITES = 4000  # in between: of more of them all is looked at again

Steps = list[tuple[Any, Any]]
StepsAt = Callable[[int, int], Steps]


class Found(Protocol):
    """Has the steps that led on from each object on the way, and the objects whose steps may differ without a write."""

    steps: dict[int, Steps]
    varying: set[int]


F = TypeVar("F", bound=Found)


class WhileUnchanged(Generic[F]):
    """`steps_at` tells the steps from an object at a time."""

    def __init__(self, trace: History, steps_at: StepsAt) -> None:
        self._trace = trace
        self._steps_at = steps_at
        self._kept: OrderedDict[Hashable, list[tuple[int, F]]] = OrderedDict()

    def at(self, key: Hashable, time: int, make: Callable[[StepsAt], F]) -> F:
        """What is kept under a key where it is what there was at a time, too; else it is made."""
        times = self._kept.get(key)
        if times is None:
            times = self._kept[key] = []
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        steps_at = self._steps_at
        if times:
            when, found = min(times, key=lambda each: abs(each[0] - time))
            if when == time:
                return found
            written = self._trace.few_written_in(min(when, time), max(when, time), _MOST_WRITES)
            if written is not None:
                steps, touched = found.steps, (found.steps.keys() & written) | found.varying
                now = {number: steps_at(number, time) for number in touched}
                if all(steps[number] == new for number, new in now.items()):
                    return self._keep(times, time, found)

                def known_or_new(number: int, time: int) -> Steps:
                    known = now.get(number)
                    if known is None and (number in written or (known := steps.get(number)) is None):
                        known = steps_at(number, time)
                    return known

                return self._keep(times, time, make(known_or_new))
        return self._keep(times, time, make(steps_at))

    def only_at(self, key: Hashable, time: int, found: F) -> None:
        """What is kept under a key goes on from what there was at a time."""
        self._kept[key] = [(time, found)]

    @staticmethod
    def _keep(times: list[tuple[int, F]], time: int, found: F) -> F:
        times.append((time, found))
        if len(times) > _MOST_TIMES:
            del times[0]
        return found
