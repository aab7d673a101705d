"""The programs measured: `workload.py NAME SCALE` prepares one and hands the work to `measure`.

At scale 1 each takes some tenths of a second unrecorded.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any

from installed import FOLDER
from measure import measure

Work = Callable[[], object]


def _pyperformance(name: str) -> Any:
    folder = FOLDER / "pyperformance" / "data-files" / "benchmarks" / f"bm_{name}"
    sys.path[1:1] = [str(folder), str(FOLDER)]
    return import_module("run_benchmark")


def _package(name: str) -> Any:
    sys.path.insert(1, str(FOLDER))
    return import_module(name)


# From the package index


def richards(scale: float) -> Work:
    program = _pyperformance("richards").Richards()
    return lambda: program.run(max(1, round(4 * scale)))


def deltablue(scale: float) -> Work:
    program = _pyperformance("deltablue")
    return lambda: program.delta_blue(round(4000 * scale))


def nbody(scale: float) -> Work:
    program = _pyperformance("nbody")
    program.offset_momentum(program.BODIES["sun"])

    def work() -> object:
        program.report_energy()
        program.advance(0.01, round(30_000 * scale))
        return program.report_energy()

    return work


MARKDOWN = """\
Heading {n}
===========

Some *emphasis*, **strong text**, `code` and a [link](https://example.org/{n} "title"), a line
break and ![an image](image{n}.png), <b>HTML</b> and an autolink <https://example.org>.

## List {n}

1. first item with a [reference][ref{n}]
2. second item
   - nested *one*
   - nested `two`

     with a paragraph

> A quote with **bold** text
> over two lines.

```python
def f(x):
    return x * {n}
```

[ref{n}]: https://example.org/reference/{n}
***
"""


def markdown(scale: float) -> Work:
    mistune = _package("mistune")
    text = "\n".join(MARKDOWN.format(n=n) for n in range(round(300 * scale)))
    return lambda: len(mistune.html(text))


TOML = """\
[[servers]]
name = "server {n} with an \\"escape\\" and \\u00e9"
ip = '10.0.0.{n}'
ports = [ 8001, 0x1F4{d}, 8_003, # a comment
          {n} ]
started = 1979-05-27T07:32:00.999-07:00
limits = {{cpu = 79.5, memory = 72.{n}, nested = {{a = true, b = [1, 2.5e3]}}}}
text = \"\"\"
several
lines {n}\"\"\"
[servers.owner.address]
"quoted key".street = "Main {n}"
"""


def toml(scale: float) -> Work:
    tomli = _package("tomli")
    text = "".join(TOML.format(n=n, d=n % 10) for n in range(round(2000 * scale)))
    return lambda: len(tomli.loads(text)["servers"])


def sorted_containers(scale: float) -> Work:
    module = _package("sortedcontainers")
    size = round(30_000 * scale)

    def work() -> object:
        numbers = module.SortedList()
        for i in range(size):
            numbers.add(i * 7919 % size)
        total = sum(numbers[i * 31 % size] for i in range(0, size, 2))
        for i in range(0, size, 3):
            numbers.remove(i)
        words = module.SortedDict()
        for i in range(size // 2):
            words[str(i * 7919 % size)] = i
        found = sum(words.bisect_left(str(i)) for i in range(0, size, 4))
        keyed = module.SortedKeyList(range(size // 4), key=lambda n: -n)
        return total, len(numbers), found, keyed[0], len(module.SortedSet(range(size // 4)) & set(range(50)))

    return work


# Ours, for what those do not do


def recursion(scale: float) -> Work:
    def fib(n: int) -> int:
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    def quicksort(xs: list[int]) -> list[int]:
        if len(xs) <= 1:
            return xs
        pivot = xs[0]
        smaller = [x for x in xs[1:] if x < pivot]
        return [*quicksort(smaller), pivot, *quicksort([x for x in xs[1:] if x >= pivot])]

    def work() -> object:
        for _ in range(max(1, round(20 * scale))):
            result = fib(20), quicksort([i * 7919 % 5003 for i in range(3000)])[7]
        return result

    return work


def generators(scale: float) -> Work:
    def numbers(n: int) -> Iterator[int]:
        yield from range(n)

    def squares(items: Iterable[int]) -> Iterator[int]:
        for item in items:
            if item % 3:
                yield item * item

    def pairs(items: Iterable[int]) -> Iterator[tuple[int, int]]:
        last = 0
        for item in items:
            yield last, item
            last = item

    return lambda: sum(b - a for a, b in pairs(squares(numbers(round(900_000 * scale)))))


def matrices(scale: float) -> Work:
    size = round(110 * scale ** (1 / 3))
    a = [[(i * j) % 7 + 1 for j in range(size)] for i in range(size)]

    def multiply(x: list[list[int]], y: list[list[int]]) -> list[list[int]]:
        result = [[0] * size for _ in range(size)]
        for i in range(size):
            for j in range(size):
                total = 0
                for k in range(size):
                    total += x[i][k] * y[k][j]
                result[i][j] = total
        return result

    return lambda: sum(map(sum, multiply(multiply(a, a), a)))


def shortest_paths(scale: float) -> Work:
    size = round(20_000 * scale)
    graph = {n: [((n * k + 1) % size, k) for k in (3, 5, 7, 11)] for n in range(size)}

    def distances(start: int) -> dict[int, int]:
        known: dict[int, int] = {}
        queue = [(0, start)]
        while queue:
            distance, node = heapq.heappop(queue)
            if node in known:
                continue
            known[node] = distance
            for neighbour, weight in graph[node]:
                if neighbour not in known:
                    heapq.heappush(queue, (distance + weight, neighbour))
        return known

    return lambda: sum(sum(distances(n).values()) for n in range(6))


WORKLOADS: dict[str, Callable[[float], Work]] = {
    "richards": richards,
    "deltablue": deltablue,
    "nbody": nbody,
    "markdown": markdown,
    "toml": toml,
    "sorted containers": sorted_containers,
    "recursion": recursion,
    "generators": generators,
    "matrices": matrices,
    "shortest paths": shortest_paths,
}

if __name__ == "__main__":
    measure(WORKLOADS[sys.argv[1]](float(sys.argv[2])))
