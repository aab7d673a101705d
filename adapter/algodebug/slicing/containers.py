"""What was stored into an object before it was read: writes, from the last one back, until the answer is whole.

An element of a list is followed to where it lay before each change of the whole list. In relevant slices the writes that
went elsewhere count with their keys (another key would have hit), and the tests that kept a write from happening.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from algodebug.slicing import variables
from algodebug.slicing.demands import Demand, Needs, Path, Step
from algodebug.slicing.instances import DEEP, SHAPE, Instance
from algodebug.slicing.known import COMPOUND
from algotrace import marks

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph
    from algotrace.content import Write

_MOST_STEPS = 400  # changes of a whole container that an element is followed through
_NEAR = 8  # events between a call's mark and its value
_COMPARED = 200  # elements of a list that are compared to tell whether it was changed before a place
_KEEPING_SIZE = frozenset({"sort", "reverse", "rotate", "heapify", "heapreplace", "heappushpop", "shuffle"})
# How many of the arguments say where an element is put or taken from.
_KEYS = {
    "append": 0,
    "appendleft": 0,
    "insert": 1,
    "pop": 1,
    "setdefault": 1,
    "clear": 0,
    "reverse": 0,
    "popleft": 0,
}
# Methods and functions that put elements where the others tell.
_ORDERING = frozenset(
    {
        "sort", "remove", "heappush", "heappop", "heapify", "heapreplace", "heappushpop", "insort", "insort_left",
        "insort_right", "shuffle",
    }
)  # fmt: skip


def is_mutable(graph: Graph, number: int) -> bool:
    row = graph.trace.row(number)
    return type(row) is list and row[0] in COMPOUND


def stored(needs: Needs, number: int, demand: Demand, before: int) -> bool:
    """Follow what was stored into an object before a time. True where that is the whole answer."""
    stores = _Stores(needs, number, demand, before)
    whole = stores.follow()
    if needs.relevant:
        _not_stored(needs, number, demand, before, stores.until)
    return whole


def held(needs: Needs, number: int, demand: Demand, time: int) -> None:
    """What was stored since into objects that an input held at a time."""
    graph, path = needs.graph, demand.path
    while number and path:
        number, path = graph.part_number(number, path[0], time), path[1:]
        if number and is_mutable(graph, number):
            wanted = demand._replace(path=path, fresh=False)
            if stored(needs, number, wanted, demand.time):
                break


def _not_stored(needs: Needs, number: int, demand: Demand, before: int, after: int) -> None:
    """Tests that kept code from storing something after the time that the answer was found at."""
    graph, path = needs.graph, demand.path
    attribute = path[0][1] if path and path[0][0] == "attr" else ""
    potential = graph.potential()
    if not path and demand.depth == SHAPE and graph.trace.row(number)[0] == "list":
        needs.which(potential.resizes(number, after, before))
        return
    needs.which(potential.stores(number, attribute, after, before))
    if not path and demand.depth == DEEP:
        for name in graph.trace.content(number, before).attributes:
            needs.which(potential.stores(number, name, after, before))


def step_of(graph: Graph, slot: int, time: int) -> Step | None:
    """What a slot number of the trace's index stands for."""
    if slot <= marks.APPENDED:
        return None
    if slot not in graph.steps:
        write = graph.trace.write_at(time)
        if write.kind in (marks.ATTRIBUTE, marks.ATTRIBUTE_NEW, marks.NAMED):
            graph.steps[slot] = ("attr", write.detail)
        elif write.kind in (marks.ITEM, marks.ITEM_DELETED):
            graph.steps[slot] = ("item", graph.trace.key_identity(write.values[1]))
        else:
            graph.steps[slot] = None
    return graph.steps[slot]


