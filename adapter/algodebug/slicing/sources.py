"""What pieces of source text could do: assign, store, leave. Told by the syntax tree alone; nothing is compiled or run.

The files of a trace, and what the functions of a program could do together, are in `source_files`.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Protocol, TypeVar

from algodebug.slicing.mutating import KEEPING_SIZE, MUTATORS, SETTERS, chosen_in, gives_mutator, method_read
from algotrace.syntax import bound_by

Made = TypeVar("Made")
Place = tuple[int, int, int, int]
Scope = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
Comprehension = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

# The special methods of operators; for `+` also those with `r` and `i` before "add".
BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and", ast.BitOr: "or",
    ast.BitXor: "xor",
}  # fmt: skip
UNARY: dict[type[ast.unaryop], str] = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}
BUILTINS = frozenset(dir(builtins))
# Builtins that call nothing that they are given.
CALLING_NOTHING = frozenset({"len", "range", "print", "str", "repr", "int", "float", "bool", "isinstance", "abs", "ord", "chr", "get", "items", "keys", "values", "join", "split", "format", "sum", "enumerate", "zip", "reversed", "round", "divmod", "setattr", "getattr", "super", "replace", "upper", "count", "index", "find", "startswith", "copy"})  # fmt: skip
# Functions of the library that call what they are given.
CALLING_BACK = frozenset({"map", "filter", "sorted", "sort", "min", "max", "reduce", "accumulate", "starmap", "filterfalse", "takewhile", "dropwhile", "groupby", "defaultdict"})  # fmt: skip
# Functions that give iterators, by the last part of their name.
ITERATORS = frozenset({
    "iter", "zip", "map", "filter", "enumerate", "reversed", "open",
    "accumulate", "chain", "combinations", "compress", "count", "cycle", "dropwhile", "filterfalse", "from_iterable",
    "groupby", "islice", "pairwise", "permutations", "product", "repeat", "starmap", "takewhile", "zip_longest",
    "finditer", "reader", "DictReader", "iterdir", "glob", "rglob", "scandir",
})  # fmt: skip
ANY = "?"  # among the names of what is called: some function or other, by way of a variable
_OF_NAMES = frozenset({"locals", "globals", "eval", "exec"})  # these look at names whatever they are given
_ENDING = frozenset({"exit", "quit", "_exit", "abort"})
CODE_IN_TEXT = frozenset({"exec", "eval"})
_OF_NAMES_ALONE = frozenset({"vars", "dir"})  # … without an argument
RETURN, RAISE, BREAK, CONTINUE = "return", "raise", "break", "continue"


Binding = tuple[ast.expr, bool]  # what a name is bound to, and whether to an element of that


LEAVES: frozenset[type] = frozenset(
    {ast.Name, ast.Constant, ast.Global, ast.Nonlocal, ast.Pass, ast.Break, ast.Continue}
)
_FIELDS: dict[type, tuple[str, ...]] = dict.fromkeys(LEAVES, ())
# Contexts and operators, which have no place in the text, and some of what holds no nodes.
_WITHOUT_PARTS = frozenset(
    {"arg", "attr", "conversion", "ctx", "kwd_attrs", "op", "ops", "type_comment", "type_ignores"}
)


def children(node: ast.AST) -> list[Any]:
    """As `ast.iter_child_nodes`, in the same order and a fraction of its time; contexts and operators are left out."""
    kind = type(node)
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = _FIELDS[kind] = tuple(field for field in kind._fields if field not in _WITHOUT_PARTS)
    values, found = node.__dict__, list[Any]()
    for field in fields:
        value = values.get(field)
        if not value:
            continue
        if type(value) is list:
            # Of `{**other}` there is no key, of a parameter perhaps no default.
            found += filter(None, value) if kind is ast.Dict or kind is ast.arguments else value
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def walk(node: ast.AST) -> list[Any]:
    """As `ast.walk`, in the same order and a fraction of its time; contexts and operators are left out."""
    found = [node]
    for part in found:
        if type(part) not in LEAVES:
            found += children(part)
    return found


def own_children(node: ast.AST) -> list[Any]:
    """The children of a node, but for the bodies of functions."""
    if isinstance(node, Function):
        return [*_decorated(node), *node.args.defaults, *filter(None, node.args.kw_defaults)]
    if type(node) is ast.Call and node.args and last_name(node.func) in CODE_IN_TEXT:
        return [*children(node), *_code_in(node.args[0])]
    return [*children(node), *_decorated(node)] if type(node) is ast.ClassDef else children(node)


def _decorated(node: ast.AST) -> list[ast.Call]:
    """The calls of the decorators of a definition."""
    if not getattr(node, "decorator_list", None):
        return []
    return kept(node, "_made", lambda: [_call_of(each) for each in node.decorator_list])  # type: ignore[attr-defined]


def _call_of(function: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(function, [], []), function)


def _code_in(text: ast.expr) -> list[ast.stmt]:
    """What `exec` and `eval` run of a text that is written there."""
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        return []
    return kept(text, "_made", lambda: _parsed(text))


def _parsed(text: ast.Constant) -> list[ast.stmt]:
    try:
        code = ast.parse(str(text.value).strip())
    except (SyntaxError, ValueError):
        return []
    for part in ast.walk(code):
        if hasattr(part, "lineno"):
            ast.copy_location(part, text)
    return code.body


def kept(node: ast.AST, name: str, make: Callable[[], Made]) -> Made:
    """What was made of a node once, by the name it is kept as: it lives as long, and is told by its identity."""
    values = node.__dict__
    if name not in values:
        values[name] = make()
    made: Made = values[name]
    return made


def own_parts(node: ast.AST) -> list[Any]:
    """A node and what is inside it, but for the bodies of functions defined there."""
    found: list[Any] = []
    todo: list[Any] = [node]
    while todo:
        part = todo.pop()
        found.append(part)
        if type(part) not in LEAVES:
            todo += own_children(part)
    return found


def own_level(node: ast.AST, inside: list[ast.stmt]) -> list[Any]:
    """Its own parts, but for those of the statements in it, which are put into a list."""
    found: list[Any] = []
    todo = [node]
    while todo:
        part = todo.pop()
        if part is not node and isinstance(part, ast.stmt):
            inside.append(part)
            continue
        found.append(part)
        if type(part) not in LEAVES:
            todo += own_children(part)
    return found


def own_statements(code: Any) -> Iterator[ast.AST]:
    """What is inside the statements of a function, a class or a module."""
    for statement in [] if code is None else [code.body] if isinstance(code, ast.Lambda) else code.body:
        yield from own_parts(statement)


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


def defined_again(code: Any) -> dict[str, bool]:
    """Names of functions and classes that a scope defines and binds in another place as well; whether that is a definition, too."""
    definitions, others = Counter[str](), Counter[str]()
    todo: list[ast.AST] = [] if isinstance(code, ast.Lambda) else list(code.body)
    while todo:
        node = todo.pop()
        if isinstance(node, Scope):
            definitions.update(bound_by(node))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            others.update(bound_by(node))
        elif isinstance(node, ast.Assign):
            others.update(target.id for target in node.targets if isinstance(target, ast.Name))
        else:
            parts = ast.iter_child_nodes(node)
            todo += [
                part for part in parts if isinstance(part, (ast.stmt, ast.ExceptHandler, ast.match_case))
            ]
    return {name: not others[name] for name, count in definitions.items() if count + others[name] > 1}


def values_bound(code: Any) -> frozenset[str]:
    """Names of a function's own that may stand for other functions than those of that name: parameters, what it assigns."""
    if not isinstance(code, Function):
        return frozenset()
    body = [code.body] if isinstance(code, ast.Lambda) else code.body
    return frozenset((*parameters(code.args), *names_assigned(body)))


