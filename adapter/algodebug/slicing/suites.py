"""Suites of statements, and how they are cut short."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from algodebug.slicing.expressions import Expressions
from algodebug.slicing.instances import CONSTANT, ENTRY, PARAMETER, RAISE, TEST, Instance
from algodebug.slicing.steps import Disagreement, Jump, Thrown
from algotrace import marks

_MOST_SKIPPING = 50  # tests around a jump


class Suites(Expressions):
    """One statement after the other, until one jumps or raises."""

    def suite(self, body: Iterable[ast.stmt]) -> None:
        suite, entry = list(body), self.control
        for index, statement in enumerate(suite):
            try:
                self.statement(statement)
            except Jump:
                self.skip(suite[index + 1 :], entry)
                raise

    def statement(self, node: ast.stmt) -> None:
        outer, self.statement_start = self.statement_start, len(self.activation.instances)
        method: Callable[[Any], None] | None = getattr(self, "_" + type(node).__name__, None)
        if method is None:
            raise Disagreement(f"statement {type(node).__name__}")
        method(node)
        self.statement_start = outer

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
        item = self.cursor.peek_mark()
        if self.is_throw(item) and self.within(item, node):
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
        """An exception that came from somewhere in the statement under way: from all that it evaluated."""
        parts = [
            made
            for made in self.activation.instances[self.statement_start :]
            if made.kind not in (CONSTANT, TEST, ENTRY, PARAMETER)
        ]
        made = self.new(RAISE, node)
        made.deep += parts[-200:]
        return made

    def skip_delegate(self) -> None:
        """An `async for` says again that it waits."""
        item = self.cursor.peek_mark()
        if item is not None and item[1] == marks.DELEGATE and item[2].at is None:
            self.cursor.take_mark()
