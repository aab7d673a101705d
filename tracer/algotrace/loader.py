"""From source to instrumented code: what a recorded module is made of, and the import hook that makes it.

Python's own loaders of source files, and of those in zip archives, hand out instrumented code of files in scope.
The loader never touches `__pycache__`; instrumented code has a cache of its own.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib._bootstrap as _bootstrap
import importlib.machinery
import importlib.util
import marshal
import os
import sys
import types
import zipimport
from array import array
from time import monotonic
from typing import Any
from collections.abc import Callable

from algotrace import binding, code_cache
from algotrace.copied_objects import expect_copies
from algotrace.appending import expect_special
from algotrace.class_tables import look_around
from algotrace.collecting import NO_COLLECTION
from algotrace.hooks import Objects
from algotrace.instrument import Instrumenter
from algotrace.left_frames import keeping_lines
from algotrace.marks import plain_tables
from algotrace.quiet_lookups import says_what_is_equal
from algotrace.scope import Scope, display_path
from algotrace.strangers import expect_given, expect_making, expect_names, note_left_alone, note_recorded
from algotrace.streams import RECORDED, UNITS, StoredTables
from algotrace.trace_file import packed_json, packed_text
from algotrace.undo import expect_own_equal
from algotrace.unwarned import RAISE, unwarned

left_out: dict[str, str] = {}  # path (or path:line of a function) → reason


def instrumented_code(source: bytes, path: str, *, cached: bool = False) -> types.CodeType:
    """The recorded twin of `compile(source, path, "exec")`; falls back to the plain code, with a reason.

    With `cached`, code kept from an earlier run will do. The compiler's warnings come when they would unrecorded: not
    when Python has the plain code in `__pycache__`. Raises what `compile` raises: SyntaxError, ValueError.
    """
    ready = _kept_code(source, path) if cached else None
    if ready is not None:
        return ready
    plain: types.CodeType = _bootstrap._call_with_frames_removed(  # type: ignore[attr-defined]
        compile, source, path, "exec", dont_inherit=True
    )
    return _twin(plain, source, path, cached=cached)


def _kept_code(source: bytes, path: str) -> types.CodeType | None:
    kept = code_cache.read(source, path)
    if kept is None or (kept[WARNS] and not os.path.exists(importlib.util.cache_from_source(path))):
        return None
    return bound(kept, source, path)


def _twin(plain: types.CodeType, source: bytes, path: str, *, cached: bool = True) -> types.CodeType:
    kept = code_cache.read(source, path) if cached else None
    if kept is None:
        started = monotonic()
        kept = instrument(source, path)
        if type(kept) is str:
            left_out[path] = kept
            return plain
        if cached:
            _patience.took(monotonic() - started)
            code_cache.write(source, path, kept)
    return bound(kept, source, path)


class _Patience:
    """Says once, on a terminal, why the first run of a large program takes long before it does anything."""

    AFTER = 2.0  # seconds

    def __init__(self) -> None:
        self._seconds = 0.0

    def took(self, seconds: float) -> None:
        before, self._seconds = self._seconds, self._seconds + seconds
        if before < self.AFTER <= self._seconds:
            with contextlib.suppress(OSError):
                if os.isatty(2):
                    os.write(
                        2,
                        b"algotrace: preparing the program's files (once: they are kept for the next run)\n",
                    )


_patience = _Patience()


def bound(kept: Any, source: bytes, path: str) -> types.CodeType:
    """Code that can be run, of what `instrument` made; its file is one of the recorded ones from now on."""
    places, routines, labels, counts, packed, left_alone, _, stored, given, changing, gives_loaders = kept
    for name, line, reason, _ in left_alone:
        left_out[f"{path}:{line}"] = f"{name}: {reason}"
    note_recorded(path)
    expect_given(given, changing=changing)
    expect_names(expect_special(source))
    expect_making(source, gives_loaders=gives_loaders)
    expect_copies(source)
    if says_what_is_equal(source):
        expect_own_equal()
    if left_alone:
        note_left_alone(name for name, *_ in left_alone)
    with NO_COLLECTION:
        marks = UNITS.add(display_path(path), path, routines, labels, counts, packed, StoredTables(*stored))
        ready = binding.bound(places, marks, _objects, RECORDED)
        UNITS.remember_code(ready)
        if left_alone:
            _leave_alone(ready, {(name, first) for name, _, _, first in left_alone})
    return ready


def _leave_alone(code: types.CodeType, which: set[tuple[str, int]]) -> None:
    """Functions that are not recorded, by name and first line, with all that is in them. `("", 0)` stands for all."""
    for inner in code.co_consts:
        if type(inner) is types.CodeType:
            alone = ("", 0) in which or (inner.co_name, inner.co_firstlineno) in which
            if alone:
                RECORDED.discard(id(inner))
            _leave_alone(inner, {("", 0)} if alone else which)


_objects = Objects([])


def instrument(
    source: bytes,
    path: str,
    instrumenter_class: type[Instrumenter] = Instrumenter,
    parse: Callable[[bytes, str], ast.Module] = ast.parse,
) -> Any:
    """What to keep: code in pieces, routines and labels of marks marshalled, counts of routines and
    blocks, packed marks, functions left alone with reasons, whether the compiler warns, what a trace has of it. Or the
    reason why it cannot be done."""
    with NO_COLLECTION:
        try:
            return _instrument(source, path, instrumenter_class, parse)
        except RecursionError:
            limit = sys.getrecursionlimit()
            sys.setrecursionlimit(max(limit, _DEEP))
            try:
                return _instrument(source, path, instrumenter_class, parse)
            except RecursionError as error:
                return _reason(error)
            finally:
                sys.setrecursionlimit(limit)


_DEEP = 6000  # frames, for what is nested deeply


def _reason(error: BaseException) -> str:
    return f"it could not be instrumented ({type(error).__name__}: {error})"


MISTAKE = "a mistake of the recorder"


def _mistake(error: Exception) -> str:
    """The program must not feel it: the file runs as it is."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = (
        "" if place is None else f", {os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno}"
    )
    return f"{MISTAKE}: please report it ({type(error).__name__}: {error}{where})"


