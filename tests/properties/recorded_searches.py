"""Really recorded programs with planted defects, searched in ways drawn at random, the answers from the programs without.

Many programs are recorded as one file. Of each the search must find a call whose own code holds a defect. On the way it
is checked that the tree is that of the calls, that the questions tell the state that was there, and that equal
questions have equal answers.
"""

from __future__ import annotations

import ast
import random
import sys
import tempfile
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

from pair_execution import Spoil, Spoiling
from recorded_cases import Case, Failure, Tally, cases, record, recorded_tokens, roots
from watched_programs import Key, Undecided

from algodebug.code_nodes import CodeNode
from algodebug.executed_statements import Step, walk
from algodebug.execution_tree import ExecutionTree
from algodebug.left_out import LeftOut
from algodebug.search import STRATEGIES, Question, Run, SuspiciousArea, Weights, next_question
from algodebug.search.transformations import (
    FLAT,
    RECURSIVE,
    UNDER_LOOP,
    Body,
    Iterations,
    Loop,
    Pass,
    balancing,
    choose_after,
    compressing,
    expanding,
    inlining,
    pipeline,
)
from algodebug.session import Session
from algotrace.trace import Trace
from algotrace.unread import Unread

# Searching


class Searched:
    """One recorded program and its search."""

    def __init__(self, case: Case, trace: Trace, whole: ExecutionTree, root: int) -> None:
        self.case = case
        self.trace = trace
        self.whole = whole
        self.root = root
        self.chance = random.Random(f"search {case.seed}")
        self.described = ""
        self.questions = 0
        self.left_out = 0  # attributes and parameters that were replaced by something else

    def fail(self, what: str) -> Failure:
        case = self.case
        defects = "; ".join(defect.what for defect in case.defects)
        return Failure(f"{what}\n[{case.seed}] {self.described}\ndefects: {defects}\n{case.text}")

    def check_tree(self) -> None:
        """The calls that were made natively are the nodes, and have the same callers."""
        case, trace, root = self.case, self.trace, self.root
        nodes = range(root, root + trace.size[root])
        names = [trace.routines[trace.routine[node]].name for node in nodes]
        expected = [key[0] for key in case.keys]
        if names != expected:
            at = next((i for i, (a, b) in enumerate(zip(names, expected, strict=False)) if a != b), -1)
            raise self.fail(f"other calls: {names[max(at - 3, 0) : at + 3]} for {expected[max(at - 3, 0) : at + 3]}, at {at}, {len(names)} for {len(expected)}")  # fmt: skip
        parents = [max(trace.parent[node] - root, -1) for node in nodes]
        if parents != case.parents:
            raise self.fail("other callers")

    def check_state(self, node: int) -> None:
        """What a question tells about a call is what was there."""
        case, trace = self.case, self.trace
        judge, number = case.judges[node], case.calls[node]
        if number not in judge.before:
            return
        there = self.root + node
        call = trace.call(there)
        numbers = [argument.value.identity for argument in call.arguments]
        start, end = trace.start[there], trace.end[there] + 1
        told = recorded_tokens(trace, numbers, start)
        if told != judge.before[number] and "not certain" not in told:
            raise self.fail(f"inputs of {node} {call.routine.name}: {told} for {judge.before[number]}")
        if number not in judge.after or call.outcome.value is None:
            return
        value = call.outcome.value
        if call.outcome.kind == "raise":
            items = trace.content(value.identity, end).items
            told = recorded_tokens(trace, [*items, *numbers], end)
            told = ["raise", f"exception {value.type_name} {len(items)}", *told]
        else:
            told = ["return", *recorded_tokens(trace, [value.identity, *numbers], end)]
        # (a message may name the class that watches functions here)
        watched = any("Watched" in part for part in judge.after[number])
        if told != judge.after[number] and "not certain" not in told and not watched:
            raise self.fail(f"after {node} {call.routine.name}: {told} for {judge.after[number]}")

    def check_equal(self, nodes: Iterable[int]) -> None:
        """Equal questions have equal answers."""
        first: dict[bytes, int] = {}
        for node in nodes:
            fingerprint = self.whole.fingerprint(self.root + node)
            if fingerprint is None:
                continue
            other = first.setdefault(fingerprint, node)
            if self.case.truths[other] != self.case.truths[node]:
                texts = [self.whole.sentence(self.root + n) for n in (other, node)]
                reasons = [self.case.judges[n].reasons[self.case.calls[n]] for n in (other, node)]
                raise self.fail(f"equal questions, other answers: {other}, {node}: {texts}, {reasons}")

    def check_unread(self, nodes: Iterable[int]) -> None:
        """What questions leave out does not matter: whatever else is there, the calls do the same."""
        case, trace = self.case, self.trace
        types = {row[0]: number for number, row in enumerate(trace.types)}
        for node in nodes:
            unread, _ = self.whole.left_out(self.root + node)
            if unread is None:
                continue
            assert isinstance(unread, LeftOut)
            number = case.calls[node]

            def leaves_out(cls: str, name: str, unread: Unread = unread) -> bool:
                return cls in types and unread.leaves_out(-1, types[cls], name)

            def items(
                args: tuple[Any, ...], node: int = node, unread: LeftOut = unread
            ) -> list[tuple[Any, Any]]:
                return _not_looked_at(trace, self.root + node, unread, args)

            judge = Spoiling(
                case.wrong, case.wrong.again(), {number: Spoil(leaves_out, unread.parameters, items)}
            )
            judge.judge()
            self.left_out += judge.spoiled
            if not judge.verdicts.get(number, True):
                text = self.whole.sentence(self.root + node)
                raise self.fail(f"what {node} did not look at matters: {text}, {judge.reasons[number]}")

    def check_blame(self, node: int) -> None:
        case, trace = self.case, self.trace
        if node and case.is_right([node]):
            raise self.fail(f"{node} is blamed and right")
        key = case.keys[node]
        spans = trace.executed(self.root + node)
        for defect, place in zip(case.defects, case.places, strict=True):
            named = key[:2] in defect.functions
            if place is None:
                if named:
                    return
                continue
            ran = any((s.line, s.col) < place[2:] and place[:2] < (s.end_line, s.end_col) for s in spans)
            if ran and (named or defect.in_lambda):
                return
        raise self.fail(f"{node} {key} is blamed: {[tuple(s[1:]) for s in spans]}, {case.places}")

    def run(self) -> None:
        chance = self.chance
        self.check_tree()
        if chance.random() < 0.08:
            node = self.by_session()
        else:
            node = self.by_numbers()
        for asked in list(self.case.truths):
            self.check_state(asked)
        self.check_blame(node)
        known = list(self.case.truths)
        if chance.random() < 0.05 and len(self.case) < 60:
            for each in range(1, len(self.case)):
                self.case.is_right([each])
                self.check_state(each)
            known = list(range(1, len(self.case)))
        if chance.random() < 0.1:
            self.check_equal(known)
        if chance.random() < 0.1:
            self.check_unread(known)

    # By the numbers of the tree, transformed in every way

    def subtree(self) -> ExecutionTree:
        trace, root = self.trace, self.root
        end = root + trace.size[root]
        return ExecutionTree(
            [max(parent - root, -1) for parent in trace.parent[root:end]],
            list(trace.size[root:end]),
            list(trace.routine[root:end]),
            outcome_kind=bytes(trace.outcome_kind[root:end]),
        )

    def by_numbers(self) -> int:
        chance, case = self.chance, self.case
        tree = self.subtree()
        guilty = {r for r, key in zip(tree.routine, case.keys, strict=True) if self._may_hold_a_defect(key)}
        trusted = frozenset(r for r in sorted(set(tree.routine) - guilty) if chance.random() < 0.15) - {
            tree.routine[0]
        }
        drawn = chance.sample(("compress", "inline", "balance", "expand"), chance.choice((0, 0, 1, 1, 2, 3)))
        loops = self.loops(tree) if "expand" in drawn else {}
        passes: dict[str, Pass] = {
            "compress": compressing(),
            "inline": inlining(trusted),
            "balance": balancing(chance.randint(2, 4)),
            "expand": expanding(loops, chance.choice((FLAT, UNDER_LOOP, RECURSIVE))),
        }
        transform = pipeline(*(passes[name] for name in drawn)) if drawn else None
        strategy = chance.choice(list(STRATEGIES))
        runs = chance.random() < 0.5
        self.described = f"{strategy}, runs {runs}, {drawn}, trusted {sorted(trusted)}, {len(tree)} calls"
        area = SuspiciousArea(tree, 0, Weights(tree, trusted))
        skipped: set[Hashable] = set()
        last: int | None = None
        while True:
            question: Question | None = None
            while transform is not None:
                found = choose_after(area, last, transform, STRATEGIES[strategy].choose, skipped)
                if found is None:
                    break
                skipped.add(found)
                question = self.as_calls(found, loops)
                told = not isinstance(question, Run) or area.tells(question)
                if question is not None and told and area.weight(question):
                    break
                question = None
            if question is None:
                question = next_question(area, last, strategy, runs=runs)
            if question is None:
                return area.top
            self.questions += 1
            if self.questions > 4 * len(tree) + 20:
                raise self.fail("no end")
            start, _ = area.span(question)
            calls = [question] if isinstance(question, int) else self._calls(tree, question)
            (area.remove if case.is_right(calls) else area.narrow)(question)
            last = start

    def _may_hold_a_defect(self, key: Key) -> bool:
        """Where a defect is in a lambda any function may run it."""
        return any(key[:2] in defect.functions or defect.in_lambda for defect in self.case.defects)

    @staticmethod
    def _calls(tree: ExecutionTree, run: Run) -> list[int]:
        return [child for child in tree.children(run.parent) if run.first <= child <= run.last]

    def as_calls(self, found: object, loops: dict[int, Body]) -> Question | None:
        if isinstance(found, int | Run):
            return found
        if isinstance(found, Iterations):
            loop = _loop_at(loops[found.node], [step for step in found.loop if step >= 0])
            calls = [
                c for iteration in loop.iterations[found.first : found.end] for c in _calls_of(iteration)
            ]
            return Run(found.node, calls[0], calls[-1]) if calls else None
        return None

    def loops(self, tree: ExecutionTree) -> dict[int, Body]:
        """The loops of some calls with the calls made in each iteration, as they were recorded."""
        found: dict[int, Body] = {}
        busy = [n for n in range(len(tree)) if tree.size[n] > 3][:12]
        for node in busy:
            code = self.whole.code_of(self.root + node)
            if code is not None and code.complete:
                body = self._body(code.steps, list(tree.children(node)))
                if list(_calls_of(body)) != list(tree.children(node)):
                    raise self.fail(f"calls of {node} outside its statements: {body}")
                found[node] = body
        return found

    def _body(self, steps: Sequence[Any], calls: list[int]) -> Body:
        parts: list[int | Loop] = []
        starts = self.trace.start
        for step in steps:
            inside = [c for c in calls if step.start <= starts[self.root + c] < step.end]
            if step.kind != "loop":
                inner = self._body([*step.parts, *step.orelse], inside)
                known = set(_calls_of(inner))
                own = [c for c in inside if c not in known]
                parts += sorted([*own, *inner], key=_first_call)
                continue
            iterations = tuple(self._body([part], inside) for part in step.parts)
            rest = (
                set(inside).difference(*(set(_calls_of(i)) for i in iterations))
                if iterations
                else set(inside)
            )
            if rest:  # made by the iterable, or by `else`
                parts += inside
            else:
                parts.append(Loop(iterations))
        return tuple(parts)

    # By a session, as a user meets it

    def by_session(self) -> int:
        chance, case = self.chance, self.case
        strategy = chance.choice(list(STRATEGIES))
        told_apart = None not in case.places and not any(defect.in_lambda for defect in case.defects)
        depth = "code" if told_apart and chance.random() < 0.5 else "function"
        self.described = f"session, {strategy}, depth {depth}, {len(case)} calls"
        session = Session(self.whole, strategy=strategy, root=self.root, depth=depth)
        while (question := session.current()) is not None:
            self.questions += 1
            if self.questions > 4 * len(case) + 50:
                raise self.fail("no end")
            code = self.whole.code(question)
            if code is None:
                right = case.is_right([question - self.root])
                session.question(question)
            else:
                right = self.code_is_right(code)
                self.whole.question(question)
            session.answer({"answer": "correct" if right else "wrong"})
        node = session.buggy_node()
        if depth == "code" and (blamed := session.state()["result"]["blamed"]) is not None:
            region = blamed["range"]
            if not any(place and region[0] <= place[0] <= region[2] for place in case.places):
                raise self.fail(f"inside the call {blamed} is blamed, the defects are in {case.places}")
        if node is None or session.counts(self.trace.routine[node])["unknown"]:
            raise self.fail("nothing is found")
        return node - self.root

    def code_is_right(self, code: CodeNode) -> bool:
        """Whether no call in it is wrong, and no statement of it that was executed holds a defect."""
        calls = code.code.calls
        if not self.case.is_right([calls[at] - self.root for at in code.calls]):
            return False
        if "depth code" not in self.described or self._ran_elsewhere(code):
            return True
        return not any(self._holds_a_defect(step) for step in walk(code.steps))

    def _ran_elsewhere(self, code: CodeNode) -> bool:
        """Whether the call has the same lines as a defect by chance: it is in another file."""
        trace = self.trace
        source = trace.routines[trace.routine[code.code.node]].source
        return source != trace.routines[trace.routine[self.root]].source

    def _holds_a_defect(self, step: Step) -> bool:
        """Is one in what the step executes itself, without the statements inside it?"""
        syntax: Any = step.syntax
        inside = [
            part for name in ("body", "orelse", "handlers", "finalbody") for part in getattr(syntax, name, ())
        ]
        for place in self.case.places:
            if place is None or not syntax.lineno <= place[0] <= syntax.end_lineno:
                continue
            if any(part.lineno <= place[0] <= part.end_lineno for part in inside):
                continue
            # The test of a `while` is evaluated in its iterations, the iterable of a `for` before them.
            if step.kind != "iteration" or isinstance(syntax, ast.While):
                return True
        return False


