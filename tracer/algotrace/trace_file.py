"""The trace file: one SQLite database, written when the program has ended, read lazily.

Tables: `meta` (JSON by key), `source` (the text that ran), `blob` (compressed parts: event codes, object rows, the
arrays of the execution tree). Everything in it is numbers and JSON, so reading a stranger's trace executes nothing.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import sqlite3
import urllib.parse
import zlib
from array import array
from pathlib import Path
from typing import Any, TypeVar
from collections.abc import Callable, Iterable, Iterator

from algotrace.wellformed import MOST_NODES, check_rows

APPLICATION_ID = 0x41_44_54_52
VERSION = 2
EVENTS_PER_PART = 1 << 16
ROWS_PER_PART = 1 << 10
_TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE source (number INTEGER PRIMARY KEY, path TEXT, sha256 TEXT, text TEXT)",
    "CREATE TABLE blob (name TEXT, part INTEGER, data BLOB, PRIMARY KEY (name, part))",
)
# What a part may be unpacked to at most: a small file could ask for any amount of memory.
_MOST_STATIC = _MOST_ROWS = 1 << 28


class TraceError(Exception):
    """A trace that cannot be read: `message` is one line, `hint` says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Writer:
    """Writes beside the final path and renames at the end, so that a trace is complete or absent. Raises OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._row_parts = 0
        self.partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
        self.partial.unlink(missing_ok=True)
        try:
            self._database = sqlite3.connect(self.partial, isolation_level=None)
        except sqlite3.Error as error:
            raise OSError(str(error)) from error
        try:
            self._database.executescript(
                f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA application_id={APPLICATION_ID};"
                f"PRAGMA user_version={VERSION};"
                f"{';'.join(_TABLES)};"
                "BEGIN"
            )
        except sqlite3.Error as error:
            self.abandon()
            raise OSError(str(error)) from error

    def meta(self, key: str, value: Any) -> None:
        self._run("INSERT INTO meta VALUES (?, ?)", (key, json.dumps(value)))

    def source(self, number: int, path: str, text: str) -> None:
        digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
        self._run(
            "INSERT INTO source VALUES (?, ?, ?, ?)",
            (number, path, digest, text.encode(errors="replace").decode()),
        )

    def blob(self, name: str, data: bytes, part: int = 0) -> None:
        self._run("INSERT INTO blob VALUES (?, ?, ?)", (name, part, zlib.compress(data, 1)))

    def events(self, codes: array[int], first_part: int) -> int:
        """Append event codes, in parts of `EVENTS_PER_PART`; returns the next part's number."""
        for start in range(0, len(codes), EVENTS_PER_PART):
            self.blob("events", codes[start : start + EVENTS_PER_PART].tobytes(), first_part)
            first_part += 1
        return first_part

    def rows(self, rows: list[Any]) -> None:
        """Append object rows: `ROWS_PER_PART` of them, or the last ones."""
        self.blob("objects", json.dumps(rows, separators=(",", ":")).encode(), self._row_parts)
        self._row_parts += 1

    def finish(self) -> None:
        try:
            self._database.execute("COMMIT")
            self._database.close()
        except sqlite3.Error as error:
            raise OSError(str(error)) from error
        os.replace(self.partial, self.path)

    def abandon(self) -> None:
        self._database.close()
        self.partial.unlink(missing_ok=True)

    def _run(self, statement: str, values: Iterable[Any]) -> None:
        try:
            self._database.execute(statement, tuple(values))
        except sqlite3.Error as error:
            raise OSError(str(error)) from error


