"""Longest common subsequence by a table: a match is counted on top of the wrong neighbour."""


def longest_common_subsequence(one, two):
    table = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one)):
        for j in range(len(two)):
            if one[i] == two[j]:
                table[i + 1][j + 1] = table[i][j + 1] + 1
            else:
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


print(longest_common_subsequence("aaba", "abca"))
