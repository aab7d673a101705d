"""Runs functions of a corrected copy on recorded inputs; started by the reference oracle as a process of its own.

Reads pickles from standard input (they come from the oracle), writes one JSON line a reply. It is run by the
interpreter of the recorded program, so it uses the standard library only and imports nothing of ours. Every call
runs in a fork of this process: one call cannot spoil the globals for the next, hang it or take it down.

Objects come as rows by number, so that sharing and cycles survive:

    ("scalar", value)                            ("based", type, number of the plain value, attributes)
    (container kind, type, parts, attributes)    parts of a dict are key, value, key, value…
    ("exception", type, arguments, attributes)   ("instance", type, attributes)
    ("class" | "function", qualname, module)     ("method", function, self)
    ("module", name)     ("textual", type, repr)     ("opaque", type)
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import enum
import faulthandler
import functools
import gc
import hashlib
import importlib
import importlib.util
import io
import itertools
import json
import os
import pickle
import re
import select
import signal
import sys
import time
import types
from typing import Any

Row = tuple[Any, ...]
Rows = dict[int, Row]

CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "set": set,
    "frozenset": frozenset,
    "deque": collections.deque,
}
MUTABLE = frozenset(("list", "dict", "set", "deque", "instance", "exception"))
# Classes that call themselves builtins and cannot be found there.
NAMELESS = {
    cls.__name__: cls
    for cls in (
        type(None),
        type(...),
        type(NotImplemented),
        types.FunctionType,
        types.BuiltinFunctionType,
        types.MethodType,
        types.ModuleType,
        types.GeneratorType,
        types.CoroutineType,
    )
}
# Types whose repr is a call that makes an equal value: where the names in it come from.
TEXTUAL = {
    "datetime": ("datetime",),
    "decimal": ("Decimal",),
    "fractions": ("Fraction",),
    "pathlib": ("PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath"),
    "uuid": ("UUID",),
    "re": ("re",),
    "builtins": ("range", "slice"),
    "numpy": (
        "array",
        "np",
        "nan",
        "inf",
        "float32",
        "int8",
        "int16",
        "int32",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
    ),
}


class CannotJudge(Exception):
    """Something of the recorded call cannot be rebuilt or found here."""


class Overrides:
    """Finds the corrected file for a module, by the name the program imports it by."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        file = self.files.get(name)
        if file is None:
            return None
        package = os.path.basename(file) == "__init__.py"
        locations = [os.path.dirname(file)] if package else None
        return importlib.util.spec_from_file_location(name, file, submodule_search_locations=locations)


