"""Threads, processes, signals, contexts."""

from behaviour_programs.program import Program

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
