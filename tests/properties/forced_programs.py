"""Programs of any kind with one of their evaluations forced to another value, and what slices say of it.

An evaluation is told by its place and by how often the place was evaluated before, in modules, class bodies and lambdas,
too. The parts of what `main` gives are the criteria, by their `repr`. What no slice of a part has, at that place, must not
change it. Left out: names of what is called, what functions give that look at the names around them, annotations.
"""

from __future__ import annotations

import ast
import os
import pickle
import random
import signal
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from forced_replay import Place, TooLong, around, place_of

import algotrace
from algodebug.slicing import Slicer, parse_criterion
from algotrace.trace import Trace

ENTRY = Path(algotrace.__file__).with_name("__main__.py")
_LOOKING_AROUND = frozenset({"super", "locals", "vars", "dir", "globals", "eval", "exec"})
_SECONDS = 4  # that one forced run may take
_MOST = 60_000  # bytes of an answer
_SCALARS = (bool, int, float, str, bytes)


class Counterexample(NamedTuple):
    """A value outside of a slice that changes what the slice is of."""

    place: Place
    text: str
    number: int  # which evaluation of that place
    forced: str
    part: int
    given: str

    def __str__(self) -> str:
        return f"line {self.place[0]}, {self.text} #{self.number} {self.forced}: result[{self.part}] is {self.given}"


class _Forcing(ast.NodeTransformer):
    """Every expression goes through `force_(number of the place, value)`."""

    def __init__(self) -> None:
        self.places: list[Place] = []

    def forced(self, place: Place, node: ast.expr) -> ast.expr:
        self.places.append(place)
        called = ast.Name("force_", ast.Load())
        return ast.Call(called, [ast.Constant(len(self.places) - 1), node], [])

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

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        node.value = self.visit(node.value)
        if not isinstance(node.target, ast.Name):
            self.generic_visit(node.target)
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

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        place = place_of(node)
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                part.value = self.visit(part.value)
        return self.forced(place, node)

    def visit_Call(self, node: ast.Call) -> Any:
        place = place_of(node)
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        elif not isinstance(node.func, ast.Name):
            node.func = self.visit(node.func)
        elif node.func.id in _LOOKING_AROUND:
            node.args = [self.visit(part) for part in node.args]
            return node
        node.args = [self.visit(part) for part in node.args]
        node.keywords = [self.visit(part) for part in node.keywords]
        return self.forced(place, node)

    def generic_visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.expr):
            return super().generic_visit(node)
        place = place_of(node)
        super().generic_visit(node)
        stored = not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if stored or isinstance(node, (ast.Slice, ast.Starred, ast.NamedExpr)):
            return node
        return self.forced(place, node)


class ForcedProgram:
    """The text of a program with a function `main`, which gives a tuple."""

    def __init__(self, text: str) -> None:
        forcing = _Forcing()
        tree = ast.fix_missing_locations(forcing.visit(ast.parse(text)))
        self._code = compile(tree, "<forced>", "exec", dont_inherit=True)
        self.text = text
        self.places = forcing.places
        self.evaluated: dict[
            int, list[Any]
        ] = {}  # number of a place → what it gave; None for what is not forced
        self._steps = 0
        self.expected = self._run(-1, 0, None, noting=True)

    def _run(self, at: int, number: int, value: Any, noting: bool = False) -> list[str]:
        steps, often, most = 0, 0, self._steps * 5 + 1000

        def force(place: int, given: Any) -> Any:
            nonlocal steps, often
            steps += 1
            if noting:
                kept = given if type(given) in _SCALARS else list(given) if type(given) is list else None
                self.evaluated.setdefault(place, []).append(kept)
            elif steps > most:
                raise TooLong
            elif place == at:
                often += 1
                if often == number + 1:
                    return value
            return given

        module = types.ModuleType("program")
        module.__dict__.update(force_=force, print=lambda *_, **__: None)
        before = sys.modules.get("program")
        sys.modules["program"] = module
        try:
            exec(self._code, module.__dict__)
            given = [repr(part) for part in module.__dict__["main"]()]
        finally:
            if before is None:
                del sys.modules["program"]
            else:
                sys.modules["program"] = before
        self._steps = max(self._steps, steps)
        return given

    def forced(self, at: int, number: int, value: Any) -> list[str] | None:
        """What `main` gives with an evaluation of a place forced; None where it does not return. In a child process."""
        out, into = os.pipe()
        child = os.fork()
        if not child:
            given = None
            try:
                os.close(out)
                signal.alarm(_SECONDS)
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                given = self._run(at, number, value)
            except BaseException:  # whatever comes of it: the program is not itself
                given = None
            finally:
                os.write(into, pickle.dumps(given)[:_MOST])
                os._exit(0)
        os.close(into)
        with open(out, "rb") as answer:
            told = answer.read()
        os.waitpid(child, 0)
        try:
            result: list[str] | None = pickle.loads(told)
        except (EOFError, pickle.UnpicklingError):
            return None
        return result


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


