"""The bug is found, whatever is combined: strategies, runs of calls, transformations, trust and unanswered questions.

Everything is drawn at random: `ALGODEBUG_SEARCHES` searches (600 by default), from `ALGODEBUG_SEED`, which is printed
with every failure. Trees are abstract; what the verdicts of a run or of iterations are follows from the calls in them.
"""

from __future__ import annotations

import os
import random
from collections.abc import Hashable
from dataclasses import dataclass

import pytest

from algodebug.execution_tree import ExecutionTree
from algodebug.search import STRATEGIES, Question, Run, SuspiciousArea, Weights, next_question
from algodebug.search.transformations import (
    FLAT,
    RECURSIVE,
    UNDER_LOOP,
    Body,
    Collapsed,
    Iterations,
    Loop,
    Pass,
    Transformed,
    balancing,
    choose_after,
    collapse,
    compressing,
    expanding,
    inlining,
    pipeline,
)

SEARCHES = int(os.environ.get("ALGODEBUG_SEARCHES", "600"))
SEED = int(os.environ.get("ALGODEBUG_SEED", "1"))


@dataclass
class Case:
    """A tree with a bug, and how it is searched."""

    tree: ExecutionTree
    bug: int
    trusted: frozenset[int]
    loops: dict[int, Body]
    strategy: str
    passes: Pass | None
    runs: bool
    described: str


def random_tree(rng: random.Random) -> ExecutionTree:
    nodes = rng.randint(1, rng.choice((6, 20, 120)))
    flatness = rng.random()
    parents = [-1]
    for node in range(1, nodes):
        above = node - 1
        while above > 0 and rng.random() < flatness:
            above = parents[above]
        parents.append(above)
    kinds = rng.randint(1, 8)
    routines = [rng.randrange(kinds) for _ in range(nodes)]
    nested: list[tuple[object, ...]] = [(f"f{r}", [], *rng.choice(((), (), ("raise",)))) for r in routines]
    for node in range(1, nodes):
        nested[parents[node]][1].append(nested[node])  # type: ignore[attr-defined]
    return ExecutionTree.from_nested(nested[0])


def random_loops(rng: random.Random, tree: ExecutionTree) -> dict[int, Body]:
    """Calls of a node put into iterations of loops, some of them without a call."""

    def body(calls: list[int], depth: int) -> Body:
        parts: list[int | Loop] = []
        while calls:
            count = rng.randint(1, len(calls))
            inside, calls = calls[:count], calls[count:]
            if depth > 1 or rng.random() < 0.5:
                parts += inside
                continue
            iterations = []
            while inside:
                count = rng.randint(0, min(3, len(inside)))
                iterations.append(body(inside[:count], depth + 1))
                inside = inside[count:]
            parts.append(Loop(tuple(iterations)))
        return tuple(parts)

    return {node: body(list(tree.children(node)), 0) for node in range(len(tree)) if tree.size[node] > 2}


def random_collapsing(rng: random.Random) -> Pass:
    """Some siblings, or a call and one of its own, as one."""
    share = rng.random()

    def apply(tree: ExecutionTree, originals: object) -> Transformed:
        groups, used = [], {0}
        for node in range(len(tree)):
            children = list(tree.children(node))
            # By what the tree is like, so that the same tree is collapsed in the same way.
            if (
                len(children) > 2
                and (tree.size[node] * 7 + node) % 10 < 10 * share
                and not used & set(children)
            ):
                groups.append(children[1:])
                used |= set(children)
            elif children and node not in used and children[0] not in used and share > 0.7:
                groups.append([node, children[0]])
                used |= {node, children[0]}
        return collapse(tree, groups)

    return apply


def random_case(rng: random.Random) -> Case:
    tree = random_tree(rng)
    bug = rng.randrange(len(tree))
    trusted = frozenset(r for r in set(tree.routine) if rng.random() < 0.2)
    trusted -= {tree.routine[bug], tree.routine[0]}
    loops = random_loops(rng, tree)
    passes: dict[str, Pass] = {
        "compress": compressing(),
        "inline": inlining(trusted),
        "balance": balancing(rng.randint(2, 4)),
        "expand": expanding(loops, rng.choice((FLAT, UNDER_LOOP, RECURSIVE))),
        "collapse": random_collapsing(rng),
    }
    drawn = rng.sample(sorted(passes), rng.choice((0, 0, 1, 1, 2, 3)))
    strategy = rng.choice(list(STRATEGIES))
    runs = rng.random() < 0.5
    return Case(
        tree,
        bug,
        trusted,
        loops,
        strategy,
        pipeline(*(passes[name] for name in drawn)) if drawn else None,
        runs,
        f"{strategy}, runs {runs}, {drawn}, {len(tree)} nodes, bug in {bug}, trusted {sorted(trusted)}",
    )


