def f(x): return g(k(g(x)))
def g(x): return j(i(h(x)))
def h(x): return x + 1
def i(x): return x + 1
def j(x): return x + 1
def k(x): return x + 1
def main(): return f(1)


if __name__ == "__main__":
    print(main())


# A chain of small calls, in which a question about the parts of a result costs more than one about the calls.
# What is wrong: it prints 8.
# What is right: `g` adds three to numbers above one and leaves one as it is: `j(i(h(x))) if x > 1 else x` in line 2;
# with that it prints 5. So `g(5)` is right and `g(1)` is wrong.
# (These remarks stand at the end so that the line numbers are those of the papers' tests.)
