"""Programs whose functions are watched while they run natively: which calls there are, who made them, what is printed.

They can be begun anew, run out of fuel instead of running for ever, and tell their values as texts.
"""

from __future__ import annotations

import ast
import contextlib
import types
from collections.abc import Callable, Iterator
from typing import Any

FUEL = 8_000  # calls and rounds of loops of a program …
MORE_FUEL = 200_000  # … and of one call without the defects
SCALARS = (type(None), bool, int, float, complex, str, bytes, range, slice, types.BuiltinFunctionType)
Key = tuple[str, int, int]


class Exhausted(BaseException):
    """It ran for too long, went too deep, or did what a watched function cannot."""


class Different(Exception):
    """The two versions do not do the same."""


class Undecided(BaseException):
    """Nobody can tell: the version without defects does not come to an end."""


def watch(tree: ast.Module) -> ast.Module:
    """Puts `@watch_(key)` next to each function and a tick into each loop; the positions stay. See `unwatched`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            key = ast.Constant((node.name, node.lineno, node.col_offset))
            node.decorator_list.append(_ours(ast.Call(ast.Name("watch_", ast.Load()), [key], []), node))
        elif isinstance(node, ast.For | ast.While):
            tick = ast.Expr(ast.Call(ast.Name("tick_", ast.Load()), [], []))
            node.body.insert(0, _ours(tick, node))
    return tree


def _ours(made: Any, node: Any) -> Any:
    for part in ast.walk(made):
        ast.copy_location(part, node)
    made.ours = True
    return made


@contextlib.contextmanager
def unwatched(tree: ast.Module) -> Iterator[None]:
    """Without what `watch` put in, for as long as it lasts."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While)]
    marks = [node.decorator_list.pop() for node in functions]
    ticks = [node.body.pop(0) for node in loops]
    yield
    for function, mark in zip(functions, marks, strict=True):
        function.decorator_list.append(mark)
    for loop, tick in zip(loops, ticks, strict=True):
        loop.body.insert(0, tick)


class Watched:
    """A function of one of the two versions."""

    __slots__ = ("__name__", "function", "is_generator", "key", "world")

    def __init__(self, world: World, key: Key, function: types.FunctionType) -> None:
        self.world = world
        self.key = key
        self.function = function
        self.is_generator = bool(function.__code__.co_flags & 0x20)
        self.__name__ = function.__name__

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in Watched.__slots__:
            raise Exhausted  # a function may be given attributes, this not
        object.__setattr__(self, name, value)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        world = self.world
        world.tick()
        if self.is_generator:
            return world.generate(self, args, keywords)
        if world.probe is not None:
            return world.probe.call(self, args, keywords)
        return self.function(*args, **keywords)

    def __get__(self, owner: Any, cls: Any = None) -> Any:
        return self if owner is None else types.MethodType(self, owner)


class World:
    """One version of the program, of its watched tree: namespace, functions by key, what it printed. `begin` starts it anew."""

    def __init__(self, tree: ast.Module, prefix: str) -> None:
        self.prefix = prefix
        self._parts = [_compiled(statement) for statement in tree.body]
        self.codes = {key: code for part in self._parts for key, code in _codes(part)}
        self.begin()

    def again(self) -> World:
        """Another world of the same version."""
        other = World.__new__(World)
        other.prefix, other._parts, other.codes = self.prefix, self._parts, self.codes
        other.begin()
        return other

    def begin(self) -> None:
        self.fuel = FUEL
        self.probe: Probe | None = None
        self.printed: list[str] = []
        self.functions: dict[Key, Watched] = {}  # those made when the module ran
        self.namespace: dict[str, Any] = {
            "watch_": self._watch, "tick_": self.tick, "print": lambda *a: self.printed.append(repr(tokens(list(a), printed=True))),
            "__name__": "__main__",
        }  # fmt: skip
        for part in self._parts:
            exec(part, self.namespace)
        names = [name for name in self.namespace if name.startswith(self.prefix)]
        self.classes = {
            name: self.namespace[name] for name in names if isinstance(self.namespace[name], type)
        }
        self.data = [n for n in names if not isinstance(self.namespace[n], type | Watched)]
        self.at_start = set(self.functions)

    def _watch(self, key: Key) -> Callable[[types.FunctionType], Watched]:
        def watch(function: types.FunctionType) -> Watched:
            watched = Watched(self, key, function)
            if not function.__closure__ or "__class__" in function.__code__.co_freevars:
                self.functions.setdefault(key, watched)
            return watched

        return watch

    def tick(self) -> None:
        self.fuel -= 1
        if self.fuel < 0:
            raise Exhausted

    def generate(self, watched: Watched, args: tuple[Any, ...], keywords: dict[str, Any]) -> Iterator[Any]:
        probe = self.probe
        if probe is None:
            return watched.function(*args, **keywords)  # type: ignore[no-any-return]
        return probe.generator(watched, args, keywords)

    def main(self) -> Watched:
        return self.namespace[f"{self.prefix}main"]  # type: ignore[no-any-return]

    def run(self) -> tuple[str, Any]:
        """How `main` ends: ("return" | "raise", value). Raises Exhausted."""
        try:
            return "return", self.main()()
        except RecursionError:
            raise Exhausted from None
        except Exception as error:
            return "raise", error


