"""How the work of a slice grows with the writes into one container that is read again and again: as they do, not as
their square."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_slice_completeness import of_result
from test_slice_kinds import record

from algodebug.slicing.covered import Covered
from algodebug.slicing.graph import Graph

PROGRAMS = {
    "a dict whose values are summed": """
def main():
    d, t = {}, 0
    for i in range(COUNT):
        d[i % 9] = i
        t += sum(d.values())
    return t
""",
    "a list whose largest item is wanted": """
def main():
    xs, t = [0] * 9, 0
    for i in range(COUNT):
        xs[i % 9] = i + t % 3
        t = max(xs)
    return t
""",
    "a set that is asked for members": """
def main():
    seen, t, x = set(), 0, 1
    for i in range(COUNT):
        x = x * 7 % 9973
        if x not in seen:
            seen.add(x)
            t += 1
    return t
""",
    "a queue of tuples": """
from collections import deque
def main():
    q, out = deque([(0, 1)]), []
    while q and len(out) < COUNT:
        a, b = q.popleft()
        out.append(a)
        q.append((a + 1, b))
        if b < 9:
            q.append((a, b + 1))
    return out[-1]
""",
    "a dict whose size is asked for": """
def main():
    d, t = {}, 0
    for i in range(COUNT):
        d[i] = i
        if i % 4 == 0:
            d.pop(i - 3, 0)
        t += len(d)
    return t
""",
}


def steps(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often the slice of what `main` gave looks at a demand, at a write, or for writes that went elsewhere."""
    trace = record(folder, text.lstrip("\n") + "main()\n")
    taken = 0

    def counted(method: Any) -> Any:
        def count(*arguments: Any, **named: Any) -> Any:
            nonlocal taken
            taken += 1
            return method(*arguments, **named)

        return count

    with monkeypatch.context() as patch:
        for owner, name in ((Graph, "expand"), (Graph, "write"), (Covered, "rest")):
            patch.setattr(owner, name, counted(getattr(owner, name)))
        found, _ = of_result(trace)
    assert found.complete
    return taken


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_steps_grow_as_the_writes_do(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = (
        steps(tmp_path, PROGRAMS[name].replace("COUNT", str(count)), monkeypatch) for count in (60, 240)
    )
    assert many < 5.5 * few  # four times as many writes
