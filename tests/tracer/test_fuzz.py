"""A trace from a stranger: whatever is in the file, reading it ends soon, with values or with `TraceError`.

Files are made from a good trace: bytes of the file changed; parts unpacked, changed and packed again; numbers, types
and nesting changed in the JSON tables. `ALGOTRACE_FUZZ=N` tries N files of each kind with other seeds each time.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import shutil
import signal
import sqlite3
import struct
import time
import zlib
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from recorded import run

from algotrace import planes
from algotrace.trace import Trace, TraceError
from algotrace.trace_file import FIRST_OBJECT

MANY = int(os.environ.get("ALGOTRACE_FUZZ", "0"))
SEED = time.time_ns() if MANY else 0
SECONDS = 20  # for one file; a good one takes a tenth of a second

PROGRAM = """
    import asyncio, collections, enum, re, heapq
    class Colour(enum.Enum):
        RED = 1
    class Point(collections.namedtuple("Point", "x y")): pass
    class Box:
        def __init__(self, v): self.v = v; self.items = []
        def put(self, x): self.items.append(x); self.v = x; return self
    class Slim:
        __slots__ = ("a",)
        def __init__(self, a): self.a = a
    class Text(str): pass
    COUNT = 0
    def change(xs, d, box):
        global COUNT
        COUNT += 1
        xs[0] = box; d["k"] = xs; del d[1]; xs.sort(key=id); box.put(d); heapq.heappush([1, 2], 0)
        xs[1:2] = [4, 5]; d.update(a=1); d.setdefault("z", [])
        return [x for x in xs if x]
    def generate(n):
        for i in range(n): yield i, [i]
    def fails(x):
        try:
            with open("/nowhere"): pass
        except OSError as e:
            raise ValueError(x) from e
    async def waits(n):
        await asyncio.sleep(0)
        return n
    async def gathers(): return await asyncio.gather(waits(1), waits(2))
    def deep(n): return [deep(n - 1)] if n else []
    def shared():
        t = (1, 2.0)
        for _ in range(10): t = (t, t)
        return {t: t}
    def nonlocals():
        n = 0
        def inner():
            nonlocal n
            n += 1
        inner()
        return n, inner
    def everything(*args): return args
    change([1, 2, 3], {1: 2}, Box(1))
    list(generate(3))
    try: fails([1])
    except ValueError: pass
    asyncio.run(gathers())
    deep(50), shared(), nonlocals()
    loop = []; loop.append(loop)
    everything(loop, Colour.RED, Point(1, 2), Slim(3), Text("t"), 10**3000, 2j, b"x", bytearray(b"y"), {1}, frozenset((2,)),
        collections.deque([1], 2), collections.defaultdict(list, a=[1]), len, Box, Box(2).put, re, (i for i in ()), re.compile("x"), None)
