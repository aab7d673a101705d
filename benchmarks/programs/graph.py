"""Graphs in dictionaries: shortest paths with a heap, breadth-first search."""

import heapq

Graph = dict[int, dict[int, int]]


def random_graph(size: int, degree: int, seed: int) -> Graph:
    graph: Graph = {}
    state = seed
    for node in range(size):
        edges = {}
        for _ in range(degree):
            state = (state * 1_103_515_245 + 12_345) & 0x7FFFFFFF
            if state % size != node:
                edges[state % size] = state // 7 % 50 + 1
        graph[node] = edges
    return graph


def distances(graph: Graph, start: int) -> tuple[dict[int, int], dict[int, int]]:
    known = {start: 0}
    previous: dict[int, int] = {}
    queue = [(0, start)]
    done = set()
    while queue:
        distance, node = heapq.heappop(queue)
        if node in done:
            continue
        done.add(node)
        for neighbour, weight in graph[node].items():
            longer = distance + weight
            if neighbour not in known or longer < known[neighbour]:
                known[neighbour] = longer
                previous[neighbour] = node
                heapq.heappush(queue, (longer, neighbour))
    return known, previous


def path(previous: dict[int, int], start: int, end: int) -> list[int]:
    nodes = [end]
    while nodes[-1] != start:
        if nodes[-1] not in previous:
            return []
        nodes.append(previous[nodes[-1]])
    nodes.reverse()
    return nodes


def levels(graph: Graph, start: int) -> dict[int, int]:
    seen = {start: 0}
    front = [start]
    while front:
        following = []
        for node in front:
            for neighbour in graph[node]:
                if neighbour not in seen:
                    seen[neighbour] = seen[node] + 1
                    following.append(neighbour)
        front = following
    return seen


def main(scale: float) -> object:
    total = 0
    for n in range(max(1, round(4500 * scale))):
        graph = random_graph(34, 6, n + 3)
        known, previous = distances(graph, 0)
        total += sum(known.values()) + len(path(previous, 0, 33)) + max(levels(graph, 1).values())
    return total