class Reference:
    """The corrected modules and their functions."""

    def __init__(self, paths: list[str], main: tuple[str, str] | None, overrides: dict[str, str]) -> None:
        sys.path[:0] = paths
        sys.meta_path.insert(0, Overrides(overrides))
        if main is not None and main[0] in sys.stdlib_module_names:
            main = ("reference_" + main[0], main[1])
        self.main = main
        self.modules: dict[str, types.ModuleType] = {}
        self.functions: dict[tuple[str, str], list[types.FunctionType]] = {}

    def load(self, name: str, file: str) -> types.ModuleType:
        """The module of a file, imported under its own name; what it prints goes nowhere."""
        module = self.modules.get(file)
        if module is not None:
            return module
        if self.main is not None and file == self.main[1]:
            found = self._load_program(self.main[0], file)
        else:
            found = importlib.import_module(name)
            if not _same_file(getattr(found, "__file__", None), file):
                raise CannotJudge(f"{name} was imported from elsewhere")
        self.modules[file] = found
        for candidate in gc.get_objects():
            # Found by their code: decorators, properties and class bodies do not hide them.
            if isinstance(candidate, types.FunctionType):
                code = candidate.__code__
                if code.co_name == candidate.__name__ and _same_file(code.co_filename, file):
                    same = self.functions.setdefault((file, candidate.__qualname__), [])
                    if not any(other.__code__ is code for other in same):
                        same.append(candidate)
        return found

    def _load_program(self, name: str, file: str) -> types.ModuleType:
        known = sys.modules.get(name)
        if known is not None and _same_file(getattr(known, "__file__", None), file):
            return known
        spec = importlib.util.spec_from_file_location(name, file)
        if spec is None or spec.loader is None:
            raise CannotJudge(f"{file} cannot be imported")
        found = sys.modules[name] = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(found)
        except (Exception, SystemExit):
            # A script may end by an error or an exit after its functions are defined; those are what is needed.
            if not any(isinstance(v, types.FunctionType) for v in vars(found).values()):
                raise CannotJudge(f"{file} cannot be imported") from None
        return found

    def function(self, file: str, qualname: str, parameters: list[str], line: int) -> types.FunctionType:
        candidates = [
            f for f in self.functions.get((file, qualname), []) if _parameters(f) == parameters
        ] or self.functions.get((file, qualname), [])
        if not candidates:
            raise CannotJudge(f"the reference has no {qualname}")
        # Of several (a property's functions, overloads) the one nearest to the recorded line.
        return min(candidates, key=lambda f: abs(f.__code__.co_firstlineno - line))

    def namespace(self, module: str) -> dict[str, Any]:
        """The globals of a corrected module by the name the program knew it by; empty when it is not loaded."""
        if module == "__main__":
            return {} if self.main is None else vars(self.load(*self.main))
        found = sys.modules.get(module)
        return vars(found) if found is not None else {}

    def named(self, qualname: str, module: str) -> Any:
        """The class or function of a qualified name."""
        if "<" in qualname:
            raise CannotJudge(f"{qualname} cannot be found by its name")
        if module == "__main__" and self.main is not None:
            found: Any = self.load(*self.main)
        else:
            try:
                found = importlib.import_module(module or "builtins")
            except Exception:
                raise CannotJudge(f"no module {module}") from None
        if module == "builtins" and qualname in NAMELESS:
            return NAMELESS[qualname]
        for part in qualname.split("."):
            namespace = getattr(found, "__dict__", {})
            if part in namespace:
                found = namespace[part]
                if isinstance(found, (staticmethod, classmethod)):
                    found = found.__func__
            else:
                try:
                    found = getattr(found, part)
                except AttributeError:
                    raise CannotJudge(f"the reference has no {qualname}") from None
        return found

    def cls(self, name: tuple[str, str]) -> type:
        found = self.named(*name)
        if not isinstance(found, type):
            raise CannotJudge(f"{name[0]} is not a class")
        return found


def _same_file(one: str | None, other: str) -> bool:
    return one is not None and (one == other or os.path.realpath(one) == os.path.realpath(other))


def _parameters(function: types.FunctionType) -> list[str]:
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    return list(code.co_varnames[:count])


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
            if cls is collections.defaultdict:
                raise CannotJudge("the factory of a defaultdict is not known")
            if issubclass(cls, enum.Enum):
                return  # members are found, not made; see _fill
            base = _base(cls)
            try:
                made = base.__new__(cls)
                if cls is collections.deque:
                    made.__init__()
            except TypeError:
                raise CannotJudge(f"{cls.__name__} cannot be made") from None
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
    for base in (list, dict, set, collections.deque):
        if issubclass(cls, base):
            return base
    if issubclass(cls, BaseException):
        # The nearest builtin exception: each has a `__new__` of its own.
        return next(c for c in cls.__mro__ if c.__module__ == "builtins")
    return object


def _from_text(name: tuple[str, str], text: str) -> Any:
    import ast

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


