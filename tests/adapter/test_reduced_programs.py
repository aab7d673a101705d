"""Reduced programs: run before they are offered, enlarged until they give the values, for one and for several values."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from recorded_programs import find, record

import algotrace
from algodebug.reduced_program import NotReproduced, Reduced, reduced_program
from algodebug.slicing import Criterion, parse_criterion
from algodebug.slicing.executable import ELEMENTS, EVERYTHING
from algotrace.trace import Trace

ALGODEBUG = [sys.executable, "-m", "algodebug.cli"]
ENTRY = Path(algotrace.__file__).with_name("__main__.py")

PROGRAM = """
import json
from dataclasses import dataclass
LIMIT = 2
@dataclass
class Item:
    name: str
    price: int
    def label(self):
        return f"{self.name}!"
class Stock(list):
    def __init__(self, *items):
        super().__init__(items)
        self.seen = 0
    def total(self):
        self.seen += 1
        return sum(item.price for item in self)
def numbers(n):
    for i in range(n):
        if i > LIMIT:
            return
        yield i * i
def risky(d, key):
    try:
        value = d[key]
    except KeyError as error:
        value = f"no {error.args[0]}"
    else:
        value = value * 2
    finally:
        d["tried"] = True
    return value
def counter():
    n = 0
    def step(by=1):
        nonlocal n
        n += by
        return n
    return step
def noise():
    return json.dumps({"a": [1, 2]})
def main():
    stock = Stock(Item("tea", 3), Item("milk", 4))
    noise()
    step = counter()
    step()
    table = {"a": 1}
    found = [risky(table, "a"), risky(table, "b")]
    print("total", stock.total())
    print("label", stock[1].label(), end="; ")
    print("squares", list(numbers(9)))
    print(noise())
    return stock.total(), found, list(numbers(2)), step(4), table
