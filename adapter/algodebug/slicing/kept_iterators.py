"""Iterators that are kept: in attributes, in containers, in variables of modules and of functions around.

What comes of one depends on every place that asked it before, in whatever call, and on branches that would have asked it.
Which iterator it is, the trace tells; the text tells which names iterators may get to at all, so that programs that keep
none cost nothing. Iterators in local variables are for `iterators`, those that classes of the program define are objects
like others.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from algodebug.slicing import defaults, sources, variables
from algodebug.slicing.demands import Needs
from algodebug.slicing.flow import ITERATOR
from algodebug.slicing.instances import (
    ATTRIBUTE,
    DISPLAY,
    FREE,
    GLOBAL,
    ITEM,
    LIBRARY,
    NAME,
    OPERATION,
    PART,
    RETURN,
    STORE,
    TEST,
    WRITE,
    Activation,
    Called,
    Instance,
)
from algodebug.slicing.iterators import is_of_loop, parts_of

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_WHAT = "who asked an iterator"
_MOST_NODES = 3000  # looked into, where they are very many
_NOT_ASKING = frozenset({NAME, STORE, TEST, RETURN, WRITE, DISPLAY})
_READ_WHERE_KEPT = frozenset({ATTRIBUTE, ITEM, PART, FREE, GLOBAL})
_OF_LIBRARY = frozenset({"zip", "map", "filter", "enumerate", "reversed", *sources.ITERATORS})


class Mention(NamedTuple):
    """How the functions of a name mention something that may be a kept iterator."""

    is_given: bool  # only as a part of what they are given


class Asking(NamedTuple):
    """An iterator is asked."""

    number: int  # the iterator
    asker: Instance
    value: Instance  # what gave the iterator


class Asked(NamedTuple):
    """What is known of all kept iterators."""

    askings: dict[int, list[Asking]]  # number of an iterator → who asked it, in order
    chosen: list[Asking]  # … of iterators that something chose, in order
    kept: frozenset[int]  # the numbers of those that were found where they are kept
    tests: list[tuple[Instance, list[Any]]]  # that kept code from running which may ask one, in order


class KeptIterators:
    """Who asks them, found when the first one is met."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._names: frozenset[str] | None = None  # of variables and attributes; empty where none is kept
        self._shared: frozenset[str] = frozenset()  # … of variables that functions inside read
        self._mentions: dict[str, Mention | None] = {}
        self._asked: dict[tuple[int, int] | None, Asked] = {}
        self._tests: dict[tuple[tuple[int, int] | None, int, int], bool] = {}  # test and iterator
        self._alone: dict[int, int] = {}  # iterator → so many iterations of one loop ask it first

    def asked_before(self, needs: Needs, value: Instance, asker: Instance) -> bool:
        """What `asker` gets of a kept iterator depends on who asked before; whether anybody did but for the same loop."""
        if not self.names():
            return False
        number = next(iter(self._number(value)), 0)
        if not number:
            return False
        asked = self._find()
        if number not in asked.kept:
            return False
        askings, place = asked.askings.get(number, []), _place_of(asker)
        before = bisect_left(askings, place, key=_place_of_asking)
        for at in needs.covered.rest(("kept", number), 0, before):
            _asked_by(needs, askings[at])
        if needs.relevant:
            self._could_have_been_asked(needs, asked, number, place)
        if not before or not is_of_loop(askings[0].asker, asker):
            return before > 0
        if number not in self._alone:
            others = (at for at, each in enumerate(askings) if not is_of_loop(askings[0].asker, each.asker))
            self._alone[number] = next(others, len(askings))
        return before > self._alone[number]

    def _could_have_been_asked(self, needs: Needs, asked: Asked, number: int, place: tuple[int, int]) -> None:
        """What decided that another iterator was asked, or none."""
        end = bisect_left(asked.chosen, place, key=_place_of_asking)
        for at in needs.covered.rest(("kept, but chosen", number), 0, end):
            if asked.chosen[at].number != number:
                needs.which((asked.chosen[at].value,))
        end = bisect_left(asked.tests, place, key=lambda each: _place_of(each[0]))
        for at in needs.covered.rest(("kept from asking", number), 0, end):
            if self._could_ask(at, number):
                needs.which((asked.tests[at][0],))

    # -- by the text

    def names(self) -> frozenset[str]:
        """The names that iterators may go by, where any may be kept; else none."""
        if self._names is None:
            files = self.graph.files
            reached = files.flow().reached(ITERATOR)
            names = frozenset(name for name, _ in reached)
            nodes = [node for file in files.looked_at() for node in file.nodes] if names else []
            codes = (node for node in nodes if isinstance(node, sources.Function))
            self._shared = frozenset(name for code in codes for name in self._names_of_others(code, names))
            is_any = any(level for _, level in reached) or any(_keeps(node, names) for node in nodes)
            self._names = names if is_any or self._shared else frozenset()
        return self._names

    def _names_of_others(self, code: Any, names: frozenset[str]) -> Iterator[str]:
        """The names among some that a function reads of others."""
        own = self.graph.files.scope(code).locals
        for part in sources.own_statements(code):
            if (
                isinstance(part, ast.Name)
                and part.id in names
                and part.id not in own
                and part.id not in sources.BUILTINS
            ):
                yield part.id
        for name, default in defaults.of_function(code).items():
            if any(isinstance(part, ast.Call) for part in ast.walk(default)):
                yield from names & {name}  # the next call gets the same one

    def _mention(self, name: str) -> Mention | None:
        """How functions of a name mention a kept iterator themselves; None where they do not."""
        if name not in self._mentions:
            found = [
                isinstance(part, ast.Attribute) and _root(part) in sources.parameters(code.args)
                for code in self.graph.files.named(name)
                for part in sources.own_statements(code)
                if self._is_mention(part)
            ]
            self._mentions[name] = Mention(all(found)) if found else None
        return self._mentions[name]

    def _is_mention(self, part: ast.AST) -> bool:
        name = part.attr if isinstance(part, ast.Attribute) else getattr(part, "id", "")
        return bool(name) and name in self.names() and isinstance(getattr(part, "ctx", None), ast.Load)

    def _may_mention(self, routine: int) -> bool:
        """Whether a routine, or what it calls, mentions one."""
        files = self.graph.files
        code = files.code_of(routine)
        if code is None:
            return False
        if any(self._is_mention(part) or self._of_property(part) for part in sources.own_statements(code)):
            return True
        body = [code.body] if isinstance(code, ast.Lambda) else list(code.body)
        return any(self._mention(name) for name in files.effects(body).runs)

    # -- in the run

    def _is_iterator(self, number: int) -> bool:
        row = self.graph.trace.row(number)
        if type(row) is not list:
            return False
        if row[0] != "instance":
            return bool(row[0] == "generator")
        name, _, is_own, *_ = self.graph.trace.type_of(row[1])
        name = name.rpartition(".")[2]
        return not is_own and (name.endswith("iterator") or name in _OF_LIBRARY)

    def _find(self) -> Asked:
        self.graph.recall(_WHAT, self.graph.inside)
        known = self._asked.get(self.graph.inside)
        if known is None:
            askings: dict[int, list[Asking]] = {}
            kept, tests = set[int](), list[tuple[Instance, list[Any]]]()
            for activation in self._activations():
                for made in activation.instances:
                    self._add(made, askings, kept)
                tests += [
                    (test, unrun) for test, unrun in activation.tests if unrun and self._mentions_any(unrun)
                ]
            for listed in askings.values():
                listed.sort(key=_place_of_asking)
            chosen = [each for listed in askings.values() for each in listed if self._is_chosen(each.value)]
            chosen.sort(key=_place_of_asking)
            tests.sort(key=lambda each: _place_of(each[0]))
            known = self._asked[self.graph.inside] = Asked(askings, chosen, frozenset(kept), tests)
        return known

    def _activations(self) -> Iterator[Activation]:
        graph = self.graph
        for activation in graph.activations_of(graph.inside, self._may_mention, _MOST_NODES, _WHAT):
            if activation is None:
                return
            todo = [activation]
            while todo:
                yield todo[-1]
                todo += todo.pop().inlines

    def _is_chosen(self, value: Instance) -> bool:
        """Whether something decided which iterator it was."""
        shown = self.graph.origin(value)
        if shown.kind in (ITEM, PART):
            return True
        others = self.graph.choices().of(value)
        return others is None or bool(others - self._number(value))

    def _add(self, made: Instance, askings: dict[int, list[Asking]], kept: set[int]) -> None:
        """What an evaluation says of iterators."""
        if (made.kind in _READ_WHERE_KEPT and made.node is not None and self._is_named(made.node)) or (
            made.kind == NAME and getattr(made.node, "id", "") in self._shared
        ):
            kept |= self._number(made)
        elif made.kind == WRITE and made.copy is not None:
            kept |= self._number(made.copy)
        elif made.kind == DISPLAY:
            elements = made.detail.values() if isinstance(made.detail, dict) else made.detail
            kept |= {number for part in elements for number in self._number(part)}
        if made.kind in _NOT_ASKING:
            return
        for part in parts_of(made):
            for number in self._number(part):
                askings.setdefault(number, []).append(Asking(number, made, part))

    def _is_named(self, node: ast.AST) -> bool:
        """Whether a name, an attribute, an item is one that iterators may get to; an element by iteration always."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            return sources.last_name(node) in self.names()
        return True

    def _number(self, part: Instance) -> set[int]:
        number = self.graph.number(part)
        if not number and part.kind == FREE:  # in a comprehension the trace does not name it
            found = variables.definers(self.graph, part)
            bound = variables.bound_around(found[0], part) if len(found) == 1 else None
            number = self.graph.number(bound)
        return {number} if number and self._is_iterator(number) else set()

    # -- branches

    def _mentions_any(self, unrun: list[Any]) -> bool:
        files = self.graph.files
        if any(self._is_mention(part) for piece in unrun for part in files.parts(piece)):
            return True
        if any(self._mention(name) for name in files.effects(unrun).runs):
            return True
        return any(self._of_property(part) for piece in unrun for part in files.parts(piece))

    def _of_property(self, part: ast.AST) -> bool:
        """Whether reading an attribute may run a function that mentions one."""
        files = self.graph.files
        return isinstance(part, ast.Attribute) and any(
            self._mention(part.attr)
            and any(map(files.values.may_make_property, getattr(code, "decorator_list", ())))
            for code in files.named(part.attr)
        )

    def _could_ask(self, at: int, number: int) -> bool:
        key = (self.graph.inside, at, number)
        if key not in self._tests:
            self._tests[key] = self._asks(*self._find().tests[at], number)
        return self._tests[key]

    def _asks(self, test: Instance, unrun: list[Any], number: int) -> bool:
        """Whether code that a test kept from running could have asked an iterator."""
        return any(
            self._part_asks(test, unrun, part, number)
            for piece in unrun
            for part in self.graph.files.parts(piece)
        )

    def _part_asks(self, test: Instance, unrun: list[Any], part: ast.AST, number: int) -> bool:
        graph, potential = self.graph, self.graph.potential()
        if self._is_mention(part):
            if isinstance(part, ast.Name):
                found = potential.resolve(test, unrun, part)
                return found is None or number in found or any(not self._is_iterator(each) for each in found)
            assert isinstance(part, ast.Attribute)
            found = potential.resolve(test, unrun, part.value)
            return found is None or any(
                graph.part_number(each, ("attr", part.attr), test.time) in (0, number) for each in found
            )
        is_property = self._of_property(part)
        if not is_property and not isinstance(part, ast.Call):
            return False
        called = part if isinstance(part, ast.Attribute) else part.func  # type: ignore[attr-defined]
        name = sources.last_name(called)
        is_any = not is_property and graph.files.values.is_variable(called)
        inner = graph.files.of_values() if is_any else graph.files.effects_of_calls(name)
        mentions = [each for run in (inner.runs if inner is not None else ()) if (each := self._mention(run))]
        if not all(each.is_given for each in mentions):
            return True
        if not mentions:
            return False
        if isinstance(part, ast.Call):
            given = sources.given(part)
            given += [part.func.value] if isinstance(part.func, ast.Attribute) else []
            if not isinstance(part.func, ast.Attribute) and graph.files.classes(name):
                return False if not given else self._reached_from(test, unrun, given, number)
        else:
            given = [part.value] if isinstance(part, ast.Attribute) else []
        return self._reached_from(test, unrun, given, number)

    def _reached_from(self, test: Instance, unrun: list[Any], given: list[ast.expr], number: int) -> bool:
        potential = self.graph.potential()
        for expression in given:
            found = potential.resolve(test, unrun, expression)
            if (
                found is None
                or number in found
                or any(potential.reaches(each, number, test.time) for each in found)
            ):
                return True
        return False


def _asked_by(needs: Needs, asking: Asking) -> None:
    """That an iterator was asked, and that it was this one; how often, where that is told by a value."""
    asker = asking.asker
    needs.reached(asker)
    needs.which((asking.value,))
    if asker.kind == OPERATION:  # `x in iterator`
        needs.which((asker,))
    elif asker.kind == LIBRARY and isinstance(asker.detail, Called) and asker.detail.name != "next":
        given = [value for _, value in asker.detail.arguments if value is not asking.value]
        needs.whole(given, asker.time)


def _keeps(node: ast.AST, names: frozenset[str]) -> bool:
    """Whether an attribute is stored that iterators may get to."""
    return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr in names


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _place_of(made: Instance) -> tuple[int, int]:
    return made.time, made.order


def _place_of_asking(asking: Asking) -> tuple[int, int]:
    return asking.asker.time, asking.asker.order