class Comparison:
    """Are the actual objects what was recorded, in content and in sharing? None when that cannot be told."""

    def __init__(self, rows: Rows, existed: set[int]) -> None:
        self.rows = rows
        self.existed = (
            existed  # ids of objects that are no part of the call: globals, class attributes, caches
        )
        self.recorded_of: dict[int, int] = {}  # id of an actual object → number
        self.actual_of: dict[int, int] = {}
        self.kept: list[Any] = []
        self.doubtful = False
        self.difference = ""

    def same(self, pairs: list[tuple[str, Any, int]]) -> bool:
        """Compares (where, actual, number) and everything below."""
        pending = list(reversed(pairs))
        while pending:
            where, actual, number = pending.pop()
            row = self.rows[number]
            kind = row[0]
            if kind in MUTABLE or kind == "bytearray":
                known = self.recorded_of.get(id(actual))
                if known is not None or number in self.actual_of:
                    if known == number and self.actual_of.get(number) == id(actual):
                        continue
                    if id(actual) not in self.existed:
                        return self._differs(where, "is shared differently")
                    # The recorded one was rebuilt, so a global that is passed in and returned is two objects here.
                    self.doubtful = True
                    continue
                self.recorded_of[id(actual)] = number
                self.actual_of[number] = id(actual)
                self.kept.append(actual)
            below = self._parts(where, actual, row)
            if below is None:
                return False
            pending.extend(reversed(below))
        return True

    def _differs(self, where: str, how: str) -> bool:
        self.difference = f"{where} {how}"
        return False

    def _parts(self, where: str, actual: Any, row: Row) -> list[tuple[str, Any, int]] | None:
        kind, cls = row[0], type(actual)
        if kind == "scalar":
            value = row[1]
            if cls is type(value) and (value == actual or (value != value and actual != actual)):
                return []
            self._differs(where, f"should be {_short(actual)}")
            return None
        if kind == "bytearray":
            if cls is bytearray and bytes(actual) == row[1]:
                return []
            self._differs(where, f"should be {_short(actual)}")
            return None
        if kind == "opaque":
            # One iterator may well stand for another; a list for an iterator is something else.
            if row[1][1] == "builtins" and cls.__qualname__ != row[1][0] and not hasattr(cls, "__next__"):
                return self._wrong_type(where, cls)
            self.doubtful = True
            return []
        if kind in ("class", "function"):
            if getattr(actual, "__qualname__", None) == row[1]:
                return []
            self._differs(where, f"should be {_short(actual)}")
            return None
        if kind == "module":
            return [] if isinstance(actual, types.ModuleType) else self._wrong_type(where, cls)
        if kind == "method":
            if not isinstance(actual, types.MethodType):
                return self._wrong_type(where, cls)
            return [(where, actual.__func__, row[1]), (where, actual.__self__, row[2])]
        if cls.__qualname__ != row[1][0]:
            return self._wrong_type(where, cls)
        if kind == "textual":
            if repr(actual)[: len(row[2])] == row[2]:
                return []
            self._differs(where, f"should be {_short(actual)}")
            return None
        if kind == "based":
            base = next(b for b in (int, float, complex, str, bytes, bytearray) if isinstance(actual, b))
            below = self._attributes(where, actual, row[3])
            return None if below is None else [(where, base(actual), row[2]), *below]
        recorded = row[2] if kind == "instance" else row[3]
        # Of an exception that left a call only the class and the arguments are known.
        attributes = [] if recorded is None else self._attributes(where, actual, recorded)
        if attributes is None or kind == "instance":
            return attributes
        if kind == "exception":
            parts: list[Any] = list(actual.args)
        elif kind == "dict":
            return self._dict_parts(where, actual, row[2], attributes)
        elif kind in ("set", "frozenset"):
            return self._set_parts(where, actual, row[2], attributes)
        else:
            builtin: Any = CONTAINERS[kind]
            parts = list(builtin.__iter__(actual))
        if len(parts) != len(row[2]):
            self._differs(where, f"should have {len(parts)} parts")
            return None
        return [
            (f"{where}[{i}]", part, number)
            for i, (part, number) in enumerate(zip(parts, row[2], strict=False))
        ] + attributes

    def _wrong_type(self, where: str, cls: type) -> list[tuple[str, Any, int]] | None:
        self._differs(where, f"should be of type {cls.__name__}")
        return None

    def _attributes(
        self, where: str, actual: Any, recorded: list[tuple[str, int]]
    ) -> list[tuple[str, Any, int]] | None:
        found: dict[str, Any] = dict(getattr(actual, "__dict__", None) or {})
        for cls in type(actual).__mro__:
            for name, slot in cls.__dict__.items() if "__slots__" in cls.__dict__ else ():
                if isinstance(slot, types.MemberDescriptorType) and name not in found:
                    try:
                        found[name] = slot.__get__(actual)
                    except AttributeError:
                        continue
        if isinstance(actual, BaseException):
            found.pop("__notes__", None)
        wanted = dict(recorded)
        if found.keys() != wanted.keys():
            odd = sorted(set(found) ^ set(wanted))[0]
            self._differs(f"{where}.{odd}", "should be there" if odd in found else "should not be there")
            return None
        return [(f"{where}.{name}", found[name], number) for name, number in wanted.items()]

    def _key(self, number: int) -> Any:
        """A recorded value as a dictionary key to find its actual counterpart by; identity if it has none."""
        row = self.rows[number]
        if row[0] == "scalar":
            return (type(row[1]).__name__, row[1])
        if row[0] in ("tuple", "frozenset") and row[1][1] == "builtins":
            parts = [self._key(part) for part in row[2]]
            return (row[0], frozenset(parts) if row[0] == "frozenset" else tuple(parts))
        if row[0] in ("textual",):
            return ("textual", row[2])
        if row[0] in ("class", "function"):
            return ("named", row[1])
        raise LookupError

    def _actual_key(self, value: Any) -> Any:
        if value is None or type(value) in (bool, int, float, complex, str, bytes):
            return (type(value).__name__, value)
        if type(value) in (tuple, frozenset):
            parts = [self._actual_key(part) for part in value]
            return (type(value).__name__, frozenset(parts) if type(value) is frozenset else tuple(parts))
        if isinstance(value, (type, types.FunctionType)):
            return ("named", value.__qualname__)
        if type(value).__module__.partition(".")[0] in TEXTUAL:
            return ("textual", repr(value))
        raise LookupError

    def _dict_parts(
        self, where: str, actual: Any, parts: list[int], more: list[tuple[str, Any, int]]
    ) -> list[tuple[str, Any, int]] | None:
        items = list(dict.items(actual))
        keys, values = parts[::2], parts[1::2]
        if len(items) != len(keys):
            self._differs(where, f"should have {len(items)} items")
            return None
        try:
            by_key = {self._actual_key(key): value for key, value in items}
            pairs = [(self._key(key), value) for key, value in zip(keys, values, strict=False)]
        except LookupError:
            # Keys that are objects: compared in order.
            paired = []
            for (key, value), key_number, number in zip(items, keys, values, strict=False):
                paired += [(f"a key of {where}", key, key_number), (f"{where}[…]", value, number)]
            return paired + more
        below = []
        for key, number in pairs:
            if key not in by_key:
                self._differs(where, f"should not have the key {key[1]!r}")
                return None
            below.append((f"{where}[{key[1]!r}]", by_key[key], number))
        return below + more

    def _set_parts(
        self, where: str, actual: Any, parts: list[int], more: list[tuple[str, Any, int]]
    ) -> list[tuple[str, Any, int]] | None:
        elements = list(actual)
        if len(elements) != len(parts):
            self._differs(where, f"should have {len(elements)} elements")
            return None
        try:
            if {self._actual_key(e) for e in elements} != {self._key(p) for p in parts}:
                self._differs(where, f"should be {_short(actual)}")
                return None
            return more
        except LookupError:
            self.doubtful = True  # objects without an order: only their number was compared
            return more


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 60 else text[:59] + "…"