main()
"""
CASES = {
    "a sum over objects": (["1:result[0]"], ["counter", "numbers", "risky", "noise", "label"], "total"),
    "an exception that was caught": (["1:result[1][1]"], ["Stock", "numbers", "counter"], "except KeyError"),
    "a generator": (["1:result[2]"], ["Stock", "counter", "risky"], "yield"),
    "a closure": (["1:result[3]"], ["Stock", "numbers", "risky"], "nonlocal n"),
    "a changed dict": (["1:result[4]"], ["Stock", "numbers", "counter"], "tried"),
    "a line of output": (["0:printed[0]"], ["numbers", "risky", "counter", "noise"], "total"),
    "a part of a line": (["0:printed[1][:12]"], ["counter", "risky"], "label"),
    "two values": (["1:result[0]", "1:result[3]"], ["numbers", "risky", "noise"], "nonlocal n"),
    "an argument": (["2:argument self"], ["noise", "numbers"], "Stock"),
    "a line and a result": (["0:printed[0]", "1:result[2]"], ["counter", "risky"], "yield"),
}


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return record(tmp_path_factory.mktemp("reduced"), PROGRAM)


def criterion(trace: Trace, text: str) -> Criterion:
    node, _, mark = text.partition(":")
    return parse_criterion(trace, int(node), mark)


@pytest.mark.parametrize("name", CASES)
def test_what_a_value_does_not_need_is_gone(trace: Trace, name: str) -> None:
    marks, gone, kept = CASES[name]
    found = reduced_program(trace, [criterion(trace, mark) for mark in marks])
    assert found.level <= ELEMENTS and found.size < 1
    assert not [word for word in gone if f"def {word}" in found.text or f"class {word}" in found.text]
    assert kept in found.text


def test_a_printed_line_is_the_output(trace: Trace, tmp_path: Path) -> None:
    found = reduced_program(trace, [criterion(trace, "0:printed[0]")])
    assert output(found, tmp_path) == "total 7\n"


def output(found: Reduced, folder: Path) -> str:
    for path, text in found.files.items():
        (folder / Path(path).name).write_text(text)
    done = subprocess.run(
        [sys.executable, folder / Path(found.file).name], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_modules_are_reduced_together(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text(
        "import math\nBASE = 10\ndef used(x):\n    return x + BASE\ndef unused(x):\n    return math.sqrt(x)\n"
    )
    trace = record(tmp_path, "import helper\nprint(helper.unused(4))\nprint(helper.used(1))\n")
    found = reduced_program(trace, [parse_criterion(trace, 0, "printed[1]")])
    helper = next(text for path, text in found.files.items() if path.endswith("helper.py"))
    assert "unused" not in helper and "BASE = 10" in helper
    again = tmp_path / "again"
    again.mkdir()
    (again / "program.py").write_text(found.text)
    (again / "helper.py").write_text(helper)
    done = subprocess.run([sys.executable, again / "program.py"], capture_output=True, text=True)
    assert done.stdout == "11\n"


def test_arguments_of_the_program_and_files_beside_it_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("5\n")
    (tmp_path / "p.py").write_text(
        "import sys\nother = 1\nwith open('data.txt') as file:\n    n = int(file.read())\nprint(n * int(sys.argv[1]))\n"
    )
    trace = tmp_path / "t.algotrace"
    command = [sys.executable, str(ENTRY), "--quiet", "--trace", str(trace), "p.py", "3"]
    subprocess.run(command, check=True, cwd=tmp_path, capture_output=True)
    opened = Trace.open(trace)
    found = reduced_program(opened, [parse_criterion(opened, 0, "printed[0]")])
    assert "other" not in found.text


def test_a_call_in_a_test_run_is_reduced_with_its_test(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "calc.py").write_text("def add(a, b):\n    return a - b\n\ndef other():\n    return 1\n")
    (tmp_path / "tests" / "test_calc.py").write_text(
        "from calc import add\nunused = 1\ndef test_add():\n    assert add(1, 2) == 3\n"
    )
    trace = tmp_path / "t.algotrace"
    command = [sys.executable, str(ENTRY), "--quiet", "--trace", str(trace), "-m", "pytest", "-q", "tests"]
    subprocess.run(command, cwd=tmp_path, capture_output=True)
    opened = Trace.open(trace)
    found = reduced_program(opened, [parse_criterion(opened, find(opened, "add"), "result")])
    assert found.text == "def add(a, b):\n    return a - b\n"
    assert [Path(path).name for path in found.files] == ["test_calc.py", "calc.py"]
    assert "unused" not in next(iter(found.files.values()))


def test_a_program_that_gives_another_value_each_time_is_not_offered(tmp_path: Path) -> None:
    trace = record(tmp_path, "import time\nprint(time.time_ns())\n")
    with pytest.raises(NotReproduced, match="does not give the same"):
        reduced_program(trace, [parse_criterion(trace, 0, "printed[0]")])


def test_one_that_never_ends_is_ended(tmp_path: Path) -> None:
    program = """
    import os, time
    n = 1
    while os.path.exists("once"):
        time.sleep(0.1)
        n += 1
    open("once", "w").close()
    print(n)
    """
    trace = record(tmp_path, program)
    with pytest.raises(NotReproduced, match="takes more than"):
        reduced_program(trace, [parse_criterion(trace, 0, "printed[0]")], seconds=2, least=0.4)


def test_the_whole_program_is_the_last_resort(tmp_path: Path) -> None:
    # What is printed depends on the text of the program itself.
    program = "import sys\nunused = 1\ndef f():\n    return len(open(__file__).read())\nprint(f())\n"
    trace = record(tmp_path, program)
    found = reduced_program(trace, [parse_criterion(trace, 0, "printed[0]")])
    assert found.level == EVERYTHING and found.text == program


# -- the command


def test_the_command_writes_a_reduced_program(trace: Trace, tmp_path: Path) -> None:
    target = tmp_path / "small.py"
    command = [*ALGODEBUG, "slice", str(trace.path), "--executable", "-o", str(target)]
    done = subprocess.run([*command, "--mark", "printed[0]"], capture_output=True, text=True, check=True)
    assert "it was run and gives the same" in done.stdout
    ran = subprocess.run([sys.executable, target], capture_output=True, text=True, check=True)
    assert ran.stdout == "total 7\n"


def test_the_command_takes_several_values_of_several_calls(trace: Trace) -> None:
    command = [*ALGODEBUG, "slice", str(trace.path), "--executable", "--json", "--mark", "printed[0]"]
    done = subprocess.run([*command, "--mark", "1:result[3]"], capture_output=True, text=True, check=True)
    body = json.loads(done.stdout)["slice"]
    assert body["marks"] == ["printed[0]", "1:result[3]"] and body["lines"] < body["of_lines"]
    assert "nonlocal n" in body["program"] and "total" in body["program"] and "risky" not in body["program"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--mark", "printed[0]", "--mark", "printed[1]"], "several marks are for an executable slice"),
        (["--executable", "--mark", "printed[9]"], "there is no line 9"),
        (["--executable", "--mark", "99:result"], "there is no node 99"),
    ],
)
def test_the_command_says_what_cannot_be(trace: Trace, arguments: list[str], message: str) -> None:
    command = [*ALGODEBUG, "slice", str(trace.path), *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 65 and message in json.loads(done.stdout)["error"]


def test_without_a_node_a_mark_is_of_the_program(trace: Trace) -> None:
    command = [*ALGODEBUG, "slice", str(trace.path), "--mark", "printed[0]", "--json"]
    body = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["slice"]
    assert body["node"] == 0 and find(trace, "Stock.total") in body["nodes"]
    assert find(trace, "counter") not in body["nodes"]
