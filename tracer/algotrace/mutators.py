"""Methods, operators and library functions that change a container, and what undoes each: read before the call.

By name in the text, by class of what they are called on. Where the class is the program's own and overrides them, what
its code does is recorded there.
"""

from __future__ import annotations

import array
import bisect
import collections
import heapq
import sys
import types
from typing import Any

from algotrace import BUILTINS
from algotrace.changed_parts import (
    in_part, undo_of_addition, undo_of_addition_in_front, undo_of_difference, undo_of_insertion, undo_of_intersection,
    undo_of_removal, undo_of_removal_at, undo_of_repetition, undo_of_reversal, undo_of_rotation,
    undo_of_symmetric_difference, undo_of_update,
)  # fmt: skip
from algotrace.class_tables import Table, find_behind, find_in_class, is_written_in_c, mro_of, namespace_of
from algotrace.deletions import is_copy_due, order_may_change
from algotrace.library_code import is_recorded
from algotrace.marks import ABSENT, UNKNOWN
from algotrace.quiet_lookups import quietly
from algotrace.undo import CONTAINERS, Reader, copy_content, hashes_quietly
from algotrace.weak_proxies import PROXIES, behind

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

NOTHING = ("nothing",)  # the call will fail, or what it does is recorded elsewhere


# Undo information of a mutating method, which is given UNKNOWN where the arguments are not known; taking it back must be harmless where the call fails: an int n (it had n parts: drop the rest), ("insert", i, v) (put v back at i),
# ("key", k, old), ("keys", {k: old}), ("member", x, was there), a whole copy, or UNKNOWN.
def _length(container: list[Any], *_: Any) -> Any:
    return list.__len__(container)


def _whole(container: Any, *_: Any) -> Any:
    return copy_content(container)


def _list_pop(container: list[Any], index: Any = -1, *more: Any) -> Any:
    if more:
        return NOTHING
    size = list.__len__(container)
    if type(index) is int and -size <= index < size:
        return ("insert", index % size, list.__getitem__(container, index))
    return NOTHING if type(index) is int else copy_content(container)


def _list_insert(container: list[Any], index: Any = UNKNOWN, *items: Any) -> Any:
    if type(index) is not int:
        return copy_content(container)
    if len(items) != 1:
        return NOTHING
    size = list.__len__(container)
    return ("drop", min(index, size) if index >= 0 else max(size + index, 0))


_deque = collections.deque
_most_in_deque = _deque.__dict__["maxlen"].__get__


def _deque_push(container: collections.deque[Any], *_: Any) -> Any:
    return _deque.__len__(container) if _most_in_deque(container) is None else copy_content(container)


def _in_free_deque(undo: Reader) -> Reader:
    """… where it may hold any number: a full one drops parts at its other end."""
    in_general = in_part(undo)

    def read(container: collections.deque[Any], *arguments: Any) -> Any:
        is_free = _most_in_deque(container) is None
        return in_general(container, *arguments) if is_free else copy_content(container)

    return read


def _deque_push_left(container: collections.deque[Any], *items: Any) -> Any:
    if len(items) != 1 or items[0] is UNKNOWN:
        return copy_content(container)
    size = _deque.__len__(container)
    if _most_in_deque(container) != size:
        return ("drop", 0)
    return ("pushed", "left", _deque.__getitem__(container, -1)) if size else NOTHING


def _deque_pop(container: collections.deque[Any], *arguments: Any) -> Any:
    if arguments and arguments[0] is UNKNOWN:
        return copy_content(container)
    size = _deque.__len__(container)
    return ("insert", size - 1, _deque.__getitem__(container, -1)) if size and not arguments else NOTHING


def _deque_pop_left(container: collections.deque[Any], *arguments: Any) -> Any:
    if arguments and arguments[0] is UNKNOWN:
        return copy_content(container)
    size = _deque.__len__(container)
    return ("insert", 0, _deque.__getitem__(container, 0)) if size and not arguments else NOTHING


