"""What calls of code that is not recorded look at: of what they are given all, but for what is known better."""

from __future__ import annotations

from collections.abc import Callable

from algodebug.looking.looked import Looked, Unsure, is_lazy
from algodebug.slicing import containers
from algodebug.slicing.instances import ATTRIBUTE, GLOBAL, LIBRARY, UNSET, Called, Instance

_SIZES = frozenset({"len", "bool"})
# Which object it is, or of what class: no item is looked at.
_IDENTITIES = frozenset({"isinstance", "issubclass", "type", "id", "callable", "range", "super", "object"})
_LOOK_ANYWHERE = frozenset({"globals", "locals", "vars", "dir", "eval", "exec", "compile", "__import__", "breakpoint", "help"})  # fmt: skip


def call(looked: Looked, made: Instance, called: Called) -> None:
    """A call that no recorded function explains."""
    graph, function = looked.graph, called.function
    arguments = [value for _, value in called.arguments]
    keywords = [value for _, value in called.keywords]
    plain = not any(starred for starred, _ in called.arguments) and all(name for name, _ in called.keywords)
    if function is not None and function.kind not in (ATTRIBUTE, GLOBAL):
        function = looked.origin(function)
    if function is None:
        raise Unsure("a call of nothing")
    if graph.is_builtin(made.activation, function):
        if called.name in _LOOK_ANYWHERE:
            raise Unsure(called.name)
        if plain and _builtin(looked, made, called, arguments):
            return
    elif function.kind == ATTRIBUTE:
        receiver = function.uses[0]
        if plain and not keywords and _method(looked, made, called.name, receiver, arguments):
            return
        _receiver(looked, made, receiver)
    elif looked.number(function):
        row = looked.row(function)
        if type(row) is list and row[0] == "method":
            looked.reach(row[2], made.time)
        else:
            looked.all_of(function)
    elif function.kind != GLOBAL:
        raise Unsure("a call of something that is not known")
    for value in (*arguments, *keywords):
        looked.all_of(value)


def _builtin(looked: Looked, made: Instance, called: Called, arguments: list[Instance]) -> bool:
    name = called.name
    if name in _SIZES:
        for argument in arguments:
            looked.size(argument)
        return True
    if name in _IDENTITIES:
        return True
    if name == "next" and arguments:
        here = looked.made_here(arguments[0])
        return here is not None and is_lazy(looked, here, here.detail)
    if is_lazy(looked, made, called) or (name == "dict" and all(_is_dict(looked, a) for a in arguments)):
        for argument in arguments:
            looked.items_of(argument)
        return not called.keywords
    return False


def _is_dict(looked: Looked, instance: Instance) -> bool:
    return looked.container(instance)[1] == "dict"


def _receiver(looked: Looked, made: Instance, receiver: Instance) -> None:
    origin = looked.origin(receiver)
    if origin.kind == LIBRARY and isinstance(origin.detail, Called) and origin.detail.name == "super":
        for own in list(made.activation.parameters.values())[:1]:
            looked.all_of(own)
        return
    row = looked.row(receiver)
    if type(row) is list and row[0] in ("module", "class"):
        return
    looked.all_of(receiver)


# Methods of builtin containers


def _method(looked: Looked, made: Instance, name: str, receiver: Instance, arguments: list[Instance]) -> bool:
    number, kind = looked.container(receiver)
    found = _METHODS.get((kind, name))
    if not number or found is None:
        return False
    found(looked, made, receiver, arguments)
    return True


def _nothing(looked: Looked, made: Instance, receiver: Instance, arguments: list[Instance]) -> None:
    return


def _all_items(looked: Looked, made: Instance, receiver: Instance, arguments: list[Instance]) -> None:
    looked.items_of(receiver)


def _given_items(looked: Looked, made: Instance, receiver: Instance, arguments: list[Instance]) -> None:
    for argument in arguments:
        looked.items_of(argument)


def _by_key(looked: Looked, made: Instance, receiver: Instance, arguments: list[Instance]) -> None:
    """`d.get(k)`, `d.pop(k)`: before the call changed it."""
    key = looked.key(arguments[0]) if arguments else UNSET
    if key is UNSET:
        looked.items_of(receiver)
    else:
        looked.look(receiver, key, _before(looked, made, receiver))


def _membership(looked: Looked, made: Instance, receiver: Instance, arguments: list[Instance]) -> None:
    for argument in arguments:
        if not looked.member(receiver, argument, made.time):
            looked.items_of(receiver)
            looked.all_of(argument)


def _pop(looked: Looked, made: Instance, receiver: Instance, arguments: list[Instance]) -> None:
    index = looked.graph.value(arguments[0]) if arguments else -1
    looked.look(receiver, index, _before(looked, made, receiver))


def _popleft(looked: Looked, made: Instance, receiver: Instance, arguments: list[Instance]) -> None:
    looked.look(receiver, 0, _before(looked, made, receiver))


def _before(looked: Looked, made: Instance, receiver: Instance) -> int:
    return containers.before_change(looked.graph, looked.number(receiver), made)


_METHODS: dict[tuple[str, str], Callable[[Looked, Instance, Instance, list[Instance]], None]] = {
    **{("list", name): _nothing for name in ("append", "insert", "clear")},
    **{("deque", name): _nothing for name in ("append", "appendleft", "clear")},
    **{("list", name): _all_items for name in ("copy", "reverse")},
    **{("dict", name): _all_items for name in ("copy", "items", "keys", "values")},
    **{("dict", name): _by_key for name in ("get", "setdefault", "pop")},
    **{(kind, "__contains__"): _membership for kind in ("dict", "set", "frozenset")},
    ("dict", "__getitem__"): _by_key,
    ("dict", "clear"): _nothing,
    ("list", "extend"): _given_items,
    ("deque", "extend"): _given_items,
    ("list", "pop"): _pop,
    ("deque", "pop"): _pop,
    ("deque", "popleft"): _popleft,
}
