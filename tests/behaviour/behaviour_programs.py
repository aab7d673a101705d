"""Programs that say what they notice of how they run: how they end, what they see of themselves, what order holds.

Each is deterministic (string hashes are fixed by the test), prints no address, and would print or exit otherwise if
the recorder got in its way. What a program can still notice, and none of these looks at: one frame below its own,
the recursion limit raised to make up for it, and temporaries in the locals of another function's frame. Grouped by
what could go wrong: `ENDINGS`, `SELF_KNOWLEDGE`, `LANGUAGE`, `CONCURRENCY`.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Program:
    """Files of a program and how it is started."""

    text: str = ""  # of main.py
    arguments: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)  # besides main.py
    module: str = ""  # start it with -m
    minimum: tuple[int, int] = (3, 10)
    stdin: str = ""
    starts: bool = True  # does its own code run at all, so that there is something to record


ENDINGS = {
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
    "syntax_error_found_by_the_compiler": Program("def f():\n    x = 1\n    global x\n", starts=False),
    "syntax_error_in_an_import": Program(
        "print('start')\nimport broken\n", files={"broken.py": "a = 1\nb = = 2\n"}
    ),
    "error_while_importing": Program(
        "print('start')\nfrom half import x\n",
        files={"half.py": "def f():\n    return undefined_name\n\n\nx = f()\n"},
    ),
    "no_such_module": Program("def f():\n    import no_such_module_here\n\n\nf()\n"),
    "exit_code": Program("import sys\nprint('x')\nsys.exit(3)\n"),
    "exit_text": Program("import sys\n\n\ndef f():\n    sys.exit('that is all')\n\n\nf()\n"),
    "exit_none": Program("import sys\nsys.exit()\n"),
    "exit_true": Program("raise SystemExit(True)\n"),
    "exit_object": Program("raise SystemExit((1, 2))\n"),
    "exit_large": Program("import sys\nsys.exit(257)\n"),
    "exit_function": Program("exit(4)\n"),
    "exit_caught": Program(
        "import sys\ntry:\n    sys.exit(3)\nexcept SystemExit as error:\n    print(error.code)\n"
    ),
    "keyboard_interrupt": Program("def f():\n    raise KeyboardInterrupt\n\n\nprint('x', flush=True)\nf()\n"),
    "keyboard_interrupt_by_signal": Program(
        "import os, signal, time\n\n\ndef f():\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(5)\n\n\nf()\n"
    ),
    "killed_by_a_signal": Program(
        "import os, signal\nprint('x', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n", starts=False
    ),
    "os_exit": Program("import os\nprint('x', flush=True)\nos._exit(7)\n", starts=False),
    "atexit_order": Program(
        """\
import atexit


def say(text):
    print("leaving", text)


atexit.register(say, 1)
atexit.register(say, 2)


@atexit.register
def last():
    print("first out")


print("body")
raise LookupError("end")
"""
    ),
    "atexit_handler_fails": Program("import atexit\natexit.register(lambda: 1 / 0)\nprint('x')\n"),
    "excepthook_of_the_program": Program(
        """\
import sys
import traceback


def hook(kind, error, where):
    print("hook", kind.__name__, error, [frame.name for frame in traceback.extract_tb(where)])


sys.excepthook = hook


def f():
    raise OSError(5, "no")


f()
"""
    ),
    "stdout_closed": Program("import sys\nprint('x')\nsys.stdout.close()\n"),
    "stderr_closed": Program("import sys\nsys.stderr.close()\nprint('x')\n"),
    "stdout_replaced": Program(
        """\
import contextlib
import io

out = io.StringIO()
with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
    print("inside")
print(repr(out.getvalue()))
"""
    ),
    "reads_stdin": Program(
        "import sys\nprint(input('? ').upper(), sys.stdin.read().split())\n", stdin="a\nb c\n"
    ),
    "destructors_at_exit": Program(
        """\
class Resource:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("closed", self.name)


kept = Resource("kept")
print("end of the module")
"""
    ),
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
    "recursion_depth": Program(
        """\
import sys

deepest = 0


def down(n):
    global deepest
    deepest = n
    return down(n + 1)


def mutual_a(n):
    global deepest
    deepest = n
    mutual_b(n + 1)


def mutual_b(n):
    global deepest
    deepest = n
    mutual_a(n + 1)


class Node:
    def __init__(self, n):
        global deepest
        deepest = n
        self.child = Node(n + 1)


for start in down, mutual_a, Node:
    deepest = 0
    try:
        start(0)
    except RecursionError as error:
        print(start.__name__, deepest, str(error)[:32])
"""
    ),
}

SELF_KNOWLEDGE = {
    "names_and_paths": Program(
        """\
import os
import sys

