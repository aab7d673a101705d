"""Code that is not recorded at work on what it was handed: from its call on, until the program goes on, and whenever it
calls the program back.

What can be reached is noted before the call, which undoes any change. It is looked at again when control is back: of
what has become of it there is a note once more (`HANDED_BACK`), so that what changes later, unseen, is told from what
the call changed (see `history`). Code of the program that is called back finds what there is then, and leaves what there
is then: both are noted, too, see `called_back`. What strangers do in threads of theirs is seen whenever they call the program.

When control is back is seen without a question at each event: as long as a stranger is at work, the stream of its thread
is of a class that looks at who leaves the next event. Finalizers and signal handlers may run in the middle of that: what
they do is recorded, and leaves alone who is at work.
"""

from __future__ import annotations

import functools
import sys
from types import FrameType
from typing import Any
from collections.abc import Sequence

from algotrace import BUILTINS
from algotrace.called_back import (
    FRAMES,
    Looked,
    allowed_again,
    called_back,
    has_run,
    is_exhausted,
    look,
    not_followed,
)
from algotrace.marks import UNKNOWN
from algotrace.program_frames import is_around, need_frames, program_frame
from algotrace.reached import SHAPES, allowed_at, reach, spend
from algotrace.strangers import is_strange_code
from algotrace.streams import RECORDED, STREAMS, UNITS, WATCH
from algotrace.work_under_way import HERE, Here, Work, everywhere

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_MOST_IN_USE = 100
_frame = sys._getframe


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


def note_all_reached(
    mark: Any, objects: list[Any], also: Sequence[tuple[Any, Any]] = (), *, joins: bool = True
) -> bool:
    """Before a stranger gets some objects: what undoes any change of the containers and objects that can be reached from
    them; `also` some that have been noted already. `joins`: others may have been noted for the same call.

    Of what is too much it is said that it is UNKNOWN, which means: and so is what can be reached from there. Whether there
    was something to be said.
    """
    here, frame = HERE.here, program_frame(_frame(1))
    if here.is_looking:
        note_before(mark, objects)
        return True
    caller = id(frame)
    known = here.called_now(mark, caller)
    events = STREAMS.events if known is None else here.own  # in the first case what else has run is over
    allowed = allowed_at(mark)
    if allowed <= 0:
        told = [part for obj in objects if SHAPES[type(obj)] is not None for part in (mark, obj, UNKNOWN)]
        if told:
            events.extend(told)
        return True
    roots = [obj for obj in objects if SHAPES[type(obj)] is not None]  # others must not live longer
    notes, spent = here.reach(objects, allowed)
    spend(mark, spent)
    if not notes and not also:
        return False
    told = [part for obj, note in notes for part in (mark, obj, note)]
    if known is not None:
        here.put(told)
        known.roots += roots
        known.notes += [*also, *notes]
        known.last = known.notes[-1][1]
        return True
    if told:
        events.extend(told)
    while here.works and not here.works[-1].runs and not is_around(here.works[-1].caller, frame):
        here.works.pop().put_aside()  # it has ended without being seen to, after it had called the program back
    here.begin(Work(mark, caller, roots, [*also, *notes]), joins=joins)
    return True


def expect_result(mark: Any, *, makes: bool = False, joins: bool = True) -> None:
    """Before a stranger that is handed nothing which can be changed: it may keep what it gives, or fill what it is given
    when it `makes` objects."""
    here, caller = HERE.here, id(program_frame(_frame(1)))
    if here.is_looking:
        return
    while here.runs and here.called_now(mark, caller) is None:
        called_back(here, (), None)  # what else has run is over
        if here.runs and here.works[-1].stays:
            break
    if here.called_now(mark, caller) is not None:
        return
    if makes or not is_exhausted():
        _begin(here, Work(mark, caller, [], []), makes=makes, joins=joins)
    else:
        here.tell(has_run(Work(mark, caller, [], [])))


