"""Branches that were not taken and would have changed an object: errors of omission leave no other trace.

For an object that was read, every test before the read counts whose other branch could have stored into that object:
itself, or through a function that it calls. Which objects the code of such a branch means is looked up in the state
at the test; where that cannot be told it counts as meant.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from algodebug.slicing import class_attributes, each_element, implied, imported, sources, would_store
from algodebug.slicing.chosen import WHAT, ChosenObjects
from algodebug.slicing.covered import Covered
from algodebug.slicing.defaults import OfDefault
from algodebug.slicing.instances import (
    DISPLAY,
    OPERATION,
    SLICED,
    Activation,
    Instance,
)
from algodebug.slicing.resolution import Objects, OfModule, Resolution
from algodebug.slicing.sources import Effects
from algodebug.slicing.would_store import Base

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

Item = TypeVar("Item")
_UNKNOWN = -1  # an object that has no number
_OUTCOME_RAISED = 1
_RUNS_TEXT = "exec"
_WITH_METHODS = ("instance", "based", "class")
_BRANCHES = (
    ast.If, ast.While, ast.For, ast.AsyncFor, ast.Try, ast.With, ast.AsyncWith, ast.Match, ast.BoolOp, ast.IfExp,
)  # fmt: skip


class Candidate(NamedTuple):
    time: int
    test: Instance
    unrun: list[Any]
    effects: Effects


class _Kept(Generic[Item]):
    """What an iterator gives, each once; it is asked for no more than somebody looks at, and for that once."""

    def __init__(self, source: Iterator[Item]) -> None:
        self._source = source
        self._known = set[Item]()
        self._given: list[Item] = []

    def __iter__(self) -> Iterator[Item]:
        at = 0
        while True:
            while at == len(self._given):
                following = next(self._source, None)
                if following is None:
                    return
                if following not in self._known:
                    self._known.add(following)
                    self._given.append(following)
            yield self._given[at]
            at += 1


class _ByObject:
    """The positions in a list of candidates, up to one, by the objects that these would have stored into."""

    def __init__(self) -> None:
        self.until = 0
        self.of_any: list[int] = []  # nobody knows into which
        self.of_object: dict[int, list[int]] = {}

    def add(self, position: int, objects: Objects) -> None:
        self.until = position + 1
        if objects is None:
            self.of_any.append(position)
            return
        for number in objects:
            self.of_object.setdefault(number, []).append(position)


class Potential(ChosenObjects):
    """The candidates of a trace, or of what ran inside one node."""

    def __init__(self, graph: Graph, inside: tuple[int, int] | None) -> None:
        super().__init__(graph, inside)
        self._candidates: list[Candidate] | None = None
        self._attributes: dict[str, list[Candidate]] = {}
        self._items: list[Candidate] = []
        self._resizes: list[Candidate] = []
        self._names: dict[str, list[Candidate]] = {}
        self._reads: list[Candidate] = []  # of items, where there are dicts that reading may add to
        self._known: dict[tuple[int, frozenset[str], str], bool] = {}
        self._objects_meant: dict[tuple[int, str], Objects] = {}  # candidate, attribute
        self._by_text: dict[
            tuple[tuple[int, ...], str | None],
            tuple[_Kept[Base], _Kept[tuple[ast.AST, Effects]]],
        ] = {}  # pieces of code, attribute → what the text says of `_bases`
        self._runs_code: dict[tuple[int, int, int], bool] = {}  # node, test, code
        self._resolving = 0  # how many of these are being found
        self._by_object: dict[tuple[int, str], _ByObject] = {}  # list of candidates, attribute
        self._raising: frozenset[int] | None = None
        self._scalars: dict[tuple[int, str], bool] = {}  # activation, name

    def stores(
        self, number: int, attribute: str, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """Tests between two times that kept code from storing an attribute (or, without a name, into a container)."""
        self._look()
        named = (attribute, "*") if attribute else ("",)  # "*": by `setattr`
        for name in named:
            candidates = self._attributes.get(name, []) if name else self._items
            yield from self._about(candidates, number, attribute, after, before, covered)

    def attributes(self) -> list[str]:
        """The attributes that code which was not run would have stored."""
        self._look()
        return list(self._attributes)

    def into_classes(
        self, names: frozenset[str], attribute: str, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """Tests between two times that kept code from storing an attribute into one of some classes."""
        self._look()
        for name in (attribute, "*"):
            candidates = self._attributes.get(name, [])
            yield from self._between(
                candidates,
                after,
                before,
                covered,
                ("classes", names, attribute, name),
                lambda candidate: self._means_class(candidate, names, attribute),
            )

    def _means_class(self, candidate: Candidate, names: frozenset[str], attribute: str) -> bool:
        key = (id(candidate), names, attribute)
        if key not in self._known:
            self._known[key] = any(
                self._may_be_class(candidate, expression, names, deep)
                for expression, deep in self._bases(
                    candidate.unrun, candidate.effects, attribute, candidate.test
                )
            )
        return self._known[key]

    def into_module(
        self, source: int, name: str, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """Tests between two times that kept code from storing an attribute into a module."""
        self._look()
        for attribute in (name, "*"):
            candidates = self._attributes.get(attribute, [])
            yield from self._between(
                candidates,
                after,
                before,
                covered,
                ("module", source, name, attribute),
                lambda candidate: any(
                    self._may_be_module(candidate, expression, source)
                    for expression, _ in self._bases(candidate.unrun, candidate.effects, name, candidate.test)
                ),
            )

    def _may_be_module(
        self, candidate: Candidate, expression: ast.AST | OfModule | OfDefault, source: int
    ) -> bool:
        trace, resolution = self.graph.trace, Resolution(self.graph, candidate.test, candidate.unrun)
        if isinstance(expression, OfModule):
            if expression.source < 0:
                return True
            named = imported.module_by_name(self.graph, expression.name, expression.source)
            if named is None and not trace.globals_at(expression.source, expression.name, candidate.time):
                return False  # a function, a class
        elif isinstance(expression, OfDefault):
            named = None
        else:
            named = resolution.module_named(expression)
        if named is not None:
            return named == source
        found = resolution.of(expression)
        rows = [] if found is None else map(trace.row, found)
        return found is None or any(
            row[0] == "module" and source in trace.lookups.sources_of(row[1]) for row in rows
        )

    def into_unknown(
        self, attribute: str, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """Tests that kept code from changing a container that an attribute is, where the trace does not name it."""
        self._look()

        def is_meant(candidate: Candidate) -> bool:
            return any(
                (isinstance(expression, ast.Attribute) and expression.attr == attribute)
                or self._may_be(candidate, expression, _UNKNOWN, deep)
                for expression, deep in self._bases(candidate.unrun, candidate.effects, "", candidate.test)
            )

        yield from self._between(self._items, after, before, covered, ("unknown", attribute), is_meant)

    def resizes(
        self, number: int, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """Tests that kept code from changing how many elements a list has."""
        self._look()
        yield from self._about(self._resizes, number, "", after, before, covered)

    def reads(
        self, number: int, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """Tests that kept code from reading an item of a dict which puts a default there."""
        self._look()
        yield from self._between(
            self._reads, after, before, covered, ("reads", number), lambda each: self._reads_of(each, number)
        )

    def _reads_of(self, candidate: Candidate, number: int) -> bool:
        return any(
            self._may_be(candidate, node.value, number, False)
            for piece in candidate.unrun
            for node in self.graph.files.parts(piece)
            if isinstance(node, ast.Subscript) and _is_read(node)
        )

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
                    bases = self._bases(unrun, effects, None, test)
                    if any(self._is_seen(part, test, unrun, base, is_own) for base, _ in bases):
                        found.append(test)
        return found

    def _is_seen(
        self,
        part: Activation,
        test: Instance,
        unrun: list[Any],
        base: ast.AST | OfModule | OfDefault,
        is_own: Callable[[int], bool],
    ) -> bool:
        """Whether others see the objects that an expression may have given."""
        if self._is_new(part, test, base):
            return False
        objects = self.resolve(test, unrun, base)
        return objects is None or not all(map(is_own, objects))

    def _is_new(self, activation: Activation, test: Instance, base: ast.AST | OfModule | OfDefault) -> bool:
        """Whether a name stands for an object that the activation made itself."""
        stores = activation.stores.get(base.id, ()) if isinstance(base, ast.Name) else ()
        before = [made for made in stores if made.order < test.order]
        if not before:
            return False
        shown = self.graph.origin(before[-1])
        return shown.activation is activation and shown.kind in (DISPLAY, OPERATION, SLICED)

    def names(
        self, owner: Any, name: str, after: int, before: int, covered: Covered | None = None
    ) -> Iterator[Instance]:
        """Tests between two times that kept code from binding a name of a module or an enclosing function (`owner`)."""
        self._look()
        candidates = self._names.get(name, [])
        yield from self._between(
            candidates,
            after,
            before,
            covered,
            ("names", owner, name),
            lambda candidate: self.graph.files.binds(candidate.unrun, owner, name),
        )
        if isinstance(owner, ast.Module):
            by_text = self._names.get("*", [])
            yield from self._between(by_text, after, before, covered, ("by a text", owner), lambda _: True)
        called = self._methods_called()
        low, high = (bisect_left(called, time, key=lambda each: each.time) for time in (after, before))
        for at in (covered or Covered()).rest(("called", owner, name), low, high):
            effects = called[at].dispatched
            if effects is None or name not in effects.outer:
                continue
            if self.graph.files.could_bind(effects, owner, name):
                yield called[at].chosen

    def _between(
        self,
        candidates: list[Candidate],
        after: int,
        before: int,
        covered: Covered | None,
        key: Hashable,
        is_meant: Callable[[Candidate], bool],
    ) -> Iterator[Instance]:
        """The tests of those that are meant; `key` says by what. One that was met already need not be again."""
        low = bisect_left(candidates, after, key=lambda candidate: candidate.time)
        high = bisect_right(candidates, before, key=lambda candidate: candidate.time)
        covered = covered or Covered()
        for at in covered.rest(key, low, high, id(candidates)):
            if is_meant(candidates[at]):
                covered.meet(id(candidates), at)
                yield candidates[at].test

    def _about(
        self,
        candidates: list[Candidate],
        number: int,
        attribute: str,
        after: int,
        before: int,
        covered: Covered | None,
    ) -> Iterator[Instance]:
        """The tests of those that would have stored into an object, as `_between` gives them: looked up by the object."""
        if self._resolving or self.graph.choices().is_asked():  # one look-up must not wait for another
            yield from self._between(
                candidates,
                after,
                before,
                covered,
                ("stores", number, attribute),
                lambda each: (objects := self._meant(each, attribute)) is None or number in objects,
            )
            return
        covered, key = covered or Covered(), (id(candidates), attribute)
        high = bisect_right(candidates, before, key=lambda candidate: candidate.time)
        meant = self._by_object.get(key)
        if meant is None:
            meant = self._by_object[key] = _ByObject()
        for at in range(meant.until, high):
            self.graph.step_on()
            meant.add(at, self._meant(candidates[at], attribute))
        low = bisect_left(candidates, after, key=lambda candidate: candidate.time)
        for whose, positions in ((None, meant.of_any), (number, meant.of_object.get(number))):
            if positions:
                first, end = bisect_left(positions, low), bisect_left(positions, high)
                for part in covered.stretches(("meant", key, whose), first, end):
                    tests = [candidates[at].test for at in positions[part.start : part.stop]]
                    yield from [test for test in tests if id(test) not in covered.which]  # mostly they are

    def _look(self) -> None:
        self._collect()
        self.graph.recall(WHAT, self.inside)

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
            self._reads,
            *self._attributes.values(),
            *self._names.values(),
        ):
            listed.sort(key=lambda candidate: candidate.time)

    def _forget(self) -> None:
        self._candidates = None
        for listed in (self._items, self._resizes, self._attributes, self._names, self._reads):
            listed.clear()

    def _could(self, routine: int) -> bool:
        """Whether a routine has a branch with an effect on objects or names of others."""
        files = self.graph.files
        code = files.code_of(routine)
        if code is None:
            return True
        scope, is_module = files.scope(code), isinstance(code, (ast.Module, ast.ClassDef))
        scalars = sources.scalar_names(code) & scope.locals - files.bound_by_inner(code)
        raising, reading = self._raising_routines(), self.graph.defaulting_reads.is_any()
        for node in sources.own_parts(code) if isinstance(code, ast.Module) else sources.own_statements(code):
            if isinstance(node, _BRANCHES):
                # What follows may not be reached.
                leaves = isinstance(node, ast.stmt) and (
                    bool(sources.exits([node])) or routine in raising or _yields(node)
                )
                unrun = list(code.body) if leaves else [node]
                if reading and any(_is_read(part) for piece in unrun for part in files.parts(piece)):
                    return True
                found = files.effects(unrun)
                if found.attributes or found.names_of_others(scope, is_module) or _RUNS_TEXT in found.calls:
                    return True
                if found.items and not all(
                    isinstance(base, ast.Name) and isinstance(base.ctx, ast.Store) and base.id in scalars
                    for base, _ in self._bases(unrun, found, "")
                ):
                    return True
            elif (
                (isinstance(node, ast.Call) and self.graph.caches.kept(sources.last_name(node.func)))
                or (isinstance(node, ast.Call) and each_element.called_back(files, node) is not None)
                or (
                    isinstance(node, sources.Comprehension)
                    and each_element.comprehended(files, node) is not None
                )
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
        todo, reading = [activation], self.graph.defaulting_reads.is_any()
        while todo:
            part = todo.pop()
            todo += part.inlines
            code = self.graph.files.code_of(part.routine)
            scope, is_module = self.graph.files.scope(code), isinstance(code, (ast.Module, ast.ClassDef))
            for test, unrun in part.tests:
                self.graph.step_on()
                if not unrun:
                    continue
                if reading and any(
                    _is_read(each) for piece in unrun for each in self.graph.files.parts(piece)
                ):
                    self._reads.append(Candidate(test.time, test, unrun, self.graph.files.effects(unrun)))
                found = self.graph.files.effects(unrun)
                names = found.names_of_others(scope, is_module)
                if _RUNS_TEXT in found.calls:  # who knows which its text would have bound
                    names = {*names, "*"}
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
        for base, _ in self._bases(candidate.unrun, candidate.effects, "", candidate.test):
            if not isinstance(base, ast.Name) or not isinstance(base.ctx, ast.Store):
                return True
            key = (id(activation), base.id)
            if key not in self._scalars:
                stored = activation.stores.get(base.id)
                self._scalars[key] = bool(stored) and all(map(self.graph.is_scalar, stored or ()))
            if not self._scalars[key]:
                return True
        return False

    def _meant(self, candidate: Candidate, attribute: str) -> Objects:
        """The objects that the code would store into; None for any."""
        key = (id(candidate), attribute)  # a test may keep several pieces of code from running
        if key in self._objects_meant:
            return self._objects_meant[key]
        choices, self._resolving = self.graph.choices(), self._resolving + 1
        cut = choices.cut
        try:
            found = self._find_meant(candidate, attribute)
        finally:
            self._resolving -= 1
        if choices.cut == cut or (not self._resolving and not choices.is_asked()):
            self._objects_meant[key] = found
        return found

    def _find_meant(self, candidate: Candidate, attribute: str) -> Objects:
        found, resolution = set[int](), Resolution(self.graph, candidate.test, candidate.unrun)
        for expression, deep in self._bases(candidate.unrun, candidate.effects, attribute, candidate.test):
            objects = resolution.of(expression)
            if objects is None:
                return None
            found |= objects
            for start in objects if deep else ():
                held = self.held(start, candidate.time)
                if held is None:
                    return None
                found |= held
        return frozenset(found)

    def _bases(
        self, unrun: list[Any], effects: Effects, attribute: str | None, test: Instance | None = None
    ) -> Iterator[Base]:
        """Expressions for the objects that the code would store into (an attribute, "" for an element, None for either);
        with True those it would hand to functions. `test`: what kept it from running, where that is known."""
        key = (tuple(map(id, unrun)), attribute)
        if key not in self._by_text:
            self._by_text[key] = (
                _Kept(self._bases_by_text(unrun, effects, attribute)),
                _Kept(would_store.implicitly(self.graph.files, unrun, attribute)),
            )
        by_text, implicit = self._by_text[key]
        yield from by_text
        resolution, given = None if test is None else Resolution(self.graph, test, unrun), set[int]()
        for node, inner in implicit:
            if resolution is None or self._may_run_code(node, resolution):
                yield from ((operand, True) for operand in implied.operands(node))
                if id(inner) not in given:
                    given.add(id(inner))
                    yield from would_store.read_of_others(inner)

    def _bases_by_text(self, unrun: list[Any], effects: Effects, attribute: str | None) -> Iterator[Base]:
        """Those of the text, and of generators: nobody knows what these were given."""
        files = self.graph.files
        for node, inner in would_store.implicitly(files, unrun, attribute, generators=True):
            yield OfModule(-1, ""), False
            yield from ((operand, True) for operand in implied.operands(node))
            yield from would_store.read_of_others(inner)
        yield from would_store.bases(files, unrun, effects, attribute)

    def _may_run_code(self, node: ast.AST, resolution: Resolution) -> bool:
        """Whether what a node is about may be, or hold, objects of the program's classes."""
        key = (id(node), id(resolution.test), id(resolution.unrun))
        if key not in self._runs_code:
            choices = self.graph.choices()
            cut = choices.cut
            found = self._holds_own(node, resolution)
            if choices.cut != cut and (self._resolving or choices.is_asked()):
                return found
            self._runs_code[key] = found
        return self._runs_code[key]

    def _holds_own(self, node: ast.AST, resolution: Resolution) -> bool:
        for operand in implied.operands(node):
            found = resolution.reachable(operand)
            if found is None or any(self.graph.trace.row(each)[0] in _WITH_METHODS for each in found):
                return True
        return False

    def _may_be(
        self, candidate: Candidate, expression: ast.AST | OfModule | OfDefault, number: int, deep: bool
    ) -> bool:
        found = self.resolve(candidate.test, candidate.unrun, expression)
        if found is None or number in found:
            return True
        return deep and any(self.reaches(start, number, candidate.time) for start in found)

    def _may_be_class(
        self,
        candidate: Candidate,
        expression: ast.AST | OfModule | OfDefault,
        names: frozenset[str],
        deep: bool,
    ) -> bool:
        """Whether an expression may give one of some classes; `deep`: or something of such a class."""
        files, resolution = self.graph.files, Resolution(self.graph, candidate.test, candidate.unrun)
        if isinstance(expression, OfModule):
            if expression.name in names:
                return True
            if expression.source >= 0 and files.defining(expression.name):
                return False  # another class, or a function
        elif isinstance(expression, OfDefault):
            pass
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

    def resolve(self, test: Instance, unrun: list[Any], expression: Any) -> Objects:
        """The objects that an expression may have given at a test; None where that is not known."""
        return Resolution(self.graph, test, unrun).of(expression)


def _is_read(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)


def _yields(node: ast.AST) -> bool:
    """Whether nobody may ask what is behind a piece of code for more."""
    return any(isinstance(part, (ast.Yield, ast.YieldFrom, ast.Await)) for part in sources.own_parts(node))