print(__name__, os.path.basename(__file__), os.path.isabs(__file__), sys.argv, __doc__, __spec__, __package__)
print(os.path.realpath(sys.path[0]) == os.path.dirname(os.path.realpath(__file__)), "" in sys.path)
print(sorted(name for name in globals() if not name.startswith("__")))
print(type(__loader__).__name__, sys.modules["__main__"].__dict__ is globals(), __builtins__.__name__)
print([p for p in sys.path if "tracer" in p or "adapter" in p] == [])
""",
        arguments=("one", "--trace", "two three", "-m"),
    ),
    "file_is_what_was_typed": Program("print(__file__)\nimport sys\nprint(sys.argv[0], sys.path[0])\n"),
    "annotations_of_the_module": Program(
        "x: int = 1\ny: str\nprint(__annotations__)\n\n\ndef f(a: int, *b: str, c: 'list[int]' = None) -> bool:\n    d: float = 1.0\n    return d\n\n\nprint(f.__annotations__, f.__kwdefaults__)\n\n\nclass C:\n    a: int\n    b: 'str' = 'x'\n\n\nprint(C.__annotations__)\n"
    ),
    "future_annotations": Program(
        '"""Doc."""\nfrom __future__ import annotations\n\n\ndef f(a: undefined) -> other:\n    """Of f."""\n\n\nprint(f.__annotations__, f.__doc__, __doc__)\n'
    ),
    "docstrings": Program(
        '''\
"""Of the module."""


def f():
    """Of f."""


def g():
    "x" "y"
    return 1


class C:
    """Of C."""

    def m(self):
        """Of m."""
        return self

    @property
    def p(self):
        """Of p."""


print([x.__doc__ for x in (f, g, C, C.m, C.p)], __doc__)
'''
    ),
    "introspection_of_functions": Program(
        """\
import inspect


def f(a, b=2, /, c=3, *args, d, e=5, **kw):
    "doc"
    x = a + b
    return lambda y: x + y + c


print(inspect.signature(f), f.__name__, f.__qualname__, f.__module__, f.__defaults__, f.__kwdefaults__)
code = f.__code__
print(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_firstlineno, code.co_flags & 0x0C)
print(code.co_name, code.co_freevars, code.co_cellvars, code.co_varnames[: code.co_argcount + 2])
inner = f(1, d=4)
print(inner.__qualname__, inner.__code__.co_freevars, [c.cell_contents for c in inner.__closure__], inner(1))
print(inspect.getsource(f))
print(inspect.getsource(inner), inspect.getsourcelines(f)[1])
"""
    ),
    "source_of_classes": Program(
        """\
import inspect


class A:
    x = 1

    def m(self):
        return inspect.getsource(type(self))


print(A().m())
print(inspect.getsourcefile(A) == inspect.getfile(A.m))
frame = inspect.currentframe()
print(frame.f_lineno, frame.f_code.co_name, inspect.getframeinfo(frame).code_context)
"""
    ),
    "caller_frames": Program(
        """\
import inspect
import sys


def who():
    frame = sys._getframe(1)
    return frame.f_code.co_name, frame.f_lineno, sorted(n for n in frame.f_locals if n.isidentifier())


def caller(a):
    b = a + 1
    return who(), b


print(caller(1))
print([(f.function, f.lineno) for f in inspect.stack()][:1])


def depth():
    return len(inspect.stack())


base = len(inspect.stack())
print([depth() - base for _ in range(2)], (lambda: depth() - base)())
"""
    ),
    "warnings": Program(
        """\
import warnings


def old():
    warnings.warn("use new()", DeprecationWarning, stacklevel=2)
    return 1


def middle():
    return old()


old()
middle()
for _ in range(3):
    old()
warnings.warn("plain")
print("x" is "y")
print("\\d")
"""
    ),
    "warnings_as_errors": Program(
        "import warnings\nwarnings.simplefilter('error')\n\n\ndef f():\n    warnings.warn('no')\n\n\nf()\n"
    ),
    "locals_and_globals": Program(
        """\
counter = 0


def f(a, b):
    c = a + b
    print(locals())
    d = [x * c for x in (a, b)]
    print(sorted(locals()), vars() == locals(), dir())
    return eval("a + c") + len(d)


class C:
    x = 1
    y = [x for _ in range(2)] if False else x + 1
    print(sorted(k for k in locals() if not k.startswith("__")))


def g():
    globals()["counter"] = 5
    exec("global counter\\ncounter += 1")
    return counter


print(f(1, 2), g(), "counter" in globals(), sorted(vars(C)))
namespace = {}
exec("def h(n):\\n    return n * 2\\nvalue = h(4)", namespace)
print(namespace["value"], eval("h(3)", namespace), eval("counter"))
for name in list(globals()):
    pass
print([n for n in globals() if n.startswith("@") or n.startswith("_algo")])
size = len(globals())
for i, name in enumerate(globals()):
    last = i if False else 0
""",
    ),
    "names_of_a_module": Program(
        "import library\nfrom library import *\n\nprint(dir(library), library.public(2))\nprint(sorted(n for n in globals() if not n.startswith('__')))\nprint(sorted(vars(library).keys() - vars(__builtins__).keys()))\n",
        files={
            "library.py": "_hidden = 1\nvisible = [i for i in range(3)]\nwith open(__file__) as stream:\n    head = stream.readline()\nfor index in range(2):\n    pass\n\n\ndef public(n):\n    return n + _hidden\n"
        },
    ),
    "settrace_of_the_program": Program(
        """\
import sys

seen = []


def tracer(frame, event, argument):
    if frame.f_code.co_filename == __file__:
        seen.append((frame.f_code.co_name, event, frame.f_lineno))
        return tracer
    return None


class Shape:
    def __init__(self, w, h):
        self.w = w
        self.h = h

    @property
    def area(self):
        return (
            self.w
            * self.h
        )


