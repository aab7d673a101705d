"""Following one activation through its source: which expressions were evaluated, from what, decided by what.

The recorded events lead the way: a branch is taken because its block was entered, a call ran the nodes that lie where
it was evaluated. Nothing is guessed; where text and events disagree the activation is *opaque*, and whoever asks about
it has to assume that everything in it depends on everything. Not here: what lies in other activations and in objects,
see `graph`.
"""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_left
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from algodebug.slicing import sources, truths
from algodebug.slicing.frame import Frame, is_of_library
from algodebug.slicing.imported import names_imported
from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    CHOICE,
    ENTRY,
    GLOBAL,
    LIBRARY,
    OPERATION,
    RAISE,
    RETURN,
    TEST,
    WRITE,
    Activation,
    Called,
    Instance,
)
from algodebug.slicing.loops import Loops
from algodebug.slicing.special_methods import MATCHING
from algodebug.slicing.steps import CHILD, Disagreement, Ended, Jump, Left, Returned, Thrown
from algotrace import marks

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

MOST_EVENTS = 150_000  # of one activation's own that are followed: an instance for each takes time and memory
_OUTCOME_RAISED = 1
_HANDING = frozenset({CALL, CHOICE, LIBRARY, OPERATION})  # something to somebody who is not recorded
_ASKED_FOR = frozenset({"__path__", "__all__", "__spec__"})  # of a module, whatever is imported from it
_LEAVES = (marks.RETURN, marks.RETURN_NONE, marks.OUTCOME, marks.OUTCOME_NONE)


