"""Classes of which others had objects in hand that are not noted, or had them in hand themselves: what is read from them is not
certain. Not here: who has them, see `reached`.
"""

from __future__ import annotations

from _weakref import ref as _weak  # as it is before the program runs
from typing import Any

from algotrace import BUILTINS
from algotrace.class_tables import is_of_program, mro_of
from algotrace.textual import qualname_of

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_in_hand: dict[int, Any] = {}  # by id; they may end
_kinds_in_hand: dict[int, Any] = {}  # … with those derived from them
_classes_in_hand: set[str] = set()


def note_one_in_hand(cls: type) -> None:
    """Somebody has an object of a class."""
    _in_hand[id(cls)] = _weak(cls)


def note_some_in_hand(cls: type) -> None:
    """… perhaps of a class that is derived from it."""
    _kinds_in_hand[id(cls)] = _weak(cls)


def note_class_in_hand(cls: type) -> None:
    """… a class."""
    if is_of_program(cls):
        _classes_in_hand.add(qualname_of(cls))


def was_one_in_hand(cls: type) -> bool:
    if _is_among(_in_hand, cls):
        return True
    return bool(_kinds_in_hand) and any(_is_among(_kinds_in_hand, base) for base in mro_of(cls))


def _is_among(known: dict[int, Any], cls: type) -> bool:
    found = known.get(id(cls))
    return found is not None and found() is cls


def classes_in_hand() -> list[str]:
    """Their names."""
    return sorted(_classes_in_hand)
