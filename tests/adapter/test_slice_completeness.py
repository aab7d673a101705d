"""What must be in a relevant slice although it gives no value of its own: it decides where values lie, or whose they are.

In each program the lines that end with `# counts` are in the slice of what `main` gives: with another value there, that
would be another one. Those that end with `# does not` are not.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_slice_kinds import find, record

from algodebug.slicing import Slicer, parse_criterion

CASES = {
    "where an element is inserted decides the places of the others": """
def main():
    at = 0  # counts
    xs = [4, 5]
    xs.insert(at, 7)
    return xs[1]
""",
    "an element taken out moves those behind": """
def main(go=1):  # counts
    xs = [4, 5, 6]
    if go:  # counts
        xs.pop(0)
    return xs[0]
""",
    "an index from the end depends on how many there are": """
def main():
    n = 2
    xs = [4, 5, 6]
    if n > 1:  # counts
        xs.append(n)
    xs[-1] = 0
    return xs[2]
""",
    "what a filter leaves out decides the places of the rest": """
def main():
    xs = [1, 5, 6]
    least = 2  # counts
    ys = [x for x in xs if x > least]
    return ys[0]
""",
    "a filter that leaves nothing decides how many": """
def main():
    least = 9  # counts
    ys = [x for x in [1, 2] if x > least]
    return len(ys)
""",
    "a value that was sorted away was no other's": """
def main():
    xs = [3, 1]
    xs[0] = 5  # counts
    xs.sort()
    xs[0] = 9
    return xs
""",
    "the bounds of a slice that is replaced": """
def main():
    low = 1  # counts
    xs = [1, 2, 3]
    xs[low:2] = [7, 8]
    return xs[3]
""",
    "the key that sorts": """
def main():
    n = 2  # counts
    xs = [3, 2]
    xs.sort(key=lambda x: x % n)
    return xs[0]
""",
    "which of two objects was changed": """
def main():
    xs, ys = [1], [2]
    which = 0  # counts
    (xs if which else ys).append(5)
    return len(xs)
""",
    "which element was changed": """
def main():
    xs = [1]
    rows = [xs, [2]]
    which = 1  # counts
    rows[which].append(5)
    return len(xs)
""",
    "which object's method was called, where another class has another one": """
class Loud:
    def __init__(self):
        self.n = 0
    def up(self):
        self.n += 1
class Quiet(Loud):
    def up(self):
        pass
def main():
    one, two = Loud(), Quiet()
    which = 0  # counts
    (one if which else two).up()
    return one.n
""",
    "an inner list that has no name": """
def main():
    n = 5  # counts
    rows = [[1], [2]]
    rows[0].append(n)
    return rows
""",
    "a list that is read while it is changed": """
def main():
    first = 4  # counts
    xs = [first, 5]
    xs.insert(0, xs[0])
    return xs[0]
""",
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
    "how often a lambda is called back": """
def main():
    n = 2  # counts
    xs = []
    list(map(lambda x: xs.append(x), [1, 2, 3][:n]))
    return len(xs)
""",
    "a variable that an inner function binds": """
def main():
    n = 1
    def up(by):
        nonlocal n
        n += by  # counts
    up(2)
    return n
""",
    "an attribute of a class": """
class Box:
    made = 0
    def __init__(self, n):
        Box.made = n  # counts
def main():
    Box(3)
    return Box.made
""",
    "what a loop left early would still have bound": """
def main():
    last = 1  # counts
    for i in [1, 2, 3]:
        if i > last:
            break
    return i
""",
    "code behind an early return": """
def put(xs, n):
    if n < 1:  # counts
        return
    xs.append(n)
def main():
    xs = [1]
    put(xs, 0)
    return len(xs)
""",
    "attributes stored by name": """
class Box:
    size = 0
def main():
    box = Box()
    box.size = 1
    n = 0  # counts
    if n:
        setattr(box, "size", 5)
    return box.size
""",
    "lists that a sorted list holds are changed later": """
