"""What places and contents decide: elements, branches, loops, and containers that were chosen.

Programs of `test_slice_completeness`, which says what the comments in them mean.
"""

from __future__ import annotations

VALUES = {
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
    "what a loop left early would still have bound": """
def main():
    last = 1  # counts
    for i in [1, 2, 3]:
        if i > last:
            break
    return i
""",
    "lists that a sorted list holds are changed later": """
def main():
    n = 7  # counts
    xs = [3]
    rows = sorted([[1], xs], key=len)
    xs.append(n)
    return rows
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
    "how many elements a comprehension goes through": """
def main():
    xs, seen = [0, 4], []
    cut = 0  # counts
    del xs[cut:]
    [seen.append(x) for x in xs]
    return seen
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
    "what says whether an object counts as true": """
class Box:
    def __init__(self, n):
        self.n = n
    def __bool__(self):
        return self.n > 2
def main():
    n = 3  # counts
    b = Box(n)
    if b:
        return 1
    return 2
""",
    "… of one that was made in the test": """
class Box:
    def __init__(self, n):
        self.n = n
    def __len__(self):
        return self.n
def make(n):
    return Box(n)
def main():
    n = 3  # counts
    while make(n):
        return 1
    return 2
""",
    "… of the last operand": """
class Box:
    def __init__(self, n):
        self.n = n
    def __bool__(self):
        return self.n > 2  # counts
def main():
    n = 3  # counts
    k = 4  # does not
    b = Box(n)
    if k > 9 or b:
        return 1
    return 2
""",
    "… of each operand": """
class Box:
    def __init__(self, n):
        self.n = n
    def __bool__(self):
        return self.n > 2
def main():
    n = 3  # counts
    k = 5  # counts
    b = Box(n)
    c = Box(k)
    return 1 if b and not (not c or 1 > 2) else 2
""",
    "… of the last operand of one that is an operand": """
class Box:
    def __init__(self, n):
        self.n = n
    def __bool__(self):
        return self.n > 2
def main():
    n = 1  # counts
    b = Box(n)
    x = (1 < 2 and b) or 7
    return x == 7
""",
    "… of an operand that is not asked for": """
class Box:
    def __bool__(self):
        seen.append(1)
        return True
seen = []
def main():
    n = 3  # counts
    b = Box()
    if n > 3 and b:
        pass
    return seen
""",
    "a variable of the module that is bound twice, one after the other": """
n = 3
def main():
    global n
    k = 3  # does not
    m = 4  # counts
    n = k
    n = m
    return n
""",
    "… a variable of a function around": """
def main():
    n = 3
    def step():
        nonlocal n
        k = 3  # does not
        m = 4  # counts
        n = k
        n = m
    step()
    return n
""",
    "… after it was deleted": """
n = 3
def main():
    global n
    k = 3  # does not
    m = 4  # counts
    n = k
    del n
    n = m
    return n
""",
    "how much a generator gave, by the truth of a list": """
def give(n):
    if n:  # counts
        yield 1
def f(n):
    try:
        return [*give(n)] and 8  # counts
    except ValueError:
        return 8
def main():
    n = 1  # counts
    return f(n)
""",
    "how much a starred list held, by the truth of a set": """
def main():
    xs = [1]
    c = 1  # counts
    return 8 if {*xs[:c]} else 7
""",
    "the truth of what list made, again and again": """
def main():
    xs = [1, 2]
    c = 1  # counts
    n = 0
    while list(xs[c + n:]):  # counts
        n += 1  # counts
    return n
""",
    "the truth of what map gave": """
def main():
    n = 1  # counts
    return 8 if [*map(str, [3][:n])] else 5
""",
    "the truth of a list that a function made": """
def f(xs, c):
    return [x for x in xs if x > c]  # counts
def main():
    xs = [1]  # counts
    c = 0  # counts
    return 8 if f(xs, c) else 7
""",
    "the truth of a dict that a function filled": """
def f(n):
    d = {}
    if n < 3:  # counts
        d["n"] = n
    return d
def main():
    n, most = 0, 2  # counts
    while f(n) and n < most:  # counts
        n += 1  # counts
    return n
""",
    "which list is given by and and or": """
def main():
    xs, ys = [1], [2]  # counts
    c = 0  # counts
    (c and xs or ys).append(3)  # counts
    return list(xs)
""",
    "which object is given by and and or": """
class B:
    pass
def main():
    a, b = B(), B()
    a.x = b.x = 1  # counts
    c = 0  # counts
    (c and a or b).x = 4  # counts
    return a.x
""",
    "which list a function gives by and and or": """
def pick(c, xs, ys):
    return c and xs or ys  # counts
def main():
    xs, ys = [1], [2]  # counts
    c = 0  # counts
    pick(c, xs, ys).append(3)  # counts
    return list(xs)
""",
    "which of three lists is given by and and or": """
def main():
    xs, ys, zs = [1], [2], [3]  # counts
    c = 1  # counts
    (c < 1 and xs or c < 2 and ys or zs).append(3)  # counts
    return list(xs)
""",
    "elements of what a call gives, gone through in a comprehension": """
def give(n):
    found = []
    for q in [3, n]:  # counts
        found.append(q)  # counts
    return found
def main():
    n = 4  # counts
    return [v + 1 for v in give(n)]
""",
    "items of a dict that a call gives, gone through in a comprehension": """
def count(items):
    found = {}
    for q in items:
        found[q] = found.get(q, 0) + 1  # counts
    return found
def main():
    n = 4  # counts
    return {str(k): v for k, v in count([3, n, 3]).items()}
""",
    "an element of the sum of what calls give": """
def give(n):
    found = []
    found.append(n)  # counts
    return found
def main():
    n = 4  # counts
    m = 5  # does not
    return (give(n) + give(m))[0]
""",
    "an element of a part of what a call gives": """
def give(n):
    found = []
    found.append(3)
    found.append(n)  # counts
    return found
def main():
    n = 4  # counts
    return give(n)[1:][0]
""",
}
