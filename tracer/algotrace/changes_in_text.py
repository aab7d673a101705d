"""What functions change in what they are given, as far as their text tells, and that of those which they hand it on to.

Nothing of it is run. A value is followed through names, attributes and items, to functions and methods whose names tell what they
are; not where a value is called, and no further than a few calls. What the text does not tell is taken for new.
"""

from __future__ import annotations

import ast
import opcode
import sys
import types
from importlib.machinery import SourceFileLoader
from typing import TYPE_CHECKING, Any, NamedTuple
from collections.abc import Iterable, Iterator, Mapping
from zipimport import zipimporter

from algotrace import BUILTINS
from algotrace.class_tables import find_in_class, mro_of, namespace_of
from algotrace.content import ANY
from algotrace.exchanged_code import text_of, tree_of
from algotrace.mutators import KINDS_CHANGED_BY
from algotrace.strangers import stored_by
from algotrace.undo import module_namespace

if TYPE_CHECKING:
    from typing import TypeGuard

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on


class Changes(NamedTuple):
    attributes: frozenset[str]  # by name; ANY among them where the name is worked out
    kinds: frozenset[str]  # of containers


_DEEPEST = 3  # calls
_DEEPEST_FOR_CONTAINERS = 1  # … since all containers of a kind are not certain then
# What values are: new or of no interest; the object itself; a new container of what was given; given; the `__dict__` of that.
_NEW, SELF, _AMONG, GIVEN, _MAPPING = range(5)
_GIVING_PARTS = frozenset({"list", "tuple", "set", "frozenset", "sorted", "dict"})
_GIVING_ON = frozenset({"iter", "next", "enumerate", "zip", "reversed", "filter", "min", "max", "cast"})
_BY_NAME = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})
_CHANGED_BY_ITEM = KINDS_CHANGED_BY["__setitem__"] | KINDS_CHANGED_BY["__delitem__"]
_IN_PLACE = frozenset[str]().union(*KINDS_CHANGED_BY.values())
_CHANGING_OPERATIONS = frozenset(
    number
    for name, number in opcode.opmap.items()
    if name in ("STORE_ATTR", "DELETE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")
    or name.startswith("INPLACE_")
)
_OPERATOR, _FIRST_IN_PLACE = opcode.opmap.get("BINARY_OP", 0), 13  # of 3.11 and later
_CHANGING_NAMES = _BY_NAME | KINDS_CHANGED_BY.keys()
Function = types.FunctionType


def _is_module(obj: Any) -> bool:
    return issubclass(type(obj), types.ModuleType)


def _is_class(obj: Any) -> TypeGuard[type]:
    return issubclass(type(obj), type)


def _text_of(name: str) -> list[str]:
    """The lines of a module; none where other code than Python's own would have to be asked."""
    module = sys.modules.get(name)
    loader = module_namespace(module).get("__loader__") if module is not None and _is_module(module) else None
    is_plain = type(loader) is SourceFileLoader or type(loader) is zipimporter
    return text_of(module) if module is not None and is_plain else []


def _plain(found: Any) -> Any:
    """The function behind a method of a class."""
    return found.__func__ if type(found) is staticmethod or type(found) is classmethod else found


class Following:
    """Of the functions that some methods lead to."""

    def __init__(self, descriptor: Any = None) -> None:
        self.descriptor = descriptor
        self._kept: dict[tuple[int, str], int] = {}  # attributes that hold what was given → as what
        self._may_change: dict[tuple[int, int, int], bool] = {}
        self.known: set[tuple[int, tuple[int, ...], int]] = set()
        self._attributes: set[str] = set()
        self._kinds: set[str] = set()
        self._texts: dict[str, list[str]] = {}

    def changes(self) -> Changes:
        return Changes(frozenset(self._attributes), frozenset(self._kinds))

    def keep(self, owner: type | None, name: str, value: int) -> None:
        self._kept[_family(owner), name] = max(value, self.kept_as(owner, name))

    def kept_as(self, owner: type | None, name: str) -> int:
        return self._kept.get((_family(owner), name), _NEW)

    def note_attribute(self, name: str) -> None:
        self._attributes.add(name)

    def note_kinds(self, kinds: Iterable[str]) -> None:
        self._kinds.update(kinds)

    def follow(
        self, function: Function, owner: type | None, given: tuple[int, ...], others: int, depth: int
    ) -> None:
        """What it does with its parameters, of which the first ones are `given`."""
        key = (id(function.__code__), given, others)
        if key in self.known or depth > _DEEPEST or not self._may_store(function, owner, _DEEPEST - depth):
            return
        self.known.add(key)
        if not self._read(function, owner, given, others, depth):
            self._attributes.update(stored_by(function.__code__))

    def _read(
        self, function: Function, owner: type | None, given: tuple[int, ...], others: int, depth: int
    ) -> bool:
        """Whether its text could be read."""
        tree = self._tree_of(function)
        if tree is None:
            return False
        flow = _Flow(self, function, owner, depth)
        try:
            for _ in range(2):  # what a loop hands on
                flow.enter(tree, given, others)
                for statement in tree.body:
                    flow.visit(statement)
        except Exception:  # whatever is wrong with it, an expression without end: it must not cost the trace
            return False
        return True

    def _may_store(self, function: Function, owner: type | None, deep: int) -> bool:
        """Whether it, or what it may call, stores anything but names: else its text need not be read."""
        key = (id(function), id(owner), deep)
        told = self._may_change.get(key)
        if told is None:
            codes = list(_codes_in(function.__code__))
            told = any(map(_stores, codes)) or (
                deep > 0
                and any(
                    self._may_store(each, cls, deep - 1) for each, cls in _called_by(function, owner, codes)
                )
            )
            self._may_change[key] = told
        return told

    def _tree_of(self, function: Function) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        code, first = function.__code__, function.__code__.co_firstlineno
        name = str(dict.get(function.__globals__, "__name__"))
        if name not in self._texts:
            self._texts[name] = _text_of(name)
        lines = self._texts[name]
        try:
            is_inside = lines[first - 1][:1].isspace()
            tree = tree_of(lines, first, f"outer.{code.co_name}" if is_inside else code.co_name)
        except Exception:  # there is no text, or another one than it is of
            return None
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
                return node
        return None


