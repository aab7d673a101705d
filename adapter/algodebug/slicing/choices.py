"""Which objects an expression could have given, had a decision on the way been another: `(a if c else b).add(1)`.

What is stored into an object that was chosen could have gone into another one. So a write counts for every object that
it could have gone to, with what chose the one that it went to. The answer may name too many objects; None stands for
any. Decisions about scalars are not looked at here, and neither are inputs.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from algodebug.slicing import class_attributes, containers, defaults, definitions, known, variables
from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    CHOICE,
    CONSTANT,
    COPIES,
    DISPLAY,
    FREE,
    GLOBAL,
    ITEM,
    LIBRARY,
    NAME,
    OPERATION,
    PARAMETER,
    PART,
    RECEIVER,
    RETURN,
    SLICED,
    STORE,
    TEST,
    WRITE,
    Activation,
    Instance,
)
from algodebug.slicing.known import COMPOUND
from algodebug.slicing.mutating import MUTATORS
from algodebug.slicing.resolution import Objects, Resolution
from algodebug.slicing.sources import is_namespace

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_NONE: frozenset[int] = frozenset()
_MOST_DEPTH = 40
_MOST_HELD = 300
_MOST_WRITES = 50
_MOST_KEPT = 5  # attributes that a method is kept as, one after another


class Choices:
    """The alternatives to what instances gave; found once for each."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._fixed: dict[int, bool] = {}
        self._known: dict[int, Objects] = {}
        self._kept: dict[int, dict[int, list[Any]]] = {}  # activation → test → code
        self._under_way = set[int]()
        self._depth = 0
        self.cut = 0  # how often an answer was "any" since it was being found already, or was too far away

    def of(self, instance: Instance) -> Objects:
        """What an instance could have given instead (and perhaps what it gave)."""
        key = id(instance)
        if key in self._known:
            self.cut += key in self._under_way
            return self._known[key]
        if self._depth > _MOST_DEPTH:
            self.cut += 1
            return None
        self.graph.step_on()
        self._known[key] = None  # of what goes round in circles
        self._under_way.add(key)
        self._depth += 1
        try:
            found = self._known[key] = self._of(instance)
        except BaseException:  # nobody waits any longer: it is not known
            del self._known[key]
            raise
        finally:
            self._depth -= 1
            self._under_way.discard(key)
        return found

    def is_asked(self) -> bool:
        """Whether an answer is being found."""
        return self._depth > 0

    def _of(self, instance: Instance) -> Objects:
        graph, kind = self.graph, instance.kind
        if kind in (CONSTANT, DISPLAY, SLICED, OPERATION) or graph.is_new(instance):
            return _NONE
        if kind == NAME:
            return self._union([self._copied(instance), self._otherwise_bound(instance)])
        if kind == STORE:
            return self._union([self._copied(instance), self._bound_before(instance)])
        if kind == CHOICE:
            unrun = [self._given_by(test, code) for test, code in self._tests(instance)]
            return self._union([self._copied(instance), *unrun, *self._tested(instance)])
        if kind in COPIES or kind == WRITE:
            return self._copied(instance)
        if kind == PARAMETER:
            return self._passed(instance)
        if kind == CALL:
            return self._returned(instance)
        if kind in (ITEM, PART):
            return self._held(instance)
        if kind == ATTRIBUTE:
            return self._attribute(instance)
        if kind == FREE:
            return self._around(instance)
        if kind == GLOBAL:
            return self._of_module(instance)
        if kind == LIBRARY:
            return self._handed(instance)
        if kind == RECEIVER:
            return self._receiver(instance.uses[0])
        return None

    def _copied(self, instance: Instance) -> Objects:
        return _NONE if instance.copy is None else self.of(instance.copy)

    def _union(self, several: Iterable[Objects]) -> Objects:
        found: set[int] = set()
        for objects in several:
            if objects is None:
                return None
            found |= objects
        return frozenset(found)

    def _number(self, instance: Instance | None) -> frozenset[int]:
        number = self.graph.number(instance)
        row = self.graph.trace.row(number) if number else None
        return frozenset((number,)) if type(row) is list and row[0] in COMPOUND else _NONE

    # -- functions

    def _receiver(self, function: Instance) -> Objects:
        """Whose method goes by another name."""
        graph = self.graph
        for _ in range(_MOST_KEPT):
            shown = self._method(function)
            if shown.kind != ATTRIBUTE or not self.is_fixed(function):
                return None
            owner, name = shown.uses[0], shown.detail
            if name in MUTATORS and graph.kind_of(owner) != "instance":
                return self.of(owner)
            # It was kept as an attribute.
            at = containers.last_store(graph, graph.number(owner), ("attr", name), shown.time)
            write = graph.write(at) if at >= 0 and self.of(owner) == _NONE else None
            if write is None or write.copy is None:
                return None
            function = write.copy
        return None

    def is_fixed(self, function: Instance) -> bool:
        """Whether no decision could have made another function of one that is called."""
        key = id(function)
        if key not in self._fixed:
            self._fixed[key] = True  # what goes round in circles comes from elsewhere, too
            try:
                self._fixed[key] = self._is_fixed(function)
            except BaseException:  # … and what was found of others may rest on that
                self._fixed.clear()
                raise
        return self._fixed[key]

    def _is_fixed(self, function: Instance) -> bool:
        graph, kind = self.graph, function.kind
        if self._number(function):  # an object with `__call__`
            others = self.of(function)
            return others is not None and not others
        if kind == OPERATION:
            return isinstance(function.node, _DEFINITIONS) and self._is_decorated_fixed(function)
        if kind == NAME:
            return (
                function.copy is not None
                and not graph.kept_from_binding(function)
                and self.is_fixed(function.copy)
            )
        if kind == STORE:
            if definitions.is_decided(graph, function):
                return False
            return function.copy is not None and self.is_fixed(function.copy)
        if kind == PARAMETER:
            given = [] if graph.is_boundary(function.activation) else graph.arguments_of(function)
            if given is None:  # a decorator is given what it stands above
                made = graph.caller(function.activation.node)
                return made is not None and isinstance(made.node, _DEFINITIONS)
            if not given and not self._has_plain_default(function):
                return False
            return all(map(self.is_fixed, given or graph.defaults.values(function)))
        if kind == PART:
            element = self._element(function)
            return element is not None and self.is_fixed(element)
        if kind == GLOBAL:
            return self._is_fixed_in_module(function)
        if kind == FREE:
            found = variables.definers(graph, function)
            return bool(found) and all(self._is_fixed_in(definer, function) for definer in found)
        if kind == LIBRARY:  # a function made of those it was given
            given = [value for _, value in function.detail.arguments] if function.detail is not None else []
            return all(each.kind in (DISPLAY, OPERATION) or self.is_fixed(each) for each in given)
        if kind == CALL and function.detail.target >= 0:
            return self._gives_fixed(graph.activation(function.detail.target))
        return kind == CONSTANT or (kind == ATTRIBUTE and self._is_fixed_attribute(function))

    def _has_plain_default(self, parameter: Instance) -> bool:
        default = defaults.text(self.graph.files.code_of(parameter.activation.routine), parameter.detail)
        return default is None or isinstance(default, (ast.Constant, ast.Lambda, ast.Name))

    def _element(self, part: Instance) -> Instance | None:
        """What is unpacked, where it was written as a tuple."""
        shown = self.graph.origin(part.uses[0])
        if shown.kind != DISPLAY or not isinstance(shown.node, ast.Tuple):
            return None
        return known.element(shown, ("item", part.detail))

    def _method(self, function: Instance) -> Instance:
        """Where what is called was read as an attribute."""
        shown = self.graph.origin(function)
        while shown.kind == PART and (element := self._element(shown)) is not None:
            shown = self.graph.origin(element)
        return shown

    def _is_fixed_attribute(self, function: Instance) -> bool:
        """Whether nothing decided what an attribute was stored to; of methods it is asked whose they are."""
        graph, name, time = self.graph, function.detail, function.time
        number = graph.number(function.uses[0])
        if not number or not graph.states.attribute(number, name, time):
            return True
        at = containers.last_store(graph, number, ("attr", name), time)
        write = graph.write(at) if at >= 0 else None
        if write is None or write.copy is None:
            return at < 0 or graph.visible(at) is None
        return self.is_fixed(write.copy) and not any(graph.potential().stores(number, name, at, time))

    def _is_decorated_fixed(self, function: Instance) -> bool:
        """Whether nothing decided what the decorators made of a function."""
        ran = function.activation.ran_in.get(function.order, ())
        lambdas = [made.activation for made in function.deep if made.kind == RETURN]
        return all(map(self.is_fixed, function.uses)) and all(
            map(self._gives_fixed, [*map(self.graph.activation, ran), *lambdas])
        )

    def _gives_fixed(self, activation: Activation) -> bool:
        returned = None if activation.outcome is None else activation.outcome.copy
        if returned is None or any(self._unrun_returns(activation)):
            return False
        return self.is_fixed(returned)

    def _is_fixed_in_module(self, function: Instance) -> bool:
        graph, source, name, time = self.graph, function.activation.source, function.detail, function.time
        if graph.last_global(source, name, time) is not None:
            return False
        defined = definitions.in_module(graph, source, name, time)
        if defined is None:
            return True
        return self.is_fixed(defined) and not any(definitions.kept_since(graph, defined, time))

    def _is_fixed_in(self, definer: Activation, function: Instance) -> bool:
        """Whether nothing decided what a variable of a function around was bound to."""
        graph, name = self.graph, function.detail
        bound = variables.bound_around(definer, function)
        if bound is None or definer.failed or self._is_outside(definer):
            return graph.binds_once(function)
        is_bound_inside = name in graph.files.bound_by_inner(graph.files.code_of(definer.routine))
        tests = variables.kept_around(graph, definer, bound, function)
        return not is_bound_inside and not any(tests) and self.is_fixed(bound)

    def _is_outside(self, activation: Activation) -> bool:
        inside = self.graph.inside
        return inside is not None and not inside[0] <= activation.node < inside[1]

    # -- names

    def _otherwise_bound(self, instance: Instance) -> Objects:
        """Branches since a name was bound that would have bound it."""
        tests = self.graph.kept_from_binding(instance)
        return self._bound_by(tests, instance.copy.detail) if tests else _NONE  # type: ignore[union-attr]

    def _bound_by(self, tests: Iterable[Instance], name: str) -> Objects:
        """What the code would have bound a name to that some tests kept from running."""
        return self._union(
            Resolution(self.graph, test, code).bound_to(name) for test in tests for code in self._unrun(test)
        )

    def _bound_before(self, instance: Instance) -> Objects:
        """What a name was bound to before: so it would have stayed, had this not happened."""
        stores = instance.activation.stores.get(instance.detail, ())
        end = bisect_left(stores, instance.order, key=lambda made: made.order)
        if not end:
            return _NONE
        return self._union([self._number(stores[end - 1]), self.of(stores[end - 1])])

    def _around(self, instance: Instance) -> Objects:
        """A variable of a function around: what that was given, or what it could have bound it to."""
        graph = self.graph
        found = variables.definers(graph, instance)
        return self._union(self._around_in(definer, instance) for definer in found) if found else None

    def _around_in(self, definer: Activation, instance: Instance) -> Objects:
        graph, name = self.graph, instance.detail
        if self._is_outside(definer):
            return _NONE if graph.binds_once(instance) else None
        latest = variables.bound_around(definer, instance)
        if latest is None or definer.failed:
            return None
        if name in graph.files.bound_by_inner(graph.files.code_of(definer.routine)):
            return None
        tests = variables.kept_around(graph, definer, latest, instance)
        return self._union([self.of(latest), self._bound_by(tests, name)])

    def _of_module(self, instance: Instance) -> Objects:
        """A variable of a module."""
        graph = self.graph
        written = graph.last_global(instance.activation.source, instance.detail, instance.time)
        if written is None:
            return _NONE
        owner = graph.files.tree(instance.activation.source)
        if any(graph.potential().names(owner, instance.detail, written, instance.time)):
            return None
        write = graph.write(written)
        return _NONE if write is None else self.of(write)

    # -- branches

    def _tests(self, choice: Instance) -> list[tuple[Instance, list[Any]]]:
        return [(test, code) for test in choice.uses if test.kind == TEST for code in self._unrun(test)]

    def _tested(self, choice: Instance) -> Iterator[Objects]:
        """The operands of `and` and `or` before the one that was given."""
        tests = choice.uses if isinstance(choice.node, ast.BoolOp) else []
        for value in (part for test in tests for part in (*test.uses, *test.shape)):
            yield self._number(value)
            yield self.of(value)

    def _unrun(self, test: Instance) -> list[list[Any]]:
        """The pieces of code that a test kept from running."""
        key = id(test.activation)
        if key not in self._kept:
            kept = self._kept[key] = {}
            for other, code in test.activation.tests:
                kept.setdefault(id(other), []).append(code)
        return self._kept[key].get(id(test), [])

    def _given_by(self, test: Instance, code: list[Any]) -> Objects:
        potential = self.graph.potential()
        return self._union(potential.resolve(test, code, part) for part in code if isinstance(part, ast.expr))

    # -- calls

    def _passed(self, instance: Instance) -> Objects:
        graph = self.graph
        if graph.is_boundary(instance.activation):
            return _NONE
        given = graph.arguments_of(instance)
        if given is None:
            return None
        given = given or graph.defaults.values(instance)
        own = instance.activation.node
        return self._union(
            self.of(value) for value in given if not (value.kind == CALL and value.detail.target == own)
        )

    def _returned(self, instance: Instance) -> Objects:
        graph, trace, target = self.graph, self.graph.trace, instance.detail.target
        if target < 0:
            return None
        if trace.routines[trace.routine[target]].name == "__init__":
            return _NONE
        activation = graph.activation(target)
        if activation.outcome is None:
            return None
        found = [self.of(activation.outcome)]
        for test, code, value in self._unrun_returns(activation):
            found.append(graph.potential().resolve(test, code, value))
        return self._union(found)

    def _unrun_returns(self, activation: Activation) -> Iterator[tuple[Instance, list[Any], ast.expr]]:
        """What else it could have given, with the code that this is in and the test that kept that from running."""
        for test, code in activation.tests:
            for part in code:
                for node in self.graph.files.parts(part):
                    if isinstance(node, ast.Return) and node.value is not None:
                        yield test, code, node.value

    # -- parts

    def _held(self, instance: Instance) -> Objects:
        """An element: any other one of the same container, or of one that it could have been of."""
        base = instance.uses[0]
        others = self.of(base)
        if instance.kind == PART and others is not None and not others:
            element = self._element(instance)
            if element is not None:
                return self.of(element)  # it stays at its place
        bases = self._union([self._number(base), others])
        if bases is None or (not bases and not self._number(instance)):
            return None if bases is None else _NONE
        if not bases:
            return self._held_by_library(base, instance.time)
        return self._contents(bases, instance.time)

    def _contents(self, containers: Iterable[int], time: int) -> Objects:
        """The objects in some containers, and those that could have been put there instead of elsewhere."""
        graph, trace = self.graph, self.graph.trace
        found: set[int] = set()
        for number in containers:
            row = trace.row(number)
            if row[0] not in ("list", "dict", "tuple", "set", "deque"):
                continue
            if row[0] != "tuple":
                instead = graph.potential().could_hold(number, time)
                if instead is None or any(graph.potential().stores(number, "", 0, time)):
                    return None
                found |= instead
            times = self._times_of(number, time)
            if len(times) > _MOST_WRITES:
                return None
            for at in times:
                content = trace.content(number, at)
                if len(content.items) + len(content.pairs) > _MOST_HELD:
                    return None
                found.update(content.items)
                found.update(value for _, value in content.pairs.values())
                if len(found) > _MOST_HELD:
                    return None
        return frozenset(n for n in found if self._is_compound(n))

    def _times_of(self, number: int, time: int) -> list[int]:
        """A time, and those before it at which a container was changed: other elements could have stayed."""
        writes = self.graph.trace.writes_of(number)
        low, high = writes.between(0, time)
        return [time, *writes.times[low:high]]

    def _is_compound(self, number: int) -> bool:
        row = self.graph.trace.row(number) if number else None
        return type(row) is list and row[0] in COMPOUND

    def _held_by_library(self, base: Instance, time: int) -> Objects:
        """An element of what `sorted`, `zip` and the like give."""
        shown = self.graph.origin(base)
        if shown.kind == DISPLAY:
            elements = shown.detail.values() if isinstance(shown.detail, dict) else shown.detail
            if any(map(self._is_unnamed_namespace, elements)):
                return None
            return self._union(one for part in elements for one in (self._number(part), self.of(part)))
        if shown.kind == SLICED:
            return self.elements(shown.uses[0], time)
        if shown.kind == LIBRARY:
            return self._union(self.elements(value, time) for _, value in shown.detail.arguments)
        return None

    def _is_unnamed_namespace(self, part: Instance) -> bool:
        """Whether it is the dict of some names, and the trace does not tell which."""
        shown = self.graph.origin(part)
        if shown.kind != LIBRARY or shown.node is None:
            return False
        return is_namespace(shown.node) and not self.graph.number(part)

    def elements(self, base: Instance, time: int) -> Objects:
        """What the elements of something could have been, whichever they were."""
        bases = self._union([self._numbers(base), self.of(base)])
        if bases is None:
            return None
        return self._contents(bases, time) if bases else self._held_by_library(base, time)

    def _numbers(self, base: Instance) -> frozenset[int]:
        number = self.graph.number(base)
        return frozenset((number,)) if number and type(self.graph.trace.row(number)) is list else _NONE

    def _attribute(self, instance: Instance) -> Objects:
        graph = self.graph
        base, name, time = instance.uses[0], instance.detail, instance.time
        if name == "__dict__":  # whose it is
            return self._union([self._numbers(base), self.of(base)])
        others, class_name = self.of(base), class_attributes.class_given(graph, base)
        found = [] if not class_name else [self._of_class(class_name, name, time)]
        if others is None:
            return None
        for number in {*self._number(base), *others}:
            found.append(self._stored(number, name, time))
            if number in others:
                found.append(frozenset((graph.states.attribute(number, name, time),)))
        objects = self._union(found)
        return None if objects is None else frozenset(n for n in objects if self._is_compound(n))

    def _stored(self, number: int, name: str, time: int) -> Objects:
        """What an attribute could have been instead: what it was before each store, and what could have been stored."""
        graph = self.graph
        potential, step, at = graph.potential(), ("attr", name), time
        if any(potential.stores(number, name, 0, time)) or potential.is_elsewhere(number, name, time):
            return None
        found: list[Objects] = []
        for _ in range(_MOST_WRITES):
            at = containers.last_store(graph, number, step, at)
            write = graph.write(at) if at >= 0 else None
            if write is None:
                break
            found.append(self.of(write))
            found.append(frozenset((graph.states.attribute(number, name, at),)))
            if None in found:
                return None
        if at >= 0 and graph.visible(at) is not None:
            return None  # too many, or not followed
        class_name = class_attributes.class_of(graph, number) if at < 0 else ""
        if class_name and graph.trace.row(number)[0] not in class_attributes.BY_NAME:
            found.append(self._of_class(class_name, name, time))
        return self._union(found)

    def _of_class(self, class_name: str, name: str, time: int) -> Objects:
        """What an attribute of a class could have been: all that it and its bases ever had by that name, and more."""
        graph, bodies = self.graph, self.graph.class_bodies
        order = bodies.order(class_name)[0]
        if any(graph.potential().into_classes(frozenset(order), name, 0, time)):
            return None
        found = [class_attributes.objects(graph, class_name, name, time)]
        for each in order:
            found += [
                self._stored(number, name, time) for number in class_attributes.named(graph, each, name)
            ]
            found += [self.of(bound) for bound_to, bound in bodies.bound(each) if bound_to == name]
        return self._union(found)

    def _handed(self, instance: Instance) -> Objects:
        """What a call of code that is not recorded gave: something of what it was given."""
        called = instance.detail
        if called is None or called.nodes or called.inline:
            return None
        given = [value for _, value in called.arguments] + [value for _, value in called.keywords]
        if called.receiver is not None:
            given.append(called.receiver)
        found = []
        for value in given:
            found += [
                self._numbers(value),
                self.of(value),
                self.elements(value, instance.time) if self._holds(value) else _NONE,
            ]
        return self._union(found)

    def _holds(self, value: Instance) -> bool:
        row = self.graph.row_of(value)
        return row is None or (type(row) is list and row[0] in ("list", "dict", "tuple", "set", "deque"))
