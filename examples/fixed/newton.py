def root(x):
    if x < 0:
        return float("nan")
    b = x
    while abs(b * b - x) > 1e-12 * max(x, 1.0):
        b = ((x / b) + b) / 2
    return b
def main():
    return root(9.0)


if __name__ == "__main__":
    print(main())


# The corrected copy of ../newton.py.
