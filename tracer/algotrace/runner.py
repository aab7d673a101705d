"""Run a program recorded, as `python` would run it: same `__main__`, `sys.argv`, `sys.path`, exit code and traceback.

    python -m algotrace [--trace PATH] [--include GLOB]… [--exclude GLOB]… (FILE | -m MODULE | -c CODE) [ARGS…]

The trace is written by the last `atexit` handler, when threads are joined and the program's own handlers have run, or
just before the process ends in one of the ways that skip these (`endings`). A forked child leaves a trace of its own.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import gc
import functools
import importlib.machinery
import io
import os
import runpy
import sys
import threading
import time
import types
from pathlib import Path
from typing import Any
from collections.abc import Callable

from algotrace import BUILTINS, alone, children, collecting, disk, endings, loader
from algotrace.finish import write_trace
from algotrace.notes import notes, tests_ran_elsewhere
from algotrace.scope import Scope, display_path, reasons_of_modules
from algotrace.spill import MOST_EVENTS, Limits, Spill, Spilling, count_events, temporary_folder
from algotrace.streams import GATE, UNITS, all_streams, events_until_now
from algotrace.textual import qualname_of
from algotrace.undisturbed import Undisturbed
from algotrace.class_tables import forget_classes

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

# What of ours lies below the program on the stack (before 3.12 calls of C code count too): the recursion limit makes up.
FRAMES_BELOW = 2 if sys.version_info < (3, 12) else 1
USAGE, NO_FILE, CANNOT_WRITE = 64, 66, 73


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="algotrace", description="Run a Python program and record it.", allow_abbrev=False,
        usage="%(prog)s [options] (FILE | -m MODULE | -c CODE) [ARGS…]",
    )  # fmt: skip
    parser.add_argument(
        "--trace", metavar="PATH", help="where to write the trace (default: .algodebug/TIME-NAME.algotrace)"
    )
    parser.add_argument(
        "--include", metavar="GLOB", action="append", default=[], help="also record matching files or modules"
    )
    parser.add_argument(
        "--exclude",
        metavar="GLOB",
        action="append",
        default=[],
        help="do not record matching files or modules",
    )
    parser.add_argument(
        "--limit-events", metavar="N", type=int, help="stop the program when it has left N events"
    )
    parser.add_argument(
        "--limit-memory",
        metavar="SIZE",
        type=size,
        help="stop the program when it needs more memory, as 800M or 2G",
    )
    parser.add_argument(
        "--spill-events", metavar="N", type=int, default=MOST_EVENTS,
        help=f"keep at most N events in memory, the older ones in the trace file (default: {MOST_EVENTS})",
    )  # fmt: skip
    parser.add_argument("--quiet", action="store_true", help="do not say where the trace is")
    return parser


_WITH_VALUE = ("--trace", "--include", "--exclude", "--limit-events", "--limit-memory", "--spill-events")


def size(text: str) -> int:
    """Bytes: `800M`, `2G`, or a number."""
    unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:].upper(), 0)
    return int(float(text[:-1]) * unit) if unit else int(text)


def split_arguments(arguments: list[str]) -> tuple[list[str], str, str, list[str]]:
    """(our options, "file" | "module" | "code", the target, the program's arguments); the target is "" where none is."""
    index = 0
    while index < len(arguments):
        word = arguments[index]
        if word in ("-m", "-c"):
            rest = arguments[index + 1 :]
            return arguments[:index], "module" if word == "-m" else "code", rest[0] if rest else "", rest[1:]
        if word == "--":
            rest = arguments[index + 1 :]
            return arguments[:index], "file", rest[0] if rest else "", rest[1:]
        if not word.startswith("-"):
            return arguments[:index], "file", word, arguments[index + 1 :]
        index += 2 if word in _WITH_VALUE else 1
    return arguments, "file", "", []


def prepare(arguments: list[str]) -> Recording:
    """The recording of the program named by `arguments`, ready to run; exits where there is nothing to run."""
    options, kind, target, program_arguments = split_arguments(arguments)
    parsed = _parser().parse_args(options)
    if not target:
        fail("no program given", "name a FILE, or -m MODULE", USAGE)
    if kind == "file" and not os.path.exists(target):
        fail(f"no such file: {target}", "check the path", NO_FILE)
    scope = Scope(tuple(parsed.include), tuple(parsed.exclude))
    limits = Limits(parsed.limit_events, parsed.limit_memory, parsed.spill_events)
    return Recording(kind, target, program_arguments, parsed.trace, scope, limits, quiet=parsed.quiet)


def fail(message: str, hint: str, code: int) -> None:
    print(f"algotrace: {message} ({hint})", file=sys.stderr)
    sys.exit(code)


class Recording(children.Starts):
    """One recorded run of one program in this process: call `launch(*launch_arguments)`, then `note` what it raised.

    The caller does that at module level, so that of all our frames one lies below the program's. In a child process
    that multiprocessing has started (`of_child`) there is nothing to launch: the child does what it is there for.
    """

    def __init__(
        self,
        kind: str,
        target: str,
        arguments: list[str],
        trace: str | None,
        scope: Scope,
        limits: Limits,
        *,
        quiet: bool = False,
        parent: dict[str, Any] | None = None,
    ) -> None:
        self.again_and_again: Callable[[], None] | None = None
        self.trace = os.path.abspath(trace) if trace else None
        self.scope = scope
        self.quiet = quiet
        self.main_file = ""
        self.folder = os.getcwd()
        self.pid = os.getpid()
        self.started = time.time()
        self.exit: dict[str, Any] = {"kind": "normal", "code": 0, "text": ""}
        self.environment: dict[str, Any] = {
            "program": target, "kind": kind, "arguments": arguments, "cwd": self.folder, "started": self.started,
            "python": sys.version.split()[0], "executable": sys.executable,
        }  # fmt: skip
        self.parent = parent  # of a child: where it comes from
        self._writing = threading.RLock()
        self._is_written = self._is_being_written = self._forked = False
        self._spilling = Spilling(limits, self._partial_trace(), self._main_path, _say)
        self.launch: Callable[..., Any] = exec
        self.launch_arguments: tuple[Any, ...] = ()
        alone.watch()
        loader.install(scope)
        atexit.register(self.finish)
        # Before it, and without a call that they would see, the program's trace functions go.
        atexit.register(functools.partial(sys.settrace, None))
        atexit.register(functools.partial(sys.setprofile, None))
        self._withdraw = endings.install(self, worker=kind == "child")
        children.follow(self)
        self._undisturbed = Undisturbed(
            lambda: _say("writing the trace; interrupt once more to do without it")
        )
        try:
            if kind == "file":
                self._prepare_file(target, arguments)
            elif kind == "module":
                self._prepare_module(target, arguments)
            elif kind == "code":
                self._prepare_code(target, arguments)
        except BaseException as error:
            self.note(error)
            raise
        if kind != "child":
            sys.setrecursionlimit(sys.getrecursionlimit() + FRAMES_BELOW)
        self._spilling.again_and_again = self.again_and_again
        self._spilling.write_early = self._write_early
        self._spilling.start()
        # What is recorded stays alive, and each full collection walks it all again: let there be fewer of them.
        gc.callbacks.append(collecting.at_collection)
        young, middle, old = gc.get_threshold()
        gc.set_threshold(young, middle, max(old, 100))

    @classmethod
    def of_child(cls, heritage: children.Heritage) -> Recording:
        """The recording of this process, which multiprocessing has started for a recorded one."""
        trace, scope, limits, environment, parent = heritage
        recording = cls("child", "", [], trace, Scope(*map(tuple, scope)), Limits(*limits), parent=parent)  # type: ignore[arg-type]
        recording.environment.update(environment)
        return recording

    def heritage(self) -> children.Heritage:
        inherited = {name: self.environment[name] for name in ("program", "kind", "arguments")}
        parent = {
            "pid": self.pid,
            "time": self._spilling.spilled + events_until_now(),
            "is a child": self.parent is not None,
        }
        scope = (self.scope.include, self.scope.exclude)
        return children.Heritage(
            str(self._wanted_path(None)), scope, tuple(self._spilling.limits), inherited, parent
        )

    def note(self, error: BaseException) -> None:
        """Remember how the program ends; an uncaught exception is then printed without our frames."""
        cls = type(error)
        if issubclass(cls, SystemExit):
            self.exit = {"kind": "exit", "code": _exit_code(error), "text": ""}
            return
        self.exit = {"kind": "exception", "code": 1, "text": qualname_of(cls).rpartition(".")[2]}
        interrupted = issubclass(cls, KeyboardInterrupt)
        if interrupted:
            kind = "limit" if self._spilling.at_limit else "interrupt"
            self.exit = {"kind": kind, "code": 130, "text": "KeyboardInterrupt"}
        if (place := _own_mistake(error)) is not None:
            _say(
                f"this {self.exit['text']} is a mistake of the recorder, at {place}, not of the program: please report it; "
                "--exclude leaves the file out in which it comes up"
            )
        program = _without_ours(_traceback_of(error))
        print_exception, spilling = sys.excepthook, self._spilling

        def report(
            kind: type[BaseException], value: BaseException, traceback: types.TracebackType | None
        ) -> None:
            sys.excepthook = print_exception
            if value is error and interrupted and spilling.at_limit:
                return  # it was us who stopped the program, and we have said so
            if value is error:
                traceback = sys.last_traceback = program
                _set_traceback(value, program)
            if sys.version_info < (3, 11):  # does not show our frame
                print_exception(kind, value, traceback)
                return
            try:
                print_exception(kind, value, traceback)
            except BaseException as failed:
                below = _traceback_of(failed)
                _set_traceback(failed, None if below is None else below.tb_next)
                raise

        sys.excepthook = report

    def _main_module(self, **attributes: Any) -> dict[str, Any]:
        module = types.ModuleType("__main__")
        self._replaced = sys.modules["__main__"]  # the interpreter still uses its namespace when we return
        sys.modules["__main__"] = module
        namespace = module.__dict__
        namespace.clear()
        if sys.version_info < (3, 14):
            attributes.setdefault("__annotations__", {})
        attributes["__builtins__"] = sys.modules["builtins"]
        order = (
            "__name__",
            "__doc__",
            "__package__",
            "__loader__",
            "__spec__",
            "__annotations__",
            "__builtins__",
        )
        namespace["__name__"] = "__main__"
        namespace.update((name, attributes.pop(name)) for name in order if name in attributes)
        namespace.update(attributes)
        return namespace

    def _prepare_file(self, file: str, arguments: list[str]) -> None:
        sys.argv = [file, *arguments]
        if os.path.isdir(file) or (not file.endswith((".py", ".pyw")) and _is_zip(file)):
            sys.path[0] = os.path.abspath(file)
            self._main_module(__doc__=None, __package__=None, __spec__=None, __loader__=None)
            self.launch, self.launch_arguments = runpy._run_module_as_main, ("__main__", False)  # type: ignore[attr-defined]
            return
        if not _is_safe_path():
            sys.path[0] = os.path.dirname(os.path.realpath(file))
        with io.open_code(os.path.abspath(file)) as stream:
            source = stream.read()
        self.main_file = display_path(file)
        # As Python does: `__file__` is what was typed (made absolute since 3.9), the loader names the file.
        absolute = display_path(file)
        namespace = self._main_module(
            __file__=absolute, __cached__=None, __doc__=None, __package__=None, __spec__=None,
            __loader__=importlib.machinery.SourceFileLoader("__main__", absolute),
        )  # fmt: skip
        if reason := self.scope.reason_to_leave_out(absolute, "__main__"):
            loader.left_out[absolute] = reason
            code = compile(source, absolute, "exec", dont_inherit=True)
        else:
            code = loader.instrumented_code(_as_read(source, absolute), absolute)
        self.launch_arguments = (code, namespace)

    def _prepare_module(self, module: str, arguments: list[str]) -> None:
        sys.argv = ["-m", *arguments]
        if not _is_safe_path():
            sys.path[0] = os.getcwd()
        self._main_module(__doc__=None, __package__=None, __spec__=None, __loader__=None)
        # The interpreter's own way to run a module: same namespace, same messages, same frames in tracebacks.
        self.launch, self.launch_arguments = runpy._run_module_as_main, (module,)  # type: ignore[attr-defined]

    def _prepare_code(self, code: str, arguments: list[str]) -> None:
        sys.argv = ["-c", *arguments]
        sys.path[0] = ""
        self.main_file = display_path("<string>")
        namespace = self._main_module(__doc__=None, __package__=None, __spec__=None, __loader__=None)
        instrumented = loader.instrumented_code(code.encode(), "<string>")
        _let_be_shown(instrumented, code)
        self.launch_arguments = (instrumented, namespace)

    def _main_path(self) -> str:
        """The file of the main module; for a module it is known once it has been found."""
        if self.main_file:
            return self.main_file
        main = sys.modules.get("__main__")
        if not issubclass(type(main), types.ModuleType):
            return ""
        namespace = _namespace_of(main)
        spec = namespace.get("__spec__")
        origin = spec.origin if type(spec) is importlib.machinery.ModuleSpec else None
        if self.environment["kind"] == "file" and not origin:  # in a child that multiprocessing has started
            origin = namespace.get("__file__")
        return display_path(origin) if type(origin) is str else ""

    def finish(self) -> None:
        """Write the trace, once. Nothing that goes wrong here changes how the program ends."""
        self._write()
        # What only we kept alive may go now.
        with contextlib.suppress(ValueError):
            gc.callbacks.remove(collecting.at_collection)
        self._withdraw()
        children.leave()
        self.launch_arguments = ()
        self._spilling.let_all_go()
        for stream in all_streams:
            stream.drop(len(stream))
        forget_classes()

    def end(self, kind: str, code: int, text: str) -> None:
        """The process is about to end without `atexit` handlers."""
        if not self._is_being_written:
            self.exit = {"kind": kind, "code": code, "text": text}
        self._write()

    def before_exec(self, file: str) -> None:
        """The process is about to become another program. Should that fail, it goes on and is written again."""
        trace, profile = sys.gettrace(), sys.getprofile()
        before, self.exit = self.exit, {"kind": "exec", "code": 0, "text": file}
        self._undisturbed.goes_on = True
        self._write()
        self._undisturbed.goes_on = False
        self.exit, self._is_written = before, False
        self._spilling.start()
        sys.setprofile(profile)
        sys.settrace(trace)

    def before_fork(self) -> None:
        self._forked = True
        self._spilling.pause()

    def after_fork(self) -> None:
        if not (self._is_written or self._is_being_written):
            self._spilling.start_later()

    def in_child(self, events: int) -> Any:
        """This process is a forked child now: the trace is that of what it does itself. Returns what was the parent's.

        `events` more than had been spilled had been left before the fork.
        """
        parents = self._spilling
        time_of_fork = parents.spilled + events
        self.parent = {"pid": self.pid, "time": time_of_fork, "is a child": self.parent is not None}
        self.pid, self.started = os.getpid(), time.time()
        self.exit = {"kind": "normal", "code": 0, "text": ""}
        self._writing = threading.RLock()
        self._is_written = self._is_being_written = False
        self._spilling = Spilling(parents.limits, self._partial_trace(), self._main_path, _say)
        self._spilling.write_early = self._write_early
        if children.are_recorded():
            self._spilling.again_and_again = self.again_and_again
            self._spilling.start()
        else:
            self._is_written = True
        return parents

    def _write(self) -> None:
        with self._writing:
            if self._is_written or self._is_being_written:
                return
            if self.parent is not None and not (self._spilling.spilled or any(map(len, all_streams))):
                return  # a child that ran nothing of the program, one about to be another program for example
            self._is_being_written = True
            collecting.take_back()
            self._spilling.pause()
            try:
                with self._undisturbed, GATE:
                    self._write_somewhere()
            finally:
                self._is_being_written, self._is_written = False, True

    def _write_somewhere(self) -> None:
        environment = {**self.environment, "started": self.started, "pid": self.pid}
        environment.update(duration=time.time() - self.started, exit=self.exit, complete=True)
        environment["notes"] = notes(forked=self._forked)
        if self.parent is not None:
            pid = self.parent["pid"]
            trace = self._wanted_path(pid if self.parent["is a child"] else None)
            environment["parent"] = {"pid": pid, "trace": str(trace), "time": self.parent["time"]}
        if self._spilling.lost:
            return  # and said so
        recorded = {unit.path for unit in UNITS.units}
        reasons = loader.left_out | reasons_of_modules(self.scope, loader.left_out, recorded)
        failures: list[str] = []
        wanted = self._wanted_path(None if self.parent is None else self.pid)
        in_place = self._spilling.folder in ("", str(wanted.parent))
        if not in_place:  # a part of it is elsewhere already
            failures.append(f"{wanted} (its folder cannot be written)")
        need, full = disk.needed(self._spilling.spilled + count_events()), False
        if not self._spilling.folder and disk.is_better(temporary_folder(), str(wanted.parent), need):
            failures.append(f"{wanted} (there is no room for it)")
            in_place = False
        for temporary in (False, True):
            path = wanted
            try:
                if temporary or not in_place:
                    path = Path(self._spilling.folder or temporary_folder(), f"{self.pid}-{wanted.name}")
                path.parent.mkdir(parents=True, exist_ok=True)
                if path.parent.name == ".algodebug":
                    _keep_out_of_version_control(path.parent)
                full = True  # if this fails
                write_trace(self._spilling.open(str(path)), path, environment, reasons)
                if tests_ran_elsewhere():
                    _say(environment["notes"][0])
            except OSError as error:
                failures.append(f"{path} ({error.strerror or error})")
                if self._spilling.spilled:
                    break
            except KeyboardInterrupt:
                return _say("interrupted while writing the trace; the run is not recorded")
            except (
                BaseException
            ) as error:  # a fault of ours, or no memory: the program still ends as it would
                return _say(f"{type(error).__name__} while writing the trace; the run is not recorded")
            else:
                if failures:
                    _say(f"cannot write {failures[0]}; the trace is {path}")
                elif not (self.quiet or self.trace or self.parent):
                    _say(f"trace: {path}")
                for file, reason in loader.left_out.items():
                    if reason.startswith(loader.MISTAKE):
                        _say(f"{file} is not recorded: {reason}")
                return
        hint = f": {disk.advice(need)}" if full else ""
        _say(f"cannot write {' nor '.join(failures)}; the run is not recorded{hint}")

    def _write_early(self, spill: Spill, why: str) -> str:
        """While the program runs: what was spilled, when no more can be. Returns the trace's path. Raises OSError."""
        wanted = self._wanted_path(None if self.parent is None else self.pid)
        path = Path(self._spilling.folder or wanted.parent, wanted.name)
        environment = {**self.environment, "started": self.started, "pid": self.pid, "complete": False}
        environment.update(
            duration=time.time() - self.started, exit={"kind": "limit", "code": 0, "text": why}
        )
        environment["notes"] = [
            *notes(forked=self._forked),
            f"the recording ends before the program did: {why}",
        ]
        write_trace(spill, path, environment, dict(loader.left_out), early=True)
        return str(path)

    def _partial_trace(self) -> str:
        """Where a trace grows while the program runs; it gets its name at the end."""
        return self.trace or os.path.join(self.folder, ".algodebug", "run.algotrace")

    def _wanted_path(self, child: int | None) -> Path:
        """The trace of this run; with a process id, that of a forked child."""
        if self.trace:
            path = Path(self.trace)
        else:
            began = time.strftime("%Y%m%d-%H%M%S", time.localtime(self.environment["started"]))
            path = Path(
                self.folder, ".algodebug", f"{began}-{Path(self._main_path()).stem or 'run'}.algotrace"
            )
        return path if child is None else path.with_name(f"{path.stem}.{child}{path.suffix}")


def _keep_out_of_version_control(folder: Path) -> None:
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n")


def _say(line: str) -> None:
    if sys.__stderr__ is None:
        return  # there is no one to tell
    try:
        sys.__stderr__.write(f"algotrace: {line}\n")
        sys.__stderr__.flush()
    except Exception:  # closed, full, or written to by whom a signal interrupted
        return


def _as_read(source: bytes, path: str) -> bytes:
    """What the interpreter makes of null bytes when it reads a file itself; `compile` has another message.

    Python 3.10 overlooks the rest of their line. Raises SyntaxError.
    """
    before, null, after = source.partition(b"\0")
    if not null:
        return source
    if sys.version_info < (3, 11):
        read = before
        while null:
            before, null, after = after.partition(b"\n")[2].partition(b"\0")
            read += before
        return read
    line = before.count(b"\n") + 1
    text = before.rpartition(b"\n")[2].decode(errors="replace")
    raise SyntaxError("source code cannot contain null bytes", (path, line, None, text))


# As they are for all exceptions: a class of the program may have others.
_traceback_of = BaseException.__dict__["__traceback__"].__get__
_set_traceback = BaseException.__dict__["__traceback__"].__set__
_code_of_exit = SystemExit.__dict__["code"].__get__


def _exit_code(error: BaseException) -> int:
    code = _code_of_exit(error)
    if code is None:
        return 0
    return int.__index__(code) if issubclass(type(code), int) else 1


def _let_be_shown(code: types.CodeType, source: str) -> None:
    """From Python 3.13 on tracebacks show lines of code that was given on the command line, too."""
    if sys.version_info >= (3, 13):
        import linecache

        by_code = hasattr(linecache, "_interactive_cache")  # the first of them know it by its name
        linecache._register_code(code if by_code else "<string>", source, "<string>")


def _without_ours(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """Our frames below the program's, and that of our `os.execv` at its top, taken out of a traceback."""
    while traceback is not None and _is_ours(traceback.tb_frame.f_code.co_filename):
        traceback = traceback.tb_next
    entry = traceback
    while entry is not None:
        while entry.tb_next is not None and entry.tb_next.tb_frame.f_code.co_filename.startswith(_HERE):
            entry.tb_next = entry.tb_next.tb_next
        entry = entry.tb_next
    return traceback


def _own_mistake(error: BaseException) -> str | None:
    """Where code of ours that notes something raised what ends the program: file and line; None where it was somebody else."""
    traceback = _traceback_of(error)
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if (
        traceback is None
        or not issubclass(type(error), Exception)
        or issubclass(type(error), _OF_THE_OUTSIDE)
    ):
        return None
    file, line = traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
    name = file.removeprefix(_HERE)
    return f"{name}:{line}" if name != file and name not in _ON_BEHALF else None


def _is_ours(file: str) -> bool:
    return file.startswith(_HERE) or file in (loader.IMPORTLIB, "<frozen importlib._bootstrap>")


_namespace_of = vars(types.ModuleType)["__dict__"].__get__
_OF_THE_OUTSIDE = (OSError, MemoryError, RecursionError, SyntaxError)
_ON_BEHALF = frozenset(  # what they do is asked for by the program, and may fail
    {"__main__.py", "children.py", "endings.py", "loader.py", "pytest_modules.py", "run_path.py", "runner.py"}
)
_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def _is_zip(file: str) -> bool:
    try:
        with open(file, "rb") as stream:
            return stream.read(2) == b"PK"
    except OSError:
        return False


def _is_safe_path() -> bool:
    return bool(getattr(sys.flags, "safe_path", False))
