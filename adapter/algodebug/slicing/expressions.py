"""Following expressions: each evaluation becomes an instance that knows what it was computed from.

Also what statements share with them: names and how they are bound, stores into objects, calls and what ran in them.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from algodebug.slicing import sources
from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    CHOICE,
    CONSTANT,
    DISPLAY,
    FREE,
    GLOBAL,
    ITEM,
    LIBRARY,
    NAME,
    OPERATION,
    PARAMETER,
    PART,
    RAISE,
    SLICED,
    STORE,
    TEST,
    UNSET,
    WRITE,
    YIELD,
    Activation,
    Called,
    Instance,
)
from algodebug.slicing.sources import Place
from algodebug.slicing.steps import CHILD, VALUE, Cursor, Disagreement, Ended, Returned, Thrown, items_of
from algotrace import marks

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_MOST_ELEMENTS = 5000  # of a comprehension followed one by one
_WHOLE_CALLS = frozenset({"__call__", "__init__", "__new__"})
_ITERATING = frozenset({"__iter__", "__next__", "__getitem__", "__len__", "__aiter__", "__anext__", "close"})
_MAKING = frozenset({"__new__", "__init__", "__post_init__", "__call__"})
_CLASS_HOOKS = frozenset({"__new__", "__init__", "__prepare__", "__init_subclass__", "__set_name__", "__call__", "__class_getitem__"})  # fmt: skip
_NO_CALLBACK = frozenset({"isinstance", "issubclass", "len", "range", "enumerate", "zip", "reversed", "iter", "print", "super", "id", "type", "str", "repr", "int", "float", "bool", "abs", "hash", "hasattr", "tuple", "list", "set", "dict"})  # fmt: skip
_OUTCOME_RAISED = 1


class _Unfollowed(Exception):
    """A comprehension cannot be taken apart."""


class Expressions:
    """`value` evaluates an expression."""

    def __init__(self, graph: Graph, node: int, inline: Expressions | None = None, routine: int = -1) -> None:
        self.graph = graph
        self.trace = trace = graph.trace
        self.routine = routine if inline is not None else trace.routine[node]
        made = trace.routines[self.routine]
        self.files = graph.files
        file = self.files[made.source]
        if file is None:
            raise Disagreement("its source cannot be parsed")
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
        self.statement_start = 0
        self.dropped = (
            False  # the statement under way is nothing but an expression: no event tells that it is over
        )
        self.comprehension: ast.AST | None = None
        self.comprehended: set[str] = set()

    # -- making instances --------------------------------------------------------------------------------------------

    def new(self, kind: str, node: ast.AST | None) -> Instance:
        instances = self.activation.instances
        made = Instance(self.activation, kind, node, self.cursor.now, len(instances), self.control)
        instances.append(made)
        return made

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

    def at_block(self, number: int) -> bool:
        item = self.cursor.peek_mark()
        if item is not None and item[1] == marks.BLOCK and item[2].block == number:
            while self.cursor.peek() is not None and self.cursor.peek()[1] in marks.WRITES:  # type: ignore[index]
                self.cursor.unclaimed.append(self.cursor.take())
            return True
        return False

    def at_arm(self, node: ast.AST) -> bool:
        item = self.cursor.peek()
        if item is None or item[1] != marks.BLOCK:
            return False
        return item[2].block in self.blocks.get(("arm", self.place(node)), ())

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

    # -- names -------------------------------------------------------------------------------------------------------

    def bind_parameters(self, code: Any, mark: Any, values: list[int]) -> None:
        names = self.trace.routines[self.routine].parameters
        given = values[1:] if mark.tokened else values
        arguments = {a.arg: a for a in _arguments(code.args)}
        for index, name in enumerate(names):
            made = self.new(PARAMETER, arguments.get(name))
            made.detail = name
            if index < len(given):
                self.learn(made, given[index])
            self.activation.parameters[name] = made
            self.environment[name] = made
            self.activation.stores.setdefault(name, []).append(made)

    def load_name(self, name: str, node: ast.AST, read: bool = True) -> Instance:
        known = self.lookup(name)
        if known is not None:
            made = self.new(NAME, node)
            made.copy = known
            made.number, made.value = known.number, known.value
            return made
        if name in self.scope.locals and not self.is_module and name not in self.comprehended:
            made = self.new(NAME, node)  # unbound as far as we know
            return made
        if not self.is_module and self.graph.is_free(self.routine, name):
            made = self.new(FREE, node)
            made.detail = name
            if read:
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

    def bind(self, name: str, value: Instance, node: ast.AST, slot: bool = False) -> None:
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

    def take_name_mark(self, name: str, value: Instance | None = None) -> None:
        """A global or nonlocal name is about to be bound, where it is one."""
        if self.is_module or (name not in self.scope.globals and name not in self.scope.nonlocals):
            return
        item = self.cursor.peek()
        if item is not None and item[1] == marks.NAME and item[2].label.endswith(" " + name):
            self.cursor.take()
            made = self.new(WRITE, None)
            made.copy = value
            made.detail = name
            if len(item[3]) > 1:
                self.learn(made, item[3][1])
            self.activation.writes[item[0]] = made

    # -- stores ------------------------------------------------------------------------------------------------------

    def assign(self, target: Any, value: Instance, stored: list[tuple[ast.Name, Instance]]) -> None:
        """Bind or store; names are noted in `stored`, their values come at the end of the statement."""
        if isinstance(target, ast.Name):
            if not self.is_module and target.id in self.scope.globals | self.scope.nonlocals:
                made = self.new(STORE, target)
                made.copy = value
                for write in reversed(self.activation.writes.values()):  # where the mark was
                    if write.detail == target.id and write.kind == WRITE:
                        write.node = target
                        break
                return
            made = self.new(STORE, target)
            made.copy = value
            made.number, made.value = value.number, value.value
            made.detail = target.id
            self.set_name(target.id, made)
            stored.append((target, made))
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.unpack(target, value, stored)
        elif isinstance(target, ast.Attribute):
            self.store_part(target, self.value(target.value), None, value)
        elif isinstance(target, ast.Subscript):
            base = self.value(target.value)
            self.store_part(target, base, self.value(target.slice), value)
        else:
            raise Disagreement(f"target {type(target).__name__}")

    def unpack(self, target: Any, value: Instance, stored: list[tuple[ast.Name, Instance]]) -> None:
        starred = next((n for n, part in enumerate(target.elts) if isinstance(part, ast.Starred)), None)
        shown = self.graph.origin(value)
        size = len(shown.detail) if shown.kind == DISPLAY and type(shown.detail) is list else -1
        self.run_iterated(value)
        for index, part in enumerate(target.elts):
            made = self.new(PART, part)
            made.uses.append(value)
            if isinstance(part, ast.Starred):
                made.kind = OPERATION
                made.deep.append(value)
                self.assign(part.value, made, stored)
                continue
            if starred is not None and index > starred:
                made.detail = index - len(target.elts)
            else:
                made.detail = index
            if size == len(target.elts) and starred is None:
                element = shown.detail[index]
                made.number, made.value = element.number, element.value
            self.assign(part, made, stored)

    def take_stored(self, stored: list[tuple[ast.Name, Instance]]) -> None:
        for target, made in stored:
            if self.class_names is not None:
                continue
            if self.is_module:
                item = self.cursor.peek()
                if (
                    item is not None
                    and item[1] == marks.SET
                    and item[2].at is not None
                    and tuple(item[2].at) == self.place(target)
                ):
                    self.cursor.take()
                    self.activation.writes[item[0]] = made
                    if item[3]:
                        self.learn(made, item[3][0])
                continue
            number = self.take_value("store", target)
            if number > 0:
                self.learn(made, number)
            elif number < 0:
                self.cut(target)

    def cut(self, node: ast.AST) -> None:
        """A value that must come does not: an exception was in between, or we are lost."""
        item = self.cursor.peek_mark()
        if item is None:
            raise Ended
        if item[1] in (marks.HANDLER, marks.RAISE, marks.BLOCK, marks.BLOCK_END):
            raise Thrown(self.thrown(node))
        raise Disagreement("a value is missing")

    def thrown(self, node: ast.AST | None) -> Instance:
        raise NotImplementedError

    def store_part(self, target: Any, base: Instance, key: Instance | None, value: Instance) -> None:
        """`base.name = value`, `base[key] = value`."""
        made = self.new(WRITE, target)
        made.copy = value
        made.uses = [base] if key is None else [base, key]
        made.detail = target.attr if isinstance(target, ast.Attribute) else None
        made.number, made.value = value.number, value.value
        self.claim(made, target)
        self.run_operators(made)

    def delete(self, target: Any) -> None:
        made = self.new(WRITE, target)
        if isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                if isinstance(part, ast.Name):
                    self.environment.pop(part.id, None)
                else:
                    self.delete(part)
            return
        made.uses.append(self.value(target.value))
        if isinstance(target, ast.Subscript):
            made.uses.append(self.value(target.slice))
        else:
            made.detail = target.attr
        made.time = self.cursor.now
        self.claim(made, target)
        self.run_operators(made)

    def claim(self, made: Instance, node: ast.AST) -> bool:
        """Take the write marks of a place; those passed over before count too."""
        place = self.place(node)
        found = False
        for index, item in enumerate(self.cursor.unclaimed):
            if item[2].at is not None and tuple(item[2].at) == place:
                self.activation.writes[item[0]] = made
                del self.cursor.unclaimed[index]
                found = True
                break
        while (item_ := self.cursor.peek()) is not None and item_[1] in marks.WRITES:
            at = item_[2].at
            if at is None or tuple(at) != place:
                break
            self.cursor.take()
            self.activation.writes[item_[0]] = made
            if item_[3] and made.uses and item_[1] not in (marks.NAME, marks.SET):
                self.learn(made.uses[0], item_[3][0])
            found = True
        return found

    def take_in_place(self, node: ast.AugAssign, made: Instance, before: Instance, right: Instance) -> None:
        """`x += …` of a list, a dict, a set: the object itself is changed."""
        item = self.cursor.peek()
        if item is None or item[1] != marks.MUTATE or not item[2].label.endswith("="):
            return
        self.cursor.take()
        write = self.new(WRITE, node)
        write.uses.append(before)
        write.deep.append(right)
        write.detail = "+="
        self.activation.writes[item[0]] = write
        if item[3]:
            self.learn(before, item[3][0])
        made.copy = before
        made.uses.append(write)
        made.deep = []
        made.kind = CHOICE

    # -- expressions -------------------------------------------------------------------------------------------------

    def value(self, node: Any, last: bool = False, iterated: bool = False) -> Instance:
        """Evaluate. `last`: nothing else is evaluated before the statement's own events come."""
        method = getattr(self, "_eval_" + type(node).__name__, None)
        if method is None:
            raise Disagreement(f"expression {type(node).__name__}")
        if type(node) is ast.Call:
            return self._eval_Call(node, last, iterated)
        return method(node)

    def test(self, node: ast.AST, value: Instance, unrun: list[Any]) -> Instance:
        """A branch was decided by `value`."""
        self.run_operators(value)
        test = self.new(TEST, node)
        if value.kind in (OPERATION, CALL, LIBRARY, CONSTANT, TEST):
            test.uses.append(value)
        else:
            test.shape.append(value)
        if unrun:
            self.activation.tests.append((test, unrun))
        return test

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
            self.run_operators(made)
            left = right
        self.control = outer
        assert made is not None
        return made

    def has_arm(self, node: ast.AST) -> bool:
        return ("arm", self.place(node)) in self.blocks

    def _eval_BoolOp(self, node: ast.BoolOp) -> Instance:
        outer = self.control
        tests: list[Instance] = []
        value = self.value(node.values[0])
        for index, part in enumerate(node.values[1:], 1):
            test = self.test(node.values[index - 1], value, list(node.values[index:]))
            tests.append(test)
            if self.at_arm(part):
                self.cursor.take()
            elif self.has_arm(part):
                break
            else:  # in a comprehension on one line: was it evaluated?
                known = self.graph.truth(value)
                if known is None:
                    raise _Unfollowed
                if known != isinstance(node.op, ast.And):
                    break
            self.control = test
            value = self.value(part)
        self.control = outer
        made = self.new(CHOICE, node)
        made.copy = value
        made.uses = tests
        made.number, made.value = value.number, value.value
        return made

    def _eval_IfExp(self, node: ast.IfExp) -> Instance:
        value = self.value(node.test)
        if self.at_arm(node.body):
            chosen, other = node.body, node.orelse
        elif self.at_arm(node.orelse):
            chosen, other = node.orelse, node.body
        elif self.comprehension is not None:
            known = self.graph.truth(value)
            if known is None:
                raise _Unfollowed
            chosen, other = (node.body, node.orelse) if known else (node.orelse, node.body)
        else:
            self.cut(node)
            raise Disagreement("no part of a conditional expression is evaluated")
        if self.at_arm(chosen):
            self.cursor.take()
        outer = self.control
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
        self.run_iterated(value)
        return value

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
        if item is not None and item[1] == CHILD:
            name = self.routine_name(item[2])
            if name in ("__getattr__", "__getattribute__", "__get__") or (
                name == node.attr and self.graph.is_property(item[2])
            ):
                self.cursor.take()
                return self.ran(made, item[2], name, [(False, base)])
        return made

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
            self.run_operators(made)
            return made
        key = self.value(node.slice)
        return self.read_item(node, base, key)

    def read_item(self, node: ast.AST, base: Instance, key: Instance, claim: bool = True) -> Instance:
        made = self.new(ITEM, node)
        made.uses = [base, key]
        if claim:
            self.claim(made, node)  # a default may be put there by reading
        item = self.cursor.peek()
        if item is not None and item[1] == CHILD:
            name = self.routine_name(item[2])
            if name in ("__getitem__", "__missing__", "__class_getitem__"):
                self.cursor.take()
                return self.ran(made, item[2], name, [(False, base), (False, key)])
            self.run_operators(made)
        return made

    def _eval_Slice(self, node: ast.Slice) -> Instance:
        return self.operation_of(
            node, [self.value(part) for part in (node.lower, node.upper, node.step) if part is not None]
        )

    def ran(self, made: Instance, node: int, name: str, arguments: list[tuple[bool, Instance]]) -> Instance:
        """What looked like plain access ran a method of the program."""
        called = Called(None, name)
        called.arguments = arguments
        made.kind = CALL
        made.detail = called
        self.called_by(made, node)
        called.target = node
        if self.trace.outcome_kind[node] == _OUTCOME_RAISED:
            self.rethrow(made)
        return made

    def rethrow(self, made: Instance) -> None:
        """The call that just ended raised: did the exception come out here?"""
        item = self.cursor.peek_mark()
        if item is not None and item[1] in (marks.HANDLER, marks.RAISE, marks.BLOCK, marks.BLOCK_END):
            thrown = self.new(RAISE, made.node)
            thrown.copy = made
            raise Thrown(thrown)

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
        self.cursor.take_mark()
        made = self.new(OPERATION, node)
        made.deep.append(value)
        ran: list[int] = []
        while (item := self.cursor.peek()) is not None and item[1] == CHILD:
            self.cursor.take()
            ran.append(item[2])
            self.called_by(made, item[2], value)
        sent = self.resumed(node)
        sent.deep.append(value)
        sent.uses.append(made)
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

    # -- comprehensions ----------------------------------------------------------------------------------------------

    def _eval_GeneratorExp(self, node: Any) -> Instance:
        """It runs when somebody asks it to: all it could use counts."""
        first = self.value(node.generators[0].iter)
        made = self.lump(node)
        made.deep.append(first)
        return made

    def _eval_ListComp(self, node: Any) -> Instance:
        cursor, instances = self.cursor, self.activation.instances
        saved = (
            cursor.at,
            cursor.now,
            len(instances),
            self.control,
            dict(self.environment),
            len(self.activation.tests),
        )
        outer = self.comprehension, self.comprehended
        self.comprehension = node
        self.comprehended = self.comprehended | {
            name for generator in node.generators for name in sources.names_bound([generator.target])
        }
        try:
            elements: list[Any] = []
            self.each(node, node.generators, elements)
            made = self.new(DISPLAY, node)
            if isinstance(node, ast.ListComp):
                made.detail = elements
            else:
                made.kind = OPERATION
                made.deep = [part for element in elements for part in element]
            made.shape = []
            self.control = saved[3]
            made.control = saved[3]
            return made
        except (_Unfollowed, Disagreement, Thrown):
            cursor.at, cursor.now = saved[0], saved[1]
            del instances[saved[2] :]
            del self.activation.tests[saved[5] :]
            self.control, self.environment = saved[3], saved[4]
        finally:
            self.comprehension, self.comprehended = outer
            for name in self.comprehended ^ outer[1]:
                self.environment.pop(name, None)
        self.environment.update({k: v for k, v in saved[4].items() if k not in self.environment})
        first = self.value(node.generators[0].iter)
        made = self.lump(node)
        made.deep.append(first)
        self.run_comprehended(made, node)
        return made

    _eval_SetComp = _eval_DictComp = _eval_ListComp

    def each(self, node: Any, generators: list[Any], elements: list[Any]) -> None:
        """The elements of a comprehension, one by one."""
        generator, rest = generators[0], generators[1:]
        if generator.is_async:
            raise _Unfollowed
        iterable = self.value(generator.iter)
        length = self.graph.length(iterable)
        if length is None or length > _MOST_ELEMENTS:
            raise _Unfollowed
        outer = self.control
        hidden = {name: self.environment.get(name) for name in sources.names_bound([generator.target])}
        for index in range(length):
            part = self.new(PART, generator.target)
            part.uses.append(iterable)
            part.detail = index
            test = self.new(TEST, generator.iter)
            test.shape.append(iterable)
            test.control = self.control
            self.control = part.control = test
            before = self.control
            self.assign(generator.target, part, [])
            passed = True
            for condition in generator.ifs:
                has_arm = self.has_arm(condition)
                if has_arm:
                    if not self.at_arm(condition):
                        raise _Unfollowed
                    self.cursor.take()
                value = self.value(condition)
                known = self.graph.truth(value)
                if known is None:
                    raise _Unfollowed
                self.control = self.test(condition, value, [])
                if not known:
                    passed = False
                    break
            if passed and rest:
                self.each(node, rest, elements)
            elif passed:
                parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
                made = []
                for part_node in parts:
                    if self.has_arm(part_node):
                        if not self.at_arm(part_node):
                            raise _Unfollowed
                        self.cursor.take()
                    made.append(self.value(part_node))
                elements.append(made[0] if isinstance(node, ast.ListComp) else made)
                if len(elements) > _MOST_ELEMENTS:
                    raise _Unfollowed
            if passed:
                self.control = before
        if not rest and not any(g.ifs for g in generators):
            self.control = outer
        for name, old in hidden.items():
            if old is not None:
                self.environment[name] = old

    def lump(self, node: Any, *more: Instance) -> Instance:
        """An expression taken as one: it depends on all the names in it. Nothing that runs in it is looked at."""
        made = self.new(OPERATION, node)
        bound = {
            name
            for part in ast.walk(node)
            if isinstance(part, sources.Comprehension)
            for generator in part.generators
            for name in sources.names_bound([generator.target])
        }
        bound |= {
            a.arg for part in ast.walk(node) if isinstance(part, ast.Lambda) for a in _arguments(part.args)
        }
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id not in bound:
                made.deep.append(self.load_name(part.id, part, read=False))
            elif isinstance(part, ast.NamedExpr):
                self.environment[part.target.id] = made
        made.deep += more
        return made

    def run_comprehended(self, made: Instance, node: ast.AST) -> None:
        """The calls, lambdas and blocks of a comprehension that is not taken apart."""
        first_line, first, last_line, last = self.place(node)
        names = {sources.last_name(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
        classes = any(name[:1].isupper() for name in names)
        while (item := self.cursor.peek()) is not None:
            if item[1] == CHILD:
                name = self.routine_name(item[2])
                dunder = name.startswith("__")
                fits = name in names or (dunder and (classes or name not in _WHOLE_CALLS))
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
                self.run_inline(made)
            elif (
                item[1] in marks.WRITES
                and item[2].at is not None
                and (first_line, first) <= tuple(item[2].at[:2]) < (last_line, last)
            ):
                self.cursor.take()
                self.activation.writes[item[0]] = made
            else:
                break
        item = self.cursor.peek_mark()
        if item is not None and item[1] in (marks.HANDLER, marks.RAISE) and self.within(item, node):
            raise Thrown(self.thrown(node))

    def within(self, item: Any, node: ast.AST) -> bool:
        raise NotImplementedError

    # -- calls -------------------------------------------------------------------------------------------------------

    def _eval_Call(self, node: ast.Call, last: bool = False, iterated: bool = False) -> Instance:
        if isinstance(node.func, ast.Name):
            function = self.load_name(node.func.id, node.func, read=False)
        else:
            function = self.value(node.func)
        name = sources.last_name(node.func)
        called = Called(function, name)
        writes_before = self.peek_writes(node)
        for argument in node.args:
            called.arguments.append((isinstance(argument, ast.Starred), self.value(argument)))
        for keyword in node.keywords:
            called.keywords.append((keyword.arg, self.value(keyword.value)))
        made = self.new(LIBRARY, node)
        made.detail = called
        has_slot = ("call", self.place(node)) in self.slots
        self.change(made, node, writes_before)
        self.run_call(made, greedy=has_slot or (last and not self.dropped), iterated=iterated)
        made_time = self.cursor.now
        number = self.take_value("call", node)
        if number > 0:
            self.learn(made, number)
        elif number < 0:
            self.settle(made)
            if called.target >= 0 or any(self.trace.outcome_kind[n] == _OUTCOME_RAISED for n in called.nodes):
                self.rethrow(made)
            self.cut(node)
        self.settle(made)
        if not has_slot and called.nodes and self.trace.outcome_kind[called.nodes[-1]] == _OUTCOME_RAISED:
            self.rethrow(made)
        made.time = min(made.time, made_time)
        self.change(made, node, False)
        return made

    def peek_writes(self, node: ast.Call) -> bool:
        """In a module a mutating call is noted before its arguments are evaluated."""
        item = self.cursor.peek()
        place = self.place(node)
        if (
            item is not None
            and item[1] in marks.WRITES
            and item[2].at is not None
            and tuple(item[2].at) == place
        ):
            self.cursor.unclaimed.append(self.cursor.take())
            return True
        return False

    def change(self, made: Instance, node: ast.Call, before: bool) -> None:
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
            return
        called: Called = made.detail
        write = self.new(WRITE, node)
        function = called.function
        values = [value for _, value in called.arguments] + [value for _, value in called.keywords]
        if (
            function is not None
            and function.kind == ATTRIBUTE
            and function.detail in sources.MUTATORS
            and not (
                called.name
                in (
                    "setattr",
                    "delattr",
                    "heappush",
                    "heappop",
                    "heapify",
                    "heapreplace",
                    "heappushpop",
                    "shuffle",
                )
                or called.name.startswith("insort")
            )
        ):
            write.uses.append(function.uses[0])
            write.deep = values
        else:
            write.uses = values[:1]
            write.deep = values[1:]
        write.detail = called.name
        if called.name in ("append", "add", "appendleft") and len(values) == 1:
            write.copy = values[0]
            write.deep = []
        if called.name == "setattr" and len(values) == 3:
            write.copy = values[2]
        self.claim(write, node)
        made.time = self.cursor.now - 1 if made.time < self.cursor.now else made.time

    def run_call(self, made: Instance, greedy: bool, iterated: bool) -> None:
        """The nodes and lambdas that ran while this call was under way."""
        called: Called = made.detail
        while (item := self.cursor.peek()) is not None:
            kind = item[1]
            if kind == CHILD:
                child = item[2]
                if iterated and self.is_iteration(child, called):
                    break
                if not greedy and not self.fits(called, child):
                    break
                self.cursor.take()
                self.called_by(made, child)
            elif kind == marks.ENTER:
                self.run_inline(made)
            elif kind == marks.BLOCK and self.trace.blocks[item[2].block].kind == "class":
                break
            else:
                break

    def is_iteration(self, child: int, called: Called) -> bool:
        if child in self.trace.segments:
            return True
        name = self.routine_name(child)
        return name in _ITERATING and name != called.name

    def fits(self, called: Called, child: int) -> bool:
        """Whether a node may be (part of) this call, where no event of its own ends it and other calls may follow."""
        routine = self.trace.routines[self.trace.routine[child]]
        name, first = routine.name, not called.nodes
        function = called.function
        if first and (name == called.name or (function is not None and self.names(function) == name)):
            return True
        builtin = function is not None and self.graph.is_builtin(self.activation, function)
        special = name.startswith("__") and name not in _MAKING
        if builtin and called.name in _NO_CALLBACK:
            return special
        if special and (builtin or first):
            return True
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
        if not first and not builtin and called.target_name == called.name:
            return False
        return name not in self.own_calls

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
        return (
            function is not None
            and not self.graph.is_builtin(self.activation, function)
            and function.kind != ATTRIBUTE
        )

    def passes(self, called: Called, child: int) -> bool:
        """Whether a function under another name was called with just these arguments."""
        function = called.function
        return function is not None and function.kind != GLOBAL

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
        outer = self.cursor.routine
        self.cursor.routine = routine
        self.cursor.take()
        try:
            inner.run_as_inline(item, self)
        finally:
            self.cursor.routine = outer
        self.activation.inlines.append(inner.activation)
        if isinstance(made.detail, Called):
            made.detail.inline.append(inner.activation)
        else:
            made.deep.append(inner.activation.outcome or inner.activation.entry)

    def run_as_inline(self, item: Any, around: Expressions) -> None:
        raise NotImplementedError

    # -- what else may run --------------------------------------------------------------------------------------------

    def run_operators(self, made: Instance | None = None) -> None:
        """Special methods of the program that an operator, a test, a format ran."""
        while (item := self.cursor.peek()) is not None and item[1] == CHILD:
            name = self.routine_name(item[2])
            if not (name.startswith("__") and name.endswith("__")) or name in _WHOLE_CALLS or name in (
                "__enter__", "__exit__", "__aenter__", "__aexit__", "__iter__", "__next__", "__anext__", "__aiter__",
            ):  # fmt: skip
                break
            self.cursor.take()
            if made is None:
                made = self.new(OPERATION, None)
            self.called_by(made, item[2])
            if self.trace.outcome_kind[item[2]] == _OUTCOME_RAISED:
                self.rethrow(made)

    def run_others(self, made: Instance) -> None:
        """Special methods that an in-place operator ran."""
        while (item := self.cursor.peek()) is not None and item[1] == CHILD:
            if not self.routine_name(item[2]).startswith("__"):
                break
            self.cursor.take()
            self.called_by(made, item[2])
            if self.trace.outcome_kind[item[2]] == _OUTCOME_RAISED:
                self.rethrow(made)

    def run_defined(self, made: Instance, node: Any) -> None:
        """What defining a function or class ran: decorators, a class body, the hooks of classes."""
        decorators = {
            sources.last_name(part.func if isinstance(part, ast.Call) else part)
            for part in node.decorator_list
        }
        while (item := self.cursor.peek()) is not None:
            if item[1] == CHILD:
                routine = self.trace.routines[self.trace.routine[item[2]]]
                body = routine.kind == "class" and routine.name == node.name
                hook = isinstance(node, ast.ClassDef) and routine.name in _CLASS_HOOKS
                other = bool(decorators) and routine.name not in self.own_calls
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

    def run_iterated(self, value: Instance) -> None:
        """Generators and iterators that unpacking runs."""
        while (item := self.cursor.peek()) is not None and item[1] == CHILD:
            if item[2] not in self.trace.segments and self.routine_name(item[2]) not in _ITERATING:
                break
            self.cursor.take()
            holder = self.new(OPERATION, None)
            holder.deep.append(value)
            self.called_by(holder, item[2], value)

    def run_iteration(self, part: Instance, iterable: Instance, loop: int) -> None:
        """What runs to get the next element of a `for`: the loop's block follows, or the loop is over."""
        cursor = self.cursor
        at = cursor.at
        while (item := cursor.peek()) is not None and (item[1] == CHILD or item[1] in marks.WRITES):
            cursor.at += 1
        inline = item is not None and item[1] == marks.ENTER
        going_on = item is not None and item[1] == marks.BLOCK and item[2].block == loop
        cursor.at = at
        called = Called(None, "")
        while (item := cursor.peek()) is not None:
            if item[1] == CHILD:
                if (
                    not going_on
                    and item[2] not in self.trace.segments
                    and self.routine_name(item[2]) not in _ITERATING
                    and not (inline and iterable.kind == LIBRARY)
                ):
                    break
                cursor.take()
                self.activation.callers.setdefault(item[2], part)
                self.activation.iterated.setdefault(item[2], iterable)
                called.nodes.append(item[2])
                part.time = cursor.now
                if self.trace.outcome_kind[item[2]] == _OUTCOME_RAISED:
                    thrown = cursor.peek_mark()
                    if thrown is not None and thrown[1] in (marks.HANDLER, marks.RAISE) and not going_on:
                        part.kind, part.detail = CALL, called
                        called.target = item[2]
                        self.rethrow(part)
            elif item[1] in marks.WRITES and going_on:
                cursor.unclaimed.append(cursor.take())
            elif item[1] == marks.ENTER:
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

    def bind_pattern(self, pattern: ast.AST, subject: Instance) -> None:
        found: dict[str, Any] = {}
        for node in ast.walk(pattern):
            name = getattr(node, "name", None) or getattr(node, "rest", None)
            if isinstance(name, str):
                found.setdefault(name, node)
        for name, node in found.items():
            made = self.new(OPERATION, node)
            made.deep.append(subject)
            stored = self.new(STORE, node)
            stored.copy = made
            stored.detail = name
            self.set_name(name, stored)
            if not self.is_module:
                number = self.take_value("store", node)
                if number > 0:
                    self.learn(stored, number)
                elif number < 0:
                    self.cut(node)


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    return [
        *arguments.posonlyargs,
        *arguments.args,
        *([arguments.vararg] if arguments.vararg else []),
        *arguments.kwonlyargs,
        *([arguments.kwarg] if arguments.kwarg else []),
    ]


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


__all__ = ["Expressions", "Returned"]