def work(n):
    total = 0
    for i in range(n):
        if i % 2:
            total += Shape(i, i + 1).area
        else:
            total -= helper(
                i,
                n,
            )
    while total > 3:
        total -= 1
        if total == 4:
            continue
    try:
        total //= 0
    except ZeroDivisionError:
        total = -total
    finally:
        total += 1
    with open(__file__) as stream:
        stream.readline()
    d = {
        "a": total,
        "b": [x for x in (1, 2)],
    }
    match d:
        case {"a": int(x)}:
            total = x
    assert total
    return total and \\
        n


def helper(a, b):
    def inner(c):
        yield a + c
        yield b + c

    return sum(inner(1))


sys.settrace(tracer)
work(3)
sys.settrace(None)
for entry in seen:
    if "comp>" not in entry[0]:
        print(*entry)
"""
    ),
    "profile_of_the_program": Program(
        """\
import sys

seen = []


def profiler(frame, event, argument):
    if event in ("call", "return") and frame.f_code.co_filename == __file__:
        seen.append((frame.f_code.co_name, event))


def f(n):
    return g(n) + g(n + 1)


def g(n):
    return n * 2


sys.setprofile(profiler)
f(1)
sys.setprofile(None)
print(seen)
"""
    ),
    "module_with_relative_imports": Program(
        module="package.run",
        arguments=("a", "b"),
        files={
            "package/__init__.py": "print('init', __name__, __package__)\nversion = 1\n",
            "package/run.py": "import sys\nfrom . import helper, version\nfrom .deep.more import up\n\nprint(__name__, __package__, __spec__.name, sys.argv[1:], helper.double(version), up())\nprint(sys.path[0] != '')\nraise ValueError('end')\n",
            "package/helper.py": "def double(n):\n    return n * 2\n",
            "package/deep/__init__.py": "",
            "package/deep/more.py": "from ..helper import double\nfrom .. import version\n\n\ndef up():\n    return double(double(version))\n",
        },
    ),
    "package_with_main": Program(
        module="tool",
        files={
            "tool/__init__.py": "",
            "tool/__main__.py": "import sys\nfrom tool import part\nprint(__name__, sys.argv[1:], part.f())\nsys.exit(part.f())\n",
            "tool/part.py": "def f():\n    return 5\n",
        },
    ),
    "no_module_to_run": Program(module="no_such_module", starts=False),
    "no_main_in_the_package": Program(
        module="tool", files={"tool/__init__.py": "print('init')\n"}, starts=False
    ),
    "modules_loaded_by_hand": Program(
        """\
import importlib
import importlib.util
import pathlib
import runpy

spec = importlib.util.spec_from_file_location("other", pathlib.Path(__file__).with_name("plugin.py"))
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print(module.f(1), module.__name__)
import plugin

plugin.state.append(1)
print(plugin.state, importlib.reload(plugin).state)
print(runpy.run_path("plugin.py")["f"](3))
print(plugin.__file__ == spec.origin, plugin.__spec__.name, type(plugin.__loader__.get_source("plugin")))
import importlib.resources
import pkgutil

print(pkgutil.get_data("plugin", "plugin.py")[:5])
""",
        files={"plugin.py": "state = []\n\n\ndef f(n):\n    return n + 1\n"},
    ),
    "coding_cookie_and_line_ends": Program(
        "import latin\nimport dos\nprint(latin.word, len(latin.word), dos.f())\n",
        files={
            "latin.py": "# -*- coding: latin-1 -*-\nword = 'caf\xe9'\n",
            "dos.py": "def f():\r\n    return '''a\r\nb'''\r\n",
        },
    ),
    "tabs_form_feeds_and_odd_layout": Program(
        "def f():\n\tx = 1; y = 2\n\tif x: return x + \\\n\t\ty\n\n\x0c\ndef g(): return f(); print('never')\n\n\nclass A: x = 1; y = x + 1\n\n\nprint(f(), g(), A.y);\nif 1: print('x'); print('y')\nraise ValueError\n"
    ),
    "pickle_and_copy": Program(
        """\
import copy
import pickle


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __eq__(self, other):
        return (self.x, self.y) == (other.x, other.y)


p = Point(1, [2])
print(pickle.loads(pickle.dumps(p)) == p, copy.deepcopy(p) == p, len(pickle.dumps(p, 4)))
print(pickle.loads(pickle.dumps(Point)) is Point)
"""
    ),
    "memory_of_objects": Program(
        "import sys\n\n\nclass A:\n    __slots__ = ('x',)\n\n\nclass B:\n    def __init__(self):\n        self.x = 1\n\n\nprint(sys.getsizeof(A()), sys.getsizeof(B()), len(vars(B())))\n"
    ),
    "big_integers_and_odd_literals": Program(
        "print(10**50, 0x_ff, 1_000, 1e400, -0.0, 3j, b'\\x00', '\\N{BULLET}', ..., NotImplemented, r'\\n', f'{1!r:>5}{2:{3}}{\"a\"=}')\nprint(__debug__, None is not ..., 'a' 'b')\n"
    ),
    "flags_of_the_interpreter": Program(
        "import sys\nprint(sys.flags.optimize, sys.flags.dev_mode, sys.getswitchinterval(), sys.gettrace(), sys.getprofile())\nimport gc\nprint(gc.isenabled(), gc.get_threshold()[:2])\nimport signal\nprint(signal.getsignal(signal.SIGINT) is signal.default_int_handler, signal.getsignal(signal.SIGTERM))\nimport threading\nprint(threading.active_count(), threading.current_thread().name)\n"
    ),
}

LANGUAGE = {
    "scopes": Program(
        """\
