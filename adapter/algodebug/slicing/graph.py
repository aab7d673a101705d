"""The dependence graph of a run, made on demand: what an instance depends on, wherever that lies.

`expand` says which demands follow from one. Values flow through copies (names, arguments, results), so a path is
followed to where the object was made; what was stored into it since is looked up in the trace's index of writes.
Activations are followed when something in them is asked for, and kept. What the kinds of instances depend on is in
modules of their own: `calls`, `variables`, `reading`, `containers`, `library`; what is known of values in `known`.
"""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from algodebug.slicing import calls, containers, known, library, passing, raising, reading, variables
from algodebug.slicing.caching import Caches
from algodebug.slicing.choices import Choices
from algodebug.slicing.class_bodies import ClassBodies
from algodebug.slicing.covered import Covered
from algodebug.slicing.defaulting_reads import DefaultingReads
from algodebug.slicing.defaults import Defaults
from algodebug.slicing.demands import REACHED, Demand, Needs, Step
from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    CONSTANT,
    COPIES,
    DEEP,
    DISPLAY,
    ENTRY,
    FREE,
    GLOBAL,
    ITEM,
    LIBRARY,
    NAME,
    OPERATION,
    PARAMETER,
    PART,
    RAISE,
    RECEIVER,
    SHALLOW,
    SLICED,
    TEST,
    UNSET,
    WRITE,
    Activation,
    Called,
    Instance,
)
from algodebug.slicing.iterators import Iterators
from algodebug.slicing.kept_iterators import KeptIterators
from algodebug.slicing.library_objects import LibraryObjects
from algodebug.slicing.makers import Makers
from algodebug.slicing.parts import Parts
from algodebug.slicing.potential import Potential
from algodebug.slicing.settings import Settings
from algodebug.slicing.source_files import SourceFiles
from algodebug.slicing.sources import Comprehension, either
from algodebug.slicing.states import States
from algodebug.slicing.unseen_calls import UnseenCalls
from algodebug.slicing.walk import follow
from algodebug.slicing.weak_proxies import WeakProxies

if TYPE_CHECKING:
    from algotrace.trace import Trace

_BUILTINS = frozenset(dir(builtins))
MOST_FOLLOWED = 20_000  # activations that are all followed where something could be in any of them
_MOST_EVENTS = 500_000  # … and their own events together
_MOST_RAISING = 500  # calls looked into for what could have raised, of more than these
_MOST_NESTED = 8  # activations followed to follow one
# What may ask an iterator for some of its elements, or all.
_ASKING = (*Comprehension, ast.Compare, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.YieldFrom)
_YIELDS = (ast.Yield, ast.YieldFrom)
_SOON = 5000  # events of an activation that is followed only to know a value better


class Interrupted(Exception):
    """Nobody wants to wait for the slice any longer."""


