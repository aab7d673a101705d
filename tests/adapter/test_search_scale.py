"""A tree of a million calls: no question after the first goes through all of it. (benchmarks/search_scale.py: the time.)"""

from __future__ import annotations

import random
import sys
import tracemalloc
from array import array
from types import FrameType

import pytest

from algodebug.execution_tree import ExecutionTree
from algodebug.search import SuspiciousArea, next_question

NODES = 1_000_000


def tree_of(parents: array[int]) -> ExecutionTree:
    size = array("i", [1]) * len(parents)
    for node in range(len(parents) - 1, 0, -1):
        size[parents[node]] += size[node]
    return ExecutionTree(parents, size, array("i", [0]) * len(parents))


def in_loops(length: int) -> array[int]:
    """The root calls in a loop, each of these calls in a loop of the given length, and each of these once more."""
    parents = array("i", [-1])
    while len(parents) < NODES:
        batch = len(parents)
        parents.append(0)
        for _ in range(length):
            parents.extend((batch, len(parents)))
    return parents[:NODES]


SHAPES = {
    "flat": lambda: array("i", [-1]) + array("i", [0]) * (NODES - 1),
    "recursion": lambda: array("i", range(-1, NODES - 1)),
    "loops in loops": lambda: in_loops(500),
    "long loops": lambda: in_loops(100_000),
}


def lines_of_questions(tree: ExecutionTree, bug: int) -> list[int]:
    """How many lines of Python the search runs from each question to the next, until the node is found."""
    many = 0

    def line(frame: FrameType, event: str, argument: object) -> object:
        nonlocal many
        many += 1
        return line

    lines: list[int] = []
    area = SuspiciousArea(tree, 0)
    question = next_question(area)
    while question is not None:
        many = 0
        outer = sys.gettrace()
        sys.settrace(line)
        try:
            start, end = area.span(question)
            (area.narrow if start <= bug < end else area.remove)(question)
            question = next_question(area, start)
        finally:
            sys.settrace(outer)
        lines.append(many)
    assert area.top == bug
    return lines


@pytest.mark.parametrize("shape", SHAPES)
def test_a_million_calls_are_searched_at_once(shape: str) -> None:
    tree = tree_of(SHAPES[shape]())
    for bug in random.Random(shape).sample(range(1, NODES), 3):
        lines = lines_of_questions(tree, bug)
        assert len(lines) <= 30
        assert max(lines) < NODES
        assert sum(lines) < 2 * NODES, "the questions walk the tree"


def test_the_search_needs_little_memory() -> None:
    tree = tree_of(in_loops(100_000))
    tracemalloc.start()
    try:
        area = SuspiciousArea(tree, 0)
        bug = NODES // 3
        while (question := next_question(area)) is not None:
            start, end = area.span(question)
            (area.narrow if start <= bug < end else area.remove)(question)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 50_000_000