def names_assigned(body: Iterable[ast.AST]) -> set[str]:
    """Names that a suite binds, but for those of definitions and imports."""
    return {
        part.id
        for statement in body
        for part in own_parts(statement)
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)
    }


class NameScope:
    """Which names of a function are its own, which are global or of a function around it."""

    def __init__(self, node: Any) -> None:
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        bound: set[str] = set()
        for statement in body:
            for part in own_parts(statement):
                bound.update(bound_by(part))
                if isinstance(part, ast.Global):
                    self.globals.update(part.names)
                elif isinstance(part, ast.Nonlocal):
                    self.nonlocals.update(part.names)
        given = parameters(node.args) if isinstance(node, Function) else []
        self.locals = (bound | set(given)) - self.globals - self.nonlocals


class Effects:
    """What a piece of code could do if it ran: all of it, on any path."""

    __slots__ = (
        "anywhere",
        "attributes",
        "callees",
        "calls",
        "defaults",
        "globals",
        "handed",
        "implied",
        "items",
        "names",
        "outer",
        "resizes",
        "runs",
    )

    def __init__(self) -> None:
        self.names: set[str] = set()  # that it could bind
        self.outer: set[str] = (
            set()
        )  # … of those the ones of modules and functions around the functions it calls
        self.attributes: set[str] = set()  # that it could store
        self.items = False  # whether it could change a container
        self.resizes = False  # … and how many elements a list has
        self.calls: set[str] = set()  # last parts of what it calls
        self.callees: set[str] = (
            set()
        )  # … of those what is called itself, or surely is by what it is given to
        self.implied: set[str] = set()  # of functions that could run without being called
        self.runs: set[str] = set()  # … of all functions that could run then
        self.handed = False  # … by functions without a name, who knows to what
        self.anywhere = False  # whether it could store by way of a namespace, who knows of what
        self.globals: set[tuple[int, str]] = set()  # (source, name) of others that it reads
        self.defaults: set[tuple[Any, str]] = set()  # (function, parameter) that it could leave out

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
        self.callees |= other.callees
        self.implied |= other.implied
        self.anywhere = self.anywhere or other.anywhere