def _defaults(function: types.FunctionType) -> dict[str, Any]:
    """The default values of parameters by name."""
    names, defaults = _parameters(function), function.__defaults__ or ()
    positional = names[: function.__code__.co_argcount]
    found = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=False))
    found.update(function.__kwdefaults__ or {})
    return found


def _take_over(rebuilt: Rebuilt, number: int, actual: Any) -> None:
    """Lets an object of the corrected modules stand for a recorded instance it is the counterpart of."""
    row = rebuilt.rows.get(number)
    if (
        row is not None
        and row[0] == "instance"
        and Comparison(rebuilt.rows, set()).same([("", actual, number)])
    ):
        rebuilt.objects[number] = actual


class Run:
    """One run of a function on recorded inputs: what it was given, and what came out."""

    def __init__(self, reference: Reference, question: dict[str, Any]) -> None:
        self.reference = reference
        self.question = question
        reference.load(question["module"], question["file"])
        self.function = reference.function(
            question["file"], question["qualname"], question["parameters"], question["line"]
        )
        self.before = before = Rebuilt(question["before"], reference)
        # What is told apart by identity (sentinels, registries) must be the one that the corrected modules have.
        for module_name, name, number in question["known"]:
            _take_over(before, number, reference.namespace(module_name).get(name))
        self.omitted = self._omitted()
        self.arguments = {
            name: before.object(number) for name, number in question["arguments"] if name not in self.omitted
        }
        for module_name, name, number in question["globals"]:
            namespace = self.namespace(module_name)
            if name in namespace or module_name is None:
                namespace[name] = before.object(number)
        for qualname in question["cached in"]:  # the import may have filled them
            self._cached(qualname).cache_clear()
        for qualname, arguments, number in question["caches"]:
            self._prime(qualname, [before.object(part) for part in arguments], before.object(number))
        self.made = set(before.made)

    def namespace(self, module_name: str | None) -> dict[str, Any]:
        return self.function.__globals__ if module_name is None else self.reference.namespace(module_name)

    def _omitted(self) -> set[str]:
        """The parameters that took their default, and have one of another kind here: it is taken again."""
        self.other_defaults = False
        defaults = _defaults(self.function)
        omitted = set(defaults) - {name for name, _ in self.question["arguments"]}
        for name, number in self.question["arguments"]:
            if name not in defaults:
                continue
            row = self.question["before"][number]
            if name not in self.question["defaulted"] or row[0] in ("instance", "class", "function"):
                _take_over(self.before, number, defaults[name])
            elif not _is_kind_of(defaults[name], row):
                self.other_defaults = True
                omitted.add(name)
            elif row[0] not in MUTABLE and row[0] != "bytearray":
                omitted.add(name)  # it holds no state
            else:
                _take_over(self.before, number, defaults[name])
        return omitted

    def _cached(self, qualname: str) -> Any:
        wrapper = self.reference.named(qualname, self.question["cached in"][qualname])
        inner = getattr(wrapper, "__wrapped__", None)
        if not isinstance(wrapper, functools._lru_cache_wrapper) or not isinstance(inner, types.FunctionType):
            raise CannotJudge(f"the cache of {qualname} cannot be filled")
        return wrapper

    def _prime(self, qualname: str, arguments: list[Any], result: Any) -> None:
        """Lets a cached function remember a result, without running it."""
        inner = self._cached(qualname).__wrapped__
        if inner.__code__.co_freevars:
            raise CannotJudge(f"the cache of {qualname} cannot be filled")
        code, inner.__globals__[_REMEMBERED] = inner.__code__, result
        inner.__code__ = _remembered.__code__
        try:
            self._cached(qualname)(*arguments)
        finally:
            inner.__code__ = code
            del inner.__globals__[_REMEMBERED]

    def _cached_now(self) -> list[tuple[str, Any, int]]:
        """What cached functions would hand out again: (where, object, number of the recorded one)."""
        after = Rebuilt(self.question["after"], self.reference)
        after.objects.update(self.before.objects)
        found = []
        for qualname, parts, number in self.question["caches_after"]:
            wrapper = self._cached(qualname)
            arguments = [after.object(part) for part in parts]
            misses = wrapper.cache_info().misses
            with contextlib.suppress(Exception):
                result = wrapper(*arguments)
                if wrapper.cache_info().misses == misses:
                    found.append(
                        (f"the cached {qualname}({', '.join(map(_short, arguments))})", result, number)
                    )
        return found

    def run(self) -> None:
        question, arguments = self.question, dict(self.arguments)
        code = self.function.__code__
        names = _parameters(self.function)
        if set(arguments) - set(names) or set(names) - set(arguments) - self.omitted:
            raise CannotJudge("the parameters differ")
        count = code.co_argcount
        given = [name for name in names[:count] if name not in self.omitted]
        if given != names[: len(given)]:
            raise CannotJudge("a default before a given argument")
        positional = [arguments[name] for name in given]
        keywords = {
            n: arguments[n] for n in names[count : count + code.co_kwonlyargcount] if n not in self.omitted
        }
        rest = names[count + code.co_kwonlyargcount :]
        if code.co_flags & 0x04:
            more = arguments[rest.pop(0)]
            if more and len(given) < count:
                raise CannotJudge("a default before a given argument")
            positional += more
        if code.co_flags & 0x08:
            keywords.update(arguments[rest.pop(0)])
        wanted = question["outcome"]
        self.printed = sys.stdout = io.StringIO()
        self.existed = set(map(id, gc.get_objects())) - self.made
        self.raised = False
        try:
            outcome = self.function(*positional, **keywords)
            if isinstance(outcome, types.CoroutineType):
                outcome = asyncio.run(outcome)
            elif isinstance(outcome, types.GeneratorType) and wanted["generator"]:
                # Only as far as it was asked for when it was recorded.
                number, kind = wanted["value"], wanted["kind"]
                count = len(question["after"][number][2]) if kind == "yield" else 0
                whole = wanted["complete"] or kind == "raise"
                outcome = list(outcome) if whole else list(itertools.islice(outcome, count))
        except BaseException as error:
            outcome, self.raised = error, True
        self.outcome: Any = outcome

    def check(self) -> None:
        """Raises CannotJudge for errors that say more about this process than about the program."""
        wanted, error = self.question["outcome"], self.outcome
        if not self.raised or not isinstance(error, CannotJudge | NameError | ImportError | RecursionError):
            return
        number = wanted["value"]
        recorded = self.question["after"][number][1][0] if number is not None else ""
        if wanted["kind"] != "raise" or recorded != type(error).__qualname__:
            raise CannotJudge(f"the reference raised {_short(error)}")

    def pairs(self) -> list[tuple[str, Any, int]]:
        """(where, object, number of the recorded one): the result, and all that may have been changed."""
        question, number = self.question, self.question["outcome"]["value"]
        pairs: list[tuple[str, Any, int]] = []
        if number is not None:
            pairs.append(("the result", self.outcome, number))
        pairs += [
            (name, self.arguments[name], after)
            for name, after in question["arguments_after"]
            if name not in self.omitted
        ]
        for module_name, name, after in question["globals_after"]:
            namespace = self.namespace(module_name)
            if name in namespace:
                pairs.append((name, namespace[name], after))
        return pairs + self._cached_now()


