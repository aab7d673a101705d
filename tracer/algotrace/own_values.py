"""What the names of one activation were bound to, and what its calls gave, when.

Values without a mark fill the slots of the block that is running, in order. Which block that is follows from the
marks: a block whose slots are filled gives way to the one around it, a `break` or `continue` leaves the loop's body,
an exception everything up to the handler's own surroundings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from collections.abc import Iterator

from algotrace import executed
from algotrace.marks import BLOCK, BLOCK_END, ENTER, HANDLER, LEAVE, RAISE, RETURN, RETURN_NONE

if TYPE_CHECKING:
    from algotrace.trace import Mark, Trace


class OwnValue(NamedTuple):
    """One slot filled."""

    time: int
    block: int
    instance: int  # running number of the block's entry, in this activation
    slot: int  # which of the block's slots
    role: str
    name: str
    number: int  # the object


class _Running:
    """A block that has been entered and not left."""

    __slots__ = ("base", "block", "instance", "left", "next")

    def __init__(self, block: int, instance: int, base: bool) -> None:
        self.block = block
        self.instance = instance
        self.base = base  # the own block of a routine
        self.next = 0
        self.left = False  # by `break` or `continue`: only what is nested in a `finally` still runs


def own_values(trace: Trace, node: int) -> Iterator[OwnValue]:
    """In order of time, those of lambdas that the activation ran included."""
    reader = SlotReader(trace)
    for time, mark, number in executed.own_events(trace, node):
        if mark is not None:
            reader.take_mark(mark)
        elif (value := reader.take_value(time, number)) is not None:
            yield value


Stack = tuple[tuple[int, int, bool, int, bool], ...]


class SlotReader:
    """Reads an activation's own events, from its start or from an entry of a block on, which is where it stands then.

    Of the blocks around that one nothing need be known as long as it has not ended; `stack` tells of them.
    """

    def __init__(self, trace: Trace, stack: Stack = ()) -> None:
        self._trace = trace
        self._blocks = trace.blocks
        self._instances = max((instance for _, instance, *_ in stack), default=-1) + 1
        self._stack: list[_Running] = []
        for block, instance, base, following, left in stack:
            running = _Running(block, instance, base)
            running.next, running.left = following, left
            self._stack.append(running)

    @property
    def stack(self) -> Stack:
        """The blocks that have been entered and not left, for another reader."""
        return tuple((r.block, r.instance, r.base, r.next, r.left) for r in self._stack)

    def holds(self, instance: int) -> bool:
        """Has an entry of a block not been left?"""
        return any(running.instance == instance for running in self._stack)

    def take_value(self, time: int, number: int) -> OwnValue | None:
        """A value without a mark; None where it fills no slot."""
        stack, blocks = self._stack, self._blocks
        while stack and (stack[-1].left or stack[-1].next >= len(blocks[stack[-1].block].slots)):
            if stack[-1].base:
                break  # a value nobody waits for: the sequence was cut
            _ended(self._trace, stack)
        if not stack:
            return None
        top = stack[-1]
        slots = blocks[top.block].slots
        if top.next >= len(slots):
            return None
        role, name, _ = slots[top.next]
        top.next += 1
        return OwnValue(time, top.block, top.instance, top.next - 1, role, name, number)

    def take_mark(self, mark: Mark) -> None:
        stack, kind = self._stack, mark.kind
        if kind == ENTER:
            self._enter(mark.block, True)
        elif kind == BLOCK or kind == HANDLER:
            keep = _position(stack, self._blocks[mark.block].parent)
            if keep is not None:
                while len(stack) > keep + 1:
                    _ended(self._trace, stack)
                if kind == HANDLER:
                    _none_left(stack)
            self._enter(mark.block, False)
        elif kind == BLOCK_END and mark.label == "after":
            keep = _position(stack, mark.block)
            if keep is not None:
                del stack[keep + 1 :]
                _none_left(stack)
        elif kind in (RETURN, RETURN_NONE, LEAVE) or (kind == RAISE and mark.label != "guarded"):
            while stack and not stack.pop().base:
                pass

    def _enter(self, block: int, base: bool) -> None:
        self._stack.append(_Running(block, self._instances, base))
        self._instances += 1


def _none_left(stack: list[_Running]) -> None:
    """An exception was caught here: what a `finally` on its way out made us believe is void."""
    for running in stack:
        running.left = False


def _position(stack: list[_Running], block: int) -> int | None:
    for position in range(len(stack) - 1, -1, -1):
        if stack[position].block == block:
            return position
        if stack[position].base:
            break
    return None


def _ended(trace: Trace, stack: list[_Running]) -> None:
    """The innermost block ran to its end, and with its `break` or `continue` so did what is around it."""
    number = stack.pop().block
    block = trace.blocks[number]
    if not block.terminator or block.loop == number:
        return
    for running in reversed(stack):
        if running.base:
            break
        running.left = True
        if running.block == block.loop:
            break
