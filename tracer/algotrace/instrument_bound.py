"""Rewriting of calls by a value: `self.put(x)`, `handlers[key](x)`, `f(x)` may call a method of a container that somebody kept,
and `Base.append(self, x)` one of a class.

What is called is looked at before the call, where it is no name of a function or class: a method that changes a container
is noted like one that is called on it. Not here: `xs.append(x)`, where the text tells the method.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence

from algotrace.marks import MUTATE
from algotrace.places import Places
from algotrace.syntax import (
    both, call, constant, either, is_quiet, is_repeatable, load, location, park, placeholder, point, repeated, same, tuple_of, walk,
)  # fmt: skip

SLEEPING = (ast.Await, ast.Yield, ast.YieldFrom)


class BoundCalls(Places):
    """Calls of what may be a method of a container."""

    def _may_be_bound(self, function: ast.expr) -> bool:
        """Whether what is called may be a method that was kept under another name."""
        if self.stored is None:
            return isinstance(function, ast.Name) and function.id in self.aliases
        names, attributes = self.stored
        if isinstance(function, ast.Name):
            known = function.id in self.functions and function.id not in self.scope.locals | self.scope.free
            return function.id in names and not known
        if isinstance(function, ast.Attribute):
            return function.attr in attributes
        return not isinstance(function, ast.Lambda)

    def _note_callee(self, node: ast.Call, original: ast.expr) -> None:
        """Notes the call just before it, when its arguments are known as far as they may change what it changes."""
        function, at = node.func, point(location(node.func))
        container, method = (
            self.aliases.get(original.id, ("", "")) if isinstance(original, ast.Name) else ("", "")
        )
        mark = self.mark(MUTATE, at, where=node, label=f"{container}\t{method}")
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        positional = not node.keywords and not any(isinstance(value, ast.Starred) for value in node.args)
        is_method = placeholder("bound_method", at)
        if all(map(is_quiet, values)) or any(isinstance(part, SLEEPING) for part in walk(node)):
            known = positional and all(map(is_repeatable, values))
            given = [repeated(value, at) for value in values] if known else []
            if not (isinstance(function, ast.Name) or self.scope.temporaries):
                node.func = call(
                    placeholder("note_bound", at), [mark, constant(known, at), function, *given], at
                )
                return
            first, again = self._twice(function)
            note = call(placeholder("note_bound", at), [mark, constant(known, at), again, *given], at)
            kind = call(placeholder("type", at), [first], at)
            node.func = ast.IfExp(same(kind, is_method, at), note, again, **at)
            return
        known = positional and all(map(is_repeatable, values[:-1]))
        if not self.scope.temporaries:
            single = positional and len(values) == 1
            node.func = call(placeholder("hold", at), [function], at)
            wrap_last(
                node,
                lambda last: call(placeholder("note_held_bound", at), [mark, constant(single, at), last], at),
            )
            return
        first, again = self._twice(function)
        node.func = first
        name = self.scope.fresh("a")

        def noted_after(last: ast.expr) -> ast.expr:
            inner = location(last)
            kind = call(placeholder("type", at), [again], at)
            given = [*(repeated(value, at) for value in values[:-1]), load(name, at)] if known else []
            note = call(placeholder("note_bound", at), [mark, constant(known, at), again, *given], at)
            noted = both([same(kind, is_method, at), same(note, placeholder("absent", at), at)], at)
            return either(
                [
                    same(park(name, last, inner), placeholder("absent", inner), inner),
                    noted,
                    load(name, inner),
                ],
                inner,
            )

        wrap_last(node, noted_after)

    def _twice(self, function: ast.expr) -> tuple[ast.expr, ast.expr]:
        """What is called, for the first time and once more."""
        if isinstance(function, ast.Name):
            return function, repeated(function, location(function))
        name = self.scope.fresh("b")
        return park(name, function, location(function)), load(name, location(function))

    def _unbound_noted(self, node: ast.Call, owner: ast.expr, label: str) -> ast.expr:
        """Let an argument note that a method of `owner`, which may be a class, is about to change the first one. Gives the
        owner, which is held where it has no name."""
        assert isinstance(node.func, ast.Attribute)
        at = location(node.args[0])
        if isinstance(node.args[0], ast.Starred):
            if isinstance(owner, ast.Name):
                mark = self.mark(MUTATE, at, where=node, label=label)
                told = [
                    mark,
                    load(owner.id, at),
                    constant(node.func.attr, at),
                    constant(not node.keywords, at),
                ]
                noted = call(placeholder("note_unbound_of", at), [*told, tuple_of(node.args, at)], at)
                node.args = [ast.Starred(noted, ast.Load(), **at)]
            return owner
        mark = self.mark(MUTATE, at, where=node, label=label)
        container, method, values = node.args[0], node.func.attr, [keyword.value for keyword in node.keywords]
        simple = all(map(is_repeatable, node.args[1:])) and all(map(is_repeatable, values))
        which = [load(owner.id, at)] if isinstance(owner, ast.Name) else []
        held = "" if which else "held_"
        if which and not simple and not isinstance(container, ast.Name):
            if self.scope.temporaries:
                name = self.scope.fresh("c")
                node.args[0], container = park(name, container, at), load(name, at)
            elif not any(isinstance(part, SLEEPING) for part in walk(node)):
                given = [mark, *which, constant(method, at)]
                node.args[0] = noted_at_last(node, container, "note_unbound_given", *given)
                return owner
        if simple or not isinstance(container, ast.Name):
            known = simple and not values
            others = [repeated(each, at) for each in node.args[1:]] if known else [placeholder("unknown", at)]
            given = [*which, constant(method, at), container, *others]
            node.args[0] = call(placeholder(f"note_{held}unbound", at), [mark, *given], at)
        else:  # what works out the others may change it before
            single = len(node.args) == 2 and not values and not isinstance(node.args[1], ast.Starred)
            given = [*which, constant(method, at), load(container.id, at), constant(single, at)]
            hook = placeholder(f"note_{held}unbound_late", at)
            wrap_last(node, lambda last: call(hook, [mark, *given, last], at))
        return call(placeholder("hold", at), [owner], at) if held else owner


def loud_up_to(node: ast.Call) -> int:
    """The position of the last argument of a call that working out may run code, as it stands in the text; -1 for none."""
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    if all(map(is_quiet, values)) or any(isinstance(part, SLEEPING) for part in walk(node)):
        return -1
    return max(index for index, value in enumerate(values) if not is_quiet(value))


def noted_at_last(node: ast.Call, value: ast.expr, hook: str, *given: ast.expr) -> ast.expr:
    """`value`, a part of a call, held until the last argument is known, then noted by a hook that is given a mark first. Of
    several that are held for one mark the last one comes first."""
    wrap_last(node, functools.partial(at_last_noted, hook, given))
    return held_for(value, given[0])


def held_for(value: ast.expr, mark: ast.expr) -> ast.expr:
    at = location(value)
    return call(placeholder("hold_for", at), [repeated(mark, at), value], at)


def at_last_noted(hook: str, given: Sequence[ast.expr], last: ast.expr) -> ast.expr:
    """The last argument, with a note of what was held for a mark."""
    at = location(last)
    return call(placeholder("note_at_last", at), [placeholder(hook, at), last, *given], at)


def wrap_last(node: ast.Call, wrap: Callable[[ast.expr], ast.expr]) -> None:
    """Puts something around the argument of a call that is evaluated last."""
    if node.keywords:
        node.keywords[-1].value = wrap(node.keywords[-1].value)
    elif isinstance(node.args[-1], ast.Starred):
        node.args[-1].value = wrap(node.args[-1].value)
    else:
        node.args[-1] = wrap(node.args[-1])
