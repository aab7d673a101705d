"""Following expressions: each evaluation becomes an instance that knows what it was computed from."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from typing import Any

from algodebug.slicing import class_attributes, truths
from algodebug.slicing.comprehensions import Comprehensions, Unfollowed
from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    CHOICE,
    CONSTANT,
    DISPLAY,
    ITEM,
    LIBRARY,
    NAME,
    OPERATION,
    PART,
    SLICED,
    YIELD,
    Called,
    Instance,
)
from algodebug.slicing.special_methods import FINDING, SLICING
from algodebug.slicing.steps import CHILD, Disagreement, Ended, Item
from algodebug.slicing.truths import Operand
from algotrace import marks

_OUTCOME_RAISED = 1
_FINDING = ("__getattr__", "__getattribute__")
_READING = (*_FINDING, "__get__")
_GETTING_ITEMS = ("__getitem__", "__missing__", "__class_getitem__")


class Expressions(Comprehensions):
    """`value` evaluates an expression."""

    def value(self, node: Any, last: bool = False, iterated: bool = False) -> Instance:
        """Evaluate. `last`: nothing else is evaluated before the statement's own events come."""
        method = getattr(self, "_eval_" + type(node).__name__, None)
        if method is None:
            raise Disagreement(f"expression {type(node).__name__}")
        if type(node) is ast.Call:
            return self._eval_Call(node, last, iterated)
        return method(node)  # type: ignore[no-any-return]

    def _eval_Constant(self, node: ast.Constant) -> Instance:
        made = self.new(CONSTANT, node)
        made.value = node.value
        return made

    def _eval_Name(self, node: ast.Name) -> Instance:
        return self.load_name(node.id, node)

    def _eval_NamedExpr(self, node: ast.NamedExpr) -> Instance:
        value = self.value(node.value)
        stored: list[tuple[ast.Name, Instance]] = []
        self.assign(node.target, value, stored)
        if self.comprehension is None:
            self.take_stored(stored)
        made = self.new(NAME, node)
        made.copy = value
        made.number, made.value = value.number, value.value
        return made

    def operation_of(self, node: ast.AST, deep: list[Instance]) -> Instance:
        made = self.new(OPERATION, node)
        made.deep = deep
        return made

    def _eval_BinOp(self, node: ast.BinOp) -> Instance:
        chain = [node]
        while isinstance(chain[-1].left, ast.BinOp):
            chain.append(chain[-1].left)
        left = self.value(chain[-1].left)
        for link in reversed(chain):
            right = self.value(link.right)
            left = self.operation_of(link, [left, right])
            self.run_operators(left)
        return left

    def _eval_UnaryOp(self, node: ast.UnaryOp) -> Instance:
        operand = self.value(node.operand)
        made = self.new(OPERATION, node)
        (made.shape if isinstance(node.op, ast.Not) else made.deep).append(operand)
        self.run_operators(made)
        return made

    def _eval_Compare(self, node: ast.Compare) -> Instance:
        left = self.value(node.left)
        outer = self.control
        made: Instance | None = None
        for index, (operator, part) in enumerate(zip(node.ops, node.comparators, strict=True)):
            if index:
                assert made is not None
                test = self.test(node, made, [part])
                if self.at_arm(part):
                    self.cursor.take()
                elif self.has_arm(part) or not _quiet(part):
                    break
                self.control = test
            right = self.value(part)
            made, before = self.new(OPERATION, node), made
            if before is not None:
                made.uses.append(before)
            if isinstance(operator, (ast.Is, ast.IsNot)):
                made.uses += [left, right]
            elif _is_empty(part) or _is_empty(node.left):
                made.shape += [left, right]
            else:
                made.deep += [left, right]
            if isinstance(operator, (ast.In, ast.NotIn)):
                self.run_contained(made, right)
            elif not isinstance(operator, (ast.Is, ast.IsNot)):
                self.run_operators(made)
            left = right
        self.control = outer
        assert made is not None
        return made

    def _eval_BoolOp(self, node: ast.BoolOp) -> Instance:
        outer = self.control
        tests: list[Instance] = []
        start = len(self.activation.instances)
        value = self.value(node.values[0])
        operands = [Operand(node.values[0], value, start, outer)]
        for index, part in enumerate(node.values[1:], 1):
            unrun = [*node.values[index:], *truths.questions(self.files, node, index)]
            test = self.test(node.values[index - 1], value, unrun)
            tests.append(test)
            if self.at_arm(part):
                self.cursor.take()
            elif self.has_arm(part):
                break
            else:  # in a comprehension on one line: was it evaluated?
                known = self.graph.truth(value)
                if known is None:
                    raise Unfollowed
                if known != isinstance(node.op, ast.And):
                    break
            self.control, start = test, len(self.activation.instances)
            value = self.value(part)
            operands.append(Operand(part, value, start, test))
        self.control = outer
        made = self.new(CHOICE, node)
        self.operands[made.order] = operands
        made.copy = value
        made.uses = tests
        made.number, made.value = value.number, value.value
        return made

    def _eval_IfExp(self, node: ast.IfExp) -> Instance:
        value = self.value(node.test)
        self.run_truth(value)
        if self.at_arm(node.body):
            chosen, other = node.body, node.orelse
        elif self.at_arm(node.orelse):
            chosen, other = node.orelse, node.body
        elif self.comprehension is not None:
            known = self.graph.truth(value)
            if known is None:
                raise Unfollowed
            chosen, other = (node.body, node.orelse) if known else (node.orelse, node.body)
        else:
            self.cut(node)
            raise Disagreement("no part of a conditional expression is evaluated")
        if self.at_arm(chosen):
            self.cursor.take()
        outer = self.control
        truths.settle(self.operands, node.test, value, chosen is node.body)
        test = self.control = self.test(node.test, value, [other])
        result = self.value(chosen)
        self.control = outer
        made = self.new(CHOICE, node)
        made.copy = result
        made.uses.append(test)
        made.number, made.value = result.number, result.value
        return made

    def _eval_Tuple(self, node: Any) -> Instance:
        parts = [self.value(part) for part in node.elts]
        if any(isinstance(part, ast.Starred) for part in node.elts) or isinstance(node, ast.Set):
            made = self.operation_of(node, parts)
            self.run_operators(made)
            return made
        made = self.new(DISPLAY, node)
        made.detail = parts
        return made

    _eval_List = _eval_Set = _eval_Tuple

    def _eval_Dict(self, node: ast.Dict) -> Instance:
        pairs = []
        for key, value in zip(node.keys, node.values, strict=True):
            pairs.append((None if key is None else self.value(key), self.value(value)))
        if all(key is not None for key, _ in pairs):
            keys = [self.graph.value(key) for key, _ in pairs if key is not None]
            if all(type(key) in (str, int, bool, float, bytes) for key in keys):
                made = self.new(DISPLAY, node)
                made.detail = dict(zip(keys, (value for _, value in pairs), strict=True))
                made.uses = [key for key, _ in pairs if key is not None]
                return made
        made = self.operation_of(node, [part for pair in pairs for part in pair if part is not None])
        self.run_operators(made)
        return made

    def _eval_Starred(self, node: ast.Starred) -> Instance:
        value = self.value(node.value)
        ran = self.run_iterated(value)
        return self.consumed(value, ran) if ran else value

    def _eval_JoinedStr(self, node: ast.JoinedStr) -> Instance:
        parts = []
        for part in node.values:
            value = self.value(part)
            parts.append(value)
        return self.operation_of(node, parts)

    _eval_TemplateStr = _eval_JoinedStr

    def _eval_FormattedValue(self, node: ast.FormattedValue) -> Instance:
        parts = [self.value(node.value)]
        if node.format_spec is not None:
            parts.append(self.value(node.format_spec))
        made = self.operation_of(node, parts)
        self.run_operators(made)
        return made

    _eval_Interpolation = _eval_FormattedValue

    def _eval_Lambda(self, node: ast.Lambda) -> Instance:
        made = self.new(OPERATION, node)
        made.detail = node
        made.deep = [self.value(part) for part in node.args.defaults]
        made.deep += [self.value(part) for part in node.args.kw_defaults if part is not None]
        return made

    def _eval_Attribute(self, node: ast.Attribute) -> Instance:
        return self.read_attribute(node, self.value(node.value))

    def read_attribute(self, node: ast.Attribute, base: Instance) -> Instance:
        made = self.new(ATTRIBUTE, node)
        made.uses.append(base)
        made.detail = _mangled(node.attr, self.graph.class_of(self.routine))
        item = self.cursor.peek()
        if item is not None and item[1] in (marks.PASSED, marks.NAMED):
            # A method of a container, which may be called under another name; a dict of names, which may be changed.
            while self.claim(made, node) and self.comes_next(marks.NAMED):
                pass
            if item[1] == marks.PASSED and item[2].label.endswith("\t__dict__"):
                self.claim(made, node.value)  # of a library's method, which may store into it
            item = self.cursor.peek()
        if item is not None and item[1] in (CHILD, marks.ENTER):
            name = self.coming_special((*_READING, f".{node.attr}"))
            is_read = name or (item[1] == CHILD and self.graph.is_property(item[2], node.attr))
            if is_read and self.may_be_read(name, item, made):
                return self.ran(made, name, [(False, base)])
        return made

    def may_be_read(self, name: str, item: Item, read: Instance) -> bool:
        """Whether what runs next may be what reading an attribute runs."""
        if name == "__get__":
            return self.may_be_got(item, read)
        if name in _FINDING and item[1] == CHILD and self.routine_name(item[2]) == name:
            found = [self.trace.row(each.value.identity) for each in self.trace.arguments(item[2])]
            if found and type(found[-1]) is str and found[-1] != read.detail:
                return False  # it is asked for another one
            if len(found) == 1:  # the module's
                row = self.graph.row_of(read.uses[0])
                return type(row) is not list or row[0] == "module"
        return self.may_be_of(item, read.uses[0])

    def may_be_got(self, item: Item, read: Instance) -> bool:
        """Whether a `__get__` may be of what an attribute is that a class has; not where that is known as another."""
        if item[1] != CHILD:
            return True
        number = class_attributes.number(self.graph, read.uses[0], read.detail, read.time)
        own = next((each.value.identity for each in self.trace.arguments(item[2])), 0)
        return not number or not own or number == own

    def _eval_Subscript(self, node: ast.Subscript) -> Instance:
        base = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            made = self.new(SLICED, node)
            bounds = [
                None if part is None else self.value(part)
                for part in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            made.time = self.cursor.now
            made.detail = bounds
            made.uses = [base, *(part for part in bounds if part is not None)]
            self.run_operators(made, SLICING)
            return made
        key = self.value(node.slice)
        return self.read_item(node, base, key)

    def read_item(self, node: ast.AST, base: Instance, key: Instance, claim: bool = True) -> Instance:
        made = self.new(ITEM, node)
        made.uses = [base, key]
        if claim:
            self.claim(made, node)  # a default may be put there by reading
        item = self.cursor.peek()
        if item is not None and item[1] in (CHILD, marks.ENTER):
            name = self.coming_special(_GETTING_ITEMS)
            if name and self.may_be_of(item, base):
                return self.ran(made, name, [(False, base), (False, key)])
            self.run_operators(made, FINDING)
        if self.graph.defaulting_reads.is_any():
            self.run_factory(made)
        return made

    def run_factory(self, made: Instance) -> None:
        """What makes an item of a defaultdict that is missing when it is read."""
        item = self.cursor.peek()
        if item is None or item[1] not in (CHILD, marks.ENTER):
            return
        routine = self.trace.routines[self.trace.routine[item[2]] if item[1] == CHILD else item[2].routine]
        place = (routine.line, routine.column, 0, 0)
        reads = self.graph.defaulting_reads
        is_class = item[1] == CHILD and reads.is_made(made, item[2])
        if not is_class and not reads.is_factory(routine.source, place, routine.name):
            return
        if item[1] == marks.ENTER:
            self.run_inline(made)
            return
        self.cursor.take()
        self.called_by(made, item[2])
        if self.trace.outcome_kind[item[2]] == _OUTCOME_RAISED:
            self.rethrow(made)

    def _eval_Slice(self, node: ast.Slice) -> Instance:
        return self.operation_of(
            node, [self.value(part) for part in (node.lower, node.upper, node.step) if part is not None]
        )

    def _eval_Yield(self, node: ast.Yield) -> Instance:
        made = self.new(YIELD, node)
        if node.value is not None:
            made.copy = self.value(node.value, last=True)
        else:
            made.value = None
        item = self.cursor.peek_mark()
        if item is None or item[1] != marks.YIELD:
            self.cut(node)
            raise Disagreement("no yield")
        self.cursor.take_mark()
        if len(item[3]) > 0:
            self.learn(made, item[3][-1])
        self.activation.yields[item[0]] = made
        return self.resumed(node)

    def resumed(self, node: ast.AST) -> Instance:
        item = self.cursor.peek_mark()
        if item is None:
            raise Ended
        if item[1] != marks.RESUME:
            self.cut(node)
        self.cursor.take_mark()
        sent = self.new(OPERATION, node)
        if item[3]:
            self.learn(sent, item[3][-1])
        return sent

    def _eval_YieldFrom(self, node: Any) -> Instance:
        value = self.value(node.value, last=True)
        item = self.cursor.peek_mark()
        if item is None or item[1] != marks.DELEGATE:
            self.cut(node)
            raise Disagreement("no delegation")
        since = item[0]
        self.cursor.take_mark()
        made = self.new(OPERATION, node)
        made.deep.append(value)
        yields = self.trace.yields_of(self.activation.node)
        for time in yields[bisect_left(yields, item[0]) :]:  # as far as they are this one's
            self.activation.yields[time] = made
        ran: list[int] = []
        while (item := self.cursor.peek()) is not None:
            if item[1] == CHILD:
                ran.append(item[2])
                self.called_by(made, item[2], value)
                for time in yields[bisect_left(yields, item[0]) : bisect_right(yields, item[3])]:
                    self.hand_on(made, item[2], time)
            elif item[1] == marks.ENTER:
                self.run_inline(made)
                continue
            elif self.is_in_turn():
                self.gave_in_turn(made)
                continue
            elif item[1] not in (marks.YIELD, marks.RESUME) or item[2].label != "item":
                break
            self.cursor.take()
        sent = self.resumed(node)
        sent.deep.append(value)
        sent.uses.append(made)
        for child in self.awaited_between(since, self.cursor.now):
            if child not in ran:
                self.called_by(made, child, value)
        asked = self.asked_between(value, since, self.cursor.now)
        if asked:
            self.activation.ran_in.setdefault(made.order, []).extend(asked)
        names = [n for n in ran if self.trace.outcome_kind[n] == 0]
        called = Called(None, "")
        called.nodes = ran
        shown = self.graph.origin(value)
        if names and isinstance(node, ast.Await) and shown.kind in (CALL, LIBRARY):
            wanted = shown.detail.name if isinstance(shown.detail, Called) else ""
            target = next((n for n in reversed(names) if self.routine_name(n) == wanted), -1)
            if target >= 0:
                sent.kind, sent.deep = CALL, []
                called.target = target
        sent.detail = called
        return sent

    _eval_Await = _eval_YieldFrom

    def awaited_between(self, since: int, until: int) -> list[int]:
        """The coroutines that code of a library ran, which was handed on to between two times."""
        if self._awaited is None:
            trace = self.trace
            children = trace.children(self.activation.node)
            self._awaited = sorted(
                (trace.start[child], child) for child in children if child in trace.segments
            )
        first, last = bisect_left(self._awaited, (since, 0)), bisect_left(self._awaited, (until, 0))
        return [child for _, child in self._awaited[first:last]]

    def asked_between(self, value: Instance, since: int, until: int) -> list[int]:
        """The generators that a call of a library, which is awaited, was given and asked: `stack.enter_async_context(…)`.

        They are no children of this activation.
        """
        called, sleeps = self.graph.origin(value).detail, self.trace.sleepers
        if not isinstance(called, Called) or called.nodes:
            return []
        given = [self.graph.origin(each).detail for _, each in (*called.arguments, *called.keywords)]
        names = {each.name for each in given if isinstance(each, Called)}
        found: dict[int, None] = {}
        first = bisect_left(sleeps, (since, 0, 0))
        for position in range(first, len(sleeps)) if names else ():
            start, _, node = sleeps[position]
            if start >= until:
                break
            if self.routine_name(node) in names and self.trace.parent[node] != self.activation.node:
                found[node] = None
        return list(found)

    _awaited: list[tuple[int, int]] | None = None

    def hand_on(self, delegation: Instance, child: int, time: int) -> None:
        """A value that another generator handed out at that time goes through this one."""
        made = self.new(PART, delegation.node)
        made.uses.append(delegation)
        made.time = time + 1
        self.activation.ran_in[made.order] = [child]
        self.activation.yields[time] = made


def _mangled(name: str, class_name: str) -> str:
    if class_name and name.startswith("__") and not name.endswith("__"):
        return f"_{class_name.lstrip('_')}{name}"
    return name


def _is_empty(node: ast.AST) -> bool:
    """`[]`, `()`, `{}`, `""`: comparing with it tells no more than whether something is empty."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return not node.elts
    return (isinstance(node, ast.Dict) and not node.keys) or (
        isinstance(node, ast.Constant) and node.value in ("", b"", None)
    )


def _quiet(node: ast.AST) -> bool:
    return not any(isinstance(part, (ast.Call, ast.Await, ast.Yield)) for part in ast.walk(node))
