"""A line of output called wrong: what it is made of, which calls are left to ask about, and the dialogues that start so."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from recorded_programs import find, record

from algodebug import json_lines, terminal
from algodebug.answers import AnswerError
from algodebug.code_nodes import CodeNode
from algodebug.execution_tree import ExecutionTree
from algodebug.session import Session
from algodebug.slicing import bright_and_faint, influencing_nodes, parse_criterion, slicer_of
from algodebug.slicing.origin import origin, origin_node
from algodebug.wrong_output import call_wrong
from algotrace.trace import Trace

PROGRAM = """
import sys
class Point:
    def __init__(self, x):
        self.x = x
    def __str__(self):
        return f"P<{self.x}>"
def mean(xs):
    return sum(xs) / len(xs)
def smallest(xs):
    return sorted(xs)[-1]
def largest(xs):
    return max(xs)
def line(xs):
    text = f"mean {mean(xs)}, min {smallest(xs):>3}"
    return text
def show(xs):
    print("all", xs, end="")
    print(" and", *[mean(xs), largest(xs)], sep="-")
    print(line(xs))
    print([largest(xs), smallest(xs)], Point(mean(xs)))
    sys.stdout.write("min: " + str(smallest(xs)) + "\\n")
    print(", ".join([str(largest(xs)), str(mean(xs))]))
    if largest(xs) > 1:
        print("large")
show([3, 1, 2])
"""
LINES = [
    "all [3, 1, 2] and-2.0-3",
    "mean 2.0, min   3",
    "[3, 3] P<2.0>",
    "min: 3",
    "3, 2.0",
    "large",
]
# Which calls had a part in it, besides the module and `show`.
INFLUENCE = {
    "printed[0]": {"mean", "largest"},
    "printed[0][:13]": set(),
    "printed[0][18:21]": {"mean"},
    "printed[0][-1:]": {"largest"},
    "printed[1]": {"line", "mean", "smallest"},
    "printed[1][5:8]": {"line", "mean"},
    "printed[1][-1:]": {"line", "smallest"},
    "printed[2][1:2]": {"largest"},
    "printed[2][4:5]": {"smallest"},
    "printed[3]": {"smallest"},
    "printed[4][0:1]": {"largest"},
    "printed[4][3:6]": {"mean"},
    "printed[5]": {"largest"},
    "printed[-1]": {"largest"},
}
ORIGINS = {
    "printed[0][18:21]": "mean",
    "printed[1][5:8]": "mean",
    "printed[3]": "smallest",
    "printed[4][3:6]": "mean",
    "printed[2][4:5]": "smallest",
}


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return record(tmp_path_factory.mktemp("printed"), PROGRAM)


def names(trace: Trace, nodes: set[int] | None) -> set[str]:
    assert nodes is not None
    return {trace.routines[trace.routine[node]].qualname for node in nodes}


@pytest.mark.parametrize("mark", INFLUENCE)
@pytest.mark.parametrize("where", ["<module>", "show"])
def test_a_line_depends_on_what_it_was_made_of(trace: Trace, mark: str, where: str) -> None:
    found = names(trace, influencing_nodes(trace, find(trace, where), mark))
    assert found - {"<module>", "show"} == INFLUENCE[mark]


@pytest.mark.parametrize("mark", ORIGINS)
def test_the_origin_of_characters_is_the_call_that_made_the_value(trace: Trace, mark: str) -> None:
    slicer, criterion = slicer_of(trace), parse_criterion(trace, 0, mark)
    node = origin_node(slicer, criterion)
    assert node is not None and names(trace, {node}) == {ORIGINS[mark]}
    chain = origin(slicer, criterion)
    assert chain[-1].what == "printed" and chain[-1].node == find(trace, "show")


def test_an_object_is_written_down_by_its_own_method(trace: Trace) -> None:
    found = names(trace, influencing_nodes(trace, 0, "printed[2][7:]"))
    assert {"Point.__str__", "Point.__init__", "mean"} <= found


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        ("printed[9]", "there is no line 9: 6 lines were printed"),
        ("printed[0][99:]", "the line has 23 characters"),
        ("printed['x']", "is no line of output"),
        ("printed[0].x", "is no line of output"),
    ],
)
def test_what_is_no_line_is_told_so(trace: Trace, mark: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("[", r"\[")):
        parse_criterion(trace, 0, mark)


def test_a_call_that_printed_nothing_has_no_lines(trace: Trace) -> None:
    with pytest.raises(ValueError, match="nothing was printed"):
        parse_criterion(trace, find(trace, "mean"), "printed[0]")


def test_an_argument_of_this_name_comes_first(tmp_path: Path) -> None:
    trace = record(tmp_path, "def f(printed):\n    print(printed)\n    printed.append(1)\nf([2])\n")
    assert parse_criterion(trace, 1, "printed[0]").kind == "effect"
    assert parse_criterion(trace, 0, "printed[0]").kind == "printed"


def test_the_line_is_what_the_code_is_blamed_for(trace: Trace) -> None:
    bright, faint = bright_and_faint(trace, find(trace, "show"), "printed[3]")
    assert {span.line for span in bright} == {21}
    assert {17, 18, 19, 20, 22} <= {span.line for span in faint}


# -- the search


def asked_with_yes(session: Session) -> list[str]:
    asked = []
    while (node := session.current()) is not None:
        asked.append(session.tree.place(node).function)
        session.answer({"answer": "correct"})
    return asked


@pytest.mark.parametrize(
    ("wanted", "asked"),
    [("4", ["smallest"]), ("min: 3", ["smallest"]), ("min: ", ["smallest"]), ("mean 2.0", ["mean"])],
)
def test_the_search_starts_at_the_value_in_the_line(trace: Trace, wanted: str, asked: list[str]) -> None:
    session = Session(ExecutionTree.from_trace(trace), depth="function")
    call_wrong(session, wanted)
    functions = asked_with_yes(session)
    assert functions[:1] == asked
    assert session.tree.place(session.buggy_node() or 0).function == "<module>"


def test_the_marked_line_is_taken_back_by_undo(trace: Trace) -> None:
    session = Session(ExecutionTree.from_trace(trace), depth="function")
    before = session.current()
    call_wrong(session, "min: ")
    assert session.current() != before
    session.undo()
    assert session.current() == before


@pytest.mark.parametrize(
    ("wanted", "message"),
    [("99", "there is no line 98"), ("nowhere", "no printed line"), ("min", "several printed lines")],
)
def test_a_line_that_is_none_or_several_is_an_error(trace: Trace, wanted: str, message: str) -> None:
    session = Session(ExecutionTree.from_trace(trace))
    with pytest.raises(AnswerError) as raised:
        call_wrong(session, wanted)
    assert message in raised.value.message and raised.value.hint


def test_a_line_that_a_callee_printed_is_marked_in_its_callers_question(trace: Trace) -> None:
    session = Session(ExecutionTree.from_trace(trace), depth="function")
    session.answer({"answer": "wrong", "node": find(trace, "show"), "mark": "printed[3]"})
    assert asked_with_yes(session) == ["smallest"]
    assert session.tree.place(session.buggy_node() or 0).function == "show"


# -- the dialogues


def test_json_lines_list_the_output_and_take_a_line_of_it(trace: Trace) -> None:
    session, out = Session(ExecutionTree.from_trace(trace), depth="function"), io.StringIO()
    lines = ['{"printed": 2}', '{"answer": "wrong", "printed": 4}', '{"answer": "wrong"}']
    assert json_lines.converse(session, io.StringIO("\n".join(lines) + "\n"), out)
    told = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [line["text"] for line in told[1]["printed"]["lines"]] == LINES[1:]
    assert told[2]["question"]["function"] == "smallest"
    assert told[2]["question"]["why"] == "the value called wrong was made in it"
    assert told[3]["result"]["found"] and told[3]["result"]["function"] == "smallest"


def test_the_terminal_lists_the_output_and_takes_a_line_of_it(trace: Trace) -> None:
    from rich.console import Console

    session, out = Session(ExecutionTree.from_trace(trace), depth="function"), io.StringIO()
    console = Console(file=out, width=120)
    typed = io.StringIO("printed\nprinted min: \nwrong result should be 1\n")
    assert terminal.converse(session, typed, console)
    shown = out.getvalue()
    assert "Is a line of the output wrong?" in shown
    assert all(f"{number}  {line}" in shown for number, line in enumerate(LINES, 1))
    assert "smallest([3, 1, 2]) is where it goes wrong" in shown


SCRIPT = """
total = 0
for n in [3, 1, 2]:
    total += n
