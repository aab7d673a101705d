"""The packages the benchmarks run, installed at pinned versions into an ignored folder."""

from __future__ import annotations

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


_PEERS = ROOT / ".build" / "bench-peers"
_PEER_REQUIREMENTS = Path(__file__).with_name("peers.txt")


def peer_folder(package: str) -> Path:
    return _PEERS / f"{sys.version_info[0]}.{sys.version_info[1]}" / (package or "none")


def install_peer(package: str) -> str:
    """Installs one tool and what it needs, in a folder of its own; gives why that failed, or "" when it is there."""
    folder = peer_folder(package)
    wanted = hashlib.sha256(_PEER_REQUIREMENTS.read_bytes()).hexdigest()
    stamp = folder / ".requirements"
    if stamp.exists() and stamp.read_text() == wanted:
        return ""
    shutil.rmtree(folder, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--target", str(folder)]
    command += ["-c", str(_PEER_REQUIREMENTS), package]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    if done.returncode:
        errors = [line for line in done.stdout.splitlines() if "ERROR" in line] or ["it cannot be installed"]
        return errors[0].removeprefix("ERROR: ")
    stamp.write_text(wanted)
    return ""
