"""Branches that were not taken and would have changed an object: errors of omission leave no other trace.

For an object that was read, every test before the read counts whose other branch could have stored into that object:
itself, or through a function that it calls. Which objects the code of such a branch means is looked up in the state
at the test; where that cannot be told it counts as meant.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from algodebug.slicing import class_attributes, each_element, sources
from algodebug.slicing.covered import Covered
from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    DISPLAY,
    OPERATION,
    SLICED,
    UNSET,
    Activation,
    Called,
    Instance,
)
from algodebug.slicing.plain_writes import PlainWrites
from algodebug.slicing.resolution import Objects, OfModule, Resolution
from algodebug.slicing.sources import Effects
from algotrace import marks

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

MOST_NODES = 3000  # looked into for tests
_REACH = 3  # how deep an argument is searched for the object
_MOST_REACHED = 300
_UNKNOWN = -1  # an object that has no number
_MOST_WRITES = 20_000  # of which it is asked where they could have gone
_OUTCOME_RAISED = 1
_BRANCHES = (
    ast.If, ast.While, ast.For, ast.AsyncFor, ast.Try, ast.With, ast.AsyncWith, ast.Match, ast.BoolOp, ast.IfExp,
)  # fmt: skip
_OF_ATTRIBUTES = (marks.ATTRIBUTE, marks.ATTRIBUTE_NEW, marks.NAMED)
_NONE: frozenset[int] = frozenset()


class Candidate(NamedTuple):
    time: int
    test: Instance
    unrun: list[Any]
    effects: Effects


class Chosen(NamedTuple):
    """Something was stored into an object (or a method of it was called) that could have been another one."""

    time: int
    chosen: Instance  # which object it was
    others: Objects  # which it could have been
    dispatched: Effects | None  # of a call whose method would then have been another


class Potential:
    """The candidates of a trace, or of what ran inside one node."""

    def __init__(self, graph: Graph, inside: tuple[int, int] | None) -> None:
        self.graph = graph
        self.inside = inside
        self.complete = True
        self._candidates: list[Candidate] | None = None
        self._attributes: dict[str, list[Candidate]] = {}
        self._items: list[Candidate] = []
        self._resizes: list[Candidate] = []
        self._names: dict[str, list[Candidate]] = {}
        self._known: dict[tuple[int, int | frozenset[str], str], bool] = {}
        self._plain = PlainWrites(graph)
        self._raising: frozenset[int] | None = None
        self._scalars: dict[tuple[int, str], bool] = {}  # activation, name
        self._methods: list[Chosen] | None = None
        self._under_way: set[str] = set()  # kinds of which the following is being found
        self._chosen: dict[str, list[Chosen]] = {}  # by the attribute, or the kind of container, stored into

    def stores(
        self, number: int, attribute: str, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """Tests between two times that kept code from storing an attribute (or, without a name, into a container)."""
        self._look()
        named = (attribute, "*") if attribute else ("",)  # "*": by `setattr`
        for name in named:
            candidates = self._attributes.get(name, []) if name else self._items
            for candidate in self._between(
                candidates, after, before, covered, ("stores", number, attribute, name)
            ):
                if self._means(candidate, number, attribute):
                    yield candidate.test

    def into_classes(
        self, names: frozenset[str], attribute: str, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """Tests between two times that kept code from storing an attribute into one of some classes."""
        self._look()
        for name in (attribute, "*"):
            candidates = self._attributes.get(name, [])
            for candidate in self._between(
                candidates, after, before, covered, ("classes", names, attribute, name)
            ):
                key = (id(candidate), names, attribute)
                if key not in self._known:
                    self._known[key] = any(
                        self._may_be_class(candidate, expression, names, deep)
                        for expression, deep in self._bases(candidate.unrun, candidate.effects, attribute)
                    )
                if self._known[key]:
                    yield candidate.test

    def into_chosen_classes(
        self, attribute: str, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """What chose the classes (or functions) that an attribute was stored into between two times."""
        graph, trace = self.graph, self.graph.trace
        for number in graph.states.classes_with(attribute):
            writes = trace.writes_of(number)
            for position in (covered or Covered()).rest(
                ("into a class", number, attribute), *writes.between(after, before)
            ):
                at = writes.times[position]
                write = graph.write(at) if trace.write_at(at).detail == attribute else None
                if write is not None and write.uses and not graph.choices().is_fixed(write.uses[0]):
                    yield write.uses[0]

    def into_unknown(
        self, attribute: str, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """Tests that kept code from changing a container that an attribute is, where the trace does not name it."""
        self._look()
        for candidate in self._between(self._items, after, before, covered, ("unknown", attribute)):
            for expression, deep in self._bases(candidate.unrun, candidate.effects, ""):
                is_read = isinstance(expression, ast.Attribute) and expression.attr == attribute
                if is_read or self._may_be(candidate, expression, _UNKNOWN, deep):
                    yield candidate.test
                    break

    def resizes(
        self, number: int, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """Tests that kept code from changing how many elements a list has."""
        self._look()
        for candidate in self._between(self._resizes, after, before, covered, ("resizes", number)):
            if self._means(candidate, number, ""):
                yield candidate.test

    def elsewhere(
        self, number: int, attribute: str, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """What chose the objects, between two times, that something was stored into, and not into this one."""
        kind = attribute or self.graph.trace.row(number)[0]
        stored = self._stored_into(kind)
        low, high = (bisect_left(stored, time, key=lambda each: each.time) for time in (after, before))
        for at in (covered or Covered()).rest(("elsewhere", number, kind), low, high):
            each = stored[at]
            if each.dispatched is None:
                if each.others is None or number in each.others:
                    yield each.chosen
            elif each.dispatched.items if not attribute else attribute in each.dispatched.attributes:
                others = each.others
                if others is None or any(
                    number == other or self._reaches(other, number, each.time) for other in others
                ):
                    yield each.chosen

    def is_elsewhere(self, number: int, attribute: str, before: int) -> bool:
        """Whether an attribute could have been stored into an object by what went into another; True where nobody knows yet."""
        return attribute in self._under_way or any(self.elsewhere(number, attribute, 0, before))

    def _stored_into(self, kind: str) -> list[Chosen]:
        """The writes of a kind that went into chosen objects, and the methods called of such."""
        if kind not in self._chosen:
            self._under_way.add(kind)
            try:
                self._chosen[kind] = self._find_stored_into(kind)
            finally:
                self._under_way.discard(kind)
        return self._chosen[kind]

    def _find_stored_into(self, kind: str) -> list[Chosen]:
        found: list[Chosen] = []
        graph, trace = self.graph, self.graph.trace
        first = self.inside[0] if self.inside is not None else 0
        low = bisect_left(trace._write_times, trace.start[first])
        high = bisect_left(trace._write_times, trace.end[first] + 1)
        looked_into = 0
        for at, number in zip(trace._write_times[low:high], trace._written[low:high], strict=True):
            if not number or not self._is_of(kind, number, at) or self._plain.is_plain(at):
                continue
            looked_into += 1
            if looked_into > _MOST_WRITES:
                graph.incomplete.add(f"which objects some of {high - low} writes could have gone to")
                return found
            write = graph.write(at)
            if write is None or not write.uses or graph.number(write.uses[0]) != number:
                continue
            others = graph.choices().of(write.uses[0])
            if others is None or others - {number}:
                found.append(Chosen(at, write.uses[0], others, None))
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
        """The activations of some routines; of very many the first ones, as each has to be followed."""
        graph, trace = self.graph, self.graph.trace
        wanted: dict[int, bool] = {}
        looked = 0
        for node in range(*(self.inside or (0, len(trace.parent)))):
            routine = trace.routine[node]
            if routine not in wanted:
                wanted[routine] = is_wanted(routine)
            if wanted[routine]:
                looked += 1
                if looked > MOST_NODES:
                    self.complete = False
                    break
                graph.step_on()
                yield graph.activation(node)

    def _calls_methods(self, routine: int) -> bool:
        """Whether a routine calls a method of the program that changes something, or a function that may be another one."""
        files = self.graph.files
        code = files.code_of(routine)
        for part in sources.own_parts(code) if isinstance(code, ast.Module) else _own_statements(code):
            if not isinstance(part, ast.Call):
                continue
            if isinstance(part.func, ast.Attribute):
                effects = files.effects_of_calls(part.func.attr)
            elif isinstance(part.func, ast.Name) and (
                files.defining(part.func.id) or part.func.id in sources.BUILTINS
            ):
                effects = None
            else:
                effects = files.of_values()
            if effects is not None and (effects.attributes or effects.items or effects.outer):
                return True
        return False

    def _is_of(self, kind: str, number: int, at: int) -> bool:
        row = self.graph.trace.row(number)
        if type(row) is list and row[0] == kind:
            return True
        mark = self.graph.trace.mark_at(at)
        return (
            mark is not None and mark.kind in _OF_ATTRIBUTES and self.graph.trace.write_at(at).detail == kind
        )

    def _dispatched(self, activation: Activation) -> Iterator[Chosen]:
        """Calls of methods that would have been of another class, had another object been chosen."""
        graph = self.graph
        for made in activation.instances:
            called = made.detail if isinstance(made.detail, Called) else None
            function = None if called is None else called.function
            if function is not None and function.kind != ATTRIBUTE and not graph.choices().is_fixed(function):
                yield Chosen(made.time, function, None, graph.files.of_values())
                continue
            receiver = made.detail.receiver if made.kind == CALL else None
            others = _NONE if receiver is None else graph.choices().of(receiver)
            if receiver is None or (others is not None and not others):
                continue
            row = graph.row_of(receiver)
            if type(row) is not list or row[0] not in ("instance", "based"):
                continue
            if others is None or any(graph.trace.row(other)[1] != row[1] for other in others):
                effects = graph.files.effects_of_calls(made.detail.name)
                if effects is not None:
                    yield Chosen(made.time, receiver, others, effects)

    def omitted(self, activation: Activation, is_own: Callable[[int], bool]) -> list[Instance]:
        """Tests of an activation that kept it from changing something that others see (`is_own`: they do not)."""
        found, todo = [], [activation]
        while todo:
            part = todo.pop()
            todo += part.inlines
            scope = self.graph.files.scope(self.graph.files.code_of(part.routine))
            for test, unrun in part.tests:
                effects = self.graph.files.effects(unrun)
                if effects.names_of_others(scope, False) or "print" in effects.calls:
                    found.append(test)
                elif effects.attributes or effects.items:
                    bases = self._bases(unrun, effects, None)
                    if any(self._is_seen(part, test, unrun, base, is_own) for base, _ in bases):
                        found.append(test)
        return found

    def _is_seen(
        self,
        part: Activation,
        test: Instance,
        unrun: list[Any],
        base: ast.AST | OfModule,
        is_own: Callable[[int], bool],
    ) -> bool:
        """Whether others see the objects that an expression may have given."""
        if self._is_new(part, test, base):
            return False
        objects = self.resolve(test, unrun, base)
        return objects is None or not all(map(is_own, objects))

    def _is_new(self, activation: Activation, test: Instance, base: ast.AST | OfModule) -> bool:
        """Whether a name stands for an object that the activation made itself."""
        stores = activation.stores.get(base.id, ()) if isinstance(base, ast.Name) else ()
        before = [made for made in stores if made.order < test.order]
        if not before:
            return False
        shown = self.graph.origin(before[-1])
        return shown.activation is activation and shown.kind in (DISPLAY, OPERATION, SLICED)

    def names(self, name: str, after: int, before: int, covered: Covered | None = None) -> Iterator[Instance]:
        """Tests between two times that kept code from binding a name of a module or an enclosing function."""
        self._look()
        for candidate in self._between(self._names.get(name, []), after, before, covered, ("names", name)):
            yield candidate.test
        called = self._methods_called()
        low, high = (bisect_left(called, time, key=lambda each: each.time) for time in (after, before))
        for at in (covered or Covered()).rest(("called", name), low, high):
            effects = called[at].dispatched
            if effects is not None and name in effects.outer:
                yield called[at].chosen

    def _between(
        self, candidates: list[Candidate], after: int, before: int, covered: Covered | None, key: Hashable
    ) -> Iterator[Candidate]:
        low = bisect_left(candidates, after, key=lambda candidate: candidate.time)
        high = bisect_right(candidates, before, key=lambda candidate: candidate.time)
        for at in (covered or Covered()).rest(key, low, high):
            yield candidates[at]

    def _look(self) -> None:
        self._collect()
        if not self.complete:
            self.graph.incomplete.add(f"branches not taken after the first {MOST_NODES} calls that have any")

    def _collect(self) -> None:
        if self._candidates is not None:
            return
        self._candidates = []
        try:
            for activation in self._followed(self._could):
                self._add(activation)
        except BaseException:
            self._forget()
            raise
        for listed in (
            self._candidates,
            self._items,
            self._resizes,
            *self._attributes.values(),
            *self._names.values(),
        ):
            listed.sort(key=lambda candidate: candidate.time)

    def _forget(self) -> None:
        self._candidates = None
        for listed in (self._items, self._resizes, self._attributes, self._names):
            listed.clear()

    def _could(self, routine: int) -> bool:
        """Whether a routine has a branch with an effect on objects or names of others."""
        files = self.graph.files
        code = files.code_of(routine)
        if code is None:
            return True
        scope, is_module = files.scope(code), isinstance(code, (ast.Module, ast.ClassDef))
        scalars = sources.scalar_names(code) & scope.locals - files.bound_by_inner(code)
        raising = self._raising_routines()
        for node in sources.own_parts(code) if isinstance(code, ast.Module) else _own_statements(code):
            if isinstance(node, _BRANCHES):
                # What follows may not be reached.
                leaves = isinstance(node, ast.stmt) and (
                    bool(sources.exits([node])) or routine in raising or _yields(node)
                )
                unrun = list(code.body) if leaves else [node]
                found = files.effects(unrun)
                if found.attributes or found.names_of_others(scope, is_module):
                    return True
                if found.items and not all(
                    isinstance(base, ast.Name) and isinstance(base.ctx, ast.Store) and base.id in scalars
                    for base, _ in self._bases(unrun, found, "")
                ):
                    return True
            elif (isinstance(node, ast.Call) and each_element.called_back(files, node) is not None) or (
                isinstance(node, sources.Comprehension) and each_element.comprehended(files, node) is not None
            ):
                return True
        return False

    def _raising_routines(self) -> frozenset[int]:
        """The routines of calls that an exception came out of."""
        if self._raising is None:
            trace = self.graph.trace
            nodes = range(*(self.inside or (0, len(trace.parent))))
            self._raising = frozenset(
                trace.routine[node] for node in nodes if trace.outcome_kind[node] == _OUTCOME_RAISED
            )
        return self._raising

    def _add(self, activation: Activation) -> None:
        assert self._candidates is not None
        todo = [activation]
        while todo:
            part = todo.pop()
            todo += part.inlines
            code = self.graph.files.code_of(part.routine)
            scope, is_module = self.graph.files.scope(code), isinstance(code, (ast.Module, ast.ClassDef))
            for test, unrun in part.tests:
                if not unrun:
                    continue
                found = self.graph.files.effects(unrun)
                names = found.names_of_others(scope, is_module)
                if not (found.attributes or found.items or names):
                    continue
                candidate = Candidate(test.time, test, unrun, found)
                self._candidates.append(candidate)
                if found.items and self._may_change_containers(part, candidate):
                    self._items.append(candidate)
                    if found.resizes:
                        self._resizes.append(candidate)
                for name in found.attributes:
                    self._attributes.setdefault(name, []).append(candidate)
                for name in names:
                    self._names.setdefault(name, []).append(candidate)

    def _may_change_containers(self, activation: Activation, candidate: Candidate) -> bool:
        """Not where all that it could do is `n += 1`, and `n` was never but a scalar."""
        for base, _ in self._bases(candidate.unrun, candidate.effects, ""):
            if not isinstance(base, ast.Name) or not isinstance(base.ctx, ast.Store):
                return True
            key = (id(activation), base.id)
            if key not in self._scalars:
                stored = activation.stores.get(base.id)
                self._scalars[key] = bool(stored) and all(map(self._is_scalar, stored or ()))
            if not self._scalars[key]:
                return True
        return False

    def _is_scalar(self, stored: Instance) -> bool:
        number = self.graph.number(stored)
        return type(self.graph.trace.row(number)) is not list if number else stored.value is not UNSET

    def _means(self, candidate: Candidate, number: int, attribute: str) -> bool:
        key = (id(candidate), number, attribute)  # a test may keep several pieces of code from running
        if key not in self._known:
            self._known[key] = any(
                self._may_be(candidate, expression, number, deep)
                for expression, deep in self._bases(candidate.unrun, candidate.effects, attribute)
            )
        return self._known[key]

    def _bases(
        self, unrun: list[Any], effects: Effects, attribute: str | None
    ) -> Iterator[tuple[ast.AST | OfModule, bool]]:
        """Expressions for the objects that the code would store into (an attribute, "" for an element, None for either);
        with True those it would hand to functions."""
        files = self.graph.files
        if effects.handed:
            yield OfModule(-1, ""), False
        for piece in unrun:
            for node in files.parts(piece):
                if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                    if attribute is None or node.attr == attribute:
                        yield node.value, False
                elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                    if not attribute:
                        yield node.value, False
                elif isinstance(node, ast.AugAssign):
                    if not attribute and sources.may_change_in_place(node):
                        yield node.target, False
                elif isinstance(node, ast.Call):
                    name = sources.last_name(node.func)
                    if attribute and name in ("setattr", "delattr"):
                        for argument in node.args[:1]:
                            yield argument, False
                    if not attribute and name in sources.MUTATORS:
                        if name in sources.MUTATING_FUNCTIONS:
                            for argument in node.args[:1]:
                                yield argument, False
                        elif isinstance(node.func, ast.Attribute):
                            yield node.func.value, False
                    inner = files.effects_of_calls(name)
                    if inner is not None and (
                        (not attribute and inner.items)
                        or (
                            bool(inner.attributes)
                            if attribute is None
                            else not {attribute, "*"}.isdisjoint(inner.attributes)
                        )
                    ):
                        if isinstance(node.func, ast.Attribute):
                            yield node.func.value, True
                        for argument in node.args:
                            yield argument, True
                        for keyword in node.keywords:
                            yield keyword.value, True
                        for source, global_name in inner.globals:
                            yield OfModule(source, global_name), True

    def _may_be(self, candidate: Candidate, expression: ast.AST | OfModule, number: int, deep: bool) -> bool:
        found = self.resolve(candidate.test, candidate.unrun, expression)
        if found is None or number in found:
            return True
        return deep and any(self._reaches(start, number, candidate.time) for start in found)

    def _may_be_class(
        self, candidate: Candidate, expression: ast.AST | OfModule, names: frozenset[str], deep: bool
    ) -> bool:
        """Whether an expression may give one of some classes; `deep`: or something of such a class."""
        files, resolution = self.graph.files, Resolution(self.graph, candidate.test, candidate.unrun)
        if isinstance(expression, OfModule):
            if expression.name in names:
                return True
            if expression.source >= 0 and files.defining(expression.name):
                return False  # another class, or a function
        elif class_name := resolution.class_named(expression):
            return class_name in names
        elif isinstance(expression, ast.Call) or (
            isinstance(expression, ast.Attribute) and expression.attr == "__class__"
        ):
            return True
        found = resolution.of(expression)
        rows = [] if found is None else [(number, self.graph.trace.row(number)[0]) for number in found]
        return found is None or any(
            (deep or kind in class_attributes.BY_NAME)
            and class_attributes.class_of(self.graph, number) in names
            for number, kind in rows
        )

    def _reaches(self, start: int, wanted: int, time: int) -> bool:
        """Whether an object holds another one."""
        trace = self.graph.trace
        seen = {start}
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
                for part in parts:
                    if part == wanted:
                        return True
                    if part not in seen:
                        seen.add(part)
                        following.append(part)
                if len(seen) > _MOST_REACHED:
                    return True
            level = following
        return False

    def resolve(self, test: Instance, unrun: list[Any], expression: Any) -> Objects:
        """The objects that an expression may have given at a test; None where that is not known."""
        return Resolution(self.graph, test, unrun).of(expression)


def _yields(node: ast.AST) -> bool:
    """Whether nobody may ask what is behind a piece of code for more."""
    return any(isinstance(part, (ast.Yield, ast.YieldFrom, ast.Await)) for part in sources.own_parts(node))


def _own_statements(code: Any) -> Iterator[ast.AST]:
    for statement in [] if code is None else [code.body] if isinstance(code, ast.Lambda) else code.body:
        yield from sources.own_parts(statement)
