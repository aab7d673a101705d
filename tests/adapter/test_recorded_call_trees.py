"""Trees that tools which compare call stacks can only guess: who called whom is recorded, so nothing is left to collapse.

The programs are those for which Hoed (Faddegon & Chitil 2015, sections 4 and 5) infers arcs from stacks that leave out
repeated functions, and then has to remove back edges and to collapse cycles.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded_programs import record

from algotrace.trace import Trace

PROGRAMS = {
    "a call below another": (
        """
        def b(x): return x
        def a(x): return b(x)
        a(3)
        """,
        "a(b)",
    ),
    "recursion, the second call made by the first": (
        """
        def r(n): return n if n == 0 else r(n - 1)
        def m(): return r(2)
        m()
        """,
        "m(r(r(r)))",
    ),
    "recursion, both made by one: the same stacks as before": (
        """
        def r(n): return n if n == 0 else r(0) + r(0)
        def m(): return r(1)
        m()
        """,
        "m(r(r, r))",
    ),
    "what a function value does hangs from who applied it": (
        """
        def f():
            def inner(x): return x
            return inner
        def main(): return f()(1)
        main()
        """,
        "main(f, f.<locals>.inner)",
    ),
    "a function below itself, another one between": (
        """
        def p(n): return q(n) if n else 0
        def q(n): return p(n - 1)
        def r(): return p(1)
        r()
        """,
        "r(p(q(p)))",
    ),
    "two functions that call each other, entered by both, and one that only the first calls": (
        """
        def z(): return 0
        def p(n): return q(n - 1) if n else z()
        def q(n): return p(n - 1) if n else 0
        def r(): return p(1) + q(1)
        r()
        """,
        "r(p(q), q(p(z)))",
    ),
    "a cycle inside a cycle": (
        """
        def b(n): return c(n - 1) if n else 0
        def c(n): return d(n) if n else 0
        def d(n): return c(n - 1) + b(n - 1)
        def a(): return b(2)
        a()
        """,
        "a(b(c(d(c, b))))",
    ),
}


def outline(trace: Trace, node: int) -> str:
    inside = ", ".join(outline(trace, child) for child in trace.children(node))
    name = trace.routines[trace.routine[node]].qualname
    return f"{name}({inside})" if inside else name


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_tree_is_who_called_whom(name: str, tmp_path: Path) -> None:
    program, expected = PROGRAMS[name]
    trace = record(tmp_path, program)
    assert [outline(trace, node) for node in trace.children(0)] == [expected]
