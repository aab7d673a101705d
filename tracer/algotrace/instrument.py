"""Rewrite a module's syntax tree so that running it leaves events.

What is added: a mark where a routine is entered and left, where a straight piece of code (a *block*) starts, before
every write what is needed to undo it. What is not: values inside expressions. The program's own nodes keep their
positions; temporaries are names no one can type (`@L`, `@v`) and exist only in functions that cannot see them
(none where `locals()`, `eval` and the like are called, none in modules, classes and comprehensions).
"""

from __future__ import annotations


import ast
import sys
from collections import Counter
from typing import Any

from algotrace.computing import class_computes, module_computes
from algotrace.marks import (
    BLOCK, ENTER, HANDED, HANDED_BACK, IN_HAND, LEAVE,
    NAMED, OUTCOME_NONE, PASSED, RAISE, RETURN_NONE, Range, Routine,
)  # fmt: skip
from algotrace.syntax import (
    NOWHERE, Location, assign, expression_statement, attribute, call, constant, load, location, mangle, own_nodes, park, placeholder, point, repeated, walk,
)  # fmt: skip
from algotrace.instrument_made_again import filling_kept
from algotrace.instrument_names import (
    aliases_passed,
    free_names,
    methods_named,
    names_stored,
    names_bound,
    names_lasting,
    parameters_of,
    sees_its_locals,
)
from algotrace.instrument_handed import is_on, names_given, names_of_readers
from algotrace.instrument_makers import (
    classes_reduced,
    gives_loaders,
    made_new_by,
    names_of_makers,
    names_reduced_to,
)
from algotrace.instrument_namespaces import (
    called_by,
    namespaces_kept,
    names_of_equal,
    operator_modules,
    setters_kept,
    used_up,
)
from algotrace.instrument_statements import Statements, first_point
from algotrace.places import CodeScope, thread_stream


def is_cached_property(decorator: ast.expr) -> bool:
    return called_by(decorator) == "cached_property"


_JITTED = frozenset({"numba", "njit", "jit", "vectorize", "guvectorize", "cuda", "triton", "torch", "jax"})


