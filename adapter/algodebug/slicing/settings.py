"""What modules of libraries keep, and who changes it: `decimal.getcontext().prec = 4`, `csv.field_size_limit(9)`.

Such a setting is handed to nobody: what a module's functions give, and what is done with objects of its classes, depends on
what was set before. Told by the text: a function of the module that is called for what it does, with nothing it could do that
to; or one that is named after it, `set…`; or an attribute of an object that one named `get…` gave. What `random` keeps is
told by `library_objects`.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from algodebug.slicing import sources
from algodebug.slicing.demands import Needs
from algodebug.slicing.instances import (
    ATTRIBUTE,
    GLOBAL,
    LIBRARY,
    NAME,
    OPERATION,
    UNSET,
    WRITE,
    Activation,
    Called,
    Instance,
)
from algotrace.scopes import imports

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_MOST_NODES = 1000  # activations looked into for who sets something
_DEEPEST = 4  # operators in operators
# Modules that keep nothing, or of which other modules know more.
_KEEPING_NOTHING = frozenset(
    {"abc", "bisect", "builtins", "collections", "contextlib", "contextvars", "copy", "dataclasses", "enum", "functools", "heapq", "inspect", "itertools", "json", "math", "operator", "pickle", "random", "shutil", "types", "typing", "unittest", "pytest", "asyncio", "threading", "queue"}
)  # fmt: skip
_SETTING = ("set", "reset", "register", "unregister", "enable", "disable", "filterwarnings", "simplefilter")
_LIMITS = ("limit", "config")
_GIVING = ("get", "local", "current")  # what functions named so give, a module keeps
_FOR_A_WHILE = ("local", "catch")
# Objects of these are changed by who is given them.
_CHANGED = frozenset({"list", "dict", "set", "deque", "bytearray", "generator", "based"})


class Text(NamedTuple):
    """What the text of a program does with settings of one module."""

    calls: set[int]  # identities of calls that may set something
    stores: bool  # whether it gets hold of an object that the module keeps
    functions: set[str]  # the names of functions that may set something


class Settings:
    """Who sets something in modules of libraries, found when one of these is met."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._texts: dict[str, Text] | None = None  # by module
        self._done: dict[tuple[tuple[int, int] | None, str], list[Instance]] = {}
        self._tests: dict[tuple[tuple[int, int] | None, str], list[Instance]] = {}

    def before(self, needs: Needs, module: str, time: int) -> None:
        """What was set in a module until a time, and what decided that no more was."""
        self._find(module)
        done, tests = (found[self.graph.inside, module] for found in (self._done, self._tests))
        for at in needs.covered.rest(("set", module), 0, bisect_right(done, time, key=_time_of)):
            needs.reached(done[at])
            needs.whole((done[at],), done[at].time)
        if needs.relevant:
            end = bisect_right(tests, time, key=_time_of)
            needs.which(tests[at] for at in needs.covered.rest(("kept from setting", module), 0, end))

    def called(self, needs: Needs, called: Called, time: int) -> None:
        """What a call depends on that is one of a module's functions."""
        if self._kept() and called.function is not None and (module := self._module_of(called.function)):
            self.before(needs, module, time)

    def looked_at(self, needs: Needs, value: Instance, time: int) -> None:
        """What an object of a module's class gives then."""
        if self._kept() and (module := self._module_of_type(value)):
            self.before(needs, module, time)

    def computed(self, needs: Needs, made: Instance) -> None:
        """What an operator gave that was asked of objects of a module's class."""
        for module in self._modules_in(made, _DEEPEST) if self._kept() else ():
            self.before(needs, module, made.time)

    # -- by the text

    def _kept(self) -> dict[str, Text]:
        """What the program does with settings, for the modules of which it sets any."""
        if self._texts is None:
            self._texts = found = dict[str, Text]()
            own = {name.partition(".")[0] for name in self.graph.trace.modules}
            for file, text in self.graph.files.with_texts():
                names = {
                    name: module
                    for name, (module, _) in imports(text).items()
                    if module and module.partition(".")[0] not in _KEEPING_NOTHING | own and module[0] != "."
                }
                if names:
                    self._read(file.nodes, names, found)
        return self._texts

    def _read(self, nodes: list[ast.AST], names: dict[str, str], found: dict[str, Text]) -> None:
        alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        managers = {
            id(item.context_expr)
            for node in nodes
            if isinstance(node, (ast.With, ast.AsyncWith))
            for item in node.items
        }
        setting, giving = dict[int, str](), set[str]()
        for node in nodes:
            if not isinstance(node, ast.Call) or (module := names.get(_root(node.func))) is None:
                continue
            name = sources.last_name(node.func)
            is_named = _is_setting(name) and bool(node.args or node.keywords)
            is_for_a_while = id(node) in managers and name.startswith(_FOR_A_WHILE)
            if is_named or is_for_a_while or id(node) in alone:
                setting[id(node)] = module
            if name.startswith(_GIVING):
                giving.add(module)
        for module in {*setting.values(), *giving}:
            known = found.setdefault(module, Text(set(), False, set()))
            calls = {key for key, of in setting.items() if of == module}
            functions = {
                getattr(code, "name", "")
                for code in nodes
                if isinstance(code, sources.Function)
                for part in sources.own_statements(code)
                if id(part) in calls or (module in giving and _stores(part))
            }
            found[module] = Text(
                known.calls | calls, known.stores or module in giving, known.functions | functions
            )
        for module in [each for each, text in found.items() if not text.calls and not text.functions]:
            del found[module]

    # -- in the run

    def _find(self, module: str) -> None:
        key = self.graph.inside, module
        what = f"settings of {module}"
        if key in self._done:
            self.graph.recall(what, self.graph.inside)
            return
        self._done[key], self._tests[key] = [], []
        text, done, tests = self._kept()[module], list[Instance](), list[Instance]()

        def may_set(routine: int) -> bool:
            code = self.graph.files.code_of(routine)
            return any(self._may_set(part, text) for part in sources.own_statements(code))

        for activation in self.graph.activations_of(self.graph.inside, may_set, _MOST_NODES, what):
            if activation is None:
                break
            for part in _with_inlines(activation):
                done += [made for made in part.instances if self._sets(made, module, text)]
                tests += [
                    test
                    for test, unrun in part.tests
                    if any(
                        self._may_set(each, text) for piece in unrun for each in self.graph.files.parts(piece)
                    )
                ]
        self._done[key] = sorted(done, key=_time_of)
        self._tests[key] = sorted(tests, key=_time_of)

    def _may_set(self, part: ast.AST, text: Text) -> bool:
        if isinstance(part, ast.Call):
            return id(part) in text.calls or sources.last_name(part.func) in text.functions
        return text.stores and _stores(part)

    def _sets(self, made: Instance, module: str, text: Text) -> bool:
        if made.kind == LIBRARY and id(made.node) in text.calls and isinstance(made.detail, Called):
            values = [value for _, value in (*made.detail.arguments, *made.detail.keywords)]
            return _is_setting(made.detail.name) or not any(map(self._may_be_changed, values))
        if made.kind != WRITE or not text.stores or not made.uses:
            return False
        return self._module_of_type(made.uses[0]) == module or any(
            self._gives(each, module) for each in (made.uses[0], self.graph.origin(made.uses[0]))
        )

    def _gives(self, made: Instance, module: str) -> bool:
        """Whether something is an object that a module keeps, and has handed out."""
        if made.kind != LIBRARY or not isinstance(made.detail, Called) or made.detail.function is None:
            return False
        return made.detail.name.startswith(_GIVING) and self._module_of(made.detail.function) == module

    def _may_be_changed(self, value: Instance) -> bool:
        """Whether a function may have been called to change what it was given."""
        if self.graph.value(value) is not UNSET:
            return False
        row = self.graph.row_of(value)
        if type(row) is not list:
            return not row and self.graph.origin(value).kind not in (GLOBAL, ATTRIBUTE, OPERATION)
        return row[0] in _CHANGED or (row[0] == "instance" and bool(self.graph.trace.type_of(row[1])[2]))

    def _module_of(self, function: Instance) -> str:
        """The module, of those that keep something, that has a function by the text."""
        shown = function.uses[0] if function.kind == ATTRIBUTE and function.uses else function
        if shown.kind == NAME:
            shown = self.graph.origin(shown)
        if shown.kind != GLOBAL:
            return ""
        module, _ = imports(self.graph.trace.sources[shown.activation.source].text).get(
            shown.detail, ("", "")
        )
        return module if module in self._kept() else ""

    def _module_of_type(self, value: Instance) -> str:
        row = self.graph.row_of(value)
        if type(row) is not list or row[0] not in ("instance", "textual"):
            return ""
        _, module, is_own, *_ = self.graph.trace.type_of(row[1])
        module = "" if is_own else module
        return next((each for each in (module, module.lstrip("_")) if each in self._kept()), "")

    def _modules_in(self, made: Instance, depth: int) -> Iterator[str]:
        for part in (*made.uses, *made.deep) if depth else ():
            if module := self._module_of_type(part):
                yield module
                continue
            shown = self.graph.origin(part)
            if (
                shown.kind == LIBRARY
                and isinstance(shown.detail, Called)
                and shown.detail.function is not None
            ):
                if module := self._module_of(shown.detail.function):
                    yield module
            elif shown.kind == OPERATION:
                yield from self._modules_in(shown, depth - 1)


def _is_setting(name: str) -> bool:
    return name.startswith(_SETTING) or any(part in name.lower() for part in _LIMITS)


def _stores(part: ast.AST) -> bool:
    return isinstance(part, (ast.Attribute, ast.Subscript)) and not isinstance(part.ctx, ast.Load)


def _root(function: ast.expr) -> str:
    """The name of the module, or of its function, that is called: `csv` of `csv.reader`."""
    shown = function.value if isinstance(function, ast.Attribute) else function
    return shown.id if isinstance(shown, ast.Name) else ""


def _with_inlines(activation: Activation) -> Iterator[Activation]:
    yield activation
    for inner in activation.inlines:
        yield from _with_inlines(inner)


def _time_of(made: Instance) -> int:
    return made.time
