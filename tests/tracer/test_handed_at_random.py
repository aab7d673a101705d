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


# Kind → what the library does besides, see `piece`, and its text; then how much is certain at least: where it has let go of
# all in the end, and where not. What an object of the library gives of its own may be changed by its methods, and so is never
# certain.
KINDS = {
    "called": ((), LIBRARY, 0.95, 0.6),
    "at work": (("at_work",), LIBRARY, 0.8, 0.5),
    "unseen": (("unseen",), GROWING_LIBRARY, 0.6, 0.2),
    "making": (("makes",), LIBRARY, 0.8, 0.7),
}
LETTING_GO = "strange.KEPT.clear(); strange.BOXES.clear()"


@pytest.mark.parametrize(
    ("place", "keeps"),
    [("module", False), ("function", False), ("sees its locals", False), ("function", True)],
)
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_library_changes_is_had_back_or_not_certain(
    kind: str, place: str, keeps: bool, tmp_path: Path
) -> None:
    does, library, *least = KINDS[kind]
    least_certain = least[keeps]
    (tmp_path / "strange.py").write_text(library)
    seeds = range(FIRST, FIRST + PIECES)
    pieces = {str(seed): piece(seed, **dict.fromkeys(does, True)) for seed in seeds}
    if not keeps:
        pieces["in the end"] = LETTING_GO
    found = looks(tmp_path, pieces, place, "--exclude", "strange.py", head=HEAD)
    assert len(found) > 5 * PIECES
    assert not [look for look in found if look.certain and look.told != look.seen]
    assert sum(look.certain for look in found) > least_certain * len(found)


# Little may be looked at: what is not followed any more is not certain.
LITTLE = [
    "called_back._AT_FIRST = 3000",
    "called_back._AT_FIRST = 20",
    "reached._AT_FIRST = 2000",
    "reached._AT_ONE_PLACE = 60",
]


@pytest.mark.parametrize("little", LITTLE)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_followed_any_more_is_not_certain(
    kind: str, little: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    does, library, *_ = KINDS[kind]
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(
        f"from algotrace import called_back, reached\n{little}\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    (tmp_path / "strange.py").write_text(library)
    seeds = range(FIRST, FIRST + PIECES // 2)
    pieces = {str(seed): piece(seed, **dict.fromkeys(does, True)) for seed in seeds}
    found = looks(tmp_path, pieces, "sees its locals", "--exclude", "strange.py", head=HEAD)
    assert len(found) > 2 * PIECES
    assert not [look for look in found if look.certain and look.told != look.seen]
    assert any(look.certain for look in found)
