"""Source files as syntax trees, and what pieces of them could do: assign, store, leave.

Columns are counted in characters, as everywhere in a trace. Nothing is compiled or run.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from algotrace.syntax import bound_by

if TYPE_CHECKING:
    from algotrace.trace import Trace

Place = tuple[int, int, int, int]
Scope = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
Comprehension = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

# Functions that change their first argument.
MUTATING_FUNCTIONS = frozenset(
    {
        "heappush", "heappop", "heapify", "heapreplace", "heappushpop", "insort", "insort_left", "insort_right", "shuffle",
        "setattr", "delattr",
    }
)  # fmt: skip
MUTATORS = frozenset(
    [
        "append",
        "extend",
        "insert",
        "pop",
        "remove",
        "clear",
        "sort",
        "reverse",
        "update",
        "setdefault",
        "popitem",
        "add",
        "discard",
        "appendleft",
        "popleft",
        "extendleft",
        "rotate",
        "difference_update",
        "intersection_update",
        "symmetric_difference_update",
        "move_to_end",
        "heappush",
        "heappop",
        "heapify",
        "heapreplace",
        "heappushpop",
        "insort",
        "insort_left",
        "insort_right",
        "shuffle",
        "setattr",
        "delattr",
        "write",
        "writelines",
    ]
)
_TRIES: Any = (ast.Try, ast.TryStar) if hasattr(ast, "TryStar") else ast.Try
_BUILTINS = frozenset(dir(builtins))
_CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__"})
_KEEPING_SIZE = frozenset({"sort", "reverse", "rotate", "move_to_end", "heapify", "heapreplace", "heappushpop", "shuffle", "setattr", "delattr", "write", "writelines"})  # fmt: skip
RETURN, RAISE, BREAK, CONTINUE = "return", "raise", "break", "continue"


# Builtins that call nothing that they are given.
_CALLING_NOTHING = frozenset({"len", "range", "print", "str", "repr", "int", "float", "bool", "isinstance", "abs", "ord", "chr", "get", "items", "keys", "values", "join", "split", "format", "sum", "enumerate", "zip", "reversed", "round", "divmod", "setattr", "getattr", "super", "replace", "upper", "count", "index", "find", "startswith", "copy"})  # fmt: skip


class SourceFile:
    """One file's syntax tree, and its functions and lambdas by where they start."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        lines = text.split("\n")
        self._wide = {n for n, line in enumerate(lines, 1) if not line.isascii()}
        self._lines = lines
        self.functions: dict[tuple[int, int], Any] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, Scope):
                self.functions[node.lineno, self.column(node.lineno, node.col_offset)] = node

    def column(self, line: int, offset: int) -> int:
        if line not in self._wide:
            return offset
        return len(self._lines[line - 1].encode()[:offset].decode(errors="replace"))

    def place(self, node: Any) -> Place:
        """Line, column, end line, end column."""
        if not self._wide:
            return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
        return (
            node.lineno,
            self.column(node.lineno, node.col_offset),
            node.end_lineno,
            self.column(node.end_lineno, node.end_col_offset),
        )

    def text(self, line: int) -> str:
        return self._lines[line - 1] if 0 < line <= len(self._lines) else ""


Binding = tuple[ast.expr, bool]  # what a name is bound to, and whether to an element of that


