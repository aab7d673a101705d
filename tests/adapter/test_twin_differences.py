"""Where two versions of a routine differ: statements, heads of loops and branches, gaps between statements."""

from __future__ import annotations

import ast
import textwrap

import pytest

from algodebug.oracles.twin_code import Twin
from algodebug.oracles.twin_differences import Difference, differences

RECORDED = """
a = 1
for x in xs:
    b = x
    if b > 2:
        c = b
    else:
        c = 0
    total += c
try:
    d = f(a)
except ValueError:
    d = None
return d
"""


def told(difference: Difference) -> tuple[str, int | None, int | None]:
    kind = "gap" if difference.gap else "head" if difference.head else "statement"
    first, last = difference.first, difference.last
    return kind, None if first is None else first.lineno, None if last is None else last.lineno


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a = 1", "a = 1", []),
        ("a = 1", "a = 2", [("statement", 1, 1)]),
        ("for x in xs:", "for x in xs[1:]:", [("head", 2, 2)]),
        ("    if b > 2:", "    if b >= 2:", [("head", 4, 4)]),
        ("        c = 0", "        c = 1", [("statement", 7, 7)]),
        ("d = None", "d = 3", [("statement", 12, 12)]),
        ("except ValueError:", "except KeyError:", [("head", 9, 9)]),
        ("a = 1", "start()\na = 1", [("gap", None, 1)]),
        ("    total += c", "    total += c\n    log(total)", [("gap", 8, None)]),
        ("for x in xs:", "check(a)\nfor x in xs:", [("gap", 1, 2)]),
        ("a = 1\n", "", [("statement", 1, 1)]),
    ],
)
def test_differences(old: str, new: str, expected: list[tuple[str, int | None, int | None]]) -> None:
    text = RECORDED.strip()
    suites = [
        ast.parse("def f():\n" + textwrap.indent(version, "    ")).body[0].body  # type: ignore[attr-defined]
        for version in (text, text.replace(old, new, 1))
    ]
    for statement in ast.walk(ast.Module(suites[0], [])):
        if hasattr(statement, "lineno"):
            statement.lineno -= 1
    assert [told(each) for each in differences(Twin(*suites))] == expected
