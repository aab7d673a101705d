"""`raise`, `assert`, `try`, `with`: where exceptions come from, and who caught them."""

from __future__ import annotations

import ast
from typing import Any

from algodebug.slicing import sources
from algodebug.slicing.instances import LIBRARY, OPERATION, RAISE, TEST, Called, Instance
from algodebug.slicing.steps import CHILD, Disagreement, Jump, Returned, Thrown
from algodebug.slicing.suites import Suites
from algotrace import marks

_MAKING = frozenset({"__init__", "__new__"})


class Trying(Suites):
    """Statements about exceptions."""

    def _Raise(self, node: ast.Raise) -> None:
        raised = None if node.exc is None else self.raised(node.exc)
        cause = None if node.cause is None else self.value(node.cause)
        made = self.new(RAISE, node)
        made.copy = self.handling[-1] if raised is None and self.handling else raised
        made.deep = [] if cause is None else [cause]
        raise Thrown(made)

    def raised(self, node: ast.expr) -> Instance:
        """The exception that is raised: of a class one that is made now."""
        value = self.value(node)
        item = self.cursor.peek()
        is_made = item is not None and item[1] == CHILD and self.routine_name(item[2]) in _MAKING
        if not is_made and self.graph.kind_of(value) != "class":
            return value
        made = self.new(LIBRARY, node)
        made.detail = Called(value, sources.last_name(node))
        self.run_call(made, greedy=True, iterated=False)
        self.settle(made)
        return made

    def _Assert(self, node: ast.Assert) -> None:
        value = self.value(node.test)
        test = self.test(node.test, value, [])
        if node.msg is not None and self.at_arm(node.msg):
            self.cursor.take()
            self.control = test
            self.value(node.msg)
            made = self.new(RAISE, node)
            made.uses.append(test)
            raise Thrown(made)
        item = self.coming()
        if self.is_throw(item) and self.within(item, node):
            made = self.new(RAISE, node)
            made.uses.append(test)
            raise Thrown(made)
        self.control = test

    def _Try(self, node: Any) -> None:
        if not self.at_block(self.block_of("try", node)):
            raise Disagreement("no try body")
        self.cursor.take()
        outer = self.control
        start, before = len(self.activation.instances), dict(self.environment)
        left: Jump | None = None
        handlers = self.blocks.get(("handler", self.place(node)), [])
        names = self.names_caught(node)
        outside, self.caught = self.caught, _with(self.caught, names)
        outside_here, self.caught_here = self.caught_here, _with(self.caught_here, names)
        try:
            self.suite(node.body)
            item = self.cursor.peek_mark()
            if item is not None and item[1] == marks.HANDLER and item[2].block in handlers:
                left = Thrown(self.thrown(node))
        except Jump as jump:
            left = jump
        finally:
            self.caught, self.caught_here = outside, outside_here
        kept: Instance | None = None
        if node.handlers and not isinstance(left, Thrown):
            kept = self.note_handlers(node, start, left is None)
        try:
            if left is None and node.orelse:
                if not self.at_block(self.block_of("arm", node)):
                    raise Disagreement("the else of a try did not run")
                self.cursor.take()
                self.control = self.raising_since(start, sources.caught(node.handlers)) or self.control
                self.suite(node.orelse)
            if isinstance(left, Thrown):
                left = self.handle_parts(node, left, handlers)
        except Jump as jump:
            left = jump
        if node.finalbody:
            if not self.at_block(self.block_of("finally", node)):
                raise Disagreement("the finally did not run")
            self.cursor.take()
            may_leave = bool(sources.exits(node.finalbody))
            if may_leave:
                if left is None or (isinstance(left, Thrown) and _came_from_anywhere(left.instance)):
                    self.unsure(start, before)
                self.control = self.raising_since(start, frozenset()) or self.control
            inner = self.control
            self.suite(node.finalbody)
            if not may_leave:
                self.control = inner
            if may_leave and isinstance(left, (Returned, Thrown)):
                left.instance = self.still(left.instance)
        if left is not None:
            if kept is not None and not isinstance(left, Thrown):
                self.control = kept  # what follows would have run, too
            raise left
        handled = (statement for handler in node.handlers for statement in handler.body)
        if not sources.exits([*node.body, *node.orelse, *handled, *node.finalbody]):
            self.control = outer

    _TryStar = _Try

    def still(self, outcome: Instance) -> Instance:
        """What was returned or raised, as a `finally` that could have been left otherwise was not."""
        made = self.new(outcome.kind, None)
        made.copy = outcome
        made.number, made.value = outcome.number, outcome.value
        return made

    def names_caught(self, node: Any) -> frozenset[str] | None:
        """The names of exceptions that are caught by the handlers of a `try`; empty for any, None for none."""
        names = [sources.caught(node.handlers)] if node.handlers else []
        if sources.exits(node.finalbody):
            names.append(frozenset())
        return sources.either(names)

    def note_handlers(self, node: Any, start: int, goes_on: bool) -> Instance | None:
        """The body ran to its end, or was left by a jump: what was evaluated in it kept the handlers from running.

        The test of that, where a jump left the function (or loop) that some handler would not have left.
        """
        names = sources.caught(node.handlers)
        unrun = [statement for handler in node.handlers for statement in handler.body]
        test = self.raising_since(start, names)
        if test is None:
            return None
        self.activation.tests.append((test, unrun))
        if goes_on and sources.exits(unrun):
            self.control = test
        stays = any(not isinstance(handler.body[-1], (ast.Return, ast.Raise)) for handler in node.handlers)
        return test if stays and not goes_on else None

    def handle_parts(self, node: Any, thrown: Thrown, handlers: list[int]) -> Jump | None:
        """… of `except*` all clauses that caught a part of it; what none did goes on."""
        left = self.handle(node, thrown, handlers)
        if left is not None or isinstance(node, ast.Try):
            return left
        while (item := self.cursor.peek_mark()) is not None and item[1] == marks.BLOCK:
            if item[2].block not in handlers:
                break
            left = self.handle(node, thrown, handlers)
        item = self.coming()
        return thrown if self.is_throw(item) and self.within(item, node) else left

    def handle(self, node: Any, thrown: Thrown, handlers: list[int]) -> Jump | None:
        """Runs the except clause that caught it; returns how it was left, or the exception that none caught."""
        item = self.cursor.peek_mark()
        if item is None or item[1] not in (marks.HANDLER, marks.BLOCK) or item[2].block not in handlers:
            return thrown
        self.cursor.take_mark()
        handler = node.handlers[handlers.index(item[2].block)]
        unrun = [*(node.body if thrown.unrun is None else thrown.unrun), *node.orelse]
        self.control = self.test_of_exception(node, thrown.instance, unrun)
        caught = self.new(OPERATION, handler)
        caught.copy = thrown.instance
        if handler.type is not None:
            caught.uses.append(self.lump(handler.type))
        if handler.name:
            self.bind(handler.name, caught, handler)
        self.handling.append(thrown.instance)
        try:
            self.suite(handler.body)
        finally:
            self.handling.pop()
        return None

    def test_of_exception(self, node: ast.AST, instance: Instance, unrun: list[ast.stmt]) -> Instance:
        test = self.new(TEST, None)
        test.copy = instance
        self.activation.tests.append((test, unrun))
        return test

    def _With(self, node: Any) -> None:
        entered: list[tuple[ast.withitem, Instance]] = []
        for item in node.items:
            manager = self.value(item.context_expr)
            made = self.new(OPERATION, item.context_expr)
            made.deep.append(manager)
            self.run_managers(made)
            entered.append((item, made))
        block = self.block_of("with", node)
        if not self.at_block(block):
            self.commit(node)
            raise Disagreement("no with body")
        self.cursor.take()
        stored: list[tuple[ast.Name, Instance]] = []
        for item, made in entered:
            if item.optional_vars is not None:
                self.assign(item.optional_vars, made, stored)
        self.take_stored(stored)
        left: Jump | None = None
        start, outside, swallowed = len(self.activation.instances), self.caught, self.files.swallowed(node)
        before, is_over = dict(self.environment), False
        self.caught = _with(outside, swallowed)
        outside_here, self.caught_here = self.caught_here, _with(self.caught_here, swallowed)
        ran_in = self.activation.ran_in
        self.managed.append({child for _, made in entered for child in ran_in.get(made.order, ())})
        try:
            self.suite(node.body)
        except Jump as jump:
            left = jump
        finally:
            self.caught, self.caught_here = outside, outside_here
            self.managed.pop()
        item_ = self.cursor.peek_mark()
        if item_ is not None and item_[1] == marks.BLOCK_END and item_[2].block == block:
            self.cursor.take_mark()
            is_over = True
        closing = self.new(OPERATION, None)
        closing.uses += [made for _, made in entered]
        since = self.cursor.now
        self.run_managers(closing, self.handed_over(node))
        item_ = self.cursor.peek_mark()
        if item_ is not None and item_[1] == marks.BLOCK_END and item_[2].label == "after":
            self.cursor.take_mark()
            if isinstance(node, ast.AsyncWith):
                for child in self.awaited_between(since, self.cursor.now):
                    if child not in ran_in.get(closing.order, ()):
                        self.called_by(closing, child)  # of a library that slept meanwhile
            if not is_over and left is None:
                left = Thrown(self.unsure(start, before))
            elif isinstance(left, Thrown) and _came_from_anywhere(left.instance):
                left.instance = self.unsure(start, before)
            if isinstance(left, Thrown):
                raising = self.raising_since(start, swallowed or frozenset())
                unrun = node.body if left.unrun is None else left.unrun
                self.control = self.test_of_exception(node, left.instance, unrun)
                self.control.uses += [closing] if raising is None else [closing, raising]
                return  # it was swallowed
        if isinstance(left, Thrown) and closing.order in ran_in:
            left.instance = self.still(left.instance)
            left.instance.detail = closing  # which could have swallowed it
        if left is not None:
            if swallowed is not None and not isinstance(left, Thrown):
                self.control = self.raising_since(start, swallowed) or self.control
            raise left

    _AsyncWith = _With

    def handed_over(self, node: Any) -> frozenset[str]:
        """Functions that an `ExitStack` may have been given, to call them in the end."""
        managers = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
        if not any("Stack" in sources.last_name(manager.func) for manager in managers):
            return frozenset()
        return frozenset(
            sources.last_name(part)
            for statement in node.body
            for call in self.files.parts(statement)
            if isinstance(call, ast.Call)
            for part in sources.given(call)
        )


def _with(outside: frozenset[str] | None, names: frozenset[str] | None) -> frozenset[str] | None:
    """What is caught further out, and some more."""
    return sources.either(each for each in (names, outside) if each is not None)


def _came_from_anywhere(thrown: Instance) -> bool:
    """Whether no event tells what an exception came from."""
    return thrown.copy is None and not thrown.deep and not isinstance(thrown.node, (ast.Raise, ast.Assert))
