"""The variables of one activation over time: which object each name stood for, and what can be reached from there."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from pathlib import PurePath
from typing import TYPE_CHECKING

from algotrace import marks
from algotrace.values import Raised, Value

if TYPE_CHECKING:
    from algotrace.trace import Trace

_EVER = 1 << 62
_NO_DATA = frozenset({"function", "class", "module", "method"})


class Variables:
    """The variables of one activation over time."""

    def __init__(self, trace: Trace, node: int, until: int = _EVER) -> None:
        """`until`: what comes later is not asked for."""
        self.trace = trace
        self.node = node
        routine = trace.routines[trace.routine[node]]
        self.source = routine.source
        self.is_module = routine.kind == "module"
        self.module = module_name(trace, routine.source)
        self._times: dict[str, array[int]] = {}
        self._numbers: dict[str, array[int]] = {}
        self.caught: list[tuple[int, Value]] = []  # exceptions handled here: (time, exception)
        start = trace.start[node]
        for argument in trace.arguments(node):
            self._bind(argument.name, start, argument.value.identity)
        self.parameters = list(self._times)
        self.free: dict[str, None] = {}
        for value in trace.own_values(node):
            if value.time > until:
                break
            if value.role == "store":
                self._bind(value.name, value.time, value.number)
            elif value.role == "read":
                self.free[value.name] = None
                # What is read now was there at least since the latest event.
                self._bind(value.name, value.time - 1, value.number)
        for time, mark, numbers in trace.own_events(node):
            if time > until:
                break
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
        found = [(name, number) for name in self.names() if (number := self.number(name, time)) is not None]
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


def module_name(trace: Trace, source: int) -> str:
    """The name under which the program knew the module of a source."""
    if len(trace.routine) and trace.routines[trace.routine[0]].source == source:
        return "__main__"
    parts = PurePath(trace.sources[source].path).with_suffix("").parts
    if parts and parts[-1] == "__init__":
        parts = parts[:-1]
    dotted = {".".join(parts[i:]) for i in range(len(parts))}
    return max((name for name in trace.modules if name in dotted), key=len, default="")
