"""Quicksort of 120 numbers, every comparison a call."""

import random


def part(xs, p):
    return [x for x in xs if lt(x, p)], [x for x in xs if not lt(x, p)]


def lt(a, b):
    return a < b


def qs(xs):
    if not xs:
        return []
    left, right = part(xs[1:], xs[0])
    return qs(left) + [xs[0]] + qs(right)


rng = random.Random(1)
print(qs([rng.randrange(1000) for _ in range(120)])[:3])
