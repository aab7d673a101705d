"""Runs a program again with one of its evaluations, wherever it is, forced to another value.

A program is a folder: a script `program.py` with a function `main`, and modules and packages beside it. An evaluation is
told by its place and by how often the place was evaluated before, in modules, class bodies and lambdas, too. Left out: names
of what is called, what functions give that look at the names around them, annotations.

The program is imported once, and each forced run is a child process: what was evaluated while importing is forced in a
child that imports it anew.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.machinery
import os
import pickle
import signal
import sys
import traceback
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from forced_replay import Forcing, Place, TooLong, place_of

SCRIPT = "program.py"
_CALL = "\nmain()\n"
_LOOKING_AROUND = frozenset({"super", "locals", "vars", "dir", "globals", "eval", "exec"})
_SECONDS = 4  # that one forced run may take

Where = tuple[str, Place]  # a file in the folder, and a place in it


class Forced(NamedTuple):
    """One forced run."""

    shown: str  # what was forced to what
    given: list[str]  # by `main`


def write(folder: Path, text: str, others: Mapping[str, str] | None = None) -> None:
    """Writes a program down, so that it runs when its script does."""
    for file, content in {SCRIPT: text + _CALL, **(others or {})}.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(content, encoding="utf-8")


class _Forcing(Forcing):
    """Every expression goes through `force_((file, place), value)`."""

    def __init__(self, file: str) -> None:
        self._file = file

    def forced(self, place: Place, node: ast.expr) -> ast.expr:
        called = ast.Name("force_", ast.Load())
        return ast.Call(called, [ast.Constant((self._file, place)), node], [])

    def _body(self, body: list[ast.stmt]) -> list[Any]:
        return [
            each
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)  # what it says of itself
            else self.visit(each)
            for each in body
        ]

    def visit_Module(self, node: ast.Module) -> Any:
        node.body = self._body(node.body)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        node.body = self._body(node.body)
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        node.args.defaults = [self.visit(part) for part in node.args.defaults]
        node.args.kw_defaults = [part and self.visit(part) for part in node.args.kw_defaults]
        node.body = self._body(node.body)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        node.body = self.visit(node.body)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        node.value = node.value and self.visit(node.value)
        return node

    def visit_Match(self, node: ast.Match) -> Any:
        node.subject = self.visit(node.subject)
        for case in node.cases:
            case.guard = case.guard and self.visit(case.guard)
            case.body = self._body(case.body)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> Any:
        node.body = self._body(node.body)
        return node

    def visit_Delete(self, node: ast.Delete) -> Any:
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        place = place_of(node)
        self.visit_called(node)
        looks = isinstance(node.func, ast.Name) and node.func.id in _LOOKING_AROUND
        return node if looks else self.forced(place, node)


class _Loader(importlib.machinery.SourceFileLoader):
    """Modules of which every expression can be forced."""

    def __init__(self, program: ForcedProgram, name: str, path: str) -> None:
        super().__init__(name, path)
        self._program = program

    def get_code(self, fullname: str) -> types.CodeType:
        return self._program.code(Path(self.path))


class _Finder:
    """Finds the modules of one program."""

    def __init__(self, program: ForcedProgram) -> None:
        self._program = program

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        program = self._program
        if name.partition(".")[0] not in program.modules:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path or [str(program.folder)])
        if spec is not None and type(spec.loader) is importlib.machinery.SourceFileLoader:
            spec.loader = _Loader(program, name, spec.loader.path)
        return spec


class ForcedProgram:
    """A program in a folder; its `main` gives a tuple."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.modules = {path.name.removesuffix(".py") for path in folder.iterdir()}
        self._codes: dict[Path, types.CodeType] = {}
        self._imported: dict[str, types.ModuleType] = {}
        self._steps = 0
        # How many other values there are for each evaluation; and how many of them were made while importing.
        self.evaluated: dict[Where, list[int]] = {}
        self._importing: dict[Where, int] = {}
        self.expected, self.evaluated, self._importing = _in_child(self._noted)
        self._steps = sum(map(len, self.evaluated.values()))
        with self._at_work():
            self._import(lambda where, given: given)
        again = _in_child(lambda: self._run(None, 0, 0))
        assert again.given == self.expected, "it does not always give the same"

    def code(self, path: Path) -> types.CodeType:
        if path not in self._codes:
            file = path.relative_to(self.folder).as_posix()
            tree = ast.parse(path.read_text(encoding="utf-8"))
            if file == SCRIPT:
                tree.body.pop()  # the call of `main`
            tree = ast.fix_missing_locations(_Forcing(file).visit(tree))
            self._codes[path] = compile(tree, str(path), "exec", dont_inherit=True)
        return self._codes[path]

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        """With its modules, not those of the same names that this process has."""
        finder: Any = _Finder(self)
        others = self._taken_out()
        sys.modules.update(self._imported)
        sys.meta_path.insert(0, finder)
        try:
            yield
        finally:
            sys.meta_path.remove(finder)
            self._imported = self._taken_out()
            sys.modules.update(others)
            del vars(builtins)["force_"]

    def _taken_out(self) -> dict[str, types.ModuleType]:
        names = [name for name in sys.modules if name.partition(".")[0] in self.modules]
        return {name: sys.modules.pop(name) for name in names}

    def _import(self, force: Callable[[Where, Any], Any]) -> Callable[[], list[str]]:
        """Its `main`."""
        vars(builtins)["force_"] = force
        module = importlib.import_module(SCRIPT.removesuffix(".py"))
        return lambda: [repr(part) for part in module.main()]

    def _noted(self) -> tuple[list[str], dict[Where, list[int]], dict[Where, int]]:
        evaluated: dict[Where, list[int]] = {}

        def note(where: Where, given: Any) -> Any:
            evaluated.setdefault(where, []).append(len(others(given)))
            return given

        with self._at_work():
            main = self._import(note)
            importing = {where: len(numbers) for where, numbers in evaluated.items()}
            return main(), evaluated, importing

    def _run(self, at: Where | None, number: int, which: int) -> Forced:
        steps, often, most, shown = 0, 0, self._steps * 5 + 1000, ""
        imported = 0 if at is None else self._importing.get(at, 0)
        if number < imported:
            self._imported = {}
        else:
            number -= imported

        def force(where: Where, given: Any) -> Any:
            nonlocal steps, often, shown
            steps += 1
            if steps > most:
                raise TooLong
            if where == at:
                often += 1
                if often == number + 1:
                    value = others(given)[which]
                    shown = f"{_shown(given)} → {_shown(value)}"
                    return value
            return given

        with self._at_work():
            given = self._import(force)()
        return Forced(shown, given)

    def forced(self, at: Where, number: int, which: int) -> Forced | None:
        """What `main` gives with an evaluation of a place forced to one of the others; None where it does not return."""
        return _in_child(lambda: self._run(at, number, which), _SECONDS)


