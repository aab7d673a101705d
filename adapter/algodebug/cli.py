"""The command line: record a program, ask about the recording, look into it, start the servers.

Exit codes: `record` exits like the program (128 + n when a signal n killed it). `run` and `debug` exit with 0 when
a verdict was reached and 1 when the dialogue ended before (the answers are kept in the session file). Errors of
ours: 64 usage, 65 bad data, 66 no such file, 70 internal, 73 cannot write, 130 interrupted.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import algodebug
from algodebug import json_lines
from algodebug.command_line import (
    CANNOT_WRITE,
    DATA,
    INTERNAL,
    INTERRUPTED,
    NO_INPUT,
    NODE_KINDS,
    USAGE,
    CommandError,
    parser,
    split_command,
    split_program,
)
from algodebug.execution_tree import ExecutionTree
from algodebug.failed_tests import where_to_start
from algodebug.oracles import Oracle
from algodebug.recording import Recording
from algodebug.session import AnswerError, Session
from algodebug.session_file import session_file_of
from algodebug.stored_answers import Earlier, earlier
from algodebug.tree_listing import show_reasons, show_tree
from algodebug.wrong_output import call_wrong
from algotrace.trace import Trace, TraceError

VERDICT, NO_VERDICT = 0, 1


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    as_json = False
    try:
        command, rest = split_command(arguments)
        if command == "dap":
            from algodebug.dap import main as serve

            return serve(rest) or 0
        if command == "lsp":
            from algodebug.lsp import main as serve_language

            return serve_language(rest) or 0
        own, program = split_program(rest) if command in ("run", "record") else (rest, [])
        as_json = "--json" in own
        options = parser().parse_args([command, *own])
        options.program = program
        _check_streams(command)
        action = _ACTIONS.get(command) or options.action
        code: int = action(options)
        return code
    except CommandError as error:
        _complain(error.message, error.hint, as_json)
        return error.code
    except TraceError as error:  # damage that shows only when the part is read
        _complain(error.message, error.hint, as_json)
        return DATA
    except KeyboardInterrupt:
        _complain("interrupted", "", as_json=False)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output is gone; nothing more can be said there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO_VERDICT
    except Exception as error:
        if os.environ.get("ALGODEBUG_TRACEBACK"):
            raise
        _complain(f"internal error: {error!r}", "ALGODEBUG_TRACEBACK=1 shows where", as_json)
        return INTERNAL


def _check_streams(command: str) -> None:
    """Without standard input there is nobody who answers, without standard output nobody to tell anything."""
    if sys.stdin is None:
        sys.stdin = io.StringIO()
    if sys.stdout is None and command not in ("record", "dap", "lsp"):
        raise CommandError("standard output is closed", "there is nobody to ask", CANNOT_WRITE)
    for stream in (sys.stdin, sys.stdout):
        # Neither what is typed nor what is shown must end the dialogue because of its letters.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _complain(message: str, hint: str, as_json: bool) -> None:
    line = " ".join(message.split())
    print(f"algodebug: {line}" + (f" ({hint})" if hint else ""), file=sys.stderr)
    if as_json and sys.stdout is not None:
        json_lines.write(sys.stdout, {"error": line, "hint": hint})


# The commands


def _version(options: argparse.Namespace) -> int:
    print(f"algodebug {algodebug.__version__}")
    return 0


def _recording(options: argparse.Namespace) -> Recording:
    program: list[str] = options.program
    if not program:
        raise CommandError("no program to run", "give a FILE or -m MODULE", USAGE)
    if program[0] in ("-m", "-c"):
        if len(program) < 2:
            raise CommandError(f"{program[0]} needs a value", "", USAGE)
    elif not Path(program[0]).exists():
        raise CommandError(f"no such file: {program[0]}", "give the path of a Python program", NO_INPUT)
    python = options.python or sys.executable
    if shutil.which(python) is None:
        raise CommandError(f"no such interpreter: {python}", "--python PATH", NO_INPUT)
    return Recording(
        program,
        trace=options.output,
        include=options.include,
        exclude=options.exclude,
        limit_events=options.limit_events,
        limit_memory=options.limit_memory,
        python=python,
    )


def _do_record(recording: Recording) -> tuple[int, Path | None]:
    sys.stdout.flush()
    code, trace = recording.run()
    for note in recording.notes:
        print(f"algodebug: {note}", file=sys.stderr)
    if trace is not None:
        print(f"algodebug: trace: {trace}", file=sys.stderr)
    elif code > 128:
        name = {s.value: s.name for s in signal.Signals}.get(code - 128, f"signal {code - 128}")
        print(f"algodebug: no trace: the program was killed by {name}", file=sys.stderr)
    else:
        print(
            f"algodebug: no trace where one was wanted; the program ended with exit code {code}",
            file=sys.stderr,
        )
    return code, trace


def _record(options: argparse.Namespace) -> int:
    return _do_record(_recording(options))[0]


def _run(options: argparse.Namespace) -> int:
    recording = _recording(options)
    if options.json:
        # The dialogue has our standard streams to itself.
        recording.stdin, recording.stdout = subprocess.DEVNULL, 2
    code, trace = _do_record(recording)
    if trace is None:
        if options.json:
            json_lines.write(sys.stdout, {"error": "no trace was recorded", "hint": f"exit code {code}"})
        return code or DATA
    options.trace = trace
    return _debug(options)


def _debug(options: argparse.Namespace) -> int:
    trace = _open(options.trace)
    tree = ExecutionTree.from_trace(trace)
    if tree.is_empty:
        error, hint = (
            "none of the program's own code is recorded",
            f"algodebug tree {options.trace} --reasons says why",
        )
        raise CommandError(error, hint, DATA)
    root = options.root
    if root is None:
        root, note = where_to_start(trace)
        if note:
            print(f"algodebug: {note}", file=sys.stderr)
    oracles: list[Oracle] = []
    if options.reference is not None:
        from algodebug.oracles.reference_code import ReferenceCodeOracle

        if not options.reference.exists():
            raise CommandError(f"no such file: {options.reference}", "--reference PATH", NO_INPUT)
        oracles.append(ReferenceCodeOracle(options.reference, trace))
    if options.answers is not None and not options.answers.exists():
        raise CommandError(f"no such file: {options.answers}", "--answers FILE", NO_INPUT)
    before: Earlier = _checked(lambda: earlier(tree, answers=options.answers, fresh=options.fresh))
    session_file = session_file_of(options.trace)
    session: Session = _checked(
        lambda: Session(
            tree,
            strategy=options.strategy,
            root=root,
            oracles=oracles,
            session_file=session_file,
            before=before,
            depth=options.depth,
        )
    )
    reached = False
    try:
        if options.printed is not None:
            _checked(lambda: call_wrong(session, options.printed))
        if options.json:
            reached = json_lines.converse(session, sys.stdin, sys.stdout)
        else:
            from algodebug import terminal

            reached = terminal.converse(session)
        if reached:
            session.finish()
    finally:
        session.close()
        if not reached and session.answered and not session.notes:
            print(
                f"algodebug: the answers are kept in {session_file}: algodebug debug {options.trace} goes on with them",
                file=sys.stderr,
            )
    return VERDICT if reached else NO_VERDICT


def _checked(make: Any) -> Any:
    try:
        return make()
    except AnswerError as error:
        raise CommandError(error.message, error.hint, DATA) from None
    except OSError as error:
        raise CommandError(f"cannot read: {error}", "", NO_INPUT) from None


def _open(path: Path) -> Trace:
    if not path.exists():
        raise CommandError(f"no such file: {path}", "algodebug record leaves one", NO_INPUT)
    try:
        return Trace.open(path)
    except TraceError as error:
        raise CommandError(error.message, error.hint, DATA) from None


def _tree(options: argparse.Namespace) -> int:
    kinds = options.kind.split(",")
    unknown = [kind for kind in kinds if kind not in NODE_KINDS]
    if unknown:
        raise CommandError(f"no such kind of node: {unknown[0]}", f"one of: {', '.join(NODE_KINDS)}", USAGE)
    trace = _open(options.trace)
    if options.reasons:
        show_reasons(trace, options.json)
    else:
        show_tree(ExecutionTree.from_trace(trace), kinds, options.depth, options.json)
    return 0


_ACTIONS: dict[str, Callable[[argparse.Namespace], int]] = {
    "run": _run,
    "record": _record,
    "debug": _debug,
    "tree": _tree,
    "version": _version,
}


if __name__ == "__main__":
    sys.exit(main())
