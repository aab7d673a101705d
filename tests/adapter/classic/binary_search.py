"""Binary search, iterative: the lower bound is moved to the middle itself, so it may never end."""


def binary_search(items, wanted):
    low, high = 0, len(items)
    while low < high:
        middle = (low + high) // 2
        if items[middle] == wanted:
            return middle
        if items[middle] < wanted:
            low = middle
        else:
            high = middle
    return -1


print(binary_search([2, 3, 5, 7, 11, 13, 17, 19, 23, 29], 20))