class Graph:
    """One trace's activations and what depends on what."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.files = SourceFiles(trace)
        self.activations: dict[int, Activation] = {}
        self.changed_by_name: dict[
            str, list[Instance]
        ] = {}  # attribute → reads of it that something was stored into
        self.inside: tuple[int, int] | None = None  # nodes outside of this range are input: not looked into
        self.nesting = 0  # of questions about values
        self.is_interrupted = False
        self.following: set[int] = set()  # activations that are being followed
        self._own_sizes: dict[int, int] = {}
        self._caught: dict[int, frozenset[str] | None] = {}
        self._free: dict[tuple[int, str], bool] = {}
        self.forget()

    def forget(self) -> None:
        """All that was found out about activations, but not these: what was under way when a slice ended half-way is not
        known, even where it was noted down already."""
        self.states = States(self.trace)
        self.class_bodies = ClassBodies(self)
        self.steps: dict[int, Step | None] = {}  # slot of the trace's index → what it is
        self.scalars: set[int] = set()  # objects that were looked at
        self.parts = Parts(self)
        self.iterators = Iterators(self)
        self.kept_iterators = KeptIterators(self)
        self.defaults = Defaults(self)
        self.makers = Makers(self)
        self.unseen_calls = UnseenCalls(self)
        self.library_objects = LibraryObjects(self)
        self.settings = Settings(self)
        self.weak_proxies = WeakProxies(self)
        self.caches = Caches(self)
        self.defaulting_reads = DefaultingReads(self)
        self.incomplete: set[str] = set()  # what could not be known
        self._tests: dict[int, dict[str, list[tuple[int, Instance]]]] = {}
        self._settled: dict[int, int] = {}
        self._yielding: dict[int, tuple[list[Instance], list[tuple[Instance, int]]]] = {}
        self._potential: dict[tuple[int, int] | None, Potential] = {}
        self._cut_off: dict[tuple[tuple[int, int] | None, str], str] = {}  # see `recall`
        self._choices: dict[tuple[int, int] | None, Choices] = {}

    # What is known without following dependences.
    number = known.number
    part_number = known.part_number
    step = known.step
    row_of = known.row_of
    is_plain_container = known.is_plain_container
    is_new = known.is_new
    kind_of = known.kind_of
    value = known.value
    truth = known.truth
    length = known.length
    origin = known.origin
    arguments_of = passing.arguments_of
    passed = passing.passed
    counted = known.counted
    step_of = containers.step_of
    last_global = variables.last_global
    all_of = staticmethod(calls.all_of)

    # -- activations -------------------------------------------------------------------------------------------------

    def interrupt(self) -> None:
        """Ends the slice under way with Interrupted, at its next step; for any thread."""
        self.is_interrupted = True

    def step_on(self) -> None:
        """One more step of a slice. Raises Interrupted."""
        if self.is_interrupted:
            raise Interrupted

    def activations_of(
        self, inside: tuple[int, int] | None, is_wanted: Callable[[int], bool], most: int, what: str
    ) -> Iterator[Activation | None]:
        """The activations of some routines, each of which has to be followed. Where they are more than in a program of
        ordinary size, the first ones (`most`), and then None: of `what` more is not known."""
        nodes, is_all = self._wanted(range(*(inside or (0, len(self.trace.parent)))), is_wanted)
        for node in nodes if is_all else nodes[:most]:
            self.step_on()
            yield self.activation(node)
        if not is_all:
            self._cut_off[inside, what] = f"{what} after the first {most} calls that may have any"
            self.recall(what, inside)
            yield None

    def recall(self, what: str, inside: tuple[int, int] | None) -> None:
        """What was found in activations is looked at again: not all of them may have been looked into."""
        if message := self._cut_off.get((inside, what)):
            self.incomplete.add(message)

    def _wanted(self, nodes: range, is_wanted: Callable[[int], bool]) -> tuple[list[int], bool]:
        """Those of some routines, and whether these are all: no more than can be followed."""
        wanted: dict[int, bool] = {}
        found, events, routines = list[int](), 0, self.trace.routine
        for node in nodes:
            routine = routines[node]
            if routine not in wanted:
                wanted[routine] = is_wanted(routine)
            if wanted[routine]:
                found.append(node)
                events += self.own_size(node)
                if len(found) > MOST_FOLLOWED or events > _MOST_EVENTS:
                    return found, len(found) == 1
        return found, True

    def is_at_hand(self, node: int) -> bool:
        """Whether an activation is followed, or soon would be: not where that is under way."""
        if node in self.activations:
            return True
        return (
            node not in self.following and len(self.following) < _MOST_NESTED and self.own_size(node) < _SOON
        )

    def activation(self, node: int) -> Activation:
        made = self.activations.get(node)
        if made is None:
            self.following.add(node)
            try:
                made = self.activations[node] = follow(self, node)
            finally:
                self.following.discard(node)
            if made.failed:
                self.incomplete.add(f"node {node}: {made.failed}")
        return made

    def owner(self, time: int) -> int:
        """The node that was running at a time."""
        return self.trace.node_at(time)

    def own_size(self, node: int) -> int:
        """How many events are a node's own."""
        known = self._own_sizes.get(node)
        if known is None:
            trace = self.trace
            start, end, size, child, last = (
                trace.start,
                trace.end,
                trace.size,
                node + 1,
                node + trace.size[node],
            )
            known = end[node] - start[node]
            while child < last:
                if child not in trace.segments:
                    known -= end[child] - start[child] + 1
                child += size[child]
            self._own_sizes[node] = known
        return known

    def is_boundary(self, activation: Activation) -> bool:
        """Whether it is the one whose inputs are not looked into."""
        return self.inside is not None and activation.node == self.inside[0] and activation.caller is None

    def caller(self, node: int) -> Instance | None:
        """The call (or whatever else) that ran a node; None where it cannot be told."""
        parent = self.trace.parent[node]
        if parent < 0 or parent in self.following:
            return None
        return self.activation(parent).callers.get(node)

    def caught_by_callers(self, node: int) -> frozenset[str] | None:
        """The names of exceptions that callers may catch, by their text; empty for any, None for none."""
        trace, way, at = self.trace, [], node
        while at not in self._caught and trace.parent[at] >= 0:
            way.append(at)
            at = trace.parent[at]
        names = self._caught.setdefault(at, None)
        for below in reversed(way):
            name, code = trace.routines[trace.routine[below]].name, self.files.code_of(trace.routine[at])
            around = self.files.caught_around(code, name)
            names = either(around if names is None else [*around, names])
            self._caught[below] = names
            at = below
        return names

    def is_scalar(self, instance: Instance) -> bool:
        number = self.number(instance)
        return type(self.trace.row(number)) is not list if number else instance.value is not UNSET

    def write(self, time: int) -> Instance | None:
        """The instance that made a write."""
        activation = self.visible(time)
        write = None if activation is None else activation.writes.get(time)
        if write is not None and write.copy is not None:
            known.learn_stored(self, write, time)
        return write

    def visible(self, time: int) -> Activation | None:
        """The activation of a time; None where it is not looked into."""
        owner = self.owner(time)
        if self.inside is not None and not self.inside[0] <= owner < self.inside[1]:
            return None
        return self.activation(owner)

    # -- what is known of names and code ------------------------------------------------------------------------------

    def is_free(self, routine: int, name: str) -> bool:
        key = (routine, name)
        if key not in self._free:
            found = False
            at = self.trace.routines[routine].parent
            while at >= 0 and self.trace.routines[at].kind != "module":
                code = self.files.code_of(at) if self.trace.routines[at].kind != "class" else None
                if code is not None and name in self.files.scope(code).locals:
                    found = True
                    break
                at = self.trace.routines[at].parent
            self._free[key] = found
        return self._free[key]

    def binds_once(self, instance: Instance) -> bool:
        """Whether the text binds a variable of a function around in one place alone."""
        at = self.trace.routines[instance.activation.routine].parent
        while at >= 0:
            code = self.files.code_of(at)
            if code is not None and instance.detail in self.files.scope(code).locals:
                stored = (p for p in ast.walk(code) if isinstance(p, ast.Name) and p.id == instance.detail)
                return sum(1 for part in stored if isinstance(part.ctx, ast.Store)) <= 1
            at = self.trace.routines[at].parent
        return False

    def class_of(self, routine: int) -> str:
        parts = self.trace.routines[routine].qualname.split(".")
        return parts[-2] if len(parts) > 1 and parts[-2] != "<locals>" else ""

    def is_property(self, node: int, attribute: str) -> bool:
        """Whether a call may be what reading, storing or deleting an attribute runs."""
        routine = self.trace.routine[node]
        name = self.trace.routines[routine].name
        if name == attribute:
            decorators = getattr(self.files.code_of(routine), "decorator_list", ())
            return any(map(self.files.values.may_make_property, decorators))
        return name in self.files.of_properties()

    def is_compared_by_parts(self, instance: Instance) -> bool:
        """Whether it counts what an object holds when it is a key."""
        row = self.row_of(instance)
        if type(row) is list and row[0] == "instance":
            name, _, is_own, *_ = self.trace.type_of(row[1])
            return is_own and any(map(_compares_parts, self.files.classes(name.rpartition(".")[2])))
        shown = self.origin(instance)
        is_tuple = shown.kind == DISPLAY and isinstance(shown.node, ast.Tuple)
        return is_tuple or (type(row) is list and row[0] in _OF_PARTS)

    def is_builtin(self, activation: Activation, function: Instance | None) -> bool:
        if function is None or function.kind != GLOBAL or function.detail not in _BUILTINS:
            return False
        path = activation.source
        module = next(
            (
                names
                for name, names in self.trace.modules.items()
                if self.trace.sources[path].path.endswith(name.rpartition(".")[2] + ".py")
            ),
            {},
        )
        return function.detail not in module

    # -- dependences -------------------------------------------------------------------------------------------------

    def normal(self, demand: Demand) -> Demand:
        """Of a scalar there are no parts and no states."""
        instance, path, depth, time, fresh = demand
        if depth == REACHED:
            return demand
        if instance.number:
            row = self.trace.row(instance.number)
            if type(row) is not list and instance.kind != LIBRARY:
                return Demand(instance, (), DEEP, 0, 1)
        elif instance.value is not UNSET and instance.kind != LIBRARY:
            return Demand(instance, (), DEEP, 0, 1)
        if depth == SHALLOW and not path and time:
            return Demand(instance, (), SHALLOW, 0, fresh)
        if depth == DEEP and fresh and not path and (since := self._settled_since(instance)):
            return Demand(instance, (), DEEP, since, fresh)
        return demand

    def is_unchanged(self, instance: Instance) -> bool:
        """Whether a call gave it that made an object which holds nothing that changes, and nothing was ever stored there."""
        if not self._settled_since(instance):
            return False
        number = self.number(instance)
        return bool(number) and not len(self.trace.writes_of(number))

    def _settled_since(self, instance: Instance) -> int:
        """When a call was made that gave what does not depend on when it is looked at, or is a copy of such; else 0.

        Its whole value may be asked for as often as its holders change.
        """
        key, shown = id(instance), instance
        if key not in self._settled:
            while (
                shown.kind in COPIES and shown.copy is not None and not (shown.kind == NAME and shown.detail)
            ):
                shown = shown.copy
            self._settled[key] = shown.time if library.is_settled(self, shown) else 0
        return self._settled[key]

    def expand(self, demand: Demand, relevant: bool, covered: Covered | None = None) -> list[Demand]:
        """What a demand leads to; but for what is `covered`, where what was met before need not be met again."""
        instance = demand.instance
        needs = Needs(self, relevant, covered)
        if instance.control is not None:
            needs.which((instance.control,))
        kind = instance.kind
        if demand.depth == REACHED:
            if isinstance(instance.detail, Called) and instance.detail.function is not None:
                needs.which((instance.detail.function,))
            caught = instance.activation.in_try.get(instance.order) if relevant else None
            if caught is not None and raising.could_raise(instance, caught):
                needs.which((*instance.uses, *instance.deep))
                needs.shape(instance.uses[:1], instance.time)
            return needs.found
        if (demand.path or demand.depth > SHALLOW) and not demand.fresh and kind not in _WITHOUT_STATE:
            number, time = self.number(instance), demand.time
            if number and containers.is_mutable(self, number):
                if containers.stored(needs, number, demand, demand.time):
                    demand = Demand(instance, (), SHALLOW, 0)  # which object it is counts all the same
                demand = demand._replace(fresh=1)
            if key := self.library_objects.own_key_of(instance):
                self.library_objects.done_before(needs, key, max(time, instance.time))
            self.settings.looked_at(needs, instance, max(time, instance.time))
        if (
            demand.depth == DEEP
            and not demand.path
            and kind in _HANDING_ON
            and (number := self.number(instance))
        ):
            containers.held_whole(needs, number, demand.time, instance.time)
        _KINDS.get(kind, _operation)(needs, demand)
        return needs.found

    def operands(self, needs: Needs, instance: Instance, time: int = 0) -> None:
        """What something was computed from, and what ran in it; at a time, where it was looked at later than it was made."""
        time = max(time, instance.time)
        needs.which(instance.uses)
        needs.shape(instance.shape, time)
        needs.whole(instance.deep, time)
        for node in instance.activation.ran_in.get(instance.order, ()):
            if node in self.trace.segments:
                calls.all_given(needs, node, self.trace.end[node] + 1)
            calls.given_by(needs, node, self.trace.end[node] + 1)

    # -- what could have been ------------------------------------------------------------------------------------------

    def potential(self) -> Potential:
        found = self._potential.get(self.inside)
        if found is None:
            found = self._potential[self.inside] = Potential(self, self.inside)
        return found

    def choices(self) -> Choices:
        found = self._choices.get(self.inside)
        if found is None:
            found = self._choices[self.inside] = Choices(self)
        return found

    def forget_choices(self) -> None:
        """They are found again: more is known of what they depend on."""
        self._choices.pop(self.inside, None)

    def kept_from_binding(self, instance: Instance) -> list[Instance]:
        """Branches between a variable's binding and its use that would have bound it, had they gone the other way."""
        bound = instance.copy
        name = getattr(bound, "detail", None)
        if bound is None or not isinstance(name, str) or bound.activation is not instance.activation:
            return []
        tests = self.tests_by_name(instance.activation).get(name, [])
        start = bisect_right(tests, bound.order, key=lambda pair: pair[0])
        end = bisect_right(tests, instance.order, key=lambda pair: pair[0])
        return [test for _, test in tests[start:end]]

    def yielding(self, activation: Activation) -> tuple[list[Instance], list[tuple[Instance, int]]]:
        """The tests that kept a generator from yielding, in order; where it handed on, and to which nodes."""
        key = id(activation)
        if key not in self._yielding:
            parts = self.files.parts
            tests = [
                test
                for test, unrun in activation.tests
                if any(isinstance(part, _YIELDS) for piece in unrun for part in parts(piece))
            ]
            tests.sort(key=lambda test: test.order)
            delegations = [
                (made, node)
                for node, made in activation.callers.items()
                if isinstance(made.node, ast.YieldFrom) and node in self.trace.segments
            ]
            self._yielding[key] = tests, delegations
        return self._yielding[key]

    def tests_by_name(self, activation: Activation) -> dict[str, list[tuple[int, Instance]]]:
        """For each local name, in order, the tests that kept code from binding it."""
        key = id(activation)
        if key not in self._tests:
            by_name: dict[str, list[tuple[int, Instance]]] = {}
            files, code = self.files, self.files.code_of(activation.routine)
            for test, unrun in activation.tests:
                for name in files.effects(unrun).names:
                    if not files.binds(unrun, code, name):
                        continue
                    by_name.setdefault(name, []).append((test.order, test))
            for pairs in by_name.values():
                pairs.sort(key=lambda pair: pair[0])
            self._tests[key] = by_name
        return self._tests[key]


