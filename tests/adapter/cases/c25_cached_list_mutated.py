# kind:     cached mutable result changed by a caller
# symptom:  lru_cache hands out one list; the first caller extends it
# expected: [(3, 2), (3, 2), (3, 2)]
# actual:   [(3, 3), (3, 3), (4, 4)]
# buggy lines: 15
# buggy function: with_self

from functools import lru_cache

@lru_cache(maxsize=None)
def neighbours(n):
    return [n - 1, n + 1]

def with_self(n):
    cells = neighbours(n)
    cells.append(n)
    return cells

def degree(n):
    return len(neighbours(n))

def walk(cells):
    return [(len(with_self(c)), degree(c)) for c in cells]

if __name__ == "__main__":
    print(walk([1, 2, 1]))
