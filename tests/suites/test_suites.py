"""The short form of `compare.py`: two packages' own tests have the same outcome recorded as unrecorded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.network

COMPARE = Path(__file__).with_name("compare.py")
NOT_INSTALLED = 75  # exit code


@pytest.mark.parametrize("name", ["pluggy", "sortedcontainers"])
def test_a_recorded_suite_has_the_outcome_of_an_unrecorded_one(name: str) -> None:
    done = subprocess.run([sys.executable, str(COMPARE), name], capture_output=True, text=True, timeout=900)
    if done.returncode == NOT_INSTALLED and not os.environ.get("CI"):
        pytest.skip(f"it could not be installed: {done.stdout.strip()[-300:]}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tests compared" in done.stdout
