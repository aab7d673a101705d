"""Which of the code that a wrong call executed itself is to blame: what its wrong outcome depends on is *bright*.

All of that code is shown, the rest *faint*: a slice may miss what was not recorded, the executed code never does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from algodebug.slicing.criteria import PRINTED, Criterion, parse_criterion
from algodebug.slicing.demands import Demand
from algodebug.slicing.instances import ENTRY, PARAMETER, RETURN, TEST, Activation, Instance
from algodebug.slicing.paint import paint
from algodebug.slicing.printed_lines import last_print
from algodebug.slicing.slicer import Reached, Slicer

if TYPE_CHECKING:
    from algotrace.trace import Span, Trace

_UNPAINTED = frozenset({ENTRY, PARAMETER, TEST})


def slicer_of(trace: Trace) -> Slicer:
    """The slicer of a trace: one for all questions about it, so that what was followed is kept."""
    known = getattr(trace, "slicer", None)
    if not isinstance(known, Slicer):
        known = Slicer(trace)
        trace.slicer = known  # type: ignore[attr-defined]
    return known


def bright_and_faint(
    trace: Trace, node: int, mark: str | Sequence[str] = "", spans: Iterable[Span] | None = None
) -> tuple[list[Span], list[Span]]:
    """The code that a call executed itself (or the part of it in `spans`), split by what is wrong of its outcome.

    All of it is bright where nothing better is known.
    """
    own = list(trace.executed(node) if spans is None else spans)
    try:
        found = split_code(trace, node, mark, own)
    except Exception:
        # A slice refines what is known without it; a mistake in it must not take the verdict away.
        return own, []
    return found if found is not None and found[0] else (own, [])


def split_code(
    trace: Trace, node: int, mark: str | Sequence[str], own: list[Span]
) -> tuple[list[Span], list[Span]] | None:
    """`own` split by the relevant slice of the marks; None where the call could not be followed."""
    slicer = slicer_of(trace)
    if slicer.graph.activation(node).failed:
        return None
    demands: list[Demand] = []
    try:
        for text in (mark,) if isinstance(mark, str) else mark:
            demands += slicer.demands(parse_criterion(trace, node, text))
    except ValueError:
        demands.clear()
    if not demands:
        demands = slicer.demands(parse_criterion(trace, node, ""))
    return split(slicer, node, slicer.reach(demands, node), own)


def split(slicer: Slicer, node: int, reached: Reached, own: list[Span]) -> tuple[list[Span], list[Span]]:
    """Spans cut into what belongs to instances that were reached, and the rest."""
    lit = lit_nodes(slicer, node, reached)
    by_source: dict[int, list[Span]] = {}
    for span in own:
        by_source.setdefault(span.source, []).append(span)
    bright: list[Span] = []
    faint: list[Span] = []
    for source, spans in by_source.items():
        file = slicer.graph.files[source]
        if file is None:
            bright += spans
            continue
        lighted, quiet = paint(file, spans, lit)
        bright += lighted
        faint += quiet
    return bright, faint


def lit_nodes(slicer: Slicer, node: int, reached: Reached) -> set[int]:
    """The syntax nodes (by identity) of the instances of one activation that were reached."""
    activation = slicer.graph.activation(node)
    lit: set[int] = set()
    for made in slicer.all_instances(activation):
        if id(made) in reached.instances and made.node is not None and made.kind not in _UNPAINTED:
            if made.kind == RETURN and made.copy is not None:
                continue  # the word goes with what is returned
            lit.add(id(made.node))
    for part in _with_inlines(activation):
        for jump, control in part.jumps:
            if control is None or id(control) in reached.instances:
                lit.add(id(jump))
    return lit


def lit_places(slicer: Slicer, node: int, reached: Reached) -> set[tuple[int, int]]:
    """Where the syntax nodes of one activation that were reached begin: line, and column in characters."""
    activation = slicer.graph.activation(node)
    file = slicer.graph.files[activation.source]
    if file is None:
        return set()
    lit = lit_nodes(slicer, node, reached)
    parts: list[Any] = [made.node for made in slicer.all_instances(activation)]
    parts += [jump for part in _with_inlines(activation) for jump, _ in part.jumps]
    return {file.place(part)[:2] for part in parts if id(part) in lit and hasattr(part, "lineno")}


def _with_inlines(activation: Activation) -> list[Activation]:
    found, todo = [], [activation]
    while todo:
        part = todo.pop()
        found.append(part)
        todo += part.inlines
    return found


def influencing_nodes(trace: Trace, node: int, mark: str) -> set[int] | None:
    """The calls that had an influence on a part of what a node was given or did; None where that is not known for sure.

    For a part of its outcome they are calls inside it, for an argument any.
    """
    slicer = slicer_of(trace)
    criterion = parse_criterion(trace, node, mark)
    inside = None if criterion.kind == "argument" else node
    reached = slicer.reach(slicer.demands(criterion), inside)
    if not reached.complete:
        return _before_print(trace, criterion) if criterion.kind == PRINTED else None
    return reached.nodes | {node}


def _before_print(trace: Trace, criterion: Criterion) -> set[int] | None:
    """Where it is not known what a line of output was made of: what had begun when it was printed."""
    time = last_print(trace, criterion.node, criterion.path)
    if time is None:
        return None
    first = criterion.node
    return {node for node in range(first, first + trace.size[first]) if trace.start[node] < time} | {first}


__all__ = [
    "Instance",
    "bright_and_faint",
    "influencing_nodes",
    "lit_nodes",
    "lit_places",
    "slicer_of",
    "split",
]
