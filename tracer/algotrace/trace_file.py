"""The trace file: one SQLite database, complete when the program has ended, read lazily.

Tables: `meta` (JSON by key), `source` (the text that ran), `blob` (compressed parts: event codes, object rows, the
arrays of the execution tree). Everything in it is numbers and JSON, so reading a stranger's trace executes nothing.

Of objects that are one part of rows, those that lived longer than the others have their rows elsewhere ("late"), found
by their numbers: so no part has to be written twice, however long the program runs.
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
from bisect import bisect_left
from pathlib import Path
from typing import Any, TypeVar
from collections.abc import Callable, Iterable, Iterator

from algotrace import BUILTINS
from algotrace.wellformed import MOST_NODES, check_rows

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

APPLICATION_ID = 0x41_44_54_52
VERSION = 2
EVENTS_PER_PART = 1 << 16
ROWS_PER_PART = 1 << 10
SCALAR_PARTS = {"floats": "d", "ints": "q"}  # rows that are numbers, packed
_MOST_LATE = 1 << 15  # rows that wait to be written together
_CACHED_LATE = 16
_TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE source (number INTEGER PRIMARY KEY, path TEXT, sha256 TEXT, text TEXT)",
    "CREATE TABLE blob (name TEXT, part INTEGER, data BLOB, PRIMARY KEY (name, part))",
)
# What a part may be unpacked to at most: a small file could ask for any amount of memory.
_MOST_STATIC = _MOST_ROWS = 1 << 28
# As they are before the program runs.
_compress, _Packing, _connect, _Error = zlib.compress, zlib.compressobj, sqlite3.connect, sqlite3.Error
_replace, _unlink, _listdir, _kill, _getpid = os.replace, os.unlink, os.listdir, os.kill, os.getpid


class TraceError(Exception):
    """A trace that cannot be read: `message` is one line, `hint` says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Writer:
    """Writes beside the final path and renames at the end, so that a trace is complete or absent. Raises OSError.

    The file need not stay open while the program runs, which may close any descriptor: what was written before a
    `close` stays, and `open` goes on. The same part may be written again.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = path
        self.partial = f"{path}.{_getpid()}.partial"
        self.finished = False
        self._database: sqlite3.Connection | None = None
        self._late: list[tuple[int, str]] = []
        self._late_parts = 0
        self._late_numbers, self._late_places = array("I"), array("I")
        _remove_left_behind(self.partial)
        _remove(self.partial)
        try:
            self.open()
            self._script(
                f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={VERSION}; {';'.join(_TABLES)}"
            )
        except OSError:
            self.abandon()
            raise

    def open(self) -> None:
        try:
            self._database = _connect(self.partial, isolation_level=None, check_same_thread=False)
        except _Error as error:
            raise OSError(str(error)) from error
        self._script("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN")

    def close(self) -> None:
        self._script("COMMIT")
        self._disconnect()

    def meta(self, key: str, value: Any) -> None:
        self._run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps(value)))

    def source(self, number: int, path: str, text: str) -> None:
        digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
        self._run(
            "INSERT OR REPLACE INTO source VALUES (?, ?, ?, ?)",
            (number, path, digest, text.encode(errors="replace").decode()),
        )

    def blob(self, name: str, data: bytes, part: int = 0) -> None:
        self._packed(name, _compress(data, 1), part)

    def pieces(self, name: str, pieces: Iterable[bytes]) -> None:
        """One part, made piece by piece."""
        packer = Packer()
        for piece in pieces:
            packer.add(piece)
        self.packed(name, packer)

    def packed(self, name: str, packer: Packer) -> None:
        self._packed(name, packer.data(), 0)

    def events(self, codes: array[int], first_part: int) -> int:
        """Append event codes, in parts of `EVENTS_PER_PART`; returns the next part's number."""
        for start in range(0, len(codes), EVENTS_PER_PART):
            self.blob("events", codes[start : start + EVENTS_PER_PART].tobytes(), first_part)
            first_part += 1
        return first_part

    def rows(self, part: int, fragments: list[str]) -> None:
        """The rows of `ROWS_PER_PART` objects, as JSON each: "null" for those that come late."""
        self.blob("objects", f"[{','.join(fragments)}]".encode(), part)

    def late_row(self, number: int, fragment: str) -> None:
        """A row that replaces the one in its part, by position of the object."""
        self._late.append((number, fragment))
        if len(self._late) >= _MOST_LATE:
            self.late_rows()

    def late_rows(self) -> None:
        """Write those that wait; of several for one object the last holds."""
        late = sorted(dict(self._late).items())
        self._late.clear()
        for start in range(0, len(late), ROWS_PER_PART):
            rows = late[start : start + ROWS_PER_PART]
            text = ",".join(f"[{number},{fragment}]" for number, fragment in rows)
            self.blob("late", f"[{text}]".encode(), self._late_parts)
            self._late_numbers.extend(number for number, _ in rows)
            self._late_places.extend([self._late_parts] * len(rows))
            self._late_parts += 1

    def finish(self, path: Path | str | None = None) -> None:
        """Complete the file, and give it its name. After `reopen` it may go on."""
        self.late_rows()
        if self._late_numbers:
            # Stable: of several rows of one object the last stays last.
            order = sorted(range(len(self._late_numbers)), key=self._late_numbers.__getitem__)
            for name, column in (("late_numbers", self._late_numbers), ("late_places", self._late_places)):
                self.blob(name, array("I", map(column.__getitem__, order)).tobytes())
        self.close()
        self.path = path or self.path
        _replace(self.partial, self.path)
        self.finished = True

    def reopen(self) -> None:
        _replace(self.path, self.partial)
        self.finished = False

    def abandon(self) -> None:
        self._disconnect()
        _remove(self.partial)

    def _disconnect(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def _packed(self, name: str, data: bytes, part: int) -> None:
        self._run("INSERT OR REPLACE INTO blob VALUES (?, ?, ?)", (name, part, data))

    def _script(self, statements: str) -> None:
        for statement in statements.split(";"):
            self._run(statement, ())

    def _run(self, statement: str, values: Iterable[Any]) -> None:
        if self._database is None:
            raise OSError("the trace is closed")
        try:
            self._database.execute(statement, tuple(values))
        except _Error as error:
            raise OSError(str(error)) from error


def _first(entry: list[Any]) -> Any:
    return entry[0]


class Packer:
    """Compresses what comes in pieces."""

    def __init__(self) -> None:
        self._packer = _Packing(1)
        self._packed: list[bytes] = []

    def add(self, piece: bytes) -> None:
        packed = self._packer.compress(piece)
        if packed:
            self._packed.append(packed)

    def data(self) -> bytes:
        """All of it so far; more may be added afterwards."""
        return b"".join(self._packed) + self._packer.copy().flush()


def _remove(path: str) -> None:
    try:
        _unlink(path)
    except FileNotFoundError:
        return


def _remove_left_behind(partial: str) -> None:
    """Partial files of processes that were killed."""
    folder = partial.rpartition(os.sep)[0] or os.curdir
    try:
        names = _listdir(folder)
    except OSError:
        return
    for name in names:
        words = name.split(".")
        if words[-1] != "partial" or words[-3:-2] != ["algotrace"] or not words[-2].isdigit():
            continue
        try:
            if os.name == "posix":
                _kill(int(words[-2]), 0)
        except ProcessLookupError:
            _remove(f"{folder}{os.sep}{name}")
        except (OSError, OverflowError):
            continue


class Reader:
    """Reads parts on demand. Raises TraceError for whatever is wrong with the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._unreadable_rows: set[int] = set()
        self._late: tuple[array[int], ...] | None = None
        self._late_parts: dict[int, list[Any]] = {}
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
            value = self._rows(part, types)
            self._put_late_rows(value, part, types)
            return value
        except MISFITS as error:
            self._unreadable_rows.add(part)
            raise self.damaged("an object is malformed") from error
        except TraceError:
            self._unreadable_rows.add(part)
            raise

    def _rows(self, part: int, types: int) -> list[Any]:
        for name, typecode in SCALAR_PARTS.items():
            if self._has(name, part):
                numbers = array(typecode)
                numbers.frombytes(self.blob(name, part, ROWS_PER_PART * numbers.itemsize))
                return numbers.tolist()
        value = self._json(self.blob("objects", part, _MOST_ROWS))
        if type(value) is not list or len(value) > ROWS_PER_PART:
            raise self.damaged("objects are missing")
        check_rows(value, types)
        return value

    def _put_late_rows(self, rows: list[Any], part: int, types: int) -> None:
        """The rows of objects that lived longer than others of their part."""
        if self._late is None:
            self._late = tuple(self._late_column(name) for name in ("late_numbers", "late_places"))
        numbers, places = self._late
        first = bisect_left(numbers, part * ROWS_PER_PART)
        last = bisect_left(numbers, (part + 1) * ROWS_PER_PART)
        for place in sorted(set(places[first:last])):
            late = self._late_parts.get(place)
            if late is None:
                late = self._json(self.blob("late", place, _MOST_ROWS))
                check_rows([row for _, row in late], types)
                if len(self._late_parts) >= _CACHED_LATE:
                    self._late_parts.clear()
                self._late_parts[place] = late
            start = bisect_left(late, part * ROWS_PER_PART, key=_first) if late else 0
            for number, row in late[start : start + ROWS_PER_PART]:
                if number // ROWS_PER_PART != part:
                    break
                rows[number % ROWS_PER_PART] = row

    def _late_column(self, name: str) -> Any:
        if not self._has(name, 0):
            return array("I")
        return self.array(name, "I", MOST_NODES)

    def _has(self, name: str, part: int) -> bool:
        try:
            found = self._database.execute(
                "SELECT 1 FROM blob WHERE name = ? AND part = ?", (name, part)
            ).fetchone()
        except (sqlite3.Error, OverflowError, ValueError) as error:
            raise self.damaged(str(error)) from error
        return found is not None

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
