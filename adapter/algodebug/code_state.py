"""What a piece of code inside an activation read and wrote: its variables before and after, and the objects it changed.

Names and attributes are found in the statements that were executed, values in the trace. A name written before it is
read is no input. Not here: which pieces there are, and how they are put into words.
"""

from __future__ import annotations

import ast
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from algodebug.executed_statements import ITERATION, LOOP, RAISE, RETURN, UNFINISHED, Step
from algotrace import marks
from algotrace.values import COMPOUND, Raised, Value

if TYPE_CHECKING:
    from algotrace.trace import Outcome, Trace

Path = tuple[str, ...]  # ("total",) or ("self", "total")

MOST_CHANGES = 50
SMALL = 20  # containers up to this size are shown whole
_MOST_VISITED = 4000  # objects looked at to find a name for a changed one
_MOST_PARTS = 500
_EVER = 1 << 62
_NO_DATA = frozenset({"function", "class", "module", "method"})


class Input(NamedTuple):
    name: str
    value: Value


class Change(NamedTuple):
    """`before` is None for what was absent, `after` for what is absent now."""

    target: str
    before: Value | None
    after: Value | None


class Flow(NamedTuple):
    """What code reads before it writes it, and what it binds; in order of appearance."""

    reads: dict[Path, None]
    writes: dict[str, None]


class Variables:
    """The variables of one activation over time."""

    def __init__(self, trace: Trace, node: int) -> None:
        self.trace = trace
        self.node = node
        routine = trace.routines[trace.routine[node]]
        self.source = routine.source
        self.is_module = routine.kind == "module"
        self.module = _module_name(trace, routine.source)
        self._times: dict[str, array[int]] = {}
        self._numbers: dict[str, array[int]] = {}
        self.caught: list[tuple[int, Value]] = []  # exceptions handled here: (time, exception)
        start = trace.start[node]
        for argument in trace.arguments(node):
            self._bind(argument.name, start, argument.value.identity)
        self.parameters = list(self._times)
        self.free: dict[str, None] = {}
        for value in trace.own_values(node):
            if value.role == "store":
                self._bind(value.name, value.time, value.number)
            elif value.role == "read":
                self.free[value.name] = None
                # What is read now was there at least since the latest event.
                self._bind(value.name, value.time - 1, value.number)
        for time, mark, numbers in trace.own_events(node):
            if mark is None:
                continue
            if mark.kind == marks.NAME and mark.label.startswith("nonlocal "):
                self._bind(mark.label.partition(" ")[2], time, numbers[-1])
            elif mark.kind == marks.HANDLER and len(numbers) >= 3:
                raised = Raised(trace, numbers[-3], numbers[-2], time, f"raise:{time}")
                self.caught.append((time, raised))
        # Names are bound in order of time but for the nonlocal ones.
        for name, times in self._times.items():
            order = sorted(range(len(times)), key=times.__getitem__)
            self._numbers[name] = array("q", (self._numbers[name][i] for i in order))
            self._times[name] = array("q", sorted(times))

    def _bind(self, name: str, time: int, number: int) -> None:
        self._times.setdefault(name, array("q")).append(time)
        self._numbers.setdefault(name, array("q")).append(number)

    def names(self) -> list[str]:
        return list(self._times)

    def number(self, name: str, time: int) -> int | None:
        """The object a name stood for just before `time`; None where that is not known or it stood for nothing."""
        times = self._times.get(name)
        if times is None:
            number = self.trace.globals_at(self.source, name, time)
            if number is None and not self.is_module:
                number = self._known_global(name)
        else:
            at = bisect_left(times, time)
            if at == 0:
                # A variable of a function around this one may be read only later.
                number = self._numbers[name][0] if name in self.free else None
            else:
                number = self._numbers[name][at - 1]
        if number is None or self.trace.row(number) in (["absent"], ["unknown"]):
            return None
        return number

    def _known_global(self, name: str) -> int | None:
        """A global that nobody bound while the program ran, such as one of a module's own mechanics."""
        if self.trace.globals_at(self.source, name, _EVER) is not None:
            return None  # bound later
        return self.trace.modules.get(self.module, {}).get(name)

    def value(self, name: str, time: int) -> Value | None:
        number = self.number(name, time)
        return None if number is None else Value(self.trace, number, time)

    def data(self, name: str, time: int) -> Value | None:
        """The same, for what is data: no functions, classes, modules."""
        number = self.number(name, time)
        if number is None:
            return None
        row = self.trace.row(number)
        return None if type(row) is list and row[0] in _NO_DATA else Value(self.trace, number, time)

    def roots(self, time: int) -> list[tuple[str, int]]:
        """All there is to start from at a time: the variables, then the globals."""
        found = [(name, number) for name in self._times if (number := self.number(name, time)) is not None]
        known = {name for name, _ in found}
        own = self.trace.modules.get(self.module, {})
        for name in own:
            number = None if name in known else self.number(name, time)
            if number is not None:
                found.append((name if self.is_module else f"global {name}", number))
        for module, namespace in self.trace.modules.items():
            if module != self.module:
                found += [(f"global {name}", number) for name, number in namespace.items()]
        return found


