"""Rewriting of stores and deletions: before each of them, what is needed to undo it."""

from __future__ import annotations

import ast
from typing import Any
from collections.abc import Iterator, Sequence

from algotrace.instrument_bound import SLEEPING, at_last_noted, held_for
from algotrace.instrument_expressions import Expressions
from algotrace.instrument_handed import is_on
from algotrace.instrument_names import names_in
from algotrace.instrument_namespaces import is_namespace
from algotrace.instrument_operations import OF_SENTENCES
from algotrace.marks import ATTRIBUTE, ATTRIBUTE_NEW, CONTENT, ITEM, ITEM_DELETED, MUTATE, NAME, NAMED, PASSED
from algotrace.syntax import (
    Location, assign, attribute, both, call, constant, either, expression_statement, is_quiet, is_repeatable, load,
    location, mangle, park, placeholder, point, repeated, same, subscript, walk,
)  # fmt: skip
from algotrace.undo import MAPPING, SEQUENCE

_IN_PLACE = {
    ast.Add: "+=",
    ast.Mult: "*=",
    ast.BitOr: "|=",
    ast.BitAnd: "&=",
    ast.Sub: "-=",
    ast.BitXor: "^=",
}

_FRAMES = frozenset(
    {
        "cr_frame",
        "gi_frame",
        "ag_frame",
        "f_back",
        "tb_frame",
        "tb_next",
        "__traceback__",
        "__context__",
        "__cause__",
    }
)


