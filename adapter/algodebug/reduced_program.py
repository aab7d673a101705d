"""A reduced program that computes some values of a recorded run without the rest: made, run, and offered if it does.

The executable slice is written into a folder of its own and recorded there, in a process of its own with a time limit.
Where one of the values is not the same in it, the next larger reduction is tried; the last is the program as it ran.
Only ever on request: it runs the program.
"""

from __future__ import annotations

import ast
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from algodebug.recording import recorder_path
from algodebug.slicing import Criterion, slicer_of, writes
from algodebug.slicing.criteria import ARGUMENT, EXCEPTION, GLOBAL, OUTCOME, PRINTED, RESULT
from algodebug.slicing.executable import LEVELS, executable_files
from algodebug.slicing.printed_lines import CHARACTERS, line_at
from algotrace import printed
from algotrace.trace import Trace, TraceError
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


def reduced_program(
    trace: Trace, criteria: Sequence[Criterion], seconds: float = SECONDS, least: float = LEAST
) -> Reduced:
    """The smallest of the reductions that gives all values. Raises NotReproduced."""
    if trace.environment.get("kind") not in ("file", "module"):
        raise NotReproduced("the program was not run from a file")
    wanted = [_value_of(trace, criterion) for criterion in criteria]
    slicer = slicer_of(trace)
    last: dict[int, str] | None = None
    why = "it does not give the same values when it is run again"
    limit = max(least, seconds / len(LEVELS))
    for level in LEVELS:
        texts = executable_files(slicer, criteria, level)
        if texts == last:
            continue
        last = texts
        with tempfile.TemporaryDirectory(prefix="algodebug-reduced-") as folder:
            ran = _Run(trace, texts, Path(folder))
            found = ran.record(limit)
            if found is None:
                why = ran.why
                continue
            try:
                if all(
                    _gives(found, trace, criterion, value)
                    for criterion, value in zip(criteria, wanted, strict=True)
                ):
                    return _reduced(trace, criteria[0], texts, level)
            finally:
                found.close()
    raise NotReproduced(f"The program cannot be reduced: {why}.")


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


class _Run:
    """One run of a reduction, in a copy of the folder of its sources that holds nothing else."""

    def __init__(self, trace: Trace, texts: dict[int, str], folder: Path) -> None:
        self.trace = trace
        self.folder = folder
        self.why = ""
        paths = [trace.sources[number].path for number in range(len(trace.sources))]
        root = os.path.commonpath([os.path.dirname(path) for path in paths])
        cwd = str(trace.environment.get("cwd") or "")
        if os.path.isabs(cwd) and _inside(root, cwd):
            root = cwd  # arguments name files from there
        self.root = root
        for number, path in enumerate(paths):
            copy = self.copy_of(path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(texts.get(number, trace.sources[number].text), encoding="utf-8")
        for path in paths:  # what makes folders packages, though nothing in it ran
            for above in PurePath(path).parents:
                marker = above / "__init__.py"
                if not above.is_relative_to(root) or not os.path.exists(marker):
                    break
                if not self.copy_of(str(marker)).exists():
                    shutil.copyfile(marker, self.copy_of(str(marker)))

    def copy_of(self, path: str) -> Path:
        return self.folder / "program" / os.path.relpath(path, self.root)

    def record(self, seconds: float) -> Trace | None:
        """Its trace; None (and `why`) where it did not come to an end that leaves one."""
        environment, output = self.trace.environment, self.folder / "run.algotrace"
        cwd = str(environment.get("cwd") or "")
        program, copied = str(environment["program"]), self.copy_of(self.root)
        arguments = [str(argument) for argument in environment.get("arguments") or ()]
        here = self.copy_of(cwd) if os.path.isabs(cwd) and _inside(cwd, self.root) else copied
        if environment["kind"] == "file":
            target = [str(self.copy_of(os.path.join(cwd, program)))]
        else:
            target = ["-m", program]
        if environment["kind"] == "file" and os.path.isdir(cwd):
            here = Path(cwd)  # files are read from where it ran
        python = str(environment.get("executable") or "")
        command = [python if shutil.which(python) else sys.executable, recorder_path(), "--quiet"]
        command += ["--trace", str(output), "--include", f"{copied}/**", *target, *arguments]
        path = os.pathsep.join(filter(None, [str(copied), os.environ.get("PYTHONPATH", "")]))
        process = subprocess.Popen(
            command,
            cwd=here,
            env={**os.environ, "PYTHONPATH": path, "ALGOTRACE_CACHE": ""},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.why = f"a run of it takes more than {seconds:.0f} seconds"
            return None
        finally:
            _end(process)
        try:
            return Trace.open(output)
        except (TraceError, OSError):
            self.why = "a run of it leaves no recording"
            return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and those it started."""
    if process.poll() is None:
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()


def _inside(path: str, root: str) -> bool:
    return PurePath(path).is_relative_to(root)


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
