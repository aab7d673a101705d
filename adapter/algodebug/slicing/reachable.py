"""What calls lead to by the text: what the functions of a name could do, and those that they call, and so on.

In a large program, where a call is known by its name alone, nearly all of it can be reached from nearly anywhere. So what
can be reached from a name is found once, and sets that are equal are kept once. What the functions of a name could do
themselves is told by `source_files`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algodebug.slicing.sources import Effects

_FEW = 20  # sets of fewer elements are not worth being shared
_SETS = ("names", "outer", "attributes", "calls", "callees", "implied", "runs", "globals", "defaults")


class ReachableCode:
    """What is reached from names, found once for each. `of_name`: what the functions of a name could do themselves."""

    def __init__(self, of_name: Callable[[str], Effects | None]) -> None:
        self._of_name = of_name
        self._called: dict[str, Effects] = {}  # by calls alone; what else could run then is but named
        self._run: dict[str, Effects] = {}  # … and by what runs without being called
        self._shared: dict[str, dict[frozenset[Any], set[Any]]] = {name: {} for name in _SETS}

    def add_called(self, total: Effects, with_implied: bool = True) -> None:
        """What the functions that are called could do, and those that they call, or run without calling them."""
        called, run = set[str](), set[str]()
        for name in total.calls:
            if name not in called:
                called |= self._add(total, name, self._called, False)
        for name in list(total.implied) if with_implied else ():
            if name not in run:
                run |= self._add(total, name, self._run, True)
        total.calls, total.implied = called, run - called

    def share(self, found: Effects) -> Effects:
        """Its sets are kept once: nobody may change them any more."""
        for name in _SETS:
            elements = getattr(found, name)
            if len(elements) > _FEW:
                setattr(found, name, self._shared[name].setdefault(frozenset(elements), elements))
        return found

    def _add(self, total: Effects, name: str, known: dict[str, Effects], with_implied: bool) -> set[str]:
        found = self._reached(name, known, with_implied)
        _merge(total, found)
        total.outer |= found.outer
        total.implied |= found.implied
        return found.calls

    def _reached(self, start: str, known: dict[str, Effects], with_implied: bool) -> Effects:
        if start in known:
            return known[start]
        found = Effects()
        done, todo = found.calls, [start]
        while todo:
            name = todo.pop()
            if name in done:
                continue
            whole = known.get(name)
            if whole is not None:
                done |= whole.calls
                found.outer |= whole.outer
                found.implied |= whole.implied
                _merge(found, whole)
                continue
            done.add(name)
            own = self._of_name(name)
            if own is None:
                continue
            found.outer |= own.names
            _merge(found, own)
            todo += own.calls - done
            if with_implied:
                todo += own.implied - done
            else:
                found.implied |= own.implied
        known[start] = self.share(found)
        return found


def _merge(total: Effects, called: Effects) -> None:
    total.attributes |= called.attributes
    total.items = total.items or called.items
    total.resizes = total.resizes or called.resizes
    total.anywhere = total.anywhere or called.anywhere
    total.globals |= called.globals
    total.defaults |= called.defaults
    total.callees |= called.callees
