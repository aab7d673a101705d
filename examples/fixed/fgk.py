def f(x): return g(k(g(x)))
def g(x): return j(i(h(x))) if x > 1 else x
def h(x): return x + 1
def i(x): return x + 1
def j(x): return x + 1
def k(x): return x + 1
def main(): return f(1)


if __name__ == "__main__":
    print(main())


# The corrected copy of ../fgk.py.
