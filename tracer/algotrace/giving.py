"""What somebody gets hold of who may change it unseen: a namespace, a view, code in a text. Noted is what there is now.

From such a note on recorded writes must lead to what there is later, or nothing in between is certain (see `history`).
An object is told by its attributes, a container by a shallow copy. Not here: methods of containers that are kept, see
`hooks.note_passed`; what code that is not recorded is handed, and what can be reached from there, see `handed`.
"""

from __future__ import annotations

import sys
import types
from typing import Any
from collections.abc import Iterable

from algotrace import BUILTINS
from algotrace.class_tables import Sign, find_in_class, is_written_in_c
from algotrace.held import take
from algotrace.made_again import note_filling_kept
from algotrace.marks import ABSENT, UNKNOWN
from algotrace.mutators import self_of_super
from algotrace.streams import STREAMS
from algotrace.undo import (
    CONTAINERS,
    KEPT,
    NO_ATTRIBUTES,
    WITNESSED,
    copy_content,
    dictionary_reader,
    module_namespace,
    slot_readers,
    witness,
)
from algotrace.weak_proxies import seen_through

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_frame = sys._getframe

ATTRIBUTES_NOTED = "attributes"  # what a note of attributes starts with
_MOST_NAMES = 1000  # of a namespace
_MOST_BYTES = 1 << 16


def note_given(mark: Any, obj: Any) -> Any:
    """Somebody gets what allows to change `obj` unseen."""
    if (seen := state_of(obj)) is not None:
        STREAMS.events.extend((mark, obj, seen))
    return obj


LENT = Sign()  # see `patched_names`


def note_lent(witnessed: Any, given: Any, obj: Any) -> Any:
    """Somebody gets `obj` who will change it, and change it back, and does not tell: no later state is certain."""
    if LENT.on and (seen := state_of(obj)) is not None:
        STREAMS.events.extend((witnessed, obj, seen, given, obj, UNKNOWN))
    return obj


