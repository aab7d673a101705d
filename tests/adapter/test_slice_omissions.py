"""What was not done, and should have been, is bright too: the test that kept it from happening."""

from __future__ import annotations

from pathlib import Path

from test_slice_kinds import find, record

from algodebug.slicing import bright_and_faint

PROGRAM = """
class Counter:
    def __init__(self):
        self.total = 0
        self.log = []
    def add(self, n):
        seen = []
        if n > 3:
            seen.append(n)
        self.total += n
        if n > 3:
            self.log.append(n)
        return self.total
def main():
    c = Counter()
    c.add(1)
    return c.total
print(main())
"""


def test_a_test_that_kept_an_effect_from_happening_is_bright(tmp_path: Path) -> None:
    trace = record(tmp_path, PROGRAM)
    bright, faint = bright_and_faint(trace, find(trace, "Counter.add"))
    assert {span.line for span in bright} == {9, 10, 12}
    assert {span.line for span in faint} == {6, 7}  # what only a local list would have got


def test_with_a_mark_other_effects_do_not_count(tmp_path: Path) -> None:
    trace = record(tmp_path, PROGRAM)
    bright, _ = bright_and_faint(trace, find(trace, "Counter.add"), "result")
    assert {span.line for span in bright} == {9, 12}
