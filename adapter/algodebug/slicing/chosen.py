"""What was stored into an object that was chosen could have gone into another one; and so could what a method changes.

For an object that was read, all of these count that could have gone into it, with what chose the one that they went to:
an object, a class, a function that was called.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from algodebug.slicing import class_attributes, mutating, namespaces, sources
from algodebug.slicing.covered import Covered
from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    DISPLAY,
    ITEM,
    LIBRARY,
    OPERATION,
    SLICED,
    UNSET,
    Activation,
    Called,
    Instance,
)
from algodebug.slicing.known import COMPOUND
from algodebug.slicing.plain_writes import PlainWrites
from algodebug.slicing.resolution import Objects
from algodebug.slicing.sources import Effects
from algotrace import marks

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

WHAT = "branches not taken"
_MOST_NODES = 3000  # activations looked into, where they are very many
_REACH = 3  # how deep an argument is searched for the object
_MOST_REACHED = 300
_MOST_WRITES = 20_000  # of which it is asked where they could have gone
_MOST_ROUNDS = 4  # what could lie in containers makes for other objects that are stored into
_OF_ATTRIBUTES = (marks.ATTRIBUTE, marks.ATTRIBUTE_NEW, marks.NAMED)
_CONTAINERS = ("list", "dict", "set", "deque")
_NONE: frozenset[int] = frozenset()


class Put(NamedTuple):
    """Objects were put into a container that could have been another one."""

    time: int
    others: Objects  # which it could have been
    objects: Objects


class Chosen(NamedTuple):
    """Something was stored into an object (or a method of it was called) that could have been another one."""

    time: int
    chosen: Instance  # which object it was
    others: Objects  # which it could have been
    dispatched: Effects | None  # of a call whose method would then have been another


class ChosenObjects:
    """The choices of a trace, or of what ran inside one node."""

    def __init__(self, graph: Graph, inside: tuple[int, int] | None) -> None:
        self.graph = graph
        self.inside = inside
        self._plain = PlainWrites(graph)
        self._methods: list[Chosen] | None = None
        self._into_namespaces: list[Chosen] | None = None
        self._writes: dict[str, list[tuple[int, int]]] | None = None  # see `_writes_of`
        self._under_way: set[str] = set()  # kinds of which the following is being found
        self._chosen: dict[str, list[Chosen]] = {}  # by the attribute, or the kind of container, stored into
        self.rounds = 0  # how often these were found again
        self._put: dict[str, list[Put]] = {}  # by the kind of container
        self._puts_known = set[Put]()  # all that ever were found

    def into_chosen_classes(
        self, attribute: str, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """What chose the classes (or functions) that an attribute was stored into between two times."""
        for number in self.graph.states.classes_with(attribute):
            yield from self._chosen_to_store(number, attribute, after, before, covered)

    def by_chosen_methods(
        self, attribute: str, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """What chose, between two times, functions that would have stored an attribute, nobody knows into what."""
        called = self._methods_called()
        low, high = (bisect_left(called, time, key=lambda each: each.time) for time in (after, before))
        for at in (covered or Covered()).rest(("by chosen methods", attribute), low, high):
            effects = called[at].dispatched
            if called[at].others is None and effects is not None and attribute in effects.attributes:
                yield called[at].chosen

    def into_chosen_modules(
        self, name: str, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """The same for modules that a name was stored into."""
        for number in self.graph.states.modules_with(name):
            yield from self._chosen_to_store(number, name, after, before, covered)

    def into_chosen_namespaces(
        self, source: int, name: str, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """What chose the dicts that something was stored into for a name, where one might have been that of a module."""
        stored = self._stored_into_namespaces()
        low, high = (bisect_left(stored, time, key=lambda each: each.time) for time in (after, before))
        for at in (covered or Covered()).rest(("into namespaces", source, name), low, high):
            others = stored[at].others
            is_meant = others is None or any(self._is_module(number, source) for number in others)
            if is_meant and self._is_for(stored[at].time, name):
                yield stored[at].chosen

    def _is_module(self, number: int, source: int) -> bool:
        """Whether an object is a module, or the dict of its names."""
        trace, row = self.graph.trace, self.graph.trace.row(number)
        if type(row) is list and row[0] == "module":
            return source in trace.lookups.sources_of(row[1])
        return self.graph.states.source_of_globals(number) == source

    def _stored_into_namespaces(self) -> list[Chosen]:
        """What was stored into dicts that might have been namespaces, had another one been chosen."""
        if self._into_namespaces is None:
            self._into_namespaces = []  # of what goes round in circles
            values = self.graph.files.values
            times = [at for at, _ in self._writes_of("dict")]
            is_any = values.names_namespaces() or values.names_globals()
            try:
                found = map(self._chosen_namespace, times if is_any else [])
                self._into_namespaces = [chosen for chosen in found if chosen is not None]
            except BaseException:
                self._into_namespaces = None
                raise
        return self._into_namespaces

    def _chosen_namespace(self, at: int) -> Chosen | None:
        graph, mark = self.graph, self.graph.trace.mark_at(at)
        # Few writes are looked up: their text tells which.
        if mark is None or not graph.files.values.may_name_namespace(mark.label.partition("\t")[0]):
            return None
        write = graph.write(at)
        base = write.uses[0] if write is not None and write.uses else None
        if base is None or base.node is None or not graph.files.values.may_be_namespace(base.node):
            return None
        others = graph.choices().of(base)
        return Chosen(at, base, others, None) if others is None or others else None

    def _is_for(self, at: int, name: str) -> bool:
        """Whether a write into a dict was for a key, or for nobody knows which."""
        noted = self.graph.trace.write_at(at)
        if noted.kind not in (marks.ITEM, marks.ITEM_DELETED):
            return True
        return self.graph.trace.key_identity(noted.values[1]) == name  # type: ignore[no-any-return]

    def _chosen_to_store(
        self, number: int, attribute: str, after: int, before: int, covered: Covered | None
    ) -> Iterator[Instance]:
        graph, trace = self.graph, self.graph.trace
        writes = trace.writes_of(number)
        for position in (covered or Covered()).rest(
            ("into a class", number, attribute), *writes.between(after, before)
        ):
            at = writes.times[position]
            write = graph.write(at) if trace.write_at(at).detail == attribute else None
            base = None if write is None or not write.uses else _written_to(graph, write)
            if base is not None and not graph.choices().is_fixed(base):
                yield base

    def elsewhere(
        self, number: int, attribute: str, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """What chose the objects, between two times, that something was stored into, and not into this one."""
        kind = attribute or self.graph.trace.row(number)[0]
        stored = self._stored_into(kind)
        low, high = (bisect_left(stored, time, key=lambda each: each.time) for time in (after, before))
        covered, among = covered or Covered(), ("elsewhere", kind, self.rounds)
        for at in covered.rest((number, among), low, high, among):
            if self._could_be_into(stored[at], number, attribute):
                covered.meet(among, at)
                yield stored[at].chosen

    def _could_be_into(self, chosen: Chosen, number: int, attribute: str) -> bool:
        """Whether what was stored into a chosen object could have gone into another one."""
        others, dispatched = chosen.others, chosen.dispatched
        if dispatched is None:
            return others is None or number in others
        if not (attribute in dispatched.attributes if attribute else dispatched.items):
            return False
        return others is None or any(
            number == other or self.reaches(other, number, chosen.time) for other in others
        )

    def is_elsewhere(self, number: int, attribute: str, before: int) -> bool:
        """Whether an attribute could have been stored into an object by what went into another; True where nobody knows yet."""
        return attribute in self._under_way or any(self.elsewhere(number, attribute, 0, before))

    def could_hold(self, number: int, before: int) -> Objects:
        """The objects that would have been put into a container, had what was put into another one gone there."""
        kind = self.graph.trace.row(number)[0]
        if kind not in self._under_way:
            self._stored_into(kind)
        found: set[int] = set()
        for put in self._put.get(kind, ()):
            if put.time < before and (put.others is None or number in put.others):
                if put.objects is None:
                    return None
                found |= put.objects
        return frozenset(found)

    def _stored_into(self, kind: str) -> list[Chosen]:
        """The writes of a kind that went into chosen objects, and the methods called of such."""
        found = self._chosen.get(kind)
        if found is None:
            self._under_way.add(kind)
            try:
                for _ in range(_MOST_ROUNDS):
                    known = len(self._puts_known)
                    found = self._find_stored_into(kind)
                    if kind in _CONTAINERS:
                        self._put[kind] = [put for each in found for put in self._puts(each)]
                        self._puts_known.update(self._put[kind])
                    if len(self._puts_known) == known:
                        break
                    self._find_again()
            finally:
                self._under_way.discard(kind)
            assert found is not None
            self._chosen[kind] = found
        return found

    def _find_again(self) -> None:
        """What was found out while less was known of what containers could hold."""
        self.rounds += 1
        self._chosen.clear()
        self._methods = self._into_namespaces = None
        self._plain = PlainWrites(self.graph)
        self.graph.forget_choices()

    def _puts(self, chosen: Chosen) -> Iterator[Put]:
        """What a write put into a container that could have been another one."""
        self.graph.step_on()
        write = None if chosen.dispatched is not None else self.graph.write(chosen.time)
        if write is None:
            return
        found: set[int] = set()
        for value in [write.copy] if write.copy is not None else write.deep:
            number, others = self.graph.number(value), self.graph.choices().of(value)
            is_unknown = not number and self.graph.value(value) is UNSET
            if others is None or is_unknown:
                yield Put(chosen.time, chosen.others, None)
                return
            found |= {number, *others}
            if write.copy is None and number and self._is_container(number):  # `extend`
                found.update(self.graph.trace.content(number, chosen.time).items)
        rows = ((n, self.graph.trace.row(n)) for n in found if n)
        compound = frozenset(n for n, row in rows if type(row) is list and row[0] in COMPOUND)
        if compound:
            yield Put(chosen.time, chosen.others, compound)

    def _is_container(self, number: int) -> bool:
        row = self.graph.trace.row(number)
        return type(row) is list and row[0] in (*_CONTAINERS, "tuple")

    def _find_stored_into(self, kind: str) -> list[Chosen]:
        found: list[Chosen] = []
        graph = self.graph
        looked_into = 0
        for at, number in self._writes_of(kind):
            graph.step_on()
            if self._plain.is_plain(at):
                continue
            looked_into += 1
            if looked_into > _MOST_WRITES:
                graph.incomplete.add(f"which {kind} more than {_MOST_WRITES} writes could have gone to")
                return found
            write = graph.write(at)
            base = None if write is None or not write.uses else _written_to(graph, write)
            if base is None:
                continue
            if graph.number(base) == number:
                others = graph.choices().of(base)
            elif graph.weak_proxies.is_proxy(graph.number(base)):
                others = graph.weak_proxies.may_be_of(base)
            else:
                continue
            if others is None or others - {number}:
                found.append(Chosen(at, base, others, None))
        if kind not in _CONTAINERS:
            found += [each for each in self._stored_into_namespaces() if self._is_for(each.time, kind)]
        found += self._methods_called()
        found.sort(key=lambda each: each.time)
        return found

    def _methods_called(self) -> list[Chosen]:
        """The calls of methods of objects that could have been of another class."""
        if self._methods is None:
            self._methods = [
                chosen
                for activation in self._followed(self._calls_methods)
                for chosen in self._dispatched(activation)
            ]
            self._methods.sort(key=lambda each: each.time)
        return self._methods

    def _followed(self, is_wanted: Callable[[int], bool]) -> Iterator[Activation]:
        for activation in self.graph.activations_of(self.inside, is_wanted, _MOST_NODES, WHAT):
            if activation is not None:
                yield activation

    def _calls_methods(self, routine: int) -> bool:
        """Whether a routine calls a method of the program that changes something, or a function that may be another one."""
        files = self.graph.files
        code = files.code_of(routine)
        own = sources.values_bound(code)
        is_making = self.graph.defaulting_reads.effects() is not None or bool(files.named("__missing__"))
        for part in sources.own_parts(code) if isinstance(code, ast.Module) else sources.own_statements(code):
            if isinstance(part, ast.Subscript) and is_making:
                return True
            if not isinstance(part, ast.Call):
                continue
            name = sources.last_name(part.func)
            if isinstance(part.func, ast.Attribute):
                is_value = files.values.may_be_kept_as(name)
                effects = files.of_values() if is_value else files.effects_of_calls(name)
            elif isinstance(part.func, ast.Name) and (
                name in own or files.values.is_variable(part.func) or files.values.may_be_wrapped(name)
            ):
                effects = files.of_values()
            elif isinstance(part.func, ast.Name) and (files.defining(name) or name in sources.BUILTINS):
                effects = None if files.redefined(name) is None else files.effects_of_calls(name)
            else:
                effects = files.of_values()
            if name in sources.CALLING_BACK and _gives_value(part, own):
                effects = files.of_values()
            if effects is not None and (effects.attributes or effects.items or effects.outer):
                return True
        return False

    def _writes_of(self, kind: str) -> list[tuple[int, int]]:
        """The writes of an attribute, or into containers of a kind: times and objects."""
        if self._writes is None:
            trace = self.graph.trace
            first = self.inside[0] if self.inside is not None else 0
            low = bisect_left(trace._write_times, trace.start[first])
            high = bisect_left(trace._write_times, trace.end[first] + 1)
            found = dict[str, list[tuple[int, int]]]()
            for at, number in zip(trace._write_times[low:high], trace._written[low:high], strict=True):
                self.graph.step_on()
                row = trace.row(number) if number else ""
                mark = trace.mark_at(at)
                kinds = {row[0]} if type(row) is list else set()
                if number and mark is not None and mark.kind in _OF_ATTRIBUTES:
                    kinds.add(trace.write_at(at).detail)
                for each in kinds:
                    found.setdefault(each, []).append((at, number))
            self._writes = found
        return self._writes.get(kind, [])

    def _dispatched(self, activation: Activation) -> Iterator[Chosen]:
        """Calls of methods that would have been of another class, had another object been chosen."""
        graph = self.graph
        made_by = graph.defaulting_reads.effects()
        missing = graph.files.effects_of_calls("__missing__")
        for made in activation.instances:
            if made.kind == ITEM and (made_by is not None or missing is not None):
                yield from self._making_items(made, made_by, missing)
            called = made.detail if isinstance(made.detail, Called) else None
            function = None if called is None else called.function
            if called is not None and made.kind == LIBRARY and called.name in sources.CALLING_BACK:
                given = [value for _, value in (*called.arguments, *called.keywords)]
                for value in given:
                    if self._is_function(value) and not graph.choices().is_fixed(value):
                        yield Chosen(made.time, value, None, graph.files.of_values())
                if any(map(self._changes_elements, given)):
                    for value in given:
                        yield from self._elements(value, made.time)
            if function is not None and not graph.choices().is_fixed(function):
                if made.kind == OPERATION:  # a comprehension that is not taken apart
                    of_method = graph.files.effects_of_calls(made.detail.name)
                    yield Chosen(made.time, function, None, of_method or graph.files.of_values())
                    continue
                again = graph.files.redefined(made.detail.name)
                named = None if again is None else graph.files.effects_of_calls(made.detail.name)
                if named is not None:
                    yield Chosen(made.time, function, None, named)
                if named is None or not again:
                    yield Chosen(made.time, function, None, graph.files.of_values())
                continue
            receiver = made.detail.receiver if made.kind == CALL else None
            if receiver is None:
                continue
            effects = graph.files.effects_of_calls(made.detail.name)
            deciding = [] if effects is None else list(self._deciding(receiver, made.detail.name, made.time))
            for chosen in [receiver, *deciding] if deciding else []:
                yield Chosen(made.time, chosen, None, effects)
            others = graph.choices().of(receiver)
            if others is not None and not others:
                continue
            row = graph.row_of(receiver)
            if type(row) is not list or row[0] not in ("instance", "based"):
                continue
            is_another = others is None or any(graph.trace.row(other)[1] != row[1] for other in others)
            if is_another and effects is not None:
                yield Chosen(made.time, receiver, others, effects)

    def _making_items(
        self, read: Instance, made_by: Effects | None, missing: Effects | None
    ) -> Iterator[Chosen]:
        """An item that was read by a key, where for another key a function would have made it (or for this one did not)."""
        graph = self.graph
        is_of_own = graph.kind_of(read.uses[0]) in ("based", "dict", "")
        before = read.time - 1  # (what is asked next may see the same state as the read did)
        if missing is not None and is_of_own:
            yield Chosen(before, read, None, missing)
        if made_by is not None and graph.defaulting_reads.is_of_one(graph.number(read.uses[0])):
            yield Chosen(before, read, None, made_by)

    def _changes_elements(self, value: Instance) -> bool:
        """Whether a function is one that changes the containers it is called on: `list.append`, what `methodcaller` made."""
        shown = self.graph.origin(value)
        if shown.kind == ATTRIBUTE and shown.node is not None:
            is_of_class = mutating.may_be_class(shown.node.value)  # type: ignore[attr-defined]
            return is_of_class and shown.detail in mutating.MUTATORS
        if shown.kind != LIBRARY or not isinstance(shown.detail, Called) or shown.node is None:
            return False
        name = mutating.method_read(shown.node)
        return name is not None and (not name or name in mutating.MUTATORS)

    def _elements(self, value: Instance, time: int) -> Iterator[Chosen]:
        """What chose the elements of what is gone through, and which objects those could have been."""
        graph, choices = self.graph, self.graph.choices()
        shown, effects = graph.origin(value), Effects()
        effects.items = effects.resizes = True
        others = choices.of(value)
        if others is None or others or shown.kind == SLICED:
            yield Chosen(time, value, choices.elements(value, time), effects)
        for element in shown.detail if shown.kind == DISPLAY and type(shown.detail) is list else ():
            others = choices.of(element)
            if others is None or others:
                yield Chosen(time, element, others, effects)

    def _is_function(self, value: Instance) -> bool:
        row = self.graph.row_of(value)
        return type(row) is list and row[0] in ("function", "method", "class")

    def _deciding(self, receiver: Instance, method: str, time: int) -> Iterator[Instance]:
        """What decided which class an object was made of, and which method of a name that has."""
        graph, shown = self.graph, self.graph.origin(receiver)
        called = shown.detail if isinstance(shown.detail, Called) else None
        trace, target = graph.trace, -1 if called is None else called.target
        if called is not None and (target < 0 or trace.routines[trace.routine[target]].name == "__init__"):
            function = called.function
            if function is not None and function.kind != ATTRIBUTE and not graph.choices().is_fixed(function):
                yield function
        class_name = class_attributes.class_of(graph, graph.number(receiver))
        for each in graph.class_bodies.order(class_name)[0] if class_name else ():
            if any(method in graph.files.defined_again(code) for code in graph.files.classes(each)):
                yield from graph.class_bodies.attribute(each, method, time)
                yield from graph.class_bodies.kept_from_binding(each, method, time)

    def reaches(self, start: int, wanted: int, time: int) -> bool:
        """Whether an object holds another one."""
        objects = self.held(start, time)
        return objects is None or wanted in objects

    def held(self, start: int, time: int) -> Objects:
        """What an object holds; None where that is too much."""
        trace = self.graph.trace
        seen, found = {start}, set[int]()
        level = [start]
        for _ in range(_REACH):
            following: list[int] = []
            for number in level:
                row = trace.row(number)
                if type(row) is not list or row[0] not in (
                    "list",
                    "tuple",
                    "dict",
                    "set",
                    "instance",
                    "deque",
                ):
                    continue
                content = trace.content(number, time)
                class_name = class_attributes.class_of(self.graph, number)
                parts = [
                    *content.items,
                    *(pair[1] for pair in content.pairs.values()),
                    *content.attributes.values(),
                    *(class_attributes.held(self.graph, class_name, time) if class_name else ()),
                ]
                found.update(parts)
                following += [part for part in dict.fromkeys(parts) if part not in seen]
                seen.update(parts)
                if len(seen) > _MOST_REACHED:
                    return None
            level = following
        return frozenset(found)


def _written_to(graph: Graph, write: Instance) -> Instance:
    """What a write went to: by way of a namespace the object whose attributes that holds."""
    return namespaces.owner_of(graph, write.uses[0]) or write.uses[0]


def _gives_value(call: ast.Call, own: frozenset[str]) -> bool:
    """Whether something is handed over that may be one of several functions."""
    return any(
        isinstance(part, (ast.IfExp, ast.BoolOp, ast.Subscript, ast.Call, ast.Attribute))
        or sources.last_name(part) in own
        for part in sources.given(call)
    )
