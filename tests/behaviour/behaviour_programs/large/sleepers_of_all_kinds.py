# ruff: noqa
# mypy: ignore-errors
"""Tasks, generators, threads, pools, alarms and ends, until an interrupt."""

import asyncio, sys, contextvars, time, threading, queue, concurrent.futures, signal, weakref, gc, atexit

var = contextvars.ContextVar("v", default=0)


async def child(n):
    var.set(n)
    await asyncio.sleep(0)
    if n == 2:
        raise ValueError(n)
    return var.get()


async def agen(n):
    try:
        for i in range(n):
            got = yield i
            if got:
                print("got", got)
            await asyncio.sleep(0)
    finally:
        print("agen closed")
        await asyncio.sleep(0)


class ACM:
    async def __aenter__(self):
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *e):
        print("aexit", e[0])
        await asyncio.sleep(0)
        return e[0] is KeyError


class AI:
    def __init__(self, n):
        self.n = n

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self.n == 0:
            raise StopAsyncIteration
        self.n -= 1
        await asyncio.sleep(0)
        return self.n


class Aw:
    def __await__(self):
        r = yield from asyncio.sleep(0, "aw").__await__()
        return r


async def main():
    print(await asyncio.gather(child(1), child(2), child(3), return_exceptions=True))
    t = asyncio.create_task(asyncio.sleep(10))
    await asyncio.sleep(0)
    t.cancel("why")
    try:
        await t
    except asyncio.CancelledError as e:
        print("cancelled", e.args)
    print(
        [x async for x in agen(3) if x],
        {x: y async for x in agen(1) for y in [1, 2]},
        [await child(4) for _ in range(2)],
    )
    g = agen(5)
    print(await g.__anext__(), await g.asend("hello"))
    try:
        await g.athrow(KeyError("k"))
    except KeyError as e:
        print(repr(e))
    async for x in agen(5):
        if x == 1:
            break
    else:
        print("else")
    async with ACM() as a, ACM():
        raise KeyError(1)
    async for i in AI(2):
        print(i)
    print(await Aw(), await asyncio.wait_for(child(7), 1))
    try:
        await asyncio.wait_for(asyncio.sleep(5), 0.01)
    except asyncio.TimeoutError:
        print("timeout")
    if sys.version_info >= (3, 11):
        ns = {"asyncio": asyncio, "child": child}
        exec(
            """
async def tg():
    try:
        async with asyncio.TaskGroup() as g:
            g.create_task(child(1)); g.create_task(child(2))
    except* ValueError as e: print(e.exceptions)
    async with asyncio.timeout(1): await asyncio.sleep(0)
""",
            ns,
        )
        await ns["tg"]()
    loop = asyncio.get_running_loop()
    print(await loop.run_in_executor(None, lambda: threading.current_thread() is threading.main_thread()))
    print(await asyncio.to_thread(var.get))
    f = loop.create_future()
    loop.call_soon(f.set_result, 3)
    print(await f)
    q = asyncio.Queue(1)

    async def prod():
        for i in range(3):
            await q.put(i)
        await q.put(None)

    asyncio.create_task(prod())
    while (x := await q.get()) is not None:
        print(x)


asyncio.run(main())


def gen():
    try:
        x = yield 1
        print("x", x)
        y = yield from sub()
        print("y", y)
        yield 9
    except GeneratorExit:
        print("exit")
        raise
    finally:
        print("fin")


def sub():
    try:
        yield 2
    except ValueError as e:
        print("sub", e)
        yield 3
    return "ret"


g = gen()
print(next(g), g.send(5), g.throw(ValueError("v")), next(g))
g.close()
g = gen()
next(g)
del g
gc.collect()
print("abandoned")
try:
    next(gen.__call__().__iter__().__class__ and iter([]))
except StopIteration:
    print("stop")


def bad():
    yield 1
    raise StopIteration


try:
    list(bad())
except RuntimeError as e:
    print(repr(e), repr(e.__cause__))


def r():
    return (yield)


it = r()
next(it)
try:
    it.send(4)
except StopIteration as e:
    print(e.value)
with concurrent.futures.ThreadPoolExecutor(3) as ex:
    fs = [ex.submit(pow, i, 2) for i in range(5)]
    print([f.result() for f in fs], list(ex.map(lambda x: x + 1, range(3))))


class T(threading.Thread):
    def run(self):
        self.out = [i for i in range(3)]
        sys.exit(3)


t = T()
t.start()
t.join()
print(t.out)


def boom():
    raise OSError("in thread")


t = threading.Thread(target=boom, name="tt")
t.start()
t.join()


def handler(n, f):
    print("alarm", f.f_code.co_name)
    raise TimeoutError


signal.signal(signal.SIGALRM, handler)


def spin():
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    while True:
        pass


try:
    spin()
except TimeoutError:
    print("timeout")


class R:
    def __del__(self):
        print("del", self.n)


def mk(n):
    r = R()
    r.n = n
    return r


a = mk(1)
b = mk(2)
a.other = b
b.other = a
wr = weakref.ref(a, lambda w: print("wr"))
del a, b
print(gc.collect() > 0, wr())
atexit.register(print, "atexit 1")
atexit.register(lambda: print("atexit 2"))
signal.setitimer(signal.ITIMER_REAL, 0)


def intr(n, f):
    raise KeyboardInterrupt


signal.signal(signal.SIGALRM, intr)
signal.setitimer(signal.ITIMER_REAL, 0.05)
time.sleep(5)
