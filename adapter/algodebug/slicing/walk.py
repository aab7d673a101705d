"""Following one activation through its source: which expressions were evaluated, from what, decided by what.

The recorded events lead the way: a branch is taken because its block was entered, a call ran the nodes that lie where
it was evaluated. Nothing is guessed; where text and events disagree the activation is *opaque*, and whoever asks about
it has to assume that everything in it depends on everything. Not here: what lies in other activations and in objects,
see `graph`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from algodebug.slicing import raising, sources
from algodebug.slicing.expressions import Expressions
from algodebug.slicing.instances import (
    CONSTANT,
    ENTRY,
    OPERATION,
    PARAMETER,
    PART,
    RAISE,
    RETURN,
    TEST,
    Activation,
    Called,
    Instance,
)
from algodebug.slicing.steps import CHILD, Disagreement, Ended, Jump, Left, Returned, Thrown
from algotrace import marks

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_MOST_SKIPPING = 50  # tests around a jump
_LEAVES = (marks.RETURN, marks.RETURN_NONE, marks.OUTCOME, marks.OUTCOME_NONE)


class Walker(Expressions):
    """Follows one node; `activation` is what came of it."""

    def run(self) -> Activation:
        activation, code = self.activation, self.code
        activation.entry = self.new(ENTRY, code)
        self.control = activation.entry
        item = self.cursor.peek()
        if item is None or item[1] != marks.ENTER or code is None:
            raise Disagreement("it has no beginning")
        self.cursor.take()
        if isinstance(code, (ast.Module, ast.ClassDef)):
            body = code.body
        else:
            self.bind_parameters(code, item[2], item[3])
            body = code.body
        self.function_body(body)
        return activation

    def run_as_inline(self, item: Any, around: Expressions) -> None:
        """A lambda, or a module that is imported: its events are among those of the activation it runs in."""
        self.activation.entry = self.new(ENTRY, self.code)
        self.control = self.activation.entry
        if isinstance(self.code, ast.Lambda):
            self.bind_parameters(self.code, item[2], item[3])
            self.lambda_body(self.code)
        elif isinstance(self.code, (ast.Module, ast.ClassDef)):
            self.function_body(self.code.body)
        else:
            raise Disagreement("a function runs that is no node")
        if isinstance(self.activation.outcome, Instance) and self.activation.outcome.kind == RAISE:
            thrown = around.cursor.peek_mark()
            if thrown is not None and thrown[1] in (marks.HANDLER, marks.RAISE):
                raise Thrown(self.activation.outcome)

    def lambda_body(self, code: ast.Lambda) -> None:
        try:
            value = self.value(code.body, last=True)
        except Thrown as thrown:  # a lambda leaves no mark of its own then
            self.activation.outcome = thrown.instance
            return
        made = self.new(RETURN, None)
        made.copy = value
        item = self.cursor.peek_mark()
        if item is None or item[1] != marks.RETURN or item[2].routine != self.routine:
            made.kind = RAISE
            self.activation.outcome = made
            return
        self.cursor.take_mark()
        if item[3]:
            self.learn(made, item[3][-1])
        self.activation.outcome = made

    def function_body(self, body: list[ast.stmt]) -> None:
        """Runs to the end, whatever that is, and notes the outcome."""
        try:
            self.suite(body)
            self.fall_through()
        except Returned as returned:
            self.activation.outcome = returned.instance
            self.leave()
        except Thrown as thrown:
            self.activation.outcome = thrown.instance
            item = self.cursor.peek()
            if item is not None and item[1] == marks.RAISE:
                self.cursor.take()
                self.leave()
        except Ended:
            pass
        except Left as left:
            raise Disagreement("a loop is left outside of it") from left

    def fall_through(self) -> None:
        item = self.cursor.peek_mark()
        if item is None:
            return  # unfinished
        if item[1] in (marks.RETURN_NONE, marks.OUTCOME_NONE):
            self.cursor.take_mark()
            outcome = self.new(RETURN, None)
            outcome.value = None
            self.activation.outcome = outcome
            self.leave()
        elif item[1] == marks.RAISE:
            self.cursor.take_mark()
            self.activation.outcome = self.thrown(None)
            self.leave()
        else:
            raise Disagreement("events are left over at its end")

    def leave(self) -> None:
        item = self.cursor.peek_mark()
        if item is not None and item[1] == marks.LEAVE and item[2].routine == self.routine:
            self.cursor.take_mark()

    # -- statements --------------------------------------------------------------------------------------------------

    def suite(self, body: Iterable[ast.stmt]) -> None:
        suite, entry = list(body), self.control
        for index, statement in enumerate(suite):
            try:
                self.statement(statement)
            except Jump:
                self.skip(suite[index + 1 :], entry)
                raise

    def skip(self, unrun: list[Any], entry: Instance | None) -> None:
        """Code that would have run, had the tests since `entry` not led out of it."""
        test = self.control
        for _ in range(_MOST_SKIPPING):
            if test is None or test is entry or not unrun:
                break
            if test.kind == TEST:
                self.activation.tests.append((test, unrun))
            test = test.control

    def statement(self, node: ast.stmt) -> None:
        outer, self.statement_start = self.statement_start, len(self.activation.instances)
        method: Callable[[Any], None] | None = getattr(self, "_" + type(node).__name__, None)
        if method is None:
            raise Disagreement(f"statement {type(node).__name__}")
        method(node)
        self.statement_start = outer

    def _Pass(self, node: ast.stmt) -> None:
        return

    _Global = _Nonlocal = _TypeAlias = _Pass

    def _Import(self, node: ast.stmt) -> None:
        """What is imported may be recorded too, and run here."""
        imported = self.new(OPERATION, node)
        while (item := self.cursor.peek()) is not None and item[1] == marks.ENTER:
            self.run_inline(imported)
        self.commit(node)
        for alias in node.names:  # type: ignore[attr-defined]
            name = (alias.asname or alias.name).partition(".")[0]
            if name != "*":
                self.bind(name, imported, node)

    _ImportFrom = _Import

    def _Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        self.dropped = True
        try:
            self.value(node.value, last=True)
        finally:
            self.dropped = False
        self.commit(node)

    def _Return(self, node: ast.Return) -> None:
        value = None if node.value is None else self.value(node.value, last=True)
        self.commit(node)
        made = self.new(RETURN, node)
        made.copy = value
        if value is None:
            made.value = None
        item = self.cursor.peek_mark()
        if item is None or item[1] not in _LEAVES:
            raise Disagreement("no return")
        self.cursor.take_mark()
        if item[1] in (marks.RETURN, marks.OUTCOME) and item[3]:
            self.learn(made, item[3][-1])
        raise Returned(made)

    def _Raise(self, node: ast.Raise) -> None:
        made = self.new(RAISE, node)
        for part in (node.exc, node.cause):
            if part is not None:
                made.deep.append(self.value(part))
        if node.exc is None and self.handling:
            made.copy = self.handling[-1]
        raise Thrown(made)

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
        self.commit(node)
        item = self.cursor.peek_mark()
        if self.is_throw(item) and self.within(item, node):
            made = self.new(RAISE, node)
            made.uses.append(test)
            raise Thrown(made)
        self.control = test

    def _Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.environment.pop(target.id, None)
                self.take_name_mark(target.id)
            else:
                self.delete(target)
        self.commit(node)

    def _Assign(self, node: ast.Assign) -> None:
        stored: list[tuple[ast.Name, Instance]] = []
        plain = all(map(_is_plain_target, node.targets))
        value = self.value(node.value, last=plain)
        self.commit(node)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.take_name_mark(target.id, value)
        for target in node.targets:
            self.assign(target, value, stored)
        self.commit(node)
        self.take_stored(stored)

    def _AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is None:
            return
        value = self.value(node.value, last=isinstance(node.target, ast.Name))
        self.commit(node)
        stored: list[tuple[ast.Name, Instance]] = []
        self.assign(node.target, value, stored)
        self.take_stored(stored)

    def _AugAssign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            before = self.load_name(target.id, target, read=False)
            right = self.value(node.value)
            made = self.operation_of(node, [before, right])
            self.take_in_place(node, made, before, right)
            self.run_others(made)
            self.commit(node)
            self.take_name_mark(target.id, made)
            stored: list[tuple[ast.Name, Instance]] = []
            self.assign(target, made, stored)
            self.take_stored(stored)
            return
        base = self.value(target.value)
        if isinstance(target, ast.Attribute):
            before = self.read_attribute(target, base)
            key = None
        else:
            key = self.value(target.slice)
            before = self.read_item(target, base, key, claim=False)
        right = self.value(node.value)
        made = self.operation_of(node, [before, right])
        self.take_in_place(node, made, before, right)
        self.run_others(made)
        self.commit(node)
        self.store_part(target, base, key, made)

    def _FunctionDef(self, node: Any) -> None:
        made = self.new(OPERATION, node)
        made.uses += [self.value(part) for part in node.decorator_list]
        made.deep += [self.value(part) for part in node.args.defaults]
        made.deep += [self.value(part) for part in node.args.kw_defaults if part is not None]
        made.detail = node
        self.run_defined(made, node)
        self.commit(node)
        self.bind(node.name, made, node, slot=True)

    _AsyncFunctionDef = _FunctionDef

    def _ClassDef(self, node: ast.ClassDef) -> None:
        made = self.new(OPERATION, node)
        made.uses += [self.value(part) for part in node.decorator_list]
        made.uses += [self.value(part) for part in node.bases]
        made.uses += [self.value(part.value) for part in node.keywords]
        self.run_defined(made, node)
        numbers = self.blocks.get(("class", self.place(node)), ())
        item = self.cursor.peek()
        if item is not None and item[1] == marks.BLOCK and item[2].block in numbers:
            self.cursor.take()
            outer, self.class_names = self.class_names, {}
            body = node.body[1:] if _is_text(node.body[0]) else node.body
            self.suite(body)
            made.deep += self.class_names.values()
            self.class_names = outer
        self.run_defined(made, node)
        self.commit(node)
        self.bind(node.name, made, node, slot=True)

    def _If(self, node: ast.If) -> None:
        value = self.value(node.test)
        self.commit(node.test)
        outer = self.control
        taken = self.branch_taken("arm", node, 1 + bool(node.orelse))
        body = node.body if taken == 0 else node.orelse if taken == 1 else []
        unrun = [*node.orelse] if taken == 0 else [*node.body]
        self.control = self.test(node.test, value, unrun)
        self.suite(body)
        if not sources.exits([*node.body, *node.orelse]):
            self.control = outer

    def branch_taken(self, kind: str, node: ast.AST, arms: int) -> int:
        """Which of the blocks of a statement is entered now; -1 for none."""
        item = self.cursor.peek()
        if item is None or item[1] != marks.BLOCK:
            if arms > 1 and item is not None:
                raise Disagreement("no branch is taken")
            return -1
        numbers = self.blocks.get((kind, self.place(node)), [])
        if item[2].block in numbers:
            self.cursor.take()
            return numbers.index(item[2].block)
        if arms > 1:
            raise Disagreement("another branch is taken")
        return -1

    def _While(self, node: ast.While) -> None:
        outer = self.control
        left = sources.exits(node.body)
        loop = self.block_of("loop", node)
        broken = False
        while True:
            self.statement_start = len(self.activation.instances)
            item = self.cursor.peek()
            if (
                item is not None
                and item[1] == marks.BLOCK
                and item[2].block in self.blocks.get(("test", self.place(node.test)), ())
            ):
                self.cursor.take()
            value = self.value(node.test)
            self.commit(node.test)
            if not self.at_block(loop):
                if self.cursor.peek() is not None and _always(node.test):
                    raise Disagreement("an endless loop ends")
                self.control = self.test(node.test, value, [node.test, *node.body])
                break
            self.cursor.take()
            test = self.control = self.test(node.test, value, node.orelse)
            try:
                self.suite(node.body)
            except Left as jump:
                if jump.kind == sources.BREAK:
                    self.skip([*node.body, *node.orelse], test)
                    broken = True
                    break
            if not left - {sources.CONTINUE}:
                self.control = test
        self.loop_else(node, broken)
        if not left & {sources.RETURN, sources.RAISE} and not (node.orelse and sources.exits(node.orelse)):
            self.control = outer

    def loop_else(self, node: Any, broken: bool) -> None:
        if node.orelse and not broken:
            if not self.at_block(self.block_of("arm", node)):
                raise Disagreement("the loop's else did not run")
            self.cursor.take()
            self.suite(node.orelse)

    def _For(self, node: Any) -> None:
        outer = self.control
        iterable = self.value(node.iter, last=True, iterated=True)
        left = sources.exits(node.body)
        loop = self.block_of("loop", node)
        broken = False
        index = 0
        while True:
            self.statement_start = len(self.activation.instances)
            part = self.new(PART, node.target)
            part.uses.append(iterable)
            part.detail = index
            self.run_iteration(part, iterable, loop)
            going_on = self.at_block(loop)
            test = self.new(TEST, node.iter)
            test.shape.append(iterable)
            test.uses += part.shape  # what a `__next__` of the program gave
            part.shape = []
            self.activation.tests.append((test, node.orelse if going_on else node.body))
            if not going_on:
                self.commit(node.iter)
                self.control = test
                break
            self.control = part.control = test
            self.cursor.take()
            stored: list[tuple[ast.Name, Instance]] = []
            self.assign(node.target, part, stored)
            self.take_stored(stored)
            try:
                self.suite(node.body)
            except Left as jump:
                if jump.kind == sources.BREAK:
                    self.skip([*node.body, *node.orelse], test)
                    broken = True
                    break
            if not left - {sources.CONTINUE}:
                self.control = test
            index += 1
            self.skip_delegate()
        self.loop_else(node, broken)
        if not left & {sources.RETURN, sources.RAISE} and not (node.orelse and sources.exits(node.orelse)):
            self.control = outer

    _AsyncFor = _For

    def skip_delegate(self) -> None:
        """An `async for` says again that it waits."""
        item = self.cursor.peek_mark()
        if item is not None and item[1] == marks.DELEGATE and item[2].at is None:
            self.cursor.take_mark()

    def _Break(self, node: ast.stmt) -> None:
        self.activation.jumps.append((node, self.control))
        raise Left(sources.BREAK)

    def _Continue(self, node: ast.stmt) -> None:
        self.activation.jumps.append((node, self.control))
        self.skip_delegate()
        raise Left(sources.CONTINUE)

    def _With(self, node: Any) -> None:
        entered: list[tuple[ast.withitem, Instance]] = []
        self.skip_delegate()
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
        try:
            self.suite(node.body)
        except Jump as jump:
            left = jump
        item_ = self.cursor.peek_mark()
        if item_ is not None and item_[1] == marks.BLOCK_END and item_[2].block == block:
            self.cursor.take_mark()
        self.skip_delegate()
        closing = self.new(OPERATION, None)
        closing.uses += [made for _, made in entered]
        self.run_managers(closing)
        item_ = self.cursor.peek_mark()
        if item_ is not None and item_[1] == marks.BLOCK_END and item_[2].label == "after":
            self.cursor.take_mark()
            if isinstance(left, Thrown):
                self.control = self.test_of_exception(node, left.instance, node.body)
                return  # it was swallowed
        if left is not None:
            raise left

    _AsyncWith = _With

    def run_managers(self, made: Instance) -> None:
        """`__enter__` and `__exit__` of the program, or the generator behind a `contextmanager`."""
        while (item := self.cursor.peek()) is not None and item[1] == CHILD:
            name = self.routine_name(item[2])
            if item[2] not in self.trace.segments and name not in (
                "__enter__",
                "__exit__",
                "__aenter__",
                "__aexit__",
                "close",
            ):
                break
            self.cursor.take()
            self.called_by(made, item[2])

    def _Try(self, node: Any) -> None:
        if not self.at_block(self.block_of("try", node)):
            raise Disagreement("no try body")
        self.cursor.take()
        outer = self.control
        start = len(self.activation.instances)
        left: Jump | None = None
        handlers = self.blocks.get(("handler", self.place(node)), [])
        try:
            self.suite(node.body)
            item = self.cursor.peek_mark()
            if item is not None and item[1] == marks.HANDLER and item[2].block in handlers:
                left = Thrown(self.thrown(node))
        except Jump as jump:
            left = jump
        if left is None and node.handlers:
            self.note_handlers(node, start, outer)
        try:
            if left is None and node.orelse:
                if not self.at_block(self.block_of("arm", node)):
                    raise Disagreement("the else of a try did not run")
                self.cursor.take()
                self.suite(node.orelse)
            if isinstance(left, Thrown):
                left = self.handle(node, left, handlers)
        except Jump as jump:
            left = jump
        if node.finalbody:
            if not self.at_block(self.block_of("finally", node)):
                raise Disagreement("the finally did not run")
            self.cursor.take()
            inner = self.control
            self.suite(node.finalbody)
            self.control = inner
        if left is not None:
            raise left
        if not sources.exits([*node.body, *node.orelse, *(s for h in node.handlers for s in h.body)]):
            self.control = outer

    _TryStar = _Try

    def note_handlers(self, node: Any, start: int, outer: Instance | None) -> None:
        """The body ran to its end: what was evaluated in it kept the handlers from running."""
        names = raising.caught(node.handlers)
        body = [made for made in self.activation.instances[start:] if raising.could_raise(made, names)]
        unrun = [statement for handler in node.handlers for statement in handler.body]
        test = self.new(TEST, None)
        test.uses += body
        called = [n for made in body if isinstance(made.detail, Called) for n in made.detail.nodes]
        test.detail = (names, called)
        self.activation.tests.append((test, unrun))
        if sources.exits(unrun):
            self.control = test

    def handle(self, node: Any, thrown: Thrown, handlers: list[int]) -> Jump | None:
        """Runs the except clause that caught it; returns how it was left, or the exception that none caught."""
        item = self.cursor.peek_mark()
        if item is None or item[1] not in (marks.HANDLER, marks.BLOCK) or item[2].block not in handlers:
            return thrown
        self.cursor.take_mark()
        handler = node.handlers[handlers.index(item[2].block)]
        unrun = [*node.body, *node.orelse]
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

    def _Match(self, node: Any) -> None:
        subject = self.value(node.subject)
        self.commit(node.subject)
        outer = self.control
        self.run_operators()
        taken = self.branch_taken("arm", node, 1)
        test = self.new(TEST, node.subject)
        test.deep.append(subject)
        last = taken if taken >= 0 else len(node.cases) - 1
        for case in node.cases[: last + 1]:
            for part in [case.pattern, *([case.guard] if case.guard is not None else [])]:
                test.deep.append(self.lump(part, subject))
        unrun = [s for n, case in enumerate(node.cases) if n != taken for s in case.body]
        self.activation.tests.append((test, unrun))
        self.control = test
        if taken >= 0:
            case = node.cases[taken]
            self.bind_pattern(case.pattern, subject)
            self.suite(case.body)
        if not sources.exits([s for case in node.cases for s in case.body]):
            self.control = outer

    # -- exceptions --------------------------------------------------------------------------------------------------

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


def _is_plain_target(target: ast.expr) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(map(_is_plain_target, target.elts))
    return isinstance(target, ast.Name) or (
        isinstance(target, ast.Starred) and _is_plain_target(target.value)
    )


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _always(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def follow(graph: Graph, node: int) -> Activation:
    """Follows a node; an activation that could not be followed says so in `failed`."""
    walker = Walker(graph, node)
    try:
        return walker.run()
    except Disagreement as disagreement:
        reason = str(disagreement)
    except (Jump, RecursionError) as error:
        reason = type(error).__name__
    failed = Activation(node, graph.trace.routine[node], walker.activation.source)
    failed.failed = f"{reason} near line {walker.last_line()}"
    failed.entry = Instance(failed, ENTRY, None, graph.trace.start[node], 0, None)
    failed.instances.append(failed.entry)
    return failed
