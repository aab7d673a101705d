"""Long columns: a sequence that is read part by part is the sequence, and keeps few parts; lookups find what is there."""

from __future__ import annotations

import random
from array import array
from bisect import bisect_left, bisect_right

import pytest

from algotrace import columns
from algotrace.columns import Column, Lists, Sorted, Stretches, first_after, first_from, places_of
from algotrace.write_index import ObjectWrites, WriteIndex


def column(numbers: list[int], length: int = 4) -> tuple[Column, list[int]]:
    loaded: list[int] = []

    def load(part: int) -> array[int]:
        loaded.append(part)
        return array("i", numbers[part * length : (part + 1) * length])

    return Column(load, len(numbers), length), loaded


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 8, 21])
def test_a_column_is_the_sequence_of_its_numbers(size: int) -> None:
    numbers = [(7 * n) % 5 - 1 for n in range(size)]
    read, _ = column(numbers)
    assert (len(read), list(read), [read[n] for n in range(-size, size)]) == (size, numbers, numbers * 2)
    for start in range(-2, size + 2):
        for stop in (None, *range(-2, size + 2)):
            assert list(read[start:stop] if size else ()) == numbers[start:stop]
            for value in (-1, 2, 9):
                expected = numbers[slice(start, stop)].count(value) > 0
                try:
                    assert read.index(value, start, stop) == numbers.index(
                        value, start, size if stop is None else stop
                    )
                except ValueError:
                    assert not expected
    for index in (size, -size - 1):
        with pytest.raises(IndexError):
            read[index]
    assert (3 in read, 9 in read) == (3 in numbers, False)


def test_parts_are_read_when_they_are_looked_at_and_few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_MOST_PARTS", 2)
    read, loaded = column(list(range(20)))
    assert loaded == []
    assert (read[9], read[10], loaded) == (9, 10, [2])
    assert list(read) == list(range(20)) and set(loaded) == set(range(5))
    assert sum(part is not None for part in read._parts) == 2
    before = len(loaded)
    assert read[8] == 8 and loaded[before:] == [2]


@pytest.mark.parametrize("size", [1, 4, 9, 30])
def test_places_in_a_sorted_column(size: int) -> None:
    numbers = sorted(random.Random(size).choices(range(size), k=size))
    read, _ = column(numbers)
    for value in range(-1, size + 1):
        assert (
            first_from(read, value) == bisect_left(numbers, value) == first_from(array("i", numbers), value)
        )
        assert first_after(read, value) == bisect_right(numbers, value)


@pytest.mark.parametrize("wanted", [[], [5], [0x0500], [5, 0x0500, 0x05000000], list(range(30))])
def test_where_numbers_stand(wanted: list[int]) -> None:
    chance = random.Random(1)
    numbers = array(
        "I", chance.choices([0, 5, 0x05, 0x0500, 0x050000, 0x05000000, 0x40000005, 1 << 31], k=500)
    )
    assert places_of(numbers, wanted) == [place for place, n in enumerate(numbers) if n in wanted]


@pytest.mark.parametrize("values", [[3, 5, 5, 9], [9, 1, 5, 3]])
def test_numbers_by_number(values: list[int]) -> None:
    found = Sorted(array("I", [2, 4, 7, 8]), array("I", values))
    assert [found.get(key, -1) for key in (1, 2, 4, 5, 8, 9)] == [-1, values[0], values[1], -1, values[3], -1]
    for limit in range(12):
        below = [key for key, value in zip((2, 4, 7, 8), values, strict=True) if value < limit]
        assert found.end_before(limit) > max(below, default=-1)
    assert found.end_before(0) == 0 or values != sorted(values)


def test_lists_by_node_and_the_stretches_they_make() -> None:
    lists = Lists(
        array("I", [1, 4, 6]), array("I", [2, 4, 2]), array("I", [5, 9, 1, 2, 6, 7, 1, 3]), pairs=True
    )
    assert (list(lists), len(lists), 4 in lists, 5 in lists) == ([1, 4, 6], 3, True, False)
    assert [list(lists.get(node, [])) for node in (1, 4, 5, 6)] == [[5, 9], [1, 2, 6, 7], [], [1, 3]]
    assert list(lists.between(2, 6)) == [4]
    assert list(lists.stretches()) == [(1, 2, 4), (1, 3, 6), (5, 9, 1), (6, 7, 4)]
    assert isinstance(lists.stretches(), Stretches)