class Reader:
    """Reads parts on demand. Raises TraceError for whatever is wrong with the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._unreadable_rows: set[int] = set()
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
        if [row[0] for row in schema] != list(_TABLES):
            raise self.damaged("its tables are not those of a trace")

    def damaged(self, why: str) -> TraceError:
        why = " ".join(why.split())[:200]  # SQLite's messages may quote the file
        return TraceError(f"{self.path} is damaged: {why}", "record the program again")

    def meta(self, key: str) -> Any:
        return self._json(self._one("SELECT value FROM meta WHERE key = ?", (key,)))

    def sources(self) -> list[tuple[str, str, str]]:
        """(path, sha256, text) by number."""
        try:
            rows = self._database.execute("SELECT path, sha256, text FROM source ORDER BY number").fetchall()
        except (sqlite3.Error, OverflowError, ValueError) as error:
            raise self.damaged(str(error)) from error
        if not all(type(part) is str for row in rows for part in row):
            raise self.damaged("a source is not text")
        return rows

    def blob(self, name: str, part: int, limit: int) -> bytes:
        """A part as it was; one that would be longer than `limit` is an error."""
        data = self._one("SELECT data FROM blob WHERE name = ? AND part = ?", (name, part))
        if type(data) is not bytes:
            raise self.damaged(f"{name} is missing")
        try:
            unpacker = zlib.decompressobj()
            result = unpacker.decompress(data, limit + 1)
        except (zlib.error, MemoryError) as error:
            raise self.damaged(f"{name}: {error}") from error
        if len(result) > limit or not unpacker.eof:
            raise self.damaged(f"{name} is too large or cut short")
        return result

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """What goes wrong in here is the file's fault."""
        try:
            yield
        except MISFITS as error:
            raise self.damaged(f"something in it is malformed ({type(error).__name__})") from error

    def most_events(self) -> int:
        """As many as there is room for in the parts that are there."""
        parts = self._one("SELECT count(*) FROM blob WHERE name = ?", ("events",))
        return int(parts) * EVENTS_PER_PART

    def array(self, name: str, typecode: str, most: int) -> array[int]:
        """At most `most` numbers."""
        numbers: array[int] = array(typecode)
        data = self.blob(name, 0, min(most, MOST_NODES) * numbers.itemsize)
        if len(data) % numbers.itemsize:
            raise self.damaged(f"{name} is cut short")
        numbers.frombytes(data)
        return numbers

    def static(self) -> dict[str, Any]:
        value = self._json(self.blob("static", 0, _MOST_STATIC))
        if type(value) is not dict:
            raise self.damaged("its tables are missing")
        return value

    def rows(self, part: int, types: int) -> list[Any]:
        """Object rows, of as many types."""
        if part in self._unreadable_rows:  # it may have cost much to find that out
            raise self.damaged("objects are missing")
        try:
            value = self._json(self.blob("objects", part, _MOST_ROWS))
            if type(value) is not list or len(value) > ROWS_PER_PART:
                raise self.damaged("objects are missing")
            check_rows(value, types)
            return value
        except MISFITS as error:
            self._unreadable_rows.add(part)
            raise self.damaged("an object is malformed") from error
        except TraceError:
            self._unreadable_rows.add(part)
            raise

    def close(self) -> None:
        self._database.close()

    def _one(self, statement: str, values: tuple[Any, ...]) -> Any:
        try:
            row = self._database.execute(statement, values).fetchone()
        except (sqlite3.Error, OverflowError, ValueError) as error:
            raise self.damaged(str(error)) from error
        if row is None:
            raise self.damaged("a part is missing")
        return row[0]

    def _json(self, text: Any) -> Any:
        try:
            return json.loads(text)
        except (ValueError, TypeError, RecursionError, MemoryError) as error:
            raise self.damaged(f"unreadable JSON ({error})") from error


# What comes of data that does not mean what it should.
MISFITS = (
    KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, MemoryError,
)  # fmt: skip
Method = TypeVar("Method", bound=Callable[..., Any])


def reading(method: Method) -> Method:
    """For methods of what has a `_trace` or a `_reader`: what goes wrong in them is the file's fault."""

    @functools.wraps(method)
    def guarded(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            return method(self, *arguments, **named)
        except MISFITS as error:
            reader = self._reader if hasattr(self, "_reader") else self._trace._reader
            raise reader.damaged(f"something in it is malformed ({type(error).__name__})") from error

    return guarded  # type: ignore[return-value]


Progress = Callable[[str, int, int], None]
