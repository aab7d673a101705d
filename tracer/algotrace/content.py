"""The content of an object at any time: its final content, with the later writes undone.

Pure functions over decoded rows; `Contents` ties them to a trace. What could not be read when it was written makes
the content *not certain*, never silently wrong.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from collections.abc import Callable

from algotrace.marks import (
    APPEND, ATTRIBUTE, ATTRIBUTE_NEW, CONTENT, ITEM, ITEM_DELETED, MUTATE, NAMED, PASSED,
)  # fmt: skip


# Of an array of numbers, by position: what `array.array` is told first. Those of characters are told as texts.
TYPECODES = "bBhHiIlLqQfd"


# What a defaultdict may make its items with, where the trace says so: by position.
FACTORIES = ("int", "list", "dict", "set", "str", "float", "tuple", "bool", "bytes", "frozenset", "complex")


ANY = "*"  # among the attributes that code of a library may change, see `library_code`: all of them
OTHERS = "**"  # … and there may be some that nobody sees


# Methods that ask an iterator, or call a function: after them there is an event in any case.
ITERATING = frozenset({
    "extend", "extendleft", "update", "difference_update", "intersection_update", "symmetric_difference_update", "subtract", "sort",
    "+=", "|=", "&=", "-=", "^=", "insort", "insort_left", "insort_right", "shuffle", "iadd", "ior", "iand", "isub", "ixor",
    "iconcat", "__iadd__", "__ior__", "__iand__", "__isub__", "__ixor__", "__setitem__", "setitem", "fromfile",
})  # fmt: skip
# Methods that containers call.
COMPARING = frozenset({"__eq__", "__hash__", "__lt__", "__gt__", "__le__", "__ge__", "__index__"})
DEFAULTING = "default_factory"  # the named field of defaultdicts and classes derived from it


class Write(NamedTuple):
    """One logged write: the values that follow its mark, as object numbers."""

    time: int
    kind: int
    detail: str  # attribute or method name
    values: list[int]
    target: int  # the object written, 0 for a name


class Content:
    """The parts of one object at one time. Mutable while writes are being undone, then left alone."""

    __slots__ = (
        "attributes",
        "certain",
        "has_attributes",
        "is_array",
        "items",
        "kind",
        "most",
        "pairs",
        "text",
        "touched",
    )

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.items: list[int] = []  # of list, tuple, deque, exception arguments
        self.pairs: dict[Any, tuple[int, int]] = {}  # of dict and set: identity of the key → (key, value)
        self.attributes: dict[str, int] = {}
        self.text: Any = None  # of bytearray
        self.most: int | None = None  # a deque's limit
        self.is_array = False  # a "list" of numbers
        self.certain = True
        self.touched: frozenset[str] | None = None  # attributes for which alone it is not certain
        self.has_attributes = True

    def copy(self) -> Content:
        """The same, to take more writes back from it."""
        other = Content(self.kind)
        other.items, other.pairs, other.attributes = self.items[:], self.pairs.copy(), self.attributes.copy()
        other.text, other.most, other.is_array = self.text, self.most, self.is_array
        other.certain, other.has_attributes = self.certain, self.has_attributes
        return other

    def is_attribute_certain(self, name: str) -> bool:
        return self.certain or (self.touched is not None and name not in self.touched)

    @property
    def weight(self) -> int:
        """How much memory it takes, more or less: in parts of a list."""
        text = len(self.text) >> 3 if self.text else 0
        return 16 + len(self.items) + 12 * (len(self.pairs) + len(self.attributes)) + text


def undo(content: Content, write: Write, row: Callable[[int], Any], identity: Callable[[int], Any]) -> None:
    """Take one write back. `row` gives an object's row, `identity` what a dict compares keys by."""
    kind, values = write.kind, write.values
    if kind in (ATTRIBUTE, ATTRIBUTE_NEW, NAMED):
        old = ["absent"] if kind == ATTRIBUTE_NEW else row(values[-1])
        if write.detail == "__class__" and old != ["absent"]:
            content.certain = False  # as whose it is told is how it was in the end
        elif content.kind == "dict" and kind == NAMED and not content.has_attributes:  # of a module's names
            _restore_key(content, values[1], values[2], row, identity)
        elif (write.detail == "__dict__" and is_of_attributes(old, row)) or (
            content.kind == "exception" and write.detail == "args"
        ):
            _replace(content, values[-1], row, identity)
        elif old == ["absent"]:
            content.attributes.pop(write.detail, None)
        elif old == ["unknown"]:
            content.certain = False
        else:
            content.attributes[write.detail] = values[-1]
    elif kind == ITEM or kind == ITEM_DELETED:
        _undo_item(content, kind, values, row, identity)
    elif kind == CONTENT and is_of_slice(row(values[1]), row):
        _undo_call(content, values[1], row, identity)
    elif kind == CONTENT or kind == PASSED:
        _replace(content, values[1], row, identity)
    elif kind == APPEND and content.kind == "bytearray":  # unlike a list's, its append may have failed
        content.certain &= len(values) > 1
        content.text = content.text[:-1]
    elif kind == APPEND:
        content.certain &= not content.is_array or len(values) > 1  # as above
        undo_appends(content, 1)
    elif kind == MUTATE:
        _undo_call(content, values[1], row, identity)


