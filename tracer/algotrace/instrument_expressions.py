"""Rewriting of expressions: operands that are not always evaluated, lambdas, comprehensions."""

from __future__ import annotations


import ast
import sys
from typing import Any
from collections.abc import Iterator

from algotrace.instrument_bound import held_for
from algotrace.instrument_namespaces import SETTERS, called_by
from algotrace.instrument_sleeping import Sleeping
from algotrace.instrument_names import (
    comprehension_variables, free_names, names_bound, parameters_of, sees_its_locals,
)  # fmt: skip
from algotrace.marks import (
    BLOCK, ENTER, ITEM, MADE_AGAIN, METHOD_GIVEN, METHOD_NAMED, MUTATE, NAME, NAMED, PASSED, RETURN, SET, Routine,
)  # fmt: skip
from algotrace.syntax import (
    Location, attribute, both, call, constant, either, extent, is_repeatable, load, location, own_nodes, park,
    placeholder, point, same, subscript, tuple_of, walk,
)  # fmt: skip
from algotrace.mutators import METHOD_NAMES
from algotrace.places import CodeScope, thread_stream

_COLLECTING = frozenset({"collect", "gc_collect"})  # before them our temporaries let go of their objects
# Calls of builtins by these names: what they give is of no use to anybody else, or only a view of what is known.
_MADE_ANEW = frozenset({"super", "range", "enumerate", "zip", "map", "filter", "reversed", "iter", "print"})
# … and these give numbers, texts, containers, or an object that somebody else holds.
_LASTING = frozenset(
    {
        "abs", "all", "any", "ascii", "bin", "bool", "bytes", "callable", "chr", "complex", "dict", "divmod", "float",
        "format", "frozenset", "getattr", "hasattr", "hash", "hex", "id", "int", "isinstance", "issubclass", "len",
        "list", "max", "min", "oct", "ord", "pow", "repr", "round", "set", "sorted", "str", "sum", "tuple", "type",
    }
)  # fmt: skip


_OF_PYTHON = frozenset({"update", "subtract"})  # methods that a class of the library has in Python


