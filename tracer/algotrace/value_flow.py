"""Where values of a file may go, told from its text: for methods of containers that are kept to be called later.

The names go for all of the file, whatever the order of what it does. A value *escapes* where code that is not of this file may
get it. Calls by code of this file are no escape: they are seen (see `instrument_bound`). Left out are values that the file has
from others, and those that operators of its own classes hand on. The names, see `held_values`; other files, `used_elsewhere`.
"""

from __future__ import annotations

import ast
import builtins
from typing import Any
from collections.abc import Iterable, Sequence

from algotrace.held_values import ANY_ATTRIBUTE, ANY_VARIABLE, NOBODY, RESULT, HeldValues, Holders, result_of
from algotrace.marks import Range
from algotrace.syntax import Comprehension, Function, bound_by, extent, own_nodes
from algotrace.used_elsewhere import NAMESPACES, beginning

# Builtin functions that do nothing with their arguments but tell something of them; and those that give them again, or what
# lies in them.
_TELLING = frozenset({
    "print", "len", "isinstance", "issubclass", "type", "id", "repr", "str", "bool", "callable", "hash", "hasattr", "format", "int",
    "float", "range", "abs", "round", "super", "dir", "ascii",
})  # fmt: skip
_GIVING = frozenset({"list", "tuple", "set", "frozenset", "dict", "iter", "enumerate", "zip", "reversed", "next", "sorted"})  # fmt: skip
_PUTTING = frozenset({"append", "appendleft", "add", "insert", "extend", "extendleft", "update", "setdefault", "__setitem__"})  # fmt: skip
_TAKING = frozenset({
    "get", "pop", "popleft", "popitem", "setdefault", "values", "items", "keys", "copy", "__getitem__", "__iter__", "__next__",
})  # fmt: skip
_HARMLESS = frozenset({"index", "count", "remove", "discard", "clear", "reverse", "rotate"})
_BUILTIN_NAMES = frozenset(vars(builtins))


class Parameters:
    """What a function of the file may be given its arguments as."""

    def __init__(self, arguments: ast.arguments, scope: str) -> None:
        def holder(argument: ast.arg | None) -> str | None:
            return None if argument is None else f"{scope}:{argument.arg}"

        self.by_position = [f"{scope}:{each.arg}" for each in (*arguments.posonlyargs, *arguments.args)]
        self.by_name = {each.arg: f"{scope}:{each.arg}" for each in (*arguments.args, *arguments.kwonlyargs)}
        self.more, self.more_named = holder(arguments.vararg), holder(arguments.kwarg)

    def at(self, position: int, before: Sequence[int]) -> list[str]:
        """One of them; `before`: how many there may be before all arguments, like `self`."""
        places = [position + each for each in before]
        found = [self.by_position[place] for place in places if place < len(self.by_position)]
        return found if len(found) == len(places) or not self.more else [*found, self.more]

    def named(self, name: str | None) -> list[str]:
        if name is None:
            return [*self.by_name.values(), *([self.more_named] if self.more_named else [])]
        known = self.by_name.get(name) or self.more_named
        return [known] if known else []

    def all(self) -> list[str]:
        return [*self.by_position, *([self.more] if self.more else [])]


