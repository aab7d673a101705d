"""What slices of a program say, compared with runs in which one of its evaluations is forced to another value.

The parts of what `main` gives are the criteria, by their `repr`. What no slice of a part has, at that place, must not change
it.
"""

from __future__ import annotations

import ast
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from forced_replay import Place, around, place_of
from forced_runs import SCRIPT, ForcedProgram, Where

import algotrace
from algodebug.slicing import Interrupted, Slicer, parse_criterion
from algodebug.slicing.instances import Instance
from algotrace.trace import Trace

ENTRY = Path(algotrace.__file__).with_name("__main__.py")


class Counterexample(NamedTuple):
    """A value outside of a slice that changes what the slice is of."""

    where: Where
    text: str
    number: int  # which evaluation of that place
    forced: str
    part: int
    given: str
    is_complete: bool  # what the slice says of itself

    def __str__(self) -> str:
        file, place = self.where
        at = f"line {place[0]}" if file == SCRIPT else f"{file}:{place[0]}"
        part = f"result[{self.part}]{'' if self.is_complete else ', incomplete,'}"
        return f"{at}, {self.text} #{self.number} {self.forced}: {part} is {self.given}"


class Sliced(NamedTuple):
    """Where the evaluations are that slices have, by place."""

    parts: list[set[Where] | None]  # of each part of what `main` gives; None where that took too long
    known: set[Where]  # of all evaluations that are told apart
    failed: list[str]  # activations that could not be followed
    incomplete: list[list[str]]  # … and why; of each part, empty for those that are complete


def sliced(trace: Trace, folder: Path, parts: int, seconds: float = 3600) -> Sliced:
    """`seconds` is what all slices may take, and what it may take to look at all activations."""
    slicer = Slicer(trace)
    files = [os.path.relpath(source.path, folder) for source in trace.sources]
    script = files.index(SCRIPT)
    main = next(
        node
        for node, number in enumerate(trace.routine)
        if trace.routines[number].qualname == "main" and trace.routines[number].source == script
    )
    found: list[set[Where] | None] = []
    incomplete: list[list[str]] = []
    until = time.monotonic() + seconds
    for part in range(parts):
        with _limited(slicer, until):
            demands = slicer.demands(parse_criterion(trace, main, f"result[{part}]"))
            reached = slicer.reach(demands, None)
            found.append(set(_places(reached.instances.values(), files)))
            incomplete.append([] if reached.complete else sorted(slicer.graph.incomplete) or ["not followed"])
        if len(found) == part:
            found.append(None)
            incomplete.append(["too long"])
    known: set[Where] = set()
    failed = []
    nodes = list(range(len(trace.parent)))
    random.Random(0).shuffle(nodes)
    until = time.monotonic() + seconds
    for node in nodes:
        activation = slicer.graph.activation(node)
        if activation.failed:
            failed.append(f"{trace.routines[trace.routine[node]].qualname}: {activation.failed}")
        known.update(_places(slicer.all_instances(activation), files))
        if time.monotonic() > until:
            break
    return Sliced(found, known, failed, incomplete)


@contextmanager
def _limited(slicer: Slicer, until: float) -> Iterator[None]:
    timer = threading.Timer(max(0.0, until - time.monotonic()), slicer.graph.interrupt)
    timer.start()
    try:
        yield
    except Interrupted:
        pass
    finally:
        timer.cancel()
        timer.join()
        slicer.graph.is_interrupted = False


def _places(instances: Iterable[Instance], files: list[str]) -> Iterator[Where]:
    for made in instances:
        if made.node is not None and hasattr(made.node, "lineno"):
            yield files[made.activation.source], place_of(made.node)


def record(folder: Path) -> Trace:
    """A run of the program that was written there."""
    trace = folder.with_name(folder.name + ".algotrace")
    command = [sys.executable, str(ENTRY), "--trace", str(trace), str(folder / SCRIPT)]
    environment = {"PYTHONHASHSEED": "0", **os.environ}
    subprocess.run(command, check=True, capture_output=True, cwd=folder, timeout=300, env=environment)
    return Trace.open(trace)


def counterexamples(program: ForcedProgram, found: Sliced, most: int | None = None) -> list[Counterexample]:
    """What is outside of slices and counts all the same; of at most so many places, chosen at random from all files."""
    chance = random.Random(0)
    texts = {
        file: (program.folder / file).read_text(encoding="utf-8")
        for file in dict.fromkeys(file for file, _ in program.evaluated)
    }
    outer = {file: around(text) for file, text in texts.items()}
    examples, tried = [], 0
    for at in program.evaluated if most is None else _spread(program.evaluated, chance):
        file, place = at
        told = next(
            ((file, each) for each in (place, *outer[file].get(place, ())) if (file, each) in found.known),
            None,
        )
        outside = [
            part
            for part, lit in enumerate(found.parts)
            if told is not None and lit is not None and told not in lit
        ]
        if not outside or (most is not None and tried >= most):
            continue
        tried += 1
        others = program.evaluated[at]
        for number in sorted({0, len(others) - 1, chance.randrange(len(others))}):
            for which in range(others[number]):
                run = program.forced(at, number, which)
                if run is None or len(run.given) != len(program.expected):
                    continue
                for part in outside:
                    if run.given[part] != program.expected[part]:
                        now = f"{run.given[part]:.80}, not {program.expected[part]:.80}"
                        text = _text_at(texts[file], place)
                        is_complete = not found.incomplete[part]
                        examples.append(Counterexample(at, text, number, run.shown, part, now, is_complete))
    return examples


def _spread(places: Iterable[Where], chance: random.Random) -> list[Where]:
    """At random, one of each file after the other."""
    by_file: dict[str, list[Where]] = {}
    for at in places:
        by_file.setdefault(at[0], []).append(at)
    for those in by_file.values():
        chance.shuffle(those)
    files = list(by_file.values())
    chance.shuffle(files)
    rounds = range(max(map(len, files), default=0))
    return [those[turn] for turn in rounds for those in files if turn < len(those)]


def _text_at(text: str, place: Place) -> str:
    node = ast.Constant(None)
    node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = place
    return (ast.get_source_segment(text, node) or "?").split("\n")[0][:60]