def _instrument(
    source: bytes,
    path: str,
    instrumenter_class: type[Instrumenter],
    parse: Callable[[bytes, str], ast.Module],
) -> Any:
    """Raises RecursionError."""
    try:
        warns = _warns(source)
        with unwarned() as name:
            tree = parse(source, name)
            text = importlib.util.decode_source(source)
            instrumenter = instrumenter_class(path, text)
            code = compile(instrumenter.module(tree), name, "exec", dont_inherit=True)
            code = keeping_lines(code, instrumenter.endings)
    except (SyntaxError, ValueError, MemoryError) as error:
        return _reason(error)
    except RecursionError:
        raise
    except Exception as error:
        return _mistake(error)
    routines, blocks, marks = plain_tables(instrumenter.unit)
    packed = array("i", (number for mark in marks for number in mark[:5])).tobytes()
    return (
        tuple(binding.unbound(code, path)),
        marshal.dumps(routines),
        marshal.dumps({number: mark[6] for number, mark in enumerate(marks) if mark[6]}),
        (len(routines), len(blocks)),
        packed,
        instrumenter.left_alone,
        warns,
        (*packed_text(text), packed_json((blocks, marks))),
        instrumenter.given_names,
        bool(instrumenter.kept_setters),
        instrumenter.gives_loaders,
    )


WARNS = 6  # a field


def _warns(source: bytes) -> bool:
    """Whether the compiler warns of something; that is shown by the plain compilation."""
    with unwarned(RAISE) as name:
        try:
            compile(source, name, "exec", dont_inherit=True)
        except (SyntaxError, Warning):
            return True
    return False


class _GetCode:
    """What stands in the place of one loader class's `get_code`: it hands out instrumented code of source in scope.

    Only to loaders of this very class: those derived from it may compile in their own way.
    """

    def __init__(self, loader_class: type[Any], scope: Scope) -> None:
        self.scope = scope
        self._loader_class = loader_class
        original = loader_class.get_code
        loader_class.get_code = functools.wraps(original)(_get_code(original, self._ready, loader_class))

    def _ready(self, loader: Any, fullname: str) -> types.CodeType | tuple[bytes, str] | None:
        """Instrumented code; or what is to be compiled first; or None for what is not recorded."""
        if type(loader) is not self._loader_class or not (path := self.path(loader, fullname)):
            return None
        source = loader.get_data(path)
        return _kept_code(source, path) or (source, path)

    def path(self, loader: Any, fullname: str) -> str:
        """The source file, where it is in scope; else nothing, and a reason is noted."""
        file: str = loader.get_filename(fullname)
        if not file.endswith((".py", ".pyw")):
            return ""
        if reason := self.scope.reason_to_leave_out(file, fullname):
            left_out[file] = reason
            return ""
        return file


