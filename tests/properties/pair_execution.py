"""What is true about each call of a program with planted defects: the program without them does the same, or not.

Both versions are run natively, each function of them watched. When a wanted call of the defective version begins, all
that it can reach is copied into the world of the other version (arguments, globals, attributes of classes, defaults,
variables of functions around), that version's function runs on the copy, then the defective one goes on. Both must
give the same: result or exception, what is printed, and all state afterwards, with the same objects in common. A
generator is compared from value to value; what happened between them is carried over.

Nothing of the recorder takes part, so this is a second opinion on everything a trace tells.
"""

from __future__ import annotations

import ast
import contextlib
import types
from collections.abc import Callable, Iterator
from typing import Any

FUEL = 8_000  # calls and rounds of loops of a program …
MORE_FUEL = 200_000  # … and of one call without the defects
_SCALARS = (type(None), bool, int, float, complex, str, bytes, range, slice, types.BuiltinFunctionType)
Key = tuple[str, int, int]


class Exhausted(BaseException):
    """It ran for too long, or went too deep."""


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
            "watch_": self._watch, "tick_": self.tick, "print": lambda *a: self.printed.append(repr(tokens(list(a)))),
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


def _code_key(code: types.CodeType) -> tuple[str, int, int]:
    """What code is known by in both versions: lambdas on one line are told apart by where their first expression is."""
    columns: list[int] = []
    if code.co_name == "<lambda>" and hasattr(code, "co_positions"):
        columns = [place[2] for place in code.co_positions() if place[2] is not None and place[3]]
    return code.co_name, code.co_firstlineno, min(columns, default=-1)


def _codes(code: types.CodeType) -> Iterator[tuple[tuple[str, int, int], types.CodeType]]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield _code_key(constant), constant
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


# Two versions side by side


