"""Ways for a program to end, and what it does with its streams until then."""

from behaviour_programs.program import Program

ENDINGS = {
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
        if start is Node and sys.version_info >= (3, 12):
            # It ends a few sooner or later: 3.12 counts C calls, which nobody can allow more of, those below the program as
            # well; on 3.13 it depends on the size of frames (502 to 507 for up to ten variables more).
            deepest //= 20
        print(start.__name__, deepest, str(error)[:32])
"""
    ),
}