_MODULE = ast.Module([], [])


def _compiled(statement: Any) -> types.CodeType:
    """A statement at module level; most are the same in many versions of a program."""
    known: types.CodeType | None = getattr(statement, "compiled", None)
    if known is None:
        _MODULE.body = [statement]
        known = statement.compiled = compile(_MODULE, "<program>", "exec")
    return known


def code_key(code: types.CodeType) -> tuple[str, int, int]:
    """What code is known by in both versions: lambdas on one line are told apart by where their first expression is."""
    columns: list[int] = []
    if code.co_name == "<lambda>" and hasattr(code, "co_positions"):
        columns = [place[2] for place in code.co_positions() if place[2] is not None and place[3]]
    return code.co_name, code.co_firstlineno, min(columns, default=-1)


def _codes(code: types.CodeType) -> Iterator[tuple[tuple[str, int, int], types.CodeType]]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield code_key(constant), constant
            yield from _codes(constant)


# Which calls there are


class Probe:
    """Numbers the calls of a run in the order in which they begin, with the caller of each; subclasses look closer."""

    def __init__(self) -> None:
        self.parents: list[int] = []
        self.keys: list[Key] = []
        self.stack: list[int] = [-1]

    def enter(self, watched: Watched) -> int:
        number = len(self.parents)
        self.parents.append(self.stack[-1])
        self.keys.append(watched.key)
        return number

    def call(self, watched: Watched, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        number = self.enter(watched)
        self.stack.append(number)
        try:
            return self.run(number, watched, args, keywords)
        finally:
            self.stack.pop()

    def run(self, number: int, watched: Watched, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        return watched.function(*args, **keywords)

    def generator(self, watched: Watched, args: tuple[Any, ...], keywords: dict[str, Any]) -> Iterator[Any]:
        number = self.enter(watched)
        steps = self.steps(number, watched, args, keywords)
        while True:
            self.stack.append(number)
            try:
                value = next(steps)
            except StopIteration as stop:
                return stop.value
            finally:
                self.stack.pop()
            yield value

    def steps(
        self, number: int, watched: Watched, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Iterator[Any]:
        return watched.function(*args, **keywords)  # type: ignore[no-any-return]

    def preorder(self) -> list[int]:
        """The calls as an execution tree lists them: each before those it made."""
        children: dict[int, list[int]] = {}
        for number, parent in enumerate(self.parents):
            children.setdefault(parent, []).append(number)
        found, pending = [], list(reversed(children.get(-1, [])))
        while pending:
            number = pending.pop()
            found.append(number)
            pending.extend(reversed(children.get(number, [])))
        return found


def tokens(values: list[Any], printed: bool = False) -> list[str]:
    """Values as texts, in order of a walk; of objects that were met before the position. See `recorded_tokens`.

    As they are `printed`, objects show nothing but their class.
    """
    told: list[str] = []
    seen: dict[int, int] = {}
    kept = []
    pending = list(reversed(values))
    while pending:
        value = pending.pop()
        cls = type(value)
        if cls in (type(None), bool, int, float, str):
            told.append(f"{cls.__name__} {value!r}")
            continue
        if cls in (Watched, types.FunctionType, types.BuiltinFunctionType):
            told.append(f"function {value.__name__}")
            continue
        if isinstance(value, type):
            told.append(f"class {value.__name__}")
            continue
        if cls is tuple:
            told.append(f"tuple {len(value)}")
            pending.extend(reversed(value))
            continue
        if isinstance(value, BaseException):
            told.append(f"exception {cls.__name__} {len(value.args)}")
            pending.extend(reversed(value.args))
            continue
        if id(value) in seen:
            told.append(f"#{seen[id(value)]}")
            continue
        seen[id(value)] = len(seen)
        kept.append(value)
        if cls is list:
            told.append(f"list {len(value)}")
            pending.extend(reversed(value))
        elif cls is dict:
            told.append(f"dict {len(value)}")
            pending.extend(part for pair in reversed(value.items()) for part in reversed(pair))
        elif cls is types.MethodType:
            told.append("method")
        else:
            names = [] if printed else sorted(getattr(value, "__dict__", ()))
            told.append(f"{cls.__name__} {names}")
            pending.extend(value.__dict__[name] for name in reversed(names))
    return told
