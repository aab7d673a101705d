"""Which keys a defaultdict had: reading an item may store one, which is no recorded write."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import find, record

CASES = {
    "values that were changed in place": (
        "d = defaultdict(list)\n    for w in 'a', 'bb', 'c': d[len(w)].append(w)",
        ("defaultdict({1: ['a', 'c'], 2: ['bb']})", True),
    ),
    "values that were added to": (
        "d = defaultdict(int)\n    for w in 'a', 'bb', 'c': d[len(w)] += 1",
        ("defaultdict({1: 2, 2: 1})", True),
    ),
    "read, then stored": (
        "d = defaultdict(int)\n    for w in 'a', 'bb': d[len(w)] = d[len(w)] + 1",
        ("defaultdict({1: 1, 2: 1})", True),
    ),
    "only read, another one stored later": (
        "d = defaultdict(int)\n    d[5]\n    d[6] = 1",
        ("defaultdict({5: 0, 6: 1})", True),
    ),
    "only read": ("d = defaultdict(int)\n    d[6] = 1\n    d[5]", ("defaultdict({6: 1, 5: 0})", False)),
    "gone in between": (
        "d = defaultdict(int)\n    d[6] = 1\n    d[5]\n    del d[6]\n    d[6] = 2",
        ("defaultdict({5: 0, 6: 2})", True),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_keys_are_certain_as_far_as_something_tells(name: str, tmp_path: Path) -> None:
    body, expected = CASES[name]
    trace = record(
        tmp_path, f"from collections import defaultdict\ndef f():\n    {body}\n    return d\nf()\n"
    )
    value = trace.call(find(trace, "f")).outcome.value
    assert value is not None
    assert (value.text().text, value.certain) == expected


def test_what_came_after_a_later_store_was_not_there_earlier(tmp_path: Path) -> None:
    program = """
    from collections import defaultdict
    def f(): return defaultdict(list)
    d = f()
    d[1].append(2)
    d[7]
    """
    trace = record(tmp_path, program)
    value = trace.call(find(trace, "f")).outcome.value
    assert value is not None
    assert (value.text().text, value.certain) == ("defaultdict({})", True)


def test_what_was_read_later_is_not_certain_earlier(tmp_path: Path) -> None:
    program = """
    from collections import defaultdict
    def f():
        d = defaultdict(list)
        d[1].append(2)
        return d
    f()[7]
    """
    trace = record(tmp_path, program)
    value = trace.call(find(trace, "f")).outcome.value
    assert value is not None and not value.certain
