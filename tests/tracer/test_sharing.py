"""Which containers that a question shows are one object."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import find, record

# name: (program, what is said about the last call of `f`)
CASES: dict[str, tuple[str, list[str]]] = {
    "handed back": ("def f(items): return items\nf([1])", ["result is items"]),
    "a copy": ("def f(items): return list(items)\nf([1])", []),
    "scalars are nobody's": ("def f(a, b): return a\nf('x', 'x')", []),
    "a part handed back": ("def f(rows): return rows[1]\nf([[1], [2]])", ["result is rows[1]"]),
    "part of the result": ("def f(base): return dict(base)\nf({'k': [1]})", ["result['k'] is base['k']"]),
    "all of it copied": ("import copy\ndef f(base): return copy.deepcopy(base)\nf({'k': [1]})", []),
    "two rows": ("def f(): return [[0] * 2] * 2\nf()", ["result[0] and result[1] are the same list"]),
    "many rows": ("def f(m): m\nf([{}] * 5)", ["m[0], …, m[4] are the same dict"]),
    "equal rows": ("def f(): return [[0] for _ in range(2)]\nf()", []),
    "two arguments": ("def f(a, b): pass\nx = [1]\nf(x, x)", ["b is a"]),
    "one inside the other": ("def f(a, b): pass\nx = [1]\nf(x, [x])", ["b[0] is a"]),
    "a default": (
        "def f(x, seen=[]): seen.append(x); return seen\nf(1), f(2)",
        ["result is seen", "seen is its default"],
    ),
    "a default of no state": ("def f(x, n=1, s=()): return x\nf(1)", []),
    "kept in an object": (
        "class f:\n    def __init__(self, items): self.items = items\nf([1])", ["self.items is items"]
    ),
    "kept in a list": ("def f(all, one): all.append(one)\nf([], [1])", ["all[0] is one"]),
    "of an object": (
        "class A:\n    def __init__(self): self.items = []\n    def f(self): return self.items\nf = A().f\nf()",
        ["result is self.items"],
    ),
    "objects are shared all the time": (
        "class A: pass\ndef f(a): return [a, a]\nf(A())", []
    ),
    "a method that gives its object": (
        "class A:\n    def __init__(self): self.items = []\n    def f(self): return self\nf = A().f\nf()", []
    ),
    "a global": ("ALL = {}\ndef f(k): return ALL.setdefault(k, [])\nf('a')", ["result is ALL['a']"]),
    "what is remembered": (
        "import functools\n@functools.cache\ndef near(n): return [n]\ndef f(n): return near(n)\nf(1), f(1)",
        ["result is near(1)"],
    ),
    "a cycle": ("def f(x): pass\nx = []\nx.append(x)\nf(x)", []),  # its text says so
    "a named tuple": (
        "import collections\nP = collections.namedtuple('P', 'x y')\ndef f(p): return p.x\nf(P([1], 2))", ["result is p.x"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_sharing(name: str, tmp_path: Path) -> None:
    program, expected = CASES[name]
    trace = record(tmp_path, program)
    names = ("f", "f.__init__", "A.f")
    node = max(n for n in range(1, len(trace.parent)) if trace.call(n).routine.qualname in names)
    assert [shared.text() for shared in trace.sharing(node)] == expected


def test_large_values_are_looked_at_in_part(tmp_path: Path) -> None:
    trace = record(
        tmp_path, "def f(m): return m\nrow = [0]\nf([row, [1]] * 50_000)\nf([[] for _ in range(100_000)])"
    )
    first, second = (trace.sharing(find(trace, "f", number)) for number in (0, 1))
    assert first[0].text() == "result is m"
    assert len(first) <= 8 and len(second) == 1
    assert trace.sharing(0) == []