"""


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    process, trace, _ = run(tmp_path_factory.mktemp("fuzz"), PROGRAM)
    assert process.returncode == 0, process.stderr
    return trace


def read_all(path: Path) -> None:
    """Everything a front end might ask."""
    trace = Trace.open(path)
    try:
        for node in range(min(len(trace.parent), 60)):
            try:
                call = trace.call(node)
                values = [argument.value for argument in call.arguments]
                values += [
                    value for change in call.changes for value in (change.before, change.after) if value
                ]
                values += [call.outcome.value] if call.outcome.value else []
                for value in values:
                    look_at(trace, value)
            except TraceError:
                pass
            for ask in (
                trace.executed,
                trace.arguments,
                lambda n: list(itertools.islice(trace.children(n), 50)),
            ):
                try:
                    ask(node)
                except TraceError:
                    continue
            trace.node_at(trace.start[node])
        for ref in (
            "1@5",
            f"{trace.mark_count}@9",
            "raise:7",
            "yield:3",
            "none",
            "-1@-1",
            "9" * 30 + "@1",
            "x",
        ):
            try:
                look_at(trace, trace.value(ref))
            except (KeyError, TraceError):
                continue
    finally:
        trace.close()


def look_at(trace: Trace, value: Any) -> None:
    for ask in (
        lambda: value.text(), lambda: value.text(20), lambda: value.kind, lambda: value.type_name, lambda: value.certain,
        lambda: value.length, lambda: [part.value.text(30) for part in value.parts(0, 20)], lambda: value.key(),
        lambda: value.attribute("v"), lambda: repr(value),
    ):  # fmt: skip
        with contextlib.suppress(TraceError):
            ask()
    with contextlib.suppress(KeyError):
        trace.value(value.ref)
    with contextlib.suppress(TypeError, TraceError):
        value.scalar()


def survives(path: Path) -> None:
    def give_up(number: int, frame: object) -> None:
        raise AssertionError(f"reading {path} takes more than {SECONDS} seconds")

    previous = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(SECONDS)
    try:
        read_all(path)
    except TraceError as error:
        assert "\n" not in error.message and error.hint
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def variants(
    good: Path, folder: Path, few: int, make: Callable[[random.Random, Path], None]
) -> Iterator[Path]:
    for number in range(MANY or few):
        path = folder / "t.algotrace"
        shutil.copy(good, path)
        make(random.Random(SEED + number), path)
        yield path
        # What fails stays to be looked at: the test ends before this.
        path.unlink()


def test_the_good_trace_reads_without_an_error(good: Path) -> None:
    trace = Trace.open(good)
    for node in range(len(trace.parent)):
        call = trace.call(node)
        for argument in call.arguments:
            argument.value.text(), argument.value.key(), argument.value.parts()
        trace.executed(node)


def test_changed_bytes(good: Path, tmp_path: Path) -> None:
    def change(chance: random.Random, path: Path) -> None:
        data = bytearray(path.read_bytes())
        for _ in range(chance.choice((1, 3, 30, 300))):
            at = chance.randrange(len(data))
            data[at] = chance.choice((0, 255, data[at] ^ (1 << chance.randrange(8)), chance.randrange(256)))
        if chance.random() < 0.2:
            del data[chance.randrange(len(data)) :]
        path.write_bytes(data)

    for path in variants(good, tmp_path, 60, change):
        survives(path)


def parts(database: sqlite3.Connection) -> list[tuple[str, int]]:
    return database.execute("SELECT name, part FROM blob ORDER BY name, part").fetchall()


JSON_PARTS = frozenset({"static", "unit", "texts", "row_texts"})
TYPECODES = {
    "events": "I",
    "kinds": "B",
    "floats": "d",
    "ints": "q",
    "parent": "i",
    "size": "i",
    "routine": "i",
    "outcome": "b",
}


def unpack(database: sqlite3.Connection, name: str, part: int = 0) -> bytes:
    query = "SELECT data FROM blob WHERE name = ? AND part = ?"
    data = database.execute(query, (name, part)).fetchone()[0]
    if name in JSON_PARTS:
        return zlib.decompress(data)
    return planes.unpack(data, TYPECODES.get(name, "I"), 1 << 30).tobytes()


def pack(database: sqlite3.Connection, name: str, data: bytes, part: int = 0) -> None:
    if name in JSON_PARTS:
        packed = zlib.compress(data, 1)
    else:
        numbers: array[int] = array(TYPECODES.get(name, "I"))
        numbers.frombytes(data[: len(data) - len(data) % numbers.itemsize])
        packed = planes.pack(numbers)
    database.execute("UPDATE blob SET data = ? WHERE name = ? AND part = ?", (packed, name, part))


def edit(path: Path, change: Callable[[sqlite3.Connection], None]) -> None:
    database = sqlite3.connect(path)
    change(database)
    database.commit()
    database.close()


NUMBERS = [0, 1, -1, 2, 3, 7, 127, 1 << 16, (1 << 31) - 1, -(1 << 31), 1 << 40, (1 << 63) - 1]


def test_changed_parts(good: Path, tmp_path: Path) -> None:
    """Numbers in the arrays and events, also parts of other lengths and under other names."""

    def change(chance: random.Random, path: Path) -> None:
        def inside(database: sqlite3.Connection) -> None:
            for _ in range(chance.choice((1, 2, 5))):
                name, part = chance.choice(parts(database))
                data = bytearray(unpack(database, name, part))
                width = chance.choice((1, 4, 8))
                for _ in range(chance.choice((1, 5, 50))):
                    at = chance.randrange(0, max(len(data) - width, 1), 4 if width > 1 else 1)
                    number = chance.choice((*NUMBERS, chance.randrange(500), chance.randrange(5000)))
                    data[at : at + width] = (number % (1 << 8 * width)).to_bytes(width, "little")
                if chance.random() < 0.1:
                    del data[chance.randrange(len(data)) :]
                if chance.random() < 0.1:
                    data *= 3
                pack(database, name, bytes(data), part)

        edit(path, inside)

    for path in variants(good, tmp_path, 60, change):
        survives(path)


ODD = [None, True, -1, 0, 3, 10**18, 10**400, 1.5, float("nan"), float("inf"), "", "x", "\ud800", [], [[]], [0], [1, "x"], {}, {"a": 1}, ["list", 0, [5]], ["method", 300, 300]]  # fmt: skip


def twist(chance: random.Random, value: Any) -> Any:
    """One place in a JSON value is changed: another kind of value, another number, one more, one less, two swapped."""
    above: Any = None
    key: Any = None
    here = value
    while isinstance(here, dict | list) and here and (above is None or chance.random() < 0.85):
        above, key = here, chance.choice(list(here) if isinstance(here, dict) else range(len(here)))
        here = above[key]
    if above is None:
        return chance.choice(ODD)
    how = chance.randrange(6)
    if how == 0:
        above[key] = chance.choice(ODD)
    elif how == 1 and isinstance(here, int):
        above[key] = here + chance.choice((1, -1, 10, 1000, -1000))
    elif how == 2:
        del above[key]
    elif how == 3 and isinstance(above, list):
        above.insert(key, here)
    elif how == 4 and isinstance(above, list):
        other = chance.randrange(len(above))
        above[key], above[other] = above[other], above[key]
    else:
        above[key] = chance.randrange(600)
    return value


@pytest.mark.parametrize("name", ["static", "unit", "texts", "row_texts", "environment"])
def test_changed_tables(name: str, good: Path, tmp_path: Path) -> None:
    def change(chance: random.Random, path: Path) -> None:
        def inside(database: sqlite3.Connection) -> None:
            times = chance.choice((1, 2, 10))
            if name == "environment":
                value = json.loads(
                    database.execute("SELECT value FROM meta WHERE key = ?", (name,)).fetchone()[0]
                )
            else:
                value = json.loads(unpack(database, name))
            for _ in range(times):
                value = twist(chance, value)
            text = json.dumps(value)
            if name == "environment":
                database.execute("UPDATE meta SET value = ? WHERE key = ?", (text, name))
            else:
                pack(database, name, text.encode())

        edit(path, inside)

    for path in variants(good, tmp_path, 60, change):
        survives(path)


@pytest.mark.parametrize("name", ["nodes", "writes"])
@pytest.mark.parametrize(
    "number", ["-1", "0", "1", "7", "100000", "4611686018427387904", "null", '"x"', "1.5"]
)
def test_counts_that_do_not_fit(name: str, number: str, good: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.algotrace"
    shutil.copy(good, path)
    edit(
        path,
        lambda database: database.execute("UPDATE meta SET value = ? WHERE key = ?", (number, name)) and None,
    )
    assert "damaged" in rejected(path)


def rejected(path: Path) -> str:
    with pytest.raises(TraceError) as caught:
        read_all(path)
    return caught.value.message


def change_array(path: Path, name: str, code: str, change: Callable[[Any], None]) -> None:
    def inside(database: sqlite3.Connection) -> None:
        numbers = array(code)
        numbers.frombytes(unpack(database, name))
        change(numbers)
        pack(database, name, numbers.tobytes())

    edit(path, inside)


@pytest.mark.parametrize(
    ("name", "code", "place", "number"),
    [
        ("size", "i", 3, 0), ("size", "i", 3, -5), ("size", "i", 3, 1 << 30), ("size", "i", 0, 1), ("parent", "i", 3, 3),
        ("parent", "i", 3, 5), ("parent", "i", 0, 0), ("parent", "i", 4, -1), ("routine", "i", 2, 1 << 20), ("routine", "i", 2, -1),
        ("outcome", "b", 2, 9), ("end", "I", 0, 1 << 31), ("end", "I", 0, (1 << 32) - 1),
    ],
)  # fmt: skip
def test_trees_that_are_none(
    name: str, code: str, place: int, number: int, good: Path, tmp_path: Path
) -> None:
    path = tmp_path / "t.algotrace"
    shutil.copy(good, path)
    change_array(path, name, code, lambda numbers: numbers.__setitem__(place, number))
    assert "damaged" in rejected(path)


@pytest.mark.parametrize(
    "name",
    [
        "static",
        "unit",
        "source",
        "texts",
        "row_texts",
        "row_parts",
        "kinds",
        "ints",
        "parent",
        "events",
        "size",
        "write_times",
        "first_seen_times",
    ],
)
@pytest.mark.parametrize("repeated", [0, 1])
def test_a_small_file_cannot_ask_for_much_memory(
    name: str, repeated: int, good: Path, tmp_path: Path
) -> None:
    path = tmp_path / "t.algotrace"
    shutil.copy(good, path)
    packer = zlib.compressobj(9)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(300)) + packer.flush()
    if name not in JSON_PARTS | {"source"}:
        width = array(TYPECODES.get(name, "I")).itemsize
        bomb = struct.pack("<IB", (1 << 32) - 1, width) + bytes([repeated]) * width + bytes(width) + bomb
    statement, values = "UPDATE blob SET data = ? WHERE name = ?", [bomb, name]
    if name == "source":
        statement, values = "UPDATE source SET text = ?", [bomb]
    edit(path, lambda database: database.execute(statement, values) and None)
    import tracemalloc

    tracemalloc.start()
    try:
        survives(path)
        assert tracemalloc.get_traced_memory()[1] < 700 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE meta; CREATE VIEW meta AS WITH RECURSIVE r(key) AS (SELECT 'a' UNION ALL SELECT key || 'a' FROM r) SELECT key, key AS value FROM r",
        "DROP TABLE source; CREATE VIEW source AS WITH RECURSIVE r(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM r) SELECT number, 'p' AS path, 's' AS sha256, 't' AS text FROM r",
        "DROP TABLE source; CREATE TABLE source (number INTEGER PRIMARY KEY, path TEXT, sha256 TEXT, text TEXT AS (hex(zeroblob(900000000))))",
        "DROP TABLE blob",
        "CREATE TABLE more (x)",
        "CREATE TRIGGER t AFTER INSERT ON meta BEGIN SELECT 1; END",
    ],
)
def test_a_schema_that_is_not_ours_is_not_queried(statement: str, good: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.algotrace"
    shutil.copy(good, path)
    edit(path, lambda database: database.executescript(statement) and None)
    assert "damaged" in rejected(path)


def test_objects_that_go_round_in_circles(good: Path, tmp_path: Path) -> None:
    """Methods of themselves, tuples and bases within themselves, and tuples shared 2 ** 60 times, as a dictionary's keys."""
    path = tmp_path / "t.algotrace"
    first = FIRST_OBJECT

    def inside(database: sqlite3.Connection) -> None:
        rows: list[Any] = [["tuple", 0, [first + index + 1, first + index + 1]] for index in range(70)]
        rows[0] = ["method", first, first]
        rows[1] = ["tuple", 0, [first + 1, first + 1]]
        rows[2] = ["based", 0, first + 2, []]
        rows[3] = ["dict", 0, [first + 1, first, first + 2, first + 3, first + 10, first + 10]]
        database.execute("DELETE FROM blob WHERE name LIKE 'row_%' AND part > 0")
        for name, numbers in (
            ("row_numbers", range(len(rows))), ("row_shapes", [0] * len(rows)), ("row_counts", [0] * len(rows)),
            ("row_parts", []), ("row_index_parts", [0]), ("row_index_chunks", [0]),
        ):  # fmt: skip
            pack(database, name, array("I", numbers).tobytes())
        pack(database, "row_texts", json.dumps(rows).encode())
        pack(database, "kinds", bytes(len(rows)))

    shutil.copy(good, path)
    edit(path, inside)
    survives(path)
    trace = Trace.open(path)
    for number in (0, 1, 2, 3, 10, 40):
        look_at(trace, trace.value(f"{first + number}@1"))


def test_reading_runs_nothing_of_the_trace(good: Path, tmp_path: Path) -> None:
    """Texts that look like code stay texts."""
    path = tmp_path / "t.algotrace"
    witness = tmp_path / "ran"
    code = f"__import__('pathlib').Path({str(witness)!r}).touch()"

    def inside(database: sqlite3.Connection) -> None:
        for name, part in parts(database):
            if name == "texts":
                rows = json.loads(unpack(database, "texts", part))
                replaced = [code if type(row) is str else row for row in rows]
                pack(database, "texts", json.dumps(replaced).encode(), part)
        static = json.loads(unpack(database, "static"))
        for kind in static["types"]:
            kind[0] = kind[1] = code
        pack(database, "static", json.dumps(static).encode())
        database.execute("UPDATE source SET text = ?, path = ?", (zlib.compress(code.encode()), code))

    shutil.copy(good, path)
    edit(path, inside)
    survives(path)
    assert not witness.exists()
