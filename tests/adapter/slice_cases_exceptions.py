"""What exceptions decide: code that could have raised, what catches it, managers that swallow it.

Programs of `test_slice_completeness`, which says what the comments in them mean.
"""

from __future__ import annotations

EXCEPTIONS = {
    "after an exception that is caught the rest does not run": """
def main():
    s = 0
    at = 1  # counts
    try:
        x = [1, 2][at]
        s = s + 1
    except IndexError:
        pass
    return s
""",
    "… nor does the rest of a function that was called": """
def step(log, at):
    x = [1, 2][at]  # counts
    log.append(1)
def main():
    log = []
    try:
        step(log, 1)
    except IndexError:
        pass
    return len(log)
""",
    "what an exception would have kept from being inserted": """
def put(xs):
    xs.insert(0, xs[
        -1])  # counts
    return 1
def main():
    xs = [4, 2]
    v = 0
    try:
        v = [5, 6][put(xs)]
    except IndexError:
        v = v
    return len(xs)
""",
    "what could have raised before names were bound": """
def main():
    u = 4
    try:
        u, v = 1, [7][
            -1]  # counts
    except IndexError:
        pass
    return u
""",
    "code that was not run could have raised, and kept the rest from running": """
def main():
    xs, n, out = [1], 0, 0
    try:
        if n > 0:  # counts
            xs.pop(n)
        out = 1
    except IndexError:
        out = 2
    return out
""",
    "what a store that failed was for": """
def main(size=2):
    xs, out = [1, 2], 0  # counts
    at = size  # counts
    try:
        xs[at] = 5  # counts
    except IndexError:
        out = 1
    return out
""",
    "a finally that did not return": """
def give(n):
    try:
        n += 1
    finally:
        if n > 9:  # counts
            return 0
    return 7

def main():
    return give(3)  # counts
""",
    "a finally that let what was returned pass": """
def give(n):
    try:
        return 7
    finally:
        if n > 9:  # counts
            return 0

def main():
    return give(3)  # counts
""",
    "a finally that let what was raised pass": """
def give(n):
    try:
        raise ValueError
    finally:
        if n > 9:  # counts
            return 0

def main():
    try:
        give(3)  # counts
    except ValueError:
        return 1
    return 2
""",
    "both operands of an assertion that failed": """
def main(n=1):  # counts
    xs = ys = [1]
    zs = list(ys)  # counts
    try:
        assert n > 3 or zs is xs  # counts
    except AssertionError:
        return 1
    return 2
""",
    "what could have raised in an iteration before": """
def put(xs):
    places = [
        1,  # counts
        0,
    ]
    for n in range(2):
        xs[n] = 5
        [7, 8][places[n]]
def main():
    xs = [2, 3]
    try:
        put(xs)
    except IndexError:
        pass
    return xs[1]
""",
    "whether something could be deleted": """
def main():
    xs = [1, 2, 3]
    at = 2  # counts
    try:
        del xs[at]
    except IndexError:
        pass
    return len(xs)
""",
    "whether something could be taken out": """
def main():
    xs = [1, 2, 3]
    try:
        xs.remove(
            2  # counts
        )
    except ValueError:
        pass
    return len(xs)
""",
    "a call whose argument could not be had was not made": """
def main():
    xs = [4, 3]
    n = 0
    try:
        while n < 2:
            n += 1
            xs.insert(-1, xs[
                4  # counts
            ])
    except IndexError:
        n = 5
    return len(xs)
""",
    "what could have raised in a lambda that a function calls": """
def most(xs):
    return sorted(xs, key=lambda q: q // (
        2  # counts
    ))
def main():
    n = 0
    try:
        most([3, 1])
        n = 1  # counts
    except ZeroDivisionError:
        pass
    return n
""",
    "what could have raised in a lambda of one's own": """
def main():
    xs = []
    f = lambda q: q // (
        2  # counts
    )
    try:
        f(3)
        xs.append(1)  # counts
    except ZeroDivisionError:
        pass
    return xs
""",
    "what kept an exception from being swallowed": """
import contextlib
def look(d):
    return d[
        1  # counts
    ]
def main():
    xs = []
    with contextlib.suppress(KeyError):
        look({1: 2})  # counts
        xs.append(1)
    return xs
""",
    "… by a manager of the program": """
import contextlib
@contextlib.contextmanager
def quiet():
    try:
        yield
    except KeyError:
        pass
def main():
    d = {1: 2}
    n = 0
    with quiet():
        d[
            1  # counts
        ]
        n = 1
    return n
""",
    "what comes after a call that raised": """
def fail():
    raise ValueError
def put(xs, n):
    if n > 1:  # counts
        fail()
    xs.append(n)
def main():
    xs = []
    try:
        put(xs, 2)  # counts
    except ValueError:
        pass
    return xs
""",
    "what could have raised before a return": """
def f(n, xs):
    try:
        return 2 // n
    except ZeroDivisionError:
        xs[-1] = 7
    return 0
def main():
    xs = [1]
    n = 2  # counts
    f(n, xs)
    return xs
""",
    "… in a choice": """
def f(n, xs):
    k = 3
    try:
        if n != k:
            return 2 if 1 // n else 3
    except ZeroDivisionError:
        xs[-1] = 7
    return 0
def main():
    xs = [1]
    n = 2  # counts
    f(n, xs)
    return xs
""",
    "… or before a loop was left": """
def f(n, xs):
    for i in [1, 2]:
        try:
            k = 2 // n
            break
        except ZeroDivisionError:
            xs[-1] = 7
    return 0
def main():
    xs = [1]
    n = 2  # counts
    f(n, xs)
    return xs
""",
    "… with another try in between": """
def f(n, xs):
    try:
        try:
            return 2 // n
        finally:
            pass
    except ZeroDivisionError:
        xs.append(3)
def main():
    xs = [1]
    n = 2  # counts
    f(n, xs)
    return xs
""",
    "what is returned raises on the way through a finally": """
def main():
    xs, k = [1], 3  # counts
    def f():
        try:
            return xs[k]  # counts
        finally:
            pass
    try:
        return f()
    except IndexError:
        return 0
""",
    "a finally that returns keeps an exception back": """
def main():
    xs, k = [1], 3  # counts
    def f():
        n = 0
        try:
            n = 3  # counts
            xs[k]  # counts
            n = 4
        finally:
            return n
    return f()
""",
    "what follows what a with keeps back": """
from contextlib import suppress
def main():
    xs, k = [1], 3  # counts
    n = 0  # counts
    with suppress(IndexError):
        xs[k]  # counts
        n = 1
    return n
""",
    "a lambda raises on the way through a finally": """
def main():
    xs, k, seen = [1], 3, []  # counts
    def f():
        other = [5]  # does not
        get = lambda i: xs[i]
        try:
            get(k)
            seen.append(1)
        finally:
            pass
    try:
        f()
    except IndexError:
        pass
    return seen
""",
    "the index that a store fails with": """
def main():
    xs, seen = [1], []
    try:
        xs[
            1  # counts
        ] = 2
        seen.append(1)
    except IndexError:
        pass
    return seen
""",
    "what would have come after a try that was returned from, had that raised": """
def run(n, seen):
    xs = [1]
    i = 0  # counts
    try:
        return xs[i]
    except IndexError:
        pass
    finally:
        xs.append(3)
    seen.append(n)
def main():
    seen = []
    run(2, seen)
    return seen
""",
    "… had a generator raised that a display goes through": """
def give(n, items):
    if items:
        items[-1] = n  # counts
    yield n
def run(n, seen):
    try:
        return [*give(n, [2])]
    except IndexError:
        pass
    seen.append(n)
def main():
    seen = []
    run(2, seen)
    return seen
""",
    "… with a handler that leaves the loop": """
def run(n, seen):
    xs = [1]
    i = 0  # counts
    for each in [1]:
        try:
            return xs[i]
        except IndexError:
            break
    seen.append(n)
def main():
    seen = []
    run(2, seen)
    return seen
""",
    "… not with handlers that return": """
def run(n, seen):
    xs = [1]
    i = 0  # does not
    try:
        return xs[i]
    except IndexError:
        return 3
    seen.append(n)
def main():
    seen = []  # counts
    run(2, seen)
    return seen
""",
    "… after a try that was left by continue": """
def run(n, seen):
    xs = [1]
    i = 0  # counts
    for each in [1]:
        try:
            xs[i]
            continue
        except IndexError:
            pass
        seen.append(n)
def main():
    seen = []
    run(2, seen)
    return seen
""",
    "… after a with that swallows it": """
from contextlib import suppress
def run(n, seen):
    xs = [1]
    i = 0  # counts
    with suppress(IndexError):
        return xs[i]
    seen.append(n)
def main():
    seen = []
    run(2, seen)
    return seen
""",
    "a generator that could have raised in a display whose truth decides": """
def give(n):
    if n:  # counts
        raise ValueError
    yield 1
def f(n):
    try:
        return [*give(n)] and 8  # counts
    except ValueError:
        return 3
def main():
    n = 0  # counts
    return f(n)
""",
    "a call that could have raised beside what is returned": """
def check(n):
    if n:  # counts
        raise ValueError
def f(n):
    try:
        return (check(n), 8)[1]  # counts
    except ValueError:
        return 3
def main():
    n = 0  # counts
    return f(n)
""",
    "… in a tuple of which something else counts": """
def check(n):
    if n:  # counts
        raise ValueError
    return 4
def f(n):
    try:
        return check(n), 5  # counts
    except ValueError:
        return 3, 6
def main():
    n = 0  # counts
    return f(n)[1]
""",
    "… where a manager would have kept it from coming out": """
from contextlib import suppress
def give(n):
    if n:  # counts
        raise ValueError
    yield 1
def f(n):
    with suppress(ValueError):
        return [*give(n)] and 8  # counts
    return 3
def main():
    n = 0  # counts
    return f(n)
""",
}