class Walker(Loops):
    """Follows one node; `activation` is what came of it."""

    def run(self) -> Activation:
        activation, code = self.activation, self.code
        activation.entry = self.new(ENTRY, code)
        self.control = activation.entry
        item = self.cursor.peek()
        if item is None or item[1] != marks.ENTER or code is None:
            raise Disagreement("it has no beginning")
        self.cursor.take()
        if isinstance(code, (ast.Module, ast.ClassDef)):
            body = code.body
        else:
            self.bind_parameters(code, item[2], item[3])
            body = code.body
        self.function_body(body)
        self.adopt_tasks()
        self.adopt_notes()
        return activation

    def adopt_notes(self) -> None:
        """What was noted of an argument or an operand, and no call asked for, is of the innermost expression around it."""
        around: dict[tuple[int, int, int, int], list[Instance]] = {}
        for item in self.cursor.unclaimed:
            if item[0] in self.activation.writes:
                continue
            if is_of_library(item):
                before = (
                    each
                    for each in self.activation.instances
                    if each.kind in _HANDING and each.time <= item[0]
                )
                last = max(before, key=lambda each: each.time, default=None)
                if last is not None:
                    self.activation.writes[item[0]] = last
                continue
            if item[1] != marks.PASSED or item[2].at is None:
                continue
            at = tuple(item[2].at)
            if at not in around:
                made = [
                    each for each in self.activation.instances if each.kind in _HANDING and _holds(each, at)
                ]
                around[at] = sorted(made, key=lambda each: (each.time, _size(each)))
            after = bisect_left(around[at], item[0], key=lambda each: each.time)
            for each in (*around[at][after : after + 1], *around[at][-1:]):
                self.activation.writes.setdefault(item[0], each)

    def adopt_tasks(self) -> None:
        """Coroutines that ran while this one slept: they are of the calls that made them, in their order."""
        trace, node = self.trace, self.activation.node
        waiting: dict[int, list[int]] = {}
        for child in trace.children(node) if node in trace.segments else ():
            routine = trace.routine[child]
            if child not in self.activation.callers and trace.routines[routine].kind == "coroutine":
                waiting.setdefault(routine, []).append(child)
        for routine, children in waiting.items():
            made = [
                each
                for each in self.activation.instances
                if each.kind == LIBRARY
                and isinstance(each.detail, Called)
                and each.detail.name == trace.routines[routine].name
                and not each.detail.nodes
            ]
            for child, maker in zip(sorted(children, key=trace.start.__getitem__), made, strict=False):
                self.called_by(maker, child)

    def run_as_inline(self, item: Any, around: Frame) -> None:
        """A lambda, or a module that is imported: its events are among those of the activation it runs in."""
        self.activation.entry = self.new(ENTRY, self.code)
        self.control = self.activation.entry
        if isinstance(self.code, ast.Lambda):
            self.bind_parameters(self.code, item[2], item[3])
            self.lambda_body(self.code)
        elif isinstance(self.code, (ast.Module, ast.ClassDef)):
            self.function_body(self.code.body)
        else:
            raise Disagreement("a function runs that is no node")
        if isinstance(self.activation.outcome, Instance) and self.activation.outcome.kind == RAISE:
            thrown = around.coming()
            if thrown is not None and thrown[1] in (marks.HANDLER, marks.RAISE):
                raise Thrown(self.activation.outcome)

    def lambda_body(self, code: ast.Lambda) -> None:
        try:
            value = self.value(code.body, last=True)
        except Thrown as thrown:  # a lambda leaves no mark of its own then
            self.activation.outcome = thrown.instance
            return
        made = self.new(RETURN, None)
        made.copy = value
        item = self.cursor.peek_mark()
        if item is None or item[1] != marks.RETURN or item[2].routine != self.routine:
            made.kind = RAISE
            self.activation.outcome = made
            return
        self.cursor.take_mark()
        if item[3]:
            self.learn(made, item[3][-1])
        self.activation.outcome = made

    def function_body(self, body: list[ast.stmt]) -> None:
        """Runs to the end, whatever that is, and notes the outcome."""
        try:
            self.suite(body)
            self.fall_through()
        except Returned as returned:
            self.activation.outcome = returned.instance
            self.leave()
        except Thrown as thrown:
            self.activation.outcome = thrown.instance
            item = self.cursor.peek_mark()  # what was about to be written may have failed
            if item is not None and item[1] == marks.RAISE:
                self.cursor.take_mark()
                self.leave()
            elif item is not None and not self.cursor.around:
                raise Disagreement("an exception that did not leave it") from thrown
        except Ended:
            pass
        except Left as left:
            raise Disagreement("a loop is left outside of it") from left

    def fall_through(self) -> None:
        item = self.cursor.peek_mark()
        if item is None:
            return  # unfinished
        if item[1] in (marks.RETURN_NONE, marks.OUTCOME_NONE):
            self.cursor.take_mark()
            outcome = self.new(RETURN, None)
            outcome.value = None
            self.activation.outcome = outcome
            self.leave()
        elif item[1] == marks.RAISE:
            self.cursor.take_mark()
            self.activation.outcome = self.thrown(None)
            self.leave()
        else:
            raise Disagreement("events are left over at its end")

    def leave(self) -> None:
        item = self.cursor.peek_mark()
        if item is not None and item[1] == marks.LEAVE and item[2].routine == self.routine:
            self.cursor.take_mark()

    def _Pass(self, node: ast.stmt) -> None:
        return

    _Global = _Nonlocal = _TypeAlias = _Pass

    def _Import(self, node: ast.stmt) -> None:
        """What is imported may be recorded too, and run here: as a node, or in this one."""
        imported = self.new(OPERATION, node)
        names = _ASKED_FOR | {alias.name for alias in node.names}  # type: ignore[attr-defined]
        given: dict[str, int] = {}
        while (item := self.cursor.peek()) is not None and item[1] in (marks.ENTER, CHILD):
            child = item[2] if item[1] == CHILD else None
            routine = self.trace.routines[item[2].routine if child is None else self.trace.routine[child]]
            is_next = routine.kind == "class" and routine.source == self.activation.source
            if is_next or (routine.kind == "module" and not self._imports(node, routine.source)):
                break  # that was the next statement's
            if child is None:
                self.run_inline(imported)
                continue
            asked_for = self._asked_for(child)
            if routine.kind not in ("module", "class") and asked_for not in names:
                break
            self.cursor.take()
            self.called_by(imported, child)
            given[asked_for] = child
            if self.trace.outcome_kind[child] == _OUTCOME_RAISED:
                self.rethrow(imported)
        self.commit(node)
        for alias in node.names:  # type: ignore[attr-defined]
            name = (alias.asname or alias.name).partition(".")[0]
            if name == "*":
                continue
            value = imported
            if alias.name in given:
                value = self.new(CALL, node)
                value.uses.append(imported)
                value.detail = Called(None, "__getattr__")
                value.detail.target = given[alias.name]
            elif isinstance(node, ast.ImportFrom) and self.is_module and not hasattr(builtins, name):
                value = self.new(GLOBAL, node)
                value.detail = name
                value.uses.append(imported)
            self.bind(name, value, node)

    _ImportFrom = _Import

    def _asked_for(self, node: int) -> str:
        """The name that the `__getattr__` of a module was given; empty for other nodes."""
        if self.trace.routines[self.trace.routine[node]].qualname != "__getattr__":
            return ""
        arguments = self.trace.arguments(node)
        name = self.trace.row(arguments[0].value.identity) if arguments else ""
        return name if isinstance(name, str) else ""

    def _imports(self, node: Any, source: int) -> bool:
        """May an import run a module? Not where its name is in another import of the text alone."""
        path = PurePath(self.trace.sources[source].path)
        name = path.parent.name if path.stem == "__init__" else path.stem
        if name in names_imported(node):
            return True
        return not any(
            name in names_imported(other)
            for other in ast.walk(self.file.tree)
            if isinstance(other, (ast.Import, ast.ImportFrom))
        )

    def _Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        self.dropped = True
        try:
            self.value(node.value, last=True)
        finally:
            self.dropped = False
        self.commit(node)

    def _Return(self, node: ast.Return) -> None:
        value = None if node.value is None else self.value(node.value, last=True)
        self.commit(node)
        # A handler would have given something else.
        passed = None if self.caught_here is None else self.has_passed(self.caught_here)
        made = self.new(RETURN, node)
        made.control = passed or made.control
        made.copy = value
        if value is None:
            made.value = None
        item = self.cursor.peek_mark()
        if item is None or item[1] not in _LEAVES:
            if item is not None and self.is_left(item):
                self.throw(node)
            raise Disagreement("no return")
        self.note_cached(value, node)
        self.cursor.take_mark()
        if item[1] in (marks.RETURN, marks.OUTCOME) and item[3]:
            self.learn(made, item[3][-1])
        raise Returned(made)

    def note_cached(self, value: Instance | None, node: ast.Return) -> None:
        """What a function of a `cached_property` gives is stored."""
        item = self.cursor.peek()
        if item is None or item[1] != marks.ATTRIBUTE or item[2].at is not None:
            return
        self.cursor.take()
        owner, _, name = item[2].label.partition("\t")
        write = self.effect(WRITE, node)
        write.copy, write.detail = value, name
        write.uses.append(self.load_name(owner, None, read=False))
        self.activation.writes[item[0]] = write

    def _Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.environment.pop(target.id, None)
                self.take_name_mark(target.id)
            else:
                self.delete(target)
        self.commit(node)

    def _Assign(self, node: ast.Assign) -> None:
        stored: list[tuple[ast.Name, Instance]] = []
        plain = all(map(_is_plain_target, node.targets))
        value = self.value(node.value, last=plain)
        self.commit_value(node, node.targets)
        for target in node.targets:
            if isinstance(target, ast.Name) and self.take_name_mark(target.id, value):
                self.marked.add(target)
        for target in node.targets:
            self.assign(target, value, stored)
        self.commit(node)
        self.take_stored(stored)

    def _AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            value = self.value(node.value, last=isinstance(node.target, ast.Name))
            self.commit_value(node, [node.target])
            stored: list[tuple[ast.Name, Instance]] = []
            self.assign(node.target, value, stored)
            self.take_stored(stored)
        if self.is_module and _computes(node.annotation):
            self.run_comprehended(self.new(OPERATION, None), node.annotation)

    def _AugAssign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            before = self.load_name(target.id, target, read=False)
            right = self.value(node.value)
            made = self.operation_of(node, [before, right])
            self.take_in_place(node, made, before, right)
            self.run_in_place(made, right)
            self.commit(node)
            if self.take_name_mark(target.id, made):
                self.marked.add(target)
            stored: list[tuple[ast.Name, Instance]] = []
            self.assign(target, made, stored)
            self.take_stored(stored)
            return
        base = self.value(target.value)
        if isinstance(target, ast.Attribute):
            before = self.read_attribute(target, base)
            key = None
        else:
            key = self.value(target.slice)
            before = self.read_item(target, base, key, claim=self.is_default_noted(target))
        right = self.value(node.value)
        made = self.operation_of(node, [before, right])
        self.take_in_place(node, made, before, right)
        self.run_in_place(made, right)
        self.commit(node)
        self.store_part(target, base, key, made)

    def _FunctionDef(self, node: Any) -> None:
        made = self.new(OPERATION, node)
        made.uses += [self.value(part) for part in node.decorator_list]
        made.deep += [self.value(part) for part in node.args.defaults]
        made.deep += [self.value(part) for part in node.args.kw_defaults if part is not None]
        made.detail = node
        for annotation in _annotations(node.args, node.returns):
            self.run_comprehended(made, annotation)
        self.run_defined(made, node)
        self.commit(node)
        self.bind(node.name, made, node, slot=True)

    _AsyncFunctionDef = _FunctionDef

    def _ClassDef(self, node: ast.ClassDef) -> None:
        made = self.new(OPERATION, node)
        self.activation.classes.append(made)
        made.uses += [self.value(part) for part in node.decorator_list]
        made.uses += [self.value(part) for part in node.bases]
        made.uses += [self.value(part.value) for part in node.keywords]
        self.run_defined(made, node)
        numbers = self.blocks.get(("class", self.place(node)), ())
        item = self.cursor.peek()
        if item is not None and item[1] == marks.BLOCK and item[2].block in numbers:
            self.cursor.take()
            outer, self.class_names = self.class_names, {}
            body = node.body[1:] if _is_text(node.body[0]) else node.body
            self.suite(body)
            made.deep += self.class_names.values()
            made.detail = dict(self.class_names)
            self.class_names = outer
        self.run_defined(made, node)
        self.commit(node)
        self.bind(node.name, made, node, slot=True)

    def _If(self, node: ast.If) -> None:
        value = self.value(node.test)
        self.run_truth(value)
        self.commit(node.test)
        outer = self.control
        taken = self.branch_taken("arm", node, 1 + bool(node.orelse))
        body = node.body if taken == 0 else node.orelse if taken == 1 else []
        unrun = [*node.orelse] if taken == 0 else [*node.body]
        truths.settle(self.operands, node.test, value, taken == 0)
        self.control = self.test(node.test, value, unrun)
        self.suite(body)
        if not sources.exits([*node.body, *node.orelse]):
            self.control = outer

    def branch_taken(self, kind: str, node: ast.AST, arms: int) -> int:
        """Which of the blocks of a statement is entered now; -1 for none."""
        self.pass_over_notes()
        item = self.cursor.peek()
        if item is None or item[1] != marks.BLOCK:
            if arms > 1 and item is not None:
                raise Disagreement("no branch is taken")
            return -1
        numbers = self.blocks.get((kind, self.place(node)), [])
        if item[2].block in numbers:
            self.cursor.take()
            return numbers.index(item[2].block)
        if arms > 1:
            raise Disagreement("another branch is taken")
        return -1

    def _Match(self, node: Any) -> None:
        subject = self.value(node.subject)
        self.commit(node.subject)
        outer = self.control
        item = self.cursor.peek()
        if item is not None and item[1] == CHILD and self.may_call(subject):
            self.run_operators(None, MATCHING)
        guards = [self.guard(case.guard, subject) for case in node.cases if case.guard is not None]
        taken = self.branch_taken("arm", node, 1)
        test = self.new(TEST, node.subject)
        test.deep += [subject, *guards]
        last = taken if taken >= 0 else len(node.cases) - 1
        for case in node.cases[: last + 1]:
            pattern = self.lump(case.pattern, subject)
            test.deep += [pattern, *self.places_matched(case.pattern, pattern)]
        unrun = [s for n, case in enumerate(node.cases) if n != taken for s in case.body]
        self.activation.tests.append((test, unrun))
        self.control = test
        if taken >= 0:
            case = node.cases[taken]
            self.bind_pattern(case.pattern, subject)
            self.suite(case.body)
        if not sources.exits([s for case in node.cases for s in case.body]):
            self.control = outer

    def places_matched(self, node: ast.pattern, pattern: Instance) -> list[Instance]:
        """Which attributes the places in `case Point(0, y)` stand for: the classes tell."""
        found = []
        for part in ast.walk(node):
            named = [
                each for each in pattern.deep if isinstance(part, ast.MatchClass) and each.node is part.cls
            ]
            if named and part.patterns:  # type: ignore[attr-defined]
                made = self.new(ATTRIBUTE, None)
                made.uses, made.detail = named, "__match_args__"
                found.append(made)
        return found

    def guard(self, node: ast.expr, subject: Instance) -> Instance:
        """`case … if …`, evaluated or not: the block of the case that is taken comes after all of them."""
        made = self.lump(node, subject)
        self.run_comprehended(made, node)
        return made


