"""The command line: record a program, ask about the recording, look into it, start the servers.

Exit codes: `record` exits like the program (128 + n when a signal n killed it). `run` and `debug` exit with 0 when
a verdict was reached and 1 when the dialogue ended before (the answers are kept in the session file). Errors of
ours: 64 usage, 65 bad data, 66 no such file, 70 internal, 73 cannot write, 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import algodebug
from algodebug import json_lines
from algodebug.code_nodes import KINDS as CODE_KINDS
from algodebug.code_nodes import code_below
from algodebug.execution_tree import ExecutionTree
from algodebug.failed_tests import where_to_start
from algodebug.oracles import Oracle
from algodebug.recording import Recording
from algodebug.search import DEFAULT_STRATEGY, STRATEGIES
from algodebug.session import DEPTHS, AnswerError, Session
from algodebug.session_file import session_file_of
from algodebug.stored_answers import Earlier, earlier
from algodebug.wrong_output import call_wrong
from algotrace.scope import LIBRARY_REASONS
from algotrace.trace import Trace, TraceError

USAGE, DATA, NO_INPUT, INTERNAL, CANNOT_WRITE, INTERRUPTED = 64, 65, 66, 70, 73, 130
VERDICT, NO_VERDICT = 0, 1

_KINDS = ("routine", *CODE_KINDS)


class CommandError(Exception):
    """An error of ours: one line, a hint, an exit code."""

    def __init__(self, message: str, hint: str = "", code: int = DATA) -> None:
        super().__init__(message)
        self.message, self.hint, self.code = message, hint, code


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise CommandError(message, f"{self.prog} --help", USAGE)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    as_json = False
    try:
        command, rest = _split_command(arguments)
        if command == "dap":
            from algodebug.dap import main as serve

            return serve(rest) or 0
        if command == "lsp":
            from algodebug.lsp import main as serve_language

            return serve_language(rest) or 0
        own, program = _split_program(rest) if command in ("run", "record") else (rest, [])
        as_json = "--json" in own
        options = _parser().parse_args([command, *own])
        options.program = program
        code: int = options.action(options)
        return code
    except CommandError as error:
        _complain(error.message, error.hint, as_json)
        return error.code
    except TraceError as error:  # damage that shows only when the part is read
        _complain(error.message, error.hint, as_json)
        return DATA
    except KeyboardInterrupt:
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


def _complain(message: str, hint: str, as_json: bool) -> None:
    line = " ".join(message.split())
    print(f"algodebug: {line}" + (f" ({hint})" if hint else ""), file=sys.stderr)
    if as_json:
        json_lines.write(sys.stdout, {"error": line, "hint": hint})


# What was typed

_VALUE_OPTIONS = frozenset(
    [
        "-o",
        "--output",
        "--include",
        "--exclude",
        "--limit-events",
        "--limit-memory",
        "--python",
        "--strategy",
        "--root",
        "--reference",
        "--answers",
        "--depth",
        "--printed",
    ]
)


def _split_command(arguments: list[str]) -> tuple[str, list[str]]:
    if arguments and not arguments[0].startswith("-"):
        return arguments[0], arguments[1:]
    _parser().parse_args(arguments or ["--help"])  # --help and --version end here
    raise CommandError(f"a command is expected before {arguments[0]}", "algodebug --help", USAGE)


def _split_program(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Our options, and the program with its own: it starts at the first word that is no option, or at -m or -c."""
    at = 0
    while at < len(arguments):
        word = arguments[at]
        if word == "--":
            return arguments[:at], arguments[at + 1 :]
        if word in ("-m", "-c") or not word.startswith("-"):
            break
        at += 2 if word in _VALUE_OPTIONS else 1
    return arguments[:at], arguments[at:]


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="algodebug",
        description="An algorithmic debugger: records a run of a Python program, asks whether a few of its calls "
        "did what they should, and names the one that is wrong with the lines to blame.",
        epilog="Exit codes: record exits like the program; run and debug exit with 0 after a verdict, 1 when the "
        "dialogue ended before. Errors: 64 usage, 65 bad data, 66 no such file, 70 internal, 73 cannot write.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"algodebug {algodebug.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)

    def command(name: str, action: Any, text: str, usage: str) -> argparse.ArgumentParser:
        made = commands.add_parser(
            name, help=text, description=text, usage=f"algodebug {name} {usage}", allow_abbrev=False
        )
        made.set_defaults(action=action)
        return made

    run = command(
        "run",
        _run,
        "Record a program, then ask about it.",
        "[record options] [debug options] (FILE | -m MODULE) [ARGS...]",
    )
    record = command(
        "record",
        _record,
        "Record a program. It behaves and exits as it does unrecorded.",
        "[-o TRACE] [--include GLOB]... [--exclude GLOB]... [--limit-events N] [--limit-memory SIZE] "
        "(FILE | -m MODULE) [ARGS...]",
    )
    for made in (run, record):
        group = made.add_argument_group("record options")
        group.add_argument(
            "-o", "--output", type=Path, metavar="TRACE", help="where the trace goes (default: .algodebug/)"
        )
        group.add_argument(
            "--include", action="append", default=[], metavar="GLOB", help="record these files, too"
        )
        group.add_argument(
            "--exclude", action="append", default=[], metavar="GLOB", help="do not record these files"
        )
        group.add_argument(
            "--limit-events", type=int, metavar="N", help="stop recording after so many events"
        )
        group.add_argument(
            "--limit-memory",
            metavar="SIZE",
            type=_size,
            help="stop the program when it needs more, as 800M or 2G",
        )
        group.add_argument("--python", metavar="PATH", help="the interpreter to run the program with")
    debug = command(
        "debug",
        _debug,
        "Ask about a recorded run.",
        "TRACE [--strategy NAME] [--depth function|code|expression] [--root NODE] [--reference PATH] [--answers FILE] [--printed LINE] [--json]",
    )
    debug.add_argument("trace", type=Path, metavar="TRACE", help="a file that record left")
    for made in (run, debug):
        group = made.add_argument_group("debug options")
        group.add_argument(
            "--strategy",
            choices=STRATEGIES,
            metavar="NAME",
            help=f"how questions are chosen: {', '.join(STRATEGIES)} (default: {DEFAULT_STRATEGY})",
        )
        group.add_argument(
            "--depth",
            choices=DEPTHS,
            help="how far the search goes: to the function, on to a statement in it (code), or to one expression of "
            "that (default: auto, to the code only where there are no calls to ask about)",
        )
        group.add_argument(
            "--root",
            type=int,
            metavar="NODE",
            help="the call known to be wrong, as numbered by `algodebug tree` (default: the first test that failed, "
            "else 0, the whole program)",
        )
        group.add_argument(
            "--reference",
            type=Path,
            metavar="PATH",
            help="a corrected copy, a file or a folder, that answers what it can",
        )
        group.add_argument(
            "--answers",
            type=Path,
            metavar="FILE",
            help="start with these answers alone: a session file, of this recording or another, or JSON lines",
        )
        group.add_argument(
            "--fresh",
            action="store_true",
            help="forget what was answered about earlier runs; else each of these answers is used again for "
            "what is the same, code and values",
        )
        group.add_argument(
            "--printed",
            metavar="LINE",
            help="this line of the output is wrong: its number, from 1, or a text that only this line has",
        )
        group.add_argument(
            "--json",
            action="store_true",
            help="a dialogue of JSON lines on standard input and output; "
            "what the program prints goes to standard error, and it gets no standard input",
        )
    tree = command(
        "tree",
        _tree,
        "Show the calls of a recorded run, and the code in them.",
        "TRACE [--depth N] [--kind KINDS] [--reasons] [--json]",
    )
    tree.add_argument("trace", type=Path, metavar="TRACE")
    tree.add_argument(
        "--depth", type=int, metavar="N", help="show calls down to this depth (the program is 0)"
    )
    tree.add_argument(
        "--kind", default="routine", metavar="KINDS", help=f"kinds of nodes, by comma: {', '.join(_KINDS)}"
    )
    tree.add_argument(
        "--reasons", action="store_true", help="show instead what of the program is not recorded, and why"
    )
    tree.add_argument("--json", action="store_true", help="one JSON object a line")
    for name, text in (
        ("dap", "Serve the Debug Adapter Protocol on standard input and output."),
        ("lsp", "Serve the Language Server Protocol on standard input and output."),
    ):
        command(name, None, text, "")
    from algodebug.slicing import command as slice_command

    slice_command.add_parser(commands)
    command("version", _version, "Print the version.", "")
    return parser


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


