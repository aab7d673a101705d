def main():
    return sqrtest([1, 2])

def sqrtest(x):
    return test(computs(listsum(x)))

def test(t):
    x, y, z = t
    return (x == y) and (y == z)

def listsum(xs):
    if xs == []:
        return 0
    return xs[0] + listsum(xs[1:])

def computs(x):
    return (comput1(x), comput2(x), comput3(x))

def comput1(x):
    return square(x)

def square(x):
    return x * x

def comput2(x):
    return listsum(list_(x, x))

def list_(x, y):
    if y == 0:
        return []
    return [x] + list_(x, y - 1)

def comput3(x):
    return listsum(partialsums(x))

def partialsums(x):
    return [sum1(x), sum2(x)]

def sum1(x):
    return (x * incr(x)) // 2

def sum2(x):
    return (x + decr(x)) // 2      # BUG: should be x * decr(x)

def incr(x):
    return x + 1

def decr(x):
    return x - 1


if __name__ == "__main__":
    print(main())


# The square of the sum of a list, computed in three ways that should agree.
# What is wrong: it prints False.
# What is right: `sum2(x)` is the sum of the numbers below x, `(x * decr(x)) // 2` in line 43; with that it prints True.
# (These remarks stand at the end so that the line numbers are those of the papers' tests.)
