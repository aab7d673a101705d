"""Where the search is after the answers so far: the call known to be wrong, the wrong code in it, what is suspected.

Everything follows from the verdicts, in whatever order they were given. A wrong call inside the one known to be wrong
says more, one around it says nothing new; the same holds for wrong code of one call (`focus`).
"""

from __future__ import annotations

from algodebug.answers import CORRECT, INADMISSIBLE, NOT_CALLED, RIGHT, UNKNOWN, WRONG, Entry
from algodebug.call_code import RoutineCode
from algodebug.code_nodes import RANGE, CodeNode, inside
from algodebug.code_search import CodeSearch
from algodebug.execution_tree import ExecutionTree
from algodebug.expression_nodes import ExpressionNode
from algodebug.marked_code import without_influence
from algodebug.search import Run, SuspiciousArea, Weights
from algodebug.search.suspicious_area import Mark
from algodebug.slicing.blame import influencing_nodes, slicer_of
from algodebug.slicing.criteria import parse_criterion
from algodebug.slicing.origin import origin_node
from algodebug.verdicts import Verdicts

LONG = 500_000  # events of a call, the calls in it included, in which dependences are not followed


class Whereabouts:
    """The suspicious area below the call known to be wrong, and the wrong code in it."""

    def __init__(self, tree: ExecutionTree, root: int, verdicts: Verdicts) -> None:
        self.tree = tree
        self.root = root
        self.verdicts = verdicts
        # The calls that an error passed through, or that never ended: most likely one of them is to blame.
        self.chain = tree.raising_chain(root) or tree.unfinished_chain(root)
        self._links = frozenset(self.chain)
        self.victim = tree.victim(root, self.chain)
        if self.victim is not None:
            self.chain = self.chain[: self.chain.index(self.victim)]
        self._weights: dict[frozenset[int], Weights] = {}
        self._marks: dict[tuple[int, str], Mark | None] = {}  # what each mark says
        self._apart: dict[tuple[int, str], list[CodeNode]] = {}  # what has no part in each mark
        self.focus: CodeNode | None = None  # of the top: the code that was called wrong
        self.area = self._made()

    def update(self) -> None:
        """Makes everything anew from the verdicts."""
        self.area = self._made()

    def take(self, entry: Entry) -> bool:
        """Brings the area up to date with a new verdict; False when it has to be made anew."""
        area, node = self.area, entry.node
        if self.tree.code(node) is not None:
            return False
        if dict(entry.details).keys() & {"mark", "argument"}:
            return False  # what could not influence what is marked is looked for
        if entry.answer == CORRECT:
            if node in area and node != area.top:
                area.remove(node)
            return not self.tree.inside(area.top, node)
        if entry.answer == UNKNOWN:
            area.skip(node)
            return True
        if entry.answer == WRONG and node in area and self.verdicts.may_be_blamed(node):
            if node != area.top:
                self.focus = None
            area.narrow(node)
            return True
        return False

    def _made(self) -> SuspiciousArea:
        tree, verdicts = self.tree, self.verdicts
        top, self.focus = self._top()
        trusted = verdicts.trusted
        weights = self._weights.get(trusted)
        if weights is None:
            self._weights.clear()
            weights = self._weights[trusted] = Weights(tree, trusted)
        area = SuspiciousArea(tree, top, weights)
        if self.focus is not None:
            _leave_only(area, self.focus)
        if self.victim is not None and self.victim in area and self.victim != top:
            area.remove(self.victim)
        for node, entry in verdicts.entries.items():
            part = tree.code(node)
            if part is not None:
                _take_code(area, part, entry.answer)
            elif entry.answer in RIGHT:
                if node in area and node != top:
                    area.remove(node)
            elif entry.answer == UNKNOWN:
                area.skip(node)
            elif entry.answer == WRONG:
                area.assume(node, False)
        for node, entry in verdicts.entries.items():
            if tree.code(node) is None and (mark := self._mark(node, entry, area.top)) is not None:
                area.mark(mark)
        return area

    def _top(self) -> tuple[int, CodeNode | None]:
        """The call known to be wrong, and the code in it that is."""
        tree, verdicts = self.tree, self.verdicts
        top: int = self.root
        focus: CodeNode | None = None
        for node, entry in verdicts.entries.items():
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
                while not verdicts.may_be_blamed(wrong) and wrong != self.root:
                    wrong = tree.parent[wrong]
                if wrong >= 0 and wrong not in verdicts.entries:
                    verdicts.derived[wrong] = WRONG
            if (
                wrong is not None
                and tree.inside(wrong, self.root)
                and verdicts.may_be_blamed(wrong)
                and not tree.inside(top, wrong)
            ):
                top, focus = wrong, None
        return top, focus

    def _narrowed(
        self, top: int, focus: CodeNode | None, part: CodeNode, answer: str
    ) -> tuple[int, CodeNode | None]:
        """Where the search is after a verdict on code of a call."""
        tree, verdicts, call = self.tree, self.verdicts, part.code.node
        wrong: CodeNode | None = part if answer == WRONG else None
        if answer == NOT_CALLED:
            # What decided that it ran is to blame.
            wrong = part.parent
            while wrong is not None and wrong.kind == RANGE:
                wrong = wrong.parent
            if wrong is not None and wrong.id >= 0 and wrong.id not in verdicts.entries:
                verdicts.derived[wrong.id] = WRONG
        if wrong is None or not tree.inside(call, self.root) or not verdicts.may_be_blamed(call):
            return top, focus
        if wrong.id < 0:
            return (top, focus) if tree.inside(top, call) else (call, None)
        if call == top:
            known = focus is not None and (
                inside(focus, wrong) or (not inside(wrong, focus) and within(focus, wrong))
            )
            return top, focus if known else wrong
        if tree.inside(top, call):
            made = run_of(wrong)
            if made is not None and made.first <= top < tree.end(made.last):
                return top, focus
        return call, wrong

    # Parts of values called wrong

    def _mark(self, node: int, entry: Entry, top: int) -> Mark | None:
        """What a part called wrong, or an argument called inadmissible, says about the calls below the top."""
        path = entry.mark
        if entry.answer == WRONG and path and node == top:
            pass
        elif entry.answer == INADMISSIBLE and (path or dict(entry.details).get("argument")):
            if self.tree.parent[node] != top:
                return None
            path = path or f"argument {dict(entry.details)['argument']}"
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
        if trace.end[around] - trace.start[around] > LONG:
            return None
        try:
            influencing = influencing_nodes(trace, node, path)
            origin = origin_node(slicer_of(trace), parse_criterion(trace, node, path))
        except (ValueError, KeyError):  # a mark that names no part
            return None
        return Mark(node, origin, None if influencing is None else frozenset(influencing))

    # The code inside the top

    def code_search(self, expressions: bool = False) -> CodeSearch | None:
        """The search in the code of the call known to be wrong; None where there is nothing to ask about."""
        code = self.tree.code_of(self.area.top)
        if code is None or not (code.has_structure or (expressions and code.top.expressions)):
            return None
        # Where the user has looked into a statement the search stays there.
        expressions = expressions or isinstance(self.focus, ExpressionNode)
        right, unknown = [], []
        for node, entry in self.verdicts.entries.items():
            part = self.tree.code(node)
            if part is None or part.code is not code:
                continue
            if entry.answer in RIGHT:
                right.append(part)
            elif entry.answer == UNKNOWN:
                unknown.append(part)
        if self.victim is not None and self.tree.parent[self.victim] == self.area.top:
            # Where the call was made that the recursion limit fell on.
            made = code.around(self.victim, self.victim)
            if made is not None and not made.children:
                right.append(made)
        right += self._without_influence(code)
        return CodeSearch(self.focus or code.top, right, unknown, expressions=expressions)

    def _without_influence(self, code: RoutineCode) -> list[CodeNode]:
        """What of it had nothing to do with the part of its outcome that was called wrong."""
        trace, entry = self.tree.trace, self.verdicts.entries.get(code.node)
        if trace is None or entry is None or entry.answer != WRONG or not entry.mark:
            return []
        if trace.end[code.node] - trace.start[code.node] > LONG:
            return []
        key = (code.node, entry.mark)
        if key not in self._apart:
            self._apart[key] = without_influence(trace, code, entry.mark)
        return self._apart[key]


def run_of(code: CodeNode) -> Run | None:
    """The calls made in some code."""
    made, calls = code.calls, code.code.calls
    return Run(code.code.node, calls[made[0]], calls[made[-1]]) if made else None


def within(inner: CodeNode, outer: CodeNode) -> bool:
    """Of one call, is some code a part of other code, by its time?"""
    return (
        inner.code is outer.code
        and outer.start <= inner.start
        and inner.end <= outer.end
        and (inner.start < inner.end or inside(inner, outer))
    )


def _leave_only(area: SuspiciousArea, focus: CodeNode) -> None:
    """Of the calls that the top made only those made in the wrong code can be buggy."""
    run = run_of(focus)
    calls = focus.code.calls
    if run is not None:
        area.narrow(run)
    elif calls:
        area.remove(Run(area.top, calls[0], calls[-1]))


def _take_code(area: SuspiciousArea, part: CodeNode, answer: str) -> None:
    run = run_of(part)
    if run is None or run.parent not in area:
        return
    if answer in RIGHT:
        area.remove(run)
    elif answer == UNKNOWN:
        area.skip(run)
