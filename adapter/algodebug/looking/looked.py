"""What was looked at: of each container which items, or all of them; of some values all that can be reached from them.

Items are known by their key (of a list the index) at the time of the look. Asking a list's length, or which object a
value is, is no look at items: a question tells both without them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from algodebug.slicing import known, variables
from algodebug.slicing.instances import (
    ATTRIBUTE,
    CALL,
    CONSTANT,
    COPIES,
    DISPLAY,
    FREE,
    GLOBAL,
    ITEM,
    LIBRARY,
    OPERATION,
    PART,
    SLICED,
    UNSET,
    Called,
    Instance,
)
from algotrace.scopes import imports
from algotrace.value_text import COMPOUND

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

ITEMS = frozenset({"list", "tuple", "dict", "set", "frozenset", "deque"})
INDEXED = frozenset({"list", "tuple", "deque"})
_MOST_REACHED = (
    40_000  # times that an object is come to that can be reached from what was looked at as a whole
)
_MOST_UNPACKED = 20  # tuples in tuples
_MOST_GIVEN = 5_000  # values that a generator yielded
_SCALARS = frozenset({"int", "float", "complex", "bool", "str", "bytes", "object"})
# Kinds of library objects that hold nothing of the program.
_HARMLESS = frozenset(
    {"Pattern", "Match", "range", "slice", "ellipsis", "NotImplementedType", "builtin_function_or_method", "object",
     "code", "StringIO", "BytesIO", "TextIOWrapper", "Random", "method_descriptor", "wrapper_descriptor", "getset_descriptor"}
)  # fmt: skip
# Their objects hold nothing but their attributes.
_PLAIN_MODULES = frozenset(
    {"abc", "argparse", "ast", "_ast", "collections", "configparser", "dataclasses", "datetime", "decimal", "enum", "fractions", "io",
     "_io", "json", "logging", "numbers", "optparse", "pathlib", "pprint", "random", "re", "string", "textwrap", "types",
     "typing", "unittest", "uuid"}
)  # fmt: skip


class Unsure(Exception):
    """Something may have been looked at that no evaluation shows."""


class Looked:
    """Mutable while evaluations are read, then left alone."""

    def __init__(self, graph: Graph, nodes: Container[int], since: int = -1) -> None:
        """Of what the `nodes` did; of what lies before a time in the first of them nothing."""
        self.graph = graph
        self._nodes = nodes
        self._since = since
        self.keys: dict[int, set[Any]] = {}
        self.whole: set[int] = set()
        self._reached: set[tuple[int, int]] = set()
        self._visited = 0

    # -- one container

    def item(self, number: int, key: Any) -> None:
        """One item of a container."""
        self.keys.setdefault(number, set()).add(key)

    def items(self, number: int) -> None:
        """All items of a container; not what is in them."""
        self.whole.add(number)

    # -- all of a value

    def reach(self, number: int, time: int) -> None:
        """A value, and all that can be reached from it. Raises Unsure where that is not known."""
        trace = self.graph.trace
        todo = [number]
        while todo:
            number = todo.pop()
            self._visited += 1
            if self._visited > _MOST_REACHED:
                raise Unsure("too much is looked at")
            row = trace.row(number)
            if type(row) is not list:
                continue
            if row[0] not in COMPOUND:
                if row[0] == "function":
                    self._function(row)
                elif row[0] == "opaque":
                    self._opaque(row)
                elif row[0] == "unknown":
                    raise Unsure("an unknown object")
                continue
            if row[0] == "instance" and not trace.type_of(row[1])[2]:
                name, module = trace.type_of(row[1])[:2]
                if module.partition(".")[0] not in _PLAIN_MODULES:  # it may hold more than its attributes
                    raise Unsure(f"an object of {module}.{name}")
            state = (number, time if trace.is_written(number) else 0)
            if state in self._reached:
                continue
            self._reached.add(state)
            self.whole.add(number)
            content = trace.content(number, time)
            todo += content.attributes.values()
            todo += content.items
            for pair in content.pairs.values():
                todo += pair
            if row[0] == "based":
                todo.append(row[2])

    def _function(self, row: list[Any]) -> None:
        """What a function of the program looks at is recorded; one of a library may hold something to look at."""
        name, file = row[1], row[3]
        bound = "." in name and not file and name.partition(".")[0] not in _SCALARS
        if bound or ("<locals>" in name and not self._is_own(file)):
            raise Unsure(f"what {name} holds")

    def _is_own(self, file: str) -> bool:
        return any(source.path == file for source in self.graph.trace.sources)

    def _opaque(self, row: list[Any]) -> None:
        """An iterator, say: what it holds is not recorded."""
        name = self.graph.trace.type_of(row[1])[0] if row[1] else ""
        if name not in _HARMLESS:
            raise Unsure(f"a {name}")

    def all_of(self, instance: Instance) -> None:
        """All of what an evaluation gave; where the trace does not name it, of what it was computed from."""
        todo, seen = [(instance, instance.time)], set[int]()
        while todo:
            made, time = todo.pop()
            if id(made) in seen or made.value is not UNSET or made.kind == CONSTANT:
                continue
            seen.add(id(made))
            number = self.number(made)
            if number:
                here = self.made_here(made)
                if here is None:
                    self.reach(number, time)
                elif is_lazy(self, here, here.detail):
                    todo += [(each, time) for each in self._sources(here)]
                continue
            todo += [(each, time) for each in self._sources(made)]

    def _sources(self, made: Instance) -> list[Instance]:
        kind = made.kind
        if kind in COPIES and made.copy is not None:
            return [made.copy]
        if kind in (ITEM, PART, SLICED, ATTRIBUTE):
            return made.uses[:1]
        if kind == DISPLAY:
            return [*(made.detail.values() if isinstance(made.detail, dict) else made.detail), *made.uses]
        if kind == OPERATION:
            self._given_by(made.activation.ran_in.get(made.order, ()))
            return [*made.uses, *made.shape, *made.deep, *([made.copy] if made.copy is not None else [])]
        if kind == LIBRARY and isinstance(made.detail, Called):
            called = made.detail
            self._given_by(called.nodes)
            given = [value for _, value in (*called.arguments, *called.keywords)]
            given += [inner.outcome for inner in called.inline if inner.outcome is not None]
            return given + ([called.receiver] if called.receiver is not None else [])
        if kind == CALL:
            self._given_by([made.detail.target])
            return []
        if kind == GLOBAL and self._is_code(made):
            return []
        raise Unsure(f"what a {kind} gave: {made.detail if kind == GLOBAL else made}")

    def _is_code(self, name: Instance) -> bool:
        """A builtin, or something of a library that was imported: nothing that the program keeps its data in."""
        trace = self.graph.trace
        if self.graph.is_builtin(name.activation, name) or name.detail in trace.lookups.own_names:
            return True
        module, what = _imports(trace.sources[name.activation.source].text).get(name.detail, ("", ""))
        if not module or module.startswith("."):
            return False
        return not what or not trace.lookups.sources_of(module)

    def _given_by(self, nodes: Iterable[int]) -> None:
        """All of what calls gave."""
        trace = self.graph.trace
        for node in nodes:
            value = trace.call_outcome(node).value
            if value is None or value.kind == "none":
                continue
            given = [part.value for part in value.parts(0, _MOST_GIVEN)] if value.identity < 0 else [value]
            if value.identity < 0 and (value.length or 0) > _MOST_GIVEN:
                raise Unsure("much was yielded")
            for each in given:
                self.reach(each.identity, trace.end[node] + 1)

    def origin(self, instance: Instance) -> Instance:
        """Where a value was made; of `a, b = x, y` each is followed."""
        origin = known.origin(self.graph, instance)
        for _ in range(_MOST_UNPACKED):
            if origin.kind != PART:
                break
            shown = known.origin(self.graph, origin.uses[0])
            part = known.element(shown, ("item", origin.detail)) if shown.kind == DISPLAY else None
            if part is None:
                break
            origin = known.origin(self.graph, part)
        return origin

    def _covers(self, made: Instance) -> bool:
        return made.activation.node in self._nodes and made.time >= self._since

    def made_here(self, made: Instance) -> Instance | None:
        """The library call in which a library object was made, if the call did that itself.

        What it was given was looked at then, or of what is handed out later, the items.
        """
        row = self.row(made)
        if type(row) is not list or row[0] not in ("opaque", "instance"):
            return None
        if row[0] == "instance" and self.graph.trace.type_of(row[1])[2]:
            return None
        origin = self.origin(made)
        here = origin.kind == LIBRARY and isinstance(origin.detail, Called)
        return origin if here and self._covers(origin) else None

    # -- what is to be known of an evaluation

    def number(self, instance: Instance) -> int:
        """The object an evaluation gave; of a name that an import bound what it is in the end. 0 where it is not known."""
        found = self.graph.number(instance)
        seen: Instance | None = instance
        while not found and seen is not None and seen.kind in COPIES:
            seen = seen.copy
        if found or seen is None:
            return found
        if seen.kind == FREE:
            return self._number_around(seen)
        if seen.kind != GLOBAL:
            return 0
        trace = self.graph.trace
        for module in trace.lookups.modules_of(seen.activation.source):
            if seen.detail in trace.modules.get(module, ()):
                return trace.modules[module][seen.detail]
        return 0

    def _number_around(self, free: Instance) -> int:
        """A variable of a function around, where that was bound once."""
        definers = variables.definers(self.graph, free)
        is_told = len(definers) == 1 and not definers[0].failed
        stores = definers[0].stores.get(free.detail, []) if is_told else []
        return self.graph.number(stores[0]) if len(stores) == 1 else 0

    def row(self, instance: Instance) -> Any:
        """Its row in the trace; None where it is not known."""
        number = self.number(instance)
        return self.graph.trace.row(number) if number else None

    def key(self, instance: Instance) -> Any:
        """What a container tells its items apart by; UNSET where that is not known."""
        found = self.graph.value(instance)
        if isinstance(found, (int, str, float, type(None))):
            return found
        number = self.number(instance)
        return self.graph.trace.key_identity(number) if number else UNSET

    def size(self, instance: Instance) -> None:
        """Whether there is anything, or how much."""
        row = self.row(instance)
        if type(row) is list and row[0] in ("instance", "based", "opaque"):
            if row[0] == "instance" and self.graph.trace.type_of(row[1])[2]:
                return  # a `__len__` of the program is a call of its own
            self.all_of(instance)

    def container(self, instance: Instance) -> tuple[int, str]:
        """The object an evaluation gave, if it is a plain container, and its kind; else 0."""
        number = self.number(instance)
        row = self.graph.trace.row(number) if number else None
        if type(row) is list and row[0] in ITEMS:
            return number, row[0]
        return 0, ""

    def items_of(self, instance: Instance) -> None:
        """All items of what an evaluation gave, whatever that is."""
        number, _ = self.container(instance)
        if number:
            self.items(number)
        elif not self.is_handed_out(instance):
            self.all_of(instance)

    def is_handed_out(self, instance: Instance) -> bool:
        """Made here, of parts that were looked at when it was made: `enumerate(xs)`, a pair of it, `[a, b]`."""
        seen = 0
        while seen < 20:
            origin = self.origin(instance)
            if not self._covers(origin):
                return False
            if origin.kind in (DISPLAY, SLICED):
                return True
            if origin.kind == LIBRARY and isinstance(origin.detail, Called):
                return is_lazy(self, origin, origin.detail)
            if origin.kind != PART or self.number(origin):
                return False
            instance = origin.uses[0]
            seen += 1
        return False

    def look(self, base: Instance, key: Any, time: int) -> None:
        """At one item of what an evaluation gave; at all of them where there is no such item."""
        number, kind = self.container(base)
        if not number:
            if not self.is_handed_out(base):
                self.all_of(base)
            return
        content = self.graph.trace.content(number, time)
        if kind in INDEXED:
            size = len(content.items)
            if type(key) in (int, bool) and -size <= key < size:
                return self.item(number, key % size)
        elif kind == "dict" and key in content.pairs:
            return self.item(number, key)
        self.items(number)

    def member(self, within: Instance, wanted: Instance, time: int) -> bool:
        """Whether something is a key of a dict or in a set: of one that has it, that alone is looked at."""
        number, kind = self.container(within)
        key = self.key(wanted)
        if kind not in ("dict", "set", "frozenset") or key is UNSET:
            return False
        self.all_of(wanted)  # it is hashed
        if key in self.graph.trace.content(number, time).pairs:
            self.item(number, key)
        else:
            self.items(number)
        return True


@lru_cache(maxsize=64)
def _imports(text: str) -> dict[str, tuple[str, str]]:
    return imports(text)


_LAZY = frozenset({"enumerate", "zip", "reversed", "iter", "list", "tuple"})
_VIEWS = frozenset({"items", "keys", "values"})


def is_lazy(looked: Looked, made: Instance, called: Called) -> bool:
    """A call that hands out the items of what it is given, as they are."""
    if called.nodes or called.inline:
        return False
    if called.name in _LAZY and looked.graph.is_builtin(made.activation, called.function):
        return True
    receiver = called.receiver
    return called.name in _VIEWS and receiver is not None and looked.container(receiver)[1] == "dict"


__all__ = ["INDEXED", "ITEMS", "Looked", "Unsure", "is_lazy"]
