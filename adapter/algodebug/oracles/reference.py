"""A corrected copy of the program as the oracle: its functions run on the recorded inputs, and what they give counts.

The copy runs in a process of its own, `reference_server`, with the interpreter of the recorded program. What cannot
be judged there (nested functions, arguments that cannot be rebuilt) is trusted where the function is written as in
the copy, since then only what it calls can be wrong; the rest is left to whoever comes next.
"""

from __future__ import annotations

import contextlib
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
        if (verdict is None or verdict.answer == "unknown") and self._is_unchanged(routine, module):
            # It may call what is wrong, but is not wrong itself.
            return Verdict("trust-function", SOURCE, "its code is that of the reference")
        return verdict

    def _by_running(self, call: Call, module: tuple[str, str]) -> Verdict | None:
        routine = call.routine
        if routine.kind == "asyncgen" or "<locals>" in routine.qualname or call.outcome.kind == "unfinished":
            return None
        try:
            question = self._question(call)
        except CannotEncode:
            return None
        question["module"], question["file"] = module
        return self._asked(question)

    def _is_unchanged(self, routine: Routine, module: tuple[str, str]) -> bool:
        known = self._unchanged.get(routine.id)
        if known is None:
            recorded = self._functions_of(self._trace.sources[routine.source].text)
            known = same_code(recorded, self._functions_of(_text(module[1])), routine.qualname, routine.line)
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
        changed = [c for c in call.changes if c.target.startswith("global ") and c.target[7:].isidentifier()]
        outcome = call.outcome
        value = None if outcome.value is None else encode(trace, outcome.value, end, after)
        return {
            "qualname": call.routine.qualname,
            "parameters": list(call.routine.parameters),
            "line": call.routine.line,
            "before": before,
            "after": after,
            "arguments": [(a.name, encode(trace, a.value, start, before)) for a in call.arguments],
            "arguments_after": [(a.name, encode(trace, a.value, end, after)) for a in call.arguments],
            "globals": [
                (c.target[7:], encode(trace, c.before, start, before))
                for c in changed
                if c.before is not None
            ],
            "globals_after": [
                (c.target[7:], encode(trace, c.after, end, after)) for c in changed if c.after is not None
            ],
            "outcome": {
                "kind": outcome.kind,
                "value": value,
                "complete": trace.outcome_kind[node] == RETURNED,
            },
        }

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
        recorded = str(self._trace.environment.get("python", ""))
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
        setup = {"paths": self._paths(), "main": main, "timeout": self._timeout}
        pickle.dump(setup, server.stdin, protocol=4)
        return server

    # Which file stands for which

    def _paths(self) -> list[str]:
        """Where modules are looked for: among the corrected ones first, then where the program found its own."""
        paths: list[str] = []
        for number in range(len(self._trace.sources)):
            found = self._counterpart(number)
            if found is not None:
                paths.append(str(_import_root(found)))
        paths.append(str(self._reference if self._reference.is_dir() else self._reference.parent))
        paths += [str(_import_root(Path(source.path))) for source in self._trace.sources]
        paths.append(str(self._trace.environment.get("cwd", "")))
        return list(dict.fromkeys(path for path in paths if path))

    def _module_of(self, source: int) -> tuple[str, str] | None:
        """The dotted name and the file of the corrected module for a recorded source."""
        if source not in self._modules:
            found = self._counterpart(source)
            self._modules[source] = None if found is None else (_dotted(found), str(found))
        return self._modules[source]

    def _counterpart(self, source: int) -> Path | None:
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
                candidate = root.joinpath(*parts[start:])
                inside = root is self._reference or parts[start] == self._reference.name
                if inside and candidate.is_file() and candidate != Path(path):
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
