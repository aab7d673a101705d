"""The dependence graph of a run, made on demand: what an instance depends on, wherever that lies.

A *demand* asks for an instance and a part of its value: nothing but which object it is, its shape, all of it, or what
lies at the end of an access path. `expand` says which demands follow from one. Values flow through copies (names,
arguments, results), so a path is followed to where the object was made; what was stored into it since is looked up in
the trace's index of writes. Activations are followed when something in them is asked for, and kept.
"""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

from algodebug.slicing import raising, scalars
from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    CHOICE,
    CONSTANT,
    DEEP,
    DISPLAY,
    ENTRY,
    FREE,
    GLOBAL,
    ITEM,
    LIBRARY,
    NAME,
    OPERATION,
    PARAMETER,
    PART,
    RAISE,
    RETURN,
    SHALLOW,
    SHAPE,
    SLICED,
    STORE,
    TEST,
    UNSET,
    WRITE,
    YIELD,
    Activation,
    Called,
    Instance,
)
from algodebug.slicing.potential import Potential
from algodebug.slicing.sources import Effects, SourceFiles
from algodebug.slicing.walk import follow
from algotrace import marks

if TYPE_CHECKING:
    from algotrace.content import Content, Write
    from algotrace.trace import Trace

REACHED = -1  # that it was executed, whatever it gave
_COPIES = frozenset({NAME, STORE, RETURN, YIELD, CHOICE, RAISE})
_COMPOUND = frozenset({"list", "dict", "set", "deque", "instance", "exception", "bytearray", "based"})
_MOST_STEPS = 400  # changes of a whole container that an element is followed through
_MOST_DEPTH = 60
_BUILTINS = frozenset(dir(builtins))
_MOST_PARTS = 2000
_NEAR = 8  # events between a call's mark and its value
_MOST_RAISING = 500  # calls looked into for what could have raised
# Methods and functions that put elements where the others tell.
_ORDERING = frozenset(
    {
        "sort", "remove", "heappush", "heappop", "heapify", "heapreplace", "heappushpop", "insort", "insort_left",
        "insort_right", "shuffle",
    }
)  # fmt: skip

Step = tuple[str, Any]


class Demand(NamedTuple):
    instance: Instance
    path: tuple[Step, ...]
    depth: int
    time: int  # of the state asked about, where parts matter
    fresh: bool = False  # nothing was stored at the path's first step (or at all) since the object was made


