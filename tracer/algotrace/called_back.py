"""While a stranger is at work: who leaves the next event? One whom it has called back finds what there is then, and leaves what
there is then: what the stranger has changed is noted when the program goes on, what the program has, when that does.

Functions that start find a `Doorway` in the place of their stream, which sees them end as well; others are looked at event by
event. How much is looked at is bounded, by what the run has left in events; of the rest it is UNKNOWN what happened to it.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any
from collections.abc import Sequence

from algotrace import BUILTINS
from algotrace.giving import attributes_of
from algotrace.made_objects import Made
from algotrace.marks import (
    ABSENT, APPEND, DELEGATE, ENTER, LEAVE, MUTATE, OUTCOME, PASSED, RAISE, RESUME, RETURN, RETURN_NONE, UNKNOWN, YIELD, Mark,
)  # fmt: skip
from algotrace.program_frames import is_around, need_frames, program_frame
from algotrace.in_hand import note_one_in_hand
from algotrace.reached import SHAPES, events_left, is_as_noted, note_in_hand, reach
from algotrace.streams import UNITS, WATCH
from algotrace.work_under_way import HERE, Here, Work

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

# Parts of objects and containers that are looked at again: in the whole run at first, and for so many events one more.
_AT_FIRST, _EVENTS_FOR_ONE = 400_000, 20
_ONCE = 4  # what looking costs besides
_AFTER_CALLS = 1000  # parts that are looked at after a call in any case: as many have been noted before it
_MOST_ROOTS = 1000
FRAMES = 12  # so many of ours may be needed: where there are fewer left, the recursion ends here
_ENDS = frozenset({RETURN, RETURN_NONE, RAISE, LEAVE, YIELD, DELEGATE})
_STARTS = frozenset({ENTER, RESUME})
_BEFORE_CALLS, _MOST_BEFORE = frozenset({PASSED, MUTATE, APPEND}), 12
_frame = sys._getframe


class Looked:
    """How many parts the run has looked at again."""

    parts = 0


class Doorway:
    """What a function finds in the place of its stream that starts while a stranger is at work."""

    __slots__ = ("_arguments", "_here", "_is_outcome", "_left", "_outcome", "_work")

    def __init__(self, here: Here) -> None:
        self._here = here
        self._work: Work | None = None  # who has called the function
        self._left = 0  # values that its last event is still to be followed by
        self._outcome: Any = None  # what it will return, where a `finally:` comes before
        self._is_outcome = False  # what it leaves next is that
        self._arguments: list[Any] = []  # how many it has been called with, and these as far as that is known

    def append(self, event: Any) -> None:
        here = self._here
        if here.runs:
            self._work = called_back(here, (event,), self) or self._work
            if self._work is not None and type(event) is Mark and event.kind == ENTER and event.size:
                self._arguments = [event.size]
                here.put([event])
                return
        here.put([event])
        if self._work is not None:
            if self._arguments:
                self._arguments.append(event)
                if len(self._arguments) > self._arguments[0]:
                    _has_in_hand(here, self._work, self._arguments[1:])
                    self._arguments = []
            elif self._left:
                self._left -= 1
                if not self._left:
                    self._leave(event)
            elif self._is_outcome:
                self._outcome, self._is_outcome = event, False
            elif type(event) is not Mark:
                return
            elif event.kind == OUTCOME:
                self._is_outcome = True
            elif event.kind in _ENDS:
                self._left = event.size
                if not self._left:
                    self._leave(self._outcome if event.kind == LEAVE else None)

    def extend(self, events: Any) -> None:
        events = list(events)
        here = self._here
        if not events:
            return
        if here.runs:
            self._work = called_back(here, events, self) or self._work
        here.put(events)
        first = events[0]
        if self._work is None or type(first) is not Mark:
            return
        if first.kind == RAISE and len(events) > 1 and issubclass(type(events[1]), type):
            note_one_in_hand(events[1])
        if first.kind == OUTCOME:
            self._outcome, self._is_outcome = events[-1], len(events) == 1
        elif first.kind in _ENDS:
            self._left = max(first.size - len(events) + 1, 0)
            if not self._left:
                self._leave(self._outcome if first.kind == LEAVE else events[-1])

    def __iadd__(self, events: Any) -> Doorway:
        self.extend(events)
        return self

    def _leave(self, value: Any) -> None:
        """The function ends, or sleeps: the stranger goes on, with what it gives."""
        here, work = self._here, self._work
        self._work = self._outcome = None
        if work is None or work.runs or work not in here.works or here.is_looking:
            return
        while here.works[-1] is not work:
            here.works.pop().put_aside()
        goes_on(here, work, value)


def called_back(here: Here, events: Sequence[Any], doorway: Doorway | None) -> Work | None:
    """While a stranger runs the program leaves events: by whom it is called back, if that will be seen to end."""
    frame = program_frame(_frame(2))
    number = id(frame)
    work = here.works[-1] if here.works else None
    if work is not None and work.makes and events:
        given = _given_unseen(here, work, frame, events)
        if given is not ABSENT:
            here.is_looking = True
            try:
                goes_on(here, work, given)
                work.stays, work.last, here.called_back = False, events[-1], 0
            finally:
                here.is_looking = False
            return None
    starts = bool(events) and type(events[0]) is Mark and events[0].kind in _STARTS
    if number == here.called_back and not starts:  # else it is another one that has the place of the first
        return None
    here.is_looking = True
    try:
        return _settle(here, frame, events, doorway)
    finally:
        here.is_looking = False


def _settle(here: Here, frame: FrameType, events: Sequence[Any], doorway: Doorway | None) -> Work | None:
    """Who has left these events, or is about to?"""
    if not here.works:  # a collection in another thread holds them
        return None
    number = id(frame)
    work = here.works[-1]
    if number != work.caller and is_around(work.caller, frame):
        need_frames(FRAMES)
        caller = frame.f_back
        if caller is not None and id(caller) == work.caller and _has_gone_on(here, work, caller):
            return _end(here, work, (), frame, doorway)
        is_seen = doorway is not None and "@L" in frame.f_code.co_varnames
        here.tell(has_run(work))
        # Called from there, it may be the next call after the stranger's.
        look(here, work, () if id(frame.f_back) == work.caller else None)
        work.calls_back = True
        if events and type(events[0]) is Mark and events[0].kind == ENTER:  # with what it is called
            _has_in_hand(here, work, events[1:])
        if is_seen:
            work.runs = work.stays = False
            here.watch_no_more()
            return work
        else:
            work.stays = work.is_told = True
            here.called_back = number
        return None
    if number == work.caller and events and type(events[0]) is Mark and _is_of_call(events[0], work):
        return None
    return _end(here, work, events, frame, doorway)


def _end(
    here: Here, work: Work, events: Sequence[Any], frame: FrameType, doorway: Doorway | None
) -> Work | None:
    """A stranger has ended; and one within which it has made objects?"""
    if work.calls_back or not work.is_told or work.first is None:  # else its notes tell
        here.tell(has_run(work))
    look(here, work, events)
    here.end(work)
    goes_on_within = work.makes and bool(here.works) and here.works[-1].runs
    return _settle(here, frame, events, doorway) if goes_on_within else None


def has_run(work: Work) -> list[Any]:
    """What tells that a stranger has, who may have changed what it keeps in places of its own (see `kept_by_others`)."""
    return [UNITS.marks[work.mark.number + 2], work.first, UNKNOWN] if work.keeps else []


def _given_unseen(here: Here, work: Work, frame: FrameType, events: Sequence[Any]) -> Any:
    """What a routine returns that has no doorway, called back by what makes objects; ABSENT as long as it does not."""
    if type(events[0]) is not Mark or events[0].kind not in (RETURN, OUTCOME, LEAVE):
        return ABSENT
    if id(frame) == work.caller or "@L" in frame.f_code.co_varnames:
        return ABSENT
    if id(frame) != here.called_back and not is_around(work.caller, frame):
        return ABSENT
    if events[0].kind == OUTCOME:
        here.outcome = id(frame), events[-1]
        return ABSENT
    if events[0].kind == RETURN:
        return events[-1]
    (of, value), here.outcome = here.outcome, (0, None)
    return value if of == id(frame) else ABSENT


def _has_gone_on(here: Here, work: Work, caller: FrameType) -> bool:
    """Whether the caller has left an event that nobody saw: a method that was looked up before the call did. Where there are
    temporaries, nothing else comes between the note of what a stranger is handed and its call."""
    if work.stays or work.last is None or "@L" not in caller.f_code.co_varnames:
        return False
    newest = here.newest()
    return newest is not None and newest is not work.last


def _is_of_call(mark: Mark, work: Work) -> bool:
    """Whether an event of the caller does not tell that a stranger has ended: it is awaited, or not called yet. What is told
    of its arguments besides stands before in the file's table."""
    if mark.kind == DELEGATE:
        return True
    before = mark.kind in _BEFORE_CALLS and mark.routine == work.mark.routine
    return before and 0 < work.mark.number - mark.number <= _MOST_BEFORE


