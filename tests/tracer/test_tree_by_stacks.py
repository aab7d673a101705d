"""Who called whom is what the stacks say: programs run once under a profile function, once recorded.

A task has nobody above it on the stack; whom it hangs from is told in `test_tree`. `SLEEPING_PROGRAMS` sets how many random
programs, `SLEEPING_FIRST` the first seed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from recorded import record
from sleeping_programs import CLASSES, program

from algotrace.trace import Trace

PROGRAMS_AT_RANDOM = int(os.environ.get("SLEEPING_PROGRAMS", "20"))
FIRST = int(os.environ.get("SLEEPING_FIRST", "0"))
STACKS = """
import sys
path = sys.argv[1]
seen, frames = set(), []
def is_own(frame):
    code = frame.f_code
    return code.co_filename == path and (code.co_name == "<module>" or not code.co_name.startswith("<"))
def profile(frame, event, argument):
    if event == "call" and is_own(frame) and id(frame) not in seen:
        seen.add(id(frame))
        frames.append(frame)  # they keep their addresses
        caller = frame.f_back
        while caller is not None and not is_own(caller):
            caller = caller.f_back
        called.append((frame.f_code.co_name, caller and caller.f_code.co_name))
called = []
with open(path) as file:
    code = compile(file.read(), path, "exec")
sys.setprofile(profile)
exec(code, {"__name__": "__main__"})
sys.setprofile(None)
for function, caller in called[1:]:
    print(function, caller)
"""

ASYNC = """
import asyncio, contextlib
def f(x): return x
async def inner(k):
    f(k)
    await asyncio.sleep(0)
    return f(k + 1)
async def items(k):
    for i in range(2):
        await asyncio.sleep(0)
        yield await inner(k + i)
class M:
    async def __aenter__(self):
        f("in")
        await asyncio.sleep(0)
        return self
    async def __aexit__(self, *error):
        await asyncio.sleep(0)
        f("out")
def decorated(function):
    def wrapper(*arguments): return function(*arguments)
    return wrapper
class Decorated(M): pass
Decorated.__aenter__ = decorated(M.__aenter__)
Decorated.__aexit__ = decorated(M.__aexit__)
@contextlib.asynccontextmanager
async def managed(k):
    f(k)
    await asyncio.sleep(0)
    yield k
    await asyncio.sleep(0)
    f(k)
async def work(k):
    {sees}
    {body}
async def main():
    await asyncio.gather(work(100), work(200), work(300))
    f(5)
asyncio.run(main())
"""
BODIES = {
    "await": "f(await inner(k)); f(k)",
    "async with": "async with M() as m, managed(k) as n: f(n); await inner(n)",
    "async for": """
    async for x in items(k):
        f(x)
        if x > k + 1: continue
        await inner(x)
    f("after")
    async for x in items(k):
        f(x)
        break
    f("after")
    async for x in items(k): pass
    else: f("else")
    f("after")
    """,
    "await in a comprehension": "f([await inner(k + i) for i in range(2)]); f({i: f(await inner(i)) for i in range(2)})",
    "async comprehension": "f([x async for x in items(k)]); f({f(x) async for x in items(k) if f(x)}); f(k)",
    "nested async comprehension": """
    f({f(x): y async for x in items(k) if f(x) for y in range(f(2)) async for z in items(k + 20) if await inner(z)})
    f(k)
    """,
    "async generator expression": """
    g = (await inner(x) async for x in items(k))
    async for x in g: f(x)
    f([x async for x in (f(y) async for y in items(k)) if x])
    f(k)
    """,
    "a manager with decorated methods": "async with Decorated() as m: f(m); await inner(k)",
    "several managers of which some have": """
    async with Decorated() as m, managed(k) as n, Decorated(), M(): f(n); await inner(n)
    f(k)
    async with managed(k), Decorated():
        async with M() as m: f(m)
        f(k)
    """,
    "a return from within some": "async with Decorated(), managed(k), Decorated(): return f(await inner(k))",
    "an exception from within some": """
    try:
        async with Decorated(), Decorated():
            await inner(k)
            raise KeyError
    except KeyError: f(k)
    f(k)
    """,
    "leaving a loop from within some": """
    for x in range(3):
        async with Decorated(), M():
            if x == 1: break
            if x == 0: continue
    f(k)
    """,
    "a timeout": """
    try: await asyncio.wait_for(asyncio.sleep(10), 0.001)
    except asyncio.TimeoutError: f(k)
    f(k)
    """,
}
BODIES["many managers in each other"] = "\n".join(
    [f"{' ' * (4 + depth)}async with Decorated(), M():" for depth in range(8)]
    + [" " * 12 + "await inner(k)", "    f(k)"]
)  # Python takes 20 such statements, ours included
GENERATORS = """
def f(x): return x
def gen(n):
    {sees}
    f(n)
    got = yield f(n + 1)
    f(got)
    yield from other(n)
    f(3)
    yield from [4, 5]
    f(4)
    yield from (f(x) for x in (7, 8))
    f(5)
    yield from map(f, [1, 2])
    return f(9)
def other(n):
    {sees}
    x = yield n
    f(x)
    try:
        yield n + 1
    except ValueError:
        f(0)
def main():
    a, b = gen(1), gen(10)
    for turn in range(12):
        for one in (a, b):
            f(next(one, None))
    c = gen(5)
    next(c)
    f(c.close())
    d = gen(6)
    f([next(d), d.send(4), next(d)])
    try: d.throw(ValueError)
    except StopIteration: pass
    f(list(d))
main()
"""
PROGRAMS = {
    **{name: ASYNC.replace("{body}", body.strip()) for name, body in BODIES.items()},
    "generators": GENERATORS,
}
SEES = {"": "pass", "that sees its locals": "locals()"}


def by_recording(trace: Trace) -> list[tuple[str, str]]:
    nodes = sorted(range(1, len(trace.parent)), key=lambda node: trace.start[node])
    names = [trace.routines[number].name for number in trace.routine]
    return [(names[node], names[trace.parent[node]]) for node in nodes]


def by_stacks(folder: Path) -> list[tuple[str, str]]:
    (folder / "stacks.py").write_text(STACKS)
    command = [sys.executable, "stacks.py", str(folder / "program.py")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    pairs = (line.split() for line in done.stdout.splitlines())
    return [(function, caller) for function, caller in pairs if function not in CLASSES | {"Decorated"}]


@pytest.mark.parametrize("sees", SEES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_calls_hang_from_who_is_above_them_on_the_stack(name: str, sees: str, tmp_path: Path) -> None:
    source = PROGRAMS[name].replace("{sees}", SEES[sees])
    found = by_recording(record(tmp_path, source))
    expected = by_stacks(tmp_path)
    assert [function for function, _ in found] == [function for function, _ in expected]
    assert [pair for pair in found if pair[0] != "work"] == [pair for pair in expected if pair[0] != "work"]
    assert {pair for pair in found if pair[0] == "work"} <= {("work", "main")}


@pytest.mark.parametrize("seed", range(FIRST, FIRST + PROGRAMS_AT_RANDOM))
def test_random_programs_that_sleep(seed: int, tmp_path: Path) -> None:
    """Of what is nobody's on the stack, tasks, nothing is said."""
    found = by_recording(record(tmp_path, program(seed)))
    expected = by_stacks(tmp_path)
    assert [function for function, _ in found] == [function for function, _ in expected]
    wrong = [
        (number, mine, other)
        for number, (mine, other) in enumerate(zip(found, expected, strict=True))
        if mine != other and not (other[1] == "<module>" and other[0][0] == "c")
    ]
    assert not wrong
