"""Completeness of relevant slices, by force: what is outside of a slice can have any value.

For random programs and criteria, a value that the slice leaves out is replaced, the program is run again, and the
criterion must come out the same. Runs that end otherwise than by returning (a forced index out of range) say nothing.
`SLICE_PROGRAMS` sets how many programs (many for a thorough check); the figures are printed with `-s`.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from random_programs import Key, Replay, others, program

import algotrace
from algodebug.slicing import Slicer, parse_criterion
from algodebug.slicing.instances import Instance
from algodebug.slicing.slicer import Reached
from algotrace.trace import Trace

ENTRY = Path(algotrace.__file__).with_name("__main__.py")
PROGRAMS = int(os.environ.get("SLICE_PROGRAMS", "60"))
FIRST = int(os.environ.get("SLICE_FIRST", "0"))
_TOGETHER = 50
_MOST_FORCED = 60  # evaluations tried of one program


def batches() -> list[range]:
    return [range(n, min(n + _TOGETHER, FIRST + PROGRAMS)) for n in range(FIRST, FIRST + PROGRAMS, _TOGETHER)]


def record(folder: Path, seeds: range) -> tuple[Trace, dict[int, tuple[str, int]]]:
    """A trace of programs run one after the other; for each its text and the line it starts at."""
    texts: dict[int, tuple[str, int]] = {}
    lines: list[str] = []
    for seed in seeds:
        text = program(seed)
        try:
            Replay(text, f"s{seed}_main").run(None)
        except Exception:
            continue  # it raises, or runs for long
        texts[seed] = (text, len(lines))
        lines += text.rstrip("\n").split("\n")
    lines += [f"s{seed}_main()" for seed in texts]
    path = folder / f"programs{seeds.start}.py"
    path.write_text("\n".join(lines) + "\n")
    trace = folder / f"programs{seeds.start}.algotrace"
    subprocess.run(
        [sys.executable, str(ENTRY), "--trace", str(trace), str(path)],
        check=True,
        capture_output=True,
        timeout=300,
    )
    return Trace.open(trace), texts


def keyed(slicer: Slicer, first: int, last: int, shift: int) -> dict[Key, Instance]:
    """The instances of some nodes, by what the replay calls them."""
    found: dict[Key, Instance] = {}
    for node in range(first, last):
        counts: dict[Any, int] = {}
        activation = slicer.graph.activation(node)
        assert not activation.failed, activation.failed
        for made in activation.instances:
            place: Any = made.node
            if (
                place is None
                or not hasattr(place, "lineno")
                or made.kind in ("test", "store", "entry", "parameter", "write", "return", "part")
            ):
                continue
            at = (place.lineno - shift, place.col_offset, place.end_lineno - shift, place.end_col_offset)
            count = counts[at] = counts.get(at, -1) + 1
            found[node - first + 1, at, count] = made
    return found


def counterexamples(
    trace: Trace, slicer: Slicer, seed: int, text: str, shift: int, tally: dict[str, int]
) -> list[str]:
    chance = random.Random(seed)
    main = next(
        n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].qualname == f"s{seed}_main"
    )
    replay = Replay(text, f"s{seed}_main")
    expected = replay.run(None)
    part = chance.randrange(len(expected))
    criterion = parse_criterion(trace, main, f"result[{part}]")
    reached: Reached = slicer.reach(slicer.demands(criterion), main)
    instances = keyed(slicer, main, main + trace.size[main], shift)
    tally["programs"] += 1
    found = []
    keys = [key for key in replay.evaluated if key in instances]
    missing = [key for key in replay.evaluated if key not in instances]
    tally["unmatched"] += len(missing)
    needed: set[Any] = set()
    lit: set[Any] = set()
    chance.shuffle(keys)
    for key in keys[:_MOST_FORCED]:
        inside = id(instances[key]) in reached.instances
        changed = ran = False
        for value in others(replay.evaluated[key], chance):
            try:
                result = replay.run(key, value)
            except Exception:
                tally["not reached"] += 1
                continue
            tally["forced"] += 1
            ran = True
            if result[part] != expected[part]:
                changed = True
                if not inside:
                    found.append(
                        f"seed {seed} result[{part}]: {key} {replay.evaluated[key]!r} → {value!r} gives {result[part]!r}, not {expected[part]!r}"
                    )
                break
        if changed:
            needed.add(key)
        if inside and ran:  # of others it cannot be told whether they are needed
            lit.add(key)
    tally["needed"] += len(needed)
    tally["lit"] += len(lit)
    return found


@pytest.mark.parametrize("seeds", batches(), ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")
def test_what_is_outside_of_a_slice_does_not_matter(seeds: range, tmp_path: Path) -> None:
    trace, texts = record(tmp_path, seeds)
    slicer = Slicer(trace)
    tally = dict.fromkeys(("programs", "forced", "not reached", "needed", "lit", "unmatched"), 0)
    found: list[str] = []
    for seed, (text, shift) in texts.items():
        found += counterexamples(trace, slicer, seed, text, shift, tally)
    print(tally, f"slice / minimal: {tally['lit'] / max(tally['needed'], 1):.2f}")
    assert not found, "\n".join(found)
    assert tally["programs"] > len(seeds) / 3 and tally["forced"] > 10 * tally["programs"]
