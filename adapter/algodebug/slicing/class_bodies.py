"""What the body of a class bound: `Box.rate`, and `box.rate` where the object has no `rate` of its own.

Which class is meant is told by its name: all that the program made by that name, wherever its statement ran, before the
value was read. Their bases are looked into. Left out: classes made by calling `type` or another metaclass.
"""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_left
from collections.abc import Iterator
from functools import partial
from itertools import takewhile
from operator import is_not
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from algodebug.slicing import class_attributes
from algodebug.slicing.imported import names_imported
from algodebug.slicing.instances import ATTRIBUTE, DISPLAY, GLOBAL, Activation, Called, Instance
from algodebug.slicing.sources import is_enum, last_name, own_parts

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_BUILTINS = frozenset(dir(builtins))
_MOST_BASES = 10
_OF_NAMESPACES = frozenset(
    {"__new__", "__prepare__", "__setitem__", "__call__"}
)  # methods of metaclasses and their dicts
_MOST_RUNS = 200  # of one function that makes classes, or imports modules
_MOST_MODULES = 10  # that import each other
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Base(NamedTuple):
    """A base of a class."""

    names: tuple[str, ...]  # of the classes that it is
    value: Instance | None  # what gave it, where that is not told by its name


class ClassBodies:
    """The class statements of a run, found by the name of the class."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._making: dict[str, list[int]] = {}
        self._nodes: dict[int, list[int]] = {}
        self._held: dict[str, list[tuple[str, Instance]]] = {}
        self._orders: dict[str, tuple[tuple[str, ...], bool]] = {}
        self._hosts: dict[int, list[int]] = {}
        self._imported: dict[int, dict[str, list[int]]] = {}

    def order(self, class_name: str) -> tuple[tuple[str, ...], bool]:
        """The names of a class and of its bases, in the order they are looked into, and whether that order is sure."""
        known = self._orders.get(class_name)
        if known is None:
            found, is_sure = [class_name], True
            for name in found:
                for code in self.graph.files.classes(name):
                    bases = [base for base in map(last_name, code.bases) if base]
                    is_sure = is_sure and len(code.bases) < 2 and not code.keywords
                    if any(map(self._is_computed, code.bases)):
                        is_sure = False
                        for made in self._made(name, self.graph.trace.end[0], anywhere=True):
                            bases += [base for each in self._bases_of(made) for base in each.names]
                    found += [base for base in bases if base not in found]
            known = tuple(found), is_sure
            if not self.graph.following:  # else a class statement may be among what is followed now
                self._orders[class_name] = known
        return known

    def chosen_bases(self, class_name: str, time: int) -> list[Instance]:
        """What gave the bases of the classes of a name, where they are no classes by their names."""
        if not any(
            map(
                self._is_computed,
                (base for code in self.graph.files.classes(class_name) for base in code.bases),
            )
        ):
            return []
        return [
            each.value
            for made in self._made(class_name, time)
            for each in self._bases_of(made)
            if each.value is not None
        ]

    def namespace_hooks(self, class_name: str, time: int) -> list[int]:
        """What ran for the classes of a name that had their namespaces in hand."""
        trace, found = self.graph.trace, list[int]()
        for made in self._made(class_name, time):
            for child in made.activation.ran_in.get(made.order, ()):
                name = trace.routines[trace.routine[child]].name
                if name in _OF_NAMESPACES or (name == "__init__" and is_enum(made.node)):
                    found.append(child)
        return found

    def called_with(self, maker: Instance) -> list[str]:
        """The names of the classes that a call was given which made a class: `type(name, bases, {})`."""
        called = maker.detail
        given = [value for _, value in called.arguments] if isinstance(called, Called) else []
        return [name for value in given for name in self._classes_in(value, maker.time)]

    def _is_computed(self, base: ast.expr) -> bool:
        """Whether the text does not tell which class a base is."""
        if isinstance(base, ast.Attribute):
            return False
        files, name = self.graph.files, last_name(base)
        is_told = bool(files.classes(name)) or name in _BUILTINS
        return not (name and (is_told or any(name in file.imported for file in files.at_hand())))

    def _bases_of(self, made: Instance) -> list[Base]:
        """The bases of a class, as its statement found them."""
        found = []
        assert isinstance(made.node, ast.ClassDef)
        first = len(made.node.decorator_list)
        for at, base in enumerate(made.node.bases):
            if self._is_computed(base):
                value = made.uses[first + at]
                found.append(Base(tuple(self._classes_in(value, made.time)), value))
            else:
                found.append(Base((last_name(base),), None))
        return found

    def _classes_in(self, value: Instance, time: int) -> Iterator[str]:
        """The names of the classes that a value is, or holds."""
        trace, number = self.graph.trace, self.graph.number(value)
        row = trace.row(number) if number else None
        shown = self.graph.origin(value)
        if shown.kind == DISPLAY:
            for part in shown.detail.values() if isinstance(shown.detail, dict) else shown.detail:
                yield from self._classes_in(part, time)
            return
        if type(row) is list and row[0] in ("list", "tuple"):
            rows = iter([trace.row(each) for each in trace.content(number, time).items])
        else:
            rows = iter((row,))
            if (name := class_attributes.class_given(self.graph, value)) and not number:
                yield name
        for each in rows:
            if type(each) is list and each[0] == "class":
                yield str(each[1]).rpartition(".")[2]

    def binds(self, class_name: str, name: str, time: int) -> bool:
        """Whether the body of a class surely bound an attribute."""
        return any(
            (bound := self._bound(made).get(name)) is not None and not _is_under_a_test(bound, made)
            for made in self._made(class_name, time)
        )

    def bound(self, class_name: str) -> list[tuple[str, Instance]]:
        """All that the bodies of the classes of a name bound, but for what they define: inputs too."""
        known = self._held.get(class_name)
        if known is None:
            known = [
                (name, bound)
                for made in self._made(class_name, self.graph.trace.end[0], anywhere=True)
                for name, bound in self._bound(made).items()
                if not isinstance(self.graph.origin(bound).node, _DEFINITIONS)
            ]
            if not self.graph.following:  # else a body may be among what is followed now
                self._held[class_name] = known
        return known

    def attribute(self, class_name: str, name: str, time: int, depth: int = 0) -> list[Instance]:
        """What the bodies of the classes of a name, or of their bases, bound an attribute to last."""
        graph, found = self.graph, list[Instance]()
        for made in self._made(class_name, time):
            bound = self._bound(made).get(name)
            if bound is not None:
                shown = graph.origin(bound)
                is_plain = isinstance(shown.node, _DEFINITIONS) and shown.order not in shown.activation.ran_in
                if not is_plain or _is_under_a_test(bound, made):
                    found.append(bound)
                if not is_plain and is_enum(made.node):  # which one it is, what number it has
                    found += takewhile(partial(is_not, bound), self._bound(made).values())
            elif depth < _MOST_BASES and isinstance(made.node, ast.ClassDef):
                for base in (one for each in self._bases_of(made) for one in each.names):
                    found += self.attribute(base, name, time, depth + 1)
        return found

    def kept_from_binding(self, class_name: str, name: str, time: int) -> list[Instance]:
        """The tests in the bodies of the classes of a name that kept them from binding an attribute."""
        return [
            test
            for made in self._made(class_name, time)
            for _, test in self.graph.tests_by_name(self._body(made) or made.activation).get(name, ())
            if _is_inside(test.node, made.node)
        ]

    def members(self, class_name: str, time: int) -> list[Instance]:
        """What the bodies of the enums of a name bound."""
        if not any(map(is_enum, self.graph.files.classes(class_name))):
            return []
        return [bound for made in self._made(class_name, time) for bound in self._bound(made).values()]

    def filled(self, function: Instance | None, time: int) -> dict[str, list[Instance]]:
        """What bodies bound that library code may have put into objects of the class: fields of dataclasses, enums."""
        found: dict[str, list[Instance]] = {}
        for made in self._made(self._class_called(function), time):
            if isinstance(made.node, ast.ClassDef) and self._is_filled(made.node):
                for name, bound in self._bound(made).items():
                    if not isinstance(self.graph.origin(bound).node, _DEFINITIONS):
                        found.setdefault(name, []).append(bound)
        return found

    def _class_called(self, function: Instance | None) -> str:
        row = None if function is None else self.graph.row_of(function)
        if type(row) is list:
            return str(row[1]).rpartition(".")[2] if row[0] == "class" else ""
        return str(function.detail) if function is not None and function.kind in (GLOBAL, ATTRIBUTE) else ""

    def _is_filled(self, node: ast.ClassDef) -> bool:
        """Whether anything but its own text says what the class does."""
        is_of_library = any(
            not self.graph.files.defining(last_name(base)) and last_name(base) != "object"
            for base in node.bases
        )
        return bool(node.decorator_list or node.keywords) or is_of_library

    def is_class(self, name: str) -> bool:
        """Whether the program has a class of a name."""
        return bool(self._making_it(name))

    def _made(self, class_name: str, time: int, *, anywhere: bool = False) -> Iterator[Instance]:
        """The class statements that ran before a time for classes of a name; `anywhere`: what is input, too."""
        is_told = True  # whether all that could have made one is known
        for routine in self._making_it(class_name):
            is_known = self.graph.trace.routines[routine].kind == "function" and not self._nodes_of(routine)
            for activation in self.runs(routine, time, anywhere=anywhere):
                is_known, is_told = True, is_told and not activation.failed
                for made in activation.classes:
                    if made.time <= time and made.node.name == class_name:  # type: ignore[union-attr]
                        anywhere = True
                        yield made
            is_told = is_told and is_known
        if not (is_told or anywhere) and self.graph.inside is None:
            self.graph.incomplete.add(f"where class {class_name} was made")

    def _making_it(self, class_name: str) -> list[int]:
        """The routines with a class statement of a name in their own code."""
        known = self._making.get(class_name)
        if known is None:
            sources = set(self.graph.files.defining(class_name))
            known = self._making[class_name] = [
                number
                for number, routine in enumerate(self.graph.trace.routines)
                if routine.source in sources
                and any(
                    isinstance(part, ast.ClassDef) and part.name == class_name
                    for part in self._parts_of(number)
                )
            ]
        return known

    def _parts_of(self, routine: int) -> Iterator[ast.AST]:
        code = self.graph.files.code_of(routine)
        if code is not None and not isinstance(code, ast.Lambda):
            for statement in code.body:
                yield from own_parts(statement)

    def runs(self, routine: int, time: int, anywhere: bool = False) -> Iterator[Activation]:
        """The activations of a routine that began before a time; of many the last ones."""
        yield from self._runs(routine, time, 0, anywhere, {})

    def _runs(
        self,
        routine: int,
        time: int,
        depth: int,
        anywhere: bool,
        known: dict[tuple[int, int], list[Activation]],
    ) -> Iterator[Activation]:
        """`known`: what was found of others on the way. Modules that import each other are on very many ways."""
        graph, nodes = self.graph, self._nodes_of(routine)
        made = graph.trace.routines[routine]
        if not nodes and depth < _MOST_MODULES:  # it ran in the events of another
            hosts = self._importing(made.source) if made.kind == "module" else [made.parent]
            seen = set[int]()
            for host in (host for host in hosts if host >= 0 and made.kind in ("module", "class")):
                key = (host, depth + 1)
                if key not in known:
                    known[key] = list(self._runs(host, time, depth + 1, anywhere, known))
                for around in known[key]:
                    found = [inner for inner in around.inlines if inner.routine == routine]
                    for each in [*found, around] if made.kind == "class" else found:
                        if id(each) not in seen:
                            seen.add(id(each))
                            yield each
            return
        first, end = (not anywhere and graph.inside) or (0, len(graph.trace.parent))
        until = bisect_left(nodes, time, key=lambda node: graph.trace.start[node])
        if until > _MOST_RUNS:
            graph.incomplete.add(f"classes that earlier calls of {made.name} made")
        for node in nodes[max(0, until - _MOST_RUNS) : until]:
            if first <= node < end and node not in graph.following:
                yield graph.activation(node)

    def _nodes_of(self, routine: int) -> list[int]:
        known = self._nodes.get(routine)
        if known is None:
            known, column, at = list[int](), self.graph.trace.routine, -1
            for _ in range(column.count(routine)):
                at = column.index(routine, at + 1)
                known.append(at)
            known.sort(key=self.graph.trace.start.__getitem__)
            self._nodes[routine] = known
        return known

    def _importing(self, source: int) -> list[int]:
        """The routines whose own code imports what may be a module."""
        known = self._hosts.get(source)
        if known is None:
            sources = self.graph.trace.sources
            path = PurePath(sources[source].path)
            name = path.parent.name if path.stem == "__init__" else path.stem
            known = self._hosts[source] = sorted(
                routine
                for other, file in enumerate(sources)
                if name in file.text
                for routine in self._imported_in(other).get(name, ())
            )
        return known

    def _imported_in(self, source: int) -> dict[str, list[int]]:
        """Of a file: name of what may be a module → the routines whose own code imports it."""
        known = self._imported.get(source)
        if known is None:
            known = self._imported[source] = {}
            for number, routine in enumerate(self.graph.trace.routines):
                if routine.source == source:
                    for name in {name for part in self._parts_of(number) for name in names_imported(part)}:
                        known.setdefault(name, []).append(number)
        return known

    def _bound(self, made: Instance) -> dict[str, Any]:
        """Its names: of a body that only defines they are among the instances around, another has its own activation."""
        if isinstance(made.detail, dict):
            return made.detail
        body = self._body(made)
        stores = {} if body is None else body.stores
        return {name: stored[-1] for name, stored in stores.items() if stored}

    def _body(self, made: Instance) -> Activation | None:
        trace = self.graph.trace
        for child in made.activation.ran_in.get(made.order, ()):
            if trace.routines[trace.routine[child]].kind == "class":
                return self.graph.activation(child)
        return None


def _is_inside(part: ast.AST | None, whole: ast.AST | None) -> bool:
    line = getattr(part, "lineno", 0)
    return bool(getattr(whole, "lineno", 0) <= line <= getattr(whole, "end_lineno", -1))


def _is_under_a_test(bound: Instance, made: Instance) -> bool:
    """Whether a class, once its statement runs, may have another method by that name, or none."""
    return bound.control is not (
        made.control if bound.activation is made.activation else bound.activation.entry
    )
