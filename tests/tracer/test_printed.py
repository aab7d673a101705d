"""What a call printed, read back from the trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import find, record

from algotrace.printed import lines, printed_by

CASES = {
    "separator, end, unpacking": ("print(1, *[2.5, 's'], sep=', ', end='!\\n')", "1, 2.5, s!\n", True),
    "nothing": ("print()", "\n", True),
    "containers and a recorded __str__": ("print(P(3), [1, 'a'], (2,))", "P<3> [1, 'a'] (2,)\n", True),
    "an exception": ("try: int('x')\n    except ValueError as e: print(e)", None, True),
    "a separator known only then": ("print(1, 2, sep=str())", "1 2\n", False),
    "to a file": ("print(1, file=sys.stderr)", "", True),
    "to the output by name": ("print(1, 2, file=sys.stdout)", "1 2\n", True),
    "written": ("sys.stdout.write('a'); sys.stdout.write(f'{1:02}\\n')", "a01\n", True),
    "in a comprehension": ("[print(i, end=' ') for i in (1, 2)]", "1 2 ", True),
    "in a generator expression": ("any(print(i) for i in range(2))", "0\n1\n", True),
    "by what it calls": ("inner()", "deep\n", True),
    "by a generator": ("list(gen())", "0\n1\n", True),
    "where no temporaries can be": ("locals(); print('x', 3)", "x 3\n", True),
    "a class without one": ("print(sys.flags)", None, False),
}
PROGRAM = """
import sys
class P:
    def __init__(self, x): self.x = x
    def __str__(self): return f"P<{{self.x}}>"
def inner(): print("deep")
def gen():
    for i in range(2):
        print(i)
        yield i
def show():
    {0}
show()
"""


@pytest.mark.parametrize("name", CASES)
def test_what_a_call_printed_is_read_back(name: str, tmp_path: Path) -> None:
    statement, expected, certain = CASES[name]
    trace = record(tmp_path, PROGRAM.format(statement))
    printed = trace.call(find(trace, "show")).printed
    if expected == "":
        assert printed is None
        return
    assert printed is not None
    assert printed.certain == certain
    if expected is not None:
        assert printed.text == expected
    elif certain:
        assert printed.text == "invalid literal for int() with base 10: 'x'\n"
    root = trace.call(0).printed
    assert root is not None and root.text == printed.text


def test_lines_know_which_value_each_character_came_from(tmp_path: Path) -> None:
    program = """
    import sys
    def show(x):
        print("x", end=" = ")
        sys.stdout.write(f"{x}")
        print()
        print()
        print("two\\nlines", x, sep="|")
    print("first", end="")
    show(3)
    print("unfinished", end="")
    """
    trace = record(tmp_path, program)
    shown = list(lines(trace, 0))
    assert [line.text for line in shown] == ["firstx = 3", "", "two", "lines|3", "unfinished"]
    assert all(line.certain for line in shown)
    assert [(p.part, shown[0].text[p.start : p.end]) for p in shown[0].pieces] == [
        (0, "first"),
        (0, "x"),
        (-1, " = "),
        (0, "3"),
    ]
    assert [(p.part, p.start, p.end) for p in shown[3].pieces] == [(0, 0, 5), (-1, 5, 6), (1, 6, 7)]
    assert len(shown[1].pieces) == 1
    assert [line.text for line in lines(trace, find(trace, "show"))] == ["x = 3", "", "two", "lines|3"]


def test_what_was_printed_in_a_stretch_of_time(tmp_path: Path) -> None:
    trace = record(tmp_path, "for i in range(4):\n    print(i)\n")
    times = trace.print_times
    assert printed_by(trace, 0, times[1], times[3]) == ("1\n2\n", True, 0)
    assert printed_by(trace, 0, times[3] + 1) is None


def test_a_function_of_the_program_that_is_called_print_prints_nothing(tmp_path: Path) -> None:
    trace = record(tmp_path, "def print(*args): return args\ndef show(): print('x')\nshow()")
    assert trace.call(find(trace, "show")).printed is None
