"""Rewriting of what may sleep: `yield` and `await`, `async for` and `async with`, asynchronous comprehensions.

Before, the activation says for whom it waits, and after that it is awake again; else who calls whom could not be told when
tasks take turns (see `index`). Where there are no temporaries, hooks leave these events, see `sleeping`.
"""

from __future__ import annotations

import ast
import sys
from typing import Any

from algotrace.instrument_bound import SLEEPING
from algotrace.instrument_calls import Calls
from algotrace.marks import DELEGATE, ENTERING, RESUME, YIELD
from algotrace.syntax import (
    NOWHERE, Function, Location, assign, attribute, call, constant, either, expression_statement, is_repeatable, load, location, park, placeholder, point, same, subscript, tuple_of,
)  # fmt: skip
from algotrace.places import thread_stream


def may_sleep(node: ast.AST) -> bool:
    """Whether evaluating it may; not what is in it."""
    return isinstance(node, (*SLEEPING, ast.AsyncFor, ast.AsyncWith)) or (
        isinstance(node, ast.comprehension) and bool(node.is_async)
    )


_MOST_BLOCKS = (
    12  # CPython takes 20 (CO_MAXBLOCKS); before that the compiler of 3.12 crashes where some of them sleep
)


def blocks_of(node: ast.AST) -> int:
    """As how many of the statements that may stand in each other Python counts one."""
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return len(node.items)
    if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
        return 1
    if isinstance(node, ast.Try):
        return bool(node.finalbody) + (2 if node.handlers else 0)
    return 2 if isinstance(node, getattr(ast, "TryStar", ())) else 0


def _height(node: ast.AST) -> int:
    """How many there are in each other."""
    if isinstance(node, (*Function, ast.ClassDef, ast.expr)):
        return 0
    return blocks_of(node) + max(map(_height, ast.iter_child_nodes(node)), default=0)


