"""From source to instrumented code: what a recorded module is made of, and the import hook that makes it.

The hook wraps what `sys.path` finds: a plain source file in scope gets our loader, everything else is as before.
The loader never touches `__pycache__`. Not here: a cache of instrumented code.
"""

from __future__ import annotations

import ast
import importlib._bootstrap as _bootstrap
import importlib.machinery
import importlib.util
import sys
import types
import warnings
from typing import Any

from algotrace.hooks import Objects
from algotrace.instrument import Instrumenter
from algotrace.scope import Scope, display_path
from algotrace.streams import UNITS
from algotrace.syntax import bind

left_out: dict[str, str] = {}  # path (or path:line of a function) → reason


def instrumented_code(source: bytes | str, path: str) -> types.CodeType:
    """The recorded twin of `compile(source, path, "exec")`; falls back to the plain code, with a reason.

    Raises what `compile` raises: SyntaxError, ValueError.
    """
    plain: types.CodeType = _bootstrap._call_with_frames_removed(  # type: ignore[attr-defined]
        compile, source, path, "exec", dont_inherit=True
    )
    text = importlib.util.decode_source(source) if isinstance(source, bytes) else source
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(max(limit, 6000))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the plain compilation has warned already
            tree = ast.parse(source, path)
            instrumenter = Instrumenter(path, text)
            code = compile(instrumenter.module(tree), path, "exec", dont_inherit=True)
    except (RecursionError, SyntaxError, ValueError, MemoryError) as error:
        left_out[path] = f"it could not be instrumented ({type(error).__name__}: {error})"
        return plain
    finally:
        sys.setrecursionlimit(limit)
    for name, line, reason in instrumenter.left_alone:
        left_out[f"{path}:{line}"] = f"{name}: {reason}"
    unit = instrumenter.unit._replace(path=display_path(path))
    bound = bind(code, Objects(UNITS.add(unit, text, path)))
    UNITS.remember_code(bound)
    return bound


class Loader(importlib.machinery.SourceFileLoader):
    """Loads one source file, instrumented."""

    def get_code(self, fullname: str) -> types.CodeType:
        path = self.get_filename(fullname)
        return instrumented_code(self.get_data(path), path)


# Python drops importlib's frames from the traceback of a failing import, but only an unbroken run of them: our two
# functions on that path pass for importlib's.
IMPORTLIB = "<frozen importlib._bootstrap_external>"
for _function in (instrumented_code, Loader.get_code):
    _function.__code__ = _function.__code__.replace(co_filename=IMPORTLIB)


class Finder:
    """A meta path finder that asks the one it wraps, then swaps the loader of files in scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def find_spec(
        self, name: str, path: Any = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader:
            return spec
        file = spec.origin or ""
        if reason := self.scope.reason_to_leave_out(file, name):
            left_out[file] = reason
        else:
            spec.loader = Loader(spec.loader.name, file)
        return spec

    def invalidate_caches(self) -> None:
        importlib.machinery.PathFinder.invalidate_caches()


def install(scope: Scope) -> Finder:
    """Put our finder where PathFinder stands, so that finders of the program's own keep their place."""
    finder = Finder(scope)
    position = next(
        (i for i, f in enumerate(sys.meta_path) if f is importlib.machinery.PathFinder), len(sys.meta_path)
    )
    sys.meta_path.insert(position, finder)  # type: ignore[arg-type]
    return finder
