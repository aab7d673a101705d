"""Rewriting of operators, and of stores to attributes and items, that may be code of strangers: what they are handed is noted
before (see `operations`).

Told from the text where that can be: one operand is a constant, or both are the same name, or new. Left out are operators in
the middle of a larger expression where it would be dear to keep the left one: of sums and products, the first two operands.
Nor is anything noted for the other operators of numbers, comparisons, `in` and reading of items: what these compute with,
compare or look for is not changed by them, and each check would be felt.
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple
from collections.abc import Iterator

from algotrace.instrument_bound import SLEEPING
from algotrace.instrument_handed import SMALL, Handing, is_on, kind_of
from algotrace.instrument_namespaces import called_by
from algotrace.marks import HANDED_ON, PASSED
from algotrace.syntax import (
    Location, both, call, expression_statement, is_repeatable, load, location, placeholder, point, repeated, subscript, walk,
)  # fmt: skip

METHODS: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.MatMult: "matmul", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and", ast.BitOr: "or",
}  # fmt: skip
# These are rarely computed with in a loop, and libraries make sentences of them: `source | step | step`.
OF_SENTENCES: dict[type[ast.operator], str] = {
    ast.BitOr: "|=", ast.BitAnd: "&=", ast.RShift: ">>=", ast.LShift: "<<=", ast.MatMult: "@=",
}  # fmt: skip
_HELD = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Await, ast.IfExp, ast.BoolOp, ast.NamedExpr, ast.List, ast.Tuple, ast.Dict, ast.Set,
    ast.ListComp, ast.SetComp, ast.DictComp,
)  # fmt: skip
_GIVING_NUMBERS = frozenset({"len", "int", "float", "abs", "ord", "hash", "id", "str", "repr", "round"})


class Into(NamedTuple):
    """Attributes and items that a held value is stored to, in order; and the mark of the note."""

    targets: list[Any]
    mark: ast.Constant | None


class Operations(Handing):
    """Operators and stores by which strangers may be handed something."""

    def operated(self, node: ast.BinOp, left: ast.expr, right: ast.expr) -> None:
        """Let an operator note its operands, which were `left` and `right` before they were rewritten."""
        if type(node.op) not in METHODS:
            return
        in_sentence = type(node.op) in OF_SENTENCES
        if not _may_be_handed(left, right) and not (
            in_sentence and isinstance(left, ast.BinOp) and may_hold(right)
        ):
            return
        at, is_small = point(location(right)), len(walk(node.right)) <= SMALL
        if not (is_small or in_sentence):
            return
        given = [self._operation_mark(node), placeholder(f"operating:{METHODS[type(node.op)]}", at)]
        hook = "note_operands"
        if isinstance(left, ast.Name):
            given.append(load(left.id, at))  # type: ignore[arg-type]
        else:
            hook = "note_held_operand"
            is_short = len(walk(node.left)) <= SMALL
            if any(isinstance(part, SLEEPING) for part in walk(right)) or not (is_short or in_sentence):
                return
            held = call(placeholder("hold_operand", at), [repeated_mark(given[0], at), node.left], at)
            node.left = ast.IfExp(_sign(node.op, at), held, node.left, **at) if is_short else held
        noted = call(placeholder(hook, at), [*given, node.right], at)
        node.right = ast.IfExp(_sign(node.op, at), noted, node.right, **at) if is_small else noted

    def operand_noted(self, node: ast.AugAssign, name: str, given: ast.expr, value: ast.expr) -> ast.expr:
        """The `value` of `name += given`, noted."""
        in_sentence = type(node.op) in OF_SENTENCES
        is_small = len(walk(value)) <= SMALL
        if type(node.op) not in METHODS or not (may_hold(given) and (is_small or in_sentence)):
            return value
        at = point(location(given))
        told = [
            self._operation_mark(node),
            placeholder(f"operating:{METHODS[type(node.op)]}", at),
            load(name, at),
            value,
        ]
        noted = call(placeholder("note_operands", at), told, at)
        return ast.IfExp(_sign(node.op, at), noted, value, **at) if is_small else noted

    def attribute_stored(
        self, target: ast.Attribute, owner: ast.expr, given: ast.expr, value: ast.expr
    ) -> list[ast.stmt]:
        """Statements before `owner.name = value`; `given` is what the value was before it was rewritten."""
        if (
            not may_be_kept(given)
            or not is_repeatable(value)
            or not isinstance(owner, ast.Name)
            or owner.id == self.scope.self_name
        ):
            return []
        at = point(location(target))
        strange = subscript(placeholder(f"storing:{target.attr}", at), kind_of(load(owner.id, at), at), at)
        return self._stored(target, [is_on("strangers", at), strange], [owner, value], at)

    def item_stored(
        self, target: ast.Subscript, container: ast.expr, key: ast.expr, value: ast.expr | None
    ) -> list[ast.stmt]:
        """Statements before `container[key] = value`, or without one `del container[key]`, where it is no known container."""
        if not isinstance(container, ast.Name):
            return []
        at = point(location(target))
        method = "__delitem__" if value is None else "__setitem__"
        strange = subscript(placeholder(f"strangers:{method}", at), kind_of(load(container.id, at), at), at)
        values = [each for each in (container, key, value) if isinstance(each, ast.Name) or each is key]
        return self._stored(target, [is_on(f"sign:{method}", at), strange], values, at)

    def named_stored(self, node: ast.Call, owner: ast.expr | None, given: ast.expr | None) -> None:
        """Let `setattr(owner, name, value)`, rewritten, note its value, which was `given`."""
        if given is None or not may_be_kept(given) or not isinstance(owner, ast.Name):
            return
        at, value = point(location(given)), node.args[-1]
        told = [self._operation_mark(node), load(owner.id, at), value]
        noted = call(placeholder("note_named_stored", at), told, at)
        small = len(walk(value)) <= SMALL
        node.args[-1] = ast.IfExp(is_on("strangers", at), noted, value, **at) if small else noted

    def _stored(
        self, target: ast.expr, conditions: list[ast.expr], values: list[ast.expr], at: Location
    ) -> list[ast.stmt]:
        told = [self._operation_mark(target), *(repeated(value, at) for value in values)]
        note = expression_statement(call(placeholder("note_stored", at), told, at), at)
        return [ast.If(both(conditions, at), [note], [], **at)]

    def value_held(self, targets: list[ast.expr], given: ast.expr, value: ast.expr) -> tuple[ast.expr, Into]:
        """The value of several stores, or of one that cannot be split, held for `into`; and where it is stored to."""
        found = list(self._of_others(targets)) if may_be_kept(given) else []
        if not found or any(isinstance(part, SLEEPING) for target in targets for part in walk(target)):
            return value, Into([], None)
        at, mark = point(location(given)), self._operation_mark(found[0])
        held: ast.expr = call(placeholder("hold_operand", at), [mark, value], at)
        if len(walk(value)) <= SMALL:
            held = ast.IfExp(is_on("strangers", at), held, value, **at)
        return held, Into(found, mark)

    def into(self, stores: Into) -> None:
        """Let stores note the value that is held; their targets have been rewritten."""
        for number, target in enumerate(stores.targets):
            at = point(location(target))
            attribute_table, item_table = f"storing:{getattr(target, 'attr', '')}", "strangers:__setitem__"
            table = placeholder(attribute_table if isinstance(target, ast.Attribute) else item_table, at)
            hook = "note_held_into" if number + 1 < len(stores.targets) else "note_last_held_into"
            # A container is held until its key is known: it is noted before that.
            holds = isinstance(target, ast.Subscript) and isinstance(target.value, ast.Call)
            owner: ast.expr = target.value.args[0] if holds else target.value
            noted: ast.expr = call(placeholder(hook, at), [repeated_mark(stores.mark, at), table, owner], at)
            if len(walk(owner)) <= SMALL:
                noted = ast.IfExp(is_on("strangers", at), noted, owner, **at)
            if holds:
                target.value.args[0] = noted
            else:
                target.value = noted

    def kept_operand_noted(self, node: ast.AugAssign, given: ast.expr, value: ast.expr) -> ast.expr:
        """The `value` of `target += given`, where what the target was is held."""
        if type(node.op) not in METHODS or not may_hold(given):
            return value
        at = point(location(given))
        told = [self._operation_mark(node), placeholder(f"operating:{METHODS[type(node.op)]}", at), value]
        return call(placeholder("note_kept_operand", at), told, at)

    def _of_others(self, targets: list[ast.expr]) -> Iterator[Any]:
        """The attributes and items among the targets of stores, but for attributes of the function's own object."""
        for target in targets:
            if isinstance(target, (ast.Tuple, ast.List)):
                yield from self._of_others(target.elts)
            elif isinstance(target, ast.Starred):
                yield from self._of_others([target.value])
            elif isinstance(target, ast.Attribute):
                is_own = isinstance(target.value, ast.Name) and target.value.id == self.scope.self_name
                if not is_own and target.attr != "__dict__":
                    yield target
            elif isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice):
                yield target

    def _operation_mark(self, node: ast.AST) -> ast.Constant:
        """Strangers may keep it."""
        return self.mark(PASSED, location(node), where=node, label=f"\t{HANDED_ON}")


