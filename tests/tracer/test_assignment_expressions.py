"""What `(name := value)` binds is known, whosever name it is."""

from __future__ import annotations

from pathlib import Path

from recorded import changes, find, run

from algotrace.trace import Trace

PROGRAM = """
g = 0
def look(): print(g)
def f():
    global g
    if (g := 5): look()
    x = [(g := i) for i in range(3)]
    look()
    while (g := g + 1) < 5: look()
    return lambda: (g := 7)
f()()
look()
[(g := i) for i in range(4)]
look()
str((g := 6))
look()
class C:
    global g
    z = (g := 8)
    look()
    def m(self):
        global g
        locals()
        (g := 9)
        look()
C().m()
look()
def h():
    global fresh
    return (fresh := 1) + (fresh := 2)
h()
class D:
    a, b = [(local := 3), local], (local := 4)
    for _ in (1, 2): pass
def outer():
    n = 1
    def inner():
        nonlocal n
        return (n := 3)
    inner()
    return n
outer()
"""


def test_a_global_is_what_it_was_bound_to_last(tmp_path: Path) -> None:
    process, path, _ = run(tmp_path, PROGRAM, "--quiet")
    trace = Trace.open(path)
    looks = [n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].name == "look"]
    numbers = [trace.globals_at(0, "g", trace.start[node]) for node in looks]
    told = [trace.row(number) for number in numbers if number is not None]
    assert told == list(map(int, process.stdout.split())) == [5, 2, 3, 4, 5, 3, 6, 8, 9, 9]
    assert changes(trace, find(trace, "f")) == {"global g": ("0", "5")}
    assert changes(trace, find(trace, "C.m")) == {"global g": ("8", "9")}
    assert changes(trace, find(trace, "h")) == {"global fresh": (None, "2")}
    assert changes(trace, find(trace, "D"))["local"] == (None, "4")
    ((before, after),) = (
        (change.before, change.after) for change in trace.call(find(trace, "outer.<locals>.inner")).changes
    )
    assert before is not None and not before.certain
    assert after is not None and after.text().text == "3"
