"""A loop of 200 calls."""


def step(i):
    return i * i


def main():
    s = 0
    for i in range(200):
        s += step(i)
    return s


print(main())
