"""Stores through a `memoryview`: what is written is the `bytearray` or `array` behind it.

A view of all of it, part by part, has the same places; of any other it is not known where it begins: what is behind it is
copied, if it is small. Not here: views that a library has, and stores to other owners of buffers.
"""

from __future__ import annotations

import array
from typing import Any

from algotrace import BUILTINS
from algotrace.marks import UNKNOWN, Mark
from algotrace.streams import STREAMS
from algotrace.undo import copy_content
from algotrace.views import BUFFERS

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_MOST = 4096  # parts that are copied


def behind(view: Any) -> Any:
    """The bytearray or array that a view shows a part of; None where there is none, and for what is no view."""
    if type(view) is not memoryview:
        return None
    try:
        owner = view.obj
    except ValueError:  # released
        return None
    return owner if issubclass(type(owner), BUFFERS) else None


def note_item_through(item: Mark, view: memoryview, key: Any) -> None:
    """Before `view[key] = …`, by the mark of a store to an item: of the owner, where its key is the same; else with the key
    UNKNOWN, and a copy of all."""
    owner = behind(view)
    if owner is None:
        return
    old: Any
    if type(key) is int and _shows_all(view, owner):
        try:
            old = view[key]
        except IndexError:
            return
    else:
        key, old = UNKNOWN, _copy(owner)
    STREAMS.events.extend((item, owner, key, old))


def content_through(container: Any) -> tuple[Any, Any]:
    """Before a slice of it is stored to: whose content changes, and a copy of that."""
    owner = behind(container)
    return (container, copy_content(container)) if owner is None else (owner, _copy(owner))


def _shows_all(view: memoryview, owner: Any) -> bool:
    if issubclass(type(owner), bytearray):
        size, code = bytearray.__len__(owner), "B"
    else:
        size, code = array.array.__len__(owner), array.array.__dict__["typecode"].__get__(owner)
    return view.ndim == 1 and view.c_contiguous and view.format == code and view.shape == (size,)


def _copy(owner: Any) -> Any:
    size = (bytearray if issubclass(type(owner), bytearray) else array.array).__len__(owner)
    return copy_content(owner) if size <= _MOST else UNKNOWN
