"""What of its inputs a call surely did not look at: attributes that no code it ran names, parameters it does not use.

A question can leave that out. It is told from the text of the code that ran, by name: `.size` anywhere counts as a
reading of every `size`. Where some of that code is not the program's own, or finds attributes by a name that it works
out, nothing is left out; nor of objects of classes that may have methods nobody wrote (dataclasses, named tuples,
subclasses of library classes). Not told here: which items of a container were read.
"""

from __future__ import annotations

import ast
import builtins
import io
import re
from collections import deque
from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from algotrace.call_sites import read_text
from algotrace.scopes import imports

if TYPE_CHECKING:
    from algotrace.content import Content
    from algotrace.trace import Trace

_LONG = 200_000  # events of a call of which all of the program's text counts as run
_MOST_ROUTINES = 200  # that a call ran, each of which would have to be looked at
_LONGEST_TEXT = 300_000  # characters
_FIELD = re.compile(r"\.(\w+)")
# Builtin functions that may read attributes which no text names.
_LOOKING = frozenset(
    {"getattr", "hasattr", "setattr", "delattr", "vars", "dir", "locals", "globals", "eval", "exec", "compile", "__import__",
     "help", "input", "open", "memoryview", "breakpoint", "classmethod", "staticmethod", "property", "format"}
)  # fmt: skip
_HARMLESS = frozenset(
    name
    for name, value in vars(builtins).items()
    if callable(value) and not name.startswith("_") and name not in _LOOKING
)
# What they are given they compare and call, or it is a text or a number: they read no attributes by themselves.
_BLIND = frozenset(
    {"abc", "bisect", "cmath", "collections", "errno", "functools", "heapq", "html", "io", "itertools", "keyword", "math", "os",
     "random", "re", "string", "sys", "textwrap", "time", "token", "typing", "unicodedata", "warnings"}
)  # fmt: skip
_METHODS = frozenset(
    name
    for kind in (
        list,
        dict,
        set,
        frozenset,
        tuple,
        str,
        bytes,
        bytearray,
        int,
        float,
        deque,
        re.Pattern,
        re.Match,
        io.StringIO,
    )
    for name in dir(kind)
    if not name.startswith("_")
) - {"format", "format_map"}


class Named(NamedTuple):
    """Of a piece of text: the names of attributes in it, and whether more than those may be read."""

    attributes: frozenset[str]
    names: frozenset[str]  # plain ones, read or bound
    opaque: bool


class Unread:
    """Decides what is left out of values when they are shown: nothing."""

    parameters = frozenset[str]()  # those that are not used at all

    def leaves_out(self, number: int, type_number: int, attribute: str) -> bool:
        """Whether an attribute of an object is left out; the type is given by its number."""
        return False

    def items_shown(self, number: int, content: Content) -> Collection[int] | None:
        """The places of a container's items that are shown; None for all of them."""
        return None


class UnreadNames(Unread):
    """Decides for one call which attributes and parameters can be left out."""

    def __init__(self, trace: Trace, attributes: frozenset[str], parameters: frozenset[str]) -> None:
        self._trace = trace
        self._attributes = attributes
        self._plain: dict[int, bool] = {}
        self.parameters = parameters

    def leaves_out(self, number: int, type_number: int, attribute: str) -> bool:
        """Whether an attribute of objects of a type was not looked at."""
        private = attribute.partition("__")[2] if attribute.startswith("_") else ""
        if attribute in self._attributes or f"__{private}" in self._attributes:
            return False
        known = self._plain.get(type_number)
        if known is None:
            name, module = self._trace.type_of(type_number)[:2]
            known = self._plain[type_number] = is_plain(self._trace, name, module)
        return known


def unread_by(trace: Trace, node: int) -> Unread | None:
    """None where that cannot be told."""
    routine = trace.routines[trace.routine[node]]
    if routine.kind in ("module", "class") or node in trace.segments:
        return None
    first, last = trace.start[node], trace.end[node]
    ran = set(trace.routine[node : node + trace.size[node]])
    if last - first <= _LONG:
        ran.update(trace.marks[code].routine for code in trace.marks_between(first, last))
    else:
        ran.update(r.id for r in trace.routines if r.kind not in ("module",))
    attributes: set[str] = set()
    if len(ran) > _MOST_ROUTINES:
        return None
    functions, modules = trace.lookups.own_names, trace.lookups.own_modules
    for number in sorted(ran, key=lambda number: trace.routines[number].source):
        place = trace.routines[number]
        text = trace.sources[place.source].text
        if place.kind == "module" or len(text) > _LONGEST_TEXT:
            return None
        named = _named(text, place.line, place.end_line, functions, modules)
        if named is None or named.opaque:
            return None
        attributes |= named.attributes
    own = _named(trace.sources[routine.source].text, routine.line, routine.end_line, functions, modules)
    unused = frozenset[str]()
    if own is not None and not own.names & {"super", "__class__"}:
        unused = frozenset(name for name in routine.parameters if not name.startswith("*")) - own.names
    return UnreadNames(trace, frozenset(attributes), unused)


