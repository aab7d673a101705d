"""What was stored into an object before it was read: writes, from the last one back, until the answer is whole.

An element of a list is followed to where it lay before each change of the whole list. In relevant slices the writes that
went elsewhere count with their keys (another key would have hit), and the tests that kept a write from happening.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from itertools import chain, filterfalse
from typing import TYPE_CHECKING

from algodebug.slicing import (
    calls,
    class_attributes,
    defaulting_reads,
    imported,
    known,
    lists,
    unseen_calls,
    variables,
)
from algodebug.slicing.demands import Demand, Needs, Path, Step
from algodebug.slicing.instances import (
    ATTRIBUTE,
    DEEP,
    DISPLAY,
    GLOBAL,
    LIBRARY,
    OPAQUE,
    REFUSED,
    SHAPE,
    UNSET,
    WRITE,
    Activation,
    Called,
    Instance,
)  # fmt: skip
from algodebug.slicing.known import COMPOUND
from algotrace import marks

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_MOST_STEPS = 400  # changes of a whole container that an element is followed through
_UNPARTED = ("set", "frozenset", "opaque", "textual", "large", "generator", "bytes", "instance", "based")
_MOST_HELD = 20_000  # objects in one container that are looked at for what was stored into them since
HOLDING = ("list", "tuple", "dict", "set", "deque")
_NOWHERE = Instance(
    Activation(0, 0, 0), OPAQUE, None, 0, 0, None
)  # a demand for an object that no instance stands for
_MADE_BY_CLASS = ("instance", "based")
_WHOLE = array("I", (marks.WHOLE,))
_NEAR = 8  # events between a call's mark and its value
# How many of the arguments say which keys are changed; of others all do, by the keys that they hold.
_KEYS = {"pop": 1, "setdefault": 1, "clear": 0, "popitem": 0, "append": 0, "appendleft": 0, "insert": 1}
_OF_ALL_KEYS = frozenset({"popitem", "update", "|=", "+="})


def is_mutable(graph: Graph, number: int) -> bool:
    row = graph.trace.row(number)
    if type(row) is not list:
        return False
    return row[0] in COMPOUND or (
        row[0] == "tuple" and graph.trace.type_of(row[1])[2]
    )  # it may have attributes


def read(needs: Needs, base: Instance, step: Step, at: int, demand: Demand) -> None:
    """What lies at `step` of `base` at the time `at`; of that, what is demanded."""
    graph = needs.graph
    number = graph.number(base)
    needs.which((base,))
    if step[0] == "attr" and (modules := imported.sources_of_module(graph, base)):
        for module in modules:
            variables.named(needs, module, step[1], at, demand)
        return
    if step[0] == "attr" and (behind := graph.weak_proxies.behind(base)):
        for value in behind:
            read(needs, value, step, at, demand)
        return
    wanted = demand._replace(path=(step, *demand.path))
    if number:
        row = graph.trace.row(number)
        kind = row[0] if type(row) is list else ""
        if kind in ("", "class", "module"):  # a text
            needs.whole((base,), at)
        if kind in class_attributes.BY_NAME:
            _of_class(needs, str(row[1]), wanted, at, base, number)
            return
        if kind == "":  # nothing is stored into a scalar
            return
        if kind in ("module", "method"):
            stored(needs, number, wanted, at)
            return
        if step[0] == "item" and type(step[1]) is int:
            if step[1] < 0 and kind in ("list", "tuple", "deque"):
                needs.shape((base,), at)
            step = known.counted(graph, number, step, at)
            wanted = demand._replace(path=(step, *demand.path))
        if step[0] == "item" and (
            kind in _UNPARTED
            or (
                kind == "dict"
                and type(step[1]) is int
                and step[1] not in graph.trace.content(number, at).pairs
            )
        ):
            needs.whole((base,), at)
            return
        if kind == "dict" and isinstance(step[1], str):
            source = graph.states.source_of_globals(number)
            if source is not None:
                variables.named(needs, source, step[1], at, demand)
                return
        if step[0] == "attr":
            for kept in graph.states.namespaces_of(number):
                stored(needs, kept, demand._replace(path=(("item", step[1]), *demand.path)), at)
        if is_mutable(graph, number) and stored(needs, number, wanted, at):
            return
        if (
            step[0] == "attr"
            and kind in _MADE_BY_CLASS
            and step[1] not in graph.trace.content(number, at).attributes
        ):
            _of_class(needs, graph.trace.type_of(row[1])[0], wanted, at, base)
    elif step[0] == "attr":
        shown = graph.origin(base)
        is_named = shown.kind in (GLOBAL, ATTRIBUTE)
        if class_name := str(shown.detail) if is_named else class_attributes.class_given(graph, base):
            _of_class(needs, class_name, wanted, at, base)
    needs.found.append(Demand(base, (step, *demand.path), demand.depth, demand.time, 1 + demand.fresh))


def _of_class(needs: Needs, class_name: str, demand: Demand, at: int, base: Instance, own: int = 0) -> None:
    """An attribute that was stored into a class or a base of it, or that the body of one bound; `base`: what gave the class,
    or something of it; `own`: the class as an object."""
    graph, bodies, name = needs.graph, needs.graph.class_bodies, demand.path[0][1]
    class_name = class_name.rpartition(".")[2]
    order, is_sure = bodies.order(class_name)
    if not graph.files.defining(class_name):
        _of_made_class(needs, base, demand, at)
    # Where nobody knows which object it is, what could have been changed is told by the name of the attribute.
    is_unknown = not graph.number(demand.instance) and graph.value(demand.instance) is UNSET
    is_whole = False
    for each in order:
        needs.whole(bodies.chosen_bases(each, at), at)
        for hook in bodies.namespace_hooks(each, at):
            calls.given_by(needs, hook, at)
            needs.whole(calls.filled_in(graph, hook), at)
        after = 0
        classes = class_attributes.named(graph, each, name)
        for number in [own] if own and each == class_name else classes:
            stores = Stores(needs, number, demand, at)
            is_whole = stores.follow() or is_whole
            after = stores.until if is_sure else 0
            if needs.relevant:
                needs.which(graph.potential().elsewhere(number, name, after, at, needs.covered))
        if needs.relevant:
            needs.which(graph.potential().into_classes(frozenset((each,)), name, after, at, needs.covered))
            needs.which(graph.potential().into_chosen_classes(name, after, at, needs.covered))
            if not classes:  # nothing was stored that could have been stored elsewhere
                needs.which(graph.potential().by_chosen_methods(name, after, at, needs.covered))
            if is_unknown:
                needs.which(graph.potential().into_unknown(name, after, at, needs.covered))
        if is_sure and (is_whole or bodies.binds(each, name, at)):
            break
    if not (is_whole and is_sure):
        for bound in bodies.attribute(class_name, name, at):
            needs.rest(bound, demand)
    if needs.relevant:
        needs.which(bodies.kept_from_binding(class_name, name, at))


def _of_made_class(needs: Needs, base: Instance, demand: Demand, at: int) -> None:
    """… of a class that no statement made, or of something of such a class: what the call was given that made it."""
    graph, maker, row = needs.graph, needs.graph.origin(base), needs.graph.row_of(base)
    if type(row) is list and row[0] in _MADE_BY_CLASS and not graph.trace.type_of(row[1])[2]:
        return  # of a library
    needs.whole((base,), at)
    if isinstance(maker.detail, Called) and maker.detail.function is not None:
        needs.whole((maker.detail.function,), at)
        for shown in (maker, graph.origin(maker.detail.function)):
            for name in filter(graph.files.defining, graph.class_bodies.called_with(shown)):
                _of_class(needs, name, demand, at, base)


def stored(needs: Needs, number: int, demand: Demand, before: int) -> bool:
    """Follow what was stored into an object before a time. True where that is the whole answer."""
    stores = Stores(needs, number, demand, before)
    whole = stores.follow()
    if needs.relevant:
        needs.graph.weak_proxies.not_stored(needs, number, demand, stores.until, before)
        _not_stored(needs, number, demand, before, stores.until)
        if not (whole and demand.path) and needs.graph.defaulting_reads.is_of_one(number):
            defaulting_reads.add(needs, number, demand, before, stores.until)
            needs.which(needs.graph.potential().reads(number, stores.until, before, needs.covered))
    return whole


def held(needs: Needs, number: int, demand: Demand, time: int) -> None:
    """What was stored since into objects that an input held at a time."""
    graph, path = needs.graph, demand.path
    while number and path:
        number, path = graph.part_number(number, path[0], time), path[1:]
        if number and is_mutable(graph, number):
            wanted = demand._replace(path=path, fresh=0)
            if stored(needs, number, wanted, demand.time):
                break


def held_whole(needs: Needs, number: int, time: int, since: int) -> None:
    """What was stored, since a container was made, into the objects that it holds."""
    trace, todo, seen, scalars = needs.graph.trace, [number], {number}, needs.graph.scalars
    while todo:
        row = trace.row(todo[-1])
        at = todo.pop()
        if type(row) is not list or row[0] not in HOLDING:
            continue
        content = trace.content(at, time)
        parts = chain(content.items, (value for _, value in content.pairs.values()))
        for part in filterfalse(scalars.__contains__, parts):  # they may be many, and the same each time
            if part in seen or not part:
                continue
            if type(trace.row(part)) is not list:
                scalars.add(part)
            elif len(seen) == _MOST_HELD:
                needs.graph.incomplete.add(f"what more than {_MOST_HELD} objects in a container had stored")
                return
            else:
                seen.add(part)
                todo.append(part)
                if is_mutable(needs.graph, part):
                    _stored_since(needs, part, time, since)


def _stored_since(needs: Needs, number: int, time: int, since: int) -> None:
    stores = Stores(needs, number, Demand(_NOWHERE, (), DEEP, time), time)
    stores.low = bisect_left(stores.times, since, stores.low, stores.last)
    stores.follow()
    if needs.relevant:
        _not_stored(needs, number, stores.demand, time, since)


def _not_stored(needs: Needs, number: int, demand: Demand, before: int, after: int) -> None:
    """Tests that kept code from storing something after the time that the answer was found at."""
    graph, path = needs.graph, demand.path
    if not path and demand.depth == DEEP:
        _nothing_stored(needs, number, before, after)
        return
    attribute = path[0][1] if path and path[0][0] == "attr" else ""
    potential, covered = graph.potential(), needs.covered
    needs.which(potential.elsewhere(number, attribute, after, before, covered))
    if not path and demand.depth == SHAPE and graph.trace.row(number)[0] == "list":
        needs.which(potential.resizes(number, after, before, covered))
        return
    needs.which(potential.stores(number, attribute, after, before, covered))


def _nothing_stored(needs: Needs, number: int, before: int, after: int) -> None:
    """Tests that kept code from storing anything into an object between two times: its whole value may be asked for again
    and again."""
    graph, covered, potential = needs.graph, needs.covered, needs.graph.potential()
    attributes, rounds = graph.trace.content(number, before).attributes, potential.rounds
    names = frozenset(attributes)
    if covered.is_asked(number, after, before, names, rounds):
        return
    for name in ("", *attributes):
        needs.which(potential.elsewhere(number, name, after, before, covered))
        needs.which(potential.stores(number, name, after, before, covered))
    if potential.rounds == rounds:  # else some of it was asked when less was known
        covered.ask(number, after, before, names, rounds)


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


def last_store(graph: Graph, number: int, step: Step, before: int) -> int:
    """When an attribute was stored last before a time; -1 for never."""
    at = graph.states.last_write(number, step[1], before)
    if at is None:
        writes = graph.trace.writes_of(number)
        for index in range(bisect_left(writes.times, before) - 1, -1, -1):
            if step_of(graph, writes.slots[index], writes.times[index]) == step:
                return writes.times[index]
    return -1 if at is None else at


class Stores:
    """The writes into one object before a time, for one demand. How fresh that is, is said of its path's rest."""

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
            return lists.element(self, step[1])
        for index in range(self.low, self.last):
            self.found_all(self.times[index])
        return False

    def _anywhere(self) -> bool:
        """All of it, or (of what is no list) which parts it has."""
        kind = self.trace.row(self.number)[0]
        shape = self.demand.depth == SHAPE and kind not in ("set", "bytearray")
        if shape and kind in ("list", "deque"):
            return lists.size(self)
        key, covered = ("shape" if shape else "whole", self.number), self.needs.covered
        seen: set[int] = set()
        index = self.last - 1
        while index >= self.low:
            if covered.is_settled(key, index):
                below = max(covered.last_unsettled(key, index), self.low - 1)
                if below >= self.low:
                    self._see(seen, below + 1, index + 1)
                index = below
            elif self.slots[index] > marks.APPENDED:
                index = self._last_to_slots(index, seen, shape, key)
            else:
                if self.slots[index] == marks.WHOLE:
                    seen.clear()  # places were moved, or the key may have been new again
                self._look_at(index, shape, key)
                index -= 1
        return False

    def _see(self, seen: set[int], start: int, end: int) -> None:
        """Note the slots that are written to between two positions, but for those before which all was written to."""
        slots = self.slots[start:end]
        if marks.WHOLE in slots:
            seen.clear()
            slots = slots[: slots.index(marks.WHOLE)]
        seen.update(slots)
        seen.discard(marks.APPENDED)

    def _last_to_slots(self, last: int, seen: set[int], shape: bool, key: tuple[str, int]) -> int:
        """Of a row of writes to slots, the last one to each that was not seen later; the position before all of them."""
        writes, covered = self.trace.writes_of(self.number), self.needs.covered
        first = writes.start_of_stretch(last)
        start, end, are_settled = max(first, self.low), last + 1, first >= self.low
        latest = writes.last_of_each(start, end)
        for index in sorted((at for slot, at in latest.items() if slot not in seen), reverse=True):
            self.skipped_all(index + 1, end)
            end = index
            if not covered.is_settled(key, index):
                self._look_at(index, shape, key)
            are_settled = are_settled and covered.is_settled(key, index)
        self.skipped_all(start, end)
        if are_settled and not seen and self.slots[last + 1 : last + 2] == _WHOLE:
            covered.settle(key, last, first - 1)  # whoever comes to it finds the same
        seen.update(latest)
        return start - 1

    def _look_at(self, index: int, shape: bool, key: tuple[str, int]) -> None:
        """A write that counts."""
        at = self.times[index]
        if shape:
            self.happened(at)
            self.skipped(at)
        else:
            self.found_all(at)
        if self._is_settled(at, shape):
            self.needs.covered.settle(key, index)

    def _is_settled(self, at: int, shape: bool) -> bool:
        """Whether what a write leads to is the same whenever somebody asks: nothing that it put can be changed since."""
        write, mark = self.graph.write(at), self.trace.mark_at(at)
        if write is None or write.kind != WRITE or mark is None or mark.kind == marks.PASSED:
            return False
        if unseen_calls.are_hidden(self.graph, self.number, at):
            return False
        if shape:
            return True
        put = [*write.deep, *([write.copy] if write.copy is not None else [])]
        if mark.kind == marks.APPEND and put and all(map(self.graph.is_scalar, put)):
            return True
        called = write.activation.changing.get(write.order)
        if called is not None and (
            called.nodes or called.inline
        ):  # what ran in it is looked at as it was then
            return False
        return all(map(self._is_fixed, put))

    def _is_fixed(self, value: Instance) -> bool:
        """Whether it is a number or a text, or a tuple of some as it is written."""
        shown = self.graph.origin(value)
        if self.graph.is_scalar(value):
            return shown.kind != LIBRARY
        row = self.graph.row_of(value)
        return (
            type(row) is list
            and row[0] == "tuple"
            and shown.kind == DISPLAY
            and type(shown.detail) is list
            and all(map(self._is_fixed, shown.detail))
        )

    def _attribute(self, step: Step) -> bool:
        at = last_store(self.graph, self.number, step, self.before)
        while at >= 0 and self.stored_nothing(at, step):
            self.skipped(at)
            at = last_store(self.graph, self.number, step, at)
        return at >= 0 and self.hit(at)

    def stored_nothing(self, at: int, step: Step) -> bool:
        """Whether a store was refused, or an object was initialized again that has what it had there."""
        write = self.graph.write(at)
        if write is not None and write.detail == REFUSED:
            return True
        if write is None or write.detail != "__init__" or self.trace.write_at(at).kind != marks.NAMED:
            return False
        attribute = self.graph.states.attribute
        before, after = (attribute(self.number, step[1], time) for time in (at, self.before))
        return before == after != 0

    def _in_dict(self, step: Step) -> bool:
        parts, end = self.graph.parts.of(self.number), self.last
        while True:
            other = max(parts.last_other(end), self.low - 1)
            hit = parts.last_to(step, end)
            self.skipped_all(max(hit, other) + 1, end)
            if max(hit, other) >= self.low and self.are_hidden_since(max(hit, other)):
                for at in self.times[self.low : end]:
                    self.found_all(at)
                return False
            if hit > other:
                return self.hit(self.times[hit])
            if other < self.low:
                return False
            end, at = other, self.times[other]
            if self.too_many(at):
                continue
            after = self.times[other + 1] if other + 1 < self.last else at + 1
            old = self.trace.content(self.number, at).pairs.get(step[1])
            new = self.trace.content(self.number, max(after, at + 1)).pairs.get(step[1])
            if (old and old[1]) == (new and new[1]):
                self.skipped(at)
                continue
            self.found_all(at)
            self.until = at
            return True

    def too_many(self, at: int) -> bool:
        self.wholes += 1
        if self.wholes > _MOST_STEPS:
            self.found_all(at)
            return True
        return False

    def read(self, base: Instance, step: Step, at: int, path: Path) -> None:
        """Of a part of another container, as it was then, what is asked."""
        read(self.needs, base, step, at, self.demand._replace(path=path))

    def are_hidden(self, position: int, before: int) -> bool:
        """Whether a write, or one of those in a row with it, cannot be told from what was changed unseen after it."""
        start = max(self.trace.writes_of(self.number).start_of_stretch(position), self.low)
        return bool(self.graph.unseen_calls.late(self.number, self.times[start], before))

    def are_hidden_since(self, position: int) -> bool:
        """… or what came after it."""
        return bool(self.graph.unseen_calls.late(self.number, self.times[position], self.before))

    # -- a write is what counts

    def happened(self, at: int) -> None:
        """That it happened, not what it stored."""
        write = self.graph.write(at)
        if write is None:
            variables.unknown_write(self.needs, at)
        else:
            self.needs.reached(write)
            unseen_calls.add(self.needs, write, self.number, at, self.before)

    def found_all(self, at: int) -> None:
        """Everything that it stored."""
        self._found(at, (), DEEP)

    def hit(self, at: int) -> bool:
        """The part was stored by this write: the whole answer."""
        self.found_rest(at)
        self.until = at
        return True

    def found_rest(self, at: int) -> None:
        """What is asked of the part that it stored."""
        self._found(at, self.demand.path[1:], self.demand.depth, self.demand.fresh)

    def _found(self, at: int, path: Path, depth: int, fresh: int = 0) -> None:
        write = self.graph.write(at)
        if write is not None:
            unseen_calls.add(self.needs, write, self.number, at, self.before)
        if write is None and self.graph.visible(at) is None:
            held(self.needs, self.number, self.demand, self.before)  # it was put there before: an input
        elif write is None:
            variables.unknown_write(self.needs, at)
        elif write.copy is None and (write.deep or path):
            self.needs.whole((write,), self.demand.time)
            # It put several things there, which the trace may name only as parts of this.
            if self.demand.path:
                held(self.needs, self.number, self.demand, self.before)
            elif depth == DEEP:
                held_whole(self.needs, self.number, self.before, at)
        else:
            self.needs.found.append(Demand(write, path, depth, self.demand.time, fresh))

    def skipped_all(self, low: int, high: int) -> None:
        """The writes between two positions, to parts, went elsewhere."""
        if self.needs.relevant and low < high:
            for position in self.needs.covered.rest(("skipped", self.number), low, high):
                self.skipped(self.times[position])

    def skipped(self, at: int) -> None:
        """A write that went elsewhere: with another key it would have hit."""
        write = self.graph.write(at) if self.needs.relevant else None
        if write is None:
            return
        self.needs.keys(write.uses[1:], at)
        if write.detail in _OF_ALL_KEYS:
            self.needs.shape((*write.uses[: write.detail == "popitem"], *write.deep), at)
        else:
            self.needs.keys(write.deep[: _KEYS.get(write.detail, len(write.deep))], at)


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
