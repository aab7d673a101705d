"""An executable slice: the program without what some values do not depend on.

Statements of which nothing was reached go. What stays must still run: structure is kept complete, names that are read
are bound, functions and classes that are named are defined. How much more than the slice stays is a matter of the
*level*: the first ones are small, the last is the program itself. Whoever offers the result runs it first, and offers
it only where it gives the values (see `reduced_program`); if it does not, the next level is tried.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from typing import Any, Final

from algodebug.slicing.criteria import Criterion
from algodebug.slicing.slicer import Slicer
from algodebug.slicing.source_files import SourceFile
from algodebug.slicing.sources import names_bound, own_parts
from algotrace.syntax import bound_by

PARTS: Final = 0  # elements and arguments of which nothing was reached are None, and so is what is returned
ELEMENTS: Final = 1  # … elements alone; methods that Python calls by itself stay whole
STATEMENTS: Final = 2  # statements stay whole, and so does all that binds a name in them
FUNCTIONS: Final = 3  # … functions of which something was reached stay whole
EXECUTED: Final = 4  # … all that ran
EVERYTHING: Final = 5
LEVELS: Final = (PARTS, ELEMENTS, STATEMENTS, FUNCTIONS, EXECUTED, EVERYTHING)

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_YIELDS = (ast.Yield, ast.YieldFrom)
_MOST_ARGUMENTS = 50
_BUILTINS = frozenset(dir(builtins))
_SUITES = ("body", "orelse", "finalbody")


def executable_slice(slicer: Slicer, *criteria: Criterion, level: int = PARTS) -> str:
    """The reduced text of the file that the first criterion's node is in; for several criteria the union."""
    trace = slicer.trace
    source = trace.routines[trace.routine[criteria[0].node]].source
    files = executable_files(slicer, criteria, level)
    if source not in files:
        raise ValueError("the source of this call cannot be parsed")
    return files[source]


def executable_files(slicer: Slicer, criteria: Iterable[Criterion], level: int) -> dict[int, str]:
    """The text of every file that can be parsed, reduced."""
    trace = slicer.trace
    parsed = {
        source: file
        for source in range(len(trace.sources))
        if (file := slicer.graph.files[source]) is not None
    }
    if level == EVERYTHING:
        return {source: trace.sources[source].text for source in parsed}
    lit: dict[int, set[int]] = {source: set() for source in parsed}
    for criterion in criteria:
        for made in slicer.reach(slicer.demands(criterion), None).instances.values():
            if made.node is not None and made.activation.source in lit:
                lit[made.activation.source].add(id(made.node))
    ran = {(trace.routines[routine].source, trace.routines[routine].line) for routine in set(trace.routine)}
    program = _Program(parsed, lit, level, ran)
    return program.reduced()


class _Program:
    """All files; what is named in one must be there in the others."""

    def __init__(
        self,
        files: dict[int, SourceFile],
        lit: dict[int, set[int]],
        level: int,
        ran: set[tuple[int, int]],
    ) -> None:
        self.files = files
        self.lit = lit
        self.level = level
        self.ran = ran
        defined = [n for file in files.values() for n in ast.walk(file.tree) if isinstance(n, _DEFINITIONS)]
        self.own = {node.name for node in defined}
        self.called = {node.name for node in defined if isinstance(node, _FUNCTIONS) or _is_constructed(node)}
        self.read: set[tuple[str, int]] = set()  # parameters that what stays reads: function, position
        self.stores = _stores(file.tree for file in files.values())
        self._bindings: dict[Any, dict[str, set[int]]] = {}
        self._declared: dict[Any, set[str]] = {}
        self.named: set[str] = set()  # what must be defined where the program defines it
        self.needed: set[int] = set()  # statements that bind what is read, though they were not reached
        for source, file in files.items():
            for node in ast.walk(file.tree):
                if isinstance(node, _DEFINITIONS) and any(id(part) in lit[source] for part in ast.walk(node)):
                    self.named.add(node.name)

    def reduced(self) -> dict[int, str]:
        while True:
            before = len(self.named), len(self.needed), len(self.read)
            texts = {source: _Reducer(self, source, file).text() for source, file in self.files.items()}
            if (len(self.named), len(self.needed), len(self.read)) == before:
                return texts

    def bindings(self, scope: Any) -> dict[str, set[int]]:
        """Name → the statements of a scope that bind it."""
        known = self._bindings.get(scope)
        if known is None:
            known = self._bindings[scope] = {}
            for statement in _statements(scope.body):
                for name in names_bound(_heads(statement)):
                    known.setdefault(name, set()).add(id(statement))
        return known

    def declared(self, scope: Any) -> set[str]:
        """The names that a function says are global, or of a function around it."""
        if scope not in self._declared:
            self._declared[scope] = {
                name
                for statement in _statements(scope.body)
                if isinstance(statement, ast.Global | ast.Nonlocal)
                for name in statement.names
            }
        return self._declared[scope]