def main():
    n = 7  # counts
    xs = [3]
    rows = sorted([[1], xs], key=len)
    xs.append(n)
    return rows
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
    "one test keeps two pieces of code from running": """
def main(u=5):  # counts
    xs, seen = [3, 2], {1}
    for i in xs[:3]:
        xs.append(i)
        if u >= 2:  # counts
            break
        seen.discard(i)
    xs.pop()
    return xs
""",
    "a row that was changed, gone through in an inner loop": """
def main():
    rows = [[1, 2], [3]]
    rows[0][0] = (
        7  # counts
    )
    return [v for row in rows for v in row]
""",
    "a generator that nobody holds any more ends between two statements": """
def ones(n):
    while True:
        yield n
def first(n):
    return next(ones(n))
def main():
    n = 1  # counts
    first(5)  # does not
    k = n  # counts
    return k
""",
    "a variable of the function around would have been bound": """
def main(go=0):
    n = 1
    def inner():
        return n
    if go:  # counts
        n = 2
    return inner()
""",
    "a lambda that is called after a generator expression": """
class Box:
    def __init__(self):
        self.items = []
    def add(self, n):
        self.items.append(n)
def main():
    f = (lambda q:
        q + 1)  # counts
    ys = [2]
    box = Box()
    if any(y > 3 for y in ys):
        ys.pop()
    box.add(f(1))
    return box.items
""",
    "how many elements a function is called back for": """
def main():
    xs, seen = [0, 4], []
    cut = 0  # counts
    del xs[cut:]
    list(map(lambda x: seen.append(x), xs))
    return seen
""",
    "how many elements a named function is called back for": """
def main():
    seen = []
    def put(x):
        seen.append(x)
    go = 0  # counts
    list(filter(put, [3][:go]))
    return seen
""",
    "what gives True or False asks nobody for a length": """
class Box:
    def __init__(self, items):
        self.items = items
    def __len__(self):
        return len(self.items) + (
            1  # counts
        )
def main():
    xs = [0]
    box = Box(xs)
    assert 0 in xs or all(x for x in xs)
    return len(box)
""",
    "what a sorted list holds was not seen before": """
def main():
    rows = sorted([[1, 2], [3]], key=len)
    rows[0].append(
        7  # counts
    )
    return rows
""",
    "what made an `and` false, not what was true in it": """
def main():
    a, b = (
        1,  # does not
        0,  # counts
    )
    n = 5
    if a and b:  # counts
        n = 6
    return n
""",
    "all of an `or` that is false": """
def main():
    a, b = (
        0,  # counts
        0,  # counts
    )
    n = 5
    while a or not (b == 0 and n):
        n -= 1
    return n
""",
    "what an `and` did besides": """
def main():
    xs = [1]
    a = 1  # counts
    if a and xs.pop() > 3:
        xs = []
    return xs
""",
    "which element was taken out decides which is the first": """
def main():
    xs = [5]
    rows = [[1], xs]
    at = 1  # counts
    rows.pop(at)
    rows[0].append(7)
    return xs
""",
    "which element was replaced decides what lies there": """
def main():
    xs = [3]
    rows = [[1], xs]
    at = -1  # counts
    rows[at] = [2]
    rows[1].append(9)
    return xs
""",
    "a function that would have been handed over": """
def main():
    u = 5
    def g(q):
        nonlocal u
        u = 1
        return q
    go = 0  # counts
    if go:
        min([3], key=g)
    return u
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
    "a call after a loop over a copy that is empty": """
def less(a, b=2):
    return (
        a  # counts
        - b
    )
def main():
    d = {}
    for x in list(d.values()):
        pass
    return (less(3), 1)
""",
    "a lambda that is called after a loop and a call": """
def put(xs):
    xs.append(1)
def main():
    f = (lambda q:
        q + 0)  # counts
    xs = [4]
    for j, x in enumerate(xs[:3]):
        pass
    put(xs)
    xs[0] = f(3)
    return xs
""",
    "an operator runs its own method alone": """
from decimal import Decimal
class Box:
    def __add__(self, n):
        return (
            n  # counts
        )
def main():
    box, ten, three = Box(), Decimal(10), Decimal(3)
    both = (ten % three, box + 2)
    return both[1]
""",
    "how many elements a comprehension goes through": """
def main():
    xs, seen = [0, 4], []
    cut = 0  # counts
    del xs[cut:]
    [seen.append(x) for x in xs]
    return seen
""",
    "which list of several was changed": """
class Box:
    made = (
        2  # counts
    )
def main():
    xs = [0, 0]
    rows = [[1, 2], xs]
    xs.extend([3])
    rows[Box.made % len(rows)].append(4)
    return len(xs)
""",
    "formatting asks nobody for a length": """
class Box:
    def __len__(self):
        return (
            5  # counts
        )
