"""What takes long holds nothing up: it is shown as progress, can be cancelled, and other requests are served meanwhile."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dap_client import OURS, Client, RequestFailed

# When it is run again it does not end.
SLOW = """\
import os, time

def doubled(x):
    return x + x

total = doubled(4)
while os.path.exists("once"):
    total += 0 * open("again", "w").write(str(os.getpid()))
    time.sleep(0.05)
open("once", "w").close()
print(total)
"""
PROGRAM = """\
def one(x):
    return x - 1

def two(x):
    return one(x) + one(x)

print(two(3))
"""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    client = Client.start(OURS, cwd=tmp_path)
    yield client
    client.disconnect()
    client.close()


def ask(client: Client, folder: Path, text: str, **launch: Any) -> None:
    (folder / "program.py").write_text(text)
    client.initialize(supportsProgressReporting=True)
    client.launch(program=str(folder / "program.py"), cwd=str(folder), **launch)


def until(path: Path) -> str:
    """The text of a file that somebody is about to write."""
    deadline = time.monotonic() + 60
    while not (text := path.read_text() if path.exists() else ""):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return text


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("by", ["progress", "request"])
def test_a_reduced_program_that_does_not_end_is_cancelled(client: Client, tmp_path: Path, by: str) -> None:
    ask(client, tmp_path, SLOW)
    client.stopped()
    seq = client.send("algodebug/executableSlice", {"node": 0, "marks": ["printed[0]"]})
    begun = client.wait(lambda m: m.get("event") == "progressStart" and m["body"]["cancellable"])["body"]
    pid = int(until(tmp_path / "again"))
    assert client.request("algodebug/state")["status"] == "asking"
    with pytest.raises(RequestFailed, match="being made already"):
        client.request("algodebug/executableSlice", {"node": 0, "marks": ["printed[0]"]})
    client.request("cancel", {"progressId": begun["progressId"]} if by == "progress" else {"requestId": seq})
    with pytest.raises(RequestFailed, match="Cancelled"):
        client.answer_to(seq)
    assert client.event("progressEnd") == {"progressId": begun["progressId"]}
    assert not is_alive(pid)


def test_a_slow_corrected_copy_is_shown_as_progress_and_can_be_passed_over(
    client: Client, tmp_path: Path
) -> None:
    corrected = tmp_path / "corrected"
    corrected.mkdir()
    slow = PROGRAM.replace("    return x - 1", "    import time; time.sleep(1)\n    return x + 1")
    (corrected / "program.py").write_text(slow)
    ask(client, tmp_path, PROGRAM, reference=str(corrected), strategy="top-down")
    begun = client.wait(lambda m: m.get("event") == "progressStart" and m["body"]["cancellable"])["body"]
    assert client.request("algodebug/state")["status"] == "loading"
    client.request("cancel", {"progressId": begun["progressId"]})
    client.stopped()
    state = client.request("algodebug/state")
    # What the copy did not come to is asked.
    assert [entry["source"] for entry in state["history"]] == ["reference"]
    assert state["question"]["function"] == "one"


def test_whatever_waits_can_be_cancelled(client: Client, tmp_path: Path) -> None:
    corrected = tmp_path / "corrected"
    corrected.mkdir()
    slow = PROGRAM.replace("    return x - 1", "    import time; time.sleep(1)\n    return x + 1")
    (corrected / "program.py").write_text(slow)
    ask(client, tmp_path, PROGRAM, reference=str(corrected))
    client.wait(lambda m: m.get("event") == "progressStart" and m["body"]["cancellable"])
    waiting = client.send("algodebug/tree", {"node": 0})
    client.request("cancel", {"requestId": waiting})
    with pytest.raises(RequestFailed, match="cancelled"):
        client.answer_to(waiting)
    client.stopped()


MANY = """\
class Sum:
    def __init__(self):
        self.total = 0

    def add(self, n):
        if n % 3:
            self.total += n
        return self.total

def added(count):
    sum = Sum()
    for n in range(count):
        sum.add(n)
    return sum.total

print(added(10000))
"""


def test_following_a_value_can_be_cancelled_and_asked_for_again(client: Client, tmp_path: Path) -> None:
    ask(client, tmp_path, MANY)
    client.stopped()
    wanted = {"node": 1, "mark": "result", "kind": "relevant"}
    begun = client.send("algodebug/slice", wanted)
    client.request("cancel", {"requestId": begun})
    with pytest.raises(RequestFailed, match="cancelled"):
        client.answer_to(begun)
    assert client.request("algodebug/slice", wanted)["files"]
