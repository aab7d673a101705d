"""Attributes of classes as objects: `Box.log`, and `box.log` where the object has no `log` of its own.

Classes are meant by their names: the trace has few of them as objects. The answers may name too many objects, never too
few. Who bound an attribute is told by `class_bodies`; what is read of it by `containers`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from algodebug.slicing.instances import GLOBAL, UNSET, Instance

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_MADE_BY_CLASS = ("instance", "based")


def class_of(graph: Graph, number: int) -> str:
    """The name of the class that an object is of, or is; empty where it has none of the program."""
    row = graph.trace.row(number) if number else None
    if type(row) is not list:
        return ""
    if row[0] == "class":
        name = str(row[1])
    elif row[0] in _MADE_BY_CLASS:
        name = str(graph.trace.type_of(row[1])[0])
    else:
        return ""
    name = name.rpartition(".")[2]
    return name if graph.class_bodies.is_class(name) else ""


def class_given(graph: Graph, instance: Instance) -> str:
    """The name of the class of the program that an instance gave; empty where it is none."""
    number = graph.number(instance)
    if number:
        row = graph.trace.row(number)
        return class_of(graph, number) if type(row) is list and row[0] == "class" else ""
    shown = graph.origin(instance)
    is_class = shown.kind == GLOBAL and graph.class_bodies.is_class(shown.detail)
    return str(shown.detail) if is_class else ""


def number(graph: Graph, base: Instance, attribute: str, time: int) -> int:
    """The object that an attribute is which a class has, of it or of what is of it; 0 where that is not known."""
    class_name = class_given(graph, base) or class_of(graph, graph.number(base))
    if not class_name:
        return 0
    found: set[int] = set()
    order, is_sure = graph.class_bodies.order(class_name)
    for each in order:
        stored = {graph.states.attribute(one, attribute, time) for one in named(graph, each, attribute)} - {0}
        bound = [graph.number(made) for name, made in graph.class_bodies.bound(each) if name == attribute]
        found.update(stored or bound)
        if found and is_sure:
            break
    return found.pop() if len(found) == 1 else 0


def named(graph: Graph, class_name: str, attribute: str) -> list[int]:
    """The classes of a name that an attribute was stored into, as objects; those of any name where the text knows none."""
    found = graph.states.classes_with(attribute)
    if found and graph.class_bodies.is_class(class_name):
        found = [
            number for number in found if str(graph.trace.row(number)[1]).rpartition(".")[2] == class_name
        ]
    return found


def objects(graph: Graph, class_name: str, attribute: str, time: int) -> frozenset[int] | None:
    """What an attribute of a class may be; None where that is not known. Scalars do not count."""
    found: set[int] = set()
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