def _get_code(original: Any, ready: Any, loader_class: type[Any]) -> Any:
    """A function, all on one line, that stands for another in tracebacks, those of SyntaxErrors outside of imports."""
    first, second = _lines_that_compile(loader_class)
    names: dict[str, Any] = {
        "original": original, "ready": ready, "twin": _twin, "Code": types.CodeType,
        "call": _bootstrap._call_with_frames_removed,  # type: ignore[attr-defined]
    }  # fmt: skip
    for line, text in (
        (second, "def source_to_code(self, data, path): return call(compile, data, path, 'exec', dont_inherit=True)"),
        (first, "def get_code(self, fullname): return made if type(made := ready(self, fullname)) is Code else "
                "original(self, fullname) if made is None else twin(source_to_code(self, *made), *made)"),
    ):  # fmt: skip
        exec(compile("\n" * (line - 1) + text, IMPORTLIB, "exec", dont_inherit=True), names)
    return names["get_code"]


def _lines_that_compile(loader_class: type[Any]) -> tuple[int, int]:
    """Where Python's own loader calls `source_to_code`, and that the compiler."""

    class Probe(importlib.machinery.SourceFileLoader):
        def get_data(self, path: Any) -> bytes:
            return b"("

        def path_stats(self, path: Any) -> Any:
            raise OSError

    lines = {}
    if loader_class is importlib.machinery.SourceFileLoader:
        try:
            Probe("probe", "probe.py").get_code("probe")
        except SyntaxError as error:
            entry = error.__traceback__
            while entry is not None:
                lines[entry.tb_frame.f_code.co_name] = entry.tb_lineno
                entry = entry.tb_next
    return lines.get("get_code", 1), lines.get("source_to_code", 1)


# Libraries that start processes, compile code of the program or change its classes: the module of ours whose `adapt` is called
# with each once it has been imported.
_ADAPTED = {
    "_pytest.assertion.rewrite": "algotrace.pytest_modules",
    "_pytest.monkeypatch": "algotrace.patched_names",
    "copy": "algotrace.copied_objects",
    "multiprocessing.spawn": "algotrace.children",
    "multiprocessing.util": "algotrace.children",
    "pkgutil": "algotrace.run_path",
    "unittest.mock": "algotrace.mocks",
}


def _exec_and_adapt(
    loader: importlib.machinery.SourceFileLoader, scope: Scope, module: types.ModuleType
) -> None:
    del loader.exec_module  # ours, of this one loader
    loader.exec_module(module)
    adapt(module, scope)


def adapt(module: types.ModuleType, scope: Scope) -> None:
    importlib.import_module(_ADAPTED[module.__name__]).adapt(module, scope)


# Python drops importlib's frames from the traceback of a failing import, but only an unbroken run of them: our
# functions on that path pass for importlib's.
IMPORTLIB = "<frozen importlib._bootstrap_external>"
for _function in (instrumented_code, _twin, _kept_code, _GetCode._ready, _exec_and_adapt):
    _function.__code__ = _function.__code__.replace(co_filename=IMPORTLIB)


class Finder:
    """A meta path finder that asks the one it wraps, and sees to what is `_ADAPTED`."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def find_spec(
        self, name: str, path: Any = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        look_around()
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if name in _ADAPTED and spec is not None:
            loader = spec.loader
            if type(loader) is importlib.machinery.SourceFileLoader:
                loader.exec_module = functools.partial(_exec_and_adapt, loader, self.scope)  # type: ignore[method-assign]
        return spec

    def invalidate_caches(self) -> None:
        importlib.machinery.PathFinder.invalidate_caches()


def install(scope: Scope) -> None:
    """Have what is imported from now on recorded. Our finder stands where PathFinder does, so that finders of the
    program's own keep their place."""
    if any(type(present) is Finder for present in sys.meta_path):
        return  # a fork server's, in its child
    for loader_class in (importlib.machinery.SourceFileLoader, zipimport.zipimporter):
        _GetCode(loader_class, scope)
    for name in _ADAPTED:
        if name in sys.modules:
            adapt(sys.modules[name], scope)
    position = next(
        (i for i, f in enumerate(sys.meta_path) if f is importlib.machinery.PathFinder), len(sys.meta_path)
    )
    sys.meta_path.insert(position, Finder(scope))
