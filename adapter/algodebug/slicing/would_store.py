"""The objects that a piece of code would store into, by its text: expressions for them. What they stand for, see `resolution`.

Those that it would hand to functions which store count as well: these may store into whatever lies inside of them. What
is run without a call (operators, special methods, generators) is told apart: whether any such code runs, objects tell.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import starmap
from typing import Any

from algodebug.slicing import defaults, mutating, sources
from algodebug.slicing.defaults import OfDefault
from algodebug.slicing.resolution import OfModule
from algodebug.slicing.source_files import SourceFiles
from algodebug.slicing.sources import Effects

# An expression, a name of a module (of any for a source below zero), or a default; True where functions would be handed it.
Base = tuple[ast.AST | OfModule | OfDefault, bool]


def bases(files: SourceFiles, unrun: list[Any], effects: Effects, attribute: str | None) -> Iterator[Base]:
    """Expressions for the objects that pieces of code would store into: an attribute, "" for an element, None for either."""
    if effects.handed or effects.anywhere:
        yield OfModule(-1, ""), False
    for piece in unrun:
        if not attribute and mutating.gives_mutator(piece):
            yield piece.value, False
        for node in files.parts(piece):
            if isinstance(node, ast.Call):
                yield from _of_changing_call(files, node, attribute)
                yield from _of_called(files, node, attribute)
            else:
                yield from ((base, False) for base in _of_statement(files, node, attribute))


def _of_statement(
    files: SourceFiles, node: ast.AST, attribute: str | None
) -> Iterator[ast.AST | OfModule | OfDefault]:
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        if attribute is None or node.attr == attribute or (attribute and node.attr == "__dict__"):
            yield node.value
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        if not attribute:
            yield node.value
        if attribute != "" and files.values.may_be_namespace(node.value):
            yield sources.namespace_owner(node.value) or OfModule(-1, "")
    elif isinstance(node, ast.AugAssign):
        if not attribute and sources.may_change_in_place(node):
            yield node.target
    elif isinstance(node, (ast.IfExp, ast.BoolOp)):
        for given in mutating.chosen_in(node) if not attribute else ():
            if isinstance(given, ast.Attribute) and mutating.gives_mutator(given):
                yield given.value


def _of_changing_call(files: SourceFiles, node: ast.Call, attribute: str | None) -> Iterator[Base]:
    """Of `setattr`, `append` and the like, and of methods that are handed over."""
    name = sources.last_name(node.func)
    if (method := mutating.method_read(node.func)) is not None:
        is_mutator = not method or method in mutating.MUTATORS
        if (not attribute and is_mutator) or not method or files.named(method):
            yield from ((owner, True) for owner in mutating.owner_of_read(node))
    if attribute != "" and name in mutating.SETTERS:
        for owner in [*node.args[:1], getattr(node.func, "value", None)]:
            if owner is not None:
                yield owner, False
    if (
        attribute != ""
        and name in mutating.MUTATORS
        and isinstance(node.func, ast.Attribute)
        and files.values.may_be_namespace(node.func.value)
    ):
        yield sources.namespace_owner(node.func.value) or OfModule(-1, ""), False
    if not attribute and name in mutating.MUTATORS:
        if name in mutating.MUTATING_FUNCTIONS:
            yield from ((argument, False) for argument in node.args[:1])
        elif isinstance(node.func, ast.Attribute):
            yield node.func.value, False
            if mutating.may_be_class(node.func.value):
                yield from ((argument, False) for argument in node.args[:1])
    if not attribute:
        methods = (part for part in sources.given(node) if isinstance(part, ast.Attribute))
        yield from ((part.value, False) for part in methods if part.attr in mutating.MUTATORS)


def _of_called(files: SourceFiles, node: ast.Call, attribute: str | None) -> Iterator[Base]:
    """Of functions of the program: what they would get."""
    called = sources.last_name(sources.behind_call(node.func))
    inner = files.effects_of_calls("__next__" if called == "next" else called)
    inner = inner or files.effects_of_calls(sources.last_name(node.func))
    if inner is None or not _could_store(inner, attribute):
        return
    if isinstance(node.func, ast.Attribute):
        yield node.func.value, True
    yield from ((argument, True) for argument in node.args)
    yield from ((keyword.value, True) for keyword in node.keywords)
    yield from ((OfModule(*each), True) for each in inner.globals)
    yield from ((default, True) for default in _left_out(files, node, inner))


def _left_out(files: SourceFiles, call: ast.Call, inner: Effects) -> Iterator[OfDefault]:
    """The defaults that a call, and those that it leads to, may get."""
    for code in files.named(sources.last_name(call.func)):
        yield from (OfDefault(code, parameter) for parameter in defaults.left_out(call, code))
    yield from starmap(OfDefault, inner.defaults)


def implicitly(
    files: SourceFiles, unrun: list[Any], attribute: str | None, generators: bool = False
) -> Iterator[tuple[ast.AST, Effects]]:
    """Nodes that run functions without calling them which would store into something, with what these could do."""
    for node in (node for piece in unrun for node in files.parts(piece)):
        for name in files.implied.names(node):
            inner = files.effects_of_calls(name)
            if inner is None or files.implied.is_generator(name) is not generators:
                continue
            if _could_store(inner, attribute):
                yield node, inner


def read_of_others(inner: Effects) -> Iterator[Base]:
    """What functions that are run would read of others."""
    yield from ((OfModule(*each), True) for each in inner.globals)
    yield from ((OfDefault(*each), True) for each in inner.defaults)


def _could_store(inner: Effects, attribute: str | None) -> bool:
    """Whether functions could store an attribute ("" for an element, None for either)."""
    if not attribute and inner.items:
        return True
    return bool(inner.attributes) if attribute is None else not {attribute, "*"}.isdisjoint(inner.attributes)
