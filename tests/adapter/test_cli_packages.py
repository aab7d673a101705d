"""Real packages that nobody here wrote: one operator of an installed copy is changed, the original answers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_cli_examples import ALGODEBUG

pytestmark = pytest.mark.network

# A parser, a text library, and a class-heavy one.
PACKAGES = ["tomli==2.0.1", "tabulate==0.9.0", "sortedcontainers==2.4.0"]

PARSE = """
import tomli
DOCUMENT = '''
[owner]
name = "Tom"
[database]
ports = [8000, 8001, 8002]
data = [["a", "b"], [1.5, -2]]
temp = { cpu = 79.5, "case" = 72.0 }
'''
def main():
    print(tomli.loads(DOCUMENT))
main()
"""
TABLE = """
from tabulate import tabulate
def main():
    print(tabulate([["a", 1, 2.5], ["bb", 22, None]], headers=["n", "i", "f"], tablefmt="grid"))
    print(tabulate({"x": [1, 2], "y": ["q", "rr"]}, headers="keys"))
main()
"""
SORTED = """
from sortedcontainers import SortedDict, SortedList, SortedSet
def main():
    numbers = SortedList([5, 1, 4])
    for i in range(20):
        numbers.add((i * 7) % 20)
    print(numbers.index(10), list(numbers.irange(3, 8)), numbers.count(4), len(numbers))
    table = SortedDict({"b": 1, "a": 2})
    table["c"] = 3
    print(list(table), SortedSet([3, 1, 2]) | SortedSet([9]))
main()
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        str(folder),
        *PACKAGES,
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return folder


@pytest.mark.parametrize(
    ("program", "file", "old", "new", "function"),
    [
        (PARSE, "tomli/_parser.py", 'if c != ",":\n            raise suffixed_err(src, pos, "Unclosed array', 'if c == ",":\n            raise suffixed_err(src, pos, "Unclosed array', "parse_array"),
        (TABLE, "tabulate/__init__.py", "pad + cell + pad for cell", "pad + cell * 2 for cell", "_pad_row"),
        (TABLE, "tabulate/__init__.py", 'if alignment == "right":', 'if alignment != "right":', "_align_column_choose_padfn"),
        (SORTED, "sortedcontainers/sortedlist.py", "        if start <= left:\n            if left <= stop:", "        if start <= left:\n            if left >= stop:", "SortedList.index"),
        (SORTED, "sortedcontainers/sortedlist.py", "return idx_right - idx_left", "return idx_right + idx_left", "SortedList.count"),
    ],
    ids=["tomli", "tabulate-pad", "tabulate-align", "sortedcontainers-index", "sortedcontainers-count"],
)  # fmt: skip
def test_a_changed_operator_is_found(
    program: str, file: str, old: str, new: str, function: str, installed: Path, tmp_path: Path
) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(installed, changed, ignore=shutil.ignore_patterns("__pycache__"))
    text = (changed / file).read_text()
    assert text.count(old) >= 1
    (changed / file).write_text(text.replace(old, new, 1))
    line = next(
        n
        for n, (a, b) in enumerate(
            zip(text.split("\n"), text.replace(old, new, 1).split("\n"), strict=False), 1
        )
        if a != b
    )
    (tmp_path / "use.py").write_text(program)

    def environment(packages: Path) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(packages), "PYTHONDONTWRITEBYTECODE": "1"}

    plain = [
        subprocess.run(
            [sys.executable, "use.py"],
            cwd=tmp_path,
            env=environment(packages),
            capture_output=True,
            text=True,
            check=False,
        )
        for packages in (installed, changed)
    ]
    assert plain[0].stdout != plain[1].stdout
    command = [*ALGODEBUG, "run", "--json", "--reference", str(installed), "use.py"]
    ended = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment(changed),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    result = json.loads(ended.stdout.splitlines()[-1])["result"]
    assert result["found"] and result["function"] == function
    assert any(piece[0] <= line <= piece[2] for piece in result["bright"])
    # The recorded run printed, and said about its error, what the unrecorded one did.
    said = [line for line in ended.stderr.splitlines() if not line.startswith("algodebug: ")]
    assert sorted(said) == sorted((plain[1].stdout + plain[1].stderr).splitlines())
