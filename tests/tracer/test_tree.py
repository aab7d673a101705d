"""Who called whom: the tree of routine nodes, whatever stands between the calls."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from recorded import find, outline, record

SHAPES = {
    "calls in evaluation order": (
        """
        def a(x): return x
        def b(x): return a(x)
        def main(): return a(b(1)) + b(2)
        main()
        """,
        "<module>(main(b(a()), a(), b(a())))",
    ),
    "recursion": (
        """
        def fact(n): return 1 if n == 0 else n * fact(n - 1)
        fact(2)
        """,
        "<module>(fact(fact(fact())))",
    ),
    "methods, properties, operators, static and class methods": (
        """
        class P:
            def __init__(self, x): self.x = x
            def __add__(self, other): return P(self.x + other.x)
            @property
            def double(self): return self.x * 2
            @staticmethod
            def zero(): return P(0)
            @classmethod
            def one(cls): return cls(1)
        (P.zero() + P.one()).double
        """,
        "<module>(P.zero(P.__init__()), P.one(P.__init__()), P.__add__(P.__init__()), P.double())",
    ),
    "callbacks from library code hang from the nearest node": (
        """
        def key(x): return -x
        def main(): return sorted([1, 2], key=key)
        main()
        """,
        "<module>(main(key(), key()))",
    ),
    "lambdas and comprehensions are no nodes": (
        """
        def f(x): return x
        def main():
            g = lambda v: f(v)
            return [f(i) for i in range(2)] + list(map(g, [1])) + [h(i) for i in (f(j) for j in [1])]
        def h(x): return x
        main()
        """,
        "<module>(main(f(), f(), f(), f(), h()))",
    ),
    "an exception through several calls, then on": (
        """
        def deep(): raise ValueError
        def middle(): deep()
        def after(): pass
        def main():
            try: middle()
            except ValueError: after()
            after()
        main()
        """,
        "<module>(main(middle(deep()), after(), after()))",
    ),
    "an exception through a lambda and library code": (
        """
        def bad(x): raise KeyError(x)
        def after(): pass
        def main():
            try: sorted([1, 2], key=lambda v: bad(v))
            except KeyError: pass
            after()
        main()
        after()
        """,
        "<module>(main(bad(), after()), after())",
    ),
    "return through finally and with": (
        """
        from contextlib import contextmanager
        def note(x): return x
        class CM:
            def __enter__(self): return self
            def __exit__(self, *a): note('exit')
        def f():
            try: return note(1)
            finally: note(2)
        def g():
            with CM(): return note(3)
        f(); g(); note(4)
        """,
        "<module>(f(note(), note()), g(CM.__enter__(), note(), CM.__exit__(note())), note())",
    ),
    "a generator hangs from who iterates it first": (
        """
        def leaf(x): return x
        def gen(n):
            for i in range(n): yield leaf(i)
        def use(g): return [leaf(v) for v in g]
        def main(): return use(gen(2))
        main()
        """,
        "<module>(main(use(gen(leaf(), leaf()), leaf(), leaf())))",
    ),
    "yield from: what is awaited is a child, what the consumer calls is not": (
        """
        def leaf(x): return x
        def inner():
            yield leaf(1)
            yield leaf(2)
        def outer(): yield from inner()
        def main():
            for v in outer(): leaf(v)
        main()
        """,
        "<module>(main(outer(inner(leaf(), leaf())), leaf(), leaf()))",
    ),
    "interleaved tasks": (
        """
        import asyncio
        def leaf(x): return x
        async def sub(x):
            await asyncio.sleep(0)
            return leaf(x)
        async def work(x):
            leaf(x)
            await asyncio.sleep(0)
            return await sub(x)
        async def main(): return await asyncio.gather(work(1), work(2))
        asyncio.run(main())
        """,
        "<module>(main(work(leaf(), sub(leaf())), work(leaf(), sub(leaf()))))",
    ),
    "async with and async for": (
        """
        import asyncio
        class CM:
            async def __aenter__(self): await asyncio.sleep(0)
            async def __aexit__(self, *a): await asyncio.sleep(0)
        async def ticks(n):
            for i in range(n):
                await asyncio.sleep(0)
                yield i
        async def work(n):
            async with CM():
                async for x in ticks(n): pass
        async def main(): await asyncio.gather(work(1), work(2))
        asyncio.run(main())
        """,
        "<module>(main(work(CM.__aenter__(), ticks(), CM.__aexit__()), work(CM.__aenter__(), ticks(), CM.__aexit__())))",
    ),
    "what makes the managers of an async with is called by who enters them": (
        """
        import asyncio, contextlib
        class CM:
            def __init__(self, n): self.n = n
            async def __aenter__(self): await asyncio.sleep(0); return self.n
            async def __aexit__(self, *a): pass
        def make(n): return CM(n)
        @contextlib.asynccontextmanager
        async def other(n):
            yield n
        async def work(n):
            async with make(n) as a, other(a) as b, CM(b) as c: return a + b + c
        async def main(): await asyncio.gather(work(1), work(2))
        asyncio.run(main())
        """,
        "<module>(main({0}, {0}))".format(
            "work(make(CM.__init__()), CM.__aenter__(), other(), CM.__init__(), CM.__aenter__(), "
            "CM.__aexit__(), CM.__aexit__())"
        ),
    ),
    "threads": (
        """
        import threading
        def leaf(x): return x
        def work(x): return leaf(x)
        def main():
            ts = [threading.Thread(target=work, args=(i,)) for i in range(2)]
            for t in ts: t.start()
            for t in ts: t.join()
            return leaf(9)
        main()
        """,
        "<module>(main(leaf()), work(leaf()), work(leaf()))",
    ),
    "class bodies that compute are nodes": (
        """
        def f(x): return x
        def main():
            class C:
                y = f(1)
                def m(self): return f(2)
            return C().m()
        main()
        """,
        "<module>(main(main.<locals>.C(f()), main.<locals>.C.m(f())))",
    ),
    "decorated functions": (
        """
        import functools
        def twice(fn):
            @functools.wraps(fn)
            def wrapper(*args): return fn(*args) * 2
            return wrapper
        @twice
        def f(x): return x
        f(1)
        """,
        "<module>(twice(), twice.<locals>.wrapper(f()))",
    ),
    "a function that looks at its locals": (
        """
        def f(x):
            y = x + 1
            return sorted(locals())
        def main(): return f(1)
        assert main() == ['x', 'y']
        """,
        "<module>(main(f()))",
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_tree_of_calls(name: str, tmp_path: Path) -> None:
    source, expected = SHAPES[name]
    assert outline(record(tmp_path, source)) == expected


def test_except_star(tmp_path: Path) -> None:
    if sys.version_info < (3, 11):
        pytest.skip("except* came with Python 3.11")
    source = """
        def note(x): return x
        def main():
            try: raise ExceptionGroup("g", [ValueError(1), KeyError(2)])
            except* ValueError: note(1)
            except* KeyError: note(2)
        main()
        """
    assert outline(record(tmp_path, source)) == "<module>(main(note(), note()))"


OUTCOMES = {
    "value": ("def f(): return [1]\nf()", "return", "[1]"),
    "no value": ("def f(): pass\nf()", "return", "None"),
    "bare return": ("def f(): return\nf()", "return", "None"),
    "exception": ("def f(): raise ValueError('no', 3)\ntry: f()\nexcept ValueError: pass", "raise", "ValueError('no', 3)"),
    "return in finally wins": ("def f():\n  try: raise ValueError\n  finally: return 7\nf()", "return", "7"),
    "yields": ("def f():\n  yield 1\n  yield [2]\nlist(f())", "yield", "[1, [2]]"),
    "closed generator": ("def f():\n  yield 1\n  yield 2\ng = f()\nnext(g)\ng.close()", "yield", "[1]"),
    "coroutine": ("import asyncio\nasync def f():\n  await asyncio.sleep(0)\n  return 5\nasyncio.run(f())", "return", "5"),
    "coroutine that sees its locals": (
        "import asyncio\nasync def f():\n  locals()\n  return [await asyncio.sleep(0, 5)]\nasyncio.run(f())", "return", "[5]"
    ),
    "generator that sees its locals": ("def f():\n  locals()\n  x = yield 1\n  yield from [x, 3]\nlist(f())", "yield", "[1, None, 3]"),
    "coroutine that sees its locals and fails": (
        "import asyncio\nasync def f():\n  locals()\n  await asyncio.sleep(0)\n  {}['x']\ntry: asyncio.run(f())\nexcept KeyError: pass",
        "raise", "KeyError('x')"
    ),
    "swallowed by with": (
        "import contextlib\ndef f():\n  with contextlib.suppress(KeyError):\n    {}['x']\n  return 2\nf()", "return", "2"
    ),
    "sys.exit": ("import sys\ndef f(): sys.exit(3)\nf()", "raise", "SystemExit(3)"),
}  # fmt: skip


@pytest.mark.parametrize("name", OUTCOMES)
def test_outcome(name: str, tmp_path: Path) -> None:
    source, kind, text = OUTCOMES[name]
    trace = record(tmp_path, source)
    outcome = trace.call(find(trace, "f")).outcome
    assert (outcome.kind, outcome.value.text().text if outcome.value else None) == (kind, text)


def test_arguments_are_as_they_were_before_the_call(tmp_path: Path) -> None:
    trace = record(
        tmp_path,
        "def f(a, /, b, *args, c=1, **kw):\n    b.append(9)\n    kw['z'] = 0\nf(1, [2], 3, c=4, d=5)",
    )
    given = {argument.name: argument.value.text().text for argument in trace.call(1).arguments}
    assert given == {"a": "1", "b": "[2]", "args": "(3,)", "c": "4", "kw": "{'d': 5}"}


def test_a_program_that_dies_leaves_a_complete_trace(tmp_path: Path) -> None:
    trace = record(tmp_path, "def f(n):\n    return f(n - 1) if n else {}['x']\nf(3)")
    assert outline(trace) == "<module>(f(f(f(f()))))"
    assert trace.environment["exit"] == {"kind": "exception", "code": 1, "text": "KeyError"}
    assert [trace.call(node).outcome.kind for node in range(1, 5)] == ["raise"] * 4


def test_endless_recursion_is_recorded(tmp_path: Path) -> None:
    trace = record(
        tmp_path, "def f(n): return f(n + 1)\ntry: f(0)\nexcept RecursionError: pass\ndef g(): pass\ng()"
    )
    assert len(trace.parent) > 900
    assert all(trace.parent[node] == node - 1 for node in range(1, 900))
    assert trace.parent[find(trace, "g")] == 0


TURNS = {
    "a generator that was first asked elsewhere": """
        class Stream:
            def __init__(self, it): self.it = iter(it); self.last = None; self.looked = False
            def peek(self):
                if not self.looked:
                    self.last = next(self.it)
                    self.looked = True
                return self.last
            def take(self): self.looked = False; return self.last
        def tokens(n):
            for i in range(n): yield same(i)
        def same(i): return i
        def simple(s): return [s.peek(), s.take(), s.peek()]
        def group(s):
            while True:
                yield simple(s)
                if s.peek() > 1: break
                s.take()
        s = Stream(tokens(9))
        s.peek(); s.take(); list(group(s))
        """,
    "tasks": """
        import asyncio
        def same(x): return x
        async def work(n):
            for i in range(n): await asyncio.sleep(0); same(i)
            return same(n)
        async def main(): same(await asyncio.gather(*map(work, range(4)))); await work(2); same(1)
        asyncio.run(main()); same(3)
        """,
    "threads": """
        import threading
        def same(x): return x
        def work(n): return [same(i) for i in range(n)] and same(n)
        threads = [threading.Thread(target=work, args=(300,)) for _ in range(3)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        """,
}


@pytest.mark.parametrize("name", TURNS)
def test_the_node_at_a_time_is_that_of_all_awake_which_began_last(name: str, tmp_path: Path) -> None:
    trace = record(tmp_path, TURNS[name])
    awake = [
        (first, trace.start[node], last, node)
        for node in range(len(trace.parent))
        for spans in [trace.segments.get(node) or [trace.start[node], trace.end[node]]]
        for first, last in zip(spans[::2], spans[1::2], strict=True)
    ]
    for time in range(trace.end[0] + 1):
        assert trace.node_at(time) == max(each for each in awake if each[0] <= time <= each[2])[3], time
