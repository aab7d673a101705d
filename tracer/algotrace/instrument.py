"""Rewrite a module's syntax tree so that running it leaves events.

What is added: a mark where a routine is entered and left, where a straight piece of code (a *block*) starts, before
every write what is needed to undo it. What is not: values inside expressions. The program's own nodes keep their
positions; temporaries are names no one can type (`@L`, `@v`) and exist only in functions that cannot see them
(none where `locals()`, `eval` and the like are called, none in modules, classes and comprehensions).
"""

from __future__ import annotations

import ast
import re
import sys
from typing import Any

from algotrace.marks import (
    APPEND, ATTRIBUTE, ATTRIBUTE_NEW, BLOCK, BLOCK_END, CONTENT, DELEGATE, ENTER, HANDLER, ITEM, ITEM_DELETED, LEAVE,
    MUTATE, NAME,
    NAMED, OUTCOME, OUTCOME_NONE, RAISE, RESUME, RETURN, RETURN_NONE, VALUES_AFTER, YIELD,
    Block, MarkPlace, Range, Routine, Unit,
)  # fmt: skip
from algotrace.syntax import (
    NOWHERE, Function, Location, assign, attribute, both, call, constant, either, expression_statement, extent, is_quiet,
    is_repeatable, load, location, mangle, own_nodes, park, placeholder, point, same, subscript, tuple_of,
)  # fmt: skip
from algotrace.undo import LIBRARY_NAMES, METHOD_NAMES

_SEES_LOCALS = frozenset({"locals", "vars", "dir", "eval", "exec", "globals"})
_JITTED = frozenset({"numba", "njit", "jit", "vectorize", "guvectorize", "cuda", "triton", "torch", "jax"})
_TOKENED = frozenset(
    {ENTER, RETURN, RETURN_NONE, RAISE, BLOCK, HANDLER, BLOCK_END, OUTCOME, OUTCOME_NONE, LEAVE}
)
_IN_PLACE = {
    ast.Add: "+=",
    ast.Mult: "*=",
    ast.BitOr: "|=",
    ast.BitAnd: "&=",
    ast.Sub: "-=",
    ast.BitXor: "^=",
}

_SUBSTANCE = re.compile(r"[\w'\"]|\.\.\.")
_CONNECTIVES = re.compile(r"\b(and|or|if|else|not|in|is|for|async)\b")


class _Scope:
    """What the rewriting of one code object needs to know."""

    def __init__(self, kind: str, routine: int, class_name: str | None, *, temporaries: bool) -> None:
        self.kind = kind  # "function", "lambda", "module", "class", "comprehension"
        self.routine = routine
        self.class_name = class_name
        self.temporaries = temporaries
        self.tokened = False
        self.guarded = False
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.loops: list[int] = []
        self.async_loops: list[
            list[ast.stmt]
        ] = []  # what says that an `async for` waits again; empty for `for`
        self.fresh_self: str | None = None  # in `__init__`, while `self` cannot have been written elsewhere
        self.fresh_attributes: set[str] = set()  # … but for these
        self.counter = 0

    def fresh(self, letter: str) -> str:
        self.counter += 1
        return f"@{letter}{self.counter}"


