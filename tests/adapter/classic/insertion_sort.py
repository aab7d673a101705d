"""Insertion sort: equal to the first item is where it stops looking."""


def insertion_sort(items):
    items = list(items)
    for end in range(1, len(items)):
        moved = items[end]
        at = end
        while at > 1 and items[at - 1] > moved:
            items[at] = items[at - 1]
            at -= 1
        items[at] = moved
    return items


print(insertion_sort([7, 3, 9, 1, 8, 2, 6, 5, 4, 0]))
