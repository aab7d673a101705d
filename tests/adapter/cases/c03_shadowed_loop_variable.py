# kind:     inner loop reuses the outer loop variable
# symptom:  after the inner loop `i` no longer indexes the row
# expected: [(0, 1), (1, 1), (2, 3)]
# actual:   [(3, 1), (3, 0), (3, 0)]
# buggy lines: 19, 20
# buggy function: label_rows

def row_mean(row):
    return sum(row) / len(row)

def count_above(row, limit):
    return sum(1 for v in row if v > limit)

def label_rows(table):
    labels = []
    for i in range(len(table)):
        limit = row_mean(table[i])
        high = 0
        for i in range(len(table[i])):
            if table[i % len(table)][0] > limit:
                high += 1
        labels.append((i, high))
    return labels

if __name__ == "__main__":
    print(label_rows([[1, 2, 9, 4], [5, 5, 6, 4], [0, 8, 8, 8]]))