class Stores(Expressions):
    """Stores to names that others share, attributes and items; in-place operators; deletions."""

    def _is_shared(self, name: str) -> bool:
        return self.scope.kind == "function" and (name in self.scope.globals or name in self.scope.nonlocals)

    def _old_name(self, name: str, at: Location) -> list[ast.stmt]:
        """Statements that leave the present value of a global or nonlocal name in `@old`, ABSENT where unbound."""
        read = ast.Try(
            [assign("@old", load(name, at), at)],
            [ast.ExceptHandler(placeholder("name_error", at), None, [assign("@old", placeholder("absent", at), at)], **at)],
            [], [], **at,
        )  # fmt: skip
        return [read]

    def _note_name(self, name: str, new: ast.expr, at: Location) -> list[ast.stmt]:
        prefix = "global " if name in self.scope.globals else "nonlocal "
        mark = self.mark(NAME, at, label=prefix + name)
        return [*self._old_name(name, at), *self.event_statements(mark, [load("@old", at), new], at)]

    def _watch(self, name: str, at: Location) -> list[ast.stmt]:
        """Statements that keep what a shared name is bound to, for `bound`."""
        return [*self._old_name(name, at), assign(f"@o {name}", load("@old", at), at)]

    def _store_item(self, node: Any, target: ast.Subscript, value: ast.expr, at: Location) -> list[ast.stmt]:
        """`c[k] = v` as statements: value, container, key are evaluated once, in that order; then log, then store."""
        statements: list[ast.stmt] = []
        if not (is_repeatable(value) and is_quiet(target)):
            statements.append(assign("@v", value, location(value)))
            value = load("@v", location(value))
        if self.owner_of(target.value) is not None:
            node.targets, node.value = [self.target(target)], value
            return [*statements, node]
        container, key = self._item_parts(target, statements)
        statements += self._note_item(ITEM, container, key, target, value)
        node.targets = [ast.Subscript(container, key, ast.Store(), **location(target))]
        node.value = value
        return [*statements, node]

    def _store_attribute(
        self, node: Any, target: ast.Attribute, given: ast.expr, value: ast.expr, at: Location
    ) -> list[ast.stmt]:
        """`o.a = v` as statements: value, object are evaluated once, in that order; then log, then store."""
        statements: list[ast.stmt] = []
        if not (is_repeatable(value) and is_quiet(target)):
            statements.append(assign("@v", value, location(value)))
            value = load("@v", location(value))
        owner = self.expression(target.value)
        if not is_repeatable(owner):
            statements.append(assign("@o", owner, location(target.value)))
            owner = load("@o", location(target.value))
        node.targets = [ast.Attribute(owner, target.attr, ast.Store(), **location(target))]
        node.value = value
        if target.attr == "__dict__":
            before = expression_statement(self._attributes_noted(target, owner), at)
            return [*statements, before, node, self._attributes_given(target, owner)]
        handed = self.attribute_stored(target, owner, given, value)
        return [*statements, *self._note_attribute(target, owner, handed), node]

    def _attributes_noted(self, target: ast.Attribute, owner: ast.expr, user: str = "__dict__") -> ast.expr:
        """Before `owner.__dict__ = …`: the owner, noting all its attributes."""
        at = location(target.value)
        mark = self._witness_mark(target, self.text(target.value), user)
        return call(placeholder("note_attributes", at), [mark, owner], at)

    def _attributes_given(self, target: ast.Attribute, owner: ast.expr) -> ast.stmt:
        """After it: others may have the new dict."""
        at = location(target.value)
        mark = self._given_mark(target, self.text(target.value))
        return expression_statement(call(placeholder("note_given", at), [mark, repeated(owner, at)], at), at)

    def after_dicts(self, targets: list[ast.expr]) -> list[ast.stmt]:
        """After a statement that may have stored to `name.__dict__`."""
        found: list[ast.stmt] = []
        for target in targets:
            if isinstance(target, (ast.Tuple, ast.List)):
                found += self.after_dicts(target.elts)
            elif isinstance(target, ast.Attribute) and target.attr == "__dict__":
                owner = target.value.args[-1] if isinstance(target.value, ast.Call) else target.value
                if isinstance(owner, ast.Name):
                    found.append(self._attributes_given(target, owner))
        return found

    def _note_attribute(
        self, target: ast.Attribute, owner: ast.expr, handed: Sequence[ast.stmt] = ()
    ) -> list[ast.stmt]:
        """Log the present value of an attribute of `owner`, a name; and what it is `handed` if it is a stranger."""
        at = point(location(target.value))
        name = mangle(target.attr, self.scope.class_name)
        label = f"{self.text(target.value)}\t{name}"
        again = repeated(owner, at)
        fresh = isinstance(owner, ast.Name) and owner.id == self.scope.fresh_self
        if fresh and name not in self.scope.fresh_attributes:
            self._first_stored(name, target)
            mark = self.mark(ATTRIBUTE_NEW, at, where=target, label=label)
            return self.event_statements(mark, [again], point(location(target)))
        mark = self.mark(ATTRIBUTE, at, where=target, label=label)
        given = [again, constant(name, at), placeholder("absent", at)]
        kind = call(placeholder("type", at), [again], at)
        if self.scope.is_init:  # mostly there is none yet
            read: ast.expr = call(subscript(placeholder(f"attribute:{name}", at), kind, at), given, at)
            return [*handed, *self.event_statements(mark, [again, read], point(location(target)))]
        is_direct = ast.Compare(kind, [ast.In()], [placeholder(f"direct:{name}", at)], **at)
        directly = assign("@old", attribute(again, name, at), at)
        otherwise = assign("@old", call(subscript(placeholder(f"store:{name}", at), kind, at), given, at), at)
        not_direct = call(attribute(placeholder(f"direct:{name}", at), "discard", at), [kind], at)
        without = [assign("@old", placeholder("absent", at), at), expression_statement(not_direct, at)]
        attempt = ast.Try(
            [ast.If(is_direct, [directly], [otherwise, *handed], **at)],
            [ast.ExceptHandler(placeholder("attribute_error", at), None, without, **at)],
            [], [], **at,
        )  # fmt: skip
        return [attempt, *self.event_statements(mark, [again, load("@old", at)], point(location(target)))]

    def _item_parts(self, target: ast.Subscript, statements: list[ast.stmt]) -> tuple[ast.expr, ast.expr]:
        parts = []
        for name, part in (("@c", target.value), ("@k", target.slice)):
            if part is not target.value:
                new = self.expression(part)
            else:
                new = self.namespace_changed(part) if is_namespace(part) else self._receiver(part)
            if not is_repeatable(new):
                statements.append(assign(name, new, location(part)))
                new = load(name, location(part))
            parts.append(new)
        return parts[0], parts[1]

    def _note_item(
        self,
        kind: int,
        container: ast.expr,
        key: ast.expr,
        target: ast.Subscript,
        value: ast.expr | None = None,
    ) -> list[ast.stmt]:
        """Log `container[key]`'s present value, for containers that store without user code."""
        at = point(location(target))

        def again(node: ast.expr) -> ast.expr:
            return repeated(node, at)

        kind_of = subscript(
            placeholder("container_kinds", at), call(placeholder("type", at), [again(container)], at), at
        )
        of_mapping: ast.expr = same(load("@m", at), constant(MAPPING, at), at)
        of_sequence: ast.expr = same(load("@m", at), constant(SEQUENCE, at), at)
        if not (isinstance(key, ast.Constant) and isinstance(key.value, (int, str))):
            kind_of_key = call(placeholder("type", at), [again(key)], at)
            is_text, is_integer = (same(kind_of_key, placeholder(name, at), at) for name in ("str", "int"))
            of_mapping = both([of_mapping, either([is_text, is_integer], at)], at)
            of_sequence = both([of_sequence, is_integer], at)
        read = ast.IfExp(
            of_mapping,
            call(placeholder("dict_get", at), [again(container), again(key), placeholder("absent", at)], at),
            ast.IfExp(
                of_sequence,
                subscript(again(container), again(key), at),
                call(placeholder("read_item", at), [again(container), again(key)], at),
                **at,
            ),
            **at,
        )
        attempt = ast.Try(
            [assign("@old", read, at)],
            [ast.ExceptHandler(placeholder("read_errors", at), None, [assign("@old", placeholder("absent", at), at)], **at)],
            [], [], **at,
        )  # fmt: skip
        mark = self.mark(kind, at, where=target, label=self.text(target.value) + "\t")
        event = self.event_statements(mark, [again(container), again(key), load("@old", at)], at)
        order = self._note_order(container, target) if kind == ITEM_DELETED else []
        strange = self.item_stored(target, container, key, value)
        return [ast.If(park("@m", kind_of, at), [attempt, *order, *event], strange, **at)]

    def _note_order(self, container: ast.expr, target: ast.Subscript) -> list[ast.stmt]:
        """Log a copy of a dict of which a key is about to go, where that is due: where the key stood is not known else."""
        at = point(location(target))
        copy = call(placeholder("copy_before_deletion", at), [repeated(container, at)], at)
        event = self.event_statements(self._order_mark(target), [repeated(container, at), load("@x", at)], at)
        is_due = ast.Compare(park("@x", copy, at), [ast.IsNot()], [constant(None, at)], **at)
        return [ast.If(is_due, event, [], **at)]

    def _order_mark(self, target: ast.Subscript) -> ast.Constant:
        at = point(location(target))
        return self.mark(PASSED, at, where=target, label=self.text(target.value) + "\t__delitem__")

    def _note_default(self, container: ast.expr, key: ast.expr, where: ast.Subscript) -> list[ast.stmt]:
        """Log the item before it is read from a container whose reading may put a default there."""
        at = point(location(where))
        mark = self.mark(ITEM, at, where=where, label=self.text(where.value) + "\t")
        old = call(placeholder("read_mapping", at), [repeated(container, at), repeated(key, at)], at)
        event = self.event_statements(mark, [repeated(container, at), repeated(key, at), old], at)
        kind, again = (call(placeholder("type", at), [repeated(container, at)], at) for _ in range(2))
        no_list = ast.Compare(kind, [ast.IsNot()], [placeholder("list", at)], **at)  # most are
        defaulting = both([no_list, subscript(placeholder("defaulting", at), again, at)], at)
        return [ast.If(defaulting, event, [], **at)]

    def _AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        self.piece(node)
        at = location(node)
        target = node.target
        given = node.value
        operator = _IN_PLACE.get(type(node.op))
        # Of `xs *= 2` it is not known; of `x += 1` it is.
        kinds = (float, complex) if isinstance(node.op, ast.Mult) else (int, float, complex)
        numeric = isinstance(given, ast.Constant) and isinstance(given.value, kinds)
        in_place = operator if operator and not numeric else None
        of_strangers = OF_SENTENCES.get(type(node.op)) if not numeric else None  # who may do it, too
        if not self.scope.temporaries:
            changing = not is_quiet(given)  # before the store, too
            value = node.value = self.expression(given)
            if isinstance(target, ast.Name):
                value = node.value = self.operand_noted(node, target.id, given, value)
            if in_place and isinstance(target, ast.Name):
                mark = self.mark(MUTATE, at, where=target, label=f"{target.id}\t{in_place}")
                node.value = call(
                    placeholder("note_in_place", at), [mark, placeholder(f"method:{in_place}", at), load(target.id, at), value], at
                )  # fmt: skip
                return self.holding_shared(node, [target])
            in_place = in_place if isinstance(target, ast.Name) else in_place or of_strangers
            keeps = bool(in_place) and not (
                isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice)
            )
            if keeps and not any(isinstance(part, SLEEPING) for part in walk(node)):
                kept = self.kept_operand_noted(node, given, value)
                return [self._changed_in_place(target, str(in_place), kept, at)]
            node.target = self.target(target, keeps=keeps)  # type: ignore[assignment]
            if changing:
                value = node.value = self._noted_at_store(node.target, value, keeps, given)
            if keeps:
                mark = self.mark(MUTATE, at, where=target, label=f"{self.text(target)}\t{in_place}")
                table = placeholder(f"method:{in_place}", at)
                node.value = call(placeholder("note_kept_in_place", at), [mark, table, value], at)
            return self.holding_shared(node, names_in([target]))
        if isinstance(target, ast.Name):
            value = self.operand_noted(node, target.id, given, self.expression(given))
            node.value = self._note_in_place(target.id, in_place, value, at) if in_place else value
            if self._is_shared(target.id):
                before = self._old_name(target.id, at)
                mark = self.mark(
                    NAME,
                    at,
                    label=("global " if target.id in self.scope.globals else "nonlocal ") + target.id,
                )
                # The new value is known only afterwards; an interrupted rebinding leaves the old one in any case.
                return [
                    *before,
                    node,
                    *self.event_statements(mark, [load("@old", at), load(target.id, at)], at),
                ]
            return [node, *self.bound([target])]
        statements: list[ast.stmt] = []
        if isinstance(target, ast.Attribute):
            owner = self.expression(target.value)
            if not is_repeatable(owner):
                statements.append(assign("@o", owner, location(target.value)))
                owner = load("@o", location(target.value))
            read: ast.expr = attribute(owner, target.attr, location(target))
            store: ast.expr = ast.Attribute(owner, target.attr, ast.Store(), **location(target))
        elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
            node.target = self.target(target)  # type: ignore[assignment]
            node.value = self.expression(given)
            if not is_quiet(given):
                node.value = self._noted_at_store(node.target, node.value, False, given)
            return [node]
        else:
            container, key = self._item_parts(target, statements)
            statements += self._note_default(container, key, target)
            read = subscript(container, key, location(target))
            store = ast.Subscript(container, key, ast.Store(), **location(target))
        statements.append(assign("@n", read, location(target)))
        operand: ast.expr
        if isinstance(target, ast.Attribute) and target.attr == "__dict__":
            # When the operand is known: working it out must find the attributes as they were.
            operand = value = load(self.scope.fresh("a"), at)
            noted = expression_statement(self._attributes_noted(target, owner, "|="), at)
            statements += [assign(operand.id, self.expression(given), location(given)), noted]
        else:
            operand = value = self.operand_noted(node, "@n", given, self.expression(given))
        if in_place:
            operand = self._note_in_place("@n", in_place, value, at, target)
        statements.append(assign("@old", load("@n", at), at))
        statements.append(
            ast.AugAssign(ast.Name("@n", ast.Store(), **location(target)), node.op, operand, **at)
        )
        # What is stored to, too: what was read of it may not be what is there. A view is not what is stored to.
        changing = not is_quiet(given) or self.has_views
        if isinstance(target, ast.Attribute) and changing:
            statements += self._note_attribute(target, owner)
        elif isinstance(target, ast.Attribute):
            name = mangle(target.attr, self.scope.class_name)
            mark = self.mark(ATTRIBUTE, at, where=target, label=f"{self.text(target.value)}\t{name}")
            old = self._own_value(owner, name, load("@old", at), at)
            statements += self.event_statements(mark, [owner, old], at)
        elif changing:
            statements += self._note_item(ITEM, container, key, target, load("@n", at))
        else:
            mark = self.mark(ITEM, at, where=target, label=f"{self.text(target.value)}\t")
            statements += self.event_statements(mark, [container, key, load("@old", at)], at)
        statements.append(ast.Assign([store], load("@n", at), None, **at))
        return statements

    def _own_value(self, owner: ast.expr, name: str, read: ast.expr, at: Location) -> ast.expr:
        """What an object had itself of an attribute that was read: it may be that of its class."""
        kind = call(placeholder("type", at), [repeated(owner, at)], at)
        is_direct = ast.Compare(kind, [ast.In()], [placeholder(f"direct:{name}", at)], **at)
        given = [repeated(owner, at), constant(name, at), placeholder("absent", at)]
        own = call(subscript(placeholder(f"store:{name}", at), kind, at), given, at)
        is_own = either([ast.UnaryOp(ast.Not(), is_on(f"of_class:{name}", at), **at), is_direct], at)
        return ast.IfExp(is_own, read, own, **at)

    def _changed_in_place(self, target: Any, operator: str, value: ast.expr, at: Location) -> ast.stmt:
        """`target += value` without temporaries, as `target = iadd(target, value)` where each part is evaluated once: owner,
        or container and key, are held until the store, the old value until the operand is known."""

        def hook(name: str, *given: ast.expr) -> ast.expr:
            return call(placeholder(name, at), list(given), at)

        text = self.text(target)
        if isinstance(target, ast.Attribute):
            owner = self.expression(target.value)
            if target.attr == "__dict__":
                witnessed = self._witness_mark(target, self.text(target.value), "|=")
                owner = held_for(owner, witnessed)
                value = at_last_noted("note_attributes", [witnessed], value)
            name = mangle(target.attr, self.scope.class_name)
            noted = self.mark(ATTRIBUTE, at, where=target, label=f"{self.text(target.value)}\t{name}")
            read: ast.expr = ast.Attribute(hook("hold", owner), target.attr, ast.Load(), **location(target))
            stored = hook("note_attribute", noted, placeholder(f"attribute:{name}", at), hook("let_go"))
            store: ast.expr = ast.Attribute(stored, target.attr, ast.Store(), **location(target))
        else:
            label = f"{self.text(target.value)}\t"
            given, noted = (self.mark(ITEM, at, where=target, label=label) for _ in range(2))
            container = self.namespace_changed(target.value)
            key = hook("note_default", given, self.expression(target.slice))
            read = subscript(hook("hold", hook("hold", container)), hook("hold", key), location(target))
            key = hook("note_item", noted, hook("let_go_below"))
            store = ast.Subscript(hook("hold", hook("let_go_below")), key, ast.Store(), **location(target))
        mark = self.mark(MUTATE, at, where=target, label=f"{text}\t{operator}")
        operand = hook("note_kept_in_place", mark, placeholder(f"method:{operator}", at), value)
        return ast.Assign([store], hook(f"in place {operator}", hook("hold", read), operand), None, **at)

    def _noted_at_store(self, target: ast.expr, value: ast.expr, keeps: bool, given: ast.expr) -> ast.expr:
        """`value` of `target += value`, logging the target once more: working out the value may have changed it.

        Not where it may sleep meanwhile: what is held would get mixed up.
        """
        if any(isinstance(part, (ast.Await, ast.Yield, ast.YieldFrom)) for part in walk(given)):
            return value
        at = location(value)
        if isinstance(target, ast.Attribute):
            name = mangle(target.attr, self.scope.class_name)
            mark = self.mark(ATTRIBUTE, at, where=target, label=f"{self.text(target.value)}\t{name}")
            target.value = call(placeholder("hold", at), [target.value], at)
            return call(
                placeholder("note_attribute_stored", at),
                [mark, placeholder(f"attribute:{name}", at), value],
                at,
            )
        if not isinstance(target, ast.Subscript):
            return value
        label = f"{self.text(target.value)}\t"
        target.value = call(placeholder("hold", at), [target.value], at)
        if isinstance(target.slice, ast.Slice):
            mark = self.mark(CONTENT, at, where=target, label=label)
            return call(placeholder("note_content_stored", at), [mark, value], at)
        mark = self.mark(ITEM, at, where=target, label=label)
        target.slice = call(placeholder("hold", at), [target.slice], at)
        hook = "note_kept_item_stored" if keeps else "note_item_stored"
        return call(placeholder(hook, at), [mark, value], at)

    def _note_in_place(
        self, name: str, operator: str, value: ast.expr, at: Location, where: Any = None
    ) -> ast.expr:
        """`value`, logging first where the variable `name` holds a builtin container that `operator` changes."""
        kind = call(placeholder("type", at), [load(name, at)], at)
        mutable = subscript(placeholder("containers", at), kind, at)
        label = f"{self.text(where) if where is not None else name}\t{operator}"
        mark = self.mark(MUTATE, at, label=label)
        parked = load("@t1", at)
        reader = subscript(
            placeholder(f"method:{operator}", at), call(placeholder("type", at), [load(name, at)], at), at
        )
        # (a list has no `-=`: nothing is read then, and the program's own error follows)
        information = call(load("@h", at), [load(name, at), parked], at)
        event = self.event(mark, [load(name, at), information], at)
        number = ast.Compare(kind, [ast.IsNot()], [placeholder("int", at)], **at)
        note = both([number, mutable, park("@h", reader, at), event], at)
        return either(
            [same(park("@t1", value, at), placeholder("absent", at), at), note, load("@t1", at)], at
        )

    def _Delete(self, node: ast.Delete) -> list[ast.stmt]:
        self.piece(node)
        at = location(node)
        statements: list[ast.stmt] = []
        for target in _each_deleted(node.targets):
            single = ast.Delete([target], **at)
            if isinstance(target, ast.Attribute):
                single.targets = [self.target(target, context=ast.Del())]
            elif (
                isinstance(target, ast.Subscript)
                and self.scope.temporaries
                and not isinstance(target.slice, ast.Slice)
                and self.owner_of(target.value) is None
            ):
                container, key = self._item_parts(target, statements)
                statements += self._note_item(ITEM_DELETED, container, key, target)
                single.targets = [ast.Subscript(container, key, ast.Del(), **location(target))]
            elif isinstance(target, ast.Subscript):
                single.targets = [self.target(target, context=ast.Del())]
            elif isinstance(target, ast.Name) and self._is_shared(target.id) and self.scope.temporaries:
                statements += self._note_name(target.id, placeholder("absent", at), at)
            statements.append(single)
        return [*statements, *self._let_go(at)]

    def _let_go(self, at: Location) -> list[ast.stmt]:
        """Where the program lets go of an object, our temporaries do, too. Which there are is known in the end."""
        if not self.scope.temporaries:
            return []
        letting_go = ast.Assign([ast.Name("@q", ast.Store(), **at)], constant(None, at), None, **at)
        self.scope.letting_go.append(letting_go)
        return [letting_go]

    def target(
        self, node: ast.expr, context: ast.expr_context | None = None, keeps: bool = False
    ) -> ast.expr:
        """A store (or delete) target that logs before the store happens; the target's parts are evaluated once."""
        context = context or ast.Store()
        if isinstance(node, (ast.Tuple, ast.List)):
            node.elts = [self.target(element, context) for element in node.elts]
        elif isinstance(node, ast.Starred):
            node.value = self.target(node.value, context)
        elif isinstance(node, ast.Attribute):
            node.value = self._noting_attribute(node, keeps)
        elif isinstance(node, ast.Subscript):
            self._noting_item(node, context, keeps)
        return node

    def _noting_attribute(self, node: ast.Attribute, keeps: bool) -> ast.expr:
        owner = self.expression(node.value)
        at = location(node.value)
        name = mangle(node.attr, self.scope.class_name)
        label = f"{self.text(node.value)}\t{name}"
        if node.attr == "__dict__":
            owner = self._attributes_noted(node, owner)
            if not keeps:
                return owner
        if isinstance(node.ctx, ast.Del):  # a class that stores in its own way may delete as any does
            mark = self.mark(NAMED, at, where=node, label=f"{self.text(node.value)}\t__delattr__")
            readers = placeholder(f"attribute:{name}", at)
            return call(placeholder("note_attribute_deleted", at), [mark, readers, owner], at)
        if not self.scope.temporaries:
            mark = self.mark(ATTRIBUTE, at, where=node, label=label)
            hook = "note_attribute_kept" if keeps else "note_attribute"
            return call(placeholder(hook, at), [mark, placeholder(f"attribute:{name}", at), owner], at)
        fresh = (
            isinstance(owner, ast.Name)
            and owner.id == self.scope.fresh_self
            and isinstance(node.ctx, ast.Store)
        )
        if fresh and name not in self.scope.fresh_attributes:
            self._first_stored(name, node)
            mark = self.mark(ATTRIBUTE_NEW, at, where=node, label=label)
            return either([self.event(mark, [load(owner.id, at)], at), owner], at)
        mark = self.mark(ATTRIBUTE, at, where=node, label=label)
        first: ast.expr
        if is_repeatable(owner):
            first, again = owner, owner
        else:
            parked = self.scope.fresh("o")
            first, again = park(parked, owner, at), load(parked, at)
        reader = subscript(
            placeholder(f"attribute:{name}", at), call(placeholder("type", at), [again], at), at
        )
        old = call(reader, [again, constant(name, at), placeholder("absent", at)], at)
        return either([self.event(mark, [first, old], at), again], at)

    def _first_stored(self, name: str, target: ast.Attribute) -> None:
        self.scope.fresh_attributes.add(name)
        self.scope.met_at = min(self.scope.met_at, (target.lineno, target.col_offset))

    def _noting_item(self, node: ast.Subscript, context: ast.expr_context, keeps: bool) -> None:
        at = location(node.value)
        if not isinstance(node.slice, ast.Slice) and not keeps and self.holds_owner(node.value):
            mark = self.mark(NAMED, at, where=node, label=f"{self.text(node.value)}\t")
            node.slice = call(placeholder("note_named_inside", at), [mark, self.expression(node.slice)], at)
            return
        label = f"{self.text(node.value)}\t"
        container = self.namespace_changed(node.value)
        if isinstance(node.slice, ast.Slice):
            mark = self.mark(CONTENT, at, where=node, label=label)
            node.slice = bounds = self.expression(node.slice)
            if bounds.step is not None or (bounds.lower is None and bounds.upper is None):
                node.value = call(placeholder("note_content", at), [mark, container], at)
                return
            node.value = call(placeholder("hold", at), [container], at)
            if bounds.upper is None:
                bounds.lower = call(placeholder("note_from", at), [mark, bounds.lower], at)
                return
            if bounds.lower is not None:
                bounds.lower = call(placeholder("hold", at), [bounds.lower], at)
            hook = "note_until" if bounds.lower is None else "note_between"
            bounds.upper = call(placeholder(hook, at), [mark, bounds.upper], at)
            return
        if isinstance(context, ast.Del):
            given = [self.mark(ITEM_DELETED, at, where=node, label=label), self._order_mark(node)]
            key = self.expression(node.slice)
            node.value = call(placeholder("hold", at), [container], at)
            node.slice = call(placeholder("note_deleted", at), [*given, key], at)
            return
        mark = self.mark(ITEM, at, where=node, label=label)
        key = self.expression(node.slice)
        node.value = call(placeholder("hold", at), [container], at)
        node.slice = call(placeholder("note_item_kept" if keeps else "note_item", at), [mark, key], at)


