"""What is kept from call to call is what would be found anew for each, in whatever order they are looked at."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from recorded import record, run
from test_states import program

from algotrace.sharing import InReach
from algotrace.trace import Trace

BANK = """
import random
class Account:
    def __init__(self, name):
        self.name, self.balance, self.history = name, 100, []
    def move(self, n, bank):
        self.balance += n
        if n % 3 == 0: self.history.append([n])
        if n % 11 == 0: bank.accounts.pop((self.name + 1) % 20, None)
        if n % 13 == 0: bank.accounts[n % 20] = self
        return self.history if n % 2 else bank
class Key:
    def __init__(self): self.seen = []
class Bank:
    def __init__(self):
        self.accounts, self.keys = {n: Account(n) for n in range(20)}, {Key(): [n] for n in range(3)}
        self.other, self.first = self.accounts, self.accounts[0]
    def move(self, n):
        for key in self.keys: key.seen.append(n)
        if n % 5 == 0: self.other = dict(self.other)
        return self.accounts.get(n % 20, self.first).move(n, self)
def main():
    bank, moved = Bank(), []
    for n in range(80): moved.append(bank.move(n * 7))
    return moved
main()
"""


def told(trace: Trace, node: int) -> tuple[list[str], list[str]]:
    changes = trace.call(node).changes
    return [shared.text() for shared in trace.sharing(node)], [change.target for change in changes]


@pytest.mark.parametrize("seed", range(int(os.environ.get("ALGODEBUG_STATES", "6"))))
def test_calls_are_told_as_if_each_were_looked_at_alone(seed: int, tmp_path: Path) -> None:
    process, path, _ = run(tmp_path, program(seed, 100) if seed % 2 else BANK)
    assert process.returncode == 0, process.stderr
    kept, fresh = Trace.open(path), Trace.open(path)
    nodes = list(range(1, len(kept.parent)))
    if seed % 4 >= 2:
        random.Random(seed).shuffle(nodes)
    for node in nodes[:250]:
        vars(fresh).pop("in_reach", None)
        vars(fresh).pop("paths_to", None)
        assert told(kept, node) == told(fresh, node), kept.call(node)


def test_what_did_not_change_is_not_gone_through_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = record(
        tmp_path,
        """
        class Box:
            def __init__(self): self.value, self.items = 0, []
            def put(self, n): self.value = n
        class Shelf:
            def __init__(self): self.boxes = [Box() for _ in range(100)]
            def put(self, n): self.boxes[n % 100].put(n)
        shelf = Shelf()
        for n in range(200): shelf.put(n)
        """,
    )
    gone_through = 0
    steps = InReach._steps

    def counted(self: InReach, number: int, time: int) -> object:
        nonlocal gone_through
        gone_through += 1
        return steps(self, number, time)

    monkeypatch.setattr(InReach, "_steps", counted)
    puts = [node for node in range(len(trace.parent)) if trace.routines[trace.routine[node]].name == "put"]
    assert len(puts) == 400
    for node in puts:
        trace.sharing(node)
    assert gone_through < 10 * len(puts)  # each time anew it would be 200 for half of them
