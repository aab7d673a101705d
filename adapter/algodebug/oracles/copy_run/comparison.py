"""Are objects of this process what was recorded? In content, types and sharing."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from .rows import CONTAINERS, MUTABLE, NO_ATTRIBUTES, TEXTUAL, Row, Rows, short

if TYPE_CHECKING:
    from .rebuilt import Rebuilt


class Comparison:
    """Are the actual objects what was recorded, in content and in sharing? None when that cannot be told."""

    def __init__(self, rows: Rows, existed: set[int], paths: dict[str, str] | None = None) -> None:
        """`paths`: of files here, those of the files that they stand for."""
        self.rows = rows
        self.paths = paths or {}
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
            if cls is str and self.paths.get(actual) == value:
                return []
            self._differs(where, f"should be {short(actual)}")
            return None
        if kind == "bytearray":
            if cls is bytearray and bytes(actual) == row[1]:
                return []
            self._differs(where, f"should be {short(actual)}")
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
            self._differs(where, f"should be {short(actual)}")
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
            self._differs(where, f"should be {short(actual)}")
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
        if isinstance(actual, RecursionError):
            return attributes  # its text says where the limit fell
        if kind == "exception":
            parts: list[Any] = list(actual.args)
        elif kind == "dict":
            return self._dict_parts(where, actual, row[2], attributes)
        elif kind in ("set", "frozenset"):
            return self._set_parts(where, actual, row[2], attributes)
        else:
            more = row[4] if len(row) > 4 else None
            if _kept_besides(kind, actual) != more:
                self._differs(where, f"should be {short(actual)}")
                return None
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
        for name in NO_ATTRIBUTES:
            found.pop(name, None)
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
                self._differs(where, f"should be {short(actual)}")
                return None
            return more
        except LookupError:
            self.doubtful = True  # objects without an order: only their number was compared
            return more


def take_over(rebuilt: Rebuilt, number: int, actual: Any) -> None:
    """Lets an object of the corrected modules stand for a recorded instance it is the counterpart of."""
    row = rebuilt.rows.get(number)
    if (
        row is not None
        and row[0] == "instance"
        and Comparison(rebuilt.rows, set()).same([("", actual, number)])
    ):
        rebuilt.objects[number] = actual


def _kept_besides(kind: str, container: Any) -> Any:
    """What such a container keeps besides its parts."""
    return container.typecode if kind == "array" else container.maxlen if kind == "deque" else None
