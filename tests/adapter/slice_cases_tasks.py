"""Tasks that take turns: what they await in comprehensions, and what sees its own locals.

Programs of `test_slice_completeness`, which says what the comments in them mean.
"""

from __future__ import annotations

_HEAD = """
import asyncio
async def times(n, k):
    await asyncio.sleep(0)
    return n * k  # counts
async def numbers(n):
    for i in range(n):  # counts
        await asyncio.sleep(0)
        yield i + 1  # counts
"""
_TAIL = """
async def go():
    return (await asyncio.gather(work(3), work(4)))[0]  # counts
def main():
    return asyncio.run(go())  # counts
"""
_WORK = {
    "what is awaited in a comprehension": """
async def work(k):
    a = 3  # counts
    b = 7  # does not
    got = [await times(a, k + i) for i in range(2)]  # counts
    return got[1]  # counts
""",
    "a comprehension of what comes asynchronously": """
async def work(k):
    a = 3  # counts
    b = 7  # does not
    got = {x: x * a async for x in numbers(k) if x > 1}  # counts
    await times(b, b)
    return got[2]  # counts
""",
    "a generator expression of what comes asynchronously": """
async def work(k):
    a = 3  # counts
    b = 7  # does not
    some = (x * a async for x in numbers(k) if x > 1)  # counts
    total = 0  # counts
    async for each in some:  # counts
        total += each  # counts
    await times(b, b)
    return total  # counts
""",
    "what comes after a loop over what comes asynchronously": """
async def work(k):
    a = 3  # counts
    b = 7  # does not
    async for each in numbers(k):  # counts
        if each > 2:  # counts
            break
        b += each  # does not
    last = await times(each, a)  # counts
    return last  # counts
""",
    "a coroutine that sees its locals": """
async def work(k):
    a = 3  # counts
    b = 7  # does not
    here = sorted(locals())
    got = await times(a, k)  # counts
    await times(b, b)
    async for each in numbers(k):  # counts
        got += each  # counts
    return got  # counts
""",
}
TASKS = {
    **{name: _HEAD.replace("  # counts", "") + work + _TAIL for name, work in _WORK.items()},
    "a generator that sees its locals": """
def numbers(n):
    a = 3  # counts
    b = 7  # does not
    here = len(locals())
    for i in range(n):  # counts
        got = yield i * a  # counts
        b += 1  # does not
    yield from (5, 6)
def main():
    one = numbers(4)  # counts
    other = numbers(5)
    total = 0  # counts
    for turn in range(3):  # counts
        total += next(one)  # counts
        next(other)
    return total  # counts
""",
}
