"""Which containers that a question shows are one object: that is not to be seen from their values.

Named are the argument that was handed back, as a whole or in part; rows that are one list; a default that all calls
have in common; what was put into an argument and stays the caller's too. Only objects that can be changed count, and of
these the builtin containers alone: objects of classes are shared all the time, and nobody wonders.
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple
from collections.abc import Collection, Iterator

from algotrace.call_sites import defaulted
from algotrace.stored import remember
from algotrace.value_text import COMPOUND
from algotrace.values import Value
from algotrace.while_unchanged import Steps, StepsAt, WhileUnchanged

if TYPE_CHECKING:
    from algotrace.trace import Trace

CONTAINERS = frozenset({"list", "dict", "set", "deque", "bytearray"})
MOST_NOTES = 8
_MOST_VISITED = 2000
_MOST_PARTS = 200  # of one object
_DEEPEST = 3  # steps from what has a name
_MOST_JOINT = 16


class Shared(NamedTuple):
    """Two names, or paths, of one object: `result`, `items`; or of several parts, the first and the last."""

    one: str
    other: str
    type_name: str
    times: int = 2  # how many parts are the same, for parts of one container
    between: bool = False  # they are such parts

    def text(self) -> str:
        if self.between:
            joint = " and " if self.times == 2 else ", …, "
            return f"{self.one}{joint}{self.other} are the same {self.type_name}"
        return f"{self.one} is {self.other}"


def sharing_of(trace: Trace, node: int) -> list[Shared]:
    """At most `MOST_NOTES`, those of the result first."""
    if not node:
        return []
    start, end = trace.start[node], trace.end[node] + 1
    arguments = [(argument.name, argument.value.identity) for argument in trace.arguments(node)]
    inputs = arguments + [
        (read.name, read.value.identity)
        for read in trace.reads(node)
        if read.value is not None and read.value.identity >= 0
    ]
    found: list[Shared] = []
    before = _paths(trace, inputs, start, found)
    result = trace.outcome_object(node)
    if result is not None:
        found[:0] = _of_result(trace, result, arguments, inputs, before, end)
    found += _kept(trace, arguments, start, end)
    left_out = defaulted(trace, node)
    found += [
        Shared(name, "its default", _type_name(trace, number))
        for name, number in arguments
        if name in left_out and _is_container(trace, number)
    ]
    return found[:MOST_NOTES]


def _of_result(
    trace: Trace,
    result: int,
    arguments: list[tuple[str, int]],
    inputs: list[tuple[str, int]],
    before: dict[int, str],
    end: int,
) -> list[Shared]:
    handed_back = next((name for name, number in arguments if number == result), None)
    if handed_back is not None:
        is_container = _is_container(trace, result)
        return [Shared("result", handed_back, _type_name(trace, result))] if is_container else []
    inside: list[Shared] = []
    paths = _paths(trace, [("result", result)], end, inside)
    after = _paths(trace, inputs, end, [])
    told: list[str] = []
    for number, path in paths.items():
        other = before.get(number) or after.get(number)
        # What a part belongs to says it for the part, too.
        if other is not None and not any(path.startswith(shorter) for shorter in told):
            told.append(path)
            inside.append(Shared(path, other, _type_name(trace, number)))
    return inside


def _kept(trace: Trace, arguments: list[tuple[str, int]], start: int, end: int) -> Iterator[Shared]:
    """Arguments that were put into others: `self.items is items`."""
    roots = {number: name for name, number in arguments if _is_container(trace, number)}
    if not roots or len(arguments) < 2:
        return
    reaches = trace.in_reach
    before = [reaches.of(name, number, start) for name, number in arguments]
    after = [reaches.of(name, number, end) for name, number in arguments]
    if before == after:
        return
    was = {(path, part) for reach in before for path, part in reach.places_of(roots)}
    for (name, _), reach in zip(arguments, after):
        for path, part in reach.places_of(roots):
            if path != name and (path, part) not in was:
                yield Shared(path, roots[part], _type_name(trace, part))


def _paths(trace: Trace, roots: list[tuple[str, int]], time: int, notes: list[Shared]) -> dict[int, str]:
    """Container → its first path from the roots; what has two of them in one container, or two names, goes to `notes`."""
    found, told = trace.in_reach.joint([trace.in_reach.of(name, root, time) for name, root in roots])
    notes += told
    return found


class Reach:
    """The containers in reach of one object, in order: an object of one container once for each place it has there."""

    __slots__ = ("_places", "containers", "steps", "varying")

    def __init__(self) -> None:
        self.containers: list[tuple[str, int]] = []  # the path to each
        self.steps: dict[int, Steps] = {}
        self.varying: set[int] = set()
        self._places: dict[int, list[int]] | None = None

    def places_of(self, numbers: Collection[int]) -> Iterator[tuple[str, int]]:
        """Of some containers, those that are in reach, in order."""
        if self._places is None:
            self._places = {}
            for place, (_, number) in enumerate(self.containers):
                self._places.setdefault(number, []).append(place)
        places = [place for number in numbers for place in self._places.get(number, ())]
        return (self.containers[place] for place in sorted(places))


_NOTHING = Reach()


class InReach:
    """What is in reach of objects; for neighbouring calls that is mostly the same."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._kept: WhileUnchanged[Reach] = WhileUnchanged(trace, self._steps)
        self._joint: OrderedDict[tuple[Reach, ...], tuple[dict[int, str], list[Shared]]] = OrderedDict()

    def of(self, name: str, root: int, time: int) -> Reach:
        """By paths that begin with a name."""
        if type(self._trace.row(root)) is not list:
            return _NOTHING
        return self._kept.at((name, root), time, lambda steps_at: self._walk(name, root, time, steps_at))

    def joint(self, reaches: list[Reach]) -> tuple[dict[int, str], list[Shared]]:
        """Container → its first path in all of them; and what has two paths."""
        key = tuple(reaches)
        known = self._joint.get(key)
        if known is None:
            known = self._join(key)
            remember(self._joint, key, known, _MOST_JOINT)
        return known

    def _join(self, reaches: tuple[Reach, ...]) -> tuple[dict[int, str], list[Shared]]:
        found: dict[int, str] = {}
        notes: list[Shared] = []
        groups: dict[tuple[str, int], list[str]] = {}
        for reach in reaches:
            for path, number in reach.containers:
                known = found.setdefault(number, path)
                above, step = _above(path)
                if step:
                    groups.setdefault((above, number), []).append(path)
                if known != path and (not step or _above(known)[0] != above):
                    notes.append(Shared(path, known, _type_name(self._trace, number)))
        for (_, number), paths in groups.items():
            if len(paths) > 1:
                type_name = _type_name(self._trace, number)
                notes.append(Shared(paths[0], paths[-1], type_name, len(paths), True))
        return found, notes

    def _walk(self, name: str, root: int, time: int, steps_at: StepsAt) -> Reach:
        trace, reach = self._trace, Reach()
        todo = [(name, root, 0)]
        for path, number, depth in todo:
            row = trace.row(number)
            if type(row) is not list:
                continue
            if row[0] in CONTAINERS:
                reach.containers.append((path, number))
            if row[0] not in COMPOUND or row[0] == "bytearray":
                continue
            if number in reach.steps or depth >= _DEEPEST or len(todo) > _MOST_VISITED:
                continue
            steps = reach.steps[number] = steps_at(number, time)
            if row[0] == "dict" and not self._has_fixed_keys(number, time):
                reach.varying.add(number)
            todo += [(path + step, part, depth + 1) for step, part in steps]
        return reach

    def _steps(self, number: int, time: int) -> Steps:
        """(text, object) of what an object holds that may lead on."""
        trace, row, content = self._trace, self._trace.row, self._trace.content(number, time)
        own = row(number)
        fields = trace.type_of(own[1])[3] if own[0] == "tuple" else None
        if fields and len(fields) == len(content.items):
            steps = [(f".{field}", part) for field, part in zip(fields, content.items)]
        else:
            steps = [(f"[{index}]", part) for index, part in enumerate(content.items[:_MOST_PARTS])]
        steps = [step for step in steps if type(row(step[1])) is list]
        if content.kind == "dict":
            steps += [
                (f"[{Value(trace, key, time).text(40).text}]", part)
                for key, part in islice(content.pairs.values(), _MOST_PARTS)
                if type(row(part)) is list
            ]
        steps += [
            (f".{attribute}", part)
            for attribute, part in content.attributes.items()
            if type(row(part)) is list
        ]
        return steps

    def _has_fixed_keys(self, number: int, time: int) -> bool:
        """Whether the keys of a dict read the same at any time."""
        pairs = self._trace.content(number, time).pairs.values()
        return all(self._is_fixed(key) for key, _ in islice(pairs, _MOST_PARTS))

    def _is_fixed(self, number: int, depth: int = 0) -> bool:
        row = self._trace.row(number)
        if type(row) is not list or row[0] not in COMPOUND:
            return True
        return row[0] == "tuple" and depth < 3 and all(self._is_fixed(part, depth + 1) for part in row[2])


def _above(path: str) -> tuple[str, str]:
    """A path without its last step, and that step."""
    if path.endswith("]"):
        at = path.rfind("[")
    else:
        at = path.rfind(".")
    return (path[:at], path[at:]) if at > 0 else (path, "")


def _is_container(trace: Trace, number: int) -> bool:
    row = trace.row(number)
    return type(row) is list and row[0] in CONTAINERS


def _type_name(trace: Trace, number: int) -> str:
    return Value(trace, number, 0).type_name
