"""What a generator hands on by `yield from` is among what it yielded."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import find, outline, record

CASES = {
    "recursion": (
        """
        def f(t):
            if t:
                yield from f(t[0])
                yield t[1]
                yield from f(t[2])
        list(f(((None, 1, None), 2, (None, 3, None))))
        """,
        "[1, 2, 3]",
    ),
    "a list": ("def f():\n    yield 0\n    yield from [1, 2]\n    yield 3\nlist(f())", "[0, 1, 2, 3]"),
    "a text, then the value returned by another generator": (
        "def g():\n    yield from 'ab'\n    return 5\ndef f():\n    x = yield from g()\n    yield x\nlist(f())",
        "['a', 'b', 5]",
    ),
    "nothing": ("def f():\n    yield from []\nlist(f())", "[]"),
    "a part of it, then closed": (
        "def f():\n    yield from range(9)\ng = f()\nnext(g), next(g)\ng.close()",
        "[0, 1]",
    ),
    "a part of it, then an error is thrown in": (
        """
        def f():
            try: yield from range(9)
            except ValueError: yield 'caught'
        g = f()
        next(g), g.throw(ValueError()), list(g)
        """,
        "[0, 'caught']",
    ),
    "two of them in turns": (
        "def f(xs):\n    yield from xs\na, b = f('ab'), f('cd')\nnext(a), next(b), next(b), next(a)",
        "['a', 'b']",
    ),
    "items of which each is a call": (
        "def g(x): return x * 2\ndef f(): yield from map(g, [1, 2])\nlist(f())",
        "[2, 4]",
    ),
    "items made on the way": (
        "def g(x): return x * 2\ndef f():\n    yield 1\n    yield from (g(i) for i in [1, 2] if g(i) > 2)\nlist(f())",
        "[1, 4]",
    ),
    "values that only code at work without a record knows": (
        "def f():\n    yield 1\n    yield from (i for i in [2, 3] for _ in [0])\n    yield 4\nlist(f())",
        "[1, …, 4]",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_handed_on_is_yielded(name: str, tmp_path: Path) -> None:
    program, expected = CASES[name]
    trace = record(tmp_path, program)
    outcome = trace.call(find(trace, "f")).outcome
    assert outcome.value is not None
    assert (outcome.kind, outcome.value.text().text) == ("yield", expected)
    assert outcome.value.certain == ("…" not in expected)


def test_what_makes_an_item_is_called_by_the_generator(tmp_path: Path) -> None:
    program = """
    def g(x): return x
    def f():
        yield from map(g, [1])
        yield from (g(x) for x in [2] if g(x))
    def main(): return list(f())
    main()
    """
    trace = record(tmp_path, program)
    assert outline(trace) == "<module>(main(f(g(), g(), g())))"