class _Reducer:
    """Reduces one file, and notes what is missing for the next time."""

    def __init__(self, program: _Program, source: int, file: SourceFile) -> None:
        self.program = program
        self.file = file
        self.lit = program.lit[source]
        self.level = program.level
        self.source = source
        self.scopes: list[Any] = [file.tree]
        self.reached: dict[int, bool] = {}

    def text(self) -> str:
        tree = self.file.tree
        module = ast.Module(self.suite(tree.body) or [ast.Pass()], [])
        return ast.unparse(ast.fix_missing_locations(module)) + "\n"

    # -- what stays ----------------------------------------------------------------------------------------------------

    def is_reached(self, node: Any) -> bool:
        known = self.reached.get(id(node))
        if known is None:
            known = self.reached[id(node)] = any(
                id(part) in self.lit or id(part) in self.program.needed for part in ast.walk(node)
            )
        return known

    def suite(self, body: list[Any]) -> list[Any]:
        kept = [made for statement in body if (made := self.statement(statement)) is not None]
        return kept

    def block(self, body: list[Any]) -> list[Any]:
        return self.suite(body) or [ast.Pass()]

    def statement(self, node: Any) -> Any:
        if isinstance(node, ast.Import | ast.ImportFrom):
            return self.import_(node)
        if isinstance(node, ast.Global | ast.Nonlocal):
            return node
        if isinstance(node, _FUNCTIONS):
            return self.function(node)
        if isinstance(node, ast.ClassDef):
            return self.class_(node)
        if isinstance(node, ast.Break | ast.Continue):
            return node
        if isinstance(node, ast.Pass):
            return None
        if isinstance(node, ast.Return):
            whole = self.level >= ELEMENTS
            value = node.value if node.value is not None and (whole or self.is_reached(node.value)) else None
            return ast.Return(None if value is None else self.expression(value))
        if not self.stays(node):
            return None
        if isinstance(node, ast.Expr) and self.level <= STATEMENTS and self.only_prints(node.value):
            return self.not_printed(node)
        return self.compound(node) if hasattr(node, "body") or hasattr(node, "cases") else self.rebuilt(node)

    def import_(self, node: ast.Import | ast.ImportFrom) -> Any:
        names = set(bound_by(node))
        plain = not names & {"*", "annotations"} and getattr(node, "module", None) != "__future__"
        if self.level <= ELEMENTS and plain and not names & self.program.named and not self.is_reached(node):
            return None
        if isinstance(node, ast.ImportFrom):
            self.program.named.update(alias.name for alias in node.names)
        return node

    def only_prints(self, node: Any) -> bool:
        """Is it a print that nothing asks for, kept for what is computed in it?"""
        if not isinstance(node, ast.Call) or id(node) in self.lit:
            return False
        function = node.func
        if isinstance(function, ast.Attribute):
            return function.attr == "write" and ast.unparse(function.value) == "sys.stdout"
        return isinstance(function, ast.Name) and function.id == "print" and "print" not in self.program.own

    def not_printed(self, node: ast.Expr) -> ast.Expr:
        """What was reached of its arguments, as a statement: the lines that are left stay as they were."""
        call: Any = node.value
        values = [part.value if isinstance(part, ast.Starred) else part for part in call.args]
        kept = [self.expression(part) for part in values if self.is_reached(part)]
        return ast.Expr(kept[0] if len(kept) == 1 else ast.Tuple(kept, ast.Load()))

    def stays(self, node: Any) -> bool:
        if self.level >= EXECUTED or self.is_reached(node):
            return True
        # A generator stays one.
        return self.level >= ELEMENTS and any(isinstance(part, _YIELDS) for part in own_parts(node))

    def function(self, node: Any) -> Any:
        special = node.name.startswith("__") and node.name.endswith("__") and len(self.scopes) > 1
        all_of_it = self.level >= FUNCTIONS and self.is_kept_whole(node)
        all_of_it = all_of_it or (special and self.level >= ELEMENTS)
        if not (special or all_of_it or node.name in self.program.named or self.is_reached(node)):
            return None
        if all_of_it:
            return self.whole(node)
        made = self.shell(node)
        self.scopes.append(node)
        made.body = self.block(node.body)
        self.scopes.pop()
        is_generator = any(
            isinstance(part, _YIELDS) for statement in node.body for part in own_parts(statement)
        )
        if is_generator and not any(isinstance(part, _YIELDS) for s in made.body for part in ast.walk(s)):
            made.body.append(ast.If(ast.Constant(False), [ast.Expr(ast.Yield())], []))
        return made

    def is_kept_whole(self, node: Any) -> bool:
        lines = {node.lineno, *(decorator.lineno for decorator in node.decorator_list)}
        ran = any((self.source, line) in self.program.ran for line in lines)
        return self.is_reached(node) or (self.level >= EXECUTED and ran)

    def class_(self, node: ast.ClassDef) -> Any:
        if node.name not in self.program.named and not self.is_reached(node):
            return None
        made = self.shell(node)
        self.scopes.append(node)
        body = []
        for part in node.body:
            if isinstance(part, (*_DEFINITIONS, ast.Expr, ast.Pass)):
                made_part = self.statement(part)
                body += [] if made_part is None else [made_part]
            else:  # what the class is made of is found by its metaclass, `dataclass`…
                body.append(self.whole(part))
        self.scopes.pop()
        made.body = body or [ast.Pass()]
        return made

    def compound(self, node: Any) -> Any:
        made = self.shell(node)
        for name in _SUITES:
            inner = getattr(node, name, None)
            if isinstance(inner, list):
                suite = self.suite(inner)
                setattr(made, name, suite or ([ast.Pass()] if name == "body" else []))
        if isinstance(node, ast.Try) or node.__class__.__name__ == "TryStar":
            made.handlers = []
            for handler in node.handlers:
                caught = None if handler.type is None else self.whole(handler.type)
                made.handlers.append(ast.ExceptHandler(caught, handler.name, self.block(handler.body)))
            if not made.handlers and not made.finalbody:
                made.finalbody = [ast.Pass()]
        if isinstance(node, ast.Match):
            made.cases = [
                ast.match_case(
                    self.expression(case.pattern),
                    None if case.guard is None else self.expression(case.guard),
                    self.block(case.body),
                )
                for case in node.cases
            ]
        return made

    # -- rebuilding ----------------------------------------------------------------------------------------------------

    def shell(self, node: Any) -> Any:
        """A statement with its expressions, its suites still empty."""
        fields: dict[str, Any] = {}
        for name, value in ast.iter_fields(node):
            if name in (*_SUITES, "handlers", "cases"):
                fields[name] = []
            elif name in ("args", "decorator_list", "bases", "keywords"):
                fields[name] = self.whole(value)
            else:
                fields[name] = self.field(value)
        return ast.copy_location(type(node)(**fields), node)

    def rebuilt(self, node: Any) -> Any:
        fields = {name: self.field(value) for name, value in ast.iter_fields(node)}
        return ast.copy_location(type(node)(**fields), node)

    def field(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.field(part) for part in value]
        return self.expression(value) if isinstance(value, ast.AST) else value

    def expression(self, node: Any) -> Any:
        """An expression, with None for the elements and arguments of which nothing was reached."""
        if self.level >= STATEMENTS:
            return self.whole(node)
        self.note(node)
        fields: dict[str, Any] = {}
        for name, value in ast.iter_fields(node):
            if name == "args" and isinstance(node, ast.Call):
                fields[name] = self.arguments(node)
            elif isinstance(value, list) and self.may_lack_parts(node, name):
                fields[name] = [self.part(part) for part in value]
            else:
                fields[name] = self.field(value)
        return ast.copy_location(type(node)(**fields), node)

    def may_lack_parts(self, node: Any, name: str) -> bool:
        if isinstance(node, ast.Tuple | ast.List):
            return name == "elts" and isinstance(node.ctx, ast.Load)
        if isinstance(node, ast.Dict):
            return name == "values"
        return False

    def part(self, node: Any) -> Any:
        plain = isinstance(node, ast.Name) and (node.id in self.program.own or node.id in _BUILTINS)
        if plain or isinstance(node, ast.Starred | ast.Constant) or self.is_reached(node):
            return self.expression(node)
        return ast.Constant(None)

    def arguments(self, call: ast.Call) -> list[Any]:
        """None for what a function of the program gets and does not look at."""
        function = call.func
        name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        starred = any(isinstance(part, ast.Starred) for part in call.args)
        if self.level > PARTS or name not in self.program.called or starred:
            return [self.expression(part) for part in call.args]
        read = self.program.read
        return [
            self.expression(part) if (name, place) in read else self.part(part)
            for place, part in enumerate(call.args)
        ]

    def whole(self, node: Any) -> Any:
        """Something as it is; what it reads must be there."""
        for each in node if isinstance(node, list) else [node]:
            if isinstance(each, ast.AST):
                for part in ast.walk(each):
                    self.note(part)
        return node

    # -- what is missing -----------------------------------------------------------------------------------------------

    def note(self, node: Any) -> None:
        """A name or attribute that is read: what defines it must stay, and if nothing was reached of it, what binds it."""
        if isinstance(node, ast.Name):
            self.program.named.add(node.id)
            if isinstance(node.ctx, ast.Load):
                self.read_parameter(node.id)
            if isinstance(node.ctx, ast.Load) and (self.level >= STATEMENTS or id(node) not in self.lit):
                self.bind(node.id)
        elif isinstance(node, ast.Attribute):
            self.program.named.add(node.attr)
            if isinstance(node.ctx, ast.Load) and (self.level >= STATEMENTS or id(node) not in self.lit):
                self.program.needed.update(self.program.stores.get(node.attr, ()))

    def read_parameter(self, name: str) -> None:
        """If it is one: calls of its function have to give it."""
        for place in range(len(self.scopes) - 1, 0, -1):
            scope = self.scopes[place]
            if not isinstance(scope, _FUNCTIONS):
                continue
            given = scope.args
            positional = [argument.arg for argument in (*given.posonlyargs, *given.args)]
            if name in positional:
                found = range(positional.index(name), positional.index(name) + 1)
            elif given.vararg is not None and name == given.vararg.arg:
                found = range(len(positional), _MOST_ARGUMENTS)
            else:
                continue
            around = self.scopes[place - 1]
            for at in found:
                self.program.read.update({(scope.name, at), (scope.name, at - 1)})
                if isinstance(around, ast.ClassDef) and scope.name in ("__init__", "__new__"):
                    self.program.read.add((around.name, at - 1))
            return

    def bind(self, name: str) -> None:
        """All statements that bind a name in the scope that it is read from."""
        for scope in reversed(self.scopes):
            if isinstance(scope, ast.ClassDef):
                continue
            found = self.program.bindings(scope).get(name, set())
            self.program.needed.update(found)
            given = isinstance(scope, _FUNCTIONS) and name in {part.arg for part in _arguments(scope)}
            if given or (found and name not in self.program.declared(scope)):
                return


