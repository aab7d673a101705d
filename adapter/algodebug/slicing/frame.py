"""One activation while it is followed: where its events stand, its names, the instances made so far.

The classes that follow code are built one on the other: `Frame`, then what runs in it (`running`), what it stores
(`stores`), its calls (`calling`), comprehensions, other expressions, suites, `try` and `with`, loops, the other statements
(`walk`).
"""

from __future__ import annotations

import ast
import sys
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from algodebug.slicing import raising
from algodebug.slicing.instances import (
    CALL,
    FREE,
    GLOBAL,
    ITEM,
    NAME,
    OPERATION,
    PARAMETER,
    STORE,
    TEST,
    WRITE,
    Activation,
    Called,
    Instance,
)
from algodebug.slicing.sources import Place
from algodebug.slicing.steps import (
    CHILD,
    VALUE,
    Cursor,
    Disagreement,
    Ended,
    Item,
    Thrown,
    Unreadable,
    items_of,
)
from algodebug.slicing.truths import Operand
from algotrace import marks

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_WHERE_CAUGHT = ("handler", "finally")
AFTER_CALLS = (f"\t{marks.HANDED_BACK}", f"\t{marks.IN_HAND}")  # notes of what a call had in hand


def is_of_library(item: Item) -> bool:
    """Whether code of a library tells what it is about to change: that stands nowhere in the program."""
    return item[1] in (marks.PASSED, marks.NAMED) and item[2].at is None