x = "module"


def outer():
    x = "outer"
    count = 0

    def bump(by=1):
        nonlocal count
        count += by
        return count

    def deeper():
        def deepest():
            nonlocal x
            x = x + "!"
            return bump(2)

        return deepest()

    class Local:
        x = x if False else "class"
        y = [x for _ in range(1)]

        def method(self):
            return x, __class__.__name__

    global made
    made = bump()
    return deeper(), x, Local.x, Local.y, Local().method(), count


def unbound():
    print(late)
    late = 1


def deleted():
    a = 1
    del a
    return a


try:
    print(outer(), made)
except NameError as error:
    print(type(error).__name__, error)
for f in unbound, deleted:
    try:
        f()
    except UnboundLocalError as error:
        print(error)
del x
try:
    x
except NameError as error:
    print(error)


def free():
    def inner():
        return later

    try:
        inner()
    except NameError as error:
        print(error)
    later = 1
    return inner()


print(free())


def shadow(list, len=3):
    print = list
    return print, len, [len for len in range(2)], len


print(shadow([1]))
try:
    1 / 0
except ZeroDivisionError as e:
    pass
try:
    e
except NameError as error:
    print(error)
"""
    ),
    "evaluation_order": Program(
        """\
log = []


def n(value):
    log.append(value)
    return value


class Box:
    def __init__(self):
        object.__setattr__(self, "items", {})

    def __getitem__(self, key):
        log.append(("get", key))
        return self.items.get(key, 0)

    def __setitem__(self, key, value):
        log.append(("set", key, value))
        self.items[key] = value

    def __delitem__(self, key):
        log.append(("del", key))

    def __getattr__(self, name):
        log.append(("getattr", name))
        return 0

    def __setattr__(self, name, value):
        log.append(("setattr", name, value))

    def __delattr__(self, name):
        log.append(("delattr", name))


b = Box()
b[n(1)] = n(2)
b[n(3)] += n(4)
b.x = n(5)
b.y += n(6)
b.a, b[n(7)], *b.rest = n(8), n(9), n(10), n(11)
b.p = b.q = b[n(12)] = n(13)
del b.x, b[n(14)]
(b[n(15)], (b.z, [b[n(16)]])) = n(17), (n(18), [n(19)])
{n(20): n(21), **{n(22): n(23)}, n(24): n(25)}
print(n(26), n(27), sep=n(" "), *[n(28)], **{"end": n("\\n")})
n(29) if n(0) else n(30)
n(0) or n(31) and n(32) or n(33)
n(1) < n(2) < n(2) < n(9)
n([1, 2, 3])[n(0) : n(2) : n(1)]
assert n(True), n("never")
f"{n(34):{n(5)}} {n(35)!r}"
for b[n(36)], b.loop in [(1, 2)]:
    pass
with n(open(__file__)) as b.stream:
    b.stream
lambda q=n(37): q


@n
def decorated(a=n(38), *, c=n(39)) -> n(40):
    return a


class Derived(n(Box), metaclass=n(type)):
    k = n(41)


while n(len(log) % 2):
    log.append(0)
    if len(log) > 500:
        break
print(*[entry if not callable(entry) else "function" for entry in log if type(entry) is not type(open(__file__))], sep="\\n")
"""
    ),
    "comprehensions": Program(
        """\
def f(n):
    squares = [i * i for i in range(n)]
    pairs = {(i, j): [k for k in range(j)] for i in range(n) for j in range(i) if i + j & 1}
    flat = {x for row in pairs.values() for x in row}
    lazy = (y := i for i in squares if (z := i) > 2)
    funcs = [lambda: i for i in range(3)]
    total = sum(x for x in lazy)
    return squares, pairs, sorted(flat), total, y, z, [g() for g in funcs]


class C:
    n = 3
    m = [n for n in range(n)]
    k = [i + j for i in range(n) for j in range(i)]
    gen = list(x for x in range(n))
    f = [lambda self, i=i: i for i in range(2)]


print(f(5), C.n, C.m, C.k, C.gen, [g(None) for g in C.f])
print([[i for i in range(j)] for j in range(3)], [*range(3), *"ab"], {**{"a": 1}}, {i: j for i, j in zip("ab", "cd")})
print([a for a in [b for b in [c for c in (1, 2)]]], any(v == 2 for v in [1, 2, 3]))
if any((hit := v) > 1 for v in (1, 2, 3)):
    print(hit)
i = "kept"
[i for i in range(3)]
print(i)
print(list(map(lambda a, *b, c=1, **d: (a, b, c, d), [1], [2])), (lambda: (yield))().__class__.__name__)
broken = (1 / x for x in (1, 0))
print(next(broken))
try:
    next(broken)
except ZeroDivisionError as error:
    print(error, list(broken))
"""
    ),
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
    "match": Program(
        """\
from dataclasses import dataclass


@dataclass
class Point:
    x: int
    y: int


