"""Bugs in the bodies of imported modules are found: by a corrected copy alone, and what is shown lets others judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from test_cli_examples import algodebug, messages


class Case(NamedTuple):
    files: dict[str, str]
    wrong: str  # in the first file
    right: str
    found: str  # the title of the buggy node
    line: int  # what is blamed in it


CASES = {
    "a loop that stops too early": Case(
        {
            "config.py": "from tools import twice\nTABLE = [twice(n) for n in range(9)]\ntotal = 0\n"
            "for k in range(len(TABLE) - 1):\n    total += TABLE[k]\n",
            "tools.py": "def twice(n): return n * 2\n",
            "main.py": "from config import TABLE, total\ndef share(n): return TABLE[n] / total\nprint(share(3))\n",
        },
        " - 1",
        "",
        "import config",
        4,
    ),
    "what is computed for a module by a function": Case(
        {
            "tools.py": "def twice(n): return n * 3\n",
            "config.py": "from tools import twice\nTABLE = [twice(n) for n in range(3)]\n",
            "main.py": "import config\nprint(config.TABLE)\n",
        },
        "3",
        "2",
        "twice(2)",
        1,
    ),
    "a registry with the wrong name": Case(
        {
            "handlers.py": "ALL = {}\ndef known(name):\n    def add(f):\n        ALL[name] = f\n        return f\n"
            "    return add\n@known('one')\ndef first(): return 1\n@known('tow')\ndef second(): return 2\n",
            "main.py": "import handlers\nprint(sorted(handlers.ALL))\n",
        },
        "tow",
        "two",
        "import handlers",
        9,
    ),
    "imported in a function whose result is right": Case(
        {
            "late.py": "SQUARES = [n * n for n in range(3)] + [8]\n",
            "main.py": "def first():\n    import late\n    return late.SQUARES[1]\ndef last():\n    import late\n"
            "    return late.SQUARES[-1]\nprint(first(), last())\n",
        },
        "[8]",
        "[9]",
        "import late",
        1,
    ),
}


def lay_out(folder: Path, case: Case) -> None:
    for name, text in case.files.items():
        (folder / name).write_text(text)
        (folder / "fixed").mkdir(exist_ok=True)
        (folder / "fixed" / name).write_text(text)
    first = next(iter(case.files))
    (folder / "fixed" / first).write_text(case.files[first].replace(case.wrong, case.right))


@pytest.mark.parametrize("name", CASES)
def test_it_is_blamed_by_a_corrected_copy(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    lay_out(tmp_path, case)
    options = ("--json", "--depth", "code", "--reference", tmp_path / "fixed")
    ended = algodebug("run", "-o", tmp_path / "trace", *options, "main.py", cwd=tmp_path)
    result = messages(ended)[-1]["result"]
    assert (result["found"], result["title"]) == (True, case.found)
    assert Path(result["file"]).name == next(iter(case.files))
    told = result["blamed"]["line"] if result["blamed"] else result["bright"][0][0]
    assert abs(told - case.line) <= 1


def test_the_question_shows_what_was_bound_and_a_part_can_be_marked(tmp_path: Path) -> None:
    lay_out(tmp_path, CASES["imported in a function whose result is right"])
    algodebug("record", "-o", "trace", "main.py", cwd=tmp_path)
    told = dialogue(
        tmp_path,
        {"answer": "wrong", "mark": "late.SQUARES[3]"},  # of the call that imports it
        {"answer": "wrong", "mark": "SQUARES[3]"},
    )
    first, second, last = told
    assert first["question"]["text"] == (
        "first() returned 1 and changed late.SQUARES: (nothing) → [0, 1, 4, 8]: right?"
    )
    assert second["question"]["text"] == "import late bound SQUARES = [0, 1, 4, 8]: right?"
    assert (second["question"]["module"], second["question"]["outcome"]["value"]) == ("late", None)
    assert last["result"]["title"] == "import late"
    assert any(piece[1] <= 39 < piece[3] for piece in last["result"]["bright"])  # the 8


def dialogue(folder: Path, *answers: dict[str, Any]) -> list[dict[str, Any]]:
    lines = "".join(json.dumps(answer) + "\n" for answer in answers)
    return messages(algodebug("debug", "trace", "--json", cwd=folder, stdin=lines))


TAKEN = {
    "a name": ("from config import TABLE\ndef last(): return TABLE[-1]\nprint(last())\n", {}),
    "a name of the module itself": ("from config import TABLE\nprint(TABLE[-1])\n", {}),
    "an attribute of a module": (
        "import sys, config as c\ndef last(): return c.TABLE[-1]\nprint(last())\n",
        {},
    ),
    "a name that is handed on": (
        "from pack import TABLE\nprint(TABLE[-1])\n",
        {"pack/__init__.py": "from .inner import *\n", "pack/inner.py": "from config import TABLE\n"},
    ),
    "in a package": (
        "import pack.inner\nprint(pack.inner.TABLE[-1])\n",
        {"pack/__init__.py": "", "pack/inner.py": "from config import TABLE\n"},
    ),
}


@pytest.mark.parametrize("name", TAKEN)
def test_slices_go_through_imports(name: str, tmp_path: Path) -> None:
    program, files = TAKEN[name]
    config = "import json\nLIMIT = 3\nOTHER = json.dumps(LIMIT)\nTABLE = [n * n for n in range(LIMIT)]\n"
    for path, text in {**files, "main.py": program, "config.py": config}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    algodebug("record", "-o", "trace", "main.py", cwd=tmp_path)
    sliced = algodebug("slice", "trace", "--node", "0", "--mark", "printed[0]", "--json", cwd=tmp_path)
    told = json.loads(sliced.stdout.splitlines()[-1])
    lines = {
        piece[0]
        for entry in told["slice"]["files"]
        if Path(entry["file"]).name == "config.py"
        for piece in entry["ranges"]
    }
    assert lines == {2, 4}