class Instrumenter(Statements):
    """One file's rewriting: call `module(tree)`, then read `unit`."""

    def reraise(self, kind: int) -> ast.ExceptHandler:
        """`except BaseException: <RAISE>; raise` for a whole routine."""
        label = "guarded" if self.scope.guarded else ""
        event = self.event_statements(
            self.mark(kind, NOWHERE, label=label), self.raised(NOWHERE), NOWHERE, whole=True
        )
        # At the recursion limit even this call may fail; the original exception must go on regardless.
        bare = self.event_statements(self.mark(kind, NOWHERE, label=label), [], NOWHERE, whole=True)
        guarded = ast.Try(
            event, [ast.ExceptHandler(placeholder("recursion_error", NOWHERE), None, bare, **NOWHERE)], [], [], **NOWHERE
        )  # fmt: skip
        return ast.ExceptHandler(
            placeholder("base_exception", NOWHERE),
            None,
            [guarded, ast.Raise(None, None, **NOWHERE)],
            **NOWHERE,
        )

    def module(self, tree: ast.Module) -> ast.Module:
        self.scope = CodeScope("module", 0, None, temporaries=False)
        last = len(self.lines) or 1
        self.block = self.new_block("routine", -1)
        self.routines.append(
            Routine(
                "<module>", "<module>", "module", 1, 0, last, 1, 1, (), self.block, -1, module_computes(tree.body)
            )
        )  # fmt: skip
        for what in (HANDED, HANDED_BACK, IN_HAND):  # the first ones, see `at_work`
            self.mark(PASSED, NOWHERE, label=f"\t{what}")
        self.mark(NAMED, NOWHERE, label="\t")  # see `hooks.note_set_by_others`
        self.functions = _plain_functions(tree.body)
        self.classes = _plain_classes(tree.body)
        self.no_containers = _no_containers(tree.body)
        nodes = walk(tree)
        self.left_names = frozenset(
            node.name
            for node in nodes
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and self._reason_to_leave_alone(node)
        )
        if self.left_names:
            self.functions -= self.left_names
            self.classes = {name: methods - self.left_names for name, methods in self.classes.items()}
        self.aliases = methods_named(nodes)
        self.stored = names_stored(nodes)
        self.aliases_passed = aliases_passed(nodes)
        self.reading_names, self.given_names = names_of_readers(nodes), names_given(nodes)
        self.gives_loaders = gives_loaders(nodes)
        self.making_names, self.maker_names = names_of_makers(nodes), names_reduced_to(nodes)
        self.new_names, self.new_lambdas = made_new_by(nodes)
        self.saying_how, self.saying_nothing = classes_reduced(nodes)
        self.operator_modules = operator_modules(nodes)
        self.setters, self.kept_setters = setters_kept(nodes, self.operator_modules)
        self.kept_filling, self.equal_names = filling_kept(nodes), names_of_equal(nodes)
        self.used_up, self.kept_namespaces = used_up(nodes), namespaces_kept(nodes)
        if sys.version_info[:2] == (3, 12):  # see `_with_a_frame`
            declared = (node.names for node in walk(tree) if isinstance(node, ast.Global))
            self.scope.lasting = names_lasting(tree.body).union(*declared)
        body = list(tree.body)
        head: list[ast.stmt] = []
        while body and ((_is_docstring(body[0]) and not head) or _is_future(body[0])):
            head.append(body.pop(0))
        at = first_point(body[0]) if body else NOWHERE
        enter = self.event_statements(self.mark(ENTER, at), [], at)
        suite = self.suite(body)
        suite += self.event_statements(self.mark(RETURN_NONE, NOWHERE), [], NOWHERE)
        tree.body = [*head, *enter, ast.Try(suite, [self.reraise(RAISE)], [], [], **NOWHERE)]
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
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            self.left_alone.append((node.name, node.lineno, reason, first))
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
            for inner in walk(decorator):
                if isinstance(inner, ast.Name) and inner.id in _JITTED:
                    return f"compiled by {inner.id}"
        return ""

    def _function_body(self, node: Any) -> list[ast.stmt]:
        inner = list(own_nodes(node.body))
        is_generator = any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in inner)
        is_async = isinstance(node, ast.AsyncFunctionDef)
        sees_locals = any(map(sees_its_locals, inner))
        kind = {(0, 0): "function", (1, 0): "generator", (0, 1): "coroutine", (1, 1): "asyncgen"}[
            is_generator, is_async
        ]
        outer, outer_block, outer_holes = self.scope, self.block, self._holes
        class_name = outer.class_name if outer.kind == "class" else None
        scope = CodeScope(
            "function", len(self.routines), class_name or outer.class_name, temporaries=not sees_locals
        )
        scope.tokened = kind != "function"
        scope.sleeper = scope if scope.tokened else None
        scope.guarded = _returns_early(node.body)
        scope.declare(inner)
        self.scope = scope
        parameters = parameters_of(node.args)
        static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
        if outer.kind == "class" and parameters and not static:
            scope.self_name, scope.methods, scope.bases = parameters[0], outer.methods, outer.bases
        if outer.kind == "class" and parameters and any(map(is_cached_property, node.decorator_list)):
            scope.cached = mangle(node.name, class_name)
        scope.is_init = outer.kind == "class" and node.name == "__init__"
        if scope.is_init and parameters and parameters[0].isidentifier():
            scope.fresh_self = parameters[0]
        scope.locals = frozenset(name.lstrip("*") for name in parameters) | names_bound(node.body)
        scope.locals -= scope.globals | scope.nonlocals
        scope.free = (free_names(outer) | scope.nonlocals) - scope.locals - scope.globals
        self.block = self.new_block("routine", -1, node)
        first_line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        qualname = node.name
        parent = self.routines[outer.routine]
        if class_name:
            qualname = f"{self._class_qualname}.{node.name}"
        elif outer.kind != "module":
            qualname = f"{parent.qualname}.<locals>.{node.name}"
        self.routines.append(
            Routine(
                node.name, qualname, kind, node.lineno, self._column(node.lineno, node.col_offset), node.end_lineno,
                node.body[0].lineno, first_line, tuple(name.lstrip("*") for name in parameters), self.block, outer.routine,
            )
        )  # fmt: skip
        body = list(node.body)
        head = [body.pop(0)] if _is_docstring(body[0]) else []
        at = first_point(body[0] if body else node.body[0])
        prologue: list[ast.stmt] = []
        if kind == "function" and node.name in self.equal_names:
            asked = expression_statement(call(placeholder("note_asked", at), [], at), at)
            prologue.append(ast.If(is_on("looking_up", at), [asked], [], **at))
        if kind == "function" and (makes := self._may_make(node.name, outer)):
            # Before it looks up where its events go.
            made_for = [repeated(self.handed_mark(node), at), self._made_of(parameters, node.name, at)]
            note = expression_statement(call(placeholder("note_made_for", at), made_for, at), at)
            guarded_note = _within_recursion([note], [ast.Pass(**at)], at)
            prologue.append(
                guarded_note if makes == "always" else ast.If(is_on(makes, at), [guarded_note], [], **at)
            )
            scope.is_new = self._is_new(node.name)
        if scope.temporaries:
            fetch = assign("@L", thread_stream(at), at)
            if sys.version_info < (3, 12):  # there the fetch itself may fail at the recursion limit
                fallback = assign("@L", attribute(placeholder("main", at), "events", at), at)
                prologue.append(_within_recursion([fetch], [fallback], at))
            else:
                prologue.append(fetch)
        if scope.tokened and scope.temporaries:
            prologue.append(assign("@t", call(placeholder("new_token", at), [], at), at))
        elif scope.tokened:
            prologue.append(expression_statement(call(placeholder("begin_to_sleep", at), [], at), at))
        values: list[ast.expr] = [load(name.lstrip("*"), at) for name in parameters]
        prologue += self.event_statements(self.mark(ENTER, at), values, at)
        suite = self.suite(body)
        if not (suite and isinstance(suite[-1], (ast.Return, ast.Raise))):
            ending = OUTCOME_NONE if scope.guarded else RETURN_NONE
            suite += self.cached_noted(NOWHERE)
            suite += self.event_statements(self.mark(ending, NOWHERE), [], NOWHERE)
        _let_go(scope.letting_go, suite)
        guarded = ast.Try(suite, [self.reraise(RAISE)], [], [], **NOWHERE)
        if scope.guarded:
            mark = self.mark(LEAVE, NOWHERE)
            self.endings.add(mark.value)  # type: ignore[arg-type]
            guarded.finalbody = self.event_statements(mark, [], NOWHERE)
        self.scope, self.block, self._holes = outer, outer_block, outer_holes
        return [*head, *prologue, guarded]

    maker_names: frozenset[str] = frozenset()  # see `names_reduced_to`
    new_names: frozenset[str] = frozenset()  # see `made_new_by`
    saying_how: frozenset[str] = frozenset()  # see `classes_reduced`
    saying_nothing: frozenset[str] = frozenset()

    equal_names: frozenset[str] = frozenset()  # see `names_of_equal`

    def _may_make(self, name: str, outer: CodeScope) -> str:
        """When a function may make an object for somebody who fills it: "always", "" for never, else the name of a sign."""
        if outer.kind != "class" or name not in ("__new__", "__init__"):
            return "always" if name in self.maker_names or name in self.new_names else ""
        cls = outer.class_name or ""
        if name == "__new__" or cls in self.saying_how or cls in self.maker_names:
            return "always"
        return "filling" if cls in self.saying_nothing else "making"

    def _is_new(self, name: str) -> bool:
        return name == "__new__" or name in self.new_names

    def _made_of(self, parameters: list[str], name: str, at: Location) -> ast.expr:
        """The class that a `__new__` is called for."""
        known = self._is_new(name) and parameters and parameters[0].isidentifier()
        return load(parameters[0], at) if known else constant(None, at)

    _class_qualname = ""

    def class_definition(self, node: ast.ClassDef) -> ast.ClassDef:
        for index, decorator in enumerate(node.decorator_list):
            self.piece(decorator)
            node.decorator_list[index] = self.expression(decorator)
        bases = tuple(base.id if isinstance(base, ast.Name) else "?" for base in node.bases)
        node.bases = [self.expression(base) for base in node.bases]
        for keyword in node.keywords:
            keyword.value = self.expression(keyword.value)
        header_end = max(
            [(node.lineno, node.col_offset + len("class ") + len(node.name))]
            + [(part.end_lineno or 0, part.end_col_offset or 0) for part in (*node.bases, *node.keywords)]  # type: ignore[attr-defined]
        )
        self.cover(Range(node.lineno, node.col_offset, *header_end))
        outer, outer_block, outer_name = self.scope, self.block, self._class_qualname
        is_node = class_computes(node.body)
        routine = len(self.routines) if is_node else outer.routine
        scope = CodeScope("class", routine, node.name, temporaries=False)
        scope.is_node = is_node
        scope.tokened = False
        scope.methods = _plain_functions(node.body, in_class=True) - self.left_names
        scope.bases = bases
        if outer.kind == "class":
            self._class_qualname = f"{outer_name}.{node.name}"
        elif outer.kind == "module":
            self._class_qualname = node.name
        else:
            self._class_qualname = f"{self.routines[outer.routine].qualname}.<locals>.{node.name}"
        self.scope = scope
        self.block = self.new_block("routine" if is_node else "class", -1 if is_node else outer_block, node)
        scope.free = free_names(outer)
        scope.declare(own_nodes(node.body))
        scope.locals = names_bound(node.body)
        scope.lasting = names_lasting(node.body)
        if is_node:
            self.routines.append(
                Routine(
                    node.name, self._class_qualname, "class", node.lineno, self._column(node.lineno, node.col_offset),
                    node.end_lineno or node.lineno, node.body[0].lineno,
                    min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]), (), self.block, outer.routine,
                )
            )  # fmt: skip
        body = list(node.body)
        head = [body.pop(0)] if _is_docstring(body[0]) else []
        at = first_point(body[0]) if body else NOWHERE
        enter = self.event_statements(self.mark(ENTER if is_node else BLOCK, at), [], at)
        node.body = [*head, *enter, *self.suite(body)]
        if is_node:
            node.body += self.event_statements(self.mark(RETURN_NONE, NOWHERE), [], NOWHERE)
        self.scope, self.block, self._class_qualname = outer, outer_block, outer_name
        return node

    def _FunctionDef(self, node: Any) -> list[ast.stmt]:
        return [self.function(node), *self._bound_definition(node)]

    _AsyncFunctionDef = _FunctionDef

    def _ClassDef(self, node: ast.ClassDef) -> list[ast.stmt]:
        self._forget_fresh_self(node)
        binds = any(
            not (isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Pass)) or _is_docstring(part))
            for part in node.body
        )
        is_plain = not (node.bases or node.keywords or binds)
        decorated = any(map(self._may_be_strange, map(_called_as_decorator, node.decorator_list)))
        definition = self.class_definition(node)
        if decorated:
            definition.decorator_list.append(placeholder("note_class_decorated", point(location(node))))
        if not is_plain:
            definition.decorator_list.append(placeholder("note_class", point(location(node))))
        return [definition, *self._bound_definition(node)]

    def _bound_definition(self, node: Any) -> list[ast.stmt]:
        """In a module this would only lengthen the trace: there its functions are known from the start."""
        if self.scope.kind != "function":
            return []
        line = self.lines[node.lineno - 1].encode() if node.lineno <= len(self.lines) else b""
        start = line.find(node.name.encode(), node.col_offset)
        name = ast.Name(node.name, ast.Load(), lineno=node.lineno, col_offset=max(start, 0), end_lineno=node.lineno,
                        end_col_offset=max(start, 0) + len(node.name.encode()))  # fmt: skip
        return self.bound([name])


