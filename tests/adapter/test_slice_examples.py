"""The papers' worked examples of slices, on the example programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import algotrace
from algodebug.execution_tree import ExecutionTree
from algodebug.slicing import Slicer, bright_and_faint, influencing_nodes, parse_criterion
from algotrace.trace import Span, Trace

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ENTRY = Path(algotrace.__file__).with_name("__main__.py")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trace]:
    folder = tmp_path_factory.mktemp("traces")
    traces = {}
    for name in ("sqrtest", "isprime", "newton", "minmaxhits", "fgk"):
        trace = folder / f"{name}.algotrace"
        command = [sys.executable, str(ENTRY), "--trace", str(trace), str(EXAMPLES / f"{name}.py")]
        subprocess.run(command, capture_output=True, check=True, cwd=folder, timeout=120)
        traces[name] = Trace.open(trace)
    return traces


def find(trace: Trace, function: str, occurrence: int = 0) -> int:
    nodes = [n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].qualname == function]
    return nodes[occurrence]


def names(trace: Trace, nodes: set[int]) -> list[str]:
    return sorted(trace.routines[trace.routine[n]].qualname for n in nodes)


def pieces(trace: Trace, spans: list[Span]) -> dict[int, str]:
    """line → what of it is in the spans"""
    found: dict[int, str] = {}
    for span in sorted(spans):
        text = trace.sources[span.source].text.split("\n")[span.line - 1][span.col : span.end_col]
        found[span.line] = f"{found[span.line]} … {text}" if span.line in found else text
    return found


def lines_of(trace: Trace, node: int, mark: str) -> set[int]:
    """The lines that the relevant slice inside a node has, its own and its callees'."""
    slicer = Slicer(trace)
    found = slicer.relevant(parse_criterion(trace, node, mark), inside=True)
    return {place[0] for places in found.ranges.values() for place in places}


# -- AT1: the main example


def test_a_wrong_argument_prunes_what_it_does_not_come_from(recorded: dict[str, Trace]) -> None:
    trace = recorded["sqrtest"]
    test = find(trace, "test")
    kept = influencing_nodes(trace, test, "argument t[2]")
    assert kept is not None
    removed = set(range(len(trace.parent))) - kept
    assert names(trace, removed) == sorted(
        ["comput1", "square", "comput2", *["listsum"] * 4, *["list_"] * 4]
    )  # eleven questions less


def test_a_wrong_part_of_a_result_prunes_two_calls(recorded: dict[str, Trace]) -> None:
    trace = recorded["sqrtest"]
    node = find(trace, "partialsums")
    kept = influencing_nodes(trace, node, "result[1]")
    assert kept is not None
    assert names(trace, set(range(node, node + trace.size[node])) - kept) == ["incr", "sum1"]


def test_the_wrong_sum_is_to_blame_as_a_whole(recorded: dict[str, Trace]) -> None:
    trace = recorded["sqrtest"]
    bright, faint = bright_and_faint(trace, find(trace, "sum2"))
    assert pieces(trace, bright) == {43: "return (x + decr(x)) // 2"}
    assert faint == []


# -- AT2: an error of omission


def test_predicates_that_led_to_a_constant_stay_bright(recorded: dict[str, Trace]) -> None:
    trace = recorded["isprime"]
    bright, faint = bright_and_faint(trace, find(trace, "is_prime"))
    lit = pieces(trace, bright)
    assert set(lit) == {7, 9, 10, 11, 12, 14, 15}
    assert lit[11] == "i < lim" and lit[12] == "is_divisible(number, i)"
    assert not {8, 13} & set(pieces(trace, faint))


# -- AT3: Newton's method


def test_the_last_test_of_a_loop_could_have_changed_the_result(recorded: dict[str, Trace]) -> None:
    trace = recorded["newton"]
    bright, _ = bright_and_faint(trace, find(trace, "root"))
    assert set(pieces(trace, bright)) == {2, 4, 5, 6, 7}


# -- AT8: the greatest number of hits


def test_only_what_the_second_part_of_a_pair_depends_on(recorded: dict[str, Trace]) -> None:
    trace = recorded["minmaxhits"]
    node = find(trace, "min_max_hits")
    assert lines_of(trace, node, "result[1]") == {19, 20, 24, 32, 34, 37, 38}
    bright, faint = bright_and_faint(trace, node, "result[1]")
    lit, quiet = pieces(trace, bright), pieces(trace, faint)
    assert set(lit) == {19, 20, 24}
    assert lit[24] == "max_(y,"
    assert quiet[24] == "snd(m)))" and set(quiet) == {22, 23, 24}


def test_the_bug_is_bright_where_the_wrong_answer_was_given(recorded: dict[str, Trace]) -> None:
    trace = recorded["minmaxhits"]
    kept = influencing_nodes(trace, find(trace, "min_max_hits"), "result[1]")
    assert kept is not None
    assert names(trace, kept) == ["leq", "max_", "min_max_hits"]
    node = max(kept)
    bright, _ = bright_and_faint(trace, node)
    assert set(pieces(trace, bright)) == {37, 38}


# -- AT4: a chain of small calls


def test_nothing_of_a_chain_can_be_left_out(recorded: dict[str, Trace]) -> None:
    trace = recorded["fgk"]
    node = find(trace, "f")
    assert influencing_nodes(trace, node, "result") == set(range(node, node + trace.size[node]))


def test_unexecuted_lines_are_never_shown(recorded: dict[str, Trace]) -> None:
    for trace in recorded.values():
        for node in range(1, min(len(trace.parent), 60)):
            bright, faint = bright_and_faint(trace, node)
            executed = {(s.source, s.line) for s in trace.executed(node)}
            assert {(s.source, s.line) for s in bright + faint} <= executed
            assert ExecutionTree.from_trace(trace).size[node] >= 1
