"""A value as it was: one object at one time, read lazily, shown as text, taken apart, compared.

Nothing here recurses over the program's data without a bound, so linked lists of any length and cycles are fine.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any, NamedTuple
from collections.abc import Iterable
from itertools import chain, islice

from algotrace.trace_file import reading
from algotrace.value_text import COMPOUND, Writer, cut

if TYPE_CHECKING:
    from algotrace.trace import Trace
    from algotrace.unread import Unread

_CHANGING = {  # what library code changes in place, unrecorded: by module, classes that are not of that kind taken out
    "numpy": re.compile(r"(u?int|float|complex|bool|str|bytes|datetime|timedelta|long|dtype).*|.*DType"),
    "pandas": re.compile(r"Timestamp|Timedelta|NaTType|NAType|Period|Interval|.*Dtype"),
    "array": re.compile(r"(?!)"),
}
# Classes of the library of which no object ever changes, though it is told by nothing but its class.
_NEVER_CHANGES = {
    "builtins": ("object",),
    "operator": ("itemgetter", "attrgetter", "methodcaller"),
    "weakref": ("ReferenceType", "ProxyType", "CallableProxyType"),
}
_LOOKED_INTO = 200  # parts of a value that are asked whether they change unseen
KEY_LIMIT = 200_000  # objects that a fingerprint covers; beyond, a value equals only itself


def changes_unseen(name: str, module: str) -> bool:
    """Whether values of a library class are changed in place by code that is not recorded."""
    fixed = _CHANGING.get(module.partition(".")[0])
    return fixed is not None and fixed.fullmatch(name) is None


class Text(NamedTuple):
    """`text`, and whether it is complete and evaluates to an equal value."""

    text: str
    literal: bool


class Part(NamedTuple):
    """A part of a value: what it is called, how to get there, itself."""

    label: str
    path: str
    value: Value


class Value:
    """A handle on one object at one time; all reading happens in the trace."""

    __slots__ = ("_number", "_time", "_trace", "ref")

    def __init__(self, trace: Trace, number: int, time: int, ref: str | None = None) -> None:
        self._trace = trace
        self._number = number
        self._time = time
        self.ref = ref or f"{number}@{time}"

    def __repr__(self) -> str:
        return f"<Value {self.text(60).text}>"

    @property
    def identity(self) -> int:
        """The object's number: two values with one identity are one object (perhaps at two times)."""
        return self._number

    @property
    def time(self) -> int:
        """The state it is shown in: just before what happens then."""
        return self._time

    @property
    def kind(self) -> str:
        row = self._row()
        if type(row) is not list:
            return "none" if row is None else type(row).__name__
        kind: str = row[0]
        if kind == "based":
            return "instance"
        if kind == "large":
            return str(row[1])
        return {"huge": "int", "textual": "opaque", "method": "function", "unknown": "opaque"}.get(kind, kind)

    @property
    @reading
    def type_name(self) -> str:
        row = self._row()
        if type(row) is not list:
            return type(row).__name__
        kind = row[0]
        if kind == "large":
            return str(row[1])
        if kind in (
            "huge",
            "complex",
            "bytes",
            "bytearray",
            "function",
            "module",
            "absent",
            "unknown",
            "method",
        ):
            return "int" if kind == "huge" else kind
        if kind == "class":
            return "type"
        return str(self._trace.type_of(row[1])[0])

    @property
    def certain(self) -> bool:
        """Whether this is surely what was there: not where a write was not seen, nor for what library code may change unseen.

        So are the parts of it, not far below, but for objects of libraries.
        """
        return self.is_certain_itself and (not self._is_compound() or self._is_certain_inside())

    @property
    def is_certain_itself(self) -> bool:
        """The same, of what it consists of: whatever may have happened inside of its parts."""
        row = self._row()
        if type(row) is not list:
            return True
        if row[0] == "textual":
            return not changes_unseen(*self._trace.type_of(row[1])[:2])
        if not self._is_compound():
            return True
        if row[0] == "instance":
            name, module, of_program = self._trace.type_of(row[1])[:3]
            if not of_program:
                return name in _NEVER_CHANGES.get(module, ())
        return self._trace.content(self._number, self._time).certain

    def _is_certain_inside(self) -> bool:
        """Whether in what is not far below there is nothing that may have changed unseen, an array of a library for example."""
        todo, seen, left = [self._number], {self._number}, _LOOKED_INTO
        for number in todo:
            content = self._trace.content(number, self._time)
            if not content.certain:
                return False
            parts = chain(
                content.items, chain.from_iterable(content.pairs.values()), content.attributes.values()
            )
            for part in parts:
                left -= 1
                if left < 0:
                    return True
                row = self._trace.row(part)
                if type(row) is not list or part in seen:
                    continue
                if row[0] == "textual" and changes_unseen(*self._trace.type_of(row[1])[:2]):
                    return False
                if row[0] in COMPOUND and (row[0] != "instance" or self._trace.type_of(row[1])[2]):
                    todo.append(part)
                    seen.add(part)
        return True

    @property
    def is_written(self) -> bool:
        """Whether the object was ever changed after it was made."""
        return self._trace.is_written(self._number)

    @property
    @reading
    def length(self) -> int | None:
        if not self._is_compound():
            return None
        content = self._trace.content(self._number, self._time)
        return len(content.items) + len(content.pairs) + len(content.attributes)

    @reading
    def parts(self, start: int = 0, count: int = 100) -> list[Part]:
        """Parts from `start` on: items, then attributes; none for what has no parts."""
        if not self._is_compound():
            return []
        return [
            Part(label, path, Value(self._trace, number, self._time))
            for label, path, number in self._part_numbers(start, start + count)
        ]

    @reading
    def items(self, count: int) -> list[int]:
        """What stands in a sequence, up to a count, as numbers: where two are one, so are the parts."""
        return self._trace.content(self._number, self._time).items[:count]

    def beside(self, number: int) -> Value:
        """Another object at the same time."""
        return Value(self._trace, number, self._time)

    def attribute(self, name: str) -> Value | None:
        if not self._is_compound():
            return None
        number = self._trace.content(self._number, self._time).attributes.get(name)
        return None if number is None else Value(self._trace, number, self._time)

    def scalar(self) -> Any:
        """The Python value itself. Raises TypeError for anything compound."""
        row = self._row()
        if type(row) is not list:
            return row
        if row[0] in ("huge", "complex", "bytes"):
            return self._large_scalar(row)
        raise TypeError(f"not a scalar: {row[0]}")

    @reading
    def _large_scalar(self, row: list[Any]) -> Any:
        if row[0] == "huge":
            return int(row[1], 16)
        return complex(row[1], row[2]) if row[0] == "complex" else row[1].encode("latin-1")

    @reading
    def text(self, limit: int = 200, without: Unread | None = None) -> Text:
        """At most `limit` characters; cut values end in "…" and are not literal. `without` leaves parts out."""
        writer = Writer(self._trace, self._time, limit, without)
        writer.write(self._number, 0, 0)
        text = "".join(writer.pieces)
        return Text(text, writer.literal) if len(text) <= limit else Text(cut(text, limit), False)

    @reading
    def key(self) -> bytes:
        """A fingerprint of the whole structure, sharing and cycles included: equal keys, equal values."""
        return _fingerprint(self._trace, [self._number], self._time)

    def _row(self) -> Any:
        return self._trace.row(self._number)

    def _is_compound(self) -> bool:
        row = self._row()
        return type(row) is list and row[0] in COMPOUND

    def _part_numbers(self, start: int, stop: int) -> list[tuple[str, str, int]]:
        content = self._trace.content(self._number, self._time)
        parts: list[tuple[str, str, int]] = []
        if content.kind == "dict":
            for key, value in islice(content.pairs.values(), start, stop):
                text = Value(self._trace, key, self._time).text(80).text
                parts.append((text, f"[{text}]", value))
        elif content.kind in ("set", "frozenset"):
            members = islice(content.pairs.values(), start, stop)
            parts = [(str(i), "", key) for i, (key, _) in enumerate(members, start)]
        elif content.kind == "exception":
            arguments = enumerate(content.items[start:stop], start)
            parts = [(f"args[{i}]", f".args[{i}]", number) for i, number in arguments]
        elif content.kind != "based":
            row = self._row()
            fields = self._trace.type_of(row[1])[3] if content.kind == "tuple" else None
            if fields and len(fields) == len(content.items):
                named = list(zip(fields, content.items))[start:stop]
                parts = [(f".{name}", f".{name}", number) for name, number in named]
            else:
                items = enumerate(content.items[start:stop], start)
                parts = [(str(i), f"[{i}]", number) for i, number in items]
        before = len(content.pairs) + len(content.items)  # attributes come last
        attributes = islice(content.attributes.items(), max(start - before, 0), max(stop - before, 0))
        return parts + [(f".{name}", f".{name}", number) for name, number in attributes]


