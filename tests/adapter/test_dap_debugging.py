"""While the program runs: the same as with the ordinary debugger, message by message where it matters."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from dap_client import OURS, PLAIN, Client, RequestFailed, processes_below, wait_until_gone

Start = Callable[..., Client]

PROGRAM = """\
import sys


class Account:
    def __init__(self, start):
        self.balance = start

    def add(self, amount):
        self.balance += amount
        return self.balance


def total(numbers):
    result = 0
    for number in numbers:
        if number % 2:
            continue
        result += number
    return result


def safe(numbers):
    try:
        return total(numbers) / 0
    except ZeroDivisionError as error:
        print("caught", error)
    finally:
        print("done")
    return None


def count(limit):
    at = 0
    while at < limit:
        yield at
        at += 1


squares = [n * n for n in count(4)]
account = Account(total(squares))
account.add(
    safe(squares)
    or 3
)
print(account.balance, *sys.argv[1:])
print("to stderr", file=sys.stderr)
sys.exit(3)
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "accounts.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    clients: list[Client] = []

    def run(command: list[str], **features: Any) -> Client:
        client = Client.start(command, cwd=tmp_path)
        clients.append(client)
        client.features = client.initialize(**features)  # type: ignore[attr-defined]
        return client

    yield run
    left: set[int] = set()
    for client in clients:
        left |= processes_below(client.process.pid) if client.process is not None else set()
        client.close()
    assert not wait_until_gone(left)


def line_of(text: str) -> int:
    return PROGRAM.split("\n").index(text) + 1


def where(client: Client, thread: int) -> tuple[str, list[tuple[str, int]]]:
    frames = client.stack(thread)
    return frames[0]["source"]["path"], [(frame["name"], frame["line"]) for frame in frames]


def end_of(client: Client) -> tuple[Any, ...]:
    """What a client is told about the end of a run that nobody asks questions about."""
    client.event("terminated")
    exits = [body["exitCode"] for body in client.events("exited")]
    client.disconnect()
    return client.output("stdout"), client.output("stderr"), exits


def step_through(client: Client, program: Path, commands: list[str]) -> list[Any]:
    """The places a list of steps leads to; the last ones run the program to its end."""
    client.launch({str(program): [line_of("squares = [n * n for n in count(4)]")]}, program=str(program))
    trail: list[Any] = []
    for command in commands:
        stop = client.stopped()
        thread = stop["threadId"]
        trail.append((stop["reason"], where(client, thread), command))
        client.request(command, {"threadId": thread})
    stop = client.stopped()
    trail.append((stop["reason"], where(client, stop["threadId"])))
    client.request("setBreakpoints", {"source": {"path": str(program)}, "breakpoints": []})
    client.request("continue", {"threadId": stop["threadId"]})
    return trail


@pytest.mark.parametrize(
    "commands",
    [
        ["next"] * 5,
        ["stepIn"] * 14,
        ["next", "stepIn", "stepIn", "next", "stepOut", "stepOut", "next"],
        ["next", "next", "stepIn", "next", "next", "next", "next", "stepOut"],
    ],
    ids=["over", "into", "out", "through an exception"],
)
def test_steps_lead_where_they_lead_without_us(start: Start, program: Path, commands: list[str]) -> None:
    if "stepOut" in commands and sys.version_info[:2] == (3, 12):
        pytest.skip("there debugpy does not stop after some steps out, without us either")
    plain, ours = start(PLAIN), start(OURS)
    expected = step_through(plain, program, commands)
    assert step_through(ours, program, commands) == expected
    end_of(plain)
    assert ours.stopped()["reason"] == "algorithmic debugging"
    ours.disconnect()
    assert (ours.output("stdout"), ours.output("stderr")) == (plain.output("stdout"), plain.output("stderr"))