def _module_name(trace: Trace, source: int) -> str:
    """The name under which the program knew the module of a source."""
    if len(trace.routine) and trace.routines[trace.routine[0]].source == source:
        return "__main__"
    parts = PurePath(trace.sources[source].path).with_suffix("").parts
    if parts and parts[-1] == "__init__":
        parts = parts[:-1]
    dotted = {".".join(parts[i:]) for i in range(len(parts))}
    return max((name for name in trace.modules if name in dotted), key=len, default="")


# What code reads and writes, by its text


def flow_of(steps: Sequence[Step], cache: dict[int, Flow]) -> Flow:
    """The flow through steps that were executed one after the other."""
    reads: dict[Path, None] = {}
    writes: dict[str, None] = {}
    for step in steps:
        _append(reads, writes, _step_flow(step, cache))
    return Flow(reads, writes)


def _append(reads: dict[Path, None], writes: dict[str, None], flow: Flow) -> None:
    for path in flow.reads:
        if path[0] not in writes:
            reads.setdefault(path)
    writes.update(flow.writes)


def _step_flow(step: Step, cache: dict[int, Flow]) -> Flow:
    node = step.syntax
    if not step.parts and not step.orelse and step.kind != ITERATION:
        return _syntax_flow(node, cache)
    reads: dict[Path, None] = {}
    writes: dict[str, None] = {}
    for piece in _headers(step):
        _append(reads, writes, _syntax_flow(piece, cache))
    if step.kind == ITERATION and isinstance(node, (ast.For, ast.AsyncFor)):
        # The loop gives the iteration what its names stand for: an input, though the loop's own doing.
        targets = _syntax_flow(node.target, cache)
        reads.update(dict.fromkeys((name,) for name in targets.writes))
    for part in step.parts:
        _append(reads, writes, _step_flow(part, cache))
        if part.kind == ITERATION and isinstance(part.syntax, (ast.For, ast.AsyncFor)):
            for name in _syntax_flow(part.syntax.target, cache).writes:
                reads.pop((name,), None)
                writes.setdefault(name)
    for part in step.orelse:
        _append(reads, writes, _step_flow(part, cache))
    if isinstance(node, (ast.With, ast.AsyncWith)):
        for item in node.items:
            if item.optional_vars is not None:
                writes.update(_syntax_flow(item.optional_vars, cache).writes)
    return Flow(reads, writes)


def _headers(step: Step) -> list[ast.AST]:
    """The expressions at the head of a compound statement, as far as this step evaluates them."""
    node = step.syntax
    if isinstance(node, (ast.If, ast.While)):
        return [node.test]
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return [node.iter] if step.kind == LOOP else []
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return [item.context_expr for item in node.items]
    if isinstance(node, ast.Match):
        return [node.subject]
    return []