class ValueFlow(HeldValues):
    """Raises SyntaxError, ValueError, RecursionError: the text cannot be read."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.methods: dict[tuple[int, int, int, int], str] = {}  # by extent, in bytes
        self._lines = text.split("\n")
        tree = ast.parse(text)
        self._names = {name for node in ast.walk(tree) for name in bound_by(node)}
        self._imported: set[str] = set()
        self._functions: dict[str, list[Parameters]] = {}
        self._classes: dict[str, ast.ClassDef] = {}
        self._scopes: list[tuple[str, frozenset[str]]] = [("", frozenset())]  # of functions: id, variables
        self._routines: list[str] = []  # what holds functions that are being read
        lambdas: set[int] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                self._classes[node.name] = node
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self._imported.update(bound_by(node))
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                lambdas.update(map(id, node.targets))
        self._variables = set(self._imported)  # that may be no function of the file
        for node in ast.walk(tree):
            if isinstance(node, ast.arg):
                self._variables.add(node.arg)
            elif not isinstance(node, (*Function, ast.ClassDef)) and id(node) not in lambdas:
                self._variables.update(bound_by(node))
        self._find_functions(tree)
        self._suite(tree.body)

    # -- questions ---------------------------------------------------------------------------------------------------

    def method_at(self, at: Range) -> str | None:
        """What holds the method that is looked up at a place, columns in characters."""
        if not (0 < at.line <= len(self._lines) and 0 < at.end_line <= len(self._lines)):
            return None
        first, last = self._lines[at.line - 1], self._lines[at.end_line - 1]
        start, end = len(first[: at.column].encode()), len(last[: at.end_column].encode())
        return self.methods.get((at.line, start, at.end_line, end))

    # -- names -------------------------------------------------------------------------------------------------------

    def _find_functions(self, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if isinstance(node, (*Function, ast.Lambda)):
                name = node.name if isinstance(node, Function) else _lambda(node)
                self._functions.setdefault(name, []).append(Parameters(node.args, _scope(node)))

    def _holder(self, name: str) -> str:
        for scope, variables in reversed(self._scopes):
            if name in variables:
                return f"{scope}:{name}"
        return name

    def _any_variable(self) -> Holders:
        """Who may read all that is known at a place."""
        return frozenset({ANY_ATTRIBUTE, *(scope + ANY_VARIABLE for scope, _ in self._scopes if scope)})

    def _store(self, target: ast.AST, values: Holders) -> None:
        if isinstance(target, ast.Name):
            self.flow(values, self._holder(target.id))
        elif isinstance(target, ast.Attribute):
            owner = self._value(target.value)
            self.flow(values, target.attr)
            if not (isinstance(target.value, ast.Name) and target.value.id in ("self", "cls")):
                self.escape(values)  # others may have such an object
            self._give(["__setattr__", "__set__", target.attr], values)
            self.escape(owner & {ANY_ATTRIBUTE})
        elif isinstance(target, ast.Subscript):
            self._discard(target.slice)
            self._put(values, target.value)
            self._give(["__setitem__"], values)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                self._store(part, values)
        elif isinstance(target, ast.Starred):
            self._store(target.value, values)

    def _put(self, values: Holders, container: ast.expr) -> None:
        """Something comes into a container."""
        holders = self._value(container)
        root: Any = container
        while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
            root = root.func if isinstance(root, ast.Call) else root.value
        is_own = isinstance(root, ast.Name) and root.id not in self._imported
        if holders and is_own:
            for value in values:
                self.puts.setdefault(value, set()).update(holders)
        elif not isinstance(root, (ast.List, ast.Dict, ast.Set, ast.Tuple)):
            self.escape(values)

    def _give(self, functions: Iterable[str], values: Holders) -> None:
        """To any parameter of functions of these names."""
        for name in functions if values else ():
            for parameters in self._functions.get(name, ()):
                self.flow(values, *parameters.all())

    # -- statements --------------------------------------------------------------------------------------------------

    def _suite(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._definition(node)
            case ast.ClassDef():
                self._class(node)
            case ast.Assign(targets=targets, value=value):
                values = self._value(value)
                for target in targets:
                    self._store(target, values)
                    if isinstance(value, ast.Lambda) and isinstance(target, ast.Name):
                        self._functions.setdefault(target.id, []).extend(self._functions[_lambda(value)])
            case ast.AnnAssign(target=target, value=value):
                self._store(target, NOBODY if value is None else self._value(value))
            case ast.AugAssign(target=target, value=value):
                values = self._value(value)
                self._store(target, values)
                if values:
                    self._put(values, target)
            case ast.Return(value=value) if value is not None:
                self._gives(self._value(value))
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                self._store(target, self._value(value))
                self._suite([*node.body, *node.orelse])
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                for item in items:
                    values = self._value(item.context_expr)
                    self.escape(values)
                    if item.optional_vars is not None:
                        self._store(item.optional_vars, values)
                self._suite(body)
            case ast.Match(subject=subject, cases=cases):
                values = self._value(subject)
                for case in cases:
                    for part in ast.walk(case.pattern):
                        self.flow(values, *map(self._holder, bound_by(part)))
                    if case.guard is not None:
                        self._discard(case.guard)
                    self._suite(case.body)
            case ast.ImportFrom(names=names):
                for alias in names:
                    holder = self._holder(alias.asname or alias.name)
                    if holder != alias.name:
                        self.flow(frozenset({alias.name}), holder)
            case ast.Raise():
                self.escape(self._all([node.exc, node.cause]))
            case _:
                for child in ast.iter_child_nodes(node):
                    self._within(child)

    def _within(self, node: ast.AST) -> None:
        """Part of a statement that hands nothing on: a condition, a suite."""
        if isinstance(node, ast.stmt):
            self._statement(node)
        elif isinstance(node, ast.expr):
            self._discard(node)
        else:  # a handler of exceptions
            for child in ast.iter_child_nodes(node):
                self._within(child)

    def _definition(self, node: Any) -> None:
        holder = self._holder(node.name)
        for decorator in node.decorator_list:
            self.escape(self._value(decorator))
        if node.decorator_list:
            self.flow(frozenset({holder + RESULT}), holder)  # it may be a property
        if node.name.startswith("__"):
            self.escape({holder + RESULT})  # who calls it is not known
        self._defaults(node.args, _scope(node))
        inner = own_nodes(node.body)
        elsewhere = {
            name for part in inner if isinstance(part, (ast.Global, ast.Nonlocal)) for name in part.names
        }
        bound = {name for part in inner for name in bound_by(part)} | _parameters(node.args)
        self._enter(_scope(node), frozenset(bound - elsewhere), holder)
        self._suite(node.body)
        self._leave()

    def _enter(self, scope: str, variables: frozenset[str], holder: str) -> None:
        self._scopes.append((scope, variables))
        self._routines.append(holder)

    def _leave(self) -> None:
        self._scopes.pop()
        self._routines.pop()

    def _gives(self, values: Holders) -> None:
        """The function that is being read gives them to who called it."""
        if self._routines:
            self.flow(values, self._routines[-1] + RESULT)

    def _defaults(self, arguments: ast.arguments, scope: str) -> None:
        places = [*arguments.posonlyargs, *arguments.args][-len(arguments.defaults) :]
        pairs = list(zip(places, arguments.defaults)) if arguments.defaults else []
        pairs += [(each, value) for each, value in zip(arguments.kwonlyargs, arguments.kw_defaults) if value]
        for place, value in pairs:
            self.flow(self._value(value), f"{scope}:{place.arg}")

    def _class(self, node: ast.ClassDef) -> None:
        for part in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
            self.escape(self._value(part))
        # What its body binds are attributes, which functions in it do not see.
        outer = self._scopes
        bound = {name for part in own_nodes(node.body) for name in bound_by(part)}
        self._scopes = [(scope, variables - bound) for scope, variables in outer]
        self._suite(node.body)
        self._scopes = outer

    # -- expressions -------------------------------------------------------------------------------------------------

    def _discard(self, node: ast.expr) -> None:
        self._value(node)

    def _all(self, nodes: Iterable[ast.expr | None]) -> Holders:
        return NOBODY.union(*(self._value(node) for node in nodes if node is not None))

    def _value(self, node: ast.expr) -> Holders:
        """What may hold the same as an expression gives, or what lies in it."""
        match node:
            case ast.Constant() | ast.JoinedStr() | ast.Compare():
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self._discard(child)
                return NOBODY
            case ast.Name(id=name):
                return frozenset({self._holder(name)})
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript(value=value, slice=index):
                self._discard(index)
                return self._value(value)
            case ast.Dict(keys=keys, values=values):
                return self._all([*keys, *values])
            case ast.IfExp(test=test, body=one, orelse=other):
                self._discard(test)
                return self._all([one, other])
            case ast.NamedExpr(target=target, value=value):
                given = self._value(value)
                self._store(target, given)
                return given
            case ast.Lambda(args=arguments, body=body):
                holder, scope = _lambda(node), _scope(node)
                self._defaults(arguments, scope)
                self._enter(scope, frozenset(_parameters(arguments)), holder)
                self._gives(self._value(body))
                self._leave()
                return frozenset({holder})
            case ast.Call():
                return self._call(node)
            case ast.Yield(value=value) if value is not None:
                self._gives(self._value(value))
                return NOBODY
            case ast.YieldFrom(value=value):
                given = self._value(value)
                self._gives(given)
                return given
            case _ if isinstance(node, Comprehension):
                return self._comprehension(node)
        return self._all(child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))

    def _comprehension(self, node: Any) -> Holders:
        first = self._value(node.generators[0].iter)
        bound = {
            name for each in node.generators for part in ast.walk(each.target) for name in bound_by(part)
        }
        self._scopes.append((_scope(node), frozenset(bound)))
        for index, each in enumerate(node.generators):
            self._store(each.target, first if not index else self._value(each.iter))
            for condition in each.ifs:
                self._discard(condition)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        values = self._all(parts)
        self._scopes.pop()
        return values

    def _attribute(self, node: ast.Attribute, *, called: bool = False) -> Holders:
        owner = self._value(node.value)
        if node.attr == "__dict__":
            return frozenset({ANY_ATTRIBUTE})
        found = {node.attr}
        if node.attr == "__call__" or (node.attr.startswith("__") and not called):
            self.escape(owner)  # it is called where nobody sees it
        if node.attr in _TAKING:
            found |= owner
        if not called:
            found.add(self._method(node))
        return frozenset(found)

    def _method(self, node: ast.expr) -> str:
        """A method that is not called at once: it may be one of a container."""
        at = extent(node)
        return self.methods.setdefault(at, f"@{at.line}:{at.column}:{at.end_line}:{at.end_column}")

    def _call(self, node: ast.Call) -> Holders:
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        by_name = isinstance(called, ast.Name)
        is_builtin = by_name and name in _BUILTIN_NAMES and name not in self._names
        if is_builtin and name in _TELLING:
            self._arguments(node)
            return NOBODY
        if is_builtin and name == "getattr":
            return self._getattr(node)
        if name in ("setattr", "__setattr__"):
            return self._setattr(node)
        if is_builtin and name in NAMESPACES:
            self._arguments(node)
            return frozenset({ANY_ATTRIBUTE}) if name == "globals" or node.args else self._any_variable()
        if is_builtin and name in ("exec", "eval"):
            self.escape(self._any_variable())
        if is_builtin and name in _GIVING and not _calls_function(node):
            return NOBODY.union(*(values for _, values in self._arguments(node)))
        if isinstance(called, ast.Attribute) and name in _PUTTING | _TAKING | _HARMLESS:
            return self._call_of_container(node, called)
        holders = (
            self._attribute(called, called=True) if isinstance(called, ast.Attribute) else self._value(called)
        )
        arguments = self._arguments(node)
        own, before = self._own_parameters(called)
        if own is None:
            for _, values in arguments:
                self.escape(values)
            self.escape(_texts(node))
        else:
            for parameters in own:
                for place, values in arguments:
                    self.flow(values, *_places(parameters, place, before))
        return frozenset(result_of(holder) for holder in holders if not holder.startswith("@"))

    def _call_of_container(self, node: ast.Call, called: ast.Attribute) -> Holders:
        arguments = self._arguments(node)
        given = NOBODY.union(*(values for _, values in arguments))
        holders = self._attribute(called, called=True)
        if called.attr in _PUTTING and given:
            self._put(given, called.value)
        self._give([called.attr], given)
        results = frozenset(map(result_of, holders))
        return results | (holders | given if called.attr in _TAKING else NOBODY)

    def _arguments(self, node: ast.Call) -> list[tuple[int | str | None, Holders]]:
        """By position, -1 for what stands behind stars and after them, or by name, None for what stands behind two."""
        found: list[tuple[int | str | None, Holders]] = []
        position = 0
        for argument in node.args:
            position = -1 if isinstance(argument, ast.Starred) or position < 0 else position
            found.append((position, self._value(argument)))
            position += 1 if position >= 0 else 0
        return found + [(keyword.arg, self._value(keyword.value)) for keyword in node.keywords]

    def _own_parameters(self, called: ast.expr) -> tuple[list[Parameters] | None, Sequence[int]]:
        """Of the functions of this file that a call may call, None where it may be somebody else's; and how many of them may
        come before the arguments."""
        if isinstance(called, ast.Lambda):
            return self._functions[_lambda(called)], (0,)
        if isinstance(called, ast.Name):
            if called.id in self._variables:
                return None, ()
            if called.id in self._classes:
                return self._made_by(self._classes[called.id]), (0, 1)
            return self._functions.get(called.id), (0,)
        owner = called.value if isinstance(called, ast.Attribute) else None
        if isinstance(owner, ast.Name) and (owner.id in ("self", "cls") or owner.id in self._classes):
            return self._functions.get(called.attr), (0, 1)  # type: ignore[attr-defined]
        return None, ()

    def _made_by(self, node: ast.ClassDef) -> list[Parameters] | None:
        methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
        bases = [base.id if isinstance(base, ast.Name) else "?" for base in node.bases]
        if node.keywords or not all(base == "object" or base in self._classes for base in bases):
            return None
        making = [part for part in methods if part.name in ("__init__", "__new__", "__post_init__")]
        found = [Parameters(part.args, _scope(part)) for part in making]
        fields = [part.target for part in node.body if isinstance(part, ast.AnnAssign)]
        names = [target.id for target in fields if isinstance(target, ast.Name)]
        if names:  # a dataclass
            of_fields = Parameters(ast.arguments([], [], None, [], [], None, []), "")
            of_fields.by_position, of_fields.by_name = [*names], {name: name for name in names}
            found.append(of_fields)
        for base in bases:
            if base in self._classes and self._classes[base] is not node:
                inherited = self._made_by(self._classes[base])
                if inherited is None:
                    return None
                found += inherited
        return found

    def _getattr(self, node: ast.Call) -> Holders:
        arguments = [values for _, values in self._arguments(node)]
        text = beginning(node.args[1]) if len(node.args) > 1 else ("", False)
        read = frozenset({text[0]}) if text[1] else frozenset({ANY_ATTRIBUTE})
        more = arguments[2] if len(arguments) > 2 else NOBODY
        return read | more | {self._method(node)}

    def _setattr(self, node: ast.Call) -> Holders:
        arguments = [values for _, values in self._arguments(node)]
        for argument in node.args:
            text, is_whole = beginning(argument)
            if is_whole and arguments:
                self.flow(arguments[-1], text)
        for values in arguments[1:]:
            self.escape(values)
        return NOBODY


def _texts(node: ast.Call) -> list[str]:
    """Names that a call gets as texts: it may look for attributes that are called so."""
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    texts = [each.value for each in values if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    found = [part for text in texts for part in text.split(".") if part.isidentifier()]
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return [
        *found,
        *([ANY_ATTRIBUTE] if name in _BY_NAME and not all(beginning(each)[1] for each in node.args) else []),
    ]


_BY_NAME = frozenset({"attrgetter", "methodcaller", "asdict", "astuple", "copy", "deepcopy", "replace"})


def _calls_function(node: ast.Call) -> bool:
    name = getattr(node.func, "id", "")
    return (name == "iter" and len(node.args) > 1) or any(keyword.arg == "key" for keyword in node.keywords)


def _places(parameters: Parameters, place: int | str | None, before: Sequence[int]) -> list[str]:
    if type(place) is int:
        return parameters.at(place, before) if place >= 0 else parameters.all()
    return parameters.named(place)  # type: ignore[arg-type]


def _parameters(arguments: ast.arguments) -> set[str]:
    every = (
        *arguments.posonlyargs,
        *arguments.args,
        arguments.vararg,
        *arguments.kwonlyargs,
        arguments.kwarg,
    )
    return {each.arg for each in every if each is not None}


def _scope(node: Any) -> str:
    return f"{node.lineno}.{node.col_offset}"


def _lambda(node: ast.Lambda) -> str:
    return f"{_scope(node)}:lambda"