def _is_constructed(node: Any) -> bool:
    """Is it a class that takes what it is called with in an `__init__` of its own?"""
    return isinstance(node, ast.ClassDef) and any(
        isinstance(part, _FUNCTIONS) and part.name == "__init__" for part in node.body
    )


def _statements(body: Iterable[Any]) -> Iterator[Any]:
    """The statements of a scope, those inside others too; not those of functions and classes defined there."""
    for statement in body:
        yield statement
        if isinstance(statement, _DEFINITIONS):
            continue
        for name in _SUITES:
            yield from _statements(getattr(statement, name, None) or [])
        for handler in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from _statements(handler.body)


def _heads(statement: Any) -> list[ast.AST]:
    """Of a statement what is not in its suites, exceptions caught and patterns included."""
    if not hasattr(statement, "body") and not hasattr(statement, "cases"):
        return [] if isinstance(statement, ast.Import | ast.ImportFrom) else [statement]
    if isinstance(statement, _DEFINITIONS):
        return []
    heads = [
        part
        for name, value in ast.iter_fields(statement)
        if name not in (*_SUITES, "handlers", "cases")
        for part in (value if isinstance(value, list) else [value])
        if isinstance(part, ast.AST)
    ]
    heads += [case.pattern for case in getattr(statement, "cases", ())]
    for handler in getattr(statement, "handlers", ()):
        if handler.name:
            heads.append(ast.Name(handler.name, ast.Store()))
    return heads


def _stores(trees: Iterable[ast.Module]) -> dict[str, set[int]]:
    """Attribute → the statements that store it."""
    found: dict[str, set[int]] = {}
    for tree in trees:
        for statement in ast.walk(tree):
            if not isinstance(statement, ast.stmt) or isinstance(statement, _DEFINITIONS):
                continue
            for head in _heads(statement):
                for part in ast.walk(head):
                    if isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load):
                        found.setdefault(part.attr, set()).add(id(statement))
    return found


def _arguments(function: Any) -> list[ast.arg]:
    given = function.args
    found = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return found + [a for a in (given.vararg, given.kwarg) if a is not None]
