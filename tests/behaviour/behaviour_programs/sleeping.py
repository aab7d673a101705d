"""Code that stops and goes on: generators, coroutines, what iterates, context managers."""

from behaviour_programs.program import Program

SLEEPING = {
    "generators": Program(
        """\
def count(n):
    try:
        for i in range(n):
            got = yield i
            if got:
                print("got", got)
    except ValueError as error:
        print("thrown", error)
        yield "after throw"
    except GeneratorExit:
        print("closed")
        raise
    finally:
        print("finally", n)
    return "result"


def delegate(n):
    result = yield from count(n)
    print("delegated", result)
    yield from "ab"
    return [(yield), (yield)]


g = count(3)
print(next(g), g.send("hello"), g.throw(ValueError("oops")))
try:
    next(g)
except StopIteration as stop:
    print(stop.value)
print(list(delegate(2)))
h = delegate(5)
next(h)
h.close()
h = delegate(5)
print(next(h), h.gi_running, h.gi_frame.f_lineno, h.gi_yieldfrom.__name__)
del h
print("deleted")


def bad():
    yield 1
    raise StopIteration


try:
    list(bad())
except RuntimeError as error:
    print(error)


def tree(t):
    if t:
        yield from tree(t[0])
        yield t[1]
        yield from tree(t[2])


print(list(tree(((None, 1, None), 2, (None, 3, None)))))


def infinite():
    n = 0
    while True:
        n += 1
        yield n


import itertools

print(list(itertools.islice(infinite(), 3)), sum(zip(*[iter(range(4))] * 2), ()))
x = infinite()
print([next(x) + next(x) for _ in range(2)], dict(zip(x, "ab")))
a, b, *c = count(4)
print(a, b, c)
"""
    ),
    "coroutines": Program(
        """\
import asyncio


class Resource:
    def __init__(self, name):
        self.name = name

    async def __aenter__(self):
        await asyncio.sleep(0)
        print("enter", self.name)
        return self

    async def __aexit__(self, kind, error, where):
        print("exit", self.name, kind and kind.__name__)
        return kind is KeyError

    def __await__(self):
        yield from asyncio.sleep(0).__await__()
        return self.name.upper()


async def numbers(n):
    try:
        for i in range(n):
            await asyncio.sleep(0)
            yield i
    finally:
        print("numbers end")


async def work(name, delay):
    async with Resource(name) as r, Resource(name * 2):
        total = 0
        async for i in numbers(3):
            total += i
            if i == 1 and name == "b":
                raise KeyError(name)
        return total, [i async for i in numbers(2)], {i: await r async for i in numbers(1)}


async def main():
    results = await asyncio.gather(work("a", 1), work("b", 2), *(asyncio.sleep(0, i) for i in range(2)))
    print(results)
    task = asyncio.create_task(work("c", 3))
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("cancelled")
    generator = numbers(5)
    print(await generator.__anext__())
    await generator.aclose()
    async for i in numbers(1):
        pass
    else:
        print("else")
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.01)
    except asyncio.TimeoutError:
        print("timeout")
    await failing()


async def failing():
    await asyncio.sleep(0)
    raise LookupError("in a coroutine")


asyncio.run(main())
"""
    ),
    "iteration_protocols": Program(
        """\
class Old:
    def __getitem__(self, i):
        if i > 2:
            raise IndexError
        return i * i


class Iter:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


print(list(Old()), 4 in Old(), list(Iter(3)), tuple(reversed([1, 2])), list(zip(Iter(2), Old())))
for i, x in enumerate(Iter(3), 1):
    if x == 1:
        break
else:
    print("no break")
for x in Iter(2):
    pass
else:
    print("else", x)
print([x for x in iter(Iter(5).__next__, 2)], dict(enumerate("ab")), sum(Iter(4)), max(Old()))
xs = [1, 2, 3, 4]
for x in xs:
    if x == 2:
        xs.remove(x)
print(xs)
d = {1: 2}
try:
    for k in d:
        d[k + 1] = 1
except RuntimeError as error:
    print(error)
a, b = Iter(2)
try:
    a, b = Iter(3)
except ValueError as error:
    print(error)


class Missing(dict):
    def __missing__(self, key):
        return key * 2


m = Missing()
m["x"] += "!"
print(m["q"], dict(m))


class MyList(list):
    def append(self, x):
        print("append", x)
        super().append(x)
        return "mine"


l = MyList()
print(l.append(1), l, sorted(MyList([2, 1])), MyList.append(l, 3))
l.extend([4])
l.sort(reverse=True)
print(l, l.pop(), l.index(3))
s = {1, 2}
s |= {3}
s.discard(1)
print(s, frozenset(s), s - {2})
from collections import Counter, OrderedDict, defaultdict, deque

q = deque([1, 2], maxlen=2)
q.append(3)
q.appendleft(0)
c = Counter("aab")
c.update("b")
c["z"] -= 1
dd = defaultdict(list)
dd["a"].append(1)
od = OrderedDict(a=1, b=2)
od.move_to_end("a")
print(q, c, dict(dd), list(od))
import heapq
import bisect
import array

h = [3, 1, 2]
heapq.heapify(h)
heapq.heappush(h, 0)
print(heapq.heappop(h), h)
bisect.insort(h, 2)
ar = array.array("i", [1, 2])
ar[0] += 5
ar.append(7)
ba = bytearray(b"abc")
ba[0] ^= 1
ba += b"d"
print(h, ar, ba, memoryview(ba)[1:3].tobytes())
"""
    ),
    "context_managers_in_parentheses": Program(
        "import io\nwith (\n    io.StringIO('a') as a,\n    io.StringIO('b') as b,\n):\n    print(a.read(), b.read())\nraise KeyError(a.closed)\n"
    ),
}
