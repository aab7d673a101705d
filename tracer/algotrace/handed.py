"""What code that is not recorded is handed: before the call, what can be reached from its arguments is noted.

Whether it is such code that is called is told by `strange_calls`. The same before a call of something that calls a function
of strangers which it is given (`map`, `Thread`), before `with` enters something of theirs, and once more when it has, and
before something of theirs is gone through, by `for` or by who is handed it. Not here: operators and
stores, see `operations`. Left out are properties, comparisons, and what strangers keep in their own modules: that something
has changed so is seen at the next note, see `history`. What happens from the note on until control is back, see `at_work`. (A container that is itself an argument is copied wherever it is
not recorded code that is called, see `instrument_calls`.)
"""

from __future__ import annotations

import collections
import contextlib
import functools
import operator
import types
from itertools import chain
from typing import Any

from algotrace import BUILTINS
from algotrace.appending import note_pushing, prepare
from algotrace.class_tables import Table, find_in_class
from algotrace.marks import ABSENT, APPEND, UNKNOWN
from algotrace.mutators import METHOD_NAMES, self_of_super
from algotrace.at_work import expect_result, in_use, keep_in_use, look_at, note_all_reached
from algotrace.reached import SHAPES, UNNOTED
from algotrace.strange_calls import (
    OWN,
    STRANGERS,
    attribute_of,
    found_along,
    is_init,
    is_quiet_super,
    is_strange,
    makes_attributes,
    note_quiet_super,
)
from algotrace.streams import RECORDED, UNITS
from algotrace.strangers import ANY, SIGNS, expect_filling, is_given, only_reads
from algotrace.undo import CONTAINERS, KEPT
from algotrace.weak_proxies import seen_through

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_get = dict.get
_deque = collections.deque


def note_handed(mark: Any, function: Any, *arguments: Any) -> None:
    """Before `function(…)`, of which all arguments are known."""
    _note_handed(mark, function, arguments, joins=False)


def _note_handed(mark: Any, function: Any, arguments: tuple[Any, ...], *, joins: bool = True) -> None:
    if is_strange(function):
        _note(mark, function, *arguments, joins=joins)
    else:
        _note_asked(mark, function, arguments)


def _note_asked(mark: Any, function: Any, arguments: tuple[Any, ...]) -> None:
    """What is written in C, `join` under another name, asks a generator of strangers that it is given."""
    if type(function) is staticmethod:
        function = function.__func__
    if issubclass(type(function), types.BuiltinFunctionType):
        for each in arguments:
            note_used(mark, each)


def note_handed_to(mark: Any, receiver: Any, path: str, *arguments: Any) -> None:
    """Before `receiver.path(…)`, which may change what the receiver has, too; all arguments are known."""
    _note_handed_to(mark, receiver, path, arguments, joins=False)


def _note_handed_to(
    mark: Any, receiver: Any, path: str, arguments: tuple[Any, ...], *, joins: bool = True
) -> None:
    receiver = seen_through(receiver)
    cls = type(receiver)
    if "." not in path and (own := OWN[cls]) is not None:
        in_class, is_hidden = STRANGERS[path].in_classes[cls]
        function = ABSENT
        if is_hidden:
            try:
                function = _get(own(receiver), path, ABSENT)
            except TypeError:  # the descriptor of a base with another layout
                function = UNKNOWN
        if _is_of_container(function):  # which the program has put there
            _note(mark, function, *arguments, joins=joins)
            return
        if not (in_class if function is ABSENT else is_strange(function)):
            prepare(receiver)
            if is_given(path):
                _note_asked(mark, find_in_class(cls, path) if function is ABSENT else function, arguments)
            return
    elif cls is super and is_quiet_super(receiver, path):
        return
    else:
        owner, _, name = path.rpartition(".")
        receiver = found_along(receiver, owner) if owner else receiver
        function = attribute_of(receiver, name)
        if not is_strange(function):
            if name == "__init__" and makes_attributes(function):
                made = self_of_super(receiver) if type(receiver) is super else next(iter(arguments), None)
                _note(mark, function, made)
            elif cls is super and not owner:
                note_quiet_super(receiver, path, function)
            _note_asked(mark, function, arguments)
            return
    made = self_of_super(receiver) if type(receiver) is super else receiver
    _note(mark, function, made, *arguments, joins=joins)


