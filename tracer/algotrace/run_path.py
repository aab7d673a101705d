"""Files that `runpy.run_path` runs, such as the main module in a child process of multiprocessing.

runpy compiles them itself, after `pkgutil.read_code` has said that they are not compiled yet: there it gets instrumented
code. Whatever is wrong with a file it sees for itself.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

from algotrace import loader
from algotrace.scope import Scope, display_path


def adapt(pkgutil: Any, scope: Scope) -> None:
    """Called when `pkgutil` has been imported."""
    original = pkgutil.read_code

    @functools.wraps(original)
    def read_code(stream: Any) -> types.CodeType | None:
        code: types.CodeType | None = original(stream)
        caller = sys._getframe(1)
        if code is not None or caller.f_globals.get("__name__") != "runpy":
            return code
        path = caller.f_locals.get("fname")
        return _instrumented(stream, path, scope) if type(path) is str else None

    pkgutil.read_code = read_code


def _instrumented(stream: Any, path: str, scope: Scope) -> types.CodeType | None:
    if reason := scope.reason_to_leave_out(display_path(path), "__main__"):
        loader.left_out[display_path(path)] = reason
        return None
    try:
        stream.seek(0)
        return loader.instrumented_code(stream.read(), path, cached=True)
    except Exception:
        return None
