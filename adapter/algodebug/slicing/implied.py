"""What code runs of the program without saying so: special methods, properties, generators that are gone through.

Told by the text: by the operators, loops, reads in it, and by what the program defines at all. Who has which class is not
asked here; what the functions do is said by `source_files`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from algodebug.slicing.flow import GENERATOR
from algodebug.slicing.function_values import is_special
from algodebug.slicing.mutating import MUTATORS
from algodebug.slicing.sources import BINARY, BUILTINS, CALLING_NOTHING, LEAVES, UNARY, last_name, walk

if TYPE_CHECKING:
    from algodebug.slicing.source_files import SourceFiles

_TRUTH = ("__bool__", "__len__")
_WRITTEN = ("__str__", "__repr__", "__format__")
_ORDERING = ("__lt__", "__gt__", "__le__", "__ge__")
_EQUALITY = ("__eq__", "__ne__", "__hash__")
_ITERATING = ("__iter__", "__next__", "__getitem__", "__len__")
_READING = ("__getattr__", "__getattribute__", "__get__")
_STORING = ("__setattr__", "__set__")
_OF_LIBRARY = (
    *_ITERATING,
    *_EQUALITY,
    *_ORDERING,
    *_WRITTEN,
    "__contains__",
    "__add__",
    "__radd__",
    "__bool__",
)
_OTHERS = BUILTINS | CALLING_NOTHING | MUTATORS
_TESTS = (ast.If, ast.While, ast.IfExp, ast.Assert)
_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)
_RUNNING_NOTHING = LEAVES | {ast.arguments, ast.arg, ast.keyword, ast.alias}


class ImpliedCalls:
    """The functions that pieces of code may run by what they are; found once for all files."""

    def __init__(self, files: SourceFiles) -> None:
        self.files = files
        self._generators: tuple[frozenset[str], frozenset[str]] | None = None
        self._known: dict[str, list[str]] = {}

    def names(self, node: ast.AST) -> list[str]:
        """The names of the functions of the program that evaluating a node, but for its parts, may run."""
        if type(node) in _RUNNING_NOTHING:
            return []
        return [known for name in self._possible(node) for known in self._defined_as(name)]

    def _defined_as(self, name: str) -> list[str]:
        if name not in self._known:
            self._known[name] = [name] if self.files.named(name) else []
            if is_special(name):
                others = self.files.values.standing_for(name)
                self._known[name] += [each for each in others if type(each) is str and self.files.named(each)]
        return self._known[name]

    def _possible(self, node: Any) -> Iterator[str]:
        match node:
            case ast.BinOp(op=op) | ast.AugAssign(op=op):
                sign = BINARY[type(op)]
                yield from (f"__{sign}__", f"__r{sign}__")
                if isinstance(node, ast.AugAssign):
                    yield f"__i{sign}__"
                elif sign == "mod":
                    yield from _WRITTEN
            case ast.UnaryOp(op=op):
                yield from _TRUTH if isinstance(op, ast.Not) else (UNARY[type(op)],)
            case ast.Compare(ops=ops, comparators=others):
                if any(isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in ops):
                    yield from _ORDERING
                if not all(isinstance(op, (ast.Is, ast.IsNot)) for op in ops):
                    yield from _EQUALITY
                if any(isinstance(op, (ast.In, ast.NotIn)) for op in ops):
                    yield "__contains__"
                    yield from self._iterating(others)
            case ast.Subscript(ctx=ctx):
                yield from _EQUALITY
                yield from ("__getitem__", "__missing__") if isinstance(ctx, ast.Load) else ()
                yield "__setitem__" if isinstance(ctx, ast.Store) else "__delitem__"
            case ast.Attribute(attr=name, ctx=ctx):
                if isinstance(ctx, ast.Load):
                    yield from _READING
                else:
                    yield from (*_STORING, "__delattr__", "__delete__")
                if self._is_property(name):
                    yield name
            case ast.FormattedValue():
                yield from _WRITTEN
            case ast.Call():
                yield from self._called(node)
            case ast.With() | ast.AsyncWith():
                yield from ("__enter__", "__exit__", "__aenter__", "__aexit__")
            case ast.Dict() | ast.Set():
                yield from _EQUALITY
            case ast.BoolOp():
                yield from _TRUTH
            case ast.Starred(value=value) | ast.YieldFrom(value=value):
                yield from self._iterating([value])
            case ast.Assign(targets=targets, value=value):
                if any(isinstance(target, (ast.Tuple, ast.List)) for target in targets):
                    yield from self._iterating([value])
        if isinstance(node, _TESTS):
            yield from _TRUTH
        elif isinstance(node, _LOOPS):
            yield from self._iterating([node.iter])

    def _called(self, call: ast.Call) -> Iterator[str]:
        name = last_name(call.func)
        if name in BUILTINS or not self.files.named(name):
            yield f"__{name}__"
            if name not in _OTHERS or self.files.values.is_variable(call.func):
                yield "__call__"
            yield from _OF_LIBRARY
            yield from self._generated([*call.args, *(keyword.value for keyword in call.keywords)])
            if isinstance(call.func, ast.Attribute):
                yield from self._generated([call.func.value])

    def _iterating(self, values: Iterable[ast.expr]) -> Iterator[str]:
        yield from _ITERATING
        yield from self._generated(values)

    def _generated(self, values: Iterable[ast.expr]) -> Iterable[str]:
        """The generators that values may be, or hold."""
        holders, generators = self._found()
        if holders and any(last_name(part) in holders for value in values for part in walk(value)):
            return generators
        return ()

    def is_generator(self, name: str) -> bool:
        return name in self._found()[1]

    def _found(self) -> tuple[frozenset[str], frozenset[str]]:
        """The names that generators may go by, and those of the functions that make them."""
        if self._generators is None:
            self._generators = frozenset(), frozenset()
            holders = frozenset(name for name, _ in self.files.flow().reached(GENERATOR))
            codes = [code for file in self.files.looked_at() for code in file.functions.values()]
            names = {code.name for code in codes if isinstance(code, ast.FunctionDef)} if holders else set()
            self._generators = holders, frozenset(filter(self.files.only_generates, names))
        return self._generators

    def _is_property(self, name: str) -> bool:
        return any(
            self.files.values.may_make_property(decorator)
            for code in self.files.named(name)
            for decorator in getattr(code, "decorator_list", ())
        )


def operands(node: ast.AST) -> list[ast.expr]:
    """What the special methods that a node runs belong to, or are given."""
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return [item.context_expr for item in node.items]
    if isinstance(node, _LOOPS):
        return [node.iter]
    if isinstance(node, ast.Call):
        holder = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return [node.func, *holder, *node.args, *(keyword.value for keyword in node.keywords)]
    return [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
