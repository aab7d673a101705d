"""Rewriting of expressions: operands that are not always evaluated, lambdas, comprehensions, `yield` and `await`, and
calls that change a container.
"""

from __future__ import annotations


import ast
import json
import sys
from typing import Any
from collections.abc import Callable, Iterable, Iterator

from algotrace.marks import (
    APPEND, BLOCK, DELEGATE, ENTER, ITEM, MUTATE, NAMED, PASSED, PRINTED, RESUME, RETURN, YIELD,
    Routine,
)  # fmt: skip
from algotrace.syntax import (
    Location, attribute, both, bound_by, call, constant, either, extent, is_quiet,
    is_repeatable, load, location, own_nodes, park, placeholder, point, same, subscript, tuple_of,
)  # fmt: skip
from algotrace.undo import LIBRARY_NAMES, METHOD_NAMES, NEVER_CHANGE_ARGUMENTS, WITNESSED
from algotrace.places import CodeScope, Places, thread_stream

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
_COLLECTING = frozenset({"collect", "gc_collect"})  # before them our temporaries let go of their objects
SEES_LOCALS = frozenset({"locals", "vars", "dir", "eval", "exec", "globals"})


class Expressions(Places):
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
            chain[-1].left = self.expression(chain[-1].left)
            for link in reversed(chain):  # in the order of evaluation, which is that of the slots
                link.right = self.expression(link.right)
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
        if not self._leaves_values() or name in self.scope.globals or name in self.scope.nonlocals:
            return node
        self.slot("store", name, node.target)
        at = location(node)
        return either(
            [same(node, placeholder("absent", at), at), self.value_event(load(name, at), at), load(name, at)],
            at,
        )

    def _Call(self, node: ast.Call) -> ast.expr:
        unneeded = node is self._unneeded
        is_decided = id(node) in self._decided
        called = node.func
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
            kept = self.if_kept(load("@q", point(at)), load("@q", point(at)), at)
            return self.value_event(ast.IfExp(nothing, constant(None, point(at)), kept, **at), at)
        value = parked if name in _LASTING else self.if_kept(parked, load("@q", point(at)), at)
        return either([self.value_event(value, at), load("@q", point(at))], at)

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
        defaulting = same(call(placeholder("type", at), [again], at), placeholder("defaulting", at), at)
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
        if any(isinstance(part, ast.Name) and part.id in SEES_LOCALS for part in own_nodes([node.body])):
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
        self.piece(node.body)
        body = self.plain_value(node.body)
        leave = self.event(self.mark(RETURN, at, where=node.body), [load("@r", at)], at)
        node.body = either(
            [enter, same(park("@r", body, at), placeholder("absent", at), at), leave, load("@r", at)], at
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
        return self._with_a_frame(node) if sys.version_info[:2] == (3, 12) else node

    def _with_a_frame(self, node: Any) -> ast.expr:
        """On 3.12 a comprehension's variables are hidden locals of what is around it. Replacing constants of a code object
        reveals them, and whoever then looks at the locals of a module or class deletes names that are called the same.
        """
        if self.scope.kind not in ("module", "class") or isinstance(node, ast.GeneratorExp):
            return node  # type: ignore[no-any-return]
        if not comprehension_variables(ast.walk(node)).keys() & self.scope.lasting:
            return node  # type: ignore[no-any-return]
        at = location(node)
        kind = {ast.ListComp: "list", ast.SetComp: "set", ast.DictComp: "dict"}[type(node)]
        element = tuple_of([node.key, node.value], at) if isinstance(node, ast.DictComp) else node.elt
        return call(placeholder(kind, at), [ast.GeneratorExp(element, node.generators, **at)], at)

    _ListComp = _SetComp = _DictComp = _GeneratorExp = _comprehension

    def _sleep(self, node: Any, mark_kind: int) -> ast.expr:
        """`yield v`, `yield from x`, `await x` with a mark before, and one after that names the activation again."""
        at = location(node)
        value = self.plain_value(node.value) if node.value is not None else constant(None, at)
        if not (self.scope.tokened and self.scope.kind == "function"):
            node.value = value if node.value is not None else None
            return node  # type: ignore[no-any-return]
        token = [load("@t", at)] if mark_kind == DELEGATE else []
        mark = self.mark(mark_kind, at, where=node)
        inner = location(node.value) if node.value is not None else at
        noted: ast.expr = park("@y", value, inner)
        if mark_kind == DELEGATE:
            noted = code_of(noted, "@y", inner)
        handed = load("@y", inner) if not isinstance(node, ast.YieldFrom) else self._each_noted(node, inner)
        node.value = either([self.event(mark, [*token, noted], inner), handed], inner)
        at = point(at)
        stream = park("@L", thread_stream(at), at)
        resume_mark = self.mark(RESUME, at, where=node)
        resume = call(
            attribute(stream, "extend", at), [tuple_of([resume_mark, load("@t", at), load("@s", at)], at)], at
        )
        return either([same(park("@s", node, at), placeholder("absent", at), at), resume, load("@s", at)], at)

    def _each_noted(self, node: ast.YieldFrom, at: Location) -> ast.expr:
        """What `yield from` is given; of containers and the like, a map that notes each item on its way."""
        kind = call(placeholder("id", at), [call(placeholder("type", at), [load("@y", at)], at)], at)
        marks: list[ast.expr] = [self.mark(each, at, where=node, label="item") for each in (YIELD, RESUME)]
        noted = call(placeholder("each_noted", at), [load("@y", at), *marks, load("@t", at)], at)
        passes = ast.Compare(kind, [ast.In()], [placeholder("handed_on", at)], **at)
        return ast.IfExp(passes, noted, load("@y", at), **at)

    def _Yield(self, node: ast.Yield) -> ast.expr:
        return self._sleep(node, YIELD)

    def _YieldFrom(self, node: ast.YieldFrom) -> ast.expr:
        return self._sleep(node, DELEGATE)

    def _Await(self, node: ast.Await) -> ast.expr:
        return self._sleep(node, DELEGATE)

    def _rewritten_call(self, node: ast.Call) -> ast.expr:
        self._forget_fresh_self(node)
        function = node.func
        if self._print_call(node) or self._library_call(node):
            return node
        if not (isinstance(function, ast.Attribute) and function.attr in METHOD_NAMES):
            passed = self._may_be_changed(node)
            node.func = function if isinstance(function, ast.Name) else self.expression(function)
            node.args = [self.expression(argument) for argument in node.args]
            for keyword in node.keywords:
                keyword.value = self.expression(keyword.value)
            if passed:
                self._note_passed(node, passed)
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
        sleeps = any(isinstance(part, _SLEEPING) for part in ast.walk(node))
        if not self.scope.temporaries:
            known = [argument for argument in node.args if is_repeatable(argument)] if positional else []
            if not sleeps and self._last_known_late(node, known, append):
                # What works out the arguments must find the container as it was, and may never come to an end.
                single = positional and len(node.args) == 1 and not append
                if append:
                    table = constant(None, at)  # type: ignore[assignment]
                elif not single:
                    table = placeholder("copying", at)
                function.value = call(placeholder("hold", at), [receiver], at)
                noted = [mark, table, constant(single, at)]
                _wrap_last(node, lambda last: call(placeholder("note_held_mutation", at), [*noted, last], at))
                return node
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
        if append and isinstance(node.args[0], (ast.Constant, ast.Name)):
            given = node.args[0]
            # A name that is not bound raises before it is said that something is appended.
            read = (
                [same(repeated(given, at), placeholder("absent", at), at)]
                if isinstance(given, ast.Name)
                else []
            )
            note = self.event(mark, [again], at)
            kept = [] if is_repeatable(receiver) else [same(first, placeholder("absent", at), at)]
            function.value = either([*kept, *read, note, again], at)
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
            late = not sleeps and self._last_known_late(node, [], False)
            receiver = again if late else first
            found = park(reader, subscript(table, call(placeholder("type", at), [receiver], at), at), at)
            note = self.event(mark, [again, call(load(reader, at), [again], at)], at)
            if not late:
                function.value = either([both([found, note], at), again], at)
                return node
            function.value = first
            name = self.scope.fresh("a")

            def noted_after(last: ast.expr) -> ast.expr:
                inner = location(last)
                known = same(park(name, last, inner), placeholder("absent", inner), inner)
                return either([known, both([found, note], inner), load(name, inner)], inner)

            _wrap_last(node, noted_after)
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

    @staticmethod
    def _last_known_late(node: ast.Call, known: list[ast.expr], append: bool) -> bool:
        """Whether working out the arguments may run code that sees the receiver, or of an `append` may fail."""
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        if append:
            return not isinstance(values[0], ast.Constant)
        return len(known) < len(values) and not all(map(is_quiet, values))

    def _may_be_changed(self, node: ast.Call) -> list[tuple[int, str]]:
        """Arguments, by position, that may be a container which the call may change unseen; with their texts."""
        called = node.func
        name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
        if name in NEVER_CHANGE_ARGUMENTS or self.scope.kind == "comprehension" or self._is_recorded(called):
            return []
        if self._in_iterable or self._irregular:
            return []
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        return [
            (index, self.text(value))
            for index, value in enumerate(values)
            if isinstance(value, (ast.Attribute, ast.Subscript))
            # What a method of a class is called on is no plain container.
            or (isinstance(value, ast.Name) and value.id != self.scope.self_name)
        ]

    def _note_passed(self, node: ast.Call, passed: list[tuple[int, str]]) -> None:
        """Copy small containers just before the call, when all arguments are known; see `PASSED`."""

        def put(index: int, value: ast.expr) -> None:
            if index < len(node.args):
                node.args[index] = value
            else:
                node.keywords[index - len(node.args)].value = value

        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        if not self.scope.temporaries:
            for index, text in passed:
                at = point(location(values[index]))
                mark = self.mark(PASSED, at, where=node, label=f"{text}\t{called_at(node)}")
                put(index, call(placeholder("note_passed", at), [mark, values[index]], at))
            return
        notes: list[ast.expr] = []
        last = values[-1].value if isinstance(values[-1], ast.Starred) else values[-1]
        at = point(location(last))
        start: list[ast.expr] = []
        final = last
        for index, text in passed:
            value = values[index]
            name = ""
            if not is_repeatable(value):
                name = self.scope.fresh("p")
                parked = park(name, value, location(value))
                if value is last:
                    start, final = [same(parked, placeholder("absent", at), at)], load(name, at)
                else:
                    put(index, parked)
            notes.append(self._witness(load(name, at) if name else repeated(value, at), text, node, at))
        if final is last and not isinstance(last, ast.Constant):
            if isinstance(last, ast.Name):
                final = repeated(last, at)
            else:
                name = self.scope.fresh("p")
                start = [same(park(name, last, location(last)), placeholder("absent", at), at)]
                final = load(name, at)
        whole = either([*start, *notes, final], at)
        if isinstance(values[-1], ast.Starred):
            values[-1].value = whole
        else:
            put(len(values) - 1, whole)

    def _witness(self, value: ast.expr, text: str, node: ast.Call, at: Location) -> ast.expr:
        """An expression that notes a container as it is, and is false."""

        def again() -> ast.expr:
            return repeated(value, at)

        kind = call(placeholder("type", at), [again()], at)
        mutable = ast.Compare(kind, [ast.In()], [placeholder("mutable", at)], **at)
        size = ast.Compare(
            call(placeholder("len", at), [again()], at), [ast.LtE()], [constant(WITNESSED, at)], **at
        )
        copy = call(
            subscript(placeholder("copies", at), call(placeholder("type", at), [again()], at), at),
            [again()],
            at,
        )
        seen = ast.IfExp(size, copy, placeholder("unknown", at), **at)
        mark = self.mark(PASSED, at, where=node, label=f"{text}\t{called_at(node)}")
        return both([mutable, self.event(mark, [again(), seen], at)], at)

    def _print_call(self, node: ast.Call) -> bool:
        """Note what is printed to the standard output: `print(*(args := (…)))`, `sys.stdout.write(*(args := (…)))`."""
        if self._irregular:
            return False
        options = {keyword.arg: keyword.value for keyword in node.keywords}
        written = _writes_output(node)
        if written:
            known = not options and len(node.args) == 1 and not isinstance(node.args[0], ast.Starred)
        else:
            to_output = "file" not in options or ast.unparse(options["file"]) == "sys.stdout"
            known = to_output and options.keys() <= {"sep", "end", "flush", "file"}
        if not known or not (written or (isinstance(node.func, ast.Name) and node.func.id == "print")):
            return False
        if not written and "print" in self.scope.locals | self.scope.free:
            return False
        if written:
            node.func = self.expression(node.func)
        node.args = [self.expression(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.expression(keyword.value)
        at = point(location(node))
        form: list[object] = [
            given.value if isinstance(given, ast.Constant) else None if given is None else False
            for given in (options.get("sep"), options.get("end"))
        ]
        mark = self.mark(PRINTED, at, where=node, label=json.dumps(["", ""] if written else form))
        given = tuple_of(list(node.args), location(node))
        if self.scope.temporaries and self.scope.kind != "comprehension":
            # Exceptions hold frames: what is not to be kept is told in another way.
            types = call(placeholder("map", at), [placeholder("type", at), load("@p", at)], at)
            kept = call(placeholder("map", at), [placeholder("is_kept", at), types], at)
            values = ast.IfExp(
                call(placeholder("all", at), [kept], at),
                load("@p", at),
                call(placeholder("without_endings", at), [load("@p", at)], at),
                **at,
            )
            parked = same(park("@p", given, location(node)), placeholder("absent", at), at)
            noted: ast.expr = either([parked, self.event(mark, [values], at), load("@p", at)], at)
        else:
            noted = call(placeholder("note_print", at), [mark, given], at)
        node.args = [ast.Starred(noted, ast.Load(), **location(node))]
        return True

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
        if effect == "named":
            name_at = 0 if through_super else 1
            if through_super:
                function.value = call(placeholder("hold", at), [self.expression(changed)], at)  # type: ignore[attr-defined]
            else:
                node.args[0] = call(placeholder("hold", at), [node.args[0]], at)
            if len(node.args) > name_at + 1 and not any(
                isinstance(part, _SLEEPING) for part in ast.walk(node)
            ):
                node.args[name_at] = call(placeholder("hold", at), [node.args[name_at]], at)
                node.args[-1] = call(placeholder("note_named_held", at), [mark, node.args[-1]], at)
            else:
                node.args[name_at] = call(placeholder("note_named", at), [mark, node.args[name_at]], at)
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
        node.args[1] = call(placeholder("note_library_item", at), [mark, again, node.args[1]], at)
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


_SLEEPING = (ast.Await, ast.Yield, ast.YieldFrom)


def _wrap_last(node: ast.Call, wrap: Callable[[ast.expr], ast.expr]) -> None:
    """Puts something around the argument of a call that is evaluated last."""
    if node.keywords:
        node.keywords[-1].value = wrap(node.keywords[-1].value)
    elif isinstance(node.args[-1], ast.Starred):
        node.args[-1].value = wrap(node.args[-1].value)
    else:
        node.args[-1] = wrap(node.args[-1])


def called_by(function: ast.expr) -> str:
    """The name that a call of it goes by."""
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def called_at(node: ast.Call) -> str:
    """The name a call goes by, and where it is."""
    return f"{called_by(node.func)} {node.lineno}:{node.col_offset}"


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


def code_of(parked: ast.expr, name: str, at: Location) -> ast.expr:
    """What tells whose run an awaitable is, without keeping it alive: its code, or its class."""
    table = placeholder("awaited", at)
    return call(subscript(table, call(placeholder("type", at), [parked], at), at), [load(name, at)], at)


def repeated(node: ast.expr, at: Location) -> ast.expr:
    """A second evaluation of a name or constant."""
    return load(node.id, at) if isinstance(node, ast.Name) else constant(node.value, at)  # type: ignore[attr-defined]


def comprehension_variables(nodes: Iterable[ast.AST]) -> dict[str, list[ast.Name]]:
    """The variables of comprehensions among some nodes, where they are bound."""
    found: dict[str, list[ast.Name]] = {}
    for node in nodes:
        if isinstance(node, ast.comprehension):
            for name in ast.walk(node.target):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    found.setdefault(name.id, []).append(name)
    return found


def names_lasting(nodes: list[Any]) -> frozenset[str]:
    """Names that a suite may bind, but for the variables of its comprehensions where it is sure that these pass."""
    inside = comprehension_variables(own_nodes(nodes))
    names = {name for node in own_nodes(nodes) for name in bound_by(node)}
    used = {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}
    if "*" in names or used & SEES_LOCALS:
        return frozenset(names)
    passing = {id(name) for names in inside.values() for name in names}
    return frozenset(name for node in own_nodes(nodes) if id(node) not in passing for name in bound_by(node))


def names_bound(nodes: list[Any]) -> frozenset[str]:
    """Names that a suite binds in its own scope: by a store, an import, a definition, `except … as`, a pattern."""
    names: set[str] = set()
    for node in own_nodes(nodes):
        names.update(bound_by(node))
    return frozenset(names)


def free_names(outer: CodeScope) -> frozenset[str]:
    """What a function defined in `outer` may find in functions around it."""
    own = outer.locals if outer.kind in ("function", "lambda", "comprehension") else frozenset()
    return (own | outer.free) - outer.globals


def parameters_of(arguments: ast.arguments) -> list[str]:
    """Parameter names in order; `*args` and `**kwargs` keep their stars."""
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    if arguments.vararg:
        names.append("*" + arguments.vararg.arg)
    names += [argument.arg for argument in arguments.kwonlyargs]
    if arguments.kwarg:
        names.append("**" + arguments.kwarg.arg)
    return names


def _writes_output(node: ast.Call) -> bool:
    """Is it `sys.stdout.write(…)`?"""
    match node.func:
        case ast.Attribute(
            value=ast.Attribute(value=ast.Name(id="sys"), attr="stdout" | "__stdout__"), attr="write"
        ):
            return True
    return False