def _is_of_container(function: Any) -> bool:
    """Whether it is a method of one."""
    is_bound = issubclass(type(function), types.BuiltinFunctionType)
    return is_bound and CONTAINERS[type(function.__self__)] and function.__name__ in METHOD_NAMES


def note_appending_to(mark: Any, receiver: Any, path: str, *arguments: Any) -> bool:
    """The same before `receiver.append(…)`: whether what that does has been told. The mark follows on that of the `append`."""
    if type(receiver) is not _deque:
        note_handed_to(mark, receiver, path, *arguments)
    append = UNITS.marks[mark.number - 1]
    return append.kind == APPEND and note_pushing(append, receiver)


def note_given_functions(mark: Any, *arguments: Any) -> None:
    """Before a call that calls functions among its arguments."""
    strange = [
        each for each in arguments if id(type(each)) in _CALLED and (is_strange(each) or is_init(each))
    ]
    if strange:
        _note_all(mark, (*arguments, *chain.from_iterable(map(_belongings, strange))))
        return
    for each in arguments:
        note_used(mark, each)


def note_handing_by(mark: Any, given: Any, path: str, value: Any) -> Any:
    """The same for one argument, which it gives; `given.path` is the function."""
    if ANY.on:
        function = found_along(given, path) if path else given
        if function is UNKNOWN or (id(type(function)) in _CALLED and is_strange(function)):
            _note(mark, function, value)
    return value


def _note(mark: Any, function: Any, *objects: Any, joins: bool = True) -> None:
    if _sleeps(function):
        expect_filling()
    _note_all(mark, (*objects, *_belongings(function)), joins=joins)


def _note_all(mark: Any, objects: tuple[Any, ...], *, joins: bool = True) -> None:
    some = [each for each in objects if SHAPES[type(each)] is not None or UNNOTED[type(each)]]
    if not (some and note_all_reached(mark, some, joins=joins)):
        expect_result(mark, joins=joins)


def _sleeps(function: Any) -> bool:
    """Whether it gives a coroutine."""
    kind = type(function)
    if kind is types.MethodType:
        function, kind = function.__func__, type(function.__func__)
    return kind is types.FunctionType and bool(function.__code__.co_flags & _ASYNC)


_ASYNC = 0x380  # flags of code: coroutine, iterable coroutine, async generator


def _belongings(function: Any) -> tuple[Any, ...]:
    """What comes along with a function that is called."""
    kind = type(function)
    if kind is types.MethodType or issubclass(kind, types.BuiltinFunctionType):
        return (function.__self__,)
    if kind is functools.partial:
        return (*function.args, *dict.values(function.keywords), *_belongings(function.func))
    return () if id(kind) in _BARE or function is UNKNOWN else (function,)


_CALLED = frozenset(
    map(
        id,
        (
            types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial, type, types.MethodDescriptorType,
            types.WrapperDescriptorType, operator.methodcaller, operator.attrgetter,
        ),
    )
)  # fmt: skip
_BARE = frozenset(map(id, (types.FunctionType, type, staticmethod, classmethod)))


def note_called(mark: Any, name: str, called: Any, *arguments: Any) -> Any:
    """Before `called.name(…)`, or without a name `called(…)`, of which it gives what is called."""
    if not name:
        if ANY.on:
            _note_handed(mark, called, arguments)
    elif SIGNS[name].on and STRANGERS[name][type(called)]:
        _note_handed_to(mark, called, name, arguments)
    return called


def note_called_at_last(mark: Any, name: str, *given: Any) -> None:
    """The same when all arguments are known: some of them, and what is called."""
    note_called(mark, name, given[-1], *given[:-1])


