"""The corrected copy as an oracle: it runs the recorded calls again, in a process of its own, and compares."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from test_cli_examples import record

from algodebug.code_nodes import code_below
from algodebug.execution_tree import ExecutionTree
from algodebug.oracles.copy_run import rows
from algodebug.oracles.reference import ReferenceOracle
from algodebug.oracles.reference_code import ReferenceCodeOracle
from algodebug.oracles.same_code import Functions, same_code
from algotrace import undo
from algotrace.trace import Trace


class Judged:
    """The verdicts about all calls of a program, by function."""

    def __init__(self, folder: Path, program: str, corrected: str, timeout: float = 10.0) -> None:
        (folder / "program.py").write_text(dedent(program))
        fixed = folder / "fixed" / "program.py"
        fixed.parent.mkdir()
        fixed.write_text(dedent(corrected))
        trace = Trace.open(record(folder / "program.py", folder))
        self.oracle = ReferenceOracle(fixed, trace, timeout=timeout)
        self.tree = ExecutionTree.from_trace(trace)
        self.answers: dict[str, list[str | None]] = {}
        self.reasons: list[str] = []
        try:
            for node in range(1, len(self.tree)):
                call = trace.call(node)
                verdict = self.oracle.judge(call)
                answer = None if verdict is None else verdict.answer
                self.answers.setdefault(call.routine.qualname, []).append(answer)
                self.reasons.append("" if verdict is None else verdict.reason)
        finally:
            self.oracle.close()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path


VALUES = """
    import array, collections, dataclasses, datetime, decimal, enum, fractions, pathlib, typing

    T = typing.TypeVar("T")

    class Boxed(typing.Generic[T]):
        def __init__(self, inside):
            self.inside = inside

    class Colour(enum.Enum):
        RED = 1
        BLUE = 2

    class Level(enum.IntEnum):
        LOW = 1

    Point = collections.namedtuple("Point", "x y")

    @dataclasses.dataclass
    class Node:
        name: str
        next: object = None

    class Slots:
        __slots__ = ("a", "b")
        def __init__(self, a):
            self.a = a

    class Names(dict):
        pass

    class Metres(float):
        pass

    class Odd(Exception):
        def __init__(self, n):
            super().__init__(n)
            self.n = n

    MISSING = object()

    def same(value, other=MISSING):
        return (value, other is MISSING, 1 + MARK)

    def identity(value):
        return value

    def boxed(value):
        return Boxed[int](value)

    def ring(n):
        first = Node("a")
        first.next = Node("b", first)
        return first

    def second(node):
        return node.next.name if node.next.next is node else None

    def parts(point, *rest, key=None, **more):
        return [point.x, rest, key, sorted(more)]

    class Shape:
        sides = 4
        def __init__(self, size):
            self.size = size
        @property
        def area(self):
            return self.size ** 2 + MARK
        @area.setter
        def area(self, value):
            self.size = value ** 0.5 + MARK
        @staticmethod
        def unit():
            return Shape(1 + MARK)
        @classmethod
        def of(cls, size):
            return cls(size + MARK)

    def count(n):
        for i in range(n):
            yield i + MARK

    def fail(n):
        raise Odd(n + MARK)

    def caught(n):
        try:
            fail(n)
        except Odd as odd:
            return odd

    def grow(items, table):
        items.append(len(items) + MARK)
        table["n"] = items
        return None

    async def later(n):
        return n + MARK

    CACHE = {}

    def remember(key):
        CACHE[key] = len(CACHE) + MARK
        return CACHE[key]

    def main():
        values = [None, True, 10**400, 1.5, float("nan"), 2j, "text", b"bytes", [1, [2]], (1, (2,)), {"a": {1: 2}},
                  {1, 2}, frozenset({3}), collections.deque([1]), collections.deque([1], 2),
                  array.array("d", [1, 2]), bytearray(b"x"), Colour.RED, Level.LOW, Point(1, 2),
                  Names(a=1), Metres(2.5), collections.Counter("aab"), datetime.date(2020, 1, 2),
                  decimal.Decimal("1.5"), fractions.Fraction(1, 3), pathlib.PurePosixPath("/x"), range(3), Odd(3),
                  len, Node, same]
        for value in values:
            identity(value)
        same(1)
        same(1, 2)
        slots = Slots(1)
        identity(slots)
        row = [0]
        identity([row, row])
        boxed(1)
        second(ring(2))
        parts(Point(1, 2), 3, 4, key=5, z=6)
        shape = Shape(2)
        shape.area
        shape.area = 9
        Shape.unit(), Shape.of(3)
        list(count(3))
        caught(4)
        items = []
        grow(items, {})
        grow(items, {})
        import asyncio
        asyncio.run(later(1))
        remember("a"), remember("b")

    if __name__ == "__main__":
        main()