class _Flow(ast.NodeVisitor):
    """Of what one function is given."""

    def __init__(self, reading: Following, function: Function, owner: type | None, depth: int) -> None:
        self._reading, self._function, self._owner, self._depth = reading, function, owner, depth
        self._globals: Mapping[str, Any] = function.__globals__
        self._self = ""
        self._values: dict[str, int] = {}

    def enter(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef, given: tuple[int, ...], others: int
    ) -> None:
        self._outermost = set(map(id, function.body))
        parameters = function.args
        named = [*parameters.posonlyargs, *parameters.args]
        for number, parameter in enumerate(named):
            self._values[parameter.arg] = given[number] if number < len(given) else others
        for parameter in parameters.kwonlyargs:
            self._values[parameter.arg] = others
        left = max(others, *given[len(named) :], _NEW)
        for rest in (parameters.vararg, parameters.kwarg):
            if rest is not None:
                self._values[rest.arg] = _AMONG if left >= _AMONG else _NEW
        if named and given[:1] == (SELF,):
            self._self = named[0].arg

    # -- what a value is ------------------------------------------------------------------------------------------

    def _of(self, node: ast.expr | None) -> int:
        match node:
            case ast.Name(id=name):
                return self._values.get(name, _NEW)
            case ast.Attribute(value=value, attr=name):
                return self._attribute_of(self._of(value), name)
            case ast.Subscript(value=value):
                return _part_of(self._of(value))
            case ast.Call():
                return self._of_call(node)
            case ast.IfExp(body=one, orelse=other):
                return max(self._of(one), self._of(other))
            case ast.BoolOp(values=values):
                return max(map(self._of, values))
            case ast.NamedExpr(value=value) | ast.Starred(value=value) | ast.Await(value=value):
                return self._of(value)
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                return self._new_of(parts)
            case ast.Dict(values=parts):
                return self._new_of(parts)
            case ast.ListComp(elt=part) | ast.SetComp(elt=part) | ast.GeneratorExp(elt=part):
                return self._new_of([part])
        return _NEW

    def _attribute_of(self, value: int, name: str) -> int:
        if value == SELF:
            return SELF if name == "__class__" else self._reading.kept_as(self._owner, name)
        if value == GIVEN and name == "__dict__":
            return _MAPPING
        return GIVEN if value == GIVEN else _NEW

    def _new_of(self, parts: Iterable[ast.expr]) -> int:
        return _AMONG if any(self._of(part) >= _AMONG for part in parts) else _NEW

    def _of_call(self, node: ast.Call) -> int:
        match node:
            case ast.Call(func=ast.Name(id="super")):
                return SELF
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(name)), *_]):
                return self._attribute_of(self._of(owner), name)
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, *_]):
                return self._attribute_of(self._of(owner), ANY)
            case ast.Call(func=ast.Name(id="vars"), args=[owner]):
                return self._attribute_of(self._of(owner), "__dict__")
            case ast.Call(func=ast.Name(id=name), args=given) if name in _GIVING_PARTS:
                return self._new_of(given)
            case ast.Call(func=ast.Name(id=name), args=given) if name in _GIVING_ON:
                return max(map(self._of, given), default=_NEW)
            case ast.Call(func=ast.Attribute(value=owner, attr="copy")):
                return _AMONG if self._of(owner) >= _AMONG else _NEW
            case ast.Call(func=ast.Attribute(value=owner)):
                return _part_of(self._of(owner))
        return _NEW

    # -- what becomes of it ---------------------------------------------------------------------------------------

    def _bind(self, target: ast.expr, value: int) -> None:
        match target:
            case ast.Name(id=name):
                self._values[name] = max(value, self._values.get(name, _NEW))
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    self._bind(part, _part_of(value))
            case ast.Starred(value=inner):
                self._bind(inner, value)
            case ast.Attribute(value=owner, attr=name):
                if self._of(owner) == SELF and value >= _AMONG:
                    self._reading.keep(self._owner, name, value)
                elif self._of(owner) == GIVEN:
                    self._reading.note_attribute(name)
            case ast.Subscript(value=container, slice=key):
                self._item_changed(container, key, value)

    def _item_changed(self, container: ast.expr, key: ast.expr | None, value: int) -> None:
        kind = self._of(container)
        if kind == _MAPPING:
            self._reading.note_attribute(self._name_of(key))
        elif kind == GIVEN:
            self._note_kinds(_CHANGED_BY_ITEM, _last_name(container))
        elif value >= _AMONG:
            self._keep_in(container)

    def _note_kinds(self, kinds: Iterable[str], within: str) -> None:
        """A container is changed; `within` is the attribute that holds it, "" for none."""
        if within:
            self._reading.note_attribute(within)
        if self._depth <= _DEEPEST_FOR_CONTAINERS:
            self._reading.note_kinds(kinds)

    def _keep_in(self, container: ast.expr) -> None:
        """A container, of the object itself or another one, has got something that was given."""
        match container:
            case ast.Attribute(value=owner, attr=name) if self._of(owner) == SELF:
                self._reading.keep(self._owner, name, _AMONG)
            case ast.Name(id=name):
                self._values[name] = max(_AMONG, self._values.get(name, _NEW))

    def _name_of(self, node: ast.expr | None) -> str:
        """The name that an expression gives; ANY where nothing tells."""
        match node:
            case ast.Constant(value=str(name)):
                return name
            case ast.Attribute():
                value = self._known_of(node)
                return value if type(value) is str else ANY
            case ast.JoinedStr(values=parts):
                names = [
                    self._name_of(part.value if isinstance(part, ast.FormattedValue) else part)
                    for part in parts
                ]
                return ANY if ANY in names else "".join(names)
        return ANY

    def _known_of(self, node: ast.expr) -> Any:
        """What an attribute of a descriptor that is there holds: such have the name that they go by."""
        if isinstance(node, ast.Name):
            return self._reading.descriptor if node.id == self._self else None
        if not isinstance(node, ast.Attribute):
            return None
        owner = self._known_of(node.value)
        if type(owner) is Function:
            return owner.__name__ if node.attr == "__name__" else None
        if owner is None:
            return None
        try:
            return dict.get(object.__getattribute__(owner, "__dict__"), node.attr)
        except (AttributeError, TypeError):
            return None

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        for target in node.targets:
            if isinstance(target, ast.Name) and id(node) in self._outermost:  # what it was is over
                self._values[target.id] = self._of(node.value)
                continue
            match target, node.value:
                case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                    for each, value in zip(targets, values):
                        self._bind(each, self._of(value))
                case _:
                    self._bind(target, self._of(node.value))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.generic_visit(node)
        if node.value is not None:
            self._bind(node.target, self._of(node.value))

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.generic_visit(node)
        self._bind(node.target, self._of(node.value))

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.generic_visit(node)
        if self._of(node.target) == GIVEN and _gives_container(node.value):
            self._note_kinds(_IN_PLACE, _last_name(node.target))
        self._bind(node.target, _NEW)

    def visit_Delete(self, node: ast.Delete) -> None:
        self.generic_visit(node)
        for target in node.targets:
            if not isinstance(target, ast.Name):
                self._bind(target, _NEW)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self._bind(node.target, _part_of(self._of(node.iter)))
        self.generic_visit(node)

    visit_AsyncFor = visit_For

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self._bind(node.target, _part_of(self._of(node.iter)))
        self.generic_visit(node)

    def visit_withitem(self, node: ast.withitem) -> None:
        self.generic_visit(node)
        if node.optional_vars is not None:
            self._bind(node.optional_vars, self._of(node.context_expr))

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else _last_name(node.func)
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name in _BY_NAME:
            of_owner = owner is not None and self._of(owner) != _NEW
            whose, named = (owner, node.args) if of_owner else (_at(node.args, 0), node.args[1:])
            if self._of(whose) == GIVEN:
                self._reading.note_attribute(self._name_of(_at(named, 0)))
        elif owner is not None and name in KINDS_CHANGED_BY and self._method_changes(name, owner, node):
            return
        else:
            self._hand_on(node)

    def _method_changes(self, name: str, owner: ast.expr, node: ast.Call) -> bool:
        kind = self._of(owner)
        if kind == _MAPPING:
            by_key = name in ("setdefault", "pop", "__setitem__", "__delitem__")
            self._reading.note_attribute(self._name_of(node.args[0]) if by_key and node.args else ANY)
        elif kind == GIVEN:
            self._note_kinds(KINDS_CHANGED_BY[name], _last_name(owner))
        elif kind == SELF:
            return False
        elif any(self._of(each) >= _AMONG for each in node.args):
            self._keep_in(owner)
        return True

    def _hand_on(self, node: ast.Call) -> None:
        given = tuple(self._of(each) for each in node.args)
        named = max((self._of(each.value) for each in node.keywords), default=_NEW)
        if max(given, default=_NEW) < _AMONG and named < _AMONG:
            return
        others = max(*given, named) if any(isinstance(each, ast.Starred) for each in node.args) else named
        called, owner, is_bound = self._called(node.func)
        if _is_class(called):
            called, owner, is_bound = find_in_class(called, "__init__"), called, True
        if type(called) is Function:
            self._reading.follow(
                called, owner, (SELF, *given) if is_bound else given, others, self._depth + 1
            )

    def _called(self, node: ast.expr) -> tuple[Any, type | None, bool]:
        """What a name gives; the class that it is a method of, and whether it is bound to the object itself."""
        match node:
            case ast.Name(id=name):
                return self._globals.get(name), None, False
            case ast.Attribute(value=ast.Name(id=name), attr=method) if name not in self._values:
                owner = self._globals.get(name)
                if _is_module(owner):
                    return module_namespace(owner).get(method), None, False
                if _is_class(owner):
                    found = find_in_class(owner, method)
                    return _plain(found), owner, type(found) is classmethod
            case ast.Attribute(value=value, attr=method) if self._of(value) == SELF and self._owner:
                namespaces = (namespace_of(each) for each in mro_of(self._owner))
                found = (namespace[method] for namespace in namespaces if method in namespace)
                # By way of `super()` it is another one.
                first = next((each for each in found if _plain(each) is not self._function), None)
                return _plain(first), self._owner, type(first) is not staticmethod
        return None, None, False


