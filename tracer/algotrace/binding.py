"""From code with placeholders to code that refers to our objects: marks, and what `hooks` has.

Placeholders are constants. Where they stand is found out once (`unbound`) and kept with the code, so that `bound`, which
runs at each start for all of a program's code, looks at them alone.
"""

from __future__ import annotations

import types
from array import array
from typing import Any, NamedTuple
from collections.abc import Sequence

from algotrace.syntax import PREFIX

_MARK = PREFIX + "mark:"


class Places(NamedTuple):
    """A module's code in pieces, in few and simple objects: they are read at each start.

    `codes` are its code objects without their constants, those before which they are in; the module's is the last. Their
    constants stand together: `plain` ones, then `names` of objects, then the code objects, then the file's marks. Of
    `filled` plain ones, which are tuples, parts are placeholders. `numbers` packs which constants each code object has,
    `ends` where those of each end.
    """

    plain: tuple[Any, ...]
    filled: tuple[int, ...]
    names: tuple[str, ...]
    codes: tuple[types.CodeType, ...]
    numbers: bytes
    ends: bytes


class _Pieces:
    """Takes code apart. Until all is known, constants of each kind are counted for themselves."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.plain: list[Any] = []
        self.filled: list[int] = []
        self.names: dict[str, int] = {}
        self.codes: list[types.CodeType] = []
        self.constants: list[list[tuple[int, int]]] = []  # of each code: kind, number
        self._known: dict[Any, int] = {}

    def add(self, code: types.CodeType) -> int:
        constants = []
        for value in code.co_consts:
            if type(value) is str and value.startswith(_MARK):
                constants.append((_MARKS, int(value[len(_MARK) :])))
            elif type(value) is str and value.startswith(PREFIX):
                constants.append((_OBJECTS, self.names.setdefault(value[len(PREFIX) :], len(self.names))))
            elif type(value) is types.CodeType:
                constants.append((_CODES, self.add(value)))
            else:
                constants.append((_PLAIN, self._plain(value)))
        self.codes.append(code.replace(co_consts=(), co_filename=self.path))
        self.constants.append(constants)
        return len(self.codes) - 1

    def _plain(self, value: Any) -> int:
        key = (type(value), value) if type(value) in (str, int, bool, type(None)) else None
        number = self._known.get(key) if key is not None else None
        if number is None:
            number = len(self.plain)
            self.plain.append(value)
            if key is not None:
                self._known[key] = number
            if type(value) is tuple and _has_placeholders(value):
                self.filled.append(number)
        return number


_PLAIN, _OBJECTS, _CODES, _MARKS = range(4)


def unbound(code: types.CodeType, path: str) -> Places:
    """The code without its placeholders, and where they stood; it is of the file at `path`, whatever it was compiled as."""
    pieces = _Pieces(path)
    pieces.add(code)
    first = [0, len(pieces.plain)]
    first.append(first[-1] + len(pieces.names))
    first.append(first[-1] + len(pieces.codes))
    numbers, ends = array("i"), array("i")
    for constants in pieces.constants:
        numbers.extend(first[kind] + number for kind, number in constants)
        ends.append(len(numbers))
    return Places(
        tuple(pieces.plain),
        tuple(pieces.filled),
        tuple(pieces.names),
        tuple(pieces.codes),
        numbers.tobytes(),
        ends.tobytes(),
    )


def bound(places: Sequence[Any], marks: list[Any], objects: dict[str, Any], ids: set[int]) -> types.CodeType:
    """Code that can be run, of what `unbound` gave; the ids of it and of all code in it are added to `ids`."""
    plain, filled, names, codes, packed, packed_ends = places
    numbers, ends = array("i"), array("i")
    numbers.frombytes(packed)
    ends.frombytes(packed_ends)
    constants = list(plain)
    for number in filled:
        constants[number] = _filled(constants[number], marks, objects)
    constants += map(objects.__getitem__, names)
    place = len(constants)
    constants += codes
    constants += marks
    constant = constants.__getitem__
    start = 0
    for code, end in zip(codes, ends):
        made = constants[place] = code.replace(co_consts=tuple(map(constant, numbers[start:end])))
        start, place = end, place + 1
        ids.add(id(made))
    return made  # type: ignore[no-any-return]


def _has_placeholders(value: Any) -> bool:
    if type(value) is tuple:
        return any(map(_has_placeholders, value))
    return type(value) is str and value.startswith(PREFIX)


def _filled(value: Any, marks: list[Any], objects: dict[str, Any]) -> Any:
    if type(value) is tuple:
        return tuple(_filled(part, marks, objects) for part in value)
    if not _has_placeholders(value):
        return value
    return marks[int(value[len(_MARK) :])] if value.startswith(_MARK) else objects[value[len(PREFIX) :]]
