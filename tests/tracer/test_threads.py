"""What several threads do to one object is told in the order in which it happened, or said to be not certain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from recorded import run
from watched_states import HEAD, looks, state

from algotrace.trace import Trace

ORDERED = {
    "one after the other": """
xs = []
def work(n):
    for i in range(3):
        xs.append((n, i))
look(xs)
for n in range(3):
    thread = threading.Thread(target=work, args=(n,))
    thread.start()
    thread.join()
    look(xs)
xs.append(5); look(xs)
""",
    "an object of its own": """
class Worker(threading.Thread):
    def __init__(self, box):
        super().__init__()
        self.box = box
    def run(self):
        look(self.box)
        for i in range(3):
            self.box.count += 1
            self.box.items.append(i)
        look(self.box)
class Box:
    def __init__(self):
        self.items = []
        self.count = 0
box = Box(); look(box)
worker = Worker(box)
worker.start(); worker.join()
look(box); box.count = 7; look(box)
""",
    "only read": """
table = {"a": [1], "b": {"c": 2}}
def read(): look(table)
for _ in range(2):
    thread = threading.Thread(target=read)
    thread.start(); thread.join()
    table["a"].append(2); table["n"] = 1; look(table)
""",
    "collected": """
found = {}
def work(n):
    found[n] = [n]
    found[n].append(n)
threads = [threading.Thread(target=work, args=(n,)) for n in range(5)]
for thread in threads: thread.start()
for thread in threads: thread.join()
look(found); found[0].append(1); look(found)
""",
}
BESIDE = """
import time
xs, table, lock = [], {}, threading.Lock()
def work(n):
    for i in range(4):
        with lock:
            xs.append((n, i)); look([n, i, 0, xs])
            table[i] = n; look([n, i, 1, table])
        time.sleep(0.001 * (n % 3))
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
look([9, 9, 9, xs, table])
"""
RACE = """
table = {"n": 0}
look(table)
first, second = threading.Event(), threading.Event()
def one():
    first.wait(); table["n"] += 1; second.set()
def two():
    table["n"] = 10; first.set(); second.wait()
threads = [threading.Thread(target=each) for each in (one, two)]
for thread in threads: thread.start()
for thread in threads: thread.join()
look(table); table["n"] = 0; look(table)
"""


@pytest.mark.parametrize("place", ["module", "function"])
def test_what_is_done_one_after_the_other_is_told_so(place: str, tmp_path: Path) -> None:
    found = looks(tmp_path, ORDERED, place)
    assert len(found) == 16
    assert [look.told for look in found] == [look.seen for look in found]
    assert all(look.certain for look in found if look.piece != "collected")


@pytest.mark.parametrize("place", ["module", "function"])
def test_what_two_threads_do_at_once_is_not_certain(place: str, tmp_path: Path) -> None:
    found = looks(tmp_path, {"race": RACE}, place)
    assert not [look for look in found if look.certain and look.told != look.seen]
    assert found[-1].certain


def test_states_beside_other_threads_are_not_told_wrongly(tmp_path: Path) -> None:
    process, path, _ = run(tmp_path, HEAD + BESIDE, "--quiet")
    assert process.returncode == 0, process.stderr
    trace = Trace.open(path)
    seen: dict[Any, Any] = {}
    for line in process.stdout.splitlines():
        value = eval(line)
        seen[tuple(value[1][:3])] = value
    probes = [n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].name == "probe"]
    told = [state(trace.arguments(node)[0].value) for node in probes]
    assert len(told) == len(seen) == 33
    wrong = [value for value, certain in told if certain and seen[tuple(value[1][:3])] != value]
    assert not wrong
