"""Whose call it was: of random programs, every call lies in the code of the line that made it, as `sys.settrace` tells.

Many statements leave no event of their own here: operators, properties, comparisons of objects, calls whose value is
dropped. Where the recording does not tell them apart they are one node; never is a call in the wrong one.
"""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys
import types
from pathlib import Path

import pytest

import algotrace
from algodebug.execution_tree import ExecutionTree
from algotrace.trace import Trace

HEAD = """
class V:
    def __init__(self, n):
        self.n = n
    def __add__(self, other):
        return V(self.n + getattr(other, "n", 1)) if other is not None else NotImplemented
    def __radd__(self, other):
        return V(self.n)
    def __eq__(self, other):
        return NotImplemented if other is None else self.n == getattr(other, "n", other)
    def __lt__(self, other):
        return self.n < other.n
    def __bool__(self):
        return self.n > 0
    def __len__(self):
        return 2
    def __getitem__(self, at):
        if at > 2:
            raise IndexError(at)
        return at
    def __str__(self):
        return "v"
    @property
    def size(self):
        return self.n
def foo(x):
    return x
def bar(x):
    foo(x)
    return foo(x)
def boom(x):
    raise ValueError(x)
a, b, c = V(1), V(2), None
"""
SIMPLE = [
    "foo(1)", "foo(foo(2))", "bar(1)", "a + b", "a + 1", "1 + a", "1 + 1", "a == b", "a == None", "1 == 2", "assert a == a",
    "assert not a == b", "a.size", "a[0]", "sorted([2, 1], key=foo)", "x = a + b", "len(a)", "bool(b)", "str(a)", "x = foo(3)",
    "[foo(i) for i in range(2)]", "list(map(foo, [1, 2]))", "(lambda: foo(5))()", "x = lambda: foo(1)", "max([a, b])",
    "a < b", "not a", "x = [a + b, a == b]", "foo(a + b)", "foo(a.size)", "a and foo(1)", "pass", "f'{a}'",
    "x = a", "sum([1, 2])", "x = {}", "x = foo", "x(1) if callable(x) else None", "a in [b, a]",
]  # fmt: skip


def suite(chance: random.Random, depth: int, indent: str) -> list[str]:
    lines = []
    for _ in range(chance.randint(1, 5)):
        kind = chance.random()
        if depth and kind < 0.12:
            head = chance.choice(["for i in range(2):", "for i in a:"])
            lines += [indent + head, *suite(chance, depth - 1, indent + "    ")]
        elif depth and kind < 0.24:
            head = chance.choice(["if a == b:", "if foo(1):", "if a:", "if a < b:", "if 1:"])
            lines += [indent + head, *suite(chance, depth - 1, indent + "    ")]
            if chance.random() < 0.5:
                lines += [indent + "else:", *suite(chance, depth - 1, indent + "    ")]
        elif depth and kind < 0.32:
            lines += [indent + "try:", *suite(chance, depth - 1, indent + "    ")]
            lines += [indent + "    " + chance.choice(["boom(1)", "a[9]", "foo(a[9])", "a + boom(2)"])]
            lines += [indent + "except Exception:", *suite(chance, depth - 1, indent + "    ")]
        elif depth and kind < 0.37:
            lines += [indent + "k = 0", indent + "while a < V(k + 1) and k < 2:"]
            lines += [indent + "    k += 1", *suite(chance, depth - 1, indent + "    ")]
        else:
            lines.append(indent + chance.choice(SIMPLE))
    return lines


def program(seed: int) -> str:
    chance = random.Random(seed)
    lines = [*HEAD.strip().split("\n"), "x = None"]
    lines += ["def f():", "    x = None", *suite(chance, 2, "    ")]
    lines += suite(chance, 2, "")
    lines += ["f()", *suite(chance, 2, ""), "f()"]
    return "\n".join(lines) + "\n"


def lines_of_callers(text: str, path: str) -> list[tuple[str, int]]:
    """(function, line that it was called from) of the calls in order."""
    found: list[tuple[str, int]] = []

    def tracer(frame: types.FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename == path and "<" not in code.co_name and code.co_name != "V":
            outer = frame.f_back
            while outer is not None and outer.f_code.co_name in ("<listcomp>", "<lambda>"):
                outer = outer.f_back
            assert outer is not None
            found.append((code.co_name, outer.f_lineno))

    compiled = compile(text, path, "exec")
    sys.settrace(tracer)
    try:
        with contextlib.suppress(Exception):
            exec(compiled, {"__name__": "__main__"})
    finally:
        sys.settrace(None)
    return found


@pytest.mark.parametrize("block", range(4))
def test_every_call_lies_in_the_code_of_the_line_that_made_it(block: int, tmp_path: Path) -> None:
    recorder = Path(algotrace.__file__).with_name("__main__.py")
    divided = total = 0
    for seed in range(block * 6, block * 6 + 6):
        text = program(seed)
        path = tmp_path / f"program{seed}.py"
        path.write_text(text)
        target = tmp_path / f"{seed}.algotrace"
        subprocess.run(
            [sys.executable, recorder, "--quiet", "--trace", target, path], check=False, capture_output=True
        )
        expected = lines_of_callers(text, str(path))
        trace = Trace.open(target)
        tree = ExecutionTree.from_trace(trace)
        calls = [n for n in range(1, len(tree)) if "<" not in tree.place(n).function]
        names = [tree.place(n).function.rpartition(".")[2] for n in calls]
        assert names == [name for name, _ in expected], seed
        for node, (name, line) in zip(calls, expected, strict=True):
            parent = tree.parent[node]
            code = tree.code_of(parent)
            if code is None or tree.place(parent).function.rpartition(".")[2] not in ("<module>", "f"):
                continue
            at, total = code.top, total + 1
            assert code.complete, seed
            while True:
                inner = [p for p in at.children if p.start <= trace.start[node] < p.end]
                if not inner:
                    break
                at = inner[0]
                where = f"{path}: {name} of line {line} in {at.region}"
                assert at.region[0] <= line <= at.region[2], where
            divided += at.region[0] == at.region[2]
        trace.close()
    assert divided > 0.05 * total  # most of these statements leave nothing that tells them apart
