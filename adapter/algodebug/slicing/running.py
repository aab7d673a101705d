"""What ran while something was evaluated: special methods, iterators, hooks, lambdas, context managers."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Container
from typing import Any

from algodebug.slicing import class_attributes, sources
from algodebug.slicing.frame import Frame
from algodebug.slicing.function_values import is_special
from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    CHOICE,
    CONSTANT,
    DISPLAY,
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
from algodebug.slicing.steps import CHILD, Thrown
from algotrace import marks

_WHOLE_CALLS = frozenset({"__call__", "__init__", "__new__"})
_ITERATING = frozenset({"__iter__", "__next__", "__getitem__", "__len__", "__aiter__", "__anext__", "close"})
_BEGINNING = frozenset({"__iter__", "__aiter__"})
_CLASS_HOOKS = frozenset({"__setitem__", "__mro_entries__", "__new__", "__init__", "__prepare__", "__init_subclass__", "__set_name__", "__call__", "__class_getitem__"})  # fmt: skip
# Builtins that give what is finished: going through it runs nothing.
_FINISHED = frozenset({"list", "tuple", "sorted", "range", "items", "keys", "values", "split", "dict", "set"})
MATCHING = frozenset(
    {"__eq__", "__len__", "__getitem__", "__instancecheck__", "__subclasscheck__", "__hash__"}
)
SLICING = frozenset({"__getitem__", "__index__"})
FINDING = frozenset({"__eq__", "__hash__", "__index__"})
_TESTING = frozenset({"__bool__", "__len__"})
STORING = frozenset(
    {"__setitem__", "__delitem__", "__setattr__", "__delattr__", "__set__", "__delete__", "__set_name__", "__hash__", "__eq__"}
)  # fmt: skip
_CHANGING = STORING - {"__set_name__", "__hash__", "__eq__"}
_MANAGING = frozenset({"__enter__", "__exit__", "__aenter__", "__aexit__", "close", "aclose", "__getattr__"})
_OUTCOME_RAISED = 1
_DEEPEST = 3  # containers looked into for what they hold
_MOST_HELD = 200


_OF_OTHERS = _WHOLE_CALLS | {  # what calls, loops and `with` run
    "__enter__",
    "__exit__",
    "__aenter__",
    "__aexit__",
    "__iter__",
    "__next__",
    "__anext__",
    "__aiter__",
}


class Running(Frame):
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

    def routine_name(self, node: int) -> str:
        return self.trace.routines[self.trace.routine[node]].name

    def special_name(self, node: int, of: Container[str]) -> str:
        """The name of a node's routine, or of the special method `of` some that it is under another name."""
        name = self.routine_name(node)
        if name in of:
            return name
        return next((each for each in self.files.values.special_methods(name) if each in of), name)

    def coming_special(self, of: Container[str]) -> str:
        """The special method of some that runs next, be it a function of another name, or a lambda; "" where none does."""
        item = self.cursor.peek()
        if item is None:
            return ""
        if item[1] == CHILD:
            name = self.special_name(item[2], of)
            return name if name in of else ""
        return next((each for each in self._stands_for(item) if each in of), "")

    def may_be_of(self, item: Any, owner: Instance) -> bool:
        """Whether what runs next may be a method of an object."""
        known = self.graph.number(owner)
        if not known:
            shown = self.graph.origin(owner)
            is_plain = shown.kind in (DISPLAY, SLICED) or isinstance(shown.node, sources.Comprehension)
            return not is_plain and not (
                shown.kind == ATTRIBUTE and class_attributes.is_plain(self.graph, shown)
            )
        first = self._first_given(item[2]) if item[1] == CHILD else 0
        return first in (0, known)

    def _first_given(self, node: int) -> int:
        """The object that a node got first, of a method its own; 0 where that is not known."""
        arguments = self.trace.arguments(node)
        if not arguments:
            return 0
        first = arguments[0].value.identity
        given = getattr(self.files.code_of(self.trace.routine[node]), "args", None)
        if given is not None and given.vararg is not None and given.vararg.arg == arguments[0].name:
            return next(iter(self.trace.content(first, self.trace.start[node]).items), 0)
        return first

    def _specials_of(self, node: int) -> Collection[str]:
        name = self.routine_name(node)
        return (name,) if is_special(name) else self.files.values.special_methods(name)

    def _stands_for(self, item: Any) -> Collection[str]:
        """The special methods, and properties, that what runs next may be."""
        if item[1] == CHILD:
            return self._specials_of(item[2])
        code = self.files.code_of(item[2].routine) if item[1] == marks.ENTER else None
        return self.files.values.special_methods(code) if isinstance(code, ast.Lambda) else set()

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
            if not any(
                (not names or each in names)
                and (made is None or not _is_of_another(made.node, each))
                and each not in _OF_OTHERS
                and is_special(each)
                for each in self._stands_for(item)
            ):
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

    def is_answered(self, made: Instance, child: int) -> bool:
        """Whether a special method is one of what an operator is applied to, and gave its result: nothing else runs for it."""
        node = made.node
        if made.kind == WRITE:
            return not _CHANGING.isdisjoint(self._specials_of(child))
        if made.kind == ITEM and not is_special(self.routine_name(child)):  # which one it is cannot be told
            return 0 < self._first_given(child) == self.graph.number(made.uses[1])
        if isinstance(node, ast.Compare):
            if self.routine_name(child) != "__contains__" and any(map(_looks_inside, node.ops)):
                return False
        elif not isinstance(node, _APPLIED):
            return False
        first = self._first_given(child)
        if not first or not any(self._may_be(part, first) for part in (*made.deep, *made.shape)):
            return False  # of something that an operand holds
        given = self.trace.outcome_object(child)
        row = self.trace.row(given) if given else None
        if type(row) is not list or row[0] != "instance":
            return True
        return bool(self.trace.type_of(row[1])[0] != "NotImplementedType")

    def _may_be(self, value: Instance, number: int) -> bool:
        """Whether a value is an object of the trace, or may be: the trace does not name it."""
        known = self.graph.number(value)
        if known or self.graph.value(value) is not UNSET or self.graph.is_plain_container(value):
            return known == number
        shown = self.graph.origin(value)
        return shown.kind not in (DISPLAY, SLICED) and not isinstance(shown.node, sources.Comprehension)

    def may_call(self, value: Instance) -> bool:
        """Whether a value may be a function, or something else that runs code when it is used."""
        plain = self.graph.value(value) is not UNSET or self.graph.is_plain_container(value)
        shown = self.graph.origin(value)
        if (
            isinstance(shown.node, ast.GeneratorExp)
            and shown.kind == OPERATION
            and not _has_calls(shown.node)
        ):
            return any(map(self.may_call, shown.deep))
        if shown.kind == OPERATION and (
            _is_truth(shown.node) or (isinstance(shown.node, _COMPUTING) and self.is_of_scalars(shown))
        ):
            return False
        return not plain and shown.kind not in (DISPLAY, SLICED)

    def may_be_asked(self, value: Instance) -> bool:
        """Whether a value may be, or hold, something with special methods of the program."""
        if self.graph.value(value) is not UNSET:
            return False
        number = self.graph.number(value)
        if number:
            return self._may_hold(number, value.time)
        shown = self.graph.origin(value)
        if shown.kind == DISPLAY:
            parts = shown.detail.values() if isinstance(shown.detail, dict) else shown.detail
            return any(map(self.may_be_asked, parts))
        if shown.kind == SLICED:
            return self.may_be_asked(shown.uses[0])
        if shown.kind == OPERATION and isinstance(shown.node, sources.Comprehension):
            return _has_calls(shown.node) or any(map(self.may_be_asked, shown.deep))
        return not (shown.kind == OPERATION and (_is_truth(shown.node) or self.is_of_scalars(shown)))

    def _may_hold(self, number: int, time: int, depth: int = 0) -> bool:
        row = self.trace.row(number)
        if type(row) is not list or row[0] in ("huge", "bytes", "complex"):
            return False
        if not is_plain_row(self.graph, row) or depth > _DEEPEST:
            return True
        content = self.trace.content(number, time)
        held = {*content.items, *(part for pair in content.pairs.values() for part in pair)}
        if not content.certain or len(held) > _MOST_HELD:
            return True
        return any(self._may_hold(part, time, depth + 1) for part in held)

    def is_of_scalars(self, made: Instance) -> bool:
        """Whether an operation cannot have run code of the program: all that it was applied to is plain."""
        operands = made.deep or made.shape
        return (
            made.kind == OPERATION
            and bool(operands)
            and all(
                self.graph.value(part) is not UNSET or self.graph.is_plain_container(part)
                for part in operands
            )
        )

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

    def run_iterated(self, value: Instance) -> list[Instance]:
        """Generators and iterators that unpacking runs; what stands for their running."""
        holders: list[Instance] = []
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
            if item[2] not in self.trace.segments and not self.iterates(item[2]):
                break
            self.cursor.take()
            holder = self.new(OPERATION, None)
            holder.deep.append(value)
            self.called_by(holder, item[2], value)
            holders.append(holder)
        return holders

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

    def _begins(self, node: int, iterable: Instance) -> bool:
        """Whether a node is the `__iter__` of what a loop goes through."""
        if _BEGINNING.isdisjoint(self._specials_of(node)):
            return False
        return 0 < self._first_given(node) == self.graph.number(iterable)

    def iterates(self, node: int) -> bool:
        return self.special_name(node, _ITERATING) in _ITERATING

    def asks_lambdas(self, iterable: Instance) -> bool:
        """Whether getting an element may run a lambda."""
        shown = self.graph.origin(iterable)
        if not self.may_call(iterable):
            return False
        if shown.kind != LIBRARY or not isinstance(shown.detail, Called) or shown.detail.nodes:
            return True
        called = shown.detail
        if called.name in _FINISHED and not shown.detail.inline:
            return False
        values = [value for _, value in called.arguments]
        if called.name in ("enumerate", "zip", "reversed", "iter"):
            return any(map(self.asks_lambdas, values))
        return called.receiver is None or self.may_call(called.receiver) or any(map(self.may_call, values))

    def may_ask(self, iterable: Instance, child: int) -> bool:
        """Whether getting an element may have run a node: a generator is one node alone, builtins run what they are given."""
        shown, name = self.graph.origin(iterable), self.special_name(child, _ITERATING)
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


