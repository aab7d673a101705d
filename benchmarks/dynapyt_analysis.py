"""What DynaPyt needs: an analysis, and copies of the programs that DynaPyt has rewritten for it.

DynaPyt records nothing by itself; the analysis here only counts, so its time is what any analysis takes at least.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from installed import FOLDER, PROGRAMS, PYTHON, peer_folder

_REWRITTEN = ("mistune", "tomli", "pyperformance/data-files/benchmarks/bm_nbody", "programs")


class Count:
    """Each method is a hook of DynaPyt's."""

    def __init__(self, **settings: object) -> None:
        self._count = 0

    def read(self, file: str, place: int, value: object) -> None:
        self._count += 1

    def write(self, file: str, place: int, old: object, new: object) -> None:
        self._count += 1

    def enter_control_flow(self, file: str, place: int, condition: object) -> None:
        self._count += 1

    def pre_call(self, file: str, place: int, function: object, arguments: object, named: object) -> None:
        self._count += 1

    def post_call(self, file: str, place: int, result: object, *others: object) -> None:
        self._count += 1

    def function_enter(self, file: str, place: int, *others: object) -> None:
        self._count += 1

    def function_exit(self, file: str, place: int, *others: object) -> None:
        self._count += 1


def folder() -> Path:
    return peer_folder("dynapyt-rewritten")


def prepare() -> str:
    """Rewrites the programs once; gives why that failed, or ""."""
    sources = [PROGRAMS if name == "programs" else FOLDER / name for name in _REWRITTEN]
    files = sorted(file for source in sources for file in source.rglob("*.py"))
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in [*files, Path(__file__)])).hexdigest()
    stamp = folder() / ".rewritten"
    if stamp.exists() and stamp.read_text() == digest:
        return ""
    shutil.rmtree(folder(), ignore_errors=True)
    for name, source in zip(_REWRITTEN, sources, strict=True):
        shutil.copytree(source, folder() / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(FOLDER / "pyperf", folder() / "pyperf")
    copies = [str(file) for name in _REWRITTEN for file in sorted((folder() / name).rglob("*.py"))]
    environment = {**os.environ, "PYTHONPATH": f"{peer_folder('dynapyt')}{os.pathsep}{Path(__file__).parent}"}
    command = [PYTHON, "-m", "dynapyt.instrument.instrument", "--files", *copies]
    command += ["--analysis", "dynapyt_analysis.Count"]
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600
    )
    if done.returncode:
        return (done.stdout.strip().splitlines() or ["it cannot rewrite the programs"])[-1]
    stamp.write_text(digest)
    return ""