def _size(text: str) -> str:
    """`800M`, `2G` or a number of bytes, as the recorder takes it."""
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?[KMG]?", text, re.IGNORECASE):
        raise argparse.ArgumentTypeError(f"{text!r} is no size; say 800M or 2G")
    return text


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
        print(f"algodebug: no trace: the program ended with exit code {code} before it ran", file=sys.stderr)
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
    unknown = [kind for kind in kinds if kind not in _KINDS]
    if unknown:
        raise CommandError(f"no such kind of node: {unknown[0]}", f"one of: {', '.join(_KINDS)}", USAGE)
    trace = _open(options.trace)
    if options.reasons:
        return _reasons(trace, options.json)
    tree = ExecutionTree.from_trace(trace)
    for node, depth in _down_to(tree, options.depth):
        if "routine" in kinds:
            _show_node(tree, node, depth, options.json)
        if set(kinds) & set(CODE_KINDS) and (code := tree.code_of(node)) is not None:
            for part, below in code_below(code.top, kinds):
                _show_node(tree, part.id, depth + below, options.json)
    sys.stdout.flush()
    return 0


def _show_node(tree: ExecutionTree, node: int, depth: int, as_json: bool) -> None:
    code = tree.code(node)
    if as_json:
        line = {
            **tree.question(node),
            "parent": None if node == 0 else tree.parent_of(node),
            "depth": depth,
            "children": sum(1 for _ in tree.children(node)) if code is None else len(code.parts),
            "size": tree.size[node] if code is None else 1,
        }
        line["title"] = tree.title(node)
        sys.stdout.write(json.dumps(line) + "\n")
    else:
        place = tree.place(node)
        text = tree.sentence(node)
        sys.stdout.write(f"{'  ' * depth}{node}  {text}  {Path(place.file).name}:{place.line}\n")


