"""The trace file: one SQLite database, complete when the program has ended.

Tables: `meta` (JSON by key), `source` (the text that ran, packed), `blob` (packed parts). Parts are columns of numbers (`planes`)
or JSON, so reading a stranger's trace executes nothing. Written here, read by `reader`:

    static                              JSON: routines, types, shapes of rows, …
    unit                                JSON: blocks and marks of one source file each, in its own numbers
    events                              `EVENTS_PER_PART` codes each: a mark's number, or from `FIRST_OBJECT` on an object's
    kinds, floats, ints, texts          scalars among `ROWS_PER_PART` objects: of which kind each is, and in order their values
    row_numbers, _shapes, _counts, _parts, _texts
                                        rows of the other objects, in the order in which they were made: see `objects`
    row_index_parts, row_index_chunks   which of those chunks hold rows of the objects of which part
    parent, size, start, …, written, …  the arrays of the execution tree, and all writes
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import sqlite3
import zlib
from array import array
from pathlib import Path
from typing import Any, TypeVar
from collections.abc import Callable, Iterable

from algotrace import BUILTINS
from algotrace.planes import pack, pack_planes

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

APPLICATION_ID = 0x41_44_54_52
VERSION = 5
EVENTS_PER_PART = 1 << 16
ROWS_PER_PART = 1 << 12
FIRST_OBJECT = 1 << 30  # codes of events below it are marks
KIND_SHIFT = 24  # while the program runs, the codes of marks have their kinds above this bit
COMPOUND, FLOAT, INTEGER, TEXT = 0, 1, 2, 3  # kinds of objects, as far as it matters where their rows are
SCALARS_PACKED = (("floats", "d", FLOAT), ("ints", "q", INTEGER))
MOST_PARTS = 1 << 25  # of objects in one chunk of rows
LONGEST = 1 << 20  # of a str or bytes; of longer ones the start is kept, and a fingerprint
NUMBERS_PER_PART = 1 << 18  # of a long column
WRITES_PER_PART = 1 << 20
_MOST_UNCOMMITTED = 1 << 24  # bytes
_LEVEL = 1  # of what is packed at once
TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE source (number INTEGER PRIMARY KEY, path TEXT, sha256 TEXT, text BLOB)",
    "CREATE TABLE blob (name TEXT, part INTEGER, data BLOB, PRIMARY KEY (name, part))",
)
_WITHOUT_KIND = bytes(64) + bytes(range(64, 256))  # for the highest bytes of event codes
# As they are before the program runs.
_compress, _connect, _Error = zlib.compress, sqlite3.connect, sqlite3.Error
_replace, _unlink, _listdir, _kill, _getpid = os.replace, os.unlink, os.listdir, os.kill, os.getpid
_INSERT = "INSERT OR REPLACE INTO blob VALUES (?, ?, ?)"


def packed_json(value: Any) -> bytes:
    return _compress(json.dumps(value, separators=(",", ":")).encode(), _LEVEL)


def packed_text(text: str) -> tuple[str, bytes]:
    """Its digest, and what a trace has of it."""
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    return digest, _compress(text.encode(errors="replace"), _LEVEL)


class TraceError(Exception):
    """A trace that cannot be read: `message` is one line, `hint` says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Writer:
    """Writes beside the final path and renames at the end, so that a trace is complete or absent. Raises OSError.

    The file need not stay open while the program runs, which may close any descriptor: what was written before a
    `close` stays, and `open` goes on. The same part may be written again. Where the disk is full, what a `reserve` was
    put by for can still be written: see `use_reserve`.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = path
        self.partial = f"{path}.{_getpid()}.partial"
        self.finished = False
        self._database: sqlite3.Connection | None = None
        self._uncommitted: list[tuple[str, int, bytes]] = []  # a full disk takes all of it back
        self._size_uncommitted = 0
        self._reserved = 0
        self._has_gaps = False
        self._chunks = 0
        self._index_parts, self._index_chunks = array("I"), array("I")
        _remove_left_behind(self.partial)
        _remove(self.partial)
        try:
            self.open(new=True)
            self._script(
                f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={VERSION}; {';'.join(TABLES)}"
            )
        except OSError:
            self.abandon()
            raise

    def open(self, *, new: bool = False) -> None:
        try:
            self._database = _connect(self.partial, isolation_level=None, check_same_thread=False)
        except _Error as error:
            raise OSError(str(error)) from error
        if new:
            self._script("PRAGMA auto_vacuum=INCREMENTAL")  # before anything else
        self._script("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; BEGIN")

    def close(self) -> None:
        self._script("COMMIT")
        self._forget_uncommitted()
        self._disconnect()

    def meta(self, key: str, value: Any) -> None:
        self._run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps(value)))

    def source(self, number: int, path: str, sha256: str, packed: bytes) -> None:
        """`packed`: see `packed_text`."""
        row = (number, _sayable(path), sha256, packed)
        self._run("INSERT OR REPLACE INTO source VALUES (?, ?, ?, ?)", row)

    def packed(self, name: str, data: bytes, part: int) -> None:
        """What has been packed before."""
        self._blob(name, data, part)

    def json(self, name: str, text: str, part: int = 0) -> None:
        self._blob(name, _compress(text.encode(), _LEVEL), part)

    def column(self, name: str, typecode: str, pieces: Iterable[Iterable[int]]) -> None:
        """One array, which comes in pieces."""
        column = Column(self, name, typecode)
        for piece in pieces:
            column.add(piece)
        column.end()

    def packed_column(self, name: str, typecode: str, pieces: list[bytes]) -> None:
        """One array, in pieces that are packed."""
        for part, piece in enumerate(pieces or [pack(array(typecode))]):
            self._blob(name, piece, part)

    def events(self, codes: array[int], first_part: int) -> int:
        """Append event codes, in parts of `EVENTS_PER_PART`; returns the next part's number."""
        data, size = codes.tobytes(), EVENTS_PER_PART * 4
        for start in range(0, len(data), size):
            planes = [data[start + place : start + size : 4] for place in range(4)]
            planes[3] = planes[3].translate(_WITHOUT_KIND)
            self._blob("events", pack_planes(planes), first_part)
            first_part += 1
        return first_part

    def scalars(
        self, part: int, kinds: bytes, floats: array[float], ints: array[int], texts: list[str]
    ) -> None:
        """Objects of a part: of which kind each is, and in order the values of each kind (texts in JSON)."""
        self._blob("kinds", pack_planes([kinds]), part)
        for name, numbers in (("floats", floats), ("ints", ints)):
            if numbers:
                self._blob(name, pack(numbers), part)
        if texts:
            self.json("texts", f"[{','.join(texts)}]", part)

    def rows(
        self,
        numbers: array[int], shapes: array[int], counts: array[int], parts: array[int], texts: list[str],
    ) -> None:  # fmt: skip
        """Rows of objects, by their numbers from 0 on. Of several rows of one object the last holds."""
        chunk, self._chunks = self._chunks, self._chunks + 1
        columns = (("numbers", numbers), ("shapes", shapes), ("counts", counts), ("parts", parts))
        for name, column in columns:
            self._blob(f"row_{name}", pack(column), chunk)
        if texts:
            self.json("row_texts", f"[{','.join(texts)}]", chunk)
        touched = {number // ROWS_PER_PART for number in numbers}
        self._index_parts.extend(touched)
        self._index_chunks.extend([chunk] * len(touched))

    def reserve(self, size: int) -> None:
        """Put by so many bytes on the disk, for what is written in the end."""
        if size > self._reserved:
            self._reserved = size + size // 4
            self._run("INSERT OR REPLACE INTO blob VALUES ('reserve', 0, zeroblob(?))", (self._reserved,))

    def use_reserve(self) -> None:
        """After an error: whatever was written since the last `open` is written into what was put by."""
        uncommitted = self._uncommitted
        self._forget_uncommitted()
        self._disconnect()
        self.open()
        self.free_reserve()
        for name, part, data in uncommitted:
            self._blob(name, data, part)

    def free_reserve(self) -> None:
        if self._reserved:
            self._reserved = 0
            self._run("DELETE FROM blob WHERE name = 'reserve'", ())
            self._has_gaps = True

    def finish(self, path: Path | str | None = None) -> None:
        """Complete the file, and give it its name. After `reopen` it may go on."""
        # Stable: of several chunks for one part the last stays last.
        order = sorted(range(len(self._index_parts)), key=self._index_parts.__getitem__)
        for name, column in (("parts", self._index_parts), ("chunks", self._index_chunks)):
            self.column(f"row_index_{name}", "I", [map(column.__getitem__, order)])
        if self._has_gaps and self._database is not None:
            self._has_gaps = False
            self._script("COMMIT")
            try:
                self._database.executescript("PRAGMA incremental_vacuum")  # what was put by and not needed
            except _Error as error:
                raise OSError(str(error)) from error
            self._script("BEGIN")
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

    def _blob(self, name: str, data: bytes, part: int) -> None:
        self._uncommitted.append((name, part, data))
        self._size_uncommitted += len(data)
        self._run(_INSERT, (name, part, data))
        if self._size_uncommitted > _MOST_UNCOMMITTED:
            self.commit()

    def commit(self) -> None:
        """What was written until now stays, whatever happens."""
        self._script("COMMIT; BEGIN")
        self._forget_uncommitted()

    def _forget_uncommitted(self) -> None:
        self._uncommitted, self._size_uncommitted = [], 0

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


class Column:
    """One array, written in pieces as they come."""

    def __init__(self, writer: Writer, name: str, typecode: str) -> None:
        self._writer = writer
        self._name = name
        self._waiting = array(typecode)
        self._part = 0

    def add(self, numbers: Iterable[int]) -> None:
        waiting = self._waiting
        waiting.extend(numbers)
        while len(waiting) >= NUMBERS_PER_PART:
            self._writer._blob(self._name, pack(waiting[:NUMBERS_PER_PART]), self._part)
            del waiting[:NUMBERS_PER_PART]
            self._part += 1

    def end(self) -> None:
        self._writer._blob(self._name, pack(self._waiting), self._part)


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


def _sayable(text: str) -> str:
    """Without what UTF-8 cannot say: parts of a file name that are no text."""
    return text.encode(errors="backslashreplace").decode()
