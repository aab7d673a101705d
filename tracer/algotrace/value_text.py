"""Writes a value as text: as Python writes it where it can, else in the same manner; parts may be left out.

Items that are left out are counted: `[…×12, 7, 8, …×280]`; of attributes it is said that there are more.
"""

from __future__ import annotations

import cmath
import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from algotrace.content import TYPECODES

if TYPE_CHECKING:
    from algotrace.trace import Trace
    from algotrace.unread import Unread

MAX_DEPTH = 40  # of literal text; deeper values are cut with "…"
MAX_INSTANCE_DEPTH = 3
_CUT_GAP = re.compile(r"…(×\d*)?$")
_OPEN = {
    "list": "[]",
    "tuple": "()",
    "set": "{}",
    "frozenset": ("frozenset({", "})"),
    "deque": ("deque([", "])"),
    "dict": "{}",
}
COMPOUND = frozenset(
    {"list", "tuple", "dict", "set", "frozenset", "deque", "instance", "exception", "based", "bytearray"}
)  # fmt: skip


class Writer:
    """Writes one value; stops when it is longer than wanted."""

    def __init__(self, trace: Trace, time: int, limit: int, without: Unread | None = None) -> None:
        self.trace = trace
        self.without = without
        self.time = time
        self.room = limit + 1
        self.pieces: list[str] = []
        self.literal = True
        self.above: set[int] = set()

    def put(self, text: str) -> None:
        self.pieces.append(text)
        self.room -= len(text)

    def write(self, number: int, depth: int, instances: int) -> None:
        if self.room <= 0:
            self.literal = False
            return
        row = self.trace.row(number)
        if type(row) is not list:
            if (type(row) is float and row != row) or row in (float("inf"), float("-inf")):
                self.literal = False
            if type(row) is str and len(row) > self.room:
                row = row[: self.room]
            self.put(repr(row))
            return
        kind = row[0]
        if kind in COMPOUND:
            if number in self.above or depth > MAX_DEPTH or instances > MAX_INSTANCE_DEPTH:
                self.literal = False
                self.put("…")
                return
            self.above.add(number)
            self._compound(number, row, depth, instances)
            self.above.discard(number)
            return
        self._other(row)

    def _other(self, row: list[Any]) -> None:
        kind = row[0]
        if kind == "huge":
            self.put(row[1])
            return
        if kind == "complex":
            value = complex(row[1], row[2])
            if not cmath.isfinite(value):
                self.literal = False
            self.put(repr(value))
            return
        if kind == "bytes":
            self.put(repr(row[1].encode("latin-1")))
            return
        self.literal = False
        if kind == "large":
            start = row[2] if row[1] == "str" else row[2].encode("latin-1")
            self.put(f"{start[: self.room]!r}… ({row[3]:,} {'characters' if row[1] == 'str' else 'bytes'})")
            return
        if kind == "function":
            self.put(f"<lambda at line {row[4]}>" if row[1].endswith("<lambda>") else f"<function {row[1]}>")
        elif kind == "class":
            self.put(f"<class {row[1]}>")
        elif kind == "module":
            self.put(f"<module {row[1]}>")
        elif kind == "method":
            function = self.trace.row(row[1])
            self.put(f"<method {function[1] if type(function) is list and len(function) > 1 else '?'}>")
        elif kind == "generator":
            self.put(f"<generator {row[2]}>")
        elif kind in ("textual", "opaque"):
            self.put(str(row[2]))
        else:
            self.put(f"<{kind}>")

    def _compound(self, number: int, row: list[Any], depth: int, instances: int) -> None:
        content = self.trace.content(number, self.time)
        kind = content.kind
        name, module, _, fields = (
            self.trace.type_of(row[1]) if kind != "bytearray" else ("bytearray", "", False, None)
        )
        if not content.certain:
            self.literal = False
        if content.is_array:
            self._array(content, row, name, depth, instances)
        elif kind == "bytearray":
            self.put(repr(bytearray(content.text.encode("latin-1"))))
        elif kind == "based":
            self._based(content, row, name, depth, instances)
        elif kind == "instance":
            self.literal = False
            without, attributes = self.without, content.attributes
            if without is not None:
                attributes = {
                    n: part for n, part in attributes.items() if not without.leaves_out(number, row[1], n)
                }
            self._attributes(name, attributes, depth, instances, len(attributes) < len(content.attributes))
        elif kind == "exception":
            self.literal = False
            self.put(name)
            self._sequence(content.items, ("(", ")"), depth, instances)
        elif fields and len(fields) == len(content.items):
            self.literal = False
            self._attributes(name, dict(zip(fields, content.items)), depth, instances)
        else:
            plain = name == kind and module in ("builtins", "collections")
            self.literal = self.literal and plain and kind not in ("deque",)
            shown = None if self.without is None else self.without.items_shown(number, content)
            if not plain:
                self.put(f"{name}(")
            if kind == "dict":
                self._mapping(content.pairs.values(), depth, instances, shown)
            elif kind in ("set", "frozenset"):
                members = [key for key, _ in content.pairs.values()]
                opening, closing = _OPEN[kind]
                if not members:
                    self.put("set()" if kind == "set" else "frozenset()")
                else:
                    self._sequence(members, (opening, closing), depth, instances, shown)
            else:
                opening, closing = _OPEN[kind]
                if content.most is not None:
                    closing = f"], maxlen={content.most})"
                self._sequence(content.items, (opening, closing), depth, instances, shown)
            if not plain:
                self.put(")")

    def _array(self, content: Any, row: list[Any], name: str, depth: int, instances: int) -> None:
        self.literal = False
        start = f"{name}({TYPECODES[row[4]]!r}"
        if content.items:
            self._sequence(content.items, (f"{start}, [", "])"), depth, instances)
        else:
            self.put(f"{start})")

    def _based(self, content: Any, row: list[Any], name: str, depth: int, instances: int) -> None:
        self.literal = False
        member = content.attributes.get("_name_")
        if member is not None and type(self.trace.row(member)) is str:
            self.put(f"{name}.{self.trace.row(member)}")
            return
        self.put(f"{name}(")
        self.write(row[2], depth + 1, instances + 1)
        self.put(")")

    def _sequence(
        self,
        items: list[int],
        brackets: tuple[str, str],
        depth: int,
        instances: int,
        shown: Collection[int] | None = None,
    ) -> None:
        self.put(brackets[0])
        for index, (item, left_out) in enumerate(_with_gaps(items, shown)):
            if index:
                self.put(", ")
            if self.room <= 0:
                self.literal = False
                return
            if left_out:
                self._gap(left_out)
            else:
                self.write(item, depth + 1, instances)
        if brackets[0] == "(" and len(items) == 1:
            self.put(",")
        self.put(brackets[1])

    def _mapping(self, pairs: Any, depth: int, instances: int, shown: Collection[int] | None = None) -> None:
        self.put("{")
        for index, (pair, left_out) in enumerate(_with_gaps(list(pairs), shown)):
            if index:
                self.put(", ")
            if self.room <= 0:
                self.literal = False
                return
            if left_out:
                self._gap(left_out)
                continue
            self.write(pair[0], depth + 1, instances)
            self.put(": ")
            self.write(pair[1], depth + 1, instances)
        self.put("}")

    def _gap(self, left_out: int) -> None:
        self.literal = False
        self.put("…" if left_out == 1 else f"…×{left_out}")

    def _attributes(
        self, name: str, attributes: dict[str, int], depth: int, instances: int, more: bool = False
    ) -> None:
        member = attributes.get("_name_")
        if member is not None and "_value_" in attributes and type(self.trace.row(member)) is str:
            self.put(f"{name}.{self.trace.row(member)}")  # an enum member
            return
        self.put(f"{name}(")
        for index, (attribute, value) in enumerate(attributes.items()):
            if index:
                self.put(", ")
            if self.room <= 0:
                return
            self.put(f"{attribute}=")
            self.write(value, depth + 1, instances + 1)
        if more:
            self.put(", …" if attributes else "…")
        self.put(")")


def cut(text: str, limit: int) -> str:
    """At most `limit` characters; no number of what is left out is cut in two."""
    if len(text) <= limit:
        return text
    return _CUT_GAP.sub("", text[: max(limit - 1, 0)]) + "…"


def gaps(count: int, shown: Collection[int] | None) -> Iterator[tuple[int, int]]:
    """(place, 0) of each of `count` items that is shown, in order; (first, how many) of those left out in between."""
    if shown is None:
        yield from ((place, 0) for place in range(count))
        return
    after = 0
    for place in sorted(place for place in set(shown) if 0 <= place < count):
        if place > after:
            yield after, place - after
        yield place, 0
        after = place + 1
    if after < count:
        yield after, count - after


def _with_gaps(items: list[Any], shown: Collection[int] | None) -> Iterable[tuple[Any, int]]:
    if shown is None:
        return ((item, 0) for item in items)
    return ((items[place], left_out) for place, left_out in gaps(len(items), shown))