class Instrumenter:
    """One file's rewriting: call `module(tree)`, then read `unit`."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = text.split("\n")  # not `splitlines`: to Python a form feed ends no line
        self.routines: list[Routine] = []
        self.marks: list[MarkPlace] = []
        self.left_alone: list[tuple[str, int, str]] = []  # (function, line, reason)
        self._blocks: list[dict[str, Any]] = []
        self._pieces: list[list[tuple[Range, list[Range]]]] = []
        self._holes: list[Range] = []
        self.scope: _Scope
        self.block = -1

    # -- tables ------------------------------------------------------------------------------------------------

    @property
    def unit(self) -> Unit:
        blocks = [
            Block(**fields, spans=tuple(span for piece in pieces for span in self._visible(*piece)))
            for fields, pieces in zip(self._blocks, self._pieces)
        ]
        return Unit(self.path, self.routines, blocks, [self._in_characters(mark) for mark in self.marks])

    def _column(self, line: int, column: int) -> int:
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return column if text.isascii() else len(text.encode()[:column].decode(errors="replace"))

    def text(self, node: Any) -> str:
        """The source of an expression, where it is short and on one line; else nothing."""
        if node.lineno != node.end_lineno or node.end_col_offset - node.col_offset > 60:
            return ""
        return (
            self.lines[node.lineno - 1]
            .encode()[node.col_offset : node.end_col_offset]
            .decode(errors="replace")
        )

    def _in_characters(self, mark: MarkPlace) -> MarkPlace:
        if mark.at is None:
            return mark
        line, column, end_line, end_column = mark.at
        return mark._replace(
            at=Range(line, self._column(line, column), end_line, self._column(end_line, end_column))
        )

    def _visible(self, whole: Range, holes: list[Range]) -> list[Range]:
        """`whole` without `holes`, cut into physical lines, in characters, without blanks and comments."""
        pieces: list[Range] = []
        start = (whole.line, whole.column)
        for hole in sorted(holes):
            pieces.append(Range(*start, hole.line, hole.column))
            start = max(start, (hole.end_line, hole.end_column))
        pieces.append(Range(*start, whole.end_line, whole.end_column))
        spans = []
        for piece in pieces:
            for number in range(piece.line, piece.end_line + 1):
                if number > len(self.lines):
                    break
                text = self.lines[number - 1]
                first = self._column(number, piece.column) if number == piece.line else 0
                last = self._column(number, piece.end_column) if number == piece.end_line else len(text)
                part = text[first:last]
                stripped = part.strip()
                if stripped.startswith("#") or not _SUBSTANCE.search(_CONNECTIVES.sub("", stripped)):
                    continue  # a comment, or nothing but punctuation and what connects the holes
                first += len(part) - len(part.lstrip())
                spans.append(Range(number, first, number, first + len(stripped)))
        return spans

    def new_block(self, kind: str, parent: int, loop: int = -1) -> int:
        self._blocks.append(
            {
                "routine": self.scope.routine, "parent": parent, "kind": kind, "terminator": "", "end": (0, 0),
                "loop": loop,
            }
        )  # fmt: skip
        self._pieces.append([])
        return len(self._blocks) - 1

    def cover(self, whole: Range, holes: list[Range] | None = None, block: int | None = None) -> None:
        self._pieces[self.block if block is None else block].append((whole, [] if holes is None else holes))

    def mark(
        self, kind: int, at: Location, *, where: Any = None, label: str = "", block: int | None = None
    ) -> ast.Constant:
        tokened = self.scope.tokened and kind in _TOKENED
        values = len(self.routines[self.scope.routine].parameters) if kind == ENTER else VALUES_AFTER[kind]
        size = values + (1 if tokened else 0)
        where_range = extent(where) if where is not None else None
        self.marks.append(
            MarkPlace(
                kind,
                size,
                self.scope.routine,
                self.block if block is None else block,
                tokened,
                where_range,
                label,
            )
        )
        return placeholder(f"mark:{len(self.marks) - 1}", at)

    # -- events ------------------------------------------------------------------------------------------------

    def stream(self, at: Location) -> ast.expr:
        at = point(at)
        if self.scope.temporaries:
            return load("@L", at)
        return attribute(placeholder("streams", at), "events", at)

    def event(self, mark: ast.Constant, values: list[ast.expr], at: Location) -> ast.expr:
        """An expression that appends an event and is None."""
        at = point(at)
        if self.marks[int(mark.value.rpartition(":")[2])].tokened:
            values = [load("@t", at), *values]
        if not values:
            return call(attribute(self.stream(at), "append", at), [mark], at)
        return call(attribute(self.stream(at), "extend", at), [tuple_of([mark, *values], at)], at)

    def event_statement(self, mark: ast.Constant, values: list[ast.expr], at: Location) -> ast.stmt:
        """`@L += (mark, value…)`: unlike a call it works at the recursion limit too."""
        event = self.event(mark, values, at)
        at = point(at)
        if self.scope.temporaries and isinstance(event, ast.Call) and isinstance(event.args[0], ast.Tuple):
            return ast.AugAssign(ast.Name("@L", ast.Store(), **at), ast.Add(), event.args[0], **at)
        return expression_statement(event, at)

    def raised(self, at: Location) -> list[ast.expr]:
        """Type, arguments and instruction offset of the exception being handled; C calls only."""
        info = [call(placeholder("exc_info", at), [], at) for _ in range(3)]
        return [
            subscript(info[0], constant(0, at), at),
            call(placeholder("exception_arguments", at), [subscript(info[1], constant(1, at), at)], at),
            # What `except*` leaves over has no traceback.
            call(
                placeholder("getattr", at),
                [subscript(info[2], constant(2, at), at), constant("tb_lasti", at), constant(-1, at)],
                at,
            ),
        ]

    def reraise(self, kind: int) -> ast.ExceptHandler:
        """`except BaseException: <RAISE>; raise` for a whole routine."""
        label = "guarded" if self.scope.guarded else ""
        event = self.event_statement(self.mark(kind, NOWHERE, label=label), self.raised(NOWHERE), NOWHERE)
        # At the recursion limit even this call may fail; the original exception must go on regardless.
        bare = self.event_statement(self.mark(kind, NOWHERE, label=label), [], NOWHERE)
        guarded = ast.Try(
            [event], [ast.ExceptHandler(placeholder("recursion_error", NOWHERE), None, [bare], **NOWHERE)], [], [], **NOWHERE
        )  # fmt: skip
        return ast.ExceptHandler(
            placeholder("base_exception", NOWHERE),
            None,
            [guarded, ast.Raise(None, None, **NOWHERE)],
            **NOWHERE,
        )

    # -- module, class, function ---------------------------------------------------------------------------------

    def module(self, tree: ast.Module) -> ast.Module:
        self.scope = _Scope("module", 0, None, temporaries=False)
        last = len(self.lines) or 1
        self.block = self.new_block("routine", -1)
        self.routines.append(Routine("<module>", "<module>", "module", 1, 0, last, 1, 1, (), self.block, -1))
        body = list(tree.body)
        head: list[ast.stmt] = []
        while body and ((_is_docstring(body[0]) and not head) or _is_future(body[0])):
            head.append(body.pop(0))
        at = _first_point(body[0]) if body else NOWHERE
        enter = self.event_statement(self.mark(ENTER, at), [], at)
        suite = self.suite(body)
        suite.append(self.event_statement(self.mark(RETURN_NONE, NOWHERE), [], NOWHERE))
        tree.body = [*head, enter, ast.Try(suite, [self.reraise(RAISE)], [], [], **NOWHERE)]
        return tree

    def function(self, node: Any) -> Any:
        """Rewrite a function definition (in place), or leave its body alone with a reason."""
        for index, decorator in enumerate(node.decorator_list):
            self.piece(decorator)
            node.decorator_list[index] = self.expression(decorator)
        self._arguments(node.args)
        end = len(self.lines[node.lineno - 1].encode()) if node.lineno <= len(self.lines) else node.col_offset
        first = node.body[0]
        self.cover(
            Range(
                node.lineno,
                node.col_offset,
                node.lineno,
                first.col_offset if first.lineno == node.lineno else end,
            )
        )
        if reason := self._reason_to_leave_alone(node):
            self.left_alone.append((node.name, node.lineno, reason))
            return node
        node.body = self._function_body(node)
        return node

    def _arguments(self, arguments: ast.arguments) -> None:
        for defaults in (arguments.defaults, arguments.kw_defaults):
            for index, default in enumerate(defaults):
                if default is not None:
                    self.piece(default)
                    defaults[index] = self.expression(default)

    def _reason_to_leave_alone(self, node: Any) -> str:
        if node.lineno <= len(self.lines) and "algotrace: skip" in self.lines[node.lineno - 1]:
            return "marked `# algotrace: skip`"
        for decorator in node.decorator_list:
            for inner in ast.walk(decorator):
                if isinstance(inner, ast.Name) and inner.id in _JITTED:
                    return f"compiled by {inner.id}"
        return ""

    def _function_body(self, node: Any) -> list[ast.stmt]:
        inner = list(own_nodes(node.body))
        is_generator = any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in inner)
        is_async = isinstance(node, ast.AsyncFunctionDef)
        sees_locals = any(isinstance(part, ast.Name) and part.id in _SEES_LOCALS for part in inner)
        kind = {(0, 0): "function", (1, 0): "generator", (0, 1): "coroutine", (1, 1): "asyncgen"}[
            is_generator, is_async
        ]
        outer, outer_block, outer_holes = self.scope, self.block, self._holes
        class_name = outer.class_name if outer.kind == "class" else None
        scope = _Scope(
            "function", len(self.routines), class_name or outer.class_name, temporaries=not sees_locals
        )
        scope.tokened = kind != "function" and not sees_locals
        scope.guarded = _returns_early(node.body)
        for part in inner:
            if isinstance(part, ast.Global):
                scope.globals.update(part.names)
            elif isinstance(part, ast.Nonlocal):
                scope.nonlocals.update(part.names)
        self.scope = scope
        parameters = _parameters(node.args)
        if outer.kind == "class" and node.name == "__init__" and parameters and parameters[0].isidentifier():
            scope.fresh_self = parameters[0]
        self.block = self.new_block("routine", -1)
        first_line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        qualname = node.name
        parent = self.routines[outer.routine]
        if class_name:
            qualname = f"{self._class_qualname}.{node.name}"
        elif parent.kind != "module":
            qualname = f"{parent.qualname}.<locals>.{node.name}"
        self.routines.append(
            Routine(
                node.name, qualname, kind, node.lineno, self._column(node.lineno, node.col_offset), node.end_lineno,
                node.body[0].lineno, first_line, tuple(name.lstrip("*") for name in parameters), self.block, outer.routine,
            )
        )  # fmt: skip
        body = list(node.body)
        head = [body.pop(0)] if _is_docstring(body[0]) else []
        at = _first_point(body[0] if body else node.body[0])
        prologue: list[ast.stmt] = []
        if scope.temporaries:
            fetch = assign("@L", attribute(placeholder("streams", at), "events", at), at)
            if sys.version_info < (3, 12):  # there the fetch itself may fail at the recursion limit
                fallback: list[ast.stmt] = [
                    assign("@L", attribute(placeholder("main", at), "events", at), at)
                ]
                handler = ast.ExceptHandler(placeholder("recursion_error", at), None, fallback, **at)
                prologue.append(ast.Try([fetch], [handler], [], [], **at))
            else:
                prologue.append(fetch)
        if scope.tokened:
            prologue.append(assign("@t", call(placeholder("new_token", at), [], at), at))
        values: list[ast.expr] = [load(name.lstrip("*"), at) for name in parameters]
        prologue.append(self.event_statement(self.mark(ENTER, at), values, at))
        suite = self.suite(body)
        if not (suite and isinstance(suite[-1], (ast.Return, ast.Raise))):
            ending = OUTCOME_NONE if scope.guarded else RETURN_NONE
            suite.append(self.event_statement(self.mark(ending, NOWHERE), [], NOWHERE))
        guarded = ast.Try(suite, [self.reraise(RAISE)], [], [], **NOWHERE)
        if scope.guarded:
            guarded.finalbody = [self.event_statement(self.mark(LEAVE, NOWHERE), [], NOWHERE)]
        self.scope, self.block, self._holes = outer, outer_block, outer_holes
        return [*head, *prologue, guarded]

    _class_qualname = ""

    def class_definition(self, node: ast.ClassDef) -> ast.ClassDef:
        for index, decorator in enumerate(node.decorator_list):
            self.piece(decorator)
            node.decorator_list[index] = self.expression(decorator)
        node.bases = [self.expression(base) for base in node.bases]
        for keyword in node.keywords:
            keyword.value = self.expression(keyword.value)
        header_end = max(
            [(node.lineno, node.col_offset + len("class ") + len(node.name))]
            + [(part.end_lineno or 0, part.end_col_offset or 0) for part in (*node.bases, *node.keywords)]
        )
        self.cover(Range(node.lineno, node.col_offset, *header_end))
        outer, outer_block, outer_name = self.scope, self.block, self._class_qualname
        scope = _Scope("class", outer.routine, node.name, temporaries=False)
        scope.tokened = False
        if outer.kind == "class":
            self._class_qualname = f"{outer_name}.{node.name}"
        elif self.routines[outer.routine].kind == "module":
            self._class_qualname = node.name
        else:
            self._class_qualname = f"{self.routines[outer.routine].qualname}.<locals>.{node.name}"
        self.scope = scope
        self.block = self.new_block("class", outer_block)
        body = list(node.body)
        head = [body.pop(0)] if _is_docstring(body[0]) else []
        at = _first_point(body[0]) if body else NOWHERE
        enter = self.event_statement(self.mark(BLOCK, at), [], at)
        node.body = [*head, enter, *self.suite(body)]
        self.scope, self.block, self._class_qualname = outer, outer_block, outer_name
        return node

    # -- suites and statements -----------------------------------------------------------------------------------

    def suite(self, body: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in body:
            result.extend(self.statement(statement))
        return result

    def nested(
        self, body: list[ast.stmt], kind: str, *, loop: bool = False, mark_kind: int = BLOCK
    ) -> list[ast.stmt]:
        """A suite that is a block of its own, with the mark at its start."""
        outer = self.block
        self.block = self.new_block(kind, outer)
        if loop:
            self.scope.loops.append(self.block)
        first = body[0]
        at = _first_point(first)
        values = self.raised(at) if mark_kind == HANDLER else []
        enter = self.event_statement(self.mark(mark_kind, at), values, at)
        suite = [enter, *self.suite(body)]
        last = body[-1]
        if isinstance(last, (ast.Break, ast.Continue)) and self.scope.loops:
            fields = self._blocks[self.block]
            fields["terminator"] = "break" if isinstance(last, ast.Break) else "continue"
            fields["end"] = (last.lineno, last.col_offset)
            fields["loop"] = self.scope.loops[-1]
        if loop:
            self.scope.loops.pop()
        self.block = outer
        return suite

    def piece(self, node: Any) -> None:
        """Cover an expression that is evaluated here; its conditional parts become holes as they are rewritten."""
        self._holes = []
        self.cover(extent(node), self._holes)

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        method = getattr(self, "_" + type(node).__name__, None)
        if method is None:
            self.piece(node)
            for name, value in ast.iter_fields(node):
                if isinstance(value, ast.expr):
                    setattr(node, name, self.expression(value))
            return [node]
        result: list[ast.stmt] = method(node)
        return result

    def _FunctionDef(self, node: Any) -> list[ast.stmt]:
        return [self.function(node)]

    _AsyncFunctionDef = _FunctionDef

    def _ClassDef(self, node: ast.ClassDef) -> list[ast.stmt]:
        self._forget_fresh_self(node)
        return [self.class_definition(node)]

    def _Global(self, node: ast.stmt) -> list[ast.stmt]:
        return [node]

    _Nonlocal = _Global

    def _Expr(self, node: ast.Expr) -> list[ast.stmt]:
        if isinstance(node.value, ast.Constant):
            return [node]  # a string or number standing alone is no code
        self.piece(node)
        node.value = self.expression(node.value)
        return [node]

    def _Return(self, node: ast.Return) -> list[ast.stmt]:
        self.piece(node)
        at = location(node)
        kinds = (OUTCOME, OUTCOME_NONE) if self.scope.guarded else (RETURN, RETURN_NONE)
        if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            return [self.event_statement(self.mark(kinds[1], at, where=node), [], at), node]
        value = self.expression(node.value)
        mark = self.mark(kinds[0], at, where=node)
        if isinstance(value, ast.Constant) or not self.scope.temporaries:
            if not isinstance(value, ast.Constant):
                node.value = call(placeholder("note_value", at), [mark, value], at)
                return [node]
            return [self.event_statement(mark, [value], at), node]
        if is_repeatable(value):
            return [self.event_statement(mark, [value], at), node]
        node.value = load("@r", at)
        return [assign("@r", value, at), self.event_statement(mark, [load("@r", at)], at), node]

    def _If(self, node: ast.If) -> list[ast.stmt]:
        self.piece(node.test)
        node.test = self.expression(node.test)
        node.body = self.nested(node.body, "arm")
        if node.orelse:
            node.orelse = self.nested(node.orelse, "arm")
        return [node]

    def _While(self, node: ast.While) -> list[ast.stmt]:
        self._forget_fresh_self(node)
        self.piece(node.test)
        node.test = self.expression(node.test)
        self.scope.async_loops.append([])
        node.body = self.nested(node.body, "loop", loop=True)
        self.scope.async_loops.pop()
        if node.orelse:
            node.orelse = self.nested(node.orelse, "arm")
        return [node]

    def _For(self, node: Any) -> list[ast.stmt]:
        self._forget_fresh_self(node)
        self.piece(node.target)
        self.piece(node.iter)
        node.iter = self.expression(node.iter)
        asleep = self._sleeping_in(node) if isinstance(node, ast.AsyncFor) else []
        node.target = self.target(node.target)
        self.scope.async_loops.append(asleep)
        node.body = self.nested(node.body, "loop", loop=True) + asleep
        if asleep:  # the iterable must not outlive the loop
            node.body.insert(0, assign("@y", constant(None, NOWHERE), NOWHERE))
        self.scope.async_loops.pop()
        if node.orelse:
            node.orelse = self.nested(node.orelse, "arm")
        return [node]

    _AsyncFor = _For

    def _sleeping_in(self, node: ast.AsyncFor) -> list[ast.stmt]:
        """Make `async for` say that it waits for its iterable; returns what says so again after each iteration."""
        if not self.scope.tokened:
            return []
        at = location(node.iter)
        name = self.scope.fresh("i")
        noted = park(name, _code_of(park("@y", node.iter, at), "@y", at), at)
        node.iter = either(
            [self.event(self.mark(DELEGATE, at), [load("@t", at), noted], at), load("@y", at)], at
        )
        return [
            self.event_statement(
                self.mark(DELEGATE, NOWHERE), [load("@t", NOWHERE), load(name, NOWHERE)], NOWHERE
            )
        ]

    def _Continue(self, node: ast.Continue) -> list[ast.stmt]:
        self.piece(node)
        return [*(self.scope.async_loops[-1] if self.scope.async_loops else []), node]

    def _asleep(self, at: Location) -> list[ast.stmt]:
        """It may sleep here, waiting for something we do not see."""
        if not self.scope.tokened:
            return []
        return [self.event_statement(self.mark(DELEGATE, at), [load("@t", at), constant(None, at)], at)]

    def _With(self, node: Any) -> list[ast.stmt]:
        for item in node.items:
            self.piece(item.context_expr)
            item.context_expr = self.expression(item.context_expr)
            if item.optional_vars is not None:
                self.cover(extent(item.optional_vars))
                item.optional_vars = self.target(item.optional_vars)
        block = len(self._blocks)
        node.body = self.nested(node.body, "with")
        if not isinstance(node.body[-1], (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            node.body.append(self.event_statement(self.mark(BLOCK_END, NOWHERE, block=block), [], NOWHERE))
        if isinstance(node, ast.AsyncWith):
            node.body += self._asleep(NOWHERE)
            return [*self._asleep(point(location(node))), node]
        return [node]

    _AsyncWith = _With

    def _Try(self, node: Any) -> list[ast.stmt]:
        node.body = self.nested(node.body, "try")
        for handler in node.handlers:
            kind = HANDLER if isinstance(node, ast.Try) else BLOCK
            first = len(self._blocks)
            handler.body = self.nested(handler.body, "handler", mark_kind=kind)
            if handler.type is not None:
                self._holes = []
                self.cover(extent(handler.type), self._holes, first)
                handler.type = self.expression(handler.type)
        if node.orelse:
            node.orelse = self.nested(node.orelse, "arm")
        if node.finalbody:
            node.finalbody = self.nested(node.finalbody, "finally")
        return [node]

    _TryStar = _Try

    def _Match(self, node: Any) -> list[ast.stmt]:
        self.piece(node.subject)
        node.subject = self.expression(node.subject)
        tried: list[Range] = []
        for case in node.cases:
            tried.append(extent(case.pattern))
            if case.guard is not None:
                self._holes = []
                tried.append(extent(case.guard))
                case.guard = self.expression(case.guard)
            first = len(self._blocks)
            case.body = self.nested(case.body, "arm")
            for part in tried:
                self.cover(part, None, first)
        return [node]

    def _Assert(self, node: ast.Assert) -> list[ast.stmt]:
        self.piece(node)
        node.test = self.expression(node.test)
        if node.msg is not None:
            node.msg = self.arm(node.msg)
        return [node]

    def _Assign(self, node: ast.Assign) -> list[ast.stmt]:
        self.piece(node)
        at = location(node)
        if len(node.targets) == 1 and self.scope.temporaries:
            target = node.targets[0]
            if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice):
                return self._store_item(node, target, self.expression(node.value), at)
            if isinstance(target, ast.Tuple) and (pairs := _parallel(target, node.value)):
                values = [self.expression(value) for _, value in pairs]
                names = [self.scope.fresh("u") for _ in pairs]
                statements: list[ast.stmt] = [
                    assign(name, value, location(value)) for name, value in zip(names, values)
                ]
                for (goal, _), name in zip(pairs, names):
                    inner = ast.Assign([goal], load(name, at), **at)
                    if isinstance(goal, ast.Subscript) and not isinstance(goal.slice, ast.Slice):
                        statements += self._store_item(inner, goal, load(name, at), at)
                    else:
                        inner.targets = [self.target(goal)]
                        statements.append(inner)
                return statements
        node.value = self.expression(node.value)
        names_written = [
            target.id
            for target in node.targets
            if isinstance(target, ast.Name) and self._is_shared(target.id)
        ]
        if names_written and self.scope.temporaries:
            statements = [assign("@v", node.value, at)]
            for name in names_written:
                statements += self._note_name(name, load("@v", at), at)
            node.value = load("@v", at)
            node.targets = [self.target(target) for target in node.targets]
            return [*statements, node]
        node.targets = [self.target(target) for target in node.targets]
        return [node]

    def _AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        if node.value is None:
            return [node]
        self.piece(node)
        node.value = self.expression(node.value)
        if not isinstance(node.target, ast.Name):
            node.target = self.target(node.target)  # type: ignore[assignment]
        return [node]

    def _is_shared(self, name: str) -> bool:
        return self.scope.kind == "function" and (name in self.scope.globals or name in self.scope.nonlocals)

    def _old_name(self, name: str, at: Location) -> list[ast.stmt]:
        """Statements that leave the present value of a global or nonlocal name in `@old`, ABSENT where unbound."""
        read = ast.Try(
            [assign("@old", load(name, at), at)],
            [ast.ExceptHandler(placeholder("name_error", at), None, [assign("@old", placeholder("absent", at), at)], **at)],
            [], [], **at,
        )  # fmt: skip
        return [read]

    def _note_name(self, name: str, new: ast.expr, at: Location) -> list[ast.stmt]:
        prefix = "global " if name in self.scope.globals else "nonlocal "
        mark = self.mark(NAME, at, label=prefix + name)
        return [*self._old_name(name, at), self.event_statement(mark, [load("@old", at), new], at)]

    def _store_item(self, node: Any, target: ast.Subscript, value: ast.expr, at: Location) -> list[ast.stmt]:
        """`c[k] = v` as statements: value, container, key are evaluated once, in that order; then log, then store."""
        statements: list[ast.stmt] = []
        if not (is_repeatable(value) and is_quiet(target)):
            statements.append(assign("@v", value, location(value)))
            value = load("@v", location(value))
        container, key = self._item_parts(target, statements)
        statements += self._note_item(ITEM, container, key, target)
        node.targets = [ast.Subscript(container, key, ast.Store(), **location(target))]
        node.value = value
        return [*statements, node]

    def _item_parts(self, target: ast.Subscript, statements: list[ast.stmt]) -> tuple[ast.expr, ast.expr]:
        parts = []
        for name, part in (("@c", target.value), ("@k", target.slice)):
            new = self._receiver(part) if part is target.value else self.expression(part)
            if not is_repeatable(new):
                statements.append(assign(name, new, location(part)))
                new = load(name, location(part))
            parts.append(new)
        return parts[0], parts[1]

    def _note_item(
        self, kind: int, container: ast.expr, key: ast.expr, target: ast.Subscript
    ) -> list[ast.stmt]:
        """Log `container[key]`'s present value, for containers that store without user code."""
        at = point(location(target))

        def again(node: ast.expr) -> ast.expr:
            return _again(node, at)

        kind_of = subscript(
            placeholder("container_kinds", at), call(placeholder("type", at), [again(container)], at), at
        )
        quick = same(load("@m", at), constant(1, at), at)
        if not (isinstance(key, ast.Constant) and isinstance(key.value, (int, str))):
            simple = ast.Compare(
                call(placeholder("type", at), [again(key)], at), [ast.In()], [placeholder("simple", at)], **at
            )
            quick = both([quick, simple], at)  # type: ignore[assignment]
        read = ast.IfExp(
            quick,
            call(placeholder("dict_get", at), [again(container), again(key), placeholder("absent", at)], at),
            ast.IfExp(
                same(load("@m", at), constant(1, at), at),
                call(placeholder("read_mapping", at), [again(container), again(key)], at),
                subscript(again(container), again(key), at),
                **at,
            ),
            **at,
        )
        attempt = ast.Try(
            [assign("@old", read, at)],
            [ast.ExceptHandler(placeholder("read_errors", at), None, [assign("@old", placeholder("absent", at), at)], **at)],
            [], [], **at,
        )  # fmt: skip
        mark = self.mark(kind, at, where=target, label=self.text(target.value) + "\t")
        event = self.event_statement(mark, [again(container), again(key), load("@old", at)], at)
        return [ast.If(park("@m", kind_of, at), [attempt, event], [], **at)]

    def _note_default(self, container: ast.expr, key: ast.expr, where: ast.Subscript) -> list[ast.stmt]:
        """Log the item before it is read from a container whose reading may put a default there."""
        at = point(location(where))
        mark = self.mark(ITEM, at, where=where, label=self.text(where.value) + "\t")
        old = call(placeholder("read_mapping", at), [_again(container, at), _again(key, at)], at)
        event = self.event_statement(mark, [_again(container, at), _again(key, at), old], at)
        defaulting = ast.Compare(
            call(placeholder("type", at), [_again(container, at)], at),
            [ast.In()],
            [placeholder("defaulting", at)],
            **at,
        )
        return [ast.If(defaulting, [event], [], **at)]

    def _receiver(self, node: ast.expr) -> ast.expr:
        """The object of a mutating call or of a store in it; `d[k]` there may put a default into `d`."""
        if (
            not isinstance(node, ast.Subscript)
            or isinstance(node.slice, ast.Slice)
            or self.scope.kind == "comprehension"
        ):
            return self.expression(node)  # type: ignore[no-any-return]
        mark = self.mark(ITEM, location(node), where=node, label=self.text(node.value) + "\t")
        at = point(location(node))
        container, key = self._receiver(node.value), self.expression(node.slice)
        if not self.scope.temporaries:
            node.value = call(placeholder("hold", at), [container], at)
            node.slice = call(placeholder("note_default", at), [mark, key], at)
            return node
        first, again, once_more = container, container, key
        if not is_repeatable(container):
            name = self.scope.fresh("d")
            first, again = park(name, container, at), load(name, at)
        start: list[ast.expr] = []
        if not is_repeatable(key):
            name = self.scope.fresh("k")
            once_more = load(name, at)
            start = [same(park(name, key, at), placeholder("absent", at), at)]
        old = call(placeholder("read_mapping", at), [again, once_more], at)
        defaulting = ast.Compare(
            call(placeholder("type", at), [again], at), [ast.In()], [placeholder("defaulting", at)], **at
        )
        note = both([defaulting, self.event(mark, [again, once_more, old], at)], at)
        node.value = first
        node.slice = either([*start, note, once_more], at)
        return node

    def _AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        self.piece(node)
        at = location(node)
        target = node.target
        value = self.expression(node.value)
        operator = _IN_PLACE.get(type(node.op))
        numeric = isinstance(value, ast.Constant) and isinstance(value.value, (int, float, complex, bool))
        in_place = operator if operator and not numeric else None
        if not self.scope.temporaries:
            node.value = value
            if in_place and isinstance(target, ast.Name):
                mark = self.mark(MUTATE, at, where=target, label=f"{target.id}\t{in_place}")
                node.value = call(
                    placeholder("note_in_place", at), [mark, placeholder(f"method:{in_place}", at), load(target.id, at), value], at
                )  # fmt: skip
                return [node]
            keeps = bool(in_place) and not (
                isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice)
            )
            node.target = self.target(target, keeps=keeps)  # type: ignore[assignment]
            if keeps:
                mark = self.mark(MUTATE, at, where=target, label=f"{self.text(target)}\t{in_place}")
                table = placeholder(f"method:{in_place}", at)
                node.value = call(placeholder("note_kept_in_place", at), [mark, table, value], at)
            return [node]
        if isinstance(target, ast.Name):
            node.value = self._note_in_place(target.id, in_place, value, at) if in_place else value
            if self._is_shared(target.id):
                before = self._old_name(target.id, at)
                mark = self.mark(
                    NAME,
                    at,
                    label=("global " if target.id in self.scope.globals else "nonlocal ") + target.id,
                )
                # The new value is known only afterwards; an interrupted rebinding leaves the old one in any case.
                return [
                    *before,
                    node,
                    self.event_statement(mark, [load("@old", at), load(target.id, at)], at),
                ]
            return [node]
        statements: list[ast.stmt] = []
        if isinstance(target, ast.Attribute):
            owner = self.expression(target.value)
            if not is_repeatable(owner):
                statements.append(assign("@o", owner, location(target.value)))
                owner = load("@o", location(target.value))
            read: ast.expr = attribute(owner, target.attr, location(target))
            store: ast.expr = ast.Attribute(owner, target.attr, ast.Store(), **location(target))
        elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
            node.value = value
            node.target = self.target(target)  # type: ignore[assignment]
            return [node]
        else:
            container, key = self._item_parts(target, statements)
            statements += self._note_default(container, key, target)
            read = subscript(container, key, location(target))
            store = ast.Subscript(container, key, ast.Store(), **location(target))
        statements.append(assign("@n", read, location(target)))
        operand = value
        if in_place:
            operand = self._note_in_place("@n", in_place, value, at, target)
        statements.append(assign("@old", load("@n", at), at))
        statements.append(
            ast.AugAssign(ast.Name("@n", ast.Store(), **location(target)), node.op, operand, **at)
        )
        if isinstance(target, ast.Attribute):
            name = mangle(target.attr, self.scope.class_name)
            mark = self.mark(ATTRIBUTE, at, where=target, label=f"{self.text(target.value)}\t{name}")
            statements.append(self.event_statement(mark, [owner, load("@old", at)], at))
        else:
            mark = self.mark(ITEM, at, where=target, label=f"{self.text(target.value)}\t")
            statements.append(self.event_statement(mark, [container, key, load("@old", at)], at))
        statements.append(ast.Assign([store], load("@n", at), **at))
        return statements

    def _note_in_place(
        self, name: str, operator: str, value: ast.expr, at: Location, where: Any = None
    ) -> ast.expr:
        """`value`, logging first where the variable `name` holds a builtin container that `operator` changes."""
        mutable = ast.Compare(
            call(placeholder("type", at), [load(name, at)], at),
            [ast.In()],
            [placeholder("mutable", at)],
            **at,
        )
        label = f"{self.text(where) if where is not None else name}\t{operator}"
        mark = self.mark(MUTATE, at, label=label)
        parked = load("@t1", at)
        reader = subscript(
            placeholder(f"method:{operator}", at), call(placeholder("type", at), [load(name, at)], at), at
        )
        information = call(reader, [load(name, at), parked], at)
        note = both([mutable, self.event(mark, [load(name, at), information], at)], at)
        return either(
            [same(park("@t1", value, at), placeholder("absent", at), at), note, load("@t1", at)], at
        )

    def _Delete(self, node: ast.Delete) -> list[ast.stmt]:
        self.piece(node)
        at = location(node)
        statements: list[ast.stmt] = []
        for target in node.targets:
            single = ast.Delete([target], **at)
            if isinstance(target, ast.Attribute):
                single.targets = [self.target(target, context=ast.Del())]
            elif (
                isinstance(target, ast.Subscript)
                and self.scope.temporaries
                and not isinstance(target.slice, ast.Slice)
            ):
                container, key = self._item_parts(target, statements)
                statements += self._note_item(ITEM_DELETED, container, key, target)
                single.targets = [ast.Subscript(container, key, ast.Del(), **location(target))]
            elif isinstance(target, ast.Subscript):
                single.targets = [self.target(target, context=ast.Del())]
            elif isinstance(target, ast.Name) and self._is_shared(target.id) and self.scope.temporaries:
                statements += self._note_name(target.id, placeholder("absent", at), at)
            statements.append(single)
        return statements

    def target(
        self, node: ast.expr, context: ast.expr_context | None = None, keeps: bool = False
    ) -> ast.expr:
        """A store (or delete) target that logs before the store happens; the target's parts are evaluated once."""
        context = context or ast.Store()
        if isinstance(node, (ast.Tuple, ast.List)):
            node.elts = [self.target(element, context) for element in node.elts]
        elif isinstance(node, ast.Starred):
            node.value = self.target(node.value, context)
        elif isinstance(node, ast.Attribute):
            node.value = self._noting_attribute(node, keeps)
        elif isinstance(node, ast.Subscript) and self.scope.kind != "comprehension":
            self._noting_item(node, context, keeps)
        return node

    def _noting_attribute(self, node: ast.Attribute, keeps: bool) -> ast.expr:
        owner = self.expression(node.value)
        at = location(node.value)
        name = mangle(node.attr, self.scope.class_name)
        label = f"{self.text(node.value)}\t{name}"
        if self.scope.kind == "comprehension":
            return owner
        if not self.scope.temporaries:
            mark = self.mark(ATTRIBUTE, at, where=node, label=label)
            hook = "note_attribute_kept" if keeps else "note_attribute"
            return call(placeholder(hook, at), [mark, placeholder(f"attribute:{name}", at), owner], at)
        fresh = (
            isinstance(owner, ast.Name)
            and owner.id == self.scope.fresh_self
            and isinstance(node.ctx, ast.Store)
        )
        if fresh and name not in self.scope.fresh_attributes:
            self.scope.fresh_attributes.add(name)
            mark = self.mark(ATTRIBUTE_NEW, at, where=node, label=label)
            return either([self.event(mark, [load(owner.id, at)], at), owner], at)
        mark = self.mark(ATTRIBUTE, at, where=node, label=label)
        first: ast.expr
        if is_repeatable(owner):
            first, again = owner, owner
        else:
            parked = self.scope.fresh("o")
            first, again = park(parked, owner, at), load(parked, at)
        reader = subscript(
            placeholder(f"attribute:{name}", at), call(placeholder("type", at), [again], at), at
        )
        old = call(reader, [again, constant(name, at), placeholder("absent", at)], at)
        return either([self.event(mark, [first, old], at), again], at)

    def _noting_item(self, node: ast.Subscript, context: ast.expr_context, keeps: bool) -> None:
        at = location(node.value)
        container = self.expression(node.value)
        label = f"{self.text(node.value)}\t"
        if isinstance(node.slice, ast.Slice):
            mark = self.mark(CONTENT, at, where=node, label=label)
            node.value = call(placeholder("note_content", at), [mark, container], at)
            node.slice = self.expression(node.slice)
            return
        kind = ITEM_DELETED if isinstance(context, ast.Del) else ITEM
        mark = self.mark(kind, at, where=node, label=label)
        key = self.expression(node.slice)
        node.value = call(placeholder("hold", at), [container], at)
        node.slice = call(placeholder("note_item_kept" if keeps else "note_item", at), [mark, key], at)

    # -- expressions ---------------------------------------------------------------------------------------------

    def expression(self, node: Any) -> Any:
        kind = type(node)
        if kind is ast.Name or kind is ast.Constant:
            return node
        method = getattr(self, "_" + kind.__name__, None)
        if method is not None and isinstance(node, ast.expr):
            return method(node)
        if kind is ast.BinOp:  # long chains lean left: walk them without recursion
            chain = node
            while isinstance(chain.left, ast.BinOp):
                chain.right = self.expression(chain.right)
                chain = chain.left
            chain.left = self.expression(chain.left)
            chain.right = self.expression(chain.right)
            return node
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, name, self.expression(value))
            elif isinstance(value, list):
                value[:] = [
                    self.expression(part) if isinstance(part, (ast.expr, ast.keyword)) else part
                    for part in value
                ]
        return node

    def arm(self, node: ast.expr) -> ast.expr:
        """An operand that is not always evaluated: a block of its own."""
        if self.scope.kind == "comprehension" and node.lineno == self._comprehension_line:
            return self.expression(node)  # type: ignore[no-any-return]
        outer, holes = self.block, self._holes
        holes.append(extent(node))
        self.block = self.new_block("arm", outer)
        at = location(node)
        event = self.event(self.mark(BLOCK, at), [], at)
        self.piece(node)
        inner = self.expression(node)
        self.block, self._holes = outer, holes
        return either([event, inner], at)

    _comprehension_line = 0
    _in_iterable = False  # of a comprehension: not even a lambda may hold an assignment expression there

    def _BoolOp(self, node: ast.BoolOp) -> ast.expr:
        node.values = [self.expression(node.values[0]), *(self.arm(value) for value in node.values[1:])]
        return node

    def _IfExp(self, node: ast.IfExp) -> ast.expr:
        node.test = self.expression(node.test)
        node.body = self.arm(node.body)
        node.orelse = self.arm(node.orelse)
        return node

    def _Compare(self, node: ast.Compare) -> ast.expr:
        node.left = self.expression(node.left)
        node.comparators = [
            self.expression(node.comparators[0]),
            *(self.arm(part) for part in node.comparators[1:]),
        ]
        return node

    def _Lambda(self, node: ast.Lambda) -> ast.expr:
        self._forget_fresh_self(node)
        holes = self._holes
        if self._in_iterable:
            return node
        self._lambda_defaults(node)
        if any(isinstance(part, (ast.Yield, ast.YieldFrom, ast.Await)) for part in own_nodes([node.body])):
            return node
        if any(isinstance(part, ast.Name) and part.id in _SEES_LOCALS for part in own_nodes([node.body])):
            return node
        outer, outer_block = self.scope, self.block
        parent = self.routines[outer.routine]
        scope = _Scope("lambda", len(self.routines), outer.class_name, temporaries=True)
        self.scope = scope
        self.block = self.new_block("routine", -1)
        parameters = _parameters(node.args)
        prefix = "" if parent.kind == "module" else f"{parent.qualname}.<locals>."
        self.routines.append(
            Routine(
                "<lambda>", prefix + "<lambda>", "lambda", node.lineno, self._column(node.lineno, node.col_offset),
                node.end_lineno or node.lineno, node.body.lineno, node.lineno,
                tuple(name.lstrip("*") for name in parameters), self.block, outer.routine,
            )
        )  # fmt: skip
        holes.append(extent(node.body))
        at = location(node.body)
        values: list[ast.expr] = [load(name.lstrip("*"), at) for name in parameters]
        enter_mark = self.mark(ENTER, at)
        at = point(at)
        stream = park("@L", attribute(placeholder("streams", at), "events", at), at)
        enter = call(attribute(stream, "extend", at), [tuple_of([enter_mark, *values], at)], at)
        self.piece(node.body)
        body = self.expression(node.body)
        leave = self.event(self.mark(RETURN, at, where=node.body), [load("@r", at)], at)
        node.body = either(
            [enter, same(park("@r", body, at), placeholder("absent", at), at), leave, load("@r", at)], at
        )
        self.scope, self.block, self._holes = outer, outer_block, holes
        return node

    def _lambda_defaults(self, node: ast.Lambda) -> None:
        for defaults in (node.args.defaults, node.args.kw_defaults):
            defaults[:] = [default if default is None else self.expression(default) for default in defaults]  # type: ignore[misc]

    def _comprehension(self, node: Any) -> ast.expr:
        """No temporaries: in an iterable Python allows none, elsewhere they would leak."""
        outer, outer_line = self.scope, self._comprehension_line
        inner = _Scope("comprehension", outer.routine, outer.class_name, temporaries=False)
        self.scope, self._comprehension_line = inner, node.lineno
        for generator in node.generators:
            outer_in, self._in_iterable = self._in_iterable, True
            generator.iter = self.expression(generator.iter)
            self._in_iterable = outer_in
            generator.ifs = [self.arm(condition) for condition in generator.ifs]
        for name in ("key", "value", "elt"):
            if hasattr(node, name):
                setattr(node, name, self.arm(getattr(node, name)))
        self.scope, self._comprehension_line = outer, outer_line
        return node

    _ListComp = _SetComp = _DictComp = _GeneratorExp = _comprehension

    def _sleep(self, node: Any, mark_kind: int) -> ast.expr:
        """`yield v`, `yield from x`, `await x` with a mark before, and one after that names the activation again."""
        at = location(node)
        value = self.expression(node.value) if node.value is not None else constant(None, at)
        if not (self.scope.tokened and self.scope.kind == "function"):
            node.value = value if node.value is not None else None
            return node  # type: ignore[no-any-return]
        token = [load("@t", at)] if mark_kind == DELEGATE else []
        mark = self.mark(mark_kind, at, where=node)
        inner = location(node.value) if node.value is not None else at
        noted: ast.expr = park("@y", value, inner)
        if mark_kind == DELEGATE:
            noted = _code_of(noted, "@y", inner)
        node.value = either([self.event(mark, [*token, noted], inner), load("@y", inner)], inner)
        at = point(at)
        stream = park("@L", attribute(placeholder("streams", at), "events", at), at)
        resume_mark = self.mark(RESUME, at, where=node)
        resume = call(
            attribute(stream, "extend", at), [tuple_of([resume_mark, load("@t", at), load("@s", at)], at)], at
        )
        return either([same(park("@s", node, at), placeholder("absent", at), at), resume, load("@s", at)], at)

    def _Yield(self, node: ast.Yield) -> ast.expr:
        return self._sleep(node, YIELD)

    def _YieldFrom(self, node: ast.YieldFrom) -> ast.expr:
        return self._sleep(node, DELEGATE)

    def _Await(self, node: ast.Await) -> ast.expr:
        return self._sleep(node, DELEGATE)

    def _Call(self, node: ast.Call) -> ast.expr:
        self._forget_fresh_self(node)
        function = node.func
        if self._library_call(node):
            return node
        if not (isinstance(function, ast.Attribute) and function.attr in METHOD_NAMES):
            node.func = self.expression(function)
            node.args = [self.expression(argument) for argument in node.args]
            for keyword in node.keywords:
                keyword.value = self.expression(keyword.value)
            return node
        receiver = self._receiver(function.value)
        node.args = [self.expression(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.expression(keyword.value)
        at = location(function.value)
        method = function.attr
        positional = not node.keywords and not any(
            isinstance(argument, ast.Starred) for argument in node.args
        )
        append = method == "append" and positional and len(node.args) == 1
        label = f"{self.text(function.value)}\t{method}"
        mark = self.mark(APPEND if append else MUTATE, at, where=node, label=label)
        table = placeholder(f"method:{method}", at)
        if not self.scope.temporaries:
            known = [argument for argument in node.args if is_repeatable(argument)] if positional else []
            if append:
                known, table = [], constant(None, at)  # type: ignore[assignment]
            elif len(known) != len(node.args) or not positional:
                known, table = [], placeholder("copying", at)
            function.value = call(placeholder("note_mutation", at), [mark, table, receiver, *known], at)
            return node
        if is_repeatable(receiver):
            first, again = receiver, receiver
        else:
            name = self.scope.fresh("r")
            first, again = park(name, receiver, at), load(name, at)
        quiet = positional and all(map(is_quiet, node.args))
        if append and quiet:
            function.value = either([self.event(mark, [first], at), again], at)
            return node
        if append:
            argument = node.args[0]
            inner = location(argument)
            name = self.scope.fresh("a")
            function.value = first
            node.args[0] = either(
                [same(park(name, argument, inner), placeholder("absent", inner), inner), self.event(mark, [again], inner), load(name, inner)],
                inner,
            )  # fmt: skip
            return node
        reader = self.scope.fresh("h")
        if not node.args or not positional:
            found = park(reader, subscript(table, call(placeholder("type", at), [first], at), at), at)
            note = self.event(mark, [again, call(load(reader, at), [again], at)], at)
            function.value = either([both([found, note], at), again], at)
            return node
        function.value = first
        known = []
        for index, argument in enumerate(node.args[:-1]):
            if is_repeatable(argument):
                known.append(argument)
            else:
                name = self.scope.fresh("a")
                node.args[index] = park(name, argument, location(argument))
                known.append(load(name, location(argument)))
        last = node.args[-1]
        inner = location(last)
        found = park(reader, subscript(table, call(placeholder("type", inner), [again], inner), inner), inner)
        if isinstance(last, ast.Constant):
            final: ast.expr = last
            start: list[ast.expr] = []
        else:
            name = self.scope.fresh("a")
            final = load(name, inner)
            start = [same(park(name, last, inner), placeholder("absent", inner), inner)]
        note = self.event(mark, [again, call(load(reader, inner), [again, *known, final], inner)], inner)
        node.args[-1] = either([*start, both([found, note], inner), final], inner)
        return node

    def _library_call(self, node: ast.Call) -> bool:
        """Note calls by a name that library functions have which change what they are given (`insort`, `setattr`…)."""
        function = node.func
        name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        effect = LIBRARY_NAMES.get(name, "")
        if not effect or any(isinstance(part, ast.Starred) for part in node.args):
            return False
        plain = isinstance(function, ast.Name) or isinstance(getattr(function, "value", None), ast.Name)
        through_super = effect == "named" and not plain
        if not (plain or through_super):
            return False
        needed = 1 if effect == "first" or through_super else 2
        if len(node.args) < needed:
            return False
        node.args = [self.expression(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.expression(keyword.value)
        at = point(location(node.args[0]))
        kind = NAMED if effect == "named" else MUTATE
        changed = function.value if through_super else node.args[0]  # type: ignore[attr-defined]
        mark = self.mark(kind, at, where=node, label=f"{self.text(changed)}\t{name}")
        if through_super:
            function.value = call(placeholder("hold", at), [self.expression(changed)], at)  # type: ignore[attr-defined]
            node.args[0] = call(placeholder("note_named", at), [mark, node.args[0]], at)
            return True
        again = (
            load(name, at)
            if isinstance(function, ast.Name)
            else attribute(load(function.value.id, at), name, at)
        )  # type: ignore[attr-defined]
        if effect == "first":
            node.args[0] = call(placeholder("note_library", at), [mark, again, node.args[0]], at)
            return True
        node.args[0] = call(placeholder("hold", at), [node.args[0]], at)
        hook = "note_named" if effect == "named" else "note_library_item"
        noted = [mark, node.args[1]] if effect == "named" else [mark, again, node.args[1]]
        node.args[1] = call(placeholder(hook, at), noted, at)
        return True

    def _forget_fresh_self(self, node: Any) -> None:
        """From the first call (loop, class, lambda) in `__init__` that could see `self`, its attributes may exist already."""
        if self.scope.fresh_self is None or isinstance(
            node, (ast.While, ast.For, ast.AsyncFor, ast.ClassDef, ast.Lambda)
        ):
            self.scope.fresh_self = None
            return
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in (self.scope.fresh_self, "super"):
                self.scope.fresh_self = None
                return


def _code_of(parked: ast.expr, name: str, at: Location) -> ast.expr:
    """What tells whose run an awaitable is, without keeping it alive: its code, or its class."""
    table = placeholder("awaited", at)
    return call(subscript(table, call(placeholder("type", at), [parked], at), at), [load(name, at)], at)


def _again(node: ast.expr, at: Location) -> ast.expr:
    """A second evaluation of a name or constant."""
    return load(node.id, at) if isinstance(node, ast.Name) else constant(node.value, at)  # type: ignore[attr-defined]


_FIRST_PART = (
    "decorator_list", "value", "test", "iter", "items", "context_expr", "subject", "exc", "left", "values", "func", "elts", "keys",
)  # fmt: skip


def _first_point(statement: Any) -> Location:
    """Where a statement's execution starts: what is put before it must not be a line of its own."""
    node = statement
    if isinstance(node, ast.AugAssign):
        return point(location(node.target))
    while True:
        if isinstance(node, ast.expr) and not isinstance(node, _EVALUATED_FIRST):
            break
        found = next((part for name in _FIRST_PART if (part := getattr(node, name, None))), None)
        part = found[0] if isinstance(found, list) else found
        if not isinstance(part, (ast.expr, ast.withitem)):
            break
        node = part
    return point(location(node if hasattr(node, "lineno") else statement))


_EVALUATED_FIRST = (
    ast.BinOp, ast.BoolOp, ast.Compare, ast.Call, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Set, ast.Await, ast.IfExp,
    ast.Starred,
)  # fmt: skip


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _parameters(arguments: ast.arguments) -> list[str]:
    """Parameter names in order; `*args` and `**kwargs` keep their stars."""
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    if arguments.vararg:
        names.append("*" + arguments.vararg.arg)
    names += [argument.arg for argument in arguments.kwonlyargs]
    if arguments.kwarg:
        names.append("**" + arguments.kwarg.arg)
    return names


def _returns_early(body: list[ast.stmt]) -> bool:
    """Whether a `return` stands where code still runs after it: in `with`, or `try` with `finally`."""
    todo: list[tuple[Any, bool]] = [(statement, False) for statement in body]
    while todo:
        node, inside = todo.pop()
        if isinstance(node, ast.Return) and inside:
            return True
        if isinstance(node, Function + (ast.ClassDef, ast.expr)):
            continue
        inside = (
            inside or isinstance(node, (ast.With, ast.AsyncWith)) or bool(getattr(node, "finalbody", None))
        )
        todo.extend((child, inside) for child in ast.iter_child_nodes(node))
    return False


def _parallel(target: ast.Tuple, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """`a[i], b = x, y` as pairs, where a store is worth logging and each side is plain; else nothing."""
    if not isinstance(value, ast.Tuple) or len(value.elts) != len(target.elts):
        return []
    if any(isinstance(part, ast.Starred) for part in (*target.elts, *value.elts)):
        return []
    if not any(isinstance(part, (ast.Subscript, ast.Attribute)) for part in target.elts):
        return []
    if any(isinstance(part, (ast.Tuple, ast.List)) for part in target.elts):
        return []
    return list(zip(target.elts, value.elts))
