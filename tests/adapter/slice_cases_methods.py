"""Methods of containers, and functions that change one, however they are got hold of: by a name, of a class, kept somewhere.

Programs of `test_slice_completeness`, which says what the comments in them mean.
"""

from __future__ import annotations

METHODS = {
    "a choice after a call of a library that was handed a list of an own class": """
class Stack(list):
    def push(self, value):
        self.append(value)
def main():
    v = 3
    m = [[1, 2], [3]]  # counts
    k = Stack([2])
    list(map(k.append, [2, 3]))
    put = k.append if v else m.append  # counts
    put(0)  # counts
    m[0].append(3)  # counts
    return m  # counts
""",
    "a branch after a call that had a list of an own class in hand": """
import functools
class Stack(list):
    pass
def main():
    k = Stack()
    n = 5  # does not
    v = 3  # counts
    functools.partial(k.insert, 0)(v)  # counts
    if 1:
        n += 1  # does not
    return list(k)
""",
    "a call after one of a library that was handed a list of an own class": """
class Stack(list):
    pass
def keep(items, least):
    k = 1  # counts
    return [q + k for q in items if q > least]  # counts
def main():
    xs = Stack([1, 2])
    list(map(xs.append, xs[:2]))  # counts
    xs = keep(xs, 1)  # counts
    k = 5
    return xs[0]
""",
    "an insertion of which a part is given before": """
import functools
def main():
    xs = [1]  # counts
    k = 3  # counts
    functools.partial(xs.insert, 0)(k)  # counts
    return list(xs)
""",
    "what is put last by way of a class, after what its argument puts there": """
def apply(method, value):
    method(value)
    return value + 1  # counts
def main():
    xs = [1]
    list.append(xs, apply(xs.append, 4))  # counts
    return xs[-1]
""",
    "a method that getattr reads by a variable": """
def main():
    xs = [1]  # counts
    n = "append"
    k = 3  # counts
    getattr(xs, n)(k)  # counts
    return list(xs)
""",
    "a method that getattr reads by a variable, and that is kept": """
def main():
    xs = [1]  # counts
    n = "append"
    put = getattr(xs, n)
    k = 3  # counts
    put(k)  # counts
    return list(xs)
""",
    "a method read by getattr that might have been one that changes the list": """
def main():
    xs = [1]  # counts
    c = 0  # counts
    n = "append" if c else "count"  # counts
    getattr(xs, n)(3)
    return list(xs)
""",
    "a list that was chosen for a method that getattr reads": """
def main():
    xs, ys = [1], [2]
    c = 0  # counts
    n = "append"
    getattr(xs if c else ys, n)(3)  # counts
    return len(xs)
""",
    "a list that was chosen for what methodcaller made": """
from operator import methodcaller
def main():
    xs, ys = [1], [2]
    c = 0  # counts
    methodcaller("append", 3)(xs if c else ys)  # counts
    return len(xs)
""",
    "a list that was chosen for what methodcaller made, kept": """
from operator import methodcaller
def main():
    xs, ys = [1], [2]
    c = 0  # counts
    f = methodcaller("append", 3)
    f(xs if c else ys)  # counts
    return len(xs)
""",
    "what methodcaller made of a method of the program, had it been called": """
from operator import methodcaller
class B:
    def __init__(self):
        self.x = 1  # counts
    def up(self, v):
        self.x += v
def main():
    a = B()
    c = 0  # counts
    f = methodcaller("up", 3)
    if c:  # counts
        f(a)
    return a.x
""",
    "what methodcaller made, had it been called at once": """
from operator import methodcaller
def main():
    xs = [1]
    c = 0  # counts
    if c:  # counts
        methodcaller("append", 3)(xs)
    return len(xs)
""",
    "a setdefault that getattr reads by a variable": """
def main():
    d = {}
    k, n = 1, "setdefault"  # counts
    getattr(d, n)(k, 4)  # counts
    return [len(d), d.get(1)]
""",
    "a __setitem__ that is kept": """
def main():
    d = {}
    k = 1  # counts
    f = d.__setitem__
    f(k, 4)  # counts
    return [len(d), d.get(1)]
""",
    "a __setitem__ that would have been called": """
def main():
    d = {}
    k = 0  # counts
    if k:  # counts
        d.__setitem__(k, 4)
    return [len(d), d.get(1)]
""",
    "a __setitem__ of the class that would have been called": """
def main():
    d = {}
    k = 0  # counts
    if k:  # counts
        dict.__setitem__(d, k, 4)
    return [len(d), d.get(1)]
""",
    "a list that was chosen for a method of its class": """
def main():
    xs, ys = [1], [2]  # counts
    c = 0  # counts
    list.append(xs if c else ys, 3)  # counts
    return list(xs)
""",
    "a method of a class that would have been called": """
def main():
    xs = [1]  # counts
    c = 0  # counts
    if c:  # counts
        list.append(xs, 3)
    return list(xs)
""",
    "a list that was chosen for a method of its class, kept": """
def main():
    xs, ys = [1], [2]  # counts
    c = 0  # counts
    f = list.append
    f(xs if c else ys, 3)  # counts
    return list(xs)
""",
    "a list that was chosen for a method of the type of another": """
def main():
    xs, ys = [1], [2]  # counts
    c = 0  # counts
    type(xs).append(xs if c else ys, 3)  # counts
    return list(xs)
""",
    "a method of the type of a list": """
def main():
    xs = [1]  # counts
    k = 3  # counts
    type(xs).append(xs, k)  # counts
    return list(xs)
""",
    "a method of the type of a list that would have been called": """
def main():
    xs = [1]  # counts
    c = 0  # counts
    if c:  # counts
        type(xs).append(xs, 3)
    return list(xs)
""",
    "a method of the __class__ of a list": """
def main():
    xs = [1]  # counts
    k = 3  # counts
    xs.__class__.append(xs, k)  # counts
    return list(xs)
""",
    "which object was chosen that keeps a method": """
class B:
    def __init__(self, xs):
        self.put = xs.append
def main():
    xs, ys = [1], [2]  # counts
    c = 0  # counts
    a, b = B(xs), B(ys)
    (a if c else b).put(3)  # counts
    return list(xs)
""",
    "a setattr that is kept": """
class B:
    pass
def main():
    a = B()
    a.x = a.y = 1  # counts
    c = 0  # counts
    f = setattr
    if c:  # counts
        f(a, "x", 3)
    return a.x
""",
    "a __setattr__ of object": """
class B:
    pass
def main():
    a = B()
    a.x = 1  # counts
    c = 0  # counts
    if c:  # counts
        object.__setattr__(a, "x", 3)
    return a.x
""",
    "a list that was chosen for a function of operator": """
import operator
def main():
    xs, ys = [1], [2]  # counts
    c = 0  # counts
    operator.setitem(xs if c else ys, 0, 3)  # counts
    return list(xs)
""",
    "a list that was chosen for a function of operator that changes it in place": """
import operator
def main():
    xs, ys = [1], [2]  # counts
    c = 0  # counts
    operator.iadd(xs if c else ys, [3])  # counts
    return list(xs)
""",
    "a function of operator that would have been called": """
import operator
def main():
    xs = [1]  # counts
    c = 0  # counts
    if c:  # counts
        operator.iadd(xs, [3])
    return list(xs)
""",
    "an __iadd__ that would have been called": """
def main():
    xs = [1]  # counts
    c = 0  # counts
    if c:  # counts
        xs.__iadd__([3])
    return list(xs)
""",
    "a function of heapq that is kept": """
from heapq import heappush
def main():
    xs = [1]  # counts
    c = 0  # counts
    f = heappush
    if c:  # counts
        f(xs, 3)
    return list(xs)
""",
    "a function of heapq that is imported by another name": """
from heapq import heappush as hp
def main():
    xs = [1]  # counts
    c = 0  # counts
    if c:  # counts
        hp(xs, 3)
    return list(xs)
""",
    "a list that was chosen for a lambda that reduce calls": """
from functools import reduce
def main():
    xs, ys = [1], [2]  # counts
    c = 0  # counts
    reduce(lambda acc, v: acc.append(v) or acc, [3], xs if c else ys)  # counts
    return list(xs)
""",
    "what iter takes from a list": """
def main():
    xs = [1, 2, 3]  # counts
    stop = 1  # counts
    return list(iter(xs.pop, stop))
""",
    "what iter takes from a list, one after another": """
def main():
    xs = [1, 2, 3]  # counts
    c = 0
    i = iter(xs.pop, 1)
    a = next(i)  # counts
    b = next(i)  # counts
    return [a, b]
""",
    "a method that was got hold of between a change and a read": """
def main():
    n = 1  # counts
    xs = [n, 2]  # counts
    xs.pop()
    xs.append
    return xs[0]
""",
    "an insertion that is partly given before the list is changed otherwise": """
import functools
def main():
    xs = [1, 4, 5]
    functools.partial(xs.insert, 0)(xs.pop(1))  # counts
    xs.append(7)
    return xs[0]
""",
    "what getattr read, before the list is changed otherwise": """
def main():
    n = 4  # counts
    xs = [1, n]  # counts
    getattr(xs, "append")(xs.pop())  # counts
    return xs[1]
""",
    "a method of a dict that is partly given, and called between other changes": """
import functools
def main():
    d, n = {1: 2}, 4  # counts
    put = functools.partial(d.update, a=5)
    d["b"] = 2
    put(b=n)  # counts
    d["c"] = 3
    return d["b"]
""",
    "a method of a set that is partly given, and called between other changes": """
import functools
def main():
    s, n = {1}, 4  # counts
    put = functools.partial(s.add)
    s.add(3)
    put(n)  # counts
    s.add(5)
    return 4 in s
""",
    "a method that attrgetter would have got hold of": """
import operator
def main():
    xs = [1]
    c = 0  # counts
    if c:  # counts
        operator.attrgetter("append")(xs)(3)
    return xs
""",
    "… kept, had it been called": """
import operator
def main():
    xs = [1]
    get = operator.attrgetter("append")
    c = 0  # counts
    if c:  # counts
        get(xs)(3)
    return xs
""",
    "… that is kept itself, had it been called": """
import operator
def main():
    xs = [1]
    put = operator.attrgetter("append")(xs)
    c = 0  # counts
    if c:  # counts
        put(3)
    return xs
""",
    "a method that attrgetter got hold of, kept": """
import operator
def main():
    xs = [1]
    v = 3  # counts
    get = operator.attrgetter("append")
    get(xs)(v)  # counts
    return xs
""",
    "which list a method that attrgetter got is called on": """
from operator import attrgetter as getter
def main():
    xs, ys = [1], [2]
    c = 0  # counts
    get = getter("append")
    put = get(xs if c else ys)  # counts
    put(3)  # counts
    return xs
""",
    "which lists of an iterator what methodcaller made is called on": """
import operator
def main():
    xs, ys = [1], [2]
    c, v = 1, 4  # counts
    list(map(operator.methodcaller("append", v), filter(None, [xs, ys][c:])))  # counts
    return ys
""",
    "… had it been asked for more": """
import operator
def main():
    xs, ys = [1], [2]
    c, v = 1, 4  # counts
    list(map(operator.methodcaller("append", v), filter(None, [xs, ys][c:])))  # counts
    return xs
""",
    "… one at a time": """
import operator
def main():
    xs, ys = [1], [2]
    v = 4  # counts
    later = map(operator.methodcaller("append", v), iter([xs, ys]))  # counts
    next(later)  # counts
    return xs
""",
    "… by a loop": """
import operator
def main():
    xs, ys = [1], [2]
    v = 4  # counts
    later = map(operator.methodcaller("append", v), iter([xs, ys]))  # counts
    for _ in later:  # counts
        pass
    return xs
""",
    "… by a comprehension": """
import operator
def main():
    xs, ys = [1], [2]
    v = 4  # counts
    later = map(operator.methodcaller("append", v), iter([xs, ys]))  # counts
    [each for each in later]  # counts
    return xs
""",
    "… by a star": """
import operator
def main():
    xs, ys = [1], [2]
    v = 4  # counts
    later = map(operator.methodcaller("append", v), iter([xs, ys]))  # counts
    [*later]  # counts
    return xs
""",
    "… by an assignment": """
import operator
def main():
    xs, ys = [1], [2]
    v = 4  # counts
    later = map(operator.methodcaller("append", v), iter([xs, ys]))  # counts
    a, b = later  # counts
    return xs
""",
    "… by a generator that hands it on": """
import operator
def each(lists, v):
    yield from map(operator.methodcaller("append", v), iter(lists))  # counts
def main():
    xs, ys = [1], [2]
    v = 4  # counts
    list(each([xs, ys], v))  # counts
    return xs
""",
    "which lists what methodcaller made is called on": """
import operator
def main():
    xs, ys = [1], [2]
    c = 1  # counts
    list(map(operator.methodcaller("append", 1), [xs, ys][c:]))  # counts
    return xs
""",
    "which lists what methodcaller made is called on, of two that hold some": """
import operator
def main():
    xs, ys = [1], [2]
    c = 0  # counts
    g, h = [xs], [ys]
    list(map(operator.methodcaller("append", 1), g if c else h))  # counts
    return xs
""",
    "which list a method of a class is called on for each": """
def main():
    xs, ys = [1], [2]
    c = 0  # counts
    list(map(list.append, [xs if c else ys], [3]))  # counts
    return xs
""",
    "a list of which a method that was handed over takes out what is equal": """
def apply(method, value):
    return method(value)
def main():
    v = 3  # counts
    l = [3]  # counts
    apply(l.append, v)  # counts
    apply(l.remove, 3)  # counts
    return l[0]
""",
    "… that was kept in an object, or read by getattr": """
class Box:
    def __init__(self, put):
        self.put = put
def main():
    v = 3  # counts
    l = [3]  # counts
    b = Box(l.append)
    b.put(v)  # counts
    r = getattr(l, "remove")
    r(3)  # counts
    return l[0]
""",
}