def _nothing(needs: Needs, demand: Demand) -> None:
    return


def _copy(needs: Needs, demand: Demand) -> None:
    instance = demand.instance
    since = variables.bound_since(needs.graph, instance) if instance.kind == NAME else None
    if instance.copy is not None and (
        since is None
        or not variables.bound_inside(needs, instance.activation, instance.detail, instance.copy.time, demand)
    ):
        needs.same(instance.copy, demand)
    needs.graph.operands(needs, instance, demand.time if instance.kind == RAISE else 0)
    if needs.relevant and instance.kind == RAISE and isinstance(instance.detail, Instance):
        needs.which((instance.detail,))
    if needs.relevant and instance.kind == NAME:
        if isinstance(instance.detail, str):
            owner = needs.graph.files.code_of(instance.activation.routine)
            needs.which(
                needs.graph.potential().names(
                    owner, instance.detail, since or 0, instance.time, needs.covered
                )
            )
        needs.which(needs.graph.kept_from_binding(instance))


def _test(needs: Needs, demand: Demand) -> None:
    instance = demand.instance
    if instance.copy is not None:
        needs.whole((instance.copy,), instance.time)
    needs.graph.operands(needs, instance)
    iteration = instance.activation.iterations.get(instance.order)
    if iteration is not None:
        calls.went_on(needs, *iteration)
    if needs.relevant and instance.detail is not None:
        _raising(needs, instance.detail[0], instance.detail[1])


