"""Rewriting of calls: what they may change is noted before, whether by a method of a container, by library code that is
known, or by code nobody knows, which may change whatever it is given; what `print` writes is noted, too.
"""

from __future__ import annotations

import ast
import functools
import json
from typing import Any

from algotrace.instrument_bound import (
    SLEEPING, at_last_noted, loud_up_to, noted_at_last, wrap_last,
)  # fmt: skip
from algotrace.instrument_handed import argument_at, is_on, names_handed, put_argument
from algotrace.instrument_namespaces import USING, called_by, is_namespace
from algotrace.instrument_made_again import MadeAgain, is_class_called
from algotrace.instrument_operations import named_store
from algotrace.content import ITERATING
from algotrace.marks import APPEND, DONE, MADE_AGAIN, MUTATE, NAMED, PASSED, PRINTED
from algotrace.syntax import (
    Location, attribute, both, call, constant, either, is_quiet, is_repeatable, load, location, park, placeholder,
    point, repeated, same, subscript, taken_out, tuple_of, walk,
)  # fmt: skip
from algotrace.mutators import LIBRARY_NAMES, METHOD_NAMES
from algotrace.undo import BUILTIN, NEVER_CHANGE_ARGUMENTS, WITNESSED


_RUNNING_TEXTS = frozenset(
    {"timeit", "repeat", "Timer", "runctx"}
)  # functions of libraries which run code in a text
# What these give is mostly held by somebody else, or nothing to wait for the end of.
_LASTING = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Attribute, ast.Subscript, ast.JoinedStr)


