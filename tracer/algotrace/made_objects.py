"""Objects that the program gives to code which fills them later: `copy` and `pickle` call its `__new__`, and store attributes
after that. Whenever such code calls the program back, what has become of the latest of them is noted.

Of one that was given long ago it is only told in the end what has become of it: no one knows when. Who makes objects,
see `object_makers`.
"""

from __future__ import annotations

from typing import Any
from collections.abc import Sequence

from algotrace import BUILTINS
from algotrace.giving import attributes_of
from algotrace.marks import UNKNOWN
from algotrace.reached import SHAPES, is_as_noted
from algotrace.undo import witness

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_LATEST = 8  # notes that are looked at each time
_MOST = 10_000  # … and in the end


class Made:
    """What has been given to one who makes objects, each with a note of what it was like then."""

    __slots__ = ("_earlier", "_latest")

    def __init__(self) -> None:
        self._latest: list[tuple[Any, Any]] = []
        self._earlier: list[tuple[Any, Any]] = []

    def give(self, values: Sequence[Any]) -> list[Any]:
        """The objects of which nothing is known. The program may also have written to those that it gave before."""
        new = {id(obj): obj for obj in values}
        given = {id(obj): obj for obj, _ in self._latest if id(obj) not in new}
        notes = [note for obj in (*given.values(), *new.values()) for note in _notes_of(obj)]
        known = [noted for noted in notes if noted[1] is not UNKNOWN]
        self._earlier += known[:-_LATEST]
        self._latest = known[-_LATEST:]
        return [obj for obj, note in notes if note is UNKNOWN]

    def forget(self, mark: Any, back: Any) -> list[Any]:
        """Events that tell what has become of those that are too many."""
        known, self._earlier = self._earlier[:-_MOST], self._earlier[-_MOST:]
        return _became(known, mark, back)

    def looked_at(self, mark: Any, back: Any, *, unseen: bool) -> list[Any]:
        """Events that tell what has become of the latest; `unseen`: no one knows whose doing it is."""
        events: list[Any] = []
        for index, (obj, note) in enumerate(self._latest):
            if not is_as_noted(obj, note):
                now = _now(obj, note)
                events += (mark, obj, UNKNOWN if unseen else note, back, obj, now)
                self._latest[index] = obj, now
        self._latest = [noted for noted in self._latest if noted[1] is not UNKNOWN]
        return events

    def became(self, mark: Any, back: Any) -> list[Any]:
        """When all has been made: events that tell what has become of the others."""
        return _became(self._earlier, mark, back)


def _notes_of(obj: Any) -> list[tuple[Any, Any]]:
    shape = SHAPES[type(obj)]
    if shape is None:
        return []
    notes = [(obj, witness(obj))] if shape.changes else []
    if (attributes := attributes_of(obj)) is not None:
        notes.append((obj, attributes))
    return notes


def _now(obj: Any, note: Any) -> Any:
    return attributes_of(obj) if type(note) is tuple else witness(obj)


def _became(known: list[tuple[Any, Any]], mark: Any, back: Any) -> list[Any]:
    events: list[Any] = []
    for obj, note in known:
        if not is_as_noted(obj, note):
            events += (mark, obj, UNKNOWN, back, obj, _now(obj, note))
    return events
