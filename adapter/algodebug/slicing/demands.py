"""What is asked of the dependence graph, and the list that the answers are put on.

A *demand* asks for an instance and a part of its value: nothing but which object it is, its shape, all of it, or what
lies at the end of an access path.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from algodebug.slicing.covered import Covered
from algodebug.slicing.instances import DEEP, SHALLOW, SHAPE, Instance

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

REACHED = -1  # that it was executed, whatever it gave

Step = tuple[str, Any]
Path = tuple[Step, ...]

OWNER: Step = ("attr", "__self__")  # of a method: what it is one of


class Demand(NamedTuple):
    instance: Instance
    path: Path
    depth: int
    time: int  # of the state asked about, where parts matter
    fresh: int = (
        0  # so many of the path's steps lead to what lay there when the objects were made; of an empty path 1
    )


class Needs:
    """What one demand leads to. `relevant`: also what could have changed it."""

    __slots__ = ("covered", "found", "graph", "relevant")

    def __init__(self, graph: Graph, relevant: bool, covered: Covered | None = None) -> None:
        self.graph = graph
        self.relevant = relevant
        self.covered = covered or Covered()  # none: all that this one demand leads to
        self.found: list[Demand] = []

    def which(self, instances: Iterable[Instance]) -> None:
        """Which objects these gave, or which scalars."""
        asked = self.covered.which
        for instance in instances:
            identity = id(instance)
            if identity not in asked:
                asked.add(identity)
                self.found.append(Demand(instance, (), SHALLOW, 0))

    def keys(self, instances: Iterable[Instance], time: int) -> None:
        """Which keys these gave: of some it counts what they hold, not which object they are."""
        for instance in instances:
            if self.graph.is_compared_by_parts(instance):
                self.whole((instance,), time)
            else:
                self.which((instance,))

    def shape(self, instances: Iterable[Instance], time: int) -> None:
        """… and how many parts they had."""
        self.found += [Demand(instance, (), SHAPE, time) for instance in instances]

    def whole(self, instances: Iterable[Instance], time: int) -> None:
        """… and all that they held."""
        self.found += [Demand(instance, (), DEEP, time) for instance in instances]

    def same(self, instance: Instance, demand: Demand) -> None:
        """The same of another instance: of what was copied."""
        self.found.append(Demand(instance, demand.path, demand.depth, demand.time, demand.fresh))

    def rest(self, instance: Instance, demand: Demand) -> None:
        """What is left of a demand's path when its first step is done."""
        fresh = max(demand.fresh - 1, 0)
        self.found.append(Demand(instance, demand.path[1:], demand.depth, demand.time, fresh))

    def reached(self, instance: Instance) -> None:
        """That it was executed."""
        self.found.append(Demand(instance, (), REACHED, 0))
