"""The expressions of a statement as nodes: each evaluation with what it was computed from and what it gave.

Evaluations are the instances that the slicer's walk of the activation makes (`slicing.walk`); a statement, or the head of a
loop or branch, is given those that lie in it by place and time. Names and constants are what they are and no nodes.
What has no known value is passed over for its parts.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from algodebug import code_flow, code_state
from algodebug.activation_events import BOUNDED, events_of
from algodebug.code_nodes import EXPRESSION, RANGE, ROUTINE, CodeNode
from algodebug.code_state import Change, Input
from algodebug.executed_statements import ITERATION, LOOP, STATEMENT, Step
from algodebug.expression_values import Displayed, is_data, value_of
from algodebug.slicing.blame import slicer_of
from algodebug.slicing.instances import (
    CONSTANT,
    ENTRY,
    PARAMETER,
    PART,
    RAISE,
    RETURN,
    STORE,
    TEST,
    WRITE,
    Instance,
)
from algodebug.statement_syntax import inside

if TYPE_CHECKING:
    from algodebug.call_code import RoutineCode
    from algodebug.code_flow import Flow
    from algodebug.slicing.graph import Graph
    from algodebug.slicing.source_files import SourceFile
    from algodebug.statement_syntax import Region, Syntax
    from algotrace.values import Value

SHOWN = (
    ast.Call,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.BoolOp,
    ast.IfExp,
    ast.Subscript,
    ast.Attribute,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.List,
    ast.Tuple,
    ast.Set,
    ast.Dict,
    ast.JoinedStr,
    ast.Await,
    ast.NamedExpr,
)
_NO_EVALUATION = frozenset({TEST, PART, WRITE, STORE, RETURN, RAISE, PARAMETER, ENTRY})
_FEW = 8  # parts of one expression that are not gathered into ranges
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)
_GENERATORS = (ast.GeneratorExp, ast.Lambda)  # what is in them runs elsewhere
_COPIED = (ast.Expr, ast.Return)


class Evaluation:
    """One evaluation of an expression, with those of its parts in order."""

    __slots__ = ("end", "instance", "node", "operands", "parts", "region")

    def __init__(self, instance: Instance, region: Region, end: int) -> None:
        self.instance = instance
        self.node: Any = instance.node
        self.region = region
        self.end = end  # the time when it was over
        self.parts: list[Evaluation] = []
        self.operands: list[Evaluation] = []  # names and constants among them, parts that are passed over not


class ExpressionNode(CodeNode):
    """One evaluation, or consecutive ones among the parts of an expression."""

    def __init__(
        self, owner: CodeNode, parent: CodeNode, siblings: Sequence[Evaluation], first: int, end: int
    ) -> None:
        kind = EXPRESSION if end - first == 1 else RANGE
        super().__init__(owner.code, kind, parent, owner.sequence, owner.first, owner.last + 1)
        self.owner = owner  # the statement, or what else of code it belongs to
        self.siblings = siblings
        self.first_of = first
        self.evaluations = siblings[first:end]

    @property
    def is_of_expressions(self) -> bool:
        return True

    @property
    def is_of_iterations(self) -> bool:
        return False

    @property
    def loop_names(self) -> tuple[str, ...]:
        return ()

    @property
    def ended(self) -> str:
        return ""

    @cached_property
    def start(self) -> int:
        earliest = self.evaluations[0]
        while earliest.operands:
            earliest = earliest.operands[0]
        return max(earliest.instance.time, self.owner.start)

    @cached_property
    def end(self) -> int:
        return max(self.evaluations[-1].end, self.start)

    @cached_property
    def region(self) -> Region:
        regions = [each.region for each in self.evaluations]
        return (*min(r[:2] for r in regions), *max(r[2:] for r in regions))

    @cached_property
    def children(self) -> list[CodeNode]:
        if len(self.evaluations) > 1:
            return _halves(self.owner, self, self.siblings, self.first_of, len(self.evaluations))
        return gathered(self.owner, self, self.evaluations[0].parts)

    @property
    def expressions(self) -> list[CodeNode]:
        return self.children

    @property
    def parts(self) -> list[CodeNode]:
        return self.children

    @property
    def own(self) -> float:
        return 1.0 if self.kind == EXPRESSION else 0.0

    @cached_property
    def weight(self) -> float:
        return float(sum(map(_weight, self.evaluations)))

    @property
    def calls(self) -> range:
        starts = self.code.call_starts
        return range(bisect_left(starts, self.start), bisect_left(starts, self.end))

    @cached_property
    def flow(self) -> Flow:
        return code_flow.flow_of_syntax([each.node for each in self.evaluations], self.code.flows)

    @cached_property
    def inputs(self) -> list[Input]:
        """What it was computed from: the operands by their text, with what each gave."""
        if self.kind == RANGE:
            return []
        of = self.evaluations[0]
        found: dict[str, Input] = {}
        operands = of.operands
        if isinstance(of.node, _COMPREHENSIONS):
            # What is computed for each element is told by the parts.
            first = self.code.expressions.parts_of(of.node.generators[0].iter)
            operands = [operand for operand in operands if id(operand.node) in first]
        for operand in operands:
            if operand.instance.kind == CONSTANT or _is_number(operand.node):
                continue
            value = self.code.expressions.value(operand)
            if value is not None and is_data(value):
                text = self.code.text_of(operand.region)
                found[text] = Input(" ".join(text.split()), value)
        return list(found.values())

    @cached_property
    def changes(self) -> list[Change]:
        if self.end <= self.start:
            return []
        written = self.code.trace.written_in([(self.start, self.end - 1)])
        return code_state.changes_of(
            self.code.variables, self.flow, self.start, self.end, frozenset(), written
        )

    @cached_property
    def outcome(self) -> tuple[str, Value | None]:
        values = [self.code.expressions.value(each) for each in self.evaluations]
        if self.kind == EXPRESSION:
            return "value", values[0]
        return "value", Displayed(self.code.trace, "list", (), [v for v in values if v is not None])

    @property
    def says_something(self) -> bool:
        return True

    @property
    def never_ended(self) -> bool:
        return False

    @property
    def positions(self) -> tuple[int, int, int]:
        """Of several evaluations: the first, the last, and how many there are, counted from 1."""
        return self.first_of + 1, self.first_of + len(self.evaluations), len(self.siblings)

    @cached_property
    def key(self) -> list[Any]:
        first, last = self.evaluations[0].instance.order, self.evaluations[-1].instance.order
        return [self.code.node, "evaluations" if self.kind == RANGE else self.kind, first, last, *self.region]

    def fingerprint(self) -> bytes | None:
        # What a call of the program reads besides is not among the operands.
        if self.outcome[1] is None or len(self.calls):
            return None
        return super().fingerprint()


def _weight(evaluation: Evaluation) -> int:
    return 1 + sum(map(_weight, evaluation.parts))


def gathered(owner: CodeNode, parent: CodeNode, evaluations: Sequence[Evaluation]) -> list[CodeNode]:
    """The nodes for the parts of an expression; many of them in halves."""
    if len(evaluations) > _FEW:
        return _halves(owner, parent, evaluations, 0, len(evaluations))
    return [
        owner.code.register(ExpressionNode(owner, parent, evaluations, at, at + 1))
        for at in range(len(evaluations))
    ]


def _halves(
    owner: CodeNode, parent: CodeNode, evaluations: Sequence[Evaluation], first: int, count: int
) -> list[CodeNode]:
    middle = first + count // 2
    return [
        owner.code.register(ExpressionNode(owner, parent, evaluations, start, end))
        for start, end in ((first, middle), (middle, first + count))
    ]


class Expressions:
    """The evaluations of one activation, by the code they belong to."""

    def __init__(self, code: RoutineCode) -> None:
        self.code = code
        slicer = slicer_of(code.trace)
        self.graph: Graph = slicer.graph
        self._file: SourceFile | None = self.graph.files[code.trace.routines[code.routine].source]
        events = events_of(code.trace, code.node) if code.long is None else []
        self._event_times = [event.time for event in events]
        self._instances: list[Instance] = []
        if (
            code.long is None and len(events) < BOUNDED
        ):  # all of the activation is followed: that takes its time
            activation = self.graph.activation(code.node)
            self._instances = [] if activation.failed else activation.instances
        # Some are noted to have seen an earlier state than their predecessors did.
        self._times = list(accumulate((made.time for made in self._instances), max))
        self._below: dict[int, frozenset[int]] = {}

    def value(self, evaluation: Evaluation) -> Value | None:
        return value_of(self.graph, evaluation.instance, evaluation.end)

    def of(self, node: CodeNode) -> list[CodeNode]:
        """What a node evaluates itself: the expressions of a statement, the head of a loop or branch."""
        step = evaluating_step(node)
        if step is None or self._file is None:
            return []
        found: list[Evaluation] = []
        for region, start, end in _windows(step, self.code.syntax):
            found += self._evaluations(region, start, end)
        only = found[0] if len(found) == 1 else None
        if only is not None and _says_the_same(step.syntax, only.region, self.code.syntax):
            found = only.parts  # what the statement itself says is not asked twice
        return gathered(node, node, found)

    def find(self, key: list[Any]) -> CodeNode | None:
        """The node that a key of an earlier session names."""
        order = key[2]
        if not isinstance(order, int) or not 0 <= order < len(self._instances):
            return None
        time = self._times[order]
        pending = [self.code.top]
        while pending:
            node = pending.pop()
            if node.key == key:
                return node
            if isinstance(node, ExpressionNode):
                pending += node.children
            elif node.start <= self._next_event(time) and time <= node.end:
                pending += node.parts
        return None

    def _next_event(self, time: int) -> int:
        at = bisect_left(self._event_times, time)
        return self._event_times[at] if at < len(self._event_times) else time

    def _evaluations(self, region: Region, start: int, end: int) -> list[Evaluation]:
        assert self._file is not None
        # Since the last thing that had happened before.
        at = bisect_left(self._event_times, start)
        low = self._event_times[at - 1] if at else -1
        first, last = bisect_right(self._times, low), bisect_right(self._times, end)
        stack: list[Evaluation] = []
        for index in range(first, last):
            made = self._instances[index]
            if made.kind in _NO_EVALUATION or not isinstance(made.node, ast.expr):
                continue
            place = self._file.place(made.node)
            if not inside(place, region):
                continue
            following = self._times[index + 1] if index + 1 < len(self._times) else end
            self._push(stack, Evaluation(made, place, min(following, end)))
        return list(self._shown(stack))

    def _push(self, stack: list[Evaluation], made: Evaluation) -> None:
        """An evaluation comes after those of its parts."""
        below = self._inside(made.node)
        parts: list[Evaluation] = []
        while stack and (id(stack[-1].node) in below or _goes_on(stack[-1], made)):
            part = stack.pop()
            if part.node is made.node:
                parts[:0] = part.operands
            else:
                parts.insert(0, part)
        made.operands = parts
        stack.append(made)

    def parts_of(self, node: ast.expr) -> frozenset[int]:
        """The syntax of an expression and of all in it, by identity."""
        return self._inside(node) | {id(node)}

    def _inside(self, node: ast.expr) -> frozenset[int]:
        known = self._below.get(id(node))
        if known is None:
            known = self._below[id(node)] = frozenset(id(part) for part in ast.walk(node) if part is not node)
        return known

    def _shown(self, evaluations: Sequence[Evaluation]) -> Iterator[Evaluation]:
        """Those that are nodes, each with the parts that are."""
        for each in evaluations:
            if isinstance(each.node, _GENERATORS):
                continue
            each.parts = list(self._shown(each.operands))
            value = self.value(each) if isinstance(each.node, SHOWN) else None
            if value is not None and is_data(value) and not _is_number(each.node):
                yield each
            else:
                yield from each.parts


def _is_number(node: ast.AST) -> bool:
    """`-1` is a constant, too."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)


