"""What ran while something was evaluated: special methods, iterators, hooks, lambdas, context managers."""

from __future__ import annotations

import ast
import sys
from typing import Any

from algodebug.slicing import mutating, sources
from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    CHOICE,
    CONSTANT,
    ITEM,
    LIBRARY,
    OPERATION,
    PART,
    RAISE,
    SLICED,
    TEST,
    UNSET,
    WRITE,
    YIELD,
    Called,
    Instance,
)
from algodebug.slicing.known import SIZED, is_plain_row
from algodebug.slicing.special_methods import ITERATING, OPERATORS, SpecialMethods
from algodebug.slicing.steps import CHILD, Thrown
from algotrace import marks

_CLASS_HOOKS = frozenset({"__setitem__", "__mro_entries__", "__new__", "__init__", "__prepare__", "__init_subclass__", "__set_name__", "__call__", "__class_getitem__"})  # fmt: skip
# Builtins that give what is finished: going through it runs nothing.
_FINISHED = frozenset({"list", "tuple", "sorted", "range", "items", "keys", "values", "split", "dict", "set"})
_TESTING = frozenset({"__bool__", "__len__"})
_MANAGING = frozenset({"__enter__", "__exit__", "__aenter__", "__aexit__", "close", "aclose", "__getattr__"})
_WHOLE_CALLS = frozenset({"__call__", "__init__", "__new__"})
_OF_BUILTINS = frozenset(name for kind in (str, bytes, list, tuple, dict, set) for name in dir(kind))
_OUTCOME_RAISED = 1


