def root(x):
    if x < 0:
        return float("nan")
    b = x
    while abs(b * b - x) > 1e-12:
        b = ((x / b) + b) / 2
    return b
def main():
    return root(9.0)


if __name__ == "__main__":
    print(main())


# The square root of a number by Newton's method.
# What is wrong: the result for 9 is right, but `root(12345)` never returns.
# What is right: the tolerance in line 5 must grow with the number, `1e-12 * max(x, 1.0)`.
# (These remarks stand at the end so that the line numbers are those of the papers' tests.)