def _syntax_flow(node: ast.AST, cache: dict[int, Flow]) -> Flow:
    known = cache.get(id(node))
    if known is not None:
        return known
    reads: dict[Path, None] = {}
    writes: dict[str, None] = {}
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        flow = Flow({}, {node.name: None})
    else:
        if isinstance(node, (ast.If, ast.While)):
            node_read: ast.AST = node.test
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            node_read = node.iter
        else:
            node_read = node
        hidden = {
            name.id
            for part in ast.walk(node_read)
            if isinstance(part, ast.comprehension)
            for name in ast.walk(part.target)
            if isinstance(name, ast.Name)
        }
        hidden |= {
            argument.arg
            for part in ast.walk(node_read)
            if isinstance(part, ast.Lambda)
            for argument in ast.walk(part.args)
            if isinstance(argument, ast.arg)
        }
        _collect(node_read, reads, writes)
        whole = {path for path in reads if len(path) == 1}
        flow = Flow(
            {p: None for p in reads if p[0] not in hidden and (len(p) == 1 or p[:1] not in whole)},
            {name: None for name in writes if name not in hidden},
        )
    cache[id(node)] = flow
    return flow


def _collect(node: ast.AST, reads: dict[Path, None], writes: dict[str, None]) -> None:
    """Names and attributes in order of appearance; what is stored into is no reading of it."""
    if isinstance(node, ast.Assign):
        _collect(node.value, reads, writes)
        for target in node.targets:
            _collect(target, reads, writes)
        return
    if isinstance(node, ast.AugAssign):
        target = node.target
        if isinstance(target, ast.Name):
            reads.setdefault((target.id,))
            _collect(node.value, reads, writes)
            writes.setdefault(target.id)
            return
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            reads.setdefault((target.value.id, target.attr))
        else:
            _collect(target.value, reads, writes)
            if isinstance(target, ast.Subscript):
                _collect(target.slice, reads, writes)
        _collect(node.value, reads, writes)
        return
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            writes.setdefault((alias.asname or alias.name).partition(".")[0])
        return
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load):
            reads.setdefault((node.id,))
        else:
            writes.setdefault(node.id)
        return
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if isinstance(node.ctx, ast.Load):
            reads.setdefault((node.value.id, node.attr))
        return
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        if not isinstance(node.value, ast.Name):
            _collect(node.value, reads, writes)
        _collect(node.slice, reads, writes)
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        # A method may read all of its object.
        receiver = node.func.value
        if isinstance(receiver, ast.Attribute) and isinstance(receiver.value, ast.Name):
            reads.setdefault((receiver.value.id, receiver.attr))
        else:
            _collect(receiver, reads, writes)
        for part in (*node.args, *node.keywords):
            _collect(part, reads, writes)
        return
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        writes.setdefault(node.name)
        return
    for part in ast.iter_child_nodes(node):
        _collect(part, reads, writes)


# Values


def inputs_of(variables: Variables, flow: Flow, start: int, bound: dict[str, int]) -> list[Input]:
    """The variables that code read, as they were at `start`; those in `bound` as they were at the given time."""
    found: list[Input] = []
    whole = {path[0] for path in flow.reads if len(path) == 1}
    for path in flow.reads:
        name = path[0]
        time = bound.get(name, start)
        value = variables.data(name, time)
        if value is None or (len(path) > 1 and name in whole):
            continue
        if len(path) == 1:
            found.append(Input(name, value))
            continue
        part = value.attribute(path[1])
        if part is not None:
            found.append(Input(".".join(path), part))
        elif not any(known.name == name for known in found):
            found.append(Input(name, value))  # a property, or an attribute of its class
    return found


def changes_of(
    variables: Variables, flow: Flow, start: int, end: int, own: frozenset[str], written: Sequence[int]
) -> list[Change]:
    """Variables bound anew and objects changed between two times, old → new; `own` are names that do not count."""
    changes: dict[str, Change] = {}
    for name in flow.writes:
        if name in own:
            continue
        before, after = variables.data(name, start), variables.data(name, end)
        if after is None or (before is not None and _same(before, after)):
            continue
        changes[name] = Change(name, before, after)
    trace = variables.trace
    earlier = [number for number in written if number and trace.first_seen.get(number, start) < start]
    names = _names(trace, variables.roots(start), set(earlier), start)
    for number in earlier:
        if len(changes) >= MOST_CHANGES:
            break
        target = names.get(number)
        if target is not None and target not in changes:
            for change in _object_changes(trace, number, target, start, end):
                changes.setdefault(change.target, change)
    return list(changes.values())


