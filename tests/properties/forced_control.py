"""Small programs in which control goes elsewhere: exceptions, managers, generators, tasks, threads.

Each has a `main` that gives a tuple; see `test_programs_by_force`.
"""

from __future__ import annotations

CONTROL = {
    "several targets of which a later one fails": """
class C: pass
def main():
    xs, i, n, got = [1, 2], 1, 5, []
    try: xs[i], xs[9] = 4, 5
    except IndexError as error: got.append(str(error))
    c, d = C(), {"k": 1}
    try: c.x = d["k"] = xs[n] = n + 1
    except IndexError: got.append(d["k"])
    a = 0
    try: a, (d["j"], *xs[7:], xs[8]) = n, (n * 2, n, 3)
    except IndexError: got.append(a)
    try: d["m"], d[[]] = n - 1, i
    except TypeError: n = n + 1
    return (xs, c.x, d, a, n, got)
""",
    "generators that are sent something": """
def run(log):
    total = 0
    while True:
        try:
            got = yield total
            if got is None:
                continue
            total += got
        except ValueError as e:
            total -= e.args[0]
        except GeneratorExit:
            log.append(total)
            return
def main():
    log = []
    g = run(log)
    next(g)
    a = g.send(3)
    b = g.throw(ValueError(1))
    c = next(g)
    g.close()
    return (a, b, c, log)
""",
    "what generators return": """
def inner(n):
    got = yield n
    return got * 2
def outer(n):
    r = yield from inner(n)
    s = yield r
    return r + s
def main():
    g = outer(3)
    a = next(g)
    b = g.send(5)
    try:
        g.send(7)
    except StopIteration as e:
        c = e.value
    return (a, b, c)
""",
    "groups of exceptions": """
def work(n):
    errs = []
    if n > 1:
        errs.append(ValueError(n))
    if n > 2:
        errs.append(KeyError('k'))
    if errs:
        raise ExceptionGroup('g', errs)
    return 0
def run(n):
    got = []
    try:
        got.append(work(n))
    except* ValueError as e:
        got.append(e.exceptions[0].args[0])
    except* KeyError as e:
        got.append('key')
    finally:
        got.append('f')
    return got
def main():
    return (run(1), run(2), run(3))
""",
    "several managers": """
class M:
    def __init__(self, name, swallow, log): self.name, self.swallow, self.log = name, swallow, log
    def __enter__(self):
        self.log.append('+' + self.name)
        return self.name * 2
    def __exit__(self, kind, value, tb):
        self.log.append('-' + self.name)
        return kind is not None and self.swallow
def main():
    log = []
    r = 0
    with M('a', True, log) as a, M('b', False, log) as b:
        r = 1
        if len(log) > 1:
            raise ValueError
        r = 2
    with M('c', True, log):
        r += 10
    return (log, r, a, b)
""",
    "causes, notes, finally": """
class E(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code = code
def low(n):
    if n > 1:
        raise E(n)
    return n
def mid(n):
    try:
        return low(n)
    except E as e:
        e.add_note('n%d' % n)
        raise ValueError('v') from e
def top(n):
    try:
        return mid(n)
    except ValueError as e:
        return (e.__cause__.code, e.__cause__.__notes__, str(e))
def fin(n):
    try:
        if n:
            raise KeyError
        return 1
    finally:
        if n < 2:
            return 5
def loop():
    for i in range(4):
        try:
            if i == 1:
                continue
            if i == 3:
                break
        finally:
            log.append(i)
    else:
        log.append('e')
log = []
def main():
    loop()
    try:
        fin(3)
        r = 0
    except KeyError as k:
        r = k.__traceback__ is not None
    return (top(1), top(2), fin(0), fin(1), log, r)
""",
    "tasks, queues, locks": """
import asyncio
class C:
    async def __aenter__(self): await asyncio.sleep(0); return self
    async def __aexit__(self, k, v, t): self.out.append('x'); return k is ValueError
    def __init__(self, out): self.out = out
async def gen(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i * step
step = 2
async def prod(q, n):
    for i in range(n):
        await q.put(i)
    await q.put(None)
async def cons(q, out):
    while (v := await q.get()) is not None:
        out.append(v + 1)
async def lock(l, out, v):
    async with l:
        out.append(v)
        await asyncio.sleep(0)
async def go():
    out = []
    q = asyncio.Queue()
    await asyncio.gather(prod(q, 2), cons(q, out))
    xs = [x async for x in gen(3) if x]
    async with C(out) as c:
        if len(out) > 1:
            raise ValueError
    async with asyncio.TaskGroup() as tg:
        t = tg.create_task(one(3))
        u = tg.create_task(one(4))
    l = asyncio.Lock()
    await asyncio.gather(lock(l, out, 7), lock(l, out, 8))
    r = await asyncio.wait_for(one(5), 1)
    return out, xs, t.result() + u.result(), r
async def one(n):
    await asyncio.sleep(0)
    return n * 10
def main():
    a, b, c, d = asyncio.run(go())
    return (a, b, c, d)
""",
    "what a handler raised": """
class E(Exception):
    def __init__(self, code): self.code = code
def one(n):
    raise E(n)
def two(n):
    try:
        one(n)
    except E:
        raise KeyError('k')
def main():
    try:
        two(3)
    except KeyError as k:
        c = k.args[0]
        t = k.__cause__
    try:
        raise ExceptionGroup('g', [E(4), ValueError(5)])
    except* E as g:
        d = g.exceptions[0].code
    except* ValueError:
        d = 0
    return (c, t, d)
""",
    "managers in one statement": """
import contextlib
class Res:
    def __init__(self, out): self.out = out
    def close(self): self.out.append('closed')
def main():
    out = []
    with contextlib.closing(Res(out)), contextlib.suppress(KeyError):
        raise KeyError
    return (out, 1)
""",
    "managers in managers": """
import contextlib
class Res:
    def __init__(self, out): self.out = out
    def close(self): self.out.append('closed')
def main():
    out = []
    with contextlib.suppress(KeyError):
        with contextlib.closing(Res(out)):
            raise KeyError
    return (out, 1)
""",
    "managers that a stack enters": """
import asyncio, contextlib
class A:
    def __init__(self, v): self.v = v
    async def __aenter__(self): return self.v
    async def __aexit__(self, *a): log.append(self.v); return False
log = []
async def go():
    async with contextlib.AsyncExitStack() as st:
        x = await st.enter_async_context(A(8))
        y = await st.enter_async_context(A(9))
    return x + y
def main():
    r = asyncio.run(go())
    return (r, log[0], log[1])
""",
    "tasks": """
import asyncio
async def one(n):
    await asyncio.sleep(0)
    return n * 10
async def go():
    t = asyncio.create_task(one(3))
    u = asyncio.create_task(one(4))
    z = await asyncio.sleep(0, 7)
    a = await t
    b = await u
    c = await asyncio.wait_for(one(5), 1)
    d = await asyncio.shield(one(6))
    return a, b, c, d, z
def main():
    a, b, c, d, z = asyncio.run(go())
    return (a, b, c, d, z)
""",
    "threads": """
import threading, queue
from concurrent.futures import ThreadPoolExecutor
def work(q, out):
    while True:
        v = q.get()
        if v is None:
            break
        out.append(v * 2)
def main():
    q = queue.Queue()
    out = []
    t = threading.Thread(target=work, args=(q, out))
    q.put(1)
    q.put(4)
    q.put(None)
    t.start()
    t.join()
    with ThreadPoolExecutor(1) as ex:
        fs = [ex.submit(pow, n, 2) for n in (2, 3)]
        m = list(ex.map(lambda x: x + 1, [5, 6]))
    return (out, [f.result() for f in fs], m)
""",
    "messages of own exceptions": """
class Short(Exception):
    def __init__(self, need, have):
        self.need = need
        super().__init__(f'need {need} have {have}')
class Plain(ValueError):
    pass
class Kept(KeyError):
    def __init__(self, a, b):
        self.b = b
def run(n):
    if n > 2:
        raise Short(n, 1)
    if n > 1:
        raise Plain('p', n)
    raise Kept(n, 5)
def told(n):
    try:
        run(n)
    except (Short, Plain) as s:
        return str(s), s.args
    except Kept as k:
        return k.args, k.b
def main():
    return (told(3), told(2), told(1), str(Short(1, 2)), Plain(4).args[0])
""",
    "what is sent through another generator": """
def avg():
    n = total = 0
    while True:
        v = yield (total / n if n else 0)
        if v is None:
            return (n, total)
        n += 1
        total += v
def collect(out):
    while True:
        r = yield from avg()
        out.append(r)
def main():
    out = []
    c = collect(out)
    next(c)
    a = c.send(4)
    b = c.send(6)
    c.send(None)
    d = c.send(9)
    c.send(None)
    return (a, b, d, out)
""",
    "the exception that was being handled": """
class E(Exception):
    def __init__(self, code): self.code = code
def f(n):
    try: raise E(n)
    except E: raise KeyError(2)
def g(n):
    try: raise E(n)
    except E: h(5)
def h(n): raise KeyError(n)
def main():
    r = []
    for call, n in (f, 3), (g, 4):
        try: call(n)
        except KeyError as k: r += [k.__context__.code, k.args[0]]
    return (*r, 7)
""",
    "which of several look-ups in one statement fails": """
class C:
    def __init__(self, d): self.d = d
    def __getitem__(self, k): return self.d[k]
def first(a, b): return a
def find(run, d, a, b):
    try: return run(d, a, b)
    except KeyError as e: return e.args[0]
def shown(d, a, b): return f'{d[a]} {d[b]}'
def part(d, a, b): return [1, 2][d[a]:d[b]]
def called(d, a, b): return first(d[a], d[b])
def own(d, a, b): return C(d)[a] + C(d)[b]
def main():
    d = {'k': 1, 'm': 2}
    return tuple(find(run, d, 'k', 'z') for run in (shown, part, called, own))
""",
    "which element a function fails for": """
def main():
    d = {'k': 1, 'm': 2}
    r = s = ''
    try: r = list(map(d.__getitem__, ['k', 'z']))
    except KeyError as e: s = e.args[0]
    return (r, s)
""",
    "a manager that lets an exception pass": """
class M:
    def __enter__(self): return self
    def __exit__(self, *a): return False
def main():
    d = {'k': 1}
    s = ''
    try:
        with M():
            d['k']
            d['z']
    except KeyError as e: s = e.args[0]
    return (s, 5)
""",
    "coroutines that a stack of managers was handed": """
import asyncio
from contextlib import AsyncExitStack
async def note(log, v):
    log.append(v)
async def late(log, v):
    await asyncio.sleep(0)
    log.append(v)
async def run(log, a):
    async with AsyncExitStack() as st:
        st.push_async_callback(note, log, a)
        st.push_async_callback(late, log, v=a + 1)
        if a > 10:
            st.push_async_callback(note, log, 99)
        log.append(1)
    return len(log)
def main():
    log = []
    n = asyncio.run(run(log, 7))
    return (log, n, 5)
""",
    "what a stack of managers entered": """
import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
@asynccontextmanager
async def cm(log, a):
    log.append(a)
    try:
        yield a + 1
    finally:
        log.append(a + 2)
async def run(log, a):
    async with AsyncExitStack() as st:
        x = await st.enter_async_context(cm(log, a))
        made = cm(log, a * 2)
        y = await st.enter_async_context(made)
        log.append(x)
    return y
def main():
    log = []
    n = asyncio.run(run(log, 7))
    return (log, n, 5)
""",
}

# Those that a Python before 3.11 does not run.
SINCE_3_11 = frozenset(
    {"groups of exceptions", "what a handler raised", "causes, notes, finally", "tasks, queues, locks"}
)
