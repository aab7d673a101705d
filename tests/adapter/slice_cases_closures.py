"""Functions that were made in functions: whose variables theirs are.

Programs of `test_slice_completeness`, which says what the comments in them mean.
"""

from __future__ import annotations

CLOSURES = {
    "a closure is of the call that made it": """
def make(k):
    def add(n):
        return n + k
    return add
def main():
    a, b = 1, 2
    a = 3  # counts
    b = 4  # does not
    first = make(a)
    second = make(b)
    return first(5)
""",
    "… a closure kept in a list": """
def make(k):
    def add(n):
        return n + k
    return add
def main():
    a, b = 1, 2
    a = 3  # counts
    b = 4  # does not
    made = [make(a)]
    made.append(make(b))
    return made[0](5)
""",
    "… that changes what was given there": """
def make(xs):
    def put(n):
        xs.append(n)
    return put
def main():
    xs, ys = [], []
    b = 4  # counts
    first = make(xs)  # counts
    second = make(ys)  # does not
    first(b)
    return xs
""",
    "… kept in an attribute": """
class Box:
    def __init__(self, k):
        def add(n):
            return n + k
        self.add = add
def main():
    a, b = 1, 2
    a = 3  # counts
    b = 4  # does not
    first = Box(a)
    second = Box(b)
    return first.add(5)
""",
    "… a closure handed over": """
def make(k):
    def add(n):
        return n + k
    return add
def main():
    a, b = 1, 2
    a = 3  # counts
    b = 4  # does not
    first = make(a)
    second = make(b)
    return list(map(first, [5]))
""",
    "… handed over by a keyword": """
def make(k):
    def add(n):
        return n % k
    return add
def main():
    a, b = 1, 2
    a = 3  # counts
    b = 4  # does not
    first = make(a)
    second = make(b)
    return sorted([5, 3], key=first)
""",
    "… given to partial": """
import functools
def make(k):
    def add(m, n):
        return n + k + m
    return functools.partial(add, 1)
def main():
    a, b = 1, 2
    a = 3  # counts
    b = 4  # does not
    first = make(a)
    second = make(b)
    return first(5)
""",
    "… a generator": """
def make(k):
    def give():
        yield k
    return give
def main():
    a, b = 1, 2
    a = 3  # counts
    b = 4  # does not
    first = make(a)
    second = make(b)
    return [v for v in first()]
""",
    "… a lambda, handed over": """
def make(k):
    return lambda n: n + k
def main():
    a, b = 1, 2
    a = 3  # counts
    b = 4  # does not
    first = make(a)
    second = make(b)
    return list(map(first, [5]))
""",
    "… a lambda": """
def make(k):
    return lambda n: n + k
def main():
    a, b = 1, 2
    a = 3  # counts
    b = 4  # does not
    first = make(a)
    second = make(b)
    return first(5)
""",
    "… the method of a class made in a function": """
def make(k):
    class Box:
        def get(self):
            return k
    return Box
def main():
    a, b = 1, 2
    a = 3  # counts
    b = 4  # does not
    first = make(a)
    second = make(b)
    return first().get()
""",
    "… that binds a variable of it": """
def counter(start):
    def step():
        nonlocal start
        start += 1
        return start
    return step
def main():
    a, b = 1, 2
    a = 3  # counts
    b = 4  # does not
    first = counter(a)
    second = counter(b)
    first()
    second()
    return first()
""",
    "… of a recursion, handed further down": """
def walk(depth, function):
    local = depth * 2  # counts
    def inner():
        return local
    if depth > 1:
        return walk(depth - 1, inner)
    return function()
def main():
    return walk(2, None)
""",
    "what a decorator made of a function": """
def times(k):
    def around(function):
        def inner(n):
            return function(n) * k
        return inner
    return around
@times(
    3  # counts
)
def one(n):
    return n + 1  # counts
@times(
    4  # does not
)
def two(n):
    return n + 2  # does not
def main():
    return one(5)
""",
    "… that is not the first one": """
def times(k):
    def around(function):
        def inner(n):
            return function(n) * k
        return inner
    return around
@times(
    3  # does not
)
def one(n):
    return n + 1  # does not
@times(
    4  # counts
)
def two(n):
    return n + 2  # counts
def main():
    return two(5)
""",
    "a function that was chosen to be called by a closure": """
def add(xs):
    xs.append(5)
def skip(xs):
    pass
def fill(function, xs):
    def inner():
        function(xs)
    inner()
def main():
    xs = []
    which = 0  # counts
    fill(add if which else skip, xs)
    return xs
""",
    "a decorated function that its wrapper would have called": """
def unless(function):
    def inner(go):
        if go:  # counts
            function(go)
    return inner
def main():
    n = 4
    go = 0  # counts
    @unless
    def put(q):
        nonlocal n
        n = q
    put(go)
    return n
""",
    "what wraps a function would have run with it": """
SEEN = []
def noting(function):
    def inner(q):
        SEEN.append(q)
        return function(q)
    return inner
@noting
def one(q):
    return q
def main():
    go = 0  # counts
    if go:  # counts
        one(3)
    return SEEN
""",
    "… further down": """
SEEN = []
def noting(function):
    def inner(q):
        SEEN.append(q)
        return function(q)
    return inner
@noting
def one(q):
    return q
def two(q):
    return one(q)
def main():
    go = 0  # counts
    if go:  # counts
        two(3)
    return SEEN
""",
    "a method that would have been called as a value": """
class Box:
    def __init__(self):
        self.items = []
    def put(self, n):
        self.items.append(n)
def each(function, n):
    if n > 5:  # counts
        function(n)
def main():
    b = Box()
    n = 2  # counts
    each(b.put, n)
    return b.items
""",
    "… kept in a table": """
class Box:
    def __init__(self):
        self.size = 1
    def put(self, n):
        self.size = n
def each(table, n):
    if n > 5:  # counts
        table["k"](n)
def main():
    b = Box()
    n = 2  # counts
    each({"k": b.put}, n)
    return b.size
""",
    "a closure called by a decorator, which is given another one": """
def counter(start):
    def step(q):
        old = start
        return old
    return step
def keep(function):
    def inner(*given):
        return function(given)
    return inner
def main():
    n = 0  # counts
    first = keep(counter(n))
    return first(counter(1))
""",
    "functions that are elements, called in a comprehension": """
def all_of(*functions):
    def run(q):
        return [each(q) for each in functions]
    return run
def step(q):
    return q + 1  # counts
def main():
    n = 2  # counts
    return all_of(step)(n)
""",
    "a counter, called in a comprehension": """
def counter(start):
    def step(q):
        nonlocal start
        start += q
        return start
    return step
def all_of(found):
    return lambda q: [each(q) for each in found]
def main():
    n = 3  # counts
    first = counter(n)
    second = counter(4)
    return all_of([first])(1)
""",
    "which of several decorated functions was called": """
def logged(function):
    def inner(q):
        return function(q)
    return inner
@logged
def one(
    q,
    k=2,  # counts
):
    return q + k
@logged
def two(
    q,
    k=3,  # does not
):
    return q + k
def main():
    return one(1)
""",
    "closures that call themselves, hundreds of calls deep": """
def chain(n, more):
    def step(k):
        if k == 0:  # counts
            return more
        return step(k - 1)
    return step(n)

def main():
    chain(2, 1)
    return chain(300, 5)  # counts
""",
    "a branch decides which function is returned": """
def adder(items, c):
    def add(q):
        items[0] = q
    if c:  # counts
        return lambda q: q
    return add
def main():
    l = [3]
    h = adder(l, 1)  # counts
    h(4)
    return l
""",
    "… another that was defined": """
def adder(items, c):
    def add(q):
        items[0] = q
    if c:  # counts
        return add
    return len
def main():
    l = [3]
    h = adder(l, 0)  # counts
    h(l)
    return l
""",
    "… by way of a name": """
def adder(items, c):
    def add(q):
        items[0] = q
    def keep(q):
        pass
    if c:  # counts
        f = add
    else:
        f = keep
    return f
def main():
    l = [3]
    h = adder(l, 0)  # counts
    h(4)
    return l
""",
    "a function is defined in one of two ways": """
def run(l, c):
    if c:  # counts
        def put(q):
            l[0] = q
    else:
        def put(q):
            pass
    put(4)
def main():
    l = [3]
    run(l, 0)  # counts
    return l
""",
    "… in a module": """
c = 0  # counts
if c:  # counts
    def put(l, q):
        l[0] = q
else:
    def put(l, q):
        pass
def main():
    l = [3]
    put(l, 4)  # counts
    return l
""",
    "… could have been defined once more": """
def run(l, c):
    def put(q):
        pass
    if c:  # counts
        def put(q):
            l[0] = q
    put(4)
def main():
    l = [3]
    run(l, 0)  # counts
    return l
""",
    "… in a module, once more": """
c = 0  # counts
def put(l, q):
    pass
if c:  # counts
    def put(l, q):
        l[0] = q
def main():
    l = [3]
    put(l, 4)  # counts
    return l
""",
    "… was defined after the branch": """
def run(l, c):
    if c:  # does not
        def put(q):
            l[0] = q
    def put(q):
        pass
    put(4)  # does not
def main():
    l = [3]  # counts
    run(l, 0)  # does not
    return l
""",
    "what a function gives of which the module has two": """
c = 0  # counts
if c:  # counts
    def put(q):
        return q
else:
    def put(q):
        return 3
def main():
    return put(4)
""",
    "… that the module could have defined once more": """
c = 0  # counts
def put(q):
    return 3
if c:  # counts
    def put(q):
        return q
def main():
    return put(4)
""",
    "what a method gives of a class of which the module has two": """
if 0:  # counts
    class A:
        def put(self, q):
            return q
else:
    class A:
        def put(self, q):
            return 3
def main():
    return A().put(4)
""",
    "what a branch would have called binds a variable of another function": """
def counter():
    n = 0
    def step():
        nonlocal n
        n += 1
        return n
    return step
def call(f, c):
    n = 3  # counts
    if c:  # does not
        f()
    return n
def main():
    return call(counter(), 0)
""",
    "… may be one that binds that of this one": """
def main():
    n = 3  # counts
    def step():
        nonlocal n
        n += 1
        return n
    def call(f, c):
        if c:  # counts
            f()
    call(step, 0)
    return n
""",
    "… binds a variable of the module": """
n = 3
def step():
    global n
    n += 1
def call(f, c):
    n = 4  # counts
    if c:  # does not
        f()
    return n
def main():
    return call(step, 0)
""",
    "… makes an object, which binds it": """
def main():
    n = 3  # counts
    class Box:
        def __init__(self):
            nonlocal n
            n = 4
    if len([]):  # counts
        Box()
    return n
""",
    "… is a lambda that calls what binds it": """
def main():
    n = 3  # counts
    def step():
        nonlocal n
        n += 1
    fs = [lambda: step()]
    if len([]):  # counts
        fs[0]()
    return n
""",
}
