"""Programs that end with an exception, or print one: its traceback is the one of an unrecorded run."""

from behaviour_programs.program import Program

TRACEBACKS = {
    "uncaught_in_nested_calls": Program(
        """\
def outer(n):
    return [inner(n - i) for i in range(n + 1)]


def inner(n):
    value = 10 // n
    return value


print("before")
print(outer(3))
"""
    ),
    "uncaught_at_module_level": Program("xs = [1, 2]\nprint(xs[1],\n      xs[2])\n"),
    "uncaught_in_a_class_body": Program(
        """\
def boom(n):
    raise ValueError(f"no {n}")


class Config:
    first = 1
    second = boom(first + 1)
"""
    ),
    "uncaught_in_a_lambda_in_library_code": Program("print(sorted([3, 0, 1], key=lambda x: 1 / x))\n"),
    "uncaught_in_a_method_called_by_an_operator": Program(
        """\
class Money:
    def __init__(self, n):
        self.n = n

    def __add__(self, other):
        return Money(self.n + other.n)


print((Money(1) + Money(2)).n)
print(sum([Money(1), Money(2)]))
"""
    ),
    "exception_chain": Program(
        """\
class ConfigError(Exception):
    pass


def read(d, key):
    try:
        return d[key]
    except KeyError as error:
        raise ConfigError(key) from error


def implicit(d):
    try:
        return read(d, "port")
    except ConfigError:
        return d["host"].missing


def suppressed(d):
    try:
        return implicit(d)
    except AttributeError:
        raise RuntimeError("gone") from None


try:
    suppressed({"host": "x"})
except RuntimeError as error:
    print(error.__cause__, error.__suppress_context__, type(error.__context__).__name__)
implicit({"host": "x"})
"""
    ),
    "reraised_and_raised_in_finally": Program(
        """\
def reraised():
    try:
        return 1 / 0
    except ZeroDivisionError:
        print("seen")
        raise


def in_finally():
    try:
        reraised()
    finally:
        {}["x"]


try:
    reraised()
except ZeroDivisionError as error:
    traceback = error.__traceback__
    while traceback:
        print(traceback.tb_lineno, traceback.tb_frame.f_code.co_name)
        traceback = traceback.tb_next
in_finally()
"""
    ),
    "exception_group": Program(
        """\
def fail(kind, text):
    raise kind(text)


def gather(*kinds):
    errors = []
    for kind in kinds:
        try:
            fail(kind, kind.__name__.lower())
        except Exception as error:
            errors.append(error)
    raise ExceptionGroup("several", errors)


try:
    gather(ValueError, TypeError, OSError)
except* ValueError as group:
    print("values", group.exceptions)
except* OSError as group:
    print("os", group.exceptions)
except* TypeError:
    print("types")
gather(KeyError, ValueError)
""",
        minimum=(3, 11),
    ),
    "exception_with_notes": Program(
        """\
def f():
    try:
        int("x")
    except ValueError as error:
        error.add_note("while reading x")
        raise


f()
""",
        minimum=(3, 11),
    ),
    "caret_positions": Program(
        """\
def f(a, b):
    return (a["x"]["y"] +
            b["x"]["z"]["w"]) * 2


f({"x": {"y": 1}}, {"x": {"z": None}})
"""
    ),
    "caret_under_a_call_argument": Program(
        """\
class Box:
    value = 3


def g(x, *rest, **named):
    return x.value + named["n"].missing


print(g(Box(), 1, 2, n=Box()))
"""
    ),
    "unpacking_error": Program(
        "def f(pair):\n    a, (b, c) = pair\n    return a, b, c\n\n\nf((1, (2, 3, 4)))\n"
    ),
    "assertion_with_message": Program("def f(n):\n    assert n > 3, f'{n} is too small'\n\n\nf(2)\n"),
    "assertion_without_message": Program("x = 1\nassert x == 2\n"),
    "syntax_error": Program("print('never')\nx = (1,\ndef f():\n    pass\n", starts=False),
    "indentation_error": Program("def f():\nreturn 1\n", starts=False),
    "null_byte": Program("x = 1\0\n", starts=False),
    "null_bytes": Program("print(1)\nx = 2\0 + 3\n\0\n\nprint(x)\0\0\n", starts=False),
    "syntax_error_found_by_the_compiler": Program("def f():\n    x = 1\n    global x\n", starts=False),
    "syntax_error_in_an_import": Program(
        "print('start')\nimport broken\n", files={"broken.py": "a = 1\nb = = 2\n"}
    ),
    "error_while_importing": Program(
        "print('start')\nfrom half import x\n",
        files={"half.py": "def f():\n    return undefined_name\n\n\nx = f()\n"},
    ),
    "no_such_module": Program("def f():\n    import no_such_module_here\n\n\nf()\n"),
    "print_exc": Program(
        """\
import sys
import traceback


def f(n):
    if n == 0:
        raise ValueError("deep")
    return f(n - 1)


try:
    f(2)
except ValueError:
    traceback.print_exc()
    traceback.print_exc(file=sys.stdout)
    print(traceback.format_exc(limit=1))
    print(sys.exc_info()[2].tb_lineno)
try:
    f(0)
except ValueError as error:
    print(traceback.format_tb(error.__traceback__))
traceback.print_stack(file=sys.stdout, limit=1)
"""
    ),
    "recursion_error_uncaught": Program("def f(n):\n    return f(n + 1)\n\n\nf(0)\n"),
    "failed_assertions_about_what_sleeps": Program(
        """\
def g():
    assert (yield 1) == 2
def h():
    x = [1, (yield
      3)][5]
def k():
    assert not (yield 1), "message"
def run(f, *values):
    import traceback
    it = f(); next(it)
    try:
        for v in values: it.send(v)
    except Exception: traceback.print_exc()
run(g, 3); run(h, 1); run(k, 1)
async def c():
    import asyncio
    assert (await asyncio.sleep(0, 1)) == 2
async def d():
    import asyncio
    return (await asyncio.sleep(0, 1)) / 0 + 1
import asyncio
for f in (c, d):
    try: asyncio.run(f())
    except Exception:
        import traceback; traceback.print_exc()
def m(x):
    assert x and not (y := x) , 1
def n(x):
    assert (y := x)
def o():
    assert 1 and (yield 2) and 3 == 3
for f in (m, n):
    try: f([] if f is n else 1)
    except AssertionError:
        traceback.print_exc()
run(o, 0)
"""
    ),
    "errors_in_what_runpy_runs": Program(
        """\
import runpy, traceback
for name in ("broken", "fails", "nothere"):
    try: runpy.run_module(name)
    except BaseException: traceback.print_exc()
for name in ("broken.py", "fails.py"):
    try: runpy.run_path(name)
    except BaseException: traceback.print_exc()
runpy.run_module("broken")
""",
        files={"broken.py": "x = (\n", "fails.py": "def f(): 1/0\nf()\n"},
    ),
}