def _not_looked_at(
    trace: Trace, node: int, left_out: LeftOut, args: tuple[Any, ...]
) -> list[tuple[Any, Any]]:
    """The items that a question leaves out, in the live arguments that correspond to the recorded ones."""
    time = trace.start[node]
    pairs = list(zip([argument.value.identity for argument in trace.arguments(node)], args, strict=False))
    seen: set[int] = set()
    found: list[tuple[Any, Any]] = []
    while pairs:
        number, live = pairs.pop()
        row = trace.row(number)
        if type(row) is not list or number in seen or type(live) not in (list, dict, tuple):
            if type(row) is list and row[0] == "instance" and number not in seen:
                seen.add(number)
                attributes = trace.content(number, time).attributes
                pairs += [(part, vars(live)[name]) for name, part in attributes.items()]
            continue
        seen.add(number)
        content = trace.content(number, time)
        numbers = [value for _, value in content.pairs.values()] if type(live) is dict else content.items
        keys = list(live) if type(live) is dict else list(range(len(live)))
        pairs += [(part, live[key]) for part, key in zip(numbers, keys, strict=True)]
        looked_at = left_out.looked_at(number, content)
        if looked_at is not None and type(live) is not tuple:
            found += [(live, key) for place, key in enumerate(keys) if place not in looked_at]
    return found


