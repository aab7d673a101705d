"""Keeps what is run again from doing something twice: files are not written, nothing is removed, sent or started.

Who tries is stopped by an exception. That may be caught by the program, so it is noted besides: then there is no verdict.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from .rows import CannotJudge

denied: list[str] = []

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_EFFECTS = (
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown",
    "os.utime", "shutil.", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile",
    "socket.connect", "socket.bind", "socket.sendto", "webbrowser.open",
)  # fmt: skip


def _hook(event: str, arguments: Any) -> None:
    if event == "open":
        path, _, flags = arguments
        if isinstance(path, int) or path == os.devnull or not (isinstance(flags, int) and flags & _WRITING):
            return
    elif event == "sqlite3.connect":
        if arguments[0] == ":memory:":
            return
    elif not event.startswith(_EFFECTS):
        return
    denied.append(event)
    raise CannotJudge(f"it would change something outside: {event}")


def deny() -> None:
    """From now on, in this process and its forks."""
    sys.dont_write_bytecode = True
    sys.addaudithook(_hook)
