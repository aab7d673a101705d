"""Where clients come from: the pipe this process was started with, or a port it listens on."""

from __future__ import annotations

import contextlib
import socket
import threading
from pathlib import Path
from typing import Any

from algodebug.dap import channel
from algodebug.dap.proxy import Proxy


def serve(stream: Any, log_folder: str | None, answers_of: Path | None) -> None:
    """Serves one client to the end."""
    Proxy(stream, log_folder, answers_of).serve()


def listen(host: str, port: int, log_folder: str | None) -> None:
    """Serves whoever connects, until the process is told to stop; then the sessions under way end, too."""
    sessions: set[Proxy] = set()
    lock = threading.Lock()

    def run(connection: socket.socket) -> None:
        proxy = Proxy(channel.over_socket(connection, "client"), log_folder)
        with lock:
            sessions.add(proxy)
        try:
            proxy.serve()
        finally:
            with lock:
                sessions.discard(proxy)

    with socket.create_server((host, port)) as listener:
        print(f"DAP server listening at: {host}:{listener.getsockname()[1]}", flush=True)
        try:
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=run, args=[connection], name="session", daemon=True).start()
        finally:
            with lock:
                left = list(sessions)
            for proxy in left:
                with contextlib.suppress(OSError):
                    proxy.close()
