"""How long the search takes in very large trees, and how much memory: no program is run, the trees are made up.

    python benchmarks/search_scale.py [--nodes N] [--strategy NAME]…

Each tree is searched in a process of its own: the time of the first question, the longest and the mean time of the
questions after it, and the memory of the search alone, without the tree. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import time
from array import array
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from algodebug.execution_tree import ExecutionTree
from algodebug.search import DEFAULT_STRATEGY, STRATEGIES, SuspiciousArea, next_question

_ROUTINES = 37
_QUESTIONS = 60


def flat(nodes: int) -> array[int]:
    """One caller."""
    return array("i", [-1]) + array("i", [0]) * (nodes - 1)


def chain(nodes: int) -> array[int]:
    """One recursion."""
    return array("i", range(-1, nodes - 1))


def batches(nodes: int) -> array[int]:
    """Loops in loops: calls in thousands, each with a call of its own."""
    parents = array("i", [-1])
    while len(parents) < nodes:
        batch = len(parents)
        parents.append(0)
        for _ in range(500):
            parents.extend((batch, len(parents)))
    return parents[:nodes]


def wandering(nodes: int) -> array[int]:
    """At every call a random number of those around it have ended."""
    rng = random.Random(1)
    parents = array("i", [-1])
    above = 0
    for node in range(1, nodes):
        while above > 0 and rng.random() < 0.5:
            above = parents[above]
        parents.append(above)
        above = node
    return parents


SHAPES: tuple[Callable[[int], array[int]], ...] = (flat, chain, batches, wandering)


def tree_of(parents: array[int]) -> ExecutionTree:
    size = array("i", [1]) * len(parents)
    for node in range(len(parents) - 1, 0, -1):
        size[parents[node]] += size[node]
    routine = array("i", (node % _ROUTINES for node in range(len(parents))))
    return ExecutionTree(parents, size, routine, outcome_kind=bytes(len(parents)))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def figures(shape: int, nodes: int, strategy: str) -> tuple[str, ...]:
    tree = tree_of(SHAPES[shape](nodes))
    bug = random.Random(3).randrange(1, nodes)
    # The peak is the tree's own from here on: raised to what is resident now.
    before = _peak()
    started = time.perf_counter()
    area = SuspiciousArea(tree, 0)
    question = next_question(area, None, strategy)
    first = time.perf_counter() - started
    later = []
    while question is not None and len(later) < _QUESTIONS:
        start, end = area.span(question)
        started = time.perf_counter()
        (area.narrow if start <= bug < end else area.remove)(question)
        question = next_question(area, start, strategy)
        later.append(time.perf_counter() - started)
    worst, mean = max(later) * 1000, sum(later) / len(later) * 1000
    return (
        f"{len(tree):,}",
        SHAPES[shape].__name__,
        strategy,
        f"{first * 1000:.0f} ms",
        f"{worst:.1f} ms",
        f"{mean:.1f} ms",
        f"{len(later)}{'' if question is None else '…'}",
        f"{_peak() - before:.0f} MB",
        f"{_peak():.0f} MB",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--nodes", type=int, action="append", help="(1,000,000 and 10,000,000)")
    parser.add_argument("--strategy", action="append", choices=STRATEGIES)
    options = parser.parse_args()
    table = Table(title="searching large trees")
    for heading in (
        "nodes",
        "shape",
        "strategy",
        "first",
        "worst",
        "mean",
        "questions",
        "memory",
        "with the tree",
    ):
        table.add_column(heading, justify="left" if heading in ("shape", "strategy") else "right")
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for nodes in options.nodes or (1_000_000, 10_000_000):
            for strategy in options.strategy or (DEFAULT_STRATEGY,):
                for shape in range(len(SHAPES)):
                    table.add_row(*pool.apply(figures, (shape, nodes, strategy)))
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
