"""A reduced program that computes some values of a recorded run without the rest: made, run, and offered if it does.

The executable slice is written into a folder of its own and recorded there, in a process of its own with a time limit.
Where one of the values is not the same in it, the next larger reduction is tried; the last is the program as it ran.
Only ever on request: it runs the program.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from algodebug.reduced_run import ReducedRun
from algodebug.slicing import Criterion, slicer_of, writes
from algodebug.slicing.criteria import ARGUMENT, EXCEPTION, GLOBAL, OUTCOME, PRINTED, RESULT
from algodebug.slicing.executable import LEVELS, executable_files
from algodebug.slicing.printed_lines import CHARACTERS, line_at
from algotrace import printed
from algotrace.trace import Trace
from algotrace.values import Value

SECONDS = 60.0
"""That all attempts together may take, if nobody says otherwise."""
LEAST = 10.0
"""… and one of them at least."""
_LONGEST = 100_000
_MISSING = "(not there)"


class NotReproduced(Exception):
    """No reduction gives the values; the text says why, in one sentence."""


class Reduced(NamedTuple):
    """A program that gives the values. `file` is the file that matters most, the one of the first value."""

    file: str
    text: str
    files: dict[str, str]  # all of them, by path
    level: int
    lines: int
    lines_before: int  # written in the same way: one statement a line, no comments
    size: float  # of the text, as part of what it was, comments and layout left aside


class Reducing:
    """A reduction under way, one attempt after the other: `following`, the run of what that gives, `judged`."""

    def __init__(
        self, trace: Trace, criteria: Sequence[Criterion], seconds: float = SECONDS, least: float = LEAST
    ) -> None:
        if trace.environment.get("kind") not in ("file", "module"):
            raise NotReproduced("the program was not run from a file")
        self.limit = max(least, seconds / len(LEVELS))
        self.attempts = 0
        self._trace = trace
        self._criteria = criteria
        self._wanted = [_value_of(trace, criterion) for criterion in criteria]
        self._left = list(LEVELS)
        self._level = -1
        self._last: dict[int, str] | None = None
        self._why = "it does not give the same values when it is run again"

    def following(self) -> ReducedRun:
        """The next larger reduction, to be run for `limit` seconds. Raises NotReproduced when there is none."""
        while self._left:
            self._level = self._left.pop(0)
            texts = executable_files(slicer_of(self._trace), self._criteria, self._level)
            if texts != self._last:
                self._last = texts
                self.attempts += 1
                return ReducedRun(self._trace, texts)
        raise NotReproduced(f"The program cannot be reduced: {self._why}.")

    def judged(self, run: ReducedRun) -> Reduced | None:
        """The program, if its run gave the values; the run is closed."""
        try:
            found = run.result()
            if found is None:
                self._why = run.why
                return None
            try:
                pairs = zip(self._criteria, self._wanted, strict=True)
                if all(_gives(found, self._trace, criterion, value) for criterion, value in pairs):
                    return _reduced(self._trace, self._criteria[0], run.texts, self._level)
            finally:
                found.close()
        finally:
            run.close()
        return None


def reduced_program(
    trace: Trace, criteria: Sequence[Criterion], seconds: float = SECONDS, least: float = LEAST
) -> Reduced:
    """The smallest of the reductions that gives all values. Raises NotReproduced."""
    reducing = Reducing(trace, criteria, seconds, least)
    while True:
        run = reducing.following()
        run.run(reducing.limit)
        found = reducing.judged(run)
        if found is not None:
            return found


def _reduced(trace: Trace, criterion: Criterion, texts: dict[int, str], level: int) -> Reduced:
    source = trace.routines[trace.routine[criterion.node]].source
    kept = {number: text for number, text in texts.items() if ast.parse(trace.sources[number].text).body}
    before = sum(len(ast.unparse(ast.parse(trace.sources[number].text))) for number in texts)
    after = sum(len(ast.unparse(ast.parse(text))) for text in texts.values())
    return Reduced(
        trace.sources[source].path,
        texts[source],
        {trace.sources[number].path: text for number, text in kept.items()},
        level,
        sum(_lines(text) for text in kept.values()),
        sum(_lines(ast.unparse(ast.parse(trace.sources[number].text))) for number in texts),
        after / max(before, 1),
    )


def _lines(text: str) -> int:
    return sum(1 for line in text.splitlines() if line.strip())


# -- is it the same value? -------------------------------------------------------------------------------------------


def _gives(found: Trace, trace: Trace, criterion: Criterion, wanted: str) -> bool:
    """Does a call on the same path of calls give the value?"""
    if criterion.kind == PRINTED and not criterion.node:
        return any(
            _value_of(found, criterion._replace(path=path)) == wanted
            for path in _same_lines(found, criterion)
        )
    way = _way(trace, criterion.node)
    name = way[-1]
    for node in range(len(found.parent)):
        if found.routines[found.routine[node]].qualname != name or _way(found, node) != way:
            continue
        here = criterion._replace(node=node)
        paths = _same_lines(found, here) if criterion.kind == PRINTED else [criterion.path]
        if any(_value_of(found, here._replace(path=path)) == wanted for path in paths):
            return True
    return False


def _same_lines(found: Trace, criterion: Criterion) -> list[tuple[tuple[str, object], ...]]:
    """Lines that a reduced program may print in the place of one: fewer were printed before it."""
    if not criterion.path:
        return [()]
    count = sum(1 for _ in printed.lines(found, criterion.node))
    last = criterion.path[0][1]
    numbers = range(count) if last < 0 else range(min(last + 1, count))
    return [(("item", number), *criterion.path[1:]) for number in reversed(numbers)]


def _way(trace: Trace, node: int) -> list[str]:
    way: list[str] = []
    while node >= 0:
        way.append(trace.routines[trace.routine[node]].qualname)
        node = trace.parent[node]
    return way[::-1]


def _value_of(trace: Trace, criterion: Criterion) -> str:
    """What a criterion stands for, as text."""
    node, kind, path = criterion.node, criterion.kind, criterion.path
    call = trace.call(node)
    if kind == PRINTED:
        if not path:
            return "\n".join(line.text for line in printed.lines(trace, node))
        try:
            text = line_at(trace, node, path[0][1]).text
        except ValueError:
            return _MISSING
        start, end = next((step[1] for step in path if step[0] == CHARACTERS), (0, len(text)))
        return text[start:end]
    outcome = call.outcome
    if kind == OUTCOME:
        told = [outcome.kind, _text(outcome.value)]
        told += [f"{change.target} = {_text(change.after)}" for change in call.changes]
        return "\n".join([*told, *(line.text for line in printed.lines(trace, node))])
    if kind in (RESULT, EXCEPTION):
        raised = outcome.kind == "raise"
        if raised != (kind == EXCEPTION):
            return _MISSING
        return _text(_part(trace, outcome.value, path, trace.end[node] + 1))
    time = trace.start[node] if kind == ARGUMENT else trace.end[node] + 1
    if kind == GLOBAL:
        source = trace.routines[trace.routine[node]].source
        number = trace.globals_at(source, criterion.name, time) or 0
    else:
        number = next((a.value.identity for a in call.arguments if a.name == criterion.name), 0)
    return _text(_part(trace, trace.value_at(number, time) if number > 0 else None, path, time))


def _part(trace: Trace, value: Value | None, path: tuple[tuple[str, object], ...], time: int) -> Value | None:
    for step in path:
        if value is None:
            return None
        if value.identity <= 0:  # what a generator yielded
            index, parts = step[1], value.parts(0, _LONGEST)
            value = parts[index].value if type(index) is int and -len(parts) <= index < len(parts) else None
            continue
        number = writes.part(trace, value.identity, step, time)
        if number <= 0:
            return None
        value = trace.value_at(number, time)
    return value


def _text(value: Value | None) -> str:
    return _MISSING if value is None else f"{value.type_name}: {value.text(_LONGEST).text}"