_REMEMBERED = "@remembered"


def _remembered(*_: Any, **__: Any) -> Any:
    return globals()["@remembered"]


def _is_kind_of(default: Any, row: Row) -> bool:
    """Whether a default is of the type of a recorded one: then what the recorded one held is carried over."""
    if row[0] == "scalar":
        return type(default) is type(row[1])
    cls = type(default)
    if row[0] == "bytearray":
        return cls is bytearray
    if row[0] in ("class", "function", "method", "module"):
        return isinstance(
            default, (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType)
        )
    return (cls.__qualname__, cls.__module__) == tuple(row[1]) or cls.__qualname__ == row[1][0]


def judge(reference: Reference, question: dict[str, Any]) -> tuple[str | None, str]:
    """Runs the corrected function on the recorded inputs and compares what comes out and what is changed."""
    run = Run(reference, question)
    run.run()
    run.check()
    if run.raised != (question["outcome"]["kind"] == "raise"):
        return "wrong", f"should {'raise' if run.raised else 'return'} {_short(run.outcome)}"
    if not run.raised and question["outcome"]["generator"] and not isinstance(run.outcome, list):
        return "wrong", f"should not be a generator, but return {_short(run.outcome)}"
    comparison = Comparison(question["after"], run.existed)
    if not comparison.same(run.pairs()):
        return "wrong", comparison.difference
    before, after = dict(question["arguments"]), dict(question["arguments_after"])
    for name in sorted(run.omitted):
        if name in question["changed"] and before[name] == after[name]:
            return "wrong", f"should not change the default of {name}"
    if comparison.doubtful:
        return None, "not all of it can be compared"
    if run.printed.getvalue():
        return None, "what it printed was not recorded"
    return "correct", ""


