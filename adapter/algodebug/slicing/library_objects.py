"""Objects of code that is not recorded, which have a state that nobody sees: queues, files, hashes, random numbers.

What such an object gives depends on all that was done with it before: on every call of that code which was called on it, or
was given it, on what was stored in it, and on branches that would have done so; the same for what such calls gave, which
may belong to it (`csv.writer(file)`). Left out: values that never change (dates, numbers, paths), and files on disk.
"""

from __future__ import annotations

import ast
import builtins
import types
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from algodebug.slicing import sources
from algodebug.slicing.demands import Needs
from algodebug.slicing.instances import (
    ATTRIBUTE,
    DISPLAY,
    GLOBAL,
    ITEM,
    LIBRARY,
    PARAMETER,
    UNSET,
    WRITE,
    Activation,
    Called,
    Instance,
)
from algodebug.slicing.resolution import Objects, OfModule, Resolution
from algotrace.scopes import imports

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_WHAT = "calls of libraries"
_MOST_NODES = 1000  # activations looked into for who does something with one, where they are very many
# Modules whose objects have no such state, or of which other modules know more: iterators, views, functions.
_WITHOUT_STATE = frozenset(
    {"builtins", "types", "typing", "abc", "functools", "operator", "enum", "inspect", "itertools", "struct", "zoneinfo", "string", "collections.abc", "dataclasses"}
)  # fmt: skip
# Builtin functions that change nothing which they are given.
_READING = frozenset(
    {"len", "print", "isinstance", "issubclass", "repr", "str", "format", "id", "type", "hash", "bool", "callable", "hasattr", "getattr", "dir", "abs", "int", "float"}
)  # fmt: skip


_STATEFUL_MODULES = frozenset({"random"})  # functions of these depend on each other
# An object by its number; by the call that made it, where it must not be held (a file); what a module keeps, by a name.
Key = int | tuple[str, Any]
_ENVIRONMENT: Key = ("module", "environ")
_OF_ENVIRONMENT = frozenset({"environ", "getenv", "putenv", "unsetenv"})
_PLAIN = frozenset({"builtins", "collections", "array"})  # containers of these are looked into
_CONTAINERS = frozenset({"dict", "list", "set", "deque"})


# Classes of Python that say they are of `builtins`; classes in C of others may say so too.
_BUILTIN = frozenset(dir(builtins)) | {
    each.__name__ for each in vars(types).values() if isinstance(each, type)
}
_VIEWS = ("iterator", "_keys", "_values", "_items")


class Touched(NamedTuple):
    """What is done with all such objects in some activations."""

    by: dict[Key, list[Instance]]  # an object → who did something with it, in order of time
    tests: list[
        tuple[Instance, list[ast.expr | OfModule], list[Any]]
    ]  # that kept code from running: what that would be about


class _Done:
    """What is done with such objects, as it is found."""

    def __init__(self) -> None:
        self.by: dict[Key, list[Instance]] = {}
        self.given: dict[Key, set[Key]] = {}  # an object → others that belong to it, or it to them
        self.named: set[Key] = set()  # at once, by the call that made them
        self.methods: dict[
            str, set[Key]
        ] = {}  # a name → the objects of which a method of that name is a value
        self.unknown: list[tuple[Instance, str]] = []  # calls of a function of a name: it may be one of those

    def belong(self, key: Key, others: set[Key]) -> None:
        self.given.setdefault(key, set()).update(others - {key})


class _Kept:
    """The tests up to one, by the objects that they kept from being done something with."""

    def __init__(self) -> None:
        self.until = 0
        self.of_any: list[int] = []  # nobody knows with which
        self.by_object: dict[int, list[int]] = {}
        self.unnamed: list[int] = []  # with one that the trace does not name


