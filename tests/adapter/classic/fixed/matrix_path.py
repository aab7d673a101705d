"""Cheapest way through a matrix, right and down: the first column is summed up from the row."""


def cheapest_path(costs):
    best = [[0] * len(row) for row in costs]
    for i in range(len(costs)):
        for j in range(len(costs[i])):
            if i == 0 and j == 0:
                best[i][j] = costs[i][j]
            elif i == 0:
                best[i][j] = best[i][j - 1] + costs[i][j]
            elif j == 0:
                best[i][j] = best[i - 1][j] + costs[i][j]
            else:
                best[i][j] = min(best[i - 1][j], best[i][j - 1]) + costs[i][j]
    return best[-1][-1]


print(cheapest_path([[1, 3, 1, 5], [1, 9, 1, 2], [4, 2, 1, 1], [2, 1, 8, 1]]))
