"""What a call read besides its arguments, as it was when the call started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from recorded import ENTRY, find, record

from algotrace.call_sites import defaulted
from algotrace.scopes import loads
from algotrace.trace import Trace

# name: (program, {call: {what was read: (kind, text, certain)}}); a call is `function` or `function, n-th`
CASES: dict[str, tuple[str, dict[tuple[str, int], dict[str, tuple[str, str | None, bool]]]]] = {
    "globals as they were": (
        """
        RATE = 3
        TABLE = {"a": 1}
        def f(x): return x * RATE + TABLE.get("a")
        f(1)
        RATE = 4
        TABLE["b"] = 2
        f(1)
        """,
        {
            ("f", 0): {"RATE": ("global", "3", True), "TABLE": ("global", "{'a': 1}", True)},
            ("f", 1): {"RATE": ("global", "4", True), "TABLE": ("global", "{'a': 1, 'b': 2}", True)},
        },
    ),
    "not what did not run": (
        """
        A, B = 1, 2
        def f(x):
            if x: return A
            return B
        f(0), f(1)
        """,
        {("f", 0): {"B": ("global", "2", True)}, ("f", 1): {"A": ("global", "1", True)}},
    ),
    "not code": (
        """
        import math, functools
        from os.path import join
        class A: pass
        def g(): return 1
        @functools.lru_cache
        def h(): return 1
        k = functools.partial(g)
        def f(): return g() + h() + k() + math.floor(1.5) + len(join("a", "b")) + (A() is None)
        f()
        """,
        {("f", 0): {}},
    ),
    "what the callees read": (
        """
        N, M = [1], [2]
        def h(): return M
        def g(): return h()
        def f(): return N, g()
        f()
        """,
        {
            ("f", 0): {"N": ("global", "[1]", True), "M": ("global", "[2]", True)},
            ("g", 0): {"M": ("global", "[2]", True)},
        },
    ),
    "before the call wrote it": (
        """
        N = 1
        def f():
            global N
            N += 1
            return N
        f(), f()
        """,
        {("f", 0): {"N": ("global", "1", True)}, ("f", 1): {"N": ("global", "2", True)}},
    ),
    "variables of functions around": (
        """
        def outer(k):
            n, seen = 0, [k]
            def f(x):
                nonlocal n
                n += x
                return n + k + len(seen)
            f(5)
            seen.append(1)
            f(6)
            k = 9
            f(7)
        outer(2)
        """,
        {
            ("outer.<locals>.f", 0): {
                "n": ("closure", "0", True),
                "k": ("closure", "2", True),
                "seen": ("closure", "[2]", True),
            },
            ("outer.<locals>.f", 1): {
                "n": ("closure", "5", True),
                "k": ("closure", "2", True),
                "seen": ("closure", "[2, 1]", True),
            },
            ("outer.<locals>.f", 2): {
                "n": ("closure", "11", True),
                "k": ("closure", "9", True),
                "seen": ("closure", "[2, 1]", True),
            },
            ("outer", 0): {},
        },
    ),
    "late bound": (
        """
        def make():
            made = []
            for i in range(3):
                def f(x): return x * i
                made.append(f)
            return made
        [f(10) for f in make()]
        """,
        {("make.<locals>.f", 0): {"i": ("closure", "2", True)}},
    ),
    "a lambda's variables are its function's": (
        """
        def f(xs):
            limit = 2
            return [x for x in filter(lambda x: x > limit, xs)]
        f([1, 3])
        """,
        {("f", 0): {}},
    ),
    "a function made and called below": (
        """
        def outer(k):
            def inner(x): return x + k
            return inner
        def f(): return outer(1)(2)
        f()
        """,
        {("f", 0): {}, ("outer.<locals>.inner", 0): {"k": ("closure", "1", True)}},
    ),
    "attributes of classes": (
        """
        class Base:
            unit = "cm"
            def size(self): return self.unit
        class Account(Base):
            history = []
            total = 0
            def __init__(self): self.own = 1
            def f(self, amount):
                self.history.append(amount)
                Account.total += amount
                return self.own, self.size(), self.unit
        a, b = Account(), Account()
        a.f(1), b.f(2)
        """,
        {
            ("Account.f", 0): {
                "Account.history": ("class attribute", "[]", True),
                "Account.total": ("class attribute", "0", True),
                "Base.unit": ("class attribute", "'cm'", True),
            },
            ("Account.f", 1): {
                "Account.history": ("class attribute", "[1]", True),
                "Account.total": ("class attribute", "1", True),
                "Base.unit": ("class attribute", "'cm'", True),
            },
        },
    ),
    "what a class attribute was last set to is not known": (
        """
        class A:
            n = 0
        def f(): return A.n
        A.n = 5
        f()
        """,
        {("f", 0): {"A.n": ("class attribute", None, False)}},
    ),
    "an attribute of the object hides the class's": (
        """
        class A:
            xs = []
            def __init__(self): self.xs = [1]
            def f(self): self.xs.append(2); return self.xs
        A().f()
        """,
        {("A.f", 0): {}},
    ),
    "enumerations are no state": (
        """
        import enum
        class Colour(enum.Enum):
            RED = 1
        def f(): return Colour.RED
        f()
        """,
        {("f", 0): {}},
    ),
    "what cached functions remember": (
        """
        from functools import lru_cache
        @lru_cache(maxsize=None)
        def near(n): return [n - 1, n + 1]
        def f(n): return len(near(n))
        f(1), near(1).append(7), f(1), f(2)
        """,
        {
            ("f", 0): {},
            ("f", 1): {"near(1)": ("cached result", "[0, 2, 7]", True)},
            ("f", 2): {},
        },
    ),
    "positions are those of characters": (
        """
        XS = [1]
        def f(): "äöü"; return "äöü", XS if XS else None
        f()
        """,
        {("f", 0): {"XS": ("global", "[1]", True)}},
    ),
    "own names are not global": (
        """
        x = y = z = w = i = e = 1
        def f(x, *y, **z):
            import os as w
            for i in [1]: pass
            try: raise KeyError
            except KeyError as e: e
            return [x, y, z, w, i, [v for v in [1]], (u := 3), u]
        v = u = 2
        f(1)
        """,
        {("f", 0): {}},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_reads(name: str, tmp_path: Path) -> None:
    program, expected = CASES[name]
    trace = record(tmp_path, program)
    for (function, occurrence), wanted in expected.items():
        found = {
            read.name: (read.kind, None if read.value is None else read.value.text().text, read.certain)
            for read in trace.reads(find(trace, function, occurrence))
        }
        assert found == wanted, (function, occurrence)


def test_modules_of_the_program(tmp_path: Path) -> None:
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("from . import rates\nFEE = [1]\n")
    (package / "rates.py").write_text("TAX = 7\nclass Rate:\n    low = 2\n")
    (tmp_path / "config.py").write_text("LIMIT = [3]\nNAMES = {}\n")
    (tmp_path / "main.py").write_text(
        "import config\nimport config as c\nfrom config import NAMES\nfrom shop import rates, FEE\nimport shop.rates\n"
        "from shop.rates import Rate\n"
        "def f(): return config.LIMIT, c.LIMIT, NAMES, rates.TAX, FEE, Rate.low\n"
        "f()\nconfig.LIMIT.append(4)\nf()\n"
    )
    trace_file = tmp_path / "t"
    command = [sys.executable, str(ENTRY), "--trace", str(trace_file), str(tmp_path / "main.py")]
    subprocess.run(command, check=True, cwd=tmp_path, timeout=60)
    trace = Trace.open(trace_file)
    first, second = (
        {read.name: read.value and read.value.text().text for read in trace.reads(find(trace, "f", number))}
        for number in (0, 1)
    )
    expected = {
        "config.LIMIT": "[3]", "c.LIMIT": "[3]", "NAMES": "{}", "rates.TAX": "7", "FEE": "[1]", "Rate.low": "2",
    }  # fmt: skip
    assert first == expected
    assert second == {**expected, "config.LIMIT": "[3, 4]", "c.LIMIT": "[3, 4]"}


def test_a_call_that_did_very_much_is_looked_at_in_part(tmp_path: Path) -> None:
    constants = "\n".join(f"N{i} = {i}" for i in range(100))
    trace = record(
        tmp_path,
        f"{constants}\nK = 1\ndef g(i): return K\ndef f(): return [g(i) for i in range(3000)]\n"
        f"def h(): return [{', '.join(f'N{i}' for i in range(100))}]\nf(), h()",
    )
    assert [read.name for read in trace.reads(find(trace, "f"))] == ["K"]
    assert len(trace.reads(find(trace, "h"))) == 60
    assert trace.reads(0) == []


DEFAULTS = """
    def f(a, xs=[], *, key=None): return xs
    class A:
        def __init__(self, n=1): self.n = n
        def m(self, k={}): return k
    def left_out(): f(1); A(); A().m()
    def given(): f(1, []); f(1, xs=[], key=3); A(2).m({})
    def some(): f(1, [2]); f(3)
    def spread(args): f(*args); f(1, **{})
    def other(): g = f; g(1)
    left_out(), given(), some(), spread([1]), other()
