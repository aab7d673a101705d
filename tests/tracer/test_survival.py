"""Whatever a program does to its process, it behaves as it does unrecorded, and the trace is complete or absent.

Each program runs twice in a folder of its own, unrecorded and recorded: standard output, standard error without the
recorder's own lines, and the exit status (signals included) must be the same.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from recorded import ENTRY, find, outline
from recorded import run as run_recorded

from algotrace.trace import Trace

OUR_LINES = re.compile(r"^algotrace: .*\n", re.MULTILINE)
ADDRESS = re.compile(r"0x[0-9a-f]+|\d{4,}")  # addresses and process ids


class Ran(NamedTuple):
    out: str
    errors: str  # without our lines
    status: int
    said: list[str]  # our lines


class Recorded(NamedTuple):
    folder: Path
    ran: Ran

    @property
    def trace(self) -> Trace:
        return Trace.open(self.folder / "program.algotrace")

    @property
    def children(self) -> list[Trace]:
        return [Trace.open(path) for path in sorted(self.folder.glob("program.*.algotrace"))]


def run(command: list[str], folder: Path, **how: Any) -> Ran:
    environment = {**os.environ, "PYTHONHASHSEED": "0", "TMPDIR": str(folder.parent)} | how.pop("env", {})
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=60, env=environment, **how
    )
    out, errors = (text.replace(str(folder), ".") for text in (done.stdout, done.stderr))
    said = [line.strip() for line in OUR_LINES.findall(done.stderr)]
    errors = ADDRESS.sub("N", OUR_LINES.sub("", errors))
    return Ran(ADDRESS.sub("N", out), errors, done.returncode, said)


def behaves(
    folder: Path, source: str, *options: str, files: dict[str, str] | None = None, **how: Any
) -> Recorded:
    """Runs `source` unrecorded and recorded, and compares."""
    runs = []
    for name in ("plain", "recorded"):
        inside = folder / name
        for path, text in {"program.py": source, **(files or {})}.items():
            (inside / path).parent.mkdir(parents=True, exist_ok=True)
            (inside / path).write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        recorder = [str(ENTRY), "--trace", str(inside / "program.algotrace"), *options]
        ours = recorder if name == "recorded" else []
        runs.append(run([sys.executable, *ours, "program.py"], inside, **how))
    plain, recorded = runs
    assert recorded.out == plain.out
    assert recorded.errors == plain.errors
    assert recorded.status == plain.status
    assert not list((folder / "recorded").glob("*.partial"))
    return Recorded(folder / "recorded", recorded)


PROGRAM = """
    def double(x):
        return x * 2
    def work():
        return [double(1), double(2)]
