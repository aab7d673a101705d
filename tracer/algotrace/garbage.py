"""Objects that go round in circles and are held by nobody but the recorder.

What refers to each other is never alone by its reference count. As the garbage collector does, we count how many of
the references to an object come from others of the same heap; what has more than that is held by somebody else, and so
is all that it reaches. The rest may be let go: the collector then ends it in a thread of the program's, with its
finalizers and weak references. No code of the program runs here, and what is not understood counts as held.
"""

from __future__ import annotations

import collections
import types
from gc import get_referents as _get_referents, is_tracked as _is_tracked
from itertools import compress
from sys import getrefcount
from typing import Any
from collections.abc import Iterator

from algotrace import BUILTINS

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_AT_ONCE = 1 << 15
_count_all = collections._count_elements  # type: ignore[attr-defined]
# What lives as long as the program does, or is alive by itself: not looked behind.
_BORDERS = (
    types.ModuleType,
    type,
    types.FunctionType,
    types.FrameType,
    types.CodeType,
    types.BuiltinFunctionType,
)
_ALONE_IN_LIST = next(map(getrefcount, [object()]))


def held_by_us_alone(objects: list[Any], references: int) -> set[int]:
    """The ids of those among some objects, and what they hold, that nobody but us holds, who have so many `references` to
    each of them, this list included."""
    if not objects:
        return set()
    size = len(objects)
    nodes = _with_what_they_hold(objects)
    internal: dict[int, int] = {}
    for referents in _referents(nodes):
        _count_all(internal, map(id, referents))
    del referents
    internal_of = internal.get
    reached = set()
    front = []
    ours = _ALONE_IN_LIST + references
    for place, count in enumerate(map(getrefcount, nodes)):
        if place == size:
            ours = _ALONE_IN_LIST
        node_id = id(nodes[place])
        if count - internal_of(node_id, 0) > ours:
            reached.add(node_id)
            front.append(nodes[place])
    known = set(map(id, nodes))
    while front:
        found = {id(obj): obj for referents in _referents(front) for obj in referents if id(obj) in known}
        new = found.keys() - reached
        reached |= new
        front = [found[key] for key in new]
    return known - reached


def _with_what_they_hold(objects: list[Any]) -> list[Any]:
    """The objects, in their order, and what they reach that may refer to others; within bounds."""
    nodes, known = objects[:], set(map(id, objects))
    front, most = objects, 4 * len(objects) + 100_000
    while front and len(nodes) < most:
        new: dict[int, Any] = {}
        for referents in _referents(front):
            tracked = list(compress(referents, map(_is_tracked, referents)))
            new.update(zip(map(id, tracked), tracked))
        front = [obj for key, obj in new.items() if key not in known and not issubclass(type(obj), _BORDERS)]
        known.update(map(id, front))
        nodes += front
    return nodes


def _referents(objects: list[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(objects), _AT_ONCE):
        yield _get_referents(*objects[start : start + _AT_ONCE])
