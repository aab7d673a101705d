"""The packages the benchmarks run, installed at pinned versions into an ignored folder."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# $BENCHMARK_FOLDER - a copy of the programs that a tool has rewritten.
_COPY = os.environ.get("BENCHMARK_FOLDER")
FOLDER = Path(_COPY or ROOT / ".build" / "bench")
PROGRAMS = Path(_COPY) / "programs" if _COPY else Path(__file__).with_name("programs")
_REQUIREMENTS = Path(__file__).with_name("requirements.txt")


def install() -> Path:
    """Installs what is not there yet; gives the folder."""
    wanted = hashlib.sha256(_REQUIREMENTS.read_bytes()).hexdigest()
    stamp = FOLDER / ".requirements"
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(FOLDER, ignore_errors=True)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
        subprocess.run([*command, "--target", str(FOLDER), "-r", str(_REQUIREMENTS)], check=True)
        stamp.write_text(wanted)
    return FOLDER


# $BENCHMARK_PYTHON - the interpreter that runs the programs; by default the one that runs the benchmarks.
PYTHON = os.environ.get("BENCHMARK_PYTHON") or sys.executable
_PEERS = ROOT / ".build" / "bench-peers"
_PEER_REQUIREMENTS = Path(__file__).with_name("peers.txt")


@functools.cache
def python_version() -> tuple[int, int]:
    if sys.executable == PYTHON:
        return sys.version_info[:2]
    asked = subprocess.run(
        [PYTHON, "-c", "import sys; print(*sys.version_info[:2])"], check=True, capture_output=True, text=True
    )
    major, minor = asked.stdout.split()
    return int(major), int(minor)


def peer_folder(package: str) -> Path:
    major, minor = python_version()
    return _PEERS / f"{major}.{minor}" / (package or "none")


def install_peer(package: str, needs: tuple[str, ...] = ()) -> str:
    """Installs one tool in a folder of its own, with what it asks for or, where they are given, with its `needs` alone.

    Gives why that failed, or "".
    """
    folder = peer_folder(package)
    wanted = hashlib.sha256(_PEER_REQUIREMENTS.read_bytes() + repr(needs).encode()).hexdigest()
    stamp = folder / ".requirements"
    if stamp.exists() and stamp.read_text() == wanted:
        return ""
    shutil.rmtree(folder, ignore_errors=True)
    pip = [PYTHON, "-m", "pip", "install", "--quiet", "--no-compile", "--target", str(folder)]
    pip += ["-c", str(_PEER_REQUIREMENTS)]
    for words in ([*needs], ["--no-deps", package]) if needs else ([package],):
        done = subprocess.run([*pip, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            errors = [line for line in done.stdout.splitlines() if "ERROR" in line]
            return errors[0].removeprefix("ERROR: ") if errors else "it cannot be installed"
    stamp.write_text(wanted)
    return ""
