from functools import reduce
from itertools import takewhile
def span(p, xs):
    ys = list(takewhile(p, xs)); return ys, xs[len(ys):]
def isort(xs):
    return reduce(lambda acc, n: insert(n, acc), reversed(xs), [])
def insert(n, ms):
    xs, ys = span(lambda m: m > n, ms)   # span (>n)
    return ys + ([n] + xs)
def main(): return isort([4,3,5])


if __name__ == "__main__":
    print(main())


# Insertion sort. The calls of `insert` are made by library code (`reduce`).
# What is wrong: it prints [3, 5, 4].
# What is right: `insert` splits the list where the smaller numbers end, `m < n` in line 8, and puts n between the
# two parts, `xs + ([n] + ys)` in line 9; with that it prints [3, 4, 5].
# (These remarks stand at the end so that the line numbers are those of the papers' tests.)
