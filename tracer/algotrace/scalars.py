"""Rows of scalars: numbers as they are, texts and bytes; of a long one that another begins or ends with, what is other.

In a loop a text may grow by a character at each turn, or lose one; written in full each time, a hundred thousand turns
would be gigabytes. Not here: scalars that are short, which `objects` packs by their kinds.
"""

from __future__ import annotations

import hashlib
import json.encoder
from collections import deque
from typing import Any

from algotrace import BUILTINS
from algotrace.trace_file import LONGEST

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_HUGE = (
    1 << 8000
)  # integers from here on are written in hex: decimal conversion of longer ones is refused by Python
_LEAST_CUT, _DEEPEST_CUT = 1000, 100  # characters of a text, and of how many others it is made


# C code, which the program cannot have replaced.
_pieces = json.encoder.c_make_encoder(  # type: ignore[attr-defined]
    None, None, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, True
)


def encode(row: Any) -> str:
    """A row as JSON."""
    return "".join(_pieces(row, 0))


def scalar_row(obj: Any) -> Any:
    cls = type(obj)
    if cls is str:
        return obj if len(obj) <= LONGEST else large(obj)
    if cls is int:
        return obj if -_HUGE < obj < _HUGE else ["huge", hex(obj)]
    if cls is bytes:
        return ["bytes", obj.decode("latin-1")] if len(obj) <= LONGEST else large(obj)
    return ["complex", obj.real, obj.imag] if cls is complex else obj


class LongTexts:
    """The last long texts and bytes, of which the next one may be a part, or they of it."""

    def __init__(self) -> None:
        # Number, text, of how many others it is made itself.
        self._last: deque[tuple[int, Any, int]] = deque(maxlen=4)

    def row(self, number: int, obj: Any) -> Any:
        """The row of a long scalar."""
        if type(obj) not in (str, bytes) or not _LEAST_CUT <= len(obj) <= LONGEST:
            return scalar_row(obj)
        for place, (other, known, depth) in enumerate(self._last):
            row = _as_cut(other, known, obj) if type(known) is type(obj) else None
            if row is not None and depth < _DEEPEST_CUT:
                self._last[place] = (number, obj, depth + 1)
                return row
            if row is not None:
                del self._last[place]
                break
        self._last.appendleft((number, obj, 0))
        return scalar_row(obj)


def _as_cut(number: int, known: Any, text: Any) -> list[Any] | None:
    """The row of `text` by that of `known`, where one of them begins or ends with the other and most of it is the same."""
    size, added = len(known), len(text) - len(known)
    before = after = text[:0]
    start, stop = 0, size
    if added >= 0:
        if 2 * added > len(text):
            return None
        if text.startswith(known):
            after = text[size:]
        elif text.endswith(known):
            before = text[:added]
        else:
            return None
    elif known.startswith(text):
        stop = len(text)
    elif known.endswith(text):
        start = -added
    else:
        return None
    if type(text) is bytes:
        before, after = before.decode("latin-1"), after.decode("latin-1")
    return ["cut", number, start, stop, before, after]


def large(obj: Any) -> list[Any]:
    """["large", type, its start, its length, a fingerprint of all of it]"""
    data = obj.encode(errors="surrogatepass") if type(obj) is str else obj
    start = obj[:1000] if type(obj) is str else bytes(obj[:1000]).decode("latin-1")
    return ["large", type(obj).__name__, start, len(obj), hashlib.blake2b(data, digest_size=16).hexdigest()]


def plain(base: Any, obj: Any) -> Any:
    """The builtin value inside an instance of a subclass of int, float, str…, without running its methods."""
    if base is int:
        return int.__add__(obj, 0)
    if base is float:
        return float.__add__(obj, 0.0)
    if base is complex:
        return complex.__add__(obj, 0j)
    if base is str:
        return str.__str__(obj)
    return bytes(
        bytes.__getitem__(obj, slice(None)) if base is bytes else bytearray.__getitem__(obj, slice(None))
    )
