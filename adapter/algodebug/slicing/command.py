"""`algodebug slice`: what a value of a recorded run depends on, as text or JSON."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path, PurePath
from typing import Any

from algodebug.slicing.blame import bright_and_faint, slicer_of
from algodebug.slicing.criteria import Criterion, parse_criterion
from algodebug.slicing.origin import origin
from algodebug.slicing.slicer import Slice
from algotrace.trace import Trace

KINDS = (
    "backward",
    "forward",
    "chop",
    "relevant",
    "dice",
    "point",
    "buggy",
    "origin",
    "writes",
    "executable",
)
_DATA, _NO_INPUT, _CANNOT_WRITE = 65, 66, 73
USAGE = "TRACE [--node ID] [--mark PATH]... [--kind NAME] [--other PATH] [--executable [-o FILE]] [--json]"


def add_parser(subparsers: Any) -> None:
    """Adds the command to the parser of the command line."""
    text = "Show which code and which calls a value depends on."
    made = subparsers.add_parser(
        "slice", help=text, description=text, usage=f"algodebug slice {USAGE}", allow_abbrev=False
    )
    made.add_argument("trace", type=Path, metavar="TRACE")
    made.add_argument(
        "--node",
        type=int,
        default=0,
        metavar="ID",
        help="a call, as `algodebug tree` numbers them (default: 0, the program)",
    )
    made.add_argument(
        "--mark",
        action="append",
        default=[],
        metavar="PATH",
        help="the value: result[2].name, exception, argument x[0], self.total, global NAME, a line of output "
        "printed[2] (from 0), characters of it printed[2][5:9] (default: all that came out); several, also of "
        "other calls as NODE:PATH, for an executable slice",
    )
    made.add_argument(
        "--kind",
        default="relevant",
        choices=KINDS,
        metavar="NAME",
        help=f"{', '.join(KINDS)} (default: relevant: backward, with the branches that could have changed the value)",
    )
    made.add_argument(
        "--other",
        metavar="PATH",
        help="chop: the value it starts from; dice: the value that is right; as --mark, or NODE:PATH for another call",
    )
    made.add_argument("--inside", action="store_true", help="no further back than what the call was given")
    made.add_argument(
        "--executable",
        action="store_true",
        help="a reduced program that gives the values without the rest; it is run to see that it does",
    )
    made.add_argument("-o", "--output", type=Path, metavar="FILE", help="where the reduced program goes")
    made.add_argument("--json", action="store_true", help="one JSON object")
    made.set_defaults(action=run)


def run(options: argparse.Namespace) -> int:
    if not options.trace.exists():
        return _complain(options, f"no such file: {options.trace}", "algodebug record leaves one", _NO_INPUT)
    trace = Trace.open(options.trace)
    try:
        body = answer(trace, options)
    except ValueError as error:
        return _complain(options, str(error), "algodebug slice --help", _DATA)
    except OSError as error:
        return _complain(options, f"cannot write: {error}", "-o FILE", _CANNOT_WRITE)
    if options.json:
        sys.stdout.write(json.dumps({"slice": body}) + "\n")
    else:
        _write(trace, body)
    sys.stdout.flush()
    return 0


def _complain(options: argparse.Namespace, message: str, hint: str, code: int) -> int:
    print(f"algodebug: {message} ({hint})", file=sys.stderr)
    if options.json:
        sys.stdout.write(json.dumps({"error": message, "hint": hint}) + "\n")
    return code


def answer(trace: Trace, options: argparse.Namespace) -> dict[str, Any]:
    """The body of the reply. Raises ValueError for a criterion that is none."""
    slicer = slicer_of(trace)
    marks = [options.mark] if isinstance(options.mark, str) else options.mark or [""]
    kind = "executable" if getattr(options, "executable", False) else options.kind
    if kind == "executable":
        return _executable(trace, options, marks)
    if len(marks) > 1:
        raise ValueError("several marks are for an executable slice")
    mark = marks[0]
    criterion = parse_criterion(trace, options.node, mark)
    body: dict[str, Any] = {"node": options.node, "mark": mark, "kind": kind}
    if kind == "buggy":
        bright, faint = bright_and_faint(trace, options.node, mark)
        files: dict[int, dict[str, Any]] = {}
        for name, spans in (("bright", bright), ("faint", faint)):
            for span in spans:
                file = files.setdefault(
                    span.source, {"file": trace.sources[span.source].path, "bright": [], "faint": []}
                )
                file[name].append([span.line, span.col, span.end_line, span.end_col])
        return {**body, "files": list(files.values()), "nodes": [options.node], "complete": True}
    if kind == "origin":
        stations = [
            {
                "node": station.node,
                "file": trace.sources[station.source].path,
                "range": list(station.place) if station.place is not None else None,
                "what": station.what,
                "function": trace.routines[trace.routine[station.node]].qualname,
            }
            for station in origin(slicer, criterion)
        ]
        return {**body, "origin": stations}
    if kind == "writes":
        return {**body, **_writes(trace, options.node, mark)}
    if kind in ("chop", "dice"):
        if options.other is None:
            raise ValueError(f"{kind} needs --other")
        other = criterion_of(trace, options.node, options.other)
        found = slicer.chop(other, criterion) if kind == "chop" else slicer.dice(criterion, other)
    elif kind == "forward":
        found = slicer.forward(criterion)
    elif kind == "point":
        found = slicer.point(options.node)
    elif kind == "backward":
        found = slicer.backward(criterion, inside=options.inside)
    else:
        found = slicer.relevant(criterion, inside=options.inside)
    return {**body, **_body(trace, found)}


def _executable(trace: Trace, options: argparse.Namespace, marks: list[str]) -> dict[str, Any]:
    from algodebug.reduced_program import NotReproduced, reduced_program

    criteria = [criterion_of(trace, options.node, mark) for mark in marks]
    try:
        found = reduced_program(trace, criteria)
    except NotReproduced as error:
        raise ValueError(str(error).rstrip(".")) from None
    if options.output is not None:
        options.output.write_text(found.text, encoding="utf-8")
    return {
        "node": options.node,
        "mark": marks[0],
        "marks": marks,
        "kind": "executable",
        "program": found.text,
        "file": found.file,
        "files": [{"file": file, "program": text} for file, text in found.files.items()],
        "lines": found.lines,
        "of_lines": found.lines_before,
        "size": round(found.size, 3),
        "level": found.level,
        "output": None if options.output is None else str(options.output),
    }


def _writes(trace: Trace, node: int, mark: str) -> dict[str, Any]:
    from algodebug.about_values import AboutValues, NoSuchValue
    from algodebug.execution_tree import ExecutionTree
    from algodebug.value_texts import writes_body

    try:
        return writes_body(AboutValues(ExecutionTree.from_trace(trace), trace), node, mark)
    except NoSuchValue as error:
        raise ValueError(str(error).rstrip(".")) from None


def criterion_of(trace: Trace, node: int, text: str) -> Criterion:
    """A mark of a node, or of another one as NODE:MARK. Raises ValueError."""
    number, colon, path = text.partition(":")
    if colon and number.strip().isdigit():
        return parse_criterion(trace, int(number), path)
    return parse_criterion(trace, node, text)


def _body(trace: Trace, found: Slice) -> dict[str, Any]:
    return {
        "files": [
            {"file": trace.sources[source].path, "ranges": [list(place) for place in places]}
            for source, places in sorted(found.ranges.items())
        ],
        "nodes": sorted(found.nodes),
        "complete": found.complete,
    }


def _write(trace: Trace, body: dict[str, Any]) -> None:
    """Lines with what is in the slice underlined."""
    texts = {source.path: source.text.split("\n") for source in trace.sources}
    out = sys.stdout
    if "program" in body:
        size = f"{body['lines']} of {body['of_lines']} lines; it was run and gives the same"
        if body["output"] is None:
            out.write(body["program"])
            out.flush()
            print(f"algodebug: {size}", file=sys.stderr)
        else:
            out.write(f"{body['output']}: {size}\n")
        for file in body["files"]:
            if file["file"] != body["file"]:
                print(f"algodebug: with {file['file']} reduced, too (--json has it)", file=sys.stderr)
        return
    if "writes" in body:
        from algodebug.value_texts import writes_lines

        out.writelines(line + "\n" for line in writes_lines(body["mark"], body["writes"]))
        return
    if "origin" in body:
        for station in body["origin"]:
            line = station["range"][0] if station["range"] else 0
            text = texts[station["file"]][line - 1].strip() if line else ""
            out.write(
                f"{station['what']:>8} {PurePath(station['file']).name}:{line}  {text}  "
                f"({station['function']}, node {station['node']})\n"
            )
        return
    for file in body["files"]:
        out.write(f"{file['file']}\n")
        columns: dict[int, set[int]] = {}
        lines = texts[file["file"]]
        for line, column, end_line, end_column in [*file.get("ranges", ()), *file.get("bright", ())]:
            for number in range(line, end_line + 1):
                low = column if number == line else 0
                high = end_column if number == end_line else len(lines[number - 1])
                columns.setdefault(number, set()).update(range(low, high))
        for number in sorted(columns):
            text = lines[number - 1]
            below = "".join(
                "^" if at in columns[number] and text[at : at + 1].strip() else " " for at in range(len(text))
            )
            out.write(f"{number:5}  {text}\n       {below.rstrip()}\n")
    names: dict[str, int] = {}
    for node in body["nodes"]:
        name = trace.routines[trace.routine[node]].qualname
        names[name] = names.get(name, 0) + 1
    out.write(
        "calls: "
        + ", ".join(f"{name} × {count}" if count > 1 else name for name, count in names.items())
        + "\n"
    )
    if not body["complete"]:
        out.write("something could not be followed: the slice may lack parts\n")
