"""What undoes a change of some parts of a container: as large as what changes, not as the container.

A program may change a large container very often; a copy of all of it each time would take more time and memory than it
has. So these tell what goes and where, before it does: ("slice", start, parts that stood there, length of all),
("members", those that come, those that go). Where that cannot be known without running code of the program (what is
compared or hashed has methods of its own, what is added is an iterator), the answer is None, and all is copied. Not here:
changes of a single part, see `mutators`; how they are taken back, see `content`.
"""

from __future__ import annotations

import array
import collections
import sys
from itertools import filterfalse
from typing import Any
from collections.abc import Callable, Iterable, Mapping

from algotrace import BUILTINS
from algotrace.class_tables import Table, find_in_class
from algotrace.held import keep, take
from algotrace.marks import UNKNOWN, Mark
from algotrace.streams import STREAMS
from algotrace.through_views import content_through
from algotrace.quiet_lookups import quietly
from algotrace.undo import SIMPLE, copy_content, hashes_quietly
from algotrace.views import let_go_of_views

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_frame = sys._getframe

_BASES: tuple[Any, ...] = (list, bytearray, set, collections.deque, array.array)
_READ_AGAIN = frozenset(map(id, (list, tuple, str, bytes, dict, set, frozenset, range, collections.deque)))
_FEW = 64  # parts: a copy of so few is as good


def in_part(undo: Callable[..., Any]) -> Callable[..., Any]:
    """A reader of `mutators` that copies all where the container is small, or `undo` does not know."""

    def read(container: Any, *arguments: Any) -> Any:
        if _is_large(container) and not any(argument is UNKNOWN for argument in arguments):
            told = undo(container, *arguments)
            if told is not None:
                return told
        return copy_content(container)

    return read


def _is_large(container: Any) -> bool:
    return int(_base_of(container).__len__(container)) > _FEW


def _base_of(container: Any) -> Any:
    return next(base for base in _BASES if issubclass(type(container), base))


def undo_of_slice(sequence: Any, start: int, stop: int) -> Any:
    """Before the parts from `start` to `stop` become others, however many."""
    base = _base_of(sequence)
    if base is collections.deque:
        old: Any = [base.__getitem__(sequence, place) for place in range(start, stop)]
    else:
        old = base.__getitem__(sequence, slice(start, stop))
    if base is bytearray:
        let_go_of_views(sequence)
        old = bytes(old)
    elif base is array.array:
        let_go_of_views(sequence)
        old = old.tolist()
    return ("slice", start, old, base.__len__(sequence))


def undo_of_slice_at(sequence: Any, lower: Any, upper: Any) -> Any:
    """Before `sequence[lower:upper]` changes; a copy where nothing less is known, UNKNOWN for what is no container."""
    told = (type(bound) is int or bound is None for bound in (lower, upper))
    if not issubclass(type(sequence), _SLICED) or not all(told) or not _is_large(sequence):
        return copy_content(sequence)
    start, stop, _ = slice(lower, upper).indices(_base_of(sequence).__len__(sequence))
    return undo_of_slice(sequence, start, max(start, stop))


_SLICED = (list, bytearray, array.array)


def undo_of_addition(sequence: Any, *_: Any) -> Any:
    """Before parts are put at the end."""
    size = _base_of(sequence).__len__(sequence)
    return undo_of_slice(sequence, size, size)


def undo_of_addition_in_front(sequence: Any, *_: Any) -> Any:
    return undo_of_slice(sequence, 0, 0)


def undo_of_insertion(sequence: Any, index: Any = None, *_: Any) -> Any:
    if type(index) is not int:
        return None
    size = _base_of(sequence).__len__(sequence)
    place = min(index, size) if index >= 0 else max(size + index, 0)
    return undo_of_slice(sequence, place, place)


def undo_of_removal_at(sequence: Any, index: Any = -1, *_: Any) -> Any:
    size = _base_of(sequence).__len__(sequence)
    if type(index) is not int or not -size <= index < size:
        return None
    return undo_of_slice(sequence, index % size, index % size + 1)


def undo_of_removal(sequence: Any, item: Any = None, *_: Any) -> Any:
    """Of the first part that equals `item`, where comparing them runs no code of the program."""
    base = _base_of(sequence)
    classes: Any = map(type, base.__iter__(sequence))
    if type(_COMPARED) is _Compared:  # else hashing a class may run code
        classes = set(classes)
    if not _COMPARED[type(item)] or not all(map(_COMPARED.__getitem__, classes)):
        return None
    try:
        place = base.index(sequence, item)
    except (ValueError, TypeError, OverflowError):
        place = base.__len__(sequence)
    return undo_of_slice(sequence, place, min(place + 1, base.__len__(sequence)))


