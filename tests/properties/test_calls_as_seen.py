"""What a trace says that calls were given, gave and changed is what a run without the recorder sees.

For programs of any kind, modules of Python's library and packages. What is not certain is left out; so are numbers that objects have
in one run alone, and programs in which calls come otherwise when they are watched.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import library_programs
import package_programs
import pytest
import seen_calls
from forced_containers import CONTAINERS
from forced_library_objects import LIBRARY_OBJECTS
from forced_modules import MODULES
from forced_programs import record
from forced_runs import SCRIPT, write
from forced_special_methods import SPECIAL_METHODS
from seen_calls import Seen, Shape

from algotrace.trace import Trace, Value
from algotrace.undo import NO_ATTRIBUTES

MOST_CALLS = 1500  # of a program that are compared, about
TABLES = (CONTAINERS, LIBRARY_OBJECTS, SPECIAL_METHODS)
PROGRAMS = {name: (text.strip("\n"), {}) for table in TABLES for name, text in table.items()} | MODULES
# Keys and names that are `id(…)`, texts of code, times of day.
OTHERWISE = frozenset({"pprint", "plistlib", "copy", "enum", "types", "_collections_abc", "ipaddress"})
OTHERWISE |= {"namespaces of modules", "a namespace that is handed on"}  # the module's own is another one
OTHERWISE |= {"boltons"}  # has the number of its process
OTHERWISE |= {"glom", "lark"}  # go through sets of objects in the order of their addresses
OTHERWISE |= {"rich", "soupsieve"}  # keep the hash of None, which is its address before Python 3.12


def differs(value: Value, seen: Shape, depth: int = seen_calls.DEPTH) -> str:
    """What a value of the trace has that was not seen; empty for nothing."""
    kind, told = seen[0], value.kind
    if kind == "unknown" or not value.certain or depth < 0:
        return ""
    if kind == "scalar":
        text = value.text(5000).text
        return "" if text == seen[1] or "…" in text or told == "huge" else f"{text:.80}, not {seen[1]:.80}"
    parts = list(value.parts(0, 10_000))
    if kind != "tuple":  # those of named ones have names
        parts = [part for part in parts if not part.label.startswith(".")]
    if kind == "instance":
        return _attributes_differ(value, seen[1], depth) if told == "instance" else ""
    if told != kind and not (kind == "set" and told == "frozenset"):
        return ""  # a named tuple, an array: shown in another way
    if len(parts) != seen[1] and not (
        kind == "tuple" and len(parts) > seen[1]
    ):  # … which may have attributes
        return f"{value.text(80).text} has {len(parts)} parts, not {seen[1]}"
    for part, other in zip(parts, seen[2] if len(seen) > 2 else (), strict=False):
        if found := differs(part.value, other, depth - 1):
            return f"[{part.label}] {found}"
    return ""


def _attributes_differ(value: Value, seen: dict[str, Shape], depth: int) -> str:
    parts = {part.label.removeprefix("."): part.value for part in value.parts(0, 10_000)}
    seen = {name: shape for name, shape in seen.items() if name not in NO_ATTRIBUTES}
    if parts.keys() != seen.keys():
        return f"{value.text(60).text}: {sorted(parts.keys() ^ seen.keys())[:5]} differ"
    for name, other in seen.items():
        if found := differs(parts[name], other, depth - 1):
            return f".{name} {found}"
    return ""


def differences(trace: Trace, seen: list[Seen]) -> list[str]:
    routines = trace.routines
    nodes = [
        node
        for node in range(len(trace.parent))
        if routines[trace.routine[node]].kind not in ("module", "class")
    ]
    nodes.sort(key=trace.start.__getitem__)
    assert [routines[trace.routine[node]].qualname for node in nodes] == [each.qualname for each in seen]
    found = []
    pairs = list(zip(nodes, seen, strict=True))
    for node, call in pairs[:: max(1, len(pairs) // MOST_CALLS)]:
        given = {argument.name.lstrip("*"): argument.value for argument in trace.arguments(node)}
        told = [("before", name, given[name], each) for name, each in call.before.items() if name in given]
        if call.after is not None and node not in trace.segments:
            told += [
                ("after", name, trace.value_at(given[name].identity, trace.end[node]), each)
                for name, each in call.after.items()
                if name in given and each != call.before[name]
            ]
            outcome = trace.outcome(node)
            if outcome.kind == "return" and outcome.value is not None and call.given is not None:
                told.append(("given", "", outcome.value, call.given))
        for when, name, value, each in told:
            if difference := differs(value, each):
                found.append(f"{call.qualname} {when} {name}: {difference}")
    return found


def check(folder: Path) -> None:
    trace = record(folder)
    out = folder.with_name("seen")
    command = [sys.executable, seen_calls.__file__, str(folder / SCRIPT), str(out)]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    subprocess.run(command, check=True, capture_output=True, timeout=300, env=environment)
    found = differences(trace, [Seen(*each) for each in pickle.loads(out.read_bytes())])
    assert not found, "\n".join(found[:20])


# Calls of both runs are matched by `co_qualname`, which Python 3.10 does not have.
needs_qualified_names = pytest.mark.skipif(sys.version_info < (3, 11), reason="code has no qualified name")


@needs_qualified_names
@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - OTHERWISE))
def test_calls_of_a_small_program_are_told_as_they_were(name: str, folder: Path) -> None:
    write(folder, *PROGRAMS[name])
    check(folder)


@needs_qualified_names
@pytest.mark.parametrize("name", sorted(set(library_programs.chosen()) - OTHERWISE))
def test_calls_of_a_module_are_told_as_they_were(name: str, folder: Path) -> None:
    text = library_programs.program(name)
    if text is None:  # modules come and go with the versions of Python
        pytest.skip("this Python has no such module")
    write(folder, text)
    check(folder)


@needs_qualified_names
@pytest.mark.parametrize("name", sorted(set(package_programs.chosen()) - OTHERWISE))
def test_calls_of_a_package_are_told_as_they_were(name: str, folder: Path) -> None:
    if missing := package_programs.write(name, folder):  # what is in packages.txt is installed on demand
        pytest.skip(f"{missing} is not installed")
    check(folder)