class Constant(Value):
    """A scalar that is known from the program's text; no object in the trace stands for it."""

    __slots__ = ("_constant",)

    def __init__(self, trace: Trace, constant: Any) -> None:
        super().__init__(trace, -1, 0, f"constant:{constant!r}"[:100])
        self._constant = constant

    def _row(self) -> Any:
        return self._constant

    def scalar(self) -> Any:
        return self._constant

    def text(self, limit: int = 200, without: Unread | None = None) -> Text:
        text = repr(self._constant)
        return Text(text, True) if len(text) <= limit else Text(text[: max(limit - 1, 0)] + "…", False)

    def key(self) -> bytes:
        text = f"{type(self._constant).__name__} {self._constant!r};"
        return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()


class NotKnown(Value):
    """Something that was there and is not recorded; no object in the trace stands for it."""

    __slots__ = ()

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace, -1, 0, "unknown")

    kind = "opaque"
    type_name = "unknown"
    certain = False

    def _row(self) -> Any:
        return ["unknown"]

    def scalar(self) -> Any:
        raise TypeError("not known")

    def text(self, limit: int = 200, without: Unread | None = None) -> Text:
        return Text("?", False)

    def key(self) -> bytes:
        return b"unknown"


class Unsure(Value):
    """What an object that may have changed unseen has at a place."""

    __slots__ = ()
    certain = False
    is_certain_itself = False


