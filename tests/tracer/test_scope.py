"""What is recorded and what not; for each file or function that is not, the trace has the reason."""

from __future__ import annotations

import json
import os
import py_compile
import shutil
import subprocess
import sys
import sysconfig
import textwrap
import zipfile
from pathlib import Path

import pytest
from recorded import ENTRY, outline

from algotrace.trace import Trace

HELPER = "def helps(x):\n    return x\n"


def record(folder: Path, files: dict[str, str], *options: str) -> Trace:
    """Records `program.py` of the given files."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(textwrap.dedent(text).lstrip("\n"))
    command = [sys.executable, str(ENTRY), "--trace", str(folder / "t.algotrace"), *options, "program.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return Trace.open(folder / "t.algotrace")


def reason(trace: Trace, end: str) -> str | None:
    """Of the file (or file:line) whose path ends like this."""
    found = [why for place, why in trace.reasons.items() if place.endswith(end)]
    assert len(found) <= 1
    return found[0] if found else None


USES_HELPER = "import pack.helper\ndef f(): return pack.helper.helps(1)\nf()\n"


@pytest.mark.parametrize(
    ("options", "tree", "why"),
    [
        ((), "<module>(f(helps()))", None),
        (("--exclude", "pack"), "<module>(f())", "excluded by pack"),
        (("--exclude", "pack/*"), "<module>(f())", "excluded by pack/*"),
        (("--exclude", "pack.helper"), "<module>(f())", "excluded by pack.helper"),
        (("--exclude", "*/helper.py"), "<module>(f())", "excluded by */helper.py"),
        (("--exclude", "help*"), "<module>(f())", "excluded by help*"),
        (("--exclude", "helper"), "<module>(f(helps()))", None),
        (("--exclude", "pac"), "<module>(f(helps()))", None),
        (("--include", "pack", "--exclude", "pack"), "<module>(f())", "excluded by pack"),
        (("--exclude", "nothing", "--exclude", "pack.*"), "<module>(f())", "excluded by pack.*"),
    ],
)
def test_excluded_files_are_not_recorded(
    options: tuple[str, ...], tree: str, why: str | None, tmp_path: Path
) -> None:
    files = {"program.py": USES_HELPER, "pack/__init__.py": "", "pack/helper.py": HELPER}
    trace = record(tmp_path, files, *options)
    assert outline(trace) == tree
    assert reason(trace, "helper.py") == why


def test_the_program_itself_can_be_excluded(tmp_path: Path) -> None:
    files = {"program.py": USES_HELPER, "pack/__init__.py": "", "pack/helper.py": HELPER}
    trace = record(tmp_path, files, "--exclude", "program.py")
    assert outline(trace) == "<module>(helps())"
    assert reason(trace, "program.py") == "excluded by program.py"


@pytest.mark.parametrize(
    ("options", "tree", "why"),
    [
        ((), "<module>()", "part of the standard library"),
        (("--include", "colorsys"), "<module>(<module>(), hsv_to_rgb())", None),
        (("--include", "*/colorsys.py"), "<module>(<module>(), hsv_to_rgb())", None),
    ],
)
def test_the_standard_library_is_recorded_only_when_included(
    options: tuple[str, ...], tree: str, why: str | None, tmp_path: Path
) -> None:
    source = "import colorsys\ncolorsys.hsv_to_rgb(0.1, 0.2, 0.3)\n"
    trace = record(tmp_path, {"program.py": source}, *options)
    assert outline(trace) == tree
    assert reason(trace, "/colorsys.py") == why
    assert reason(trace, "/json/encoder.py") == "part of the standard library"  # imported before the run


@pytest.mark.parametrize("folder", ["lib/site-packages", "lib/dist-packages"])
def test_installed_packages_are_recorded_only_when_included(folder: str, tmp_path: Path) -> None:
    source = f"import sys\nsys.path.append({folder!r})\nimport helper\nhelper.helps(1)\n"
    files = {"program.py": source, f"{folder}/helper.py": HELPER}
    trace = record(tmp_path, files)
    assert (outline(trace), reason(trace, "helper.py")) == ("<module>()", "an installed package")
    trace = record(tmp_path, files, "--include", "helper")
    assert (outline(trace), reason(trace, "helper.py")) == ("<module>(helps())", None)


FUNCTIONS = """
    def njit(f=None, **options):
        return f or (lambda f: f)

    class cuda:
        jit = staticmethod(lambda f: f)

    def skipped(x):  # algotrace: skip
        return inner(x)

    def inner(x):
        return x

    @njit
    def compiled(x):
        return inner(x)

    @njit(fast=True)
    def also_compiled(x):
        return inner(x)

    @cuda.jit
    def on_another_machine(x):
        return inner(x)

    class C:
        def m(self): return inner(2)  # algotrace: skip
        async def a(self):  # algotrace: skip
            return inner(3)
        def n(self): return inner(4)

    def says():
        return "# algotrace: not skipped"

    skipped(1), compiled(1), also_compiled(1), on_another_machine(1), C().m(), C().n(), says()
