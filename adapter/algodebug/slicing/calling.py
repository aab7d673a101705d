"""Calls: what was passed, what they changed, which of the nodes that ran in one is the call itself."""

from __future__ import annotations

import ast
from typing import Any

from algodebug.slicing import each_element, mutating, sources
from algodebug.slicing.frame import AFTER_CALLS, is_of_library
from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    CHOICE,
    GLOBAL,
    LIBRARY,
    RECEIVER,
    TEST,
    UNSET,
    WRITE,
    Called,
    Instance,
)
from algodebug.slicing.special_methods import ITERATING, OPERATORS, WRITTEN_DOWN
from algodebug.slicing.steps import CHILD
from algodebug.slicing.stores import Stores
from algotrace import marks
from algotrace.trace import Routine

_MAKING = frozenset({"__new__", "__init__", "__post_init__", "__call__"})
_NO_CALLBACK = frozenset({"isinstance", "issubclass", "len", "range", "enumerate", "zip", "reversed", "iter", "print", "super", "id", "type", "str", "repr", "int", "float", "bool", "abs", "hash", "hasattr", "tuple", "list", "set", "dict"})  # fmt: skip
# What some builtins run of the program.
_SPECIAL = {"print": WRITTEN_DOWN, "str": WRITTEN_DOWN, "repr": WRITTEN_DOWN, "len": frozenset({"__len__"}), "bool": frozenset({"__bool__", "__len__"})}  # fmt: skip
_PLAIN_METHODS = frozenset({"append", "insert", "pop", "remove", "add", "discard", "clear", "setdefault", "reverse", "get", "popitem", "appendleft", "popleft"})  # fmt: skip
_PUTTING = frozenset({"append", "add", "appendleft"})
_MADE = ("coroutine", "generator", "asyncgen")
_OUTCOME_RAISED = 1
_INITIALIZING = "__init__"
# By how many arguments they are given.
_ANSWERS = {("hasattr", 2): "AttributeError", ("getattr", 3): "AttributeError", ("next", 2): "StopIteration", ("iter", 2): "StopIteration"}  # fmt: skip


