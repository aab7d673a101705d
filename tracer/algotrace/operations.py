"""Operators and stores that run code which is not recorded, or give such an object something to keep: what can be reached
from what they are handed is noted before.

There is one note, and none when they are over: where they have changed something, it is not certain from then on until it is
noted again (see `history`). Whether an operand may be an object of strangers is told by its class.
"""

from __future__ import annotations

import operator
import sys
from types import ModuleType
from typing import Any

from algotrace import BUILTINS
from algotrace.at_work import note_before
from algotrace.class_tables import Table, find_in_class, is_written_in_c
from algotrace.held import keep, kept_last, take
from algotrace.marks import ABSENT, UNKNOWN
from algotrace.strange_calls import STRANGERS, is_strange
from algotrace.strangers import ANY, OPERATORS, is_strange_module
from algotrace.streams import UNITS
from algotrace.textual import module_of
from algotrace.through_views import note_item_through
from algotrace.undo import never_direct

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_frame = sys._getframe


class Operating(Table):
    """For an operator: class → whether its objects may have strangers do it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._methods = [f"__{way}{name}__" for way in ("", "r", "i")]

    def __missing__(self, cls: type) -> bool:
        found = (name for name in self._methods if find_in_class(cls, name) is not ABSENT)
        told = self[cls] = any(STRANGERS[name].in_classes[cls][0] for name in found)
        return told


class _OfStrangers(Table):
    """class → whether it stands in a module of theirs."""

    def __missing__(self, cls: type) -> bool:
        module = module_of(cls)
        is_there = issubclass(type(sys.modules.get(module)), ModuleType)
        told = self[cls] = is_there and is_strange_module(module)
        return told


OF_STRANGERS = _OfStrangers()


class Storing(Table):
    """For the name of an attribute: class → whether strangers have a hand in storing it, or keep it: the class is theirs."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def __missing__(self, cls: type) -> bool:
        told = self[cls] = self._is_theirs(cls)
        return told

    def _is_theirs(self, cls: type) -> bool:
        if OF_STRANGERS[cls]:
            return True
        method, found = find_in_class(cls, "__setattr__"), find_in_class(cls, self._name)
        if not is_written_in_c(method) and is_strange(method):
            return True
        if type(found) is property:
            return found.fset is not None and is_strange(found.fset)
        setter = find_in_class(type(found), "__set__")
        return setter is not ABSENT and not is_written_in_c(setter) and is_strange(setter)


class _Stores(dict[str, Storing]):
    def __missing__(self, name: str) -> Storing:
        table = self[name] = Storing(name)
        return table


STORING = _Stores()
OPERATING = {name: Operating(name) for name in OPERATORS}


def _is_looked_at(cls: type, name: str) -> bool:
    return bool(STORING[name][cls])


never_direct(_is_looked_at)


def note_operands(mark: Any, table: Operating, left: Any, right: Any) -> Any:
    """Before `left op right`; it gives the right one."""
    if table[type(left)] or table[type(right)]:
        note_before(mark, [left, right])
    return right


def hold_operand(mark: Any, left: Any) -> Any:
    """The left one has no name, and the right one is not known yet."""
    if ANY.on:
        keep(_frame(1), left, mark)
    return left


def note_held_operand(mark: Any, table: Operating, right: Any) -> Any:
    left = take(_frame(1), mark)
    if left is not UNKNOWN:  # strangers may have come up since
        note_operands(mark, table, left, right)
    return right


def note_stored(mark: Any, *objects: Any) -> None:
    """Before `container[key] = value`, or `owner.name = value`; the first one is theirs, or a view (then its key is given)."""
    if type(objects[0]) is memoryview:
        note_item_through(UNITS.marks[mark.number - 1], objects[0], objects[1])
        return
    note_before(mark, list(objects))


def note_named_stored(mark: Any, owner: Any, value: Any) -> Any:
    """Before `setattr(owner, …, value)`; it gives the value."""
    if ANY.on and OF_STRANGERS[type(owner)]:
        note_before(mark, [owner, value])
    return value


def note_kept_operand(mark: Any, table: Operating, right: Any) -> Any:
    """Before `target += right`; what the target was is held."""
    return note_operands(mark, table, kept_last(_frame(1)), right) if ANY.on else right


def note_held_into(mark: Any, table: Table, owner: Any) -> Any:
    """Before the value that is held is stored to an attribute or an item of `owner`, which it gives."""
    if (value := kept_last(_frame(1), mark)) is not UNKNOWN and table[type(owner)]:
        note_before(mark, [owner, value])
    return owner


def note_last_held_into(mark: Any, table: Table, owner: Any) -> Any:
    if (value := take(_frame(1), mark)) is not UNKNOWN and table[type(owner)]:
        note_before(mark, [owner, value])
    return owner


HOOKS = {
    each.__name__: each
    for each in (
        note_operands,
        hold_operand,
        note_held_operand,
        note_stored,
        note_named_stored,
        note_kept_operand,
        note_held_into,
        note_last_held_into,
    )
} | {"in place >>=": operator.irshift, "in place <<=": operator.ilshift, "in place @=": operator.imatmul}
