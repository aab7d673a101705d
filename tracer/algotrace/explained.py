"""Whether a write explains what a container is like after it, where somebody may have changed that unseen.

Of a write there is what undoes it; what comes after it is worked out from what is later. A write that replaces all of a
container, its end, or what it has at a key may hide what somebody did later: that is undone with it. It is told by the methods
that somebody was given, and by what the write itself may do. What operators, slices and keys put there is not known, so that
they explain nothing. Left out: which part it was that was added or taken out, where as many came as went.
"""

from __future__ import annotations

from collections import Counter
from typing import Any
from collections.abc import Callable, Set

from algotrace.content import Content, Write
from algotrace.marks import (
    APPEND,
    ATTRIBUTE,
    ATTRIBUTE_NEW,
    CONTENT,
    ITEM,
    ITEM_DELETED,
    MUTATE,
    NAMED,
    PASSED,
)

_REARRANGE = frozenset({"sort", "reverse", "shuffle", "heapify", "rotate", "move_to_end"})
_TAKE_ONE = frozenset({"remove", "pop", "popleft", "popitem", "discard", "__delitem__"})
_TAKE_SOME = frozenset({"-=", "&=", "difference_update", "intersection_update"})
_UNKNOWN_TO_SETS = frozenset({"update", "symmetric_difference_update"})
_OF_ONE_PART = frozenset({"insert", "drop", "nothing", "moved"})  # see `mutators`: the number of parts tells
_ADDING = frozenset({"append", "appendleft", "extend", "extendleft", "insert", "add", "update"})
_SHORTENING = frozenset({"pop", "popleft", "remove", "clear", "discard"})
_RENUMBERING = _ADDING | _SHORTENING  # what stays at a place stays as it is
_NONE = frozenset[str](), frozenset[str]()
_OF_SEQUENCES = _ADDING | {"__iadd__"}, _SHORTENING | {"__delitem__"}
_ONE_WAY = {
    **dict.fromkeys(("list", "deque", "bytearray", "array"), _OF_SEQUENCES),
    "dict": (frozenset({"setdefault"}), frozenset({"pop", "popitem", "clear", "__delitem__"})),
    "set": (
        frozenset({"add", "update", "__ior__"}),
        frozenset(
            {
                "discard",
                "remove",
                "pop",
                "clear",
                "difference_update",
                "intersection_update",
                "__isub__",
                "__iand__",
            }
        ),
    ),
}
# Those of `mutators` and two more: who reads a trace does not load what records one.
CHANGING = frozenset({
    "append", "appendleft", "extend", "extendleft", "insert", "pop", "popleft", "popitem", "remove", "discard", "clear", "sort",
    "reverse", "rotate", "update", "setdefault", "move_to_end", "add", "subtract", "difference_update", "intersection_update",
    "symmetric_difference_update", "fromlist", "frombytes", "fromfile", "fromunicode", "byteswap", "__setitem__", "__delitem__",
    "__iadd__", "__imul__", "__ior__", "__iand__", "__isub__", "__ixor__", "__setstate__", "__init__",
})  # fmt: skip
HIDING_NOTHING = frozenset({APPEND, ATTRIBUTE, ATTRIBUTE_NEW, NAMED})
_KINDS = frozenset({"list", "dict", "set", "deque"})


def is_copy(row: Any) -> bool:
    """Whether what a write has of the container before it is all of it."""
    return type(row) is list and row[0] in _KINDS


def explains(
    write: Write,
    saved: Any,
    row: Callable[[int], Any],
    before: Content,
    after: Content,
    given: frozenset[str],
) -> bool:
    """Whether a write that has `saved`, a row, leads from one content to the other, and does not hide what methods of the
    names `given` did later ("" stands for any). A call that is only handed the container is taken for one that does not
    change it; a method of the write of which the name is not known may be any."""
    kind, method = write.kind, write.detail
    if kind == PASSED:
        return (before.items, _parts(before)) == (after.items, _parts(after))
    if not is_copy(saved):
        return _hides_nothing(write, saved, row, before, after, given)
    if kind != CONTENT and method == "clear":
        return not (after.items or after.pairs)
    had, has = _parts(before), _parts(after)
    if method == "reverse":
        return before.items[::-1] == after.items
    if method in _REARRANGE:
        return had == has and given <= _RENUMBERING
    if method in _TAKE_ONE or method in _TAKE_SOME:
        return has <= had and (method in _TAKE_SOME or sum(has.values()) >= sum(had.values()) - 1)
    puts_there = method in _UNKNOWN_TO_SETS and before.kind == "set"
    return kind == MUTATE and not puts_there and (method.isidentifier() or not method)


def may_exchange(handed: Set[str], kind: str) -> bool:
    """Whether calls of methods of these names may leave a container of a kind as it was in the end, or as long as it was, and
    otherwise in between."""
    adding, shortening = _ONE_WAY.get(kind, _NONE)
    return not (handed <= adding or handed <= shortening)


def _hides_nothing(
    write: Write,
    saved: Any,
    row: Callable[[int], Any],
    before: Content,
    after: Content,
    given: frozenset[str],
) -> bool:
    if write.kind in (ITEM, ITEM_DELETED):
        return before.kind in ("list", "deque", "bytearray") and given <= _RENUMBERING
    if write.kind != MUTATE:
        return False
    if type(saved) is int:
        return len(after.items) <= len(before.items) + 1  # of `append`, and the like
    verb = row(saved[2][0]) if type(saved) is list and saved[0] == "tuple" else None
    if verb == "member":
        return not row(saved[2][2]) and given <= _ADDING
    return verb in _OF_ONE_PART


def _parts(content: Content) -> Counter[Any]:
    return Counter(content.items) + Counter((key, value) for key, (_, value) in content.pairs.items())
