"""What a call changed that others can see: its arguments' insides, globals and nonlocals; old → new.

Objects made during the call are no effect, nor is what others did while it slept; of a container that they changed in
between it is told what it was before all of it and after. A changed object is named by a path from the arguments, from a module's globals, or by
the text at the place of the write. Not here: printed output.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from algotrace.content import Content, Write
from algotrace.marks import ATTRIBUTE, ATTRIBUTE_NEW, ITEM, ITEM_DELETED, NAME, NAMED, PASSED
from algotrace.value_text import COMPOUND
from algotrace.values import NotKnown, Part, Unsure, Value
from algotrace.while_unchanged import Steps, StepsAt, WhileUnchanged

if TYPE_CHECKING:
    from algotrace.trace import Trace

MOST_CHANGES = 50
MOST_VISITED = 4000  # objects looked at to find a name for a changed one
MOST_PARTS = 500  # of one object, likewise
MOST_COMPARED = 100_000  # parts of a container, to say what is other
Spans = list[tuple[int, int]]  # of time, both ends included
SMALL = 20  # containers up to this size are shown whole


class Change(NamedTuple):
    """`before` is None for what was absent, `after` for what is absent now."""

    target: str
    before: Value | None
    after: Value | None


def changes_of(trace: Trace, node: int) -> list[Change]:
    """At most `MOST_CHANGES`, in order of the first write to each target."""
    if not node:
        return []
    start = trace.start[node]
    spans = trace.segments.get(node) or [start, trace.end[node]]
    awake = list(zip(spans[::2], spans[1::2]))
    written = trace.written_in(awake)  # in order of the first write to each
    if not written:
        return []
    names = _names(trace, node, written, start)
    changes: dict[str, Change] = {}
    early = trace.first_seen.end_before(start) if len(awake) == 1 else 1 << 62
    for number in written:
        if number in trace.namespaces:
            _names_changed(trace, node, number, awake, changes)
            continue
        if number and number >= early and number not in names and number not in trace.written_classes:
            continue  # made during the call
        if len(changes) >= MOST_CHANGES:
            break
        if number == 0:
            for write in [*trace.first_writes(0, awake), *trace.last_writes(0, awake)]:
                if write.kind == NAME and not _is_inside(trace, write, node):
                    _name_change(trace, write, changes)
            continue
        name = names.get(number)
        if name is None and _is_made_in(trace, number, awake) and not _is_class(trace, number):
            continue  # made during the call
        told: dict[str, Change] = {}
        for stretch in _stretches(trace, number, awake):
            found: dict[str, Change] = {}
            _changes_in(trace, number, name, stretch, found)
            _join(trace, told, found, number)
            if len(changes) + len(told) >= MOST_CHANGES:
                break
        changes.update(told)
    return list(changes.values())


def _join(trace: Trace, told: dict[str, Change], found: dict[str, Change], number: int) -> None:
    """Adds what was changed in an object after others had changed it: what became of a part of it is told as one change."""
    for target, change in found.items():
        first = told.get(target)
        before, after = (change if first is None else first).before, change.after
        whole = before is not None and after is not None and before.identity == after.identity == number
        if first is None:
            told[target] = change
        elif _has_same_parts(trace, number, before, after) if whole else _is_same(before, after):
            del told[target]
        else:
            told[target] = Change(target, before, after)


def _is_made_in(trace: Trace, number: int, awake: Spans) -> bool:
    """Whether an object was first met while a call was awake; never met otherwise, it is one of the call, too."""
    if len(awake) == 1:
        return trace.first_seen.get(number, awake[0][0]) >= awake[0][0]
    met = trace.first_seen.get(number, awake[0][0])
    at = bisect_right(awake, (met, 1 << 62)) - 1
    return at >= 0 and met <= awake[at][1]


def _stretches(trace: Trace, number: int, awake: Spans) -> Iterator[Spans]:
    """When a call was awake and wrote to an object, cut where others wrote to it while the call slept."""
    if len(awake) == 1:
        yield awake
        return
    writes = trace.writes_of(number)
    stretch: Spans = []
    before = 0
    for span in awake:
        start, end = writes.between(*span)
        if start == end:
            continue
        if stretch and start != before:
            yield stretch
            stretch = []
        stretch.append(span)
        before = end
    if stretch:
        yield stretch


def _changes_in(
    trace: Trace, number: int, name: str | None, awake: Spans, changes: dict[str, Change]
) -> None:
    """Notes what became of one object, to which nobody else wrote meanwhile."""
    start, end = awake[0][0], awake[-1][1] + 1
    whole = False
    unseen: dict[str, Change] = {}  # these come last: what the program did itself is nearer to who is asked
    for write in trace.first_writes(number, awake):
        target = name or _label(trace, write)
        if not target:
            continue
        if write.detail == "args" and trace.content(number, start).kind == "exception":
            _arguments_change(trace, number, target, changes, start, end)
        elif write.kind in (ATTRIBUTE, ATTRIBUTE_NEW, NAMED):
            target = f"{target}.{write.detail}"
            old = trace.content(number, start).attributes.get(write.detail)
            content = trace.content(number, end)
            new = content.attributes.get(write.detail)
            if new is None and not content.certain and _is_class(trace, number):
                before = None if old is None else Value(trace, old, start)
                changes[target] = Change(target, before, NotKnown(trace))
                continue
            _add(trace, changes, number, target, (old, new), (start, end), write.detail)
        elif not whole:
            if write.kind == PASSED:
                _attribute_changes(trace, number, target, unseen, start, end)
            whole = _container_change(trace, write, number, target, changes, start, end)
    changes.update((each, unseen[each]) for each in unseen if each not in changes)


def _arguments_change(
    trace: Trace, number: int, name: str, changes: dict[str, Change], start: int, end: int
) -> None:
    """What became of the `args` of an exception."""
    old, new = (trace.content(number, time).items for time in (start, end))
    for index, parts in enumerate(islice(zip_longest(old, new), SMALL)):
        _add(trace, changes, number, f"{name}.args[{index}]", parts, (start, end))


def _attribute_changes(
    trace: Trace, number: int, name: str, changes: dict[str, Change], start: int, end: int
) -> None:
    """What code that is not recorded did to the attributes of an object."""
    old, new = (trace.content(number, time).attributes for time in (start, end))
    for attribute in [*old, *(each for each in new if each not in old)]:
        parts = old.get(attribute), new.get(attribute)
        _add(trace, changes, number, f"{name}.{attribute}", parts, (start, end), attribute)


def _is_class(trace: Trace, number: int) -> bool:
    """Is it a class of a module? That was there before the first event that names it."""
    row = trace.row(number)
    return type(row) is list and row[0] == "class" and "<locals>" not in row[1]


def _is_inside(trace: Trace, write: Write, node: int) -> bool:
    """Whether a nonlocal name belongs to a call at or below `node`: then nobody outside sees the write."""
    mark = trace.mark_at(write.time)
    if mark is None or not mark.label.startswith("nonlocal"):
        return False
    owners, routine = set(), trace.routines[mark.routine].parent
    while routine >= 0 and trace.routines[routine].kind != "module":
        owners.add(routine)
        routine = trace.routines[routine].parent
    writer = trace.node_at(write.time)
    while writer > node:
        writer = trace.parent[writer]
        if trace.routine[writer] in owners:
            return True
    return False


def _add(
    trace: Trace,
    changes: dict[str, Change],
    owner: int,
    target: str,
    parts: tuple[int | None, int | None],
    times: tuple[int, int],
    attribute: str = "",
) -> None:
    before, after = (_part_of(trace, owner, part, time, attribute) for part, time in zip(parts, times))
    if not _is_same(before, after):
        changes[target] = Change(target, before, after)


def _part_of(trace: Trace, owner: int, part: int | None, time: int, attribute: str) -> Value | None:
    if part is None:
        return None
    content = trace.content(owner, time)
    is_certain = content.is_attribute_certain(attribute) if attribute else content.certain
    return (Value if is_certain else Unsure)(trace, part, time)


def _is_same(before: Value | None, after: Value | None) -> bool:
    if before is None or after is None:
        return before is after
    return before.identity == after.identity or _scalar_equal(before, after)


def _scalar_equal(before: Value, after: Value) -> bool:
    try:
        old, new = before.scalar(), after.scalar()
    except TypeError:
        return False
    return type(old) is type(new) and old == new


def _name_change(trace: Trace, write: Write, changes: dict[str, Change]) -> None:
    mark = trace.mark_at(write.time)
    target = mark.label if mark is not None else ""
    old, new = (_bound(trace, number, write.time) for number in write.values)
    first = changes.get(target)
    before = first.before if first is not None else old
    if (
        before is not None
        and new is not None
        and (before.identity == new.identity or _scalar_equal(before, new))
    ):
        changes.pop(target, None)
    elif before is not None or new is not None:
        changes[target] = Change(target, before, new)


def _names_changed(trace: Trace, node: int, number: int, awake: Spans, changes: dict[str, Change]) -> None:
    """Notes which names of a module were bound through it as an object, or as a dict."""
    source = trace.namespaces[number]
    own = source == trace.routines[trace.routine[node]].source
    for write in trace.writes_in(number, awake):
        owner = _label(trace, write) if write.kind in (ATTRIBUTE, NAMED) else ""
        module = owner if owner.isidentifier() else next(iter(trace.modules_of(source)), "")
        for name, _ in trace.names_in(write):
            target = f"global {name}" if own else f"{module}.{name}"
            if target not in changes and len(changes) < MOST_CHANGES:
                before, after = (
                    _global(trace, source, name, time) for time in (awake[0][0], awake[-1][1] + 1)
                )
                if not _is_same(before, after):
                    changes[target] = Change(target, before, after)


def _global(trace: Trace, source: int, name: str, time: int) -> Value | None:
    number = trace.globals_at(source, name, time)
    if not trace.is_global_certain(source, name, time):
        return NotKnown(trace)
    return None if number is None else _bound(trace, number, time)


def _bound(trace: Trace, number: int, time: int) -> Value | None:
    row = trace.row(number)
    if row == ["absent"]:
        return None
    return NotKnown(trace) if row == ["unknown"] else Value(trace, number, time)


def _container_change(
    trace: Trace, write: Write, number: int, name: str, changes: dict[str, Change], start: int, end: int
) -> bool:
    """Note the change of one item, where that says it better; else of the whole container, and return True."""
    before, after = trace.content(number, start), trace.content(number, end)
    size = max(len(before.items), len(before.pairs), len(after.items), len(after.pairs))
    if size > SMALL and write.kind in (ITEM, ITEM_DELETED) and len(before.items) == len(after.items):
        key = write.values[1]
        identity = trace.key_identity(key)
        text = Value(trace, key, write.time).text(60).text
        parts = _item(before, identity), _item(after, identity)
        _add(trace, changes, number, f"{name}[{text}]", parts, (start, end))
        return False
    values = Value(trace, number, start), Value(trace, number, end)
    if not _has_same_parts(trace, number, *values):
        changes[name] = Change(name, *values)
    return True


def _has_same_parts(trace: Trace, number: int, before: Value | None, after: Value | None) -> bool:
    """Whether an object held the same at two times."""
    if before is None or after is None:
        return before is after
    old, new = trace.content(number, before.time), trace.content(number, after.time)
    pairs = ([part for pair in content.pairs.values() for part in pair] for content in (old, new))
    return _same(trace, old.items, new.items) and old.text == new.text and _same(trace, *pairs)


def _same(trace: Trace, before: list[int], after: list[int]) -> bool:
    """Are they the same objects? In a long run an equal number or text may go by two object numbers."""
    if before == after:
        return True
    if len(before) != len(after):
        return False
    for old, new in zip(before, after):
        if old != new:
            row, other = trace.row(old), trace.row(new)
            if type(row) is list or type(row) is not type(other) or row != other:
                return False
    return True


def _item(content: Content, key: Any) -> int | None:
    if content.kind == "dict":
        pair = content.pairs.get(key)
        return pair[1] if pair is not None else None
    if type(key) is int and -len(content.items) <= key < len(content.items):
        return content.items[key]
    return None


def difference(before: Value, after: Value, most: int = 6, limit: int = 40) -> list[str]:
    """What is other in a container, in short: `[3]: 4 → 9`, `+ [5]`, `- 'key'`. Empty where it is no container's change.

    Parts that are one object count as the same: what changed inside them is a change of its own.
    """
    if before.kind != after.kind or before.length is None or after.length is None:
        return []
    told: list[str] = []
    if before.kind in ("list", "deque", "tuple"):
        told = _sequence_difference(before, after, limit)
    elif before.kind in ("dict", "set", "frozenset"):
        old = {part.value.key() if before.kind != "dict" else part.label: part for part in _all(before)}
        new = {part.value.key() if before.kind != "dict" else part.label: part for part in _all(after)}
        for key, part in old.items():
            there = new.get(key)
            if there is None:
                shown = part.label if before.kind == "dict" else part.value.text(limit).text
                told.append(f"- {shown}")
            elif not _same_part(part.value, there.value):
                told.append(f"{part.path}: {part.value.text(limit).text} → {there.value.text(limit).text}")
        for key, part in new.items():
            if key not in old:
                text = part.value.text(limit).text
                told.append(f"+ {part.label}: {text}" if before.kind == "dict" else f"+ {text}")
    return told if len(told) <= most else [*told[:most], f"{len(told) - most} more"]


def _all(value: Value) -> list[Part]:
    return value.parts(0, MOST_COMPARED)


def _sequence_difference(before: Value, after: Value, limit: int) -> list[str]:
    old, new = before.items(MOST_COMPARED), after.items(MOST_COMPARED)

    def same(one: int, other: int) -> bool:
        return one == other or _scalar_equal(before.beside(one), after.beside(other))

    if len(old) == len(new):
        return [
            f"[{i}]: {before.beside(one).text(limit).text} → {after.beside(other).text(limit).text}"
            for i, (one, other) in enumerate(zip(old, new))
            if not same(one, other)
        ]
    size = min(len(old), len(new))
    first = next((i for i in range(size) if not same(old[i], new[i])), size)
    rest = next((i for i in range(size - first) if not same(old[-1 - i], new[-1 - i])), size - first)
    gone = list(map(before.beside, old[first : len(old) - rest]))
    come = list(map(after.beside, new[first : len(new) - rest]))
    at = f"[{first}] " if rest else ""
    told = []
    for sign, values in (("-", gone), ("+", come)):
        if values:
            shown = ", ".join(value.text(limit).text for value in values[:5])
            more = f", … {len(values) - 5} more" if len(values) > 5 else ""
            told.append(f"{at}{sign} [{shown}{more}]")
    return told


def _same_part(before: Value, after: Value) -> bool:
    return before.identity == after.identity or _scalar_equal(before, after)


def _label(trace: Trace, write: Write) -> str:
    mark = trace.mark_at(write.time)
    return mark.label.partition("\t")[0] if mark is not None else ""


def _names(trace: Trace, node: int, written: list[int], time: int) -> dict[int, str]:
    """Paths to the changed objects: breadth first from the arguments, then from the globals."""
    wanted = set(written) - {0}
    found: dict[int, str] = {}
    arguments = [(argument.name, argument.value.identity) for argument in trace.arguments(node)]
    trace.paths_to.find(arguments, wanted, time, found)
    if len(found) < len(wanted):
        roots = [(f"global {name}", number) for name, number in _globals(trace, node, time)]
        trace.paths_to.find(roots, wanted, time, found)
    return found


def _globals(trace: Trace, node: int, time: int) -> Iterator[tuple[str, int]]:
    """What the names of modules were bound to at a time, those of the node's own module first."""
    own = trace.lookups.modules_of(trace.routines[trace.routine[node]].source)
    for module in sorted(trace.modules, key=lambda name: name not in own):
        for name in trace.modules[module]:
            number = trace.lookups.bound(module, name, time)
            if number is not None:
                yield name, number