def describe(value):
    match value:
        case 0 | 1:
            return "bit"
        case int(n) if n > 100:
            return f"big {n}"
        case Point(x=0, y=0):
            return "origin"
        case Point(x, y) if x == y:
            return f"diagonal {x}"
        case Point():
            return "point"
        case [first, *_, last]:
            return f"sequence {first} {last}"
        case {"kind": "a", **rest}:
            return f"mapping {rest}"
        case {"kind": str() as kind}:
            return f"kind {kind}"
        case (str() | bytes()) as text:
            return f"text {text!r}"
        case None:
            return "nothing"
        case [] | {}:
            return "empty"
    return "other"


for value in [1, 101, 5, Point(0, 0), Point(2, 2), Point(1, 2), [1, 2, 3], (4, 5), {"kind": "a", "b": 1}, {"kind": "c"}, "s", b"b", None, [], 1.5]:
    print(describe(value))
match = 3
match match:
    case 3:
        print(match)
"""
    ),
    "try_and_finally": Program(
        """\
def returns():
    try:
        return "try"
    finally:
        return "finally"


def loops():
    for i in range(5):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            print(i)
        finally:
            print("f", i)
    else:
        print("never")
    while True:
        try:
            return i
        finally:
            break
    return "left"


def swallows():
    try:
        try:
            raise KeyError(1)
        finally:
            return "swallowed"
    except KeyError:
        return "not here"


def replaced():
    try:
        raise KeyError(1)
    except KeyError:
        try:
            raise ValueError(2)
        except ValueError as inner:
            return type(inner.__context__).__name__
    else:
        return "no"


def alternatives(error):
    try:
        if error:
            raise error
    except (TypeError, ValueError) as e:
        result = "type or value", str(e)
    except OSError:
        result = "os"
    except:
        result = "any"
    else:
        result = "else"
    finally:
        print("done")
    return result


class Manager:
    def __init__(self, suppress):
        self.suppress = suppress

    def __enter__(self):
        return self

    def __exit__(self, *args):
        print("exit", args[0] and args[0].__name__)
        return self.suppress


def withs():
    with Manager(True) as a, Manager(False):
        raise KeyError("x")
    with Manager(False):
        return "from with"


print(returns(), loops(), swallows(), replaced(), withs())
for error in None, TypeError("t"), ValueError, OSError(1, "x"), KeyError(3), SystemExit(2):
    print(alternatives(error))
"""
    ),
    "classes": Program(
        """\
import enum
import functools
from abc import ABC, abstractmethod
from collections import namedtuple
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar


class Meta(type):
    def __new__(mcs, name, bases, namespace, **options):
        cls = super().__new__(mcs, name, bases, namespace)
        cls.options = options
        cls.keys = [k for k in namespace if not k.startswith("__")]
        return cls

    def __call__(cls, *args):
        print("make", cls.__name__)
        return super().__call__(*args)

    @classmethod
    def __prepare__(mcs, name, bases, **options):
        return {}


class Base(metaclass=Meta, flag=1):
    registry = {}
    __hidden = "mangled"

    def __init_subclass__(cls, /, tag=None, **rest):
        super().__init_subclass__(**rest)
        Base.registry[tag] = cls.__name__

    def __init__(self, x):
        self.__x = x
        self.y = x

    def get(self):
        return self.__x, self.__hidden, Base.__hidden

    def __repr__(self):
        return f"{type(self).__name__}({self.__x})"


class Child(Base, tag="child"):
    def __init__(self, x):
        super().__init__(x + 1)
        self.__x = "own"

    def get(self):
        return super().get(), self.__x, __class__.__name__

    def both(self):
        return [super(Child, self).get() for _ in range(1)]

    @staticmethod
    def s(a):
        return a * 2

    @classmethod
    def c(cls, a):
        return cls(a)

    @property
    def p(self):
        return self.y

    @p.setter
    def p(self, value):
        self.y = value * 10

    @p.deleter
    def p(self):
        self.y = None

    @functools.cached_property
    def cached(self):
        print("once")
        return self.y


print(Base.keys, Base.options, Base.registry, sorted(vars(Child(1))))
c = Child(2)
print(c.get(), c.both(), c.s(2), Child.c(5), c)
c.p = 4
c.p += 1
print(c.p, c.cached, c.cached)
del c.p
print(c.p)


class Slots:
    __slots__ = ("a", "b", "__c")

    def __init__(self):
        self.a = 1
        self.__c = 3

    def total(self):
        return self.a + self.__c


s = Slots()
print(s.total(), hasattr(s, "b"), hasattr(s, "__dict__"))
try:
    s.other = 1
except AttributeError as error:
    print(error)


class Dynamic:
    def __getattr__(self, name):
        if name.startswith("x"):
            return name
        raise AttributeError(name)

    def __getattribute__(self, name):
        print("read", name)
        return super().__getattribute__(name)

    def __setattr__(self, name, value):
        print("write", name)
        super().__setattr__(name, value)


d = Dynamic()
d.value = 3
d.value += 1
print(d.value, d.xyz, hasattr(d, "nope"), getattr(d, "nope", "default"))


class Descriptor:
    def __set_name__(self, owner, name):
        print("named", name)
        self.name = name

    def __get__(self, instance, owner):
        print("get")
        return instance and instance.__dict__.get(self.name)

    def __set__(self, instance, value):
        print("set", value)
        instance.__dict__[self.name] = value