"""


def spilling(program: Path, trace: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ENTRY), "--trace", str(trace), "--spill-events", "10000", str(program)]
    return subprocess.run(command, cwd=program.parent, capture_output=True, text=True, timeout=120)


@pytest.mark.skipif(os.name != "posix", reason="limits of the system")
def test_where_no_more_can_be_written_the_program_goes_on(tmp_path: Path) -> None:
    """What was spilled before is a trace, and one line says so."""
    program = tmp_path / "program.py"
    program.write_text(
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000,) * 2)\n"
        "def f(x): return [x, x * 1.5]\n"
        "print(sum(f(i)[1] for i in range(100_000)))\n"
    )
    trace = tmp_path / "t.algotrace"
    ran = spilling(program, trace)
    assert (ran.returncode, ran.stdout) == (0, "7499925000.0\n")
    (line,) = ran.stderr.splitlines()
    assert line.startswith("algotrace: cannot write on (") and str(trace) in line
    opened = Trace.open(trace)
    assert opened.environment["exit"]["kind"] == "limit" and not opened.environment["complete"]
    middle = find(opened, "f", len(opened.parent) // 2)
    call = opened.call(middle)
    number = int(call.arguments[0].value.text().text)
    assert call.outcome.value is not None and call.outcome.value.text().text == f"[{number}, {number * 1.5}]"


def test_what_was_spilled_is_deleted_meanwhile(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import glob, os\n"
        "def f(x): return [x, x * 1.5]\n"
        "for i in range(100_000):\n"
        "    f(i)\n"
        "    if i == 50_000:\n"
        "        for path in glob.glob('*.partial'): os.unlink(path)\n"
        "print(i)\n"
    )
    trace = tmp_path / "t.algotrace"
    ran = spilling(program, trace)
    assert (ran.returncode, ran.stdout) == (0, "99999\n")
    (line,) = ran.stderr.splitlines()
    assert line.startswith("algotrace: cannot write ") and line.endswith("the run is not recorded")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["program.py"]


def test_an_array_of_characters_that_are_none_does_not_disturb(tmp_path: Path) -> None:
    source = """
    import array
    def main():
        xs = array.array("u", b"\\xff" * xs_size)
        try:
            str(xs)
        except ValueError:
            xs.reverse()
            xs[0] = "x"
        return xs
    xs_size = 8
    print(len(main()))
    """
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(source), encoding="utf-8")
    trace = tmp_path / "program.algotrace"
    command = [sys.executable, "-W", "ignore", str(ENTRY), "--trace", str(trace), str(program)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "2\n", "")
    assert outline(Trace.open(trace)) == "<module>(main())"


def test_metaclasses_are_not_asked_while_the_trace_is_written(tmp_path: Path) -> None:
    """How its classes hash and compare is for a metaclass to say: we tell classes apart by identity."""
    source = """
        over = []
        def leave_a_mark():
            if over: open("asked", "a").close()
        class Meta(type):
            def __hash__(cls): leave_a_mark(); return 7
            def __eq__(cls, other): leave_a_mark(); return cls is other
        class A(metaclass=Meta):
            def __init__(self): self.x = 1
            def f(self): self.x += 1; return self
        class Slotted(metaclass=Meta):
            __slots__ = ("y",)
        class Text(str, metaclass=Meta): pass
        class Items(list, metaclass=Meta): pass
        def main():
            a, b = A(), Slotted()
            b.y = Items([a.f(), Text("t")])
            b.y.append(b)
            d = {}
            d["k"], d[Text] = b, Text("u")
            return d
        kept = [main() for _ in range(3)]
        over.append(True)
    """
    recorded = behaves(tmp_path, source)
    assert not (recorded.folder / "asked").exists()
    outcome = recorded.trace.call(find(recorded.trace, "main")).outcome.value
    assert outcome is not None and outcome.text(500).text.startswith("{'k': Slotted(")


# Each of these leaves a complete trace, in which `work` called `double` twice.
ENDINGS = {
    "os._exit": ("import os; print(work(), flush=True); os._exit(7)", 7, "exit"),
    "os._exit in a thread": (
        "import os, threading, time; print(work(), flush=True)\n"
        "threading.Thread(target=lambda: os._exit(5)).start(); time.sleep(20)",
        5,
        "exit",
    ),
    "os._exit in deep recursion": (
        "import os, sys\ndef down(n):\n    if n: down(n - 1)\n    else: os._exit(6)\n"
        "print(work(), flush=True); down(sys.getrecursionlimit() - 20)",
        6,
        "exit",
    ),
    "os._exit by a wrong argument": (
        "import os; work()\ntry: os._exit('x')\nexcept TypeError as e: print(e)",
        0,
        "normal",
    ),
    "os.abort": ("import os; print(work(), flush=True); os.abort()", -signal.SIGABRT, "signal"),
    "SIGTERM": (
        "import os, signal; print(work(), flush=True); os.kill(os.getpid(), signal.SIGTERM)",
        -signal.SIGTERM,
        "signal",
    ),
    "SIGTERM while it waits for a lock": (
        "import os, signal, threading; print(work(), flush=True); lock = threading.Lock(); lock.acquire()\n"
        "threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGTERM)).start(); lock.acquire()",
        -signal.SIGTERM,
        "signal",
    ),
    "SIGHUP": ("import os, signal; work(); os.kill(os.getpid(), signal.SIGHUP)", -signal.SIGHUP, "signal"),
    "its own SIGTERM handler": (
        "import os, signal, sys\nprint(signal.signal(signal.SIGTERM, lambda n, f: sys.exit(9)))\nwork(); os.kill(os.getpid(), signal.SIGTERM)",
        9,
        "exit",
    ),
    "it looks at its handlers": (
        "import signal; work()\nfor n in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): print(signal.getsignal(n))\n"
        "old = signal.signal(signal.SIGTERM, print); print(old is signal.SIG_DFL); signal.signal(signal.SIGTERM, old)\n"
        "print(signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)",
        0,
        "normal",
    ),
    "SIGINT": (
        "import os, signal; work(); os.kill(os.getpid(), signal.SIGINT)",
        -signal.SIGINT,
        "interrupt",
    ),
    "exec": (
        "import os, sys; print(work(), flush=True); os.execv(sys.executable, [sys.executable, '-c', 'print(3)'])",
        0,
        "exec",
    ),
    "exec by search": ("import os; print(work(), flush=True); os.execlp('sh', 'sh', '-c', 'exit 4')", 4, "exec"),
    "exec that fails": (
        "import os\nfor f in ('/no/such', '/etc/passwd', '.'):\n    try: os.execv(f, ['x'])\n    except OSError as e: print(e)\nprint(work())",
        0,
        "normal",
    ),
    "uncaught exec that fails": ("import os\nwork()\nos.execvp('no-such-program-x', ['x'])", 1, "exception"),
    "sys.exit in a thread": (
        "import sys, threading\nt = threading.Thread(target=sys.exit, args=(3,)); t.start(); t.join(); print(work())",
        0,
        "normal",
    ),
    "daemon threads": (
        "import threading, time\nxs = {}\ndef spin():\n    n = 0\n    while True: n += 1; xs[n % 1000] = [n]; double(n)\n"
        "for _ in range(3): threading.Thread(target=spin, daemon=True).start()\nprint(work()); time.sleep(0.1)",
        0,
        "normal",
    ),
    "atexit handlers": (
        "import atexit\ndef say(x): print(x, double(x))\natexit.register(say, 1); atexit.register(say, 2)\n"
        "@atexit.register\ndef fails(): raise ValueError('x')\nprint(work())",
        0,
        "normal",
    ),
    "os._exit in an atexit handler": (
        "import atexit, os\natexit.register(os._exit, 8); print(work(), flush=True)",
        8,
        "exit",
    ),
    "its own excepthook": (
        "import sys\ndef hook(t, v, tb): print('hook', t, v, tb.tb_lineno, tb.tb_next)\nsys.excepthook = hook\nwork()\n1 / 0",
        1,
        "exception",
    ),
    "an excepthook that fails": (
        "import sys\ndef hook(t, v, tb): raise KeyError('h')\nsys.excepthook = hook\nwork()\n1 / 0",
        1,
        "exception",
    ),
    "exceptions in finalizers": (
        "class C:\n    def __del__(self): raise ValueError('gone')\nC(); print(work())\ndef leaves(): c = C()\nleaves()",
        0,
        "normal",
    ),
    "gc.disable": ("import gc; gc.disable(); print(work(), gc.isenabled())", 0, "normal"),
    "another folder": (
        "import os; os.mkdir('sub'); os.chdir('sub'); print(work(), os.listdir('.'))",
        0,
        "normal",
    ),
    "a folder that is gone": (
        "import os; os.mkdir('sub'); os.chdir('sub'); os.rmdir('../sub'); print(work())",
        0,
        "normal",
    ),
    "closed standard error": ("import sys; print(work()); sys.stderr.close()", 0, "normal"),
    "closed standard output": ("import os; work(); os.close(1)", 0, "normal"),
    "no standard streams": (
        "import sys; work(); sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = None",
        0,
        "normal",
    ),
    "a timer that fires at the end": (
        "import signal\ndef ring(n, f): raise TimeoutError\nsignal.signal(signal.SIGALRM, ring)\n"
        "signal.setitimer(signal.ITIMER_REAL, 60)\nimport atexit\natexit.register(signal.setitimer, signal.ITIMER_REAL, 0.3, 0.01)\nxs = [double(str(i)) for i in range(40_000)]; print(work())",
        0,
        "normal",
    ),
    "a low recursion limit": (
        "import sys; sys.setrecursionlimit(60); print(work())",
        0,
        "normal",
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def hangups_are_heard() -> Iterator[None]:
    """Also where the tests were started by `nohup`, whose children ignore them."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("name", ENDINGS)
