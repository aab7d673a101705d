"""A corrected copy of the program as the oracle: its functions run on the recorded inputs, and what they give counts.

The copy runs in a process of its own, `copy_run`, with the interpreter of the recorded program; and so does
the program itself where it has not changed since. What the program does not do again on the same inputs depended on
something that was not recorded: then there is no verdict. A call of which all code that ran is written as in the
copy is right whatever it gives; a function of which only its own is, cannot be to blame. The rest is left to whoever
comes next.
"""

from __future__ import annotations

import functools
import tokenize
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Literal

from algodebug.execution_tree import RETURNED
from algodebug.oracles import Verdict
from algodebug.oracles.recorded_rows import CannotEncode, Rows, encode, inexact
from algodebug.oracles.reference_closures import is_nested, names_in, variables_around
from algodebug.oracles.reference_imports import import_question
from algodebug.oracles.reference_process import Gone, ReferenceProcess
from algodebug.oracles.same_code import Functions, same_code
from algodebug.slicing.source_files import SourceFiles
from algotrace.call_sites import CACHES, decorators, defaulted, definition

if TYPE_CHECKING:
    from algotrace.trace import Call, Routine, Trace

SOURCE = "reference"
TIMEOUT = 10.0  # seconds a question may take
_MOVING_KINDS = frozenset({"list", "dict", "set", "deque", "bytearray", "instance"})
_MOVING_LIMIT = 50
_CACHED_LIMIT = 200  # results that a cached function is given to remember
_ANSWERS: dict[str, Literal["correct", "wrong", "unknown"]] = {
    "correct": "correct", "wrong": "wrong", "unknown": "unknown",
}  # fmt: skip

Module = tuple[str, str]  # dotted name and file


