"""Other tools that watch a program run, each as it is switched on around a piece of work.

Each is set to the program's own files and to the most it can record of them, unless its name says otherwise. Python
has no place for some of them: `reason_not_to_run` says which version they need.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
import tempfile
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from installed import FOLDER, PROGRAMS, python_version

SCOPE = (str(FOLDER) + os.sep, str(PROGRAMS) + os.sep)
_NOT_MEASURED = os.path.join(str(FOLDER), "pyperf") + os.sep


def in_scope(file: str) -> bool:
    return file.startswith(SCOPE) and not file.startswith(_NOT_MEASURED)


class Tool:
    """`start` and `stop` are called around the work, the others before and after; by default each does nothing."""

    package: ClassVar[str] = ""  # on the index; "" for what Python brings along
    needs: ClassVar[tuple[str, ...]] = ()  # to install instead of all that the package asks for
    records: ClassVar[str] = ""
    values: ClassVar[str] = (
        "none"  # "calls": arguments and results; "lines": changed variables; "all": every expression
    )
    own_programs_only: ClassVar[bool] = False  # not for programs of several modules
    slowdown: ClassVar[float] = 1  # what to expect: decides how much work it gets
    versions: ClassVar[tuple[tuple[int, int], tuple[int, int]]] = ((3, 10), (3, 99))

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def reason_not_to_run(cls) -> str:
        first, last = cls.versions
        if python_version() < first:
            return f"needs Python {first[0]}.{first[1]} or newer"
        return f"needs Python {last[0]}.{last[1]} or older" if python_version() > last else ""

    def before_import(self) -> None: ...
    def after_import(self) -> None: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...
    def save(self) -> None: ...


class Plain(Tool):
    records = "nothing"


class LineTracer(Tool):
    records = "nothing: a Python function that does nothing, called for every call, line and return"
    slowdown = 7

    def start(self) -> None:
        scope: dict[str, bool] = {}

        def line(frame: types.FrameType, event: str, argument: Any) -> Any:
            return line

        def call(frame: types.FrameType, event: str, argument: Any) -> Any:
            file = frame.f_code.co_filename
            inside = scope.get(file)
            if inside is None:
                inside = scope[file] = in_scope(file)
            return line if inside else None

        sys.settrace(call)

    def stop(self) -> None:
        sys.settrace(None)


class Monitoring(Tool):
    records = "nothing: a Python function that does nothing, called for every line and return"
    slowdown = 7
    versions = ((3, 12), (3, 99))

    def start(self) -> None:
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        events = monitoring.events

        def entered(code: types.CodeType, offset: int) -> Any:
            if in_scope(code.co_filename):
                monitoring.set_local_events(4, code, events.LINE | events.PY_RETURN)
            return monitoring.DISABLE

        def ignore(code: types.CodeType, *arguments: object) -> None:
            pass

        monitoring.use_tool_id(4, "benchmark")
        monitoring.register_callback(4, events.PY_START, entered)
        monitoring.register_callback(4, events.LINE, ignore)
        monitoring.register_callback(4, events.PY_RETURN, ignore)
        monitoring.set_events(4, events.PY_START)

    def stop(self) -> None:
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        monitoring.free_tool_id(4)


class Coverage(Tool):
    package = "coverage"
    records = "which lines ran"
    slowdown = 7

    def before_import(self) -> None:
        module = importlib.import_module("coverage")
        files = [folder + "*" for folder in SCOPE]
        self._coverage = module.Coverage(
            data_file=str(self.folder / "coverage"), include=files, config_file=False
        )

    def start(self) -> None:
        self._coverage.start()

    def stop(self) -> None:
        self._coverage.stop()

    def save(self) -> None:
        self._coverage.save()


class VizTracer(Tool):
    package = "viztracer"
    records = "calls with their times"
    slowdown = 5
    with_values = False

    def before_import(self) -> None:
        module = importlib.import_module("viztracer")
        self._tracer = module.VizTracer(
            tracer_entries=20_000_000,
            verbose=0,
            # What it does not follow hides what is called from there: ours, which call the program, are in.
            include_files=[folder.rstrip(os.sep) for folder in SCOPE] + [os.path.dirname(__file__)],
            log_func_args=self.with_values,
            log_func_retval=self.with_values,
            output_file=str(self.folder / "trace.json"),
        )

    def start(self) -> None:
        self._tracer.start()

    def stop(self) -> None:
        self._tracer.stop()

    def save(self) -> None:
        self._tracer.save()


class VizTracerValues(VizTracer):
    records = "calls with their times, and the repr() of every argument and result"
    values = "calls"
    slowdown = 60
    with_values = True


class Kolo(Tool):
    package = "kolo"
    records = "calls with their arguments, local variables at the return, and results"
    values = "calls"
    slowdown = 15

    def before_import(self) -> None:
        os.environ["KOLO_PATH"] = str(self.folder)
        core = importlib.import_module("kolo.core")
        self._enabled = core.enable({"filters": {}, "auto_emit": False})
        self._wait = core.wait_for_pending_saves

    def start(self) -> None:
        self._enabled.__enter__()

    def save(self) -> None:
        self._enabled.__exit__(None, None, None)
        self._wait(None)


class Hunter(Tool):
    package = "hunter"
    records = "calls with arguments, lines, returns with results, exceptions, as text"
    values = "calls"
    slowdown = 700

    def before_import(self) -> None:
        self._hunter = importlib.import_module("hunter")
        self._stream = (self.folder / "hunter.txt").open("w", encoding="utf-8")

    def start(self) -> None:
        query = self._hunter.Q(filename_startswith=SCOPE)
        self._tracer = self._hunter.trace(query, action=self._hunter.CallPrinter(stream=self._stream))

    def stop(self) -> None:
        self._tracer.stop()

    def save(self) -> None:
        self._stream.close()


class Decorating(Tool):
    """A tool that decorates: every function and method of the program, in every namespace that holds it."""

    def decorate(self, function: types.FunctionType) -> Any:
        raise NotImplementedError

    def after_import(self) -> None:
        made: dict[types.FunctionType, Any] = {}
        for namespace in list(_namespaces()):
            for name, value in list(vars(namespace).items()):
                function = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
                if not isinstance(function, types.FunctionType) or not in_scope(
                    function.__code__.co_filename
                ):
                    continue
                if function.__code__.co_flags & 0x80 or "__class__" in function.__code__.co_freevars:
                    continue  # coroutines, and methods that use super(), are beyond most of these tools
                if function not in made:
                    made[function] = self.decorate(function)
                decorated = made[function]
                setattr(namespace, name, type(value)(decorated) if function is not value else decorated)


def _namespaces() -> Iterator[Any]:
    for module in list(sys.modules.values()):
        if in_scope(getattr(module, "__file__", None) or ""):
            yield module
            for value in list(vars(module).values()):
                if isinstance(value, type) and value.__module__ == module.__name__:
                    yield value


class Snoop(Decorating):
    package = "snoop"
    records = "lines, and the repr() of each variable that changed, as text"
    values = "lines"
    slowdown = 2000

    def before_import(self) -> None:
        snoop = importlib.import_module("snoop")
        self._stream = (self.folder / "snoop.txt").open("w", encoding="utf-8")
        snoop.install(out=self._stream, color=False, builtins=False)
        self._decorate = snoop.snoop

    def decorate(self, function: types.FunctionType) -> Any:
        return self._decorate(function)

    def save(self) -> None:
        self._stream.close()


class PySnooper(Decorating):
    package = "PySnooper"
    records = "lines, and the repr() of each variable that changed, as text"
    values = "lines"
    slowdown = 2000

    def before_import(self) -> None:
        module = importlib.import_module("pysnooper")
        self._stream = (self.folder / "pysnooper.txt").open("w", encoding="utf-8")
        self._decorate = functools.partial(module.snoop, self._write, color=False)

    def _write(self, text: str) -> None:
        self._stream.write(text)

    def decorate(self, function: types.FunctionType) -> Any:
        return self._decorate()(function)

    def save(self) -> None:
        self._stream.close()


class Birdseye(Decorating):
    package = "birdseye"
    records = (
        "the value of every expression, shortened: the first and last iterations of loops, 'deep' values cut"
    )
    values = "all"
    slowdown = 5000

    def before_import(self) -> None:
        os.environ["BIRDSEYE_DB"] = f"sqlite:///{self.folder / 'birdseye.db'}"
        self._eye = importlib.import_module("birdseye").eye

    def decorate(self, function: types.FunctionType) -> Any:
        return self._eye(function)


class Pyccolo(Tool):
    package = "pyccolo"
    records = "what one handler is given that appends it to a list: statements, names, attributes, items, calls, returns"
    values = "all"
    slowdown = 700
    events: ClassVar[tuple[str, ...]] = (
        "before_stmt",
        "load_name",
        "after_attribute_load",
        "after_subscript_load",
        "after_call",
        "after_assign_rhs",
        "after_return",
        "after_if_test",
        "after_while_test",
        "before_attribute_store",
        "before_subscript_store",
        "after_function_execution",
    )

    def before_import(self) -> None:
        pyccolo = importlib.import_module("pyccolo")
        self.seen: list[object] = []
        append = self.seen.append

        def record(tracer: Any, value: Any, node: Any, *others: Any, **named: Any) -> None:
            append(value)

        events = [getattr(pyccolo, name) for name in self.events]
        body = {
            "should_instrument_file": lambda tracer, file: in_scope(file),
            "instrument_all_files": False,
            "record": pyccolo.register_handler(tuple(events))(record),
        }
        made = types.new_class(
            "Recorder", (pyccolo.BaseTracer,), {}, lambda namespace: namespace.update(body)
        )
        self._context = made.instance().tracing_enabled()  # type: ignore[attr-defined]
        self._context.__enter__()

    def stop(self) -> None:
        self._context.__exit__(None, None, None)


class PyccoloStatements(Pyccolo):
    records = "that a statement ran: one handler that appends to a list"
    values = "none"
    slowdown = 150
    events = ("before_stmt",)


class Cyberbrain(Decorating):
    package = "cyberbrain"
    records = "the values of the names of one call, and where each came from"
    values = "lines"
    slowdown = 1000
    versions = ((3, 7), (3, 10))

    def before_import(self) -> None:
        self._trace = importlib.import_module("cyberbrain").trace

    def decorate(self, function: types.FunctionType) -> Any:
        return self._trace(function)


class DebuggingBook(Tool):
    package = "debuggingbook"
    needs = ("ipython", "nbformat", "graphviz", "markdown")
    records = (
        "which lines each variable's value came from, for all runs of a line together; no values (its Slicer)"
    )
    values = "dependences"
    slowdown = 2000
    own_programs_only = True

    def before_import(self) -> None:
        # It follows what it calls, not what it is called by; it warns of methods.
        warnings.simplefilter("ignore")
        self._slicer = importlib.import_module("debuggingbook.Slicer").Slicer

    def after_import(self) -> None:
        self._slicers = []
        for module in list(sys.modules.values()):
            if in_scope(getattr(module, "__file__", None) or ""):
                own = [
                    value
                    for value in vars(module).values()
                    if getattr(value, "__module__", "") == module.__name__
                ]
                items = [value for value in own if isinstance(value, (types.FunctionType, type))]
                self._slicers.append(self._slicer(*items, globals=vars(module)))

    def start(self) -> None:
        for slicer in self._slicers:
            slicer.__enter__()

    def stop(self) -> None:
        for slicer in self._slicers:
            slicer.__exit__(None, None, None)


class DynaPyt(Tool):
    package = "dynapyt"
    records = (
        "what hooks that only count are given: reads, writes, branches, calls, entries and exits of functions"
    )
    values = "all"
    slowdown = 200

    def before_import(self) -> None:
        analyses = self.folder / "dynapyt_analyses-benchmark.txt"
        analyses.write_text("dynapyt_analysis.Count")
        os.environ["DYNAPYT_SESSION_ID"] = "benchmark"
        tempfile.tempdir = str(self.folder)


Kind = type[Tool]
TOOLS: dict[str, Kind] = {
    "plain": Plain,
    "settrace": LineTracer,
    "sys.monitoring": Monitoring,
    "coverage": Coverage,
    "viztracer": VizTracer,
    "viztracer, values": VizTracerValues,
    "kolo": Kolo,
    "hunter": Hunter,
    "pyccolo, statements": PyccoloStatements,
    "pyccolo": Pyccolo,
    "dynapyt": DynaPyt,
    "snoop": Snoop,
    "PySnooper": PySnooper,
    "debuggingbook": DebuggingBook,
    "birdseye": Birdseye,
    "cyberbrain": Cyberbrain,
}
