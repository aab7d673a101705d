"""What can be reached from something: before code that is not recorded gets it, all of that is noted.

An object is told by its attributes, a container by a shallow copy. What this may cost is bounded, by what the run has
left in events; where that is used up, the rest is not certain, see `history`. Left out: what functions, classes and
modules refer to, iterators, and objects with a finalizer, which must not live longer because of us.
"""

from __future__ import annotations

import array
import collections
import types
from typing import Any, NamedTuple
from collections.abc import Callable

from algotrace import BUILTINS
from algotrace.class_tables import Table, is_of_program, mro_of, namespace_of
from algotrace.giving import ATTRIBUTES_NOTED, attributes_of
from algotrace.marks import UNKNOWN
from algotrace.streams import STREAMS, all_streams
from algotrace.textual import is_textual
from algotrace.undo import CONTAINERS, KEPT, PLAIN, copy_content, dictionary_reader, slot_readers

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

# Parts of objects and containers that are copied: at one place of the text, in the whole run at first, and for so many
# events one more.
_AT_ONE_PLACE, _AT_FIRST, _EVENTS_FOR_ONE = 10_000, 50_000, 10
_MOST_ATTRIBUTES = 1000


class _Shape(NamedTuple):
    """What of the objects of a class can be reached."""

    length: Callable[[Any], int] | None  # of a container
    parts: Callable[[Any], Any] | None
    changes: bool  # whether it is one that can be changed
    attributes: bool


def _both(mapping: Any) -> Any:
    return [*dict.keys(mapping), *dict.values(mapping)]


def _nothing(container: Any) -> tuple[()]:
    return ()


def _owner(method: Any) -> tuple[Any, ...]:
    owner = method.__self__
    return (owner,) if CONTAINERS[type(owner)] else ()


_PARTS: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (list, list.__iter__), (tuple, tuple.__iter__), (dict, _both), (set, set.__iter__), (frozenset, frozenset.__iter__),
    (collections.deque, collections.deque.__iter__), (bytearray, _nothing), (array.array, _nothing),
    (types.BuiltinFunctionType, _owner),
)  # fmt: skip


_PLAIN = frozenset(map(id, PLAIN))


class _Shapes(Table):
    """class → its `_Shape`; None for what can be overlooked."""

    def __missing__(self, cls: type) -> _Shape | None:
        shape = self[cls] = _shape_of(cls)
        return shape


def _shape_of(cls: type) -> _Shape | None:
    known = next(((base, parts) for base, parts in _PARTS if issubclass(cls, base)), None)
    changes = bool(CONTAINERS[cls])
    if not KEPT[cls] or issubclass(cls, (type, types.ModuleType)) or is_textual(cls):
        return None
    attributes = id(cls) not in _PLAIN and (dictionary_reader(cls) is not None or bool(slot_readers(cls)))
    if known is None:
        return _Shape(None, None, changes, attributes) if changes or attributes else None
    base, parts = known
    return _Shape(base.__len__ if hasattr(base, "__len__") else None, parts, changes, attributes)


SHAPES = _Shapes()  # what is not None may be changed, or something in it, by who gets hold of it


class _Copied:
    """How many parts the run has spent."""

    parts = 0


_copied_at: dict[Any, int] = {}  # the same by mark


def note_reachable(mark: Any, obj: Any) -> Any:
    """Before code that is not recorded gets an object."""
    note_all_reached(mark, [obj])
    return obj


def note_all_reached(mark: Any, todo: list[Any]) -> None:
    """What undoes any change of the containers and objects that can be reached from some.

    Of what is too much it is said that it is UNKNOWN, which means: and so is what can be reached from there.
    """
    events = STREAMS.events
    here = _copied_at.get(mark, 0)
    allowed = _AT_ONE_PLACE - here
    if allowed > 0:
        allowed = min(allowed, _AT_FIRST + _events_left() // _EVENTS_FOR_ONE - _Copied.parts)
    if allowed <= 0:
        for obj in todo:
            if SHAPES[type(obj)] is not None:
                events.extend((mark, obj, UNKNOWN))
        return
    left = allowed
    seen: set[int] = set()
    for obj in todo:  # which becomes longer
        cls = type(obj)
        shape = SHAPES[cls]
        if shape is None or id(obj) in seen:
            continue
        seen.add(id(obj))
        if shape.attributes and id(cls) not in seen:
            seen.add(id(cls))
            todo.extend(containers_of(cls))
        left -= 1 if shape.length is None else 1 + shape.length(obj)
        if left < 0:
            events.extend((mark, obj, UNKNOWN))
            continue
        if shape.changes:
            events.extend((mark, obj, copy_content(obj)))
        if shape.parts is not None:
            todo.extend(shape.parts(obj))
        if shape.attributes and (found := attributes_of(obj, _MOST_ATTRIBUTES)) is not None:
            events.extend((mark, obj, _without_endings(found)))
            if found is not UNKNOWN:
                todo.extend(found[1].values())
    spent = allowed - max(left, 0)
    _Copied.parts += spent
    _copied_at[mark] = here + spent


def containers_of(cls: type) -> list[Any]:
    """Those that are attributes of a class of the program, or of its bases."""
    return [
        value
        for base in mro_of(cls)
        if is_of_program(base)
        for value in list(namespace_of(base).values())
        if CONTAINERS[type(value)]
    ]


def _without_endings(found: Any) -> Any:
    """Of objects with a finalizer it is only said that they are there."""
    if found is UNKNOWN or all(map(KEPT.__getitem__, map(type, found[1].values()))):
        return found
    kept = {name: value if KEPT[type(value)] else UNKNOWN for name, value in found[1].items()}
    return (ATTRIBUTES_NOTED, kept)


def _events_left() -> int:
    """By the whole run so far."""
    return sum(stream.taken + len(stream) for stream in all_streams)
