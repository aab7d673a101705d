"""The vocabulary of the event stream: the marks the instrumented code appends, and the static places they stand for.

A stream is a flat list. A *mark* is an object of our own type, one per place in the source; the values that
belong to it follow it, as many as its kind says. No user value is ever a `Mark`, so a stream can be read again
from any mark on, however it was cut short. A value that follows no mark fills the next *slot* of the block that is
running: what a name was bound to, what a call gave. This module only names things; `instrument` makes them.
"""

from __future__ import annotations

from collections import deque
from itertools import repeat
from typing import Any, Final, NamedTuple
from collections.abc import Callable

# Kinds of marks, with the values that follow.
ENTER: Final = 0  # [token]  argument…                            a routine starts
RETURN: Final = 1  # value                                        … returns a value
RETURN_NONE: Final = 2  # (nothing)                                … returns None
RAISE: Final = 3  # [token]  type, args, instruction offset        … is left by an exception
BLOCK: Final = 4  # (nothing)                                     a branch arm, loop iteration, body… starts
HANDLER: Final = 5  # [token]  type, args, instruction offset      an except clause caught something
BLOCK_END: Final = 6  # (nothing)                                  the body of a `with` ran to its end
OUTCOME: Final = (
    7  # value                                       a return inside try/finally or with: LEAVE follows
)
OUTCOME_NONE: Final = 8  # (nothing)
LEAVE: Final = 9  # (nothing)                                      the routine of an OUTCOME is left at last
YIELD: Final = 10  # value                                        a generator hands out a value and sleeps
RESUME: Final = 11  # token, value sent                             … and wakes
DELEGATE: Final = 12  # token, awaited object                      `await x`, `yield from x`: may sleep unseen
ATTRIBUTE: Final = 13  # object, old value                          about to store or delete an attribute
ATTRIBUTE_NEW: Final = (
    14  # object                                 the same in `__init__`, where there was none
)
ITEM: Final = 15  # container, key, old value                       about to store an item
ITEM_DELETED: Final = 16  # container, key, old value                about to delete an item
CONTENT: Final = 17  # container, copy                              about to change all of a container
MUTATE: Final = 18  # container, undo information                   about to call a mutating method
APPEND: Final = 19  # container                                     … `append`, undone by dropping the last
NAMED: Final = 21  # object, attribute name, old value                `setattr` and the like
NAME: Final = 20  # old value, new value                            about to rebind a global or nonlocal name
PASSED: Final = (
    23  # container, copy                            about to give a container to code that may be unrecorded
)
PRINTED: Final = (
    24  # arguments                                  about to print; the label holds separator and end
)
DONE: Final = (
    25  # (nothing)                                      a write is over that may have run code of the program
)
SET: Final = 22  # value                                            a name of a module was bound in its body

# What the label of a PASSED ends with that tells of what can be reached, see `reached`: somebody may change it now, or
# at any time later; or had it in hand until now, or has it since then, see `at_work`: these are no writes. They have the
# numbers after the other's. "Has in hand" what is UNKNOWN: has run (see `kept_by_others`).
MADE_AGAIN: Final = "__init__"  # … of a NAMED ends with, of an object that is about to be made again
UPDATED: Final = "update"  # … or of a NAMED, of names of a namespace
METHOD_GIVEN: Final = "."  # … or starts with, before the name of a method that somebody has got from here on
METHOD_NAMED: Final = ":"  # … or that a variable has from here on
HANDED: Final = "handed"
HANDED_ON: Final = "handed\t"
HANDED_BACK: Final = "handed back"
IN_HAND: Final = "in hand"
IN_TURN: Final = "in-turn"  # what an iterator gives to a function that changes it: noted when it is there
NEVER: Final = 1 << 62  # the time of what does not come

ENTERING: Final = "entering"  # the label of a DELEGATE: the manager of an `async with` is awaited

# What a write concerns: a slot of the object (an attribute, a key), the end of a list, or all of it.
WHOLE: Final = 0
APPENDED: Final = 1
WRITES: Final = frozenset(
    {ATTRIBUTE, ATTRIBUTE_NEW, ITEM, ITEM_DELETED, CONTENT, MUTATE, APPEND, NAME, NAMED, PASSED, PRINTED, SET}
)
VALUES_AFTER: Final = {
    RETURN: 1, RETURN_NONE: 0, RAISE: 3, BLOCK: 0, HANDLER: 3, BLOCK_END: 0, OUTCOME: 1, OUTCOME_NONE: 0, LEAVE: 0,
    YIELD: 1, RESUME: 2, DELEGATE: 2, ATTRIBUTE: 2, ATTRIBUTE_NEW: 1, ITEM: 3, ITEM_DELETED: 3, CONTENT: 2,
    MUTATE: 2, APPEND: 1, NAME: 2, NAMED: 3, PASSED: 2, PRINTED: 1, SET: 1, DONE: 0,
}  # fmt: skip


