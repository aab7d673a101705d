"""How a recorded session ends, well or badly: what is said, what is kept, and that nothing is left running."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from dap_client import OURS, Client, processes_below, wait_until_gone

PROGRAM = (
    "def double(n):\n    return n + n\n\n\ndef main():\n    return double(2) + double(3)\n\n\nprint(main())\n"
)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    client = Client.start(OURS, cwd=tmp_path)
    client.initialize()
    yield client
    assert client.process is not None
    left = processes_below(client.process.pid)
    client.close()
    assert not wait_until_gone(left)


def write(folder: Path, text: str) -> str:
    path = folder / "program.py"
    path.write_text(text)
    return str(path)


def answers_kept(folder: Path) -> list[str]:
    (file,) = (folder / ".algodebug").glob("*.session.jsonl")
    return [line["answer"] for line in map(json.loads, file.read_text().splitlines()) if "answer" in line]


@pytest.mark.parametrize("how", ["disconnect", "hang up", "SIGTERM", "SIGKILL"])
def test_stop_while_a_question_is_open_keeps_the_answers(client: Client, tmp_path: Path, how: str) -> None:
    client.launch(program=write(tmp_path, PROGRAM))
    client.stopped()
    client.request("algodebug/answer", {"answer": "wrong"})
    assert client.process is not None
    pids = processes_below(client.process.pid)
    if how == "disconnect":
        client.disconnect()
        assert client.wait_for_exit() == 0
    elif how == "hang up":
        client.close()
        assert client.wait_for_exit() == 0
    else:
        client.process.send_signal(getattr(__import__("signal"), how))
        client.wait_for_exit()
    assert not wait_until_gone(pids)
    assert answers_kept(tmp_path) == ["wrong"]


def test_stop_takes_two_steps_where_the_client_takes_two(client: Client, tmp_path: Path) -> None:
    client.launch(program=write(tmp_path, PROGRAM + "raise SystemExit(4)\n"))
    client.stopped()
    client.request("terminate")
    client.event("terminated")
    assert client.events("exited") == [{"exitCode": 4}]
    client.disconnect()
    assert client.wait_for_exit() == 0


KILLED = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n"
# Past the interpreter, and so past the recorder.
GONE = "import ctypes\nctypes.CDLL(None)._exit(5)\n"


@pytest.mark.parametrize(
    ("text", "said", "code"),
    [
        (KILLED, "killed (SIGKILL)", 247),
        (GONE, "exit code 5", 5),
    ],
    ids=["killed", "gone"],
)
def test_a_run_that_leaves_no_trace_says_why(
    client: Client, tmp_path: Path, text: str, said: str, code: int
) -> None:
    client.launch(program=write(tmp_path, text))
    client.event("terminated")
    (line,) = client.output("important").splitlines()
    assert line.startswith("No questions: ") and said in line
    assert client.events("exited") == [{"exitCode": code}]
    client.disconnect()
    assert client.wait_for_exit() == 0


def test_an_earlier_trace_is_not_taken_for_that_of_a_run_without_one(client: Client, tmp_path: Path) -> None:
    (tmp_path / "old.algotrace").write_text("an earlier one")
    client.launch(program=write(tmp_path, GONE), traceFile="old.algotrace")
    client.event("terminated")
    assert "exit code 5" in client.output("important")


@pytest.mark.parametrize("console", ["internalConsole", "integratedTerminal"])
def test_a_syntax_error_is_reported_as_python_does(tmp_path: Path, console: str) -> None:
    client = Client.start(OURS, cwd=tmp_path)
    client.initialize(supportsRunInTerminalRequest=True)
    printed = tmp_path / "terminal.out"

    def run(arguments: dict[str, object]) -> dict[str, object]:
        with printed.open("w") as out:
            subprocess.Popen(arguments["args"], cwd=tmp_path, stdout=out, stderr=out)  # type: ignore[call-overload]
        return {}

    client.reverse_requests["runInTerminal"] = run
    client.launch(program=write(tmp_path, "def f(:\n"), console=console)
    client.event("terminated")
    shown = client.output("stderr") if console == "internalConsole" else printed.read_text()
    assert 'program.py", line 1\n    def f(:\n' in shown and "SyntaxError" in shown
    assert "none of the program's own code has run" in client.output("important")
    # A client may ask for the end that has come already; it is told once.
    client.request("terminate")
    assert (client.events("exited"), client.events("terminated")) == ([{"exitCode": 1}], [{}])
    client.disconnect()
    assert client.wait_for_exit() == 0
    client.close()


def test_no_such_program_is_one_clear_line(client: Client, tmp_path: Path) -> None:
    client.launch(program=str(tmp_path / "none.py"))
    client.event("terminated")
    assert [line for line in client.output("stderr").splitlines() if "none.py" in line]
    assert "No questions: " in client.output("important")
    assert client.events("exited")[0]["exitCode"] != 0


def test_a_trace_folder_that_cannot_be_written_costs_only_the_place(client: Client, tmp_path: Path) -> None:
    (tmp_path / ".algodebug").write_text("a file where the folder should be")
    client.launch(program=write(tmp_path, PROGRAM))
    client.stopped()
    place = client.request("algodebug/state")["trace"]
    assert place in client.output("console") and not place.startswith(str(tmp_path))
    client.request("algodebug/answer", {"answer": "wrong"})
    client.disconnect()
    client.wait_for_exit()
    for suffix in (".algotrace", ".session.jsonl"):
        os.unlink(Path(place).with_suffix(suffix))


def test_a_damaged_trace_ends_the_session_with_a_reason(client: Client, tmp_path: Path) -> None:
    # The program stands in for whatever damages it: its last act is to write over the trace.
    text = (
        "import atexit, os, signal, threading\n"
        "def spoil():\n"
        f"    open({str(tmp_path / 'x.algotrace')!r}, 'w').write('not a trace' * 100)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "threading._register_atexit(spoil)\n"
    )
    client.launch(program=write(tmp_path, text), traceFile="x.algotrace")
    client.event("terminated")
    (line,) = client.output("important").splitlines()
    assert line.startswith("No questions: ") and "trace" in line
    assert client.events("algodebug/changed") == [{"status": "failed"}]


def test_a_failing_program_is_asked_about(client: Client, tmp_path: Path) -> None:
    client.launch(program=write(tmp_path, "def f(n):\n    return 1 / n\n\n\nf(0)\n"))
    client.stopped()
    asked = client.request("algodebug/state")["question"]
    assert (asked["function"], asked["outcome"]["kind"]) == ("f", "raise")
    frame = client.stack(client.events("stopped")[0]["threadId"])[0]["id"]
    assert "ZeroDivisionError" in client.scopes(frame)["After"]["exception"]["value"]


def test_a_program_without_calls_of_its_own_has_its_verdict_at_once(client: Client, tmp_path: Path) -> None:
    client.launch(program=write(tmp_path, "print(1 + 1)\n"))
    client.stopped()
    state = client.request("algodebug/state")
    assert (state["status"], state["result"]["function"]) == ("found", "<module>")
    assert "the search is over" not in client.output("console")
    client.request("continue", {"threadId": 1})
    client.stopped()
    assert "the search is over" in client.output("console")


def test_two_runs_leave_two_traces(tmp_path: Path) -> None:
    for _ in range(2):
        client = Client.start(OURS, cwd=tmp_path)
        client.initialize()
        client.launch(program=write(tmp_path, PROGRAM))
        client.stopped()
        client.disconnect()
        assert client.wait_for_exit() == 0
        client.close()
    assert len(list((tmp_path / ".algodebug").glob("*.algotrace"))) == 2


def test_a_server_serves_one_client_after_another(tmp_path: Path) -> None:
    server = subprocess.Popen([*OURS, "--port", "0"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        words = server.stdout.readline().strip()
        assert words.startswith("DAP server listening at: 127.0.0.1:")
        port = int(words.rpartition(":")[2])
        for _ in range(2):
            client = Client.connect("127.0.0.1", port)
            client.initialize()
            client.launch(program=write(tmp_path, PROGRAM))
            assert client.stopped()["reason"] == "algorithmic debugging"
            client.disconnect()
            client.close()
        # One session is still under way when the server is told to stop.
        client = Client.connect("127.0.0.1", port)
        client.initialize()
        client.launch(program=write(tmp_path, "import time\nprint('on', flush=True)\ntime.sleep(600)\n"))
        client.wait(lambda m: "on" in (m.get("body") or {}).get("output", ""))
        pids = processes_below(server.pid)
        server.terminate()
        assert server.wait(30) == 0
        assert not wait_until_gone(pids)
    finally:
        server.kill()
        server.wait()


@pytest.mark.parametrize(
    ("words", "code"),
    [(["--port", "x"], 64), (["extra"], 64), (["--port", "1", "--host", "203.0.113.1"], 73)],
)
def test_bad_usage_is_one_line(words: list[str], code: int) -> None:
    done = subprocess.run([*OURS, *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == code
    assert done.stderr.startswith("algodebug dap: ") and done.stderr.count("\n") == 1
