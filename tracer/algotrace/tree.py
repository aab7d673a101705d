"""From activations to the execution tree: the nodes are numbered in preorder, so that a subtree is a range of numbers.

Nodes are the activations of functions, the program itself, and the bodies of classes and imported modules that compute
something (`computing`). Other activations stay out: what they call hangs from the nearest node above.
"""

from __future__ import annotations

from array import array
from itertools import accumulate, chain, compress, islice
from operator import lt
from typing import Any
from collections.abc import Callable, Iterable, Iterator

from algotrace import BUILTINS
from algotrace.index import RAISED, RETURNED, ROOT, Indexer, Lists, More
from algotrace.planes import gather
from algotrace.trace_file import Writer

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_FEW = 1000
_AT_ONCE = 1 << 16
VISIBLE = frozenset({"function", "generator", "coroutine", "asyncgen", "class"})
_SHOWN, _MODULE = 1, 2
_MOST_LOOKED_AT = 1000  # activations inside that of a module


def write_tree(indexer: Indexer, root_routine: int, writer: Writer) -> int:
    """Write what is known of the tree by now; the program itself runs `root_routine`. Returns the number of nodes."""
    indexer.finish()
    of_routine = indexer.of_routine
    of_routine[ROOT] = root_routine
    try:
        main = of_routine.index(root_routine, 1)
    except ValueError:
        main = ROOT
    indexer.outcomes[ROOT] = indexer.outcomes[main]
    shown = _shown(indexer)
    shown[main], shown[ROOT] = False, True
    slept = indexer.segments.numbers or any(more.segments is not None for more in indexer.more.values())
    in_order = len(indexer.streams) <= 1 and not slept
    visible, nodes = _numbered(indexer, shown, in_order)
    parent = array("i")
    for some in _gathered(indexer.parents, visible):
        parent.extend(gather(nodes, some))
    parent[ROOT] = -1
    writer.column("parent", "i", [parent])
    writer.column("size", "i", [_sizes(parent)])
    del parent
    columns: tuple[tuple[str, str, Any], ...] = (
        ("routine", "i", of_routine),
        ("start", "I", indexer.starts),
        ("end", "I", indexer.ends),
        ("outcome", "b", indexer.outcomes),
    )
    hidden = shown.count(0)
    for name, typecode, column in columns:
        if in_order and hidden <= _FEW:
            writer.column(name, typecode, _without(column, shown))
        else:
            writer.column(name, typecode, _gathered(column, visible))

    def times_of_outcome(more: More) -> array[int] | None:
        return None if more.outcome_at is None else array("I", [more.outcome_at + 1])

    _write_lists(writer, "segments", _lists(indexer, indexer.segments, indexer.paired), nodes, shown)
    _write_lists(writer, "yields", _lists(indexer, indexer.yields, lambda more: more.yields), nodes, shown)
    outcomes = _lists(indexer, indexer.outcomes_at, times_of_outcome)
    of_main = array("I", [_outcome_at(indexer, main) + 1])
    others = ((number, times) for number, times in outcomes if number != ROOT)
    _write_lists(writer, "outcomes", chain([(ROOT, of_main)], others), nodes, shown)
    return len(visible)


def _shown(indexer: Indexer) -> bytearray:
    """Which activations are nodes; that of no code, after all others or none (-2), is."""
    kinds = [
        _SHOWN
        if routine.kind in VISIBLE or (routine.kind == "module" and routine.computes)
        else _MODULE * (routine.kind == "module")
        for routine in indexer.routines
    ]
    shown = bytearray(map([*kinds, _SHOWN].__getitem__, indexer.of_routine))
    number = shown.find(_MODULE)
    while number >= 0:
        shown[number] = indexer.outcomes[number] == RAISED or _calls_functions(indexer, shown, number)
        number = shown.find(_MODULE, number + 1)
    return shown


def _calls_functions(indexer: Indexer, shown: bytearray, module: int) -> bool:
    """Did the body of a module call functions of the program itself: decorators, hooks of classes?"""
    parents = indexer.parents
    for number in range(module + 1, min(module + _MOST_LOOKED_AT, len(parents))):
        if parents[number] < module:
            break
        if parents[number] == module and shown[number] == _SHOWN:
            routine = indexer.of_routine[number]
            if indexer.routines[routine].kind not in ("class", "module"):
                return True
    return False