def test_a_breakpoint_shows_the_users_frames_and_names_only(start: Start, program: Path) -> None:
    client = start(OURS)
    line = line_of("        result += number")
    client.launch({str(program): [line]}, program=str(program))
    stop = client.stopped()
    assert stop["reason"] == "breakpoint"
    frames = client.stack(stop["threadId"])
    assert [(frame["name"], frame["line"]) for frame in frames] == [
        ("total", line),
        ("<module>", line_of("account = Account(total(squares))")),
    ]
    scopes = client.scopes(frames[0]["id"])
    assert {name: v["value"] for name, v in scopes["Locals"].items()} == {
        "numbers": "[0, 1, 4, 9]",
        "result": "0",
        "number": "0",
    }
    shown = client.scopes(frames[1]["id"])
    assert not [name for names in shown.values() for name in names if name.startswith("@")]
    targets = client.request("completions", {"frameId": frames[0]["id"], "text": "", "column": 1})["targets"]
    assert not [target for target in targets if target["label"].startswith("@")]
    page = client.request("stackTrace", {"threadId": stop["threadId"], "startFrame": 1, "levels": 1})
    assert ([frame["id"] for frame in page["stackFrames"]], page["totalFrames"]) == ([frames[1]["id"]], 2)
    assert client.request("algodebug/state")["status"] == "recording"
    with pytest.raises(RequestFailed, match="still running"):
        client.request("algodebug/answer", {"answer": "correct"})
    client.disconnect()
    assert client.wait_for_exit() == 0


def test_values_can_be_changed_and_evaluated_while_stopped(start: Start, program: Path) -> None:
    client = start(OURS)
    client.launch({str(program): [line_of("print(account.balance, *sys.argv[1:])")]}, program=str(program))
    frame = client.stack(client.stopped()["threadId"])[0]["id"]
    assert (
        client.request("evaluate", {"expression": "account.balance + 1", "frameId": frame})["result"] == "8"
    )
    client.request("evaluate", {"expression": "account.balance = 70", "frameId": frame, "context": "repl"})
    client.request("continue", {"threadId": 1})
    client.stopped()
    assert client.output("stdout").endswith("70\n")
    client.disconnect()


@pytest.mark.parametrize("just_my_code", [True, False])
def test_stop_on_entry_stops_in_the_users_program(start: Start, program: Path, just_my_code: bool) -> None:
    seen = []
    for command in (PLAIN, OURS):
        client = start(command)
        client.launch(program=str(program), stopOnEntry=True, justMyCode=just_my_code)
        stop = client.stopped()
        seen.append((stop["reason"], where(client, stop["threadId"])))
        client.disconnect()
    assert seen[0] == seen[1]
    assert seen[1][1][1][0] == ("<module>", 1)


@pytest.mark.parametrize(
    ("filters", "just_my_code"),
    [(["uncaught"], True), (["uncaught"], False), (["raised"], True), (["userUnhandled"], True), ([], True)],
)
def test_exceptions_break_as_without_us(
    start: Start, tmp_path: Path, filters: list[str], just_my_code: bool
) -> None:
    program = tmp_path / "fails.py"
    program.write_text("def half(n):\n    return n / 0\n\n\ndef main():\n    half(1)\n\n\nmain()\n")
    seen = []
    for command in (PLAIN, OURS):
        client = start(command)
        client.launch(exceptions=filters, program=str(program), justMyCode=just_my_code)
        stops = []
        while True:
            message = client.wait(lambda m: m.get("event") in ("stopped", "terminated"))
            if message["event"] == "terminated" or message["body"]["reason"] == "algorithmic debugging":
                break
            thread = message["body"]["threadId"]
            info = client.request("exceptionInfo", {"threadId": thread})
            stops.append((message["body"]["reason"], where(client, thread), info["details"]["stackTrace"]))
            client.request("continue", {"threadId": thread})
        head, entry, rest = client.output("stderr").partition(f'  File "{program}", line 9')
        seen.append((stops, entry + rest))
        client.disconnect()
    assert seen[0] == seen[1]
    # debugpy's own frames are in its traceback; there are none of anybody in ours.
    assert head == "Traceback (most recent call last):\n"


