"""Instrumented code kept between runs, so that a second run of a large project starts about as fast as an unrecorded one.

One file per source file and its content, this Python and this version of the recorder, in the user's cache folder
(`ALGOTRACE_CACHE` names another; empty: no cache). Like `__pycache__` it holds code that will be executed, so it lies
where only the user can write. Whatever goes wrong here only means that a file is instrumented again.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import marshal
import os
import sys
from typing import Any

# $ALGOTRACE_CACHE - folder of the cache; empty for none.
_VARIABLE = "ALGOTRACE_CACHE"

# Modules that decide what instrumented code is like, and how it is kept: with what they import.
MAKING = (
    "appending", "binding", "changed_parts", "class_tables", "code_cache", "computing", "content", "deletions",
    "exception_table", "held", "inherited_lines", "instrument", "instrument_bound", "instrument_calls",
    "instrument_expressions", "instrument_handed", "instrument_made_again", "instrument_makers", "instrument_names",
    "instrument_namespaces", "instrument_operations", "instrument_sleeping", "instrument_statements", "instrument_stores", "left_frames",
    "library_code", "loader", "marks", "mutators", "places", "pytest_modules", "quiet_lookups", "strangers", "streams", "syntax",
    "textual", "through_views", "trace_file", "undo", "unwarned", "views", "weak_proxies",
)  # fmt: skip


@functools.cache
def _folder() -> str:
    chosen = os.environ.get(_VARIABLE)
    if chosen is not None:
        return os.path.abspath(chosen) if chosen else ""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "algotrace") if os.path.isabs(base) else ""


@functools.cache
def _version() -> bytes:
    """Changes with Python's bytecode and with the source of what makes instrumented code."""
    digest = hashlib.blake2b(importlib.util.MAGIC_NUMBER + sys.version.encode())
    here = os.path.dirname(os.path.abspath(__file__))
    for name in MAKING:
        with open(os.path.join(here, name + ".py"), "rb") as file:
            digest.update(file.read())
    return digest.digest()


def _path(source: bytes, path: str, variant: bytes) -> str:
    digest = hashlib.blake2b(_version(), digest_size=20)
    digest.update(os.fsencode(path) + b"\0" + variant + b"\0")
    digest.update(source)
    name = digest.hexdigest()
    return os.path.join(_folder(), name[:2], name[2:])


def read(source: bytes, path: str, variant: bytes = b"") -> Any:
    """What `write` was given for this source, or None; `variant` names another way of compiling it."""
    try:
        if not _folder():
            return None
        with open(_path(source, path, variant), "rb") as file:
            value = marshal.loads(file.read())
        return value if type(value) is tuple else None
    except (OSError, ValueError, EOFError, TypeError):
        return None


def write(source: bytes, path: str, value: Any, variant: bytes = b"") -> None:
    """Keep `value`: code, tuples, lists and scalars."""
    try:
        if not _folder():
            return
        target = _path(source, path, variant)
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        partial = f"{target}.{os.getpid()}"
        with open(partial, "wb") as file:
            file.write(marshal.dumps(value))
        os.replace(partial, target)
    except (OSError, ValueError):
        return