class Graph:
    """One trace's activations and what depends on what."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.files = SourceFiles(trace)
        self.activations: dict[int, Activation] = {}
        self._steps: dict[int, Step | None] = {}  # slot of the trace's index → what it is
        self._free: dict[tuple[int, str], bool] = {}
        self._tests: dict[int, dict[str, list[tuple[int, Instance]]]] = {}
        self.incomplete: set[str] = set()  # what could not be known
        self._potential: dict[tuple[int, int] | None, Potential] = {}
        self.inside: tuple[int, int] | None = None  # nodes outside of this range are input: not looked into

    # -- activations -------------------------------------------------------------------------------------------------

    def activation(self, node: int) -> Activation:
        made = self.activations.get(node)
        if made is None:
            made = self.activations[node] = follow(self, node)
            if made.failed:
                self.incomplete.add(f"node {node}: {made.failed}")
        return made

    def owner(self, time: int) -> int:
        """The node that was running at a time."""
        trace = self.trace
        sleeps = trace.sleepers
        best = -1
        if sleeps:
            at = bisect_right(sleeps, (time, 1 << 60, 0)) - 1
            steps = 0
            while at >= 0 and steps < 2000:
                first, last, node = sleeps[at]
                if first <= time <= last:
                    best = node
                    break
                at, steps = at - 1, steps + 1
        start = trace.start
        node = max(bisect_right(start, time) - 1, 0) if not sleeps else trace.node_at(time)
        while node and not (
            start[node] <= time <= trace.end[node] and (node not in trace.segments or node == best)
        ):
            node = trace.parent[node]
        if best >= 0 and (node == 0 or start[node] < _segment_start(trace, best, time)):
            return best
        return node

    def caller(self, node: int) -> Instance | None:
        """The call (or whatever else) that ran a node; None where it cannot be told."""
        parent = self.trace.parent[node]
        if parent < 0:
            return None
        return self.activation(parent).callers.get(node)

    def write(self, time: int) -> Instance | None:
        """The instance that made a write."""
        activation = self._visible(time)
        return None if activation is None else activation.writes.get(time)

    def _visible(self, time: int) -> Activation | None:
        """The activation of a time; None where it is not looked into."""
        owner = self.owner(time)
        if self.inside is not None and not self.inside[0] <= owner < self.inside[1]:
            return None
        return self.activation(owner)

    def normal(self, demand: Demand) -> Demand:
        """Of a scalar there are no parts and no states."""
        instance, path, depth, time, fresh = demand
        if depth == REACHED:
            return demand
        if instance.number:
            row = self.trace.row(instance.number)
            if type(row) is not list and instance.kind != LIBRARY:
                return Demand(instance, (), DEEP, 0, True)
        elif instance.value is not UNSET and instance.kind != LIBRARY:
            return Demand(instance, (), DEEP, 0, True)
        if depth == SHALLOW and not path and time:
            return Demand(instance, (), SHALLOW, 0, fresh)
        return demand

    # -- what is known of names and code ------------------------------------------------------------------------------

    def is_free(self, routine: int, name: str) -> bool:
        key = (routine, name)
        if key not in self._free:
            found = False
            at = self.trace.routines[routine].parent
            while at >= 0 and self.trace.routines[at].kind != "module":
                code = self.files.code_of(at)
                if code is not None and name in self.files.scope(code).locals:
                    found = True
                    break
                at = self.trace.routines[at].parent
            self._free[key] = found
        return self._free[key]

    def class_of(self, routine: int) -> str:
        parts = self.trace.routines[routine].qualname.split(".")
        return parts[-2] if len(parts) > 1 and parts[-2] != "<locals>" else ""

    def is_property(self, node: int) -> bool:
        code = self.files.code_of(self.trace.routine[node])
        return bool(getattr(code, "decorator_list", None))

    def is_builtin(self, activation: Activation, function: Instance | None) -> bool:
        if function is None or function.kind != GLOBAL or function.detail not in _BUILTINS:
            return False
        path = activation.source
        module = next(
            (
                names
                for name, names in self.trace.modules.items()
                if self.trace.sources[path].path.endswith(name.rpartition(".")[2] + ".py")
            ),
            {},
        )
        return function.detail not in module

    # -- values ------------------------------------------------------------------------------------------------------

    def number(self, instance: Instance | None) -> int:
        """The object an instance stands for; 0 where the trace does not tell."""
        seen = 0
        while instance is not None and seen < 10_000:
            if instance.number:
                return instance.number
            kind = instance.kind
            if kind in _COPIES:
                instance = instance.copy
            elif kind == CALL and instance.detail.target >= 0:
                if self.trace.routines[self.trace.routine[instance.detail.target]].name == "__init__":
                    arguments = self.trace.arguments(instance.detail.target)
                    found = arguments[0].value.identity if arguments else 0
                    instance.number = found
                    return found
                outcome = self.trace._outcome(instance.detail.target).value
                found = outcome.identity if outcome is not None and outcome.identity > 0 else 0
                instance.number = found
                return found
            elif kind in (ATTRIBUTE, ITEM, PART):
                if isinstance(instance.detail, Unread):
                    return 0
                found = self._number_of_part(instance)
                instance.number = found
                return found
            elif kind == GLOBAL:
                found = self.trace.globals_at(instance.activation.source, instance.detail, instance.time) or 0
                instance.number = found
                return found
            else:
                return 0
            seen += 1
        return 0

    def _number_of_part(self, instance: Instance) -> int:
        if self._nesting > _MOST_DEPTH:
            return 0
        self._nesting += 1
        try:
            step = self.step(instance)
            if step is None:
                return 0
            base = self.number(instance.uses[0])
            if not base:
                shown = self.origin(instance.uses[0])
                if shown.kind == DISPLAY:
                    element = _element(shown, step)
                    return self.number(element)
                return 0
            return self.part_number(base, step, instance.time)
        finally:
            self._nesting -= 1

    _nesting = 0

    def part_number(self, base: int, step: Step, time: int) -> int:
        row = self.trace.row(base)
        if type(row) is not list or row[0] not in _COMPOUND | {"tuple"}:
            return 0
        content = self.trace.content(base, time)
        kind, key = step
        if kind == "attr":
            return content.attributes.get(key, 0)
        if content.kind == "dict":
            pair = content.pairs.get(key)
            return pair[1] if pair is not None else 0
        if type(key) is int and -len(content.items) <= key < len(content.items):
            return content.items[key]
        return 0

    def step(self, instance: Instance) -> Step | None:
        """The access step that an attribute, item or element read stands for; None where the key is not known."""
        if instance.kind == ATTRIBUTE:
            return ("attr", instance.detail)
        if instance.kind == PART:
            return ("item", instance.detail)
        key = self.value(instance.uses[1])
        if key is UNSET:
            number = self.number(instance.uses[1])
            if not number:
                return None
            identity = self.trace.key_identity(number)
            return ("item", identity)
        if isinstance(key, (int, str, float, bool, type(None))):
            return ("item", key)
        if isinstance(key, bytes):
            number = self.number(instance.uses[1])
            return ("item", self.trace.key_identity(number)) if number else None
        return None

    def row_of(self, instance: Instance | None) -> Any:
        number = self.number(instance)
        return self.trace.row(number) if number else None

    def value(self, instance: Instance) -> Any:
        """The scalar an instance gave, from the trace or computed from others; UNSET where it is not known."""
        if instance.value is not UNSET:
            return instance.value
        if self._nesting > _MOST_DEPTH:
            return UNSET
        self._nesting += 1
        try:
            number = self.number(instance)
            if number:
                row = self.trace.row(number)
                if type(row) is not list:
                    instance.value = row
                    return row
                if row[0] in ("huge", "bytes", "complex"):
                    return scalars.of_row(row)
                return UNSET
            found = self._computed(instance)
            if found is not UNSET:
                instance.value = found
            return found
        finally:
            self._nesting -= 1

    def _computed(self, instance: Instance) -> Any:
        kind = instance.kind
        if kind in _COPIES and instance.copy is not None:
            return self.value(instance.copy)
        if kind == OPERATION and isinstance(
            instance.node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.AugAssign)
        ):
            operands = [self.value(part) for part in (instance.deep or instance.uses + instance.shape)]
            return scalars.compute(instance.node, operands)
        if kind == PART and instance.uses:
            shown = self.origin(instance.uses[0])
            if shown.kind == LIBRARY and type(instance.detail) is int:
                called: Called = shown.detail
                if called.name == "range" and not called.keywords:
                    bounds = [self.value(argument) for _, argument in called.arguments]
                    return scalars.element_of_range(bounds, instance.detail)
            if shown.kind == DISPLAY:
                element = _element(shown, ("item", instance.detail))
                return UNSET if element is None else self.value(element)
            if shown.kind == PART:
                return self._element_of_element(shown, instance.detail)
        if kind == ITEM:
            step = self.step(instance)
            base = self.origin(instance.uses[0])
            if step is not None and base.kind == DISPLAY and not self.number(instance.uses[0]):
                element = _element(base, step)
                return UNSET if element is None else self.value(element)
            text = self.value(instance.uses[0])
            if step is not None and isinstance(text, (str, bytes)) and type(step[1]) is int:
                return text[step[1]] if -len(text) <= step[1] < len(text) else UNSET
        called_len = kind == LIBRARY and instance.detail is not None and instance.detail.name == "len"
        if called_len and len(instance.detail.arguments) == 1:
            length = self.length(instance.detail.arguments[0][1])
            return UNSET if length is None else length
        return UNSET

    def _element_of_element(self, pair: Instance, index: Any) -> Any:
        """`for i, x in enumerate(xs)`, `for a, b in zip(xs, ys)`: a part of what these hand out."""
        shown = self.origin(pair.uses[0])
        if shown.kind != LIBRARY or type(pair.detail) is not int or pair.detail < 0:
            return UNSET
        called: Called = shown.detail
        if called.name == "enumerate" and index == 0:
            start = 0
            if len(called.arguments) > 1:
                start = self.value(called.arguments[1][1])
            elif called.keywords:
                start = self.value(called.keywords[0][1])
            return start + pair.detail if type(start) is int else UNSET
        return UNSET

    def truth(self, instance: Instance) -> bool | None:
        """Whether a value counts as true; None where that is not known."""
        value = self.value(instance)
        if value is not UNSET:
            return bool(value)
        number = self.number(instance)
        if number:
            row = self.trace.row(number)
            if type(row) is list and row[0] in ("list", "tuple", "dict", "set", "frozenset", "deque"):
                return bool(self.length(instance))
            if type(row) is list and row[0] in ("function", "class", "module", "method"):
                return True
            return None
        shown = self.origin(instance)
        if shown.kind == DISPLAY:
            return bool(shown.detail)
        return None

    def length(self, instance: Instance) -> int | None:
        """How many elements an iterable gave; None where that is not known."""
        number = self.number(instance)
        if number:
            row = self.trace.row(number)
            if type(row) is str:
                return len(row)
            if type(row) is list and row[0] in ("list", "tuple", "dict", "set", "frozenset", "deque"):
                content = self.trace.content(number, instance.time)
                return len(content.items) + len(content.pairs) if content.certain else None
            return None
        value = self.value(instance)
        if isinstance(value, (str, bytes)):
            return len(value)
        shown = self.origin(instance)
        if shown.kind == DISPLAY:
            return len(shown.detail)
        if shown.kind == SLICED:
            bounds = self._bounds(shown)
            return None if bounds is None else len(range(*bounds))
        if shown.kind == LIBRARY:
            called: Called = shown.detail
            if called.nodes or any(starred for starred, _ in called.arguments):
                return None
            arguments = [value for _, value in called.arguments]
            if called.name == "range":
                return scalars.length_of_range([self.value(argument) for argument in arguments])
            if called.name in ("enumerate", "reversed", "list", "tuple", "sorted") and arguments:
                return self.length(arguments[0])
            if called.name == "zip" and arguments and not called.keywords:
                lengths = [self.length(argument) for argument in arguments]
                known = [length for length in lengths if length is not None]
                return min(known) if len(known) == len(lengths) else None
            if (
                called.name in ("items", "keys", "values")
                and called.function is not None
                and called.function.kind == ATTRIBUTE
            ):
                return self.length(called.function.uses[0])
        return None

    def origin(self, instance: Instance) -> Instance:
        """Back through copies, in one activation and into the activations it called, to where a value was made."""
        seen = 0
        while seen < 10_000:
            seen += 1
            following: Instance | None = None
            if instance.kind in _COPIES:
                following = instance.copy
            elif instance.kind == CALL:
                target = instance.detail.target
                if target >= 0 and self.trace.routines[self.trace.routine[target]].name != "__init__":
                    following = self.activation(target).outcome
                    if following is not None and following.kind == RAISE:
                        following = None
            elif instance.kind == PARAMETER:
                following = self.passed(instance)
            if following is None:
                return instance
            instance = following
        return instance

    def passed(self, parameter: Instance) -> Instance | None:
        """What a caller gave for a parameter, where it is one expression; else None."""
        found = self.arguments_of(parameter)
        return found[0] if found is not None and len(found) == 1 and found[0].kind != LIBRARY else None

    def arguments_of(self, parameter: Instance) -> list[Instance] | None:
        """What a caller gave for a parameter: several for `*args`; None where that cannot be told.

        An empty list stands for a default.
        """
        activation = parameter.activation
        call = activation.caller
        if call is None:
            if activation.node == 0:
                return []
            call = self.caller(activation.node)
            if call is None:
                return None
            iterated = self.activation(self.trace.parent[activation.node]).iterated.get(activation.node)
            target = activation.node in self.trace.segments
            if target or iterated is not None:
                call = self._maker(activation, call, iterated)
                if call is None:
                    return None
            elif not isinstance(call.detail, Called) or call.detail.target != activation.node:
                return None
        if not isinstance(call.detail, Called) or call.kind == PART:
            return None
        if activation.caller is not None and call.kind == LIBRARY:
            return None  # a callback
        return self._bound(parameter, call)

    def _maker(self, activation: Activation, call: Instance, iterated: Instance | None) -> Instance | None:
        """The call that made a generator or coroutine."""
        name = self.trace.routines[activation.routine].name
        candidates = [iterated] if iterated is not None else []
        candidates += [call, *call.deep, *call.uses]
        for candidate in candidates:
            shown = self.origin_here(candidate)
            if shown.kind in (LIBRARY, CALL) and isinstance(shown.detail, Called):
                if shown.detail.name == name:
                    return shown
                for _, argument in shown.detail.arguments:
                    inner = self.origin_here(argument)
                    if isinstance(inner.detail, Called) and inner.detail.name == name:
                        return inner
        return None

    def origin_here(self, instance: Instance) -> Instance:
        """`origin`, but a coroutine's or generator's call is where it stops."""
        seen = 0
        while seen < 1000:
            seen += 1
            if instance.kind in _COPIES and instance.copy is not None:
                instance = instance.copy
            elif instance.kind == PARAMETER and (found := self.passed(instance)) is not None:
                instance = found
            else:
                return instance
        return instance

    def _bound(self, parameter: Instance, call: Instance) -> list[Instance] | None:
        """The arguments of a call that a parameter got."""
        activation = parameter.activation
        code = self.files.code_of(activation.routine)
        called: Called = call.detail
        arguments: ast.arguments | None = getattr(code, "args", None)
        if arguments is None or any(starred for starred, _ in called.arguments):
            return None
        if any(name is None for name, _ in called.keywords):
            return None
        positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        values = [value for _, value in called.arguments]
        name = self.trace.routines[activation.routine].name
        function = called.function
        if name == "__init__" and called.name != "__init__":
            values = [call, *values]
        elif function is not None and function.kind == ATTRIBUTE and name not in ("__getitem__",):
            if self._is_method(activation.routine, code):
                values = [function.uses[0], *values]
            elif len(values) < len(positional) and not self._is_plain(code):
                return None
        elif name == "__call__" and called.name != "__call__" and function is not None:
            values = [function, *values]
        wanted = parameter.detail
        if wanted in positional:
            at = positional.index(wanted)
            if at < len(values):
                return [values[at]]
        elif arguments.vararg is not None and wanted == arguments.vararg.arg:
            return values[len(positional) :] or [call]
        if arguments.kwarg is not None and wanted == arguments.kwarg.arg:
            known = {*positional, *(a.arg for a in arguments.kwonlyargs)}
            return [value for key, value in called.keywords if key not in known] or [call]
        for key, value in called.keywords:
            if key == wanted:
                return [value]
        return []

    def _is_method(self, routine: int, code: Any) -> bool:
        qualname = self.trace.routines[routine].qualname.split(".")
        if len(qualname) < 2 or qualname[-2] == "<locals>":
            return False
        decorators = [d.id for d in getattr(code, "decorator_list", []) if isinstance(d, ast.Name)]
        return "staticmethod" not in decorators and "classmethod" not in decorators

    def _is_plain(self, code: Any) -> bool:
        decorators = [d.id for d in getattr(code, "decorator_list", []) if isinstance(d, ast.Name)]
        return "classmethod" not in decorators

    # -- dependences -------------------------------------------------------------------------------------------------

    def expand(self, demand: Demand, relevant: bool) -> list[Demand]:
        """What a demand leads to."""
        instance, path, depth, time, fresh = demand
        found: list[Demand] = []
        if instance.control is not None:
            found.append(Demand(instance.control, (), SHALLOW, 0))
        kind = instance.kind
        if depth == REACHED:
            if isinstance(instance.detail, Called) and instance.detail.function is not None:
                found.append(Demand(instance.detail.function, (), SHALLOW, 0))
            return found
        if kind == ENTRY:
            return found + self._entry(instance)
        if kind == CONSTANT:
            return found
        if (path or depth > SHALLOW) and not fresh and kind != WRITE:
            number = self.number(instance)
            if number and self._is_mutable(number):
                stop = self._stored(number, path, depth, time, relevant, found, instance)
                if stop:
                    self._operands(instance, found, values=False)
                    return found
                fresh = True
        if kind in _COPIES:
            if instance.copy is not None:
                found.append(Demand(instance.copy, path, depth, time, fresh))
            self._operands(instance, found)
            if relevant and kind == NAME:
                self._potential_names(instance, found)
            return found
        if kind == TEST:
            if instance.copy is not None:
                found.append(Demand(instance.copy, (), DEEP, instance.time))
            self._operands(instance, found)
            if relevant and instance.detail is not None:
                self._raising(instance.detail[0], instance.detail[1], found)
            return found
        if kind == PARAMETER:
            return found + self._parameter(instance, path, depth, time, fresh)
        if kind == GLOBAL:
            self._global(instance, path, depth, time, fresh, relevant, found)
            return found
        if kind == FREE:
            self._free_variable(instance, path, depth, time, fresh, found)
            return found
        if kind == DISPLAY:
            self._display(instance, path, depth, time, found)
            return found
        if kind == CALL:
            self._call(instance, path, depth, time, fresh, found)
            return found
        if kind in (ATTRIBUTE, ITEM, PART):
            self._read(instance, path, depth, time, relevant, found)
            return found
        if kind == SLICED:
            self._sliced(instance, path, depth, time, found)
            return found
        if kind == LIBRARY:
            self._library(instance, path, depth, time, relevant, found)
            return found
        if kind == WRITE:
            if instance.copy is not None:
                found.append(Demand(instance.copy, path, depth, time, fresh))
            self._operands(instance, found)
            return found
        is_sum = path and isinstance(instance.node, ast.BinOp) and isinstance(instance.node.op, ast.Add)
        if is_sum and self._of_sum(instance, path, depth, time, found):
            return found
        self._operands(instance, found)
        return found

    def _operands(self, instance: Instance, found: list[Demand], values: bool = True) -> None:
        found += [Demand(part, (), SHALLOW, 0) for part in instance.uses]
        if not values:
            return
        found += [Demand(part, (), SHAPE, instance.time) for part in instance.shape]
        found += [Demand(part, (), DEEP, instance.time) for part in instance.deep]
        for node in instance.activation.ran_in.get(instance.order, ()):
            self._result(node, (), DEEP, self.trace.end[node] + 1, False, found)

    def _result(
        self, node: int, path: tuple[Step, ...], depth: int, time: int, fresh: bool, found: list[Demand]
    ) -> None:
        activation = self.activation(node)
        if activation.failed:
            found.append(Demand(activation.entry, (), DEEP, time))
        elif activation.outcome is not None:
            found.append(Demand(activation.outcome, path, depth, time, fresh))
        elif node in self.trace.segments:
            found += [Demand(made, (), DEEP, time) for made in activation.yields.values()]

    def _entry(self, entry: Instance) -> list[Demand]:
        """That an activation ran: because it was called."""
        activation = entry.activation
        found: list[Demand] = []
        if self._is_boundary(activation):
            return found
        if activation.caller is not None:
            return [Demand(activation.caller, (), REACHED, 0)]
        call = self.caller(activation.node)
        if activation.failed:
            for parameter_number, argument in enumerate(self.trace.arguments(activation.node)):
                del parameter_number, argument
            if call is not None:
                found += self._all_of(call)
            for child in self.trace.children(activation.node):
                self._result(child, (), DEEP, self.trace.end[child] + 1, False, found)
        if call is not None:
            found.append(Demand(call, (), REACHED, 0))
        return found

    def _is_boundary(self, activation: Activation) -> bool:
        return self.inside is not None and activation.node == self.inside[0] and activation.caller is None

    def _all_of(self, call: Instance) -> list[Demand]:
        """Everything a call was given."""
        found = [Demand(part, (), DEEP, call.time) for part in (*call.uses, *call.shape, *call.deep)]
        if isinstance(call.detail, Called):
            found += [Demand(value, (), DEEP, call.time) for _, value in call.detail.arguments]
            found += [Demand(value, (), DEEP, call.time) for _, value in call.detail.keywords]
            if call.detail.function is not None:
                function = call.detail.function
                found.append(Demand(function, (), SHALLOW, 0))
                if function.kind == ATTRIBUTE:
                    found.append(Demand(function.uses[0], (), DEEP, call.time))
        return found

    def _parameter(
        self, instance: Instance, path: tuple[Step, ...], depth: int, time: int, fresh: bool
    ) -> list[Demand]:
        activation = instance.activation
        if self._is_boundary(activation):
            return []
        given = self.arguments_of(instance)
        if given is None:
            call = activation.caller or self.caller(activation.node)
            if call is None:
                if activation.node:
                    self.incomplete.add(f"who called node {activation.node}")
                return []
            if (
                call.detail is not None
                and isinstance(call.detail, Called)
                and call.kind == CALL
                and call.detail.target == activation.node
            ):
                return self._all_of(call)
            return [*self._all_of(call)]
        if len(given) == 1 and not self._is_collected(instance):
            if given[0].kind == CALL and given[0].detail.target == activation.node:
                return [Demand(given[0], (), REACHED, 0)]  # the object that is being made
            return [Demand(given[0], path, depth, time, fresh)]
        if path and path[0][0] == "item" and type(path[0][1]) is int and 0 <= path[0][1] < len(given):
            code = self.files.code_of(activation.routine)
            if code.args.vararg is not None and code.args.vararg.arg == instance.detail:
                return [Demand(given[path[0][1]], path[1:], depth, time)]
        if depth == SHALLOW and not path:
            return []
        return [
            Demand(value, (), depth, time)
            for value in given
            if value.kind != CALL or value.detail.target != activation.node
        ]

    def _is_collected(self, parameter: Instance) -> bool:
        code = self.files.code_of(parameter.activation.routine)
        arguments = getattr(code, "args", None)
        return arguments is not None and parameter.detail in {
            a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None
        }

    def _global(
        self,
        instance: Instance,
        path: tuple[Step, ...],
        depth: int,
        time: int,
        fresh: bool,
        relevant: bool,
        found: list[Demand],
    ) -> None:
        source, name = instance.activation.source, instance.detail
        written = self._last_global(source, name, instance.time)
        if relevant and written is not None:
            found += [
                Demand(test, (), SHALLOW, 0) for test in self.potential().names(name, written, instance.time)
            ]
        if written is None:
            return
        if written < 0:
            return
        write = self.write(written)
        if write is None:
            self._unknown_write(written, found)
        else:
            found.append(Demand(write, path, depth, time, fresh))

    def _last_global(self, source: int, name: str, time: int) -> int | None:
        positions = self.trace._global_writes().get((source, name))
        if not positions:
            return None
        times = self.trace._object_write_times
        at = bisect_left(positions, time, key=times.__getitem__)
        return times[positions[at - 1]] if at else None

    def _unknown_write(self, time: int, found: list[Demand]) -> None:
        """A write in an activation that could not be followed (or not in this point)."""
        activation = self._visible(time)
        if activation is None:
            return
        if not activation.failed:
            self.incomplete.add(f"a write at {time}")
        found.append(Demand(activation.entry, (), DEEP, time))

    def _free_variable(
        self,
        instance: Instance,
        path: tuple[Step, ...],
        depth: int,
        time: int,
        fresh: bool,
        found: list[Demand],
    ) -> None:
        name = instance.detail
        at: Activation | None = instance.activation
        while at is not None and at.caller is not None:  # an inline activation: look in the one it runs in
            around = at.outer
            if around is not None and name in around.stores and self._defines(at.routine, around.routine):
                found += self._last_store(around, name, instance, path, depth, time, fresh)
                return
            at = around
        routine = self.trace.routines[instance.activation.routine].parent
        while routine >= 0:
            code = self.files.code_of(routine)
            if (
                code is not None
                and self.trace.routines[routine].kind != "module"
                and name in self.files.scope(code).locals
            ):
                break
            routine = self.trace.routines[routine].parent
        definer = self._latest(routine, instance.activation.node, instance.time)
        if definer is None:
            self.incomplete.add(f"where the variable {name} comes from")
            return
        found += self._last_store(definer, name, instance, path, depth, time, fresh)

    def _defines(self, inner: int, outer: int) -> bool:
        at = inner
        while at >= 0:
            at = self.trace.routines[at].parent
            if at == outer:
                return True
        return False

    def _latest(self, routine: int, node: int, time: int) -> Activation | None:
        """The activation a closure was made in: one around it, else the latest before."""
        if routine < 0:
            return None
        at = node
        while at >= 0:
            if self.trace.routine[at] == routine:
                return self.activation(at)
            at = self.trace.parent[at]
        at = bisect_right(self.trace.start, time) - 1
        while at >= 0:
            if self.trace.routine[at] == routine:
                return self.activation(at)
            at -= 1
        return None

    def _last_store(
        self,
        definer: Activation,
        name: str,
        instance: Instance,
        path: tuple[Step, ...],
        depth: int,
        time: int,
        fresh: bool,
    ) -> list[Demand]:
        if definer.failed:
            return [Demand(definer.entry, (), DEEP, time)]
        stores = [s for s in definer.stores.get(name, ()) if s.time <= instance.time]
        if definer is instance.activation:
            stores = [s for s in stores if s.order < instance.order]
        latest = stores[-1] if stores else None
        outside = self._last_nonlocal(definer, name, latest.time if latest is not None else -1, instance.time)
        if outside is not None:
            write = self.write(outside)
            if write is not None:
                return [Demand(write, path, depth, time, fresh)]
            found: list[Demand] = []
            self._unknown_write(outside, found)
            return found
        return [] if latest is None else [Demand(latest, path, depth, time, fresh)]

    def _last_nonlocal(self, definer: Activation, name: str, after: int, before: int) -> int | None:
        trace = self.trace
        high = bisect_right(trace._write_objects, 0)
        times = trace._object_write_times
        at = bisect_left(times, before, 0, high) - 1
        while at >= 0 and times[at] > after:
            mark = trace.mark_at(times[at])
            if mark is not None and mark.label == f"nonlocal {name}":
                return times[at]
            at -= 1
        return None

    def _display(
        self, instance: Instance, path: tuple[Step, ...], depth: int, time: int, found: list[Demand]
    ) -> None:
        if path:
            element = _element(instance, path[0])
            if element is not None:
                found.append(Demand(element, path[1:], depth, time))
            elif path[0][0] == "item":
                self._operands(instance, found)
            return
        self._operands(instance, found)
        elements = instance.detail.values() if isinstance(instance.detail, dict) else instance.detail
        if depth == DEEP:
            found += [Demand(element, (), DEEP, time) for element in elements]
        elif depth == SHAPE and isinstance(instance.node, ast.ListComp):
            found += [
                Demand(element.control, (), SHALLOW, 0) for element in elements if element.control is not None
            ]

    def _call(
        self,
        instance: Instance,
        path: tuple[Step, ...],
        depth: int,
        time: int,
        fresh: bool,
        found: list[Demand],
    ) -> None:
        called: Called = instance.detail
        if called.function is not None:
            found.append(Demand(called.function, (), SHALLOW, 0))
            if called.function.kind == ATTRIBUTE:
                found.append(Demand(called.function.uses[0], (), SHALLOW, 0))
        target = called.target
        if target < 0:
            return
        if self.trace.routines[self.trace.routine[target]].name == "__init__" and called.name != "__init__":
            if self.trace.outcome_kind[target] == 1:
                self._result(target, path, depth, time, fresh, found)
            return
        self._result(target, path, depth, time, fresh, found)

    # -- reading parts -------------------------------------------------------------------------------------------------

    def _read(
        self,
        instance: Instance,
        path: tuple[Step, ...],
        depth: int,
        time: int,
        relevant: bool,
        found: list[Demand],
    ) -> None:
        base = instance.uses[0]
        found += [Demand(part, (), SHALLOW, 0) for part in instance.uses]
        found += [Demand(part, (), DEEP, instance.time) for part in instance.deep]
        if instance.kind == PART:
            handed = list(instance.activation.ran_in.get(instance.order, ()))
            if handed:
                self._handed_out(handed, instance, path, depth, time, found)
                return
            if self._of_builtin(instance, path, depth, time, relevant, found):
                return
        step = self.step(instance)
        if step is None:
            found.append(Demand(base, (), DEEP, instance.time))
            return
        self.read(base, step, instance.time, path, depth, time, relevant, found)

    def read(
        self,
        base: Instance,
        step: Step,
        at: int,
        path: tuple[Step, ...],
        depth: int,
        time: int,
        relevant: bool,
        found: list[Demand],
    ) -> None:
        """What lies at `step` of `base` at the time `at`; of that, `path` and `depth` at `time`."""
        number = self.number(base)
        if number:
            row = self.trace.row(number)
            if type(row) is not list:  # a text
                found.append(Demand(base, (), DEEP, at))
                return
            if row[0] in ("module", "class", "function", "method"):
                return
            if step[0] == "item" and type(step[1]) is int:
                step = self._counted(number, step, at)
            if step[0] == "item" and row[0] in (
                "set",
                "frozenset",
                "opaque",
                "textual",
                "large",
                "generator",
                "bytes",
            ):
                found.append(Demand(base, (), DEEP, at))
                return
            if (
                step[0] == "item"
                and row[0] == "dict"
                and type(step[1]) is int
                and step[1] not in self._content(number, at).pairs
            ):
                found.append(Demand(base, (), DEEP, at))
                return
            if step[0] == "item" and row[0] in ("instance", "based"):
                found.append(Demand(base, (), DEEP, at))
                return
            if self._is_mutable(number) and self._stored(
                number, (step, *path), depth, time, relevant, found, base, at
            ):
                return
        found.append(Demand(base, (step, *path), depth, time, True))

    def _counted(self, number: int, step: Step, at: int) -> Step:
        """A negative index counts from the end."""
        if step[1] < 0:
            row = self.trace.row(number)
            if row[0] in ("list", "tuple", "deque"):
                return ("item", step[1] + len(self._content(number, at).items))
        return step

    def _content(self, number: int, time: int) -> Content:
        return self.trace.content(number, time)

    def _is_mutable(self, number: int) -> bool:
        row = self.trace.row(number)
        return type(row) is list and row[0] in _COMPOUND

    def _stored(
        self,
        number: int,
        path: tuple[Step, ...],
        depth: int,
        time: int,
        relevant: bool,
        found: list[Demand],
        instance: Instance,
        at: int | None = None,
    ) -> bool:
        """Follow what was stored into an object before `at` (or `time`). True where that is the whole answer."""
        before = time if at is None else at
        mark = len(found)
        whole = self._stored_in(number, path, depth, time, relevant, found, before)
        if relevant:
            attribute = path[0][1] if path and path[0][0] == "attr" else ""
            after = 0
            if attribute or (path and self.trace.row(number)[0] == "dict"):
                times = [d.instance.time for d in found[mark:] if d.instance.kind == WRITE]
                after = max(times, default=0) if whole else 0
            tests = self.potential().stores(number, attribute, after, before)
            if not path:
                for name in self.trace.content(number, before).attributes if depth == DEEP else ():
                    tests += self.potential().stores(number, name, after, before)
            found += [Demand(test, (), SHALLOW, 0) for test in tests]
        return whole

    def potential(self) -> Potential:
        known = self._potential.get(self.inside)
        if known is None:
            known = self._potential[self.inside] = Potential(self, self.inside)
        return known

    def _stored_in(
        self,
        number: int,
        path: tuple[Step, ...],
        depth: int,
        time: int,
        relevant: bool,
        found: list[Demand],
        before: int,
    ) -> bool:
        trace = self.trace
        low, high = bisect_left(trace._write_objects, number), bisect_right(trace._write_objects, number)
        times, slots = trace._object_write_times, trace._write_slots
        last = bisect_left(times, before, low, high)
        if not path:
            return self._stored_anywhere(number, low, last, depth, time, relevant, found)
        step = path[0]
        if step[0] == "attr":
            for index in range(last - 1, low - 1, -1):
                known = self._step_of(slots[index], times[index])
                if known == step:
                    self._found_write(times[index], path[1:], depth, time, found)
                    return True
            return False
        row = trace.row(number)
        if row[0] == "dict":
            return self._stored_in_dict(number, step, low, last, path, depth, time, relevant, found)
        if row[0] in ("list", "deque") and type(step[1]) is int:
            return self._stored_in_list(
                number, step[1], low, last, before, path, depth, time, relevant, found
            )
        if last > low:
            for index in range(low, last):
                self._found_write(times[index], (), DEEP, time, found)
        return False

    def _stored_anywhere(
        self, number: int, low: int, last: int, depth: int, time: int, relevant: bool, found: list[Demand]
    ) -> bool:
        trace = self.trace
        times, slots = trace._object_write_times, trace._write_slots
        seen: set[int] = set()
        for index in range(last - 1, low - 1, -1):
            slot = slots[index]
            if slot > marks.APPENDED:
                if slot in seen:
                    self._skipped(times[index], relevant, found)
                    continue
                seen.add(slot)
                if depth == SHAPE:
                    write = trace.write_at(times[index])
                    if write.kind == marks.ITEM and trace.row(write.values[-1]) != ["absent"]:
                        self._skipped(times[index], relevant, found)
                        continue
                    self._found_write(times[index], None, SHALLOW, time, found)
                    continue
            elif depth == SHAPE:
                self._found_write(times[index], None, SHALLOW, time, found)
                continue
            self._found_write(times[index], (), DEEP, time, found)
        return False

    def _step_of(self, slot: int, time: int) -> Step | None:
        """What a slot number of the trace's index stands for."""
        if slot <= marks.APPENDED:
            return None
        if slot not in self._steps:
            write = self.trace.write_at(time)
            if write.kind in (marks.ATTRIBUTE, marks.ATTRIBUTE_NEW, marks.NAMED):
                self._steps[slot] = ("attr", write.detail)
            elif write.kind in (marks.ITEM, marks.ITEM_DELETED):
                self._steps[slot] = ("item", self.trace.key_identity(write.values[1]))
            else:
                self._steps[slot] = None
        return self._steps[slot]

    def _found_write(
        self, at: int, path: tuple[Step, ...] | None, depth: int, time: int, found: list[Demand]
    ) -> None:
        """A write is what counts. `path` None: that it happened, not what it stored."""
        write = self.write(at)
        if write is None:
            self._unknown_write(at, found)
            return
        if path is None:
            found.append(Demand(write, (), REACHED, 0))
            return
        if write.copy is None and (write.deep or path):
            found.append(Demand(write, (), DEEP, time))
        else:
            found.append(Demand(write, path, depth, time))

    def _skipped(self, at: int, relevant: bool, found: list[Demand]) -> None:
        """A write that went elsewhere: with another key it would have hit."""
        if relevant:
            write = self.write(at)
            if write is not None:
                found += [Demand(part, (), SHALLOW, 0) for part in write.uses[1:]]
                found += [Demand(part, (), SHALLOW, 0) for part in write.deep]

    def _stored_in_dict(
        self,
        number: int,
        step: Step,
        low: int,
        last: int,
        path: tuple[Step, ...],
        depth: int,
        time: int,
        relevant: bool,
        found: list[Demand],
    ) -> bool:
        trace = self.trace
        times, slots = trace._object_write_times, trace._write_slots
        wholes = 0
        for index in range(last - 1, low - 1, -1):
            at = times[index]
            known = self._step_of(slots[index], at)
            if known is not None:
                if known == step:
                    self._found_write(at, path[1:], depth, time, found)
                    return True
                self._skipped(at, relevant, found)
                continue
            write = trace.write_at(at)
            if write.kind == marks.ITEM and len(write.values) > 1:
                if trace.key_identity(write.values[1]) == step[1]:
                    self._found_write(at, path[1:], depth, time, found)
                    return True
                self._skipped(at, relevant, found)
                continue
            wholes += 1
            if wholes > _MOST_STEPS:
                self._found_write(at, (), DEEP, time, found)
                continue
            after = times[index + 1] if index + 1 < last else at + 1
            old, new = (
                self._content(number, at).pairs.get(step[1]),
                self._content(number, max(after, at + 1)).pairs.get(step[1]),
            )
            if (old and old[1]) == (new and new[1]):
                self._skipped(at, relevant, found)
                continue
            self._found_write(at, (), DEEP, time, found)
            return True
        return False

    def _stored_in_list(
        self,
        number: int,
        place: int,
        low: int,
        last: int,
        before: int,
        path: tuple[Step, ...],
        depth: int,
        time: int,
        relevant: bool,
        found: list[Demand],
    ) -> bool:
        """Follow the element that is at `place` back to where it was put."""
        trace = self.trace
        if last == low:
            return False
        times, slots = trace._object_write_times, trace._write_slots
        length = len(self._content(number, before).items)
        wholes = 0
        for index in range(last - 1, low - 1, -1):
            at, slot = times[index], slots[index]
            if slot == marks.APPENDED:
                length -= 1
                if place == length:
                    self._found_write(at, path[1:], depth, time, found)
                    return True
                continue
            known = self._step_of(slot, at)
            if known is not None:
                if known[1] == place:
                    self._found_write(at, path[1:], depth, time, found)
                    return True
                self._skipped(at, relevant, found)
                continue
            write = trace.write_at(at)
            if write.kind == marks.ITEM:
                key = trace.row(write.values[1])
                if type(key) is int and (key + length if key < 0 else key) == place:
                    self._found_write(at, path[1:], depth, time, found)
                    return True
                self._skipped(at, relevant, found)
                continue
            wholes += 1
            if wholes > _MOST_STEPS:
                self._found_write(at, (), DEEP, time, found)
                continue
            following = times[index + 1] if index + 1 < last else before
            old, new = self._content(number, at).items, self._content(number, max(following, at + 1)).items
            length = len(old)
            element = new[place] if place < len(new) else 0
            if self._method_of(at) in _ORDERING:
                self._found_write(at, (), DEEP, time, found)
                made = self.write(at)
                if made is not None and made.uses:
                    found.append(Demand(made.uses[0], (), DEEP, at))
                return True
            inserted, removed = self._moved(write)
            if inserted is not None or removed is not None:
                if inserted is not None and place == inserted:
                    self._found_write(at, (), DEEP, time, found)
                    return True
                self._skipped(at, relevant, found)
                if inserted is not None and place > inserted:
                    place -= 1
                elif removed is not None and place >= removed:
                    place += 1
                continue
            if place < len(old) and old[place] == element and _same_until(old, new, place):
                self._skipped(at, relevant, found)
                continue
            self._found_write(at, (), DEEP, time, found)
            made = self.write(at)
            if made is not None and made.uses:
                found.append(Demand(made.uses[0], (), DEEP, at))
            return True
        if place != path[0][1]:
            # It was elsewhere when the list was made.
            base = self._made(number, low)
            if base is not None:
                found.append(Demand(base, (("item", place), *path[1:]), depth, time, True))
            return base is not None
        return False

    def _moved(self, write: Write) -> tuple[int | None, int | None]:
        """Where a call put one element into a list, or took one out."""
        told = (
            self.trace.row(write.values[-1]) if write.kind == marks.MUTATE and len(write.values) > 1 else None
        )
        if type(told) is list and told[0] == "tuple" and len(told[2]) > 1:
            verb, place = self.trace.row(told[2][0]), self.trace.row(told[2][1])
            if type(place) is int and place >= 0:
                if verb == "drop":
                    return place, None
                if verb == "insert":
                    return None, place
        return None, None

    def _method_of(self, time: int) -> str:
        mark = self.trace.mark_at(time)
        return "" if mark is None else mark.label.rpartition("\t")[2]

    def _made(self, number: int, low: int) -> Instance | None:
        write = self.write(self.trace._object_write_times[low])
        return write.uses[0] if write is not None and write.uses else None

    def _handed_out(
        self,
        nodes: list[int],
        part: Instance,
        path: tuple[Step, ...],
        depth: int,
        time: int,
        found: list[Demand],
    ) -> None:
        """What a generator (or a `__next__`) of the program gave for one iteration."""
        for node in nodes:
            activation = self.activation(node)
            if activation.failed:
                found.append(Demand(activation.entry, (), DEEP, time))
                continue
            if node not in self.trace.segments:
                self._result(node, path, depth, time, False, found)
                continue
            given = activation.yields.get(part.time - 1) or self._yield_before(activation, part.time)
            if given is not None:
                found.append(Demand(given, path, depth, time))
            elif activation.outcome is not None:
                found.append(Demand(activation.outcome, (), DEEP, time))
            else:
                found += [Demand(made, (), DEEP, time) for made in activation.yields.values()]

    def _yield_before(self, activation: Activation, time: int) -> Instance | None:
        times = sorted(activation.yields)
        at = bisect_left(times, time) - 1
        return activation.yields[times[at]] if at >= 0 else None

    def _of_builtin(
        self,
        instance: Instance,
        path: tuple[Step, ...],
        depth: int,
        time: int,
        relevant: bool,
        found: list[Demand],
    ) -> bool:
        """An element of what `range`, `enumerate`, `zip`, `items` and others hand out."""
        base = self.origin(instance.uses[0])
        index = instance.detail
        if base.kind == PART and base.uses:  # a part of such an element: `for i, x in enumerate(xs)`
            found.append(Demand(base, (("item", index), *path), depth, time, True))
            return True
        if base.kind != LIBRARY or not isinstance(base.detail, Called) or type(index) is not int or index < 0:
            return False
        called: Called = base.detail
        arguments = [value for _, value in called.arguments]
        if any(starred for starred, _ in called.arguments) or called.nodes:
            return False
        name = called.name
        at = instance.time
        if name == "range" and not called.keywords:
            found += [Demand(argument, (), SHALLOW, 0) for argument in arguments]
            return True
        if name == "enumerate" and arguments:
            if path and path[0] == ("item", 0):
                found += [Demand(argument, (), SHALLOW, 0) for argument in arguments[1:]]
            elif path and path[0] == ("item", 1):
                self._element_at(arguments[0], index, at, path[1:], depth, time, relevant, found)
            else:
                self._element_at(arguments[0], index, at, (), depth, time, relevant, found)
            return True
        if name == "zip" and arguments and not called.keywords:
            chosen = range(len(arguments))
            if path and path[0][0] == "item" and type(path[0][1]) is int and path[0][1] < len(arguments):
                chosen = range(path[0][1], path[0][1] + 1)
            for place in chosen:
                self._element_at(arguments[place], index, at, path[1:], depth, time, relevant, found)
            return True
        if name == "reversed" and len(arguments) == 1:
            length = self.length(arguments[0])
            if length is not None:
                self._element_at(arguments[0], length - 1 - index, at, path, depth, time, relevant, found)
                return True
        if (
            name in ("items", "values", "keys")
            and called.function is not None
            and called.function.kind == ATTRIBUTE
        ):
            holder = called.function.uses[0]
            number = self.number(holder)
            row = self.trace.row(number) if number else None
            if type(row) is list and row[0] == "dict":
                keys = list(self._content(number, at).pairs)
                if index < len(keys):
                    found.append(Demand(holder, (), SHAPE, at))
                    rest = path[1:] if name == "items" else path
                    if name == "values" or (name == "items" and (not path or path[0] == ("item", 1))):
                        self.read(holder, ("item", keys[index]), at, rest, depth, time, relevant, found)
                    return True
        return False

    def _element_at(
        self,
        iterable: Instance,
        index: int,
        at: int,
        path: tuple[Step, ...],
        depth: int,
        time: int,
        relevant: bool,
        found: list[Demand],
    ) -> None:
        number = self.number(iterable)
        row = self.trace.row(number) if number else None
        if type(row) is list and row[0] in ("list", "tuple", "deque"):
            found.append(Demand(iterable, (), SHALLOW, 0))
            self.read(iterable, ("item", index), at, path, depth, time, relevant, found)
            return
        shown = self.origin(iterable)
        if shown.kind in (DISPLAY, SLICED):
            found.append(Demand(iterable, (("item", index), *path), depth, time, True))
        elif shown.kind == LIBRARY and shown.detail.name == "range":
            found.append(Demand(iterable, (), SHALLOW, 0))
        else:
            found.append(Demand(iterable, (), DEEP, at))

    def _bounds(self, instance: Instance) -> tuple[int, int, int] | None:
        bounds = [None if part is None else self.value(part) for part in instance.detail]
        if any(bound is not None and type(bound) is not int for bound in bounds):
            return None
        length = self.length(instance.uses[0])
        if length is None or bounds[2] == 0:
            return None
        return slice(*bounds).indices(length)

    def _sliced(
        self, instance: Instance, path: tuple[Step, ...], depth: int, time: int, found: list[Demand]
    ) -> None:
        found += [Demand(part, (), SHALLOW, 0) for part in instance.uses]
        for node in instance.activation.ran_in.get(instance.order, ()):
            self._result(node, (), DEEP, time, False, found)
        base = instance.uses[0]
        bounds = self._bounds(instance)
        number = self.number(base)
        row = self.trace.row(number) if number else None
        listed = (type(row) is list and row[0] in ("list", "tuple")) or (
            not number and self.origin(base).kind == DISPLAY
        )
        if not listed or bounds is None:
            found.append(Demand(base, (), DEEP, instance.time))
            return
        chosen = range(*bounds)
        if path and path[0][0] == "item" and type(path[0][1]) is int:
            if path[0][1] < len(chosen):
                self.read(
                    base, ("item", chosen[path[0][1]]), instance.time, path[1:], depth, time, False, found
                )
            return
        found.append(Demand(base, (), SHAPE, instance.time))
        if depth == DEEP:
            if len(chosen) > _MOST_PARTS:
                found.append(Demand(base, (), DEEP, instance.time))
                return
            for place in chosen:
                self.read(base, ("item", place), instance.time, (), DEEP, time, False, found)

    def _of_sum(
        self, instance: Instance, path: tuple[Step, ...], depth: int, time: int, found: list[Demand]
    ) -> bool:
        """An element of `xs + ys`."""
        left, right = instance.deep[:2]
        length = self.length(left)
        if length is None or path[0][0] != "item" or type(path[0][1]) is not int or path[0][1] < 0:
            return False
        index = path[0][1]
        found.append(Demand(left, (), SHAPE, instance.time))
        if index < length:
            self.read(left, ("item", index), instance.time, path[1:], depth, time, False, found)
        else:
            self.read(right, ("item", index - length), instance.time, path[1:], depth, time, False, found)
        return True

    def _library(
        self,
        instance: Instance,
        path: tuple[Step, ...],
        depth: int,
        time: int,
        relevant: bool,
        found: list[Demand],
    ) -> None:
        """What code that is not recorded gave: depends on all it was given, but for what we know better."""
        called: Called | None = instance.detail
        if called is None:
            self._operands(instance, found)
            return
        function = called.function
        if function is not None:
            found.append(Demand(function, (), SHALLOW, 0))
        arguments = [value for _, value in called.arguments]
        builtin = self.is_builtin(instance.activation, function)
        at = instance.time
        for node in called.nodes:
            if node in self.trace.segments:
                activation = self.activation(node)
                found += [Demand(made, (), DEEP, time) for made in activation.yields.values()]
            self._result(node, (), DEEP, time, False, found)
        for inner in called.inline:
            if inner.outcome is not None:
                found.append(Demand(inner.outcome, (), DEEP, time))
        if builtin and not called.nodes and not called.inline:
            if called.name in ("len", "bool") and len(arguments) == 1:
                found.append(Demand(arguments[0], (), SHAPE, at))
                return
            if called.name in ("isinstance", "type", "id", "callable", "iter", "issubclass"):
                found += [Demand(argument, (), SHALLOW, 0) for argument in arguments]
                return
            if (
                called.name in ("enumerate", "zip", "reversed", "list", "tuple")
                and depth <= SHAPE
                and not path
            ):
                found += [Demand(argument, (), SHAPE, at) for argument in arguments]
                return
            if called.name in ("list", "tuple") and len(arguments) == 1 and path and type(path[0][1]) is int:
                number = self.number(arguments[0])
                row = self.trace.row(number) if number else None
                if type(row) is list and row[0] in ("list", "tuple"):
                    self.read(arguments[0], path[0], at, path[1:], depth, time, relevant, found)
                    return
        if function is not None and function.kind == ATTRIBUTE:
            receiver = function.uses[0]
            if self._method(instance, called, receiver, arguments, path, depth, time, relevant, found):
                return
            found.append(Demand(receiver, (), DEEP, at))
        found += [Demand(argument, (), DEEP, at) for argument in arguments]
        found += [Demand(value, (), DEEP, at) for _, value in called.keywords]
        found += [Demand(part, (), SHALLOW, 0) for part in instance.uses]
        found += [Demand(part, (), DEEP, at) for part in instance.deep]

    def _method(
        self,
        instance: Instance,
        called: Called,
        receiver: Instance,
        arguments: list[Instance],
        path: tuple[Step, ...],
        depth: int,
        time: int,
        relevant: bool,
        found: list[Demand],
    ) -> bool:
        """Methods of builtin containers that hand out one element."""
        number = self.number(receiver)
        row = self.trace.row(number) if number else None
        if type(row) is not list or called.keywords:
            return False
        at = instance.time
        if row[0] == "dict" and called.name in ("get", "setdefault", "pop") and arguments:
            key = self.value(arguments[0])
            if isinstance(key, (str, int, float, bool)):
                found.append(Demand(receiver, (), SHALLOW, 0))
                found.append(Demand(arguments[0], (), SHALLOW, 0))
                when = self._before_change(number, instance)
                if key in self._content(number, when).pairs:
                    self.read(receiver, ("item", key), when, path, depth, time, relevant, found)
                else:
                    found.append(Demand(receiver, (), SHAPE, when))
                    found += [Demand(argument, path, depth, time) for argument in arguments[1:]]
                return True
        if row[0] == "list" and called.name == "pop" and len(arguments) < 2:
            when = self._before_change(number, instance)
            index = self.value(arguments[0]) if arguments else -1
            if type(index) is int:
                found += [Demand(argument, (), SHALLOW, 0) for argument in arguments]
                found.append(Demand(receiver, (), SHAPE, when))
                self.read(receiver, ("item", index), when, path, depth, time, relevant, found)
                return True
        if row[0] == "dict" and called.name in ("items", "keys", "values") and depth <= SHAPE and not path:
            found.append(Demand(receiver, (), SHAPE, at))
            return True
        return False

    def _before_change(self, number: int, instance: Instance) -> int:
        """The time just before a mutating method changed its object; for others that of the call."""
        trace = self.trace
        file = self.files[instance.activation.source]
        place = file.place(instance.node) if file is not None and instance.node is not None else None
        low, high = bisect_left(trace._write_objects, number), bisect_right(trace._write_objects, number)
        times = trace._object_write_times
        for at in range(bisect_right(times, instance.time, low, high) - 1, low - 1, -1):
            if instance.time - times[at] > _NEAR:
                break
            mark = trace.mark_at(times[at])
            if mark is not None and mark.at is not None and tuple(mark.at) == place:
                return times[at]
        return instance.time

    # -- what could have been ------------------------------------------------------------------------------------------

    def _potential_names(self, instance: Instance, found: list[Demand]) -> None:
        """Branches between a variable's binding and its use that would have bound it, had they gone the other way."""
        bound = instance.copy
        name = getattr(bound, "detail", None)
        if bound is None or not isinstance(name, str) or bound.activation is not instance.activation:
            return
        tests = self.tests_by_name(instance.activation).get(name)
        if tests:
            start = bisect_right(tests, bound.order, key=lambda pair: pair[0])
            for order, test in tests[start:]:
                if order > instance.order:
                    break
                found.append(Demand(test, (), SHALLOW, 0))

    def _raising(self, names: frozenset[str], called: list[int], found: list[Demand]) -> None:
        """What in the calls of a `try` body could have raised what its handlers catch."""
        nodes = [n for node in called for n in range(node, node + self.trace.size[node])]
        if len(nodes) > _MOST_RAISING:
            self.incomplete.add(f"what could have raised in {len(nodes)} calls")
        for node in nodes[:_MOST_RAISING]:
            activation = self.activation(node)
            found += [Demand(made, (), SHALLOW, 0) for made in raising.in_callee(activation, names)]

    def tests_by_name(self, activation: Activation) -> dict[str, list[tuple[int, Instance]]]:
        key = id(activation)
        if key not in self._tests:
            by_name: dict[str, list[tuple[int, Instance]]] = {}
            for test, unrun in activation.tests:
                for name in self.unrun_effects(unrun).names:
                    by_name.setdefault(name, []).append((test.order, test))
            for pairs in by_name.values():
                pairs.sort(key=lambda pair: pair[0])
            self._tests[key] = by_name
        return self._tests[key]

    def unrun_effects(self, unrun: list[Any]) -> Effects:
        return self.files.effects(unrun)


class Unread:
    """A placeholder for what is not read."""


def _element(shown: Instance, step: Step) -> Instance | None:
    kind, key = step
    if kind != "item":
        return None
    parts = shown.detail
    if isinstance(parts, dict):
        try:
            return parts.get(key)
        except TypeError:
            return None
    if isinstance(shown.node, (ast.Set, ast.SetComp)):
        return None
    if type(key) is int and -len(parts) <= key < len(parts):
        return parts[key]
    return None


def _same_until(old: list[int], new: list[int], place: int) -> bool:
    return old[: place + 1] == new[: place + 1] if place < 200 else old[place] == new[place]


def _segment_start(trace: Trace, node: int, time: int) -> int:
    times = trace.segments[node]
    return max((first for first in times[::2] if first <= time), default=0)