def _same(before: Value, after: Value) -> bool:
    if before.identity == after.identity:
        return True
    try:
        old, new = before.scalar(), after.scalar()
    except TypeError:
        return False
    return type(old) is type(new) and old == new


def _object_changes(trace: Trace, number: int, target: str, start: int, end: int) -> Iterator[Change]:
    before, after = trace.content(number, start), trace.content(number, end)

    def change(path: str, old: int | None, new: int | None) -> Change | None:
        was = None if old is None else Value(trace, old, start)
        now = None if new is None else Value(trace, new, end)
        if old == new or (was is not None and now is not None and _same(was, now)):
            return None
        return Change(path, was, now)

    for name in dict.fromkeys((*before.attributes, *after.attributes)):
        found = change(f"{target}.{name}", before.attributes.get(name), after.attributes.get(name))
        if found is not None:
            yield found
    if before.items == after.items and before.text == after.text and before.pairs == after.pairs:
        return
    if len(before.items) == len(after.items) > SMALL:
        differing = [
            i for i, (old, new) in enumerate(zip(before.items, after.items, strict=True)) if old != new
        ]
        if len(differing) <= 3:
            for index in differing:
                found = change(f"{target}[{index}]", before.items[index], after.items[index])
                if found is not None:
                    yield found
            return
    if max(len(before.pairs), len(after.pairs)) > SMALL and before.kind == "dict":
        keys = [
            key for key in {**before.pairs, **after.pairs} if before.pairs.get(key) != after.pairs.get(key)
        ]
        if len(keys) <= 3:
            for key in keys:
                old, new = before.pairs.get(key), after.pairs.get(key)
                shown = Value(trace, (old or new or (0, 0))[0], start).text(60).text
                found = change(f"{target}[{shown}]", old and old[1], new and new[1])
                if found is not None:
                    yield found
            return
    yield Change(target, Value(trace, number, start), Value(trace, number, end))


def _names(trace: Trace, roots: list[tuple[str, int]], wanted: set[int], time: int) -> dict[int, str]:
    """Paths to objects, breadth first from the roots."""
    found: dict[int, str] = {}
    if not wanted:
        return found
    pending = [(number, name) for name, number in roots]
    seen: set[int] = set()
    for number, path in pending:  # it grows
        if number in seen:
            continue
        seen.add(number)
        if number in wanted:
            found[number] = path
            if len(found) == len(wanted):
                break
        row = trace.row(number)
        if type(row) is not list or row[0] not in COMPOUND or len(pending) > _MOST_VISITED:
            continue
        content = trace.content(number, time)
        below = [(part, f"{path}[{i}]") for i, part in enumerate(content.items[:_MOST_PARTS])]
        for key, part in islice(content.pairs.values(), _MOST_PARTS if content.kind == "dict" else 0):
            if type(trace.row(part)) is list:
                below.append((part, f"{path}[{Value(trace, key, time).text(40).text}]"))
        below += [(part, f"{path}.{name}") for name, part in content.attributes.items()]
        pending += [(part, path) for part, path in below if type(trace.row(part)) is list]
    return found


def outcome_of(variables: Variables, ended: str, end: int, outcome: Outcome) -> tuple[str, Value | None]:
    """How code was left: its kind and the value returned or raised."""
    if ended == RETURN:
        return "return", outcome.value
    if ended == RAISE:
        at = bisect_left(variables.caught, end, key=lambda item: item[0])
        if at < len(variables.caught):
            return "raise", variables.caught[at][1]
        return "raise", outcome.value if outcome.kind == "raise" else None
    if ended == UNFINISHED:
        return "unfinished", None
    return ended or "fall-through", None
