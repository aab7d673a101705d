"""`-m pytest` recorded: tests are nodes of the tree, and pytest says about them what it says unrecorded.

pytest compiles test modules itself, to explain failed assertions. Each project here is run unrecorded and recorded, by
the pytest that runs these tests; another interpreter with a pytest of its own may be named in ALGOTRACE_TEST_PYTEST.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from recorded import ENTRY, changes, find, outline

from algotrace.trace import Trace

PYTHON = os.environ.get("ALGOTRACE_TEST_PYTEST", sys.executable)
VARIES = re.compile(r"0x[0-9a-f]+|in [0-9.]+s|^algotrace: .*\n", re.MULTILINE)

HELPERS = """
    def double(x):
        return x * 2
    def check(x):
        assert x == 3, "helper"
"""

CONFTEST = """
    import pytest
    @pytest.fixture
    def numbers():
        yield [1, 2, 3]
    @pytest.fixture(params=[1, 2], ids=["one", "two"])
    def n(request):
        return request.param
    def pytest_assertrepr_compare(config, op, left, right):
        if left == "special":
            return ["it is special", op]
"""

# The body of a test function, or a whole one.
ASSERTIONS = {
    "a call": "assert double(2) == 5",
    "a method": "assert P(3).get(d=double(1)) == P(1).v, 'a message'",
    "a call that changes": "xs = [1, 2]; assert xs.pop(0) == 1; assert xs.append(4) is None and xs == [2]",
    "a message that calls": "xs = []; assert not double(1), f'{xs.append(double(3))} {xs}'",
    "and, or, not": "a, b = 1, 0; assert a and (b or double(0) or not double(1)) and double(4)",
    "a chain": "assert 1 < double(0) < 3 < double(1)",
    "star arguments": "xs = [1, 2]; assert P(1).get(*xs[:1], **{}) == 3",
    "an assignment expression": "assert (x := double(4)) == 8; assert (x := double(5)) and x == 11",
    "in": "assert 'x' in {'a': 1}",
    "several lines": "assert [\n    1,\n    double(2),\n] == [\n    1,\n    5,\n]",
    "long lists": "assert list(range(50)) == list(range(49)) + [1]",
    "texts": "assert 'abc\\nfoo' == 'abc\\nbar'",
    "a hook of conftest": "assert 'special' == 'x'",
    "in another module": "check(4)",
    "a default is made": "d = collections.defaultdict(list); assert d['a'].append(1) is None; assert d == {'a': [2]}",
    "a comprehension": "y = 3; assert [double(i) for i in range(3) if i] == [y]",
    "a generator expression": "assert all(double(i) < 3 for i in range(3))",
    "a lambda": "assert (lambda q: q + double(1))(1) == 4",
    "a conditional": "assert (double(1) if double(0) else double(3)) == 5",
    "operators": "assert double(1) + double(2) * 3 == -double(4)",
    "a closure": "z = 4\ndef inner():\n    assert z == double(z)\ninner()",
    "await": "async def f(): return 3\nasync def g():\n    assert await f() == 4\nasyncio.run(g())",
    "a yield": "def g():\n    x = yield 1\n    assert (yield x) == 3\nit = g(); next(it); it.send(2); it.send(5)",
    "a yield in an operand": "def g():\n    assert double(1) and (yield 2) == 3\nit = g(); next(it); it.send(0)",
    "raises": "with pytest.raises(ValueError, match='xy'):\n    raise ValueError('xyz')\nwith pytest.raises(KeyError): double(1)",
    "an error": "raise RuntimeError('boom')",
    "locals": "q = 3; assert sorted(locals()) == ['q', 'r']",
    "heap": "h = [3]; assert heapq.heappush(h, 1) is None; assert heappush(h, 0) is None; assert heapq.heappop(h) == 1",
    "setattr": "p = P(1); assert setattr(p, 'v', 3) is None; assert p.v == 1",
    "subscripts": "xs = {'a': [1]}; assert xs['a'][0] == 2",
    "print": "print('out', double(1)); assert 0",
    "warn": "warnings.warn('uh'); assert double(0)",
    "skip": "pytest.skip('no')",
    "passes": "assert double(2) == 4 and double(1)",
    "parentheses": "assert (double(1), 'always true')",
    "in a loop": "for i in range(3):\n    assert double(i) < 4, i",
    "finally": "try:\n    assert double(1) == 3\nfinally:\n    double(9)",
    "caught": "try:\n    assert double(1) == 3\nexcept AssertionError as error:\n    assert len(str(error)) >= 0",
    "nested": "assert str(P(double(P(double(1)).get()))) == 'P(5)'",
}  # fmt: skip

MORE = """
    @pytest.mark.parametrize("x,y", [(1, 2), (2, 5)])
    def test_param(x, y): assert double(x) == y
    def test_fixture(numbers, n):
        assert numbers.pop() == 3
        assert numbers.index(double(n)) == n
    @pytest.mark.xfail
    def test_xfail(): assert double(1) == 3
    class TestC:
        x = 3
        def setup_method(self): self.n = 5
        def test_m(self): assert self.n == self.x
        def helper(self, x): return x
        def test_n(self): assert self.helper(self.n) == self.helper(6)
    class Body:
        xs = [1]
        assert xs.pop() == 1
    if 1:
        assert double(1) == 2, "module level"
