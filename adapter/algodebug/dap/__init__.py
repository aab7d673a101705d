"""The debug server (`algodebug dap`): an ordinary Python debugger that asks questions when the program has ended.

It speaks the Debug Adapter Protocol, on standard input and output or, with `--port`, to whoever connects.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

EXIT_USAGE = 64
EXIT_CANNOT_LISTEN = 73


class _Stop(Exception):
    """Somebody wants this process to end."""


def main(argv: Sequence[str]) -> int:
    """Serves one client on standard input and output, or any number of them, one after another or at once, on a port."""
    arguments = _parse(argv)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _raise_stop)
    if arguments.port is None:
        # From here on nothing else reads or writes what the client is on.
        # Without buffers: closing a buffered stream waits for the thread that reads from it.
        reader, writer = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0)
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        os.dup2(nowhere, 1)
        os.close(nowhere)

    from algodebug.dap import channel, server

    channel.log_to(arguments.log_dir)
    try:
        if arguments.port is None:
            server.serve(
                channel.over_pipes(reader, writer, "client"), arguments.log_dir, arguments.answers_of
            )
        else:
            server.listen(arguments.host, arguments.port, arguments.log_dir)
    except _Stop:
        pass
    except OSError as error:
        print(f"algodebug dap: {error.strerror or error}", file=sys.stderr)
        return EXIT_CANNOT_LISTEN
    if arguments.port is None:
        # The thread that waits for the client's next message cannot be woken and must not keep the process.
        os._exit(0)
    return 0


def _raise_stop(*_: object) -> NoReturn:
    raise _Stop


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"algodebug dap: {message}; see algodebug dap --help", file=sys.stderr)
        sys.exit(EXIT_USAGE)


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = _Arguments(prog="algodebug dap", description="A debugger that asks questions, over DAP.")
    parser.add_argument("--port", type=int, help="wait for clients on this port (0: any free one)")
    parser.add_argument("--host", default="127.0.0.1", help="the address to wait on (default: %(default)s)")
    parser.add_argument("--log-dir", metavar="DIR", help="keep logs of the conversations in this folder")
    parser.add_argument(
        "--answers-of",
        type=Path,
        metavar="TRACE",
        help="the recording of an earlier run: what was answered about it and still applies is not asked again",
    )
    return parser.parse_args(argv)