def whole(container: Any, *_: Any) -> Any:
    """A copy of what may be changed in whatever way."""
    if issubclass(type(container), dict):
        order_may_change(container)
    return copy_content(container)


def _whole_dict(container: dict[Any, Any], *_: Any) -> Any:
    order_may_change(container)
    return copy_content(container)


def _dict_key(container: dict[Any, Any], key: Any = ABSENT, *_: Any) -> Any:
    old = quietly(dict.get, container, key, ABSENT) if hashes_quietly(key) else UNKNOWN
    return _whole_dict(container) if old is UNKNOWN else ("key", key, old)


def _dict_pop(container: dict[Any, Any], key: Any = ABSENT, *_: Any) -> Any:
    """Of a small one all: where the key stood cannot be told otherwise."""
    if dict.__len__(container) <= _FEW or is_copy_due(container):
        return copy_content(container)
    return _dict_key(container, key)


_FEW = 16  # keys of a dict that are copied where one goes


def _dict_popitem(container: dict[Any, Any], *_: Any) -> Any:
    if issubclass(type(container), collections.OrderedDict):
        return _whole_dict(
            container
        )  # it may be the first one that goes, which cannot be found without its hash
    if is_copy_due(container):
        return copy_content(container)
    for key in dict.__reversed__(container):
        return _dict_key(container, key)
    return NOTHING


def _move_to_end(container: Any, key: Any = UNKNOWN, last: Any = True, *_: Any) -> Any:
    """Where the key stood is told by what is kept for deletions."""
    if not issubclass(type(container), collections.OrderedDict):
        return NOTHING
    old = quietly(dict.get, container, key, ABSENT) if hashes_quietly(key) else UNKNOWN
    if type(last) is not bool or old is ABSENT or old is UNKNOWN:
        return _whole_dict(container)
    copy = copy_content(container) if is_copy_due(container) else ABSENT
    return ("moved", key, last, copy)


def _dict_update(container: dict[Any, Any], other: Any = ABSENT, *_: Any) -> Any:
    if type(other) is dict and all(map(hashes_quietly, other)):
        return _at_keys(container, other)
    return _whole_dict(container)


def _at_keys(container: dict[Any, Any], keys: Any) -> Any:
    olds = {key: quietly(dict.get, container, key, ABSENT) for key in keys}
    return _whole_dict(container) if any(old is UNKNOWN for old in olds.values()) else ("keys", olds)


def _counter_update(container: dict[Any, Any], other: Any = ABSENT, *_: Any) -> Any:
    if type(other) in _READ_AGAIN and all(map(hashes_quietly, other)):
        return _at_keys(container, other)
    return _whole_dict(container)


_READ_AGAIN = (list, tuple, str, dict, collections.Counter, set, frozenset)


def _set_member(container: set[Any], item: Any = ABSENT, *_: Any) -> Any:
    was_there = quietly(set.__contains__, container, item) if hashes_quietly(item) else UNKNOWN
    return copy_content(container) if was_there is UNKNOWN else ("member", item, was_there)


_OF_NUMBERS: dict[str, Reader] = {
    **dict.fromkeys(("append", "extend", "+=", "__iadd__"), in_part(undo_of_addition)),
    **dict.fromkeys(("clear", "__setitem__", "__delitem__"), _whole),
    **dict.fromkeys(("*=", "__imul__"), in_part(undo_of_repetition)),
    "insert": in_part(undo_of_insertion),
    "pop": in_part(undo_of_removal_at),
    "remove": in_part(undo_of_removal),
    "reverse": in_part(undo_of_reversal),
}


_FILLING = ("fromlist", "frombytes", "fromfile", "fromunicode")


def pops_member(container: set[Any], *more: Any) -> Any:
    """Which one it will be nobody can tell: it is noted when it has gone, see `Calls._member_noted`."""
    return NOTHING