def test_however_it_ends_the_trace_is_there(name: str, tmp_path: Path) -> None:
    source, status, kind = ENDINGS[name]
    recorded = behaves(tmp_path, textwrap.dedent(PROGRAM) + source)
    assert recorded.ran.status == status
    trace = recorded.trace
    assert trace.environment["exit"]["kind"] == kind
    work = find(trace, "work")
    assert [trace.routines[trace.routine[child]].name for child in trace.children(work)] == ["double"] * 2
    assert trace.call(find(trace, "double", 0)).outcome.value.text().text  # type: ignore[union-attr]
    assert len(recorded.ran.said) == 0


# What a program does to the interpreter; it prints `work()` last.
MEDDLING = {
    "builtins": "import builtins, threading\nfor n in ('len', 'list', 'dict', 'sorted', 'isinstance', 'print', 'type', 'open', 'zip', 'map', 'iter', 'enumerate', 'getattr', 'issubclass', 'id', 'tuple', 'str', 'repr', 'min', 'sum', 'any', 'set', 'range', 'hasattr'):\n    def wrong(*a, n=n, **k): out('called', n); raise SystemError(n)\n    setattr(builtins, n, wrong)",
    "no builtins": "import builtins, threading\nfor n in ('len', 'list', 'isinstance', 'type', 'sorted', 'dict', 'zip', 'map', 'str', 'Exception', 'OSError', 'KeyError'):\n    delattr(builtins, n)",
    "shadowed names": "len = list = type = dict = isinstance = getattr = str = 3",
    "library functions": "import json, os, sqlite3, zlib, time, os.path, pathlib\ndef wrong(*a, **k): out('called', a); raise SystemError\njson.dumps = os.replace = os.getpid = sqlite3.connect = zlib.compress = time.time = time.strftime = os.path.join = os.path.realpath = os.path.abspath = os.fspath = pathlib.Path = os.makedirs = wrong",
    "settrace": "import sys, threading\ncounts = {}\ndef tracer(frame, event, arg):\n    counts[event, frame.f_code.co_name] = counts.get((event, frame.f_code.co_name), 0) + 1\n    out(event, frame.f_code.co_name, frame.f_lineno)\n    return tracer\nsys.settrace(tracer)",
    "setprofile": "import sys\ndef profiler(frame, event, arg):\n    if event in ('call', 'return') and frame.f_code.co_name in ('work', 'double'): out(event, frame.f_code.co_name)\nsys.setprofile(profiler)",
    "setprofile that names everything at the end": "import sys, threading\ndef profiler(frame, event, arg):\n    if event == 'call': out(event, frame.f_code.co_name)\nsys.setprofile(profiler)",
    "settrace that fails": "import sys\ndef tracer(frame, event, arg): raise ValueError('tracer')\nsys.settrace(tracer)",
    "modules": "import sys\nfor n in ('json', 'os', 'sqlite3', 'zlib', 'tempfile', 'time', 'signal'): sys.modules[n] = None",
    "an odd module": "import sys\nclass Odd:\n    def __getattr__(self, n): out('asked', n); raise SystemError\nsys.modules['odd'] = Odd(); sys.modules[3] = None",
    "the import function": "import builtins\nreal = builtins.__import__\ndef own(name, *a, **k):\n    out('import', name)\n    return real(name, *a, **k)\nbuiltins.__import__ = own\nimport colorsys",
    "a meta path finder": "import sys, importlib.abc, importlib.util\nclass F(importlib.abc.MetaPathFinder, importlib.abc.Loader):\n    def find_spec(self, name, path, target=None):\n        if name == 'magic': return importlib.util.spec_from_loader(name, self)\n    def exec_module(self, m): m.x = 5\nsys.meta_path.insert(0, F())\nimport magic; out(magic.x); import helper; out(helper.f(2))",
    "finders gone": "import sys\nsys.meta_path[:] = [f for f in sys.meta_path if 'PathFinder' in repr(f)]\nout(len(sys.meta_path))\nimport helper; out(helper.f(2))",
    "a path hook": "import sys, zipfile\nwith zipfile.ZipFile('z.zip', 'w') as z: z.writestr('zipped.py', 'def g(x): return x + 1\\n')\nsys.path.insert(0, 'z.zip'); import zipped; out(zipped.g(1), zipped.__file__[-16:])",
    "threading patched": "import threading\nthreading.current_thread = threading.main_thread = threading.get_ident = threading.RLock = None",
    "the excepthook for threads": "import threading\nthreading.excepthook = lambda a: out('in a thread', a.exc_type.__name__)\nt = threading.Thread(target=lambda: 1 / 0); t.start(); t.join()",
    "displayhook, stdout": "import sys, io\nsys.stdout = sys.__stdout__ = io.StringIO()\nsys.displayhook = None",
    "gc callbacks": "import gc\ngc.callbacks.append(lambda phase, info: None); gc.set_threshold(1)",
    "frozen time": "import time\ntime.time = lambda: -1e300\ntime.localtime = time.strftime = None",
}  # fmt: skip

