"""What placeholders in instrumented code stand for.

In functions every hook is a C function (no frame, nothing for a debugger to step into). Where code can have no
temporaries (modules, classes, comprehensions, functions that call `locals()`), the small Python functions here log
a write and hand their argument on.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

from algotrace.marks import ABSENT, Mark, UNKNOWN
from algotrace.streams import STREAMS, new_token
from algotrace.undo import (
    CONTAINER_KINDS, MAPPING, MUTABLE, NOT_A_CONTAINER, READ_ERRORS, SIMPLE, AttributeReaders, MethodReaders,
    copy_content, read_mapping,
)  # fmt: skip


class _Held(threading.local):
    """Containers between the evaluation of `c` and of `k` in `c[k] = v`."""

    containers: list[Any]

    def __init__(self) -> None:
        self.containers = []


_held = _Held()


def note_value(mark: Mark, value: Any) -> Any:
    STREAMS.events.extend((mark, value))
    return value


def note_attribute(mark: Mark, readers: AttributeReaders, owner: Any) -> Any:
    STREAMS.events.extend((mark, owner, readers[type(owner)](owner, readers.name, ABSENT)))
    return owner


def hold(container: Any) -> Any:
    _held.containers.append(container)
    return container


def note_item(mark: Mark, key: Any) -> Any:
    container = _held.containers.pop()
    kind = CONTAINER_KINDS[type(container)]
    if kind != NOT_A_CONTAINER:
        try:
            old = read_mapping(container, key) if kind == MAPPING else container[key]
        except READ_ERRORS:
            old = ABSENT
        STREAMS.events.extend((mark, container, key, old))
    return key


def note_content(mark: Mark, container: Any) -> Any:
    STREAMS.events.extend((mark, container, copy_content(container)))
    return container


def note_mutation(mark: Mark, readers: MethodReaders | None, receiver: Any, *arguments: Any) -> Any:
    if readers is None:  # append: nothing to read
        STREAMS.events.extend((mark, receiver))
    else:
        reader = readers[type(receiver)]
        if reader is not None:
            STREAMS.events.extend((mark, receiver, reader(receiver, *arguments)))
    return receiver


class _Copying(MethodReaders):
    """Used where the arguments are not known yet: a copy of all of the container."""

    def __missing__(self, cls: type) -> Any:
        reader = self[cls] = copy_content if issubclass(cls, tuple(MUTABLE)) else None
        return reader


def note_in_place(mark: Mark, readers: MethodReaders, old: Any, operand: Any) -> Any:
    if type(old) in MUTABLE:
        reader = readers[type(old)]
        STREAMS.events.extend((mark, old, reader(old, operand) if reader else UNKNOWN))
    return operand


OBJECTS: dict[str, Any] = {
    "streams": STREAMS,
    "new_token": new_token,
    "exc_info": sys.exc_info,
    "exception_arguments": BaseException.__dict__["args"].__get__,
    "base_exception": BaseException,
    "recursion_error": RecursionError,
    "name_error": NameError,
    "read_errors": READ_ERRORS,
    "type": type,
    "dict_get": dict.get,
    "absent": ABSENT,
    "simple": SIMPLE,
    "mutable": MUTABLE,
    "container_kinds": CONTAINER_KINDS,
    "read_mapping": read_mapping,
    "copying": _Copying("copy"),
    "note_value": note_value,
    "note_attribute": note_attribute,
    "note_item": note_item,
    "note_content": note_content,
    "note_mutation": note_mutation,
    "note_in_place": note_in_place,
    "hold": hold,
}


class Objects(dict[str, Any]):
    """`OBJECTS`, the marks of one unit, and a table made on first use for each attribute and method name."""

    def __init__(self, marks: list[Mark]) -> None:
        super().__init__(OBJECTS)
        self.update((f"mark:{index}", mark) for index, mark in enumerate(marks))

    def __missing__(self, key: str) -> Any:
        family, _, name = key.partition(":")
        made = OBJECTS[key] = AttributeReaders(name) if family == "attribute" else MethodReaders(name)
        self[key] = made
        return made
