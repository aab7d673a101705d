"""Transformations of the execution tree: pure functions from a tree to a tree with maps back to the original.

They give the tree a shape in which a search needs fewer or easier questions (Insa and Silva, "Algorithmic Debugging
Generalized", 2018). A *pass* is applied before the search and again after every answer, to what is left of the tree;
the user is always asked about the original code.

- `compress`: a call of the same rule as its caller gives way to its own calls (Davie and Chitil);
- `inline`: the same for the calls of trusted code;
- `project` puts a node above consecutive siblings, `balance` does so until no node has more than a few children;
- `collapse` puts one node in the place of several, which adopts their children;
- `expand_loops`: iterations become nodes, in three shapes;
- `simplify`: what was computed lazily, when it was asked for, is put where it was created, as if the program were eager.

They make a node of Python for every node of the tree (`compress`, `inline` and `remaining` do not), so as passes they
are for trees of some ten thousand nodes. Runs of calls as questions do without a transformed tree: see `ranges`.

Not here: deciding whether a made node is right. For that the states before and after it are needed.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from algodebug.execution_tree import RETURNED, ExecutionTree
from algodebug.search.suspicious_area import Question, Run, SuspiciousArea
from algodebug.search.weights import Weights

Sources = Mapping[int, frozenset[int]]


@dataclass(frozen=True)
class Transformed:
    """A tree made from another one.

    `identity` (M_I) gives for each node the node of the original tree that it is, -1 if it was made or changed;
    `sources` (M_S) gives for each of the latter the original nodes it was made of, the *main source* of a changed
    node being in `main`. `made` says what a new node stands for: a `Run`, a `Collapsed` or an `Iterations`.
    """

    tree: ExecutionTree
    identity: Sequence[int]
    sources: Sources = field(default_factory=dict)
    main: Mapping[int, int] = field(default_factory=dict)
    made: Mapping[int, Hashable] = field(default_factory=dict)

    def original(self, node: int) -> int | None:
        """The original node that a node is, or is a changed version of."""
        same = self.identity[node]
        return same if same >= 0 else self.main.get(node)

    def nodes(self) -> dict[int, int]:
        """By original node the node it became."""
        found = {old: new for new, old in enumerate(self.identity) if old >= 0}
        found.update((old, new) for new, old in self.main.items())
        return found

    def then(self, second: Transformed) -> Transformed:
        """This transformation with another one, of its tree, behind it."""
        identity = array("i", bytes(4 * len(second.identity)))
        sources: dict[int, frozenset[int]] = {}
        main: dict[int, int] = {}
        made: dict[int, Hashable] = {}
        for node, between in enumerate(second.identity):
            identity[node] = -1
            if between >= 0 and self.identity[between] >= 0:
                identity[node] = self.identity[between]
                continue
            if between >= 0:
                sources[node] = self.sources.get(between, frozenset())
            else:
                through = second.sources.get(node, frozenset())
                sources[node] = frozenset().union(*(self._sources_of(n) for n in through))
            if node in second.made:
                made[node] = _in_original(second.made[node], self)
                continue
            between = between if between >= 0 else second.main.get(node, -1)
            if between in self.made:
                made[node] = self.made[between]
            elif between >= 0:
                old = self.original(between)
                if old is not None:
                    main[node] = old
        return Transformed(second.tree, identity, sources, main, made)

    def _sources_of(self, node: int) -> frozenset[int]:
        same = self.identity[node]
        return frozenset((same,)) if same >= 0 else self.sources.get(node, frozenset())


# A transformation as a step of a search: the tree, and for each node its number in the original tree (-1: made).
Pass = Callable[[ExecutionTree, Sequence[int]], Transformed]


class Collapsed(NamedTuple):
    """One node in the place of several."""

    nodes: tuple[int, ...]


class Iterations(NamedTuple):
    """Iterations `first` up to but without `end` of a loop; `loop` numbers the loops of a routine node, outer first."""

    node: int
    loop: tuple[int, ...]
    first: int
    end: int


class Loop(NamedTuple):
    """The iterations of one loop in the code of a node, each with the calls and the loops it executed, in order."""

    iterations: tuple[Body, ...]


Body = tuple["int | Loop", ...]

FLAT, UNDER_LOOP, RECURSIVE = "flat", "under-loop", "recursive"


class Span(NamedTuple):
    """A made node above, or in the place of, nodes of which some are made nodes of other kinds."""

    parent: Hashable
    first: Hashable
    last: Hashable


def _in_original(made: Hashable, transformed: Transformed) -> Hashable:
    """What a made node stands for, in numbers of the tree before a transformation."""

    def old(node: int) -> Hashable:
        return transformed.made[node] if node in transformed.made else transformed.original(node)

    if isinstance(made, Run):
        parent, first, last = (old(node) for node in made)
        # A run of iterations is several iterations; a run of runs is one from the first's first on.
        if isinstance(first, Iterations) and isinstance(last, Iterations) and first[:2] == last[:2]:
            return first._replace(end=last.end)
        owner = parent.parent if isinstance(parent, Run) else parent
        owner = owner.node if isinstance(owner, Iterations) else owner
        first = first.first if isinstance(first, Run) else first
        last = last.last if isinstance(last, Run) else last
        if isinstance(owner, int) and isinstance(first, int) and isinstance(last, int):
            return Run(owner, first, last)
        return Span(parent, first, last)
    if isinstance(made, Collapsed):
        members: list[int] = []
        for node in made.nodes:
            before = old(node)
            if isinstance(before, Collapsed):
                members += before.nodes
            elif isinstance(before, int):
                members.append(before)
            else:
                return Span(None, old(made.nodes[0]), old(made.nodes[-1]))
        return Collapsed(tuple(members))
    if isinstance(made, Iterations):
        owner = old(made.node)
        return made._replace(node=owner) if isinstance(owner, int) else made
    return made


def unchanged(tree: ExecutionTree) -> Transformed:
    """The transformation that does nothing."""
    return Transformed(tree, range(len(tree)))


def pipeline(*passes: Pass) -> Pass:
    """Several passes as one."""

    def apply(tree: ExecutionTree, originals: Sequence[int]) -> Transformed:
        result = unchanged(tree)
        for each in passes:
            numbers = [_number(result.original(node), originals) for node in range(len(result.tree))]
            result = result.then(each(result.tree, numbers))
        return result

    return apply


def _number(node: int | None, originals: Sequence[int]) -> int:
    return -1 if node is None else originals[node]


def compressing(rules: Sequence[int] | None = None) -> Pass:
    """`compress` as a pass; `rules` numbers the rule of each node of the original tree."""

    def apply(tree: ExecutionTree, originals: Sequence[int]) -> Transformed:
        if rules is None:
            return compress(tree)
        return compress(tree, [-1 - node if old < 0 else rules[old] for node, old in enumerate(originals)])

    return apply


def inlining(trusted: Collection[int]) -> Pass:
    """`inline` as a pass."""
    return lambda tree, originals: inline(tree, trusted)


def balancing(widest: int = 2) -> Pass:
    """`balance` as a pass."""
    return lambda tree, originals: balance(tree, widest)


def expanding(loops: Mapping[int, Body], shape: str = FLAT) -> Pass:
    """`expand_loops` as a pass; of loops whose calls another pass took away, what is left."""

    def apply(tree: ExecutionTree, originals: Sequence[int]) -> Transformed:
        became = {old: node for node, old in enumerate(originals) if old >= 0}

        def left(body: Body) -> Body:
            parts: list[int | Loop] = []
            for part in body:
                if isinstance(part, Loop):
                    parts.append(Loop(tuple(left(iteration) for iteration in part.iterations)))
                elif part in became:
                    parts.append(became[part])
            return tuple(parts)

        bodies = {became[node]: left(body) for node, body in loops.items() if node in became}
        bodies = {n: body for n, body in bodies.items() if list(_calls(body)) == list(tree.children(n))}
        return expand_loops(tree, bodies, shape)

    return apply


# Taking nodes away


def without(tree: ExecutionTree, gone: Sequence[int]) -> Transformed:
    """The tree without the nodes for which `gone` is true; what is below them moves up. The root stays."""
    parent, size, routine, outcome = array("i"), array("i"), array("i"), array("b")
    kept, place = array("i"), array("i", bytes(4 * len(tree)))
    for node in range(len(tree)):
        above = place[tree.parent[node]] if node else -1
        if node and gone[node]:
            place[node] = above
            continue
        place[node] = len(kept)
        kept.append(node)
        parent.append(above)
        size.append(1)
        routine.append(tree.routine[node])
        outcome.append(tree.outcome_kind[node])
    for node in range(len(kept) - 1, 0, -1):
        size[parent[node]] += size[node]
    return Transformed(_tree_like(tree, parent, size, routine, outcome), kept)


def compress(tree: ExecutionTree, rules: Sequence[int] | None = None) -> Transformed:
    """Tree compression: children of their parent's rule are replaced by their children."""
    rules = tree.routine if rules is None else rules
    parent = tree.parent
    return without(tree, bytearray(n > 0 and rules[n] == rules[parent[n]] for n in range(len(tree))))