def named_store(node: ast.Call) -> tuple[ast.expr | None, ast.expr | None]:
    """The owner and the value of `setattr(owner, name, value)`, or of `object.__setattr__`."""
    is_whole = (
        called_by(node.func) in ("setattr", "__setattr__") and len(node.args) == 3 and not node.keywords
    )
    if not is_whole or any(isinstance(each, ast.Starred) for each in node.args):
        return None, None
    return node.args[0], node.args[2]


def _may_be_handed(left: ast.expr, right: ast.expr) -> bool:
    """Whether one of two operands may be an object of strangers, and the other one something that they may change."""
    if isinstance(left, ast.Name) and isinstance(right, ast.Name) and left.id == right.id:
        return False
    return may_hold(left) and (may_hold(right) or isinstance(right, ast.BinOp))


def may_hold(value: ast.expr) -> bool:
    """Whether what an expression gives may be known elsewhere, and is no number or text for sure."""
    if isinstance(value, ast.Call):
        return called_by(value.func) not in _GIVING_NUMBERS
    return isinstance(value, _HELD)


def may_be_kept(value: ast.expr) -> bool:
    return isinstance(value, ast.BinOp) or may_hold(value)


def repeated_mark(mark: ast.expr | None, at: Location) -> ast.expr:
    assert isinstance(mark, ast.Constant)
    return repeated(mark, at)


def _sign(operator: ast.operator, at: Location) -> ast.expr:
    return is_on(f"sign:__{METHODS[type(operator)]}__", at)