"""


def with_mark(number: int) -> str:
    return VALUES.replace("MARK", str(number))


def test_what_python_keeps_in_objects_is_looked_for_by_neither() -> None:
    assert rows.NO_ATTRIBUTES == undo.NO_ATTRIBUTES


def test_a_copy_of_the_program_finds_every_call_right(folder: Path) -> None:
    judged = Judged(folder, with_mark(0), with_mark(0))
    wrong = {name: answers for name, answers in judged.answers.items() if set(answers) != {"correct"}}
    # By running, not because the code is the same.
    assert not [reason for reason in judged.reasons if reason]
    assert wrong == {}


def test_calls_that_the_corrected_copy_does_otherwise_are_wrong(folder: Path) -> None:
    answers = Judged(folder, with_mark(0), with_mark(1)).answers
    assert {name: found for name, found in answers.items() if "wrong" in found} == {
        "same": ["wrong"] * 2,
        "Shape.area": ["wrong"] * 2,
        "Shape.unit": ["wrong"],
        "Shape.of": ["wrong"],
        "count": ["wrong"],
        "caught": ["wrong"],
        "fail": ["wrong"],
        "grow": ["wrong"] * 2,
        "later": ["wrong"],
        "remember": ["wrong"] * 2,
        "main": ["wrong"],  # it leaves another cache behind
    }


def test_effects_and_sharing_count(folder: Path) -> None:
    program = """
        def keep(xs): return {copy}
        def clear(xs): xs[:] = {left}
        def rows(n): return {rows}
        keep([1]), clear([1, 2]), rows(2)
    """
    wrong = program.format(copy="xs", left="[1]", rows="[[0] * n] * n")
    right = program.format(copy="list(xs)", left="[]", rows="[[0] * n for _ in range(n)]")
    answers = Judged(folder, wrong, right).answers
    assert answers == {"keep": ["wrong"], "clear": ["wrong"], "rows": ["wrong"]}


def test_what_cannot_be_run_is_trusted_when_it_is_unchanged(folder: Path) -> None:
    program = """
        def apply(f, x): return f(x)
        def use(n):
            def inner(k): return k + {one}
            return apply(lambda k: k + {one}, inner(n))
        use(1)
        print(apply(lambda k: k, 2))
    """
    answers = Judged(folder, program.format(one=1), program.format(one=2)).answers
    assert answers == {
        "use": ["wrong"],
        "use.<locals>.inner": ["wrong"],
        "apply": ["trust-function", "correct"],  # the second one ran nothing that is otherwise in the copy
    }


NESTED = {
    "what is around it is read": (
        """
        def scale(xs, k):
            def one(x): return x * {right} + k
            return [one(x) for x in xs]
        scale([1, 2], 10)
        """,
        "2",
        "3",
        {"scale": ["wrong"], "scale.<locals>.one": ["wrong"] * 2},
    ),
    "what is around it is right": (
        """
        def scale(xs, k):
            k = k {right}
            def one(x): return x * k
            return [one(x) for x in xs]
        scale([1, 2], 10)
        """,
        "+ 1",
        "- 1",
        {"scale": ["wrong"], "scale.<locals>.one": ["correct"] * 2},
    ),
    "it calls itself and one beside it": (
        """
        def search(xs, wanted):
            def value(i, by=1): return xs[i] * by
            def between(low, high):
                if low >= high: return -1
                middle = (low + high) // 2
                if value(middle) == wanted: return middle
                if value(middle) < wanted: return between(middle {right}, high)
                return between(low, middle)
            return between(0, len(xs))
        search([1, 3, 5, 7], 7)
        """,
        "+ 1",
        "+ 2",
        {
            "search": ["wrong"],
            "search.<locals>.between": ["wrong", "correct"],
            "search.<locals>.value": ["correct"] * 2,
        },
    ),
    "it counts in a variable around it": (
        """
        def counter(start):
            total = start
            def add(n):
                nonlocal total
                total += n {right}
            return add
        add = counter(5)
        add(2), add(3)
        """,
        "",
        "* 2",
        {"counter": ["correct"], "counter.<locals>.add": ["wrong"] * 2},
    ),
    "a variable of the same name is rebound elsewhere": (
        """
        def tally(start):
            total = start
            def show(k): return total + k {right}
            def other():
                total = 100
                def up():
                    nonlocal total
                    total += 1
                up()
            other()
            return show(1)
        tally(5)
        """,
        "",
        "* 1",
        {"tally": ["correct"], "tally.<locals>.show": ["correct"]},
    ),
    "… in another call of the same function": (
        """
        def tally(start):
            total = start
            def show(k): return total + k {right}
            def up():
                nonlocal total
                total += 9
            if start > 5:
                tally(start - 1)
            else:
                up()
            return show(1)
        tally(6)
        """,
        "",
        "* 1",
        {"tally": ["correct"] * 2, "tally.<locals>.show": ["correct"] * 2},
    ),
    "it changes a list around it": (
        """
        def collect(n):
            found = []
            def keep(x): found.append(x {right})
            for x in range(n): keep(x)
            return found
        collect(2)
        """,
        "",
        "+ 1",
        {"collect": ["wrong"], "collect.<locals>.keep": ["wrong"] * 2},
    ),
    "two functions made by two calls that have ended": (
        """
        def adder(k):
            def add(x): return x + k {right}
            return add
        one, ten = adder(1), adder(10)
        one(1), ten(1)
        """,
        "",
        "+ 1",
        {"adder": ["correct"] * 2, "adder.<locals>.add": [None] * 2},
    ),
    "generators that yield nothing, and asynchronous ones": (
        """
        import asyncio
        def few(n): yield from range(n {right})
        async def some(n):
            for i in range(n): yield i {right}
        async def main(): return [i async for i in some(2)]
        list(few(0)), list(few(2)), asyncio.run(main())
        """,
        "",
        "- 1",
        {"few": ["correct", "wrong"], "some": ["wrong"], "main": ["wrong"]},
    ),
    "recursion without end": (
        """
        import sys
        sys.setrecursionlimit(300)
        def down(n):
            def step(k): return 0 if k == 0 else step(k {right})
            return step(n)
        try: down(3)
        except RecursionError: pass
        """,
        "- 1",
        "- 2",
        {"down": ["wrong"]},
    ),
}


@pytest.mark.parametrize("name", NESTED)
def test_functions_inside_functions_run_with_what_is_around_them(name: str, folder: Path) -> None:
    program, right, wrong, expected = NESTED[name]
    answers = Judged(folder, program.format(right=wrong), program.format(right=right)).answers
    assert {function: answers[function] for function in expected} == expected


def test_what_a_call_prints_counts(folder: Path) -> None:
    program = """
        def inner(n): return n + {one}
        def show(n): print(inner(n))
        def hide(n): print("same", inner(n) * 0)
        show(1), hide(1)
    """
    answers = Judged(folder, program.format(one=1), program.format(one=2)).answers
    assert answers == {"show": ["wrong"], "inner": ["wrong"] * 2, "hide": ["correct"]}


GAPS = {
    "state of a class": (
        """
        class Count:
            n = 0
        def step(k): return Count.n + k {note}
        Count.n = 5
        step(1)
        Count.n = 9
        """,
        {"step": [None]},
    ),
    "what another library function remembers": (
        """
        import random
        def draw(k): return random.random() * k {note}
        draw(1)
        """,
        {"draw": [None]},
    ),
    "a file": (
        """
        import os
        def first(k):
            with open("data.txt") as file: return file.read() * k {note}
        with open("data.txt", "w") as file: file.write("x")
        first(1)
        with open("data.txt", "w") as file: file.write("y")
        """,
        {"first": [None]},
    ),
}


@pytest.mark.parametrize("name", GAPS)
def test_what_depends_on_something_that_was_not_recorded_is_not_judged(name: str, folder: Path) -> None:
    program, expected = GAPS[name]
    # Written otherwise in the copy, so that it is not known to be right by its text; and yet right.
    assert Judged(folder, program.format(note=""), program.format(note="+ k * 0")).answers == expected


UNCHANGED = {
    "a constant of the module": (
        "LIMIT = {one}\ndef above(n): return n > LIMIT\nabove(1)", {"above": ["correct"]}
    ),
    "an attribute of a class": (
        "class A:\n    rate = {one}\n    def of(self, n): return n * self.rate\nA().of(3)", {"A.of": ["correct"]}
    ),
    "a lambda of the module": (
        "KEY = lambda n: n * {one}\ndef last(xs): return max(xs, key=KEY)\nlast([-1, 0, 2])", {"last": ["correct"]}
    ),
    "a lambda that makes it wrong": (
        "KEY = lambda n: -n * ({one} - 2)\ndef last(xs): return max(xs, key=KEY)\nlast([-1, 0, 2])", {"last": ["wrong"]}
    ),
    "a default": ("def f(n, m={one}): return n + m\nf(1)", {"f": ["wrong"]}),
}  # fmt: skip


@pytest.mark.parametrize("name", UNCHANGED)
def test_a_call_that_was_given_the_wrong_state_is_right_when_it_does_the_right_thing(
    name: str, folder: Path
) -> None:
    program, expected = UNCHANGED[name]
    assert Judged(folder, program.replace("{one}", "1"), program.replace("{one}", "5")).answers == expected


REMEMBERED = """
    from functools import lru_cache
    @lru_cache
    def squares(n): return [i * i for i in range(n)]
    class Board:
        @lru_cache(maxsize=None)
        def row(self, n): return [n] * 2
        def first(self, n): return {copy}(self.row(n))
    def more(n):
        found = {copy}(squares(n))
        found.append(n)
        return found
    def count(n): return len(squares(n)) {note}
    more(2), count(2), more(2), count(3)
    board = Board()
    board.first(1).append(0)
    board.first(1)
