"""A run whose events leave memory again and again is read like one whose events stay there to its end.

Programs run twice, once with a handful of events kept in memory; a small switch interval lets the thread that takes
the others away in after every few instructions. What the two traces say must be the same: the tree, arguments,
outcomes, changes, values of names and executed code of every call.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from recorded import ENTRY, find
from test_changes import CASES
from test_survival import ENDINGS as ENDS
from test_survival import PROGRAM, behaves
from test_tree import OUTCOMES, SHAPES

from algotrace.trace import Trace, Value

sys.path.insert(0, str(Path(__file__).parents[1] / "behaviour"))
from behaviour_programs import CONCURRENCY, ENDINGS, LANGUAGE, OBJECTS, SLEEPING, TRACEBACKS, Program

RUNS_NUMBERS = re.compile(r"(?<=_id=)\d+|\d{4,}")  # of threads and processes
READ_AT_MOST = 300  # calls of each trace
EVERY = bool(os.environ.get("ALGOTRACE_SPILL"))  # program: else some of each kind


def run(folder: Path, start: list[str], *options: str, often: bool = True, **how: Any) -> Trace:
    trace = folder / f"{len(list(folder.glob('*.algotrace')))}.algotrace"
    eager = folder / "eager"
    eager.mkdir(exist_ok=True)
    (eager / "sitecustomize.py").write_text("import sys\nsys.setswitchinterval(1e-6)\n")
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(eager) if often else ""}
    command = [sys.executable, str(ENTRY), "--quiet", "--trace", str(trace), *options, *start]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, env=environment, **how
    )
    assert trace.exists(), done.stderr
    assert not [line for line in done.stderr.splitlines() if line.startswith("algotrace:")], done.stderr
    assert not list(folder.glob("*.partial"))
    return Trace.open(trace)


def reading(trace: Trace, node: int) -> list[Any]:
    """All that can be said of a call itself."""
    call = trace.call(node)

    def text(value: Value | None, most: int = 300) -> str | None:
        return None if value is None else RUNS_NUMBERS.sub("N", value.text(most).text)

    return [
        call.routine.qualname,
        [(argument.name, text(argument.value)) for argument in call.arguments],
        (call.outcome.kind, text(call.outcome.value)),
        [(change.target, text(change.before), text(change.after)) for change in call.changes],
        [
            (value.role, value.name, value.instance, text(trace.value_at(value.number, value.time)))
            for value in trace.own_values(node)
        ],
        trace.executed(node),
    ]


def readings(trace: Trace) -> list[Any]:
    """Of the calls, in preorder; threads may take turns, so what the program itself called is sorted."""
    most = min(len(trace.parent), READ_AT_MOST)
    below = [
        [(trace.parent[node] - child, reading(trace, node)) for node in range(child, child + trace.size[child]) if node < most]
        for child in trace.children(0)
        if child < most
    ]  # fmt: skip
    for calls in below:
        calls[0] = (0, calls[0][1])
    return [reading(trace, 0), sorted(below, key=repr)]


def who_is_told_wrong(trace: Trace) -> list[tuple[int, int, int]]:
    """(time, who ran, who is said to have run) where these differ."""
    return [
        (time, node, trace.node_at(time))
        for node in range(min(len(trace.parent), READ_AT_MOST))
        for time, mark, _ in trace.own_events(node)
        if mark is not None and trace.node_at(time) != node
    ]


def same(folder: Path, start: list[str], **how: Any) -> None:
    whole, in_pieces = run(folder, start, **how), run(folder, start, "--spill-events", "20", **how)
    assert len(in_pieces.parent) == len(whole.parent)
    assert readings(in_pieces) == readings(whole)
    assert in_pieces.modules.keys() == whole.modules.keys()
    for trace in (whole, in_pieces):
        assert who_is_told_wrong(trace) == []


# A real change of threads or processes is in what they say, or in how far they come; or there is no trace.
LEFT_OUT = {"multiprocessing", "killed_by_a_signal", "daemon_thread_at_exit"}
SMALL = {
    **{f"tree: {name}": source for name, (source, *_) in SHAPES.items()},
    **{f"outcome: {name}": source for name, (source, *_) in OUTCOMES.items()},
    **{f"changes: {name}": source for name, (source, *_) in CASES.items()},
}


@pytest.mark.parametrize("name", list(SMALL)[:: 1 if EVERY else 6])
def test_small_programs(name: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(textwrap.dedent(SMALL[name]).lstrip("\n"), encoding="utf-8")
    same(tmp_path, ["program.py"])


PROGRAMS = {
    name: program
    for name, program in {**LANGUAGE, **SLEEPING, **OBJECTS, **CONCURRENCY, **TRACEBACKS, **ENDINGS}.items()
    if name not in LEFT_OUT
}


@pytest.mark.parametrize("name", list(PROGRAMS)[:: 1 if EVERY else 6])
def test_larger_programs(name: str, tmp_path: Path) -> None:
    program: Program = PROGRAMS[name]
    if sys.version_info < program.minimum:
        pytest.skip("a newer language")
    for path, text in {"main.py": program.text, **program.files}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    start = ["-m", program.module] if program.module else ["main.py"]
    same(tmp_path, [*start, *program.arguments], input=program.stdin)


SURVIVES = ("os._exit", "SIGTERM", "SIGINT", "exec that fails", "sys.exit in a thread")


@pytest.mark.parametrize("name", SURVIVES)
def test_however_it_ends_the_trace_is_there(name: str, tmp_path: Path) -> None:
    source, status, kind = ENDS[name]
    recorded = behaves(tmp_path, textwrap.dedent(PROGRAM) + source, "--spill-events", "20")
    assert recorded.ran.status == status
    assert recorded.trace.environment["exit"]["kind"] == kind
    work = find(recorded.trace, "work")
    assert len(list(recorded.trace.children(work))) == 2


def test_what_only_goes_round_in_circles_is_let_go(tmp_path: Path) -> None:
    """… to the garbage collector; weak references to it end as they do unrecorded, and it is in the trace to the last."""
    (tmp_path / "program.py").write_text(
        textwrap.dedent("""
        import gc, weakref
        class Node:
            def __init__(self, parent):
                self.parent, self.children, self.names = parent, [], {"self": self}
        def build(number):
            root = Node(None)
            root.children.append(Node(root))
            root.number = number
            return root
        kept = [build(number) for number in range(10)]
        ended = []
        for number in range(4000):
            node = build(number)
            weakref.finalize(node, ended.append, number)
        gc.collect()
        def tell(count): return count > 2000
        tell(len(ended))
        """)
    )
    trace = run(tmp_path, ["program.py"], "--spill-events", "2000")
    assert trace.call(find(trace, "tell")).outcome.value.text().text == "True"  # type: ignore[union-attr]
    for occurrence, number in ((3, "3"), (2000, "1990")):
        value = trace.call(find(trace, "build", occurrence)).outcome.value
        assert value is not None and f"number={number}" in value.text(500).text
        children = value.attribute("children")
        assert children is not None
        (child,) = children.parts()
        parent = child.value.attribute("parent")
        assert parent is not None and parent.identity == value.identity


ENDLESS = {
    "calls": "def f(n): return [n]\nn = 0\nwhile True: n += 1; f(n)",
    "a loop": "n = 0\nwhile True: n += 1",
    "a loop in a function": "def f():\n    n = 0\n    while True: n += 1\nf()",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_program_without_end_is_stopped_at_its_limit(name: str, tmp_path: Path) -> None:
    """Its events left memory long before, and all of them are there."""
    (tmp_path / "program.py").write_text(ENDLESS[name] + "\n")
    trace = tmp_path / "program.algotrace"
    options = ["--trace", str(trace), "--limit-events", "100000", "--spill-events", "5000"]
    command = [sys.executable, str(ENTRY), *options, "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.stderr == "algotrace: stopped after 100,000 events (--limit-events)\n"
    opened = Trace.open(trace)
    assert opened.environment["exit"]["kind"] == "limit"
    assert opened.end[0] >= 100_000


@pytest.mark.parametrize("handler", ["signal.SIG_IGN", "lambda *_: None"])
def test_a_limit_stops_a_program_that_does_not_hear_of_interrupts(handler: str, tmp_path: Path) -> None:
    """As those that a script runs in the background, which start with the signal ignored."""
    program = tmp_path / "program.py"
    program.write_text(f"import signal\nsignal.signal(signal.SIGINT, {handler})\nn = 0\nwhile True: n += 1\n")
    command = [sys.executable, str(ENTRY), "--trace", str(tmp_path / "trace"), "--limit-events", "3000"]
    done = subprocess.run([*command, str(program)], capture_output=True, text=True, timeout=300)
    assert done.returncode == -signal.SIGINT
    assert done.stderr == "algotrace: stopped after 3,000 events (--limit-events)\n"
    assert Trace.open(tmp_path / "trace").environment["exit"]["kind"] == "limit"