def goes_on(here: Here, work: Work, value: Any) -> None:
    """A stranger does, after it had called the program back."""
    _has_in_hand(here, work, (value,) if work.makes else (), calls=False)
    work.others = here.others()
    if work.makes:
        work.last, work.runs = here.newest(), True
        here.watch()
        return
    shape = SHAPES[type(value)]
    if shape is None:
        note_in_hand(value)
    if shape is not None and len(work.roots) < _MOST_ROOTS and not _is_among(value, work.roots):
        work.roots.append(value)
        if shape.attributes:  # another thread may go on with it
            here.tell([work.mark, value, attributes_of(value)])
    allowed = allowed_again()
    if work.notes is not _GIVEN_UP and allowed <= 0:
        _give_up(here, work)
    elif work.notes is not _GIVEN_UP:
        work.notes, spent = here.reach([*work.roots, *(obj for obj, _ in work.notes)], allowed)
        Looked.parts += spent
        here.tell(not_followed(work.mark, work.notes))
    work.last = here.newest()
    work.is_told = False
    work.runs = True
    here.watch()


def look(here: Here, work: Work, events_to_come: Sequence[Any] | None = None) -> None:
    """What a stranger has changed since it last began to run is noted; when it has ended, also what it gives."""
    ended = events_to_come is not None
    given = [] if events_to_come is None or work.makes else _given(here, work, events_to_come)
    by_others = (
        work.others != here.others()
    )  # what it has in hand may have been changed by the program in other threads
    if work.made is not None:  # where the program has run unseen, it may have been its doing
        here.tell(work.made.looked_at(unseen=work.stays or by_others))
    if work.notes is _GIVEN_UP:
        _give_up(here, work)
        return
    if work.stays:  # it went on unseen
        here.tell(not_followed(work.mark, work.notes))
    if work.makes:
        return
    after_call = ended and work.is_told
    if not after_call and is_exhausted():
        _give_up(here, work)
        return
    everything = ended and work.calls_back
    untold = work.untold if work.is_told else len(work.notes)
    changed_untold = [noted for noted in work.notes[:untold] if not is_as_noted(*noted)]
    changed = [*changed_untold, *(noted for noted in work.notes[untold:] if not is_as_noted(*noted))]
    Looked.parts += 0 if after_call else _ONCE + len(work.notes) // 4
    if not changed and not given and not everything:
        return
    events: list[Any] = []
    for obj, note in changed_untold:
        events += (work.mark, obj, UNKNOWN if by_others else note)
    before, now_otherwise = set(map(_key, work.notes)), set(map(_key, changed))
    told = set(map(_key, work.notes[untold:]))
    handed_back, in_hand = UNITS.marks[work.mark.number + 1 : work.mark.number + 3]
    # Also what it has put elsewhere.
    work.untold = 0
    work.notes, spent = reach(
        [*work.roots, *given, *(obj for obj, _ in work.notes)], max(allowed_again(), _AFTER_CALLS)
    )
    Looked.parts += spent
    for noted in work.notes:
        key = _key(noted)
        if noted[1] is not UNKNOWN and (everything or key in now_otherwise or key not in before):
            # Only what the trace has of before the stranger began to run can be said to be given back.
            is_back = key in now_otherwise or key in told
            events += (handed_back if is_back else in_hand, *noted)
    here.tell(events)