def main():
    box, text = Box(), ""
    for u in [1]:
        text = (f"{u:>3}", len(box))
    return text[1]
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
    "an attribute that the body of a class in a function bound": """
def make(rate):
    base = rate + 1  # counts
    class Box:
        size = base  # counts
        other = rate  # does not
    return Box

def main():
    return make(3)().size  # counts
""",
    "a class made in a loop": """
def main():
    classes = []
    for i in (1, 2):  # counts
        class Box:
            size = i  # counts
        classes.append(Box)
    return classes[0].size
""",
    "a class inside a class of a function": """
def make(rate):
    class Box:
        class Inner:
            depth = rate  # counts
    return Box

def main():
    n = 5  # counts
    return make(n).Inner().depth
""",
    "which of two methods a class has": """
FLAG = 1  # counts
class Box:
    if FLAG:  # counts
        def get(self):
            return 1
    else:
        def get(self):
            return 2

def main():
    return Box().get()
""",
    "an attribute that the body of a class did not bind again": """
FLAG = 0  # counts
class Box:
    size = 1  # counts
    if FLAG:  # counts
        size = 2

def main():
    return Box().size
""",
    "an attribute that the body of a class in a function did not bind again": """
def main(flag=0):  # counts
    class Box:
        size = 1  # counts
        if flag:  # counts
            size = 2
    return Box.size
""",
    "a sum that adds to a number changes no list": """
def add(xs, most):
    total = 0
    for x in xs:
        if x < most:  # does not
            total += x
    return total

def main():
    xs = [1, 2]  # counts
    add(xs, 2)
    return xs[0]
""",
    "a class made by calling type": """
def main():
    n = 3  # counts
    Box = type("Box", (), {"size": n})
    return Box().size
""",
    "what a metaclass makes of a class": """
class Meta(type):
    def __new__(cls, name, bases, body):
        body["size"] += 1  # counts
        return super().__new__(cls, name, bases, body)

def main():
    n = 3  # counts
    class Box(metaclass=Meta):
        size = n  # counts
    return Box().size
""",
    "a default of a dataclass": """
from dataclasses import dataclass, field
START = 4  # counts
OTHER = 5  # does not

@dataclass
class Box:
    size: int = START  # counts
    more: int = OTHER  # does not
    items: list = field(default_factory=lambda: [START])

def main():
    return Box().size
""",
    "what makes a default of a dataclass": """
from dataclasses import dataclass, field
START = 4  # counts

@dataclass
class Box:
    items: list = field(default_factory=lambda: [START])

def main():
    return Box().items[0]
""",
    "a member of an enum after a decorated class": """
import enum
from dataclasses import dataclass
START = 4  # counts

@dataclass
class Box:
    size: int = 1

class Color(enum.Enum):
    RED = START + 1  # counts

def main():
    return Color.RED.value
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
    "a return ended a loop that would have gone on": """
def fill(xs):
    n = 0
    while n < 3:  # counts
        n += 1
        xs.append(n)
        if n < 5:  # counts
            return

