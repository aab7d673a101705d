"""Programs that look at themselves: names, paths, sources, callers, locals, trace functions."""

from behaviour_programs.program import Program

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
