"""Long columns of a trace, read in parts when somebody looks at them: opening a large trace costs next to nothing.

A `Column` is a sequence of numbers like an array. Each part is checked when it is read, by itself; so what readers rely
on must be said of a number, its place, and bounds of the whole column. Of very many parts the first ones read are let
go again, so that no file asks for much memory. `Sorted` columns are looked things up in; `Lists` have lists by node.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from itertools import accumulate, chain, compress, islice, repeat
from operator import le, lt
from typing import Any, overload
from collections.abc import Callable, Collection, Iterator, Sequence

_MOST_PARTS = 256  # in memory, of one column
_FEW = 16


class Column(Sequence[int]):
    """`load` gives a part by its number; all have as many numbers, a power of two, but the last."""

    __slots__ = ("_length", "_load", "_loaded", "_mask", "_parts", "_shift")

    def __init__(self, load: Callable[[int], array[int]], length: int, part_length: int) -> None:
        self._load = load
        self._length = length
        self._shift = part_length.bit_length() - 1
        self._mask = part_length - 1
        self._parts: list[array[int] | None] = [None] * ((length + self._mask) >> self._shift)
        self._loaded: list[int] = []

    def part(self, number: int) -> array[int]:
        part = self._parts[number]
        if part is None:
            part = self._parts[number] = self._load(number)
            self._loaded.append(number)
            if len(self._loaded) > _MOST_PARTS:
                self._parts[self._loaded.pop(0)] = None
        return part

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> array[int]: ...

    def __getitem__(self, index: int | slice) -> int | array[int]:
        if type(index) is int and index >= 0:
            part = self._parts[index >> self._shift]
            if part is None:
                part = self.part(index >> self._shift)
            return part[index & self._mask]
        if isinstance(index, slice):
            return self._slice(*index.indices(self._length))
        if not -self._length <= index < 0:
            raise IndexError("column index out of range")
        return self[index + self._length]

    def _slice(self, start: int, stop: int, step: int) -> array[int]:
        if step != 1:
            return array(self.part(0).typecode, (self[place] for place in range(start, stop, step)))
        first = start >> self._shift
        found = self.part(first)[start & self._mask : stop - (first << self._shift)] if start < stop else None
        for number in range(first + 1, (stop + self._mask) >> self._shift):
            assert found is not None
            found += self.part(number)[: stop - (number << self._shift)]
        return self.part(0)[:0] if found is None else found

    def __iter__(self) -> Iterator[int]:
        return chain.from_iterable(map(self.part, range(len(self._parts))))

    def __contains__(self, value: object) -> bool:
        return any(value in self.part(number) for number in range(len(self._parts)))

    def index(self, value: int, start: int = 0, stop: int | None = None) -> int:
        start, stop, _ = slice(start, stop).indices(self._length)
        for number in range(start >> self._shift, (stop + self._mask) >> self._shift):
            base = number << self._shift
            try:
                return base + self.part(number).index(value, max(start - base, 0), stop - base)
            except ValueError:
                continue
        raise ValueError(f"{value} is not in the column")

    def place_of(self, value: int, *, after: bool) -> int:
        """As `bisect_right` or `bisect_left`, in a sorted column."""
        low, high = 0, len(self._parts) - 1
        while low < high:  # the last part whose first number is not too large
            middle = (low + high + 1) // 2
            first = self.part(middle)[0]
            if first < value or (after and first == value):
                low = middle
            else:
                high = middle - 1
        if high < 0:
            return 0
        part = self.part(low)
        return (low << self._shift) + (bisect_right(part, value) if after else bisect_left(part, value))


def first_from(column: Sequence[int], value: int) -> int:
    """The place of the first number of a sorted column that is `value` or more."""
    return column.place_of(value, after=False) if isinstance(column, Column) else bisect_left(column, value)


def first_after(column: Sequence[int], value: int) -> int:
    """The place of the first number of a sorted column that is more than `value`."""
    return column.place_of(value, after=True) if isinstance(column, Column) else bisect_right(column, value)


def places_of(numbers: array[int], wanted: Collection[int]) -> list[int]:
    """Where some numbers stand in an array, in order; much faster than a look at each where they are few and rare."""
    if len(wanted) > _FEW:
        return list(compress(range(len(numbers)), map(frozenset(wanted).__contains__, numbers)))
    found: list[int] = []
    data, width = numbers.tobytes(), numbers.itemsize
    for number in wanted:
        pattern = array(numbers.typecode, (number,)).tobytes()
        at = data.find(pattern)
        while at >= 0:
            if at % width:  # the end of one and the start of the next
                at = data.find(pattern, at + 1)
                continue
            found.append(at // width)
            at = data.find(pattern, at + width)
    return sorted(found) if len(wanted) > 1 else found


class Sorted:
    """A mapping of numbers, kept as two columns: the keys in order, and what belongs to them."""

    __slots__ = ("_in_order", "_keys", "_values")

    def __init__(self, keys: Sequence[int], values: Sequence[int]) -> None:
        self._keys = keys
        self._values = values
        self._in_order: bool | None = None  # the values, too

    def get(self, key: int, default: int) -> int:
        place = first_from(self._keys, key)
        return self._values[place] if place < len(self._keys) and self._keys[place] == key else default

    def end_before(self, value: int) -> int:
        """Keys from this one on have no value below `value`."""
        if self._in_order is None:
            self._in_order = all(map(le, self._values, islice(self._values, 1, None)))
        place = bisect_left(self._values, value) if self._in_order else len(self._keys)
        return self._keys[place - 1] + 1 if place else 0


class Lists:
    """Lists of times by node, kept as columns. Raises ValueError where they do not fit together."""

    __slots__ = ("_ends", "_nodes", "_times")

    def __init__(self, nodes: array[int], counts: array[int], times: array[int], *, pairs: bool) -> None:
        self._nodes = nodes
        self._times = times
        self._ends = array("Q", accumulate(counts))
        if len(nodes) != len(counts) or (self._ends[-1] if self._ends else 0) != len(times):
            raise ValueError("malformed")
        if not all(map(lt, nodes, islice(nodes, 1, None))) or (
            pairs and any(count % 2 or not count for count in set(counts))
        ):
            raise ValueError("malformed")

    def __bool__(self) -> bool:
        return len(self._nodes) > 0

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[int]:
        return iter(self._nodes)

    def __contains__(self, node: object) -> bool:
        return isinstance(node, int) and self._place(node) >= 0

    def __getitem__(self, node: int) -> array[int]:
        place = self._place(node)
        if place < 0:
            raise KeyError(node)
        return self._times[self._ends[place - 1] if place else 0 : self._ends[place]]

    def get(self, node: int, default: Any = None) -> Any:
        place = self._place(node)
        return default if place < 0 else self[node]

    def _place(self, node: int) -> int:
        place = bisect_left(self._nodes, node)
        return place if place < len(self._nodes) and self._nodes[place] == node else -1

    def between(self, first: int, end: int) -> array[int]:
        """The nodes from one to another that have a list."""
        return self._nodes[bisect_left(self._nodes, first) : bisect_left(self._nodes, end)]

    def stretches(self) -> Stretches:
        """All pairs of times, by the first of them."""
        counts = [end - start for start, end in zip(chain((0,), self._ends), self._ends)]
        nodes = array("I", chain.from_iterable(map(repeat, self._nodes, (count // 2 for count in counts))))
        return Stretches(self._times[::2], self._times[1::2], nodes)


class Stretches(Sequence[tuple[int, int, int]]):
    """(start, end, node) of stretches of time, sorted; few bytes each."""

    __slots__ = ("ends", "nodes", "starts")

    def __init__(self, starts: array[int], ends: array[int], nodes: array[int]) -> None:
        if not all(map(lt, starts, islice(starts, 1, None))):
            order = sorted(range(len(starts)), key=ends.__getitem__)
            order.sort(key=starts.__getitem__)
            starts, ends, nodes = (
                array("I", map(column.__getitem__, order)) for column in (starts, ends, nodes)
            )
        self.starts, self.ends, self.nodes = starts, ends, nodes

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> tuple[int, int, int]: ...

    @overload
    def __getitem__(self, index: slice) -> list[tuple[int, int, int]]: ...

    def __getitem__(self, index: int | slice) -> tuple[int, int, int] | list[tuple[int, int, int]]:
        if isinstance(index, slice):
            return list(zip(self.starts[index], self.ends[index], self.nodes[index]))
        return self.starts[index], self.ends[index], self.nodes[index]
