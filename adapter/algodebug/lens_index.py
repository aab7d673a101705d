"""What the language server tells about a session, on disk: how many calls of each recorded function there are and how
they were judged, the verdict, and the values that names had in the call asked about.

The debugger writes the index after each change of a session, the language server reads it; the two processes share
nothing else. The index is derived from the session and can be lost at any time: neither side fails without it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, cast

if TYPE_CHECKING:
    from algodebug.session import Session

VERSION = 1
MOST_RELATED = 20
FOLDER_NAME = ".algodebug"
FILE_NAME = "lenses.json"


class FunctionState(TypedDict):
    """The calls of one function; `line` is the 1-based line of its `def`."""

    line: int
    qualname: str
    calls: int
    correct: int
    wrong: int
    unknown: int
    trusted: int
    buggy: bool


class RelatedState(TypedDict):
    """Other code that has to do with the verdict; `range` is line, column, end line, end column."""

    file: str
    range: list[int]
    message: str


class VerdictState(TypedDict):
    """What was found, at the code to blame."""

    range: list[int]
    message: str
    related: list[RelatedState]


class PlacedState(TypedDict):
    """The values that a name got at one place."""

    name: str
    text: str
    count: int
    range: list[int]


class ValuesState(TypedDict):
    """The values of one call, the one asked about or found; `lines` are the first and the last of its code."""

    title: str
    lines: list[int]
    values: list[PlacedState]


class _FunctionsOfFile(TypedDict):
    sha256: str
    functions: list[FunctionState]


class FileState(_FunctionsOfFile, total=False):
    """A source file as it ran (`sha256` is the `fingerprint` of its text) and its functions in the order of lines."""

    verdict: VerdictState
    values: ValuesState


class LensIndex(TypedDict):
    """The whole index; `files` is keyed by absolute path."""

    version: int
    trace: str
    files: dict[str, FileState]


def fingerprint(text: str) -> str:
    """The hash by which a text in an editor is recognised as the one that ran.

    A byte order mark and the kind of line ends are not part of it: editors keep them apart from the text.
    """
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()


def build(session: Session, values: tuple[str, ValuesState] | None = None) -> LensIndex:
    """The index of a session as it stands now; module bodies have no lens, nor have functions that were not called.

    `values` are those of the call in the middle of things, with the file it is in.
    """
    state = session.state()
    trace = session.tree.trace
    if trace is None:  # a tree that was written down, not recorded
        return {"version": VERSION, "trace": state["trace"], "files": {}}
    result = state["result"]
    buggy_routine = trace.routine[result["node"]] if result is not None and result["found"] else None
    files: dict[str, FileState] = {}
    for routine in trace.routines:
        if routine.kind == "module":
            continue
        counts = session.counts(routine.id)
        if not counts["calls"]:
            continue
        source = trace.sources[routine.source]
        entry = files.setdefault(source.path, {"sha256": fingerprint(source.text), "functions": []})
        entry["functions"].append(
            {
                "line": routine.line,
                "qualname": routine.qualname,
                "calls": counts["calls"],
                "correct": counts["correct"],
                "wrong": counts["wrong"],
                "unknown": counts["unknown"],
                "trusted": counts["trusted"],
                "buggy": routine.id == buggy_routine,
            }
        )
    texts = {source.path: source.text for source in trace.sources}
    told = _verdict(result) if result is not None and result["found"] else None
    if told is not None and told[0] in texts:
        _file(files, texts, told[0])["verdict"] = told[1]
    if values is not None and values[0] in texts:
        _file(files, texts, values[0])["values"] = values[1]
    for entry in files.values():
        entry["functions"].sort(key=lambda function: (function["line"], function["qualname"]))
    return {"version": VERSION, "trace": state["trace"], "files": files}


def _file(files: dict[str, FileState], texts: dict[str, str], path: str) -> FileState:
    return files.setdefault(path, {"sha256": fingerprint(texts[path]), "functions": []})


def _verdict(result: dict[str, Any]) -> tuple[str, VerdictState] | None:
    """What was found, with the file it is in: at the first piece of the code to blame, the others beside it."""
    pieces = [(code["file"], piece) for code in result.get("code", ()) for piece in code["bright"]]
    pieces.sort(key=lambda piece: piece[0] != result["file"])
    blamed = result.get("blamed")
    if blamed is not None:
        at = (result["file"], blamed["range"])
    elif pieces:
        at = pieces[0]
    else:
        return None
    related: list[RelatedState] = []
    for file, piece in pieces:
        beside = (file, piece[0]) not in {(other["file"], other["range"][0]) for other in related}
        if beside and (file, piece[0]) != (at[0], at[1][0]) and len(related) < MOST_RELATED:
            related.append(
                {"file": file, "range": list(piece), "message": "The wrong outcome depends on this, too."}
            )
    return at[0], {"range": list(at[1]), "message": result["text"], "related": related}


def path_in(folder: str | Path) -> Path:
    """Where the index of a workspace (or working) folder is."""
    return Path(folder) / FOLDER_NAME / FILE_NAME


def write(index: LensIndex, folder: str | Path) -> bool:
    """Replaces the index of `folder` in one step, so that a reader sees the old one or the new one.

    A folder that cannot be written costs the lenses only: the answer is then False, and the session goes on.
    """
    target = path_in(folder)
    temporary = target.with_name(f"{FILE_NAME}.{os.getpid()}")
    try:
        # Not with its parents: a workspace that was removed must not come back.
        target.parent.mkdir(exist_ok=True)
        temporary.write_text(json.dumps(index), encoding="utf-8")
        os.replace(temporary, target)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        return False
    return True


def read(folder: str | Path) -> LensIndex | None:
    """The index of `folder`; None where there is none, or none that this version understands."""
    try:
        index = json.loads(path_in(folder).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return cast(LensIndex, index) if _is_index(index) else None


def _is_index(value: object) -> bool:
    if not isinstance(value, dict) or value.get("version") != VERSION:
        return False
    files = value.get("files")
    return isinstance(files, dict) and all(_is_file(entry) for entry in files.values())


def _is_file(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("sha256"), str)
        and isinstance(value.get("functions"), list)
        and all(_is_function(function) for function in value["functions"])
        and _is_verdict(value.get("verdict"))
        and _are_values(value.get("values"))
    )


def _is_verdict(value: object) -> bool:
    return value is None or (
        isinstance(value, dict)
        and _is_range(value.get("range"))
        and isinstance(value.get("message"), str)
        and isinstance(value.get("related"), list)
        and all(
            isinstance(each, dict)
            and isinstance(each.get("file"), str)
            and isinstance(each.get("message"), str)
            and _is_range(each.get("range"))
            for each in value["related"]
        )
    )


def _are_values(value: object) -> bool:
    return value is None or (
        isinstance(value, dict)
        and isinstance(value.get("title"), str)
        and isinstance(value.get("lines"), list)
        and len(value["lines"]) == 2
        and all(isinstance(line, int) for line in value["lines"])
        and isinstance(value.get("values"), list)
        and all(
            isinstance(each, dict)
            and isinstance(each.get("name"), str)
            and isinstance(each.get("text"), str)
            and isinstance(each.get("count"), int)
            and _is_range(each.get("range"))
            for each in value["values"]
        )
    )


def _is_range(value: object) -> bool:
    return isinstance(value, list) and len(value) == 4 and all(isinstance(number, int) for number in value)


def _is_function(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("qualname"), str)
        and isinstance(value.get("buggy"), bool)
        and all(
            isinstance(value.get(key), int)
            for key in ("line", "calls", "correct", "wrong", "unknown", "trusted")
        )
    )
