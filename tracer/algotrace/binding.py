"""From code with placeholders to code that refers to our objects: marks, and what `hooks` has.

Placeholders are constants. Where they stand is found out once (`unbound`) and kept with the code, so that `bound`, which
runs at each start for all of a program's code, looks at them alone.
"""

from __future__ import annotations

import types
from array import array
from typing import Any, NamedTuple

from algotrace.syntax import PREFIX

_MARK = PREFIX + "mark:"


class Places(NamedTuple):
    """Where placeholders stand in a module's code, in few and simple objects: they are read at each start.

    `numbers` packs, for each code object before those in it: how many of its constants are marks, where these are and
    which; the same for other objects (by their places in `names`); how many are code with placeholders, and where;
    how many are tuples with placeholders, and where.
    """

    numbers: bytes
    names: tuple[str, ...]


def unbound(code: types.CodeType) -> tuple[types.CodeType, Places]:
    """The code without its placeholders, and where they stood."""
    numbers: array[int] = array("i")
    names: dict[str, int] = {}
    code = _unbound(code, numbers, names)
    return code, Places(numbers.tobytes(), tuple(names))


def _unbound(code: types.CodeType, numbers: array[int], names: dict[str, int]) -> types.CodeType:
    constants = list(code.co_consts)
    marks: list[tuple[int, int]] = []
    others: list[tuple[int, int]] = []
    nested: list[int] = []
    tuples: list[int] = []
    for index, value in enumerate(constants):
        if type(value) is str and value.startswith(PREFIX):
            constants[index] = None
            if value.startswith(_MARK):
                marks.append((index, int(value[len(_MARK) :])))
            else:
                others.append((index, names.setdefault(value[len(PREFIX) :], len(names))))
        elif type(value) is types.CodeType:
            nested.append(index)
        elif type(value) is tuple and _has_placeholders(value):
            tuples.append(index)
    for pairs in (marks, others):
        numbers.append(len(pairs))
        numbers.extend(index for index, _ in pairs)
        numbers.extend(number for _, number in pairs)
    for indices in (nested, tuples):
        numbers.append(len(indices))
        numbers.extend(indices)
    for index in nested:
        constants[index] = _unbound(constants[index], numbers, names)
    return code.replace(co_consts=tuple(constants))


def bound(
    code: types.CodeType, places: tuple[bytes, tuple[str, ...]], marks: list[Any], objects: dict[str, Any]
) -> types.CodeType:
    """Code that can be run, of what `unbound` gave."""
    numbers = array("i")
    numbers.frombytes(places[0])
    others = [objects[name] for name in places[1]]
    position = 0

    def indices() -> array[int]:
        nonlocal position
        first = position + 1
        position = first + numbers[position]
        return numbers[first:position]

    def fill(code: types.CodeType) -> types.CodeType:
        nonlocal position
        constants = list(code.co_consts)
        for table in (marks, others):
            at = indices()
            for index, number in zip(at, numbers[position : position + len(at)]):
                constants[index] = table[number]
            position += len(at)
        nested, tuples = indices(), indices()
        for index in nested:
            constants[index] = fill(constants[index])
        for index in tuples:
            constants[index] = _filled(constants[index], marks, objects)
        return code.replace(co_consts=tuple(constants))

    return fill(code)


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
