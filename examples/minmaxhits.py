WEB = [0, 21, 23, 45, 16, 65, 17]

def main():
    return print_max(min_max_hits(WEB))

def print_min(t):
    return str(t[0])

def print_max(t):
    return str(t[1])

def fst(t):
    return t[0]

def snd(t):
    return t[1]

def min_max_hits(xs):
    y, ys = xs[0], xs[1:]
    if ys == []:
        return (y, y)
    m = min_max_hits(ys)
    return (min_(y, fst(m)),
            max_(y, snd(m)))

def min_(x, y):
    if leq(x, y):
        return x
    return y

def max_(x, y):
    if leq(x, y):
        return y
    return x

def leq(x, y):
    if x == 0:
        return False          # BUG: should be True
    if y == 0:
        return False
    return leq(x - 1, y - 1)


if __name__ == "__main__":
    print(main())


# The greatest number of hits of a web site.
# What is wrong: it prints 0.
# What is right: `leq(0, y)` is True whatever y is, so line 38 should return True; with that it prints 65.
# (These remarks stand at the end so that the line numbers are those of the papers' tests.)