def _reasons(trace: Trace, as_json: bool) -> int:
    """What is not recorded: notes on the run, then functions and files; of library files the numbers alone."""
    notes = [str(note) for note in trace.environment.get("notes", [])]
    places = sorted((*_place_left_out(place), reason) for place, reason in trace.reasons.items())
    if as_json:
        rows: list[dict[str, Any]] = [{"note": note} for note in notes]
        rows += [{"file": file, "line": line or None, "reason": reason} for file, line, reason in places]
        sys.stdout.writelines(json.dumps(row) + "\n" for row in rows)
    else:
        lines = notes[:]
        lines += [
            f"{file}:{line}  {reason}" if line else f"{file}  {reason}"
            for file, line, reason in places
            if reason not in LIBRARY_REASONS
        ]
        for reason in LIBRARY_REASONS:
            if count := sum(1 for place in places if place[2] == reason):
                lines.append(f"{count} {'file' if count == 1 else 'files'}  {reason}")
        sys.stdout.writelines(line + "\n" for line in lines or ["everything that ran is recorded"])
    sys.stdout.flush()
    return 0


def _place_left_out(place: str) -> tuple[str, int]:
    """The file and, for a function, the line of its `def`; else 0."""
    file, _, line = place.rpartition(":")
    return (file, int(line)) if file and line.isdecimal() else (place, 0)


def _down_to(tree: ExecutionTree, limit: int | None) -> Iterator[tuple[int, int]]:
    """The nodes down to a depth, in preorder, each with its depth."""
    ends: list[int] = []
    node = 0
    while node < len(tree):
        while ends and node >= ends[-1]:
            ends.pop()
        depth = len(ends)
        yield node, depth
        if limit is not None and depth >= limit:
            node = tree.end(node)
        else:
            ends.append(tree.end(node))
            node += 1


if __name__ == "__main__":
    sys.exit(main())
