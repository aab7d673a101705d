"""A recorded run prints, raises and exits as the same run unrecorded does.

Each program runs twice in the same folder, as `python FILE` and as `algodebug record FILE`; what the recorder itself
says is one line with its name in front and is left out. Each trace is then read to the end: whatever the program
did, the reader copes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from behaviour_programs import PROGRAMS, Program

import algotrace
from algotrace.trace import Trace

EXAMPLES = Path(__file__).parents[2] / "examples"
OUR_NOTES = re.compile(rb"^(algodebug|algotrace): .*\n", re.MULTILINE)
VARIES = re.compile(rb"(?<=0x)[0-9a-f]{6,}|(?<= in )[0-9.]+(?=s$)", re.MULTILINE)  # addresses, durations
RECORDER = Path(algotrace.__file__).with_name("__main__.py")
READ_AT_MOST = 400  # calls of each trace


def run(command: list[str | Path], folder: Path, stdin: str = "") -> tuple[bytes, bytes, int]:
    ended = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        input=stdin.encode(),
        capture_output=True,
        timeout=120,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    # A shell says 130 for a program that an interrupt killed, and so do we.
    code = 128 - ended.returncode if ended.returncode < 0 else ended.returncode
    return VARIES.sub(b"", ended.stdout), VARIES.sub(b"", ended.stderr), code


def check(
    start: list[str], folder: Path, trace: Path, stdin: str = "", flags: tuple[str, ...] = ()
) -> Path | None:
    """Compares a recorded with an unrecorded run; gives the trace, if one was left."""
    out, errors, code = run([sys.executable, *flags, *start], folder, stdin)
    recorder: list[str | Path] = [sys.executable, "-m", "algodebug.cli", "record", "-o", trace]
    if flags:  # of the interpreter: the command line starts one without any
        recorder = [sys.executable, *flags, RECORDER, "--quiet", "--trace", trace]
    recorded_out, recorded_errors, recorded_code = run([*recorder, *start], folder, stdin)
    assert OUR_NOTES.sub(b"", recorded_errors).decode() == errors.decode()
    assert recorded_out.decode() == out.decode()
    assert recorded_code == code
    return trace if trace.exists() else None


def read(path: Path) -> Trace:
    trace = Trace.open(path)
    assert trace.size[0] == len(trace.parent)
    for node in range(min(len(trace.parent), READ_AT_MOST)):
        call = trace.call(node)
        shown = [argument.value for argument in call.arguments]
        shown += [value for change in call.changes for value in (change.before, change.after) if value]
        shown += [call.outcome.value] if call.outcome.value else []
        for value in shown:
            value.text()
            if value.length:
                value.parts()
            value.key()
        for span in trace.executed(node):
            text = trace.sources[span.source].text.splitlines()
            assert (1, 0) <= (span.line, span.col) < (span.end_line, span.end_col)
            assert span.end_line <= len(text)
    return trace


@pytest.mark.parametrize("name", sorted(f.name for f in EXAMPLES.glob("*.py")))
@pytest.mark.parametrize("folder", [".", "fixed"])
def test_an_example_behaves_as_unrecorded(name: str, folder: str, tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / folder / name, tmp_path)
    trace = check([name], tmp_path, tmp_path / "run.algotrace")
    assert trace is not None
    read(trace)


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            program,
            id=name,
            marks=pytest.mark.skipif(sys.version_info < program.minimum, reason="newer syntax"),
        )
        for name, program in PROGRAMS.items()
    ],
)
def test_a_program_behaves_as_unrecorded(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "program"
    for name, text in {"main.py": program.text, **program.files}.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("latin-1" if "latin-1" in text else "utf-8"))
    start = ["-m", program.module] if program.module else ["main.py"]
    start += program.arguments
    trace = check(start, folder, tmp_path / "run.algotrace", program.stdin, program.flags)
    if program.starts:
        assert trace is not None
        read(trace)


def test_a_program_named_by_an_absolute_path_or_a_link_behaves_as_unrecorded(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    program = tmp_path / "real" / "main.py"
    program.write_text("import sys\nprint(__file__, sys.argv, sys.path[0])\nimport beside\nbeside.f()\n")
    (tmp_path / "real" / "beside.py").write_text("def f():\n    raise ValueError(__file__)\n")
    (tmp_path / "link.py").symlink_to(program)
    for start in (str(program), "link.py", "./real/main.py", "real/../real/main.py"):
        assert check([start], tmp_path, tmp_path / "run.algotrace") is not None


def test_code_given_on_the_command_line_behaves_as_unrecorded(tmp_path: Path) -> None:
    check(
        ["-c", "import sys\ndef f():\n    return 1/0\nprint(sys.argv, __name__)\nf()", "a"],
        tmp_path,
        tmp_path / "t",
    )


def test_a_package_folder_and_a_zip_file_behave_as_unrecorded(tmp_path: Path) -> None:
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "__main__.py").write_text(
        "import sys, part\nprint(__name__, sys.argv[0], part.f())\nraise ValueError\n"
    )
    (folder / "part.py").write_text("def f():\n    return 3\n")
    check(["app"], tmp_path, tmp_path / "folder.algotrace")
    shutil.make_archive(str(tmp_path / "app"), "zip", folder)
    check(["app.zip", "x"], tmp_path, tmp_path / "zip.algotrace")


def test_the_program_runs_although_its_folder_cannot_be_written(tmp_path: Path) -> None:
    # What stands in the way is a file, since to root no folder is read-only.
    (tmp_path / ".algodebug").write_text("")
    (tmp_path / "main.py").write_text("def f():\n    raise LookupError('x')\n\n\nprint('x')\nf()\n")
    blocked = tmp_path / "main.py" / "run.algotrace"
    assert check(["main.py"], tmp_path, blocked) is None
    out, errors, code = run([sys.executable, "-m", "algodebug.cli", "record", "main.py"], tmp_path)
    assert (out, code) == (b"x\n", 1)
    assert b"LookupError: x" in errors and len(OUR_NOTES.findall(errors)) >= 1


def test_output_into_a_closed_pipe_ends_as_unrecorded(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("for i in range(100_000):\n    print(i)\n")
    codes = []
    for command in ("", "-m algodebug.cli record -o t.algotrace"):
        shell = f"set -o pipefail; {sys.executable} {command} main.py 2>/dev/null | head -1"
        codes.append(run(["bash", "-c", shell], tmp_path)[::2])
    assert codes[0] == codes[1]
