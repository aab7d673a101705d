"""Two versions of a program side by side: which object of one is which of the other, carried over and compared."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

from watched_programs import SCALARS, Different, Undecided, Watched, World, code_key, tokens


class Pairing:
    """Which object of one world is which of the other."""

    def __init__(self, here: World, there: World) -> None:
        self.here = here
        self.there = there
        self.to: dict[int, Any] = {}  # id of an object here → the object there
        self.back: dict[int, Any] = {}
        self.kept: list[Any] = []  # so that ids stay theirs
        self._own_defaults: list[tuple[Any, list[str]]] = []  # that hold state here alone, with that state

    def pair(self, one: Any, other: Any) -> None:
        self.to[id(one)] = other
        self.back[id(other)] = one
        self.kept += (one, other)

    # Carrying over

    def copy(self, value: Any) -> Any:
        """The counterpart of a value there: made, unless there is one."""
        if isinstance(value, SCALARS):
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
        found = self.there.codes.get(code_key(code))
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
        self._own_defaults = [(one, tokens([one])) for one in self._defaults_here_alone()]
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

    def _defaults_here_alone(self) -> Iterator[Any]:
        """Defaults that hold state here, where the other version has something else."""
        for key in self.here.at_start & self.there.at_start:
            ours = self.here.functions[key].function.__defaults__ or ()
            theirs = self.there.functions[key].function.__defaults__ or ()
            for one, other in zip(ours, theirs, strict=False):
                if type(one) in (list, dict, set) and type(one) is not type(other):
                    yield one

    # Comparing

    def compare(self, roots: list[tuple[Any, Any]]) -> None:
        """Raises Different unless these, what has a name at module level, and all paired before are the same."""
        for default, before in self._own_defaults:
            # (what was handed in besides has its counterpart, and is compared with that)
            if id(default) not in self.to and tokens([default]) != before:
                raise Different("the state of a default")
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
            if isinstance(one, SCALARS) or isinstance(other, SCALARS):
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
        if code_key(code) != code_key(there):
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
