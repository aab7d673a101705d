"""What must be in a relevant slice although it gives no value of its own: it decides where values lie, or whose they are.

In each program the lines that end with `# counts` are in the slice of what `main` gives: with another value there, that
would be another one. Those that end with `# does not` are not.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from slice_cases_arguments import ARGUMENTS
from slice_cases_calls import CALLS
from slice_cases_classes import CLASSES
from slice_cases_closures import CLOSURES
from slice_cases_defaulting import DEFAULTING
from slice_cases_exceptions import EXCEPTIONS
from slice_cases_functions import FUNCTIONS
from slice_cases_iteration import ITERATION
from slice_cases_iterators import ITERATORS
from slice_cases_library_objects import LIBRARY_OBJECTS
from slice_cases_methods import METHODS
from slice_cases_namespaces import NAMESPACES
from slice_cases_not_run import NOT_RUN
from slice_cases_tasks import TASKS
from slice_cases_values import VALUES
from test_slice_kinds import find, record

from algodebug.slicing import Slicer, parse_criterion
from algodebug.slicing.slicer import Slice
from algotrace.trace import Trace

TABLES = (
    ARGUMENTS,
    CALLS,
    CLASSES,
    CLOSURES,
    DEFAULTING,
    EXCEPTIONS,
    FUNCTIONS,
    ITERATION,
    ITERATORS,
    LIBRARY_OBJECTS,
    METHODS,
    NAMESPACES,
    NOT_RUN,
    TASKS,
    VALUES,
)
CASES = {name: text for table in TABLES for name, text in table.items()}
assert len(CASES) == sum(map(len, TABLES)), "programs of one name"


_REMARK = re.compile("  # (counts|does not)$", re.MULTILINE)


def of_result(trace: Trace) -> tuple[Slice, set[int]]:
    """The slice of what `main` gave, and its lines of the program's own file."""
    found = Slicer(trace).relevant(parse_criterion(trace, find(trace, "main"), "result"))
    lines = {
        place[0]
        for number, places in found.ranges.items()
        if trace.sources[number].path.endswith("program.py")
        for place in places
    }
    return found, lines


@pytest.mark.parametrize("name", CASES)
def test_lines_that_decide_are_in_the_slice(name: str, tmp_path: Path) -> None:
    text = CASES[name].lstrip("\n")
    trace = record(tmp_path, _REMARK.sub("", text) + "main()\n")
    reached = Slicer(trace).relevant(parse_criterion(trace, find(trace, "main"), "result"))
    lines = {n for places in reached.ranges.values() for at in places for n in range(at[0], at[2] + 1)}
    wanted = {n for n, line in enumerate(text.split("\n"), 1) if line.endswith("# counts")}
    unwanted = {n for n, line in enumerate(text.split("\n"), 1) if line.endswith("# does not")}
    assert wanted and wanted <= lines and not unwanted & lines


@pytest.mark.parametrize("read", ["Box.log", "Sub.log", "b.log"])
def test_what_a_class_holds_may_change_although_the_class_is_input(tmp_path: Path, read: str) -> None:
    text = (
        "class Box:\n    log = []\nclass Sub(Box):\n    made = 0\ndef main():\n    n = 3\n    b = Sub()\n"
        "    if n > 5:\n        b.log.append(4)\n"
        f"    Box.log.append(n)\n    return list({read})\nmain()\n"
    )
    trace = record(tmp_path, text)
    reached = Slicer(trace).relevant(parse_criterion(trace, find(trace, "main"), "result"), inside=True)
    (places,) = reached.ranges.values()
    assert {6, 8, 10, 11} <= {place[0] for place in places} <= {6, 7, 8, 10, 11}


SHAPES = """
RATE = 3

class Base:
    size = RATE + 1

class Box(Base):
    made = 2
    other = 4
"""


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("from shapes import Box\ndef main():\n    return Box.made\nmain()\n", {8}),
        ("def main():\n    import shapes\n    return shapes.Box().made\nmain()\n", {8}),
        ("def main():\n    from shapes import Box\n    return Box().size\nmain()\n", {2, 4, 5}),
        ("def main():\n    import between\n    return between.Box.made\nmain()\n", {8}),
    ],
    ids=["imported by a module", "by a function", "of a base class", "by a module that a function imports"],
)
def test_an_attribute_of_a_class_of_another_module(tmp_path: Path, program: str, expected: set[int]) -> None:
    (tmp_path / "shapes.py").write_text(SHAPES)
    (tmp_path / "between.py").write_text("from shapes import Box\n")
    trace = record(tmp_path, program)
    found = Slicer(trace).relevant(parse_criterion(trace, find(trace, "main"), "result"))
    (shapes,) = (
        places for number, places in found.ranges.items() if trace.sources[number].path.endswith("shapes.py")
    )
    assert {place[0] for place in shapes} == expected
    assert found.complete


