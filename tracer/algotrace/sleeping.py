"""Who sleeps and who is awake again, where no temporaries can tell: in functions that see their own locals, which have no
variable for the token that names their activation, and in comprehensions; what is handed on by `yield from`.

The token is kept by frame instead. What is left in events is what other code leaves by itself, see `instrument_sleeping`.
Not here: what the events mean, see `index`.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import operator
import types
from gc import get_referents
from sys import _getframe
from types import CodeType, FrameType
from typing import Any, NamedTuple
from collections.abc import Callable

from algotrace import BUILTINS
from algotrace.class_tables import Table
from algotrace.marks import Mark
from algotrace.streams import STREAMS, new_token
from algotrace.undo import AWAITING

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_MOST_FRAMES = 100  # between a comprehension and who goes through it


_CONTAINERS: list[Any] = [
    [],
    (),
    {},
    set(),
    frozenset(),
    "",
    "é",
    b"",
    bytearray(),
    range(0),
    {}.keys(),
    {}.values(),
    {}.items(),
]
_HELD_ITEMS = frozenset(
    {
        *(id(type(each)) for each in _CONTAINERS),
        *(id(type(iter(each))) for each in (*_CONTAINERS, range(1 << 70), collections.deque())),
        *map(id, (collections.deque, collections.OrderedDict, collections.Counter)),
    }
)
# Of what `yield from` notes the items, by id of the class: these, and those that may run code to get at an item.
HANDED_ON = _HELD_ITEMS.union(
    map(id, (map, filter, zip, enumerate, reversed)),
    (id(each) for each in vars(itertools).values() if isinstance(each, type)),
)


def each_noted(iterable: Any, handed: Mark, woken: Mark, token: int) -> Any:
    """An iterable of which each item is noted when it is handed on by `yield from`.

    A `map`, so that nothing of ours has a frame while the program's code runs.
    """
    asleep = False

    def note(item: Any) -> Any:
        nonlocal asleep
        STREAMS.events.extend((woken, token, None, handed, item) if asleep else (handed, item))
        asleep = True
        return item

    if id(type(iterable)) in _HELD_ITEMS:
        return map(note, iterable)
    return map(note_item, itertools.repeat(handed), each_woken(iterable, woken, token))


def note_item(mark: Mark, item: Any) -> Any:
    STREAMS.events.extend((mark, item))
    return item


def each_woken(iterable: Any, woken: Mark, token: int) -> Any:
    """An iterable before each item of which an activation is said to be awake. It is iterated as ever."""

    def wake() -> None:
        STREAMS.events.extend((woken, token, None))

    return map(operator.itemgetter(1), zip(iter(wake, wake), iterable))


class _Awaited(Table):
    """class of an awaitable → how to get what tells whose run it is: its code object, or for others the class."""

    def __missing__(self, cls: type) -> Callable[[Any], Any]:
        told = self[cls] = _of_step if _is_step(cls) else type
        return told


def _is_step(cls: type) -> bool:
    """`generator.asend(…)` and the like: builtin classes, in no module."""
    return not _flags(cls) & _HEAP_TYPE and _name(cls) in AWAITING


_flags, _name = type.__dict__["__flags__"].__get__, type.__dict__["__name__"].__get__
_HEAP_TYPE = 1 << 9


def _of_step(step: Any) -> Any:
    """That of the generator or coroutine that it goes on with."""
    todo = [step]
    for _ in range(_MOST_NESTED):
        if not todo:
            break
        for each in get_referents(todo.pop()):
            if type(each) in (types.AsyncGeneratorType, types.CoroutineType, types.GeneratorType):
                return AWAITED[type(each)](each)
            if _is_step(type(each)):
                todo.append(each)
    return type(step)


def _of_manager(manager: Any) -> Any:
    """Who enters it runs its generator."""
    made = manager.__dict__.get("gen")
    return made.ag_code if type(made) is types.AsyncGeneratorType else type(manager)


def _of_async_generator(made: Any) -> Any:
    """Its code; of a generator expression that of what it goes through."""
    code = made.ag_code
    for _ in range(_MOST_NESTED):
        if code.co_name != "<genexpr>" or type(made) is not types.AsyncGeneratorType or made.ag_frame is None:
            break
        made = made.ag_frame.f_locals.get(".0")
        code = made.ag_code if type(made) is types.AsyncGeneratorType else code
    return code


_MOST_NESTED = 20
AWAITED = _Awaited(
    {
        contextlib._AsyncGeneratorContextManager: _of_manager,
        types.GeneratorType: operator.attrgetter("gi_code"),
        types.CoroutineType: operator.attrgetter("cr_code"),
        types.AsyncGeneratorType: _of_async_generator,
    }
)


class _Sleeper(NamedTuple):
    """An activation that may sleep. Another frame may be at its address later: of other code, or it says so."""

    code: CodeType
    token: int


_sleepers: dict[int, _Sleeper] = {}  # by id of the frame
_waits: dict[tuple[int, int], Any] = {}  # (token, number of a mark) → what `async for` there waits for


def begin_to_sleep() -> None:
    """Gives the activation that calls this a token."""
    frame = _getframe(1)
    _sleepers[id(frame)] = _Sleeper(frame.f_code, new_token())


def token_around() -> int:
    """That of the activation whose code calls this, or a comprehension of its; 0 where there is none."""
    frame: FrameType | None = _getframe(1)
    for _ in range(_MOST_FRAMES):
        if frame is None:
            break
        sleeper = _sleepers.get(id(frame))
        if sleeper is not None and sleeper.code is frame.f_code:
            return sleeper.token
        frame = frame.f_back
    return 0


def note_delegating(mark: Mark, token: int, awaited: Any) -> Any:
    """Before `await awaited`, and before an `async with` enters it."""
    STREAMS.events.extend((mark, token, AWAITED[type(awaited)](awaited)))
    return awaited


def note_delegating_each(mark: Mark, handed: Mark, woken: Mark, token: int, iterable: Any) -> Any:
    """Before `yield from iterable`: items of containers and the like are noted on their way."""
    note_delegating(mark, token, iterable)
    return each_noted(iterable, handed, woken, token) if id(type(iterable)) in HANDED_ON else iterable


def note_awake(mark: Mark, token: int) -> None:
    STREAMS.events.extend((mark, token, None))


def note_value_of(mark: Mark, token: int, value: Any) -> Any:
    """After `await` or `yield`, which gave a value; before a value is returned."""
    STREAMS.events.extend((mark, token, value))
    return value


def note_awake_after(mark: Mark, token: int, value: Any) -> Any:
    """After a comprehension that may have slept."""
    STREAMS.events.extend((mark, token, None))
    return value


def note_waiting_for(mark: Mark, token: int, iterable: Any) -> Any:
    """Before `async for` goes through it."""
    awaited = _waits[token, mark.number] = AWAITED[type(iterable)](iterable)
    STREAMS.events.extend((mark, token, awaited))
    return iterable


def note_waiting_again(mark: Mark, token: int, value: Any) -> Any:
    """After an iteration, of which the last value is passed on."""
    STREAMS.events.extend((mark, token, _waits.get((token, mark.number))))
    return value


SLEEPING_HOOKS: dict[str, Any] = {
    "handed_on": HANDED_ON,
    "awaited": AWAITED,
    **{
        hook.__name__: hook
        for hook in (
            each_noted, each_woken, begin_to_sleep, token_around, note_delegating, note_delegating_each,
            note_awake, note_value_of, note_awake_after, note_waiting_for, note_waiting_again,
        )
    },
}  # fmt: skip