class Sleeping(Calls):
    def _Yield(self, node: ast.Yield) -> ast.expr:
        return self._sleep(node, YIELD)

    def _YieldFrom(self, node: ast.YieldFrom) -> ast.expr:
        return self._sleep(node, DELEGATE)

    def _Await(self, node: ast.Await) -> ast.expr:
        return self._sleep(node, DELEGATE)

    def _sleep(self, node: Any, mark_kind: int) -> ast.expr:
        """`yield v`, `yield from x`, `await x` with a mark before, and one after that names the activation again."""
        at = location(node)
        value = self.plain_value(node.value) if node.value is not None else constant(None, at)
        if self.scope.sleeper is None:
            node.value = value if node.value is not None else None
            return node  # type: ignore[no-any-return]
        inline = (
            isinstance(node, ast.YieldFrom)
            and isinstance(value, ast.GeneratorExp)
            and len(value.generators) == 1  # in an inner loop nobody would say that it is awake again
        )
        # A comprehension is no place where readers wait for values: there it only tells who is awake.
        where = None if self.scope.kind == "comprehension" else node
        mark = self.mark(mark_kind, at, where=where, label="noted" if inline else "")
        if inline:
            self._items_noted(node, value)  # type: ignore[arg-type]
        noted_on_the_way = isinstance(node, ast.YieldFrom) and not inline
        if not self.scope.temporaries:
            return self._sleep_by_hooks(node, value, mark, mark_kind, each=noted_on_the_way)
        token = [load("@t", at)] if mark_kind == DELEGATE else []
        inner = location(node.value) if node.value is not None else at
        noted: ast.expr = park("@y", value, inner)
        if mark_kind == DELEGATE:
            noted = _code_of(noted, "@y", inner)
        handed = self._each_noted(node, inner) if noted_on_the_way else load("@y", inner)
        node.value = either([self.event(mark, [*token, noted], inner), handed], inner)
        at = point(at)
        stream = park("@L", thread_stream(at), at)
        resume_mark = self.mark(RESUME, at, where=node)
        resume = call(
            attribute(stream, "extend", at), [tuple_of([resume_mark, load("@t", at), load("@y", at)], at)], at
        )
        # By the same name: what was awaited, or handed out, is held no longer.
        return either([same(park("@y", node, at), placeholder("absent", at), at), resume, load("@y", at)], at)

    def _sleep_by_hooks(
        self, node: Any, value: ast.expr, mark: ast.Constant, mark_kind: int, *, each: bool
    ) -> ast.expr:
        at = point(location(node))
        token = self.token(at)
        if mark_kind == YIELD:
            node.value = call(placeholder("note_value", at), [mark, value], at)
        elif each:
            marks = self._marks_of_items(node)
            node.value = call(placeholder("note_delegating_each", at), [mark, *marks, token, value], at)
        else:
            node.value = call(placeholder("note_delegating", at), [mark, token, value], at)
        resume_mark = self.mark(RESUME, at, where=None if self.scope.kind == "comprehension" else node)
        return call(placeholder("note_value_of", at), [resume_mark, self.token(at), node], location(node))

    def _marks_of_items(self, node: ast.YieldFrom) -> list[ast.expr]:
        at = location(node)
        return [self.mark(each, at, where=node, label="item") for each in (YIELD, RESUME)]

    def _each_noted(self, node: ast.YieldFrom, at: Location) -> ast.expr:
        """What `yield from` is given; of containers and the like, a map that notes each item on its way."""
        kind = call(placeholder("id", at), [call(placeholder("type", at), [load("@y", at)], at)], at)
        marks = self._marks_of_items(node)
        noted = call(placeholder("each_noted", at), [load("@y", at), *marks, load("@t", at)], at)
        passes = ast.Compare(kind, [ast.In()], [placeholder("handed_on", at)], **at)
        return ast.IfExp(passes, noted, load("@y", at), **at)

    def _items_noted(self, node: ast.YieldFrom, items: ast.GeneratorExp) -> None:
        """`yield from (… for …)`: the items are noted where they are made, after the routine is said to be awake."""
        handed, woken = self._marks_of_items(node)
        at = location(items.elt)
        items.elt = call(placeholder("note_value", at), [handed, items.elt], at)
        first = items.generators[0]
        at = location(first.iter)
        first.iter = call(placeholder("each_woken", at), [first.iter, woken, self.token(at)], at)

    # -- statements ------------------------------------------------------------------------------------------------

    def asleep_in_loop(self, node: ast.AsyncFor) -> list[ast.stmt]:
        """Make `async for` say that it waits for its iterable; returns what says so again after each iteration."""
        if not self.scope.tokened:
            return []
        at = location(node.iter)
        if not self.scope.temporaries:
            mark = self.mark(DELEGATE, at)
            node.iter = call(placeholder("note_waiting_for", at), [mark, self.token(at), node.iter], at)
            again = [mark, self.token(NOWHERE), constant(None, NOWHERE)]
            return [
                expression_statement(
                    call(placeholder("note_waiting_again", NOWHERE), again, NOWHERE), NOWHERE
                )
            ]
        name = self.scope.fresh("i")
        noted = park(name, _code_of(park("@y", node.iter, at), "@y", at), at)
        node.iter = either(
            [self.event(self.mark(DELEGATE, at), [load("@t", at), noted], at), load("@y", at)], at
        )
        return self.event_statements(
            self.mark(DELEGATE, NOWHERE), [load("@t", NOWHERE), load(name, NOWHERE)], NOWHERE
        )

    def awake_now(self, at: Location) -> ast.stmt:
        """When a loop has no more items, or managers have been left."""
        return expression_statement(self._awake(at), at)

    def awake_when_thrown(self, body: list[ast.stmt]) -> ast.stmt:
        """What is thrown into the body of a `with` that sleeps wakes it; the managers are left before anything else is told."""
        handler = ast.ExceptHandler(
            placeholder("base_exception", NOWHERE),
            None,
            [self.awake_now(NOWHERE), ast.Raise(None, None, **NOWHERE)],
            **NOWHERE,
        )
        return ast.Try(body, [handler], [], [], **NOWHERE)

    def asleep_when_left(self, node: ast.AsyncWith) -> ast.stmt:
        """An `async with` that says that it waits for its managers whatever way its body is left, and that it is awake when
        they are left. Where there is no room for more statements, when the body has come to its end."""
        told = [self.token(NOWHERE), constant(None, NOWHERE)]
        mark = self.mark(DELEGATE, NOWHERE)
        waits = self.event_statements(mark, told, NOWHERE)
        whole: ast.stmt = node
        if self.has_room(node, 2):
            node.body = [ast.Try(node.body, [], [], waits, **NOWHERE)]
            # Before 3.13 what follows may else have the line of some other branch, or none.
            at = point(location(node.items[0].context_expr)) if sys.version_info < (3, 13) else NOWHERE
            awake = self.mark(RESUME, at)
            self.endings |= {mark.value, awake.value}  # type: ignore[arg-type]
            whole = ast.Try([node], [], [], [expression_statement(self._awake(at, awake), at)], **NOWHERE)
        else:
            node.body += waits
        if self.scope.temporaries:
            node.body.insert(0, assign("@y", constant(None, NOWHERE), NOWHERE))
        return whole

    def has_room(self, node: ast.stmt, more: int) -> bool:
        """Whether Python takes so many more statements around what is in one, and around that."""
        return self.scope.around + _height(node) + more <= _MOST_BLOCKS

    def asleep_entering(self, manager: ast.expr, again: bool) -> ast.expr:
        """The manager of an `async with`: when it is there, it is waited for; `again` after another one was."""
        at = location(manager)
        awake = [self._awake(at)] if again else []
        mark = self.mark(DELEGATE, at, label=ENTERING)
        if not self.scope.temporaries:
            noted = call(placeholder("note_delegating", at), [mark, self.token(at), manager], at)
            return either([*awake, noted], at) if awake else noted
        made = _code_of(park("@y", manager, at), "@y", at)
        return either([*awake, self.event(mark, [load("@t", at), made], at), load("@y", at)], at)

    def _awake(self, at: Location, mark: ast.Constant | None = None) -> ast.expr:
        """An expression that says so and is None."""
        return self.event(mark or self.mark(RESUME, at), [self.token(at), constant(None, at)], at)

    # -- comprehensions --------------------------------------------------------------------------------------------

    def asleep_in_comprehension(self, node: Any) -> bool:
        """Make a comprehension with `async for` say that it waits for its iterables; whether it may have slept when it is
        made."""
        if self.scope.sleeper is None or not any(each.is_async for each in node.generators):
            return False
        waits: ast.Constant | None = None
        for generator in node.generators:
            at = location(generator.iter)
            if waits is not None:  # a generator that it goes through begins to run only then
                generator.iter = either([self._awake(at), generator.iter], at)
            if generator.is_async:
                waits = self.mark(DELEGATE, at)
                generator.iter = call(
                    placeholder("note_waiting_for", at), [waits, self.token(at), generator.iter], at
                )
            generator.ifs = [self._while_awake(condition, waits) for condition in generator.ifs]
        last = "value" if isinstance(node, ast.DictComp) else "elt"
        if isinstance(node, ast.DictComp):
            node.key = self._while_awake(node.key, waits)
        setattr(node, last, self._while_awake(getattr(node, last), waits))
        return not isinstance(node, ast.GeneratorExp)

    def _while_awake(self, value: ast.expr, waits: ast.Constant | None) -> ast.expr:
        """What is worked out between two times that it waits."""
        if waits is None or is_repeatable(value):
            return value
        at = location(value)
        value = either([self._awake(at), value], at)
        return call(placeholder("note_waiting_again", at), [waits, self.token(at), value], at)

    def awake_after(self, made: ast.expr) -> ast.expr:
        at = location(made)
        mark = self.mark(RESUME, at)
        return call(placeholder("note_awake_after", at), [mark, self.token(at), made], at)


def _code_of(parked: ast.expr, name: str, at: Location) -> ast.expr:
    """What tells whose run an awaitable is, without keeping it alive: its code, or its class."""
    table = placeholder("awaited", at)
    return call(subscript(table, call(placeholder("type", at), [parked], at), at), [load(name, at)], at)