def exits(body: Iterable[ast.AST]) -> frozenset[str]:
    """How a suite could be left, other than by running to its end: seen from outside it."""
    return frozenset[str]().union(*(kept(each, "_exits", partial(_exits, each)) for each in body))


def _exits(statement: ast.AST) -> frozenset[str]:
    found: set[str] = set()
    todo: list[tuple[ast.AST, bool]] = [(statement, False)]
    while todo:
        node, looped = todo.pop()
        if isinstance(node, ast.Return):
            found.add(RETURN)
        elif isinstance(node, (ast.Raise, ast.Assert)) or _ends_program(node):
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


def _ends_program(node: ast.AST) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and last_name(call.func) in _ENDING


class Values(Protocol):
    """What the files of a trace say about values, by the text."""

    def is_variable(self, function: ast.AST, /) -> bool:
        """Whether what is called may be another function than the one of that name."""

    def may_make_items(self) -> bool:
        """Whether reading an item may run a function."""

    def may_be_namespace(self, node: ast.AST, /) -> bool:
        """Whether what is stored into may be the dict of an object's attributes."""


def effects(
    parts: Iterable[ast.AST],
    values: Values,
    implied: Callable[[ast.AST], Iterable[str]],
    inside: list[ast.stmt],
) -> Effects:
    """What is written in the text itself, see `written`; `SourceFiles.effects` adds what the functions it calls could do.

    `implied`: the functions that evaluating a node may run although it does not call them. `inside` gets the statements
    in the parts, of which nothing is told.
    """
    found = Effects()
    for piece in parts:
        if gives_mutator(piece):
            found.items = found.resizes = True
        for node in own_level(piece, inside):
            found.names.update(bound_by(node))
            if type(node) in LEAVES:
                continue
            found.implied.update(implied(node))
            if isinstance(node, ast.Attribute):
                if not isinstance(node.ctx, ast.Load):
                    found.attributes.add("*" if node.attr == "__dict__" else node.attr)
            elif isinstance(node, ast.Subscript):
                if not isinstance(node.ctx, ast.Load):
                    found.items = True
                    if values.may_be_namespace(node.value):
                        found.attributes.add("*")
                        found.anywhere = found.anywhere or namespace_owner(node.value) is None
                    if isinstance(node.ctx, ast.Del) or isinstance(node.slice, ast.Slice):
                        found.resizes = True
                elif values.may_make_items():
                    found.calls.add("")
            elif isinstance(node, ast.Call):
                name = last_name(node.func)
                if name in MUTATORS:
                    found.items = True
                    if name not in KEEPING_SIZE:
                        found.resizes = True
                    holder = node.func.value if isinstance(node.func, ast.Attribute) else None
                    if name in SETTERS:
                        found.attributes.add("*")
                    elif holder is not None and values.may_be_namespace(holder):
                        found.attributes.add("*")
                        found.anywhere = found.anywhere or namespace_owner(holder) is None
                found.calls.add(name)
                if (method := method_read(node.func)) is not None:
                    found.calls.add(method or ANY)
                    if not method or method in MUTATORS:
                        found.items = found.resizes = True
                function = behind_call(node.func)
                found.calls.add(last_name(function))
                called = [function, *called_back(node)]
                found.callees.update(map(last_name, called))
                if any(map(values.is_variable, called)):
                    found.calls.add(ANY)
                    found.callees.add(ANY)
                found.calls.update(map(last_name, called_back(node)))
                if name not in CALLING_NOTHING:  # functions that are handed over may be called
                    names = {last_name(part) for part in given(node)} - {""}
                    found.calls |= names
                    if not names.isdisjoint(MUTATORS):
                        found.items = found.resizes = True
            elif isinstance(node, ast.AugAssign):
                if may_change_in_place(node):
                    found.items = found.resizes = True
            elif any(map(gives_mutator, chosen_in(node))):
                found.items = found.resizes = True
    return found