def describe(reference: Reference, question: dict[str, Any]) -> tuple[str, str]:
    """Fingerprints of what a run gives, to be compared with those of another version of the program.

    The first is of its shape (types, sharing, memory in common, exceptions), the second of the values in it.
    """
    run = Run(reference, question)
    run.run()
    run.check()
    if run.other_defaults:
        raise CannotJudge("the defaults are of other types")
    shape, values = hashlib.blake2b(digest_size=16), hashlib.blake2b(digest_size=16)
    seen: dict[int, int] = {}
    memory: dict[int, int] = {}
    kept: list[Any] = []
    shape.update(f"{run.raised};".encode())
    values.update(repr(run.printed.getvalue()).encode(errors="surrogatepass"))
    pending = [value for _, value, _ in reversed(run.pairs())]
    while pending:
        value = pending.pop()
        cls = type(value)
        shape.update(f"{cls.__module__}.{cls.__qualname__};".encode())
        if value is None or cls in (bool, int, float, complex, str, bytes):
            values.update(f"{value!r};".encode(errors="surrogatepass"))
            continue
        if isinstance(value, type | types.FunctionType | types.BuiltinFunctionType):
            values.update(f"{value.__qualname__};".encode())
            continue
        known = seen.setdefault(id(value), len(seen))
        shape.update(f"{known};".encode())
        if known != len(seen) - 1 or len(seen) > _MOST_DESCRIBED:
            continue
        kept.append(value)
        if cls.__module__.partition(".")[0] == "numpy" and hasattr(value, "base"):
            owner = value
            while getattr(owner, "base", None) is not None:
                owner = owner.base
            kept.append(owner)
            shape.update(f"memory {memory.setdefault(id(owner), len(memory))};".encode())
            values.update(f"{value!r};".encode(errors="surrogatepass"))
            continue
        below: list[Any] = list(getattr(value, "__dict__", None) or {}).copy()
        below = [part for name in sorted(map(str, below)) for part in (name, value.__dict__.get(name))]
        if isinstance(value, BaseException):
            below += value.args
        elif isinstance(value, dict):
            below += [part for pair in dict.items(value) for part in pair]
        elif isinstance(value, set | frozenset):
            below += sorted(value, key=repr)
        elif isinstance(value, list | tuple | collections.deque):
            below += list(value)
        elif not below:
            text = repr(value)
            values.update(re.sub(r" at 0x[0-9a-fA-F]+", "", text).encode(errors="surrogatepass"))
        shape.update(f"{len(below)};".encode())
        pending.extend(reversed(below))
    return shape.hexdigest(), values.hexdigest()


