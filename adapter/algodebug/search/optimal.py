"""Strategies that are best by proof: fewest questions at worst, and least cost on average.

A question about a node cuts the edge above it: the bug is below or elsewhere. Searching with such questions is
*binary search in a tree*. For the worst case the best order of questions is an edge ranking: numbers on the edges so
that between two equal ones there is always a greater one; the edge with the greatest number is asked first. The
smallest ranking is built from the leaves up, extending those of the children in the best way (Onak and Parys 2006;
Mozes, Onak and Weimann 2008). For the average no fast way is known: small areas are solved exactly, in larger ones
the question that tells most for its cost is asked.

Not here: runs of calls as questions, with which fewer questions do (`ranges`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from algodebug.search.dividing import divide_and_query, divide_by_yes_and_query
from algodebug.search.evidence import evidence
from algodebug.search.stepping import less_yes_first
from algodebug.search.suspicious_area import SuspiciousArea

_RANKED = 20_000  # nodes; in a larger area dividing evenly comes next to the best
_FANNED_OUT = 100  # children of one node, of which most have to be asked one by one anyway
_SCORED = 3000
_STEPS = 200_000  # of the exact solution for the average


def _askable_tree(area: SuspiciousArea) -> tuple[list[int], list[int]]:
    """The top and the askable nodes in preorder, and the place in that list of what is above each (-1 for the top)."""
    nodes, parents, open_places = [area.top], [-1], [0]
    end = area.tree.end
    for node in area.askable_nodes():
        while node >= end(nodes[open_places[-1]]):
            open_places.pop()
        parents.append(open_places[-1])
        open_places.append(len(nodes))
        nodes.append(node)
    return nodes, parents


def edge_ranking(parents: Sequence[int]) -> list[int]:
    """The smallest ranking of the edges of a tree in preorder: by node, the rank of the edge above it (-1 at the root)."""
    ranks = [-1] * len(parents)
    below: list[list[int]] = [[] for _ in parents]
    # By node the ranks that can be seen from it, downwards, past no greater one: as the bits of a number.
    seen = [0] * len(parents)
    for node in range(len(parents) - 1, -1, -1):
        children = below[node]
        for child, rank in zip(children, _extend([seen[c] for c in children]), strict=True):
            ranks[child] = rank
            seen[node] |= _behind(seen[child], rank)
        if node:
            below[parents[node]].append(node)
    return ranks


def _behind(seen: int, rank: int) -> int:
    """What is seen through an edge with a rank: the rank itself and what is greater."""
    return (seen >> rank | 1) << rank


def _extend(seen: Sequence[int]) -> list[int]:
    """Ranks for the edges to the children, by what is seen from each; all seen together is the least possible.

    From the greatest rank down: one that a single child shows is taken; one that none shows is left out if the
    children can do with lesser ranks, otherwise it goes to the edge behind which most is seen.
    """
    if len(seen) == 1:
        return [(seen[0] ^ (seen[0] + 1)).bit_length() - 1]
    ranks = [-1] * len(seen)
    waiting = sorted(range(len(seen)), key=lambda i: seen[i])
    highest = seen[waiting[-1]].bit_length() if waiting else 0
    # How many of those that show most have to be hidden behind ranks greater than any shown.
    low, high = 0, len(waiting)
    while low < high:
        middle = (low + high) // 2
        if _enough([seen[i] for i in waiting[: len(waiting) - middle]], highest):
            high = middle
        else:
            low = middle + 1
    for rank in range(highest + low - 1, highest - 1, -1):
        ranks[waiting.pop()] = rank
    for rank in range(highest - 1, -1, -1):
        if not waiting:
            break
        below = (1 << rank) - 1
        if any(seen[i] >> rank & 1 for i in waiting) or _enough([seen[i] & below for i in waiting], rank):
            continue
        child = max(waiting, key=lambda i: seen[i] & below)
        waiting.remove(child)
        ranks[child] = rank
    return ranks


def _enough(seen: list[int], count: int) -> bool:
    """Do the ranks below `count` suffice for these children?"""
    for rank in range(count - 1, -1, -1):
        if not seen:
            return True
        if not any(seen):
            return len(seen) <= rank + 1
        showing = sum(s >> rank & 1 for s in seen)
        if showing > 1:
            return False
        below = (1 << rank) - 1
        if not showing:
            seen.remove(max(seen))
        seen = [s & below for s in seen]
    return not seen


def optimal_worst_case(area: SuspiciousArea, last: int | None = None) -> int | None:
    """The question with which the fewest are needed at worst."""
    if area.total > _RANKED:
        return divide_and_query(area, last)
    nodes, parents = _askable_tree(area)
    if len(nodes) == 1:
        return None
    if max(Counter(parents).values()) > _FANNED_OUT:
        return divide_and_query(area, last)
    ranks = edge_ranking(parents)
    return nodes[max(range(1, len(nodes)), key=lambda place: ranks[place])]


# How likely the code of each node is wrong (in any unit), and what a question about each costs after the last one.
Likelihood = Callable[[SuspiciousArea], Callable[[int], float]]
Cost = Callable[[SuspiciousArea, int | None], Callable[[int], float]]


def by_answers(area: SuspiciousArea) -> Callable[[int], float]:
    """What ran right before will likely be right again."""
    right, rules = evidence(area).correct, area.rules
    return lambda node: 1 / (1 + right[rules[node]])


_FAR = 6
_DISTANCE_PRICE = 0.02


def by_distance(area: SuspiciousArea, last: int | None) -> Callable[[int], float]:
    """A question costs a little more the more calls lie between it and the last one."""
    if last is None or not 0 <= last < len(area.tree):
        return lambda node: 1.0
    tree = area.tree
    around = [last]
    while tree.parent[around[-1]] >= 0 and len(around) <= _FAR:
        around.append(tree.parent[around[-1]])
    steps_up = {node: steps for steps, node in enumerate(around)}

    def cost(node: int) -> float:
        for steps in range(_FAR):
            if node in steps_up:
                return 1 + _DISTANCE_PRICE * min(_FAR, steps + steps_up[node])
            node = tree.parent[node]
            if node < 0:
                break
        return 1 + _DISTANCE_PRICE * _FAR

    return cost


def expecting(
    likelihood: Likelihood = by_answers, cost: Cost = by_distance
) -> Callable[[SuspiciousArea, int | None], int | None]:
    """A strategy with the least cost on average: exactly so in a small area, by what a question tells in others."""

    def choose(area: SuspiciousArea, last: int | None = None) -> int | None:
        likely, price = likelihood(area), cost(area, last)
        if area.total > _SCORED:
            proposals = {f(area, last) for f in (divide_by_yes_and_query, divide_and_query, less_yes_first)}
            candidates = sorted(node for node in proposals if node is not None)
            return max(candidates, key=lambda n: _told(area, n) / price(n), default=None)
        nodes, parents = _askable_tree(area)
        if len(nodes) == 1:
            return None
        mass = [likely(node) for node in nodes]
        if _pieces(parents) * len(nodes) <= _STEPS:
            place = _least_cost(parents, mass, [0.0, *map(price, nodes[1:])])
        else:
            place = _most_told(parents, mass, [0.0, *map(price, nodes[1:])])
        return nodes[place]

    return choose


def information(part: float) -> float:
    """How many bits a yes or no tells, one of them having this probability."""
    return -part * math.log2(part) - (1 - part) * math.log2(1 - part) if 0 < part < 1 else 0.0


def _told(area: SuspiciousArea, node: int) -> float:
    return information(area.weight(node) / (area.total + 1))


def _most_told(parents: Sequence[int], mass: Sequence[float], price: Sequence[float]) -> int:
    below = list(mass)
    for place in range(len(parents) - 1, 0, -1):
        below[parents[place]] += below[place]
    return max(range(1, len(parents)), key=lambda p: information(below[p] / below[0]) / price[p])


def _pieces(parents: Sequence[int]) -> int:
    """How many connected pieces with a highest node a tree has: the areas that a search can meet are among them."""
    ways = [1] * len(parents)
    total = 0
    for place in range(len(parents) - 1, -1, -1):
        total += ways[place]
        if place:
            ways[parents[place]] *= 1 + ways[place]
        if total > _STEPS:
            break
    return total


def _least_cost(parents: Sequence[int], mass: Sequence[float], price: Sequence[float]) -> int:
    """The first question of the search with the least expected cost, by trying all."""
    count = len(parents)
    subtree = [1 << place for place in range(count)]
    for place in range(count - 1, 0, -1):
        subtree[parents[place]] |= subtree[place]
    known: dict[int, float] = {}

    def places(piece: int) -> list[int]:
        """The nodes of a piece without its highest, the one with the least number."""
        piece &= piece - 1
        found = []
        while piece:
            lowest = piece & -piece
            found.append(lowest.bit_length() - 1)
            piece ^= lowest
        return found

    def cost(piece: int, place: int) -> float:
        wrong = piece & subtree[place]
        return known[wrong] + known[piece ^ wrong]

    whole = (1 << count) - 1
    pending = [whole]
    while pending:
        piece = pending[-1]
        if piece in known:
            pending.pop()
            continue
        inside = places(piece)
        parts = {part for p in inside for part in (piece & subtree[p], piece & ~subtree[p])}
        unknown = [part for part in parts if part not in known]
        if unknown:
            pending += unknown
            continue
        pending.pop()
        here = mass[(piece & -piece).bit_length() - 1] + sum(mass[p] for p in inside)
        known[piece] = min((here * price[p] + cost(piece, p) for p in inside), default=0.0)
    here = sum(mass)
    return min(range(1, count), key=lambda p: (here * price[p] + cost(whole, p), p))


optimal_expected = expecting()