class Pairing:
    """Which object of one world is which of the other."""

    def __init__(self, here: World, there: World) -> None:
        self.here = here
        self.there = there
        self.to: dict[int, Any] = {}  # id of an object here → the object there
        self.back: dict[int, Any] = {}
        self.kept: list[Any] = []  # so that ids stay theirs

    def pair(self, one: Any, other: Any) -> None:
        self.to[id(one)] = other
        self.back[id(other)] = one
        self.kept += (one, other)

    # Carrying over

    def copy(self, value: Any) -> Any:
        """The counterpart of a value there: made, unless there is one."""
        if isinstance(value, _SCALARS):
            return value
        known = self.to.get(id(value))
        if known is not None:
            return known
        cls = type(value)
        if cls is tuple:
            made: Any = tuple(self.copy(part) for part in value)
            self.pair(value, made)
            return made
        if cls is list:
            made = []
        elif cls is dict:
            made = {}
        elif cls is set:
            made = set()
        elif cls is types.CellType:
            made = types.CellType()
        elif cls is Watched:
            return self._function(value)
        elif cls is types.FunctionType:
            return self._lambda(value)
        elif cls is types.MethodType:
            made = types.MethodType(self.copy(value.__func__), self.copy(value.__self__))
            self.pair(value, made)
            return made
        elif isinstance(value, type):
            return self.there.classes.get(value.__name__, value)
        elif isinstance(value, BaseException):
            made = self.copy(cls).__new__(self.copy(cls))
            made.args = self.copy(value.args)
            self.pair(value, made)
            return made
        elif cls.__name__ in self.there.classes:
            other = self.there.classes[cls.__name__]
            made = object.__new__(other)
        else:
            raise Undecided(f"a {cls.__name__}")
        self.pair(value, made)
        self.fill(value, made)
        return made

    def fill(self, value: Any, made: Any) -> None:
        """Gives the counterpart what the value holds now."""
        cls = type(value)
        if cls is list:
            made[:] = [self.copy(part) for part in value]
        elif cls is dict:
            pairs = [(self.copy(k), self.copy(v)) for k, v in value.items()]
            made.clear()
            made.update(pairs)
        elif cls is set:
            made.clear()
            made.update(map(self.copy, value))
        elif cls is types.CellType:
            try:
                made.cell_contents = self.copy(value.cell_contents)
            except ValueError:
                del made.cell_contents
        elif cls.__name__ in self.here.classes and not isinstance(value, BaseException):
            pairs = [(k, self.copy(v)) for k, v in vars(value).items()]
            vars(made).clear()
            vars(made).update(pairs)

    def _code(self, code: types.CodeType) -> types.CodeType:
        found = self.there.codes.get(_code_key(code))
        if found is None or found.co_freevars != code.co_freevars:
            raise Undecided("code without a counterpart")
        return found

    def _lambda(self, function: types.FunctionType) -> Any:
        cells = [types.CellType() for _ in function.__closure__ or ()]
        made = types.FunctionType(
            self._code(function.__code__), self.there.namespace, function.__name__, None, tuple(cells)
        )
        self.pair(function, made)
        made.__defaults__ = self.copy(function.__defaults__)
        for cell, other in zip(function.__closure__ or (), cells, strict=True):
            if id(cell) in self.to:
                raise Undecided("a cell known before its function")
            self.pair(cell, other)
            self.fill(cell, other)
        return made

    def _function(self, watched: Watched) -> Any:
        if watched.key in self.here.at_start:
            known = self.there.functions.get(watched.key)
            if known is None:
                raise Undecided("a function without a counterpart")
            return known
        function = watched.function
        shells = []
        for cell in function.__closure__ or ():
            other = self.to.get(id(cell))
            if other is None:
                other = types.CellType()
                self.pair(cell, other)
                shells.append((cell, other))
            shells.append((cell, other))
        cells = tuple(self.to[id(cell)] for cell in function.__closure__ or ())
        inner = types.FunctionType(
            self._code(function.__code__), self.there.namespace, function.__name__, None, cells
        )
        made = Watched(self.there, watched.key, inner)
        self.pair(watched, made)
        inner.__defaults__ = self.copy(function.__defaults__)
        for cell, other in shells:
            self.fill(cell, other)
        return made

    def carry_over(self, again: bool = False) -> None:
        """All that has a name at module level, and what was paired before when it is done again, as it is now."""
        for one, other in self._defaults():
            if id(one) not in self.to:
                self.pair(one, other)
            self.fill(one, other)
        for name in self.here.data:
            if name in self.here.namespace:
                self.there.namespace[name] = self.copy(self.here.namespace[name])
        for name, cls in self.here.classes.items():
            other = self.there.classes[name]
            for attribute, value in _attributes(cls):
                setattr(other, attribute, self.copy(value))
        for one, other in list(zip(self.kept[::2], self.kept[1::2], strict=True)) if again else ():
            self.fill(one, other)

    def _defaults(self) -> Iterator[tuple[Any, Any]]:
        """The defaults that hold state in both versions."""
        for key in self.here.at_start & self.there.at_start:
            ours = self.here.functions[key].function.__defaults__ or ()
            theirs = self.there.functions[key].function.__defaults__ or ()
            for one, other in zip(ours, theirs, strict=False):
                if type(one) is type(other) and type(one) in (list, dict, set):
                    yield one, other

    # Comparing

    def compare(self, roots: list[tuple[Any, Any]]) -> None:
        """Raises Different unless these, what has a name at module level, and all paired before are the same."""
        pending = list(roots)
        for name in self.here.data:
            pending.append((self.here.namespace.get(name), self.there.namespace.get(name)))
        for name, cls in self.here.classes.items():
            other = dict(_attributes(self.there.classes[name]))
            ours = dict(_attributes(cls))
            if ours.keys() != other.keys():
                raise Different(f"attributes of {name}")
            pending += [(value, other[attribute]) for attribute, value in ours.items()]
        pending += zip(self.kept[::2], self.kept[1::2], strict=True)
        pending.reverse()
        seen: set[int] = set()
        while pending:
            one, other = pending.pop()
            if isinstance(one, _SCALARS) or isinstance(other, _SCALARS):
                if type(one) is not type(other) or (one != other and one is not other):
                    raise Different(f"{one!r} for {other!r}"[:200])
                continue
            cls = type(one)
            if cls.__name__ != type(other).__name__:
                raise Different(f"a {cls.__name__} for a {type(other).__name__}")
            if isinstance(one, type):
                if one.__name__ != other.__name__:
                    raise Different(one.__name__)
                continue
            if cls is Watched and one.key in self.here.at_start:
                if one.key != other.key:
                    raise Different(str(one.key))
                continue
            if cls is tuple:
                if len(one) != len(other):
                    raise Different("lengths")
                pending += zip(one, other, strict=True)
                continue
            if cls is types.MethodType:
                pending += [(one.__func__, other.__func__), (one.__self__, other.__self__)]
                continue
            known, back = self.to.get(id(one)), self.back.get(id(other))
            if known is None and back is None:
                self.pair(one, other)
            elif known is not other or back is not one:
                raise Different(f"which object: {_shown(one)}, {_shown(other)}")
            if id(one) in seen:
                continue
            seen.add(id(one))
            if cls is list:
                if len(one) != len(other):
                    raise Different(f"{_shown(one)} for {_shown(other)}")
                pending += zip(one, other, strict=True)
            elif cls is dict:
                if list(one) != list(other):
                    raise Different("keys")
                pending += zip(one.values(), other.values(), strict=True)
            elif cls is set:
                if one != other:
                    raise Different("sets")
            elif cls is types.CellType:
                pending.append((_held(one), _held(other)))
            elif cls in (Watched, types.FunctionType):
                pending += self._of_function(one, other)
            elif isinstance(one, BaseException):
                pending.append((one.args, other.args))
            else:
                if list(vars(one)) != list(vars(other)):
                    raise Different(f"attributes of a {cls.__name__}")
                pending += [(value, vars(other)[name]) for name, value in vars(one).items()]

    def _of_function(self, one: Any, other: Any) -> list[tuple[Any, Any]]:
        if type(one) is Watched:
            if one.key != other.key:
                raise Different(str(one.key))
            one, other = one.function, other.function
        code, there = one.__code__, other.__code__
        if _code_key(code) != _code_key(there):
            raise Different(code.co_name)
        if len(one.__closure__ or ()) != len(other.__closure__ or ()):
            raise Undecided("other variables")
        held = list(zip(one.__closure__ or (), other.__closure__ or (), strict=True))
        return [*held, (one.__defaults__, other.__defaults__)]


