"""The static tables of one source file, made while it is rewritten: blocks, marks, and the pieces of source they stand for.

Also how an event is spelled in syntax. Not here: which places get a mark; that is for the rewriting of expressions,
statements and definitions, which build on this class one after the other.
"""

from __future__ import annotations


import ast
import re
import sys
from typing import Any

from algotrace.marks import (
    BLOCK, BLOCK_END, ENTER, HANDLER, LEAVE, NAME,
    OUTCOME, OUTCOME_NONE, RAISE, RETURN, RETURN_NONE, SET, VALUES_AFTER, Block, MarkPlace, Range, Routine, Slot, Unit,
)  # fmt: skip
from algotrace.syntax import (
    Location, assign, attribute, call, constant, either, expression_statement, extent, load, location, placeholder, point, subscript, tuple_of, walk,
)  # fmt: skip

_TOKENED = frozenset(
    {ENTER, RETURN, RETURN_NONE, RAISE, BLOCK, HANDLER, BLOCK_END, OUTCOME, OUTCOME_NONE, LEAVE}
)
# Up to so many, one by one is faster than all at once; but on 3.10 any call may fail at the recursion limit.
_APPENDED = 0 if sys.version_info < (3, 11) else 6 if sys.version_info < (3, 13) else 8
_SUBSTANCE = re.compile(r"[\w'\"]|\.\.\.")
_CONNECTIVES = re.compile(r"\b(and|or|if|else|not|in|is|for|async)\b")


def thread_stream(at: Location) -> ast.expr:
    """The events of the thread that asks. An empty list is looked for once more, and found.

    Python 3.13 compiles branches in code without a line number wrongly: there is none in such code.
    """
    if at["lineno"] < 0:
        return attribute(placeholder("streams", at), "events", at)
    return either([attribute(placeholder(name, at), "events", at) for name in ("alone", "streams")], at)


class CodeScope:
    """What the rewriting of one code object needs to know."""

    def __init__(self, kind: str, routine: int, class_name: str | None, *, temporaries: bool) -> None:
        self.kind = kind  # "function", "lambda", "module", "class", "comprehension"
        self.routine = routine
        self.class_name = class_name
        self.temporaries = temporaries
        self.tokened = False
        self.sleeper: CodeScope | None = (
            None  # the function whose activation sleeps where it may, if that has a token
        )
        self.guarded = False
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.watched: frozenset[str] = frozenset()  # of those, what a statement under way binds
        self.locals: frozenset[str] = frozenset()  # names bound in it
        self.lasting: frozenset[str] = frozenset()  # of a module or class: also looked up by others
        self.free: frozenset[str] = frozenset()  # names bound in functions around it
        self.loops: list[int] = []
        self.around = 1  # how many statements that Python counts are around: it takes so many one in the other, see `blocks_of`
        self.async_loops: list[
            list[ast.stmt]
        ] = []  # what says that an `async for` waits again; empty for `for`
        self.is_node = False  # of a class body: does it leave marks as a routine
        self.self_name = ""  # of a method's first parameter
        self.methods: frozenset[str] = frozenset()  # plain ones of the class around it
        self.bases: tuple[str, ...] = (
            "?",
        )  # of the class around it, by name; "?" for those that are no names
        self.fresh_self: str | None = None  # in `__init__`, while `self` cannot have been written elsewhere
        self.fresh_attributes: set[str] = set()  # … but for these
        self.fresh_end = (1 << 62, 0)  # line and column where that ends
        self.met_at = (1 << 62, 0)  # … or where the first of these stands
        self.is_init = False
        self.is_new = False
        self.cached = ""  # the attribute in which what the function returns is kept
        self.letting_go: list[ast.Assign | ast.BoolOp] = []  # where all temporaries are to become None
        self.counter = 0
        self.binder = self  # of a comprehension: whose names an assignment expression in it binds

    def declare(self, nodes: list[Any]) -> None:
        """What `global` and `nonlocal` statements among its nodes say."""
        for node in nodes:
            if isinstance(node, ast.Global):
                self.globals.update(node.names)
            elif isinstance(node, ast.Nonlocal):
                self.nonlocals.update(node.names)

    def meet_self(self, node: Any) -> None:
        """From this node on, in `__init__`, attributes of `self` may exist already."""
        if self.fresh_self is not None:
            self.fresh_end = (node.lineno, node.col_offset)
        self.fresh_self = None
        self.met_at = min(self.met_at, (node.lineno, node.col_offset))

    def is_met_before(self, node: ast.Call) -> bool:
        return self.is_init and self.met_at < (node.lineno, node.col_offset)

    def fresh(self, letter: str) -> str:
        self.counter += 1
        return f"@{letter}{self.counter}"


