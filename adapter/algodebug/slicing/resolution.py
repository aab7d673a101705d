"""Which objects code that was not run would have been about, had it run: looked up in the state at a test.

The answer may name too many objects, never too few; where that cannot be kept up it is None: any. Scalars do not count.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from algodebug.slicing import class_attributes, imported, sources
from algodebug.slicing.defaults import OfDefault
from algodebug.slicing.instances import UNSET, Activation, Instance

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

Objects = frozenset[int] | None
_NONE: frozenset[int] = frozenset()
_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_MOST_DEPTH = 12
_MOST_PARTS = 200
# Builtins that give scalars, or objects of their own that hold nothing but them.
_SCALARS = frozenset({"len", "int", "float", "str", "repr", "abs", "ord", "chr", "isinstance", "range", "round", "bool", "hash", "id", "hex", "bin", "format", "callable", "issubclass", "type", "bytes", "complex", "divmod", "print"})  # fmt: skip
# Builtins that give (what holds) parts of what they are given.
_PARTS = frozenset({"list", "tuple", "dict", "set", "frozenset", "sorted", "reversed", "enumerate", "zip", "min", "max", "iter", "next", "sum", "deque"})  # fmt: skip

_PUTTING_ALL = frozenset({"extend", "extendleft", "update", "__iadd__", "__ior__"})


class OfModule(NamedTuple):
    """A name of a module, or of a function around, that a function reads."""

    source: int
    name: str


class Resolution:
    """Names and expressions of some code that was not run, as they were at the test that kept it from running."""

    def __init__(self, graph: Graph, test: Instance, unrun: list[Any]) -> None:
        self.graph = graph
        self.test = test
        self.unrun = unrun
        self._depth = 0
        self._stored: dict[str, Objects] = {}  # what the code itself stores, see `_put`

    def of(self, expression: Any) -> Objects:
        if isinstance(expression, OfModule):
            return self._of_module(expression)
        if isinstance(expression, OfDefault):
            return self.graph.defaults.objects(expression)
        if self._depth > _MOST_DEPTH:
            return None
        self._depth += 1
        try:
            return self._of(expression)
        finally:
            self._depth -= 1

    def reachable(self, expression: Any) -> Objects:
        """… and all that these hold."""
        return self._reachable(self.of(expression))

    def _of(self, expression: Any) -> Objects:
        match expression:
            case ast.Constant() | ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.JoinedStr():
                # The sum of two lists is a new one, but it holds their elements.
                if isinstance(expression, ast.BinOp) and _may_be_lists(expression):
                    return _both(self._held(expression.left), self._held(expression.right))
                return _NONE
            case ast.Lambda():  # what it may give
                own = set(sources.parameters(expression.args))
                names = (part for part in ast.walk(expression.body) if isinstance(part, ast.Name))
                return self._reachable(self._union(name for name in names if name.id not in own))
            case ast.Name():
                return self._name(expression)
            case ast.Attribute():
                return self._attribute(expression)
            case ast.Subscript():
                return self._subscript(expression)
            case ast.BoolOp(values=values):
                return self._union(values)
            case ast.IfExp(body=body, orelse=orelse):
                return self._union([body, orelse])
            case ast.NamedExpr(value=value) | ast.Starred(value=value):
                return self.of(value)
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                starred = [part.value for part in parts if isinstance(part, ast.Starred)]
                return self._with_held([part for part in parts if not isinstance(part, ast.Starred)], starred)
            case ast.Dict(keys=keys, values=parts):
                given = [part for key, part in zip(keys, parts, strict=True) if key is not None]
                return self._with_held(
                    given, [part for key, part in zip(keys, parts, strict=True) if key is None]
                )
            case ast.Call():
                return self._call(expression)
        return None

    def _with_held(self, some: Iterable[Any], containers: Iterable[Any]) -> Objects:
        objects = self._union(some)
        for each in containers:
            objects = _both(objects, self._held(each))
        return objects

    def _union(self, expressions: Iterable[Any]) -> Objects:
        found: set[int] = set()
        for expression in expressions:
            objects = self.of(expression)
            if objects is None:
                return None
            found |= objects
        return frozenset(found)

    def _call(self, call: ast.Call) -> Objects:
        """A function gives something of what it is given or reads, or something new that holds such."""
        function = call.func
        name = sources.last_name(function)
        if self.graph.files.values.is_variable(function):
            return None
        inner = self.graph.files.effects_of_calls(name)
        given: list[Any] = [*call.args, *(keyword.value for keyword in call.keywords)]
        if isinstance(function, ast.Attribute):
            given.append(function.value)
        if inner is not None:
            if len(inner.globals) > _MOST_PARTS:
                return None
            return self._reachable(self._union([*given, *(OfModule(*name) for name in inner.globals)]))
        if isinstance(function, ast.Name) and name in _SCALARS and not (name == "type" and len(given) > 1):
            return _NONE
        if isinstance(function, ast.Attribute) or name in _PARTS or name == "type":
            return _both(self._reachable(self._union(given)), self._put(""))
        return None

    def _reachable(self, objects: Objects) -> Objects:
        """Objects, and all that is held by them."""
        if objects is None:
            return None
        trace, time = self.graph.trace, self.test.time
        found, todo = set(objects), list(objects)
        while todo:
            kind = trace.row(todo[-1])[0]
            number = todo.pop()
            if kind not in ("list", "tuple", "dict", "set", "frozenset", "deque", "instance"):
                continue
            content = trace.content(number, time)
            held = {*content.items, *content.attributes.values()}
            if class_name := class_attributes.class_of(self.graph, number):
                held |= class_attributes.held(self.graph, class_name, time)
            for pair in content.pairs.values():
                held.update(pair)
            following = self._without_scalars(held) - found
            if len(found) + len(following) > _MOST_PARTS:
                return None
            found |= following
            todo += following
        return frozenset(found)

    def _all_parts(self, objects: Objects) -> Objects:
        """What some containers hold, themselves not included."""
        if objects is None:
            return None
        trace = self.graph.trace
        found: set[int] = set()
        for number in objects:
            row = trace.row(number)
            if row[0] in ("bytes", "huge", "complex"):
                continue
            if row[0] not in ("list", "tuple", "dict", "set", "frozenset", "deque"):
                return None
            content = trace.content(number, self.test.time)
            if not content.certain or len(content.items) + len(content.pairs) > _MOST_PARTS:
                return None
            found.update(content.items)
            for pair in content.pairs.values():
                found.update(pair)
        return self._without_scalars(found)

    def _without_scalars(self, numbers: Iterable[int]) -> frozenset[int]:
        return frozenset(n for n in numbers if n and type(self.graph.trace.row(n)) is list)

    def _attribute(self, expression: ast.Attribute) -> Objects:
        graph, name, time = self.graph, expression.attr, self.test.time
        module = self.module_named(expression.value)
        if module is not None:
            return self._without_scalars((graph.trace.globals_at(module, name, time) or 0,))
        class_name, instance = self.class_named(expression.value), _asked_for_its_class(expression.value)
        bases = _NONE if class_name else self.of(instance or expression.value)
        if bases is None:
            return None
        if name == "__dict__":
            return bases  # whose it is
        found, classes = (
            set(bases if self._may_be_new(expression.value) else ()),
            {class_name} if class_name else set[str](),
        )
        for base in bases:
            row = graph.trace.row(base)
            if row[0] == "module":
                sources_of = graph.trace.lookups.sources_of(row[1])
                found.update(graph.trace.globals_at(source, name, time) or 0 for source in sources_of)
            number = 0 if instance is not None else graph.part_number(base, ("attr", name), time)
            if number:
                found.add(number)
            elif class_name := class_attributes.class_of(graph, base):
                classes.add(class_name)
        for class_name in classes:
            objects = class_attributes.objects(graph, class_name, name, time)
            if objects is None:
                return None
            found |= objects
        return _both(self._without_scalars(found), self._put(name))

    def class_named(self, expression: ast.AST) -> str:
        """The name of the class (or function) that an expression is, where the text says that it is one; else empty."""
        if not isinstance(expression, ast.Name) or not self.graph.files.defining(expression.id):
            return ""
        if self._bindings_of(expression.id):
            return ""
        activation: Activation | None = self.test.activation
        while activation is not None:
            stored = activation.stores.get(expression.id)
            if stored:
                made = stored[-1].copy
                return expression.id if made is not None and isinstance(made.node, _DEFINITIONS) else ""
            activation = activation.outer
        return expression.id

    def module_named(self, expression: ast.AST) -> int | None:
        """The source of the module that an expression is, where the text says that it is one; else None."""
        first = expression
        while isinstance(first, ast.Attribute):
            first = first.value
        if not isinstance(first, ast.Name) or any(self._bindings_of(first.id)):
            return None
        activation: Activation | None = self.test.activation
        while activation is not None:
            for made in activation.stores.get(first.id, ())[-1:]:
                if not isinstance(self.graph.origin(made).node, (ast.Import, ast.ImportFrom)):
                    return None
            activation = activation.outer
        return imported.module_named(self.graph, expression, self.test.activation.source)

    def _subscript(self, expression: ast.Subscript) -> Objects:
        if isinstance(expression.value, ast.Attribute) and expression.value.attr == "modules":
            return None  # `sys.modules[name]`
        return self._held(expression.value)

    def _held(self, expression: ast.expr) -> Objects:
        """What a container holds that an expression gives. For a new one `of` tells what it holds, at whatever depth."""
        objects = self.of(expression)
        if isinstance(expression, (ast.List, ast.Tuple, ast.Set, ast.Dict)):
            return objects
        held = _both(self._all_parts(objects), self._put(""))
        return _both(objects, held) if self._may_be_new(expression) else held

    def _put(self, attribute: str) -> Objects:
        """What the code itself stores in containers, or in an attribute: one part of it may read what another one put."""
        if attribute not in self._stored:
            self._stored[attribute] = _NONE  # (what is stored of what was stored is among that)
            nodes = (node for piece in self.unrun for node in self.graph.files.parts(piece))
            stored = [each for node in nodes for each in _stored_by(node, attribute)]
            self._stored[attribute] = self._with_held(
                [value for value, _ in stored], [value for value, is_unpacked in stored if is_unpacked]
            )
        return self._stored[attribute]

    def _may_be_new(self, expression: Any) -> bool:
        """Whether an expression may give a container that the code itself makes."""
        if isinstance(expression, ast.Name):
            values = self._bindings_of(expression.id)
            return self._depth <= _MOST_DEPTH and any(
                value and self._is_bound_anew(value[0]) for value in values
            )
        if isinstance(expression, ast.Subscript) and isinstance(expression.slice, ast.Slice):
            return True
        if isinstance(expression, (ast.Attribute, ast.Subscript, ast.NamedExpr, ast.Starred)):
            return self._may_be_new(expression.value)
        if isinstance(expression, (ast.BoolOp, ast.IfExp)):
            return any(map(self._may_be_new, sources.values_in(expression)))
        return not isinstance(expression, ast.Constant)

    def _is_bound_anew(self, expression: Any) -> bool:
        self._depth += 1  # a name may be bound to what is made of it
        try:
            return self._may_be_new(expression)
        finally:
            self._depth -= 1

    def _name(self, expression: ast.Name) -> Objects:
        name = expression.id
        before = self._before(name)
        if isinstance(expression.ctx, ast.Store) and not self._bindings_of(name):
            return before
        for value in self._bindings_of(name):
            objects = None if value is None else self._bound(value)
            if objects is None or before is None:
                return None
            before |= objects
        return before

    def _bound(self, value: tuple[ast.expr, bool]) -> Objects:
        expression, element = value
        if sources.is_number(expression):
            return _NONE
        if isinstance(expression, ast.Call) and sources.last_name(expression.func) == "range":
            return _NONE
        return self._held(expression) if element else self.of(expression)

    def bound_to(self, name: str) -> Objects:
        """What the code would bind a name to."""
        found: set[int] = set()
        for value in self._bindings_of(name):
            objects = None if value is None else self._bound(value)
            if objects is None:
                return None
            found |= objects
        return frozenset(found)

    def _bindings_of(self, name: str) -> list[tuple[ast.expr, bool] | None]:
        """(expression, whether an element of it) that the code would bind a name to; None for other ways."""
        return [binding for piece in self.unrun for binding in self.graph.files.bindings(piece).get(name, ())]

    def _before(self, name: str) -> Objects:
        """What a name was bound to at the test."""
        graph, test = self.graph, self.test
        activation: Activation | None = test.activation
        while activation is not None:
            stores = activation.stores.get(name, ())
            end = (
                bisect_left(stores, test.order, key=_order) if activation is test.activation else len(stores)
            )
            if end:
                latest = stores[end - 1]
                number, others = graph.number(latest), graph.choices().of(latest)
                if others is None or (not number and graph.value(latest) is UNSET):
                    return None
                return self._without_scalars((number, *others))
            activation = activation.outer
        source = test.activation.source
        number = graph.trace.globals_at(source, name, test.time) or imported.number(
            graph, source, name, test.time
        )
        if number:
            return self._without_scalars((number,))
        return None if graph.is_free(test.activation.routine, name) else _NONE

    def _of_module(self, name: OfModule) -> Objects:
        trace = self.graph.trace
        number = trace.globals_at(name.source, name.name, self.test.time) if name.source >= 0 else 0
        if not number:
            return None
        row = trace.row(number)
        kind = row[0] if type(row) is list else ""
        return _NONE if kind in ("", "function", "method", "module", "class") else frozenset((number,))


def _order(made: Instance) -> int:
    return made.order


def _both(some: Objects, others: Objects) -> Objects:
    return None if some is None or others is None else some | others


def _asked_for_its_class(expression: ast.expr) -> ast.expr | None:
    """`x` of `type(x)` and `x.__class__`; None for other expressions."""
    if isinstance(expression, ast.Attribute) and expression.attr == "__class__":
        return expression.value
    if isinstance(expression, ast.Call) and sources.last_name(expression.func) == "type" and expression.args:
        return expression.args[0]
    return None


def _may_be_lists(expression: ast.BinOp) -> bool:
    numbers = [sources.is_number(part) for part in (expression.left, expression.right)]
    if isinstance(expression.op, ast.Mult):
        return not all(numbers)
    return isinstance(expression.op, (ast.Add, ast.BitOr)) and not any(numbers)


def _stored_by(node: ast.AST, attribute: str) -> list[tuple[ast.expr, bool]]:
    """The values that a piece of code stores in a container, or in an attribute of a name; with True where it is a part."""
    if isinstance(node, ast.Call):
        name = sources.last_name(node.func)
        is_known = isinstance(node.func, ast.Name) and (name in _SCALARS or name in _PARTS)
        return [] if is_known else [(value, name in _PUTTING_ALL) for value in sources.given(node)]
    if not isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) or node.value is None:
        return []
    todo = [(target, False) for target in (node.targets if isinstance(node, ast.Assign) else [node.target])]
    found = [(node.value, True)] if isinstance(node, ast.AugAssign) and not attribute else []
    for target, is_unpacked in todo:
        todo += [(part, True) for part in getattr(target, "elts", [])]
        is_meant = (
            target.attr == attribute
            if isinstance(target, ast.Attribute)
            else not attribute and isinstance(target, ast.Subscript)
        )
        if is_meant:
            found.append((node.value, is_unpacked))
    return found