def undo_of_repetition(sequence: Any, count: Any = None, *_: Any) -> Any:
    return undo_of_addition(sequence) if type(count) is int and count > 0 else None


def undo_of_reversal(sequence: Any, *more: Any) -> Any:
    return None if more else ("reversed",)


def undo_of_rotation(sequence: Any, count: Any = 1, *_: Any) -> Any:
    return ("rotated", count) if type(count) is int else None


class _Compared(Table):
    """class → whether no code of the program compares its objects."""

    def __missing__(self, cls: type) -> bool:
        told = self[cls] = cls in SIMPLE or find_in_class(cls, "__eq__") is object.__eq__
        return told


_COMPARED = _Compared()


def undo_of_update(members: set[Any], *others: Any) -> Any:
    """Before `members` get those of the others."""
    if not _are_plain(others):
        return None
    new = quietly(lambda: [each for other in others for each in _not_in(members, other)])
    return None if new is UNKNOWN else ("members", new, [])


def undo_of_difference(members: set[Any], *others: Any) -> Any:
    """Before those of the others go."""
    if not _are_plain(others):
        return None
    going = quietly(lambda: [each for other in others for each in filter(_is_in(members), other)])
    return None if going is UNKNOWN else ("members", [], going)


def undo_of_intersection(members: set[Any], *others: Any) -> Any:
    """Before those that are not in all of the others go."""
    if not _are_plain((*others, members)):
        return None
    going: list[Any] = []
    for other in others:
        going += _not_in(other if isinstance(other, (set, frozenset, dict)) else set(other), members)
    return ("members", [], going)


def undo_of_symmetric_difference(members: set[Any], other: Any = ()) -> Any:
    """Before those of the other come where they were not, and go where they were."""
    if not _are_plain((other,)):
        return None
    both = quietly(lambda: (list(_not_in(members, other)), list(filter(_is_in(members), other))))
    return None if both is UNKNOWN else ("members", *both)


def _are_plain(others: Iterable[Any]) -> bool:
    return all(id(type(other)) in _READ_AGAIN and all_hash_quietly(other) for other in others)


def all_hash_quietly(parts: Iterable[Any]) -> bool:
    """Whether hashing and comparing these runs no code of the program."""
    return all(map(SIMPLE.__contains__, map(type, parts))) or all(map(hashes_quietly, parts))


def _is_in(members: Any) -> Callable[[Any], bool]:
    base = next(base for base in (set, frozenset, dict) if issubclass(type(members), base))
    return base.__contains__.__get__(members)  # type: ignore[no-any-return]


def _not_in(members: Any, others: Iterable[Any]) -> Iterable[Any]:
    return filterfalse(_is_in(members), others)


# -- what instrumented code calls ---------------------------------------------------------------------------------------


def note_from(mark: Mark, lower: Any) -> Any:
    """Before `container[lower:] = …`, and the deletion: the container was held."""
    _note_slice(mark, take(_frame(1)), lower, None)
    return lower


def note_until(mark: Mark, upper: Any) -> Any:
    """`container[:upper]`."""
    _note_slice(mark, take(_frame(1)), None, upper)
    return upper


def note_between(mark: Mark, upper: Any) -> Any:
    """`container[lower:upper]`: both of them were held."""
    frame = _frame(1)
    lower = take(frame)
    _note_slice(mark, take(frame), lower, upper)
    return upper


def _note_slice(mark: Mark, container: Any, lower: Any, upper: Any) -> None:
    if type(container) is memoryview:
        STREAMS.events.extend((mark, *content_through(container)))
        return
    STREAMS.events.extend((mark, container, undo_of_slice_at(container, lower, upper)))


def note_popping(mark: Mark, readers: Mapping[type, Any], receiver: Any) -> Any:
    """Before `receiver.pop()`; the receiver waits for `note_popped`."""
    keep(_frame(1), receiver)
    if (reader := readers[type(receiver)]) is not None:
        STREAMS.events.extend((mark, receiver, reader(receiver)))
    return receiver


def note_popped(mark: Mark, member: Any) -> Any:
    """Which member of a set has gone is known only now."""
    receiver = take(_frame(1))
    if issubclass(type(receiver), set) and find_in_class(type(receiver), "pop") is set.__dict__["pop"]:
        STREAMS.events.extend((mark, receiver, ("member", member, True)))
    return member


PART_HOOKS: dict[str, Any] = {
    "note_from": note_from,
    "note_until": note_until,
    "note_between": note_between,
    "note_popping": note_popping,
    "note_popped": note_popped,
}
