"""Random programs of coroutines and generators that take turns: functions of a number call those of higher ones."""

from __future__ import annotations

import random
import sys
import textwrap

HEAD = """
import asyncio, contextlib
def f(x): return x
class M:
    async def __aenter__(self):
        f(1)
        await asyncio.sleep(0)
        return self
    async def __aexit__(self, *error):
        await asyncio.sleep(0)
        f(2)
def decorated(function):
    async def wrapper(*arguments): return await function(*arguments)
    return wrapper
class D(M): pass
D.__aenter__, D.__aexit__ = decorated(M.__aenter__), decorated(M.__aexit__)
class S:
    def __enter__(self): f(1)
    def __exit__(self, *error): f(2)
@contextlib.asynccontextmanager
async def managed(k):
    f(k)
    await asyncio.sleep(0)
    try: yield k
    finally: f(k)
"""
TAIL = """
async def main():
    await asyncio.gather(c0(1), c0(2), c1(3))
    f(9)
asyncio.run(main())
"""
CLASSES = frozenset("MSD")
_LAST = 4  # number of the functions that call no others
_ASYNC = ("coroutine", "asyncgen")
_CALLS = [
    "for z in {g}: f(z)", "f(list({g}))", "it = {g}; next(it); f(next(it, None)); it.close()", "f(sum(f(z) for z in {g}))",
]  # fmt: skip
_AWAITS = [
    "await {c}", "x = [await {c} for i in range(2)]", "x = {{i: await {c} for i in range(2)}}", "f([y async for y in {a}])",
    "f([f(y) async for y in {a} if f(y)])", "await asyncio.gather({c}, {c})", "x = f(await {c}) or await {c}",
    "f([z async for z in (f(y) async for y in {a})])", "t = asyncio.ensure_future({c}); await asyncio.sleep(0); f(await t)",
    "it = {a}; f(await it.__anext__()); await it.aclose(); f(3)", "await asyncio.wait([asyncio.ensure_future({c})])",
    "f([y async for z in {a} for w in {g} async for y in {a}])",
    "t = asyncio.ensure_future(asyncio.sleep(9)); await asyncio.sleep(0); t.cancel()\\ntry: await t\\nexcept asyncio.CancelledError: f(4)",
]  # fmt: skip
_GROUP = (
    "async with asyncio.TaskGroup() as group:\n    group.create_task({c})\n    group.create_task({c})\nf(5)"
)
_AROUND = [
    "with S():",
    "async with M() as m:",
    "async with managed(k) as m, M():",
    "async with D(), M(), D():",
    "for i in range(2):",
]


class _Body:
    """The text of one function, as it is written."""

    def __init__(self, chance: random.Random, kind: str, number: int) -> None:
        self.chance, self.kind, self.number = chance, kind, number
        self.sleeps = kind in _ASYNC

    def suite(self, depth: int) -> str:
        return "\n".join(self.statement(depth) for _ in range(self.chance.randint(1, 3)))

    def statement(self, depth: int) -> str:
        chance = self.chance.random()
        if depth < 2 and chance < 0.12:
            body = textwrap.indent(self.suite(depth + 1), "    ")
            return f"try:\n{body}\n    raise ValueError\nexcept ValueError: f(6)"
        if depth < 2 and chance < 0.35:
            return self.around(depth)
        if self.kind != "coroutine" and chance < 0.6:
            return self.chance.choice(["yield k", "yield f(k)", *self.delegating()])
        simple = ["f(k)", "f([f(i) for i in range(2)])", "sorted([2, 1], key=f)", "list(map(f, [1]))"]
        if self.number < _LAST:
            simple += _CALLS
        if self.sleeps and self.chance.random() < 0.8:
            simple = ["await asyncio.sleep(0)"]
            if self.number < _LAST:
                simple += _AWAITS + ([_GROUP] if sys.version_info >= (3, 11) else [])
        return self.filled(self.chance.choice(simple))

    def delegating(self) -> list[str]:
        if self.number == _LAST:
            return []
        return [self.filled("yield await {c}" if self.sleeps else "yield from {g}")]

    def around(self, depth: int) -> str:
        some = _AROUND if self.sleeps else ["with S():", "for i in range(2):"]
        if self.sleeps and self.number < _LAST:
            some = [*some, self.filled("async for y in {a}:")]
        head, body = self.chance.choice(some), self.suite(depth + 1)
        if head.startswith("async with") and self.chance.random() < 0.3:
            out = self.chance.choice(
                ["break", "continue", "return" if self.kind == "asyncgen" else "return f(k)"]
            )
            inner = textwrap.indent(f"{head}\n    f(k)\n    {out}", "    ")
            return f"for i in range(2):\n{inner}\nf(7)"
        if head.startswith("async for"):
            body += self.chance.choice(["", "\nif f(y): break\nf(y)", "\nif f(y): continue\nf(y)"])
        return f"{head}\n{textwrap.indent(body, '    ')}"

    def filled(self, text: str) -> str:
        called = self.chance.randint(min(self.number + 1, _LAST), _LAST)
        return text.format(c=f"c{called}(k)", a=f"a{called}(2)", g=f"g{called}(2)").replace("\\n", "\n")

    def whole(self) -> str:
        body = self.suite(0)
        if self.chance.random() < 0.2:
            body = f"locals()\n{body}"
        return f"{body}\n{'return f(k)' if self.kind == 'coroutine' else 'yield k'}"


def program(seed: int) -> str:
    chance = random.Random(seed)
    texts = [HEAD.strip()]
    for number in range(_LAST, -1, -1):
        for kind, name in (("generator", "g"), ("coroutine", "c"), ("asyncgen", "a")):
            body = textwrap.indent(_Body(chance, kind, number).whole(), "    ")
            texts.append(f"{'' if kind == 'generator' else 'async '}def {name}{number}(k):\n{body}")
    return "\n".join([*texts, TAIL.strip(), ""])
