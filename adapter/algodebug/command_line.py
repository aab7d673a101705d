"""What can be typed after `algodebug`: commands, options, their help, and what is said of a mistake.

What the commands do is `cli`'s.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

import algodebug
from algodebug.code_nodes import KINDS as CODE_KINDS
from algodebug.search import DEFAULT_STRATEGY, STRATEGIES
from algodebug.session import DEPTHS

USAGE, DATA, NO_INPUT, INTERNAL, CANNOT_WRITE, INTERRUPTED = 64, 65, 66, 70, 73, 130

NODE_KINDS = ("routine", *CODE_KINDS)

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

_DESCRIPTION = """\
An algorithmic debugger: records a run of a Python program, asks whether a few of its calls did what they should, and
names the one that is wrong, with the lines to blame."""
_EPILOG = """\
examples:
  algodebug run prog.py                        record prog.py, then ask in the terminal
  algodebug run -m pytest tests/test_shop.py   start with the test that failed
  algodebug run prog.py                        again, after an edit: only changed code is asked about again
  algodebug record -o t.algotrace prog.py      record only; the program behaves and exits as without us
  algodebug debug t.algotrace --json           questions and answers as JSON lines, for scripts
  algodebug tree t.algotrace --depth 3         the calls that were recorded, numbered
  algodebug slice t.algotrace --node 7 --mark 'result[1]'

exit codes:
  record exits like the program (128 + n when signal n killed it); run and debug exit with 0 after a verdict and 1
  when the dialogue ended before: the answers are kept. Errors: 64 usage, 65 bad data, 66 no such file, 70 internal,
  73 cannot write, 130 interrupted."""
_JSON_EXAMPLE = """\
examples:
  algodebug {command} {what}
  algodebug {command} {what} --strategy top-down --depth code
  algodebug {command} {what} --reference fixed/       a corrected copy answers what it can
  algodebug {command} {what} --printed 3              the third line of the output is wrong
  algodebug {command} {what} --answers old.session.jsonl

in the terminal:
  y yes, n no, d don't know, u undo, q quit (the answers are kept), h all that can be said

with --json, one object a line:
  out  {{"question": {{"id", "function", "inputs", "outcome", "changes", "text", "why", "remaining", ...}}}}
  in   {{"answer": "correct"}}   or "wrong", "unknown", "inadmissible", "should-not-have-been-called",
       "trust-function", "trust-module", "undo", "stop"; with "node": 7 about another node than the one asked
  in   {{"answer": "wrong", "mark": "result[1]", "expected": "3"}}   {{"answer": "inadmissible", "argument": "x"}}
  in   {{"ask": 7}}   {{"strategy": "top-down"}}   {{"depth": "code"}}
  out  {{"result": {{"found", "function", "file", "line", "bright", "faint", "questions", "answered_by", ...}}}}
  out  {{"error": "...", "hint": "..."}}   the question stays open

answers are kept beside the trace, each before the next question: an interrupted session goes on with the same
command, and a later run of the program uses what still applies."""


class CommandError(Exception):
    """An error of ours: one line, a hint, an exit code."""

    def __init__(self, message: str, hint: str = "", code: int = DATA) -> None:
        super().__init__(message)
        self.message, self.hint, self.code = message, hint, code


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise CommandError(message, f"{self.prog} --help", USAGE)


def split_command(arguments: list[str]) -> tuple[str, list[str]]:
    """The command, and the words behind it."""
    if arguments and not arguments[0].startswith("-"):
        return arguments[0], arguments[1:]
    parser().parse_args(arguments or ["--help"])  # --help and --version end here
    raise CommandError(f"a command is expected before {arguments[0]}", "algodebug --help", USAGE)


def split_program(arguments: list[str]) -> tuple[list[str], list[str]]:
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


def parser() -> argparse.ArgumentParser:
    """All commands; `command` says which one was given."""
    made = _Parser(
        prog="algodebug",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("--version", action="version", version=f"algodebug {algodebug.__version__}")
    commands = made.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)

    def command(name: str, text: str, usage: str, epilog: str = "") -> argparse.ArgumentParser:
        added = commands.add_parser(
            name,
            help=text,
            description=text,
            epilog=epilog,
            usage=f"algodebug {name} {usage}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        added.set_defaults(command=name)
        return added

    run = command(
        "run",
        "Record a program, then ask about it.",
        "[record options] [debug options] (FILE | -m MODULE | -c CODE) [ARGS...]",
        _JSON_EXAMPLE.format(command="run", what="prog.py"),
    )
    record = command(
        "record",
        "Record a program. It behaves and exits as it does unrecorded.",
        "[-o TRACE] [--include GLOB]... [--exclude GLOB]... [--limit-events N] [--limit-memory SIZE] "
        "[--python PATH] (FILE | -m MODULE | -c CODE) [ARGS...]",
        "examples:\n  algodebug record prog.py input.txt\n  algodebug record -o t.algotrace -m pytest -x tests",
    )
    debug = command(
        "debug",
        "Ask about a recorded run.",
        "TRACE [--strategy NAME] [--depth function|code|expression] [--root NODE] [--reference PATH] "
        "[--answers FILE] [--fresh] [--printed LINE] [--json]",
        _JSON_EXAMPLE.format(command="debug", what="t.algotrace"),
    )
    debug.add_argument("trace", type=Path, metavar="TRACE", help="a file that record left")
    _add_record_options((run, record))
    _add_debug_options((run, debug))
    tree = command(
        "tree",
        "Show the calls of a recorded run, and the code in them.",
        "TRACE [--depth N] [--kind KINDS] [--reasons] [--json]",
    )
    tree.add_argument("trace", type=Path, metavar="TRACE")
    tree.add_argument(
        "--depth", type=int, metavar="N", help="show calls down to this depth (the program is 0)"
    )
    tree.add_argument(
        "--kind",
        default="routine",
        metavar="KINDS",
        help=f"kinds of nodes, by comma: {', '.join(NODE_KINDS)} (default: routine)",
    )
    tree.add_argument(
        "--reasons", action="store_true", help="show instead what of the program is not recorded, and why"
    )
    tree.add_argument("--json", action="store_true", help="one JSON object a line")
    for name, text in (
        ("dap", "Serve the Debug Adapter Protocol on standard input and output."),
        ("lsp", "Serve the Language Server Protocol on standard input and output."),
    ):
        command(name, text, "")
    from algodebug.slicing import command as slice_command

    slice_command.add_parser(commands)
    command("version", "Print the version.", "")
    return made


def _add_record_options(parsers: Iterable[argparse.ArgumentParser]) -> None:
    for made in parsers:
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


def _add_debug_options(parsers: Iterable[argparse.ArgumentParser]) -> None:
    for made in parsers:
        group: Any = made.add_argument_group("debug options")
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


def _size(text: str) -> str:
    """`800M`, `2G` or a number of bytes, as the recorder takes it."""
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?[KMG]?", text, re.IGNORECASE):
        raise argparse.ArgumentTypeError(f"{text!r} is no size; say 800M or 2G")
    return text
