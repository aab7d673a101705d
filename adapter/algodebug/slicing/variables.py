"""Variables of modules and of enclosing functions: who bound them last."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING

from algodebug.slicing import containers, definitions, imported
from algodebug.slicing.demands import Demand, Needs
from algodebug.slicing.instances import DEEP, Activation, Instance

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph


def of_module(needs: Needs, demand: Demand) -> None:
    instance = demand.instance
    needs.which(instance.uses)  # an import
    if demand.depth == DEEP and not demand.path:
        needs.whole(needs.graph.class_bodies.members(instance.detail, instance.time), instance.time)
    named(needs, instance.activation.source, instance.detail, instance.time, demand)


def named(needs: Needs, source: int, name: str, time: int, demand: Demand) -> None:
    """What a variable of a module was bound to at a time."""
    graph = needs.graph
    written = last_global(graph, source, name, time)
    defined = definitions.in_module(graph, source, name, time)
    if needs.relevant:
        since = max(-1 if written is None else written, -1 if defined is None else defined.time)
        _stored_elsewhere(needs, source, since + 1, time)
    if defined is not None and defined.time > (-1 if written is None else written):
        needs.which((defined,))
        if needs.relevant:
            needs.which(definitions.kept_since(graph, defined, time))
        return
    if written is None:
        taken = imported.bound(graph, source, name, time)
        if taken is not None:
            bound_at(needs, taken, demand)
        elif (given := definitions.asked_for(graph, source, name, time)) is not None:
            needs.same(given, demand)
        return
    bound_in_module(needs, source, written, name, demand, time)


def _stored_elsewhere(needs: Needs, source: int, after: int, before: int) -> None:
    """What was stored by way of `globals()` under other names: which names these were."""
    times = needs.graph.states.all_by_globals(source)
    first, last = bisect_left(times, after), bisect_left(times, before)
    for position in needs.covered.rest(("stored by globals", source), first, last):
        write = needs.graph.write(times[position])
        if write is not None:
            needs.which((*write.uses[1:], *write.deep))


def bound_in_module(
    needs: Needs, source: int, written: int, name: str, demand: Demand, time: int | None = None
) -> None:
    """What a variable of a module was bound to, by itself or from outside."""
    if needs.relevant:
        potential, time = needs.graph.potential(), demand.instance.time if time is None else time
        owner = needs.graph.files.tree(source)
        needs.which(potential.names(owner, name, written, time, needs.covered))
        needs.which(potential.into_module(source, name, written, time, needs.covered))
        needs.which(potential.into_chosen_modules(name, written, time, needs.covered))
        needs.which(potential.into_chosen_namespaces(source, name, written, time, needs.covered))
    bound_at(needs, written, demand)


def last_global(graph: Graph, source: int, name: str, time: int) -> int | None:
    """When a module's variable was bound last before a time, by `config.RATE = 2` elsewhere, too."""
    latest = last_own(graph, source, name, time)
    stored_by = graph.states.stored_by_globals(source, name)
    if at := bisect_left(stored_by, time):
        latest = max(stored_by[at - 1], -1 if latest is None else latest)
    for number in graph.states.modules_with(name):
        if source in graph.trace.lookups.sources_of(graph.trace.row(number)[1]):
            stored = containers.last_store(graph, number, ("attr", name), time)
            latest = stored if stored > (-1 if latest is None else latest) else latest
    return latest


def last_own(graph: Graph, source: int, name: str, time: int) -> int | None:
    """When code of a module bound a variable of it last before a time."""
    positions = graph.trace.global_writes(source, name)
    if not positions:
        return None
    times = graph.trace.writes_of(0).times
    at = bisect_left(positions, time, key=times.__getitem__)
    return times[positions[at - 1]] if at else None


def bound_at(needs: Needs, written: int, demand: Demand) -> None:
    write = needs.graph.write(written)
    if write is None:
        unknown_write(needs, written)
    else:
        needs.same(write, demand)


def unknown_write(needs: Needs, time: int) -> None:
    """A write in an activation that could not be followed (or not in this point)."""
    activation = needs.graph.visible(time)
    if activation is None:
        return
    if not activation.failed:
        needs.graph.incomplete.add(f"a write at {time}")
    needs.whole((activation.entry,), time)


def of_closure(needs: Needs, demand: Demand) -> None:
    found = definers(needs.graph, demand.instance)
    if not found:
        needs.graph.incomplete.add(f"where the variable {demand.instance.detail} comes from")
    for definer in found:
        _last_store(needs, definer, demand.instance.detail, demand)


