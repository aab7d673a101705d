"""The source files of a trace as syntax trees: their functions by place and by name, and what those could do.

Columns are counted in characters, as everywhere in a trace. Nothing is compiled or run. What is written in one piece of
text itself is told by `sources`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from copy import copy
from typing import TYPE_CHECKING, Any

from algodebug.slicing import defaults
from algodebug.slicing.flow import Flow
from algodebug.slicing.function_values import FunctionValues
from algodebug.slicing.implied import ImpliedCalls
from algodebug.slicing.mutating import MUTATORS, method_read
from algodebug.slicing.reachable import ReachableCode
from algodebug.slicing.sources import (
    BUILTINS,
    CALLING_NOTHING,
    LEAVES,
    Binding,
    Effects,
    NameScope,
    Place,
    Scope,
    bindings,
    caught,
    defined_again,
    either,
    exits,
    given,
    last_name,
    own_parts,
    values_in,
    walk,
    written,
)
from algotrace.syntax import bound_by

if TYPE_CHECKING:
    from algotrace.trace import Trace

_TRIES: Any = (ast.Try, ast.TryStar) if hasattr(ast, "TryStar") else ast.Try
_CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__"})
_FEW_FILES = 50
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINED = re.compile(r"\b(?:def|class)\s+(\w+)")
_IMPORTED = re.compile(r"^[ \t]*from\s+\S+\s+import\s+(?:\(([^)]*)\)|(.*))", re.MULTILINE)
_RENAMED = re.compile(r"(\w+)\s+as\s+(\w+)")


class SourceFile:
    """One file's syntax tree, and its functions and lambdas by where they start."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        lines = text.split("\n")
        self._wide = {n for n, line in enumerate(lines, 1) if not line.isascii()}
        self._lines = lines
        self.functions: dict[tuple[int, int], Any] = {}
        self.nodes = [each for each in walk(self.tree) if type(each) not in LEAVES]  # as `ast.walk` does
        self.named: dict[str, list[Any]] = {}  # functions and classes by their name
        self.imported: set[str] = set()  # names
        for node in self.nodes:
            if isinstance(node, Scope):
                self.functions[node.lineno, self.column(node.lineno, node.col_offset)] = node
                if not isinstance(node, ast.Lambda):
                    self.named.setdefault(node.name, []).append(node)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self.imported.update(bound_by(node))

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
        self._of_pieces: dict[int, Effects] = {}  # by identity, the functions that they call left out
        self._parts: dict[int, list[ast.AST]] = {}  # by the identity of a node of a file's tree
        self._bindings: dict[int, dict[str, list[Binding | None]]] = {}
        self._of_names: dict[str, Effects | None] = {}
        self._foreign_names: dict[Any, frozenset[tuple[int, str]]] = {}
        self._source_of: dict[Any, int] = {}  # of functions that were looked up by name
        self._by_name: dict[str, list[Any]] = {}
        self._only_generating: dict[str, bool] = {}
        self._defined: dict[str, list[int]] | None = None
        self._renamed: dict[str, set[str]] | None = None
        self._defined_again: dict[Any, dict[str, bool]] = {}
        self._redefined: dict[str, bool | None] = {}
        self._binders: dict[tuple[Any, str], frozenset[str] | None] = {}
        self._lazy: dict[int, set[int]] = {}
        self._lazy_code: dict[int, list[tuple[Place, ast.GeneratorExp]]] = {}
        self._blocks: dict[int, dict[tuple[str, Place], list[int]]] = {}
        self._bound_by_inner: dict[Any, frozenset[str]] = {}
        self._reachable = ReachableCode(self._of_name)
        self._handed: Effects | None = None
        self._of_any_values: Effects | None = None
        self._flow: Flow | None = None
        self.values = FunctionValues(self)
        self.implied = ImpliedCalls(self)
        self._of_properties: frozenset[str] | None = None
        self._swallowed: dict[Any, list[frozenset[str]]] = {}  # by `with`
        self._caught: dict[tuple[Any, str], list[frozenset[str]]] = {}
        self._slots: dict[int, dict[tuple[str, Place], None]] = {}
        self.truths: dict[int, list[ast.expr]] = {}  # by the identity of `and`, `or`, see `truths`
        # By the identity of a call or comprehension, see `each_element`.
        self.loops: dict[int, ast.For | None] = {}

    def __getitem__(self, source: int) -> SourceFile | None:
        if source not in self._files:
            try:
                self._files[source] = SourceFile(self._trace.sources[source].text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                self._files[source] = None
        return self._files[source]

    def texts(self) -> Iterator[str]:
        return (source.text for source in self._trace.sources)

    def at_hand(self) -> list[SourceFile]:
        """The files that were looked at so far."""
        return [file for file in self._files.values() if file is not None]

    def code_of(self, routine: int) -> Any:
        """The definition a routine stands for; None where it cannot be found."""
        made = self._trace.routines[routine]
        file = self[made.source]
        if file is None:
            return None
        return file.tree if made.kind == "module" else file.functions.get((made.line, made.column))

    def tree(self, source: int) -> ast.Module | None:
        file = self[source]
        return None if file is None else file.tree

    def scope(self, node: Any) -> NameScope:
        if node not in self._scopes:
            self._scopes[node] = NameScope(node)
        return self._scopes[node]

    def binder(self, routine: int, name: str) -> int:
        """The routine around another one that a free name of that belongs to; -1 for none."""
        routines = self._trace.routines
        routine = routines[routine].parent
        while routine >= 0:
            code = self.code_of(routine)
            if (
                code is not None
                and routines[routine].kind not in ("module", "class")
                and name in self.scope(code).locals
            ):
                break
            routine = routines[routine].parent
        return routine

    def caught_around(self, code: Any, name: str) -> list[frozenset[str]]:
        """What is caught of each `try` (and `with`) in some code around what may be a call by a name."""
        key = (code, name)
        if key not in self._caught:
            found = self._caught[key] = []
            body = [] if code is None or isinstance(code, ast.Lambda) else code.body
            part: Any
            for part in (part for statement in body for part in self.parts(statement)):
                names = caught(part.handlers) if isinstance(part, _TRIES) and part.handlers else None
                if isinstance(part, _TRIES) and exits(part.finalbody):
                    names = frozenset()
                elif isinstance(part, (ast.With, ast.AsyncWith)):
                    names = self.swallowed(part)
                if names is None:
                    continue
                inside = [inner for statement in part.body for inner in self.parts(statement)]
                if name.startswith("__") or any(
                    isinstance(inner, ast.Call) and _may_be_named(inner, name) for inner in inside
                ):
                    found.append(names)
        return self._caught[key]

    def swallowed(self, node: Any) -> frozenset[str] | None:
        """The names of exceptions that the managers of a `with` keep from coming out; empty for any, None for none."""
        known = self._swallowed.get(node)
        if known is None:
            known = []
            for call in (item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)):
                name = last_name(call.func)
                if name == "suppress":
                    known.append(caught([ast.ExceptHandler(kind, None, []) for kind in call.args]))
                else:
                    known += self._swallowed_by(name)
            self._swallowed[node] = known
        return either(known)

    def _swallowed_by(self, name: str) -> list[frozenset[str]]:
        """What is caught by a class whose `__exit__` may give true, or by a generator that is a manager around its `yield`."""
        found, names = list[frozenset[str]](), [name]
        for each in names:
            for code in self.classes(each):
                names += [base for base in map(last_name, code.bases) if base not in names]
                exits = [part for part in code.body if getattr(part, "name", "") in ("__exit__", "__aexit__")]
                if any(
                    isinstance(part, ast.Return) and getattr(part.value, "value", part.value)
                    for method in exits
                    for part in ast.walk(method)
                ):
                    found.append(frozenset())
        for code in self.named(name):
            tries = [part for part in ast.walk(code) if isinstance(part, _TRIES) and part.handlers]
            for part in tries if code.decorator_list else ():
                if any(isinstance(inner, ast.Yield) for piece in part.body for inner in self.parts(piece)):
                    found.append(caught(part.handlers))
        return found

    def bound_by_inner(self, code: Any) -> frozenset[str]:
        """The names that functions defined in some code declare to be its own, to bind them."""
        if code not in self._bound_by_inner:
            self._bound_by_inner[code] = frozenset(
                name for part in walk(code) if isinstance(part, ast.Nonlocal) for name in part.names
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
            for node in file.nodes if file is not None else ():
                if isinstance(node, ast.GeneratorExp):
                    for part in ast.walk(node):
                        if isinstance(part, ast.expr) and file is not None:
                            found.update(self.blocks(source).get(("arm", file.place(part)), ()))
            self._lazy[source] = found
        return self._lazy[source]

    def lazy_code(self, source: int) -> list[tuple[Place, ast.GeneratorExp]]:
        """Generator expressions by the places of what runs whenever somebody asks for an element; outer ones first."""
        if source not in self._lazy_code:
            file, found = self[source], list[tuple[Place, ast.GeneratorExp]]()
            for node in file.nodes if file is not None else ():
                if isinstance(node, ast.GeneratorExp) and file is not None:
                    first, *others = node.generators
                    parts = [node.elt, *first.ifs]
                    parts += [part for each in others for part in (each.iter, *each.ifs)]
                    found += [(file.place(part), node) for part in parts]
            found.sort(key=lambda each: (each[0][:2], [-n for n in each[0][2:]]))
            self._lazy_code[source] = found
        return self._lazy_code[source]

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
        total = self._effects[key] = self._written(parts)
        if "next" in total.calls and self.named("__next__"):
            total.calls.add("__next__")
            total.callees.add("__next__")
        own_names = set(total.names)
        self._reachable.add_called(total)
        total.names = own_names | total.outer
        seen = total.calls
        total.runs |= seen | total.implied
        if (
            any(name in BUILTINS or not self.named(name) for name in seen)
            and seen - MUTATORS - CALLING_NOTHING
        ):
            handed = self._of_handed()
            total.attributes |= handed.attributes
            total.items = total.items or handed.items
            total.resizes = total.resizes or handed.resizes
            total.anywhere = total.anywhere or handed.anywhere
            unknown = total.callees - MUTATORS - CALLING_NOTHING - BUILTINS
            if not all(map(self.named, unknown)):
                total.names |= handed.outer
                total.outer |= handed.outer
                total.runs |= handed.runs
            total.handed = bool(handed.attributes or handed.items)
        mutators = self.values.names_of_mutators()
        if mutators and ("" in seen or seen & mutators):
            total.items = total.resizes = total.handed = True
            if self.values.names_of_setters():
                total.attributes.add("*")
        return self._reachable.share(total)

    def _written(self, parts: Iterable[ast.AST]) -> Effects:
        return written(parts, self.values, self.implied.names, self._of_pieces)

    def flow(self) -> Flow:
        """What gets where, by the names in all files."""
        if self._flow is None:
            self._flow = Flow(self)
            for file in self.looked_at():
                self._flow.add(file.tree)
        return self._flow

    def looked_at(self) -> list[SourceFile]:
        """All files; of a large program those that were looked at."""
        if len(self._trace.sources) <= _FEW_FILES:
            for number in range(len(self._trace.sources)):
                self[number]
        return self.at_hand()

    def with_texts(self) -> Iterator[tuple[SourceFile, str]]:
        """… each with its text."""
        self.looked_at()
        for number, file in self._files.items():
            if file is not None:
                yield file, self._trace.sources[number].text

    def _of_handed(self) -> Effects:
        """What lambdas could do, and functions that are values: any call that is not of a function by its name may run them."""
        if self._handed is None:
            found = self._handed = Effects()
            for number in range(len(self._trace.sources)):
                file = self[number] if "lambda" in self._trace.sources[number].text else None
                for code in file.functions.values() if file is not None else ():
                    if isinstance(code, ast.Lambda):
                        found.add(self._written([code.body]))
            found.names = set()
            values = self._values()
            for name in values:
                called = self._of_name(name)
                if called is not None:
                    found.add(called)
            found.implied.clear()  # (what their operators run of the program is left out)
            self._reachable.add_called(found, False)
            found.outer, found.names = found.outer | found.names, set()
            found.runs = found.calls | values
        return self._handed

    def of_values(self) -> Effects:
        """What functions could do that are values: of a call of what is no name of a function nobody knows which it runs."""
        if self._of_any_values is None:
            found = self._of_any_values = copy(self._of_handed())
            found.items = found.items or bool(self.values.names_of_mutators())
            found.resizes = found.resizes or bool(self.values.names_of_mutators())
        return self._of_any_values

    def _values(self) -> set[str]:
        """Names of functions that are given, kept or returned; of a large program in the files that were looked at."""
        found = set[str]()
        for file in self.looked_at():
            for node in file.nodes:
                found.update(map(last_name, values_in(node)))
                if (method := method_read(node)) is not None:
                    found |= {method} if method else self.values.methods()
                if isinstance(node, _FUNCTIONS) and self._is_wrapped(node):
                    found.add(node.name)
        return {name for name in found if self.defining(name)}

    def _is_wrapped(self, code: Any) -> bool:
        """Whether a function is given to one of the program: a call of its name runs what that makes of it."""
        decorators = (getattr(part, "func", part) for part in getattr(code, "decorator_list", ()))
        return any(self.defining(last_name(part)) for part in decorators)

    def _of_name(self, name: str) -> Effects | None:
        """What the functions of a name could do themselves; of the names they bind those of others alone."""
        if name not in self._of_names:
            total: Effects | None = None
            for code in self.named(name):
                total = total or Effects()
                inner = self._written([code.body] if isinstance(code, ast.Lambda) else code.body)
                declared = self.scope(code)
                inner.names &= declared.globals | declared.nonlocals
                total.add(inner)
                if self._is_wrapped(code):
                    total.calls.add("")
                    total.callees.add("")
                total.globals |= self._foreign(code)
                total.defaults |= {(code, parameter) for parameter in defaults.of_function(code)}
            if total is not None:
                total.calls |= self.imported_as(name)
            self._of_names[name] = total
        return self._of_names[name]

    def effects_of_calls(self, name: str) -> Effects | None:
        """What a call by this name could do to what it is given, and to globals; None where it runs nothing of the program."""
        codes = self.named(name)
        if not codes:
            return None
        if name not in self._of_calls:
            total = self._of_calls[name] = Effects()
            total.runs |= {name, *self.imported_as(name)}
            for code in codes:
                inner = self.effects([code.body] if isinstance(code, ast.Lambda) else list(code.body))
                total.attributes |= inner.attributes
                total.items = total.items or inner.items
                total.resizes = total.resizes or inner.resizes
                total.anywhere = total.anywhere or inner.anywhere
                total.globals |= inner.globals | self._foreign(code)
                total.defaults |= inner.defaults
                total.runs |= inner.runs
                declared = self.scope(code)
                total.outer |= inner.outer | (inner.names & (declared.globals | declared.nonlocals))
                if self._is_wrapped(code):
                    handed = self._of_handed()
                    total.add(handed)
                    total.globals |= handed.globals
                    total.outer |= handed.outer
                    total.runs |= handed.runs
        return self._of_calls[name]

    def binds(self, parts: list[ast.AST], owner: Any, name: str) -> bool:
        """Whether some code that could bind a name may bind that of a function (or a module)."""
        found = self.effects(parts)
        if name not in found.outer or any(name in self.bindings(part) for part in parts):
            return True
        return self.could_bind(found, owner, name)

    def could_bind(self, found: Effects, owner: Any, name: str) -> bool:
        """Whether one of the functions that could run may bind a variable of a function around them, or of a module."""
        key = owner, name
        if key not in self._binders:
            binders = {
                "" if isinstance(part, (ast.Lambda, ast.ClassDef)) else part.name
                for part in (walk(owner) if owner is not None else ())
                if isinstance(part, Scope) and name in ((scope := self.scope(part)).globals | scope.nonlocals)
            }
            is_told = owner is not None and "" not in binders and not binders & _CONSTRUCTORS
            self._binders[key] = frozenset(binders) if is_told else None
        binders_known = self._binders[key]
        return binders_known is None or not binders_known.isdisjoint(found.runs)

    def _foreign(self, code: Any) -> frozenset[tuple[int, str]]:
        """The names that a function reads of its module, or of functions around it."""
        known = self._foreign_names.get(code)
        if known is None:
            scope, source = self.scope(code), self._source_of.get(code, -1)
            known = self._foreign_names[code] = frozenset(
                (source, part.id)
                for part in walk(code)
                if isinstance(part, ast.Name) and part.id not in scope.locals and part.id not in BUILTINS
            )
        return known

    def of_properties(self) -> frozenset[str]:
        """The functions that are handed to `property` by name."""
        if self._of_properties is None:
            self._of_properties = frozenset(
                last_name(part)
                for number, source in enumerate(self._trace.sources)
                if "property(" in source.text and (file := self[number]) is not None
                for node in file.nodes
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
                for code in file.named.get(name, ()) if file is not None else ():
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
            for original in self.imported_as(name):
                known += [code for code in self.named(original) if code not in known]
        return known

    def imported_as(self, name: str) -> set[str]:
        """What is imported under a name and has another one: `from shapes import area as size`."""
        return self.renamed().get(name, set())

    def renamed(self) -> dict[str, set[str]]:
        if self._renamed is None:
            self._renamed = {}
            for text in (text for text in self.texts() if " as " in text):
                for several, one in _IMPORTED.findall(text):
                    for original, renamed in _RENAMED.findall(several or one):
                        if original != renamed:
                            self._renamed.setdefault(renamed, set()).add(original)
        return self._renamed

    def classes(self, name: str) -> list[ast.ClassDef]:
        """The class statements for a name."""
        files = (self[source] for source in self.defining(name))
        codes = (code for file in files if file is not None for code in file.named.get(name, ()))
        return [code for code in codes if isinstance(code, ast.ClassDef)]

    def only_generates(self, name: str) -> bool:
        """Whether all functions of a name are generators as they are written: a call runs nothing but makes one."""
        if name not in self._only_generating:
            yields = (ast.Yield, ast.YieldFrom)
            self._only_generating[name] = bool(self.named(name)) and all(
                isinstance(code, ast.FunctionDef)
                and not code.decorator_list
                and any(isinstance(part, yields) for each in code.body for part in self.parts(each))
                for code in self.named(name)
            )
        return self._only_generating[name]

    def defined_again(self, code: Any) -> dict[str, bool]:
        """See `sources.defined_again`."""
        if code not in self._defined_again:
            self._defined_again[code] = {} if code is None else defined_again(code)
        return self._defined_again[code]

    def redefined(self, name: str) -> bool | None:
        """Whether a module or a function binds a name in several places, all of them definitions; None for one place."""
        if name not in self._redefined:
            files = [file for source in self.defining(name) if (file := self[source]) is not None]
            found = [
                again[name]
                for file in files
                for code in (file.tree, *file.functions.values())
                if not isinstance(code, ast.ClassDef) and name in (again := self.defined_again(code))
            ]
            self._redefined[name] = all(found) if found else None
        return self._redefined[name]

    def defining(self, name: str) -> list[int]:
        """The sources whose text looks as if they defined it: of a large program few are parsed."""
        if self._defined is None:
            self._defined = {}
            for number, source in enumerate(self._trace.sources):
                for found in dict.fromkeys(_DEFINED.findall(source.text)):
                    self._defined.setdefault(found, []).append(number)
        return self._defined.get(name, [])
