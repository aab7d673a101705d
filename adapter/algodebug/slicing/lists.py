"""Lists that were changed: where an element lay before each change, and what decided how many there are.

From the last change back, until the one that put the element where it was put; `containers.Stores` has the changes. What
moves elements counts with where it did so; what only adds behind an element does not.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from typing import TYPE_CHECKING

from algodebug.slicing.demands import Demand
from algodebug.slicing.instances import WRITE, Instance
from algotrace import marks

if TYPE_CHECKING:
    from algodebug.slicing.containers import Stores

# Methods and functions that leave the number of elements as it is, and those that put them where the others tell.
_KEEPING_SIZE = frozenset({"sort", "reverse", "rotate", "heapify", "heapreplace", "heappushpop", "shuffle"})
_BY_ONE = frozenset({"append", "appendleft", "insert", "pop", "popleft", "remove", "heappush", "heappop", "insort", "insort_left", "insort_right"})  # fmt: skip
_MOST_COMPARED = 50
HIT = -1
_WIDENING = frozenset({"extend", "extendleft", "+="})


def size(stores: Stores) -> bool:
    """How many elements a list has: as many as before the last change of that, but for what it did."""
    needs = stores.needs
    for index in range(stores.last - 1, stores.low - 1, -1):
        slot, at = stores.slots[index], stores.times[index]
        write = stores.graph.write(at)
        method = _method(write)
        if slot > marks.APPENDED or method in _KEEPING_SIZE or _is_store(stores, at):
            continue
        if write is None:
            stores.found_all(at)
            continue
        if _is_deleted(write) or method in _BY_ONE:
            stores.happened(at)
        elif method in _WIDENING:
            stores.happened(at)
            needs.shape(write.deep, at)
        elif method == "clear":
            return stores.hit(at)
        elif _is_slice(write):
            stores.happened(at)
            needs.whole(write.uses[1:], at)
            if write.copy is not None:
                needs.shape((write.copy,), at)
        else:
            stores.found_all(at)
            continue
        if before(stores, write, at):
            return True
    return False


def before(stores: Stores, write: Instance, at: int) -> bool:
    """… as many as there were then, where the change names the list."""
    if not write.uses or stores.graph.number(write.uses[0]) != stores.number:
        return False
    stores.needs.shape(write.uses[:1], at)
    stores.until = at
    return True


def element(stores: Stores, place: int) -> bool:
    """Follow the element that is at `place` back to where it was put."""
    if stores.last == stores.low:
        return False
    if not 0 <= place < len(_items(stores, stores.before)):
        return size(stores)  # there is no such element: it has too few
    wanted, end = place, stores.last
    while end > stores.low:
        index, slot = end - 1, stores.slots[end - 1]
        following = stores.times[end] if end < stores.last else stores.before
        after = max(following, stores.times[index] + 1)
        if stores.are_hidden(index, following):
            for at in stores.times[stores.low : end]:
                stores.found_all(at)
            return False
        if slot > marks.APPENDED:
            end = _stretch_of_stores(stores, end, place, after)
            if end == HIT:
                return True
        elif slot == marks.APPENDED:
            start = max(stores.trace.writes_of(stores.number).start_of_stretch(index), stores.low)
            first_put = len(_items(stores, after)) - (end - start)
            if place >= first_put:
                at = stores.times[start + place - first_put]
                _put(stores, at, stores.graph.write(at))
                return True
            end = start
        else:
            moved = _before_change(stores, stores.times[index], place, after)
            if moved is None:
                return True
            place, end = moved, index
    return place != wanted and _where_made(stores, place)


def _stretch_of_stores(stores: Stores, end: int, place: int, after: int) -> int:
    """`xs[key] = value`, several in a row: HIT where one of them put the element there, else where the first of them is."""
    graph, times, number = stores.graph, stores.times, stores.number
    parts = graph.parts.of(number)
    start = max(
        stores.trace.writes_of(number).start_of_stretch(end - 1), stores.low, parts.last_other(end) + 1
    )
    if start >= end:  # stored by a key of another kind
        moved = _stored(stores, times[end - 1], graph.write(times[end - 1]), place)
        return HIT if moved is None else end - 1
    hit = parts.last_to(("item", place), end)
    if parts.negative:
        hit = max(hit, parts.last_to(("item", place - len(_items(stores, after))), end))
        low, high = (bisect_left(parts.negative, at) for at in (max(hit, start), end))
        for position in parts.negative[low:high]:
            write = graph.write(times[position])
            if write is not None:
                stores.needs.shape(write.uses[:1], times[position])
    stores.skipped_all(max(hit + 1, start), end)
    if hit < start:
        return start
    stores.hit(times[hit])
    return HIT


def _before_change(stores: Stores, at: int, place: int, after: int) -> int | None:
    """Where an element was before a change; None where the change is the whole answer."""
    write = stores.graph.write(at)
    if _is_store(stores, at):
        return _stored(stores, at, write, place)
    if stores.too_many(at):
        return place
    if (
        write is not None
        and stores.needs.graph.number(write.uses[0] if write.uses else None) == stores.number
    ):
        if _is_slice(write):
            return _in_slice(stores, at, write, place, after)
        if _is_deleted(write):
            return _shifted(stores, at, write, write.uses[1], place, after)
        method = _method(write)
        if method in ("insert", "pop"):
            return _shifted(stores, at, write, write.deep[0] if write.deep else None, place, after)
        if method == "remove":
            return _removed(stores, at, write, place, after)
        if method == "append":
            return place if place < len(_items(stores, after)) - 1 else _put(stores, at, write)
        if method in ("extend", "+="):
            return _widened(stores, at, write, place)
        if method == "appendleft":
            stores.happened(at)
            return place - 1 if place else _put(stores, at, write)
        if method == "popleft":
            stores.happened(at)
            return place + 1
        if method == "reverse":
            stores.happened(at)
            stores.needs.shape(write.uses, at)
            return len(_items(stores, at)) - 1 - place
    return _otherwise(stores, at, write, place, after)


def _otherwise(stores: Stores, at: int, write: Instance | None, place: int, after: int) -> int | None:
    """A change that may have put any element anywhere; of code that was not recorded perhaps none."""
    if stores.trace.write_at(at).kind == marks.PASSED and _items(stores, at) == _items(stores, after):
        stores.skipped(at)
        return place
    stores.found_all(at)
    if write is not None and write.uses:
        stores.needs.whole(write.uses[:1], at)
    stores.until = at
    return None


def _put(stores: Stores, at: int, write: Instance | None) -> int | None:
    """The element was put by a change behind all others (or before them)."""
    stores.found_rest(at)
    stores.until = at
    if write is not None:
        before(stores, write, at)
    return None


def _stored(stores: Stores, at: int, write: Instance | None, place: int) -> int | None:
    """`xs[key] = value`"""
    number = stores.trace.write_at(at).values[1]
    key = stores.trace.row(number)
    length = len(_items(stores, at))
    if isinstance(key, int) and key < 0:
        key += length
        if write is not None:
            stores.needs.shape(write.uses[:1], at)
    if key == place:
        stores.hit(at)
        return None
    stores.skipped(at)
    return place


def _shifted(
    stores: Stores, at: int, write: Instance, where: Instance | None, place: int, after: int
) -> int | None:
    """`insert`, `pop`, `del xs[i]`: the elements behind move by one."""
    index = -1 if where is None else stores.graph.value(where)
    if not isinstance(index, int):
        return _otherwise(stores, at, write, place, after)
    needs, length, inserted = stores.needs, len(_items(stores, at)), write.detail == "insert"
    if inserted and len(write.deep) < 2:  # `partial(xs.insert, 0)(x)`: not all that it was given stands here
        return _otherwise(stores, at, write, place, after)
    if index < 0 or (inserted and index >= length):
        needs.shape(write.uses[:1], at)
    index = min(index if index >= 0 else max(index + length, 0), length)
    if where is not None:
        needs.which((where,))
    if place < index:
        return place
    stores.happened(at)
    if not inserted:
        return place + 1
    if place > index:
        return place - 1
    demand = stores.demand
    needs.found.append(Demand(write.deep[1], demand.path[1:], demand.depth, demand.time, demand.fresh))
    stores.until = at
    return None


def _removed(stores: Stores, at: int, write: Instance, place: int, after: int) -> int | None:
    """`remove`: the elements up to the one that is equal were compared."""
    old, new = _items(stores, at), _items(stores, after)
    index = next((n for n, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), len(new))
    while 0 < index < len(old) and old[index - 1] == old[index]:
        index -= 1  # of several in a row the first is taken out
    if index > _MOST_COMPARED or not write.deep:
        return _otherwise(stores, at, write, place, after)
    stores.needs.whole(write.deep, at)
    for compared in range(min(index, place) + 1):
        stores.read(write.uses[0], ("item", compared), at, ())
    if place < index:
        return place
    stores.happened(at)
    return place + 1


def _widened(stores: Stores, at: int, write: Instance, place: int) -> int | None:
    """`extend`, `+=`: what there was stays where it is."""
    length = len(_items(stores, at))
    if place < length:
        return place
    _of_value(stores, at, write, write.deep[0], place - length)
    before(stores, write, at)
    return None


def _in_slice(stores: Stores, at: int, write: Instance, place: int, after: int) -> int | None:
    """`xs[a:b] = ys`, `del xs[a:b]`"""
    node = write.node.slice if isinstance(write.node, ast.Subscript) else None
    operands = iter(write.uses[1].deep)
    bounds = [
        None if part is None else stores.graph.value(next(operands))
        for part in (getattr(node, "lower", None), getattr(node, "upper", None), getattr(node, "step", None))
    ]
    length, new = len(_items(stores, at)), len(_items(stores, after))
    if bounds[2] is not None or any(bound is not None and type(bound) is not int for bound in bounds):
        return _otherwise(stores, at, write, place, after)
    low, high, _ = slice(*bounds).indices(length)
    high = max(low, high)
    needs = stores.needs
    needs.whole(write.uses[1:], at)
    if bounds[0] is not None and (bounds[0] < 0 or low == length):
        needs.shape(write.uses[:1], at)
    if place < low:
        return place
    stores.happened(at)
    given = new - length + high - low
    if place < low + given:
        if write.copy is None:
            return _otherwise(stores, at, write, place, after)
        _of_value(stores, at, write, write.copy, place - low)
        return None
    needs.shape(write.uses[:1], at)
    if write.copy is not None:
        needs.shape((write.copy,), at)
    return place - given + high - low


def _of_value(stores: Stores, at: int, write: Instance, value: Instance, index: int) -> None:
    """The element was handed over in another container."""
    stores.happened(at)
    stores.until = at
    shown = stores.graph.origin(value)
    listed = stores.graph.kind_of(value) in ("list", "tuple", "deque") or (
        not stores.graph.number(value) and type(shown.detail) is not dict
    )
    if listed:
        stores.read(value, ("item", index), at, stores.demand.path[1:])
    else:
        stores.needs.whole((value,), at)


def _where_made(stores: Stores, place: int) -> bool:
    """It was elsewhere when the list was made."""
    write = stores.graph.write(stores.times[stores.low])
    base = write.uses[0] if write is not None and write.uses else None
    if base is None:
        return False
    demand = stores.demand
    path = (("item", place), *demand.path[1:])
    stores.needs.found.append(Demand(base, path, demand.depth, demand.time, 1 + demand.fresh))
    return True


def _items(stores: Stores, time: int) -> list[int]:
    return stores.trace.content(stores.number, time).items


def _method(write: Instance | None) -> str:
    """The method that a change was made by; none where one was but handed out, which may be called later, or never."""
    return str(write.detail) if write is not None and write.kind == WRITE else ""


def _is_store(stores: Stores, at: int) -> bool:
    """Whether a write is `xs[key] = value`."""
    return stores.trace.write_at(at).kind == marks.ITEM


def _is_slice(write: Instance) -> bool:
    return (
        len(write.uses) > 1
        and isinstance(write.node, ast.Subscript)
        and isinstance(write.node.slice, ast.Slice)
    )


def _is_deleted(write: Instance) -> bool:
    """`del xs[i]`"""
    return (
        len(write.uses) > 1
        and isinstance(write.node, ast.Subscript)
        and isinstance(write.node.ctx, ast.Del)
        and not _is_slice(write)
    )