def written(
    parts: Iterable[ast.AST],
    values: Values,
    implied: Callable[[ast.AST], Iterable[str]],
    known: dict[int, Effects],
) -> Effects:
    """What pieces of text could do, with the statements in them.

    Of each statement that is told once, and put together for those around it: branches lie in branches, and each is asked
    about. `known`: what was told of statements, by their identity.
    """
    total = Effects()
    for piece in parts:
        levels: list[tuple[ast.AST, Effects, list[ast.stmt]]] = []
        todo = [piece]
        while todo:
            each = todo.pop()
            if id(each) not in known:
                inside: list[ast.stmt] = []
                levels.append((each, effects([each], values, implied, inside), inside))
                todo += inside
        for each, found, inside in reversed(levels):
            for statement in inside:
                found.add(known[id(statement)])
            known[id(each)] = found
        total.add(known[id(piece)])
    return total


def given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def called_back(call: ast.Call) -> list[ast.expr]:
    """What a call of a builtin calls: `map(f, xs)`, `sorted(xs, key=f)`; of a lambda what that calls."""
    found = [keyword.value for keyword in call.keywords if keyword.arg == "key"]
    if last_name(call.func) in ("map", "filter"):
        found += call.args[:1]
    inner = (part for each in found if isinstance(each, ast.Lambda) for part in ast.walk(each.body))
    return [each for each in found if not isinstance(each, ast.Lambda)] + [
        part.func for part in inner if isinstance(part, ast.Call)
    ]


def values_in(node: ast.AST) -> list[ast.expr]:
    """The expressions in a piece of text that give what is passed on, kept or given back."""
    if isinstance(node, ast.Call):
        return given(node)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return node.elts if isinstance(getattr(node, "ctx", None), (ast.Load, type(None))) else []
    if isinstance(node, (ast.Dict, ast.BoolOp)):
        return node.values
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.Return)) and node.value is not None:
        return [node.value]
    return []


def may_change_in_place(node: ast.AugAssign) -> bool:
    """Whether `x += …` could change an object: but for `*=`, with a number it could not."""
    return isinstance(node.op, ast.Mult) or not is_number(node.value)


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


def looks_at_names(call: ast.Call) -> bool:
    """Whether a call, of a builtin, looks at the names that are bound."""
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    return name in _OF_NAMES or (name in _OF_NAMES_ALONE and not call.args)


def is_namespace(node: ast.AST) -> bool:
    """Whether an expression gives a namespace."""
    if isinstance(node, ast.Attribute):
        return node.attr == "__dict__"
    return isinstance(node, ast.Call) and last_name(node.func) in ("vars", "globals", "locals")


def namespace_owner(namespace: ast.AST) -> ast.expr | None:
    """The object whose namespace an expression gives; None where the text does not tell."""
    if isinstance(namespace, ast.Attribute) and namespace.attr == "__dict__":
        return namespace.value
    if isinstance(namespace, ast.Call) and namespace.args and last_name(namespace.func) == "vars":
        return namespace.args[0]
    return None


def behind_call(function: ast.expr) -> ast.expr:
    """What `f.__call__(x)` calls: `f`."""
    is_method = isinstance(function, ast.Attribute) and function.attr == "__call__"
    return function.value if is_method and not isinstance(function.value, ast.Call) else function  # type: ignore[attr-defined]


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


def either(several: Iterable[frozenset[str]]) -> frozenset[str] | None:
    """The names of exceptions that any of several catches; empty for any exception, None where there are none."""
    found: frozenset[str] | None = None
    for names in several:
        found = names if found is None else names | found if names and found else frozenset()
    return found


def is_enum(node: ast.AST | None) -> bool:
    """Whether the members of a class are made from all of them."""
    bases = node.bases if isinstance(node, ast.ClassDef) else []
    return any(last_name(base).endswith(("Enum", "Flag")) for base in bases)