class Calls(MadeAgain):
    """Calls in the middle of an expression; what is around them is `Expressions`' matter."""

    # What is in a call is rewritten by `Expressions`, which is made of this class.

    def expression(self, node: Any) -> Any:
        raise NotImplementedError

    def plain_value(self, node: ast.expr) -> ast.expr:
        raise NotImplementedError

    def _receiver(self, node: ast.expr) -> ast.expr:
        raise NotImplementedError

    def _rewritten_call(self, node: ast.Call) -> ast.expr:
        self._forget_fresh_self(node)
        owner, value = named_store(node)
        rewritten = self._with_arguments(node)
        self.named_stored(node, owner, value)
        return rewritten

    def _with_arguments(self, node: ast.Call) -> ast.expr:
        """Code of the program may run amid a call that changes a container: that it is over is noted, where what it gave is not."""
        is_noted = self.scope.temporaries and id(node) not in self._decided
        if is_noted or not self._may_run_amid(node):
            return self._rewritten(node)
        at = location(node)
        mark = self.mark(DONE, at, where=node)
        return call(placeholder("note_done", at), [mark, self._rewritten(node)], at)

    def _may_run_amid(self, node: ast.Call) -> bool:
        called, name = node.func, called_by(node.func)
        if name in ITERATING or name == MADE_AGAIN or name == "reduce" or isinstance(called, ast.Call):
            return True
        return self._may_be_bound(called) or any(id(part) in self.used_up for part in node.args)

    def _rewritten(self, node: ast.Call) -> ast.expr:
        function = node.func
        if self._print_call(node) or self._library_call(node) or self.code_in_text(node):
            return node
        if called_by(function) == "type" and len(node.args) == 3:
            at = location(node)
            return call(placeholder("note_class", at), [self._plain_call(node)], at)
        return self._plain_call(node)

    def _plain_call(self, node: ast.Call) -> ast.expr:
        function = node.func
        is_method = isinstance(function, ast.Attribute) and function.attr in METHOD_NAMES
        if not isinstance(function, ast.Attribute) or not is_method or self._is_operator(function):
            passed, handed, loud = self._may_be_changed(node), self.handed(node), loud_up_to(node)
            with_setter = any(id(part) in self.kept_setters for part in node.args)
            made_again = self.made_again(node)
            of_wraps = isinstance(function, ast.Call) and called_by(function.func) == "wraps"
            giving = "update_wrapper" if of_wraps else called_by(function)
            if not isinstance(function, ast.Name):
                node.func = self.expression(function)
            if called_by(function) in USING or id(node) in self.used_up:
                self._use_arguments(node, loud)
            else:
                self._rewrite_arguments(node)
            self.loading_noted(node, function)
            if made_again is not None:
                made_again()
            if handed is not None and not handed:
                self.note_called(node)
            at_once = handed if handed and self._has_temporaries else []
            if passed or at_once:
                self._note_passed(node, passed, at_once, loud)
            if handed and not at_once:
                self.note_handing(node, handed, loud)
            self.gives_away(node, giving, with_setter, loud)
            if called_by(function) in _RUNNING_TEXTS:
                self._text_is_run(node)
            if self._may_be_bound(function):
                self._note_callee(node, function)
            return node
        if self.names_updated(node, function):
            return node
        if self._reads_class(function.value) and node.args and not isinstance(node.args[0], ast.Starred):
            function.value = self.expression(function.value)
            late, mark = loud_up_to(node) > 0, self.given_mark(node.args[0], "class", where=node)
            self._rewrite_arguments(node)
            changed = node.args[0]
            if late:
                changed = noted_at_last(node, changed, "note_given", mark)
            else:
                changed = call(
                    placeholder("note_given", location(changed)), [mark, changed], location(changed)
                )
            node.args[0] = changed
            return node
        loud = loud_up_to(node)
        noted_late = None
        if (
            is_namespace(function.value)
            and loud >= 0
            and not any(isinstance(part, SLEEPING) for part in walk(node))
        ):
            noted_late = self.namespace_changed_late(function.value)
        if noted_late is not None:
            receiver = function.value
        elif is_namespace(function.value):
            receiver = self.namespace_changed(function.value)
        else:
            receiver = self._receiver(function.value)
        of_first = f"{self.text(node.args[0]) if node.args else ''}\t{function.attr}"
        node.args = [self.expression(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.expression(keyword.value)
        if noted_late is not None:
            wrap_last(node, noted_late)
        at = location(function.value)
        method = function.attr
        positional = not node.keywords and not any(
            isinstance(argument, ast.Starred) for argument in node.args
        )
        append = method == "append" and positional and len(node.args) == 1
        label = f"{self.text(function.value)}\t{method}"
        mark = self.mark(MUTATE, at, where=node, label=label)
        if append:  # the other mark is for a deque that is full, see `appending`
            mark = self.mark(APPEND, at, where=node, label=label)
        if not self.scope.temporaries:
            receiver = self.noted_to_method(node, receiver, loud)
        named = isinstance(function.value, (ast.Name, ast.Attribute))
        unbound = bool(named and node.args and not append and is_class_called(function.value))
        table = placeholder(f"method:{method}", at)
        sleeps = any(isinstance(part, SLEEPING) for part in walk(node))
        if not self.scope.temporaries:
            if unbound and not sleeps:
                receiver = self._unbound_noted(node, receiver, of_first)
            known = [argument for argument in node.args if is_repeatable(argument)] if positional else []
            if not sleeps and self._last_known_late(node, known, append):
                # What works out the arguments must find the container as it was, and may never come to an end.
                single = positional and len(node.args) == 1 and not append
                if append:
                    table = constant(None, at)
                elif not single:
                    table = placeholder("copying", at)
                function.value = call(placeholder("hold", at), [receiver], at)
                noted = [mark, table, constant(single, at)]
                wrap_last(node, lambda last: call(placeholder("note_held_mutation", at), [*noted, last], at))
                return node
            if append:
                known, table = [], constant(None, at)
            elif names := _told_by_names(node):
                known = names
            elif len(known) != len(node.args) or not positional:
                known, table = [], placeholder("copying", at)
            if _may_pop_member(node):
                function.value = call(placeholder("note_popping", at), [mark, table, receiver], at)
                member = self.mark(MUTATE, at, where=node, label=label)
                return call(placeholder("note_popped", at), [member, node], point(location(node)))
            function.value = call(placeholder("note_mutation", at), [mark, table, receiver, *known], at)
            return node
        if is_repeatable(receiver):
            first, again = receiver, receiver
        else:
            name = self.scope.fresh("r")
            first, again = park(name, receiver, at), load(name, at)
        if unbound and isinstance(again, ast.Name):
            self._unbound_noted(node, again, of_first)
        strange = self.strange_method(node, again, method)
        if append and isinstance(node.args[0], (ast.Constant, ast.Name)):
            given = node.args[0]
            # A name that is not bound raises before it is said that something is appended.
            read = (
                [same(repeated(given, at), placeholder("absent", at), at)]
                if isinstance(given, ast.Name)
                else []
            )
            note = _unless(strange([given], at), self.event(mark, [again], at), at)
            kept = [] if is_repeatable(receiver) else [same(first, placeholder("absent", at), at)]
            function.value = either([*kept, *read, note, again], at)
            return node
        if append:
            argument = node.args[0]
            inner = location(argument)
            name = self.scope.fresh("a")
            function.value = first
            node.args[0] = either(
                [
                    same(park(name, argument, inner), placeholder("absent", inner), inner),
                    _unless(strange([load(name, inner)], inner), self.event(mark, [again], inner), inner),
                    load(name, inner),
                ],
                inner,
            )
            return node
        reader = self.scope.fresh("h")
        if not node.args or not positional:
            handing = isinstance(again, ast.Name) and self._may_be_strange(node.func)
            late = not sleeps and self._last_known_late(node, [], False, handing=handing)
            receiver = again if late else first
            found = park(reader, subscript(table, call(placeholder("type", at), [receiver], at), at), at)
            unknown = (
                []
                if positional
                else _told_by_last(node) or _told_by_names(node) or [placeholder("unknown", at)]
            )
            note = self.event(mark, [again, call(load(reader, at), [again, *unknown], at)], at)
            if not late:
                function.value = either(
                    [both([found, note], at), *strange(names_handed(node, at), at), again], at
                )
                return self._member_noted(node, reader, again, label) if _may_pop_member(node) else node
            function.value = first
            others = self._parked_before_last(node) if handing else []
            name = self.scope.fresh("a")

            def noted_after(last: ast.expr) -> ast.expr:
                inner = location(last)
                known = same(park(name, last, inner), placeholder("absent", inner), inner)
                more = strange([*others, load(name, inner)], inner)
                return either([known, both([found, note], inner), *more, load(name, inner)], inner)

            wrap_last(node, noted_after)
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
        more = strange([*known, final], inner)
        node.args[-1] = either([*start, both([found, note], inner), *more, final], inner)
        return node

    def _member_noted(self, node: ast.Call, reader: str, receiver: ast.expr, label: str) -> ast.expr:
        """`receiver.pop()`; which member of a set that is is known only afterwards."""
        at = point(location(node))
        name = self.scope.fresh("w")
        mark = self.mark(MUTATE, at, where=node, label=label)
        member = tuple_of([constant("member", at), load(name, at), constant(True, at)], at)
        of_set = same(load(reader, at), placeholder("pops_member", at), at)
        note = both([of_set, self.event(mark, [receiver, member], at)], at)
        popped = same(park(name, node, at), placeholder("absent", at), at)
        return either([popped, note, load(name, at)], location(node))

    def _parked_before_last(self, node: ast.Call) -> list[ast.expr]:
        """What a call is given before its last argument, by names."""
        found: list[ast.expr] = []
        for index in range(len(node.args) + len(node.keywords) - 1):
            value = argument_at(node, index)
            at = location(value)
            if not is_repeatable(value):
                name = self.scope.fresh("a")
                put_argument(node, index, park(name, value, at))
                value = load(name, at)
            if isinstance(value, ast.Name):
                found.append(repeated(value, at))
        return found

    @staticmethod
    def _last_known_late(
        node: ast.Call, known: list[ast.expr], append: bool, *, handing: bool = False
    ) -> bool:
        """Whether working out the arguments may run code that sees the receiver, or of an `append` may fail; `handing`: or
        they are handed on and have no names."""
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        if append:
            return not isinstance(values[0], ast.Constant)
        if handing and not all(map(is_repeatable, values)):
            return True
        return len(known) < len(values) and not all(map(is_quiet, values))

    def _text_is_run(self, node: ast.Call) -> None:
        """Notes what can be reached from what such a function is given, before the code in the text changes it."""

        def noted(part: ast.expr) -> ast.expr:
            if isinstance(part, (ast.Starred, ast.Constant)):
                return part
            at = location(part)
            return call(
                placeholder("note_reachable", at), [self.handed_mark(part, self.text(part)), part], at
            )

        node.args = list(map(noted, node.args))
        for keyword in node.keywords:
            keyword.value = noted(keyword.value)
        if isinstance(node.func, ast.Attribute):
            node.func.value = noted(node.func.value)

    def _reads_class(self, node: ast.expr) -> bool:
        """Is it `type(obj)` or `obj.__class__`?"""
        if called_by(node) == "__class__":
            return True
        return isinstance(node, ast.Call) and called_by(node.func) == "type" and not self._is_own("type")

    def _is_operator(self, function: ast.expr) -> bool:
        """`operator.__setitem__` and the like, which are no methods."""
        if isinstance(function, ast.Name):
            return function.id.startswith("__")
        is_special = isinstance(function, ast.Attribute) and function.attr.startswith("__")
        return is_special and called_by(function.value) in self.operator_modules  # type: ignore[attr-defined]

    def _may_be_changed(self, node: ast.Call) -> list[tuple[int, str]]:
        """Arguments, by position, that may be a container which the call may change unseen; with their texts."""
        called = node.func
        name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
        is_harmless = name in NEVER_CHANGE_ARGUMENTS and not self._is_operator(called)
        if is_harmless or self.scope.kind == "comprehension" or self._is_recorded(called):
            return []
        if self._in_iterable or self._irregular:
            return []
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        return [
            (index, self.text(value))
            for index, value in enumerate(values)
            if isinstance(value, (ast.Attribute, ast.Subscript, ast.Name)) or _chooses_object(value)
        ]

    def _rewrite_arguments(self, node: ast.Call) -> None:
        node.args = [self.expression(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.expression(keyword.value)

    def _use_arguments(self, node: ast.Call, loud: int) -> None:
        """… of a call that calls methods which it is given, and does not keep them."""
        self._used_at_once.update(map(id, node.args[max(loud, 0) :]))
        marks: list[ast.Constant] = []
        others = list(map(id, node.args[: max(loud, 0)]))
        self._used_at_last.update(dict.fromkeys(others, marks))
        self._rewrite_arguments(node)
        for each in others:
            del self._used_at_last[each]
        for mark in marks:
            wrap_last(node, functools.partial(at_last_noted, "note_passed", [mark]))

    def _note_passed(
        self, node: ast.Call, passed: list[tuple[int, str]], handed: list[int], loud: int
    ) -> None:
        """Copy small containers just before the call, when all arguments are known; see `PASSED`. Then what strangers
        are `handed`."""
        if not self.scope.temporaries:
            for index, text in passed:
                value = argument_at(node, index)
                at = point(location(value))
                mark = self.mark(PASSED, at, where=node, label=f"{text}\t{called_at(node)}")
                noted: ast.expr
                if index < loud:  # working out what comes later must find it as it is
                    noted = noted_at_last(node, value, "note_passed", mark)
                else:
                    noted = call(placeholder("note_passed", at), [mark, value], at)
                if self.is_if_mixed(value):
                    noted = ast.IfExp(is_on("mixed", at), noted, repeated(value, at), **at)
                put_argument(node, index, noted)
            return
        count = len(node.args) + len(node.keywords)
        last = argument_at(node, count - 1)
        at = point(location(last))
        start: list[ast.expr] = []
        letting_go: list[ast.expr] = []
        final = last
        known: dict[int, ast.expr] = {}
        lasting = {index for index, _ in passed}
        for index in sorted(lasting.union(handed)):
            known[index] = value = argument_at(node, index)
            if is_repeatable(value):
                continue
            # What a call gave its caller may wait for the end of: the name is used again at once, or let go.
            name = "@q" if value is last and index not in lasting else self.scope.fresh("p")
            parked = park(name, value, location(value))
            known[index] = load(name, at)
            if value is last:
                start = [same(parked, placeholder("absent", at), at)]
                final = taken_out(name, at) if name == "@q" else load(name, at)
            else:
                put_argument(node, index, parked)
                if index not in lasting:
                    letting_go.append(park(name, constant(None, at), at))
        notes = [self._witness(repeated(known[index], at), text, node, at) for index, text in passed]
        if handed:
            # Last of all: what a stranger changes is told from what it was handed.
            reached = self.handed_note(node, [repeated(known[index], at) for index in handed], at)
            notes = [*notes, *reached, *letting_go]
        if final is last and not isinstance(last, ast.Constant):
            if isinstance(last, ast.Name):
                final = repeated(last, at)
            else:
                name = self.scope.fresh("p")
                start = [same(park(name, last, location(last)), placeholder("absent", at), at)]
                # The program may wait for the end of what a call gave.
                final = load(name, at) if isinstance(last, _LASTING) else taken_out(name, at)
        put_argument(node, count - 1, either([*start, *notes, final], at))

    def _witness(self, value: ast.expr, text: str, node: ast.Call, at: Location) -> ast.expr:
        """An expression that notes a container as it is, and is false."""

        def again() -> ast.expr:
            return repeated(value, at)

        kind = call(placeholder("type", at), [again()], at)
        container = park("@m", subscript(placeholder("passed_on", at), kind, at), at)
        size = ast.Compare(
            call(placeholder("len", at), [again()], at), [ast.LtE()], [constant(WITNESSED, at)], **at
        )
        copy = call(
            subscript(placeholder("copies", at), call(placeholder("type", at), [again()], at), at),
            [again()],
            at,
        )
        builtin = ast.IfExp(size, copy, placeholder("unknown", at), **at)
        derived = call(placeholder("witness", at), [again()], at)
        seen = ast.IfExp(same(load("@m", at), constant(BUILTIN, at), at), builtin, derived, **at)
        mark = self.mark(PASSED, at, where=node, label=f"{text}\t{called_at(node)}")
        known = [is_on("mixed", at)] if self.is_if_mixed(value) else []
        return both([*known, container, self.event(mark, [again(), seen], at)], at)

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
        if not written and self._is_own("print"):
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
        given: ast.expr = tuple_of(list(node.args), location(node))
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            given = call(placeholder("given_to_print", at), list(node.args), location(node))
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
        is_setter = isinstance(function, ast.Name) and name in self.setters
        effect = "named" if is_setter else LIBRARY_NAMES.get(name, "")
        if not effect or any(isinstance(part, ast.Starred) for part in node.args):
            return False
        plain = isinstance(function, ast.Name) or isinstance(getattr(function, "value", None), ast.Name)
        # `super().__setattr__(name, value)`, `obj.__setattr__(name, value)`: the object stands in front.
        alone = effect == "named" and not isinstance(function, ast.Name)
        through_super = alone and (not plain or len(node.args) == (2 if name == "__setattr__" else 1))
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
            if len(node.args) > name_at + 1 and not any(isinstance(part, SLEEPING) for part in walk(node)):
                node.args[name_at] = call(placeholder("hold", at), [node.args[name_at]], at)
                node.args[-1] = call(placeholder("note_named_held", at), [mark, node.args[-1]], at)
            else:
                node.args[name_at] = call(placeholder("note_named", at), [mark, node.args[name_at]], at)
            return True
        again = (
            load(name, at)
            if isinstance(function, ast.Name)
            else attribute(load(function.value.id, at), name, at)  # type: ignore[attr-defined]
        )
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
            self.scope.meet_self(node)
            return
        for part in walk(node):
            if isinstance(part, ast.Name) and part.id in (self.scope.fresh_self, "super"):
                self.scope.meet_self(part)
                return


def _may_pop_member(node: ast.Call) -> bool:
    return (
        isinstance(node.func, ast.Attribute) and node.func.attr == "pop" and not (node.args or node.keywords)
    )


def _unless(told: list[ast.expr], note: ast.expr, at: Location) -> ast.expr:
    """The note, where none of some expressions says that it is told."""
    return (
        ast.IfExp(either(told, at) if len(told) > 1 else told[0], constant(None, at), note, **at)
        if told
        else note
    )


def _told_by_last(node: ast.Call) -> list[ast.expr]:
    """The arguments of `move_to_end(key, last=False)`, where they can be evaluated once more."""
    match node:
        case ast.Call(
            func=ast.Attribute(attr="move_to_end"),
            args=[key],
            keywords=[ast.keyword(arg="last", value=ast.Constant(value=bool()) as last)],
        ) if is_repeatable(key):
            return [repeated(part, location(part)) for part in (key, last)]
    return []


def _told_by_names(node: ast.Call) -> list[ast.expr]:
    """For `update(a=…, b=…)` a dict that has these keys."""
    names = [keyword.arg for keyword in node.keywords]
    if not names or None in names or node.args or called_by(node.func) != "update":
        return []
    at = point(location(node.func))
    keys: list[ast.expr | None] = [constant(name, at) for name in names]
    return [ast.Dict(keys, [constant(None, at) for _ in names], **at)]


def _chooses_object(value: ast.expr) -> bool:
    """`a if c else b`, `a or b`: whether one of them may be an object that somebody else has."""
    if isinstance(value, ast.IfExp):
        return _may_be_held(value.body) or _may_be_held(value.orelse)
    return isinstance(value, ast.BoolOp) and any(map(_may_be_held, value.values))


def _may_be_held(value: ast.expr) -> bool:
    return isinstance(value, (ast.Name, ast.Attribute, ast.Subscript)) or _chooses_object(value)


def called_at(node: ast.Call) -> str:
    """The name a call goes by, and where it is."""
    return f"{called_by(node.func)} {node.lineno}:{node.col_offset}"


def _writes_output(node: ast.Call) -> bool:
    """Is it `sys.stdout.write(…)`?"""
    match node.func:
        case ast.Attribute(
            value=ast.Attribute(value=ast.Name(id="sys"), attr="stdout" | "__stdout__"), attr="write"
        ):
            return True
    return False
