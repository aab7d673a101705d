"""Random programs look at containers, and change them, while they are being changed: they run as ever, and what they saw is told,
or not certain.

`WRITES_PROGRAMS` sets how many programs, `WRITES_FIRST` the first seed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from random_writes import Writer
from recorded import looked_at, run

from algotrace.trace import Trace
from algotrace.values import Value

PROGRAMS = int(os.environ.get("WRITES_PROGRAMS", "40"))
FIRST = int(os.environ.get("WRITES_FIRST", "0"))
GROUPS = 4


@pytest.mark.parametrize("group", range(GROUPS))
def test_what_is_seen_amid_writes_is_told_or_not_certain(group: int, tmp_path: Path) -> None:
    certain = looks = 0
    for seed in range(FIRST + group, FIRST + PROGRAMS, GROUPS):
        process, path, program = run(tmp_path, Writer(seed).program(), "--quiet")
        assert process.returncode == 0, (seed, process.stderr)
        plain = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120)
        assert (seed, process.stdout) == (seed, plain.stdout)
        values = looked_at(Trace.open(path))
        for number, (seen, value) in enumerate(zip(process.stdout.splitlines(), values, strict=True)):
            looks += 1
            certain += value.certain
            assert not value.certain or (seed, number, told(value)) == (seed, number, seen)
    assert certain > 0.7 * looks


def told(value: Value) -> str:
    parts = [(part, part.value.text(100).text) for part in value.parts(0, 100_000) if part.path[:1] != "."]
    if value.kind == "dict":
        return repr([f"{part.label}: {text}" for part, text in parts])
    texts = [text for _, text in parts]
    return repr(sorted(texts) if value.kind == "set" else texts)