def _goes_on(earlier: Evaluation, later: Evaluation) -> bool:
    """Is it the same evaluation, further on? Of `a < b < c` each comparison is an instance."""
    one, two = earlier.instance, later.instance
    return one.node is two.node and (one in two.uses or one is two.copy)


def evaluating_step(node: CodeNode) -> Step | None:
    """The step whose expressions a node evaluates itself; None for what is nothing but its parts."""
    if node.last > node.first:
        return None
    step = node.sequence[node.first]
    if node.kind in (STATEMENT, LOOP, ROUTINE):
        return step
    if node.kind == ITERATION and not isinstance(step.syntax, ast.While):
        return step.parts[0] if len(step.parts) == 1 else None
    return step if node.kind == ITERATION else None


def heads(step: Step) -> list[ast.AST]:
    """The code that a step evaluates itself."""
    node = step.syntax
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return []
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return [node.iter]
    return [node] if not hasattr(node, "body") else code_flow.headers(step)


def _windows(step: Step, syntax: Syntax) -> Iterator[tuple[Region, int, int]]:
    """(region, from, to) of the heads of a step."""
    start, end = step.start, max(step.end, step.start)
    if step.kind == ITERATION:
        end = step.body_start  # the test of a `while`
    elif step.kind == LOOP and step.parts:
        if isinstance(step.syntax, ast.While):
            start = step.parts[-1].end  # the test that ended it
        else:
            end = step.parts[0].body_start
    for head in heads(step):
        yield syntax.region(head), start, end


