"""The code inside a routine as nodes of the execution tree: loops, iterations, ranges and statements.

Each stands for ⟨state before, code executed, state after⟩. A long sequence is halved again and again, so that of a
loop with a thousand iterations about ten questions lead to one. Nodes are made when somebody looks at them; their
numbers follow those of the calls. Values come from `code_state`, what ran from `executed_statements`.
"""

from __future__ import annotations

import ast
import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from algodebug import code_flow, code_state
from algodebug.code_flow import Flow
from algodebug.code_state import Change, Input
from algodebug.executed_statements import (
    BREAK,
    CONTINUE,
    ITERATION,
    LOOP,
    NEXT,
    RAISE,
    STATEMENT,
    UNFINISHED,
    LocatedIterations,
    Step,
)
from algodebug.located_values import HandedInTurn
from algotrace.bodies import changes_by_imports, imported_in
from algotrace.printed import Printed, printed_by
from algotrace.values import Yielded

if TYPE_CHECKING:
    from algodebug.call_code import RoutineCode
    from algodebug.statement_syntax import Region
    from algotrace.values import Value

RANGE, ROUTINE, EXPRESSION = "range", "routine", "expression"
KINDS = (LOOP, ITERATION, RANGE, STATEMENT, EXPRESSION)

_GAP = 0.1  # how likely it is that something is missing between two statements, where a statement counts 1
_MANY = 1000  # iterations that are not compared with others
_FEW = 20  # … of those that would be read for that alone
_LARGE = 10_000  # parts of a value that is not compared


