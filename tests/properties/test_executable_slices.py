"""Executable slices: for random programs the reduced program runs and gives the criterion's value.

A run that ends with an exception has that exception as its criterion. `EXECUTABLE_PROGRAMS` sets how many programs;
how large the reduced programs are, as parts of the whole ones, and at which level they reproduced, is printed with `-s`.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path

from forced_replay import Replay, TooLong
from random_programs import program

import algotrace
from algodebug.reduced_program import reduced_program
from algodebug.slicing import Criterion, parse_criterion
from algodebug.slicing.executable import EVERYTHING
from algotrace.trace import Trace

ENTRY = Path(algotrace.__file__).with_name("__main__.py")
PROGRAMS = int(os.environ.get("EXECUTABLE_PROGRAMS", "30"))
FIRST = int(os.environ.get("EXECUTABLE_FIRST", "0"))


def ends(text: str, main: str) -> bool:
    try:
        Replay(text, main).run(None)
    except TooLong:
        return False
    except Exception:
        return True
    return True


def record(folder: Path, name: str, text: str) -> Trace:
    path, trace = folder / f"{name}.py", folder / f"{name}.algotrace"
    path.write_text(text)
    command = [sys.executable, str(ENTRY), "--quiet", "--trace", str(trace), str(path)]
    subprocess.run(command, capture_output=True, timeout=120)
    return Trace.open(trace)


def criterion(trace: Trace, main: str, seed: int) -> Criterion:
    node = next(n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].qualname == main)
    outcome = trace.call(node).outcome
    if outcome.kind == "raise":
        return parse_criterion(trace, node, "exception")
    assert outcome.value is not None
    return parse_criterion(
        trace, node, f"result[{random.Random(seed).randrange(len(outcome.value.parts()))}]"
    )


def test_the_reduced_program_gives_the_value(tmp_path: Path) -> None:
    seeds = (seed for seed in range(FIRST, FIRST + 10 * PROGRAMS))
    levels: Counter[int] = Counter()
    sizes: list[float] = []
    while len(sizes) < PROGRAMS:
        seed = next(seeds)
        text, main = program(seed), f"s{seed}_main"
        if not ends(text, main):
            continue
        trace = record(tmp_path, f"program{seed}", f"{text}{main}()\n")
        found = reduced_program(trace, [criterion(trace, main, seed)])  # raises where no level gives it
        levels[found.level] += 1
        sizes.append(found.size)
        trace.close()
    print(
        f"\n{len(sizes)} programs: {statistics.mean(sizes):.0%} of the program is left on average, "
        f"{statistics.median(sizes):.0%} in the middle; levels {dict(sorted(levels.items()))}"
    )
    assert not levels[EVERYTHING]
    assert statistics.mean(sizes) < 0.5