class Owner:
    field = Descriptor()


o = Owner()
o.field = 1
o.field += 1
print(o.field)


@dataclass(order=True, frozen=True)
class Data:
    a: int
    b: list = field(default_factory=list, compare=False)
    c: str = "x"

    def __post_init__(self):
        print("post", self.a)


print(Data(1), Data(1) < Data(2), Data(3, [1]).b)


class Color(enum.Enum):
    RED = 1
    GREEN = enum.auto()

    def lower(self):
        return self.name.lower()


class Flags(enum.Flag):
    A = enum.auto()
    B = enum.auto()


print(Color.RED, Color(2).lower(), [c.value for c in Color], Flags.A | Flags.B)
P = namedtuple("P", "x y")


class Q(NamedTuple):
    x: int
    y: int = 2

    def sum(self):
        return self.x + self.y


print(P(1, 2)._replace(x=3), Q(1).sum(), Q(1))


class Shape(ABC):
    @abstractmethod
    def area(self): ...


try:
    Shape()
except TypeError as error:
    print(error)
T = TypeVar("T")


class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: list[T] = []

    def push(self, item: T) -> None:
        self.items.append(item)


stack = Stack[int]()
stack.push(1)
print(stack.items, Stack[int])


class Vector:
    def __init__(self, *v):
        self.v = v

    def __add__(self, o):
        return Vector(*(a + b for a, b in zip(self.v, o.v)))

    def __iadd__(self, o):
        self.v = tuple(a + 10 * b for a, b in zip(self.v, o.v))
        return self

    def __eq__(self, o):
        return isinstance(o, Vector) and self.v == o.v

    def __hash__(self):
        return hash(self.v)

    def __len__(self):
        return len(self.v)

    def __bool__(self):
        print("bool")
        return any(self.v)

    def __iter__(self):
        return iter(self.v)

    def __contains__(self, x):
        return x in self.v

    def __call__(self, i):
        return self.v[i]

    def __matmul__(self, o):
        return sum(a * b for a, b in zip(self, o))

    def __format__(self, spec):
        return f"<{spec}>"

    __radd__ = lambda self, other: self


v = Vector(1, 2)
v += Vector(1, 1)
print(v.v, (v + v).v, v == Vector(11, 12), {v: 1}[v], len(v), not v, 11 in v, v(1), v @ v, f"{v:abc}", sum([v]).v)
A = type("A", (Base,), {"z": 1, "m": lambda self: self.z}, tag="dynamic")
print(A(1).m(), Base.registry)


class Outer:
    class Inner:
        def f(self):
            return type(self).__qualname__

    def make(self):
        def g():
            pass

        return g.__qualname__


print(Outer.Inner().f(), Outer().make())
""",
    ),
    "decorators": Program(
        """\
import contextlib
import functools
import inspect


def logged(prefix, *, level=1):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            print(prefix, f.__name__, args, kwargs)
            return f(*args, **kwargs)

        wrapper.level = level
        return wrapper

    return decorate


@logged("a")
@logged("b", level=2)
def add(x, y=2):
    "Adds."
    return x + y


print(add(1), add(1, y=5), add.__doc__, add.level, inspect.signature(add), add.__wrapped__.__name__)


@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(50), fib.cache_info())


@functools.singledispatch
def show(x):
    return "object"


@show.register
def _(x: int):
    return "int"


@show.register(list)
def _(x):
    return "list"


print(show(1), show([]), show(""))


@contextlib.contextmanager
def managed(name):
    print("enter", name)
    try:
        yield name
    except ValueError:
        print("suppressed")
    finally:
        print("exit", name)


with managed("x") as m, managed("y"):
    print(m)
    raise ValueError


@managed("as decorator")
def f():
    return 1


print(f())


class Count:
    def __init__(self, f):
        functools.update_wrapper(self, f)
        self.f, self.n = f, 0

    def __call__(self, *a):
        self.n += 1
        return self.f(*a)


@Count
def g(n):
    return n and g(n - 1)


print(g(3), g.n, functools.reduce(lambda a, b: a * b, range(1, 6)), functools.partial(add, y=1)(2))


@(lambda f: [f, f])
def two():
    return 2


print(two[1]())
"""
    ),
    "calls_and_parameters": Program(
        """\
def f(a, b=[], /, *c, d=1, e, **k):
    b.append(a)
    return a, b, c, d, e, k


print(f(1, e=2), f(1, [9], 3, 4, e=5, z=6), f(*[1, 2][:1], **{"e": 1}, **{"q": 2}))
for call in (lambda: f(), lambda: f(1), lambda: f(1, e=1, **{"e": 2}), lambda: f(*5), lambda: f(1, a=2, e=3)):
    try:
        print(call())
    except TypeError as error:
        print(error)


class K:
    def m(self, a):
        return a