OPERATORS = frozenset(f"__{prefix}{name}__" for prefix in ("", "r", "i") for name in sources.BINARY.values())
_APPLIED = (ast.BinOp, ast.UnaryOp, ast.AugAssign, ast.FormattedValue)
_COMPUTING = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.JoinedStr)
WRITTEN_DOWN = frozenset({"__str__", "__repr__", "__format__"})
_ORDERING = frozenset({"__lt__", "__le__", "__gt__", "__ge__"})


def _looks_inside(operator: ast.cmpop) -> bool:
    return isinstance(operator, (ast.In, ast.NotIn))


def _is_of_another(node: ast.AST | None, method: str) -> bool:
    """Whether a special method belongs to another operator than the one that was evaluated."""
    if isinstance(node, (ast.JoinedStr, ast.FormattedValue)):
        return method not in WRITTEN_DOWN
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        if isinstance(node.op, ast.MatMult):  # what it does with its elements is its own business
            return False
        sign = sources.BINARY[type(node.op)]
        if method in OPERATORS:
            return method not in (f"__{sign}__", f"__r{sign}__", f"__i{sign}__")
        # (`%` may write a text)
        return method in _ORDERING or (method in ("__len__", "__bool__") and sign != "mod")
    if isinstance(node, ast.UnaryOp):
        return method in _ORDERING or method in OPERATORS
    if not isinstance(node, ast.Compare):
        return False
    orders = any(isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in node.ops)
    return method in OPERATORS or (method in _ORDERING and not orders)


def _is_truth(node: ast.AST | None) -> bool:
    """Whether an operation always gives True or False."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    return isinstance(node, ast.Compare) and all(
        isinstance(op, (ast.In, ast.NotIn, ast.Is, ast.IsNot)) for op in node.ops
    )


def _has_calls(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Call) for part in ast.walk(node))
