"""Before `append`, and stores to items: what must be known, or done, of containers that are no lists.

Of a list nothing is read before: what `append` does is undone by dropping the last part. But a deque that is full drops a
part at its other end, and a buffer of which there is a view cannot grow; and who stores to a view changes what is behind it.
Whether the program may have such ones is told by its texts, so that it costs all others nothing. Not here: full deques that
a library makes, in programs of which no text speaks of a limit; what they drop is not certain.
"""

from __future__ import annotations

import collections
import re
from typing import Any

from algotrace import BUILTINS
from algotrace.class_tables import find_behind, find_in_class
from algotrace.marks import Mark
from algotrace.streams import STREAMS, UNITS
from algotrace.views import BUFFERS, expect_views, let_go_of_views

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

APPEND_TO, STORE_TO = "append", "__setitem__"
_SPECIAL = (*BUFFERS, collections.deque)
_LIMITED = re.compile(rb"maxlen|deque\(.*,")
_deque = collections.deque
_append = _deque.__dict__[APPEND_TO]
_self_of = super.__dict__["__self__"].__get__
_length, _part, _most = _deque.__len__, _deque.__getitem__, _deque.__dict__["maxlen"].__get__


def expect_special(source: bytes) -> list[str]:
    """A file of the program is loaded. The methods before which, from now on, something is to be done for some containers."""
    if expect_views(source):
        return [APPEND_TO, STORE_TO]
    return [APPEND_TO] if _LIMITED.search(source) else []


def is_special(method: str, cls: type) -> bool:
    """Whether that is so of containers of a class."""
    if method == STORE_TO:
        return cls is memoryview
    return method == APPEND_TO and (issubclass(cls, _SPECIAL) or cls is super)


def prepare(container: Any) -> None:
    """Before the call, whatever it is given."""
    if issubclass(type(container), BUFFERS):
        let_go_of_views(container)


def undo_of_pushing(container: Any) -> Any:
    """What undoes `append` to a deque that has a limit; None for all others."""
    if type(container) is not _deque and not _is_derived(type(container)):
        return None
    return _undo_of_pushing(container)


def _is_derived(cls: type) -> bool:
    """Whether a class has the method from the builtin one. What a method of the program does is recorded there."""
    return issubclass(cls, _deque) and find_in_class(cls, APPEND_TO) is _append


def _undo_of_pushing(container: collections.deque[Any]) -> Any:
    most = _most(container)
    if most is None:
        return None
    size = _length(container)
    return ("pushed", "right", _part(container, 0)) if size == most and size else size


def note_pushing(append: Mark, container: Any) -> bool:
    """Before `append` to a deque that has a limit this stands in the place of the event that is told by `append`: whether it
    is one. The mark for it is the one before that."""
    if type(container) is super:
        container = _self_of(container) if find_behind(container, APPEND_TO) is _append else None
        undo = None if container is None else _undo_of_pushing(container)
    else:
        undo = undo_of_pushing(container)
    if undo is None:
        return False
    STREAMS.events.extend((UNITS.marks[append.number - 1], container, undo))
    return True
