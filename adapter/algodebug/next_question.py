"""Which node is asked about next, why, and about how many questions are left.

First the wrong call is looked for; a run of calls of one caller is asked about as the code that made them. When the
call is found, and the user wants it, the search goes on among its loops, iterations and statements.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from itertools import islice

from algodebug.answers import AUTO, CODE, EXPRESSION
from algodebug.code_nodes import CodeNode, inside
from algodebug.code_search import CodeSearch
from algodebug.search import (
    DEFAULT_STRATEGY,
    Run,
    SuspiciousArea,
    next_question,
    ranges,
    strategies,
)
from algodebug.verdicts import Verdicts
from algodebug.whereabouts import Whereabouts, run_of, within

_FEW = 8  # calls left that are asked about one by one
_TRIED = 8  # calls that the oracles are asked about in the place of one that the user would be


class NextQuestion:
    """Picks a node; `inside` is the search in the code of the wrong call, once the calls it made are right."""

    def __init__(self, verdicts: Verdicts, where: Whereabouts, strategy: str, depth: str) -> None:
        self.tree = where.tree
        self.verdicts = verdicts
        self.where = where
        self.strategy = strategy
        self.depth = depth
        self.inside: CodeSearch | None = None
        self._maker: int | None = None  # of the value just called wrong

    def choose(self, last: int | None) -> int | None:
        """The node to ask about after an answer for the call `last`; None when the search is over."""
        self.inside = None
        area = self.where.area
        self._maker = self._maker_of_marked(last)
        if self._maker is not None:
            return self._maker
        if self.strategy == DEFAULT_STRATEGY and self.where.chain:
            node = strategies.halve_chain(area, self.where.chain)
            if node is not None:
                return node
        found = next_question(area, last, self.strategy, runs=self._asks_runs(), cuts=self._iterations_at)
        if isinstance(found, Run):
            code = self._code_of_run(found)
            node_alone = next_question(area, last, self.strategy, runs=False)
            assert not isinstance(node_alone, Run)
            if code is not None and (node_alone is None or self._pays(code, node_alone)):
                return code.id
            found = node_alone
        return found if found is not None else self._choose_code()

    def _maker_of_marked(self, last: int | None) -> int | None:
        """The call that made the value just called wrong, if it can be asked about."""
        area = self.where.area
        if self.strategy != DEFAULT_STRATEGY or not area.marks or area.marks[-1].node != last:
            return None
        maker = area.marks[-1].origin
        if maker is None or maker not in area or not area.askable(maker):
            return None
        # A call that made most of the others says little: a value may be made there and go through many.
        return maker if 2 * area.weight(maker) <= area.total + 1 else None

    def instead(self, node: int, silent: Collection[int], last: int | None) -> Iterator[int]:
        """Calls to ask the oracles about before the user is asked about `node`, on which they are silent."""
        if self.strategy != DEFAULT_STRATEGY or self.inside is not None:
            return
        area = self.where.area.copy()
        for other in (node, *silent):
            if self.tree.code(other) is None and other in area:
                area.skip(other)
        for _ in range(_TRIED):
            found = next_question(area, last, self.strategy, runs=False)
            if found is None or isinstance(found, Run):
                return
            yield found
            area.skip(found)

    # Runs of calls, as the code that made them

    def _asks_runs(self) -> bool:
        return self.tree.codes is not None and self.where.area.total > _FEW

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
        if node is None or self.verdicts.entries.get(node.id) is not None:
            return None
        focus = self.where.focus
        if run.parent == self.where.area.top and focus is not None:
            # Asking about all of it, or more, tells nothing.
            if not inside(node, focus) and not within(node, focus):
                return None
            if node.start <= focus.start and focus.end <= node.end:
                return None
        return node if node.says_something else None

    def _pays(self, code: CodeNode, node: int) -> bool:
        area = self.where.area
        run = run_of(code)
        return (
            run is not None
            and run not in area.skipped_runs
            and area.weight(run) < area.total
            and ranges.pays(area, run, node)
        )

    # The code inside the call to blame

    def _zooms(self) -> bool:
        if self.depth == AUTO:
            return SuspiciousArea(self.tree, self.where.root, self.where.area.weights).total == 0
        return self.depth in (CODE, EXPRESSION)

    @property
    def can_zoom(self) -> bool:
        """Is the search over, with code inside the call found that could be asked about?"""
        return self.inside is None and not self.where.area.unknown() and self.where.code_search() is not None

    def _choose_code(self) -> int | None:
        if not self._zooms() or self.where.area.unknown():
            return None
        self.inside = self.where.code_search(self.depth == EXPRESSION)
        node = None if self.inside is None else self.inside.choose()
        return None if node is None else node.id

    # What is said about the question

    def remaining(self, picked: bool) -> int:
        """About how many questions are left."""
        area = self.where.area
        if self.inside is not None:
            return max(math.ceil(math.log2(self.inside.total() + 1)), 1)
        if area.total <= 0:
            return 1 if picked else 0
        halvings = math.ceil(math.log2(area.total + 1))
        if self.strategy == "divide-and-query":
            return halvings
        if self.strategy == "single-stepping":
            return (area.total + 1) // 2
        siblings = sum(1 for _ in islice(area.children_left(area.top), 1000))
        return max(halvings, (siblings + 1) // 2)

    def why(self, node: int) -> str:
        """Why a node that the strategy has picked is asked about."""
        area, tree = self.where.area, self.tree
        code = tree.code(node)
        if code is not None:
            return self._why_code(code)
        if not area.askable(node):
            return "it was answered before"
        if node == self._maker:
            return "the value called wrong was made in it"
        if self.strategy == DEFAULT_STRATEGY and node in self.where.chain:
            if tree.outcome_name(node) == "unfinished":
                return "it is on the chain of calls that had not ended"
            return "it is on the chain of calls that raised the error which ended the program"
        total, below = area.total, area.weight(node)
        if self.strategy == "divide-and-query":
            right, wrong = total - below, below - 1
            if total == 1:
                return "it is the only call left"
            if abs(right - wrong) <= 1:
                return f"it splits the remaining {total} in half"
            return f"of the remaining {total}, {right} stay if it is right and {wrong} if it is wrong"
        if self.strategy == "single-stepping":
            return "everything it called is right"
        top = tree.place(area.top).function
        if self.strategy == "heaviest-first":
            return f"of the calls made by {top}, which went wrong, it did most"
        return f"it is the next call made by {top}, which went wrong"

    def _why_code(self, code: CodeNode) -> str:
        area, function = self.where.area, self.tree.place(code.code.node).function
        if self.inside is None:
            run = run_of(code)
            if run is None or not area.weight(run):
                return "it was answered before"
            return f"it made {area.weight(run)} of the remaining {area.total} calls"
        share = self.inside.share(code)
        if share > 0.9:
            return f"it is about all that is left of {function}"
        return (
            f"it is {'about half' if 0.4 <= share <= 0.6 else f'{share:.0%}'} of what is left of {function}"
        )
