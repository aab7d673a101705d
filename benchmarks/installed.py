"""The packages the benchmarks run, installed at pinned versions into an ignored folder."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".build" / "bench"
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
