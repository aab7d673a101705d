"""Rewriting of `obj.__init__(…)`, `Base.__init__(self, …)` and `super().__init__(…)`: what the object is like is noted before.

In an `__init__` an object is taken for new, which it is not where one is called like that. The note is made when all
arguments are known: what works them out must find the object as it was. Not here: an `__init__` of code that is not
recorded, which is a stranger to the object, see `instrument_handed`.
"""

from __future__ import annotations

import ast
from typing import Any
from collections.abc import Callable, Iterable

from algotrace.instrument_bound import SLEEPING, wrap_last
from algotrace.instrument_handed import is_on, kind_of
from algotrace.instrument_namespaces import called_by
from algotrace.instrument_operations import Operations
from algotrace.marks import CONTENT, MADE_AGAIN, NAMED
from algotrace.syntax import (
    both, call, constant, either, is_quiet, load, location, park, placeholder, point, repeated, same, subscript, walk,
)  # fmt: skip


_FILLING = frozenset({"__init__", "__set__", "__delete__"})
_CONTAINERS = frozenset(
    {"list", "dict", "set", "bytearray", "deque", "array"}
)  # classes, if the names are not given to others


class MadeAgain(Operations):
    """Calls of an `__init__` by name."""

    def made_again(self, node: ast.Call) -> Callable[[], None] | None:
        """What adds the note to a call, once the parts of it are rewritten; told from it as it stands in the text."""
        function = node.func
        if not (isinstance(function, ast.Attribute) and function.attr == "__init__"):
            return None
        owner, own = function.value, self.scope.self_name
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        of_super = isinstance(owner, ast.Call) and called_by(owner.func) == "super"
        if own.isidentifier() and (_is_super_of(owner, own) or (node.args and is_name(node.args[0], own))):
            late = self._is_known_late(node, values)
            if self.scope.is_met_before(node):
                return lambda: self._note_met_before(node, late)
            return lambda: self._note_filled(node, late, of_super=of_super)
        with_first = bool(node.args) and not isinstance(node.args[0], ast.Starred) and not of_super
        by_class = with_first and is_class_called(owner)
        late = self._is_known_late(node, values[by_class:])
        if with_first and not by_class and not self._is_asleep(node):
            return lambda: self._note_owner_or_first(node, late)
        return lambda: self._note_owner(node, by_class, late)

    def _is_known_late(self, node: ast.Call, arguments: list[ast.expr]) -> bool:
        """Whether working out the arguments may run code of the program. (What is held is not held for who sleeps.)"""
        return not self._is_asleep(node) and not all(map(is_quiet, arguments))

    def _is_asleep(self, node: ast.Call) -> bool:
        return not self.scope.temporaries and any(isinstance(part, SLEEPING) for part in walk(node))

    def _note_owner(self, node: ast.Call, by_class: bool, late: bool) -> None:
        """`by_class`: it is the first argument. `late`: working out the others may change it."""
        assert isinstance(node.func, ast.Attribute)
        owner = node.args[0] if by_class else node.func.value
        at, marks = location(owner), self._marks(node, owner)
        first: ast.expr
        if not late:
            first = call(placeholder("note_made_again", at), [*marks, owner], at)
        elif isinstance(owner, ast.Name):
            first, again = owner, repeated(owner, at)
        elif self.scope.temporaries:
            name = self.scope.fresh("r")
            first, again = park(name, owner, at), load(name, at)
        else:
            first, again = call(placeholder("hold", at), [owner], at), placeholder("absent", at)
        if by_class:
            node.args[0] = first
        else:
            node.func.value = first
        if late:
            wrap_last(node, lambda last: call(placeholder("note_made_late", at), [*marks, again, last], at))

    def _note_owner_or_first(self, node: ast.Call, late: bool) -> None:
        """The owner may be a class, as in `type(made).__init__(made)`: told when it is called."""
        assert isinstance(node.func, ast.Attribute)
        owner, first = node.func.value, node.args[0]
        at, marks = location(owner), self._marks(node, owner)
        if isinstance(owner, ast.Name):
            again = repeated(owner, at)
        elif self.scope.temporaries:
            name = self.scope.fresh("r")
            node.func.value, again = park(name, owner, at), load(name, at)
        else:
            node.func.value, again = call(placeholder("hold", at), [owner], at), placeholder("absent", at)
        if (
            late
            and len(node.args) + len(node.keywords) > 1
            and (isinstance(first, ast.Name) or self.scope.temporaries)
        ):
            if isinstance(first, ast.Name):
                known = repeated(first, at)
            else:
                name = self.scope.fresh("r")
                node.args[0], known = park(name, first, at), load(name, at)
            made = call(placeholder("made_of", at), [again, known], at)
            wrap_last(node, lambda last: call(placeholder("note_made_late", at), [*marks, made, last], at))
        else:
            node.args[0] = call(placeholder("note_made_of", at), [*marks, again, first], at)

    def _note_met_before(self, node: ast.Call, late: bool) -> None:
        """In `__init__` something was stored before: the `__init__` of a base may store that as well."""
        assert isinstance(node.func, ast.Attribute)
        at = location(node.func.value)
        owner = load(self.scope.self_name, at)
        is_first = self.scope.fresh_end >= (node.lineno, node.col_offset)
        if is_first and self.scope.temporaries and self.no_containers.issuperset(self.scope.bases):
            notes = [self._own_attribute(node, owner, name) for name in sorted(self.scope.fresh_attributes)]
            notes.append(self._own_arguments(node, owner))
            if late:
                self._note_own_late(node, notes)
            else:
                node.func.value = either([*notes, node.func.value], at)
            return
        noted, marks = placeholder("note_made_late", at), self._marks(node, owner)
        if late:
            wrap_last(node, lambda last: call(noted, [*marks, owner, last], at))
        else:
            node.func.value = call(noted, [*marks, owner, node.func.value], at)

    def _own_attribute(self, node: ast.Call, owner: ast.Name, name: str) -> ast.expr:
        """An expression that notes an attribute which was stored just here, and is false."""
        at = point(location(owner))
        mark = self.mark(NAMED, at, where=node, label=f"{self.text(owner)}\t{MADE_AGAIN}")
        kind = kind_of(load(owner.id, at), at)
        given = [load(owner.id, at), constant(name, at)]
        read = call(
            subscript(placeholder(f"attribute:{name}", at), kind, at), [*given, placeholder("absent", at)], at
        )
        return self.event(mark, [*given, read], at)

    def _own_arguments(self, node: ast.Call, owner: ast.Name) -> ast.expr:
        """The same of what an exception has in `args`, where the class is a base of one."""
        at = point(location(owner))
        mark = self.mark(NAMED, at, where=node, label=f"{self.text(owner)}\t{MADE_AGAIN}")
        noted = call(placeholder("note_arguments", at), [mark, load(owner.id, at)], at)
        return both([is_on("filled_mixed", at), noted], at)

    def _note_own_late(self, node: ast.Call, notes: list[ast.expr]) -> None:
        name = self.scope.fresh("a")

        def noted_after(last: ast.expr) -> ast.expr:
            at = location(last)
            known = same(park(name, last, at), placeholder("absent", at), at)
            return either([known, *notes, load(name, at)], at)

        wrap_last(node, noted_after)

    def _note_filled(self, node: ast.Call, late: bool, *, of_super: bool) -> None:
        """Notes what a container or an exception of a class of the program has before `super().__init__(…)` fills it, or
        `Base.__init__(self, …)`; there what a container has is noted as that of any argument."""
        assert isinstance(node.func, ast.Attribute)
        owner = node.func.value if of_super else node.args[0]
        where = location(owner)
        at, marks, made = point(where), self._marks(node, owner), load(self.scope.self_name, where)
        with_others = len(node.args) + len(node.keywords) > 0
        kinds = placeholder(("filled" if with_others else "cleared") if of_super else "exceptions", at)
        is_filled: ast.expr = subscript(kinds, kind_of(made, at), at)
        if self.is_if_mixed(made):
            is_filled = both([is_on("filled_mixed", at), is_filled], at)
        if late:
            again = ast.IfExp(is_filled, made, constant(None, at), **at)
            wrap_last(node, lambda last: call(placeholder("note_made_late", at), [*marks, again, last], at))
            return
        noted = both([is_filled, call(placeholder("note_made", at), [*marks, made], at)], at)
        if of_super:
            node.func.value = either([noted, owner], where)
        else:
            node.args[0] = either([noted, owner], where)

    def _marks(self, node: ast.Call, owner: ast.expr) -> list[ast.Constant]:
        at, text = point(location(owner)), self.text(owner)
        return [
            self.mark(NAMED, at, where=node, label=f"{text}\t{MADE_AGAIN}"),
            self.mark(CONTENT, at, where=node, label=f"{text}\t{MADE_AGAIN}"),
        ]

    def is_if_mixed(self, value: ast.expr) -> bool:
        """Whether it is an object that is a container only where the class around is a base of one, next to others."""
        return is_name(value, self.scope.self_name) and self.no_containers.issuperset(self.scope.bases)


def is_class_called(node: ast.expr) -> bool:
    """Whether an expression reads like the name of a class."""
    name = called_by(node)
    return name in _CONTAINERS or name[:1].isupper()


def _is_super_of(node: ast.expr, own: str) -> bool:
    """Whether it is `super()`, or `super(cls, own)`."""
    if not (isinstance(node, ast.Call) and called_by(node.func) == "super"):
        return False
    return not node.args or is_name(node.args[-1], own)


def filling_kept(nodes: Iterable[Any]) -> frozenset[int]:
    """Of a file: where an `__init__`, or a descriptor's `__set__`, is looked up and not called at once, by the ids of the nodes."""
    nodes = list(nodes)
    kept = {id(node) for node in nodes if type(node) is ast.Attribute and node.attr in _FILLING}
    if kept:
        kept.difference_update(id(node.func) for node in nodes if type(node) is ast.Call)
    return frozenset(kept)


def is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