def _called_as_decorator(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _within_recursion(body: list[ast.stmt], otherwise: list[ast.stmt], at: Location) -> ast.Try:
    """What may fail at the recursion limit, which is the program's affair."""
    handler = ast.ExceptHandler(placeholder("recursion_error", at), None, otherwise, **at)
    return ast.Try(body, [handler], [], [], **at)


def _let_go(places: list[ast.Assign | ast.BoolOp], suite: list[ast.stmt]) -> None:
    """Complete what `Expressions.letting_go` and `Statements._let_go` began."""
    temporaries = _temporaries(suite) if places else []
    for place in places:
        at = location(place)
        if isinstance(place, ast.Assign):
            place.targets = [ast.Name(name, ast.Store(), **at) for name in temporaries]
        else:
            for name in temporaries:
                place.values[0] = park(name, place.values[0], at)


def _temporaries(suite: list[ast.stmt]) -> list[str]:
    """Our variables that may hold an object of the program."""
    names = {node.id for node in own_nodes(suite) if isinstance(node, ast.Name) and node.id.startswith("@")}
    return sorted(names - {"@L", "@t", "@m"})


def _plain_functions(body: list[ast.stmt], *, in_class: bool = False) -> frozenset[str]:
    """Functions of a module or class that are bound once, undecorated, and give their value when they are called."""
    count = Counter(name for statement in body for name in names_bound([statement]))
    plain = set()
    for statement in body:
        if not isinstance(statement, ast.FunctionDef):
            continue
        if statement.decorator_list and not (in_class and _is_static(statement)):
            continue
        if not any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in own_nodes(statement.body)):
            plain.add(statement.name)
    return frozenset(name for name in plain if count[name] == 1)


