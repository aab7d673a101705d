"""Which special method a call is of, whatever the function is named, and what may have one: told by the text and the trace.

A function may be a special method under another name (`__lt__ = less`), as may a lambda, or what a decorator made. Left out:
the running of them, which is `running`.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Container
from typing import Any

from algodebug.slicing import class_attributes, sources
from algodebug.slicing.frame import Frame
from algodebug.slicing.function_values import is_special
from algodebug.slicing.instances import (
    ATTRIBUTE,
    DISPLAY,
    ITEM,
    OPERATION,
    SLICED,
    UNSET,
    WRITE,
    Instance,
)
from algodebug.slicing.known import is_plain_row
from algodebug.slicing.steps import CHILD
from algotrace import marks

_WHOLE_CALLS = frozenset({"__call__", "__init__", "__new__"})
ITERATING = frozenset({"__iter__", "__next__", "__getitem__", "__len__", "__aiter__", "__anext__", "close"})
_BEGINNING = frozenset({"__iter__", "__aiter__"})
MATCHING = frozenset(
    {"__eq__", "__len__", "__getitem__", "__instancecheck__", "__subclasscheck__", "__hash__"}
)
SLICING = frozenset({"__getitem__", "__index__"})
FINDING = frozenset({"__eq__", "__hash__", "__index__"})
STORING = frozenset(
    {"__setitem__", "__delitem__", "__setattr__", "__delattr__", "__set__", "__delete__", "__set_name__", "__hash__", "__eq__"}
)  # fmt: skip
_CHANGING = STORING - {"__set_name__", "__hash__", "__eq__"}
_OF_OTHERS = _WHOLE_CALLS | {  # what calls, loops and `with` run
    "__enter__",
    "__exit__",
    "__aenter__",
    "__aexit__",
    "__iter__",
    "__next__",
    "__anext__",
    "__aiter__",
}
WRITTEN_DOWN = frozenset({"__str__", "__repr__", "__format__"})
_ORDERING = frozenset({"__lt__", "__le__", "__gt__", "__ge__"})
OPERATORS = frozenset(f"__{prefix}{name}__" for prefix in ("", "r", "i") for name in sources.BINARY.values())
_APPLIED = (ast.BinOp, ast.UnaryOp, ast.AugAssign, ast.FormattedValue)
_COMPUTING = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.JoinedStr)
_DEEPEST = 3  # containers looked into for what they hold
_MOST_HELD = 200


class SpecialMethods(Frame):
    """What runs next, and whose it may be."""

    def routine_name(self, node: int) -> str:
        return self.trace.routines[self.trace.routine[node]].name

    def special_name(self, node: int, of: Container[str]) -> str:
        """The name of a node's routine, or of the special method `of` some that it is under another name."""
        name = self.routine_name(node)
        if name in of:
            return name
        return next((each for each in self.files.values.special_methods(name) if each in of), name)

    def coming_special(self, of: Container[str]) -> str:
        """The special method of some that runs next, be it a function of another name, or a lambda; "" where none does."""
        item = self.cursor.peek()
        if item is None:
            return ""
        if item[1] == CHILD:
            name = self.special_name(item[2], of)
            return name if name in of else ""
        return next((each for each in self._stands_for(item) if each in of), "")

    def may_be_of(self, item: Any, owner: Instance) -> bool:
        """Whether what runs next may be a method of an object."""
        known = self.graph.number(owner)
        if not known:
            shown = self.graph.origin(owner)
            is_plain = shown.kind in (DISPLAY, SLICED) or isinstance(shown.node, sources.Comprehension)
            return not is_plain and not (
                shown.kind == ATTRIBUTE and class_attributes.is_plain(self.graph, shown)
            )
        first = self._first_given(item[2]) if item[1] == CHILD else 0
        return first in (0, known) or self.graph.weak_proxies.is_proxy(known)

    def _first_given(self, node: int) -> int:
        """The object that a node got first, of a method its own; 0 where that is not known."""
        arguments = self.trace.arguments(node)
        if not arguments:
            return 0
        first = arguments[0].value.identity
        given = getattr(self.files.code_of(self.trace.routine[node]), "args", None)
        if given is not None and given.vararg is not None and given.vararg.arg == arguments[0].name:
            return next(iter(self.trace.content(first, self.trace.start[node]).items), 0)
        return first

    def _specials_of(self, node: int) -> Collection[str]:
        name = self.routine_name(node)
        return (name,) if is_special(name) else self.files.values.special_methods(name)

    def _stands_for(self, item: Any) -> Collection[str]:
        """The special methods, and properties, that what runs next may be."""
        if item[1] == CHILD:
            return self._specials_of(item[2])
        code = self.files.code_of(item[2].routine) if item[1] == marks.ENTER else None
        return self.files.values.special_methods(code) if isinstance(code, ast.Lambda) else set()

    def may_be_run_by(self, node: ast.AST | None, names: frozenset[str], item: Any) -> bool:
        """Whether what runs next may be a special method that an operator, a test, a format runs: any, or one of those named."""
        return any(
            (not names or each in names)
            and (node is None or not _is_of_another(node, each))
            and each not in _OF_OTHERS
            and is_special(each)
            for each in self._stands_for(item)
        )

    def is_answered(self, made: Instance, child: int) -> bool:
        """Whether a special method is one of what an operator is applied to, and gave its result: nothing else runs for it."""
        node = made.node
        if made.kind == WRITE:
            return not _CHANGING.isdisjoint(self._specials_of(child))
        if made.kind == ITEM and not is_special(self.routine_name(child)):  # which one it is cannot be told
            return 0 < self._first_given(child) == self.graph.number(made.uses[1])
        if isinstance(node, ast.Compare):
            if self.routine_name(child) != "__contains__" and any(map(_looks_inside, node.ops)):
                return False
        elif not isinstance(node, _APPLIED):
            return False
        first = self._first_given(child)
        if not first or not any(self._may_be(part, first) for part in (*made.deep, *made.shape)):
            return False  # of something that an operand holds
        given = self.trace.outcome_object(child)
        row = self.trace.row(given) if given else None
        if type(row) is not list or row[0] != "instance":
            return True
        return bool(self.trace.type_of(row[1])[0] != "NotImplementedType")

    def _may_be(self, value: Instance, number: int) -> bool:
        """Whether a value is an object of the trace, or may be: the trace does not name it."""
        known = self.graph.number(value)
        if known or self.graph.value(value) is not UNSET or self.graph.is_plain_container(value):
            return known == number
        shown = self.graph.origin(value)
        return shown.kind not in (DISPLAY, SLICED) and not isinstance(shown.node, sources.Comprehension)

    def may_call(self, value: Instance) -> bool:
        """Whether a value may be a function, or something else that runs code when it is used."""
        plain = self.graph.value(value) is not UNSET or self.graph.is_plain_container(value)
        shown = self.graph.origin(value)
        if (
            isinstance(shown.node, ast.GeneratorExp)
            and shown.kind == OPERATION
            and not _has_calls(shown.node)
        ):
            return any(map(self.may_call, shown.deep))
        if shown.kind == OPERATION and (
            _is_truth(shown.node) or (isinstance(shown.node, _COMPUTING) and self.is_of_scalars(shown))
        ):
            return False
        return not plain and shown.kind not in (DISPLAY, SLICED)

    def may_be_asked(self, value: Instance) -> bool:
        """Whether a value may be, or hold, something with special methods of the program."""
        if self.graph.value(value) is not UNSET:
            return False
        number = self.graph.number(value)
        if number:
            return self._may_hold(number, value.time)
        shown = self.graph.origin(value)
        if shown.kind == DISPLAY:
            parts = shown.detail.values() if isinstance(shown.detail, dict) else shown.detail
            return any(map(self.may_be_asked, parts))
        if shown.kind == SLICED:
            return self.may_be_asked(shown.uses[0])
        if shown.kind == OPERATION and isinstance(shown.node, sources.Comprehension):
            return _has_calls(shown.node) or any(map(self.may_be_asked, shown.deep))
        return not (shown.kind == OPERATION and (_is_truth(shown.node) or self.is_of_scalars(shown)))

    def _may_hold(self, number: int, time: int, depth: int = 0) -> bool:
        row = self.trace.row(number)
        if type(row) is not list or row[0] in ("huge", "bytes", "complex"):
            return False
        if not is_plain_row(self.graph, row) or depth > _DEEPEST:
            return True
        content = self.trace.content(number, time)
        held = {*content.items, *(part for pair in content.pairs.values() for part in pair)}
        if not content.certain or len(held) > _MOST_HELD:
            return True
        return any(self._may_hold(part, time, depth + 1) for part in held)

    def is_of_scalars(self, made: Instance) -> bool:
        """Whether an operation cannot have run code of the program: all that it was applied to is plain."""
        operands = made.deep or made.shape
        return (
            made.kind == OPERATION
            and bool(operands)
            and all(
                self.graph.value(part) is not UNSET or self.graph.is_plain_container(part)
                for part in operands
            )
        )

    def _begins(self, node: int, iterable: Instance) -> bool:
        """Whether a node is the `__iter__` of what a loop goes through."""
        if _BEGINNING.isdisjoint(self._specials_of(node)):
            return False
        return 0 < self._first_given(node) == self.graph.number(iterable)

    def iterates(self, node: int) -> bool:
        return self.special_name(node, ITERATING) in ITERATING