def has_expressions(node: CodeNode) -> bool:
    """Does its text have expressions to look into? Cheap: nothing is followed."""
    if isinstance(node, ExpressionNode):
        return bool(node.children)
    step = evaluating_step(node)
    if step is None:
        return False
    roots = [root for head in heads(step) for root in _roots(head)]
    if len(roots) == 1 and _says_the_same(step.syntax, node.code.syntax.region(roots[0]), node.code.syntax):
        roots = [part for child in ast.iter_child_nodes(roots[0]) for part in _roots(child)]
    return bool(roots)


def _roots(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, SHOWN) and not _is_number(node):
        if isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            yield node
            return
    elif isinstance(node, _GENERATORS):
        return
    for part in ast.iter_child_nodes(node):
        yield from _roots(part)


def _says_the_same(statement: ast.stmt, region: Region, syntax: Syntax) -> bool:
    """Is the value of an expression all that a statement is about?"""
    if isinstance(statement, ast.Assign):
        plain = len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)
    elif isinstance(statement, ast.AnnAssign):
        plain = isinstance(statement.target, ast.Name)
    else:
        plain = isinstance(statement, _COPIED)
    value = getattr(statement, "value", None)
    return plain and value is not None and region == syntax.region(value)


__all__ = ["Evaluation", "ExpressionNode", "Expressions", "evaluating_step", "has_expressions"]
