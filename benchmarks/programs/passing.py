"""A list passed down 10,000 calls: as the only argument, deep, each call reading a little of it."""


def down(items: list[int], depth: int) -> int:
    if depth == 0:
        return items[0]
    return down(items, depth - 1) + items[depth % 10]


def down_and_change(items: list[int], depth: int) -> int:
    if depth == 0:
        return items[0]
    if depth % 10 == 0:
        items[depth % 7] = depth
    return down_and_change(items, depth - 1) + items[depth % 10]


def main(items: list[int], change: bool) -> object:
    step = down_and_change if change else down
    return sum(step(items, 499) for _ in range(20))
