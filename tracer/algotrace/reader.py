"""Reads a trace file in parts, on demand. Whatever is wrong with the file is a `TraceError`; nothing in it is executed.

Not here: what the parts mean, see `trace`.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import urllib.parse
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from itertools import accumulate
from pathlib import Path
from typing import Any
from collections.abc import Iterator, Sequence

from algotrace.columns import Column
from algotrace.planes import Malformed, unpack
from algotrace.trace_file import (
    APPLICATION_ID, COMPOUND, EVENTS_PER_PART, MISFITS, MOST_PARTS, ROWS_PER_PART, SCALARS_PACKED, TABLES, TEXT, VERSION, TraceError,
)  # fmt: skip
from algotrace.wellformed import MOST_NODES, Check, check_rows

# What a part may be unpacked to at most: a small file could ask for any amount of memory.
_MOST_STATIC = _MOST_ROWS = 1 << 28
_MOST_OF = {"source": 1 << 27, "unit": 1 << 29}  # of all source files together

_CACHED_CHUNKS = 256
_SHORT = 4  # parts of a column that are read at once
_STRETCH_BITS = 6  # of the kinds of scalars: so many are counted for one


class _Missing:
    """Stands for the row of an object that is not among the scalars of its part."""


MISSING = _Missing()


class Scalars:
    """The scalars of a part, as packed as they are in the file."""

    __slots__ = ("_before", "_kinds", "_values")

    def __init__(self, kinds: bytes, values: dict[int, Sequence[Any]]) -> None:
        self._kinds = kinds
        self._values = values
        self._before: dict[int, list[int]] = {}  # by kind: how many of it before each stretch

    def __len__(self) -> int:
        return len(self._kinds)

    def __getitem__(self, index: int) -> Any:
        kind = self._kinds[index]
        if kind == COMPOUND:
            return MISSING
        values, before = self._values[kind], self._before.get(kind)
        if before is None:
            before = self._before[kind] = self._counted(kind)
        stretch = index >> _STRETCH_BITS
        place = before[stretch] + self._kinds.count(kind, stretch << _STRETCH_BITS, index)
        return values[place] if place < len(values) else None

    def _counted(self, kind: int) -> list[int]:
        kinds, width = self._kinds, 1 << _STRETCH_BITS
        counts = (kinds.count(kind, start, start + width) for start in range(0, len(kinds), width))
        return list(accumulate(counts, initial=0))


class _Chunk:
    """Rows that were written together, unpacked."""

    def __init__(
        self, numbers: array[int], shapes: array[int], counts: array[int], parts: array[int], texts: list[Any]
    ) -> None:
        if not len(numbers) == len(shapes) == len(counts):
            raise ValueError("malformed")
        self.ends = array("q", accumulate(counts))
        if (self.ends[-1] if self.ends else 0) != len(parts):
            raise ValueError("malformed")
        self.places = dict(zip(numbers, range(len(numbers))))
        self.shapes, self.counts, self.parts = shapes, counts, parts
        with_texts = (place for place, shape in enumerate(shapes) if not shape)
        self.texts = dict(zip(with_texts, texts))


class Reader:
    """Reads parts on demand. Raises TraceError for whatever is wrong with the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._unreadable_rows: set[int] = set()
        self._unreadable: set[tuple[str, int]] = set()
        self._room = dict(_MOST_OF)  # what more of them may be unpacked to
        self._unreadable_chunks: set[int] = set()
        self._index: tuple[array[int], array[int]] | None = None
        self._chunks: OrderedDict[int, _Chunk] = OrderedDict()
        try:
            with open(path, "rb") as file:
                head = file.read(100)
                size = file.seek(0, 2)
        except OSError as error:
            raise TraceError(
                f"cannot open {path}: {error.strerror}", "give the path of a .algotrace file"
            ) from error
        if not head.startswith(b"SQLite format 3\0") or len(head) < 100:
            raise TraceError(f"{path} is not a trace", "a trace is made by `algodebug record`")
        if int.from_bytes(head[68:72], "big") != APPLICATION_ID:
            raise TraceError(
                f"{path} is a database, but not a trace", "a trace is made by `algodebug record`"
            )
        version = int.from_bytes(head[60:64], "big")
        if version != VERSION:
            raise TraceError(
                f"{path} has trace format {version}, this version reads {VERSION}",
                "record again, or use the version of algodebug that made it",
            )
        page = int.from_bytes(head[16:18], "big")
        page = 65536 if page == 1 else page
        if page < 512 or size < page * int.from_bytes(head[28:32], "big"):
            raise self.damaged("it is cut short")
        try:
            uri = f"file:{urllib.parse.quote(str(path.absolute()))}?mode=ro&immutable=1"
            self._database = sqlite3.connect(uri, uri=True, check_same_thread=False, isolation_level=None)
            self._check_schema()
        except (sqlite3.Error, ValueError) as error:
            raise self.damaged(str(error)) from error

    def _check_schema(self) -> None:
        """A stranger's database may have views and generated columns in the place of tables: code, of a kind."""
        schema = self._database.execute(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid LIMIT 9"
        ).fetchall()
        if [row[0] for row in schema] != list(TABLES):
            raise self.damaged("its tables are not those of a trace")

    def damaged(self, why: str) -> TraceError:
        why = " ".join(why.split())[:200]  # SQLite's messages may quote the file
        return TraceError(f"{self.path} is damaged: {why}", "record the program again")

    def meta(self, key: str) -> Any:
        return self._json(self._one("SELECT value FROM meta WHERE key = ?", (key,)))

    def sources(self) -> list[tuple[int, str, str]]:
        """(number, path, sha256) in order."""
        try:
            rows = self._database.execute(
                "SELECT number, path, sha256 FROM source ORDER BY number"
            ).fetchall()
        except (sqlite3.Error, OverflowError, ValueError) as error:
            raise self.damaged(str(error)) from error
        if not all(type(row[1]) is type(row[2]) is str for row in rows):
            raise self.damaged("a source has no name")
        return rows

    def source_text(self, number: int) -> str:
        """To be asked for once of each: all of them together are bounded."""
        with self._once("source", number):
            data = self._one("SELECT text FROM source WHERE number = ?", (number,))
            text = self._unpacked("a source", data, self._room["source"])
            self._room["source"] -= len(text)
            return text.decode()

    def blob(self, name: str, part: int, limit: int) -> bytes:
        """A part as it was; one that would be longer than `limit` is an error."""
        return self._unpacked(name, self._data(name, part), limit)

    def _unpacked(self, name: str, data: Any, limit: int) -> bytes:
        try:
            unpacker = zlib.decompressobj()
            result = unpacker.decompress(data, limit + 1)
        except (zlib.error, MemoryError, TypeError) as error:
            raise self.damaged(f"{name}: {error}") from error
        if len(result) > limit or not unpacker.eof:
            raise self.damaged(f"{name} is too large or cut short")
        return result

    def column(self, name: str, typecode: str, part: int, most: int) -> array[int]:
        """One part of an array, of at most `most` numbers."""
        try:
            return unpack(self._data(name, part), typecode, most)
        except (Malformed, MemoryError) as error:
            raise self.damaged(f"{name}: {error}") from error

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """What goes wrong in here is the file's fault."""
        try:
            yield
        except MISFITS as error:
            raise self.damaged(f"something in it is malformed ({type(error).__name__})") from error

    def most_events(self) -> int:
        """As many as there is room for in the parts that are there."""
        return self.parts("events") * EVENTS_PER_PART

    def events(self, part: int) -> array[int]:
        return self.column("events", "I", part, EVENTS_PER_PART)

    def numbers(self, name: str, typecode: str, most: int) -> array[int]:
        """At most `most` numbers, of all parts of a column."""
        most = min(most, MOST_NODES)
        numbers = self.column(name, typecode, 0, most)
        part = 1
        while self._has(name, part):
            numbers.extend(self.column(name, typecode, part, most - len(numbers)))
            part += 1
        return numbers

    def sequence(
        self, name: str, typecode: str, length: int, part_length: int, check: Check | None = None
    ) -> Sequence[int]:
        """A column of so many numbers: an array if it is short, else parts are read when they are looked at."""
        if self.parts(name) != max(-(-length // part_length), 1):
            raise self.damaged(f"{name} is missing or not of its length")

        def load(part: int) -> array[int]:
            first = part * part_length
            numbers = self.column(name, typecode, part, part_length)
            if len(numbers) != min(length - first, part_length):
                raise self.damaged(f"{name} is cut short")
            if check is not None and numbers:
                try:
                    check(numbers, first)
                except ValueError as error:
                    raise self.damaged(f"{name} is malformed") from error
            return numbers

        if length > _SHORT * part_length:
            return Column(load, length, part_length)
        numbers = load(0)
        for part in range(1, -(-length // part_length)):
            numbers += load(part)
        return numbers

    def parts(self, name: str) -> int:
        """How many there are, numbered from 0 on."""
        return int(self._one("SELECT count(*) FROM blob WHERE name = ?", (name,)))

    def unit(self, number: int) -> Any:
        """What a source file has of tables. To be asked for once of each: all of them together are bounded."""
        with self._once("unit", number):
            text = self.blob("unit", number, self._room["unit"])
            self._room["unit"] -= len(text)
            return self._json(text)

    @contextlib.contextmanager
    def _once(self, name: str, number: int) -> Iterator[None]:
        """What could not be read is not read again: it may have cost much to find that out."""
        if (name, number) in self._unreadable:
            raise self.damaged(f"{name} {number} is malformed")
        self._unreadable.add((name, number))
        with self.reading():
            yield
        self._unreadable.discard((name, number))

    def static(self) -> dict[str, Any]:
        value = self._json(self.blob("static", 0, _MOST_STATIC))
        if type(value) is not dict:
            raise self.damaged("its tables are missing")
        return value

    def rows(self, part: int) -> Scalars:
        """The objects of a part: the scalars among them, MISSING for the others."""
        if part in self._unreadable_rows:  # it may have cost much to find that out
            raise self.damaged("objects are missing")
        try:
            return self._scalars(part)
        except MISFITS as error:
            self._unreadable_rows.add(part)
            raise self.damaged("an object is malformed") from error
        except TraceError:
            self._unreadable_rows.add(part)
            raise

    def _scalars(self, part: int) -> Scalars:
        kinds = self.column("kinds", "B", part, ROWS_PER_PART).tobytes()
        values: dict[int, Sequence[Any]] = {}
        for name, typecode, kind in SCALARS_PACKED:
            if kind in kinds:
                values[kind] = self.column(name, typecode, part, ROWS_PER_PART)
        if TEXT in kinds:
            texts = self._json(self.blob("texts", part, _MOST_ROWS))
            if type(texts) is not list:
                raise ValueError("malformed")
            check_rows(texts, 0)
            values[TEXT] = texts
        if not set(kinds) <= {COMPOUND, *values}:
            raise ValueError("malformed")
        return Scalars(kinds, values)

    def row(self, offset: int, shapes: list[list[Any]], types: int) -> Any:
        """The row of an object that is no scalar, by its number from 0 on."""
        part = offset // ROWS_PER_PART
        try:
            parts, chunks = self._row_index()
            for at in range(bisect_right(parts, part) - 1, bisect_left(parts, part) - 1, -1):
                chunk = self._chunk(chunks[at])
                place = chunk.places.get(offset)
                if place is not None:
                    row = _row(chunk, place, shapes)
                    check_rows([row], types)
                    return row
        except MISFITS as error:
            raise self.damaged("an object is malformed") from error
        raise self.damaged("an object is missing")

    def _row_index(self) -> tuple[array[int], array[int]]:
        if self._index is None:
            parts, chunks = (
                self.numbers(f"row_index_{name}", "I", MOST_NODES) for name in ("parts", "chunks")
            )
            self._index = parts, chunks
        return self._index

    def _chunk(self, number: int) -> _Chunk:
        chunk = self._chunks.get(number)
        if chunk is not None:
            self._chunks.move_to_end(number)
            return chunk
        if number in self._unreadable_chunks:
            raise self.damaged("objects are missing")
        self._unreadable_chunks.add(number)  # until it has been read: it may cost much to find that out
        limits = (ROWS_PER_PART * 2, ROWS_PER_PART * 2, ROWS_PER_PART * 2, MOST_PARTS)
        columns = (
            self.column(f"row_{name}", "I", number, limit)
            for name, limit in zip(("numbers", "shapes", "counts", "parts"), limits)
        )
        texts = (
            self._json(self.blob("row_texts", number, _MOST_ROWS)) if self._has("row_texts", number) else []
        )
        chunk = self._chunks[number] = _Chunk(*columns, texts)  # type: ignore[arg-type, call-arg]
        self._unreadable_chunks.discard(number)
        if len(self._chunks) > _CACHED_CHUNKS:
            self._chunks.popitem(last=False)
        return chunk

    def _has(self, name: str, part: int) -> bool:
        return self._found("SELECT 1 FROM blob WHERE name = ? AND part = ?", (name, part)) is not None

    def close(self) -> None:
        self._database.close()

    def _data(self, name: str, part: int) -> bytes:
        data = self._one("SELECT data FROM blob WHERE name = ? AND part = ?", (name, part))
        if type(data) is not bytes:
            raise self.damaged(f"{name} is missing")
        return data

    def _one(self, statement: str, values: tuple[Any, ...]) -> Any:
        row = self._found(statement, values)
        if row is None:
            raise self.damaged("a part is missing")
        return row[0]

    def _found(self, statement: str, values: tuple[Any, ...]) -> Any:
        try:
            return self._database.execute(statement, values).fetchone()
        except (sqlite3.Error, OverflowError, ValueError) as error:
            raise self.damaged(str(error)) from error

    def _json(self, text: Any) -> Any:
        try:
            return json.loads(text)
        except (ValueError, TypeError, RecursionError, MemoryError) as error:
            raise self.damaged(f"unreadable JSON ({error})") from error


def _row(chunk: _Chunk, place: int, shapes: list[list[Any]]) -> Any:
    """A row from its shape, see `objects`, and the objects it refers to."""
    shape = chunk.shapes[place]
    if not shape:
        return chunk.texts[place]
    end = chunk.ends[place]
    parts = chunk.parts[end - chunk.counts[place] : end].tolist()
    kind, cls, names, most = shapes[shape - 1]
    if kind == "method":
        return [kind, *parts]
    attributes: list[Any] = []
    if names:
        if len(parts) < len(names):
            raise ValueError("malformed")
        values = parts[-len(names) :]
        del parts[-len(names) :]
        attributes = [part for pair in zip(names, values) for part in pair]
    if kind == "based":
        (base,) = parts
        return [kind, cls, base, attributes]
    row: list[Any] = [kind, cls, parts]
    if names is not None:
        row.append(attributes)
    if most is not None:
        row.append(most)
    return row
