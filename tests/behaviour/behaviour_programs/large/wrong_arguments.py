"""Methods that change containers, called with arguments that they do not take: what they say of it is theirs alone."""

import array
import bisect
import collections
import heapq
import operator
import random

CONTAINERS = [
    lambda: [3, 1, 2],
    lambda: {1: 2, 3: 4},
    lambda: {1, 2},
    lambda: collections.deque([1, 2]),
    lambda: bytearray(b"ab"),
    lambda: collections.OrderedDict(a=1),
    lambda: collections.Counter("ab"),
    lambda: collections.defaultdict(list),
    lambda: array.array("i", [1, 2]),
    lambda: (1, 2),
    lambda: "ab",
    lambda: None,
    lambda: frozenset([1]),
]
ARGUMENTS = [
    (), (0,), (1, 2), (1, 2, 3), ("x",), (None,), ([1],), ({1: 2},), (-1,), (10**30,), (1.5,), (object,),
]  # fmt: skip


def tell(function):
    try:
        print(repr(function())[:60])
    except Exception as error:
        print(type(error).__name__, error)


def call_methods(o, a):
    tell(lambda: o.append(*a))
    tell(lambda: o.extend(*a))
    tell(lambda: o.insert(*a))
    tell(lambda: o.pop(*a))
    tell(lambda: o.remove(*a))
    tell(lambda: o.update(*a))
    tell(lambda: o.setdefault(*a))
    tell(lambda: o.popitem(*a))
    tell(lambda: o.add(*a))
    tell(lambda: o.discard(*a))
    tell(lambda: o.sort(*a))
    tell(lambda: o.reverse(*a))
    tell(lambda: o.appendleft(*a))
    tell(lambda: o.popleft(*a))
    tell(lambda: o.rotate(*a))
    tell(lambda: o.extendleft(*a))
    tell(lambda: o.move_to_end(*a))
    tell(lambda: o.subtract(*a))
    tell(lambda: o.clear(*a))


def call_functions(o, a):
    tell(lambda: heapq.heappush(o, *a))
    tell(lambda: heapq.heappop(o, *a))
    tell(lambda: heapq.heapify(o, *a))
    tell(lambda: heapq.heapreplace(o, *a))
    tell(lambda: bisect.insort(o, *a))
    tell(lambda: setattr(o, *a))
    tell(lambda: delattr(o, *a))
    tell(lambda: operator.setitem(o, *a))
    tell(lambda: operator.delitem(o, *a))
    tell(lambda: operator.iadd(o, *a))
    tell(lambda: random.Random(1).shuffle(o, *a))


def write(o, a):
    def store():
        o[a[0]] = 1

    def add():
        o[a[0]] += 1

    def store_slice():
        o[a[0] :] = a

    def delete():
        del o[a[0]]

    for each in (store, add, store_slice, delete):
        tell(each)
    print(o)


for make in CONTAINERS:
    for given in ARGUMENTS:
        call_methods(make(), given)
        call_functions(make(), given)
        write(make(), given)