def _has_in_hand(here: Here, work: Work, objects: Sequence[Any], *, calls: bool = True) -> None:
    """A stranger calls the program back with some objects, or gets them from it."""
    new = {id(obj): obj for obj in objects if SHAPES[type(obj)] is not None}
    if len(new) < len(objects):
        for obj in objects:
            note_in_hand(obj)
    for obj, _ in work.notes if new else ():
        new.pop(id(obj), None)
    if not new and not work.made:
        return
    if work.made is None:
        work.made = Made(work.mark, UNITS.marks[work.mark.number + 1], keeps=work.keeps)
    here.tell(work.made.take(new) if calls else work.made.give(new))


def _key(noted: tuple[Any, Any]) -> tuple[int, bool]:
    """Which note of which object."""
    return id(noted[0]), type(noted[1]) is tuple


def _given(here: Here, work: Work, events: Sequence[Any]) -> list[Any]:
    """What a call gave: it is in the next events, or was the last one (a method that was looked up before the call)."""
    last = here.newest()
    some = events if last is work.last else (*events, last)
    return [
        each
        for each in some
        if type(each) is not Mark and SHAPES[type(each)] is not None and not _is_among(each, work.roots)
    ]


_GIVEN_UP: list[Any] = []


def _give_up(here: Here, work: Work) -> None:
    """What it has in hand is not followed any more. That is said again at each look: what it did before is not known then."""
    here.tell(not_followed(work.mark, [(root, UNKNOWN) for root in work.roots]))
    work.notes = _GIVEN_UP


def not_followed(mark: Any, notes: Sequence[tuple[Any, Any]]) -> list[Any]:
    """What says so, of some that are."""
    return [part for obj, note in notes if note is UNKNOWN for part in (mark, obj, note)]


def allowed_again() -> int:
    return _AT_FIRST + events_left() // _EVENTS_FOR_ONE - Looked.parts


def is_exhausted() -> bool:
    return Looked.parts > _AT_FIRST and allowed_again() <= 0


def _is_among(obj: Any, some: list[Any]) -> bool:
    return any(each is obj for each in some)


def _looked_at(events: Sequence[Any]) -> None:
    here = HERE.here
    if here.runs:
        called_back(here, events, None)


WATCH.looked_at = _looked_at  # type: ignore[method-assign]
WATCH.doorway = Doorway  # type: ignore[method-assign]
