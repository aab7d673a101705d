"""Completeness of relevant slices by force, of programs of any kind: what no slice has at its place does not matter.

All evaluations of the small programs are tried; of modules of Python's library and of packages so many places as
`FORCED_PLACES` says. All slices of a package may take `SLICE_SECONDS`; one that says that it is incomplete is believed. `PYTHONHASHSEED=0`
gives the forced runs the order of sets that was recorded.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import library_programs
import package_programs
import pytest
from forced_classes import CLASSES
from forced_constructs import CONSTRUCTS
from forced_containers import CONTAINERS
from forced_control import CONTROL, SINCE_3_11
from forced_iterators import ITERATORS
from forced_library_objects import LIBRARY_OBJECTS
from forced_modules import MODULES
from forced_programs import counterexamples, record, sliced
from forced_runs import ForcedProgram, write
from forced_settings import SETTINGS
from forced_special_methods import SPECIAL_METHODS

TABLES = (CLASSES, CONSTRUCTS, CONTAINERS, CONTROL, ITERATORS, LIBRARY_OBJECTS, SETTINGS, SPECIAL_METHODS)
PROGRAMS = {name: (text.strip("\n"), {}) for table in TABLES for name, text in table.items()} | MODULES
assert len(PROGRAMS) == sum(map(len, (*TABLES, MODULES))), "programs of one name"
PLACES = int(os.environ.get("FORCED_PLACES", "40"))
SECONDS = float(os.environ.get("SLICE_SECONDS", "60"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_outside_of_the_slices_of_a_small_program_does_not_matter(name: str, folder: Path) -> None:
    if name in SINCE_3_11 and sys.version_info < (3, 11):  # `except*`, notes, `asyncio.TaskGroup`
        pytest.skip("this Python cannot run it")
    write(folder, *PROGRAMS[name])
    program = ForcedProgram(folder)
    found = sliced(record(folder), folder, len(program.expected))
    assert not found.failed and not any(found.incomplete)
    examples = counterexamples(program, found)
    assert not examples, "\n".join(map(str, examples))


@pytest.mark.parametrize("name", library_programs.chosen())
def test_what_is_outside_of_the_slices_of_a_module_does_not_matter(name: str, folder: Path) -> None:
    text = library_programs.program(name)
    if text is None:  # modules come and go with the versions of Python
        pytest.skip("this Python has no such module")
    write(folder, text)
    program = ForcedProgram(folder)
    found = sliced(record(folder), folder, len(program.expected))
    assert not found.failed
    examples = counterexamples(program, found, PLACES)
    assert not examples, "\n".join(map(str, examples))


@pytest.mark.parametrize("name", package_programs.chosen())
def test_what_is_outside_of_the_slices_of_a_package_does_not_matter(name: str, folder: Path) -> None:
    is_fixed = os.environ.get("PYTHONHASHSEED") == "0"
    assert is_fixed or name in package_programs.SHORT, (
        "with other hashes other code may run than was recorded"
    )
    if missing := package_programs.write(name, folder):  # what is in packages.txt is installed on demand
        pytest.skip(f"{missing} is not installed")
    program = ForcedProgram(folder)
    found = sliced(record(folder), folder, len(program.expected), SECONDS)
    assert not found.failed
    if all(found.incomplete):  # nothing is promised then that force could refute
        pytest.skip(
            f"no slice is complete: {', '.join(sorted({why for each in found.incomplete for why in each}))}"
        )
    examples = [each for each in counterexamples(program, found, PLACES) if each.is_complete]
    assert not examples, "\n".join(map(str, examples))
