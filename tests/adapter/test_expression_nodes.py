"""Expressions as nodes: what each was computed from and gave, and the search down to one of them. Recorded for real."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_cli_examples import algodebug, record

from algodebug.code_nodes import CodeNode, code_below
from algodebug.execution_tree import ExecutionTree
from algodebug.oracles.reference_code import ReferenceCodeOracle
from algodebug.session import Session
from algotrace.trace import Trace

PROGRAM = """
class Price:
    def __init__(self, cents):
        self.cents = cents
    def __add__(self, other):
        return Price(self.cents + other.cents)

def double(x):
    return x * 2

def mixed(a, i, j, price, words):
    if a[i] > a[j] and 0 < i < len(a):
        a[i + 1 - 1] = a[j] - -1
    total = sum([double(n) + 1 for n in a if n % 2])
    told = f"{total + i} of {words['one'].upper()}" if total else None
    pair = (double(double(i)), [price + price, i or j][1])
    while total > 10 * j:
        total -= double(j) * 3
    for n in a[1:][::-1]:
        words.update({n: n})
    return pair, told, max(a, key=lambda n: -n) + total

print(mixed([5, 4, 7], 2, 1, Price(3), {"one": "uno"}))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExecutionTree]:
    folder = tmp_path_factory.mktemp("expressions")
    program = folder / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    made = ExecutionTree.from_trace(Trace.open(record(program, folder)))
    yield made
    assert made.trace is not None
    made.trace.close()


def expressions(tree: ExecutionTree, function: str) -> list[CodeNode]:
    call = next(n for n in range(len(tree)) if tree.place(n).function == function)
    code = tree.code_of(call)
    assert code is not None and code.complete
    return [node for node, _ in code_below(code.top, ["expression"])]


def told(node: CodeNode) -> tuple[str, dict[str, str], str]:
    """Its text, its operands, its value."""
    value = node.outcome[1]
    assert node.outcome[0] == "value" and value is not None
    inputs = {given.name: given.value.text().text for given in node.inputs}
    return node.code.text_of(node.region), inputs, value.text().text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            12,
            [
                ("a[i] > a[j] and 0 < i < len(a)", {"a[i] > a[j]": "True", "0 < i < len(a)": "True"}, "True"),
                ("a[i] > a[j]", {"a[i]": "7", "a[j]": "4"}, "True"),
                ("a[i]", {"a": "[5, 4, 7]", "i": "2"}, "7"),
                ("a[j]", {"a": "[5, 4, 7]", "j": "1"}, "4"),
                ("0 < i < len(a)", {"i": "2", "len(a)": "3"}, "True"),
                ("len(a)", {"a": "[5, 4, 7]"}, "3"),
            ],
        ),
        (
            13,
            [
                ("a[j] - -1", {"a[j]": "4"}, "5"),
                ("a[j]", {"a": "[5, 4, 7]", "j": "1"}, "4"),
                ("i + 1 - 1", {"i + 1": "3"}, "2"),
                ("i + 1", {"i": "2"}, "3"),
            ],
        ),
        (
            14,
            [
                ("[double(n) + 1 for n in a if n % 2]", {"a": "[5, 4, 5]"}, "[11, 11]"),
                ("n % 2", {"n": "5"}, "1"),
                ("double(n) + 1", {"double(n)": "10"}, "11"),
                ("double(n)", {"n": "5"}, "10"),
                ("n % 2", {"n": "4"}, "0"),
                ("n % 2", {"n": "5"}, "1"),
                ("double(n) + 1", {"double(n)": "10"}, "11"),
                ("double(n)", {"n": "5"}, "10"),
            ],
        ),
        (
            16,
            [
                ("double(double(i))", {"double(i)": "4"}, "8"),
                ("double(i)", {"i": "2"}, "4"),
                ("[price + price, i or j][1]", {"[price + price, i or j]": "[Price(cents=6), 2]"}, "2"),
                ("[price + price, i or j]", {"price + price": "Price(cents=6)", "i or j": "2"}, "[Price(cents=6), 2]"),
                ("price + price", {"price": "Price(cents=3)"}, "Price(cents=6)"),
                ("i or j", {"i": "2"}, "2"),
            ],
        ),
        (
            17,
            [
                ("total > 10 * j", {"total": "22", "10 * j": "10"}, "True"),
                ("10 * j", {"j": "1"}, "10"),
                ("total > 10 * j", {"total": "16", "10 * j": "10"}, "True"),
                ("10 * j", {"j": "1"}, "10"),
                ("total > 10 * j", {"total": "10", "10 * j": "10"}, "False"),
                ("10 * j", {"j": "1"}, "10"),
            ],
        ),
        (
            19,
            [
                ("a[1:][::-1]", {"a[1:]": "[4, 5]"}, "[5, 4]"),
                ("a[1:]", {"a": "[5, 4, 5]"}, "[4, 5]"),
            ],
        ),
    ],
)  # fmt: skip
def test_what_an_expression_was_computed_from_and_gave(
    tree: ExecutionTree, line: int, expected: list[tuple[str, dict[str, str], str]]
) -> None:
    found = [told(node) for node in expressions(tree, "mixed") if node.line == line]
    # What cannot be told from the recording is no node; what is, is told rightly and in order.
    assert [each for each in expected if each in found] == found
    assert len(found) >= len(expected) - 1


