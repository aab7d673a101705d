"""Programs with planted defects that show, drawn at random, and the recording of many of them as one program."""

from __future__ import annotations

import ast
import random
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pair_execution import Judge
from planted_defects import Change, Defect, plant, sites
from watched_programs import Exhausted, Key, Probe, World, tokens, unwatched, watch
from wide_programs import program

import algotrace
from algotrace.trace import Trace
from algotrace.values import COMPOUND

MOST_CALLS = 1_000
_ATTEMPTS = 10
_OF_ONE = 4  # versions of one program
PREFIX = "p_"


@dataclass
class Tally:
    """What many searches came to."""

    programs: int = 0
    calls: int = 0
    questions: int = 0
    undecided: int = 0
    left_out: int = 0  # parts of inputs that questions leave out, replaced by others
    dull: int = 0  # drawn, but no defect showed
    failures: list[AssertionError] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.programs += other.programs
        self.calls += other.calls
        self.questions += other.questions
        self.undecided += other.undecided
        self.left_out += other.left_out
        self.dull += other.dull
        self.failures += other.failures


class Failure(AssertionError):
    """Something that must not be: what, and the program that shows it."""


@dataclass
class Case:
    """One program in two versions, and what is known of the calls of the defective one."""

    seed: str
    text: str  # with the defects
    right: World
    wrong: World
    defects: list[Defect]
    places: list[tuple[int, int, int, int] | None]  # where each defect is in `text`
    calls: list[int]  # the calls in preorder, by the order in which they began
    parents: list[int]  # in preorder numbers, -1 for `main`
    keys: list[Key]
    truths: dict[int, bool] = field(default_factory=dict)  # by preorder number
    judges: dict[int, Judge] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.calls)

    def is_right(self, nodes: Iterable[int]) -> bool:
        """Whether none of these calls, which are not inside one another, is wrong."""
        missing = [node for node in nodes if node not in self.truths]
        if missing:
            judge = Judge(self.wrong, self.right, {self.calls[node] for node in missing})
            found = judge.judge()
            for node in missing:
                self.truths[node] = found[self.calls[node]]
                self.judges[node] = judge
        return all(self.truths[node] for node in nodes)


def cases(seed: str, tally: Tally) -> Iterator[Case]:
    """Versions of one program with defects that show, each with others; none where none of those drawn does."""
    chance = random.Random(seed)
    tree = watch(ast.parse(program(chance, PREFIX, chance.choice((2, 2, 3, 3, 5, 9, 16)))))
    right = World(tree, PREFIX)
    right.probe = ran = Probe()
    try:
        expected = _end(right)
    except Exhausted:
        return
    called = {key[:2] for key in ran.keys}
    found = [s for s in sites(tree) if (s.functions[-1].name, s.functions[-1].lineno) in called]
    outside = [s for s in found if s.functions[0].name != f"{PREFIX}main"]
    made = 0
    for attempt in range(_ATTEMPTS):
        change = Change()
        among = found if chance.random() < 0.15 else outside
        drawn = [plant(among, chance, change) for _ in range(chance.choice((1, 1, 1, 2)))]
        planted = [defect for defect in drawn if defect is not None]
        if (
            planted
            and (case := _if_it_shows(f"{seed}.{attempt}", tree, right, expected, planted)) is not None
        ):
            yield case
            made += 1
        else:
            tally.dull += 1
        change.take_back()
        if made == _OF_ONE:
            return


def _if_it_shows(
    seed: str, tree: ast.Module, right: World, expected: Any, planted: list[Defect]
) -> Case | None:
    try:
        wrong = World(tree, PREFIX)
    except SyntaxError:  # nonlocal, and no such variable is left
        return None
    wrong.probe = probe = Probe()
    try:
        if _end(wrong) == expected:
            return None
    except Exhausted:
        return None
    order = probe.preorder()
    if not 3 <= len(order) <= MOST_CALLS:
        return None
    numbers = {call: node for node, call in enumerate(order)}
    parents = [numbers.get(probe.parents[call], -1) for call in order]
    with unwatched(tree):
        text = ast.unparse(tree)
        places = _places(tree, text, planted)
    return Case(seed, text, right, wrong, planted, places, order, parents, [probe.keys[c] for c in order])


def _end(of: World) -> tuple[str, list[str], list[str]]:
    kind, value = of.run()
    return kind, tokens([value]), of.printed


def _places(tree: ast.Module, text: str, defects: list[Defect]) -> list[tuple[int, int, int, int] | None]:
    wanted = {id(defect.node): number for number, defect in enumerate(defects) if defect.node is not None}
    found: list[tuple[int, int, int, int] | None] = [None] * len(defects)
    for node, again in zip(ast.walk(tree), ast.walk(ast.parse(text)), strict=True):
        number = wanted.get(id(node))
        if number is not None and hasattr(again, "lineno"):
            found[number] = (again.lineno, again.col_offset, again.end_lineno, again.end_col_offset)
    return found


# Recording


def record(cases: Sequence[Case], folder: Path) -> Trace:
    """Each case as a module of its own, called by one script."""
    lines = []
    for number, each in enumerate(cases):
        (folder / f"c{number}.py").write_text(each.text + "\n")
        lines += [
            f"import c{number}",
            "try:",
            f"    c{number}.{PREFIX}main()",
            "except Exception:",
            "    pass",
        ]
    script, target = folder / "programs.py", folder / "programs.algotrace"
    script.write_text("\n".join(lines) + "\n")
    recorder = Path(algotrace.__file__).with_name("__main__.py")
    command = [sys.executable, recorder, "--quiet", "--trace", target, script]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"could not be recorded: {done.stderr[-2000:]}")
    return Trace.open(target)


def roots(trace: Trace) -> list[int]:
    """The node of `main` of each program, in order."""
    return [n for n in trace.children(0) if trace.routines[trace.routine[n]].name == f"{PREFIX}main"]


def recorded_tokens(trace: Trace, numbers: list[int], time: int) -> list[str]:
    """What `pair_execution.tokens` tells of the program's objects, from the trace."""
    told: list[str] = []
    seen: dict[int, int] = {}
    pending = list(reversed(numbers))
    while pending:
        number = pending.pop()
        row = None if number < 0 else trace.row(number)
        if type(row) is not list:
            told.append(f"{type(row).__name__} {row!r}")
            continue
        kind = row[0]
        if kind in ("function", "class"):
            told.append(f"{kind} {row[1].rpartition('.')[2]}")
            continue
        if kind == "huge":
            told.append(f"int {int(row[1], 16)}")
            continue
        if kind not in COMPOUND and kind != "method":
            told.append(f"? {row}")
            continue
        if kind == "tuple":
            items = trace.content(number, time).items
            told.append(f"tuple {len(items)}")
            pending.extend(reversed(items))
            continue
        if number in seen:
            told.append(f"#{seen[number]}")
            continue
        seen[number] = len(seen)
        if kind == "method":
            told.append("method")
            continue
        content = trace.content(number, time)
        if not content.certain:
            told.append("not certain")
        if kind == "list":
            told.append(f"list {len(content.items)}")
            pending.extend(reversed(content.items))
        elif kind == "dict":
            told.append(f"dict {len(content.pairs)}")
            pending.extend(part for pair in reversed(content.pairs.values()) for part in reversed(pair))
        else:
            names = sorted(content.attributes)
            told.append(f"{trace.type_of(row[1])[0]} {names}")
            pending.extend(content.attributes[name] for name in reversed(names))
    return told
