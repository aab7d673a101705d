"""The next permutation: the item to exchange with is looked for with the wrong comparison."""


def next_permutation(items):
    items = list(items)
    pivot = len(items) - 2
    while pivot >= 0 and items[pivot] >= items[pivot + 1]:
        pivot -= 1
    if pivot < 0:
        return items[::-1]
    other = len(items) - 1
    while items[other] > items[pivot]:
        other -= 1
    items[pivot], items[other] = items[other], items[pivot]
    items[pivot + 1 :] = reversed(items[pivot + 1 :])
    return items


print(next_permutation([3, 1, 7, 6, 5, 4, 2, 0]))
