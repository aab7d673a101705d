"""Columns of numbers as bytes: what is alike stands together, so that little remains of it.

A column is taken apart into *planes*: the lowest byte of every number, then the next byte of every number, and so on.
Each plane is one byte repeated, or packed, or left as it is where packing saves nothing (the mantissas of floats). That
is both smaller and faster than packing the numbers one after the other.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from operator import itemgetter
from struct import Struct
from typing import TypeVar
from collections.abc import Sequence

from algotrace import BUILTINS

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

T = TypeVar("T")
# As they are before the program runs.
_compress, _unpacking, _little = zlib.compress, zlib.decompressobj, sys.byteorder == "little"
_Error = zlib.error
_HEAD = Struct("<IB")
_pack_head = _HEAD.pack
_SAME, _PACKED, _PLAIN = 0, 1, 2
_LEVEL = 3  # faster than 1, where much is alike
_SAMPLE = 256
_MOST_DISTINCT = 140  # bytes in a sample of a plane that is worth packing


def gather(column: Sequence[T], places: Sequence[int]) -> Sequence[T]:
    """The numbers at some places, faster than by a subscript each."""
    if len(places) > 1:
        return itemgetter(*places)(column)  # type: ignore[no-any-return]
    return [column[place] for place in places]


class Malformed(ValueError):
    """Bytes that are no column."""


def pack(numbers: array[int] | array[float]) -> bytes:
    if not _little:
        numbers = numbers[:]
        numbers.byteswap()
    data, width = numbers.tobytes(), numbers.itemsize
    return pack_planes([data[place::width] for place in range(width)], mixed=numbers.typecode == "d")


def pack_planes(planes: list[bytes], *, mixed: bool = False) -> bytes:
    """The planes of a column, lowest bytes first; `mixed` where packing some of them may be a waste of time."""
    how, plain, packed = bytearray(), [], []
    for plane in planes:
        if plane.count(plane[:1]) == len(plane) > 0:
            how.append(_SAME)
            plain.append(plane[:1])
        elif mixed and len(set(plane[:_SAMPLE])) > _MOST_DISTINCT:
            how.append(_PLAIN)
            plain.append(plane)
        else:
            how.append(_PACKED)
            packed.append(plane)
    # All in one piece: a call takes as long as packing a thousand bytes.
    end = _compress(b"".join(packed), _LEVEL) if packed else b""
    return b"".join((_pack_head(len(planes[0]), len(planes)), how, *plain, end))


def unpack(data: bytes, typecode: str, most: int) -> array[int]:
    """A column of at most so many numbers. Raises Malformed."""
    numbers: array[int] = array(typecode)
    if len(data) < _HEAD.size:
        raise Malformed("cut short")
    count, width = _HEAD.unpack_from(data)
    if count > most:
        raise Malformed("too large")
    if width != numbers.itemsize:
        raise Malformed("not of its kind")
    place = _HEAD.size + width
    ways = data[_HEAD.size : place]
    planes: list[bytes] = []
    for how in ways:
        length = {_SAME: 1, _PLAIN: count}.get(how, 0)
        plane, place = data[place : place + length], place + length
        planes.append(plane * count if how == _SAME else plane)
    packed = _unpacked(data[place:], count * ways.count(_PACKED))
    start = 0
    joined = bytearray(count * width)
    for which, how in enumerate(ways):
        if how == _PACKED:
            planes[which], start = packed[start : start + count], start + count
        if len(planes[which]) != count:
            raise Malformed("cut short")
        joined[which::width] = planes[which]
    if len(ways) != width:
        raise Malformed("cut short")
    numbers.frombytes(joined)
    if not _little:
        numbers.byteswap()
    return numbers


def _unpacked(data: bytes, size: int) -> bytes:
    if not size:
        return b""
    try:
        return _unpacking().decompress(data, size + 1)
    except (_Error, MemoryError) as error:
        raise Malformed(str(error)) from error
