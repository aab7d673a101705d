"""The architecture's invariants about who may import what, and what a committed file may contain."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ADAPTER = ROOT / "adapter"
TRACER = ROOT / "tracer"


def module_name(path: Path, source_root: Path) -> str:
    parts = path.relative_to(source_root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules(source_root: Path, package: str) -> dict[str, Path]:
    return {module_name(path, source_root): path for path in (source_root / package).rglob("*.py")}


def imports(path: Path, source_root: Path, *, when_loaded: bool = False) -> set[str]:
    """The modules a file names in its imports, `from x import y` as both x and x.y.

    With `when_loaded` only those that are executed when the module is: not the ones inside functions or for type
    checkers alone.
    """
    package = module_name(path, source_root).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    found: set[str] = set()
    for node in statements(ast.parse(path.read_text(encoding="utf-8")), when_loaded):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            found.add(base)
            found.update(f"{base}.{alias.name}" for alias in node.names)
    return found


def statements(node: ast.AST, when_loaded: bool) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if when_loaded and isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if when_loaded and isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        yield child
        yield from statements(child, when_loaded)


def importers(source_root: Path, package: str, *prefixes: str) -> set[str]:
    """The modules of `package` that import something under one of `prefixes`."""
    return {
        name
        for name, path in modules(source_root, package).items()
        if any(is_under(imported, prefix) for imported in imports(path, source_root) for prefix in prefixes)
    }


def is_under(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(prefix + ".")


def everything_imported_by(name: str, source_root: Path, package: str) -> set[str]:
    """The module itself and what it imports when it is loaded, directly or by way of others of the package."""
    files = modules(source_root, package)
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        seen.add(current)
        if current in files:
            waiting += imports(files[current], source_root, when_loaded=True) - seen
    return seen


def loaded_by(statement: str) -> set[str]:
    """The modules that come in with `statement` in a new interpreter."""
    script = f"import sys; before = set(sys.modules); {statement}; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(done.stdout.split())


def test_the_tracer_imports_nothing_but_the_standard_library() -> None:
    allowed = sys.stdlib_module_names | {"algotrace"}
    foreign = {
        f"{name}: {imported}"
        for name, path in modules(TRACER, "algotrace").items()
        for imported in imports(path, TRACER)
        if imported.split(".")[0] not in allowed
    }
    assert foreign == set()


def test_importing_the_tracer_brings_in_few_modules() -> None:
    """It is part of every start of a recorded program, and whatever it imports the program finds imported."""
    loaded = loaded_by("import algotrace")
    assert {name.split(".")[0] for name in loaded} & HEAVY == set()
    assert len(loaded) < 40


HEAVY = {
    "asyncio",
    "concurrent",
    "dataclasses",
    "email",
    "http",
    "inspect",
    "json",
    "logging",
    "socket",
    "typing",
} | {
    "multiprocessing",
    "sqlite3",
    "subprocess",
    "unittest",
    "urllib",
}


def test_reading_a_trace_executes_nothing_of_it() -> None:
    """A trace may come from a stranger."""
    files = modules(TRACER, "algotrace")
    readers = everything_imported_by("algotrace.trace", TRACER, "algotrace")
    assert readers & {"importlib", "marshal", "pickle", "runpy", "shelve"} == set()
    called = {
        f"{name}: {node.func.id}"
        for name in readers & files.keys()
        for node in ast.walk(ast.parse(files[name].read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id in {"__import__", "compile", "eval", "exec"}
    }
    assert called == set()


def test_one_module_knows_the_internals_of_debugpy() -> None:
    assert len(importers(ADAPTER, "algodebug", "debugpy.common", "debugpy.adapter", "debugpy.server")) <= 1


def test_only_the_language_server_knows_lsp() -> None:
    assert {
        name
        for name in importers(ADAPTER, "algodebug", "pygls", "lsprotocol")
        if not is_under(name, "algodebug.lsp")
    } == set()


@pytest.mark.parametrize("entry", ["algodebug.cli", "algodebug.dap", "algodebug.lsp"])
def test_entry_points_start_without_the_lsp_libraries(entry: str) -> None:
    assert {name.split(".")[0] for name in loaded_by(f"import {entry}")} & {"pygls", "lsprotocol"} == set()


PURE = ("algodebug.execution_tree", "algodebug.search", "algodebug.question", "algodebug.buggy_code")
CORE = (*PURE, "algodebug.session")


def core(*names: str) -> list[str]:
    return sorted(
        name for name in modules(ADAPTER, "algodebug") if any(is_under(name, prefix) for prefix in names)
    )


@pytest.mark.parametrize("name", core(*CORE))
def test_the_search_knows_neither_dap_nor_lsp(name: str) -> None:
    """Nor does anything that it imports."""
    seen = everything_imported_by(name, ADAPTER, "algodebug")
    outside = ("debugpy", "pygls", "lsprotocol", "algodebug.dap", "algodebug.lsp", "algodebug.cli")
    assert {each for each in seen if any(is_under(each, prefix) for prefix in outside)} == set()


@pytest.mark.parametrize("name", core(*PURE))
def test_the_execution_tree_and_the_search_do_no_input_or_output(name: str) -> None:
    path = modules(ADAPTER, "algodebug")[name]
    means = {"asyncio", "io", "os", "shutil", "socket", "sqlite3", "subprocess", "tempfile"}
    assert {imported.split(".")[0] for imported in imports(path, ADAPTER)} & means == set()
    called = {
        node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    }
    assert (
        called & {"open", "print", "input", "read_text", "read_bytes", "write_text", "write_bytes"} == set()
    )


def test_one_folder_of_the_extension_imports_vscode() -> None:
    sources = ROOT / "vscode-extension" / "src"
    importing = re.compile(r"""(from|require\(|import)\s*['"]vscode['"]""")
    outside = {
        path.relative_to(sources).as_posix()
        for path in sources.rglob("*.ts")
        if importing.search(path.read_text(encoding="utf-8")) and path.relative_to(sources).parts[0] != "ui"
    }
    assert outside - {"extension.ts"} == set()  # the entry point wires the views together


def committed_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        cwd=ROOT,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    paths = [ROOT / name.decode() for name in listed.stdout.split(b"\0") if name]
    return [path for path in paths if path.is_file()]


def test_no_file_names_a_package_index_or_a_place_on_somebodys_machine() -> None:
    """Where packages come from is the machine's business; the project must not tie anybody to an index."""
    index_hosts = "|".join(
        re.escape(".".join(host))
        for host in [("registry", "npmjs", "org"), ("files", "pythonhosted", "org"), ("pypi", "org")]
    )
    home = r"/(?:home|Users|root|work)/(?!me\b|user\b|you\b)[\w.-]+"
    unwanted = re.compile(rf"(?:{index_hosts})|(?<![\w.~}}])(?:{home})")
    found = []
    for path in committed_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture
        found += [
            f"{path.relative_to(ROOT)}:{number}: {match.group()}"
            for number, line in enumerate(text.splitlines(), 1)
            for match in unwanted.finditer(line)
        ]
    assert found == []
