"""Completeness of relevant slices by force, of programs of any kind: what no slice has at its place does not matter.

All evaluations of the small programs are tried; of modules of Python's library so many places as `FORCED_PLACES` says.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import library_programs
import pytest
from forced_classes import CLASSES
from forced_constructs import CONSTRUCTS, SINCE_3_11
from forced_containers import CONTAINERS
from forced_iterators import ITERATORS
from forced_library_objects import LIBRARY_OBJECTS
from forced_programs import ForcedProgram, counterexamples, record, sliced
from forced_settings import SETTINGS
from forced_special_methods import SPECIAL_METHODS

TABLES = (CLASSES, CONSTRUCTS, CONTAINERS, ITERATORS, LIBRARY_OBJECTS, SETTINGS, SPECIAL_METHODS)
PROGRAMS = {name: text.strip("\n") for table in TABLES for name, text in table.items()}
assert len(PROGRAMS) == sum(map(len, TABLES)), "programs of one name"
PLACES = int(os.environ.get("FORCED_PLACES", "40"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_outside_of_the_slices_of_a_small_program_does_not_matter(name: str, tmp_path: Path) -> None:
    if name in SINCE_3_11 and sys.version_info < (3, 11):
        pytest.skip("this Python cannot run it")
    program = ForcedProgram(PROGRAMS[name])
    found = sliced(record(tmp_path, program.text), len(program.expected))
    assert not found.failed and not any(found.incomplete)
    examples = counterexamples(program, found)
    assert not examples, "\n".join(map(str, examples))


@pytest.mark.parametrize("name", library_programs.chosen())
def test_what_is_outside_of_the_slices_of_a_module_does_not_matter(name: str, tmp_path: Path) -> None:
    text = library_programs.program(name)
    if text is None:  # modules come and go with the versions of Python
        pytest.skip("this Python has no such module")
    program = ForcedProgram(text)
    found = sliced(record(tmp_path, text), len(program.expected))
    assert not found.failed
    examples = counterexamples(program, found, PLACES)
    assert not examples, "\n".join(map(str, examples))