def main():
    xs = []
    fill(xs)
    return xs
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
    "how many elements a generator gives to a display": """
def pairs(n):
    for k in range(n):  # counts
        yield k

def main():
    n = 2  # counts
    return len([0, *pairs(n)])  # counts
""",
    "how often a loop over a generator runs": """
def times(n):
    for _ in range(n):  # counts
        yield 7

def main():
    total = 0
    for _ in times(2):  # counts
        total += 3
    return total
""",
    "how often a loop over a generator that hands on runs": """
def inner(n):
    while n > 0:  # counts
        yield 7
        n -= 1  # counts

def times(n):
    yield from inner(n)  # counts

def main():
    total = 0
    for _ in times(2):  # counts
        total += 3
    return total
""",
    "a generator put in the place of a slice": """
def pairs(n):
    for k in range(n):
        yield k + 5  # counts

def main():
    xs = [1, 2]
    xs[0:1] = pairs(2)  # counts
    return xs[1]
""",
    "a generator added to a list": """
def pairs(n):
    for k in range(n):
        yield k + 5  # counts

def main():
    xs = [1]
    xs += pairs(2)  # counts
    return xs[2]
""",
    "an element looked for in a generator": """
def pairs(n):
    for k in range(n):
        yield k + 5  # counts

def main():
    return 6 in pairs(3)  # counts
""",
    "a function called after it was handed over": """
def apply(f, v):
    return f(v)  # counts

def main():
    n = 7  # counts
    def up(q):
        nonlocal n
        n += q  # counts
        return n
    return (apply(up, 1), up(2))[1]  # counts
""",
    "a function that a property runs when it is stored": """
class Box:
    def put(self, n):
        self._n = n * 2  # counts
    def get(self):
        return self._n
    n = property(get, put)

def main():
    box = Box()
    box.n = 3  # counts
    return box.n
""",
    "a special method that runs after a slice was stored": """
class Box:
    def __init__(self, n):
        self.items = [n]
    def __len__(self):
        return len(self.items) + 1  # counts

def main():
    box = Box(2)
    xs = [1, 2, 3]
    xs[1:2] = [xs[0], 2]
    xs += [3]
    ys = [*xs]
    a, b = ys[:2]
    c = a in xs
    return len(box)  # counts
""",
    "what tasks gave that ran while their maker slept": """
import asyncio

async def times(n, k):
    await asyncio.sleep(0)
    return n * k  # counts

async def go(x):
    a = 3  # counts
    got = await asyncio.gather(times(a, x), times(4, 2))  # counts
    task = asyncio.create_task(times(x, 5))  # counts
    return got[0] + await task

def main():
    return asyncio.run(go(7))  # counts
""",
    "a function handed over that would have been called once more": """
def call(f, n):
    return f(n)

def often(f, n):
    done = 0
    while done < 3:  # counts
        done += 1
        if call(f, n) < 5:  # counts
            return

def main():
    xs = []
    def put(q):
        xs.append(q)
        return q
    often(put, 1)  # counts
    return xs
""",
    "an attribute that the body of a class bound": """
class Box:
    made = 2  # counts
    size = 3  # does not
def main():
    return Box.made
""",
    "an attribute of a base class, read by a method": """
LIMIT = 5  # counts
class Base:
    rate = LIMIT + 1  # counts
class Box(Base):
    def get(self):
        return self.rate
def main():
    return Box().get()
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
    "whether it is the same object asks nobody": """
class Box:
    size = 0
    def __gt__(self, other):
        return (
            1 > 0  # counts
        )
def main():
    a, b = Box(), Box()
    if a is b:
        a.size = 4
    max(a, b).size += 2
    return b.size
""",
    "a lambda that is called after a loop over a generator": """
def gen(xs):
    for x in xs:
        yield x
def main():
    f = (lambda q:
        q + 1)  # counts
    ys, n = [1], 0
    for x in gen([5]):
        n = x
    return [*map(f, ys)]
""",
    "of equal elements in a row the first is taken out": """
def main():
    xs = [3]
    xs.insert(0, (
        1  # counts
    ))
    xs.insert(0, 1)
    xs.remove(1)
    return xs[0]
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
    "generators of one function that two loops go through, one after the other": """
def gen(n):
    yield (
        n  # counts
    )
def main():
    n = 0
    for x in gen(3):
        n += 1
    for y in gen(4):
        n += y
    return n
""",
    "a call between a loop over a generator and the first lambda that runs": """
def gen(n):
    yield n
def put(xs, n):
    xs.append(n)
def main():
    xs, n = [], 3
    for x in gen(3):
        n = 5  # counts
    put(xs, n)
    sorted([2, 1], key=lambda q: q)
    return xs
""",
    "a variable of which a function elsewhere binds one of the same name": """
def other(n):
    def up():
        nonlocal n
        n += 1  # does not
    up()
def main():
    n = 0
    def up():
        nonlocal n
        n += 1
    n = 5  # counts
    other(7)  # does not
    return n
""",
    "a variable of an activation further out, bound by a function that was handed on": """
def deep(n, up):
    def down():
        nonlocal n
        n -= 1  # counts
    if n > 0:
        deep(0, down)
    else:
        up()
    return n
def main():
    return deep(4, None)  # counts
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
    "a constructor of a base class that would have run": """
class Base:
    def __init__(self, xs):
        xs.append(1)
class Box(Base):
    pass
def main():
    xs = []
    n = 2  # counts
    if n > 5:  # counts
        Box(xs)
    return xs
""",
    "an attribute of a class that would have been stored, read from an object": """
class Box:
    made = 0  # counts
def main():
    b = Box()
    n = 2  # counts
    if n > 5:  # counts
        Box.made += 1
    return b.made
""",
    "an attribute of a class that would have been stored once more": """
class Box:
    made = 0
class Sub(Box):
    pass
def main():
    b = Sub()
    n = 4  # counts
    def get():
        return b.made
    for y in [1, 2]:
        Box.made += 1  # counts
        if n < 5:  # counts
            break
    return get()
