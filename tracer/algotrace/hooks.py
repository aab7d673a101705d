"""What placeholders in instrumented code stand for.

In functions every hook is a C function (no frame, nothing for a debugger to step into). Where code can have no
temporaries (modules, classes, comprehensions, functions that call `locals()`), the small Python functions here log
a write and hand their argument on.
"""

from __future__ import annotations

import functools
import operator
import sys
import types
from typing import Any
from collections.abc import Iterable

from algotrace import BUILTINS
from algotrace.class_tables import (
    Classes, Table, mro_of, note_class, note_import,
)  # fmt: skip
from algotrace.code_in_text import note_code
from algotrace.giving import (
    attributes_of, note_all_given, note_all_given_in_turn, note_any_change, note_attributes, note_bound_by_hand, note_getting, note_getting_from, note_given, note_lent, note_namespace, note_owner_changed, note_owner_changed_late, note_receiver,
)  # fmt: skip
from algotrace.handed import (
    MAY_WORK, give_second, note_appending_to, note_called, note_called_at_last, note_entered, note_entering, note_given_functions, note_gone_through,
    note_handed, note_handed_to, note_handing, note_handing_by, note_handing_to, note_leaving, note_used,
)  # fmt: skip
from algotrace.appending import note_pushing
from algotrace.changed_parts import PART_HOOKS
from algotrace.quiet_lookups import LOOKUP_HOOKS
from algotrace.methods_by_other_names import METHOD_HOOKS, READERS
from algotrace.through_views import content_through, note_item_through
from algotrace.held import HOLDING_HOOKS, keep, take
from algotrace.object_makers import note_loading, note_made_for, note_making
from algotrace.made_again import MADE_AGAIN_HOOKS, note_filled_mixed
from algotrace.marks import ABSENT, Mark, UNKNOWN
from algotrace.mutators import (
    DEFAULTING, NOTHING, MethodReaders, behind_super, library_effect, library_undo, pops_member, self_of_super, whole,
)  # fmt: skip
from algotrace.at_work import note_reachable
from algotrace.operations import HOOKS, OF_STRANGERS, OPERATING, STORING
from algotrace.in_hand import note_class_in_hand
from algotrace.reached import SHAPES
from algotrace.strange_calls import FAMILIAR, STRANGERS
from algotrace.strangers import ANY, MAKING, FILLING, SIGNS, expect_changes, note_imported
from algotrace.sleeping import SLEEPING_HOOKS
from algotrace.streams import ALONE, MAIN, RECORDED, STREAMS, UNITS, new_token
from algotrace.undo import (
    CONTAINER_KINDS, CONTAINERS, COPIES, KEPT, MIXED, NAMES_OF_CLASSES, NOT_A_CONTAINER, PASSED_ON, READ_ERRORS, AttributeReaders, StoreReaders,
    copy_before_deletion, dictionary_reader, note_mixed, note_names as note_names_of_class, read_item, read_mapping, witness,
)  # fmt: skip
from algotrace.weak_proxies import seen_through

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_frame = sys._getframe


def note_any_import(modules: tuple[str, ...]) -> None:
    """After an import statement of the program; `modules` may be strangers."""
    note_import()
    note_imported(modules)


def note_value(mark: Mark, value: Any) -> Any:
    STREAMS.events.extend((mark, value))
    return value


def note_done(mark: Mark, value: Any) -> Any:
    """After a call that has changed something."""
    STREAMS.events.append(mark)
    return value


def note_bound_value(mark: Mark, value: Any) -> Any:
    STREAMS.events.extend((mark, value if KEPT[type(value)] else UNKNOWN))
    return value


def note_rebound(mark: Mark, value: Any, old: Any) -> Any:
    old = old if KEPT[type(old)] else UNKNOWN
    STREAMS.events.extend((mark, old, value if KEPT[type(value)] else UNKNOWN))
    return value


def note_attribute(mark: Mark, readers: AttributeReaders, owner: Any) -> Any:
    STREAMS.events.extend((mark, owner, readers[type(owner)](owner, readers.name, ABSENT)))
    return owner


def note_attribute_deleted(mark: Mark, readers: AttributeReaders, owner: Any) -> Any:
    STREAMS.events.extend((mark, owner, readers.name, readers[type(owner)](owner, readers.name, ABSENT)))
    return owner


