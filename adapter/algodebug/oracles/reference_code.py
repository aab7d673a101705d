"""Code inside a call judged by a corrected copy: its loop or statement runs on the state before, and the states after
are compared.

What stands for what is `twin_code`'s matter. Code that is written the same, and whose calls ran nothing else, is right
without being run. What has no counterpart, or a state that cannot be rebuilt, is left to whoever comes next.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from algodebug.code_nodes import ROUTINE, CodeNode
from algodebug.executed_statements import LOOP
from algodebug.expression_nodes import ExpressionNode
from algodebug.located_values import as_range, handed_in_turn
from algodebug.oracles import Verdict
from algodebug.oracles.fragment_text import has_bare_super, source_of, with_plain_super
from algodebug.oracles.local_functions import local_functions
from algodebug.oracles.recorded_rows import CannotEncode, Rows, encode, inexact
from algodebug.oracles.reference import SOURCE, ReferenceOracle, _text
from algodebug.oracles.reference_process import Gone, ReferenceProcess
from algodebug.oracles.twin_code import Twin, names_loaded, names_stored, own_nodes, same
from algodebug.oracles.twin_differences import Difference, differences
from algodebug.oracles.twin_expressions import expression_at, in_the_same_place
from algotrace import marks
from algotrace.bodies import imported_in
from algotrace.values import Value

if TYPE_CHECKING:
    from algodebug.statement_syntax import Region, Syntax
    from algotrace.trace import Call, Routine

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class ReferenceCodeOracle(ReferenceOracle):
    """The oracle of a corrected copy, for calls and for the code inside them."""

    _twins: dict[int, Twin | None]

    def judge(self, call: Call) -> Verdict | None:
        raised = call.outcome.value.type_name if call.outcome.value is not None else ""
        stopped = self._was_stopped and raised == "KeyboardInterrupt"
        if stopped or call.outcome.kind == "unfinished" or raised == "RecursionError":
            verdict = self._endless(call)
            if verdict is not None:
                return verdict
        inside = imported_in(self._trace, call.node + 1, call.node + self._trace.size[call.node])
        return self._with_modules(super().judge(call), inside)

    def _with_modules(self, verdict: Verdict | None, bodies: Sequence[int]) -> Verdict | None:
        """What is right but for a module that was imported meanwhile, and bound something wrong, is wrong."""
        if verdict is None or verdict.answer != "correct":
            return verdict
        for body in bodies:
            if body not in self._imported:
                self._imported[body] = super().judge(self._trace.call(body))
            found = self._imported[body]
            if found is not None and found.answer == "wrong":
                return Verdict("wrong", SOURCE, f"{self._trace.call(body).module}: {found.reason}")
        return verdict

    @functools.cached_property
    def _imported(self) -> dict[int, Verdict | None]:
        return {}

    @functools.cached_property
    def _was_stopped(self) -> bool:
        """Was the program stopped from outside, perhaps because it would never have ended?"""
        return self._trace.environment.get("exit", {}).get("kind") in ("limit", "interrupt", None)

    @functools.cached_property
    def _itself(self) -> ReferenceProcess | None:
        # A program that does not end cannot be imported again either.
        return None if self._was_stopped else self._as_recorded()

    def _endless(self, call: Call) -> Verdict | None:
        """A call that did not end is wrong if the copy ends on the same inputs; if not, others have called it so."""
        module = self._module_of(call.routine.source)
        if module is None or call.routine.kind != "function" or "<locals>" in call.routine.qualname:
            return None
        before: Rows = {}
        start = self._trace.start[call.node]
        try:
            arguments = [(a.name, encode(self._trace, a.value, start, before)) for a in call.arguments]
        except CannotEncode:
            return None
        question = {
            "fragment": None,
            "before": before,
            "after": {},
            "arguments": arguments,
            "qualname": call.routine.qualname,
            "parameters": list(call.routine.parameters),
            "line": call.routine.line,
            "module": module[0],
            "file": module[1],
            "describe": False,
        }
        return self._reply(question)

    def judge_code(self, node: CodeNode) -> Verdict | None:
        """Does the corrected code, from the same state before, come to the same state after?"""
        return self._with_modules(self._judge_code(node), node.modules)

    def _judge_code(self, node: CodeNode) -> Verdict | None:
        twin = self._twin(node)
        if twin is None:
            return None
        iterations = node.is_of_iterations
        steps = [node.sequence[node.first]] if iterations else node.steps
        syntax = [step.syntax for step in steps]
        theirs = twin.run(syntax[0], syntax[-1])
        if theirs is None or any(_in_class(twin, each) for each in syntax):
            return None
        if isinstance(node, ExpressionNode):
            return self._judge_expression(node, twin, syntax[0], theirs)
        if self._same_and_no_other_code(node, twin, syntax, theirs):
            return Verdict("correct", SOURCE, "it is written as in the reference")
        if iterations and (len(theirs) != 1 or type(theirs[0]) is not type(syntax[0])):
            return None
        try:
            question = self._fragment(node, twin, theirs, iterations)
        except CannotEncode:
            question = None
        verdict = None if question is None else self._reply(question)
        if verdict is None and self._holds_all_that_differs(node, twin):
            return Verdict("wrong", SOURCE, "it is all that is written otherwise in the reference")
        return verdict

    def _judge_expression(
        self, node: ExpressionNode, twin: Twin, ours: ast.stmt, theirs: list[Any]
    ) -> Verdict | None:
        """Does what stands in its place in the copy give the same value in the state before?"""
        found = None
        if len(node.evaluations) == 1 and len(theirs) == 1:
            found = expression_at(ours, node.region, node.code.syntax)
        expression = None if found is None else in_the_same_place(ours, theirs[0], found[1])
        if found is None or expression is None:
            return None
        if ast.dump(found[0]) == ast.dump(expression) and self._ran_only_the_same(node):
            return Verdict("correct", SOURCE, "it is written as in the reference")
        if node.outcome[1] is None:
            return None
        piece = ast.copy_location(ast.Return(expression), theirs[0])
        try:
            question = self._fragment(node, twin, [piece], False)
        except CannotEncode:
            return None
        if question is None:
            return None
        question["outcome"] = {**question["outcome"], "kind": "return"}
        return self._reply(question)

    def missing(self, node: CodeNode) -> tuple[int, int] | None:
        """Between which lines of some wrong code, whose parts are right, the copy has something that it has not."""
        twin = self._twin(node)
        if twin is None:
            return None
        routine = self._trace.routines[node.code.routine]
        of = node.code.syntax.region
        for each in differences(twin):
            place = _place(node.code.syntax, each)
            if not each.gap or not _within(place, node.region):
                continue
            inner = each.first is not None and each.last is not None
            if inner and any(_within(place, part.region) for part in node.children):
                continue  # in a part that is right
            start = routine.line if each.around is None else of(each.around)[0]
            end = of(twin.recorded[-1] if each.around is None else each.around)[2]
            return (
                start if each.first is None else of(each.first)[2],
                end if each.last is None else of(each.last)[0],
            )
        return None

    def _holds_all_that_differs(self, node: CodeNode, twin: Twin) -> bool:
        """Is the rest of the routine written as in the copy, the calls it made included? What is asked about is then
        why the call is wrong."""
        found = differences(twin)
        routine = self._trace.routines[node.code.routine]
        if not found or not self._same_head(routine):
            return False
        if node.is_of_iterations and node.count < len(node.sequence):
            return False  # so do the other iterations
        for each in found:
            if not _within(_place(node.code.syntax, each), node.region):
                return False
            if each.head and node.is_of_iterations and node.sequence[node.first].syntax is each.first:
                return isinstance(each.first, ast.While)
        trace, call = self._trace, node.code.node
        first, last = self._calls_in(node)
        ran = {*trace.routine[call + 1 : first], *trace.routine[last : call + trace.size[call]]}
        return all(self._is_unchanged(trace.routines[number]) for number in ran)

    def _same_head(self, routine: Routine) -> bool:
        """Are the parameters, defaults and decorators those of the copy?"""
        module = self._module_of(routine.source)
        if module is None or routine.kind == "module":
            return module is not None
        recorded = self._functions_of(self._trace.sources[routine.source].text)
        one = recorded.at(routine.qualname, routine.line)
        two = self._functions_of(_text(module[1])).counterpart(recorded, routine.qualname, routine.line)
        if not isinstance(one, _FUNCTIONS) or not isinstance(two, _FUNCTIONS):
            return False
        return [ast.dump(each) for each in (one.args, *one.decorator_list)] == [
            ast.dump(each) for each in (two.args, *two.decorator_list)
        ]

    def _reply(self, question: dict[str, Any]) -> Verdict | None:
        question["paths"] = self._paths_here
        try:
            verdict, reason = self._corrected.ask(question)
        except Gone:
            return Verdict("unknown", SOURCE, "the reference crashed or did not answer")
        if verdict == "correct":
            return Verdict("correct", SOURCE, reason)
        if verdict == "wrong":
            return Verdict("wrong", SOURCE, reason)
        return Verdict("unknown", SOURCE, reason) if verdict == "unknown" else None

    def _twin(self, node: CodeNode) -> Twin | None:
        if not hasattr(self, "_twins"):
            self._twins = {}
        routine = self._trace.routines[self._trace.routine[node.code.node]]
        if routine.id not in self._twins:
            module = self._module_of(routine.source)
            recorded = node.code.syntax.body_of(routine)
            found = None
            if module is not None and recorded is not None:
                corrected = self._functions_of(_text(module[1]))
                piece = corrected.counterpart(
                    self._functions_of(self._trace.sources[routine.source].text),
                    routine.qualname,
                    routine.line,
                )
                if isinstance(piece, (*_FUNCTIONS, ast.Module)):
                    found = Twin(recorded, piece.body)
            self._twins[routine.id] = found
        return self._twins[routine.id]

    def _same_and_no_other_code(
        self, node: CodeNode, twin: Twin, ours: Sequence[ast.stmt], theirs: Sequence[ast.stmt]
    ) -> bool:
        place, last = twin.place(ours[0]), twin.place(ours[-1])
        if place is None or last is None:
            return False
        written = place.suite[place.index : last.index + 1]
        if node.is_of_iterations:
            if not _same_iterations(ours[0], theirs):
                return False
        elif not same(written, theirs):
            return False
        return self._ran_only_the_same(node)

    def _ran_only_the_same(self, node: CodeNode) -> bool:
        """Is what the calls made in some code ran written as in the copy?"""
        trace = self._trace
        first, last = self._calls_in(node)
        return all(self._is_unchanged(trace.routines[routine]) for routine in set(trace.routine[first:last]))

    def _calls_in(self, node: CodeNode) -> tuple[int, int]:
        """The nodes of the calls that some code made, and of all they called: the first, and one past the last."""
        calls, within = node.code.calls, node.calls
        if not within:
            first = calls[within.start] if within.start < len(calls) else node.code.node + 1
            return first, first
        last = calls[within[-1]]
        return calls[within[0]], last + self._trace.size[last]

    def _fragment(
        self, node: CodeNode, twin: Twin, theirs: list[Any], iterations: bool
    ) -> dict[str, Any] | None:
        """The question for `copy_run.fragments`; None where the code cannot be run by itself."""
        trace, code = self._trace, node.code
        variables = code.variables
        routine = trace.routines[trace.routine[code.node]]
        module = self._module_of(routine.source)
        inner = own_nodes(theirs)
        waits = any(isinstance(part, (ast.Await, ast.AsyncFor, ast.AsyncWith)) for part in inner)
        if module is None or (waits and routine.kind != "coroutine"):
            return None
        theirs = with_plain_super(theirs, routine)
        loaded, stored = names_loaded(theirs), names_stored(theirs)
        if loaded & {"__class__", "locals", "vars", "eval", "exec", "globals"} or has_bare_super(theirs):
            return None
        functions = local_functions(
            loaded,
            self._bodies(routine, twin),
            lambda name: self._is_local(variables.number(name, node.start)),
        )
        loaded |= names_loaded([part for each in functions.values() for part in each.body])
        shared = _declared(twin.corrected, ast.Global)
        body = [part for part in theirs if not isinstance(part, (ast.Global, ast.Nonlocal))]
        is_module = routine.kind == "module"
        # The state before.
        before: Rows = {}
        after: Rows = {}
        bound = set(node.loop_names) if iterations else set()
        theirs_bound = (
            names_stored([theirs[0].target]) if iterations and hasattr(theirs[0], "target") else set()
        )
        names = [
            name
            for name in sorted(
                (
                    (loaded | stored | set(node.flow.writes) | {p[0] for p in node.flow.reads})
                    - bound
                    - theirs_bound
                )
                # A name that only the recorded loop binds is for the copy what it was before.
                | (loaded & (bound - theirs_bound))
            )
            if variables.number(name, node.start) is not None
        ]
        given = []
        unknown = []
        for name in names:
            value = variables.value(name, node.start)
            if name in functions:
                continue
            if value is None or (
                variables.data(name, node.start) is None and (is_module or name not in variables.names())
            ):
                continue  # a function or a class: the copy has its own
            try:
                given.append((name, encode(trace, value, node.start, before)))
            except CannotEncode:
                if name in loaded:
                    raise
                unknown.append(name)
        # The state after, of what either version binds.
        compared = []
        written = set(node.flow.writes) | stored | {name for name, _ in given}
        for name in sorted(written - bound - set(unknown)):
            value = variables.data(name, node.end)
            if value is not None:
                compared.append((name, encode(trace, value, node.end, after)))
        kind, value = node.outcome
        outcome = None if value is None else encode(trace, value, node.end, after)
        question: dict[str, Any] = {
            "module": module[0],
            "file": module[1],
            "describe": False,
            "before": before,
            "after": after,
            "variables": given,
            "compared": compared,
            "stored": sorted(stored - bound - theirs_bound),
            "mentioned": sorted(names_stored(twin.corrected)),
            "outcome": {"kind": kind, "value": outcome},
            "yields": self._yields(node, after),
            "is module": is_module,
            "globals": sorted(stored | {name for name, _ in given})
            if is_module
            else sorted(shared & (stored | loaded)),
            "known": [g for g in self._globals if g[2] in before],
            "qualname": routine.qualname,
            "definitions": source_of(list(functions.values()), routine.qualname),
            "tail": _is_tail(twin, node),
            "waits": waits,
        }
        if inexact(before) or inexact(after):
            return None
        if iterations:
            loop: Any = theirs[0]
            question["count"] = node.count
            question["body"] = source_of(loop.body, routine.qualname)
            if isinstance(loop, ast.While):
                question["fragment"] = "while"
                question["test"] = ast.unparse(loop.test)
            else:
                targets = _names_in_order(loop.target)
                ours = list(node.loop_names)
                if targets is None or len(targets) != len(ours):
                    return None
                question["fragment"] = "for"
                question["targets"] = targets
                question["items"] = self._items(node, ours, before)
        else:
            question["fragment"] = "statements"
            question["body"] = source_of(body, routine.qualname)
        return question

    def _is_local(self, number: int | None) -> bool:
        """Is it a function that a function made?"""
        row = None if number is None else self._trace.row(number)
        return (
            type(row) is list and row[0] == "function" and "<locals>" in row[1] and "<lambda>" not in row[1]
        )

    def _bodies(self, routine: Routine, twin: Twin) -> list[list[ast.stmt]]:
        """The bodies of the copy that stand for a routine and the functions around it."""
        bodies, module = [twin.corrected], self._module_of(routine.source)
        recorded = self._functions_of(self._trace.sources[routine.source].text)
        while module is not None and routine.parent >= 0:
            routine = self._trace.routines[routine.parent]
            around = self._functions_of(_text(module[1])).counterpart(
                recorded, routine.qualname, routine.line
            )
            if isinstance(around, _FUNCTIONS):
                bodies.append(around.body)
        return bodies

    def _items(self, node: CodeNode, names: list[str], before: Rows) -> list[range | list[int]]:
        """What the loop handed to each iteration, as it was before them all: for each name the objects, or whole numbers."""
        columns = handed_in_turn(node)
        if columns is not None:
            return [
                as_range(self._trace, numbers) or [self._item(node, number, before) for number in numbers]
                for numbers in columns
            ]
        found: list[list[int]] = [[] for _ in names]
        for step in node.steps:
            for name, column in zip(names, found, strict=True):
                number = node.code.variables.number(name, step.body_start)
                if number is None:
                    raise CannotEncode
                column.append(self._item(node, number, before))
        return [*found]

    def _item(self, node: CodeNode, number: int, before: Rows) -> int:
        time = max(node.start, self._trace.first_seen.get(number, 0) + 1)
        return encode(self._trace, Value(self._trace, number, time), time, before)

    def _yields(self, node: CodeNode, after: Rows) -> list[int]:
        routine = self._trace.routines[self._trace.routine[node.code.node]]
        if routine.kind not in ("generator", "asyncgen"):
            return []
        found = []
        for time, mark, numbers in self._trace.own_events(node.code.node):
            if time >= node.end:
                break
            if mark is not None and mark.kind == marks.YIELD and time >= node.start and numbers:
                found.append(encode(self._trace, self._trace.value_at(numbers[-1], time), time, after))
        return found


def _place(syntax: Syntax, difference: Difference) -> Region:
    """Where a difference is: of a gap what is next to it on both sides, or around it."""
    first, last = difference.first, difference.last
    around = difference.around
    if first is None or last is None:
        if around is not None and hasattr(around, "lineno"):
            return syntax.region(around)
        return (0, 0, 1 << 30, 0) if first is None and last is None else syntax.region(first or last)  # type: ignore[arg-type]
    return (*syntax.region(first)[:2], *syntax.region(last)[2:])


def _within(inner: Region, outer: Region) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def _same_iterations(ours: Any, theirs: Sequence[Any]) -> bool:
    """Is what each iteration executes written the same? What a `for` hands to it is its input."""
    if len(theirs) != 1 or type(ours) is not type(theirs[0]) or not same(ours.body, theirs[0].body):
        return False
    head = "test" if isinstance(ours, ast.While) else "target"
    return ast.dump(getattr(ours, head)) == ast.dump(getattr(theirs[0], head))


def _in_class(twin: Twin, statement: ast.stmt) -> bool:
    place = twin.place(statement)
    while place is not None and place.around is not None:
        if isinstance(place.around, ast.ClassDef):
            return True
        if not isinstance(place.around, ast.stmt):
            return False
        place = twin.place(place.around)
    return False


def _declared(suite: Sequence[ast.stmt], kind: type[ast.Global]) -> set[str]:
    return {name for part in own_nodes(suite) if isinstance(part, kind) for name in part.names}


def _is_tail(twin: Twin, node: CodeNode) -> bool:
    """Does nothing follow the code in its loop's body, so that `continue` at its end makes no difference?"""
    if node.is_of_iterations or node.kind in (ROUTINE, LOOP):
        return node.is_of_iterations
    statement = node.sequence[node.last].syntax
    place = twin.place(statement)
    while place is not None and place.index == len(place.suite) - 1:
        if isinstance(place.around, (ast.For, ast.AsyncFor, ast.While)):
            return place.field == "body"
        if not isinstance(place.around, ast.stmt):
            return False
        place = twin.place(place.around)
    return False


def _names_in_order(target: ast.AST) -> list[str] | None:
    names = []
    for part in ast.walk(target):
        if isinstance(part, ast.Name):
            names.append(part.id)
        elif not isinstance(part, (ast.Tuple, ast.List, ast.expr_context)):
            return None
    return names
