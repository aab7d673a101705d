"""Every value that an expression had is recorded or can be worked out from the trace, and none is told wrongly.

An instrumentation of its own, which wraps each expression in a call, says what the values were. Compared are, for each
place in the source, the values of all its evaluations.
"""

from __future__ import annotations

import ast
import contextlib
import io
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

import algotrace
from algodebug.slicing.graph import Graph
from algodebug.slicing.instances import DISPLAY, PART, RAISE, RETURN, SLICED, STORE, TEST, UNSET, WRITE
from algotrace.trace import Trace

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(
    path
    for folder in ("examples", "tests/adapter/cases")
    for path in (ROOT / folder).glob("*.py")
    # What raises, waits or reads files is evaluated in part.
    if "import asyncio" not in path.read_text() and "numpy" not in path.read_text()
)
Place = tuple[int, int, int, int]
_NO_VALUES = frozenset({TEST, PART, WRITE, STORE, RETURN, RAISE})
_MADE_OF_PARTS = frozenset({DISPLAY, SLICED})  # a new container of values that are known
_ONLY_IN_PART = (ast.Constant, ast.Starred, ast.Slice, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.FormattedValue)  # fmt: skip


class _Wrapping(ast.NodeTransformer):
    """Expressions of functions only: `e` becomes `log(place, e)`."""

    inside = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.inside += 1
        node.body = [self.visit(statement) for statement in node.body]
        self.inside -= 1
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node

    def _whole(self, node: Any) -> ast.AST:
        return self._logged(node)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_JoinedStr = _whole

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        node.args = [self.visit(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        unseen = isinstance(node.func, ast.Name) and node.func.id in ("super", "print")
        return node if unseen else self._logged(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        loaded = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if isinstance(node, ast.expr) and loaded and not isinstance(node, _ONLY_IN_PART):
            return self._logged(node)
        return node

    def _logged(self, node: Any) -> ast.AST:
        if not self.inside:
            return node  # type: ignore[no-any-return]
        place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        log = ast.Call(ast.Name("log", ast.Load()), [ast.Constant(place), node], [])
        return ast.copy_location(log, node)


def _shown(value: Any) -> str:
    if type(value) in (int, str, float, bool, type(None), bytes, complex):
        return repr(value)
    return type(value).__name__ if type(value) in (list, tuple, set, dict) else "?"


def values_seen(path: Path) -> dict[Place, Counter[str]]:
    tree = ast.parse(path.read_text())
    tree.body = [_Wrapping().visit(statement) for statement in tree.body]
    seen: defaultdict[Place, Counter[str]] = defaultdict(Counter)

    def log(place: Place, value: Any) -> Any:
        seen[place][_shown(value)] += 1
        return value

    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
        exec(
            compile(ast.fix_missing_locations(tree), str(path), "exec"),
            {"__name__": "__main__", "__file__": str(path), "log": log},
        )
    return seen


def recorded(path: Path, folder: Path) -> Trace:
    recorder = Path(algotrace.__file__).with_name("__main__.py")
    target = folder / "program.algotrace"
    subprocess.run(
        [sys.executable, recorder, "--quiet", "--trace", target, path], capture_output=True, check=False
    )
    return Trace.open(target)


def values_told(path: Path, folder: Path) -> dict[Place, list[str | None]]:
    """None for a value that is not known."""
    trace = recorded(path, folder)
    graph = Graph(trace)
    told: defaultdict[Place, list[str | None]] = defaultdict(list)
    for node in range(1, len(trace.parent)):
        for instance in graph.activation(node).instances:
            at = instance.node
            if not isinstance(at, ast.expr) or instance.kind in _NO_VALUES:
                continue
            value, text = graph.value(instance), None
            number = graph.number(instance) if value is UNSET else 0
            if value is not UNSET:
                text = _shown(value)
            elif number:
                row = trace.row(number)
                compound = type(row) is list
                of_builtin = compound and row[0] in ("list", "tuple", "set", "dict")
                name = trace.value_at(number, instance.time).type_name
                text = repr(row) if not compound else row[0] if of_builtin and name == row[0] else "?"
            elif instance.kind in _MADE_OF_PARTS:
                text = "?"
            place = (at.lineno, at.col_offset, at.end_lineno or 0, at.end_col_offset or 0)
            told[place].append(text)
    return told


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_no_value_is_told_wrongly_and_few_are_missing(path: Path, tmp_path: Path) -> None:
    seen, told = values_seen(path), values_told(path, tmp_path)
    total = known = 0
    for place, values in seen.items():
        answers = told.get(place, [])
        total += values.total()
        if len(answers) > values.total() or (answers and len(answers) < values.total()):
            continue  # an exception cut it short, or the wrapping was cut short itself
        left = Counter(values)
        for answer in answers:
            if answer is None:
                continue
            known += 1
            if answer != "?":
                assert left[answer] > 0 or left["?"] > 0, (place, answer, values)
                left[answer if left[answer] else "?"] -= 1
    assert known >= 0.7 * total, f"{known} of {total}"
