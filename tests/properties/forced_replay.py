"""Runs a program again with one of its evaluations forced to another value.

Evaluations are known by (number of the call, place of the expression, how often it was evaluated in that call before):
the numbers are those of the nodes of the program's trace, counted from `main`. The evaluations in lambdas, which are no
nodes, have the number 0 and are counted over the whole run. A line of output is known as the `print` that wrote it.

Left out: names of functions and methods that are called, patterns of `match`, bodies of classes, what modules do.
"""

from __future__ import annotations

import ast
import random
from typing import Any

Place = tuple[int, int, int, int]
Key = tuple[int, Place, int]

MOST_STEPS = 4_000
_LARGEST = 1 << 64
_LONGEST = 400
_CALLED: Any = ast.Name("frame_", ast.Load())


class Forcing(ast.NodeTransformer):
    """Every expression goes through what `forced` puts around it, but for names of what is called."""

    def forced(self, place: Place, node: ast.expr) -> ast.expr:
        raise NotImplementedError

    def visit_called(self, node: ast.Call) -> None:
        """What is called, as far as it is no name, and the arguments."""
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        elif not isinstance(node.func, ast.Name):
            node.func = self.visit(node.func)
        node.args = [self.visit(part) for part in node.args]
        node.keywords = [self.visit(part) for part in node.keywords]

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        node.value = self.visit(node.value)
        if not isinstance(node.target, ast.Name):
            self.generic_visit(node.target)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        place = place_of(node)
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                part.value = self.visit(part.value)
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


class _Forcing(Forcing):
    """Every expression goes through `force_(frame, place, value)`; functions note that they were called."""

    def __init__(self) -> None:
        self.frame: ast.expr = ast.Constant(0)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.args.defaults = [self.visit(part) for part in node.args.defaults]
        outer, self.frame = self.frame, _CALLED
        node.body = [self.visit(part) for part in node.body]
        self.frame = outer
        node.body.insert(0, ast.parse("frame_ = enter_()").body[0])
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        node.body = [self.visit(part) if isinstance(part, ast.FunctionDef) else part for part in node.body]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        outer, self.frame = self.frame, ast.Constant(0)
        node.body = self.visit(node.body)
        self.frame = outer
        return node

    def visit_match_case(self, node: ast.match_case) -> Any:
        node.guard = None if node.guard is None else self.visit(node.guard)
        node.body = [self.visit(part) for part in node.body]
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        place = place_of(node)
        plain = isinstance(node.func, ast.Name) and node.func.id == "super"
        self.visit_called(node)
        if isinstance(node.func, ast.Name) and node.func.id == "print":
            node.func.id = "print_"
            node.args[:0] = [self.frame, ast.Constant(place)]
        return node if plain else self.forced(place, node)

    def forced(self, place: Place, node: ast.expr) -> ast.expr:
        return ast.Call(ast.Name("force_", ast.Load()), [self.frame, ast.Constant(place), node], [])


def place_of(node: Any) -> Place:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def around(text: str) -> dict[Place, list[Place]]:
    """Expressions around each expression of a program, the nearest first."""
    found: dict[Place, list[Place]] = {}

    def look(node: ast.AST, outer: list[Place]) -> None:
        if isinstance(node, ast.stmt):
            outer = []
        elif isinstance(node, ast.expr):
            found.setdefault(place_of(node), outer)
            outer = [place_of(node), *outer]
        for part in ast.iter_child_nodes(node):
            look(part, outer)

    look(ast.parse(text), [])
    return found


class TooLong(BaseException):
    """The program runs too long, or makes too much of something."""


class Replay:
    """A program whose `main` is run as often as wanted, each time with at most one evaluation forced to another value."""

    def __init__(self, text: str, main: str) -> None:
        tree = _Forcing().visit(ast.parse(text))
        self._code = compile(ast.fix_missing_locations(tree), "<replay>", "exec")
        self._main = main
        self.evaluated: dict[Key, Any] = {}  # what each evaluation gave, in the unforced run
        self.printed: dict[Key, str] = {}  # what each `print` wrote, in the last run
        self.calls = 0  # in the last run

    def run(self, key: Key | None, value: Any = None) -> Any:
        """What `main` gives; raises what it raises, and TooLong when it runs too long."""
        counts: dict[tuple[int, Any], int] = {}
        steps = self.calls = 0
        noting = key is None
        printed = self.printed = {}

        def enter() -> int:
            self.calls += 1
            return self.calls

        def force(frame: int, place: Any, given: Any) -> Any:
            nonlocal steps
            steps += 1
            if steps > MOST_STEPS or _is_large(given):
                raise TooLong
            at = (frame, place)
            count = counts[at] = counts.get(at, -1) + 1
            full = (frame, place, count)
            if noting:
                self.evaluated[full] = list(given) if type(given) is list else given
            elif full == key:
                return value
            return given

        def note(frame: int, place: Any, *values: Any) -> None:
            number = sum(1 for known in printed if known[:2] == (frame, place))
            printed[frame, place, number] = " ".join(map(str, values))

        namespace: dict[str, Any] = {"force_": force, "enter_": enter, "print_": note}
        exec(self._code, namespace)
        return namespace[self._main]()


def _is_large(value: Any) -> bool:
    if type(value) is int:
        return not -_LARGEST < value < _LARGEST
    return type(value) in (str, list, dict) and len(value) > _LONGEST


def others(value: Any, chance: random.Random) -> list[Any]:
    """Other values of a scalar's type."""
    if type(value) is bool:
        return [not value]
    if type(value) is int:
        return [value + 1, value - 1, chance.choice([n for n in range(-2, 8) if n != value])]
    if type(value) is str:
        return [
            value + "?",
            value[:-1],
            chance.choice([text for text in ("k", "m", "z", "a b") if text != value]),
        ]
    return []