def note_passed(mark: Mark, argument: Any) -> Any:
    passed = self_of_super(argument) if type(argument) is super else argument
    if PASSED_ON[type(passed)]:
        STREAMS.events.extend((mark, passed, witness(passed)))
    return argument


def note_method_kept(mark: Mark, argument: Any) -> Any:
    """Before somebody gets a method of it."""
    expect_changes(argument)
    return note_passed(mark, argument)


def note_method_named(mark: Mark, argument: Any) -> Any:
    """A method of it is given a name and is called by that alone, as far as its file goes: see `kept_methods`."""
    passed = self_of_super(argument) if type(argument) is super else argument
    if PASSED_ON[type(passed)]:
        STREAMS.events.extend((mark, passed, NOTHING))
    else:
        expect_changes(passed)
    return argument


def given_to_print(*arguments: Any) -> tuple[Any, ...]:
    return arguments


given_to_print.__module__, given_to_print.__qualname__ = (
    "builtins",
    "print",
)  # for Python's words on `print(*3)`


def without_endings(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """What `print` is given, for the trace: an exception of a builtin class by its text, where that is its argument."""
    texts: list[Any] = []
    for argument in arguments:
        cls = type(argument)
        if KEPT[cls]:
            texts.append(argument)
        elif cls in _BUILTIN_EXCEPTIONS and len(given := _exception_arguments(argument)) == 1:
            texts.append(given[0] if KEPT[type(given[0])] else UNKNOWN)
        else:
            texts.append(UNKNOWN)
    return tuple(texts)


def note_print(mark: Mark, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    STREAMS.events.extend((mark, without_endings(arguments)))
    return arguments


_exception_arguments = BaseException.__dict__["args"].__get__
# A KeyError's text is the repr of its argument, an OSError's is made of several.
_BUILTIN_EXCEPTIONS = Classes(
    {ValueError, TypeError, RuntimeError, AssertionError, IndexError, ArithmeticError, ZeroDivisionError, OverflowError,
     LookupError, AttributeError, NameError, NotImplementedError, Exception, RecursionError, StopIteration}
)  # fmt: skip


def note_item(mark: Mark, key: Any) -> Any:
    """Before `container[key] = …`: the container was held."""
    _note_item(mark, take(_frame(1)), key)
    return key


def _note_item(mark: Mark, container: Any, key: Any) -> None:
    kind = CONTAINER_KINDS[type(container)]
    if kind != NOT_A_CONTAINER:
        try:
            old = read_item(container, key)
        except READ_ERRORS:
            old = ABSENT
        STREAMS.events.extend((mark, container, key, old))
    elif type(container) is memoryview:
        note_item_through(mark, container, key)


def note_deleted(mark: Mark, order: Mark, key: Any) -> Any:
    """Before `del container[key]`; `order` is for a copy that tells the order of a dict's keys."""
    container = take(_frame(1))
    if (copy := copy_before_deletion(container)) is not None:
        STREAMS.events.extend((order, container, copy))
    _note_item(mark, container, key)
    return key


def note_attribute_kept(mark: Mark, readers: AttributeReaders, owner: Any) -> Any:
    """For `owner.name += …`: the old value waits for `note_kept_in_place`."""
    old = readers[type(owner)](owner, readers.name, ABSENT)
    STREAMS.events.extend((mark, owner, old))
    keep(_frame(1), old)
    return owner


def note_item_kept(mark: Mark, key: Any) -> Any:
    """For `container[key] += …`: the old value waits for `note_kept_in_place`."""
    frame = _frame(1)
    container = take(frame)
    _note_item(mark, container, key)
    keep(frame, ABSENT if type(container) is memoryview else STREAMS.events[-1])
    return key


def note_attribute_stored(mark: Mark, readers: AttributeReaders, value: Any) -> Any:
    """For `owner.name += value`, where working out the value may have changed the attribute: the owner was held."""
    note_attribute(mark, readers, take(_frame(1)))
    return value


def note_item_stored(mark: Mark, value: Any) -> Any:
    """For `container[key] += value` likewise: container and key were held."""
    frame = _frame(1)
    key = take(frame)
    _note_item(mark, take(frame), key)
    return value


def note_kept_item_stored(mark: Mark, value: Any) -> Any:
    """The same, where the old value waits for `note_kept_in_place`: it was held between container and key."""
    frame = _frame(1)
    key, old = take(frame), take(frame)
    _note_item(mark, take(frame), key)
    keep(frame, old)
    return value


def note_content_stored(mark: Mark, value: Any) -> Any:
    note_content(mark, take(_frame(1)))
    return value


def note_kept_in_place(mark: Mark, readers: MethodReaders, operand: Any) -> Any:
    return note_in_place(mark, readers, take(_frame(1)), operand)


def note_default(mark: Mark, key: Any) -> Any:
    container = take(_frame(1))
    if DEFAULTING[type(container)]:
        STREAMS.events.extend((mark, container, key, read_mapping(container, key)))
    return key


def note_content(mark: Mark, container: Any) -> Any:
    STREAMS.events.extend((mark, *content_through(container)))
    return container


def note_mutation(mark: Mark, readers: MethodReaders | None, receiver: Any, *arguments: Any) -> Any:
    if readers is None:  # append: nothing to read
        if not note_pushing(mark, receiver):
            STREAMS.events.extend((mark, receiver))
    else:
        reader = readers[type(receiver)]
        if reader is not None:
            STREAMS.events.extend((mark, receiver, reader(receiver, *arguments)))
    return receiver


def note_held_mutation(mark: Mark, readers: MethodReaders | None, tells: bool, last: Any) -> Any:
    """Before a method is called whose arguments are not known until `last` is; the receiver was held.

    With `tells` the last argument is the only one, and the readers want it.
    """
    note_mutation(mark, readers, take(_frame(1)), *((last,) if tells else ()))
    return last


def note_named_held(mark: Mark, last: Any) -> Any:
    """Before `setattr(owner, name, last)`: owner and name were held."""
    frame = _frame(1)
    name = take(frame)
    _note_named(mark, take(frame), name)
    return last


class _Copying(MethodReaders):
    """Used where the arguments are not known yet: a copy of all of the container."""

    def __missing__(self, cls: type) -> Any:
        reader = self[cls] = whole if CONTAINERS[cls] else None
        return reader


def note_library(mark: Mark, function: Any, container: Any) -> Any:
    """Before `heappop(container)` and the like."""
    _note_effect(mark, function, container, None)
    return container


def note_library_item(mark: Mark, function: Any, item: Any) -> Any:
    """Before `heappush(container, item)` and the like: the container was held."""
    _note_effect(mark, function, take(_frame(1)), item)
    return item


def _note_effect(mark: Mark, function: Any, container: Any, item: Any) -> None:
    effect = library_effect(function)
    if effect and issubclass(type(container), list):
        STREAMS.events.extend((mark, container, library_undo(effect, container, item)))
    elif effect and CONTAINERS[type(container)]:
        STREAMS.events.extend((mark, container, witness(container)))


def note_names(mark: Mark, content: Mark, given: Any) -> Any:
    """Before `owner.__dict__.update(given)`: the owner was held."""
    owner = take(_frame(1))
    names = names_given(given)
    if names is None:
        note_any_change(mark, content, owner)
    else:
        _note_inside(mark, owner, names)
    return given


def names_given(given: Any) -> Any:
    """The keys of what `update` is given; None where they are known only later."""
    cls = type(given)
    if issubclass(cls, dict):
        return dict.keys(given)
    if cls is list and all(type(pair) is tuple and len(pair) == 2 for pair in given):
        return [key for key, _ in given]
    return None


def _note_inside(mark: Mark, owner: Any, names: Iterable[Any]) -> None:
    """What attributes in the `__dict__` of an object are now, or names of a module, past properties and slots."""
    events, get = STREAMS.events, dict.get
    inside = owner if type(owner) is dict else _inside(owner)
    for name in names:
        if type(name) is str:
            old = UNKNOWN if inside is None else get(inside, name, ABSENT)
            if inside is owner and not KEPT[type(old)]:
                old = UNKNOWN
            events.extend((mark, owner, name, old))


def _inside(owner: Any) -> dict[Any, Any] | None:
    owner = seen_through(owner)
    read = _DICTIONARIES[type(owner)]
    try:
        return None if read is None else read(owner)
    except TypeError:  # the descriptor of a base with another layout
        return None


class _Dictionaries(Table):
    """class → how to get at the `__dict__` of its objects."""

    def __missing__(self, cls: type) -> Any:
        read = self[cls] = dictionary_reader(cls)
        return read


_DICTIONARIES = _Dictionaries()


def note_named_inside(mark: Mark, name: Any) -> Any:
    """Before `owner.__dict__[name] = …` and the like: the owner was held."""
    _note_inside(mark, take(_frame(1)), (name,))
    return name


def note_named(mark: Mark, name: Any) -> Any:
    """Before `setattr(owner, name, …)`, `delattr`, `object.__setattr__`: the owner was held."""
    _note_named(mark, take(_frame(1)), name)
    return name


def _note_named(mark: Mark, owner: Any, name: Any) -> None:
    if type(owner) is super:
        owner, _ = behind_super(owner, "__setattr__")
    if type(name) is str and name == "__dict__":
        STREAMS.events.extend((mark, owner, name, attributes_of(owner)))
    elif type(name) is str:
        STREAMS.events.extend((mark, owner, name, ATTRIBUTES[name][type(owner)](owner, name, ABSENT)))


def note_set_by_others(owner: Any, name: Any) -> None:
    """Before code that is not recorded does so."""
    if UNITS.units:
        _note_named(UNITS.marks[UNITS.units[0].mark_base + 3], owner, name)


def note_class_made(cls: Any) -> Any:
    if not MIXED.on:
        note_mixed(cls)
    note_filled_mixed(cls)
    note_names_of_class(cls)
    is_class = issubclass(type(cls), type)  # a metaclass may give something else
    if ANY.on and is_class and any(OF_STRANGERS[base] for base in (type(cls), *mro_of(cls)[1:])):
        note_class_in_hand(cls)  # a metaclass, or what is called when a class gets a base
    return note_class(cls)


def note_class_decorated(cls: Any) -> Any:
    """Before decorators get a class that may be strangers'."""
    if ANY.on and issubclass(type(cls), type):
        note_class_in_hand(cls)
    return cls


class _Attributes(dict[str, AttributeReaders]):
    def __missing__(self, name: str) -> AttributeReaders:
        readers = self[name] = AttributeReaders(name)
        return readers


ATTRIBUTES = _Attributes()


def note_in_place(mark: Mark, readers: MethodReaders, old: Any, operand: Any) -> Any:
    if CONTAINERS[type(old)] and (reader := readers[type(old)]) is not None:
        STREAMS.events.extend((mark, old, reader(old, operand)))
    return operand


class _Copies(dict[type, Any]):
    """A table that stands in `co_consts`: debuggers hash code objects, and with them their constants."""

    __hash__ = object.__hash__  # type: ignore[assignment]


OBJECTS: dict[str, Any] = {
    "streams": STREAMS,
    "alone": ALONE,
    "main": MAIN,
    "new_token": new_token,
    "exc_info": sys.exc_info,
    "exception_arguments": _exception_arguments,
    "base_exception": BaseException,
    "recursion_error": RecursionError,
    "name_error": NameError,
    "attribute_error": AttributeError,
    "read_errors": READ_ERRORS,
    "type": type,
    "getattr": getattr,
    "dict_get": dict.get,
    "absent": ABSENT,
    "unknown": UNKNOWN,
    "kept": KEPT,
    "containers": CONTAINERS,
    "witness": witness,
    "container_kinds": CONTAINER_KINDS,
    "passed_on": PASSED_ON,
    "read_mapping": read_mapping,
    "read_item": read_item,
    "note_class": note_class_made,
    "note_class_decorated": note_class_decorated,
    "note_import": note_any_import,
    "int": int,
    "str": str,
    "copying": _Copying("copy"),
    "copies": _Copies(COPIES),
    "len": len,
    "list": list,
    "set": set,
    "dict": dict,
    "all": all,
    "map": map,
    "is_kept": functools.partial(operator.getitem, KEPT),
    "given_to_print": given_to_print,
    "without_endings": without_endings,
    "note_print": note_print,
    "note_passed": note_passed,
    "note_method_kept": note_method_kept,
    "note_method_named": note_method_named,
    "id": id,
    "note_value": note_value,
    "note_bound_value": note_bound_value,
    "note_rebound": note_rebound,
    "globals": globals,
    "note_attribute": note_attribute,
    "note_attribute_deleted": note_attribute_deleted,
    "note_item": note_item,
    "note_deleted": note_deleted,
    "copy_before_deletion": copy_before_deletion,
    "note_default": note_default,
    "defaulting": DEFAULTING,
    "note_attribute_kept": note_attribute_kept,
    "note_item_kept": note_item_kept,
    "note_kept_in_place": note_kept_in_place,
    "note_attribute_stored": note_attribute_stored,
    "note_item_stored": note_item_stored,
    "note_kept_item_stored": note_kept_item_stored,
    "note_content_stored": note_content_stored,
    "note_content": note_content,
    "note_mutation": note_mutation,
    "note_in_place": note_in_place,
    "note_held_mutation": note_held_mutation,
    "note_named_held": note_named_held,
    "in place +=": operator.iadd,
    "in place -=": operator.isub,
    "in place *=": operator.imul,
    "in place |=": operator.ior,
    "in place &=": operator.iand,
    "in place ^=": operator.ixor,
    "note_library": note_library,
    "note_library_item": note_library_item,
    "note_named": note_named,
    "note_names": note_names,
    "note_named_inside": note_named_inside,
    "note_getting": note_getting,
    "note_getting_from": note_getting_from,
    "note_given": note_given,
    "note_attributes": note_attributes,
    "note_all_given": note_all_given,
    "note_bound_by_hand": note_bound_by_hand,
    "note_all_given_in_turn": note_all_given_in_turn,
    "note_lent": note_lent,
    "note_receiver": note_receiver,
    "note_reachable": note_reachable,
    "making": MAKING,
    "filling": FILLING,
    "strangers": ANY,
    "mixed": MIXED,
    "familiar": FAMILIAR,
    "recorded": RECORDED,
    "function": types.FunctionType,
    "shapes": SHAPES,
    "note_called": note_called,
    "note_called_at_last": note_called_at_last,
    "note_loading": note_loading,
    "note_made_for": note_made_for,
    "note_done": note_done,
    "note_making": note_making,
    "note_used": note_used,
    "may_work": MAY_WORK,
    "give_second": give_second,
    "note_handed": note_handed,
    "note_handed_to": note_handed_to,
    "note_appending_to": note_appending_to,
    "note_handing": note_handing,
    "note_entering": note_entering,
    "note_entered": note_entered,
    "note_leaving": note_leaving,
    "note_gone_through": note_gone_through,
    "note_given_functions": note_given_functions,
    "note_handing_by": note_handing_by,
    "note_handing_to": note_handing_to,
    "note_namespace": note_namespace,
    "note_owner_changed": note_owner_changed,
    "note_owner_changed_late": note_owner_changed_late,
    "note_code": note_code,
    "locals": locals,
    "pops_member": pops_member,
    **PART_HOOKS,
    **LOOKUP_HOOKS,
    **METHOD_HOOKS,
    **MADE_AGAIN_HOOKS,
    **SLEEPING_HOOKS,
    **HOLDING_HOOKS,
    **HOOKS,
}


class Objects(dict[str, Any]):
    """`OBJECTS`, the marks of one unit, and a table made on first use for each attribute and method name."""

    def __init__(self, marks: list[Mark]) -> None:
        super().__init__(OBJECTS)
        self.update((f"mark:{index}", mark) for index, mark in enumerate(marks))

    def __missing__(self, key: str) -> Any:
        family, _, name = key.partition(":")
        made: Any
        if family == "direct":
            made = self[f"store:{name}"].direct
        else:
            tables = {
                "attribute": AttributeReaders,
                "store": StoreReaders,
                "method": READERS.__getitem__,
                "strangers": STRANGERS.__getitem__,
                "sign": SIGNS.__getitem__,
                "of_class": NAMES_OF_CLASSES.__getitem__,
                "operating": OPERATING.__getitem__,
                "storing": STORING.__getitem__,
            }
            made = tables[family](name)
        self[key] = OBJECTS[key] = made
        return made