for call in (lambda: K.m(1), lambda: K().m(), lambda: K(1), lambda: K().x, lambda: None(), lambda: [][1], lambda: {}["k"]):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)
print(sorted("bca", key=lambda c: -ord(c)), max([1, -3], key=abs), list(filter(None, [0, 1])), [*map(str.upper, "ab")])
print("".join(x for x in "abc"), "a,b".split(","), "{} {x}".format(1, x=2), "%s %d" % ("a", 3))
print((lambda *a, **k: (a, k))(1, *[2], x=3), [g for g in (lambda: 1,)][0]())
first, *middle, last = range(5)
(a, b), [c, *d] = (1, 2), "xyz"
print(first, middle, last, a, b, c, d)
x = y = []
x += [1]
x[0:0] = [5, 6]
x[::2] = "ab"
del x[1], x[-1:]
print(x, y, x is y)
n = 5
n <<= 2
n **= 2
n //= 7
n ^= 3
print(n, ~n, -n, not n, 1 if n else 2, n in (1, 2), n is not None, 1 < n <= 57 != 3)
d = {"a": {"b": [1, 2]}}
d["a"]["b"][1] += 5
d["a"].setdefault("c", []).append(3)
d["z"] = d.pop("a")
print(d, d.get("nope"), (lambda: (yield))().__name__)
if (m := len(d)) > 0 and (k := m + 1):
    print(m, k)
while (n := n - 20) > 0:
    print(n)
print(*(i for i in range(3)), sep="-")
print(__name__ == "__main__" and "main", (1, 2) < (1, 3), [1] * 3, b"ab"[0], 7 // 2, 7 % -3, 2**-1, divmod(7, 2))
def nothing(): pass
def doc_only(): "d"
def many(): a = 1; b = 2; return a, b
print(nothing(), doc_only(), many())
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
    "objects_that_resist": Program(
        """\
class Rude:
    def __getattribute__(self, name):
        if name in ("__class__", "value"):
            return object.__getattribute__(self, name)
        raise RuntimeError("do not look: " + name)

    def __eq__(self, other):
        raise RuntimeError("no comparing")

    def __hash__(self):
        raise RuntimeError("no hashing")

    def __repr__(self):
        raise RuntimeError("no printing")

    def __bool__(self):
        raise RuntimeError("no truth")

    def __len__(self):
        raise RuntimeError("no length")

    def __iter__(self):
        raise RuntimeError("no iterating")

    value = 1


def f(x, xs):
    xs.append(x)
    xs[0] = x
    return [x, (x, {1: x})]


r = Rude()
xs = [r]
print(len(f(r, xs)), len(xs), r.value, [type(x).__name__ for x in xs])
try:
    if r:
        pass
except RuntimeError as error:
    print(error)


class Loud(dict):
    def __getitem__(self, k):
        print("getitem", k)
        return super().__getitem__(k)

    def __setitem__(self, k, v):
        print("setitem", k, v)
        super().__setitem__(k, v)

    def __iter__(self):
        print("iter")
        return super().__iter__()

    def copy(self):
        print("copy")
        return self

    def get(self, *a):
        print("get")
        return super().get(*a)

    def __len__(self):
        print("len")
        return super().__len__()


d = Loud()
d["a"] = 1
d["a"] += 1
d.update(b=2)
d.pop("b")
print(dict.__len__(d), d.get("a"))
del d["a"]


class Liar:
    @property
    def __class__(self):
        print("class asked")
        return int

    @property
    def __dict__(self):
        print("dict asked")
        return {}


def g(x):
    x.attribute = 5
    return x.attribute


print(g(Liar()), isinstance(Liar(), int))


class Key:
    def __init__(self, n):
        self.n = n

    def __hash__(self):
        print("hash", self.n)
        return self.n

    def __eq__(self, other):
        print("eq", self.n, other.n)
        return self.n == other.n


t = {Key(1): "a"}
t[Key(1)] = "b"
t[Key(1)] += "c"
del t[Key(1)]
print(t, {Key(2), Key(2)}.__len__())
"""
    ),
    "destructors_and_weak_references_within_loops": Program(
        """\
import gc
import sys


def f():
    big = ["x" * 10 for _ in range(3)]
    return len(big)


print(f(), gc.isenabled())
print("done")
"""
    ),
    "identity_and_aliases": Program(
        """\
def f(x, ys=[]):
    ys.append(x)
    return ys


a = f(1)
b = f(2)
print(a is b, a, f.__defaults__)
rows = [[0] * 2] * 2
rows[0][0] = 5
print(rows)
loop = []
loop.append(loop)
print(loop)
x = y = object()
print(x is y, id(x) == id(y))
print([id([]) is None for _ in range(2)], () is (), "a" * 3 is not None)


class N:
    pass


first = None
for i in range(50_000):
    node = N()
    node.next = first
    first = node
count = 0
while node is not None:
    node, count = node.next, count + 1
print(count)
"""
    ),
    "functions_with_their_namespace_in_view": Program(
        """\
def a(x):
    y = x + 1
    z = helper(y)
    return sorted(locals().items())


def b(x):
    y = [helper(i) for i in range(x)]
    exec("q = 5")
    return dir(), eval("helper(x) + len(y)")


def c(**options):
    width = helper(1)
    return "{width} {x}".format(**locals(), **options)


def d():
    import math as m
    from os import path as p, sep

    return sorted(vars())


def e(n):
    if n:
        return e(n - 1), sorted(locals())
    return None


def helper(x):
    return x * 2


class Space:
    a = 1
    b = helper(a)
    for i in range(2):
        c = i
    names = sorted(locals())
    exec("made = b + 1")


print(a(1), b(2), c(x=3), d(), e(2), [n for n in Space.names if n[:2] != "__"], Space.made, Space.i)
print([k for k in vars(Space) if k[:2] != "__"])
import sys

print(sorted(sys._getframe().f_locals.keys() - {"__builtins__"})[:3])
"""
    ),
    "long_chains": Program(
        "total = " + " + ".join(["1"] * 900) + "\nprint(total)\ntext = ('a'\n" + "  'b'\n" * 500 + ")\n"
        "print(len(text))\ndata = ["
        + ", ".join(f"[{i}, {{'k': ({i},)}}]" for i in range(500))
        + "]\nprint(len(data))\n"
        "def f(x):\n"
        + "".join(f"    {'el' if i else ''}if x == {i}:\n        return {i}\n" for i in range(120))
        + "    return -1\n"
        "print(f(100), f(1000))\n"
        "def g(x):\n    return x" + ".strip()" * 150 + "\nprint(g(' a '))\n"
    ),
    "nested_blocks": Program(
        "def f():\n"
        + "".join("    " * (i + 1) + f"for i{i} in range(1):\n" for i in range(18))
        + "    " * 19
        + "return i0 + i17\nprint(f())\n"
    ),
    "type_parameters": Program(
        """\
type Pair[T] = tuple[T, T]


def first[T](xs: list[T]) -> T:
    return xs[0]


class Box[T: int]:
    def __init__(self, value: T) -> None:
        self.value = value

    def map[U](self, f) -> "Box[U]":
        return Box(f(self.value))


print(first([1, 2]), Box(3).map(str).value, Pair.__value__, first.__type_params__, Box.__type_params__)
""",
        minimum=(3, 12),
    ),
    "context_managers_in_parentheses": Program(
        "import io\nwith (\n    io.StringIO('a') as a,\n    io.StringIO('b') as b,\n):\n    print(a.read(), b.read())\nraise KeyError(a.closed)\n"
    ),
}