""",
    "an attribute of a class that would have been stored by the class of an object": """
class Box:
    made = 0
    def note(self):
        type(self).made = 3
def main():
    b = Box()
    n = 2  # counts
    if n > 5:  # counts
        b.note()
    return Box.made
""",
    "an attribute of a class that was stored into its base": """
class Box:
    made = 0
class Sub(Box):
    size = 1
    other = 2
def main():
    Box.made = 3  # counts
    Box.size = 4  # does not
    Sub.other = 5  # does not
    return (Sub.made, Sub.size)
""",
    "a list that a class holds, which would have been changed": """
class Box:
    log = []
def main():
    n = 2  # counts
    if n < 1:  # counts
        Box.log.append(1)
    return Box.log
""",
    "… by a method": """
class Box:
    log = []
    def add(self, v):
        self.log.append(v)
def main():
    b = Box()
    n = 2  # counts
    if n < 1:  # counts
        b.add(1)
    return Box.log
""",
    "… by way of an object": """
class Box:
    log = []
def main():
    b = Box()
    n = 2  # counts
    if n < 1:  # counts
        b.log.append(1)
    return len(Box.log)
""",
    "… had the class another one": """
class Box:
    log = []
def main():
    n = 2  # counts
    xs = Box.log
    if n > 1:  # counts
        Box.log = []  # counts
    Box.log.append(5)
    return xs
""",
    "a list that an object would have, had it got no other": """
class Box:
    def __init__(self, xs):
        self.log = xs
def main():
    xs = []
    n = 2  # counts
    b, other = Box(xs), Box([])  # counts
    if n > 1:  # counts
        b.log = []  # counts
    b.log.append(5)
    other.log.append(6)  # does not
    return xs
""",
    "a list that another object would have got": """
class Box:
    def __init__(self):
        self.log = []
def main():
    xs = []
    n = 2  # counts
    b, other = Box(), Box()
    (b if n < 1 else other).log = xs  # counts
    b.log.append(6)
    return xs
""",
    "a comparison between a builtin that goes through numbers and one that compares objects": """
class Box:
    def __init__(self, n):
        self.size = n
    def __gt__(self, other):
        return self.size > (
            other.size  # counts
        )
def main():
    b, c = Box(0), Box(2)  # counts
    l = [3, 0]
    if any(q > 3 for q in l):
        del l[:1]
    max(b, c).size += 1
    return b.size
""",
    "what a generator does at its end, which another one hands on to": """
def inner(xs):
    yield 1
    xs.append(
        5  # counts
    )
def outer(xs):
    yield from inner(xs)
def main():
    xs = []
    for x in outer(xs):
        pass
    return xs
""",
    "a generator that hands on, used up within another one": """
def inner(n):
    yield n  # counts
def outer(n):
    yield from inner(n)
def gen(n):
    yield sum(outer(n))  # counts
    yield from inner(n)
