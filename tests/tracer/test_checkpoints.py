"""States had from checkpoints are those had from the end, in whatever order they are asked for, and for few steps each."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from recorded import record, run
from test_states import program

from algotrace import checkpoints, written
from algotrace.content import Content
from algotrace.trace import Trace

LONG_LIVED = """
import random
class Box: pass
def work(seed):
    chance = random.Random(seed)
    items, table, members, box, text = list(range(9)), dict.fromkeys("abc"), {1, 2}, Box(), bytearray(b"abc")
    for n in range(300):
        k = chance.randrange(9)
        try:
            chance.choice((
                lambda: items.__setitem__(k, n), lambda: items.append(n), lambda: items.pop(k), lambda: items.sort(),
                lambda: table.__setitem__(k, n), lambda: table.pop(k), lambda: table.update({k: n, "z": n}),
                lambda: members.add(k), lambda: members.discard(k), lambda: text.append(k), lambda: text.__setitem__(k, n % 256),
            ))()
            items[k - 4] = n
            table[k] = n
            if n % 7 == 0: del table[k]
            setattr(box, "xyz"[k % 3], n)
            box.v = n
            if n % 5 == 0: del box.v
        except (IndexError, KeyError, AttributeError):
            pass
    return items, table, members, box, text
"""


def told(content: Content) -> tuple[object, ...]:
    # (as lists: the order of keys counts)
    return (
        content.kind, content.items, list(content.pairs.items()), list(content.attributes.items()), content.text,
        content.certain,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(int(os.environ.get("ALGODEBUG_STATES", "12"))))
def test_they_are_those_had_from_the_end(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "_STRIDE", 2)
    monkeypatch.setattr(checkpoints, "_MOST_WEIGHT", 2000)
    text = program(seed, 150) if seed % 2 else f"{LONG_LIVED}\nwork({seed})"
    process, path, _ = run(tmp_path, text)
    assert process.returncode == 0, process.stderr
    trace = Trace.open(path)
    places = [
        (number, position)
        for number in trace.objects_written()
        if number
        for position in range(len(trace.writes_of(number)))
    ]
    random.Random(seed).shuffle(places)
    found = 0
    for number, position in places:
        writes = trace.writes_of(number)
        content = trace._checkpoints.before(number, writes, position)
        if content is not None:
            from_end = trace.final_content(number)
            trace._take_back(from_end, number, writes, position, len(writes))
            assert told(content) == told(from_end), (number, position)
            found += 1
    assert found > (100 if seed % 2 == 0 else 0)


def test_each_is_had_in_few_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "items = list(range(1000))\nfor n in range(4000): items[n * 7 % 1000] = -n"
    trace = record(tmp_path, text)
    number = next(number for number in trace.objects_written() if len(trace.writes_of(number)) == 4000)
    steps = 0
    undo = written.undo

    def counted(*arguments: object) -> None:
        nonlocal steps
        steps += 1
        undo(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(written, "undo", counted)
    for time in trace.writes_of(number).times:
        trace.content(number, time)
    assert steps < 4000 * 40  # from the end it would be 1000 for most
