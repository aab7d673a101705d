"""Frames that are looked at after they have returned: what they say their line is, to who keeps them and to a tracer.

Frames that an exception has left are in `large/left_frames.py`."""

from __future__ import annotations

from itertools import product
from textwrap import indent

from behaviour_programs.program import Program

BODIES = {
    "if_else": "if x: y = 1\nelse:\n    y = 2",
    "if": "if x:\n    y = 1",
    "for": "for i in range(2):\n    y = i",
    "for_if": "for i in range(2):\n    if i:\n        y = i",
    "for_else": "for i in range(2):\n    y = i\nelse:\n    z = 1",
    "for_break": "for i in range(2):\n    if i: break\n    y = i",
    "while": "i = 0\nwhile i < 2:\n    i += 1",
    "while_true": "i = 0\nwhile True:\n    i += 1\n    if i > 3: break",
    "try": "try:\n    y = 1\nexcept ValueError:\n    z = 1",
    "try_caught": "try:\n    1/0\nexcept ZeroDivisionError:\n    z = 1",
    "try_named": "try:\n    1/0\nexcept ZeroDivisionError as e:\n    z = 1",
    "try_else": "try:\n    y=1\nexcept ZeroDivisionError as e:\n    z = 1\nelse:\n    u = 1",
    "try_finally": "try:\n    y=1\nfinally:\n    z = 1",
    "try_finally_early": "try:\n    y=1\n    if y: return\n    u = 1\nfinally:\n    z = 1",
    "with": "with open(__file__) as f:\n    y = 1",
    "with_nested": "with open(__file__) as f:\n    with open(__file__) as f:\n        if x: y = 1",
    "with_suppressing": "with contextlib.suppress(ValueError):\n    int('a')",
    "with_early": "with open(__file__) as f:\n    if f: return",
    "match": "match x:\n    case 1:\n        y = 1\n    case _:\n        y = 2",
    "match_none": "match x:\n    case 8:\n        y = 1\n    case 5:\n        y = 2",
    "def": "def inner():\n    pass",
    "class": "class Inner:\n    a = 1",
    "pass": "pass",
    "lines": "y = [1,\n2,\n3]",
    "call": "print(\n end='')",
    "del": "y = 1\ndel y",
    "assert": "assert x is x",
    "if_return": "if x:\n    return\nif not x:\n    y = 2",
    "and_or": "x and (\n x or\n3)",
    "comprehension": "y = [i\n     for i in range(3)]",
    "store": "x += 1\ny = {}\ny[1] = \\\n 3",
}  # fmt: skip
ASYNC_BODIES = {
    "async_with": "async with Manager():\n    y = 1",
    "async_with_two": "async with Manager(), Manager():\n    y = 1",
    "async_with_return": "async with Manager():\n    return 3",
    "async_with_early": "async with Manager():\n    if x: return 3",
    "async_with_in_for": "for i in range(2):\n    async with Manager():\n        y = 3",
    "await": "await asyncio.sleep(0)",
    "return_await": "return await asyncio.sleep(0)",
    "async_for": "async for i in Numbers():\n    y = i",
    "async_for_if": "async for i in Numbers():\n    if i: y = i",
    "async_for_return": "async for i in Numbers():\n    if i: return i",
    "async_comprehension": "y = [i async for i in Numbers()]",
}  # fmt: skip
# What a statement may be the last of.
WITHIN = {
    "if": "if x:\n    @", "else": "if not x:\n    pass\nelse:\n    @", "try": "try:\n    @\nexcept KeyError:\n    pass",
    "caught": "try:\n    raise KeyError\nexcept KeyError as e:\n    @", "finally": "try:\n    pass\nfinally:\n    @",
    "tried": "try:\n    pass\nexcept KeyError:\n    pass\nelse:\n    @", "case": "match x:\n    case 1:\n        @\n    case _:\n        pass",
    "early": "try:\n    if x:\n        @\n        return\n    @\nfinally:\n    y = 3",
}  # fmt: skip


def within(name: str, statement: str) -> dict[str, str]:
    return {f"{name}_{where}": text.replace("@", statement) for where, text in WITHIN.items()}


HEAD = """\
import asyncio
import contextlib
import sys


class Manager:
    async def __aenter__(self):
        return self

    async def __aexit__(self, *raised):
        await asyncio.sleep(0)


class Numbers:
    def __init__(self):
        self.n = 0

    def __aiter__(self):
        return self

    async def __anext__(self):
        self.n += 1
        if self.n > 2:
            raise StopAsyncIteration
        return self.n


async def all_of(items):
    async for item in items:
        pass


frames = []
returned = []


def line(frame):
    return frame.f_lineno and frame.f_lineno - frame.f_code.co_firstlineno


def tracer(frame, event, argument):
    if frame.f_code.co_filename != __file__:
        return None
    if event == "return":
        returned.append((frame.f_code.co_name, line(frame)))
    return tracer
"""


def functions(bodies: dict[str, str], start: str, first: str, run: str) -> str:
    """One for each body, each with and without temporaries of ours, and the calls of them."""
    text = ""
    for (name, body), seeing in product(bodies.items(), ("", "locals()\n")):
        name += "_seen" if seeing else ""
        text += f"\n\n{start} {name}(x):\n    frames.append(sys._getframe())\n"
        text += indent(first + seeing + body, "    ") + "\n"
        text += (
            f"\n\nfor x in (0, 1):\n    {run.format(name + '(x)')}\n    print({name!r}, line(frames[-1]))\n"
        )
    return text


def ended(bodies: dict[str, str], *how: str) -> Program:
    text = HEAD + functions(bodies, *how)
    traced = "sys.settrace(tracer)\n" + functions(bodies, *how) + "\n\nsys.settrace(None)\nprint(returned)\n"
    return Program(text + traced)


FRAMES = {
    "ended_functions": ended(BODIES, "def", "", "{}"),
    "ended_generators": ended(BODIES, "def", "yield 1\n", "list({})"),
    "ended_coroutines": ended(
        BODIES | ASYNC_BODIES | within("async_with", "async with Manager(): pass"),
        "async def",
        "",
        "asyncio.run({})",
    ),
    "ended_async_generators": ended(BODIES, "async def", "yield 1\n", "asyncio.run(all_of({}))"),
}
