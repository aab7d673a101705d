"""Attributes of classes are state like any other: what a call changed of them is told as it was and as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import changes, find, record

PROGRAM = """
class Counter:
    count = 0
    def __init__(self):
        Counter.count += 1
    @classmethod
    def reset(cls):
        cls.count = 0
class Sub(Counter):
    pass
def of_subclass(n):
    Sub.count = n
def named(cls, n):
    setattr(cls, "tag", n)
def dropped():
    del Sub.count
def local():
    class Local:
        x = 1
    Local.x = 2
    return Local.x
def main():
    Counter()
    Counter()
    Counter.reset()
    of_subclass(7)
    named(Sub, "a")
    named(Sub, "b")
    dropped()
    local()
    Counter()
main()
"""
CHANGES = [
    ("Counter.__init__", 0, {"Counter.count": ("0", "1")}),
    ("Counter.__init__", 1, {"Counter.count": ("1", "2")}),
    ("Counter.reset", 0, {"cls.count": ("2", "0")}),
    ("of_subclass", 0, {"Sub.count": (None, "7")}),
    ("named", 0, {"cls.tag": (None, "'a'")}),
    ("named", 1, {"cls.tag": ("'a'", "'b'")}),
    ("dropped", 0, {"Sub.count": ("7", None)}),
    ("local", 0, {}),
    ("Counter.__init__", 2, {"Counter.count": ("0", "1")}),
    ("main", 0, {"Counter.count": ("0", "1"), "cls.tag": (None, "'b'")}),
]


@pytest.mark.parametrize("options", [(), ("--spill-events", "10")], ids=["in memory", "spilled"])
def test_what_a_call_changed_of_a_class(options: tuple[str, ...], tmp_path: Path) -> None:
    trace = record(tmp_path, PROGRAM, *options)
    for name, occurrence, expected in CHANGES:
        assert changes(trace, find(trace, name, occurrence)) == expected, (name, occurrence)