def test_a_run_that_is_not_recorded_is_the_ordinary_debuggers(start: Start, program: Path) -> None:
    ends = []
    for command in (PLAIN, OURS):
        client = start(command)
        client.launch(program=str(program), args=["a", "b c"], recording=False)
        ends.append(end_of(client))
        if command is OURS:
            assert client.wait_for_exit() == 0
    assert ends[0] == ends[1]
    assert ends[1][0].endswith("7 a b c\n") and ends[1][2] == [3]
    assert not (program.parent / ".algodebug").exists()


LAUNCHES = {
    "arguments": {"program": "accounts.py", "args": ["x", "y z"]},
    "module": {"module": "accounts", "args": ["x"]},
    "code": {"code": ["import sys", "print(sys.argv)"], "args": ["x"]},
    "environment": {"code": "import os; print(os.environ['A'], os.getcwd())", "env": {"A": "1"}},
    "without the debugger": {"program": "accounts.py", "noDebug": True},
    "import path": {"code": "import sys; print([p for p in sys.path if 'algo' in p])"},
}


@pytest.mark.parametrize("launch", LAUNCHES.values(), ids=LAUNCHES)
def test_a_recorded_run_prints_and_exits_the_same(
    start: Start, program: Path, tmp_path: Path, launch: dict[str, Any]
) -> None:
    plain, ours = start(PLAIN), start(OURS)
    plain.launch(cwd=str(tmp_path), **launch)
    expected = end_of(plain)
    ours.launch(cwd=str(tmp_path), **launch)
    assert ours.stopped()["reason"] == "algorithmic debugging"
    # What was held back comes when the questions are over.
    assert not ours.events("exited") and not ours.events("terminated")
    ours.request("terminate")
    assert end_of(ours) == expected


def test_arguments_given_as_a_text_go_through_the_shell(start: Start, program: Path, tmp_path: Path) -> None:
    (tmp_path / "one.txt").touch()
    (tmp_path / "two.txt").touch()
    printed = []
    for command in (PLAIN, OURS):
        client = start(command, supportsRunInTerminalRequest=True, supportsArgsCanBeInterpretedByShell=True)
        client.reverse_requests["runInTerminal"] = lambda arguments: run_in_terminal(arguments, tmp_path)
        client.launch(
            program=str(program), args="*.txt $WHO 'a b'", console="integratedTerminal", cwd=str(tmp_path)
        )
        client.wait(lambda m: m.get("event") in ("stopped", "terminated"))
        client.disconnect()
        printed.append((tmp_path / "terminal.out").read_text().splitlines()[2:3])
    assert printed == [["7 one.txt two.txt me a b"]] * 2


def run_in_terminal(arguments: dict[str, Any], folder: Path) -> dict[str, Any]:
    """What an editor's terminal does, with the output in a file."""
    import subprocess

    assert arguments["argsCanBeInterpretedByShell"] is True
    with (folder / "terminal.out").open("w") as out:
        subprocess.Popen(
            " ".join(arguments["args"]),
            shell=True,
            cwd=arguments["cwd"],
            env={**os.environ, "WHO": "me", **arguments.get("env", {})},
            stdout=out,
            stderr=out,
        )
    return {}


def test_events_of_debugpy_reach_the_client_but_telemetry_does_not(start: Start, program: Path) -> None:
    client = start(OURS)
    client.launch(program=str(program), recording=False)
    client.event("terminated")
    assert client.events("debugpySockets") and not client.output("telemetry")
    assert client.events("process")[0]["name"] == str(program)
    client.disconnect()


def test_the_process_has_the_name_of_the_users_program(start: Start, program: Path) -> None:
    client = start(OURS)
    client.launch(program=str(program))
    assert client.event("process")["name"] == str(program)
    client.stopped()
    client.disconnect()