def inline(tree: ExecutionTree, trusted: Collection[int]) -> Transformed:
    """The calls of trusted routines are replaced by the calls they made."""
    table = bytearray(r in trusted for r in range(max(tree.routine, default=0) + 1))
    return without(tree, bytes(map(table.__getitem__, tree.routine)))


def remaining(area: SuspiciousArea) -> Transformed:
    """What is left of the tree: the subtree of the top without what was removed."""
    tree, top = area.tree, area.top
    parent, size, routine, outcome = array("i"), array("i"), array("i"), array("b")
    kept, place = array("i"), {tree.parent[top]: -1}
    position, end = top, tree.end(top)
    while position < end:
        stop = min(area.next_removal(position), end)
        for node in range(position, stop):
            place[node] = len(kept)
            parent.append(place[tree.parent[node]])
            kept.append(node)
        size.extend([1] * (stop - position))
        routine.extend(tree.routine[position:stop])
        outcome.extend(tree.outcome_kind[position:stop])
        position = area.next_left(stop)
    for node in range(len(kept) - 1, 0, -1):
        size[parent[node]] += size[node]
    return Transformed(_tree_like(tree, parent, size, routine, outcome), kept)


def under_assumed_root(tree: ExecutionTree) -> Transformed:
    """The papers' way to count: the root is a question like any other. It hangs from a node that stands for nothing.

    A node has its number of the original tree plus one; the root is number 1.
    """
    count = len(tree)
    parent = array("i", [-1, *(above + 1 for above in tree.parent)])
    size = array("i", [count + 1, *tree.size])
    routine = array("i", [max(tree.routine) + 1, *tree.routine])
    outcome = array("b", [RETURNED, *tree.outcome_kind])
    identity = array("i", range(-1, count))
    return Transformed(_tree_like(tree, parent, size, routine, outcome), identity, {0: frozenset()})