def _is_plain_target(target: ast.expr) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(map(_is_plain_target, target.elts))
    return isinstance(target, ast.Name) or (
        isinstance(target, ast.Starred) and _is_plain_target(target.value)
    )


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def follow(graph: Graph, node: int) -> Activation:
    """Follows a node; an activation that could not be followed says so in `failed`."""
    if graph.own_size(node) > MOST_EVENTS:
        return _failed(graph, node, graph.trace.routines[graph.trace.routine[node]].source, "it is too long")
    walker = Walker(graph, node)
    try:
        return walker.run()
    except Disagreement as disagreement:
        reason = str(disagreement)
    except (Jump, RecursionError) as error:
        reason = type(error).__name__
    return _failed(graph, node, walker.activation.source, f"{reason} near line {walker.last_line()}")


def _failed(graph: Graph, node: int, source: int, reason: str) -> Activation:
    failed = Activation(node, graph.trace.routine[node], source)
    failed.failed = reason
    failed.entry = Instance(failed, ENTRY, None, graph.trace.start[node], 0, None)
    failed.instances.append(failed.entry)
    return failed


def _holds(made: Instance, at: tuple[int, int, int, int]) -> bool:
    node: Any = made.node
    if node is None or not hasattr(node, "lineno"):
        return False
    return (node.lineno, node.col_offset) <= at[:2] and at[2:] <= (node.end_lineno, node.end_col_offset)


def _size(made: Instance) -> tuple[int, int]:
    node: Any = made.node
    return node.end_lineno - node.lineno, node.end_col_offset - node.col_offset


def _annotations(arguments: ast.arguments, returned: ast.expr | None) -> list[ast.expr]:
    """Those of a function that compute something, in the order in which they do."""
    given = [
        *arguments.posonlyargs,
        *arguments.args,
        arguments.vararg,
        *arguments.kwonlyargs,
        arguments.kwarg,
    ]
    found = [each.annotation for each in given if each is not None]
    return [each for each in (*found, returned) if each is not None and _computes(each)]


def _computes(annotation: ast.expr) -> bool:
    return not isinstance(annotation, (ast.Name, ast.Constant))