CONFIG = """
SEEN = []
RATE = 1
OTHER = 2
def rate():
    return RATE
def keep(config):
    config.RATE = 4
"""


@pytest.mark.parametrize(
    ("then", "read", "counts"),
    [
        ("config.RATE = 2", "config.RATE", True),
        ("config.RATE = 2", "config.rate()", True),
        ("setattr(config, 'RATE', 2)", "config.rate()", True),
        ("here.RATE = 2", "config.rate()", True),
        ("config.keep(config)", "config.rate()", True),
        ("config.SEEN.append(2)", "len(config.SEEN)", True),
        ("SEEN.append(2)", "len(config.SEEN)", True),
        ("here.SEEN.append(2)", "len(config.SEEN)", True),
        ("config.OTHER = 2", "config.rate()", False),
        ("box.RATE = 2", "config.rate()", False),
    ],
)
@pytest.mark.parametrize("least", [1, 5])
def test_a_variable_of_another_module(tmp_path: Path, then: str, read: str, counts: bool, least: int) -> None:
    (tmp_path / "config.py").write_text(CONFIG)
    program = (
        "import config\nfrom config import SEEN\nclass Box:\n    pass\ndef main():\n    n = 2\n"
        f"    here, box = config, Box()\n    if n > {least}:\n        {then}\n    return {read}\nmain()\n"
    )
    trace = record(tmp_path, program)
    found, lines = of_result(trace)
    assert ({6, 8} <= lines) if counts else not {6, 8, 9} & lines
    assert found.complete and (not counts or least > 2 or 9 in lines)


def test_a_variable_that_hides_a_module(tmp_path: Path) -> None:
    (tmp_path / "config.py").write_text(CONFIG)
    program = (
        "import config\nclass Box:\n    pass\ndef main():\n    n = 2\n    box = Box()\n    box.SEEN = []\n    put(box, n)\n"
        "    return box.SEEN\ndef put(config, n):\n    if n > 5:\n        config.SEEN.append(1)\nmain()\n"
    )
    trace = record(tmp_path, program)
    found = Slicer(trace).relevant(parse_criterion(trace, find(trace, "main"), "result"))
    assert {5, 8, 11} <= {place[0] for places in found.ranges.values() for place in places}


def test_a_module_that_was_chosen(tmp_path: Path) -> None:
    (tmp_path / "config.py").write_text(CONFIG)
    (tmp_path / "other.py").write_text("RATE = 1\n")
    program = "import config, other\ndef main():\n    n = 2\n    (config if n > 5 else other).RATE = 3\n    return config.rate()\nmain()\n"
    trace = record(tmp_path, program)
    found = Slicer(trace).relevant(parse_criterion(trace, find(trace, "main"), "result"))
    assert {3, 4} <= {place[0] for places in found.ranges.values() for place in places}


MORE = """
MADE, COUNT = [], 0
class Box:
    def put(self, n):
        self.n = n
def put(items, n):
    items.append(n)
def count():
    global COUNT
    COUNT += 1
def give(items):
    yield items.append(3)
"""


@pytest.mark.parametrize(
    ("then", "read"),
    [
        ("hold(xs, n)", "xs"),
        ("hand(xs)", "xs"),
        ("step()", "more.COUNT"),
        ("list(each(xs))", "xs"),
        ("b.put(4)", "b.n"),
    ],
)
def test_a_function_that_is_imported_by_another_name(tmp_path: Path, then: str, read: str) -> None:
    (tmp_path / "more.py").write_text(MORE)
    program = (
        "import more\nfrom more import Box as Case, put as hold\nfrom more import (\n    count as step,\n    give as each,\n)\n"
        "def hand(xs):\n    hold(xs, 3)\ndef main():\n    n = 2\n    xs, b = [], Case()\n    b.put(1)\n"
        f"    if n > 5:\n        {then}\n    return {read}\nmain()\n"
    )
    trace = record(tmp_path, program)
    _, lines = of_result(trace)
    assert {10, 13} <= lines