def note_handing(mark: Any, function: Any, value: Any) -> Any:
    """The same for one argument, which it gives."""
    if ANY.on:
        _note_handed(mark, function, (value,))
    return value


def note_handing_to(mark: Any, receiver: Any, path: str, value: Any) -> Any:
    if ANY.on:
        _note_handed_to(mark, receiver, path, (value,))
    return value


def note_used(mark: Any, obj: Any) -> Any:
    """Before somebody asks it for its items: until it is exhausted, it may change what it has."""
    if ANY.on and MAY_WORK[type(obj)] and (some := _at_work_on(obj)) is not None:
        _note_all(mark, tuple(some))
    return obj


def note_gone_through(mark: Any, obj: Any) -> Any:
    """Before `for` goes through it: an iterable of the same items, before each of which it is looked at again."""
    if not (ANY.on and MAY_WORK[type(obj)] and (some := _at_work_on(obj)) is not None):
        return obj
    note_all_reached(mark, some)

    def ask() -> None:
        if (now := _at_work_on(obj)) is not None:
            look_at(mark, now)

    return map(give_second, iter(ask, ask), obj)


give_second = dict[Any, Any]().get  # as nothing is in there


def note_entering(mark: Any, obj: Any) -> Any:
    """Before `with` enters it: until it is left, it may change what it has."""
    if ANY.on and MAY_WORK[type(obj)] and (some := _at_work_on(obj)) is not None:
        if not note_all_reached(mark, some):
            expect_result(mark)
        if KEPT[type(obj)]:
            keep_in_use(mark, obj)
    return obj


def note_entered(*marks: Any) -> None:
    """When `with` has entered what was noted with some marks."""
    for mark, obj in in_use(marks):
        note_all_reached(mark, _in_use_by(obj))


def note_leaving(*marks: Any) -> None:
    """Before `with` leaves it again."""
    found = in_use(marks, over=True)
    if found:
        look_at(found[0][0], [part for _, obj in found for part in _in_use_by(obj)])


def _in_use_by(obj: Any) -> list[Any]:
    """By a manager that has been entered."""
    return _at_work_on(_get(obj.__dict__, "gen") if id(type(obj)) in _MANAGERS else obj) or []


class _MayWork(Table):
    """class → whether its objects may be at work for strangers while a `with` or a `for` goes on."""

    def __missing__(self, cls: type) -> bool:
        found = (name for name in _USED if find_in_class(cls, name) is not ABSENT)
        made = id(cls) in _MANAGERS or id(cls) in _GENERATORS
        told = self[cls] = made or any(STRANGERS[name].in_classes[cls][0] for name in found)
        return told


MAY_WORK = _MayWork()


def _at_work_on(obj: Any) -> list[Any] | None:
    """What strangers have in hand until an object of theirs is left or exhausted; None for objects of others."""
    kind = type(obj)
    if id(kind) in _MANAGERS:
        made_by = obj.__dict__
        if not is_strange(_get(made_by, "func", UNKNOWN)):
            return None
        return [_get(made_by, "args"), _get(made_by, "kwds")]
    if id(kind) in _GENERATORS:
        code, frame = (
            (obj.gi_code, obj.gi_frame) if kind is types.GeneratorType else (obj.ag_code, obj.ag_frame)
        )
        if frame is None or id(code) in RECORDED:  # it has ended
            return None
        module = _get(frame.f_globals, "__name__")
        return None if type(module) is str and only_reads(module) else list(dict(frame.f_locals).values())
    return [obj]


_USED = ("__exit__", "__aexit__", "__iter__", "__next__", "__aiter__", "__getitem__")
# By address: a metaclass may say itself how its classes compare.
_MANAGERS = frozenset(
    map(id, (contextlib._GeneratorContextManager, contextlib._AsyncGeneratorContextManager))
)
_GENERATORS = frozenset(map(id, (types.GeneratorType, types.AsyncGeneratorType)))
