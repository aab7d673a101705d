"""Rewriting of namespaces used as dicts, `owner.__dict__`, `vars(owner)`, `globals()`, and of code in texts, `exec` and `eval`.

What is stored through a namespace is noted as what it is, an attribute of its owner or a name of the module. Where the
dict is kept, what it holds is noted: whoever has it may change it unseen. Of code in texts nothing is recorded: what it
may change is noted before.
"""

from __future__ import annotations

import ast
from typing import Any
from collections.abc import Callable, Iterable

from algotrace.instrument_bound import SLEEPING, BoundCalls, held_for, noted_at_last
from algotrace.instrument_names import may_name_method
from algotrace.marks import (
    HANDED,
    HANDED_BACK,
    HANDED_ON,
    IN_HAND,
    IN_TURN,
    METHOD_GIVEN,
    NAMED,
    PASSED,
    UPDATED,
)
from algotrace.mutators import KEPT_NAMES, LIBRARY_NAMES, METHOD_NAMES
from algotrace.syntax import (
    call,
    constant,
    is_quiet,
    load,
    location,
    placeholder,
    point,
    repeated,
    tuple_of,
    walk,
)
from algotrace.undo import NEVER_CHANGE_ARGUMENTS

_OWN = frozenset({"globals", "vars", "locals"})
_READING = frozenset(
    {"get", "items", "keys", "values", "copy", "__contains__", "__len__", "__getitem__", "__iter__"}
)
_TELLING = frozenset(  # methods of which what they give is only read
    {
        "__reduce__",
        "__reduce_ex__",
        "__getstate__",
        "__repr__",
        "__str__",
        "__eq__",
        "__hash__",
        "__dir__",
        "__iter__",
    }
)
_CONSUMING = frozenset(
    {"list", "tuple", "set", "frozenset", "dict", "sorted", "sum", "min", "max", "any", "all", "deque", "join", "bytes", "Counter"}
)  # fmt: skip
_GOING_THROUGH = frozenset(
    {"map", "filter", "filterfalse", "takewhile", "dropwhile", "starmap", "accumulate", "groupby", "reduce", "sorted", "min", "max"}
)  # fmt: skip
USING = frozenset({"sorted", "min", "max", "reduce"})  # they call what they are given, and keep it no longer
_LAZY = frozenset({"map", "filter"})
_QUIET_ITERABLES = frozenset({"range", "list", "tuple", "sorted", "items", "keys", "values", "split"})
_STILL = (ast.Constant, ast.Name, ast.Attribute, ast.List, ast.Tuple)
SETTERS = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})
_BARE_SETTERS = frozenset({"object.__setattr__", "object.__delattr__"})
_OPERATORS = frozenset(
    {"setitem", "delitem", "iadd", "iconcat", "imul", "ior", "iand", "isub", "ixor"}
)  # of the module `operator`
_SPECIAL_OPERATORS = frozenset(f"__{name}__" for name in _OPERATORS)
_CHANGING_NAMES = SETTERS.union(LIBRARY_NAMES)
_CHANGING_ATTRIBUTES = _CHANGING_NAMES | _OPERATORS
_MAY_CHANGE = frozenset({ast.Name, ast.Attribute, ast.Call})
CONTAINER_CLASSES = frozenset(
    {"list", "dict", "set", "deque", "bytearray", "OrderedDict", "defaultdict", "Counter"}
)
_FILLING = frozenset(
    {"parse_args", "parse_known_args", "parse_intermixed_args"}
)  # they store to what `namespace` is
_RECEIVING = frozenset({"add_note", "__setstate__"})  # methods written in C that change an object
# Calls by these names give away their first argument: what they give changes it, now (then it has a text) or later.
_GIVING = {
    "memoryview": "",
    "frombuffer": "",
    "from_buffer": "",
    "__set__": "store",
    "__delete__": "store",
    "update_wrapper": "store",
}
_SETTING = frozenset({"__set__", "__delete__"})
CODE_IN_TEXT = frozenset({"exec", "eval"})


def called_by(function: ast.expr) -> str:
    """The name that a call of it goes by."""
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def is_namespace(node: ast.AST) -> bool:
    """Whether an expression gives the dict of an object's attributes, or of a module's names."""
    match node:
        case ast.Attribute(attr="__dict__", ctx=ast.Load()):
            return True
        case ast.Call(func=ast.Name(id="vars"), args=[owner], keywords=[]):
            return not isinstance(owner, ast.Starred)
        case ast.Call(func=ast.Name(id="vars" | "globals" | "locals"), args=[], keywords=[]):
            return True
    return False


