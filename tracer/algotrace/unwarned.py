"""Compiling a second time, for ourselves: the program hears the compiler's warnings once, as it does unrecorded.

The filters of `warnings` are the whole process's, and to exchange them for a while (`catch_warnings`) is seen by all: what
another thread warns of meanwhile is lost, and what is shown once for each place is shown again. So one filter is put before
the others that is of a file which nobody else can have. Not here: who compiles, see `loader`.
"""

from __future__ import annotations

import contextlib
import itertools
import warnings
from typing import Any
from collections.abc import Iterator

from algotrace import BUILTINS

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

IGNORE, RAISE = (
    "ignore",
    "error",
)  # what to do with a warning: as an exception, the compiler makes a SyntaxError of it
_next = itertools.count(1).__next__


@contextlib.contextmanager
def unwarned(action: str = IGNORE) -> Iterator[str]:
    """Gives the name of a file to compile as: what warnings there are of that reach nobody."""
    name = f"<algotrace: {_next()}>"
    ours = (action, None, Warning, name, 0)
    before: Any = warnings.filters
    if type(before) is list:
        before.insert(0, ours)
    try:
        yield name
    finally:
        _remove(ours, before)
        if warnings.filters is not before:  # the program exchanged them meanwhile
            _remove(ours, warnings.filters)


def _remove(ours: tuple[Any, ...], filters: Any) -> None:
    if type(filters) is list:
        for place, each in enumerate(filters):
            if each is ours:
                del filters[place]
                return
