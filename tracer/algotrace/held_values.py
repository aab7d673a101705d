"""What may hold a value of a file, by names: variables of functions by that of the function as well, others and attributes as they
are; what a call of something gives, by its name and `()`. How that is told from the text, see `value_flow`.
"""

from __future__ import annotations

from collections.abc import Iterable

Holders = frozenset[str]

NOBODY: Holders = frozenset()
ANY_ATTRIBUTE = "*"  # who reads attributes by names that the text does not have
ANY_VARIABLE = ":*"  # … or variables of a function, after its id
RESULT = "()"
_DEEPEST = 3  # results of results: what is deeper is taken for one of these


class HeldValues:
    """Which names may hold what others do, and which ones code of others gets at."""

    def __init__(self) -> None:
        self.edges: dict[str, set[str]] = {}  # what may hold what a holder does, next
        self.sources: dict[str, set[str]] = {}  # the other way round
        self.puts: dict[str, set[str]] = {}  # containers that get what a holder has
        self.escaping: set[str] = set()

    def flow(self, values: Holders, *holders: str) -> None:
        for value in values:
            for holder in holders:
                self.edges.setdefault(value, set()).add(holder)
                self.sources.setdefault(holder, set()).add(value)

    def escape(self, values: Iterable[str]) -> None:
        self.escaping.update(values)

    def holders_of(self, value: str) -> set[str] | None:
        """All that may hold a value; None where it may escape."""
        holders, todo = set[str](), [value]
        filled = set[str]()  # containers: those that are the same get it, too
        while todo:
            holder = todo.pop()
            if holder in holders:
                continue
            holders.add(holder)
            if self._is_escaping(holder):
                return None
            todo += self._next(holder)
            containers = list(self.puts.get(holder, ()))
            for container in containers:  # which becomes longer
                if container not in filled:
                    filled.add(container)
                    todo.append(container)
                    containers += [each for each in self._before(container) if not each.startswith("@")]
        return holders

    def _is_escaping(self, holder: str) -> bool:
        if holder in self.escaping:
            return True
        return holder.endswith(RESULT) and self._is_escaping(holder.removesuffix(RESULT))

    def _next(self, holder: str) -> set[str]:
        found = set(self.edges.get(holder, ()))
        if not holder.startswith("@"):
            scope, separator, _ = holder.partition(":")
            found.add(scope + ANY_VARIABLE if separator else ANY_ATTRIBUTE)
        if holder.endswith(RESULT):
            found.update(map(result_of, self._next(holder.removesuffix(RESULT))))
        return found

    def _before(self, holder: str) -> set[str]:
        found = set(self.sources.get(holder, ()))
        if holder.endswith(RESULT):
            before = self._before(holder.removesuffix(RESULT))
            found.update(result_of(each) for each in before if not each.startswith("@"))
        return found


def result_of(holder: str) -> str:
    """What holds what a call of something gives."""
    return holder if holder.count(RESULT) >= _DEEPEST else holder + RESULT