class _Stores:
    """The writes into one object before a time, for one demand."""

    def __init__(self, needs: Needs, number: int, demand: Demand, before: int) -> None:
        self.needs = needs
        self.graph = needs.graph
        self.trace = trace = needs.graph.trace
        self.number = number
        self.demand = demand
        self.before = before
        writes = trace.writes_of(number)
        self.times, self.slots = writes.times, writes.slots
        self.low, self.last = 0, bisect_left(writes.times, before)
        self.wholes = 0
        self.until = 0  # what happened before does not matter

    def follow(self) -> bool:
        path = self.demand.path
        if not path:
            return self._anywhere()
        step = path[0]
        if step[0] == "attr":
            return self._attribute(step)
        kind = self.trace.row(self.number)[0]
        if kind == "dict":
            return self._in_dict(step)
        if kind in ("list", "deque") and type(step[1]) is int:
            return self._in_list(step[1])
        for index in range(self.low, self.last):
            self._found_all(self.times[index])
        return False

    def _anywhere(self) -> bool:
        shape = self.demand.depth == SHAPE
        if shape and self.trace.row(self.number)[0] in ("list", "deque"):
            return self._size()
        seen: set[int] = set()
        for index in range(self.last - 1, self.low - 1, -1):
            slot, at = self.slots[index], self.times[index]
            if slot > marks.APPENDED:
                if slot in seen:
                    self._skipped(at)
                    continue
                seen.add(slot)
                if shape:
                    write = self.trace.write_at(at)
                    if write.kind == marks.ITEM and self.trace.row(write.values[-1]) != ["absent"]:
                        self._skipped(at)
                        continue
            if shape:
                self._found_happened(at)
            else:
                self._found_all(at)
        return False

    def _size(self) -> bool:
        """How many elements a list has: as many as before the last change of that, but for what it did."""
        for index in range(self.last - 1, self.low - 1, -1):
            slot, at = self.slots[index], self.times[index]
            if slot > marks.APPENDED and step_of(self.graph, slot, at) is not None:
                write = self.trace.write_at(at)
                if write.kind != marks.ITEM_DELETED:
                    self._skipped(at)
                    continue
            elif slot <= marks.APPENDED and _method_of(self.graph, at) in _KEEPING_SIZE:
                continue
            self._found_happened(at)
            if self._at_change(at):
                return True
        return False

    def _at_change(self, at: int) -> bool:
        """… as many as there were then."""
        write = self.graph.write(at)
        if write is None or not write.uses or self.graph.number(write.uses[0]) != self.number:
            return False
        self.needs.shape(write.uses[:1], at)
        self.until = at
        return True

    def _attribute(self, step: Step) -> bool:
        at = self.graph.states.last_write(self.number, step[1], self.before)
        if at is None:
            at = -1
            for index in range(self.last - 1, self.low - 1, -1):
                if step_of(self.graph, self.slots[index], self.times[index]) == step:
                    at = self.times[index]
                    break
        if at < 0:
            return False
        return self._hit(at)

    def _in_dict(self, step: Step) -> bool:
        for index in range(self.last - 1, self.low - 1, -1):
            at = self.times[index]
            known = step_of(self.graph, self.slots[index], at)
            if known is None:
                write = self.trace.write_at(at)
                if write.kind == marks.ITEM and len(write.values) > 1:
                    known = ("item", self.trace.key_identity(write.values[1]))
            if known is not None:
                if known == step:
                    return self._hit(at)
                self._skipped(at)
                continue
            if self._too_many(at):
                continue
            after = self.times[index + 1] if index + 1 < self.last else at + 1
            old = self.trace.content(self.number, at).pairs.get(step[1])
            new = self.trace.content(self.number, max(after, at + 1)).pairs.get(step[1])
            if (old and old[1]) == (new and new[1]):
                self._skipped(at)
                continue
            self._found_all(at)
            self.until = at
            return True
        return False

    def _in_list(self, place: int) -> bool:
        """Follow the element that is at `place` back to where it was put."""
        if self.last == self.low:
            return False
        wanted = place
        length = len(self.trace.content(self.number, self.before).items)
        if not 0 <= place < length:
            return self._size()  # there is no such element: it has too few
        for index in range(self.last - 1, self.low - 1, -1):
            at, slot = self.times[index], self.slots[index]
            if slot == marks.APPENDED:
                length -= 1
                if place == length:
                    self._found_rest(at)
                    self._at_change(at)
                    return True
                continue
            key = self._key_in_list(slot, at, length)
            if key is not None:
                if key == place:
                    return self._hit(at)
                self._skipped(at)
                continue
            if self._too_many(at):
                continue
            following = self.times[index + 1] if index + 1 < self.last else self.before
            old = self.trace.content(self.number, at).items
            new = self.trace.content(self.number, max(following, at + 1)).items
            length = len(old)
            if _method_of(self.graph, at) in _ORDERING:
                self._found_with_object(at)
                self.until = at
                return True
            inserted, removed = _moved(self.graph, self.trace.write_at(at))
            if inserted is not None or removed is not None:
                if inserted is not None and place == inserted:
                    self._found_all(at)
                    self._at_change(at)
                    return True
                self._skipped(at)
                if inserted is not None and place > inserted:
                    place -= 1
                elif removed is not None and place >= removed:
                    place += 1
                continue
            element = new[place] if place < len(new) else 0
            if place < len(old) and old[place] == element and _same_until(old, new, place):
                self._skipped(at)
                continue
            self._found_with_object(at)
            self.until = at
            return True
        return place != wanted and self._found_where_made(place)

    def _key_in_list(self, slot: int, at: int, length: int) -> int | None:
        """The index that was stored to; None where it is another kind of change."""
        known = step_of(self.graph, slot, at)
        if known is not None:
            return known[1] if type(known[1]) is int else -1
        write = self.trace.write_at(at)
        if write.kind != marks.ITEM:
            return None
        key = self.trace.row(write.values[1])
        if type(key) is not int:
            return -1
        return key + length if key < 0 else key

    def _too_many(self, at: int) -> bool:
        self.wholes += 1
        if self.wholes > _MOST_STEPS:
            self._found_all(at)
            return True
        return False

    def _found_where_made(self, place: int) -> bool:
        """It was elsewhere when the list was made."""
        write = self.graph.write(self.times[self.low])
        base = write.uses[0] if write is not None and write.uses else None
        if base is None:
            return False
        demand = self.demand
        path = (("item", place), *demand.path[1:])
        self.needs.found.append(Demand(base, path, demand.depth, demand.time, True))
        return True

    # -- a write is what counts

    def _found_happened(self, at: int) -> None:
        """That it happened, not what it stored."""
        write = self.graph.write(at)
        if write is None:
            variables.unknown_write(self.needs, at)
        else:
            self.needs.reached(write)

    def _found_all(self, at: int) -> None:
        """Everything that it stored."""
        self._found(at, (), DEEP)

    def _hit(self, at: int) -> bool:
        """The part was stored by this write: the whole answer."""
        self._found_rest(at)
        self.until = at
        return True

    def _found_rest(self, at: int) -> None:
        """What is asked of the part that it stored."""
        self._found(at, self.demand.path[1:], self.demand.depth)

    def _found(self, at: int, path: Path, depth: int) -> None:
        write = self.graph.write(at)
        if write is None and self.graph.visible(at) is None:
            held(self.needs, self.number, self.demand, self.before)  # it was put there before: an input
        elif write is None:
            variables.unknown_write(self.needs, at)
        elif write.copy is None and (write.deep or path):
            self.needs.whole((write,), self.demand.time)
        else:
            self.needs.found.append(Demand(write, path, depth, self.demand.time))

    def _found_with_object(self, at: int) -> None:
        """… and all that the object held before it."""
        self._found_all(at)
        made = self.graph.write(at)
        if made is not None and made.uses:
            self.needs.whole(made.uses[:1], at)

    def _skipped(self, at: int) -> None:
        """A write that went elsewhere: with another key it would have hit."""
        if self.needs.relevant:
            write = self.graph.write(at)
            if write is not None:
                self.needs.which(write.uses[1:])
                self.needs.which(write.deep[: _KEYS.get(write.detail, len(write.deep))])


