"""Random programs share what they have with a library: what it changed is had back, or said to be not certain.

`STRANGE_PIECES` sets how many pieces of each kind, `STRANGE_FIRST` the first seed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from strange_programs import GROWING_LIBRARY, HEAD, LIBRARY, piece
from watched_states import looks

PIECES = int(os.environ.get("STRANGE_PIECES", "50"))
FIRST = int(os.environ.get("STRANGE_FIRST", "0"))


@pytest.mark.parametrize("place", ["module", "function", "sees its locals"])
def test_what_calls_change_is_had_back(place: str, tmp_path: Path) -> None:
    (tmp_path / "strange.py").write_text(LIBRARY)
    pieces = {str(seed): piece(seed, at_work=False) for seed in range(FIRST, FIRST + PIECES)}
    found = looks(tmp_path, pieces, place, "--exclude", "strange.py", head=HEAD)
    assert len(found) > 5 * PIECES
    assert not [look for look in found if look.certain and look.told != look.seen]
    # What an object of the library gives of its own may be changed by its methods; else all is certain.
    assert sum(look.certain for look in found) > 0.95 * len(found)


@pytest.mark.parametrize("place", ["module", "function", "sees its locals"])
def test_while_a_library_is_at_work_what_it_changes_is_not_certain(place: str, tmp_path: Path) -> None:
    (tmp_path / "strange.py").write_text(GROWING_LIBRARY)
    pieces = {str(seed): piece(seed, at_work=True) for seed in range(FIRST, FIRST + PIECES)}
    found = looks(tmp_path, pieces, place, "--exclude", "strange.py", head=HEAD)
    assert len(found) > 5 * PIECES
    assert not [look for look in found if look.certain and look.told != look.seen]
    assert sum(look.certain for look in found) > 0.25 * len(found)
