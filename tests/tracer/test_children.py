"""Processes that multiprocessing starts anew are recorded beside their parent, and behave as they do unrecorded."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from recorded import find, outline, record
from test_survival import ENTRY, Recorded, behaves, run

from algotrace.trace import Trace

METHODS = ["spawn", "forkserver"]

PROGRAM = """
    import helper, multiprocessing, os, sys, time
    def square(n):
        return n * n
    def put(queue, n):
        queue.put(square(n))
    def shows():
        import __main__
        print(__name__, __main__.__name__, sys.argv, sys.path[:1] == sys.path[-1:], sys.flags.utf8_mode, sorted(vars(__main__)))
        print(helper.double(3), flush=True)
    def fails():
        raise ValueError(square(3))
    def exits():
        sys.exit(square(2))
    def leaves_at_once():
        square(5)
        os._exit(6)
    def waits():
        square(6)
        print("waiting", flush=True)
        time.sleep(60)
    class Own(multiprocessing.Process):
        def run(self):
            square(8)
    def grandchild(method):
        process = multiprocessing.get_context(method).Process(target=exits)
        process.start(); process.join(); print("grandchild", process.exitcode, flush=True)
    if __name__ == "__main__":
        multiprocessing.set_start_method("METHOD")
        BODY
"""
HELPER = "def double(x):\n    return x * 2\n"
START = "p = multiprocessing.Process(target={}, args={}); p.start(); p.join(); print(p.exitcode)"


def children_of(folder: Path, method: str, body: str, *options: str, **how: object) -> Recorded:
    source = PROGRAM.replace("METHOD", method).replace("BODY", body)
    return behaves(folder, source, *options, files={"helper.py": HELPER}, **how)


CHILDREN = {
    "returns": (START.format("shows", "()"), "shows", "return", "normal"),
    "raises": (START.format("fails", "()"), "fails", "raise", "normal"),
    "exits": (START.format("exits", "()"), "exits", "raise", None),
    "os._exit": (START.format("leaves_at_once", "()"), "leaves_at_once", "unfinished", "exit"),
    "is terminated": (
        "p = multiprocessing.Process(target=waits); p.start(); time.sleep(1); p.terminate(); p.join(); print(p.exitcode)",
        "waits",
        "unfinished",
        "signal",
    ),
    "of a class of its own": (
        "p = Own(); p.start(); p.join(); print(p.exitcode)",
        "Own.run",
        "return",
        "normal",
    ),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", CHILDREN)
def test_a_child_leaves_a_trace_of_its_own(name: str, method: str, tmp_path: Path) -> None:
    body, function, outcome, ending = CHILDREN[name]
    recorded = children_of(tmp_path, method, body)
    parent, (child,) = recorded.trace, recorded.children
    node = find(child, function)
    assert child.call(node).outcome.kind == outcome
    # A fork server's child ends by `os._exit`, before Python 3.13 always.
    ends = ("exit", "normal") if method == "forkserver" else (ending or "normal",)
    assert child.environment["exit"]["kind"] in (ending, *ends)
    link = child.environment["parent"]
    assert (link["trace"], link["pid"]) == (str(parent.path), parent.environment["pid"])
    assert 0 < link["time"] <= parent.end[0] and link["pid"] != child.environment["pid"]
    assert child.environment["program"] == "program.py" and parent.environment["notes"] == []
    if name == "returns":
        assert "shows(double())" in outline(child)
    for number in range(len(child.parent)):
        child.call(number), child.executed(number)
    assert recorded.ran.said == []


@pytest.mark.parametrize("method", METHODS)
def test_a_pool_works_as_unrecorded(method: str, tmp_path: Path) -> None:
    body = """with multiprocessing.Pool(2) as pool:
            print(pool.map(square, range(6)))
        queue = multiprocessing.Queue()
        process = multiprocessing.Process(target=put, args=(queue, 7))
        process.start(); print(queue.get()); process.join()"""
    recorded = children_of(tmp_path, method, body)
    assert len([child for child in recorded.children if "put(square())" in outline(child)]) == 1


@pytest.mark.parametrize("method", METHODS)
def test_a_process_pool_executor_works_as_unrecorded(method: str, tmp_path: Path) -> None:
    body = f"""import concurrent.futures
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context({method!r})) as pool:
            print(list(pool.map(square, range(5))))
            try: pool.submit(fails).result()
            except ValueError as error: print("failed", error)"""
    recorded = children_of(tmp_path, method, body)
    calls = [outline(child).count("square()") for child in recorded.children]
    assert sum(calls) == 6
    assert [
        child.call(find(child, "fails")).outcome.kind
        for child in recorded.children
        if "fails" in outline(child)
    ] == ["raise"]


@pytest.mark.parametrize("method", METHODS)
def test_a_child_of_a_child_names_its_own_parent(method: str, tmp_path: Path) -> None:
    recorded = children_of(tmp_path, method, START.format("grandchild", f"({method!r},)"))
    traces = {trace.environment["pid"]: trace for trace in [recorded.trace, *recorded.children]}
    assert len(traces) == 3
    exits = next(trace for trace in traces.values() if "exits(square())" in outline(trace))
    parent = traces[exits.environment["parent"]["pid"]]
    assert exits.environment["parent"]["trace"] == str(parent.path)
    assert "grandchild()" in outline(parent)
    assert parent.environment["parent"]["trace"] == str(recorded.trace.path)


def test_a_forked_child_of_a_spawned_one_names_its_own_parent(tmp_path: Path) -> None:
    recorded = children_of(tmp_path, "spawn", START.format("grandchild", "('fork',)"))
    traces = {trace.environment["pid"]: trace for trace in [recorded.trace, *recorded.children]}
    exits = next(trace for trace in traces.values() if "exits(square())" in outline(trace))
    parent = traces[exits.environment["parent"]["pid"]]
    assert exits.environment["parent"]["trace"] == str(parent.path) != str(recorded.trace.path)


@pytest.mark.parametrize("method", METHODS)
def test_exclusions_hold_in_children_too(method: str, tmp_path: Path) -> None:
    recorded = children_of(tmp_path, method, START.format("shows", "()"), "--exclude", "helper")
    (child,) = recorded.children
    assert "shows()" in outline(child) and "double" not in outline(child)
    assert "excluded by helper" in child.reasons.values()


@pytest.mark.parametrize("method", [*METHODS, "fork"])
def test_children_need_not_be_recorded(method: str, tmp_path: Path) -> None:
    recorded = children_of(tmp_path, method, START.format("fails", "()"), env={"ALGOTRACE_CHILDREN": "0"})
    assert recorded.children == []
    assert any(method in note for note in recorded.trace.environment["notes"]) or method == "fork"


def test_the_main_module_may_be_one_of_a_package(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    source = """
import multiprocessing
def f(x): return x + 1
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    p = context.Process(target=f, args=(1,)); p.start(); p.join(); print(p.exitcode)
"""
    (tmp_path / "package" / "main.py").write_text(source)
    ran = run([sys.executable, str(ENTRY), "--trace", "t.algotrace", "-m", "package.main"], tmp_path)
    assert (ran.out, ran.errors) == ("0\n", "")
    (child,) = [Trace.open(path) for path in tmp_path.glob("t.*.algotrace")]
    assert outline(child) == "<module>(f())"


def test_without_a_name_for_the_trace_children_stand_beside_the_parent(tmp_path: Path) -> None:
    source = "import multiprocessing\ndef f(): pass\nif __name__ == '__main__':\n"
    source += "    p = multiprocessing.get_context('spawn').Process(target=f); p.start(); p.join()\n"
    (tmp_path / "program.py").write_text(source)
    run([sys.executable, str(ENTRY), "program.py"], tmp_path)
    child, parent = sorted((tmp_path / ".algodebug").glob("*.algotrace"), key=lambda path: len(path.name))[
        ::-1
    ]
    assert Trace.open(child).environment["parent"]["trace"] == str(parent)
    assert "f()" in outline(Trace.open(child))


def test_a_recorder_that_is_gone_leaves_the_child_as_it_is(tmp_path: Path) -> None:
    """The child loads it by its path; here that leads nowhere."""
    source = """
        import multiprocessing, sys
        def f(): print("child", [name for name in sys.modules if name.startswith("algotrace")], flush=True)
        if __name__ == "__main__":
            children = sys.modules.get("algotrace.children")
            if children: children._FOLDER = "/no/such/folder"
            p = multiprocessing.get_context("spawn").Process(target=f); p.start(); p.join(); print(p.exitcode)
    """
    recorded = behaves(tmp_path, source)
    assert recorded.children == []


RUN_PATH = """
    import json, runpy, sys
    names = runpy.run_path("script.py", init_globals={"given": 4}, run_name="script")
    print(names["__name__"], names["__file__"], names["result"], sorted(n for n in names if "@" in n))
    print(runpy.run_module("module", {"given": 5})["result"], runpy.run_module("package", run_name="x")["result"])
    for wrong in ("broken.py", "missing.py", "fails.py"):
        try:
            runpy.run_path(wrong)
        except Exception as error:
            import traceback
            traceback.print_exc(file=sys.stdout)