class Raised(Value):
    """An exception as it was when it left a call: its class and arguments."""

    __slots__ = ("_arguments", "_type")

    def __init__(self, trace: Trace, type_number: int, arguments: int, time: int, ref: str) -> None:
        super().__init__(trace, arguments, time, ref)
        self._type = type_number

    @property
    def kind(self) -> str:
        return "exception"

    @property
    def type_name(self) -> str:
        row = self._trace.row(self._type)
        return str(row[1]) if type(row) is list and row[0] == "class" else "exception"

    def text(self, limit: int = 200, without: Unread | None = None) -> Text:
        inside = super().text(max(limit - len(self.type_name), 10), without).text
        if inside.startswith("(") and inside.endswith(",)"):
            inside = inside[:-2] + ")"
        return Text(f"{self.type_name}{inside}", False)

    def key(self) -> bytes:
        return b"raised " + self.type_name.encode() + super().key()


UNSEEN = -1  # in the place of values that a generator handed on from code that is not recorded, however many


class Yielded(Value):
    """What a generator handed out, in order; it reads as a list, not certain where some of it was not seen.

    With `ended` that was all of it; without, nobody asked it for more.
    """

    __slots__ = ("_values", "ended")

    def __init__(
        self, trace: Trace, values: list[tuple[int, int]], time: int, ref: str, ended: bool = True
    ) -> None:
        super().__init__(trace, 0, time, ref)
        self.ended = ended
        self._values = values  # (object number, time of the yield)

    kind = "list"
    type_name = "list"

    @property
    def certain(self) -> bool:
        return all(number != UNSEEN for number, _ in self._values)

    @property
    def identity(self) -> int:
        return -1

    @property
    def length(self) -> int:
        return len(self._values)

    def parts(self, start: int = 0, count: int = 100) -> list[Part]:
        return [
            Part(str(i), f"[{i}]", self._value(number, time))
            for i, (number, time) in enumerate(self._values[start : start + count], start)
        ]

    def attribute(self, name: str) -> None:
        return None

    def scalar(self) -> Any:
        raise TypeError("not a scalar: yielded values")

    def text(self, limit: int = 200, without: Unread | None = None) -> Text:
        texts, room = [], limit - 2
        for number, time in self._values:
            text = Text("…", False) if number == UNSEEN else self._value(number, time).text(max(room, 1))
            texts.append(text)
            room -= len(text.text) + 2
            if room < 0:
                return Text("[" + ", ".join(t.text for t in texts)[: limit - 3] + "…]", False)
        return Text("[" + ", ".join(t.text for t in texts) + "]", all(t.literal for t in texts))

    def key(self) -> bytes:
        return (b"yielded" if self.ended else b"so far") + b"".join(
            self._value(number, time).key() for number, time in self._values
        )

    def _value(self, number: int, time: int) -> Value:
        return NotKnown(self._trace) if number == UNSEEN else Value(self._trace, number, time)


