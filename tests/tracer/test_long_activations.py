"""Of an activation that ran very long the first and the last marks are looked at: the code executed is the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import find, record

from algotrace import executed

PROGRAMS = {
    "a branch taken in the middle alone": """
        def f():
            total = 0
            for number in range(300):
                if number == 150:
                    total += 1
                elif number == 400:
                    total += 2
                else:
                    total += 3
            return total
        f()
        """,
    "stopped in the middle of a loop": """
        def f():
            number = 0
            while True:
                number += 1
                if number == 200:
                    continue
                if number == 300:
                    raise KeyboardInterrupt
                number = number
            return number
        try:
            f()
        except KeyboardInterrupt:
            pass
        """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_executed_code_of_a_long_activation_is_told_in_short(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = record(tmp_path, PROGRAMS[name])
    node = find(trace, "f")
    whole = executed.executed_spans(trace, node)
    monkeypatch.setattr(executed, "_MOST_MARKS", 60)
    monkeypatch.setattr(executed, "_LAST", 30)
    looked = sum(1 for _ in executed._marks_looked_at(trace, node, {}))
    assert looked < sum(1 for _ in executed.own_marks(trace, node)) / 2
    assert executed.executed_spans(trace, node) == whole