def _at(nodes: list[ast.expr], place: int) -> ast.expr | None:
    return nodes[place] if place < len(nodes) else None


_CONTAINERS = (ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _gives_container(node: ast.expr) -> bool:
    """Whether what is added is one, as far as the text tells: most are numbers."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _GIVING_PARTS
    return isinstance(node, _CONTAINERS)


def _part_of(value: int) -> int:
    return GIVEN if value in (_AMONG, GIVEN) else _NEW


def _last_name(node: ast.expr) -> str:
    """`name` of `….name`, and of a name alone where it is called."""
    while isinstance(node, (ast.Subscript, ast.Call)):
        node = node.value if isinstance(node, ast.Subscript) else node.func
    return node.attr if isinstance(node, ast.Attribute) else ""


def _stores(code: types.CodeType) -> bool:
    operations = code.co_code[::2]
    return (
        not _CHANGING_OPERATIONS.isdisjoint(operations)
        or not _CHANGING_NAMES.isdisjoint(code.co_names)
        or (_OPERATOR in operations and max(code.co_code[1::2]) >= _FIRST_IN_PLACE and _works_in_place(code))
    )


def _works_in_place(code: types.CodeType) -> bool:
    """Whether there is a `+=`, or another operator of that kind."""
    pairs = zip(code.co_code[::2], code.co_code[1::2])
    return any(operation == _OPERATOR and which >= _FIRST_IN_PLACE for operation, which in pairs)


def _called_by(
    function: Function, owner: type | None, codes: Iterable[types.CodeType]
) -> Iterator[tuple[Function, type | None]]:
    """Functions, with the class that they are methods of, that its names may stand for."""
    for name in {name for code in codes for name in code.co_names}:
        for found, cls in (function.__globals__.get(name), None), (_method_of(owner, name), owner):
            if _is_class(found):
                found, cls = find_in_class(found, "__init__"), found
            if type(found := _plain(found)) is Function:
                yield found, cls


def _family(cls: type | None) -> int:
    """What classes have in common that may know each other's attributes."""
    return 0 if cls is None else id([cls, *mro_of(cls)][-2])


def _method_of(cls: type | None, name: str) -> Any:
    return None if cls is None else find_in_class(cls, name)


def _codes_in(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for part in code.co_consts:
        if type(part) is types.CodeType:
            yield from _codes_in(part)
