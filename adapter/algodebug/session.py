"""A session: one search over one execution tree, its verdicts, who gave them, and the question open now.

The verdicts are the state; the suspicious area follows from them. So an answer can be undone or changed at any time,
and answering nodes in any order is as good as answering the questions. The only I/O is the session file: every
answer is in it before the next question is asked.

First the wrong call is looked for. When it is found, and the user wants it, the search goes on among its loops, iterations
and statements; a run of calls of one caller is asked about as the code that made them.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, TextIO

from algodebug import blame
from algodebug.buggy_code import buggy_code
from algodebug.code_nodes import RANGE, CodeNode, inside
from algodebug.code_search import CodeSearch
from algodebug.execution_tree import ExecutionTree
from algodebug.oracles import CodeOracle, Oracle, Verdict
from algodebug.question import Body
from algodebug.search import (
    DEFAULT_STRATEGY,
    STRATEGIES,
    Run,
    SuspiciousArea,
    Weights,
    next_question,
    ranges,
    strategies,
)
from algodebug.search.suspicious_area import Mark
from algodebug.slicing.blame import influencing_nodes, slicer_of
from algodebug.slicing.criteria import parse_criterion
from algodebug.slicing.origin import origin_node

CORRECT, WRONG, UNKNOWN = "correct", "wrong", "unknown"
INADMISSIBLE, NOT_CALLED = "inadmissible", "should-not-have-been-called"
TRUST_FUNCTION, TRUST_MODULE, UNDO = "trust-function", "trust-module", "undo"
# Enough: the function is all the user wants to know.
STOP = "stop"
ANSWERS = (CORRECT, WRONG, UNKNOWN, INADMISSIBLE, NOT_CALLED, TRUST_FUNCTION, TRUST_MODULE, UNDO, STOP)
# How far the search goes: to the function, down to the code in it, or to the code where there are no calls to ask about.
FUNCTION, CODE, AUTO = "function", "code", "auto"
DEPTHS = (FUNCTION, CODE, AUTO)

# Who gave a verdict.
USER, TRUST, EQUAL_QUESTION, ANSWERS_FILE = "user", "trust", "equal-question", "answers-file"

_HISTORY_SENT = 500
_LONG = 500_000  # events of a call, the calls in it included, in which dependences are not followed
_FEW = 8  # calls left that are asked about one by one
_DETAILS = ("mark", "expected", "argument")


class AnswerError(Exception):
    """An answer that cannot be taken; the question stays open."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True)
class Entry:
    """One answer of the history."""

    node: int
    answer: str
    source: str
    title: str
    text: str  # the title with the outcome
    fingerprint: bytes | None = None
    details: tuple[tuple[str, str], ...] = ()
    # The question the user had picked when answering, which an undo brings back.
    picked: int | None = None

    @property
    def by_hand(self) -> bool:
        return self.source in (USER, TRUST, ANSWERS_FILE)