def _tree_like(
    tree: ExecutionTree,
    parent: Sequence[int],
    size: Sequence[int],
    routine: Sequence[int],
    outcome: Sequence[int],
) -> ExecutionTree:
    return ExecutionTree(parent, size, routine, outcome_kind=outcome, places=tree.places, died=tree.died)


# Putting nodes in


class _New:
    """A node while a tree is made: an original one, maybe changed, or a made one."""

    __slots__ = ("changed", "children", "made", "node", "sources")

    def __init__(self, node: int, made: Hashable = None) -> None:
        self.node = node  # of a made one: whose code it is
        self.made = made
        self.changed = made is not None
        self.children: list[_New] = []
        self.sources: set[int] = {node}


def _nested(tree: ExecutionTree) -> list[_New]:
    nodes = [_New(n) for n in range(len(tree))]
    for node in range(1, len(tree)):
        nodes[tree.parent[node]].children.append(nodes[node])
    return nodes


def _flattened(tree: ExecutionTree, root: _New) -> Transformed:
    parent, size, routine, outcome = array("i"), array("i"), array("i"), array("b")
    identity = array("i")
    sources: dict[int, frozenset[int]] = {}
    main: dict[int, int] = {}
    made: dict[int, Hashable] = {}
    pending: list[tuple[_New, int]] = [(root, -1)]
    while pending:
        new, above = pending.pop()
        number = len(parent)
        parent.append(above)
        size.append(1)
        routine.append(tree.routine[new.node])
        outcome.append(tree.outcome_kind[new.node] if new.made is None else RETURNED)
        identity.append(-1 if new.changed else new.node)
        if new.changed:
            sources[number] = frozenset(new.sources)
            if new.made is None:
                main[number] = new.node
            else:
                made[number] = new.made
        pending.extend((child, number) for child in reversed(new.children))
    for node in range(len(parent) - 1, 0, -1):
        size[parent[node]] += size[node]
    return Transformed(_tree_like(tree, parent, size, routine, outcome), identity, sources, main, made)


