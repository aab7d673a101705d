"""Tables by class, which instrumented code looks things up in as fast as in a dict, and no code of the program runs.

A dict asks a class how it hashes and compares, and a metaclass may answer with code of its own. Hardly any does: as long
as there is none, the tables are dicts and sets of classes. When one turns up (`look_around`) they go by addresses, for
the rest of the run and more slowly. It is looked for where metaclasses come from: class statements and imports.
"""

from __future__ import annotations

import sys
import types
from typing import Any
from collections.abc import Callable, Iterable, Mapping

from algotrace import BUILTINS
from algotrace.marks import ABSENT

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_known_mro = type.__dict__["__mro__"].__get__
_known_namespace = type.__dict__["__dict__"].__get__
_flags = type.__dict__["__flags__"].__get__
_subclasses = type.__subclasses__
_MADE_BY_CLASS_STATEMENT = 1 << 9


def mro_of(cls: type) -> tuple[type, ...]:
    """The classes that attributes are looked for in; those of a type that is not ready (before 3.12) are not known."""
    return _known_mro(cls) or (cls, object)


def namespace_of(cls: type) -> Mapping[str, Any]:
    namespace: Mapping[str, Any] | None = _known_namespace(cls)
    return {} if namespace is None else namespace


def find_in_class(cls: type, name: str) -> Any:
    """The attribute `name` of a class as its `__mro__` holds it, or ABSENT; no descriptor is called."""
    for base in mro_of(cls):
        if name in (namespace := namespace_of(base)):
            return namespace[name]
    return ABSENT


_here = super.__dict__["__thisclass__"].__get__
_whose = super.__dict__["__self_class__"].__get__


def find_behind(proxy: Any, name: str) -> Any:
    """The same for `super()`: what comes after the class that it is written in."""
    here, classes = _here(proxy), iter(mro_of(_whose(proxy)))
    for cls in classes:
        if cls is here:
            break
    return next((namespace_of(cls)[name] for cls in classes if name in namespace_of(cls)), ABSENT)


class Table(dict[type, Any]):
    """A table by class that stands in `co_consts`: debuggers hash code objects, and with them their constants."""

    by_address: dict[int, tuple[type, Any]]

    def __init__(self, *known: Any) -> None:
        super().__init__(*known)
        _tables.append(self)
        if _Found.one:
            _turn(self)

    def __missing__(self, cls: type) -> Any:
        raise NotImplementedError

    def forget(self, which: Callable[[type], bool]) -> None:
        kept = [item for item in self.items() if not which(item[0])]
        self.clear()
        self.update(kept)

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__
    __ne__ = object.__ne__


class Classes(set[type]):
    """A set of classes that stands in `co_consts`."""

    by_address: dict[int, type]

    def __init__(self, known: Iterable[type] = ()) -> None:
        super().__init__(known)
        _tables.append(self)
        if _Found.one:
            _turn(self)

    def forget(self, which: Callable[[type], bool]) -> None:
        kept = [cls for cls in self if not which(cls)]
        self.clear()
        self.update(kept)

    __hash__ = object.__hash__  # type: ignore[assignment]


class _TableByAddress(Table):
    """What a table has become, together with its own class."""

    def __getitem__(self, cls: type) -> Any:
        found = self.by_address.get(id(cls))
        return self.__missing__(cls) if found is None else found[1]

    def __setitem__(self, cls: type, value: Any) -> None:
        self.by_address[id(cls)] = (cls, value)  # alive, so that its address stays its own

    def forget(self, which: Callable[[type], bool]) -> None:
        self.by_address = {key: item for key, item in self.by_address.items() if not which(item[0])}


class _ClassesByAddress(Classes):
    def __contains__(self, cls: object) -> bool:
        return id(cls) in self.by_address

    def add(self, cls: type) -> None:
        self.by_address[id(cls)] = cls

    def discard(self, cls: object) -> None:
        self.by_address.pop(id(cls), None)

    def forget(self, which: Callable[[type], bool]) -> None:
        self.by_address = {key: cls for key, cls in self.by_address.items() if not which(cls)}


class _Found:
    """Whether a metaclass has been found that hashes or compares its classes by code of its own."""

    one = False


_tables: list[Table | Classes] = []
_twins: dict[int, type] = {}  # by the address of a class of tables
_hash, _equal = find_in_class(type, "__hash__"), find_in_class(type, "__eq__")


def look_around() -> None:
    """There may be new metaclasses."""
    if _Found.one:
        return
    todo = [type]
    while todo:
        for metaclass in _subclasses(todo.pop()):
            if has_a_say(metaclass):
                turn_to_addresses()
                return
            todo.append(metaclass)


def has_a_say(metaclass: type) -> bool:
    """Whether it says itself how its classes hash or compare."""
    return (
        find_in_class(metaclass, "__hash__") is not _hash or find_in_class(metaclass, "__eq__") is not _equal
    )


def turn_to_addresses() -> None:
    """For the rest of the run."""
    _Found.one = True
    for table in _tables:
        _turn(table)


def _turn(table: Table | Classes) -> None:
    """Its class changes, so that code which refers to it finds it as it is now."""
    if isinstance(table, (_TableByAddress, _ClassesByAddress)):
        return
    cls = type(table)
    own: type = _TableByAddress if isinstance(table, Table) else _ClassesByAddress
    if isinstance(table, Table):
        table.by_address = {id(known): (known, value) for known, value in table.items()}
    else:
        table.by_address = {id(known): known for known in table}
    twin = _twins.get(id(cls))
    if twin is None:
        bases = (own,) if cls in own.__mro__ else (own, cls)
        twin = _twins[id(cls)] = type(cls.__name__, bases, {"__hash__": object.__hash__})
    table.__class__ = twin
    dict.clear(table) if isinstance(table, Table) else set.clear(table)


def forget_classes() -> None:
    """Let go of the program's classes: through their methods they hold the modules they were made in."""
    for table in _tables:
        table.forget(is_of_program)


def tables() -> list[Table | Classes]:
    return _tables[:]


def all_of_it(cls: type) -> bool:
    return True


def is_of_program(cls: type) -> bool:
    """Whether a class statement, or a call, made it."""
    return bool(_flags(cls) & _MADE_BY_CLASS_STATEMENT)


_modules = sys.modules


class Sign:
    """It stands in `co_consts`; what a constant is like would be decided when the code is compiled."""

    __slots__ = ("on",)

    def __init__(self, on: bool = False) -> None:
        self.on = on


class _Imported:
    """How many modules there were when metaclasses were last looked for."""

    count = 0


def note_import() -> None:
    """After an import statement of the program."""
    if len(_modules) != _Imported.count:
        _Imported.count = len(_modules)
        look_around()


def note_class(cls: Any) -> Any:
    """After a class statement of the program, or a call that makes a class."""
    if type(cls) is not type or issubclass(cls, type):
        look_around()
    return cls


def is_written_in_c(value: Any) -> bool:
    """Whether what a class has under a name is a method or slot of a class written in C."""
    return any(type(value) is kind for kind in _OF_C)


_OF_C = (
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.BuiltinFunctionType,
)