def main():
    n = 3  # counts
    return list(gen(n))
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
    "an exception that was swallowed": """
class Quiet:
    def __init__(self, n):
        self.n = n
    def __enter__(self):
        return self
    def __exit__(self, *e):
        return self.n > (
            1  # counts
        )
def main():
    k, xs = 3, [1]  # counts
    with Quiet(2):  # counts
        k = xs[k]  # counts
    return k
""",
    "attributes of a function": """
def put(v):
    put.count += v
    put.last = v
def main():
    put.count = 1  # counts
    put.last = 3  # does not
    n = 2  # counts
    if n < 1:  # counts
        put(3)
    if n > 1:  # counts
        put.log = [2]  # counts
    put.log.append(3)  # counts
    return put.count, put.log
""",
    "an element that an iterator would have handed out before": """
def main():
    n = 2  # counts
    it = iter([1, 2])  # counts
    if n < 1:  # counts
        next(it)
    return next(it)
""",
    "where a loop left an iterator": """
def main():
    n = 2  # counts
    it = iter([1, 2])
    for x in it:  # counts
        if n > 1:  # counts
            break
    return list(it)
""",
    "what is left of a generator expression": """
def main():
    n = 5  # counts
    it = (q for q in [1, 2, 3])  # counts
    while n > 4:  # counts
        n -= 1  # counts
        next(it)  # counts
    return [x for x in it]
""",
    "an element of an iterator that was asked before": """
def main():
    b = 2  # counts
    it = iter([
        1,
        b,  # counts
    ])
    next(it)  # counts
    for x in it:
        return x
""",
    "a generator that would have gone on": """
def gen(xs):
    for x in xs:
        yield x
def main():
    n = 2  # counts
    g = gen([1, 2])
    if n < 1:  # counts
        next(g)
    for x in g:
        return x
""",
    "what kept a generator from giving more": """
LEAST = 3  # counts
def gen():
    yield 1
    if LEAST > 5:  # counts
        yield 2
    yield 3
    if LEAST > 6:  # does not
        LEFT.append(1)
def main():
    return sum(gen())
""",
    "… in one that it handed on to": """
def gen(xs):
    for x in xs:
        yield x
def outer(xs):
    yield 1
    yield from gen([x for x in xs if x > (
        3  # counts
    )])
def main():
    n = 0
    for x in outer([1, 2]):
        n += 1
    return n
""",
    "an attribute of a class that would have got one of its own": """
class Box:
    made = 0
class Sub(Box):
    pass
def main():
    n = 2  # counts
    if n > 5:  # counts
        Sub.made = 3
    Box.made += 1  # counts
    return Sub.made
""",
    "a list that is an attribute of a function and has no other name": """
def put():
    pass
def main():
    n = 2  # counts
    put.seen = [1]  # counts
    if n < 1:  # counts
        put.seen.append(3)
    xs = []
    xs += put.seen
    return xs
""",
    "an attribute by its name": """
class Box:
    size = 5
    other = 3
def main():
    n = 2  # counts
    b = Box()
    b.other = 4  # does not
    if n > 5:  # counts
        b.size = 3
    return getattr(b, "size", 2)
""",
    "a generator that was asked no more": """
class Box:
    made = 0
    def __init__(self):
        Box.made += 1
def gen():
    for v in range(
        2  # counts
    ):
        yield 5
    yield Box()
def main():
    next(gen())
    return Box.made
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
    "which of some functions was called": """
def main():
    xs = []
    n = 2  # counts
    f = [lambda q: q + 1, lambda q: xs.append(q) or 1][1 if n > 5 else 0]  # counts
    f(3)  # counts
    return xs
""",
    "… by a table, where another one binds a name": """
COUNT = 0
def up():
    global COUNT
    COUNT += 1
def stay():
    pass
def main():
    n = 2  # counts
    table = {"a": up, "b": stay}
    table["a" if n > 5 else "b"]()  # counts
    return COUNT
""",
    "… where it was handed over": """
def up(xs):
    xs.append(1)
def stay(xs):
    pass
def call(f, xs):
    f(xs)  # counts
def main():
    n = 2  # counts
    xs, ys = [], []
    f = stay  # counts
    if n > 5:  # counts
        f = up
    call(f, xs)  # counts
    call(stay, ys)  # does not
    return xs
""",
    "a list that a class got instead of another one": """
class Box:
    log = []
def main():
    n = 2  # counts
    Box.log = []  # counts
    Box.other = 3  # does not
    if n > 1:  # counts
        Box.log.append(5)  # counts
    return list(Box.log)
""",
    "a class that could have got an attribute instead of another one": """
class Box:
    made = 0
class Sub(Box):
    pass
def main():
    n = 2  # counts
    (Box if n > 5 else Sub).made = 5  # counts
    Sub.made = 6  # does not
    return Box.made
""",
    "a list that a container would hold, had it been put there": """
def main():
    n = 2  # counts
    xs, ys, zs = [[]], [[]], []  # counts
    (xs if n > 5 else ys)[0] = zs  # counts
    xs[0].append(1)
    return zs
""",
    "… in a dict, by a key": """
def main():
    n = 2  # counts
    d, e, zs = {}, {}, []
    d[1], e[1] = [], []
    (d if n > 5 else e)[1] = zs  # counts
    d[1].append(1)
    e.clear()
    return zs
""",
    "… at its end": """
def main():
    n = 2  # counts
    k = [4]
    xs, ys, zs = [k], [], []
    (xs if n > 5 else ys).append(zs)  # counts
    xs[-1].append(1)
    return zs
""",
    "a default value": """
def f(
    v,
    k=3,  # counts
):
    return v + k
def main():
    return f(2)  # counts
""",
    "… of a method, evaluated with the class": """
RATE = 2  # counts
class Box:
    def put(
        self,
        v,
        rate=RATE,  # counts
        *,
        other=5,  # does not
        last=6,  # counts
    ):
        return v * rate + last
def main():
    b = Box()
    return b.put(2)  # counts
