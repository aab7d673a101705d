"""Objects that the program gives to code which fills them later: `copy` and `pickle` call its `__new__`, and store attributes
after that. Whenever such code calls the program back, what has become of the latest of them is noted.

Of one that was given long ago it is only told in the end what has become of it: no one knows when. Who makes objects,
see `object_makers`.
"""

from __future__ import annotations

from typing import Any

from algotrace import BUILTINS
from algotrace.giving import attributes_of
from algotrace.marks import UNKNOWN, Mark
from algotrace.reached import SHAPES, is_as_noted, note_in_hand
from algotrace.undo import witness

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_Noted = tuple[Any, Any]
_LATEST = 8  # notes that are looked at each time
_MOST, _MOST_KEPT = 10_000, 200  # … and in the end: they live as long


class Made:
    """What one who makes objects, or calls the program back with some, has in hand; each with a note of what it was like.

    What its methods give are events.
    """

    __slots__ = ("_back", "_earlier", "_keeps", "_latest", "_mark", "_new")

    def __init__(self, mark: Mark, back: Mark, *, keeps: bool) -> None:
        self._mark, self._back = mark, back  # of what it was handed, of what it gave back
        self._keeps = keeps  # he may do so, and go on with it in another thread
        self._new: set[tuple[int, bool]] = set()  # of what there is no note in the trace yet
        self._latest: list[_Noted] = []
        self._earlier: dict[tuple[int, bool], _Noted] = {}

    def __bool__(self) -> bool:
        return bool(self._latest)

    def give(self, new: dict[int, Any]) -> list[Any]:
        """The program gives some objects, by id. It may have written to the others."""
        before = {id(obj): obj for obj, _ in self._latest if id(obj) not in new}
        not_told, self._latest = self._new, []
        events = self.take({**before, **new})
        for noted in self._latest if not_told and self._keeps else ():
            if _key(noted) in not_told:
                events += (self._mark, *noted)
        self._new = set()
        return events

    def take(self, new: dict[int, Any]) -> list[Any]:
        """It is called with some objects; others are as they were when they were looked at."""
        for obj, _ in self._latest:
            new.pop(id(obj), None)
        events: list[Any] = []
        for noted in [noted for obj in new.values() for noted in notes_of(obj)]:
            events += self._became(self._earlier.pop(_key(noted), None))
            if noted[1] is UNKNOWN:
                events += (self._mark, *noted)
            else:
                self._latest.append(noted)
                self._new.add(_key(noted))
        for noted in self._latest[:-_LATEST]:
            self._earlier[_key(noted)] = noted
        del self._latest[:-_LATEST]
        while len(self._earlier) > (_MOST_KEPT if self._keeps else _MOST):
            events += self._became(self._earlier.pop(next(iter(self._earlier))))
        return events

    def looked_at(self, *, unseen: bool) -> list[Any]:
        """What has become of the latest; `unseen`: no one knows whose doing it is."""
        events: list[Any] = []
        for index, (obj, note) in enumerate(self._latest):
            if not is_as_noted(obj, note):
                now = _now(obj, note)
                events += (self._mark, obj, UNKNOWN if unseen else note, self._back, obj, now)
                self._latest[index] = obj, now
        self._latest = [noted for noted in self._latest if noted[1] is not UNKNOWN]
        return events

    def over(self) -> list[Any]:
        """What has become of the others."""
        return [event for noted in self._earlier.values() for event in self._became(noted)]

    def _became(self, noted: _Noted | None) -> tuple[Any, ...]:
        if noted is None or is_as_noted(*noted):
            return ()
        obj, note = noted
        return (self._mark, obj, UNKNOWN, self._back, obj, _now(obj, note))


def _key(noted: _Noted) -> tuple[int, bool]:
    """Which note of which object, which is not let go."""
    return id(noted[0]), type(noted[1]) is tuple


def notes_of(obj: Any) -> list[tuple[Any, Any]]:
    """What an object consists of now, and its attributes."""
    shape = SHAPES[type(obj)]
    if shape is None:
        note_in_hand(obj)
        return []
    notes = [(obj, witness(obj))] if shape.changes else []
    if (attributes := attributes_of(obj)) is not None:
        notes.append((obj, attributes))
    return notes


def _now(obj: Any, note: Any) -> Any:
    return attributes_of(obj) if type(note) is tuple else witness(obj)