def _looks_inside(operator: ast.cmpop) -> bool:
    return isinstance(operator, (ast.In, ast.NotIn))


def _is_of_another(node: ast.AST | None, method: str) -> bool:
    """Whether a special method belongs to another operator than the one that was evaluated."""
    if isinstance(node, (ast.JoinedStr, ast.FormattedValue)):
        return method not in WRITTEN_DOWN
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        if isinstance(node.op, ast.MatMult):  # what it does with its elements is its own business
            return False
        sign = sources.BINARY[type(node.op)]
        if method in OPERATORS:
            return method not in (f"__{sign}__", f"__r{sign}__", f"__i{sign}__")
        # (`%` may write a text)
        return method in _ORDERING or (method in ("__len__", "__bool__") and sign != "mod")
    if isinstance(node, ast.UnaryOp):
        return method in _ORDERING or method in OPERATORS
    if not isinstance(node, ast.Compare):
        return False
    orders = any(isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in node.ops)
    return method in OPERATORS or (method in _ORDERING and not orders)


def _is_truth(node: ast.AST | None) -> bool:
    """Whether an operation always gives True or False."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    return isinstance(node, ast.Compare) and all(
        isinstance(op, (ast.In, ast.NotIn, ast.Is, ast.IsNot)) for op in node.ops
    )


def _has_calls(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Call) for part in ast.walk(node))
