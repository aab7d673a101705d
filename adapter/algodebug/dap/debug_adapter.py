"""debugpy's own debug adapter, which does the ordinary debugging: a process of ours, or one that listens elsewhere."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import debugpy

from algodebug.dap import channel
from algodebug.dap.channel import Body, Channel, Request

CONNECT_SECONDS = 15.0
EXIT_SECONDS = 5.0


class DebugAdapter:
    """The other end of the proxy."""

    def __init__(
        self,
        stream: Any,
        process: subprocess.Popen[bytes] | None,
        on_request: Callable[[Request], None],
        on_event: Callable[[str, Body], None],
        on_close: Callable[[], None],
    ) -> None:
        self._process = process
        self.channel = Channel(stream, on_request=on_request, on_event=on_event, on_close=on_close)

    @classmethod
    def spawn(cls, log_folder: str | None, **handlers: Any) -> DebugAdapter:
        """Starts an adapter that lives until its input ends."""
        # By path, so that it is the debugpy imported here, however that was found.
        command = [sys.executable, os.path.join(os.path.dirname(debugpy.__file__), "adapter")]
        if log_folder is not None:
            command += ["--log-dir", log_folder]
        process = subprocess.Popen(
            command,
            # Closing a buffered stream waits for the thread that reads from it.
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        return cls(channel.over_process(process, "debugpy"), process, **handlers)

    @classmethod
    def connect(cls, host: str, port: int, **handlers: Any) -> DebugAdapter:
        """Joins the adapter of a program that is being debugged already. Raises OSError when there is none."""
        connection = socket.create_connection((host, port), timeout=CONNECT_SECONDS)
        return cls(channel.over_socket(connection, "debugpy"), None, **handlers)

    def end(self) -> None:
        """Hangs up, which ends what the adapter started, and waits until its process is gone."""
        self.channel.close()
        if self._process is None:
            return
        try:
            self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(EXIT_SECONDS)
            self._process.kill()
            self._process.wait()


def address(arguments: Body) -> tuple[str, int] | None:
    """Where an `attach` says the adapter listens; None when it is for the adapter itself to find the program."""
    place = arguments.get("connect", arguments)
    if not isinstance(place, dict):
        return None
    host, port = place.get("host") or "127.0.0.1", place.get("port")
    if not isinstance(host, str) or not isinstance(port, int):
        return None
    return host, port