_METHODS: dict[type, dict[str, Reader]] = {
    list: {
        "append": _length, "extend": _length, "pop": _list_pop, "insert": _list_insert, "remove": in_part(undo_of_removal),
        "sort": _whole, "reverse": in_part(undo_of_reversal), "clear": _whole, "+=": _length,
        "*=": in_part(undo_of_repetition), "__setitem__": _whole, "__delitem__": _whole, "__iadd__": _length,
        "__imul__": in_part(undo_of_repetition),
    },
    collections.deque: {
        "append": _deque_push, "appendleft": _deque_push_left, "pop": _deque_pop, "popleft": _deque_pop_left,
        "extend": _deque_push, "extendleft": _in_free_deque(undo_of_addition_in_front), "rotate": in_part(undo_of_rotation),
        "insert": _in_free_deque(undo_of_insertion), "remove": in_part(undo_of_removal), "reverse": in_part(undo_of_reversal),
        "clear": _whole, "+=": _deque_push, "*=": _in_free_deque(undo_of_repetition),
        "__setitem__": _whole, "__delitem__": _whole, "__iadd__": _deque_push, "__imul__": _in_free_deque(undo_of_repetition),
    },
    dict: {
        "pop": _dict_pop, "setdefault": _dict_key, "popitem": _dict_popitem, "update": _dict_update,
        "clear": _whole_dict, "|=": _dict_update, "move_to_end": _move_to_end,
        "__setitem__": _dict_key, "__delitem__": _dict_pop, "__ior__": _dict_update,
    },
    set: {
        "add": _set_member, "discard": _set_member, "remove": _set_member, "pop": pops_member, "clear": _whole,
        **dict.fromkeys(("update", "|=", "__ior__"), in_part(undo_of_update)),
        **dict.fromkeys(("difference_update", "-=", "__isub__"), in_part(undo_of_difference)),
        **dict.fromkeys(("intersection_update", "&=", "__iand__"), in_part(undo_of_intersection)),
        **dict.fromkeys(("symmetric_difference_update", "^=", "__ixor__"), in_part(undo_of_symmetric_difference)),
    },
    bytearray: _OF_NUMBERS,
    array.array: {**_OF_NUMBERS, **dict.fromkeys(_FILLING, in_part(undo_of_addition)), "byteswap": _whole},
}  # fmt: skip
_METHODS[collections.Counter] = {
    **_METHODS[dict],
    **dict.fromkeys(("update", "subtract"), _counter_update),
    **dict.fromkeys(("+=", "-=", "|=", "&="), _whole_dict),
}
_KINDS: dict[type, str] = {collections.Counter: "dict", array.array: "list"}
_METHODS_BY_ADDRESS = {id(cls): table for cls, table in _METHODS.items()}
METHOD_NAMES: frozenset[str] = frozenset(name for table in _METHODS.values() for name in table if name.isidentifier() or name.startswith("__"))  # fmt: skip
KINDS_CHANGED_BY: dict[str, frozenset[str]] = {  # as traces name them
    name: frozenset(_KINDS.get(cls, cls.__name__) for cls, table in _METHODS.items() if name in table)
    for name in METHOD_NAMES
}
KEPT_NAMES = METHOD_NAMES | {"__init__"}  # … of which calls are noted apart, but not where it is kept


# What library functions do to their first argument; the second one is put into it.
LIBRARY_MUTATORS: dict[Any, str] = {
    heapq.heapify: "copy",
    heapq.heappop: "heappop",
    heapq.heappush: "heappush",
    heapq.heapreplace: "heapreplace",
    heapq.heappushpop: "heappushpop",
    bisect.insort_left: "left",
    bisect.insort_right: "right",  # `insort` is this one
}


