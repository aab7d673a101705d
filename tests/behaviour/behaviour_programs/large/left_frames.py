# ruff: noqa: B007, F841, SIM105, SIM117 -- each statement is here for the way an exception takes through it
"""Frames that an exception has left, whatever it went through, and the lines they say they were left at."""

import asyncio
import inspect


def boom(x):
    y = 1
    return y / x


def early(x):
    if x:
        return 3
    try:
        boom(x)
    finally:
        y = 2


def catches(x):
    try:
        try:
            boom(x)
        except ValueError:
            pass
    except ZeroDivisionError as error:
        z = 1
        raise KeyError(3) from error


def loops(x):
    for i in range(3):
        with open(__file__) as f:
            if i == 2:
                early(x)


def sees(x):
    locals()
    catches(x)


def delegates(x):
    yield 1
    yield from waits(x)


def waits(x):
    try:
        yield 2
        loops(x)
    except KeyError:
        pass


def early_generator(x):
    if x:
        return
    yield 4
    early(x)


def uses(x):
    for i in delegates(x):
        pass


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
            boom(0)
        return self.n


async def managed(x):
    async with Manager() as a, Manager() as b:
        await asyncio.sleep(0)
        boom(x)


async def goes_through(x):
    if x:
        return 4
    async for i in Numbers():
        y = i


async def nested(x):
    try:
        async with Manager():
            async with Manager():
                locals()
                await managed(x)
    finally:
        k = 3


async def items(x):
    yield 1
    async with Manager():
        yield 2
        await goes_through(x)


async def uses_items(x):
    async for i in items(x):
        pass


class Made:
    def __init__(self, x):
        self.x = x
        boom(x)


class Derived(Made):
    def __init__(self, x):
        super().__init__(x)


def makes_a_class(x):
    class Inner:
        y = boom(x)


def in_a_lambda(x):
    return (lambda: boom(x))()


def in_a_comprehension(x):
    return [boom(i) for i in [1, x]]


def in_a_generator_expression(x):
    return sum(boom(i) for i in [1, x])


def asserts(x):
    assert x, boom(1)


def matches(x):
    match x:
        case 0:
            boom(x)


def passes_on(x):
    try:
        boom(x)
    except ZeroDivisionError:
        raise


def raises_later(x):
    try:
        boom(x)
    except ZeroDivisionError as error:
        kept = error
    raise kept


def show(error):
    if error is None:
        return
    entry = error.__traceback__
    while entry:
        frame = entry.tb_frame
        if frame.f_code.co_filename == __file__:
            print(
                "  ",
                frame.f_code.co_name,
                entry.tb_lineno,
                frame.f_lineno,
                inspect.getframeinfo(frame).lineno,
            )
        entry = entry.tb_next
    show(error.__context__)


def run(function, *arguments):
    result = function(*arguments)
    return asyncio.run(result) if inspect.iscoroutine(result) else result


for function in (
    boom,
    early,
    catches,
    loops,
    sees,
    uses,
    lambda x: list(early_generator(x)),
    managed,
    goes_through,
    nested,
    uses_items,
    Made,
    Derived,
    makes_a_class,
    in_a_lambda,
    in_a_comprehension,
    in_a_generator_expression,
    asserts,
    matches,
    passes_on,
    raises_later,
):
    print(function.__name__)
    try:
        run(function, 0)
    except BaseException as error:
        show(error)


def deeper(n):
    return deeper(n + 1)


try:
    deeper(0)
except RecursionError as error:
    entry = error.__traceback__
    print(entry.tb_next.tb_frame.f_lineno)
    while entry.tb_next:
        entry = entry.tb_next
    print(entry.tb_frame.f_lineno)

for thrown in (None, ValueError(3), KeyError(4)):
    generator = delegates(0)
    next(generator)
    frame = generator.gi_frame
    try:
        generator.throw(thrown) if thrown else generator.close()
    except (ValueError, KeyError) as error:
        show(error)
    print(frame.f_lineno)
