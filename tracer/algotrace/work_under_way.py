"""Strangers at work: what is known of each, and of all in one thread; whether somebody watches who leaves the next event.

How that goes on is told in `called_back`; how it begins, in `at_work`.
"""

from __future__ import annotations

import itertools
import threading
from collections import deque
from typing import Any

from algotrace import BUILTINS
from algotrace.collecting import holders
from algotrace.made_objects import Made
from algotrace.marks import Mark
from algotrace.reached import is_as_noted, reach
from algotrace.streams import ALONE, GATE, MAIN, STREAMS, WATCH, WatchedEvents, all_streams

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_FEW, _MOST_THREADS = 8, 200
_MORE = itertools.count(1)
_MOST_VALUES = 300  # that belong to a mark and are left one by one


class Work:
    """One stranger at work."""

    __slots__ = (
        "caller",
        "calls_back",
        "first",
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
        "untold",
    )

    def __init__(self, mark: Mark, caller: int, roots: list[Any], notes: list[tuple[Any, Any]]) -> None:
        self.mark = mark
        self.caller = caller  # id of the frame that called it
        self.roots = roots  # what it was handed
        self.notes = notes  # what that, and what is in there, was like when it last began to run
        self.first = notes[0][0] if notes else None  # by which the trace knows these
        self.is_told = True  # whether the trace has these
        self.untold = 0  # … but for so many, the first ones, which are of before this call
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
        aside = self, self.roots, self.notes, self.last, self.made, self.first
        self.roots, self.notes, self.last = [], [], None
        self.made = self.first = None
        return aside

    def take_back(
        self, roots: list[Any], notes: list[tuple[Any, Any]], last: Any, made: Made | None, first: Any
    ) -> Work:
        self.roots, self.notes, self.last, self.made, self.first = roots, notes, last, made, first
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

    def begin(self, work: Work, *, joins: bool = True) -> None:
        """`joins`: what its call is handed may have been noted in several parts."""
        for before in tuple(self.ended) if joins and not work.makes else ():  # which a finalizer may change
            if before.mark is work.mark and before.caller == work.caller and len(before.roots) < _FEW:
                # Of one call that is handed several things, each of them is noted when it is known. Or this is the next call.
                work.roots = before.roots + work.roots
                earlier = [noted for noted in before.notes if is_as_noted(*noted)]
                work.notes, work.untold = earlier + work.notes, work.untold + len(earlier)
        work.others = self.others()
        self.works.append(work)
        self.watch()

    def others(self) -> int:
        """How many events other threads have left; of very many threads it is always taken for some more."""
        if len(all_streams) == 1:
            return 0
        if len(all_streams) > _MOST_THREADS:
            return next(_MORE)
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
        STREAMS.events = WATCH.doorway(self)
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


HERE = _Here()