_OUT = "import os as _os\ndef out(*what, _write=_os.write, _str=str, _map=map):\n    _write(1, (' '.join(_map(_str, what)) + '\\n').encode())\n"


@pytest.mark.parametrize("name", MEDDLING)
def test_what_a_program_does_to_the_interpreter_stays_its_own_affair(name: str, tmp_path: Path) -> None:
    source = _OUT + textwrap.dedent(PROGRAM) + MEDDLING[name] + "\nout(work())\n"
    recorded = behaves(tmp_path, source, files={"helper.py": "def f(x):\n    return x * 3\n"})
    assert name == "settrace that fails" or find(recorded.trace, "work")
    assert recorded.ran.said == []


# -- processes ------------------------------------------------------------------------------------------------------

FORKS = {
    "os._exit": "pid = os.fork()\nif not pid: print('child', double(4), flush=True); os._exit(3)",
    "sys.exit": "pid = os.fork()\nif not pid: print('child', double(4), flush=True); sys.exit(3)",
    "an exception": "pid = os.fork()\nif not pid: print('child', double(4), flush=True); 1 / 0",
    "the end": "pid = os.fork()\nif not pid: print('child', double(4), flush=True)",
    "SIGTERM": "pid = os.fork()\nif not pid: print('child', double(4), flush=True); os.kill(os.getpid(), 15)",
    "inside a call": "def forks():\n    if not os.fork(): double(4)\nforks()",
    "in a thread": "import threading\ndef forks():\n    if not os.fork(): double(4); os._exit(0)\n    os.wait()\nt = threading.Thread(target=forks); t.start(); t.join()",
}