class Session:
    """Asks until the buggy node is found. `root` is wrong by assumption and never asked."""

    def __init__(
        self,
        tree: ExecutionTree,
        *,
        strategy: str = DEFAULT_STRATEGY,
        root: int = 0,
        oracles: Sequence[Oracle] = (),
        session_file: Path | None = None,
        answers: Sequence[Mapping[str, Any]] = (),
        trust: Sequence[str] = (),
        depth: str = AUTO,
    ) -> None:
        if root not in tree or tree.code(root) is not None:
            raise AnswerError(f"there is no node {root}", f"nodes are numbered 0 to {len(tree) - 1}")
        self.tree = tree
        self.root = root
        self.oracles = list(oracles)
        self.notes: list[str] = []
        self._strategy = _checked_strategy(strategy)
        self._depth = _checked_depth(depth)
        self._trusted_by_name = self._routines_named(trust)
        self._history: list[Entry] = []
        self._picked: int | None = None
        self._settled = False  # is `_current` up to date?
        self._current: int | None = None
        self._chain = tree.raising_chain(root) or tree.unfinished_chain(root)
        self._links = frozenset(self._chain)
        self._victim = tree.victim(root, self._chain)
        if self._victim is not None:
            self._chain = self._chain[: self._chain.index(self._victim)]
        self._weights: dict[frozenset[int], Weights] = {}
        self._calls: Counter[int] | None = None
        self._questions: dict[int, Body] = {}
        self._last_fingerprint: tuple[int, bytes | None] = (-1, None)
        self._verdicts: dict[int, Entry] = {}
        self._derived: dict[int, str] = {}
        self._equal: dict[bytes, Entry] = {}
        self._marks: dict[tuple[int, str], Mark | None] = {}  # what each mark says
        self._trusted: frozenset[int] = frozenset()
        self._focus: CodeNode | None = None  # of the top: the code that was called wrong
        self._inside: CodeSearch | None = None  # the search in the code of the top, once its calls are right
        self._area = self._rebuild()
        self._file: TextIO | None = None
        self._header_written = False
        self._open_file(session_file)
        for answer in _effective(answers):
            self._take(answer, ANSWERS_FILE)

    # What is asked

    def state(self) -> dict[str, Any]:
        """Everything a view shows."""
        node = self.current()
        result = None if node is not None else self._result()
        status = "asking" if result is None else "found" if result["found"] else "exhausted"
        trace = self.tree.trace
        return {
            "status": status,
            "question": None if node is None else self.question(node),
            "result": result,
            "strategy": self._strategy,
            "strategies": [{"name": s.name, "label": s.label} for s in STRATEGIES.values()],
            "history": [self._history_body(entry) for entry in self._history[-_HISTORY_SENT:]],
            "nodes": len(self.tree),
            "answered": len(self._history),
            "remaining": 0 if node is None else self.remaining(),
            "trace": "" if trace is None else str(trace.path),
            "error": None,
            "canUndo": self.can_undo,
            "canZoom": result is not None and self.can_zoom,
            "depth": self._depth,
            "contradictions": self.contradictions(),
            "notes": list(self.notes),
        }

    def current(self) -> int | None:
        """The node asked about now; None when the search is over.

        Whatever equal questions and oracles can answer is answered on the way.
        """
        while not self._settled:
            node = self._picked if self._picked is not None else self._choose()
            entry = None if node is None or self._picked is not None else self._answered_without_user(node)
            if entry is not None and entry.node not in self._verdicts:
                self._add(entry)
                continue
            self._current, self._settled = node, True
        return self._current

    def question(self, node: int) -> Body:
        """The question about a node with why it is asked and about how many are left."""
        body = self._questions.get(node)
        if body is None:
            self._questions.clear()  # one question is looked at many times, older ones hardly ever
            body = self._questions[node] = self.tree.question(node)
        return {**body, "why": self._why(node), "remaining": self.remaining()}

    def remaining(self) -> int:
        """About how many questions are left."""
        area = self._area
        total: float = area.total
        if self._inside is not None:
            total = self._inside.total()
            return max(math.ceil(math.log2(total + 1)), 1)
        if total <= 0:
            return 1 if self._picked is not None else 0
        halvings = math.ceil(math.log2(total + 1))
        if self._strategy == "divide-and-query":
            return halvings
        if self._strategy == "single-stepping":
            return (area.total + 1) // 2
        siblings = sum(1 for _ in islice(area.children_left(area.top), 1000))
        return max(halvings, (siblings + 1) // 2)

    def _choose(self) -> int | None:
        self._inside = None
        last = next((self.tree.call_of(e.node) for e in reversed(self._history)), None)
        if self._strategy == DEFAULT_STRATEGY and self._chain:
            node = strategies.halve_chain(self._area, self._chain)
            if node is not None:
                return node
        found = next_question(
            self._area, last, self._strategy, runs=self._asks_runs(), cuts=self._iterations_at
        )
        if isinstance(found, Run):
            code = self._code_of_run(found)
            node_alone = next_question(self._area, last, self._strategy, runs=False)
            assert not isinstance(node_alone, Run)
            if code is not None and (node_alone is None or self._pays(code, node_alone)):
                return code.id
            found = node_alone
        return found if found is not None else self._choose_code()

    # Runs of calls, as the code that made them

    def _asks_runs(self) -> bool:
        area = self._area
        return self.tree.codes is not None and area.total > _FEW

    def _iterations_at(self, node: int, child: int) -> list[int]:
        """Of the calls that a node made, those that are the first in an iteration or a statement, next to a given one."""
        code = self.tree.code_of(node)
        if code is None:
            return []
        return code.cuts_near(child)

    def _code_of_run(self, run: Run) -> CodeNode | None:
        """The code that made the calls of a run, if its state says something about them."""
        code = self.tree.code_of(run.parent)
        if code is None or not code.complete:
            return None
        node = code.around(run.first, run.last)
        if node is None or self._verdicts.get(node.id) is not None:
            return None
        if run.parent == self._area.top and self._focus is not None:
            # Asking about all of it, or more, tells nothing.
            if not inside(node, self._focus) and not _within(node, self._focus):
                return None
            if node.start <= self._focus.start and self._focus.end <= node.end:
                return None
        return node if node.says_something else None

    def _pays(self, code: CodeNode, node: int) -> bool:
        run = self._run_of(code)
        return (
            run is not None
            and run not in self._area.skipped_runs
            and self._area.weight(run) < self._area.total
            and ranges.pays(self._area, run, node)
        )

    def _run_of(self, code: CodeNode) -> Run | None:
        """The calls made in some code."""
        made, calls = code.calls, code.code.calls
        return Run(code.code.node, calls[made[0]], calls[made[-1]]) if made else None

    # The code inside the call to blame

    def _zooms(self) -> bool:
        if self._depth == AUTO:
            return SuspiciousArea(self.tree, self.root, self._area.weights).total == 0
        return self._depth == CODE

    @property
    def can_zoom(self) -> bool:
        """Is the search over, with code inside the call found that could be asked about?"""
        return self._inside is None and not self._area.unknown() and self._code_search() is not None

    def _code_search(self) -> CodeSearch | None:
        code = self.tree.code_of(self._area.top)
        if code is None or not code.has_structure:
            return None
        right, unknown = [], []
        for node, entry in self._verdicts.items():
            part = self.tree.code(node)
            if part is None or part.code is not code:
                continue
            if entry.answer in (CORRECT, INADMISSIBLE, NOT_CALLED):
                right.append(part)
            elif entry.answer == UNKNOWN:
                unknown.append(part)
        if self._victim is not None and self.tree.parent[self._victim] == self._area.top:
            # Where the call was made that the recursion limit fell on.
            made = code.around(self._victim, self._victim)
            if made is not None and not made.children:
                right.append(made)
        return CodeSearch(self._focus or code.top, right, unknown)

    def _choose_code(self) -> int | None:
        if not self._zooms() or self._area.unknown():
            return None
        self._inside = self._code_search()
        node = None if self._inside is None else self._inside.choose()
        return None if node is None else node.id

    def _why(self, node: int) -> str:
        area, tree = self._area, self.tree
        if self._picked is not None:
            return "you picked it"
        code = tree.code(node)
        if code is not None:
            return self._why_code(code)
        if not area.askable(node):
            return "it was answered before"
        if self._strategy == DEFAULT_STRATEGY and node in self._chain:
            if tree.outcome_name(node) == "unfinished":
                return "it is on the chain of calls that had not ended"
            return "it is on the chain of calls that raised the error which ended the program"
        total, below = area.total, area.weight(node)
        if self._strategy == "divide-and-query":
            right, wrong = total - below, below - 1
            if total == 1:
                return "it is the only call left"
            if abs(right - wrong) <= 1:
                return f"it splits the remaining {total} in half"
            return f"of the remaining {total}, {right} stay if it is right and {wrong} if it is wrong"
        if self._strategy == "single-stepping":
            return "everything it called is right"
        top = tree.place(area.top).function
        if self._strategy == "heaviest-first":
            return f"of the calls made by {top}, which went wrong, it did most"
        return f"it is the next call made by {top}, which went wrong"

    def _why_code(self, code: CodeNode) -> str:
        function = self.tree.place(code.code.node).function
        if self._inside is None:
            run = self._run_of(code)
            if run is None or not self._area.weight(run):
                return "it was answered before"
            return f"it made {self._area.weight(run)} of the remaining {self._area.total} calls"
        share = self._inside.share(code)
        if share > 0.9:
            return f"it is about all that is left of {function}"
        return (
            f"it is {'about half' if 0.4 <= share <= 0.6 else f'{share:.0%}'} of what is left of {function}"
        )

    def _answered_without_user(self, node: int) -> Entry | None:
        fingerprint = self._fingerprint(node)
        equal = self._equal.get(fingerprint) if fingerprint is not None else None
        if equal is not None:
            return Entry(node, equal.answer, EQUAL_QUESTION, *self._texts(node), fingerprint)
        code = self.tree.code(node)
        call = self.tree.call(node)
        if call is None and code is None:
            return None
        for oracle in self.oracles:
            verdict: Verdict | None = None
            if call is not None:
                verdict = oracle.judge(call)
            elif code is not None and isinstance(oracle, CodeOracle):
                verdict = oracle.judge_code(code)
            if verdict is not None:
                return Entry(node, verdict.answer, verdict.source, *self._texts(node), fingerprint)
        return None

    def _fingerprint(self, node: int) -> bytes | None:
        # Needed when a node is about to be asked and again when it is answered.
        if self._last_fingerprint[0] != node:
            self._last_fingerprint = (node, self.tree.fingerprint(node))
        return self._last_fingerprint[1]

    def _texts(self, node: int) -> tuple[str, str]:
        return self.tree.title(node), self.tree.sentence(node)

    # What the user does

    @property
    def strategy(self) -> str:
        return self._strategy

    @strategy.setter
    def strategy(self, name: str) -> None:
        self._strategy = _checked_strategy(name)
        self._picked = None
        self._settled = False

    @property
    def depth(self) -> str:
        """How far the search goes."""
        return self._depth

    @depth.setter
    def depth(self, depth: str) -> None:
        self._depth = _checked_depth(depth)
        self._picked = None
        self._settled = False

    @property
    def answered(self) -> int:
        """How many nodes were judged, by whomever."""
        return len(self._history)

    @property
    def can_undo(self) -> bool:
        return any(entry.by_hand for entry in self._history)

    def answer(self, answer: Mapping[str, Any]) -> None:
        """Takes `{"answer": …, "node"?, "mark"?, "expected"?, "argument"?}`; without a node, for the open question."""
        self._take(answer, USER)

    def ask(self, node: int) -> None:
        """Makes a node the open question, whether the strategy would have picked it or not."""
        self._check_node(node)
        self._picked = node
        self._settled = False

    def undo(self) -> None:
        """Takes back the last answer given by hand and all that followed from it."""
        if not self.can_undo:
            raise AnswerError("there is no answer to undo", "")
        while True:
            entry = self._history.pop()
            if entry.by_hand:
                break
        self._picked = entry.picked
        self._area = self._rebuild()
        self._settled = False
        self._write({"answer": UNDO})

    def _take(self, answer: Mapping[str, Any], source: str) -> None:
        given = answer.get("answer")
        if given not in ANSWERS:
            raise AnswerError(f"unknown answer {given!r}", f"one of: {', '.join(ANSWERS)}")
        if given == UNDO:
            self.undo()
            return
        if given == STOP:
            self.depth = FUNCTION
            return
        node = answer.get("node")
        if answer.get("code") is not None:
            found = None if self.tree.codes is None else self.tree.codes.find(answer["code"])
            if found is None:
                raise AnswerError(
                    "there is no such code in this recording", "answers are kept for one recording"
                )
            node = found.id
        if node is None:
            node = self.current()
            if node is None:
                raise AnswerError("no question is open", "the search is over; undo goes back")
        self._check_node(node)
        details = []
        for name in _DETAILS:
            if answer.get(name) is not None:
                if not isinstance(answer[name], str):
                    raise AnswerError(f"{name} is not a string", f"give {name} as text")
                details.append((name, answer[name]))
        trust = given in (TRUST_FUNCTION, TRUST_MODULE)
        if trust:
            node = self.tree.call_of(node)
        entry = Entry(
            node,
            given,
            TRUST if trust and source == USER else source,
            *self._texts(node),
            None if trust else self._fingerprint(node),
            tuple(details),
            self._picked,
        )
        self._picked = None
        self._add(entry)

    def _check_node(self, node: object) -> None:
        if node not in self.tree:
            raise AnswerError(
                f"there is no node {json.dumps(node, default=str)}",
                f"nodes are numbered 0 to {len(self.tree) - 1}",
            )
        if node == self.root:
            raise AnswerError(
                f"node {node} is where the search started: it is taken as wrong and not asked",
                "answer for one of the calls below it",
            )

    # What follows from the answers

    def verdict(self, node: int) -> str | None:
        """correct, wrong, unknown, inadmissible, should-not-have-been-called, trusted or None."""
        entry = self._verdicts.get(node)
        if entry is not None:
            return entry.answer
        if self.tree.code(node) is not None:
            return self._derived.get(node)
        if self.tree.routine[node] in self._trusted and node != self.root:
            return "trusted"
        if node == self.root:
            return WRONG
        return self._derived.get(node)

    def verdict_source(self, node: int) -> str | None:
        """Who gave a node's verdict."""
        entry = self._verdicts.get(node)
        if entry is not None:
            return entry.source
        if self.tree.code(node) is None and self.tree.routine[node] in self._trusted and node != self.root:
            return TRUST
        return INADMISSIBLE if node in self._derived else None

    def buggy_node(self) -> int | None:
        """The node to blame, once the search is over."""
        return self._area.top if self.current() is None else None

    def judged(self) -> dict[int, str]:
        """The calls with a verdict of their own."""
        return {node: entry.answer for node, entry in self._verdicts.items() if self.tree.code(node) is None}

    def counts(self, routine: int) -> dict[str, int]:
        """How many calls of a routine there are and what is known about them."""
        if self._calls is None:
            self._calls = Counter(self.tree.routine)
        calls = self._calls[routine]
        counts = {"calls": calls, CORRECT: 0, WRONG: 0, UNKNOWN: 0, "trusted": 0}
        judged = [
            *((node, entry.answer) for node, entry in self._verdicts.items()),
            *((node, answer) for node, answer in self._derived.items() if node not in self._verdicts),
        ]
        for node, answer in judged:
            if self.tree.code(node) is None and self.tree.routine[node] == routine and answer in counts:
                counts[answer] += 1
        if routine in self._trusted:
            counts["trusted"] = calls
        return counts

    def _add(self, entry: Entry) -> None:
        self._history.append(entry)
        self._settled = False
        revised = entry.node in self._verdicts or entry.node in self._derived
        if revised or entry.answer in (TRUST_FUNCTION, TRUST_MODULE) or not self._apply(entry):
            self._area = self._rebuild()
        self._write(self._line(entry))

    def _apply(self, entry: Entry) -> bool:
        """Brings the area up to date with a new verdict; False when it has to be made anew."""
        area, node = self._area, entry.node
        if self.tree.code(node) is not None:
            return False
        if dict(entry.details).keys() & {"mark", "argument"}:
            return False  # what could not influence what is marked is looked for
        self._remember(entry)
        if entry.answer == CORRECT:
            if node in area and node != area.top:
                area.remove(node)
            return not self.tree.inside(area.top, node)
        if entry.answer == UNKNOWN:
            area.skip(node)
            return True
        if entry.answer == WRONG:
            if node in area and self._may_be_blamed(node):
                if node != area.top:
                    self._focus = None
                area.narrow(node)
                return True
            return False
        return False

    def _remember(self, entry: Entry) -> None:
        self._verdicts[entry.node] = entry
        if entry.fingerprint is not None and entry.answer in (CORRECT, WRONG, UNKNOWN):
            self._equal[entry.fingerprint] = entry

    def _may_be_blamed(self, node: int) -> bool:
        return node == self.root or self.tree.routine[node] not in self._trusted

    def _rebuild(self) -> SuspiciousArea:
        """The area that follows from the history; of several answers for a node the last one holds."""
        self._trusted = self._trusted_by_name | self._routines_trusted()
        self._verdicts, self._derived, self._equal = {}, {}, {}
        for entry in self._history:
            if entry.answer not in (TRUST_FUNCTION, TRUST_MODULE):
                self._verdicts.pop(entry.node, None)  # so that the order is the order of the last answers
                self._remember(entry)
        tree = self.tree
        top, focus = self.root, None
        for node, entry in self._verdicts.items():
            part = tree.code(node)
            if part is not None:
                top, focus = self._narrowed(top, focus, part, entry.answer)
                continue
            wrong: int | None = None
            if entry.answer == WRONG:
                wrong = node
            elif entry.answer in (INADMISSIBLE, NOT_CALLED) and node not in self._links:
                # The call itself is not to blame, whoever made it with these inputs is.
                wrong = tree.parent[node]
                while not self._may_be_blamed(wrong) and wrong != self.root:
                    wrong = tree.parent[wrong]
                if wrong >= 0 and wrong not in self._verdicts:
                    self._derived[wrong] = WRONG
            # A wrong call inside the one known to be wrong says more, one around it says nothing new.
            if (
                wrong is not None
                and tree.inside(wrong, self.root)
                and self._may_be_blamed(wrong)
                and not tree.inside(top, wrong)
            ):
                top, focus = wrong, None
        weights = self._weights.get(self._trusted)
        if weights is None:
            self._weights.clear()
            weights = self._weights[self._trusted] = Weights(tree, self._trusted)
        self._focus = focus
        area = SuspiciousArea(tree, top, weights)
        if focus is not None:
            self._leave_only(area, focus)
        if self._victim is not None and self._victim in area and self._victim != top:
            area.remove(self._victim)
        for node, entry in self._verdicts.items():
            part = tree.code(node)
            if part is not None:
                self._take_code(area, part, entry.answer)
            elif entry.answer in (CORRECT, INADMISSIBLE, NOT_CALLED):
                if node in area and node != top:
                    area.remove(node)
            elif entry.answer == UNKNOWN:
                area.skip(node)
            elif entry.answer == WRONG:
                area.assume(node, False)
        for node, entry in self._verdicts.items():
            if tree.code(node) is None and (mark := self._mark(node, entry, area.top)) is not None:
                area.mark(mark)
        return area

    def _mark(self, node: int, entry: Entry, top: int) -> Mark | None:
        """What a part called wrong, or an argument called inadmissible, says about the calls below the top."""
        details = dict(entry.details)
        path = details.get("mark", "")
        if entry.answer == WRONG and path and node == top:
            pass
        elif entry.answer == INADMISSIBLE and (path or details.get("argument")):
            if self.tree.parent[node] != top:
                return None
            path = path or f"argument {details['argument']}"
        else:
            return None
        key = (node, path)
        if key not in self._marks:
            self._marks[key] = self._influence(node, path)
        return self._marks[key]

    def _influence(self, node: int, path: str) -> Mark | None:
        trace = self.tree.trace
        if trace is None or not hasattr(trace, "own_events"):
            return None
        around = max(self.tree.parent[node], 0)
        if trace.end[around] - trace.start[around] > _LONG:
            return None
        try:
            influencing = influencing_nodes(trace, node, path)
            origin = origin_node(slicer_of(trace), parse_criterion(trace, node, path))
        except (ValueError, KeyError):  # a mark that names no part
            return None
        return Mark(node, origin, None if influencing is None else frozenset(influencing))

    def _narrowed(
        self, top: int, focus: CodeNode | None, part: CodeNode, answer: str
    ) -> tuple[int, CodeNode | None]:
        """Where the search is after a verdict on code of a call."""
        tree, call = self.tree, part.code.node
        wrong: CodeNode | None = part if answer == WRONG else None
        if answer == NOT_CALLED:
            # What decided that it ran is to blame.
            wrong = part.parent
            while wrong is not None and wrong.kind == RANGE:
                wrong = wrong.parent
            if wrong is not None and wrong.id >= 0 and wrong.id not in self._verdicts:
                self._derived[wrong.id] = WRONG
        if wrong is None or not tree.inside(call, self.root) or not self._may_be_blamed(call):
            return top, focus
        if wrong.id < 0:
            return (top, focus) if tree.inside(top, call) else (call, None)
        if call == top:
            known = focus is not None and (
                inside(focus, wrong) or (not inside(wrong, focus) and _within(focus, wrong))
            )
            return top, focus if known else wrong
        if tree.inside(top, call):
            made = self._run_of(wrong)
            if made is not None and made.first <= top < tree.end(made.last):
                return top, focus
        return call, wrong

    def _leave_only(self, area: SuspiciousArea, focus: CodeNode) -> None:
        """Of the calls that the top made only those made in the wrong code can be buggy."""
        run = self._run_of(focus)
        calls = focus.code.calls
        if run is not None:
            area.narrow(run)
        elif calls:
            area.remove(Run(area.top, calls[0], calls[-1]))

    def _take_code(self, area: SuspiciousArea, part: CodeNode, answer: str) -> None:
        run = self._run_of(part)
        if run is None or run.parent not in area:
            return
        if answer in (CORRECT, INADMISSIBLE, NOT_CALLED):
            area.remove(run)
        elif answer == UNKNOWN:
            area.skip(run)

    def _routines_trusted(self) -> frozenset[int]:
        places = self.tree.places
        trusted: set[int] = set()
        for entry in self._history:
            place = self.tree.place(entry.node)
            if entry.answer == TRUST_FUNCTION:
                trusted.add(place.routine)
            elif entry.answer == TRUST_MODULE:
                trusted.update(p.routine for p in places if p.module == place.module)
        return frozenset(trusted)

    def _routines_named(self, names: Sequence[str]) -> frozenset[int]:
        """Routines by qualified name, plain name, or the dotted name of their module."""
        wanted = set(names)
        if not wanted:
            return frozenset()
        trusted = set()
        for place in self.tree.places:
            parts = PurePath(place.file).with_suffix("").parts
            modules = {".".join(parts[i:]) for i in range(len(parts))}
            plain = place.function.rpartition(".")[2]
            if wanted & {place.function, plain} or wanted & modules:
                trusted.add(place.routine)
        return frozenset(trusted)

    def contradictions(self) -> list[dict[str, Any]]:
        """Pairs of answers that cannot both be true: equal questions answered differently, parts against the whole."""
        found = []
        first: dict[bytes, Entry] = {}
        for entry in self._verdicts.values():
            if entry.fingerprint is None or entry.answer not in (CORRECT, WRONG):
                continue
            other = first.setdefault(entry.fingerprint, entry)
            if other.answer != entry.answer:
                found.append((other, entry, "the same question was answered differently"))
        search = self._inside
        if search is not None and search.top.own == 0 and search.total() == 0:
            whole = self._verdicts.get(search.top.id)
            parts = [self._verdicts.get(child.id) for child in search.top.children]
            if whole is not None and (part := next(filter(None, reversed(parts)), None)) is not None:
                found.append((whole, part, "all its parts were called right"))
        return [
            {
                "answers": [self._history_body(one), self._history_body(two)],
                "text": f"{why}: {one.text} ({one.answer}); {two.text} ({two.answer})",
            }
            for one, two, why in found
        ]

    # The verdict

    def _result(self) -> dict[str, Any]:
        """Names the buggy call.

        When calls that nobody could judge may hide the bug, nothing is claimed to be found: `found` is False and
        `candidates` names all of them, the call known to be wrong first.
        """
        area, tree = self._area, self.tree
        node = area.top
        place = tree.place(node)
        unknown = area.unknown()
        candidates = [
            {"node": n, "function": p.function, "file": p.file, "line": p.line, "title": tree.title(n)}
            for n, p in ((n, tree.place(n)) for n in ([node, *unknown] if unknown else []))
        ]
        search = self._inside
        hidden = search.blind() if search is not None else []
        candidates += [
            {
                "node": part.id,
                "function": place.function,
                "file": place.file,
                "line": part.line,
                "title": tree.title(part.id),
            }
            for part in sorted(hidden, key=lambda part: part.start)
        ]
        given = Counter(entry.source for entry in self._history)
        title = tree.title(node)
        blamed = None if search is None else blame.blamed(search.top)
        code = self._code(node) if blamed is None else blame.lit(tree, node, blamed)
        if hidden:
            named = ", ".join(str(c["title"]) for c in candidates[:5])
            text = f"{title} is where it goes wrong; the bug is in what nobody could judge: {named}"
            text += ", …" if len(candidates) > 5 else ""
        elif unknown:
            named = ", ".join(str(c["title"]) for c in candidates[:5])
            text = f"The bug is in one of {len(candidates)} calls: {named}"
            text += ", …" if len(candidates) > 5 else ""
        elif tree.size[node] == 1:
            text = f"{title} is where it goes wrong: it called nothing else."
        else:
            text = f"{title} is where it goes wrong: the calls it made are right."
        if blamed is not None and not hidden:
            text = f"{title} is where it goes wrong, {blamed['text']}."
        return {
            "found": not unknown and not hidden,
            "node": node,
            "function": place.function,
            "file": place.file,
            "line": place.line,
            **code,
            "blamed": blamed,
            "questions": sum(given.values()) - given[TRUST] - given[EQUAL_QUESTION],
            "answered_by": dict(given),
            "candidates": candidates,
            "title": title,
            "text": text,
        }

    def _code(self, node: int) -> dict[str, Any]:
        """The code to blame of a call; how it depends on what was marked, as long as that takes no age."""
        trace = self.tree.trace
        if trace is not None and hasattr(trace, "end") and trace.end[node] - trace.start[node] > _LONG:
            return blame.executed(self.tree, node)
        entry = self._verdicts.get(node)
        mark = "" if entry is None or entry.answer != WRONG else dict(entry.details).get("mark", "")
        try:
            return buggy_code(self.tree, node, mark)
        except ValueError:  # a mark that names no part of the outcome
            return buggy_code(self.tree, node)

    # The session file

    def _open_file(self, path: Path | None) -> None:
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            self._give_up_file(path, error)

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._file is None:
            return
        trace = self.tree.trace
        header = {
            "session": 1,
            "trace": "" if trace is None else trace.path.name,
            "nodes": len(self.tree),
            "root": self.root,
            "strategy": self._strategy,
        }
        try:
            # The header comes with the first answer: a session without answers must not hide an earlier one.
            if not self._header_written:
                self._file.write(json.dumps(header, ensure_ascii=False) + "\n")
                self._header_written = True
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._file.flush()
        except OSError as error:
            self._give_up_file(Path(self._file.name), error)

    def _give_up_file(self, path: Path, error: OSError) -> None:
        self.notes.append(f"answers are not kept: cannot write {path}: {error.strerror or error}")
        self._file = None

    def _line(self, entry: Entry) -> dict[str, Any]:
        return {**self._history_body(entry), **dict(entry.details)}

    def _history_body(self, entry: Entry) -> dict[str, Any]:
        place = self.tree.place(entry.node)
        part = self.tree.code(entry.node)
        return {
            "node": entry.node,
            **({} if part is None else {"code": part.key, "kind": part.kind}),
            "title": entry.title,
            "text": entry.text,
            "answer": entry.answer,
            "source": entry.source,
            "file": place.file,
            "line": place.line,
        }

    def close(self) -> None:
        """Closes the session file and lets the oracles go."""
        if self._file is not None:
            self._file.close()
            self._file = None
        for oracle in self.oracles:
            oracle.close()


def _checked_strategy(name: str) -> str:
    if not isinstance(name, str) or name not in STRATEGIES:
        raise AnswerError(f"there is no strategy {name!r}", f"one of: {', '.join(STRATEGIES)}")
    return name


def _checked_depth(depth: str) -> str:
    if depth not in DEPTHS:
        raise AnswerError(f"there is no depth {depth!r}", f"one of: {', '.join(DEPTHS)}")
    return depth


def _within(inner: CodeNode, outer: CodeNode) -> bool:
    """Of one call, is some code a part of other code, by its time?"""
    return (
        inner.code is outer.code
        and outer.start <= inner.start
        and inner.end <= outer.end
        and (inner.start < inner.end or inside(inner, outer))
    )


def _effective(answers: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The answers of the last session in a file that still hold: without those undone and what followed from them.

    Answers to equal questions follow again by themselves.
    """
    kept: list[Mapping[str, Any]] = []
    for line in answers:
        if "answer" not in line:
            if "session" in line:
                kept.clear()
                continue
            raise AnswerError(
                f"not an answer: {json.dumps(line, default=str)[:80]}", 'each line is {"answer": …}'
            )
        if line["answer"] != UNDO:
            kept.append(line)
            continue
        while kept and kept[-1].get("source", USER) not in (USER, TRUST, ANSWERS_FILE):
            kept.pop()
        if kept:
            kept.pop()
    return [line for line in kept if line.get("source") != EQUAL_QUESTION]


def read_answers(path: Path) -> list[dict[str, Any]]:
    """Reads a session file, or any file of JSON lines with answers; the last line may be cut off."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise AnswerError(f"{path} is not a file of answers", 'each line is {"answer": …}') from None
    answers: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            answer = json.loads(line)
        except ValueError:
            if number == len(lines) and answers:
                break  # a crash while it was written
            raise AnswerError(f"{path} line {number} is not JSON", 'each line is {"answer": …}') from None
        if not isinstance(answer, dict):
            raise AnswerError(f"{path} line {number} is not an answer", 'each line is {"answer": …}')
        answers.append(answer)
    return answers
