"""Whether the program can have more threads than its main one: as long as not, where its events go is found faster.

`ALONE.events` is the main thread's stream until a second thread may run recorded code, then None for good. Threads are
started by `_thread`, and by extension modules in their own ways; all of these are watched. Where somebody may do
either behind our back, the program counts as not alone from the beginning.
"""

from __future__ import annotations

import _thread
import functools
import importlib.machinery
import sys
import sysconfig
import threading
import types
from typing import Any
from collections.abc import Callable

from algotrace import BUILTINS
from algotrace.streams import ALONE

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_STARTERS = ("start_new_thread", "start_new", "start_joinable_thread", "_start_new_thread", "_start_joinable_thread")  # fmt: skip
# Of the standard library's extension modules, those that call Python in threads which Python did not start.
_FOREIGN = frozenset({"_ctypes", "_testcapi", "_testinternalcapi"})
# Packages whose extension modules do not.
_OWN_THREAD = frozenset({"markupsafe", "numpy", "pandas", "yaml"})
_STANDARD = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib"))
_SITE = ("site-packages", "dist-packages")


def watch() -> None:
    """From now on; the program has not begun."""
    starters = {id(getattr(_thread, name)) for name in _STARTERS if hasattr(_thread, name)}
    if len(sys._current_frames()) > 1 or any(map(_may_start_threads, list(sys.modules.values()), [starters] * len(sys.modules))):  # fmt: skip
        _end_being_alone()
        return
    undo: list[Callable[[], None]] = []

    def no_longer_alone() -> None:
        _end_being_alone()
        while undo:
            undo.pop()()

    def replace(owner: Any, name: str, made: Callable[[Any], Any]) -> None:
        original = getattr(owner, name)
        setattr(owner, name, made(original))
        undo.append(lambda: setattr(owner, name, original))

    made: dict[int, Any] = {}

    def starting(original: Any) -> Any:
        @functools.wraps(original)
        def start(*arguments: Any, **named: Any) -> Any:
            no_longer_alone()
            return original(*arguments, **named)

        return made.setdefault(id(original), start)

    for module in (_thread, threading):
        for name in _STARTERS:
            if hasattr(module, name):
                replace(module, name, starting)

    def loading(original: Any) -> Any:
        @functools.wraps(original)
        def create_module(self: Any, spec: Any) -> Any:
            if not _is_harmless(spec.name, spec.origin):
                no_longer_alone()
            return original(self, spec)

        create_module.__code__ = create_module.__code__.replace(co_filename=original.__code__.co_filename)  # type: ignore[attr-defined]
        return create_module

    replace(importlib.machinery.ExtensionFileLoader, "create_module", loading)


def _end_being_alone() -> None:
    ALONE.over = True
    ALONE.events = None


def _may_start_threads(module: Any, starters: set[int]) -> bool:
    """Whether a module that is there already starts threads unseen, or has what starts them under another name."""
    if not isinstance(module, types.ModuleType) or module in (_thread, threading):
        return False
    namespace = vars(module)
    file = namespace.get("__file__")
    if isinstance(file, str) and file.endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES)):
        return not _is_harmless(module.__name__, file)
    ours = module.__name__ == "algotrace.spill"
    return not ours and any(id(value) in starters for value in list(namespace.values()))


def _is_harmless(name: str, file: Any) -> bool:
    if name.partition(".")[0] in _OWN_THREAD:
        return True
    standard = (
        isinstance(file, str) and file.startswith(_STANDARD) and not any(part in file for part in _SITE)
    )
    return standard and name not in _FOREIGN
