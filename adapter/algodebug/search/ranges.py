"""Runs of consecutive calls as questions, so that flat lists of calls cost about log2 of their length.

A caller with two hundred calls, most often from a loop, leaves two hundred questions to ask one by one: none of the
calls holds half of the area. A run of the first hundred does. Its question is about the caller's own state: *before
the first of these calls … was …, after the last … is …: right?* A correct run takes its calls out of the area, and
the caller's code between them, too. A wrong one leaves them and that code alone.

What the front end of the search has to provide for a run `(parent, first, last)` of children of one node:

- the time just before the call of `first` began and just after that of `last` ended. If the run was cut at the ends of
  iterations, then from the start of the first iteration to the end of the last one;
- the state of the parent's activation at both times: its local variables, and of what these reach, what changed in
  between; globals and output likewise, as for the effects of a call;
- for the verdict on a run that is wrong while all its calls are right: the code the parent executed itself between
  the two times.

And for a session: `choose(area, last)` in the place of a strategy's node, then `area.remove(run)`, `area.narrow(run)` or
`area.skip(run)`. When nothing is left to ask, `area.top_run` says whether the top is to blame only in between these calls.
A run can never be asked that hides something: every node in it stays askable on its own after "wrong".

When it pays: a question tells `information(part)` bits, where `part` is the share of the area that a "wrong" leaves. A
run is harder to judge than a call, so it has to tell more by `RUN_PRICE`. One cut at the end of an iteration is easier
than one inside, by `CUT_PRICE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from algodebug.search.dividing import divide_and_query
from algodebug.search.heaviest import last_with
from algodebug.search.optimal import information
from algodebug.search.suspicious_area import Question, Run, SuspiciousArea

RUN_PRICE = 1.2
CUT_PRICE = 1.05

Choose = Callable[[SuspiciousArea, int | None], int | None]
# Of a node and a child of it, children of it at which a run may best begin: where iterations start. Both the nearest
# before (or the child itself) and the nearest after; positions past the last child are ignored.
Cuts = Callable[[int, int], Iterable[int]]

_HALVINGS_TRIED = 12


def choose(
    area: SuspiciousArea,
    last: int | None = None,
    strategy: Choose = divide_and_query,
    cuts: Cuts | None = None,
) -> Question | None:
    """The strategy's node, or a run of calls when its question tells enough more."""
    node = strategy(area, last)
    run = best_run(area, cuts)
    if run is None or (node is not None and not pays(area, run, node)):
        return node
    return run


def told(area: SuspiciousArea, question: Question) -> float:
    """How much an answer is expected to tell, in bits."""
    # The top may be buggy itself. It is not in the weight, but it is one of the places left.
    return information(area.weight(question) / (area.total + 1))


def pays(area: SuspiciousArea, run: Run, node: int) -> bool:
    """Is a question about a run worth more than one about a node, although it is harder?"""
    return told(area, run) > RUN_PRICE * told(area, node)


def best_run(area: SuspiciousArea, cuts: Cuts | None = None) -> Run | None:
    """The run of calls, from the first one left of some caller, that comes nearest to half of the area.

    The caller is the lowest node with at least half of the area: either one of its calls holds a third or more, or the
    run up to one of them does. So no question need tell less than 0.92 bits.
    """
    goal = (area.total + 1) / 2
    if goal <= 1:
        return None
    parent = last_with(area, goal)
    start = area.next_left(parent + 1)
    end = area.tree.end(parent)
    if start >= end:
        return None
    for _ in range(_HALVINGS_TRIED):
        best = max(
            _cut_near(area, parent, start, end, goal, cuts),
            key=lambda run: (told(area, run) / _price(run, area, cuts), -run.last),
            default=None,
        )
        if best is not None:
            return best
        # Nobody could judge these: shorter ones may be easier.
        goal /= 2
        if goal < 1:
            break
    return None


def _price(run: Run, area: SuspiciousArea, cuts: Cuts | None) -> float:
    if cuts is None:
        return 1.0
    end = area.tree.end(run.last)
    return 1.0 if end >= area.tree.end(run.parent) or end in cuts(run.parent, end) else CUT_PRICE


def _cut_near(
    area: SuspiciousArea, parent: int, start: int, end: int, goal: float, cuts: Cuts | None
) -> Iterator[Run]:
    """The runs of two or more calls from `start` on that end next to where the goal is reached."""
    tree = area.tree
    reached = area.position_of(start, end, int(goal + 0.5))
    crossing = area.child_at(parent, min(reached, end) - 1)
    ends = {crossing, tree.end(crossing)}
    if cuts is not None:
        ends.update(cut for place in tuple(ends) if place < end for cut in cuts(parent, place))
    first = area.child_at(parent, start)
    for stop in sorted(ends):
        if not start < stop <= end:
            continue
        # The last call that is left before the cut.
        last = area.child_at(parent, area.last_before(stop - 1))
        run = Run(parent, first, last)
        if last > first and run not in area.skipped_runs and run != area.top_run and area.weight(run):
            yield run
