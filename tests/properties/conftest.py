"""Makes the helpers beside the tests importable, which pytest's import mode does not."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """For the files of a program, and nothing else."""
    made = tmp_path / "files"
    made.mkdir()
    return made
