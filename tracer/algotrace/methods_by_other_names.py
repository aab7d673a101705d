"""Methods of containers that are not called as `container.method(…)`: kept under a name (`put = found.append`), and by way of
a class (`list.append(self, x)`, `Base.update(self, …)`).

What they are about to change is noted when they are called; where that cannot be seen, when the name is given. Not here: methods
that somebody else is given, see `giving`.
"""

from __future__ import annotations

import sys
from typing import Any

from algotrace import BUILTINS
from algotrace.class_tables import find_in_class, is_written_in_c, mro_of
from algotrace.held import take
from algotrace.marks import UNKNOWN, Mark
from algotrace.mutators import METHOD_NAMES, MethodReaders, pops_member, whole
from algotrace.streams import STREAMS
from algotrace.undo import CONTAINERS, undo_of_bound, witness

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_frame = sys._getframe

_BoundMethod: Any = type([].append)


def note_bound(mark: Mark, known: bool, function: Any, *arguments: Any) -> Any:
    """A method of a container that was kept may be about to be called. `known`: whether these are its arguments."""
    if type(function) is _BoundMethod and CONTAINERS[type(owner := function.__self__)]:
        if not known:
            if function.__name__ in METHOD_NAMES:
                STREAMS.events.extend((mark, owner, undo_of_bound(owner, function.__name__)))
        elif (reader := READERS[function.__name__][type(owner)]) is not None:
            read = whole if reader is pops_member else reader
            STREAMS.events.extend((mark, owner, read(owner, *arguments)))
    return function


def note_alias(mark: Mark, method: str, owner: Any) -> Any:
    """A method is given a name. Calls by that name are noted, but for methods written in Python that are not recorded."""
    if CONTAINERS[cls := type(owner)] and not is_written_in_c(find_in_class(cls, method)):
        STREAMS.events.extend((mark, owner, witness(owner)))
    return owner


def note_held_bound(mark: Mark, single: bool, last: Any) -> Any:
    """The same, where working out the arguments may change the container: the method was held."""
    note_bound(mark, single, take(_frame(1)), *((last,) if single else ()))
    return last


class _Readers(dict[str, MethodReaders]):
    def __missing__(self, name: str) -> MethodReaders:
        readers = self[name] = MethodReaders(name)
        return readers


READERS = _Readers()  # of methods, by name


def note_unbound(mark: Mark, owner: Any, method: str, container: Any, *arguments: Any) -> Any:
    """`list.append(self, x)` and the like, in methods of a class of the program; it gives the container."""
    cls = type(container)
    if CONTAINERS[cls] and issubclass(type(owner), type) and any(base is owner for base in mro_of(cls)):
        reader = READERS[method][owner]
        if reader is not None:
            read = whole if reader is pops_member else reader
            STREAMS.events.extend((mark, container, read(container, *arguments)))
    return container


def note_held_unbound(mark: Mark, method: str, container: Any, *arguments: Any) -> Any:
    """The same where the class was held."""
    return note_unbound(mark, take(_frame(1)), method, container, *arguments)


def note_unbound_given(mark: Mark, owner: Any, method: str, container: Any) -> None:
    """The same when all arguments are known, but not to us."""
    note_unbound(mark, owner, method, container, UNKNOWN)


def note_unbound_late(mark: Mark, owner: Any, method: str, container: Any, single: bool, last: Any) -> Any:
    """The same when the last argument is known, which it gives; `single`: it is the only one."""
    note_unbound(mark, owner, method, container, last if single else UNKNOWN)
    return last


def note_unbound_of(
    mark: Mark, owner: Any, method: str, known: bool, arguments: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The same of all arguments, which it gives; `known`: there are no others."""
    if arguments:
        note_unbound(mark, owner, method, arguments[0], *(arguments[1:] if known else (UNKNOWN,)))
    return arguments


def note_held_unbound_late(mark: Mark, method: str, container: Any, single: bool, last: Any) -> Any:
    return note_unbound_late(mark, take(_frame(1)), method, container, single, last)


METHOD_HOOKS: dict[str, Any] = {
    "note_bound": note_bound,
    "note_held_bound": note_held_bound,
    "note_alias": note_alias,
    "bound_method": _BoundMethod,
    "note_unbound": note_unbound,
    "note_held_unbound": note_held_unbound,
    "note_unbound_given": note_unbound_given,
    "note_unbound_late": note_unbound_late,
    "note_unbound_of": note_unbound_of,
    "note_held_unbound_late": note_held_unbound_late,
}