def test_parts_lie_inside_the_whole_and_keys_name_them(tree: ExecutionTree) -> None:
    assert tree.codes is not None
    for node in expressions(tree, "mixed"):
        assert tree.codes.find(json.loads(json.dumps(node.key))) is node
        above = node.parent
        assert above is not None and node in above.parts
        assert above.region[:2] <= node.region[:2] and node.region[2:] <= above.region[2:]
        assert above.start <= node.start <= node.end <= above.end


def test_what_a_call_in_it_changed_is_told(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "def pop(xs):\n    return xs.pop()\n\ndef f(xs):\n    return pop(xs) - 1\n\nf([1, 2])\n"
    )
    made = ExecutionTree.from_trace(Trace.open(record(program, tmp_path)))
    (node,) = (node for node in expressions(made, "f") if node.line == 5)
    assert "`pop(xs)` with `xs` = [1" in made.sentence(node.id)
    assert made.sentence(node.id).endswith("gave `2` and changed xs: [1, 2] → [1]")
    made.trace.close()  # type: ignore[union-attr]


LONG = """
def key(n):
    return n % 10

def keys(count):
    return [key(n * n + 1) for n in range(count)]

keys(200)
"""


def test_many_evaluations_are_halved(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(LONG)
    made = ExecutionTree.from_trace(Trace.open(record(program, tmp_path)))
    session = Session(made, depth="expression")
    wrong, asked = 137, 0
    while (node := session.current()) is not None:
        code = made.code(node)
        if code is None:
            answer = "wrong" if made.place(node).function == "keys" else "correct"
        else:
            orders = [each.instance for each in code.evaluations]  # type: ignore[attr-defined]
            answer = "wrong" if any(_index(each) == wrong for each in orders) else "correct"
            if code.kind == "expression" and code.code.text_of(code.region) != "key(n * n + 1)":
                answer = "correct"
            asked += 1
        session.answer({"answer": answer})
    result = session.state()["result"]
    assert result["blamed"]["kind"] == "expression"
    assert "key(n * n + 1)" in result["text"]
    assert asked <= 12
    made.trace.close()  # type: ignore[union-attr]


def _index(instance: object) -> int:
    """Which of the evaluations of its expression in the activation it is."""
    of = instance.activation.instances  # type: ignore[attr-defined]
    return [each for each in of if each.node is instance.node].index(instance)  # type: ignore[attr-defined]


SEARCHES = {
    "an index": ("return a[i] + a[i]", "a[i]", 1, [[2, 18, 2, 22]]),
    "an operator, its operands right": ("if (a[i] * 2) - len(a): return 1", "(a[i] * 2) - len(a)", 0, [[2, 18, 2, 19]]),
    "an operator of what is returned": ("return (a[i] * 2) - len(a)", None, 0, [[2, 22, 2, 23]]),
    "an argument": ("return max(a[i] + 1, 0 * i, 3)", "a[i] + 1", 0, [[2, 20, 2, 23]]),
    "the statement, its expressions right": ("a[i * 1] = len(a) + 2; return a", None, 0, [[2, 4, 2, 5], [2, 13, 2, 14]]),
}  # fmt: skip


@pytest.mark.parametrize("name", SEARCHES)
def test_the_search_goes_on_to_an_expression(name: str, tmp_path: Path) -> None:
    body, wrong, which, bright = SEARCHES[name]
    program = tmp_path / "program.py"
    program.write_text(f"def f(a, i):\n    {body}\n\nprint(f([1, 2, 3], 2))\n")
    made = ExecutionTree.from_trace(Trace.open(record(program, tmp_path)))
    session = Session(made, depth="expression")
    while (node := session.current()) is not None:
        question = session.question(node)
        if question["kind"] == "expression":
            region = question["range"]
            starts = [at for at in range(len(body)) if body.startswith(wrong, at)] if wrong else []
            inside = starts and region[1] <= starts[which] + 4 <= region[3] - len(wrong or "")
            session.answer({"answer": "wrong" if inside else "correct"})
        else:
            right = "`return a`" in question["title"] or "`return 1`" in question["title"]
            session.answer({"answer": "correct" if right else "wrong"})
    result = session.state()["result"]
    made.trace.close()  # type: ignore[union-attr]
    assert result["found"]
    assert (result["blamed"]["kind"] == "expression") is (wrong is not None)
    assert result["bright"] == bright
    assert not [piece for piece in result["faint"] if piece in bright]


def test_the_tree_shows_expressions(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("def f(a):\n    return len(a) * 2 + 1\n\nf([1])\n")
    shown = algodebug("tree", record(program, tmp_path), "--kind", "routine,expression", cwd=tmp_path).stdout
    assert "`len(a) * 2` with `len(a)` = 1 gave `2`" in shown
    assert "f([1]) returned 3" in shown


COPIES = {
    "an operator": ("if n * 2 > len(a): return n", "if n * 2 >= len(a): return n", "n * 2 > len(a)"),
    "an index": ("if a[n] + a[n - 1] > 5: return 1", "if a[n] + a[n - 2] > 5: return 1", "n - 1"),
    "an argument": ("return max(double(n), n - 9)", "return max(double(n + 1), n - 9)", "double(n)"),
}


@pytest.mark.parametrize("name", COPIES)
def test_a_corrected_copy_answers_down_to_an_expression(name: str, tmp_path: Path) -> None:
    recorded, corrected, blamed = COPIES[name]
    (tmp_path / "fixed").mkdir()
    for file, body in (("program.py", recorded), ("fixed/program.py", corrected)):
        head = "def double(n):\n    return n * 2\n\ndef f(a, n):\n    start = 0\n"
        (tmp_path / file).write_text(f"{head}    {body}\n    return start\n\nprint(f([1, 2, 4, 8], 2))\n")
    made = ExecutionTree.from_trace(Trace.open(record(tmp_path / "program.py", tmp_path)))
    assert made.trace is not None
    oracle = ReferenceCodeOracle(tmp_path / "fixed" / "program.py", made.trace)
    session = Session(made, oracles=[oracle], depth="expression")
    assert session.current() is None, session.state()["question"]
    result = session.state()["result"]
    session.close()
    made.trace.close()
    assert set(result["answered_by"]) == {"reference"}
    line, column, _, end = result["blamed"]["range"]
    assert (line, f"    {recorded}"[column:end]) == (6, blamed)