class ReferenceOracle:
    """Judges calls by a corrected file, or a folder that holds corrected copies of the program's files."""

    def __init__(self, reference: Path, trace: Trace, *, timeout: float = TIMEOUT) -> None:
        self._reference = reference.resolve()
        self._trace = trace
        self._timeout = timeout
        self._modules: dict[int, Module | None] = {}
        self._parsed: dict[str, Functions] = {}
        self._unchanged: dict[int, bool] = {}
        program = trace.routines[trace.routine[0]].source if len(trace.routine) else 0
        self._program = program

    def judge(self, call: Call) -> Verdict | None:
        routine = call.routine
        module = self._module_of(routine.source)
        if module is None or (routine.kind == "module" and not call.module):
            return None
        if routine.kind == "class":
            if self._is_unchanged(routine):
                return Verdict("correct", SOURCE)
            return Verdict("wrong", SOURCE, "its body is not that of the reference")
        verdict = self._by_importing(call, module) if call.module else self._by_running(call, module)
        if verdict is not None and verdict.answer == "correct":
            return verdict
        if self._ran_the_same_code(call.node):
            return Verdict("correct", SOURCE, "all it ran is written as in the reference")
        if (verdict is None or verdict.answer == "unknown") and self._is_unchanged(routine):
            return Verdict("trust-function", SOURCE, "its code is that of the reference")
        return verdict

    def _ran_the_same_code(self, node: int) -> bool:
        """Was all that ran during the call written as in the reference, lambdas and the like included?

        Then what is wrong about the outcome comes from what the call was given or read, and the call is right.
        """
        ran = routines_run(self._trace, node)
        return ran is not None and all(self._is_unchanged(self._trace.routines[routine]) for routine in ran)

    def _by_running(self, call: Call, module: Module) -> Verdict | None:
        routine = call.routine
        # A hash depends on the process it was made in.
        if routine.name == "__hash__":
            return None
        nested = is_nested(routine.qualname)
        if call.outcome.kind == "unfinished" or ("<locals>" in routine.qualname and not nested):
            return None
        try:
            question = self._question(call)
            if nested:
                self._add_what_is_around(question, call, module)
        except CannotEncode:
            return None
        try:
            if question["inexact"]:
                return self._by_shape(question, module, routine)
            question["module"], question["file"] = module
            question["paths"] = self._paths_here
            reply = self._corrected.ask(question)
            verdict = None if reply[0] is None else Verdict(_ANSWERS[reply[0]], SOURCE, reply[1])
            itself = self._itself
            if itself is None or (verdict is not None and verdict.answer == "unknown"):
                return verdict
            if verdict is None:
                return self._by_both(question, module, routine)
            if verdict.answer == "correct" and self._is_unchanged(routine):
                return verdict
            question["module"], question["file"] = self._own_module(routine.source)
            if itself.ask(question)[0] in ("wrong", "unknown"):
                return None  # not even the program itself does that again: something it read was not recorded
            return verdict
        except Gone:
            return Verdict("unknown", SOURCE, "the reference crashed or did not answer")

    def _by_importing(self, call: Call, module: Module) -> Verdict | None:
        """Of the body of an imported module: does that of the copy bind the same?"""
        if call.outcome.kind == "unfinished":
            return None
        try:
            question = import_question(self._trace, call, self._globals, self._moving_globals)
            if question["inexact"]:
                return None
            question["module"], question["file"] = module
            reply = self._corrected.ask(question)
            if reply[0] == "wrong" and self._itself is not None:
                question["module"], question["file"] = self._own_module(call.routine.source)
                if self._itself.ask(question)[0] in ("wrong", "unknown"):
                    return None
            return None if reply[0] is None else Verdict(_ANSWERS[reply[0]], SOURCE, reply[1])
        except CannotEncode:
            return None
        except Gone:
            return Verdict("unknown", SOURCE, "the reference crashed or did not answer")

    def _by_both(self, question: dict[str, Any], module: Module, routine: Routine) -> Verdict | None:
        """Of what cannot be compared with the recording: do the copy and the program do the same again?"""
        found = self._described(question, module, routine)
        if found is None:
            return None
        (shape, values), (own_shape, own_values) = found
        if (shape, values) == (own_shape, own_values):
            return Verdict("correct", SOURCE, "the reference does the same")
        return Verdict("wrong", SOURCE, "the reference gives or prints something else")

    def _by_shape(self, question: dict[str, Any], module: Module, routine: Routine) -> Verdict | None:
        """Of inputs that are known as they were later: only what hardly depends on them counts, above all sharing."""
        found = self._described(question, module, routine)
        if found is None or found[0][0] == found[1][0]:
            return None
        return Verdict(
            "wrong", SOURCE, "the reference gives a value of another type, or shares other parts of it"
        )

    def _described(
        self, question: dict[str, Any], module: Module, routine: Routine
    ) -> tuple[tuple[str, str], tuple[str, str]] | None:
        if self._itself is None:
            return None
        question = {**question, "describe": True}
        question["module"], question["file"] = module
        corrected = self._corrected.ask(question)
        question["module"], question["file"] = self._own_module(routine.source)
        own = self._itself.ask(question)
        if corrected[0] in (None, "unknown") or own[0] in (None, "unknown"):
            return None
        return (str(corrected[0]), corrected[1]), (str(own[0]), own[1])

    def _is_unchanged(self, routine: Routine) -> bool:
        known = self._unchanged.get(routine.id)
        if known is None:
            module = self._module_of(routine.source)
            text = "" if module is None else _text(module[1])
            recorded = self._functions_of(self._trace.sources[routine.source].text)
            known = same_code(recorded, self._functions_of(text), routine.qualname, routine.line)
            if not known and "<" in routine.qualname and routine.parent >= 0:
                # A lambda or the like is found by what is around it.
                around = self._trace.routines[routine.parent]
                known = around.kind != "module" and self._is_unchanged(around)
            self._unchanged[routine.id] = known
        return known

    def _functions_of(self, text: str) -> Functions:
        found = self._parsed.get(text)
        if found is None:
            found = self._parsed[text] = Functions(text)
        return found

    def close(self) -> None:
        for process in (self._corrected, self._itself):
            if process is not None:
                process.close()

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
        bound = trace.lookups.bound
        known = [
            (module, name, number)
            for module, name, number in self._globals
            if number in before and number not in moved and bound(module, name, start) == number
        ]
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
            if trace.first_seen.get(number, 0) >= start or bound(module, name, start) != number:
                continue  # made later, or known by this name later
            moving = trace.value(f"{number}@{start}")
            globals_before.append((module, name, encode(trace, moving, start, before)))
            globals_after.append((module, name, encode(trace, moving, end, after)))
        caches_before, caches_after, cached_in = self._caches(start, end, before, after)
        return {
            "describe": False,
            "inexact": inexact(before) or inexact(after),
            "defaulted": sorted(defaulted(trace, node)),
            "changed": sorted({change.target.partition(".")[0].partition("[")[0] for change in call.changes}),
            "caches": caches_before,
            "caches_after": caches_after,
            "cached in": cached_in,
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
                "generator": call.routine.kind in ("generator", "asyncgen"),
            },
        }

    def _add_what_is_around(self, question: dict[str, Any], call: Call, module: Module) -> None:
        """Of a nested function: the variables of the functions around that it, or its counterpart, mentions."""
        trace, routine = self._trace, call.routine
        recorded = self._functions_of(trace.sources[routine.source].text)
        corrected = self._functions_of(_text(module[1]))
        # The functions beside it count: it may call them.
        outermost = routine.qualname.partition(".<locals>")[0]
        ours = recorded.at(outermost, routine.line)
        theirs = corrected.counterpart(recorded, outermost, routine.line)
        before, after = question["before"], question["after"]
        question["around"], question["around_after"] = [], []
        for each in variables_around(trace, self._files, call.node, names_in(ours, theirs)):
            if each.before is not None:
                number = encode(trace, each.before, trace.start[call.node], before)
                question["around"].append((each.name, number))
            if each.after is not None:
                number = encode(trace, each.after, trace.end[call.node] + 1, after)
                question["around_after"].append((each.name, number))
        question["inexact"] = inexact(before) or inexact(after)

    @functools.cached_property
    def _files(self) -> SourceFiles:
        return SourceFiles(self._trace)

    @functools.cached_property
    def _paths_here(self) -> dict[str, str]:
        """Of the files of the copy, those of the program that they stand for."""
        found = {}
        for number, source in enumerate(self._trace.sources):
            module = self._module_of(number)
            if module is not None:
                found[module[1]] = source.path
        return found

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

    def _caches(
        self, start: int, end: int, before: Rows, after: Rows
    ) -> tuple[list[Any], list[Any], dict[str, str]]:
        """What cached functions remembered before and after: (qualname, numbers of arguments, of the result).

        And where these functions are found, by qualname.
        """
        trace = self._trace
        found: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
        modules = {
            routine.qualname: self._name_in_program(routine.source)
            for routine in self._cached_routines
            if self._module_of(routine.source) is not None
        }
        for node in self._cached_calls:
            if trace.end[node] >= end:
                continue
            routine = trace.routines[trace.routine[node]]
            arguments, outcome = trace.arguments(node), trace.call(node).outcome
            if outcome.value is None or routine.qualname not in modules:
                continue
            left_out = defaulted(trace, node)
            key = (routine.qualname, *(a.value.key() for a in arguments))
            for time, rows, calls in ((start, before, found[0]), (end, after, found[1])):
                if trace.end[node] < time and len(calls) < _CACHED_LIMIT:
                    numbers = [
                        encode(trace, a.value, time, rows) for a in arguments if a.name not in left_out
                    ]
                    number = encode(trace, outcome.value, time, rows)
                    calls[key] = (routine.qualname, numbers, number)
        return list(found[0].values()), list(found[1].values()), modules

    @functools.cached_property
    def _cached_routines(self) -> list[Routine]:
        """The functions that remember their results."""
        found = []
        for routine in self._trace.routines:
            function = definition(self._trace, routine)
            if function is not None and "<locals>" not in routine.qualname and CACHES & decorators(function):
                found.append(routine)
        return found

    @functools.cached_property
    def _cached_calls(self) -> list[int]:
        """Their calls, as far as these returned."""
        cached, trace = {routine.id for routine in self._cached_routines}, self._trace
        if not cached:
            return []
        outcomes = trace.outcome_kind
        return [n for n, r in enumerate(trace.routine) if r in cached and outcomes[n] == RETURNED]

    # The other processes

    @functools.cached_property
    def _corrected(self) -> ReferenceProcess:
        return self._process(self._paths(), self._module_of(self._program), self._overrides())

    @functools.cached_property
    def _itself(self) -> ReferenceProcess | None:
        return self._as_recorded()

    def _as_recorded(self) -> ReferenceProcess | None:
        """The program as it was recorded; None when its files have changed since or are gone."""
        files = [Path(source.path) for source in self._trace.sources]
        for file, source in zip(files, self._trace.sources, strict=True):
            if not file.is_absolute() or _text(str(file)) != source.text:
                return None
        paths = [str(_import_root(file)) for file in files]
        paths.append(str(self._trace.environment.get("cwd", "")))
        return self._process(list(dict.fromkeys(filter(None, paths))), self._own_module(self._program), {})

    def _process(self, paths: list[str], main: Module | None, overrides: dict[str, str]) -> ReferenceProcess:
        environment = self._trace.environment
        setup = {"paths": paths, "main": main, "overrides": overrides, "timeout": self._timeout}
        folder = str(environment.get("cwd", "")) or None
        return ReferenceProcess(setup, str(environment.get("executable", "")), folder)

    def _own_module(self, source: int) -> Module:
        file = Path(self._trace.sources[source].path)
        return _dotted(file), str(file)

    def _name_in_program(self, source: int) -> str:
        return "__main__" if source == self._program else self._own_module(source)[0]

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

    def _module_of(self, source: int) -> Module | None:
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


_MOST_EVENTS = 20_000_000


def routines_run(trace: Trace, node: int) -> set[int] | None:
    """Which routines ran something during a call, those that are no nodes included; None where that is too much to read."""
    first, last = trace.start[node], trace.end[node]
    ran = set(trace.routine[node : node + trace.size[node]])
    for below in trace.segments:
        if node <= below < node + trace.size[node]:
            first, last = min(first, trace.start[below]), max(last, trace.end[below])
    if last - first > _MOST_EVENTS:
        return None
    ran.update(trace.marks[code].routine for code in trace.marks_between(first, last))
    return ran


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
