"""Each thread's events are its own, from the moment that there may be a second one, however it comes about."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from recorded import ENTRY, find
from test_survival import behaves

WORK = """
import sys
ALONE = getattr(sys.modules.get("algotrace.streams"), "ALONE", None)
def alone():
    return ALONE is None or ALONE.events is not None
def step(number):
    return number
def work(number):
    return [step(number + part) for part in range(40)]
sys.setswitchinterval(1e-6)
"""
SECOND_THREADS = {
    "threading": """
import threading
def main():
    threads = [threading.Thread(target=work, args=(100 * number,)) for number in range(1, 5)]
    for thread in threads: thread.start()
    work(0)
    for thread in threads: thread.join()
""",
    "_thread": """
import _thread
def main():
    ended = _thread.allocate_lock()
    ended.acquire()
    def other():
        work(100)
        ended.release()
    _thread.start_new_thread(other, ())
    work(0)
    ended.acquire()
""",
    "an executor": """
from concurrent.futures import ThreadPoolExecutor
def main():
    with ThreadPoolExecutor(3) as executor:
        later = [executor.submit(work, 100 * number) for number in range(1, 4)]
        work(0)
        print([sum(one.result()) for one in later])
""",
    "a library of C": """
import ctypes
kind = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
@kind
def other(nothing):
    work(100)
    return 0
def main():
    library, thread = ctypes.CDLL(None), ctypes.c_ulong()
    library.pthread_create(ctypes.byref(thread), None, other, None)
    work(0)
    library.pthread_join(thread, None)
""",
}


@pytest.mark.parametrize("name", SECOND_THREADS)
def test_threads_are_told_apart(name: str, tmp_path: Path) -> None:
    if name == "a library of C" and not sys.platform.startswith("linux"):
        pytest.skip("its threads are started in another way here")
    trace = behaves(tmp_path, f"{WORK}{SECOND_THREADS[name]}main()\n").trace
    works = [n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].name == "work"]
    assert len(works) >= 2
    for node in works:
        first = trace.call(node).arguments[0].value
        steps = [trace.call(child).arguments[0].value for child in trace.children(node)]
        assert first is not None
        start = int(first.text().text)
        assert [step and step.text().text for step in steps] == [str(start + part) for part in range(40)]
    main = find(trace, "main")
    assert [trace.call(n).arguments[0].value.text().text for n in works if trace.parent[n] == main] == ["0"]  # type: ignore[union-attr]


ALONE = {
    "nothing else": ("pass", True),
    "modules of the standard library": ("import asyncio, json, sqlite3, ssl, decimal", True),
    "a thread": ("import threading; threading.Thread(target=len, args=([],)).start()", False),
    "a library that may start threads": ("import ctypes", False),
}


@pytest.mark.parametrize("name", ALONE)
def test_a_program_is_alone_until_it_may_have_threads(name: str, tmp_path: Path) -> None:
    what, expected = ALONE[name]
    program = f"{WORK}import threading, _thread\nprint(alone())\n{what}\nprint(alone())\n"
    (tmp_path / "program.py").write_text(program)
    command = [sys.executable, str(ENTRY), "--quiet", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["True", str(expected)], done.stderr


def test_what_starts_threads_is_itself_again(tmp_path: Path) -> None:
    source = """
    import _thread, threading
    name = "_start_joinable_thread" if hasattr(threading, "_start_joinable_thread") else "_start_new_thread"
    print(getattr(threading, name).__name__, _thread.start_new_thread.__name__)
    threading.Thread(target=len, args=([],)).start()
    print(getattr(threading, name), _thread.start_new_thread)
    """
    behaves(tmp_path, source)


def test_functions_that_see_their_variables_find_their_events_too(tmp_path: Path) -> None:
    source = """
    import ctypes
    class Swallowing:
        def __enter__(self): return self
        def __exit__(self, *error): return True
    def looking(n):
        with Swallowing():
            n // eval("0", {}, locals())
    def trying(n):
        try:
            return n // len(locals())
        finally:
            with Swallowing():
                dir()
    def going(n):
        for step in range(n):
            with Swallowing():
                if step % 2:
                    continue
                vars()[n]
        return n
    class Made:
        with Swallowing():
            x = locals()["y"]
    print(looking(1), trying(2), going(3))
    """
    trace = behaves(tmp_path, source).trace
    assert trace.call(find(trace, "going")).outcome.value.text().text == "3"  # type: ignore[union-attr]
