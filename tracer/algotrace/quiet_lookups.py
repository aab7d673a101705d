"""Looking up keys and members without running an `__eq__` of the program: a dict asks those that it has, whatever it is asked for.

Only where classes of the program say what equals their objects and how these are hashed: an `__eq__` of theirs that is called by a
lookup of ours ends at once, and what was there is not known then. Left out: those that nobody has instrumented, such as lambdas;
they are run once more.
"""

from __future__ import annotations

import re
import sys
from typing import Any
from collections.abc import Callable

from algotrace import BUILTINS
from algotrace.class_tables import Sign
from algotrace.marks import ABSENT, UNKNOWN

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

OWN_EQUAL = Sign()  # whether there may be keys with an `__eq__` of the program
LOOKING_UP = Sign()
_frame, _get = sys._getframe, dict.get
_EQUAL = re.compile(rb"\bdef __eq__|\b__eq__\s*[:=]")
_HASHED = re.compile(rb"__hash__|\bfrozen\b|unsafe_hash|\bhash\s*=")


class _Asked(BaseException):
    """An `__eq__` of the program was about to run."""


def says_what_is_equal(source: bytes) -> bool:
    """Whether objects of a file's classes may be keys, and compare by code of theirs."""
    return bool(_EQUAL.search(source) and _HASHED.search(source))


def quietly(look_up: Callable[..., Any], *arguments: Any) -> Any:
    """What a function that looks something up gives; UNKNOWN where code of the program would have told."""
    if not OWN_EQUAL.on:
        return look_up(*arguments)
    LOOKING_UP.on = True
    try:
        return look_up(*arguments)
    except _Asked:
        return UNKNOWN
    finally:
        LOOKING_UP.on = False


def value_at(container: dict[Any, Any], key: Any) -> Any:
    """The same of `dict.get`, for a key of a simple class: it comes before each store."""
    LOOKING_UP.on = True
    try:
        return _get(container, key, ABSENT)
    except _Asked:
        return UNKNOWN
    finally:
        LOOKING_UP.on = False


def note_asked() -> None:
    """At the start of an `__eq__`, while something is looked up: by us, or by another thread."""
    caller = _frame(2).f_code
    if caller is quietly.__code__ or caller is value_at.__code__:
        raise _Asked


LOOKUP_HOOKS: dict[str, Any] = {"looking_up": LOOKING_UP, "note_asked": note_asked}