def expect_made(mark: Any, caller: FrameType, routine: FrameType, *, keeps: bool) -> None:
    """A routine starts that makes an object, which who has called it may fill later, or keep: code that is over when something
    comes that `caller` has not called. Others that are at work look at what the routine gives as well, where they see that."""
    here = HERE.here
    if here.is_looking:
        return
    need_frames(FRAMES)
    while here.runs:
        work = here.works[-1]
        if is_around(work.caller, routine):
            if work.makes or "@L" in routine.f_code.co_varnames:
                return
            break
        here.called_back = 0  # it has ended, whoever has its frame now
        called_back(here, (), None)
    _begin(here, Work(mark, id(caller), [], []), makes=True, keeps=keeps)


def _begin(here: Here, work: Work, *, makes: bool, keeps: bool = False, joins: bool = True) -> None:
    work.makes, work.keeps, work.last = makes, keeps or not makes, here.newest()
    here.begin(work, joins=joins)


def look_at(mark: Any, objects: list[Any]) -> None:
    """Before a stranger goes on: where nothing has been changed when it is looked at again, there is no note; but of what is
    not followed, as nobody can tell then."""
    here, frame = HERE.here, program_frame(_frame(1))
    if here.is_looking:
        note_before(mark, objects)
        return
    if here.runs:
        called_back(here, (), None)  # it has ended
    roots = [obj for obj in objects if SHAPES[type(obj)] is not None]
    allowed = allowed_again()
    if not roots:
        expect_result(mark)
        return
    if allowed <= 0:
        STREAMS.events.extend(not_followed(mark, [(root, UNKNOWN) for root in roots]))
        return
    notes, spent = here.reach(roots[:], allowed)
    Looked.parts += spent
    if notes:
        if told := not_followed(mark, notes):
            STREAMS.events.extend(told)
        work = Work(mark, id(frame), roots, notes)
        work.is_told, work.last, work.others = False, here.newest(), here.others()
        here.works.append(work)
        here.watch()
    else:
        expect_result(mark)


def keep_in_use(mark: Any, manager: Any) -> None:
    """From now on until the program says `over`; it may go by without that."""
    managers = HERE.here.in_use
    managers.append((id(program_frame(_frame(1))), mark, manager))
    del managers[:-_MOST_IN_USE]


def in_use(marks: tuple[Any, ...], *, over: bool = False) -> list[tuple[Any, Any]]:
    """The managers that the calling code of the program uses, by mark; of some marks."""
    here, caller = HERE.here, id(program_frame(_frame(1)))
    found = [each[1:] for each in here.in_use if each[0] == caller and each[1] in marks]
    if over:
        here.in_use = [each for each in here.in_use if each[0] != caller or each[1] not in marks]
    return found


def look_everywhere() -> None:
    """The program has ended, in whatever way: strangers may be at work."""
    for here in everywhere:
        if here.runs:
            look(here, here.works[-1])


def _thread_starts() -> None:
    """The program is called by a stranger in a thread of his, to the end of which he is at work."""
    frame, bottom, is_strange = program_frame(_frame(1)).f_back, None, False
    while frame is not None:
        if id(frame.f_code) in RECORDED:
            return
        is_strange = is_strange or is_strange_code(frame)
        frame, bottom = frame.f_back, frame
    if bottom is not None and is_strange and UNITS.units:
        mark = UNITS.marks[UNITS.units[0].mark_base]
        if "here" not in vars(HERE):  # it is about to be made, and has asked for the stream
            HERE.here = Here()
        here = HERE.here
        _begin(here, Work(mark, id(bottom), [], []), makes=False)
        STREAMS.ending.over = functools.partial(_thread_ends, here)


def _thread_ends(here: Here) -> None:
    if here.runs:
        here.tell(has_run(here.works[-1]))
        look(here, here.works[-1], ())
    for work in here.works:
        work.put_aside()
    here.works.clear()


WATCH.thread_starts = _thread_starts  # type: ignore[method-assign]