def namespace_owner(node: ast.expr) -> ast.expr | None:
    """Whose attributes or names a namespace holds; a module's holds its own."""
    if not is_namespace(node):
        return None
    if isinstance(node, ast.Attribute):
        return node.value
    assert isinstance(node, ast.Call)
    if node.args:
        return node.args[0]
    return node if called_by(node.func) == "globals" else None


def namespaces_kept(nodes: list[Any]) -> frozenset[int]:
    """Of a file: the expressions for namespaces that are not just looked at or stored to where they stand, by id."""
    found = {
        id(node)
        for node in nodes
        if (type(node) is ast.Attribute and node.attr == "__dict__")
        or (type(node) is ast.Call and type(node.func) is ast.Name and node.func.id in _OWN)
        if is_namespace(node)
    }
    if not found:
        return frozenset()
    for node in nodes:
        found.difference_update(id(part) for part in _looked_at(node))
    return frozenset(found)


def _looked_at(node: Any) -> Iterable[Any]:
    """The parts of a node with which it does nothing but read or store."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in METHOD_NAMES | _READING:
            yield node.func.value
        if called_by(node.func) in NEVER_CHANGE_ARGUMENTS | CODE_IN_TEXT:
            yield from node.args
    elif isinstance(node, ast.Subscript):
        yield node.value
    elif isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators)
    elif isinstance(node, ast.Dict):
        yield from (value for key, value in zip(node.keys, node.values) if key is None)
    elif isinstance(node, ast.keyword) and node.arg is None:
        yield node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield node.iter
    elif isinstance(node, (ast.Starred, ast.Expr, ast.FormattedValue)):
        yield node.value
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
        yield node.test
    elif isinstance(node, ast.FunctionDef) and node.name in _TELLING:
        yield from walk(node)


def used_up(nodes: list[Any]) -> frozenset[int]:
    """Of a file: calls of `map` and `filter` which what they are given to uses up at once, by id."""
    found: set[int] = set()
    for node in nodes:
        if type(node) is ast.Call:
            if called_by(node.func) not in _CONSUMING:
                continue
            given: list[Any] = [part for part in node.args if type(part) is ast.Call]
        elif type(node) is ast.Starred:
            given = [node.value]
        else:
            continue
        while given:
            part = given.pop()
            if isinstance(part, ast.Call) and called_by(part.func) in _LAZY:
                given += part.args
                if all(isinstance(each, (*_STILL, ast.Call)) and not _runs(each) for each in part.args):
                    found.add(id(part))
    return frozenset(found)


def names_of_equal(nodes: list[Any]) -> frozenset[str]:
    """Of a file: names of functions by which objects may be compared as keys."""
    stored = (node for node in nodes if type(node) is ast.Assign)
    values = (node.value for node in stored if any(called_by(each) == "__eq__" for each in node.targets))
    return frozenset(value.id for value in values if isinstance(value, ast.Name)) | {"__eq__"}


def operator_modules(nodes: list[Any]) -> frozenset[str]:
    """Of a file: its names for the module `operator`."""
    imported = (node for node in nodes if type(node) is ast.alias and node.name == "operator")
    return frozenset(node.asname or node.name for node in imported)


def setters_kept(nodes: list[Any], operators: frozenset[str]) -> tuple[frozenset[str], frozenset[int]]:
    """Of a file: names for `setattr` and the like, and the expressions that give one to somebody else, by id."""
    names: set[str] = set()
    called: set[int] = set()
    for node in nodes:
        kind = type(node)
        if kind is ast.Call:
            called.add(id(node.func))
        elif kind is ast.Assign and called_by(node.value) in SETTERS:
            targets = [target.id for target in node.targets if isinstance(target, ast.Name)]
            if isinstance(node.value, ast.Name) or called_by(node.value.value) == "object":
                names.update(targets)
                called.add(id(node.value))
    some = [node for node in nodes if type(node) in _MAY_CHANGE]
    kept = {id(node) for node in some if _changes(node, operators) and id(node) not in called}
    assigned = [node for node in nodes if type(node) is ast.Assign and _changes(node.value, operators)]
    aliases = {each.id for node in assigned for each in node.targets if isinstance(each, ast.Name)}
    kept.update(
        id(node) for node in nodes if type(node) is ast.alias and node.name in _BY_NAME and node.asname
    )
    if aliases:
        kept.update(id(node) for node in nodes if isinstance(node, ast.Name) and node.id in aliases)
    return frozenset(names), frozenset(kept)


def _changes(node: Any, operators: frozenset[str]) -> bool:
    """Whether an expression gives a function that changes what it is given."""
    kind = type(node)
    if kind is ast.Name:
        return node.id in _CHANGING_NAMES or node.id in _BY_NAME or node.id in _SPECIAL_OPERATORS
    if kind is ast.Attribute and node.attr in _BY_NAME:
        return True
    if kind is ast.Attribute:
        of_class = (
            isinstance(node.value, ast.Name)
            and (node.value.id in CONTAINER_CLASSES or node.value.id in operators)
            and node.attr in KEPT_NAMES
        )
        return of_class or node.attr in _CHANGING_ATTRIBUTES
    if kind is ast.Call and called_by(node.func) in _BY_NAME:
        return any(
            map(may_name_method, node.args[:1] if called_by(node.func) == "methodcaller" else node.args)
        )
    return False


_BY_NAME = frozenset({"methodcaller", "attrgetter"})  # they make functions that call methods, or give them


def _is_patched(function: ast.expr) -> bool:
    """Whether a call of it changes its first argument for some time: `patch.object`, `patch.dict`, `monkeypatch.setattr`."""
    if not isinstance(function, ast.Attribute):
        return False
    owner = called_by(function.value)
    return (owner == "patch" and function.attr in ("object", "dict", "multiple")) or owner == "monkeypatch"


def _runs(node: ast.expr) -> bool:
    """Whether code of the program may run when an item is asked for."""
    return isinstance(node, ast.Call) and called_by(node.func) not in _QUIET_ITERABLES


class Namespaces(BoundCalls):
    """Namespaces and code in texts, in the middle of an expression."""

    reading_names: frozenset[str] = frozenset()  # see `names_of_readers`

    def expression(self, node: Any) -> Any:
        raise NotImplementedError

    def _is_own(self, name: str) -> bool:
        """Whether the program has something of its own under the name of a builtin function."""
        return name in self.functions or name in self.scope.locals | self.scope.free

    def _goes_through(self, called: ast.expr) -> bool:
        """Whether a call only asks the iterators that it is given, for items which it gives to a function."""
        root = called
        while isinstance(root, ast.Attribute):
            root = root.value
        known = isinstance(root, ast.Name) and root.id in self.reading_names
        return known and called_by(called) in _GOING_THROUGH and not self._is_own(root.id)  # type: ignore[attr-defined]

    def owner_of(self, node: ast.expr) -> ast.expr | None:
        """Whose namespace a store to it changes, as far as that is noted by names."""
        owner = namespace_owner(node)
        if isinstance(node, ast.Call) and self._is_own(called_by(node.func)):
            return None
        if owner is None and is_namespace(node) and self.scope.kind == "module":
            return node  # `vars()` and `locals()` of a module
        return owner

    def holds_owner(self, node: ast.expr) -> bool:
        """Of a namespace: the owner is held for what notes a change of its attributes or names."""
        owner = self.owner_of(node)
        if owner is None:
            return False
        at = location(owner)
        hold = placeholder("hold", point(at))
        if owner is node:
            assert isinstance(node, ast.Call)
            node.args = [ast.Call(node.func, [], [], **at)]
            node.func = hold
            return True
        held = call(hold, [self.expression(owner)], at)
        if isinstance(node, ast.Attribute):
            node.value = held
        elif isinstance(node, ast.Call):
            node.args = [held]
        return True

    def names_updated(self, node: ast.Call, function: ast.Attribute) -> bool:
        """Notes `owner.__dict__.update(…)`, where it is given one mapping or names."""
        given = [*node.args, *node.keywords]
        if function.attr != "update" or bool(node.args) == bool(node.keywords) or len(node.args) > 1:
            return False
        if any(isinstance(part, (ast.Starred, *SLEEPING)) for each in given for part in walk(each)):
            return False
        text = self.text(function.value)
        if not self.holds_owner(function.value):
            return False
        at = location(node)
        marks = [self._named(node, text, UPDATED), self._witness_mark(node, text, UPDATED)]
        node.args = [self.expression(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.expression(keyword.value)
        names = node.args[0] if node.args else ast.Call(placeholder("dict", at), [], node.keywords, **at)
        noted = call(placeholder("note_names", at), [*marks, names], at)
        if node.args:
            node.args = [noted]
        else:
            node.keywords = [ast.keyword(None, noted, **at)]
        return True

    def _named(self, node: Any, text: str, user: str = "") -> ast.Constant:
        return self.mark(NAMED, location(node), where=node, label=f"{text}\t{user}")

    def _witness_mark(self, node: Any, text: str, user: str = "__dict__") -> ast.Constant:
        """For what there is just before a change that is not told by names; by `user`, if code of the program may run amid."""
        return self.mark(PASSED, location(node), where=node, label=f"{text}\t{user}")

    def handed_mark(self, node: Any, text: str = "", *, kept: bool = False) -> ast.Constant:
        """For what can be reached from what somebody is handed, see `reached`; who has `kept` it may change it later."""
        label = f"{text}\t{HANDED_ON if kept else HANDED}"
        mark = self.mark(PASSED, location(node), where=node, label=label)
        for what in (HANDED_BACK, IN_HAND):
            self.mark(PASSED, location(node), where=node, label=f"{text}\t{what}")
        return mark

    def _given_mark(self, node: Any, text: str) -> ast.Constant:
        """For what may be changed unseen from here on."""
        return self.mark(PASSED, location(node), where=node, label=f"{text}\t")

    def namespace_changed(self, node: ast.expr) -> ast.expr:
        """A namespace whose dict is about to be changed as a whole; anything else as it is."""
        if self.owner_of(node) is None:
            return self.expression(node)  # type: ignore[no-any-return]
        text, at = self.text(node), location(node)
        marks = [self._named(node, text), self._witness_mark(node, text)]
        self.holds_owner(node)
        return call(placeholder("note_owner_changed", at), [*marks, node], at)

    def namespace_changed_late(self, node: ast.expr) -> Callable[[ast.expr], ast.expr] | None:
        """The same where working out the arguments may change it: the owner is held until the last one is known, which what is
        given here notes. None where that cannot be."""
        owner = self.owner_of(node)
        if owner is None or owner is node:
            return None
        text, at = self.text(node), location(node)
        marks = [self._named(node, text), self._witness_mark(node, text)]
        held = held_for(self.expression(owner), marks[1])
        if isinstance(node, ast.Attribute):
            node.value = held
        elif isinstance(node, ast.Call):
            node.args = [held]
        return lambda last: call(placeholder("note_owner_changed_late", at), [*marks, last], at)

    def namespace_kept(self, node: Any, value: ast.expr) -> ast.expr:
        """A namespace that somebody keeps; `value` is what gives it, rewritten but for its owner."""
        text, at = self.text(node), location(node)
        marks = [self._named(node, text), self._given_mark(node, text)]
        held = self.holds_owner(value)
        return call(placeholder("note_namespace", at), [*marks, constant(held, at), value], at)

    def given(self, node: ast.expr, user: str = "", where: ast.expr | None = None) -> ast.expr:
        """What somebody may change unseen from here on, or with `user` just now: the call that stands at `where`."""
        at = location(node)
        mark = self.given_mark(node, user, where)
        return call(placeholder("note_given", at), [mark, self.expression(node)], at)

    def given_mark(self, node: ast.expr, user: str, where: ast.expr | None = None) -> ast.Constant:
        return self.mark(PASSED, location(node), where=where or node, label=f"{self.text(node)}\t{user}")

    def gives_away(self, node: ast.Call, name: str, with_setter: bool, loud: int) -> None:
        """Notes the argument of which a call gives a view, or those that a function may change which is among them; up to
        which one working them out may run code."""
        for keyword in node.keywords:
            if keyword.arg == "namespace" and name in _FILLING:
                at = location(keyword.value)
                given = [self._witness_mark(keyword.value, ""), keyword.value]
                keyword.value = call(placeholder("note_given", at), given, at)
        if not node.args or isinstance(node.args[0], ast.Starred):
            return
        if name in _RECEIVING and isinstance(node.func, ast.Attribute):
            owner, at = node.func.value, location(node.func.value)
            mark = self._witness_mark(owner, self.text(owner))
            if loud >= 0:
                node.func.value = noted_at_last(node, owner, "note_receiver", mark)
            else:
                node.func.value = call(placeholder("note_receiver", at), [mark, owner], at)
        if name == "__get__" and isinstance(node.func, ast.Attribute):
            self._note_bound_by_hand(node, node.func.value)
        user = _GIVING.get(name)
        if _is_patched(node.func):
            text, at = self.text(node.args[0]), location(node.args[0])
            marks = [self._witness_mark(node, text), self._given_mark(node, text)]
            if loud > 0:
                node.args[0] = noted_at_last(node, node.args[0], "note_lent", *marks)
            else:
                node.args[0] = call(placeholder("note_lent", at), [*marks, node.args[0]], at)
            return
        if name == "getattr" and len(node.args) > 1:
            if not isinstance(node.args[1], ast.Constant):
                self._note_getting(node)
                return
            method = node.args[1].value
            user = f"{METHOD_GIVEN}{method}" if method in KEPT_NAMES else None
            if method == "__init__":
                at = location(node.args[0])
                node.args[0] = call(placeholder("note_filling_kept", at), [node.args[0]], at)
        if user is not None:
            text, at = self.text(node.args[0]), location(node.args[0])
            if name in _SETTING:
                named = self._named(node, text)
                if loud > 0:
                    node.args[0] = noted_at_last(node, node.args[0], "note_filled", named)
                else:
                    node.args[0] = call(placeholder("note_filled", at), [named, node.args[0]], at)
            mark = self.mark(PASSED, at, where=node, label=f"{text}\t{user}")
            if loud > 0:
                node.args[0] = noted_at_last(node, node.args[0], "note_given", mark)
            else:
                node.args[0] = call(placeholder("note_given", at), [mark, node.args[0]], at)
        elif with_setter:
            at = location(node)
            at_once = name in USING or id(node) in self.used_up
            mark = self._witness_mark(node, "") if at_once else self._given_mark(node, "")
            told, hook = [mark], "note_all_given"
            if self._goes_through(node.func):
                told.append(self.mark(PASSED, at, where=node, label=f"\t{IN_TURN}"))
                hook = "note_all_given_in_turn"
            noted = call(placeholder(hook, at), [*told, tuple_of(list(node.args), at)], at)
            node.args = [ast.Starred(noted, ast.Load(), **at)]

    def _note_getting(self, node: ast.Call) -> None:
        """`getattr(obj, name)`, where the name is worked out: it may give a method, or a namespace."""
        at, text = location(node), self.text(node.args[0])
        marks = [
            self.mark(PASSED, location(node.args[0]), where=node, label=f"{text}\t"),
            self._named(node, text),
        ]
        if not isinstance(node.args[0], ast.Name) or any(
            isinstance(each, ast.Starred) or not is_quiet(each) for each in node.args
        ):
            noted = call(placeholder("note_getting_from", at), [*marks, *node.args], at)
            node.args = [ast.Starred(noted, ast.Load(), **at)]
            return
        given = [*marks, repeated(node.args[0], at), node.args[1]]
        node.args[1] = call(placeholder("note_getting", at), given, at)

    def _note_bound_by_hand(self, node: ast.Call, function: ast.expr) -> None:
        """`object.__setattr__.__get__(obj)`: by what it gives the object may be changed."""
        at = location(node.args[0])
        mark = self._given_mark(node, self.text(node.args[0]))
        if self.text(function) in _BARE_SETTERS:
            node.args[0] = call(placeholder("note_given", at), [mark, node.args[0]], at)
        elif isinstance(function, ast.Name):
            given = [mark, load(function.id, at), node.args[0]]
            node.args[0] = call(placeholder("note_bound_by_hand", at), given, at)

    def code_in_text(self, node: ast.Call) -> bool:
        """Notes what `exec(…)` and `eval(…)` may change."""
        name = called_by(node.func)
        if not isinstance(node.func, ast.Name) or name not in CODE_IN_TEXT or self._is_own(name):
            return False
        if not node.args or any(isinstance(part, ast.Starred) for part in node.args):
            return False
        at = location(node)
        text = ""
        marks = [self._named(node, text), self.handed_mark(node), self.handed_mark(node, kept=True)]
        node.args = [self.expression(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.expression(keyword.value)
        names = [placeholder(each, at) for each in ("globals", "locals")]
        around: list[ast.expr] = [call(each, [], at) for each in names]
        if node.keywords or len(node.args) > 1:
            around[1] = constant(None, at)
        given = [*marks, constant(name, at), *around, tuple_of(node.args, at)]
        noted = call(placeholder("note_code", at), given, at)
        node.args = [ast.Starred(noted, ast.Load(), **at)]
        return True
