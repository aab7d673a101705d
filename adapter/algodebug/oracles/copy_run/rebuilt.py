"""Python objects made from rows: what the program had, in this process."""

from __future__ import annotations

import array
import ast
import builtins
import collections
import enum
import importlib
import types
from typing import Any

from .modules import Reference
from .rows import CONTAINERS, MUTABLE, TEXTUAL, CannotJudge, Row, Rows


class Rebuilt:
    """Python objects made from rows: containers and instances first, then what is in them."""

    def __init__(self, rows: Rows, reference: Reference) -> None:
        self.rows = rows
        self.reference = reference
        self.objects: dict[int, Any] = {}
        self.made: set[int] = set()  # ids of what was made here

    def object(self, number: int) -> Any:
        # Each number is entered (shells of mutable objects are made) and left when its parts are there.
        pending = [(number, False)]
        while pending:
            number_now, entered = pending.pop()
            row = self.rows[number_now]
            if entered:
                self._fill(number_now, row)
                self.made.add(id(self.objects[number_now]))
                continue
            if number_now in self.objects:
                continue
            self._shell(number_now, row)
            pending.append((number_now, True))
            pending.extend((part, False) for part in reversed(_below(row)) if part not in self.objects)
        return self.objects[number]

    def _shell(self, number: int, row: Row) -> None:
        kind = row[0]
        if kind == "scalar":
            self.objects[number] = row[1]
        elif kind in ("class", "function"):
            self.objects[number] = self.reference.named(row[1], row[2])
        elif kind == "module":
            self.objects[number] = importlib.import_module(row[1])
        elif kind == "textual":
            self.objects[number] = _from_text(row[1], row[2])
        elif kind == "bytearray":
            self.objects[number] = bytearray(row[1])
        elif kind in MUTABLE:
            cls = (
                CONTAINERS[kind]
                if kind in CONTAINERS and row[1][1] == "builtins"
                else self.reference.cls(row[1])
            )
            if issubclass(cls, collections.defaultdict) and len(row) < 5:
                raise CannotJudge("the factory of a defaultdict is not known")
            if issubclass(cls, enum.Enum):
                return  # members are found, not made; see _fill
            base = _base(cls)
            try:
                made = base.__new__(cls, row[4]) if kind == "array" else base.__new__(cls)
                if kind == "deque":
                    collections.deque.__init__(made, (), row[4] if len(row) > 4 else None)
            except TypeError:
                raise CannotJudge(f"{cls.__name__} cannot be made") from None
            if isinstance(made, collections.defaultdict):
                made.default_factory = vars(builtins)[row[4]]
            self.objects[number] = made
        elif kind not in ("tuple", "frozenset", "based", "method"):
            raise CannotJudge(f"a {kind} cannot be rebuilt")

    def _fill(self, number: int, row: Row) -> None:
        kind, objects = row[0], self.objects
        if kind in ("scalar", "class", "function", "module", "textual", "bytearray"):
            return
        if kind == "method":
            objects[number] = types.MethodType(objects[row[1]], objects[row[2]])
            return
        if kind == "instance":
            attributes = {name: objects[part] for name, part in row[2]}
            if number not in objects:
                cls = self.reference.cls(row[1])
                try:
                    objects[number] = cls._member_map_[attributes["_name_"]]  # type: ignore[attr-defined]
                except KeyError:
                    objects[number] = cls(attributes.get("_value_"))
                return
            self._attributes(objects[number], row[2])
            return
        if kind == "based":
            cls = self.reference.cls(row[1])
            if issubclass(cls, enum.Enum):
                objects[number] = cls(objects[row[2]])
                return
            base: Any = next(b for b in (int, float, complex, str, bytes, bytearray) if issubclass(cls, b))
            objects[number] = base.__new__(cls, objects[row[2]])
            if base is bytearray:
                bytearray.__init__(objects[number], objects[row[2]])
            self._attributes(objects[number], row[3])
            return
        parts = [objects[part] if part in objects else self._missing() for part in row[2]]
        made: Any = objects.get(number)
        if kind in ("tuple", "frozenset"):
            builtin: Any = CONTAINERS[kind]
            cls = builtin if row[1][1] == "builtins" else self.reference.cls(row[1])
            objects[number] = made = builtin(parts) if cls is builtin else builtin.__new__(cls, parts)
        elif kind == "list":
            list.extend(made, parts)
        elif kind == "array":
            array.array.extend(made, parts)
        elif kind == "deque":
            collections.deque.extend(made, parts)
        elif kind == "set":
            set.update(made, parts)
        elif kind == "dict":
            dict.update(made, zip(parts[::2], parts[1::2], strict=False))
        elif kind == "exception":
            made.args = tuple(parts)
        self._attributes(made, row[3])

    def _missing(self) -> Any:
        raise CannotJudge("a cycle through an immutable object")

    def _attributes(self, made: Any, attributes: list[tuple[str, int]]) -> None:
        for name, part in attributes:
            value = self.objects[part]
            slot = next(
                (
                    c.__dict__[name]
                    for c in type(made).__mro__
                    if isinstance(c.__dict__.get(name), types.MemberDescriptorType)
                ),
                None,
            )
            if slot is not None:
                slot.__set__(made, value)
            elif hasattr(made, "__dict__"):
                made.__dict__[name] = value
            else:
                raise CannotJudge(f"{type(made).__name__} has no place for {name}")


def _below(row: Row) -> list[int]:
    kind = row[0]
    if kind in CONTAINERS or kind == "exception":
        return list(row[2]) + [part for _, part in row[3] or ()]
    if kind == "instance":
        return [part for _, part in row[2]]
    if kind == "based":
        return [row[2]] + [part for _, part in row[3]]
    if kind == "method":
        return [row[1], row[2]]
    return []


def _base(cls: type) -> Any:
    for base in (list, dict, set, collections.deque, array.array):
        if issubclass(cls, base):
            return base
    if issubclass(cls, BaseException):
        # The nearest builtin exception: each has a `__new__` of its own.
        return next(c for c in cls.__mro__ if c.__module__ == "builtins")
    return object


def _from_text(name: tuple[str, str], text: str) -> Any:
    module = name[1].partition(".")[0]
    module = {"_pydatetime": "datetime", "_decimal": "decimal"}.get(module, module)
    if module not in TEXTUAL:
        raise CannotJudge(f"a {name[0]} cannot be rebuilt")
    source = importlib.import_module(module)
    names = {n: source if n in (module, "np") else getattr(source, n, None) for n in TEXTUAL[module]}
    allowed: tuple[type[ast.AST], ...] = (
        ast.Expression,
        ast.Call,
        ast.Attribute,
        ast.Name,
        ast.Load,
        ast.Constant,
    )
    allowed += (ast.keyword, ast.UnaryOp, ast.USub, ast.BinOp, ast.BitOr, ast.Tuple, ast.List)
    try:
        parsed = ast.parse(text, mode="eval")
        if not all(isinstance(node, allowed) for node in ast.walk(parsed)):
            raise ValueError(text)
        return eval(compile(parsed, "<value>", "eval"), {"__builtins__": {}, **names})
    except Exception:
        raise CannotJudge(f"{text[:40]} cannot be rebuilt") from None
