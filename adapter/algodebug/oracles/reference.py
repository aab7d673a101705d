"""A corrected copy of the program as the oracle: its functions run on the recorded inputs, and what they give counts.

The copy runs in a process of its own, `reference_server`, with the interpreter of the recorded program. What cannot
be judged there (nested functions, arguments that cannot be rebuilt) is trusted where the function is written as in
the copy, since then only what it calls can be wrong; the rest is left to whoever comes next.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import pickle
import select
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from algodebug.execution_tree import RETURNED
from algodebug.oracles import Verdict
from algodebug.oracles.recorded_rows import CannotEncode, Rows, encode
from algodebug.oracles.same_code import Functions, same_code

if TYPE_CHECKING:
    from algotrace.trace import Call, Routine, Trace

SOURCE = "reference"
TIMEOUT = 10.0  # seconds a question may take
_MOVING_KINDS = frozenset({"list", "dict", "set", "deque", "bytearray", "instance"})
_MOVING_LIMIT = 50
_SLACK = 20.0  # on top of it: starting, importing, rebuilding


class ReferenceOracle:
    """Judges calls by a corrected file, or a folder that holds corrected copies of the program's files."""

    def __init__(self, reference: Path, trace: Trace, *, timeout: float = TIMEOUT) -> None:
        self._reference = reference.resolve()
        self._trace = trace
        self._timeout = timeout
        self._server: subprocess.Popen[bytes] | None = None
        self._buffer = b""
        self._modules: dict[int, tuple[str, str] | None] = {}
        self._parsed: dict[str, Functions] = {}
        self._unchanged: dict[int, bool] = {}
        program = trace.routines[trace.routine[0]].source if len(trace.routine) else 0
        self._program = program

    def judge(self, call: Call) -> Verdict | None:
        routine = call.routine
        module = self._module_of(routine.source)
        if module is None or routine.kind == "module":
            return None
        verdict = self._by_running(call, module)
        if verdict is not None and verdict.answer == "wrong" and not self._may_be_wrong(call.node):
            return Verdict("correct", SOURCE, "all it ran is written as in the reference")
        if (verdict is None or verdict.answer == "unknown") and self._is_unchanged(routine):
            return Verdict("trust-function", SOURCE, "its code is that of the reference")
        return verdict

    def _may_be_wrong(self, node: int) -> bool:
        """Did the call run any function that the reference has otherwise?

        If not, a difference comes from something that was not restored (a class attribute, a cache, the clock).
        """
        ran = set(self._trace.routine[node : node + self._trace.size[node]])
        return not all(self._is_unchanged(self._trace.routines[routine]) for routine in ran)

    def _by_running(self, call: Call, module: tuple[str, str]) -> Verdict | None:
        routine = call.routine
        # A hash depends on the process it was made in.
        if routine.name == "__hash__":
            return None
        if routine.kind == "asyncgen" or "<locals>" in routine.qualname or call.outcome.kind == "unfinished":
            return None
        try:
            question = self._question(call)
        except CannotEncode:
            return None
        question["module"], question["file"] = module
        return self._asked(question)

    def _is_unchanged(self, routine: Routine) -> bool:
        known = self._unchanged.get(routine.id)
        if known is None:
            module = self._module_of(routine.source)
            text = "" if module is None else _text(module[1])
            recorded = self._functions_of(self._trace.sources[routine.source].text)
            known = same_code(recorded, self._functions_of(text), routine.qualname, routine.line)
            self._unchanged[routine.id] = known
        return known

    def _functions_of(self, text: str) -> Functions:
        found = self._parsed.get(text)
        if found is None:
            found = self._parsed[text] = Functions(text)
        return found

    def close(self) -> None:
        server, self._server = self._server, None
        if server is None:
            return
        server.kill()
        for stream in (server.stdin, server.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # it was gone already
                    stream.close()
        server.wait()

    def _question(self, call: Call) -> dict[str, Any]:
        trace, node = self._trace, call.node
        start, end = trace.start[node], trace.end[node] + 1
        before: Rows = {}
        after: Rows = {}
        outcome = call.outcome
        value = None if outcome.value is None else encode(trace, outcome.value, end, after)
        arguments = [(a.name, encode(trace, a.value, start, before)) for a in call.arguments]
        arguments_after = [(a.name, encode(trace, a.value, end, after)) for a in call.arguments]
        moved = {number for _, _, number in self._moving_globals}
        known = [g for g in self._globals if g[2] in before and g[2] not in moved]
        # Globals: those the call bound anew, and those whose content changed while the program ran. `None` is the
        # function's own module.
        globals_before: list[tuple[str | None, str, int]] = []
        globals_after: list[tuple[str | None, str, int]] = []
        for change in call.changes:
            name = change.target.removeprefix("global ")
            if name == change.target or not name.isidentifier():
                continue
            if change.before is not None:
                globals_before.append((None, name, encode(trace, change.before, start, before)))
            if change.after is not None:
                globals_after.append((None, name, encode(trace, change.after, end, after)))
        for module, name, number in self._moving_globals:
            if trace.first_seen.get(number, 0) >= start:
                continue  # made later
            moving = trace.value(f"{number}@{start}")
            globals_before.append((module, name, encode(trace, moving, start, before)))
            globals_after.append((module, name, encode(trace, moving, end, after)))
        return {
            "qualname": call.routine.qualname,
            "parameters": list(call.routine.parameters),
            "line": call.routine.line,
            "before": before,
            "after": after,
            "arguments": arguments,
            "arguments_after": arguments_after,
            "known": known,
            "globals": globals_before,
            "globals_after": globals_after,
            "outcome": {
                "kind": outcome.kind,
                "value": value,
                "complete": trace.outcome_kind[node] == RETURNED,
            },
        }

    @functools.cached_property
    def _globals(self) -> list[tuple[str, str, int]]:
        """(module, name, object number) of the globals of the program's modules."""
        modules = self._trace.modules
        return [(module, name, number) for module, names in modules.items() for name, number in names.items()]

    @functools.cached_property
    def _moving_globals(self) -> list[tuple[str, str, int]]:
        """Those whose content was changed by calls: a fresh import of the copy does not have them as they were."""
        trace = self._trace
        if len(trace.size) < 2:
            return []
        first, last = trace.start[1], trace.end[0] + 1
        moving = []
        for module, name, number in self._globals:
            row = trace.row(number)
            if type(row) is list and row[0] in _MOVING_KINDS:
                keys = [trace.value(f"{number}@{time}").key() for time in (first, last)]
                if keys[0] != keys[1]:
                    moving.append((module, name, number))
        return moving[:_MOVING_LIMIT]

    # The other process

    def _asked(self, question: dict[str, Any]) -> Verdict | None:
        try:
            reply = self._exchange(question)
        except (OSError, EOFError, ValueError):
            # It died or hung, which only this question can have caused: the next one gets a new process.
            self.close()
            return Verdict("unknown", SOURCE, "the reference crashed or did not answer")
        if reply["verdict"] is None:
            return None
        return Verdict(reply["verdict"], SOURCE, reply["reason"])

    def _exchange(self, question: dict[str, Any]) -> dict[str, Any]:
        server = self._server or self._start()
        assert server.stdin is not None
        pickle.dump(question, server.stdin, protocol=4)
        server.stdin.flush()
        reply: dict[str, Any] = json.loads(self._line(server))
        return reply

    def _line(self, server: subprocess.Popen[bytes]) -> bytes:
        assert server.stdout is not None
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([server.stdout], [], [], self._timeout + _SLACK)
            piece = os.read(server.stdout.fileno(), 65536) if ready else b""
            if not piece:
                raise EOFError
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _start(self) -> subprocess.Popen[bytes]:
        recorded = str(self._trace.environment.get("executable", ""))
        python = recorded if recorded and shutil.which(recorded) else sys.executable
        folder = str(self._trace.environment.get("cwd", "")) or None
        self._buffer = b""
        self._server = server = subprocess.Popen(
            [python, str(Path(__file__).with_name("reference_server.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder if folder and os.path.isdir(folder) else None,
            # Hashes of strings would order sets differently from run to run.
            env={**os.environ, "PYTHONHASHSEED": "0"},
            start_new_session=True,
        )
        assert server.stdin is not None
        main = self._module_of(self._program)
        setup = {
            "paths": self._paths(),
            "main": main,
            "overrides": self._overrides(),
            "timeout": self._timeout,
        }
        pickle.dump(setup, server.stdin, protocol=4)
        return server

    # Which file stands for which

    def _paths(self) -> list[str]:
        """Where other modules are looked for: a corrected folder comes first, the folder of a corrected file last."""
        sources = range(len(self._trace.sources))
        corrected = [found for n in sources if (found := self._counterpart(n)) is not None]
        recorded = [Path(source.path) for source in self._trace.sources]
        files = corrected + recorded if self._reference.is_dir() else recorded + corrected
        paths = [str(_import_root(file)) for file in files if file.is_absolute()]
        paths.append(str(self._trace.environment.get("cwd", "")))
        return list(dict.fromkeys(path for path in paths if path))

    def _overrides(self) -> dict[str, str]:
        """The corrected files by the dotted names that the program imports them by."""
        found = {}
        for number in range(len(self._trace.sources)):
            corrected = self._counterpart(number)
            if corrected is not None and number != self._program:
                found[_dotted(Path(self._trace.sources[number].path))] = str(corrected)
        return found

    def _module_of(self, source: int) -> tuple[str, str] | None:
        """The dotted name of a recorded source and the file that stands for it: a corrected one, or itself."""
        if source not in self._modules:
            recorded = Path(self._trace.sources[source].path)
            found = self._counterpart(source)
            if (
                found is None
                and recorded.is_absolute()
                and _text(str(recorded)) == self._trace.sources[source].text
            ):
                found = recorded
            self._modules[source] = None if found is None else (_dotted(recorded), str(found))
        return self._modules[source]

    def _counterpart(self, source: int) -> Path | None:
        """The corrected file for a recorded source."""
        path = PurePath(self._trace.sources[source].path)
        if self._reference.is_file():
            same_name = [
                n for n, s in enumerate(self._trace.sources) if PurePath(s.path).name == self._reference.name
            ]
            stands_for = same_name or [self._program]
            return self._reference if source in stands_for else None
        parts = path.parts
        # The longest end of the recorded path that exists in the folder, or in the folder above a package.
        for root in (self._reference, self._reference.parent):
            for start in range(1, len(parts)):
                inside = root is self._reference or parts[start] == self._reference.name
                candidate = root.joinpath(*parts[start:])
                if inside and candidate != Path(path) and candidate.is_file():
                    return candidate
        return None


def _import_root(file: Path) -> Path:
    """The folder to search for a file's module: above the outermost package."""
    folder = file.parent
    while (folder / "__init__.py").exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def _dotted(file: Path) -> str:
    parts: Sequence[str] = file.relative_to(_import_root(file)).with_suffix("").parts
    if parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)


def _text(file: str) -> str:
    try:
        with tokenize.open(file) as opened:
            return opened.read()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return ""
