from functools import reduce
from itertools import takewhile
def span(p, xs):
    ys = list(takewhile(p, xs)); return ys, xs[len(ys):]
def isort(xs):
    return reduce(lambda acc, n: insert(n, acc), reversed(xs), [])
def insert(n, ms):
    xs, ys = span(lambda m: m < n, ms)
    return xs + ([n] + ys)
def main(): return isort([4,3,5])


if __name__ == "__main__":
    print(main())


# The corrected copy of ../isort_t.py.