class Calling(Stores):
    """`f(x)`"""

    def _eval_Call(self, node: ast.Call, last: bool = False, iterated: bool = False) -> Instance:
        if isinstance(node.func, ast.Name):
            function = self.load_name(node.func.id, node.func, read=False)
        else:
            function = self.value(node.func)
        name = sources.last_name(node.func)
        called = Called(function, name)
        writes_before = self.put_by(node)
        for argument in node.args:
            called.arguments.append((isinstance(argument, ast.Starred), self.value(argument)))
        for keyword in node.keywords:
            called.keywords.append((keyword.arg, self.value(keyword.value)))
        names = self.names_looked_at(name) if sources.looks_at_names(node) else None
        made = self.effect(LIBRARY, node)
        made.detail = called
        if names is not None:
            made.deep, made.uses = names
        has_slot = ("call", self.place(node)) in self.slots
        changed = self.change(made, node, writes_before)
        self.run_call(
            made, greedy=has_slot or (last and not self.dropped and not iterated), iterated=iterated
        )
        made_time = self.cursor.now
        number = self.take_value("call", node)
        if number > 0:
            self.learn(made, number)
        elif number < 0:
            self.settle(made)
            if called.target >= 0 or any(map(self.has_raised, called.nodes)):
                self.rethrow(made)
            self.cut(node)
        self.settle(made)
        ran = called.nodes[-1] if called.nodes and not has_slot else -1
        if ran >= 0 and self.has_raised(ran) and not self.swallows(called, ran):
            self.rethrow(made)
        made.time = min(made.time, made_time)
        if not changed:
            self.change(made, node, False)
        self.pass_over_notes()
        if made.kind == LIBRARY:
            self.note_called_back(called, node)
            if not called.nodes and self.graph.caches.kept(called.name):
                self.note_answered(called, node)
        return made

    def has_raised(self, node: int) -> bool:
        return self.trace.outcome_kind[node] == _OUTCOME_RAISED

    def swallows(self, called: Called, node: int) -> bool:
        """Whether a builtin function takes an exception for an answer: `hasattr`, and those that are given a default."""
        raised = _ANSWERS.get((called.name, len(called.arguments)))
        if raised is None or not self.graph.is_builtin(self.activation, called.function):
            return False
        value = self.trace.outcome(node).value
        return value is not None and value.type_name == raised

    def names_looked_at(self, function: str) -> tuple[list[Instance], list[Instance]]:
        """The names that a namespace holds now, and the tests that kept others from being bound."""
        read: list[Instance] = []
        names = set() if self.is_module else set(self.environment)
        names |= {
            part.id
            for part in sources.own_statements(self.code)
            if isinstance(part, ast.Name) and self.graph.is_free(self.routine, part.id)
        }
        read += [self.load_name(name, None, read=False) for name in sorted(names)]
        is_of_module = self.is_module or function not in ("locals", "vars", "dir")
        for name in (
            sorted(sources.names_bound(self.file.tree.body) | self._declared_global()) if is_of_module else ()
        ):
            made = self.new(GLOBAL, None)
            made.detail = name
            read.append(made)
        unbound = self.scope.locals - names
        tests = [test for test, unrun in self.activation.tests if self.files.effects(unrun).names & unbound]
        return read, tests

    def _declared_global(self) -> set[str]:
        return {name for code in self.file.functions.values() for name in self.files.scope(code).globals}

    def note_called_back(self, called: Called, node: ast.Call) -> None:
        """With more elements given to it, what is called for each would have run once more."""
        loop = each_element.called_back(self.files, node)
        if loop is not None:
            test = self.new(TEST, None)
            test.shape = [value for _, value in (*called.arguments, *called.keywords)]
            if called.receiver is not None:
                test.shape.append(called.receiver)
            self.activation.tests.append((test, [loop]))

    def note_answered(self, called: Called, node: ast.Call) -> None:
        """With other arguments a function would have run that a library keeps the results of."""
        test = self.new(TEST, None)
        test.deep = [value for _, value in (*called.arguments, *called.keywords)]
        self.activation.tests.append((test, [node]))

    def change(self, made: Instance, node: ast.Call, before: bool) -> bool:
        """Note what a call changes: the object of a mutating method, the first argument of some functions."""
        item = self.cursor.peek()
        place = self.place(node)
        mine = before or (
            item is not None
            and item[1] in marks.WRITES
            and item[2].at is not None
            and tuple(item[2].at) == place
        )
        if not mine:
            return False
        called: Called = made.detail
        write = self.effect(WRITE, node)
        values = [value for _, value in called.arguments] + [value for _, value in called.keywords]
        method = self.method(called)
        function = called.function
        if function is not None and method and self.is_unbound(function):
            write.uses = [*values[:1], function]
            write.deep = values[1:]
        elif function is not None and method:
            is_own = function.kind == ATTRIBUTE and function.detail == method
            is_own = (
                is_own and self.graph.kind_of(function.uses[0]) != "instance"
            )  # that keeps one of another
            write.uses = [function.uses[0] if is_own else self.receiver(function)]
            write.deep = values
        elif called.name == _INITIALIZING and (owner := self.initialized(called)) is not None:
            write.uses, write.deep = [owner], values
        elif sources.looks_at_names(node):
            write.uses, write.deep = list(made.uses), [*values, *made.deep]
        else:
            write.uses = [*values[:1], *made.uses]
            write.deep = [*values[1:], *made.deep]
            if called.receiver is not None:
                write.deep.append(called.receiver)
            if function is not None and self.is_of_made(function):
                write.deep.append(function)
        write.detail = method or called.name
        self.activation.changing[write.order] = called
        if method in _PUTTING and len(write.deep) == 1:
            write.copy = write.deep[0]
            write.deep = []
        if called.name == "setattr" and len(values) == 3:
            write.copy = values[2]
        self.claim(write, node)
        made.time = self.cursor.now - 1 if made.time < self.cursor.now else made.time
        return True

    def method(self, called: Called) -> str:
        """The name of the mutating method that is called, whatever it goes by; empty for functions."""
        function = called.function
        if function is None or called.name in mutating.MUTATING_FUNCTIONS:
            return ""
        if function.kind == ATTRIBUTE and function.detail in mutating.MUTATORS:
            return called.name
        row = self.graph.row_of(function)
        shown = self.graph.origin(function)
        if type(row) is list and row[0] == "function":
            holder, _, name = row[1].rpartition(".")
            return name if holder and name in mutating.MUTATORS else ""
        return shown.detail if shown.kind == ATTRIBUTE and shown.detail in mutating.MUTATORS else ""

    def initialized(self, called: Called) -> Instance | None:
        """What is there already and initialized again: `box.__init__(…)`."""
        return None if called.function is None or self.is_unbound(called.function) else called.receiver

    def is_unbound(self, function: Instance) -> bool:
        """Whether a method of a class is called, on what stands among the arguments: `list.append(xs, 3)`."""
        shown = self.graph.origin(function)
        if shown.kind != ATTRIBUTE:
            return False
        owner = self.graph.origin(shown.uses[0])
        row = self.graph.row_of(owner)
        if type(row) is list:
            return bool(row[0] == "class")
        return owner.node is not None and mutating.may_be_class(owner.node)

    def is_of_made(self, function: Instance) -> bool:
        """Whether what is called was made by a call of code that is not recorded: `methodcaller("append", n)`."""
        return self.graph.origin(function).kind == LIBRARY

    def receiver(self, function: Instance) -> Instance:
        """What a method that goes by another name belongs to."""
        made = self.new(RECEIVER, None)
        made.uses.append(function)
        return made

    def run_call(self, made: Instance, greedy: bool, iterated: bool) -> None:
        """The nodes and lambdas that ran while this call was under way."""
        called: Called = made.detail
        self.cursor.closing = called.name == "close"
        while (item := self.cursor.peek()) is not None:
            kind = item[1]
            is_under_way = self.is_under_way(called, item[0])
            if kind == CHILD:
                child = item[2]
                if not is_under_way and (
                    (iterated and self.is_iteration(child, called))
                    or not (greedy or self.fits(called, child))
                ):
                    break
                self.cursor.take()
                self.called_by(made, child)
            elif kind == marks.ENTER:
                if not is_under_way and (iterated or not greedy) and not self.may_run_lambda(called):
                    break
                self.run_inline(made)
            elif kind == marks.BLOCK and self.trace.blocks[item[2].block].kind == "class":
                break
            elif is_of_library(item):
                self.activation.writes[self.cursor.take()[0]] = made
            elif kind == marks.PASSED and item[2].label.endswith(AFTER_CALLS):
                self.pass_over_notes()
            elif self.is_in_turn(called):
                self.gave_in_turn(made)
            else:
                break
        self.cursor.closing = False

    def is_under_way(self, called: Called, time: int) -> bool:
        """Whether a function that was called has not ended: it waits for another thread."""
        if not called.nodes or not self.trace.sleepers:
            return False
        routines, segments = self.trace.routines, self.trace.segments
        return any(
            node in segments
            and segments[node][-1] > time
            and routines[self.trace.routine[node]].kind == "function"
            for node in (called.nodes[0], called.nodes[-1])
        )

    def is_iteration(self, child: int, called: Called) -> bool:
        if child in self.trace.segments:
            return True
        name = self.routine_name(child)
        return name in ITERATING and name != called.name

    def fits(self, called: Called, child: int) -> bool:
        """Whether a node may be (part of) this call, where no event of its own ends it and other calls may follow."""
        routine = self.trace.routines[self.trace.routine[child]]
        name, first = routine.name, not called.nodes
        if child in called.nodes:
            return True  # it goes on, after it had waited
        if routine.kind == "coroutine" and name == called.name:
            return False  # a call only makes it
        if routine.kind in _MADE and name in self.made_by(called):
            return True
        if self.is_asked_by_generator(called, routine):
            return True
        function = called.function
        if function is not None and function.kind == ATTRIBUTE and not self.may_call(function.uses[0]):
            values = [value for _, value in (*called.arguments, *called.keywords)]
            if name in OPERATORS or not any(map(self.may_call, values)):
                return False  # a method of a builtin, with plain arguments
        if first and (name == called.name or (function is not None and self.names(function) == name)):
            return True
        builtin = function is not None and self.graph.is_builtin(self.activation, function)
        special = name.startswith("__") and name not in _MAKING
        if builtin and not (called.arguments or called.keywords):
            return False  # whom should it call?
        if not first and (self.has_made(called) or self.passes(called, called.nodes[0], surely=True)):
            return False
        if builtin and called.name in _NO_CALLBACK:
            return (
                name in _SPECIAL[called.name]
                if called.name in _SPECIAL
                else special and name not in OPERATORS
            )
        if special and builtin:
            values = [value for _, value in (*called.arguments, *called.keywords)]
            return any(map(self.may_be_asked, values))
        if special and first:
            return True
        if not first and not builtin and called.target_name in (called.name, self.names_of(function)):
            return False  # the function itself has run
        if any(self.names(value) == name for _, value in called.arguments) or any(
            self.names(value) == name for _, value in called.keywords
        ):
            return True
        if name in _MAKING:
            made = routine.qualname.rpartition(".")[0].rpartition(".")[2]
            row = self.graph.row_of(function) if function is not None else None
            is_class = called.name[:1].isupper() or (type(row) is list and row[0] == "class")
            if first:
                return made == called.name or is_class or made not in self.own_calls
            return is_class and self.routine_name(called.nodes[-1]) != name
        if child in self.trace.segments and first:
            return True
        if function is not None and function.kind == GLOBAL and called.name[:1].isupper():
            values = [value for _, value in (*called.arguments, *called.keywords)]
            if values and not any(map(self.may_call, values)):
                return False  # a class of a library, with plain arguments
        return name not in self.own_calls

    def has_made(self, called: Called) -> bool:
        """Whether the `__init__` has run of a class that is called: that is the last of it."""
        routine = self.trace.routines[self.trace.routine[called.nodes[-1]]]
        return (
            routine.name == "__init__"
            and routine.qualname.rpartition(".")[0].rpartition(".")[2] == called.name
        )

    def names_of(self, function: Instance | None) -> str:
        """The name of the function that is called, where that is known; "" for others."""
        row = self.graph.row_of(function)
        is_known = type(row) is list and row[0] in ("function", "method")
        return self.names(function) if is_known and function is not None else ""

    def is_asked_by_generator(self, called: Called, routine: Routine) -> bool:
        """Whether a generator expression among the arguments calls a routine: it runs when the call asks it to."""
        name = (
            routine.qualname.rpartition(".")[0].rpartition(".")[2]
            if routine.name in _MAKING
            else routine.name
        )
        return any(
            isinstance(shown, ast.GeneratorExp) and name in self.files.calls_in(shown)
            for shown in (self.graph.origin(value).node for _, value in (*called.arguments, *called.keywords))
        )

    def made_by(self, called: Called) -> frozenset[str]:
        """What the arguments of a call may have made: coroutines that it runs."""
        values = [value for _, value in (*called.arguments, *called.keywords)]
        return frozenset().union(
            *(self.files.calls_in(value.node) for value in values if isinstance(value.node, ast.expr))
        )

    def may_run_lambda(self, called: Called) -> bool:
        """Whether a lambda may be (part of) this call, where no event of its own ends it."""
        builtin = called.function is not None and self.graph.is_builtin(self.activation, called.function)
        if builtin and called.name in _NO_CALLBACK:
            return False
        own = self.names_of(called.function)
        if called.nodes and self.routine_name(called.nodes[-1]) in (called.name, own):
            return False  # the function itself has run
        values = [value for _, value in (*called.arguments, *called.keywords)]
        receiver = called.receiver
        if (
            receiver is not None
            and called.name in _PLAIN_METHODS
            and (not self.may_call(receiver) or self.files.effects_of_calls(called.name) is None)
        ):
            return False
        if called.function is not None and not builtin and (receiver is None or self.may_call(receiver)):
            values.append(called.function)
        return any(map(self.may_call, values))

    def settle(self, made: Instance) -> None:
        """Which of the nodes that ran is the call itself?"""
        called: Called = made.detail
        if called.inline and not called.nodes and len(called.inline) == 1 and self.is_direct(called):
            outcome = called.inline[0].outcome
            if outcome is not None:
                made.kind = CHOICE
                made.copy = outcome
                made.uses = [called.function] if called.function is not None else []
                return
        target = -1
        row = self.graph.row_of(called.function) if called.function is not None else None
        for child in called.nodes:
            routine = self.trace.routines[self.trace.routine[child]]
            if type(row) is list and row[0] in ("function", "method"):
                if row[0] == "method":
                    row = self.trace.row(row[1])
                if type(row) is list and row[0] == "function" and row[1].rpartition(".")[2] == routine.name:
                    target = child
                    break
            elif routine.name == called.name:
                target = child
                break
        if target < 0:
            target = self.constructor(called)
        if target < 0 and called.nodes and not self.graph.is_builtin(self.activation, called.function):
            direct = [n for n in called.nodes if not self.routine_name(n).startswith("__")]
            if len(called.nodes) == 1 and len(direct) == 1 and self.passes(called, direct[0]):
                target = direct[0]
            elif self.routine_name(called.nodes[0]) == "__call__":
                target = called.nodes[0]
        if target >= 0:
            made.kind = CALL
            called.target = target
            if (
                target in self.trace.segments
                and self.trace.routines[self.trace.routine[target]].kind != "coroutine"
            ):
                made.kind, called.target = LIBRARY, -1

    def is_direct(self, called: Called) -> bool:
        """A lambda is called itself: by name or in place, not by `sorted`."""
        function = called.function
        if function is None or function.kind == ATTRIBUTE:
            return False
        row = self.graph.row_of(function)
        if type(row) is list and row[0] != "unknown":
            return row[0] == "function" and str(row[1]).endswith("<lambda>")
        if self.graph.class_bodies.is_class(called.name) or self.is_of_library(function):
            return False
        return not self.graph.is_builtin(self.activation, function)

    def is_of_library(self, function: Instance) -> bool:
        """Whether it is imported, and no function of the program."""
        shown = self.graph.origin(function)
        is_imported = isinstance(shown.node, (ast.Import, ast.ImportFrom)) or (
            shown.kind == GLOBAL and shown.detail in self.file.imported
        )
        return is_imported and not self.files.named(shown.detail)

    def passes(self, called: Called, child: int, surely: bool = False) -> bool:
        """Whether a function under another name was called with just these arguments, as far as they are known."""
        function, trace = called.function, self.trace
        if function is None or function.kind == GLOBAL:
            return False
        row = self.graph.row_of(called.receiver) if called.receiver is not None else None
        if type(row) is list and row[0] == "instance" and not trace.type_of(row[1])[2]:
            return False  # a method of a library's object, which called something back
        if type(row) is list and row[0] == "module" and not self.files.defining(called.name):
            return False
        spread = any(starred for starred, _ in called.arguments) or any(
            name is None for name, _ in called.keywords
        )
        given_at_most = len(called.arguments) + len(called.keywords) + 1  # with what a method is one of
        if not spread and _needed(self.files.code_of(trace.routine[child])) > given_at_most:
            return False
        got: set[int] = set()
        for argument in trace.arguments(child):
            number = argument.value.identity
            got.add(number)
            held = trace.row(number)
            if type(held) is list and held[0] in ("tuple", "dict"):  # `*args`, `**kwargs`
                content = trace.content(number, trace.start[child])
                got |= {*content.items, *(value for _, value in content.pairs.values())}
        scalars = [held for held in map(trace.row, got) if type(held) is not list]
        given = [value for starred, value in called.arguments if not starred]
        given += [value for name, value in called.keywords if name is not None]
        for value in given:
            number, scalar = self.graph.number(value), self.graph.value(value)
            if scalar is not UNSET:
                if scalar not in scalars:
                    return False
            elif number not in got and (number or surely):
                return False
        return True

    def constructor(self, called: Called) -> int:
        """`C(…)` runs `C.__init__`."""
        row = self.graph.row_of(called.function) if called.function is not None else None
        for child in called.nodes:
            routine = self.trace.routines[self.trace.routine[child]]
            if routine.name == "__init__" and (
                called.name[:1].isupper()
                or routine.qualname.rpartition(".")[0].rpartition(".")[2] == called.name.lstrip("_")
                or (type(row) is list and row[0] == "class")
                or called.name == "cls"
            ):
                return child
        return -1


def _needed(code: Any) -> int:
    """How many arguments a function must be given by position."""
    if not isinstance(code, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return 0
    return len(code.args.posonlyargs) + len(code.args.args) - len(code.args.defaults)
