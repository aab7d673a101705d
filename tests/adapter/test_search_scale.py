"""A tree of a million calls: the first question within a second, each later one within fifty milliseconds."""

from __future__ import annotations

import random
import time
import tracemalloc
from array import array

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


def times_of_questions(tree: ExecutionTree, bug: int) -> list[float]:
    """Processor time until the first question, then from each one to the next, until the node is found."""
    times: list[float] = []
    started = time.process_time()
    area = SuspiciousArea(tree, 0)
    question = next_question(area)
    times.append(time.process_time() - started)
    while question is not None:
        started = time.process_time()
        start, end = area.span(question)
        (area.narrow if start <= bug < end else area.remove)(question)
        question = next_question(area, start)
        times.append(time.process_time() - started)
    assert area.top == bug
    return times


@pytest.mark.parametrize("shape", SHAPES)
def test_a_million_calls_are_searched_at_once(shape: str) -> None:
    tree = tree_of(SHAPES[shape]())
    for bug in random.Random(shape).sample(range(1, NODES), 3):
        # The better of two: a machine that does something else at one moment is not what is asked about.
        first, *later = map(min, times_of_questions(tree, bug), times_of_questions(tree, bug))
        assert first < 1
        assert len(later) <= 30
        assert max(later) < 0.05


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