def project(tree: ExecutionTree, runs: Iterable[Run]) -> Transformed:
    """Tree balancing by projection nodes: a new node between a parent and consecutive children, for each run.

    Runs may lie in one another but not overlap. The code between the calls of a run goes from the parent to the new
    node, so the parent is among its sources, and is itself changed.
    """
    nodes = _nested(tree)
    by_parent: dict[int, list[Run]] = {}
    for run in runs:
        by_parent.setdefault(run.parent, []).append(run)
    for parent, inside in by_parent.items():
        # Longer ones first, so that shorter ones find their place in them.
        inside.sort(key=lambda run: (run.first, -run.last))
        nodes[parent].changed = True
        open_runs: list[tuple[Run, _New]] = [(Run(parent, parent + 1, tree.end(parent)), nodes[parent])]
        for run in inside:
            while run.first > open_runs[-1][0].last:
                open_runs.pop()
            around, above = open_runs[-1]
            if run.last > around.last:
                raise ValueError(f"{run} overlaps {around}")
            first = next(i for i, c in enumerate(above.children) if c.made is None and c.node == run.first)
            last = next(i for i, c in enumerate(above.children) if c.made is None and c.node == run.last)
            new = _New(parent, run)
            new.children = above.children[first : last + 1]
            new.sources.update(child.node for child in new.children)
            above.children[first : last + 1] = [new]
            open_runs.append((run, new))
    return _flattened(tree, nodes[0])


def balanced_runs(tree: ExecutionTree, node: int, widest: int = 2) -> list[Run]:
    """Runs of a node's children, in one another, that leave no node with more than a few: halved by weight."""
    children = list(tree.children(node))
    before = [0]
    for child in children:
        before.append(before[-1] + tree.size[child])
    found: list[Run] = []
    pending = [(0, len(children))]
    while pending:
        first, end = pending.pop()
        if end - first <= widest:
            continue
        half = (before[first] + before[end]) / 2
        middle = min(range(first + 1, end), key=lambda i: abs(before[i] - half))
        for start, stop in ((first, middle), (middle, end)):
            if stop - start > 1:
                found.append(Run(node, children[start], children[stop - 1]))
                pending.append((start, stop))
    return found


def balance(tree: ExecutionTree, widest: int = 2) -> Transformed:
    """Tree balancing: projection nodes until no node has more than `widest` children."""
    return project(tree, [run for node in range(len(tree)) for run in balanced_runs(tree, node, widest)])


def collapse(tree: ExecutionTree, groups: Iterable[Collection[int]]) -> Transformed:
    """Tree balancing by collapse nodes: one new node in the place of each group, with the children of all of it.

    A group is consecutive siblings, or a node with some of its descendants, all between them included.
    """
    nodes = _nested(tree)
    for group in groups:
        members = set(group)
        first = min(members)
        if first == 0:
            raise ValueError("the root cannot be collapsed")
        parent = nodes[tree.parent[first]]
        new = _New(first, Collapsed(tuple(sorted(members))))
        new.sources = set(members)
        if all(tree.parent[node] == parent.node for node in members):
            # The code between siblings goes over to the new node.
            new.sources.add(parent.node)
            parent.changed = True
        pending = [
            child for child in reversed(parent.children) if child.made is None and child.node in members
        ]
        at = parent.children.index(pending[-1])
        if parent.children[at : at + len(pending)] != pending[::-1]:
            raise ValueError(f"{sorted(members)} are not next to each other")
        parent.children[at : at + len(pending)] = [new]
        while pending:
            each = pending.pop()
            if each.made is None and each.node in members:
                members.discard(each.node)
                pending.extend(reversed(each.children))
            else:
                new.children.append(each)
        if members:
            raise ValueError(f"{sorted(members)} do not hang together with {first}")
    return _flattened(tree, nodes[0])


# Loops


def expand_loops(tree: ExecutionTree, loops: Mapping[int, Body], shape: str = FLAT) -> Transformed:
    """Loop expansion: each iteration of a loop becomes a node, with the calls made in it.

    `loops` has for a node its calls and loops in the order of execution. The iterations of a loop hang from the node
    (`FLAT`), from a node for the loop as a whole (`UNDER_LOOP`), or each from the one before, as if the loop were
    recursive: then a node stands for an iteration and all after it (`RECURSIVE`).
    """
    nodes = _nested(tree)

    def bodies(owner: int, body: Body, path: tuple[int, ...]) -> list[_New]:
        found: list[_New] = []
        number = 0
        for part in body:
            if isinstance(part, int):
                found.append(nodes[part])
                continue
            found += iterations(owner, part, (*path, number))
            number += 1
        return found

    def iterations(owner: int, loop: Loop, path: tuple[int, ...]) -> list[_New]:
        count = len(loop.iterations)
        made: list[_New] = []
        for index, body in enumerate(loop.iterations):
            end = count if shape == RECURSIVE else index + 1
            new = _New(owner, Iterations(owner, path, index, end))
            new.children = bodies(owner, body, (*path, index))
            made.append(new)
        if shape == RECURSIVE:
            for before, after in pairwise(made):
                before.children.append(after)
            return made[:1]
        if shape == UNDER_LOOP and count:
            whole = _New(owner, Iterations(owner, path, 0, count))
            # Its iterations have longer paths, so that a loop of one is not taken for its only iteration.
            for new in made:
                new.made = Iterations(owner, (*path, -1), *new.made[2:])  # type: ignore[index]
            whole.children = made
            return [whole]
        return made

    for node, body in loops.items():
        if any(isinstance(part, Loop) and part.iterations for part in body):
            if list(_calls(body)) != list(tree.children(node)):
                raise ValueError(f"the loops of node {node} do not hold its children in their order")
            nodes[node].changed = True
            nodes[node].children = bodies(node, body, ())
    return _flattened(tree, nodes[0])