def _outcome_at(indexer: Indexer, number: int) -> int:
    """The time of an activation's outcome, -1 for none."""
    if number in indexer.more and (at := indexer.more[number].outcome_at) is not None:
        return at
    if number in indexer.outcomes_at.numbers:
        return indexer.outcomes_at.times[indexer.outcomes_at.numbers.index(number)] - 1
    return indexer.ends[number] if indexer.outcomes[number] in (RETURNED, RAISED) else -1


def _numbered(indexer: Indexer, shown: bytearray, in_order: bool) -> tuple[array[int], array[int]]:
    """The visible activations in preorder; and of each activation its node, or that of the nearest node above."""
    parents = indexer.parents
    if in_order:
        visible = array("i", compress(range(len(shown)), shown))
        nodes = array("i", islice(accumulate(shown, initial=-1), 1, None))
        hidden: Iterable[int] = _places_of_zero(shown)
    else:
        order = array("i", _preorder(parents))
        visible = array("i", compress(order, map(shown.__getitem__, order)))
        nodes = array("i", [0]) * len(parents)
        for node, number in enumerate(visible):
            nodes[number] = node
        hidden = [number for number in order if not shown[number]]
    for number in hidden:
        nodes[number] = nodes[parents[number]]
    return visible, nodes


def _gathered(column: Any, places: array[int]) -> Iterator[Any]:
    for start in range(0, len(places), _AT_ONCE):
        yield gather(column, places[start : start + _AT_ONCE])


def _without(column: Any, shown: bytearray) -> Iterator[Any]:
    """The stretches of a column between what is not shown."""
    start = 0
    for place in _places_of_zero(shown):
        yield column[start:place]
        start = place + 1
    yield column[start:]


def _sizes(parent: array[int]) -> array[int]:
    size = array("i", [1]) * len(parent)
    for node in range(len(parent) - 1, 0, -1):
        size[parent[node]] += size[node]
    return size


def _lists(
    indexer: Indexer, packed: Lists, of_more: Callable[[More], array[int] | None]
) -> Iterator[tuple[int, array[int]]]:
    start = 0
    for number, count in zip(packed.numbers, packed.counts):
        yield number, packed.times[start : start + count]
        start += count
    for more in indexer.more.values():
        times = of_more(more)
        if times is not None and len(times):
            yield more.number, times


def _write_lists(
    writer: Writer,
    name: str,
    lists: Iterable[tuple[int, array[int]]],
    nodes: array[int],
    shown: bytearray,
) -> None:
    """Lists of times by node: the nodes, how many each has, and the times."""
    of_node, counts, all_times = array("I"), array("I"), array("I")
    for number, times in lists:
        if shown[number]:
            of_node.append(nodes[number])
            counts.append(len(times))
            all_times.extend(times)
    if not all(map(lt, of_node, islice(of_node, 1, None))):
        of_node, counts, all_times = _by_node(of_node, counts, all_times)
    for what, column in (("nodes", of_node), ("counts", counts), ("times", all_times)):
        writer.column(f"{name}_{what}", "I", [column])


def _by_node(
    of_node: array[int], counts: array[int], times: array[int]
) -> tuple[array[int], array[int], array[int]]:
    """The same lists in order of their nodes, of two of one node the last."""
    starts = array("Q", accumulate(counts, initial=0))
    order = array("I", sorted(range(len(of_node)), key=of_node.__getitem__))
    last = [of_node[place] != of_node[after] for place, after in zip(order, islice(order, 1, None))]
    order = array("I", compress(order, chain(last, (True,))))
    sorted_times = array("I")
    for place in order:
        sorted_times.extend(times[starts[place] : starts[place + 1]])
    return array("I", gather(of_node, order)), array("I", gather(counts, order)), sorted_times


def _places_of_zero(flags: bytearray) -> Iterator[int]:
    place = flags.find(0)
    while place >= 0:
        yield place
        place = flags.find(0, place + 1)


def _preorder(parents: array[int]) -> Iterator[int]:
    """Depth first, children in order of their first event; no recursion, a chain of calls may be long."""
    last_child, previous = array("i", [-1]) * len(parents), array("i", [-1]) * len(parents)
    for number in range(1, len(parents)):
        previous[number] = last_child[parents[number]]
        last_child[parents[number]] = number
    todo = [0]
    while todo:
        number = todo.pop()
        yield number
        child = last_child[number]
        while child >= 0:  # pushed last to first, so that the first comes off first
            todo.append(child)
            child = previous[child]
