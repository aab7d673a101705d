"""Small functions that call themselves: Fibonacci numbers and quick-sort."""


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def quicksort(xs: list[int]) -> list[int]:
    if len(xs) <= 1:
        return xs
    pivot = xs[0]
    smaller = [x for x in xs[1:] if x < pivot]
    return [*quicksort(smaller), pivot, *quicksort([x for x in xs[1:] if x >= pivot])]


def main(scale: float) -> object:
    result: object = None
    for _ in range(max(1, round(3600 * scale))):
        result = fib(12), quicksort([i * 7919 % 5003 for i in range(100)])[7]
    return result
