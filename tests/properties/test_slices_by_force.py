"""Completeness of relevant slices, by force: what is outside of a slice can have any value.

For random programs, a value is replaced, the program is run again, and every criterion whose slice leaves the value out
must come out the same: the parts of what the program gives, and the lines that it prints. Runs that end otherwise than
by returning (a forced index out of range) say nothing, and neither does a line whose `print` ran more often then, or less.
`SLICE_PROGRAMS` sets how many programs (many for a thorough check), `SLICE_FIRST` the first seed, `SLICE_KIND` which
kinds; the figures are printed with `-s`.
"""

from __future__ import annotations

import ast
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import closure_programs
import container_programs
import pytest
import random_programs
import varied_programs
import wide_programs
from forced_replay import Key, Place, Replay, TooLong, around, others, place_of

import algotrace
from algodebug.slicing import Slicer, parse_criterion
from algodebug.slicing.instances import RAISE, Instance
from algodebug.slicing.slicer import Reached
from algotrace.trace import Trace

ENTRY = Path(algotrace.__file__).with_name("__main__.py")
PROGRAMS = int(os.environ.get("SLICE_PROGRAMS", "60"))
FIRST = int(os.environ.get("SLICE_FIRST", "0"))
KINDS: dict[str, Callable[[int], str]] = {
    "plain": random_programs.program,
    "varied": varied_programs.program,
    "closures": closure_programs.program,
    "containers": container_programs.program,
    "wide": lambda seed: wide_programs.program(random.Random(seed), f"s{seed}_", scale=2),
}
_TOGETHER = 50
_MOST_FORCED = 60  # evaluations tried of one program
_UNFORCED = frozenset({"test", "store", "entry", "parameter", "write", "return", "part"})


def batches() -> list[tuple[str, range]]:
    kinds = os.environ.get("SLICE_KIND", " ".join(KINDS)).split()
    return [
        (kind, range(n, min(n + _TOGETHER, FIRST + PROGRAMS)))
        for kind in kinds
        for n in range(FIRST, FIRST + PROGRAMS, _TOGETHER)
    ]


def record(folder: Path, kind: str, seeds: range) -> tuple[Trace, dict[int, tuple[str, int]]]:
    """A trace of programs run one after the other; for each its text and the line it starts at."""
    texts: dict[int, tuple[str, int]] = {}
    lines: list[str] = []
    for seed in seeds:
        text = KINDS[kind](seed)
        try:
            Replay(text, f"s{seed}_main").run(None)
        except (Exception, TooLong):
            continue
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


class Program:
    """One of the programs of a trace, and what can be asked about it."""

    def __init__(self, trace: Trace, slicer: Slicer, seed: int, text: str, shift: int) -> None:
        name = f"s{seed}_main"
        self.slicer = slicer
        self.main = next(
            n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].qualname == name
        )
        self.replay = Replay(text, name)
        self.expected = self.replay.run(None)
        self.printed = self.replay.printed
        self.calls = self.replay.calls
        self.around = around(text)
        last = self.main + trace.size[self.main]
        self.instances = keyed(slicer, self.main, last, shift)
        self.criteria = [f"result[{part}]" for part in range(len(self.expected))]
        self.criteria += [f"printed[{line}]" for line in range(min(len(self.printed), 5))]
        self.reached: list[Reached] = [
            slicer.reach(slicer.demands(parse_criterion(trace, self.main, text)), self.main)
            for text in self.criteria
        ]

    def forced(self, key: Key, value: Any) -> list[str | None] | None:
        """For each criterion what it is when a value is forced, None where that is as it was; None if it does not end."""
        try:
            result = self.replay.run(key, value)
        except (Exception, TooLong):
            return None
        found: list[str | None] = [
            None if now == before else f"{now!r}, not {before!r}"
            for now, before in zip(result, self.expected, strict=True)
        ]
        often = [Counter(at[:2] for at in printed) for printed in (self.printed, self.replay.printed)]
        for place, before in list(self.printed.items())[: len(self.criteria) - len(found)]:
            # Where a `print` (or any call) ran more often, or less, the same number does not make it the same line.
            same = often[0][place[:2]] == often[1][place[:2]] and self.calls == self.replay.calls
            now = self.replay.printed.get(place, before) if same else before
            found.append(None if now == before else f"{now!r}, not {before!r}")
        return found

    def standing_for(self, key: Key) -> list[Instance]:
        """The instance of an evaluation; else those of the expressions around it, which were not taken apart."""
        known = self.instances.get(key)
        if known is not None:
            return [known]
        frame, place, _ = key
        for outer in self.around.get(place, ()):
            found = [made for (node, at, _), made in self.instances.items() if node == frame and at == outer]
            if found:
                return found
        return []