""",
    "a list that was chosen to be a default": """
N = 3  # counts
XS, YS = [], []
def f(
    v,
    acc=XS if N > 5 else YS,  # counts
):
    acc.append(v)
def main():
    f(2)
    return list(XS)
""",
    "a default that a call would have changed": """
def f(v, acc=[]):
    acc.append(v)
    return len(acc)
def main():
    n = 2  # counts
    if n > 5:  # counts
        f(1)
    return f(2)  # counts
""",
    "… where the argument is left out": """
class Box:
    def put(self, v, *, acc={}):
        acc[v] = 1
        return len(acc)
def main():
    n = 2  # counts
    b = Box()
    if n > 5:  # counts
        b.put(1)
    if n > 6:  # does not
        b.put(1, acc={})
    return b.put(2)
""",
    "… and is a variable of the module": """
LOG = []
def add(v, *, acc=LOG):
    acc.append(v)
def outer(v):
    add(v)
def main():
    n = 2  # counts
    if n > 5:  # counts
        outer(1)
    return list(LOG)
""",
    "… and is an object": """
class Box:
    size = 0
def f(v, b=Box()):
    b.size += v
    return b.size
def main():
    n = 2  # counts
    if n > 5:  # counts
        f(1)
    return f(2)
""",
    "an iterator that a function could have asked": """
def take(it, m):
    if m > 1:  # counts
        next(it)
def main():
    n = 1  # counts
    it = iter([1, 2])
    take(it, n)  # counts
    return list(it)
""",
    "… that asks it after others could have": """
def take(it):
    return list(it)
def main():
    n = 1  # counts
    it = iter([1, 2])
    if n > 5:  # counts
        next(it)
    return take(it)
""",
    "where a loop of another function left an iterator": """
def take(it, n):
    for x in it:
        if x > n:  # counts
            break
def main():
    n = 1  # counts
    it = iter([1, 2, 3])
    take(it, n)  # counts
    return next(it)
""",
    "… or a generator that was given it": """
def some(it, n):
    for x in it:
        if x > n:  # counts
            return
        yield x
def make(xs):
    return iter(xs)
def main():
    n = 1  # counts
    it = make([1, 2, 3])
    a = list(some(it, n))  # counts
    return next(it)
""",
    "an iterator that a function has asked that another one called": """
def two(it):
    return one(it)
def one(it):
    return next(it)
def main():
    n, k = 1, 3
    it, other = iter([1, 2, 3]), iter([4])
    two(it)  # counts
    two(other)  # does not
    if k > 5:  # does not
        two(other)
    return one(it)
""",
    "default values where nobody knows which arguments were given": """
def put(
    v,
    rate=3,  # counts
    other=4,  # counts
):
    return v * rate + other
def main():
    given = {"other": 6}
    return list(map(put, [1, 2]))[0] + put(5, 8, **given)
""",
    "… and where what a parameter got tells that it was": """
def put(
    v,
    rate=3,  # counts
    other=4,  # does not
):
    return v * rate + other
def main():
    given = {"other": 6}  # counts
    return put(5, **given)
""",
}


_REMARK = re.compile("  # (counts|does not)$", re.MULTILINE)


@pytest.mark.parametrize("name", CASES)
def test_lines_that_decide_are_in_the_slice(name: str, tmp_path: Path) -> None:
    text = CASES[name].lstrip("\n")
    trace = record(tmp_path, _REMARK.sub("", text) + "main()\n")
    reached = Slicer(trace).relevant(parse_criterion(trace, find(trace, "main"), "result"))
    lines = {n for places in reached.ranges.values() for at in places for n in range(at[0], at[2] + 1)}
    wanted = {n for n, line in enumerate(text.split("\n"), 1) if line.endswith("# counts")}
    unwanted = {n for n, line in enumerate(text.split("\n"), 1) if line.endswith("# does not")}
    assert wanted and wanted <= lines and not unwanted & lines


@pytest.mark.parametrize("read", ["Box.log", "Sub.log", "b.log"])
def test_what_a_class_holds_may_change_although_the_class_is_input(tmp_path: Path, read: str) -> None:
    text = (
        "class Box:\n    log = []\nclass Sub(Box):\n    made = 0\ndef main():\n    n = 3\n    b = Sub()\n"
        "    if n > 5:\n        b.log.append(4)\n"
        f"    Box.log.append(n)\n    return list({read})\nmain()\n"
    )
    trace = record(tmp_path, text)
    reached = Slicer(trace).relevant(parse_criterion(trace, find(trace, "main"), "result"), inside=True)
    (places,) = reached.ranges.values()
    assert {6, 8, 10, 11} <= {place[0] for place in places} <= {6, 7, 8, 10, 11}


SHAPES = """
RATE = 3