def _calls(body: Body) -> Iterable[int]:
    for part in body:
        if isinstance(part, int):
            yield part
        else:
            for iteration in part.iterations:
                yield from _calls(iteration)


def simplify(tree: ExecutionTree, creators: Mapping[int, int]) -> Transformed:
    """Node simplification: what was computed lazily moves from where it was asked for to where it was created.

    `creators` has for the root of each lazy computation the node that created it, which becomes its parent; it goes
    behind the children that were called before. The nodes around the old or the new place, but not both, change: they
    no longer contain the computation, or do now. As many nodes as before.
    """
    nodes = _nested(tree)
    for moved, creator in creators.items():
        if tree.inside(creator, moved):
            raise ValueError(f"node {moved} cannot have been created by node {creator} inside it")
    for moved, creator in creators.items():
        was, becomes = _around(tree, moved), [creator, *_around(tree, creator)]
        for node in set(was) ^ set(becomes):
            nodes[node].changed = True
            nodes[node].sources.update((moved,))
        nodes[tree.parent[moved]].children.remove(nodes[moved])
        children = nodes[creator].children
        at = sum(1 for child in children if child.node < moved)
        children.insert(at, nodes[moved])
    return _flattened(tree, nodes[0])


def _around(tree: ExecutionTree, node: int) -> list[int]:
    found = []
    while (node := tree.parent[node]) >= 0:
        found.append(node)
    return found


# In a search

Choose = Callable[[SuspiciousArea, int | None], int | None]


def choose_after(
    area: SuspiciousArea,
    last: int | None,
    passes: Pass,
    strategy: Choose,
    skipped: Collection[Hashable] = (),
) -> Question | Hashable | None:
    """What a strategy asks about next in what is left of the tree, transformed, in numbers of the original tree.

    A made node comes back as what it stands for, unless that is among those `skipped`, where those already answered or
    impossible to ask about belong; a collapsed group of siblings comes back as their run. Iterations are for the caller
    to put into calls, and to skip where `area.tells` says that these tell nothing. None when nothing of the transformed tree is left to ask: then the bug is in the top, or in nodes below
    it that a pass took away.
    """
    left = remaining(area)
    result = left.then(passes(left.tree, left.identity))
    if len(result.tree) == 1:
        return None
    became = result.nodes()
    inner = SuspiciousArea(result.tree, 0, Weights(result.tree, area.weights.trusted))
    for node in area.skipped:
        if node in became:
            inner.skip(became[node])
    near = None if last is None else became.get(last)
    while (chosen := strategy(inner, near)) is not None:
        made = result.made.get(chosen)
        if made is None:
            return result.original(chosen)
        question = _as_question(area.tree, made)
        if question is not None and question not in skipped and not _known(area, question):
            return question
        inner.skip(chosen)
    return None


def _as_question(tree: ExecutionTree, made: Hashable) -> Hashable | None:
    """What to ask in the place of a made node, if it is still a computation of the original program."""
    if isinstance(made, Collapsed):
        if tree.inside(made.nodes[-1], made.nodes[0]):
            return made.nodes[0]
        made = Run(tree.parent[made.nodes[0]], made.nodes[0], made.nodes[-1])
    if not isinstance(made, Run):
        return made
    if tree.parent[made.first] == tree.parent[made.last] == made.parent:
        return made if made.first != made.last else made.first
    # Not calls of one caller after all: others have been taken away in between.
    return None


def _known(area: SuspiciousArea, question: Hashable) -> bool:
    if isinstance(question, Run):
        return question in area.skipped_runs or question == area.top_run or not area.tells(question)
    return isinstance(question, int) and not area.askable(question)