_MOST_DESCRIBED = 100_000


def _fragments(reference: Reference, question: dict[str, Any]) -> tuple[str | None, str]:
    """Judges a piece of a function."""
    spec = importlib.util.spec_from_file_location(
        "algodebug_reference_fragments",
        os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference_fragments.py"),
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    verdict: tuple[str | None, str] = module.judge_fragment(sys.modules[__name__], reference, question)
    return verdict


_LOADING = 30.0  # seconds that importing the reference may take besides
_NOWHERE = open(os.devnull, "wb")  # noqa: SIM115  # for as long as the process lives


def _end_after(seconds: float) -> None:
    """Whatever the program does, and whether or not the oracle is still there: this process ends by then."""
    faulthandler.dump_traceback_later(seconds + 5, exit=True, file=_NOWHERE)


def in_a_fork(reference: Reference, question: dict[str, Any], timeout: float) -> tuple[str | None, str]:
    """Judges in a child process; unknown when it takes too long or dies."""
    _end_after(timeout + _LOADING)
    try:
        reference.load(question["module"], question["file"])
    finally:
        faulthandler.cancel_dump_traceback_later()  # its thread does not survive a fork
    answer = _fragments if "fragment" in question else describe if question["describe"] else judge
    if not hasattr(os, "fork"):
        return answer(reference, question)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            _end_after(timeout)
            reply = _guarded(answer, reference, question)
            os.write(writer, json.dumps(reply).encode())
        finally:
            os._exit(0)
    os.close(writer)
    data, end = b"", time.monotonic() + timeout
    try:
        while True:
            ready, _, _ = select.select([reader], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                os.kill(child, signal.SIGKILL)
                return "unknown", f"the reference took longer than {timeout:g} s"
            piece = os.read(reader, 65536)
            if not piece:
                break
            data += piece
    finally:
        os.close(reader)
        os.waitpid(child, 0)
    if not data:
        return "unknown", "the reference crashed"
    verdict, reason = json.loads(data)
    return verdict, reason


def _guarded(function: Any, *arguments: Any) -> tuple[str | None, str]:
    try:
        verdict: tuple[str | None, str] = function(*arguments)
        return verdict
    except CannotJudge as reason:
        return None, str(reason)
    except BaseException as error:
        return None, f"{type(error).__name__}: {error}"


def serve() -> None:
    questions = sys.stdin.buffer
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # The program's code must not write into the dialogue, nor read from it.
    questions = os.fdopen(os.dup(0), "rb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
    setup = pickle.load(questions)
    reference = Reference(setup["paths"], setup["main"], setup["overrides"])
    sys.argv = [setup["main"][1] if setup["main"] else ""]
    while True:
        try:
            question = pickle.load(questions)
        except EOFError:
            return
        verdict, reason = _guarded(in_a_fork, reference, question, setup["timeout"])
        replies.write(json.dumps({"verdict": verdict, "reason": reason}) + "\n")
        replies.flush()


if __name__ == "__main__":
    # The folder of this file must not be searched for the program's modules.
    sys.path.pop(0)
    serve()
