"""Child processes that multiprocessing starts anew (`spawn`, `forkserver`) are recorded too, each in a trace of its own
beside the parent's, which it names as its parent.

What a child needs to know travels in the data that multiprocessing sends it before all else: while that is unpickled
the recorder is loaded, before the program's main module is. Command line, `sys.argv`, `sys.path` and environment stay
as they are. `ALGOTRACE_CHILDREN=0` leaves all children unrecorded, forked ones too.

Not here: forks (`endings`), and Python programs that are started as commands, which are programs of their own.
"""

from __future__ import annotations

import functools
import os
import types
from typing import Any, NamedTuple

from algotrace import loader
from algotrace.scope import Scope

# $ALGOTRACE_CHILDREN - "0" leaves child processes unrecorded.
_VARIABLE = "ALGOTRACE_CHILDREN"
_FOLDER = os.path.dirname(os.path.abspath(__file__))

# Loads the recorder by path and calls a function of this module; where that fails the child goes on unrecorded.
_LOAD = """
try:
    import importlib.util, os, sys
    if "algotrace" not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            "algotrace", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
        )
        package = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(package)
        sys.modules["algotrace"] = package
    import algotrace.children
    getattr(algotrace.children, function)(*arguments)
except Exception:
    pass
"""


class Heritage(NamedTuple):
    """What a child takes over from the process that starts it."""

    trace: str  # of the first process; its children's traces stand beside it
    scope: tuple[tuple[str, ...], tuple[str, ...]]
    limits: tuple[int | None, ...]  # see `spill.Limits`
    environment: dict[str, Any]
    parent: dict[str, Any]  # its process id, the time there, and whether it is a child itself


class Starts:
    """Who is asked what a child is to take over: the recording, while there is one."""

    def heritage(self) -> Heritage:
        raise NotImplementedError


_starts: list[Starts] = []
_scopes: list[Scope] = []


def are_recorded() -> bool:
    return os.environ.get(_VARIABLE) != "0"


def follow(recording: Starts) -> None:
    """Have the children of this process recorded from now on."""
    _starts[:] = [recording]


def leave() -> None:
    _starts.clear()


def adapt(module: types.ModuleType, scope: Scope) -> None:
    """Called when one of the modules of multiprocessing that start processes has been imported."""
    if module.__name__ == "multiprocessing.spawn":
        _adapt_spawn(module)
    else:
        _adapt_forkserver(module, scope)


class _Enter:
    """Pickled as a call that loads the recorder, of a builtin function: the child knows no other."""

    def __init__(self, heritage: Heritage) -> None:
        self.heritage = heritage

    def __reduce__(self) -> Any:
        return exec, (_LOAD, _names("enter", *self.heritage))


def _names(function: str, *arguments: Any) -> dict[str, Any]:
    return {"folder": _FOLDER, "function": function, "arguments": arguments}


def _adapt_spawn(spawn: Any) -> None:
    original = spawn.get_preparation_data

    @functools.wraps(original)
    def get_preparation_data(name: str) -> dict[str, Any]:
        data: dict[str, Any] = original(name)
        if _starts and are_recorded():
            data["algotrace"] = _Enter(_starts[0].heritage())
        return data

    spawn.get_preparation_data = get_preparation_data


def _adapt_forkserver(util: Any, scope: Scope) -> None:
    """The server may import the program's main module for its children: it needs the import hook."""
    original = util.spawnv_passfds

    @functools.wraps(original)
    def spawnv_passfds(path: Any, arguments: Any, descriptors: Any) -> Any:
        words = list(arguments)
        if _starts and are_recorded() and words[-2:-1] == ["-c"]:
            command = words[-1]
            if isinstance(command, str) and command.startswith(
                "from multiprocessing.forkserver import main;"
            ):
                words[-1] = f"exec({_LOAD!r}, {_names('serve', *scope)!r}); {command}"
        return original(path, words, descriptors)

    util.spawnv_passfds = spawnv_passfds


def serve(include: tuple[str, ...], exclude: tuple[str, ...]) -> None:
    """In a fork server: what it imports is instrumented, for its children; itself leaves no trace."""
    loader.install(Scope(include, exclude))


def enter(
    trace: str,
    scope: tuple[tuple[str, ...], tuple[str, ...]],
    limits: tuple[int | None, ...],
    environment: dict[str, Any],
    parent: dict[str, Any],
) -> None:
    """In a child: begin to record."""
    from algotrace.runner import Recording

    Recording.of_child(Heritage(trace, scope, limits, environment, parent))