def definers(graph: Graph, instance: Instance) -> list[Activation]:
    """The activation of a function around whose variable an instance read: several where it is one of these."""
    routine = graph.files.binder(instance.activation.routine, instance.detail)
    near, nodes = _under_way(graph, instance, routine), graph.makers.nodes(routine, instance.time)
    if len(nodes) <= 1 and (near is not None or nodes):
        return [graph.activation(nodes[0]) if near is None else near]
    made = graph.makers.around(instance.activation, routine)
    if made is not None:
        return [made]
    fitting = graph.makers.fitting(instance, routine)
    if near is None or (fitting and near not in fitting):
        return fitting or [graph.activation(node) for node in nodes[-1:]]
    return [near]


def _under_way(graph: Graph, instance: Instance, routine: int) -> Activation | None:
    """The activation of a function around that has not ended: mostly it is the one."""
    at: Activation | None = instance.activation
    while at is not None and at.caller is not None:  # an inline activation: look in the one it runs in
        around = at.outer
        if (
            around is not None
            and instance.detail in around.stores
            and _defines(graph, at.routine, around.routine)
        ):
            return around
        at = around
    node = _around(graph, routine, instance.activation.node)
    return None if node < 0 else graph.activation(node)


def _defines(graph: Graph, inner: int, outer: int) -> bool:
    at = inner
    while at >= 0:
        at = graph.trace.routines[at].parent
        if at == outer:
            return True
    return False


def _around(graph: Graph, routine: int, node: int) -> int:
    """The node of a routine around another one; -1 for none."""
    trace, at = graph.trace, node if routine >= 0 else -1
    while at >= 0 and trace.routine[at] != routine:
        at = trace.parent[at]
    return at


def _last_store(needs: Needs, definer: Activation, name: str, demand: Demand) -> None:
    instance = demand.instance
    if definer.failed:
        needs.whole((definer.entry,), demand.time)
        return
    latest = bound_around(definer, instance)
    after = latest.time if latest is not None else -1
    if not bound_inside(needs, definer, name, after, demand) and latest is not None:
        needs.same(latest, demand)
    if needs.relevant:
        owner = needs.graph.files.code_of(definer.routine)
        potential = needs.graph.potential()
        needs.which(potential.names(owner, name, max(after, 0), instance.time, needs.covered))
        needs.which(kept_around(needs.graph, definer, latest, instance))


def bound_around(definer: Activation, instance: Instance) -> Instance | None:
    """What bound, in the activation around, the variable that an instance read."""
    latest: Instance | None = None
    for made in definer.stores.get(instance.detail, ()):
        if made.time <= instance.time and (definer is not instance.activation or made.order < instance.order):
            latest = made
    return latest


def kept_around(
    graph: Graph, definer: Activation, latest: Instance | None, instance: Instance
) -> Iterator[Instance]:
    """Tests in the activation around that kept it from binding the variable once more."""
    for order, test in graph.tests_by_name(definer).get(instance.detail, ()):
        if (latest is None or order >= latest.order) and test.time <= instance.time:
            yield test


def bound_since(graph: Graph, instance: Instance) -> int | None:
    """When a function inside may have bound a variable of this one last, since it was bound here; None where none did."""
    bound = instance.copy
    if bound is None or not isinstance(instance.detail, str):
        return None
    activation, name = instance.activation, instance.detail
    return next((time for time, _ in _bound_inside(graph, activation, name, bound.time, instance.time)), None)


def bound_inside(needs: Needs, definer: Activation, name: str, after: int, demand: Demand) -> bool:
    """What functions inside bound a variable to after a time. True where that is the whole answer."""
    for time, is_sure in _bound_inside(needs.graph, definer, name, after, demand.instance.time):
        bound_at(needs, time, demand)
        if is_sure:
            return True
    return False


def _bound_inside(
    graph: Graph, definer: Activation, name: str, after: int, before: int
) -> Iterator[tuple[int, bool]]:
    """When functions inside of an activation may have bound a variable of it, and whether it surely was that of this one.

    Another activation of the same function has a variable of that name too.
    """
    is_one = len(graph.makers.nodes(definer.routine, before)) <= 1
    for time, routine in graph.trace.lookups.nonlocal_writes(name, after, before):
        if graph.files.binder(routine, name) != definer.routine:
            continue
        owner = graph.owner(time)
        maker = None if is_one or graph.following else graph.makers.around_node(owner, definer.routine)
        if maker is None:
            yield time, is_one or _around(graph, definer.routine, owner) == definer.node
        elif maker is definer:
            yield time, True