def is_of_slice(saved: Any, row: Callable[[int], Any]) -> bool:
    """Whether a row is that of a note of a part of a container, see `changed_parts`."""
    return type(saved) is list and saved[0] == "tuple" and len(saved[2]) == 4 and row(saved[2][0]) == "slice"


def is_of_attributes(saved: Any, row: Callable[[int], Any]) -> bool:
    """Whether a row is that of a note of all attributes of an object, see `giving`."""
    return (
        type(saved) is list
        and saved[0] == "tuple"
        and len(saved[2]) == 2
        and row(saved[2][0]) == "attributes"
    )


def undo_appends(content: Content, count: int) -> None:
    """Take `count` appends back that came one after the other."""
    if content.most is not None and len(content.items) == content.most:
        content.certain = False  # what it dropped on the left is not known, where it was full
    del content.items[max(len(content.items) - count, 0) :]


def _undo_item(content: Content, kind: int, values: list[int], row: Any, identity: Any) -> None:
    _, key, old = values
    was = row(old)
    if was == ["unknown"]:
        content.certain = False
    elif row(key) == ["unknown"]:  # through a view; all of it is told
        _replace(content, old, row, identity)
    elif content.kind == "dict":
        if was == ["absent"]:
            content.pairs.pop(identity(key), None)
        else:
            content.pairs[identity(key)] = (content.pairs.get(identity(key), (key, 0))[0], old)
    elif was != ["absent"]:
        index = row(key)
        if content.kind == "bytearray":
            _undo_byte(content, kind, index, was)
            return
        if type(index) is not int or content.kind not in ("list", "deque"):
            content.certain = False
        elif kind == ITEM_DELETED:
            content.items.insert(index % (len(content.items) + 1), old)
        elif -len(content.items) <= index < len(content.items):
            content.items[index] = old


def _undo_byte(content: Content, kind: int, index: Any, was: Any) -> None:
    size = len(content.text) + (kind == ITEM_DELETED)
    if type(index) is not int or type(was) is not int or not -size <= index < size:
        content.certain = False
        return
    place = index % size
    content.text = content.text[:place] + chr(was) + content.text[place + (kind == ITEM) :]