@pytest.mark.parametrize(
    ("nodes", "counts", "times"),
    [([1, 1], [2, 2], 4), ([2, 1], [2, 2], 4), ([1], [3], 3), ([1], [2], 3), ([1, 2], [2], 2), ([1], [0], 0)],
)
def test_lists_that_do_not_fit(nodes: list[int], counts: list[int], times: int) -> None:
    with pytest.raises(ValueError):
        Lists(array("I", nodes), array("I", counts), array("I", range(times)), pairs=True)


def undone_one_by_one(slots: list[int], first: int) -> list[int]:
    """Positions of the writes that matter, latest first, appends one by one."""
    found: list[int] = []
    for position in range(len(slots) - 1, first - 1, -1):
        slot = slots[position]
        before = next(
            (p for p in range(position - 1, first - 1, -1) if slots[p] <= 1 or slots[p] == slot), None
        )
        if slot <= 1 or before is None or slots[before] <= 1:
            found.append(position)
    return found


@pytest.mark.parametrize("seed", range(30))
def test_of_an_objects_writes_those_are_undone_that_matter(seed: int) -> None:
    chance = random.Random(seed)
    slots = chance.choices(range(chance.randrange(1, 5)), k=30)
    writes = ObjectWrites(array("I", range(0, 300, 10)), array("I", slots))
    for first in range(31):
        found: list[int] = []
        end = 30
        for position in writes.to_undo(first, 30):
            if position < 0:
                end = next(p for p in range(end - 1, -1, -1) if slots[p] == 1)
                found += range(end, end + position, -1)
                end += position + 1
            else:
                found.append(position)
                end = min(end, position)
        assert found == undone_one_by_one(slots, first)


@pytest.mark.parametrize("few", [0, 1 << 12])
@pytest.mark.parametrize("seed", range(8))
def test_first_and_last_writes_to_slots(seed: int, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from algotrace import write_index

    monkeypatch.setattr(write_index, "_AT_ONCE", few or 1)
    monkeypatch.setattr(write_index, "_NEAR", 2)
    chance = random.Random(seed)
    slots = chance.choices(range(chance.randrange(1, 9)), k=40)
    writes = ObjectWrites(array("I", range(40)), array("I", slots))
    for start in range(41):
        for end in range(start, 41):
            piece = slots[start:end]
            assert writes.earliest(start, end) == {slot: start + piece.index(slot) for slot in piece}
            assert writes.latest(start, end) == {slot: end - 1 - piece[::-1].index(slot) for slot in piece}
            assert writes.wholes(start, end) == [start + n for n, slot in enumerate(piece) if slot == 0]
        for slot in range(10):
            later = [n for n in range(start, 40) if slots[n] == slot]
            earlier = [n for n in range(start) if slots[n] == slot]
            assert writes.next_of(slot, start) == (later or [40])[0]
            assert writes.last_of(slot, start) == (earlier or [-1])[-1]
        assert writes.next_whole(start) == next((n for n in range(start, 40) if slots[n] <= 1), 40)


def test_writes_of_an_object_that_lie_in_several_runs() -> None:
    runs = {
        "write_objects": [[1, 1, 2, 9], [1, 9, 9, 9], [2]],
        "object_write_times": [[3, 5, 4, 6], [12, 10, 11, 13], [20]],
        "write_slots": [[0, 2, 0, 1], [3, 1, 1, 1], [5]],
    }
    index = WriteIndex(lambda name, run: array("I", runs[name][run]), 3, 4)
    assert [list(index.of(number).times) for number in (1, 2, 3, 9)] == [
        [3, 5, 12],
        [4, 20],
        [],
        [6, 10, 11, 13],
    ]
    assert list(index.of(1).slots) == [0, 2, 3]
    assert (9 in index, 3 in index, index.objects()) == (True, False, [1, 2, 9])
