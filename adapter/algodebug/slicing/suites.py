"""Suites of statements, and how they are cut short."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from algodebug.slicing import sources
from algodebug.slicing.expressions import Expressions
from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    CHOICE,
    CONSTANT,
    ENTRY,
    ITEM,
    LIBRARY,
    OPERATION,
    PARAMETER,
    RAISE,
    SLICED,
    TEST,
    Instance,
)
from algodebug.slicing.steps import CHILD, Disagreement, Jump, Thrown
from algotrace import marks

_MOST_SKIPPING = 50  # tests around a jump
_MOST_THROWING = 200  # evaluations that an exception may come from
_BINDING = frozenset({"__setitem__", "__delitem__"})
_NOT_THROWING = frozenset({CONSTANT, TEST, ENTRY, PARAMETER})
_FAILING = frozenset({ITEM, ATTRIBUTE, OPERATION, LIBRARY, SLICED})


class Suites(Expressions):
    """One statement after the other, until one jumps or raises."""

    def suite(self, body: Iterable[ast.stmt]) -> None:
        suite, entry = list(body), self.control
        for index, statement in enumerate(suite):
            start = len(self.activation.instances)
            try:
                self.statement(statement)
                if self.caught is not None and index + 1 < len(suite):
                    self.went_well(start)
            except Jump as jump:
                again = [statement] if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)) else []
                if isinstance(jump, Thrown):
                    if jump.unrun is None:
                        jump.unrun = self.unfinished(statement, jump.instance)
                    jump.unrun += [*again, *suite[index + 1 :]]
                self.skip([*again, *suite[index + 1 :]], entry)
                raise

    def went_well(self, start: int) -> None:
        """What follows ran because nothing of a statement raised what is caught."""
        assert self.caught is not None
        made = self.raising_since(start, self.caught)
        if made is not None:
            made.control, self.control = self.control, made

    def statement(self, node: ast.stmt) -> None:
        self.graph.step_on()
        outer, self.statement_start = self.statement_start, len(self.activation.instances)
        around, self.statement_node = self.statement_node, node
        method: Callable[[Any], None] | None = getattr(self, "_" + type(node).__name__, None)
        if method is None:
            raise Disagreement(f"statement {type(node).__name__}")
        try:
            self.run_namespace()
            method(node)
            self.run_namespace()
        finally:
            self.let_go()
        self.statement_start, self.statement_node = outer, around

    def run_namespace(self) -> None:
        """Methods of the namespace that a metaclass made for the body of a class: they are given what is bound there."""
        if self.class_names is None and not isinstance(self.code, ast.ClassDef):
            return
        while (item := self.cursor.peek()) is not None and item[1] == CHILD:
            if self.special_name(item[2], _BINDING) not in _BINDING:
                break
            self.cursor.take()
            stored = self.activation.instances[-1:]
            given = self.new(OPERATION, None)
            given.deep += stored
            self.called_by(given, item[2])

    def let_go(self) -> None:
        """Generators that ended because nobody held them any more ran because of nothing in the text."""
        for child in self.cursor.closed:
            self.called_by(self.new(OPERATION, None), child)
        self.cursor.closed.clear()

    def skip(self, unrun: list[Any], entry: Instance | None) -> None:
        """Code that would have run, had the tests since `entry` not led out of it."""
        test = self.control
        for _ in range(_MOST_SKIPPING):
            if test is None or test is entry or not unrun:
                break
            if test.kind == TEST:
                self.activation.tests.append((test, unrun))
            test = test.control

    def commit(self, node: ast.AST) -> None:
        """Before what a statement does takes effect: was it cut short by an exception?"""
        item = self.coming()
        if (self.is_throw(item) and self.within(item, node)) or self.is_cut(item, node):
            self.throw(node)

    def is_cut(self, item: Any, node: ast.AST) -> bool:
        """Whether the manager of a `with` comes next, where something was to be stored."""
        stores = isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign))
        return stores and item is not None and item[1] == CHILD and self.is_left(item)

    def commit_value(self, node: ast.AST, targets: list[ast.expr]) -> None:
        """The same before anything is stored. Where a store failed, the targets before it have got what is theirs."""
        item = self.coming()
        if self.is_throw(item) and self.within(item, node):
            refused = next((each for each in _parts_stored_to(targets) if self.within(item, each)), None)
            if refused is None:
                self.throw(node)
            self.refused = refused, node
        elif self.is_cut(item, node):
            self.throw(node)

    def is_throw(self, item: Any) -> bool:
        return item is not None and (item[1] == marks.HANDLER or item[1] == marks.RAISE)

    def within(self, item: Any, node: ast.AST) -> bool:
        position = self.cursor.position(item)
        if position is None:
            return False
        first_line, first, last_line, last = self.place(node)
        line, column = position
        if not first_line <= line <= last_line:
            return False
        if column >= 1 << 29:  # only the line is known
            return True
        return (first_line, first) <= (line, column) <= (last_line, last)

    def throw(self, node: ast.AST | None) -> NoReturn:
        raise Thrown(self.thrown(node))

    def thrown(self, node: ast.AST | None) -> Instance:
        """An exception that came from somewhere in the statement under way: from what failed, if the trace tells."""
        parts = [
            made
            for made in self.activation.instances[self.statement_start :]
            if made.kind not in _NOT_THROWING
        ][-_MOST_THROWING:]
        made = self.new(RAISE, node)
        failed = self._failed(parts)
        if failed is not None:
            made.uses.append(failed)
            made.shape += [*failed.uses, *failed.deep]
            if self.graph.is_new(failed):  # which object it would have given tells nothing
                made.deep.append(failed)
            self.raised_by(failed, made)
        else:
            made.shape += parts
        return made

    def unsure(self, start: int, before: dict[str, Instance]) -> Instance:
        """An exception that was swallowed may have come from anywhere since an instance: what was bound since may not be."""
        parts = [made for made in self.activation.instances[start:] if made.kind not in _NOT_THROWING]
        thrown = self.new(RAISE, None)
        thrown.shape += parts[-_MOST_THROWING:]
        for name, bound in list(self.environment.items()):
            if bound is not before.get(name):
                either = self.new(OPERATION, None)
                either.uses = [thrown]
                either.deep = [bound, *([before[name]] if name in before else [])]
                self.bind(name, either, None)
        return thrown

    def _failed(self, parts: list[Instance]) -> Instance | None:
        """The evaluation that ends where the exception came from."""
        item = self.coming()
        position = self.cursor.position(item) if item is not None and self.is_throw(item) else None
        if position is None:
            return None
        for made in reversed(parts):
            node = made.node
            if made.kind in _FAILING and isinstance(node, ast.expr) and self.place(node)[2:] == position:
                return made if isinstance(getattr(node, "ctx", None), (ast.Load, type(None))) else None
        return None

    def unfinished(self, statement: ast.stmt, thrown: Instance) -> list[Any]:
        """Of a statement that was cut short: what it would still have bound, stored, called."""
        finished = set()
        last = None
        failed = thrown.copy or (thrown.uses[0] if thrown.uses else None)
        end = None if failed is None or failed.activation is not self.activation else failed.order + 1
        for made in self.activation.instances[self.statement_start : end]:
            if made.kind in (CALL, LIBRARY, CHOICE) and isinstance(made.node, ast.Call):
                finished.add(id(made.node))
                if made.kind == LIBRARY:
                    last = id(made.node)
        finished.discard(id(failed.node) if failed is not None else last)
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)):
            return _left_of(statement, finished)
        return [statement]


def _left_of(statement: ast.stmt, finished: set[int]) -> list[Any]:
    """A statement but for the calls that were finished."""
    left: list[Any] = []
    for node in sources.own_parts(statement):
        if isinstance(node, ast.Call):
            if id(node) not in finished:
                left.append(node)
        elif isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and not isinstance(
            node.ctx, ast.Load
        ):
            left.append(node)
    return [statement] if isinstance(statement, ast.AugAssign) else left


def _parts_stored_to(targets: Iterable[ast.expr]) -> Iterator[ast.expr]:
    """Attributes and items among targets, in the order in which they are stored to."""
    for target in targets:
        if isinstance(target, (ast.Attribute, ast.Subscript)):
            yield target
        elif isinstance(target, (ast.Tuple, ast.List)):
            yield from _parts_stored_to(target.elts)
        elif isinstance(target, ast.Starred):
            yield from _parts_stored_to([target.value])