class Frame:
    """Names, places and events of one activation."""

    def __init__(self, graph: Graph, node: int, inline: Frame | None = None, routine: int = -1) -> None:
        self.graph = graph
        self.trace = trace = graph.trace
        self.routine = routine if inline is not None else trace.routine[node]
        made = trace.routines[self.routine]
        self.files = graph.files
        file = self.files[made.source]
        if file is None:
            name, version = PurePath(trace.sources[made.source].path).name, sys.version_info
            raise Unreadable(
                f"{name} cannot be read by Python {version[0]}.{version[1]}: take one that the program runs with"
            )
        self.file = file
        self.code = self.files.code_of(self.routine)
        if self.code is None:
            raise Disagreement("its definition is not in the source")
        self.activation = Activation(node, self.routine, made.source)
        self.scope = self.files.scope(self.code)
        self.is_module = isinstance(self.code, (ast.Module, ast.ClassDef))  # its names leave marks
        self.blocks = self.files.blocks(made.source)
        self.slots = self.files.slots(made.source)
        self.cursor: Cursor = inline.cursor if inline is not None else Cursor(trace, items_of(trace, node))
        if inline is None:
            self.cursor.routine = self.routine
            self.cursor.lazy = self.files.lazy_blocks(made.source)
        self.environment: dict[str, Instance] = {}
        self.class_names: dict[str, Instance] | None = None
        self.control: Instance | None = None
        self.handling: list[Instance] = []
        # Names of exceptions that a `try` around what runs now catches, here or in callers; empty for any.
        self.caught: frozenset[str] | None = (
            self.graph.caught_by_callers(node) if inline is None else inline.caught
        )
        self.caught_here: frozenset[str] | None = None  # … in this activation alone
        self.managed: list[set[int]] = []  # what ran for the managers of each `with` around what runs now
        self.statement_start = 0
        self.statement_node: ast.stmt | None = None
        self.operands: dict[int, list[Operand]] = {}
        self.refused: tuple[ast.expr, ast.AST] | None = None  # a target whose store failed, and the statement
        self.marked: set[ast.AST] = set()  # targets whose mark was taken, before they are stored into
        self.truths: dict[int, Instance] = {}  # order of a value → the method that was asked if it is true
        self.passed: tuple[int, Instance | None] = (
            0,
            None,
        )  # a statement, and what must not have raised in it so far
        self.passed_until = 0
        self.generators: set[int] = set()  # identities of what was iterated over, where that ran generators
        self.begun: dict[
            int, tuple[Instance, int]
        ] = {}  # … and the `__iter__` of the program that ran, by identity
        self.claimed: dict[Place, Instance] = {}  # the last write at a place that took what is noted there
        self.asked: dict[int, tuple[Instance, int]] = {}  # identity of what made a generator → it, the node
        self.dropped = (
            False  # the statement under way is nothing but an expression: no event tells that it is over
        )
        self.comprehension: ast.AST | None = None
        self.comprehended: set[str] = set()

    def new(self, kind: str, node: ast.AST | None) -> Instance:
        instances = self.activation.instances
        made = Instance(self.activation, kind, node, self.cursor.now, len(instances), self.control)
        instances.append(made)
        return made

    def effect(self, kind: str, node: ast.AST | None) -> Instance:
        """Something that others see, and would not, had an exception that is caught been raised before it."""
        passed = None if self.caught is None else self.has_passed(self.caught)
        made = self.new(kind, node)
        if passed is not None:
            made.control = passed
        if self.caught is not None and kind == WRITE:
            self.activation.in_try[made.order] = self.caught
        return made

    def has_passed(self, names: frozenset[str], until: int | None = None) -> Instance | None:
        """A test of what the statement under way has evaluated so far (before an instance), where that could have raised."""
        statement, before = self.passed
        if statement != self.statement_start:
            before = None
        test = self.raising_since(max(self.passed_until, self.statement_start), names, until)
        self.passed_until = len(self.activation.instances)
        if test is None:
            if before is None or before.control is self.control:
                return before
            test = self.new(TEST, None)
        if before is not None:
            test.uses.append(before)
        self.passed = (self.statement_start, test)
        return test

    def raised_by(self, failed: Instance, thrown: Instance) -> None:
        """An exception came from an evaluation: one before it could have raised another, which is caught too; a manager
        that ran on its way could have swallowed it."""
        since, ran_in = self.activation.instances[failed.order + 1 : thrown.order], self.activation.ran_in
        closing = [
            made for made in since if made.kind == OPERATION and made.node is None and made.order in ran_in
        ]
        test = None if self.caught is None else self.has_passed(self.caught, failed.order)
        if closing:
            before, test = test, self.new(TEST, None)
            test.uses += closing if before is None else [before, *closing]
        thrown.detail = test

    def raising_since(self, start: int, names: frozenset[str], until: int | None = None) -> Instance | None:
        """A test of all that could have raised some exceptions."""
        since = self.activation.instances[start:until]
        called = [n for made in since if isinstance(made.detail, Called) for n in made.detail.nodes]
        ran_in = self.activation.ran_in
        called += [n for made in since if made.order in ran_in for n in ran_in[made.order]]
        body = [made for made in since if made.kind != CALL and raising.could_raise(made, names)]
        unrun = raising.tests_since(self.activation, start, names)
        inlines = raising.inlines_since(self.activation, start)
        if until is not None:
            unrun = [test for test in unrun if test.order < until]
            inlines = [inner for inner in inlines if inner.caller is None or inner.caller.order < until]
        for inner in inlines:
            body += raising.in_callee(inner, names)
            called += raising.called_in(inner)
        if not body and not called and not unrun:
            return None
        test = self.new(TEST, None)
        test.uses += [*body, *unrun]
        test.shape += [made.uses[0] for made in body if made.uses and made.kind in (ITEM, WRITE)]
        test.detail = (names, called)
        return test

    def place(self, node: Any) -> Place:
        return self.file.place(node)

    def last_line(self) -> int:
        for made in reversed(self.activation.instances):
            if made.node is not None and hasattr(made.node, "lineno"):
                return int(made.node.lineno)
        return 0

    def learn(self, instance: Instance, number: int) -> None:
        """The trace names the object: so it does for what it is a copy of."""
        if self.trace.row(number) == ["unknown"]:
            return
        seen: Instance | None = instance
        while seen is not None and not seen.number:
            seen.number = number
            seen = seen.copy

    def block_of(self, kind: str, node: ast.AST, index: int = 0) -> int:
        numbers = self.blocks.get((kind, self.place(node)), ())
        if index < len(numbers):
            return numbers[index]
        raise Disagreement(f"no {kind} block")

    def pass_over_notes(self) -> None:
        """What a call before had in hand is told when it has ended."""
        while (item := self.cursor.peek()) is not None and item[1] == marks.PASSED:
            if not item[2].label.endswith(AFTER_CALLS):
                break
            self.pass_over()

    def pass_over(self) -> None:
        """A write that nobody asked for yet."""
        item = self.cursor.take()
        if not self.belongs_to_call_before(item):
            self.cursor.unclaimed.append(item)

    def belongs_to_call_before(self, item: Item) -> bool:
        """Whether it tells what the last call at its place had in hand when that had ended."""
        is_after = item[1] == marks.PASSED and item[2].label.endswith(AFTER_CALLS)
        made = self.claimed.get(tuple(item[2].at)) if is_after and item[2].at is not None else None
        if made is None:
            return False
        self.activation.writes[item[0]] = made
        return True

    def is_in_turn(self, called: Called | None = None) -> bool:
        """Whether an iterator has given something to a function which changes it, or a generator expression, which the
        call under way may have asked, changes something."""
        item = self.cursor.peek()
        if item is None or item[1] not in marks.WRITES:
            return False
        if item[2].label.endswith(f"\t{marks.IN_TURN}"):
            return True
        node = self.generating(item)
        return node is not None and (called is None or self._may_ask(called, node))

    def _may_ask(self, called: Called, node: ast.GeneratorExp) -> bool:
        """Whether a call may ask a generator expression for an element: not before that was evaluated."""
        values = [value for _, value in (*called.arguments, *called.keywords)]
        values += [each for each in (called.receiver, called.function) if each is not None]
        if not any(map(self.may_call, values)):
            return False
        statement = self.statement_node
        if statement is None or not (
            self.place(statement)[:2] <= self.place(node)[:2]
            and self.place(node)[2:] <= self.place(statement)[2:]
        ):
            return True
        made = self.activation.lumps
        return any(each.node is node and each.order >= self.statement_start for each in made)

    def gave_in_turn(self, asked_by: Instance) -> None:
        """… the change is the doing of what asked for it."""
        item = self.cursor.take()
        if (node := self.generating(item)) is not None:
            made = self.new(OPERATION, None)
            made.uses.append(asked_by)
            made.deep += [*asked_by.uses, *(lump for lump in self.activation.lumps if lump.node is node)]
            asked_by = made
        self.activation.writes[item[0]] = asked_by

    def generating(self, item: Item) -> ast.GeneratorExp | None:
        """The generator expression that a write is in, whoever asks for an element."""
        if item[2].at is None:
            return None
        first, last = tuple(item[2].at[:2]), tuple(item[2].at[2:])
        return next(
            (
                node
                for place, node in self.files.lazy_code(self.trace.routines[item[2].routine].source)
                if place[:2] <= first and last <= place[2:]
            ),
            None,
        )

    def comes_next(self, kind: int) -> bool:
        item = self.cursor.peek()
        return item is not None and item[1] == kind

    def at_block(self, number: int) -> bool:
        item = self.cursor.peek_mark()
        if item is not None and item[1] == marks.BLOCK and item[2].block == number:
            while self.cursor.peek() is not None and self.cursor.peek()[1] in marks.WRITES:  # type: ignore[index]
                self.pass_over()
            return True
        return False

    def at_arm(self, node: ast.AST) -> bool:
        self.pass_over_notes()
        item = self.cursor.peek()
        if item is None or item[1] != marks.BLOCK:
            return False
        return item[2].block in self.blocks.get(("arm", self.place(node)), ())

    def has_arm(self, node: ast.AST) -> bool:
        return ("arm", self.place(node)) in self.blocks

    def take_value(self, role: str, node: Any, place: Place | None = None) -> int:
        """The number of the object that the stream names here; 0 where it names none."""
        if (role, place or self.place(node)) not in self.slots:
            return 0
        item = self.cursor.peek_mark()
        if item is None:
            raise Ended
        if item[1] != VALUE:
            return -1
        self.cursor.take_mark()
        return int(item[2])

    def bind_parameters(self, code: Any, mark: Any, values: list[int]) -> None:
        names = self.trace.routines[self.routine].parameters
        given = values[1:] if mark.tokened else values
        arguments = {a.arg: a for a in arguments_of(code.args)}
        for index, name in enumerate(names):
            made = self.new(PARAMETER, arguments.get(name))
            made.detail = name
            if index < len(given):
                self.learn(made, given[index])
            self.activation.parameters[name] = made
            self.environment[name] = made
            self.activation.stores.setdefault(name, []).append(made)

    def load_name(self, name: str, node: ast.AST | None, read: bool = True) -> Instance:
        known = self.lookup(name)
        if known is not None and isinstance(known.node, ast.GeneratorExp) and known.kind == OPERATION:
            made = self.new(OPERATION, node)  # it binds the name whenever it is asked
            made.deep.append(known)
            return made
        if known is not None:
            made = self.new(NAME, node)
            made.copy = known
            if not self.is_module and name in self.files.bound_by_inner(self.code):
                made.detail = name  # a function in it may have bound it since
            else:
                made.number, made.value = known.number, known.value
            return made
        if name in self.scope.locals and not self.is_module and name not in self.comprehended:
            made = self.new(NAME, node)  # unbound as far as we know
            return made
        if self.graph.is_free(self.routine, name):
            made = self.new(FREE, node)
            made.detail = name
            if read and node is not None and not self.is_module:
                number = self.take_value("read", node)
                if number > 0:
                    self.learn(made, number)
                elif number < 0:
                    self.cut(node)
            return made
        made = self.new(GLOBAL, node)
        made.detail = name
        return made

    def lookup(self, name: str) -> Instance | None:
        if self.class_names is not None and name in self.class_names:
            return self.class_names[name]
        return self.environment.get(name)

    def bind(self, name: str, value: Instance, node: ast.AST | None, slot: bool = False) -> None:
        """A definition, an import, an `except … as`: a name is bound, with no target of its own."""
        made = self.new(STORE, node)
        made.copy = value
        made.number, made.value = value.number, value.value
        made.detail = name
        if slot and not self.is_module:
            item = self.cursor.peek_mark()
            if item is not None and item[1] == VALUE and self._has_definition_slot(node, name):
                self.cursor.take_mark()
                self.learn(made, item[2])
        self.set_name(name, made)

    def _has_definition_slot(self, node: Any, name: str) -> bool:
        line = self.file.text(node.lineno)
        start = line.find(name, self.file.column(node.lineno, node.col_offset))
        return ("store", (node.lineno, start, node.lineno, start + len(name))) in self.slots

    def set_name(self, name: str, made: Instance) -> None:
        if self.class_names is not None:
            self.class_names[name] = made
            return
        self.environment[name] = made
        self.activation.stores.setdefault(name, []).append(made)

    def is_own(self, name: str) -> bool:
        return self.is_module or name in self.scope.locals

    def take_name_mark(self, name: str, value: Instance | None = None) -> bool:
        """A global or nonlocal name is about to be bound, where it is one. Whether the mark of that was there."""
        if self.is_module or (name not in self.scope.globals and name not in self.scope.nonlocals):
            return False
        item = self.cursor.peek()
        if item is None or item[1] != marks.NAME or not item[2].label.endswith(" " + name):
            return False
        self.cursor.take()
        made = self.effect(WRITE, None)
        made.copy = value
        made.detail = name
        if len(item[3]) > 1:
            self.learn(made, item[3][1])
        self.activation.writes[item[0]] = made
        return True

    def cut(self, node: ast.AST) -> None:
        """A value that must come does not: an exception was in between, or we are lost."""
        item = self.cursor.peek_mark()
        if item is None:
            raise Ended
        if self.is_left(item):
            raise Thrown(self.thrown(node))
        raise Disagreement("a value is missing")

    def coming(self) -> Item | None:
        """What comes next; where that is a `finally` on the way of an exception, what tells of this one after it."""
        item = self.cursor.peek_mark()
        if item is None or item[1] != marks.BLOCK or self.trace.blocks[item[2].block].kind != "finally":
            return item
        return self.cursor.behind_finally() or item

    def is_left(self, item: Item) -> bool:
        """Whether what comes next tells that an exception came out here."""
        if item[1] == marks.BLOCK:
            return self.trace.blocks[item[2].block].kind in _WHERE_CAUGHT
        if item[1] != CHILD:
            return item[1] in (marks.HANDLER, marks.RAISE, marks.BLOCK_END)
        if not self.managed:
            return False
        name = self.trace.routines[self.trace.routine[item[2]]].name
        return name in ("__exit__", "__aexit__") or item[2] in self.managed[-1]

    # -- what the classes built on this one do ---------------------------------------------------------------------------

    def may_call(self, value: Instance) -> bool:
        """Whether a value may be a function, or something else that runs code when it is used."""
        raise NotImplementedError

    def value(self, node: Any, last: bool = False, iterated: bool = False) -> Instance:
        """Evaluate. `last`: nothing else is evaluated before the statement's own events come."""
        raise NotImplementedError

    def thrown(self, node: ast.AST | None) -> Instance:
        """An exception that came from somewhere in the statement under way."""
        raise NotImplementedError

    def within(self, item: Any, node: ast.AST) -> bool:
        """Whether an exception came out of a node."""
        raise NotImplementedError

    def run_as_inline(self, item: Any, around: Frame) -> None:
        """Follow what runs inside of another activation's events."""
        raise NotImplementedError


def arguments_of(arguments: ast.arguments) -> list[ast.arg]:
    return [
        *arguments.posonlyargs,
        *arguments.args,
        *([arguments.vararg] if arguments.vararg else []),
        *arguments.kwonlyargs,
        *([arguments.kwarg] if arguments.kwarg else []),
    ]