print("total", total)
most = 0
for n in [3, 1, 2]:
    most = n
    print(n, end=" ")
print(total)
"""


def test_code_inside_a_call_shows_what_it_printed(tmp_path: Path) -> None:
    tree = ExecutionTree.from_trace(record(tmp_path, SCRIPT))
    code = tree.code_of(0)
    assert code is not None
    shown = {part.region[0]: part.printed for part in statements(code.top)}
    assert shown[2] is None and shown[4] is not None and shown[4].text == "total 6\n"
    assert shown[6] is not None and shown[6].text == "3 1 2 "
    assert (
        "printed 'total 6'"
        in tree.question(next(p.id for p in statements(code.top) if p.region[0] == 4))["text"]
    )


def test_statements_without_a_part_in_the_line_are_not_asked_about(tmp_path: Path) -> None:
    session = Session(ExecutionTree.from_trace(record(tmp_path, SCRIPT)))
    call_wrong(session, "1")
    asked = []
    while (node := session.current()) is not None:
        part = session.tree.code(node)
        assert part is not None
        asked.append(part)
        session.answer({"answer": "correct"})
    assert asked and not any(part.region[0] >= 5 and part.kind in ("statement", "loop") for part in asked)


def statements(top: CodeNode) -> list[CodeNode]:
    found, pending = [], [top]
    while pending:
        node = pending.pop()
        found += [node] if node.kind in ("statement", "loop") else []
        pending += node.children if node is top or node.kind == "range" else []
    return found


def test_where_the_caller_cannot_be_followed_the_print_itself_tells(tmp_path: Path) -> None:
    program = "def f(i):\n    return i * 2\ndef g(i):\n    return i\nfor i in range(9):\n    g(i)\n    print('n', f(i))\n"
    trace = record(tmp_path, program)
    slicer_of(trace).graph.activation(0).failed = "it is too long"
    kept = influencing_nodes(trace, 0, "printed[4]")
    assert kept is not None and find(trace, "f", 4) in kept and find(trace, "g", 5) not in kept
    session = Session(ExecutionTree.from_trace(trace), depth="function")
    call_wrong(session, "5")
    assert session.current() == find(trace, "f", 4)