def _moved(graph: Graph, write: Write) -> tuple[int | None, int | None]:
    """Where a call put one element into a list, or took one out."""
    row = graph.trace.row
    told = row(write.values[-1]) if write.kind == marks.MUTATE and len(write.values) > 1 else None
    if type(told) is list and told[0] == "tuple" and len(told[2]) > 1:
        verb, place = row(told[2][0]), row(told[2][1])
        if type(place) is int and place >= 0:
            if verb == "drop":
                return place, None
            if verb == "insert":
                return None, place
    return None, None


def _method_of(graph: Graph, time: int) -> str:
    mark = graph.trace.mark_at(time)
    return "" if mark is None else mark.label.rpartition("\t")[2]


def _same_until(old: list[int], new: list[int], place: int) -> bool:
    return old[: place + 1] == new[: place + 1] if place < _COMPARED else old[place] == new[place]


def before_change(graph: Graph, number: int, instance: Instance) -> int:
    """The time just before a mutating method changed its object; for others that of the call."""
    trace = graph.trace
    file = graph.files[instance.activation.source]
    place = file.place(instance.node) if file is not None and instance.node is not None else None
    times = trace.writes_of(number).times
    for at in range(bisect_right(times, instance.time) - 1, -1, -1):
        if instance.time - times[at] > _NEAR:
            break
        mark = trace.mark_at(times[at])
        if mark is not None and mark.at is not None and tuple(mark.at) == place:
            return times[at]
    return instance.time
