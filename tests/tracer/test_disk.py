"""Where a trace is written when there is not room for it everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from algotrace import disk

MEGABYTE = 1 << 20


@pytest.mark.parametrize(
    ("wanted", "temporary", "is_better"),
    [(1, 2, True), (1, 50, True), (2, 1, False), (20, 50, False), (1, 1, False)],
)
def test_the_temporary_folder_is_better_only_where_the_wanted_one_has_no_room(
    wanted: int, temporary: int, is_better: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = {"wanted": wanted * MEGABYTE, "temporary": temporary * MEGABYTE}
    monkeypatch.setattr(disk, "room", rooms.__getitem__)
    assert disk.is_better("temporary", "wanted", 10 * MEGABYTE) == is_better


def test_a_folder_that_is_not_there_yet_has_the_room_of_the_one_above(tmp_path: Path) -> None:
    assert abs(disk.room(str(tmp_path / "a" / "b")) - disk.room(str(tmp_path))) < 100 * MEGABYTE
    assert disk.needed(10_000_000) > disk.needed(1000) > 0