"""


def test_what_cached_functions_remember_is_carried_over(folder: Path) -> None:
    def program(copy: str, note: str) -> str:
        return REMEMBERED.replace("{copy}", copy).replace("{note}", note)

    judged = Judged(folder, program("", ""), program("list", "+ 0"))
    assert judged.answers == {
        "more": ["wrong", "wrong"],  # it changes what is remembered, then gives too much
        "squares": ["correct"] * 2,
        "count": ["correct", "correct"],  # right about what was remembered, if that was wrong
        "Board.first": ["wrong", "wrong"],  # it hands out what is remembered
        "Board.row": ["correct"],
    }


def test_defaults_that_calls_share(folder: Path) -> None:
    program = """
        def collect(item, basket={default}):
            {new}basket.append(item)
            return basket
        def once(item, *, log={default}):
            {other}log.append(item)
            return len(log)
        def keep(item, seen=[]):
            seen.append(item)
            return len(seen) {note}
        collect(1), collect(2), collect(3, [0])
        once(1), once(2, log=[])
        keep(1), keep(2)
    """
    wrong = program.format(default="[]", new="", other="", note="")
    right = program.format(
        default="None",
        new="basket = [] if basket is None else basket; ",
        other="log = [] if log is None else log; ",
        note="+ 0",
    )
    # A default that another call gives is not told apart: see `call_sites`.
    answers = Judged(folder, wrong, right.replace("seen=None", "seen=[]")).answers
    assert answers["keep"] == ["correct", "correct"]
    apart = wrong.replace(", collect(3, [0])", "").replace(", once(2, log=[])", "")
    (folder / "apart").mkdir()
    answers = Judged(folder / "apart", apart, right).answers
    assert answers == {"collect": ["wrong", "wrong"], "once": ["wrong"], "keep": ["correct", "correct"]}


def test_an_iterator_is_no_list(folder: Path) -> None:
    program = """
        def numbers(n): return {numbers}
        def others(n): return {others}
        numbers(2), others(2)
    """
    wrong = program.format(numbers="(i for i in range(n))", others="(i for i in range(n))")
    right = program.format(numbers="[i for i in range(n)]", others="map(int, range(n))")
    answers = Judged(folder, wrong, right).answers
    assert answers["numbers"] == ["wrong"]
    assert answers["others"] != ["correct"]  # nobody has read it


def test_the_reference_can_neither_hang_nor_crash_the_search(folder: Path) -> None:
    program = """
        import os
        def spin(n): return n
        def crash(n): return n
        def leave(n): return n
        def fine(n): return n
        spin(1), crash(1), leave(1), fine(1)
    """
    corrected = """
        import os
        def spin(n):
            while True: pass
        def crash(n): os.abort()
        def leave(n): os._exit(3)
        def fine(n):
            return n
        print("noise"); input()
    """
    answers = Judged(folder, program, corrected, timeout=0.5).answers
    assert answers == {"spin": ["unknown"], "crash": ["unknown"], "leave": ["unknown"], "fine": ["correct"]}


def test_a_script_is_not_run_again(folder: Path) -> None:
    program = """
        import itertools, sys
        LIMITS = {{}}
        for name, limit in [("a", 1), ("b", 2)]:
            LIMITS[name] = limit
        SQUARES = [n * n for n in range(5)]
        class Box:
            size = len(SQUARES)
        BOX = Box()
        BOX.height = 3
        def above(name, n): return n > LIMITS[name] {note}
        def height(n): return SQUARES[n] * BOX.height + Box.size {note}
        def log(text):
            with open("log.txt", "a") as file: file.write(text)
        total = 0
        for n in range(3):
            total += above("a", n) + height(n)
        log("ran once")
        if total > 3: sys.exit(1)
    """
    judged = Judged(folder, program.format(note=""), program.format(note="+ 0"))
    assert judged.answers["above"] == ["correct"] * 3
    assert judged.answers["height"] == ["correct"] * 3
    assert (folder / "log.txt").read_text() == "ran once"


INSIDE = {
    "super": (
        """
        class A:
            def area(self, k): return k * 3
        class B(A):
            def area(self, k):
                base = super().area(k)
                extra = super().area({one}) + k
                return base + extra
        B().area(2)
        """,
        "B.area",
        [("lines 6–7", "wrong"), ("line 6", "correct"), ("line 7", "wrong"), ("line 8", "correct")],
    ),
    "await": (
        """
        import asyncio
        async def step(n):
            await asyncio.sleep(0)
            return n * 2
        async def work(n):
            one = await step(n)
            two = await step(n + {one})
            return [one, two]
        asyncio.run(work(3))
        """,
        "work",
        [("lines 7–8", "wrong"), ("line 7", "correct"), ("line 8", "wrong"), ("line 9", "correct")],
    ),
    "functions inside the function, around its variables": (
        """
        def work(n):
            total = 0
            def shift(x): return x + n
            def add(x):
                nonlocal total
                total += shift(x)
                return total
            first = add(1)
            second = add({one})
            return first + second
        work(3)
        """,
        "work",
        [
            ("lines 3–8", "correct"), ("lines 3–4", "correct"), ("line 3", "correct"), ("line 4", "correct"),
            ("lines 5–8", "correct"), ("lines 9–11", "wrong"), ("lines 9–10", "wrong"), ("line 9", "correct"),
            ("line 10", "wrong"), ("line 11", "correct"),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", INSIDE)
def test_code_inside_a_call_is_run_by_itself(name: str, folder: Path) -> None:
    program, function, expected = INSIDE[name]
    (folder / "program.py").write_text(dedent(program.format(one=1)))
    (folder / "fixed").mkdir()
    (folder / "fixed" / "program.py").write_text(dedent(program.format(one=2)))
    trace = Trace.open(record(folder / "program.py", folder))
    tree = ExecutionTree.from_trace(trace)
    oracle = ReferenceCodeOracle(folder / "fixed" / "program.py", trace)
    code = tree.code_of(next(n for n in range(len(tree)) if tree.place(n).function == function))
    assert code is not None
    told = []
    for node, _ in code_below(code.top, ["range", "statement"]):
        verdict = oracle.judge_code(node)
        told.append((tree.title(node.id).partition(":")[0], verdict and verdict.answer))
        if verdict is not None and verdict.answer == "wrong":
            assert "should be" in verdict.reason
    oracle.close()
    assert told == expected


def test_files_of_a_package_stand_for_each_other(tmp_path: Path) -> None:
    for root, operator in (("old", "-"), ("new", "+")):
        package = tmp_path / root / "shop"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("from .prices import total\n")
        (package / "prices.py").write_text(
            f"from . import tax\ndef total(xs): return sum(xs) {operator} tax.on(xs)\n"
        )
        (package / "tax.py").write_text("def on(xs): return len(xs)\n")
    (tmp_path / "old" / "run.py").write_text("import shop\ndef main(): return shop.total([1, 2])\nmain()\n")
    trace = Trace.open(record(tmp_path / "old" / "run.py", tmp_path))
    references = (tmp_path / "new", tmp_path / "new" / "shop", tmp_path / "new" / "shop" / "prices.py")
    for reference in references:
        oracle = ReferenceOracle(reference, trace)
        answers = {}
        for node in range(1, len(trace.size)):
            verdict = oracle.judge(trace.call(node))
            answers[trace.call(node).routine.name] = verdict and verdict.answer
        oracle.close()
        # The program itself has no corrected copy: it is run with the corrected package.
        assert answers == {"main": "wrong", "total": "wrong", "on": "correct"}, reference


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("def f(x): return x", "def f(x):\n    # a remark\n    return (x)", True),
        ("def f(x): return x", "def f(x): return x + 1", False),
        ("def f(x): return x", "def g(x): return x", False),
        ("class A:\n def f(self): return 1", "def f(self): return 1", False),
        ("def f(: pass", "def f(): pass", False),
        ("g = 1\ndef f(x): return 1", "def f(x): return 1\ng = 2", True),
        ("def f(x=1): return x", "def f(x=2): return x", False),
        ("def f(x): return 1\ndef f(x): return 2", "def f(x): return 1\n\n\ndef f(x): return 2", True),
    ],
)
def test_code_is_compared_without_layout(one: str, other: str, same: bool) -> None:
    name = "A.f" if "class A" in one else "f"
    assert same_code(Functions(one), Functions(other), name, 1) is same
