"""Knapsack, recursively: an item without weight is taken again and again, so it recurses without end."""


def most_value(weights, values, room, first=0):
    best = 0
    for item in range(first, len(weights)):
        if weights[item] > room:
            continue
        following = item + 1
        left = room - weights[item]
        value = values[item] + most_value(weights, values, left, following)
        best = max(best, value)
    return best


print(most_value([3, 4, 0, 2], [4, 5, 1, 3], 7))