def _attributes(cls: type) -> list[tuple[str, Any]]:
    return [
        (name, value)
        for name, value in vars(cls).items()
        if not name.startswith("__") and not isinstance(value, Watched | property | types.FunctionType)
    ]


def _held(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _shown(value: Any) -> str:
    return f"{type(value).__name__} {value!r}"[:80] if type(value) in (list, dict) else type(value).__name__


# Judging


class _Judged(BaseException):
    """All that was wanted is known."""


class Judge(Probe):
    """Tells for some calls, none of them inside another, whether the version without the defects does the same.

    And what was there before and after each of them, to be compared with what the trace tells.
    """

    def __init__(self, here: World, there: World, wanted: set[int]) -> None:
        super().__init__()
        self.here = here
        self.there = there
        self.wanted = wanted
        self.verdicts: dict[int, bool] = {}
        self.reasons: dict[int, str] = {}
        self.before: dict[int, list[str]] = {}
        self.after: dict[int, list[str]] = {}

    def _decide(self, number: int, reason: str) -> None:
        self.verdicts.setdefault(number, not reason)
        self.reasons.setdefault(number, reason)

    def _enough(self) -> None:
        if self.wanted <= self.verdicts.keys():
            raise _Judged

    def _there(self, step: Callable[[], Any]) -> tuple[str, Any]:
        self.there.fuel = MORE_FUEL
        try:
            return "return", step()
        except StopIteration as stop:
            return "stop", stop.value
        except (Exhausted, RecursionError):
            raise Undecided("too long without the defects") from None
        except Exception as error:
            return "raise", error

    def run(self, number: int, watched: Watched, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if number not in self.wanted:
            return watched.function(*args, **keywords)
        pairing = Pairing(self.here, self.there)
        pairing.carry_over()
        function, given, named = pairing.copy(watched), pairing.copy(args), pairing.copy(keywords)
        shown = _bound(watched, args, keywords)
        self.before[number] = tokens(shown)
        self.there.printed = []
        printed = len(self.here.printed)
        theirs = self._there(lambda: function(*given, **named))
        raised: BaseException | None = None
        try:
            ours: tuple[str, Any] = "return", watched.function(*args, **keywords)
        except Exception as error:
            ours, raised = ("raise", error), error
        self.after[number] = [ours[0], *tokens([ours[1], *shown])]
        self._compare(number, pairing, ours, theirs, self.here.printed[printed:])
        self._decide(number, "")
        self._enough()
        if raised is not None:
            raise raised
        return ours[1]

    def _compare(
        self,
        number: int,
        pairing: Pairing,
        ours: tuple[str, Any],
        theirs: tuple[str, Any],
        printed: list[str],
    ) -> bool:
        try:
            if ours[0] != theirs[0]:
                raise Different(f"{ours} for {theirs}"[:300])
            if printed != self.there.printed:
                raise Different("what was printed")
            pairing.compare([(ours[1], theirs[1])])
        except Different as reason:
            self._decide(number, str(reason))
            return False
        return True

    def steps(
        self, number: int, watched: Watched, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Iterator[Any]:
        ours = watched.function(*args, **keywords)
        if number not in self.wanted:
            return (yield from ours)
        pairing = Pairing(self.here, self.there)
        pairing.carry_over()
        function, given, named = pairing.copy(watched), pairing.copy(args), pairing.copy(keywords)
        self.before[number] = tokens(_bound(watched, args, keywords))
        theirs = function.function(*given, **named)
        again = False
        while True:
            if again:
                pairing.carry_over(again)
            again, self.there.printed, printed = True, [], len(self.here.printed)
            other = self._there(lambda: next(theirs))
            raised: BaseException | None = None
            try:
                one: tuple[str, Any] = "return", next(ours)
            except StopIteration as stop:
                one = "stop", stop.value
            except Exception as error:
                one, raised = ("raise", error), error
            same = self._compare(number, pairing, one, other, self.here.printed[printed:])
            if same and one[0] != "return":
                self._decide(number, "")
            self._enough()
            if not same and one[0] == "return":
                yield one[1]
                return (yield from ours)
            if raised is not None:
                raise raised
            if one[0] == "stop":
                return one[1]
            yield one[1]

    def judge(self) -> dict[int, bool]:
        """By number of the call. Raises Undecided."""
        self.here.begin()
        self.here.probe = self
        try:
            self.here.run()
        except _Judged:
            pass
        except Exhausted:
            raise Undecided("other than before") from None
        finally:
            self.here.probe = None
        for number in self.wanted:  # a generator that was left where it was
            if number < len(self.parents):
                self._decide(number, "")
        return self.verdicts


class Spoiled:
    """In the place of something that was not looked at."""


class Spoiling(Judge):
    """Runs calls a second time with what they did not look at replaced, in a second world of the same version.

    `spoils` says which attributes of an object, by its class, and which parameters.
    """

    def __init__(
        self, here: World, there: World, wanted: dict[int, tuple[Callable[[str, str], bool], frozenset[str]]]
    ) -> None:
        super().__init__(here, there, set(wanted))
        self.spoils = wanted
        self.spoiled = 0

    def run(self, number: int, watched: Watched, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if number not in self.wanted or keywords:
            return watched.function(*args, **keywords)
        leaves_out, parameters = self.spoils[number]
        pairing = Pairing(self.here, self.there)
        pairing.carry_over()
        function, given = pairing.copy(watched), list(pairing.copy(args))
        names = watched.function.__code__.co_varnames
        for at, name in enumerate(names[: len(given)]):
            if name in parameters:
                given[at] = Spoiled()
                self.spoiled += 1
        back: list[tuple[Any, str, Any]] = []
        for other in pairing.kept[1::2]:
            if type(other).__name__ not in self.there.classes:
                continue
            for name, value in list(vars(other).items()):
                if leaves_out(type(other).__name__, name):
                    back.append((other, name, value))
                    vars(other)[name] = Spoiled()
        self.spoiled += len(back)
        self.there.printed = []
        printed = len(self.here.printed)
        theirs = self._there(lambda: function(*given))
        for other, name, value in back:
            if type(vars(other).get(name)) is not Spoiled:
                self._decide(number, f"{name} was written")
            vars(other)[name] = value
        raised: BaseException | None = None
        try:
            ours: tuple[str, Any] = "return", watched.function(*args)
        except Exception as error:
            ours, raised = ("raise", error), error
        self._compare(number, pairing, ours, theirs, self.here.printed[printed:])
        self._decide(number, "")
        self._enough()
        if raised is not None:
            raise raised
        return ours[1]


def _bound(watched: Watched, args: tuple[Any, ...], keywords: dict[str, Any]) -> list[Any]:
    """The values of the parameters, in order."""
    code, defaults = watched.function.__code__, watched.function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    values = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    values.update(zip(names, args, strict=False))
    values.update(keywords)
    return [values[name] for name in names if name in values]


def tokens(values: list[Any]) -> list[str]:
    """Values as texts, in order of a walk; of objects that were met before the position. See `recorded_tokens`."""
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
            names = sorted(getattr(value, "__dict__", ()))
            told.append(f"{cls.__name__} {names}")
            pending.extend(value.__dict__[name] for name in reversed(names))
    return told
