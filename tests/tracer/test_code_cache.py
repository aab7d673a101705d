"""Instrumented code kept between runs: used for what has not changed, and never trusted to be whole."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from recorded import outline, run

from algotrace import code_cache, loader
from algotrace.trace import Trace


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("ALGOTRACE_CACHE", str(folder))
    return folder


def recorded(folder: Path) -> str:
    process, trace, _ = run(folder, "import helper\nprint(helper.f(1))")
    return f"{process.stdout.strip()} {outline(Trace.open(trace))}"


def test_a_second_run_reads_the_code_and_leaves_the_same_trace(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def g(x): return x\ndef f(x):\n    return g(x) + 1\n")
    first = recorded(tmp_path)
    (kept,) = [
        path for path in cache.rglob("*") if path.is_file()
    ]  # the program itself is compiled each time
    written = kept.stat().st_mtime_ns
    assert recorded(tmp_path) == first == "2 <module>(f(g()))"
    assert kept.stat().st_mtime_ns == written


def test_changed_source_is_instrumented_again(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def f(x): return x + 1\n")
    recorded(tmp_path)
    (tmp_path / "helper.py").write_text("def f(x): return x + 2\n")
    assert recorded(tmp_path) == "3 <module>(f())"


@pytest.mark.parametrize("content", [b"", b"\0\1\2", b"i\1\0\0\0"])
def test_a_damaged_file_is_as_none(cache: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "helper.py").write_text("def f(x): return x + 1\n")
    recorded(tmp_path)
    for path in cache.rglob("*"):
        if path.is_file():
            path.write_bytes(content)
    assert recorded(tmp_path) == "2 <module>(f())"


def test_a_folder_that_cannot_be_used_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ALGOTRACE_CACHE", str(tmp_path / "file" / "cache"))
    (tmp_path / "helper.py").write_text("def f(x): return x + 1\n")
    assert recorded(tmp_path) == "2 <module>(f())"


@pytest.mark.parametrize(
    ("source", "warns"), [("print(len('a'))", False), ("x = 1 is 1", True), ("x = '\\d'", True)]
)
def test_only_what_the_compiler_would_warn_of_is_compiled_a_second_time(source: str, warns: bool) -> None:
    kept = loader.instrument(source.encode(), "a.py")
    assert kept[loader.WARNS] is warns


def test_who_waits_at_a_terminal_is_told_why_and_nobody_else(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for terminal, told in ((False, 0), (True, 1)):
        monkeypatch.setattr(os, "isatty", lambda _, terminal=terminal: terminal)
        patience = loader._Patience()
        for seconds in (0.5, 1.4, 0.3, 5.0):
            patience.took(seconds)
        assert capfd.readouterr().err.count("preparing the program's files") == told


def test_code_of_another_version_of_whatever_decides_what_it_is_like_is_not_used() -> None:
    """Each module by which code is made counts, and all that it imports."""
    todo, found = ["instrument", "binding", "left_frames", "unwarned"], set[str]()
    while todo:
        if (name := todo.pop()) not in found:
            found.add(name)
            todo += imported_by(name)
    assert found | {"loader", "pytest_modules", "trace_file", "code_cache"} == set(code_cache.MAKING)


def imported_by(name: str) -> Iterator[str]:
    folder = Path(loader.__file__).parent
    for node in ast.walk(ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "algotrace":
            yield from (alias.name for alias in node.names if (folder / f"{alias.name}.py").exists())
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("algotrace."):
            yield (node.module or "").removeprefix("algotrace.")
