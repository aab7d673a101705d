"""Before `exec` and `eval`: what the code may change, of which nothing is recorded.

That is what it names, and what can be reached from there; what was there before can be had back. Where the code defines
functions, what it names may be changed unseen later, too. Left out: what the functions of libraries do that it calls, but
for what they are given.
"""

from __future__ import annotations

import types
from typing import Any
from collections.abc import Iterator

from algotrace import BUILTINS
from algotrace.class_tables import is_of_program, namespace_of
from algotrace.giving import is_of_module, note_some_names
from algotrace.marks import ABSENT, UNKNOWN
from algotrace.at_work import note_all_reached
from algotrace.reached import containers_of
from algotrace.library_code import is_recorded
from algotrace.strangers import note_left_alone
from algotrace.streams import STREAMS
from algotrace.undo import KEPT, NEVER_CHANGE_ARGUMENTS, copy_content

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_LONGEST = 1 << 16  # characters of which the names are looked for
_LONGEST_NAME = 200
_MOST_NAMES = 1000
_DEFINING = frozenset({"def", "lambda", "class"})
_WORDS = frozenset({"and", "or", "not", "in", "is", "if", "else", "for", "lambda", "await", "yield"})


def note_code(
    named: Any, witnessed: Any, given: Any, name: str, around: Any, local: Any, arguments: tuple[Any, ...]
) -> tuple[Any, ...]:
    """`around` and `local` are the namespaces of the caller; `named` is for names, the other marks for objects."""
    code = arguments[0]
    names, calls, defines = _names_in(code)
    spaces = [space for space in arguments[1:3] if space is not None]
    if not spaces:
        spaces = [around] if local is None or local is around else [around, local]
    only_reads = name == "eval" and not defines and calls is not None and ":=" not in code
    if only_reads and all(_changes_nothing(called, spaces) for called in calls or ()):
        return arguments
    mark = given if defines else witnessed
    if defines:
        note_left_alone(names or ())
    noted: list[tuple[Any, Any]] = []
    for space in spaces:
        if is_of_module(space):
            note_some_names(named, space, space if names is None else names)
        elif issubclass(type(space), dict) and not any(space is own for own in (around, local)):
            few = dict.__len__(space) <= _MOST_NAMES
            noted.append((space, copy_content(space) if few else UNKNOWN))
            STREAMS.events.extend((mark, *noted[-1]))
    todo = [found for space in spaces for found in _bound_in(space, names)]
    for cls in [each for each in todo if issubclass(type(each), type)]:
        _note_class(named, cls, names)
        todo += containers_of(cls)
    note_all_reached(mark, todo, noted)
    return arguments


def _note_class(mark: Any, cls: type, names: frozenset[str] | None) -> None:
    """What attributes of a class are now, and that others are not there."""
    if not is_of_program(cls):
        return
    events, namespace = STREAMS.events, namespace_of(cls)
    for name, value in list(namespace.items())[:_MOST_NAMES]:
        if type(name) is str and not name.startswith("__"):
            events.extend((mark, cls, name, value if KEPT[type(value)] else UNKNOWN))
    for name in sorted((names or frozenset()).difference(namespace))[:_MOST_NAMES]:
        if name.isidentifier() and not name.startswith("__"):
            events.extend((mark, cls, name, ABSENT))


def _names_in(code: Any) -> tuple[frozenset[str] | None, list[str] | None, bool]:
    """The names in some code, those that are called, whether it defines functions; None for all, and for unknown."""
    if type(code) is types.CodeType:
        inner = [each for each in code.co_consts if type(each) is types.CodeType]
        return frozenset(_names_of(code)), None, bool(inner)
    if type(code) is not str:
        return None, None, True
    if len(code) > _LONGEST:
        return None, None, True
    names = frozenset(_words(code))
    return names, [_last(before) for before in code.split("(")[:-1]], not names.isdisjoint(_DEFINING)


def _words(text: str) -> list[str]:
    """Names and numbers, words of texts and comments among them."""
    return "".join([char if char.isalnum() or char == "_" else " " for char in text]).split()


def _last(text: str) -> str:
    """What is called, or that it is no name; empty for a parenthesis that calls nothing."""
    text = text.rstrip()
    if not text or text[-1] in "+-*/%@&|^~<>=,:;([{!":
        return ""
    words = _words(text[-_LONGEST_NAME:])
    return words[-1] if words and text.endswith(words[-1]) else "?"


def _names_of(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    yield from code.co_varnames
    for constant in code.co_consts:
        if type(constant) is types.CodeType:
            yield from _names_of(constant)


def _changes_nothing(called: str, spaces: list[Any]) -> bool:
    """Whether calling what goes by a name changes nothing unseen."""
    if not called or called in _WORDS:
        return True
    for space in reversed(spaces):
        value = dict.get(space, called) if issubclass(type(space), dict) else None
        if type(value) is types.FunctionType:
            return is_recorded(value)
        if value is not None:
            return False
    return called in _HARMLESS


_HARMLESS = NEVER_CHANGE_ARGUMENTS.difference(
    *(vars(cls) for cls in (list, dict, set, bytearray)), ("iter", "next")
) | {"len", "sorted", "list", "dict", "set"}


def _bound_in(space: Any, names: frozenset[str] | None) -> Iterator[Any]:
    if not issubclass(type(space), dict):
        return
    for name, value in list(dict.items(space))[: 10 * _MOST_NAMES]:
        if type(name) is str and (names is None or name in names):
            yield value
