"""The bodies of imported modules as nodes of the tree: which are, what they hang from, what they bound."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest
from recorded import find, outline, record

from algotrace.bodies import module_name
from algotrace.computing import class_computes, module_computes
from algotrace.scopes import parsed

COMPUTING = {
    "definitions and constants": ("import os\nX, Y = 1, -2\nL = [1, 'a', (2, None)]\nT = dict[str, int]\ndef f(): g()", False),
    "definitions by a call": ("import logging\nlog = logging.getLogger(__name__)\nT = TypeVar('T')", False),
    "a choice between imports": ("try:\n    import a\nexcept ImportError:\n    a = None\nif V > (3, 9):\n    import b", False),
    "what runs as a program alone": ("def f(): pass\nif __name__ == '__main__':\n    f()", False),
    "a docstring, annotations, what is exported": ("'''doc'''\nx: int\n__all__ = ['a'] + b\n__all__ += c", False),
    "a decorator by itself": ("@dataclass(frozen=True)\nclass C: pass", False),
    "a class": ("class C(B):\n    x = f()", False),
    "a call": ("f()", True),
    "a value that is worked out": ("DAY = 24 * 60", True),
    "a comprehension": ("T = {n: n for n in range(3)}", True),
    "a loop": ("for x in y: pass", True),
    "a choice between constants": ("if DEBUG:\n    LIMIT = 1\nelse:\n    LIMIT = 2", True),
    "a store": ("x.y = 1\n", False),
    "an unpacked display": ("D = {**a, 'b': 1}", True),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPUTING)
def test_which_modules_compute_something(name: str) -> None:
    text, computes = COMPUTING[name]
    assert module_computes(parsed(text).body) is computes


CLASSES = {
    "methods and constants": ("n: int = 0\nx = 'a'\ndef f(self): return g()", False),
    "fields": ("xs: list = field(default_factory=lambda: defaultdict(int))\nn: int = Field(0, gt=-1)", False),
    "members of an enumeration": ("RED = auto()\nBLUE = auto()", False),
    "a list that the instances share": ("items = []", True),
    "a value that is worked out": ("size: int = 2 * UNIT", True),
    "a call": ("names = words('a b')", True),
    "a call with something worked out": ("size: int = field(default=2 * f())", True),
}  # fmt: skip


@pytest.mark.parametrize("name", CLASSES)
def test_which_classes_compute_something(name: str) -> None:
    text, computes = CLASSES[name]
    assert class_computes(parsed(text).body) is computes


class Case(NamedTuple):
    program: str
    files: dict[str, str]
    tree: str
    bound: dict[str, dict[str, str]]  # by module: what a question about it shows


CASES = {
    "a table worked out by calls": Case(
        "import config\nprint(config.TABLE)",
        {"config.py": "from tools import twice\nLIMIT = 2\nTABLE = {n: twice(n) for n in range(LIMIT)}\nfor k in TABLE: pass",
         "tools.py": "def twice(n): return n * 2"},
        "config(twice(), twice())",
        {"config": {"global TABLE": "{0: 0, 1: 2}", "global k": "1", "global LIMIT": "2"}},
    ),
    "decorators of the program fill a registry": Case(
        "import plugins",
        {"plugins.py": "ALL = {}\ndef known(f):\n    ALL[f.__name__] = f\n    return f\n@known\ndef one(): pass"},
        "plugins(known())",
        {"plugins": {"global ALL": "{'one': <function one>}"}},
    ),
    "a module that is imported in a function": Case(
        "def f():\n    import late\n    return late.X\nf()",
        {"late.py": "X = len('abc')"},
        "f(late())",
        {"late": {"global X": "3"}},
    ),
    "modules that import each other": Case(
        "import a",
        {"a.py": "import b\nX = b.Y + 1", "b.py": "import a\nY = len('ab')"},
        "a(b())",
        {"a": {"global X": "3", "b.Y": "2"}, "b": {"global Y": "2"}},
    ),
    "an import that fails": Case(
        "try:\n    import bad\nexcept ZeroDivisionError: pass\ntry:\n    import worse\nexcept ImportError: pass",
        {"bad.py": "x = 1\ny = x / 0", "worse.py": "import nowhere_to_be_found"},
        "bad(), worse()",
        {"bad": {"global x": "1"}},
    ),
    "a module that is loaded again": Case(
        "import config, importlib\nconfig.X.append(1)\nimportlib.reload(config)",
        {"config.py": "X = list('a')"},
        "config(), config()",
        {"config": {"global X": "['a']"}},
    ),
    "packages, and a package that is no node": Case(
        "from pack.inner import X\nimport pack",
        {"pack/__init__.py": "from . import inner\nfrom .inner import X", "pack/inner.py": "X = [0] * 2"},
        "pack.inner()",
        {"pack.inner": {"global X": "[0, 0]"}},
    ),
    "import_module, run_path, import *": Case(
        "import importlib, runpy\nimportlib.import_module('one')\nrunpy.run_path('two.py')\nfrom three import *",
        {"one.py": "A = int('1')", "two.py": "B = int('2')", "three.py": "C = int('3')"},
        "one(), two(), three()",
        {"one": {"global A": "1"}, "two": {"global B": "2"}, "three": {"global C": "3"}},
    ),
    "what functions and `del` do to its names": Case(
        "import m",
        {"m.py": "n = 0\ndef up():\n    global n\n    n += 1\nup(); up()\nt = n * 2\ndel t"},
        "m(up(), up())",
        {"m": {"global n": "2"}},
    ),
    "a module that changes another one": Case(
        "import config, more",
        {"config.py": "KNOWN = list('a')", "more.py": "import config\nconfig.KNOWN.append('b')"},
        "config(), more()",
        {"config": {"global KNOWN": "['a']"}, "more": {"global KNOWN": "['a', 'b']"}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_bodies_of_modules(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    for path, text in case.files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text + "\n")
    trace = record(tmp_path, case.program)

    def told(node: int) -> str:
        inside = ", ".join(map(told, trace.children(node)))
        name = module_name(trace, node) or trace.routines[trace.routine[node]].name
        return f"{name}({inside})" if node else inside

    assert told(0) == case.tree
    seen = {}
    for node in range(1, len(trace.parent)):
        call = trace.call(node)
        if call.module:
            seen.setdefault(
                call.module, {c.target: c.after.text().text for c in call.changes if c.after is not None}
            )
    assert {name: seen[name] for name in case.bound} == case.bound


def test_the_program_itself_is_one_node_though_it_is_imported(tmp_path: Path) -> None:
    trace = record(tmp_path, "import program\nX = [1] * 2\n")
    assert outline(trace) == "<module>(<module>())"
    assert module_name(trace, 0) == ""


def test_what_a_body_bound_itself_is_not_among_what_it_read(tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text("RATE = int('3')\n")
    (tmp_path / "config.py").write_text(
        textwrap.dedent("""
            from base import RATE
            def double(n): return n * RATE * FACTOR
            FACTOR = 2
            X = double(FACTOR)
            """)
    )
    trace = record(tmp_path, "import base, config\n")
    assert [read.name for read in trace.reads(find(trace, "<module>", 2))] == ["RATE"]