class _Search:
    """Breadth first from some objects, as far as something was looked for."""

    __slots__ = ("at", "places", "steps", "todo", "varying")

    def __init__(self, roots: list[tuple[str, int]]) -> None:
        # (object, where it was reached from, how): paths are spelled out only for what is found.
        self.todo: list[tuple[int, int, Any]] = [(number, -1, name) for name, number in roots]
        self.at = 0
        self.places: dict[int, int] = {}  # where each object stands first
        self.steps: dict[int, Steps] = {}
        self.varying: set[int] = set()


class PathsTo:
    """Finds how changed objects are reached; neighbouring calls go through the same objects to find theirs."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._kept: WhileUnchanged[_Search] = WhileUnchanged(trace, self._steps)

    def find(self, roots: list[tuple[str, int]], wanted: set[int], time: int, found: dict[int, str]) -> None:
        """Adds the first path to each of those that are wanted and in reach."""
        if not roots:
            return
        steps_at: StepsAt = self._steps

        def again(known_or_new: StepsAt) -> _Search:
            nonlocal steps_at
            steps_at = known_or_new
            return _Search(roots)

        key = tuple(roots)
        search = self._kept.at(key, time, again)
        left = {number for number in wanted if number not in found and number not in search.places}
        if left and search.at < len(search.todo):
            self._go_on(search, left, time, steps_at)
            self._kept.only_at(key, time, search)
        for number in wanted:
            if number not in found and (place := search.places.get(number)) is not None:
                found[number] = _spell(self._trace, search.todo, place, time)

    def _go_on(self, search: _Search, left: set[int], time: int, steps_at: StepsAt) -> None:
        trace, todo, places = self._trace, search.todo, search.places
        while left and search.at < len(todo):
            place = search.at
            search.at += 1
            number = todo[place][0]
            if number in places:
                continue
            places[number] = place
            left.discard(number)
            row = trace.row(number)
            if type(row) is not list or row[0] not in COMPOUND or len(todo) > MOST_VISITED:
                continue
            steps = search.steps[number] = steps_at(number, time)
            todo += [(part, place, step) for part, step in steps]

    def _steps(self, number: int, time: int) -> Steps:
        """(object, how) of what an object holds that may lead on."""
        row, content = self._trace.row, self._trace.content(number, time)
        steps: Steps = [
            (part, index) for index, part in enumerate(content.items[:MOST_PARTS]) if type(row(part)) is list
        ]
        if content.kind == "dict":
            pairs = islice(content.pairs.values(), MOST_PARTS)
            steps += [(value, [key]) for key, value in pairs if type(row(value)) is list]
        steps += [(value, name) for name, value in content.attributes.items() if type(row(value)) is list]
        return steps


def _spell(trace: Trace, todo: list[tuple[int, int, Any]], position: int, time: int) -> str:
    """The path to an object: a root's name, then `[index]`, `[key]` (steps that are lists) and `.name`."""
    pieces = []
    while position >= 0:
        _, above, step = todo[position]
        if above < 0:
            pieces.append(step)
        elif type(step) is int:
            row = trace.row(todo[above][0])
            fields = trace.type_of(row[1])[3] if row[0] == "tuple" else None
            pieces.append(f".{fields[step]}" if fields and step < len(fields) else f"[{step}]")
        elif type(step) is list:
            pieces.append(f"[{Value(trace, step[0], time).text(80).text}]")
        else:
            pieces.append(f".{step}")
        position = above
    return "".join(reversed(pieces))