class LibraryObjects:
    """Who did something with them, found when the first one is met."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._stateful: dict[int, bool] = {}
        self._touched: dict[tuple[int, int] | None, Touched] = {}
        self._kept: dict[tuple[int, int] | None, _Kept] = {}
        self._abouts: dict[
            tuple[int, ...], list[ast.expr | OfModule]
        ] = {}  # by the identities of pieces of code

    def is_stateful(self, number: int) -> bool:
        known = self._stateful.get(number)
        if known is None:
            row, known = self.graph.trace.row(number), False
            if type(row) is list and (row[0] == "instance" or row[0] in _CONTAINERS):
                name, module, is_own, *_ = self.graph.trace.type_of(row[1])
                if name == "partial" and self._changes_keywords():
                    module = ""  # it has a state: what its dict holds
                without = _WITHOUT_STATE if row[0] == "instance" else _PLAIN
                known = not is_own and (module not in without or _is_misnamed(name, module))
            self._stateful[number] = known
        return known

    def _changes_keywords(self) -> bool:
        """Whether the program may change what a `partial` was given: it has a dict of that."""
        return any(".keywords" in source.text for source in self.graph.trace.sources)

    def key_of(self, value: Instance) -> Key:
        """What tells such an object from others; 0 for other values."""
        return self.own_key_of(value) or self.own_key_of(self.graph.origin(value))

    def keys_of(self, value: Instance) -> set[Key]:
        """All that tells it: the trace may name an object only where it is handed on, and not where it is made.

        Of a method it is what tells its owner.
        """
        shown = self.graph.origin(value)
        found = {key for each in (value, shown) if (key := self.own_key_of(each))}
        if not found and shown.kind == ATTRIBUTE and shown.uses:
            owner = shown.uses[0]
            found = {key for each in (owner, self.graph.origin(owner)) if (key := self.own_key_of(each))}
        return found

    def _keys_in(self, value: Instance) -> set[Key]:
        """… of it, or of what is in it, as it is written."""
        shown = self.graph.origin(value)
        if shown.kind != DISPLAY:
            return self.keys_of(value)
        parts = shown.detail.values() if isinstance(shown.detail, dict) else shown.detail
        return {key for part in parts for key in self.keys_of(part)}

    def own_key_of(self, value: Instance) -> Key:
        """… without a look at what it is a copy of."""
        number, kind = self.graph.number(value), value.kind
        if number:
            if self.is_stateful(number):
                return number
            row = self.graph.trace.row(number)
            is_of_module = type(row) is list and row[0] == "module"
            return ("module", row[1]) if is_of_module and row[1] in _STATEFUL_MODULES else 0
        if kind == LIBRARY and isinstance(value.detail, Called):
            if value.detail.name in _OF_ENVIRONMENT:
                return _ENVIRONMENT
            return ("made", id(value)) if self._may_be_stateful(value, value.detail) else 0
        if kind == ATTRIBUTE and value.detail in _OF_ENVIRONMENT:
            return _ENVIRONMENT
        return self._module_of(value) if kind == GLOBAL else 0

    def _module_of(self, name: Instance) -> Key:
        """The module that a name is of, or that has what it is imported from."""
        text = self.graph.trace.sources[name.activation.source].text
        module, _ = imports(text).get(name.detail, ("", ""))
        return ("module", module) if module in _STATEFUL_MODULES else 0

    def _kept_together(self, made: Instance) -> Key:
        """What stands for all that a module keeps and hands out, where a call gave one of these: `getLogger(name)`."""
        if made.kind != LIBRARY or not isinstance(made.detail, Called) or made.detail.function is None:
            return 0
        function = made.detail.receiver or made.detail.function
        if not made.detail.name.startswith("get") or function.kind != GLOBAL:
            return 0
        text = self.graph.trace.sources[function.activation.source].text
        module, _ = imports(text).get(function.detail, ("", ""))
        return ("kept", module) if module else 0

    def _may_be_stateful(self, made: Instance, called: Called) -> bool:
        """Whether a call gave something that the trace does not name: a file, or another object that must not be held."""
        if self.graph.value(made) is not UNSET:
            return False
        return called.name == "open" or not self.graph.is_builtin(made.activation, called.function)

    def looked_up(self, needs: Needs, made: Instance, called: Called) -> None:
        """What a call of a function depends on that looks at what its module keeps."""
        if key := self._kept_by_module(called):
            self.done_before(needs, key, made.time)

    def _kept_by_module(self, called: Called) -> Key:
        if called.name in _OF_ENVIRONMENT:
            return _ENVIRONMENT
        function = called.function
        return self._module_of(function) if function is not None and function.kind == GLOBAL else 0

    def done_before(self, needs: Needs, key: Key, time: int) -> None:
        """What was done with an object until some time, and what decided that no more was."""
        touched = self._find()
        done = touched.by.get(key, [])
        for at in needs.covered.rest(("done with", key), 0, bisect_right(done, time, key=_time_of)):
            needs.reached(done[at])
            needs.whole((done[at],), done[at].time)
        if not needs.relevant:
            return
        end = bisect_right(touched.tests, time, key=lambda each: each[0].time)
        kept = self._kept_up_to(end)
        # Where the trace does not name it, it does not name what it would have been done to either.
        own = kept.by_object.get(key, []) if isinstance(key, int) else kept.unnamed
        for whose, positions in (("any", kept.of_any), (key if isinstance(key, int) else "unnamed", own)):
            last = bisect_left(positions, end)
            for row in needs.covered.stretches(("kept from doing", whose), 0, last):
                needs.which(touched.tests[at][0] for at in positions[row.start : row.stop])

    def _kept_up_to(self, end: int) -> _Kept:
        """The tests, by what they kept from being done something with."""
        kept = self._kept.setdefault(self.graph.inside, _Kept())
        for at in range(kept.until, end):
            self.graph.step_on()
            objects, is_any_unnamed = self._objects_of(at)
            if objects is None:
                kept.of_any.append(at)
            else:
                for number in objects:
                    kept.by_object.setdefault(number, []).append(at)
                if is_any_unnamed:
                    kept.unnamed.append(at)
            kept.until = at + 1
        return kept

    def _objects_of(self, at: int) -> tuple[Objects, bool]:
        """The objects that code which a test kept from running would have done something with; whether of an expression
        none is known."""
        test, about, unrun = self._find().tests[at]
        return _all_reachable(Resolution(self.graph, test, unrun), about)

    def _about_all(self, unrun: list[Any]) -> list[ast.expr | OfModule]:
        """… of some pieces of code, each expression once; found once for each such list of pieces."""
        key = tuple(map(id, unrun))
        known = self._abouts.get(key)
        if known is None:
            about = dict.fromkeys(each for piece in unrun for each in self._about(piece))
            # What is told at once comes first.
            known = self._abouts[key] = sorted(about, key=lambda each: not isinstance(each, OfModule))
        return known

    def _find(self) -> Touched:
        inside = self.graph.inside
        if inside in self._touched:
            self.graph.recall(_WHAT, inside)
            return self._touched[inside]
        done, tests = _Done(), list[tuple[Instance, list[ast.expr | OfModule], list[Any]]]()
        for activation in self.graph.activations_of(inside, self._may_touch, _MOST_NODES, _WHAT):
            if activation is None:
                break
            for part in _with_inlines(activation):
                called = {
                    id(made.detail.function) for made in part.instances if isinstance(made.detail, Called)
                }
                for made in part.instances:
                    self.graph.step_on()
                    self._note(done, made, id(made) in called)
                for test, unrun in part.tests:
                    about = self._about_all(unrun)
                    if about:
                        tests.append((test, about, unrun))
        tests.sort(key=lambda each: each[0].time)
        for made, name in done.unknown:
            for key in done.methods.get(name, set()):
                done.by.setdefault(key, []).append(made)
        _link_unnamed(done.by, done.given, done.named)
        self._touched[inside] = Touched(_with_given(done.by, done.given), tests)
        return self._touched[inside]

    def _note(self, done: _Done, made: Instance, is_called: bool) -> None:
        """What an instance does with such objects, and which of them belong to each other."""
        if made.kind == LIBRARY and (number := self.graph.number(made)):
            done.named.add(number)
        mine = self.keys_of(made)
        touched = set[Key]().union(*self._touched_by(made))
        for key in touched:
            done.by.setdefault(key, []).append(made)
            done.belong(key, touched | mine)  # a handler that a logger is given, it will write to
        if mine and (module := self._kept_together(made)):  # loggers have handlers of others
            for key in mine:
                done.belong(key, {module})
            done.belong(module, mine)
        if made.kind == WRITE:
            for put in (*made.deep, *([made.copy] if made.copy is not None else [])):
                mine = mine | self._keys_in(put)
        if made.kind in (ATTRIBUTE, ITEM, WRITE) and mine:
            for owner in made.uses[:1]:  # a name that is bound has none
                mine = mine | self.keys_of(owner)
        for key in mine if made.kind in (PARAMETER, WRITE, ATTRIBUTE, ITEM) else ():
            done.belong(key, mine)
        if made.kind == ATTRIBUTE and mine and not is_called:
            done.methods.setdefault(made.detail, set()).update(mine)
        if made.kind == LIBRARY and isinstance(made.detail, Called) and (function := made.detail.function):
            row = self.graph.row_of(function)
            if function.kind != ATTRIBUTE and type(row) is list and row[0] == "function":
                done.unknown.append((made, str(row[1]).rpartition(".")[2]))

    def _may_touch(self, routine: int) -> bool:
        return any(map(_may_touch, sources.own_statements(self.graph.files.code_of(routine))))

    def _touched_by(self, made: Instance) -> Iterator[set[Key]]:
        """The objects that an instance does something with, each by all that tells it."""
        if made.kind == WRITE:
            values = made.uses[:1]
        elif made.kind == LIBRARY and isinstance(made.detail, Called):
            called = made.detail
            if called.name in _READING and called.receiver is None and not called.keywords:
                return
            values = [value for _, value in (*called.arguments, *called.keywords)]
            values += [each for each in (called.receiver, called.function) if each is not None]
            if key := self._kept_by_module(called):
                yield {key}
                return
        else:
            return
        yield from filter(None, map(self.keys_of, values))

    def _about(self, piece: Any) -> Iterator[ast.expr | OfModule]:
        """The expressions for what a piece of code would do something with."""
        for node in self.graph.files.parts(piece):
            if isinstance(node, ast.Lambda):
                yield from self._about(node.body)
            if not _may_touch(node):
                continue
            if isinstance(node, ast.Call):
                yield from sources.given(node)
                inner = self.graph.files.effects_of_calls(sources.last_name(node.func))
                if inner is not None:  # what its functions read of others
                    yield from (OfModule(*each) for each in inner.globals)
            owner = node.func if isinstance(node, ast.Call) else node
            if isinstance(owner, (ast.Attribute, ast.Subscript)):
                yield owner.value


def _all_reachable(resolution: Resolution, about: list[ast.expr | OfModule]) -> tuple[Objects, bool]:
    """What can be reached from some expressions together; whether from one of them nothing can. None: any object."""
    found, is_any_empty = set[int](), False
    for each in about:
        objects = resolution.reachable(each)
        if objects is None:
            return None, True  # the others cannot add to it
        found |= objects
        is_any_empty = is_any_empty or not objects
    return frozenset(found), is_any_empty


def _may_touch(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return sources.last_name(node.func) not in _READING or any(
            each.arg == "file" for each in node.keywords
        )
    return isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load)


def _link_unnamed(by: dict[Key, list[Instance]], given: dict[Key, set[Key]], named: set[Key]) -> None:
    """An object that the trace never names where it is known what made it may be any that it names elsewhere."""
    linked = {other for key, others in given.items() if _is_made(key) for other in others}
    free = {key for key in by if type(key) is int and key not in named and key not in linked}
    for key in by if free else ():
        others = given.setdefault(key, set()) if _is_made(key) else free
        if not any(type(other) is int for other in others):
            others |= free
            for other in free:
                given.setdefault(other, set()).add(key)


def _is_made(key: Key) -> bool:
    return type(key) is tuple and key[0] == "made"


def _with_given(by: dict[Key, list[Instance]], given: dict[Key, set[Key]]) -> dict[Key, list[Instance]]:
    """What was done with an object, and with what calls gave that it was done with."""
    found: dict[Key, list[Instance]] = {}
    for key in by:
        keys, todo = {key}, [key]
        while todo:
            more = given.get(todo.pop(), set()) - keys
            keys |= more
            todo += more
        done = {id(made): made for each in keys for made in by.get(each, ())}
        found[key] = sorted(done.values(), key=_time_of)
    return found


def _with_inlines(activation: Activation) -> Iterator[Activation]:
    yield activation
    for inner in activation.inlines:
        yield from _with_inlines(inner)


def _time_of(made: Instance) -> int:
    return made.time


def _is_misnamed(name: str, module: str) -> bool:
    """Whether a class does not say of which module it is."""
    return module == "builtins" and name not in _BUILTIN and not name.endswith(_VIEWS)