def keyed(slicer: Slicer, first: int, last: int, shift: int) -> dict[Key, Instance]:
    """The instances of some nodes, by what the replay calls them."""
    found: dict[Key, Instance] = {}
    lambdas: list[Instance] = []
    file = slicer.graph.files[slicer.graph.activation(first).source]
    # Before Python 3.12 the pieces of an f-string have the place of the whole.
    pieces: set[int] = set()
    for text in [node for node in ast.walk(file.tree) if isinstance(node, ast.JoinedStr)]:
        pieces |= {id(part) for part in ast.walk(text) if part is not text and place_of_text(part, text)}
    # The replay counts them as they start: a generator's calls are before others in the tree that start later.
    for number, node in enumerate(sorted(range(first, last), key=slicer.trace.start.__getitem__), 1):
        activation = slicer.graph.activation(node)
        assert not activation.failed, activation.failed
        found.update(_numbered(activation.instances, number, shift, pieces))
        own = len(activation.instances)
        lambdas += [made for made in slicer.all_instances(activation)[own:] if made.node is not None]
    lambdas.sort(key=lambda made: (made.activation.entry.time, made.order))
    found.update(_numbered(lambdas, 0, shift, pieces))
    return found


def place_of_text(part: ast.AST, text: ast.JoinedStr) -> bool:
    return isinstance(part, ast.expr) and place_of(part) == place_of(text)


def _numbered(
    instances: list[Instance], frame: int, shift: int, left_out: set[int]
) -> Iterator[tuple[Key, Instance]]:
    counts: Counter[Place] = Counter()
    # What raised gave nothing: the replay does not come to count it.
    raised = {id(part) for made in instances if made.kind == RAISE for part in (made.copy, *made.uses)}
    for made in instances:
        node: Any = made.node
        if id(node) in left_out or id(made) in raised:
            continue
        if node is not None and hasattr(node, "lineno") and made.kind not in _UNFORCED:
            at = (node.lineno - shift, node.col_offset, node.end_lineno - shift, node.end_col_offset)
            if isinstance(node, ast.Compare) and any(part.node is node for part in made.uses):
                counts[at] -= 1  # the next operator of a chain
            yield (frame, at, counts[at]), made
            counts[at] += 1


def counterexamples(
    trace: Trace, slicer: Slicer, seed: int, text: str, shift: int, tally: Counter[str]
) -> list[str]:
    chance = random.Random(seed)
    program = Program(trace, slicer, seed, text, shift)
    tally["programs"] += 1
    found = []
    keys = list(program.replay.evaluated)
    chance.shuffle(keys)
    for key in keys[:_MOST_FORCED]:
        instances = program.standing_for(key)
        if not instances:
            tally["unmatched"] += 1
            continue
        inside = [any(id(made) in reached.instances for made in instances) for reached in program.reached]
        changed = [False] * len(inside)
        given, ran = program.replay.evaluated[key], False
        for value in others(given, chance):
            forced = program.forced(key, value)
            tally["not reached" if forced is None else "forced"] += 1
            for index, now in enumerate(forced or ()):
                ran = True
                changed[index] |= now is not None
                if now is not None and not inside[index]:
                    found.append(
                        f"seed {seed} {program.criteria[index]}: {key} {given!r} → {value!r} gives {now}"
                    )
        if key in program.instances and ran:  # of others it cannot be told whether they are needed
            tally["needed"] += sum(changed)
            tally["lit"] += sum(inside)
    return found


@pytest.mark.parametrize(
    ("kind", "seeds"), batches(), ids=lambda value: value if type(value) is str else f"{value.start}"
)
def test_what_is_outside_of_a_slice_does_not_matter(kind: str, seeds: range, tmp_path: Path) -> None:
    trace, texts = record(tmp_path, kind, seeds)
    slicer = Slicer(trace)
    tally: Counter[str] = Counter()
    found: list[str] = []
    for seed, (text, shift) in texts.items():
        found += counterexamples(trace, slicer, seed, text, shift, tally)
    print(dict(tally), f"slice / minimal: {tally['lit'] / max(tally['needed'], 1):.2f}")
    assert not found, "\n".join(found)
    assert tally["programs"] > len(seeds) / 5 and tally["forced"] > 10 * tally["programs"]
