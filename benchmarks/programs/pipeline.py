"""Generators that feed generators, comprehensions, lambdas."""

from collections.abc import Callable, Iterable, Iterator


def numbers(count: int, seed: int) -> Iterator[int]:
    state = seed
    for _ in range(count):
        state = (state * 75 + 74) % 65_537
        yield state


def only(accept: Callable[[int], bool], items: Iterable[int]) -> Iterator[int]:
    for item in items:
        if accept(item):
            yield item


def chunks(items: Iterable[int], size: int) -> Iterator[tuple[int, ...]]:
    chunk = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield tuple(chunk)
            chunk = []
    if chunk:
        yield tuple(chunk)


def sums(parts: Iterable[tuple[int, ...]]) -> Iterator[int]:
    total = 0
    for part in parts:
        total += sum(part)
        yield total


def frequencies(words: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return {word: count for word, count in sorted(counts.items()) if count > 1}


def main(scale: float) -> object:
    total = 0
    for n in range(max(1, round(8000 * scale))):
        for value in sums(chunks(only(lambda v: v % 3 != 0, numbers(150, n)), 4)):
            total += value % 7
        words = [f"w{i * i % 101}" for i in range(75)]
        total += sum(len(word) * count for word, count in frequencies(words).items())
        grid = [[i * j % 10 for i in range(6)] for j in range(6)]
        total += sum(x for row in grid for x in row if x % 2) + len({x for row in grid for x in row})
    return total