class Expressions(Sleeping):
    """Every method takes a node of the program and returns what stands in its place."""

    def expression(self, node: Any) -> Any:
        kind = type(node)
        if kind is ast.Name:
            return self._read(node)
        if kind is ast.Constant:
            return node
        method = getattr(self, "_" + kind.__name__, None)
        if method is not None and isinstance(node, ast.expr):
            return method(node)
        if kind is ast.BinOp:  # long chains lean left: walk them without recursion
            chain = [node]
            while isinstance(chain[-1].left, ast.BinOp):
                chain.append(chain[-1].left)
            left = chain[-1].left
            chain[-1].left = self.expression(left)
            for link in reversed(chain):  # in the order of evaluation, which is that of the slots
                right = link.right
                link.right = self.expression(right)
                self.operated(link, left, right)
                left = link
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

    _dropped: Any = None  # a call whose value is dropped; mostly it is None
    _unneeded: Any = None  # a call whose value is known otherwise, or dropped
    _irregular = False  # in code that is not evaluated when its block is: it can leave no values

    def _leaves_values(self) -> bool:
        scope = self.scope
        return scope.kind in ("function", "lambda") and scope.temporaries and not self._irregular

    def _read(self, node: ast.Name) -> ast.expr:
        """The variable of a function around this one is changed by others: its value is noted where it is read."""
        if node.id not in self.scope.free or not isinstance(node.ctx, ast.Load) or not self._leaves_values():
            return node
        self.slot("read", node.id, node)
        at = location(node)
        return either([self.value_event(load(node.id, at), at), load(node.id, at)], at)

    def _NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        node.value = self.expression(node.value)
        name = node.target.id
        binder = self.scope.binder
        if binder.kind in ("module", "class") or name in binder.globals or name in binder.nonlocals:
            node.value = self._noted_to_last(node, binder)
            return node
        if not self._leaves_values():
            return node
        self.slot("store", name, node.target)
        at = location(node)
        return either(
            [same(node, placeholder("absent", at), at), self.value_event(load(name, at), at), load(name, at)],
            at,
        )

    def _noted_to_last(self, node: ast.NamedExpr, binder: CodeScope) -> ast.expr:
        """The value of `(name := value)`, noted, where the name is one of a module, a class or a function around."""
        name, at = node.target.id, location(node.target)
        shared = "global" if name in binder.globals else "nonlocal" if name in binder.nonlocals else ""
        owner = shared or ("global" if binder.kind == "module" else "class")
        if owner == "class" and not binder.is_node:
            return node.value
        if owner == "class" or (owner == "global" and binder.kind != "function"):
            mark = self.mark(SET, at, where=node.target, label=f"{owner} {name}")
            return call(placeholder("note_bound_value", at), [mark, node.value], at)
        mark = self.mark(NAME, at, label=f"{owner} {name}")
        old: ast.expr = placeholder("unknown", at)  # to read a variable that is not bound is an error
        if owner == "global":
            names = call(placeholder("globals", at), [], at)
            old = call(
                placeholder("dict_get", at), [names, constant(name, at), placeholder("absent", at)], at
            )
        return call(placeholder("note_rebound", at), [mark, node.value, old], at)

    def _Call(self, node: ast.Call) -> ast.expr:
        unneeded = node is self._unneeded
        is_decided = id(node) in self._decided
        called = node.func
        if id(node) in self.kept_namespaces and not self._is_own(called_by(called)):
            return self.namespace_kept(node, ast.Call(node.func, node.args, [], **location(node)))
        rewritten = self._rewritten_call(node)
        if self._leaves_values() and self.scope.kind == "function" and called_by(called) in _COLLECTING:
            at = point(location(called))
            node.func = either([constant(None, at), node.func], at)
            self.scope.letting_go.append(node.func)
        name = called.id if isinstance(called, ast.Name) else ""
        if (
            unneeded
            or is_decided
            or name in _MADE_ANEW
            or not self._leaves_values()
            or self._is_recorded(called)
        ):
            return rewritten
        self.slot("call", "", node)
        at = location(node)
        parked = park("@q", rewritten, at)
        if node is self._dropped:
            nothing = same(parked, constant(None, point(at)), at)
            again = load("@q", point(at))
            kept = ast.IfExp(self.is_kept(again, at), again, _let_go_for_unknown(point(at)), **point(at))
            return self.value_event(ast.IfExp(nothing, constant(None, point(at)), kept, **at), at)
        if name in _LASTING:
            return either([self.value_event(parked, at), load("@q", point(at))], at)
        at = point(at)
        noted = either([self.value_event(load("@q", at), at), load("@q", at)], at)
        unknown = self.value_event(placeholder("unknown", at), at)
        # Last before a jump must not stand what branches: the jump would have no line, and tracers would see one anew.
        taken_out = subscript(
            tuple_of([unknown, load("@q", at), park("@q", constant(None, at), at)], at), constant(1, at), at
        )
        return ast.IfExp(
            ast.UnaryOp(ast.Not(), self.is_kept(parked, at), **at), taken_out, noted, **location(node)
        )

    _aliased: Any = None  # a method of which the name that it is given is known
    _alias = ""  # … which it is

    def _Attribute(self, node: ast.Attribute) -> ast.expr:
        if id(node) in self.kept_namespaces:
            return self.namespace_kept(node, node)
        node.value = self.expression(node.value)
        if node is self._aliased and node.attr in _OF_PYTHON:
            at = location(node.value)
            given = [self._given_mark(node, self.text(node.value)), constant(node.attr, at), node.value]
            node.value = call(placeholder("note_alias", at), given, at)
        elif node.attr in SETTERS and isinstance(node.ctx, ast.Load) and id(node) in self.kept_setters:
            node.value = self.given(node.value)
        elif id(node) in self.kept_filling:
            at = location(node.value)
            mark = self.mark(
                PASSED, at, where=node, label=f"{self.text(node.value)}\t{METHOD_GIVEN}{node.attr}"
            )
            owner = call(placeholder("note_filling_kept", at), [node.value], at)
            node.value = call(placeholder("note_method_kept", at), [mark, owner], at)
        elif (
            node.attr in METHOD_NAMES
            and isinstance(node.ctx, ast.Load)
            and (node is not self._aliased or self._is_noted_alias(node))
        ):
            # Who gets the method may change the container unseen.
            at = location(node.value)
            at_once = id(node) in self._used_at_once or id(node) in self._used_at_last
            # (Of a special method calls by a name are not noted.)
            aliased = node is self._aliased and not node.attr.startswith("__")
            named = aliased and self._alias not in self.aliases_passed
            user = "map" if at_once else f"{METHOD_NAMED if aliased else METHOD_GIVEN}{node.attr}"
            kind = MUTATE if named else PASSED
            mark = self.mark(kind, at, where=node, label=f"{self.text(node.value)}\t{user}")
            if (at_last := self._used_at_last.get(id(node))) is not None:
                at_last.append(mark)
                node.value = held_for(node.value, mark)
            else:
                hook = "note_method_named" if named else "note_method_kept"
                node.value = call(placeholder(hook, at), [mark, node.value], at)
        return node

    def made_new(self, node: ast.AST, value: ast.expr) -> ast.expr:
        """What a `__new__` gives, noted."""
        at = point(location(value))
        mark = self.mark(NAMED, at, where=node, label=f"\t{MADE_AGAIN}")
        return call(placeholder("note_filled", at), [mark, value], location(value))

    def _is_noted_alias(self, node: ast.Attribute) -> bool:
        """Not where nobody can get at the name, and the method is called by it alone."""
        if node.attr.startswith("__") or self._alias in self.aliases_passed:
            return True
        return self._alias in self.scope.globals or self.scope.kind in ("module", "class")

    def _is_recorded(self, called: ast.expr) -> bool:
        """Whether a call runs a function of this file, whose own RETURN tells what it gives."""
        scope = self.scope
        if isinstance(called, ast.Name):
            return called.id in self.functions and called.id not in scope.locals | scope.free
        if not (isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name)):
            return False
        if called.value.id == scope.self_name:
            return called.attr in scope.methods
        of_class = called.attr in self.classes.get(called.value.id, ())
        return of_class and called.value.id not in scope.locals | scope.free

    def _is_call_of_recorded(self, node: ast.expr) -> bool:
        """Then its RETURN holds what it gives in any case."""
        return isinstance(node, ast.Call) and self._is_recorded(node.func)

    def test(self, node: ast.expr) -> ast.expr:
        """A condition: that a call in it gave something true or false is known from the way taken."""
        self._decided.update(map(id, decided(node)))
        return self.expression(node)  # type: ignore[no-any-return]

    def target(self, node: ast.expr) -> ast.expr:
        raise NotImplementedError

    def _irregular_target(self, node: ast.expr) -> ast.expr:
        outer, self._irregular = self._irregular, True
        node = self.target(node)
        self._irregular = outer
        return node

    def irregular(self, node: Any) -> Any:
        """An expression that is evaluated at other times than its block, or not always."""
        outer, self._irregular = self._irregular, True
        node = self.expression(node)
        self._irregular = outer
        return node

    def plain_value(self, node: ast.expr) -> ast.expr:
        """An expression whose own value is known otherwise, where it is a call."""
        self._unneeded = node
        return self.expression(node)  # type: ignore[no-any-return]

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
        defaulting = subscript(placeholder("defaulting", at), call(placeholder("type", at), [again], at), at)
        note = both([defaulting, self.event(mark, [again, once_more, old], at)], at)
        node.value = first
        node.slice = either([*start, note, once_more], at)
        return node

    def arm(self, node: ast.expr) -> ast.expr:
        """An operand that is not always evaluated: a block of its own."""
        if self.scope.kind == "comprehension" and node.lineno == self._comprehension_line:
            return self.expression(node)  # type: ignore[no-any-return]
        outer, holes = self.block, self._holes
        holes.append(extent(node))
        self.block = self.new_block("arm", outer, node)
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
        node.test = self.test(node.test)
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

    def _Dict(self, node: ast.Dict) -> ast.expr:
        for index, (key, value) in enumerate(zip(node.keys, node.values)):
            node.keys[index] = key and self.expression(key)
            node.values[index] = self.expression(value)
        return node

    def _Lambda(self, node: ast.Lambda) -> ast.expr:
        self._forget_fresh_self(node)
        holes = self._holes
        if self._in_iterable:
            return node
        self._lambda_defaults(node)
        if any(isinstance(part, (ast.Yield, ast.YieldFrom, ast.Await)) for part in own_nodes([node.body])):
            return node
        if any(map(sees_its_locals, own_nodes([node.body]))):
            return node
        outer, outer_block = self.scope, self.block
        parent = self.routines[outer.routine]
        scope = CodeScope("lambda", len(self.routines), outer.class_name, temporaries=True)
        self.scope = scope
        outer_irregular, self._irregular = self._irregular, False
        self.block = self.new_block("routine", -1, node)
        parameters = parameters_of(node.args)
        scope.locals = frozenset(name.lstrip("*") for name in parameters) | names_bound([node.body])
        scope.free = free_names(outer) - scope.locals
        inside = "" if parent.kind == "class" else "<locals>."
        prefix = "" if parent.kind == "module" else f"{parent.qualname}.{inside}"
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
        stream = park("@L", thread_stream(at), at)
        enter = call(attribute(stream, "extend", at), [tuple_of([enter_mark, *values], at)], at)
        made_for: list[ast.expr] = []
        if id(node) in self.new_lambdas:
            cls = load(parameters[0].lstrip("*"), at) if parameters else constant(None, at)
            made_for.append(call(placeholder("note_made_for", at), [self.handed_mark(node), cls], at))
        self.piece(node.body)
        body = self.plain_value(node.body)
        if made_for:
            body = self.made_new(node.body, body)
        leave = self.event(self.mark(RETURN, at, where=node.body), [load("@r", at)], at)
        node.body = either(
            [
                *made_for,
                enter,
                same(park("@r", body, at), placeholder("absent", at), at),
                leave,
                load("@r", at),
            ],
            at,
        )
        self.scope, self.block, self._holes = outer, outer_block, holes
        self._irregular = outer_irregular
        return node

    def _lambda_defaults(self, node: ast.Lambda) -> None:
        for defaults in (node.args.defaults, node.args.kw_defaults):
            defaults[:] = [default if default is None else self.expression(default) for default in defaults]  # type: ignore[misc]

    def _comprehension(self, node: Any) -> ast.expr:
        """No temporaries: in an iterable Python allows none, elsewhere they would leak."""
        outer, outer_line = self.scope, self._comprehension_line
        inner = CodeScope("comprehension", outer.routine, outer.class_name, temporaries=False)
        inner.locals, inner.free = outer.locals, outer.free
        inner.binder = outer.binder
        self.scope, self._comprehension_line = inner, node.lineno
        inner.sleeper = outer.sleeper
        for generator in node.generators:
            outer_in, self._in_iterable = self._in_iterable, True
            conditions = self.strange_where(generator.iter)
            hook = "note_used" if generator.is_async else "note_gone_through"
            generator.iter, _ = self.used(self.expression(generator.iter), conditions, hook)
            self._in_iterable = outer_in
            if not isinstance(generator.target, ast.Name):
                generator.target = self._irregular_target(generator.target)
            generator.ifs = [self.arm(condition) for condition in generator.ifs]
        for name in ("key", "value", "elt"):
            if hasattr(node, name):
                setattr(node, name, self.arm(getattr(node, name)))
        slept = self.asleep_in_comprehension(node)
        self.scope, self._comprehension_line = outer, outer_line
        made = self._with_a_frame(node) if sys.version_info[:2] == (3, 12) else node
        return self.awake_after(made) if slept else made

    def _with_a_frame(self, node: Any) -> ast.expr:
        """On 3.12 a comprehension's variables are hidden locals of what is around it. Replacing constants of a code object
        reveals them, and whoever then looks at the locals of a module or class deletes names that are called the same.
        """
        if self.scope.kind not in ("module", "class") or isinstance(node, ast.GeneratorExp):
            return node  # type: ignore[no-any-return]
        if not comprehension_variables(walk(node)).keys() & self.scope.lasting:
            return node  # type: ignore[no-any-return]
        at = location(node)
        kind = {ast.ListComp: "list", ast.SetComp: "set", ast.DictComp: "dict"}[type(node)]
        element = tuple_of([node.key, node.value], at) if isinstance(node, ast.DictComp) else node.elt
        return call(placeholder(kind, at), [ast.GeneratorExp(element, node.generators, **at)], at)

    _ListComp = _SetComp = _DictComp = _GeneratorExp = _comprehension


def _let_go_for_unknown(at: Location) -> ast.expr:
    return either([park("@q", constant(None, at), at), placeholder("unknown", at)], at)


def decided(test: ast.expr) -> Iterator[ast.Call]:
    """The calls in a condition that are it, or what `not`, `and` and `or` make it of."""
    todo = [test]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.BoolOp):
            todo += node.values
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            todo.append(node.operand)
        elif isinstance(node, ast.Call):
            yield node