def note_all_given(mark: Any, objects: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same of several, and of what is in the lists and tuples among them."""
    for obj in objects:
        note_given(mark, obj)
        for part in _parts(obj):
            note_given(mark, part)
            for inner in _parts(part):
                note_given(mark, inner)
    return objects


def note_bound_by_hand(mark: Any, function: Any, obj: Any) -> Any:
    """Before a function is bound to `obj` by its `__get__`."""
    if is_written_in_c(function) and function.__name__ in _SETTERS:
        note_given(mark, obj)
    return obj


_SETTERS = ("__setattr__", "__delattr__")


def note_all_given_in_turn(mark: Any, in_turn: Any, objects: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same where `map` and its like go through iterators among them: each item is noted when it is there."""
    note_all_given(mark, objects)
    if not any(map(_is_iterator, objects)):
        return objects

    def note_item(item: Any) -> Any:
        note_all_given(in_turn, (item,))
        return item

    return tuple(map(note_item, obj) if _is_iterator(obj) else obj for obj in objects)


def _is_iterator(obj: Any) -> bool:
    cls = type(obj)
    return not CONTAINERS[cls] and find_in_class(cls, "__next__") is not ABSENT


def _parts(obj: Any) -> Any:
    return obj[:_MOST_NAMES] if type(obj) is list or type(obj) is tuple else ()


def state_of(obj: Any) -> Any:
    """What undoes any change of an object; None for what has no state of its own, UNKNOWN where that would take long."""
    obj = seen_through(obj)
    cls = type(obj)
    if issubclass(cls, bytearray) and bytearray.__len__(obj) <= _MOST_BYTES:
        return copy_content(obj)
    return witness(obj) if CONTAINERS[cls] else attributes_of(obj)


def attributes_of(obj: Any, most: int = WITNESSED) -> Any:
    """The attributes that an object has, for `content`; None for what has none, and for classes and modules; UNKNOWN for
    more than `most`."""
    obj = seen_through(obj)
    cls = type(obj)
    if issubclass(cls, (type, types.ModuleType)):
        return None
    read, slots = dictionary_reader(cls), slot_readers(cls)
    if read is None and not slots:
        return None
    found: dict[str, Any] = {}
    if read is not None:
        try:
            present = read(obj)
        except TypeError:  # the descriptor of a base with another layout
            return UNKNOWN
        if dict.__len__(present) > most:
            return UNKNOWN
        some = list(dict.items(present))  # at once: other threads may change it
        found.update((name, value) for name, value in some if type(name) is str and name not in NO_ATTRIBUTES)
    for name, get in slots.items():
        try:
            found[name] = get(obj)
        except (AttributeError, TypeError):  # not set
            continue
    return (ATTRIBUTES_NOTED, found)


def note_attributes(mark: Any, owner: Any) -> Any:
    """Before or after all attributes of an object are exchanged or may be changed at once."""
    if (seen := attributes_of(owner)) is not None:
        STREAMS.events.extend((mark, owner, seen))
    return owner


def note_receiver(mark: Any, owner: Any) -> Any:
    """Before a method written in C that changes its object: its attributes, and the containers among them."""
    changed = self_of_super(owner) if type(owner) is super else owner
    if (seen := attributes_of(changed)) is not None and seen is not UNKNOWN:
        STREAMS.events.extend((mark, changed, seen))
        for value in seen[1].values():
            if CONTAINERS[type(value)]:
                STREAMS.events.extend((mark, value, witness(value)))
    return owner


def note_namespace(named: Any, given: Any, held: bool, namespace: Any) -> Any:
    """`owner.__dict__`, `vars(owner)`, `globals()` are kept: what is changed through them shows in the owner, and the
    other way round. `held`: whether the owner was held."""
    owner = seen_through(take(_frame(1))) if held else namespace
    if owner is not namespace and not issubclass(type(owner), types.ModuleType):
        note_given(given, owner)
    if type(namespace) is dict:
        seen = dict.copy(namespace) if dict.__len__(namespace) <= WITNESSED else UNKNOWN
        STREAMS.events.extend((given, namespace, seen))
        note_all_names(named, namespace)
    return namespace


def note_getting(given: Any, named: Any, owner: Any, name: Any) -> Any:
    """Before `getattr(owner, name)`, of which it gives the name: only of containers and of namespaces, as most such calls
    read attributes of objects."""
    cls = type(owner)
    if type(name) is str and name == "__init__":
        note_filling_kept(owner)
    if CONTAINERS[cls] or cls is super:
        passed = self_of_super(owner) if cls is super else owner
        if CONTAINERS[type(passed)]:
            STREAMS.events.extend((given, passed, witness(passed)))
    if type(name) is str and name == "__dict__":
        _note_namespace_of(given, named, owner)
    return name


def _note_namespace_of(given: Any, named: Any, owner: Any) -> None:
    owner = seen_through(owner)
    read = None if issubclass(type(owner), type) else dictionary_reader(type(owner))
    if read is None:
        return
    try:
        namespace = read(owner)
    except TypeError:  # the descriptor of a base with another layout
        return
    if type(namespace) is dict:
        note_namespace(named, given, False, namespace)
        note_given(given, owner)


def note_getting_from(given: Any, named: Any, owner: Any, *others: Any) -> tuple[Any, ...]:
    """The same; it gives all arguments."""
    if others:
        note_getting(given, named, owner, others[0])
    return owner, *others


def note_owner_changed(named: Any, witnessed: Any, namespace: Any) -> Any:
    """Before `owner.__dict__.clear()` and the like: the owner was held."""
    note_any_change(named, witnessed, take(_frame(1)))
    return namespace


def note_owner_changed_late(named: Any, witnessed: Any, last: Any) -> Any:
    """The same when the last argument is known, which it gives; the owner was held for `witnessed`."""
    note_any_change(named, witnessed, take(_frame(1), witnessed))
    return last


def note_any_change(named: Any, witnessed: Any, owner: Any) -> None:
    """Before any attribute of an object, or any name of a module, may be changed."""
    if issubclass(type(owner), types.ModuleType):
        owner = module_namespace(owner)
    if type(owner) is dict:
        note_all_names(named, owner)
    elif (seen := attributes_of(owner)) is not None:
        STREAMS.events.extend((witnessed, owner, seen))


def note_all_names(mark: Any, namespace: dict[Any, Any]) -> None:
    """What each name of a module is bound to now."""
    if is_of_module(namespace):
        note_some_names(mark, namespace, list(namespace)[:_MOST_NAMES])


def note_some_names(mark: Any, namespace: dict[Any, Any], names: Iterable[Any]) -> None:
    for name in names:
        if type(name) is str and not name.startswith("__"):
            value = dict.get(namespace, name, ABSENT)
            STREAMS.events.extend((mark, namespace, name, value if KEPT[type(value)] else UNKNOWN))


def is_of_module(namespace: Any) -> bool:
    return type(namespace) is dict and "__builtins__" in namespace and type(namespace.get("__name__")) is str