@pytest.mark.parametrize("name", FORKS)
def test_a_forked_child_leaves_a_trace_of_its_own(name: str, tmp_path: Path) -> None:
    waits = "\ntry: print(os.wait()[1])\nexcept ChildProcessError: pass\nprint(double(9), flush=True)\n"
    source = "import os, sys\n" + textwrap.dedent(PROGRAM) + "work()\n" + FORKS[name] + waits
    recorded = behaves(tmp_path, source)
    parent, (child,) = recorded.trace, recorded.children
    assert "work(double(), double())" in outline(parent)
    assert outline(child).startswith("<module>(double()")  # what was before the fork is the parent's
    assert child.call(1).arguments[0].value.text().text == "4"
    link = child.environment["parent"]
    assert link["trace"] == str(parent.path) and link["pid"] == parent.environment["pid"]
    assert link["pid"] != child.environment["pid"]
    assert 0 < link["time"] <= parent.end[0]
    for node in range(len(child.parent)):
        child.call(node), child.executed(node)


def test_a_child_of_a_child_names_its_own_parent(tmp_path: Path) -> None:
    source = """
        import os
        def f(x): return x
        if not os.fork():
            f(1)
            if not os.fork():
                f(2)
                os._exit(0)
            os.wait()
            os._exit(0)
        os.wait()
    """
    recorded = behaves(tmp_path, source)
    root = recorded.trace
    by_pid = {trace.environment["pid"]: trace for trace in [root, *recorded.children]}
    assert len(by_pid) == 3
    links = [trace.environment["parent"] for trace in recorded.children]
    assert all(str(by_pid[link["pid"]].path) == link["trace"] for link in links)
    assert sorted(by_pid[link["pid"]] is root for link in links) == [False, True]


def test_a_child_that_runs_nothing_of_the_program_leaves_no_trace(tmp_path: Path) -> None:
    source = """
        import os, subprocess, sys
        print(subprocess.run(["echo", "x"], preexec_fn=os.getpid, stdout=subprocess.PIPE))
        print(os.system("exit 3"), os.popen("echo y").read())
    """
    assert behaves(tmp_path, source).children == []