def _each_deleted(targets: list[ast.expr]) -> Iterator[ast.expr]:
    for target in targets:
        if isinstance(target, (ast.Tuple, ast.List)):
            yield from _each_deleted(target.elts)
        else:
            yield target


def may_be_new(value: ast.expr) -> bool:
    """Whether an expression may give an object that nobody else holds, or a frame: that one is not for us to keep."""
    if isinstance(value, ast.Attribute):
        return value.attr in _FRAMES
    return isinstance(value, (ast.Call, ast.Await, ast.Yield, ast.YieldFrom))


def is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def is_plain_target(target: ast.expr) -> bool:
    """Whether a store binds names and does nothing else."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(map(is_plain_target, target.elts))
    return isinstance(target, ast.Name) or (isinstance(target, ast.Starred) and is_plain_target(target.value))


def parallel(target: ast.Tuple, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """`a[i], b = x, y` as pairs, where a store is worth logging and each side is plain; else nothing."""
    if not isinstance(value, ast.Tuple) or len(value.elts) != len(target.elts):
        return []
    if any(isinstance(part, ast.Starred) for part in (*target.elts, *value.elts)):
        return []
    if not any(isinstance(part, (ast.Subscript, ast.Attribute)) for part in target.elts):
        return []
    if any(isinstance(part, (ast.Tuple, ast.List)) for part in target.elts):
        return []
    return list(zip(target.elts, value.elts))
