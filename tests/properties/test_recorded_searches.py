"""The bug is found in really recorded programs, however they are searched; `recorded_searches` says what is drawn.

A short run here; `make soundness` searches 100,000 programs with other draws every time and prints their seed.
"""

from __future__ import annotations

import os
from pathlib import Path

from recorded_cases import Tally
from recorded_searches import search_batch

PROGRAMS = int(os.environ.get("ALGODEBUG_PROGRAMS", "100"))
SEED = os.environ.get("ALGODEBUG_SEED", "1")
BATCH = 50


def test_every_search_blames_a_call_that_holds_a_defect(tmp_path: Path) -> None:
    print(f"seed {SEED}")
    tally = Tally()
    for number in range(max(PROGRAMS // BATCH, 1)):
        search_batch(f"{SEED} {number}", BATCH, tmp_path, tally)
        if tally.failures:
            raise tally.failures[0]
    assert tally.programs + tally.undecided >= PROGRAMS
    assert tally.undecided <= tally.programs // 20
