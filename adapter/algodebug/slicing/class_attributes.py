"""Attributes of classes as objects: `Box.log`, and `box.log` where the object has no `log` of its own.

Classes are meant by their names: the trace has few of them as objects. So are functions: they have attributes like a
class without bases or a body. The answers may name too many objects, never too few. Who bound an attribute is told by `class_bodies`; what is read of it by `containers`.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from typing import TYPE_CHECKING

from algodebug.slicing.instances import GLOBAL, OPERATION, UNSET, Instance
from algodebug.slicing.sources import is_enum

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_MOST_READS = 200  # of an attribute
_MADE_BY_CLASS = ("instance", "based")
BY_NAME = ("class", "function")
_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_PLAIN = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Constant, ast.ListComp, ast.DictComp, ast.SetComp)


def class_of(graph: Graph, number: int) -> str:
    """The name of the class of the program that an object is of, or of the class or function that it is; else empty."""
    row = graph.trace.row(number) if number else None
    if type(row) is not list:
        return ""
    if row[0] in BY_NAME:
        name = str(row[1])
    elif row[0] in _MADE_BY_CLASS:
        name = str(graph.trace.type_of(row[1])[0])
    else:
        return ""
    name = name.rpartition(".")[2]
    return name if graph.files.defining(name) else ""


def class_given(graph: Graph, instance: Instance) -> str:
    """The name of the class (or function) of the program that an instance gave; empty where it is none."""
    number = graph.number(instance)
    if number:
        row = graph.trace.row(number)
        return class_of(graph, number) if type(row) is list and row[0] in BY_NAME else ""
    shown = graph.origin(instance)
    if shown.kind == OPERATION and isinstance(shown.node, _DEFINITIONS):
        return shown.node.name
    is_named = shown.kind == GLOBAL and graph.files.defining(shown.detail)
    return str(shown.detail) if is_named else ""


def number(graph: Graph, base: Instance, attribute: str, time: int) -> int:
    """The object that an attribute is which a class has, of it or of what is of it; 0 where that is not known."""
    class_name = class_given(graph, base) or class_of(graph, graph.number(base))
    if not class_name:
        return 0
    found: set[int] = set()
    if any(map(is_enum, graph.files.classes(class_name))):
        return 0  # what the body bound are no members
    order, is_sure = graph.class_bodies.order(class_name)
    for each in order:
        stored = {_stored(graph, one, attribute, time) for one in named(graph, each, attribute)} - {0}
        bound = [graph.number(made) for name, made in graph.class_bodies.bound(each) if name == attribute]
        found.update(stored or bound)
        if found and is_sure:
            break
    return found.pop() if len(found) == 1 else 0


def is_plain(graph: Graph, read: Instance) -> bool:
    """Whether an attribute that is read is a container of Python's own, by the text of the class that has it."""
    class_name = class_given(graph, read.uses[0]) or class_of(graph, graph.number(read.uses[0]))
    for each in graph.class_bodies.order(class_name)[0] if class_name else ():
        for code in graph.files.classes(each):
            bound = {
                target.id: part.value
                for part in code.body
                if isinstance(part, ast.Assign)
                for target in part.targets
                if isinstance(target, ast.Name)
            }
            value = bound.get(read.detail)
            if isinstance(value, ast.Name):
                value = bound.get(value.id)
            if value is not None:
                return isinstance(value, _PLAIN)
    return False


def _stored(graph: Graph, holder: int, attribute: str, time: int) -> int:
    """The object that was stored into a class or function: as it is told when another is, or something is stored into it."""
    found = graph.states.attribute(holder, attribute, time)
    writes = graph.trace.writes_of(holder).times
    if found or not writes:
        return found
    since = bisect_left(writes, time)
    for read in graph.changed_by_name.get(attribute, ())[-_MOST_READS:]:
        base = graph.number(read.uses[0])
        same = base == holder if base else class_given(graph, read.uses[0]) == class_of(graph, holder)
        first, last = sorted((bisect_left(writes, read.time), since))
        between = (graph.trace.write_at(at).detail for at in writes[first:last])
        if same and read.number and attribute not in between:
            return read.number
    return 0


def named(graph: Graph, class_name: str, attribute: str) -> list[int]:
    """The classes of a name that an attribute was stored into, as objects; those of any name where the text knows none."""
    found = graph.states.classes_with(attribute)
    if any(getattr(code, "decorator_list", ()) for code in graph.files.named(class_name)):
        return found  # who knows what a decorator made of a function
    if found and graph.files.defining(class_name):
        found = [
            number for number in found if str(graph.trace.row(number)[1]).rpartition(".")[2] == class_name
        ]
    return found


def objects(graph: Graph, class_name: str, attribute: str, time: int) -> frozenset[int] | None:
    """What an attribute of a class may be; None where that is not known. Scalars do not count."""
    found: set[int] = set()
    if any(map(is_enum, graph.files.classes(class_name))):
        return None
    for each in graph.class_bodies.order(class_name)[0]:
        for number in named(graph, each, attribute):
            found.add(graph.states.attribute(number, attribute, time))
        for name, bound in graph.class_bodies.bound(each):
            if name == attribute:
                number = graph.number(bound)
                if not number and graph.value(bound) is UNSET:
                    return None
                found.add(number)
    return frozenset(number for number in found if number and type(graph.trace.row(number)) is list)


def held(graph: Graph, class_name: str, time: int) -> set[int]:
    """All objects that a class holds, as far as they are known."""
    found: set[int] = set()
    for each in graph.class_bodies.order(class_name)[0]:
        for name, bound in graph.class_bodies.bound(each):
            found.add(graph.number(bound))
            for number in named(graph, each, name):
                found.add(graph.states.attribute(number, name, time))
    return {number for number in found if number and type(graph.trace.row(number)) is list}