class Base:
    size = RATE + 1

class Box(Base):
    made = 2
    other = 4
"""


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("from shapes import Box\ndef main():\n    return Box.made\nmain()\n", {8}),
        ("def main():\n    import shapes\n    return shapes.Box().made\nmain()\n", {8}),
        ("def main():\n    from shapes import Box\n    return Box().size\nmain()\n", {2, 4, 5}),
        ("def main():\n    import between\n    return between.Box.made\nmain()\n", {8}),
    ],
    ids=["imported by a module", "by a function", "of a base class", "by a module that a function imports"],
)
def test_an_attribute_of_a_class_of_another_module(tmp_path: Path, program: str, expected: set[int]) -> None:
    (tmp_path / "shapes.py").write_text(SHAPES)
    (tmp_path / "between.py").write_text("from shapes import Box\n")
    trace = record(tmp_path, program)
    found = Slicer(trace).relevant(parse_criterion(trace, find(trace, "main"), "result"))
    (shapes,) = (
        places for number, places in found.ranges.items() if trace.sources[number].path.endswith("shapes.py")
    )
    assert {place[0] for place in shapes} == expected
    assert found.complete


CONFIG = """
SEEN = []
RATE = 1
OTHER = 2
def rate():
    return RATE
def keep(config):
    config.RATE = 4
"""


@pytest.mark.parametrize(
    ("then", "read", "counts"),
    [
        ("config.RATE = 2", "config.RATE", True),
        ("config.RATE = 2", "config.rate()", True),
        ("setattr(config, 'RATE', 2)", "config.rate()", True),
        ("here.RATE = 2", "config.rate()", True),
        ("config.keep(config)", "config.rate()", True),
        ("config.SEEN.append(2)", "len(config.SEEN)", True),
        ("SEEN.append(2)", "len(config.SEEN)", True),
        ("here.SEEN.append(2)", "len(config.SEEN)", True),
        ("config.OTHER = 2", "config.rate()", False),
        ("box.RATE = 2", "config.rate()", False),
    ],
)
@pytest.mark.parametrize("least", [1, 5])
def test_a_variable_of_another_module(tmp_path: Path, then: str, read: str, counts: bool, least: int) -> None:
    (tmp_path / "config.py").write_text(CONFIG)
    program = (
        "import config\nfrom config import SEEN\nclass Box:\n    pass\ndef main():\n    n = 2\n"
        f"    here, box = config, Box()\n    if n > {least}:\n        {then}\n    return {read}\nmain()\n"
    )
    trace = record(tmp_path, program)
    found = Slicer(trace).relevant(parse_criterion(trace, find(trace, "main"), "result"))
    lines = {
        place[0]
        for number, places in found.ranges.items()
        if trace.sources[number].path.endswith("program.py")
        for place in places
    }
    assert ({6, 8} <= lines) if counts else not {6, 8, 9} & lines
    assert found.complete and (not counts or least > 2 or 9 in lines)


def test_a_variable_that_hides_a_module(tmp_path: Path) -> None:
    (tmp_path / "config.py").write_text(CONFIG)
    program = (
        "import config\nclass Box:\n    pass\ndef main():\n    n = 2\n    box = Box()\n    box.SEEN = []\n    put(box, n)\n"
        "    return box.SEEN\ndef put(config, n):\n    if n > 5:\n        config.SEEN.append(1)\nmain()\n"
    )
    trace = record(tmp_path, program)
    found = Slicer(trace).relevant(parse_criterion(trace, find(trace, "main"), "result"))
    assert {5, 8, 11} <= {place[0] for places in found.ranges.values() for place in places}


def test_a_module_that_was_chosen(tmp_path: Path) -> None:
    (tmp_path / "config.py").write_text(CONFIG)
    (tmp_path / "other.py").write_text("RATE = 1\n")
    program = "import config, other\ndef main():\n    n = 2\n    (config if n > 5 else other).RATE = 3\n    return config.rate()\nmain()\n"
    trace = record(tmp_path, program)
    found = Slicer(trace).relevant(parse_criterion(trace, find(trace, "main"), "result"))
    assert {3, 4} <= {place[0] for places in found.ranges.values() for place in places}