def _is_static(node: ast.FunctionDef) -> bool:
    return all(
        isinstance(part, ast.Name) and part.id in ("staticmethod", "classmethod")
        for part in node.decorator_list
    )


def _plain_classes(body: list[ast.stmt]) -> dict[str, frozenset[str]]:
    """Classes of a module that are bound once, undecorated and without a metaclass, with their plain functions."""
    count = Counter(name for statement in body for name in names_bound([statement]))
    return {
        statement.name: _plain_functions(statement.body, in_class=True)
        for statement in body
        if isinstance(statement, ast.ClassDef)
        and not (statement.decorator_list or statement.keywords)
        and count[statement.name] == 1
    }


def _no_containers(body: list[ast.stmt]) -> frozenset[str]:
    """Classes of a module that are derived from `object` and each other alone."""
    found = {"object"}
    for statement in body:
        if isinstance(statement, ast.ClassDef) and not statement.keywords:
            if all(isinstance(base, ast.Name) and base.id in found for base in statement.bases):
                found.add(statement.name)
            else:
                found.discard(statement.name)
    return frozenset(found)


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


_WITH_SUITES = (
    ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, getattr(ast, "TryStar", ast.Try),
    ast.ExceptHandler, ast.Match, ast.match_case,
)  # fmt: skip


def _returns_early(body: list[ast.stmt]) -> bool:
    """Whether a `return` stands where code still runs after it: in `with`, or `try` with `finally`."""
    todo: list[tuple[Any, bool]] = [(statement, False) for statement in body]
    while todo:
        node, inside = todo.pop()
        if isinstance(node, ast.Return) and inside:
            return True
        if not isinstance(node, _WITH_SUITES):
            continue
        inside = (
            inside or isinstance(node, (ast.With, ast.AsyncWith)) or bool(getattr(node, "finalbody", None))
        )
        for field in ("body", "handlers", "orelse", "finalbody", "cases"):
            todo.extend((child, inside) for child in getattr(node, field, ()))
    return False