def library_effect(function: Any) -> str:
    """How a library function changes its first argument; "" for all we do not know, and for the program's own."""
    if type(function) is types.BuiltinFunctionType:
        return LIBRARY_MUTATORS.get(function, "")
    if type(function) is types.MethodType:
        inner = function.__func__
        known = getattr(sys.modules.get("random"), "Random", None)
        if known is not None and inner is known.__dict__.get("shuffle"):
            return "copy"
    return ""


def library_undo(effect: str, container: list[Any], item: Any) -> Any:
    """Undo information of a library call, of a size that does not depend on the container's (but for whole rearrangements)."""
    if effect == "copy":
        return list.copy(container)
    if effect in ("left", "right"):
        return ("insorted", item, effect, list.__len__(container))
    if effect == "heappush":
        return ("heappush", item)
    if not list.__len__(container):
        return NOTHING
    moved = list.__getitem__(container, -1) if effect == "heappop" else item
    return (effect, moved, list.__getitem__(container, 0))


LIBRARY_NAMES: dict[str, str] = {  # as they are called in programs → the argument at which the call is noted
    **dict.fromkeys(("heappop", "heapify", "shuffle"), "first"),
    **dict.fromkeys(
        ("heappush", "heapreplace", "heappushpop", "insort", "insort_left", "insort_right"), "second"
    ),
    **dict.fromkeys(("setattr", "delattr", "__setattr__", "__delattr__"), "named"),
}


class MethodReaders(Table):
    """For one mutating method (or in-place operator): class → what to read before, or None where it is user code."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def __missing__(self, cls: type) -> Reader | None:
        reader: Reader | None = None
        special = {"+=": "__iadd__", "*=": "__imul__", "|=": "__ior__", "&=": "__iand__", "-=": "__isub__", "^=": "__ixor__"}  # fmt: skip
        method = special.get(self.name, self.name)
        for base in mro_of(cls):
            if (known := _METHODS_BY_ADDRESS.get(id(base))) is not None:
                reader = known.get(self.name)
                break
            namespace = namespace_of(base)
            if method in namespace and not is_written_in_c(namespace[method]):
                # Overridden by code of the program: what that does is recorded there.
                reader = _whole if CONTAINERS[cls] and _is_of_library(namespace[method]) else None
                break
        if cls is super:
            reader = self._through_super
        elif id(cls) in PROXIES:
            reader = self._behind_proxy
        self[cls] = reader
        return reader

    def _behind_proxy(self, proxy: Any, *arguments: Any) -> Any:
        obj = behind(proxy)
        read = None if obj is ABSENT else self[type(obj)]
        return NOTHING if read is None else (_whole if read is pops_member else read)(obj, *arguments)

    def _through_super(self, proxy: Any, *arguments: Any) -> Any:
        target, builtin = behind_super(proxy, self.name)
        for base, table in _METHODS.items():
            if builtin and issubclass(type(target), base) and self.name in table:
                read = table[self.name]
                return (_whole if read is pops_member else read)(target, *arguments)
        return NOTHING


def _is_of_library(function: Any) -> bool:
    """Whether it is a function that is not recorded."""
    return type(function) is types.FunctionType and not is_recorded(function)


self_of_super = super.__dict__["__self__"].__get__


def behind_super(proxy: Any, method: str) -> tuple[Any, bool]:
    """The object behind `super()`, and whether the method found there is a builtin type's."""
    target = self_of_super(proxy)
    found = find_behind(proxy, method)
    return target, found is not ABSENT and is_written_in_c(found)


class _Defaulting(Table):
    """class → whether looking up a key may give a value that nobody stored, by code that is not recorded."""

    def __missing__(self, cls: type) -> bool:
        missing = find_in_class(cls, "__missing__") if issubclass(cls, dict) else ABSENT
        found = self[cls] = missing is not ABSENT and (is_written_in_c(missing) or _is_of_library(missing))
        return found


DEFAULTING = _Defaulting(dict.fromkeys((list, dict, tuple, str), False))
