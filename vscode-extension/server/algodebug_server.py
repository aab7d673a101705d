"""Starts the bundled `algodebug` (`dap` or `lsp`) with nothing but the files beside this one.

The interpreter that runs it may belong to any environment: the bundled folders come first on the path, so what is
installed there neither helps nor disturbs.
"""

import sys
from pathlib import Path

if sys.version_info < (3, 10):
    sys.exit("Algorithmic Debug needs Python 3.10 or newer, this is " + sys.version.split()[0])

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "tool"), str(HERE / "libs")]

from algodebug.cli import main  # noqa: E402  (the path has to be set first)

if __name__ == "__main__":
    sys.exit(main())