def _first_call(part: int | Loop) -> int:
    return part if isinstance(part, int) else next(iter(_calls_of((part,))), -1)


def _loop_at(body: Body, path: list[int]) -> Loop:
    loop = [part for part in body if isinstance(part, Loop)][path[0]]
    return loop if len(path) == 1 else _loop_at(loop.iterations[path[1]], path[2:])


def _calls_of(body: Body) -> list[int]:
    found = []
    for part in body:
        if isinstance(part, int):
            found.append(part)
        else:
            found += [call for iteration in part.iterations for call in _calls_of(iteration)]
    return found


def search_batch(seed: str, count: int, folder: Path, tally: Tally, most_failures: int = 1) -> None:
    """Draws, records and searches at least so many programs."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 5_000))
    drawn: list[Case] = []
    number = 0
    while len(drawn) < count:
        drawn += cases(f"{seed} {number}", tally)
        number += 1
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        trace = record(drawn, Path(temporary))
        whole = ExecutionTree.from_trace(trace)
        for each, root in zip(drawn, roots(trace), strict=True):
            _search(Searched(each, trace, whole, root), tally)
            if len(tally.failures) >= most_failures:
                return


def _search(searched: Searched, tally: Tally) -> None:
    try:
        searched.run()
    except Undecided:
        tally.undecided += 1
    except Failure as failure:
        tally.failures.append(failure)
    else:
        tally.programs += 1
        tally.calls += len(searched.case)
        tally.questions += searched.questions
        tally.left_out += searched.left_out
