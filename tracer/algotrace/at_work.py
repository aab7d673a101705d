"""Code that is not recorded at work on what it was handed: from its call on, until the program goes on, and whenever it
calls the program back.

What can be reached is noted before the call, which undoes any change. It is looked at again when control is back: of
what has become of it there is a note once more (`HANDED_BACK`), so that what changes later, unseen, is told from what
the call changed (see `history`). Code of the program that is called back finds what there is then, and leaves what there
is then: both are noted, too.

When control is back is seen without a question at each event: as long as a stranger is at work, the stream of its thread
is of a class that looks at who leaves the next event, and functions that start find a `Doorway` in its place, which sees
them end as well. Functions that have no stream of their own, and sleepers that wake without asking for theirs, are looked
at event by event. How much is looked at is bounded, by what the run has left in events; of the rest it is UNKNOWN what
happened to it while the program was called back. Finalizers and signal handlers may run in the middle of that: what they
do is recorded, and leaves alone who is at work.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections import deque
from types import FrameType
from typing import Any
from collections.abc import Sequence

from algotrace import BUILTINS
from algotrace.collecting import holders
from algotrace.giving import attributes_of
from algotrace.made_objects import Made
from algotrace.marks import (
    ABSENT, APPEND, DELEGATE, ENTER, LEAVE, MUTATE, OUTCOME, PASSED, RAISE, RESUME, RETURN, RETURN_NONE, UNKNOWN, YIELD, Mark,
)  # fmt: skip
from algotrace.reached import SHAPES, allowed_at, events_left, is_as_noted, reach, spend
from algotrace.strangers import is_strange_code
from algotrace.streams import ALONE, GATE, MAIN, RECORDED, STREAMS, UNITS, WATCH, WatchedEvents, all_streams

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

# Parts of objects and containers that are looked at again: in the whole run at first, and for so many events one more.
_AT_FIRST, _EVENTS_FOR_ONE = 400_000, 20
_ONCE = 4  # what looking costs besides
_AFTER_CALLS = 1000  # parts that are looked at after a call in any case: as many have been noted before it
_MOST_ROOTS, _FEW, _MOST_IN_USE = 1000, 8, 100
_MOST_VALUES = 300  # that belong to a mark and are left one by one
_FRAMES = 12  # so many of ours may be needed: where there are fewer left, the recursion ends here
_ENDS = frozenset({RETURN, RETURN_NONE, RAISE, LEAVE, YIELD, DELEGATE})
_STARTS = frozenset({ENTER, RESUME})
_BEFORE_CALLS, _MOST_BEFORE = frozenset({PASSED, MUTATE, APPEND}), 12
_OWN = "algotrace."
_frame = sys._getframe


class _Looked:
    """How many parts the run has looked at again."""

    parts = 0


class Work:
    """One stranger at work."""

    __slots__ = (
        "caller",
        "calls_back",
        "is_told",
        "keeps",
        "last",
        "made",
        "makes",
        "mark",
        "notes",
        "others",
        "roots",
        "runs",
        "stays",
    )

    def __init__(self, mark: Mark, caller: int, roots: list[Any], notes: list[tuple[Any, Any]]) -> None:
        self.mark = mark
        self.caller = caller  # id of the frame that called it
        self.roots = roots  # what it was handed
        self.notes = notes  # what that, and what is in there, was like when it last began to run
        self.is_told = True  # whether the trace has these
        self.last = notes[-1][1] if notes else None  # the event before it began to run
        self.others = 0  # how many events other threads had left then
        self.runs = True  # else the program that it has called back
        self.calls_back = False  # whether it ever has
        self.makes = False  # it can only change what the program gives it when it is called back
        self.keeps = True  # it may change later what it has in hand
        self.made: Made | None = None  # what it has in hand since it has called the program back
        self.stays = False  # watched on while it is called back: nobody would see the end of that

    def put_aside(self) -> Any:
        """Let go of what it was handed: those it has called back may hold the work itself for long (see `Doorway`)."""
        aside = self, self.roots, self.notes, self.last, self.made
        self.roots, self.notes, self.last = [], [], None
        self.made = None
        return aside

    def take_back(self, roots: list[Any], notes: list[tuple[Any, Any]], last: Any, made: Made | None) -> Work:
        self.roots, self.notes, self.last, self.made = roots, notes, last, made
        return self


class Here:
    """The strangers at work in one thread, the innermost last."""

    __slots__ = ("called_back", "ended", "in_use", "is_looking", "outcome", "own", "works")

    def __init__(self) -> None:
        self.works: list[Work] = []
        self.called_back = 0  # id of a frame that has been seen to be, and whose end nobody will see
        self.ended: deque[Work] = deque(maxlen=3)  # the last ones
        self.in_use: list[tuple[int, Any, Any]] = []  # by `with`: id of the frame, mark, manager
        self.is_looking = False  # one of us: what runs meanwhile has nothing to do with the works
        # The id of a frame whose end nobody will see, and what it will return then.
        self.outcome: tuple[int, Any] = 0, None
        self.own = STREAMS.own
        everywhere.append(self)
        holders.append(self)

    def put_aside(self) -> Any:
        """A full collection starts."""
        if self.is_looking:
            return [], []
        for work in self.ended:
            work.put_aside()
        aside = ([work.put_aside() for work in self.works], self.in_use[:])
        self.works.clear()
        self.in_use.clear()
        self.ended.clear()
        self.outcome = 0, None
        return aside

    def take_back(self, aside: Any) -> None:
        works, self.in_use[:0] = aside
        self.works[:0] = [work.take_back(*held) for work, *held in works]
        if self.own is STREAMS.own and self.runs:  # a finalizer may have ended the watch
            self.watch()

    @property
    def runs(self) -> bool:
        return bool(self.works) and self.works[-1].runs and not self.is_looking

    def called_now(self, mark: Any, caller: int) -> Work | None:
        """What is just being called, of whose arguments some are noted already."""
        last = self.works[-1] if self.works else None
        return (
            last if last is not None and last.runs and last.mark is mark and last.caller == caller else None
        )

    def begin(self, work: Work) -> None:
        for before in () if work.makes else tuple(self.ended):  # which a finalizer may change
            if before.mark is work.mark and before.caller == work.caller and len(before.roots) < _FEW:
                # Of one call that is handed several things, each of them is noted when it is known.
                work.roots = before.roots + work.roots
                work.notes = before.notes + work.notes
        work.others = self.others()
        self.works.append(work)
        self.watch()

    def others(self) -> int:
        """How many events other threads have left."""
        if len(all_streams) == 1:
            return 0
        return sum(stream.taken + len(stream) for stream in all_streams if stream.events is not self.own)

    def end(self, work: Work) -> None:
        """A stranger has, the innermost."""
        if work.made is not None:
            self.tell(work.made.over())
        work.runs = False
        if work in self.works:  # else a collection in another thread holds it, and will give it back
            self.works.remove(work)
            if not work.makes:
                if len(self.ended) == self.ended.maxlen:
                    self.ended.popleft().put_aside()
                self.ended.append(work)
        if self.works and self.works[-1].runs:  # another one, who is watched on or not called yet
            self.called_back = 0
        else:
            self.watch_no_more()

    def reach(self, objects: list[Any], allowed: int) -> tuple[list[tuple[Any, Any]], int]:
        self.is_looking = True
        try:
            return reach(objects, allowed)
        finally:
            self.is_looking = False

    def watch(self) -> None:
        """Who leaves the next event?"""
        self.called_back = 0
        STREAMS.events = Doorway(self)
        if self.own is MAIN.events:
            ALONE.events = None
        self.own.__class__ = WatchedEvents

    def watch_no_more(self) -> None:
        self.called_back = 0
        STREAMS.events = self.own
        if self.own is MAIN.events and not ALONE.over:
            ALONE.events = self.own
        GATE.turn_back(self.own)

    def newest(self) -> Any:
        """The last event, while it is in memory."""
        return self.own[-1] if self.own else None

    def put(self, events: list[Any]) -> None:
        GATE.wait()
        list.extend(self.own, events)

    def tell(self, notes: list[Any]) -> None:
        """Not between a mark that has been left and the values that belong to it: another stranger has ended at the mark."""
        if not notes:
            return
        GATE.wait()
        own = self.own
        for values, event in zip(range(_MOST_VALUES), reversed(own)):
            if type(event) is Mark:
                if event.size > values:
                    own[-values - 1 : -values - 1] = notes
                    return
                break
        list.extend(own, notes)


everywhere: list[Here] = []


class _Here(threading.local):
    here: Here

    def __init__(self) -> None:
        if STREAMS.own is not None and "here" not in vars(self):  # else see `_thread_starts`
            self.here = Here()


_HERE = _Here()


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


def note_reachable(mark: Any, obj: Any) -> Any:
    """Before code that is not recorded gets an object."""
    note_all_reached(mark, [obj])
    return obj


def note_before(mark: Any, objects: list[Any]) -> None:
    """The same where nobody looks when it is over: an operator, a store."""
    roots = [obj for obj in objects if SHAPES[type(obj)] is not None]
    allowed = allowed_at(mark)
    if allowed > 0:
        notes, spent = reach(roots, allowed)
        spend(mark, spent)
    else:
        notes = [(obj, UNKNOWN) for obj in roots]
    if notes:
        STREAMS.events.extend([part for obj, note in notes for part in (mark, obj, note)])


def note_all_reached(mark: Any, objects: list[Any], also: Sequence[tuple[Any, Any]] = ()) -> None:
    """Before a stranger gets some objects: what undoes any change of the containers and objects that can be reached from
    them; `also` some that have been noted already.

    Of what is too much it is said that it is UNKNOWN, which means: and so is what can be reached from there.
    """
    here, frame = _HERE.here, _program(_frame(1))
    if here.is_looking:
        note_before(mark, objects)
        return
    caller = id(frame)
    known = here.called_now(mark, caller)
    events = STREAMS.events if known is None else here.own  # in the first case what else has run is over
    allowed = allowed_at(mark)
    if allowed <= 0:
        told = [part for obj in objects if SHAPES[type(obj)] is not None for part in (mark, obj, UNKNOWN)]
        if told:
            events.extend(told)
        return
    roots = [obj for obj in objects if SHAPES[type(obj)] is not None]  # others must not live longer
    notes, spent = here.reach(objects, allowed)
    spend(mark, spent)
    if not notes and not also:
        expect_result(mark)
        return
    told = [part for obj, note in notes for part in (mark, obj, note)]
    if known is not None:
        here.put(told)
        known.roots += roots
        known.notes += [*also, *notes]
        known.last = known.notes[-1][1]
        return
    if told:
        events.extend(told)
    while here.works and not here.works[-1].runs and not _is_around(here.works[-1].caller, frame):
        here.works.pop().put_aside()  # it has ended without being seen to, after it had called the program back
    here.begin(Work(mark, caller, roots, [*also, *notes]))


def expect_result(mark: Any, *, makes: bool = False) -> None:
    """Before a stranger that is handed nothing which can be changed: it may keep what it gives, or fill what it is given
    when it `makes` objects."""
    here, caller = _HERE.here, id(_program(_frame(1)))
    if here.is_looking:
        return
    while here.runs and here.called_now(mark, caller) is None:
        called_back(here, (), None)  # what else has run is over
        if here.runs and here.works[-1].stays:
            break
    if here.called_now(mark, caller) is None and (makes or not _is_exhausted()):
        _begin(here, Work(mark, caller, [], []), makes=makes)


def expect_made(mark: Any, caller: FrameType, routine: FrameType, *, keeps: bool) -> None:
    """A routine starts that makes an object, which who has called it may fill later, or keep: code that is over when something
    comes that `caller` has not called. Others that are at work look at what the routine gives as well, where they see that."""
    here = _HERE.here
    if here.is_looking:
        return
    _need_frames(_FRAMES)
    while here.runs:
        work = here.works[-1]
        if _is_around(work.caller, routine):
            if work.makes or "@L" in routine.f_code.co_varnames:
                return
            break
        here.called_back = 0  # it has ended, whoever has its frame now
        called_back(here, (), None)
    _begin(here, Work(mark, id(caller), [], []), makes=True, keeps=keeps)


def _begin(here: Here, work: Work, *, makes: bool, keeps: bool = False) -> None:
    work.makes, work.keeps, work.last = makes, keeps or not makes, here.newest()
    here.begin(work)


def look_at(mark: Any, objects: list[Any]) -> None:
    """Before a stranger goes on: where nothing has been changed when it is looked at again, there is no note; but of what is
    not followed, as nobody can tell then."""
    here, frame = _HERE.here, _program(_frame(1))
    if here.is_looking:
        note_before(mark, objects)
        return
    if here.runs:
        called_back(here, (), None)  # it has ended
    roots = [obj for obj in objects if SHAPES[type(obj)] is not None]
    allowed = _allowed()
    if not roots:
        expect_result(mark)
        return
    if allowed <= 0:
        STREAMS.events.extend(_not_followed(mark, [(root, UNKNOWN) for root in roots]))
        return
    notes, spent = here.reach(roots[:], allowed)
    _Looked.parts += spent
    if notes:
        if told := _not_followed(mark, notes):
            STREAMS.events.extend(told)
        work = Work(mark, id(frame), roots, notes)
        work.is_told, work.last = False, here.newest()
        here.works.append(work)
        here.watch()


def _not_followed(mark: Any, notes: Sequence[tuple[Any, Any]]) -> list[Any]:
    """What says so, of some that are."""
    return [part for obj, note in notes if note is UNKNOWN for part in (mark, obj, note)]


def keep_in_use(mark: Any, manager: Any) -> None:
    """From now on until the program says `over`; it may go by without that."""
    managers = _HERE.here.in_use
    managers.append((id(_program(_frame(1))), mark, manager))
    del managers[:-_MOST_IN_USE]


def in_use(marks: tuple[Any, ...], *, over: bool = False) -> list[tuple[Any, Any]]:
    """The managers that the calling code of the program uses, by mark; of some marks."""
    here, caller = _HERE.here, id(_program(_frame(1)))
    found = [each[1:] for each in here.in_use if each[0] == caller and each[1] in marks]
    if over:
        here.in_use = [each for each in here.in_use if each[0] != caller or each[1] not in marks]
    return found


def called_back(here: Here, events: Sequence[Any], doorway: Doorway | None) -> Work | None:
    """While a stranger runs the program leaves events: by whom it is called back, if that will be seen to end."""
    frame = _program(_frame(2))
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
    if number != work.caller and _is_around(work.caller, frame):
        _need_frames(_FRAMES)
        caller = frame.f_back
        if caller is not None and id(caller) == work.caller and _has_gone_on(here, work, caller):
            return _end(here, work, (), frame, doorway)
        is_seen = doorway is not None and "@L" in frame.f_code.co_varnames
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
    look(here, work, events)
    here.end(work)
    goes_on_within = work.makes and bool(here.works) and here.works[-1].runs
    return _settle(here, frame, events, doorway) if goes_on_within else None


def _given_unseen(here: Here, work: Work, frame: FrameType, events: Sequence[Any]) -> Any:
    """What a routine returns that has no doorway, called back by what makes objects; ABSENT as long as it does not."""
    if type(events[0]) is not Mark or events[0].kind not in (RETURN, OUTCOME, LEAVE):
        return ABSENT
    if id(frame) == work.caller or "@L" in frame.f_code.co_varnames:
        return ABSENT
    if id(frame) != here.called_back and not _is_around(work.caller, frame):
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
    if shape is not None and len(work.roots) < _MOST_ROOTS and not _is_among(value, work.roots):
        work.roots.append(value)
        if shape.attributes:  # another thread may go on with it
            here.tell([work.mark, value, attributes_of(value)])
    allowed = _allowed()
    if work.notes is not _GIVEN_UP and allowed <= 0:
        _give_up(here, work)
    elif work.notes is not _GIVEN_UP:
        work.notes, spent = here.reach([*work.roots, *(obj for obj, _ in work.notes)], allowed)
        _Looked.parts += spent
        here.tell(_not_followed(work.mark, work.notes))
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
        here.tell(_not_followed(work.mark, work.notes))
    if work.makes:
        return
    after_call = ended and work.is_told
    if not after_call and _is_exhausted():
        _give_up(here, work)
        return
    everything = ended and work.calls_back
    changed = [noted for noted in work.notes if not is_as_noted(*noted)]
    _Looked.parts += 0 if after_call else _ONCE + len(work.notes) // 4
    if not changed and not given and not everything:
        return
    events: list[Any] = []
    if not work.is_told:
        for obj, note in changed:
            events += (work.mark, obj, UNKNOWN if by_others else note)
    before, now_otherwise = set(map(_key, work.notes)), set(map(_key, changed))
    handed_back, in_hand = UNITS.marks[work.mark.number + 1 : work.mark.number + 3]
    # Also what it has put elsewhere.
    work.notes, spent = reach(
        [*work.roots, *given, *(obj for obj, _ in work.notes)], max(_allowed(), _AFTER_CALLS)
    )
    _Looked.parts += spent
    for noted in work.notes:
        key = _key(noted)
        if noted[1] is not UNKNOWN and (everything or key in now_otherwise or key not in before):
            # Only what the trace has of before the stranger began to run can be said to be given back.
            is_back = key in now_otherwise or (work.is_told and key in before)
            events += (handed_back if is_back else in_hand, *noted)
    here.tell(events)


def _has_in_hand(here: Here, work: Work, objects: Sequence[Any], *, calls: bool = True) -> None:
    """A stranger calls the program back with some objects, or gets them from it."""
    new = {id(obj): obj for obj in objects if SHAPES[type(obj)] is not None}
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
    here.tell(_not_followed(work.mark, [(root, UNKNOWN) for root in work.roots]))
    work.notes = _GIVEN_UP


def look_everywhere() -> None:
    """The program has ended, in whatever way: strangers may be at work."""
    for here in everywhere:
        if here.runs:
            look(here, here.works[-1])


def _allowed() -> int:
    return _AT_FIRST + events_left() // _EVENTS_FOR_ONE - _Looked.parts


def _is_exhausted() -> bool:
    return _Looked.parts > _AT_FIRST and _allowed() <= 0


def _is_among(obj: Any, some: list[Any]) -> bool:
    return any(each is obj for each in some)


def _program(frame: FrameType) -> FrameType:
    """The frame that is not one of ours."""
    while frame.f_back is not None:
        name = dict.get(frame.f_globals, "__name__")
        if type(name) is not str or not name.startswith(_OWN):
            break
        frame = frame.f_back
    return frame


def _is_around(number: int, frame: FrameType) -> bool:
    """Whether a frame has been called from one of that id."""
    around = frame.f_back
    while around is not None:
        if id(around) == number:
            return True
        around = around.f_back
    return False


def _need_frames(count: int) -> None:
    if count:
        _need_frames(count - 1)


def _looked_at(events: Sequence[Any]) -> None:
    here = _HERE.here
    if here.runs:
        called_back(here, events, None)


def _thread_starts() -> None:
    """The program is called by a stranger in a thread of his, to the end of which he is at work."""
    frame, bottom, is_strange = _program(_frame(1)).f_back, None, False
    while frame is not None:
        if id(frame.f_code) in RECORDED:
            return
        is_strange = is_strange or is_strange_code(frame)
        frame, bottom = frame.f_back, frame
    if bottom is not None and is_strange and UNITS.units:
        mark = UNITS.marks[UNITS.units[0].mark_base]
        if "here" not in vars(_HERE):  # it is about to be made, and has asked for the stream
            _HERE.here = Here()
        here = _HERE.here
        _begin(here, Work(mark, id(bottom), [], []), makes=False)
        STREAMS.ending.over = functools.partial(_thread_ends, here)


def _thread_ends(here: Here) -> None:
    if here.runs:
        look(here, here.works[-1], ())
    for work in here.works:
        work.put_aside()
    here.works.clear()


WATCH.looked_at = _looked_at  # type: ignore[method-assign]
WATCH.thread_starts = _thread_starts  # type: ignore[method-assign]
