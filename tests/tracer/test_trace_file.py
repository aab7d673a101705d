"""The trace file: complete or absent, one clear error for whatever is no trace, safe to read from where it lies."""

from __future__ import annotations

import os
import shutil
import sqlite3
from array import array
from pathlib import Path

import pytest
from recorded import run

from algotrace.trace import Trace, TraceError
from algotrace.trace_file import APPLICATION_ID, VERSION, Writer


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    _, trace, _ = run(tmp_path_factory.mktemp("file"), "def f(x): return [x]\nf(1)\n")
    return trace


def error_of(path: Path) -> TraceError:
    with pytest.raises(TraceError) as caught:
        Trace.open(path)
    assert "\n" not in caught.value.message and caught.value.hint
    return caught.value


def with_header(path: Path, offset: int, number: int) -> None:
    data = bytearray(path.read_bytes())
    data[offset : offset + 4] = number.to_bytes(4, "big")
    path.write_bytes(data)


def test_a_missing_file(tmp_path: Path) -> None:
    assert error_of(tmp_path / "no.algotrace").message.startswith("cannot open")


def test_a_folder(tmp_path: Path) -> None:
    assert "cannot open" in error_of(tmp_path).message


@pytest.mark.parametrize("content", [b"", b"x", b"SQLite format 3\0", b"\0" * 200, b"print(1)\n" * 50])
def test_something_else(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "t.algotrace"
    path.write_bytes(content)
    assert error_of(path).message.endswith("is not a trace")


def test_another_database(tmp_path: Path) -> None:
    path = tmp_path / "t.algotrace"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE t (x)")
    database.commit()
    database.close()
    assert "a database, but not a trace" in error_of(path).message


def test_a_newer_format(good: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.algotrace"
    shutil.copy(good, path)
    with_header(path, 60, VERSION + 1)
    error = error_of(path)
    assert f"has trace format {VERSION + 1}" in error.message and "record again" in error.hint


@pytest.mark.parametrize("keep", [100, 4096, 0.5, 0.99])
def test_a_file_that_is_cut_short(keep: float, good: Path, tmp_path: Path) -> None:
    data = good.read_bytes()
    path = tmp_path / "t.algotrace"
    path.write_bytes(data[: int(keep if keep > 1 else keep * len(data))])
    assert "damaged" in error_of(path).message


@pytest.mark.parametrize("part", ["static", "parent", "first_seen_times", "segments_nodes", "written"])
def test_a_file_without_one_of_its_parts(part: str, good: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.algotrace"
    shutil.copy(good, path)
    database = sqlite3.connect(path)
    database.execute("DELETE FROM blob WHERE name = ?", (part,))
    database.commit()
    database.close()
    assert "damaged" in error_of(path).message


def test_names_with_odd_characters_and_read_only_places(good: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a b%20c?x=1#f"
    folder.mkdir()
    path = folder / "ä 'q' &mode=rw.algotrace"
    shutil.copy(good, path)
    path.chmod(0o444)
    folder.chmod(0o555)
    try:
        trace = Trace.open(path)
        assert trace.call(1).routine.name == "f"
        trace.close()
        assert [entry.name for entry in folder.iterdir()] == [path.name]  # reading leaves nothing beside it
    finally:
        folder.chmod(0o755)


def test_a_relative_path_is_read_from_where_one_is(
    good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(good, tmp_path / "t.algotrace")
    monkeypatch.chdir(tmp_path)
    trace = Trace.open("t.algotrace")
    monkeypatch.chdir("/")
    assert trace.call(1).routine.name == "f"


def test_a_writer_shows_nothing_until_it_has_finished(tmp_path: Path) -> None:
    path = tmp_path / "t.algotrace"
    writer = Writer(path)
    writer.meta("environment", {})
    assert not path.exists()
    writer.finish()
    assert path.read_bytes()[68:72] == APPLICATION_ID.to_bytes(4, "big")
    assert os.listdir(tmp_path) == [path.name]


def test_an_abandoned_writer_leaves_the_earlier_trace(tmp_path: Path) -> None:
    path = tmp_path / "t.algotrace"
    path.write_text("before")
    writer = Writer(path)
    writer.events(array("I", range(1000)), 0)
    writer.abandon()
    assert path.read_text() == "before" and os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("where", ["no/such/folder/t.algotrace", "file/t.algotrace", "."])
def test_a_writer_that_cannot_write_says_so(where: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        writer = Writer(tmp_path / where)
        writer.meta("environment", {})
        writer.finish()


def test_a_writer_replaces_an_earlier_trace(good: Path, tmp_path: Path) -> None:
    _, first, _ = run(tmp_path, "def f(x): return x\nf(1)\n")
    before = first.read_bytes()
    opened = Trace.open(first)
    run(tmp_path, "def g(x): return x\ng(1)\n")
    assert first.read_bytes() != before
    assert Trace.open(first).call(1).routine.name == "g"
    assert opened.call(1).routine.name == "f"  # who has it open reads on


@pytest.mark.parametrize(
    "text", ["# é\u4e2d\U0001f600\nx = 'é'\n", "x = 1\r\ny = 2\r\n", "\ufeffx = 1\n", "x = 1\x0c\n", "x = 1"]
)
def test_sources_are_kept_as_they_ran(text: str, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_bytes(text.encode())
    _, path, _ = run(tmp_path, "import helper\ndef f(): pass\nf()\n")
    source = next(source for source in Trace.open(path).sources if source.path.endswith("helper.py"))
    assert source.text.splitlines() == text.lstrip("\ufeff").splitlines()
    assert len(source.sha256) == 64
