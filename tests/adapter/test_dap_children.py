"""Programs that start processes of their own: with and without a client that debugs those, the run ends."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dap_client import OURS, Client, processes_below, wait_until_gone

PROGRAM = """\
import multiprocessing
import sys


def square(n):
    return n * n


if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with context.Pool(1) as pool:
        print(pool.map(square, [3, 4]), flush=True)
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "squares.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    client = Client.start(OURS, cwd=tmp_path)
    yield client
    assert client.process is not None
    left = processes_below(client.process.pid)
    client.close()
    assert not wait_until_gone(left)


def end_asked_about(client: Client) -> None:
    """The program ran to its end, and its own calls are asked about."""
    assert client.stopped()["reason"] == "algorithmic debugging"
    assert client.output("stdout") == "[9, 16]\n"
    client.disconnect()
    assert client.wait_for_exit() == 0


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("refuses", [True, False], ids=["refused", "not supported"])
def test_children_run_where_nobody_debugs_them(
    client: Client, program: Path, method: str, refuses: bool
) -> None:
    client.initialize(supportsStartDebuggingRequest=refuses)
    client.reverse_requests["startDebugging"] = lambda _: "no second session here"
    client.launch(program=str(program), args=[method])
    end_asked_about(client)


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("way", ["a new adapter", "the address"])
def test_children_are_debugged_as_without_us(
    client: Client, program: Path, tmp_path: Path, method: str, way: str
) -> None:
    children: list[Client] = []
    configurations: list[dict[str, Any]] = []
    stops: list[tuple[str, int]] = []
    breakpoints = {"source": {"path": str(program)}, "breakpoints": [{"line": 6}]}

    def debug(configuration: dict[str, Any]) -> None:
        if way == "a new adapter":
            child = Client.start(OURS, cwd=tmp_path)
        else:
            child = Client.connect(configuration["connect"]["host"], configuration["connect"]["port"])
        children.append(child)
        child.initialize()
        attach = child.send("attach", configuration)
        child.wait(lambda m: m.get("event") in ("initialized", "terminated"))
        if not child.events("terminated"):
            child.request("setBreakpoints", breakpoints)
            child.request("configurationDone")
        child.answer_to(attach)
        while True:
            message = child.wait(lambda m: m.get("event") in ("stopped", "terminated"))
            if message["event"] == "terminated":
                break
            frame = child.stack(message["body"]["threadId"])[0]
            stops.append((frame["name"], frame["line"]))
            child.request("continue", {"threadId": message["body"]["threadId"]})
        child.request("disconnect")
        child.close()

    def start(arguments: dict[str, Any]) -> dict[str, Any]:
        configurations.append(arguments["configuration"])
        threading.Thread(target=debug, args=[arguments["configuration"]], daemon=True).start()
        return {}

    client.initialize(supportsStartDebuggingRequest=True)
    client.reverse_requests["startDebugging"] = start
    client.launch(program=str(program), args=[method])
    end_asked_about(client)
    assert stops == [("square", 6), ("square", 6)]
    assert all(configuration["program"] == str(program) for configuration in configurations)
    for child in children:
        child.close()


def test_nothing_to_attach_to_is_said(client: Client) -> None:
    client.initialize()
    with pytest.raises(Exception, match=r"Nothing to attach to at 127\.0\.0\.1:1"):
        client.request("attach", {"connect": {"host": "127.0.0.1", "port": 1}})
    client.disconnect()
    assert client.wait_for_exit() == 0
