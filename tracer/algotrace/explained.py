"""Whether a write that replaces all of a container explains what the container is like after it.

Of such a write there is a copy of what was before, and what comes after it is worked out from what is later. Where somebody
may change the container unseen, that may be more than the write did. Of methods it is told where they surely did not do that;
what operators and slices put into a container is not known, so that they explain nothing. Left out: what else methods put there.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from algotrace.content import Content
from algotrace.marks import CONTENT, MUTATE, PASSED

_REARRANGE = frozenset({"sort", "reverse", "shuffle", "heapify", "rotate", "move_to_end"})
_TAKE_ONE = frozenset({"remove", "pop", "popleft", "popitem", "discard", "__delitem__"})
_TAKE_SOME = frozenset({"-=", "&=", "difference_update", "intersection_update"})
_UNKNOWN_TO_SETS = frozenset({"update", "symmetric_difference_update"})
_KINDS = frozenset({"list", "dict", "set", "deque"})


def is_copy(row: Any) -> bool:
    """Whether what a write has of the container before it is all of it."""
    return type(row) is list and row[0] in _KINDS


def explains(kind: int, method: str, before: Content, after: Content) -> bool:
    """Whether a write of that kind, by that method, leads from one content to the other. A call that is only handed the
    container is taken for one that does not change it; a method of which the name is not known may be any."""
    if kind == PASSED:
        return (before.items, _parts(before)) == (after.items, _parts(after))
    if kind != CONTENT and method == "clear":
        return not (after.items or after.pairs)
    had, has = _parts(before), _parts(after)
    if method in _REARRANGE:
        return had == has
    if method in _TAKE_ONE or method in _TAKE_SOME:
        return has <= had and (method in _TAKE_SOME or sum(has.values()) >= sum(had.values()) - 1)
    puts_there = method in _UNKNOWN_TO_SETS and before.kind == "set"
    return kind == MUTATE and not puts_there and (method.isidentifier() or not method)


def _parts(content: Content) -> Counter[Any]:
    return Counter(content.items) + Counter((key, value) for key, (_, value) in content.pairs.items())