class Places:
    """Where the rewriting stands in the file, and what it has found so far; `unit` is the result."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = text.split("\n")  # not `splitlines`: to Python a form feed ends no line
        self.has_views = "memoryview" in text or "getbuffer" in text
        self.routines: list[Routine] = []
        self.marks: list[MarkPlace] = []
        self.left_alone: list[
            tuple[str, int, str, int]
        ] = []  # function, line, reason, line of its first decorator
        self.endings: set[str] = set()  # marks, as placeholders, with which a `finally:` of ours begins
        self._blocks: list[dict[str, Any]] = []
        self._pieces: list[list[tuple[Range, list[Range]]]] = []
        self._holes: list[Range] = []
        self.scope: CodeScope
        self.block = -1
        self.functions: frozenset[str] = frozenset()  # of the module, plain ones
        self.stored: tuple[frozenset[str], frozenset[str]] | None = None  # see `names_stored`
        self.new_lambdas: frozenset[int] = frozenset()  # see `instrument_makers.made_new_by`
        self.aliases_passed: frozenset[str] = frozenset()  # see `instrument_names`
        self.aliases: dict[str, tuple[str, str]] = {}  # see `methods_named`
        self.classes: dict[str, frozenset[str]] = {}  # of the module, plain ones with their functions
        self.no_containers: frozenset[str] = frozenset()  # classes of the module that cannot be containers
        self._used_at_once: set[int] = set()  # methods that library code is given, which does not keep them
        # … by which marks they are noted, where working out what comes after them may run code
        self._used_at_last: dict[int, list[ast.Constant]] = {}
        self.used_up: frozenset[int] = frozenset()  # see `instrument_namespaces`
        self._calling: set[int] = set()  # see `instrument_handed`
        self._asking: set[int] = set()
        self._making: set[int] = set()
        self.kept_namespaces: frozenset[int] = frozenset()
        self.left_names: frozenset[str] = frozenset()  # of functions that are not rewritten
        self.setters: frozenset[str] = frozenset()
        self.operator_modules: frozenset[str] = frozenset()
        self.kept_setters: frozenset[int] = frozenset()
        self.kept_filling: frozenset[int] = frozenset()
        self._decided: set[int] = set()  # calls whose truth is known from the way taken

    @property
    def unit(self) -> Unit:
        blocks = []
        for fields, pieces in zip(self._blocks, self._pieces):
            spans = tuple(span for piece in pieces for span in self._visible(*piece))
            of = fields["of"] and self._range_in_characters(fields["of"])
            slots = tuple(
                Slot(role, name, self._range_in_characters(at)) for role, name, at in fields["slots"]
            )
            blocks.append(Block(**{**fields, "of": of, "slots": slots}, spans=spans))
        return Unit(self.path, self.routines, blocks, [self._in_characters(mark) for mark in self.marks])

    def _column(self, line: int, column: int) -> int:
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return column if text.isascii() else len(text.encode()[:column].decode(errors="replace"))

    def text(self, node: Any) -> str:
        """The source of an expression, where it is short and on one line; else nothing."""
        if node.lineno != node.end_lineno or node.end_col_offset - node.col_offset > 60:
            return ""
        return (  # type: ignore[no-any-return]
            self.lines[node.lineno - 1]
            .encode()[node.col_offset : node.end_col_offset]
            .decode(errors="replace")
        )

    def _in_characters(self, mark: MarkPlace) -> MarkPlace:
        return mark if mark.at is None else mark._replace(at=self._range_in_characters(mark.at))

    def _range_in_characters(self, at: Range) -> Range:
        return Range(
            at.line, self._column(at.line, at.column), at.end_line, self._column(at.end_line, at.end_column)
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

    def new_block(self, kind: str, parent: int, of: Any = None) -> int:
        self._blocks.append(
            {
                "routine": self.scope.routine, "parent": parent, "kind": kind, "terminator": "", "end": (0, 0),
                "loop": -1, "of": None if of is None else extent(of), "slots": [],
            }
        )  # fmt: skip
        self._pieces.append([])
        return len(self._blocks) - 1

    def cover(self, whole: Range, holes: list[Range] | None = None, block: int | None = None) -> None:
        self._pieces[self.block if block is None else block].append((whole, [] if holes is None else holes))

    def piece(self, node: Any) -> None:
        """Cover an expression that is evaluated here; its conditional parts become holes as they are rewritten."""
        self._holes = []
        self.cover(extent(node), self._holes)

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

    def slot(self, role: str, name: str, node: Any) -> None:
        """The block under way leaves a value here, without a mark."""
        self._blocks[self.block]["slots"].append((role, name, extent(node)))

    def value_event(self, value: ast.expr, at: Location) -> ast.expr:
        """An expression that appends a value without a mark and is None."""
        at = point(at)
        return call(attribute(self.stream(at), "append", at), [value], at)

    def if_kept(self, value: ast.expr, again: ast.expr, at: Location) -> ast.expr:
        """`value`, or UNKNOWN for an object with a finalizer."""
        at = point(at)
        return ast.IfExp(self.is_kept(value, at), again, placeholder("unknown", at), **at)

    def is_kept(self, value: ast.expr, at: Location) -> ast.expr:
        at = point(at)
        return subscript(placeholder("kept", at), call(placeholder("type", at), [value], at), at)

    def bound(
        self, names: list[ast.Name], *, new: bool = False, where: Location | None = None, held: bool = False
    ) -> list[ast.stmt]:
        """Statements that note what names were just bound to. With `new` it may be an object nobody else holds, whose
        end the program may wait for: one that has a finalizer is not kept. `held`: see `holding_shared`."""
        if self.scope.kind not in ("function", "module", "class"):
            return []
        if self.scope.kind == "class" and not self.scope.is_node:
            names = [name for name in names if name.id in self.scope.globals | self.scope.nonlocals]
        statements: list[ast.stmt] = []
        for name in names:
            at = where or point(location(name))
            value: ast.expr = load(name.id, at)
            if new:
                value = self.if_kept(value, load(name.id, at), at)
            shared = name.id in self.scope.globals or name.id in self.scope.nonlocals
            if shared and self.scope.kind == "function" and not self.scope.temporaries:
                owner = "global" if name.id in self.scope.globals else "nonlocal"
                mark = self.mark(NAME, at, label=f"{owner} {name.id}")
                old = call(placeholder("let_go", at), [], at) if held else placeholder("unknown", at)
                statements += self.event_statements(mark, [old, value], at)
            elif name.id in self.scope.nonlocals and self.scope.kind == "class":
                mark = self.mark(NAME, at, label=f"nonlocal {name.id}")
                statements += self.event_statements(mark, [placeholder("unknown", at), value], at)
            elif self.scope.kind in ("module", "class"):
                owner = "global" if self.scope.kind == "module" or name.id in self.scope.globals else "class"
                mark = self.mark(SET, at, where=name, label=f"{owner} {name.id}")
                statements += self.event_statements(mark, [value], at)
            elif name.id in self.scope.watched:
                owner, kept = "global" if name.id in self.scope.globals else "nonlocal", f"@o {name.id}"
                mark = self.mark(NAME, at, label=f"{owner} {name.id}")
                statements += self.event_statements(mark, [load(kept, at), load(name.id, at)], at)
                statements.append(assign(kept, placeholder("unknown", at), at))  # it holds nothing any more
            elif name.id not in self.scope.globals and name.id not in self.scope.nonlocals:
                self.slot("store", name.id, name)
                statements.append(self.value_statement(value, at))
        return statements

    def holding_shared(self, node: ast.stmt, names: list[ast.Name], *, new: bool = False) -> list[ast.stmt]:
        """A statement that binds names, and what notes it. Where there are no temporaries, what global ones are bound to
        is held meanwhile; not where it may sleep: what is held would get mixed up."""
        held = self.scope.kind == "function" and not self.scope.temporaries
        held = held and not any(
            isinstance(part, (ast.Await, ast.Yield, ast.YieldFrom)) for part in walk(node)
        )
        return [*(self._hold_shared(names) if held else []), node, *self.bound(names, new=new, held=held)]

    def _hold_shared(self, names: list[ast.Name]) -> list[ast.stmt]:
        statements: list[ast.stmt] = []
        for name in reversed(names):
            at = point(location(name))
            if name.id in self.scope.globals:
                given = [call(placeholder("globals", at), [], at), constant(name.id, at)]
                old: ast.expr = call(placeholder("dict_get", at), [*given, placeholder("absent", at)], at)
            else:
                old = placeholder("unknown", at)
            if name.id in self.scope.globals | self.scope.nonlocals:
                statements.append(expression_statement(call(placeholder("hold", at), [old], at), at))
        return statements

    def stream(self, at: Location) -> ast.expr:
        at = point(at)
        return load("@L", at) if self.scope.temporaries else thread_stream(at)

    def token(self, at: Location) -> ast.expr:
        """What names the activation that runs here, which may sleep."""
        sleeper = self.scope.sleeper
        assert sleeper is not None
        return load("@t", at) if sleeper.temporaries else call(placeholder("token_around", at), [], at)

    def _marked(self, mark: ast.Constant) -> MarkPlace:
        return self.marks[int(str(mark.value).rpartition(":")[2])]

    def event(self, mark: ast.Constant, values: list[ast.expr], at: Location) -> ast.expr:
        """An expression that appends an event and is None."""
        at = point(at)
        if self._marked(mark).tokened:
            values = [self.token(at), *values]
        if not values:
            return call(attribute(self.stream(at), "append", at), [mark], at)
        return call(attribute(self.stream(at), "extend", at), [tuple_of([mark, *values], at)], at)

    def value_noted(self, mark: ast.Constant, value: ast.expr, at: Location) -> ast.expr:
        """`value`, after an event that has it: without temporaries."""
        if not self._marked(mark).tokened:
            return call(placeholder("note_value", at), [mark, value], at)
        return call(placeholder("note_value_of", at), [mark, self.token(at), value], at)

    def event_statements(
        self, mark: ast.Constant, values: list[ast.expr], at: Location, *, whole: bool = False
    ) -> list[ast.stmt]:
        """`@L.append(mark); @L.append(value)…`: a few statements that append are faster than `@L += (mark, value…)`.

        With `whole` nothing may come between them, and it works at the recursion limit too, where a call may not.
        """
        event = self.event(mark, values, at)
        at = point(at)
        if not (self.scope.temporaries and isinstance(event, ast.Call)):
            return [expression_statement(event, at)]
        parts = event.args[0].elts if isinstance(event.args[0], ast.Tuple) else event.args
        if len(parts) > 1 and (whole or len(parts) > _APPENDED):
            return [self._added(parts, at)]
        return [self.value_statement(part, at) for part in parts]

    def _added(self, parts: list[ast.expr], at: Location) -> ast.stmt:
        return ast.AugAssign(ast.Name("@L", ast.Store(), **at), ast.Add(), tuple_of(parts, at), **at)

    def value_statement(self, value: ast.expr, at: Location) -> ast.stmt:
        """`@L.append(value)`."""
        if self.scope.temporaries and not _APPENDED:
            return self._added([value], at)
        return expression_statement(self.value_event(value, at), at)

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