@lru_cache(maxsize=2048)
def _named(
    text: str, line: int, end_line: int, functions: frozenset[str], modules: frozenset[str]
) -> Named | None:
    """What the code between two lines names; None for a text that does not parse."""
    nodes = _by_line(text)
    if nodes is None:
        return None
    foreign = {
        name
        for name, (module, _) in imports(text).items()
        if not module.startswith(".") and module not in modules and module.partition(".")[0] not in _BLIND
    }
    blind = {
        name
        for name, (module, _) in imports(text).items()
        if module.partition(".")[0] in _BLIND and module not in modules
    }
    attributes: set[str] = set()
    names: set[str] = set()
    opaque = False
    inside = [node for number in range(line, end_line + 1) for node in nodes.get(number, ())]
    # `getattr(x, "name")`: the text is one of the names.
    plain = {id(node.func) for node in inside if isinstance(node, ast.Call) and _names_what_it_reads(node)}
    for node in inside:
        if isinstance(node, ast.Attribute):
            attributes.add(node.attr)
            opaque |= node.attr in ("__dict__", "__getattribute__", "__class__", "__slots__")
        elif isinstance(node, ast.Name):
            names.add(node.id)
            # A class may be given another class's attributes to look at.
            opaque |= node.id in _LOOKING and id(node) not in plain
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                attributes.add(node.value)
                attributes.update(_FIELD.findall(node.value))
        elif isinstance(node, ast.MatchClass):
            attributes.update(node.kwd_attrs)
            opaque |= bool(node.patterns)
        elif isinstance(node, ast.Call):
            opaque |= id(node.func) not in plain and not _is_known(node, foreign, blind, functions)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            opaque = True
    return Named(frozenset(attributes), frozenset(names), opaque)


def _names_what_it_reads(call: ast.Call) -> bool:
    return (
        isinstance(call.func, ast.Name)
        and call.func.id in ("getattr", "hasattr", "setattr", "delattr")
        and len(call.args) > 1
        and isinstance(call.args[1], ast.Constant)
    )


def _is_known(call: ast.Call, foreign: set[str], blind: set[str], functions: frozenset[str]) -> bool:
    """Whether what a call runs is the program's own, or reads no attributes."""
    called = call.func
    if isinstance(called, ast.Name):
        known = called.id in functions or called.id in _HARMLESS or called.id in blind
        return known and called.id not in foreign
    if not isinstance(called, ast.Attribute):
        return False
    root = called.value
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    if isinstance(root, ast.Name) and root.id in foreign:
        return False
    if isinstance(root, ast.Name) and root.id in blind:
        return True
    return called.attr in functions or called.attr in _METHODS or called.attr == "__init__"


@lru_cache(maxsize=64)
def _by_line(text: str) -> dict[int, list[ast.AST]] | None:
    """The nodes of a text that are of interest, by line."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found: dict[int, list[ast.AST]] = {}
    for node in ast.walk(tree):
        if isinstance(
            node,
            (ast.Attribute, ast.Name, ast.Constant, ast.MatchClass, ast.Call, ast.Import, ast.ImportFrom),
        ):
            found.setdefault(node.lineno, []).append(node)
    return found


def is_plain(trace: Trace, name: str, module: str, depth: int = 0) -> bool:
    """Whether a class is one of the program's, undecorated, and so are its bases: all it does is in its text."""
    for source in trace.lookups.defining(name.rpartition(".")[2]):
        body = read_text(trace.sources[source].text).classes.get(name)
        if body is None or depth > 20:
            continue
        if body.decorator_list or body.keywords:
            return False
        return all(
            isinstance(base, ast.Name)
            and (base.id == "object" or is_plain(trace, base.id, module, depth + 1))
            for base in body.bases
        )
    return False
