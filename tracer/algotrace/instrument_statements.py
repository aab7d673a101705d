"""Rewriting of statements: blocks and their marks, what leaves a routine, what binds names."""

from __future__ import annotations


import ast
import sys
from typing import Any
from collections.abc import Sequence

from algotrace.instrument_expressions import decided
from algotrace.instrument_handed import imported
from algotrace.instrument_names import captures, is_alias, names_in, stores_slice
from algotrace.instrument_sleeping import blocks_of, may_sleep
from algotrace.instrument_stores import Stores, is_none, is_plain_target, may_be_new, parallel
from algotrace.marks import (
    ATTRIBUTE, BLOCK, BLOCK_END, DONE, HANDLER, OUTCOME, OUTCOME_NONE, RETURN, RETURN_NONE, Range,
)  # fmt: skip
from algotrace.syntax import (
    NOWHERE, Function, Location, assign, bound_by, call, constant, either, expression_statement, extent, is_loud, load, location, own_nodes, park, placeholder, point, subscript, tuple_of, walk,
)  # fmt: skip


class Statements(Stores):
    """A method named after a kind of statement returns the statements that stand in its place."""

    def suite(self, body: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in body:
            changes = stores_slice(statement)
            result.extend(self.statement(statement))
            if changes:
                result += self.event_statements(self.mark(DONE, NOWHERE), [], NOWHERE)
        return result

    def nested(
        self,
        body: list[ast.stmt],
        kind: str,
        of: Any,
        *,
        loop: bool = False,
        mark_kind: int = BLOCK,
        names: Sequence[ast.Name] = (),
    ) -> list[ast.stmt]:
        """A suite of the statement `of` that is a block of its own: the mark at its start, then what `names` were bound to."""
        outer = self.block
        self.block = self.new_block(kind, outer, of)
        if loop:
            self.scope.loops.append(self.block)
        first = body[0]
        at = first_point(first)
        values = self.raised(at) if mark_kind == HANDLER else []
        enter = self.event_statements(self.mark(mark_kind, at), values, at, whole=mark_kind == HANDLER)
        head = [*enter, *self.bound(list(names), new=kind == "with", where=at)]
        watched, self.scope.watched = self.scope.watched, frozenset()
        around, self.scope.around = self.scope.around, self.scope.around + blocks_of(of)
        suite = [*head, *self.suite(body)]
        self.scope.watched, self.scope.around = watched, around
        last = body[-1]
        if isinstance(last, (ast.Break, ast.Continue)) and self.scope.loops:
            fields = self._blocks[self.block]
            fields["terminator"] = "break" if isinstance(last, ast.Break) else "continue"
            fields["end"] = (last.lineno, last.col_offset)
            fields["loop"] = self.scope.loops[-1]
        if loop:
            self.scope.loops.pop()
        self.block = outer
        return suite

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        method = getattr(self, "_" + type(node).__name__, None)
        if method is None:
            self.piece(node)
            for name, value in ast.iter_fields(node):
                if isinstance(value, ast.expr):
                    setattr(node, name, self.expression(value))
            return [node]
        names = self._shared_names(node)
        if not names:
            result: list[ast.stmt] = method(node)
            return result
        outer, self.scope.watched = self.scope.watched, self.scope.watched | names
        result = method(node)
        self.scope.watched = outer
        return [*(part for name in sorted(names) for part in self._watch(name, location(node))), *result]

    def _shared_names(self, node: ast.stmt) -> frozenset[str]:
        """The names of others that a statement binds in another way than by `name = …` and the like."""
        if not (self.scope.globals or self.scope.nonlocals) or not self.scope.temporaries:
            return frozenset()
        names: list[str] = []
        if isinstance(node, ast.Assign):
            targets = [target for target in node.targets if not isinstance(target, ast.Name)]
            names = [name.id for name in names_in(targets)]
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            names = [name.id for name in names_in([node.target])]
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
            names = [name.id for name in names_in(targets)]
        elif isinstance(node, ast.Match):
            names = [name.id for case in node.cases for name in captures(case.pattern)]
        elif isinstance(node, (*Function, ast.ClassDef, ast.Import, ast.ImportFrom)):
            names = list(bound_by(node))
        return frozenset(filter(self._is_shared, names))

    def _Global(self, node: ast.stmt) -> list[ast.stmt]:
        return [node]

    _Nonlocal = _Global

    def _Import(self, node: ast.stmt) -> list[ast.stmt]:
        """There may be new metaclasses, see `class_tables`, and strangers."""
        self.piece(node)
        at = location(node)
        modules = tuple_of([constant(name, at) for name in imported(node)], at)
        noted = expression_statement(call(placeholder("note_import", at), [modules], at), at)
        names = [ast.Name(name, ast.Load(), **at) for name in bound_by(node) if name in self.scope.watched]
        return [node, noted, *self.bound(names)]

    _ImportFrom = _Import

    def _Expr(self, node: ast.Expr) -> list[ast.stmt]:
        if isinstance(node.value, ast.Constant):
            return [node]  # a string or number standing alone is no code
        self.piece(node)
        self._dropped = node.value
        node.value = self.expression(node.value)  # what a call gives also says that it is over
        return [node]

    def _Return(self, node: ast.Return) -> list[ast.stmt]:
        self.piece(node)
        at = location(node)
        kinds = (OUTCOME, OUTCOME_NONE) if self.scope.guarded else (RETURN, RETURN_NONE)
        if node.value is None or is_none(node.value):
            return [
                *self.cached_noted(at),
                *self.event_statements(self.mark(kinds[1], at, where=node), [], at),
                node,
            ]
        value = self.plain_value(node.value)
        if self.scope.is_new:
            value = self.made_new(node, value)
        mark = self.mark(kinds[0], at, where=node)
        if isinstance(value, ast.Constant) or not self.scope.temporaries:
            if not isinstance(value, ast.Constant):
                node.value = self.value_noted(mark, value, at)
                return [node]
            return [*self.cached_noted(at), *self.event_statements(mark, [value], at), node]
        if isinstance(value, ast.Name):
            bound = value.id in self.routines[self.scope.routine].parameters
            # An unbound name raises before it is said that something is returned.
            read = [] if bound else [ast.Expr(load(value.id, location(value)), **at)]
            return [*read, *self.cached_noted(at), *self.event_statements(mark, [value], at), node]
        node.value = load("@r", at)
        returned = self.event_statements(mark, [load("@r", at)], at)
        return [assign("@r", value, at), *self.cached_noted(at), *returned, node]

    def cached_noted(self, at: Location) -> list[ast.stmt]:
        """Where a function of a `cached_property` returns: what it gives is about to be stored."""
        name, owner = self.scope.cached, self.scope.self_name
        if not (name and owner.isidentifier() and self.scope.temporaries):
            return []
        at = point(at)
        mark = self.mark(ATTRIBUTE, at, label=f"{owner}\t{name}")
        kind = call(placeholder("type", at), [load(owner, at)], at)
        given = [load(owner, at), constant(name, at), placeholder("absent", at)]
        old = call(subscript(placeholder(f"attribute:{name}", at), kind, at), given, at)
        return self.event_statements(mark, [load(owner, at), old], at)

    def _If(self, node: ast.If) -> list[ast.stmt]:
        self.piece(node.test)
        node.test = self.test(node.test)
        node.body = self.nested(node.body, "arm", node)
        if node.orelse:
            node.orelse = self.nested(node.orelse, "arm", node)
        return [node]

    def _While(self, node: ast.While) -> list[ast.stmt]:
        self._forget_fresh_self(node)
        node.test = self._loop_test(node.test)
        self.scope.async_loops.append([])
        node.body = self.nested(node.body, "loop", node, loop=True)
        self.scope.async_loops.pop()
        if node.orelse:
            node.orelse = self.nested(node.orelse, "arm", node)
        return [node]

    def _loop_test(self, test: ast.expr) -> ast.expr:
        """A test that leaves values is a block of its own: it is evaluated once more than the body."""
        known = {id(part) for part in decided(test)}
        if self._leaves_values() and any(
            (is_loud(part) and id(part) not in known)
            or (isinstance(part, ast.Name) and part.id in self.scope.free)
            for part in walk(test)
        ):
            outer = self.block
            self.block = self.new_block("test", outer, test)
            at = location(test)
            event = self.event(self.mark(BLOCK, at), [], at)
            self.piece(test)
            test = either([event, self.test(test)], at)
            self.block = outer
            return test
        self.piece(test)
        return self.test(test)

    def _For(self, node: Any) -> list[ast.stmt]:
        self._forget_fresh_self(node)
        self.piece(node.target)
        self.piece(node.iter)
        conditions = self.strange_where(node.iter)
        hook = "note_used" if isinstance(node, ast.AsyncFor) else "note_gone_through"
        node.iter, _ = self.used(self.plain_value(node.iter), conditions, hook)
        asleep = self.asleep_in_loop(node) if isinstance(node, ast.AsyncFor) else []
        node.target = self._irregular_target(node.target)
        self.scope.async_loops.append(asleep)
        names = names_in([node.target])
        node.body = self.nested(node.body, "loop", node, loop=True, names=names) + asleep
        self.scope.async_loops.pop()
        if asleep and self.scope.temporaries:  # the iterable must not outlive the loop
            node.body.insert(0, assign("@y", constant(None, NOWHERE), NOWHERE))
        if node.orelse:
            node.orelse = self.nested(node.orelse, "arm", node)
        if not asleep:
            return [node]
        if node.orelse:
            node.orelse.insert(0, self.awake_now(NOWHERE))
        return [node, self.awake_now(NOWHERE)]

    _AsyncFor = _For

    def _Continue(self, node: ast.Continue) -> list[ast.stmt]:
        self.piece(node)
        return [*(self.scope.async_loops[-1] if self.scope.async_loops else []), node]

    def _With(self, node: Any) -> list[ast.stmt]:
        waits = isinstance(node, ast.AsyncWith) and self.scope.tokened
        sleeps = self.scope.tokened and any(map(may_sleep, own_nodes(node.body)))
        marks: list[ast.Constant] = []
        for number, item in enumerate(node.items):
            self.piece(item.context_expr)
            conditions = self.strange_where(item.context_expr)
            value, mark = self.used(self.expression(item.context_expr), conditions, "note_entering")
            marks += [mark] if mark is not None else []
            item.context_expr = self.asleep_entering(value, number > 0) if waits else value
            if item.optional_vars is not None:
                self.cover(extent(item.optional_vars))
                item.optional_vars = self._irregular_target(item.optional_vars)
        block = len(self._blocks)
        names = names_in([item.optional_vars for item in node.items if item.optional_vars is not None])
        node.body = self.nested(node.body, "with", node, names=names)
        if not isinstance(node.body[-1], (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            ended = self.event_statements(self.mark(BLOCK_END, NOWHERE, block=block), [], NOWHERE)
            leaving = self.where_strange("note_leaving", marks, NOWHERE)
            # The compiler of 3.13 takes no `if` at the end of what is put into a `try` within a `with` that sleeps.
            node.body += [*leaving, *ended] if waits or sleeps else [*ended, *leaving]
        node.body[:0] = self.where_strange("note_entered", marks, NOWHERE)
        if waits:
            return [self.asleep_when_left(node), *self._after()]
        if sleeps and self.has_room(node, 1):
            node.body = [self.awake_when_thrown(node.body)]
        return [node, *self._after()]

    def _after(self) -> list[ast.stmt]:
        """After a `with` that may have swallowed an exception: the values to come are of the block around it."""
        if self.scope.kind != "function":
            return []
        return self.event_statements(self.mark(BLOCK_END, NOWHERE, label="after"), [], NOWHERE)

    _AsyncWith = _With

    def _Try(self, node: Any) -> list[ast.stmt]:
        node.body = self.nested(node.body, "try", node)
        for handler in node.handlers:
            kind = HANDLER if isinstance(node, ast.Try) else BLOCK
            first = len(self._blocks)
            handler.body = self.nested(handler.body, "handler", node, mark_kind=kind)
            if handler.type is not None:
                self._holes = []
                self.cover(extent(handler.type), self._holes, first)
                handler.type = self.irregular(handler.type)
        if node.orelse:
            node.orelse = self.nested(node.orelse, "arm", node)
        if node.finalbody:
            node.finalbody = self.nested(node.finalbody, "finally", node)
        return [node]

    _TryStar = _Try

    def _Match(self, node: Any) -> list[ast.stmt]:
        self.piece(node.subject)
        node.subject = self.expression(node.subject)
        tried: list[Range] = []
        for case in node.cases:
            tried.append(extent(case.pattern))
            if case.guard is not None:
                self._holes = []
                tried.append(extent(case.guard))
                case.guard = self.irregular(case.guard)
            first = len(self._blocks)
            case.body = self.nested(case.body, "arm", node, names=captures(case.pattern))
            for part in tried:
                self.cover(part, None, first)
        return [node]

    def _Assert(self, node: ast.Assert) -> list[ast.stmt]:
        self.piece(node)
        node.test = self.test(node.test)
        if sys.version_info[:2] == (3, 11) and self.scope.temporaries:
            node.test = _as_value(node.test)
        if node.msg is not None:
            node.msg = self.arm(node.msg)
        return [node]

    def _Assign(self, node: ast.Assign) -> list[ast.stmt]:
        self.piece(node)
        at = location(node)
        plain = all(is_plain_target(target) for target in node.targets)
        if is_alias(node):
            self._aliased, self._alias = node.value, node.targets[0].id  # type: ignore[attr-defined]
        new = may_be_new(node.value) and not self._is_call_of_recorded(node.value)
        bound = names_in(node.targets)
        if len(node.targets) == 1 and self.scope.temporaries:
            target = node.targets[0]
            if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice):
                return self._store_item(node, target, self.expression(node.value), at)
            if isinstance(target, ast.Attribute):
                return self._store_attribute(node, target, node.value, self.expression(node.value), at)
            if isinstance(target, ast.Tuple) and (pairs := parallel(target, node.value)):
                values = [self.expression(value) for _, value in pairs]
                names = [self.scope.fresh("u") for _ in pairs]
                statements: list[ast.stmt] = [
                    assign(name, value, location(value)) for name, value in zip(names, values)
                ]
                for (goal, given), name in zip(pairs, names):
                    inner = ast.Assign([goal], load(name, at), None, **at)
                    if isinstance(goal, ast.Subscript) and not isinstance(goal.slice, ast.Slice):
                        statements += self._store_item(inner, goal, load(name, at), at)
                    elif isinstance(goal, ast.Attribute):
                        statements += self._store_attribute(inner, goal, given, load(name, at), at)
                    else:
                        inner.targets = [self.target(goal)]
                        statements.append(inner)
                return [*statements, *self.bound(bound)]
        given = node.value
        value = self.plain_value(given) if plain else self.expression(given)
        node.value, stores = self.value_held(node.targets, given, value)
        names_written = [
            target.id
            for target in node.targets
            if isinstance(target, ast.Name) and self._is_shared(target.id)
        ]
        if names_written and self.scope.temporaries:
            statements = [assign("@v", node.value, at)]
            for name in names_written:
                statements += self._note_name(name, load("@v", at), at)
            node.value = load("@v", at)
            node.targets = [self.target(target) for target in node.targets]
            self.into(stores)
            return [*statements, node, *self.bound(bound, new=new)]
        node.targets = [self.target(target) for target in node.targets]
        self.into(stores)
        lets_go = self._let_go(at) if plain and is_none(node.value) else []
        after = [*self.after_dicts(node.targets), *lets_go]
        return [*self.holding_shared(node, bound, new=new), *after]

    def _AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        if node.value is None:
            return [node]
        self.piece(node)
        if not isinstance(node.target, ast.Name):
            node.value, stores = self.value_held([node.target], node.value, self.expression(node.value))
            node.target = self.target(node.target)  # type: ignore[assignment]
            self.into(stores)
            return [node]
        new = may_be_new(node.value) and not self._is_call_of_recorded(node.value)
        node.value = self.plain_value(node.value)
        return [node, *self.bound([node.target], new=new)]


_FIRST_PART = (
    "decorator_list", "value", "test", "iter", "items", "context_expr", "subject", "exc", "left", "values", "func", "elts", "keys",
)  # fmt: skip


def first_point(statement: Any) -> Location:
    """Where a statement's execution starts: what is put before it must not be a line of its own."""
    node = statement
    if isinstance(node, ast.AugAssign):
        return point(location(node.target))
    while True:
        if isinstance(node, ast.expr) and not isinstance(node, _EVALUATED_FIRST):
            break
        found = next((part for name in _FIRST_PART if (part := getattr(node, name, None))), None)
        part = found[0] if isinstance(found, list) else found
        if not isinstance(part, (ast.expr, ast.withitem)):
            break
        node = part
    return point(location(node if hasattr(node, "lineno") else statement))


_EVALUATED_FIRST = (
    ast.BinOp, ast.BoolOp, ast.Compare, ast.Call, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Set, ast.Await, ast.IfExp,
    ast.Starred,
)  # fmt: skip


def _as_value(test: ast.expr) -> ast.expr:
    """The condition of an `assert`. Python 3.11 says that it failed where the last comparison among the parts of its
    `and`, `or` and `not` is: those of ours must not be such parts."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test.operand = _as_value(test.operand)
    elif isinstance(test, ast.BoolOp):
        first, absent = test.values[0], placeholder("absent", NOWHERE)
        other = first.comparators[0] if isinstance(first, ast.Compare) else None
        if isinstance(other, ast.Constant) and other.value == absent.value:
            return park("@q", test, location(test))
        test.values = [_as_value(value) for value in test.values]
    return test