class Running(SpecialMethods):
    """Nodes and lambdas are attributed to the instance that made them run."""

    def test(self, node: ast.AST, value: Instance, unrun: list[Any]) -> Instance:
        """A branch was decided by `value`."""
        self.run_truth(value)
        test = self.new(TEST, node)
        is_plain = value.kind in (OPERATION, CALL, LIBRARY, CONSTANT, TEST)
        if is_plain and not self.graph.is_new(value) and self.graph.kind_of(value) not in SIZED:
            test.uses.append(value)
        else:
            test.shape.append(value)
        if value.order in self.truths:
            test.uses.append(self.truths.pop(value.order))
        if unrun:
            self.activation.tests.append((test, unrun))
        return test

    def run_truth(self, value: Instance) -> None:
        """What asking whether a value counts as true ran: it belongs to the test, whoever evaluated the value."""
        name = self.coming_special(_TESTING)
        if name and self.may_call(value) and not self.is_of_scalars(value):
            asked = self.truths[value.order] = self.new(OPERATION, None)
            self.ran(asked, name, [(False, value)])

    def called_by(self, made: Instance, child: int, iterated: Instance | None = None) -> None:
        self.activation.callers.setdefault(child, made)
        if iterated is not None:
            self.activation.iterated.setdefault(child, iterated)
        if isinstance(made.detail, Called):
            if not made.detail.nodes:
                made.detail.target_name = self.routine_name(child)
            made.detail.nodes.append(child)
        elif made.kind in (OPERATION, SLICED, PART, WRITE, ITEM, ATTRIBUTE, TEST, YIELD):
            self.activation.ran_in.setdefault(made.order, []).append(child)

    def ran(self, made: Instance, name: str, arguments: list[tuple[bool, Instance]]) -> Instance:
        """What looked like plain access ran a method of the program, or a lambda: what comes next."""
        item = self.cursor.peek()
        assert item is not None
        called = made.detail = Called(None, name)
        called.arguments = arguments
        if item[1] == marks.ENTER:
            self.run_inline(made)
            if (outcome := called.inline[0].outcome) is not None:
                made.kind, made.copy, made.uses = CHOICE, outcome, []
            return made
        self.cursor.take()
        made.kind, node = CALL, item[2]
        self.called_by(made, node)
        called.target = node
        if self.trace.outcome_kind[node] == _OUTCOME_RAISED:
            self.rethrow(made)
        return made

    def rethrow(self, made: Instance) -> None:
        """The call that just ended raised: did the exception come out here?"""
        item = self.cursor.peek_mark()
        if item is not None and self.is_left(item):
            thrown = self.new(RAISE, made.node)
            thrown.copy = made
            self.raised_by(made, thrown)
            raise Thrown(thrown)

    def run_inline(self, made: Instance) -> None:
        """A lambda (or the body of an imported module) runs here: it is no node of its own."""
        item = self.cursor.peek()
        assert item is not None
        routine = item[2].routine
        inner = type(self)(self.graph, self.activation.node, self, routine)
        inner.activation.caller = made
        inner.activation.outer = self.activation
        for shared in ("callers", "iterated", "writes", "yields"):  # times and nodes are unique
            setattr(inner.activation, shared, getattr(self.activation, shared))
        inner.control = self.control
        self.cursor.around.append(self.cursor.routine)
        self.cursor.routine = routine
        self.cursor.take()
        try:
            inner.run_as_inline(item, self)
        finally:
            self.cursor.routine = self.cursor.around.pop()
        self.activation.inlines.append(inner.activation)
        if isinstance(made.detail, Called):
            made.detail.inline.append(inner.activation)
        else:
            made.deep.append(inner.activation.outcome or inner.activation.entry)

    def run_operators(self, made: Instance | None = None, names: frozenset[str] = frozenset()) -> None:
        """Special methods of the program that an operator, a test, a format ran: any, or one of those named."""
        while (item := self.cursor.peek()) is not None and item[1] in (CHILD, marks.ENTER):
            if made is not None and self.is_of_scalars(made):
                break
            if not self.may_be_run_by(None if made is None else made.node, names, item):
                break
            if item[1] == marks.ENTER:
                self.run_inline(made if made is not None else self.new(OPERATION, None))
                continue
            self.cursor.take()
            if made is None:
                made = self.new(OPERATION, None)
            self.called_by(made, item[2])
            if self.trace.outcome_kind[item[2]] == _OUTCOME_RAISED:
                self.rethrow(made)
            if self.is_answered(made, item[2]):
                break

    def consumed(self, value: Instance, ran: list[Instance]) -> Instance:
        """All that an iterator gave, which ran for that."""
        made = self.new(OPERATION, None)
        made.uses = ran
        made.deep.append(value)
        return made

    def run_contained(self, made: Instance, iterated: Instance) -> None:
        """What `in` runs of the program: iterators, and the comparisons of what they give."""
        shown = self.graph.origin(iterated).node
        calls = (
            {sources.last_name(part.func) for part in sources.own_parts(shown) if isinstance(part, ast.Call)}
            if isinstance(shown, ast.GeneratorExp)
            else set()
        )
        while True:
            self.run_operators(made)
            ran = self.run_iterated(iterated)
            made.uses += ran
            item = self.cursor.peek()
            if calls and item is not None and item[1] == CHILD:
                name = self.routine_name(item[2])
                if name in calls or name == "__init__":
                    self.cursor.take()
                    self.called_by(made, item[2])
                    continue
            if not ran:
                break

    def run_others(self, made: Instance) -> None:
        """Special methods that an in-place operator ran."""
        while (item := self.cursor.peek()) is not None and item[1] == CHILD:
            if not self.special_name(item[2], OPERATORS).startswith("__"):
                break
            self.cursor.take()
            self.called_by(made, item[2])
            if self.trace.outcome_kind[item[2]] == _OUTCOME_RAISED:
                self.rethrow(made)
            if self.is_answered(made, item[2]):
                break

    def run_defined(self, made: Instance, node: Any) -> None:
        """What defining a function or class ran: decorators, a class body, the hooks of classes."""
        decorators = {
            sources.last_name(part.func if isinstance(part, ast.Call) else part)
            for part in node.decorator_list
        }
        left = self._applied(made, node)
        while left and (item := self.cursor.peek()) is not None:
            left -= 1
            if item[1] == CHILD:
                routine = self.trace.routines[self.trace.routine[item[2]]]
                body = routine.kind == "class" and routine.name == node.name
                hook = isinstance(node, ast.ClassDef) and routine.name in _CLASS_HOOKS
                other = bool(decorators) and routine.kind != "class" and routine.name not in self.own_calls
                if not (body or hook or other or routine.name in decorators):
                    break
                self.cursor.take()
                self.called_by(made, item[2])
                if self.trace.outcome_kind[item[2]] == _OUTCOME_RAISED:
                    self.rethrow(made)
            elif item[1] == marks.ENTER and (decorators or isinstance(node, ast.ClassDef)):
                self.run_inline(made)
            else:
                break

    def _applied(self, made: Instance, node: Any) -> int:
        """How many activations the decorators of a function are at most: one for each that is a function of the program."""
        plain = not isinstance(node, ast.ClassDef)
        if plain and all(map(self._is_of_program, made.uses[: len(node.decorator_list)])):
            return len(node.decorator_list)
        return sys.maxsize

    def _is_of_program(self, value: Instance) -> bool:
        shown, row = self.graph.origin(value), self.graph.row_of(value)
        if type(row) is list and row[0] == "function":
            return any(routine.qualname == row[1] for routine in self.trace.routines)
        return (
            shown.kind == OPERATION
            and isinstance(shown.node, (ast.FunctionDef, ast.Lambda))
            and not getattr(shown.node, "decorator_list", None)
        )

    def run_iterated(self, value: Instance, *, alone: bool = False) -> list[Instance]:
        """Generators and iterators that unpacking runs; what stands for their running. `alone`: nothing else runs here."""
        holders: list[Instance] = []
        shown = self.graph.origin(value)
        if isinstance(shown.node, ast.GeneratorExp) and shown.activation.source == self.activation.source:
            at = self.cursor.at
            holder = self.new(OPERATION, None)
            holder.deep.append(value)
            self.run_comprehended(holder, shown.node)
            if self.cursor.at > at:
                return [holder]
        if self.is_in_turn():
            holder = self.new(OPERATION, None)
            holder.deep.append(value)
            holders.append(holder)
            while self.is_in_turn():
                self.gave_in_turn(holder)
        item = self.cursor.peek()
        if item is None or item[1] != CHILD or not self.may_call(value):
            return holders
        while (item := self.cursor.peek()) is not None and item[1] == CHILD:
            if not (alone or item[2] in self.trace.segments or self.iterates(item[2])):
                break
            self.cursor.take()
            holder = self.new(OPERATION, None)
            holder.deep.append(value)
            self.called_by(holder, item[2], value)
            holders.append(holder)
        return holders

    def _is_any(self, function: ast.expr) -> bool:
        """Whether what is called may be any function, by the text: an element, what was handed over."""
        name = sources.last_name(function)
        if not isinstance(function, ast.Name) and name in _OF_BUILTINS:
            return False
        return not (name in sources.BUILTINS or self.files.named(name) or self.files.classes(name))

    def run_comprehended(self, made: Instance, node: ast.AST) -> None:
        """The calls, lambdas and blocks of a comprehension that is not taken apart."""
        first_line, first, last_line, last = self.place(node)
        names = {sources.last_name(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
        classes = any(name[:1].isupper() or self.files.classes(name) for name in names)
        runs_any = any(isinstance(part, ast.Call) and self._is_any(part.func) for part in ast.walk(node))
        while (item := self.cursor.peek()) is not None:
            if item[1] == CHILD:
                name = self.routine_name(item[2])
                dunder = name.startswith("__") and not (
                    names and names <= mutating.MUTATORS and name in OPERATORS
                )
                dunder = dunder or bool(self.files.values.special_methods(name))
                fits = name in names or (dunder and (classes or name not in _WHOLE_CALLS))
                fits = fits or (runs_any and name not in self.own_calls)
                if not fits and item[2] not in self.trace.segments:
                    break
                self.cursor.take()
                self.called_by(made, item[2])
            elif item[1] == marks.BLOCK:
                of = self.trace.blocks[item[2].block].of
                if of is None or not (first_line, first) <= (of[0], of[1]) < (last_line, last):
                    break
                self.cursor.take()
            elif item[1] == marks.ENTER:
                routine = self.trace.routines[item[2].routine]
                is_behind = routine.source == self.activation.source and (
                    routine.line == last_line and routine.column >= last
                )
                if is_behind or names <= mutating.MUTATORS:
                    break
                self.run_inline(made)
            elif (
                item[1] in marks.WRITES
                and item[2].at is not None
                and (first_line, first) <= tuple(item[2].at[:2]) < (last_line, last)
            ):
                self.cursor.take()
                self.activation.writes[item[0]] = made
            elif self.is_in_turn():
                self.gave_in_turn(made)
            else:
                break
        item = self.coming()
        if item is not None and item[1] in (marks.HANDLER, marks.RAISE) and self.within(item, node):
            raise Thrown(self.thrown(node))

    def run_iteration(self, part: Instance, iterable: Instance, loop: int, node: ast.AST) -> None:
        """What runs to get the next element of a `for`: the loop's block follows, or the loop is over."""
        cursor = self.cursor
        at = cursor.at
        while (item := cursor.peek()) is not None and (item[1] == CHILD or item[1] in marks.WRITES):
            cursor.at += 1
        inline = item is not None and item[1] == marks.ENTER
        going_on = item is not None and item[1] == marks.BLOCK and item[2].block == loop
        thrown_here = (
            item is not None
            and item[1] in (marks.HANDLER, marks.RAISE)
            and isinstance(self.graph.origin(iterable).node, ast.GeneratorExp)
            and self.within(item, node)
        )
        cursor.at = at
        called = Called(None, "")
        while (item := cursor.peek()) is not None:
            if item[1] == CHILD:
                asked = item[2] in self.trace.segments or self.iterates(item[2])
                if self._begins(item[2], iterable):
                    begun_by = self.begun.setdefault(id(iterable), (iterable, item[2]))[1]
                    if not going_on and begun_by != item[2]:
                        break  # it is gone through once more, by other code
                if not (going_on or thrown_here) and not (
                    (asked or (inline and iterable.kind == LIBRARY))
                    and self.asks_lambdas(iterable)
                    and self.may_ask(iterable, item[2])
                ):
                    break
                cursor.take()
                self.activation.callers.setdefault(item[2], part)
                self.activation.iterated.setdefault(item[2], iterable)
                called.nodes.append(item[2])
                part.time = cursor.now
                if item[2] in self.trace.segments:
                    self.generators.add(id(iterable))
                if self.trace.outcome_kind[item[2]] == _OUTCOME_RAISED:
                    thrown = self.coming()
                    if thrown is not None and thrown[1] in (marks.HANDLER, marks.RAISE) and not going_on:
                        part.kind, part.detail = CALL, called
                        called.target = item[2]
                        self.rethrow(part)
            elif self.is_in_turn():
                self.gave_in_turn(part)
            elif item[1] in marks.WRITES and going_on:
                cursor.unclaimed.append(cursor.take())
            elif item[1] == marks.ENTER:
                # (what a generator runs is within its own runs)
                if not going_on and (id(iterable) in self.generators or not self.asks_lambdas(iterable)):
                    break
                holder = self.new(LIBRARY, None)
                holder.deep.append(iterable)
                holder.detail = called
                self.run_inline(holder)
            else:
                break
        part.value = UNSET
        if called.nodes or called.inline:
            self.activation.ran_in.setdefault(part.order, []).extend(called.nodes)
            part.deep += [inner.outcome for inner in called.inline if inner.outcome is not None]

    def _is_instance(self, value: Instance | None) -> bool:
        """Whether it is surely an object of a class of the program."""
        row = None if value is None else self.graph.row_of(value)
        if type(row) is not list or len(row) < 2:
            return False
        return row[0] == "instance" or (row[0] in SIZED and not is_plain_row(self.graph, row))

    def asks_lambdas(self, iterable: Instance) -> bool:
        """Whether getting an element may run a lambda."""
        shown = self.graph.origin(iterable)
        if not self.may_call(iterable):
            return False
        if shown.kind != LIBRARY or not isinstance(shown.detail, Called) or shown.detail.nodes:
            return True
        called = shown.detail
        if called.name in _FINISHED and not shown.detail.inline and not self._is_instance(called.receiver):
            return False
        values = [value for _, value in called.arguments]
        if called.name in ("enumerate", "zip", "reversed", "iter"):
            return any(map(self.asks_lambdas, values))
        return called.receiver is None or self.may_call(called.receiver) or any(map(self.may_call, values))

    def may_ask(self, iterable: Instance, child: int) -> bool:
        """Whether getting an element may have run a node: a generator is one node alone, builtins run what they are given."""
        shown, name = self.graph.origin(iterable), self.special_name(child, ITERATING)
        if name.startswith("__"):
            return not self._is_generator(iterable)
        if shown.kind != LIBRARY or not isinstance(shown.detail, Called):
            return self.may_call(iterable)
        called = shown.detail
        function = called.name if called.function is None else self.names(called.function)
        outermost = self.outermost(child, function)
        if outermost >= 0:
            return self.asked.setdefault(id(shown), (shown, outermost))[1] == outermost
        if not self.graph.is_builtin(shown.activation, called.function):
            return not self.files.only_generates(function)
        return any(
            self.names(value) == name or self.may_ask(value, child)
            for _, value in (*called.arguments, *called.keywords)
        )

    def _is_generator(self, iterable: Instance) -> bool:
        """Whether a generator of the program is gone through: all that it runs is within its own runs."""
        shown, row = self.graph.origin(iterable), self.graph.row_of(iterable)
        if isinstance(shown.node, ast.GeneratorExp):
            return False
        if shown.kind == LIBRARY and isinstance(shown.detail, Called):
            return self.files.only_generates(shown.detail.name)
        # (A generator expression is no node: what it runs is not within anything.)
        return type(row) is list and row[0] == "generator" and not str(row[2]).endswith("<genexpr>")

    def outermost(self, node: int, name: str) -> int:
        """The generator of a name that a node is, or that handed on to it; of several the outermost; -1 for none."""
        found, trace = -1, self.trace
        while node in trace.segments:
            if self.routine_name(node) == name:
                found = node
            node = trace.parent[node]
        return found

    def names(self, value: Instance) -> str:
        """The name of a function that is passed, as it is written or as it is."""
        row = self.graph.row_of(value)
        if type(row) is list and row[0] == "method":
            row = self.trace.row(row[1])
        if type(row) is list and row[0] == "function":
            return str(row[1]).rpartition(".")[2]
        return sources.last_name(value.node) if value.node is not None else ""

    @property
    def own_calls(self) -> frozenset[str]:
        """The names of what the code calls."""
        if self._own_calls is None:
            self._own_calls = self.files.call_names(self.code)
        return self._own_calls

    _own_calls: frozenset[str] | None = None

    def run_managers(self, made: Instance, handed: frozenset[str] = frozenset()) -> None:
        """`__enter__` and `__exit__` of the program, the generator behind a `contextmanager`, functions `handed` over."""
        while (item := self.cursor.peek()) is not None and item[1] in (CHILD, marks.ENTER):
            if item[1] == marks.ENTER:
                if not self.coming_special(_MANAGING):
                    break
                self.run_inline(made)
                continue
            name = self.special_name(item[2], _MANAGING)
            if item[2] not in self.trace.segments and name not in _MANAGING and name not in handed:
                break
            self.cursor.take()
            self.called_by(made, item[2])