class Sentinel:
    """A value of ours in the stream: tells "nothing was there" from "it could not be read"."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.name}>"


ABSENT: Final = Sentinel("absent")
UNKNOWN: Final = Sentinel("unknown")


class Mark:
    """One place in the source, as it stands in the event stream (identity is all that matters while recording).

    A program has many, and few of them ever happen: what is known of one is looked up when somebody asks (`details`).
    """

    __slots__ = ("block", "kind", "number", "routine", "size", "tokened")

    number: int  # position in the trace's table of marks
    kind: int
    size: int  # how many values follow
    routine: int
    block: int
    tokened: bool  # the first value names the activation (generators and coroutines)

    def __getattr__(self, name: str) -> Any:
        if name not in Mark.__slots__ or name == "number":
            raise AttributeError(name)
        self.kind, self.size, self.routine, self.block, self.tokened = _Details.of(self.number)
        return getattr(self, name)

    def __repr__(self) -> str:
        return f"<mark {self.number}>"


class _Details:
    """Who knows more of marks: kind, size, routine, block and whether tokened, by number."""

    @staticmethod
    def of(number: int) -> tuple[int, int, int, int, bool]:
        raise LookupError(number)


def ask_for_details(of: Callable[[int], tuple[int, int, int, int, bool]]) -> None:
    _Details.of = of  # type: ignore[method-assign, assignment]


_new, _number_of = object.__new__, Mark.__dict__["number"].__set__


def new_marks(first: int, count: int) -> list[Mark]:
    """So many marks, numbered from `first` on."""
    marks = list(map(_new, repeat(Mark, count)))
    deque(map(_number_of, marks, range(first, first + count)), 0)
    return marks


class Range(NamedTuple):
    """A piece of source: lines from 1, columns from 0 in characters, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class MarkPlace(NamedTuple):
    """What is known of a mark before the program runs."""

    kind: int
    size: int
    routine: int  # index in `Unit.routines`
    block: int  # index in `Unit.blocks`
    tokened: bool
    at: Range | None  # where it happens (returns, writes)
    label: str  # for writes: the text of what is written, `self.total`; the attribute, method or name after a tab


class Slot(NamedTuple):
    """A place in a block that leaves a value without a mark."""

    role: str  # "store": a name was bound; "call": what a call gave; "read": a variable of an enclosing function
    name: str  # "" for calls
    at: Range  # of the name, or the call


class Block(NamedTuple):
    """A straight piece of a routine that is entered at its start: suite, branch arm, loop body, operand."""

    routine: int
    parent: int  # block it is nested in, -1 for a routine's own
    kind: str  # "routine", "arm", "loop", "test", "try", "with", "handler", "finally", "class"
    spans: tuple[Range, ...]  # its own code, nested blocks taken out; one physical line each
    terminator: str  # "", "break" or "continue": how it ends when it runs to its end
    end: tuple[int, int]  # position of the terminator
    loop: int  # for break/continue: the loop body block that is left
    of: Range | None  # the statement or operand it is a part of: all of a `for`, an `if`, a `def`
    slots: tuple[Slot, ...]  # in the order in which their values come


class Routine(NamedTuple):
    """A function-like piece of source, or the module itself."""

    name: str
    qualname: str
    kind: str  # "module", "function", "generator", "coroutine", "asyncgen", "lambda"
    line: int  # of `def`
    column: int
    end_line: int
    body_line: int
    first_line: int  # co_firstlineno: the first decorator's line
    parameters: tuple[str, ...]
    block: int  # its own block
    parent: int  # enclosing routine
    computes: bool = False  # of a module: it does more than import and define


class Unit(NamedTuple):
    """All that instrumentation found in one source file; rows may be plain tuples, see `plain_tables`."""

    path: str
    routines: list[Routine]
    blocks: list[Block]
    marks: list[MarkPlace]


def plain_tables(unit: Unit) -> tuple[list[Any], list[Any], list[Any]]:
    """Routines, blocks and marks as plain tuples, for `marshal` and JSON; `Routine(*row)` and so on take them back."""

    blocks = [
        (
            *block[:3],
            tuple(map(tuple, block.spans)),
            *block[4:7],
            _plain(block.of),
            tuple(map(_plain_slot, block.slots)),
        )
        for block in unit.blocks
    ]
    marks = [(*mark[:5], _plain(mark.at), mark.label) for mark in unit.marks]
    return list(map(tuple, unit.routines)), blocks, marks


def _plain(at: Range | None) -> tuple[int, ...] | None:
    return None if at is None else tuple(at)


def _plain_slot(slot: Slot) -> tuple[Any, ...]:
    return (slot.role, slot.name, tuple(slot.at))