CONCURRENCY = {
    "threads": Program(
        """\
import threading
from concurrent.futures import ThreadPoolExecutor

lock = threading.Lock()
total = 0


def add(n):
    global total
    for i in range(n):
        with lock:
            total += step(i)
    return total >= 0


def step(i):
    return i % 3


threads = [threading.Thread(target=add, args=(100,), name=f"t{i}") for i in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(total)
with ThreadPoolExecutor(3) as pool:
    print(list(pool.map(step, range(7))))
local = threading.local()
local.x = 1


def other():
    print(hasattr(local, "x"), threading.current_thread().name)


t = threading.Thread(target=other, name="other")
t.start()
t.join()


def late():
    import time

    time.sleep(0.05)
    print("late thread done", step(4))


threading.Thread(target=late).start()
print("main done")
"""
    ),
    "exception_in_a_thread": Program(
        "import threading\n\n\ndef f():\n    raise ValueError('in the thread')\n\n\nt = threading.Thread(target=f, name='worker')\nt.start()\nt.join()\nprint('main goes on')\n"
    ),
    "daemon_thread_at_exit": Program(
        "import threading, time\n\n\ndef spin():\n    while True:\n        time.sleep(0.001)\n\n\nthreading.Thread(target=spin, daemon=True).start()\ntime.sleep(0.02)\nprint('x')\n"
    ),
    "fork": Program(
        """\
import os
import sys


def work(n):
    return n * 2


print("before", flush=True)
pid = os.fork()
if pid == 0:
    print("child", work(3), flush=True)
    sys.exit(work(2))
_, status = os.waitpid(pid, 0)
print("parent", os.waitstatus_to_exitcode(status), work(5))
"""
    ),
    "multiprocessing": Program(
        """\
import multiprocessing


def square(n):
    return n * n


def fail(n):
    raise ValueError(n)


def main():
    for method in ("fork", "spawn"):
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool:
            print(method, pool.map(square, range(5)))
            try:
                pool.apply(fail, (3,))
            except ValueError as error:
                print("failed", error)
        queue = context.Queue()
        process = context.Process(target=put, args=(queue, 4))
        process.start()
        print(queue.get(), process.join(), process.exitcode)


def put(queue, n):
    queue.put(square(n))


if __name__ == "__main__":
    main()
"""
    ),
    "child_interpreter": Program(
        "import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'import sys; print(sys.argv, [m for m in sys.modules if m.startswith(\"algo\")])', 'x'], capture_output=True, text=True).stdout)\n"
    ),
    "signal_handler": Program(
        """\
import os
import signal


def handler(number, frame):
    print("signal", signal.Signals(number).name, frame.f_code.co_name)


signal.signal(signal.SIGUSR1, handler)


def f():
    os.kill(os.getpid(), signal.SIGUSR1)
    return [i for i in range(3)]


print(f())
signal.signal(signal.SIGTERM, lambda n, f: exit(9))
os.kill(os.getpid(), signal.SIGTERM)
"""
    ),
    "context_variables": Program(
        """\
import asyncio
import contextvars

v = contextvars.ContextVar("v", default=0)


async def f(n):
    v.set(n)
    await asyncio.sleep(0)
    return v.get()


async def main():
    return await asyncio.gather(f(1), f(2)), v.get()


print(asyncio.run(main()))
print(contextvars.copy_context().run(lambda: (v.set(5), v.get())[1]), v.get())
"""
    ),
}
