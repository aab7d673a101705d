"""Which parameters of a call took their default values, as far as the text of its caller tells.

A trace holds what a parameter was bound to, not whether the caller gave it. Both are told apart by the calls that
the caller's text has by that name: where every one of them leaves a parameter out, its default was taken. Calls under
another name (callbacks, aliases) are not told; one object in the same parameter of two calls settles those too.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from algotrace.scopes import children, parsed

if TYPE_CHECKING:
    from algotrace.trace import Routine, Trace

Function = ast.FunctionDef | ast.AsyncFunctionDef
_MOST_CALLS = 2000  # of one routine, looked at to find an object again


class CallSite(NamedTuple):
    """A call as it is written: the last part of what is called, and what is given."""

    line: int
    name: str
    through: bool  # through an attribute: a method's first parameter is bound
    positional: int
    keywords: frozenset[str]
    spread: bool  # `*xs` or `**options`: may give anything


class Text(NamedTuple):
    """What is known of a source text: its calls, other uses of names, and its functions by line."""

    calls: list[CallSite]
    other_uses: list[tuple[int, str]]  # names that are loaded otherwise than to be called
    called_later: list[tuple[int, str]]  # … to be called when a lambda or a generator expression is
    functions: dict[tuple[str, int], Function]
    classes: dict[str, ast.ClassDef]


@lru_cache(maxsize=256)
def read_text(text: str) -> Text:
    """Pure; a text that does not parse is empty."""
    found = Text([], [], [], {}, {})
    try:
        tree = parsed(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return found
    called: set[int] = set()
    pending: list[tuple[ast.AST, str, bool]] = [(tree, "", False)]
    while pending:
        node, prefix, is_later = pending.pop()
        inside = prefix
        is_later = is_later or isinstance(node, (ast.Lambda, ast.GeneratorExp))
        if isinstance(node, ast.Call):
            called.add(id(node.func))
            name, through = _called(node.func)
            if name:
                spread = any(isinstance(argument, ast.Starred) for argument in node.args)
                spread |= any(keyword.arg is None for keyword in node.keywords)
                keywords = frozenset(keyword.arg for keyword in node.keywords if keyword.arg)
                found.calls.append(CallSite(node.lineno, name, through, len(node.args), keywords, spread))
                if is_later:
                    found.called_later.append((node.lineno, name))
        elif isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in called:
            if isinstance(node.ctx, ast.Load):
                found.other_uses.append((node.lineno, node.id if isinstance(node, ast.Name) else node.attr))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.functions[node.name, node.lineno] = node
            inside, is_later = f"{prefix}{node.name}.<locals>.", False
        elif isinstance(node, ast.ClassDef):
            found.classes.setdefault(prefix + node.name, node)
            inside = f"{prefix}{node.name}."
        pending += [(child, inside, is_later) for child in children(node)]
    return found


def _called(function: ast.expr) -> tuple[str, bool]:
    if isinstance(function, ast.Name):
        return function.id, False
    return (function.attr, True) if isinstance(function, ast.Attribute) else ("", False)


def definition(trace: Trace, routine: Routine) -> Function | None:
    """The `def` of a routine in the text that ran."""
    return read_text(trace.sources[routine.source].text).functions.get((routine.name, routine.line))


CACHES = frozenset({"cache", "lru_cache"})


def decorators(function: Function) -> set[str]:
    """The last parts of their names."""
    named = [
        decorator.func if isinstance(decorator, ast.Call) else decorator
        for decorator in function.decorator_list
    ]
    return {_called(decorator)[0] for decorator in named}


def optional(function: Function) -> dict[str, tuple[int, ast.expr]]:
    """Parameters with a default: their position (-1 for keywords only) and the default as it is written."""
    positional = [*function.args.posonlyargs, *function.args.args]
    first = len(positional) - len(function.args.defaults)
    found = {
        parameter.arg: (position, default)
        for position, (parameter, default) in enumerate(
            zip(positional[first:], function.args.defaults), first
        )
    }
    for parameter, value in zip(function.args.kwonlyargs, function.args.kw_defaults):
        if value is not None:
            found[parameter.arg] = (-1, value)
    return found


def defaulted(trace: Trace, node: int) -> frozenset[str]:
    """The parameters of a call that surely took their defaults."""
    routine = trace.routines[trace.routine[node]]
    function = definition(trace, routine)
    if function is None or not (parameters := optional(function)):
        return frozenset()
    found = _left_out(trace, node, routine, parameters) or set()
    return frozenset(found | _same_object(trace, node, routine, parameters, found))


def _left_out(
    trace: Trace, node: int, routine: Routine, parameters: dict[str, tuple[int, ast.expr]]
) -> set[str] | None:
    """Those that no call in the caller's text gives; None where the call is not written there by its name."""
    caller = trace.routines[trace.routine[trace.parent[node]]] if node else routine
    text = read_text(trace.sources[caller.source].text)
    first, last = (0, 1 << 30) if caller.kind == "module" else (caller.line, caller.end_line)
    owner = routine.qualname.rpartition(".")[0]
    method = bool(owner) and not owner.endswith("<locals>")
    names = {routine.name}
    if routine.name in ("__init__", "__new__"):
        names = {owner.rpartition(".")[2], routine.name, "cls"}
    sites = [site for site in text.calls if site.name in names and first <= site.line <= last]
    if not sites or any(first <= line <= last and name in names for line, name in text.other_uses):
        return None
    left = set(parameters)
    for site in sites:
        if site.spread:
            return set()
        given = site.positional + (1 if method else 0)
        left -= site.keywords
        left -= {name for name, (position, _) in parameters.items() if 0 <= position < given}
    return left


def _same_object(
    trace: Trace, node: int, routine: Routine, parameters: dict[str, tuple[int, ast.expr]], known: set[str]
) -> set[str]:
    """Those that hold the object which another call's parameter surely got as its default."""
    held = {
        a.name: a.value.identity
        for a in trace.arguments(node)
        if a.name in parameters and a.name not in known and _has_identity(trace, a.value.identity)
    }
    found: set[str] = set()
    other = -1
    for _ in range(_MOST_CALLS):
        if len(found) == len(held):
            break
        try:
            other = trace.routine.index(routine.id, other + 1)
        except ValueError:
            break
        if other != node:
            left = _left_out(trace, other, routine, parameters)
            if left:
                same = {a.name for a in trace.arguments(other) if held.get(a.name) == a.value.identity}
                found |= same & left
    return found


def _has_identity(trace: Trace, number: int) -> bool:
    """Whether two mentions of it are surely one object: small constants are shared all over a program."""
    row = trace.row(number)
    return type(row) is list and row[0] in ("list", "dict", "set", "deque", "instance", "bytearray")