def _replace(content: Content, copy: int, row: Any, identity: Any) -> None:
    saved = row(copy)
    if is_of_attributes(saved, row):
        names = row(saved[2][1])[2]
        content.attributes = {row(name): value for name, value in zip(names[::2], names[1::2])}
        content.certain |= content.kind == "instance"  # whatever came later
        return
    if not content.has_attributes:
        content.certain = True  # whatever came later
    if type(saved) is not list or not saved:
        content.certain = False
    elif saved[0] in ("list", "tuple") and content.kind in ("list", "deque", "exception"):
        content.items = list(saved[2])
    elif (
        saved[0] == "deque" and content.kind == "deque"
    ):  # of one that was made again: its limit may be another
        content.items, content.most = list(saved[2]), saved[4] if len(saved) > 4 else None
    elif saved[0] == "dict" and content.kind == "dict":
        content.pairs = pairs_of(saved[2], identity)
    elif saved[0] == "set" and content.kind == "set":
        content.pairs = {identity(member): (member, member) for member in saved[2]}
    elif saved[0] == "bytes":
        content.text = saved[1]
    else:
        content.certain = False


def _undo_call(content: Content, information: int, row: Any, identity: Any) -> None:
    told = row(information)
    if type(told) is int:
        del content.items[told:]
        return
    if type(told) is not list or not told:
        content.certain = False
        return
    if told[0] != "tuple":
        _replace(content, information, row, identity)
        return
    parts = told[2]
    verb = row(parts[0])
    if verb == "insert":
        content.items.insert(row(parts[1]), parts[2])
    elif verb == "drop":
        if row(parts[1]) < len(content.items):
            del content.items[row(parts[1])]
    elif verb == "insorted" and len(content.items) <= row(parts[3]):
        content.certain &= len(content.items) == row(parts[3])  # the call failed
    elif verb == "insorted":
        places = _places_of(parts[1], content.items, row)
        if places:
            del content.items[places[-1] if row(parts[2]) == "right" else places[0]]
        # By a key, or in a list that was not sorted, equal parts need not stand together.
        content.certain &= bool(places) and places[-1] - places[0] < len(places)
    elif verb in ("heappush", "heappop", "heapreplace", "heappushpop"):
        _undo_heap(content, verb, parts, row)
    elif verb == "key":
        _restore_key(content, parts[1], parts[2], row, identity)
    elif verb == "keys":
        saved = row(parts[1])[2]
        for key, old in zip(saved[::2], saved[1::2]):
            _restore_key(content, key, old, row, identity)
    elif verb == "member":
        if row(parts[2]):
            content.pairs.setdefault(identity(parts[1]), (parts[1], parts[1]))
        else:
            content.pairs.pop(identity(parts[1]), None)
    elif verb == "members":
        for member in row(parts[1])[2]:
            content.pairs.pop(identity(member), None)
        for member in row(parts[2])[2]:
            content.pairs.setdefault(identity(member), (member, member))
    elif verb == "slice":
        _undo_slice(content, row(parts[1]), row(parts[2]), row(parts[3]))
    elif verb == "pushed" and content.items:
        if row(parts[1]) == "right":
            content.items = [parts[2], *content.items[:-1]]
        else:
            content.items = [*content.items[1:], parts[2]]
    elif verb == "reversed":
        content.items.reverse()
        content.text = content.text and content.text[::-1]
    elif verb == "rotated" and content.items:
        count = row(parts[1]) % len(content.items)
        content.items = content.items[count:] + content.items[:count]
    elif verb not in ("nothing", "moved", "rotated", "pushed"):
        content.certain = False


def _undo_slice(content: Content, start: int, old: Any, size: int) -> None:
    """`old` stood at `start`, when there were `size` parts."""
    if content.kind == "bytearray":
        end = start + len(content.text) - size + len(old[1])
        content.text = content.text[:start] + old[1] + content.text[end:]
    elif content.kind in ("list", "deque"):
        content.items[start : start + len(content.items) - size + len(old[2])] = old[2]
    else:
        content.certain = False


def _restore_key(content: Content, key: int, old: int, row: Any, identity: Any) -> None:
    was = row(old)
    if was == ["absent"]:
        content.pairs.pop(identity(key), None)
    elif was == ["unknown"]:
        content.certain = False
    else:
        content.pairs[identity(key)] = (content.pairs.get(identity(key), (key, 0))[0], old)


