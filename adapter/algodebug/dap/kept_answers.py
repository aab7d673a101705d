"""The answers given about an earlier run, for the calls that came out the same in this one: what a restart keeps.

Calls are recognised by what they are (file, function, inputs, outcome, changes), never by their place in the tree,
which an edit of the program moves. What is not recognised is asked again.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from algodebug.dap.run import session_file
from algodebug.execution_tree import ExecutionTree
from algodebug.oracles import Verdict
from algodebug.session import TRUST_FUNCTION, TRUST_MODULE, AnswerError, Session, read_answers
from algotrace.trace import Trace, TraceError

if TYPE_CHECKING:
    from algotrace.trace import Call
    from algotrace.values import Value

SOURCE = "last run"

LARGEST = 10_000
"""Values with more parts are not compared: that may take longer than answering once more."""


class KeptAnswers:
    """An oracle that says again what was said then. The user may revise any of it."""

    def __init__(self, trace: Trace, judged: dict[bytes, str], trusted: dict[str, str]) -> None:
        self._trace = trace
        self._judged = judged
        self._trusted = trusted

    @classmethod
    def of(cls, earlier: Path, trace: Trace) -> KeptAnswers | None:
        """What was answered about the trace `earlier`, for use on `trace`; None when that is nothing."""
        try:
            answers = read_answers(session_file(earlier))
            old = Trace.open(earlier)
        except (OSError, AnswerError, TraceError):
            # Nothing was answered, or it is gone.
            return None
        same_code = _code(old) == _code(trace)
        judged: dict[bytes, str] = {}
        trusted: dict[str, str] = {}
        try:
            session = Session(ExecutionTree.from_trace(old), answers=answers)
            for node, answer in session.judged().items():
                call = old.call(node)
                # A call that shows nothing was judged by what it printed or else did, and an edit may change that.
                if (same_code or _shows_something(call)) and (key := _key(old, call)) is not None:
                    judged[key] = answer
            for entry in session.state()["history"]:
                if entry["answer"] in (TRUST_FUNCTION, TRUST_MODULE):
                    trusted[_function(old, old.call(entry["node"]))] = entry["answer"]
        except (AnswerError, TraceError):
            return None
        finally:
            old.close()
        return cls(trace, judged, trusted)

    def judge(self, call: Call) -> Verdict | None:
        """What was said about an equal call, or about all calls of its function."""
        answer: Any = self._trusted.get(_function(self._trace, call))
        if answer is None and self._judged and (key := _key(self._trace, call)) is not None:
            answer = self._judged.get(key)
        return Verdict(answer, SOURCE) if answer is not None else None

    def close(self) -> None:
        """Nothing is open any more."""


def _code(trace: Trace) -> dict[str, str]:
    return {source.path: source.sha256 for source in trace.sources}


def _function(trace: Trace, call: Call) -> str:
    return f"{trace.sources[call.routine.source].path}\0{call.routine.qualname}"


def _shows_something(call: Call) -> bool:
    value = call.outcome.value
    return bool(call.changes) or call.outcome.kind != "return" or (value is not None and value.kind != "none")


def _key(trace: Trace, call: Call) -> bytes | None:
    """Equal for equal questions, whichever trace they are from; None where that cannot be told."""
    if call.outcome.kind == "unfinished":
        return None
    shown: list[tuple[str, Value | None]] = [(each.name, each.value) for each in call.arguments]
    shown.append((call.outcome.kind, call.outcome.value))
    for change in call.changes:
        shown += [(change.target, change.before), (change.target, change.after)]
    digest = hashlib.blake2b(_function(trace, call).encode("utf-8", "surrogateescape"), digest_size=16)
    for name, value in shown:
        if value is not None and (not value.certain or (value.length or 0) > LARGEST):
            return None
        key = b"" if value is None else value.key()
        digest.update(f"\0{name}\0{-1 if value is None else len(key)}\0".encode())
        digest.update(key)
    return digest.digest()