def own_parts(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is inside it, but for the bodies of functions and classes defined there."""
    todo: list[ast.AST] = [node]
    while todo:
        part = todo.pop()
        yield part
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
            todo += [*part.decorator_list, *part.args.defaults, *(d for d in part.args.kw_defaults if d)]
        elif isinstance(part, ast.Lambda):
            todo += [*part.args.defaults, *(d for d in part.args.kw_defaults if d)]
        else:
            todo.extend(ast.iter_child_nodes(part))


def bindings(parts: Iterable[ast.AST]) -> dict[str, list[Binding | None]]:
    """Name → what some code would bind it to; with None among that where it does so in a way not looked into."""
    found: dict[str, list[Binding | None]] = {}
    bound: Counter[str] = Counter()
    for node in parts:
        bound.update(dict.fromkeys(bound_by(node), 1))
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.For, ast.AugAssign, ast.NamedExpr)):
            for name, binding in _bindings_by(node):
                found.setdefault(name, []).append(binding)
    for name, count in bound.items():
        if count != len(found.get(name, ())):
            found.setdefault(name, []).append(None)
    return found


def _bindings_by(node: Any) -> Iterator[tuple[str, Binding]]:
    value = getattr(node, "iter", None) or getattr(node, "value", None)
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        if isinstance(target, ast.Name) and value is not None:
            yield target.id, (value, isinstance(node, (ast.For, ast.AugAssign)))
        elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(node, ast.Assign):
            yield from ((part.id, (node.value, True)) for part in target.elts if isinstance(part, ast.Name))


def names_bound(body: Iterable[ast.AST]) -> set[str]:
    """Names that a suite binds in its own scope."""
    names: set[str] = set()
    for statement in body:
        for node in own_parts(statement):
            names.update(bound_by(node))
    return names


def parameters(arguments: ast.arguments) -> list[str]:
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    if arguments.vararg:
        names.append(arguments.vararg.arg)
    names += [a.arg for a in arguments.kwonlyargs]
    if arguments.kwarg:
        names.append(arguments.kwarg.arg)
    return names


class NameScope:
    """Which names of a function are its own, which are global or of a function around it."""

    def __init__(self, node: Any) -> None:
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        for statement in body:
            for part in own_parts(statement):
                if isinstance(part, ast.Global):
                    self.globals.update(part.names)
                elif isinstance(part, ast.Nonlocal):
                    self.nonlocals.update(part.names)
        given = parameters(node.args) if isinstance(node, Function) else []
        self.locals = (names_bound(body) | set(given)) - self.globals - self.nonlocals


class Effects:
    """What a piece of code could do if it ran: all of it, on any path."""

    __slots__ = ("attributes", "calls", "exits", "globals", "handed", "items", "names", "outer", "resizes")

    def __init__(self) -> None:
        self.names: set[str] = set()  # that it could bind
        self.outer: set[str] = (
            set()
        )  # … of those the ones of modules and functions around the functions it calls
        self.attributes: set[str] = set()  # that it could store
        self.items = False  # whether it could change a container
        self.resizes = False  # … and how many elements a list has
        self.exits: set[str] = set()
        self.calls: set[str] = set()  # last parts of what it calls
        self.handed = False  # … by functions without a name, who knows to what
        self.globals: set[tuple[int, str]] = set()  # (source, name) of others that it reads

    def names_of_others(self, scope: NameScope, is_module: bool) -> set[str]:
        """Names that it could bind where other functions look them up."""
        if is_module:
            return self.names
        return self.outer | (self.names & (scope.globals | scope.nonlocals))

    def add(self, other: Effects) -> None:
        self.names |= other.names
        self.attributes |= other.attributes
        self.items = self.items or other.items
        self.resizes = self.resizes or other.resizes
        self.calls |= other.calls


def exits(body: Iterable[ast.AST]) -> frozenset[str]:
    """How a suite could be left, other than by running to its end: seen from outside it."""
    found: set[str] = set()
    todo: list[tuple[ast.AST, bool]] = [(statement, False) for statement in body]
    while todo:
        node, looped = todo.pop()
        if isinstance(node, ast.Return):
            found.add(RETURN)
        elif isinstance(node, (ast.Raise, ast.Assert)):
            found.add(RAISE)
        elif isinstance(node, ast.Break):
            if not looped:
                found.add(BREAK)
        elif isinstance(node, ast.Continue):
            if not looped:
                found.add(CONTINUE)
        elif isinstance(node, (ast.For, ast.While, ast.AsyncFor)):
            todo += [(part, True) for part in node.body]
            todo += [(part, looped) for part in node.orelse]
        elif isinstance(node, ast.stmt) and not isinstance(node, Scope):
            todo += [(part, looped) for part in ast.iter_child_nodes(node) if not isinstance(part, ast.expr)]
        elif isinstance(node, (ast.ExceptHandler, ast.match_case)):
            todo += [(part, looped) for part in node.body]
    return frozenset(found)


def effects(parts: Iterable[ast.AST]) -> Effects:
    """What is written in the text itself; `SourceFiles.effects` adds what the functions it calls could do."""
    found = Effects()
    for piece in parts:
        for node in own_parts(piece):
            if isinstance(node, ast.Attribute):
                if not isinstance(node.ctx, ast.Load):
                    found.attributes.add(node.attr)
            elif isinstance(node, ast.Subscript):
                if not isinstance(node.ctx, ast.Load):
                    found.items = True
                    if isinstance(node.ctx, ast.Del) or isinstance(node.slice, ast.Slice):
                        found.resizes = True
            elif isinstance(node, ast.Call):
                name = last_name(node.func)
                if name in MUTATORS:
                    found.items = True
                    if name not in _KEEPING_SIZE:
                        found.resizes = True
                    if name in ("setattr", "delattr"):
                        found.attributes.add("*")
                found.calls.add(name)
                # Functions that are handed over may be called.
                found.calls |= {last_name(part) for part in given(node)} - {""}
            elif isinstance(node, ast.AugAssign) and may_change_in_place(node):
                found.items = found.resizes = True
        found.names |= names_bound([piece])
    found.exits = set(exits(parts))
    return found


def given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


# Of the functions that some code could call in the end, so many are looked at, the nearest first: in a large program,
# where a call is known by its name alone, nearly all of it could be reached from anywhere.
_MOST_CALLED = 100
_FEW_FILES = 50
_DEFINED = re.compile(r"\b(?:def|class)\s+(\w+)")


def may_change_in_place(node: ast.AugAssign) -> bool:
    """Whether `x += …` could change an object: with a number it could not."""
    return not is_number(node.value)


def is_number(node: ast.expr) -> bool:
    """Whether an expression gives a number, whatever is in it."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float, complex))
    if isinstance(node, ast.BinOp) and isinstance(
        node.op, (ast.Add, ast.Sub, ast.Div, ast.FloorDiv, ast.Pow)
    ):
        return is_number(node.left) or is_number(node.right)
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("len", "ord")


def scalar_names(code: Any) -> frozenset[str]:
    """Names of a function's own that it binds to numbers and texts alone, before it adds to them."""
    scalar, bound = Counter[str](), Counter[str]()
    body = [code.body] if isinstance(code, ast.Lambda) else code.body
    for statement in body:
        for part in own_parts(statement):
            bound.update(bound_by(part))
            if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
                scalar[part.target.id] += 1
            elif isinstance(part, ast.Assign) and _is_scalar(part.value):
                scalar.update(target.id for target in part.targets if isinstance(target, ast.Name))
    given = parameters(code.args) if isinstance(code, Function) else ()
    return frozenset(name for name, count in bound.items() if scalar[name] == count and name not in given)


def _is_scalar(node: ast.expr) -> bool:
    return (
        is_number(node)
        or isinstance(node, ast.JoinedStr)
        or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))
    )


