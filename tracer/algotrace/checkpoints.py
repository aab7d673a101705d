"""States of objects kept on the way back from the end of a run: earlier ones are had from a near one.

What an object was like is told by taking back what was written to it later. Who looks at many states of one that is
written to all the time would take the same writes back again and again. So states are kept at positions among its
writes that are multiples of a stride, at fewer the farther they are from where somebody looks: such a state is had
from the next one that is a multiple of a larger stride, and so on up to the end.

Left out is whatever could come out otherwise in steps than at once: of several writes to one slot only the earliest is
taken back, which cannot be told from taking all of them back, but for what is not certain and for keys that come back.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING
from collections.abc import Callable

if TYPE_CHECKING:
    from algotrace.content import Content
    from algotrace.write_index import ObjectWrites

_STRIDE = 16
_MOST_WEIGHT = 1 << 22  # parts of all the states kept

# Takes the writes between two positions back; whether that came to the same as if the later ones were among them.
TakeBack = Callable[["Content", int, "ObjectWrites", int, int], bool]


class Checkpoints:
    """Of all objects of a run; the least recently used states are forgotten."""

    def __init__(self, final: Callable[[int], Content], take_back: TakeBack) -> None:
        self._final = final
        self._take_back = take_back
        self._kept: OrderedDict[tuple[int, int], Content] = OrderedDict()
        self._weight = 0
        self._unfit: set[int] = set()

    def before(self, number: int, writes: ObjectWrites, position: int) -> Content | None:
        """An object as it was before the write at a position, a copy; None where it has to be told from the end."""
        end = len(writes)
        if end - position < 2 * _STRIDE or number in self._unfit or writes.is_appended_to_from(position):
            return None
        way = _way(position, end)
        content, reached, left = None, end, len(way)
        for index, at in enumerate(way):
            content = self._kept.get((number, at))
            if content is not None:
                self._kept.move_to_end((number, at))
                reached, left = at, index
                break
        content = self._final(number) if content is None else content.copy()
        for at in reversed(way[:left]):
            if not self._take_back(content, number, writes, at, reached) or not content.certain:
                self._unfit.add(number)
                return None
            if at % _STRIDE == 0:
                self._keep((number, at), content.copy())
            reached = at
        return content

    def _keep(self, key: tuple[int, int], content: Content) -> None:
        self._kept[key] = content
        self._weight += content.weight
        while self._weight > _MOST_WEIGHT and len(self._kept) > 1:
            self._weight -= self._kept.popitem(last=False)[1].weight


def _way(position: int, end: int) -> list[int]:
    """From a position on, those that are multiples of ever larger strides."""
    way, stride = [position], _STRIDE
    while stride < end and (at := -(-way[-1] // stride) * stride) < end:
        if at != way[-1]:
            way.append(at)
        stride *= _STRIDE
    return way
