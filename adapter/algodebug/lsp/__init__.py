"""The language server (`algodebug lsp`): code lenses on recorded functions, the verdict, values of names.

Importing this package is cheap. The LSP libraries take half a second to import, so they are imported when the
server starts, and nothing else in `algodebug` imports them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

EXIT_USAGE = 64


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"algodebug lsp: {message}; it takes no arguments but --stdio", file=sys.stderr)
        sys.exit(EXIT_USAGE)


def main(argv: Sequence[str]) -> int:
    """Serves one editor window on standard input and output until it says goodbye or goes away."""
    parser = _Arguments(prog="algodebug lsp", description="Code lenses for recorded functions, over LSP.")
    parser.add_argument(
        "--stdio", action="store_true", help="talk on standard input and output (the default)"
    )
    # Some clients tell their process id on the command line, too; `initialize` carries it anyway.
    parser.add_argument("--clientProcessId", help=argparse.SUPPRESS)
    parser.parse_args(argv)

    from algodebug.lsp.server import serve_stdio

    return serve_stdio()
