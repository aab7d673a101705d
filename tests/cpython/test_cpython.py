"""The short form of `compare.py`: a few of CPython's own test files have the same outcome recorded as unrecorded."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

COMPARE = Path(__file__).with_name("compare.py")
HAS_TESTS = (
    importlib.util.find_spec("test") is not None
    and importlib.util.find_spec("test.test_generators") is not None
)

FAST = ["generators", "coroutines", "exceptions", "contextlib", "dataclasses", "patma", "descr", "with"]


@pytest.mark.skipif(not HAS_TESTS, reason="this Python comes without its own tests (the package `test`)")
@pytest.mark.parametrize("module", FAST)
def test_recorded_tests_have_the_outcome_of_unrecorded_ones(module: str) -> None:
    done = subprocess.run([sys.executable, str(COMPARE), module], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tests compared" in done.stdout