class Sliced(NamedTuple):
    """Where the evaluations are that slices have, by place."""

    parts: list[set[Place]]  # of each part of what `main` gives
    known: set[Place]  # of all evaluations that are told apart
    failed: list[str]  # activations that could not be followed
    incomplete: list[bool]


def sliced(trace: Trace, parts: int) -> Sliced:
    slicer = Slicer(trace)
    names = [trace.routines[number].qualname for number in trace.routine]
    main = names.index("main")
    found, incomplete = [], []
    for part in range(parts):
        demands = slicer.demands(parse_criterion(trace, main, f"result[{part}]"))
        reached = slicer.reach(demands, None)
        found.append(set(_places(reached.instances.values())))
        incomplete.append(not reached.complete)
    known: set[Place] = set()
    failed = []
    for node in range(len(trace.parent)):
        activation = slicer.graph.activation(node)
        if activation.failed:
            failed.append(f"{names[node]}: {activation.failed}")
        known.update(_places(slicer.all_instances(activation)))
    return Sliced(found, known, failed, incomplete)


def _places(instances: Any) -> Iterator[Place]:
    for made in instances:
        if made.node is not None and hasattr(made.node, "lineno"):
            yield place_of(made.node)


def record(folder: Path, text: str) -> Trace:
    path, trace = folder / "program.py", folder / "program.algotrace"
    path.write_text(text + "\nmain()\n", encoding="utf-8")
    command = [sys.executable, str(ENTRY), "--trace", str(trace), str(path)]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    subprocess.run(command, check=True, capture_output=True, cwd=folder, timeout=300, env=environment)
    return Trace.open(trace)


def counterexamples(program: ForcedProgram, found: Sliced, most: int | None = None) -> list[Counterexample]:
    """What is outside of slices and counts all the same; of at most so many places, chosen at random."""
    chance = random.Random(0)
    outer = around(program.text)
    places = list(program.evaluated)
    if most is not None:
        chance.shuffle(places)
    examples, tried = [], 0
    for at in places:
        place = program.places[at]
        told = next((each for each in (place, *outer.get(place, ())) if each in found.known), None)
        outside = [part for part, lit in enumerate(found.parts) if told is not None and told not in lit]
        if not outside or (most is not None and tried >= most):
            continue
        tried += 1
        values = program.evaluated[at]
        for number in sorted({0, len(values) - 1, chance.randrange(len(values))}):
            for value in others(values[number]):
                given = program.forced(at, number, value)
                if given is None or len(given) != len(program.expected):
                    continue
                for part in outside:
                    if given[part] != program.expected[part]:
                        shown = f"{values[number]!r:.60} → {value!r:.60}"
                        now = f"{given[part]:.80}, not {program.expected[part]:.80}"
                        text = _text_at(program.text, place)
                        examples.append(Counterexample(place, text, number, shown, part, now))
    return examples


def _text_at(text: str, place: Place) -> str:
    node = ast.Constant(None)
    node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = place
    return (ast.get_source_segment(text, node) or "?").split("\n")[0][:60]