"""

HEAD = '''
    """Tests."""
    from __future__ import annotations
    import asyncio, collections, heapq, pytest, warnings
    from heapq import heappush
    from helper import double, check
    class P:
        def __init__(self, v): self.v = v
        def get(self, d=0): return self.v + d
        def __repr__(self): return f"P({self.v})"
'''

UNITTEST = """
    import unittest
    from helper import double
    class T(unittest.TestCase):
        def setUp(self): self.a = 1
        def test_one(self):
            self.assertEqual(double(self.a), 3)
        def test_two(self):
            assert double(self.a) == 3
        def test_sub(self):
            for i in range(2):
                with self.subTest(i=i): assert i
"""


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")


def all_assertions() -> dict[str, str]:
    tests = [
        f"def test_{number}():\n{textwrap.indent(body, '    ')}\n"
        for number, body in enumerate(ASSERTIONS.values())
    ]
    test = textwrap.dedent(HEAD) + textwrap.dedent("".join(tests)) + textwrap.dedent(MORE)
    return {"test_all.py": test, "helper.py": HELPERS, "conftest.py": CONFTEST, "unit/test_unit.py": UNITTEST}


def start(folder: Path, *options: str, recorded: bool, module: str = "pytest") -> tuple[str, int]:
    recorder = [str(ENTRY), "--trace", str(folder / "t.algotrace")] if recorded else []
    quiet = ["-p", "no:cacheprovider"] if module == "pytest" else []
    done = subprocess.run(
        [PYTHON, *recorder, "-m", module, *quiet, *options],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
        env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": ""},
    )  # fmt: skip
    return VARIES.sub("", done.stdout), done.returncode


def behaves(folder: Path, *options: str, module: str = "pytest") -> Trace:
    plain = start(folder, *options, recorded=False, module=module)
    for _ in range(2):  # made anew, and read from the cache
        recorded = start(folder, *options, recorded=True, module=module)
        assert recorded[0] == plain[0]
        assert recorded[1] == plain[1]
    return Trace.open(folder / "t.algotrace")


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("-q", "--tb=long", "--showlocals"),
        ("--tb=native",),
        ("--import-mode=importlib",),
        ("-o", "enable_assertion_pass_hook=true"),
        ("--assert=plain",),
    ],
    ids=" ".join,
)
def test_what_pytest_says_is_what_it_says_unrecorded(options: tuple[str, ...], tmp_path: Path) -> None:
    write(tmp_path, all_assertions())
    trace = behaves(tmp_path, *options)
    failing = find(trace, "test_0")
    assert outline(trace, failing).startswith("test_0(double()")
    assert trace.call(failing).outcome.kind == "raise"
    for node in range(len(trace.parent)):
        trace.call(node), trace.executed(node), list(trace.own_values(node))


def recorded(folder: Path, body: str) -> tuple[Trace, int]:
    """The trace, and the node of the one test."""
    test = textwrap.dedent(HEAD) + f"def test_it():\n{textwrap.indent(body, '    ')}\n"
    write(folder, {"test_it.py": test, "helper.py": HELPERS})
    start(folder, recorded=True)
    trace = Trace.open(folder / "t.algotrace")
    return trace, find(trace, "test_it")


def test_an_assertion_leaves_the_same_calls_whoever_compiles_it(tmp_path: Path) -> None:
    """With `--assert=plain` test modules are imported as others are."""
    write(tmp_path, all_assertions())
    shown: list[dict[str, tuple[str, set[str]]]] = []
    for options in ((), ("--assert=plain",)):
        start(tmp_path, *options, recorded=True)
        trace = Trace.open(tmp_path / "t.algotrace")
        shown.append({})
        for number, name in enumerate(ASSERTIONS):
            node = find(trace, f"test_{number}")
            text = trace.sources[trace.executed(node)[0].source].text.splitlines()
            lines = {text[span.line - 1].strip() for span in trace.executed(node)}
            calls = re.sub(r"(, )?(P\.__repr__|pytest_assertrepr_compare)\(\)", "", outline(trace, node))
            shown[-1][name] = calls, lines
    differ = {name for name in ASSERTIONS if shown[0][name] != shown[1][name]}
    # A chain is evaluated whole by pytest; some versions evaluate assignment expressions twice.
    assert differ - {"an assignment expression"} == {"a chain"}


def test_what_an_assertion_changes_is_known(tmp_path: Path) -> None:
    trace, _ = recorded(
        tmp_path,
        "def f(xs, p):\n    assert xs.pop() == 2\n    assert xs.append(5) is None and setattr(p, 'v', 7) is None\n"
        "    assert xs.insert(0, double(2)) is None\nf([1, 2], P(3))",
    )
    node = find(trace, "test_it.<locals>.f")
    call = trace.call(node)
    assert [argument.value.text().text for argument in call.arguments] == ["[1, 2]", "P(v=3)"]
    assert changes(trace, node) == {"xs": ("[1, 2]", "[4, 1, 5]"), "p.v": ("3", "7")}


def test_operands_of_an_assertion_that_were_not_evaluated_are_not_executed_code(tmp_path: Path) -> None:
    trace, node = recorded(tmp_path, "a = 0\nassert not (a and double(1))\nassert a or double(3), check(3)")
    text = trace.sources[trace.executed(node)[0].source].text.splitlines()
    spans = [(text[span.line - 1])[span.col : span.end_col] for span in trace.executed(node)]
    assert "assert not (a and" in spans and "double(3)" in spans
    assert not [span for span in spans if "double(1)" in span or "check" in span]


def test_what_calls_in_an_assertion_gave_is_recorded(tmp_path: Path) -> None:
    trace, node = recorded(tmp_path, "xs = [3, 1]\nassert sorted(xs)[0] == len(xs)")
    values = [(value.role, value.name, value.number) for value in trace.own_values(node)]
    assert [(role, name) for role, name, _ in values] == [("store", "xs"), ("call", ""), ("call", "")]
    texts = [trace.value_at(number, trace.end[node]).text().text for _, _, number in values]
    assert texts == ["[3, 1]", "[1, 3]", "2"]


def test_the_cache_of_pytest_stays_its_own(tmp_path: Path) -> None:
    write(tmp_path, {"test_it.py": "def test_it():\n    assert [1, 2] == [1, 3]\n", "conftest.py": ""})
    command = [PYTHON, "-m", "pytest", "-p", "no:cacheprovider"]
    recorder = [PYTHON, str(ENTRY), "--trace", str(tmp_path / "t.algotrace"), *command[1:]]

    def runs(words: list[str]) -> tuple[str, dict[str, bytes]]:
        writes = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        done = subprocess.run(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True, timeout=60, env=writes)
        kept = {path.name: path.read_bytes() for path in tmp_path.rglob("*.pyc") if "test_it" in path.name}
        return VARIES.sub("", done.stdout), kept

    first, kept = runs(recorder)
    assert kept == {}  # there was no unrecorded run
    plain, kept = runs(command)
    assert plain == first and [b"algotrace" in content for content in kept.values()] == [False]
    assert runs(recorder) == (plain, kept)  # an unrecorded run has left its code: it is not used, nor changed
    assert find(Trace.open(tmp_path / "t.algotrace"), "test_it")
    assert runs(command) == (plain, kept)


def test_collection_errors_are_those_of_unrecorded_runs(tmp_path: Path) -> None:
    files = {
        "test_syntax.py": "def f(:\n    pass\n",
        "test_import.py": "import no_such_module_x\n",
        "test_raises.py": "def f(): raise ValueError('x')\nf()\n",
        "test_escape.py": "def test_e(): assert '\\d' == 1\n",
        "test_null.py": "x = 1\0\n",
        "test_docstring.py": "'''PYTEST_DONT_REWRITE'''\ndef test_d():\n    x = 1\n    assert x == 2\n",
        "test_good.py": "def test_g(): pass\n",
    }
    write(tmp_path, files)
    trace = behaves(tmp_path, "--continue-on-collection-errors")
    assert find(trace, "test_d") and find(trace, "f") and find(trace, "test_g")


def test_excluded_test_modules_have_their_reason(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"test_it.py": "def test_it():\n    assert 1 == 2\n", "test_other.py": "def test_o(): pass\n"},
    )
    done = subprocess.run(
        [PYTHON, str(ENTRY), "--trace", "t.algotrace", "--exclude", "test_it", "-m", "pytest"],
        cwd=tmp_path, stdout=subprocess.PIPE, text=True, timeout=60,
    )  # fmt: skip
    assert "assert 1 == 2" in done.stdout
    trace = Trace.open(tmp_path / "t.algotrace")
    assert outline(trace) == "<module>(test_o())"
    assert trace.reasons[str(tmp_path / "test_it.py")] == "excluded by test_it"


def test_unittest_records_its_test_modules(tmp_path: Path) -> None:
    write(tmp_path, {"helper.py": HELPERS, "test_unit.py": UNITTEST})
    trace = behaves(tmp_path, "test_unit", module="unittest")
    test = find(trace, "T.test_one")
    assert outline(trace, test) == "T.test_one(double())"
    assert trace.call(test).outcome.kind == "raise"


def test_tests_that_run_in_other_processes_are_told_to_be_missing(tmp_path: Path) -> None:
    pytest.importorskip("xdist")
    (tmp_path / "test_it.py").write_text("def test_it():\n    assert True\n")
    command = [PYTHON, str(ENTRY), "--trace", "t.algotrace", "-m", "pytest", "-q", "-p", "xdist"]
    told = {}
    for workers in ("0", "1"):
        done = subprocess.run(
            [*command, f"-n{workers}"], cwd=tmp_path, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stdout
        trace = Trace.open(tmp_path / "t.algotrace")
        told[workers] = (
            outline(trace),
            [note for note in trace.environment["notes"] if "-n0" in note],
            done.stderr,
        )
    tree, notes, errors = told["1"]
    assert tree == "<module>()" and len(notes) == 1 and f"algotrace: {notes[0]}\n" in errors
    assert told["0"][:2] == ("<module>(test_it())", [])
    assert "-n0" not in told["0"][2]