class CodeNode:
    """Some of what an activation executed: one step, or consecutive ones of a sequence."""

    def __init__(
        self,
        code: RoutineCode,
        kind: str,
        parent: CodeNode | None,
        sequence: Sequence[Step],
        first: int,
        end: int,
    ) -> None:
        self.code = code
        self.kind = kind
        self.parent = parent
        self.sequence = sequence  # what `first` and `end` are positions in
        self.first = first
        self.last = end - 1
        self.id = -1

    def __repr__(self) -> str:
        return f"<{self.kind} {self.id} of {self.code.node}: {self.steps}>"

    @property
    def steps(self) -> Sequence[Step]:
        return self.sequence[self.first : self.last + 1]

    @property
    def count(self) -> int:
        """How many steps these are."""
        return self.last - self.first + 1

    @property
    def is_of_expressions(self) -> bool:
        """Is it an evaluation, or several in a row?"""
        return False

    @property
    def is_of_iterations(self) -> bool:
        return self.sequence[self.first].kind == ITERATION

    @property
    def is_located(self) -> bool:
        """Is it of iterations so many that each is read when it is looked at?"""
        return isinstance(self.sequence, LocatedIterations)

    @cached_property
    def start(self) -> int:
        return self.sequence[self.first].start

    @cached_property
    def end(self) -> int:
        return max(self.sequence[self.last].end, self.start)

    @property
    def ended(self) -> str:
        """How the code was left: "" when it ran to its end."""
        ended = self.sequence[self.last].ended
        return NEXT if ended == CONTINUE and self.is_of_iterations else ended

    @cached_property
    def region(self) -> Region:
        syntax = self.code.syntax
        if self.kind == ROUTINE:
            regions = [syntax.region(step.syntax) for step in self.steps]
            return (*min(r[:2] for r in regions), *max(r[2:] for r in regions))
        if self.is_of_iterations:
            loop: Any = self.sequence[self.first].syntax
            first, last = syntax.region(loop), syntax.region(loop.body[-1])
            return (*first[:2], *last[2:])
        return (
            *syntax.region(self.sequence[self.first].syntax)[:2],
            *syntax.region(self.sequence[self.last].syntax)[2:],
        )

    @cached_property
    def children(self) -> list[CodeNode]:
        """The parts of this code that are nodes themselves, in order."""
        if self.last > self.first:
            return self._halves(self.sequence, self.first, self.last + 1)
        step = self.sequence[self.first]
        if self.kind == ROUTINE and not step.parts:
            return []  # its only statement is all there is to it
        if self.kind == ROUTINE or (
            # Nothing is evaluated at the start of these but the part itself.
            step.kind == ITERATION and len(step.parts) == 1 and not isinstance(step.syntax, ast.While)
        ):
            inner = step if self.kind == ROUTINE else step.parts[0]
            if inner.kind == STATEMENT and not inner.parts:
                return []
            if self.kind != ROUTINE:
                step = inner
        found = self._halves(step.parts, 0, len(step.parts))
        return found + self._halves(step.orelse, 0, len(step.orelse))

    def _halves(self, sequence: Sequence[Step], first: int, end: int) -> list[CodeNode]:
        if end - first < 1:
            return []
        if end - first == 1:
            return [self._node(sequence, first, end)]
        sums = self.code.sums(sequence)
        middle = bisect_left(sums, (sums[first] + sums[end]) / 2, first + 1, end - 1)
        if middle - 1 > first and 2 * sums[middle - 1] - sums[first] - sums[end] > -(
            2 * sums[middle] - sums[first] - sums[end]
        ):
            middle -= 1  # the cut before is nearer to the middle
        cut = _cut_near(sequence, first, middle, end)
        if cut is None:
            # Where one ends and the next begins is not told.
            return [] if self.last > self.first else [self._node(sequence, first, end)]
        return [self._node(sequence, first, cut), self._node(sequence, cut, end)]

    def _node(self, sequence: Sequence[Step], first: int, end: int) -> CodeNode:
        step = sequence[first]
        kind = step.kind if end - first == 1 else RANGE
        return self.code.register(CodeNode(self.code, kind, self, sequence, first, end))

    @cached_property
    def expressions(self) -> list[CodeNode]:
        """What this code evaluates itself, as nodes; made from the slicer's walk of the activation."""
        return self.code.expressions.of(self)

    @property
    def parts(self) -> list[CodeNode]:
        """Children and expressions, in order."""
        return sorted([*self.expressions, *self.children], key=lambda part: (part.start, part.end))

    # How likely it is to be wrong

    @cached_property
    def own(self) -> float:
        """The weight of what this node executes itself, and of what may be missing in it."""
        step = self.sequence[self.first]
        if self.kind == RANGE and self.children:
            return 0.0 if step.kind == ITERATION else _GAP
        if self.kind == ROUTINE:
            return _GAP
        if self.kind == ITERATION and not isinstance(step.syntax, ast.While):
            return _GAP if self.children else 1.0
        return 1.0

    @cached_property
    def weight(self) -> float:
        sums = self.code.sums(self.sequence)
        return float(sums[self.last + 1] - sums[self.first]) + (self.own if self.own < 1 else 0)

    # What it did

    @property
    def calls(self) -> range:
        """The positions, among the calls that the activation made, of those made in this code."""
        starts = self.code.call_starts
        return range(bisect_left(starts, self.start), bisect_left(starts, self.end))

    @cached_property
    def flow(self) -> Flow:
        steps = code_flow.distinct(self.sequence, self.first, self.last + 1)
        return code_flow.flow_of(steps, self.code.flows)

    @property
    def loop_names(self) -> tuple[str, ...]:
        """The names that a `for` binds, for the loop and its iterations."""
        node = self.sequence[self.first].syntax
        if self.kind == STATEMENT or not (self.kind == LOOP or self.is_of_iterations):
            return ()
        if not isinstance(node, (ast.For, ast.AsyncFor)):
            return ()
        return tuple(part.id for part in ast.walk(node.target) if isinstance(part, ast.Name))

    @cached_property
    def inputs(self) -> list[Input]:
        """The variables that were read before they were written, as they were before."""
        bound = {}
        if self.is_of_iterations:
            bound = dict.fromkeys(self.loop_names, self.sequence[self.first].body_start)
        return code_state.inputs_of(self.code.variables, self.flow, self.start, bound)

    def handed(self, name: str) -> Value:
        """What a loop bound a name to, in each of the iterations, as one list."""
        variables = self.code.variables
        if isinstance(self.sequence, LocatedIterations):
            return HandedInTurn(self.code.trace, variables, name, self.sequence, self.first, self.last + 1)
        pairs = [
            (number, step.body_start)
            for step in self.steps
            if (number := variables.number(name, step.body_start)) is not None
        ]
        number, time = pairs[0] if pairs else (-1, self.start)
        return Yielded(self.code.trace, pairs, time, f"{number}@{time}")

    @cached_property
    def changes(self) -> list[Change]:
        """Variables bound anew and objects changed, old → new."""
        names = self.loop_names
        variables = self.code.variables
        own = set(names if self.is_of_iterations else ())
        for step in [self.sequence[self.first]] if self.is_of_iterations else self.steps:
            # What an inner loop binds is its own matter, unless it was something else before.
            for name in self.code.loop_names(step.syntax):
                if variables.data(name, self.start) is None:
                    own.add(name)
        end = self.end
        written = self.code.trace.written_in([(self.start, end - 1)]) if end > self.start else []
        changes = code_state.changes_of(variables, self.flow, self.start, end, frozenset(own), written)
        imported = changes_by_imports(self.code.trace, self.modules, end)
        return [*changes, *(Change(*change) for change in imported)]

    @property
    def modules(self) -> list[int]:
        """The bodies of modules that were imported in this code, by the calls made in it, too."""
        trace, calls = self.code.trace, self.code.calls
        within = self.calls
        if not within:
            return []
        last = calls[within[-1]]
        return imported_in(trace, calls[within[0]], last + trace.size[last])

    @cached_property
    def outcome(self) -> tuple[str, Value | None]:
        call = self.code.trace.call(self.code.node)
        ended = NEXT if self.kind == LOOP and self.ended == BREAK else self.ended
        return code_state.outcome_of(self.code.variables, ended, self.end, call.outcome)

    @property
    def says_something(self) -> bool:
        """Is there anything by which it could be judged?"""
        return (
            bool(self.changes) or self.printed is not None or self.outcome[0] in ("return", "raise", "break")
        )

    @property
    def never_ended(self) -> bool:
        """Is it a loop, or iterations of one, that was stopped from outside?"""
        if self.kind not in (LOOP, RANGE) or (self.kind == RANGE and not self.is_of_iterations):
            return False
        ended = self.sequence[self.last].ended
        stopped = self.code.trace.environment.get("exit", {}).get("kind") in ("limit", "interrupt")
        return ended == UNFINISHED or (ended == RAISE and stopped)

    @property
    def line(self) -> int:
        return self.region[0]

    @cached_property
    def printed(self) -> Printed | None:
        """What it, and the calls made in it, printed."""
        return printed_by(self.code.trace, self.code.node, self.start, self.end)

    @property
    def positions(self) -> tuple[int, int, int]:
        """Of iterations: the first, the last, and how many there are, counted from 1."""
        return self.first + 1, self.last + 1, len(self.sequence)

    @cached_property
    def key(self) -> list[Any]:
        """What names the node in a file: stable for one trace."""
        return [self.code.node, self.kind, self.start, self.end, *self.region]

    def fingerprint(self) -> bytes | None:
        """Equal for the same code with equal inputs, outcome and changes; None where a value is too large or unsure."""
        kind, value = self.outcome
        if kind == "unfinished" or self.count > (_FEW if self.is_located else _MANY):
            return None
        shown: list[tuple[str, Value | None]] = [(each.name, each.value) for each in self.inputs]
        shown.append((kind, value))
        if self.printed is not None and (self.printed.more or not self.printed.certain):
            return None
        for change in self.changes:
            shown += [(change.target, change.before), (change.target, change.after)]
        text = self.code.text_of(self.region)
        # What code should do depends on where it stands, even where it is written the same.
        what = f"{self.kind}\0{self.code.qualname}\0{self.region}\0{self.last - self.first}\0{text}"
        if self.is_of_iterations:
            # What the loop hands to its later iterations is not among the inputs.
            names = self.loop_names
            for step in self.steps[1:] if names else ():
                shown += [(name, self.code.variables.data(name, step.body_start)) for name in names]
        what += "" if self.printed is None else f"\0printed\0{self.printed.text}"
        digest = hashlib.blake2b(what.encode(errors="surrogatepass"), digest_size=16)
        for name, part in shown:
            if part is None:
                digest.update(f"\0{name}\0-".encode())
                continue
            if not part.certain or (part.length or 0) > _LARGE:
                return None
            key = part.key()
            digest.update(f"\0{name}\0{len(key)}\0".encode())
            digest.update(key)
        return digest.digest()


def _cut_near(sequence: Sequence[Step], first: int, middle: int, end: int) -> int | None:
    """The place nearest to the middle where one step is told from the next."""
    for distance in range(end - first):
        for cut in (middle - distance, middle + distance):
            if first < cut < end and not sequence[cut - 1].joined:
                return cut
    return None


def code_below(top: CodeNode, kinds: Sequence[str]) -> Iterator[tuple[CodeNode, int]]:
    """The code of some kinds inside other code, in order, each with how deep among them it lies (from 1)."""
    expressions = EXPRESSION in kinds
    pending = [(part, 1) for part in reversed(top.parts if expressions else top.children)]
    while pending:
        node, depth = pending.pop()
        shown = node.kind in kinds
        if shown:
            yield node, depth
        parts = node.parts if expressions else node.children
        pending += [(part, depth + shown) for part in reversed(parts)]


def ancestors(node: CodeNode) -> Iterator[CodeNode]:
    """The node, what it is a part of, and so on up to the routine."""
    above: CodeNode | None = node
    while above is not None:
        yield above
        above = above.parent


def inside(node: CodeNode, other: CodeNode) -> bool:
    return node.code is other.code and any(above is other for above in ancestors(node))