"""


def test_what_runpy_runs_is_recorded(tmp_path: Path) -> None:
    script = "def f(x):\n    return x + 1\nresult = f(globals().get('given', 1))\n"
    files = {
        "script.py": script, "module.py": script.replace("f(", "m("),
        "package/__init__.py": "", "package/__main__.py": script.replace("f(", "p("),
        "broken.py": "x = (\n", "fails.py": "def g():\n    return 1 / 0\ng()\n",
    }  # fmt: skip
    trace = behaves(tmp_path, RUN_PATH, files=files).trace
    assert outline(trace) == "<module>(<module>(f()), <module>(m()), <module>(p()), <module>(g()))"
    assert json.dumps(trace.reasons).count("script.py") == 0
    assert os.path.basename(trace.sources[0].path) == "program.py"


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_end_wherever_the_signal_finds_them(method: str, tmp_path: Path) -> None:
    """A handler written in Python does not wake a worker that is about to wait for its lock; the default action would."""
    source = f"""
        import multiprocessing

        def square(n):
            return n * n

        def fail(n):
            raise ValueError(n)

        if __name__ == "__main__":
            context = multiprocessing.get_context("{method}")
            for _ in range({60 if method == "fork" else 6}):
                with context.Pool(2) as pool:
                    assert pool.map(square, range(5)) == [0, 1, 4, 9, 16]
                    try:
                        pool.apply(fail, (3,))
                    except ValueError:
                        pass
            print("over")
    """
    assert behaves(tmp_path, source).ran.out == "over\n"


def test_programs_started_as_commands_are_told_to_be_missing(tmp_path: Path) -> None:
    """… however short their lives; children that leave traces of their own are not."""
    start = "import subprocess, sys; subprocess.run([sys.executable, '-c', ''])\n"
    (note,) = record(tmp_path, start).environment["notes"]
    assert "started as commands are not recorded" in note and "record such a program by itself" in note
    for source in ("import subprocess\n", "import os, subprocess\nif os.fork(): os.wait()\n"):
        assert record(tmp_path, source).environment["notes"] == []
