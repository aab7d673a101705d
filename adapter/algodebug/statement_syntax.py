"""One source as a syntax tree: where its statements stand, and what each of them can do by its text alone."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from algotrace.trace import Routine

Region = tuple[int, int, int, int]  # line, column, end line, end column; columns in characters

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_OPERATING = (
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.BoolOp,
    ast.IfExp,
    ast.Assert,
    ast.Attribute,
    ast.Subscript,
    ast.AugAssign,
    ast.comprehension,
    ast.FormattedValue,
    ast.Starred,
    ast.Import,
    ast.ImportFrom,
    ast.ClassDef,
    ast.With,
    ast.For,
    ast.Await,
    ast.YieldFrom,
    ast.Delete,
    ast.List,
    ast.Tuple,
)
IMPORT = "import"  # among what is called: the bodies of modules, which no function has for a name
_BARE = " \t,;:()[]{}"  # says nothing by itself
_SLEEPS = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)


@dataclass
class Facts:
    """What a piece of syntax can do, by its text alone."""

    calls: Counter[str] = field(default_factory=Counter)
    repeats: bool = False  # it may call the same function any number of times
    acts: bool = False  # it may run code of the program
    operates: bool = False  # … by something else than a call
    stores: frozenset[str] = frozenset()
    sleeps: bool = False
    attributes: frozenset[str] = frozenset()  # that it reads: properties run code

    def without(self, names: Sequence[str]) -> Facts:
        """The same, but for calls by some names."""
        return replace(self, calls=Counter({n: c for n, c in self.calls.items() if n not in names}))


class Syntax:
    """The syntax tree of one source with the regions of its statements; columns in characters as in the trace."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self._regions: dict[int, Region] = {}
        self._facts: dict[int, Facts] = {}
        self._heads: dict[int, Facts] = {}
        try:
            self.tree: ast.Module | None = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.tree = None
        self._functions: dict[tuple[int, int], ast.AST] = {}
        for node in ast.walk(self.tree) if self.tree is not None else ():
            if isinstance(node, FUNCTIONS):
                self._functions[node.lineno, self.column(node.lineno, node.col_offset)] = node

    def column(self, line: int, offset: int) -> int:
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="replace"))

    def body_of(self, routine: Routine) -> list[ast.stmt] | None:
        """The statements of a routine; None where they cannot be found."""
        if routine.kind == "module":
            return None if self.tree is None else self.tree.body
        found = self._functions.get((routine.line, routine.column))
        return found.body if isinstance(found, FUNCTIONS) else None

    def region(self, node: ast.AST) -> Region:
        """Where a node stands, decorators included."""
        known = self._regions.get(id(node))
        if known is None:
            first: Any = node
            for decorator in getattr(node, "decorator_list", ()):
                if decorator.lineno < first.lineno:
                    first = decorator
            last: Any = node
            known = self._regions[id(node)] = (
                first.lineno,
                self.column(first.lineno, first.col_offset),
                last.end_lineno,
                self.column(last.end_lineno, last.end_col_offset),
            )
        return known

    def head_facts(self, node: ast.AST) -> Facts:
        """Of the head of a compound statement: objects are asked whether they are true, for an iterator, to enter."""
        known = self._heads.get(id(node))
        if known is None:
            known = self.facts(node)
            if not isinstance(node, ast.Constant):
                known = replace(known, acts=True, operates=True)
            self._heads[id(node)] = known
        return known

    def facts(self, node: ast.AST) -> Facts:
        known = self._facts.get(id(node))
        if known is None:
            known = self._facts[id(node)] = _facts(node)
        return known


def pieces_without(lines: Sequence[str], region: Region, holes: Sequence[Region]) -> list[Region]:
    """A region line by line without some parts of it, and without the blanks and brackets that are left around them."""
    pieces: list[Region] = []
    for line in range(region[0], region[2] + 1):
        low = region[1] if line == region[0] else 0
        high = region[3] if line == region[2] else len(lines[line - 1])
        for hole in sorted(holes):
            if hole[0] <= line <= hole[2]:
                start = hole[1] if line == hole[0] else 0
                stop = hole[3] if line == hole[2] else high
                pieces.append((line, low, line, min(start, high)))
                low = max(low, stop)
        pieces.append((line, low, line, high))
    bare_ends = _BARE if holes else " \t"
    found = []
    for line, low, _, high in pieces:
        text = lines[line - 1][low:high] if low < high else ""
        bare = text.strip(bare_ends)
        if bare:
            start = low + text.index(bare)
            found.append((line, start, line, start + len(bare)))
    return found


def inside(inner: Sequence[int], outer: Sequence[int]) -> bool:
    return (outer[0], outer[1]) <= (inner[0], inner[1]) and (inner[2], inner[3]) <= (outer[2], outer[3])


def _run_here(node: ast.AST) -> Iterator[ast.AST]:
    """What may run when a piece of code does: of a function that is defined there its head."""
    pending = [node]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, FUNCTIONS):
            pending += [*part.decorator_list, part.args]
            pending += [part.returns] if part.returns is not None else []
        else:
            pending += ast.iter_child_nodes(part)


def _facts(node: ast.AST) -> Facts:
    facts = Facts()
    stores: set[str] = set()
    attributes: set[str] = set()
    for part in _run_here(node):
        if isinstance(part, ast.Call):
            function = part.func
            name = getattr(function, "id", getattr(function, "attr", ""))
            facts.calls[name] += 1
        elif isinstance(part, ast.ClassDef):
            facts.calls[f"class {part.name}"] += 1  # its body runs
        elif isinstance(part, (ast.Import, ast.ImportFrom)):
            facts.calls[IMPORT] += 1
            facts.repeats = True  # modules import others
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            stores.add(part.id)
        facts.repeats |= isinstance(part, (*_COMPREHENSIONS, ast.Lambda, ast.Starred))
        facts.sleeps |= isinstance(part, _SLEEPS)
        facts.acts |= isinstance(part, (ast.Call, *_OPERATING))
        facts.operates |= isinstance(part, _OPERATING)
        if isinstance(part, ast.Attribute):
            attributes.add(part.attr)
    facts.stores = frozenset(stores)
    facts.attributes = frozenset(attributes)
    return facts


def is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def only_defines(node: ast.stmt) -> bool:
    """A definition or an import that ran nothing: there is nothing in it to be wrong here."""
    if isinstance(node, FUNCTIONS):
        return not (node.decorator_list or node.args.defaults or any(node.args.kw_defaults))
    return isinstance(node, (ast.Import, ast.ImportFrom))


def in_value(syntax: Syntax, node: Any, at: Sequence[int]) -> bool:
    value = getattr(node, "value", None)
    return value is not None and inside(at, syntax.region(value))