def pairs_of(parts: list[int], identity: Callable[[int], Any]) -> dict[Any, tuple[int, int]]:
    return {identity(key): (key, value) for key, value in zip(parts[::2], parts[1::2])}


def _places_of(moved: int, items: list[int], row: Any) -> list[int]:
    """Where an object stands; a scalar may have another number there, in a long run, but then its value tells."""
    places = [index for index, item in enumerate(items) if item == moved]
    value = None if places else row(moved)
    if type(value) in (int, float, str):
        places = [
            index
            for index, item in enumerate(items)
            if type(found := row(item)) is type(value) and found == value
        ]
    return places


def _undo_heap(content: Content, verb: str, parts: list[int], row: Any) -> None:
    """Take a `heapq` call back. What it moved lies on one path from the root, by one place each."""
    items, moved = content.items, parts[1]
    if verb == "heappush":
        # The new item rose from the end; those on its path came down. None below it is the same object: they are larger.
        path = _path_to(len(items) - 1)
        found = _places_of(moved, [items[place] for place in path], row)
        if not found:
            content.certain = False
            return
        stopped = found[-1]
        for upper, lower in zip(path[stopped:], path[stopped + 1 :]):
            items[upper] = items[lower]
        items.pop()
        return
    places = _places_of(moved, items, row)
    root = parts[2]
    if verb == "heappop" and (not items or (not places and _places_of(moved, [root], row))):
        items.append(moved)
        return
    if verb == "heappushpop" and (not places or _is_not_below(root, moved, row)):
        return  # the item was the smallest and went straight out again
    if len(places) != 1:
        content.certain = False
        return
    path = _path_to(places[0])
    for upper, lower in zip(reversed(path[:-1]), reversed(path[1:])):
        items[lower] = items[upper]
    items[0] = root
    if verb == "heappop":
        items.append(moved)


def _is_not_below(root: int, moved: int, row: Any) -> bool:
    """Of scalars: whether the smallest of a heap is not smaller than another; where that cannot be told, no."""
    least, value = row(root), row(moved)
    return type(least) is type(value) and type(value) in (int, float, str) and not least < value


def _path_to(index: int) -> list[int]:
    path = [index]
    while index > 0:
        index = (index - 1) >> 1
        path.append(index)
    return path[::-1]


def reconcile(
    content: Content, seen: Any, identity: Callable[[int], Any], row: Callable[[int], Any] = lambda _: None
) -> bool:
    """Whether a content is what a shallow copy shows that was taken at that time: a witness of changes nobody noted.

    Where it is not, the content becomes what was seen; nothing between this and earlier writes is certain then. `seen`
    is the copy's row.
    """
    known = Content(content.kind)
    _replace(known, -1, lambda number: seen if number == -1 else row(number), identity)
    if not known.certain:
        content.certain = False
        return False
    if is_of_attributes(seen, row):
        agrees = known.attributes == content.attributes or _agree(known.attributes, content.attributes, row)
        content.attributes = known.attributes
        return agrees
    if content.is_array:  # each number that is read from it is another object
        agrees = list(map(row, known.items)) == list(map(row, content.items))
        content.items = known.items
        return agrees
    pairs, others = _pairs(known), _pairs(content)
    if (known.items, known.text) == (content.items, content.text) and (
        set(pairs) == set(others) if content.kind == "set" else pairs == others
    ):
        return True
    content.items, content.pairs, content.text = known.items, known.pairs, known.text
    return False


def _agree(noted: dict[str, int], attributes: dict[str, int], row: Callable[[int], Any]) -> bool:
    """Whether attributes are those that were noted; some may have been left out of a note, see `reached`."""
    known = [name for name, number in noted.items() if row(number) != ["unknown"]]
    return noted.keys() == attributes.keys() and all(noted[name] == attributes[name] for name in known)


def _pairs(content: Content) -> list[tuple[Any, int]]:
    return [(key, value) for key, (_, value) in content.pairs.items()]