def _raising(needs: Needs, names: frozenset[str], called: list[int]) -> None:
    """What in the calls of a `try` body could have raised what its handlers catch."""
    graph = needs.graph
    size, covered = graph.trace.size, needs.covered
    count = sum(size[node] for node in called)
    if count > MOST_FOLLOWED:
        graph.incomplete.add(f"what could have raised in {count} calls")
        nodes = (n for node in called for n in range(node, node + size[node]))
        called = [n for n, _ in zip(nodes, range(_MOST_RAISING), strict=False)]
    for node in called:
        last = node + size[node] if count <= MOST_FOLLOWED else node + 1
        if not covered.is_new(("raising in", node, last, names)):
            continue
        for each in range(node, last):
            if covered.is_new(("raising", each, names)):
                needs.which(raising.in_callee(graph.activation(each), names))


def _compares_parts(made: ast.ClassDef) -> bool:
    """Whether a decorator, `dataclass` or others like it, makes the methods of a class that compare and hash."""
    return bool(made.decorator_list)


def _write(needs: Needs, demand: Demand) -> None:
    made = demand.instance
    if made.copy is not None:
        needs.same(made.copy, demand)
    needs.graph.operands(needs, made)
    needs.keys(made.uses[1:], made.time)
    if demand.depth == DEEP and demand.time > made.time:
        needs.whole(made.deep, demand.time)  # what was put may have been changed since
    called = made.activation.changing.get(made.order)
    if called is not None:  # `sort` asks its key
        library.ran_in(needs, called, demand.time)


