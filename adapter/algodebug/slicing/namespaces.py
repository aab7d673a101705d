"""Namespaces used as dicts: `locals()`, `globals()`, `vars(x)`, `x.__dict__`; and code in texts, which looks names up in them.

What one holds depends on all names that were bound then, and on what kept others from being bound; where a key of an
object's namespace is known, on that attribute alone. Left out: what is stored into a dict that was kept, seen from the
object whose namespace it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from algodebug.slicing import containers
from algodebug.slicing.demands import Demand, Needs
from algodebug.slicing.instances import ATTRIBUTE, LIBRARY, Called, Instance

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph


def owner_of(graph: Graph, instance: Instance) -> Instance | None:
    """The object whose attributes a value holds as a dict; None where it is no such dict."""
    shown = graph.origin(instance)
    if shown.kind == ATTRIBUTE:
        return shown.uses[0] if shown.detail == "__dict__" else None
    if shown.kind != LIBRARY or not isinstance(shown.detail, Called) or shown.detail.name != "vars":
        return None
    arguments = shown.detail.arguments
    if len(arguments) != 1 or not graph.is_builtin(shown.activation, shown.detail.function):
        return None
    return arguments[0][1]


def item(needs: Needs, owner: Instance, key: object, at: int, demand: Demand) -> None:
    """What an object's namespace held for a key at a time."""
    if isinstance(key, str):
        containers.read(needs, owner, ("attr", key), at, demand)
    else:
        whole(needs, owner, at)


def whole(needs: Needs, owner: Instance, at: int) -> None:
    """All that an object's namespace held at a time, and which keys it had."""
    graph = needs.graph
    needs.whole((owner,), at)
    number = graph.number(owner)
    if needs.relevant and number:
        potential = graph.potential()
        for name in potential.attributes():
            needs.which(potential.stores(number, name, 0, at, needs.covered))
            needs.which(potential.elsewhere(number, name, 0, at, needs.covered))