class Search:
    """Asks as a session would: first in the transformed tree, then, when nothing is left there, in the tree itself."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.area = SuspiciousArea(case.tree, 0, Weights(case.tree, case.trusted))
        self.asked = 0
        self.skipped: set[Hashable] = set()
        self.last: int | None = None

    def question(self) -> Question | None:
        case = self.case
        assert self.asked <= 4 * len(case.tree) + 20, f"no end: {case.described}"
        while case.passes is not None:
            strategy = STRATEGIES[case.strategy].choose
            found = choose_after(self.area, self.last, case.passes, strategy, self.skipped)
            if found is None:
                break
            # Asked once, a made node is known; one without calls, or that nobody could put into words, is not asked.
            self.skipped.add(found)
            question = self.as_calls(found)
            if question is not None and self.area.weight(question):
                return question
        return next_question(self.area, self.last, case.strategy, runs=case.runs)

    def as_calls(self, found: object) -> Question | None:
        """The calls that a question of the transformed tree is about."""
        if isinstance(found, int | Run):
            return found
        if isinstance(found, Iterations):
            loop = loop_at(self.case.loops[found.node], [step for step in found.loop if step >= 0])
            calls = [c for iteration in loop.iterations[found.first : found.end] for c in calls_of(iteration)]
            return Run(found.node, calls[0], calls[-1]) if calls else None
        assert not isinstance(found, Collapsed)
        return None

    def answer(self, question: Question, answer: str) -> None:
        self.asked += 1
        start, _ = self.area.span(question)
        if answer == "unknown":
            self.area.skip(question)
        else:
            (self.area.remove if answer == "correct" else self.area.narrow)(question)
        self.last = start

    def truth(self, question: Question) -> str:
        start, end = self.area.span(question)
        return "wrong" if start <= self.case.bug < end else "correct"


def loop_at(body: Body, path: list[int]) -> Loop:
    """By the number of the loop, then of the iteration in it, of the loop in that one …"""
    loop = [part for part in body if isinstance(part, Loop)][path[0]]
    return loop if len(path) == 1 else loop_at(loop.iterations[path[1]], path[2:])


def calls_of(body: Body) -> list[int]:
    found = []
    for part in body:
        if isinstance(part, int):
            found.append(part)
        else:
            found += [call for iteration in part.iterations for call in calls_of(iteration)]
    return found


def searches(what: str) -> list[tuple[random.Random, Case]]:
    rngs = [random.Random(f"{SEED} {what} {number}") for number in range(SEARCHES)]
    return [(rng, random_case(rng)) for rng in rngs]


def test_the_bug_is_found() -> None:
    print(f"seed {SEED}")
    for _, case in searches("found"):
        search = Search(case)
        while (question := search.question()) is not None:
            search.answer(question, search.truth(question))
            assert case.bug in search.area, f"lost: {case.described}, seed {SEED}"
        assert search.area.top == case.bug, f"{case.described}, seed {SEED}"


def test_with_unanswered_questions_it_is_among_the_candidates() -> None:
    print(f"seed {SEED}")
    for rng, case in searches("unknown"):
        search = Search(case)
        while (question := search.question()) is not None:
            unknown = rng.random() < 0.15
            search.answer(question, "unknown" if unknown else search.truth(question))
        candidates = {search.area.top, *search.area.unknown()}
        assert case.bug in candidates, f"{case.described}, seed {SEED}"


def test_with_wrong_answers_it_ends() -> None:
    print(f"seed {SEED}")
    for rng, case in searches("flipped"):
        search = Search(case)
        while (question := search.question()) is not None:
            truth = search.truth(question)
            if rng.random() < 0.05:
                truth = {"wrong": "correct", "correct": "wrong"}[truth]
            search.answer(question, truth)
        assert search.area.total == 0, f"{case.described}, seed {SEED}"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_contradictions_are_survived(strategy: str) -> None:
    """Verdicts about any node in any order, as when somebody browses: nothing is raised, and the search still ends."""
    print(f"seed {SEED}")
    for number in range(SEARCHES // 20):
        rng = random.Random(f"{SEED} {strategy} {number}")
        tree = random_tree(rng)
        area = SuspiciousArea(tree, 0)
        for _ in range(rng.randint(1, 12)):
            node = rng.randrange(len(tree))
            children = list(tree.children(node))
            question: Question = node
            if len(children) > 1 and rng.random() < 0.5:
                question = Run(node, children[0], rng.choice(children[1:]))
            rng.choice((area.remove, area.narrow, area.skip))(question)
            next_question(area, node, strategy)
        for _ in range(2 * len(tree) + 10):
            chosen = next_question(area, None, strategy)
            if chosen is None:
                break
            area.remove(chosen)
        else:
            pytest.fail(f"no end, seed {SEED} {number}")