def _operation(needs: Needs, demand: Demand) -> None:
    node = demand.instance.node
    needs.graph.settings.computed(needs, demand.instance)
    if isinstance(node, ast.Yield):
        calls.sent(needs, demand.instance)
    if demand.instance.copy is not None:  # an exception, as a handler has it
        needs.same(demand.instance.copy, demand)
    if demand.depth == SHALLOW and not demand.path and needs.graph.is_new(demand.instance):
        return
    if node is None or isinstance(node, _ASKING):
        for value in demand.instance.deep:
            needs.graph.iterators.asked_before(needs, value, demand.instance)
    elif isinstance(node, ast.Name):
        for generator in demand.instance.deep:
            needs.graph.iterators.bound_by(needs, generator, demand.instance.time)
    is_sum = demand.path and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
    if not (is_sum and reading.of_sum(needs, demand)):
        later = demand.time if isinstance(node, ast.GeneratorExp) else 0
        needs.graph.operands(needs, demand.instance, later)


_OF_PARTS = frozenset({"tuple", "frozenset", "based"})
_HANDING_ON = frozenset({LIBRARY, OPERATION, SLICED})  # what they make holds objects of others
_WITHOUT_STATE = frozenset({WRITE, ENTRY, CONSTANT})
_KINDS: dict[str, Callable[[Needs, Demand], Any]] = {
    **dict.fromkeys(COPIES, _copy),
    ENTRY: calls.entry,
    CONSTANT: _nothing,
    TEST: _test,
    PARAMETER: calls.parameter,
    CALL: calls.call,
    GLOBAL: variables.of_module,
    FREE: variables.of_closure,
    DISPLAY: reading.display,
    ATTRIBUTE: reading.part,
    ITEM: reading.part,
    PART: reading.part,
    SLICED: reading.sliced,
    RECEIVER: reading.receiver,
    LIBRARY: library.call,
    WRITE: _write,
}