MULTIPROCESSING = """
    import multiprocessing, os, sys
    def square(n):
        return n * n
    def put(queue, n):
        queue.put(square(n))
    def fail():
        sys.exit(4)
    if __name__ == "__main__":
        context = multiprocessing.get_context(sys.argv[1] if sys.argv[1:] else METHOD)
        with context.Pool(2) as pool:
            print(pool.map(square, range(6)))
        queue = context.Queue()
        process = context.Process(target=put, args=(queue, 7))
        process.start()
        print(queue.get()); process.join(); print(process.exitcode)
        process = context.Process(target=fail)
        process.start(); process.join(); print(process.exitcode)
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing_works_as_unrecorded(method: str, tmp_path: Path) -> None:
    recorded = behaves(tmp_path, MULTIPROCESSING.replace("METHOD", repr(method)))
    put = [trace for trace in recorded.children if "put(square())" in outline(trace)]
    assert len(put) == 1
    assert put[0].call(find(put[0], "square")).arguments[0].value.text().text == "7"


def test_a_process_pool_works_as_unrecorded(tmp_path: Path) -> None:
    source = """
        import concurrent.futures
        def square(n): return n * n
        def fail(n): raise ValueError(n)
        if __name__ == "__main__":
            with concurrent.futures.ProcessPoolExecutor(2) as pool:
                print(list(pool.map(square, range(5))))
                try: pool.submit(fail, 3).result()
                except ValueError as error: print("failed", error)
    """
    behaves(tmp_path, source)


# -- the trace cannot be written ------------------------------------------------------------------------------------


def limited(folder: Path, source: str, size: int) -> Recorded:
    """The program may write files of at most `size` bytes, which stands for a full disk."""
    return behaves(
        folder, f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n" + source
    )


@pytest.mark.parametrize("size", [0, 1000, 20_000, 60_000])
@pytest.mark.parametrize("status", [0, 3])
def test_a_full_disk_is_said_in_one_line(size: int, status: int, tmp_path: Path) -> None:
    source = (
        textwrap.dedent(PROGRAM)
        + f"xs = [double(str(i)) for i in range(20_000)]\nraise SystemExit({status})\n"
    )
    recorded = limited(tmp_path, source, size)
    assert len(recorded.ran.said) == 1
    said = recorded.ran.said[0]
    assert (
        "cannot write" in said
        and "the run is not recorded: it needs about 1 MB" in said
        and "--trace" in said
    )
    assert not list(recorded.folder.glob("*.algotrace*")) and not list(tmp_path.glob("*.algotrace*"))


def test_where_the_folder_cannot_be_written_the_trace_goes_to_the_temporary_one(tmp_path: Path) -> None:
    # What stands in the way is a file, since to root no folder is read-only.
    program = tmp_path / "w" / "program.py"
    program.parent.mkdir()
    program.write_text("print('x')\n")
    (tmp_path / "w" / ".algodebug").write_text("")
    ran = run([sys.executable, str(ENTRY), "program.py"], program.parent)
    assert (ran.out, ran.errors, ran.status) == ("x\n", "", 0)
    assert len(ran.said) == 1 and "the trace is " in ran.said[0]
    Trace.open(ran.said[0].rpartition("the trace is ")[2])


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_closed_standard_streams_do_not_disturb(stream: str, tmp_path: Path) -> None:
    close = {"stdout": 1, "stderr": 2}[stream]
    recorded = behaves(
        tmp_path,
        textwrap.dedent(PROGRAM) + "import sys\nx = work()\nprint(x, sys.stdout is None, sys.stderr is None)",
        preexec_fn=lambda: os.close(close),
    )
    assert "work(double(), double())" in outline(recorded.trace)


def test_the_default_trace_stands_where_the_program_was_started(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "program.py").write_text("import os\nos.chdir('/')\n")
    ran = run([sys.executable, str(ENTRY), "program.py"], tmp_path / "w")
    (trace,) = (tmp_path / "w" / ".algodebug").glob("*-program.algotrace")
    assert ran.said == [f"algotrace: trace: {trace}"]


# -- signals while the trace is being written -----------------------------------------------------------------------

SLOW_TO_WRITE = "xs = []\ndef f(i): xs.append([i]); return str(i)\nfor i in range(120_000): f(i)\nprint('done', flush=True)\n"


def interrupted(folder: Path, signals: list[int]) -> tuple[int, str]:
    (folder / "program.py").write_text(SLOW_TO_WRITE)
    process = subprocess.Popen(
        [sys.executable, str(ENTRY), "--trace", "program.algotrace", "program.py"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "done\n"
    for _ in range(1000):  # until the writing has begun
        if list(folder.glob("*.partial")):
            break
        time.sleep(0.01)
    for number in signals:
        process.send_signal(number)
        time.sleep(0.05)
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors


def test_an_interrupt_while_the_trace_is_written_lets_it_be_finished(tmp_path: Path) -> None:
    status, errors = interrupted(tmp_path, [signal.SIGINT])
    assert status == 0
    assert errors == "algotrace: writing the trace; interrupt once more to do without it\n"
    assert "f(), f()" in outline(Trace.open(tmp_path / "program.algotrace"))


def test_a_second_interrupt_gives_the_trace_up(tmp_path: Path) -> None:
    status, errors = interrupted(tmp_path, [signal.SIGINT, signal.SIGINT])
    assert status == 0
    assert errors.splitlines()[1:] == [
        "algotrace: interrupted while writing the trace; the run is not recorded"
    ]
    assert not list(tmp_path.glob("*.algotrace*"))


def test_a_termination_while_the_trace_is_written_comes_after_it(tmp_path: Path) -> None:
    status, errors = interrupted(tmp_path, [signal.SIGTERM])
    assert (status, errors) == (-signal.SIGTERM, "")
    assert "f(), f()" in outline(Trace.open(tmp_path / "program.algotrace"))


def test_a_program_may_get_hold_of_all_there_is(tmp_path: Path) -> None:
    """The recorder's own marks among it: in the stream they look like events."""
    source = """
    import gc
    class Sleep:
        def __await__(self):
            yield
    async def inner(number):
        async with Manager():
            await Sleep()
        return number
    class Manager:
        async def __aenter__(self): return self
        async def __aexit__(self, *error): await Sleep()
    async def outer(number):
        try:
            return await inner(number)
        finally:
            await inner(2)
    def same(thing):
        return thing
    def drive(coroutine):
        try:
            while True:
                coroutine.send(None)
        except StopIteration as ended:
            return ended.value
    def main():
        print(drive(outer(1)))
        for each in gc.get_objects():
            found = same(each)
        print(drive(outer(3)))
    main()
    """
    assert behaves(tmp_path, source).trace.size[0] > 10_000