def _in_child(run: Callable[[], Any], seconds: int = 0) -> Any:
    """What a function gives in a child process; with a limit None where it gives nothing."""
    out, into = os.pipe()
    child = os.fork()
    if not child:
        told: tuple[Any, str] = None, ""
        try:
            os.close(out)
            signal.alarm(seconds)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
            told = run(), ""
        except BaseException:  # whatever comes of it: the program is not itself
            told = None, traceback.format_exc()
        finally:
            with open(into, "wb") as answer:
                answer.write(pickle.dumps(told))
            os._exit(0)
    os.close(into)
    with open(out, "rb") as answer:
        written = answer.read()
    os.waitpid(child, 0)
    try:
        given, failure = pickle.loads(written)
    except (EOFError, pickle.UnpicklingError):
        given, failure = None, "it was stopped"
    assert seconds or not failure, failure
    return given


def _shown(value: Any) -> str:
    return f"list of {len(value)}" if type(value) is list else f"{value!r:.60}"


def others(value: Any) -> list[Any]:
    """Other values of the same type."""
    if type(value) is bool:
        return [not value]
    if type(value) is int:
        return [value + 1, value - 1]
    if type(value) is float:
        return [value + 1.5]
    if type(value) is str:
        return [value + "?", value[:-1]] if value else ["k"]
    if type(value) is bytes:
        return [value + b"?"]
    if type(value) is list:
        return [value[:-1], value + value[-1:]] if value else []
    return []
