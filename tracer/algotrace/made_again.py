"""What an object is like before its `__init__` is called by name, and what exceptions have in `args`, which C code fills.

In an `__init__` an object is taken for new, which it is not where one is called like that. The `args` of an exception are those
of the call that made it, until an `__init__` of a base stores others: each such call is noted, and what a `__new__` gives, which
is filled after it. Where an `__init__` is kept, to be called by whomever, they are not certain. Not here: what objects are like
that `copy` and the like make again, see `object_makers`.
"""

from __future__ import annotations

import collections
import sys
import types
from typing import Any

from algotrace import BUILTINS
from algotrace.class_tables import Sign, Table, find_behind, find_in_class, mro_of
from algotrace.held import take
from algotrace.library_code import is_recorded
from algotrace.marks import ABSENT, Mark
from algotrace.mutators import behind_super, self_of_super
from algotrace.in_hand import note_one_in_hand, note_some_in_hand
from algotrace.streams import STREAMS
from algotrace.undo import CONTAINERS, MIXED, copy_content, dictionary_reader, slot_readers
from algotrace.weak_proxies import seen_through

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_frame = sys._getframe


class _Exceptions(Table):
    """class → whether its objects are exceptions."""

    def __missing__(self, cls: type) -> bool:
        told = self[cls] = issubclass(cls, BaseException)
        return told


EXCEPTIONS = _Exceptions()


class _Filled(Table):
    """class → whether an `__init__` written in C fills its objects: containers and exceptions."""

    def __missing__(self, cls: type) -> bool:
        told = self[cls] = bool(CONTAINERS[cls]) or EXCEPTIONS[cls]
        return told


FILLED = _Filled()


class _Cleared(Table):
    """class → whether it changes them when it has no arguments."""

    def __missing__(self, cls: type) -> bool:
        told = self[cls] = FILLED[cls] and not issubclass(cls, dict)
        return told


CLEARED = _Cleared()
FILLED_MIXED = (
    Sign()
)  # whether that may be so of a class whose bases are none, so that their methods know it as `self`


def note_filled_mixed(cls: Any) -> None:
    """After a class statement of the program, or a call that makes a class."""
    if issubclass(type(cls), type) and not FILLED_MIXED.on:
        is_mixed = EXCEPTIONS[cls] and not all(EXCEPTIONS[base] for base in mro_of(cls) if base is not object)
        FILLED_MIXED.on = MIXED.on or is_mixed


class _OwnAttributes(Table):
    """class → how to get at the `__dict__` of its objects, and at each slot; None for what is not told by attributes."""

    def __missing__(self, cls: type) -> Any:
        elsewhere = issubclass(cls, (super, type, types.ModuleType))
        told = None if elsewhere else (dictionary_reader(cls), tuple(slot_readers(cls).items()))
        self[cls] = told
        return told


_OWN_ATTRIBUTES = _OwnAttributes()


def note_made_again(named: Mark, content: Mark, owner: Any) -> Any:
    """Before `owner.__init__(…)` of what is there already."""
    made = behind_super(owner, "__init__")[0] if type(owner) is super else seen_through(owner)
    cls = type(made)
    if (readers := _OWN_ATTRIBUTES[cls]) is None:
        return owner
    if CONTAINERS[cls]:
        limited = issubclass(cls, collections.deque)
        copy = copy_content(made)
        copy = collections.deque(copy, _most_in_deque(made)) if limited else copy
        STREAMS.events.extend((content, made, copy))
    note_arguments(named, made)
    read, slots = readers
    told: list[Any] = []
    if read is not None:
        try:
            some = list(dict.items(read(made)))  # at once: other threads may change it
        except TypeError:  # the descriptor of a base with another layout
            some = []
        for name, value in some:
            if type(name) is str:
                told += (named, made, name, value)
    for name, get in slots:
        try:
            told += (named, made, name, get(made))
        except (AttributeError, TypeError):  # not set
            continue
    if told:
        STREAMS.events.extend(told)
    return owner


def note_made(named: Mark, content: Mark, made: Any) -> None:
    """The same before `super().__init__(…)` of an object that is no proxy, which gives nothing."""
    note_made_again(named, content, made)


_most_in_deque = collections.deque.__dict__["maxlen"].__get__
_arguments_of = BaseException.__dict__["args"].__get__


def note_made_late(named: Mark, content: Mark, owner: Any, last: Any) -> Any:
    """The same when the last argument is known; an owner that is ABSENT was held."""
    owner = take(_frame(1)) if owner is ABSENT else owner
    if owner is not None:
        note_made_again(named, content, owner)
    return last


def note_made_of(named: Mark, content: Mark, owner: Any, first: Any) -> Any:
    """Before `owner.__init__(first, …)`, where the owner may be a class; it gives `first`. An owner that is ABSENT was held."""
    owner = take(_frame(1)) if owner is ABSENT else owner
    note_made_again(named, content, _made_of(owner, first))
    return first


def made_of(owner: Any, first: Any) -> Any:
    """Whose `__init__` is called by `owner.__init__(first, …)`."""
    return _made_of(take(_frame(1)) if owner is ABSENT else owner, first)


def _made_of(owner: Any, first: Any) -> Any:
    return first if issubclass(type(owner), type) else owner


def note_arguments(named: Mark, made: Any) -> None:
    """What an exception has in `args`, before that is exchanged."""
    if EXCEPTIONS[type(made)]:
        STREAMS.events.extend((named, made, "args", _arguments_of(made)))


def note_filled(named: Mark, made: Any) -> Any:
    """Before something else fills an exception, which it gives: `type` does when a `__new__` has given it, and if that `__init__`
    is written in C nobody tells; so does the descriptor of `args`."""
    note_arguments(named, made)
    return made


def note_filling_kept(owner: Any) -> Any:
    """Somebody gets `owner.__init__`, and may call it when nobody sees it: what it stores in `args` is not known. Or the
    `__set__` of a slot, and may store to that of any object."""
    kind = type(owner)
    if id(kind) in _OF_SLOTS:
        note_some_in_hand(owner.__objclass__)
    elif kind is super:
        made = type(self_of_super(owner))
        if EXCEPTIONS[made] and not _is_seen(find_behind(owner, "__init__")):
            note_one_in_hand(made)
    elif issubclass(kind, type):
        if EXCEPTIONS[owner] and not _is_seen(find_in_class(owner, "__init__")):
            note_some_in_hand(owner)
    else:
        made = type(seen_through(owner))
        if EXCEPTIONS[made] and not _is_seen(find_in_class(made, "__init__")):
            note_one_in_hand(made)
    return owner


_OF_SLOTS = frozenset(map(id, (types.MemberDescriptorType, types.GetSetDescriptorType)))


def _is_seen(function: Any) -> bool:
    return type(function) is types.FunctionType and is_recorded(function)


MADE_AGAIN_HOOKS: dict[str, Any] = {
    "note_made": note_made,
    "note_made_again": note_made_again,
    "note_made_late": note_made_late,
    "note_made_of": note_made_of,
    "made_of": made_of,
    "note_arguments": note_arguments,
    "note_filled": note_filled,
    "note_filling_kept": note_filling_kept,
    "exceptions": EXCEPTIONS,
    "filled": FILLED,
    "cleared": CLEARED,
    "filled_mixed": FILLED_MIXED,
}
