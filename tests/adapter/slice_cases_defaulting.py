"""Dicts that make the items which they do not have: what is put there by reading, and what that runs.

Programs of `test_slice_completeness`, which says what the comments in them mean.
"""

from __future__ import annotations

DEFAULTING = {
    "items of a Counter that are added to": """
from collections import Counter
def main():
    d = Counter()
    k = 0  # counts
    d[k] += 1  # counts
    d[k] += 2  # counts
    return [d[0], len(d)]
""",
    "items of a defaultdict that are added to, again and again": """
from collections import defaultdict
def main():
    d = defaultdict(int)
    k = 3  # counts
    for x in [1, k, 3]:  # counts
        d[x] += 1  # counts
    d[9] = k  # counts
    return [d[3], len(d), d[9]]
""",
    "lists in a defaultdict that are made longer in place": """
from collections import defaultdict
def main():
    d = defaultdict(list)
    k = 3  # counts
    for x in [1, k, 3]:  # counts
        d[x] += [k]  # counts
    d[9] = k  # counts
    return [len(d[3]), len(d), d[9]]
""",
    "an item of a defaultdict that a lambda makes, added to": """
from collections import defaultdict
def main():
    n = 3  # counts
    d = defaultdict(lambda: n)  # counts
    k = 0  # counts
    d[k] += 1  # counts
    return [d[0], len(d)]
""",
    "an item that is read of a defaultdict, and put there by that": """
from collections import defaultdict
def main():
    d = defaultdict(int)
    k = 0  # counts
    d[k]  # counts
    return [len(d), 0 in d]
""",
    "an item that would have been read of a defaultdict": """
from collections import defaultdict
def main():
    d = defaultdict(int)
    k = 0  # counts
    if k:  # counts
        d[k]
    return [len(d), 0 in d]
""",
    "an item that is read of a defaultdict, and was there": """
from collections import defaultdict
def main():
    d = defaultdict(int, {0: 1})  # counts
    k = 0  # counts
    d[k]  # counts
    return [len(d), 0 in d]
""",
    "how many items there were when a defaultdict made one": """
from collections import defaultdict
def main():
    ids = defaultdict(lambda: len(ids))  # counts
    a, b = "a", "b"  # counts
    ids[a]  # counts
    ids[b]  # counts
    return [ids["a"], ids["b"]]
""",
    "what makes an item of a defaultdict that is there": """
from collections import defaultdict
def main():
    xs = [1, 2]  # counts
    def give():
        xs.append(3)
        return 5
    k = 0  # counts
    d = defaultdict(give, {0: 1})  # counts
    d[k]  # counts
    return list(xs)
""",
    "what makes an item of a defaultdict": """
from collections import defaultdict
def main():
    xs = [1, 2]  # counts
    def give():
        xs.append(3)  # counts
        return 5
    k = 1  # counts
    d = defaultdict(give, {0: 1})  # counts
    d[k]  # counts
    return list(xs)
""",
    "what makes an item of a defaultdict, and binds a name": """
from collections import defaultdict
def main():
    n = 0  # counts
    def give():
        nonlocal n
        n += 1
        return n
    k = 0  # counts
    d = defaultdict(give, {0: 1})  # counts
    d[k]  # counts
    return n
""",
    "what would have made an item of a defaultdict": """
from collections import defaultdict
def main():
    xs = [1, 2]  # counts
    def give():
        xs.append(3)
        return 5
    c = 0  # counts
    d = defaultdict(give)
    if c:  # counts
        d[0]
    return list(xs)
""",
    "a __missing__ that another key would have run": """
class D(dict):
    def __init__(self):
        self.log = []
    def __missing__(self, key):
        self.log.append(key)
        return 4
def main():
    d = D()
    d[0] = 1  # counts
    k = 0  # counts
    d[k]  # counts
    return list(d.log)
""",
    "a list that a defaultdict takes its items from": """
from collections import defaultdict
def main():
    xs = [1, 2, 3]
    k = 0  # counts
    d = defaultdict(xs.pop, {0: 1})  # counts
    d[k]  # counts
    return len(xs)
""",
    "a list that a defaultdict takes an item from, by another call": """
from collections import defaultdict
def read(d, k):
    return d[k]  # counts
def main():
    xs = [1, 2, 3]
    k = 0  # counts
    d = defaultdict(xs.pop, {0: 1})  # counts
    read(d, k)  # counts
    return len(xs)
""",
    "which list a defaultdict takes its items from": """
from collections import defaultdict
def main():
    xs, ys = [1, 2, 3], [1]
    c = 0  # counts
    d = defaultdict(xs.pop if c else ys.pop)  # counts
    d[5]
    return len(xs)
""",
    "a list that a defaultdict would have taken an item from": """
from collections import defaultdict
def main():
    xs = [1, 2, 3]
    c = 0  # counts
    d = defaultdict(xs.pop)
    if c:  # counts
        d[4]
    return len(xs)
""",
    "items that a generator expression reads of a defaultdict": """
from collections import defaultdict
def main():
    d = defaultdict(int)
    k = 1  # counts
    sum(d[q] for q in [k, 2])  # counts
    return len(d)
""",
    "items that a generator expression reads of a defaultdict when it is asked": """
from collections import defaultdict
def main():
    d = defaultdict(int)
    k = 2  # counts
    g = (d[q] for q in [k, 3])  # counts
    d[7]
    next(g)
    return list(d)
""",
    "items that a comprehension over a set reads of a defaultdict in an attribute": """
from collections import defaultdict
class Box:
    def __init__(self):
        self.d = defaultdict(list)
def main():
    b = Box()
    k = 2  # counts
    {len(b.d[x]) for x in {3, k}}  # counts
    return len(b.d)
""",
    "items that a lambda reads of a defaultdict": """
from collections import defaultdict
def main():
    d = defaultdict(list)
    k = 1  # counts
    sorted([3, 1, 2], key=lambda q: d[q + k])  # counts
    return 1 in d
""",
    "items that a lambda reads of a defaultdict, which others call": """
from collections import defaultdict
def each(f, xs):
    for x in xs:
        f(x)
def main():
    d = defaultdict(int)
    k = 2  # counts
    each(lambda q: d[q + k], [1, 2])  # counts
    return 3 in d
""",
    "items that a comprehension would have read of a defaultdict": """
from collections import defaultdict
def main():
    d = defaultdict(int)
    c = 0  # counts
    [d[q] for q in range(c)]  # counts
    return len(d)
""",
    "items that a comprehension would have read of a defaultdict, but for its condition": """
from collections import defaultdict
def main():
    d = defaultdict(int)
    n = 5  # counts
    [d[q] for q in [1, 2] if q > n]  # counts
    return len(d)
""",
    "a class that makes the items of a defaultdict, and counts them": """
from collections import defaultdict
class Item:
    made = 0
    def __init__(self):
        Item.made += 1  # counts
def main():
    Item.made = 0  # counts
    d = defaultdict(Item)
    k = 1  # counts
    d[k]  # counts
    d[1]  # counts
    return Item.made
""",
    "a class that would have made an item of a defaultdict that is there": """
from collections import defaultdict
class Item:
    made = 0
    def __init__(self):
        Item.made += 1
def main():
    d = defaultdict(Item)
    d[2] = 0
    k = 2  # counts
    d[k]  # counts
    return Item.made
""",
    "a class that makes the items of a defaultdict, and keeps them": """
from collections import defaultdict
class Item:
    all = []
    def __init__(self):
        self.xs = []
        Item.all.append(7)  # counts
def main():
    d = defaultdict(Item)
    k = 1  # counts
    d[k]  # counts
    return list(Item.all)
""",
}