def joint_key(shown: Iterable[tuple[str, Value | None]], limit: int) -> bytes | None:
    """A fingerprint of several values by name, objects that they have in common included.

    None where something of them is not certain, or where they are made of more than `limit` objects.
    """
    digest = hashlib.blake2b(digest_size=16)
    positions: dict[int, int] = {}
    for name, value in shown:
        digest.update(f"\0{name}\0".encode(errors="surrogatepass"))
        if value is None:
            continue
        if not value.certain or (value.length or 0) > limit:
            return None
        if type(value) is Value:
            common = _common(value, positions, limit)
            if common is None:
                return None
            digest.update(common)
        digest.update(value.key())
    return digest.digest()


@reading
def _common(value: Value, positions: dict[int, int], limit: int) -> bytes | None:
    """Which objects of a value are those of earlier ones: `positions`, to which its own are added."""
    trace, time = value._trace, value._time
    todo, seen, told = [value._number], set[int](), bytearray()
    earlier = len(positions)
    while todo:
        number = todo.pop()
        row = trace.row(number)
        if type(row) is not list or number in seen:
            continue
        if not Value(trace, number, time).is_certain_itself:
            return None
        if row[0] not in COMPOUND:
            continue
        if len(seen) >= limit:
            return None
        position = positions.setdefault(number, len(positions))
        if position < earlier:
            told += f"{len(seen)}={position};".encode()
        seen.add(number)
        content = trace.content(number, time)
        todo += [content.attributes[name] for name in sorted(content.attributes, reverse=True)]
        if content.kind in ("dict", "set", "frozenset"):
            ordered = sorted(content.pairs.items(), key=lambda item: repr(item[0]), reverse=True)
            todo += [part for _, pair in ordered for part in reversed(pair)]
        else:
            todo += reversed(content.items)
    return bytes(told)


def _fingerprint(trace: Trace, numbers: list[int], time: int) -> bytes:
    """blake2b over a preorder walk: scalars by value, compounds by kind, type and parts, seen ones by position."""
    digest = hashlib.blake2b(digest_size=16)
    seen: dict[int, int] = {}
    todo = list(reversed(numbers))
    while todo:
        number = todo.pop()
        row = trace.row(number)
        if type(row) is not list:
            digest.update(f"{type(row).__name__} {row!r};".encode(errors="surrogatepass"))
            continue
        if row[0] not in COMPOUND:
            if row[0] == "method" and number not in seen:
                seen[number] = len(seen)
                digest.update(b"method;")
                todo += (row[2], row[1])
            elif row[0] == "generator":
                digest.update(f"generator {number};".encode())
            else:
                digest.update(f"{row!r};".encode(errors="surrogatepass"))
            continue
        if number in seen:
            digest.update(f"#{seen[number]};".encode())
            continue
        if len(seen) > KEY_LIMIT:
            digest.update(f"{number}@{time};".encode())
            break
        seen[number] = len(seen)
        content = trace.content(number, time)
        parts: list[int] = list(content.items)
        if content.kind == "dict":
            ordered = sorted(content.pairs.items(), key=lambda item: repr(item[0]))
            parts = [part for _, pair in ordered for part in pair]
        elif content.kind in ("set", "frozenset"):
            parts = [pair[0] for _, pair in sorted(content.pairs.items(), key=lambda item: repr(item[0]))]
        if content.kind == "based":
            parts = [row[2]]
        names = sorted(content.attributes)
        type_name = trace.type_of(row[1])[:2] if content.kind != "bytearray" else ["bytearray", content.text]
        digest.update(f"{content.kind} {type_name!r} {len(parts)} {names!r};".encode(errors="surrogatepass"))
        todo.extend(content.attributes[name] for name in reversed(names))
        todo.extend(reversed(parts))
    return digest.digest()