def last_name(function: ast.AST) -> str:
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def caught(handlers: list[Any]) -> frozenset[str]:
    """The names of what the handlers catch; empty where that may be anything."""
    names: set[str] = set()
    for handler in handlers:
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        names |= {"" if kind is None else last_name(kind) for kind in kinds}
    return frozenset() if names & {"", "Exception", "BaseException"} else frozenset(names)


def _may_be_named(call: ast.Call, name: str) -> bool:
    """Whether a call may run a function of a name: by that name, by a variable or as a callback."""
    return (
        last_name(call.func) == name
        or any(last_name(part) == name for part in call.args)
        or isinstance(call.func, ast.Name)
    )


class SourceFiles:
    """The files of a trace, parsed when they are needed."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._files: dict[int, SourceFile | None] = {}
        self._scopes: dict[Any, NameScope] = {}
        self._effects: dict[tuple[int, ...], Effects] = {}
        self._call_names: dict[Any, frozenset[str]] = {}
        self._of_calls: dict[str, Effects] = {}
        self._parts: dict[int, list[ast.AST]] = {}  # by the identity of a node of a file's tree
        self._bindings: dict[int, dict[str, list[Binding | None]]] = {}
        self._of_names: dict[str, Effects | None] = {}
        self._foreign_names: dict[Any, frozenset[tuple[int, str]]] = {}
        self._source_of: dict[Any, int] = {}  # of functions that were looked up by name
        self._by_name: dict[str, list[Any]] = {}
        self._defined: dict[str, list[int]] | None = None
        self._lazy: dict[int, set[int]] = {}
        self._blocks: dict[int, dict[tuple[str, Place], list[int]]] = {}
        self._bound_by_inner: dict[Any, frozenset[str]] = {}
        self._handed: Effects | None = None
        self._of_properties: frozenset[str] | None = None
        self._caught: dict[tuple[Any, str], list[frozenset[str]]] = {}
        self._slots: dict[int, dict[tuple[str, Place], None]] = {}
        self.loops: dict[
            int, ast.For | None
        ] = {}  # by the identity of a call or comprehension, see `each_element`

    def __getitem__(self, source: int) -> SourceFile | None:
        if source not in self._files:
            try:
                self._files[source] = SourceFile(self._trace.sources[source].text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                self._files[source] = None
        return self._files[source]

    def code_of(self, routine: int) -> Any:
        """The definition a routine stands for; None where it cannot be found."""
        made = self._trace.routines[routine]
        file = self[made.source]
        if file is None:
            return None
        return file.tree if made.kind == "module" else file.functions.get((made.line, made.column))

    def scope(self, node: Any) -> NameScope:
        if node not in self._scopes:
            self._scopes[node] = NameScope(node)
        return self._scopes[node]

    def caught_around(self, code: Any, name: str) -> list[frozenset[str]]:
        """What the handlers catch of each `try` in some code around what may be a call by a name."""
        key = (code, name)
        if key not in self._caught:
            found = self._caught[key] = []
            body = [] if code is None or isinstance(code, ast.Lambda) else code.body
            own = (part for statement in body for part in self.parts(statement))
            for part in [part for part in own if isinstance(part, _TRIES) and part.handlers]:
                inside = [inner for statement in part.body for inner in self.parts(statement)]
                if name.startswith("__") or any(
                    isinstance(inner, ast.Call) and _may_be_named(inner, name) for inner in inside
                ):
                    found.append(caught(part.handlers))
        return self._caught[key]

    def bound_by_inner(self, code: Any) -> frozenset[str]:
        """The names that functions defined in some code declare to be its own, to bind them."""
        if code not in self._bound_by_inner:
            self._bound_by_inner[code] = frozenset(
                name for part in ast.walk(code) if isinstance(part, ast.Nonlocal) for name in part.names
            )
        return self._bound_by_inner[code]

    def calls_in(self, node: ast.AST) -> frozenset[str]:
        """The last parts of what an expression calls."""
        return frozenset(last_name(part.func) for part in self.parts(node) if isinstance(part, ast.Call))

    def call_names(self, code: Any) -> frozenset[str]:
        """The last parts of what some code calls."""
        if code not in self._call_names:
            body = [code.body] if isinstance(code, ast.Lambda) else code.body
            self._call_names[code] = frozenset(
                last_name(part.func)
                for statement in body
                for part in own_parts(statement)
                if isinstance(part, ast.Call)
            )
        return self._call_names[code]

    def blocks(self, source: int) -> dict[tuple[str, Place], list[int]]:
        """(kind, place of the statement) → its blocks, in order of the text."""
        self._tables(source)
        return self._blocks[source]

    def slots(self, source: int) -> dict[tuple[str, Place], None]:
        """(role, place) of what leaves a value in the stream."""
        self._tables(source)
        return self._slots[source]

    def lazy_blocks(self, source: int) -> set[int]:
        """Blocks of generator expressions: they run whenever somebody asks for an element."""
        if source not in self._lazy:
            file, found = self[source], set[int]()
            for node in ast.walk(file.tree) if file is not None else ():
                if isinstance(node, ast.GeneratorExp):
                    for part in ast.walk(node):
                        if isinstance(part, ast.expr) and file is not None:
                            found.update(self.blocks(source).get(("arm", file.place(part)), ()))
            self._lazy[source] = found
        return self._lazy[source]

    def _tables(self, source: int) -> None:
        if source in self._blocks:
            return
        blocks = self._blocks[source] = {}
        slots = self._slots[source] = {}
        for number, block in self._trace.blocks_of(source):
            if block.of is not None:
                place = (block.of[0], block.of[1], block.of[2], block.of[3])
                blocks.setdefault((block.kind, place), []).append(number)
            for role, _, at in block.slots:
                slots[role, (at[0], at[1], at[2], at[3])] = None

    def parts(self, piece: ast.AST) -> list[ast.AST]:
        """Its `own_parts`, found once."""
        known = self._parts.get(id(piece))
        if known is None:
            known = self._parts[id(piece)] = list(own_parts(piece))
        return known

    def bindings(self, piece: ast.AST) -> dict[str, list[Binding | None]]:
        known = self._bindings.get(id(piece))
        if known is None:
            known = self._bindings[id(piece)] = bindings(self.parts(piece))
        return known

    def effects(self, parts: list[ast.AST]) -> Effects:
        """What some code could do, the functions of the program that it could call included."""
        key = tuple(id(part) for part in parts)
        known = self._effects.get(key)
        if known is not None:
            return known
        total = self._effects[key] = effects(parts)
        own_names = set(total.names)  # what callees bind is theirs, unless they say otherwise
        seen = set(total.calls)
        todo = deque(sorted(total.calls))
        followed = 0
        while todo and followed < _MOST_CALLED:
            called = self._of_name(todo.popleft())
            if called is None:
                continue
            followed += 1
            total.attributes |= called.attributes
            total.items = total.items or called.items
            total.resizes = total.resizes or called.resizes
            own_names |= called.names
            total.outer |= called.names
            total.globals |= called.globals
            todo += sorted(called.calls - seen)
            seen |= called.calls
        total.names = own_names
        if (
            any(name in _BUILTINS or not self.named(name) for name in seen)
            and seen - MUTATORS - _CALLING_NOTHING
        ):
            handed = self._of_handed()
            total.attributes |= handed.attributes
            total.items = total.items or handed.items
            total.resizes = total.resizes or handed.resizes
            total.names |= handed.names
            total.handed = bool(handed.attributes or handed.items)
        return total

    def _of_handed(self) -> Effects:
        """What lambdas could do, and functions that are values: any call that is not of a function by its name may run them."""
        if self._handed is None:
            self._handed = Effects()
            for number in range(len(self._trace.sources)):
                file = self[number] if "lambda" in self._trace.sources[number].text else None
                for code in file.functions.values() if file is not None else ():
                    if isinstance(code, ast.Lambda):
                        self._handed.add(effects([code.body]))
            for name in self._handed_over():
                for code in self.named(name):
                    self._handed.add(effects(code.body))
            self._handed.names = set()
        return self._handed

    def _handed_over(self) -> set[str]:
        """Names that are arguments of calls; of a large program in the files that were looked at."""
        if len(self._trace.sources) <= _FEW_FILES:
            for number in range(len(self._trace.sources)):
                self[number]
        return {
            part.id
            for file in list(self._files.values())
            for node in (ast.walk(file.tree) if file is not None else ())
            if isinstance(node, ast.Call)
            for part in given(node)
            if isinstance(part, ast.Name) and self.defining(part.id)
        }

    def _of_name(self, name: str) -> Effects | None:
        """What the functions of a name could do themselves; of the names they bind those of others alone."""
        if name not in self._of_names:
            total: Effects | None = None
            for code in self.named(name):
                total = total or Effects()
                inner = effects([code.body] if isinstance(code, ast.Lambda) else code.body)
                declared = self.scope(code)
                inner.names &= declared.globals | declared.nonlocals
                total.add(inner)
                total.globals |= self._foreign(code)
            self._of_names[name] = total
        return self._of_names[name]

    def effects_of_calls(self, name: str) -> Effects | None:
        """What a call by this name could do to what it is given, and to globals; None where it runs nothing of the program."""
        codes = self.named(name)
        if not codes:
            return None
        if name not in self._of_calls:
            total = self._of_calls[name] = Effects()
            for code in codes:
                inner = self.effects([code.body] if isinstance(code, ast.Lambda) else list(code.body))
                total.attributes |= inner.attributes
                total.items = total.items or inner.items
                total.resizes = total.resizes or inner.resizes
                total.globals |= inner.globals | self._foreign(code)
        return self._of_calls[name]

    def _foreign(self, code: Any) -> frozenset[tuple[int, str]]:
        """The names that a function reads of its module, or of functions around it."""
        known = self._foreign_names.get(code)
        if known is None:
            scope, source = self.scope(code), self._source_of.get(code, -1)
            known = self._foreign_names[code] = frozenset(
                (source, part.id)
                for part in ast.walk(code)
                if isinstance(part, ast.Name) and part.id not in scope.locals and part.id not in _BUILTINS
            )
        return known

    def of_properties(self) -> frozenset[str]:
        """The functions that are handed to `property` by name."""
        if self._of_properties is None:
            self._of_properties = frozenset(
                last_name(part)
                for number, source in enumerate(self._trace.sources)
                if "property(" in source.text and (file := self[number]) is not None
                for node in ast.walk(file.tree)
                if isinstance(node, ast.Call) and last_name(node.func) == "property"
                for part in given(node)
            )
        return self._of_properties

    def named(self, name: str) -> list[Any]:
        """Functions of the program that a call of `name` may run; for a class its constructor."""
        known = self._by_name.get(name)
        if known is None:
            known = self._by_name[name] = []
            for source in self.defining(name):
                file = self[source]
                for code in file.functions.values() if file is not None else ():
                    if isinstance(code, ast.Lambda) or code.name != name:
                        continue
                    self._source_of[code] = source
                    if isinstance(code, ast.ClassDef):
                        made_by = [
                            part
                            for part in code.body
                            if isinstance(part, ast.FunctionDef) and part.name in _CONSTRUCTORS
                        ]
                        self._source_of.update(dict.fromkeys(made_by, source))
                        known += made_by
                        if not any(part.name == "__init__" for part in made_by):
                            for base in code.bases:  # (one that is its own base is looked up above by now)
                                known += [part for part in self.named(last_name(base)) if part not in known]
                    else:
                        known.append(code)
        return known

    def classes(self, name: str) -> list[ast.ClassDef]:
        """The class statements for a name."""
        files = (self[source] for source in self.defining(name))
        codes = (code for file in files if file is not None for code in file.functions.values())
        return [code for code in codes if isinstance(code, ast.ClassDef) and code.name == name]

    def only_generates(self, name: str) -> bool:
        """Whether all functions of a name are generators as they are written: a call runs nothing but makes one."""
        return bool(self.named(name)) and all(
            isinstance(code, ast.FunctionDef)
            and not code.decorator_list
            and any(
                isinstance(part, (ast.Yield, ast.YieldFrom))
                for statement in code.body
                for part in self.parts(statement)
            )
            for code in self.named(name)
        )

    def defining(self, name: str) -> list[int]:
        """The sources whose text looks as if they defined it: of a large program few are parsed."""
        if self._defined is None:
            self._defined = {}
            for number, source in enumerate(self._trace.sources):
                for found in dict.fromkeys(_DEFINED.findall(source.text)):
                    self._defined.setdefault(found, []).append(number)
        return self._defined.get(name, [])