"""


def test_functions_left_alone_have_their_reasons(tmp_path: Path) -> None:
    trace = record(tmp_path, {"program.py": FUNCTIONS})
    assert [place.name for place in trace.routines if place.name in ("skipped", "compiled", "m", "a")] == []
    assert outline(trace).endswith("inner(), inner(), inner(), inner(), inner(), C.n(inner()), says())")
    lines = textwrap.dedent(FUNCTIONS).lstrip("\n").splitlines()
    reasons = {}
    for place, why in trace.reasons.items():
        file, _, line = place.rpartition(":")
        if file.endswith("program.py"):
            reasons[lines[int(line) - 1].strip().split("(")[0].split()[-1]] = why
    assert reasons == {
        "skipped": "skipped: marked `# algotrace: skip`",
        "compiled": "compiled: compiled by njit",
        "also_compiled": "also_compiled: compiled by njit",
        "on_another_machine": "on_another_machine: compiled by cuda",
        "m": "m: marked `# algotrace: skip`",
        "a": "a: marked `# algotrace: skip`",
    }


def test_a_file_that_is_too_much_for_the_compiler_runs_unrecorded(tmp_path: Path) -> None:
    deep = "x = " + "-" * 80 + "1\ndef f(): return (" + "(" * 85 + "1" + ")" * 85 + ")\n"
    chain = "def g(y):\n    return " + " + ".join(["y"] * 1500) + "\n"
    source = "import deep, chain\nprint(deep.f(), chain.g(2))\n"
    trace = record(tmp_path, {"program.py": source, "deep.py": deep, "chain.py": chain})
    for name in ("deep.py", "chain.py"):
        recorded = any(unit.path.endswith(name) for unit in trace.sources)
        assert recorded or "could not be instrumented" in (reason(trace, name) or "")


def test_compiled_files_in_zip_archives_have_their_reason(tmp_path: Path) -> None:
    (tmp_path / "zipped.py").write_text(HELPER)
    py_compile.compile(str(tmp_path / "zipped.py"), str(tmp_path / "zipped.pyc"))
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.write(tmp_path / "zipped.pyc", "zipped.pyc")
    (tmp_path / "zipped.py").unlink()
    source = "import sys\nsys.path.insert(0, 'packed.zip')\nimport zipped\nzipped.helps(1)\n"
    trace = record(tmp_path, {"program.py": source})
    assert (outline(trace), reason(trace, "zipped.pyc")) == ("<module>()", "inside a zip archive")


def test_extension_modules_have_their_reason(tmp_path: Path) -> None:
    folder = Path(sysconfig.get_config_var("DESTSHARED") or "lib-dynload")
    library = next(folder.glob("xxlimited.*"), None)
    if library is None:
        pytest.skip("this Python has no extension module to try")
    shutil.copy(library, tmp_path)
    trace = record(tmp_path, {"program.py": "import xxlimited\n"})
    assert reason(trace, f"/{library.name}") == "an extension module"


def test_modules_of_other_import_hooks_have_their_reason(tmp_path: Path) -> None:
    source = """
        import sys, importlib.machinery, importlib.util
        class Own(importlib.machinery.SourceFileLoader):
            pass
        class Finder:
            def find_spec(self, name, path=None, target=None):
                if name == "helper":
                    return importlib.util.spec_from_file_location(name, "helper.py", loader=Own(name, "helper.py"))
        sys.meta_path.insert(0, Finder())
        import helper
        helper.helps(1)
    """
    trace = record(tmp_path, {"program.py": source, "helper.py": HELPER})
    assert "helps" not in outline(trace)
    assert reason(trace, "helper.py") == "imported by another import hook (Own)"


def test_compiled_files_without_source_have_their_reason(tmp_path: Path) -> None:
    source = """
        import py_compile
        py_compile.compile("helper.txt", "helper.pyc")
        import helper
        helper.helps(1)
    """
    trace = record(tmp_path, {"program.py": source, "helper.txt": HELPER})
    assert (outline(trace), reason(trace, "helper.pyc")) == ("<module>()", "compiled, without its source")


def shown(trace: Path, *options: str) -> list[str]:
    command = [sys.executable, "-m", "algodebug.cli", "tree", str(trace), "--reasons", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_the_command_line_lists_the_reasons(tmp_path: Path) -> None:
    source = "import helper, colorsys\ndef f(x): pass  # algotrace: skip\nf(helper.helps(1))\n"
    record(tmp_path, {"program.py": source, "helper.py": HELPER}, "--exclude", "helper")
    lines = shown(tmp_path / "t.algotrace")
    assert lines[:2] == [
        f"{tmp_path}/helper.py  excluded by helper",
        f"{tmp_path}/program.py:2  f: marked `# algotrace: skip`",
    ]
    assert lines[2].endswith(" files  part of the standard library")
    rows = [json.loads(line) for line in shown(tmp_path / "t.algotrace", "--json")]
    assert {"file": f"{tmp_path}/helper.py", "line": None, "reason": "excluded by helper"} in rows
    assert {
        "file": f"{tmp_path}/program.py",
        "line": 2,
        "reason": "f: marked `# algotrace: skip`",
    } in rows
    assert any(
        row["file"].endswith("/colorsys.py") and row["reason"] == "part of the standard library"
        for row in rows
    )


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere file names are text")
def test_a_file_name_that_is_no_text(tmp_path: Path) -> None:
    program = tmp_path / os.fsdecode(b"m\xff.py")
    program.write_text("def f(x):\n    return x\nf(3)\n")
    command = [sys.executable, str(ENTRY), "--trace", str(tmp_path / "t.algotrace"), program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    trace = Trace.open(tmp_path / "t.algotrace")
    assert outline(trace) == "<module>(f())"
    assert trace.sources[0].path.endswith(r"m\udcff.py")


def test_a_run_of_which_nothing_is_recorded_has_a_trace_with_its_root(tmp_path: Path) -> None:
    trace = record(tmp_path, {"program.py": USES_HELPER, "pack/helper.py": HELPER}, "--exclude", "*.py")
    assert outline(trace) == "<module>()"
    (source,) = trace.sources
    assert (Path(source.path).name, source.text) == ("program.py", "")