"""


def test_defaults_that_were_taken(tmp_path: Path) -> None:
    trace = record(tmp_path, DEFAULTS)
    found: dict[str, list[tuple[str, list[str]]]] = {}
    for node in range(1, len(trace.parent)):
        caller = trace.routines[trace.routine[trace.parent[node]]].name
        if caller != "<module>":
            called = trace.routines[trace.routine[node]].qualname
            found.setdefault(caller, []).append((called, sorted(defaulted(trace, node))))
    assert found == {
        "left_out": [("f", ["key", "xs"]), ("A.__init__", ["n"]), ("A.__init__", ["n"]), ("A.m", ["k"])],
        "given": [("f", []), ("f", []), ("A.__init__", []), ("A.m", [])],
        "some": [
            ("f", ["key"]),
            ("f", ["key", "xs"]),
        ],  # the second holds what the first call of `left_out` held
        "spread": [("f", ["xs"]), ("f", ["xs"])],
        "other": [("f", ["xs"])],
    }


def test_loads_of_texts_that_are_none() -> None:
    assert loads("def f(:") == ()
    assert loads("") == ()
    assert [load.name for load in loads("a.b.c(d)[e]")] == ["a", "d", "e"]


def test_a_name_that_is_bound_anew_varies_before_and_after(tmp_path: Path) -> None:
    program = """
        RATE = 1
        SAME = 1
        def f(): return RATE + SAME
        f()
        RATE = 2
        f()
        """
    trace = record(tmp_path, program)
    for occurrence in (0, 1):
        varies = {read.name: read.varies for read in trace.reads(find(trace, "f", occurrence))}
        assert varies == {"RATE": True, "SAME": False}