def test_a_mistake_of_the_recorder_is_not_put_down_to_the_program(tmp_path: Path) -> None:
    source = "from algotrace import giving\ndef main(x):\n    giving.state_of = None\n    memoryview(x)\nmain(bytearray())\n"
    process, _, _ = run_recorded(tmp_path, source)
    assert process.returncode == 1
    assert re.search(r"^algotrace: this TypeError is a mistake of the recorder, at giving\.py:\d+, not of the program", process.stderr, re.M)  # fmt: skip


@pytest.mark.parametrize("source", ["exec(3)", "setattr(3, 'a', 1)", "[].insert('a')", "raise TypeError", "import os; os.execv(3)"])  # fmt: skip
def test_a_mistake_of_the_program_is_not_put_down_to_the_recorder(source: str, tmp_path: Path) -> None:
    process, _, _ = run_recorded(tmp_path, source)
    assert process.returncode == 1
    assert "mistake of the recorder" not in process.stderr


def test_a_file_that_the_recorder_makes_a_mistake_with_runs_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("def double(x):\n    return x @ x if x is None else 2 * x\n")
    source = """
    from algotrace.instrument import Instrumenter
    def mistaken(self, node): raise KeyError("it")
    Instrumenter._FunctionDef = mistaken
    import other
    def main():
        print(other.double(4))
    main()
    """
    process, path, _ = run_recorded(tmp_path, source)
    assert (process.returncode, process.stdout) == (0, "8\n")
    assert re.search(r"^algotrace: .*other\.py is not recorded: a mistake of the recorder: please report it \(KeyError: 'it', program\.py:\d+\)$", process.stderr, re.M)  # fmt: skip
    trace = Trace.open(path)
    assert "a mistake of the recorder" in next(
        why for file, why in trace.reasons.items() if file.endswith("other.py")
    )
    assert [routine.name for routine in trace.routines if routine.kind == "function"][-1] == "main"
