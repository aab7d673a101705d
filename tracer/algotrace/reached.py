"""What can be reached from something: before code that is not recorded gets it, all of that is noted. What happens to it
then, see `at_work`.

An object is told by its attributes, a container by a shallow copy. What this may cost is bounded, by what the run has
left in events; where that is used up, the rest is not certain, see `history`. Left out: what functions, classes and
modules refer to, iterators that may hold others, and what must not live longer because of us: of exceptions and objects with a finalizer only what
they hold is noted, and in the end that their classes are not certain.
"""

from __future__ import annotations

import array
import collections
import types
from gc import get_referents as _get_referents
from operator import is_
from typing import Any, NamedTuple
from collections.abc import Callable

from algotrace import BUILTINS
from algotrace.class_tables import Table, is_of_program, mro_of, namespace_of
from algotrace.giving import ATTRIBUTES_NOTED, attributes_of
from algotrace.in_hand import note_class_in_hand, note_one_in_hand
from algotrace.marks import ABSENT, UNKNOWN
from algotrace.streams import all_streams
from algotrace.textual import is_textual, module_of
from algotrace.undo import (
    CONTAINERS,
    KEPT,
    PLAIN,
    copy_content,
    dictionary_reader,
    slot_readers,
)
from algotrace.weak_proxies import PROXIES, behind

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

# Parts of objects and containers that are copied: at one place of the text, in the whole run at first, and for so many
# events one more.
_AT_ONE_PLACE, _AT_FIRST, _EVENTS_FOR_ONE = 10_000, 50_000, 10
_MOST_ATTRIBUTES = 1000
_OWN = "algotrace."


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


def _behind(proxy: Any) -> tuple[Any, ...]:
    obj = behind(proxy)
    return () if obj is ABSENT else (obj,)


def _owner(method: Any) -> tuple[Any, ...]:
    owner = method.__self__
    return (owner,) if CONTAINERS[type(owner)] else ()


# Views and iterators of a container, which they hold. (Others may hold a generator, or a file.)
_VIEWS: tuple[type, ...] = (
    type({}.keys()), type({}.values()), type({}.items()), type(iter([])), type(reversed([])), type(iter({})), type(iter({}.values())),
    type(iter({}.items())), type(iter(())), type(iter(set())), type(iter(collections.deque())),
)  # fmt: skip


# A tuple may still be being made.
_PARTS: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (list, list.__iter__), (tuple, _get_referents), (dict, _both), (set, set.__iter__), (frozenset, frozenset.__iter__),
    (collections.deque, collections.deque.__iter__), (bytearray, _nothing), (array.array, _nothing),
    (types.BuiltinFunctionType, _owner),
    *((cls, _get_referents) for cls in _VIEWS),
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
    if module_of(cls).startswith(_OWN):  # who keeps the variables of a frame has our events
        return None
    if id(cls) in PROXIES:
        return _Shape(None, _behind, False, False)
    attributes = id(cls) not in _PLAIN and (dictionary_reader(cls) is not None or bool(slot_readers(cls)))
    if known is None:
        return _Shape(None, None, changes, attributes) if changes or attributes else None
    base, parts = known
    return _Shape(base.__len__ if hasattr(base, "__len__") else None, parts, changes, attributes)


SHAPES = _Shapes()  # what is not None may be changed, or something in it, by who gets hold of it


class _Unnoted(Table):
    """class → whether of its objects there is no note: exceptions, and objects with a finalizer, which must not live longer;
    classes."""

    def __missing__(self, cls: type) -> bool:
        ends = not KEPT[cls] and not issubclass(cls, types.ModuleType) and dictionary_reader(cls) is not None
        told = self[cls] = issubclass(cls, type) or ends
        return told


UNNOTED = _Unnoted()


def note_in_hand(obj: Any) -> None:
    """Strangers have something in hand, of which there is perhaps no note."""
    if UNNOTED[type(obj)]:
        if issubclass(type(obj), type):
            note_class_in_hand(obj)
        else:
            note_one_in_hand(type(obj))


class _Copied:
    """How many parts the run has spent."""

    parts = 0


_copied_at: dict[Any, int] = {}  # the same by mark


def allowed_at(mark: Any) -> int:
    """How many parts may be copied at a place of the text."""
    allowed = _AT_ONE_PLACE - _copied_at.get(mark, 0)
    if allowed > 0:
        allowed = min(allowed, _AT_FIRST + events_left() // _EVENTS_FOR_ONE - _Copied.parts)
    return allowed


def spend(mark: Any, parts: int) -> None:
    _Copied.parts += parts
    _copied_at[mark] = _copied_at.get(mark, 0) + parts


def reach(todo: list[Any], allowed: int) -> tuple[list[tuple[Any, Any]], int]:
    """What can be reached from some objects: each that may be changed, with a note of what it is like now (its content, or
    its attributes); and how many parts were looked at. What goes beyond as many as are allowed is UNKNOWN."""
    left = allowed
    found: list[tuple[Any, Any]] = []
    seen: set[int] = set()
    for obj in todo:  # which becomes longer
        cls = type(obj)
        shape = SHAPES[cls]
        if shape is None:
            if UNNOTED[cls] and id(obj) not in seen:
                seen.add(id(obj))
                note_in_hand(obj)
                left -= 1
                found_there = attributes_of(obj, _MOST_ATTRIBUTES) if left >= 0 else None
                if found_there is not None and found_there is not UNKNOWN:
                    todo.extend(found_there[1].values())
            continue
        if id(obj) in seen:
            continue
        seen.add(id(obj))
        if shape.attributes and id(cls) not in seen:
            seen.add(id(cls))
            todo.extend(containers_of(cls))
        left -= 1 if shape.length is None else 1 + shape.length(obj)
        if left < 0:
            found.append((obj, UNKNOWN))
            continue
        if shape.changes:
            found.append((obj, copy_content(obj)))
        if shape.parts is not None:
            todo.extend(shape.parts(obj))
        if shape.attributes and (attributes := attributes_of(obj, _MOST_ATTRIBUTES)) is not None:
            found.append((obj, _without_endings(attributes)))
            if attributes is not UNKNOWN:
                todo.extend(attributes[1].values())
    return found, allowed - max(left, 0)


def is_as_noted(obj: Any, note: Any) -> bool:
    """Whether an object is as it was when `reach` noted it, told by the identity of its parts: no code of theirs runs."""
    kind = type(note)
    if note is UNKNOWN:
        return True
    if kind is tuple:
        attributes = attributes_of(obj, _MOST_ATTRIBUTES)
        now = UNKNOWN if attributes is None else _without_endings(attributes)
        return now is not UNKNOWN and _same_pairs(now[1], note[1])  # type: ignore[index]
    if kind is list:
        now = copy_content(obj)
        if issubclass(type(obj), array.array):
            return bool(now == note)
        return len(now) == len(note) and all(map(is_, now, note))
    if kind is dict:
        now = copy_content(obj)
        return now is not UNKNOWN and _same_pairs(now, note)
    if kind is set:
        return set.__len__(obj) == len(note) and set(map(id, set.__iter__(obj))) == set(map(id, note))
    return bool(copy_content(obj) == note)


def _same_pairs(now: dict[Any, Any], then: dict[Any, Any]) -> bool:
    return len(now) == len(then) and all(map(is_, now, then)) and all(map(is_, now.values(), then.values()))


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


def events_left() -> int:
    """By the whole run so far."""
    return sum(stream.taken + len(stream) for stream in all_streams)
