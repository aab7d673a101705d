"""A DAP client for the tests: it starts a debug adapter as an editor does and keeps what was said.

Written on the bare protocol, so that it shares nothing with what it tests. Everything that waits has a deadline.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import debugpy

SECONDS = 60.0

OURS = [sys.executable, "-m", "algodebug.cli", "dap"]
"""The debug server under test."""

PLAIN = [sys.executable, os.path.join(os.path.dirname(debugpy.__file__), "adapter")]
"""The ordinary debugger, which it must not differ from while the program runs."""

Message = dict[str, Any]


class RequestFailed(Exception):
    """The adapter answered a request with an error; the text is its reason."""


class Client:
    """One debug session over two byte streams."""

    def __init__(
        self, reader: BinaryIO, writer: BinaryIO, process: subprocess.Popen[bytes] | None = None
    ) -> None:
        self.process = process
        self._reader, self._writer = reader, writer
        self._seq = 0
        self._lock = threading.Lock()
        self._arrived = threading.Condition()
        self.messages: list[Message] = []
        """All that came, in order."""
        self._seen = 0
        self.closed = False
        self.reverse_requests: dict[str, Callable[[Message], Message | str]] = {}
        """What to do on a request of the adapter: gives the body of the answer, or a reason to refuse."""
        threading.Thread(target=self._listen, daemon=True).start()

    @classmethod
    def start(
        cls, command: Sequence[str], cwd: Path | None = None, env: dict[str, str] | None = None
    ) -> Client:
        """Starts an adapter and talks to it over its standard input and output."""
        process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdin is not None and process.stdout is not None
        return cls(process.stdout, process.stdin, process)

    @classmethod
    def connect(cls, host: str, port: int) -> Client:
        """Talks to an adapter that listens."""
        sock = socket.create_connection((host, port), timeout=SECONDS)
        sock.settimeout(None)
        return cls(sock.makefile("rb"), sock.makefile("wb"))

    # Sending

    def send(self, command: str, arguments: Any = None) -> int:
        """Sends a request and does not wait for the answer."""
        with self._lock:
            self._seq += 1
            message = {"seq": self._seq, "type": "request", "command": command}
            if arguments is not None:
                message["arguments"] = arguments
            self.send_bytes(json.dumps(message).encode())
            return self._seq

    def send_bytes(self, body: bytes) -> None:
        """Sends something in a frame, whatever it is."""
        self._writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._writer.flush()

    def answer_to(self, seq: int) -> Message:
        """Waits for the answer to a request."""
        found = self.wait(lambda m: m["type"] == "response" and m["request_seq"] == seq, consume=False)
        if not found["success"]:
            raise RequestFailed(found["message"])
        body: Message = found.get("body") or {}
        return body

    def request(self, command: str, arguments: Any = None) -> Message:
        """Sends a request and gives the body of its answer."""
        return self.answer_to(self.send(command, arguments))

    def initialize(self, **more: Any) -> Message:
        """The first request of any session."""
        return self.request("initialize", {"adapterID": "algorithmic-debug", "clientID": "tests", **more})

    def launch(
        self,
        breakpoints: dict[str, list[int]] | None = None,
        exceptions: Sequence[str] = (),
        **arguments: Any,
    ) -> None:
        """Launches as an editor does: configures after `initialized`, then waits for both answers."""
        launch = self.send("launch", {"console": "internalConsole", **arguments})
        self._configure(launch, breakpoints or {}, exceptions)

    def attach(self, **arguments: Any) -> None:
        """Attaches, without breakpoints."""
        self._configure(self.send("attach", arguments), {}, ())

    def _configure(self, start: int, breakpoints: dict[str, list[int]], exceptions: Sequence[str]) -> None:
        def is_next(message: Message) -> bool:
            answered = message["type"] == "response" and message["request_seq"] == start
            return answered or message.get("event") == "initialized"

        if self.wait(is_next, consume=False)["type"] == "response":
            self.answer_to(start)
            return
        for path, lines in breakpoints.items():
            wanted = {"source": {"path": path}, "breakpoints": [{"line": line} for line in lines]}
            self.request("setBreakpoints", wanted)
        self.request("setExceptionBreakpoints", {"filters": list(exceptions)})
        self.request("configurationDone")
        self.answer_to(start)

    # Receiving

    def wait(
        self, wanted: Callable[[Message], bool], seconds: float = SECONDS, consume: bool = True
    ) -> Message:
        """The first message that is wanted, among those after the one that was last waited for."""
        deadline = time.monotonic() + seconds
        at = self._seen if consume else 0
        with self._arrived:
            while True:
                while at < len(self.messages):
                    message = self.messages[at]
                    at += 1
                    if wanted(message):
                        if consume:
                            self._seen = at
                        return message
                left = deadline - time.monotonic()
                if self.closed or left <= 0:
                    why = "the adapter hung up" if self.closed else f"nothing for {seconds} s"
                    tail = "\n".join(json.dumps(message)[:300] for message in self.messages[-8:])
                    raise AssertionError(f"{why}; last messages:\n{tail}\n{self._errors()}")
                self._arrived.wait(left)

    def event(self, name: str, seconds: float = SECONDS) -> Message:
        """The body of the next event of a name."""
        body: Message = self.wait(lambda m: m.get("event") == name, seconds).get("body") or {}
        return body

    def stopped(self) -> Message:
        """The body of the next stop; a session that ends instead is an error at once."""
        message = self.wait(lambda m: m.get("event") in ("stopped", "terminated"))
        assert message["event"] == "stopped", self.output("important", "console", "stderr")
        body: Message = message["body"]
        return body

    def events(self, name: str) -> list[Message]:
        """The bodies of all events of a name so far."""
        return [message.get("body") or {} for message in self.messages if message.get("event") == name]

    def output(self, *categories: str) -> str:
        """What was printed so far."""
        return "".join(
            body["output"] for body in self.events("output") if body.get("category", "console") in categories
        )

    def _listen(self) -> None:
        for message in _messages(self._reader):
            if message["type"] == "request":
                self._serve(message)
            with self._arrived:
                self.messages.append(message)
                self._arrived.notify_all()
        with self._arrived:
            self.closed = True
            self._arrived.notify_all()

    def _serve(self, message: Message) -> None:
        handler = self.reverse_requests.get(message["command"])
        result = handler(message.get("arguments") or {}) if handler is not None else "not supported"
        reply: Message = {
            "type": "response",
            "request_seq": message["seq"],
            "command": message["command"],
            "success": not isinstance(result, str),
        }
        reply["message" if isinstance(result, str) else "body"] = result
        with self._lock:
            self._seq += 1
            self.send_bytes(json.dumps({"seq": self._seq, **reply}).encode())

    # Looking at a stopped program

    def stack(self, thread: int, **page: int) -> list[Message]:
        """The frames of a thread."""
        frames: list[Message] = self.request("stackTrace", {"threadId": thread, **page})["stackFrames"]
        return frames

    def variables(self, handle: int, **page: int) -> dict[str, Message]:
        """What a handle stands for, by name."""
        body = self.request("variables", {"variablesReference": handle, **page})
        return {variable["name"]: variable for variable in body["variables"]}

    def scopes(self, frame: int) -> dict[str, dict[str, Message]]:
        """The variables of a frame, by scope and name."""
        scopes = self.request("scopes", {"frameId": frame})["scopes"]
        return {scope["name"]: self.variables(scope["variablesReference"]) for scope in scopes}

    def type_in(self, text: str) -> str:
        """What the debug console answers."""
        result: str = self.request("evaluate", {"expression": text, "context": "repl"})["result"]
        return result

    # The end

    def disconnect(self) -> None:
        """Ends the session as an editor does on Stop."""
        self.request("disconnect", {"terminateDebuggee": True})

    def wait_for_exit(self, seconds: float = SECONDS) -> int:
        """The exit code of the adapter's process."""
        assert self.process is not None
        return self.process.wait(seconds)

    def close(self) -> None:
        """Hangs up, and ends an adapter that does not end by itself."""
        with contextlib.suppress(OSError):
            self._writer.close()
        if self.process is not None:
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def _errors(self) -> str:
        if not self.closed or self.process is None or self.process.stderr is None:
            return ""
        return self.process.stderr.read().decode(errors="replace")


def _messages(reader: BinaryIO) -> Iterator[Message]:
    while True:
        length = None
        try:
            while line := reader.readline().strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            body = reader.read(length) if length is not None else b""
        except (OSError, ValueError):
            return
        if not body:
            return
        yield json.loads(body)


def processes_below(pid: int) -> set[int]:
    """The processes a process has started, and those they have started."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(folder.name))
    below: set[int] = set()
    pending = [pid]
    while pending:
        for child in children.get(pending.pop(), []):
            below.add(child)
            pending.append(child)
    return below


def wait_until_gone(pids: set[int], seconds: float = 20) -> set[int]:
    """Waits for processes to end; gives those that did not."""
    deadline = time.monotonic() + seconds
    while True:
        left = {pid for pid in pids if _is_running(pid)}
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.05)


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