def test_our_additions_are_announced_beside_debugpys(start: Start) -> None:
    plain, ours = start(PLAIN).features, start(OURS).features  # type: ignore[attr-defined]
    assert ours.pop("supportsAlgorithmicDebugging") is True
    assert ours.pop("supportsCancelRequest") is True
    assert ours == plain


@pytest.mark.parametrize(
    ("launch", "reason"),
    [
        ({"program": "a.py", "recording": "yes"}, '"recording" must be true or false'),
        ({"program": "a.py", "limits": 5}, '"limits" must be an object'),
        ({}, "must be specified"),
        ({"program": "a.py", "module": "b"}, "mutually exclusive"),
        ({"program": "a.py", "args": 5}, "args"),
    ],
)
def test_a_launch_that_cannot_be_is_refused_with_a_reason(
    start: Start, launch: dict[str, Any], reason: str
) -> None:
    client = start(OURS)
    with pytest.raises(RequestFailed) as caught:
        client.launch(**launch)
    assert reason in str(caught.value) and "\n" not in str(caught.value)
    client.disconnect()
    assert client.wait_for_exit() == 0


def test_what_is_no_message_is_skipped(start: Start, program: Path) -> None:
    client = start(OURS)
    for body in (
        b"{",
        b"[]",
        b"1",
        b'{"type": "request"}',
        b'{"type": 1, "seq": 1}',
        b'{"seq": "x"}',
        b"\xff",
    ):
        client.send_bytes(body)
    client.send_bytes(b'{"seq": 900, "type": "response", "request_seq": 77, "command": "x", "success": true}')
    for arguments in ([], 5, "x", {"threadId": "x"}, {"frameId": []}):
        for command in ("stackTrace", "variables", "algodebug/answer", "completions", "no such request"):
            client.send(command, arguments)
    client.launch(program=str(program), recording=False)
    client.event("terminated")
    client.disconnect()
    assert client.wait_for_exit() == 0


def test_stop_while_the_program_runs_ends_it(start: Start, tmp_path: Path) -> None:
    program = tmp_path / "waits.py"
    program.write_text("import time\nprint('on', flush=True)\ntime.sleep(600)\n")
    client = start(OURS)
    client.launch(program=str(program))
    client.wait(lambda m: "on" in (m.get("body") or {}).get("output", ""))
    pids = processes_below(client.process.pid)  # type: ignore[union-attr]
    assert len(pids) >= 3
    client.request("terminate")
    client.event("terminated")
    client.disconnect()
    assert client.wait_for_exit() == 0
    assert not wait_until_gone(pids)


@pytest.mark.parametrize("how", ["hang up", "SIGTERM", "SIGKILL"])
def test_nothing_is_left_when_the_session_is_cut_off(start: Start, tmp_path: Path, how: str) -> None:
    program = tmp_path / "waits.py"
    program.write_text("import time\nprint('on', flush=True)\ntime.sleep(600)\n")
    client = start(OURS)
    client.launch(program=str(program))
    client.wait(lambda m: "on" in (m.get("body") or {}).get("output", ""))
    assert client.process is not None
    pids = processes_below(client.process.pid)
    if how == "hang up":
        client.close()
        assert client.wait_for_exit() == 0
    else:
        client.process.send_signal(getattr(signal, how))
    client.wait_for_exit()
    assert not wait_until_gone(pids)


def test_the_conversation_is_logged_on_request(start: Start, program: Path, tmp_path: Path) -> None:
    client = start([*OURS, "--log-dir", str(tmp_path / "logs")])
    client.launch(program=str(program), recording=False)
    client.event("terminated")
    client.disconnect()
    client.wait_for_exit()
    logs = {path.name.rsplit("-", 1)[0]: path.read_text() for path in (tmp_path / "logs").iterdir()}
    assert json.dumps(str(program)) in logs["algodebug.dap"]
    assert "debugpy.adapter" in logs
